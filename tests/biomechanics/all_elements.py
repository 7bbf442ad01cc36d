"""An OpenSim file with every element that is read, and what OpenSim 4.6 makes of it."""

from __future__ import annotations

from typing import Any, Final

NO = "<Constant><value>0</value></Constant>"
ONE = "<LinearFunction><coefficients>1 0</coefficients></LinearFunction>"


def offset(name: str, on: str, at: str = "0 0 0", turned: str = "0 0 0") -> str:
    return (
        f'<PhysicalOffsetFrame name="{name}"><socket_parent>{on}</socket_parent><translation>{at}</translation>'
        f"<orientation>{turned}</orientation></PhysicalOffsetFrame>"
    )


def body(name: str, mass: float = 1.5, more: str = "") -> str:
    return (
        f'<Body name="{name}"><mass>{mass}</mass><mass_center>0.02 -0.15 0.01</mass_center>'
        f"<inertia>0.02 0.01 0.025 0.001 -0.002 0.0015</inertia>{more}</Body>"
    )


def joint(
    kind: str, name: str, parent: str, child: str, coordinates: str, more: str = "", at: str = "0.03 -0.3 0.02"
) -> str:
    names = "".join(c if c.startswith("<") else f'<Coordinate name="{c}"><range>-1 1</range></Coordinate>' for c in coordinates.split(";") if c)  # fmt: skip
    frames = offset("on_parent", parent, at, "0.1 -0.2 0.3") + offset("on_child", f"/bodyset/{child}", "0.01 0.02 -0.01", "-0.3 0.15 0.2")  # fmt: skip
    return (
        f'<{kind} name="{name}"><socket_parent_frame>on_parent</socket_parent_frame><socket_child_frame>on_child</socket_child_frame>'
        f"<coordinates>{names}</coordinates><frames>{frames}</frames>{more}</{kind}>"
    )


def axis(name: str, direction: str, function: str, coordinate: str = "") -> str:
    return f'<TransformAxis name="{name}"><coordinates>{coordinate}</coordinates><axis>{direction}</axis>{function}</TransformAxis>'


def spline(x: str, y: str) -> str:
    return f"<SimmSpline><x>{x}</x><y>{y}</y></SimmSpline>"


def point(kind: str, on: str, at: str, more: str = "") -> str:
    place = f"<location>{at}</location>" if at else ""
    return f"<{kind}><socket_parent_frame>{on}</socket_parent_frame>{place}{more}</{kind}>"


def muscle(name: str, points: str, wraps: str = "", kind: str = "Thelen2003Muscle") -> str:
    return (
        f'<{kind} name="{name}"><GeometryPath><PathPointSet><objects>{points}</objects></PathPointSet><PathWrapSet><objects>{wraps}</objects>'
        "</PathWrapSet></GeometryPath><max_isometric_force>800</max_isometric_force><optimal_fiber_length>0.1</optimal_fiber_length>"
        "<tendon_slack_length>0.15</tendon_slack_length><pennation_angle_at_optimal>0.1</pennation_angle_at_optimal>"
        f"<max_contraction_velocity>12</max_contraction_velocity></{kind}>"
    )


KNEE = "<SpatialTransform>{}</SpatialTransform>".format(
    axis("rotation1", "0.1 0.2 1", ONE, "knee")
    + axis("rotation2", "0 1 0", "<MultiplierFunction><function>" + spline("-1 -0.4 0.1 0.5 1.2", "0.02 0.01 0 0.04 0.03") + "</function><scale>1.5</scale></MultiplierFunction>", "knee")
    + axis("rotation3", "1 0 0", "<LinearFunction><coefficients>1 0.1</coefficients></LinearFunction>", "twist")
    + axis("translation1", "1 0 0", spline("-0.8 -0.2 0.3 0.6", "0.01 -0.005 0.004 0.02"), "knee")
    + axis("translation2", "0 1 0", spline("-0.5 0.1 0.7", "-0.2 -0.21 -0.19"), "knee")
    + axis("translation3", "0 0 1", "<PolynomialFunction><coefficients>0.02 -0.01 0.005</coefficients></PolynomialFunction>", "knee")
)  # fmt: skip
LOCKED = (
    '<Coordinate name="toe"><default_value>0.12</default_value><range>-1 1</range><locked>true</locked></Coordinate>'
)
HIP = '<Coordinate name="hip"><default_value>0.2</default_value><default_speed_value>0.5</default_speed_value><range>-1 1</range><clamped>true</clamped></Coordinate>'
WRAPS = (
    '<WrapObjectSet><objects><WrapCylinder name="condyle"><translation>0.02 -0.28 0</translation><xyz_body_rotation>0.2 -0.1 0.3</xyz_body_rotation>'
    '<radius>0.03</radius><length>1</length><quadrant>all</quadrant></WrapCylinder><WrapSphere name="head"><translation>0.03 -0.05 0</translation><radius>0.04</radius>'
    '</WrapSphere><WrapEllipsoid name="egg"><dimensions>0.01 0.02 0.03</dimensions></WrapEllipsoid></objects></WrapObjectSet>'
)
SAME = "".join(f"<socket_{k}_coordinate>/jointset/knee/knee</socket_{k}_coordinate>" for k in "xyz")
MOVING = SAME + "<x_location>{}</x_location><y_location>{}</y_location><z_location>{}</z_location>".format(
    spline("-1 -0.3 0.2 0.9", "0.03 0.04 0.045 0.05"),
    spline("-1 1", "-0.05 -0.06"),
    "<PiecewiseLinearFunction><x>-1 0.15 1</x><y>0.01 0.02 0.005</y></PiecewiseLinearFunction>",
)
GATE = "<socket_coordinate>/jointset/knee/knee</socket_coordinate><range>{}</range>"
COUPLER = (
    '<CoordinateCouplerConstraint name="follow"><coupled_coordinates_function>' + spline("-1 -0.2 0.4 1", "-0.3 -0.1 0.2 0.4") + "</coupled_coordinates_function>"
    "<independent_coordinate_names>knee</independent_coordinate_names><dependent_coordinate_name>patella</dependent_coordinate_name><scale_factor>1.2</scale_factor>"
    "</CoordinateCouplerConstraint>"
)  # fmt: skip

MUSCLES = (
    muscle("straight", point("PathPoint", "/ground", "0.1 0.1 0") + point("PathPoint", "/bodyset/thigh", "0.05 -0.1 0.01") + point("PathPoint", "/bodyset/shank", "0.04 -0.1 0"))
    + muscle("gated", point("PathPoint", "/bodyset/base", "0.1 0 0") + point("ConditionalPathPoint", "/bodyset/thigh", "0.09 -0.2 0", GATE.format("-0.9 0.3")) + point("ConditionalPathPoint", "/bodyset/thigh", "0.1 -0.25 0", GATE.format("-0.2 0.8")) + point("PathPoint", "/bodyset/shank", "0.05 -0.12 0"))
    + muscle("sliding", point("PathPoint", "/bodyset/thigh", "0.06 0 0") + point("MovingPathPoint", "/bodyset/shank", "", MOVING) + point("PathPoint", "/bodyset/foot", "0.02 -0.02 0"))
    + muscle("wrapped", point("PathPoint", "/bodyset/thigh", "0.08 -0.1 0") + point("PathPoint", "/bodyset/shank", "-0.02 -0.15 0.01"), "<PathWrap><wrap_object>condyle</wrap_object><range>-1 -1</range></PathWrap><PathWrap><wrap_object>egg</wrap_object></PathWrap>", "DeGrooteFregly2016Muscle")
    + muscle("over_head", point("PathPoint", "/bodyset/base", "0.1 -0.25 0") + point("PathPoint", "/bodyset/thigh", "-0.04 -0.12 0"), "<PathWrap><wrap_object>head</wrap_object></PathWrap>")
)  # fmt: skip

TEXT = f"""<?xml version="1.0" encoding="UTF-8" ?>
<OpenSimDocument Version="40000"><Model name="all_elements">
<gravity>0 -9.80665 0</gravity><length_units>meters</length_units>
<BodySet><objects>
{body("base")}{body("thigh", 3.0, WRAPS)}{body("shank")}{body("kneecap", 0.2)}{body("foot")}{body("toes")}{body("ball")}{body("hand")}{body("sled")}{body("head")}
</objects></BodySet>
<JointSet><objects>
{joint("WeldJoint", "base", "/ground", "base", "")}
{joint("PinJoint", "hip", "/bodyset/base", "thigh", HIP)}
{joint("CustomJoint", "knee", "/bodyset/thigh", "shank", "knee;twist", KNEE)}
{joint("PinJoint", "patella", "/bodyset/thigh", "kneecap", "patella")}
{joint("UniversalJoint", "ankle", "/bodyset/shank", "foot", "ankle_x;ankle_y")}
{joint("SliderJoint", "toe", "/bodyset/foot", "toes", LOCKED)}
{joint("FreeJoint", "free", "/ground", "ball", "free_a;free_b;free_c;free_x;free_y;free_z")}
{joint("BallJoint", "wrist", "/bodyset/ball", "hand", "wrist_a;wrist_b;wrist_c")}
{joint("PlanarJoint", "plane", "/ground", "sled", "plane_a;plane_x;plane_y")}
{joint("GimbalJoint", "neck", "/bodyset/sled", "head", "neck_a;neck_b;neck_c")}
</objects></JointSet>
<ConstraintSet><objects>{COUPLER}</objects></ConstraintSet>
<ForceSet><objects>{MUSCLES}<CoordinateActuator name="motor"><coordinate>hip</coordinate></CoordinateActuator></objects></ForceSet>
</Model></OpenSimDocument>
"""

POSES: Final[tuple[Any, ...]] = (  # of OpenSim 4.6: coordinates, speeds of those that are not zero, kinetic energy, mass centres, lengths and rates of paths, moment arms
    {
        "q": {"hip": 0.250191, "knee": 0.551371, "twist": -0.399667, "ankle_x": -0.989469, "ankle_y": 0.594139, "free_a": -0.393935, "free_b": -0.443149, "free_c": -0.490261, "free_x": -0.109847, "free_y": 0.009097, "free_z": 0.106995, "wrist_a": 0.991001, "wrist_b": 0.585324, "wrist_c": 0.244358, "plane_a": 0.97792, "plane_x": -0.679576, "plane_y": -0.912116, "neck_a": 0.029778, "neck_b": 0.834336, "neck_c": 0.028235},
        "u": {"hip": 1.588855, "knee": -1.099171, "twist": 1.494214, "ankle_x": 1.284914, "ankle_y": -0.12826, "plane_a": -1.138765, "plane_x": 0.450158, "plane_y": -1.857279, "neck_a": -0.135176, "neck_b": 0.516905, "neck_c": -0.012506},
        "energy": 16.392249599028695,
        "com": {"base": [0.06646629541116902, -0.46295032313908724, -0.01895383790915075], "thigh": [0.21107938461927508, -0.7251232884061317, -0.11192433466616497], "shank": [0.6258688043498972, -1.0084862723517076, -0.14528043551005568], "kneecap": [0.47255388606834753, -0.8826939328070597, -0.17344419026896024], "foot": [0.8242507685225088, -1.224993989324929, -0.0823143809542097], "toes": [0.9793232155873425, -1.4413815639142018, 0.09859039570258674], "ball": [-0.1196504612426467, -0.4991124564825463, 0.06996349489269152], "hand": [0.022765899133867645, -0.6832696206070583, -0.02197054530250018], "sled": [-0.18421772425114236, -1.4260292537416008, -0.16665535695632125], "head": [0.1167133068082726, -1.5200514556698101, -0.22131175696646377]},
        "length": {"straight": 1.281906403548678, "gated": 0.8666480315721359, "sliding": 0.8132397706837879, "wrapped": 0.5489883590724348, "over_head": 0.20078622809052232},
        "rate": {"straight": 0.025134093549883205, "gated": -0.07827814644700026, "sliding": 0.18472981030762237, "wrapped": 0.10458888906992461, "over_head": -0.07175307130664361},
        "arm": {"straight": {"knee": 0.11260855519742494, "twist": -0.0035906925938853796, "hip": 0.06546049061651658}, "gated": {"knee": 0.11916221262630429, "twist": 0.004441562999907905, "hip": 0.12752652019556437}, "sliding": {"knee": 0.11916884367490416, "twist": -0.014068819763232007, "hip": 1.981340622803147e-17}, "wrapped": {"knee": 0.10013804529371785, "twist": 0.003667444096773555, "hip": 7.728271312190126e-17}, "over_head": {"knee": 0.0, "twist": 0.0, "hip": 0.04516023885542961}},
    },
    {
        "q": {"hip": -0.50497, "knee": -0.615196, "twist": -0.598787, "ankle_x": -0.992532, "ankle_y": -0.691078, "free_a": 0.760664, "free_b": 0.019582, "free_c": 0.6943, "free_x": 0.279434, "free_y": 0.483542, "free_z": -0.817009, "wrist_a": 0.082288, "wrist_b": 0.015544, "wrist_c": 0.742679, "plane_a": -0.277472, "plane_x": -0.881497, "plane_y": -0.353927, "neck_a": 0.632676, "neck_b": 0.957496, "neck_c": 0.210113},
        "u": {"hip": -1.952824, "knee": 0.768128, "twist": -0.521855, "ankle_x": 1.320191, "ankle_y": -0.929603, "plane_a": 0.392736, "plane_x": -0.449473, "plane_y": -1.399201, "neck_a": -0.482215, "neck_b": 0.359967, "neck_c": 0.551986},
        "energy": 8.305969835201541,
        "com": {"base": [0.06646629541116902, -0.46295032313908724, -0.01895383790915075], "thigh": [0.10566147057752659, -0.7272945804157801, -0.17825772491487873], "shank": [0.08653448794528723, -1.0555239091544553, -0.5406755647337523], "kneecap": [0.1394805839414703, -0.8962347831594456, -0.4432067077666899], "foot": [-0.10875260457438486, -1.2069576683300718, -0.7183013098343025], "toes": [-0.3484587301503784, -1.417987214284326, -0.6782377529747781], "ball": [0.4473489915141609, 0.2789690284868876, -0.7976675878426227], "hand": [0.7218165379526884, 0.31785940482402747, -0.8783567962055159], "sled": [-0.7021099810674598, -1.0452299783920926, -0.2339570501461311], "head": [-0.6232038834664148, -1.24718105674078, -0.42049631280749733]},
        "length": {"straight": 1.325339915630049, "gated": 0.962749203002671, "sliding": 0.8362094185923997, "wrapped": 0.5326492516515646, "over_head": 0.22231122220632982},
        "rate": {"straight": 0.034472498325214526, "gated": 0.08622184787173211, "sliding": 0.06874725751398689, "wrapped": 0.08570369520553002, "over_head": 0.020595314619568962},
        "arm": {"straight": {"knee": -0.07508385833215275, "twist": -0.02121161701792254, "hip": -0.006212606568158391}, "gated": {"knee": -0.062452514062812686, "twist": -0.014376207651728699, "hip": 0.023428951607407912}, "sliding": {"knee": -0.06211852140233792, "twist": -0.028418360410916072, "hip": -4.052553403779185e-17}, "wrapped": {"knee": -0.12282305647863037, "twist": -0.016556578975553123, "hip": -3.0085104895844025e-17}, "over_head": {"knee": 0.0, "twist": 0.0, "hip": 0.01054642641608716}},
    },
    {
        "q": {"hip": 0.3529, "knee": -0.119373, "twist": -0.195003, "ankle_x": 0.935656, "ankle_y": 0.34353, "free_a": 0.748154, "free_b": 0.324429, "free_c": -0.736768, "free_x": 0.690149, "free_y": 0.889896, "free_z": 0.807834, "wrist_a": 0.139438, "wrist_b": -0.70908, "wrist_c": -0.615073, "plane_a": 0.855811, "plane_x": -0.638895, "plane_y": 0.283143, "neck_a": -0.247424, "neck_b": -0.521022, "neck_c": 0.752438},
        "u": {"hip": -1.396848, "knee": -1.041744, "twist": -1.613184, "ankle_x": -1.139984, "ankle_y": -0.79832, "plane_a": 0.209306, "plane_x": 1.536228, "plane_y": 0.278777, "neck_a": -0.356179, "neck_b": -1.847771, "neck_c": -0.129079},
        "energy": 14.09067399287195,
        "com": {"base": [0.06646629541116902, -0.46295032313908724, -0.01895383790915075], "thigh": [0.2224542170890908, -0.7185589467504625, -0.10059499552992882], "shank": [0.6498641976234423, -0.9978067282839299, -0.23459497295812456], "kneecap": [0.4793805203072926, -0.8755553612775636, -0.20287966791600057], "foot": [0.8990197411751333, -0.943178969364315, -0.3132401929068297], "toes": [1.0992377096309078, -0.7133542192086065, -0.20984322092090668], "ball": [0.17587724588444975, 0.5463722395653711, 0.8948730556283304], "hand": [0.0273960367196016, 0.4842357247359215, 0.6547354533922075], "sled": [-0.5014212048053138, -0.2897882502682966, -0.11727416397345501], "head": [-0.22516971309903935, -0.3439341060261854, -0.03984288014318298]},
        "length": {"straight": 1.3154302310181887, "gated": 0.907458271550108, "sliding": 0.8529099080639553, "wrapped": 0.5706941965053788, "over_head": 0.19591659053583516},
        "rate": {"straight": 0.1359511437450806, "gated": 0.24212610139936458, "sliding": 0.035415995623759605, "wrapped": 0.016031771962865676, "over_head": 0.06937077983885695},
        "arm": {"straight": {"knee": 0.0070127728102547665, "twist": 0.01578631412256058, "hip": 0.07386587544610843}, "gated": {"knee": 0.022923981869619338, "twist": 0.023483361518254885, "hip": 0.12912084762487783}, "sliding": {"knee": 0.007343529071329762, "twist": -0.0063724545443233065, "hip": -5.179507271936814e-17}, "wrapped": {"knee": -0.02938254027914755, "twist": 0.028912298289237783, "hip": 1.0927136038564666e-16}, "over_head": {"knee": 0.0, "twist": 0.0, "hip": 0.0496623683026764}},
    },
)  # fmt: skip

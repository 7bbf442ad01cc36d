"""The schema of model files, version 1: every key, what it holds, and what it means."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ...options import meanings
from ...simulation_options import SimulationOptions
from ..joints.joint_options import JointLoads
from ..joints.joints import KINDS
from .schema import (
    EXPRESSION_JSON,
    Either,
    Expression,
    Flag,
    Key,
    Keys,
    Later,
    ListOf,
    RecordSchema,
    TableOf,
    TextSchema,
    ValueSchema,
    WordSchema,
)

VERSION: Final = "1"

_shapes: Final[dict[str, ValueSchema]] = {}  # those that have a name in the JSON schema


def _shared_schema(name: str, shape: ValueSchema) -> ValueSchema:
    _shapes[name] = shape
    return Later(name, _shapes)


scalar: Final = Expression("an expression such as m*g*sin(q1)")
number: Final = Expression("a number such as 9.81, 1/12 or pi/3")
vector: Final = _shared_schema("vector", Either("a vector: an expression such as body.vector(1, 0, 0), or [a, b, c] in the ground", Expression(), ListOf(scalar, 3, 3, "three components")))  # fmt: skip
three: Final = _shared_schema("three", ListOf(scalar, 3, 3, "three components [a, b, c]"))
place: Final = _shared_schema(
    "place", Either("a place: [a, b, c], or an expression that is a point", Expression(), three)
)
part: Final = TextSchema("the name of a body or a frame")
point: Final = Expression("an expression that is a point, such as body.point(0, 0, 1)")
frame: Final = Expression("an expression that is a frame, such as ground.translate(x, y, 0).rotate(z, psi)")
square: Final = _shared_schema(
    "square", ListOf(ListOf(scalar, 3, 3, "three entries"), 3, 3, "a 3 by 3 matrix [[a, b, c], [d, e, f], [g, h, i]]")
)
axis: Final = _shared_schema(
    "axis", Either("an axis: x, y, z, -x, -y, -z or three components", TextSchema("an axis"), three)
)
_names_listed: Final = ListOf(TextSchema("a name"))
names: Final = Either("names: a b c, or [a, b, c]", TextSchema("names"), ListOf(TextSchema("a name")))
several: Final = Either("an expression or a list of them", scalar, ListOf(scalar, 1))
of_coordinates: Final = _shared_schema("of_coordinates", Either("an expression, [a, b, c] with one for each coordinate of the joint, or {coordinate: a}", scalar, ListOf(scalar, 1), TableOf(scalar, "a table of coordinates and expressions")))  # fmt: skip
numbers: Final = _shared_schema("numbers", TableOf(number, "a table of names and numbers"))

_turn: Final = _shared_schema("turn", RecordSchema("a turn", {}, {
    **{a: {a: Key(scalar, f"angle about {a}")} for a in "xyz"},
    "about": {"about": Key(three, "direction of the axis"), "angle": Key(scalar, "angle", True)},
    "cosines": {"cosines": Key(square, "matrix of direction cosines"), "spin": Key(three, "angular velocity in the turned frame, where it has a simpler form")},
    "euler_parameters": {"euler_parameters": Key(ListOf(scalar, 4, 4, "four Euler parameters"), "scalar first"), "spin": Key(three, "angular velocity in the turned frame by speeds of its own")},
}))  # fmt: skip
rotation: Final = _shared_schema(
    "rotation", ListOf(_turn, 1, 20, "turns one after the other, such as [{z: psi}, {x: phi}]")
)

# ---------------------------------------------------------------------------------------------------------- symbols

_symbols: Final[Keys] = {
    "parameters": Key(TableOf(Either("a number, or {value: ..., unit: ...}", Expression(number.what, "; a unit is written {value: 9.81, unit: m/s^2}"), table=RecordSchema("a parameter", {
        "value": Key(number, "value where none is given later"), "unit": Key(TextSchema("a unit"), "in which the value is given and shown; inside, numbers are in SI"),
    })), empty=True), "constants: a value, {value: 9.81, unit: m/s^2}, or nothing where the value is given later"),
    "inputs": Key(names, "quantities given from outside while the mechanism moves"),
    "variables": Key(names, "additional variables; each needs its rate under `rates`, or an equation under `equations`"),
    "coordinates": Key(names, "generalised coordinates, before those that joints declare; fixes their order"),
    "units": Key(TableOf(TextSchema("a unit")), "units in which coordinates, speeds, inputs and variables are given and shown: {theta: deg}; inside, numbers are in SI"),
    "speeds": Key(Either("names, or a table of names and what they are equal to", names.scalar, names.list, TableOf(scalar, empty=True)),
                  "generalised speeds, each with its definition (linear in rates) or without"),
    "rates": Key(TableOf(scalar), "rates of coordinates in terms of speeds, and of additional variables: z: f(q, u, z, ...) is z' = f"),
    "kinematic_equations": Key(ListOf(scalar), "expressions, linear in rates and speeds, that are zero"),
    "norms": Key(ListOf(_names_listed), "sets of coordinates (Euler parameters) whose squares sum to one and whose rates keep it so"),
    "small": Key(names, "coordinates that stay small"),
    "let": Key(TableOf(Either("an expression, or a list of them", Expression(), ListOf(scalar, 1))), "names for numbers, points, vectors, frames, to be used in expressions"),
}  # fmt: skip

# ----------------------------------------------------------------------------------------------- frames, bodies, joints

_frame: Final = _shared_schema("frame", Either("a frame: an expression such as ground.rotate(z, psi), {on: ..., at: ..., rotation: ...}, or {on: ..., velocity: ..., spin: ...}", frame, table=RecordSchema("a frame", {
    "on": Key(part, "the parent frame or body", True),
    "at": Key(place, "its origin there"),
    "rotation": Key(rotation, "how it is turned there"),
    "velocity": Key(three, "instead of its place: velocity of its origin as seen from the parent, in its own components"),
    "spin": Key(three, "instead of its rotation: angular velocity in its own components"),
})))  # fmt: skip
_file: Final = TextSchema("a file beside this one")
_centre: Final[Keys] = {"at": Key(three, "where its centre is in the body frame")}
_along: Final[Keys] = {"axis": Key(TextSchema("axis", ("x", "y", "z"))), **_centre}
_shape: Final = _shared_schema("shape", RecordSchema("a shape", {}, {
    "bar": {"bar": Key(scalar, "thin bar: length"), **_along},
    "disc": {"disc": Key(scalar, "thin disc: radius"), **_along},
    "cylinder": {"cylinder": Key(ListOf(scalar, 2, 2, "radius and length"), "radius and length"), **_along},
    "sphere": {"sphere": Key(scalar, "solid ball: radius"), **_centre},
    "shell": {"shell": Key(scalar, "thin spherical shell: radius"), **_centre},
    "torus": {"torus": Key(ListOf(scalar, 2, 2, "radius of the ring and of its tube"), "radius of the ring and of its tube"), **_along},
    "box": {"box": Key(three, "edges along x, y, z"), **_centre},
    "solid": {
        "solid": Key(_file, "a part of a drawing, where it is drawn: .step, .stp, .glb, .gltf, .dae, .obj, .stl"),
        "part": Key(TextSchema("a part of the drawing"), "by its name, where the drawing has several"),
        "scale": Key(number, "multiplies coordinates of the drawing: 0.001 for millimetres"),
        "up": Key(TextSchema("what is up", ("z", "file")), "z: turned so that z is up, where the drawing says what is; file: as it is drawn"),
    },
}))  # fmt: skip
_inertia: Final = _shared_schema("inertia", Either("an inertia: [x, y, z] principal values, {xx: ..., yy: ..., zz: ..., xy: ..., xz: ..., yz: ...}, or 3 by 3", None,
    ListOf(Either("an entry or a row", scalar, ListOf(scalar, 3, 3, "three entries")), 3, 3, "three values or three rows"),
    RecordSchema("an inertia", {k: Key(scalar, required=k in ("xx", "yy", "zz")) for k in ("xx", "yy", "zz", "xy", "xz", "yz")})))  # fmt: skip
_counts: Final = Either(
    "a number, or a table such as {y: 4, twist: 1}", number, table=TableOf(number, "a table of motions and numbers")
)
_beam: Final = _shared_schema("beam", RecordSchema("a beam", {
    "length": Key(scalar, "along x of its frame", True), "rho_A": Key(scalar, "mass per length", True),
    "EI": Key(Either("a bending stiffness, or two, for y and z", scalar, ListOf(scalar, 2, 2, "two, for y and z")), "bending stiffness"),
    "bending": Key(TextSchema("deflections", ("y", "z", "yz")), "along which axes it is deflected"),
    "EA": Key(scalar, "stiffness in stretch"), "GJ": Key(scalar, "in torsion"), "GA": Key(scalar, "in shear"),
    "rho_I": Key(Either("inertia of sections per length, or two, for y and z", scalar, ListOf(scalar, 2, 2, "two, for y and z")), "inertia of sections per length"),
    "modes": Key(_counts, "how many shapes for each motion"), "shapes": Key(TextSchema("shapes", ("polynomials", "sines")), "polynomials by default"), "elements": Key(number, "instead: how many finite elements"),
    "ends": Key(ListOf(TextSchema("an end", ("clamped", "pinned", "free")), 2, 2, "two ends"), "how the frame is fixed to it: [clamped, free] by default"),
    "stiffening": Key(Flag(), "false drops second-order terms of its kinematics"),
    "order": Key(number, "3: bending strain to third order; 2 by default"),
    "tension": Key(scalar, "prestress"), "rayleigh": Key(ListOf(scalar, 2, 2, "[alpha, beta]"), "damping alpha M + beta K"),
    "modal_damping": Key(several, "damping ratios"),
}))  # fmt: skip
_elastic: Final = _shared_schema("elastic", RecordSchema("a body from finite elements", {
    "reduced": Key(_file, "a reduced body: .npz, .SID_FEM or .sid"),
    "matrices": Key(_file, "instead: .npz with mass, stiffness and nodes"),
    **{k: Key(_file, f"instead: a file of its {k}") for k in ("mass", "stiffness", "nodes")},
    "units": Key(ListOf(TextSchema("a unit"), 3, 3, "units of length, mass and time"), "of the data, such as [mm, t, s]"),
    "interfaces": Key(TableOf(TextSchema("kind of interface", ("rbe2", "rbe3")), "a table of node sets and rbe2 or rbe3"), "node sets that move as frames; the frame of `tip` on `arm` is called arm_tip"),
    "fixed_to": Key(Either("an interface, two for a chord, or mean", TextSchema("an interface"), ListOf(TextSchema("an interface"), 2, 2, "two interfaces")), "what its frame is fixed to"),
    "method": Key(TextSchema("method", ("craig-bampton", "free", "krylov", "balanced")), "how it is reduced"),
    "modes": Key(number, "how many modes"), "up_to": Key(number, "instead: all below a frequency in Hz"),
    "participation": Key(number, "without modes that have less part than this"), "band": Key(ListOf(number, 2, 2, "[from, to] in Hz"), "frequencies in which responses count"),
    "modal_damping": Key(several, "damping ratios"), "rayleigh": Key(ListOf(scalar, 2, 2, "[alpha, beta]"), "damping alpha M + beta K"),
}))  # fmt: skip
_moments: Final = _shared_schema("moments", RecordSchema("moments of fields", {
    "weights": Key(ListOf(scalar, 1), "h_k of s = sum of h_k s_k, the first of them 1", True),
    "first": Key(ListOf(three, 1), "integrals of s_k over the mass", True),
    "second": Key(ListOf(RecordSchema("a second moment", {"of": Key(ListOf(number, 2, 2, "two fields"), "k and l, from 0", True), "is": Key(square, "integral of s_k s_l^T over the mass", True)})), "those that are not zero", True),
    "drawn": Key(ListOf(ListOf(three, 2), 1), "lines along it, by points in its frame that move with the deformation"),
}))  # fmt: skip
body: Final = _shared_schema("body", RecordSchema("a body", {
    "beam": Key(_beam, "a beam that deforms"), "elastic": Key(_elastic, "a body from finite elements"), "moments": Key(_moments, "of a body that deforms: moments of its fields"),
    "frame": Key(frame, "frame that it is fixed to; without one, a joint places it"),
    "at": Key(point, "for a particle: the point where it is"),
    "mass": Key(scalar), "com": Key(three, "mass centre in the body frame"),
    "inertia": Key(_inertia, "about the mass centre, or about the point `about`, in the body frame"),
    "about": Key(three, "point about which the inertia is given"),
    "shape": Key(_shape, "a uniform solid, instead of com and inertia"), "density": Key(scalar, "instead of mass, with a shape"),
    "physical": Key(Flag(), "false lets an inertia pass that no whole body has"),
}))  # fmt: skip

_sides: Final = ListOf(part, 2, 2, "[parent, child]")
_MEANING: Final = meanings(JointLoads.__doc__ or "")
_common: Final[Keys] = {
    "at": Key(place, "where the joint is on the parent"), "on": Key(place, "where it is on the child"),
    "orientation": Key(Either("an orientation: turns [{z: a}] or a 3 by 3 matrix", None, ListOf(Either("a turn or a row", None, ListOf(scalar, 3, 3, "three entries"), _turn), 1, 20)), "of the child at rest in the parent"),
    "vectors": Key(ListOf(axis, 4, 4, "four vectors"), "axis in child and parent, reference in child and parent, which coincide at rest"),
    "coordinates": Key(Either("names or expressions", scalar, ListOf(scalar, 1)), "what moves the joint: names (declared where they are new) or expressions"),
    **{load: Key(of_coordinates, _MEANING[load]) for load in ("damping", "stiffness", "rest", "actuation")},
    "friction": Key(ListOf(scalar, 2, 2, "[force, speed]"), "force and the speed at which it is developed"),
    "limits": Key(ListOf(scalar, 3, 4, "[low, high, stiffness] or [low, high, stiffness, damping]"), "stops"),
}  # fmt: skip
_options: Final[dict[str, Keys]] = {
    **{k: {"axis": Key(axis, "direction, in the parent")} for k in ("revolute", "prismatic", "cylindrical", "planar")},
    "fixed": {"axis": Key(axis, "from which the conditions are counted where the joint closes a loop")},
    "screw": {"axis": Key(axis), "pitch": Key(scalar, "advance in one turn", True)},
    "universal": {"axes": Key(ListOf(axis, 2, 2, "two axes"), "of the parent, then of the child")},
    **{k: {"sequence": Key(TextSchema("a sequence"), "xyz, zxz, ..., cardan, or euler parameters")} for k in ("spherical", "free")},
}  # fmt: skip
_joint_kinds: Final[Mapping[str, Keys]] = {
    k: {k: Key(_sides if k != "free" else Either("a body, or [parent, child]", part, _sides), "parent and child"), **_common, **_options[k]} for k in KINDS
} | {
    "rolling": {
        "rolling": Key(part, "the wheel"), "radius": Key(scalar, "of the circle that touches", True), "axis": Key(axis, "of spin, in the wheel"),
        "centre": Key(three, "in the wheel"), "tube": Key(scalar, "radius of the tube of a torus"), "plane": Key(part, "frame whose plane z = 0 it rolls on"),
        "up": Key(TextSchema("direction", ("z", "-z"))), "contact": Key(point, "where it touches, if the coordinates are such that it always does"),
        "slip": Key(Flag(), "true leaves out the rolling conditions"),
    },
    "gear": {"gear": Key(ListOf(TextSchema("a joint or coordinate"), 2, 2, "two joints"), "first + ratio * second stays zero"), "ratio": Key(scalar, required=True)},
    "record": {
        "record": Key(TextSchema("a kind of joint"), "a joint whose motion is given by frames and whose conditions by constraints: only its name and sides"),
        "outer": Key(part, "frame on the parent's side", True), "inner": Key(part, "frame on the child's side", True),
        "coordinates": Key(ListOf(TextSchema("a coordinate"))), "closes_loop": Key(Flag()),
    },
}  # fmt: skip
joint: Final = _shared_schema("joint", RecordSchema("a joint", {}, _joint_kinds))

# --------------------------------------------------------------------------------------------------- loads, constraints

_action: Final = RecordSchema("an action", {}, {
    "force": {"force": Key(vector), "at": Key(point, "point at which it acts", True), "on": Key(part, "frame it acts on", True)},
    "torque": {"torque": Key(vector), "on": Key(part, "frame it acts on", True)},
})  # fmt: skip
_actions: Final = _shared_schema("actions", ListOf(_action))
_on: Final[Keys] = {
    "on": Key(part, "body or frame it acts on", True),
    "reacting": Key(part, "body or frame its reaction acts on"),
}
_spring: Final[Keys] = {"stiffness": Key(scalar), "rest": Key(scalar), "damping": Key(scalar), "actuation": Key(scalar)}
_friction: Final = _shared_schema("friction", Either("a coefficient, or a law {kinetic: ..., static: ...}", scalar, table=RecordSchema("a law of friction", {
    "kinetic": Key(scalar, "coefficient while surfaces slip", True), "static": Key(scalar, "coefficient up to which they stick"),
    "stribeck": Key(scalar, "speed over which static falls to kinetic"), "viscous": Key(scalar, "force for each unit of slip speed"),
    "stiffness": Key(scalar, "of bristles: friction is LuGre's, with a deflection as a variable; with static and stribeck"), "damping": Key(scalar, "of bristles"),
})))  # fmt: skip
_slip: Final = Key(Either("a speed, or two across each other", scalar, ListOf(scalar, 2, 2, "two speeds")), "speed along the surfaces, linear in rates")  # fmt: skip
load: Final = _shared_schema("load", RecordSchema("a load", {}, {
    "friction": {"friction": Key(_friction, "law of friction"), "slip": Key(scalar, "speed that it resists, linear in rates", True),
                 "normal": Key(scalar, "force that presses the surfaces together, such as lam_rail", True), "smooth": Key(scalar, "speed over which Coulomb's force builds up")},
    "force": {"force": Key(vector), "at": Key(place, "point of application: an expression, or [a, b, c] on the body; by default the mass centre"), **_on},
    "torque": {"torque": Key(vector), **_on},
    "spring": {"spring": Key(ListOf(point, 2, 2, "two points"), "between two points"), **_spring, "parent": Key(part, "body of the first point"), "child": Key(part, "body of the second")},
    "rotational_spring": {"rotational_spring": Key(vector, "its axis"), "angle": Key(scalar, "angle that it resists", True), **_spring,
                          "parent": Key(part, "body its reaction acts on", True), "child": Key(part, "body it acts on", True)},
    "drag": {"drag": Key(point, "where it acts"), "linear": Key(scalar), "quadratic": Key(scalar), "on": Key(part), "relative_to": Key(part)},
    "potential": {"potential": Key(scalar, "potential energy V(q, t)")},
    "generalized_force": {"generalized_force": Key(scalar, "force"), "coordinate": Key(TextSchema("a coordinate"), "on whose rate it does work", True)},
    "tyre": {"tyre": Key(point, "contact point"), "heading": Key(part, "frame: x along, y across, z load", True), "on": Key(part, "wheel", True),
             "camber": Key(scalar, "camber angle", True), "stiffness": Key(ListOf(scalar, 2, 2, "[side slip, camber]"), "for side slip and camber", True),
             "relaxation": Key(scalar, "relaxation length", True), "load": Key(scalar, "force along z of the heading")},
    "central_gravity": {"central_gravity": Key(scalar, "strength"), "centre": Key(point), "gradient": Key(Flag(), "true adds the gravity gradient")},
    "load": {"load": Key(TextSchema("a kind"), "a load by its parts: what kind it is called"), "actions": Key(_actions), "potential": Key(scalar),
             "on_rates": Key(TableOf(scalar), "forces that do work on the rates of coordinates")},
}))  # fmt: skip
_held: Final[Keys] = {
    "joint": Key(TextSchema("a name"), "joint that the condition belongs to"),
    "actions": Key(_actions, "what acts for a multiplier of one"),
}
constraint: Final = _shared_schema("constraint", RecordSchema("a constraint", {}, {
    "holonomic": {"holonomic": Key(scalar, "expression in coordinates and time that is zero"), **_held},
    "speed": {"speed": Key(scalar, "expression, linear in rates, that is zero"), **_held},
    "coincide": {"coincide": Key(ListOf(point, 2, 2, "two points"), "points that coincide"), "along": Key(part, "frame of the axes"), "axes": Key(TextSchema("axes"), "some of xyz")},
    "orthogonal": {"orthogonal": Key(ListOf(Expression(), 2, 2, "two vectors"), "directions, each fixed in its frame")},
    "prescribe": {"prescribe": Key(scalar, "expression of coordinates"), "motion": Key(scalar, "function of time that it follows", True)},
}))  # fmt: skip

# ---------------------------------------------------------------------------------------------------------- requests

_shared_symbols: Final = Either(
    "names, or a table of names there and expressions here", names.scalar, names.list, TableOf(scalar)
)
_attach: Final = _shared_schema("attached", RecordSchema("an attached part", {
    "part": Key(TextSchema("the name of a part"), "under `parts`", True), "on": Key(part, "frame or body that its ground is"),
    "share": Key(_shared_symbols, "symbols that are not copied"), "values": Key(TableOf(scalar), "of the copy's parameters"),
}))  # fmt: skip
_repeat: Final = _shared_schema("repeated", RecordSchema("a repeated part", {
    "part": Key(TextSchema("the name of a part"), "under `parts`", True), "count": Key(number, "how many copies", True),
    "on": Key(Either("a frame or body, or a list with one for each copy", part, ListOf(part, 1)), "what carries the copies; with `end` the first one"),
    "end": Key(TextSchema("the name of a frame of the part"), "on which the next copy stands: a chain"),
    "share": Key(_shared_symbols, "symbols that all copies have in common"),
    "values": Key(TableOf(Either("a value for all copies, or a list with one for each", scalar, ListOf(scalar, 1))), "of the copies' parameters"),
}))  # fmt: skip
_touching: Final[Keys] = {"radius": Key(scalar, "radius", True), "at": Key(three, "centre, in the body frame")}
_surface: Final = _shared_schema("surface", Either("a surface such as {ball: body, radius: r}, or an expression that is a point", point, table=RecordSchema("a surface", {}, {
    "half_space": {"half_space": Key(part, "body or frame of a plane"), "normal": Key(axis, "axis towards what touches it"), "at": Key(three, "a point of the plane")},
    "ball": {"ball": Key(part, "body of a ball"), **_touching, "inside": Key(Flag(), "true: hollow, touched from within")},
    "ring": {"ring": Key(part, "body of a torus, a wheel, the edge of a disc"), **_touching, "tube": Key(scalar, "radius of the tube"), "axis": Key(axis, "of the ring")},
    "tube": {"tube": Key(part, "body of a cylinder without ends"), **_touching, "axis": Key(axis, "of the cylinder"), "inside": Key(Flag(), "true: a bore, touched from within")},
    "ellipsoid": {"ellipsoid": Key(part, "body of an ellipsoid"), "half_axes": Key(three, "along the axes of the body", True), "at": Key(three, "centre, in the body frame")},
    "corners": {"corners": Key(part, "body of a box, whose corners touch one by one"), "size": Key(three, "edges; zero for a rectangle or an edge", True), "at": Key(three, "centre, in the body frame")},
})))  # fmt: skip
_meets: Final[Keys] = {
    "restitution": Key(scalar, "0: they stay together, to 1: no energy is lost"), "friction": Key(_friction, "a coefficient, or a law of friction"),
    "resists": Key(TableOf(RecordSchema("a friction under the contact force", {"slip": _slip, "friction": Key(_friction, "a coefficient times a length, where it turns", True)})),
                   "more frictions under the contact force, against rolling or spinning"),
}  # fmt: skip
_contact: Final = _shared_schema("contact", RecordSchema("a contact", {}, {
    "gap": {"gap": Key(scalar, "expression in coordinates and time, positive while surfaces are apart"), "slip": _slip, **_meets},
    "touch": {"touch": Key(ListOf(_surface, 2, 2, "two surfaces"), "two surfaces: the gap where they are nearest, and their slip there"),
              "across": Key(vector, "motion is in the plane normal to it"), **_meets},
    "normal": {"normal": Key(scalar, "of surfaces that are always together: the force between them, of either sign"),
               "slip": Key(_slip.shape, _slip.doc, True), "friction": Key(_friction, "a coefficient, or a law of friction", True)},
}))  # fmt: skip
_contacts: Final = Key(
    TableOf(_contact), "contacts that close and open, and frictions that stick and slip, in `simulate`"
)
SIMULATION_OPTIONS: Final[Mapping[str, ValueSchema]] = {  # those of `SimulationOptions` that a file can give
    "method": TextSchema("a method"), "rtol": number, "atol": number, "step": number, "order": number, "first_step": number, "max_step": number, "max_growth": number,
    "form": TextSchema("a form"), "metric": TextSchema("metric", ("mass", "unit")), "alpha": number, "beta": number, "independent": names, "project": Flag(),
    "project_stages": Flag(), "constraint_tolerance": number,
    "invariants": ListOf(Expression()), "max_steps": number, "max_memory": number, "max_size": number,
}  # fmt: skip
_MEANING_IN_MOTIONS: Final = meanings(SimulationOptions.__doc__ or "")
_simulate: Final = RecordSchema("a simulation", {
    "t": Key(Either("an end, or [begin, end]", number, ListOf(number, 2, 2, "[begin, end]")), "time: its end, or begin and end", True),
    "points": Key(number, "number of equally spaced times at which states are kept; by default those of the steps"),
    "inputs": Key(TableOf(scalar), "inputs as expressions of time and state"),
    "assemble": Key(Flag(), "true: the start is rough, and is moved onto the constraints"), "fix": Key(names, "what stays as given when the start is moved"),
    "impacts": Key(TextSchema("law of impacts", ("newton", "poisson")), "of contacts with friction"),
    **{option: Key(shape, _MEANING_IN_MOTIONS[option]) for option, shape in SIMULATION_OPTIONS.items()},
})  # fmt: skip
_steady: Final = RecordSchema("a steady motion", {
    "parameters": Key(numbers, "new parameters that the steady motion brings, such as its speed"),
    "values": Key(TableOf(scalar), "of coordinates, speeds, variables, inputs: numbers, or expressions in parameters"), "zero": Key(names), "free": Key(names), "start": Key(numbers),
    "inputs": Key(TableOf(scalar), "laws that inputs follow: the steady motion is that of the closed loop"),
})  # fmt: skip
_linearize: Final = RecordSchema("a linearisation", {
    "about": Key(Either("steady, or a table of values", TextSchema("motion", ("steady", "start")), table=numbers), "steady, start, or values of the state"),
    "independent": Key(names), "drop": Key(names, "states to leave out, or cyclic"),
    "inputs": Key(TableOf(scalar), "laws that inputs follow, which close the loop; those of `steady` need not be repeated"),
    "moving": Key(Flag(), "true where the point is one of a motion that is not steady"),
})  # fmt: skip
_range: Final = ListOf(number, 2, 3, "[from, to] or [from, to, points]")
_eig: Final = RecordSchema("an analysis of eigenvalues", {"vary": Key(TableOf(_range), "one or two parameters: [from, to] or [from, to, points]"), "values": Key(numbers)})  # fmt: skip
_branch: Final = RecordSchema("branches of steady motions", {
    "vary": Key(TableOf(ListOf(number, 2, 2, "[from, to]")), "what is varied, [from, to]; of two, folds and Hopf points are followed over both", True),
    "show": Key(names, "what is drawn"), "connected": Key(Flag(), "false: not the branches that cross, which are followed too by default"),
    "values": Key(numbers),
})  # fmt: skip
_orbit: Final = RecordSchema("a periodic motion", {
    "period": Key(scalar, (
            "of what drives the model, or about that of the orbit through the start: a number, or an expression in "
            "parameters")),
    "settle": Key(number, "simulate from the start for so long; the last round is the guess"),
    "hopf": Key(number, "begin at this Hopf point of the branches, counted from 0"),
    "mirror": Key(names, "coordinates that change their sign in half a period"),
    "vary": Key(TableOf(ListOf(number, 2, 2, "[from, to]")), "a parameter or a conserved quantity: a family of orbits"),
    "show": Key(names, "what is drawn"), "generations": Key(number, "of families that begin at period doublings of others (1)"), "values": Key(numbers),
})  # fmt: skip
_frf: Final = ListOf(RecordSchema("a frequency response", {
    "input": Key(TextSchema("an input"), required=True), "output": Key(TextSchema("an output or a variable"), required=True),
    "hertz": Key(_range, "frequencies"), "values": Key(numbers),
}))  # fmt: skip
_end: Final = Expression("a number (a range with one end is written {low: a} or {high: b})")
_limits: Final = _shared_schema("limits", Either("a number, [low, high], or {low: a} or {high: b}", number, ListOf(_end, 2, 2, "[low, high]"), RecordSchema("a range", {
    "low": Key(number), "high": Key(number),
})))  # fmt: skip
_ranges: Final = TableOf(_limits, "a table of names and ranges")
_weight: Final = Key(number, "factor in the sum of all costs (1)")
_phase: Final = RecordSchema("a phase", {
    "duration": Key(_limits, "in s: a number, or the range of a free one", True),
    "start": Key(_ranges, "values or ranges at the start"), "end": Key(_ranges, "values or ranges at the end"),
    "bounds": Key(_ranges, "ranges of states, inputs and multipliers (lam_...) at all times"), "rates": Key(_ranges, "ranges of rates of inputs"),
    "path": Key(TableOf(RecordSchema("a path constraint", {"of": Key(scalar, "what is in a range", True), "value": Key(_limits, "its range", True)})), "expressions in ranges at all times"),
    "conditions": Key(TableOf(RecordSchema("a condition", {
        "of": Key(scalar, "what has a value", True), "value": Key(_limits, "its value or range (0)"), "at": Key(TextSchema("an end", ("start", "end")), "start or end (end)"),
    })), "expressions with values at an end"),
    "costs": Key(TableOf(RecordSchema("a cost", {}, {
        "integral": {"integral": Key(scalar, "integrand"), "weight": _weight}, "start": {"start": Key(scalar, "value at the start"), "weight": _weight},
        "end": {"end": Key(scalar, "value at the end"), "weight": _weight},
    })), "terms of the cost"),
    "integrals": Key(TableOf(RecordSchema("an integral", {"of": Key(scalar, "integrand", True), "value": Key(_limits, "its value or range", True)})), "integrals over the phase with values: a length, an amount of fuel"),
    "complementary": Key(TableOf(ListOf(scalar, 2, 2, "[first, second]")), "pairs of nonnegative quantities of which one is zero: a contact force and its gap"),
    "avoid": Key(TableOf(RecordSchema("an obstacle", {
        "point": Key(ListOf(scalar, 2, 3, "two or three components"), "what keeps away", True), "centre": Key(ListOf(scalar, 2, 3, "two or three components"), "of the obstacle", True), "radius": Key(number, "of the cylinder (two components) or ball (three)", True),
    })), "obstacles"),
    "track": Key(TableOf(RecordSchema("a tracked measurement", {"of": Key(scalar, "what is measured", True), "weight": _weight}, {
        "values": {"values": Key(ListOf(number, 2), "measured values"), "times": Key(ListOf(number, 2), "their times, which increase", True)},
        "file": {"file": Key(_file, "a table (.csv) beside this one, with times in its column t"), "column": Key(TextSchema("a column"), "of the measured values", True)},
    })), "costs ∫ (of - measured)² dt"),
    "guess": Key(TableOf(Either("a number, or numbers at equal distances", number, ListOf(number, 1))), "near which the search begins; also `duration`"),
    "mode": Key(TextSchema("a mode"), "of `contacts` that hold in this phase: free, or their names"), "impact": Key(Flag(), "true: it begins with an impact of these contacts"),
})  # fmt: skip
_motion: Final = RecordSchema("a best motion", {
    "phases": Key(TableOf(_phase), "parts of the motion, one after the other", True), "choose": Key(_ranges, "parameters to be chosen with the motion"),
    "periodic": Key(RecordSchema("a repetition", {
        "free": Key(names, "states that do not repeat"), "flip": Key(names, "states that change sign"), "swap": Key(TableOf(TextSchema("a state")), "states that change places"),
        "impact": Key(Flag(), "true: with an impact of the contacts of the first phase, as a step ends"),
    }), "the motion ends as it begins"),
    "intervals": Key(number, "of each phase (20)"), "method": Key(TextSchema("a transcription", ("trapezoidal", "hermite-simpson", "radau", "shooting"))),
    "degree": Key(number, "of Radau's polynomials (3)"), "accuracy": Key(number, "largest error of an interval, by refinement"),
})  # fmt: skip
colour: Final = TextSchema("a colour: a name, or #rrggbb")
_drawn: Final = _shared_schema("drawn", RecordSchema("a shape to draw", {
    "on": Key(part, "body or frame it is fixed to", True), "at": Key(three, "where its centre is there"),
    "rotation": Key(rotation, "how it is turned there"), "colour": Key(colour), "opacity": Key(number),
}, {
    "box": {"box": Key(three, "edges along x, y, z")},
    "cylinder": {"cylinder": Key(ListOf(scalar, 2, 2, "radius and length"), "radius and length, along z")},
    "cone": {"cone": Key(ListOf(scalar, 2, 2, "radius and height"), "radius and height, along z")},
    "sphere": {"sphere": Key(scalar, "radius")},
    "torus": {"torus": Key(ListOf(scalar, 2, 2, "radius and tube"), "radius and radius of the tube, about z")},
    "line": {"line": Key(ListOf(three, 2), "points in the frame"), "width": Key(number)},
    "mesh": {"mesh": Key(TextSchema("a file"), "file beside the model file"), "scale": Key(Either("a number or three", scalar, three))},
}))  # fmt: skip
_draw: Final = RecordSchema("a drawing", {
    "shapes": Key(TableOf(_drawn)), "traces": Key(TableOf(RecordSchema("a trace", {"point": Key(point, "point that leaves it", True), "colour": Key(colour)}))),
    "up": Key(TextSchema("direction", ("x", "y", "z", "-x", "-y", "-z"))), "hide": Key(names, "bodies that are not drawn"),
})  # fmt: skip

_option: Final = _shared_schema("option", Either(
    "a number, true or false, a word, a list, a table of options, or a part of a kit such as {vehicles.read_tyre: car.tir}", WordSchema(),
    ListOf(Later("option", _shapes)), TableOf(Later("option", _shapes), "a table of options", True),
))  # fmt: skip
_use: Final = Either(
    "a model of a kit: vehicles.car, or {vehicles.car: {wheelbase: 2.7}}",
    TextSchema("a model of a kit"), table=TableOf(_option, "a model of a kit and its options", True),
)  # fmt: skip

_mechanism: Final[Keys] = {
    "use": Key(_use, "a model of a kit with its options, to which the rest of this file adds: vehicles.car, {vehicles.car: {wheelbase: 2.7}}"),
    **_symbols,
    "frames": Key(TableOf(_frame), "frames by name"), "bodies": Key(TableOf(body, empty=True), "bodies by name"),
    "joints": Key(TableOf(joint), "joints by name, made in this order"),
    "gravity": Key(vector, "acceleration of gravity: [a, b, c] in the ground, or a vector"),
    "loads": Key(TableOf(load)),
    "kinetic_energies": Key(TableOf(scalar), "kinetic energies K(q, q', t) written down, beside those of bodies"),
    "balances": Key(TableOf(scalar), "equations of motion written down, by speed or coordinate: M u' - f, linear in accelerations (q_ddot)"),
    "constraints": Key(TableOf(constraint)), "equations": Key(TableOf(scalar), "additional equations: expressions that are zero"),
    "outputs": Key(TableOf(Either("an expression, or a list of them", Expression(), ListOf(Either("an expression or a row", scalar, ListOf(scalar, 1)), 1)))),
    "valid_while": Key(TableOf(scalar), "expressions that are positive where the model is valid; motions end where they leave it"),
    "labels": Key(TableOf(scalar), "names for subexpressions, which printed equations and generated code then use"),
    "parts": Key(TableOf(Either("a file, or a mechanism", TextSchema("a file"), table=Later("part", _shapes))), "mechanisms to be attached, once or several times"),
    "attach": Key(TableOf(_attach), "copies of parts; the name goes before all names of the copy"),
    "repeat": Key(TableOf(_repeat), "many copies of a part; names of the first begin with the name and _0_"),
}  # fmt: skip
_head: Final[Keys] = {
    "symbody": Key(TextSchema("version", (VERSION,)), "version of this format: 1", True), "name": Key(TextSchema("a name")), "description": Key(TextSchema("a text")),
}  # fmt: skip
_requests: Final[Keys] = {
    "values": Key(numbers, "values of parameters in the analyses below, where they are not those above"),
    "start": Key(numbers, (
            "initial values of coordinates, speeds (q1_dot), variables and outputs, which are held; values that "
            "you do not give are zero, or follow from the constraints")),
    "contacts": _contacts,
    "simulate": Key(_simulate), "steady": Key(_steady), "linearize": Key(_linearize), "eig": Key(_eig), "branch": Key(_branch), "orbit": Key(_orbit), "frf": Key(_frf), "motion": Key(_motion, "solved by `symbody optimise`"), "draw": Key(_draw),
}  # fmt: skip
FILE: Final = RecordSchema("a model file", {**_head, **_mechanism, **_requests})
REQUESTS: Final = RecordSchema("analyses of a model", _requests)
_shapes["part"] = RecordSchema(
    "a part",
    {"name": Key(TextSchema("a name")), "description": Key(TextSchema("a text")), **_mechanism, "contacts": _contacts},
)


def model_schema() -> dict[str, Any]:
    """The schema of model files as JSON schema, for editors.

    >>> sorted(sb.bodies.model_schema())[:3], "joints" in sb.bodies.model_schema()["properties"]
    (['$defs', '$schema', 'additionalProperties'], True)

    See also: `read_model`.
    """
    schema = FILE.json()
    schema["properties"]["symbody"] = {"const": int(VERSION), "description": _head["symbody"].doc}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"symbody model file, version {VERSION}",
        **schema,
        "$defs": {"expression": EXPRESSION_JSON, **{name: shape.json() for name, shape in _shapes.items()}},
    }

"""Quadrants of wrapping surfaces: a path stays on one side of a cylinder or sphere, beside OpenSim 4.6 and closed forms."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest

import symbody as sb
from tests.published.numbers import published

TEXT = """<OpenSimDocument Version="40000"><Model name="pulley"><gravity>0 -9.8 0</gravity>
<BodySet><objects><Body name="arm"><mass>2</mass><mass_center>0.1 0 0</mass_center><inertia>0.1 0.1 0.1 0 0 0</inertia>
</Body></objects></BodySet>
<Ground name="ground"><WrapObjectSet name="wrapobjectset"><objects>
  <WrapCylinder name="drum"><active>true</active><xyz_body_rotation>0 0 0</xyz_body_rotation>
    <translation>0 0.1 0</translation><quadrant>QUADRANT</quadrant><radius>0.05</radius><length>1</length></WrapCylinder>
</objects></WrapObjectSet></Ground>
<JointSet><objects><PinJoint name="hinge"><socket_parent_frame>ground_offset</socket_parent_frame>
  <socket_child_frame>arm_offset</socket_child_frame>
  <coordinates><Coordinate name="angle"><default_value>0</default_value><range>-1.5 1.5</range></Coordinate></coordinates>
  <frames><PhysicalOffsetFrame name="ground_offset"><socket_parent>/ground</socket_parent><translation>0 0 0</translation>
    <orientation>0 0 0</orientation></PhysicalOffsetFrame><PhysicalOffsetFrame name="arm_offset">
    <socket_parent>/bodyset/arm</socket_parent><translation>0 0 0</translation><orientation>0 0 0</orientation>
    </PhysicalOffsetFrame></frames></PinJoint></objects></JointSet>
<ForceSet name="forceset"><objects><Thelen2003Muscle name="pull"><GeometryPath name="geometrypath"><PathPointSet><objects>
  <PathPoint name="a"><socket_parent_frame>/ground</socket_parent_frame><location>-0.2 0.02 0</location></PathPoint>
  <PathPoint name="b"><socket_parent_frame>/bodyset/arm</socket_parent_frame><location>0.2 0.05 0.03</location></PathPoint>
  </objects></PathPointSet>
  <PathWrapSet name="pathwrapset"><objects><PathWrap name="w"><wrap_object>drum</wrap_object><method>hybrid</method>
    <range>-1 -1</range></PathWrap></objects></PathWrapSet></GeometryPath>
  <max_isometric_force>1000</max_isometric_force><optimal_fiber_length>0.2</optimal_fiber_length>
  <tendon_slack_length>0.2</tendon_slack_length></Thelen2003Muscle></objects></ForceSet></Model></OpenSimDocument>"""

ANGLES = (-0.5, 0.0, 0.3, 0.6)
OPENSIM = published("opensim_quadrants")


def planar(angle: float, side: int) -> float:
    """The closed form: tangents and arc seen along the axis, and the rise across them."""
    radius, c, s = 0.05, math.cos(angle), math.sin(angle)
    a, b = (-0.2, 0.02 - 0.1), (0.2 * c - 0.05 * s, 0.2 * s + 0.05 * c - 0.1)
    turned = side * (math.atan2(a[1], a[0]) - math.atan2(b[1], b[0])) % (2 * math.pi)
    reach = [math.hypot(*p) for p in (a, b)]
    arc = turned - sum(math.acos(radius / d) for d in reach)
    straight = math.dist(a, b)
    plane = sum(math.sqrt(d * d - radius**2) for d in reach) + radius * arc if arc > 0 else straight
    return math.hypot(plane, 0.03)


@pytest.mark.parametrize("quadrant", OPENSIM)
def test_the_side_of_a_cylinder(quadrant: str) -> None:
    length = sb.read_osim(TEXT.replace("QUADRANT", quadrant)).paths["pull"].length
    for angle, other in zip(ANGLES, OPENSIM[quadrant], strict=True):
        ours = float(sb.evaluate(length, {"angle": angle}))
        assert ours == pytest.approx(planar(angle, 1 if quadrant == "y" else -1), abs=1e-14)
        assert -1e-9 < other - ours < 1e-5


def test_a_quadrant_that_is_none() -> None:
    with pytest.raises(sb.ModelError, match="<quadrant> must be all, x, -x"):
        sb.read_osim(TEXT.replace("QUADRANT", "up"))


def test_a_torus_of_a_file() -> None:
    """Through the hole of a ring: the path of `WrapTorus` between the same points."""
    ring = TEXT.replace("QUADRANT", "all").replace("WrapCylinder", "WrapTorus")
    ring = ring.replace("<radius>0.05</radius><length>1</length>", "<inner_radius>0.01</inner_radius><outer_radius>0.05</outer_radius>")  # fmt: skip
    ring = ring.replace("-0.2 0.02 0<", "-0.2 0.02 -0.1<").replace("0.2 0.05 0.03<", "0.2 0.05 0.1<")
    m = sb.read_osim(ring)
    same = sb.Model("same")
    at = same.ground.translate(0, 0.1, 0)
    ends = same.ground.point(-0.2, 0.02, -0.1), same.ground.point(0.2, 0.05, 0.1)
    wanted = same.path("pull", [ends[0], sb.bodies.WrapTorus(at, 0.05, 0.01), ends[1]]).length
    found = float(sb.evaluate(m.paths["pull"].length, {"angle": 0.0}))
    assert found == pytest.approx(float(sb.evaluate(wanted)), abs=1e-14)
    assert found > math.dist((-0.2, 0.02, -0.1), (0.2, 0.05, 0.1)) + 1e-4


def test_an_ellipsoid_of_a_file() -> None:
    """Beside OpenSim 4.6, whose path is a plane section too, near the shortest one; moment arms by its own solver."""
    known = published("opensim_ellipsoid")
    solid = TEXT.replace("QUADRANT", "all").replace("WrapCylinder", "WrapEllipsoid")
    m = sb.read_osim(
        solid.replace("<radius>0.05</radius><length>1</length>", "<dimensions>0.05 0.04 0.08</dimensions>")
    )
    length = m.paths["pull"].length
    arm = -sb.derivative(length, m.symbols["angle"])
    for angle, other, other_arm in zip(ANGLES, known["length"], known["arm"], strict=True):
        ours, arms = (float(sb.evaluate(e, {"angle": angle})) for e in (length, arm))
        assert ours == pytest.approx(other, abs=5e-6)
        assert arms == pytest.approx(other_arm, abs=4e-4)


def test_two_cylinders_of_a_file() -> None:
    """In the order along the path, whatever that of the file; the report does not leave one out."""
    second = '<WrapCylinder name="second"><translation>0.1 0.1 0</translation><quadrant>y</quadrant><radius>0.04</radius></WrapCylinder>'
    also = '<PathWrap name="v"><wrap_object>second</wrap_object><range>-1 -1</range></PathWrap>'
    text = TEXT.replace("QUADRANT", "y").replace('<WrapCylinder name="drum">', second + '<WrapCylinder name="drum">')
    text = text.replace('<PathWrap name="w">', also + '<PathWrap name="w">').replace(
        "<location>0.2 0.05 0.03", "<location>0.3 0.02 0"
    )
    m = sb.read_osim(text)
    assert "without" not in str(m.report)
    centres, radii = ((0.0, 0.1), (0.1, 0.1)), (0.05, 0.04)
    angles = [2 * math.pi * k / 20000 for k in range(20000)]
    round_both = [(c[0] + r * math.cos(a), c[1] + r * math.sin(a)) for c, r in zip(centres, radii, strict=True) for a in angles]  # fmt: skip
    assert float(sb.evaluate(m.paths["pull"].length, {"angle": 0.0})) == pytest.approx(upper_hull(round_both, (-0.2, 0.02), (0.3, 0.02)), abs=1e-7)  # fmt: skip


def upper_hull(points: list[tuple[float, float]], a: tuple[float, float], b: tuple[float, float]) -> float:
    """Length of the string over all points from a on the left to b on the right."""
    chain: list[tuple[float, float]] = []
    for p in sorted([*(x for x in points if a[0] < x[0] < b[0]), a, b]):
        while len(chain) > 1 and (chain[-1][0] - chain[-2][0]) * (p[1] - chain[-2][1]) >= (chain[-1][1] - chain[-2][1]) * (p[0] - chain[-2][0]):  # fmt: skip
            chain.pop()
        chain.append(p)
    return sum(math.dist(p, q) for p, q in pairwise(chain))

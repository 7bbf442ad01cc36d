"""Paths: muscles of OpenSim's arm26 that need no ellipsoid, tensions as virtual work, continuity where a path comes off
its surface, points that switch."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

import symbody as sb
from symbody.bodies import LinePath, ViaPoint, WrapCylinder, WrapRing, WrapSphere

OPENSIM = {  # (shoulder, elbow) -> length, moment arms about shoulder and elbow, by OpenSim 4.6
    (0.3, 1.0): {
        "TRIlat": (0.1897727786472731, 0, -0.021586396946686903),
        "TRImed": (0.17740058212823256, 0, -0.021586396946686903),
        "BRA": (0.1336315759069684, 0, 0.015991501107813895),
        "BICshort": (0.31675425274506225, -0.009863624327174109, 0.03946241889587176),
    },
    (-0.5, 0.1): {
        "TRIlat": (0.16873690178463072, 0, -0.02223037410993652),
        "TRImed": (0.15636470526559018, 0, -0.02223037410993652),
        "BRA": (0.1458635650777162, 0, 0.01478895275000921),
        "BICshort": (0.3501790427488421, 0.028161732106703048, 0.012779004692822163),
    },
    (1.0, 2.0): {
        "TRIlat": (0.2098194552307027, 0, -0.01981467163457092),
        "TRImed": (0.1974472587116621, 0, -0.01981467163457092),
        "BRA": (0.11222931302024065, 0, 0.023870990169745507),
        "BICshort": (0.2868048447809027, -0.03228527752160632, 0.0474575836775588),
    },
}


@pytest.fixture(scope="module")
def arm() -> tuple[sb.Model, dict[str, LinePath]]:
    """Holzbaur's arm with two joints (Models/Arm26 of opensim-models): bones, the cylinder TRI, and four of its six
    muscles."""
    m = sb.Model("arm26")
    h = m.body("humerus", mass=1.864572, com=(0, -0.180496, 0), inertia=(0.01481, 0.004551, 0.013193))
    u = m.body("ulna", mass=1.534315, com=(0, -0.181479, 0), inertia=(0.019281, 0.001571, 0.020062))
    m.revolute("shoulder", m.ground, h, (-0.05889802, 0.0023, 0.99826136), at=(-0.017545, -0.007, 0.17))
    m.revolute("elbow", h, u, (0.04940001, 0.03660001, 0.99810825), at=(0.0061, -0.2904, -0.0123))
    m.gravity(0, -9.8066, 0)
    axis = h.frame.translate(0.0028, -0.2919, -0.0069).rotate("xyz", -0.14015, -0.00628319, 0.154985)
    tri = WrapCylinder(axis, 0.016)
    H, U, G = h.point, u.point, m.ground.point
    end = (H(-0.03184, -0.22637, -0.01217), H(-0.01743, -0.26757, -0.01208), tri, U(-0.0219, 0.01046, -0.00078))
    stations = {
        "TRIlat": (H(-0.00599, -0.12646, 0.00428), H(-0.02344, -0.14528, 0.00928), *end),
        "TRImed": (H(-0.00838, -0.13695, -0.00906), H(-0.02601, -0.15139, -0.0108), *end),
        "BRA": (H(0.0068, -0.1739, -0.0036), tri, U(-0.0032, -0.0239, 0.0009)),
        "BICshort": (
            G(0.004675, -0.01231, 0.13475), G(-0.007075, -0.04004, 0.14507), H(0.01117, -0.07576, -0.01101),
            H(0.01703, -0.12125, -0.01079), H(0.0228, -0.1754, -0.0063), U(0.00751, -0.04839, 0.02179),
        ),
    }  # fmt: skip
    paths = {n: m.path(n, s) for n, s in stations.items()}
    for n, p in paths.items():
        m.tension(n, p, m.input(f"T_{n}"))
    return m, paths


@pytest.mark.parametrize("place", OPENSIM, ids=str)
def test_muscles_of_arm26(arm: tuple[sb.Model, dict[str, LinePath]], place: tuple[float, float]) -> None:
    """Lengths and moment arms to the digits of OpenSim where its search for tangent points ends on the shortest path;
    elsewhere its path is a little longer than ours."""
    m, paths = arm
    q = [m.symbols["shoulder"], m.symbols["elbow"]]
    values = dict(zip(q, place, strict=True))
    for name, (length, *arms) in OPENSIM[place].items():
        l = paths[name].length
        ours = float(sb.evaluate(l, values))
        assert -1e-9 < length - ours < 2e-5
        if place == (0.3, 1.0) or name == "BICshort":
            assert ours == pytest.approx(length, abs=1e-8)
            found = [-float(sb.evaluate(sb.derivative(l, x), values)) for x in q]
            assert found == pytest.approx(arms, abs=1e-8)


def test_tension_does_virtual_work(arm: tuple[sb.Model, dict[str, LinePath]]) -> None:
    """Forces on all bodies together: the generalised force of a tension of one is -∂l/∂q."""
    m, paths = arm
    eq = sb.derive(m)
    values = {**dict.fromkeys(eq.u, 0.0), eq.q[0]: 0.4, eq.q[1]: 1.3}
    B = np.array(sb.evaluate(sb.jacobian(eq.f, eq.r), values), dtype=float)
    for k, path in enumerate(paths.values()):
        slopes = [-float(sb.evaluate(sb.derivative(path.length, q), values)) for q in eq.q]
        assert B[:, k] == pytest.approx(slopes, abs=1e-14)


@pytest.mark.parametrize("kind", ["sphere", "cylinder"])
def test_path_over_a_surface(kind: str) -> None:
    """A rope over a ball or a roller, from a point that moves: lengths in closed form, once differentiable where it
    comes off."""
    m = sb.Model("rope")
    y = m.coordinate("y")
    R = 0.5
    wrap = WrapSphere(m.ground, R) if kind == "sphere" else WrapCylinder(m.ground, R, side=-1)
    moving = m.frame("end", m.ground.translate(2, y, 0))
    path = m.path("rope", [m.ground.point(-2, 0.1, 0), wrap, moving.origin])

    def at(value: float) -> tuple[float, float]:
        slope = sb.derivative(path.length, y)
        return float(sb.evaluate(path.length, {y: value})), float(sb.evaluate(slope, {y: value}))

    d = math.hypot(2, 0.1)
    touching = 2 * math.sqrt(d * d - R * R) + R * (2 * math.atan2(2, 0.1) - 2 * math.acos(R / d))
    assert at(0.1)[0] == pytest.approx(touching, rel=1e-14)
    assert at(3.0)[0] == pytest.approx(math.hypot(4, 2.9), rel=1e-15)  # passes above it
    low, high = 0.1, 3.0
    for _ in range(60):  # where it comes off
        middle = (low + high) / 2
        wraps = abs(at(middle)[0] - math.hypot(4, middle - 0.1)) > 0
        low, high = (middle, high) if wraps else (low, middle)
    (l0, s0), (l1, s1) = at(low - 1e-6), at(high + 1e-6)
    assert l1 - l0 == pytest.approx((s0 + s1) / 2 * (high - low + 2e-6), abs=1e-12)
    assert s0 == pytest.approx(s1, abs=1e-5)


@pytest.fixture(scope="module")
def eyelet() -> tuple[sb.Model, LinePath]:
    """A string through a ring that moves and turns, between a fixed point and one that moves."""
    m = sb.Model("eyelet")
    x, y, z, a, b = m.coordinates("x y z a b")
    ring = m.body("ring", m.ground.translate(0, 0.1, z).rotate("x", a).rotate("y", b), mass=1.0, inertia=(1, 1, 1))
    end = m.body("end", m.ground.translate(x, y, -1.0), mass=1.0)
    path = m.path("string", [m.ground.point(0.3, 0.2, 1.5), WrapRing(ring.frame, 0.5), end.frame.origin])
    m.tension("string", path, m.input("T"))
    return m, path


@pytest.mark.parametrize("seed", range(6))
def test_path_through_a_ring_is_the_shortest_one(eyelet: tuple[sb.Model, LinePath], seed: int) -> None:
    m, path = eyelet
    rng = np.random.default_rng(seed)
    coordinates = m.symbols_of_kind("coordinate")
    values = dict(zip(coordinates, (*rng.uniform(-3, 3, 2), *rng.uniform(-0.3, 0.3, 3)), strict=True))
    ring = m.bodies["ring"].frame
    ends = [np.ravel(np.array(sb.evaluate((p - ring.origin).components(ring), values), dtype=float)) for p in (m.ground.point(0.3, 0.2, 1.5), m.bodies["end"].frame.origin)]  # fmt: skip
    share = abs(ends[0][2]) / (abs(ends[0][2]) + abs(ends[1][2]))
    crossing = ends[0] + share * (ends[1] - ends[0])

    def bent(angle: float) -> float:
        c = 0.5 * np.array([np.cos(angle), np.sin(angle), 0])
        return float(sum(np.linalg.norm(p - c) for p in ends))

    least = min(minimize_scalar(bent, bounds=(k, k + 1.0), method="bounded", options={"xatol": 1e-12}).fun for k in np.arange(-np.pi, np.pi, 0.9))  # fmt: skip
    expected = least if np.hypot(*crossing[:2]) > 0.5 else float(np.linalg.norm(ends[0] - ends[1]))
    assert float(sb.evaluate(path.length, values)) == pytest.approx(expected, abs=1e-12)


def test_tension_through_a_ring_does_virtual_work(eyelet: tuple[sb.Model, LinePath]) -> None:
    """Forces on the ring and on the end together are -∂l/∂q."""
    m, path = eyelet
    eq = sb.derive(m)
    values = {**dict.fromkeys(eq.u, 0.0), **dict(zip(eq.q, (2.0, -1.0, 0.1, 0.2, -0.1), strict=True))}
    pushed = np.ravel(np.array(sb.evaluate(sb.jacobian(eq.f, eq.r), values), dtype=float))
    slopes = [-float(sb.evaluate(sb.derivative(path.length, q), values)) for q in eq.q]
    assert pushed == pytest.approx(slopes, abs=1e-12)
    assert abs(np.array(slopes)).min() > 1e-3


def test_path_through_the_centre_of_a_ring() -> None:
    """Along the axis no point of the ring is nearest; and in the plane of the ring nothing crosses it."""
    m = sb.Model("axis")
    z = m.coordinate("z")
    fixed = m.path("fixed", [m.ground.point(0, 0, 1), WrapRing(m.ground, 0.5), m.ground.point(0, 0, -2)])
    assert fixed.length.value == 3
    flat = m.path("flat", [m.ground.point(0.2, 0, 0), WrapRing(m.ground, 0.5), m.ground.point(2, 0, 0)])
    assert float(sb.evaluate(flat.length)) == pytest.approx(1.8, rel=1e-15)
    path = m.path("moving", [m.ground.point(0, 0, 1), WrapRing(m.ground, 0.5), m.ground.translate(0, 0, -z).origin])
    m.body("end", m.ground.translate(0, 0, -z), mass=1.0)
    m.tension("moving", path, 5)
    assert sb.evaluate([path.length, path.rate], {z: 2.0, z.dot: 0.5}) == pytest.approx([3.0, 0.5], rel=1e-15)
    assert sb.evaluate(sb.derive(m).f, {z: 2.0}) == pytest.approx([-5.0], rel=1e-15)


def test_via_point_that_switches() -> None:
    m = sb.Model("switch")
    q = m.coordinate("q")
    tip = m.frame("arm", m.ground.rotate("z", q)).point(1, 0, 0)
    path = m.path("string", [m.ground.point(0, -1, 0), ViaPoint(m.ground.point(2, 0, 0), q > 0.5), tip])
    through = math.sqrt(5) + math.hypot(2 - math.cos(0.8), math.sin(0.8))
    assert float(sb.evaluate(path.length, {q: 0.8})) == pytest.approx(through, rel=1e-15)
    straight = math.hypot(math.cos(0.2), math.sin(0.2) + 1)
    assert float(sb.evaluate(path.length, {q: 0.2})) == pytest.approx(straight, rel=1e-15)


def test_tension_can_be_asked() -> None:
    """Length, rate, tension, energy; its power is what it gives to the bodies."""
    m = sb.Model("pulley")
    x = m.coordinate("x")
    weight = m.frame("weight", m.ground.translate(0, 0, -x))
    m.body("weight", weight, mass=2.0)
    rope = m.path("rope", [m.ground.point(1, 0, 0), m.ground.point(0, 0, 0), weight.origin])
    stretch = rope.length - 1.2
    pull = m.tension("pull", rope, 30 * stretch + 2 * rope.rate, potential=15 * stretch**2)
    s = {x: 0.5, x.dot: 0.3}
    T = 30 * 0.3 + 2 * 0.3
    found = sb.evaluate([pull.length, pull.rate, pull.tension, pull.energy, pull.power], s)
    assert found == pytest.approx([1.5, 0.3, T, 15 * 0.09, -0.3 * T], rel=1e-14)
    eq = sb.derive(m)
    assert float(np.ravel(sb.evaluate(eq.f, s))[0]) == pytest.approx(-T, rel=1e-14)


def test_what_is_no_path() -> None:
    m = sb.Model("none")
    a = m.ground.point(1, 0, 0)
    with pytest.raises(sb.ModelError, match="begins and ends with a point"):
        m.path("p", [WrapSphere(m.ground, 1), a])
    with pytest.raises(sb.ModelError, match="between two of them over one"):
        m.path("p", [a, WrapSphere(m.ground, 1), WrapSphere(m.ground, 1), a])
    with pytest.raises(sb.ModelError, match=r"expected a path made by m\.path"):
        m.tension("t", a, 1)  # type: ignore[arg-type]

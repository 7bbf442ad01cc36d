"""Paths over two cylinders between the same points: the taut string in closed form and in space, forces that do the work
of the length, and cylinders that come off."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import minimize

import symbody as sb
from symbody.bodies import WrapCylinder

R1, R2, APART = 0.025, 0.055, 0.065


def planar(a: tuple[float, float], b: tuple[float, float]) -> float:
    """From a over both circles to b, on the side of negative x; both touched. Centres at 0 and (0, -APART)."""
    touch = math.acos(
        (R1 - R2) / APART
    )  # angle of the common tangent's normal from the line of centres, at both circles
    at = -math.pi / 2 - touch
    first = math.atan2(a[1], a[0]) + math.acos(R1 / math.hypot(*a))
    below = (b[0], b[1] + APART)
    last = math.atan2(below[1], below[0]) - math.acos(R2 / math.hypot(*below))
    arcs = [(at - first) % (2 * math.pi), (last - at) % (2 * math.pi)]
    straight = math.sqrt(APART**2 - (R1 - R2) ** 2)
    ends = math.sqrt(math.hypot(*a) ** 2 - R1**2), math.sqrt(math.hypot(*below) ** 2 - R2**2)
    return sum(ends) + straight + R1 * arcs[0] + R2 * arcs[1]


@pytest.fixture(scope="module")
def knee() -> tuple[sb.Model, sb.bodies.LinePath]:
    """Two cylinders on two bodies, between two more: everything moves."""
    m = sb.Model("knee")
    x = {n: m.coordinate(n) for n in ("ax", "ay", "az", "flex", "tilt", "bx", "by", "bz")}
    a = m.body("a", m.ground.translate(x["ax"], x["ay"], x["az"]), mass=1.0)
    shank = m.body("shank", m.ground.rotate("z", x["flex"]).rotate("y", x["tilt"]), mass=1.0, inertia=(1, 1, 1))
    b = m.body("b", shank.frame.translate(x["bx"], x["by"], x["bz"]), mass=1.0)
    below = shank.frame.translate(0, -APART, 0)
    over = WrapCylinder(m.ground, R1), WrapCylinder(below, R2, beside=below.point(-1, 0, 0))
    path = m.path("gastrocnemius", [a.frame.origin, *over, b.frame.origin])
    m.tension("pull", path, m.input("T"))
    return m, path


REST = {"ax": 0.01, "ay": 0.04, "az": 0.0, "bx": -0.03, "by": -0.4, "bz": 0.0, "flex": 0.0, "tilt": 0.0}
POSES = (
    REST,
    REST | {"az": 0.02, "bz": -0.03},
    REST | {"flex": -0.3, "tilt": 0.2, "bz": 0.02},
    REST | {"flex": 0.2, "tilt": -0.1, "az": -0.01, "bx": -0.06},
)


def test_circles_in_a_plane(knee: tuple[sb.Model, sb.bodies.LinePath]) -> None:
    for dx, by in ((0.0, -0.4), (-0.005, -0.3), (0.01, -0.5)):
        found = sb.evaluate(knee[1].length, REST | {"ax": 0.01 + dx, "by": by})
        assert found == pytest.approx(planar((0.01 + dx, 0.04), (-0.03, by)), abs=1e-14)
    risen = sb.evaluate(knee[1].length, REST | {"az": 0.05})  # parallel axes: all of it rises alike
    assert risen == pytest.approx(math.hypot(planar((0.01, 0.04), (-0.03, -0.4)), 0.05), abs=1e-14)


@pytest.mark.parametrize("pose", POSES)
def test_no_shorter_string(knee: tuple[sb.Model, sb.bodies.LinePath], pose: dict[str, float]) -> None:
    """Beside the minimum over the tangent points of the straight part, by another search: the helices' exact lengths."""
    path = knee[1]
    both = path.pieces[0].first  # type: ignore[attr-defined]
    tau, z = sb.symbols("tau z")
    total = sum((p.length for p in both.at(tau, z)), sb.algebra.as_expr(0))
    left = [s for s in sb.free_symbols(total) if s.name in pose]
    f = sb.compile(sb.program("f", {"x": [tau, z], "q": left}, {"l": total}))
    q = [pose[s.name] for s in left]
    found = minimize(lambda x: f(x, q), [-0.05, 0.0], method="Nelder-Mead", options={"xatol": 1e-10, "fatol": 1e-15})
    assert found.success
    assert float(sb.evaluate(path.length, pose)) == pytest.approx(found.fun, abs=1e-12)


@pytest.mark.parametrize("pose", POSES)
def test_forces_do_the_work_of_the_length(knee: tuple[sb.Model, sb.bodies.LinePath], pose: dict[str, float]) -> None:
    m, path = knee
    eq = sb.derive(m)
    values = dict(pose) | {"T": 1.0} | {u.name: 0.0 for u in eq.u}
    pull = np.ravel(np.array(sb.evaluate(sb.derivation.generalized_force(eq, "pull"), values), dtype=float))
    for k, q in enumerate(eq.q):
        up, down = (float(sb.evaluate(path.length, pose | {q.name: pose[q.name] + d})) for d in (1e-5, -1e-5))
        assert pull[k] == pytest.approx((down - up) / 2e-5, abs=2e-7)
        by_rate = float(sb.evaluate(path.rate, values | {q.dot.name: 1.0}))
        assert by_rate == pytest.approx(-pull[k], abs=1e-12)


def test_cylinders_come_off_without_a_jump(knee: tuple[sb.Model, sb.bodies.LinePath]) -> None:
    """From both touched to none, and to an end beyond the plane between them."""
    m, path = knee
    for name, values in (("bx", np.linspace(-0.03, -0.5, 200)), ("flex", np.linspace(0, -2.2, 300))):
        f = sb.compile(sb.program("f", {"x": m.symbols[name]}, {"l": sb.substitute(path.length, {m.symbols[k]: v for k, v in REST.items() if k != name})}))  # fmt: skip
        lengths = np.array([f(x) for x in values])
        steps = np.abs(np.diff(lengths))
        assert steps.max() < 3 * np.median(steps) + 1e-9
    far = REST | {"ax": -0.03, "bx": -0.5}
    assert sb.evaluate(path.length, far) == pytest.approx(math.hypot(0.47, 0.44), abs=1e-14)


def test_what_may_stand_between_points() -> None:
    m = sb.Model("m")
    a, b, w = m.ground.point(1, 0, 0), m.ground.point(-1, 0, 0), WrapCylinder(m.ground, 0.1)
    for wrong in ([w, w, w], [w, sb.bodies.WrapSphere(m.ground, 0.1)], [w, WrapCylinder(m.ground, 0.1, through=True)]):
        with pytest.raises(sb.ModelError, match="over two WrapCylinders"):
            m.path("p", [a, *wrong, b])

"""Contacts with Coulomb friction against closed forms and published numbers."""

from dataclasses import dataclass

import numpy as np
import pytest

import symbody as sb
from symbody.integrate.complementarity.contact_problem import Cone, ContactProblem
from symbody.integrate.complementarity.contact_solvers import solutions
from symbody.integrate.complementarity.friction_feedback import friction_feedback

g = 9.81


def oscillator(*frictions: sb.Friction) -> sb.Contacts:
    m = sb.Model("oscillator")
    s = m.coordinate("s")
    m.particle("block", m.ground.translate(s, 0, 0).origin, mass=1)
    m.potential("spring", s**2 / 2)
    return sb.Contacts(sb.derive(m), *frictions)


S = sb.symbol("s", "coordinate")


@dataclass(frozen=True)
class Hyperbola:
    """F = Fs / (1 + δ |v|) (Leine, van Campen, de Kraker, van den Steen 1998)."""

    delta: float

    @property
    def sticking(self) -> sb.Expr:
        return sb.symbol("one", "parameter") * 0 + 1

    damping = 0

    def coefficient(self, v: sb.Expr) -> sb.Expr:
        return 1 / (1 + self.delta * abs(v))


def test_belt_has_the_period_of_its_closed_form() -> None:
    """T = (2/ω)(π - atan(ω A / v)) + 2 A / v,  A = (Fs - Fk)/k: 8.902605407815."""
    belt = oscillator(sb.Friction("belt", S.dot - 0.2, sb.Coulomb(0.5, static=1.0), normal=1.0))
    sim = sb.simulate_modes(belt, 40, s_dot=0.2, rtol=1e-12)
    A, v = 0.5, 0.2
    T = 2 * (np.pi - np.arctan(A / v)) + 2 * A / v
    found = np.diff([e.t for e in sim.events if e.name == "belt sticks"])
    assert abs(T - 8.902605407815) < 1e-12
    assert len(found) == 4
    assert np.abs(found - T).max() < 1e-9


def test_belt_with_a_falling_curve_has_the_period_of_an_independent_integration() -> None:
    """Slip 4.2959995, T = 12.0010313, extremes 1.13394468 and -0.55543269 (SciPy, DOP853 at 1e-13)."""
    belt = oscillator(sb.Friction("belt", S.dot - 0.2, Hyperbola(3.0), normal=1.0))
    turns = [sb.Event("top", S.dot, "falling"), sb.Event("bottom", S.dot, "rising")]
    sim = sb.simulate_modes(belt, 40, s_dot=0.2, rtol=1e-11, events=turns)
    stick = [e.t for e in sim.events if e.name == "belt sticks"]
    slip = [e.t for e in sim.events if e.name.startswith("belt slips")]
    assert abs(stick[3] - stick[2] - 12.0010313) < 1e-7
    assert abs(stick[3] - slip[2] - 4.2959995) < 1e-7
    top, bottom = ([e.after[0] for e in sim.events if e.name == name][-1] for name in ("top", "bottom"))
    assert abs(top - 1.13394468) < 1e-7
    assert abs(bottom + 0.55543269) < 1e-7


def test_dry_oscillator_loses_a_fixed_amplitude() -> None:
    """The amplitude falls by 2F/k in every half cycle until |x| <= F/k, where it stays."""
    sim = sb.simulate_modes(oscillator(sb.Friction("dry", S.dot, 0.7, normal=1.0)), 30, s=5.0)
    turns = [e.after[0] for e in sim.events if e.name.startswith("dry slips")]
    assert np.allclose(np.abs(turns), [5.0, 3.6, 2.2, 0.8], atol=1e-7)
    assert abs(sim["s"][-1] + 0.6) < 1e-7
    assert sim.mode[-1] == "dry sticks"


@pytest.fixture(scope="module")
def incline() -> tuple[sb.Equations, sb.Expr, sb.Expr]:
    m = sb.Model("incline")
    x, y = m.coordinates("x y")
    b = m.parameter("b", 0.3)
    m.gravity(-g * sb.sin(b), -g * sb.cos(b), 0)
    m.particle("block", m.ground.translate(x, y, 0).origin, mass=2.0)
    return sb.derive(m), x, y


@pytest.mark.parametrize("mu", [0.2, 0.5])
def test_block_thrown_up_an_incline(incline: tuple[sb.Equations, sb.Symbol, sb.Symbol], mu: float) -> None:
    """It stops at v²/(2g(sin b + μ cos b)), and stays there iff μ >= tan b; friction forces come with it."""
    eq, x, y = incline
    sim = sb.simulate_modes(sb.Contacts(eq, sb.Contact("floor", y, friction=mu, slip=x.dot)), 2, x_dot=3.0)
    assert abs(sim["x"].max() - 9 / (2 * g * (np.sin(0.3) + mu * np.cos(0.3)))) < 1e-9
    sticks = mu >= np.tan(0.3)
    assert sim.mode[-1] == ("floor sticks" if sticks else "floor slips backwards")
    held = 2 * g * np.sin(0.3) if sticks else mu * 2 * g * np.cos(0.3)
    assert abs(sim["lam_floor_friction"][-1] - held) < 1e-9
    lost = sim.pieces[-1].load_powers.get("floor friction") if not sticks else None
    assert lost is None or (lost <= 1e-12).all()


@pytest.mark.parametrize(("vx", "w"), [(1.0, 0.0), (6.0, 0.0), (2.0, 30.0)])
@pytest.mark.parametrize("impacts", ["newton", "poisson"])
def test_ball_with_spin_bounces(vx: float, w: float, impacts: str) -> None:
    """It sticks iff μ(1+e)|vn| >= 2/7 |vt|: then vx' = (5 vx + 2 r ω)/7; else the impulse is μ(1+e) m |vn|."""
    r, e, mu, vn = 0.1, 0.6, 0.25, 3.0
    m = sb.Model("ball")
    x, y, th = m.coordinates("x y th")
    disc = m.ground.translate(x, y, 0).rotate("z", th)
    m.body("ball", disc, mass=1.0, inertia=(0.4 * r**2,) * 3)
    eq = sb.derive(m)
    floor = sb.Contact("floor", y - r, restitution=e, friction=mu, slip=x.dot + r * th.dot)
    sim = sb.simulate_modes(sb.Contacts(eq, floor, impacts=impacts), 0.02, x_dot=vx, y_dot=-vn, th_dot=-w, y=r + 0.01)
    vt = vx - r * w
    sticks = mu * (1 + e) * vn >= 2 / 7 * abs(vt)
    after = (5 * vx + 2 * r * w) / 7 if sticks else vx - np.sign(vt) * mu * (1 + e) * vn
    assert abs(sim["x_dot"][-1] - after) < 1e-9
    assert abs(sim["y_dot"][-1] - e * vn) < 1e-9


def test_bowling_ball_rolls_in_time() -> None:
    """t = 2v/(7 μ g), 5v/7, 12 v²/(49 μ g): 1.164992 s, 5.714286 m/s, 7.988517 m; thrown with spin about the vertical
    too."""
    R, mu, v = 0.11, 0.2, 8.0
    m = sb.Model("bowling")
    ball = m.body("ball", mass=6.0, inertia=(0.4 * 6 * R**2,) * 3)
    m.gravity(0, 0, -g)
    m.free("ball", m.ground, ball, sequence="euler parameters")
    eq = sb.derive(m)
    lane = sb.Contact("lane", sb.touch(sb.Ball(ball, R), sb.HalfSpace(m.ground)), friction=mu)
    sim = sb.simulate_modes(sb.Contacts(eq, lane), 1.5, ball_x_dot=v, ball_z=R, rtol=1e-10)
    rolls = next(e for e in sim.events if e.name == "lane sticks")
    assert abs(rolls.t - 2 * v / (7 * mu * g)) < 1e-7
    assert abs(rolls.after[0] - 12 * v**2 / (49 * mu * g)) < 1e-6
    assert abs(sim["ball_x_dot"][-1] - 5 * v / 7) < 1e-8


# ---------------------------------------------------------------------------------------------------------- Painlevé


def rod(theta: float, omega: float, mu: float, slip: float) -> ContactProblem:
    """A uniform rod of half length one, its lower end on the ground."""
    s, c = np.sin(theta), np.cos(theta)
    G = np.array([[0, 1, -c], [1, 0, s]])
    V = np.sqrt(np.diag([1, 1, 3])) @ G.T
    b = np.array([-g + s * omega**2, c * omega**2])
    d = None if slip == 0 else np.array([np.sign(slip)])
    return ContactProblem(V, b, (0,), (Cone((1,), 0, mu, mu, np.array([1.0, 0.0]), direction=d),))


def test_painleve_rod_has_none_one_or_two_accelerations() -> None:
    """A = 1 + 3 cos² - 3 μ sin cos < 0 is possible iff μ > 4/3, worst at tan θ = 2 (Génot and Brogliato 1999)."""
    worst = np.arctan(2.0)
    assert len(solutions(rod(worst, 0.0, 1.3, -1.0))) == 1
    assert solutions(rod(worst, 0.0, 1.4, -1.0)) == []
    two = solutions(rod(worst, 5.0, 1.4, -1.0))
    assert [len(s.closed) for s in two] == [1, 0]
    assert len(solutions(rod(worst, 0.0, 1.4, 1.0))) == 1
    assert len(solutions(rod(worst, 0.0, 1.4, 0.0))) == 1


@pytest.fixture(scope="module")
def painleve() -> sb.Contacts:
    m = sb.Model("rod")
    x, y, th = m.coordinates("x y th")
    m.gravity(0, -g, 0)
    m.body("rod", m.ground.translate(x, y, 0).rotate("z", th), mass=1.0, inertia=(0, 0, 1 / 3))
    tip = sb.Contact("tip", y - sb.sin(th), friction=1.4, slip=x.dot + sb.sin(th) * th.dot)
    return sb.Contacts(sb.derive(m), tip)


def test_painleve_paradox_is_named_and_resolved(painleve: sb.Contacts) -> None:
    """Without an acceleration there is an impact without collision, after which the tip does not slip back; kinetic
    energy falls."""
    th = np.arctan(2.0)
    sim = sb.simulate_modes(painleve, 0.01, x_dot=-1.0, th=th, y=float(np.sin(th)))
    assert "impact without collision" in sim.events[0].name
    before, after = sim.events[0].before, sim.pieces[0].u[0]
    T = [0.5 * (u[0] ** 2 + u[1] ** 2 + u[2] ** 2 / 3) for u in (before[3:], after)]
    assert T[1] < T[0]
    two = sb.simulate_modes(
        painleve, 0.001, x_dot=-4 * np.sin(th) - 1, th=th, y=float(np.sin(th)), th_dot=5.0, y_dot=5 * np.cos(th)
    )
    assert "2 accelerations satisfy Coulomb's law" in two.events[0].name


# --------------------------------------------------------------------------------------------------- impacts and energy


def test_newton_is_stopped_where_it_would_gain_energy_and_poisson_is_not() -> None:
    """A double pendulum that hits the ground obliquely (Kane and Levinson 1985)."""
    m = sb.Model("double pendulum")
    a, b = m.coordinates("a b")
    first = m.ground.rotate("z", a)
    second = first.translate(0, -1, 0).rotate("z", b)
    m.body("first", first, mass=1.0, com=(0, -0.5, 0), inertia=(0, 0, 1 / 12))
    m.body("second", second, mass=1.0, com=(0, -0.5, 0), inertia=(0, 0, 1 / 12))
    eq = sb.derive(m)
    tip = second.point(0, -1, 0)
    height, slip = tip.in_ground[1], tip.velocity().components(m.ground)[0]
    a0, b0 = 0.35, 0.35
    level = float(sb.evaluate([height], {a: a0, b: b0})[0])
    start = {"a": a0, "b": b0, "a_dot": -0.1, "b_dot": -0.2}
    gained = 0
    for mu in (0.3, 0.5, 0.7):
        for da, db in [(-0.2, 0.1), (-1.0, 1.5), (0.5, -2.5), (-2.0, 3.0), (1.0, -3.0)]:
            tipping = sb.Contact("tip", height - level, restitution=0.5, friction=mu, slip=slip)
            values = start | {"a_dot": da, "b_dot": db}
            newton, poisson = (
                sb.simulate_modes(sb.Contacts(eq, tipping, impacts=law), 1e-6, values) for law in ("newton", "poisson")
            )
            gained += newton.outcome.ending.name == "ENERGY_GAINED"
            assert poisson.outcome
            for sim in (newton, poisson):
                assert sim.kinetic_energy[-1] <= sim.kinetic_energy[0] * (1 + 1e-9)
    assert gained > 0


# ---------------------------------------------------------------------------------------------------------- woodpecker


def woodpecker() -> sb.Contacts:
    """Glocker's woodpecker toy, with the constants of Siconos' example."""
    mM, mS, JM, JS, r0, rM, hM = 3e-4, 4.5e-3, 5e-9, 7e-7, 2.5e-3, 3.1e-3, 5.8e-3
    lM, lG, hS, lS, c = 0.010, 0.015, 0.02, 0.0201, 0.0056
    m = sb.Model("woodpecker")
    y, a, b = m.coordinates("y a b")
    M = [
        [mM + mS, mS * lM, mS * lG],
        [mS * lM, JM + mS * lM**2, mS * lM * lG],
        [mS * lG, mS * lM * lG, JS + mS * lG**2],
    ]
    u = [y.dot, a.dot, b.dot]
    m.kinetic_energy("T", sum(M[i][j] * u[i] * u[j] for i in range(3) for j in range(3)) / 2)
    m.potential("V", (mM + mS) * g * y + mS * g * (lM * a + lG * b) + c * (a - b) ** 2 / 2)
    beak = lM + lG - lS - r0 - hS * b
    slide = y.dot + rM * a.dot
    return sb.Contacts(
        sb.derive(m),
        sb.Contact("beak", beak, restitution=0.5, friction=0.3, slip=y.dot + lM * a.dot + (lG - lS) * b.dot),
        sb.Contact("lower", rM - r0 + hM * a, friction=0.3, slip=slide),
        sb.Contact("upper", rM - r0 - hM * a, friction=0.3, slip=slide),
    )


def test_woodpecker_has_its_period() -> None:
    """|T - 0.1460| < 2e-4 and a drop of 19.44 mm within 0.1 mm; periods alternate about the mean and close in."""
    sim = sb.simulate_modes(woodpecker(), 1.5, a=-0.0006 / 0.0058, b=-0.2788, y_dot=-0.3411, b_dot=-7.4583)
    hits = [e for e in sim.events if e.name == "beak"]
    T = np.diff([e.t for e in hits])
    drop = -np.diff([e.before[0] for e in hits])
    assert np.abs(T[1:] - 0.1460).max() < 2e-4
    assert abs(drop[-4:].mean() - 0.01944) < 1e-4
    assert abs(T[-1] - T[-2]) < abs(T[1] - T[2])
    assert sim.energy[-1] < sim.energy[0]


def test_closed_contacts_have_no_impacts() -> None:
    """At small tolerances speeds of a closed contact are rounding, which is no impact, and gains no energy."""
    sim = sb.simulate_modes(woodpecker(), 0.5, a=-0.0006 / 0.0058, b=-0.2788, y_dot=-0.3411, b_dot=-7.4583, rtol=1e-11)
    assert sim.outcome
    assert sim.t[-1] == 0.5


def random_problem(rng):
    """One or two contacts in a plane, or one in space, with any friction, some of which slip already."""
    in_space = rng.random() < 0.3
    k, per = (1, 2) if in_space else (int(rng.integers(1, 3)), 1)
    n = k * (1 + per)
    V, b, mu = rng.normal(size=(n + int(rng.integers(-1, 3)), n)), rng.normal(size=n), float(rng.uniform(0.05, 2.0))
    b[:k] -= 1.0
    ways = [d / np.linalg.norm(d) if rng.random() < 0.5 else None for d in rng.normal(size=(k, per))]
    rows = [tuple(range(k + per * i, k + per * (i + 1))) for i in range(k)]
    cones = tuple(Cone(rows[i], i, mu, mu, np.eye(n)[i], direction=ways[i]) for i in range(k))
    return ContactProblem(V, b, tuple(range(k)), cones)


def test_little_feedback_leaves_one_solution():
    """Wherever the bound says that there is one motion at most, all assignments together have one; of the others some
    have none or several."""
    rng = np.random.default_rng(1)
    found = [(friction_feedback(p) < 1.0, len(solutions(p))) for p in (random_problem(rng) for _ in range(400))]
    assert {count for is_one, count in found if is_one} == {1}
    assert {count for is_one, count in found if not is_one} >= {0, 1, 2}
    assert sum(is_one for is_one, _ in found) > 100


@pytest.mark.parametrize(("mu", "is_told"), [(0.5, False), (2.5, True)])
def test_solutions_that_are_not_counted(mu, is_told):
    """Five blocks, independent of each other: with little friction there is certainly one solution, with much it is
    said that there may be more."""
    m = sb.Model("blocks")
    m.gravity(0, -g, 0)
    contacts, start = [], {}
    for k in range(5):
        x, y = m.coordinates(f"x{k} y{k}")
        m.particle(f"block{k}", m.ground.point(x, y, 0), mass=1.0)
        contacts.append(sb.Contact(f"floor{k}", y, friction=mu, slip=x.dot))
        start[f"x{k}_dot"] = 0.1 * (k + 1)
    sim = sb.simulate_modes(sb.Contacts(sb.derive(m), *contacts), 0.05, start)
    until = min(0.05, 0.5 / (mu * g))
    assert sim["x4"][-1] == pytest.approx(0.5 * until - mu * g * until**2 / 2)
    assert any("too many to count" in note for note in sim.outcome.notes) == is_told


def test_a_gap_that_constraints_hold_is_refused():
    """The rail or the floor may carry the block: events shared its weight between them, time stepping gave it to the rail."""
    m = sb.Model("block")
    x, y = m.coordinates("x y")
    m.gravity(0, -g, 0)
    m.particle("block", m.ground.point(x, y, 0), mass=1.0)
    m.constrain("rail", 2 * y)
    floor = sb.Contact("floor", y, friction=0.3, slip=x.dot)
    with pytest.raises(
        sb.errors.SimulationError, match=r"constraints keep the gap of 'floor' fixed.*take a `Friction`"
    ):
        sb.Contacts(sb.derive(m), floor)
    under = sb.Friction("rub", x.dot, sb.Coulomb(0.3), normal=2 * m.multiplier("rail"))
    sim = sb.simulate_modes(sb.Contacts(sb.derive(m), under), 0.2, x_dot=1.0)
    assert sim["x"][-1] == pytest.approx(0.2 - 0.3 * g * 0.2**2 / 2)

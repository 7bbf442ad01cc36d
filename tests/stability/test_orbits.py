"""Periodic orbits: closed forms, published numbers, and laws of multipliers; families of them and what is special
there."""

import pickle

import numpy as np
import pytest
from scipy.special import ellipk

import symbody as sb
from tests.amount import dear

from .columns import ziegler


def van_der_pol() -> sb.Equations:
    x, y, mu = sb.symbols("x y mu")
    return sb.from_equations({x: y, y: mu * (1 - x**2) * y - x}, {mu: 1.0})


@pytest.fixture(scope="module")
def roessler() -> sb.Equations:
    x, y, z, a, b, c = sb.symbols("x y z a b c")
    return sb.from_equations({x: -y - z, y: x + a * y, z: b + z * (x - c)}, {a: 0.12, b: 2, c: 4}, name="Roessler")


@pytest.fixture(scope="module")
def family(roessler) -> sb.stability.OrbitBranch:
    """From the Hopf point on."""
    rest = sb.branch(roessler, sb.steady(roessler, start={"x": 0, "y": -0.5, "z": 0.5}), a=(0.0, 0.3))
    return sb.orbits(roessler, sb.orbit(roessler, rest), a=(0.1, 0.36))


def pendulum(cartesian: bool) -> sb.Equations:
    m = sb.Model("pendulum")
    m.gravity(0, -9.81, 0)
    if cartesian:
        x, y = m.coordinates("x y")
        m.constrain("rod", x**2 + y**2 - 1)
        m.particle("bob", m.ground.point(x, y, 0), mass=1.0)
    else:
        (a,) = m.coordinates("a")
        m.particle("bob", m.ground.rotate("z", a).point(0, -1, 0), mass=1.0)
    return sb.derive(m)


def elliptic_period(amplitude):
    return 4 * ellipk(np.sin(np.asarray(amplitude) / 2) ** 2) / np.sqrt(9.81)


# ---------------------------------------------------------------------------------------------------- single orbits


def test_van_der_pol():
    """Period, amplitude, and the multiplier exp ∫ div; with its mirror symmetry the multiplier of half a period is the
    root."""
    eq = van_der_pol()
    settled = sb.simulate(eq, 60, x=1.0)
    whole, half = sb.orbit(eq, settled), sb.orbit(eq, settled, mirror=["x", "y"])
    for o in (whole, half, sb.orbit(eq, {"x": 2.0}, period=6.6)):
        assert o.period == pytest.approx(6.663286859, abs=1e-9)
        assert o.extremes("x") == pytest.approx((-2.008619861, 2.008619861), abs=1e-9)
        assert o.is_stable
        assert max(o.residual, o.mesh_error, o.trivial_error) < 1e-9
    t = np.linspace(0, whole.period, 400, endpoint=False)
    divergence = whole.period * np.mean(whole.at(t, 1 - sb.symbol("x", "variable") ** 2))
    assert whole.multipliers == pytest.approx([np.exp(divergence)], rel=1e-9)
    assert half.multipliers**2 == pytest.approx(whole.multipliers, rel=1e-9)


def test_multipliers_to_their_own_accuracy(roessler):
    """-0.600539138 and -1.1489e-9: the small one has a relative accuracy of its own."""
    o = sb.orbit(roessler, sb.simulate(roessler, 300, x=1.0, a=0.3))
    assert o.period == pytest.approx(6.174637521, abs=1e-9)
    assert o.multipliers.real == pytest.approx([-0.600539138, -1.14889e-9], rel=2e-6)
    assert o.parameters["a"] == 0.3
    divergence = 0.3 - 4 + np.mean(o.at(np.linspace(0, o.period, 400, endpoint=False), "x"))
    assert np.prod(o.multipliers) == pytest.approx(np.exp(o.period * divergence), rel=1e-8)


@pytest.mark.parametrize("cartesian", [False, True], ids=["angle", "constrained"])
def test_pendulum_at_any_amplitude(cartesian):
    """T = 4 K(sin(θ/2)) √(l/g), with the energy found to be conserved: its orbits come in a family, over which it can
    be varied."""
    eq = pendulum(cartesian)
    start = {"x": np.sin(1.5), "y": -np.cos(1.5)} if cartesian else {"a": 1.5}
    o = sb.orbit(eq, start, period=1.02 * elliptic_period(1.5))
    assert o.conserved == ("energy",)
    assert o.period == pytest.approx(elliptic_period(1.5), rel=1e-11)
    assert len(o.multipliers) == 0  # the two that exist are 1: along the orbit, and along the family
    family = sb.orbits(eq, o, energy=(-9.0, 8.0), max_step=0.4)
    amplitude = np.arccos(-family["energy"] / 9.81)
    assert family["period"] == pytest.approx(elliptic_period(amplitude), rel=1e-7)
    assert family["energy"][[0, -1]] == pytest.approx([-9.0, 8.0])


def test_driven_oscillator():
    """x'' + 2 d x' + x = cos(w t): amplitude 1/√((1 - w²)² + 4 d² w²), multipliers exp((-d ± i√(1 - d²)) 2π/w), at any
    w that is asked for."""
    x, y, d, w = sb.symbols("x y d w")
    eq = sb.from_equations({x: y, y: -x - 2 * d * y + sb.cos(w * sb.symbol("t"))}, {d: 0.1, w: 2.0})
    o = sb.orbit(eq, {"x": 0.0}, period=2 * sb.pi / w)
    family = sb.orbits(eq, o, w=(0.6, 2.0))
    for k in (0, len(family) // 2, len(family) - 1):
        o, w = family.orbit(k), family["w"][k]
        assert o.period == pytest.approx(2 * np.pi / w, rel=1e-10)
        assert o.extremes("x")[1] == pytest.approx(1 / np.hypot(1 - w**2, 0.2 * w), rel=1e-7)  # between mesh points
        expected = np.exp((-0.1 + 1j * np.sqrt(0.99) * np.array([1, -1])) * o.period)
        assert sorted(o.multipliers, key=np.imag) == pytest.approx(sorted(expected, key=np.imag), rel=1e-7)
    with pytest.raises(sb.errors.StabilityError, match="depend on time; give period="):
        sb.orbit(eq, {"x": 0.0})


def test_no_orbit_is_said_in_words():
    x, y = sb.symbols("x y")
    eq = sb.from_equations({x: 1 + x**2, y: -y})
    o = sb.orbit(eq, {"x": 0.0}, period=1.0)
    assert not o.is_periodic
    assert not o.is_stable
    assert "try a closer one" in o.outcome
    assert str(o).startswith("No orbit")
    with pytest.raises(sb.errors.StabilityError, match="start from an orbit"):
        sb.orbits(eq, o, y=(0, 1))


def test_a_linear_oscillator_has_orbits_of_all_sizes_at_one_value():
    """Its Hopf point has an orbit of any amplitude, and none beside that value: a family over it is refused with that."""
    x, v, a = sb.symbols("x v a")
    eq = sb.from_equations({x: v, v: a * v - 4 * x}, {a: -0.5})
    rest = sb.branch(eq, sb.steady(eq), a=(-0.5, 0.5))
    for amplitude in (0.01, 1.0):
        found = sb.orbit(eq, rest, amplitude=amplitude)
        assert found.period == pytest.approx(np.pi, rel=1e-9)
        assert found.parameters["a"] == pytest.approx(0.0, abs=1e-12)
    with pytest.raises(sb.errors.StabilityError, match=r"beside the start have a = 0 too .* they do not change over a"):
        sb.orbits(eq, found, a=(-0.5, 0.5))


def test_mirror_that_an_orbit_has_is_found():
    """The half of a van der Pol cycle; none of a skew one; of a driven motion with the sign of the drive."""
    x, y, w = sb.symbols("x y w")
    eq = van_der_pol()
    settled = sb.simulate(eq, 60, x=1.0)
    half, whole = (sb.orbit(eq, settled, mirror=m) for m in ("auto", ()))
    assert half.setting.halves == 2
    assert half.period == pytest.approx(whole.period, rel=1e-9)
    assert half.multipliers**2 == pytest.approx(whole.multipliers, rel=1e-9)
    skew = sb.from_equations({x: y, y: (1 - x**2) * y - x + 0.02 * x**2})
    assert sb.orbit(skew, sb.simulate(skew, 60, x=1.0), mirror="auto").setting.mirror is None
    driven = sb.from_equations({x: y, y: -x - x**3 - 0.2 * y + sb.cos(w * sb.symbol("t"))}, {w: 2.0})
    assert sb.orbit(driven, {"x": 0.0}, period=2 * sb.pi / w, mirror="auto").setting.halves == 2


def test_false_mirror_is_refused():
    x, y = sb.symbols("x y")
    skew = sb.from_equations({x: y, y: (1 - x**2) * y - x + 0.02 * x**2})
    with pytest.raises(sb.errors.StabilityError, match="rate of y is not mirrored"):
        sb.orbit(skew, sb.simulate(skew, 60, x=1.0), mirror=["x", "y"])


# ---------------------------------------------------------------------------------------------------- families


def test_roessler_doubles_its_period_again_and_again(family):
    """At 0.334856623, 0.374757965, 0.383333655; the Hopf point, where it began, is its other end."""
    assert "Hopf" in family.outcome[0]
    assert family["a"].min() == pytest.approx(0.124967482, abs=1e-6)
    assert family["period"][family["a"].argmin()] == pytest.approx(6.233119706, abs=1e-5)
    (first,) = family.special
    assert (first.kind, first.value, first.period) == (
        "period doubling", pytest.approx(0.334856623, abs=1e-9), pytest.approx(6.179933981, abs=1e-8)
    )  # fmt: skip
    stable = family.unstable == 0
    assert (stable == (family["a"] < first.value)).all()
    (o,) = family.at(0.3)
    assert o.period == pytest.approx(6.174637521, abs=1e-9)
    twice = sb.orbits(family.equations, family.switched(max_points=4).orbit(-1), a=(0.33, 0.38))
    found = [(p.kind, p.value, p.period) for p in twice.special if p.value > 0.34]
    assert found  # once or twice: beyond the first doubling it comes back with its phase shifted
    for kind, value, period in found:
        assert (kind, value, period) == (
            "period doubling",
            pytest.approx(0.374757964, abs=2e-9),
            pytest.approx(12.412674951, abs=1e-7),
        )


# period doublings of Rössler's orbit: a and T by shooting in 33 digits (series in time of 45 terms, steps of 0.05,
# Newton's method on orbit and period, det(M + 1) = 0 by the secant method). AUTO, with 50 intervals, prints
# 0.334856623, 0.374757964 and 0.383333652: its third is 3.3e-9 below, with a period of 24.848466932, 9e-9 below.
DOUBLINGS = (
    (0.334856622569910, 6.179933981209095),
    (0.374757964825334, 12.412674951746591),
    (0.383333655345394, 24.848466940748542),
)


def test_period_doublings_are_located_to_rounding(family):
    """The first and the second, on meshes that are fine enough."""
    (first,) = sb.orbits(family.equations, family.at(0.33)[0], a=(0.32, 0.35), tolerance=1e-13).special
    twice = sb.orbits(family.equations, family.switched(max_points=4).orbit(-1), a=(0.34, 0.38), tolerance=1e-12)
    (second,) = (p for p in twice.special if p.value > 0.34)
    for found, (a, T) in zip((first, second), DOUBLINGS, strict=False):
        assert found.value == pytest.approx(a, abs=3e-13)
        assert found.period == pytest.approx(T, abs=2e-11)


@dear
def test_roessler_doubles_its_period_for_the_third_time(family):
    """0.383333655345394, of the orbit of four rounds."""
    twice = sb.orbits(family.equations, family.switched(max_points=4).orbit(-1), a=(0.34, 0.38), tolerance=1e-11)
    four = sb.orbits(family.equations, twice.switched(max_points=4).orbit(-1), a=(0.376, 0.386), tolerance=1e-11)
    found = [(p.kind, p.value, p.period) for p in four.special if p.value > 0.38]
    assert found
    a, T = DOUBLINGS[2]
    for kind, value, period in found:
        assert (kind, value, period) == ("period doubling", pytest.approx(a, abs=1e-12), pytest.approx(T, abs=1e-10))


def test_results_do_not_depend_on_the_route(family):
    """There and back again; from a simulation; on another mesh; through a pickle."""
    eq = family.equations
    (there,) = family.at(0.32)
    back = sb.orbits(eq, there, a=(0.25, 0.36)).at(0.32)[0]
    other = sb.orbit(eq, sb.simulate(eq, 300, x=1.0, a=0.32), intervals=60)
    copied = pickle.loads(pickle.dumps(there))
    moved = sb.orbit(eq, there, a=0.3)
    for o in (back, other, copied):
        assert o.period == pytest.approx(there.period, rel=1e-9)
        assert o.multipliers[0] == pytest.approx(there.multipliers[0], rel=1e-6)
        assert o.extremes("z") == pytest.approx(there.extremes("z"), rel=1e-6)
    assert moved.period == pytest.approx(6.174637521, abs=1e-9)


def test_orbit_is_a_motion(family):
    """The state of an orbit, simulated over its period, is where it was."""
    (o,) = family.at(0.32)
    end = sb.simulate(family.equations, o.period, o, rtol=1e-11).state
    assert [end[n] for n in "xyz"] == pytest.approx([o.state[n] for n in "xyz"], abs=1e-7)
    assert o.to_pandas()["x"].max() == pytest.approx(o.extremes("x")[1], rel=1e-3)


def test_figures(family):
    assert len(sb.plot(family).panels) == 2
    assert len(sb.plot([family, family], "x", "period").panels) == 2
    assert sb.plot(family, "multipliers").panels[0].is_equal
    (o,) = family.at(0.3)
    assert sb.plot(o, "x", over="y").panels[0].x_label == "y"
    assert [c.label for c in sb.plot(o, "multipliers").panels[0].curves] == ["unit circle", "multipliers"]


def test_column_under_a_follower_force():
    """Ziegler's column, damped: Hopf at P = 41/28 + b²/2, then the cycle; periods and amplitudes of AUTO (whose largest
    values are those of its mesh)."""
    eq = ziegler(0.1)
    straight = sb.branch(eq, sb.steady(eq), P=(1.0, 2.2))
    assert straight.special[0].value == pytest.approx(41 / 28 + 0.005, abs=1e-10)
    cycles = sb.orbits(eq, sb.orbit(eq, straight), P=(1.4, 2.0))
    expected = {
        1.5: (11.6853964, 0.2380113, 0.4243561),
        1.6: (11.4580812, 0.4760152, 0.8331387),
        1.8: (11.0085379, 0.7143974, 1.2285257),
        2.0: (10.5797866, 0.8579743, 1.4711653),
    }
    for load, (period, lower, upper) in expected.items():
        (o,) = cycles.at(load)
        assert o.period == pytest.approx(period, abs=1e-7)
        assert (o.extremes("q1")[1], o.extremes("q2")[1]) == pytest.approx((lower, upper), abs=8e-5)
        assert o.is_stable


def test_pendulum_stands_upright_on_a_shaken_pivot():
    """Kapitza: L = g = 1, ω = 30, stable for amplitudes of the pivot in (0.0471633597, 0.4558884304), by Mathieu's
    functions; multipliers are reciprocal pairs."""
    th, a, t = sb.symbol("th", "coordinate"), sb.symbol("a"), sb.symbol("t")
    eq = sb.from_equations({th.dot.dot: -(1 - 900 * a * sb.cos(30 * t)) * sb.sin(th)}, {a: 0.1}, name="Kapitza")
    upright = sb.orbit(eq, {"th": np.pi}, period=np.pi / 15)
    assert upright.is_stable
    family = sb.orbits(eq, upright, a=(0.02, 0.5))
    found = [(p.kind, p.value) for p in family.special]
    assert found == [
        ("branch point", pytest.approx(0.0471633597, abs=1e-9)),
        ("period doubling", pytest.approx(0.4558884304, abs=1e-9)),
    ]
    for m in family.multipliers:
        assert np.prod(m) == pytest.approx(1, abs=1e-8)


def test_lorenz_cycles_are_unstable():
    """The Hopf point at 470/19 is subcritical: the cycles lie below it and are unstable; the product of multipliers is
    exp of the divergence."""
    x, y, z, r = sb.symbols("x y z r")
    eq = sb.from_equations({x: 10 * (y - x), y: x * (r - z) - y, z: x * y - 8 * z / 3}, {r: 20.0}, name="Lorenz")
    rest = sb.branch(eq, sb.steady(eq, start={"x": 7.0, "y": 7.0, "z": 19.0}), r=(15, 30))
    assert [p.value for p in rest.special if p.kind == "Hopf"] == pytest.approx([470 / 19], rel=1e-10)
    cycle = sb.orbit(eq, rest, amplitude=0.5)
    assert cycle.parameters["r"] < 470 / 19
    assert not cycle.is_stable
    assert np.prod(cycle.multipliers) == pytest.approx(np.exp(-(11 + 8 / 3) * cycle.period), rel=1e-6)

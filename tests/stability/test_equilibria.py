"""Equilibria and relative equilibria that are hard to find: stiff, far off, in Euler parameters, in turns; the nearest,
all of them, and laws."""

import math

import numpy as np
import pytest
from scipy.optimize import root

import symbody as sb
from examples import bicycle, motorcycle
from tests.amount import some


def sprung(stiffness: float, unit: float = 1.0, order: str = "abc") -> sb.Equations:
    """Three bars, the last one's end on a spring; lengths in units of metres, coordinates declared in any order."""
    m = sb.Model("sprung")
    m.gravity(0, -9.81 / unit, 0)
    q = {name: m.coordinate(name) for name in order}
    before = m.ground
    for name, length, at in (("a", 0.4, 0.0), ("b", 0.5, 0.4), ("c", 0.4, 0.5)):
        bar = m.body(f"bar {name}", shape=sb.bar(length / unit, "x", at=(length / 2 / unit, 0, 0)), mass=3)
        m.revolute(name, before, bar, at=(at / unit, 0, 0), coordinates=q[name])
        before = bar
    for name, k in (("a", 50.0), ("b", 5.0), ("c", 5.0)):
        m.generalized_force(f"torsion {name}", q[name], -k / unit**2 * q[name])
    m.spring(
        "spring",
        before.point(0.4 / unit, 0, 0),
        m.ground.point(0.8 / unit, -0.5 / unit, 0),
        stiffness=stiffness,
        rest=0.1 / unit,
    )
    return sb.derive(m)


# ------------------------------------------------------------------------------------------- the nearest, however stiff


@pytest.mark.parametrize("stiffness", [1e4, 1e6, 1e8])
def test_sag_on_a_stiff_bushing_is_next_to_the_start(stiffness):
    """A bar on a hinge, its end in a bushing that is off by 8.5 mm: 0.0085 rad from the start, not on the other
    side."""
    m = sb.Model("bushing")
    m.gravity(0, -9.81, 0)
    bar = m.body("bar", shape=sb.bar(1.0, "x", at=(0.5, 0, 0)), mass=2)
    tip = m.body("tip", shape=sb.bar(0.3, "y", at=(0, -0.15, 0)), mass=1)
    m.revolute("a", m.ground, bar)
    m.revolute("b", bar, tip, at=(1, 0, 0))
    end = bar.point(1, 0, 0)
    offset = end.position().components(m.ground)
    force = m.ground.vector(-stiffness * (offset[0] - 1), -stiffness * (offset[1] + 0.0085), 0)
    m.force("bushing", bar, force, at=end)
    motion = sb.steady(sb.derive(m))
    assert motion.is_steady, motion.outcome
    assert motion.distance < 0.02
    assert motion["a"] == pytest.approx(-0.0085 - 2 * 9.81 / stiffness, abs=2e-5)
    assert f"{motion.distance:.4g} from the start" in motion.outcome


def test_forces_of_stiff_springs_are_unknowns():
    """A spring of 1e9 N/m that turns with soft coordinates: its force is solved for, with the stretch as a row; the end
    is one of the plain rows."""
    eq = sprung(1e9)
    motion = sb.steady(eq, start={"a": -0.2, "b": 0.4, "c": -1.6})
    assert motion.is_steady, motion.outcome
    assert "forces of stiff springs, as unknowns" in motion.outcome
    soft = sb.steady(sprung(1.0), start={"a": -0.2, "b": 0.4, "c": -1.6})
    assert "forces of stiff springs" not in soft.outcome
    rows = sb.evaluate(
        eq.residual(), {**eq.values(otherwise=0, **{q: motion[q] for q in "abc"}), **{u.dot: 0.0 for u in eq.u}}
    )
    assert rows == pytest.approx([0, 0, 0], abs=1e-5)  # rounding of angles alone is 1e-7 N m


def car() -> sb.Equations:
    """Two axles with tyres that saturate; the body rolls on springs that would also hold it upside down."""
    m = sb.Model("car")
    p = m.parameters(mass=1500.0, steer=0.02)
    drive = m.input("drive")
    x, y, psi, phi = m.coordinates("x y psi phi")
    vx = m.speed("vx", x.dot * sb.cos(psi) + y.dot * sb.sin(psi))
    vy = m.speed("vy", y.dot * sb.cos(psi) - x.dot * sb.sin(psi))
    w = m.speed("w", psi.dot)
    frame = m.ground.translate(x, y, 0).rotate("z", psi)
    axles = m.body("axles", frame, mass=0.2 * p.mass, inertia=(100, 100, 200))
    m.body("chassis", frame.rotate("x", phi), mass=0.8 * p.mass, com=(0, 0, 0.5), inertia=(500, 1500, 1500))
    m.generalized_force("suspension", phi, -6e4 * sb.sin(phi) - 4e3 * phi.dot)
    m.gravity(0, 0, -9.81)
    for name, slip, share, at in (
        ("front", p.steer - sb.atan((vy + 1.2 * w) / vx), 1.4 / 2.6, 1.2),
        ("rear", -sb.atan((vy - 1.4 * w) / vx), 1.2 / 2.6, -1.4),
    ):
        side = share * p.mass * 9.81 * sb.sin(1.4 * sb.atan(8.0 * slip))
        m.force(name, axles, frame.vector(0, side, 0), at=frame.point(at, 0, 0))
    m.force("drive", axles, frame.vector(drive, 0, 0), at=frame.point(-1.4, 0, 0))
    return sb.derive(m)


def test_car_goes_from_turn_to_turn_on_its_wheels():
    """Each turn is started from the values of the one before; the lateral acceleration rises, and the roll stays
    small."""
    eq = car()
    motion, rolls = None, []
    for steer in (0.01, 0.02, 0.03, 0.04, 0.05):
        start = motion.values if motion else {"w": 0.1}
        motion = sb.steady(eq, {"vx": 20.0, "psi": 0.0}, free=["psi_dot", "drive"], start=start, steer=steer)
        assert motion.is_steady, motion.outcome
        rolls.append(motion["phi"])
    assert all(0 < a < b < 0.2 for a, b in zip(np.abs(rolls), np.abs(rolls)[1:], strict=False))


def test_multipliers_need_no_start():
    """A wishbone at its coordinates, without a word about the forces in it: found where it is."""
    m = sb.Model("wishbone")
    m.gravity(0, 0, -9.81)
    lower = m.body("lower", shape=sb.bar(0.4, "y", at=(0, 0.2, 0)), mass=4)
    upper = m.body("upper", shape=sb.bar(0.3, "y", at=(0, 0.15, 0)), mass=3)
    upright = m.body("upright", shape=sb.bar(0.3, "z", at=(0, 0, 0.15)), mass=25)
    m.revolute("low", m.ground, lower, axis="x")
    m.revolute("high", m.ground, upper, axis="x", at=(0, 0.05, 0.3))
    m.revolute("knuckle", lower, upright, axis="x", at=(0, 0.4, 0))
    m.coincide("ball", upper.point(0, 0.3, 0), upright.point(0, 0, 0.3), along=m.ground, axes="yz")
    m.spring("strut", lower.point(0, 0.3, 0), m.ground.point(0, 0.15, 0.5), stiffness=1e7, rest=0.45)
    m.force("wheel", upright, m.ground.vector(0, 0, 3000), at=upright.point(0, 0.1, 0))
    eq = sb.derive(m)
    first = sb.steady(eq)
    assert first.is_steady, first.outcome
    again = sb.steady(eq, start={q.name: first[q.name] for q in eq.q})
    assert again.is_steady
    assert again.distance < 1e-12
    assert again["lam_ball_z"] == pytest.approx(first["lam_ball_z"], rel=1e-6)


# ------------------------------------------------------------------------------------------ Euler parameters, rotations


def test_steady_rotation_in_euler_parameters():
    """A free body spins about a principal axis; the rate of the whole is known in closed form, and nothing that is
    determined is called open."""
    m = sb.Model("free body")
    m.free("b", m.ground, m.body("body", mass=10, inertia=(1.0, 2.0, 2.5)), sequence="euler parameters")
    W = sb.symbol("W")
    motion = sb.steady(sb.derive(m), {"b_wz": W})
    assert motion.is_symbolic, motion.outcome
    assert motion["turn_z"] is W
    assert motion["b_wx"] == 0
    assert not {"b_wx", "b_wy", "turn_x", "turn_y", "turn_z"} & set(motion.undetermined)


def hung(sequence: str) -> sb.Equations:
    m = sb.Model("hung")
    m.gravity(0, 0, -9.81)
    bar = m.body("bar", mass=1, inertia=(0.03, 0.1, 0.12))
    m.free("bar", m.ground, bar, sequence=sequence)
    m.coincide("ball", m.ground.point(0, 0, 0), bar.point(-0.5, 0, 0))
    return sb.derive(m)


SEQUENCES = ["euler parameters", "xyz", "zyx", "zxz", "xzx", "yxy"]


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_bar_falls_to_where_it_hangs(sequence):
    """From the horizontal, hanging and standing are equally far: the stable one is taken. In zxz, zyx, yxy no angle
    turns the bar downwards at the start: the torque of its weight is not balanced, only not seen."""
    motion = sb.steady(hung(sequence), start={"bar_x": 0.5})
    assert motion.is_steady, motion.outcome
    assert motion["bar_z"] == pytest.approx(-0.5)
    assert motion["lam_ball_z"] == pytest.approx(9.81)


@pytest.mark.parametrize("sequence", some(SEQUENCES, 2))
def test_bar_on_a_ball_joint_hangs_at_rest(sequence):
    """The same with the joint's coordinates alone: neither the singular start nor a rotation about the vertical that
    nobody asked for."""
    m = sb.Model("hung")
    m.gravity(0, 0, -9.81)
    bar = m.body("bar", mass=1, com=(0.5, 0, 0), inertia=(0.03, 0.1, 0.12))
    m.spherical("b", m.ground, bar, sequence=sequence)
    m.output("height", bar.point(0.5, 0, 0).position().components(m.ground)[2])
    motion = sb.steady(sb.derive(m))
    assert motion.is_steady, motion.outcome
    assert motion["height"] == pytest.approx(-0.5)
    assert all(motion[u.name] == 0 or abs(motion[u.name]) < 1e-9 for u in motion.equations.u)


@pytest.mark.parametrize("sequence", ["euler parameters", "xyz"])
def test_conical_bar_in_any_coordinates(sequence):
    """A bar on a ball joint that turns about the vertical: (I + m l²) Ω² sin cos = m g l sin, I across the bar less
    that along it."""
    eq = hung(sequence)
    W, l = 6.0, 0.5
    # near the conical motion: the hanging bar turns steadily, too, and is nearer to steeper starts
    tilt = {"bar_e0": 0.97, "bar_e2": 0.24} if sequence != "xyz" else {"bar_2": 0.48}
    tilted = {"bar_x": 0.44, "bar_z": -0.23} | tilt
    motion = sb.steady(eq, turning={"z": W}, start=tilted)
    assert motion.is_steady, motion.outcome
    # the bar's second axis stays horizontal: the moments about it are of the inertias about the bar and about its third
    # axis
    cosines = [9.81 * l / ((l * l + I - 0.03) * W * W) for I in (0.1, 0.12)]
    assert min(abs(-motion["bar_z"] / l - c) for c in cosines) < 1e-9


def test_rates_of_turning_are_found():
    """The same bar at a given height: its rate about the vertical is an unknown with a name."""
    motion = sb.steady(
        hung("euler parameters"),
        {"bar_z": -0.4},
        turning="z",
        start={"bar_x": 0.3, "bar_e0": 0.9, "bar_e2": 0.4, "turn_z": 5.0},
    )
    assert motion.is_steady, motion.outcome
    rates = [math.sqrt(9.81 * 0.5 / ((0.25 + I - 0.03) * 0.8)) for I in (0.1, 0.12)]
    assert min(abs(abs(motion["turn_z"]) - W) for W in rates) < 1e-9


def test_turning_about_an_axis_that_is_no_symmetry_is_refused():
    with pytest.raises(
        sb.errors.StabilityError, match=r"turning about \(1, 0, 0\) is not a symmetry.*rotation about z"
    ):
        sb.steady(hung("zxz"), turning="x")
    with pytest.raises(sb.errors.StabilityError, match="turning= must be an axis"):
        sb.steady(hung("zxz"), turning="up")


def test_gears_turn_together():
    """Shafts that a constraint ties: neither angle is cyclic, but both together are."""
    m = sb.Model("gears")
    a, b = (m.body(name, mass=1, inertia=(0.1, 0.1, 0.2)) for name in "ab")
    first, second = m.revolute("first", m.ground, a), m.revolute("second", m.ground, b, at=(1, 0, 0))
    m.gear("mesh", first, second, 2.0)
    motion = sb.steady(sb.derive(m), {"first_dot": 3.0})
    assert motion.is_steady, motion.outcome
    assert motion["second_dot"] == pytest.approx(-1.5)


# ------------------------------------------------------------------------------------------------ vehicles


def test_motorcycle_with_two_headings_in_a_turn():
    """Both headings turn at one rate. Nothing drives the wheels, so that a lean belongs to one speed, at which tyres
    dissipate nothing."""
    eq = sb.derive(motorcycle.model())
    motion = sb.steady(eq, {"psi": 0.0, "phi": 0.1}, free=["psi_dot", "tau"], start={"x_dot": 7.0, "psi_dot": 0.15})
    assert motion.is_steady, motion.outcome
    assert motion["psi4_dot"] == pytest.approx(motion["psi_dot"])
    assert motion["y_ddot"] == pytest.approx(motion["x_dot"] * motion["psi_dot"])
    side = motion["Yr"] + motion["Yf"]
    assert side == pytest.approx((217.45 + 30.65) * motion["y_ddot"], rel=0.03)  # to first order in the steering angle
    assert {"x", "y", "psi", "psi4"} <= set(motion.drifting)


def test_value_of_a_place_in_a_turn_is_noted():
    """y = 0 in a turn also says y' = 0: it is done, and said."""
    eq = sb.derive(bicycle.model())
    start = {"q1": 0.2, "q4_dot": -14, "x_dot": 5.0, "q3_dot": 0.5}
    motion = sb.steady(eq, {"q2": 0.1, "q3": 0.0}, zero=["y"], free=["q3_dot"], start=start)
    assert any("y has a value and so stands still, y_dot = 0" in note for note in motion.notes)
    assert "free=['y_dot']" in str(motion)
    free = sb.steady(eq, {"q2": 0.1, "q3": 0.0}, zero=["y"], free=["q3_dot", "y_dot"], start=start)
    assert not free.notes


# ------------------------------------------------------------------------------- what is determined, and what was found


def test_soft_spring_beside_stiff_ones_determines():
    """1e-3 N/m holds what 1e8 N/m ties together."""
    m = sb.Model("soft and stiff")
    x, y, z = m.coordinates("x y z")
    for q in (x, y, z):
        m.particle(f"at {q}", m.ground.point(q, 0, 0), mass=1)
    m.generalized_force("soft", x, -1e-3 * (x - 1) - 1e8 * (x - y - sb.sin(x)))
    m.generalized_force("stiff", y, 1e8 * (x - y - sb.sin(x)) - 1e8 * sb.sinh(y - z))
    m.generalized_force("end", z, 1e8 * sb.sinh(y - z) + 2e-3)
    motion = sb.steady(sb.derive(m), start={"x": 0.5})
    assert motion.is_steady, motion.outcome
    assert motion.undetermined == ()


def test_values_of_another_motion_are_a_start():
    eq = sb.derive(motorcycle.model())
    first = sb.steady(eq, {"x_dot": 15.0}, zero=["y", "psi", "phi", "delta"])
    again = sb.steady(eq, {"x_dot": 16.0}, zero=["y", "psi", "phi", "delta"], start=first.values)
    assert again.is_steady
    changed = sb.steady(eq, {"x_dot": 16.0}, zero=["y", "psi", "phi", "delta"], start={"y": 0.3, "theta1": 0.1})
    assert "the start of y was not used" in "".join(changed.notes)


def hoop() -> sb.Equations:
    m = sb.Model("bead on a hoop")
    m.gravity(0, 0, -9.81)
    psi, a = m.coordinates("psi a")
    frame = m.ground.rotate("z", psi)
    m.body("hoop", frame, mass=1, inertia=(0.5, 0.5, 0.5))
    m.particle("bead", frame.point(sb.sin(a), 0, -sb.cos(a)), mass=1)
    return sb.derive(m)


def test_all_positions_of_a_bead():
    """cos a = g / (r ω²), and both ends of the diameter: four of them, the nearest first."""
    found = sb.steady_motions(hoop(), {"psi_dot": 5.0}, start={"a": 1.0})
    angles = sorted((motion["a"] + math.pi) % (2 * math.pi) - math.pi for motion in found)
    tilted = math.acos(9.81 / 25)
    expected = sorted([-tilted, 0.0, tilted, math.pi])
    assert len(found) == 4
    assert min(abs(abs(angles[0]) - math.pi), abs(abs(angles[-1]) - math.pi)) < 1e-9
    assert sorted(x for x in angles if abs(x) < 3) == pytest.approx(expected[:3], abs=1e-9)
    distances = [motion.distance for motion in found]
    assert distances == sorted(distances)
    assert found[0]["a"] == pytest.approx(tilted)


def test_failure_keeps_what_was_computed():
    """A truss under a load that its bars cannot carry at a height that is given: the numbers, the row, and why."""
    m = sb.Model("overloaded")
    (q,) = m.coordinates("q")
    m.particle("mass", m.ground.point(q, 0, 0), mass=1)
    m.generalized_force("bounded", q, 2 - sb.sin(q))
    motion = sb.steady(sb.derive(m))
    assert not motion.is_steady
    assert motion.worst == "balance of q_dot"
    assert math.sin(motion["q"]) == pytest.approx(1.0, abs=1e-3)
    assert motion.evaluations > 0
    assert "in balance of q_dot" in motion.outcome


def test_failure_names_inputs_that_are_zero():
    m = sb.Model("hoist")
    m.gravity(0, -9.81, 0)
    F = m.input("F")
    m.prismatic("h", m.ground, m.body("load", mass=2), axis="y", actuation=F)
    eq = sb.derive(m)
    for given in ({}, {"h": 0.5}):
        assert "input F acts there and is zero: free=['F'] would find its value" in str(sb.steady(eq, given).outcome)
    assert sb.steady(eq, free=["F"])["F"] == pytest.approx(19.62)


# ------------------------------------------------------------------------------------------------ laws


@pytest.mark.parametrize("stiffness", [1e2, 1e5, 1e8])
def test_solution_as_start_stays(stiffness):
    eq = sprung(stiffness)
    motion = sb.steady(eq, start={"b": -0.3, "c": -0.6})
    assert motion.is_steady, motion.outcome
    again = sb.steady(eq, start=motion)
    assert again.distance < 1e-12
    assert "from the start" in again.outcome or "at the start" in again.outcome


@pytest.mark.parametrize(("stiffness", "unit"), some([(1e2, 1e-3), (1e6, 1e-3), (1e2, 1e3), (1e6, 1e3)], 3))
def test_units_change_nothing(stiffness, unit):
    """Lengths in units of a thousand or a thousandth of a metre: forces become kg unit/s², torques kg unit²/s²,
    stiffnesses stay."""
    start = {"a": 0.3, "b": -0.3, "c": -0.6}
    plain, scaled = (sb.steady(sprung(stiffness, u), start=start) for u in (1.0, unit))
    assert plain.is_steady
    assert scaled.is_steady
    assert [scaled[q] for q in "abc"] == pytest.approx([plain[q] for q in "abc"], abs=1e-9)
    assert scaled.distance == pytest.approx(plain.distance, rel=1e-6)


@pytest.mark.parametrize("order", ["cba", "bca"])
def test_order_of_coordinates_changes_nothing(order):
    start = {"a": 0.3, "b": -0.3, "c": -0.6}
    plain, permuted = (sb.steady(sprung(1e4, order=o), start=start) for o in ("abc", order))
    assert [permuted[q] for q in "abc"] == pytest.approx([plain[q] for q in "abc"], abs=1e-9)


def test_bob_over_magnets_goes_to_the_nearest():
    """Seven equilibria next to each other: nearly always the one nearest to the start is taken, of all that are found
    from a grid of starts."""
    m = sb.Model("magnets")
    x, y = m.coordinates("x y")
    m.particle("bob", m.ground.point(x, y, 0), mass=0.1)
    V = 2.0 * (x**2 + y**2)
    for cx, cy in ((0.3, 0.0), (-0.15, 0.26), (-0.15, -0.26)):
        V = V - 0.05 / sb.sqrt((x - cx) ** 2 + (y - cy) ** 2 + 0.01)
    m.potential("field", V)
    eq = sb.derive(m)
    pull = sb.compile(eq).function("pull", {"f": eq.f})
    grid = [(a, b) for a in np.linspace(-0.6, 0.6, 13) for b in np.linspace(-0.6, 0.6, 13)]
    ends = [root(lambda w: pull(0.0, w, [0.0, 0.0]).ravel(), place) for place in grid]
    places = np.array([e.x for e in ends if e.success])
    draw, is_nearest = np.random.default_rng(0), []
    for _ in range(12):
        start = draw.uniform(-0.4, 0.4, 2)
        motion = sb.steady(eq, start={"x": start[0], "y": start[1]})
        assert motion.is_steady, motion.outcome
        apart = np.hypot(*(np.array([motion["x"], motion["y"]]) - start))
        is_nearest.append(apart <= 1.02 * np.hypot(*(places - start).T).min() + 1e-9)
    assert sum(is_nearest) >= 10, sum(is_nearest)


def test_noise_of_one_row_excuses_no_other():
    """A dumb-bell in orbit: the moment about the Earth's centre vanishes by itself, so that its row is rounding with
    slopes of rounding; the spring between the masses is at rest all the same, and points along the vertical."""
    m = sb.Model("dumb-bell")
    mu = m.parameter("mu", 3.986004418e14)
    r, a, pitch, length = m.coordinates("r a pitch length")
    frame = m.ground.rotate("z", a)
    first, second = frame.point(r, 0, 0), frame.translate(r, 0, 0).rotate("z", pitch).point(length, 0, 0)
    m.particle("first", first, mass=500)
    m.particle("second", second, mass=20)
    m.central_gravity("earth", mu)
    m.spring("rod", first, second, stiffness=10.0, rest=100.0)
    eq = sb.derive(m)
    draw = np.random.default_rng(5)
    for _ in range(6):
        off = draw.uniform(-1, 1, 4)
        start = {"r": 7e6 + 20 * off[0], "a": 0.5 * off[1], "pitch": 0.5 * off[2], "length": 100 + 20 * off[3]}
        found = sb.steady(eq, a_dot=(3.986004418e14 / 7e6**3) ** 0.5, start=start)
        assert found.is_steady, found.outcome
        assert np.sin(2 * found.values["pitch"]) == pytest.approx(0, abs=1e-6)
        assert found["length"] == pytest.approx(100, abs=0.01)


@pytest.mark.parametrize("seed", some(range(6), 3))
def test_the_pole_of_a_spring_is_no_equilibrium(seed):
    """Where the spring has no length its direction, and the force of 10 N, is anything: rounding errors are large there,
    but do not excuse the 20 Nm that are left."""
    eq = sprung(1e2)
    beside = 1e-6 * np.random.default_rng(seed).normal(size=3)
    start = dict(zip("abc", np.array([-0.34857145, 0.40764486, -1.81866231]) + beside, strict=True))
    found = sb.steady(eq, start=start)
    assert found.outcome
    at = found.state
    left = np.ravel(sb.compile(eq).f(0.0, at.q, at.u, *([at.p] if len(at.p) else [])))
    assert left == pytest.approx(np.zeros(3), abs=1e-9)


def test_without_loads_multipliers_are_zero():
    """Rows of constraints take no part in what multipliers are, not even by rounding: 1e-34 N would be left in rows that
    have nothing larger to be small beside."""
    motion = sb.study.Study(sb.study.find_model("slider_crank")).steady
    radius = sb.symbol("r")
    found = {s: motion.found[s] for s in motion.unknowns}
    for r in np.linspace(0.1, 0.2, 21):
        found = motion.solve({radius: r}, found)
        assert found[sb.symbol("lam_bearing_x", "multiplier")] == 0
        assert found[sb.symbol("lam_bearing_y", "multiplier")] == 0

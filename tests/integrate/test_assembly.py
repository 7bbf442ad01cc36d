"""States from partial and rough configurations: the constraints hold to rounding, what was given is kept, and where
that cannot be the message names the joints and the values."""

import math
from typing import Any

import numpy as np
import pytest

import symbody as sb
from examples import four_bar_spatial, quadrangle, sleigh, slider_crank, spatial_crank, tuomela_pendulum
from symbody.errors import AssemblyError
from symbody.integrate.start.assembly import all_assemblies, assemble
from symbody.integrate.start.configuration_search import unwound
from symbody.integrate.start.state import State, violation
from tests.amount import FULL
from tests.hard_cases import four_bar as hard_four_bar
from tests.mechanisms import random_loop


def turned(a: float, b: float) -> float:
    """Angle between two directions."""
    return math.remainder(a - b, 2 * math.pi)


def keeps(state: State, tolerance: float = 1e-13) -> bool:
    """Whether the constraints hold, evaluated by another way than the one that assembled."""
    eq = state.equations
    values = eq.values(state.values, otherwise=0)
    phi, Jc, b = (np.array(sb.evaluate(m, values), dtype=float) for m in (eq.phi, eq.Jc, eq.b))
    norms = [sum(state[e] ** 2 for e in group) - 1 for group in eq.mechanism.norms]
    off = [*phi.ravel(), *norms, *(Jc.reshape(len(eq.lam), len(eq.u)) @ state.u + b.ravel())]
    return bool(np.max(np.abs(off), initial=0.0) <= tolerance * (1 + np.max(np.abs([*state.q, *state.u]), initial=0.0)))


def four_bar(crank: float = 0.4, coupler: float = 1.0, rocker: float = 0.7, span: float = 0.9) -> sb.Equations:
    m = sb.Model("four-bar")
    lengths = m.parameters("l1 l2 l3", crank, coupler, rocker)
    parent, at = m.ground, (0, 0, 0)
    for name, l in zip(("crank", "coupler", "rocker"), lengths, strict=True):
        body = m.body(name, shape=sb.bar(l, "x", at=(l / 2, 0, 0)), mass=1)
        m.revolute(name, parent, body, at=at)
        parent, at = body, (l, 0, 0)
    m.coincide("end", m.ground.point(m.parameter("span", span), 0, 0), parent.point(*at), axes="xy")
    return sb.derive(m, check=False)


# ------------------------------------------------------------------------------------------------ closed loops


def test_slider_crank_from_one_angle_and_one_speed():
    """The state of the example follows from two of its six numbers."""
    given = {n: slider_crank.START[n] for n in ("alpha", "alpha_dot")}
    state = assemble(sb.derive(slider_crank.model()), given, start={"x": 0.5, "beta": 1.0})
    assert state.values == pytest.approx({**state.values, **slider_crank.START}, abs=1e-14)
    assert state["alpha"] == given["alpha"]
    assert state["alpha_dot"] == given["alpha_dot"]
    assert state.degrees_of_freedom == 1
    assert state.redundant == {}
    assert keeps(state)


def test_both_branches_of_a_four_bar():
    """A start above or below the ground line decides; `all_assemblies` finds both, whose couplers mirror each other in
    the diagonal."""
    eq = four_bar()
    up, down = (assemble(eq, crank=0.9, start={"coupler": -s, "rocker": -2 * s}) for s in (1, -1))
    assert keeps(up)
    assert keeps(down)
    diagonal = math.atan2(-0.4 * math.sin(0.9), 0.9 - 0.4 * math.cos(0.9))
    angles = [s["crank"] + s["coupler"] - diagonal for s in (up, down)]
    assert turned(angles[0], -angles[1]) == pytest.approx(0, abs=1e-14)
    assert abs(turned(angles[0], angles[1])) > 0.5
    found = all_assemblies(eq, crank=0.9)
    assert len(found) == 2
    for state in (up, down):
        assert any(np.allclose([turned(a, b) for a, b in zip(state.q, f.q, strict=True)], 0, atol=1e-13) for f in found)


def test_spatial_loop_turns_with_its_crank():
    """Everything but the crank is found; speeds are the derivative of the configuration with respect to the crank."""
    eq = sb.derive(four_bar_spatial.model())
    rest = {"q2": 0.4, "q3": -0.4, "q4": 0.0}
    state = assemble(eq, q1=0.4, q1_dot=1.5, start=rest)
    assert keeps(state)
    assert state.degrees_of_freedom == 1
    h = 1e-5
    after, before = (assemble(eq, q1=0.4 + s * h, start=rest).q for s in (1, -1))
    assert state.u == pytest.approx(1.5 * (after - before) / (2 * h), abs=1e-8)


@pytest.mark.parametrize("example", [spatial_crank, quadrangle], ids=lambda e: e.__name__)
def test_loops_of_euler_parameters(example):
    """From the printed configuration, disturbed by a tenth everywhere, to one near by in which everything holds."""
    eq = sb.derive(example.model())
    printed = State.of(eq, example.START if hasattr(example, "START") else example.start())
    disturbed = printed.q + 0.1 * np.random.default_rng(3).uniform(-1, 1, len(eq.q))
    state = assemble(eq, start=dict(zip((q.name for q in eq.q), disturbed, strict=True)))
    assert keeps(state)
    assert np.max(np.abs(state.q - printed.q)) < 0.4
    assert state.degrees_of_freedom == 1


@pytest.mark.parametrize("seed", range(40 if FULL else 12))
def test_random_loops(seed):
    """Loops of every kind, from rough coordinates and speeds: the constraints hold, and nothing nearer to the start can
    be had by a small step along them."""
    sample = random_loop(seed)
    eq = sb.derive(sample.mechanism, check=False)
    random = np.random.default_rng(seed)
    near = State.of(eq, {n: v for n, v in sample.start.items() if n != "t"})
    start = {q.name: near[q.name] + random.uniform(-0.2, 0.2) for q in eq.q}
    start |= {u.name: random.uniform(-1, 1) for u in eq.u}
    time = {"t": sample.start["t"]} if "t" in sample.start else {}
    state = assemble(eq, time, start=start)
    assert keeps(state, 1e-11)
    assert state.violation == violation(eq, state)
    moved_u = state.u - [start[u.name] for u in eq.u]
    values = eq.values(state.values, otherwise=0)
    if eq.lam:
        Jc = np.array(sb.evaluate(eq.Jc, values), dtype=float).reshape(len(eq.lam), -1)
        assert np.linalg.norm(_tangential(Jc, moved_u)) < 1e-10
    rows = [*eq.phi.entries, *(sum(x * x for x in e) for e in eq.mechanism.norms)]
    if rows:
        slopes = np.array(sb.evaluate(sb.jacobian(rows, eq.q), values), dtype=float).reshape(len(rows), -1)
        assert np.linalg.norm(_tangential(slopes, state.q - [start[q.name] for q in eq.q])) < 1e-4


def _tangential(J: np.ndarray, x: np.ndarray) -> np.ndarray:
    return x - np.linalg.lstsq(J, J @ x, rcond=1e-9)[0]


# ------------------------------------------------------------------------------------------- what is kept, and how much


def test_weights_say_what_moves():
    """Two sliders a metre apart on a line: each moves in inverse proportion to its weight."""
    m = sb.Model("sliders")
    a, b = m.coordinates("a b")
    for q in (a, b):
        m.particle(f"at {q.name}", m.ground.point(q, 0, 0), mass=1)
    m.constrain("distance", b - a - 1)
    eq = sb.derive(m)
    state = assemble(eq, start={"a_dot": 1.0}, weights={"a": 3, "b_dot": 4})
    assert state.q == pytest.approx([-0.25, 0.75], abs=1e-14)
    assert state.u == pytest.approx([0.2, 0.2], abs=1e-14)


def test_whole_turns_are_taken_away():
    eq = four_bar()
    near = assemble(eq, crank=0.9, start={"coupler": -1, "rocker": -2})
    far = assemble(eq, crank=0.9, start={"coupler": -1 + 6 * math.pi, "rocker": -2})
    assert far["coupler"] == pytest.approx(near["coupler"] + 6 * math.pi, abs=1e-12)
    assert far["rocker"] == pytest.approx(near["rocker"], abs=1e-12)


def test_a_stretched_start_is_left_at_random():
    """From all bars in line no step helps; the outcome says that the start was moved."""
    state = assemble(four_bar(0.4, 0.5, 0.5, 0.9), crank=0.0)
    assert keeps(state)
    assert "moved at random" in state.outcome


def test_euler_parameters_as_people_write_them():
    """A whole orientation is normalised, a part of one is held and completed, a wrong one refused, a rough one brought
    to norm one."""
    eq = sb.derive(tuomela_pendulum.model())
    rounded = assemble(eq, bar_e0=0.7071, bar_e2=0.7071)
    assert (rounded["bar_e0"], rounded["bar_e1"]) == (pytest.approx(math.sqrt(0.5), abs=1e-15), 0)
    assert rounded["bar_z"] == pytest.approx(-0.765, abs=1e-14)
    assert keeps(rounded)
    partial = assemble(eq, bar_e0=0.8, start={"bar_e3": 0.1})
    assert partial["bar_e0"] == 0.8
    assert partial["bar_e3"] == pytest.approx(0.6, abs=1e-13)
    assert keeps(partial)
    rough = assemble(eq, start={"bar_e0": 2.0, "bar_e1": 1.0})
    assert keeps(rough)
    with pytest.raises(AssemblyError, match=r"bar_e0 = 0.8, .* of norm 0.824621, which must be 1; .*start="):
        assemble(eq, bar_e0=0.8, bar_e1=0.2, bar_e2=0, bar_e3=0)


def test_rates_that_are_no_speeds():
    """A dependent speed of a minimal form, given by the rate of its coordinate."""
    eq = sb.minimal(sb.derive(slider_crank.model()), ["alpha_dot"])
    start = {n: v for n, v in slider_crank.START.items() if not n.endswith("_dot")}
    state = assemble(eq, alpha=start.pop("alpha"), beta_dot=slider_crank.START["beta_dot"], start=start)
    assert state.u == pytest.approx([slider_crank.START["alpha_dot"]], abs=1e-13)
    assert state.degrees_of_freedom == 1


# --------------------------------------------------------------------------------------- nonholonomic, time, additional


def test_nonholonomic_rows_bind_speeds_only():
    eq = sb.derive(sleigh.model())
    state = assemble(eq, sleigh.START, q1_dot=1.0)
    assert [state[n] for n in ("q1", "q2", "q3", "q1_dot")] == [5.0, 5.0, 1.0, 1.0]
    assert state["q2_dot"] * math.cos(1) - math.sin(1) + state["q3_dot"] == pytest.approx(0, abs=1e-15)
    assert state["q2_dot"] / state["q3_dot"] == pytest.approx(math.cos(1), abs=1e-13)  # least speeds
    assert state.degrees_of_freedom == 2


def test_constraints_that_depend_on_time():
    m = sb.Model("driven")
    q, s = m.coordinates("q s")
    m.particle("bead", m.ground.rotate("z", q).point(s, 0, 0), mass=1)
    m.prescribe("drive", q, sb.sin(3 * m.time))
    state = assemble(sb.derive(m), t=0.4, s=0.2)
    assert (state.t, state["s"]) == (0.4, 0.2)
    assert state["q"] == pytest.approx(math.sin(1.2), abs=1e-15)
    assert state["q_dot"] == pytest.approx(3 * math.cos(1.2), abs=1e-15)


def test_algebraic_variables_are_solved_for():
    """y³ + y = q' + r is algebraic; z' = -z + y is not, and z stays where it starts."""
    m = sb.Model("additional")
    q, y, z, r = m.coordinate("q"), m.variable("y"), m.variable("z"), m.input("r")
    bead = m.particle("bead", m.ground.point(q, 0, 0), mass=1)
    m.force("pull", bead, m.ground.vector(y + z, 0, 0), at=m.ground.point(q, 0, 0))
    m.equation("law", y**3 + y - q.dot - r)
    m.equation("lag", z.dot + z - y)
    eq = sb.derive(m)
    state = assemble(eq, q_dot=8.0, r=2.0, start={"z": 0.3})
    assert state["y"] == pytest.approx(2, abs=1e-14)
    assert state["z"] == 0.3
    with pytest.raises(AssemblyError, match=r"additional equations: .*law"):
        assemble(eq, q_dot=8.0, y=1.0)


# ----------------------------------------------------------------------------------------- redundancy and impossibility


def test_plane_loop_with_joints_of_space_is_redundant():
    """Free bodies joined by four revolute joints in a plane: twenty conditions of which three follow from the
    others."""
    m = sb.Model("redundant")
    lengths, joints = (0.4, 1.0, 0.7), []
    bodies = [m.body(f"bar{k}", mass=1, inertia=(0.1, 0.1, 0.1)) for k in range(3)]
    for b in bodies:
        m.free(b.name, m.ground, b, sequence="euler parameters")
    ends: list[tuple[Any, Any]] = [
        (m.ground, (0, 0, 0)),
        *((b, (l, 0, 0)) for b, l in zip(bodies, lengths, strict=True)),
    ]
    others: list[Any] = [*bodies, m.ground]
    for k, ((a, at), b) in enumerate(zip(ends, others, strict=True)):
        joints.append(f"hinge{k}")
        m.revolute(joints[-1], a, b, at=at, on=(0.9, 0, 0) if b is m.ground else (0, 0, 0))
    eq = sb.derive(m, check=False)
    angles = 1.0, 0.2, -1.0
    start = {f"bar{k}_e0": math.cos(a / 2) for k, a in enumerate(angles)}
    start |= {f"bar{k}_e3": math.sin(a / 2) for k, a in enumerate(angles)}
    state = assemble(eq, start=start)
    assert keeps(state)
    assert len(eq.lam) == 20
    assert len(state.redundant) == 3
    assert state.degrees_of_freedom == 1
    assert all(name.startswith("hinge3.") for name in state.redundant)
    assert {other.split(".")[0] for others in state.redundant.values() for other in others} >= set(joints[:3])
    assert "3 of 20 constraints are redundant here: 'hinge3." in state.outcome


def test_singular_configuration_has_more_freedom():
    """A parallelogram in line: the second condition is the first one, so both ways out are open."""
    state = assemble(four_bar(1, 2, 1, 2), crank=0.0, coupler=0.0, rocker=math.pi)
    assert state.degrees_of_freedom == 2
    assert state.redundant == {"end.x": ()}


def test_impossible_loop_names_the_joint_and_the_gap():
    """Bars of 0.4 + 0.1 + 0.2 do not span 0.9."""
    with pytest.raises(
        AssemblyError, match=r"joint 'end' stays open by 0\.2 \(length\): end\.x = -0\.2.*Check the lengths"
    ):
        assemble(four_bar(0.4, 0.1, 0.2, 0.9))


def test_impossible_angle_is_told_from_a_length():
    m = sb.Model("tilted")
    arm = m.body("arm", mass=1, inertia=(1, 1, 1))
    m.revolute("hinge", m.ground, arm, axis="z")
    m.revolute("other hinge", m.ground, arm, axis="z", orientation=[[1, 0, 0], [0, 0.8, -0.6], [0, 0.6, 0.8]])
    with pytest.raises(AssemblyError, match=r"joint 'other hinge' stays open by 0\.\d+ rad: other hinge\.tilt"):
        assemble(sb.derive(m, check=False))


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"x": 5.0}, r"x = 5 cannot be reached .*Near them it closes at x = 0\.7"),
        ({"x": 0.5, "alpha": 0.1, "beta": 0.3}, r"3 values are given where the constraints leave 1 free .*joint 'bearing' stays open by"),
        ({"x": 0.5, "x_dot": 1, "alpha_dot": 9}, r"x_dot = 1, alpha_dot = 9 cannot hold together: 2 .* leave 1 free \(joint 'bearing' opens by"),
        ({"foo": 1.0}, r"'foo' is neither a name of the model nor an option; names are t, x, alpha, beta"),
        ({"values": {"foo": 1.0}}, r"there is no .* 'foo'; there are x, alpha, beta"),
        ({"beta_dt": 1.0}, r"Did you mean 'beta_dot'"),
        ({"x": math.nan}, r"x = nan is not a finite number"),
        ({"x": math.inf}, r"x = inf is not a finite number"),
        ({"x": [1, 2]}, r"x must be one number, got \[1, 2\]"),
        ({"weights": {"x": 1.0}, "x": 2.0}, r"x cannot be held as given and be in weights"),
        ({"start": {"r": 1.0}}, r"start is for coordinates, speeds and additional variables .* r is not"),
        ({"weights": {"x": 0.0}}, r"weights must be positive, got x = 0"),
    ],
)  # fmt: skip
def test_bad_input_is_named(given, says):
    with pytest.raises(AssemblyError, match=says):
        assemble(sb.derive(slider_crank.model()), **given)


def test_prescribed_motions_that_contradict_each_other():
    m = sb.Model("torn")
    q = m.coordinate("q")
    m.particle("bead", m.ground.point(q, 0, 0), mass=1)
    m.constrain_speed("first", q.dot - 1)
    m.constrain_speed("second", q.dot - 2)
    with pytest.raises(
        AssemblyError, match=r"contradict each other here: constraint 'first' opens: first = 0.5; constraint 'second'"
    ):
        assemble(sb.derive(m, check=False))


def test_parameters_without_values_are_listed_with_units():
    m = sb.Model("bare")
    m.particle("bead", m.ground.point(m.coordinate("q") * m.parameter("l", unit="m"), 0, 0), mass=m.parameter("mass"))
    with pytest.raises(AssemblyError, match=r"no value for l \[m\], mass \[kg\]; give them by name"):
        assemble(sb.derive(m))
    assert assemble(sb.derive(m), l=2.0, mass=1.0)["l"] == 2.0


# ------------------------------------------------------------------------------------------------ states


def test_state_from_plain_values():
    """Off the constraints it says by how much and where; wrong sizes, names and numbers are refused; its arrays are not
    written to."""
    eq = sb.derive(hard_four_bar().mechanism)
    state = State.of(eq, {"q0": 0.8, "q1": -0.6, "q0_dot": 1.0})
    values = eq.values(state.values, otherwise=0)
    phi = np.abs(sb.evaluate(eq.phi, values))
    assert state.violation.position == pytest.approx(np.max(phi), rel=1e-14)
    assert state.violation.position_row == eq.mechanism.holonomic[int(np.argmax(phi))].name
    assert state.violation.speed > 0.1
    assert state["l2"] == 1.0
    assert state[eq.u[0]] == 1.0
    assert "1 degree of freedom; off the constraints by" in repr(state)
    with pytest.raises(ValueError, match="read-only"):
        state.q[0] = 1.0
    with pytest.raises(AssemblyError, match=r"u has 3 entries \(q0_dot, q1_dot, q2_dot\), got 1"):
        State(eq, 0.0, state.q, np.ones(1), state.z, state.r, state.p)
    with pytest.raises(AssemblyError, match=r"q1 = nan; a state is of finite numbers"):
        State(eq, 0.0, np.array([0, np.nan, 0]), state.u, state.z, state.r, state.p)
    with pytest.raises(AssemblyError, match=r"there is no quantity 'q9'"):
        state["q9"]


def test_the_nearer_sign_of_euler_parameters():
    """e and -e are one orientation. The quadrangle with its crank held closes in two ways, each with coupler and rocker
    as they are or upside down, since a joint whose axes point against each other is closed as well: eight
    configurations, not four times as many."""
    eq, start = sb.derive(quadrangle.model()), quadrangle.start()
    crank = {n: start.pop(n) for n in ("crank_e0", "crank_e3")}
    found = all_assemblies(eq, crank, start=start, tries=80)
    assert len(found) == 8
    for state in found:
        assert keeps(state, 1e-12)
        for body in ("coupler", "rocker"):
            assert sum(state[f"{body}_e{k}"] * start.get(f"{body}_e{k}", 0.0) for k in range(4)) >= -1e-12


def test_unwound_takes_whole_turns_from_angles_only():
    """sin x = 0 does not change by whole turns of x; x - y does by those of each."""

    def rows(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.array([math.sin(x[0]), x[1] - x[2]]), np.array([[math.cos(x[0]), 0, 0], [0, 1, -1.0]])

    x = np.array([7 * math.pi, 20.0, 20.0])
    got = unwound(rows, x, np.zeros(3), np.arange(3))
    assert got == pytest.approx([math.pi, 20, 20], abs=1e-12) or got == pytest.approx([-math.pi, 20, 20], abs=1e-12)


@pytest.mark.parametrize("sequence", ["zyx", "xyz", "zxz"])
def test_a_rotation_in_other_angles_is_no_other_assembly(sequence):
    """Places of two points of a body on a ball joint leave one rotation, which three angles write in two ways."""
    m = sb.Model("ball")
    body = m.body("body", mass=1, inertia=(1, 1, 1))
    m.spherical("s", m.ground, body, sequence)
    for name, place in {"a": (1, 0, 0), "b": (0, 1, 0)}.items():
        for axis in "xyz":
            m.output(f"{name}{axis}", body.point(*place).position().dot(getattr(m.ground, axis)))
    eq = sb.derive(m)
    angles = {"s_1": 0.4, "s_2": 0.7, "s_3": -0.3}
    at = sb.State.of(eq, angles)
    found = sb.all_assemblies(eq, {n: at[n] for n in ("ax", "ay", "az", "bx", "by", "bz")}, tries=40)
    assert len(found) == 1
    assert found.times[0] > 10

"""Iterations in real time beside IPOPT, funnels of feedback, motions with feedback in other languages."""

import numpy as np
import pytest

import symbody as sb
from bench.motion_cases import balance, cart_pole_equations
from symbody.kits import motions
from tests.amount import dear
from tests.write import fmus

pytest.importorskip("casadi", reason="casadi is not installed (pip install casadi)")


def test_iterations_reach_the_optimum_from_another_start():
    problem, there = balance(), {"x": 0.1, "a": np.pi - 0.1, "x_dot": 0.1}
    control = problem.realtime(15, iterations=15)
    found = control.step(there)
    problem.phases["go"].start(there)
    again = problem.solve(15)
    assert found.violation < 1e-6
    assert found.cost == pytest.approx(again.objective, rel=1e-4)
    assert found.inputs["F"] == pytest.approx(again["F"][0], abs=1e-2)


def test_work_is_linear_in_the_number_of_intervals():
    assert balance().realtime(5).bandwidth == balance().realtime(10).bandwidth


@pytest.mark.parametrize("kind", ["realtime", "controller"])
def test_two_iterations_a_step_balance_the_pole(kind):
    control, eq = getattr(balance(), kind)(15, iterations=2), cart_pole_equations()
    state, forces = {"x": 0.0, "a": np.pi + 0.2, "x_dot": 0.0, "a_dot": 0.0}, []
    for k in range(40):
        forces.append(control.step(state, shift=0.05 if k else 0.0).inputs["F"])
        sim = sb.simulate(eq, 0.05, state, inputs={"F": forces[-1]})
        state = {s.name: float(sim.final[s.name]) for s in eq.state}
    assert abs(state["a"] - np.pi) < 0.05
    assert max(map(abs, forces)) <= 8


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda: balance().realtime(5, iterations=0), "iterations= must be a positive whole number, got 0"),
        (lambda: balance().realtime(5).step(y=1), "there is no state 'y'"),
        (lambda: balance().realtime(5).step(x=np.nan), "x"),
    ],
)
def test_steps_that_make_no_sense(act, message):
    with pytest.raises(sb.ModelError, match=message):
        act()


def test_free_durations_are_refused():
    x, F = sb.symbols("x F", kind="variable")
    problem = motions.Problem("drift")
    go = problem.phase("go", sb.from_equations({x: F}, inputs=[F]), (0.5, 2)).start(x=0).end(x=1).bounds(F=(-1, 1))
    go.cost("time", integral=1)
    with pytest.raises(sb.ModelError, match=r"is for a fixed duration, got 0.5 to 2 s; fix it at 1 s"):
        problem.realtime(3)


def unstable():
    """x' = x³ + F: feedback of its linear part loses starts that are too far away."""
    x, F = sb.symbols("x F", kind="variable")
    problem = motions.Problem("unstable")
    go = problem.phase("go", sb.from_equations({x: x**3 + F}, inputs=[F]), 3.0).start(x=0.1).end(x=0)
    go.cost("effort", integral=F**2)
    return problem.solve(20)


def test_funnel_ends_where_feedback_fails():
    motion = unstable()
    law = motion.feedback(Q=1.0, R=1.0)
    near, far = (motion.funnel(law, {"x": d}, tolerance=0.1, count=8) for d in (0.3, 3.0))
    assert near.fraction == 1.0
    assert 0 < far.fraction < 1
    assert np.abs(far.starts[far.arrives]).max() < np.abs(far.starts[~far.arrives]).max()
    assert near.widths["x"][0] == pytest.approx(np.abs(near.starts).max())
    with pytest.raises(sb.ModelError, match="there is no state 'y'"):
        motion.funnel(law, {"y": 1})


def test_motion_with_feedback_is_exported(tmp_path):
    """The closed loop is a set of equations, with tables of inputs and gains."""
    motion = unstable()
    eq = motion.transcription.meshes["go"].phase.equations
    closed = sb.integrate.closed_loop(eq, motion.feedback())
    files = sb.write.c(closed, tmp_path / "c")
    text = "".join(p.read_text() for p in (tmp_path / "c").glob("*.[ch]"))
    assert files
    assert f"{motion['F'][5]:.6g}"[:6] in text


@dear
def test_motion_with_feedback_is_an_fmu(tmp_path):
    """FMPy moves it as `simulate` does, also from a start beside the motion."""
    motion = unstable()
    closed = sb.integrate.closed_loop(motion.transcription.meshes["go"].phase.equations, motion.feedback())
    path = sb.write.fmu(closed, tmp_path / "motion.fmu")
    assert path.stat().st_size > 1000
    times = np.linspace(0, float(motion.t[-1]), 21)
    start = {s.name: 1.1 * float(motion[s.name][0]) for s in closed.state}
    expected = sb.simulate(closed, times, start, rtol=1e-11)
    for kind in (fmus.ME, fmus.CS):
        found = fmus.motion(path, kind, list(start), times, start_values=start)
        assert found == pytest.approx(np.column_stack([expected[n] for n in start]), abs=1e-5)


def test_contacts_of_unknown_order_in_real_time():
    """Force and gap exclude each other after the steps of a controller, too: a spring is wanted to pull through a wall."""
    x, v, F, N = sb.symbols("x v F N", kind="variable")
    problem = motions.Problem("wall")
    go = problem.phase("go", sb.from_equations({x: v, v: F + N}, inputs=[F, N]), 2.0).start(x=1, v=0)
    go.bounds(F=(-1, 1)).complementary("wall", N, x).cost("far", integral=(x - 4) ** 2 + v**2 + F**2 / 10)
    control = problem.realtime(12, iterations=20, method="radau", degree=1)
    step = control.step(x=0.8)
    mesh = control.motion.transcription.meshes["go"]
    nodes = {s.name: control.z[mesh.index[:, j]] for s, j in mesh.place.items()}
    assert step.violation < 1e-6
    assert (nodes["N"] * nodes["x"])[1:].max() < 2e-6

"""Optima that are known: in closed form, from documents, from another program."""

import signal

import numpy as np
import pytest
from scipy.linalg import expm

import symbody as sb
from bench.motion_cases import (
    CASES,
    CRANE,
    brachistochrone,
    cart_pole,
    cart_pole_equations,
    crane,
    cycloid_time,
    luus_arm,
)
from symbody.kits import motions
from symbody.kits.motions.transcription import ipopt_solver
from tests.amount import FULL, dear

pytest.importorskip("casadi", reason="casadi is not installed (pip install casadi)")
CHEAP = ("brachistochrone", "Goddard", "Luus' arm", "slew of a satellite", "satellite with panels", "lap on a circle")


@pytest.mark.parametrize(
    "case", [c for c in CASES if c.optimum is not None and (FULL or c.name in CHEAP)], ids=lambda c: c.name
)
def test_published_optimum(case):
    motion = case.make().solve(case.intervals, method=case.method)
    assert motion.outcome
    assert motion.objective == pytest.approx(case.optimum, rel=case.tolerance)


def test_brachistochrone_by_refinement():
    motion = brachistochrone().solve(5, accuracy=1e-7)
    assert motion.objective == pytest.approx(cycloid_time(), rel=1e-8)
    assert motion.error < 1e-7 < min(motion.history)
    assert motion.check().relative < 1e-5


def test_torques_of_the_fastest_arm_switch():
    """One switch at the shoulder and two at the elbow, as Luus found; `simulate` arrives where it should."""
    motion = luus_arm().solve(30, method="radau", accuracy=1e-4)
    switches = [(np.diff(np.sign(motion[r][np.abs(motion[r]) > 0.5])) != 0).sum() for r in ("at_shoulder", "at_elbow")]
    assert switches == [1, 2]
    assert 2.982 < motion.objective < 2.98302
    assert motion.check().relative < 5e-3
    assert {(a.name, a.side) for a in motion.active} == {
        (r, s) for r in ("at_shoulder", "at_elbow") for s in ("lower", "upper")
    }


def test_crane_against_the_gramian():
    """Least ∫ a² of a linear system: dᵀ W⁻¹ d with the Gramian W (by the exponential of Van Loan)."""
    l, g, T, d = (CRANE[k] for k in ("length", "g", "time", "distance"))
    A = np.array([[0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1], [0, 0, -g / l, 0]])
    b = np.array([[0], [1], [0], [-1 / l]])
    E = expm(T * np.block([[-A, b @ b.T], [np.zeros((4, 4)), A.T]]))
    W = E[4:, 4:].T @ E[:4, 4:]
    end = np.array([d, 0, 0, 0])
    motion = crane().solve(20, method="radau")
    assert motion.objective == pytest.approx(end @ np.linalg.solve(W, end), rel=1e-7)


def test_length_is_chosen_with_the_motion():
    """A pendulum falls from rest to the vertical in a given time: its length follows from the period."""
    m = sb.Model("pendulum")
    l = m.parameter("l", 1.0)
    m.revolute("a", m.ground, m.body("bob", mass=1, com=(0, -l, 0)))
    m.gravity(0, -9.81, 0)
    problem = motions.Problem("fall")
    problem.phase("fall", sb.derive(m), 0.5).start(a=0.01, a_dot=0).end(a=0)
    problem.choose(l=(0.2, 5))
    motion = problem.solve(10, method="radau")
    assert motion.parameters["l"] == pytest.approx(9.81 / np.pi**2, rel=1e-4)


def test_rates_of_inputs_are_bounded():
    """A cart whose force changes by at most 10 N/s needs longer than 2 s, by the jerk-limited formula."""
    x, v, F = sb.symbols("x v F", kind="variable")
    problem = motions.Problem("cart")
    push = problem.phase("push", sb.from_equations({x: v, v: F}, inputs=[F]), duration=(0.1, 10))
    push.start(x=0, v=0).end(x=1, v=0).cost("time", integral=1).rates(F=(-10, 10)).bounds(F=(-1, 1)).start(F=0).end(F=0)
    T = problem.solve(60, method="radau").objective
    # t_j of jerk, t_a at full force, twice forwards and backwards: x = F t_a'(t_a' + t_j) with t_a' = t_a + t_j
    t_j = 0.1
    t_a = (-t_j + np.sqrt(t_j**2 + 4)) / 2
    assert pytest.approx(2 * (t_a + t_j), rel=1e-3) == T


def test_shadow_price_of_a_condition():
    """∫ F² = 12 d² for a distance d at rest in 1 s: its derivative is 24 d."""
    x, v, F = sb.symbols("x v F", kind="variable")
    problem = motions.Problem("cart")
    push = problem.phase("push", sb.from_equations({x: v, v: F}, inputs=[F]), 1.0).start(x=0, v=0).end(v=0)
    push.condition("distance", x, 2.0).cost("effort", integral=F**2)
    motion = problem.solve(5)
    assert motion.objective == pytest.approx(48)
    assert motion.shadow_prices["condition 'distance' at the end"] == pytest.approx(48, rel=1e-6)


@dear
def test_feedback_along_a_swing_up():
    """The pole begins beside its place: without feedback it misses the top, with it it arrives."""
    eq = cart_pole_equations()
    motion = cart_pole().solve(40, accuracy=1e-5)
    law = motion.feedback(Q=10.0, R=0.1, end=100.0)
    missed = [
        abs(sb.simulate(eq, 2.0, a=0.1, inputs=r).final["a"] - np.pi) for r in (motion.input_samples("swing"), law)
    ]
    assert missed[1] < 0.05 < missed[0]


def test_prices_are_differences_of_optima():
    """Of values that are prescribed at the ends of two phases, of a condition, an integral and bounds."""

    def optimum(x_end=2.0, most=0.9, at=1.0, work=1.5):
        x, v, F = sb.symbols("x v F", kind="variable")
        eq = sb.from_equations({x: v, v: F - 0.3 * v}, inputs=[F])
        problem = motions.Problem("cart")
        go, rest = problem.phase("go", eq, 1.0).start(x=0, v=at), problem.phase("rest", eq, 1.0)
        go.bounds(v=(None, most + 0.2)).integral("work", F * v, (None, work - 1.5))
        problem.link(go.cost("effort", integral=F**2), rest.cost("effort", integral=F**2).condition("place", x, x_end))
        return problem.solve(8, tolerance=1e-11)

    motion, h = optimum(), 1e-4
    prices = {
        "x_end": motion.shadow_prices["condition 'place' at the end of rest"],
        "at": motion.shadow_prices["v at the start of go"],
        "work": motion.shadow_prices["integral 'work' of go"],
        "most": sum(a.price for a in motion.active if (a.name, a.phase) == ("v", "go")),
    }
    centre = {"x_end": 2.0, "most": 0.9, "at": 1.0, "work": 1.5}
    for name, x in centre.items():
        slope = (optimum(**{name: x + h}).objective - optimum(**{name: x - h}).objective) / (2 * h)
        assert prices[name] == pytest.approx(slope, abs=1e-4 + 1e-3 * abs(slope)), name
    assert sum(abs(p) > 1e-3 for p in prices.values()) >= 3


def test_interrupt_ends_the_search(monkeypatch):
    """Ctrl-C inside IPOPT; afterwards it raises as usual, and the problem is solved as before."""
    counted = ipopt_solver._IterationCount._count

    def interrupting(self, mode, iteration, *given):
        if iteration == 3:
            signal.raise_signal(signal.SIGINT)
        return counted(self, mode, iteration, *given)

    problem = brachistochrone()
    with monkeypatch.context() as patched:
        patched.setattr(ipopt_solver._IterationCount, "_count", interrupting)
        with pytest.raises(KeyboardInterrupt):
            problem.solve(10)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    motion = problem.solve(10)
    assert motion.outcome
    assert problem.solve(10).objective == motion.objective  # by the same solver, again

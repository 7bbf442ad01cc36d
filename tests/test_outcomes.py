"""`outcome` of every result is asked in the same way: true where what was asked for was found."""

import ast
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symbody as sb

from .package_sources import called_name, nodes, sources

x, v, a = sb.symbols("x v a", "variable")
k = sb.symbol("k")


def steady(is_there):
    return sb.steady(sb.from_equations({x: v, v: 1 + (-1 if is_there else 1) * x**2}), start={"x": 0.4})


def design(is_there):
    lin = sb.linear_system([[0, 1], [-k, -1]], defaults={k: 1.0})
    return sb.stability.design_parameters(lin, [-0.5 + 1j if is_there else -2 + 1j], ["k"])


def orbit(is_there):
    friction = (1 - x**2) * v if is_there else -v
    return sb.orbit(sb.from_equations({x: v, v: friction - x}), {"x": 2.0}, period=6.6)


def identification(is_there):
    t = np.linspace(0, 2, 9)
    given: dict[str, Any] = {} if is_there else {"max_steps": 1}
    return sb.identify(sb.from_equations({x: -k * x}, {k: 1.0}), {"t": t, "x": 3 * np.exp(-5 * t)}, {"k": 0.1}, **given)


def simulation(is_there):
    return sb.simulate(sb.from_equations({x: x**2}), 0.5 if is_there else 2.0, x=1.0)


@pytest.mark.parametrize("search", [steady, design, orbit, identification, simulation])
def test_an_outcome_is_true_where_something_was_found(search):
    found, missed = search(True), search(False)
    assert found.outcome
    assert not missed.outcome
    assert str(missed.outcome) != ""  # it says what happened all the same
    again = pickle.loads(pickle.dumps(missed.outcome))
    assert not again
    assert str(again) == str(missed.outcome)


# ------------------------------------------------------------------------------------------------- outcomes that are dropped

ROOT = Path(__file__).parents[1]
SEARCHES = {"simulate", "simulate_modes", "simulate_batch", "steady", "orbit", "identify", "design_parameters", "brentq", "minimize", "least_squares", "solve_ivp", "root_scalar"}  # fmt: skip
ASKED = {"outcome", "is_converged", "is_steady", "failed", "success", "converged", "ending"}
LEFT_TO_OTHERS = {
    "kits/machines/bearings/journal_bearing.py eccentricity": "raises where it does not converge",
    "kits/machines/spectra/followed_modes.py meetings": "raises where it does not converge",
    "kits/motions/results/optimal_motion.py check": "the difference from a run that stops early is infinite; the runs are in the result",
    "kits/robots/excitation_motion.py excitation": "any motion excites; the condition number of the one found is part of the result",
    "kits/vehicles/measures/handling.py handling_diagram": "`branch` refuses a motion that is not steady",
    "kits/vehicles/wheels/rail_contact.py _ellipse": "raises where it does not converge",
    "kits/vehicles/wheels/rail_geometry.py contact": "raises where it does not converge",
    "stability/spectra/critical_values.py root": "raises where it does not converge",
    "write/live/live_part.py live_part": "the page simulates anew, and says how it ends",
}


def dropped_outcomes() -> Iterator[str]:
    """Functions that search, and neither look at the outcome nor return what they found."""
    for name, tree in sources(ROOT).items():
        if not any(isinstance(n, ast.Call) and called_name(n) in SEARCHES for n in nodes(tree)):
            continue
        for function in (n for n in nodes(tree) if isinstance(n, ast.FunctionDef)):
            parts = list(ast.walk(function))
            looked = {n.attr for n in parts if isinstance(n, ast.Attribute)} & ASKED
            returned = {id(n.value) for n in parts if isinstance(n, ast.Return)}
            calls = [n for n in parts if isinstance(n, ast.Call) and called_name(n) in SEARCHES]
            if not looked and any(id(n) not in returned for n in calls):
                yield f"{name.removeprefix('symbody/')} {function.name}"


def test_no_outcome_is_dropped() -> None:
    assert set(dropped_outcomes()) == set(LEFT_TO_OTHERS)


def test_a_step_test_says_how_its_motion_ended() -> None:
    delta = sb.symbol("delta")
    eq = sb.from_equations({x: x**2 + delta}, inputs=[delta])
    with pytest.raises(sb.errors.StudyError, match=r"step_test of .* at t = 1\.887.* steer by less than 1"):
        sb.kits.vehicles.step_test(eq, 1.0, responses=["x"])


def test_motions_that_do_not_go_on_have_no_attractor() -> None:
    """x' = x² from 0.3 is finite at t = 2, and not at t = 4; what goes to rest is an attractor."""
    eq = sb.from_equations({x: sb.where(x < 0, -x, x**2), v: -v})
    found = sb.basins(eq, x=(-0.5, 0.3), v=(-1, 1), t=2.0, points=(2, 2), near=0.5)
    assert found.which[1].tolist() == [-1, -1]
    assert (found.which[0] >= 0).all()

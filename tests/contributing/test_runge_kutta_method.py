"""A Runge-Kutta method is a table: a stranger adds one, and all that simulates takes it."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symbody as sb
from tests.laws.test_motion import sample

from .steps import imported, lines_of_code, lines_promised

METHOD = '''
"""Ralston's method of order 3 with the estimate of order 2 that its second and third stage give."""

from fractions import Fraction as F

import symbody as sb

RALSTON = sb.integrate.Tableau(
    "Ralston 3(2)",
    order=3,
    a=[[F(1, 2)], [0, F(3, 4)], [F(2, 9), F(1, 3), F(4, 9)]],
    c=[F(1, 2), F(3, 4), 1],
    errors=[[F(2, 9), F(1, 3) - 1, F(4, 9)]],
)
'''


@pytest.fixture
def ralston(tmp_path: Path) -> sb.integrate.Tableau:
    return imported(tmp_path / "ralston.py", METHOD).RALSTON


def test_it_takes_as_many_lines_as_the_page_says() -> None:
    assert lines_of_code(METHOD) == lines_promised("A Runge-Kutta method")


@pytest.mark.parametrize(("is_loop", "form"), [(False, "minimal"), (True, "projection"), (True, "partition")])
def test_its_order_is_measured(ralston: sb.integrate.Tableau, is_loop: bool, form: str) -> None:
    eq, start = sample(is_loop, 1)
    best = sb.simulate(eq, 0.3, start, rtol=1e-12).y[-1]

    def error(step: float) -> float:
        sim = sb.simulate(eq, 0.3, start, method=ralston, step=step, form=form)
        return float(np.abs(sim.y[-1] - best).max())

    assert math.log2(error(0.01) / error(0.0025)) / 2 == pytest.approx(3, abs=0.3)


def test_tolerances_steps_and_members(ralston: sb.integrate.Tableau) -> None:
    """Step control, events, batches and steppers take it as they take the methods that have names."""
    eq, start = sample(False, 2)
    times = np.linspace(0, 0.3, 4)
    best = sb.simulate(eq, times, start, rtol=1e-12).y
    sim = sb.simulate(eq, times, start, method=ralston, rtol=1e-7)
    assert sim.y == pytest.approx(best, rel=1e-5, abs=1e-5)
    assert sim.choices["method"] == "method Ralston 3(2)"
    q = eq.q[0]
    crossing = [sb.Event("met", q - best[2, 0], terminal=True)]
    met, known = (sb.simulate(eq, 0.3, start, method=m, events=crossing, rtol=1e-9).t[-1] for m in (ralston, "dp8"))
    assert met == pytest.approx(known, abs=1e-7)
    assert 0 < met < 0.3
    batch = sb.simulate_batch(eq, times, start, values={q: [start[q], start[q] + 0.1]}, method=ralston, rtol=1e-7)
    assert batch[0].y == pytest.approx(sim.y, rel=1e-9, abs=1e-9)
    env = sb.integrate.stepper(eq, 0.1, start, method=ralston, substeps=40)
    state = env.start
    for _ in range(3):
        state = env.step(state)
    assert np.asarray(state)[: len(eq.q)] == pytest.approx(best[-1, : len(eq.q)], abs=1e-5)


TABLE: dict[str, Any] = {"name": "mine", "order": 2, "a": [[1], [0.5, 0.5]], "c": [1, 1]}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"c": [0.5, 1]}, "row 0 of a has the sum 1, but c = 0.5"),
        ({"a": [[0, 1], [0.5, 0.5]]}, "row 0 of a uses stage 1, which comes later"),
        ({"order": 3}, "Σ b c^2 = 0.5, but 1/3 for a method of order 3"),
        ({"errors": [[0.5, 0.4]]}, "an error estimate have the sum 0.9, not 0"),
        ({"c": [1]}, "2 rows of a, 1 numbers in c"),
        ({"errors": [[1, -1]] * 3}, "3 estimates of the error"),
        ({"a": [["x"], [0.5, 0.5]]}, "a coefficient must be one number, got 'x'"),
    ],
)
def test_tables_that_are_no_method_are_refused(change: dict[str, Any], message: str) -> None:
    assert sb.integrate.Tableau(**TABLE) == sb.integrate.Tableau(**TABLE) != "mine"
    with pytest.raises(sb.errors.SimulationError) as refused:
        sb.integrate.Tableau(**TABLE | change)
    assert message in str(refused.value)


def test_a_method_without_an_estimate_takes_fixed_steps() -> None:
    eq, start = sample(False, 1)
    with pytest.raises(sb.errors.SimulationError, match="has no error control: give it a fixed step"):
        sb.simulate(eq, 0.1, start, method=sb.integrate.Tableau(**TABLE))

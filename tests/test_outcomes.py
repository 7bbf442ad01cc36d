"""`outcome` of every result is asked in the same way: true where what was asked for was found."""

import pickle

import numpy as np
import pytest

import symbody as sb

x, v, a = sb.symbols("x v a", "variable")
k = sb.symbol("k")


def steady(is_there):
    return sb.steady(sb.from_equations({x: v, v: 1 + (-1 if is_there else 1) * x**2}), start={"x": 0.4})


def design(is_there):
    return sb.linear_system([[0, 1], [-k, -1]], defaults={k: 1.0}).design([-0.5 + 1j if is_there else -2 + 1j], ["k"])


def orbit(is_there):
    friction = (1 - x**2) * v if is_there else -v
    return sb.orbit(sb.from_equations({x: v, v: friction - x}), {"x": 2.0}, period=6.6)


def identification(is_there):
    t = np.linspace(0, 2, 9)
    given = {} if is_there else {"max_steps": 1}
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

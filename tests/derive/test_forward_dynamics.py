"""Accelerations without constraints: all ways give the same, in terms of the equations they are asked for."""

from collections.abc import Callable

import pytest

import symbody as sb
from symbody import Model, derive
from symbody.derivation.forms.minimal import minimal
from symbody.derivation.programs.forward_dynamics import ways_to_accelerations
from symbody.integrate.inputs.inputs import with_inputs

from .mechanisms import chain, double_pendulum, four_bar, quasi
from .states import close, moving_state, numbers


@pytest.mark.parametrize(("model", "ways"), [(double_pendulum, 3), (chain, 3), (quasi, 2)])
def test_ways_agree(model: Callable[[], Model], ways: int) -> None:
    """As derived, and the shortest; articulated bodies where each speed moves one frame."""
    eq = derive(model())
    s = moving_state(eq)
    found = ways_to_accelerations(eq)
    assert len(found) == ways
    for way in found:
        assert close(numbers(way, s), numbers(eq.udot, s))


def test_inputs_that_were_put_in_are_in_every_way() -> None:
    """Equations with a law for an input do not have that input any more."""
    whole = derive(double_pendulum())
    eq, _ = with_inputs(whole, {"tau": sb.sin(whole.t) - 0.3 * whole.u[0]})
    s = moving_state(eq)
    ways = ways_to_accelerations(eq)
    assert len(ways) == 3
    for way in ways:
        assert set(sb.free_symbols(way)) <= set(eq.variables.arguments)
        assert close(numbers(way, s), numbers(eq.udot, s))


def test_other_speeds_leave_one_way() -> None:
    eq = minimal(derive(four_bar()))
    s = moving_state(eq)
    (way,) = ways_to_accelerations(eq)
    assert close(numbers(way, s), numbers(eq.udot, s))

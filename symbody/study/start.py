"""The initial state of a study: named values are held; where they cannot all be held, the changes are reported."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

from .. import integrate
from ..derivation.equations.equations import Equations
from ..errors import AssemblyError

SAME_VALUE: Final = 1e-9  # relative difference below which a value counts as unchanged


@dataclass(frozen=True)
class Moved:
    """A given value that could not be held."""

    name: str
    given: float
    found: float

    def __str__(self) -> str:
        return f"{self.name} from {self.given:z.7g} to {self.found:z.7g}"


def moves(given: Mapping[str, float], found: Any) -> tuple[Moved, ...]:
    """Given values that are others where they are looked up."""
    each = (Moved(name, value, float(found[name])) for name, value in given.items())
    return tuple(m for m in each if abs(m.found - m.given) > SAME_VALUE * max(1.0, abs(m.given)))


@dataclass(frozen=True)
class PlacedStart:
    """A state on the constraints, and the given values that differ in it."""

    state: integrate.State
    moved: tuple[Moved, ...] = ()

    def __str__(self) -> str:
        if not self.moved:
            return ""
        return (
            "the start was not on the constraints; moved to the nearest state on them: "
            f"{', '.join(map(str, self.moved))}"
        )


@dataclass(frozen=True)
class StartRequest:
    """Values of a start by name.

    given    values that are held where the constraints allow it
    firm     names of those that are held in any case
    is_rough given values are an initial guess, except for the firm ones
    near     initial guess of the other values
    inputs   laws of inputs that occur in constraints
    """

    given: Mapping[str, float]
    firm: Collection[str]
    is_rough: bool
    near: Mapping[str, float]
    inputs: Mapping[str, Any]


def placed_start(eq: Equations, parameters: Mapping[str, Any], asked: StartRequest) -> PlacedStart:
    """The start as given; else with the rest assembled around it; else the nearest state on the constraints that has
    the firm values."""
    closed = integrate.closed_loop(eq, asked.inputs) if asked.inputs else eq
    everything = {**parameters, **asked.near, **asked.given}
    if all(name in closed.variables.of("q u z r p t") for name in everything):
        state = integrate.State.of(closed, everything)
        if state.violation.is_small:
            return PlacedStart(_of(eq, state))
    *others, last = _choices_of_held(eq, asked)
    for held in others:
        try:
            return _placed_start(eq, parameters, asked, held)
        except AssemblyError:
            pass  # they contradict the constraints: some have to move
    return _placed_start(eq, parameters, asked, last)


def _choices_of_held(eq: Equations, asked: StartRequest) -> list[dict[str, float]]:
    """Sets of given values to hold, in the order of trial: all; all but speeds; all but coordinates; only the firm
    ones."""
    coordinates, speeds = (set(eq.variables.of(group).names) for group in ("q", "u"))
    can_move = set(eq.variables.of("q u z").names) - set(asked.firm)
    loose = [can_move] if asked.is_rough else [set(), can_move & speeds, can_move & coordinates, can_move]
    held = [{k: v for k, v in asked.given.items() if k not in names} for names in loose]
    return [h for k, h in enumerate(held) if h not in held[:k]]


def _placed_start(
    eq: Equations, parameters: Mapping[str, Any], asked: StartRequest, held: Mapping[str, float]
) -> PlacedStart:
    state = _assembled_state(eq, parameters, asked, held)
    return PlacedStart(state, moves({k: v for k, v in asked.given.items() if k not in held}, state))


def _assembled_state(
    eq: Equations, parameters: Mapping[str, Any], asked: StartRequest, held: Mapping[str, float]
) -> integrate.State:
    rough = {k: v for k, v in {**asked.near, **asked.given}.items() if k not in held}
    return _of(eq, integrate.assemble(eq, {**parameters, **held}, start=rough, inputs=asked.inputs))


def _of(eq: Equations, state: integrate.State) -> integrate.State:
    """A state of equations with laws in them, in the equations themselves: inputs that follow laws are zero there."""
    if state.equations is eq:
        return state
    known = {**dict.fromkeys((s.name for s in eq.r), 0.0), **state.values}
    return integrate.State.of(eq, {n: known[n] for n in eq.variables.of("t q u z r p").names}, state.outcome)

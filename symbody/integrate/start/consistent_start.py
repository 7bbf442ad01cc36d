"""The start of a motion on the constraints, from what was given of it. One rule for Python, model files and the command
line:

    values      by keyword, `values=`, `--set`: held exactly; where they contradict the constraints, they are refused
    start       a mapping, `start:` in a file: held where the constraints allow it, otherwise moved to the nearest state
                on them, and named with what they were
    the rest    follows from the constraints, near zero, or near the whole state that was given
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final

from ...derivation.equations.equations import Equations
from ...derivation.equations.named_rows import output_rows
from ...derivation.equations.variable import ARGUMENTS
from ...errors import AssemblyError, SimulationError, in_number, listed
from ..inputs.inputs import closed_loop
from .assembly import assemble, unexplained_assembly
from .state import Start, State, is_whole_state, start_values

FULL_TURN: Final = 2 * math.pi
LISTED_MOVES: Final = 24  # values in a note
SAME_VALUE: Final = 1e-9  # relative difference below which a value counts as unchanged


@dataclass(frozen=True)
class Moved:
    """A value that differs from the one it had before the assembly."""

    name: str
    given: float
    found: float

    def __str__(self) -> str:
        return f"{self.name} from {self.given:z.7g} to {self.found:z.7g}"


def moves(given: Mapping[str, float], found: Any) -> tuple[Moved, ...]:
    """Given values that are others where they are looked up."""
    each = (Moved(name, value, float(found[name])) for name, value in given.items())
    return tuple(m for m in each if abs(m.found - m.given) > SAME_VALUE * max(1.0, abs(m.given)))


def _listed_moves(found: Sequence[Moved]) -> str:
    """All of a few; of many those that moved most."""
    few = len(found) <= LISTED_MOVES
    chosen = found if few else sorted(found, key=lambda m: -abs(m.found - m.given))
    return listed(chosen, LISTED_MOVES)


@dataclass(frozen=True)
class ConsistentStart:
    """A state on the constraints.

    moved       given values that differ in it
    completed   values that were not given and follow from the constraints
    remarks     on what was given: angles in whole radians that are more than a full turn, inputs without a value
    """

    state: State
    moved: tuple[Moved, ...] = ()
    completed: tuple[Moved, ...] = ()
    remarks: tuple[str, ...] = ()

    def __str__(self) -> str:
        if not self.moved:
            return ""
        return f"the start was not on the constraints; moved to the nearest state on them: {_listed_moves(self.moved)}"

    @property
    def notes(self) -> tuple[str, ...]:
        """What the assembly changed, and values that may be mistakes."""
        words = f"the start was completed from the constraints: {_listed_moves(self.completed)}"
        return (*filter(None, (str(self), words if self.completed else "")), *self.remarks)


@dataclass(frozen=True)
class StartRequest:
    """The given data of a start, by name.

    given    values that are held where the constraints allow it
    firm     names of those that are held in any case
    is_rough given values are an initial guess, except for the firm ones
    near     initial guess of the other values
    inputs   laws of inputs that occur in constraints
    state    the start as it is, where a state of the same equations and nothing else was given
    """

    given: Mapping[str, float]
    firm: Collection[str] = ()
    is_rough: bool = False
    near: Mapping[str, float] = field(default_factory=dict)
    inputs: Mapping[str, Any] = field(default_factory=dict)
    state: State | None = None

    @cached_property
    def values(self) -> Mapping[str, float]:
        return {**self.near, **self.given}

    @property
    def t(self) -> float:
        return float(self.values.get("t", 0.0)) if self.state is None else self.state.t

    def at(self, t: float) -> StartRequest:
        """The same at another time."""
        if t == self.t:
            return self
        state = None if self.state is None else replace(self.state, t=t)
        return replace(self, given={**self.given, "t": t}, firm=(*self.firm, "t"), state=state)

    def only(self, names: Collection[str]) -> StartRequest:
        """What it says of some names."""
        given, near = ({k: v for k, v in part.items() if k in names} for part in (self.given, self.near))
        return replace(self, given=given, near=near, state=None)


def start_request(eq: Equations, start: Start | None, values: Mapping[str, float]) -> StartRequest:
    """What arguments `start` and `values` of a call say."""
    if isinstance(start, State) and start.equations is eq and not values:
        return StartRequest({}, near=start.values, state=start)
    known = start_values(start, f"simulate {eq.name!r}")
    laws = {s.name for s in eq.dependent if s.kind == "input"}
    if twice := next((name for name in values if name in laws), None):
        raise SimulationError(f"simulate {eq.name!r}: {twice} has a value, and a law in inputs=; leave out one of them")
    if not is_whole_state(start):
        return StartRequest({**known, **values}, tuple(values))
    own = eq.variables.of(ARGUMENTS)  # inputs that became functions are not in the equations any more
    return StartRequest(values, tuple(values), near={k: v for k, v in known.items() if k in own})


def consistent_start(eq: Equations, asked: StartRequest) -> ConsistentStart:
    """The start as given; else with the rest assembled around it; else the nearest state on the constraints that has
    the firm values."""
    found = _start_on_constraints(eq, asked)
    remarks = () if asked.state is not None else start_remarks(eq, asked.given, (*asked.near, *asked.inputs))
    return replace(found, remarks=remarks) if remarks else found


def start_remarks(eq: Equations, given: Mapping[str, Any], known: Collection[str] = ()) -> tuple[str, ...]:
    """What may have been meant otherwise, in values that were given by name.

    known   names that have a value or a law besides
    """
    return (*_perhaps_in_degrees(eq, given), *_without_value(eq, {*given, *known}))


def _without_value(eq: Equations, known: Collection[str]) -> Iterator[str]:
    """Inputs without a value or law."""
    unset = [s.name for s in eq.r if not s.order and s.name not in known]
    if unset:
        words = in_number(unset, "the input {} has no value and is zero", "the inputs {} have no value and are zero")
        yield f"{words}; pass inputs={{{unset[0]!r}: ...}}"


def _perhaps_in_degrees(eq: Equations, given: Mapping[str, Any]) -> Iterator[str]:
    """Round numbers without a unit beyond a full turn as angles: degrees, more often than not; angles that were computed
    are not round."""
    if not (suspect := [name for name, value in given.items() if _is_round_beyond_a_turn(value)]):
        return
    for v in eq.variables.of("q").only(eq.variables.symbol(name, "start") for name in suspect if name in eq.variables):
        if v.is_angle:
            value = given[v.name]
            yield (
                f"{v.name} = {value:g} at the start is in radians, and more than a full turn; were degrees meant? "
                f"{v.name}='{value:g} deg'"
            )


def _is_round_beyond_a_turn(value: Any) -> bool:
    return isinstance(value, int | float) and abs(value) > FULL_TURN and float(2 * value).is_integer()


def _start_on_constraints(eq: Equations, asked: StartRequest) -> ConsistentStart:
    closed = closed_loop(eq, asked.inputs) if asked.inputs else eq
    given = asked.state
    if given is None and not _has_results(closed, asked.values):
        given = State.of(closed, asked.values)
    if given is not None and given.violation.is_small:
        return ConsistentStart(_state_of(eq, given))
    *others, last = _choices_of_held(eq, asked)
    for held in others:
        try:
            return _assembled_start(eq, asked, held, unexplained_assembly)
        except AssemblyError:
            pass  # they contradict the constraints: some have to move
    return _assembled_start(eq, asked, last)


def _has_results(eq: Equations, names: Collection[str]) -> bool:
    """Whether some are names of what follows from a state: outputs, and rates that are not speeds."""
    own = eq.variables.of(ARGUMENTS)
    others = [n for n in names if n not in own]
    return bool(others) and any(
        n in eq.variables.of("q'") or n in output_rows(eq.outputs) or n in eq.outputs for n in others
    )


def _choices_of_held(eq: Equations, asked: StartRequest) -> list[dict[str, float]]:
    """Sets of given values to hold, in the order of trial: all; all but speeds; all but coordinates; only the firm
    ones."""
    coordinates, speeds = (set(eq.variables.of(group).names) for group in ("q", "u"))
    can_move = set(eq.variables.of("q u z").names) - set(asked.firm)
    loose = [can_move] if asked.is_rough else [set(), can_move & speeds, can_move & coordinates, can_move]
    held = [{k: v for k, v in asked.given.items() if k not in names} for names in loose]
    return [h for k, h in enumerate(held) if h not in held[:k]]


def _assembled_start(
    eq: Equations, asked: StartRequest, held: Mapping[str, float], assembly: Callable[..., State] = assemble
) -> ConsistentStart:
    movable = eq.variables.of("q u z")
    fixed = {k: v for k, v in asked.near.items() if k not in movable and k not in held}
    rough = {k: v for k, v in asked.values.items() if k in movable and k not in held}
    state = _state_of(eq, assembly(eq, {**fixed, **held}, start=rough, inputs=asked.inputs))
    before = {
        **{s.name: float(eq.variables.defaults[s]) for s in eq.state},
        **{k: v for k, v in asked.near.items() if k in movable},
    }
    completed = {k: v for k, v in before.items() if k not in asked.given}
    return ConsistentStart(
        state, moves({k: v for k, v in asked.given.items() if k not in held}, state), moves(completed, state)
    )


def _state_of(eq: Equations, state: State) -> State:
    """A state of equations with laws in them, in the equations themselves: inputs that follow laws are zero there."""
    if state.equations is eq:
        return state
    known = {**dict.fromkeys((s.name for s in eq.r), 0.0), **state.values}
    return State.of(eq, {n: known[n] for n in eq.variables.of(ARGUMENTS).names}, state.outcome)

"""Values that are varied in figures of functions, and states of equations at all of their combinations; with constraints
each state is assembled."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, Final

import numpy as np

from ...derivation.equations.equations import Equations
from ...emit.run.callable import Array
from ...errors import AssemblyError, ViewError, listed, shown
from ...integrate.result.quantities import StateRows
from ...integrate.start.assembly import assemble, neighbouring_state
from ...integrate.start.constraint_rows import rows_of
from ...integrate.start.state import State

POINTS: Final = (121, 81)  # numbers of points along one axis for one varied value, and along each axis for two
ASSEMBLED_POINTS: Final = (121, 31)  # the same where each point is a state on constraints
Place = tuple[int, ...]


@dataclass(frozen=True)
class Ranges:
    """Names that are varied, with their values, and those with a fixed value."""

    varied: Mapping[str, Array]
    given: Mapping[str, float]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.varied)

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(len(x) for x in self.varied.values())

    @property
    def columns(self) -> dict[str, Array]:
        """Every combination, one after another."""
        grids = np.meshgrid(*self.varied.values(), indexing="ij")
        return {name: x.reshape(-1) for name, x in zip(self.varied, grids, strict=True)}


def ranges(where: str, named: Mapping[str, Any], is_assembled: bool = False) -> Ranges:
    """`x=(0, 1)` is varied, as are arrays; `a=2.0` is a number."""
    spans = {n: v for n, v in named.items() if np.ndim(v)}
    if len(spans) not in (1, 2):
        raise ViewError(
            f"{where}: one or two names are given a range, as in x=(0, 1), y=(-2, 2); got "
            f"{listed(spans) if spans else 'none'}"
        )
    points = (ASSEMBLED_POINTS if is_assembled else POINTS)[len(spans) - 1]
    return Ranges(
        {n: _numbers(where, n, v, points) for n, v in spans.items()}, {n: v for n, v in named.items() if not np.ndim(v)}
    )


def _numbers(where: str, name: str, given: Any, points: int) -> Array:
    try:
        x = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        x = np.zeros(0)
    if x.ndim != 1 or len(x) < 2 or not np.isfinite(x).all() or not (np.diff(x) > 0).all():
        raise ViewError(f"{where}: {name} goes from a number to a larger one, as in {name}=(0, 1); got {shown(given)}")
    return np.linspace(x[0], x[1], points) if len(x) == 2 else x


# ---------------------------------------------------------------------------------------------------------- states


def has_constraints(eq: Equations) -> bool:
    """Whether values of some variables follow from those of others."""
    rows = rows_of(eq)
    return bool(rows.positions or rows.speeds or rows.additional)


def grid_rows(eq: Equations, over: Ranges, where: str) -> StateRows:
    """A row for each combination. Values that are not varied have the given number, or their default; where there are
    constraints they follow from these, and rows are NaN where nothing does."""
    table = eq.variables.of("t q u z r p")
    given = table.numbers(over.given, where, ViewError)
    columns = table.resolved(over.columns, where, ViewError)
    table.require({**table.defaults, **given, **columns}, where, ViewError, "give numbers by name")
    known = {**table.defaults, **given}
    count = int(np.prod(over.shape))
    if has_constraints(eq):
        held = {s.name: x for s, x in given.items()}
        return _assembled_rows(eq, over, {s.name: x for s, x in columns.items()}, held, where)

    def rows(group: Any) -> Array:
        found = [np.broadcast_to(np.asarray(columns.get(s, known.get(s)), dtype=np.float64), (count,)) for s in group]
        return np.stack(found, axis=1) if found else np.zeros((count, 0))

    return StateRows(eq, rows([eq.t])[:, 0], *(rows(getattr(eq, g)) for g in ("q", "u", "z", "r", "p")))


def _assembled_rows(
    eq: Equations, over: Ranges, columns: Mapping[str, Array], held: Mapping[str, float], where: str
) -> StateRows:
    """States on the constraints, from the middle outwards, each reached from one beside it."""
    index = np.arange(int(np.prod(over.shape))).reshape(over.shape)

    def values(place: Place) -> dict[str, float]:
        return {**held, **{n: float(x[index[place]]) for n, x in columns.items()}}

    begin = _first_state(eq, over.shape, values, where)
    found, waiting = dict([begin]), deque([begin[0]])
    while waiting:
        here = waiting.popleft()
        for place in _beside(here, over.shape):
            if place not in found and (state := neighbouring_state(eq, values(place), found[here])) is not None:
                found[place] = state
                waiting.append(place)
    return _stacked_rows(eq, [found.get(place) for place in product(*map(range, over.shape))])


def _first_state(eq: Equations, shape: Place, values: Any, where: str) -> tuple[Place, State]:
    """A state in the middle, or nearest to it of a few tries."""
    reasons = []
    for parts in product(*[(0.5, 0.25, 0.75, 0.0, 1.0)] * len(shape)):
        place = tuple(round(part * (n - 1)) for part, n in zip(parts, shape, strict=True))
        try:
            return place, assemble(eq, values(place))
        except AssemblyError as reason:
            reasons.append(str(reason))
    raise ViewError(
        f"{where}: no state with these values is on the constraints at any of {len(reasons)} places that were tried; in the middle: {reasons[0]}"
    )


def _beside(place: Place, shape: Place) -> Iterator[Place]:
    for axis, n in enumerate(shape):
        for step in (-1, 1):
            if 0 <= place[axis] + step < n:
                yield (*place[:axis], place[axis] + step, *place[axis + 1 :])


def _stacked_rows(eq: Equations, states: list[State | None]) -> StateRows:
    def rows(group: str) -> Array:
        none = np.full(len(getattr(eq, group)), np.nan)
        return np.array([none if s is None else getattr(s, group) for s in states])

    t = np.array([np.nan if s is None else s.t for s in states])
    return StateRows(eq, t, *(rows(g) for g in ("q", "u", "z", "r", "p")))

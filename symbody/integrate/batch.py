"""Many simulations of the same equations at once, on all cores."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..algebra.graph import Expr
from ..derive.equations import Equations, of_equations
from ..derive.keywords import by_name, values_by_name
from ..emit.run.callable import Array
from ..errors import AssemblyError, SimulationError, listed, shown
from .inputs import with_inputs
from .outcome import Ending, Outcome
from .segment import Segment
from .simulate import simulate
from .state import Start
from .trajectory import Trajectory


@dataclass(frozen=True, eq=False, repr=False)
class Batch(Sequence[Trajectory]):
    """Trajectories side by side. `batch["q1"]` has a row for each member, where all have the same times."""

    members: tuple[Trajectory, ...]

    def __len__(self) -> int:
        return len(self.members)

    def __iter__(self) -> Iterator[Trajectory]:
        return iter(self.members)

    def __getitem__(self, what: Any) -> Any:
        if isinstance(what, (str, Expr)):
            return self._stacked([m[what] for m in self.members])
        return Batch(self.members[what]) if isinstance(what, slice) else self.members[what]

    def _stacked(self, rows: list[Array]) -> Array:
        if not rows:
            return np.zeros((0, 0))
        length = max(len(m) for m in self.members)
        if any(len(m) != length for m in self.members if m.outcome):
            raise SimulationError(
                "the members of this batch have different times; simulate with t=times, or ask members one by one"
            )
        out = np.full(
            (len(rows), length, *rows[0].shape[1:]), np.nan
        )  # a member that failed has no states after its end
        for k, row in enumerate(rows):
            out[k, : len(row)] = row
        return out

    @property
    def outcomes(self) -> list[Outcome]:
        return [m.outcome for m in self.members]

    @property
    def failed(self) -> list[int]:
        """Numbers of the members whose outcome is false."""
        return [k for k, m in enumerate(self.members) if not m.outcome]

    def __repr__(self) -> str:
        bad = self.failed
        text = f"<Batch of {len(self)} trajectories"
        return (
            f"{text}; {len(bad)} failed: {listed((f'{k}: {self[k].outcome}' for k in bad), 3)}>" if bad else f"{text}>"
        )


@values_by_name(SimulationError, like=simulate)
@of_equations
def simulate_batch(
    equations: Equations,
    t: Any,
    start: Start | Sequence[Start] | None = None,
    *,
    values: Mapping[Any, Any] | None = None,
    inputs: Mapping[Any, Any] | None = None,
    threads: int | None = None,
    options: Mapping[str, Any] | None = None,
    **named: Any,
) -> Batch:
    """Simulations from many starts, or with many parameter sets: `simulate_batch(eq, times, q1=np.linspace(0, 1, 100), m1=[...])`.

    start     a start as in `simulate` for all (in a mapping, arrays have a number for each member), or a sequence with one for each member
    values    on top of it, by name or symbol, or as keywords: arrays with a number for each member, or one number for all
    threads   how many run at the same time; by default as many as there are cores
    options   any option by name; all others are those of `simulate`

    A member that cannot begin, or fails, does not disturb the others: its outcome says why.
    """
    eq, constants = with_inputs(equations, inputs or {})
    start, per_member = _told_apart(start)
    arrays = {k: np.asarray(v, dtype=np.float64) for k, v in {**per_member, **(values or {})}.items()}
    starts = start if isinstance(start, Sequence) else None
    count = _count(starts, arrays)
    many = {k: np.broadcast_to(v, (count,)) for k, v in arrays.items()}
    chosen = {"progress": False, **named}

    def member(k: int) -> Trajectory:
        own = {name: float(v[k]) for name, v in many.items()}
        first: Any = start if starts is None else starts[k]
        try:
            return simulate(eq, t, first, values={**constants, **own}, options=chosen)
        except (SimulationError, AssemblyError) as reason:
            return _refused(eq, str(reason))

    if count == 0:
        return Batch(())
    first = member(0)  # makes and compiles what all share
    with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
        return Batch((first, *pool.map(member, range(1, count))))


def _told_apart(start: Any) -> tuple[Any, dict[Any, Any]]:
    """A start for all members, and what a mapping gives for each of them."""
    if isinstance(start, Mapping):
        many = by_name({k: v for k, v in start.items() if np.ndim(v)}, "simulate_batch", SimulationError)
        return {k: v for k, v in start.items() if not np.ndim(v)}, many
    if isinstance(start, (np.ndarray, str)):
        raise SimulationError(
            f"simulate_batch: start is a start as in simulate, or a sequence of them, got {shown(start)}; numbers for each member go by name: q1=array"
        )
    return start, {}


def _count(starts: Sequence[Any] | None, values: Mapping[Any, Array]) -> int:
    sizes = {str(name): len(v) for name, v in values.items() if v.ndim == 1}
    if wrong := [name for name, v in values.items() if v.ndim > 1]:
        raise SimulationError(f"simulate_batch: {listed(wrong)} must be a number or one number for each member")
    if starts is not None:
        sizes["start"] = len(starts)
    if len(set(sizes.values())) > 1:
        raise SimulationError(
            f"simulate_batch: different numbers of members: {listed(f'{k}: {n}' for k, n in sizes.items())}"
        )
    return next(iter(sizes.values()), 1)


def _refused(eq: Equations, why: str) -> Trajectory:
    n = len(eq.state)
    no_times = np.zeros(0)
    outcome = Outcome(Ending.REFUSED, np.nan, why)
    return Trajectory.of(Segment(eq, no_times, np.zeros((0, n)), np.zeros(len(eq.p)), np.zeros(len(eq.r)), outcome))

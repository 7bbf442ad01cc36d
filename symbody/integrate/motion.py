"""`Motion`: a simulation that went through several sets of equations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..algebra.graph import Expr
from ..algebra.matrix import Matrix
from ..emit.run.callable import Array
from ..errors import SimulationError, SymbodyError, listed, shown
from .outcome import Outcome, Statistics
from .state import State
from .trajectory import Occurrence, Trajectory


@dataclass(frozen=True, eq=False, repr=False)
class Motion:
    """Trajectories one after another, each in one mode.

    sim["x"], sim[x * y]   what exists in all modes, at the times sim.t; at a switch there are two rows, before and after
    sim.mode               the mode at each of these times
    sim.segments           a `Trajectory` for each stretch in one mode, with everything that this mode has; `sim.modes` are their modes
    sim.at(times)          the motion at other times, in order; at a switch the state after it
    sim.events             what happened, in order
    sim.outcome            how it ended; true where it went as asked
    """

    segments: tuple[Trajectory, ...]
    modes: tuple[str, ...]
    events: tuple[Occurrence, ...]
    outcome: Outcome

    def __len__(self) -> int:
        return sum(map(len, self.segments))

    def __repr__(self) -> str:
        visits = {m: self.modes.count(m) for m in self.modes}
        lines = [
            f"<Motion of {self.segments[0].equations.name}: {self.outcome}",
            f"  {len(self)} times; {self.statistics}",
            f"  modes: {listed(f'{m} ({n} times)' if n > 1 else m for m, n in visits.items())}; {len(self.events)} events>",
        ]
        return "\n".join(lines)

    @cached_property
    def t(self) -> Array:
        return np.concatenate([s.t for s in self.segments])

    @cached_property
    def mode(self) -> NDArray[np.str_]:
        """The mode at each time."""
        return np.repeat(np.array(self.modes), [len(s) for s in self.segments])

    @property
    def final(self) -> dict[str, float]:
        """The last state by name."""
        return next(s for s in reversed(self.segments) if len(s)).final

    @property
    def state(self) -> State:
        """The last state, to go on from."""
        return next(s for s in reversed(self.segments) if len(s)).state

    @property
    def statistics(self) -> Statistics:
        return sum((s.statistics for s in self.segments), Statistics())

    @property
    def choices(self) -> dict[str, Mapping[str, str]]:
        """What was picked for each mode."""
        return {m: s.choices for m, s in zip(self.modes, self.segments, strict=True)}

    # ------------------------------------------------------------------------------------------------ values

    def __getitem__(self, what: str | Expr | Matrix) -> Array:
        return self.values([what])[0]

    def values(self, wanted: Sequence[str | Expr | Matrix]) -> list[Array]:
        """Several at once; see `Trajectory.values`."""
        found = []
        for mode, segment in zip(self.modes, self.segments, strict=True):
            try:
                found.append(segment.values(wanted))
            except SymbodyError as reason:
                raise SimulationError(
                    f"motion of {segment.equations.name!r}: {listed(map(shown, wanted))} does not exist in mode {mode!r} ({reason}); "
                    "sim.segments has each stretch for itself"
                ) from None
        return [np.concatenate(parts) for parts in zip(*found, strict=True)]

    def _joined(self, part: Callable[[Trajectory], Array]) -> Array:
        return np.concatenate([part(s) for s in self.segments])

    @cached_property
    def energy(self) -> Array:
        """T + V."""
        return self._joined(lambda s: s.energy)

    @cached_property
    def kinetic_energy(self) -> Array:
        return self._joined(lambda s: s.kinetic_energy)

    @cached_property
    def potential_energy(self) -> Array:
        return self._joined(lambda s: s.potential_energy)

    def columns(self, more: Iterable[str | Expr] = ()) -> dict[str, Array]:
        """What of the state exists in all modes, and what else is asked for, each as an array."""
        names = [[x.identifier for x in s.equations.state] for s in self.segments]
        common: list[Any] = [n for n in names[0] if all(n in other for other in names)] + list(more)
        return {str(n): x for n, x in zip(common, self.values(common), strict=True)}

    def at(self, times: ArrayLike) -> Motion:
        """The motion at other times, which must be in order."""
        wanted = np.atleast_1d(np.asarray(times, dtype=np.float64))
        begin, end = float(self.segments[0].t[0]), float(self.segments[-1].t[-1])
        direction = -1.0 if end < begin else 1.0
        if np.any(np.diff(wanted) * direction < 0):
            raise SimulationError(f"times must be in the order of the motion, which goes from {begin:g} to {end:g}")
        outside = wanted[(direction * wanted < direction * begin) | (direction * wanted > direction * end)]
        if len(outside):
            raise SimulationError(f"t = {outside[0]:g} is outside the motion, which goes from {begin:g} to {end:g}")
        starts = direction * np.array([s.t[0] for s in self.segments])
        owner = np.searchsorted(starts, direction * wanted, side="right") - 1
        kept = [k for k in range(len(self.segments)) if np.any(owner == k)]
        return replace(
            self,
            segments=tuple(self.segments[k].at(wanted[owner == k]) for k in kept),
            modes=tuple(self.modes[k] for k in kept),
        )

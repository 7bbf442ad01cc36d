"""Results of a run so far: stretches of steps without a jump, in memory that has a bound.

Where they would take more than allowed, the polynomials between steps are dropped; where the states alone do, every
second one is, up to `MAX_THINNING`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from ...emit.run.callable import Array
from ..kernels.dense import Dense
from .outcome import Statistics

MAX_THINNING: Final = 16  # at least one of so many steps is kept
OVERHEAD_BYTES: Final = 1000  # memory of a stretch or an event beside its numbers


@dataclass
class SmoothRun:
    """Steps one after another without a jump, by one method.

    first   the state at its start, where that is a row of the results; where another method went before, it is there
            already
    """

    start: float
    first: Array | None
    t: list[Array] = field(default_factory=list)
    y: list[Array] = field(default_factory=list)
    polynomials: list[Array] = field(default_factory=list)

    @property
    def bytes(self) -> int:
        return OVERHEAD_BYTES + sum(x.nbytes for part in (self.t, self.y, self.polynomials) for x in part)

    def parts(self) -> tuple[list[Array], list[Array]]:
        """Times and states, as they were handed out."""
        if self.first is None:
            return self.t, self.y
        return [np.array([self.start]), *self.t], [self.first[None], *self.y]

    def dense(self) -> Dense | None:
        """The polynomials of its steps; without steps it is a point, or nothing where another method went on at
        once."""
        if self.t:
            return Dense(self.start, np.concatenate(self.t), np.concatenate(self.polynomials))
        return None if self.first is None else Dense(self.start, np.array([self.start]), self.first[None, None])

    def thin_out(self) -> None:
        """Keep every second step, and the last; one part after the other, since memory is short."""
        before = 0
        for k, t in enumerate(self.t):
            kept = (before + np.arange(len(t))) % 2 == 1
            kept[-1] |= k == len(self.t) - 1
            before += len(t)
            self.t[k], self.y[k] = t[kept], self.y[k][kept]
        self.t, self.y = [t for t in self.t if len(t)], [y for y in self.y if len(y)]


@dataclass
class Record:
    """Stretches in order.

    limit         bytes
    is_dense      whether polynomials between steps are kept
    every         of so many steps one is kept
    events        so many occurred, which are remembered too
    """

    limit: float = np.inf
    stretches: list[SmoothRun] = field(default_factory=list)
    statistics: Statistics = field(default_factory=Statistics)
    is_dense: bool = True
    every: int = 1
    events: int = 0
    _closed: int = 0  # bytes of stretches that are complete

    def begin(self, t: float, y: Array | None) -> None:
        if self.stretches:
            self._closed += self.stretches[-1].bytes
        self.stretches.append(SmoothRun(t, None if y is None else y.copy()))

    def add(self, t: Array, y: Array, polynomials: Array) -> None:
        """Steps that were made; the copies of what a machine hands out."""
        if not len(t):
            return
        last = self.stretches[-1]
        kept = slice(self.every - 1, None, self.every)
        if self.every > 1 and len(t) % self.every:  # the end is always known
            t, y = np.concatenate([t[kept], t[-1:]]), np.concatenate([y[kept], y[-1:]])
        else:
            t, y = t[kept].copy(), y[kept].copy()
        last.t.append(t)
        last.y.append(y)
        if self.is_dense:
            last.polynomials.append(polynomials.copy())

    def fits(self) -> bool:
        """Thin out what takes more memory than allowed; whether that was enough."""
        room = self.limit / 2  # in the end all of it is copied into one array
        if not self.stretches or self._closed + self.stretches[-1].bytes + OVERHEAD_BYTES * self.events <= room:
            return True
        while self._bytes > room / 2:
            if self.is_dense:
                self.is_dense = False
                for s in self.stretches:
                    s.polynomials = []
            elif self.every < MAX_THINNING:
                self.every *= 2
                for s in self.stretches:
                    s.thin_out()
            else:
                return False
        self._closed = sum(s.bytes for s in self.stretches[:-1])
        return True

    @property
    def _bytes(self) -> int:
        return sum(s.bytes for s in self.stretches) + OVERHEAD_BYTES * self.events

    @property
    def note(self) -> str:
        """State how far the result was thinned out."""
        if self.is_dense:
            return ""
        ordinal = {2: "2nd"}.get(self.every, f"{self.every}th")
        steps = f"only every {ordinal} step was" if self.every > 1 else "only the ends of steps were"
        return f"to stay within max_memory = {self.limit:g} bytes, {steps} kept, without the polynomials between them"

    def rows(self) -> tuple[Array, Array]:
        """Times and states of all."""
        parts = [s.parts() for s in self.stretches]
        return np.concatenate([x for t, _ in parts for x in t]), np.concatenate([x for _, y in parts for x in y])

    def pieces(self) -> Sequence[Dense]:
        return [d for s in self.stretches if (d := s.dense()) is not None] if self.is_dense else []

"""Progress of a sweep: members, rate, time left, on one line of the terminal."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from ....progress import Progress


@dataclass
class SweepProgress:
    """Counts of a run; members finished before it count as done, but not for the rate."""

    name: str
    total: int
    before: int
    wanted: bool | None
    done: int = 0
    failed: int = 0
    begun: float = field(default_factory=time.perf_counter)

    def __post_init__(self) -> None:
        self._line = Progress(self.wanted, 0.0, self.name)

    def add(self, members: int, failed: int) -> None:
        self.done += members
        self.failed += failed

    @property
    def rate(self) -> float:
        """SweptMembers in a second."""
        return self.done / max(time.perf_counter() - self.begun, 1e-9)

    def show(self) -> None:
        self._line.say(self.__str__)

    def end(self) -> None:
        self._line.done()

    def __str__(self) -> str:
        left = self.total - self.before - self.done
        seconds = left / self.rate if self.done else float("inf")
        remaining = "" if seconds == float("inf") else f", {_time(seconds)} left"
        lost = f", {self.failed} failed" if self.failed else ""
        return f"{self.before + self.done} of {self.total} members{lost}, {self.rate:z.3g} a second{remaining}"


def _time(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:z.0f} s"
    return f"{seconds / 60:z.0f} min" if seconds < 6000 else f"{seconds / 3600:z.1f} h"

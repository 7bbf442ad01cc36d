"""How much work goes into machine code: little for a motion that is short, more when it turns out to be long.

Programs and loops begin as code that is quick to have. When it has run for about as long as better code takes to make,
that is made: altogether never more than about twice the time of the better choice, however long a motion is. Numbers
are the same to the last digit, so that nothing but time depends on it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Lock
from typing import Protocol
from weakref import WeakSet


class Improvable(Protocol):
    """Machine code that may be quick to have rather than quick to run."""

    @property
    def seconds_to_improve(self) -> float: ...

    def improve(self) -> None: ...


@dataclass(eq=False)
class Effort:
    """Machine code that serves a form, how long it has run, and whether what is still to be made gets full effort."""

    code: WeakSet[Improvable] = field(default_factory=WeakSet)
    seconds: float = 0.0
    is_full: bool = False
    _enough: float = 0.0  # seconds that better code takes, when it was last looked at
    _lock: Lock = field(default_factory=Lock)

    def spend(self, seconds: float) -> None:
        """The code has run for some time more."""
        if not self.is_full:
            self.seconds += seconds
            if self.seconds > self._enough:
                self._enough = sum(c.seconds_to_improve for c in self.code)
                if self.seconds > self._enough:
                    self.improve()

    def improve(self) -> None:
        """Full effort from now on, also for what is there; other threads wait for it."""
        with self._lock:
            self.is_full = True
            for code in tuple(self.code):
                code.improve()

"""How much work goes into machine code: little for a motion that is short, more when it turns out to be long.

Programs and loops begin as code that is quick to have. When it has run for about as long as better code takes to make,
that is made: altogether never more than about twice the time of the better choice, however long a motion is. Numbers
are the same to the last digit, so that nothing but time depends on it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import Lock
from time import perf_counter
from typing import Any, Protocol, TypeVar
from weakref import WeakSet

from ...emit.loops.kernel_language import Kernel
from ...emit.run.loop_callee import LoopCallee


class Improvable(Protocol):
    """Machine code that may be quick to have rather than quick to run."""

    @property
    def seconds_to_improve(self) -> float: ...

    def improve(self) -> None: ...


Code = TypeVar("Code", bound=Improvable)


@dataclass(eq=False)
class Effort:
    """Machine code that belongs together, how long it has run, and whether what is still to be made gets full effort."""

    code: WeakSet[Improvable] = field(default_factory=WeakSet)
    seconds: float = 0.0
    is_full: bool = False
    _enough: float = 0.0  # seconds that better code takes, when it was last looked at
    _lock: Lock = field(default_factory=Lock)

    def with_code(self, made: Code) -> Code:
        """Code, which gets this effort from now on."""
        with self._lock:
            self.code.add(made)
        return made

    def loop(self, kernel: Kernel, outputs: Sequence[str] = (), **arguments: Any) -> LoopCallee:
        """A kernel with its arguments, as quick to have as this effort lets it be."""
        return self.with_code(LoopCallee(kernel, {}, outputs, not self.is_full, **arguments))

    def run(self, loop: LoopCallee) -> int:
        """Run a loop and count its time; what its kernel returns."""
        if self.is_full:
            return loop.run()
        began = perf_counter()
        found = loop.run()
        self.spend(perf_counter() - began)
        return found

    def prepared(self, loop: LoopCallee) -> Callable[[], Any]:
        """The run of a loop, to be called again and again."""
        return loop.callee.run if self.is_full else lambda: self.run(loop)

    def spend(self, seconds: float) -> None:
        """Add the time for which the code has run, by the clock: asking for the CPU time of a thread can cost more than a
        step, and on a busy machine better code is merely made somewhat earlier. Where no code could be better, this does
        not affect code that is made later."""
        if not self.is_full:
            self.seconds += seconds
            if self.seconds > self._enough:
                with self._lock:
                    self._enough = sum(c.seconds_to_improve for c in self.code) or 2 * self.seconds
                if self.seconds > self._enough:
                    self.improve()

    def improve(self) -> None:
        """Full effort from now on, also for what is there; other threads wait for it."""
        with self._lock:
            self.is_full = True
            for code in tuple(self.code):
                code.improve()

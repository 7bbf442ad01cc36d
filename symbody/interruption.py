"""Ctrl-C while something long is computed.

Motions, batches, branches and families of orbits return what they have when they are interrupted, and their outcome
states it. Whatever of this kind the same code begins next raises `KeyboardInterrupt`, so that one Ctrl-C ends the loop
of a script. The same code is a script, a cell of a notebook, a statement at the prompt: there, the next one goes on.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from inspect import currentframe
from types import CodeType
from typing import Final, TypeVar

T = TypeVar("T")


@dataclass
class _Interruption:
    """The code whose computation ended by Ctrl-C, until it is reported."""

    code: CodeType | None = None


_last: Final = _Interruption()
_local = threading.local()


def note_interruption() -> None:
    """An interruption became an outcome."""
    _last.code = _running_code()


def raise_interruption() -> None:
    """At the beginning of a computation: end the code in which the one before was interrupted."""
    if _last.code is not None and _last.code is _running_code():
        raise ended_by_interruption("the computation before this one was interrupted")


def ended_by_interruption(reason: str) -> KeyboardInterrupt:
    """To be raised where an interruption cannot be an outcome."""
    forget_interruption()
    return KeyboardInterrupt(reason)


def forget_interruption() -> None:
    """What was interrupted is continued."""
    _last.code = None


def _running_code() -> CodeType | None:
    """The script, cell or statement that runs; None in a thread."""
    frame = currentframe()
    while frame is not None and frame.f_code.co_name != "<module>":
        frame = frame.f_back
    return frame and frame.f_code


# ------------------------------------------------------------------------------------------------------------ threads


@dataclass(eq=False)
class StopRequest:
    """Asks computations in other threads, which Ctrl-C does not reach, to end."""

    _asked: threading.Event = field(default_factory=threading.Event)

    def ask(self) -> None:
        self._asked.set()

    @property
    def is_asked(self) -> bool:
        return self._asked.is_set()

    @contextmanager
    def heard(self) -> Iterator[None]:
        """Inside, computations of this thread look at it."""
        _local.request = self
        try:
            yield
        finally:
            del _local.request


def is_stop_requested() -> bool:
    """Whether what this thread computes is not wanted any more."""
    request: StopRequest | None = getattr(_local, "request", None)
    return request is not None and request.is_asked


def interruptible(work: Callable[[], T]) -> T:
    """The result of a call into a library that takes seconds and does not look at signals: another thread makes it, and
    Ctrl-C does not wait for its end. The end of the process does: LLVM must not be taken down while it compiles."""
    if threading.current_thread() is not threading.main_thread():
        return work()
    answers: list[T] = []
    reasons: list[BaseException] = []
    done = threading.Event()

    def call() -> None:
        try:
            answers.append(work())
        except BaseException as reason:
            reasons.append(reason)
        finally:
            done.set()

    threading.Thread(target=call, name="symbody compiler").start()
    done.wait()  # not join: a thread whose join was interrupted counts as ended, and Python 3.11 does not wait for it
    if reasons:
        raise reasons[0]
    return answers[0]

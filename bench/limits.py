"""Limits of time and memory for the runs of peers and of the fuzzer: one that reaches them is stopped, and its row says so.

A run is a process of its own: a fresh one (`timing.fresh`), or a copy of this one (`limited`), where what is compiled
here already is to be used.
"""

from __future__ import annotations

import multiprocessing
import resource
import signal
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final, NamedTuple


class Limit(NamedTuple):
    """Seconds of CPU time, so that a busy machine makes nothing slow, and megabytes beyond those that the process has when
    it begins. A process that waits is ended after `PATIENCE` times as long by the clock."""

    seconds: float
    megabytes: float = 4000.0

    def __str__(self) -> str:
        return f"{self.seconds:g} s, {self.megabytes:g} MB"

    @property
    def wall_seconds(self) -> float:
        return PATIENCE * self.seconds


PATIENCE: Final = 10.0  # the clock on the wall beside CPU time: a machine that is this busy is rare, a process that waits for ever is found
USUAL: Final = Limit(600.0, 8000.0)


class StoppedError(Exception):
    """A run that reached its limit; the text says which."""


def too_long(limit: Limit) -> StoppedError:
    return StoppedError(f"stopped: more than {limit.seconds:g} s")


def too_large(limit: Limit) -> StoppedError:
    return StoppedError(f"stopped: more than {limit.megabytes:g} MB")


def confine(limit: Limit) -> None:
    """Let this process have so much more memory than it has now, and raise MemoryError beyond that; end it after so much
    more CPU time."""
    most = int((_size_mb() + limit.megabytes) * 2**20)
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
    allow(limit)


def allow(limit: Limit) -> None:
    """Let this process compute for so long from now on; the signal then ends it, also inside of compiled code."""
    signal.setitimer(signal.ITIMER_PROF, limit.seconds)


def cpu_time() -> float:
    """Seconds that this process and those that it has ended have computed."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def ended_by_time(exit_code: int | None) -> bool:
    return exit_code == -signal.SIGPROF


def ending(exit_code: int) -> str:
    """How a process ended: peers that crash leave no message of their own."""
    if exit_code >= 0:
        return f"ended with exit code {exit_code}"
    return f"ended by signal {signal.Signals(-exit_code).name} ({signal.strsignal(-exit_code)})"


def _size_mb() -> float:
    """Address space of this process; where that cannot be told, none: the limit is then for all of it."""
    status = Path("/proc/self/statm")
    return int(status.read_text().split()[0]) * resource.getpagesize() / 2**20 if status.exists() else 0.0


def limited(act: Callable[[], Any], limit: Limit) -> Any:
    """The result of a function in a copy of this process. Raises `StoppedError` at a limit, and RuntimeError where the
    function does not end well."""
    processes = multiprocessing.get_context("fork")
    here, there = processes.Pipe(duplex=False)
    process = processes.Process(target=_answer, args=(act, limit, there), daemon=True)
    process.start()
    there.close()
    try:
        if not here.poll(limit.wall_seconds):
            raise too_long(limit)
        kind, value = here.recv()
    except EOFError:
        process.join()
        if ended_by_time(process.exitcode):
            raise too_long(limit) from None
        raise RuntimeError(f"without a result, {ending(process.exitcode or 0)}") from None
    finally:
        process.kill()
        process.join()
    if kind == "memory":
        raise too_large(limit)
    if kind == "error":
        raise RuntimeError(value)
    return value


def _answer(act: Callable[[], Any], limit: Limit, to: Connection) -> None:
    confine(limit)
    try:
        to.send(("result", act()))
    except MemoryError:
        to.send(("memory", None))
    except Exception as reason:  # whatever way a peer has of not reaching the end
        to.send(("error", f"{type(reason).__name__}: {reason}"))

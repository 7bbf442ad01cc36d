"""Limits of time and memory for the runs of peers: one that reaches them is stopped, and its row says so.

A run is a process of its own: a fresh one (`timing.fresh`), or a copy of this one (`limited`), where what is compiled
here already is to be used.
"""

from __future__ import annotations

import multiprocessing
import resource
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final, NamedTuple


class Limit(NamedTuple):
    """Seconds by the clock on the wall, and megabytes beyond those that the process has when it begins."""

    seconds: float
    megabytes: float = 4000.0

    def __str__(self) -> str:
        return f"{self.seconds:g} s, {self.megabytes:g} MB"


USUAL: Final = Limit(600.0, 8000.0)


class StoppedError(Exception):
    """A run that reached its limit; the text says which."""


def too_long(limit: Limit) -> StoppedError:
    return StoppedError(f"stopped: more than {limit.seconds:g} s")


def too_large(limit: Limit) -> StoppedError:
    return StoppedError(f"stopped: more than {limit.megabytes:g} MB")


def confine(megabytes: float) -> None:
    """Let this process have so much more memory than it has now, and raise MemoryError beyond that."""
    most = int((_size_mb() + megabytes) * 2**20)
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


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
        if not here.poll(limit.seconds):
            raise too_long(limit)
        kind, value = here.recv()
    except EOFError:
        process.join()
        raise RuntimeError(f"ended without a result (exit code {process.exitcode})") from None
    finally:
        process.kill()
        process.join()
    if kind == "memory":
        raise too_large(limit)
    if kind == "error":
        raise RuntimeError(value)
    return value


def _answer(act: Callable[[], Any], limit: Limit, to: Connection) -> None:
    confine(limit.megabytes)
    try:
        to.send(("result", act()))
    except MemoryError:
        to.send(("memory", None))
    except Exception as reason:  # whatever way a peer has of not reaching the end
        to.send(("error", f"{type(reason).__name__}: {reason}"))

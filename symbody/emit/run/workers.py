"""Threads that wait for work, kept from call to call, and how work is divided among them.

Starting a thread takes about 100 µs, waking one 10. Work is handed out in small parts, so that a thread whose parts
take longer, or whose core is disturbed, does not hold up the others. The thread that asks works too: where all others
are busy, it does all of the work.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Final

PARTS_PER_THREAD: Final = 8  # into which the work is divided
INTERRUPT_INTERVAL: Final = 0.2  # seconds between checks for an interrupt


def cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class WaitingThreads:
    """The threads of this process; a child has none of its parent."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process, self._count = 0, 0
        self._pool: ThreadPoolExecutor | None = None

    def pool(self, threads: int) -> ThreadPoolExecutor:
        """At least so many of them."""
        with self._lock:
            if self._pool is None or self._process != os.getpid() or self._count < threads:
                self._process, self._count = os.getpid(), max(threads, cores())
                self._pool = ThreadPoolExecutor(self._count, thread_name_prefix="symbody")
            return self._pool


WAITING: Final = WaitingThreads()


def grain(count: int, threads: int, multiple: int = 1) -> int:
    """How many of `count` things a part has, a multiple of some number."""
    return max(1, -(-count // (PARTS_PER_THREAD * threads * multiple))) * multiple


def in_threads(work: Callable[[], None], threads: int) -> None:
    """Run the same in so many threads, of which the one that asks is one."""
    others: list[Future[None]] = [WAITING.pool(threads - 1).submit(work) for _ in range(threads - 1)]
    try:
        work()
    finally:
        for other in others:
            if not other.cancel():  # one that has not begun would find nothing to do
                other.result()


def share_out(part: Callable[[int, int], None], count: int, threads: int, size: int) -> None:
    """Run part(first, stop) over 0 .. count in parts of some size; machine code runs without Python's lock."""
    threads = min(threads, -(-count // size))
    if threads <= 1:
        part(0, count)
        return
    left = PartsOfWork(count, size)

    def work() -> None:
        try:
            for first, stop in left:
                part(first, stop)
        except BaseException:
            left.drop()
            raise

    in_threads(work, threads)


def share_out_of_the_way(
    part: Callable[[int, int], None], count: int, threads: int, size: int, stop: Callable[[], None]
) -> None:
    """The same by other threads alone, for parts that may take long: the thread that asks waits, and an interruption
    calls `stop`, after which parts are to end."""
    left = PartsOfWork(count, size)

    def work() -> None:
        for first, end in left:
            part(first, end)

    begun = [WAITING.pool(threads).submit(work) for _ in range(min(threads, -(-count // size)))]
    while True:
        try:
            while wait(begun, INTERRUPT_INTERVAL).not_done:
                pass
            break
        except KeyboardInterrupt:
            left.drop()
            stop()
    for done in begun:
        done.result()


class PartsOfWork(Iterator[tuple[int, int]]):
    """Parts of some work, handed out one after another."""

    def __init__(self, count: int, size: int) -> None:
        self._count, self._size, self._next, self._lock = count, size, 0, threading.Lock()

    def __next__(self) -> tuple[int, int]:
        with self._lock:
            first = self._next
            if first >= self._count:
                raise StopIteration
            self._next = first + self._size
        return first, min(first + self._size, self._count)

    def drop(self) -> None:
        """What is left is not wanted any more."""
        with self._lock:
            self._next = self._count

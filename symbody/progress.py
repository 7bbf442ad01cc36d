"""Lines on the terminal that tell how far something long is: the time of a motion, or the stage of a computation.

Code that may take long names its stages inside `working`; while it runs, a thread rewrites the line. Nothing is shown,
and no thread begins, where errors do not go to a terminal, in other threads, and in processes of workers.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, Final, TextIO, TypeVar

T = TypeVar("T")

PATIENCE: Final = 2.0  # seconds before the first line, where progress was not asked for
BREATH: Final = 0.2  # seconds between two lines
BAR: Final = 30  # characters


class Progress:
    """A line on the terminal that says how far a long run is."""

    def __init__(self, wanted: bool | None, start: float, name: str, to: TextIO | None = None) -> None:
        self._to = to or sys.stderr
        self.wanted = self._to.isatty() if wanted is None else wanted
        self._patience = PATIENCE if wanted is None else 0.5
        self._start, self._name = start, name
        self._begun = self._last = time.perf_counter()
        self._shown = False

    def is_due(self) -> bool:
        """Whether it has taken long enough to say something."""
        now = time.perf_counter()
        if not self.wanted or now - self._begun < self._patience or now - self._last < BREATH:
            return False
        self._last = now
        return True

    @property
    def seconds(self) -> float:
        """Since it began."""
        return time.perf_counter() - self._begun

    def say(self, text: Callable[[], str]) -> None:
        """The progress of a task of unknown length; its text is made only where it is shown."""
        if self.is_due():
            self._write(f"{self._name}: {text()}")

    def show(self, t: float, end: float) -> None:
        """How far a time is from its end."""
        if not self.is_due():
            return
        part = (t - self._start) / (end - self._start) if end != self._start else 1.0
        remaining = (self._last - self._begun) * (1.0 - part) / part if part > 0 else float("inf")
        self._write(
            f"{self._name} {bar(part)} {100 * part:z5.1f} %  t = {t:z.4g} of {end:z.4g}, {remaining:z.0f} s left "
        )

    def _write(self, line: str) -> None:
        self._to.write(f"\r{line:<100}")
        self._to.flush()
        self._shown = True

    def done(self) -> None:
        if self._shown:
            self._to.write("\r" + " " * 100 + "\r")
            self._to.flush()


def bar(part: float) -> str:
    """`[#####     ]`."""
    return f"[{'#' * int(BAR * part):<{BAR}}]"


# ---------------------------------------------------------------------------------------------------------- stages


@dataclass
class ShownStage:
    """What is being done: a few words, and how many of its items are done, where they are counted."""

    text: str = ""
    done: int = 0
    total: int = 0

    def __str__(self) -> str:
        if not self.total:
            return self.text
        part = self.done / self.total
        return f"{self.text} {bar(part)} {100 * part:z.0f} %"


class _Local(threading.local):
    stage: ShownStage | None = None


_local: Final = _Local()


@contextmanager
def working(name: str, wanted: bool | None = None, to: TextIO | None = None) -> Iterator[None]:
    """Around a computation whose stages are shown on one line while it takes. Inside of another one, its stages are shown on
    the line of that one.

    wanted   show the line; by default on a terminal, after two seconds
    """
    if _local.stage is not None or not _may_show():
        yield
        return
    line, stage = Progress(wanted, 0.0, name, to), ShownStage("preparation")
    _local.stage = stage
    try:
        with _written_line(line, stage) if line.wanted else nullcontext():
            yield
    finally:
        _local.stage = None


@contextmanager
def _written_line(line: Progress, stage: ShownStage) -> Iterator[None]:
    """A thread writes the line until the end."""
    ended = threading.Event()
    writer = threading.Thread(target=_keep_writing, args=(line, stage, ended), name="symbody progress", daemon=True)
    writer.start()
    try:
        yield
    finally:
        ended.set()
        writer.join()
        line.done()


def _may_show() -> bool:
    """In the main thread, and not in a worker of `multiprocessing`: there that package is loaded, elsewhere it is not
    loaded for this question alone."""
    workers: Any = sys.modules.get("multiprocessing")
    is_worker = workers is not None and workers.parent_process() is not None
    return threading.current_thread() is threading.main_thread() and not is_worker


def _keep_writing(line: Progress, stage: ShownStage, ended: threading.Event) -> None:
    while not ended.wait(BREATH):
        line.say(lambda: f"{stage}, {line.seconds:z.0f} s")


def begin_stage(text: str, total: int = 0) -> None:
    """The stage that begins. Outside of `working` this does nothing."""
    stage = _local.stage
    if stage is not None:
        stage.text, stage.done, stage.total = text, 0, total


def with_progress(items: Collection[T], text: str) -> Iterator[T]:
    """The items of a stage, counted as they are taken."""
    begin_stage(text, len(items))
    stage = _local.stage
    for k, item in enumerate(items):
        if stage is not None:
            stage.done = k
        yield item

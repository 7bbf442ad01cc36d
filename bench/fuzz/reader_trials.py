"""Mutants of files through their readers, in processes of their own: how each ended is data.

A worker is a copy of this process in which everything is loaded. It reads one mutant after the other; one that dies is a
mutant that killed it, one that does not answer in time is ended, and another takes its place.
"""

from __future__ import annotations

import multiprocessing
import signal
import tempfile
import time
import traceback
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Final, Literal

from symbody.errors import SymbodyError
from symbody.escaping import UNPRINTABLE

from ..limits import Limit, allow, confine, ended_by_time
from .mutations import mutant
from .reader_samples import Reader, put

Ending = Literal["ok", "refused", "raw", "killed", "slow", "large", "unfit text"]
ENDINGS: Final[tuple[Ending, ...]] = ("ok", "refused", "raw", "killed", "slow", "large", "unfit text")
LIMIT: Final = Limit(10.0, 250.0)
MOST_LETTERS: Final = 3000  # of a message
PROCESSES: Final = multiprocessing.get_context("fork")


@dataclass(frozen=True)
class Trial:
    """A mutant by its reader, the seed and its number."""

    reader: Reader
    seed: int
    number: int

    def files(self) -> dict[str, bytes]:
        return mutant(self.reader.sample, f"{self.seed} {self.reader.name} {self.number}")


@dataclass(frozen=True)
class Verdict:
    trial: Trial
    ending: Ending
    text: str = ""

    @property
    def is_finding(self) -> bool:
        return self.ending not in ("ok", "refused")


def ending_of(reader: Reader, files: Mapping[str, bytes], folder: Path) -> tuple[Ending, str]:
    """How a mutant ends, here and now. "unfit text": what is printed of it has control characters or no end."""
    put(files, folder)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            text = reader.read(folder)
    except SymbodyError as reason:
        text = str(reason)
        return ("unfit text", text) if UNPRINTABLE.search(text.replace("\n", "")) or len(text) > MOST_LETTERS else ("refused", text)  # fmt: skip
    except MemoryError:
        return "large", traceback.format_exc(limit=-5)
    except Exception as reason:
        return "raw", f"{type(reason).__name__}: {reason}\n{traceback.format_exc(limit=-5)}"
    return ("unfit text", text) if UNPRINTABLE.search(text.replace("\n", "").replace("\t", "")) else ("ok", "")


class _Worker:
    """A process that reads mutants, and the one it is reading."""

    def __init__(self, limit: Limit) -> None:
        self.here, there = PROCESSES.Pipe()
        self.process = PROCESSES.Process(target=_serve, args=(there, limit), daemon=True)
        self.trial: Trial | None = None
        self.since = 0.0
        self.process.start()
        there.close()

    def begin(self, trial: Trial) -> None:
        self.trial = trial
        files = trial.files()
        self.since = time.monotonic()
        self.here.send((trial.reader.name, files))

    def verdict(self) -> Verdict | None:
        """Of its mutant; None where the worker died of it."""
        assert self.trial is not None
        try:
            ending, text = self.here.recv()
        except (EOFError, ConnectionResetError):
            return None
        return Verdict(self.trial, ending, text)

    def epitaph(self, limit: Limit) -> Verdict:
        """Of the mutant that the worker died of."""
        assert self.trial is not None
        self.process.join()
        code = self.process.exitcode or 0
        if ended_by_time(code):
            return self.too_slow(limit)
        return Verdict(self.trial, "killed", signal.Signals(-code).name if code < 0 else f"exit code {code}")

    def too_slow(self, limit: Limit) -> Verdict:
        assert self.trial is not None
        return Verdict(self.trial, "slow", f"more than {limit.seconds:g} s")

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.here.close()


def _serve(to: Connection, limit: Limit) -> None:
    from .reader_samples import READERS

    confine(limit)
    with tempfile.TemporaryDirectory(prefix="symbody-mutants-") as folder:
        for count in range(10**9):
            try:
                name, files = to.recv()
            except EOFError:
                return
            with tempfile.TemporaryDirectory(dir=folder, prefix=f"{count}-") as own:
                allow(limit)
                to.send(ending_of(READERS[name], files, Path(own)))


def verdicts(trials: Iterable[Trial], workers: int, limit: Limit = LIMIT) -> Iterator[Verdict]:
    """Of all mutants, as they come."""
    left, busy, idle = iter(trials), list[_Worker](), [_Worker(limit) for _ in range(workers)]
    try:
        while True:
            while idle and (trial := next(left, None)) is not None:
                busy.append(idle.pop())
                busy[-1].begin(trial)
            if not busy:
                return
            for worker, verdict in _ended(busy, limit):
                busy.remove(worker)
                if verdict.ending in ("killed", "slow"):
                    worker.end()
                    worker = _Worker(limit)
                idle.append(worker)
                yield verdict
    finally:
        for worker in (*busy, *idle):
            worker.end()


def _ended(busy: Sequence[_Worker], limit: Limit) -> Iterator[tuple[_Worker, Verdict]]:
    ready = wait([w.here for w in busy], timeout=0.5)
    for worker in list(busy):
        if worker.here in ready:
            yield worker, worker.verdict() or worker.epitaph(limit)
        elif time.monotonic() - worker.since > limit.wall_seconds:
            yield worker, worker.too_slow(limit)

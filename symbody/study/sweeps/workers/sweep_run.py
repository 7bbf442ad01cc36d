"""The run of a sweep: batches are sent to an executor and collected, and lost workers are tolerated."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from ..questions.answers import Answers, Column, Schema, answers_in_schema, failed_answers, joined_answers, schema_of
from ..stored.batches import Batches
from ..stored.study_folder import StudyFolder
from .job import BatchReport, BatchTask, Job
from .places import LostWorkerError, Place
from .sweep_progress import SweepProgress

TARGET_SECONDS: Final = 1.0  # duration for which batches are sized, which bounds the work lost with a worker
# smallest duration of a batch, so that a cluster's overhead of milliseconds per task is a few per cent
MIN_SECONDS: Final = 0.05
# time in seconds that a scheduler needs for a task, which matters with many workers
TASK_SECONDS: Final = (
    2e-3  # that a scheduler needs for a task: with many workers, batches are longer, so that it keeps up
)
BATCHES_PER_WORKER: Final = 4  # smallest number of batches for each worker, so that slow ones do not delay all others
MAX_BYTES: Final = 2**25  # largest size of a chunk of one array
PILOT_SECONDS: Final = 0.1  # time in seconds spent on the first members
PILOT_MEMBERS: Final = 512  # largest number of first members
# largest number of attempts at a batch whose workers are lost, before its members are run individually
MAX_ATTEMPTS: Final = 2


@dataclass(frozen=True)
class Pilot:
    """The first members, computed to determine the columns of the answers and the time per member."""

    answers: Answers
    seconds: float  # of a member


def pilot(place: Place, total: int) -> Pilot:
    """The first member, which compiles what all share; then some more, twice as many each time, until they take long
    enough to be timed."""
    parts, seconds, size = [_apart(place, range(1), None)], 0.0, 1
    done = 1
    while done < min(total, PILOT_MEMBERS) and seconds < PILOT_SECONDS:
        numbers = range(done, min(total, done + size))
        begun = time.perf_counter()
        parts.append(_apart(place, numbers, None))
        seconds = time.perf_counter() - begun
        done, size, each = numbers.stop, 2 * size, seconds / len(numbers)
    first = next((p for p in parts if p.values), None)
    if first is not None:
        schema = schema_of(first, {})
        parts = [answers_in_schema(p, schema) for p in parts]
    return Pilot(joined_answers(parts), each if done > 1 else 0.0)


def batch_size(total: int, width: int, seconds: float, schema: Schema) -> int:
    """SweptMembers of a batch: about a second of work, a few batches for each worker, and chunks of bounded size."""
    each = max(seconds, 1e-7)
    longest = max(TARGET_SECONDS, TASK_SECONDS * width)
    wanted = min(longest / each, total / (BATCHES_PER_WORKER * width))
    size = max(1, round(max(wanted, min(MIN_SECONDS / each, total / width))))
    heaviest = max((np.dtype(c.dtype).itemsize * int(np.prod(c.shape)) for c in schema.values()), default=8)
    return max(1, min(size, MAX_BYTES // max(heaviest, 1)))


@dataclass
class SweepRun:
    """Batches of a study in progress. Results go into `folder`, or stay in `kept`."""

    job: Job
    batches: Batches
    place: Place
    progress: SweepProgress
    folder: StudyFolder | None = None
    schema: dict[str, Column] = field(default_factory=dict)
    first: Answers | None = None
    kept: dict[int, Answers] = field(default_factory=dict)
    lost: dict[int, int] = field(default_factory=dict)

    def run(self, wanted: Iterable[int]) -> None:
        """Compute all these batches."""
        waiting, running = deque(wanted), dict[Future[BatchReport], int]()
        while waiting or running:
            while waiting and len(running) < self.place.width:
                k = waiting.popleft()
                running[self.place.submit(self._task(k))] = k
            finished, _ = wait(running, timeout=0.5, return_when=FIRST_COMPLETED)
            for future in finished:
                k = running.pop(future)
                try:
                    self._record(future.result())
                except LostWorkerError:
                    self.lost[k] = self.lost.get(k, 0) + 1
                    if self.lost[k] < MAX_ATTEMPTS:
                        waiting.append(k)
                    else:
                        self._try_apart(k)
            self.progress.show()

    def _task(self, k: int) -> BatchTask:
        numbers = self.batches.members(k)
        known = None
        if self.first is not None and numbers.start < self.first.count:
            known = self.first.part(numbers.start, min(numbers.stop, self.first.count))
        if self.folder is None:
            return BatchTask(k, numbers, known, schema=self.schema)
        return BatchTask(k, numbers, known, self.folder.path.absolute(), self.folder.about["id"], self.schema)

    def _try_apart(self, k: int) -> None:
        numbers = self.batches.members(k)
        middle = -(-len(numbers) // 2)  # a single member gets all its attempts
        halves = [half for half in (numbers[:middle], numbers[middle:]) if half]
        answers = joined_answers([_apart(self.place, half, self.schema) for half in halves])
        self._record(BatchReport(k, len(numbers), len(answers.messages), 0.0, answers))

    def _record(self, report: BatchReport) -> None:
        if report.answers is not None:
            self._write(report.k, report.answers)
        self.progress.add(report.members, report.failed)

    def _write(self, k: int, answers: Answers) -> None:
        if not self.schema and answers.values:
            self.learn(answers)
        answers = answers_in_schema(answers, self.schema) if self.schema else answers
        if self.folder is not None:
            self.folder.write(k, answers, self.schema)
        else:
            self.kept[k] = answers

    def learn(self, answers: Answers) -> None:
        """The columns of a study, from the first answers."""
        self.schema = schema_of(answers, self.job.question.layout(self.job.subject))
        if self.schema and self.folder is not None:
            self.folder.add(self.schema, self.job.question.coordinates(self.job.subject))


def _apart(place: Place, numbers: range, schema: Schema | None) -> Answers:
    """Members all at once; if their worker is lost, in halves, down to those that end every process that computes
    them."""
    why = ""
    for _ in range(MAX_ATTEMPTS if len(numbers) == 1 else 1):
        try:
            return place.members(numbers, schema).result()
        except LostWorkerError as reason:
            why = str(reason)
    if len(numbers) == 1:
        return failed_answers([why])
    middle = len(numbers) // 2
    return joined_answers([_apart(place, half, schema) for half in (numbers[:middle], numbers[middle:])])


def all_answers(run: SweepRun) -> Answers:
    """The answers that were kept, in the order of members."""
    return joined_answers([run.kept[k] for k in range(len(run.batches))])

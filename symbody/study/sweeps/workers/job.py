"""A job: the data of a study that workers need, and the computation of a batch."""

from __future__ import annotations

import pickle
import time
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from ....errors import StudyError
from ....optional_packages import optional_package
from ....version import VERSION
from ..questions.answers import Answers, Schema, answers_in_schema, joined_answers
from ..questions.questions import Question, SweptMembers
from ..questions.varied import Varied
from ..stored.claims import claim
from ..stored.study_folder import StudyFolder


@dataclass(frozen=True)
class Job:
    """A study as sent to workers, once: a question and its members."""

    subject: Any
    question: Question
    varied: Varied
    constants: Mapping[str, float]

    def members(self, numbers: range) -> SweptMembers:
        fixed = {k: np.full(len(numbers), v) for k, v in self.constants.items()}
        return SweptMembers(numbers, {**fixed, **self.varied.values(numbers)}, self.varied.seed)

    def answers(self, numbers: range, schema: Schema | None = None) -> Answers:
        """The answers of some members, in the columns of the study where these are known."""
        found = self.question.answers(self.subject, self.members(numbers), schema or None)
        return answers_in_schema(found, schema) if schema else found


@dataclass(frozen=True)
class BatchReport:
    """The result of a batch: its answers, or nothing if the worker has written them to disk.

    was_there   whether another worker had finished it
    """

    k: int
    members: int
    failed: int
    seconds: float
    answers: Answers | None = None
    was_there: bool = False


@dataclass(frozen=True)
class BatchTask:
    """A batch to compute.

    known              answers of its first members, where they are known
    folder, identity   destination of the results, and a number by which a worker verifies that it is the same folder
    schema             columns of answers, as far as they are known
    """

    k: int
    numbers: range
    known: Answers | None = None
    folder: Path | None = None
    identity: str = ""
    schema: Schema = field(default_factory=dict)

    def run(self, job: Job) -> BatchReport:
        """Compute a batch, and write it down where that can be done from here."""
        place = self._own_folder()
        with nullcontext() if place is None else claim(place.path, str(self.k)):
            if place is not None and place.is_finished(self.k):
                return BatchReport(self.k, len(self.numbers), 0, 0.0, was_there=True)
            begun = time.perf_counter()
            before = [] if self.known is None else [self.known]
            rest = self.numbers[sum(a.count for a in before) :]
            answers = joined_answers([*before, *([job.answers(rest, self.schema)] if rest else [])])
            seconds = time.perf_counter() - begun
            if place is not None:
                place.write(self.k, answers, self.schema)
        kept = None if place is not None else answers
        return BatchReport(self.k, len(self.numbers), len(answers.messages), seconds, kept)

    def _own_folder(self) -> StudyFolder | None:
        """The folder of the study, if this process can access it and the schema is known."""
        if self.folder is None or not self.schema:
            return None
        here = StudyFolder(self.folder)
        try:
            return here if here.about["id"] == self.identity else None
        except StudyError:
            return None


def packed_job(job: Job) -> bytes:
    """A job for other processes, with the version of the package that it is for."""
    try:
        body = _pickler().dumps((VERSION, job))
    except Exception as reason:
        raise StudyError(
            f"sweep: this cannot be sent to other processes ({type(reason).__name__}: {reason}); define functions in a module, or install cloudpickle; on='threads' computes in this process"
        ) from None
    return bytes(body)


def _pickler() -> Any:
    try:
        return optional_package("cloudpickle", "functions of a notebook or script", StudyError)
    except StudyError:
        return pickle


@lru_cache(maxsize=2)
def unpacked_job(body: bytes) -> Job:
    """The job, unpacked once in each process, so that its compiled programs are kept."""
    version, job = pickle.loads(body)
    if version != VERSION:
        raise StudyError(
            f"sweep: this worker has symbody {VERSION}, and the study comes from version {version}; install the same"
        )
    made: Job = job
    return made


def run_task(body: bytes, task: BatchTask) -> BatchReport:
    """What a worker does with a batch."""
    return task.run(unpacked_job(body))


def run_members(body: bytes, numbers: range, schema: Schema | None = None) -> Answers:
    """The answers of some members."""
    return unpacked_job(body).answers(numbers, schema)

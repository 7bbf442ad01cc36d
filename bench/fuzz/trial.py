"""One case: a model through the checks, in a process of its own with limits of time and memory. What happens there is
data."""

from __future__ import annotations

import os
import re
import tempfile
import traceback
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random
from typing import Any, Literal

from symbody.errors import CompileError, ExpressionError, ProgramError, SymbodyError

from ..limits import Limit, StoppedError, limited
from .catalogue import CHECKS
from .random_models import random_sections
from .recipe import Sections, file_text
from .subject import DisagreementError, NotComparableError, Subject

WARM = """
symbody: 1
inputs: w
bodies: {bob: {mass: 1, com: [0, -1, 0], inertia: [1, 1, 1]}}
joints: {a: {revolute: [ground, bob], actuation: w}}
start: {a: 0.5}
"""
OURS = (
    ProgramError,
    CompileError,
    ExpressionError,
)  # what nobody asked for who has a model that was read: not a refusal, a finding
Kind = Literal["passed", "refused", "disagreement", "exception", "stopped"]
LIMIT = Limit(120.0, 3000.0)
ALWAYS, DRAWN = ("routes",), 6  # checks of every case, and how many of the others


@dataclass(frozen=True)
class Answer:
    """How a check ended: passed, refused (by the package or for want of a comparison), or a finding."""

    check: str
    kind: Kind
    text: str = ""

    @property
    def is_finding(self) -> bool:
        return self.kind not in ("passed", "refused")

    @property
    def sort(self) -> str:
        """Kind and text without names and numbers: answers of one sort have one reason."""
        return f"{self.kind}: {_without_particulars(self.text)}"


def _without_particulars(text: str) -> str:
    first = next((x for x in text.strip().splitlines() if x.strip()), "")
    return re.sub(r"'[^']*'|\b\w*\d[\w.+-]*", "…", first)[:160]


@dataclass(frozen=True)
class Case:
    """A model, the seed of the checks' own choices, and the checks to make."""

    sections: Sections
    seed: int
    checks: tuple[str, ...]

    @property
    def text(self) -> str:
        return file_text(self.sections)


def case_of(seed: int, number: int, checks: Sequence[str] = ()) -> Case:
    """A case by its number; without a choice, some checks of all."""
    others = [c for c in CHECKS if c not in ALWAYS]
    drawn = set(Random(f"checks {seed} {number}").sample(others, DRAWN))
    chosen = checks or [c for c in CHECKS if c in drawn or c in ALWAYS]
    return Case(random_sections(seed, number), number, tuple(chosen))


def examined(case: Case) -> list[Answer]:
    """All checks of a case, here and now."""
    subject = Subject(case.text, case.seed)
    reading = _answer("reading", lambda _: subject.eq, subject)
    if reading.kind != "passed":
        return [reading]
    return [reading, *(_answer(name, CHECKS[name], subject) for name in case.checks)]


def _answer(name: str, check: Any, subject: Subject) -> Answer:
    try:
        check(subject)
    except (NotComparableError, SymbodyError) as reason:
        named = "" if isinstance(reason, NotComparableError) else f"{type(reason).__name__}: "
        is_ours = name != "reading" and isinstance(reason, OURS)
        return Answer(name, "exception" if is_ours else "refused", named + str(reason))
    except DisagreementError as reason:
        return Answer(name, "disagreement", str(reason))
    except MemoryError:
        raise
    except Exception as reason:
        where = traceback.format_exc(limit=-4)
        return Answer(name, "exception", f"{type(reason).__name__}: {reason}\n{where}")
    return Answer(name, "passed")


def tried(case: Case, limit: Limit = LIMIT) -> list[Answer]:
    """All checks of a case in a process of its own. One that does not end, takes too much memory or dies is a
    finding."""
    try:
        return limited(lambda: examined(case), limit)
    except (StoppedError, RuntimeError) as reason:
        return [Answer(_culprit(case, limit), "stopped", str(reason))]


def _culprit(case: Case, limit: Limit) -> str:
    """The check that does not end, found by making each alone."""
    for name in case.checks:
        try:
            limited(
                lambda name=name: examined(Case(case.sections, case.seed, (name,))),
                Limit(limit.seconds / 2, limit.megabytes),
            )
        except (StoppedError, RuntimeError):
            return name
    return " ".join(case.checks)


@contextmanager
def own_cache() -> Iterator[None]:
    """Machine code of random models stays out of the user's cache; what every case needs is loaded before the first
    one."""
    with tempfile.TemporaryDirectory(prefix="symbody-fuzz-") as folder:
        before = os.environ.get("SYMBODY_CACHE")
        os.environ["SYMBODY_CACHE"] = folder
        try:
            for name in ("code", "solves", "linearization"):
                CHECKS[name](Subject(WARM))
            yield
        finally:
            os.environ.pop("SYMBODY_CACHE") if before is None else os.environ.update(SYMBODY_CACHE=before)


def findings(answers: Iterable[Answer]) -> list[Answer]:
    return [a for a in answers if a.is_finding]

"""Answers of members: arrays by name with a row for each member, and the outcome of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

UNKNOWN, FINISHED, FAILED = 0, 1, 2
MEANINGS: Final = ("not_computed", "finished", "failed")
NO_INTEGER: Final = np.iinfo(np.int64).min  # the integer that stands for a missing answer


@dataclass(frozen=True)
class Answers:
    """Answers of some members, in their order.

    values     by name, a row for each member; empty if no member has any
    messages   why a member failed, by its index; it may nevertheless have values, up to the failure
    """

    count: int
    values: Mapping[str, NDArray[Any]]
    messages: Mapping[int, str] = field(default_factory=dict)

    def part(self, begin: int, end: int) -> Answers:
        """Some of the members."""
        messages = {k - begin: m for k, m in self.messages.items() if begin <= k < end}
        return Answers(end - begin, {n: v[begin:end] for n, v in self.values.items()}, messages)

    @property
    def status(self) -> NDArray[np.uint8]:
        out = np.full(self.count, FINISHED, dtype=np.uint8)
        out[list(self.messages)] = FAILED
        return out


def joined_answers(parts: Sequence[Answers]) -> Answers:
    """The answers of several sets of members, one after the other."""
    if len(parts) == 1:
        return parts[0]
    names = next((p.values for p in parts if p.values), {})
    values = {
        name: np.concatenate([p.values.get(name, _missing(p.count, like)) for p in parts])
        for name, like in names.items()
    }
    firsts = np.cumsum([0, *(p.count for p in parts)])
    messages = {int(first) + k: m for p, first in zip(parts, firsts, strict=False) for k, m in p.messages.items()}
    return Answers(int(firsts[-1]), values, messages)


def _missing(count: int, like: NDArray[Any]) -> NDArray[Any]:
    return np.full((count, *like.shape[1:]), missing_value(like.dtype), dtype=like.dtype)


def missing_value(dtype: Any) -> Any:
    return NO_INTEGER if np.dtype(dtype).kind == "i" else np.nan


def failed_answers(messages: Iterable[str]) -> Answers:
    """Answers of members that all failed."""
    said = list(messages)
    return Answers(len(said), {}, dict(enumerate(said)))


def plain(value: Any) -> NDArray[Any]:
    """An answer as an array of numbers of 64 bits: integers, reals or complex numbers."""
    found = np.asarray(value)
    kinds = {"b": np.int64, "i": np.int64, "u": np.int64, "f": np.float64, "c": np.complex128}
    if found.dtype.kind not in kinds:
        raise TypeError(
            f"an answer must be a number, an array of numbers, or a mapping to these, got {type(value).__name__}"
        )
    return found.astype(kinds[found.dtype.kind])


@dataclass(frozen=True)
class Column:
    """An array of a study apart from its members: further dimensions with their lengths, type, unit."""

    dims: tuple[str, ...]
    shape: tuple[int, ...]
    dtype: str
    unit: str = ""

    def holds(self, values: NDArray[Any]) -> bool:
        return values.shape[1:] == self.shape and np.can_cast(values.dtype, np.dtype(self.dtype), "same_kind")


Schema = Mapping[str, Column]


def schema_of(answers: Answers, layout: Mapping[str, tuple[tuple[str, ...], str]]) -> dict[str, Column]:
    """Columns of answers; `layout` has names of further dimensions, and units."""
    out = {}
    for name, values in answers.values.items():
        shape = values.shape[1:]
        dims, unit = layout.get(name, (tuple(f"{name}_{k}" for k in range(len(shape))), ""))
        out[name] = Column(dims, shape, np.dtype(values.dtype).str, unit)
    return out


def answers_in_schema(answers: Answers, schema: Schema) -> Answers:
    """Answers in the columns of a study; members whose answers have another shape have failed."""
    wrong = [n for n in answers.values if n not in schema or not schema[n].holds(answers.values[n])]
    missing = [n for n in schema if n not in answers.values] if answers.values else []
    if not wrong and not missing:
        return answers
    said = [f"{n} has shape {answers.values[n].shape[1:]} and type {answers.values[n].dtype}" for n in wrong]
    why = "; ".join([*said, *(f"{n} is missing" for n in missing)])
    return failed_answers(
        answers.messages.get(k, f"the answer is not like those of other members: {why}") for k in range(answers.count)
    )

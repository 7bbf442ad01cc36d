"""Questions to the members of a sweep: a question is data, and answers many members of its subject at once.

A subject is the varied object: equations, a linear system, or a function. `at_times`, `at_end`, `extremes`, `spectrum`,
`steady_values` and `orbit_values` make the questions of this folder; a function is its own question.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ....emit.run.callable import Array
from ....errors import StudyError, SymbodyError, in_number, listed, shown, unknown
from .answers import Answers, Schema, answers_in_schema, failed_answers, joined_answers, plain, schema_of
from .varied import Varied, member_generator

Layout = Mapping[str, tuple[tuple[str, ...], str]]  # by name of an answer: further dimensions, unit


@dataclass(frozen=True)
class SweptMembers:
    """Some members of a sweep: their numbers, and values by name, including those common to all."""

    numbers: range
    values: Mapping[str, Array]
    seed: int = 0

    def __len__(self) -> int:
        return len(self.numbers)

    def part(self, begin: int, end: int) -> SweptMembers:
        return SweptMembers(self.numbers[begin:end], {k: v[begin:end] for k, v in self.values.items()}, self.seed)

    def each(self) -> Iterable[dict[str, float]]:
        """Values of one member after the other."""
        return ({k: float(v[i]) for k, v in self.values.items()} for i in range(len(self)))


class Question(Protocol):
    """A question that all members of a subject can answer."""

    def prepared(self, varied: Varied, constants: Mapping[str, float]) -> Question:
        """The question with data about all members."""

    def check(self, subject: Any, names: Sequence[str]) -> None:
        """Refuse names that the subject does not have, before anything is computed."""

    def content(self, subject: Any) -> Any:
        """What of the subject the answers depend on, as `fingerprint` takes it."""

    def labels(self, subject: Any, names: Iterable[str]) -> Mapping[str, str]:
        """Names under which varied values are found in the study, where they are not their own."""

    def layout(self, subject: Any) -> Layout:
        """Further dimensions and units of the answers."""

    def coordinates(self, subject: Any) -> Mapping[str, tuple[Array, str]]:
        """Values along further dimensions, with units."""

    def units(self, subject: Any, names: Iterable[str]) -> Mapping[str, str]:
        """Units of the varied values."""

    def answers(self, subject: Any, members: SweptMembers, schema: Schema | None) -> Answers:
        """The answers of some members; `schema` as far as it is known."""


def one_by_one(compute: Callable[[SweptMembers], Answers], members: SweptMembers) -> Answers:
    """The answers of all at once; where that fails, of halves, down to the members that fail."""
    try:
        return compute(members)
    except Exception as reason:  # whatever it is, it is what became of a member
        if len(members) == 1:
            return failed_answers([sentence(reason)])
    middle = len(members) // 2
    halves = members.part(0, middle), members.part(middle, len(members))
    return joined_answers([one_by_one(compute, half) for half in halves])


def sentence(reason: BaseException) -> str:
    """An error as stored text: errors of this package are their message, others begin with their type."""
    text = " ".join(str(reason).split())
    return text if isinstance(reason, SymbodyError) else f"{type(reason).__name__}: {text}"


def known_names(kinds: Mapping[str, str], names: Iterable[str], where: str, groups: Iterable[str]) -> None:
    """Refuse names that are not of these kinds."""
    able = [n for n, kind in kinds.items() if kind in groups]
    for name in names:
        if name not in able:
            raise unknown(where, " or ".join(groups), name, able, StudyError)


@dataclass(frozen=True)
class FunctionValues:
    """A function of the values by name. It gives a number, an array, or a mapping from names to these.

    rng       an argument of that name is the member's generator of random numbers
    batched   it takes arrays with a number for each member, and returns arrays whose first dimension is that of members
    """

    batched: bool = False

    def prepared(self, varied: Varied, constants: Mapping[str, float]) -> FunctionValues:
        return self

    def check(self, subject: Any, names: Sequence[str]) -> None:
        try:
            parameters = inspect.signature(subject).parameters.values()
        except (TypeError, ValueError):  # some functions of C have no signature
            return
        if any(p.kind is p.VAR_KEYWORD for p in parameters):
            return
        takes = [p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
        needs = [p.name for p in parameters if p.default is p.empty and p.name in takes and p.name != "rng"]
        for name in names:
            if name not in takes:
                raise unknown(f"sweep: {_name(subject)}", "argument", name, takes, StudyError)
        if missing := [n for n in needs if n not in names]:
            raise StudyError(f"sweep: {_name(subject)} needs {listed(missing)}; vary them, or give values={{...}}")

    def content(self, subject: Any) -> Any:
        return subject

    def labels(self, subject: Any, names: Iterable[str]) -> Mapping[str, str]:
        return {}

    def layout(self, subject: Any) -> Layout:
        return {}

    def coordinates(self, subject: Any) -> Mapping[str, tuple[Array, str]]:
        return {}

    def units(self, subject: Any, names: Iterable[str]) -> Mapping[str, str]:
        return {}

    def answers(self, subject: Any, members: SweptMembers, schema: Schema | None) -> Answers:
        if self.batched:
            return self._all(subject, members)
        has_rng = _takes_rng(subject)
        found = []
        for number, values in zip(members.numbers, members.each(), strict=True):
            more = {"rng": member_generator(members.seed, number)} if has_rng else {}
            found.append(_answer_of_function(subject, {**values, **more}))
        first = next((a for a in found if a.values), None)
        if schema is None and first is not None:
            schema = schema_of(first, {})
        return joined_answers([a if schema is None else answers_in_schema(a, schema) for a in found])

    def _all(self, subject: Any, members: SweptMembers) -> Answers:
        try:
            answer = subject(**members.values)
            made = answer if isinstance(answer, Mapping) else {"value": answer}
            values = {str(name): plain(v) for name, v in made.items()}
            if wrong := [name for name, v in values.items() if v.ndim == 0 or len(v) != len(members)]:
                raise ValueError(
                    f"{in_number(wrong, '{} has', '{} have')} not a row for each of {len(members)} members"
                )
            return Answers(len(members), values)
        except Exception as reason:
            if len(members) == 1:
                return failed_answers([sentence(reason)])
        middle = len(members) // 2
        halves = members.part(0, middle), members.part(middle, len(members))
        return joined_answers([self._all(subject, half) for half in halves])


def _answer_of_function(function: Callable[..., Any], values: Mapping[str, Any]) -> Answers:
    """The answer of one member; an exception of the function becomes its message."""
    try:
        answer = function(**values)
        made = answer if isinstance(answer, Mapping) else {"value": answer}
        return Answers(1, {str(name): plain(v)[None] for name, v in made.items()})
    except Exception as reason:
        return failed_answers([sentence(reason)])


def _takes_rng(function: Any) -> bool:
    try:
        return "rng" in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False


def _name(function: Any) -> str:
    return f"{getattr(function, '__name__', shown(function))}"

"""Conditions on parameters under which the bodies of a mechanism can exist: the checks of `mass.py`, for values that
are given later."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from ...algebra.calculus.evaluate import evaluate
from ...algebra.graph.graph import Expr, Symbol
from ...algebra.graph.walk import free_symbols
from ...errors import listed
from ..mass.mass import wrong_inertia, wrong_mass, wrong_size
from .mechanism import Body


@dataclass(frozen=True)
class Requirement:
    """A condition on parameters: `wrong` returns why a body with these numbers is impossible, or an empty text."""

    part: str
    expressions: tuple[Expr, ...]
    symbols: tuple[Symbol, ...]
    wrong: Callable[[Sequence[float]], str]

    def refusal(self, values: Mapping[Symbol, float]) -> str:
        """The violated condition as a sentence, for values of parameters; empty if it holds or a value is
        missing."""
        if any(s not in values for s in self.symbols):
            return ""
        if not (found := self.wrong(_numbers(self.expressions, values))):
            return ""
        given = listed(f"{s.name} = {values[s]:g}" for s in self.symbols)
        return f"{given} is not possible for {self.part}: {found}"


def requirements(bodies: Iterable[Body]) -> tuple[Requirement, ...]:
    """The conditions on parameters of some bodies; of literals they were checked when the bodies were made."""
    return tuple(r for b in bodies if not _is_literal(b) for r in _of_body(b) if r.symbols)


def _is_literal(b: Body) -> bool:
    """Whether mass and inertia of a body are numbers."""
    return b.shape is None and b.mass.is_literal


def first_refusal(conditions: Iterable[Requirement], values: Mapping[Symbol, float]) -> str:
    """The first violated condition, as a sentence; empty if there is none."""
    return next((found for r in conditions if (found := r.refusal(values))), "")


def _numbers(expressions: Sequence[Expr], values: Mapping[Symbol, float]) -> list[float]:
    if len(expressions) == 1 and isinstance(expressions[0], Symbol):
        return [values[expressions[0]]]
    return list(evaluate(list(expressions), {s: values[s] for s in free_symbols(*expressions)}))


def _of_body(b: Body) -> Iterator[Requirement]:
    part = f"body {b.name!r}"
    yield _requirement(part, [b.mass.m], _mass)
    if b.shape is not None:  # its inertia is that of a body, whatever the numbers are
        for size in b.shape.size:
            yield _requirement(part, [size], partial(_size, b.shape.kind))
    elif b.is_physical and b.moments is None:
        yield _requirement(part, b.mass.I_BBcm.entries, _inertia)


def _requirement(part: str, expressions: Sequence[Expr], wrong: Callable[[Sequence[float]], str]) -> Requirement:
    return Requirement(part, tuple(expressions), tuple(free_symbols(*expressions)), wrong)


def _mass(numbers: Sequence[float]) -> str:
    return wrong_mass(numbers[0])


def _size(kind: str, numbers: Sequence[float]) -> str:
    return wrong_size(kind, numbers[0])


def _inertia(numbers: Sequence[float]) -> str:
    return wrong_inertia([list(numbers[i : i + 3]) for i in (0, 3, 6)])

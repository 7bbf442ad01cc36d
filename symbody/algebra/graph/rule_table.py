"""Rewriting rules by the operations that they apply to."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from .graph import Node

COMMUTATIVE: Final = frozenset(("add", "mul", "min", "max", "eq", "and", "or"))
Apply = Callable[..., "Node | None"]


Places = frozenset[tuple[int, str]]


class Rule(NamedTuple):
    """A rewriting rule of an operation.

    pattern   forms of its arguments
    apply     function of the arguments: the rewritten node, or None where the rule does not apply
    words     of the pattern, by place
    turned    those of the arguments in the other order, of a commutative operation
    is_symmetric   whether `apply` does not look at the order
    """

    pattern: tuple[str, ...]
    apply: Apply
    words: Places
    turned: Places | None
    is_symmetric: bool


class RuleTable(dict[Any, tuple[Apply, ...]]):
    """Functions of rules by operation and forms of the arguments, collected from `registry` on first use."""

    registry: dict[str, list[Rule]] = {}  # by operation

    def __missing__(self, key: tuple[str, ...]) -> tuple[Apply, ...]:
        op, *forms = key
        if forms[-1] == "same":
            forms[-1] = f"{forms[0]} same"
        words, found = _words(*forms), list[Apply]()
        for pattern, apply, own, turned, is_symmetric in self.registry.get(op, ()):
            if len(pattern) != len(forms):
                continue
            if own <= words:
                found.append(apply)
                if is_symmetric:
                    continue
            if turned is not None and turned <= words:
                found.append(_with_arguments_turned(apply))
        self[key] = tuple(found)
        return self[key]


def _with_arguments_turned(apply: Apply) -> Apply:
    return lambda a, b: apply(b, a)


def _words(*forms: str) -> Places:
    """The words of forms, or of a pattern, place by place; none for a pattern that all forms fit."""
    return frozenset([(k, word) for k, form in enumerate(forms) if form != "any" for word in form.split()])


fitting_rules = RuleTable()


_ANGLES: Final = {"sin": 1, "cos": 1, "pow": 2, "angle": 1, "angles": 2}


def _product_form(*arguments: str) -> str:
    """The form of a product by those of its two arguments: the word "mul", and the properties of products that rules
    use, so that they are called where they may apply.

    number   its first argument is a number            inner   an argument is a product whose first is a number
    deep     a number is somewhere among its factors   angle, angles   one, or more, of these may be a sine or cosine
    """
    first, second = (a.split() for a in arguments)
    found = {*first, *second}
    angles = sum(_ANGLES.get(word, 0) for word in (*first, *second))
    words = {
        "number": first == ["const"],
        "inner": "number" in found,
        "deep": not found.isdisjoint(("const", "deep")),
        "angle": angles == 1,
        "angles": angles > 1,
    }
    return " ".join(["mul", *(word for word, fits in words.items() if fits)])


class _RuleRow(dict[str, tuple[tuple[Apply, ...], str]]):
    """Rules of an operation on two arguments, and the form of its node, by the form of the second argument."""

    __slots__ = ("first", "op")

    def __init__(self, op: str, first: str) -> None:
        self.op, self.first = op, first

    def __missing__(self, second: str) -> tuple[tuple[Apply, ...], str]:
        other = self.first if second == "same" else second
        form = _product_form(self.first, other) if self.op == "mul" else self.op
        return self.setdefault(second, (fitting_rules[self.op, self.first, second], form))


class _RuleRows(dict[str, _RuleRow]):
    """The rows of an operation, by the form of the first argument."""

    __slots__ = ("op",)

    def __init__(self, op: str) -> None:
        self.op = op

    def __missing__(self, first: str) -> _RuleRow:
        return self.setdefault(first, _RuleRow(self.op, first))


class _PairRules(dict[str, _RuleRows]):
    def __missing__(self, op: str) -> _RuleRows:
        return self.setdefault(op, _RuleRows(op))


pair_rules = _PairRules()


def rule(op: str, *pattern: str, symmetric: bool = False) -> Callable[[Apply], Apply]:
    """Register a rewriting rule for `op` applied to arguments whose forms fit `pattern`: a form fits that has all words of its
    pattern, "any" fits all, and "same" in the last place an argument that is the one before it.

    The decorated function gets the arguments and returns the rewritten node, or None where it does not apply. Its
    docstring is the identity it uses, `left = right`; the tests check every such identity at random numbers and that
    `left` is indeed rewritten to `right`. Patterns of commutative operations hold in both orders; a symmetric rule does
    not look at the order itself.
    """

    def register(apply: Apply) -> Apply:
        is_symmetric = symmetric or len(set(pattern)) < len(pattern)
        turned = _words(*pattern[::-1]) if op in COMMUTATIVE else None
        made = Rule(pattern, apply, _words(*pattern), turned, is_symmetric)
        fitting_rules.registry.setdefault(op, []).append(made)
        return apply

    return register

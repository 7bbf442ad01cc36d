"""Rewriting rules by the operations that they apply to, and the forms of nodes by which they are found."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from ..graph import Node

COMMUTATIVE: Final = frozenset(("add", "mul", "min", "max", "eq", "and", "or"))
Apply = Callable[..., "Node | None"]
Rules = tuple[Apply, ...]
Words = frozenset[str]


class Rule(NamedTuple):
    """A rewriting rule of an operation.

    pattern   words that the forms of its arguments have
    apply     function of the arguments: the rewritten node, or None where the rule does not apply
    words     of the pattern, by place
    is_symmetric   whether `apply` does not look at the order of the arguments
    """

    pattern: tuple[str, ...]
    apply: Apply
    words: tuple[Words, ...]
    is_symmetric: bool


registry: Final[dict[str, list[Rule]]] = {}  # by operation


def rule(op: str, *pattern: str, symmetric: bool = False) -> Callable[[Apply], Apply]:
    """Register a rewriting rule for `op` applied to arguments whose forms fit `pattern`: a form fits that has all words of its
    pattern, "any" fits all, and "same" in the last place an argument that is the one before it.

    The decorated function gets the arguments and returns the rewritten node, or None where it does not apply. Its
    docstring is the identity it uses, `left = right`; the tests check every such identity at random numbers and that
    `left` is indeed rewritten to `right`. Patterns of commutative operations hold in both orders; a symmetric rule does
    not look at the order itself.
    """
    words = tuple(Words(place.split()) - {"any"} for place in pattern)

    def register(apply: Apply) -> Apply:
        is_symmetric = symmetric or len(set(pattern)) < len(pattern)
        registry.setdefault(op, []).append(Rule(pattern, apply, words, is_symmetric))
        return apply

    return register


@cache
def _rules_by_number(op: str, fitting: int, turned: int = 0) -> Rules:
    """Functions of rules of an operation by their numbers, as bits: of those that fit the arguments as they are, and in
    the other order."""
    found = list[Apply]()
    both = fitting | turned
    while both:
        bit = both & -both
        both ^= bit
        made = registry[op][bit.bit_length() - 1]
        if fitting & bit:
            found.append(made.apply)
        if turned & bit and not (fitting & bit and made.is_symmetric):
            found.append(_with_arguments_turned(made.apply))
    return tuple(found)


def _numbers_of_rules(op: str, words: Words, count: int) -> tuple[int, int]:
    """Numbers of the rules, as bits, of an operation on so many arguments that a form fits as the first, and as the
    second."""
    by_word = _rules_by_word(op, count)
    first = second = 0
    for word in ("any", *words):
        for needed, as_first, as_second in by_word.get(word, ()):
            if needed <= words:
                first |= as_first
                second |= as_second
    return first, second


@cache
def _rules_by_word(op: str, count: int) -> dict[str, list[tuple[Words, int, int]]]:
    """Rules for so many arguments by the first word of a place: the words needed there, and the numbers, as bits, of the
    rules that need them of the first argument, and of the second."""
    out: dict[str, dict[Words, list[int]]] = {}
    for k, made in enumerate(registry.get(op, ())):
        if len(made.words) == count:
            for place, needed in enumerate(made.words):
                numbers = out.setdefault(made.pattern[place].split()[0], {}).setdefault(needed, [0, 0])
                numbers[place] |= 1 << k
    return {word: [(needed, one, other) for needed, (one, other) in found.items()] for word, found in out.items()}


def _with_arguments_turned(apply: Apply) -> Apply:
    return lambda a, b: apply(b, a)


@cache
def rules_of_many(op: str, count: int) -> Rules:
    """Rules for arguments of any form."""
    return tuple(r.apply for r in registry.get(op, ()) if len(r.words) == count and not any(r.words))


# ---------------------------------------------------------------------------------------------------------- forms

_NO_WORDS: Final = Words()
_SAME: Final = Words(("same",))
_COMPOUND: Final = frozenset(("add", "sub", "neg", "mul", "div", "where"))
_ANGLES: Final = {"sin": 1, "cos": 1, "pow": 2, "angle": 1, "angles": 2}


def is_compound(op: str) -> bool:
    """Whether nodes of an operation are factors of terms that are not simple."""
    return op in _COMPOUND


class NodeForm:
    """The operation of a node, with the properties that rules use, as words: by it they are looked up, so that they are
    called where they may apply.

    For a number: negative. For a product

        number   its first argument is a number            inner   an argument is a product whose first is a number
        deep     a number is somewhere among its factors   angle, angles   one, or more, of these may be a sine or cosine
        simple   no factor is compound

    and for a sum or difference: simple, if its terms may be. All but compound nodes are simple.

    words   the operation and the properties
    alone   rules for an operation on a node of this form alone
    pairs   of an operation on two arguments, this the form of the first: by the form of the second, None where it is the
            first, the rules, None for none, and the form of the node. Products, sums and differences are among them
    """

    __slots__ = (
        "_fitting", "alone", "angles", "differences", "has_number", "is_factor", "is_simple", "op", "pairs", "products", "starts_with_number", "sums", "words",
    )  # fmt: skip

    def __init__(self, *words: str) -> None:
        self.op = words[0]
        self.words = Words(words) if is_compound(self.op) else Words((*words, "simple"))
        self.is_simple = "simple" in self.words
        self.is_factor = self.is_simple and self.op not in ("add", "sub")
        self.starts_with_number = "number" in words
        self.has_number = self.op == "const" or "deep" in words
        self.angles = sum(_ANGLES.get(word, 0) for word in words)
        self.alone = dict[str, Rules]()
        self.pairs = dict[str, dict[NodeForm | None, PairRules]]()
        self._fitting = dict[str, tuple[int, int]]()
        self.forget_rules()

    def forget_rules(self) -> None:
        """Look up all rules anew."""
        self.alone.clear()
        self.pairs.clear()
        self._fitting.clear()
        self.products, self.sums, self.differences = (self.pairs.setdefault(op, {}) for op in ("mul", "add", "sub"))

    def rules_alone(self, op: str) -> Rules:
        """Rules for an operation on a node of this form alone."""
        return self.alone.setdefault(op, _rules_by_number(op, _numbers_of_rules(op, self.words, 1)[0]))

    def rules_of_pair(self, op: str, second: NodeForm, is_same: bool = False) -> PairRules:
        """Rules for two arguments of an operation, None for none, and the form of its node."""
        row = self.pairs.setdefault(op, {})
        key = None if is_same else second
        found = row.get(key)
        if found is None:
            is_first, is_second = self._fitting.get(op) or self._numbers_of_pairs(op)
            others = second._numbers_of_pairs(op, _SAME) if is_same else second._fitting.get(op)
            first_of_other, second_of_other = others or second._numbers_of_pairs(op)
            fitting = is_first & second_of_other
            turned = is_second & first_of_other if op in COMMUTATIVE else 0
            rules = _rules_by_number(op, fitting, turned) if fitting or turned else None
            found = row[key] = rules, _form_of_pair(op, self, second)
        return found

    def _numbers_of_pairs(self, op: str, more: Words = _NO_WORDS) -> tuple[int, int]:
        """Numbers of the rules for two arguments, as bits, that this form fits as the first, and as the second."""
        found = _numbers_of_rules(op, self.words | more, 2)
        if not more:
            self._fitting[op] = found
        return found


PairRules = tuple[Rules | None, NodeForm]


class _Forms(dict[tuple[str, ...], NodeForm]):
    def __missing__(self, words: tuple[str, ...]) -> NodeForm:
        return self.setdefault(words, NodeForm(*words))


_forms: Final = _Forms()


def plain_form(op: str) -> NodeForm:
    """The form of nodes that are looked up by their operation alone."""
    return _forms[op,]


def form_with(op: str, *properties: str) -> NodeForm:
    """The form of nodes of an operation with some properties."""
    return _forms[op, *properties]


def forget_fitting_rules() -> None:
    """Look up all rules anew."""
    rules_of_many.cache_clear()
    _rules_by_number.cache_clear()
    _rules_by_word.cache_clear()
    for form in _forms.values():
        form.forget_rules()


def _form_of_pair(op: str, first: NodeForm, second: NodeForm) -> NodeForm:
    """The form of a node of two arguments by theirs."""
    if op != "mul":
        return _forms[op, "simple"] if op in ("add", "sub") and first.is_simple and second.is_simple else _forms[op,]
    return _product_forms[
        first.op == "const",
        first.starts_with_number or second.starts_with_number,
        first.has_number or second.has_number,
        first.angles + second.angles,
        first.is_factor and second.is_factor,
    ]


class _ProductForms(dict[tuple[bool, bool, bool, int, bool], NodeForm]):
    """By whether the first argument is a number, an argument starts with one, a number is somewhere in them; how many
    sines and cosines there are; and whether both arguments are factors."""

    def __missing__(self, key: tuple[bool, bool, bool, int, bool]) -> NodeForm:
        is_number, is_inner, is_deep, angles, is_simple = key
        angle = "angle" if angles == 1 else "angles"
        chosen = {"number": is_number, "inner": is_inner, "deep": is_deep, angle: angles, "simple": is_simple}
        return self.setdefault(key, _forms["mul", *(word for word, is_so in chosen.items() if is_so)])


_product_forms: Final = _ProductForms()

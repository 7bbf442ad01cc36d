"""Rewriting rules by the operations that they apply to."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from .graph import Node

COMMUTATIVE: Final = frozenset(("add", "mul", "min", "max", "eq", "and", "or"))
Apply = Callable[..., "Node | None"]


class RuleTable(dict[Any, tuple[Apply, ...]]):
    """Rules by operation and operations of the arguments, collected from `registry` on first use."""

    registry: list[tuple[str, tuple[str, ...], Apply, bool]] = []

    def __missing__(self, key: tuple[str, ...]) -> tuple[Apply, ...]:
        op, *ops = key
        if is_same := ops[-1] == "same":
            ops[-1] = ops[0]
        found: list[Apply] = []
        for rule_op, pattern, apply, is_symmetric in self.registry:
            if rule_op != op or len(pattern) != len(ops):
                continue
            if pattern[-1] == "same":
                if not is_same:
                    continue
                pattern = (*pattern[:-1], "any")
            if fits := _fits(pattern, ops):
                found.append(apply)
            if op in COMMUTATIVE and _fits(pattern[::-1], ops) and not (fits and is_symmetric):
                found.append(lambda a, b, apply=apply: apply(b, a))
        self[key] = tuple(found)
        return self[key]


def _fits(pattern: tuple[str, ...], ops: list[str]) -> bool:
    return all(p in ("any", o) for p, o in zip(pattern, ops, strict=True))


fitting_rules = RuleTable()


def rule(op: str, *pattern: str, symmetric: bool = False) -> Callable[[Apply], Apply]:
    """Register a rewriting rule for `op` applied to arguments whose operations fit `pattern`: "any" fits all, and "same" in the
    last place an argument that is the one before it.

    The decorated function gets the arguments and returns the rewritten node, or None where it does not apply. Its
    docstring is the identity it uses, `left = right`; the tests check every such identity at random numbers and that
    `left` is indeed rewritten to `right`. Patterns of commutative operations hold in both orders; a symmetric rule does
    not look at the order itself.
    """

    def register(apply: Apply) -> Apply:
        fitting_rules.registry.append((op, pattern, apply, symmetric or len(set(pattern)) < len(pattern)))
        return apply

    return register

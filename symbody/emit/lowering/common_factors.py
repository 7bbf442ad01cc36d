"""Sums with a common factor in several terms:  a x + b x + c  becomes  (a + b) x + c.

Only sums and products that nothing else uses are taken apart, so that every factor taken out saves multiplications: one
less than there are terms with it (Breuer, Generation of optimal code for expressions via factorization, Comm. ACM 12,
1969). Sums without common factors stay as they are written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ..programs.instruction_order import depth_first
from ..programs.program import InstructionWriter, Program

SUMS = frozenset(("add", "sub", "neg"))


class SignedProduct(NamedTuple):
    """A signed product of values."""

    sign: int
    factors: tuple[int, ...]


def with_common_factors(p: Program) -> Program:
    """The same program with common factors taken out; itself if there are none."""
    sums = _FactoredSums(p)
    if not sums.found:
        return p
    number = {k: at for at, k in enumerate(sums.order())}
    code = tuple(sums.code[k].of(tuple(number[a] for a in sums.code[k].args)) for k in number)
    outputs = tuple(replace(o, values=tuple(number[sums.at[v]] for v in o.values)) for o in p.outputs)
    labels = {number[sums.at[v]]: label for v, label in p.labels.items() if sums.at.get(v) in number}
    return Program(p.name, p.inputs, outputs, code, labels)


class _FactoredSums(InstructionWriter):
    """New instructions, and where they have the values of the old ones."""

    def __init__(self, p: Program) -> None:
        super().__init__()
        self.old = p.code
        self.uses = Counter(a for i in p.code for a in i.args)
        self.kept = {v for o in p.outputs for v in o.values} | set(p.labels)
        self.outputs = [v for o in p.outputs for v in o.values]
        self.at: dict[int, int] = {}
        self.found = False
        inner = {a for k, i in enumerate(p.code) if i.op in SUMS for a in i.args if self._is_inner(a)}
        for k, i in enumerate(p.code):
            if i.op in SUMS and k not in inner and (terms := self._factored(self._terms(k))):
                self.found = True
                self.at[k] = self._sum(terms)
            else:
                self.at[k] = self.put(i.op, tuple(self.at[a] for a in i.args), i.data)

    def order(self) -> list[int]:
        return depth_first((self.at[v] for v in self.outputs), {k: i.args for k, i in enumerate(self.code)})

    # ------------------------------------------------------------------------------------------------ apart

    def _is_inner(self, k: int) -> bool:
        """Whether only one sum needs this one."""
        return self.old[k].op in SUMS and self.uses[k] == 1 and k not in self.kept

    def _terms(self, k: int) -> list[SignedProduct]:
        """Of a sum, from the left to the right."""
        out: list[SignedProduct] = []
        waiting = [(k, 1)]
        while waiting:
            n, sign = waiting.pop()
            i = self.old[n]
            if n == k or self._is_inner(n):
                signs = {"neg": (-1,), "add": (1, 1), "sub": (1, -1)}[i.op]
                waiting += [(a, s * sign) for a, s in reversed(list(zip(i.args, signs, strict=True)))]
            else:
                out.append(SignedProduct(sign, tuple(self._factors(n))))
        return out

    def _factors(self, k: int) -> list[int]:
        waiting, out = [k], []
        while waiting:
            n = waiting.pop()
            if self.old[n].op == "mul" and self.uses[n] == 1 and n not in self.kept:
                waiting += self.old[n].args[::-1]
            else:
                out.append(self.at[n])
        return out

    # ------------------------------------------------------------------------------------------------ together

    def _factored(self, terms: list[SignedProduct]) -> list[Any]:
        """Terms, and pairs of a factor and the terms that it multiplies; nothing if no factor is common."""
        shared = Counter(f for t in terms if len(t.factors) > 1 for f in dict.fromkeys(t.factors))
        if not shared:
            return []
        factor, times = max(shared.items(), key=lambda x: x[1])
        if times < 2:
            return []
        rest: list[SignedProduct] = []
        inner: list[SignedProduct] = []
        place = None
        for t in terms:
            if factor in t.factors and len(t.factors) > 1:
                place = len(rest) if place is None else place
                left = list(t.factors)
                left.remove(factor)
                inner.append(SignedProduct(t.sign, tuple(left)))
            else:
                rest.append(t)
        again = self._factored(rest)
        group = (factor, self._factored(inner) or inner)
        out: list[Any] = again or rest
        return [*out[:place], group, *out[place:]] if not again else [group, *out]

    def _sum(self, terms: Sequence[Any]) -> int:
        """Their sum, beginning with one that is not subtracted."""
        parts = [self._part(t) for t in terms]
        first = next((k for k, (sign, _) in enumerate(parts) if sign > 0), 0)
        sign, value = parts.pop(first)
        if sign < 0:
            value = self.put("neg", (value,))
        for s, v in parts:
            value = self.put("add" if s > 0 else "sub", (value, v))
        return value

    def _part(self, term: Any) -> tuple[int, int]:
        if isinstance(term, SignedProduct):
            value = term.factors[0]
            for f in term.factors[1:]:
                value = self.put("mul", (value, f))
            return term.sign, value
        factor, inner = term
        signs = [t.sign for t in inner if isinstance(t, SignedProduct)]
        flip = -1 if signs and all(s < 0 for s in signs) and len(signs) == len(inner) else 1
        inner = [t._replace(sign=flip * t.sign) if isinstance(t, SignedProduct) else t for t in inner]
        return flip, self.put("mul", (factor, self._sum(inner)))

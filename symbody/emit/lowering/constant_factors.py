"""Constant factors of products, moved into a factor that several products have in common:

    c (a b),  c (a d)      become  e b,  e d      with  e = c a
    a b + (a b - x)        counts as  2 (a b) - x

Only products that nothing else needs than multiples of them are changed, so that each of them saves a multiplication,
for one that is added. Other multiples c' (a b) are taken from the new value, by c'/c.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

from ..programs.instruction_order import depth_first
from ..programs.program import Instruction, Program


def with_shared_constant_factors(p: Program) -> Program:
    """The same program with fewer multiplications; itself if there are no such products."""
    made = _ConstantFactors(p).program()
    return made if made.cost.total < p.cost.total else p


class _ConstantFactors:
    """Code of a program while it changes, and values that others have taken the place of."""

    def __init__(self, p: Program) -> None:
        self.p = p
        self.code = list(p.code)
        self.kept = {v for o in p.outputs for v in o.values} | set(p.labels)
        self.instead: dict[int, int] = {}
        self.uses: dict[int, list[int]] = defaultdict(list)
        for k, i in enumerate(self.code):
            for a in i.args:
                self.uses[a].append(k)
        self.known = {i: k for k, i in enumerate(self.code)}
        for k in range(len(p.code)):
            self._double(k)
        self._move_constants()

    # ------------------------------------------------------------------------------------------------ twice the same

    def _double(self, k: int) -> None:
        """x + (x ± y), x - (y - x)   as   2 x ± y"""
        outer = self.code[k]
        if outer.op not in ("add", "sub"):
            return
        for x, inner in (outer.args, outer.args[::-1]) if outer.op == "add" else (outer.args,):
            made = self._doubled(outer.op, x, inner)
            is_product = self.code[x].op == "mul" and len(self.uses[x]) == 2 and x not in self.kept
            if made is not None and is_product and len(self.uses[inner]) == 1 and inner not in self.kept:
                op, y = made
                two = self._new(Instruction("mul", (self._new(Instruction("const", (), 2.0)), x)))
                self.uses[x] = [two]
                self.code[k] = Instruction(op, (two, y))
                self.uses[y] = [k if u == inner else u for u in self.uses[y]]
                self.uses[two] = [k]
                return

    def _doubled(self, op: str, x: int, inner: int) -> tuple[str, int] | None:
        """How to go on from 2 x."""
        i = self.code[inner]
        if i.op not in ("add", "sub") or i.args.count(x) != 1:
            return None
        y = i.args[1 - i.args.index(x)]
        if op == "add":
            return (i.op, y) if i.op == "add" or i.args[0] == x else None
        return ("sub", y) if i.op == "sub" and i.args[1] == x else None

    # ------------------------------------------------------------------------------------------------ multiples

    def _move_constants(self) -> None:
        """Into the factors that most products share them with."""
        products = {k: self._constants(k) for k in range(len(self.p.code)) if self._has_multiples_only(k)}
        sharing: dict[tuple[int, float], list[int]] = defaultdict(list)
        for k, constants in products.items():
            for c in constants:
                for f in set(self.code[k].args):
                    sharing[f, c].append(k)
        for (factor, c), members in sorted(sharing.items(), key=lambda x: -len(x[1])):
            left = [k for k in members if k in products]
            if len(left) > 1:
                scaled = self._new(Instruction("mul", (self._new(Instruction("const", (), c)), factor)))
                for k in left:
                    self._scale(k, factor, scaled, c)
                    del products[k]

    def _has_multiples_only(self, k: int) -> bool:
        """Whether a product of two values is needed for nothing but multiples of it."""
        i = self.code[k]
        if i.op != "mul" or k in self.kept or any(self.code[a].op == "const" for a in i.args):
            return False
        users = self.uses[k]
        return bool(users) and all(
            self.code[u].op == "mul"
            and any(self.code[a].op == "const" for a in self.code[u].args)
            and u not in self.p.labels
            for u in users
        )

    def _constant(self, u: int) -> float:
        return next(self.code[a].data for a in self.code[u].args if self.code[a].op == "const")

    def _constants(self, k: int) -> list[float]:
        """Sizes of the constants that a value is multiplied by, each once: c and -c are one size."""
        return list(dict.fromkeys(abs(c) for c in map(self._constant, self.uses[k]) if c))

    def _scale(self, k: int, factor: int, scaled: int, c: float) -> None:
        """Let value k be c times what it was; its multiples are multiples of that."""
        a, b = self.code[k].args
        self.code[k] = Instruction("mul", (scaled, b if a == factor else a))
        for u in self.uses[k]:
            constant = self._constant(u)
            if constant == c:
                self.instead[u] = k
            elif constant == -c:
                self.code[u] = Instruction("neg", (k,))
            else:
                self.code[u] = Instruction("mul", (self._new(Instruction("const", (), constant / c)), k))

    def _new(self, i: Instruction) -> int:
        if i not in self.known:
            self.known[i] = len(self.code)
            self.code.append(i)
        return self.known[i]

    # ------------------------------------------------------------------------------------------------ together

    def program(self) -> Program:
        def at(v: int) -> int:
            return self.instead.get(v, v)

        args = {k: tuple(at(a) for a in i.args) for k, i in enumerate(self.code)}
        order = depth_first((at(v) for o in self.p.outputs for v in o.values), args)
        number = {k: n for n, k in enumerate(order)}
        return replace(
            self.p,
            code=tuple(self.code[k].of(tuple(number[a] for a in args[k])) for k in order),
            outputs=tuple(replace(o, values=tuple(number[at(v)] for v in o.values)) for o in self.p.outputs),
            labels={number[k]: label for k, label in self.p.labels.items() if k in number},
        )

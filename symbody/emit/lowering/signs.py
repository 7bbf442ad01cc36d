"""Signs of intermediate values, chosen so that few of them have to be changed.

x and -x are one value here, computed once, with whichever sign is handy: a difference may be taken either way round, a
constant factor may be negative, and what is added with the wrong sign is subtracted. A negation is left only where
nothing before it can turn over: at an output, or as an argument of a function that is neither even nor odd. Every value
is what it was, to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from heapq import heappop, heappush
from typing import Any, Final, NamedTuple

from ..programs.instruction_order import depth_first
from ..programs.program import Instruction, InstructionWriter, Program

ODD: Final = frozenset("sin tan asin atan sinh tanh sign".split())
EVEN: Final = frozenset("cos cosh abs".split())
MAX_VISITS: Final = 2_000_000  # instructions visited in the search for signs


class SignedValue(NamedTuple):
    """A value, or its opposite."""

    value: int
    sign: int


def with_fewest_negations(p: Program) -> Program:
    """The same program with values computed up to their sign; itself if that is no shorter."""
    unsigned = _UnsignedCode(p)
    written = _SignedCode(_SignChoice(unsigned))
    place = [written.signed(x) for x in unsigned.of]
    needed = depth_first(
        (place[v] for o in p.outputs for v in o.values), {k: i.args for k, i in enumerate(written.code)}
    )
    number = {k: at for at, k in enumerate(needed)}
    labels: dict[int, str] = {}
    for v, label in p.labels.items():
        if (at := number.get(place[v])) is not None:
            labels.setdefault(at, label)
    made = Program(
        p.name,
        p.inputs,
        tuple(replace(o, values=tuple(number[place[v]] for v in o.values)) for o in p.outputs),
        tuple(written.code[k].of(tuple(number[a] for a in written.code[k].args)) for k in needed),
        labels,
    )
    is_better = made.cost.total < p.cost.total and len(labels) == len(p.labels)  # no label stands for an opposite
    return made if is_better else p


class _UnsignedCode:
    """Values up to their sign: each instruction of a program as a value of this list, or as its opposite."""

    def __init__(self, p: Program) -> None:
        self.code: list[tuple[Any, ...]] = []  # (op, signed arguments or values, data)
        self.known: dict[tuple[Any, ...], int] = {}
        self.of: list[SignedValue] = []
        for i in p.code:
            self.of.append(self._signed(i))
        self.wanted = [self.of[v] for o in p.outputs for v in o.values]

    def _put(self, op: str, args: tuple[Any, ...], data: Any = None) -> int:
        key = (op, args, data)
        if key not in self.known:
            self.known[key] = len(self.code)
            self.code.append(key)
        return self.known[key]

    def _signed(self, i: Instruction) -> SignedValue:
        args = [self.of[a] for a in i.args]
        if i.op == "const":
            return SignedValue(self._put("const", (), abs(i.data)), -1 if i.data < 0 else 1)
        if i.op == "neg":
            return SignedValue(args[0].value, -args[0].sign)
        if i.op in ("add", "sub"):
            a, b = args
            return self._sum(a, b if i.op == "add" else SignedValue(b.value, -b.sign))
        if i.op in ("mul", "div"):
            a, b = args
            values = (min(a.value, b.value), max(a.value, b.value)) if i.op == "mul" else (a.value, b.value)
            return SignedValue(self._put(i.op, values), a.sign * b.sign)
        if i.op in ODD:
            return SignedValue(self._put(i.op, (args[0].value,)), args[0].sign)
        if i.op in EVEN or i.op == "sincos":
            sign = args[0].sign if i.op == "sincos" else 1
            return SignedValue(self._put(i.op, (args[0].value,)), sign)
        if i.op == "item" and self.code[args[0].value][0] == "sincos":
            return SignedValue(self._put("item", (args[0].value,), i.data), args[0].sign if i.data == 0 else 1)
        return SignedValue(self._put(i.op, tuple(args), i.data), 1)

    def _sum(self, a: SignedValue, b: SignedValue) -> SignedValue:
        if (b.value, b.sign) < (a.value, a.sign):
            a, b = b, a
        return SignedValue(self._put("sum", (a.value, b.value), a.sign * b.sign), a.sign)


class _SignChoice:
    """The sign with which each value is computed: some follow from those of their arguments, others are free."""

    def __init__(self, unsigned: _UnsignedCode) -> None:
        self.code = unsigned.code
        self.is_const = [op == "const" for op, _, _ in self.code]
        self.demands = list(dict.fromkeys((*unsigned.wanted, *_arguments_with_sign(unsigned.code))))
        self.demanded = [0] * len(self.code)  # how many more uses need + than -
        for d in self.demands:
            self.demanded[d.value] += d.sign
        self.preferred = [1] * len(self.code)
        self.sign: list[int] = []
        self.is_free: list[bool] = []
        for n in range(len(self.code)):
            sign, is_free = self._rule(n)
            self.sign.append(sign)
            self.is_free.append(is_free)
        self._search()

    def _search(self) -> None:
        """Turn values over while that meets more demands, as long as the number of visits allows."""
        left = MAX_VISITS
        unmet = self._unmet()
        users = self._users() if unmet else []
        for wrong in unmet:
            for way in self._ways_to_turn(wrong.value):
                if left < 0 or self.sign[wrong.value] == wrong.sign:
                    break
                left -= len(self.code)
                self._try(way, users)

    def _try(self, way: list[int], users: Sequence[Sequence[int]]) -> None:
        """Turn values over, if fewer demands are unmet then. Only what depends on them is looked at again, in order."""
        preferred = [(n, self.preferred[n]) for n in way]
        for n in way:
            self.preferred[n] = -self.sign[n]
        before: list[tuple[int, int, bool]] = []
        waiting, seen, gain = sorted(set(way)), set(way), 0
        while waiting:
            n = heappop(waiting)
            sign, is_free = self._rule(n)
            before.append((n, self.sign[n], self.is_free[n]))
            if sign != self.sign[n]:
                gain += sign * self.demanded[n]
                new = [user for user in users[n] if user not in seen]
                seen.update(new)
                for user in new:
                    heappush(waiting, user)
            self.sign[n], self.is_free[n] = sign, is_free
        if gain <= 0:
            for n, sign in preferred:
                self.preferred[n] = sign
            for n, sign, is_free in before:
                self.sign[n], self.is_free[n] = sign, is_free

    def _users(self) -> list[list[int]]:
        """For each value those whose signs follow from it."""
        users: list[list[int]] = [[] for _ in self.code]
        for n, (op, args, data) in enumerate(self.code):
            if op in _PASSING or op == "sincos" or _is_sine(op, args, data):
                for a in dict.fromkeys(args):
                    users[a].append(n)
        return users

    def _unmet(self) -> list[SignedValue]:
        return [d for d in self.demands if self.sign[d.value] != d.sign and self.code[d.value][0] != "const"]

    def _ways_to_turn(self, n: int) -> Iterable[list[int]]:
        """Values to turn over so that this one does: from a free one on the way to it, the nearest first."""
        user = {n: -1}
        waiting = [n]
        for v in waiting:
            if self.is_free[v]:
                way = [v]
                while user[way[-1]] >= 0:
                    way.append(user[way[-1]])
                yield way
            elif self.code[v][0] in _PASSING:
                new = [a for a in dict.fromkeys(self.code[v][1]) if a not in user]
                user |= dict.fromkeys(new, v)
                waiting += new
            if len(waiting) > MOST_TRIED:
                return

    def _rule(self, n: int) -> tuple[int, bool]:
        """The sign of a value, from those of its arguments or as preferred, and whether it is free."""
        op, args, data = self.code[n]
        sign, is_const = self.sign, self.is_const
        if op == "sum":
            a, b = args
            is_free = is_const[a] or is_const[b] or sign[a] != data * sign[b]
            return (self.preferred[n] if is_free else sign[a]), is_free
        if op in ("mul", "div"):
            a, b = args
            is_free = is_const[a] or is_const[b]
            return (self.preferred[n] if is_free else sign[a] * sign[b]), is_free
        if op in ODD or op == "sincos" or _is_sine(op, args, data):
            return sign[args[0]], False
        return 1, False


def _is_sine(op: str, args: tuple[Any, ...], data: Any) -> bool:
    """Whether a value is the sine of a pair of sine and cosine."""
    return op == "item" and data == 0 and isinstance(args[0], int)


_PASSING: Final = frozenset(("sum", "mul", "div", *ODD))
MOST_TRIED: Final = 60


def _arguments_with_sign(code: Sequence[tuple[Any, ...]]) -> Iterable[SignedValue]:
    return (a for _, args, _ in code for a in args if isinstance(a, SignedValue))


class _SignedCode(InstructionWriter):
    """Instructions for values with the signs of a choice."""

    def __init__(self, choice: _SignChoice) -> None:
        super().__init__()
        self.choice = choice
        self.at: list[int] = []
        for n in range(len(choice.code)):
            self.at.append(self._value(n))

    def signed(self, x: SignedValue) -> int:
        """Where a value with this sign is."""
        op, _, data = self.choice.code[x.value]
        if op == "const":
            return self.put("const", (), x.sign * data)
        return self.at[x.value] if self.choice.sign[x.value] == x.sign else self.put("neg", (self.at[x.value],))

    def _value(self, n: int) -> int:
        op, args, data = self.choice.code[n]
        if op == "sum":
            return self._sum(n, args, data)
        if op in ("mul", "div"):
            return self._product(n, op, args)
        places = tuple(self.signed(a) if isinstance(a, SignedValue) else self.at[a] for a in args)
        return self.put(op, places, data)

    def _sum(self, n: int, args: tuple[int, int], relative: int) -> int:
        """± (a ± b), with arguments as they were computed."""
        choice, (a, b) = self.choice, args
        first, second = choice.sign[n] * choice.sign[a], choice.sign[n] * relative * choice.sign[b]
        if choice.code[b][0] == "const":
            a, b, first, second = b, a, second, first
        if choice.code[a][0] == "const":
            constant = self.signed(SignedValue(a, first))
            return self.put("add" if second > 0 else "sub", (constant, self.at[b]))
        if first == second:
            return self.put("add", (self.at[a], self.at[b]))
        return self.put("sub", (self.at[a], self.at[b]) if first > 0 else (self.at[b], self.at[a]))

    def _product(self, n: int, op: str, args: tuple[int, int]) -> int:
        """Of a constant factor the sign is what is needed."""
        choice, (a, b) = self.choice, args
        for c, other in ((a, b), (b, a)):
            if choice.code[c][0] == "const":
                constant = self.signed(SignedValue(c, choice.sign[n] * choice.sign[other]))
                places = (constant, self.at[other]) if c == a else (self.at[other], constant)
                return self.put(op, places)
        return self.put(op, (self.at[a], self.at[b]))

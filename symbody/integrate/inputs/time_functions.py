"""Functions of time in equations: where they jump, bend or may hide something from the stages of a step.

Read from the graph in one pass. Of each node it is known whether it depends on time alone (and parameters), or on the
state too; what depends on the state is left to error control.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final

from ...algebra.calculus.derivatives import derivative
from ...algebra.graph.functions import LookupTable
from ...algebra.graph.graph import ZERO, Expr, Node, Symbol
from ...algebra.graph.late_matrix import symbol_carriers
from ...algebra.graph.matrix import Matrix
from ...algebra.graph.walk import evaluation_order, free_symbols, nodes_with, substitute
from ...derivation.equations.equations import Equations

COMPARISONS: Final = ("lt", "le", "eq")
POLYNOMIAL: Final = ("add", "sub", "neg", "mul")
SMOOTH: Final = ("add", "sub", "neg", "mul", "div", "pow", "sqrt", "exp", "log", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh")  # fmt: skip
WAVES: Final = ("sin", "cos")
CHOICES: Final[dict[str, Callable[..., tuple[Any, ...]]]] = {
    "abs": lambda x: (x, -x),
    "sign": lambda x: (-1, 0, 1),
    "min": lambda x, y: (x, y),
    "max": lambda x, y: (x, y),
    "where": lambda c, x, y: (x, y),
}
MOST_BRANCHES: Final = 16
CONSTANT, OF_TIME, OF_STATE = range(3)


@dataclass(frozen=True)
class TimeLine:
    """An argument a t + b; a and b depend on parameters."""

    a: Expr
    b: Expr

    @property
    def is_time(self) -> bool:
        return self.a.data == 1 and self.b is ZERO


@dataclass(frozen=True, eq=False)
class TimeFunctions:
    """Functions of time in equations.

    conditions   that change where a line in time is zero: `where(t - t0 < w, ...)`, `minimum(t, t1)`, `sign(t - 1)`
    tables       samples, and the line that is their argument
    borders      functions of time, not linear, whose zeros are where a condition changes: `where(sin(t) < 0, ...)`
    narrow       smooth functions of time that can be narrow: `exp(-(t - 5)**2 / w)`
    unknown      names of functions with time among their arguments of which nothing is known: those of Python
    """

    conditions: tuple[TimeLine, ...] = ()
    tables: tuple[tuple[LookupTable, TimeLine], ...] = ()
    borders: tuple[Expr, ...] = ()
    narrow: tuple[Expr, ...] = ()
    unknown: tuple[str, ...] = ()

    @property
    def are_none(self) -> bool:
        """Whether steps need to know nothing of time."""
        return not (self.conditions or self.tables or self.searched or self.unknown)

    @property
    def searched(self) -> tuple[Expr, ...]:
        """Those that are looked at along time."""
        return (*self.borders, *self.narrow)


def time_functions(eq: Equations) -> TimeFunctions:
    """Functions of time in some equations, read once."""
    return eq.cached("functions of time", (), lambda: _read(eq))


def _read(eq: Equations) -> TimeFunctions:
    parts = (eq.M, eq.rates, eq.f, eq.phi, eq.Jc, eq.b, eq.c, eq.h)
    if eq.t not in free_symbols(*dict.fromkeys(e for part in parts for e in symbol_carriers(part))):
        return TimeFunctions()
    roots = [e for part in parts for e in _with_time(part, eq.t)]
    return _Reader(eq, evaluation_order(roots), roots).found()


def _with_time(part: Matrix, t: Symbol) -> tuple[Expr, ...]:
    """The entries of a matrix; of one that is made late and does not depend on time what carries its symbols."""
    inside = symbol_carriers(part)
    return part.entries if t in free_symbols(*inside) else inside


class _Reader:
    def __init__(self, eq: Equations, order: Iterable[Node], roots: Iterable[Node]) -> None:
        self.t, self.constant = eq.t, set(eq.variables.constants)
        self.kind = dict[Node, int]()
        self.smooth = set[Node]()
        self.conditions, self.borders, self.narrow = dict[TimeLine, None](), dict[Expr, None](), dict[Expr, None]()
        self.tables = dict[tuple[LookupTable, TimeLine], None]()
        self.unknown = dict[str, None]()
        order = list(order)
        self.has_time, self.examined = nodes_with(order, {self.t}), set[Node]()
        for n in order:
            self.read(n)
        for n in roots:
            self.end(n)

    def found(self) -> TimeFunctions:
        return TimeFunctions(
            tuple(self.conditions), tuple(self.tables), tuple(self.borders), tuple(self.narrow), tuple(self.unknown)
        )

    def read(self, n: Node) -> None:
        kinds = [self.kind[a] for a in n.args]
        if isinstance(n, Symbol):
            self.kind[n] = OF_TIME if n is self.t else CONSTANT if n in self.constant else OF_STATE
        else:
            self.kind[n] = max(kinds, default=CONSTANT)
        if n.op == "call" and n.data.table is None and n in self.has_time:
            self.unknown[n.data.name] = None
            self.kind[n] = OF_STATE
        is_plain = self.kind[n] == OF_TIME and (n is self.t or n.op in SMOOTH)
        if is_plain and all(a in self.smooth or self.kind[a] == CONSTANT for a in n.args):
            self.smooth.add(n)
        if n not in self.smooth:
            for a in n.args:
                self.end(a)
        if OF_STATE not in kinds and OF_TIME in kinds:
            self.switch(n)

    def end(self, n: Node) -> None:
        """A function of time ends here: what contains it depends on more than time, or is not smooth."""
        if n in self.examined or n not in self.smooth or not isinstance(n, Expr):
            return
        self.examined.add(n)
        if self.can_be_narrow(n):
            self.narrow[n] = None

    def can_be_narrow(self, e: Expr) -> bool:
        """Polynomials and plain waves are as wide as their span or period."""
        for n in evaluation_order([e]):
            if n not in self.has_time or n is self.t or n.op in POLYNOMIAL:
                continue
            if n.op in ("div", "pow") and n.args[1] not in self.has_time and _is_whole(n):
                continue
            if not (n.op in WAVES and self.line(n.args[0])):
                return True
        return False

    def switch(self, n: Node) -> None:
        """A node of functions of time at which something jumps or bends."""
        if n.op == "call" and n.data.table is not None and (line := self.line(n.args[0])):
            self.tables[n.data.table, line] = None
        elif n.op == "call":
            assert isinstance(n, Expr)
            self.narrow[n] = None
        elif n.op in (*COMPARISONS, "min", "max"):
            self.border(n.args[0] - n.args[1])
        elif n.op in ("sign", "abs"):
            self.border(n.args[0])

    def border(self, difference: Expr) -> None:
        """Zeros of a function of time, or of all functions that it may be where it is made of choices."""
        for e in branches(difference):
            if line := self.line(e):
                self.conditions[line] = None
            elif self.t in free_symbols(e):
                self.borders[e] = None

    def line(self, e: Expr) -> TimeLine | None:
        """A function of time that is linear in it."""
        inner = nodes_with(evaluation_order([e]), {self.t}) if e not in self.smooth else ()
        if any(n is not self.t and n.op not in SMOOTH for n in inner):
            return None
        a = derivative(e, self.t)
        if self.t in free_symbols(a):
            return None
        return TimeLine(a, substitute(e, {self.t: ZERO})) if a is not ZERO else None


def branches(e: Expr) -> list[Expr]:
    """What an expression may be: |x| is x or -x, the smaller of two is one of them. The expression itself where there are
    more than `MOST_BRANCHES`."""
    out = [e]
    while (choice := next((n for n in evaluation_order(out) if n.op in CHOICES), None)) is not None:
        values = CHOICES[choice.op](*choice.args)
        out = list(dict.fromkeys(substitute(x, {choice: v}) for x in out for v in values))
        if len(out) > MOST_BRANCHES:
            return [e]
    return out


def _is_whole(n: Node) -> bool:
    """Whether a quotient has a constant divisor, or a power is a whole number that is not negative."""
    return n.op == "div" or (isinstance(n.args[1].data, int) and n.args[1].data >= 0)

"""The matrix c E - J of an implicit method: entries of J as a compiled function, their places, the order of elimination.

For most forms J is ∂F/∂y. If accelerations are loops over a tree of equal links, ∂u'/∂(q, u) is full. The matrix then contains the
balances between neighbouring links instead (`derivation/programs/link_balances.py`, or `load_balances.py` for trees coupled by
loads): additional unknowns x with equations 0 = G(y, x), whose right sides are zero,

    [cE - F_y   -F_x]  [Δy]   [b]
    [  -G_y     -G_x]  [Δx] = [0]

which has the same solution Δy. The number of entries of its factors is proportional to the number of links.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ...algebra.calculus.derivatives import jacobian, sparsity
from ...algebra.graph.graph import ZERO, Expr, Node, Symbol
from ...algebra.graph.walk import free_symbols
from ...derivation.programs.constraint_sweeps import constraint_sweeps
from ...derivation.programs.link_balances import LinkBalances, link_balances
from ...derivation.programs.link_sweeps import swept_accelerations
from ...derivation.programs.load_balances import load_balances
from ...emit.loops.records import address_of
from ...emit.run.callable import Array, Compiled
from ...emit.run.loop_callee import LoopCallee, program_callee
from ...emit.run.sweep_callee import has_externals, sweep_callee, sweep_code
from ..elimination_kernels.sparse_elimination import SMALL_PIVOT, Sparse
from ..elimination_kernels.sparse_pattern import DENSE_SPEEDUP, SparseOrder, elimination_of, ordered_elimination
from ..forms.forms import Form
from ..kernels.sweep_slopes import SweepSlopes, sweep_slopes

MIN_VARIABLES: Final = 40  # of a tree; below, a full matrix takes less time than balances of links
SPARSE_INDICES: Final = ("places", "diagonals", "order", "row_of", "first", "columns", "diagonal")

Whole = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Slopes:
    """Structurally nonzero entries of J.

    size            number of unknowns: variables of the form, and additional ones
    rows, columns   of the entries
    order           of elimination; None if the matrix is too full for a sparse elimination
    callee          (t, y) -> entries, as loops call it, for parameters in an array
    """

    size: int
    rows: Whole
    columns: Whole
    order: SparseOrder | None
    callee: Callable[[Array], Any]

    def entries(self, t: float, y: Array, p: Array) -> Array:
        """Entries at a state, outside of loops. (One more number is written if no argument depends on the state.)"""
        called, found, time = self.callee(p), np.zeros(len(self.rows) + 1), np.array([t])
        table = called.callee
        table.inputs[:2], table.outputs[0] = (address_of(time), address_of(y)), address_of(found)
        table.run()
        return found[:-1]

    def sparse(self, n: int) -> Sparse:
        """The elimination as a record with memory, for the n variables of a form."""
        e, count = self.order, len(self.rows)
        if e is None:
            none = np.zeros(1, dtype=np.int64)
            return Sparse(**dict.fromkeys(SPARSE_INDICES, none), largest=np.zeros(1), x=np.zeros(1), y=np.zeros(1))
        own = {f: np.append(getattr(e, f), 0) for f in SPARSE_INDICES}
        smallest = SMALL_PIVOT if self.size == n else 0.0
        return Sparse(
            **own, size=self.size, given=n, filled=e.filled, entries=count, smallest=smallest,
            largest=np.zeros(self.size), x=np.zeros(self.size), y=np.zeros(self.size),
        )  # fmt: skip


def slopes_of(form: Form) -> Slopes:
    """J of a form, computed once."""
    return form.cached("slopes of all unknowns", (), lambda: _slopes_of_links(form) or _slopes_of_rates(form))


# ------------------------------------------------------------------------------------------------------------- J itself


def slopes_program(form: Form) -> tuple[Compiled, list[tuple[int, int]]]:
    """Structurally nonzero entries of ∂F/∂y, from the graph, and their places."""
    return form.cached("slopes", (), lambda: _slopes_program(form))


def _slopes_program(form: Form) -> tuple[Compiled, list[tuple[int, int]]]:
    J = jacobian(list(form.rates), form.y)
    places = sparsity(J)
    return form.compiled("slopes", {"entries": [J[i, j] for i, j in places]}), places


def _slopes_of_rates(form: Form) -> Slopes:
    program, places = slopes_program(form)
    has_rate = [not a for a in form.algebraic]
    order = form.cached("elimination", (), lambda: elimination_of(form.n, places, has_rate))
    at = np.array(places, dtype=np.int64).reshape(-1, 2)
    return Slopes(form.n, at[:, 0], at[:, 1], order, lambda p: program_callee(program, {"p": p}))


# ----------------------------------------------------------------------------------------------------- a tree of links


def _slopes_of_links(form: Form) -> Slopes | None:
    """J of a tree in loops; None for other forms, and for small trees."""
    eq = form.equations
    if form.n < MIN_VARIABLES or form.y != eq.variables.of("q u").symbols or any(form.algebraic):
        return None
    node = _sweeps_of(form)
    balances = None if node is None else link_balances(eq) or load_balances(eq)
    if node is None or balances is None or has_externals(balances.partials.schedule):
        return None
    made = _LinkMatrix(form, balances, node.args)
    order = ordered_elimination(made.size, made.rows, made.columns, made.has_rate, made.order)
    if order is None or DENSE_SPEEDUP * order.products > form.n**3 / 3:
        return None
    return Slopes(made.size, made.rows, made.columns, order, made.callee)


def _sweeps_of(form: Form) -> Node | None:
    """The `sweeps` node whose items are exactly the accelerations of a form; None if there is none."""
    eq = form.equations
    rates = form.rates[len(eq.q) : len(eq.q) + len(eq.u)]
    if not eq.u or eq.lam:
        return None
    loops = constraint_sweeps(eq)
    found = swept_accelerations(eq) if loops is None else loops.accelerations(is_guarded=True)[0]
    if found is None or any(e.op != "item" or e.data != j for j, e in enumerate(rates)):
        return None
    (node, *others) = dict.fromkeys(e.args[0] for e in rates)
    is_own = not others and node.op == "sweeps" and node.data is found[0].args[0].data
    return node if is_own else None


class _LinkMatrix:
    """The matrix of a tree. Its unknowns are y, u', places in the memory of the sweeps, and those arguments of the sweeps that are
    expressions in the state."""

    def __init__(self, form: Form, balances: LinkBalances, arguments: Sequence[Node]) -> None:
        self.form, self.balances = form, balances
        eq, partials = form.equations, balances.partials
        n_q, n_u, n = len(eq.q), len(eq.u), form.n
        self.arguments: list[Expr] = [a for a in arguments if isinstance(a, Expr)]
        number = {s: k for k, s in enumerate(form.y)}
        moving = {k: e for k, e in enumerate(self.arguments) if not isinstance(e, Symbol) and _moves(e, number)}
        unknown = np.full(partials.schedule.size, -1, dtype=np.int64)  # of a place that is read or written
        for k, e in enumerate(self.arguments):
            unknown[k] = number.get(e, -1) if isinstance(e, Symbol) else -1
        unknown[balances.u_dot : balances.u_dot + n_u] = n + np.arange(n_u)
        row = unknown.copy()
        row[balances.balances] = n + np.arange(n_u)
        row[[balances.rates[q] for q in eq.q]] = np.arange(n_q)
        written = np.array(partials.rows, dtype=np.int64)
        own = np.unique(written[row[written] < 0])
        self.size = n + n_u + len(own) + len(moving)
        unknown[own] = row[own] = n + n_u + np.arange(len(own))
        unknown[list(moving)] = n + n_u + len(own) + np.arange(len(moving))
        column = unknown[np.array(partials.columns, dtype=np.int64)]
        used = np.flatnonzero(column >= 0)  # others are of inputs that do not depend on the state
        self.places = partials.first + used
        slopes = [_slopes_along(e, number) for e in moving.values()]
        speeds = np.arange(n_u)
        ones = np.arange(n + n_u, self.size)
        self.constant = np.concatenate([np.ones(n_u), -np.ones(len(ones))])
        self.entries = [e for found in slopes for _, e in found]
        below = [(unknown[k], j) for k, found in zip(moving, slopes, strict=True) for j, _ in found]
        beside = np.array(below, dtype=np.int64).reshape(-1, 2)
        self.rows = np.concatenate([row[written[used]], n_q + speeds, ones, beside[:, 0]])
        self.columns = np.concatenate([column[used], n + speeds, ones, beside[:, 1]])
        self.has_rate = np.arange(self.size) < n
        self.order = self._order(unknown, [int(unknown[k]) for k in moving])

    def _order(self, unknown: Whole, moving: list[int]) -> Whole:
        """Order of elimination of all unknowns; arguments that are expressions come first."""
        n_q, n = len(self.form.equations.q), self.form.n
        first = {"coordinate": 0, "speed": n_q, "balance": n}
        of_links = (int(unknown[k]) if kind == "place" else first[kind] + k for kind, k in self.balances.order)
        return np.array([*moving, *(k for k in of_links if k >= 0)], dtype=np.int64)

    def callee(self, p: Array) -> LoopCallee:
        form, partials = self.form, self.balances.partials
        code = form.cached("code of link balances", (), lambda: sweep_code(partials.schedule))
        memory, dy = np.zeros(partials.schedule.size), np.zeros(form.n)
        return LoopCallee(sweep_slopes, {}, ("entries",), True, f=SweepSlopes(
            arguments=program_callee(self._arguments_program, {"p": p}), rates=form.rhs(p), sweeps=sweep_callee(code, memory), memory=memory, dy=dy,
            first_rate=len(form.equations.q), speeds=len(form.equations.u), u_dot=self.balances.u_dot,
            places=self.places, count=len(self.places), constants=len(self.constant), constant=self.constant,
        ))  # fmt: skip

    @property
    def _arguments_program(self) -> Compiled:
        outputs = {"arguments": self.arguments, "slopes": self.entries or [ZERO]}
        return self.form.cached("arguments of links", (), lambda: self.form.compiled("arguments", outputs))


def _moves(e: Expr, number: dict[Symbol, int]) -> bool:
    return any(s in number for s in free_symbols(e))


def _slopes_along(e: Expr, number: dict[Symbol, int]) -> list[tuple[int, Expr]]:
    """Derivatives of an expression with respect to state variables, with the numbers of these."""
    inside = [s for s in free_symbols(e) if s in number]
    return [(number[s], d) for s, d in zip(inside, jacobian([e], inside).entries, strict=True) if d is not ZERO]

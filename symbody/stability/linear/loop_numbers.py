"""Matrices of a linear system whose equations run in loops over equal links (`derivation/programs/link_sweeps.py`).

Nothing is written out: one compiled program gives J v, the change of all rates along a direction, in loops over the
links; the columns of J are its values for unit vectors, in batches. The system is x' = A x + B r with x = (q, u) and
E = 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np

from ...algebra.calculus.derivatives import directional_derivative, jacobian
from ...algebra.graph.graph import ONE, Expr, Symbol, as_expr, symbol
from ...algebra.graph.matrix import Matrix, identity, zeros
from ...algebra.graph.walk import free_symbols, substitute_all
from ...derivation.equations.equations import Equations
from ...derivation.equations.own_terms import in_own_terms
from ...derivation.programs.link_sweeps import swept_accelerations
from ...emit.programs.lower import program
from ...emit.run.callable import Array, Compiled, compile_program
from ...errors import StabilityError

MIN_SPEEDS: Final = 40  # from which on; systems that are smaller have entries that people read
AT_ONCE: Final = 256  # columns in a batch
STEADY: Final = 1e-9  # acceleration below which a point counts as steady, in units of the largest in its terms

Parts = Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class LoopParts:
    """The matrices as a function of parameters: a `LateSource`.

    state, inputs   symbols of the columns
    rates, seen     expressions of x' and of the outputs
    point           numbers of state, inputs and time
    defaults        numbers of the parameters
    """

    time: Symbol
    state: tuple[Symbol, ...]
    inputs: tuple[Symbol, ...]
    rates: Sequence[Expr]
    seen: Sequence[Expr]
    point: Mapping[Symbol, float]
    defaults: Mapping[Symbol, float]

    @property
    def unknowns(self) -> tuple[Symbol, ...]:
        """None: the operating point is given."""
        return ()

    @cached_property
    def parameters(self) -> tuple[Symbol, ...]:
        others = {*self.state, *self.inputs, self.time}
        return tuple(s for s in free_symbols(*self.rates, *self.seen) if s not in others)

    @cached_property
    def _vector(self) -> list[Symbol]:
        return [symbol(f"along_{k + 1}", "variable") for k in range(len(self.state) + len(self.inputs))]

    @cached_property
    def _product(self) -> Matrix:
        """J v of rates and outputs."""
        rows = Matrix(len(self.rates) + len(self.seen), 1, (*self.rates, *self.seen))
        found: Matrix = directional_derivative(rows, dict(zip((*self.state, *self.inputs), self._vector, strict=True)))
        return found

    def _compiled(self, name: str, rows: Matrix) -> Compiled:
        groups = {"t": self.time, "x": [*self.state, *self.inputs], "p": list(self.parameters), "v": self._vector}
        return compile_program(program(name, groups, {"Jv": list(rows.entries)}))

    @cached_property
    def _columns(self) -> Compiled:
        return self._compiled("columns", self._product)

    @cached_property
    def at_nominal(self) -> Parts:
        return self._parts(self._jacobian(self._columns, self._nominal_parameters), 1.0)

    @cached_property
    def _nominal_parameters(self) -> Array:
        return np.array([self.defaults.get(s, np.nan) for s in self.parameters])

    @cached_property
    def rates_at_nominal(self) -> Array:
        groups = {"t": self.time, "x": [*self.state, *self.inputs], "p": list(self.parameters)}
        f = compile_program(program("state_rates", groups, {"rates": list(self.rates)}))
        found: Array = f(self.point[self.time], self._point, self._nominal_parameters)
        return found

    @cached_property
    def _point(self) -> Array:
        return np.array([self.point[s] for s in (*self.state, *self.inputs)])

    def numbers(self, p: Array, w: Array) -> Parts:
        """At parameters, or at rows of them."""
        if p.ndim == 1 and np.array_equal(p, self._nominal_parameters):
            return self.at_nominal
        return self._of_rows(self._columns, p, 1.0)

    def derivatives(self, by: Symbol) -> Callable[[Array, Array, Array], Parts]:
        """How the matrices change with a parameter."""
        changed = self._compiled("changed_columns", directional_derivative(self._product, {by: ONE}))
        return lambda p, w, moved: self._of_rows(changed, p, 0.0)

    def _of_rows(self, f: Compiled, p: Array, one: float) -> Parts:
        if p.ndim == 1:
            return self._parts(self._jacobian(f, p), one)
        found = [self._parts(self._jacobian(f, row), one) for row in p]
        return {k: np.stack([x[k] for x in found]) for k in found[0]}

    def _jacobian(self, f: Compiled, p: Array) -> Array:
        n = len(self._vector)
        out = np.empty((len(self.rates) + len(self.seen), n))
        for first in range(0, n, AT_ONCE):
            v = np.eye(min(AT_ONCE, n - first), n, first)
            out[:, first : first + len(v)] = f.batch(self.point[self.time], self._point, p, v).T
        return out

    def _parts(self, J: Array, one: float) -> Parts:
        n, k, m = len(self.state), len(self.inputs), len(self.seen)
        none = {"B": np.zeros((n, k)), "D": np.zeros((m, k)), "Tr": np.zeros((n, k))}
        return {
            "E": one * np.eye(n), "A": J[:n, :n], "C": J[n:, :n], "T": one * np.eye(n),
            **{f"{name}{i}": zero for name, zero in none.items() for i in (1, 2)},
            "B": J[:n, n:], "D": J[n:, n:], "Tr": none["Tr"],
        }  # fmt: skip

    @cached_property
    def made(self) -> Mapping[str, Matrix]:
        """Expressions of the matrices."""
        columns = [*self.state, *self.inputs]
        J: Matrix = substitute_all([jacobian([*self.rates, *self.seen], columns)], self.point)[0]
        n, k, m = len(self.state), len(self.inputs), len(self.seen)
        zero = {
            name: zeros(rows, k) for name, rows in (("B1", n), ("B2", n), ("D1", m), ("D2", m), ("Tr", n), ("Tr1", n))
        }
        return {
            **zero,
            "E": identity(n),
            "T": identity(n),
            "A": J[:n, :n],
            "B": J[:n, n:],
            "C": J[n:, :n],
            "D": J[n:, n:],
        }


def loop_parts(
    eq: Equations, point: Mapping[Symbol, Expr], defaults: Mapping[Symbol, float], rows: Mapping[str, Expr]
) -> LoopParts | None:
    """Of trees in loops about a point in numbers; None for other systems, and for outputs of accelerations."""
    if len(eq.u) < MIN_SPEEDS or eq.lam or eq.z or eq.dropped or eq.variables.quaternions or eq.phi.entries:
        return None
    states, inputs = eq.variables.of("q u").symbols, eq.variables.inputs
    at = {s: as_expr(point.get(s, 0)).value for s in (*states, *inputs, eq.t)}
    known = {*states, *inputs, eq.t, *eq.p}
    if any(v is None for v in at.values()) or not known.issuperset(free_symbols(*rows.values())):
        return None
    swept = swept_accelerations(eq)
    if swept is None or not known.issuperset(free_symbols(*(udot := in_own_terms(eq, [swept])[0].entries))):
        return None
    numbers = {s: float(v) for s, v in at.items() if v is not None}
    return LoopParts(eq.t, states, inputs, (*eq.rates.entries, *udot), tuple(rows.values()), numbers, defaults)


def refuse_unsteady(eq: Equations, parts: LoopParts) -> None:
    """Points at which the state changes; balances are measured by how much the accelerations change with the state."""
    rates, J = parts.rates_at_nominal, parts.at_nominal["A"]
    size = STEADY * (1 + np.abs(J).sum(axis=1))
    off = np.abs(rates) - size
    if (k := int(np.argmax(off))) >= 0 and off[k] > 0:
        raise StabilityError(
            f"linearisation of {eq.name!r}: the point is not steady: the rate of {parts.state[k].name} is {rates[k]:z.4g}. Find one by steady(eq, ...), "
            "or pass moving=True if this is a point of a motion"
        )

"""Matrices of a linear system whose equations run in loops over equal links (`derivation/programs/link_sweeps.py`).

No entry is derived as an expression. One compiled program computes J v, the directional derivative of all rates, in loops over
the links; batches of unit vectors give the columns of J. The system is x' = A x + B r with x = (q, u) and E = 1. A is full; the
sparse pencil, with additional unknowns, is that of implicit methods (`integrate/run/newton_matrix.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Final

import numpy as np
from scipy.sparse import csc_array

from ...algebra.calculus.derivatives import directional_derivative, jacobian
from ...algebra.graph.graph import ONE, Expr, Symbol, as_expr, symbol
from ...algebra.graph.matrix import Matrix, identity, zeros
from ...algebra.graph.walk import free_symbols, substitute_all
from ...derivation.equations.equations import Equations
from ...derivation.equations.own_terms import in_own_terms
from ...derivation.programs.link_sweeps import swept_accelerations
from ...emit.lowering.lower import program
from ...emit.run.callable import Array, Compiled, compile_program
from ...errors import StabilityError, advised_error
from ...integrate.run.form_and_method import form_of
from ...integrate.run.newton_matrix import slopes_of
from ...simulation_options import SimulationOptions
from ..spectra.sparse_pencil import SparsePencil, row_sizes
from .lazy_matrices import late_source
from .named_matrices import NamedMatrices

MIN_SPEEDS: Final = 40  # smaller systems have symbolic entries, which people read
MAX_FULL: Final = 12_000  # largest number of states of a full matrix, 1.2 GB
AT_ONCE: Final = 256  # columns per batch
STEADY: Final = 1e-9  # acceleration below which a point counts as steady, relative to its derivatives

Parts = Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class LoopParts:
    """The matrices as a function of parameters: a `LateSource`.

    equations       with the accelerations in loops
    state, inputs   symbols of the columns
    rates, seen     expressions of x', and of the outputs by name
    point           numbers of state, inputs and time
    defaults        numbers of the parameters
    unknowns        states and inputs of the operating point that are found for each set of parameters: w below
    """

    equations: Equations
    time: Symbol
    state: tuple[Symbol, ...]
    inputs: tuple[Symbol, ...]
    rates: Sequence[Expr]
    seen: Mapping[str, Expr]
    point: Mapping[Symbol, float]
    defaults: Mapping[Symbol, float]
    unknowns: tuple[Symbol, ...] = ()

    @cached_property
    def parameters(self) -> tuple[Symbol, ...]:
        others = {*self.state, *self.inputs, self.time}
        return tuple(s for s in free_symbols(*self.rates, *self.seen.values()) if s not in others)

    @cached_property
    def _vector(self) -> list[Symbol]:
        return [symbol(f"change_of_{s.name}", "variable") for s in (*self.state, *self.inputs)]

    @cached_property
    def _product(self) -> Matrix:
        """J v for rates and outputs."""
        rows = Matrix(len(self.rates) + len(self.seen), 1, (*self.rates, *self.seen.values()))
        found: Matrix = directional_derivative(rows, dict(zip((*self.state, *self.inputs), self._vector, strict=True)))
        return found

    @cached_property
    def nominal_unknowns(self) -> Array:
        return np.array([self.point[s] for s in self.unknowns])

    @property
    def _groups(self) -> dict[str, Any]:
        return {"t": self.time, "x": [*self.state, *self.inputs], "p": list(self.parameters)}

    def _compiled(self, name: str, rows: Matrix, more: Sequence[Symbol] = ()) -> Compiled:
        groups = {**self._groups, "v": self._vector, **({"moved": list(more)} if more else {})}
        return compile_program(program(name, groups, {"Jv": list(rows.entries)}))

    @cached_property
    def _columns(self) -> Compiled:
        return self._compiled("columns", self._product)

    @cached_property
    def at_nominal(self) -> Parts:
        return self._parts(self._columns, 1.0, self.nominal_parameters, self.nominal_unknowns)

    def shape(self, name: str) -> tuple[int, int]:
        """Of a matrix."""
        n, k, m = len(self.state), len(self.inputs), len(self.seen)
        return m if name[0] in "CD" else n, n if name in "EACT" else k

    @cached_property
    def nominal_parameters(self) -> Array:
        return np.array([self.defaults.get(s, np.nan) for s in self.parameters])

    @cached_property
    def rates_at_nominal(self) -> Array:
        f = compile_program(program("state_rates", self._groups, {"rates": list(self.rates)}))
        found: Array = f(self.point[self.time], self._point, self.nominal_parameters)
        return found

    @cached_property
    def _point(self) -> Array:
        return self._point_at(self.nominal_unknowns)

    def _point_at(self, w: Array) -> Array:
        found = {**self.point, **dict(zip(self.unknowns, w.tolist(), strict=True))}
        return np.array([found[s] for s in (*self.state, *self.inputs)])

    def numbers(self, p: Array, w: Array) -> Parts:
        """Matrices for parameter values and an operating point, or for many of both in rows."""
        if p.ndim == 1 and np.array_equal(p, self.nominal_parameters) and np.array_equal(w, self.nominal_unknowns):
            return self.at_nominal
        return self._of_rows(self._columns, 1.0, p, w)

    def derivatives(self, by: Symbol) -> Callable[[Array, Array, Array], Parts]:
        """Derivatives of the matrices with respect to a parameter, and to unknowns that move with it."""
        rates = {s: symbol(f"slope_of_{s.name}", "variable") for s in self.unknowns}
        changes = directional_derivative(self._product, {by: ONE, **rates})
        changed = self._compiled("changed_columns", changes, list(rates.values()))
        return lambda p, w, moved: self._of_rows(changed, 0.0, p, w, *([moved] if rates else []))

    def _of_rows(self, f: Compiled, one: float, p: Array, *groups: Array) -> Parts:
        if p.ndim == 1:
            return self._parts(f, one, p, *groups)
        found = [self._parts(f, one, *row) for row in zip(p, *groups, strict=True)]
        return {k: np.stack([x[k] for x in found]) for k in found[0]}

    def _parts(self, f: Compiled, one: float, p: Array, w: Array, *moved: Array) -> Parts:
        """Matrices, each computed on first use."""
        n, k, m = len(self.state), len(self.inputs), len(self.seen)

        def of_states() -> Array:
            return self._jacobian(f, 0, n, p, w, *moved)

        def of_inputs() -> Array:
            return self._jacobian(f, n, n + k, p, w, *moved)

        none = {"B": (n, k), "D": (m, k), "Tr": (n, k)}
        makers: dict[str, Callable[[], Array]] = {
            f"{name}{i}": partial(np.zeros, shape) for name, shape in none.items() for i in (1, 2)
        }
        makers |= {
            "E": lambda: one * self._identity(),
            "T": lambda: one * self._identity(),
            "Tr": partial(np.zeros, (n, k)),
        }
        return _PartsWhenUsed(
            makers,
            {"A": (of_states, 0, n), "C": (of_states, n, n + m), "B": (of_inputs, 0, n), "D": (of_inputs, n, n + m)},
        )

    def _identity(self) -> Array:
        self._refuse_full()
        return np.eye(len(self.state))

    def _refuse_full(self) -> None:
        if (n := len(self.state)) > MAX_FULL:
            raise StabilityError(
                f"linear system {self.equations.name!r}: full matrices of {n} states take {8e-9 * n * n:z.2g} GB each, and this computes with them. "
                "Pass count= to eigenvalues and modes, frequencies to frequency_response, or take sparse matrices from lin.numbers.sparse({})"
            )

    def _jacobian(self, f: Compiled, start: int, stop: int, p: Array, w: Array, *moved: Array) -> Array:
        """Some columns of J."""
        x = self._point_at(w)
        n, rows = len(self._vector), len(self.rates) + len(self.seen)
        if stop - start > MAX_FULL:
            self._refuse_full()
        out = np.empty((rows, stop - start))
        for first in range(start, stop, AT_ONCE):
            v = np.eye(min(AT_ONCE, stop - first), n, first)
            out[:, first - start : first - start + len(v)] = f.batch(self.point[self.time], x, p, v, *moved).T
        return out

    # --------------------------------------------------------------------------------------------------------- sparse

    def pencil(self, p: Array, w: Array) -> SparsePencil | None:
        """The equations before they are solved for the accelerations; None if these are full as well."""
        form = form_of(self.equations, SimulationOptions(form="minimal"))
        slopes, n = slopes_of(form), len(self.state)
        if slopes.size == n:
            return None
        at, given = self._point_at(w), dict(zip(self.parameters, p.tolist(), strict=True))
        known = {**self.defaults, **dict(zip((*self.state, *self.inputs), at.tolist(), strict=True)), **given}
        constants = np.array([known.get(s, 0.0) for s in form.parameters])
        entries = slopes.entries(self.point[self.time], at[:n], constants)
        A = csc_array((entries, (slopes.rows, slopes.columns)), shape=(slopes.size, slopes.size))
        ones = np.arange(n)
        return SparsePencil(csc_array((np.ones(n), (ones, ones)), shape=A.shape), A, n)

    def ordered(self, values: Mapping[Symbol, float], found: Mapping[Symbol, float]) -> tuple[Array, Array]:
        """p and w: parameter values, and the unknowns found for them, in order."""
        return np.array([values[s] for s in self.parameters]), np.array([found[s] for s in self.unknowns])

    def output_row(self, name: str, p: Array, w: Array) -> tuple[Array, Array]:
        """The rows of C and D for one output."""
        f = compile_program(
            program("output_row", self._groups, {"row": jacobian([self.seen[name]], [*self.state, *self.inputs])})
        )
        row: Array = f(self.point[self.time], self._point_at(w), p).reshape(-1)
        return row[: len(self.state)], row[len(self.state) :]

    def input_column(self, k: int, p: Array, w: Array) -> Array:
        """A column of B."""
        n = len(self.state)
        return self._jacobian(self._columns, n + k, n + k + 1, p, w)[:n, 0]

    @cached_property
    def made(self) -> Mapping[str, Matrix]:
        """Expressions of the matrices."""
        columns = [*self.state, *self.inputs]
        at = {s: v for s, v in self.point.items() if s not in self.unknowns}
        J: Matrix = substitute_all([jacobian([*self.rates, *self.seen.values()], columns)], at)[0]
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
    eq: Equations, point: Mapping[Symbol, Any], defaults: Mapping[Symbol, float], rows: Mapping[str, Expr], unknowns: tuple[Symbol, ...] = (),
) -> LoopParts | None:  # fmt: skip
    """Trees in loops about a numerical operating point; None for other systems, and if outputs contain accelerations.

    unknowns   states and inputs whose numbers are found for each set of parameters
    """
    if len(eq.u) < MIN_SPEEDS or eq.lam or eq.z or eq.dropped or eq.variables.quaternions or eq.phi.entries:
        return None
    states, inputs = eq.variables.of("q u").symbols, eq.variables.inputs
    at = {s: as_expr(point.get(s, 0)).value for s in (*states, *inputs, eq.t)}
    known = {*states, *inputs, eq.t, *eq.p}
    if any(v is None for v in at.values()) or not known.issuperset(free_symbols(*rows.values())):
        return None
    if not {*states, *inputs}.issuperset(unknowns):
        return None
    swept = swept_accelerations(eq)
    if swept is None or not known.issuperset(free_symbols(*(udot := in_own_terms(eq, [swept])[0].entries))):
        return None
    numbers = {s: float(v) for s, v in at.items() if v is not None}
    return LoopParts(eq, eq.t, states, inputs, (*eq.rates.entries, *udot), rows, numbers, defaults, unknowns)


def refuse_unsteady(eq: Equations, parts: LoopParts) -> None:
    """Refuse a point at which the state changes. Rates are compared with their derivatives with respect to the state."""
    pencil = parts.pencil(parts.nominal_parameters, parts.nominal_unknowns)
    sizes = np.abs(parts.at_nominal["A"]).sum(axis=1) if pencil is None else row_sizes(pencil)
    rates = parts.rates_at_nominal
    off = np.abs(rates) - STEADY * (1 + sizes)
    if (k := int(np.argmax(off))) >= 0 and off[k] > 0:
        raise advised_error(
            StabilityError,
            f"linearisation of {eq.name!r}: the point is not steady: the rate of {parts.state[k].name} is {rates[k]:z.4g}. ",
            "Find one by steady(eq, ...), or pass moving=True if this is a point of a motion",
            f"Large mechanisms are linearised about their initial state: give one at rest in the model (START, start:), or by --set {eq.q[0].name}=...",
        )


def loops_of(lin: NamedMatrices) -> LoopParts | None:
    """The source of the matrices of a linear system in loops; None if states were dropped or reordered."""
    late = late_source((lin.E, lin.A))
    names = tuple(s.name for s in late.state) if isinstance(late, LoopParts) else None
    return late if isinstance(late, LoopParts) and lin.x == lin.variables == names else None


class _PartsWhenUsed(Mapping[str, Array]):
    """Arrays by name, each computed on first use.

    makers   of arrays
    rows     of arrays made once for several names, and of which rows
    """

    def __init__(
        self, makers: Mapping[str, Callable[[], Array]], rows: Mapping[str, tuple[Callable[[], Array], int, int]]
    ) -> None:
        self._makers, self._rows = makers, rows
        self._made: dict[Callable[[], Array], Array] = {}

    def __getitem__(self, name: str) -> Array:
        make, first, last = self._rows[name] if name in self._rows else (self._makers[name], 0, None)
        if make not in self._made:
            self._made[make] = make()
        return self._made[make][first:last]

    def __iter__(self) -> Iterator[str]:
        return iter((*self._makers, *self._rows))

    def __len__(self) -> int:
        return len(self._makers) + len(self._rows)

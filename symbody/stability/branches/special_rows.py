"""Rows of special points with two values freed, whose solutions are curves: of folds, and of Hopf points.

A fold at (x, λ, μ) with its null vector φ, and a Hopf point with its eigenvector v = a + i ω b and κ = ω² (Kuznetsov,
*Elements of Applied Bifurcation Theory*, 10.2), the latter in all variables Y = (q, u, z, lam) of the equations G(Y',
Y) = 0 as they are, P = ∂G/∂Y', Q = ∂G/∂Y:

    R = 0,   ∂R/∂x φ = 0,                       cᵀφ = 1
    R = 0,   Q a - κ P b = 0,  Q b + P a = 0,   cᵀa = 1,  cᵀb = 0

Null vectors are unknowns like others, so that all derivatives are derivatives of expressions. The rows stay regular
where ω vanishes: a and b are then the eigenvector and the generalised one of a double zero. c follows the null vector
from point to point: its product with the last one is one, and it is orthogonal to its b.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...algebra.calculus.derivatives import directional_derivative, jacobian
from ...algebra.calculus.evaluate import evaluate
from ...algebra.graph.graph import ONE, ZERO, Expr, Symbol, symbol
from ...algebra.graph.matrix import sum_of_products
from ...algebra.graph.walk import free_symbols
from ...algebra.nonlinear.continuation import Bound
from ...algebra.nonlinear.trust_region import Rank
from ...emit.lowering.lower import program
from ...emit.run.callable import Array, compile_program
from ...errors import StabilityError
from ..equilibria.steady_problem import steady_problem
from ..spectra.pencil import Complex
from ..variation.parameter_samples import substituted_and_folded
from .branch_points import SpecialPoint
from .branch_problem import BranchProblem, without_dependent
from .hopf_form import FullRows
from .motion_family import FreedProblem, freed_conditions

Places = NDArray[np.intp]


class SpecialRows(FreedProblem):
    """F(X) = 0 for the kind of a special point of a branch, with a second value freed; X = (all unknowns, null vector,
    κ).

    along     the branch on which the point lies
    free      indices of the entries of X that move; those of the null vector and κ are the last
    normal    c
    """

    kind: str
    is_complex = False

    def __init__(self, along: BranchProblem, point: SpecialPoint, name: str, low: float, high: float) -> None:
        self.equations, self._made_from = along.equations, (along, point, name, low, high)
        self.along, self.low, self.high = along, low, high
        self.freed = freed_conditions(along.begun, along.freed.varied.name, name)
        self.problem, given = steady_problem(
            self.equations, self.freed.conditions, self.freed.fixed, self.freed.unknowns
        )
        known = along.numbers_at(point.x)
        self.start = np.append(point.x, self._value(known))
        self.parameters = {s: known[s] for s in along.parameters if s is not self.freed.varied}
        self.p = self.problem.numbers({**self.parameters, **given})
        n = len(self.start)
        self.states = np.array([j for j in along.moving if j < n - 2])
        own = np.array([*self.states, n - 2, n - 1])
        self.vector, self.begin = self._begin(point)
        self.normal = _normal(self.begin[n:], self.is_complex)
        self.free = self._free(np.array([*own, *range(n, len(self.begin))]))

    def __reduce__(self) -> Any:
        return type(self), self._made_from

    def _value(self, known: dict[Symbol, float]) -> float:
        """Of the second value at the point."""
        varied = self.freed.varied
        if varied in known:
            return known[varied]
        (row,) = [r for r in self.freed.conditions.rows if varied in free_symbols(r.expression)]
        return float(evaluate(row.expression, {**known, varied: 0.0}))

    def _begin(self, point: SpecialPoint) -> tuple[tuple[Symbol, ...], Array]:
        """The additional symbols, and X at the point."""
        raise NotImplementedError

    def _null_rows(self) -> list[Expr]:
        """Rows of the null vector, without its length."""
        raise NotImplementedError

    @property
    def open_entries(self) -> list[int]:
        """Entries of X that rows may leave open."""
        return []

    def _free(self, candidates: Places) -> Places:
        J = self._compiled_at(self.begin)[1]
        open_ones = self.open_entries
        if not open_ones or Rank.of(J[:, candidates]).null_space.shape[1] <= 1:
            return candidates
        return without_dependent(J, open_ones, candidates)

    # ------------------------------------------------------------------------------------------------ in numbers

    @property
    def count(self) -> int:
        """Of unknowns before the null vector."""
        return len(self.start)

    def function(self, x: Array) -> tuple[Array, Array]:
        """F and ∂F/∂x in what moves."""
        F, J = self._compiled_at(self.whole(x))
        return F, J[:, self.free]

    def whole(self, x: Array) -> Array:
        """X."""
        X = self.begin.copy()
        X[self.free] = x
        return X

    def moving(self, X: Array) -> Array:
        """What moves of X."""
        return X[self.free]

    @property
    def sizes(self) -> Array:
        """Of what moves: the null vector counts in no distance."""
        own = [*self.along.sizes, self.high - self.low]
        beside = [np.inf] * (len(self.free) - len(own))
        if self.is_complex:
            beside[-1] = float(self.begin[-1])
        return np.array([*own, *beside])

    @property
    def bounds(self) -> list[Bound]:
        """The two intervals, and that ω² is not negative."""
        at = len(self.states)
        both = [Bound(at, self.along.low, self.along.high), Bound(at + 1, self.low, self.high)]
        return [*both, Bound(len(self.free) - 1, 0.0, np.inf)] if self.is_complex else both

    def normalize(self, x: Array) -> None:
        """Let c follow the null vector of a point."""
        self.normal = _normal(self.whole(x)[self.count :], self.is_complex)

    def _compiled_at(self, X: Array) -> tuple[Array, Array]:
        F, J = self._compiled_rows(X, self.p, self.normal)
        return F, J.reshape(len(F), len(X))

    @cached_property
    def _compiled_rows(self) -> Any:
        c = [symbol(f"normal_{k}", "variable") for k in range(len(self.normal))]
        unknowns = [*self.problem.unknowns, *self.vector]
        rows = [*self.problem.expressions, *self._null_rows(), *self._length_rows(c)]
        groups = {"x": unknowns, "p": list(self.problem.parameters), "c": c}
        outputs = {"F": rows, "J": [*jacobian(rows, unknowns).entries]}
        return compile_program(program(f"{self.kind}_rows", groups, outputs))

    def _length_rows(self, c: Sequence[Symbol]) -> list[Expr]:
        m = len(c)
        length = sum_of_products(c, self.vector[:m]) - ONE
        return [length, sum_of_products(c, self.vector[m : 2 * m])] if self.is_complex else [length]


class FoldRows(SpecialRows):
    """The rows of folds."""

    kind = "fold"

    def _begin(self, point: SpecialPoint) -> tuple[tuple[Symbol, ...], Array]:
        J = self.problem.rows_and_slopes(self.start, self.p)[1][:, self.states]
        sizes = self.along.curve().columns[:-1]
        phi = sizes * np.linalg.svd(J * sizes)[2][-1]
        vector = tuple(symbol(f"null_{k}", "variable") for k in range(len(phi)))
        return vector, np.concatenate([self.start, phi])

    def _null_rows(self) -> list[Expr]:
        moved = {self.problem.unknowns[j]: y for j, y in zip(self.states, self.vector, strict=True)}
        return [directional_derivative(e, moved) for e in self.problem.expressions]


class HopfRows(SpecialRows):
    """The rows of Hopf points; κ = ω² is the last entry of X."""

    kind = "Hopf"
    is_complex = True

    @cached_property
    def full(self) -> FullRows:
        """The equations in all variables."""
        return FullRows(self.equations, self.problem.fixed, self.freed.varied)

    def _begin(self, point: SpecialPoint) -> tuple[tuple[Symbol, ...], Array]:
        if point.form is None:
            raise StabilityError(
                f"curve of Hopf points of {self.equations.name!r}: there is no normal form at this one, as where speeds turn with the motion and the "
                "equations have no constant coefficients; choose speeds along axes of the mechanism (m.speed)"
            )
        names = [s.name for s in self.full.levels]
        v = _in_phase(np.array([point.form.shape[name] for name in names]), len(self.equations.q) or len(names))
        parts = [symbol(f"{part}_{k}", "variable") for part in ("real", "imag") for k in range(len(names))]
        omega = point.form.omega
        return (*parts, symbol("kappa", "variable")), np.concatenate([self.start, v.real, v.imag / omega, [omega**2]])

    def _null_rows(self) -> list[Expr]:
        full, m = self.full, len(self.full.levels)
        a, b, kappa = self.vector[:m], self.vector[m : 2 * m], self.vector[-1]
        place = {s: k for k, s in enumerate(full.levels)}
        rates = [(r, place[s]) for r, s in zip(full.rates, full.states, strict=True)]
        real = {**dict(zip(full.levels, a, strict=True)), **{r: -kappa * b[k] for r, k in rates}}
        imag = {**dict(zip(full.levels, b, strict=True)), **{r: a[k] for r, k in rates}}
        rows = [directional_derivative(e, d) for d in (real, imag) for e in full.rows]
        return substituted_and_folded(rows, {**self.problem.fixed, **dict.fromkeys(full.rates, ZERO)})

    @property
    def open_entries(self) -> list[int]:
        """Multipliers that redundant constraints leave open."""
        m, lam = len(self.full.levels), set(self.equations.lam)
        which = [k for k, s in enumerate(self.full.levels) if s in lam]
        return [self.count + part * m + k for part in (0, 1) for k in which]


def _in_phase(v: Complex, count: int) -> Complex:
    """An eigenvector whose first entries, the coordinates, are as real as they can be: towards ω = 0 the real part is
    then the null vector."""
    theta = -0.5 * np.angle(v[:count] @ v[:count])
    return np.asarray(v * np.exp(1j * theta), dtype=complex)


def _normal(vector: Array, is_complex: bool) -> Array:
    if not is_complex:
        return np.asarray(vector / (vector @ vector))
    a, b = np.split(vector[:-1], 2)
    c = a - b * (a @ b) / (b @ b)
    return np.asarray(c / (c @ a))


def special_rows(along: BranchProblem, point: SpecialPoint, name: str, low: float, high: float) -> SpecialRows:
    """The rows for the kind of a point."""
    kinds = {"fold": FoldRows, "Hopf": HopfRows}
    if point.kind not in kinds:
        raise StabilityError(
            f"branch of {along.equations.name!r}: curves over two values are those of folds and Hopf points; "
            f"got a {point.kind}"
        )
    return kinds[point.kind](along, point, name, low, high)

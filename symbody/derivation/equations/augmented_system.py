"""The augmented system of forward dynamics: accelerations and multipliers from one elimination."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from ...algebra.calculus.derivatives import jacobian
from ...algebra.graph.functions import value_where
from ...algebra.graph.graph import ONE, TRUE, Condition, Expr, Symbol
from ...algebra.graph.late_matrix import symbol_carriers
from ...algebra.graph.matrix import Matrix, sum_of_products
from ...algebra.graph.walk import free_symbols, substitute
from ...errors import DerivationError, listed
from ..rank.saddle_point import Border, SaddlePoint, chosen_elimination, sizes_of_inertias, sizes_of_responses

if TYPE_CHECKING:
    from .equations import Equations

MAX_MISS: Final = 1e-3  # largest violation of redundant rows by accelerations, relative to their own terms
GENERIC_ROTATION: Final = (0.8, 0.4, 0.4, 0.2)  # Euler parameters
"""States close to the constraints satisfy redundant rows about as well as they satisfy the constraints."""


@dataclass(frozen=True, eq=False)
class AugmentedSystem:
    """The linear system of accelerations and multipliers; returned by `Equations.augmented`.

        M u' = f                             without constraints
        [M Hᵀ; Jc 0] [u'; -lam] = [f0; -c]   with them, H = Jc + W and W = (∂f/∂lam)ᵀ

    eq   the equations that it belongs to

    >>> m = sb.Model("bead")
    >>> x, y = m.coordinates("x y")
    >>> bead = m.particle("bead", m.ground.point(x, y, 0), mass=2)
    >>> name = m.constrain("slope", y - x)
    >>> m.gravity(0, -9.81, 0)
    >>> eq = sb.derive(m)
    >>> eq.augmented.factors.elimination
    <Elimination.SCHUR: 'M and its Schur complement Jc M⁻¹ Jcᵀ are eliminated, both without pivoting'>
    >>> accelerations, forces = eq.augmented.solution
    >>> sb.evaluate(accelerations, {}), sb.evaluate(forces, {})
    ([-4.905, -4.905], [9.81])

    Loads that contain multipliers:

    >>> m = sb.Model("block")
    >>> x, y = m.coordinates("x y")
    >>> block = m.particle("block", m.ground.point(x, y, 0), mass=1)
    >>> name = m.constrain("floor", y)
    >>> rubs = m.generalized_force("friction", x, -0.3 * m.multiplier("floor"))
    >>> eq = sb.derive(m)
    >>> eq.augmented.multipliers_in_loads, eq.f, eq.augmented.f0, eq.augmented.W, eq.augmented.directions, eq.augmented.is_linear_in_multipliers
    ((lam_floor,), vector(-0.3*lam_floor, 0), vector(0, 0), matrix([[-0.3, 0]]), matrix([[-0.3, 1]]), True)

    See also: `Equations`, `algebra.factorize`, `solve`, `Model.multiplier`.
    """

    eq: Equations

    @cached_property
    def multipliers_in_loads(self) -> tuple[Symbol, ...]:
        """Multipliers that f contains: normal forces of friction."""
        if not self.eq.lam:
            return ()
        found = set(free_symbols(*symbol_carriers(self.eq.f)))
        return tuple(s for s in self.eq.lam if s in found)

    @cached_property
    def W(self) -> Matrix | None:  # noqa: N802  (notation)
        """(∂f/∂lam)ᵀ, one row for each multiplier; None if f contains no multipliers."""
        return jacobian(self.eq.f, self.eq.lam).T if self.multipliers_in_loads else None

    @cached_property
    def f0(self) -> Matrix:
        """f without its multipliers: M u' = f0 + (Jc + W)ᵀ lam."""
        if not self.multipliers_in_loads:
            return self.eq.f
        if not self.is_linear_in_multipliers:
            raise DerivationError(
                f"{self.eq.name!r}: its loads are not linear in {listed(self.multipliers_in_loads)}, so accelerations have no closed form; "
                "simulate(eq, ..., form='ggl') solves for them. Where the sign of a force is known, write it without abs(...)"
            )
        return substitute(self.eq.f, dict.fromkeys(self.multipliers_in_loads, 0))

    @property
    def is_linear_in_multipliers(self) -> bool:
        """Whether the forces equal f0 + (Jc + W)ᵀ lam."""
        return self.W is None or not set(self.eq.lam).intersection(free_symbols(self.W))

    @cached_property
    def directions(self) -> Matrix:
        """H = Jc + W: the directions of the multiplier forces; equal to Jc if no load contains multipliers."""
        return self.eq.Jc if self.W is None else self.eq.Jc + self.W

    @cached_property
    def factors(self) -> SaddlePoint:
        """The factorisation of M, or of [M Hᵀ; Jc 0] with constraints. Compiled functions, simulation, batches and
        generated code use the same elimination, named in `factors.elimination`.
        """
        known = {**self.eq.mechanism.values, **self._generic_rotations}
        elimination = chosen_elimination(self.eq.M, self.eq.Jc, known)
        inertias = sizes_of_inertias(self.eq.M, known) if self.eq.variables.rotations_by_angles else ()
        responses = sizes_of_responses(self.eq.M, self.eq.Jc, known)
        pushes = None if self.W is None else self.directions
        return SaddlePoint(self.eq.M, self.eq.Jc, elimination, self.eq.border, responses, inertias, pushes)

    @property
    def _generic_rotations(self) -> dict[Symbol, float]:
        """Euler parameters of norm 1: with others M need not be definite."""
        sets = self.eq.variables.quaternions
        return {v.symbol: x for e in sets for v, x in zip(e, GENERIC_ROTATION, strict=True)}

    @cached_property
    def solution(self) -> tuple[Matrix, Matrix]:
        """Accelerations and multipliers, from one solve block.

        M u' = f                          without constraints
        [M Hᵀ; Jc 0] [u'; -lam] = [f0; -c]   with them, H = Jc + W; in singular positions they have no value (NaN)

        The solution must also satisfy redundant rows, Jc u' + c = 0. If it does not, the rank is larger than the one
        for which the equations were derived (another branch of configurations), and the accelerations have no value.
        """
        n, k = len(self.eq.u), len(self.eq.lam)
        if not n:  # additional equations alone
            return Matrix(0, 1, ()), Matrix(0, 1, ())
        x = self.factors.solve([*self.f0.entries, *(-e for e in self.eq.c.entries)])
        udot, lam = Matrix(n, 1, x.entries[:n]), Matrix(k, 1, tuple(-e for e in x.entries[n:]))
        if self.eq.border is None:
            return udot, lam
        is_kept = self._redundant_rows_hold(udot, self.eq.border)
        return udot.map(lambda e: value_where(is_kept, e)), lam.map(lambda e: value_where(is_kept, e))

    def _redundant_rows_hold(self, udot: Matrix, border: Border) -> Condition:
        """Whether the combinations of rows on which the solve rests, Bᵀ (Jc u' + c), vanish beside the terms of all
        rows, each in units of its size."""
        terms = [
            [*(x * a / s for x, a in zip(self.eq.Jc.row(i), udot.entries, strict=True)), self.eq.c[i] / s]
            for i, s in enumerate(border.sizes)
        ]
        misses, allowed = [_sum(row) for row in terms], MAX_MISS * _sum([abs(e) for row in terms for e in row])
        is_kept: Condition = TRUE
        for j in range(border.B.cols):
            weights = [b / s for b, s in zip(border.B.column(j), border.sizes, strict=True)]
            is_kept = is_kept & (abs(sum_of_products(weights, misses)) <= allowed)
        return is_kept


def _sum(terms: Sequence[Expr]) -> Expr:
    return sum_of_products([ONE] * len(terms), terms)

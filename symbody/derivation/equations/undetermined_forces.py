"""Multipliers and reactions that redundant constraints leave undetermined.

With n the combinations of rows that vanish, nᵀ Jc = 0, multipliers are determined up to lam + n a. A quantity g(lam) is
determined where

    ∂g/∂lam n = 0

and is NaN otherwise: an expression without a value, which programs evaluate to NaN. On request the undetermined part is
distributed over the rows such that Σ lam_i² / k_i is least, the energy of elastic joints with stiffnesses k_i between
rigid bodies,

    lam = lam0 - n (nᵀ C n)⁻¹ nᵀ C lam0,    C = diag(1 / k_i)        (minimum norm: all k_i equal)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ...algebra.calculus.derivatives import jacobian
from ...algebra.calculus.evaluate import evaluate
from ...algebra.graph.functions import no_value
from ...algebra.graph.graph import ONE, ZERO, Expr, Symbol, as_expr
from ...algebra.graph.linear import factorize
from ...algebra.graph.matrix import Matrix
from ...algebra.graph.walk import free_symbols
from ...errors import DerivationError, EvaluationError, shown, unknown
from ..rank.loop_closure import Values
from ..rank.regular_configuration import regular
from .constraint_rank import constraint_rank, rank_at
from .equation_arguments import of_equations

if TYPE_CHECKING:
    from .equations import Equations

LEAST_NORM: Final = "least norm"
SAMPLES: Final = 3  # number of regular configurations at which a quantity is tested for being determined
Share = str | Mapping[str, Any]


def undetermined_value(eq: Equations) -> Expr:
    """An expression without a value at any time."""
    return no_value(eq.t)


@of_equations
def undetermined(eq: Equations) -> tuple[Symbol, ...]:
    """Multipliers that redundant constraints do not determine.

    >>> m = sb.Model("bead")
    >>> x, y = m.coordinates("x y")
    >>> bead = m.particle("bead", m.ground.point(x, y, 0), mass=1)
    >>> names = m.constrain("floor", y), m.constrain("table", 2 * y)
    >>> sb.derivation.undetermined(sb.derive(m, redundant=True))
    (lam_floor, lam_table)

    See also: `audit`, `reaction`, `derivation.constraint_rank`.
    """
    if eq.border is None:
        return ()
    return eq.cached("undetermined", (), lambda: tuple(s for s in eq.lam if not is_determined(eq, s)))


def determined_parts(eq: Equations, things: Sequence[Any]) -> list[Any]:
    """Expressions and matrices in which entries that the constraints do not determine are replaced by
    `undetermined_value`."""
    if eq.border is None:
        return list(things)
    return [map_entries(t, lambda e: e if is_determined(eq, e) else undetermined_value(eq)) for t in things]


def map_entries(thing: Any, f: Callable[[Expr], Expr]) -> Any:
    """An expression, a matrix, or a sequence of these, with every entry replaced."""
    if isinstance(thing, Matrix):
        return thing.map(f)
    return [map_entries(t, f) for t in thing] if isinstance(thing, list | tuple) else f(thing)


def is_determined(eq: Equations, thing: Expr) -> bool:
    """Whether ∂g/∂lam n vanishes at regular configurations."""
    if not set(eq.lam).intersection(free_symbols(thing)):
        return True
    slopes = list(jacobian([thing], eq.lam).entries)
    for values, null in null_vectors(eq):
        try:
            g = np.array(evaluate(slopes, values), dtype=np.float64)
        except (EvaluationError, OverflowError):
            return False
        terms = np.abs(g[:, None] * null)
        if (np.abs(g @ null) > 1e-7 * np.max(terms, axis=0, initial=0.0) + 1e-12 * np.max(np.abs(null), axis=0)).any():
            return False
    return True


def null_vectors(eq: Equations) -> list[tuple[Values, Any]]:
    """Regular configurations and the combinations of rows that vanish there."""
    return eq.cached("null vectors", (), lambda: _null_vectors(eq))


def _null_vectors(eq: Equations) -> list[tuple[Values, Any]]:
    found = constraint_rank(eq)
    if found is None:
        return []
    out = [(found.values, found.space.null)]
    for seed in range(1, SAMPLES):
        moved = regular(eq, found.values, Random(seed), leaves=True)
        other = None if moved is None else rank_at(eq, moved)
        if other is not None and other.rank == found.rank:
            out.append((other.values, other.space.null))
    return out


# ---------------------------------------------------------------------------------------------------------- shared


def shared_multipliers(eq: Equations, share: Share) -> Matrix:
    """Multipliers of which the undetermined part is shared by stiffnesses: "least norm", or {joint or constraint:
    stiffness}."""
    if eq.border is None:
        return eq.multipliers
    C = _compliances(eq, share)
    n, lam = eq.augmented.factors.null_vectors, eq.multipliers
    weighted = Matrix(n.rows, n.cols, tuple(c * n[i, j] for i, c in enumerate(C) for j in range(n.cols)))
    return lam - n @ factorize(n.T @ weighted, "definite").solve(weighted.T @ lam)


def refuse_unknown_share(eq: Equations, share: Share) -> None:
    """A way to share that does not exist, or a joint that there is not, also where nothing has to be shared."""
    where = f"reactions of {eq.name!r}"
    if isinstance(share, str):
        if share != LEAST_NORM:
            raise unknown(where, "way to share", share, [LEAST_NORM], DerivationError)
        return
    names = dict.fromkeys([*(j for j in _joints_of_rows(eq) if j), *(r.name for r in eq.rows.speeds)])
    for name in share:
        if name not in names:
            raise unknown(where, "joint or constraint", name, names, DerivationError)


def _joints_of_rows(eq: Equations) -> list[str | None]:
    return [c.joint for c in (*eq.mechanism.holonomic, *eq.mechanism.nonholonomic)]


def _compliances(eq: Equations, share: Share) -> list[Expr]:
    """1/k of each row: one for all, or of those that are named; others are rigid."""
    rows, joints = eq.rows.speeds, _joints_of_rows(eq)
    if isinstance(share, str):
        return [ONE] * len(rows)
    given = [share.get(r.name, share.get(j) if j else None) for r, j in zip(rows, joints, strict=True)]
    _refuse_rigid(eq, [k is not None for k in given])
    return [ZERO if k is None else 1 / _positive(eq, k) for k in given]


def _positive(eq: Equations, stiffness: Any) -> Expr:
    k = as_expr(stiffness)
    if k.value is not None and not float(k.value) > 0:
        raise DerivationError(f"reactions of {eq.name!r}: stiffnesses must be positive, got {shown(stiffness)}")
    return k


def _refuse_rigid(eq: Equations, is_elastic: list[bool]) -> None:
    """Every combination of rows that vanishes must have an elastic row in it that no other has."""
    for _, null in null_vectors(eq):
        soft = null[is_elastic]
        if np.linalg.matrix_rank(soft / np.max(np.abs(null)), tol=1e-6) < null.shape[1]:
            stiff = sorted(
                {
                    r.name
                    for r, x, s in zip(eq.rows.speeds, np.abs(null).max(axis=1), is_elastic, strict=True)
                    if x > 1e-6 * np.max(np.abs(null)) and not s
                }
            )
            raise DerivationError(
                f"reactions of {eq.name!r}: with the stiffnesses that are given, the constraints still do not determine all; give them for more of "
                f"{', '.join(stiff)}"
            )

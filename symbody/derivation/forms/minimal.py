"""Elimination of dependent speeds: equations in independent ones, without multipliers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from ...algebra.graph.graph import ONE, ZERO, Expr, Symbol
from ...algebra.graph.labels import substituted_labels
from ...algebra.graph.linear import Factors, factorize
from ...algebra.graph.matrix import Matrix, sum_of_products, zeros
from ...algebra.graph.walk import substitute_all
from ...errors import DerivationError, in_number, listed
from ..equations.equation_arguments import of_equations
from ..equations.equations import Equations
from ..equations.own_terms import composed, speed_index
from ..equations.random_states import numbers, random_state
from ..equations.sampling import refuse_samples
from ..rank.small_matrices import Rows, pivoted_elimination


@of_equations
def minimal(
    eq: Equations, independent: str | Iterable[Symbol | str] | None = None, at: Mapping[Any, float] | None = None
) -> Equations:
    """Equations in independent speeds ui only; the dependent speeds ud follow from the constraints by a linear solve.

        Jd ud = -(Ji ui + b),   u = A ui + a0,   u' = A ui' + a
        Aᵀ M A ui' = Aᵀ (f - M a)

    independent   speeds to keep, by symbol or name; by default complete pivoting chooses them so that Jd is well
                  conditioned
    at            values (coordinates, parameters) at which to choose; by default a random state that satisfies the
                  constraints

    All coordinates remain, and so does phi, as an invariant of the motion. `dependent` of the result has the eliminated
    speeds, their rates and the multipliers as expressions in the remaining variables. If Jd becomes singular, choose
    other speeds.

    >>> m = sb.Model("bead")
    >>> x, y = m.coordinates("x y")
    >>> bead = m.particle("bead", m.ground.point(x, y, 0), mass=1.0)
    >>> ring = m.constrain("ring", x**2 + y**2 - 1)
    >>> eq = sb.minimal(sb.derive(m), "x_dot")
    >>> eq.u, eq.lam, list(eq.dependent)
    ((x_dot,), (), [y_dot, y_ddot, lam_ring])

    See also: `derive`, `Equations`, `linearize`.
    """
    refuse_samples(eq, "minimal", DerivationError)
    if not eq.lam:
        _named_speeds(eq, () if independent is None else independent)  # refuses keys that are not speeds
        return eq
    if eq.augmented.multipliers_in_loads:
        raise DerivationError(
            f"minimal form of {eq.name!r}: its loads contain {listed(eq.augmented.multipliers_in_loads)}, which would be eliminated; its equations with "
            "multipliers can be simulated, compiled and linearised as they are"
        )
    keep = _independent_speeds(eq, independent, at)
    rest = [j for j in range(len(eq.u)) if j not in keep]
    Jd, Ji = _columns(eq.Jc, rest), _columns(eq.Jc, keep)
    factors = factorize(Jd, "general")
    ui = tuple(eq.u[j] for j in keep)
    ud = factors.solve([-(sum_of_products(Ji.row(k), ui) + b) for k, b in enumerate(eq.b.entries)])
    dependent = {eq.u[j]: e for j, e in zip(rest, ud.entries, strict=True)}
    M, (f, c, rates, h, *outputs) = eq.M, substitute_all([eq.f, eq.c, eq.rates, eq.h, *eq.outputs.values()], dependent)
    A, a = _all_speeds(eq, keep, rest, -factors.solve(Ji), factors.solve(-c))
    dependent |= _accelerations(eq, ui, rest, A, a)
    dependent |= _multipliers(eq, rest, factors, M, f, A, a, ui)
    remaining = f - M @ a
    n = len(ui)
    return replace(
        eq, u=ui, rates=rates, M=_projected_inertia(M, A), f=A.T @ remaining, lam=(),
        Jc=Matrix(0, n, ()), b=zeros(0), c=zeros(0), h=h, border=None,
        outputs=dict(zip(eq.outputs, outputs, strict=True)), labels=substituted_labels(eq.labels, dependent), source=eq.whole, dependent=composed(eq, dependent),
        notes=(*eq.notes, f"dependent speeds {listed(eq.u[j].name for j in rest)} eliminated"),
    )  # fmt: skip


def _columns(J: Matrix, chosen: list[int]) -> Matrix:
    return Matrix(J.rows, len(chosen), tuple(J[i, j] for i in range(J.rows) for j in chosen))


def _all_speeds(eq: Equations, keep: list[int], rest: list[int], Ad: Matrix, ad: Matrix) -> tuple[Matrix, Matrix]:
    """A and a with u' = A ui' + a, in the order of all speeds."""
    rows: list[tuple[Expr, ...]] = []
    free: list[Expr] = []
    for j in range(len(eq.u)):
        if j in keep:
            rows.append(tuple(ONE if k == j else ZERO for k in keep))
            free.append(ZERO)
        else:
            rows.append(Ad.row(rest.index(j)))
            free.append(ad[rest.index(j)])
    return Matrix(len(rows), len(keep), tuple(e for r in rows for e in r)), Matrix(len(free), 1, tuple(free))


def _accelerations(eq: Equations, ui: tuple[Symbol, ...], rest: list[int], A: Matrix, a: Matrix) -> dict[Symbol, Expr]:
    dots = [u.dot for u in ui]
    return {eq.u[j].dot: sum_of_products(A.row(j), dots) + a[j] for j in rest}


def _multipliers(
    eq: Equations, rest: list[int], factors: Factors, M: Matrix, f: Matrix, A: Matrix, a: Matrix, ui: tuple[Symbol, ...]
) -> dict[Symbol, Expr]:
    """lam from the balances of the dependent speeds, Jdᵀ lam = (M u' - f)d, with the factors at hand."""
    dots = [u.dot for u in ui]
    accelerations = [sum_of_products(A.row(j), dots) + a[j] for j in range(A.rows)]
    right = [sum_of_products(M.row(j), accelerations) - f[j] for j in rest]
    return dict(zip(eq.lam, factors.solve(right, transposed=True).entries, strict=True))


def _projected_inertia(M: Matrix, A: Matrix) -> Matrix:
    """Aᵀ M A, its upper triangle mirrored."""
    half = M @ A
    n = A.cols
    upper = {(i, j): sum_of_products(A.column(i), half.column(j)) for i in range(n) for j in range(i, n)}
    return Matrix(n, n, tuple(upper[min(i, j), max(i, j)] for i in range(n) for j in range(n)))


# --------------------------------------------------------------------------------------------------------- which speeds


def _independent_speeds(
    eq: Equations, independent: Iterable[Symbol | str] | None, at: Mapping[Any, float] | None
) -> list[int]:
    """Indices of the independent speeds, in increasing order."""
    chosen = None if independent is None else _named_speeds(eq, independent)
    k, n = len(eq.lam), len(eq.u)
    Jc: Rows = numbers([eq.Jc], random_state(eq, 1, at))[0]
    found = pivoted_elimination(Jc, n, forbidden=chosen or ())
    if len(found.columns) < k:
        raise DerivationError(
            f"minimal form of {eq.name!r}: the {k} constraints have only rank {len(found.columns)}; "
            "audit(...) names those that depend on others"
        )
    if chosen is None:
        return [j for j in range(n) if j not in found.columns]
    if len(chosen) != n - k:
        raise DerivationError(
            f"minimal form of {eq.name!r}: {n} speeds under {k} constraints leave {n - k} independent ones, but {len(chosen)} were given: "
            f"{listed(eq.u[j].name for j in chosen)}"
        )
    if wrong := [j for j in chosen if j in found.columns]:
        better = [j for j in range(n) if j not in found.columns]
        raise DerivationError(
            f"minimal form of {eq.name!r}: {in_number((eq.u[j].name for j in chosen), '{} is', '{} are')} not independent (the constraints determine "
            f"{listed(eq.u[j].name for j in wrong)} from the others); {listed(eq.u[j].name for j in better)} would be"
        )
    return sorted(chosen)


def _named_speeds(eq: Equations, independent: Iterable[Symbol | str]) -> list[int]:
    given = [independent] if isinstance(independent, str | Symbol) else independent
    return [speed_index(eq, s, f"minimal form of {eq.name!r}", DerivationError) for s in given]

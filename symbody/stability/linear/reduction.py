"""From all variables to an independent set: the dependent part is eliminated at the operating point.

phi_q δq + phi_r δr = 0       δq  = Tq δqi + Qr δr
Jc δu + speed δ(q, r) = 0     δu  = Tu δui + Uq δqi + Ur δr     (H Tp = 0: multipliers drop out of Tpᵀ times the
                              balances; Tp = Tu where H = Jc)
Jc δu' + turn δ(q, u, r) = 0  δu' = Tu δui' + Wq δqi + Wu δui + Wr δr

r being the inputs, their rates and their second rates.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields

import numpy as np

from ...algebra.graph.graph import ONE, ZERO, Expr, Symbol
from ...algebra.graph.matrix import Matrix, identity, stack, zeros
from ...derivation.equations.equations import Equations
from ...derivation.rank.row_space import dependent_columns
from ...emit.run.callable import Array
from ...errors import StabilityError, listed
from ..variation.first_variation import Variation
from ..variation.parameter_samples import Sample, arrays
from ..variation.pivoting import pivoted_solution
from .reduced_numbers import EliminatedVariables, reduced_arrays


@dataclass(frozen=True)
class Partition:
    """Indices of the independent coordinates and speeds."""

    q: tuple[int, ...]
    u: tuple[int, ...]


@dataclass(frozen=True)
class ReducedMatrices:
    """E x' = A x + B r,  y = C x + D r  for x = (qi, ui, z); (q, u, z) = T x + Tr r recovers everything.

    r being the inputs, their rates and their second rates.
    """

    E: Matrix
    A: Matrix
    B: Matrix
    C: Matrix
    D: Matrix
    T: Matrix
    Tr: Matrix


@dataclass(frozen=True)
class DependentRates:
    """Speeds and accelerations that depend on others: δu = Tu δui + Uq δqi + Ur δr, δu' = Tu δui' + Wq δqi + Wu δui +
    Wr δr."""

    Tu: Matrix
    Uq: Matrix
    Ur: Matrix
    Wq: Matrix
    Wu: Matrix
    Wr: Matrix


def reduced_matrices(v: Variation, kept: Partition, sample: Sample) -> ReducedMatrices:
    nz, nr = v.more_z.cols, v.force_r.cols
    Tq, Qr = _positions(v, kept.q, sample)
    s = _speeds(v, Tq, Qr, kept, sample)
    Tu, Uq, Ur, Wq, Wu, Wr = s.Tu, s.Uq, s.Ur, s.Wq, s.Wu, s.Wr
    E_i = [len(kept.q), len(kept.u), nz]
    back = Tu.T if v.H == v.Jc else _multiplier_free_balances(v, kept, sample).T
    rates = [
        _rows(m, kept.q)
        for m in (
            v.rates_q @ Tq + v.rates_u @ Uq,
            v.rates_u @ Tu,
            v.rates_z,
            v.rates_q @ Qr + v.rates_u @ Ur + v.rates_r,
        )
    ]
    forces = [
        -(back @ (v.M @ Wq + v.force_q @ Tq + v.force_u @ Uq)), -(back @ (v.M @ Wu + v.force_u @ Tu)), -(back @ v.force_z),
        -(back @ (v.M @ Wr + v.force_q @ Qr + v.force_u @ Ur + v.force_r)),
    ]  # fmt: skip
    more = [
        -(v.more_q @ Tq + v.more_u @ Uq + v.more_du @ Wq), -(v.more_u @ Tu + v.more_du @ Wu), -v.more_z,
        -(v.more_q @ Qr + v.more_u @ Ur + v.more_du @ Wr + v.more_r),
    ]  # fmt: skip
    E = _blocks([
        [identity(E_i[0]), zeros(E_i[0], E_i[1]), zeros(E_i[0], nz)],
        [zeros(E_i[1], E_i[0]), _symmetric(back @ v.M @ Tu) if v.H == v.Jc else back @ v.M @ Tu, back @ v.force_dz],
        [zeros(nz, E_i[0]), v.more_du @ Tu, v.more_dz],
    ])  # fmt: skip
    A, B = _blocks([rates[:3], forces[:3], more[:3]]), _blocks([[rates[3]], [forces[3]], [more[3]]])
    C = _blocks([[v.out_q @ Tq + v.out_u @ Uq, v.out_u @ Tu, v.out_z]])
    T = _blocks([
        [Tq, zeros(Tq.rows, E_i[1]), zeros(Tq.rows, nz)],
        [Uq, Tu, zeros(Tu.rows, nz)],
        [zeros(nz, E_i[0]), zeros(nz, E_i[1]), identity(nz)],
    ])  # fmt: skip
    return ReducedMatrices(E, A, B, C, v.out_q @ Qr + v.out_u @ Ur + v.out_r, T, stack(Qr, Ur, zeros(nz, nr)))


def _positions(v: Variation, kept: Sequence[int], sample: Sample) -> tuple[Matrix, Matrix]:
    """Tq and Qr: coordinates from the kept ones, which are unchanged, and from the inputs."""
    J, k = v.phi_q, len(kept)
    rest = [j for j in range(J.cols) if j not in kept]
    x = _dependent(J, rest, _blocks([[_columns(J, kept), v.phi_r]]), sample)
    return _with_kept_rows(J.cols, kept, rest, x[:, :k]), _in_rows(J.cols, rest, x[:, k:])


def _speeds(v: Variation, Tq: Matrix, Qr: Matrix, kept: Partition, sample: Sample) -> DependentRates:
    """One elimination for the speeds, one for the accelerations."""
    n, nq, nu, nr = v.M.rows, len(kept.q), len(kept.u), Qr.cols
    if not v.Jc.rows:
        none = zeros(n, nr)
        return DependentRates(identity(n), zeros(n, nq), none, zeros(n, nq), zeros(n, nu), none)
    rest = [j for j in range(n) if j not in kept.u]
    right = _blocks([[_columns(v.Jc, kept.u), v.speed_q @ Tq, v.speed_q @ Qr + v.speed_r]])
    first = _dependent(v.Jc, rest, right, sample)
    Tu = _with_kept_rows(n, kept.u, rest, first[:, :nu])
    Uq, Ur = _in_rows(n, rest, first[:, nu : nu + nq]), _in_rows(n, rest, first[:, nu + nq :])
    turned = [v.turn_q @ Tq + v.turn_u @ Uq, v.turn_u @ Tu, v.turn_q @ Qr + v.turn_u @ Ur + v.turn_r]
    second = _dependent(v.Jc, rest, _blocks([turned]), sample)
    Wq, Wu, Wr = (_in_rows(n, rest, x) for x in (second[:, :nq], second[:, nq : nq + nu], second[:, nq + nu :]))
    return DependentRates(Tu, Uq, Ur, Wq, Wu, Wr)


def _multiplier_free_balances(v: Variation, kept: Partition, sample: Sample) -> Matrix:
    """Tp with H Tp = 0: combinations of the balances without multipliers, one for each independent speed."""
    rest = [j for j in range(v.H.cols) if j not in kept.u]
    return _with_kept_rows(v.H.cols, kept.u, rest, _dependent(v.H, rest, _columns(v.H, kept.u), sample))


def _dependent(J: Matrix, rest: Sequence[int], right: Matrix, sample: Sample) -> Matrix:
    """The dependent part x of J_rest x + right = 0. Redundant rows are ignored."""
    return pivoted_solution(_columns(J, rest), -right, sample).x


def _columns(J: Matrix, chosen: Iterable[int]) -> Matrix:
    picked = list(chosen)
    return Matrix(J.rows, len(picked), tuple(J[i, j] for i in range(J.rows) for j in picked))


def _rows(m: Matrix, chosen: Sequence[int]) -> Matrix:
    return Matrix(len(chosen), m.cols, tuple(e for i in chosen for e in m.row(i)))


def _with_kept_rows(n: int, kept: Sequence[int], rest: Sequence[int], x: Matrix) -> Matrix:
    rows = {j: tuple(ONE if k == j else ZERO for k in kept) for j in kept}
    rows |= {j: x.row(k) for k, j in enumerate(rest)}
    return Matrix(n, len(kept), tuple(e for j in range(n) for e in rows[j]))


def _in_rows(n: int, rest: Sequence[int], x: Matrix) -> Matrix:
    rows = {j: x.row(k) for k, j in enumerate(rest)}
    return Matrix(n, x.cols, tuple(e for j in range(n) for e in rows.get(j, (ZERO,) * x.cols)))


def _symmetric(m: Matrix) -> Matrix:
    """The upper triangle mirrored, so that equal entries are one expression."""
    return Matrix(m.rows, m.cols, tuple(m[min(i, j), max(i, j)] for i in range(m.rows) for j in range(m.cols)))


def _blocks(grid: Sequence[Sequence[Matrix]]) -> Matrix:
    return stack(*(_beside(line) for line in grid))


def _beside(parts: Sequence[Matrix]) -> Matrix:
    rows = parts[0].rows
    entries: list[Expr] = [e for i in range(rows) for p in parts for e in p.row(i)]
    return Matrix(rows, sum(p.cols for p in parts), tuple(entries))


# ------------------------------------------------------------------------------------------------ which are independent


def chosen_partition(
    eq: Equations, v: Variation, sample: Sample, wanted: Iterable[Symbol | str], turning: Iterable[Symbol], cyclic: Iterable[Symbol] = (),
    known: Mapping[str, Array] | None = None,
) -> Partition:  # fmt: skip
    """Independent coordinates and speeds: those wanted; otherwise coordinates that matter, in the user's order, before
    those that do not.

    turning   speeds that are not constant in the motion: dependent wherever possible, so that the result does not
              change with time
    cyclic    coordinates known to have no influence; others are found in the numbers
    known     numbers of the variation there, if they have been evaluated
    """
    names = _wanted_symbols(eq, wanted)
    parts = {f.name: getattr(v, f.name) for f in fields(v)}
    numbers = known or dict(zip(parts, arrays(list(parts.values()), sample), strict=True))
    phi, J = numbers["phi_q"], numbers["Jc"]
    turned = [j for j, u in enumerate(eq.u) if u in set(turning)]
    first = _partition(eq, phi, J, names, turned, cyclic=())
    idle = _idle(numbers, first, [j for j, q in enumerate(eq.q) if q in set(cyclic)])
    return _partition(eq, phi, J, names, turned, idle)


def _wanted_symbols(eq: Equations, wanted: Iterable[Symbol | str]) -> set[Symbol]:
    given = [wanted] if isinstance(wanted, (str, Symbol)) else wanted
    known, where = eq.variables.of("q u"), f"linearize(independent=...) of {eq.name!r}"
    found = {known.symbol(s, where, StabilityError) for s in given}
    return found | {u for u in eq.u if known[u].rate_of in found}


def _partition(
    eq: Equations, phi: Array, J: Array, wanted: set[Symbol], turned: Sequence[int], cyclic: Sequence[int]
) -> Partition:
    q_order = _order(len(eq.q), [[j for j, q in enumerate(eq.q) if q not in wanted], range(len(eq.q))])
    q_dependent = _pivots(eq, "coordinates", phi, q_order, {j for j, q in enumerate(eq.q) if q in wanted})
    pair = {eq.q.index(q): eq.u.index(q.dot) for q in eq.q if q.dot in eq.u}
    free = [j for j, u in enumerate(eq.u) if u not in wanted]
    preferred = [turned, [pair[j] for j in q_dependent if j in pair], [pair[j] for j in cyclic if j in pair]]
    u_order = _order(len(eq.u), [*([j for j in group if j in free] for group in preferred), free, range(len(eq.u))])
    u_dependent = _pivots(eq, "speeds", J, u_order, {j for j, u in enumerate(eq.u) if u in wanted})
    kept = Partition(
        tuple(j for j in range(len(eq.q)) if j not in q_dependent), tuple(j for j in range(len(eq.u)) if j not in u_dependent)
    )  # fmt: skip
    lost = [s.name for s in (*(eq.q[j] for j in q_dependent), *(eq.u[j] for j in u_dependent)) if s in wanted]
    if lost:
        independent = [*(eq.q[j].name for j in kept.q), *(eq.u[j].name for j in kept.u)]
        raise StabilityError(
            f"linearisation of {eq.name!r}: the constraints determine {listed(lost)} at this point, so not all requested variables can be "
            f"independent; {listed(independent)} would be"
        )
    return kept


def _order(n: int, groups: Sequence[Iterable[int]]) -> list[int]:
    """Candidates for the dependent part: group after group, in each the later ones first."""
    return list(dict.fromkeys(j for group in groups for j in sorted(group, reverse=True)))[:n]


def _pivots(eq: Equations, what: str, J: Array, order: Sequence[int], kept: set[int]) -> list[int]:
    """Dependent columns of full rank, where there are constraints."""
    found = dependent_columns(J, order, kept)
    if J.size and not found:
        raise StabilityError(
            f"linearisation of {eq.name!r}: no independent {what} were found; the constraints are nearly singular there, linearise at another point"
        )
    return found


def _idle(numbers: Mapping[str, Array], kept: Partition, cyclic: Sequence[int]) -> list[int]:
    """Cyclic coordinates at this point: only rates of coordinates of the same kind depend on them."""
    found = reduced_arrays(numbers, EliminatedVariables.of(numbers, kept.q, kept.u))
    known = [k for k, j in enumerate(kept.q) if j in cyclic]
    return [kept.q[j] for j in idle_states(found["E"], found["A"], range(len(kept.q)), known)]


def idle_states(E: Array, A: Array, candidates: Iterable[int], cyclic: Sequence[int] = ()) -> list[int]:
    """The largest set of states, out of the candidates, that no other state's rate depends on.

    cyclic   states that are known to matter nowhere: what their columns of A have is rounding, which a row that is zero
             cannot decide from numbers
    """
    A = A.copy()
    A[:, list(cyclic)] = 0.0
    scale_A = np.maximum(np.abs(A).max(axis=1, initial=0.0), 1e-300)[:, None]
    scale_E = np.maximum(np.abs(E).max(axis=1, initial=0.0), 1e-300)[:, None]
    touched = (np.abs(A) > 1e-10 * scale_A) | ((np.abs(E) > 1e-10 * scale_E) & ~np.eye(len(E), dtype=bool))
    idle = set(candidates)
    while True:
        busy = {j for j in idle if any(touched[i, j] and i not in idle for i in range(len(A)))}
        if not busy:
            return sorted(idle)
        idle -= busy

"""The elimination of `reduction.py` in numbers: arrays of the first variation, reduced to those of the linear system.

With many dependent variables, products of whole matrices would be long expressions: a car on four suspensions has 31
speeds, its first variation 35 thousand operations, the entries of its linear system ten times as many. For a numerical
operating point numbers suffice: the first variation is evaluated, and the rest are products of arrays. All operations
are analytic in the entries, so that derivatives are taken by the complex step: f(v + i h v') = f(v) + i h f' v', to
rounding for a small h.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ...emit.run.callable import Array
from ..variation.pivoting import independent_block

Arrays = Mapping[str, Any]  # by the names of the first variation
COMPLEX_STEP: Final = 1e-100  # imaginary step h of complex-step differentiation


@dataclass(frozen=True)
class EliminatedVariables:
    """The variables that are kept, and the rows that give the others: of positions, of speeds, and of the
    multipliers' directions."""

    q: tuple[int, ...]
    u: tuple[int, ...]
    rest_q: tuple[int, ...]
    rest_u: tuple[int, ...]
    position_rows: tuple[int, ...]
    speed_rows: tuple[int, ...]
    push_rows: tuple[int, ...]
    is_symmetric: bool  # multipliers act along the rows of the constraints

    @classmethod
    def of(cls, v: Arrays, q: Sequence[int], u: Sequence[int]) -> EliminatedVariables:
        """At numbers, by which the rows are chosen."""
        rest_q, rest_u = ([j for j in range(v[m].shape[1]) if j not in kept] for m, kept in (("phi_q", q), ("Jc", u)))
        rows = [
            tuple(independent_block(v[m], range(len(v[m])), rest)[0]) if rest else ()
            for m, rest in (("phi_q", rest_q), ("Jc", rest_u), ("H", rest_u))
        ]
        same = np.array_equal(v["H"], v["Jc"])
        return cls(tuple(q), tuple(u), tuple(rest_q), tuple(rest_u), rows[0], rows[1], rows[2], same)


def reduced_arrays(v: Arrays, e: EliminatedVariables) -> dict[str, Array]:
    """E, A, B, C, D, T, Tr of `reduction.ReducedMatrices`; with dimensions in front where the arrays have them.

    out_du, where it is among the arrays, are slopes of the outputs by the accelerations: δu' follows from the reduced
    equations.
    """
    q, u, n, nz = list(e.q), list(e.u), v["M"].shape[-1], v["more_z"].shape[-1]
    nq, nu, nr = len(q), len(u), v["force_r"].shape[-1]
    x = _dependent(v["phi_q"], e.rest_q, e.position_rows, _beside(v["phi_q"][..., q], v["phi_r"]))
    Tq, Qr = _all_variables(v["phi_q"].shape[-1], e.q, e.rest_q, x, nq)
    x = _dependent(
        v["Jc"],
        e.rest_u,
        e.speed_rows,
        _beside(v["Jc"][..., u], v["speed_q"] @ Tq, v["speed_q"] @ Qr + v["speed_r"]),
    )
    Tu, more = _all_variables(n, e.u, e.rest_u, x, nu)
    Uq, Ur = more[..., :nq], more[..., nq:]
    turned = _beside(
        v["turn_q"] @ Tq + v["turn_u"] @ Uq, v["turn_u"] @ Tu, v["turn_q"] @ Qr + v["turn_u"] @ Ur + v["turn_r"]
    )
    W = _all_variables(n, (), e.rest_u, _dependent(v["Jc"], e.rest_u, e.speed_rows, turned), 0)[1]
    Wq, Wu, Wr = W[..., :nq], W[..., nq : nq + nu], W[..., nq + nu :]
    push = Tu
    if not e.is_symmetric:
        push = _all_variables(n, e.u, e.rest_u, _dependent(v["H"], e.rest_u, e.push_rows, v["H"][..., u]), nu)[0]
    back = np.swapaxes(push, -1, -2)
    E, A, B = (_zeros(v, nq + nu + nz, k) for k in (nq + nu + nz, nq + nu + nz, nr))
    i, j, k = slice(0, nq), slice(nq, nq + nu), slice(nq + nu, None)
    E[..., i, i] = np.eye(nq)
    E[..., j, j], E[..., j, k] = back @ v["M"] @ Tu, back @ v["force_dz"]
    E[..., k, j], E[..., k, k] = v["more_du"] @ Tu, v["more_dz"]
    A[..., i, i] = (v["rates_q"] @ Tq + v["rates_u"] @ Uq)[..., q, :]
    A[..., i, j], A[..., i, k] = (v["rates_u"] @ Tu)[..., q, :], v["rates_z"][..., q, :]
    A[..., j, i] = -(back @ (v["M"] @ Wq + v["force_q"] @ Tq + v["force_u"] @ Uq))
    A[..., j, j], A[..., j, k] = -(back @ (v["M"] @ Wu + v["force_u"] @ Tu)), -(back @ v["force_z"])
    A[..., k, i] = -(v["more_q"] @ Tq + v["more_u"] @ Uq + v["more_du"] @ Wq)
    A[..., k, j], A[..., k, k] = -(v["more_u"] @ Tu + v["more_du"] @ Wu), -v["more_z"]
    B[..., i, :] = (v["rates_q"] @ Qr + v["rates_u"] @ Ur + v["rates_r"])[..., q, :]
    B[..., j, :] = -(back @ (v["M"] @ Wr + v["force_q"] @ Qr + v["force_u"] @ Ur + v["force_r"]))
    B[..., k, :] = -(v["more_q"] @ Qr + v["more_u"] @ Ur + v["more_du"] @ Wr + v["more_r"])
    C = _beside(v["out_q"] @ Tq + v["out_u"] @ Uq, v["out_u"] @ Tu, v["out_z"])
    D = v["out_q"] @ Qr + v["out_u"] @ Ur + v["out_r"]
    if "out_du" in v:
        rates = np.linalg.solve(E, _beside(A, B))[..., j, :]  # of the independent speeds
        accelerations = Tu @ rates + _beside(Wq, Wu, _zeros(v, n, nz), Wr)
        seen = v["out_du"] @ accelerations
        C, D = C + seen[..., : nq + nu + nz], D + seen[..., nq + nu + nz :]
    T = _zeros(v, Tq.shape[-2] + n + nz, nq + nu + nz)
    T[..., : Tq.shape[-2], i], T[..., Tq.shape[-2] : Tq.shape[-2] + n, i] = Tq, Uq
    T[..., Tq.shape[-2] : Tq.shape[-2] + n, j], T[..., Tq.shape[-2] + n :, k] = Tu, np.eye(nz)
    Tr = np.concatenate(
        [np.broadcast_to(m, (*Qr.shape[:-2], *m.shape[-2:])) for m in (Qr, Ur, np.zeros((nz, nr)))], axis=-2
    )
    return {"E": E, "A": A, "B": B, "C": C, "D": D, "T": T, "Tr": Tr}


def _dependent(J: Any, rest: Sequence[int], rows: Sequence[int], right: Any) -> Any:
    """x of J_rest x + right = 0, by rows that are enough; NaN if they are not at these numbers."""
    A, b = J[..., list(rows), :][..., list(rest)], right[..., list(rows), :]
    try:
        return -np.linalg.solve(A, b)
    except np.linalg.LinAlgError:
        return np.full(b.shape, np.nan)


def _all_variables(n: int, kept: Sequence[int], rest: Sequence[int], x: Any, count: int) -> tuple[Any, Any]:
    """All variables from the kept ones, whose rows are those of the identity, and from the other columns."""
    first, others = (np.zeros((*x.shape[:-2], n, k), dtype=x.dtype) for k in (count, x.shape[-1] - count))
    first[..., list(kept), list(range(len(kept)))] = 1.0
    first[..., list(rest), :], others[..., list(rest), :] = x[..., :count], x[..., count:]
    return first, others


def _beside(*parts: Any) -> Any:
    front = np.broadcast_shapes(*(p.shape[:-2] for p in parts))
    return np.concatenate([np.broadcast_to(p, (*front, *p.shape[-2:])) for p in parts], axis=-1)


def _zeros(v: Arrays, rows: int, cols: int) -> Any:
    return np.zeros((*v["M"].shape[:-2], rows, cols), dtype=np.result_type(*(a.dtype for a in v.values())))

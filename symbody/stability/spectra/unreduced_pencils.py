"""Pencils E X' = A X of linear systems with constraints before these are eliminated: in all variables, in squares of the frequencies of
undamped oscillations, and on the tangent of the constraints (Lynch, ch. 6)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import numpy as np
from scipy.linalg import qr

from ...emit.run.callable import Array
from ...errors import StabilityError

if TYPE_CHECKING:
    from ..linear.linear_system import LinearSystem

# singular value, relative to the largest, below which rows of constraints are redundant
REDUNDANCY_TOLERANCE: Final = 1e-12


def pencil_of_squares(lin: LinearSystem, values: Mapping[str, float]) -> tuple[Array, Array]:
    """E and A of s² E X = A X for X = (q, lam), where nothing depends on speeds (Lynch eq. 6.6).

    s² M N⁻¹ q + force_q q - Hᵀ lam = 0,   phi_q q = 0,   q' = N u
    """
    assert lin.full is not None
    v = lin.numbers.variation_numbers(values)
    n, k = len(v["M"]), len(v["Jc"])
    size = max(np.abs(v["force_q"]).max(initial=0.0), np.abs(v["M"]).max(initial=0.0))
    is_still = max(np.abs(v[x]).max(initial=0.0) for x in ("force_u", "rates_q")) <= 1e-12 * size
    if v["rates_u"].shape != (n, n) or len(v["phi_q"]) != k or len(v["more_z"]) or not is_still:
        raise StabilityError(
            f"linear system {lin.name!r}: its equations are not those of an undamped oscillation in holonomic coordinates, so that there "
            'are no squares; use method="qz"'
        )
    E, A = np.zeros((n + k, n + k)), np.zeros((n + k, n + k))
    E[:n, :n] = np.linalg.solve(v["rates_u"].T, v["M"].T).T
    A[:n, :n], A[:n, n:], A[n:, :n] = -v["force_q"], v["H"].T, v["phi_q"]
    return E, A


def full_pencil(lin: LinearSystem, values: Mapping[str, float]) -> tuple[Array, Array]:
    """E X' = A X for X = (q, u, a, z, lam), a being the accelerations: of index one, so that infinite eigenvalues come
    out as such.

    q'i = rates,  phi_q q = 0,  u'i = ai,  Jc u + speed_q q = 0,
    M a + force ... - Hᵀ lam = 0,  Jc a + turn ... = 0,  more = 0
    """
    assert lin.full is not None
    v, (qi, ui) = lin.numbers.variation_numbers(values), lin.full.kept
    nq, nu, nz, k = v["rates_q"].shape[0], v["M"].shape[0], v["more_z"].shape[0], v["Jc"].shape[0]
    at = np.cumsum([0, nq, nu, nu, nz, k])
    q, u, a, z, lam = (slice(at[i], at[i + 1]) for i in range(5))
    n = int(at[-1])

    def rows(count: int, **blocks: Array) -> Array:
        out = np.zeros((count, n))
        for name, block in blocks.items():
            out[:, {"q": q, "u": u, "a": a, "z": z, "lam": lam}[name]] = block
        return out

    some_q, some_u = list(qi), list(ui)
    dependent = _independent_rows(v["phi_q"], nq - len(some_q))
    E = [
        rows(len(some_q), q=np.eye(nq)[some_q]), rows(len(dependent)), rows(len(some_u), u=np.eye(nu)[some_u]), rows(k),
        rows(nu, z=-v["force_dz"]), rows(k), rows(nz, z=-v["more_dz"]),
    ]  # fmt: skip
    A = [
        rows(len(some_q), q=v["rates_q"][some_q], u=v["rates_u"][some_q], z=v["rates_z"][some_q]),
        rows(len(dependent), q=v["phi_q"][dependent]), rows(len(some_u), a=np.eye(nu)[some_u]), rows(k, q=v["speed_q"], u=v["Jc"]),
        rows(nu, q=v["force_q"], u=v["force_u"], a=v["M"], z=v["force_z"], lam=-v["H"].T),
        rows(k, q=v["turn_q"], u=v["turn_u"], a=v["Jc"]),
        rows(nz, q=v["more_q"], u=v["more_u"], a=v["more_du"], z=v["more_z"]),
    ]  # fmt: skip
    return np.vstack(E), np.vstack(A)


def _independent_rows(J: Array, count: int) -> list[int]:
    """As many rows as there are dependent coordinates; with norms and invariants there may be more rows than that."""
    chosen: list[int] = []
    for i in range(len(J)):
        if np.linalg.matrix_rank(J[[*chosen, i]], tol=1e-9 * max(np.abs(J).max(), 1e-300)) > len(chosen):
            chosen.append(i)
    assert len(chosen) == count, "the partition was made from the rank of these rows"
    return chosen


def tangent_pencil(lin: LinearSystem, values: Mapping[str, float]) -> tuple[Array, Array]:
    """E and A for q = Q y and u = P v + ... on orthonormal bases of the null spaces, which must not turn along the motion."""
    v = lin.numbers.variation_numbers(values)
    Q, P, B = (_null_space(v[x]) for x in ("phi_q", "Jc", "H"))
    S, nz = v["speed_q"] @ Q, v["more_z"].shape[0]
    Uq: Array = np.zeros((len(v["M"]), Q.shape[1]))
    if len(v["Jc"]):
        Uq = np.asarray(np.linalg.lstsq(v["Jc"], -S, rcond=REDUNDANCY_TOLERANCE)[0], dtype=np.float64)
    rates_y, rates_v = Q.T @ (v["rates_q"] @ Q + v["rates_u"] @ Uq), Q.T @ v["rates_u"] @ P
    _refuse_turning(lin, v, Q, P, Uq)
    Wq, Wv = Uq @ rates_y, Uq @ rates_v
    z1, z2 = np.zeros((Q.shape[1], nz)), np.zeros((nz, Q.shape[1]))
    E = np.block([
        [np.eye(Q.shape[1]), np.zeros((Q.shape[1], P.shape[1])), z1],
        [np.zeros((P.shape[1], Q.shape[1])), B.T @ v["M"] @ P, B.T @ v["force_dz"]],
        [z2, v["more_du"] @ P, v["more_dz"]],
    ])  # fmt: skip
    A = -np.block([
        [-rates_y, -rates_v, -Q.T @ v["rates_z"]],
        [B.T @ (v["M"] @ Wq + v["force_q"] @ Q + v["force_u"] @ Uq), B.T @ (v["M"] @ Wv + v["force_u"] @ P), B.T @ v["force_z"]],
        [v["more_q"] @ Q + v["more_u"] @ Uq + v["more_du"] @ Wq, v["more_u"] @ P + v["more_du"] @ Wv, v["more_z"]],
    ])  # fmt: skip
    return E, A


def _null_space(J: Array) -> Array:
    """Q2 of Jᵀ = Q R (Lynch eq. 6.10 to 6.14)."""
    if not len(J):
        return np.eye(J.shape[1])
    scaled = J / np.maximum(np.abs(J).max(axis=1, keepdims=True), 1e-300)
    Q, _, _ = qr(scaled.T, pivoting=True)
    return Q[:, int(np.linalg.matrix_rank(scaled, tol=1e-9)) :]


def _refuse_turning(lin: LinearSystem, v: Mapping[str, Array], Q: Array, P: Array, Uq: Array) -> None:
    """The row Jc u' + turn = 0 must be the rate of Jc u + speed_q q = 0 with constant coefficients."""
    if not len(v["Jc"]):
        return
    frozen = v["speed_q"] @ np.column_stack([v["rates_q"] @ Q + v["rates_u"] @ Uq, v["rates_u"] @ P])
    turn = np.column_stack([v["turn_q"] @ Q + v["turn_u"] @ Uq, v["turn_u"] @ P])
    scale = max(np.abs(turn).max(), np.abs(frozen).max(), 1.0)
    if np.abs(frozen - turn).max() > 1e-7 * scale:
        raise StabilityError(
            f"linear system {lin.name!r}: its constraints turn along the motion, so that no fixed basis of their tangent serves; use "
            'method="coordinates" or method="qz"'
        )

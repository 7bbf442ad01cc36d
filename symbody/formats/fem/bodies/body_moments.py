"""Moments of the fields of a body from its mass matrix.

With A_ak the field e_a × s_k and Φ_k the field s_k, as displacements of nodes,

    J_ab,kl = A_akᵀ M A_bl = ∫ (e_a × s_k)·(e_b × s_l) dm = tr(G_kl) δ_ab - (G_lk)_ab
    C_a,kl  = A_akᵀ M Φ_l  = ∫ e_a·(s_k × s_l) dm,      M_kl = Φ_kᵀ M Φ_l = tr G_kl

give G_kl: its trace from M, its antisymmetric part from C, the rest from J. All three agree where elements interpolate
displacements only (M = M_s ⊗ 1); with rotations of nodes their inertia is in M, C and J at rest, to first order in the
deformation.
"""

from __future__ import annotations

import numpy as np

from .finite_body import Array, FiniteElements


def moments(body: FiniteElements, origin: Array, shapes: Array) -> tuple[float, Array, Array]:
    """m, g_k and G_kl of the place at rest (from this origin) and of shapes, columns of displacements of all rows."""
    n = shapes.shape[1]
    places = body.nodes - origin
    turned = np.stack(
        [_turned_rest(body, places), *(_rotated_displacements(body, shapes[:, k]) for k in range(n))]
    )  # (n + 1, 3, rows)
    shift = np.stack([(body.direction == a).astype(float) for a in range(3)])
    Mt = np.asarray((body.mass @ shift.T).T)
    m = float(np.mean([Mt[a] @ shift[a] for a in range(3)]))
    rest = np.where(body.direction < 3, places[body.node_of, body.direction % 3], 0.0)
    first = np.stack([Mt @ rest, *(Mt @ shapes).T])
    MA = np.asarray((body.mass @ turned.reshape(-1, body.size).T).T).reshape(turned.shape)
    MS = np.asarray(body.mass @ shapes)
    J = np.einsum("kar,lbr->klab", turned, MA, optimize=True)
    C = np.einsum("kar,rl->kla", turned, MS, optimize=True)  # l from mode 1
    G = np.zeros((n + 1, n + 1, 3, 3))
    for k in range(n + 1):
        for l in range(k, n + 1):
            G[k, l] = _tensor(
                J[k, l], None if l == 0 else C[k, l - 1], None if k == 0 else float(shapes[:, k - 1] @ MS[:, l - 1])
            )
            G[l, k] = G[k, l].T
    return m, first, G


def _tensor(J: Array, C: Array | None, trace: float | None) -> Array:
    """G of its three parts."""
    S = (J + J.T) / 2
    total = float(np.trace(S)) / 2
    G = total * np.eye(3) - S
    if trace is not None:
        G = G + (trace - total) / 3 * np.eye(3)
    if C is not None:  # C_a = ε_abc G_bc
        half = C / 2
        G = G + np.array([[0.0, half[2], -half[1]], [-half[2], 0.0, half[0]], [half[1], -half[0], 0.0]])
    return G


def _turned_rest(body: FiniteElements, places: Array) -> Array:
    """e_a × x with the rotation e_a itself, for a = x, y, z."""
    x = places[body.node_of]
    out = np.zeros((3, body.size))
    for a in range(3):
        e = np.eye(3)[a]
        moved = np.cross(e, x)
        out[a] = np.where(
            body.direction < 3, moved[np.arange(body.size), body.direction % 3], (body.direction == 3 + a).astype(float)
        )
    return out


def _rotated_displacements(body: FiniteElements, shape: Array) -> Array:
    """e_a × u of displacements."""
    u = nodal(body, shape)[body.node_of]
    out = np.zeros((3, body.size))
    for a in range(3):
        moved = np.cross(np.eye(3)[a], u)
        out[a] = np.where(body.direction < 3, moved[np.arange(body.size), body.direction % 3], 0.0)
    return out


def nodal(body: FiniteElements, shape: Array, first: int = 0) -> Array:
    """Displacements (first = 0) or rotations (first = 3) of nodes, (nodes, 3)."""
    out = np.zeros((len(body.nodes), 3))
    rows = (body.direction >= first) & (body.direction < first + 3)
    out[body.node_of[rows], body.direction[rows] - first] = shape[rows]
    return out

"""Derivatives in the tangent space of rotations: small rotations φ about the axes of the body in place of Euler parameters e.

de = ½ Ξ(e) dφ,    dφ = 2 Ξ(e)ᵀ de,    Ξᵀ Ξ = 1,  Ξᵀ e = 0
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...emit.run.callable import Array

Rotations = Sequence[Sequence[int]]  # places of four Euler parameters each


def tangent_rows(J: Array, states: Array, rotations: Rotations) -> Array:
    """Rows of derivatives of a state, with three of φ for four of e."""
    kept = _kept_rows(states.shape[-1], rotations)
    out = J[..., kept, :].copy()
    for e in rotations:
        out[..., [kept.index(k) for k in e[:3]], :] = 2 * np.swapaxes(_xi(states[..., e]), -1, -2) @ J[..., e, :]
    return out


def tangent_columns(J: Array, states: Array, rotations: Rotations) -> Array:
    """Columns of derivatives with respect to a state, with three of φ for four of e."""
    kept = _kept_rows(states.shape[-1], rotations)
    out = J[..., kept].copy()
    for e in rotations:
        out[..., [kept.index(k) for k in e[:3]]] = J[..., e] @ _xi(states[..., e]) / 2
    return out


def _kept_rows(n: int, rotations: Rotations) -> list[int]:
    """Without the last Euler parameter of each rotation."""
    last = {e[3] for e in rotations}
    return [i for i in range(n) if i not in last]


def _xi(e: Array) -> Array:
    e0, e1, e2, e3 = np.moveaxis(e, -1, 0)
    rows = ((-e1, -e2, -e3), (e0, -e3, e2), (e3, e0, -e1), (-e2, e1, e0))
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)

"""Rotations as arrays of numbers: matrices, Euler parameters (scalar first), rotation vectors."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
TURNED: Final = 1e-9  # 2 sin(angle) above which the axis is read off R - Rᵀ


def rotation_matrix(e: ArrayLike) -> Array:
    """R = (2 e0² - 1) 1 + 2 (v vᵀ + e0 ṽ), e = (e0, v), of one row of Euler parameters or of many: (..., 4) -> (..., 3, 3)."""
    e = np.asarray(e, dtype=np.float64)
    e0, v = e[..., :1, None], e[..., 1:]
    return (2 * e0**2 - 1) * np.eye(3) + 2 * (v[..., :, None] * v[..., None, :] + e0 * _skew(v))


def rotation_about(axis: ArrayLike, angle: float) -> Array:
    """exp(angle ã): the rotation about an axis a, whose length multiplies the angle (Rodrigues)."""
    a = np.asarray(axis, dtype=np.float64)
    size = float(np.linalg.norm(a))
    if size * abs(angle) == 0:
        return np.eye(3)
    K = _skew(a / size)
    return np.asarray(np.eye(3) + np.sin(size * angle) * K + (1 - np.cos(size * angle)) * (K @ K))


def euler_parameters(R: ArrayLike) -> Array:
    """Euler parameters of rotation matrices: (..., 3, 3) -> (..., 4); the largest is positive.

    Of the four expressions for them, each divided by its largest part, the one with the largest divisor is taken
    (Shepperd 1978).
    """
    given = np.asarray(R, dtype=np.float64)
    m = given.reshape(-1, 3, 3)
    xx, yy, zz = m[:, 0, 0], m[:, 1, 1], m[:, 2, 2]
    a, b, c = m[:, 2, 1], m[:, 0, 2], m[:, 1, 0]
    d, e, f = m[:, 1, 2], m[:, 2, 0], m[:, 0, 1]
    ways = np.stack([
        np.stack([1 + xx + yy + zz, a - d, b - e, c - f], axis=1),
        np.stack([a - d, 1 + xx - yy - zz, c + f, b + e], axis=1),
        np.stack([b - e, c + f, 1 - xx + yy - zz, a + d], axis=1),
        np.stack([c - f, b + e, a + d, 1 - xx - yy + zz], axis=1),
    ], axis=1)  # fmt: skip
    best = np.argmax(np.diagonal(ways, axis1=1, axis2=2), axis=1)
    chosen = ways[np.arange(len(m)), best]
    return (chosen / np.linalg.norm(chosen, axis=1, keepdims=True)).reshape(*given.shape[:-2], 4)


def rotation_vector(R: ArrayLike) -> Array:
    """Axis times angle of a rotation matrix, the angle from 0 to π."""
    R = np.asarray(R, dtype=np.float64)
    twice = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    size = float(np.linalg.norm(twice))
    angle = float(np.arctan2(size, np.trace(R) - 1))
    if size > TURNED:
        return twice * (angle / size)
    if angle < 1:
        return twice / 2
    v = euler_parameters(R)[1:]  # half a turn
    return v * (angle / np.linalg.norm(v))


def product_of_rotations(a: ArrayLike, b: ArrayLike) -> Array:
    """First b, then a, as Euler parameters in the last axis."""
    a0, a1, a2, a3 = np.moveaxis(np.asarray(a, dtype=np.float64), -1, 0)
    b0, b1, b2, b3 = np.moveaxis(np.asarray(b, dtype=np.float64), -1, 0)
    return np.stack([
        a0 * b0 - a1 * b1 - a2 * b2 - a3 * b3, a0 * b1 + a1 * b0 + a2 * b3 - a3 * b2,
        a0 * b2 - a1 * b3 + a2 * b0 + a3 * b1, a0 * b3 + a1 * b2 - a2 * b1 + a3 * b0,
    ], axis=-1)  # fmt: skip


def _skew(v: Array) -> Array:
    """ṽ, so that ṽ x = v × x: (..., 3) -> (..., 3, 3)."""
    out = np.zeros((*v.shape[:-1], 3, 3))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        out[..., k, j], out[..., j, k] = v[..., i], -v[..., i]
    return out

"""Poses: a rotation and an offset together, as MBSymba's 4 by 4 frames; X_AC = X_AB @ X_BC."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, overload

from ...algebra.graph.graph import ONE, ZERO
from ...algebra.graph.matrix import Matrix, as_matrix
from ...errors import ExpressionError, ModelError, shown
from .rotations import Rotation, from_cosines


@dataclass(frozen=True)
class Pose:
    """The pose X_PF of a frame F in a frame P.

        X = [R r; 0 1],   X @ p_F = R p_F + r = p_P,   X⁻¹ = [Rᵀ -Rᵀ r; 0 1]

    `frame.pose_in(other)` returns a pose; `other.place(X)` creates a frame from one.

    rotation   R, and `offset` r in axes of P

    >>> m = sb.Model("m")
    >>> theta = m.coordinate("theta")
    >>> A = m.ground.translate(1, 0, 0).rotate("z", theta)
    >>> X = A.pose_in(m.ground)
    >>> X @ sb.vector(2, 0, 0)
    vector(2*cos(theta) + 1, 2*sin(theta), 0)

    See also: `Frame`, `Frame.pose_in`.
    """

    rotation: Rotation
    offset: Matrix

    @cached_property
    def matrix(self) -> Matrix:
        """The 4 by 4 matrix.

        >>> A = sb.Model("m").ground.translate(1, 2, 3)
        >>> X = A.pose_in(A.root)
        >>> X.matrix
        matrix([[1, 0, 0, 1], [0, 1, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1]])
        >>> (X @ X.inverse).offset
        vector(0, 0, 0)

        See also: `Frame.pose_in`.
        """
        R, r = self.rotation.matrix, self.offset
        rows = [[*R.row(i), r[i]] for i in range(3)]
        return Matrix(4, 4, tuple(e for row in [*rows, [ZERO, ZERO, ZERO, ONE]] for e in row))

    @cached_property
    def inverse(self) -> Pose:
        """X_FP."""
        return Pose(self.rotation.inverse, -self.rotation.inwards(self.offset))

    @overload
    def __matmul__(self, other: Pose) -> Pose: ...
    @overload
    def __matmul__(self, other: Matrix) -> Matrix: ...
    def __matmul__(self, other: Pose | Matrix) -> Pose | Matrix:
        """One pose after the other; or the coordinates in P of a point with coordinates in F."""
        if isinstance(other, Pose):
            return Pose(self.rotation @ other.rotation, self @ other.offset)
        column = as_matrix(other)
        if column.shape != (3, 1):
            raise ModelError(f"pose @ ...: expected a pose or three coordinates, got {shown(other)}")
        return self.rotation.outwards(column) + self.offset


def as_pose(given: Any, what: str) -> Pose:
    """A pose, or a 4 by 4 matrix that is one."""
    if isinstance(given, Pose):
        return given
    try:
        m = as_matrix(given)
    except ExpressionError:
        m = Matrix(0, 0, ())
    if m.shape != (4, 4) or m.row(3) != (ZERO, ZERO, ZERO, ONE):
        raise ModelError(f"{what}: a place is a pose or a 4 by 4 matrix [R r; 0 1], got {shown(given)}")
    return Pose(from_cosines(m[:3, :3], what), m[:3, 3])

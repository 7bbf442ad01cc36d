"""Poses of frames in components of the ground: positions and rotation matrices, and their derivatives with respect to
the coordinates.

No velocities are used: routes that start from poses share no computation of motion with those that start from
`Kinematics.velocities`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ...algebra.calculus.derivatives import jacobian
from ...algebra.graph.matrix import Matrix, cross, identity, stack, sum_of_products, zeros
from ...bodies.frames.frames import Frame
from ...bodies.mechanism.mechanism import Action, Load, Mechanism
from .kinematics import Kinematics, Wrench


class Placement(NamedTuple):
    """R_WF and p_WoFo_W."""

    R: Matrix
    r: Matrix


def placements(mechanism: Mechanism) -> dict[Frame, Placement]:
    """Every frame of a mechanism in the ground: R = R_P R_PF, r = r_P + R_P p."""
    out = {mechanism.ground: Placement(identity(3), zeros(3))}
    for f in mechanism.frames:
        assert f.parent is not None
        R, r = out[f.parent]
        out[f] = Placement(R if f.rotation.is_identity else R @ f.rotation.matrix, r + R @ f.offset)
    return out


def axial(dR: Matrix, R: Matrix) -> Matrix:
    """The vector w of dR Rᵀ = w̃."""
    pairs = ((2, 1), (0, 2), (1, 0))
    return Matrix(3, 1, tuple(sum_of_products(dR.row(i), R.row(j)) for i, j in pairs))


class Displacement(NamedTuple):
    """Derivatives of a frame's pose with respect to each coordinate: columns ∂r/∂q, and w of ∂R/∂q Rᵀ = w̃. Shape
    (3, n_q)."""

    slide: Matrix
    turn: Matrix


def displacements(mechanism: Mechanism, places: Sequence[Placement]) -> list[Displacement]:
    """∂r/∂q and axial(∂R/∂q Rᵀ) for some places, from one sweep over all."""
    n = len(mechanism.q)
    if not places or not n:
        return [Displacement(Matrix(3, n, ()), Matrix(3, n, ())) for _ in places]
    J = jacobian([e for R, r in places for e in (*r.entries, *R.entries)], mechanism.q, mode="forward")
    out = []
    for k, place in enumerate(places):
        slide, turned = J[12 * k : 12 * k + 3, :], J[12 * k + 3 : 12 * k + 12, :]
        columns = [axial(Matrix(3, 3, turned.column(j)), place.R) for j in range(n)]
        out.append(Displacement(slide, _side_by_side(columns)))
    return out


def _side_by_side(columns: list[Matrix]) -> Matrix:
    return stack(*(c.T for c in columns)).T


def ground_wrenches(
    loads: Iterable[Load], kinematics: Kinematics, places: dict[Frame, Placement]
) -> dict[Frame, Wrench]:
    """Sum of the actions of loads on each frame: force, and moment about its origin, in components of the ground."""
    out: dict[Frame, Wrench] = {}
    for a in (a for load in loads for a in load.actions if not a.frame.is_ground):
        w = _in_ground(a, kinematics, places)
        out[a.frame] = out[a.frame] + w if a.frame in out else w
    return out


def _in_ground(action: Action, kinematics: Kinematics, places: dict[Frame, Placement]) -> Wrench:
    ground, force, moment = kinematics.mechanism.ground, zeros(3), zeros(3)
    if action.torque is not None:
        moment = action.torque.components(ground)
    if action.force is not None and action.at is not None:
        force = action.force.components(ground)
        arm = action.at.position().components(ground) - places[action.frame].r
        moment = moment + cross(arm, force)
    force, moment = kinematics.in_speeds([force, moment])
    return Wrench(force, moment)

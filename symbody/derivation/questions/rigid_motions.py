"""Motions of a whole mechanism as one rigid body, among which equations can have symmetries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ...algebra.calculus.derivatives import jacobian
from ...algebra.graph.graph import ZERO, Expr, Symbol, symbol
from ...algebra.graph.matrix import Matrix, cross, vector
from ...bodies.mechanism.mechanism import Body
from ..equations.equations import Equations
from ..equations.own_terms import in_own_terms
from ..kinematics.deforming_motion import DeformingMotion
from ..kinematics.kinematics import Kinematics

TWIST: Final[tuple[Symbol, ...]] = tuple(
    symbol(f"rigid_{k}", "parameter") for k in ("wx", "wy", "wz", "vx", "vy", "vz")
)


@dataclass(frozen=True)
class RigidMotions:
    """V u = T c where the mechanism moves as one rigid body.

    V   velocities of all bodies, linear in the speeds (at fixed time)
    T   the same in terms of c: angular velocity of the whole, and velocity of the point at the origin, in components of
        the ground

    Of a body without moments of inertia only the mass centre counts: rotating it is not a motion. A deforming body
    keeps its shape where the whole is rigid.
    """

    V: Matrix
    T: Matrix


def rigid_motions(eq: Equations) -> RigidMotions:
    """Both matrices as expressions in the coordinates: ω = Rᵀ ω_P, v = Rᵀ (v_P + ω_P × p) from frame to frame of a
    rigid whole."""
    mechanism = eq.whole.mechanism
    k = Kinematics(mechanism)
    own = k.velocities
    rigid = {mechanism.ground: (vector(*TWIST[:3]), vector(*TWIST[3:]))}
    for f in mechanism.frames:
        assert f.parent is not None
        w, v = rigid[f.parent]
        rigid[f] = f.rotation.inwards(w), f.rotation.inwards(v + cross(w, f.offset))
    moving, whole = ([e for b in mechanism.bodies for e in _velocities(b, *of[b.frame])] for of in (own, rigid))
    deforming = [e for b in mechanism.elastic_bodies for e in DeformingMotion(b, k).rates.entries]
    moving, whole = [*moving, *deforming], [*whole, *(ZERO for _ in deforming)]
    return RigidMotions(jacobian(in_own_terms(eq, moving), eq.u), jacobian(whole, TWIST))


def _velocities(body: Body, w: Matrix, v: Matrix) -> list[Expr]:
    if body.moments is not None:
        return [*v.entries, *w.entries]
    centre = v + cross(w, body.mass.p_BoBcm)
    turns = any(e is not ZERO for e in body.mass.I_BBcm.entries)
    return [*centre.entries, *(w.entries if turns else ())]

"""Power balances for `certify`: kinetic energy against power, reactions and constraint forces against virtual power."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...algebra.calculus.derivatives import jacobian
from ...algebra.graph.graph import ZERO, Expr
from ...algebra.graph.matrix import Matrix, cross, sum_of_products
from ...algebra.graph.walk import free_symbols, substitute_all
from ...bodies.mechanism.mechanism import Action, Joint
from ...errors import DerivationError
from ..equations.energies import constraint_power, kinetic_energy, load_powers
from ..equations.equations import Equations
from ..kinematics.kinematics import Kinematics, wrench_of
from .reactions import Reaction, chain_of, reaction


def power_terms(eq: Equations, kinematics: Kinematics) -> list[tuple[str, Expr]]:
    """T', then the powers that it is the sum of, in terms of u' and multipliers."""
    driven = constraint_power(eq)
    terms = [("T'", kinematics.rate(kinetic_energy(eq))), *load_powers(eq).items()]
    return terms if driven is ZERO else [*terms, ("prescribed motion", driven)]


def powers_of_reactions(eq: Equations, kinematics: Kinematics) -> list[tuple[str, list[Expr]]]:
    """For each joint of the tree with its own coordinates: the terms of the power of its reaction on the motions it
    allows."""
    out = []
    for name, found in _reactions(eq).items():
        w, v = _relative_motion(eq.mechanism.joint(name), kinematics)
        w_given, v_given = substitute_all([w, v], dict.fromkeys(kinematics.u, ZERO))
        forces, motion = (*found.moment.entries, *found.force.entries), (*(w - w_given).entries, *(v - v_given).entries)
        out.append((name, [a * b for a, b in zip(forces, motion, strict=True)]))
    return out


def _reactions(eq: Equations) -> dict[str, Reaction]:
    out = {}
    for joint in eq.mechanism.joints:
        if joint.closes_loop or not joint.coordinates or not _has_own_coordinates(eq, joint):
            continue
        try:
            out[joint.name] = reaction(eq, joint.name)
        except DerivationError:  # forces without a body: the part transmitted here is undetermined
            continue
    return out


def _has_own_coordinates(eq: Equations, joint: Joint) -> bool:
    chain = chain_of(joint)
    others = [f for f in eq.mechanism.frames if f not in chain]
    return not set(joint.coordinates).intersection(s for f in others for s in free_symbols(f.offset, f.rotation.matrix))


def _relative_motion(joint: Joint, kinematics: Kinematics) -> tuple[Matrix, Matrix]:
    """Angular velocity and velocity of the inner frame seen from the outer one, in its components."""
    outwards = joint.inner.rotation_in(joint.outer).outwards
    w, v = (outwards(x) for x in kinematics.velocities[joint.inner])
    w_outer, v_outer = kinematics.velocities[joint.outer]
    arm = (joint.inner.origin - joint.outer.origin).components(joint.outer)
    return w - w_outer, v - v_outer - cross(w_outer, arm)


class ActionRow(NamedTuple):
    """Generalised forces for a unit multiplier of a constraint that names its forces and torques; `row` is the row
    of Jc."""

    row: int
    constraint: str
    forces: tuple[Expr, ...]


def rows_of_actions(eq: Equations, kinematics: Kinematics) -> list[ActionRow]:
    constraints = (*eq.mechanism.holonomic, *eq.mechanism.nonholonomic)
    return [
        ActionRow(k, c.name, _generalized_forces(c.actions, kinematics)) for k, c in enumerate(constraints) if c.actions
    ]


def _generalized_forces(actions: Sequence[Action], kinematics: Kinematics) -> tuple[Expr, ...]:
    out = [ZERO] * len(kinematics.u)
    for a in actions:
        if a.frame.is_ground:
            continue
        wrench, (w, v) = wrench_of(a, kinematics), kinematics.velocities[a.frame]
        J = jacobian([*v.entries, *w.entries], kinematics.u)
        force = (*wrench.force.entries, *wrench.moment.entries)
        out = [Q + sum_of_products(J.column(j), force) for j, Q in enumerate(out)]
    return tuple(out)

"""Joint reaction analysis: what joints transmit along a motion, from the balance of all that is beyond them.

For the bodies k beyond a joint, about the origin of the ground, with external forces and muscle forces on them:

    F = Σ mₖ (aₖ - g) - Σ Fₑ - Σ Fₘ,     M = Σ (Hₖ' + rₖ × mₖ (aₖ - g)) - Σ Mₑ - Σ Mₘ

and then about the joint.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import symbody as sb

from ....errors import ModelError, shown, unknown
from .coordinate_motion import CoordinateMotion
from .external_forces import ExternalForce, wrenches
from .static_optimisation import MuscleForces

if TYPE_CHECKING:
    from .subject_functions import SubjectFunctions

Array = NDArray[np.float64]
COLUMNS = ("fx", "fy", "fz", "mx", "my", "mz")


def joint_loads(
    subject: SubjectFunctions,
    motion: CoordinateMotion,
    joints: Sequence[str] | str | None,
    loads: Sequence[ExternalForce],
    forces: sb.formats.MotionTable | MuscleForces | None,
) -> sb.formats.MotionTable:
    """`Subject.joint_loads`."""
    m = subject.model
    chosen = list(m.joints_of_file) if joints is None else joints.split() if isinstance(joints, str) else list(joints)
    for j in chosen:
        if j not in m.joints_of_file:
            raise unknown("joint_loads", "joint", j, m.joints_of_file)
    if not isinstance(motion, CoordinateMotion) or motion.names != subject.names:
        raise ModelError(f"joint_loads: expected a motion of this Subject, got {shown(motion)}")
    total = _body_wrenches(subject, motion)
    for body, force, moment in wrenches(loads, motion.t):
        subject.frame(body, f"ExternalForce on {body!r}")
        total[body] = total[body] - np.concatenate([force, moment], axis=1)
    if forces is not None:
        _subtract_muscles(subject, motion, forces.forces if isinstance(forces, MuscleForces) else forces, total)
    places = np.asarray(subject.function(("joint places", tuple(chosen)), ["q"], lambda: {"p": _places(subject, chosen)}).batch(motion.q))  # fmt: skip
    out = []
    for k, joint in enumerate(chosen):
        body, _ = m.joints_of_file[joint]
        summed = sum(
            (w for b, w in total.items() if _is_beyond(m.links[b], m.links[body])), np.zeros((len(motion.t), 6))
        )
        force, about = summed[:, :3], places.reshape(len(motion.t), -1)[:, 3 * k : 3 * k + 3]
        out.append(np.concatenate([force, summed[:, 3:] - np.cross(about, force)], axis=1))
    names = [f"{j}_{c}" for j in chosen for c in COLUMNS]
    return sb.formats.MotionTable("joint loads", motion.t, names, np.hstack(out))


def _is_beyond(frame: sb.Frame, of: sb.Frame) -> bool:
    return of in frame.path


def _places(subject: SubjectFunctions, joints: Sequence[str]) -> sb.Matrix:
    known = subject.model.joints_of_file
    return sb.vector(*(x for j in joints for x in known[j][1].origin.in_ground.entries))


def _body_wrenches(subject: SubjectFunctions, motion: CoordinateMotion) -> dict[str, Array]:
    """For each body the force and moment that its motion against gravity needs."""
    links = subject.model.links

    def outputs() -> dict[str, Any]:
        rows: list[Any] = []
        for name in links:
            rows += [*_wrench(subject, name)]
        return {"w": sb.vector(*rows)}

    made = subject.function("body wrenches", ["q", "u", "a"], outputs)
    values = np.asarray(made.batch(motion.q, motion.u, motion.a)).reshape(len(motion.t), len(links), 6)
    return {name: values[:, k] for k, name in enumerate(links)}


def _wrench(subject: SubjectFunctions, name: str) -> list[Any]:
    mechanism, bodies = subject.equations.mechanism, subject.model.bodies
    if name not in bodies:  # a body without mass
        return [0] * 6
    body, ground = bodies[name], mechanism.ground
    g = sb.vector(0, 0, 0) if mechanism.gravity is None else mechanism.gravity.components(ground)
    place = sb.vector(*body.mass_centre.in_ground.entries)
    force = body.mass.m * (sb.time_derivative(sb.time_derivative(place)) - g)
    R = ground.dcm(body.frame)
    spin = body.frame.angular_velocity(ground).components(body.frame)
    I = body.mass.I_BBcm
    moment = R @ (I @ sb.time_derivative(spin) + sb.cross(spin, I @ spin)) + sb.cross(place, force)
    return [*force.entries, *moment.entries]


def _subtract_muscles(
    subject: SubjectFunctions, motion: CoordinateMotion, forces: sb.formats.MotionTable, total: dict[str, Array]
) -> None:
    m = subject.model
    now = forces.at(motion.t)
    for name in now.names:
        if name not in m.paths:
            raise unknown(f"joint_loads: table {forces.name!r}", "muscle", name, m.paths)
    acting = [
        (name, body, a.force, a.at)
        for name in now.names
        for a in m.paths[name].load(name, "tension", sb.algebra.as_expr(1)).actions
        if (body := _body_of(subject, a.frame)) is not None and a.force is not None and a.at is not None
    ]

    def outputs() -> dict[str, Any]:
        rows: list[Any] = []
        for _, _, force, point in acting:
            pull, at = sb.vector(*force.in_ground.entries), sb.vector(*point.in_ground.entries)
            rows += [*pull.entries, *sb.cross(at, pull).entries]
        return {"w": sb.vector(*rows)}

    units = np.asarray(subject.function(("pulls", tuple(now.names)), ["q"], outputs).batch(motion.q))
    units = units.reshape(len(motion.t), len(acting), 6)
    for k, (name, body, _, _) in enumerate(acting):
        total[body] = total[body] - now[name][:, None] * units[:, k]


def _body_of(subject: SubjectFunctions, frame: sb.Frame) -> str | None:
    """The body on which a frame is; None: the ground."""
    found = {f: n for n, f in subject.model.links.items()}
    return next((found[f] for f in reversed(frame.path) if f in found), None)

"""Measured forces on bodies: force plates, and what they do at coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicHermiteSpline

import symbody as sb

from ....argument_kinds import answered_class
from ....errors import ModelError, shown
from ...robots import link_jacobian

if TYPE_CHECKING:
    from .coordinate_motion import CoordinateMotion
    from .subject_functions import SubjectFunctions

Array = NDArray[np.float64]


@answered_class
@dataclass(frozen=True, eq=False)
class ExternalForce:
    """A measured force on a body, at a point and with a moment, along the axes of the ground.

    body     on which it acts
    table    of `formats.read_motion`
    force    columns of the force: "ground_force_v" for ground_force_vx, ground_force_vy, ground_force_vz [N]
    point    columns of the point at which it acts, in the ground [m]
    torque   columns of a moment at that point, or None [N m]

    >>> table = sb.formats.MotionTable("plate", [0.0], ["vx", "vy", "vz", "px", "py", "pz"], [[0, 700.0, 0, 0.1, 0, 0]])
    >>> load = sb.kits.biomechanics.ExternalForce("calcn_r", table, force="v", point="p")
    >>> [x.tolist() for x in load.at([0.0])]
    [[[0.0, 700.0, 0.0]], [[0.1, 0.0, 0.0]], [[0.0, 0.0, 0.0]]]

    See also: `kits.biomechanics.Subject`.
    """

    body: str
    table: sb.formats.MotionTable
    force: str
    point: str
    torque: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.table, sb.formats.MotionTable):
            raise ModelError(f"ExternalForce on {self.body!r}: expected a MotionTable, got {shown(self.table)}")
        for name in (self.force, self.point, *([self.torque] if self.torque else [])):
            values = self.table.vector(name)
            if not np.all(np.isfinite(values)):
                row = int(np.argmin(np.isfinite(values).all(axis=1)))
                raise ModelError(
                    f"ExternalForce on {self.body!r}: columns {name!r} of {self.table.name!r} have no number at "
                    f"{self.table.times[row]:zg} s (row {row + 1})"
                )

    def at(self, times: Array) -> tuple[Array, Array, Array]:
        """Force, point and moment at some times, between rows by straight lines."""
        now = self.table.at(times)
        turning = now.vector(self.torque) if self.torque else np.zeros((len(now.times), 3))
        return now.vector(self.force), now.vector(self.point), turning


def wrenches(loads: Sequence[ExternalForce], times: Array) -> list[tuple[str, Array, Array]]:
    """For each load the body, the force, and the moment about the origin of the ground."""
    found = []
    for load in loads:
        if not isinstance(load, ExternalForce):
            raise ModelError(f"loads: expected a list of ExternalForce, got {shown(load)}")
        force, point, torque = load.at(times)
        found.append((load.body, force, torque + np.cross(point, force)))
    return found


def generalized_loads(subject: SubjectFunctions, motion: CoordinateMotion, loads: Sequence[ExternalForce]) -> Array:
    """Σ Jᵀ (F, M): what external forces do at coordinates; M is about the origin of the body."""
    out = np.zeros_like(motion.q)
    for body, force, moment in wrenches(loads, motion.t):
        frame = subject.frame(body, f"ExternalForce on {body!r}")
        made = subject.function(("link", body), ["q"], partial(link_outputs, subject, frame))
        jacobian, place = made.batch(motion.q)
        own = np.concatenate([force, moment - np.cross(place, force)], axis=1)
        out += np.einsum("tij,ti->tj", jacobian.reshape(len(motion.t), 6, -1), own)
    return out


def link_outputs(subject: SubjectFunctions, frame: sb.Frame) -> dict[str, sb.Matrix]:
    """The Jacobian of a frame, and its place in the ground."""
    place = frame.origin.in_ground
    return {"J": link_jacobian(subject.equations.mechanism, frame), "place": sb.vector(*place.entries)}


class CarriedForces:
    """External forces as forces and moments at the origins of their bodies, as they are in a measured motion: where a
    simulation deviates from the motion, they go with the bodies."""

    def __init__(self, subject: SubjectFunctions, motion: CoordinateMotion, loads: Sequence[ExternalForce]) -> None:
        self.rows: list[tuple[Any, Array, Array]] = []
        follow = CubicHermiteSpline(motion.t, motion.q, motion.u)
        for load in loads:
            if not isinstance(load, ExternalForce):
                raise ModelError(f"loads: expected a list of ExternalForce, got {shown(load)}")
            frame = subject.frame(load.body, f"ExternalForce on {load.body!r}")
            link = subject.function(("link", load.body), ["q"], partial(link_outputs, subject, frame))
            inside = load.table.times[(load.table.times > motion.t[0]) & (load.table.times < motion.t[-1])]
            times = np.concatenate([motion.t[:1], inside, motion.t[-1:]])
            force, point, torque = load.at(times)
            place = np.asarray(link.batch(follow(times))[1])
            self.rows.append((link, times, np.hstack([force, torque + np.cross(point - place, force)])))

    def at(self, t: float, q: Array) -> Array:
        """Σ Jᵀ (F, M) in a configuration."""
        out = np.zeros_like(q)
        for link, times, values in self.rows:
            k = min(max(int(np.searchsorted(times, t)), 1), len(times) - 1)
            share = (t - times[k - 1]) / (times[k] - times[k - 1])
            now = values[k - 1] + share * (values[k] - values[k - 1])
            out += np.asarray(link(q)[0]).reshape(6, -1).T @ now
        return out

"""Inverse dynamics of measured motions: generalised forces at every coordinate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

import symbody as sb

from ....errors import ModelError, listed, shown
from .coordinate_motion import CoordinateMotion
from .external_forces import ExternalForce, generalized_loads

if TYPE_CHECKING:
    from .subject_functions import SubjectFunctions

Array = NDArray[np.float64]


def inverse_dynamics(
    subject: SubjectFunctions, motion: CoordinateMotion, loads: Sequence[ExternalForce]
) -> sb.formats.MotionTable:
    """`Subject.inverse_dynamics`."""
    values = joint_moments(subject, motion, loads, "inverse_dynamics")
    return sb.formats.MotionTable("generalised forces", motion.t, subject.names, values)


def joint_moments(
    subject: SubjectFunctions, motion: CoordinateMotion, loads: Sequence[ExternalForce], where: str
) -> Array:
    """M u' - f - Σ Jᵀ F."""
    if not isinstance(motion, CoordinateMotion):
        raise ModelError(f"{where}: expected a motion of Subject.motion, got {shown(motion)}")
    if motion.names != subject.names:
        raise ModelError(
            f"{where}: the motion has coordinates {listed(motion.names)}, the model {listed(subject.names)}; make it with the "
            "same Subject"
        )
    forces = subject.function("joint forces", ["q", "u", "a"], lambda: {"tau": sb.joint_forces(subject.equations)})
    found = np.asarray(forces.batch(motion.q, motion.u, motion.a)).reshape(len(motion.t), -1)
    return found - generalized_loads(subject, motion, loads)

"""Biomechanics: muscles along paths, and measured motions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...later import offer

if TYPE_CHECKING:
    from .characteristic_curves import MuscleCurves, muscle_curves
    from .foot_contact import SphereContact, add_contacts
    from .hill_muscle import Muscle, activation_rate, muscle
    from .measured.coordinate_motion import CoordinateMotion
    from .measured.external_forces import ExternalForce
    from .measured.gait_analysis import GaitAnalysis
    from .measured.marker_kinematics import MarkerKinematics
    from .measured.muscle_control import MuscleControl
    from .measured.residual_reduction import ReducedResiduals
    from .measured.static_optimisation import MuscleForces
    from .measured.subject import Subject
    from .model_muscles import add_muscles

__all__ = [  # noqa: RUF022  (in order of flow)
    "muscle", "Muscle", "add_muscles", "activation_rate", "muscle_curves", "MuscleCurves", "add_contacts", "SphereContact",
    "Subject", "GaitAnalysis", "MarkerKinematics", "CoordinateMotion", "ExternalForce", "MuscleForces", "MuscleControl", "ReducedResiduals",
]  # fmt: skip

offer(__name__)

"""Kits: what people of a field write again and again, as thin layers on the language. They import what a user could
import, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..later import offer

if TYPE_CHECKING:
    from . import biomechanics, vehicles
    from .robots.configurations import Configurations, inverse_kinematics
    from .robots.control import computed_torque, gravity_compensation, task_control
    from .robots.excitation_motion import Excitation, excitation
    from .robots.identifiable_parameters import BaseParameters, base_parameters
    from .robots.inertia_fit import Identified, identify_robot, stacked
    from .robots.tasks import LinkTask, centre_of_mass_jacobian, centroidal_momentum_matrix, task
    from .robots.torque_regressor import Regressor, regressor
    from .robots.validation import Validation

__all__ = [  # noqa: RUF022  (in order of flow)
    "biomechanics", "vehicles",
    "task", "LinkTask", "centre_of_mass_jacobian", "centroidal_momentum_matrix", "inverse_kinematics", "Configurations",
    "gravity_compensation", "computed_torque", "task_control",
    "regressor", "Regressor", "base_parameters", "BaseParameters", "excitation", "Excitation", "identify_robot", "Identified",
    "stacked", "Validation",
]  # fmt: skip

offer(__name__)

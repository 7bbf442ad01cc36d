"""Robots: kinematics and control of links, inverse kinematics, regressors, base parameters, identification."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...later import offer

if TYPE_CHECKING:
    from .configurations import Configurations, inverse_kinematics
    from .control import computed_torque, gravity_compensation, task_control
    from .excitation_motion import Excitation, excitation
    from .identifiable_parameters import BaseParameters, base_parameters
    from .inertia_fit import Identified, identify_robot, stacked
    from .tasks import LinkTask, centre_of_mass_jacobian, centroidal_momentum_matrix, link_jacobian, task
    from .torque_regressor import Regressor, regressor
    from .validation import Validation

__all__ = [  # noqa: RUF022  (in order of flow)
    "task", "LinkTask", "link_jacobian", "centre_of_mass_jacobian", "centroidal_momentum_matrix", "inverse_kinematics", "Configurations",
    "gravity_compensation", "computed_torque", "task_control",
    "regressor", "Regressor", "base_parameters", "BaseParameters", "excitation", "Excitation", "identify_robot", "Identified",
    "stacked", "Validation",
]  # fmt: skip

offer(__name__)

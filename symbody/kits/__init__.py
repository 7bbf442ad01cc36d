"""Kits: recurring models and analyses of a field, as thin layers on the language. They import public names only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..later import offer

if TYPE_CHECKING:
    from . import biomechanics, machines, motions, robots, teaching, vehicles

__all__ = ["biomechanics", "machines", "motions", "robots", "teaching", "vehicles"]

_of_robots = (
    "task LinkTask centre_of_mass_jacobian centroidal_momentum_matrix inverse_kinematics Configurations gravity_compensation "
    "computed_torque task_control regressor Regressor base_parameters BaseParameters excitation Excitation identify_robot "
    "Identified stacked Validation"
)
offer(__name__, renamed={name: f"kits.robots.{name}" for name in _of_robots.split()})

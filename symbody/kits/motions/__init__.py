"""Best motions: optimal control of mechanisms by direct collocation, with phases, contacts and impacts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...later import offer

if TYPE_CHECKING:
    from .compiled_controller import CompiledController
    from .file_problem import read_problem
    from .funnels import Funnel
    from .motion_sensitivity import MotionSensitivity
    from .optima_family import OptimaFamily
    from .optimal_motion import OptimalMotion, SimulationCheck
    from .problem import Problem
    from .problem_parts import Phase
    from .realtime_solver import ControlStep, RealTimeSolver
    from .tracking_feedback import TrackingFeedback

__all__ = [  # noqa: RUF022  (in order of flow)
    "Problem", "Phase", "read_problem", "OptimalMotion", "SimulationCheck", "TrackingFeedback", "Funnel", "RealTimeSolver", "ControlStep", "CompiledController", "MotionSensitivity", "OptimaFamily",
]  # fmt: skip

offer(__name__)

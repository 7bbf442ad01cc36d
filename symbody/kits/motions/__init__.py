"""Best motions: optimal control of mechanisms by direct collocation, with phases, contacts and impacts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...later import offer

if TYPE_CHECKING:
    from .control.compiled_controller import CompiledController
    from .control.realtime_solver import ControlStep, RealTimeSolver
    from .entry.file_problem import read_problem
    from .entry.problem import Problem
    from .parts.problem_parts import Phase
    from .results.funnels import Funnel
    from .results.motion_sensitivity import MotionSensitivity
    from .results.optima_family import OptimaFamily
    from .results.optimal_motion import OptimalMotion, SimulationCheck
    from .results.tracking_feedback import TrackingFeedback

__all__ = [  # noqa: RUF022  (in order of flow)
    "Problem", "Phase", "read_problem", "OptimalMotion", "SimulationCheck", "TrackingFeedback", "Funnel", "RealTimeSolver", "ControlStep", "CompiledController", "MotionSensitivity", "OptimaFamily",
]  # fmt: skip

offer(__name__)

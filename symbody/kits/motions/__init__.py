"""Best motions: optimal control of mechanisms by direct collocation, with phases, contacts and impacts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...later import offer

if TYPE_CHECKING:
    from .optimal_motion import OptimalMotion, SimulationCheck
    from .problem import Problem
    from .problem_parts import Phase
    from .tracking_feedback import TrackingFeedback

__all__ = ["Problem", "Phase", "OptimalMotion", "SimulationCheck", "TrackingFeedback"]  # noqa: RUF022  (in order of flow)

offer(__name__)

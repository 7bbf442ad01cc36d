"""From equations and numbers to a trajectory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..later import offer

if TYPE_CHECKING:
    from .assembly import all_assemblies, assemble
    from .batch import Batch, BatchOutputs, simulate_batch
    from .cuda_batch import CudaMotion, CudaMotions, FixedMotions
    from .cuda_march import MarchedMotions
    from .cuda_motions import cuda_motions
    from .events import Event
    from .frictions import Friction
    from .impacts import Contact
    from .inputs import closed_loop
    from .interpolation import interpolation
    from .modes import Contacts, Modes, Switch
    from .outcome import Ending, Outcome, Statistics
    from .segment import Occurrence, Segment
    from .simulate import simulate
    from .state import State, Violation, violation
    from .stepper import StepDerivatives, StepImpulses, Stepper, stepper
    from .switching import simulate_modes
    from .trajectory import Trajectory
    from .violations import Violations

__all__ = [  # noqa: RUF022  (in order of flow)
    "assemble", "all_assemblies", "Batch", "BatchOutputs", "simulate_batch", "CudaMotion", "CudaMotions", "FixedMotions", "MarchedMotions", "cuda_motions", "closed_loop", "interpolation", "Event", "Contact", "Friction", "Contacts", "Modes", "Switch",
    "Ending", "Outcome", "Statistics", "simulate", "Stepper", "StepDerivatives", "StepImpulses", "stepper", "State", "Violation", "violation", "simulate_modes", "Occurrence",
    "Segment", "Trajectory", "Violations",
]  # fmt: skip

offer(__name__)

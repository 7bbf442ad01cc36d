"""Simulation: from equations and numbers to a trajectory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..later import offer

if TYPE_CHECKING:
    from ..simulation_options import SimulationOptions
    from .contact.frictions import Friction
    from .contact.impacts import Contact
    from .environments.environment import Environment, EnvironmentStep
    from .environments.make_environment import environment
    from .events.events import Event
    from .gpu.contact_motions import ContactMotions
    from .gpu.cuda_batch import CudaMotion, CudaMotions, FixedMotions
    from .gpu.cuda_march import MarchedMotions
    from .gpu.cuda_motions import cuda_motions
    from .inputs.inputs import closed_loop
    from .inputs.interpolation import interpolation
    from .inputs.sampled_law import SampledLaw
    from .kernels.tableaux import Tableau
    from .members.batch import Batch, BatchOutputs, simulate_batch
    from .modes.modes import Contacts, Modes, Switch
    from .modes.switching import simulate_modes
    from .result.extremes import Extremes
    from .result.outcome import Ending, Outcome, Statistics
    from .result.segment import Occurrence, Segment
    from .result.trajectory import Trajectory
    from .result.violations import Violations
    from .rollouts.cuda_environment import CudaEnvironment, CudaEnvironmentStep, cuda_environment
    from .rollouts.cuda_rollout import CudaRollout, RolloutGradients, RolloutStates, cuda_rollout
    from .run.simulate import simulate
    from .start.assemblies import Assemblies
    from .start.assembly import all_assemblies, assemble
    from .start.state import State, Violation, violation
    from .steppers.make_stepper import stepper
    from .steppers.step_results import StepDerivatives, StepImpulses
    from .steppers.stepper import Stepper

__all__ = [  # noqa: RUF022  (in order of flow)
    "assemble", "all_assemblies", "Assemblies", "Batch", "BatchOutputs", "simulate_batch", "CudaMotion", "CudaMotions", "FixedMotions", "MarchedMotions", "ContactMotions", "cuda_motions", "cuda_rollout", "CudaRollout", "RolloutStates", "RolloutGradients", "cuda_environment", "CudaEnvironment", "CudaEnvironmentStep", "closed_loop", "SampledLaw", "interpolation", "Event", "Contact", "Friction", "Contacts", "Modes", "Switch",
    "Ending", "Outcome", "Statistics", "Tableau", "simulate", "SimulationOptions", "Stepper", "StepDerivatives", "StepImpulses", "stepper", "environment", "Environment", "EnvironmentStep", "State", "Violation", "violation", "simulate_modes", "Occurrence",
    "Segment", "Extremes", "Trajectory", "Violations",
]  # fmt: skip

offer(__name__)

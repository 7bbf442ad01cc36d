"""Steppers on a card: those with contacts, whose steps are of one length and hold their inputs."""

from __future__ import annotations

from ...algebra.graph.graph import Expr
from ...errors import SimulationError
from ..gpu.contact_motions import step_memory
from ..gpu.device_form import DeviceFunctions
from ..steppers.contact_steps import ContactSteps
from ..time_stepping.moreau_programs import moreau_switching, softened_rows
from ..time_stepping.moreau_records import MoreauStep


def check_for_card(scheme: ContactSteps, where: str) -> None:
    if scheme.is_linear:
        raise SimulationError(f"{where}: takes a stepper with inputs='held'")
    if moreau_switching(scheme.equations).count:
        raise SimulationError(
            f"{where}: functions of time that switch would divide its steps, which is not for cards; make them inputs"
        )


def card_step(device: DeviceFunctions, scheme: ContactSteps) -> MoreauStep:
    """Programs and memory of a step of the scheme, which remembers nothing of the one before."""
    return step_memory(
        device, scheme.table, remembers=False, softened=softened_expressions(scheme) or (), energy=scheme.energy
    )


def softened_expressions(scheme: ContactSteps) -> list[Expr] | None:
    """Speeds that smoothing adds to those of contacts; None without smoothing."""
    return softened_rows(scheme.table, scheme.smoothing, scheme.h) if scheme.smoothing else None

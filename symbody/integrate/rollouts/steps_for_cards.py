"""Which steppers can run on a card: those with contacts, whose steps are of one length and hold their inputs."""

from __future__ import annotations

from ...errors import SimulationError
from ..steppers.contact_steps import ContactSteps
from ..time_stepping.moreau_programs import moreau_switching


def check_for_card(scheme: ContactSteps, where: str) -> None:
    if scheme.is_linear:
        raise SimulationError(f"{where}: takes a stepper with inputs='held'")
    if scheme.smoothing:
        raise SimulationError(f"{where}: takes a stepper without smoothing=, which runs on the CPU only")
    if moreau_switching(scheme.equations).count:
        raise SimulationError(
            f"{where}: functions of time that switch would divide its steps, which is not for cards; make them inputs"
        )

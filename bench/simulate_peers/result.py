"""What a run of an integrator gives."""

from __future__ import annotations

from typing import NamedTuple

from .cases import Array, Case


class Run(NamedTuple):
    """CPU seconds of the integration alone; observables at the end; energy gained, in J, where it is known; how much
    work it was."""

    seconds: float
    observed: Array
    energy_error: float | None = None
    steps: int = 0
    evaluations: int = 0

    def error(self, case: Case) -> float:
        return case.error(self.observed)


def from_state(case: Case, seconds: float, y: Array, steps: int, evaluations: int) -> Run:
    """Of those who integrate our own coordinates and speeds."""
    gained = case.energy(y) - case.energy(case.y0) if case.is_conservative else None
    return Run(seconds, case.observed(y), gained, steps, evaluations)

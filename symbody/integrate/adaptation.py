"""Changes of the method on the way: to the implicit one where stability bounds explicit steps, and back where it does
not any more.

A method at work counts steps that speak for the other kind (`explicit.count_stiff_steps`, `radau.count_easy_steps`);
these counts cost next to nothing, but mistake units and single steps for stiffness. So the eigenvalues of ∂F/∂y decide
here. Each change, and each doubt that was wrong, doubles the number of steps that it takes to come back to the
question: changes become rare, whatever the motion does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from .machine import Machine, Task
from .stiffness import largest_rate

IMPLICIT: Final = "radau"
FIRST: Final = 15  # steps in a row that speak for the other kind, at first
BOUND: Final = 0.7  # of the reach of explicit steps: from there on stability bounds them
FEW: Final = {
    True: 1000,
    False: 50,
}  # steps that are left are not worth a change; of an explicit method more of them, since a Jacobian takes time


@dataclass
class Adaptation:
    """The methods between which a simulation may change.

    explicit   by name
    make       a machine for a method and a task
    notes      the changes, in words
    """

    explicit: str
    make: Callable[[str, Task], Machine]
    patience: int = FIRST
    notes: list[str] = field(default_factory=list)

    def reconsidered(self, machine: Machine) -> Machine | None:
        """The machine that goes on where this one has doubts, or None where it does itself."""
        self.patience = machine.method.patience = 2 * self.patience
        h, t, form = abs(machine.steps.h), machine.t, machine.task.form
        fast, reach = largest_rate(form, t, machine.y, machine.task.p), machine.task.reach
        is_explicit = machine.is_explicit
        if is_explicit == (fast * h < BOUND * reach) or abs(machine.steps.t_end - t) < FEW[is_explicit] * h:
            return None
        possible = reach / fast if fast > 0 else np.inf
        self.notes.append(self._note(is_explicit, t, h, fast, possible))
        here = replace(machine.task, t=t, y=machine.y.copy(), patience=self.patience)
        return self.make(IMPLICIT if is_explicit else self.explicit, here).following(machine)

    def _note(self, is_explicit: bool, t: float, h: float, fast: float, possible: float) -> str:
        if is_explicit:
            return (
                f"{IMPLICIT} from t = {t:z.6g}, because stability bounded explicit steps to {h:z.3g} (the fastest "
                f"mode has {fast:z.3g} per unit of time)"
            )
        return (
            f"{self.explicit} from t = {t:z.6g}, because stability allows explicit steps of {possible:z.3g}, "
            f"longer than {h:z.3g}"
        )

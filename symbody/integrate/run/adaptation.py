"""Changes of the method on the way: to the implicit one where stability bounds explicit steps, and back where it does
not any more.

A method at work counts steps that speak for the other kind (`explicit.count_stiff_steps`, `radau.count_easy_steps`);
these counts are cheap, but mistake units and single steps for stiffness. So the eigenvalues of ∂F/∂y decide
here. Each change, and each doubt that was wrong, doubles the number of steps that it takes to come back to the
question: changes become rare, whatever the motion does.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import reduce
from operator import or_
from typing import Final

import numpy as np

from ...emit.programs.program import Program
from .machine import Machine
from .methods import IMPLICIT, machine_of
from .stiffness import largest_rate

FIRST_PATIENCE: Final = 15  # consecutive steps that suggest the other kind of method before it is tried
STABILITY_BOUND: Final = 0.7  # explicit steps beyond this fraction of the stability limit are bounded by stability
MIN_REMAINING_STEPS: Final = {True: 1000, False: 50}  # of an explicit method or not: fewer do not repay a change
LARGE_JACOBIAN: Final = 5000  # derivatives of operations from which on the time to compile it matters
COMPILE_STEPS: Final = 2000  # evaluations of the rates, per derivative, that take as long as compiling it


@dataclass
class Adaptation:
    """The methods between which a simulation may change.

    explicit   by name
    notes      descriptions of the changes
    """

    explicit: str
    patience: int = FIRST_PATIENCE
    notes: list[str] = field(default_factory=list)

    def reconsidered(self, machine: Machine) -> Machine | None:
        """The machine that goes on where this one has doubts, or None where it does itself."""
        self.patience = machine.method.patience = 2 * self.patience
        h, t, form = abs(machine.steps.h), machine.t, machine.task.form
        fast, reach = largest_rate(form, t, machine.y, machine.task.p), machine.task.reach
        is_explicit = machine.is_explicit
        if is_explicit == (fast * h < STABILITY_BOUND * reach) or abs(machine.steps.t_end - t) < _few(machine) * h:
            return None
        possible = reach / fast if fast > 0 else np.inf
        self.notes.append(self._note(is_explicit, t, h, fast, possible))
        here = replace(machine.task, t=t, y=machine.y.copy(), patience=self.patience)
        return machine_of(IMPLICIT if is_explicit else self.explicit, here).following(machine)

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


def _few(machine: Machine) -> int:
    """Steps that are not worth a change: those that take less time than the Jacobian of a large system, which has to be
    differentiated and compiled. Counted in operations, not in seconds, so that motions do not depend on clocks."""
    if not machine.is_explicit:
        return MIN_REMAINING_STEPS[False]
    rates = machine.task.form.rhs_program.program
    slopes = _slopes_of_operations(rates, "y")
    return (
        MIN_REMAINING_STEPS[True]
        if slopes < LARGE_JACOBIAN
        else max(MIN_REMAINING_STEPS[True], COMPILE_STEPS * slopes // len(rates.code))
    )


def _slopes_of_operations(p: Program, group: str) -> int:
    """What differentiation computes: for each operation the entries of an input on which it depends."""
    wanted = next(k for k, g in enumerate(p.inputs) if g.name == group)
    seen: list[int] = []  # bits
    for i in p.code:
        own = 1 << i.data[1] if i.op == "input" and i.data[0] == wanted else 0
        seen.append(reduce(or_, (seen[a] for a in i.args), own))
    return sum(s.bit_count() for s in seen)

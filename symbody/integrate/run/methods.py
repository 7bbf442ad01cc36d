"""Methods of integration by name, and the machine of each."""

from __future__ import annotations

from typing import Final

from ..kernels.tableaux import TABLEAUX, Tableau, tableau_of
from .implicit import radau_machine
from .machine import Machine, Task, explicit_machine
from .variational import variational_machine

IMPLICIT: Final = "radau"
VARIATIONAL: Final = "variational"
METHODS: Final = {name: t.name for name, t in TABLEAUX.items()} | {
    IMPLICIT: "Radau IIA, order 5, implicit",
    VARIATIONAL: "midpoint rule for the action, symplectic",
}
COARSE_RTOL: Final = 1e-6  # relative tolerance from which on order 5 needs less work than order 8


def explicit_method(rtol: float) -> str:
    """The explicit method for a tolerance."""
    return "dp8" if rtol < COARSE_RTOL else "dp5"


def machine_of(method: str | Tableau, task: Task) -> Machine:
    """A new machine that takes the steps of a method."""
    if tableau := tableau_of(method):
        return explicit_machine(tableau, task)
    return radau_machine(task) if method == IMPLICIT else variational_machine(task)

"""The step by which drivers and checks of all languages reproduce the reference motion: a fixed step of the classical
Runge-Kutta method, printed from the text by which `simulate(method="rk4")` steps (`integrate/kernels/stages.py`)."""

from __future__ import annotations

from functools import cache
from typing import Final

from ...emit import ir
from ...integrate.kernels.stages import fixed_step, stage_state
from ...integrate.kernels.tableaux import CLASSICAL_4

STAGES: Final = CLASSICAL_4.stages
TABLE: Final = CLASSICAL_4.butcher
"""Its coefficients, in the order of `fixed_step`."""
STEP_KERNELS: Final = (stage_state, fixed_step)
"""The kernels themselves, for languages in which they run as they stand."""


@cache
def step_form() -> ir.KernelForm:
    """`fixed_step` of n, stages, t, h, table, y, w, k, d, and a function rhs((t, w), (d,)), which a printer calls by its
    name in the language."""
    return ir.inlined_form(fixed_step)

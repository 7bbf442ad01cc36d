"""Programs and memory of a Moreau-Jean step in reverse mode, in a module for a card."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...algebra.calculus.derivatives import gradient
from ...algebra.graph.graph import Symbol, symbol
from ...algebra.graph.matrix import sum_of_products
from ..complementarity.contact_arrays import indices
from ..gpu.device_form import DeviceFunctions
from ..steppers.contact_step_derivatives import Midpoint
from ..steppers.contact_steps import ContactSteps
from ..time_stepping.moreau_programs import no_variations
from ..time_stepping.moreau_records import MoreauStep, StepVariations
from ..time_stepping.step_pullback import StepPullback
from .steps_for_cards import softened_expressions


def pullback_memory(device: DeviceFunctions, scheme: ContactSteps, step: MoreauStep) -> StepPullback:
    """Of steps whose programs take θ, the variables of `device`."""
    width, rows, cones = len(device.y), step.rows, step.cones
    return StepPullback(
        width=width, bar=np.zeros(width), rates=_rates(device), point=_midpoint(device, scheme, rows, cones), start=np.zeros(width), half=np.zeros(width),
        late=np.zeros(width), end=np.zeros(width), kept=_midpoint_memory(step, width), push=np.zeros(step.n_u), by_row=np.zeros(rows + 1), by_cone=np.zeros(cones + 1),
        drift=np.zeros(step.n - step.n_q - step.n_u + 1), out=np.zeros(width),
    ).know("width", "rates", "point")  # fmt: skip


def _midpoint_memory(step: MoreauStep, width: int) -> StepVariations:
    """Memory for the midpoint of one step and for the responses to one gradient."""
    rows, cones = step.rows, step.cones
    sizes = {
        "y": width, "impulses": rows + 1, "part": rows + 1, "static": cones + 1, "after": step.n_u + 1, "Z": rows + 1, "W": rows + 1, "D": rows + 1,
        "limits_to": cones + 1, "memory": rows + 1,
    }  # fmt: skip
    arrays = {name: np.zeros(size) for name, size in sizes.items()}
    made = no_variations(width, {**arrays, "columns": 1, "active": indices([0] * rows)})
    return made.know("columns", "rates", "point")


def _rates(device: DeviceFunctions) -> Any:
    eq = device.equations
    if not eq.q:
        return None
    bar = _symbols("bar", len(eq.q))
    outputs = gradient(sum_of_products(bar, list(eq.rates.entries)), list(device.y)).entries
    return device.function("rates_pulled_back", {"pulled": list(outputs)}, {"bar": bar}, is_inlined=False)


def _midpoint(device: DeviceFunctions, scheme: ContactSteps, rows: int, cones: int) -> Any:
    eq, midpoint = device.equations, Midpoint(scheme.table, softened_expressions(scheme))
    given = {
        "push": _symbols("push", len(eq.u)), "by_row": _symbols("by_row", rows), "by_cone": _symbols("by_cone", max(cones, 1)),
        "drift": _symbols("drift", max(len(eq.z), 1)),
    }  # fmt: skip
    outputs = midpoint.pulled(device.y, *given.values())
    return device.long_function("midpoint_pulled_back", {"pulled": outputs}, {**midpoint.given, **given})


def _symbols(name: str, count: int) -> Sequence[Symbol]:
    return [symbol(f"{name}_{i + 1}", "variable") for i in range(count)]

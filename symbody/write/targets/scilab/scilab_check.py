"""The check of a Scilab folder: every function at one point, and the reference motion by two integrators."""

from __future__ import annotations

from typing import Final

from ....emit import ir
from ...artefacts.artefact import Artefact, CheckValues, Reference
from ...artefacts.reference_steps import STAGES, TABLE, step_form
from ...printers.templates import Template, template_parts
from ..matlab.matlab_kernels import MatlabKernel
from .scilab_printer import scilab_array

AGREEMENT: Final = 1e-9  # largest error of a function, relative to 1 + its largest value
BY_ODE: Final = 1e-6


def scilab_check(made: Artefact) -> str:
    """Text of `name_check.sce`."""
    point, parts = made.check, template_parts(__package__, "check.sce")
    assert point is not None
    checks = [
        _function(made, name, point.values[name], parts["function"]) for name in made.names if name in point.values
    ]
    return parts["file"].filled(
        name=made.identifier, t=point.t, x=scilab_array("x", point.x), r=scilab_array("r", point.r), checks=checks,
        motion=_motion(made, made.reference, parts["motion"]) if made.reference else "",
    ) + "\n"  # fmt: skip


def _function(made: Artefact, name: str, check: CheckValues, text: Template) -> str:
    inputs, results = (
        [f"{key}_{k}" for k in range(len(v))] for key, v in (("in", check.inputs), ("out", check.outputs))
    )
    is_algorithm = any(a.name == name for a in made.algorithms)
    first, *more = inputs if is_algorithm else ["x", *inputs]
    numbers = [line for k, values in zip(inputs, check.inputs, strict=True) for line in scilab_array(k, values)]
    numbers += [line for k, values in enumerate(check.outputs) for line in scilab_array(f"wanted_{k}", values)]
    return text.filled(
        name=made.identifier, what=name, numbers=numbers, results=", ".join(results), arguments=", ".join(["t", first, "r", "p", *more]),
        worst=", ".join(f"difference({k}, wanted_{i})" for i, k in enumerate(results)), allowed=AGREEMENT,
    )  # fmt: skip


class ScilabStep(MatlabKernel):
    """The step around the function `rhs`: loops and arrays are written as in MATLAB."""

    prefix: str

    def run(self, s: ir.ProgramCall) -> None:
        t, w, d = (self.expression(e) for e in (*s.inputs, *s.outputs))
        self.line(f"{d} = {self.prefix}_rhs({t}, {w}, r, p);")


def _motion(made: Artefact, ref: Reference, text: Template) -> str:
    step = ScilabStep(step_form())
    step.prefix = made.identifier
    numbers = {"times": ref.times, "states": tuple(v for row in ref.states for v in row), "scales": ref.scales}
    return text.filled(
        name=made.identifier, n=len(made.state), stages=STAGES, table=scilab_array("table", TABLE), step=step.body(),
        then=", then back onto the constraints" if ref.projects else "",
        project=f"y = {made.identifier}_project(t + h, y, r, p);" if ref.projects else "",
        numbers=[line for k, values in numbers.items() for line in scilab_array(k, values)],
        points=len(ref.times), spans=len(ref.times) - 1, steps=ref.steps, allowed=ref.tolerance, by_ode=BY_ODE,
    )  # fmt: skip

"""The check of a JavaScript folder: every function at one point, and the reference motion by Runge-Kutta steps."""

from __future__ import annotations

import json
from typing import Final

from ....emit import ir
from ...artefacts.artefact import Artefact
from ...artefacts.reference_steps import STAGES, TABLE, step_form
from ...printers.templates import Template, template_parts
from .javascript_kernels import JavaScriptKernel

AGREEMENT: Final = 1e-9  # largest error of a function, relative to 1 + its largest value


def javascript_check(made: Artefact) -> str:
    """Text of `name_check.js`."""
    point, parts = made.check, template_parts(__package__, "check.js")
    assert point is not None
    algorithms = {a.name: a for a in made.algorithms}
    values = []
    for name in (n for n in made.names if n in point.values):
        check = point.values[name]
        inputs, outputs = (f"[{', '.join(map(_numbers, v))}]" for v in (check.inputs, check.outputs))
        changes = name in algorithms and algorithms[name].changes
        fields = f"isLoop: {json.dumps(name in algorithms)}, changes: {json.dumps(changes)}"
        values.append(f"{name}: {{ {fields}, inputs: {inputs}, outputs: {outputs} }},")
    return parts["file"].filled(
        name=made.identifier, t=point.t, x=_numbers(point.x), r=_numbers(point.r), values=values, allowed=AGREEMENT,
        motion=_motion(made, parts["motion"]),
    ) + "\n"  # fmt: skip


def _numbers(values: tuple[float, ...]) -> str:
    return f"[{', '.join(map(repr, values))}]"


class JavaScriptStep(JavaScriptKernel):
    """The step around `rhs` of the module."""

    def run(self, s: ir.ProgramCall) -> None:
        t, w, d = (self.expression(e) for e in (*s.inputs, *s.outputs))
        self.line(f"model.rhs({t}, {w}, r, p, {d});")


def _motion(made: Artefact, text: Template) -> str:
    ref, step = made.reference, JavaScriptStep(step_form())
    if ref is None:
        return ""
    body = step.body()
    return text.filled(
        times=_numbers(ref.times), scales=_numbers(ref.scales), states=[f"{_numbers(row)}," for row in ref.states], table=_numbers(TABLE),
        stages=STAGES, step=[*step.locals(), *body], then=", then back onto the constraints" if ref.projects else "",
        is_good="model.project(t + h, y, r, p) === 0" if ref.projects else "true", steps=ref.steps, allowed=ref.tolerance,
    )  # fmt: skip

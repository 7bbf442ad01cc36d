"""The check of a MATLAB folder: every m-file and its compiled form at one point, and the reference motion by two
integrators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ....emit import ir
from ...artefacts.artefact import Artefact, CheckValues, Numbers, Reference
from ...artefacts.reference_steps import STAGES, TABLE, step_form
from ...printers.templates import Template, template_parts
from .matlab_kernels import MatlabKernel
from .matlab_printer import matlab_array, matlab_literal

AGREEMENT: Final = 1e-9  # largest error of a function, relative to 1 + its largest value
BY_ODE45: Final = 1e-6


def matlab_check(made: Artefact) -> str:
    """Text of `name_check.m`, which returns how much is wrong."""
    point, parts, ref = made.check, template_parts(__package__, "check.m"), made.reference
    assert point is not None
    checks = [_function(made, name, parts["function"]) for name in made.names if name in point.values]
    return parts["file"].filled(
        name=made.identifier, t=matlab_literal(point.t), x=_array("x", point.x), r=_array("r", point.r), checks=checks, flags=_flags(made),
        motion=_motion(made, ref, parts["motion"]) if ref else "", step=_step(made, ref, parts) if ref else "",
    ).rstrip("\n") + "\n"  # fmt: skip


def _array(name: str, values: Numbers) -> list[str]:
    return matlab_array(name, [matlab_literal(v) for v in values])


def _function(made: Artefact, name: str, text: Template) -> str:
    assert made.check is not None
    check = made.check.values[name]
    inputs = [f"in_{k}" for k in range(len(check.inputs))]
    algorithm = any(a.name == name for a in made.algorithms)
    first, *more = inputs if algorithm else ["x", *inputs]
    worst = [
        f"difference(out_{k}{'.' + chr(39) if is_matrix else ''}, wanted_{k})"
        for k, is_matrix in enumerate([False] * len(check.outputs) if algorithm else _matrices(made, name))
    ]
    return text.filled(
        name=made.identifier, what=name, numbers=_numbers(check), results=", ".join(f"out_{k}" for k in range(len(check.outputs))),
        arguments=", ".join(["t", first, "r", "p", *more]), worst=f"max([{', '.join(worst)}])", allowed=matlab_literal(AGREEMENT),
    )  # fmt: skip


def _numbers(check: CheckValues) -> list[str]:
    pairs: Sequence[tuple[str, tuple[Numbers, ...]]] = (("in", check.inputs), ("wanted", check.outputs))
    return [line for key, arrays in pairs for k, v in enumerate(arrays) for line in _array(f"{key}_{k}", v)]


def _matrices(made: Artefact, name: str) -> list[bool]:
    return [len(o.shape) == 2 and not o.is_sparse for o in made.function(name).program.outputs]


def _flags(made: Artefact) -> list[str]:
    """ODE files, with parameters as numbers: against the functions that stand behind their flags."""
    n = made.identifier
    numbers = "cell2mat(struct2cell(p))" if made.parameters else "zeros(0, 1)"
    lines = []
    for flag, function in {"": "rhs", "jacobian": "rhs_x", "events": "events"}.items():
        if made.has("rhs") and made.has(function):
            off = f"difference({n}_ode(t, x, '{flag}', {numbers}, r), {n}_{function}(t, x, r, p))"
            lines.append(f"wrong = wrong + verdict('ode file {flag}', {off}, {matlab_literal(AGREEMENT)});")
    return lines


def _motion(made: Artefact, ref: Reference, text: Template) -> str:
    states = _array("states", tuple(v for row in ref.states for v in row))
    return text.filled(
        name=made.identifier, numbers=[*_array("times", ref.times), *states, *_array("scales", ref.scales)],
        n=len(made.state), points=len(ref.times), spans=len(ref.times) - 1, steps=ref.steps, allowed=matlab_literal(ref.tolerance),
        by_ode45=matlab_literal(BY_ODE45),
    )  # fmt: skip


class MatlabStep(MatlabKernel):
    """The step around a function handle."""

    def run(self, s: ir.ProgramCall) -> None:
        t, w, d = (self.expression(e) for e in (*s.inputs, *s.outputs))
        self.line(f"{d} = f({t}, {w});")


def _step(made: Artefact, ref: Reference, parts: dict[str, Template]) -> str:
    return parts["step"].filled(
        n=len(made.state), stages=STAGES, table=_array("table", TABLE), step=MatlabStep(step_form()).body(),
        then=", then back onto the constraints" if ref.projects else "",
        project=parts["project"].filled(name=made.identifier) if ref.projects else "",
    )  # fmt: skip

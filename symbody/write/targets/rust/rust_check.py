"""The check of a Rust crate: it calls every function and compares, then integrates and compares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ....emit import ir
from ...artefacts.artefact import Algorithm, Artefact, CheckValues
from ...artefacts.reference_steps import STAGES, TABLE, step_form
from ...printers.templates import Template, template_parts
from .rust_kernels import RustKernel

AGREEMENT: Final = 1e-9  # largest error of a function, relative to 1 + its largest value


def rust_check(made: Artefact, crate: str) -> str:
    """Text of the main program."""
    point = made.check
    assert point is not None
    parts = template_parts(__package__, "check.rs")
    names = [n for n in made.names if n in point.values]
    calls = [f"check_{n}(&mut wrong);" for n in (*names, *(["motion"] if made.reference else []))]
    checks = "\n\n".join(_function(made, n, parts["function"]) for n in names)
    motion = _motion(made, parts["motion"]) if made.reference else ""
    return parts["file"].filled(crate_name=crate, calls=calls, checks=checks, motion=motion).rstrip("\n") + "\n"


def _array(name: str, values: Sequence[float]) -> list[str]:
    return [f"let {name}: [f64; {len(values)}] = [", *ir.comma_lines([repr(v) for v in values], "    ", 106), "];"]


def _function(made: Artefact, name: str, text: Template) -> str:
    assert made.check is not None
    check = made.check.values[name]
    numbers = [*_array("x", made.check.x), *_array("r", made.check.r), "let p = model::Parameters::default();"]
    for key, arrays in (("in", check.inputs), ("wanted", check.outputs)):
        numbers += [line for k, values in enumerate(arrays) for line in _array(f"{key}_{k}", values)]
    results, given = _call(check, next((a for a in made.algorithms if a.name == name), None))
    others = [f"let off = f64::max(off, difference(&out_{k}, &wanted_{k}));" for k in range(1, len(check.outputs))]
    arguments = ", ".join([_number(made.check.t), *given])
    return text.filled(
        name=name, numbers=numbers, results=results, arguments=arguments, others=others, allowed=_number(AGREEMENT)
    )


def _call(check: CheckValues, loop: Algorithm | None) -> tuple[list[str], list[str]]:
    """Declarations of results, and arguments after t."""
    inputs = [f"&in_{k}" for k in range(len(check.inputs))]
    outputs = [f"&mut out_{k}" for k in range(len(check.outputs))]
    if loop is not None and loop.changes:
        return ["let mut out_0 = in_0;"], [outputs[0], "&r", "&p"]
    first, *more = inputs if loop is not None else ["&x", *inputs]
    results = [f"let mut out_{k} = [0.0; {len(v)}];" for k, v in enumerate(check.outputs)]
    return results, [first, "&r", "&p", *more, *outputs]


def _number(value: float) -> str:
    return f"{value!r}_f64"


class RustStep(RustKernel):
    """The step around `rhs` of the crate."""

    def run(self, s: ir.ProgramCall) -> None:
        t, w, d = (self.expression(e) for e in (*s.inputs, *s.outputs))
        self.line(f"model::rhs({t}, &{w}, r, p, &mut {d})?;")


def _motion(made: Artefact, text: Template) -> str:
    ref, step = made.reference, RustStep(step_form())
    assert ref is not None
    states = [v for row in ref.states for v in row]
    body = step.body()
    return text.filled(
        n=len(made.state), stages=STAGES, size=len(TABLE), table=ir.comma_lines([repr(v) for v in TABLE], "", 102),
        step=[*step.locals(), *body], then=", then back onto the constraints" if ref.projects else "",
        project=["model::project(t + h, y, r, p)?;"] if ref.projects else [],
        numbers=[*_array("times", ref.times), *_array("states", states), *_array("scales", ref.scales)],
        spans=len(ref.times) - 1, steps=float(ref.steps), count=ref.steps, allowed=_number(ref.tolerance),
    )  # fmt: skip

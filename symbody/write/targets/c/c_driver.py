"""The C driver: it calls every function and compares, then integrates and compares; or it prints a motion."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ....emit import ir
from ...artefacts.artefact import Algorithm, Artefact, ExportedFunction
from ...artefacts.reference_steps import STAGES, TABLE, step_form
from ...printers.templates import Filling, template_parts
from .c_kernels import CKernel
from .c_library import CLibrary, CVariant
from .c_style import PLAIN, CStyle

AGREEMENT: Final = 1e-9
"""Of functions with the values of their expressions, in units of 1 + the largest number of an output."""
SINGLE_AGREEMENT: Final = 2e-3
"""The same of floats, also after a motion."""


def c_driver(made: Artefact, library: CLibrary, variant: CVariant) -> str:
    """Text of the main program."""
    return CDriver(made, library, variant).text()


class CStep(CKernel):
    """`fixed_step` as a function that returns 0, or the status of the rates.

    rates     C code that calls them, with places for t, w and d
    passed    parameters that the rates need, after those of the kernel
    """

    def __init__(self, rates: str, passed: tuple[str, ...] = (), style: CStyle = PLAIN) -> None:
        form = step_form()
        body = (*form.body, ir.Return(ir.Constant(ir.INDEX, 0)))
        super().__init__(replace(form, result=ir.INDEX, body=body), "fixed_step", style=style)
        self.rates, self.passed = rates, passed

    def signature(self) -> str:
        own = [self.argument(p) for p in self.form.parameters if p.type is not ir.FUNCTION]
        return ", ".join([*own, *self.passed])

    def run(self, s: ir.ProgramCall) -> None:
        t, w, d = (self.expression(e) for e in (*s.inputs, *s.outputs))
        self.line(f"const int status = {self.rates.format(t, w, d)};")
        self.line("if (status != 0) {")
        self.line("    return status;")
        self.line("}")


class CDriver:
    """Text of the main program, part by part."""

    def __init__(self, made: Artefact, library: CLibrary, variant: CVariant) -> None:
        self.made, self.library, self.variant = made, library, variant
        self.parts = template_parts(__package__, "driver.c")
        self.name, self.real = made.identifier, library.real
        self.literal = library.style.number.literal
        self.agreement = SINGLE_AGREEMENT if variant.single else AGREEMENT
        self.n_r = max(1, len(made.inputs))
        self.n = max(1, len(made.state))
        assert made.check is not None
        self.point, self.values = made.check, made.check.values

    def text(self) -> str:
        has_rates, ref = self.made.has("rhs"), self.made.reference
        wrong = [
            "check_functions()",
            *(["check_many()"] if self.has_many else []),
            *(["check_motion()"] if ref else []),
        ]
        seconds = self.part("seconds", zero=self.literal(0.0)) if has_rates else self.part("no_arguments")
        return self.part(
            "file", difference=self.part("difference") if self.values else "", verdict=self.part("verdict") if self.values or ref else "",
            step=self._step() if has_rates else "", print=self._print() if has_rates else "", t=self.literal(self.point.t),
            numbers=[*self.array("x", self.point.x), *self.array("r", self.point.r)], checks=self._checks(),
            many=self.part("many", little=self.literal(1e-4)) if self.has_many else "",
            motion=self._motion() if ref else "", arguments=seconds, wrong=" + ".join(wrong),
        ) + "\n"  # fmt: skip

    def part(self, name: str, **given: Filling) -> str:
        """A part of the template, with the slots that many of them have."""
        found = self.parts[name]
        usual: dict[str, Filling] = {
            "name": self.name,
            "upper": self.name.upper(),
            "real": self.real,
            "n": self.n,
            "n_r": self.n_r,
        }
        return found.filled(**{k: v for k, v in usual.items() if k in found.slots}, **given)

    def array(self, name: str, values: tuple[float, ...]) -> list[str]:
        entries = [self.literal(v) for v in values] or [self.literal(0.0)]
        return [f"static const {self.real} {name}[{len(entries)}] = {{", *ir.comma_lines(entries, "    ", 116), "};"]

    # ------------------------------------------------------------------------------------------------ motion

    def _step(self) -> str:
        passed = (f"const {self.real} *r", f"const {self.name}_parameters *p")
        step = CStep(f"{self.name}_rhs({{0}}, {{1}}, r, p, {{2}})", passed, self.library.style)
        projected = f"status != 0 ? status : {self.name}_project(t + h, x, r, p)"
        projects = self.made.has("project")
        return self.part(
            "step", fixed_step=step.text(), then=", then back onto the constraints" if projects else "", stages=STAGES,
            table=self.array("table", TABLE), status=projected if projects else "status",
        )  # fmt: skip

    def _print(self) -> str:
        return self.part("print", names=",".join(["t", *(v.name for v in self.made.state)]), half=self.literal(0.5))

    def _motion(self) -> str:
        ref = self.made.reference
        assert ref is not None
        steps = min(ref.steps, 64) if self.variant.single else ref.steps
        allowed = max(ref.tolerance, SINGLE_AGREEMENT) if self.variant.single else ref.tolerance
        return self.part(
            "motion", numbers=self.reference_numbers(), points=len(ref.times), steps=self.literal(float(steps)), count=steps, allowed=allowed
        )  # fmt: skip

    def reference_numbers(self) -> list[str]:
        """Times, states and scales of the reference motion."""
        ref = self.made.reference
        assert ref is not None
        states = tuple(v for row in ref.states for v in row)
        return [*self.array("times", ref.times), *self.array("states", states), *self.array("scales", ref.scales)]

    # ------------------------------------------------------------------------------------------------ functions

    @property
    def has_many(self) -> bool:
        return "rhs" in self.values and bool(self.made.state)

    def _checks(self) -> list[str]:
        functions = [self._function(f) for f in self.made.functions if f.name in self.values]
        return functions + [self._algorithm(a) for a in self.made.algorithms if a.name in self.values]

    def _function(self, f: ExportedFunction) -> str:
        check = self.values[f.name]
        inputs = [g.name for g in f.program.inputs[4:]]
        outputs = [(o.name, len(o.values)) for o in f.program.outputs]
        numbers = [
            line for k, v in zip(inputs, check.inputs, strict=True) for line in self.array(f"in_{k}", v)
        ] + self._results(outputs, check.outputs)
        given = ["t", "x", "r", "&p", *(f"in_{k}" for k in inputs), *(f"out_{k}" for k, _ in outputs)]
        return self._compared(f.name, numbers, given, outputs)

    def _algorithm(self, a: Algorithm) -> str:
        check = self.values[a.name]
        names = ["state", *a.more]
        numbers = [line for k, v in zip(names, check.inputs, strict=True) for line in self.array(f"in_{k}", v)]
        more = [f"in_{k}" for k in a.more]
        if not a.changes:
            outputs = list(a.results.items())
            numbers += self._results(outputs, check.outputs)
            given = ["t", "in_state", "r", "&p", *more, *(f"out_{k}" for k in a.results)]
            return self._compared(a.name, numbers, given, outputs)
        numbers += [*self._results([("state", a.state[1])], check.outputs), self.parts["changed"].filled(n=a.state[1])]
        return self._compared(a.name, numbers, ["t", "out_state", "r", "&p", *more], [("state", a.state[1])])

    def _results(self, outputs: list[tuple[str, int]], wanted: tuple[tuple[float, ...], ...]) -> list[str]:
        """Numbers that are wanted, and arrays for those that come out."""
        pairs = zip(outputs, wanted, strict=True)
        return [
            line
            for (k, n), values in pairs
            for line in (*self.array(f"wanted_{k}", values), f"{self.real} out_{k}[{max(1, n)}];")
        ]

    def _compared(self, name: str, numbers: list[str], given: list[str], outputs: list[tuple[str, int]]) -> str:
        worst = "0.0"
        for k, n in outputs:
            worst = f"fmax({worst}, difference(out_{k}, wanted_{k}, {n}))" if n else worst
        arguments = ", ".join(given)
        return self.part(
            "function", what=name, numbers=numbers, arguments=arguments, worst=worst, allowed=self.agreement
        )

"""The Fortran driver: it calls every subroutine and compares, then integrates and compares."""

from __future__ import annotations

from typing import Final

from ....emit import ir
from ...artefacts.artefact import Algorithm, Artefact, CheckValues, ExportedFunction
from ...artefacts.reference_steps import STAGES, TABLE, step_form
from ...printers.templates import template_parts
from .fortran_kernels import FortranKernel
from .fortran_printer import constant_array, folded_text, literal

AGREEMENT: Final = 1e-9  # largest error of a function, relative to 1 + its largest value


class FortranDriver:
    """Text of the main program. A target with procedures of its own adds their checks to `checks`."""

    def __init__(self, made: Artefact) -> None:
        self.made, self.name = made, made.identifier
        self.parts = template_parts(__package__, "driver.f90")
        assert made.check is not None
        self.check = made.check
        self.n, self.n_r = len(made.state), len(made.inputs)

    def text(self) -> str:
        checks = self.checks()
        what = [*checks, *(["motion"] if self.made.reference else [])]
        return self.parts["program"].filled(
            name=self.name, calls=[f"call check_{n}" for n in what],
            difference=self.parts["difference"].filled() if self.check.values else "",
            checks="\n\n".join(map(folded_text, checks.values())), motion=self._motion() if self.made.reference else "",
        ) + "\n"  # fmt: skip

    def checks(self) -> dict[str, str]:
        """Subroutines that check, by what they check."""
        functions = {f.name: self._function(f) for f in self.made.functions if f.name in self.check.values}
        return functions | {a.name: self._algorithm(a) for a in self.made.algorithms if a.name in self.check.values}

    def constants(self, name: str, values: tuple[float, ...]) -> list[str]:
        return constant_array("real(wp)", name, [literal(v) for v in values])

    def _function(self, f: ExportedFunction) -> str:
        check, worst, results = self.check.values[f.name], [], []
        for k, o in enumerate(f.program.outputs):
            shape = (len(o.values),) if o.is_sparse else o.shape
            size = f"({', '.join(map(str, shape))})" if shape else ""
            results.append(f"real(wp) :: out_{k}{size}")
            flat = f"out_{k}" if shape else f"[out_{k}]"
            if len(shape) == 2:
                flat = f"reshape(transpose(out_{k}), [{len(o.values)}])"
            worst += [f"difference({flat}, wanted_{k})"] if o.values else []
        held = [*self.constants("r", self.check.r), *self.constants("x", self.check.x)]
        inputs, outputs = _arguments(check)
        return self._procedure(f.name, check, held, results, worst, ["x", "r", "p", *inputs, *outputs])

    def _algorithm(self, a: Algorithm) -> str:
        check = self.check.values[a.name]
        worst = [f"difference(out_{k}, wanted_{k})" for k in range(len(check.outputs))]
        results = [f"real(wp) :: out_{k}({len(v)})" for k, v in enumerate(check.outputs)]
        (first, *more), outputs = _arguments(check)
        given = [first, "r", "p", *more, *outputs]
        if a.changes:
            results, given = [*results, "out_0 = in_0"], ["out_0", "r", "p"]
        return self._procedure(a.name, check, self.constants("r", self.check.r), results, worst, given)

    def _procedure(
        self, what: str, check: CheckValues, held: list[str], results: list[str], worst: list[str], given: list[str]
    ) -> str:
        numbers = [line for k, v in enumerate(check.inputs) for line in self.constants(f"in_{k}", v)]
        numbers += [line for k, v in enumerate(check.outputs) for line in self.constants(f"wanted_{k}", v)]
        largest = worst[0] if len(worst) == 1 else f"max({', '.join(worst)})" if worst else "0.0_wp"
        return self.parts["procedure"].filled(
            name=self.name, what=what, held=held, numbers=numbers, results=results, worst=largest, allowed=literal(AGREEMENT),
            arguments=", ".join([literal(self.check.t), *given]),
        )  # fmt: skip

    def _motion(self) -> str:
        ref, step = self.made.reference, FortranStep(step_form())
        assert ref is not None
        step.prefix = self.name
        body, states = step.body(), tuple(v for row in ref.states for v in row)
        numbers = [*self.constants("times", ref.times), *self.constants("states", states)]
        project = f"call {self.name}_project(t + h, y, r, p, status)"
        text = self.parts["motion"].filled(
            name=self.name, n=self.n, last=self.n - 1, n_r=self.n_r, stages=STAGES, then=", then back onto the constraints" if ref.projects else "",
            table=constant_array("real(wp)", "table", [literal(v) for v in TABLE], 0), step=[*step.locals(), *body],
            project=[project] if ref.projects else [], numbers=[*numbers, *self.constants("scales", ref.scales)],
            spans=len(ref.times) - 1, steps=ref.steps, allowed=literal(ref.tolerance),
        )  # fmt: skip
        return folded_text(text)


def _arguments(check: CheckValues) -> tuple[list[str], list[str]]:
    """Names of the arrays that come in after t, x, r, p, and of those that come out."""
    return [f"in_{k}" for k in range(len(check.inputs))], [f"out_{k}" for k in range(len(check.outputs))]


class FortranStep(FortranKernel):
    """The step around the subroutine `rhs` of a module."""

    prefix: str

    def run(self, s: ir.ProgramCall) -> None:
        t, w, d = (self.expression(e) for e in (*s.inputs, *s.outputs))
        self.line(f"call {self.prefix}_rhs({t}, {w}, r, p, {d}, status)")
        self.line("if (status /= 0) return")

"""Kernels on records as JavaScript functions on objects, with arrays of Float64Array.

    function march_0(m, s) { ... s.counts.steps = s.counts.steps + 1; ... }

Compiled programs that kernels call are functions in the fields of the objects: s.rhs((t, y), (dy,)) is s.rhs(t, y, dy),
and one that is absent is null.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ....emit import ir
from ...printers.brace_kernels import EXTREMES, extreme
from ...printers.record_kernels import PassedRecord, passed_arguments, plain_parameters, records_of, specialised_forms
from .javascript_kernels import JavaScriptKernel

MINIMUM_AND_MAXIMUM: Final = {  # as in Python: a later NaN is not returned
    "least_of": "function least_of(a, b) { return b < a ? b : a; }",
    "largest_of": "function largest_of(a, b) { return b > a ? b : a; }",
}


def javascript_objects(kernel: ir.Kernel, records: Mapping[str, ir.Struct], known: ir.KnownValues) -> str:
    """A kernel, by its own name, and all that it calls."""
    forms = specialised_forms(kernel, records, known)
    functions = [ObjectKernel(form).text() for form in forms]
    helpers = [text for name, text in MINIMUM_AND_MAXIMUM.items() if any(f"{name}(" in f for f in functions)]
    return "\n".join([*helpers, *functions, f"const {kernel.__name__} = {_function(forms[-1].name)};"])


class ObjectKernel(JavaScriptKernel):
    """One kernel as a function on objects."""

    def text(self) -> str:
        body = self.body()
        given = ", ".join([*records_of(self.form), *(p.name for p in plain_parameters(self.form))])
        names = [k for k in self.assigned if "." not in k]
        declared = [f"    let {', '.join(names)};"] if names else []
        return "\n".join([f"function {_function(self.form.name)}({given}) {{", *declared, *body, "}"])

    def name(self, name: str) -> str:
        return name

    def table(self, e: ir.Constant) -> str:
        return f"[{', '.join(map(self.number, e.value))}]"

    def absent(self, e: ir.IsAbsent) -> str:
        return f"{e.function.name} === null"

    def as_index(self, e: ir.Conversion) -> str:
        return f"Math.trunc({self.expression(e.value)})"

    def tail(self, e: ir.ArrayTail) -> str:
        return f"{self.expression(e.array)}.subarray({self.expression(e.start)})"

    def mathematics(self, name: str, values: list[str]) -> str:
        return extreme(name, values) if name in EXTREMES else super().mathematics(name, values)

    def kernel_call(self, e: ir.KernelCall) -> str:
        given = [a.path if isinstance(a, PassedRecord) else self.expression(a) for a in passed_arguments(e)]
        return f"{_function(e.target.name)}({', '.join(given)})"

    def call_statement(self, s: ir.CallStatement) -> None:
        self.line(f"{self.kernel_call(s.value)};")

    def run(self, s: ir.ProgramCall) -> None:
        given = ", ".join(self.expression(e) for e in (*s.inputs, *s.outputs))
        self.line(f"{s.function.name}({given});")


def _function(name: str) -> str:
    return name.replace(".", "_")

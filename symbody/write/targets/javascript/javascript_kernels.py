"""Kernels as JavaScript: functions on arrays, plain or typed."""

from __future__ import annotations

from ....emit import ir
from ...printers.brace_kernels import BraceKernel
from .javascript_text import javascript_literal


class JavaScriptKernel(BraceKernel):
    def number(self, value: float) -> str:
        return javascript_literal(value)

    def tail(self, e: ir.ArrayTail) -> str:
        return f"rest({self.expression(e.array)}, {self.expression(e.start)})"

    def counter(self, name: str) -> str:
        return f"let {name}"

    def mathematics(self, name: str, values: list[str]) -> str:
        return f"{'Number.isFinite' if name == 'is_finite' else f'Math.{name}'}({', '.join(values)})"

    def quotient(self, left: str, right: str) -> str:
        return f"Math.trunc(({left}) / ({right}))"

    def as_number(self, text: str) -> str:
        return text

    def locals(self) -> list[str]:
        """Declarations of the names that the kernel assigns; loops declare their own."""
        names = [self.name(k) for k in self.assigned]
        return [f"    let {', '.join(names)};"] if names else []


def simple_javascript(kernel: ir.Kernel) -> list[str]:
    """A kernel that calls no others, as a function."""
    printer = JavaScriptKernel(ir.kernel_form(kernel))
    body = printer.body()
    names = ", ".join(printer.name(p.name) for p in printer.form.parameters)
    return [f"function {kernel.__name__}({names}) {{", *printer.locals(), *body, "}"]

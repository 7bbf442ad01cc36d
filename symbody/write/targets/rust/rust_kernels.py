"""Kernels as Rust: functions on slices; indices are usize."""

from __future__ import annotations

from typing import Final

from ....emit import ir
from ...printers.brace_kernels import BraceKernel
from .rust_text import rust_literal

_TYPES: Final = {ir.INDEX: "usize", ir.NUMBER: "f64", ir.NUMBERS: "&mut [f64]", ir.INDICES: "&mut [usize]"}
_READ_ONLY: Final = {**_TYPES, ir.NUMBERS: "&[f64]", ir.INDICES: "&[usize]"}


class RustKernel(BraceKernel):
    def number(self, value: float) -> str:
        return rust_literal(value)

    def tail(self, e: ir.ArrayTail) -> str:
        return f"&{self.expression(e.array)}[{self.expression(e.start)}..]"

    def select(self, e: ir.Select) -> str:
        return f"(if {self.expression(e.test)} {{ {self.expression(e.yes)} }} else {{ {self.expression(e.no)} }})"

    def loop_head(self, name: str, first: str, stop: ir.Expression, step: int) -> str:
        span = f"{first}..{self.expression(stop)}"
        return f"for {name} in {span if step == 1 else f'({span}).step_by({step})'} {{"

    def test_head(self, word: str, test: str) -> str:
        return f"{word} {test} {{"

    def mathematics(self, name: str, values: list[str]) -> str:
        return f"finite(&[{values[0]}])" if name == "is_finite" else f"math::{name}({', '.join(values)})"

    def quotient(self, left: str, right: str) -> str:
        return f"(({left}) / ({right}))"

    def as_number(self, text: str) -> str:
        return f"{rust_literal(float(text))}" if text.isdigit() else f"(({text}) as f64)"

    def locals(self) -> list[str]:
        """Declarations of the names that the kernel assigns; loops declare their own."""
        zeros = {ir.INDEX: "usize = 0", ir.NUMBER: "f64 = 0.0"}
        return [f"    let mut {self.name(k)}: {zeros[t]};" for k, t in self.assigned.items()]  # type: ignore[index]

    @property
    def functions(self) -> set[str]:
        """Functions of mathematics that it calls."""
        return {p.name for p in ir.all_parts(self.form.body) if isinstance(p, ir.MathCall)} - {"is_finite"}


def simple_rust(kernel: ir.Kernel) -> list[str]:
    """A kernel that calls no others, as a function."""
    printer = RustKernel(ir.kernel_form(kernel))
    body, is_function = printer.body(), printer.form.result is ir.NUMBER
    types = _READ_ONLY if is_function else _TYPES
    given = [f"{printer.name(p.name)}: {_type(p.type, types)}" for p in printer.form.parameters]
    result = " -> f64" if is_function else ""
    return [f"fn {kernel.__name__}({', '.join(given)}){result} {{", *printer.locals(), *body, "}"]


def _type(type_: object, types: dict[ir.BasicType, str]) -> str:
    assert isinstance(type_, ir.BasicType)
    return types[type_]

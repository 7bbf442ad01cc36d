"""Kernels as Rust: functions on slices; indices are usize."""

from __future__ import annotations

from typing import Final

from ....emit.loops.checked import basic_types, checked
from ....emit.loops.form import INDEX, INDICES, NUMBER, NUMBERS, Basic, Expression, Mathematics, Rest, all_parts
from ....emit.loops.language import Kernel
from ...printers.brace_kernels import BraceKernel
from .rust_printer import rust_literal

_TYPES: Final = {INDEX: "usize", NUMBER: "f64", NUMBERS: "&mut [f64]", INDICES: "&mut [usize]"}
_READ_ONLY: Final = {**_TYPES, NUMBERS: "&[f64]", INDICES: "&[usize]"}


class RustKernel(BraceKernel):
    def number(self, value: float) -> str:
        return rust_literal(value)

    def expression(self, e: Expression) -> str:
        if isinstance(e, Rest):
            return f"&{self.expression(e.array)}[{self.expression(e.start)}..]"
        return super().expression(e)

    def loop_head(self, name: str, first: str, stop: Expression, step: int) -> str:
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
        zeros = {INDEX: "usize = 0", NUMBER: "f64 = 0.0"}
        return [f"    let mut {self.name(k)}: {zeros[t]};" for k, t in self.assigned.items()]  # type: ignore[index]

    @property
    def functions(self) -> set[str]:
        """Functions of mathematics that it calls."""
        return {p.name for p in all_parts(self.form.body) if isinstance(p, Mathematics)} - {"is_finite"}


def simple_rust(kernel: Kernel) -> list[str]:
    """A kernel that calls no others, as a function."""
    printer = RustKernel(checked(kernel, basic_types(kernel)))
    body, is_function = printer.body(), printer.form.result is NUMBER
    types = _READ_ONLY if is_function else _TYPES
    given = [f"{printer.name(p.name)}: {_type(p.type, types)}" for p in printer.form.parameters]
    result = " -> f64" if is_function else ""
    return [f"fn {kernel.__name__}({', '.join(given)}){result} {{", *printer.locals(), *body, "}"]


def _type(type_: object, types: dict[Basic, str]) -> str:
    assert isinstance(type_, Basic)
    return types[type_]

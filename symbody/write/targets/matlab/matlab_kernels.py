"""Kernels as MATLAB: arrays begin at 1 there."""

from __future__ import annotations

from ....emit import ir
from ...printers.kernel_printer import KernelPrinter
from .matlab_printer import matlab_literal


class MatlabKernel(KernelPrinter):
    AND, OR, NOT = " && ", " || ", "~"
    WORDS = {"break": "break;", "continue": "continue;"}
    END = {"loop": "end", "while": "end", "if": "end"}

    def number(self, value: float) -> str:
        return matlab_literal(value)

    def entry(self, array: str, at: str) -> str:
        return f"{array}({at} + 1)" if not at.isdigit() else f"{array}({int(at) + 1})"

    def loop_head(self, name: str, first: str, stop: ir.Expression, step: int) -> str:
        last = str(stop.value - 1) if isinstance(stop, ir.Constant) else f"{self.expression(stop)} - 1"
        return f"for {name} = {first}:{'' if step == 1 else f'{step}:'}({last})"

    def test_head(self, word: str, test: str) -> str:
        return f"{word} {test}"

    def mathematics(self, name: str, values: list[str]) -> str:
        return f"{'isfinite' if name == 'is_finite' else name}({', '.join(values)})"

    def quotient(self, left: str, right: str) -> str:
        return f"fix(({left}) / ({right}))"

    def as_number(self, text: str) -> str:
        return text

    def assignment(self, target: str, value: str) -> str:
        return f"{target} = {value};"

"""Kernels as text of languages with braces and semicolons: what C, JavaScript and Rust have in common."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce

from ...emit import ir
from .kernel_printer import KernelPrinter


class BraceKernel(KernelPrinter):
    AND, OR, NOT, ELSE = " && ", " || ", "!", "} else {"
    WORDS = {"break": "break;", "continue": "continue;"}
    END = {"loop": "}", "while": "}", "if": "}"}

    def entry(self, array: str, at: str) -> str:
        return f"{array}[{at}]"

    def assignment(self, target: str, value: str) -> str:
        return f"{target} = {value};"

    def returned(self, value: str | None) -> None:
        self.line("return;" if value is None else f"return {value};")

    def test_head(self, word: str, test: str) -> str:
        return f"{word} ({test}) {{"

    def loop_head(self, name: str, first: str, stop: ir.Expression, step: int) -> str:
        end, change = self.expression(stop), f"{name}++" if step == 1 else f"{name} += {step}"
        return f"for ({self.counter(name)} = {first}; {name} < {end}; {change}) {{"

    def counter(self, name: str) -> str:
        """A loop variable, with its declaration where it needs one."""
        raise NotImplementedError

    def select(self, e: ir.Select) -> str:
        return f"({self.expression(e.test)} ? {self.expression(e.yes)} : {self.expression(e.no)})"


EXTREMES: Mapping[str, str] = {"min": "least_of", "max": "largest_of"}  # of two numbers, as in Python


def extreme(name: str, values: list[str]) -> str:
    """min or max of several numbers, by functions of two. As in Python, a NaN is kept only where it comes first."""
    return reduce(lambda text, other: f"{EXTREMES[name]}({text}, {other})", values)

"""Kernels as text of languages with braces and semicolons: what JavaScript and Rust have in common."""

from __future__ import annotations

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

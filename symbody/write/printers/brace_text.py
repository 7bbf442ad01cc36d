"""Program -> a function of a language with braces, on flat arrays: what JavaScript and Rust have in common.

Linear systems are loops of the module (`Kernel`s), which factor in place and solve one right side after the other.
"""

from __future__ import annotations

from typing import ClassVar, Final

from ...algebra.printing.target_names import UniqueNames
from ...emit import ir
from .flat_text import FlatText

ARRAY_WIDTH: Final = 110  # characters in a line of an array


class BraceText(FlatText):
    """The function of a program.

    fields     of the parameters
    reserved   names of the module, which local ones must not hide
    """

    define_value: ClassVar[str]  # a statement, with places for name and text
    open_array: ClassVar[str]  # the first line of an array, with a place for its name
    define_rows: ClassVar[str]  # indices, with places for name and number

    def __init__(self, program: ir.Program, name: str, fields: tuple[str, ...], reserved: frozenset[str]) -> None:
        names = UniqueNames(lambda n: self.is_reserved(n) or n in reserved)
        for taken in ("t", "x", "r", "p"):
            names.take(taken)
        self.name = name
        self.arguments = ["t", "x", "r", "p", *(names.new(g.name) for g in program.inputs[4:])]
        self.results = [names.new(o.name) for o in program.outputs]
        groups = zip(self.arguments[1:], program.inputs[1:], strict=True)
        texts = [["t"], *([f"{a}[{k}]" for k in range(len(g))] for a, g in groups)]
        texts[3] = [f"p.{f}" for f in fields] if program.inputs[3].symbols else []
        super().__init__(program, names, texts)
        self.kernels: list[ir.Kernel] = []

    @staticmethod
    def is_reserved(name: str) -> bool:
        """Not free for a variable."""
        raise NotImplementedError

    def line(self, text: str) -> None:
        self.lines.append("    " + text)

    def truth(self, value: bool) -> ir.Term:
        return ir.Term("true" if value else "false")

    def declaration(self, k: int, name: str, text: str) -> str:
        return "    " + self.define_value.format(name, text)

    def store(self, o: int, out: ir.Output, at: int, text: str) -> None:
        self.line(f"{self.results[o]}[{at}] = {text};")

    def factor(self, i: ir.Instruction) -> str:
        shape, n = i.data, i.data.n
        name = self.array("factors", self.matrix_entries(i))
        given = name
        if ir.has_pivots(shape):
            rows = self.plan.names.new(f"{name}_rows")
            self.line(self.define_rows.format(rows, n, ", ".join(["0"] * n)))
            given = f"{name}, {rows}"
        self.call(ir.factor_kernel(shape), f"{n}, {given}")
        return given

    def array(self, wish: str, entries: list[str]) -> str:
        name = self.plan.names.new(wish)
        self.lines += [
            "    " + self.open_array.format(name),
            *ir.comma_lines(entries, "        ", ARRAY_WIDTH),
            "    ];",
        ]
        return name

    def call(self, kernel: ir.Kernel, arguments: str) -> None:
        if kernel not in self.kernels:
            self.kernels.append(kernel)
        self.line(f"{kernel.__name__}({arguments});")

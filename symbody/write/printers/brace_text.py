"""Program -> a function of a language with braces, on flat arrays: what JavaScript and Rust have in common.

Linear systems are loops of the module (`Kernel`s), which factor in place and solve one right side after the other.
"""

from __future__ import annotations

from typing import ClassVar, Final, Self

from ...algebra.printing.target_names import UniqueNames
from ...emit import ir
from .loop_printer import LoopText

ARRAY_WIDTH: Final = 110  # characters in a line of an array


class BraceText(LoopText):
    """The function of a program.

    fields     of the parameters
    reserved   names of the module, which local ones must not hide
    """

    define_value: ClassVar[str]  # a statement, with places for name and text
    open_array: ClassVar[str]  # the first line of an array, with a place for its name
    define_rows: ClassVar[str]  # indices, with places for name and number

    def __init__(
        self, program: ir.Program, name: str, fields: tuple[str, ...], reserved: frozenset[str], adds: tuple[bool, ...] | None = None
    ) -> None:  # fmt: skip
        names = UniqueNames(lambda n: self.is_reserved(n) or n in reserved)
        for taken in ("t", "x", "r", "p", "w", "at", "places"):
            names.take(taken)
        self.fields, self.reserved = fields, reserved
        signature = self.language.signature(program, names, fields) if adds is None else ([], [], [])
        super().__init__(program, name, names, *signature, adds)
        self.kernels: list[ir.Kernel] = []

    @staticmethod
    def is_reserved(name: str) -> bool:
        """Not free for a variable."""
        raise NotImplementedError

    def truth(self, value: bool) -> ir.Term:
        return ir.Term("true" if value else "false")

    def declaration(self, k: int, name: str, text: str) -> str:
        return "    " + self.define_value.format(name, text)

    def store_result(self, o: int, out: ir.Output, at: int, text: str) -> None:
        self.line(f"{self.results[o]}[{at}] = {text};")

    def fragment(self, program: ir.Program, name: str, adds: tuple[bool, ...]) -> Self:
        return type(self)(program, name, self.fields, self.reserved, adds)

    def take_needs(self, other: Self) -> None:
        self.kernels += [k for k in other.kernels if k not in self.kernels]

    # ------------------------------------------------------------------------------------------------ linear systems

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

"""Program -> a function of a language with braces, on flat arrays: what JavaScript and Rust have in common.

Linear systems are loops of the module (`Kernel`s), which factor in place and solve one right side after the other. A
fragment of a schedule is a function of the memory `w` and of a table of places.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final, Self

from ...algebra.printing.target_names import UniqueNames
from ...emit import ir
from .flat_text import FlatText

ARRAY_WIDTH: Final = 110  # characters in a line of an array


class BraceText(FlatText):
    """The function of a program.

    fields     of the parameters
    reserved   names of the module, which local ones must not hide
    adds       of a fragment: of each output whether it is added to what is there
    """

    define_value: ClassVar[str]  # a statement, with places for name and text
    open_array: ClassVar[str]  # the first line of an array, with a place for its name
    define_rows: ClassVar[str]  # indices, with places for name and number
    define_memory: ClassVar[str]  # of a schedule, with places for name and size
    place: ClassVar[str]  # of a group, in the table of places
    fragment_head: ClassVar[str]  # the first line of a fragment

    def __init__(
        self, program: ir.Program, name: str, fields: tuple[str, ...], reserved: frozenset[str], adds: tuple[bool, ...] | None = None
    ) -> None:  # fmt: skip
        names = UniqueNames(lambda n: self.is_reserved(n) or n in reserved)
        for taken in ("t", "x", "r", "p", "w", "at", "places"):
            names.take(taken)
        self.name, self.fields, self.reserved, self.adds = name, fields, reserved, adds
        self.arguments, self.results = list[str](), list[str]()
        if adds is not None:
            texts = [[f"w[{self.place.format(g)} + {k}]" for k in range(len(x))] for g, x in enumerate(program.inputs)]
        else:
            self.arguments = ["t", "x", "r", "p", *(names.new(g.name) for g in program.inputs[4:])]
            self.results = [names.new(o.name) for o in program.outputs]
            groups = zip(self.arguments[1:], program.inputs[1:], strict=True)
            texts = [["t"], *([f"{a}[{k}]" for k in range(len(g))] for a, g in groups)]
            texts[3] = [f"p.{f}" for f in fields] if program.inputs[3].symbols else []
        super().__init__(program, names, texts)
        self.kernels: list[ir.Kernel] = []
        self.runs = ir.copied_runs(self.program).without_groups(0, 3)  # time is a number, parameters are fields
        self.loops: list[str] = []  # lines of functions of schedules

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
        if self.adds is None:
            self.line(f"{self.results[o]}[{at}] = {text};")
        else:
            sign = "+=" if self.adds[o] else "="
            self.line(f"w[{self.place.format(len(self.inputs) + o)} + {at}] {sign} {text};")

    def outside(self, v: int) -> ir.Term:
        term = super().outside(v)
        if self.adds is None:
            return term
        name = self.name_of(v)  # read once
        self.lines.append(self.declaration(v, name, term.text))
        return ir.Term(name)

    # ------------------------------------------------------------------------------------------------ schedules

    def printable_program(self, program: ir.Program) -> ir.Program:
        return ir.without_tree_loops(program)

    def is_copied(self, o: int, at: int) -> bool:
        return (o, at) in self.runs.outputs

    def write(self) -> list[str]:
        super().write()
        for block, runs in self.runs.results.items():
            for o, at, count, place in runs:
                self.copy(self.results[o], at, self.blocks[block], place, count)
        for o, at, count, (group, first) in self.runs.inputs:
            self.copy(self.results[o], at, self.arguments[group], first, count)
        return self.lines

    def sweeps(self, k: int, i: ir.Instruction) -> str:
        number = len([b for b in self.blocks if self.code[b].op == "sweeps"])
        loop = f"{self.name}_loop" + (f"_{number + 1}" if number else "")
        memory = self.plan.names.new("memory")
        self.line(self.define_memory.format(memory, i.data.memory))
        for at, count, (group, first) in self.runs.arguments[k]:
            self.copy(memory, at, self.arguments[group], first, count)
        copied = self.runs.copied(k)
        for at, v in enumerate(i.args):
            if at not in copied:
                self.line(f"{memory}[{at}] = {self.finished(v)};")
        self.line(f"{loop}({memory});")
        self._write_loop(loop, i.data)
        return memory

    def _write_loop(self, loop: str, shape: ir.SweepShape) -> None:
        """Functions of a schedule."""
        functions = []
        for number, (fragment, adds) in enumerate(zip(shape.fragments, shape.adds, strict=True)):
            text = type(self)(fragment, f"{loop}_step_{number + 1}", self.fields, self.reserved, adds)
            statements = text.write()
            self.loops += [*text.loops, self.fragment_head.format(text.name), *statements, "}"]
            functions.append(text.name)
            self.take_needs(text)
        self.loops += self.loop(shape, loop, functions)

    def loop(self, shape: ir.SweepShape, name: str, functions: Sequence[str]) -> list[str]:
        """Lines of the function `name`, which runs the steps of a schedule."""
        raise NotImplementedError

    def take_needs(self, other: Self) -> None:
        """What a fragment needs of the module."""
        self.kernels += [k for k in other.kernels if k not in self.kernels]

    def copy(self, to: str, at: int, source: str, first: int, count: int) -> None:
        """A loop that copies neighbours."""
        raise NotImplementedError

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

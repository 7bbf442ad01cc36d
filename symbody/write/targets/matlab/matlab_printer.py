"""Program -> a function of MATLAB and Octave, on columns of numbers; linear systems by the backslash of the
language."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from ....algebra.printing.target_names import UniqueNames, is_matlab_reserved
from ....emit import ir
from ...printers.loop_printer import LoopLanguage, LoopText

CHOICE: Final = "choose_"  # local function for what has no operator
CHOICE_TEXT: Final = [
    f"function v = {CHOICE}(c, a, b)",
    "    if c",
    "        v = a;",
    "    else",
    "        v = b;",
    "    end",
    "end",
]


class MatlabNames(UniqueNames):
    """Names begin with a letter and have at most 63 characters."""

    def new(self, wish: str) -> str:
        return super().new(wish.lstrip("_")[:50] or "value")


def matlab_literal(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Inf" if value > 0 else "-Inf"
    return repr(float(value))


def matlab_array(name: str, entries: list[str]) -> list[str]:
    """name = [a; b; ...], over several lines."""
    if not entries:
        return [f"{name} = zeros(0, 1);"]
    lines = [line.replace(", ", "; ").replace(",", ";") + " ..." for line in ir.comma_lines(entries, "    ", 110)]
    return [f"{name} = [ ...", *lines, "    ];"]


def matlab_table(name: str, numbers: Sequence[int]) -> list[str]:
    """A constant array of a loop, by the last word of its name."""
    short = name.rpartition("_")[2]
    return [
        f"{short} = [ ...",
        *(f"{line} ..." for line in ir.comma_lines(list(map(str, numbers)), "    ", 110)),
        "    ];",
    ]


class MatlabText(LoopText):
    """The function of a program. Fragments of a schedule are branches of its loop, since functions would copy the memory."""

    language = LoopLanguage(
        package=__package__, file="loops.m", table=matlab_table, entry="w(places(at + {0}) + {1})", put="{0} = {1};",
        add="{0} = {0} + ({1});", memory="{0} = zeros({1}, 1);", run="{1} = {0}({1});", item="{0}({1})", first=1,
    )  # fmt: skip

    def __init__(
        self, program: ir.Program, prefix: str, fields: tuple[str, ...], adds: tuple[bool, ...] | None = None
    ) -> None:
        names = MatlabNames(lambda n: is_matlab_reserved(n) or n.lower().startswith(f"{prefix.lower()}_"))
        for taken in ("t", "x", "r", "p", "w", "at", "places", "kinds", CHOICE, *(f.name for f in program.externals)):
            names.take(taken)
        self.prefix, self.fields = prefix, fields
        signature = self.language.signature(program, names, fields) if adds is None else ([], [], [])
        super().__init__(program, program.name, names, *signature, adds)
        self.chooses = False

    def definition(self, about: list[str]) -> list[str]:
        statements = self.write()
        results = ", ".join(self.results)
        head = f"function [{results}] = {self.program.name}({', '.join(self.arguments)})"
        empty = [f"    {name} = zeros({_size(o)});" for name, o in zip(self.results, self.program.outputs, strict=True)]
        lines = [head, *(f"% {line}".rstrip() for line in about), *empty, *statements, "end"]
        return [*lines, *self.loops, *(["", *CHOICE_TEXT] if self.chooses else [])]

    def literal(self, value: float) -> str:
        return matlab_literal(value)

    def truth(self, value: bool) -> ir.Term:
        return ir.Term("true" if value else "false")

    def declaration(self, k: int, name: str, text: str) -> str:
        return f"    {name} = {text};"

    def function(self, i: ir.Instruction, args: list[ir.Term]) -> ir.Term:
        if i.op in ("and", "or"):
            sign, binds = (" && ", ir.AND) if i.op == "and" else (" || ", ir.OR)
            return ir.Term(sign.join(a.within(ir.COMPARISON) for a in args), binds)
        if i.op == "not":
            return ir.Term(f"~{args[0].within(ir.ATOM)}", ir.SIGN)
        if i.op == "pow":
            return ir.Term(f"{args[0].within(ir.ATOM)}^{args[1].within(ir.ATOM)}", ir.POWER)
        if i.op == "where":
            return self.chosen(*(a.text for a in args))
        if i.op in ("min", "max"):
            a, b = (x.text for x in args)
            return self.chosen(
                f"{args[0].within(ir.COMPARISON)} {'<=' if i.op == 'min' else '>='} {args[1].within(ir.COMPARISON)}",
                a,
                b,
            )
        if i.op == "call":
            name = f"{self.prefix}_{i.data.name}" if i.data.table else i.data.name
            return ir.Term(f"{name}({', '.join(a.text for a in args)})")
        return ir.Term(f"{i.op}({', '.join(a.text for a in args)})")

    def chosen(self, condition: str, yes: str, no: str) -> ir.Term:
        self.chooses = True
        return ir.Term(f"{CHOICE}({condition}, {yes}, {no})")

    # ------------------------------------------------------------------------------------------------ schedules

    def fragment(self, program: ir.Program, name: str, adds: tuple[bool, ...]) -> MatlabText:
        return MatlabText(replace(program, name=name), self.prefix, self.fields, adds)

    def take_needs(self, other: MatlabText) -> None:
        self.chooses = self.chooses or other.chooses

    def copy(self, to: str, at: int, source: str, first: int, count: int) -> None:
        self.line(f"{to}({at + 1}:{at + count}) = {source}({first + 1}:{first + count});")

    def copy_out(self, o: int, at: int, source: str, first: int, count: int) -> None:
        out = self.program.outputs[o]
        for start, row, col, n in ir.pieces_of_rows(out, at, count):
            to = f"{row + 1}, {col + 1}:{col + n}" if row is not None else f"{col + 1}:{col + n}"
            begin = first + start
            self.line(f"{self.results[o]}({to}) = {source}({begin + 1}:{begin + n});")

    def store_result(self, o: int, out: ir.Output, at: int, text: str) -> None:
        name = self.results[o]
        if out.is_sparse or len(out.shape) == 1:
            name += f"({at + 1})"
        elif len(out.shape) == 2:
            row, col = divmod(at, out.shape[1])
            name += f"({row + 1}, {col + 1})"
        self.line(f"{name} = {text};")

    # ------------------------------------------------------------------------------------------------ linear systems

    def factor(self, i: ir.Instruction) -> str:
        n = i.data.n
        name = self.matrix("A", self.matrix_entries(i), n, n, by_rows=True)
        if not ir.has_pivots(i.data):  # only the upper triangle was written
            self.line(f"{name} = {name} + triu({name}, 1).';")
        return name

    def solve(self, i: ir.Instruction, factors: str, right: list[str], sides: int) -> str:
        n = self.code[i.args[0]].data.n
        name = self.matrix("b", right, n, sides)
        self.line(f"{name} = {factors}{'.' + chr(39) if i.data else ''} \\ {name};")
        return name

    def matrix(self, wish: str, entries: list[str], rows: int, cols: int, by_rows: bool = False) -> str:
        name = self.plan.names.new(wish)
        self.lines += ["    " + line for line in matlab_array(name, entries)]
        self.line(
            f"{name} = reshape({name}, {cols}, {rows}).';" if by_rows else f"{name} = reshape({name}, {rows}, {cols});"
        )
        return name

    def item(self, block: str, at: int) -> str:
        return f"{block}({at + 1})"


def _size(o: ir.Output) -> str:
    shape = (len(o.values),) if o.is_sparse else o.shape
    return f"{shape[0]}, {shape[1] if len(shape) > 1 else 1}" if shape else "1, 1"

"""Schedules of fragments in the text of a program: tables of steps, and a loop over these, on an array of numbers.

The differences between languages are in their template `loops.*`, whose parts are the functions of a schedule, and in a
`LoopLanguage`, which contains their statements.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

from ...algebra.printing.target_names import UniqueNames
from ...emit import ir
from .flat_text import FlatText
from .templates import Template, template_parts

Table = Callable[[str, Sequence[int]], list[str]]


@dataclass(frozen=True, kw_only=True)
class LoopLanguage:
    """Statements of a language for loops over steps.

    package, file   of the template, with parts `fragment`, `case`, `loop`, and `columns` for schedules with repeated steps
    table           (name, numbers) -> lines of a constant array
    entry           number {1} of group {0} of a fragment
    put, add        store a number, or add it to the stored number
    memory          define a memory: name and size
    run             run a loop: its name, and that of the memory
    item            of the memory, and of arguments
    first           index of the first number of an array
    """

    package: str
    file: str
    table: Table
    entry: str = ""
    put: str = "{0} = {1};"
    add: str = "{0} += {1};"
    memory: str = ""
    run: str = "{0}({1});"
    item: str = "{0}[{1}]"
    first: int = 0

    @cached_property
    def parts(self) -> dict[str, Template]:
        return template_parts(self.package, self.file)

    def signature(
        self, program: ir.Program, names: UniqueNames, fields: Sequence[str]
    ) -> tuple[list[str], list[str], list[list[str]]]:
        """Names of the arguments and results of a function, and the text of each number among the arguments; parameters are
        `fields` of p."""
        arguments = ["t", "x", "r", "p", *(names.new(g.name) for g in program.inputs[4:])]
        results = [names.new(o.name) for o in program.outputs]
        groups = zip(arguments[1:], program.inputs[1:], strict=True)
        texts = [["t"], *([self.item.format(a, k + self.first) for k in range(len(g))] for a, g in groups)]
        texts[3] = [f"p.{f}" for f in fields] if program.inputs[3].symbols else []
        return arguments, results, texts


def loop_lines(
    shape: ir.SweepShape, name: str, functions: Sequence[str], language: LoopLanguage, bodies: Sequence[list[str]] = (), **more: str
) -> list[str]:  # fmt: skip
    """Lines of the function `name`, which runs all steps of a schedule. `functions` are the names of the functions of fragments;
    languages without such functions write the statements `bodies` into the loop."""
    columns, n, parts, first = shape.columns, len(shape.kinds), language.parts, language.first
    once = n if columns is None else columns.first
    seeds, found = ((), ()) if columns is None else (columns.seeds, columns.results)
    tables = {
        "kinds": shape.kinds, "places": [p + first for p in shape.places], "seeds": [p + first for p in seeds], "found": [p + first for p in found],
    }  # fmt: skip
    words: dict[str, Any] = {
        "name": name, "NAME": name.upper(), "steps": n, "once": once, "start": sum(shape.width(k) for k in shape.kinds[:once]),
        "repeated": n - once, "size": shape.size, "memory": shape.memory, "count": len(seeds), "results": len(found), **more,
    }  # fmt: skip
    for key, numbers in tables.items():
        if numbers:
            words[key] = language.table(f"{name}_{key}", numbers)
    words["cases"] = [
        line for k in sorted(set(shape.kinds)) for line in _case(shape, k, parts["case"], functions, bodies)
    ]
    return _filled_lines(parts["loop" if columns is None else "columns"], words)


def _case(
    shape: ir.SweepShape, k: int, part: Template, functions: Sequence[str], bodies: Sequence[list[str]]
) -> list[str]:
    width = shape.width(k)
    body = bodies[k] if bodies else []
    words = {"kind": k, "function": functions[k], "width": width, "groups": [f"&w[at[{g}]]" for g in range(width)]}
    return _filled_lines(part, {**words, "body": body})


def _filled_lines(part: Template, words: dict[str, Any]) -> list[str]:
    """Lines of a part, filled with those words for which it has slots."""
    return part.filled(**{k: v for k, v in words.items() if k in part.slots}).split("\n")


class LoopText(FlatText):
    """Statements of a program in a language with loops over steps. A fragment of a schedule is a text of the same kind, on the
    memory `w`.

    name        of the function
    arguments   of the function, t and p among them; none of a fragment
    results     names of the outputs
    adds        of a fragment: of each output whether it is added to what is there
    loops       lines of the functions of schedules
    """

    language: ClassVar[LoopLanguage]

    def __init__(
        self, program: ir.Program, name: str, names: UniqueNames, arguments: list[str], results: list[str], inputs: list[list[str]],
        adds: tuple[bool, ...] | None,
    ) -> None:  # fmt: skip
        if adds is not None:
            entry = self.language.entry
            inputs = [[entry.format(g, k) for k in range(len(x))] for g, x in enumerate(program.inputs)]
        super().__init__(program, names, inputs)
        self.name, self.arguments, self.results, self.adds = name, arguments, results, adds
        self.runs = ir.copied_runs(self.program).without_groups(0, 3)  # time is a number, parameters are fields
        self.loops: list[str] = []

    def line(self, text: str) -> None:
        self.lines.append("    " + text)

    def printable_program(self, program: ir.Program) -> ir.Program:
        return ir.without_tree_loops(program)

    def is_copied(self, o: int, at: int) -> bool:
        return (o, at) in self.runs.outputs

    def write(self) -> list[str]:
        super().write()
        for block, runs in self.runs.results.items():
            for o, at, count, place in runs:
                self.copy_out(o, at, self.blocks[block], place, count)
        for o, at, count, (group, first) in self.runs.inputs:
            self.copy_out(o, at, self.arguments[group], first, count)
        return self.lines

    def store(self, o: int, out: ir.Output, at: int, text: str) -> None:
        if self.adds is None:
            self.store_result(o, out, at, text)
        else:
            entry = self.language.entry.format(len(self.inputs) + o, at)
            self.line((self.language.add if self.adds[o] else self.language.put).format(entry, text))

    def outside(self, v: int) -> ir.Term:
        block = self.code[self.code[v].args[0]] if self.code[v].op == "item" else None
        if block is not None and block.op == "sweeps":
            place = block.data.items[self.code[v].data] + self.language.first
            return ir.Term(self.language.item.format(self.blocks[self.code[v].args[0]], place))
        term = super().outside(v)
        if self.adds is None:
            return term
        name = self.name_of(v)  # read once
        self.lines.append(self.declaration(v, name, term.text))
        return ir.Term(name)

    def sweeps(self, k: int, i: ir.Instruction) -> str:
        number = len([b for b in self.blocks if self.code[b].op == "sweeps"])
        loop = f"{self.name}_loop" + (f"_{number + 1}" if number else "")
        memory = self.new_memory(i.data)
        for at, count, (group, first) in self.runs.arguments[k]:
            self.copy(memory, at, self.arguments[group], first, count)
        for at in self.runs.arguments_left(k, len(i.args)):
            place = self.language.item.format(memory, at + self.language.first)
            self.line(self.language.put.format(place, self.finished(i.args[at])))
        self.line(self.language.run.format(loop, memory))
        self._write_loop(loop, i.data)
        return memory

    def new_memory(self, shape: ir.SweepShape) -> str:
        memory = self.plan.names.new("memory")
        self.line(self.language.memory.format(memory, shape.memory))
        return memory

    def _write_loop(self, loop: str, shape: ir.SweepShape) -> None:
        """Functions of a schedule."""
        functions, bodies = [], []
        for number, (program, adds) in enumerate(zip(shape.fragments, shape.adds, strict=True)):
            text = self.fragment(program, f"{loop}_step_{number + 1}", adds)
            bodies.append(text.write())
            self.loops += text.loops
            if "fragment" in self.language.parts:
                words = {"name": text.name, "body": bodies[-1], "declarations": text.declared_lines()}
                self.loops += _filled_lines(self.language.parts["fragment"], words)
            functions.append(text.name)
            self.take_needs(text)
        self.loops += loop_lines(shape, loop, functions, self.language, bodies)

    # ------------------------------------------------------------------------------------------------ languages

    def fragment(self, program: ir.Program, name: str, adds: tuple[bool, ...]) -> Self:
        """The text of a fragment."""
        raise NotImplementedError

    def declared_lines(self) -> list[str]:
        """Declarations of local names, in languages that have these before statements."""
        return []

    def take_needs(self, other: Self) -> None:
        """Register what a fragment needs from the module."""

    def store_result(self, o: int, out: ir.Output, at: int, text: str) -> None:
        """Store a number of an output."""
        raise NotImplementedError

    def copy(self, to: str, at: int, source: str, first: int, count: int) -> None:
        """Copy neighbours into a memory."""
        raise NotImplementedError

    def copy_out(self, o: int, at: int, source: str, first: int, count: int) -> None:
        """Copy neighbours of a memory or an argument into an output."""
        self.copy(self.results[o], at, source, first, count)

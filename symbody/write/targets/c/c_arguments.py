"""Arguments of generated C functions, and the external functions that they call."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from ....algebra.graph.functions import ExternalFunction
from ....algebra.printing.target_names import is_c_math, is_c_word
from ....emit import ir
from ....errors import ProgramError
from .c_style import CRecord, CStyle


@dataclass(frozen=True)
class CArgument:
    """An argument of a function: the name of an input group or an output in C, its declaration, and what it is checked
    for.

    record   the structure that it points to
    """

    name: str
    declaration: str
    is_read: bool = False  # an array of numbers, or a number, that comes in
    size: int | None = None  # numbers behind a pointer
    record: CRecord | None = None

    def entry(self, at: int) -> str:
        return f"{self.name}->{self.record.fields[at]}" if self.record else f"{self.name}[{at}]"


def input_argument(group: ir.Group, name: str, style: CStyle) -> CArgument:
    real, n = style.number.type, len(group)
    if group.is_scalar:
        return CArgument(name, f"{real} {name}", is_read=True)
    if record := style.records.get(group.name):
        return CArgument(name, f"const {record.type} *{name}", True, n, record)
    return CArgument(name, f"const {real} {name}[{n}]" if n else f"const {real} *{name}", True, n)


def output_argument(out: ir.Output, name: str, style: CStyle) -> CArgument:
    is_array = out.values and (out.shape or out.is_sparse)
    real = style.number.type
    declaration = f"{real} {name}[{len(out.values)}]" if is_array else f"{real} *{name}"
    return CArgument(name, declaration, size=len(out.values))


def signature(start: str, declarations: Iterable[str]) -> str:
    one_line = f"{start}({', '.join(declarations) or 'void'})"
    if len(one_line) <= 120:
        return one_line
    return "\n".join([f"{start}(", *ir.comma_lines(list(declarations), "    "), ")"])


# ------------------------------------------------------------------------------------------------- checks


def checks(arguments: Iterable[CArgument], style: CStyle) -> list[str]:
    """Lines that refuse arguments: pointers to nothing, results that overlap what is read, numbers that are not
    finite."""
    given = list(arguments)
    pointers = [a for a in given if a.size]
    read = [a for a in given if a.is_read]
    P = style.prefix.upper()
    lines = [f"#ifndef {style.guard}"]
    if pointers:
        lines += _unless(" || ".join(f"{a.name} == 0" for a in pointers), f"{P}_NULL_ARGUMENT")
    results = [a for a in pointers if not a.is_read]
    same = [f"{o.name} == {a.name}" for o in results for a in pointers if a.is_read and not a.record]
    if same:
        lines += _unless(" || ".join(same), f"{P}_OVERLAPPING_ARGUMENTS")
    finite = [
        f"!{style.prefix}_is_finite({_first(a, style.number.type)}, {1 if a.size is None else a.size})"
        for a in read
        if a.size != 0
    ]
    if finite:
        lines += _unless(" || ".join(finite), f"{P}_ARGUMENT_NOT_FINITE")
    return [*lines, "#endif"]


def _first(a: CArgument, real: str) -> str:
    """The address of the first number of an argument. (A structure holds numbers of one type only, one after the
    other.)"""
    if a.size is None:
        return f"&{a.name}"
    return f"(const {real} *){a.name}" if a.record else a.name


def _unless(test: str, code: str) -> list[str]:
    return [f"    if ({test}) {{", f"        return {code};", "    }"]


# ------------------------------------------------------------------------------------------------- external functions


def check_externals(program: ir.Program) -> None:
    """Their names stand in the text as they are: the linker, or the text that comes with them, knows them by these."""
    seen: dict[str, ExternalFunction] = {}
    for f in program.externals:
        where = f"program {program.name!r} as C: external function {f.name!r}"
        if f.table is None and (is_c_word(f.name) or (f.c is not None and is_c_math(f.name))):
            raise ProgramError(f"{where} has a name that C keeps for itself; give it another")
        if f.table is None and f.name == program.name:
            raise ProgramError(f"{where} has the name of the program; give one of them another")
        other = seen.setdefault(f.name, f)
        if (other.arity, other.c, other.table) != (f.arity, f.c, f.table):
            raise ProgramError(f"{where} shares its name with a different one; give one of them another")


def is_declared(f: ExternalFunction) -> bool:
    """Whether the header declares the function; otherwise its text is here, or <math.h> knows it."""
    return f.c is None and f.table is None and not is_c_math(f.name)


def functions_in(text: str) -> list[str]:
    """Names that a piece of C may define or call, and macros."""
    return re.findall(r"\b([A-Za-z_]\w*)\s*\(", text) + re.findall(r"#\s*define\s+(\w+)", text)


def each_once(functions: Iterable[ExternalFunction]) -> list[ExternalFunction]:
    return list({f.name: f for f in functions}.values())

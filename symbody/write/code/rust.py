"""Program -> a function of Rust, on slices of f64, without the standard library.

    pub fn name(t: f64, x: &[f64], r: &[f64], p: &Parameters, M: &mut [f64]) -> Result<(), Error>

Outputs are flat, row after row; a single number is a slice of one. Linear systems are loops of the crate.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from ...algebra.target_names import UniqueNames, is_rust_reserved
from ...emit.loops.kernels import factor_kernel, has_pivots, solve_kernel
from ...emit.loops.language import Kernel
from ...emit.program.program import Instruction, Output, Program
from ...emit.text.infix import AND, COMPARISON, OR, POWER, SIGN, Term, filled
from .flat import FlatText

_ENTRIES: Final = 110  # width of lines of arrays


def rust_literal(value: float) -> str:
    if math.isnan(value):
        return "f64::NAN"
    if math.isinf(value):
        return "f64::INFINITY" if value > 0 else "-f64::INFINITY"
    return f"{float(value)!r}_f64"  # without the ending, a negated number takes the type of whatever calls for it


def rust_array(name: str, values: Sequence[float | int]) -> list[str]:
    """Lines of a constant array."""
    kind = "usize" if values and isinstance(values[0], int) else "f64"
    texts = [str(v) if isinstance(v, int) else repr(float(v)) for v in values]
    return [f"static {name}: [{kind}; {len(values)}] = [", *filled(texts, "    ", _ENTRIES), "];"]


class RustText(FlatText):
    """The function of a program.

    fields     of the parameters
    reserved   names of the crate, which local ones must not hide
    """

    def __init__(self, program: Program, name: str, fields: tuple[str, ...], reserved: frozenset[str]) -> None:
        names = UniqueNames(lambda n: is_rust_reserved(n) or n in reserved)
        for taken in ("t", "x", "r", "p"):
            names.take(taken)
        self.name = name
        self.arguments = ["t", "x", "r", "p", *(names.new(g.name) for g in program.inputs[4:])]
        self.results = [names.new(o.name) for o in program.outputs]
        groups = zip(self.arguments[1:], program.inputs[1:], strict=True)
        texts = [["t"], *([f"{a}[{k}]" for k in range(len(g))] for a, g in groups)]
        texts[3] = [f"p.{f}" for f in fields] if program.inputs[3].symbols else []
        super().__init__(program, names, texts)
        self.kernels: list[Kernel] = []
        self.mathematics: set[str] = set()

    def definition(self, about: str) -> list[str]:
        statements = self.write()
        inputs = [(a, len(g)) for a, g in zip(self.arguments, self.program.inputs, strict=True)]
        results = [(a, len(o.values)) for a, o in zip(self.results, self.program.outputs, strict=True)]
        return [f"/// {about}", *rust_head(self.name, inputs, results), *statements, "    Ok(())", "}"]

    def line(self, text: str) -> None:
        self.lines.append("    " + text)

    def literal(self, value: float) -> str:
        return rust_literal(value)

    def truth(self, value: bool) -> Term:
        return Term("true" if value else "false")

    def declaration(self, k: int, name: str, text: str) -> str:
        return f"    let {name} = {text};"

    def function(self, i: Instruction, args: list[Term]) -> Term:
        texts = [a.text for a in args]
        if i.op in ("and", "or"):
            sign, binds = (" && ", AND) if i.op == "and" else (" || ", OR)
            return Term(sign.join(a.within(COMPARISON + 1) for a in args), binds)
        if i.op == "not":
            return Term(f"!{args[0].within(POWER)}", SIGN)
        if i.op == "where":
            return Term(f"(if {texts[0]} {{ {texts[1]} }} else {{ {texts[2]} }})")
        if i.op == "call":
            return Term(f"{i.data.name}({', '.join(texts)})")
        self.mathematics.add(i.op)
        return Term(f"math::{i.op}({', '.join(texts)})")

    def store(self, o: int, out: Output, at: int, text: str) -> None:
        self.line(f"{self.results[o]}[{at}] = {text};")

    # ------------------------------------------------------------------------------------------------ linear systems

    def factor(self, i: Instruction) -> str:
        shape, n = i.data, i.data.n
        name = self.array("factors", self.matrix_entries(i))
        given = name
        if has_pivots(shape):
            self.mathematics.add("abs")
            rows = self.plan.names.new(f"{name}_rows")
            self.line(f"let {rows}: &mut [usize] = &mut [0; {n}];")
            given = f"{name}, {rows}"
        self.call(factor_kernel(shape), f"{n}, {given}")
        return given

    def solve(self, i: Instruction, factors: str, right: list[str], sides: int) -> str:
        shape = self.code[i.args[0]].data
        name = self.array("solution", right)
        for s in range(sides):
            self.call(solve_kernel(shape, i.data), f"{shape.n}, {factors}, &mut {name}[{s * shape.n}..]")
        return name

    def array(self, wish: str, entries: list[str]) -> str:
        name = self.plan.names.new(wish)
        self.lines += [f"    let {name}: &mut [f64] = &mut [", *filled(entries, "        ", _ENTRIES), "    ];"]
        return name

    def call(self, kernel: Kernel, arguments: str) -> None:
        if kernel not in self.kernels:
            self.kernels.append(kernel)
        self.line(f"{kernel.__name__}({arguments});")

    def item(self, block: str, at: int) -> str:
        return f"{block}[{at}]"


def rust_head(
    name: str, inputs: Sequence[tuple[str, int]], results: Sequence[tuple[str, int]], changes: str = ""
) -> list[str]:
    """The signature, and the lines that refuse slices that are too short, and numbers that are not finite where arguments are looked at.

    changes   the input that is written to
    """
    types = {"t": "f64", "p": "&Parameters", changes: "&mut [f64]"}
    given = [f"{a}: {types.get(a, '&[f64]')}" for a, _ in inputs] + [f"{a}: &mut [f64]" for a, _ in results]
    arrays = [(a, n) for a, n in (*inputs, *results) if a not in ("t", "p") and n]
    short = " || ".join(f"{a}.len() < {n}" for a, n in arrays)
    finite = [
        "!finite(&[t])",
        *(f"!finite(&{a}[..{n}])" for a, n in inputs if a not in ("t", "p") and n),
        "!p.is_finite()",
    ]
    return [
        f"pub fn {name}({', '.join(given)}) -> Result<(), Error> {{",
        *([f"    if {short} {{", "        return Err(Error::TooShort);", "    }"] if short else []),
        f"    if CHECKS && ({' || '.join(finite)}) {{",
        "        return Err(Error::NotFinite);",
        "    }",
    ]

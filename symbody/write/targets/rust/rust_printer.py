"""Program -> a function of Rust, on slices of f64, without the standard library.

    pub fn name(t: f64, x: &[f64], r: &[f64], p: &Parameters, M: &mut [f64]) -> Result<(), Error>

Outputs are flat, row after row; a single number is a slice of one. Linear systems are loops of the crate.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from ....algebra.printing.target_names import is_rust_reserved
from ....emit import ir
from ...printers.brace_text import BraceText
from ...printers.loop_printer import LoopLanguage
from .rust_text import rust_array, rust_literal


class RustText(BraceText):
    """The function of a program."""

    is_reserved = staticmethod(is_rust_reserved)
    define_value, open_array = "let {0} = {1};", "let {0}: &mut [f64] = &mut ["
    language = LoopLanguage(
        package=__package__, file="loops.rs", table=lambda name, numbers: rust_array(name.upper(), numbers),
        entry="w[at[{0}] + {1}]", memory="let {0}: &mut [f64] = &mut [0.0; {1}];",
    )  # fmt: skip
    define_rows = "let {0}: &mut [usize] = &mut [0; {1}];"

    def __init__(
        self, program: ir.Program, name: str, fields: tuple[str, ...], reserved: frozenset[str], adds: tuple[bool, ...] | None = None
    ) -> None:  # fmt: skip
        super().__init__(program, name, fields, reserved, adds)
        self.mathematics: set[str] = set()

    def definition(self, about: str) -> list[str]:
        statements = self.write()
        inputs = [(a, len(g)) for a, g in zip(self.arguments, self.program.inputs, strict=True)]
        results = [(a, len(o.values)) for a, o in zip(self.results, self.program.outputs, strict=True)]
        return [*self.loops, f"/// {about}", *rust_head(self.name, inputs, results), *statements, "    Ok(())", "}"]

    def literal(self, value: float) -> str:
        return rust_literal(value)

    def function(self, i: ir.Instruction, args: list[ir.Term]) -> ir.Term:
        texts = [a.text for a in args]
        if i.op in ("and", "or"):
            sign, binds = (" && ", ir.AND) if i.op == "and" else (" || ", ir.OR)
            return ir.Term(sign.join(a.within(ir.COMPARISON + 1) for a in args), binds)
        if i.op == "not":
            return ir.Term(f"!{args[0].within(ir.POWER)}", ir.SIGN)
        if i.op == "where":
            return ir.Term(f"(if {texts[0]} {{ {texts[1]} }} else {{ {texts[2]} }})")
        if i.op == "call":
            return ir.Term(f"{i.data.name}({', '.join(texts)})")
        self.mathematics.add(i.op)
        return ir.Term(f"math::{i.op}({', '.join(texts)})")

    # ------------------------------------------------------------------------------------------------ schedules

    def take_needs(self, other: Self) -> None:
        super().take_needs(other)
        self.mathematics |= other.mathematics

    def copy(self, to: str, at: int, source: str, first: int, count: int) -> None:
        self.line(f"{to}[{at}..{at + count}].copy_from_slice(&{source}[{first}..{first + count}]);")

    # ------------------------------------------------------------------------------------------------ linear systems

    def factor(self, i: ir.Instruction) -> str:
        if ir.has_pivots(i.data):
            self.mathematics.add("abs")
        return super().factor(i)

    def solve(self, i: ir.Instruction, factors: str, right: list[str], sides: int) -> str:
        shape = self.code[i.args[0]].data
        name = self.array("solution", right)
        for s in range(sides):
            self.call(ir.solve_kernel(shape, i.data), f"{shape.n}, {factors}, &mut {name}[{s * shape.n}..]")
        return name

    def item(self, block: str, at: int) -> str:
        return f"{block}[{at}]"


def rust_head(
    name: str, inputs: Sequence[tuple[str, int]], results: Sequence[tuple[str, int]], changes: str = ""
) -> list[str]:
    """The signature, and the lines that refuse slices that are too short, and numbers that are not finite where
    arguments are looked at.

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

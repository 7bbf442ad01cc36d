"""Program -> a function of JavaScript, on arrays of numbers, plain or typed.

    function name(t, x, r, p, M = new Float64Array(9)) { ...; return M; }

Outputs are flat, row after row; a single number is an array of one. Linear systems are loops of the module.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from ...algebra.target_names import UniqueNames, is_javascript_reserved
from ...emit.loops.kernels import factor_kernel, has_pivots, solve_kernel
from ...emit.loops.language import Kernel
from ...emit.program.program import Instruction, Output, Program
from ...emit.text.infix import AND, CHOICE, COMPARISON, OR, POWER, SIGN, Term, filled
from .flat import FlatText

_ENTRIES: Final = 110  # width of lines of arrays


def javascript_literal(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return repr(float(value))


def javascript_array(values: Sequence[float | int]) -> list[str]:
    """Lines of an array of numbers, brackets included."""
    texts = [str(v) if isinstance(v, int) else javascript_literal(v) for v in values]
    return ["[", *filled(texts, "    ", _ENTRIES), "]"]


class JavaScriptText(FlatText):
    """The function of a program.

    fields     of the parameters
    reserved   names of the module, which local ones must not hide
    """

    def __init__(self, program: Program, name: str, fields: tuple[str, ...], reserved: frozenset[str]) -> None:
        names = UniqueNames(lambda n: is_javascript_reserved(n) or n in reserved)
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
        self.solutions: dict[str, tuple[int, list[str]]] = {}  # unknowns, and one array for each right side

    def definition(self, about: str) -> list[str]:
        statements = self.write()
        sizes = [len(o.values) for o in self.program.outputs]
        made = [f"{name} = new Float64Array({n})" for name, n in zip(self.results, sizes, strict=True)]
        returned = self.results[0] if len(self.results) == 1 else f"[{', '.join(self.results)}]"
        return [
            f"// {about}",
            f"function {self.name}({', '.join([*self.arguments, *made])}) {{",
            *argument_checks(self.name, [(a, len(g)) for a, g in zip(self.arguments, self.program.inputs, strict=True)]),
            *statements,
            f"    return {returned};",
            "}",
        ]  # fmt: skip

    def line(self, text: str) -> None:
        self.lines.append("    " + text)

    def literal(self, value: float) -> str:
        return javascript_literal(value)

    def truth(self, value: bool) -> Term:
        return Term("true" if value else "false")

    def declaration(self, k: int, name: str, text: str) -> str:
        return f"    const {name} = {text};"

    def function(self, i: Instruction, args: list[Term]) -> Term:
        if i.op in ("and", "or"):
            sign, binds = (" && ", AND) if i.op == "and" else (" || ", OR)
            return Term(sign.join(a.within(COMPARISON) for a in args), binds)
        if i.op == "not":
            return Term(f"!{args[0].within(POWER)}", SIGN)
        if i.op == "where":
            return Term(f"{args[0].within(OR)} ? {args[1].within(OR)} : {args[2].within(OR)}", CHOICE)
        if i.op in ("min", "max"):
            a, b = (x.within(POWER) for x in args)
            return Term(f"{a} {'<=' if i.op == 'min' else '>='} {b} ? {a} : {b}", CHOICE)
        name = i.data.name if i.op == "call" else f"Math.{i.op}"
        return Term(f"{name}({', '.join(a.text for a in args)})")

    def store(self, o: int, out: Output, at: int, text: str) -> None:
        self.line(f"{self.results[o]}[{at}] = {text};")

    # ------------------------------------------------------------------------------------------------ linear systems

    def factor(self, i: Instruction) -> str:
        shape, n = i.data, i.data.n
        name = self.array("factors", self.matrix_entries(i))
        given = name
        if has_pivots(shape):
            rows = self.plan.names.new(f"{name}_rows")
            self.line(f"const {rows} = [{', '.join(['0'] * n)}];")
            given = f"{name}, {rows}"
        self.call(factor_kernel(shape), f"{n}, {given}")
        return given

    def solve(self, i: Instruction, factors: str, right: list[str], sides: int) -> str:
        shape = self.code[i.args[0]].data
        n = shape.n
        arrays = [self.array("solution", right[s * n : (s + 1) * n]) for s in range(sides)]
        for name in arrays:
            self.call(solve_kernel(shape, i.data), f"{n}, {factors}, {name}")
        self.solutions[arrays[0]] = n, arrays
        return arrays[0]

    def array(self, wish: str, entries: list[str]) -> str:
        name = self.plan.names.new(wish)
        self.lines += [f"    const {name} = [", *filled(entries, "        ", _ENTRIES), "    ];"]
        return name

    def call(self, kernel: Kernel, arguments: str) -> None:
        if kernel not in self.kernels:
            self.kernels.append(kernel)
        self.line(f"{kernel.__name__}({arguments});")

    def item(self, block: str, at: int) -> str:
        n, arrays = self.solutions[block]
        side, row = divmod(at, n)
        return f"{arrays[side]}[{row}]"


def argument_checks(function: str, arguments: Sequence[tuple[str, int]]) -> list[str]:
    """Lines that refuse arguments that are too short, and numbers that are not finite, where the module says that arguments are looked at."""
    tests = [f'checked("{function}", "{a}", {"[t]" if a == "t" else a}, {n});' for a, n in arguments if a != "p"]
    return [
        "    if (CHECKS) {",
        *(f"        {t}" for t in tests),
        f'        checkedParameters("{function}", p);',
        "    }",
    ]

"""Program -> a function of JavaScript, on arrays of numbers, plain or typed.

    function name(t, x, r, p, M = new Float64Array(9)) { ...; return M; }

Outputs are flat, row after row; a single number is an array of one. Linear systems are loops of the module.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....algebra.printing.target_names import is_javascript_reserved
from ....emit import ir
from ...printers.brace_text import BraceText
from ...printers.loop_printer import LoopLanguage
from .javascript_text import javascript_constant, javascript_literal


class JavaScriptText(BraceText):
    """The function of a program."""

    is_reserved = staticmethod(is_javascript_reserved)
    define_value, open_array, define_rows = "const {0} = {1};", "const {0} = [", "const {0} = [{2}];"
    language = LoopLanguage(
        package=__package__, file="loops.js", table=javascript_constant,
        entry="w[places[at + {0}] + {1}]", memory="const {0} = new Float64Array({1});",
    )  # fmt: skip

    def __init__(
        self, program: ir.Program, name: str, fields: tuple[str, ...], reserved: frozenset[str], adds: tuple[bool, ...] | None = None
    ) -> None:  # fmt: skip
        super().__init__(program, name, fields, reserved, adds)
        self.solutions: dict[str, tuple[int, list[str]]] = {}  # unknowns, and one array for each right side

    def definition(self, about: str) -> list[str]:
        statements = self.write()
        sizes = [len(o.values) for o in self.program.outputs]
        made = [f"{name} = new Float64Array({n})" for name, n in zip(self.results, sizes, strict=True)]
        returned = self.results[0] if len(self.results) == 1 else f"[{', '.join(self.results)}]"
        return [
            *self.loops,
            f"// {about}",
            f"function {self.name}({', '.join([*self.arguments, *made])}) {{",
            *argument_checks(self.name, [(a, len(g)) for a, g in zip(self.arguments, self.program.inputs, strict=True)]),
            *statements,
            f"    return {returned};",
            "}",
        ]  # fmt: skip

    def literal(self, value: float) -> str:
        return javascript_literal(value)

    def function(self, i: ir.Instruction, args: list[ir.Term]) -> ir.Term:
        if i.op in ("and", "or"):
            sign, binds = (" && ", ir.AND) if i.op == "and" else (" || ", ir.OR)
            return ir.Term(sign.join(a.within(ir.COMPARISON) for a in args), binds)
        if i.op == "not":
            return ir.Term(f"!{args[0].within(ir.POWER)}", ir.SIGN)
        if i.op == "where":
            return ir.Term(f"{args[0].within(ir.OR)} ? {args[1].within(ir.OR)} : {args[2].within(ir.OR)}", ir.CHOICE)
        if i.op in ("min", "max"):
            a, b = (x.within(ir.POWER) for x in args)
            return ir.Term(f"{a} {'<=' if i.op == 'min' else '>='} {b} ? {a} : {b}", ir.CHOICE)
        name = i.data.name if i.op == "call" else f"Math.{i.op}"
        return ir.Term(f"{name}({', '.join(a.text for a in args)})")

    # ------------------------------------------------------------------------------------------------ schedules

    def copy(self, to: str, at: int, source: str, first: int, count: int) -> None:
        k = self.plan.names.new("entry")
        left, right = (f"{name}[{f'{n} + ' if n else ''}{k}]" for name, n in ((to, at), (source, first)))
        self.line(f"for (let {k} = 0; {k} < {count}; {k} += 1) {{ {left} = {right}; }}")

    # ------------------------------------------------------------------------------------------------ linear systems

    def solve(self, i: ir.Instruction, factors: str, right: list[str], sides: int) -> str:
        shape = self.code[i.args[0]].data
        n = shape.n
        arrays = [self.array("solution", right[s * n : (s + 1) * n]) for s in range(sides)]
        for name in arrays:
            self.call(ir.solve_kernel(shape, i.data), f"{n}, {factors}, {name}")
        self.solutions[arrays[0]] = n, arrays
        return arrays[0]

    def item(self, block: str, at: int) -> str:
        n, arrays = self.solutions[block]
        side, row = divmod(at, n)
        return f"{arrays[side]}[{row}]"


def argument_checks(function: str, arguments: Sequence[tuple[str, int]]) -> list[str]:
    """Lines that refuse arguments that are too short, and numbers that are not finite, where the module says that
    arguments are looked at."""
    tests = [f'checked("{function}", "{a}", {"[t]" if a == "t" else a}, {n});' for a, n in arguments if a != "p"]
    return [
        "    if (CHECKS) {",
        *(f"        {t}" for t in tests),
        f'        checkedParameters("{function}", p);',
        "    }",
    ]

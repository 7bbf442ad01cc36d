"""Program -> equations of Modelica: a variable for each value that has a name, an equation for each variable.

Linear systems stand as they are, A x = b with the unknowns on the left: tools solve them. Choices are if-expressions,
at whose switches tools stop.
"""

from __future__ import annotations

import math
from typing import Final

from ....algebra.graph.functions import ExternalFunction, LookupTable
from ....algebra.printing.target_names import UniqueNames
from ....emit import ir
from ....errors import ProgramError
from ...printers.flat_text import FlatText

MODELICA_WORDS: Final = frozenset(
    """
    algorithm and annotation assert block break class connect connector constant constrainedby der discrete each else elseif elsewhen
    encapsulated end enumeration equation expandable extends external false final flow for function if import impure in initial inner
    input loop model not operator or outer output package parameter partial protected public pure record redeclare replaceable return
    stream then true type when while within time Real Integer Boolean String abs sign sqrt sin cos tan asin acos atan atan2 sinh cosh
    tanh exp log log10 div mod rem ceil floor integer pre edge change reinit initial terminal noEvent smooth sample delay cardinality
    homotopy semiLinear inStream actualStream spatialDistribution getInstanceName terminate Connections Clock StateSelect size ndims
    vector matrix scalar transpose identity diagonal zeros ones fill linspace min max sum product outerProduct symmetric cross skew cat
    hold previous interval superSample subSample shiftSample backSample noClock array ndims ExternalObject AssertionLevel
    """.split()
)


def is_modelica_reserved(name: str) -> bool:
    """A keyword of Modelica, one of its functions and types, or `t`, by which results of rumoca call time."""
    return name in MODELICA_WORDS or name == "t"


def modelica_literal(value: float) -> str:
    if not math.isfinite(value):
        raise ProgramError(f"Modelica cannot write the number {value}; give the model finite values")
    return repr(float(value))


class ModelicaText(FlatText):
    """Equations of a program. `variables` are the names that they define, with their types."""

    def __init__(self, program: ir.Program, names: UniqueNames, inputs: list[list[str]]) -> None:
        super().__init__(program, names, inputs)
        self.variables: dict[str, str] = {}
        self.results: list[list[str]] = [[] for _ in program.outputs]
        self.matrices: dict[str, list[str]] = {}
        self.solutions: dict[str, list[str]] = {}

    def literal(self, value: float) -> str:
        return modelica_literal(value)

    def truth(self, value: bool) -> ir.Term:
        return ir.Term("true" if value else "false")

    def declaration(self, k: int, name: str, text: str) -> str:
        self.variables[name] = "Boolean" if self.code[k].op in ir.CONDITIONS else "Real"
        return f"{name} = {text};"

    def operation(self, i: ir.Instruction) -> ir.Term:
        if i.op == "eq":  # numbers may be compared by == in functions only
            a, b = (self.term(v).within(ir.SUM) for v in i.args)
            return ir.Term(f"{a} <= {b} and {a} >= {b}", ir.AND)
        return super().operation(i)

    def function(self, i: ir.Instruction, args: list[ir.Term]) -> ir.Term:
        if i.op in ("and", "or"):
            binds = ir.AND if i.op == "and" else ir.OR
            return ir.Term(f" {i.op} ".join(a.within(binds + 1) for a in args), binds)
        if i.op == "not":
            return ir.Term(f"not {args[0].within(ir.ATOM)}", ir.AND)
        if i.op == "pow":
            return ir.Term(f"{args[0].within(ir.ATOM)}^{args[1].within(ir.ATOM)}", ir.POWER)
        if i.op == "where":
            return self.chosen(*(a.text for a in args))
        if i.op in ("min", "max"):
            test = f"{args[0].within(ir.SUM)} {'<=' if i.op == 'min' else '>='} {args[1].within(ir.SUM)}"
            return self.chosen(test, args[0].text, args[1].text)
        if i.op == "call":
            return self.called(i.data, args)
        return ir.Term(f"{i.op}({', '.join(a.text for a in args)})")

    def chosen(self, condition: str, yes: str, no: str) -> ir.Term:
        return ir.Term(f"(if {condition} then {yes} else {no})")

    def called(self, f: ExternalFunction, args: list[ir.Term]) -> ir.Term:
        """A function by its name; samples are written out."""
        if f.table is None:
            return ir.Term(f"{f.name}({', '.join(a.text for a in args)})")
        return self.looked_up(f.table, args[0])

    def looked_up(self, table: LookupTable, at: ir.Term) -> ir.Term:
        """A piecewise polynomial, written out: constant before the first time and after the last; as a rate zero
        there."""
        x, times, pieces = at.within(ir.ATOM), table.times, table.coefficients
        outside = [
            modelica_literal(0.0 if table.is_rate else _value(pieces[k], times[0 if k == 0 else -1] - times[k]))
            for k in (0, -1 % len(pieces))
        ]
        texts = [_polynomial(x, t, row) for t, row in zip(times, pieces, strict=False)]
        cases = [
            f"if {x} < {modelica_literal(times[0])} then {outside[0]}",
            f"elseif {x} > {modelica_literal(times[-1])} then {outside[1]}",
        ]
        cases += [
            f"elseif {x} < {modelica_literal(t)} then {text}" for t, text in zip(times[1:-1], texts, strict=False)
        ]
        return ir.Term(f"({' '.join(cases)} else {texts[-1]})")

    def store(self, o: int, out: ir.Output, at: int, text: str) -> None:
        self.results[o].append(text)

    # ------------------------------------------------------------------------------------------------ linear systems

    def factor(self, i: ir.Instruction) -> str:
        n, entries = i.data.n, self.matrix_entries(i)
        if not ir.has_pivots(i.data):  # only the upper triangle was written
            entries = [entries[min(a, b) * n + max(a, b)] for a in range(n) for b in range(n)]
        name = f"matrix {len(self.matrices)}"
        self.matrices[name] = entries
        return name

    def matrix_entries(self, factor: ir.Instruction) -> list[str]:
        """Entries stand once for each right side: each gets a name, or is one."""
        for v in factor.args:
            self.repeatable(v)
        return super().matrix_entries(factor)

    def solve(self, i: ir.Instruction, factors: str, right: list[str], sides: int) -> str:
        A, n, found = self.matrices[factors], self.code[i.args[0]].data.n, []
        for s in range(sides):
            unknowns = [self.plan.names.new(f"solution_{k + 1}") for k in range(n)]
            self.variables |= dict.fromkeys(unknowns, "Real")
            for row in range(n):
                entries = [A[k * n + row] if i.data else A[row * n + k] for k in range(n)]
                terms = [f"({a})*{x}" for a, x in zip(entries, unknowns, strict=True) if a != "0.0"]
                self.lines.append(f"{' + '.join(terms) or '0.0'} = {right[s * n + row]};")
            found += unknowns
        name = f"solution {len(self.solutions)}"
        self.solutions[name] = found
        return name

    def item(self, block: str, at: int) -> str:
        return self.solutions[block][at]


def _value(coefficients: tuple[float, ...], s: float) -> float:
    y = 0.0
    for c in coefficients:
        y = y * s + c
    return y


def _polynomial(x: str, t: float, coefficients: tuple[float, ...]) -> str:
    """By Horner's rule."""
    shifted = f"({x} - ({modelica_literal(t)}))"
    text = modelica_literal(coefficients[0])
    for c in coefficients[1:]:
        text = f"({text})*{shifted} + ({modelica_literal(c)})"
    return text

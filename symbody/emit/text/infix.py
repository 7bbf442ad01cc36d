"""Program -> statements `name = expression`, for languages with the usual infix notation.

A value that has a meaning (a label), or is used more than once, gets a name; a value used once is written where it is
used as long as the line stays short. Parentheses are set where the language would otherwise group differently, so that
rounding is the same as in the program: `(a + b) + c` loses its parentheses, `a + (b + c)` keeps them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Final, NamedTuple

from ...algebra.printing.target_names import UniqueNames
from ..loops.program_kernels import has_pivots
from ..programs.program import Instruction, Output, Program

CONDITIONS: Final = frozenset("lt le eq and or not true".split())
WIDTH: Final = 96  # characters of an expression; longer ones are split
ENTRY_WIDTH: Final = 40  # characters of an expression in a list of entries

# How tightly the outermost operation of an expression holds its operands.
CHOICE, OR, AND, COMPARISON, SUM, PRODUCT, SIGN, POWER, ATOM = range(1, 10)
INFIX: Final = {"add": (" + ", SUM), "sub": (" - ", SUM), "mul": ("*", PRODUCT), "div": ("/", PRODUCT)}
COMPARED: Final = {"lt": " < ", "le": " <= ", "eq": " == "}


class Term(NamedTuple):
    """Text of an expression and how tightly its outermost operation binds."""

    text: str
    binds: int = ATOM

    def within(self, binds: int) -> str:
        """The text, in parentheses where it binds less tightly than is wanted."""
        return self.text if self.binds >= binds else f"({self.text})"


class TextPlan:
    """Analysis of a program before its text is written, shared by all parts of the text.

    code     instructions, with the items of `sincos` as sine and cosine (compilers join them again)
    uses     how often the text of each value is needed
    known    names of values, as they are given
    """

    def __init__(self, program: Program, names: UniqueNames) -> None:
        self.program, self.names = program, names
        self.code = _single_functions(program)
        self.uses = _uses(program, self.code)
        self.wishes = {**_entry_names(program), **program.labels}
        self.known: dict[int, str] = {}


def _single_functions(program: Program) -> list[Instruction]:
    out = []
    for i in program.code:
        if i.op == "item" and program.code[i.args[0]].op == "sincos":
            i = Instruction("cos" if i.data else "sin", program.code[i.args[0]].args)
        out.append(i)
    return out


def _uses(program: Program, code: Sequence[Instruction]) -> list[int]:
    uses = [0] * len(code)
    for i in code:
        if i.op != "sincos":
            for a in i.args:
                uses[a] += 1
    for o in program.outputs:
        for v in o.values:
            uses[v] += 1
    return uses


def entry_places(out: Output) -> list[tuple[int, ...]]:
    """Row and column of each number that an output holds."""
    if out.is_sparse:
        return list(out.nonzeros)
    return list(product(*map(range, out.shape)))


def _entry_names(program: Program) -> dict[int, str]:
    """Names for values that stand in several places of an output: M_0_1."""
    names: dict[int, str] = {}
    for o in program.outputs:
        for v, place in zip(o.values, entry_places(o), strict=True):
            names.setdefault(v, "_".join([o.name, *map(str, place)]))
    return names


class Infix:
    """Statements for some of the instructions of a program. Languages fill in how they are written."""

    def __init__(self, plan: TextPlan) -> None:
        self.plan, self.program, self.code = plan, plan.program, plan.code
        self.terms: dict[int, Term] = {}
        self.waiting: set[int] = set()  # values that are written where they are used, if the line stays short
        self.lines: list[str] = []

    # ------------------------------------------------------------------------------------------------ languages

    def literal(self, value: float) -> str:
        """A number in digits that read back as the same number."""
        raise NotImplementedError

    def truth(self, value: bool) -> Term:
        raise NotImplementedError

    def declaration(self, k: int, name: str, text: str) -> str:
        """The statement that gives value k a name."""
        raise NotImplementedError

    def outside(self, v: int) -> Term:
        """A value that is not defined by a statement here: an input, an item of a block, a value from another part."""
        raise NotImplementedError

    def function(self, i: Instruction, args: list[Term]) -> Term:
        """Everything that is not arithmetic."""
        raise NotImplementedError

    def may_wait(self, k: int) -> bool:
        """Whether value k may be inlined where it is used."""
        return self.plan.uses[k] == 1 and k not in self.program.labels

    # ------------------------------------------------------------------------------------------------ expressions

    def term(self, v: int) -> Term:
        if v not in self.terms:
            i = self.code[v]
            if i.op == "const":
                text = self.literal(i.data)
                self.terms[v] = Term(text, SIGN if text.startswith("-") else ATOM)
            elif i.op == "true":
                self.terms[v] = self.truth(i.data)
            else:
                self.terms[v] = self.outside(v)
        return self.terms[v]

    def operation(self, i: Instruction) -> Term:
        args = [self.term(a) for a in i.args]
        if i.op in INFIX:
            sign, binds = INFIX[i.op]
            right = args[1]
            if binds == SUM and right.binds == PRODUCT and right.text.startswith("-"):  # x + -2*y is not valid Fortran
                sign, right = {" + ": " - ", " - ": " + "}[sign], right._replace(text=right.text[1:])
            # One level up on the right keeps the grouping to the left, and a sign away from the operator before it.
            return Term(args[0].within(binds) + sign + right.within(ATOM if right.binds == SIGN else binds + 1), binds)
        if i.op == "neg":
            return Term("-" + args[0].within(POWER), SIGN)
        if i.op in COMPARED:
            return Term(args[0].within(SUM) + COMPARED[i.op] + args[1].within(SUM), COMPARISON)
        return self.function(i, args)

    def short_operation(self, i: Instruction) -> Term:
        """The expression, with the longest of its parts given names until it fits into a line."""
        term = self.operation(i)
        parts = sorted((a for a in set(i.args) & self.waiting), key=lambda a: (-len(self.terms[a].text), a))
        for part in parts:
            if len(term.text) <= WIDTH:
                break
            self.give_name(part)
            term = self.operation(i)
        self.waiting.difference_update(i.args)
        return term

    def give_name(self, k: int) -> None:
        """Write the statement that defines value k, and call it by its name from here on."""
        self.waiting.discard(k)
        name = self.name_of(k)
        self.lines.append(self.declaration(k, name, self.terms[k].text))
        self.terms[k] = Term(name)

    def repeatable(self, v: int) -> str:
        """A value as a text that can stand in several places at no cost."""
        if v in self.waiting:
            self.give_name(v)
        return self.term(v).text

    def name_of(self, k: int) -> str:
        if k not in self.plan.known:
            self.plan.known[k] = self.plan.names.new(self._wish(k))
        return self.plan.known[k]

    def _wish(self, k: int) -> str:
        i = self.code[k]
        if k in self.plan.wishes:
            return self.plan.wishes[k]
        if i.op in ("sin", "cos") and self.term(i.args[0]).text.isidentifier():
            return f"{i.op}_{self.term(i.args[0]).text}"
        return f"c{k}" if i.op in CONDITIONS else f"v{k}"

    # ------------------------------------------------------------------------------------------------ statements

    def define(self, k: int) -> None:
        """Instruction k: its expression, and a statement unless it is written where it is used."""
        i = self.code[k]
        self.terms[k] = self.short_operation(i)
        plain_negation = i.op == "neg" and self.terms[k].text[1:].isidentifier() and k not in self.program.labels
        if self.may_wait(k):
            self.waiting.add(k)
        elif not (plain_negation and self.stays_inside(k)):
            self.give_name(k)

    def stays_inside(self, k: int) -> bool:
        """Whether value k is used in this part of the text only."""
        return True

    def finished(self, v: int, width: int = WIDTH) -> str:
        """A value as the right side of a statement, or as an entry of a list of at most this width."""
        term = self.term(v)
        if v in self.waiting and len(term.text) > width:
            self.give_name(v)
        self.waiting.discard(v)
        return self.terms[v].text

    def matrix_entries(self, factor: Instruction) -> list[str]:
        """The matrix that is to be factored, row after row. (Without pivoting, only its upper triangle is read.)"""
        shape = factor.data
        pairs = list(zip(shape.places(), factor.args, strict=True))
        written_twice = has_pivots(shape) and shape.is_symmetric
        texts = [
            self.repeatable(v) if written_twice and row != col else self.finished(v, ENTRY_WIDTH)
            for (row, col), v in pairs
        ]
        if has_pivots(shape):
            return list(map(str, shape.full(texts)))
        upper = dict(zip(shape.places(), texts, strict=True))
        return [upper.get((row, col), self.literal(0.0)) for row in range(shape.n) for col in range(shape.n)]


def comma_lines(entries: Sequence[str], indent: str, width: int = 120) -> list[str]:
    """Entries separated by commas, as many on a line as fit."""
    lines, line = [], ""
    for k, e in enumerate(entries):
        item = e + ("," if k + 1 < len(entries) else "")
        if line and len(indent) + len(line) + 1 + len(item) > width:
            lines.append(indent + line)
            line = ""
        line = f"{line} {item}" if line else item
    return [*lines, indent + line] if line else lines

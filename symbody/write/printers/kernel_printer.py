"""Kernels as text: what all languages have in common. Arrays of kernels begin at 0."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from ...emit import ir
from ...errors import CompileError, SymbodyError

_PRODUCTS: Final = ("*", "/", "//", "%")


class KernelPrinter:
    """Statements of a kernel; languages say how arrays, loops and functions are written."""

    AND, OR, NOT = " and ", " or ", "not "
    TRUE, FALSE = "true", "false"
    SIGNS: Mapping[str, str] = MappingProxyType({})  # operators that are not those of Python
    WORDS: Mapping[str, str]  # break, continue
    END: Mapping[str, str]  # of a loop, a while, an if
    ELSE = "else"

    def __init__(self, form: ir.KernelForm) -> None:
        self.form = form
        self.lines: list[str] = []
        self.depth = 1

    def body(self) -> list[str]:
        self.block(self.form.body)
        return self.lines

    @property
    def local(self) -> dict[str, ir.Type]:
        """Names that the kernel assigns, loop variables too, with their types."""
        found: dict[str, ir.Type] = {}
        for part in ir.all_parts(self.form.body):
            if isinstance(part, ir.Assign):
                found.setdefault(part.target.name, part.target.type)
            elif isinstance(part, ir.Loop):
                found.setdefault(part.name, ir.INDEX)
        return {k: t for k, t in found.items() if k not in {p.name for p in self.form.parameters}}

    @property
    def assigned(self) -> dict[str, ir.Type]:
        """The same without names that are loop variables only, for languages whose loops declare them."""
        targets = {part.target.name for part in ir.all_parts(self.form.body) if isinstance(part, ir.Assign)}
        return {k: t for k, t in self.local.items() if k in targets}

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def name(self, name: str) -> str:
        return name.lstrip("_")

    # ------------------------------------------------------------------------------------------------ languages

    def number(self, value: float) -> str:
        raise NotImplementedError

    def entry(self, array: str, at: str) -> str:
        """array[at]"""
        raise NotImplementedError

    def loop_head(self, name: str, first: str, stop: ir.Expression, step: int) -> str:
        raise NotImplementedError

    def test_head(self, word: str, test: str) -> str:
        """`if` or `while`, with its test."""
        raise NotImplementedError

    def mathematics(self, name: str, values: list[str]) -> str:
        raise NotImplementedError

    def quotient(self, left: str, right: str) -> str:
        """Of indices, cut off."""
        raise NotImplementedError

    def as_number(self, text: str) -> str:
        raise NotImplementedError

    def run(self, s: ir.ProgramCall) -> None:
        raise NotImplementedError

    def returned(self, value: str | None) -> None:
        raise NotImplementedError

    # ---------------------------------------------------------------------- what not every language can write

    def refused(self, part: ir.Expression | ir.Statement) -> SymbodyError:
        return CompileError(f"kernel {self.form.name}: {type(part).__name__} cannot be written in this language")

    def table(self, e: ir.Constant) -> str:
        """Numbers known beforehand, as an array."""
        raise self.refused(e)

    def tail(self, e: ir.ArrayTail) -> str:
        """array[start:]"""
        raise self.refused(e)

    def absent(self, e: ir.IsAbsent) -> str:
        """Whether an optional program was not given."""
        raise self.refused(e)

    def select(self, e: ir.Select) -> str:
        """yes if test else no"""
        raise self.refused(e)

    def as_index(self, e: ir.Conversion) -> str:
        """A number, truncated."""
        raise self.refused(e)

    def call_statement(self, s: ir.CallStatement) -> None:
        """A call of a kernel for its effects."""
        raise self.refused(s)

    # ------------------------------------------------------------------------------------------------ expressions

    def expression(self, e: ir.Expression) -> str:
        match e:
            case ir.Constant():
                return self.constant(e)
            case ir.LocalVariable():
                return self.variable(e)
            case ir.ArrayElement():
                return self.element(e)
            case ir.ArrayTail():
                return self.tail(e)
            case ir.Operation():
                return self.operation(e)
            case ir.Conversion():
                return self.conversion(e)
            case ir.BooleanOperation(_, word, parts):
                return "(" + (self.AND if word == "and" else self.OR).join(map(self.expression, parts)) + ")"
            case ir.Not(_, value):
                return f"{self.NOT}({self.expression(value)})"
            case ir.IsAbsent():
                return self.absent(e)
            case ir.Select():
                return self.select(e)
            case ir.MathCall(_, name, arguments):
                return self.mathematics(name, [self.expression(a) for a in arguments])
            case ir.KernelCall():
                return self.kernel_call(e)

    def constant(self, e: ir.Constant) -> str:
        if isinstance(e.value, tuple):
            return self.table(e)
        if isinstance(e.value, bool):
            return self.TRUE if e.value else self.FALSE
        return self.number(e.value) if isinstance(e.value, float) else str(e.value)

    def variable(self, e: ir.LocalVariable) -> str:
        return self.name(e.name)

    def element(self, e: ir.ArrayElement) -> str:
        return self.entry(self.expression(e.array), self.expression(e.at))

    def conversion(self, e: ir.Conversion) -> str:
        return self.as_index(e) if e.type is ir.INDEX else self.as_number(self.expression(e.value))

    def kernel_call(self, e: ir.KernelCall) -> str:
        return f"{self.name(e.kernel.__name__)}({', '.join(map(self.expression, e.arguments))})"

    def operation(self, e: ir.Operation) -> str:
        if e.sign == "-" and isinstance(e.left, ir.Constant) and e.left.value == 0:
            return f"(-{self.inner(e.right)})"
        left, right = self.expression(e.left), self.expression(e.right)
        if e.sign == "//" and e.sign not in self.SIGNS:
            return self.quotient(left, right)
        is_product = e.sign in _PRODUCTS
        if isinstance(e.left, ir.Operation) and e.left.sign not in _PRODUCTS and is_product:
            left = f"({left})"
        if isinstance(e.right, ir.Operation) and (is_product or e.right.sign not in _PRODUCTS):
            right = f"({right})"
        return f"{left} {self.SIGNS.get(e.sign, e.sign)} {right}"

    def inner(self, e: ir.Expression) -> str:
        return f"({self.expression(e)})" if isinstance(e, ir.Operation) else self.expression(e)

    # ------------------------------------------------------------------------------------------------ statements

    def block(self, statements: ir.Block) -> None:
        for s in statements:
            self.statement(s)

    def inside(self, statements: ir.Block, *declared: str) -> None:
        """Statements of an inner block, whose head declares these names."""
        self.depth += 1
        self.block(statements)
        self.depth -= 1

    def statement(self, s: ir.Statement) -> None:
        match s:
            case ir.Assign():
                self.assign(s)
            case ir.Store():
                self.store(s)
            case ir.Loop(name, start, stop, step, body):
                self.line(self.loop_head(self.name(name), self.expression(start), stop, step))
                self.inside(body, name)
                self.line(self.END["loop"])
            case ir.While(test, body):
                self.line(self.test_head("while", self.expression(test)))
                self.inside(body)
                self.line(self.END["while"])
            case ir.If(test, yes, no):
                self.line(self.test_head("if", self.expression(test)))
                self.inside(yes)
                if no:
                    self.line(self.ELSE)
                    self.inside(no)
                self.line(self.END["if"])
            case ir.Jump(word):
                self.line(self.WORDS[word])
            case ir.Return(value):
                self.returned(None if value is None else self.expression(value))
            case ir.ProgramCall():
                self.run(s)
            case ir.CallStatement():
                self.call_statement(s)

    def assign(self, s: ir.Assign) -> None:
        self.line(self.assignment(self.name(s.target.name), self.expression(s.value)))

    def store(self, s: ir.Store) -> None:
        self.line(self.assignment(self.expression(s.target), self.expression(s.value)))

    def assignment(self, target: str, value: str) -> str:
        return f"{target} = {value}"

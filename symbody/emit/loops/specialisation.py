"""Forms for what is known beforehand: sizes, tables of coefficients, choices.

What does not depend on anything else is computed here, branches that cannot be taken are left out, loops over
`unrolled(...)` are written out, and records become those of their fields that are used. What is left is what targets
print.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any, Final

from ...errors import CompileError
from . import kernel_nodes as ir
from .kernel_language import IS_RARE, Kernel
from .kernel_parser import kernel_form, kernel_source
from .records import IS_PRESENT, fields_of

KnownValues = Mapping[str, Any]
COMPUTED: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv, "%": operator.mod,
    "<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip
ZERO: Final = ir.Constant(ir.NUMBER, 0.0)


@cache
def flat_parameters(name: str, type_: ir.Type, is_place: bool = False) -> tuple[ir.Parameter, ...]:
    """An argument as targets see it: a record is its fields, a kernel is nothing."""
    if isinstance(type_, ir.KernelType):
        return ()
    if not isinstance(type_, ir.RecordType):
        return (ir.Parameter(name, type_, is_place),)
    declared = fields_of(type_.record)
    return tuple(
        x
        for field, inner in type_.fields
        for x in flat_parameters(f"{name}.{field}", inner, declared[field].is_mutable)
    )


def _field(p: ir.Parameter, outside: Mapping[str, str]) -> ir.LocalVariable:
    """An argument that is a function, or the field of a record, by its name outside of the kernel."""
    root, dot, path = p.name.partition(".")
    return ir.LocalVariable(p.type, f"{outside[root]}{dot}{path}", p.is_place)


class Kernels:
    """Kernels that belong together, each once for each set of known argument values.

    most_written_out   turns of loops without calls that are written out, also where they are not called `unrolled`
    """

    def __init__(self, most_written_out: int = 0) -> None:
        self.most_written_out = most_written_out
        self.forms: dict[Any, ir.KernelForm | None] = {}  # None while it is being made

    def kernel(
        self, kernel: Kernel, types: tuple[ir.Type, ...], known: KnownValues, is_rare: bool = False
    ) -> ir.KernelForm:
        """A kernel for arguments of these types, of which some values are known; kernels that it calls come before
        it. One that is called by a kernel that seldom runs seldom runs too."""
        is_rare = is_rare or getattr(kernel, IS_RARE, False)
        key = (kernel, types, tuple(sorted(known.items())), is_rare)
        if key not in self.forms:
            name = f"{kernel.__name__}.{len(self.forms)}"
            self.forms[key] = None
            made = specialised_form(kernel_form(kernel, types), known, self, is_rare)
            del self.forms[key]
            self.forms[key] = replace(made, name=name, is_rare=is_rare)
        form = self.forms[key]
        if form is None:
            raise kernel_source(kernel).refused(kernel_source(kernel).tree, "it calls itself without end")
        return form


def specialised_form(form: ir.KernelForm, known: KnownValues, kernels: Kernels, is_rare: bool = False) -> ir.KernelForm:
    """A form for known values of arguments and fields, by name."""
    return _Specialiser(form, known, kernels, is_rare).form()


class _Specialiser:
    def __init__(self, form: ir.KernelForm, known: KnownValues, kernels: Kernels, is_rare: bool) -> None:
        self.given, self.known, self.kernels, self.is_rare = form, dict(known), kernels, is_rare
        self.parameters = {x.name: x for p in form.parameters for x in flat_parameters(p.name, p.type)}
        self.used: set[str] = set()

    def form(self) -> ir.KernelForm:
        body = self.block(self.given.body)
        arguments = {p.name for p in self.given.parameters}  # arguments other than records stay, used or not
        needed = [p for p in self.parameters.values() if p.name not in self.known or p.type is ir.FUNCTION]
        left = tuple(p for p in needed if p.name in self.used or p.name in arguments)
        return replace(self.given, parameters=left, body=body, given=self.given.parameters)

    # ------------------------------------------------------------------------------------------------ expressions

    def expression(self, e: ir.Expression) -> ir.Expression:
        return self.REWRITERS[type(e)](self, e)

    def constant(self, e: ir.Constant) -> ir.Expression:
        return e

    def variable(self, e: ir.LocalVariable) -> ir.Expression:
        if e.name in self.known and e.type is not ir.FUNCTION:
            value = self.known[e.name]
            return ir.Constant(e.type, float(value) if e.type is ir.NUMBER else value)
        self.used.add(e.name)
        return e

    def element(self, e: ir.ArrayElement) -> ir.Expression:
        array, at = self.expression(e.array), self.expression(e.at)
        if isinstance(array, ir.Constant) and isinstance(at, ir.Constant):
            return ir.Constant(e.type, array.value[at.value])
        return ir.ArrayElement(e.type, array, at)

    def rest(self, e: ir.ArrayTail) -> ir.Expression:
        array, start = self.expression(e.array), self.expression(e.start)
        if isinstance(start, ir.Constant) and start.value == 0:
            return array
        if isinstance(array, ir.Constant) and isinstance(start, ir.Constant):
            return ir.Constant(e.type, array.value[start.value :])
        return ir.ArrayTail(e.type, array, start)

    def operation(self, e: ir.Operation) -> ir.Expression:
        left, right = self.expression(e.left), self.expression(e.right)
        if isinstance(left, ir.Constant) and isinstance(right, ir.Constant):
            return ir.Constant(e.type, COMPUTED[e.sign](left.value, right.value))
        if e.type is ir.NUMBER:  # tables of coefficients have many zeros
            if e.sign == "*" and ZERO in (left, right):
                return ZERO
            if e.sign == "+" and ZERO in (left, right):
                return right if left == ZERO else left
        return ir.Operation(e.type, e.sign, left, right)

    def converted(self, e: ir.Conversion) -> ir.Expression:
        value = self.expression(e.value)
        if isinstance(value, ir.Constant):
            return ir.Constant(e.type, float(value.value) if e.type is ir.NUMBER else int(value.value))
        return ir.Conversion(e.type, value)

    def connected(self, e: ir.BooleanOperation) -> ir.Expression:
        parts: list[ir.Expression] = []
        for part in map(self.expression, e.parts):
            if not isinstance(part, ir.Constant):
                parts.append(part)
            elif part.value == (e.word == "or"):
                parts.append(part)
                break
        if not parts:
            return ir.Constant(ir.TRUTH, e.word == "and")
        return (
            parts[0]
            if len(parts) == 1 or isinstance(parts[0], ir.Constant)
            else ir.BooleanOperation(ir.TRUTH, e.word, tuple(parts))
        )

    def inverted(self, e: ir.Not) -> ir.Expression:
        value = self.expression(e.value)
        return ir.Constant(ir.TRUTH, not value.value) if isinstance(value, ir.Constant) else ir.Not(ir.TRUTH, value)

    def absent(self, e: ir.IsAbsent) -> ir.Expression:
        if e.function.name in self.known:
            return ir.Constant(ir.TRUTH, self.known[e.function.name] is None)
        self.used.add(e.function.name)
        return e

    def choice(self, e: ir.Select) -> ir.Expression:
        test = self.expression(e.test)
        if isinstance(test, ir.Constant):
            return self.expression(e.yes if test.value else e.no)
        return ir.Select(e.type, test, self.expression(e.yes), self.expression(e.no))

    def mathematics(self, e: ir.MathCall) -> ir.Expression:
        return ir.MathCall(e.type, e.name, tuple(map(self.expression, e.arguments)))

    def called(self, e: ir.KernelCall) -> ir.KernelCall:
        """A call of the kernel that is made for what is known here; numbers are passed, known or not."""
        given: dict[str, ir.Expression] = {}
        outside: dict[str, str] = {}  # names of records and functions here, by those that they have there
        known: dict[str, Any] = {}
        for name, a in zip(kernel_source(e.kernel).parameters, e.arguments, strict=True):
            if isinstance(a, ir.LocalVariable) and (isinstance(a.type, ir.RecordType) or a.type is ir.FUNCTION):
                outside[name] = a.name
                known |= self._known_of(a.name, name)
            elif not isinstance(a.type, ir.KernelType):
                given[name] = value = self.expression(a)
                if isinstance(value, ir.Constant) and value.type is not ir.NUMBER:
                    known[name] = value.value
        target = self.kernels.kernel(e.kernel, e.types, known, self.is_rare)
        arguments = tuple(
            given[p.name] if p.name in given else self.expression(_field(p, outside)) for p in target.parameters
        )
        return ir.KernelCall(e.type, e.kernel, e.types, arguments, target)

    def _known_of(self, here: str, there: str) -> dict[str, Any]:
        """The known values of a function or of the fields of a record, by the names that they have elsewhere."""
        return {
            there + name[len(here) :]: value
            for name, value in self.known.items()
            if name == here or name.startswith(f"{here}.")
        }

    REWRITERS: Final[dict[type, Any]] = {
        ir.Constant: constant, ir.LocalVariable: variable, ir.ArrayElement: element, ir.ArrayTail: rest, ir.Operation: operation, ir.Conversion: converted,
        ir.BooleanOperation: connected, ir.Not: inverted, ir.IsAbsent: absent, ir.Select: choice, ir.MathCall: mathematics, ir.KernelCall: called,
    }  # fmt: skip

    # ------------------------------------------------------------------------------------------------ statements

    def block(self, statements: ir.Block) -> ir.Block:
        out: list[ir.Statement] = []
        for s in statements:
            out += self.statement(s)
            if out and isinstance(out[-1], ir.Return | ir.Jump):
                break  # what follows is never reached
        return tuple(out)

    def statement(self, s: ir.Statement) -> ir.Block:
        match s:
            case ir.Assign(target, value):
                if target.name in self.known:
                    raise CompileError(f"kernel {self.given.name}: {target.name!r} is known, and cannot be changed")
                return (ir.Assign(self.target(target), self.expression(value)),)
            case ir.Store(target, value):
                at = ir.ArrayElement(target.type, self.expression(target.array), self.expression(target.at))
                return (ir.Store(at, self.expression(value)),)
            case ir.If(test, yes, no):
                return self.chosen(self.expression(test), yes, no)
            case ir.Loop():
                return self.written_out(s) if s.unrolled or self.is_short(s) else (self.loop(s),)
            case ir.While(test, body):
                return (ir.While(self.expression(test), self.block(body)),)
            case ir.Return(value):
                return (ir.Return(None if value is None else self.expression(value)),)
            case ir.ProgramCall(function, inputs, outputs):
                self.used.add(function.name)
                ins, outs = tuple(map(self.expression, inputs)), tuple(map(self.expression, outputs))
                target = self.known.get(function.name, IS_PRESENT)
                return (ir.ProgramCall(function, ins, outs, "" if target == IS_PRESENT else target),)
            case ir.CallStatement(value):
                return (ir.CallStatement(self.called(value)),)
            case ir.Jump():
                return (s,)

    def target(self, v: ir.LocalVariable) -> ir.LocalVariable:
        self.used.add(v.name)
        return v

    def chosen(self, test: ir.Expression, yes: ir.Block, no: ir.Block) -> ir.Block:
        if isinstance(test, ir.Constant):
            return self.block(yes if test.value else no)
        return (ir.If(test, self.block(yes), self.block(no)),)

    def loop(self, s: ir.Loop) -> ir.Loop:
        return replace(s, start=self.expression(s.start), stop=self.expression(s.stop), body=self.block(s.body))

    def is_short(self, s: ir.Loop) -> bool:
        """Whether a loop has a known, small number of turns, and calls nothing."""
        start, stop = self.expression(s.start), self.expression(s.stop)
        if not (isinstance(start, ir.Constant) and isinstance(stop, ir.Constant)):
            return False
        turns = len(range(start.value, stop.value, s.step))
        calls = (ir.ProgramCall, ir.KernelCall, ir.Loop, ir.While, ir.Jump)
        return turns <= self.kernels.most_written_out and not any(isinstance(x, calls) for x in ir.all_parts(s.body))

    def written_out(self, s: ir.Loop) -> ir.Block:
        start, stop = self.expression(s.start), self.expression(s.stop)
        if not (isinstance(start, ir.Constant) and isinstance(stop, ir.Constant)):
            if self.is_rare:
                return (self.loop(s),)
            raise CompileError(f"{s.unrolled}: its bounds are not known when the kernel is translated")
        out: list[ir.Statement] = []
        for k in range(start.value, stop.value, s.step):
            self.known[s.name] = k
            out += self.block(s.body)
        self.known.pop(s.name, None)
        return tuple(out)

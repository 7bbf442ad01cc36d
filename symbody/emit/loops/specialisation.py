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
from .kernel_language import IS_RARE, Kernel
from .kernel_nodes import (
    FUNCTION,
    NUMBER,
    TRUTH,
    ArrayElement,
    ArrayTail,
    Assign,
    Block,
    BooleanOperation,
    CallStatement,
    Constant,
    Conversion,
    Expression,
    If,
    IsAbsent,
    Jump,
    KernelCall,
    KernelForm,
    KernelType,
    LocalVariable,
    Loop,
    MathCall,
    Not,
    Operation,
    Parameter,
    ProgramCall,
    RecordType,
    Return,
    Select,
    Statement,
    Store,
    Type,
    While,
    all_parts,
)
from .kernel_parser import kernel_form, kernel_source
from .records import IS_PRESENT, fields_of

KnownValues = Mapping[str, Any]
COMPUTED: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv, "%": operator.mod,
    "<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip
ZERO: Final = Constant(NUMBER, 0.0)


@cache
def flat_parameters(name: str, type_: Type, is_place: bool = False) -> tuple[Parameter, ...]:
    """An argument as targets see it: a record is its fields, a kernel is nothing."""
    if isinstance(type_, KernelType):
        return ()
    if not isinstance(type_, RecordType):
        return (Parameter(name, type_, is_place),)
    declared = fields_of(type_.record)
    return tuple(
        x
        for field, inner in type_.fields
        for x in flat_parameters(f"{name}.{field}", inner, declared[field].is_mutable)
    )


def _field(p: Parameter, outside: Mapping[str, str]) -> LocalVariable:
    """An argument that is a function, or the field of a record, by its name outside of the kernel."""
    root, dot, path = p.name.partition(".")
    return LocalVariable(p.type, f"{outside[root]}{dot}{path}", p.is_place)


class Kernels:
    """Kernels that belong together, each once for whatever is known of its arguments.

    most_written_out   turns of loops without calls that are written out, also where they are not called `unrolled`
    """

    def __init__(self, most_written_out: int = 0) -> None:
        self.most_written_out = most_written_out
        self.forms: dict[Any, KernelForm | None] = {}  # None while it is being made

    def kernel(self, kernel: Kernel, types: tuple[Type, ...], known: KnownValues, is_rare: bool = False) -> KernelForm:
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


def specialised_form(form: KernelForm, known: KnownValues, kernels: Kernels, is_rare: bool = False) -> KernelForm:
    """A form for known values of arguments and fields, by name."""
    return _Specialiser(form, known, kernels, is_rare).form()


class _Specialiser:
    def __init__(self, form: KernelForm, known: KnownValues, kernels: Kernels, is_rare: bool) -> None:
        self.given, self.known, self.kernels, self.is_rare = form, dict(known), kernels, is_rare
        self.parameters = {x.name: x for p in form.parameters for x in flat_parameters(p.name, p.type)}
        self.used: set[str] = set()

    def form(self) -> KernelForm:
        body = self.block(self.given.body)
        arguments = {p.name for p in self.given.parameters}  # those that are no records stay, used or not
        needed = [p for p in self.parameters.values() if p.name not in self.known or p.type is FUNCTION]
        left = tuple(p for p in needed if p.name in self.used or p.name in arguments)
        return replace(self.given, parameters=left, body=body, given=self.given.parameters)

    # ------------------------------------------------------------------------------------------------ expressions

    def expression(self, e: Expression) -> Expression:
        return self.REWRITERS[type(e)](self, e)

    def constant(self, e: Constant) -> Expression:
        return e

    def variable(self, e: LocalVariable) -> Expression:
        if e.name in self.known and e.type is not FUNCTION:
            value = self.known[e.name]
            return Constant(e.type, float(value) if e.type is NUMBER else value)
        self.used.add(e.name)
        return e

    def element(self, e: ArrayElement) -> Expression:
        array, at = self.expression(e.array), self.expression(e.at)
        if isinstance(array, Constant) and isinstance(at, Constant):
            return Constant(e.type, array.value[at.value])
        return ArrayElement(e.type, array, at)

    def rest(self, e: ArrayTail) -> Expression:
        array, start = self.expression(e.array), self.expression(e.start)
        if isinstance(start, Constant) and start.value == 0:
            return array
        if isinstance(array, Constant) and isinstance(start, Constant):
            return Constant(e.type, array.value[start.value :])
        return ArrayTail(e.type, array, start)

    def operation(self, e: Operation) -> Expression:
        left, right = self.expression(e.left), self.expression(e.right)
        if isinstance(left, Constant) and isinstance(right, Constant):
            return Constant(e.type, COMPUTED[e.sign](left.value, right.value))
        if e.type is NUMBER:  # tables of coefficients have many zeros
            if e.sign == "*" and ZERO in (left, right):
                return ZERO
            if e.sign == "+" and ZERO in (left, right):
                return right if left == ZERO else left
        return Operation(e.type, e.sign, left, right)

    def converted(self, e: Conversion) -> Expression:
        value = self.expression(e.value)
        if isinstance(value, Constant):
            return Constant(e.type, float(value.value) if e.type is NUMBER else int(value.value))
        return Conversion(e.type, value)

    def connected(self, e: BooleanOperation) -> Expression:
        parts: list[Expression] = []
        for part in map(self.expression, e.parts):
            if not isinstance(part, Constant):
                parts.append(part)
            elif part.value == (e.word == "or"):
                parts.append(part)
                break
        if not parts:
            return Constant(TRUTH, e.word == "and")
        return (
            parts[0]
            if len(parts) == 1 or isinstance(parts[0], Constant)
            else BooleanOperation(TRUTH, e.word, tuple(parts))
        )

    def inverted(self, e: Not) -> Expression:
        value = self.expression(e.value)
        return Constant(TRUTH, not value.value) if isinstance(value, Constant) else Not(TRUTH, value)

    def absent(self, e: IsAbsent) -> Expression:
        if e.function.name in self.known:
            return Constant(TRUTH, self.known[e.function.name] is None)
        self.used.add(e.function.name)
        return e

    def choice(self, e: Select) -> Expression:
        test = self.expression(e.test)
        if isinstance(test, Constant):
            return self.expression(e.yes if test.value else e.no)
        return Select(e.type, test, self.expression(e.yes), self.expression(e.no))

    def mathematics(self, e: MathCall) -> Expression:
        return MathCall(e.type, e.name, tuple(map(self.expression, e.arguments)))

    def called(self, e: KernelCall) -> KernelCall:
        """A call of the kernel that is made for what is known here; numbers are passed, known or not."""
        given: dict[str, Expression] = {}
        outside: dict[str, str] = {}  # names of records and functions here, by those that they have there
        known: dict[str, Any] = {}
        for name, a in zip(kernel_source(e.kernel).parameters, e.arguments, strict=True):
            if isinstance(a, LocalVariable) and (isinstance(a.type, RecordType) or a.type is FUNCTION):
                outside[name] = a.name
                known |= self._known_of(a.name, name)
            elif not isinstance(a.type, KernelType):
                given[name] = value = self.expression(a)
                if isinstance(value, Constant) and value.type is not NUMBER:
                    known[name] = value.value
        target = self.kernels.kernel(e.kernel, e.types, known, self.is_rare)
        arguments = tuple(
            self.expression(given[p.name] if p.name in given else _field(p, outside)) for p in target.parameters
        )
        return KernelCall(e.type, e.kernel, e.types, arguments, target)

    def _known_of(self, here: str, there: str) -> dict[str, Any]:
        """What is known of a function or of the fields of a record, by the names that they have elsewhere."""
        return {
            there + name[len(here) :]: value
            for name, value in self.known.items()
            if name == here or name.startswith(f"{here}.")
        }

    REWRITERS: Final[dict[type, Any]] = {
        Constant: constant, LocalVariable: variable, ArrayElement: element, ArrayTail: rest, Operation: operation, Conversion: converted,
        BooleanOperation: connected, Not: inverted, IsAbsent: absent, Select: choice, MathCall: mathematics, KernelCall: called,
    }  # fmt: skip

    # ------------------------------------------------------------------------------------------------ statements

    def block(self, statements: Block) -> Block:
        out: list[Statement] = []
        for s in statements:
            out += self.statement(s)
            if out and isinstance(out[-1], Return | Jump):
                break  # what follows is never reached
        return tuple(out)

    def statement(self, s: Statement) -> Block:
        match s:
            case Assign(target, value):
                if target.name in self.known:
                    raise CompileError(f"kernel {self.given.name}: {target.name!r} is known, and cannot be changed")
                return (Assign(self.target(target), self.expression(value)),)
            case Store(target, value):
                at = ArrayElement(target.type, self.expression(target.array), self.expression(target.at))
                return (Store(at, self.expression(value)),)
            case If(test, yes, no):
                return self.chosen(self.expression(test), yes, no)
            case Loop():
                return self.written_out(s) if s.unrolled or self.is_short(s) else (self.loop(s),)
            case While(test, body):
                return (While(self.expression(test), self.block(body)),)
            case Return(value):
                return (Return(None if value is None else self.expression(value)),)
            case ProgramCall(function, inputs, outputs):
                self.used.add(function.name)
                ins, outs = tuple(map(self.expression, inputs)), tuple(map(self.expression, outputs))
                target = self.known.get(function.name, IS_PRESENT)
                return (ProgramCall(function, ins, outs, "" if target == IS_PRESENT else target),)
            case CallStatement(value):
                return (CallStatement(self.called(value)),)
            case Jump():
                return (s,)

    def target(self, v: LocalVariable) -> LocalVariable:
        self.used.add(v.name)
        return v

    def chosen(self, test: Expression, yes: Block, no: Block) -> Block:
        if isinstance(test, Constant):
            return self.block(yes if test.value else no)
        return (If(test, self.block(yes), self.block(no)),)

    def loop(self, s: Loop) -> Loop:
        return replace(s, start=self.expression(s.start), stop=self.expression(s.stop), body=self.block(s.body))

    def is_short(self, s: Loop) -> bool:
        """Whether a loop has a known, small number of turns, and calls nothing."""
        start, stop = self.expression(s.start), self.expression(s.stop)
        if not (isinstance(start, Constant) and isinstance(stop, Constant)):
            return False
        turns = len(range(start.value, stop.value, s.step))
        calls = (ProgramCall, KernelCall, Loop, While, Jump)
        return turns <= self.kernels.most_written_out and not any(isinstance(x, calls) for x in all_parts(s.body))

    def written_out(self, s: Loop) -> Block:
        start, stop = self.expression(s.start), self.expression(s.stop)
        if not (isinstance(start, Constant) and isinstance(stop, Constant)):
            if self.is_rare:
                return (self.loop(s),)
            raise CompileError(f"{s.unrolled}: its bounds are not known when the kernel is translated")
        out: list[Statement] = []
        for k in range(start.value, stop.value, s.step):
            self.known[s.name] = k
            out += self.block(s.body)
        self.known.pop(s.name, None)
        return tuple(out)

"""Kernels as LLVM text: printers of the form that `loops/specialised.py` makes.

LlvmKernel   one kernel as a function: also those that programs call, on vectors or on every lane of interleaved arrays
LlvmLoops    kernels that call each other and compiled programs, in one module
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final

from ..loops.checked import basic_types, checked
from ..loops.entries import KernelEntry, Route, entry
from ..loops.form import (
    FUNCTION,
    INDEX,
    INDICES,
    NOTHING,
    NUMBER,
    NUMBERS,
    Absent,
    ArrayElement,
    Assign,
    Block,
    Call,
    Called,
    ChoiceExpression,
    Connected,
    Constant,
    Converted,
    Expression,
    If,
    KernelForm,
    Leave,
    LocalVariable,
    Loop,
    Mathematics,
    Not,
    Operation,
    Parameter,
    Rest,
    Return,
    Run,
    Statement,
    Store,
    Type,
    While,
    all_parts,
)
from ..loops.language import Kernel
from ..loops.specialised import Kernels, Known, specialised
from .numbers import hexadecimal, lanes_of, splat

_TYPES: Final[dict[Type, str]] = {
    INDEX: "i64", NUMBER: "double", NUMBERS: "ptr", INDICES: "ptr", FUNCTION: "ptr", NOTHING: "void",
}  # fmt: skip
_FLAGS: Final = "contract reassoc nsz"
_NUMBER_OPS: Final = {"+": "fadd", "-": "fsub", "*": "fmul", "/": "fdiv"}
_INDEX_OPS: Final = {"+": "add nsw", "-": "sub nsw", "*": "mul nsw", "//": "sdiv", "%": "srem"}
_INDEX_TESTS: Final = {"<": "slt", ">": "sgt", "<=": "sle", ">=": "sge", "==": "eq", "!=": "ne"}
_NUMBER_TESTS: Final = {"<": "olt", ">": "ogt", "<=": "ole", ">=": "oge", "==": "oeq", "!=": "une"}
_LARGEST: Final = hexadecimal(1.7976931348623157e308)
LARGE: Final = 200  # expressions and statements of a kernel
_INTRINSICS: Final = """declare double @llvm.fabs.f64(double)
declare double @llvm.sqrt.f64(double)
declare double @pow(double, double)
"""


def changed_names(block: Block) -> dict[str, Type]:
    """Local names and arguments that are assigned, with their types."""
    out: dict[str, Type] = {}
    for part in all_parts(block):
        match part:
            case Assign(LocalVariable(type_, name, False)):
                out[name] = type_
            case Loop():
                out[part.name] = INDEX
    return out


class LlvmKernel:
    """One kernel as an LLVM function.

    number   type of an array's elements: double, or a vector of them where the loop serves several states at once
    stride   distance of elements in memory: a kernel that pivots serves one lane of interleaved arrays at a time
    shared   arrays with shorter elements, repeated to fill a number: factors, where a number is of several right sides
    tables   names of constant arrays, to which those that are met are added
    """

    def __init__(
        self,
        form: KernelForm,
        name: str,
        number: str = "double",
        stride: int = 1,
        shared: Mapping[str, str] | None = None,
        tables: dict[tuple[float, ...], str] | None = None,
    ) -> None:
        self.form, self.name, self.number, self.stride, self.shared = form, name, number, stride, shared or {}
        self.tables = {} if tables is None else tables
        self.changed = changed_names(form.body)
        self.head: list[str] = []
        self.lines: list[str] = []
        self.count = 0
        self.exits: list[tuple[str, str]] = []  # labels of `continue` and `break`, for each loop that is open

    def text(self, attributes: str = "nounwind") -> str:
        for name, type_ in self.changed.items():
            self.head.append(f"  %{name}.at = alloca {self.type_of(type_)}")
        for p in self.form.parameters:
            if p.name in self.changed:
                self.head.append(f"  store {self.type_of(p.type)} %{p.name}, ptr %{p.name}.at")
        self.block(self.form.body)
        end = "  ret void" if self.form.result is NOTHING else "  unreachable"
        body = "\n".join([*self.head, *self.lines, end])
        args = ", ".join(f"{parameter_type(p, named=True)} %{p.name}" for p in self.form.parameters)
        return f"define internal {_TYPES[self.form.result]} @{self.name}({args}) {attributes} {{\n{body}\n}}\n"

    @property
    def types(self) -> str:
        """Types of the arguments, for a declaration."""
        return ", ".join(parameter_type(p) for p in self.form.parameters)

    def type_of(self, type_: Type) -> str:
        return self.number if type_ is NUMBER else _TYPES[type_]

    def new(self, instruction: str) -> str:
        self.count += 1
        self.lines.append(f"  %.{self.count} = {instruction}")
        return f"%.{self.count}"

    def labels(self, *names: str) -> list[str]:
        self.count += 1
        return [f".{name}{self.count}" for name in names]

    # ------------------------------------------------------------------------------------------------ expressions

    def value(self, e: Expression) -> str:
        return self.PRINTERS[type(e)](self, e)

    def constant(self, e: Constant) -> str:
        if e.type is NUMBER:
            return splat(e.value, self.number)
        if e.type is NUMBERS:
            return self.tables.setdefault(e.value, f"@table.{len(self.tables)}")
        return str(e.value).lower()

    def variable(self, e: LocalVariable) -> str:
        if e.is_place:
            return self.new(f"load {self.type_of(e.type)}, ptr %{e.name}, align 8")
        if e.name in self.changed:
            return self.new(f"load {self.type_of(e.type)}, ptr %{e.name}.at")
        return f"%{e.name}"

    def element(self, e: ArrayElement) -> str:
        element = self.shared.get(e.array.name, self.number) if isinstance(e.array, LocalVariable) else self.number
        element = "i64" if e.type is INDEX else element
        loaded = self.new(f"load {element}, ptr {self.address(e, element)}, align 8")
        return loaded if e.type is INDEX or element == self.number else self.repeated(loaded, element)

    def repeated(self, value: str, element: str) -> str:
        """A number made of a shorter one, again and again."""
        if element == "double":
            element = "<1 x double>"
            value = self.new(f"insertelement {element} poison, double {value}, i32 0")
        lanes = lanes_of(self.number)
        mask = ", ".join(f"i32 {k % lanes_of(element)}" for k in range(lanes))
        return self.new(f"shufflevector {element} {value}, {element} poison, <{lanes} x i32> <{mask}>")

    def address(self, e: ArrayElement, element: str) -> str:
        base, at = self.value(e.array), self.value(e.at)
        if self.stride != 1:
            at = self.new(f"mul nsw i64 {at}, {self.stride}")
        return self.new(f"getelementptr inbounds {element}, ptr {base}, i64 {at}")

    def rest(self, e: Rest) -> str:
        element = "i64" if e.type is INDICES else "double"
        return self.new(f"getelementptr {element}, ptr {self.value(e.array)}, i64 {self.value(e.start)}")

    def operation(self, e: Operation) -> str:
        left, right = self.value(e.left), self.value(e.right)
        if e.type is INDEX:
            return self.new(f"{_INDEX_OPS[e.sign]} i64 {left}, {right}")
        if e.type is NUMBER:
            return self.new(f"{_NUMBER_OPS[e.sign]} {_FLAGS} {self.number} {left}, {right}")
        if e.left.type is INDEX:
            return self.new(f"icmp {_INDEX_TESTS[e.sign]} i64 {left}, {right}")
        return self.new(f"fcmp {_NUMBER_TESTS[e.sign]} {self.number} {left}, {right}")

    def converted(self, e: Converted) -> str:
        value = self.value(e.value)
        return self.new(f"sitofp i64 {value} to double" if e.type is NUMBER else f"fptosi double {value} to i64")

    def connected(self, e: Connected) -> str:
        decided, place = self.labels("decided", "truth")
        self.head.append(f"  %{place} = alloca i1")
        for k, part in enumerate(e.parts):
            holds = self.value(part)
            self.lines.append(f"  store i1 {holds}, ptr %{place}")
            if k + 1 < len(e.parts):
                (more,) = self.labels("more")
                to = (more, decided) if e.word == "and" else (decided, more)
                self.lines += [f"  br i1 {holds}, label %{to[0]}, label %{to[1]}", f"{more}:"]
        self.lines += [f"  br label %{decided}", f"{decided}:"]
        return self.new(f"load i1, ptr %{place}")

    def inverted(self, e: Not) -> str:
        return self.new(f"xor i1 {self.value(e.value)}, true")

    def absent(self, e: Absent) -> str:
        return self.new(f"icmp eq ptr {self.value(e.function)}, null")

    def choice(self, e: ChoiceExpression) -> str:
        yes, no, type_ = self.value(e.yes), self.value(e.no), self.type_of(e.type)
        return self.new(f"select i1 {self.value(e.test)}, {type_} {yes}, {type_} {no}")

    def mathematics(self, e: Mathematics) -> str:
        values = [self.value(a) for a in e.arguments]
        if e.name == "is_finite":
            size = self.new(f"call double @llvm.fabs.f64(double {values[0]})")
            return self.new(f"fcmp ole double {size}, {_LARGEST}")
        if e.name in ("min", "max"):
            best = values[0]
            for other in values[1:]:  # as Python does: nan is not taken where it comes later
                takes = self.new(f"fcmp {'olt' if e.name == 'min' else 'ogt'} double {other}, {best}")
                best = self.new(f"select i1 {takes}, double {other}, double {best}")
            return best
        name = {"abs": "llvm.fabs.f64", "sqrt": "llvm.sqrt.f64", "pow": "pow"}[e.name]
        return self.new(f"call double @{name}({', '.join(f'double {v}' for v in values)})")

    def called(self, e: Called) -> str:
        text = self.call_text(e)
        return self.new(text)

    def call_text(self, e: Called) -> str:
        given = []
        for p, a in zip(e.target.parameters, e.arguments, strict=True):
            text = f"%{a.name}" if p.is_place and isinstance(a, LocalVariable) else self.value(a)
            given.append(f"{parameter_type(p)} {text}")
        return f"call {_TYPES[e.type]} @{e.target.name}({', '.join(given)})"

    PRINTERS: Final[dict[type, Any]] = {
        Constant: constant, LocalVariable: variable, ArrayElement: element, Rest: rest, Operation: operation, Converted: converted,
        Connected: connected, Not: inverted, Absent: absent, ChoiceExpression: choice, Mathematics: mathematics, Called: called,
    }  # fmt: skip

    # ------------------------------------------------------------------------------------------------ statements

    def block(self, statements: Block) -> None:
        for s in statements:
            self.statement(s)

    def statement(self, s: Statement) -> None:
        match s:
            case Assign(target, value):
                place = target.name if target.is_place else f"{target.name}.at"
                self.lines.append(f"  store {self.type_of(target.type)} {self.value(value)}, ptr %{place}")
            case Store(target, value):
                element = self.type_of(target.type)
                result = self.value(value)
                self.lines.append(f"  store {element} {result}, ptr {self.address(target, element)}, align 8")
            case Loop():
                self.loop(s)
            case While():
                self.repeat(s)
            case If():
                self.choose(s)
            case Leave(word):
                self.leave(f"  br label %{self.exits[-1][word == 'break']}")
            case Return(value):
                self.leave("  ret void" if value is None else f"  ret {_TYPES[value.type]} {self.value(value)}")
            case Run():
                self.run(s)
            case Call(value):
                self.lines.append(f"  {self.call_text(value)}")

    def leave(self, jump: str) -> None:
        """A label for the code after a jump: it is unreachable, but LLVM wants every block labelled."""
        self.lines += [jump, f"{self.labels('after')[0]}:"]

    def loop(self, s: Loop) -> None:
        head, inside, again, done = self.labels("head", "body", "next", "done")
        first, end = self.value(s.start), self.value(s.stop)
        self.lines += [f"  store i64 {first}, ptr %{s.name}.at", f"  br label %{head}", f"{head}:"]
        at = self.new(f"load i64, ptr %{s.name}.at")
        more = self.new(f"icmp slt i64 {at}, {end}")
        self.lines += [f"  br i1 {more}, label %{inside}, label %{done}", f"{inside}:"]
        self.exits.append((again, done))
        self.block(s.body)
        self.exits.pop()
        self.lines += [f"  br label %{again}", f"{again}:"]
        after = self.new(f"load i64, ptr %{s.name}.at")
        after = self.new(f"add nsw i64 {after}, {s.step}")
        self.lines += [f"  store i64 {after}, ptr %{s.name}.at", f"  br label %{head}", f"{done}:"]

    def repeat(self, s: While) -> None:
        head, inside, done = self.labels("while", "body", "done")
        self.lines += [f"  br label %{head}", f"{head}:"]
        self.lines += [f"  br i1 {self.value(s.test)}, label %{inside}, label %{done}", f"{inside}:"]
        self.exits.append((head, done))
        self.block(s.body)
        self.exits.pop()
        self.lines += [f"  br label %{head}", f"{done}:"]

    def choose(self, s: If) -> None:
        then, other, done = self.labels("then", "else", "endif")
        self.lines += [f"  br i1 {self.value(s.test)}, label %{then}, label %{other}", f"{then}:"]
        self.block(s.yes)
        self.lines += [f"  br label %{done}", f"{other}:"]
        self.block(s.no)
        self.lines += [f"  br label %{done}", f"{done}:"]

    def run(self, s: Run) -> None:
        """Call of a compiled program through its table: function, inputs, outputs, scratch memory."""
        table = self.value(s.function)
        code, ins, outs, work = (self.new(f"load ptr, ptr {self.pointer(table, k)}, align 8") for k in range(4))
        for k, given in enumerate(s.inputs):
            at = self.pointer(ins, k)
            if given.type is NUMBERS:
                self.lines.append(f"  store ptr {self.value(given)}, ptr {at}, align 8")
            else:
                place = self.new(f"load ptr, ptr {at}, align 8")
                self.lines.append(f"  store double {self.value(given)}, ptr {place}, align 8")
        for k, given in enumerate(s.outputs):
            self.lines.append(f"  store ptr {self.value(given)}, ptr {self.pointer(outs, k)}, align 8")
        self.lines.append(f"  call void {code}(ptr {ins}, ptr {outs}, ptr {work})")

    def pointer(self, table: str, k: int) -> str:
        return self.new(f"getelementptr ptr, ptr {table}, i64 {k}")


def parameter_type(p: Parameter, named: bool = False) -> str:
    """The type of an argument; in a definition with what is promised of it."""
    if not p.is_place and p.type not in (NUMBERS, INDICES):
        return _TYPES[p.type]
    return "ptr noalias" if named else "ptr"


def simple_kernel(kernel: Kernel, known: Known) -> KernelForm:
    """A kernel that calls no others, for known sizes."""
    return specialised(checked(kernel, basic_types(kernel)), known, Kernels())


# ---------------------------------------------------------------------------------------------------------- modules


class LlvmLoops:
    """Kernels that belong together, in one module."""

    def __init__(self) -> None:
        self.kernels = Kernels()
        self._entries: list[str] = []

    def entry(
        self, kernel: Kernel, name: str, arguments: Mapping[str, Type], known: Known, outputs: Iterable[str] = ()
    ) -> None:
        """A kernel to be called from outside (`loops/entries.py`)."""
        self._entries.append(_entry_text(entry(self.kernels, kernel, name, arguments, known, outputs)))

    def text(self) -> str:
        tables: dict[tuple[float, ...], str] = {}
        forms = [form for form in self.kernels.forms.values() if form]
        called = Counter(part.target.name for f in forms for part in all_parts(f.body) if isinstance(part, Called))
        texts = [
            LlvmKernel(form, form.name, tables=tables).text(_attributes(form, called[form.name])) for form in forms
        ]
        constants = "".join(
            f"{name} = private constant [{len(v)} x double] [{', '.join(f'double {hexadecimal(x)}' for x in v)}]\n"
            for v, name in tables.items()
        )
        return _INTRINSICS + constants + "".join(texts) + "".join(self._entries)


def _attributes(form: KernelForm, calls: int) -> str:
    """LLVM's time grows faster than a function: small kernels that are called once go into their caller at once, large ones never."""
    if calls != 1:
        return "nounwind"
    return f"nounwind {'noinline' if sum(1 for _ in all_parts(form.body)) > LARGE else 'alwaysinline'}"


def _entry_text(e: KernelEntry) -> str:
    lines: list[str] = []
    given = ", ".join(_unpacked(r, lines) for r in e.routes)
    call = f"call {_TYPES[e.form.result]} @{e.form.name}({given})"
    if e.form.result is NOTHING:
        lines.append(f"  {call}")
    else:
        lines += [
            f"  %result = {call}",
            f"  %result.p = getelementptr ptr, ptr %in, i64 {e.result_at}",
            "  %result.v = load ptr, ptr %result.p, align 8",
            f"  store {_TYPES[e.form.result]} %result, ptr %result.v, align 8",
        ]
    body = "\n".join(lines)
    return f"define void @{e.name}(ptr %in, ptr %out, ptr %work) nounwind {{\n{body}\n  ret void\n}}\n"


def _unpacked(r: Route, lines: list[str]) -> str:
    """Text of an argument, with the lines that find it."""
    p, at = r.parameter, f"%{r.table}"
    for depth, slot in enumerate((r.at, *r.slots)):
        step = f"%{p.name}.{depth}"
        if depth:
            lines.append(f"  {step}.r = load ptr, ptr {at}, align 8")
            at = f"{step}.r"
        lines.append(f"  {step} = getelementptr i64, ptr {at}, i64 {slot}")
        at = step
    is_inside = p.is_place or p.type in (INDEX, NUMBER)
    if not r.slots or not is_inside:  # tables hold addresses, records hold numbers themselves
        lines.append(f"  %{p.name}.a = load ptr, ptr {at}, align 8")
        at = f"%{p.name}.a"
    if p.is_place or p.type not in (INDEX, NUMBER):
        return f"ptr {at}"
    lines.append(f"  %{p.name}.v = load {_TYPES[p.type]}, ptr {at}, align 8")
    return f"{_TYPES[p.type]} %{p.name}.v"

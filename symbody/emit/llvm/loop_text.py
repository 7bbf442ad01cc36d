"""Kernels as LLVM text: printers of the form that `loops/specialisation.py` makes.

LlvmKernel   one kernel as a function: also those that programs call, on vectors or on every lane of interleaved arrays
LlvmLoops    kernels that call each other and compiled programs, in one module
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from ..loops import kernel_nodes as ir
from ..loops.kernel_entries import ArgumentRoute, KernelEntry, kernel_entry
from ..loops.kernel_language import Kernel
from ..loops.kernel_parser import kernel_form
from ..loops.specialisation import Kernels, KnownValues, specialised_form
from .llvm_numbers import BYTES, LARGEST_NUMBER, SUFFIX, fma, fma_declaration, lanes_of, real_of, splat

_TYPES: Final[dict[ir.Type, str]] = {
    ir.INDEX: "i64", ir.NUMBERS: "ptr", ir.INDICES: "ptr", ir.FUNCTION: "ptr", ir.NOTHING: "void",
}  # fmt: skip
FREE: Final = (
    "contract reassoc nsz"  # LLVM may contract and reorder, so that rounding depends on its optimisation level
)
_NUMBER_OPS: Final = {"+": "fadd", "-": "fsub", "*": "fmul", "/": "fdiv"}
_INDEX_OPS: Final = {"+": "add nsw", "-": "sub nsw", "*": "mul nsw", "//": "sdiv", "%": "srem"}
_INDEX_TESTS: Final = {"<": "slt", ">": "sgt", "<=": "sle", ">=": "sge", "==": "eq", "!=": "ne"}
_NUMBER_TESTS: Final = {"<": "olt", ">": "ogt", "<=": "ole", ">=": "oge", "==": "oeq", "!=": "une"}
SCALAR_LOOPS: Final = '!0 = distinct !{!0, !1}\n!1 = !{!"llvm.loop.vectorize.enable", i1 false}\n'
SINES: Final = {"sin": "symbody.sin", "cos": "symbody.cos"}  # defined by `sincos.sine_functions`
LONG_TABLE: Final = 1000  # numbers, from which on the time to read them matters
LARGE_KERNEL: Final = 200  # expressions and statements of a kernel


Tables = dict[
    tuple[str, tuple[float, ...]], str
]  # names of constant arrays, by the type of their elements and by content


def intrinsics(real: str) -> str:
    """Declarations of what kernels call."""
    names = [f"llvm.{name}.{SUFFIX[real]}" for name in ("fabs", "sqrt")]
    return "".join(f"declare {real} @{name}({real})\n" for name in names)


def type_text(type_: ir.Type, real: str) -> str:
    """A type as LLVM calls it."""
    return real if type_ is ir.NUMBER else _TYPES[type_]


def changed_names(form: ir.KernelForm) -> dict[str, ir.Type]:
    """Local names and arguments that are assigned, with their types."""
    out: dict[str, ir.Type] = {}
    for part in form.parts:
        match part:
            case ir.Assign(ir.LocalVariable(type_, name, False)):
                out[name] = type_
            case ir.Loop():
                out[part.name] = ir.INDEX
    return out


class LlvmKernel:
    """One kernel as an LLVM function.

    number   type of an array's elements: double or float, or a vector of them where the loop serves several states at
             once
    stride   distance of elements in memory: a kernel that pivots serves one lane of interleaved arrays at a time
    shared   arrays with shorter elements, repeated to fill a number: factors, where a number is of several right sides
    tables   names of constant arrays, to which those that are met are added
    power    name of the function for x^y
    is_scalar   whether LLVM must leave loops as they are: where numbers are far apart it would gather vectors, which
                takes longer
    rounding    "free", or as the text says, whatever LLVM does with it: "fused" writes a b + c as one operation,
                "separate" never does
    """

    def __init__(
        self,
        form: ir.KernelForm,
        name: str,
        number: str = "double",
        stride: int = 1,
        shared: Mapping[str, str] | None = None,
        tables: Tables | None = None,
        power: str = "pow",
        is_scalar: bool = False,
        rounding: str = "free",
    ) -> None:
        self.flags = f" {FREE}" if rounding == "free" else " nsz"
        self.is_fused = rounding == "fused"
        self.loop_mark = ", !llvm.loop !0" if is_scalar else ""
        self.real, self.size, self.power = real_of(number), BYTES[real_of(number)], power
        self.form, self.name, self.number, self.stride, self.shared = form, name, number, stride, shared or {}
        self.tables = {} if tables is None else tables
        self.changed = changed_names(form)
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
        end = "  ret void" if self.form.result is ir.NOTHING else "  unreachable"
        body = "\n".join([*self.head, *self.lines, end])
        args = ", ".join(f"{parameter_type(p, self.real, named=True)} %{p.name}" for p in self.form.parameters)
        result = type_text(self.form.result, self.real)
        return f"define internal {result} @{self.name}({args}) {attributes} {{\n{body}\n}}\n"

    @property
    def types(self) -> str:
        """Types of the arguments, for a declaration."""
        return ", ".join(parameter_type(p, self.real) for p in self.form.parameters)

    def type_of(self, type_: ir.Type) -> str:
        return self.number if type_ is ir.NUMBER else _TYPES[type_]

    def align_of(self, type_: ir.Type) -> int:
        return self.size if type_ is ir.NUMBER else 8

    def new(self, instruction: str) -> str:
        self.count += 1
        self.lines.append(f"  %.{self.count} = {instruction}")
        return f"%.{self.count}"

    def labels(self, *names: str) -> list[str]:
        self.count += 1
        return [f".{name}{self.count}" for name in names]

    # ------------------------------------------------------------------------------------------------ expressions

    def value(self, e: ir.Expression) -> str:
        return self.PRINTERS[type(e)](self, e)

    def constant(self, e: ir.Constant) -> str:
        if e.type is ir.NUMBER:
            return splat(e.value, self.number)
        if e.type in (ir.NUMBERS, ir.INDICES):
            element = self.real if e.type is ir.NUMBERS else "i64"
            return self.tables.setdefault((element, e.value), f"@table.{len(self.tables)}")
        return str(e.value).lower()

    def variable(self, e: ir.LocalVariable) -> str:
        if e.is_place:
            return self.new(f"load {self.type_of(e.type)}, ptr %{e.name}, align {self.align_of(e.type)}")
        if e.name in self.changed:
            return self.new(f"load {self.type_of(e.type)}, ptr %{e.name}.at")
        return f"%{e.name}"

    def element(self, e: ir.ArrayElement) -> str:
        element = self.shared.get(e.array.name, self.number) if isinstance(e.array, ir.LocalVariable) else self.number
        element = "i64" if e.type is ir.INDEX else element
        loaded = self.new(f"load {element}, ptr {self.address(e, element)}, align {self.align_of(e.type)}")
        return loaded if e.type is ir.INDEX or element == self.number else self.repeated(loaded, element)

    def repeated(self, value: str, element: str) -> str:
        """A number made of a shorter one, again and again."""
        if element == self.real:
            element = f"<1 x {self.real}>"
            value = self.new(f"insertelement {element} poison, {self.real} {value}, i32 0")
        lanes = lanes_of(self.number)
        mask = ", ".join(f"i32 {k % lanes_of(element)}" for k in range(lanes))
        return self.new(f"shufflevector {element} {value}, {element} poison, <{lanes} x i32> <{mask}>")

    def address(self, e: ir.ArrayElement, element: str) -> str:
        base, at = self.value(e.array), self.value(e.at)
        if self.stride != 1:
            at = self.new(f"mul nsw i64 {at}, {self.stride}")
        return self.new(f"getelementptr inbounds {element}, ptr {base}, i64 {at}")

    def rest(self, e: ir.ArrayTail) -> str:
        element = "i64" if e.type is ir.INDICES else self.number
        return self.new(f"getelementptr {element}, ptr {self.value(e.array)}, i64 {self.value(e.start)}")

    def operation(self, e: ir.Operation) -> str:
        if self.is_fused and e.type is ir.NUMBER and e.sign in ("+", "-") and (of := _products(e)):
            return self.fused(e, of[0])
        left, right = self.value(e.left), self.value(e.right)
        if e.type is ir.INDEX:
            return self.new(f"{_INDEX_OPS[e.sign]} i64 {left}, {right}")
        if e.type is ir.NUMBER:
            return self.new(f"{_NUMBER_OPS[e.sign]}{self.flags} {self.number} {left}, {right}")
        if e.left.type is ir.INDEX:
            return self.new(f"icmp {_INDEX_TESTS[e.sign]} i64 {left}, {right}")
        return self.new(f"fcmp {_NUMBER_TESTS[e.sign]} {self.number} {left}, {right}")

    def fused(self, e: ir.Operation, product: ir.Operation) -> str:
        """A sum or difference with a product, rounded once."""
        is_right = product is e.right
        other = self.value(e.left if is_right else e.right)
        a, b = self.value(product.left), self.value(product.right)
        if e.sign == "-" and is_right:
            a = self.new(f"fneg {self.number} {a}")
        elif e.sign == "-":
            other = self.new(f"fneg {self.number} {other}")
        return fma(a, b, other, self.number, self.new)

    def converted(self, e: ir.Conversion) -> str:
        value = self.value(e.value)
        to_number = e.type is ir.NUMBER
        return self.new(f"sitofp i64 {value} to {self.real}" if to_number else f"fptosi {self.real} {value} to i64")

    def connected(self, e: ir.BooleanOperation) -> str:
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

    def inverted(self, e: ir.Not) -> str:
        return self.new(f"xor i1 {self.value(e.value)}, true")

    def absent(self, e: ir.IsAbsent) -> str:
        return self.new(f"icmp eq ptr {self.value(e.function)}, null")

    def choice(self, e: ir.Select) -> str:
        yes, no, type_ = self.value(e.yes), self.value(e.no), self.type_of(e.type)
        is_of_lanes = isinstance(e.test, ir.Operation) and e.test.left.type is ir.NUMBER and self.number != self.real
        truth = f"<{lanes_of(self.number)} x i1>" if is_of_lanes else "i1"
        return self.new(f"select {truth} {self.value(e.test)}, {type_} {yes}, {type_} {no}")

    def mathematics(self, e: ir.MathCall) -> str:
        values, real = [self.value(a) for a in e.arguments], self.real
        if e.name == "is_finite":
            size = self.new(f"call {real} @llvm.fabs.{SUFFIX[real]}({real} {values[0]})")
            return self.new(f"fcmp ole {real} {size}, {splat(LARGEST_NUMBER[real], real)}")
        if e.name in ("min", "max"):
            best = values[0]
            for other in values[1:]:  # as Python does: nan is not taken where it comes later
                takes = self.new(f"fcmp {'olt' if e.name == 'min' else 'ogt'} {real} {other}, {best}")
                best = self.new(f"select i1 {takes}, {real} {other}, {real} {best}")
            return best
        own = {"abs": f"llvm.fabs.{SUFFIX[real]}", "sqrt": f"llvm.sqrt.{SUFFIX[real]}", "pow": self.power, **SINES}
        name = own.get(e.name, e.name)  # functions of the C library by their names there
        return self.new(f"call {real} @{name}({', '.join(f'{real} {v}' for v in values)})")

    def called(self, e: ir.KernelCall) -> str:
        text = self.call_text(e)
        return self.new(text)

    def call_text(self, e: ir.KernelCall) -> str:
        given = []
        for p, a in zip(e.target.parameters, e.arguments, strict=True):
            text = f"%{a.name}" if p.is_place and isinstance(a, ir.LocalVariable) else self.value(a)
            given.append(f"{parameter_type(p, self.real)} {text}")
        return f"call {type_text(e.type, self.real)} @{e.target.name}({', '.join(given)})"

    PRINTERS: Final[dict[type, Any]] = {
        ir.Constant: constant, ir.LocalVariable: variable, ir.ArrayElement: element, ir.ArrayTail: rest, ir.Operation: operation, ir.Conversion: converted,
        ir.BooleanOperation: connected, ir.Not: inverted, ir.IsAbsent: absent, ir.Select: choice, ir.MathCall: mathematics, ir.KernelCall: called,
    }  # fmt: skip

    # ------------------------------------------------------------------------------------------------ statements

    def block(self, statements: ir.Block) -> None:
        for s in statements:
            self.statement(s)

    def statement(self, s: ir.Statement) -> None:
        match s:
            case ir.Assign(target, value):
                place = target.name if target.is_place else f"{target.name}.at"
                self.lines.append(f"  store {self.type_of(target.type)} {self.value(value)}, ptr %{place}")
            case ir.Store(target, value):
                element = self.type_of(target.type)
                result = self.value(value)
                at, size = self.address(target, element), self.align_of(target.type)
                self.lines.append(f"  store {element} {result}, ptr {at}, align {size}")
            case ir.Loop():
                self.loop(s)
            case ir.While():
                self.repeat(s)
            case ir.If():
                self.choose(s)
            case ir.Jump(word):
                self.leave(f"  br label %{self.exits[-1][word == 'break']}")
            case ir.Return(value):
                given = None if value is None else f"{type_text(value.type, self.real)} {self.value(value)}"
                self.leave(f"  ret {given or 'void'}")
            case ir.ProgramCall():
                self.run(s)
            case ir.CallStatement(value):
                self.lines.append(f"  {self.call_text(value)}")

    def leave(self, jump: str) -> None:
        """A label for the code after a jump: it is unreachable, but LLVM wants every block labelled."""
        self.lines += [jump, f"{self.labels('after')[0]}:"]

    def loop(self, s: ir.Loop) -> None:
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
        self.lines += [f"  store i64 {after}, ptr %{s.name}.at", f"  br label %{head}{self.loop_mark}", f"{done}:"]

    def repeat(self, s: ir.While) -> None:
        head, inside, done = self.labels("while", "body", "done")
        self.lines += [f"  br label %{head}", f"{head}:"]
        self.lines += [f"  br i1 {self.value(s.test)}, label %{inside}, label %{done}", f"{inside}:"]
        self.exits.append((head, done))
        self.block(s.body)
        self.exits.pop()
        self.lines += [f"  br label %{head}", f"{done}:"]

    def choose(self, s: ir.If) -> None:
        then, other, done = self.labels("then", "else", "endif")
        self.lines += [f"  br i1 {self.value(s.test)}, label %{then}, label %{other}", f"{then}:"]
        self.block(s.yes)
        self.lines += [f"  br label %{done}", f"{other}:"]
        self.block(s.no)
        self.lines += [f"  br label %{done}", f"{done}:"]

    def run(self, s: ir.ProgramCall) -> None:
        """Call of a compiled program: of one in this module, or through its table of function, inputs, outputs, scratch
        memory."""
        if s.target:
            values = [f"{type_text(g.type, self.real)} {self.value(g)}" for g in (*s.inputs, *s.outputs)]
            self.lines.append(f"  call void @{s.target}({', '.join([f'ptr {self.value(s.function)}', *values])})")
            return
        table = self.value(s.function)
        code, ins, outs, work = (self.new(f"load ptr, ptr {self.pointer(table, k)}, align 8") for k in range(4))
        for k, given in enumerate(s.inputs):
            at = self.pointer(ins, k)
            if given.type is ir.NUMBERS:
                self.lines.append(f"  store ptr {self.value(given)}, ptr {at}, align 8")
            else:
                place = self.new(f"load ptr, ptr {at}, align 8")
                self.lines.append(f"  store {self.real} {self.value(given)}, ptr {place}, align {self.size}")
        for k, given in enumerate(s.outputs):
            self.lines.append(f"  store ptr {self.value(given)}, ptr {self.pointer(outs, k)}, align 8")
        self.lines.append(f"  call void {code}(ptr {ins}, ptr {outs}, ptr {work})")

    def pointer(self, table: str, k: int) -> str:
        return self.new(f"getelementptr ptr, ptr {table}, i64 {k}")


def _products(e: ir.Operation) -> list[ir.Operation]:
    """Those of the two that are products, the right one first: what is added to a sum."""
    return [x for x in (e.right, e.left) if isinstance(x, ir.Operation) and x.sign == "*" and x.type is ir.NUMBER]


def parameter_type(p: ir.Parameter, real: str, named: bool = False) -> str:
    """The type of an argument; in a definition with what is promised of it."""
    if not p.is_place and p.type not in (ir.NUMBERS, ir.INDICES):
        return type_text(p.type, real)
    return "ptr noalias" if named else "ptr"


def simple_kernel(kernel: Kernel, known: KnownValues) -> ir.KernelForm:
    """A kernel that calls no others, for known sizes."""
    return specialised_form(kernel_form(kernel), known, Kernels())


# ---------------------------------------------------------------------------------------------------------- modules


class LlvmLoops:
    """Kernels that belong together, in one module, for numbers of one precision; `power` and `rounding` as in
    `LlvmKernel`, `most_written_out` as in `Kernels`."""

    def __init__(
        self, real: str = "double", power: str = "pow", most_written_out: int = 0, rounding: str = "free"
    ) -> None:
        self.kernels, self.real, self.power, self.rounding = Kernels(most_written_out), real, power, rounding
        self._entries: list[str] = []

    def entry(
        self,
        kernel: Kernel,
        name: str,
        arguments: Mapping[str, ir.Type],
        known: KnownValues,
        outputs: Iterable[str] = (),
    ) -> None:
        """A kernel to be called from outside (`loops/kernel_entries.py`)."""
        self._entries.append(_entry_text(kernel_entry(self.kernels, kernel, name, arguments, known, outputs)))

    def text(self) -> str:
        t = self.real
        library = f"declare {t} @pow({t}, {t})\n{fma_declaration(t)}\n"
        return intrinsics(t) + library + self.definitions(_attributes)

    def definitions(self, attributes: Callable[[ir.KernelForm, int], str]) -> str:
        """Kernels and entries without what they call of the library. `attributes` are those of a kernel that is called
        so many times."""
        tables: Tables = {}
        forms = [form for form in self.kernels.forms.values() if form]
        called = Counter(part.target.name for f in forms for part in f.parts if isinstance(part, ir.KernelCall))
        real, texts = self.real, []
        for form in forms:
            kernel = LlvmKernel(form, form.name, real, tables=tables, power=self.power, rounding=self.rounding)
            texts.append(kernel.text(attributes(form, called[form.name])))
        return constant_tables(tables) + "".join(texts) + "".join(self._entries)


def constant_tables(tables: Tables) -> str:
    return "".join(f"{name} = private constant {_table(element, v)}\n" for (element, v), name in tables.items())


def _table(element: str, values: tuple[float, ...]) -> str:
    """An array; the bytes of one that is long, which LLVM reads many times faster than so many numbers."""
    if element == "double" and len(values) >= LONG_TABLE:
        content = struct.pack(f"<{len(values)}d", *values)  # targets are little-endian
        return f'[{len(content)} x i8] c"\\{content.hex(chr(92))}", align {BYTES[element]}'
    return f"[{len(values)} x {element}] [{', '.join(_entry_of_table(x, element) for x in values)}]"


def _entry_of_table(x: float, element: str) -> str:
    return f"{element} {int(x) if element == 'i64' else splat(x, element)}"


def _attributes(form: ir.KernelForm, calls: int) -> str:
    """LLVM's time grows faster than a function: small kernels that are called once go into their caller at once, large
    ones never; those that seldom run stay where they are."""
    if form.is_rare:
        return "nounwind cold noinline"
    if calls != 1:
        return "nounwind"
    return f"nounwind {'noinline' if len(form.parts) > LARGE_KERNEL else 'alwaysinline'}"


def _entry_text(e: KernelEntry) -> str:
    lines: list[str] = []
    given = ", ".join(_argument_text(r, lines) for r in e.routes)
    result = type_text(e.form.result, "double")
    call = f"call {result} @{e.form.name}({given})"
    if e.form.result is ir.NOTHING:
        lines.append(f"  {call}")
    else:
        lines += [
            f"  %result = {call}",
            f"  %result.p = getelementptr ptr, ptr %in, i64 {e.result_at}",
            "  %result.v = load ptr, ptr %result.p, align 8",
            f"  store {result} %result, ptr %result.v, align 8",
        ]
    body = "\n".join(lines)
    return f"define void @{e.name}(ptr %in, ptr %out, ptr %work) nounwind {{\n{body}\n  ret void\n}}\n"


def _argument_text(r: ArgumentRoute, lines: list[str]) -> str:
    """Text of an argument, with the lines that find it."""
    p, at = r.parameter, f"%{r.table}"
    for depth, slot in enumerate((r.at, *r.slots)):
        step = f"%{p.name}.{depth}"
        if depth:
            lines.append(f"  {step}.r = load ptr, ptr {at}, align 8")
            at = f"{step}.r"
        lines.append(f"  {step} = getelementptr i64, ptr {at}, i64 {slot}")
        at = step
    is_inside = p.is_place or p.type in (ir.INDEX, ir.NUMBER)
    if not r.slots or not is_inside:  # tables hold addresses, records hold numbers themselves
        lines.append(f"  %{p.name}.a = load ptr, ptr {at}, align 8")
        at = f"%{p.name}.a"
    if p.is_place or p.type not in (ir.INDEX, ir.NUMBER):
        return f"ptr {at}"
    type_ = type_text(p.type, "double")
    lines.append(f"  %{p.name}.v = load {type_}, ptr {at}, align 8")
    return f"{type_} %{p.name}.v"

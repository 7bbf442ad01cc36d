"""Kernels as C text: printers of the form that `emit/loops` makes.

CKernel   one kernel as a static function
c_loops   a kernel and all that it calls, with an entry like that of a compiled program
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Final

from ....emit import ir
from .c_style import PLAIN, CStyle

_PRODUCTS: Final = ("*", "/", "//", "%")
_SIGNS: Final = {"//": "/"}
_FUNCTIONS: Final = {"abs": "fabs", "is_finite": "isfinite", "min": "least_of", "max": "largest_of"}
_ASCII: Final = str.maketrans({"ᵀ": "'", "₁": "1", "₋": "-", "⁺": "+", "ε": "e", "θ": "theta", "ö": "o", "ø": "o"})


class CKernel:
    """One kernel as a static C function; sizes that are not known are arguments, so that one text serves all of them.

    width   how many right sides lie side by side: an element of x, and every number computed from it, is one of each
    index   type of indices
    """

    def __init__(
        self, form: ir.KernelForm, name: str, width: int = 1, index: str = "int", style: CStyle = PLAIN
    ) -> None:
        self.form, self.name, self.width, self.index, self.style = form, name, width, index, style
        self.real = style.number.type
        self.arguments = {p.name: p for p in form.parameters}
        self.stored = _stored(form.body)
        self.hoisted: dict[str, ir.Type] = {}  # names that are read outside of the block that assigns them first
        self._begin()

    def _begin(self) -> None:
        self.lines: list[str] = []
        self.scopes: list[set[str]] = [{*self.arguments, *self.hoisted}]  # names declared in each block that is open
        self.escaped: dict[str, ir.Type] = {}

    def text(self) -> str:
        self.block(self.form.body)
        while self.escaped:
            self.hoisted |= self.escaped
            self._begin()
            self.block(self.form.body)
        result = "void" if self.form.result is ir.NOTHING else self.type_of(self.form.result)
        declared = [f"    {self.type_of(t)}{c_name(name)};" for name, t in self.hoisted.items()]
        body = "\n".join([*declared, *self.unused(), *self.lines])
        head = f"static {result}{'' if result[-1] == ' ' else ' '}{self.name}({self.signature()})"
        return f"{self.comment()}\n{head}\n{{\n{body}\n}}\n"

    def signature(self) -> str:
        return ", ".join(map(self.argument, self.form.parameters)) or "void"

    def unused(self) -> list[str]:
        """Lines that say of which arguments a kernel makes no use."""
        return []

    def comment(self) -> str:
        lines = self.form.documentation.translate(_ASCII).splitlines()
        return "/* " + "\n".join(f"   {line}".rstrip() for line in lines)[3:] + " */"

    def argument(self, p: ir.Parameter) -> str:
        if p.is_place:
            return f"{self.type_of(p.type)}*{c_name(p.name)}"
        is_read = p.type in (ir.NUMBERS, ir.INDICES) and p.name not in self.stored
        return f"{'const ' if is_read else ''}{self.type_of(p.type)}{c_name(p.name)}"

    def type_of(self, type_: ir.Type) -> str:
        """A type, ready for a name to follow."""
        names: dict[ir.Type, str] = {
            ir.INDEX: f"{self.index} ",
            ir.NUMBER: f"{self.real} ",
            ir.NUMBERS: f"{self.real} *",
            ir.INDICES: f"{self.index} *",
        }
        return names.get(type_, "program *")

    def line(self, text: str) -> None:
        self.lines.append("    " * len(self.scopes) + text)

    def is_wide(self, name: str) -> bool:
        """Whether a name stands for one number of each right side."""
        return self.width > 1 and (name == ir.RIGHT_SIDES or name not in self.arguments)

    # ------------------------------------------------------------------------------------------------ expressions

    def expression(self, e: ir.Expression) -> str:
        return self.PRINTERS[type(e)](self, e)

    def constant(self, e: ir.Constant) -> str:
        if e.type is ir.NUMBERS:
            return f"(const double[]){{{', '.join(map(repr, e.value))}}}"
        if isinstance(e.value, float):
            return self.style.number.literal(e.value)
        return str(int(e.value)) if isinstance(e.value, bool) else repr(e.value)

    def variable(self, e: ir.LocalVariable) -> str:
        if e.is_place:
            return f"*{c_name(e.name)}"
        if not any(e.name in s for s in self.scopes):
            self.escaped[e.name] = e.type
        return f"{c_name(e.name)}[r]" if e.type is ir.NUMBER and self.is_wide(e.name) else c_name(e.name)

    def element(self, e: ir.ArrayElement) -> str:
        at = self.expression(e.at)
        if isinstance(e.array, ir.LocalVariable) and self.is_wide(e.array.name):
            at = f"({at}) * {self.width} + r" if isinstance(e.at, ir.Operation) else f"{at} * {self.width} + r"
        return f"{self.expression(e.array)}[{at}]"

    def rest(self, e: ir.ArrayTail) -> str:
        return f"({self.expression(e.array)} + {self.inner(e.start)})"

    def inner(self, e: ir.Expression) -> str:
        return f"({self.expression(e)})" if isinstance(e, ir.Operation) else self.expression(e)

    def operation(self, e: ir.Operation) -> str:
        if e.sign == "-" and isinstance(e.left, ir.Constant) and e.left.value == 0:
            return f"(-{self.inner(e.right)})"
        left, right = self.expression(e.left), self.expression(e.right)
        is_product = e.sign in _PRODUCTS
        if isinstance(e.left, ir.Operation) and e.left.sign not in _PRODUCTS and is_product:
            left = f"({left})"
        if isinstance(e.right, ir.Operation) and (is_product or e.right.sign not in _PRODUCTS):
            right = f"({right})"
        return f"{left} {_SIGNS.get(e.sign, e.sign)} {right}"

    def converted(self, e: ir.Conversion) -> str:
        return f"({self.type_of(e.type).strip()}){self.inner(e.value)}"

    def connected(self, e: ir.BooleanOperation) -> str:
        return f"({(' && ' if e.word == 'and' else ' || ').join(self.expression(p) for p in e.parts)})"

    def inverted(self, e: ir.Not) -> str:
        return f"!({self.expression(e.value)})"

    def absent(self, e: ir.IsAbsent) -> str:
        return f"{self.expression(e.function)} == 0"

    def choice(self, e: ir.Select) -> str:
        return f"({self.expression(e.test)} ? {self.expression(e.yes)} : {self.expression(e.no)})"

    def mathematics(self, e: ir.MathCall) -> str:
        name, values = _FUNCTIONS.get(e.name, e.name), [self.expression(a) for a in e.arguments]
        if e.name == "abs" and self.style.functions:
            (value,), zero = values, self.style.number.literal(0.0)
            return f"({value} < {zero} ? -({value}) : {value})"
        if e.name not in ("min", "max"):
            name = name if e.name == "is_finite" else self.style.call(name, f"kernel {self.name!r}")
            return f"{name}({', '.join(values)})"
        text = values[0]
        for other in values[1:]:
            text = f"{name}({text}, {other})"
        return text

    def called(self, e: ir.KernelCall) -> str:
        given = []
        for p, a in zip(e.target.parameters, e.arguments, strict=True):
            given.append(c_name(a.name) if p.is_place and isinstance(a, ir.LocalVariable) else self.expression(a))
        return f"{c_name(e.target.name)}({', '.join(given)})"

    PRINTERS: ClassVar[dict[type, Any]] = {
        ir.Constant: constant, ir.LocalVariable: variable, ir.ArrayElement: element, ir.ArrayTail: rest, ir.Operation: operation, ir.Conversion: converted,
        ir.BooleanOperation: connected, ir.Not: inverted, ir.IsAbsent: absent, ir.Select: choice, ir.MathCall: mathematics, ir.KernelCall: called,
    }  # fmt: skip

    # ------------------------------------------------------------------------------------------------ statements

    def block(self, statements: ir.Block) -> None:
        for s in statements:
            self.statement(s)

    def scope(self, statements: ir.Block, *names: str) -> None:
        self.scopes.append(set(names))
        self.block(statements)
        self.scopes.pop()

    def statement(self, s: ir.Statement) -> None:
        match s:
            case ir.Assign(target, value):
                self.assign(target, value)
            case ir.Store(target, value):
                is_wide = isinstance(target.array, ir.LocalVariable) and self.is_wide(target.array.name)
                put = self.for_each_side if is_wide else self.line
                put(f"{self.element(target)} = {self.expression(value)};")
            case ir.Loop():
                self.loop(s)
            case ir.While():
                self.line(f"while ({self.expression(s.test)}) {{")
                self.scope(s.body)
                self.line("}")
            case ir.If():
                self.choose(s)
            case ir.Jump(word):
                self.line(f"{word};")
            case ir.Return(value):
                self.line("return;" if value is None else f"return {self.expression(value)};")
            case ir.ProgramCall():
                self.run(s)
            case ir.CallStatement(value):
                self.line(f"{self.called(value)};")

    def loop(self, s: ir.Loop) -> None:
        first, end = self.expression(s.start), self.expression(s.stop)
        onward = f"{s.name}++" if s.step == 1 else f"{s.name} += {s.step}"
        is_new = not any(s.name in scope for scope in self.scopes)
        self.line(f"for ({self.index + ' ' if is_new else ''}{s.name} = {first}; {s.name} < {end}; {onward}) {{")
        self.scope(s.body, s.name)
        self.line("}")

    def choose(self, s: ir.If) -> None:
        self.line(f"if ({self.expression(s.test)}) {{")
        self.scope(s.yes)
        if s.no:
            self.line("} else {")
            self.scope(s.no)
        self.line("}")

    def assign(self, target: ir.LocalVariable, value: ir.Expression) -> None:
        name, text = c_name(target.name), self.expression(value)
        if target.is_place:
            self.line(f"*{name} = {text};")
            return
        is_new = not any(target.name in s for s in self.scopes)
        self.scopes[-1].add(target.name)
        if not self.is_wide(target.name):
            self.line(f"{self.type_of(target.type) if is_new else ''}{name} = {text};")
            return
        if is_new:
            self.line(f"{self.real} {name}[{self.width}];")
        self.for_each_side(f"{name}[r] = {text};")

    def for_each_side(self, text: str) -> None:
        self.line(f"for (int r = 0; r < {self.width}; r++) {{")
        self.line(f"    {text}")
        self.line("}")

    def run(self, s: ir.ProgramCall) -> None:
        f = self.expression(s.function)
        for k, given in enumerate(s.inputs):
            self.line(f"{'' if given.type is ir.NUMBERS else '*'}{f}->in[{k}] = {self.expression(given)};")
        for k, given in enumerate(s.outputs):
            self.line(f"{f}->out[{k}] = {self.expression(given)};")
        self.line(f"{f}->code({f}->in, {f}->out, {f}->work);")


def simple_c(kernel: ir.Kernel, name: str, width: int = 1, style: CStyle = PLAIN) -> str:
    """A kernel that calls no others, for any size."""
    return CKernel(ir.kernel_form(kernel), name, width, style=style).text()


def c_name(name: str) -> str:
    return name.replace(".", "_")


def _stored(block: ir.Block) -> set[str]:
    """Arrays that are written to, or handed on to where they may be."""
    out: set[str] = set()
    for part in ir.all_parts(block):
        match part:
            case ir.Store(ir.ArrayElement(_, array)):
                out |= _arrays((array,))
            case ir.ProgramCall(_, inputs, outputs):
                out |= _arrays((*inputs, *outputs))
            case ir.KernelCall():
                out |= _arrays(part.arguments)
            case ir.Assign(_, value) if value.type in (ir.NUMBERS, ir.INDICES):
                out |= _arrays((value,))
    return out


def _arrays(given: tuple[ir.Expression, ...]) -> set[str]:
    out: set[str] = set()
    for e in given:
        while isinstance(e, ir.ArrayTail):
            e = e.array
        if isinstance(e, ir.LocalVariable):
            out.add(e.name)
    return out


# ---------------------------------------------------------------------------------------------------------- whole loops

_HEAD: Final = """#include <math.h>
#include <stdint.h>

/* A function with its arguments in place. */
typedef struct {
    void (*code)(double **in, double **out, double *work);
    double **in, **out, *work;
} program;

"""
MINIMUM_AND_MAXIMUM: Final = {  # as Python has them: nan is not taken where it comes later
    "least_of": "static double least_of(double a, double b) { return b < a ? b : a; }\n",
    "largest_of": "static double largest_of(double a, double b) { return b > a ? b : a; }\n",
}


def c_loops(
    kernel: ir.Kernel, name: str, arguments: Mapping[str, ir.Type], known: ir.KnownValues, outputs: Iterable[str] = ()
) -> str:
    """A kernel and all that it calls, for arguments of these types, with an entry to be called from outside
    (`emit/loops/kernel_entries.py`)."""
    kernels = ir.Kernels()
    door = ir.kernel_entry(kernels, kernel, name, arguments, known, outputs)
    forms = [form for form in kernels.forms.values() if form]
    texts = [CKernel(form, c_name(form.name), index="int64_t").text() for form in forms]
    helpers = [text for name, text in MINIMUM_AND_MAXIMUM.items() if any(f"{name}(" in t for t in texts)]
    return _HEAD + "\n".join([*helpers, *texts, _entry_text(door)])


def _entry_text(e: ir.KernelEntry) -> str:
    call = f"{c_name(e.form.name)}({', '.join(map(_found, e.routes))})"
    type_ = "int64_t" if e.form.result is ir.INDEX else "double"
    body = f"    {call};" if e.form.result is ir.NOTHING else f"    *({type_} *)in[{e.result_at}] = {call};"
    return f"void {e.name}(double **in, double **out, double *work)\n{{\n    (void)out;\n    (void)work;\n{body}\n}}\n"


def _found(r: ir.ArgumentRoute) -> str:
    """An argument, through tables and records: a record holds numbers themselves, and addresses of everything else."""
    p = r.parameter
    at = f"(void **)&{r.table}[{r.at}]"
    for slot in r.slots:
        at = f"((void **)*({at}) + {slot})"
    is_inside = p.is_place or p.type in (ir.INDEX, ir.NUMBER)
    types: dict[ir.Type, str] = {
        ir.INDEX: "int64_t *",
        ir.INDICES: "int64_t *",
        ir.NUMBER: "double *",
        ir.NUMBERS: "double *",
    }
    pointer = f"({types.get(p.type, 'program *')}){'' if r.slots and is_inside else '*'}({at})"
    return f"*({pointer})" if is_inside and not p.is_place else pointer

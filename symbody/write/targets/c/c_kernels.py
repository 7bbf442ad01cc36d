"""Kernels as C text: printers of the form that `emit/loops` makes.

CKernel   one kernel as a static function
c_loops   a kernel and all that it calls, with an entry like that of a compiled program
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from ....emit import ir
from ...printers.brace_kernels import EXTREMES, BraceKernel, extreme
from .c_style import PLAIN, CStyle

_ASCII: Final = str.maketrans({"ᵀ": "'", "₁": "1", "₋": "-", "⁺": "+", "ε": "e", "θ": "theta", "ö": "o", "ø": "o"})


class CKernel(BraceKernel):
    """One kernel as a static C function; sizes that are not known are arguments, so that one text serves all of them.

    width   how many right sides lie side by side: an element of x, and every number computed from it, is one of each
    index   type of indices
    """

    TRUE, FALSE, SIGNS = "1", "0", {"//": "/"}

    def __init__(
        self, form: ir.KernelForm, function: str, width: int = 1, index: str = "int", style: CStyle = PLAIN
    ) -> None:
        super().__init__(form)
        self.function, self.width, self.index, self.style = function, width, index, style
        self.real = style.number.type
        self.arguments = {p.name: p for p in form.parameters}
        self.stored = _stored_arrays(form.body)
        self.hoisted: dict[str, ir.Type] = {}  # names that are read outside of the block that assigns them first
        self._begin()

    def _begin(self) -> None:
        self.lines = []
        self.scopes: list[set[str]] = [{*self.arguments, *self.hoisted}]  # names declared in each block that is open
        self.escaped: dict[str, ir.Type] = {}

    def body(self) -> list[str]:
        super().body()
        while self.escaped:
            self.hoisted |= self.escaped
            self._begin()
            super().body()
        return self.lines

    def text(self) -> str:
        lines = self.body()
        result = "void" if self.form.result is ir.NOTHING else self.type_of(self.form.result)
        body = "\n".join([*self.declared(), *self.unused(), *lines])
        head = f"static {result}{'' if result[-1] == ' ' else ' '}{self.function}({self.signature()})"
        return f"{self.comment()}\n{head}\n{{\n{body}\n}}\n"

    def declared(self) -> list[str]:
        """Declarations of names that several blocks share."""
        return [f"    {self.type_of(t)}{c_name(name)};" for name, t in self.hoisted.items()]

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

    def name(self, name: str) -> str:
        return c_name(name)

    def is_wide(self, name: str) -> bool:
        """Whether a name stands for one number of each right side."""
        return self.width > 1 and (name == ir.RIGHT_SIDES or name not in self.arguments)

    def is_wide_array(self, e: ir.Expression) -> bool:
        return isinstance(e, ir.LocalVariable) and self.is_wide(e.name)

    # ------------------------------------------------------------------------------------------------ expressions

    def number(self, value: float) -> str:
        return self.style.number.literal(value)

    def table(self, e: ir.Constant) -> str:
        return f"(const double[]){{{', '.join(map(repr, e.value))}}}"

    def variable(self, e: ir.LocalVariable) -> str:
        if e.is_place:
            return f"*{c_name(e.name)}"
        if self.is_new(e.name):
            self.escaped[e.name] = e.type
        return f"{c_name(e.name)}[r]" if e.type is ir.NUMBER and self.is_wide(e.name) else c_name(e.name)

    def element(self, e: ir.ArrayElement) -> str:
        at = self.expression(e.at)
        if self.is_wide_array(e.array):
            at = f"{self.inner(e.at)} * {self.width} + r"
        return self.entry(self.expression(e.array), at)

    def tail(self, e: ir.ArrayTail) -> str:
        return f"({self.expression(e.array)} + {self.inner(e.start)})"

    def conversion(self, e: ir.Conversion) -> str:
        return f"({self.type_of(e.type).strip()}){self.inner(e.value)}"

    def absent(self, e: ir.IsAbsent) -> str:
        return f"{self.expression(e.function)} == 0"

    def mathematics(self, name: str, values: list[str]) -> str:
        if name in EXTREMES:
            return extreme(name, values)
        if name == "is_finite":
            return f"isfinite({values[0]})"
        if name == "abs" and self.style.functions:
            (value,), zero = values, self.number(0.0)
            return f"({value} < {zero} ? -({value}) : {value})"
        called = self.style.call("fabs" if name == "abs" else name, f"kernel {self.function!r}")
        return f"{called}({', '.join(values)})"

    def kernel_call(self, e: ir.KernelCall) -> str:
        given = []
        for p, a in zip(e.target.parameters, e.arguments, strict=True):
            given.append(c_name(a.name) if p.is_place and isinstance(a, ir.LocalVariable) else self.expression(a))
        return f"{c_name(e.target.name)}({', '.join(given)})"

    # ------------------------------------------------------------------------------------------------ statements

    def is_new(self, name: str) -> bool:
        """Whether no block that is open has declared a name."""
        return not any(name in scope for scope in self.scopes)

    def inside(self, statements: ir.Block, *declared: str) -> None:
        self.scopes.append(set(declared))
        super().inside(statements)
        self.scopes.pop()

    def counter(self, name: str) -> str:
        return f"{self.index} {name}" if self.is_new(name) else name

    def store(self, s: ir.Store) -> None:
        put = self.for_each_side if self.is_wide_array(s.target.array) else self.line
        put(self.assignment(self.expression(s.target), self.expression(s.value)))

    def assign(self, s: ir.Assign) -> None:
        target, name, text = s.target, c_name(s.target.name), self.expression(s.value)
        if target.is_place:
            self.line(f"*{name} = {text};")
            return
        is_new = self.is_new(target.name)
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

    def call_statement(self, s: ir.CallStatement) -> None:
        self.line(f"{self.kernel_call(s.value)};")

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


def _stored_arrays(block: ir.Block) -> set[str]:
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
MINIMUM_AND_MAXIMUM: Final = {  # as in Python: a later nan is not returned
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
    call = f"{c_name(e.form.name)}({', '.join(map(_argument_text, e.routes))})"
    type_ = "int64_t" if e.form.result is ir.INDEX else "double"
    body = f"    {call};" if e.form.result is ir.NOTHING else f"    *({type_} *)in[{e.result_at}] = {call};"
    return f"void {e.name}(double **in, double **out, double *work)\n{{\n    (void)out;\n    (void)work;\n{body}\n}}\n"


def _argument_text(r: ir.ArgumentRoute) -> str:
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

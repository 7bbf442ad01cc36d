"""Kernels as Fortran: pure subroutines on arrays that begin at 0."""

from __future__ import annotations

from ....emit import ir
from ...printers.kernel_printer import KernelPrinter
from .fortran_printer import folded_lines, literal


class FortranKernel(KernelPrinter):
    AND, OR, NOT = " .and. ", " .or. ", ".not. "
    TRUE, FALSE = ".true.", ".false."
    SIGNS = {"!=": "/="}
    WORDS = {"break": "exit", "continue": "cycle"}
    END = {"loop": "end do", "while": "end do", "if": "end if"}

    def number(self, value: float) -> str:
        return literal(value)

    def entry(self, array: str, at: str) -> str:
        return f"{array}({at})"

    def tail(self, e: ir.ArrayTail) -> str:
        """Where it begins: the dummy argument has its own size."""
        return f"{self.expression(e.array)}({self.expression(e.start)})"

    def loop_head(self, name: str, first: str, stop: ir.Expression, step: int) -> str:
        last = str(stop.value - 1) if isinstance(stop, ir.Constant) else f"{self.expression(stop)} - 1"
        return f"do {name} = {first}, {last}{'' if step == 1 else f', {step}'}"

    def test_head(self, word: str, test: str) -> str:
        return f"if ({test}) then" if word == "if" else f"do while ({test})"

    def mathematics(self, name: str, values: list[str]) -> str:
        return f"{'ieee_is_finite' if name == 'is_finite' else name}({', '.join(values)})"

    def quotient(self, left: str, right: str) -> str:
        return f"(({left}) / ({right}))"

    def as_number(self, text: str) -> str:
        return f"real({text}, wp)"

    def returned(self, value: str | None) -> None:
        if value is not None:
            self.line(f"result_ = {value}")
        self.line("return")

    def run(self, s: ir.ProgramCall) -> None:
        raise NotImplementedError

    def locals(self) -> list[str]:
        """Declarations of the names that the kernel assigns."""
        types = {ir.INDEX: "integer", ir.NUMBER: "real(wp)"}
        return [f"    {types[t]} :: {self.name(k)}" for k, t in self.local.items()]  # type: ignore[index]


def simple_fortran(kernel: ir.Kernel, name: str) -> list[str]:
    """A kernel that calls no others, as a procedure of a module."""
    form = ir.kernel_form(kernel)
    printer = FortranKernel(form)
    body = printer.body()
    declared = _parameter_declarations(form, printer)
    names = ", ".join(printer.name(p.name) for p in form.parameters)
    lines = [line for text in body for line in folded_lines(text)]
    if form.result is ir.NUMBER:
        head, end = f"pure function {name}({names}) result(result_)", f"end function {name}"
        return [head, *declared, "    real(wp) :: result_", *printer.locals(), *lines, end]
    return [f"pure subroutine {name}({names})", *declared, *printer.locals(), *lines, f"end subroutine {name}"]


def _parameter_declarations(form: ir.KernelForm, printer: FortranKernel) -> list[str]:
    out = []
    for p in form.parameters:
        name = printer.name(p.name)
        if p.type in (ir.INDEX, ir.NUMBER):
            out.append(f"    {'integer' if p.type is ir.INDEX else 'real(wp)'}, intent(in) :: {name}")
        else:
            intent = "in" if form.result is ir.NUMBER else "inout"
            out.append(f"    {'integer' if p.type is ir.INDICES else 'real(wp)'}, intent({intent}) :: {name}(0:*)")
    return out

"""Program -> Fortran 2008: the subroutine of a program.

    pure subroutine name(t, x, r, p, M, status)

Numbers are of kind `wp`; matrices have rows and columns as in mathematics; `status` is 0, or 3 where an argument is not
finite.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from ....algebra.printing.target_names import UniqueNames, is_fortran_reserved
from ....emit import ir
from ...printers.loop_printer import LoopLanguage, LoopText

WIDTH: Final = 120  # characters in a line; the standard allows 132
MOST_LINES: Final = 200  # lines of a statement; the standard allows 255
NUMBERS_IN_A_PART: Final = 400  # entries of each part of an array that is too long for one statement
_HELPERS: Final = {"min": "smaller", "max": "larger", "sign": "sign_of"}


class CaselessNames(UniqueNames):
    """Names in a language that ignores case."""

    def take(self, name: str) -> str:
        super().take(name.lower())
        return name

    def new(self, wish: str) -> str:
        plain = wish.lstrip("_")[:50] or "value"
        found = super().new(plain.lower())
        return plain + found[len(plain) :] if found.startswith(plain.lower()) else found


def literal(value: float) -> str:
    if math.isnan(value):
        return "ieee_value(1.0_wp, ieee_quiet_nan)"
    if math.isinf(value):
        return f"ieee_value(1.0_wp, {'ieee_positive_inf' if value > 0 else 'ieee_negative_inf'})"
    return f"{value!r}_wp"


def folded_lines(line: str) -> list[str]:
    """A statement on lines of bounded length."""
    out = []
    while len(line) > WIDTH:
        at = line.rfind(" ", 20, WIDTH - 2)
        if at < 0:
            break
        out.append(line[:at] + " &")
        line = "        " + line[at + 1 :]
    return [*out, line]


def folded_text(text: str) -> str:
    """The same for all statements of a text."""
    return "\n".join(part for line in text.split("\n") for part in folded_lines(line))


def constant_array(type_: str, name: str, values: list[str], first: int = 1, public: str = "") -> list[str]:
    """A named constant that is an array; a long one is put together from parts, since a statement has at most 255
    lines."""
    if not values:
        return [f"    {type_} :: {name}(0)"]
    lines = ir.comma_lines(values, "        ", 110)
    head = f"    {type_}, parameter{public} :: {name}({first}:{first + len(values) - 1}) = ["
    if len(lines) <= MOST_LINES:
        return [f"{head} &", *(line + " &" for line in lines), "        ]"]
    out, parts = [], []
    for k in range(0, len(values), NUMBERS_IN_A_PART):
        parts.append(f"{name}_{k // NUMBERS_IN_A_PART + 1}")
        out += constant_array(type_, parts[-1], values[k : k + NUMBERS_IN_A_PART])
    return [*out, f"{head} &", *(line + " &" for line in ir.comma_lines(parts, "        ", 110)), "        ]"]


def new_names(prefix: str) -> CaselessNames:
    """For the local names of a subroutine."""
    names = CaselessNames(lambda n: is_fortran_reserved(n) or n.lower().startswith(prefix.lower() + "_"))
    for taken in ("t", "x", "r", "p", "w", "places", "status", "wp"):
        names.take(taken)
    return names


class FortranUnit:
    """The subroutine of a program.

    names     that the module has: helpers and kernels, by the part that needs them
    fields    of the parameters
    """

    def __init__(
        self, program: ir.Program, prefix: str, fields: tuple[str, ...], external: Callable[[str], str]
    ) -> None:
        self.program, self.prefix = program, prefix
        self.names = new_names(prefix)
        self.inputs = ["t", "x", "r", "p", *(self.names.new(g.name) for g in program.inputs[4:])]
        self.outputs = [self.names.new(o.name) for o in program.outputs]
        texts = [
            ["t"],
            *(
                [f"{a}({k + 1})" for k in range(len(g))]
                for a, g in zip(self.inputs[1:], program.inputs[1:], strict=True)
            ),
        ]
        texts[3] = [f"p%{f}" for f in fields] if program.inputs[3].symbols else []
        self.text = FortranText(program, program.name, self.names, texts, self, external)

    def definition(self) -> list[str]:
        lines = self.text.write()
        arguments = [*self.inputs, *self.outputs, "status"]
        head = f"pure subroutine {self.program.name}({', '.join(arguments)})"
        declared = [*self.declarations(), *self.text.declarations()]
        body = [line for text in lines for line in folded_lines(text)]
        checks = finite_checks(
            [(a, len(g)) for a, g in zip(self.inputs, self.program.inputs, strict=True)], self.prefix
        )
        return [
            *self.text.loops,
            *folded_lines(head),
            *(x for d in declared for x in folded_lines("    " + d)),
            *checks,
            *body,
            f"end subroutine {self.program.name}",
        ]

    def declarations(self) -> list[str]:
        out = ["real(wp), intent(in) :: t"]
        for a, g in zip(self.inputs[1:], self.program.inputs[1:], strict=True):
            out.append(
                f"type({self.prefix}_parameters), intent(in) :: p"
                if a == "p"
                else f"real(wp), intent(in) :: {a}({len(g)})"
            )
        for name, o in zip(self.outputs, self.program.outputs, strict=True):
            shape = (len(o.values),) if o.is_sparse else o.shape
            size = f"({', '.join(map(str, shape))})" if shape else ""
            out.append(f"real(wp), intent(out) :: {name}{size}")
        return [*out, "integer, intent(out) :: status"]


def finite_checks(inputs: list[tuple[str, int]], prefix: str) -> list[str]:
    """Lines that refuse numbers that are not finite, unless the module's options switch the check off."""
    tests = [f"all(ieee_is_finite({a}))" for a, n in inputs[1:] if n and a != "p"]
    lines = ["    status = 0", f"    if ({prefix}_checks) then", "        if (.not. ieee_is_finite(t)) status = 3"]
    return [
        *lines,
        *(f"        if (.not. {t}) status = 3" for t in tests),
        "        if (status /= 0) return",
        "    end if",
    ]


class FortranText(LoopText):
    """The statements."""

    language = LoopLanguage(
        package=__package__, file="loops.f90", table=lambda name, numbers: constant_array("integer", name.rpartition("_")[2], [str(v) for v in numbers], 0),
        entry="w(places({0}) + {1})", put="{0} = {1}", add="{0} = {0} + ({1})", memory="allocate({0}(0:{1} - 1), source=0.0_wp)", run="call {0}({1})", item="{0}({1})",
    )  # fmt: skip

    def __init__(
        self, program: ir.Program, name: str, names: UniqueNames, inputs: list[list[str]], unit: FortranUnit, external: Callable[[str], str],
        adds: tuple[bool, ...] | None = None,
    ) -> None:  # fmt: skip
        super().__init__(program, name, names, unit.inputs, unit.outputs, inputs, adds)
        self.unit, self.external = unit, external
        self.memories: list[str] = []
        self.reals: list[str] = []
        self.logicals: list[str] = []
        self.arrays: list[str] = []
        self.indices: list[str] = []
        self.needs: set[str] = set()  # operations that helpers of the module do
        self.kernels: list[object] = []

    def declarations(self) -> list[str]:
        out = []
        for type_, names in (
            ("real(wp)", self.reals),
            ("logical", self.logicals),
            ("real(wp)", self.arrays),
            ("integer", self.indices),
            ("real(wp), allocatable", self.memories),
        ):
            for k in range(0, len(names), 8):
                out.append(f"{type_} :: {', '.join(names[k : k + 8])}")
        return out

    def literal(self, value: float) -> str:
        return literal(value)

    def truth(self, value: bool) -> ir.Term:
        return ir.Term(".true." if value else ".false.")

    def declaration(self, k: int, name: str, text: str) -> str:
        (self.logicals if self.code[k].op in ir.CONDITIONS else self.reals).append(name)
        return f"    {name} = {text}"

    def function(self, i: ir.Instruction, args: list[ir.Term]) -> ir.Term:
        if i.op == "where":
            return ir.Term(f"merge({args[1].text}, {args[2].text}, {args[0].text})")
        if i.op in ("and", "or"):
            sign, binds = (" .and. ", ir.AND) if i.op == "and" else (" .or. ", ir.OR)
            return ir.Term(sign.join(a.within(ir.COMPARISON) for a in args), binds)
        if i.op == "not":
            return ir.Term(f".not. {args[0].within(ir.ATOM)}", ir.COMPARISON)
        if i.op == "pow":
            return ir.Term(f"{args[0].within(ir.ATOM)}**{args[1].within(ir.ATOM)}", ir.POWER)
        if i.op == "call":
            return ir.Term(f"{self.external(i.data.name)}({', '.join(a.text for a in args)})")
        if i.op in _HELPERS:
            self.needs.add(i.op)
            name = f"{self.unit.prefix}_{_HELPERS[i.op]}"
            return ir.Term(f"{name}({', '.join(a.text for a in args)})")
        return ir.Term(f"{i.op}({', '.join(a.text for a in args)})")

    # ------------------------------------------------------------------------------------------------ schedules

    def fragment(self, program: ir.Program, name: str, adds: tuple[bool, ...]) -> FortranText:
        return FortranText(program, name, new_names(self.unit.prefix), [], self.unit, self.external, adds)

    def declared_lines(self) -> list[str]:
        return self.declarations()

    def take_needs(self, other: FortranText) -> None:
        self.kernels += [k for k in other.kernels if k not in self.kernels]
        self.needs |= other.needs

    def new_memory(self, shape: ir.SweepShape) -> str:
        name = super().new_memory(shape)
        self.memories.append(f"{name}(:)")
        return name

    def copy(self, to: str, at: int, source: str, first: int, count: int) -> None:
        self.line(f"{to}({at}:{at + count - 1}) = {source}({first + 1}:{first + count})")

    def copy_out(self, o: int, at: int, source: str, first: int, count: int) -> None:
        base = 0 if f"{source}(:)" in self.memories else 1
        for start, row, col, n in ir.pieces_of_rows(self.program.outputs[o], at, count):
            to = f"{row + 1}, {col + 1}:{col + n}" if row is not None else f"{col + 1}:{col + n}"
            begin = first + start + base
            self.line(f"{self.results[o]}({to}) = {source}({begin}:{begin + n - 1})")

    def store_result(self, o: int, out: ir.Output, at: int, text: str) -> None:
        name = self.unit.outputs[o]
        if out.is_sparse or len(out.shape) == 1:
            name += f"({at + 1})"
        elif len(out.shape) == 2:
            row, col = divmod(at, out.shape[1])
            name += f"({row + 1}, {col + 1})"
        self.line(f"{name} = {text}")

    # ------------------------------------------------------------------------------------------------ linear systems

    def factor(self, i: ir.Instruction) -> str:
        shape, n = i.data, i.data.n
        entries = self.matrix_entries(i)
        name = self.array("factors", entries)
        extra = ""
        if ir.has_pivots(shape):
            rows = self.plan.names.new(f"{name}_rows")
            self.indices.append(f"{rows}(0:{n - 1})")
            extra = f", {rows}"
        self.call(ir.factor_kernel(shape), f"{n}, {name}{extra}")
        return name + extra

    def solve(self, i: ir.Instruction, factors: str, right: list[str], sides: int) -> str:
        shape = self.code[i.args[0]].data
        name = self.array("solution", right)
        for s in range(sides):
            self.call(ir.solve_kernel(shape, i.data), f"{shape.n}, {factors}, {name}({s * shape.n})")
        return name

    def array(self, wish: str, entries: list[str]) -> str:
        name = self.plan.names.new(wish)
        self.arrays.append(f"{name}(0:{len(entries) - 1})")
        for k, e in enumerate(entries):
            self.line(f"{name}({k}) = {e}")
        return name

    def call(self, kernel: object, arguments: str) -> None:
        if kernel not in self.kernels:
            self.kernels.append(kernel)
        self.line(f"call {self.unit.prefix}_{getattr(kernel, '__name__', '')}({arguments})")

    def item(self, block: str, at: int) -> str:
        return f"{block}({at})"

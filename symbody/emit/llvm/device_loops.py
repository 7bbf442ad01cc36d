"""Kernels of the loop language on a GPU: a member of a batch in each thread, with the programs that it calls in the
same module.

Where an argument or a field of a record is:

    given     one number or index for all members: an argument of the kernel
    private   memory of the thread, zero at first; numbers that change begin with what is given
    loaded    private, and begins with the member's row of an array; `stored` ends in one
    rows      the member's part of an array in the card's memory, at a distance that is given
    shared    an array in the card's memory, the same for all
    member    the number of the member

A program that is called finds its last inputs, which the loops do not supply (parameters), in the member's
`PARAMETERS`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from ..loops.kernel_language import Kernel
from ..loops.kernel_nodes import FUNCTION, INDEX, INDICES, NOTHING, NUMBER, NUMBERS, BasicType, KernelForm, Parameter
from ..loops.kernel_parser import KernelText, kernel_source
from ..loops.records import Struct, known_values, sizes_of, type_of
from ..programs.program import Program
from .device_math import function_name
from .device_text import GLOBAL, THREAD, THREADS, module_text
from .llvm_numbers import BYTES
from .loop_text import LlvmLoops, type_text
from .scalar_text import ScalarText
from .ssa_text import SsaText

PARAMETERS: Final = "parameters"
MAX_UNROLLED: Final = 80  # iterations of a loop: arrays become registers only where all indices are constants
STATUS: Final = "status"  # what the kernel returned, for each member
BY_VALUE: Final = (NUMBER, INDEX)


@dataclass(frozen=True)
class DeviceFunction:
    """A program, or a kernel in its place, as loops on a GPU call it: by name."""

    target: str
    address: int = 0


@dataclass(frozen=True)
class Roles:
    """Arguments and fields that are more than private, by name."""

    loaded: Sequence[str] = ()
    stored: Sequence[str] = ()
    rows: Sequence[str] = ()
    shared: Sequence[str] = ()
    member: str = ""


@dataclass(frozen=True)
class DeviceArgument:
    """An argument of the kernel: a number, an index, or an array with a distance of its members' rows."""

    name: str
    kind: str  # number, index, loaded, stored, rows, shared

    @property
    def is_array(self) -> bool:
        return self.kind not in ("number", "index")


@dataclass
class DeviceModule:
    """Programs and kernels that belong together. is_compact: kernels that are called more than once are functions, so that
    long ones are translated once."""

    real: str
    is_compact: bool = False
    loops: LlvmLoops = field(init=False)
    functions: list[str] = field(default_factory=list)
    bodies: list[SsaText] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.loops = LlvmLoops(self.real, function_name("pow"), MAX_UNROLLED)

    # ------------------------------------------------------------------------------------------------ programs

    def program(self, name: str, program: Program, supplied: int, is_inlined: bool) -> DeviceFunction:
        """A program whose first groups are supplied by loops."""
        t, real = ScalarText(self.real), self.real
        after, offset = {}, 0  # places of the other groups in the member's parameters
        for g in range(supplied, len(program.inputs)):
            after[g], offset = offset, offset + len(program.inputs[g])

        def read(g: int, at: int) -> str:
            if g < supplied and program.inputs[g].is_scalar:
                return f"%in.{g}"
            base, place = (f"%in.{g}", at) if g < supplied else ("%environment", after[g] + at)
            return t.new(f"load {real}, ptr {t.new(f'getelementptr {real}, ptr {base}, i64 {place}')}")

        def write(o: int, at: int, value: str) -> None:
            t.lines.append(f"  store {real} {value}, ptr {t.new(f'getelementptr {real}, ptr %out.{o}, i64 {at}')}")

        body = SsaText(program, t, read, write)
        body.emit()
        given = ["ptr %environment"]
        given += [f"{real} %in.{g}" if program.inputs[g].is_scalar else f"ptr noalias %in.{g}" for g in range(supplied)]
        given += [f"ptr noalias %out.{o}" for o in range(len(program.outputs))]
        how = "alwaysinline" if is_inlined else "noinline"
        lines = "\n".join([*body.head, *t.lines])
        self.functions.append(
            f"define internal void @{name}({', '.join(given)}) {how} nounwind {{\n{lines}\n  ret void\n}}\n"
        )
        self.bodies.append(body)
        return DeviceFunction(name)

    # ------------------------------------------------------------------------------------------- kernels in their place

    def form(self, kernel: Kernel, **records: Struct) -> tuple[KernelForm, dict[str, int]]:
        """A kernel for records, and the sizes of their arrays."""
        text, known, sizes = kernel_source(kernel), dict[str, Any](), dict[str, int]()
        for name, record in records.items():
            known |= known_values(record, name)
            sizes |= sizes_of(record, name)
        types = tuple(type_of(records[a]) if a in records else _basic(text, a) for a in text.parameters)
        return self.loops.kernels.kernel(kernel, types, known), sizes

    def kernel(self, name: str, kernel: Kernel, supplied: Sequence[str], **records: Struct) -> DeviceFunction:
        """A kernel that stands for a program: `supplied` are those of its arguments that loops give it, fields of
        records are private."""
        form, sizes = self.form(kernel, **records)
        lines: list[str] = []
        given = {p: f"%{p}" for p in supplied}
        call = self._call(form, given | self._private(form, given, sizes, lines))
        parameters = {p.name: p for p in form.parameters}
        declared = [f"{type_text(parameters[p].type, self.real)} %{p}" for p in supplied]
        body = "\n".join([*lines, f"  {call}"])
        self.functions.append(
            f"define internal void @{name}({', '.join(['ptr %environment', *declared])}) alwaysinline "
            f"nounwind {{\n{body}\n  ret void\n}}\n"
        )
        return DeviceFunction(name)

    def _private(
        self, form: KernelForm, given: Mapping[str, str], sizes: Mapping[str, int], lines: list[str]
    ) -> dict[str, str]:
        """Memory of the thread for arguments that are not passed; functions find the parameters."""
        out = {}
        for p in form.parameters:
            if p.name in given:
                continue
            if p.type is FUNCTION:
                out[p.name] = "%environment"
                continue
            out[p.name] = f"%{p.name}.memory"
            lines += self.memory_of(p, sizes.get(p.name, 1))
        return out

    def memory_of(self, p: Parameter, size: int) -> list[str]:
        type_ = f"[{size} x {self.element_of(p)}]"
        return [
            f"  %{p.name}.memory = alloca {type_}, align 8",
            f"  store {type_} zeroinitializer, ptr %{p.name}.memory, align 8",
        ]

    def element_of(self, p: Parameter) -> str:
        return "i64" if p.type in (INDICES, INDEX) else self.real

    def _call(self, form: KernelForm, values: Mapping[str, str]) -> str:
        given = [
            f"{'ptr' if p.is_place or p.type not in BY_VALUE else type_text(p.type, self.real)} {values[p.name]}"
            for p in form.parameters
        ]
        return f"call {type_text(form.result, self.real)} @{form.name}({', '.join(given)})"

    # ------------------------------------------------------------------------------------------------ the entry

    def entry(
        self, name: str, kernel: Kernel, roles: Roles, parameters: int, **records: Struct
    ) -> list[DeviceArgument]:
        """The kernel of the card, which runs a kernel of the loops for each member; its arguments after the number of
        members."""
        form, sizes = self.form(kernel, **records)
        e = _DeviceEntry(self, form, sizes, roles)
        e.add_array(PARAMETERS, "loaded")
        e.lines += [f"  %environment = alloca [{max(parameters, 1)} x {self.real}], align 8"]
        e.copied(PARAMETERS, "%environment", parameters, "loaded", self.real)
        values = {p.name: e.argument(p) for p in form.parameters}
        call = self._call(form, values)
        e.after.append(f"  %result = {call}" if form.result is not NOTHING else f"  {call}")
        for p in form.parameters:
            if p.name in roles.stored:
                e.add_array(p.name, "stored")
                e.copied(p.name, values[p.name], sizes.get(p.name, 1), "stored", self.element_of(p), e.after)
        if form.result is not NOTHING:
            e.add_array(STATUS, "stored")
            at = f"getelementptr i64, {GLOBAL} %{STATUS}.stored, i64 %mine"
            e.after += [f"  %{STATUS}.at = {at}", f"  store i64 %result, {GLOBAL} %{STATUS}.at"]
        self.functions.append(e.text(name))
        return e.arguments

    def _attributes(self, form: KernelForm, calls: int) -> str:
        return f"{'noinline' if self.is_compact and calls > 1 else 'alwaysinline'} nounwind"

    def text(self, used: Iterable[str] = ("pow",)) -> str:
        kernels = self.loops.definitions(self._attributes)
        return module_text([kernels, *self.functions], self.bodies, self.real, used)


def _basic(text: KernelText, name: str) -> BasicType:
    declared = text.declared(name)
    if not isinstance(declared, BasicType):
        raise text.refused(text.tree, f"{name} must be given as a record")
    return declared


class _DeviceEntry:
    """Text of a kernel of the card."""

    def __init__(self, module: DeviceModule, form: KernelForm, sizes: Mapping[str, int], roles: Roles) -> None:
        self.module, self.real, self.sizes, self.roles = module, module.real, sizes, roles
        self.arguments: list[DeviceArgument] = []
        self.declared = ["i64 %n"]
        self.lines: list[str] = []
        self.body: list[str] = []
        self.after: list[str] = []
        self.count = 0

    def add_array(self, name: str, kind: str) -> None:
        self.arguments.append(DeviceArgument(name, kind))
        self.declared += [f"{GLOBAL} %{name}.{kind}", f"i64 %{name}.{kind}.d"]

    def argument(self, p: Parameter) -> str:
        """Where a parameter of the loop is, with the lines that put it there."""
        if p.type is FUNCTION:
            return "%environment"
        if p.name == self.roles.member:
            return "%mine"
        if p.name in self.roles.rows or p.name in self.roles.shared:
            return self.in_memory(p)
        if p.name not in self.roles.loaded and p.type in BY_VALUE:
            return self.by_value(p)
        size, element = self.sizes.get(p.name, 1), self.module.element_of(p)
        self.lines += self.module.memory_of(p, size)
        if p.name in self.roles.loaded:
            self.add_array(p.name, "loaded")
            self.copied(p.name, f"%{p.name}.memory", size, "loaded", element)
        if p.is_place or p.type in (NUMBERS, INDICES):
            return f"%{p.name}.memory"
        self.body.append(f"  %{p.name}.value = load {element}, ptr %{p.name}.memory")
        return f"%{p.name}.value"

    def by_value(self, p: Parameter) -> str:
        kind = "index" if p.type is INDEX else "number"
        self.arguments.append(DeviceArgument(p.name, kind))
        type_ = type_text(p.type, self.real)
        self.declared.append(f"{type_} %{p.name}.given")
        if not p.is_place:
            return f"%{p.name}.given"
        self.lines += [
            f"  %{p.name}.memory = alloca {type_}, align 8",
            f"  store {type_} %{p.name}.given, ptr %{p.name}.memory",
        ]
        return f"%{p.name}.memory"

    def in_memory(self, p: Parameter) -> str:
        kind = "rows" if p.name in self.roles.rows else "shared"
        self.add_array(p.name, kind)
        base = f"%{p.name}.{kind}"
        if kind == "rows":
            self.body += [
                f"  %{p.name}.row = mul nsw i64 %mine, {base}.d",
                f"  %{p.name}.part = getelementptr {self.module.element_of(p)}, {GLOBAL} {base}, i64 %{p.name}.row",
            ]
            base = f"%{p.name}.part"
        self.body.append(f"  %{p.name}.generic = addrspacecast {GLOBAL} {base} to ptr")
        return f"%{p.name}.generic"

    def copied(
        self, name: str, private: str, size: int, kind: str, element: str, lines: list[str] | None = None
    ) -> None:
        """Numbers between a member's row and its private memory, written out: loops would keep them from registers."""
        out, base = self.body if lines is None else lines, f"{name}.{kind}"
        out += [
            f"  %{base}.r = mul nsw i64 %mine, %{base}.d",
            f"  %{base}.b = getelementptr {element}, {GLOBAL} %{base}, i64 %{base}.r",
        ]
        align = BYTES.get(element, 8)
        for k in range(size):
            out += [
                f"  %{base}.{k}.o = getelementptr {element}, {GLOBAL} %{base}.b, i64 {k}",
                f"  %{base}.{k}.i = getelementptr {element}, ptr {private}, i64 {k}",
            ]
            if kind == "loaded":
                out += [
                    f"  %{base}.{k}.v = load {element}, {GLOBAL} %{base}.{k}.o, align {align}",
                    f"  store {element} %{base}.{k}.v, ptr %{base}.{k}.i, align {align}",
                ]
            else:
                out += [
                    f"  %{base}.{k}.v = load {element}, ptr %{base}.{k}.i, align {align}",
                    f"  store {element} %{base}.{k}.v, {GLOBAL} %{base}.{k}.o, align {align}",
                ]

    def text(self, name: str) -> str:
        return "\n".join(
            [
                f"define ptx_kernel void @{name}({', '.join(self.declared)}) #0 {{", THREAD.format(threads=THREADS).rstrip("\n"), *self.lines,
                "  %any = icmp slt i64 %mine, %n", "  br i1 %any, label %member, label %end", "member:", *self.body, *self.after,
                "  br label %end", "end:", "  ret void", "}", "",
            ]
        )  # fmt: skip

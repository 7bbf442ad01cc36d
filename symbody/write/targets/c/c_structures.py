"""Kernels on records as C functions on structures, and the structures.

    typedef struct { double t; double *y; ... } Steps;
    static int march_0(Owner *owner, RungeKutta *m, Steps *s) { ... }

Compiled programs that kernels call are functions of the owner, by the names of their fields: s.rhs((t, y), (dy,)) is
rhs(owner, t, y, dy).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from ....emit import ir
from ...printers.record_kernels import (
    PassedRecord,
    passed_arguments,
    plain_parameters,
    records_of,
    running,
    specialised_forms,
    used_fields,
)
from .c_kernels import MINIMUM_AND_MAXIMUM, CKernel, c_name

OWNER: Final = "Owner"
_FIELDS: Final[dict[ir.Type, str]] = {
    ir.INDEX: "int ",
    ir.NUMBER: "double ",
    ir.NUMBERS: "double *",
    ir.INDICES: "const int *",
}


@dataclass(frozen=True)
class CStructures:
    """A kernel and all that it calls: the structures, and the functions on them.

    entry   the name of the kernel's function; it takes the owner, then the structures in the order of its records
    """

    structures: str
    functions: str
    entry: str


def c_structures(kernel: ir.Kernel, records: Mapping[str, ir.Struct], known: ir.KnownValues) -> CStructures:
    """A kernel for these records. The type `Owner`, and its functions, stand before the functions."""
    forms = specialised_forms(kernel, records, known)
    owned = running(forms)
    structures = [_structure(record, fields) for record, fields in used_fields(forms).items()]
    functions = [CStructureKernel(form, owned).text() for form in forms]
    helpers = [text for name, text in MINIMUM_AND_MAXIMUM.items() if any(f"{name}(" in f for f in functions)]
    return CStructures("\n".join(structures), "\n".join([*helpers, *functions]), c_name(forms[-1].name))


def _structure(record: ir.RecordType, fields: Mapping[str, ir.Type]) -> str:
    lines = [
        f"    {f'{t.record.__name__} ' if isinstance(t, ir.RecordType) else _FIELDS[t]}{name};"
        for name, t in fields.items()
    ]
    return "\n".join(["typedef struct {", *lines, f"}} {record.record.__name__};", ""])


class CStructureKernel(CKernel):
    """One kernel as a static C function on structures; `owned` are kernels that need the owner, for programs."""

    def __init__(self, form: ir.KernelForm, owned: set[str]) -> None:
        super().__init__(form, c_name(form.name))
        self.owned = owned

    def signature(self) -> str:
        records = [f"{t.record.__name__} *{name}" for name, t in records_of(self.form).items()]
        plain = [self.argument(p) for p in plain_parameters(self.form)]
        owner = [f"{OWNER} *owner"] if self.form.name in self.owned else []
        return ", ".join([*owner, *records, *plain]) or "void"

    def unused(self) -> list[str]:
        text = "\n".join(self.lines)
        return [f"    (void){p.name};" for p in plain_parameters(self.form) if not _mentions(text, p.name)]

    def variable(self, e: ir.LocalVariable) -> str:
        return _path(e.name) if "." in e.name else super().variable(e)

    def assign(self, s: ir.Assign) -> None:
        if "." in s.target.name:
            self.line(self.assignment(_path(s.target.name), self.expression(s.value)))
        else:
            super().assign(s)

    def kernel_call(self, e: ir.KernelCall) -> str:
        given = [_address(a.path) if isinstance(a, PassedRecord) else self.expression(a) for a in passed_arguments(e)]
        owner = ["owner"] if e.target.name in self.owned else []
        return f"{c_name(e.target.name)}({', '.join([*owner, *given])})"

    def run(self, s: ir.ProgramCall) -> None:
        given = [self.expression(e) for e in (*s.inputs, *s.outputs)]
        self.line(f"{s.function.name.rpartition('.')[2]}({', '.join(['owner', *given])});")


def _path(name: str) -> str:
    root, _, path = name.partition(".")
    return f"{root}->{path}"


def _address(path: str) -> str:
    return f"&{_path(path)}" if "." in path else path


def _mentions(text: str, name: str) -> bool:
    """Whether C text has a name as a word."""
    words = "".join(c if c.isalnum() or c == "_" else " " for c in text).split()
    return name in words

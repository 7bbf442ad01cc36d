"""Kernels that keep their records: what C structures and JavaScript objects have in common.

In the form that is printed a field of a record is a variable with a dotted name, `s.counts.steps`, and a kernel takes the
fields that it uses (`emit/loops/specialisation.py`). Here they are gathered again: a kernel takes the record, and calls hand
on a record, or a record inside one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ...emit import ir


@dataclass(frozen=True)
class PassedRecord:
    """A record as an argument of a call: its path where the call stands."""

    path: str


def specialised_forms(
    kernel: ir.Kernel, records: Mapping[str, ir.Struct], known: ir.KnownValues
) -> list[ir.KernelForm]:
    """A kernel for records with what is constant in them, and whatever else is known; kernels that it calls come before
    it."""
    kernels = ir.Kernels()
    constants = {
        name: value for root, record in records.items() for name, value in ir.known_values(record, root).items()
    }
    kernels.kernel(kernel, tuple(ir.type_of(r) for r in records.values()), {**constants, **known})
    return [form for form in kernels.forms.values() if form]


def records_of(form: ir.KernelForm) -> dict[str, ir.RecordType]:
    """The records of which a kernel uses fields, by the names that they have in it."""
    used = {p.name.partition(".")[0] for p in form.parameters if "." in p.name}
    return {p.name: p.type for p in form.given if p.name in used and isinstance(p.type, ir.RecordType)}


def plain_parameters(form: ir.KernelForm) -> list[ir.Parameter]:
    """Arguments that are not in records."""
    return [p for p in form.parameters if "." not in p.name]


def passed_arguments(call: ir.KernelCall) -> list[PassedRecord | ir.Expression]:
    """The arguments of a call, in the order of `records_of` and `plain_parameters`."""
    records: dict[str, PassedRecord] = {}
    plain: list[ir.Expression] = []
    for p, e in zip(call.target.parameters, call.arguments, strict=True):
        root, dot, path = p.name.partition(".")
        if not dot:
            plain.append(e)
        elif root not in records:
            assert isinstance(e, ir.LocalVariable)
            assert e.name.endswith(f".{path}")
            records[root] = PassedRecord(e.name.removesuffix(f".{path}"))
    return [*(records[root] for root in records_of(call.target)), *plain]


def running(forms: Iterable[ir.KernelForm]) -> set[str]:
    """Names of the kernels that call compiled programs, directly or through kernels before them."""
    out: set[str] = set()
    for form in forms:
        if any(
            isinstance(p, ir.ProgramCall) or (isinstance(p, ir.KernelCall) and p.target.name in out) for p in form.parts
        ):
            out.add(form.name)
    return out


def used_fields(forms: Iterable[ir.KernelForm]) -> dict[ir.RecordType, dict[str, ir.Type]]:
    """The fields that kernels use, of each kind of record, inner records before those that they are in. Functions are
    not fields: they are called by their names."""
    used: dict[ir.RecordType, set[str]] = {}
    for form in forms:
        roots = records_of(form)
        for p in form.parameters:
            root, *path = p.name.split(".")
            record: ir.Type | None = roots.get(root)
            for name in path:
                assert isinstance(record, ir.RecordType)
                used.setdefault(record, set()).add(name)
                record = dict(record.fields)[name]
    out: dict[ir.RecordType, dict[str, ir.Type]] = {}

    def put(record: ir.RecordType) -> None:
        fields = {name: t for name, t in record.fields if name in used[record] and t is not ir.FUNCTION}
        for t in fields.values():
            if isinstance(t, ir.RecordType):
                put(t)
        out[record] = fields

    for record in used:
        put(record)
    return out

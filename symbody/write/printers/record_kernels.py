"""Kernels that keep their records: what C structures and JavaScript objects have in common.

In the form that is printed a field of a record is a variable with a dotted name, `s.counts.steps`, and a kernel takes the
fields that it uses (`emit/loops/specialised.py`). Here they are gathered again: a kernel takes the record, and calls hand
on a record, or a record inside one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ...emit.loops.form import FUNCTION, Called, Expression, KernelForm, LocalVariable, Parameter, RecordType, Run, Type
from ...emit.loops.language import Kernel
from ...emit.loops.records import Struct, known_of, type_of
from ...emit.loops.specialised import Kernels, Known


@dataclass(frozen=True)
class PassedRecord:
    """A record as an argument of a call: its path where the call stands."""

    path: str


def specialised_forms(kernel: Kernel, records: Mapping[str, Struct], known: Known) -> list[KernelForm]:
    """A kernel for records with what is constant in them, and whatever else is known; kernels that it calls come before
    it."""
    kernels = Kernels()
    constants = {name: value for root, record in records.items() for name, value in known_of(record, root).items()}
    kernels.kernel(kernel, tuple(type_of(r) for r in records.values()), {**constants, **known})
    return [form for form in kernels.forms.values() if form]


def records_of(form: KernelForm) -> dict[str, RecordType]:
    """The records of which a kernel uses fields, by the names that they have in it."""
    used = {p.name.partition(".")[0] for p in form.parameters if "." in p.name}
    return {p.name: p.type for p in form.given if p.name in used and isinstance(p.type, RecordType)}


def plain_parameters(form: KernelForm) -> list[Parameter]:
    """Arguments that are not in records."""
    return [p for p in form.parameters if "." not in p.name]


def passed(call: Called) -> list[PassedRecord | Expression]:
    """The arguments of a call, in the order of `records_of` and `plain_parameters`."""
    records: dict[str, PassedRecord] = {}
    plain: list[Expression] = []
    for p, e in zip(call.target.parameters, call.arguments, strict=True):
        root, dot, path = p.name.partition(".")
        if not dot:
            plain.append(e)
        elif root not in records:
            assert isinstance(e, LocalVariable)
            assert e.name.endswith(f".{path}")
            records[root] = PassedRecord(e.name.removesuffix(f".{path}"))
    return [*(records[root] for root in records_of(call.target)), *plain]


def running(forms: Iterable[KernelForm]) -> set[str]:
    """Names of the kernels that call compiled programs, by themselves or by kernels before them."""
    out: set[str] = set()
    for form in forms:
        if any(isinstance(p, Run) or (isinstance(p, Called) and p.target.name in out) for p in form.parts):
            out.add(form.name)
    return out


def used_fields(forms: Iterable[KernelForm]) -> dict[RecordType, dict[str, Type]]:
    """The fields that kernels use, of each kind of record, inner records before those that they are in. Functions are no
    fields: they are called by their names."""
    used: dict[RecordType, set[str]] = {}
    for form in forms:
        roots = records_of(form)
        for p in form.parameters:
            root, *path = p.name.split(".")
            record: Type | None = roots.get(root)
            for name in path:
                assert isinstance(record, RecordType)
                used.setdefault(record, set()).add(name)
                record = dict(record.fields)[name]
    out: dict[RecordType, dict[str, Type]] = {}

    def put(record: RecordType) -> None:
        fields = {name: t for name, t in record.fields if name in used[record] and t is not FUNCTION}
        for t in fields.values():
            if isinstance(t, RecordType):
                put(t)
        out[record] = fields

    for record in used:
        put(record)
    return out

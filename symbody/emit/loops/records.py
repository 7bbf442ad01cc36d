"""Records: arguments of kernels that belong together, in memory where machine code finds them.

    class Counts(Struct):
        steps: Mutable[int]           # kernels may write this number
        capacity: int                 # and only read this one
        rows: Numbers                 # an array: its elements may be written
        watch: Function | None        # a compiled program that may be absent
        stages: Known[int]            # a constant of the machine code, as are tables and kernels

A record is a row of 8-byte slots: numbers and indices themselves, the addresses of everything else. Python reads and writes the same
memory, so that a kernel does the same to it compiled and as it stands.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from types import UnionType
from typing import Annotated, Any, Final, Self, Union, get_args, get_origin, get_type_hints

import numpy as np

from ...errors import CompileError, listed, shown, unknown
from .form import FUNCTION, INDEX, INDICES, NOTHING, NUMBER, NUMBERS, Basic, KernelType, RecordType, Type
from .language import IS_KNOWN, IS_MUTABLE, Function, Indices, Kernel, Numbers

HINTS: Final[dict[Any, Basic]] = {
    int: INDEX, float: NUMBER, Numbers: NUMBERS, Indices: INDICES, Function: FUNCTION, type(None): NOTHING,
}  # fmt: skip
DTYPES: Final = {NUMBERS: np.float64, INDICES: np.int64}
IS_THERE: Final = "there"  # what is known of a function that is not absent


@dataclass(frozen=True)
class Field:
    """The declaration of a field. `type` is None for kernels, whose type is the kernel itself."""

    name: str
    type: Basic | type[Struct] | None
    is_known: bool = False
    is_mutable: bool = False
    may_be_absent: bool = False


def fields_of(record: type) -> dict[str, Field]:
    """The fields of a record by name, those of its base first."""
    return _fields(record)


@cache
def _fields(record: type) -> dict[str, Field]:
    hints = get_type_hints(record, include_extras=True)
    return {name: _field(record, name, hint) for name, hint in hints.items() if not name.startswith("_")}


def _field(record: type, name: str, hint: Any) -> Field:
    marks: tuple[Any, ...] = ()
    if get_origin(hint) is Annotated:
        hint, *rest = get_args(hint)
        marks = tuple(rest)
    may_be_absent = get_origin(hint) in (Union, UnionType)
    if may_be_absent:
        hint = next(h for h in get_args(hint) if h is not type(None))
    if isinstance(hint, type) and issubclass(hint, Struct):
        return Field(name, hint)
    if hint == Kernel:
        return Field(name, None, is_known=True)
    if hint not in HINTS:
        raise CompileError(f"record {record.__name__}: {name} is of type {shown(hint)}, which no kernel understands")
    return Field(name, HINTS[hint], IS_KNOWN in marks, IS_MUTABLE in marks, may_be_absent)


class Struct:
    """A record; see the head of this file. Fields are given by name; numbers and indices are zero where they are not."""

    def __init__(self, **values: Any) -> None:
        fields, cls = fields_of(type(self)), type(self).__name__
        if strange := [name for name in values if name not in fields]:
            raise unknown(f"record {cls}", "field", strange[0], fields, CompileError)
        needed = [f.name for f in fields.values() if f.type not in (INDEX, NUMBER) and not f.may_be_absent]
        if missing := [name for name in needed if values.get(name) is None]:
            raise CompileError(f"record {cls}: {listed(missing)} must be given")
        slots = np.zeros(len(fields) + 1, dtype=np.int64)
        self.__dict__.update(
            _values={}, _indices=slots, _numbers=slots.view(np.float64), _at={name: k for k, name in enumerate(fields)},
            _known={f.name for f in fields.values() if f.is_known},
        )  # fmt: skip
        for f in fields.values():
            self._set(f, values.get(f.name, 0 if f.type in (INDEX, NUMBER) else None))

    def _set(self, f: Field, value: Any) -> None:
        k = self._at[f.name]
        if f.type is INDEX:
            self._indices[k] = value
        elif f.type is NUMBER:
            self._numbers[k] = value
        else:
            self._values[f.name] = _fitting(f"record {type(self).__name__}", f, value)
            self._indices[k] = address_of(value)

    def __getattr__(self, name: str) -> Any:
        try:
            f = fields_of(type(self))[name]
        except KeyError:
            raise AttributeError(f"record {type(self).__name__} has no field {name!r}") from None
        if f.type is INDEX:
            return int(self._indices[self._at[name]])
        return float(self._numbers[self._at[name]]) if f.type is NUMBER else self._values[name]

    def __setattr__(self, name: str, value: Any) -> None:
        f = fields_of(type(self)).get(name)
        if f is None or not f.is_mutable:
            raise AttributeError(f"record {type(self).__name__}: {name!r} is no field that may be changed")
        self._set(f, value)

    @property
    def address(self) -> int:
        return int(self._indices.ctypes.data)

    def know(self, *names: str) -> Self:
        """Make the values of more fields constants of the machine code."""
        self._known.update(names)
        return self


def _fitting(where: str, f: Field, value: Any) -> Any:
    """A value that can stand in a field."""
    if f.type in DTYPES and not isinstance(value, tuple):
        fits = isinstance(value, np.ndarray) and value.dtype == DTYPES[f.type] and value.flags.c_contiguous
    elif isinstance(f.type, type):
        fits = isinstance(value, f.type)
    else:
        fits = f.type is FUNCTION or callable(value) or isinstance(value, tuple)
    if not fits:
        raise CompileError(f"{where}: {f.name} must be {f.type}, got {shown(value)}")
    return value


def address_of(value: Any) -> int:
    """Where something is in memory; 0 where it is not there, or is known only to translators."""
    if isinstance(value, np.ndarray):
        return int(value.ctypes.data)
    return int(getattr(value, "address", 0))


# ---------------------------------------------------------------------------------------------------------- for translators


def type_of(record: Struct) -> RecordType:
    """The type of a record: that of its class, with its kernels and inner records."""
    return RecordType(type(record), tuple((f.name, _type_in(record, f)) for f in fields_of(type(record)).values()))


def _type_in(record: Struct, f: Field) -> Type:
    if f.type is None:
        return KernelType(getattr(record, f.name))
    return f.type if isinstance(f.type, Basic) else type_of(getattr(record, f.name))


def known_of(record: Struct, path: str) -> dict[str, Any]:
    """What is known of a record, by the names that its fields have in the form of a kernel."""
    out: dict[str, Any] = {}
    for f in fields_of(type(record)).values():
        value = getattr(record, f.name)
        if isinstance(value, Struct):
            out |= known_of(value, f"{path}.{f.name}")
        elif f.name in record._known and f.type is not None:
            out[f"{path}.{f.name}"] = _constant(value, f)
    return out


def _constant(value: Any, f: Field) -> Any:
    if f.type is FUNCTION:
        return None if value is None else IS_THERE
    return tuple(value.tolist()) if isinstance(value, np.ndarray) else value

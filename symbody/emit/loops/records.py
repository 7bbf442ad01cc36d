"""Records: arguments of kernels that belong together, in memory where machine code finds them.

    class Counts(Struct):
        steps: Mutable[int]           # kernels may write this number
        capacity: int                 # and only read this one
        rows: Numbers                 # an array: its elements may be written
        watch: Function | None        # a compiled program that may be absent
        stages: Known[int]            # a constant of the machine code, as are tables and kernels

A record is a row of 8-byte slots: numbers and indices themselves, the addresses of everything else. Python reads and
writes the same memory, so that a kernel does the same to it compiled and as it stands.
"""

from __future__ import annotations

import ctypes
import operator
from dataclasses import dataclass
from functools import cache
from types import UnionType
from typing import Annotated, Any, ClassVar, Final, Self, Union, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from ...errors import CompileError, SymbodyError, listed, shown, unknown
from .kernel_language import IS_KNOWN, IS_MUTABLE, Function, Indices, Kernel, Numbers
from .kernel_nodes import FUNCTION, INDEX, INDICES, NOTHING, NUMBER, NUMBERS, BasicType, KernelType, RecordType, Type

HINTS: Final[dict[Any, BasicType]] = {
    int: INDEX, float: NUMBER, Numbers: NUMBERS, Indices: INDICES, Function: FUNCTION, type(None): NOTHING,
}  # fmt: skip
DTYPES: Final[dict[Any, Any]] = {NUMBERS: np.dtype(np.float64), INDICES: np.dtype(np.int64)}
_from_buffer: Final[Any] = ctypes.c_char.from_buffer
IS_PRESENT: Final = "there"  # known value of an optional function that is given


@dataclass(frozen=True)
class StructField:
    """The declaration of a field. `type` is None for kernels, whose type is the kernel itself."""

    name: str
    type: BasicType | type[Struct] | None
    is_known: bool = False
    is_mutable: bool = False
    may_be_absent: bool = False


def fields_of(record: type) -> dict[str, StructField]:
    """The fields of a record by name, those of its base first."""
    assert issubclass(record, Struct)
    return record._fields


def _field(record: type, name: str, hint: Any) -> StructField:
    marks: tuple[Any, ...] = ()
    if get_origin(hint) is Annotated:
        hint, *rest = get_args(hint)
        marks = tuple(rest)
    may_be_absent = get_origin(hint) in (Union, UnionType)
    if may_be_absent:
        hint = next(h for h in get_args(hint) if h is not type(None))
    if isinstance(hint, type) and issubclass(hint, Struct):
        return StructField(name, hint)
    if hint == Kernel:
        return StructField(name, None, is_known=True)
    if hint not in HINTS:
        raise CompileError(f"record {record.__name__}: {name} is of type {shown(hint)}, which no kernel understands")
    return StructField(name, HINTS[hint], IS_KNOWN in marks, IS_MUTABLE in marks, may_be_absent)


class Struct:
    """A record; see the head of this file. Fields are given by name; numbers and indices are zero where they are
    not."""

    _fields: ClassVar[dict[str, StructField]]
    _special: ClassVar[tuple[StructField, ...]]  # inner records and kernels, which are parts of the type
    _constants: ClassVar[frozenset[str]]  # fields that are declared to be known
    _names: ClassVar[tuple[str, ...]]
    _places_of_numbers: ClassVar[tuple[int, ...]]
    _slots: NDArray[np.int64]
    _numbers: NDArray[np.float64]
    _values: dict[str, Any]
    _known: set[str]

    def __init_subclass__(cls) -> None:
        hints = get_type_hints(cls, include_extras=True)
        cls._fields = {name: _field(cls, name, hint) for name, hint in hints.items() if not name.startswith("_")}
        cls._special = tuple(f for f in cls._fields.values() if not isinstance(f.type, BasicType))
        cls._names = tuple(cls._fields)
        cls._places_of_numbers = tuple(k for k, f in enumerate(cls._fields.values()) if f.type is NUMBER)
        cls._constants = frozenset(f.name for f in cls._fields.values() if f.is_known and f.type is not None)
        for k, f in enumerate(cls._fields.values()):
            setattr(cls, f.name, _place(f, k))

    def __init__(self, **values: Any) -> None:
        fields, cls = self._fields, type(self).__name__
        if strange := values.keys() - fields.keys():
            raise unknown(f"record {cls}", "field", min(strange), fields, CompileError)
        self._values = {}
        self._known = set(self._constants)
        slots = [self._slot(f, values) for f in fields.values()]
        self._slots = np.array([*slots, 0], dtype=np.int64)
        self._numbers = self._slots.view(np.float64)
        for k in self._places_of_numbers:
            if number := values.get(self._names[k]):
                self._numbers[k] = number

    def _slot(self, f: StructField, values: dict[str, Any]) -> int:
        """The whole number that stands for a field: an index, an address, or 0."""
        value = values.get(f.name)
        if f.type is INDEX:
            return value or 0
        if f.type is NUMBER:
            return 0
        if (value is not None or not f.may_be_absent) and not _fits(f, value):
            raise self._misfit(f, value, values)
        self._values[f.name] = value
        return 0 if value is None or f.type is None else address_of(value)

    def _misfit(self, f: StructField, value: Any, values: dict[str, Any]) -> SymbodyError:
        cls = type(self).__name__
        if value is not None:
            return CompileError(f"record {cls}: {f.name} must be {f.type or 'a kernel'}, got {shown(value)}")
        needed = [g.name for g in self._fields.values() if g.type not in (INDEX, NUMBER) and not g.may_be_absent]
        missing = listed(name for name in needed if values.get(name) is None)
        return CompileError(f"record {cls}: {missing} must be given")

    @property
    def address(self) -> int:
        return address_of(self._slots)

    def put(self, **numbers: float) -> None:
        """Other values of numbers and indices, also of those that kernels only read."""
        for name, value in numbers.items():
            if name in self._known:
                raise CompileError(f"record {type(self).__name__}: {name!r} is a constant of the machine code")
            memory = self._slots if self._fields[name].type is INDEX else self._numbers
            memory[self._names.index(name)] = value

    def know(self, *names: str) -> Self:
        """Make the values of more fields constants of the machine code."""
        self._known.update(names)
        return self


def memory_of(record: Struct, but: type[Struct] = Struct) -> list[NDArray[Any]]:
    """The numbers of a record and of all records and arrays in it; of one kind of record without its arrays."""
    out: list[NDArray[Any]] = [record._slots]
    for value in record._values.values():
        if isinstance(value, Struct):
            out += memory_of(value, but)
        elif isinstance(value, np.ndarray) and type(record) is not but:
            out.append(value)
    return out


def _place(f: StructField, k: int) -> property:
    """A field as an attribute."""
    if f.type is not INDEX and f.type is not NUMBER:
        return property(lambda self: self._values[f.name])
    memory = operator.attrgetter("_slots" if f.type is INDEX else "_numbers")

    def put(self: Struct, value: Any) -> None:
        if not f.is_mutable:
            raise AttributeError(f"record {type(self).__name__}: {f.name!r} is read-only")
        memory(self)[k] = value

    return property(lambda self: memory(self).item(k), put)


def _fits(f: StructField, value: Any) -> bool:
    """Whether a value can stand in a field that is no number."""
    if isinstance(value, np.ndarray):
        return f.type in DTYPES and value.dtype == DTYPES[f.type] and value.flags.c_contiguous
    if f.type in DTYPES:
        return isinstance(value, tuple)
    return isinstance(value, f.type) if isinstance(f.type, type) else value is not None


def address_of(value: Any) -> int:
    """Where something is in memory; 0 if it is not there, or is known only to translators."""
    if isinstance(value, np.ndarray):
        try:
            return ctypes.addressof(_from_buffer(value))  # five times as fast as value.ctypes.data
        except (TypeError, ValueError, BufferError):  # it is empty, cannot be written to, or lies in parts
            return int(value.ctypes.data)
    return 0 if isinstance(value, tuple) else int(getattr(value, "address", 0))


# ------------------------------------------------------------------------------------------------------ for translators


def type_of(record: Struct) -> RecordType:
    """The type of a record: that of its class, with its kernels and inner records."""
    values = record._values
    special = (KernelType(values[f.name]) if f.type is None else type_of(values[f.name]) for f in record._special)
    cls: type = type(record)
    return _record_type(cls, tuple(special))


@cache
def _record_type(record: type, special: tuple[Type, ...]) -> RecordType:
    """One object for each type: they are compared by what they are, since machine code is found by them."""
    rest = iter(special)
    fields = fields_of(record).values()
    return RecordType(record, tuple((f.name, f.type if isinstance(f.type, BasicType) else next(rest)) for f in fields))


def known_values(record: Struct, path: str) -> dict[str, Any]:
    """Compile-time constants of a record, by the names that its fields have in the form of a kernel."""
    out = {f"{path}.{name}": _constant(record, name) for name in record._known}
    for f in record._special:
        if f.type is not None:
            out |= known_values(record._values[f.name], f"{path}.{f.name}")
    return out


def sizes_of(record: Struct, path: str) -> dict[str, int]:
    """Lengths of the arrays of a record, by the names that its fields have in the form of a kernel."""
    out = {f"{path}.{name}": value.size for name, value in record._values.items() if isinstance(value, np.ndarray)}
    for f in record._special:
        if f.type is not None:
            out |= sizes_of(record._values[f.name], f"{path}.{f.name}")
    return out


def value_at(records: dict[str, Struct], path: str) -> Any:
    """The value of a field by the name that it has in the form of a kernel."""
    first, *rest = path.split(".")
    value: Any = records[first]
    for name in rest:
        value = getattr(value, name)
    return value


def _constant(record: Struct, name: str) -> Any:
    value = getattr(record, name)
    if record._fields[name].type is FUNCTION:
        return None if value is None else getattr(value, "target", IS_PRESENT)
    return tuple(value.tolist()) if isinstance(value, np.ndarray) else value

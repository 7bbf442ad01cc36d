"""Loads on the coordinates of a joint: one value for all of them, or one for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

from ...algebra.graph.graph import ZERO, Symbol
from ...errors import ModelError, listed, shown, unknown
from ..mechanism.declarations import as_expression
from .joint_options import JointLoads

# permitted numbers of entries in one value of an option
_NUMBERS_OF_OPTION: Final = {"friction": (2,), "limits": (3, 4)}
_MEANING: Final = {
    "friction": "(force, speed at which it is developed)",
    "limits": "(low, high, stiffness) or (low, high, stiffness, damping)",
}


def loads_of_each(
    loads: Mapping[str, Any], joint: str, coordinates: Sequence[Symbol], lengths: Sequence[bool]
) -> list[JointLoads]:
    """The loads of a joint on each of its coordinates, as expressions; `lengths` says which of these are lengths, the
    others are angles."""
    tables = {
        option: _of_each(f"joint {joint!r}, {option}=", option, value, coordinates, lengths)
        for option, value in loads.items()
    }
    return [cast(JointLoads, {o: table[k] for o, table in tables.items()}) for k in range(len(coordinates))]


def _of_each(where: str, option: str, value: Any, q: Sequence[Symbol], lengths: Sequence[bool]) -> list[Any]:
    """One value of an option for each coordinate; None if none is given."""
    if isinstance(value, Mapping):
        values = _by_coordinate(where, value, q)
    elif _is_one_value(option, value):
        _refuse_mixed(where, option, value, q, lengths)
        values = [value] * len(q)
    elif len(value) != len(q):
        count = (
            f"{len(value)} value{'s' * (len(value) != 1)} for the {len(q)} coordinate{'s' * (len(q) != 1)} {listed(q)}"
        )
        raise ModelError(f"{where}: {count}, got {shown(value)}")
    else:
        values = list(value)
    if option not in _NUMBERS_OF_OPTION:
        return [None if v is None else as_expression(v, where) for v in values]
    return [None if v is None else _entries(where, option, v) for v in values]


def _entries(where: str, option: str, value: Any) -> tuple[Any, ...]:
    if not isinstance(value, (tuple, list)) or len(value) not in _NUMBERS_OF_OPTION[option]:
        raise ModelError(f"{where} needs {_MEANING[option]}, got {shown(value)}")
    return tuple(as_expression(x, where) for x in value)


def _is_one_value(option: str, value: Any) -> bool:
    if not isinstance(value, (tuple, list)):
        return True
    return option in _NUMBERS_OF_OPTION and not all(x is None or isinstance(x, (tuple, list)) for x in value)


def _by_coordinate(where: str, value: Mapping[Any, Any], q: Sequence[Symbol]) -> list[Any]:
    names = [s.name for s in q]
    given = {k.name if isinstance(k, Symbol) else k: v for k, v in value.items()}
    for name in given:
        if name not in names:
            raise unknown(where, "coordinate", str(name), names)
    return [given.get(n) for n in names]


def _refuse_mixed(where: str, option: str, value: Any, q: Sequence[Symbol], lengths: Sequence[bool]) -> None:
    """One number cannot be newtons per metre and newton metres per radian."""
    if len(set(lengths)) < 2 or (option not in _NUMBERS_OF_OPTION and as_expression(value, where) is ZERO):
        return
    along = [s.name for s, is_length in zip(q, lengths, strict=True) if is_length]
    about = [s.name for s, is_length in zip(q, lengths, strict=True) if not is_length]
    raise ModelError(
        f"{where}: one value, {shown(value)}, for lengths ({listed(along)}) and angles ({listed(about)}); give one for each coordinate, "
        f"{option}=({', '.join('...' for _ in q)}), or some by name, {option}={{{along[0]!r}: ...}}"
    )

"""How a kernel is called from outside, as a compiled program is: `void (double **in, double **out, double *work)`.

Arguments are taken from `in` in order, those named as outputs from `out`; those that are known are in neither. What the
kernel returns is stored in the last entry of `in`. Fields of records are found through the records that they are in.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .kernel_language import Kernel
from .kernel_nodes import KernelForm, Parameter, RecordType, Type
from .records import fields_of
from .specialisation import Kernels, KnownValues


@dataclass(frozen=True)
class ArgumentRoute:
    """Where an argument is: pointer number `at` of a table, then slot after slot of records."""

    parameter: Parameter
    table: str
    at: int
    slots: tuple[int, ...]


@dataclass(frozen=True)
class KernelEntry:
    """A kernel, how each of its arguments is found, and the place in `in` for what it returns."""

    name: str
    form: KernelForm
    routes: tuple[ArgumentRoute, ...]
    result_at: int


def kernel_entry(
    kernels: Kernels,
    kernel: Kernel,
    name: str,
    arguments: Mapping[str, Type],
    known: KnownValues,
    outputs: Iterable[str] = (),
) -> KernelEntry:
    """The entry to a kernel for arguments of these types."""
    form = kernels.kernel(kernel, tuple(arguments.values()), known)
    places = {a: ("out", k) for k, a in enumerate(outputs)}
    inputs = [a for a in arguments if a not in places and a not in known]
    places |= {a: ("in", k) for k, a in enumerate(inputs)}
    routes = tuple(_route(p, arguments, places) for p in form.parameters)
    return KernelEntry(name, form, routes, len(inputs))


def _route(p: Parameter, arguments: Mapping[str, Type], places: Mapping[str, tuple[str, int]]) -> ArgumentRoute:
    root, *path = p.name.split(".")
    slots, type_ = [], arguments[root]
    for field in path:
        assert isinstance(type_, RecordType)
        slots.append(list(fields_of(type_.record)).index(field))
        type_ = dict(type_.fields)[field]
    return ArgumentRoute(p, *places[root], tuple(slots))

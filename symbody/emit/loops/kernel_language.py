"""The vocabulary of kernels: types of their arguments, and functions that mean something to translators.

A kernel is a small Python function. It runs as it stands, and is translated (`kernel_parser.py`, `specialisation.py`, then one
file for each target).

    for i in range(...), while, if, break, continue, return       conditions with and, or, not, `is None`
    for k in unrolled(...)                      written out: k is known, and so is every entry of a table at k; in a
                                                kernel that seldom runs a loop, where the bounds are not known
    x = 0.0, count = 0, part = a[n:]            numbers, indices, the rest of an array: by what is assigned first
    s.y[i], s.counts.steps = ...                fields of records (`records.py`)
    f((t, y), (dy,))                            call of a compiled program: its first inputs, its outputs
    sqrt, pow, abs, min, max, is_finite, float, int, other kernels, and numbers and tables of the module

Arrays must not overlap, and nothing looks for their ends.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeVar

if TYPE_CHECKING:
    Numbers = Any  # lists, arrays of NumPy and of exact numbers
else:
    Numbers = list[Any]
Indices = list[int]
Function = Callable[[tuple[Any, ...], tuple[Any, ...]], None]  # a compiled program, or a kernel in its place
Kernel = Callable[..., Any]

T = TypeVar("T")
IS_KNOWN: Final = "known when the kernel is translated"
IS_MUTABLE: Final = "changed by kernels"
IS_RARE: Final = "is_rare"  # an attribute of kernels
Known = Annotated[T, IS_KNOWN]
Mutable = Annotated[T, IS_MUTABLE]

unrolled = range
is_finite = isfinite

KernelFunction = TypeVar("KernelFunction", bound=Callable[..., Any])


def rarely(kernel: KernelFunction) -> KernelFunction:
    """A kernel that seldom runs: nothing is done for its speed, since LLVM would take as long over it as over those that
    always run."""
    setattr(kernel, IS_RARE, True)
    return kernel

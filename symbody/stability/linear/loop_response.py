"""Frequency responses of large trees in loops, from sparse matrices: G(s) = c (s - A)⁻¹ b + d for one input and one output."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ...algebra.graph.graph import Symbol
from ...emit.run.callable import Array
from ...errors import StabilityError, unknown
from ..spectra.nearest_eigenvalues import nearest_eigenvalues
from ..spectra.response import FrequencyResponse, checked_frequencies, finite_response, frequency_grid
from ..spectra.sparse_pencil import SparsePencil
from .lazy_matrices import late_source
from .loop_numbers import LoopParts, loops_of
from .matrix_numbers import loop_arguments

if TYPE_CHECKING:
    from .linear_system import LinearSystem

SLOWEST: Final = 20  # eigenvalues that determine the range of frequencies


def response_in_loops(
    lin: LinearSystem, r: str | Symbol, y: str | Symbol, hertz: Any, values: Mapping[str, float]
) -> FrequencyResponse | None:
    """None for systems without loops or without a sparse pencil, and if matrices were changed."""
    loops = loops_of(lin)
    if loops is None or late_source((lin.B, lin.C, lin.D)) is not loops:
        return None
    at = loop_arguments(lin.numbers, loops, values)
    pencil = loops.pencil(*at)
    if pencil is None:
        return None
    name = y.name if isinstance(y, Symbol) else y
    k = lin.numbers.input(r)
    c, d = _row(loops, lin, name, k, at)
    b = loops.input_column(k, *at)
    f = _slow_frequencies(pencil, lin.x) if hertz is None else checked_frequencies(lin, hertz)
    found = [d - c @ pencil.solved(2j * np.pi * x, b) for x in f.tolist()]
    return finite_response(lin, k, name, f, np.array(found))


def _row(loops: LoopParts, lin: LinearSystem, name: str, k: int, at: tuple[Array, Array]) -> tuple[Array, float]:
    """The rows of C and D for an output or a state."""
    if name in lin.y and name in loops.seen:
        c, d = loops.output_row(name, *at)
        return c, float(d[k])
    if name not in lin.x:
        raise unknown(f"linear system {lin.name!r}", "output or variable", name, (*lin.x, *lin.y), StabilityError)
    return np.eye(1, len(lin.x), lin.x.index(name))[0], 0.0


def _slow_frequencies(pencil: SparsePencil, names: tuple[str, ...]) -> Array:
    """From a tenth of the slowest oscillation to ten times the fastest of the computed ones, the SLOWEST slowest."""
    s = np.abs(nearest_eigenvalues(pencil, SLOWEST, 0.0, names)) / (2 * np.pi)
    s = s[s > 1e-6 * s.max(initial=1.0)]
    return frequency_grid(s.min() / 10, s.max() * 10) if len(s) else frequency_grid(0.01, 100.0)

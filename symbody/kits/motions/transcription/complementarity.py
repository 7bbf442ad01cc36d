"""Complementary quantities, as a contact force and its gap: 0 <= a, 0 <= b, a b <= ε with ε that falls to zero, each
search from the one before (Scholtes 2001)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np

from .ipopt_solver import IpoptResult, ipopt
from .node_functions import Array
from .sparse_program import SparseProgram
from .transcription import Transcription

RELAXATIONS: Final = (1.0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6)  # of products, in the units of the two quantities


def relaxed_program(made: Transcription, limit: float = RELAXATIONS[-1]) -> SparseProgram:
    """The program with products of at most a limit."""
    if not made.product_rows:
        return made.program
    high = made.program.row_high.copy()
    high[np.concatenate(made.product_rows)] = limit
    return replace(made.program, row_high=high)


def minimum_by_tightening(made: Transcription, start: Array, options: Mapping[str, Any]) -> IpoptResult:
    """One search, or a search for each bound of the products; it ends at the first that fails."""
    if not made.product_rows:
        return ipopt(made.program, start, options)
    z, iterations = start, 0
    for k, limit in enumerate(RELAXATIONS):
        own = {} if k == 0 else {"mu_init": 1e-4}
        found = ipopt(relaxed_program(made, limit), z, {**own, **options})
        iterations += found.iterations
        z = found.z
        if not found.is_success:
            break
    return replace(found, iterations=iterations)

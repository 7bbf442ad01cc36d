"""Complementary quantities, as a contact force and its gap: 0 <= a, 0 <= b, a b <= ε with ε that falls to zero, each
search from the one before (Scholtes 2001)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np

from .ipopt_solver import IpoptResult, ipopt
from .node_functions import Array
from .transcription import Transcription

RELAXATIONS: Final = (1.0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6)  # of products, in the units of the two quantities


def minimum_by_tightening(made: Transcription, start: Array, options: Mapping[str, Any]) -> IpoptResult:
    """One search, or a search for each bound of the products; it ends at the first that fails."""
    if not made.product_rows:
        return ipopt(made.program, start, options)
    rows, program, iterations = np.concatenate(made.product_rows), made.program, 0
    z = start
    for k, limit in enumerate(RELAXATIONS):
        high = program.row_high.copy()
        high[rows] = limit
        own = {} if k == 0 else {"mu_init": 1e-4}
        found = ipopt(replace(program, row_high=high), z, {**own, **options})
        iterations += found.iterations
        z = found.z
        if not found.is_success:
            break
    return replace(found, iterations=iterations)

"""A search among coordinates, speeds and additional variables at once, for rows that tie them together: given
accelerations, reactions, energies."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from ...algebra.calculus.derivatives import jacobian
from ...algebra.calculus.rounding import rounding
from ...derivation.equations.equations import Equations
from ...derivation.equations.named_rows import NamedRow
from ...emit.run.callable import Array
from ...emit.run.dynamics import Dynamics
from .configuration_search import Search
from .constraint_rows import values_of


def state_search(
    eq: Equations, rows: Sequence[NamedRow], known: Mapping[str, float], held: Collection[str], weights: Mapping[str, float]
) -> Search:  # fmt: skip
    """Rows of the whole state, which begins at the values that are known; `held` ones stay."""
    entries, unknowns = [row.expression for row in rows], eq.state
    function = eq.cached(
        "rows of the state", tuple(entries),
        lambda: Dynamics(eq).function("state_rows", {"values": entries, "slopes": jacobian(entries, unknowns)}),
    )  # fmt: skip
    groups = {g: np.array([known[s.name] for s in getattr(eq, g)], dtype=np.float64) for g in ("q", "u", "z", "r", "p")}
    n_q, n_u = len(eq.q), len(eq.u)

    def values_and_slopes(x: Array) -> tuple[Array, Array]:
        r, J = values_of(function, known["t"], x[:n_q], x[n_q : n_q + n_u], x[n_q + n_u :], groups["r"], groups["p"])
        return r, J.reshape(len(entries), -1)

    def off(x: Array) -> Array:
        at = {s: known[s.name] for s in eq.variables.arguments} | dict(zip(unknowns, map(float, x), strict=True))
        return np.array(rounding(entries, at))

    free = np.array([k for k, s in enumerate(unknowns) if s.name not in held], dtype=np.intp)
    start = np.concatenate([groups[g] for g in ("q", "u", "z")])
    return Search(values_and_slopes, start, free, np.array([weights.get(s.name, 1.0) for s in unknowns]), off)

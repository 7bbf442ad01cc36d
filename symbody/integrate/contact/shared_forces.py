"""Redundant (statically indeterminate) contacts: constrain an independent subset, distribute the load by minimum norm.

A table on nine feet that stick is held 27 times in six ways. Of the rows G of its speeds (closed gaps, then what
sticks) some, G_R, span the others at every state. These alone are constraints of the mode; their multipliers are
resultants ν, which push the speeds by G_Rᵀ ν. Among all forces λ of the rows that push alike, Gᵀ λ = G_Rᵀ ν, those of
least norm are

    λ = D w,    Dᵀ D w = G_R T² G_Rᵀ ν,    D = G T² G_Rᵀ

since λ = G x has no part along any n with nᵀ G = 0, and x = T² G_Rᵀ w reaches all that is needed. T, the reciprocal
lengths of the columns of G, changes nothing but the rounding. Feet that are alike, and elastic while the body is rigid,
share their load so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

import numpy as np

from ...algebra.calculus.derivatives import jacobian, time_derivative
from ...algebra.graph.graph import Expr, Symbol
from ...algebra.graph.linear import factorize
from ...algebra.graph.matrix import Matrix
from ...algebra.graph.walk import free_symbols
from ...derivation.equations.equations import Equations
from ...derivation.rank.row_space import RowSpace, numbers_at, pivot_columns
from ...emit.run.callable import Array
from ..forms.accelerations import rows


@dataclass(frozen=True)
class SpanningRows:
    """Of rows on the speeds, those that span all of them: positions of gaps and of what sticks, and the lengths of the
    columns by which they were compared."""

    gaps: tuple[int, ...]
    sticking: tuple[int, ...]
    lengths: Array

    @property
    def all(self) -> tuple[int, ...]:
        return (*self.gaps, *self.sticking)


def spanning_rows(eq: Equations, G: Matrix, gaps: int) -> SpanningRows | None:
    """Rows that span the others at every state, of which the first so many are gaps; None if they are all
    independent at one of them."""
    J = numbers_at(G.entries, _generic_values(eq, G), G.cols)
    if J is None or not len(J):
        return None
    lengths = np.linalg.norm(J, axis=0)
    lengths[lengths == 0.0] = 1.0
    J = J / lengths
    rank = RowSpace.of(J).rank
    if rank == len(J):
        return None
    of_gaps = RowSpace.of(J[:gaps]).rank
    chosen = pivot_columns(J[:gaps].T, of_gaps)
    basis = np.linalg.qr(J[chosen].T)[0] if chosen else np.zeros((G.cols, 0))
    left = J[gaps:] - (J[gaps:] @ basis) @ basis.T
    sticking = pivot_columns(left.T, rank - of_gaps)
    return SpanningRows(tuple(chosen), tuple(gaps + i for i in sticking), lengths)


def is_held(eq: Equations, gap: Expr) -> bool:
    """Whether the constraints alone hold a gap as it is, at every state: then nothing determines the force in it. Not
    looked at where constraints depend on each other, since they do so at states that satisfy them only."""
    if eq.border is not None:
        return False
    rates = dict(zip(eq.q, eq.rates.entries, strict=True))
    G = jacobian([*(eq.Jc @ Matrix(len(eq.u), 1, eq.u)).entries, time_derivative(gap, rates)], eq.u)
    J = numbers_at(G.entries, _generic_values(eq, G), G.cols)
    if J is None:
        return False
    lengths = np.linalg.norm(J, axis=0)
    J = J / np.where(lengths == 0.0, 1.0, lengths)
    return RowSpace.of(J).rank == RowSpace.of(J[:-1]).rank if len(J) > 1 else not np.any(J)


def _generic_values(eq: Equations, G: Matrix) -> dict[Symbol, float]:
    """Parameters as they are, random numbers for all else; Euler parameters of length one, since bodies are rigid for
    these only."""
    draw, known = Random(1), eq.variables.defaults
    constants = {s: known[s] for s in eq.variables.constants if s in known}
    values = {s: constants.get(s, draw.uniform(0.2, 0.9)) for s in sorted(free_symbols(G, *eq.q), key=str)}
    for turn in eq.variables.quaternions:
        length = float(np.linalg.norm([values[v.symbol] for v in turn]))
        values |= {v.symbol: values[v.symbol] / length for v in turn}
    return values


def shared_forces(G: Matrix, chosen: SpanningRows, resultants: Sequence[Expr]) -> list[Expr]:
    """Forces of least norm in all rows, in terms of the resultants along those that span them."""
    scaled = Matrix(
        G.rows,
        G.cols,
        tuple(e / float(x) for i in range(G.rows) for e, x in zip(G.row(i), chosen.lengths, strict=True)),
    )
    spanning = rows(scaled, chosen.all)
    D = scaled @ spanning.T
    pushed = (spanning @ spanning.T) @ Matrix(len(resultants), 1, tuple(resultants))
    return list((D @ factorize(D.T @ D, "definite").solve(pushed)).entries)


def resultant(row: str) -> str:
    """The name of a row that spans others: its multiplier is not the force of a single contact."""
    return f"{row} resultant"

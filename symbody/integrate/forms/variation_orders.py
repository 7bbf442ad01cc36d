"""Variations of higher order: which columns there are, and the derivative that gives each from one before.

A column is named by the sorted tuple of what it is differentiated with respect to: (j,) of s_j = ∂y/∂x_j, (j, k) of
s_jk = ∂²y/∂x_j∂x_k. The derivative D_k takes y to s_k, s_j to s_jk and x_k to 1, so that every expression of the columns
up to an order gives those of the next one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations_with_replacement
from math import comb

from ...algebra.calculus.derivatives import directional_derivative
from ...algebra.graph.graph import Expr, Symbol
from ...algebra.graph.matrix import Matrix

Index = tuple[int, ...]


def column_indices(count: int, order: int) -> list[Index]:
    """Columns of `count` quantities up to an order: those of first order, then of second and so on."""
    return [c for k in range(1, order + 1) for c in combinations_with_replacement(range(count), k)]


def order_of(columns: int, count: int) -> int:
    """The highest order, of so many columns for `count` quantities."""
    order = 1
    while comb(count + order, order) - 1 < columns:
        order += 1
    return order


def direction_table(state: Sequence[Symbol], columns: Mapping[Index, Sequence[Symbol]], k: int) -> dict[Symbol, Expr]:
    """What D_k takes symbols to; columns of the highest order have no derivative among the columns."""
    table: dict[Symbol, Expr] = dict(zip(state, columns[(k,)], strict=True))
    for index, column in columns.items():
        if (after := columns.get(tuple(sorted((*index, k))))) is not None:
            table |= dict(zip(column, after, strict=True))
    return table


def all_derivatives(
    of: Matrix, indices: Sequence[Index], directions: Sequence[Mapping[Symbol, Expr]]
) -> dict[Index, Matrix]:
    """Derivatives of functions of the state, by column; each from the one with one index less."""
    found: dict[Index, Matrix] = {(): of}
    for index in indices:
        found[index] = directional_derivative(found[index[:-1]], dict(directions[index[-1]]))
    return found

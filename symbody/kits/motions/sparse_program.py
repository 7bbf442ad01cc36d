"""A sparse nonlinear program made of blocks of nodes:

    minimise Σ_b w_bᵀ g_b(z)   subject to   l <= A z + Σ_b R_b g_b(z) <= u,   lower <= z <= upper

where g_b has the values of all nodes of a block. Rows of constraints are linear in g_b, so that values, Jacobian and
Hessian of the Lagrangian are each one batch over the nodes and one product with a constant sparse matrix.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import coo_array, csr_array, hstack, vstack

from .node_functions import Array, Indices, NodeFunctions


@dataclass(frozen=True, eq=False)
class NodeBlock:
    """Nodes with the same functions: where the unknowns of each are in z, and the part of its values in rows and cost."""

    functions: NodeFunctions
    index: Indices  # (nodes, unknowns of a node)
    given: Array  # (nodes, numbers of a node)
    parameters: Array
    rows: csr_array  # (rows, nodes * values)
    cost: Array  # (nodes * values,)

    def values(self, z: Array) -> Array:
        return self.functions.values(z[self.index], self.given, self.parameters).ravel()

    def jacobian(self, z: Array) -> Array:
        return self.functions.jacobian(z[self.index], self.given, self.parameters).ravel()

    def hessian(self, z: Array, weights: Array) -> Array:
        mu = weights.reshape(len(self.index), self.functions.size)
        return self.functions.hessian(z[self.index], self.given, self.parameters, mu).ravel()

    def jacobian_triplets(self, rows: Any) -> tuple[Indices, Indices, Indices, Array]:
        """Of rows @ ∂g/∂z: row, column, which nonzero of `jacobian` it is, and its factor."""
        part = coo_array(rows)
        node, value = np.divmod(part.col, self.functions.size)
        i, j = self.functions.jacobian_places
        parts = []
        for k in range(self.functions.size):
            here, entries = np.flatnonzero(value == k), np.flatnonzero(i == k)
            r, e = np.repeat(here, len(entries)), np.tile(entries, len(here))
            parts.append((part.row[r], self.index[node[r], j[e]], node[r] * len(i) + e, part.data[r]))
        return tuple(np.concatenate(x) for x in zip(*parts, strict=True))  # type: ignore[return-value]


@dataclass(frozen=True, eq=False)
class RowGroup:
    """Rows of constraints that were made of one statement, for messages: their name, where they begin and end, and the
    phase and interval of each."""

    name: str
    rows: slice


@dataclass(frozen=True, eq=False)
class SparsePattern:
    """Nonzeros of a matrix in the order of columns, and the sparse matrix that adds up contributions to them."""

    shape: tuple[int, int]
    rows: Indices
    columns: Indices
    constant: Array
    gather: csr_array

    @staticmethod
    def of(shape: tuple[int, int], constant: Any, parts: Sequence[Any], sizes: Sequence[int]) -> SparsePattern:
        fixed = coo_array(constant)
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.intp)
        r = np.concatenate([fixed.row, *(p[0] for p in parts)]).astype(np.int64)
        c = np.concatenate([fixed.col, *(p[1] for p in parts)]).astype(np.int64)
        keys, place = np.unique(c * max(shape[0], 1) + r, return_inverse=True)
        n = len(fixed.data)
        source = np.concatenate([np.zeros(0, np.intp), *(p[2] + s for p, s in zip(parts, starts, strict=False))])
        factors = np.concatenate([np.zeros(0), *(p[3] for p in parts)])
        gather = coo_array((factors, (place[n:], source)), shape=(len(keys), int(starts[-1]))).tocsr()
        start = np.bincount(place[:n], weights=fixed.data, minlength=len(keys)).astype(float)
        return SparsePattern(shape, keys % max(shape[0], 1), keys // max(shape[0], 1), start, gather)

    def values(self, parts: Sequence[Array]) -> Array:
        if not parts:
            return self.constant
        found: Array = self.gather @ (parts[0] if len(parts) == 1 else np.concatenate(parts))
        found += self.constant
        return found

    def matrix(self, parts: Sequence[Array]) -> csr_array:
        return coo_array((self.values(parts), (self.rows, self.columns)), shape=self.shape).tocsr()


@dataclass(frozen=True, eq=False)
class SparseProgram:
    """The program, and its functions of z."""

    blocks: tuple[NodeBlock, ...]
    linear: csr_array
    row_low: Array
    row_high: Array
    low: Array
    high: Array
    groups: tuple[RowGroup, ...]

    @cached_property
    def _combined(self) -> csr_array:
        """Rows, then the cost, of z and the values of all blocks: one product."""
        n = self.linear.shape[1]
        cost = np.concatenate([np.zeros(n), *(b.cost for b in self.blocks)])
        return csr_array(vstack([hstack([self.linear, *(b.rows for b in self.blocks)]), cost[None, :]]))

    @cached_property
    def _weights(self) -> csr_array:
        """Weights of the values of all blocks in the Lagrangian, of multipliers of rows and of the cost."""
        return csr_array(self._combined[:, self.linear.shape[1] :].T)

    def values(self, z: Array) -> tuple[float, Array]:
        """Cost and rows."""
        out = self._combined @ np.concatenate([z, *(b.values(z) for b in self.blocks)])
        return float(out[-1]), out[:-1]

    @cached_property
    def jacobian_pattern(self) -> SparsePattern:
        parts = [b.jacobian_triplets(b.rows) for b in self.blocks]
        sizes = [len(b.index) * len(b.functions.jacobian_places[0]) for b in self.blocks]
        return SparsePattern.of(self.linear.shape, self.linear, parts, sizes)

    @cached_property
    def gradient_pattern(self) -> SparsePattern:
        n = self.linear.shape[1]
        parts = [b.jacobian_triplets(b.cost[None, :]) for b in self.blocks]
        sizes = [len(b.index) * len(b.functions.jacobian_places[0]) for b in self.blocks]
        return SparsePattern.of((1, n), csr_array((1, n)), parts, sizes)

    @cached_property
    def hessian_pattern(self) -> SparsePattern:
        n, parts, sizes = self.linear.shape[1], [], []
        for b in self.blocks:
            i, j = b.functions.hessian_places
            r, c = b.index[:, i], b.index[:, j]
            twice = np.where((r == c) & (i != j)[None, :], 2.0, 1.0)  # two unknowns of the node are the same one of z
            parts.append((np.minimum(r, c).ravel(), np.maximum(r, c).ravel(), np.arange(r.size), twice.ravel()))
            sizes.append(r.size)
        return SparsePattern.of((n, n), csr_array((n, n)), parts, sizes)

    def jacobians(self, z: Array) -> list[Array]:
        """Nonzeros of all blocks, which both the gradient and the Jacobian are made of."""
        return [b.jacobian(z) for b in self.blocks]

    def gradient(self, parts: Sequence[Array]) -> Array:
        pattern, out = self.gradient_pattern, np.zeros(self.linear.shape[1])
        out[pattern.columns] = pattern.values(parts)
        return out

    def hessian(self, z: Array, cost: float, multipliers: Array) -> list[Array]:
        weights = self._weights @ np.append(multipliers, cost)
        ends = np.cumsum([b.cost.size for b in self.blocks])
        parts = [weights] if len(ends) == 1 else np.split(weights, ends[:-1])
        return [b.hessian(z, w) for b, w in zip(self.blocks, parts, strict=True)]

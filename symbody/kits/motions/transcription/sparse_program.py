"""A sparse nonlinear program made of blocks of nodes:

    minimise Σ_b w_bᵀ g_b(z)   subject to   l <= A z + Σ_b R_b g_b(z) <= u,   lower <= z <= upper

where g_b has the values of all nodes of a block. Rows of constraints are linear in g_b, so that everything of first
order at a point is one batch over the nodes and one product with a constant sparse matrix, and so is the Hessian of the
Lagrangian.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import block_array, coo_array, csr_array, hstack

import symbody as sb

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

    @property
    def sizes(self) -> tuple[int, int, int]:
        """Numbers of values and of nonzeros of the first and second derivatives."""
        f, n = self.functions, len(self.index)
        return n * f.size, n * len(f.jacobian_places[0]), n * len(f.hessian_places[0])

    def values(self, z: Array) -> Array:
        """A row of values for each node."""
        n, f = len(self.index), self.functions
        out = np.empty((n, f.size))
        f.first(z[self.index], self.given, self.parameters, out, np.empty((n, len(f.jacobian_places[0]))))()
        return out

    def jacobian_triplets(self, rows: Any) -> tuple[Indices, Indices, Indices, Array]:
        """Of rows @ ∂g/∂z: row, column, which nonzero of the derivatives it is, and its factor."""
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
    """Nonzeros of a matrix in the order of columns: a constant part, and what of the numbers of all blocks adds up to
    them."""

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

    def matrix(self, nonzeros: Array) -> csr_array:
        return coo_array((nonzeros, (self.rows, self.columns)), shape=self.shape).tocsr()


@dataclass(frozen=True, eq=False)
class ProgramValues:
    """Of first order at a point: cost, rows of constraints, gradient of the cost and nonzeros of the Jacobian; views of `numbers`."""

    numbers: Array
    row_count: int
    unknowns: int

    @property
    def rows(self) -> Array:
        return self.numbers[: self.row_count]

    @property
    def cost(self) -> float:
        return float(self.numbers[self.row_count])

    @property
    def gradient(self) -> Array:
        return self.numbers[self.row_count + 1 : self.row_count + 1 + self.unknowns]

    @property
    def jacobian(self) -> Array:
        return self.numbers[self.row_count + 1 + self.unknowns :]


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
    def _free(self) -> list[sb.emit.NonlinearFunctions]:
        """Functions whose memory is not in use: as many as threads evaluated the program at the same time."""
        return []

    @cached_property
    def solvers(self) -> dict[str, list[Any]]:
        """Solvers that hold the program and are not in use, by their options."""
        return {}

    @contextmanager
    def functions(self) -> Iterator[sb.emit.NonlinearFunctions]:
        """The functions in machine code, for one thread."""
        try:
            made = self._free.pop()
        except IndexError:
            made = self._new_functions()
        made.forget()
        try:
            yield made
        finally:
            self._free.append(made)

    def _new_functions(self) -> sb.emit.NonlinearFunctions:
        """With memory for [1, z, values, nonzeros of the Jacobians], weights of the values, and nonzeros of the Hessians."""
        (m, n), sizes = self.linear.shape, np.array([b.sizes for b in self.blocks], dtype=int).reshape(-1, 3)
        values, slopes, curves = sizes.sum(axis=0)
        found, weights, curved = np.zeros(1 + n + values + slopes), np.zeros(values), np.zeros(curves)
        found[0] = 1.0
        z, gathers, first, second = found[1 : 1 + n], [], [], []
        at = np.cumsum(np.vstack([[0, 1 + n + values, 0], sizes]), axis=0)
        for b, (value, slope, curve), (size, slope_size, curve_size) in zip(self.blocks, at, sizes, strict=False):
            v, nodes, f = np.zeros(b.index.shape), len(b.index), b.functions
            values_of, slopes_of = found[1 + n :][value : value + size], found[slope : slope + slope_size]
            mu, curves_of = weights[value : value + size], curved[curve : curve + curve_size]
            gathers.append((b.index, v))
            given = (v, b.given, b.parameters)
            first.append(f.first(*given, values_of.reshape(nodes, -1), slopes_of.reshape(nodes, -1)))
            if curve_size:
                second.append(f.second(*given, mu.reshape(nodes, -1), curves_of.reshape(nodes, -1)))
        J, H, multipliers = self.jacobian_pattern, self.hessian_pattern, np.zeros(m + 1)
        sums = (
            (self._first_matrix, found, np.zeros(m + 1 + n + len(J.rows))),
            (self._weights, multipliers, weights),
            (H.gather, curved, np.zeros(len(H.rows))),
        )
        patterns = (J.rows, J.columns), (H.columns, H.rows)  # IPOPT takes the lower triangle
        return sb.emit.NonlinearFunctions(z, multipliers, gathers, first, second, sums, patterns)

    @cached_property
    def jacobian_pattern(self) -> SparsePattern:
        parts = [b.jacobian_triplets(b.rows) for b in self.blocks]
        return SparsePattern.of(self.linear.shape, self.linear, parts, [b.sizes[1] for b in self.blocks])

    @cached_property
    def hessian_pattern(self) -> SparsePattern:
        n, parts = self.linear.shape[1], []
        for b in self.blocks:
            i, j = b.functions.hessian_places
            r, c = b.index[:, i], b.index[:, j]
            twice = np.where((r == c) & (i != j)[None, :], 2.0, 1.0)  # two unknowns of the node are the same one of z
            parts.append((np.minimum(r, c).ravel(), np.maximum(r, c).ravel(), np.arange(r.size), twice.ravel()))
        return SparsePattern.of((n, n), csr_array((n, n)), parts, [b.sizes[2] for b in self.blocks])

    @cached_property
    def _first_matrix(self) -> csr_array:
        """Rows, cost, gradient and nonzeros of the Jacobian, of [1, z, values, nonzeros of blocks]."""
        n, J = self.linear.shape[1], self.jacobian_pattern
        values = [csr_array((self.linear.shape[0], 0)), *(b.rows for b in self.blocks)]
        cost = csr_array(np.concatenate([np.zeros(0), *(b.cost for b in self.blocks)])[None, :])
        starts = np.cumsum([0, *(b.sizes[1] for b in self.blocks)])
        triplets = [b.jacobian_triplets(b.cost[None, :]) for b in self.blocks]
        where = np.concatenate([np.zeros(0, np.intp), *(t[1] for t in triplets)])
        source = np.concatenate([np.zeros(0, np.intp), *(t[2] + s for t, s in zip(triplets, starts, strict=False))])
        factors = np.concatenate([np.zeros(0), *(t[3] for t in triplets)])
        gradient = coo_array((factors, (where, source)), shape=(n, int(starts[-1]))).tocsr()
        none = csr_array((1, n))
        return csr_array(
            block_array(
                [
                    [csr_array((self.linear.shape[0], 1)), self.linear, hstack(values), None],
                    [None, none, cost, None],
                    [None, None, None, gradient],
                    [csr_array(J.constant[:, None]), None, None, J.gather],
                ],
                format="csr",
            )
        )

    @cached_property
    def _weights(self) -> csr_array:
        """Weights of the values of all blocks in the Lagrangian, of multipliers of rows and of the cost."""
        m, n = self.linear.shape
        values = int(sum(b.sizes[0] for b in self.blocks))
        return csr_array(self._first_matrix[: m + 1, 1 + n : 1 + n + values].T)

    def first(self, z: Array) -> ProgramValues:
        """Cost, rows and their derivatives."""
        with self.functions() as f:
            f.z[:] = z
            return ProgramValues(f.first().copy(), *self.linear.shape)

    def hessian(self, z: Array, cost: float, multipliers: Array) -> Array:
        """Nonzeros of the Hessian of cost times the cost and multipliers times the rows, in its upper triangle."""
        with self.functions() as f:
            f.z[:], f.weights[:-1], f.weights[-1] = z, multipliers, cost
            return f.second().copy()

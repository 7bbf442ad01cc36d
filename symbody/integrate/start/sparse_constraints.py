"""Constraints of many equal parts in numbers: phi, sparse Jc and b from compiled loops, and linear dependences between rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from itertools import pairwise
from typing import Any, Final

import numpy as np

from ...derivation.programs.constraint_schedules import ConstraintSweeps
from ...derivation.programs.linked_sweeps import LinkedSweeps
from ...derivation.rank.row_space import RowSpace
from ...emit.run.callable import Array, Compiled
from .configuration_search import MAX_ATTEMPTS
from .sparse_search import NormalMatrix, scipy_sparse, sizes_of_sparse_rows, sparse_factors

LEAST_EIGENVALUE: Final = 1e-13  # added to J Jᵀ of rows of unit length, so that it is regular
DEPENDENT: Final = 1e-9  # relative singular value below which rows of unit length count as linearly dependent
VECTORS: Final = 12  # of inverse iteration
ITERATIONS: Final = 6

Make = Callable[[str, Callable[[], Mapping[str, Any]]], Compiled]


class SparseConstraints:
    """Values and Jacobians of the constraints of equations in loops; every function takes t, q, u, z, r, p.

    make   returns a compiled function for a name and outputs
    call   evaluates a compiled function
    """

    def __init__(self, loops: ConstraintSweeps, make: Make, call: Callable[..., Any]) -> None:
        self.loops, self.make, self.call = loops, make, call
        self.shape = len(loops.eq.lam), len(loops.eq.u)

    @cached_property
    def _function(self) -> Compiled:
        found = self.loops.slopes
        return self.make("sparse_rows", lambda: {"entries": found.entries, "b": list(found.b)})

    def speed(self, *state: Any) -> tuple[Any, Array]:
        """Jc and b."""
        entries, b = (np.atleast_1d(x) for x in self.call(self._function, *state))
        found = self.loops.slopes
        return scipy_sparse().csr_matrix((entries, (found.rows, found.columns)), shape=self.shape), b

    @property
    def has_long_rows(self) -> bool:
        """Whether rows of Jc that are written out have more entries than those in loops."""
        return isinstance(self.loops, LinkedSweeps)

    def numbers_by_row(self, *state: Any) -> list[dict[int, float]]:
        """Entries of Jc by row and column."""
        J, _ = self.speed(*state)
        return [
            dict(zip(J.indices[a:b].tolist(), J.data[a:b].tolist(), strict=True))
            for a, b in pairwise(J.indptr.tolist())
        ]

    @cached_property
    def coordinates(self) -> list[int] | None:
        """For each speed the number of the coordinate whose rate it is; None if ∂phi/∂q is not Jc."""
        return self.loops.coordinates

    def alike_starts(self, start: Array, free: Any) -> Iterator[Array]:
        """Starts with random changes of the free angles, of increasing size. Angles at the same place of equal trees change alike; they
        begin at the mean of those that are held at that place."""
        number = {v.symbol: v.index for v in self.loops.eq.variables.of("q") if v.is_angle}
        movable = set(free.tolist())
        alike: dict[int, list[int]] = {}
        held: dict[int, list[int]] = {}
        for tree in self.loops.parts.parts.trees:
            for k, s in enumerate(s for s in tree.slots if s in number):
                (alike if number[s] in movable else held).setdefault(k, []).append(number[s])
        draw = np.random.default_rng(1)
        for attempt in range(1, MAX_ATTEMPTS if alike else 0):
            x = start.copy()
            for k, places in alike.items():
                if k in held:
                    x[places] = start[held[k]].mean()
                x[places] += np.pi * min(1.0, 0.02 * 1.3**attempt) * draw.uniform(-1, 1)
            yield x

    def unwound(self, x: Array, start: Array, rows: Callable[[Array], tuple[Array, Any]], free: Any) -> Array:
        """The same configuration without whole turns of free angles, unless these change the residuals."""
        angles = [v.index for v in self.loops.eq.variables.of("q") if v.is_angle]
        own = np.intersect1d(free, angles).astype(np.intp)
        nearer = x.copy()
        nearer[own] -= 2 * np.pi * np.round((x - start)[own] / (2 * np.pi))
        return nearer if np.allclose(rows(nearer)[0], rows(x)[0], rtol=0, atol=1e-9) else x

    def position_slopes(self, *state: Any) -> Any:
        """∂phi/∂q."""
        J, _ = self.speed(*state)
        order = np.empty(J.shape[1], dtype=np.intp)
        order[self.coordinates] = np.arange(J.shape[1])
        return J[: len(self.loops.eq.phi.entries)][:, order]


def sparse_row_space(J: Any) -> RowSpace:
    """Rank and dependent rows of a sparse matrix."""
    m, count = J.shape[0], min(J.shape[0], VECTORS)
    while True:
        s, V = dependences(J, count)
        rank = m - int(np.count_nonzero(s < DEPENDENT))
        if m - rank < count or count == m:
            sizes = sizes_of_sparse_rows(J)
            return RowSpace(rank, float(s[m - rank]) if rank else 1.0, V[:, : m - rank] / sizes[:, None], sizes)
        count = min(m, 4 * count)


def dependences(J: Any, count: int = VECTORS) -> tuple[Array, Array]:
    """The smallest singular values of J with rows of unit length, relative to an upper bound of the largest, and left singular vectors as
    columns, by inverse iteration with J Jᵀ."""
    normal = NormalMatrix(J, np.arange(J.shape[1]), np.ones(J.shape[1]))
    m = len(normal.sizes)
    factors = sparse_factors(normal.G + LEAST_EIGENVALUE * scipy_sparse().eye(m))
    V = np.random.default_rng(1).normal(size=(m, min(m, count)))
    for _ in range(ITERATIONS):
        V = np.linalg.qr(factors.solve(np.linalg.qr(V)[0]))[0]
    _, s, W = np.linalg.svd(normal.own.T @ V, full_matrices=False)
    largest = np.sqrt(abs(normal.G).sum(axis=1).max())
    return s[::-1] / largest, (V @ W.T)[:, ::-1]

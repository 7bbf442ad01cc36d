"""Expressions of a few variables with exact sparse derivatives, compiled once and evaluated at many nodes at the same
time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

import symbody as sb

Array = np.ndarray[Any, np.dtype[np.float64]]
Indices = np.ndarray[Any, np.dtype[np.intp]]
Nonzeros = tuple[Indices, Indices, list[sb.Expr]]


class NodeFunctions:
    """g(v, a, p): of the unknowns v of a node, with given numbers a for each node and p for all.

    `first` gives values and Jacobian at the same time, `second` the Hessian of μᵀ g in its upper triangle. Both contain
    structural nonzeros only, by elimination of the operations between; `jacobian_places` and `hessian_places` have
    their rows and columns.
    """

    def __init__(
        self,
        unknowns: Sequence[sb.Symbol],
        given: Sequence[sb.Symbol],
        parameters: Sequence[sb.Symbol],
        values: Sequence[Any],
    ) -> None:
        self.unknowns, self.size = tuple(unknowns), len(values)
        self._values = [sb.algebra.as_expr(v) for v in values]
        self._groups = {"v": list(unknowns), "a": list(given), "p": list(parameters)}

    def _program(self, outputs: Mapping[str, Sequence[Any]], **more: Any) -> sb.emit.Program:
        groups = {k: g for k, g in {**self._groups, **more}.items() if g}
        return sb.program("nodes", groups, {k: sb.vector(*e) for k, e in outputs.items() if e})

    @cached_property
    def _jacobian(self) -> Nonzeros:
        with sb.algebra.gc_paused():
            J = sb.algebra.accumulated_jacobian(sb.vector(*self._values), self.unknowns, fewest_first=True)
            return _nonzeros(J, sb.algebra.sparsity(J))

    @cached_property
    def _weights(self) -> list[sb.Symbol]:
        return list(sb.symbols(" ".join(f"mu_of_row_{i}" for i in range(self.size)) + " mu_of_none")[:-1])

    @cached_property
    def _hessian(self) -> Nonzeros:
        with sb.algebra.gc_paused():
            total = sum((w * g for w, g in zip(self._weights, self._values, strict=True)), sb.algebra.as_expr(0))
            H = sb.algebra.accumulated_hessian(total, self.unknowns)
            return _nonzeros(H, [(i, j) for i, j in sb.algebra.sparsity(H) if i <= j])

    @cached_property
    def _alone(self) -> Any:
        return sb.compile(self._program({"values": self._values}), quick=True)

    @cached_property
    def _first(self) -> Any:
        return sb.compile(self._program({"values": self._values, "jacobian": self._jacobian[2]}), quick=True)

    @cached_property
    def _second(self) -> Any:
        return sb.compile(self._program({"hessian": self._hessian[2]}, mu=self._weights), quick=True)

    @property
    def jacobian_places(self) -> tuple[Indices, Indices]:
        return self._jacobian[:2]

    @property
    def hessian_places(self) -> tuple[Indices, Indices]:
        return self._hessian[:2]

    def _given(self, v: Array, a: Array, p: Array) -> list[Array]:
        return [g for g, k in zip((v, a, p), self._groups.values(), strict=True) if k]

    def alone(self, v: Array, a: Array, p: Array, values: Array) -> Callable[[], None]:
        """A function that writes the values of each node, without derivatives."""
        return _batch_again(self._alone, self._given(v, a, p), values)

    def first(self, v: Array, a: Array, p: Array, values: Array, jacobian: Array) -> Callable[[], None]:
        """A function that writes values and nonzeros of the Jacobian of each node."""
        out = (values, jacobian) if self._jacobian[2] else values
        return _batch_again(self._first, self._given(v, a, p), out)

    def second(self, v: Array, a: Array, p: Array, mu: Array, hessian: Array) -> Callable[[], None]:
        """A function that writes nonzeros of the upper triangle of the Hessian of each node, which has some."""
        return _batch_again(self._second, [*self._given(v, a, p), mu], hessian)

    @property
    def operations(self) -> tuple[int, int, int]:
        """Operations of values, Jacobian and Hessian at a node."""
        parts = ({"x": self._values}, {"x": self._jacobian[2]}, {"x": self._hessian[2]})
        made = (self._program(outputs, mu=self._weights) if outputs["x"] else None for outputs in parts)
        return tuple(0 if f is None else int(f.cost.total) for f in made)  # type: ignore[return-value]


def _nonzeros(matrix: sb.Matrix, places: Sequence[tuple[int, int]]) -> Nonzeros:
    rows, columns = np.array(places, dtype=np.intp).reshape(-1, 2).T
    return rows, columns, [matrix[i, j] for i, j in places]


def _batch_again(f: Any, given: Sequence[Array], out: Any) -> Callable[[], None]:
    with sb.algebra.gc_paused():
        run: Callable[[], None] = f.repeated(*given, out=out)
    return run

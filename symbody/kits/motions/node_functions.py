"""Expressions of a few variables with exact sparse derivatives, compiled once and evaluated at many nodes at the same
time."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

import symbody as sb

Array = np.ndarray[Any, np.dtype[np.float64]]
Indices = np.ndarray[Any, np.dtype[np.intp]]


class NodeFunctions:
    """g(v, a, p): of the unknowns v of a node, with given numbers a for each node and p for all. Derivatives contain
    structural nonzeros only; `jacobian_places` and `hessian_places` have their rows and columns.

    The Hessian is that of μᵀ g, in its upper triangle.
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

    def _compiled(self, what: str, outputs: Sequence[Any], **more: Any) -> Any:
        groups = {k: g for k, g in {**self._groups, **more}.items() if g}
        return sb.compile(sb.program(what, groups, {"out": sb.vector(*outputs)}))

    @cached_property
    def _value(self) -> Any:
        return self._compiled("values", self._values)

    @cached_property
    def _jacobian(self) -> tuple[Indices, Indices, Any]:
        J = sb.jacobian(sb.vector(*self._values), self.unknowns)
        filled = sb.algebra.sparsity(J)
        rows, columns = np.array(filled, dtype=np.intp).reshape(-1, 2).T
        return rows, columns, self._compiled("jacobian", [J[i, j] for i, j in filled]) if filled else None

    @cached_property
    def _hessian(self) -> tuple[Indices, Indices, Any]:
        weights = sb.symbols(" ".join(f"mu_of_row_{i}" for i in range(self.size)) + " mu_of_none")[:-1]
        total = sum((w * g for w, g in zip(weights, self._values, strict=True)), sb.algebra.as_expr(0))
        first = sb.gradient(total, self.unknowns)
        H = sb.jacobian(first, self.unknowns)
        filled = [(i, j) for i, j in sb.algebra.sparsity(H) if i <= j]
        rows, columns = np.array(filled, dtype=np.intp).reshape(-1, 2).T
        made = self._compiled("hessian", [H[i, j] for i, j in filled], mu=list(weights)) if filled else None
        return rows, columns, made

    @property
    def jacobian_places(self) -> tuple[Indices, Indices]:
        return self._jacobian[:2]

    @property
    def hessian_places(self) -> tuple[Indices, Indices]:
        return self._hessian[:2]

    def _call(self, f: Any, v: Array, a: Array, p: Array, *more: Array) -> Array:
        if f is None:
            return np.zeros((len(v), 0))
        groups = [g for g, k in zip((v, a, p), self._groups.values(), strict=True) if k]
        out = f.batch(*groups, *more)
        return np.asarray(out).reshape(len(v), -1)

    def values(self, v: Array, a: Array, p: Array) -> Array:
        """A row of values for each node."""
        return self._call(self._value, v, a, p)

    def jacobian(self, v: Array, a: Array, p: Array) -> Array:
        """A row of nonzeros for each node."""
        return self._call(self._jacobian[2], v, a, p)

    def hessian(self, v: Array, a: Array, p: Array, mu: Array) -> Array:
        """A row of nonzeros of the upper triangle for each node."""
        return self._call(self._hessian[2], v, a, p, mu)

    @property
    def operations(self) -> tuple[int, int, int]:
        """Operations of values, Jacobian and Hessian at a node."""
        made = (self._value, self._jacobian[2], self._hessian[2])
        return tuple(0 if f is None else int(f.program.cost.total) for f in made)  # type: ignore[return-value]

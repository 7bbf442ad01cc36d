"""Matrices of a linear system whose numbers are available at once, and whose expressions are derived lazily."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from ...algebra.calculus.derivatives import directional_derivative
from ...algebra.graph.graph import Expr, Symbol, symbol
from ...algebra.graph.late_matrix import LateEntries
from ...algebra.graph.matrix import Matrix
from ...emit.lowering.lower import program
from ...emit.run.callable import Array, compile_program
from .reduced_numbers import COMPLEX_STEP, EliminatedVariables, reduced_arrays

Parts = Mapping[str, Any]  # arrays by the names of the matrices
ROTATION = "turn"  # key of the rotation of axes that move with the motion


class LateSource(Protocol):
    """What matrices are known by in numbers before their expressions are made."""

    @property
    def parameters(self) -> tuple[Symbol, ...]: ...
    @property
    def unknowns(self) -> tuple[Symbol, ...]: ...
    @property
    def made(self) -> Mapping[str, Matrix]: ...
    @property
    def at_nominal(self) -> Parts: ...
    def shape(self, name: str) -> tuple[int, int]: ...
    def numbers(self, p: Array, w: Array) -> Parts: ...
    def derivatives(self, by: Symbol) -> Callable[[Array, Array, Array], Parts]: ...


@dataclass(frozen=True, eq=False)
class LateParts:
    """The matrices of a linear system as a function of parameters and operating point: by `numbers`, from those of the
    first variation; as expressions by `made`.

    variation   matrices by name, of the first variation and the outputs' derivatives
    inputs      number of inputs; their rates and second rates follow them
    nominal     parameters and operating point at which the variation's numbers `known` have been evaluated
    make        expressions of the matrices, by name
    """

    variation: Mapping[str, Matrix]
    elimination: EliminatedVariables
    inputs: int
    parameters: tuple[Symbol, ...]
    unknowns: tuple[Symbol, ...]
    nominal: Mapping[Symbol, float]
    known: Mapping[str, Array]
    make: Callable[[], Mapping[str, Matrix]]

    @cached_property
    def made(self) -> Mapping[str, Matrix]:
        return self.make()

    @cached_property
    def at_nominal(self) -> Parts:
        return self._reduced_parts(self.known)

    def shape(self, name: str) -> tuple[int, int]:
        """Of a matrix."""
        rows, cols = self.at_nominal[name].shape
        return rows, cols

    def numbers(self, p: Array, w: Array) -> Parts:
        """At parameters and an operating point, or at rows of both."""
        here = (*self.parameters, *self.unknowns)
        if p.ndim == 1 and all(self.nominal.get(s) == x for s, x in zip(here, (*p, *w), strict=True)):
            return self.at_nominal
        return self._reduced_parts(self._arrays_of(self._variation, p, w))

    def derivatives(self, by: Symbol) -> Callable[[Array, Array, Array], Parts]:
        """(rows of p, of w, of the rates of w with a parameter) -> how the matrices change with it."""
        rates = {s: symbol(f"slope_{s.name}") for s in self.unknowns}
        slopes = [directional_derivative(m, {by: 1, **rates}) for m in self.variation.values()]
        changes = self._compiled_matrices("variation_derivatives", slopes, list(rates.values()))

        def changed(p: Array, w: Array, moved: Array) -> Parts:
            v, d = self._arrays_of(self._variation, p, w), self._arrays_of(changes, p, w, moved)
            found = self._reduced_parts({k: v[k] + 1j * COMPLEX_STEP * d[k] for k in v})
            return {k: np.imag(m) / COMPLEX_STEP for k, m in found.items()}

        return changed

    @cached_property
    def _variation(self) -> Any:
        return self._compiled_matrices("variation", list(self.variation.values()), ())

    def _compiled_matrices(self, name: str, matrices: Sequence[Matrix], more: Sequence[Symbol]) -> Any:
        groups = {"p": list(self.parameters), "w": list(self.unknowns), "v": list(more)}
        entries = [e for m in matrices for e in m.entries]
        return compile_program(program(name, groups, {"entries": entries}, as_written=True), is_quick=True)

    def _arrays_of(self, function: Any, *groups: Array) -> dict[str, Array]:
        """Arrays by name; many rows are evaluated one after the other, since compiling for batches takes longer."""
        rows = [np.atleast_2d(g) for g in groups]
        none = np.zeros((len(rows[0]), 0))
        flat = np.array([function(*row) for row in zip(*rows, *([none] if len(rows) < 3 else []), strict=True)])
        flat = flat.reshape(len(rows[0]), -1) if groups[0].ndim > 1 else flat.reshape(-1)
        out, at = {}, 0
        for name, m in self.variation.items():
            out[name] = flat[..., at : at + m.rows * m.cols].reshape(*flat.shape[:-1], m.rows, m.cols)
            at += m.rows * m.cols
        return out

    def _reduced_parts(self, v: Mapping[str, Array]) -> Parts:
        found, e, k = reduced_arrays(v, self.elimination), self.elimination, self.inputs
        if ROTATION in v:  # variations in axes that move with the motion: E ξ' = (A - E DY) ξ
            rows, n = [*e.q, *(v["rates_q"].shape[-2] + j for j in e.u)], v[ROTATION].shape[-1]
            turn = np.zeros_like(found["T"][..., : found["E"].shape[-1], :]), np.zeros_like(found["B"])
            turn[0][..., : len(rows), :] = v[ROTATION][..., rows, :] @ found["T"][..., :n, :]
            turn[1][..., : len(rows), :] = v[ROTATION][..., rows, :] @ found["Tr"][..., :n, :]
            found["A"], found["B"] = found["A"] - found["E"] @ turn[0], found["B"] - found["E"] @ turn[1]
        split = {f"{m}{i or ''}": found[m][..., k * i : k * i + k] for m in ("B", "D", "Tr") for i in range(3)}
        return {**found, **split}


class LateMatrix(LateEntries):
    """A matrix of a `LateSource`: its numbers are computed from theirs, its entries are derived when first requested."""

    __slots__ = ("numbers", "source")

    def __init__(
        self, shape: tuple[int, int], source: LateSource, numbers: Callable[[Parts], Array], made: Callable[[], Iterable[Expr]]
    ) -> None:  # fmt: skip
        super().__init__(*shape, made)
        self.source, self.numbers = source, numbers

    @classmethod
    def part(cls, source: LateSource, name: str) -> LateMatrix:
        return cls(source.shape(name), source, lambda parts: parts[name], lambda: source.made[name].entries)

    @property
    def nominal(self) -> Array:
        """Its numbers at the operating point that was found."""
        return self.numbers(self.source.at_nominal)

    def picked(self, rows: Sequence[int], cols: Sequence[int]) -> LateMatrix:
        i, j = list(rows), list(cols)
        return LateMatrix(
            (len(i), len(j)),
            self.source,
            lambda parts: self.numbers(parts)[..., i, :][..., j],
            lambda: (self[a, b] for a in i for b in j),
        )

    def plain(self) -> Matrix:
        return Matrix(self.rows, self.cols, self.entries)


def late_source(matrices: Iterable[Matrix]) -> LateSource | None:
    """What some matrices are known by, where all of them are late and of one source."""
    sources = {m.source if isinstance(m, LateMatrix) else None for m in matrices}
    return next(iter(sources)) if len(sources) == 1 else None

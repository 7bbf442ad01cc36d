"""The matrices of a linear system as arrays, and the first-order equations before the elimination of dependent
variables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

from ...algebra.graph.matrix import Matrix, zeros
from ...emit.run.callable import Array
from .first_variation import Variation

PARTS = ("E", "A", "B", "C", "D", "B1", "B2", "D1", "D2")
OF_INPUTS = ("B", "B1", "B2", "D", "D1", "D2")
OF_RATES = ("B1", "B2", "D1", "D2", "Tr", "Tr1")
RECOVERY = ("T", "Tr", "Tr1")
NO_RATES = zeros(0, 0)


class SystemMatrices(NamedTuple):
    """The matrices of a linear system as arrays; with one more dimension in front where there are many parameter
    sets."""

    E: Array
    A: Array
    B: Array
    C: Array
    D: Array
    B1: Array
    B2: Array
    D1: Array
    D2: Array

    def b_at(self, s: Any) -> Any:
        """B + s B1 + s² B2."""
        return self.B + s * self.B1 + s**2 * self.B2

    def d_at(self, s: Any) -> Any:
        """D + s D1 + s² D2."""
        return self.D + s * self.D1 + s**2 * self.D2


@dataclass(frozen=True)
class FullSystem:
    """The system before reduction: names of all variables, the first-order equations in them, and the independent
    ones."""

    q: tuple[str, ...]
    u: tuple[str, ...]
    z: tuple[str, ...]
    lam: tuple[str, ...]
    variation: Variation
    kept: tuple[tuple[int, ...], tuple[int, ...]]  # numbers of the independent coordinates and speeds

    @property
    def names(self) -> tuple[str, ...]:
        """Of the columns of the pencil in all variables."""
        return (*self.q, *self.u, *(f"rate of {u}" for u in self.u), *self.z, *self.lam)

    @property
    def names_of_squares(self) -> tuple[str, ...]:
        """Of the columns of the pencil of ω²."""
        return (*self.q, *self.lam)

    def mapped(self, change: Callable[[list[Matrix]], list[Matrix]]) -> FullSystem:
        """The system with changed matrices."""
        return replace(self, variation=self.variation.mapped(change))


class LateFullSystem(FullSystem):
    """A system without constraints, whose variation is derived when first used."""

    def __init__(self, q: tuple[str, ...], u: tuple[str, ...], make: Callable[[], Variation]) -> None:
        kept = tuple(range(len(q))), tuple(range(len(u)))
        vars(self).update(q=q, u=u, z=(), lam=(), kept=kept, make=make)

    @cached_property
    def variation(self) -> Variation:
        made: Variation = vars(self)["make"]()
        return made

    def mapped(self, change: Callable[[list[Matrix]], list[Matrix]]) -> FullSystem:
        return LateFullSystem(self.q, self.u, lambda: self.variation.mapped(change))

    def __reduce__(self) -> tuple[Any, ...]:
        return FullSystem, (self.q, self.u, self.z, self.lam, self.variation, self.kept)


def matrices_from_entries(flat: Array, shapes: Sequence[tuple[int, int]]) -> list[Array]:
    """Matrices from their entries one after the other, along the last dimension."""
    out, at = [], 0
    for rows, cols in shapes:
        out.append(flat[..., at : at + rows * cols].reshape(*flat.shape[:-1], rows, cols))
        at += rows * cols
    return out

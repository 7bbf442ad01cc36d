"""How a load was made: a function of points, frames, vectors and numbers, which can be applied to others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from ..frames.frames import Frame


@dataclass(frozen=True, eq=False)
class LoadRecipe:
    """A load whose forces depend on where some points are and how they move.

    make            a function of a name and of `arguments`, that returns a load
    arguments       points, frames, vectors, expressions, None
    on              frames on which it acts, among the arguments
    has_potential   whether it has a potential energy
    """

    make: Callable[..., Any]
    arguments: tuple[Any, ...]
    on: tuple[Frame, ...]
    has_potential: bool = False

    def load(self, arguments: tuple[Any, ...] | None = None) -> Any:
        """The load, with all forces as expressions, or that of other arguments."""
        return self.make("load", *(self.arguments if arguments is None else arguments))

    def copied(self, copy: Callable[[Any], Any]) -> LoadRecipe:
        """For a copy of the model."""
        return replace(self, arguments=tuple(map(copy, self.arguments)), on=copy(self.on))

"""How a load was made: a function of points, frames, vectors and numbers, which can be applied to others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, eq=False)
class LoadRecipe:
    """A load whose forces depend on where some points are and how they move.

    make        a function of a name and of `arguments`, that returns a load or several
    arguments   points, frames, vectors, expressions, None
    number      of the load among several
    """

    make: Callable[..., Any]
    arguments: tuple[Any, ...]
    number: int = 0

    def load(self, arguments: tuple[Any, ...]) -> Any:
        """The load of other arguments."""
        made = self.make("load", *arguments)
        return made[self.number] if isinstance(made, list) else made

    def copied(self, copy: Callable[[Any], Any]) -> LoadRecipe:
        """For a copy of the model."""
        return LoadRecipe(self.make, tuple(map(copy, self.arguments)), self.number)

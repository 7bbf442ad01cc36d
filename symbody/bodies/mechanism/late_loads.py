"""Loads whose forces are made from a recipe on first use: as expressions in coordinates they grow with all joints on the way
between their points."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, Final

from ...algebra.graph.graph import Expr, Symbol
from ..frames.frames import Frame
from .mechanism import Action, Load
from .recipes import LoadRecipe

NEAR: Final = 12  # frames between two others, up to which forces are made at once

_MADE: Final = ("actions", "potential")


class LateLoad(Load):
    """A load by its recipe. The number of operations of actions and potential is in proportion to the frames between its points,
    and loops over equal links need neither."""

    recipe: LoadRecipe

    def __init__(
        self,
        name: str,
        kind: str,
        actions: tuple[Action, ...] | None = None,
        potential: Expr | None = None,
        on_rates: Mapping[Symbol, Expr] | None = None,
        by_body: Mapping[str, Expr] | None = None,
        *,
        recipe: LoadRecipe,
        remark: str = "",
        element: Any = None,
    ) -> None:
        """`actions` and `potential` where they are known."""
        super().__init__(
            name, kind, actions or (), potential, on_rates or {}, by_body or {}, remark=remark, element=element, recipe=recipe,
        )  # fmt: skip
        for key in _MADE if actions is None else ():
            del self.__dict__[key]

    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in vars(self).items() if k not in (*_MADE, "_made")}

    @cached_property
    def _made(self) -> Load:
        made: Load = self.recipe.load()
        return made

    @cached_property
    def actions(self) -> tuple[Action, ...]:
        """Forces and torques, each with its reaction."""
        return self._made.actions

    @cached_property
    def potential(self) -> Expr | None:
        """The potential energy of the actions."""
        return self._made.potential

    @property
    def frames(self) -> tuple[Frame, ...]:
        return self.recipe.on

    @property
    def has_potential(self) -> bool:
        return self.recipe.has_potential

    @property
    def written(self) -> tuple[Any, ...]:
        return tuple(x for x in self.recipe.arguments if x is not None)

    def copied_as(self, name: str, copy: Callable[[Any], Any]) -> Load:
        return LateLoad(name, self.kind, recipe=self.recipe.copied(copy), remark=self.remark)


def late_load(name: str, kind: str, recipe: LoadRecipe, between: tuple[Frame, Frame], remark: str = "") -> Load:
    """A load of which what is wrong is found at once: its forces are made here where two frames are near each other, or not
    connected."""
    load = LateLoad(name, kind, recipe=recipe, remark=remark)
    if not _are_far(*between):
        load.actions  # noqa: B018  (an error is raised where the load is described)
    return load


def _are_far(a: Frame, b: Frame) -> bool:
    """Whether two frames of one tree have more than a few frames between them."""
    if a.root is not b.root:
        return False
    if abs(a.depth - b.depth) > NEAR:
        return True
    for _ in range(NEAR):
        if a is b:
            return False
        if a.depth < b.depth:
            a, b = b, a
        assert a.parent is not None
        a = a.parent
    return a is not b

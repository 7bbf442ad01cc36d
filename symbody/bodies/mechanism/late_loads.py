"""Loads whose forces are made from a recipe on first use: as expressions in coordinates they grow with all joints on the way
between their points."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, Final

from ...algebra.graph.graph import Expr
from ..frames.frames import Frame
from .mechanism import Action, Load
from .recipes import LoadRecipe

NEAR: Final = 12  # frames between two others, up to which forces are made at once

_MADE: Final = ("actions", "potential")


class LateLoad(Load):
    """A load by its recipe. The number of operations of actions and potential is in proportion to the frames between its points,
    and loops over equal links need neither."""

    recipe: LoadRecipe

    def __new__(cls, *args: Any, **given: Any) -> Any:
        """A load without recipe where actions are given, as by `dataclasses.replace`: they may be others."""
        return Load(**given) if "actions" in given else super().__new__(cls)

    def __init__(self, name: str, kind: str, recipe: LoadRecipe, remark: str = "") -> None:
        super().__init__(name, kind, remark=remark)
        object.__setattr__(self, "recipe", recipe)
        for key in _MADE:
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
        return LateLoad(name, self.kind, self.recipe.copied(copy), self.remark)


def late_load(name: str, kind: str, recipe: LoadRecipe, between: tuple[Frame, Frame], remark: str = "") -> Load:
    """A load whose wrong input is refused where it is described: its forces are made at once if two frames are near each other
    or not connected."""
    load: Load = LateLoad(name, kind, recipe, remark)
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

"""Points of a curve as they are found: with a line that says how far it is, and kept where Ctrl-C ends it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from enum import Enum
from typing import TypeVar

from ...integrate.run.run import Progress

P = TypeVar("P")
E = TypeVar("E", bound=Enum)


def gathered(items: Iterable[P | E], interrupted: E, name: str, said: Callable[[int, P], str]) -> tuple[list[P], E]:
    """The points up to the end, which is the last of the items; Ctrl-C is an end as well, from which one can go on.

    said    the number of points and the last of them, in words
    """
    found: list[P] = []
    progress = Progress(None, 0.0, name)
    end = interrupted
    with suppress(KeyboardInterrupt):
        for item in items:
            if isinstance(item, type(interrupted)):
                end = item
                break
            found.append(item)  # type: ignore[arg-type]
            progress.say(lambda: said(len(found), found[-1]))
    progress.done()
    return found, end

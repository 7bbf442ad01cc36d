"""Collection of the points of a curve while it is computed: with a progress line, and kept when Ctrl-C ends it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum
from typing import TypeVar

from ...interruption import note_interruption
from ...progress import Progress

P = TypeVar("P")
E = TypeVar("E", bound=Enum)


def collected_points(
    items: Iterable[P | E], interrupted: E, name: str, said: Callable[[int, P], str]
) -> tuple[list[P], E]:
    """The points up to the end, which is the last of the items; Ctrl-C is an end as well, from which a run can be
    continued.

    said    progress text from the number of points and the last of them
    """
    found: list[P] = []
    progress = Progress(None, 0.0, name)
    end = interrupted
    try:
        for item in items:
            if isinstance(item, type(interrupted)):
                end = item
                break
            found.append(item)  # type: ignore[arg-type]
            progress.say(lambda: said(len(found), found[-1]))
    except KeyboardInterrupt:
        note_interruption()
    progress.done()
    return found, end

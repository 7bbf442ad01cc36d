"""Frames in which points and vectors are written, and those on the way to the ground."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile
from typing import Any

from ..frames.frames import Frame
from ..frames.points import Point
from ..frames.vectors import Vector


def frames_of(things: Iterable[Any]) -> list[Frame]:
    """Frames among some things, and those of points and vectors, each once."""
    found: dict[Frame, None] = {}
    for x in things:
        if isinstance(x, Frame):
            found[x] = None
        elif isinstance(x, Point):
            found[x.frame] = None
        elif isinstance(x, Vector):
            found.update(dict.fromkeys(x.terms))
    return list(found)


def with_ways(frames: set[Frame], ends: Iterable[Frame]) -> set[Frame]:
    """Some frames and others, with all on the way from these to the first that is known."""
    found = set(frames)
    for end in ends:
        found.update(takewhile(lambda f: f not in found, end.ancestors()))
    return found

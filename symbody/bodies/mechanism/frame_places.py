"""Places: which frame a body, a frame or a point means where something is to stand. All calls read them here."""

from __future__ import annotations

from typing import Any

from ...algebra.graph.graph import ZERO
from ...algebra.graph.matrix import Matrix
from ...algebra.graph.walk import free_symbols
from ...argument_kinds import answered
from ...errors import ModelError, shown
from ..frames.frames import Frame, three
from ..frames.points import Point
from .mechanism import Body


@answered
def frame_at(place: Any, where: str = "frame_at") -> Frame:
    """The frame at a place: the frame of a body, or for a point a frame with its origin there and the axes of the
    point's frame.

    where   the beginning of the error message if `place` is of another type

    >>> m = sb.Model("arm")
    >>> arm = m.body("arm", m.ground.rotate("z", m.coordinate("q")), mass=1)
    >>> sb.bodies.frame_at(arm) is arm.frame
    True
    >>> sb.bodies.frame_at(arm.point(2, 0, 0)).origin.in_ground
    vector(2*cos(q), 2*sin(q), 0)

    See also: `Frame.translate`, `Point`, `Frame.point`.
    """
    if isinstance(place, Point):
        is_origin = all(e is ZERO for e in place.coordinates.entries)
        return place.frame if is_origin else Frame(place.frame, offset=place.coordinates)
    frame = place.frame if isinstance(place, Body) else place
    if not isinstance(frame, Frame):
        raise ModelError(f"{where}: expected a body, a frame or a point, got {shown(place)}")
    return frame


def frame_and_coordinates(where: str, on: Any, at: Any) -> tuple[Frame, Matrix]:
    """A frame and coordinates in it: the place `at` on a body or frame, or as seen from a point."""
    if not isinstance(on, Point) or moves_in_frame(on):
        frame = frame_at(on, where)
        return frame, coordinates_on(frame, at, f"{where}, at=")
    return on.frame, on.coordinates + coordinates_on(on.frame, at, f"{where}, at=")


def coordinates_on(frame: Frame, at: Any, where: str) -> Matrix:
    """Three coordinates in a frame, or those of a point that is fixed to what the frame is fixed to. A point of
    another part is refused: what is placed there would not move with its own part."""
    if not isinstance(at, Point):
        return three(at, where)
    if not _is_fixed_in(at.frame, frame):
        raise ModelError(
            f"{where} {shown(at)} is a point of {at.frame.name}, which moves relative to {frame.name}; give three "
            f"coordinates, or a point of {frame.name}"
        )
    return at.in_frame(frame).coordinates


def moves_in_frame(point: Point) -> bool:
    """Whether a point moves in its frame."""
    return _moves(point.coordinates)


def _is_fixed_in(frame: Frame, other: Frame) -> bool:
    if frame is other:
        return True
    pose = frame.pose_in(other)
    return not _moves(pose.offset) and not _moves(pose.rotation.matrix)


def _moves(m: Matrix) -> bool:
    return any(s.kind != "parameter" for s in free_symbols(m))

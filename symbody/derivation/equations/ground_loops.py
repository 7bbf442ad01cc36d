"""Closing conditions of loops in the axes of the ground, as books write them: a cos A + b cos(A + B) = d + c cos D.

Equations are derived with these conditions in the axes of the joint that closes the loop, where they take fewest
operations. All components of one vector are zero in every frame at once, so that readers may have them in another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...algebra.graph.graph import ONE, ZERO, Expr
from ...algebra.graph.matrix import Matrix
from ...algebra.normal_forms.tidy import tidy
from ...bodies.frames.frames import Frame

if TYPE_CHECKING:
    from .equations import Equations


def position_constraints(eq: Equations) -> list[Expr]:
    """phi, with the components of gaps in joints that close loops taken along the axes of the ground."""
    found = dict(zip((row.name for row in eq.rows.positions), eq.phi.entries, strict=False))
    for joint in eq.mechanism.joints:
        rows = {axis: f"{joint.name}.{axis}" for axis in "xyz" if f"{joint.name}.{axis}" in found}
        if not joint.closes_loop or not _may_be_turned("".join(rows), joint.outer):
            continue
        gap = joint.inner.origin.in_ground - joint.outer.origin.in_ground
        found |= {row: gap["xyz".index(axis)] for axis, row in rows.items()}
    return list(found.values())


def _may_be_turned(axes: str, frame: Frame) -> bool:
    """Whether these components are zero in the ground where they are in a frame: all three, or x and y where the frame
    turns about z."""
    return axes == "xyz" or (axes == "xy" and list(tidy(_axis(frame)).entries) == [ZERO, ZERO, ONE])


def _axis(frame: Frame) -> Matrix:
    """The z axis of a frame, along the axes of the ground."""
    return (frame.point(0, 0, 1).in_ground) - frame.origin.in_ground

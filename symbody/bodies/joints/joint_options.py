"""Options of joints: their names, types and meanings, for every method that makes one and for model files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypedDict

from ...options import including


class JointPlacement(TypedDict, total=False):
    """Position of the joint, and orientation of the child when the coordinates are zero:

    at, on        a point of the parent, a point of the child, or three numbers in their frames; by default the origins
    orientation   of the child at rest, if it differs from that of the parent: rotations such as ("z", angle) or ("zxz",
                  a, b, c), a frame's rotation, or a 3 by 3 matrix of direction cosines
    vectors       instead of axis and orientation: axis in the child, axis in the parent, and a vector perpendicular
                  to it in each, which coincide at rest (Lynch, appendix A)
    """

    at: Any
    on: Any
    orientation: Any
    vectors: Sequence[Any] | None


class JointLoads(TypedDict, total=False):
    """Loads on each coordinate q of the joint. A joint with several coordinates takes one value for each, (k1, k2,
    k3), or some by name, {"name_x": k}; one value applies to all if they are all lengths or all angles:

    damping, stiffness, rest, actuation   the force -stiffness (q - rest) - damping q' + actuation on q: a positive
                                          actuation increases q
    friction                              (force, speed): smooth Coulomb friction -force tanh(q' / speed)
    limits                                (low, high, stiffness[, damping]): elastic stops, which push by stiffness times
                                          the penetration, plus damping times its rate while it grows
    """

    damping: Any
    stiffness: Any
    rest: Any
    actuation: Any
    friction: Any
    limits: Any


@including(JointPlacement, JointLoads)
class JointOptions(JointPlacement, JointLoads, total=False):
    """Names:

    coordinates   names, symbols or expressions for the motion; by default named after the joint
    speeds        names for the rates of the coordinates, "u1 u2"; by default the rates keep their names, q.dot
    """

    coordinates: Any
    speeds: Any

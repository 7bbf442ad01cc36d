"""Mechanisms by their hardpoints: coordinates of the whole vehicle in its design position, for both sides of a joint.

In the design position all joint coordinates are zero, and the axes of all bodies are parallel to those of the vehicle;
so the coordinates of a point in a body are its position less that of the body's origin, and directions are the same in
all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import symbody as sb

from ....argument_kinds import answered_class
from ....errors import ModelError, listed


@answered_class
class Hardpoints:
    """Parts of a model with the places of their origins in the design position.

    vehicle   body or frame whose axes are those of the hardpoints, and whose origin is theirs: the ground by default
    """

    def __init__(self, model: sb.Model, vehicle: Any = None) -> None:
        self.model = model
        vehicle = model.ground if vehicle is None else vehicle
        self._origins: dict[int, tuple[Any, sb.Matrix]] = {}
        self.add(vehicle, (0, 0, 0))

    def add(self, part: Any, at: Sequence[Any]) -> Any:
        """A body or frame that is there already, with the place of its origin."""
        self._origins[id(part)] = (part, sb.vector(*at))
        return part

    @sb.bodies.all_or_nothing
    def body(self, name: str, at: Sequence[Any], **properties: Any) -> sb.Body:
        """A body with its origin at a place; the mass centre is there too, or at `com=`, a place as well."""
        if "com" in properties:
            properties["com"] = (sb.vector(*properties["com"]) - sb.vector(*at)).entries
        return self.add(self.model.body(name, **properties), at)

    def coordinates(self, part: Any, at: Sequence[Any]) -> sb.Matrix:
        """Coordinates in a part of what is at a place in the design position."""
        if id(part) not in self._origins:
            known = listed(getattr(p, "name", "ground") for p, _ in self._origins.values())
            raise ModelError(
                f"hardpoints: the position of {getattr(part, 'name', part)!r} is not known; known positions are those of {known}. Use add(part, at)"
            )
        return sb.vector(*at) - self._origins[id(part)][1]

    def point(self, part: Any, at: Sequence[Any]) -> sb.Point:
        """The point of a part that is at a place in the design position."""
        frame = sb.bodies.frame_at(part)
        return frame.point(*self.coordinates(part, at).entries)

    def joint(self, name: str, parent: Any, child: Any, kind: str, at: Sequence[Any], **options: Any) -> Any:
        """A joint of any kind at a place; axes are directions of the vehicle. Where both sides are placed it closes a
        loop."""
        on = self.coordinates(child, at).entries
        return self.model.joint(name, parent, child, kind, at=self.coordinates(parent, at).entries, on=on, **options)

    def hinge(self, name: str, parent: Any, child: Any, a: Sequence[Any], b: Sequence[Any], **options: Any) -> Any:
        """A revolute joint about the line from a to b."""
        axis = (sb.vector(*b) - sb.vector(*a)).entries
        return self.joint(name, parent, child, "revolute", a, axis=axis, **options)

    def ball(self, name: str, parent: Any, child: Any, at: Sequence[Any], **options: Any) -> Any:
        """A spherical joint."""
        return self.joint(name, parent, child, "spherical", at, **options)

    def slider(self, name: str, parent: Any, child: Any, at: Sequence[Any], axis: Any, **options: Any) -> Any:
        """A prismatic joint along a direction, such as a rack: `coordinates=[ratio * steer]` drives it."""
        return self.joint(name, parent, child, "prismatic", at, axis=axis, **options)

    def rod(self, name: str, parent: Any, child: Any, a: Sequence[Any], b: Sequence[Any]) -> str:
        """A rod without mass from a on the parent to b on the child, on ball joints: their distance L stays.

        (|b - a|² - L²) / (2 L) = 0
        """
        length = sb.sqrt(sb.dot(sb.vector(*b) - sb.vector(*a), sb.vector(*b) - sb.vector(*a)))
        gap = self.point(child, b) - self.point(parent, a)
        return self.model.constrain(name, (gap.dot(gap) - length * length) / (2 * length))

    def spring(self, name: str, parent: Any, child: Any, a: Sequence[Any], b: Sequence[Any], **options: Any) -> Any:
        """A spring and damper between two places; `rest=` is its length in the design position where it is not given
        and nothing of `preload=`, the force that pushes them apart there."""
        between = sb.vector(*b) - sb.vector(*a)
        length, preload = sb.sqrt(sb.dot(between, between)), options.pop("preload", 0)
        options.setdefault("rest", length)
        return self.model.spring(
            name, self.point(parent, a), self.point(child, b), parent=parent, child=child, actuation=preload, **options
        )

"""Joints of a model file."""

from __future__ import annotations

import re
from typing import Any, Final

from ...algebra.graph.names import stem_and_order
from ...errors import unknown
from ...escaping import identifier
from ..frames.frames import Frame
from ..frames.points import Point
from ..frames.rotations import Rotation, from_cosines
from ..joints.joints import KINDS, JointGeometry, coordinate_endings
from ..mechanism.mechanism import Joint
from .body_items import rotation_of
from .load_items import LOADS, joint_loads
from .located import LocatedList, LocatedRecord, LocatedText
from .scope import Item, Scope, mentioned_names

NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")


def child_of(said: LocatedRecord) -> str | None:
    """The name of the side that a joint places."""
    if said.kind not in KINDS:
        return None
    sides = said.get(said.kind)
    return sides.items[1].text if isinstance(sides, LocatedList) else sides.text


def new_coordinates(s: Scope, item: Item) -> list[str]:
    """Coordinates and speeds that a joint declares: those it is named after, or the names given that are not known."""
    said: LocatedRecord = item.content
    base, known = identifier(item.name), s.model.symbols
    if said.kind not in KINDS:
        return []
    if (given := said.get("coordinates")) is not None:
        names = [f.text for f in (given if isinstance(given, LocatedList) else [given])]
        return [n for n in names if NAME.fullmatch(n) and n not in known and n not in s.parts]
    if _is_by_euler_parameters(said):
        place = ("_x", "_y", "_z") if said.kind == "free" else ()
        return [base + end for end in (*place, "_e0", "_e1", "_e2", "_e3", "_wx", "_wy", "_wz")]
    return [base + end for end in _endings(said) if base + end not in known]


def _endings(said: LocatedRecord) -> tuple[str, ...]:
    """Endings of the names of a joint's coordinates, which may depend on its axis: a letter, or three numbers."""
    kind, axis = KINDS[said.kind], said.get("axis")
    if axis is None:
        return coordinate_endings(kind, JointGeometry(kind.axis))
    if not isinstance(axis, LocatedList):
        return coordinate_endings(kind, JointGeometry(axis.text))
    numbers = [f.text.strip() for f in axis]
    letter = {("1", "0", "0"): "x", ("0", "1", "0"): "y", ("0", "0", "1"): "z"}.get(tuple(numbers))
    return coordinate_endings(kind, JointGeometry(letter or (1, 1, 1)))


def _is_by_euler_parameters(said: LocatedRecord) -> bool:
    return "sequence" in said and said.get("sequence").text.replace("_", " ").lower() == "euler parameters"


def add_joint(s: Scope, item: Item) -> None:
    said: LocatedRecord = item.content
    if item.name in s.model.joints:
        raise item.error("an attached part has a joint of this name; rename one")
    match said.kind:
        case "rolling":
            s.contacts[item.name] = _rolling(s, item, said)
        case "gear":
            first, second = (_gear_end(s, x) for x in said.get("gear"))
            s.model.gear(item.name, first, second, s.scalar(said.get("ratio")))
        case "record":
            _record(s, item, said)
        case _:
            sides = said.get(said.kind)
            parent, child = (
                (s.part(x) for x in sides) if isinstance(sides, LocatedList) else (s.model.ground, s.part(sides))
            )
            if parent is child:
                raise sides.error(f"joint {item.name!r}: {sides.items[0].text!r} cannot be joined to itself")
            _declare_what_loads_mention(s, item)
            s.model.joint(item.name, parent, child, said.kind, **_options(s, item, said))


def _declare_what_loads_mention(s: Scope, item: Item) -> None:
    """Loads of a joint may depend on its own coordinates, which are then declared before it is made."""
    own = [] if _is_by_euler_parameters(item.content) else new_coordinates(s, item)
    said = [item.content.get(k) for k in LOADS if k in item.content]
    if any(stem_and_order(name)[0] in own for x in said for name, _ in mentioned_names(x)):
        for name in own:
            s.model.coordinate(name)


def _options(s: Scope, item: Item, said: LocatedRecord) -> dict[str, Any]:
    how: dict[str, Any] = {k: s.place(said.get(k)) for k in ("at", "on") if k in said}
    if "axis" in said:
        how["axis"] = s.axis(said.get("axis"))
    how |= {k: tuple(s.axis(a) for a in said.get(k)) for k in ("axes", "vectors") if k in said}
    if "sequence" in said:
        how["sequence"] = said.get("sequence").text
    if "orientation" in said:
        how["orientation"] = _orientation(s, said.get("orientation"))
    if "pitch" in said:
        how["pitch"] = s.scalar(said.get("pitch"))
    if (coordinates := _coordinates(s, item, said)) is not None:
        how["coordinates"] = coordinates
    return how | joint_loads(s, said)


def _orientation(s: Scope, said: LocatedList) -> Rotation:
    rows = [isinstance(r, LocatedList) for r in said]
    if not any(rows):
        return rotation_of(s, said)
    if not all(rows) or len(rows) != 3:
        raise said.error("an orientation is a 3 by 3 matrix, or turns such as [{z: a}]")
    return from_cosines(s.matrix(said), "orientation")


def _coordinates(s: Scope, item: Item, said: LocatedRecord) -> list[Any] | None:
    """Coordinates given for a joint: new names, symbols or expressions, or those declared under `coordinates`; None for
    its default names."""
    if (given := said.get("coordinates")) is not None:
        new = set(new_coordinates(s, item))
        return [
            f.text if f.text in new else s.scalar(f) for f in (given if isinstance(given, LocatedList) else [given])
        ]
    if _is_by_euler_parameters(said):
        return None
    known = [s.model.symbols.get(identifier(item.name) + end) for end in _endings(said)]
    is_listed = bool(known) and all(
        q is not None and q.kind == "coordinate" and q not in s.model.parts.driven for q in known
    )
    return known if is_listed else None


def _gear_end(s: Scope, said: LocatedText) -> Any:
    """A joint by name, or a coordinate."""
    if said.text in s.model.joints:
        return said.text
    found = s.model.symbols.get(said.text)
    if found is None or found.kind != "coordinate":
        known = [*s.model.joints, *(q.name for q in s.model.symbols_of_kind("coordinate"))]
        raise said.error(str(unknown("gear", "joint or coordinate", said.text, known)))
    return found


def _rolling(s: Scope, item: Item, said: LocatedRecord) -> Point:
    how: dict[str, Any] = {"up": said.get("up").text} if "up" in said else {}
    if "axis" in said:
        how["axis"] = s.axis(said.get("axis"))
    if "centre" in said:
        how["centre"] = tuple(s.scalars(said.get("centre")))
    if "tube" in said:
        how["tube"] = s.scalar(said.get("tube"))
    if "plane" in said:
        how["plane"] = s.frame_of(said.get("plane"))
    if "contact" in said:
        how["contact"] = s.point(said.get("contact"))
    wheel = s.part(said.get("rolling"))
    if isinstance(wheel, Frame):
        raise said.get("rolling").error(f"a wheel is a body; {said.get('rolling').text!r} is a frame")
    return s.model.rolling(item.name, wheel, s.scalar(said.get("radius")), slip=said.get("slip") is True, **how)


def _record(s: Scope, item: Item, said: LocatedRecord) -> None:
    """A joint whose frames and constraints are defined by other items."""
    outer, inner = s.frame_of(said.get("outer")), s.frame_of(said.get("inner"))
    coordinates = tuple(s.coordinate(c) for c in said.get("coordinates") or ())
    m, kind = s.model, said.get("record").text
    closes = said.get("closes_loop") is True
    m.parts.add_joint(
        Joint(item.name, kind, outer, inner, m.parts.owner(outer), m.parts.owner(inner), coordinates, closes)
    )

"""The motion of a joint in a tree: its coordinates and speeds, and the frame that they move."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...algebra.graph.graph import Expr, Symbol, as_expr
from ...algebra.graph.matrix import vector
from ...errors import ModelError, shown, with_article
from ...escaping import identifier
from ..frames.frames import Frame
from ..frames.rotations import euler_parameter_rates, from_euler_parameters
from ..joints.joints import JointGeometry, JointKind, coordinate_endings, sequence_axes

if TYPE_CHECKING:
    from .parts import Parts


def moved_frame(
    parts: Parts, kind: JointKind, name: str, outer: Frame, o: JointGeometry, given: Any
) -> tuple[Frame, tuple[Symbol, ...]]:
    """The frame after the motion of a joint on `outer`, and the coordinates that move it: new ones, or those given."""
    if o.sequence.replace("_", " ").lower() == "euler parameters" and kind.name in ("spherical", "free"):
        return _moved_by_euler_parameters(parts, kind.name, name, outer, given)
    if kind.name in ("spherical", "free"):
        sequence_axes(o.sequence)
    q = _motion_coordinates(parts, name, [identifier(name) + s for s in coordinate_endings(kind, o)], given)
    return kind.move(outer, q, o, identifier(name)), parts.joint_coordinates(name, q)


def _moved_by_euler_parameters(
    parts: Parts, kind: str, name: str, outer: Frame, given: Any
) -> tuple[Frame, tuple[Symbol, ...]]:
    """Euler parameters as coordinates, components of the angular velocity in the child as speeds."""
    base = identifier(name)
    if given is not None:
        raise ModelError(f"joint {name!r}: Euler parameters name their coordinates themselves ({base}_e0 to {base}_e3)")
    place = [parts.declare(f"{base}_{k}", "coordinate") for k in "xyz"] if kind == "free" else []
    e = tuple(parts.declare(f"{base}_e{k}", "coordinate") for k in range(4))
    w = tuple(parts.declare(f"{base}_w{k}", "speed") for k in "xyz")
    parts.add_kinematics(rates=list(zip(e, euler_parameter_rates(e, w), strict=True)), norms=[e])
    frame = Frame(outer, offset=vector(*place), name=f"{base}.slide") if place else outer
    return Frame(frame, from_euler_parameters(e, vector(*w)), name=base), parts.joint_coordinates(name, (*place, *e))


def _motion_coordinates(parts: Parts, name: str, defaults: Sequence[str], given: Any) -> list[Expr]:
    if given is None:
        for n in defaults:
            _refuse_taken(parts, name, n)
        return [parts.declare(n, "coordinate") for n in defaults]
    items = (
        given.replace(",", " ").split()
        if isinstance(given, str)
        else list(given)
        if isinstance(given, (list, tuple))
        else [given]
    )
    if len(items) != len(defaults):
        raise ModelError(f"joint {name!r} needs {len(defaults)} coordinates, got {len(items)}: {shown(given)}")
    return [
        _declared_or_new(parts, i) if isinstance(i, str) else parts.checked(f"joint {name!r}", as_expr(i))
        for i in items
    ]


def _refuse_taken(parts: Parts, joint: str, coordinate: str) -> None:
    """Joints name their coordinates after themselves, and symbols of all kinds share one space of names."""
    taken = parts.symbols.get(coordinate)
    if taken is not None and taken.kind != "time":
        raise ModelError(
            f"joint {joint!r}: its coordinate would be called {coordinate!r}, and there is {with_article(taken.kind)} of this name; "
            f"give the joint another name, or its coordinate, coordinates={coordinate + '_1'!r}"
        )


def _declared_or_new(parts: Parts, name: str) -> Symbol:
    known = parts.symbols.get(name)
    return known if known is not None and known.kind == "coordinate" else parts.declare(name, "coordinate")

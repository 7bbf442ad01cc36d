"""Joints: the motion that each allows, and the constraints by which each closes a loop.

In a tree a joint is a chain of frames from `outer` (fixed to the parent) to `inner` (fixed to the child), moved by
coordinates. If both sides have a pose already, the joint closes a loop by the three basic constraints of Tuomela and
others (table 1), each with the force or torque of its multiplier:

    coincidence                  d · (p_B - p_A) = 0   for three directions d of the outer frame
    nonsymmetric orthogonality   a · (p_B - p_A) = 0   a fixed in A
    symmetric orthogonality      a · b = 0             a fixed in A, b in B
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from ...algebra.graph.graph import ONE, PI, Expr, as_expr
from ...algebra.graph.matrix import Matrix, cross, vector
from ...errors import ModelError, listed, shown
from ..frames.frames import Frame
from ..frames.rotations import about, sequence, unit_vector
from ..frames.vectors import Vector
from ..mechanism.mechanism import Action


@dataclass(frozen=True)
class JointGeometry:
    """Pose of a joint on its parent (`at`) and on its child (`on`); see `Model.joint`."""

    axis: Any = None  # that of the kind
    axes: Any = ("x", "y")
    sequence: str = "xyz"
    pitch: Any = None
    space_fixed: bool = False


class JointCondition(NamedTuple):
    """One constraint of a joint that closes a loop: expression = 0, with the forces and torques of a unit multiplier, and
    the two vectors of which it is the product, if it is one.

    >>> m = sb.Model("plate")
    >>> plate = m.body("plate", mass=2, inertia=(1, 1, 1))
    >>> joint = m.free("p", m.ground, plate)
    >>> up = m.ground.z
    >>> push = [sb.bodies.Action(f, force=s * up, at=plate.frame.origin) for f, s in ((plate.frame, 1), (m.ground, -1))]
    >>> row = sb.bodies.JointCondition("height", up.dot(plate.frame.origin - m.ground.origin), tuple(push))
    >>> table = sb.bodies.JointKind("point on plane", (), lambda outer, *_: outer, lambda outer, inner, geometry: [row])
    >>> closing = m.joint("table", m.ground, plate, table)
    >>> sb.derive(m).phi
    vector(p_z)

    See also: `bodies.JointKind`, `bodies.Constraint`.
    """

    name: str
    expression: Expr
    actions: tuple[Action, ...]
    factors: tuple[Vector, Vector] | None = None


@dataclass(frozen=True)
class JointKind:
    """A kind of joint: the names of its coordinates, its motion and its constraints. `Model.joint` accepts your own
    kinds.

    name          of the kind
    coordinates   suffixes of the names of its coordinates: ("_s", "_a") for joint_s and joint_a; or a function of the
                  geometry that returns them
    move          (outer, q, geometry, name) -> the frame that the coordinates q move on the frame `outer` of the parent
    close         (outer, inner, geometry) -> conditions that connect two frames which are already placed
    axis          the default axis
    options       those of `axes`, `sequence`, `pitch` and `space_fixed` that it accepts; `geometry` contains them and
                  `axis`

    >>> m = sb.Model("gear rack")
    >>> rack = sb.bodies.JointKind("rack", ("",), lambda outer, q, o, name: outer.translate(0.5 * q[0], 0, 0).rotate("z", -q[0]))
    >>> joint = m.joint("a", m.ground, m.body("pinion", mass=2, inertia=(1, 1, 1)), rack, damping=0.1)
    >>> eq = sb.derive(m)
    >>> joint, eq.M, eq.f
    (<Joint a: rack from ground to pinion by a>, vector(1.5), vector(-0.1*a_dot))

    See also: `Model.joint`, `bodies.JointCondition`, `bodies.Joint`.
    """

    name: str
    coordinates: tuple[str, ...] | Callable[[JointGeometry], tuple[str, ...]]
    move: Callable[[Frame, Sequence[Any], JointGeometry, str], Frame]
    close: Callable[[Frame, Frame, JointGeometry], list[JointCondition]] | None = None
    axis: str = "z"
    options: tuple[str, ...] = ()


def coordinate_endings(kind: JointKind, geometry: JointGeometry) -> tuple[str, ...]:
    """Endings of the names of a joint's coordinates."""
    return kind.coordinates(geometry) if callable(kind.coordinates) else kind.coordinates


# ---------------------------------------------------------------------------------------------------------- motions


def _slide(outer: Frame, q: Any, axis: Any, name: str) -> Frame:
    return Frame(outer, offset=unit_vector(axis) * as_expr(q), name=name)


def _turn(outer: Frame, q: Any, axis: Any, name: str) -> Frame:
    return Frame(outer, about(axis, q, f"joint {name}"), name=name)


def _fixed_frame(outer: Frame, q: Sequence[Any], o: JointGeometry, name: str) -> Frame:
    return outer


def _revolute(outer: Frame, q: Sequence[Any], o: JointGeometry, name: str) -> Frame:
    return _turn(outer, q[0], o.axis, name)


def _prismatic(outer: Frame, q: Sequence[Any], o: JointGeometry, name: str) -> Frame:
    return _slide(outer, q[0], o.axis, name)


def _cylindrical(outer: Frame, q: Sequence[Any], o: JointGeometry, name: str) -> Frame:
    return _turn(_slide(outer, q[0], o.axis, f"{name}.slide"), q[1], o.axis, name)


def _screw(outer: Frame, q: Sequence[Any], o: JointGeometry, name: str) -> Frame:
    advance = as_expr(q[0]) * (as_expr(o.pitch) / (2 * PI))
    return Frame(outer, about(o.axis, q[0], f"joint {name}"), unit_vector(o.axis) * advance, name)


def _universal(outer: Frame, q: Sequence[Any], o: JointGeometry, name: str) -> Frame:
    first = _turn(outer, q[0], o.axes[0], f"{name}.cross")
    return _turn(first, q[1], o.axes[1], name)


def _spherical(outer: Frame, q: Sequence[Any], o: JointGeometry, name: str) -> Frame:
    frame = outer
    turns = list(zip(sequence_axes(o.sequence), q, strict=True))
    for k, (axis, angle) in enumerate(reversed(turns) if o.space_fixed else turns):
        frame = _turn(frame, angle, axis, name if k == 2 else f"{name}.{k + 1}")
    return frame


def _planar(outer: Frame, q: Sequence[Any], o: JointGeometry, name: str) -> Frame:
    i, j, _ = _triad(o.axis)
    return _turn(Frame(outer, offset=i * as_expr(q[0]) + j * as_expr(q[1]), name=f"{name}.slide"), q[2], o.axis, name)


def _planar_endings(o: JointGeometry) -> tuple[str, ...]:
    """Named after the axes of the parent that the translations go along; numbered where they go along none."""
    entries = unit_vector(o.axis).entries
    if ONE not in entries:
        return ("_1", "_2", "_a")
    n = entries.index(ONE)
    return f"_{'xyz'[(n + 1) % 3]}", f"_{'xyz'[(n + 2) % 3]}", "_a"


def _free(outer: Frame, q: Sequence[Any], o: JointGeometry, name: str) -> Frame:
    return _spherical(Frame(outer, offset=vector(*q[:3]), name=f"{name}.slide"), q[3:], o, name)


def sequence_axes(name: str) -> str:
    """Axes of a rotation sequence by letters or name."""
    sequence(name, (0, 0, 0))  # refuses anything else
    return {"euler": "zxz", "cardan": "xyz", "tait-bryan": "zyx", "yaw-pitch-roll": "zyx"}.get(
        name.lower(), name.lower()
    )


# ---------------------------------------------------------------------------------------------------------- constraints


def _triad(axis: Any) -> tuple[Matrix, Matrix, Matrix]:
    """Two directions across an axis, and the axis, right-handed."""
    k = unit_vector(axis)
    values = [abs(float(e.value)) if e.value is not None else None for e in k.entries]
    if ONE in k.entries:  # along a coordinate axis, the other two follow in turn
        n = k.entries.index(ONE)
        i = vector(*(int(m == (n + 1) % 3) for m in range(3)))
    else:
        smallest = (
            min((v, m) for m, v in enumerate(values) if v is not None)[1] if any(v is not None for v in values) else 0
        )
        i = cross(k, vector(*(int(m == smallest) for m in range(3))))
        i = i / i.dot(i) ** as_expr(0.5)
    return i, cross(k, i), k


def across(axis: Any) -> tuple[list[float], list[float]] | None:
    """Two directions across an axis, as numbers; None for a zero axis."""
    i, j, _ = _triad(axis)
    numbers = [float(e.value) for e in (*i.entries, *j.entries) if e.value is not None]
    return (numbers[:3], numbers[3:]) if len(numbers) == 6 else None


def pushes(inner: Frame, outer: Frame, direction: Vector) -> tuple[Action, ...]:
    """A force on the inner side at the joint, and its reaction on the outer side at the same place."""
    at = inner.origin
    return (Action(inner, force=direction, at=at), Action(outer, force=-direction, at=at))


def twists(inner: Frame, outer: Frame, axis: Vector) -> tuple[Action, ...]:
    return (Action(inner, torque=axis), Action(outer, torque=-axis))


def along(outer: Frame, inner: Frame, directions: Sequence[tuple[str, Matrix]]) -> list[JointCondition]:
    """The inner origin has no component along these directions of the outer frame."""
    gap = inner.origin - outer.origin
    rows = []
    for name, d in directions:
        direction = Vector({outer: d})
        rows.append(JointCondition(name, gap.dot(direction), pushes(inner, outer, direction), (gap, direction)))
    return rows


def orthogonal(outer: Frame, inner: Frame, pairs: Sequence[tuple[str, Matrix, Matrix]]) -> list[JointCondition]:
    """Directions of the outer and of the inner frame that stay orthogonal. The torque of a · b is b × a on the inner
    side."""
    rows = []
    for name, a, b in pairs:
        va, vb = Vector({outer: a}), Vector({inner: b})
        rows.append(JointCondition(name, va.dot(vb), twists(inner, outer, vb.cross(va)), (va, vb)))
    return rows


def _coincide(outer: Frame, inner: Frame) -> list[JointCondition]:
    return along(outer, inner, [("x", vector(1, 0, 0)), ("y", vector(0, 1, 0)), ("z", vector(0, 0, 1))])


def _same_axis(outer: Frame, inner: Frame, axis: Any) -> list[JointCondition]:
    i, j, k = _triad(axis)
    return orthogonal(outer, inner, [("tilt1", i, k), ("tilt2", j, k)])


def _same_orientation(outer: Frame, inner: Frame, axis: Any) -> list[JointCondition]:
    i, j, k = _triad(axis)
    return orthogonal(outer, inner, [("tilt1", i, k), ("tilt2", j, k), ("turn", i, j)])


def _close_fixed(a: Frame, b: Frame, o: JointGeometry) -> list[JointCondition]:
    return _coincide(a, b) + _same_orientation(a, b, o.axis)


def _close_revolute(a: Frame, b: Frame, o: JointGeometry) -> list[JointCondition]:
    return _coincide(a, b) + _same_axis(a, b, o.axis)


def _across(a: Frame, b: Frame, axis: Any) -> list[JointCondition]:
    i, j, _ = _triad(axis)
    return along(a, b, [("across1", i), ("across2", j)])


def _close_prismatic(a: Frame, b: Frame, o: JointGeometry) -> list[JointCondition]:
    return _across(a, b, o.axis) + _same_orientation(a, b, o.axis)


def _close_cylindrical(a: Frame, b: Frame, o: JointGeometry) -> list[JointCondition]:
    return _across(a, b, o.axis) + _same_axis(a, b, o.axis)


def _close_universal(a: Frame, b: Frame, o: JointGeometry) -> list[JointCondition]:
    first, second = unit_vector(o.axes[0]), unit_vector(o.axes[1])
    return _coincide(a, b) + orthogonal(a, b, [("cross", first, second)])


def _close_spherical(a: Frame, b: Frame, o: JointGeometry) -> list[JointCondition]:
    return _coincide(a, b)


def _close_planar(a: Frame, b: Frame, o: JointGeometry) -> list[JointCondition]:
    _, _, k = _triad(o.axis)
    return along(a, b, [("normal", k)]) + _same_axis(a, b, o.axis)


_kinds = (
    JointKind("fixed", (), _fixed_frame, _close_fixed),
    JointKind("revolute", ("",), _revolute, _close_revolute),
    JointKind("prismatic", ("",), _prismatic, _close_prismatic, axis="x"),
    JointKind(
        "screw", ("",), _screw, _close_cylindrical, options=("pitch",)
    ),  # and a relation between rates, added by the model
    JointKind("cylindrical", ("_s", "_a"), _cylindrical, _close_cylindrical),
    JointKind("universal", ("_1", "_2"), _universal, _close_universal, options=("axes",)),
    JointKind("spherical", ("_1", "_2", "_3"), _spherical, _close_spherical, options=("sequence", "space_fixed")),
    JointKind("planar", _planar_endings, _planar, _close_planar),
    JointKind("free", ("_x", "_y", "_z", "_1", "_2", "_3"), _free, options=("sequence", "space_fixed")),
)
KINDS: Final[dict[str, JointKind]] = {kind.name: kind for kind in _kinds}


def kind_of_joint(name: str, kind: str | JointKind) -> JointKind:
    """The kind of the joint `name`: one of `KINDS` by its name, or one of the user's own."""
    if isinstance(kind, JointKind):
        if KINDS.get(kind.name, kind) is not kind:
            raise ModelError(
                f"joint {name!r}: its kind is called {kind.name!r}, as one that exists; give it another name"
            )
        return kind
    if not isinstance(kind, str) or kind not in KINDS:
        raise ModelError(
            f"joint {name!r}: there is no kind {shown(kind)}; kinds are {listed(KINDS)}, or a sb.bodies.JointKind"
        )
    return KINDS[kind]


def refuse_options_of_other_kinds(name: str, kind: JointKind, geometry: JointGeometry) -> None:
    """A revolute joint has no pitch: without this check a given one would be ignored silently."""
    for option in ("axes", "sequence", "pitch", "space_fixed"):
        given, default = getattr(geometry, option), getattr(JointGeometry, option)
        is_default = type(given) is type(default) and given == default
        if option not in kind.options and not is_default:
            owners = [k for k, of in KINDS.items() if option in of.options]
            raise ModelError(f"joint {name!r}: {option}= is for {listed(owners)} joints, it is {kind.name}")

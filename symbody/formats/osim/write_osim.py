"""Models as .osim files, for OpenSim 4: bodies, joints, linear loads on coordinates, springs between points.

The steps between two parts become joints of OpenSim, slides before turns, with a body without mass between two joints. A
PinJoint or SliderJoint has one coordinate; a CustomJoint has up to three slides and three turns:

    R = R(a₁, q₁) R(a₂, q₂) R(a₃, q₃),     p = Σ q a
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np

import symbody as sb

from ...argument_kinds import answered
from ...errors import ModelError, listed
from ...escaping import in_xml
from ..robot.coupled_coordinates import coupled_coordinate
from ..robot.linear_loads import CoordinateLoad, PointLoad
from ..robot.moving_parts import ConstantPose, Move, MovingPart
from ..robot.written_model import WrittenModel, number_text, numbers_text, saved_text
from .read_osim import OsimModel
from .written_lines import coupler, element, leaf, leaves, objects, offset_frame
from .written_paths import PathWriter

WHAT: Final = "write_osim"
VERSION: Final = 40000  # the oldest of OpenSim 4
PARALLEL: Final = 0.999  # cosine from which OpenSim refuses neighbouring axes of turns


@answered
def write_osim(
    model: Any, path: str | Path | None = None, *, values: Mapping[str, float] | None = None, omit: Sequence[str] = ()
) -> str:
    """The text of an .osim file of a model, for OpenSim 4; with a path, the file is written too.

    Bodies and coordinates keep their names; a space in a name becomes an underscore.

    values   of parameters, by name, instead of their default values
    omit     names of loads and constraints to leave out

    Bodies, joints with coordinates of their own, gravity, linear springs, dampers and inputs on coordinates, and linear
    springs between two points are written, and muscles with the curves of OpenSim along paths over its surfaces; other parts
    raise an error that names them. Muscles of a model from `read_osim` without a force keep their kind and numbers.

    >>> m = sb.Model("pendulum")
    >>> rod = m.body("rod", mass=2, com=(0, -0.5, 0), inertia=(0.2, 0.01, 0.2))
    >>> joint = m.revolute("a", m.ground, rod, damping=0.1)
    >>> m.gravity(0, -9.81, 0)
    >>> again = sb.read_osim(sb.formats.write_osim(m))
    >>> sb.derive(again).M
    vector(0.7)

    See also: `read_osim`, `formats.write_mjcf`, `formats.scale_osim`.
    """
    read = model if isinstance(model, OsimModel) else None
    others = list(read.muscles) if read else []
    written = WrittenModel(WHAT, model, values, omit, has_muscles=True, others=others)
    return saved_text(OsimWriter(written, read).text(), path)


@dataclass(eq=False)
class SlidesAndTurns:
    """Moves that one joint of OpenSim makes, between two constant poses."""

    before: ConstantPose = field(default_factory=ConstantPose)
    slides: list[Move] = field(default_factory=list)
    turns: list[Move] = field(default_factory=list)
    after: ConstantPose = field(default_factory=ConstantPose)

    @property
    def moves(self) -> list[Move]:
        return [*self.slides, *self.turns]

    def takes(self, step: ConstantPose | Move) -> bool:
        """Whether a step can be part of this joint; a pose goes to its end, or to its beginning while nothing moves."""
        if isinstance(step, ConstantPose):
            return True
        if step.kind == "ball":
            raise ModelError(
                f"{WHAT}: OpenSim's joints turn by angles, not by Euler parameters ({listed([q.name for q in step.coordinates])}). "
                "Describe the joint by a sequence of angles"
            )
        if self.moves and not self.after.is_identity:
            return False
        same = self.slides if step.kind == "slide" else self.turns
        if len(same) == 3 or (step.kind == "slide" and self.turns):
            return False
        return not (step.kind == "turn" and same and abs(same[-1].axis @ step.axis) > PARALLEL)

    def add(self, step: ConstantPose | Move) -> None:
        if isinstance(step, Move):
            (self.slides if step.kind == "slide" else self.turns).append(step)
        elif self.moves:
            self.after = self.after @ step
        else:
            self.before = self.before @ step


def _joints_of(steps: Iterable[ConstantPose | Move]) -> list[SlidesAndTurns]:
    joints = [SlidesAndTurns()]
    for step in steps:
        if not joints[-1].takes(step):
            joints.append(SlidesAndTurns())
        joints[-1].add(step)
    return joints


class OsimWriter:
    """Collects the sets of one file."""

    def __init__(self, model: WrittenModel, read: OsimModel | None) -> None:
        self.model, self.parts, self.mechanism, self.read = model, model.parts, model.mechanism, read
        self.bodies: dict[str, list[str]] = {}
        self.joint_of: dict[sb.Symbol, str] = {}
        self.joints: list[str] = []
        self.forces: list[str] = []
        self.constraints: list[str] = []
        self.names: dict[str, str] = {}
        self.written: set[sb.Symbol] = set()
        self.paths = PathWriter(WHAT, self.parts, self._place, self._pose, self.joint_of, self.name)

    def _couplers(self) -> None:
        """Constraints of two coordinates; one coordinate is a function of another in each, the later one where possible."""
        dependent: set[sb.Symbol] = set()
        for c in self.mechanism.constraints:
            if (c.joint or c.name) in self.model.omitted:
                continue
            if c.joint is not None:
                raise ModelError(
                    f"{WHAT}: loops of joints are not written: {c.joint}; leave it out: omit=[{c.joint!r}]"
                )
            coupled = coupled_coordinate(c, self.parts, [q for q in reversed(self.mechanism.q) if q not in dependent])
            q, other = coupled.dependent, coupled.independent
            if other is None:
                raise ModelError(
                    f"{WHAT}: constraint {c.name!r} holds {q.name} at a value; leave it out: omit=[{c.name!r}]"
                )
            dependent.add(q)
            self.constraints += coupler(self.name(c.name), q.name, other.name, coupled.coefficients)

    def text(self) -> str:
        for part in self.parts.with_bodies:
            self._part(part)
        for q, load in self.model.coordinates.items():
            self._coordinate_load(q, load)
        for spring in self.model.points:
            self._spring(spring)
        self._muscles()
        self._couplers()
        bodies = [line for name, lines in self.bodies.items() for line in element("Body", {"name": name}, [*lines, *self._surfaces(f"/bodyset/{name}")])]  # fmt: skip
        sets = (
            ("BodySet", bodies),
            ("JointSet", self.joints),
            ("ConstraintSet", self.constraints),
            ("ForceSet", self.forces),
        )
        inside = [line for name, lines in sets if lines for line in objects(name, lines)]
        left = [f"<!-- left out: {in_xml(listed(self.model.omitted))} -->"] if self.model.omitted else []
        model = [leaf("gravity", numbers_text(self.model.gravity)), *left, *self._ground(), *inside]
        lines = element(
            "OpenSimDocument",
            {"Version": str(VERSION)},
            element("Model", {"name": self.name(self.mechanism.name)}, model),
        )
        return "\n".join(['<?xml version="1.0" encoding="UTF-8" ?>', *lines, ""])

    def name(self, text: str) -> str:
        """A name as OpenSim allows them, without spaces and slashes; two names stay two."""
        if text not in self.names:
            wish = "".join(c if c not in " /\\*+" else "_" for c in text)
            taken = set(self.names.values())
            self.names[text] = next(
                n for n in (wish, *(f"{wish}_{k}" for k in range(2, len(taken) + 3))) if n not in taken
            )
        return self.names[text]

    # ----------------------------------------------------------------------------------------------- bodies, joints

    def _part(self, part: MovingPart) -> None:
        """The first body of a part moves, the others are welded to it; bodies of the ground are welded to that."""
        is_ground = part is self.parts.ground
        for k, body in enumerate(part.bodies):
            self._body(body)
            if k or is_ground:
                self._joint(f"{body.name} weld", self._of(part), SlidesAndTurns(before=self._in(part).inverse @ self.parts.pose(body.frame, part)), self._path(body.name))  # fmt: skip
        if is_ground:
            return
        assert part.carrier is not None
        parent = self._of(part.carrier)
        joints = _joints_of((self._in(part.carrier).inverse, *part.steps, self._in(part)))
        for k, joint in enumerate(joints):
            name = part.bodies[0].name
            if k < len(joints) - 1:
                name = f"{name} carrier {k + 1}"
                self._add_body(name, 0.0, np.zeros(3), np.zeros((3, 3)))
            self._joint(f"{name} joint", parent, joint, self._path(name))
            parent = self._path(name)

    def _in(self, part: MovingPart) -> ConstantPose:
        """The pose of the first body of a part in the frame of the part."""
        return ConstantPose() if part is self.parts.ground else self.parts.pose(part.bodies[0].frame, part)

    def _of(self, part: MovingPart) -> str:
        return "/ground" if part is self.parts.ground else self._path(part.bodies[0].name)

    def _path(self, body: str) -> str:
        return f"/bodyset/{self.name(body)}"

    def _body(self, body: sb.Body) -> None:
        m, com, inertia = (self.parts.numbers(x) for x in (body.mass.m, body.mass.p_BoBcm, body.mass.I_BBcm))
        self._add_body(body.name, m, com, inertia)

    def _add_body(self, name: str, mass: float, com: Any, inertia: Any) -> None:
        six = [inertia[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
        values = {"mass": number_text(mass), "mass_center": numbers_text(com), "inertia": numbers_text(six)}
        self.bodies[self.name(name)] = [leaf(k, v) for k, v in values.items()]

    def _joint(self, name: str, parent: str, joint: SlidesAndTurns, child: str) -> None:
        kind = "CustomJoint" if joint.moves else "WeldJoint"
        own = self.name(name)
        sides = [(f"{own}_parent", parent, joint.before), (f"{own}_child", child, joint.after.inverse)]
        lines = [leaf("socket_parent_frame", sides[0][0]), leaf("socket_child_frame", sides[1][0])]
        self.joint_of |= {m.coordinates[0]: f"/jointset/{own}/{m.coordinates[0].name}" for m in joint.moves}
        if joint.moves:
            lines += [
                "<coordinates>",
                *(f"  {line}" for m in joint.moves for line in self._coordinate(m)),
                "</coordinates>",
            ]
        frames = [line for name, body, pose in sides for line in offset_frame(name, body, pose)]
        lines += ["<frames>", *(f"  {line}" for line in frames), "</frames>"]
        if joint.moves:
            lines += _spatial_transform(joint)
        self.joints += element(kind, {"name": own}, lines)

    def _coordinate(self, move: Move) -> Iterator[str]:
        q = move.coordinates[0]
        if q in self.written:
            raise ModelError(
                f"{WHAT}: coordinate {q.name} moves several frames; a joint of OpenSim has coordinates of its own"
            )
        self.written.add(q)
        start = number_text(self.mechanism.values.get(q, 0.0))
        yield from element("Coordinate", {"name": q.name}, [leaf("default_value", start), leaf("range", "-1000 1000")])

    # -------------------------------------------------------------------------------------------------------- loads

    def _coordinate_load(self, q: sb.Symbol, load: CoordinateLoad) -> None:
        if load.stiffness or load.damping:
            rest = load.constant / load.stiffness if load.stiffness else 0.0
            values = {"stiffness": load.stiffness, "rest_length": rest, "viscosity": load.damping}
            self._force(
                "SpringGeneralizedForce", [leaf("coordinate", q.name), *leaves(values)], name=f"{q.name} spring"
            )
        if load.constant and not load.stiffness:
            raise ModelError(
                f"{WHAT}: a constant force acts on {q.name}; OpenSim has none without a control. Leave its load out: omit=[...]"
            )
        for name, gain in load.gains.items():
            self._force("CoordinateActuator", [leaf("coordinate", q.name), *leaves({"optimal_force": gain})], name=name)

    def _spring(self, load: PointLoad) -> None:
        if load.damping or load.gains:
            raise ModelError(f"{WHAT}: load {load.name!r} has a damper or an input between two points, which OpenSim's spring has not; leave it out: omit=[{load.name!r}]")  # fmt: skip
        lines = []
        for k, point in enumerate((load.a, load.b), start=1):
            body, place = self._place(point)
            lines += [leaf(f"socket_body{k}", body), leaf(f"point{k}", numbers_text(place))]
        values = {"stiffness": load.stiffness, "rest_length": load.rest}
        self._force("PointToPointSpring", [*lines, *leaves(values)], name=load.name)

    def _muscles(self) -> None:
        for load in self.model.muscles:
            self._force(*self.paths.muscle(load.element, set(self.mechanism.r)), name=load.name)
        if self.read is not None:
            written = [*self.model.omitted, *(load.name for load in self.model.muscles)]
            for name, given in self.read.muscles.items():
                if name not in written:
                    self._force(*self.paths.muscle_of_file(given, self.read.paths[name]), name=name)

    def _surfaces(self, body: str) -> list[str]:
        lines = self.paths.surfaces.get(body)
        return objects("WrapObjectSet", lines) if lines else []

    def _ground(self) -> list[str]:
        inside = self._surfaces("/ground")
        return element("Ground", {"name": "ground"}, inside) if inside else []

    # ------------------------------------------------------------------------------------------------------- places

    def _place(self, point: sb.Point) -> tuple[str, Any]:
        """The body of a point, and the place of the point on it."""
        body, pose = self._pose(point.frame)
        return body, pose.d + pose.R @ self.parts.place_in_frame(point)

    def _pose(self, frame: sb.Frame) -> tuple[str, ConstantPose]:
        """The body that a frame is fixed to, and its pose on it."""
        part = self.parts.part_of(frame)
        if part is not self.parts.ground and not part.bodies:
            raise ModelError(
                f"{WHAT}: no body is fixed to frame {frame.name!r}, which moves; give it a body of small mass"
            )
        return self._of(part), self._in(part).inverse @ self.parts.pose(frame, part)

    def _force(self, tag: str, lines: Sequence[str], *, name: str) -> None:
        self.forces += element(tag, {"name": self.name(name)}, lines)


def _spatial_transform(joint: SlidesAndTurns) -> list[str]:
    """Six axes; those without a coordinate complete the others and stay at zero."""
    lines = []
    for kind, moves in (("rotation", joint.turns), ("translation", joint.slides)):
        axes = _three_axes([m.axis for m in moves])
        for k, axis in enumerate(axes):
            move = moves[k] if k < len(moves) else None
            names = [leaf("coordinates", move.coordinates[0].name)] if move else []
            function = ["<LinearFunction>", "  <coefficients>1 0</coefficients>", "</LinearFunction>"]
            rest = ["<Constant>", "  <value>0</value>", "</Constant>"]
            lines += element(
                "TransformAxis",
                {"name": f"{kind}{k + 1}"},
                [*names, leaf("axis", numbers_text(axis)), *(function if move else rest)],
            )
    return element("SpatialTransform", {}, lines)


def _three_axes(axes: list[Any]) -> list[Any]:
    """Three axes that begin with the given ones, each added one normal to its neighbour."""
    out = list(axes)
    while len(out) < 3:
        others = [np.eye(3)[k] for k in range(3)]
        last = out[-2:] or [np.array([0.0, 0.0, 1.0])]
        out.append(min(others, key=lambda e: max(abs(e @ a) for a in last)))
    return out

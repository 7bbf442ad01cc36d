"""Links, joints and frames of SDF models, their poses resolved to one tree with the ground as its root.

A pose is relative to the frame that it names, by default to the model (links, frames), to the child link (joints), or
to the link (inertials, shapes). Joints are taken as edges of a graph: those of a spanning tree from the ground place
links, in either direction; those that tie links which joints before them in the file tie already close loops. A part that no joint ties to the world moves freely.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from ...errors import ModelError, listed, unknown
from ..robot.link_frames import UNTURNED, LinkPlacement, Vec, transpose
from ..robot.robot_text import InertialText, JointText, Limits, LinkShape, LinkText, Mimic, RobotText
from ..robot.rotation_numbers import quaternion_of, roll_pitch_yaw
from ..robot.xml_tree import XmlElement
from .sdf_tree import SCOPE, SdfFile, SdfModel, models_of

WORLD: Final = "world"
AXES: Final = {"revolute": 1, "continuous": 1, "prismatic": 1, "screw": 1, "universal": 2, "revolute2": 2, "ball": 0, "fixed": 0}  # fmt: skip
_READ: Final = {
    "model": ("pose", "static", "link", "joint", "frame", "model", "include", "allow_auto_disable", "self_collide"),
    "link": ("pose", "inertial", "visual", "collision", "self_collide", "enable_wind", "kinematic"),
    "joint": ("pose", "parent", "child", "axis", "axis2", "thread_pitch", "screw_thread_pitch"),
    "axis": ("xyz", "limit", "dynamics", "mimic", "use_parent_model_frame"),
}


@dataclass(frozen=True)
class AxisText:
    """An axis of a joint, along the axes of the ground where the file shows it; and what acts along it."""

    direction: Vec
    limits: Limits
    damping: float
    friction: float
    stiffness: float
    rest: float
    mimic: Mimic | None


@dataclass(frozen=True)
class SdfJoint:
    """A joint between links by their full names; `place` in the ground where the file shows it."""

    name: str
    line: int
    kind: str
    parent: str
    child: str
    place: LinkPlacement
    axes: tuple[AxisText, ...]
    pitch: float = 0.0


@dataclass(frozen=True)
class SdfText:
    """What a file says: a tree, joints that close its loops, places of links in the ground, frames, starts of what
    moves freely, gravity."""

    robot: RobotText
    loops: tuple[SdfJoint, ...]
    places: Mapping[str, LinkPlacement]
    frames: Mapping[str, tuple[str, LinkPlacement]]  # name -> link, and where it is in that
    starts: Mapping[str, tuple[float, ...]]
    gravity: Vec | None


class SdfReader:
    """Models of a file -> one tree."""

    def __init__(self, file: SdfFile) -> None:
        self.file = file
        self.left_out: Counter[str] = Counter()
        counts: dict[str, int] = {}
        self.models = list(models_of(file, counts))
        self.left_out.update(counts)
        self._poses: dict[str, tuple[str, LinkPlacement]] = {}  # name -> frame it is given in, where in that
        self._placed: dict[str, str] = {}  # models -> the frame of theirs that is at their pose
        self._attached: dict[str, str] = {}  # frames and models -> what they are fixed to
        self._resolved: dict[str, LinkPlacement] = {"": LinkPlacement(), WORLD: LinkPlacement()}
        self.links: dict[str, LinkText] = {WORLD: LinkText(WORLD, 0, None, (), ())}
        self.joints: list[SdfJoint] = []
        self.static: list[str] = []

    def text(self) -> SdfText:
        for m in self.models:
            self._declare(m)
        for m in self.models:
            for e in m.element.all("joint"):
                self.joints.append(self._joint(m, e))
        tied = [SdfJoint(f"{n}.fixed", self.links[n].line, "fixed", WORLD, n, self._place(n), ()) for n in self.static]
        tree, loops, starts = self._tree([*tied, *self.joints])
        places = {n: self._place(n) for n in self.links}
        name = self.models[0].element.attributes.get("name", "model")
        robot = RobotText(name, self.links, {j.name: j for j in tree}, dict(self.left_out), "SDF")
        return SdfText(robot, tuple(loops), places, dict(self._frames()), starts, self._gravity())

    def _gravity(self) -> Vec | None:
        for world in self.file.root.all("world"):
            if (found := self.file.only(world, "gravity")) is not None:
                return self.file.three(found)
        return None

    # ------------------------------------------------------------------------------------------------ names and poses

    def _declare(self, m: SdfModel) -> None:
        """The poses of all elements of a model, as the file gives them."""
        around = "" if m.parent is None else m.parent
        if m.scope:
            self._poses[m.scope] = (self._full(around, m.relative_to) if m.relative_to else around, m.pose)
            if m.placed:
                self._place_by_frame(m)
        elif any(m.pose.p) or m.pose.R is not UNTURNED:
            self._resolved[""] = m.pose
        for c in m.element.children:
            if c.tag not in _READ["model"]:
                self.left_out[f"<{c.tag}> in <model>"] += 1
            elif c.tag in ("link", "frame", "joint"):
                self._declare_part(m, c)

    def _place_by_frame(self, m: SdfModel) -> None:
        """The model's own frame, so that its placement frame is at the pose: found when all names are known."""
        target = self._full(m.scope, m.placed)
        self._poses[f"{m.scope} placed"] = self._poses.pop(m.scope)
        self._poses[m.scope] = (f"{m.scope} placed", LinkPlacement())
        self._placed[m.scope] = target

    def _declare_part(self, m: SdfModel, e: XmlElement) -> None:
        name = e.attributes.get("name", "").strip()
        if not name:
            raise m.file.wrong(e, "has no name")
        if name == WORLD:
            raise m.file.wrong(e, "the name is that of the ground; rename it")
        full = self._full(m.scope, name)
        if full in self._poses:
            raise m.file.wrong(e, "another part of the model has this name; rename one")
        pose = m.file.only(e, "pose")
        given = "" if pose is None else pose.attributes.get("relative_to", "")
        usual = {"link": "", "frame": e.attributes.get("attached_to", ""), "joint": m.file.text(e, "child")}[e.tag]
        of = given or usual
        self._poses[full] = (self._full(m.scope, of) if of else m.scope, m.file.pose(pose))
        if e.tag == "frame":
            self._attached[full] = self._full(m.scope, usual) if usual else m.scope
        elif e.tag == "joint":
            self._attached[full] = self._full(m.scope, usual)
        else:
            self.links[full] = self._link(m, e, full)
            if m.static:
                self.static.append(full)

    def _full(self, scope: str, name: str) -> str:
        if name in (WORLD, ""):
            return name
        if name == "__model__":
            return scope
        return f"{scope}{SCOPE}{name}" if scope else name

    def _place(self, name: str) -> LinkPlacement:
        """In the ground, by the chain of frames that poses are given in."""
        chain: list[str] = []
        while name not in self._resolved:
            if name in chain:
                raise ModelError(f"{self.file.where}: poses are relative to each other in a cycle: {listed(chain)}")
            if name not in self._poses:
                raise unknown(f"{self.file.where}: relative_to", "frame", name, self._poses)
            chain.append(name)
            name = self._poses[name][0]
        for n in reversed(chain):
            of, at = self._poses[n]
            self._resolved[n] = self._resolved[of] @ at
            if (target := self._placed.get(n)) is not None:
                # n is the model's frame, for now at the pose of its placement frame: move it back by that
                inside = inverse(self._resolved[n]) @ self._place(target)
                for known in [k for k in self._resolved if k.startswith(n + SCOPE)]:
                    del self._resolved[known]
                self._resolved[n] = self._resolved[n] @ inverse(inside)
        return self._resolved[chain[0]] if chain else self._resolved[name]

    def _link_of(self, e: XmlElement, file: SdfFile, name: str) -> str:
        """The link that a link, frame, joint or model is fixed to."""
        seen = []
        while name not in self.links:
            if name in seen or (name not in self._attached and name not in {m.scope for m in self.models}):
                raise unknown(f"{file.where} (line {e.line}), <{e.tag}>", "link or frame", name, self.links)
            seen.append(name)
            if name in self._attached:
                name = self._attached[name]
                continue
            inside = [n for n in self.links if n != WORLD and (not name or n.startswith(name + SCOPE))]
            name = inside[0] if inside else WORLD
        return name

    def _frames(self) -> Iterator[tuple[str, tuple[str, LinkPlacement]]]:
        for m in self.models:
            for e in m.element.all("frame"):
                full = self._full(m.scope, e.attributes["name"].strip())
                link = self._link_of(e, m.file, full)
                yield full, (link, inverse(self._place(link)) @ self._place(full))

    # ------------------------------------------------------------------------------------------------ links

    def _link(self, m: SdfModel, e: XmlElement, full: str) -> LinkText:
        for c in e.children:
            if c.tag not in _READ["link"]:
                self.left_out[f"<{c.tag}> in <link>"] += 1
        shapes = (tuple(self._shapes(m, e, tag)) for tag in ("visual", "collision"))
        return LinkText(full, e.line, self._inertial(m, e, full), *shapes)

    def _inertial(self, m: SdfModel, e: XmlElement, full: str) -> InertialText:
        """As given; what is left out is one, as the format says."""
        f = m.file
        given = f.only(e, "inertial")
        if given is None:
            self.left_out[f"<inertial> of link {full!r}, which has none: SDF takes mass 1 and inertia 1"] += 1
            return InertialText(1.0, (0.0, 0.0, 0.0), roll_pitch_yaw(UNTURNED), (1.0, 1.0, 1.0, 0.0, 0.0, 0.0))
        if given.attributes.get("auto", "false").lower() in ("1", "true"):
            self.left_out['<inertial auto="true">: inertia from shapes'] += 1
        mass, tensor, at = f.one(given, "mass", 1.0), f.only(given, "inertia"), f.pose(f.only(given, "pose"))
        if mass < 0:
            raise f.wrong(e, f"its mass is negative: {mass:g}")
        entries = tuple(f.one(tensor, f"i{k}", float(k[0] == k[1])) for k in "xx yy zz xy xz yz".split())
        for c in given.children:
            if c.tag not in ("mass", "inertia", "pose", "density"):
                self.left_out[f"<{c.tag}> in <inertial>"] += 1
        return InertialText(mass, at.p, roll_pitch_yaw(at.R), entries)

    def _shapes(self, m: SdfModel, e: XmlElement, tag: str) -> Iterator[LinkShape]:
        f = m.file
        for v in e.all(tag):
            geometry = f.only(v, "geometry")
            solid = None if geometry is None or not geometry.children else geometry.children[0]
            if solid is None or solid.tag not in ("box", "cylinder", "sphere", "capsule", "mesh"):
                self.left_out[f"<{tag}> without a known shape"] += 1
                continue
            at = f.pose(f.only(v, "pose"))
            roll, pitch, yaw = roll_pitch_yaw(at.R)
            how: dict[str, Any] = {"position": at.p, "rpy": (roll.value, pitch.value, yaw.value)}
            size = f.only(solid, "size")
            if solid.tag == "mesh":
                scale = f.only(solid, "scale")
                how |= {"file": f.text(solid, "uri"), "scale": (1.0, 1.0, 1.0) if scale is None else f.three(scale)}
            elif solid.tag == "box":
                how |= {"size": (1.0, 1.0, 1.0) if size is None else f.three(size)}
            else:
                keys = ("radius",) if solid.tag == "sphere" else ("radius", "length")
                how |= {"size": tuple(f.one(solid, k, 1.0) for k in keys)}
            yield LinkShape(solid.tag, **how, colour=self._colour(f, v), name=v.attributes.get("name", ""))

    def _colour(self, f: SdfFile, e: XmlElement) -> tuple[float, float, float, float] | None:
        material = f.only(e, "material")
        diffuse = None if material is None else f.only(material, "diffuse")
        words = [] if diffuse is None else diffuse.text.split()
        if diffuse is None or len(words) not in (3, 4):
            return None
        r, g, b, *a = f.numbers(diffuse, len(words))
        return r, g, b, a[0] if a else 1.0

    # ------------------------------------------------------------------------------------------------ joints

    def _joint(self, m: SdfModel, e: XmlElement) -> SdfJoint:
        f, name = m.file, self._full(m.scope, e.attributes["name"].strip())
        kind = e.attributes.get("type", "")
        if kind not in AXES:
            raise f.wrong(e, f"type {kind!r} is not supported; types are {listed(AXES)}; omit the joint")
        for c in e.children:
            if c.tag not in _READ["joint"]:
                self.left_out[f"<{c.tag}> in <joint>"] += 1
        ends = [self._full(m.scope, f.text(e, tag)) for tag in ("parent", "child")]
        if not all(ends):
            raise f.wrong(e, "its parent or child is missing")
        parent, child = (self._link_of(e, f, n) for n in ends)
        if parent == child:
            raise f.wrong(e, f"its parent and child are both {child!r}")
        place = self._place(name)
        axes = tuple(self._axis(m, e, tag, place) for tag in ("axis", "axis2")[: AXES[kind]])
        return SdfJoint(name, e.line, kind, parent, child, place, axes, self._pitch(f, e))

    def _pitch(self, f: SdfFile, e: XmlElement) -> float:
        """Advance in one turn; `thread_pitch` is -2π over it."""
        old = f.one(e, "thread_pitch", 0.0)
        return f.one(e, "screw_thread_pitch", -2 * math.pi / old if old else 1.0)

    def _axis(self, m: SdfModel, e: XmlElement, tag: str, place: LinkPlacement) -> AxisText:
        f = m.file
        given = f.only(e, tag)
        xyz = None if given is None else f.only(given, "xyz")
        direction: Vec = (0.0, 0.0, 1.0) if xyz is None else f.three(xyz)
        if not any(direction):
            raise f.wrong(e, f"its <{tag}> is zero and has no direction")
        within = place
        if xyz is not None and (named := xyz.attributes.get("expressed_in")):
            within = self._place(self._full(m.scope, named))
        elif f.version <= (1, 4) or (given is not None and f.is_true(given, "use_parent_model_frame")):
            within = self._place(m.scope)
        for c in () if given is None else given.children:
            if c.tag not in _READ["axis"]:
                self.left_out[f"<{c.tag}> in <axis>"] += 1
        limit, dynamics = (None if given is None else f.only(given, t) for t in ("limit", "dynamics"))
        values = [f.one(limit, k, math.inf) for k in ("lower", "upper", "effort", "velocity")]
        found = [None if abs(v) >= 1e16 or (k > 1 and v < 0) else v for k, v in enumerate(values)]
        keys = ("damping", "friction", "spring_stiffness", "spring_reference")
        damping, friction, stiffness, rest = (f.one(dynamics, k, 0.0) for k in keys)
        along = within.direction(direction)
        return AxisText(along, Limits(*found), damping, friction, stiffness, rest, self._mimic(m, given))

    def _mimic(self, m: SdfModel, axis: XmlElement | None) -> Mimic | None:
        found = None if axis is None else m.file.only(axis, "mimic")
        if found is None:
            return None
        k, offset, reference = (m.file.one(found, n, d) for n, d in (("multiplier", 1.0), ("offset", 0.0), ("reference", 0.0)))  # fmt: skip
        leader = self._full(m.scope, found.attributes.get("joint", ""))
        of = f"{leader}.2" if found.attributes.get("axis") == "axis2" else leader
        return Mimic(of, k, offset - k * reference)

    # ------------------------------------------------------------------------------------------------ the tree

    def _tree(self, joints: list[SdfJoint]) -> tuple[list[JointText], list[SdfJoint], dict[str, tuple[float, ...]]]:
        """Joints that place links, from the ground outwards; those that close loops, since joints before them in the
        file tie the same links; starts of free parts."""
        at: dict[str, list[SdfJoint]] = {n: [] for n in self.links}
        loops, part = [], {n: n for n in self.links}
        for j in joints:
            one, other = (_part_of(part, n) for n in (j.parent, j.child))
            if one == other:
                loops.append(j)
                continue
            part[other] = one
            at[j.parent].append(j)
            at[j.child].append(j)
        placed: dict[str, None] = {WORLD: None}
        made: list[JointText] = []
        starts: dict[str, tuple[float, ...]] = {}
        for root in tuple(self.links):
            if root not in placed:
                name = self._free_name(root, starts)
                X = self._place(root)
                made.append(JointText(name, self.links[root].line, "floating", WORLD, root, (0, 0, 0), roll_pitch_yaw(UNTURNED), (0, 0, 1)))  # fmt: skip
                starts[name] = (*X.p, *quaternion_of(X.R))
                placed[root] = None
            queue = [root]
            while queue:
                here = queue.pop(0)
                for j in at[here]:
                    there = j.child if j.parent == here else j.parent
                    if there not in placed:
                        placed[there] = None
                        made += self._series(j, here, there)
                        queue.append(there)
        return made, loops, starts

    def _free_name(self, root: str, starts: Mapping[str, tuple[float, ...]]) -> str:
        taken = {j.name for j in self.joints} | set(starts)
        return next(n for k in range(len(taken) + 2) if (n := ("base" if not starts else f"{root}_base") + "_" * k) not in taken)  # fmt: skip

    def _series(self, j: SdfJoint, here: str, there: str) -> list[JointText]:
        """A joint as one of the robot, or as several with links without mass between them."""
        X, Y = self._place(here), self._place(there)
        seat, own = inverse(X) @ Y, inverse(Y)
        anchor = own.point(j.place.p)
        sign = 1.0 if here == j.parent else -1.0
        steps = [(self._step_name(j, k), _kind(j), a) for k, a in enumerate(j.axes)]
        if j.kind == "screw":
            turn = steps[0]
            slide = replace(j.axes[0], limits=Limits(), damping=0.0, friction=0.0, stiffness=0.0)
            ratio = j.pitch / (2 * math.pi)
            steps.append((f"{j.name}.advance", "prismatic", replace(slide, mimic=Mimic(turn[0], ratio, 0.0))))
        if not steps:
            kind = {"ball": "spherical"}.get(j.kind, j.kind)
            steps = [(j.name, kind, AxisText((0.0, 0.0, 1.0), Limits(), 0.0, 0.0, 0.0, 0.0, None))]
        if sign < 0:
            steps.reverse()
        out, parent = [], here
        for k, (name, kind, a) in enumerate(steps):
            is_last = k == len(steps) - 1
            child = there if is_last else f"{there}.{name}"
            axis = own.direction(a.direction)
            position, R = (seat.point(anchor), seat.R) if k == 0 else ((0.0, 0.0, 0.0), UNTURNED)
            out.append(
                JointText(
                    name, j.line, kind, parent, child, position, roll_pitch_yaw(R), tuple(sign * x for x in axis),
                    a.limits, a.damping, a.friction, a.mimic, anchor if is_last else (0.0, 0.0, 0.0), 0.0, a.stiffness, a.rest,
                )
            )  # fmt: skip
            if not is_last:
                self.links[child] = LinkText(child, j.line, None, (), ())
                self._resolved[child] = self._place(there)
            parent = child
        return out

    def _step_name(self, j: SdfJoint, k: int) -> str:
        return j.name if k == 0 else f"{j.name}.{k + 1}"


def _part_of(part: dict[str, str], link: str) -> str:
    """The link that stands for all that are tied to this one."""
    while part[link] != link:
        part[link] = part[part[link]]
        link = part[link]
    return link


def _kind(j: SdfJoint) -> str:
    return {"universal": "revolute", "revolute2": "revolute", "screw": "revolute"}.get(j.kind, j.kind)


def inverse(X: LinkPlacement) -> LinkPlacement:
    R = UNTURNED if X.R is UNTURNED else transpose(X.R)
    x, y, z = LinkPlacement(R).direction(X.p)
    return LinkPlacement(R, (-x, -y, -z))

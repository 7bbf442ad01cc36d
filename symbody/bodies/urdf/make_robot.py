"""Bodies, joints and loads of a robot from the text of its file."""

from __future__ import annotations

import fnmatch
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from ...algebra.graph import PI, Expr, Symbol, as_expr
from ...errors import ModelError, listed, unknown
from ..declarations import identifier
from ..frames import Frame
from ..joints import JointGeometry
from ..loads import friction_force, on_coordinate
from ..mass import mass_properties
from ..mechanism import Joint
from ..rotations import Rotation, Turn
from .choices import NameChoice, Parameters, RobotOptions
from .link_frames import (
    ORIGIN,
    HingeLine,
    LinkPlacement,
    Mat,
    Scalar,
    Vec,
    alignment,
    cleaned,
    column,
    direction_of,
    from_rpy,
    is_number,
    is_zero,
    seat_of_sliding,
    seat_of_turning,
    size_of,
    square,
    symmetric,
    transposed,
    turn_matrix,
    turned_by,
)
from .robot import Robot, Snap, UrdfReport, exact_multiple, same_multiple
from .xml_text import Angles, JointText, Printed, RobotText, tree_order

MOST_HINGES: Final = 8  # joints on one body that are looked at when its frame is chosen
_ENTRIES: Final = {"xx": (0, 0), "yy": (1, 1), "zz": (2, 2), "xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}
_PLACED: Final = ["_px", "_py", "_pz", "_roll", "_pitch", "_yaw"]
_ENDINGS: Final[dict[str, list[str]]] = {  # of the symbols that a joint or link may have
    "link": ["_m", "_cx", "_cy", "_cz", *(f"_I{k}" for k in _ENTRIES)],
    "revolute": ["", "_dot", "_ddot", "_tau", "_damping", "_friction", *_PLACED],
    "floating": [f"_{k}{d}" for k in "x y z e0 e1 e2 e3 wx wy wz".split() for d in ("", "_dot", "_ddot")] + _PLACED,
    "planar": [f"_{k}{d}" for k in "xya" for d in ("", "_dot", "_ddot")] + _PLACED,
}


@dataclass(frozen=True, slots=True)
class _Mass:
    """Mass properties of one link or of several, in a frame: mass, mass centre, inertia about it."""

    name: str
    m: Scalar
    c: Vec
    I: Mat

    @property
    def is_number(self) -> bool:
        return is_number(self.m, *self.c, *(x for row in self.I for x in row))

    @property
    def is_nothing(self) -> bool:
        return all(is_zero(x) for x in (self.m, *self.I[0], *self.I[1], *self.I[2]))

    def placed(self, at: LinkPlacement) -> _Mass:
        return replace(self, c=at.point(self.c), I=at.tensor(self.I))


def _joined(name: str, parts: Sequence[_Mass]) -> _Mass:
    """Several bodies, all numbers, as one."""
    if len(parts) == 1:
        return replace(parts[0], name=name)
    m = math.fsum(b.m for b in parts)
    c = [math.fsum(b.m * b.c[i] for b in parts) / (m or 1.0) for i in range(3)]
    c = [cleaned(x, size_of(*(b.c[i] for b in parts))) for i, x in enumerate(c)]
    I = [[0.0] * 3 for _ in range(3)]
    for b in parts:
        r = [x - y for x, y in zip(b.c, c, strict=True)]
        rr = sum(x * x for x in r)
        for i, j in _ENTRIES.values():
            I[i][j] += b.I[i][j] + b.m * (rr * (i == j) - r[i] * r[j])
    size = size_of(*(x for row in I for x in row))
    return _Mass(name, m, (c[0], c[1], c[2]), symmetric([[cleaned(x, size) for x in row] for row in I]))


def _tensor(xx: Scalar, yy: Scalar, zz: Scalar, xy: Scalar = 0, xz: Scalar = 0, yz: Scalar = 0) -> Mat:
    return (xx, xy, xz), (xy, yy, yz), (xz, yz, zz)


@dataclass(frozen=True, slots=True)
class _JointMotion:
    """A joint's value: ratio · (coordinate of the joint `of`) + offset; a number where `of` is None."""

    of: str | None
    ratio: float = 1.0
    offset: float = 0.0


class _LinkGroup:
    """Links that are fixed to each other: one body. Placements are in the frame of its first link."""

    def __init__(self, top: str, parent: _LinkGroup | None = None, joint: JointText | None = None) -> None:
        self.top, self.parent, self.joint = top, parent, joint
        self.members: dict[str, LinkPlacement] = {top: LinkPlacement()}
        self.parts: list[_Mass] = []
        self.hinges: list[HingeLine] = []  # joints that hang on it
        self.at, self.axis = LinkPlacement(), ORIGIN  # its own joint, in the frame of the parent's first link
        self.frame = Frame(None)  # body frame, once it is placed; the first link is at `link` in it
        self.link = LinkPlacement()

    @property
    def com(self) -> Vec | None:
        """Mass centre, where all is numbers."""
        return _joined("", self.parts).c if self.parts and all(p.is_number for p in self.parts) else None


class Builder:
    """The text of a file -> a model, with what was asked for."""

    def __init__(self, text: RobotText, options: RobotOptions) -> None:
        self.text, self.options = text, options
        self.where = f"URDF {text.name!r}"
        self.root, self.order = tree_order(text)
        self.model = Robot(text.name)
        self.parameters = Parameters(options.parameters)
        self.snapped: list[Snap] = []
        self.doubtful: list[str] = []
        self.renamed: dict[str, str] = {}
        self.taken: set[str] = {"t"}
        self.repeated: dict[str, int] = {}
        self.names: dict[tuple[str, str], str] = {}  # of a link or joint, as it goes into symbols
        self._choose_names()
        self.motions = self._motions()

    def robot(self) -> Robot:
        groups = self._groups()
        self._refuse_massless_motion(groups)
        self._place_root(groups[0])
        for g in groups[1:]:
            self._hang(g)
        for g in groups:
            self._fill(g)
        self._add_loads()
        self.parameters.check()
        return self._finished(groups)

    # ------------------------------------------------------------------------------------------------ names

    def _choose_names(self) -> None:
        if self.options.is_free:
            self.names["joint", ""] = self._unique("base", _ENDINGS["floating"])
        for j in self.text.joints.values():
            self._choose_name("joint", j.name, _ENDINGS.get(j.kind, _ENDINGS["revolute"]))
        for name in self.text.links:
            self._choose_name("link", name, _ENDINGS["link"])

    def _choose_name(self, what: str, name: str, endings: Sequence[str]) -> None:
        made = self._unique(identifier(name)[:60], endings)
        self.names[what, name] = made
        if made != name and not (what == "joint" and self.text.joints[name].kind == "fixed"):
            self.renamed[name] = made

    def _unique(self, name: str, endings: Sequence[str]) -> str:
        """A name whose symbols (with these endings) are nobody's yet."""
        base = f"_{name}" if name[0].isdigit() else name
        made, n = base, self.repeated.get(base, 1)
        while any(made + e in self.taken for e in endings):
            n += 1
            made = f"{base}_{n}"
        self.repeated[base] = n
        self.taken.update(made + e for e in endings)
        return made

    # ------------------------------------------------------------------------------------------------ numbers

    def _angles(self, where: str, rpy: Angles) -> list[Scalar]:
        return [self._angle(f"{where}, {n}", a) for n, a in zip(("roll", "pitch", "yaw"), rpy, strict=True)]

    def _angle(self, where: str, given: Printed) -> Scalar:
        """An angle of the file, exact where it is a multiple of pi to the last digit of the machine, or is taken for one."""
        if not given.value:
            return given.value
        if (k := same_multiple(given.value)) is not None:
            return PI * k
        tolerance = self.options.tolerance
        k = None if tolerance is None else exact_multiple(given, tolerance)
        if k is None:
            return given.value
        self.snapped.append(Snap(where, given.text, k, abs(given.value - float(k) * math.pi)))
        return PI * k

    def _number(self, name: str, value: Scalar, geometric: bool = False) -> Scalar:
        """A number of the file: a parameter where it is chosen to be one and is no exact value."""
        if isinstance(value, Expr) or value == 0 or not self.parameters.chooses(name, geometric):
            return value
        return self.model.parameter(name, float(value))

    def _placement(self, joint: JointText) -> LinkPlacement:
        """Of the joint's frame in the parent link."""
        base = self.names["joint", joint.name]
        x, y, z = (self._number(f"{base}_p{k}", x, True) for k, x in zip("xyz", joint.position, strict=True))
        angles = self._angles(f"joint {joint.name!r}", joint.rpy)
        rpy = [self._number(f"{base}_{k}", a, True) for k, a in zip(("roll", "pitch", "yaw"), angles, strict=True)]
        return LinkPlacement(from_rpy(*rpy), (x, y, z))

    def _axis(self, joint: JointText) -> Vec:
        return direction_of(joint.axis, self.options.tolerance is not None)

    def _mass_of(self, link: str) -> _Mass | None:
        """Mass properties of a link in its own frame, as numbers."""
        given = self.text.links[link].inertial
        if given is None:
            return None
        turned = LinkPlacement(from_rpy(*self._angles(f"inertial of {link!r}", given.rpy)))
        made = _Mass(link, given.mass, given.position, turned.tensor(_tensor(*given.tensor)))
        if made.is_nothing:
            return None
        self._judge(made)
        return made

    def _judge(self, mass: _Mass) -> None:
        """Report, or refuse, what no body has."""
        try:
            mass_properties(mass.name, mass.m, mass.c, mass.I)
            if mass.m == 0:
                raise ModelError(f"body {mass.name!r}: it has an inertia but no mass")
        except ModelError as reason:
            says = str(reason).removeprefix("body ").partition("; ")[0]
            if self.options.strict:
                raise ModelError(f"{self.where}: link {says}; strict=False accepts it") from None
            self.doubtful.append(f"link {says}")

    def _symbolic(self, mass: _Mass) -> _Mass:
        """With parameters in the place of the numbers that are chosen."""
        base = self.names["link", mass.name]
        m = self._number(f"{base}_m", mass.m)
        x, y, z = (self._number(f"{base}_c{k}", c) for k, c in zip("xyz", mass.c, strict=True))
        I = [self._number(f"{base}_I{k}", mass.I[i][j]) for k, (i, j) in _ENTRIES.items()]
        return _Mass(mass.name, m, (x, y, z), _tensor(*I))

    # ------------------------------------------------------------------------------------------------ motions

    def _motions(self) -> dict[str, _JointMotion]:
        """Of every joint that is not fixed."""
        joints = {j.name: j for j in self.order if j.kind != "fixed"}
        held = self._held(joints)
        out: dict[str, _JointMotion] = {}
        for name in joints:
            chain = [name]
            while (last := chain[-1]) not in out and last not in held and self._follows(joints[last]):
                followed = joints[last].mimic.joint  # type: ignore[union-attr]
                if followed not in joints or joints[followed].kind in ("floating", "planar"):
                    several = [n for n, j in joints.items() if j.kind not in ("floating", "planar")]
                    raise unknown(f"{self.where}: joint {last!r} mimics", "joint of one coordinate", followed, several)
                if followed in chain:
                    raise ModelError(f"{self.where}: joints {listed(chain)} mimic each other in a circle")
                chain.append(followed)
            last = chain.pop()
            if last not in out:
                out[last] = _JointMotion(None, 0.0, held[last]) if last in held else _JointMotion(last)
            for follower in reversed(chain):
                m, above = joints[follower].mimic, out[joints[follower].mimic.joint]  # type: ignore[union-attr]
                assert m is not None
                out[follower] = _JointMotion(
                    above.of, m.multiplier * above.ratio, m.multiplier * above.offset + m.offset
                )
        return out

    def _follows(self, joint: JointText) -> bool:
        return self.options.mimic and joint.mimic is not None

    def _held(self, joints: Mapping[str, JointText]) -> dict[str, float]:
        """Values of the joints that are held."""
        out: dict[str, float] = {}
        for pattern, value in self.options.hold.items():
            fits = [j for n, j in joints.items() if fnmatch.fnmatchcase(n, pattern)]
            if not fits:
                raise unknown("read_urdf: hold=", "joint that moves", pattern, joints)
            if value and (wrong := [j.name for j in fits if j.kind in ("floating", "planar")]):
                raise ModelError(
                    f"read_urdf: hold=: joint {wrong[0]!r} has several coordinates; it can be held at zero"
                )
            if not math.isfinite(value):
                raise ModelError(f"read_urdf: hold=: {value} for {pattern!r} is not a finite number")
            out |= {j.name: value for j in fits}
        if self.options.free is not None:
            choice = NameChoice("joint that moves", self.options.free)
            for n, j in joints.items():
                if not choice(n, self.names["joint", n]) and not self._follows(j):
                    out.setdefault(n, 0.0)
            choice.check()
        return out

    def _coordinate(self, joint: str) -> Symbol:
        name = self.names["joint", joint]
        known = self.model.symbols.get(name)
        return self.model.coordinate(name) if known is None else known

    def _value(self, joint: str) -> Expr:
        """The displacement of a joint: angle or length, in terms of the coordinate that it follows."""
        m = self.motions[joint]
        return as_expr(m.offset) if m.of is None else m.ratio * self._coordinate(m.of) + m.offset

    def _stands_still(self, joint: JointText) -> bool:
        return joint.kind == "fixed" or self.motions[joint.name].of is None or self.motions[joint.name].ratio == 0

    # ------------------------------------------------------------------------------------------------ bodies

    def _groups(self) -> list[_LinkGroup]:
        """Links that are fixed to each other, gathered; those of the root first, each group before what hangs on it."""
        groups = [_LinkGroup(self.root)]
        home = {self.root: groups[0]}
        for j in self.order:
            g = home[j.parent]
            at = g.members[j.parent] @ self._placement(j)
            if self._stands_still(j):
                home[j.child] = g
                g.members[j.child] = at @ self._displaced(j)
                continue
            made = home[j.child] = _LinkGroup(j.child, g, j)
            made.at, made.axis = at, self._axis(j)
            g.hinges.append(HingeLine(at.p, at.direction(made.axis), j.kind))
            groups.append(made)
        for g in groups:
            if g.joint is not None or self.options.is_free:
                g.parts = self._gathered(g)
        return groups

    def _displaced(self, joint: JointText) -> LinkPlacement:
        """Where a joint that stands still puts its child, in its own frame."""
        value = 0.0 if joint.kind == "fixed" else self.motions[joint.name].offset
        if value == 0:
            return LinkPlacement()
        axis = self._axis(joint)
        if joint.kind == "prismatic":
            return LinkPlacement(p=(axis[0] * value, axis[1] * value, axis[2] * value))
        found = alignment(axis, exact=False)
        turned = turned_by(found.matrix, turn_matrix(found.k, found.sign * value))
        return LinkPlacement(turned_by(turned, transposed(found.matrix)))

    def _gathered(self, g: _LinkGroup) -> list[_Mass]:
        """Mass properties of a group, in the frame of its first link: links with parameters apart, all others as one."""
        own = [(mass, at) for name, at in g.members.items() if (mass := self._mass_of(name)) is not None]
        if self.parameters.of_bodies and own:
            return [self._symbolic(_joined(g.top, [mass.placed(at) for mass, at in own]))]
        parts = [self._symbolic(mass).placed(at) for mass, at in own]
        symbolic, numbers = [p for p in parts if not p.is_number], [p for p in parts if p.is_number]
        if not numbers:
            return symbolic
        free = g.top not in [p.name for p in symbolic]
        return [_joined(g.top if free else numbers[0].name, numbers), *symbolic]

    def _refuse_massless_motion(self, groups: list[_LinkGroup]) -> None:
        """Every coordinate moves something that has mass, by its own joint or by one that follows it."""
        heavy: set[_LinkGroup] = set()
        idle: dict[str, _LinkGroup] = {}  # coordinates (by their joints) that move nothing so far
        busy: set[str] = set()
        for g in reversed(groups):
            if g.joint is None:
                continue
            of = self.motions[g.joint.name].of
            assert of is not None
            assert g.parent is not None
            if g.parts or g in heavy:
                heavy.add(g.parent)
                busy.add(of)
            else:
                idle.setdefault(of, g)
        for of, g in idle.items():
            if of not in busy:
                raise ModelError(
                    f"{self.where}: joint {of!r} moves link {g.top!r} (line {self.text.links[g.top].line}), but neither that nor anything "
                    f"that hangs on it has mass; give it an <inertial>, or hold the joint: hold={{{of!r}: 0}}"
                )

    # ------------------------------------------------------------------------------------------------ frames

    def _place_root(self, root: _LinkGroup) -> None:
        if not self.options.is_free:
            root.frame = self.model.ground
            return
        base = self.names["joint", ""]
        root.frame, q = self.model.moved_frame(
            "free", base, self.model.ground, JointGeometry(sequence="euler parameters"), None
        )
        self.model.add_joint(Joint(base, "free", self.model.ground, root.frame, "ground", root.top, q))

    def _hang(self, g: _LinkGroup) -> None:
        """Give a group its body frame, by its joint."""
        joint, parent = g.joint, g.parent
        assert joint is not None
        assert parent is not None
        at, name = parent.link @ g.at, self.names["joint", joint.name]
        if joint.kind in ("floating", "planar"):
            kind = "free" if joint.kind == "floating" else "planar"
            outer = at.frame(parent.frame, f"{name}.parent")
            how = JointGeometry(axis=list(g.axis), sequence="euler parameters")
            g.frame, moved = self.model.moved_frame(kind, name, outer, how, None)
        else:
            kind = "prismatic" if joint.kind == "prismatic" else "revolute"
            outer = parent.frame
            self._seat(g, at, name)
            own = [self._value(joint.name)] if not self._follows(joint) else []
            moved = self.model.joint_coordinates(joint.name, own)
        inner = self._link_frame(g, g.top)
        on = "ground" if parent.frame.is_ground else parent.top
        self.model.add_joint(Joint(joint.name, kind, outer, inner, on, g.top, moved))

    def _seat(self, g: _LinkGroup, at: LinkPlacement, name: str) -> None:
        """Place the body frame of a joint of one coordinate."""
        assert g.joint is not None
        assert g.parent is not None
        hinges, q, on = g.hinges[:MOST_HINGES], self._value(g.joint.name), g.parent.frame
        slides = g.joint.kind == "prismatic"
        exact = self.options.tolerance is not None
        if slides:
            seat = seat_of_sliding(at, hinges, g.com)
        else:
            seat = seat_of_turning(at, g.axis, hinges, g.com, on.is_ground, exact)
        if slides:
            g.frame = Frame(on, offset=column(seat.offset) + column(at.direction(g.axis)) * q, name=name)
        else:
            turn = Turn(seat.k, seat.sign * q + seat.turn)
            g.frame = Frame(on, Rotation((*seat.C, turn)), column(seat.offset), name)
        g.link = seat.link

    def _link_frame(self, g: _LinkGroup, link: str) -> Frame:
        known = self.model.links
        if link not in known:
            known[link] = (g.link @ g.members[link]).frame(g.frame, self.names["link", link])
        return known[link]

    # ------------------------------------------------------------------------------------------------ the model

    def _fill(self, g: _LinkGroup) -> None:
        """Bodies, and frames of links."""
        for name in g.members:
            self._link_frame(g, name)
        if g.frame.is_ground:
            return
        for part in g.parts or [_Mass(g.top, 0, ORIGIN, _tensor(0, 0, 0))]:
            b = part.placed(g.link)
            self.model.body(b.name, g.frame, mass=b.m, com=b.c, inertia=square(b.I), physical=False)

    def _add_loads(self) -> None:
        actuated = NameChoice("joint to actuate", () if self.options.actuators is None else self.options.actuators)
        for j in self.order:
            if self._stands_still(j) or j.kind in ("floating", "planar"):
                continue
            m, name = self.motions[j.name], self.names["joint", j.name]
            assert m.of is not None
            q = self._coordinate(m.of)
            if m.of == j.name and (self.options.actuators == "all" or actuated(j.name, name)):
                self._push(f"{j.name}.actuator", "actuator", q, self.model.input(f"{name}_tau"))
            if self.options.damping and j.damping:
                c = self._number(f"{name}_damping", j.damping)
                self._push(f"{j.name}.damper", "damper", q, -m.ratio * m.ratio * c * q.dot)
            if self.options.friction is not None and j.friction:
                level = self._number(f"{name}_friction", j.friction)
                force = friction_force(m.ratio * q.dot, (level, self.options.friction))
                self._push(f"{j.name}.friction", "friction", q, m.ratio * force)
        if self.options.actuators != "all":
            actuated.check()

    def _push(self, name: str, kind: str, q: Symbol, force: Expr) -> None:
        self.model.add_load(on_coordinate(name, kind, q, force))

    def _finished(self, groups: list[_LinkGroup]) -> Robot:
        model = self.model
        merged: dict[str, str] = {}
        for g in groups:
            on = "ground" if g.frame.is_ground else g.top
            merged |= {n: on for n in g.members if n != on}
        for name, link in self.text.links.items():
            model.visuals[name], model.collisions[name] = link.visuals, link.collisions
        model.details = dict(self.text.joints)
        model.report = UrdfReport(
            tuple(self.snapped), merged, dict(self.renamed), tuple(self.doubtful), dict(self.text.left_out)
        )
        for name, frame in model.links.items():
            if name not in model.frames:
                model.add_frame(name, frame)
        model.note(*model.report.lines())
        return model

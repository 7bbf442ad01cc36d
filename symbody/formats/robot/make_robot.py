"""Bodies, joints and loads of a robot from the text of its file."""

from __future__ import annotations

import fnmatch
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import symbody as sb

from ...errors import ModelError, listed, unknown
from .choices import NameChoice, RobotOptions
from .link_frames import (
    ORIGIN,
    HingeLine,
    LinkPlacement,
    Vec,
    alignment,
    seat_of_sliding,
    seat_of_turning,
    transpose,
    turn_matrix,
    turned_by,
)
from .robot import Robot, RobotReport
from .robot_numbers import LinkMass, NumbersOfRobot, joined_mass, tensor_of
from .robot_text import JointText, RobotText, tree_order

SEVERAL: Final = ("floating", "planar", "spherical")  # joints of several coordinates
EULER: Final = "euler parameters"
MOST_HINGES: Final = 8  # joints on one body that are looked at when its frame is chosen


@dataclass(frozen=True, slots=True)
class _JointMotion:
    """A joint's value: ratio · (coordinate of the joint `of`) + offset; a number where `of` is None."""

    of: str | None
    ratio: float = 1.0
    offset: float = 0.0


def _from_anchor(joint: JointText | None) -> LinkPlacement:
    """Where the child link is in the frame of its joint."""
    if joint is None or not any(joint.anchor):
        return LinkPlacement()
    x, y, z = joint.anchor
    return LinkPlacement(p=(-x, -y, -z))


class _LinkGroup:
    """Links that are fixed to each other: one body. Placements are in the frame of its joint, which is mostly that of
    its first link."""

    def __init__(self, top: str, parent: _LinkGroup | None = None, joint: JointText | None = None) -> None:
        self.top, self.parent, self.joint = top, parent, joint
        self.members: dict[str, LinkPlacement] = {top: _from_anchor(joint)}
        self.parts: list[LinkMass] = []
        self.hinges: list[HingeLine] = []  # joints that hang on it
        self.at, self.axis = LinkPlacement(), ORIGIN  # its own joint, in the frame of the parent's first link
        self.frame = sb.Frame(None)  # body frame, once it is placed; the first link is at `link` in it
        self.link = LinkPlacement()

    @property
    def com(self) -> Vec | None:
        """Mass centre, where all is numbers."""
        return joined_mass("", self.parts).c if self.parts and all(p.is_number for p in self.parts) else None


class Builder(NumbersOfRobot):
    """Builds a model from the text of a file, with the requested options."""

    def __init__(self, text: RobotText, options: RobotOptions) -> None:
        super().__init__(text, options)
        self.root, self.order = tree_order(text)
        self.motions = self._motions()
        self.rotors: list[sb.Expr] = []  # twice their kinetic energies

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
                if followed not in joints or joints[followed].kind in SEVERAL:
                    several = [n for n, j in joints.items() if j.kind not in SEVERAL]
                    raise unknown(f"{self.where}: joint {last!r} mimics", "joint of one coordinate", followed, several)
                if followed in chain:
                    raise ModelError(f"{self.where}: joints {listed(chain)} mimic each other in a cycle")
                chain.append(followed)
            last = chain.pop()
            if last not in out:
                zero = joints[last].reference
                moves = last not in held
                out[last] = _JointMotion(last, 1.0, -zero) if moves else _JointMotion(None, 0.0, held[last] - zero)
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
                raise unknown(f"{self.options.caller}: hold=", "joint that moves", pattern, joints)
            if value and (wrong := [j.name for j in fits if j.kind in SEVERAL]):
                raise ModelError(
                    f"{self.options.caller}: hold=: joint {wrong[0]!r} has several coordinates; it can be held at zero"
                )
            if not math.isfinite(value):
                raise ModelError(f"{self.options.caller}: hold=: {value} for {pattern!r} is not a finite number")
            out |= {j.name: value for j in fits}
        if self.options.free is not None:
            choice = NameChoice(self.options.caller, "joint that moves", self.options.free)
            for n, j in joints.items():
                if not choice(n, self.names["joint", n]) and not self._follows(j):
                    out.setdefault(n, 0.0)
            choice.check()
        return out

    def _coordinate(self, joint: str) -> sb.Symbol:
        name = self.names["joint", joint]
        known = self.model.symbols.get(name)
        return self.model.coordinate(name) if known is None else known

    def _value(self, joint: str) -> sb.Expr:
        """The displacement of a joint: angle or length, in terms of the coordinate that it follows."""
        m = self.motions[joint]
        assert m.of is not None
        return m.ratio * self._coordinate(m.of) + m.offset

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
                g.members[j.child] = at @ self._displaced(j) @ _from_anchor(j)
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
        return LinkPlacement(turned_by(turned, transpose(found.matrix)))

    def _gathered(self, g: _LinkGroup) -> list[LinkMass]:
        """Mass properties of a group, in the frame of its first link: links with parameters apart, all others as
        one."""
        own = [(mass, at) for name, at in g.members.items() if (mass := self._mass_of(name)) is not None]
        if self.parameters.of_bodies and own:
            return [self._symbolic(joined_mass(g.top, [mass.placed(at) for mass, at in own]))]
        parts = [self._symbolic(mass).placed(at) for mass, at in own]
        symbolic, numbers = [p for p in parts if not p.is_number], [p for p in parts if p.is_number]
        if not numbers:
            return symbolic
        free = g.top not in [p.name for p in symbolic]
        return [joined_mass(g.top if free else numbers[0].name, numbers), *symbolic]

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
                    f"{self.where}: joint {of!r} moves link {g.top!r} (line {self.text.links[g.top].line}), but neither this link nor any after it has mass; give it an <inertial>, or hold the joint: hold={{{of!r}: 0}}"
                )

    # ------------------------------------------------------------------------------------------------ frames

    def _place_root(self, root: _LinkGroup) -> None:
        if not self.options.is_free:
            root.frame = self.model.ground
            return
        base = self.names["joint", ""]
        root.frame, q = self.model.parts.moved_frame("free", base, self.model.ground, sequence=EULER)
        self.model.parts.add_joint(sb.bodies.Joint(base, "free", self.model.ground, root.frame, "ground", root.top, q))

    def _hang(self, g: _LinkGroup) -> None:
        """Give a group its body frame, by its joint."""
        joint, parent = g.joint, g.parent
        assert joint is not None
        assert parent is not None
        at, name = parent.link @ g.at, self.names["joint", joint.name]
        if joint.kind in SEVERAL:
            kind = {"floating": "free"}.get(joint.kind, joint.kind)
            outer = at.frame(parent.frame, f"{name}.parent")
            g.frame, moved = self.model.parts.moved_frame(kind, name, outer, axis=list(g.axis), sequence=EULER)
        else:
            kind = "prismatic" if joint.kind == "prismatic" else "revolute"
            outer = parent.frame
            self._seat(g, at, name)
            own = [self._coordinate(joint.name)] if not self._follows(joint) else []
            moved = self.model.parts.joint_coordinates(joint.name, own)
        inner = g.link.frame(g.frame, f"{name}.child") if any(joint.anchor) else self._link_frame(g, g.top)
        on = "ground" if parent.frame.is_ground else parent.top
        self.model.parts.add_joint(sb.bodies.Joint(joint.name, kind, outer, inner, on, g.top, moved))

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
            x, y, z = (p + a * q for p, a in zip(seat.at.p, at.direction(g.axis), strict=True))
            g.frame = on.translate(x, y, z, name=name)
        else:
            g.frame = seat.frame(on, q, name)
        g.link = seat.link

    def _link_frame(self, g: _LinkGroup, link: str) -> sb.Frame:
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
        for part in g.parts or [LinkMass(g.top, 0, ORIGIN, tensor_of(0, 0, 0))]:
            b = part.placed(g.link)
            self.model.body(b.name, g.frame, mass=b.m, com=b.c, inertia=b.I, physical=False)

    def _add_loads(self) -> None:
        actuated = NameChoice(
            self.options.caller, "joint to actuate", () if self.options.actuators is None else self.options.actuators
        )
        for j in self.order:
            if self._stands_still(j):
                continue
            if j.kind in SEVERAL:
                self._add_loads_of_several(j)
                continue
            m, name = self.motions[j.name], self.names["joint", j.name]
            assert m.of is not None
            q = self._coordinate(m.of)
            self._add_spring_and_rotor(j, q, m.ratio)
            if m.of == j.name and (self.options.actuators == "all" or actuated(j.name, name)):
                self._push(f"{j.name}.actuator", "actuator", q, self.model.input(f"{name}_tau"))
            if self.options.damping and j.damping:
                c = self._number(f"{name}_damping", j.damping)
                self._push(f"{j.name}.damper", "damper", q, -m.ratio * m.ratio * c * q.dot)
            if self.options.friction is not None and j.friction:
                level = self._number(f"{name}_friction", j.friction)
                force = -level * sb.tanh(m.ratio * q.dot / self.options.friction)
                self._push(f"{j.name}.friction", "friction", q, m.ratio * force)
        if self.options.wrench:
            self._add_wrenches()
        if self.rotors:
            self.model.kinetic_energy("rotors", sum(self.rotors) / 2)
        if self.options.actuators != "all":
            actuated.check()

    def _add_wrenches(self) -> None:
        """A force at the origin and a torque on every link that moves freely, along the axes of the ground."""
        free = [(n, j.inner) for n, j in self.model.joints.items() if j.kind == "free"]
        if not free:
            raise ModelError(f"{self.options.caller}: wrench=True: no link of {self.text.name!r} moves freely")
        for joint, frame in free:
            name = self.names.get(("joint", joint), joint)
            fx, fy, fz, tx, ty, tz = (self.model.input(f"{name}_{k}") for k in ("fx", "fy", "fz", "tx", "ty", "tz"))
            ground = self.model.ground
            self.model.force(f"{joint}.force", frame, ground.vector(fx, fy, fz))
            self.model.torque(f"{joint}.torque", frame, ground.vector(tx, ty, tz))

    def _add_spring_and_rotor(self, j: JointText, q: sb.Symbol, ratio: float) -> None:
        name = self.names["joint", j.name]
        if j.stiffness:
            k = self._number(f"{name}_stiffness", j.stiffness)
            stretch = self._value(j.name) + j.reference - j.rest
            self._push(f"{j.name}.spring", "spring", q, ratio * (-k * stretch), k * stretch**2 / 2)
        if j.armature:
            self.rotors.append(ratio * ratio * self._number(f"{name}_armature", j.armature) * q.dot**2)

    def _add_loads_of_several(self, j: JointText) -> None:
        """Damping and rotor inertia on every speed of a spherical or floating joint."""
        name = self.names["joint", j.name]
        made = self.model.joints[j.name]
        if j.damping and self.options.damping:
            c = self._number(f"{name}_damping", j.damping)
            turns = -c * made.inner.angular_velocity(made.outer)
            self.model.torque(f"{j.name}.damper", made.inner, turns, reacting=made.outer)
            for q in made.coordinates[:3] if j.kind == "floating" else ():
                self._push(f"{j.name}.damper.{q.name}", "damper", q, -c * q.dot)
        if j.armature:
            A = self._number(f"{name}_armature", j.armature)
            slides, parameters = (
                (made.coordinates[:3], made.coordinates[3:]) if j.kind == "floating" else ((), made.coordinates)
            )
            # |ω|² = 4 |e'|² of Euler parameters e of norm one
            self.rotors.append(A * (sum(q.dot**2 for q in slides) + 4 * sum(e.dot**2 for e in parameters)))
        if j.stiffness:
            self.doubtful.append(f"joint {j.name!r}: the stiffness of a {j.kind} joint is not in the model")

    def _push(self, name: str, kind: str, q: sb.Symbol, force: sb.Expr, potential: sb.Expr | None = None) -> None:
        self.model.parts.add_load(sb.bodies.Load(name, kind, potential=potential, on_rates={q: force}))

    def _inactive(self) -> dict[str, int]:
        """What the file says and the model does not do, with the number of joints or shapes that say it."""
        joints = [j for j in self.text.joints.values() if j.name in self.model.joints or j.mimic is not None]
        limited = [j for j in joints if j.limits.lower is not None or j.limits.upper is not None]
        damped = [j for j in joints if j.damping and not self.options.damping]
        rubbing = [j for j in joints if j.friction and self.options.friction is None]
        shapes = sum(len(link.collisions) for link in self.text.links.values())
        counts = {
            "limits of joints, which robot.details has; robot.joint_stops() makes contacts of them": len(limited),
            "damping of joints, unless damping=True": len(damped),
            "dry friction of joints, unless friction= is given": len(rubbing),
            "shapes that collide; robot.contacts() makes contacts of them": shapes,
            **self.text.colliding,
        }
        return {what: n for what, n in counts.items() if n}

    def _finished(self, groups: list[_LinkGroup]) -> Robot:
        model = self.model
        merged: dict[str, str] = {}
        for g in groups:
            on = "ground" if g.frame.is_ground else g.top
            merged |= {n: on for n in g.members if n != on}
        for name, link in self.text.links.items():
            model.visuals[name], model.collisions[name] = link.visuals, link.collisions
        model.details = dict(self.text.joints)
        model.report = RobotReport(
            tuple(self.snapped),
            merged,
            dict(self.renamed),
            tuple(self.doubtful),
            dict(self.text.left_out),
            self._inactive(),
        )
        for name, frame in model.links.items():
            if name not in model.frames:
                model.parts.add_frame(name, frame)
        model.note(*model.report.lines())
        return model

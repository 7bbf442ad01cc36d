"""A robot read from a file: a model, with visuals, collision shapes and details of the file, and the angles that were
snapped."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import symbody as sb

from ...argument_kinds import answered_class
from ...errors import in_number, unknown
from ...summary import Introduced, Summary, counted, listing, summary_rows
from .collision_contacts import chosen_links, shape_contacts, stop_contacts
from .link_frames import GRID
from .robot_text import JointText, LinkShape, Printed


@dataclass(frozen=True)
class Snap:
    """An angle of the file that was taken for an exact multiple of pi."""

    where: str
    text: str
    multiple: Fraction
    off: float


@dataclass(frozen=True, repr=False)
class RobotReport(Introduced):
    """Changes and omissions made while reading a file; `print(robot.report)`.

    snapped    angles taken for exact multiples of pi
    merged     link -> link of whose body it is a part, since fixed joints are between them ("ground" for those fixed to
               the ground)
    renamed    names of the file that are not identifiers -> how their symbols begin
    doubtful   sentences: inertias that no body has, and the like
    left_out   elements that were not read, and how many of them there are
    inactive   elements that were read and have no effect in the model, with their number: contacts, limits, damping, friction

    >>> robot = sb.read_mjcf('''
    ... <mujoco model="pendulum"><worldbody><body name="pole"><joint name="hinge" axis="0 1 0"/>
    ... <inertial pos="0 0 -0.5" mass="2" diaginertia="1 1 5"/></body></worldbody></mujoco>
    ... ''')
    >>> robot.report.doubtful[0][:61]
    "link 'pole': no body has the principal inertias 1, 1, 5 (each"

    See also: `formats.Robot`, `read_urdf`.
    """

    snapped: tuple[Snap, ...]
    merged: Mapping[str, str]
    renamed: Mapping[str, str]
    doubtful: tuple[str, ...]
    left_out: Mapping[str, int]
    inactive: Mapping[str, int] = field(default_factory=dict)

    def lines(self) -> list[str]:
        """The report, line by line.

        >>> robot = sb.read_mjcf('''
        ... <mujoco model="pendulum"><worldbody><body name="pole"><joint name="hinge" axis="0 1 0"/>
        ... <inertial pos="0 0 -0.5" mass="2" diaginertia="0.1 0.1 0.1"/></body></worldbody></mujoco>
        ... ''')
        >>> len(robot.report.lines())
        1
        """
        alike = Counter((s.text, s.multiple, s.off) for s in self.snapped)
        out = [f"angle {t} is read as {_pi_text(k)} ({n} times, off by {d:z.2g})" for (t, k, d), n in alike.items()]
        bodies: dict[str, list[str]] = {}
        for link, into in self.merged.items():
            bodies.setdefault(into, []).append(link)
        out += [f"{in_number(links, 'link {} is', 'links {} are')} part of {into}" for into, links in bodies.items()]
        out += [f"{old!r} is named {new} in symbols" for old, new in self.renamed.items()]
        out += [*self.doubtful, *(f"not read: {n} {what}" for what, n in self.left_out.items())]
        return [*out, *(f"does not act in the model: {what} ({n})" for what, n in self.inactive.items())]

    def __str__(self) -> str:
        return "\n".join(self.lines()) or "read without changes"

    def __repr__(self) -> str:
        return str(Summary("RobotReport", tuple(("-", line) for line in self.lines())))


@dataclass(frozen=True)
class ActuatorText:
    """An actuator of a file: its input, its gear, and the ranges of control and force. The model does not enforce that of
    the control, and that of the force only with `read_mjcf(force_limits=True)`."""

    input: str
    gear: tuple[float, ...]
    control_range: tuple[float, ...] | None = None
    force_range: tuple[float, ...] | None = None


@answered_class
class Robot(sb.Model):
    """A model read from the file of a robot (URDF, MJCF, SDF, OpenSim); you can add parts as to any other model. Besides:

    links       frame of every link of the file, those of merged links included
    visuals     shapes of each link, to be seen; `collisions` those to collide
    details     data of each joint in the file: limits, effort, damping, friction
    report      what reading changed or left out
    sites       frames of an MJCF file beside those of links; `tendons` lengths, `actuators` what drives what
    keyframes   states by name, each a number for every coordinate; "qpos0" is the configuration that an MJCF file shows

    >>> robot = sb.read_mjcf('''
    ... <mujoco model="pendulum"><worldbody><body name="pole"><joint name="hinge" axis="0 1 0"/>
    ... <inertial pos="0 0 -0.5" mass="2" diaginertia="0.1 0.1 0.1"/></body></worldbody></mujoco>
    ... ''')
    >>> list(robot.links), list(robot.keyframes)
    (['pole', 'world'], ['qpos0'])
    >>> robot.pose("pole").offset
    vector(0, 0, 0)

    See also: `read_urdf`, `read_mjcf`, `read_sdf`, `formats.RobotReport`.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.links: dict[str, sb.Frame] = {}
        self.visuals: dict[str, tuple[LinkShape, ...]] = {}
        self.collisions: dict[str, tuple[LinkShape, ...]] = {}
        self.details: dict[str, JointText] = {}
        self.report = RobotReport((), {}, {}, (), {})
        self.sites: dict[str, sb.Frame] = {}
        self.tendons: dict[str, sb.Expr] = {}
        self.actuators: dict[str, ActuatorText] = {}
        self.keyframes: dict[str, dict[str, float]] = {}

    def _more_rows(self) -> tuple[tuple[str, str], ...]:
        remarks = len(self.report.lines())
        read = f"{counted(remarks, 'remark')}: print(robot.report)" if remarks else "as it stands"
        return summary_rows(links=listing(self.links), read=read)

    def unused_name(self, name: str) -> str:
        """The name, with a number where a symbol has it."""
        known = self.symbols
        return next(n for k in range(len(known) + 2) if (n := name if k == 0 else f"{name}_{k + 1}") not in known)

    def value_at(self, e: sb.Expr, state: Mapping[str, float]) -> float:
        """An expression in coordinates and parameters, at a state by names and default values."""
        values = {**self.parts.default_values, **{self.symbols[n]: x for n, x in state.items()}}
        return float(sb.evaluate(e, values))

    def link(self, name: str) -> sb.Frame:
        """The frame of a link of the file, fixed to the body that it is part of.

        >>> robot = sb.read_mjcf('''
        ... <mujoco model="pendulum"><worldbody><body name="pole"><joint name="hinge" axis="0 1 0"/>
        ... <inertial pos="0 0 -0.5" mass="2" diaginertia="0.1 0.1 0.1"/></body></worldbody></mujoco>
        ... ''')
        >>> robot.link("pole").angular_velocity().in_ground, robot.jacobian("pole")
        (vector(0, hinge_dot, 0), vector(0, 0, 0, 0, 1, 0))
        >>> robot.unused_name("hinge"), robot.value_at(3 * robot.symbols["hinge"], {"hinge": 0.5})
        ('hinge_2', 1.5)

        See also: `kits.robots.task`, `Frame`.
        """
        if name not in self.links:
            raise unknown(f"robot {self.name!r}", "link", name, self.links)
        return self.links[name]

    def pose(self, link: str) -> sb.bodies.Pose:
        """Rotation and place of a link's frame in the ground."""
        return self.link(link).pose_in(self.ground)

    def jacobian(self, link: str, along: sb.Frame | None = None) -> sb.Matrix:
        """∂(v, ω)/∂u of a link: velocity of the origin of its frame and angular velocity, along the axes of the ground
        or of another frame, by the speeds of the robot. `sb.kits.robots.task(eq, robot.link(name))` has its rate, and inertia and
        control in the task."""
        return sb.kits.robots.link_jacobian(self.freeze(), self.link(link), along)

    def contacts(
        self,
        floor: Any = None,
        *,
        links: Iterable[str] | None = None,
        friction: float | None = None,
        restitution: Any = 0,
        across: Any = None,
        meshes: Mapping[str, str | Path] | None = None,
    ) -> list[sb.Contact]:
        """Contacts of the shapes that collide with a surface: a contact for a sphere, two for a capsule, one for each corner
        of a box, for points on both rims of a cylinder, and for up to 26 corners of the convex hull of a mesh.

        floor         the surface; by default `HalfSpace(robot.ground)`
        links         whose shapes touch; by default all that have some and are not fixed to the ground
        friction      coefficient; by default that of each shape in an MJCF file (files of other formats have none: 0)
        restitution   of all contacts
        across        a vector normal to the plane of a planar robot, as for `touch`
        meshes        folders that stand for the beginnings of names of mesh files, `{"package://": folder}`; nothing else is
                      opened

        >>> robot = sb.read_mjcf('''
        ... <mujoco model="ball"><worldbody><body name="ball" pos="0 0 1"><joint name="z" type="slide" axis="0 0 1"/>
        ... <geom type="sphere" size="0.1" friction="0.4"/></body></worldbody></mujoco>
        ... ''')
        >>> [c.name for c in robot.contacts()], robot.contacts()[0].gap
        (['ball'], z + 0.9)

        See also: `Contact`, `touch`, `Contacts`, `environment`.
        """
        where = f"contacts of robot {self.name!r}"
        fixed = {link for link, into in self.report.merged.items() if into == "ground"}
        shapes = chosen_links(self.collisions, links, fixed, where)
        surface = sb.HalfSpace(self.ground) if floor is None else floor
        return shape_contacts(
            self.links, shapes, surface, friction, {"restitution": restitution}, across, where, meshes or {}
        )

    @property
    def action_limits(self) -> dict[str, tuple[float, float]]:
        """Intervals of inputs, for `environment(actions=)`: control ranges of the actuators of an MJCF file, efforts of the
        joints of other files. Inputs without either are left out.

        >>> robot = sb.read_mjcf('''
        ... <mujoco model="pendulum"><worldbody><body name="pole"><joint name="hinge" axis="0 1 0"/>
        ... <inertial pos="0 0 -0.5" mass="2" diaginertia="0.1 0.1 0.1"/></body></worldbody>
        ... <actuator><motor name="motor" joint="hinge" gear="2" ctrllimited="true" ctrlrange="-1 1"/></actuator></mujoco>
        ... ''')
        >>> robot.action_limits
        {'motor_ctrl': (-1.0, 1.0)}

        See also: `environment`, `formats.Robot`.
        """
        inputs = self.symbols
        ranges = {a.input: a.control_range for a in self.actuators.values() if a.control_range is not None}
        out = {name: (float(low), float(high)) for name, (low, high) in ranges.items() if name in inputs}
        for joint, its in self.details.items():
            if its.limits.effort is not None and f"{joint}_tau" in inputs:
                out.setdefault(f"{joint}_tau", (-its.limits.effort, its.limits.effort))
        return out

    def joint_stops(self, joints: Iterable[str] | None = None, *, restitution: Any = 0) -> list[sb.Contact]:
        """Contacts at the limits of the joints: of all that have limits, or of some by name.

        >>> robot = sb.read_mjcf('''
        ... <mujoco model="pendulum"><compiler angle="radian"/><worldbody><body name="pole">
        ... <joint name="hinge" axis="0 1 0" limited="true" range="-1 2"/>
        ... <inertial pos="0 0 -0.5" mass="2" diaginertia="0.1 0.1 0.1"/></body></worldbody></mujoco>
        ... ''')
        >>> [(c.name, c.gap) for c in robot.joint_stops()]
        [('hinge lower', hinge + 1), ('hinge upper', 2 - hinge)]

        See also: `Contact`, `formats.Robot`.
        """
        given = {"restitution": restitution}
        return stop_contacts(self.details, self.symbols, given, joints, f"stops of robot {self.name!r}")


# ---------------------------------------------------------------------------------------------------------- angles


def exact_multiple(angle: Printed, tolerance: float) -> Fraction | None:
    """k where a printed angle is k pi, k a multiple of 1/12, cut short or rounded: off by one unit of its last digit at
    most, and by `tolerance` at most. Zeros at the end do not count as digits."""
    n = round(angle.value * GRID / math.pi)
    off = abs(angle.value - n * math.pi / GRID)
    exponent = Decimal(angle.text).normalize().as_tuple().exponent
    unit = 10.0 ** min(int(exponent), 0) if n else 0.0
    return Fraction(n, GRID) if off <= min(max(unit, 1e-12), tolerance) else None


def same_multiple(angle: float) -> Fraction | None:
    """k where an angle is the number of the machine that is nearest to k pi, k a multiple of 1/12 that is not zero (or
    its neighbour: k pi is rounded twice)."""
    n = round(angle * GRID / math.pi)
    return Fraction(n, GRID) if n and abs(angle - n * math.pi / GRID) <= math.ulp(angle) else None


def _pi_text(k: Fraction) -> str:
    if k == 0:
        return "0"
    top = {1: "pi", -1: "-pi"}.get(k.numerator, f"{k.numerator} pi")
    return top if k.denominator == 1 else f"{top}/{k.denominator}"

"""A robot as its file says it, checked: links, joints, shapes. No mechanics yet; readers of every format fill these."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from ...errors import ModelError, listed, unknown


class Printed(NamedTuple):
    """A number and the text it was printed as, which says how many of its digits count."""

    value: float
    text: str


Three = tuple[float, float, float]
Angles = tuple[Printed, Printed, Printed]
NO_ANGLES: Final[Angles] = (Printed(0.0, "0"),) * 3


@dataclass(frozen=True, slots=True)
class LinkShape:
    """A shape fixed to a link, to be seen (or to collide).

    kind           box, cylinder, sphere, capsule or mesh
    size           edges of a box; radius and length of a cylinder or capsule (about z); radius of a sphere; nothing for
                   a mesh
    file, scale    of a mesh, as the file names them; it is never opened
    position, rpy  of the shape in the link frame; rpy is Rz(yaw) Ry(pitch) Rx(roll)
    colour         red, green, blue, opacity
    friction       coefficient of sliding friction; None if the file has none
    """

    kind: str
    size: tuple[float, ...] = ()
    file: str = ""
    scale: Three = (1.0, 1.0, 1.0)
    position: Three = (0.0, 0.0, 0.0)
    rpy: Three = (0.0, 0.0, 0.0)
    colour: tuple[float, float, float, float] | None = None
    name: str = ""
    friction: float | None = None


@dataclass(frozen=True, slots=True)
class InertialText:
    """Mass, and where and how the inertia is given: about the mass centre, along axes turned by rpy. tensor: xx, yy,
    zz, xy, xz, yz."""

    mass: float
    position: Three
    rpy: Angles
    tensor: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class LinkText:
    name: str
    line: int
    inertial: InertialText | None
    visuals: tuple[LinkShape, ...]
    collisions: tuple[LinkShape, ...]


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a joint's position, speed and effort, for information: the model does not enforce them. None where the
    file has none."""

    lower: float | None = None
    upper: float | None = None
    effort: float | None = None
    velocity: float | None = None


@dataclass(frozen=True, slots=True)
class Mimic:
    """This joint's coordinate is multiplier · (that of `joint`) + offset."""

    joint: str
    multiplier: float
    offset: float


@dataclass(frozen=True, slots=True)
class JointText:
    """A joint as the file describes it: the place of its frame in the parent link, and the motion along or about `axis` of that
    frame.

    kind        fixed, revolute, continuous, prismatic, planar, spherical or floating
    anchor      the joint's frame in the child link, from which it is only displaced
    reference   coordinate at which the links are placed as the file shows them
    stiffness   of a spring that rests where the coordinate is `rest`
    armature    inertia of a rotor, in terms of the joint's rate
    """

    name: str
    line: int
    kind: str
    parent: str
    child: str
    position: Three
    rpy: Angles
    axis: Three
    limits: Limits = Limits()
    damping: float = 0.0
    friction: float = 0.0
    mimic: Mimic | None = None
    anchor: Three = (0.0, 0.0, 0.0)
    reference: float = 0.0
    stiffness: float = 0.0
    rest: float = 0.0
    armature: float = 0.0


@dataclass(frozen=True)
class RobotText:
    """All that was read. `left_out`: elements and shapes that are not read, with their number; `format`: a description
    of the file; `colliding`: colliding surfaces that are not shapes of links, such as planes, with their number."""

    name: str
    links: Mapping[str, LinkText]
    joints: Mapping[str, JointText]
    left_out: Mapping[str, int] = field(default_factory=dict)
    format: str = "URDF"
    colliding: Mapping[str, int] = field(default_factory=dict)

    @property
    def where(self) -> str:
        return f"{self.format} {self.name!r}"


# ---------------------------------------------------------------------------------------------------------- the tree


def tree_order(robot: RobotText) -> tuple[str, list[JointText]]:
    """The root link, and the joints from the root outwards, each branch to its end before the next. Refuses links that
    do not form a tree."""
    above: dict[str, JointText] = {}
    below: dict[str, list[JointText]] = {name: [] for name in robot.links}
    for j in robot.joints.values():
        for what, link in (("parent", j.parent), ("child", j.child)):
            if link not in robot.links:
                raise unknown(f"{robot.where}: joint {j.name!r} (line {j.line}), {what}", "link", link, robot.links)
        if j.child in above:
            raise ModelError(
                f"{robot.where}: link {j.child!r} has two parent joints, {above[j.child].name!r} and {j.name!r}; a {robot.format} is a tree: cut "
                "the loop, and close it in the model by a joint between bodies that are placed already"
            )
        above[j.child] = j
        below[j.parent].append(j)
    roots = [name for name in robot.links if name not in above]
    if len(roots) > 1:
        raise ModelError(
            f"{robot.where}: {len(roots)} links have no parent ({listed(roots)}); there must be one root: connect the others to it by "
            "joints"
        )
    order, stack = [], [j for r in roots for j in reversed(below[r])]
    while stack:
        order.append(stack.pop())
        stack.extend(reversed(below[order[-1].child]))
    if len(order) + 1 < len(robot.links):
        reached = {*roots, *(j.child for j in order)}
        lost = [name for name in robot.links if name not in reached]
        raise ModelError(
            f"{robot.where}: links {listed(lost)} form a loop; a {robot.format} is a tree: remove one of their joints"
        )
    return roots[0], order

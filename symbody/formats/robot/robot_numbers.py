"""Names and numbers of a robot: how links and joints are called in symbols, which numbers are parameters, mass
properties of links."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import symbody as sb

from ...errors import ModelError
from ...escaping import identifier
from .choices import Parameters, RobotOptions
from .link_frames import (
    LinkPlacement,
    Mat,
    Scalar,
    Vec,
    direction_of,
    from_rpy,
    is_number,
    is_zero,
    size_of,
    symmetric,
    without_rounding,
)
from .robot import Robot, Snap, exact_multiple, same_multiple
from .robot_text import Angles, JointText, Printed, RobotText

_ENTRIES: Final = {"xx": (0, 0), "yy": (1, 1), "zz": (2, 2), "xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}
_PLACED: Final = ["_px", "_py", "_pz", "_roll", "_pitch", "_yaw"]
_ENDINGS: Final[dict[str, list[str]]] = {  # of the symbols that a joint or link may have
    "link": ["_m", "_cx", "_cy", "_cz", *(f"_I{k}" for k in _ENTRIES)],
    "revolute": ["", "_dot", "_ddot", "_tau", "_damping", "_friction", *_PLACED],
    "floating": [f"_{k}{d}" for k in "x y z e0 e1 e2 e3 wx wy wz".split() for d in ("", "_dot", "_ddot")] + _PLACED,
    "spherical": [f"_{k}{d}" for k in "e0 e1 e2 e3 wx wy wz".split() for d in ("", "_dot", "_ddot")] + _PLACED,
    "planar": [f"_{k}{d}" for k in "xyza12" for d in ("", "_dot", "_ddot")] + _PLACED,
}


@dataclass(frozen=True, slots=True)
class LinkMass:
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

    def placed(self, at: LinkPlacement) -> LinkMass:
        return replace(self, c=at.point(self.c), I=at.tensor(self.I))


def joined_mass(name: str, parts: Sequence[LinkMass]) -> LinkMass:
    """Several bodies, all numbers, as one."""
    if len(parts) == 1:
        return replace(parts[0], name=name)
    m = math.fsum(b.m for b in parts)
    c = [math.fsum(b.m * b.c[i] for b in parts) / (m or 1.0) for i in range(3)]
    c = [without_rounding(x, size_of(*(b.c[i] for b in parts))) for i, x in enumerate(c)]
    I = [[0.0] * 3 for _ in range(3)]
    for b in parts:
        r = [x - y for x, y in zip(b.c, c, strict=True)]
        rr = sum(x * x for x in r)
        for i, j in _ENTRIES.values():
            I[i][j] += b.I[i][j] + b.m * (rr * (i == j) - r[i] * r[j])
    size = size_of(*(x for row in I for x in row))
    return LinkMass(name, m, (c[0], c[1], c[2]), symmetric([[without_rounding(x, size) for x in row] for row in I]))


def tensor_of(xx: Scalar, yy: Scalar, zz: Scalar, xy: Scalar = 0, xz: Scalar = 0, yz: Scalar = 0) -> Mat:
    return (xx, xy, xz), (xy, yy, yz), (xz, yz, zz)


class NumbersOfRobot:
    """What a file and the options say of names and numbers."""

    def __init__(self, text: RobotText, options: RobotOptions) -> None:
        self.text, self.options = text, options
        self.where = text.where
        self.model = Robot(text.name)
        self.parameters = Parameters(options.caller, options.parameters)
        self.snapped: list[Snap] = []
        self.doubtful: list[str] = []
        self.renamed: dict[str, str] = {}
        self.taken: set[str] = {"t"}
        self.repeated: dict[str, int] = {}
        self.names: dict[tuple[str, str], str] = {}  # of a link or joint, as it goes into symbols
        self._choose_names()

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
        """A name whose symbols (with these endings) are not taken yet."""
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
        """An angle of the file, exact where it is a multiple of pi to the last digit of the machine, or is taken for
        one."""
        if not given.value:
            return given.value
        if (k := same_multiple(given.value)) is not None:
            return sb.pi * k
        tolerance = self.options.tolerance
        k = None if tolerance is None else exact_multiple(given, tolerance)
        if k is None:
            return given.value
        self.snapped.append(Snap(where, given.text, k, abs(given.value - float(k) * math.pi)))
        return sb.pi * k

    def _number(self, name: str, value: Scalar, geometric: bool = False) -> Scalar:
        """A number of the file: a parameter if it is chosen to be one and is not an exact value."""
        if isinstance(value, sb.Expr) or value == 0 or not self.parameters.chooses(name, geometric):
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

    def _mass_of(self, link: str) -> LinkMass | None:
        """Mass properties of a link in its own frame, as numbers."""
        given = self.text.links[link].inertial
        if given is None:
            return None
        turned = LinkPlacement(from_rpy(*self._angles(f"inertial of {link!r}", given.rpy)))
        made = LinkMass(link, given.mass, given.position, turned.tensor(tensor_of(*given.tensor)))
        if made.is_nothing:
            return None
        self._judge(made)
        return made

    def _judge(self, mass: LinkMass) -> None:
        """Report, or refuse, what no body has."""
        try:
            sb.Model("check").body(mass.name, mass=mass.m, com=mass.c, inertia=mass.I)
            if mass.m == 0:
                raise ModelError(f"body {mass.name!r}: it has an inertia but no mass")
        except ModelError as reason:
            says = str(reason).removeprefix("body ").partition("; ")[0]
            if self.options.strict:
                raise ModelError(f"{self.where}: link {says}; strict=False accepts it") from None
            self.doubtful.append(f"link {says}")

    def _symbolic(self, mass: LinkMass) -> LinkMass:
        """With parameters in the place of the numbers that are chosen."""
        base = self.names["link", mass.name]
        m = self._number(f"{base}_m", mass.m)
        x, y, z = (self._number(f"{base}_c{k}", c) for k, c in zip("xyz", mass.c, strict=True))
        I = [self._number(f"{base}_I{k}", mass.I[i][j]) for k, (i, j) in _ENTRIES.items()]
        return LinkMass(mass.name, m, (x, y, z), tensor_of(*I))

"""The text of a URDF file, checked: links, joints, shapes. No mechanics yet.

The file is parsed by expat without a document type: DOCTYPE and entities are refused before anything of them is expanded. Nothing else is
opened: meshes stay names of files.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple, NoReturn
from xml.parsers import expat

from ...errors import ModelError, listed, shown, unknown
from ...escaping import checked_name

MOST_BYTES: Final = 256 * 2**20
MOST_NESTING: Final = 64
JOINT_KINDS: Final = ("fixed", "revolute", "continuous", "prismatic", "floating", "planar")
_NUMBER: Final = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_KNOWN: Final = {  # elements that are read, and those whose absence from the model is no loss; all others are reported
    "robot": ("link", "joint", "material"),
    "link": ("inertial", "visual", "collision"),
    "inertial": ("origin", "mass", "inertia"),
    "joint": ("origin", "parent", "child", "axis", "limit", "dynamics", "mimic"),
}


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
    size           edges of a box; radius and length of a cylinder or capsule (about z); radius of a sphere; nothing for a mesh
    file, scale    of a mesh: where it is said to be; it is never opened
    position, rpy  of the shape in the link frame; rpy is Rz(yaw) Ry(pitch) Rx(roll)
    colour         red, green, blue, opacity
    """

    kind: str
    size: tuple[float, ...] = ()
    file: str = ""
    scale: Three = (1.0, 1.0, 1.0)
    position: Three = (0.0, 0.0, 0.0)
    rpy: Three = (0.0, 0.0, 0.0)
    colour: tuple[float, float, float, float] | None = None
    name: str = ""


@dataclass(frozen=True, slots=True)
class InertialText:
    """Mass, and where and how the inertia is given: about the mass centre, along axes turned by rpy. tensor: xx, yy, zz, xy, xz, yz."""

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
    """Limits of a joint's position, speed and effort, for information: the model does not enforce them. None where the file has none."""

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
    """A joint as the file says it: where its frame is in the parent link, and what moves along or about `axis` of that frame."""

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


@dataclass(frozen=True)
class RobotText:
    """All that was read. `left_out`: elements and shapes that are not read, with their number."""

    name: str
    links: Mapping[str, LinkText]
    joints: Mapping[str, JointText]
    left_out: Mapping[str, int] = field(default_factory=dict)


def robot_text(source: Any) -> RobotText:
    """Read a file (by its path) or a text (which starts with <)."""
    where, data = _content(source)
    return _UrdfReader(where).robot(_parsed(where, data))


# ---------------------------------------------------------------------------------------------------------- files


def _content(source: Any) -> tuple[str, str | bytes]:
    if isinstance(source, bytes):
        return "URDF text", _of_bearable_size("URDF text", source)
    if isinstance(source, str) and source.lstrip("\ufeff \t\r\n").startswith("<"):
        return "URDF text", _of_bearable_size("URDF text", source.lstrip("\ufeff \t\r\n"))
    if isinstance(source, str) and re.match(r"[A-Za-z][\w+.-]+://", source):
        raise ModelError(
            f"read_urdf: {shown(source)} is an address; nothing is fetched: save the file and give its path"
        )
    if not isinstance(source, (str, Path)):
        raise ModelError(f"read_urdf: expected the path of a file or a text that starts with <, got {shown(source)}")
    path = Path(source)
    try:
        if not path.is_file():
            what = "is not a plain file" if path.exists() else "there is no such file"
            raise ModelError(f"read_urdf: {shown(str(source))}: {what}; give the path of a URDF file, or its text")
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as reason:
        raise ModelError(f"read_urdf: {shown(str(source))} cannot be read: {reason}") from None
    return f"URDF {path.name!r}", _of_bearable_size(f"URDF {path.name!r}", data)


def _of_bearable_size(where: str, data: str | bytes) -> str | bytes:
    if len(data) > MOST_BYTES:
        raise ModelError(f"{where}: larger than {MOST_BYTES // 2**20} MB; this is no description of a robot")
    return data


# ---------------------------------------------------------------------------------------------------------- XML


class XmlElement:
    """An element of the file, with the line where it starts."""

    __slots__ = ("attributes", "children", "line", "tag")

    def __init__(self, tag: str, attributes: dict[str, str], line: int) -> None:
        self.tag, self.attributes, self.line = tag, attributes, line
        self.children: list[XmlElement] = []

    def all(self, tag: str) -> Iterator[XmlElement]:
        return (c for c in self.children if c.tag == tag)


def _parsed(where: str, data: str | bytes) -> XmlElement:
    """The root element. Documents with a DOCTYPE end here, before any entity of theirs is looked at."""
    parser = expat.ParserCreate()
    parser.buffer_text = True
    top = XmlElement("", {}, 0)
    stack = [top]

    def start(tag: str, attributes: dict[str, str]) -> None:
        if len(stack) > MOST_NESTING:
            raise ModelError(
                f"{where}: line {parser.CurrentLineNumber}: elements are nested more than {MOST_NESTING} deep"
            )
        for name, value in attributes.items():
            checked_name(value, f"{where}: line {parser.CurrentLineNumber}: {shown(name)}")
        element = XmlElement(tag, attributes, parser.CurrentLineNumber)
        stack[-1].children.append(element)
        stack.append(element)

    def end(tag: str) -> None:
        stack.pop()

    def refuse(*_: Any) -> NoReturn:
        raise ModelError(
            f"{where}: line {parser.CurrentLineNumber}: a DOCTYPE or entity is declared; a URDF needs none, and it could make the file "
            "expand without end or reach for other files: delete the declaration"
        )

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = parser.ExternalEntityRefHandler = refuse
    parser.UnparsedEntityDeclHandler = refuse
    try:
        parser.Parse(data, True)
    except expat.ExpatError as reason:
        raise ModelError(f"{where} is not XML: {reason}") from None
    except (UnicodeError, LookupError, ValueError) as reason:
        if isinstance(reason, ModelError):
            raise
        raise ModelError(f"{where} is not XML: {reason}") from None
    return top.children[0]


# ---------------------------------------------------------------------------------------------------------- elements


class _UrdfReader:
    """Elements -> checked data; remembers what it leaves out."""

    def __init__(self, source: str) -> None:
        self._source, self._where = source, source
        self._left_out: Counter[str] = Counter()

    def _wrong(self, says: str, line: int) -> ModelError:
        return ModelError(f"{self._where} (line {line}): {says}")

    def robot(self, root: XmlElement) -> RobotText:
        if root.tag != "robot":
            hint = "; this is an SDF file, not a URDF" if root.tag == "sdf" else ""
            raise self._wrong(f"the root element is <{root.tag}>, not <robot>{hint}", root.line)
        name = root.attributes.get("name", "").strip() or "robot"
        self._refuse_xacro(root)
        self._note_unknown(root)
        colours = self._colours(root)
        links: dict[str, LinkText] = {}
        joints: dict[str, JointText] = {}
        for e in root.all("link"):
            link = self._link(e, colours)
            self._once("link", link, links)
        for e in root.all("joint"):
            self._once("joint", self._joint(e), joints)
        self._where = self._source
        if not links:
            raise self._wrong("there is no <link>", root.line)
        return RobotText(name, links, joints, dict(self._left_out))

    def _refuse_xacro(self, root: XmlElement) -> None:
        if macro := next((c for c in root.children if c.tag.startswith("xacro:")), None):
            raise self._wrong(f"<{macro.tag}>: this is a xacro file; expand it with `xacro` first", macro.line)

    def _once(self, what: str, made: Any, known: dict[str, Any]) -> None:
        if (first := known.get(made.name)) is not None:
            raise ModelError(
                f"{self._source}: there are two {what}s {shown(made.name)} (lines {first.line} and {made.line}); rename one"
            )
        known[made.name] = made

    def _note_unknown(self, e: XmlElement) -> None:
        for c in e.children:
            if c.tag not in _KNOWN[e.tag]:
                self._left_out[f"<{c.tag}> in <{e.tag}>"] += 1

    def _name(self, e: XmlElement) -> str:
        name = e.attributes.get("name", "").strip()
        if not name:
            raise self._wrong(f"a <{e.tag}> without a name", e.line)
        self._where = f"{self._source}: {e.tag} {shown(name)}"
        return name

    def _only(self, e: XmlElement, tag: str) -> XmlElement | None:
        found = list(e.all(tag))
        if len(found) > 1:
            raise self._wrong(f"{len(found)} <{tag}> where one is expected", found[1].line)
        return found[0] if found else None

    # ------------------------------------------------------------------------------------------------ numbers

    def _numbers(self, e: XmlElement, key: str, count: int, default: str | None = None) -> tuple[Printed, ...]:
        text = e.attributes.get(key, default)
        if text is None:
            raise self._wrong(f"<{e.tag}> has no {key}=", e.line)
        words = text.split()
        if len(words) != count:
            raise self._wrong(f"<{e.tag} {key}={shown(text)}> needs {count} number{'s' * (count > 1)}", e.line)
        return tuple(self._number(e, key, w) for w in words)

    def _number(self, e: XmlElement, key: str, word: str) -> Printed:
        value = float(word) if _NUMBER.fullmatch(word) else math.nan
        if not math.isfinite(value):
            raise self._wrong(f"<{e.tag} {key}=...>: {shown(word)} is not a finite number", e.line)
        return Printed(value, word)

    def _one(self, e: XmlElement, key: str, default: str | None = None) -> float:
        return self._numbers(e, key, 1, default)[0].value

    def _three(self, e: XmlElement, key: str, default: str | None = None) -> Three:
        x, y, z = self._numbers(e, key, 3, default)
        return x.value, y.value, z.value

    def _maybe(self, e: XmlElement, key: str) -> float | None:
        return None if key not in e.attributes else self._one(e, key)

    def _origin(self, e: XmlElement) -> tuple[Three, Angles]:
        origin = self._only(e, "origin")
        if origin is None:
            return (0.0, 0.0, 0.0), NO_ANGLES
        roll, pitch, yaw = self._numbers(origin, "rpy", 3, "0 0 0")
        return self._three(origin, "xyz", "0 0 0"), (roll, pitch, yaw)

    # ------------------------------------------------------------------------------------------------ links

    def _link(self, e: XmlElement, colours: Mapping[str, Any]) -> LinkText:
        name = self._name(e)
        self._note_unknown(e)
        inertial = self._only(e, "inertial")
        return LinkText(
            name, e.line, None if inertial is None else self._inertial(inertial),
            tuple(self._shapes(e, "visual", colours)), tuple(self._shapes(e, "collision", colours)),
        )  # fmt: skip

    def _inertial(self, e: XmlElement) -> InertialText:
        self._note_unknown(e)
        position, rpy = self._origin(e)
        mass, tensor = self._only(e, "mass"), self._only(e, "inertia")
        if mass is None:
            raise self._wrong("<inertial> has no <mass>", e.line)
        m = self._one(mass, "value")
        if m < 0:
            raise self._wrong(f"its mass is negative: {m:g}", mass.line)
        if tensor is None:
            raise self._wrong("<inertial> has no <inertia>; give one (zeros for a point mass)", e.line)
        entries = tuple(self._one(tensor, f"i{k}", None if k[0] == k[1] else "0") for k in "xx yy zz xy xz yz".split())
        return InertialText(m, position, rpy, entries)

    def _shapes(self, e: XmlElement, tag: str, colours: Mapping[str, Any]) -> Iterator[LinkShape]:
        for v in e.all(tag):
            geometry = self._only(v, "geometry")
            solids = [] if geometry is None else geometry.children
            if len(solids) != 1 or solids[0].tag not in ("box", "cylinder", "sphere", "capsule", "mesh"):
                self._left_out[f"<{tag}> without a shape that is known"] += 1
                continue
            position, (roll, pitch, yaw) = self._origin(v)
            s = solids[0]
            how: dict[str, Any] = {}
            if s.tag == "mesh":
                how = {"file": s.attributes.get("filename", ""), "scale": self._three(s, "scale", "1 1 1")}
            elif s.tag == "box":
                how = {"size": self._three(s, "size")}
            else:
                keys = ("radius",) if s.tag == "sphere" else ("radius", "length")
                how = {"size": tuple(self._one(s, k) for k in keys)}
            rpy = roll.value, pitch.value, yaw.value
            colour = self._colour(v, colours)
            yield LinkShape(s.tag, **how, position=position, rpy=rpy, colour=colour, name=v.attributes.get("name", ""))

    def _colours(self, root: XmlElement) -> dict[str, Any]:
        """Materials that the file declares once for all."""
        known: dict[str, Any] = {}
        for e in root.all("material"):
            if (colour := self._only(e, "color")) is not None:
                known[e.attributes.get("name", "")] = self._rgba(colour)
        return known

    def _colour(self, e: XmlElement, known: Mapping[str, Any]) -> Any:
        material = next(e.all("material"), None)
        if material is None:
            return None
        colour = next(material.all("color"), None)
        return known.get(material.attributes.get("name", "")) if colour is None else self._rgba(colour)

    def _rgba(self, e: XmlElement) -> tuple[float, ...]:
        return tuple(x.value for x in self._numbers(e, "rgba", 4))

    # ------------------------------------------------------------------------------------------------ joints

    def _joint(self, e: XmlElement) -> JointText:
        name = self._name(e)
        self._note_unknown(e)
        kind = e.attributes.get("type", "")
        if kind not in JOINT_KINDS:
            raise self._wrong(f"there is no type {shown(kind)}; types are {listed(JOINT_KINDS)}", e.line)
        position, rpy = self._origin(e)
        axis, dynamics = self._only(e, "axis"), self._only(e, "dynamics")
        direction = (1.0, 0.0, 0.0) if axis is None else self._three(axis, "xyz")
        if kind in ("revolute", "continuous", "prismatic", "planar") and not any(direction):
            raise self._wrong("its axis is zero and has no direction", e.line if axis is None else axis.line)
        return JointText(
            name, e.line, kind, self._end(e, "parent"), self._end(e, "child"), position, rpy, direction, self._limits(e),
            0.0 if dynamics is None else self._one(dynamics, "damping", "0"),
            0.0 if dynamics is None else self._one(dynamics, "friction", "0"), self._mimic(e),
        )  # fmt: skip

    def _end(self, e: XmlElement, tag: str) -> str:
        found = self._only(e, tag)
        name = "" if found is None else found.attributes.get("link", "").strip()
        if not name:
            raise self._wrong(f"it names no {tag} link", e.line)
        return name

    def _limits(self, e: XmlElement) -> Limits:
        found = self._only(e, "limit")
        if found is None:
            return Limits()
        return Limits(*(self._maybe(found, k) for k in ("lower", "upper", "effort", "velocity")))

    def _mimic(self, e: XmlElement) -> Mimic | None:
        found = self._only(e, "mimic")
        if found is None:
            return None
        joint = found.attributes.get("joint", "").strip()
        return Mimic(joint, self._one(found, "multiplier", "1"), self._one(found, "offset", "0"))


# ---------------------------------------------------------------------------------------------------------- the tree


def tree_order(robot: RobotText) -> tuple[str, list[JointText]]:
    """The root link, and the joints from the root outwards, each branch to its end before the next. Refuses what is no tree."""
    above: dict[str, JointText] = {}
    below: dict[str, list[JointText]] = {name: [] for name in robot.links}
    for j in robot.joints.values():
        for what, link in (("parent", j.parent), ("child", j.child)):
            if link not in robot.links:
                raise unknown(
                    f"URDF {robot.name!r}: joint {j.name!r} (line {j.line}), {what}", "link", link, robot.links
                )
        if j.child in above:
            raise ModelError(
                f"URDF {robot.name!r}: link {j.child!r} hangs on two joints, {above[j.child].name!r} and {j.name!r}; a URDF is a tree: cut "
                "the loop, and close it in the model by a joint between bodies that are placed already"
            )
        above[j.child] = j
        below[j.parent].append(j)
    roots = [name for name in robot.links if name not in above]
    if len(roots) > 1:
        raise ModelError(
            f"URDF {robot.name!r}: {len(roots)} links hang on nothing ({listed(roots)}); there must be one root: tie the others to it by "
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
            f"URDF {robot.name!r}: links {listed(lost)} hang on each other in a loop; a URDF is a tree: one of their joints must go"
        )
    return roots[0], order

"""The text of a URDF file, checked. Nothing else is opened: meshes stay names of files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from ...errors import ModelError, listed, shown
from ..robot.robot_text import (
    NO_ANGLES,
    Angles,
    InertialText,
    JointText,
    Limits,
    LinkShape,
    LinkText,
    Mimic,
    Printed,
    RobotText,
    Three,
)
from ..robot.xml_tree import XmlElement, finite_number, read_xml

JOINT_KINDS: Final = ("fixed", "revolute", "continuous", "prismatic", "floating", "planar")
_KNOWN: Final = {  # elements that are read, and those that do not affect the model; all others are reported
    "robot": ("link", "joint", "material"),
    "link": ("inertial", "visual", "collision"),
    "inertial": ("origin", "mass", "inertia"),
    "joint": ("origin", "parent", "child", "axis", "limit", "dynamics", "mimic"),
}


def urdf_text(source: Any) -> RobotText:
    """Read a file (by its path) or a text (which starts with <)."""
    where, root = read_xml(source, "URDF", "read_urdf")
    return _UrdfReader(where).robot(root)


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
            hint = "; this is an SDF file: use read_sdf" if root.tag == "sdf" else ""
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
                f"{self._source}: there are two {what}s {shown(made.name)} (lines {first.line} and "
                f"{made.line}); rename one"
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
        value = finite_number(word)
        if value is None:
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
                self._left_out[f"<{tag}> without a known shape"] += 1
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

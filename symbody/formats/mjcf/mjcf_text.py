"""Bodies, joints, shapes and sites of an MJCF file -> links and joints in the common form of all robot readers.

A body with several joints is as many links, one after another, of which the last is the body and the others have no
mass; a body without joints is fixed to the one around it. Joints act in the order of the file, each in the frame that
those before it have moved:

    X_parent,body = X(pos, quat) Π_j T(pos_j) motion_j(q_j - ref_j) T(-pos_j)
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

from ...errors import shown
from ..meshes.solid_moments import UniformSolid
from ..robot.link_frames import UNTURNED, LinkPlacement, Mat, Vec, vector_sum
from ..robot.robot_numbers import LinkMass, tensor_of
from ..robot.robot_text import InertialText, JointText, Limits, LinkShape, LinkText, RobotText
from ..robot.rotation_numbers import quaternion_of, roll_pitch_yaw
from ..robot.xml_tree import XmlElement
from .geom_inertia import SHAPES, mass_of_solid, of_body, solid_of
from .mjcf_attributes import unread_attributes
from .mjcf_meshes import MjcfMeshes
from .mjcf_tree import Attributes, MjcfTree
from .orientation import Compiler, compiler_of, rotation_of, smallest_turn
from .principal import bounded_inertia
from .reference_inertia import ReferenceInertia, reference_inertia

WORLD: Final = "world"
KINDS: Final = {"hinge": "revolute", "slide": "prismatic", "ball": "spherical", "free": "floating"}
_IN_BODY: Final = ("inertial", "joint", "freejoint", "geom", "site", "body", "frame", "camera", "light")
_SECTIONS: Final = (  # which do not affect the model, or which are read
    *(
        "compiler",
        "option",
        "size",
        "visual",
        "statistic",
        "default",
        "asset",
        "worldbody",
        "contact",
        "sensor",
        "custom",
    ),
    *("equality", "tendon", "actuator", "keyframe"),
)
_VISIBLE: Final = 3  # groups below this one are shown


def _collides(given: Attributes) -> bool:
    return given.one("contype", 1) != 0 or given.one("conaffinity", 1) != 0


@dataclass(frozen=True)
class SiteText:
    """A frame fixed to a link; a geometry of type sphere or cylinder that paths may wrap around is one with a
    radius."""

    link: str
    at: LinkPlacement
    kind: str = ""
    radius: float = 0.0


@dataclass(frozen=True)
class MjcfText:
    """Links and joints of the file, and what refers to them.

    places   of links in the ground where every joint is at its reference
    starts   of joints of several coordinates there: position (of a floating one) and Euler parameters
    springs  of joints: what a single stiffness does not say, k₁, k₂, k₃ in k₁ x + k₂ x² + k₃ x³; `dampers` likewise, in
             c₁ v + c₂ v |v| + c₃ v³
    lifted   body -> part of its weight that is compensated; `lifted_by_actuators`: joints whose share of that is a force of
             actuators
    """

    tree: MjcfTree
    compiler: Compiler
    robot: RobotText
    places: Mapping[str, LinkPlacement]
    sites: Mapping[str, SiteText]
    wraps: Mapping[str, SiteText]
    starts: Mapping[str, tuple[float, ...]]
    masses: Mapping[str, LinkMass]
    springs: Mapping[str, tuple[float, ...]]
    dampers: Mapping[str, tuple[float, ...]]
    lifted: Mapping[str, float]
    lifted_by_actuators: Sequence[str]

    @cached_property
    def inertia(self) -> ReferenceInertia:
        """Where the file shows the robot."""
        return reference_inertia(self.robot.joints, self.places, self.masses)


@dataclass
class _Around:
    """Where the walk is: the link, where elements are placed in it, the class that its body gives to them, and whether the
    masses of shapes count."""

    link: str
    at: LinkPlacement = field(default_factory=LinkPlacement)
    inherited: str | None = None
    weighs: bool = True


class MjcfReader:
    """Elements -> checked data; remembers what it leaves out."""

    def __init__(self, tree: MjcfTree) -> None:
        self.tree = tree
        top = XmlElement("compiler", {}, 0)
        self.compiler = compiler_of(Attributes(tree.where, top, tree.options("compiler")))
        self.left_out: Counter[str] = Counter()
        self.colliding: Counter[str] = Counter()
        self.meshes = MjcfMeshes(tree, self.compiler, self.left_out)
        self.links: dict[str, LinkText] = {WORLD: LinkText(WORLD, 0, None, (), ())}
        self.joints: dict[str, JointText] = {}
        self.places: dict[str, LinkPlacement] = {WORLD: LinkPlacement()}
        self.masses: dict[str, LinkMass] = {}
        self.sites: dict[str, SiteText] = {}
        self.wraps: dict[str, SiteText] = {}
        self.starts: dict[str, tuple[float, ...]] = {}
        self.tuned: dict[str, tuple[float, float]] = {}  # joints with time constants and damping ratios
        self.springs: dict[str, tuple[float, ...]] = {}
        self.dampers: dict[str, tuple[float, ...]] = {}
        self.lifted: dict[str, float] = {}
        self.lifted_by_actuators: list[str] = []
        self.seats: dict[str, Vec] = {}  # of bodies in the ones around them

    def text(self) -> MjcfText:
        for tag in self.tree.sections:
            if tag.startswith("<") and tag.strip("<>") not in _SECTIONS:
                self.left_out[tag] += 1
        self.left_out.update(unread_attributes(self.tree))
        pairs = [e for e in self.tree.sections.get("contact", ()) if e.tag == "pair"]
        self.colliding["<pair> in <contact>; sb.Contact makes one"] += len(pairs)
        if (e := next(iter(self.tree.sections.get("<worldbody>", ())), None)) is not None:
            world = XmlElement("worldbody", e.attributes, e.line)
            world.children = list(self.tree.sections["worldbody"])
            self._inside(world, _Around(WORLD, inherited=e.attributes.get("childclass")), [])
        self._scale()
        links = {n: replace(link, inertial=self._inertial(n)) for n, link in self.links.items()}
        self._tune()
        robot = RobotText(self.tree.name, links, self.joints, dict(self.left_out), "MJCF", dict(self.colliding))
        return MjcfText(
            self.tree, self.compiler, robot, self.places, self.sites, self.wraps, self.starts, self.masses,
            self.springs, self.dampers, self.lifted, self.lifted_by_actuators,
        )  # fmt: skip

    def _tune(self) -> None:
        """Springs and dampers by a time constant T and a damping ratio ζ: k = J / (T ζ)², c = 2 J / T."""
        if not self.tuned:
            return
        inertia = reference_inertia(self.joints, self.places, self.masses)
        for name, (T, ratio) in self.tuned.items():
            J, joint = inertia.of(name), self.joints[name]
            k = 0.0 if self.tree.is_off("spring") else J / (T * ratio) ** 2
            if joint.kind in ("spherical", "floating"):
                self.springs[name], k = (k,), 0.0
            self.joints[name] = replace(joint, stiffness=k, damping=0.0 if self.tree.is_off("damper") else 2 * J / T)

    # ------------------------------------------------------------------------------------------------ bodies

    def _inside(self, e: XmlElement, around: _Around, masses: list[LinkMass]) -> None:
        """What is in a body or frame: shapes, sites, bodies."""
        for c in e.children:
            if c.tag == "attach":
                given = Attributes(self.tree.where, c, c.attributes)
                raise given.wrong(
                    f"the model {shown(given.text('model'))} that it attaches is in another file; read the file that "
                    "MuJoCo writes of the whole (mujoco.mj_saveLastXML), or put its elements here"
                )
            if c.tag not in _IN_BODY:
                self.left_out[f"<{c.tag}> in <{e.tag}>"] += 1
            elif c.tag == "frame":
                given = self.tree.filled(c, "frame")
                at = around.at @ self._placement(given)
                inner = c.attributes.get("childclass", around.inherited)
                self._inside(c, _Around(around.link, at, inner, around.weighs), masses)
            elif c.tag == "body":
                self._body(c, around)
            elif c.tag == "geom":
                masses += self._geom(c, around)
            elif c.tag == "site":
                given = self.tree.filled(c, "site", around.inherited)
                name = given.text("name") or f"site_{len(self.sites) + 1}"
                if "fromto" in given:
                    at, _ = self._from_to(given)
                else:
                    at = self._placement(given)
                self.sites[name] = SiteText(around.link, around.at @ at)

    def _placement(self, given: Attributes) -> LinkPlacement:
        return LinkPlacement(rotation_of(given, self.compiler), given.three("pos"))

    def _body(self, e: XmlElement, around: _Around) -> None:
        given = Attributes(self.tree.where, e, e.attributes)
        name = self._new_name(given.text("name"), "body", self.links)
        if given.one("gravcomp"):
            self.lifted[name] = given.one("gravcomp")
        inherited = given.text("childclass") or around.inherited
        at = around.at @ self._placement(given)
        self.seats[name] = at.p
        self.places[name] = self.places[around.link] @ at
        joints = [self._joint(c, inherited, name) for c in e.children if c.tag in ("joint", "freejoint")]
        self._hang(name, e, around.link, at, joints)
        own, by_shapes = self._given_mass(e), self.compiler.inertia_from_shapes
        masses = [own] if own is not None and by_shapes != "true" else []
        self._inside(e, _Around(name, inherited=inherited, weighs=not masses and by_shapes != "false"), masses)
        if masses:
            self.masses[name] = of_body(name, masses)

    def _new_name(self, given: str, kind: str, known: Mapping[str, object]) -> str:
        if given and given not in known:
            return given
        base = given or kind
        return next(n for k in range(len(known) + 2) if (n := base if k == 0 else f"{base}_{k + 1}") not in known)

    def _hang(self, name: str, e: XmlElement, parent: str, at: LinkPlacement, joints: list[JointText]) -> None:
        """The links of a body, each on its joint."""
        if not joints:
            fixed = JointText(f"{name}.fixed", e.line, "fixed", parent, name, at.p, roll_pitch_yaw(at.R), (0, 0, 1))
            self.joints[fixed.name] = fixed
        before: Vec = (0.0, 0.0, 0.0)
        for k, j in enumerate(joints):
            is_last = k == len(joints) - 1
            child = name if is_last else f"{name}.{j.name}"
            x, y, z = j.anchor
            if k == 0:
                place = at.point(j.anchor)
                R = at.R
            else:
                place, R = vector_sum(j.anchor, (-before[0], -before[1], -before[2])), UNTURNED
            if j.kind == "floating":
                place, R = (0.0, 0.0, 0.0), UNTURNED
            anchor = (x, y, z) if is_last else (0.0, 0.0, 0.0)
            self.joints[j.name] = replace(
                j, parent=parent, child=child, position=place, rpy=roll_pitch_yaw(R), anchor=anchor
            )
            if not is_last:
                self.links[child] = LinkText(child, e.line, None, (), ())
                self.places[child] = LinkPlacement()
            parent, before = child, j.anchor
        self.links[name] = LinkText(name, e.line, None, (), ())
        for j in joints:
            w = quaternion_of(at.R if j.kind == "floating" else UNTURNED)
            if j.kind in ("floating", "spherical"):
                self.starts[j.name] = (*at.p, *w) if j.kind == "floating" else w

    # ------------------------------------------------------------------------------------------------ joints

    def _joint(self, e: XmlElement, inherited: str | None, body: str) -> JointText:
        given = (
            self.tree.filled(e, "joint", inherited)
            if e.tag == "joint"
            else Attributes(self.tree.where, e, e.attributes)
        )
        kind = given.one_of("type", tuple(KINDS), "hinge") if e.tag == "joint" else "free"
        name = self._new_name(given.text("name"), f"{body}_{kind}" if not given.text("name") else "", self.joints)
        axis = given.three("axis", (0.0, 0.0, 1.0))
        if kind in ("hinge", "slide") and not any(axis):
            raise given.wrong("its axis is zero and has no direction")
        angle = self.compiler.angle if kind == "hinge" else float
        anchor = given.three("pos") if kind in ("hinge", "ball") else (0.0, 0.0, 0.0)
        stiffness, damping = self._springs(name, kind, given)
        T, ratio = given.numbers("springdamper", (0.0, 0.0), 2)
        if T > 0 and ratio > 0:
            self.tuned[name] = (T, ratio)
        if given.is_true("actuatorgravcomp", False):
            self.lifted_by_actuators.append(name)
        reference = angle(given.one("ref")) if kind in ("hinge", "slide") else 0.0
        return JointText(
            name, e.line, KINDS[kind], "", "", (0, 0, 0), roll_pitch_yaw(UNTURNED), axis, self._limits(given, angle),
            damping, given.one("frictionloss"), None, anchor, reference, stiffness,
            angle(given.one("springref")), given.one("armature"),
        )  # fmt: skip

    def _springs(self, name: str, kind: str, given: Attributes) -> tuple[float, float]:
        """Stiffness and damping of a joint; keeps what one number does not say."""
        k = (0.0,) if self.tree.is_off("spring") else given.numbers("stiffness", (0.0,))
        c = (0.0,) if self.tree.is_off("damper") else given.numbers("damping", (0.0,))
        several = kind in ("ball", "free")
        if several and any((*k[1:], *c[1:])):
            self.left_out[f"nonlinear part of the stiffness or damping of a {kind} joint"] += 1
            k, c = k[:1], c[:1]
        if any(own := k if several else (0.0, *k[1:])):
            self.springs[name] = own
        if any(c[1:]):
            self.dampers[name] = (0.0, *c[1:])
        return 0.0 if several else k[0], c[0]

    def _limits(self, given: Attributes, angle: type[float] | object) -> Limits:
        turned = angle if callable(angle) else float
        found = given.numbers("range", ())
        says = given.text("limited", "auto")
        if len(found) != 2 or says == "false" or (says == "auto" and not self.compiler.limits_from_ranges):
            return Limits()
        force = given.numbers("actuatorfrcrange", ())
        return Limits(turned(found[0]), turned(found[1]), max(map(abs, force)) if force else None)

    # ------------------------------------------------------------------------------------------------ shapes

    def _geom(self, e: XmlElement, around: _Around) -> Iterator[LinkMass]:
        """Keeps the shape; gives its mass where it counts."""
        given = self.tree.filled(e, "geom", around.inherited)
        kind = given.text("type", "mesh" if "mesh" in given and "type" not in given else "sphere")
        size = given.numbers("size", ())
        if "fromto" in given:
            at, half = self._from_to(given)
            if not size:
                raise given.wrong("fromto= needs size=, the radius or half width across")
            size = (size[0], half) if kind in ("capsule", "cylinder") else (size[0], size[0], half)
        else:
            at = self._placement(given)
        at = around.at @ at
        name = given.text("name")
        if name and kind in ("sphere", "cylinder") and size:
            self.wraps[name] = SiteText(around.link, at, kind, size[0])
        self._show(given, kind, size, at, around.link)
        low, high = self.compiler.groups
        if (
            not around.weighs
            or around.link == WORLD
            or not low <= given.one("group") <= high
            or kind in ("plane", "hfield")
        ):
            return
        if given.is_true("shellinertia", False):
            self.left_out["shellinertia of <geom>: its mass is spread over the volume"] += 1
        solid = self._solid(given, kind, size)
        mass = None if solid is None else mass_of_solid(solid, given, at)
        if mass is not None:
            yield mass

    def _solid(self, given: Attributes, kind: str, size: tuple[float, ...]) -> UniformSolid | None:
        if kind in SHAPES and "mesh" not in given:
            return solid_of(given, kind, size)
        if kind == "mesh":
            return self.meshes.solid(given)
        self.left_out[
            f"<geom> of type {kind}" + (" fitted to a mesh" if "mesh" in given else "") + ": it has no mass here"
        ] += 1
        return None

    def _from_to(self, given: Attributes) -> tuple[LinkPlacement, float]:
        """Placement with z along the line, and half its length."""
        *a, x, y, z = given.numbers("fromto", exactly=6)
        d = (a[0] - x, a[1] - y, a[2] - z)
        return LinkPlacement(smallest_turn(d), ((a[0] + x) / 2, (a[1] + y) / 2, (a[2] + z) / 2)), math.hypot(*d) / 2

    def _show(self, given: Attributes, kind: str, size: tuple[float, ...], at: LinkPlacement, link: str) -> None:
        roll, pitch, yaw = roll_pitch_yaw(at.R)
        edges: tuple[float, ...]
        if kind == "box" and len(size) >= 3:
            edges = (2 * size[0], 2 * size[1], 2 * size[2])
        elif kind in ("cylinder", "capsule") and len(size) >= 2:
            edges = (size[0], 2 * size[1])
        elif kind == "sphere" and size:
            edges = (size[0],)
        elif kind == "mesh":
            edges = ()
        else:
            if _collides(given):
                self.colliding[f"<geom> of type {kind} that collides; sb.HalfSpace and sb.touch make contacts"] += 1
            return
        rgba = given.numbers("rgba", ())
        colour = (rgba[0], rgba[1], rgba[2], rgba[3]) if len(rgba) == 4 else None
        file, scale = self.meshes.file(given) if kind == "mesh" else ("", (1.0, 1.0, 1.0))
        shape = LinkShape(
            kind, edges, file, scale, at.p, (roll.value, pitch.value, yaw.value), colour, given.text("name"),
            given.numbers("friction", (1.0,))[0],
        )  # fmt: skip
        shown, old = given.one("group") < _VISIBLE, self.links[link]
        self.links[link] = replace(
            old,
            visuals=(*old.visuals, shape) if shown else old.visuals,
            collisions=(*old.collisions, shape) if _collides(given) else old.collisions,
        )

    # ------------------------------------------------------------------------------------------------ masses

    def _given_mass(self, e: XmlElement) -> LinkMass | None:
        found = next(e.all("inertial"), None)
        if found is None:
            return None
        given = Attributes(self.tree.where, found, found.attributes)
        mass = given.one("mass")
        if mass < 0:
            raise given.wrong(f"its mass is negative: {mass:g}")
        at = self._placement(given)
        if "fullinertia" in given:
            return LinkMass(
                "", mass, at.p, at.__class__(at.R).tensor(tensor_of(*given.numbers("fullinertia", exactly=6)))
            )
        x, y, z = given.three("diaginertia")
        return LinkMass("", mass, at.p, LinkPlacement(at.R).tensor(tensor_of(x, y, z)))

    def _scale(self) -> None:
        """Least masses and inertias, balanced inertias, the total mass: in the order in which MuJoCo does it."""
        c = self.compiler
        if (
            c.least_mass or c.least_inertia
        ):  # of bodies without any too, in MuJoCo at the place of their frame in the parent
            nothing = tensor_of(0.0, 0.0, 0.0)
            self.masses = {n: self.masses.get(n) or LinkMass(n, 0.0, p, nothing) for n, p in self.seats.items()}
        for name, b in self.masses.items():
            I: Mat = b.I
            if c.least_inertia or c.balances:
                I = bounded_inertia(I, c.least_inertia, c.balances)
            self.masses[name] = replace(b, m=max(b.m, c.least_mass), I=I)
        if c.total_mass > 0:
            factor = c.total_mass / math.fsum(b.m for b in self.masses.values())
            for name, b in self.masses.items():
                x, y, z = (tuple(factor * e for e in row) for row in b.I)
                self.masses[name] = replace(b, m=factor * b.m, I=(x, y, z))

    def _inertial(self, link: str) -> InertialText | None:
        b = self.masses.get(link)
        if b is None:
            return None
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = b.I
        return InertialText(b.m, b.c, roll_pitch_yaw(UNTURNED), (xx, yy, zz, xy, xz, yz))

"""What an MJCF file hangs on bodies and joints: sites, equality constraints, springs, tendons, keyframes -> parts of the
model."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import symbody as sb

from ...errors import SymbodyError, unknown
from ...escaping import identifier
from ..robot.link_frames import ZERO, LinkPlacement, transpose, turned_by
from ..robot.robot import Robot
from ..robot.robot_text import JointText
from .mjcf_text import WORLD, MjcfText
from .mjcf_tree import Attributes
from .orientation import from_quaternion
from .spring_laws import damper_polynomial, polynomial, rotation_vector, spring_polynomial

REFERENCE: Final = "qpos0"
"""The key of the configuration that the file shows, beside the names of its keyframes."""


@dataclass(frozen=True)
class Tendon:
    """A length, and the way in which a force that increases it acts."""

    length: sb.Expr
    rate: sb.Expr
    pushed: Callable[[str, str, sb.Expr, sb.Expr | None], sb.bodies.Load]  # name, kind, force, potential -> load


def on_rates(
    name: str, kind: str, forces: Mapping[sb.Symbol, sb.Expr], potential: sb.Expr | None = None
) -> sb.bodies.Load:
    """Generalised forces that do work on the rates of coordinates."""
    return sb.bodies.Load(name, kind, potential=potential, on_rates=forces)


def between(
    name: str, kind: str, torque: sb.Vector, joint: sb.bodies.Joint, potential: sb.Expr | None = None
) -> sb.bodies.Load:
    """A torque on the child side of a joint, and its reaction on the parent side."""
    pair = sb.bodies.Action(joint.inner, torque=torque), sb.bodies.Action(joint.outer, torque=-torque)
    return sb.bodies.Load(name, kind, pair, potential)


class PartsOfMjcf:
    """Adds them to a robot whose bodies and joints stand."""

    def __init__(self, text: MjcfText, robot: Robot, names: dict[tuple[str, str], str]) -> None:
        self.text, self.robot, self.names = text, robot, names
        self.left_out: Counter[str] = Counter()
        self.inactive: Counter[str] = Counter()
        self.tendons: dict[str, Tendon] = {}
        self.limits_of_tendons: dict[str, tuple[float, ...]] = {}

    def wrong(self, given: Attributes, what: str, key: str, known: Any) -> SymbodyError:
        return unknown(
            f"{self.text.tree.where} (line {given.element.line}), <{given.element.tag}>", what, given.text(key), known
        )

    # ------------------------------------------------------------------------------------------------ frames

    def add_sites(self) -> None:
        for name, site in self.text.sites.items():
            frame = site.at.frame(self.robot.links[site.link], f"{identifier(name)}.site")
            self.robot.sites[name] = frame
            if name not in self.robot.frames:
                self.robot.parts.add_frame(name, frame)

    def _site(self, given: Attributes, key: str) -> sb.Frame:
        if given.text(key) not in self.robot.sites:
            raise self.wrong(given, "site", key, self.robot.sites)
        return self.robot.sites[given.text(key)]

    def _body(self, given: Attributes, key: str, default: str = "") -> str:
        name = given.text(key, default)
        if name not in self.text.places:
            raise self.wrong(given, "body", key, self.text.places)
        return name

    def _joint(self, given: Attributes, key: str) -> JointText:
        found = self.text.robot.joints.get(given.text(key))
        if found is None:
            raise self.wrong(given, "joint", key, self.text.robot.joints)
        return found

    def _coordinate(self, joint: JointText) -> sb.Expr:
        """The coordinate of a joint; its value where it is held."""
        found = self.robot.symbols.get(self.names["joint", joint.name])
        return sb.algebra.as_expr(joint.reference) if found is None else found

    # ------------------------------------------------------------------------------------------------ equalities

    def add_equalities(self) -> None:
        for k, e in enumerate(self.text.tree.sections.get("equality", ())):
            given = self.text.tree.filled(e, "equality")
            name = given.text("name") or f"equality_{k + 1}"
            if not given.is_true("active", True):
                self.left_out[f"<{e.tag}> in <equality> that is not active"] += 1
            elif e.tag == "joint":
                self._tie_joints(name, given)
            elif e.tag == "connect":
                self._connect(name, given)
            elif e.tag == "weld":
                self._weld(name, given)
            elif e.tag == "tendon":
                self._tie_tendons(name, given)
            else:
                self.left_out[f"<{e.tag}> in <equality>"] += 1

    def _tie_joints(self, name: str, given: Attributes) -> None:
        """q1 - ref1 = c0 + c1 x + ... + c4 x⁴,   x = q2 - ref2"""
        first = self._joint(given, "joint1")
        x: sb.Expr = ZERO
        if "joint2" in given:
            second = self._joint(given, "joint2")
            x = self._coordinate(second) - second.reference
        gap = self._coordinate(first) - first.reference - polynomial(given.several("polycoef", (0, 1, 0, 0, 0)), x)
        self._constrain(name, gap)

    def _tie_tendons(self, name: str, given: Attributes) -> None:
        """l1 - l1(qpos0) = c0 + c1 x + ... + c4 x⁴,   x = l2 - l2(qpos0)"""
        first, x = self._tendon(given, "tendon1").length, ZERO
        if "tendon2" in given:
            second = self._tendon(given, "tendon2").length
            x = second - self._at_reference(second)
        wanted = polynomial(given.several("polycoef", (0, 1, 0, 0, 0)), x)
        self._constrain(name, first - self._at_reference(first) - wanted)

    def _constrain(self, name: str, gap: sb.Expr) -> None:
        if not any(s.kind == "coordinate" for s in sb.free_symbols(gap)):
            self.left_out[f"equality {name!r} between parts that do not move"] += 1
        else:
            self.robot.constrain(name, gap)

    def _connect(self, name: str, given: Attributes) -> None:
        """A point of one body and a point of another coincide, as they do at the reference."""
        if "site1" in given:
            self.robot.coincide(name, self._site(given, "site1").origin, self._site(given, "site2").origin)
            return
        first, second = self._body(given, "body1"), self._body(given, "body2", WORLD)
        anchor = given.three("anchor")
        place = self._inverse(second).point(self.text.places[first].point(anchor))
        links = self.robot.links
        self.robot.coincide(name, links[first].point(*anchor), links[second].point(*place))

    def _weld(self, name: str, given: Attributes) -> None:
        """One body stays as it is in the other: at the reference, or at `relpose` where that is given."""
        if "site1" in given:
            self.robot.fixed(name, self._site(given, "site1"), self._site(given, "site2"))
            return
        first, second = self._body(given, "body1"), self._body(given, "body2", WORLD)
        at = self._inverse(first) @ self.text.places[second]
        pose = given.numbers("relpose", ())
        if len(pose) == 7 and any(pose[3:]):
            x, y, z, *quaternion = pose
            at = LinkPlacement(from_quaternion(quaternion, given), (x, y, z))
        links = self.robot.links
        self.robot.fixed(name, at.frame(links[first], f"{identifier(name)}.weld"), links[second])

    def _inverse(self, link: str) -> LinkPlacement:
        X = self.text.places[link]
        R = transpose(X.R)
        x, y, z = LinkPlacement(R).direction(X.p)
        return LinkPlacement(turned_by(R, ((1, 0, 0), (0, 1, 0), (0, 0, 1))), (-x, -y, -z))

    # ------------------------------------------------------------------------------------------------ tendons

    def add_tendons(self) -> None:
        for k, e in enumerate(self.text.tree.sections.get("tendon", ())):
            given = self.text.tree.filled(e, "tendon")
            name = given.text("name") or f"tendon_{k + 1}"
            made = self._fixed_tendon(given) if e.tag == "fixed" else self._spatial_tendon(name, given)
            self.tendons[name] = made
            is_limited = given.text("limited", "auto")
            if is_limited == "true" or (is_limited == "auto" and self.text.compiler.limits_from_ranges):
                self.limits_of_tendons[name] = given.numbers("range", ())
            self.robot.tendons[name] = made.length
            self._tendon_loads(name, given, made)

    def _fixed_tendon(self, given: Attributes) -> Tendon:
        """l = Σ coef q"""
        parts: dict[sb.Symbol, float] = {}
        length: sb.Expr = ZERO
        for c in given.element.all("joint"):
            own = Attributes(given.where, c, c.attributes)
            q = self._coordinate(self._joint(own, "joint"))
            length = length + own.one("coef") * q
            if isinstance(q, sb.Symbol):
                parts[q] = parts.get(q, 0.0) + own.one("coef")
        rate: sb.Expr = ZERO
        for q, coef in parts.items():
            rate = rate + coef * q.dot

        def pushed(name: str, kind: str, force: sb.Expr, potential: sb.Expr | None) -> sb.bodies.Load:
            return on_rates(name, kind, {q: coef * force for q, coef in parts.items()}, potential)

        return Tendon(length, rate, pushed)

    def _spatial_tendon(self, name: str, given: Attributes) -> Tendon:
        """Branches one after another, each behind a pulley that divides its force; the first behind none."""
        pieces: list[Any] = []
        divisors: list[sb.Expr] = []
        stations: list[Any] = []
        divisor = 1.0
        for c in given.element.children:
            own = Attributes(given.where, c, c.attributes)
            if c.tag == "pulley":
                self._add_branch(name, stations, divisor, pieces, divisors)
                stations, divisor = [], own.one("divisor", 1.0)
            elif c.tag == "site":
                stations.append(self._site(own, "site").origin)
            elif c.tag == "geom":
                stations.append(own)
            else:
                raise own.wrong(f"a tendon goes through sites, over geoms and by pulleys (tendon {name!r})")
        self._add_branch(name, stations, divisor, pieces, divisors)
        path = sb.bodies.LinePath(name, tuple(pieces), tuple(divisors))

        def pushed(name: str, kind: str, force: sb.Expr, potential: sb.Expr | None) -> sb.bodies.Load:
            return path.load(name, kind, -force, potential)

        return Tendon(path.length, path.rate, pushed)

    def _add_branch(
        self, name: str, given: Sequence[Any], divisor: float, pieces: list[Any], divisors: list[sb.Expr]
    ) -> None:
        """Through sites, and over one geometry between two of them: the last that is named there."""
        stations: list[Any] = []
        for s, after in zip(given, [*given[1:], None], strict=True):
            if isinstance(s, sb.Point):
                stations.append(s)
            elif isinstance(after, sb.Point) and stations:
                stations.append(self._surface(s))
        if len(stations) > 1:
            branch = self.robot.path(name, stations).pieces
            pieces += branch
            divisors += [sb.algebra.as_expr(divisor)] * len(branch)

    def _surface(self, given: Attributes) -> sb.bodies.WrapSphere | sb.bodies.WrapCylinder:
        """A geometry that a tendon runs over on the side of a site, or through while the site is inside."""
        geom = self.text.wraps.get(given.text("geom"))
        if geom is None:
            raise self.wrong(given, "sphere or cylinder", "geom", self.text.wraps)
        frame = geom.at.frame(self.robot.links[geom.link], f"{identifier(given.text('geom'))}.wrap")
        surface = sb.bodies.WrapSphere if geom.kind == "sphere" else sb.bodies.WrapCylinder
        if "sidesite" not in given:
            return surface(frame, geom.radius)
        beside, site = self._site(given, "sidesite").origin, self.text.sites[given.text("sidesite")]
        if site.link == geom.link:
            is_inside = math.dist(site.at.p, geom.at.p) < geom.radius
            return (
                surface(frame, geom.radius, through=True) if is_inside else surface(frame, geom.radius, beside=beside)
            )
        apart = beside - frame.origin
        return surface(frame, geom.radius, beside=beside, through=apart.dot(apart) < geom.radius**2)

    def _tendon(self, given: Attributes, key: str) -> Tendon:
        if given.text(key) not in self.tendons:
            raise self.wrong(given, "tendon", key, self.tendons)
        return self.tendons[given.text(key)]

    def _tendon_loads(self, name: str, given: Attributes, tendon: Tendon) -> None:
        stiffness, damping = given.numbers("stiffness", (0.0,)), given.numbers("damping", (0.0,))
        if given.one("frictionloss"):
            self.left_out["frictionloss of a tendon"] += 1
        if given.one("armature"):
            self._add_rotor(name, given.one("armature"), tendon.rate)
        if any(stiffness) and not self.text.tree.is_off("spring"):
            rest = given.numbers("springlength", (-1.0,))
            if rest[0] < 0:
                rest = (self._at_reference(tendon.length),)
            low, high = sb.algebra.as_expr(rest[0]), sb.algebra.as_expr(rest[-1])
            l = tendon.length
            stretch = l - low if low is high else sb.where(l > high, l - high, sb.where(l < low, l - low, 0))
            force, potential = spring_polynomial(stiffness, stretch)
            self.robot.parts.add_load(tendon.pushed(f"{name}.spring", "spring", force, potential))
        if any(damping) and not self.text.tree.is_off("damper"):
            force = damper_polynomial(damping, tendon.rate)
            self.robot.parts.add_load(tendon.pushed(f"{name}.damper", "damper", force, None))

    def _add_rotor(self, name: str, armature: float, rate: sb.Expr) -> None:
        """What turns with a length: ½ armature l'²."""
        self.robot.kinetic_energy(f"{name}.rotor", armature * rate**2 / 2)

    def _at_reference(self, e: sb.Expr) -> float:
        return float(self.robot.value_at(e, self.robot.keyframes[REFERENCE]))

    # ------------------------------------------------------------------------------------------------ joints, weights

    def add_springs_of_joints(self) -> None:
        """Springs and dampers of joints beyond what every reader of robots has: nonlinear ones, and springs against
        turning."""
        for name, k in self.text.springs.items():
            joint = self.text.robot.joints[name]
            if joint.kind in ("spherical", "floating"):
                self._spring_of_several(joint, k[0])
            elif isinstance(q := self._coordinate(joint), sb.Symbol):
                force, potential = spring_polynomial(k, q - joint.rest)
                self.robot.parts.add_load(on_rates(f"{name}.hardening spring", "spring", {q: force}, potential))
        for name, c in self.text.dampers.items():
            if isinstance(q := self._coordinate(self.text.robot.joints[name]), sb.Symbol):
                force = damper_polynomial(c, q.dot)
                self.robot.parts.add_load(on_rates(f"{name}.hardening damper", "damper", {q: force}))

    def _spring_of_several(self, joint: JointText, stiffness: float) -> None:
        """A torque -k φ along the rotation vector φ from the pose that the file shows, and a force on what floats."""
        made = self.robot.joints.get(joint.name)
        if made is None:
            return
        start = self.text.starts[joint.name]
        phi = rotation_vector(made.coordinates[-4:], start[-4:])
        turn = made.inner.vector(*(-stiffness * x for x in phi))
        energy = stiffness * sum(x * x for x in phi) / 2
        self.robot.parts.add_load(between(f"{joint.name}.spring", "spring", turn, made, energy))
        for q, rest in zip(made.coordinates[:-4], start, strict=False):
            force, potential = spring_polynomial((stiffness,), q - rest)
            self.robot.parts.add_load(on_rates(f"{joint.name}.spring.{q.name}", "spring", {q: force}, potential))

    def add_lifts(self, gravity: sb.Vector) -> None:
        """Forces at the mass centres of bodies against a part of their weight (`gravcomp`); MuJoCo counts them with
        springs and dampers, and has none where both are off."""
        if self.text.tree.is_off("spring") and self.text.tree.is_off("damper"):
            return
        tree = self.text.tree
        has_actuators = bool(tree.sections.get("actuator")) and not tree.is_off("actuation")
        if self.text.lifted and not has_actuators and self.text.lifted_by_actuators:
            says = "actuatorgravcomp of <joint> without actuators: it has no effect in MuJoCo, but acts here"
            self.left_out[says] += len(self.text.lifted_by_actuators)
        for body, part in self.text.lifted.items():
            mass = self.text.masses.get(body)
            if mass is None:
                continue
            base, frame = self.names["link", body], self.robot.links[body]
            own = [self.robot.symbols.get(f"{base}_{k}", x) for k, x in zip(("m", "cx", "cy", "cz"), (mass.m, *mass.c), strict=True)]  # fmt: skip
            at, lift = frame.point(*own[1:]), -part * own[0] * gravity
            potential = -(at - self.robot.ground.origin).dot(lift)
            if frame.root is not frame:
                self.robot.parts.add_load(
                    sb.bodies.Load(f"{body}.lift", "force", (sb.bodies.Action(frame, force=lift, at=at),), potential)
                )

    # ------------------------------------------------------------------------------------------------ keyframes

    def add_keyframes(self) -> None:
        """States by the names of coordinates and inputs. The first is the configuration that the file shows."""
        moving = [j for j in self.text.robot.joints.values() if j.kind != "fixed"]
        self.robot.keyframes[REFERENCE] = self._state(moving, self._reference(moving))
        for k, e in enumerate(e for e in self.text.tree.sections.get("keyframe", ()) if e.tag == "key"):
            given = Attributes(self.text.tree.where, e, e.attributes)
            numbers = given.numbers("qpos", ())
            if len(numbers) == sum(len(self._names(j)) for j in moving):
                self.robot.keyframes[given.text("name") or f"key_{k + 1}"] = self._state(moving, numbers)
            elif numbers:
                self.left_out["<key> whose qpos has another number of values"] += 1

    def _reference(self, moving: Sequence[JointText]) -> tuple[float, ...]:
        return tuple(x for j in moving for x in self.text.starts.get(j.name, (j.reference,)))

    def _names(self, joint: JointText) -> list[str]:
        base = self.names["joint", joint.name]
        turned = [f"{base}_e{k}" for k in range(4)]
        return {"floating": [f"{base}_x", f"{base}_y", f"{base}_z", *turned], "spherical": turned}.get(
            joint.kind, [base]
        )

    def _state(self, moving: Sequence[JointText], numbers: Sequence[float]) -> dict[str, float]:
        names = [n for j in moving for n in self._names(j)]
        return {n: x for n, x in zip(names, numbers, strict=True) if n in self.robot.symbols}

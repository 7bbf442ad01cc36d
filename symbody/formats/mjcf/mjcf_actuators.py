"""Actuators of an MJCF file: inputs, activations, and the loads that they are on joints, tendons and sites."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import symbody as sb

from ...escaping import identifier
from ..robot.link_frames import ZERO
from ..robot.robot import ActuatorText
from ..robot.robot_text import JointText
from .actuator_law import ActuatorLaw, actuator_law
from .mjcf_parts import PartsOfMjcf, between, on_rates
from .mjcf_tree import ACTUATORS, Attributes
from .muscle_law import MuscleLaw
from .spring_laws import damper_polynomial, rotation_vector


class ActuatedParts(PartsOfMjcf):
    """Parts of a file, and what drives them; `has_force_limits`: whether forces of actuators stay within their ranges."""

    has_force_limits = False

    def add_actuators(self, chosen: Callable[[str], bool]) -> None:
        off = {int(g) for g in self.text.tree.options("option").get("actuatorgroupdisable", "").split()}
        for k, e in enumerate(self.text.tree.sections.get("actuator", ())):
            if e.tag not in ACTUATORS:
                self.left_out[f"<{e.tag}> in <actuator>"] += 1
                continue
            given = self.text.tree.filled(e, "actuator")
            target = next((given.text(t) for t in ("joint", "jointinparent", "tendon", "site") if t in given), "")
            name = given.text("name") or target or f"actuator_{k + 1}"
            if not chosen(name):
                continue
            law = actuator_law(self._with_length_range(given), e.tag)
            if self.text.tree.is_off("actuation") or int(given.one("group")) in off:
                self.left_out[f"<{e.tag}> that <option> disables"] += 1
            elif isinstance(law, str):
                self.left_out[f"<{e.tag}> {name!r} {law}"] += 1
            else:
                self._actuate(name, given, law)

    def _with_length_range(self, given: Attributes) -> Attributes:
        """The attributes with the range of the joint or tendon, or without the element's own range, as <lengthrange> of
        <compiler> specifies."""
        sections = self.text.tree.sections.get("compiler", ())
        said = {k: v for e in sections if e.tag == "lengthrange" for k, v in e.attributes.items()}
        is_known = "lengthrange" in given and said.get("useexisting", "true") == "true"
        if is_known or not said:
            return given
        rest = {k: v for k, v in given.given.items() if k != "lengthrange"}
        if said.get("uselimit") == "true":
            limits: Sequence[float | None] = ()
            if "tendon" in given:
                limits = self.limits_of_tendons.get(given.text("tendon"), ())
            elif (joint := self.text.robot.joints.get(given.text("joint", given.text("jointinparent")))) is not None:
                limits = joint.limits.lower, joint.limits.upper
            if limits and None not in limits:
                rest["lengthrange"] = " ".join(map(repr, limits))
        return replace(given, given=rest)

    def _actuate(self, name: str, given: Attributes, law: ActuatorLaw | MuscleLaw) -> None:
        gear = given.several("gear", (1.0, 0.0, 0.0, 0.0, 0.0, 0.0))
        length, rate, act = self._transmission(given, gear)
        if act is None:
            by = next((t for t in ("refsite", "slidersite", "body", "tendon", "joint") if t in given), "its")
            self.left_out[f"<{given.element.tag}> with a transmission by {by}"] += 1
            return
        if name in self.robot.actuators:
            name = next(n for k in itertools.count(2) if (n := f"{name}_{k}") not in self.robot.actuators)
        called = identifier(name)
        base = self.robot.unused_name(f"{'_' * called[0].isdigit()}{called}_ctrl")
        control = self.robot.input(base)
        drive = self._drive(base, control, law)
        ranges = [
            given.numbers(k, ()) if given.text(w) != "false" else ()
            for k, w in (("ctrlrange", "ctrllimited"), ("forcerange", "forcelimited"))
        ]
        force = self._limited(self._complete(law, length).force(drive, length, rate), ranges[1])
        for load in act(f"{name}.actuator", force):
            self.robot.parts.add_load(load)
        self._add_reflected(name, given, gear[0])
        self.robot.actuators[name] = ActuatorText(control.name, gear, *(tuple(r) if r else None for r in ranges))

    def _limited(self, force: sb.Expr, span: Sequence[float]) -> sb.Expr:
        """The force within the range of the file, if ranges are wanted."""
        if not span:
            return force
        if not self.has_force_limits:
            self.inactive["force ranges of actuators, unless force_limits=True is given"] += 1
            return force
        low, high = span
        return sb.maximum(low, sb.minimum(high, force))

    def _add_reflected(self, name: str, given: Attributes, gear: float) -> None:
        """Inertia and damping of the actuator itself, on its joint or tendon: by the square of the gear."""
        inertia, damping = given.one("armature"), given.numbers("damping", (0.0,))
        if self.text.tree.is_off("damper"):
            damping = (0.0,)
        if not inertia and not any(damping):
            return
        along: tuple[sb.Expr, Callable[[str, str, sb.Expr, sb.Expr | None], sb.bodies.Load]] | None = None
        if (tendon := self.tendons.get(given.text("tendon"))) is not None:
            along = tendon.rate, tendon.pushed
        elif "joint" in given and isinstance(q := self._coordinate(self._joint(given, "joint")), sb.Symbol):
            along = q.dot, lambda n, kind, f, potential: on_rates(n, kind, {q: f}, potential)
        if along is None:
            self.left_out[f"armature or damping of a <{given.element.tag}> on more than one coordinate"] += 1
            return
        rate, pushed = along
        if inertia:
            self._add_rotor(name, gear**2 * inertia, rate)
        if any(damping):
            self.robot.parts.add_load(
                pushed(f"{name}.damper", "damper", gear**2 * damper_polynomial(damping, rate), None)
            )

    def _complete(self, law: ActuatorLaw | MuscleLaw, length: sb.Expr) -> ActuatorLaw | MuscleLaw:
        """With what follows from the inertia that a force along a length meets where the file shows the robot."""
        if isinstance(law, MuscleLaw):
            return law.scaled(self.text.inertia.acceleration(self._arms(length))) if law.needs_acceleration else law
        return law.damped(self.text.inertia.along(self._arms(length)) if law.damping_ratio else 0.0)

    def _arms(self, length: sb.Expr) -> dict[str, float]:
        """∂l/∂q there."""
        arms = {}
        for joint in self.text.robot.joints.values():
            q = self._coordinate(joint) if joint.kind in ("revolute", "prismatic") else None
            if isinstance(q, sb.Symbol) and (arm := self._at_reference(sb.derivative(length, q))):
                arms[joint.name] = arm
        return arms

    def _drive(self, base: str, control: sb.Symbol, law: ActuatorLaw | MuscleLaw) -> sb.Expr:
        """The control, or the activation that follows it."""
        if law.dynamics == "none":
            return control
        act = self.robot.variable(base.removesuffix("_ctrl") + "_act")
        self.robot.equation(f"{base}.activation", act.dot - law.activation_rate(control, act))
        return act

    def _transmission(self, given: Attributes, gear: Sequence[float]) -> tuple[sb.Expr, sb.Expr, Any]:
        """Length, its rate, and the loads that a force which increases it is."""
        if "tendon" in given:
            tendon = self.tendons.get(given.text("tendon"))
            if tendon is None:
                return ZERO, ZERO, None
            g = gear[0]
            return g * tendon.length, g * tendon.rate, lambda n, f: [tendon.pushed(n, "actuator", g * f, None)]
        if "joint" in given or "jointinparent" in given:
            return self._on_joint(self._joint(given, "joint" if "joint" in given else "jointinparent"), given, gear)
        if "site" in given and "refsite" not in given:
            site = self._site(given, "site")
            v, w = site.vector(*gear[:3]), site.vector(*gear[3:])

            def push(name: str, f: sb.Expr) -> Iterator[sb.bodies.Load]:
                actions = [sb.bodies.Action(site, force=f * v, at=site.origin)] if any(gear[:3]) else []
                actions += [sb.bodies.Action(site, torque=f * w)] if any(gear[3:]) else []
                yield sb.bodies.Load(name, "actuator", tuple(actions))

            return ZERO, site.origin.velocity().dot(v) + site.angular_velocity().dot(w), push
        if "refsite" in given:
            return self._between_sites(given, gear)
        return ZERO, ZERO, None

    def _between_sites(self, given: Attributes, gear: Sequence[float]) -> tuple[sb.Expr, sb.Expr, Any]:
        """How far a site is from another, along axes of that one. Both sides of the force act at the place of the site,
        so that motions which both share have no part in it."""
        site, other = self._site(given, "site"), self._site(given, "refsite")
        names = (self.text.sites[given.text(k)].link for k in ("site", "refsite"))
        if any(gear[3:]) or not self._carries(*names):
            return ZERO, ZERO, None
        along = other.vector(*gear[:3])
        length = (site.origin - other.origin).dot(along)

        def push(name: str, f: sb.Expr) -> Iterator[sb.bodies.Load]:
            both = (
                sb.bodies.Action(site, force=f * along, at=site.origin),
                sb.bodies.Action(other, force=-f * along, at=site.origin),
            )
            yield sb.bodies.Load(name, "actuator", both)

        return length, sb.time_derivative(length), push

    def _carries(self, link: str, other: str) -> bool:
        """Whether the other link is on the way from the first one to the ground."""
        parents = {j.child: j.parent for j in self.text.robot.joints.values()}
        while link != other and link in parents:
            link = parents[link]
        return link == other

    def _on_joint(self, joint: JointText, given: Attributes, gear: Sequence[float]) -> tuple[sb.Expr, sb.Expr, Any]:
        if joint.kind in ("revolute", "prismatic"):
            q, g = self._coordinate(joint), gear[0]
            if not isinstance(q, sb.Symbol):
                return ZERO, ZERO, lambda n, f: []
            return g * q, g * q.dot, lambda n, f: [on_rates(n, "actuator", {q: g * f})]
        made = self.robot.joints[joint.name]
        frame = made.inner if "joint" in given else made.outer
        spin = made.inner.angular_velocity(made.outer)
        if joint.kind == "spherical":
            about = frame.vector(*gear[:3])
            length = sum((g * x for g, x in zip(gear, rotation_vector(made.coordinates), strict=False)), ZERO)
            return length, spin.dot(about), lambda n, f: [between(n, "torque", f * about, made)]
        if joint.kind == "floating":
            along, about = made.outer.vector(*gear[:3]), frame.vector(*gear[3:])
            rate = made.inner.origin.velocity().dot(along) + spin.dot(about)

            def push(name: str, f: sb.Expr) -> Iterator[sb.bodies.Load]:
                yield sb.bodies.Load(name, "actuator", (sb.bodies.Action(made.inner, force=f * along, at=made.inner.origin), sb.bodies.Action(made.inner, torque=f * about)))  # fmt: skip

            return ZERO, rate, push
        return ZERO, ZERO, None

"""All forces and torques on one body, as in a free-body diagram: weight, loads, and what joints transmit.

For every body these satisfy Newton's and Euler's equations,

    Σ F = m a,   Σ M + Σ (r - r_c) × F = d/dt (I · ω)

and what a joint exerts on its child is the opposite of what it exerts on its parent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...algebra.graph.graph import Expr
from ...algebra.graph.matrix import Matrix
from ...bodies.frames.frames import Frame
from ...bodies.frames.points import Point
from ...bodies.frames.vectors import Vector
from ...bodies.mechanism.mechanism import Action, Body, Joint, Mechanism
from ...errors import ModelError, listed
from ...summary import Introduced
from ..equations.energies import refuse_written_motion
from ..equations.equation_arguments import of_equations
from ..equations.equations import Equations
from ..equations.own_terms import in_own_terms
from ..equations.undetermined_forces import Share
from .reactions import ForceBalance, chain_of

GUIDE = "guide"  # kind of the guide of a body whose frame moves without a joint


@dataclass(frozen=True)
class BodyForce(Introduced):
    """A force at a point of a body, or a torque on it.

    body       on which it acts
    name       of the load or joint that it comes from
    kind       "weight", "reaction", or that of the load: "spring", "force", ...
    at         the point of application; of a torque, where it is drawn
    force      a vector, or None where it is a torque
    torque     a vector, or None where it is a force
    other      the body on which the reaction acts: "ground", or "" if unknown

    vector     its force or its torque; it contains u' and multipliers

    >>> m = sb.Model("cart")
    >>> joint = m.prismatic("x", m.ground, m.body("cart", mass=2))
    >>> m.gravity(0, 0, -10)
    >>> found = sb.derivation.body_forces(sb.derive(m), "cart")
    >>> [(f.name, f.kind, f.other) for f in found]
    [('gravity', 'weight', ''), ('x', 'reaction', 'ground'), ('x', 'reaction', 'ground')]
    >>> found[1].vector.in_ground
    vector(2*x_ddot, 0, 20)

    See also: `derivation.body_forces`, `view.free_body`.
    """

    body: str
    name: str
    kind: str
    at: Point
    force: Vector | None = None
    torque: Vector | None = None
    other: str = ""

    @property
    def vector(self) -> Vector:
        """Its force or its torque."""
        found = self.torque if self.force is None else self.force
        assert found is not None
        return found


@of_equations
def body_forces(eq: Equations, body: str | None = None) -> tuple[BodyForce, ...]:
    """Every force and torque on a body, or on all bodies: weight, loads, and both sides of each joint.

    A load on the coordinate of a joint (its spring, damper, actuator) acts as a pair across that joint. A body whose
    frame moves without a joint is held by a guide with the name of the body. Bodies on one frame form one rigid body,
    and the forces between them are not computed.

    >>> m = sb.Model("pendulum")
    >>> joint = m.revolute("theta", m.ground, m.body("bob", mass=2, com=(0, -1, 0)))
    >>> m.gravity(0, -10, 0)
    >>> eq = sb.derive(m)
    >>> found = sb.derivation.body_forces(eq, "bob")
    >>> [(f.name, f.force is not None) for f in found], found[0].vector.in_ground
    ([('gravity', True), ('theta', True), ('theta', False)], vector(0, -20, 0))

    See also: `reaction`, `view.free_body`, `derivation.BodyForce`.
    """
    refuse_written_motion(eq, "forces on bodies")
    if body is not None:
        eq.mechanism.body(body)
    return tuple(f for f in _ForceCollector(eq).all() if body is None or f.body == body)


def force_components(
    eq: Equations, forces: Sequence[BodyForce], frame: Frame | None = None, share: Share | None = None
) -> list[Matrix]:
    """Components of forces in a frame (the ground by default) along the motion: functions of the state alone. `share` as
    in `reaction`."""
    target = eq.mechanism.ground if frame is None else frame
    found = ForceBalance(eq).kinematics.in_speeds([f.vector.components(target) for f in forces])
    return in_own_terms(eq, found, True, share)


class _ForceCollector:
    def __init__(self, eq: Equations) -> None:
        self.mechanism, self.balance = eq.mechanism, ForceBalance(eq)
        self.tree = [j for j in self.mechanism.joints if not j.closes_loop]
        self.tree += _guides(self.mechanism, self.tree)
        self.cuts = {chain_of(j)[0]: j.child for j in self.tree if chain_of(j)}
        self.bodies = {b.name: b for b in self.mechanism.bodies}

    def owner(self, frame: Frame) -> str:
        """The body that a frame belongs to, or "ground": frames below a joint belong to its child."""
        return next((self.cuts[f] for f in reversed(frame.path) if f in self.cuts), "ground")

    def all(self) -> Iterator[BodyForce]:
        for load in self.mechanism.loads:
            kind = "weight" if load.kind == "gravity" else load.kind
            yield from self._acting(load.name, kind, load.actions)
        for j in self.tree:
            own, frame = self.balance.transmitted(j)
            yield from self._pair(j, j.name, "reaction", frame, own)
            for (_, name), wrench in self.balance.across(j).items():
                yield from self._pair(j, name, self._kind(name), frame, wrench)
        for c in self.mechanism.constraints:
            yield from self._acting(c.joint or c.name, "reaction", c.actions, self.balance.multipliers[c.name])

    def _kind(self, name: str) -> str:
        return next((x.kind for x in self.mechanism.loads if x.name == name), "reaction")

    def _acting(self, name: str, kind: str, actions: Iterable[Action], factor: Expr | int = 1) -> Iterator[BodyForce]:
        """Actions on bodies; the opposite is on another of the owners, where there are two."""
        found = [(self.owner(a.frame), a) for a in actions]
        owners = list(dict.fromkeys(o for o, _ in found))
        for owner, a in found:
            other = next((o for o in owners if o != owner), "") if len(owners) == 2 and kind != "weight" else ""
            if owner in self.bodies and a.force is not None and a.at is not None:
                yield BodyForce(owner, name, kind, a.at, force=factor * a.force, other=other)
            if owner in self.bodies and a.torque is not None:
                yield BodyForce(owner, name, kind, self._middle(owner, a), torque=factor * a.torque, other=other)

    def _middle(self, owner: str, a: Action) -> Point:
        return self.bodies[owner].mass_centre if a.frame is self.bodies[owner].frame else a.frame.origin

    def _pair(self, j: Joint, name: str, kind: str, frame: Frame, own: Any) -> Iterator[BodyForce]:
        """A wrench on the child of a joint, and its opposite on the parent, at the same place."""
        parent, at = self.owner(j.outer), j.inner.origin
        for body, other, sign in ((j.child, parent, 1), (parent, j.child, -1)):
            if body in self.bodies:
                for key, part in (("force", own.force), ("torque", own.moment)):
                    yield BodyForce(body, name, kind, at, **{key: sign * Vector({frame: part})}, other=other)


def _guides(mechanism: Mechanism, tree: Iterable[Joint]) -> list[Joint]:
    """The guides of bodies whose frames move without joints, as joints."""
    carried: Mapping[Frame, Joint] = {f: j for j in tree for f in chain_of(j)}
    by_frame: dict[Frame, list[Body]] = {}
    for b in mechanism.bodies:
        by_frame.setdefault(b.frame, []).append(b)
    for several in by_frame.values():
        if len(several) > 1:
            raise ModelError(
                f"forces on bodies of {mechanism.name!r}: one frame carries {listed(b.name for b in several)}, which makes them one rigid body; the forces between them are not determined. Make them one body, or hold one on the other by m.fixed"
            )
    out = []
    for f, (b,) in by_frame.items():
        above = next(g for g in reversed(f.path) if g in carried or (g in by_frame and g is not f) or g.is_ground)
        is_by_hand = above not in carried or (above in by_frame and above is not f)
        if is_by_hand and f.parent is not None:
            out.append(Joint(b.name, GUIDE, f.parent, f, "", b.name, ()))
    return out

"""Reactions in joints, without auxiliary speeds.

A joint of the tree transmits the wrench that its subtree needs: by Newton and Euler over the subtree,

    reaction = Σ (inertia - gravity) - Σ loads - Σ loop closures × multipliers - loads on the joint's own coordinates

The joint that closes a loop has the forces that belong to its multipliers.

Forces and torques of loads name the body on which they act. Forces on coordinates, potentials and constraints given as
expressions do not: they act as pairs across the joint if their coordinates move only this joint; if they couple it with
others, the part transmitted by the joint is undetermined, and the request is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ...algebra.calculus.derivatives import jacobian, time_derivative
from ...algebra.graph.graph import ZERO, Expr, Symbol
from ...algebra.graph.linear import solve
from ...algebra.graph.matrix import Matrix, cross, dot, zeros
from ...algebra.graph.walk import free_symbols
from ...algebra.printing.formulas import formula
from ...algebra.printing.printing import outline
from ...bodies.frames.frames import Frame
from ...bodies.frames.points import Point
from ...bodies.frames.vectors import Vector
from ...bodies.mechanism.declarations import multiplier_of
from ...bodies.mechanism.mechanism import Body, Constraint, Joint, Load, Mechanism
from ...display import DisplayPart
from ...errors import DerivationError, ModelError, in_number, listed, shown, unknown
from ...summary import Summarized, Summary
from ..equations.energies import is_uniform_gravity, refuse_written_motion
from ..equations.equation_arguments import of_equations
from ..equations.equations import Equations
from ..equations.own_terms import in_own_terms
from ..equations.undetermined_forces import Share
from ..kinematics.kinematics import NO_WRENCH, Kinematics, Wrench, wrench_of, wrenches
from ..programs.link_balances import swept_wrenches
from ..routes.recursive import inertial_wrenches, to_parent


@dataclass(frozen=True, repr=False)
class Reaction(Summarized):
    """Force and moment that the parent of a joint exerts on the child, in components of `frame`; the moment is about
    `at`.

    force, moment   columns of three expressions

    >>> m = sb.Model("cart")
    >>> joint = m.prismatic("x", m.ground, m.body("cart", mass=2))
    >>> m.gravity(0, 0, -10)
    >>> found = sb.reaction(sb.derive(m), "x")
    >>> found.force, found.moment
    (vector(2*x_ddot, 0, 20), vector(0, 0, 0))

    See also: `reaction`, `derivation.reactions`.
    """

    joint: str
    frame: Frame
    at: Point
    force: Matrix
    moment: Matrix

    def _summary(self) -> Summary:
        rows = (("force", outline(self.force)), ("moment", outline(self.moment)))
        return Summary(f"Reaction in {self.joint}, components in {self.frame.name}, moment about {self.at!r}", rows)

    def _folded(self) -> Iterable[tuple[str, DisplayPart]]:
        return ("force", formula(self.force)), ("moment", formula(self.moment))


@of_equations
def reaction(
    eq: Equations,
    joint: str,
    frame: Frame | Body | str | None = None,
    at: Point | None = None,
    solved: bool = False,
    *,
    share: str | Mapping[str, Any] | None = None,
) -> Reaction:
    """The constraint force and moment in a joint (of the tree, closing a loop, or a rolling contact), by its name.

    frame    for the components: a frame, a body, or the name of a body or "ground"; by default the joint frame on the
             parent side, whose axes are those of the parent, not of the joint
    at       the point about which the moment is taken; by default the origin of the joint's frame on the child side
    solved   False: expressions in q, u, u', multipliers; True: with the solutions for u' and the multipliers
             substituted. Components that redundant constraints leave undetermined then have no value (NaN)
    share    how undetermined components are distributed among redundant joints: "least norm" (minimum Σ lam²), or
             {joint or constraint: stiffness} for elastic loop-closing joints (N/m, N m/rad); all others are rigid

    Springs, dampers and actuators across the joint are loads, not reactions: a reaction does no work on the motions
    that the joint allows. Rows of a loop joint that were dropped because they are always satisfied have no multiplier;
    their forces count as zero.

    >>> m = sb.Model("pendulum")
    >>> joint = m.revolute("theta", m.ground, m.body("bob", mass=2, com=(0, -1, 0)))
    >>> m.gravity(0, -10, 0)
    >>> eq = sb.derive(m)
    >>> hinge = sb.reaction(eq, "theta", "ground", solved=True)
    >>> sb.evaluate(hinge.force, eq.values(theta=0.5, theta_dot=1.0))
    [-9.37356, 17.1582, 0.0]

    See also: `derivation.reactions`, `derivation.Reaction`, `Trajectory`.
    """
    return ForceBalance(eq).reaction(joint, frame, at, solved, share)


@of_equations
def reactions(
    eq: Equations, solved: bool = False, *, share: str | Mapping[str, Any] | None = None
) -> dict[str, Reaction]:
    """The reactions in all joints, by name, each in its default frame and about its default point; `share` as in
    `reaction`.

    >>> m = sb.Model("pendulum")
    >>> joint = m.revolute("theta", m.ground, m.body("bob", mass=2, com=(0, -1, 0)))
    >>> found = sb.derivation.reactions(sb.derive(m))
    >>> found["theta"].force
    vector(2*cos(theta)*theta_ddot - 2*sin(theta)*theta_dot**2, 2*cos(theta)*theta_dot**2 + 2*sin(theta)*theta_ddot, 0)

    See also: `reaction`, `derivation.Reaction`.
    """
    balance = ForceBalance(eq)
    return {name: balance.reaction(name, None, None, solved, share) for name in balance.names}


class ForceBalance:
    """Forces on every frame of a mechanism and on its subtree, in terms of u' and multipliers."""

    def __init__(self, eq: Equations) -> None:
        self.eq, self.mechanism = eq, eq.mechanism
        self.kinematics = Kinematics(self.mechanism)
        self.multipliers: dict[str, Expr] = {
            c.name: lam
            for c, lam in zip((*self.mechanism.holonomic, *self.mechanism.nonholonomic), eq.whole.lam, strict=True)
        }

    @cached_property
    def names(self) -> list[str]:
        return list(dict.fromkeys([*(j.name for j in self.mechanism.joints), *_coincidences(self.mechanism)]))

    def reaction(
        self, name: str, frame: Frame | Body | str | None, at: Point | None, solved: bool, share: Share | None = None
    ) -> Reaction:
        joint = _joint(self.mechanism, name)
        target = joint.outer if frame is None else _frame_named(self.mechanism, name, frame)
        if at is not None and not isinstance(at, Point):
            raise ModelError(f"reaction in {name!r}: expected a point for at=, got {shown(at)}")
        own, where = self._in_loop(joint) if joint.closes_loop else self.transmitted(joint)
        force, moment = Vector({where: own.force}), Vector({where: own.moment})
        if at is not None:
            moment = moment + (joint.inner.origin - at).cross(force)
        f, m = self.kinematics.in_speeds([force.components(target), moment.components(target)])
        f, m = in_own_terms(self.eq, [f, m], solved, share)
        return Reaction(name, target, at or joint.inner.origin, f, m)

    # ------------------------------------------------------------------------------------------------ loops

    def _in_loop(self, joint: Joint) -> tuple[Wrench, Frame]:
        """Σ multiplier × action on the child side: about the origin of the inner frame, in its components."""
        total = NO_WRENCH
        for c in self.mechanism.constraints:
            for action in c.actions if c.joint == joint.name else ():
                if action.frame is joint.inner:
                    total = total + _scaled_wrench(self.multipliers[c.name], wrench_of(action, self.kinematics))
        return total, joint.inner

    # ------------------------------------------------------------------------------------------------ trees

    @cached_property
    def carried(self) -> dict[Frame, Wrench]:
        """Wrench transmitted to each frame by its parent, for its whole subtree: about its origin, in its
        components."""
        refuse_written_motion(self.eq, "reactions")
        mechanism, k = self.mechanism, self.kinematics
        total = dict(inertial_wrenches(mechanism, k, at_constant_speed=False))
        loads = [x for x in mechanism.loads if not is_uniform_gravity(x, k)]
        for f, w in wrenches(loads, k).items():
            total[f] = total.get(f, NO_WRENCH) - w
        for c in mechanism.constraints:
            for action in c.actions:
                w = _scaled_wrench(self.multipliers[c.name], wrench_of(action, k))
                total[action.frame] = total.get(action.frame, NO_WRENCH) - w
        for f in reversed(mechanism.frames):
            if f in total and f.parent is not None:
                total[f.parent] = total.get(f.parent, NO_WRENCH) + to_parent(f, total[f])
        return total

    def transmitted(self, joint: Joint) -> tuple[Wrench, Frame]:
        """The reaction in a joint of the tree: in components of the outer frame, about the origin of the inner one."""
        chain = chain_of(joint)
        cut = chain[0]
        known = in_loops if cut in (in_loops := swept_wrenches(self.eq)) else self.carried
        through = to_parent(cut, known[cut]) if cut in known else NO_WRENCH
        arm = (joint.inner.origin - joint.outer.origin).components(joint.outer)
        through = Wrench(through.force, through.moment - cross(arm, through.force))
        for own in self.across(joint).values():
            through = through - own
        return through, joint.outer

    def across(self, joint: Joint) -> dict[tuple[str, str], Wrench]:
        """Loads on the coordinates of a joint of the tree (springs, dampers, actuators), by ("load", name): wrenches on its
        child side, in its directions of motion with the same power; components as those of `transmitted`."""
        chain, found = chain_of(joint), {}
        for key, forces in self._unassigned_forces.items():
            what = f"{key[0]} {key[1]!r}"
            if any(r in forces for r in self._moving_rates(chain)):
                self._refuse_unless_own(joint, chain, what, forces)
                found[key] = self._along_motions(joint, chain, forces)
            elif _is_split(forces, self.motions, self._moved_by, chain):
                raise DerivationError(
                    f"reaction in joint {joint.name!r}: {what} acts on {in_number(forces, '{}, which does', '{}, which do')} not move one side of the joint "
                    f"only, and does not say on which bodies; {ADVICE}"
                )
        return found

    def _along_motions(self, joint: Joint, chain: tuple[Frame, ...], on_rates: Mapping[Symbol, Expr]) -> Wrench:
        """The wrench in the directions in which a joint moves, with the power of forces on its rates."""
        rates = self._moving_rates(chain)
        columns = [_relative_column(self.motions, chain, joint, r) for r in rates]
        handles = [(w, zeros(3)) if any(e is not ZERO for e in w.entries) else (w, v) for w, v in columns]
        K = Matrix(len(rates), len(rates), tuple(dot(w, a) + dot(v, b) for w, v in columns for a, b in handles))
        strengths = _solve_small(K, [on_rates.get(r, ZERO) for r in rates])
        total = NO_WRENCH
        for s, (w, v) in zip(strengths, handles, strict=True):
            total = total + Wrench(s * v, s * w)
        return total

    def _refuse_unless_own(
        self, joint: Joint, chain: tuple[Frame, ...], what: str, forces: Mapping[Symbol, Expr]
    ) -> None:
        rates = self._moving_rates(chain)
        strangers = [r for r in forces if r not in rates]
        shared = [r for r in rates if any(r in m and f not in chain for f, m in self.motions.items())]
        if strangers or shared:
            why = (
                f"acts on {listed(strangers)} too"
                if strangers
                else f"acts on {in_number(shared, '{}, which moves', '{}, which move')} other joints too"
            )
            raise DerivationError(
                f"reaction in joint {joint.name!r}: {what} acts on its motion but {why}, so that what goes through this joint is not "
                f"determined; {ADVICE}"
            )

    def _moving_rates(self, chain: Iterable[Frame]) -> list[Symbol]:
        return list(dict.fromkeys(r for f in chain for r in self.motions[f]))

    @cached_property
    def motions(self) -> dict[Frame, dict[Symbol, tuple[Matrix, Matrix]]]:
        """How each frame moves in its parent with rates of coordinates (or with speeds, where Euler parameters hide
        their rates).

        Angular in components of the frame, linear in those of its parent.
        """
        out = {}
        for f in self.mechanism.frames:
            spin, drift = self._visible([f.spin, f.drift])
            rates = [s for s in free_symbols(spin, drift) if s.kind == "speed"]
            turn, slide = jacobian(spin, rates), jacobian(drift, rates)
            out[f] = {
                r: (Matrix(3, 1, turn.column(j)), Matrix(3, 1, slide.column(j)))
                for j, r in enumerate(rates)
                if any(e is not ZERO for e in (*turn.column(j), *slide.column(j)))
            }
        return out

    @cached_property
    def _moved_by(self) -> dict[Symbol, list[Frame]]:
        """Frames that each rate moves in their parents."""
        out: dict[Symbol, list[Frame]] = {}
        for f, m in self.motions.items():
            for r in m:
                out.setdefault(r, []).append(f)
        return out

    @cached_property
    def _unassigned_forces(self) -> dict[tuple[str, str], dict[Symbol, Expr]]:
        """Generalised forces that name no bodies: {rate: force}, by ("load", name) or ("constraint", name)."""
        out = {}
        for load in self.mechanism.loads:
            if not load.is_internal and (forces := self._forces_of_load(load)):
                out["load", load.name] = forces
        for c in self.mechanism.constraints:
            if not c.actions:
                out["constraint", c.name] = self._forces_of_constraint(c)
        return out

    def _forces_of_load(self, load: Load) -> dict[Symbol, Expr]:
        given: Mapping[Symbol, Expr] = load.on_rates
        if not load.frames and not given and load.potential is not None:
            q = self.mechanism.q
            given = {x: -slope for x, slope in zip(q, jacobian([load.potential], q).entries, strict=True)}
        visible = {r for m in self.motions.values() for r in m}
        out: dict[Symbol, Expr] = {}
        for q_, value in given.items():
            if value is ZERO:
                continue
            rate: Any = q_.dot
            if rate in visible:
                parts = {rate: value}
            else:
                law = self.mechanism.rates[q_]
                parts = {s: value * e for s, e in _slopes(law)}
            for s, v in parts.items():
                out[s] = out[s] + v if s in out else v
        return out

    def _forces_of_constraint(self, c: Constraint) -> dict[Symbol, Expr]:
        psi = time_derivative(c.expression) if c.is_holonomic else c.expression
        return {s: self.multipliers[c.name] * e for s, e in _slopes(*self._visible([psi]))}

    def _visible(self, things: list[Any]) -> list[Any]:
        """Rates of coordinates themselves, which keep joints separate; speeds where that is impossible."""
        parameters = {e.dot for norm in self.mechanism.norms for e in norm}
        if self._needs_speeds or parameters.intersection(free_symbols(*things)):
            return self.kinematics.in_speeds(things)
        return things

    @cached_property
    def _needs_speeds(self) -> bool:
        """Whether a constraint was written in speeds that move frames only through the rates of coordinates."""
        moving = set(free_symbols(*(f.spin for f in self.mechanism.frames)))
        own = {u for u in self.mechanism.u if u.order == 0 and u not in moving}
        written = [c.expression for c in self.mechanism.constraints if not c.actions]
        return bool(own.intersection(free_symbols(*written)))


ADVICE = (
    "give it as forces or torques on bodies (m.force, m.torque, m.spring), or close the loop by a joint or "
    "m.coincide, or m.gear, whose forces are known"
)


def _slopes(law: Expr) -> list[tuple[Symbol, Expr]]:
    rates = [s for s in free_symbols(law) if s.kind == "speed"]
    return [(s, e) for s, e in zip(rates, jacobian([law], rates).entries, strict=True) if e is not ZERO]


def _is_split(
    forces: Mapping[Symbol, Expr],
    motions: Mapping[Frame, Mapping[Symbol, Any]],
    moved_by: Mapping[Symbol, Sequence[Frame]],
    chain: tuple[Frame, ...],
) -> bool:
    """Whether rates that are acted on (or that move the same frames) move frames on both sides of a joint, or the
    joint."""
    rates, sides, new = set(forces), set[object](), list(forces)
    while new:
        for f in moved_by.get(new.pop(), ()):
            sides.add("joint" if f in chain else chain[0] in f.path)
            more = set(motions[f]) - rates
            rates |= more
            new += more
    return len(sides) > 1 or "joint" in sides


def _relative_column(
    motions: Mapping[Frame, Mapping[Symbol, tuple[Matrix, Matrix]]],
    chain: tuple[Frame, ...],
    joint: Joint,
    rate: Symbol,
) -> tuple[Matrix, Matrix]:
    """Motion of the inner frame in the outer one for a rate of one: in components of the outer frame, at the inner
    origin."""
    angular, linear = Vector({}), Vector({})
    for f in chain:
        if rate in motions[f] and f.parent is not None:
            turn, slide = motions[f][rate]
            angular = angular + Vector({f: turn})
            linear = linear + Vector({f.parent: slide}) + Vector({f: turn}).cross(joint.inner.origin - f.origin)
    return angular.components(joint.outer), linear.components(joint.outer)


def _solve_small(K: Matrix, right: list[Expr]) -> list[Expr]:
    n = K.rows
    if all(K[i, j] is ZERO for i in range(n) for j in range(n) if i != j):
        return [r / K[i, i] for i, r in enumerate(right)]
    return list(solve(K, right, "general").entries)


def _frame_named(mechanism: Mechanism, joint: str, frame: Any) -> Frame:
    """The frame that is meant by frame=."""
    if isinstance(frame, str):
        known = {"ground": mechanism.ground, **{b.name: b.frame for b in mechanism.bodies}}
        if frame not in known:
            raise unknown(f"reaction in {joint!r}, frame=", "body", frame, known)
        return known[frame]
    target = frame.frame if isinstance(frame, Body) else frame
    if not isinstance(target, Frame):
        raise ModelError(
            f"reaction in {joint!r}: frame= must be a frame, a body, the name of a body, or 'ground'; got {shown(frame)}"
        )
    return target


def _scaled_wrench(s: Expr, w: Wrench) -> Wrench:
    return Wrench(s * w.force, s * w.moment)


def chain_of(joint: Joint) -> tuple[Frame, ...]:
    """The frames by which a joint of the tree carries its child: from the first after its outer frame to its inner
    frame."""
    return joint.inner.path[joint.outer.depth + 1 :]


def _coincidences(mechanism: Mechanism) -> dict[str, Joint]:
    """Points tied together by `Model.coincide`, as joints."""
    known, out = {j.name for j in mechanism.joints}, {}
    for c in mechanism.constraints:
        if c.joint is not None and c.joint not in known and c.joint not in out and c.actions:
            inner, outer = c.actions[0], c.actions[1]
            out[c.joint] = Joint(c.joint, "coincide", outer.frame, inner.frame, "", "", (), closes_loop=True)
    return out


def _joint(mechanism: Mechanism, name: str) -> Joint:
    joints = {**_coincidences(mechanism), **{j.name: j for j in mechanism.joints}}
    if name not in joints:
        if name in {c.name for c in mechanism.constraints}:
            raise ModelError(
                f"mechanism {mechanism.name!r}: {name!r} is a constraint, not a joint: its force is its multiplier, sim['{multiplier_of(name).name}'] "
                f"of a trajectory; joints are {listed(joints)}"
            )
        raise unknown(f"mechanism {mechanism.name!r}", "joint", name, joints)
    return joints[name]

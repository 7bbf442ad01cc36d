"""A mechanism of ours as a user of SymPy would write it: the same frames, points, bodies, loads and constraints.

Scalars come from `to_sympy`; everything else is SymPy's own: `orientnew`, `locatenew`, `set_ang_vel` with speeds,
`v2pt_theory`, `RigidBody`, `KanesMethod`, `LagrangesMethod`. What has no counterpart there is refused.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import sympy
import sympy.physics.mechanics as me
from sympy.core.cache import clear_cache

import symbody as sb
from symbody.algebra.graph.graph import ZERO, as_expr
from symbody.bodies.frames.frames import Frame
from symbody.bodies.frames.points import Point
from symbody.bodies.frames.rotations import Turn
from symbody.bodies.frames.vectors import Vector
from symbody.bodies.mechanism.mechanism import Action, Body, Load, Mechanism
from symbody.derivation.forms.minimal import minimal
from symbody.derivation.kinematics.kinematics import Kinematics


@dataclass
class Twin:
    """Frames, points, bodies and loads in SymPy.

    uses_speeds   velocities in terms of speeds, for Kane's method; otherwise in terms of q', for Lagrange's
    scalars       what `to_sympy` has made already
    """

    mechanism: Mechanism
    uses_speeds: bool
    scalars: dict[sb.Expr, Any]

    def __post_init__(self) -> None:
        self.kinematics = Kinematics(self.mechanism)
        self.speeds = {u: speed(u) for u in self.mechanism.u}
        self.q = [self.scalar(q) for q in self.mechanism.q]
        self.N, self.origin = me.ReferenceFrame("N"), me.Point("O")
        self.origin.set_vel(self.N, 0)
        self.frames, self.points = {self.mechanism.ground: self.N}, {self.mechanism.ground: self.origin}
        self.centres: dict[Body, Any] = {}
        for f in self.mechanism.frames:
            self.frames[f], self.points[f] = self._turned(f), self._placed(f)
        self.bodies = [self._body(b) for b in self.mechanism.bodies if not b.mass.is_massless]

    # ---------------------------------------------------------------------------------------------- scalars and vectors

    def scalar(self, x: Any) -> Any:
        """In SymPy, with names for speeds where these are used."""
        e = as_expr(x)
        if e not in self.scalars:
            if self.uses_speeds:
                (in_speeds,) = self.kinematics.in_speeds([e])
                names = {sb.to_sympy(u, expand=True): name for u, name in self.speeds.items()}
                self.scalars[e] = sb.to_sympy(in_speeds, expand=True, limit=10**6).xreplace(names)
            else:
                self.scalars[e] = sb.to_sympy(e, expand=True, limit=10**6)
        return self.scalars[e]

    def _components(self, frame: Any, entries: Iterable[sb.Expr]) -> Any:
        axes = (frame.x, frame.y, frame.z)
        return sum((self.scalar(e) * a for e, a in zip(entries, axes, strict=True) if e is not ZERO), me.Vector(0))

    def vector(self, v: Vector) -> Any:
        return sum((self._components(self.frames[f], c.entries) for f, c in v.terms.items()), me.Vector(0))

    # ------------------------------------------------------------------------------------------------ frames and points

    def _turned(self, f: Frame) -> Any:
        """Factor by factor; a frame that is only shifted has none of its own."""
        frame = self.frames[f.parent]
        for factor in f.rotation.factors:
            name = f"F{len(self.frames)}_{factor.axis}" if isinstance(factor, Turn) else f"F{len(self.frames)}"
            if isinstance(factor, Turn):
                axis = (frame.x, frame.y, frame.z)[factor.axis]
                turned = frame.orientnew(name, "Axis", [self.scalar(factor.angle), axis])
            else:
                turned = frame.orientnew(name, "DCM", self._matrix(factor.matrix))
            spin = factor.spin()
            if any(e is not ZERO for e in spin.entries):
                turned.set_ang_vel(frame, self._components(turned, spin.entries))
            frame = turned
        return frame

    def _matrix(self, m: sb.Matrix) -> Any:
        return sympy.Matrix(m.rows, m.cols, [self.scalar(e) for e in m.entries])

    def _placed(self, f: Frame) -> Any:
        parent = f.parent
        assert parent is not None
        home, start = self.frames[parent], self.points[parent]
        if all(e is ZERO for e in f.offset.entries):
            return start
        point = start.locatenew(f"P{len(self.points)}", self._components(home, f.offset.entries))
        drift = self.kinematics.drifts[f] if self.uses_speeds else sb.time_derivative(f.offset)
        if all(e is ZERO for e in drift.entries):
            point.v2pt_theory(start, self.N, home)
        else:
            point.set_vel(home, self._components(home, drift.entries))
            point.v1pt_theory(start, self.N, home)
        return point

    def _fixed_point(self, p: Point) -> Any:
        """A point that does not move in its frame."""
        start, home = self.points[p.frame], self.frames[p.frame]
        if all(e is ZERO for e in p.coordinates.entries):
            return start
        point = start.locatenew("A", self._components(home, p.coordinates.entries))
        point.v2pt_theory(start, self.N, home)
        return point

    # ------------------------------------------------------------------------------------------------ bodies and loads

    def _body(self, b: Body) -> Any:
        frame, centre = self.frames[b.frame], self._fixed_point(b.mass_centre)
        self.centres[b] = centre
        mass = self.scalar(b.mass.m)
        if b.mass.is_particle:
            return me.Particle(b.name, centre, mass)
        I = [self.scalar(b.mass.I_BBcm[i, j]) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2))]
        return me.RigidBody(b.name, centre, frame, mass, (me.inertia(frame, *I), centre))

    def loads(self, loads: Iterable[Load]) -> list[tuple[Any, Any]]:
        """Forces on points and torques on frames."""
        out: list[tuple[Any, Any]] = []
        for load in loads:
            actions = list(load.actions)
            for q, value in load.on_rates.items():
                actions += self._along_motion(load, q, value)
            if not actions:
                raise NotImplementedError(f"load {load.name!r}: SymPy knows no generalised forces")
            for a in actions:
                out += self._action(a)
        return out

    def _action(self, a: Action) -> list[tuple[Any, Any]]:
        if a.frame.is_ground:
            return []
        out = []
        if a.torque is not None:
            out.append((self.frames[a.frame], self.vector(a.torque)))
        if a.force is not None:
            assert a.at is not None
            owner = next((b for b in self.centres if b.frame is a.frame and b.mass_centre is a.at), None)
            force = self.vector(a.force)
            if owner is not None:
                out.append((self.centres[owner], force))
            elif a.at.frame is a.frame:
                out.append((self._fixed_point(a.at), force))
            else:  # as a force at the origin and a torque
                arm = self.vector(a.at - a.frame.origin)
                out += [(self.points[a.frame], force), (self.frames[a.frame], arm.cross(force))]
        return out

    def _along_motion(self, load: Load, q: sb.Symbol, value: sb.Expr) -> list[Action]:
        """A force on a coordinate as a torque (or force) on the frame that it moves, with its reaction on the
        parent."""
        moved = [f for f in self.mechanism.frames if q in sb.free_symbols(f.offset, f.rotation.matrix)]
        if len(moved) != 1:
            raise NotImplementedError(f"load {load.name!r}: {q} moves {len(moved)} frames, not one")
        f, parent = moved[0], moved[0].parent
        assert parent is not None
        turn, slide = (sb.jacobian(rate, [q.dot]).entries for rate in (f.spin, sb.time_derivative(f.offset)))
        if all(e is ZERO for e in slide):
            axis = value * f.vector(*turn)
            return [Action(f, torque=axis), Action(parent, torque=-axis)]
        push = value * parent.vector(*slide)
        return [Action(f, force=push, at=f.origin), Action(parent, force=-push, at=f.origin)]

    @property
    def gravity(self) -> Load | None:
        """Uniform gravity, where it has a potential."""
        return next((x for x in self.mechanism.loads if x.name == "gravity" and x.potential is not None), None)


def speed(u: sb.Symbol) -> Any:
    """A speed of its own for each rate; chosen speeds keep their names."""
    return me.dynamicsymbols(f"u_{u.stem}" if u.order else u.name)


# ---------------------------------------------------------------------------------------------------- methods


@dataclass(frozen=True)
class Dependent:
    """Coordinates and speeds that follow from the others."""

    q: tuple[sb.Symbol, ...] = ()
    u: tuple[sb.Symbol, ...] = ()


def dependent(mechanism: Mechanism) -> Dependent:
    """Speeds that are best to solve for; for each holonomic constraint a coordinate, one that it contains where there
    is one left.

    Which coordinates these are makes no difference to the mass matrix and the forcing.
    """
    if not mechanism.constraints:
        return Dependent()
    kept = minimal(sb.derive(mechanism)).u
    q: list[sb.Symbol] = []
    for c in mechanism.holonomic:
        inside = sb.free_symbols(c.expression)
        left = [x for x in reversed(mechanism.q) if x not in q]
        q.append(next((x for x in left if x in inside), left[0]))
    return Dependent(tuple(q), tuple(u for u in mechanism.u if u not in kept))


def kane(mechanism: Mechanism, follow: Dependent, scalars: dict[sb.Expr, Any]) -> Any:
    """KanesMethod with its equations formed: in independent speeds, with the rates of the constraints below."""
    twin = Twin(mechanism, True, scalars)
    how: dict[str, Any] = {}
    if mechanism.constraints:
        rates = [twin.kinematics.rate(c.expression) for c in mechanism.holonomic]
        velocity = [*rates, *(c.expression for c in mechanism.nonholonomic)]
        how["velocity_constraints"] = [twin.scalar(e) for e in velocity]
        how["u_dependent"] = [twin.speeds[u] for u in follow.u]
    if mechanism.holonomic:
        how["configuration_constraints"] = [twin.scalar(c.expression) for c in mechanism.holonomic]
        how["q_dependent"] = [twin.scalar(q) for q in follow.q]
    method = me.KanesMethod(
        twin.N,
        q_ind=[twin.scalar(q) for q in mechanism.q if q not in follow.q],
        u_ind=[twin.speeds[u] for u in mechanism.u if u not in follow.u],
        kd_eqs=[x.diff() - twin.scalar(mechanism.rates[q]) for q, x in zip(mechanism.q, twin.q, strict=True)],
        **how,
    )
    method.kanes_equations(twin.bodies, twin.loads(mechanism.loads))
    return method


def lagrange(mechanism: Mechanism, follow: Dependent, scalars: dict[sb.Expr, Any]) -> Any:
    """LagrangesMethod with its equations formed: in rates, constraints with multipliers (no speeds follow from
    others)."""
    if any(not u.order for u in mechanism.u):
        raise NotImplementedError(f"{mechanism.name!r}: Lagrange's equations are for rates, not for chosen speeds")
    twin = Twin(mechanism, False, scalars)
    gravity = twin.gravity
    if gravity is not None:
        _set_heights(twin)
    how: dict[str, Any] = {}
    if mechanism.holonomic:
        how["hol_coneqs"] = [twin.scalar(c.expression) for c in mechanism.holonomic]
    if mechanism.nonholonomic:
        how["nonhol_coneqs"] = [twin.scalar(c.expression) for c in mechanism.nonholonomic]
    others = twin.loads(x for x in mechanism.loads if x is not gravity)
    energy = me.Lagrangian(twin.N, *twin.bodies)
    method = me.LagrangesMethod(energy, twin.q, forcelist=others, bodies=twin.bodies, frame=twin.N, **how)
    method.form_lagranges_equations()
    return method


def _set_heights(twin: Twin) -> None:
    """Potential energy of every body: V = -m g · r."""
    assert twin.mechanism.gravity is not None
    g = twin.vector(twin.mechanism.gravity)
    for (b, centre), body in zip(twin.centres.items(), twin.bodies, strict=True):
        body.potential_energy = -twin.scalar(b.mass.m) * centre.pos_from(twin.origin).dot(g)


METHODS: dict[str, Callable[[Mechanism, Dependent, dict[sb.Expr, Any]], Any]] = {"kane": kane, "lagrange": lagrange}


# ---------------------------------------------------------------------------------------------------- cold


def converted(mechanism: Mechanism, uses_speeds: bool) -> dict[sb.Expr, Any]:
    """All scalars of a mechanism in SymPy."""
    scalars: dict[sb.Expr, Any] = {}
    twin = Twin(mechanism, uses_speeds, scalars)
    twin.loads(mechanism.loads)
    for c in mechanism.constraints:
        twin.scalar(c.expression)
        if c.is_holonomic and uses_speeds:
            twin.scalar(twin.kinematics.rate(c.expression))
    return scalars


def cold(mechanism: Mechanism, method: str) -> tuple[Any, float]:
    """The method, and CPU seconds from frames and bodies to mass matrix and forcing, with an empty cache.

    What it takes to convert the scalars of our mechanism, and to choose dependent speeds, is not counted.
    """
    scalars, follow = converted(mechanism, method == "kane"), dependent(mechanism)
    clear_cache()
    start = time.thread_time()
    made = METHODS[method](mechanism, follow, scalars)
    made.mass_matrix, made.forcing  # noqa: B018  (they are made when asked for)
    return made, time.thread_time() - start


def operations(made: Any) -> int:
    """Of mass matrix and forcing, written out."""
    return int(sympy.count_ops(made.mass_matrix) + sympy.count_ops(made.forcing))

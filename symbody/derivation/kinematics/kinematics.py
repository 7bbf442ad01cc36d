"""Velocities of frames in terms of speeds, and wrenches on frames: the kinematics shared by several routes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import Any

from ...algebra.calculus.derivatives import jacobian, time_derivative
from ...algebra.graph.graph import ZERO, Expr, Symbol, symbol
from ...algebra.graph.matrix import Matrix, cross, skew, zeros
from ...algebra.graph.walk import free_symbols, scalars, substitute_all
from ...bodies.frames.frames import Frame
from ...bodies.mechanism.mechanism import Action, Load, Mechanism
from .unknown_positions import moving_frames


class Kinematics:
    """Motion of the frames of a mechanism, with the rates of coordinates replaced by speeds."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.u = mechanism.u
        # A rate that is a speed itself needs no replacing.
        self._replaced = {q.dot: r for q, r in mechanism.rates.items() if r is not q.dot}
        self.rates: dict[Symbol, Expr] = dict(mechanism.rates)
        unknown = {s: rate for f in moving_frames(mechanism) for s, rate in f.rates_of_unknown_place.items()}
        if unknown:
            of_places = dict(zip(unknown, self.in_speeds(list(unknown.values())), strict=True))
            self.rates |= of_places
            self._replaced |= {s.dot: rate for s, rate in of_places.items()}

    def in_speeds(self, things: list[Any]) -> list[Any]:
        """Expressions and matrices with the rates of coordinates replaced."""
        return substitute_all(things, self._replaced) if self._replaced else things

    def in_speeds_and_accelerations(self, things: list[Any]) -> list[Any]:
        """Also with the second rates of coordinates replaced, by expressions in u'."""
        second = {symbol(q.stem, "acceleration", 2): r for q, r in self.rates.items() if q.dot in self._replaced}
        used = [x for x in free_symbols(*scalars(*things)) if x in second]
        return substitute_all(things, {**self._replaced, **{x: self.rate(second[x]) for x in used}})

    def rate(self, thing: Any) -> Any:
        """Time derivative in terms of speeds (and of u' where the thing contains speeds)."""
        return time_derivative(thing, self.rates)

    def rate_at_constant_speed(self, thing: Any) -> Any:
        """Time derivative where u' = 0."""
        return time_derivative(thing, self._rates_at_constant_speed)

    @cached_property
    def _rates_at_constant_speed(self) -> dict[Symbol, Any]:
        return {**self.rates, **dict.fromkeys(self.u, ZERO)}

    @cached_property
    def spins(self) -> dict[Frame, Matrix]:
        """Angular velocity of each frame in its parent, in own components."""
        frames = self.mechanism.frames
        return dict(zip(frames, self.in_speeds([f.spin for f in frames]), strict=True))

    @cached_property
    def drifts(self) -> dict[Frame, Matrix]:
        """Rate of each frame's offset, in components of its parent; zero for frames with a prescribed velocity."""
        return {f: self.drift(f) for f in self.mechanism.frames}

    def drift(self, f: Frame) -> Matrix:
        """Of one frame."""
        moves: Matrix = zeros(3) if f.velocity is not None else self.rate(f.offset)
        return moves

    @cached_property
    def given(self) -> dict[Frame, Matrix]:
        """Velocities of the origins of frames of which only the motion is known, in own components; they hang on what
        does not move."""
        known = [(f, f.velocity) for f in self.mechanism.frames if f.velocity is not None]
        return dict(zip((f for f, _ in known), self.in_speeds([v for _, v in known]), strict=True))

    @cached_property
    def velocities(self) -> dict[Frame, tuple[Matrix, Matrix]]:
        """Angular velocity and velocity of the origin of every frame, in its own components."""
        return {f: self.velocity(f) for f in (self.mechanism.ground, *self.mechanism.frames)}

    def velocity(self, frame: Frame) -> tuple[Matrix, Matrix]:
        """The same of one frame.

        ω = Rᵀ ω_P + s,   v = Rᵀ (v_P + ω_P × p + p')
        """
        out = self._velocities
        for f in reversed([*takewhile(lambda f: f not in out, frame.ancestors())]):
            assert f.parent is not None
            w, v = out[f.parent]
            inwards = f.rotation.inwards
            out[f] = inwards(w) + self.spins[f], inwards(v + cross(w, f.offset) + self.drift(f))
            if f in self.given:
                out[f] = out[f][0], out[f][1] + self.given[f]
        return out[frame]

    @cached_property
    def _velocities(self) -> dict[Frame, tuple[Matrix, Matrix]]:
        return {self.mechanism.ground: (zeros(3), zeros(3))}


@dataclass(frozen=True)
class Wrench:
    """Force, and moment about the frame's origin, in components of a frame."""

    force: Matrix
    moment: Matrix

    def __add__(self, other: Wrench) -> Wrench:
        return Wrench(self.force + other.force, self.moment + other.moment)

    def __sub__(self, other: Wrench) -> Wrench:
        return Wrench(self.force - other.force, self.moment - other.moment)


NO_WRENCH = Wrench(zeros(3), zeros(3))


def wrench_of(action: Action, kinematics: Kinematics, axes: Frame | None = None) -> Wrench:
    """An action as a wrench on its frame, about the origin of that; in its axes, or in those of another frame."""
    f, force, moment = axes or action.frame, zeros(3), zeros(3)
    if action.torque is not None:
        moment = action.torque.components(f)
    if action.force is not None:
        force = action.force.components(f)
        assert action.at is not None
        is_own = f is action.frame is action.at.frame
        at = action.at.coordinates if is_own else (action.at - action.frame.origin).components(f)
        moment = moment + cross(at, force)
    force, moment = kinematics.in_speeds([force, moment])
    return Wrench(force, moment)


def wrenches(loads: Iterable[Load], kinematics: Kinematics) -> dict[Frame, Wrench]:
    """Sum of the actions of loads on each frame (those on the ground are of no effect). Forces on a frame that are given
    in another one are added up there, and turned together."""
    given: dict[tuple[Frame, Frame], list[Action]] = {}
    for a in (a for load in loads for a in load.actions if not a.frame.is_ground):
        given.setdefault((a.frame, _axes(a)), []).append(a)
    out: dict[Frame, Wrench] = {}
    for (f, axes), actions in given.items():
        at = f if len(actions) == 1 else axes
        parts = [wrench_of(a, kinematics, at) for a in actions]
        total = sum(parts[1:], start=parts[0])
        if at is not f:
            turn = at.rotation_in(f)
            total = Wrench(turn.outwards(total.force), turn.outwards(total.moment))
        out[f] = out[f] + total if f in out else total
    return out


def _axes(a: Action) -> Frame:
    """The frame in which both a force and its point are given, or that on which it acts."""
    is_one = a.torque is None and a.force is not None and a.at is not None and a.force.terms.keys() == {a.at.frame}
    return a.at.frame if is_one and a.at is not None else a.frame


def loads_besides_gravity(mechanism: Mechanism) -> list[Load]:
    """Uniform gravity is an acceleration of the ground."""
    return [x for x in mechanism.loads if x.kind != "gravity" or mechanism.gravity is None or x.name != "gravity"]


def forces_on_rates(loads: Iterable[Load], kinematics: Kinematics) -> list[Expr]:
    """Generalised forces, by speed, of loads that are given on coordinates or by a potential alone.

    Q_u = Nᵀ Q_q,   Q_q = value, or -∂V/∂q
    """
    mechanism, on_rates = kinematics.mechanism, dict.fromkeys(kinematics.mechanism.q, ZERO)
    for load in loads:
        given: Mapping[Symbol, Expr] = load.on_rates
        if not load.frames and not given and load.potential is not None:
            inside = [s for s in free_symbols(load.potential) if s in on_rates]
            slope = jacobian([load.potential], inside)
            given = {q: -slope[0, j] for j, q in enumerate(inside)}
        for q, value in given.items():
            on_rates[q] = on_rates.get(q, ZERO) + value
    active = [q for q in mechanism.q if on_rates[q] is not ZERO]
    values = kinematics.in_speeds([on_rates[q] for q in active])
    number = {u: j for j, u in enumerate(kinematics.u)}
    out = [on_rates.get(u, ZERO) for u in kinematics.u]
    for q, value in zip(active, values, strict=True):
        speeds = sorted((s for s in free_symbols(mechanism.rates[q]) if s in number), key=number.__getitem__)
        for u, weight in zip(speeds, jacobian([mechanism.rates[q]], speeds).entries, strict=True):
            if weight is not ZERO:
                out[number[u]] = out[number[u]] + weight * value
    return out


def gradient_of(w: Matrix, alpha: Matrix) -> Matrix:
    """α̃ + ω̃ω̃: products of ω are shared between its entries."""
    return gradient_and_differences(w, alpha)[0]


def gradient_and_differences(w: Matrix, alpha: Matrix) -> tuple[Matrix, Matrix]:
    """A = α̃ + ω̃ω̃, and A_yy - A_zz, A_zz - A_xx, A_xx - A_yy."""
    x, y, z = w.entries
    xx, yy, zz, xy, xz, yz = x * x, y * y, z * z, x * y, x * z, y * z
    squares = Matrix(3, 3, (-(yy + zz), xy, xz, xy, -(xx + zz), yz, xz, yz, -(xx + yy)))
    return squares + skew(alpha), Matrix(3, 1, (yy - zz, zz - xx, xx - yy))

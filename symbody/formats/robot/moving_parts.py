"""Moving parts of a mechanism, for writers of files: rigid groups of frames, and the elementary moves between them.

Frames that constant poses connect form one rigid part. A part follows from the part that carries it by a chain of steps,
each a constant pose or a motion by one coordinate q:

    slide   T = [1, q a]         turn   T = [exp(q ã), 0]         ball   T = [R(e), 0], e four Euler parameters

All numbers are evaluated with the values of the parameters.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, Literal

import numpy as np

import symbody as sb

from ...errors import ModelError, listed
from ...rotation_arrays import rotation_about, rotation_matrix, rotation_vector

TOLERANCE: Final = 1e-9  # relative difference at which two poses count as equal
PROBES: Final = (0.0, 0.25, -0.7, 1.3)  # values of a coordinate at which its motion is compared with a slide or a turn


@dataclass(frozen=True, eq=False)
class ConstantPose:
    """A constant pose: rotation matrix R and place d of the inner frame in the outer one."""

    R: Any = field(default_factory=lambda: np.eye(3))
    d: Any = field(default_factory=lambda: np.zeros(3))

    def __matmul__(self, other: ConstantPose) -> ConstantPose:
        return ConstantPose(self.R @ other.R, self.d + self.R @ other.d)

    @property
    def inverse(self) -> ConstantPose:
        return ConstantPose(self.R.T, -self.R.T @ self.d)

    @property
    def is_identity(self) -> bool:
        return bool(np.allclose(self.R, np.eye(3), rtol=0, atol=1e-14) and not np.any(self.d))


@dataclass(frozen=True, eq=False)
class Move:
    """A motion by a coordinate: "slide" along or "turn" about a unit axis; "ball" by four Euler parameters."""

    kind: Literal["slide", "turn", "ball"]
    coordinates: tuple[sb.Symbol, ...]
    axis: Any = None


@dataclass(eq=False)
class MovingPart:
    """A rigid part: its frame, the part that carries it, the steps from the frame of that part to its own, and the
    bodies fixed to it."""

    frame: sb.Frame
    carrier: MovingPart | None
    steps: tuple[ConstantPose | Move, ...] = ()
    bodies: list[sb.Body] = field(default_factory=list)


class MovingParts:
    """The moving parts of a mechanism, those that carry before those that are carried; `ground` is the first.

    what     of the file, for messages: "write_mjcf"
    values   numbers for parameters, by symbol
    """

    def __init__(self, mechanism: sb.bodies.Mechanism, what: str, values: Mapping[sb.Symbol, float]) -> None:
        self.mechanism, self.what, self.values = mechanism, what, dict(values)
        self._coordinates = set(mechanism.q)
        self._part_of: dict[sb.Frame, MovingPart] = {}
        self.ground = self._part_of[mechanism.ground] = MovingPart(mechanism.ground, None)
        self.parts = [self.ground]
        for body in mechanism.bodies:
            if body.moments is not None:
                raise ModelError(f"{what}: body {body.name!r} is deformable; this format has rigid bodies only")
            self.part_of(body.frame).bodies.append(body)

    @cached_property
    def with_bodies(self) -> list[MovingPart]:
        """The ground, and the parts with bodies: the steps of parts without bodies begin those of the part they carry."""
        carried: dict[MovingPart, list[MovingPart]] = {}
        for part in self.parts[1:]:
            assert part.carrier is not None
            carried.setdefault(part.carrier, []).append(part)
        for part in self.parts[1:]:
            if not part.bodies and len(onward := carried.get(part, [])) != 1:
                names = listed([p.frame.name for p in onward]) or "nothing"
                raise ModelError(
                    f"{self.what}: frame {part.frame.name!r} moves and carries {names}, but no body is fixed to it; this "
                    "format moves bodies only: give it a body of small mass"
                )
            before = part.carrier
            if before is not None and before is not self.ground and not before.bodies:
                part.steps, part.carrier = (*before.steps, *part.steps), before.carrier
        return [p for p in self.parts if p is self.ground or p.bodies]

    # ---------------------------------------------------------------------------------------------------- places

    def part_of(self, frame: sb.Frame) -> MovingPart:
        """The part that a frame is fixed to."""
        way = []
        at: sb.Frame | None = frame
        while at is not None and at not in self._part_of:
            way.append(at)
            at = at.parent
        if at is None:
            raise ModelError(f"{self.what}: frame {frame.name!r} is not connected to the ground")
        part = self._part_of[at]
        for f in reversed(way):
            if any(isinstance(s, Move) for s in self._steps(f)):
                steps = (self.pose(f.parent, part), *self._steps(f))
                part = MovingPart(f, part, tuple(s for s in steps if isinstance(s, Move) or not s.is_identity))
                self.parts.append(part)
            self._part_of[f] = part
        return part

    def pose(self, frame: sb.Frame | None, part: MovingPart) -> ConstantPose:
        """The pose of a frame in the part that it is fixed to."""
        chain = []
        while frame is not None and frame is not part.frame:
            chain.append(frame)
            frame = frame.parent
        out = ConstantPose()
        for f in reversed(chain):
            for step in self._steps(f):
                assert isinstance(step, ConstantPose)
                out = out @ step
        return out

    def place(self, point: sb.Point, part: MovingPart) -> Any:
        """Coordinates of a point in the frame of the part that it is fixed to."""
        pose = self.pose(point.frame, part)
        return pose.d + pose.R @ self.place_in_frame(point)

    def place_in_frame(self, point: sb.Point) -> Any:
        """Coordinates of a point in its own frame."""
        here = point.in_frame(point.frame).coordinates
        if extra := [s for s in sb.free_symbols(here) if s not in self.values]:
            raise ModelError(
                f"{self.what}: a point on {point.frame.name!r} moves with {listed(extra)}; make it a point of a frame"
            )
        return self.numbers(here)

    def numbers(self, expressions: Any, more: Mapping[sb.Symbol, float] = {}) -> Any:
        """Values of a matrix or expression, as an array."""
        entries = getattr(expressions, "entries", None)
        values = {**self.values, **more}
        if entries is None:
            return float(sb.evaluate(expressions, values))
        shape = expressions.shape if expressions.shape[1] > 1 else (len(entries),)
        return np.array([float(sb.evaluate(e, values)) for e in entries]).reshape(shape)

    # ----------------------------------------------------------------------------------------------------- steps

    def _steps(self, frame: sb.Frame) -> tuple[ConstantPose | Move, ...]:
        """From the parent of a frame to the frame."""
        known = self._known_steps.get(frame)
        if known is None:
            known = self._known_steps[frame] = (*self._slides(frame), *self._turns(frame))
        return known

    @cached_property
    def _known_steps(self) -> dict[sb.Frame, tuple[ConstantPose | Move, ...]]:
        return {}

    def _moved_by(self, frame: sb.Frame, expressions: Any) -> list[sb.Symbol]:
        """Coordinates in a pose, in the order of the mechanism; other variables are refused."""
        inside = set(sb.free_symbols(expressions)) - set(self.values)
        if frame.velocity is not None or inside - self._coordinates:
            others = sorted(s.name for s in inside - self._coordinates) or ["a given velocity"]
            raise ModelError(
                f"{self.what}: frame {frame.name!r} moves with {listed(others)}; this format moves bodies by coordinates only"
            )
        return [q for q in self.mechanism.q if q in inside]

    def _slides(self, frame: sb.Frame) -> Iterable[ConstantPose | Move]:
        moved = self._moved_by(frame, frame.offset)
        at_zero = dict.fromkeys(moved, 0.0)
        start = self.numbers(frame.offset, at_zero)
        if np.any(start):
            yield ConstantPose(d=start)
        axes = {q: self.numbers(frame.offset, {**at_zero, q: 1.0}) - start for q in moved}
        for probe in PROBES[1:]:
            state = {q: probe * (k + 1) for k, q in enumerate(moved)}
            line = start + sum((x * axes[q] for q, x in state.items()), np.zeros(3))
            if moved and not _is_close(self.numbers(frame.offset, state), line):
                raise self._no_joint(frame, moved, "a displacement that is not linear in it")
        for q, axis in axes.items():
            if abs(np.linalg.norm(axis) - 1) > TOLERANCE:
                raise self._no_joint(frame, [q], f"{np.linalg.norm(axis):z.6g} times its value instead of its value")
            yield Move("slide", (q,), axis)

    def _turns(self, frame: sb.Frame) -> Iterable[ConstantPose | Move]:
        kind = type(frame.rotation)
        for factor in frame.rotation.factors:
            matrix = kind((factor,)).matrix
            moved = self._moved_by(frame, matrix)
            if not moved:
                yield ConstantPose(self.numbers(matrix))
            elif len(moved) == 1:
                yield from self._turn(frame, matrix, moved[0])
            else:
                yield self._ball(frame, matrix, moved)

    def _turn(self, frame: sb.Frame, matrix: sb.Matrix, q: sb.Symbol) -> Iterable[ConstantPose | Move]:
        first = self.numbers(matrix, {q: 0.0})
        if not _is_close(first, np.eye(3)):
            yield ConstantPose(first)
        axis = rotation_vector(first.T @ self.numbers(matrix, {q: PROBES[1]})) / PROBES[1]
        if any(not _is_close(self.numbers(matrix, {q: x}), first @ rotation_about(axis, x)) for x in PROBES[2:]):
            raise self._no_joint(frame, [q], "a rotation that is not one about a fixed axis")
        if abs(np.linalg.norm(axis) - 1) > TOLERANCE:
            raise self._no_joint(frame, [q], f"a rotation by {np.linalg.norm(axis):z.6g} times its value")
        yield Move("turn", (q,), axis)

    def _ball(self, frame: sb.Frame, matrix: sb.Matrix, moved: Sequence[sb.Symbol]) -> Move:
        group = next((g for g in self.mechanism.norms if set(g) == set(moved)), None)
        if group is not None:
            e = np.array([0.5, -0.1, 0.7, 0.5]) / math.hypot(0.5, -0.1, 0.7, 0.5)
            if _is_close(self.numbers(matrix, dict(zip(group, e, strict=True))), rotation_matrix(e)):
                return Move("ball", tuple(group))
        raise self._no_joint(frame, moved, "a rotation by several coordinates at once")

    def _no_joint(self, frame: sb.Frame, moved: Sequence[sb.Symbol], why: str) -> ModelError:
        return ModelError(
            f"{self.what}: {listed([q.name for q in moved])} gives frame {frame.name!r} {why}; no joint of this format "
            "does that. Describe the motion by revolute, prismatic, spherical or free joints"
        )


def _is_close(a: Any, b: Any) -> bool:
    return bool(np.max(np.abs(a - b)) <= TOLERANCE * (1 + np.max(np.abs(b))))

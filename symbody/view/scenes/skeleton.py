"""The skeleton of a mechanism: points where bodies are joined, contacts with the ground, strings.

The skeleton depends little on how a model was written. A point with constant coordinates in two bodies, whatever the
coordinates of the mechanism, is where the two are joined; a force at a point that moves in a body at constant distance
from its mass centre indicates a wheel or a ball. Both are tested at random configurations near the current one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np

from ...algebra.calculus.evaluate import evaluate
from ...bodies.frames.frames import Frame
from ...bodies.mechanism.mechanism import Action, Body, Joint, Mechanism
from ...derivation.equations.equations import Equations
from ...emit.run.callable import Array
from ...errors import ViewError
from ...rotation_arrays import euler_parameters
from .poses import Placer, Poses, continuous_parameters, three
from .scene_items import GROUND, Three
from .shown_motion import ShownMotion

SAMPLES: Final = 24  # number of random configurations
SPREADS: Final = (0.4, 0.1, 0.02)  # spreads of the coordinates about the current configuration, tried in turn
SAME_POINT: Final = 1e-6  # distance of points, relative to the mechanism's size, below which they coincide
MOST_COMPARED: Final = 1000  # bodies, of which each is compared with all frames
UNFIXED_JOINTS: Final = ("free", "rolling", "planar")  # kinds of joints without a common point of both bodies
SLIDING: Final = ("prismatic", "cylindrical", "screw")
TURNING: Final = ("revolute", "cylindrical", "screw")


@dataclass(frozen=True)
class Wheel:
    """A rolling body: about an axis through a point in its frame; a ball if the axis is None."""

    centre: Three
    radius: float
    axis: Three | None


@dataclass(frozen=True)
class String:
    """Two bodies at a constant distance, or a body and a fixed point."""

    first: str
    second: str
    place: Three | None = None


@dataclass(frozen=True)
class DrawnJoint:
    """A joint as it is drawn: its position and its axis (of rotation or translation), in the body that carries it.

    slides   range of translation along its axis relative to the position: the length of its rail
    """

    name: str
    kind: str
    carrier: str
    other: str
    place: Three
    axis: Three | None
    slides: tuple[float, float] | None = None


@dataclass(frozen=True, eq=False)
class Skeleton:
    """A mechanism as points: for each body the positions of its joints in its frame, its mass centre there, its
    wheel; joints; strings."""

    size: float
    held: dict[str, list[Three]]
    centres: dict[str, Three]
    wheels: dict[str, Wheel]
    hinges: list[DrawnJoint]
    strings: list[String]


class SkeletonFinder:
    """Finds the `Skeleton` of a mechanism along a motion.

    now     poses along the motion (of a mode, at its largest amplitude), and positions of mass centres and of forces
    tried   the same at random configurations
    """

    def __init__(self, motion: ShownMotion, place: Placer) -> None:
        self.motion = motion
        m: Mechanism = motion.equations.mechanism
        self.mechanism, self.bodies = m, {b.name: b for b in m.bodies}
        self.frames = (m.ground, *m.frames)
        self.acting = acting(m)
        self.now, self.now_points = place(motion.times_of_frames, motion.q[-1], **motion.held())
        self._refuse_nowhere()
        self.tried, self.tried_points = self._at_random(place)
        self.size = self._size()
        self._number = {b.name: k for k, b in enumerate(m.bodies)}

    def _refuse_nowhere(self) -> None:
        for k, name in enumerate(self.bodies):
            places = self.now_points[:, k]
            if not np.isfinite(places).all():
                at = int(np.argmin(np.isfinite(places).all(axis=1)))
                raise ViewError(
                    f"scene of {self.mechanism.name!r}: at t = {self.motion.t[at]:g} body {name!r} has no finite position: {places[at]}; check the coordinates there"
                )

    def _at_random(self, place: Placer) -> tuple[Poses, Array]:
        """Poses at random coordinates, near enough to the position at hand to have a place."""
        motion, sim = self.motion, self.motion.trajectory
        draw = np.random.default_rng(5)
        index = {s: k for k, s in enumerate(motion.equations.q)}
        t = np.full(SAMPLES, motion.times_of_frames[0])  # what moves with time alone holds as well
        for spread in SPREADS:
            q = motion.q[0, :1] + draw.uniform(-spread, spread, (SAMPLES, motion.q.shape[2]))
            for ks in ([index[s] for s in norm] for norm in self.mechanism.norms):
                q[:, ks] /= np.linalg.norm(q[:, ks], axis=1, keepdims=True)
            with np.errstate(all="ignore"):
                poses, points = place(t, q, z=sim.z[:1].repeat(SAMPLES, 0), r=sim.r, p=sim.segments[0].p)
            good = np.isfinite(points).all(axis=(1, 2))
            for f in self.frames:
                good &= np.isfinite(poses.r[f]).all(axis=1) & np.isfinite(poses.R[f]).all(axis=(1, 2))
            if good.sum() >= SAMPLES / 2:
                break
        kept = Poses({f: R[good] for f, R in poses.R.items()}, {f: r[good] for f, r in poses.r.items()})
        return kept, points[good]

    def _size(self) -> float:
        """The distance across all that has a place, in the middle of all times; one where everything is in one
        place."""
        places = [self.now.r[j.inner] for j in self.mechanism.joints if j.kind not in UNFIXED_JOINTS]
        places += [self.now_points[:, k] for k in range(len(self.bodies))]
        if not places:
            return 1.0
        x = np.stack(places)
        across = float(np.median(np.linalg.norm(np.ptp(x, axis=0), axis=1)))
        travelled = float(np.linalg.norm(np.ptp(x, axis=(0, 1))))
        return across or self._gyration() or travelled or 1.0

    def _gyration(self) -> float:
        """The largest of bodies by their inertia: 2 √(tr I / 2 m)."""
        out = [0.0]
        for b in self.bodies.values():
            mass = b.mass_at_rest
            m, *diagonal = evaluate([mass.m, *(mass.I_BBcm[k, k] for k in range(3))], self.motion.values)
            out.append(2 * math.sqrt(max(sum(diagonal), 0.0) / (2 * m)) if m > 0 else 0.0)
        return max(out)

    # ------------------------------------------------------------------------------------------------ fixed points

    def frame_of(self, body: str) -> Frame:
        return self.mechanism.ground if body == GROUND else self.bodies[body].frame

    def owner(self, frame: Frame) -> str:
        """The body to which a frame is fixed, or the ground; an empty name where it moves relative to both."""
        named = {b.frame: b.name for b in reversed(self.bodies.values())}
        at = next(f for f in reversed(frame.path) if f.is_ground or f in named)
        if frame is at:
            return GROUND if at.is_ground else named[at]
        if frame not in self.tried.R:
            return ""
        turned = self.tried.turned_within(at, self.tried.R[frame])
        if (
            float(np.ptp(turned, axis=0).max(initial=0.0)) > SAME_POINT
            or self._constant_coordinates(self.tried.r[frame], at) is None
        ):
            return ""
        return GROUND if at.is_ground else named[at]

    def _constant_coordinates(self, places: Array, frame: Frame) -> Three | None:
        """Coordinates in a frame of a point for which they are constant; None if they vary."""
        x = self.tried.within(frame, places)
        if not len(x) or np.ptp(x, axis=0).max() > SAME_POINT * self.size:
            return None
        return three(x.mean(axis=0))

    def now_in(self, places: Array, frame: Frame) -> Three:
        """Coordinates in a frame at the first time."""
        return three(self.now.within(frame, places)[0])

    # ------------------------------------------------------------------------------------------------ the skeleton

    def skeleton(self) -> Skeleton:
        held: dict[str, list[Three]] = {name: [] for name in self.bodies}
        joined = self._hold_joints(held)
        self._hold_coincidences(held, joined)
        self._hold_ends(held)
        meetings = self._hold_common_points(held, joined)
        kept = {n: _distinct(points, SAME_POINT * self.size) for n, points in held.items()}
        centres = {n: self.now_in(self.now_points[:, k], self.frame_of(n)) for k, n in enumerate(self.bodies)}
        hinges = [h for j in self.mechanism.joints if (h := self._hinge(j)) is not None] + meetings
        return Skeleton(self.size, kept, centres, self._wheels(), hinges, self._strings(kept))

    def _hold_joints(self, held: dict[str, list[Three]]) -> set[frozenset[str]]:
        joined: set[frozenset[str]] = set()
        for j in (j for j in self.mechanism.joints if j.kind not in UNFIXED_JOINTS):
            joined.add(frozenset((j.parent, j.child)))
            for body in {j.parent, j.child} & held.keys():
                held[body].append(self.now_in(self.now.r[j.inner], self.frame_of(body)))
        return joined

    def _hold_coincidences(self, held: dict[str, list[Three]], joined: set[frozenset[str]]) -> None:
        """Points tied together by constraints other than joints."""
        names = {j.name for j in self.mechanism.joints}
        for c in self.mechanism.constraints:
            sides = [a for a in c.actions if a.at is not None] if c.joint is not None and c.joint not in names else []
            owners = [self.owner(a.frame) for a in sides]
            joined.add(frozenset(owners))
            for owner, a in zip(owners, sides, strict=True):
                if owner in held:
                    held[owner].append(self.now_in(self.now_points[:, self.index(a)], self.frame_of(owner)))

    def _hold_ends(self, held: dict[str, list[Three]]) -> None:
        """Ends of springs, dampers and actuators that are fixed in bodies."""
        kinds = ("spring", "damper", "actuator")
        for a in (a for load in self.mechanism.loads if load.kind in kinds for a in load.actions):
            owner = self.owner(a.frame)
            if a.at is not None and owner in held:
                x = self._constant_coordinates(self.tried_points[:, self.index(a)], self.frame_of(owner))
                held[owner] += [x] if x is not None else []

    def index(self, action: Action) -> int:
        return len(self.bodies) + next(k for k, a in enumerate(self.acting) if a is action)

    def _hold_common_points(self, held: dict[str, list[Three]], joined: set[frozenset[str]]) -> list[DrawnJoint]:
        """Join bodies at origins of frames that are fixed points of both and not yet joined; pairs of very many bodies are not
        compared."""
        if len(self.bodies) > MOST_COMPARED:
            return []
        names = [GROUND, *self.bodies]
        origins = np.stack(
            [np.zeros_like(self.tried.r[self.frames[0]]), *(self.tried.r[self.frame_of(n)] for n in self.bodies)]
        )
        met: dict[frozenset[str], DrawnJoint] = {}
        for f in self.frames[1:]:
            near = np.ptp(np.linalg.norm(origins - self.tried.r[f], axis=2), axis=1) <= 2 * SAME_POINT * self.size
            fixed = {
                names[k]: x
                for k in np.flatnonzero(near).tolist()
                if (x := self._constant_coordinates(self.tried.r[f], self.frame_of(names[k]))) is not None
            }
            for a in fixed.keys() & held.keys():
                pairs = {b: frozenset((a, b)) for b in fixed if b != a}
                new = {b: pair for b, pair in pairs.items() if pair not in joined and not self._are_one(a, b)}
                if new:
                    held[a].append(fixed[a])
                met |= {
                    pair: DrawnJoint(f.name, "point", a, b, fixed[a], None)
                    for b, pair in new.items()
                    if pair not in met
                }
        return list(met.values())

    def _are_one(self, a: str, b: str) -> bool:
        f, g = self.frame_of(a), self.frame_of(b)
        if f is g:
            return True
        turned = self.tried.turned_within(f, self.tried.R[g])
        return (
            self._constant_coordinates(self.tried.r[g], f) is not None
            and float(np.ptp(turned, axis=0).max(initial=0.0)) < SAME_POINT
        )

    # ----------------------------------------------------------------------------------------------- wheels and strings

    def _contacts(self) -> list[tuple[Body, int]]:
        """Bodies on which forces act at points, with the numbers of the points."""
        own = {b.frame: b for b in self.bodies.values()}
        return [(own[a.frame], k) for k, a in enumerate(self.acting, start=len(self.bodies)) if a.frame in own]

    def _wheels(self) -> dict[str, Wheel]:
        found = {b.name: w for b, k in self._contacts() if (w := self._wheel(b, self.tried_points[:, k])) is not None}
        return dict(found)

    def contact_height(self, up: Array) -> float | None:
        """Height of wheel contacts along a direction; None if there are none."""
        heights = [
            float(self.now_points[0, k] @ up)
            for b, k in self._contacts()
            if self._wheel(b, self.tried_points[:, k]) is not None
        ]
        return min(heights, default=None)

    def _wheel(self, body: Body, contact: Array) -> Wheel | None:
        """A contact that is not a fixed point of the body, at one distance from its mass centre."""
        centre = self.now_in(self.now_points[:, self._number[body.name]], body.frame)
        arm = self.tried.within(body.frame, contact) - np.array(centre)
        radius = np.linalg.norm(arm, axis=1)
        moves = len(arm) > 3 and np.ptp(arm, axis=0).max() > 1e-3 * self.size
        if not moves or np.ptp(radius) > SAME_POINT * self.size or radius[0] < 1e-3 * self.size:
            return None
        _, s, axes = np.linalg.svd(arm, full_matrices=False)
        return Wheel(centre, float(radius[0]), three(axes[2]) if s[2] < 1e-6 * s[0] else None)

    def _strings(self, held: dict[str, list[Three]]) -> list[String]:
        """Particles that nothing holds, but that keep their distance from each other, or move about one place."""
        loose = [n for n, b in self.bodies.items() if b.mass.is_particle and not held[n]]
        out = []
        for i, a in enumerate(loose):
            x = self.tried_points[:, self._number[a]]
            for b in loose[i + 1 :]:
                distance = np.linalg.norm(self.tried_points[:, self._number[b]] - x, axis=1)
                if len(distance) and np.ptp(distance) < SAME_POINT * self.size:
                    out.append(String(a, b))
            place = _centre_of_sphere(x, SAME_POINT * self.size)
            if place is not None and self._keeps_distance(a, place):
                out.append(String(a, "", place))
        return out

    def _keeps_distance(self, body: str, place: Three) -> bool:
        """Whether a place stays the one that a body moves about, which it does not where it moves with time."""
        distance = np.linalg.norm(self.now_points[:, self._number[body]] - np.array(place), axis=1)
        return bool(np.ptp(distance) < 1e-4 * self.size)

    # ------------------------------------------------------------------------------------------------ joints

    def _hinge(self, j: Joint) -> DrawnJoint | None:
        if j.kind in (*UNFIXED_JOINTS, "fixed"):
            return None
        axis = self._axis_in_loop(j) if j.closes_loop else self._axis_in_tree(j)
        child = j.child if j.child in self.bodies else GROUND
        parent = j.parent if j.parent in self.bodies else GROUND
        carrier, other = (parent, child) if j.kind in SLIDING or child == GROUND else (child, parent)
        frame, places = self.frame_of(carrier), self.now.r[j.inner]
        place = self.now_in(places, frame)
        local = None if axis is None else three(self.now.R[frame][0].T @ axis)
        slides = None
        if j.kind in SLIDING and local is not None:
            along = (self.now.within(frame, places) - np.array(place)) @ np.array(local)
            slides = (float(along.min()), float(along.max()))
        return DrawnJoint(j.name, j.kind, carrier, other, place, local, slides)

    def _axis_in_tree(self, j: Joint) -> Array | None:
        """The direction about or along which the joint moves, in the ground, at the first time."""
        if j.kind == "prismatic":
            x = self.tried.within(j.outer, self.tried.r[j.inner])
            steps = x - x[:1]
        elif j.kind in TURNING:
            steps = self._rotations_between(j)
        else:
            return None
        direction = steps[np.argmax(np.linalg.norm(steps, axis=1))] if len(steps) else np.zeros(3)
        size = np.linalg.norm(direction)
        return None if size < 1e-12 else np.asarray(self.now.R[j.outer][0] @ direction / size)

    def _rotations_between(self, j: Joint) -> Array:
        """Rotations of the inner side relative to the outer one, from the first tested configuration to each."""
        return _relative_parameters(
            continuous_parameters(euler_parameters(self.tried.turned_within(j.outer, self.tried.R[j.inner])))
        )

    def _axis_in_loop(self, j: Joint) -> Array | None:
        """The normal of a planar motion; else the direction orthogonal to the joint's constraint torques (forces, where
        it slides)."""
        if j.kind not in (*TURNING, "prismatic"):
            return None
        turned = self._rotations_between(j)
        if j.kind != "prismatic" and len(turned) > 3:
            _, s, axes = np.linalg.svd(turned, full_matrices=False)
            if s[0] > 1e-9 and s[1] < 1e-9 * s[0]:
                return np.asarray(self.now.R[j.outer][0] @ axes[0])
        actions = [a for c in self.mechanism.constraints if c.joint == j.name for a in c.actions if a.frame is j.inner]
        rows = [v for a in actions if (v := a.force if j.kind == "prismatic" else a.torque) is not None]
        if len(rows) < 2:
            return np.asarray(self.now.R[j.outer][0] @ [0.0, 0.0, 1.0])
        found = evaluate([list(v.components(self.mechanism.ground).entries) for v in rows], self.motion.values)
        return np.asarray(np.linalg.svd(np.array(found, dtype=np.float64))[2][2])


def acting(m: Mechanism) -> list[Action]:
    """Forces at points, of loads and of constraints."""
    actions = [a for load in m.loads for a in load.actions] + [a for c in m.constraints for a in c.actions]
    return [a for a in actions if a.at is not None]


def placer(eq: Equations, more: Iterable[Frame] = ()) -> Placer:
    """Poses of all frames of a mechanism, places of its mass centres and then of its forces."""
    m: Mechanism = eq.mechanism
    points = [b.mass_centre for b in m.bodies] + [a.at for a in acting(m) if a.at is not None]
    lines = [f for b in m.bodies for f in b.line]
    return Placer(eq, (m.ground, *m.frames, *lines, *more), points)


def _distinct(points: list[Three], tolerance: float) -> list[Three]:
    out: list[Three] = []
    for p in points:
        if all(np.linalg.norm(np.subtract(p, o)) > tolerance for o in out):
            out.append(p)
    return out


def _centre_of_sphere(x: Array, tolerance: float) -> Three | None:
    """The centre of the sphere through points: |x|² = 2 c·x + k. None for points in a plane."""
    if len(x) < 6:
        return None
    shifted = x - x.mean(axis=0)
    A = np.column_stack([2 * shifted, np.ones(len(x))])
    if np.linalg.matrix_rank(A, tol=1e-6 * np.abs(A).max()) < 4:
        return None
    c = np.linalg.lstsq(A, np.sum(shifted**2, axis=1), rcond=None)[0][:3]
    radius = np.linalg.norm(shifted - c, axis=1)
    return three(c + x.mean(axis=0)) if np.ptp(radius) < tolerance else None


def _relative_parameters(e: Array) -> Array:
    """Vector parts of the rotations from the first to each, in the outer frame: of e ē₀."""
    a, v = e[:, :1], e[:, 1:]
    a0, v0 = e[:1, :1], e[:1, 1:]
    return -a * v0 + a0 * v - np.cross(v, np.broadcast_to(v0, v.shape))

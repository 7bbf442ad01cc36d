"""Inverse kinematics: configurations in which a frame has a given pose, within the limits of the joints.

Damped least squares (Levenberg and Marquardt) from many starts; every configuration that is found is kept once, angles
(coordinates in which the pose has the period 2π) taken modulo 2π where there are no limits. A robot with as many joints as the task has components has finitely many (at
most 16 with six joints: Primrose 1986); one with more joints has curves of them, of which a sample is given.

Starts are cheap here, and failures do no harm: the solver behind `assemble` and `steady` reaches a third more of the
configurations from as many random starts of a six-axis robot, but takes four to ten times as long for each start.

If there are finitely many, the search continues until each was found several times. The probability that one more start
would lead to a new one is then about the share of those found once (Good 1953).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

import symbody as sb

from ...argument_kinds import answered
from ...errors import shown
from ...rotation_arrays import rotation_vector
from ...summary import Introduced
from .tasks import LinkTask

MIN_STARTS: Final = 120  # smallest number of random starts
MAX_STARTS: Final = 3000  # largest number of random starts
MIN_REPETITIONS: Final = 4  # smallest number of times that each configuration must be found
MAX_OF_SIX_JOINTS: Final = 16  # largest number of configurations of a robot with six joints (Primrose 1986)
MAX_STEPS: Final = 60  # largest number of steps from one start
NOT_ORTHOGONAL: Final = 1e-6  # largest entry of RᵀR - 1 of a matrix that is taken for a rotation
SAME_CONFIGURATION: Final = 1e-6  # largest difference of coordinates of equal configurations


@answered
def inverse_kinematics(
    task: LinkTask,
    place: Any = None,
    rotation: Any = None,
    *,
    limits: Mapping[str, tuple[float, float]] | None = None,
    starts: int | None = None,
    seed: int = 0,
    tolerance: float = 1e-10,
) -> Configurations:
    """Configurations, by the names of coordinates, in which the task's frame is at a place and turned by a rotation (3
    by 3, its axes as columns).

    limits   coordinate -> least and largest value; without, angles are between -π and π, and other coordinates anywhere
    starts   searches from random configurations; None goes on until each configuration was found four times

    The result is a list with estimates of its completeness: `found.most`, `found.times`, `found.unseen`.

    >>> m = sb.Model("two links")
    >>> upper, lower = (m.body(n, mass=1.0, shape=sb.bar(1.0, "x", at=(0.5, 0, 0))) for n in ("upper", "lower"))
    >>> joints = m.revolute("a", m.ground, upper), m.revolute("b", upper, lower, at=(1, 0, 0))
    >>> hand = sb.kits.robots.task(sb.derive(m), lower.frame.translate(1, 0, 0), "xy")
    >>> found = sb.kits.robots.inverse_kinematics(hand, (1.0, 1.0, 0.0))
    >>> sorted(round(q["b"], 6) for q in found)
    [-1.570796, 1.570796]

    See also: `kits.robots.task`, `all_assemblies`.
    """
    eq = task.equations
    if eq.lam or len(eq.q) != len(eq.u):
        raise sb.ModelError("inverse_kinematics: for robots without loops whose speeds are the rates of coordinates")
    bounds = {} if limits is None else dict(limits)
    if strange := [n for n in bounds if n not in [q.name for q in eq.q]]:
        raise sb.ModelError(f"inverse_kinematics: limits= of {strange[0]!r}, which is not a coordinate")
    if place is None and rotation is None:
        raise sb.ModelError("inverse_kinematics: give place= or rotation=, which the task's frame has to reach")
    goal = (None if place is None else _checked_place(place), None if rotation is None else _checked_rotation(rotation))
    f, rng = _compiled_pose(task), np.random.default_rng(seed)
    p = np.array([float(eq.mechanism.values[s]) for s in eq.p])
    angles = _angles(f, p, rng.normal(size=len(eq.q)))
    reach = np.pi if goal[0] is None else max(np.pi, 2 * float(np.abs(goal[0]).max()))
    free = [(-np.pi, np.pi) if turn else (-reach, reach) for turn in angles]
    low, high = np.array([bounds.get(q.name, x) for q, x in zip(eq.q, free, strict=True)], dtype=float).T
    found = _KnownConfigurations(low, high, np.array([q.name in bounds for q in eq.q]), angles)
    tried = 0
    while tried < starts if starts else not found.is_complete(tried):
        tried += 1
        q = _solution_from(f, p, rng.uniform(low, high), goal, tolerance)
        if q is not None and found.is_new(q):
            found.are_isolated = found.are_isolated and _is_isolated(_misfit(f, p, q, goal)[1])
    order = sorted(range(len(found.all)), key=lambda k: [round(float(c), 6) for c in found.all[k]])
    named = [{s.name: float(x) for s, x in zip(eq.q, found.all[k], strict=True)} for k in order]
    whole_pose = place is not None and rotation is not None
    most = MAX_OF_SIX_JOINTS if found.are_isolated and whole_pose and len(eq.q) == 6 else None
    return Configurations(named, tuple(found.times[k] for k in order), tried, found.are_isolated, most)


class _KnownConfigurations:
    """Configurations within limits, and how often each was found."""

    def __init__(self, low: np.ndarray, high: np.ndarray, limited: np.ndarray, angles: np.ndarray) -> None:
        self.low, self.high, self.limited, self.turns = low, high, limited, angles & ~limited
        self.all: list[np.ndarray] = []
        self.times: list[int] = []
        self.are_isolated = True

    def is_new(self, q: np.ndarray) -> bool:
        """Whether q is the first of its kind; it is counted, unless it is outside the limits."""
        q = np.where(self.turns, (q + np.pi) % (2 * np.pi) - np.pi, q)
        for k, x in enumerate(self.all):
            if _is_same(q, x, self.turns):
                self.times[k] += 1
                return False
        if np.any(self.limited & ((q < self.low - SAME_CONFIGURATION) | (q > self.high + SAME_CONFIGURATION))):
            return False
        self.all.append(q)
        self.times.append(1)
        return True

    def is_complete(self, tried: int) -> bool:
        """Whether every configuration was found several times, or there are infinitely many."""
        if tried < MIN_STARTS:
            return False
        is_rare = min(self.times, default=MIN_REPETITIONS) < MIN_REPETITIONS
        return tried >= MAX_STARTS or not (self.are_isolated and is_rare)


def _checked_place(place: Any) -> np.ndarray:
    """Three finite numbers."""
    try:
        p = np.asarray(place, dtype=float)
    except (TypeError, ValueError):
        p = np.zeros(0)
    if p.shape != (3,) or not np.isfinite(p).all():
        raise sb.ModelError(
            f"inverse_kinematics: place= must be three numbers along the axes of the ground, got {shown(place)}"
        )
    return p


def _checked_rotation(rotation: Any) -> np.ndarray:
    """A matrix R with Rᵀ R = 1 and det R = 1, to the digits with which rotations are written."""
    try:
        R = np.asarray(rotation, dtype=float)
    except (TypeError, ValueError):
        R = np.zeros(0)
    if R.shape != (3, 3) or not np.isfinite(R).all():
        raise sb.ModelError(f"inverse_kinematics: rotation= must be a 3 by 3 matrix, got {shown(rotation)}")
    off = float(np.abs(R.T @ R - np.eye(3)).max())
    if off > NOT_ORTHOGONAL:
        raise sb.ModelError(f"inverse_kinematics: rotation= is not a rotation: RᵀR differs from 1 by {off:z.2g}")
    if np.linalg.det(R) < 0:
        raise sb.ModelError(
            "inverse_kinematics: rotation= is a reflection, of determinant -1; its axes are left-handed"
        )
    return R


class Configurations(Introduced, list[dict[str, float]]):
    """The configurations found, and an estimate of missed ones.

    times            how many starts led to each
    starts           how many there were
    finitely_many    whether each is the only one near it; otherwise this is a sample of curves of them
    most             the largest number that there can be without limits; None if none is known

    >>> m = sb.Model("slide")
    >>> block = m.body("block", mass=1.0)
    >>> joint = m.prismatic("x", m.ground, block)
    >>> found = sb.kits.robots.inverse_kinematics(sb.kits.robots.task(sb.derive(m), block.frame, "x"), (0.5, 0, 0))
    >>> round(found[0]["x"], 6), found.times, found.unseen
    (0.5, (120,), 0.0)

    See also: `kits.robots.inverse_kinematics`.
    """

    def __init__(
        self, found: list[dict[str, float]], times: tuple[int, ...], starts: int, finitely_many: bool, most: int | None
    ) -> None:
        super().__init__(found)
        self.times, self.starts, self.finitely_many, self.most = times, starts, finitely_many, most

    @property
    def unseen(self) -> float:
        """About how likely one more successful start is to find a new one (Good 1953); zero if there are no more."""
        if self.most == len(self):
            return 0.0
        return sum(t == 1 for t in self.times) / max(sum(self.times), 1) if self.finitely_many else 1.0


def _angles(f: Any, p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """In which coordinates the pose has the period 2π."""
    here = [np.ravel(x) for x in f(q, p)]
    size = 1 + max(float(np.abs(x).max()) for x in here)

    def is_angle(k: int) -> bool:
        there = f(q + 2 * np.pi * (np.arange(len(q)) == k), p)
        return all(np.abs(np.ravel(x) - y).max() < 1e-9 * size for x, y in zip(there, here, strict=True))

    return np.array([is_angle(k) for k in range(len(q))], dtype=bool)


def _is_isolated(J: np.ndarray) -> bool:
    """Whether no joint can move while the task holds."""
    sizes = np.linalg.svd(J, compute_uv=False)
    return J.shape[0] >= J.shape[1] and bool(sizes[-1] > 1e-9 * sizes[0])


def _is_same(a: np.ndarray, b: np.ndarray, turns: np.ndarray) -> bool:
    d = np.where(turns, (a - b + np.pi) % (2 * np.pi) - np.pi, a - b)
    return bool(np.abs(d).max() < SAME_CONFIGURATION)


def _compiled_pose(task: LinkTask) -> Any:
    """Position, rotation and Jacobian in the ground."""
    eq = task.equations
    ground = eq.mechanism.ground
    whole = LinkTask(eq, task.frame)
    outputs = {"place": task.frame.origin.in_ground, "R": ground.dcm(task.frame), "J": whole.jacobian}
    return sb.compile(sb.program("pose", {"q": eq.q, "p": eq.p}, outputs))


def _solution_from(f: Any, p: np.ndarray, q: np.ndarray, goal: tuple[Any, Any], tolerance: float) -> np.ndarray | None:
    damping = 1e-2
    error, J = _misfit(f, p, q, goal)
    for _ in range(MAX_STEPS):
        if np.abs(error).max() <= tolerance:
            return q
        step = np.linalg.lstsq(np.vstack([J, damping * np.eye(len(q))]), np.concatenate([error, 0 * q]), rcond=None)[0]
        new, slopes = _misfit(f, p, q + step, goal)
        if new @ new < error @ error:
            q, error, J, damping = q + step, new, slopes, damping / 10
        else:
            damping = max(damping * 10, 1e-6)
    return q if np.abs(error).max() <= tolerance else None


def _misfit(f: Any, p: np.ndarray, q: np.ndarray, goal: tuple[Any, Any]) -> tuple[np.ndarray, np.ndarray]:
    """The missing displacement and rotation (a rotation vector), in the ground, and the corresponding rows of J."""
    place, R, J = (np.asarray(x) for x in f(q, p))
    J, R = J.reshape(6, -1), R.reshape(3, 3)
    parts, rows = [], []
    if goal[0] is not None:
        parts.append(goal[0] - place.ravel())
        rows.append(J[:3])
    if goal[1] is not None:
        parts.append(rotation_vector(goal[1] @ R.T))
        rows.append(J[3:])
    return np.concatenate(parts), np.vstack(rows)

"""Computed muscle control: excitations with which a forward simulation follows a measured motion.

D. G. Thelen, F. C. Anderson: Using computed muscle control to generate forward dynamic simulations of human walking from
experimental data. Journal of Biomechanics 39 (2006).

In each interval of length T, static optimisation finds activations a₁ for the desired accelerations, between those that
excitations of 0 and 1 reach; the excitation that leads there is that of the midpoint rule,

    (a₁ - a₀)/T = a'(e, (a₀ + a₁)/2)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

import symbody as sb

from ....argument_kinds import answered_class
from ....errors import ModelError
from ....summary import SearchOutcome, Summarized, Summary
from ..hill_muscle import activation_rate
from .coordinate_motion import CoordinateMotion
from .external_forces import CarriedForces, ExternalForce
from .measured_moments import joint_moments
from .static_optimisation import least_effort, muscle_functions, reserve_sizes
from .subject_functions import SubjectFunctions
from .tracking import ForwardDynamics, TrackedMotion, interval_times, track, tracking_errors, wanted_accelerations

Array = NDArray[np.float64]
HALVINGS: Final = 40  # of an interval that contains a root
LEAST_BOUND: Final = 1e-9  # width of the range that an activation can reach


@answered_class
@dataclass(frozen=True, eq=False, repr=False)
class MuscleControl(Summarized):
    """A simulation that follows a motion by its muscles; made by `Subject.computed_muscle_control`.

    outcome       how it ended; true where the simulation followed the motion to its end
    excitations   of the muscles in each interval, at its beginning
    activations   at the ends of the intervals
    coordinates   of the simulation at these times
    reserves      of the reserve actuators in each interval
    errors        coordinates of the simulation less those of the motion

    >>> m = sb.read_osim('''<OpenSimDocument Version="40000"><Model name="sled"><BodySet><objects><Body name="sled">
    ...   <mass>2</mass><inertia>1 1 1 0 0 0</inertia></Body></objects></BodySet><JointSet><objects>
    ...   <SliderJoint name="rail"><socket_parent_frame>/ground</socket_parent_frame>
    ...   <socket_child_frame>/bodyset/sled</socket_child_frame><coordinates><Coordinate name="x"/></coordinates>
    ...   </SliderJoint></objects></JointSet><ForceSet><objects><Thelen2003Muscle name="pull"><GeometryPath>
    ...   <PathPointSet><objects><PathPoint><socket_parent_frame>/ground</socket_parent_frame>
    ...   <location>1 0 0</location></PathPoint><PathPoint><socket_parent_frame>/bodyset/sled</socket_parent_frame>
    ...   <location>0 0 0</location></PathPoint></objects></PathPointSet></GeometryPath>
    ...   <max_isometric_force>100</max_isometric_force><optimal_fiber_length>0.5</optimal_fiber_length>
    ...   <tendon_slack_length>0.4</tendon_slack_length></Thelen2003Muscle></objects></ForceSet>
    ... </Model></OpenSimDocument>''')
    >>> subject, t = sb.kits.biomechanics.Subject(m), np.linspace(0, 0.3, 31)
    >>> motion = subject.motion(sb.formats.MotionTable("run", t, ["x"], 2.5 * t[:, None] ** 2))
    >>> found = subject.computed_muscle_control(motion, reserves=0.1)
    >>> bool(found.outcome), bool(np.abs(found.errors.values).max() < 2e-3), found.coordinates.names
    (True, True, ('x',))
    >>> bool(np.abs(found.reserves.values[5:]).max() < 0.5), found.activations.names, found.excitations.names
    (True, ('pull',), ('pull',))

    See also: `kits.biomechanics.Subject`, `kits.biomechanics.MuscleForces`.
    """

    outcome: SearchOutcome
    excitations: sb.formats.MotionTable
    activations: sb.formats.MotionTable
    coordinates: sb.formats.MotionTable
    reserves: sb.formats.MotionTable
    errors: sb.formats.MotionTable

    def _summary(self) -> Summary:
        worst = np.abs(self.errors.values).max(axis=0)
        names = sorted(zip(self.errors.names, worst, strict=True), key=lambda x: -x[1])[:4]
        rows = (
            ("outcome", str(self.outcome)),
            ("largest errors", ", ".join(f"{n} {x:z.3g}" for n, x in names)),
        )
        return Summary(f"MuscleControl: {len(self.coordinates.times) - 1} intervals", rows)


@cache
def _rate() -> Any:
    """a'(e, a) of many muscles, compiled."""
    e, a = sb.symbols("e a")
    return sb.compile(sb.program("activation", {"x": [e, a]}, {"rate": activation_rate(e, a)}))


def rates_of_activation(excitations: Array, activations: Array) -> Array:
    """a'."""
    return np.asarray(_rate().batch(np.column_stack([excitations, activations]))).reshape(-1)


def activations_after(excitations: Array, before: Array, step: float) -> Array:
    """The activation after an interval by the midpoint rule, by halving: the rate falls with the activation."""
    low, high = np.zeros_like(before), np.ones_like(before)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        short = before + step * rates_of_activation(excitations, (before + middle) / 2) > middle
        low, high = np.where(short, middle, low), np.where(short, high, middle)
    return (low + high) / 2


def excitations_to(after: Array, before: Array, step: float) -> Array:
    """The excitation that leads from one activation to another, by halving."""
    low, high = np.zeros_like(before), np.ones_like(before)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        short = before + step * rates_of_activation(middle, (before + after) / 2) < after
        low, high = np.where(short, middle, low), np.where(short, high, middle)
    return (low + high) / 2


class _Control:
    """The law: excitations and reserves of an interval."""

    def __init__(
        self, subject: SubjectFunctions, reference: TrackedMotion, loads: CarriedForces, w: Array, curves: Any,
        gains: tuple[float, float],
    ) -> None:  # fmt: skip
        self.subject, self.reference, self.loads, self.w, self.curves, self.gains = subject, reference, loads, w, curves, gains  # fmt: skip
        self.plant = ForwardDynamics(subject, loads)
        self.n = len(subject.names)

    def choose(self, t: float, ahead: float, y: Array) -> Array:
        n = self.n
        q, u, a = y[:n], y[n : 2 * n], y[2 * n :]
        now, later = self.reference.at(t), self.reference.at(ahead)
        wanted = wanted_accelerations(self.reference, t, ahead, q, u, self.gains)
        place, speed = later[0] + q - now[0], later[1] + u - now[1]
        at = CoordinateMotion(np.array([ahead]), self.subject.names, place[None], speed[None], wanted[None])
        step = ahead - t
        low, high = (activations_after(np.full_like(a, e), a, step) for e in (0.0, 1.0))
        after, forces = self.activations(at, (low, np.maximum(high, low + LEAST_BOUND)))
        return np.concatenate([excitations_to(after, a, step), forces])

    def activations(self, at: CoordinateMotion, between: tuple[Array, Array]) -> tuple[Array, Array]:
        """Of least effort for the accelerations of one time, and the reserves."""
        moments = joint_moments(self.subject, at, (), "computed_muscle_control") - self.loads.at(
            float(at.t[0]), at.q[0]
        )
        active, relaxed, arms = muscle_functions(self.subject, at, self.curves, False)
        A = np.hstack([(arms[0] * active[0][:, None]).T, np.diag(self.w)])[None]
        ends = np.full(self.n, np.inf)
        bounds = np.concatenate([between[0], -ends]), np.concatenate([between[1], ends])
        x, _ = least_effort(A, moments - np.einsum("ij,i->j", arms[0], relaxed[0]), *bounds, 2.0)
        return x[0, : -self.n], x[0, -self.n :] * self.w

    def rates(self, t: float, y: Array, control: Array) -> Array:
        n = self.n
        q, u, a = y[:n], y[n : 2 * n], y[2 * n :]
        at = CoordinateMotion(np.array([t]), self.subject.names, q[None], u[None], u[None])
        active, relaxed, arms = muscle_functions(self.subject, at, self.curves, False)
        tau = np.einsum("ij,i->j", arms[0], a * active[0] + relaxed[0]) + control[len(a) :]
        return np.concatenate([u, self.plant.acceleration(t, q, u, tau), rates_of_activation(control[: len(a)], a)])


def computed_muscle_control(
    subject: SubjectFunctions,
    motion: CoordinateMotion,
    loads: Sequence[ExternalForce],
    reserves: float | Mapping[str, float],
    curves: Any,
    step: float,
    gains: tuple[float, float],
) -> MuscleControl:
    """`Subject.computed_muscle_control`."""
    where = "computed_muscle_control"
    if not subject.model.muscles:
        raise ModelError(f"{where}: model {subject.model.name!r} has no muscles")
    joint_moments(subject, motion, loads, where)  # refuses motions of another model
    times, reference = interval_times(motion, step, where), TrackedMotion(motion)
    control = _Control(
        subject,
        reference,
        CarriedForces(subject, motion, loads),
        reserve_sizes(subject, reserves, where),
        curves,
        gains,
    )
    muscles = tuple(subject.model.muscles)
    q, u, _ = reference.at(times[0])
    begin = CoordinateMotion(motion.t[:1], subject.names, motion.q[:1], motion.u[:1], motion.a[:1])
    first = np.concatenate([q, u, control.activations(begin, (np.zeros(len(muscles)), np.ones(len(muscles))))[0]])
    found = track(reference, first, times, control.choose, control.rates)
    n, states = len(subject.names), np.array(found.states)
    controls = np.array(found.controls).reshape(-1, len(muscles) + n)
    errors = tracking_errors(reference, found.times, states[:, :n])

    def table(name: str, t: Sequence[float], columns: Sequence[str], values: Array) -> sb.formats.MotionTable:
        return sb.formats.MotionTable(name, np.array(t), columns, values)

    begun = found.times[:-1]
    return MuscleControl(
        _outcome(found.times, subject.names, errors, found.failure),
        table("excitations", begun, muscles, controls[:, : len(muscles)]),
        table("activations", found.times, muscles, states[:, 2 * n :]),
        table("coordinates", found.times, subject.names, states[:, :n]),
        table("reserves", begun, subject.names, controls[:, len(muscles) :]),
        table("errors", found.times, subject.names, errors),
    )


def _outcome(times: Sequence[float], names: Sequence[str], errors: Array, failure: str) -> SearchOutcome:
    k, j = (int(x) for x in np.unravel_index(np.argmax(np.abs(errors)), errors.shape))
    size = f"largest error {np.abs(errors[k, j]):z.3g} ({names[j]} at {times[k]:zg} s)"
    if failure:
        return SearchOutcome(f"{failure}: try larger reserves= or a shorter step=; {size}", False)
    return SearchOutcome(f"followed the motion to {times[-1]:zg} s; {size}", True)

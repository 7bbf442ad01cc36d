"""Residual reduction: a motion that needs less of the forces at the pelvis which nothing exerts.

A simulation follows the motion by actuators at all coordinates. In each interval they are the least in

    Σ (Fᵢ/wᵢ)² + Σ cⱼ (u'ⱼ - u'*ⱼ)²,     M u' = F + Σ Jᵀ F_e - h

with small optimal forces w at the residual coordinates, so that these are small, and the motion deviates a little. Only
the residuals keep the body from falling over: with too small ones, or too small weights c, the motion is lost.

S. L. Delp et al.: OpenSim: open-source software to create and analyze dynamic simulations of movement. IEEE Transactions
on Biomedical Engineering 54 (2007).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

import symbody as sb

from ....argument_kinds import answered_class, checked_flags
from ....errors import ModelError, shown, unknown
from ....summary import SearchOutcome, Summarized, Summary
from .coordinate_motion import CoordinateMotion
from .external_forces import CarriedForces, ExternalForce
from .measured_moments import joint_moments
from .subject_functions import SubjectFunctions
from .tracking import ForwardDynamics, TrackedMotion, interval_times, track, tracking_errors, wanted_accelerations

Array = NDArray[np.float64]
ACTUATOR: Final = 1000.0  # optimal force of actuators at joints [N m, N]
WEIGHT: Final = 100.0  # of accelerations that are not named


@answered_class
@dataclass(frozen=True, eq=False, repr=False)
class ReducedResiduals(Summarized):
    """A motion with smaller residuals; made by `Subject.residual_reduction`.

    outcome       how the simulation ended; true if it followed the motion to its end
    coordinates   of the new motion, for `Subject.motion`
    forces        of the actuators at all coordinates, at the ends of the intervals
    before        the same by inverse dynamics of the motion that was given
    errors        coordinates of the new motion minus the given ones
    residuals     names of the coordinates without an actuator

    >>> from symbody.kits.biomechanics.foot_contact import BALL
    >>> m = sb.read_osim(BALL)
    >>> subject, t = sb.kits.biomechanics.Subject(m), np.linspace(0, 0.2, 21)
    >>> fall = np.column_stack([0 * t, 0 * t, 1 - 4.9 * t**2])  # measured a little too slow
    >>> motion = subject.motion(sb.formats.MotionTable("fall", t, ["turn", "x", "y"], fall))
    >>> found = subject.residual_reduction(motion, {"y": 0.1})
    >>> found.residuals, bool(found.outcome), found.coordinates.names
    (('y',), True, ('turn', 'x', 'y'))
    >>> bool(found.rms("y") < found.rms("y", before=True)), bool(np.abs(found.errors["y"]).max() < 1e-3)
    (True, True)
    >>> found.forces.names == found.before.names
    True

    See also: `kits.biomechanics.Subject`.
    """

    outcome: SearchOutcome
    coordinates: sb.formats.MotionTable
    forces: sb.formats.MotionTable
    before: sb.formats.MotionTable
    errors: sb.formats.MotionTable
    residuals: tuple[str, ...]

    @checked_flags(ModelError)
    def rms(self, name: str, before: bool = False) -> float:
        """Root mean square of the force at a coordinate [N, N m], after or before."""
        values = (self.before if before else self.forces)[name]
        return float(np.sqrt(np.mean(values**2)))

    def _summary(self) -> Summary:
        rows = [("outcome", str(self.outcome))]
        rows += [(n, f"rms {self.rms(n):z.3g}, {self.rms(n, True):z.3g} before") for n in self.residuals]
        return Summary(f"ReducedResiduals: {len(self.coordinates.times) - 1} intervals", tuple(rows))


def residual_reduction(
    subject: SubjectFunctions,
    motion: CoordinateMotion,
    residuals: Mapping[str, float],
    loads: Sequence[ExternalForce],
    weights: Mapping[str, float],
    step: float,
    gains: tuple[float, float],
) -> ReducedResiduals:
    """`Subject.residual_reduction`."""
    where = "residual_reduction"
    w = _sizes(subject, residuals, ACTUATOR, f"{where}: residuals=")
    c = _sizes(subject, weights, WEIGHT, f"{where}: weights=")
    if not residuals:
        raise ModelError(f"{where}: residuals= must name the coordinates that nothing moves, such as pelvis_tx, with the optimal force of each")  # fmt: skip
    before = joint_moments(subject, motion, loads, where)
    times, reference, n = interval_times(motion, step, where), TrackedMotion(motion), len(w)
    plant = ForwardDynamics(subject, CarriedForces(subject, motion, loads))

    def choose(t: float, ahead: float, y: Array) -> Array:
        q, u = y[:n], y[n:]
        now, later = reference.at(t), reference.at(ahead)
        wanted = wanted_accelerations(reference, t, ahead, q, u, gains)
        place = later[0] + q - now[0]
        M, h = plant.mass_and_bias(place, later[1] + u - now[1])
        free = np.linalg.solve(M, plant.loads.at(ahead, place) - h)
        rows = np.vstack([np.diag(1 / w), np.sqrt(c)[:, None] * np.linalg.solve(M, np.eye(n))])
        right = np.concatenate([np.zeros(n), np.sqrt(c) * (wanted - free)])
        return np.linalg.lstsq(rows, right, rcond=None)[0]

    def rates(t: float, y: Array, force: Array) -> Array:
        return np.concatenate([y[n:], plant.acceleration(t, y[:n], y[n:], force)])

    q, u, _ = reference.at(times[0])
    first = np.concatenate([q, u])
    found = track(reference, first, times, choose, rates, choose(times[0], times[0], first))
    states, names = np.array(found.states), subject.names
    errors = tracking_errors(reference, found.times, states[:, :n])

    def table(name: str, t: Any, values: Array) -> sb.formats.MotionTable:
        return sb.formats.MotionTable(name, np.array(t), names, values)

    return ReducedResiduals(
        _outcome(found.times, names, errors, found.failure),
        table("coordinates", found.times, states[:, :n]),
        table("actuators", found.times, np.array(found.controls).reshape(-1, n)),
        table("generalised forces", motion.t, before),
        table("errors", found.times, errors),
        tuple(residuals),
    )


def _sizes(subject: SubjectFunctions, given: Mapping[str, float], usual: float, where: str) -> Array:
    out = np.full(len(subject.names), usual)
    for name, size in given.items():
        if name not in subject.names:
            raise unknown(where, "coordinate", name, subject.names)
        if not (isinstance(size, (int, float)) and 0 < size < np.inf):
            raise ModelError(f"{where} the value of {name!r} must be positive, got {shown(size)}")
        out[subject.names.index(name)] = size
    return out


def _outcome(times: Sequence[float], names: Sequence[str], errors: Array, failure: str) -> SearchOutcome:
    k, j = (int(x) for x in np.unravel_index(np.argmax(np.abs(errors)), errors.shape))
    size = f"largest change {np.abs(errors[k, j]):z.3g} ({names[j]} at {times[k]:zg} s)"
    if failure:
        return SearchOutcome(f"{failure}: try larger residuals= or gains=; {size}", False)
    return SearchOutcome(f"followed the motion to {times[-1]:zg} s; {size}", True)

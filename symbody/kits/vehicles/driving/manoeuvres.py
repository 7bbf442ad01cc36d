"""Manoeuvres: step and ramp of the steering wheel, sine, lane changes; and their measures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import symbody as sb

from ....argument_kinds import answered, answered_class
from ....errors import ModelError, StudyError, unknown
from ....summary import Introduced
from ..roads.path import PlanePath, path_through


@answered
def step_steer(t: Any, angle: Any, *, at: Any = 1.0, rate: Any = 8.0, smooth: bool = False) -> Any:
    """A steer angle that goes to a value at a rate [rad/s of the same angle], as a law of time (ISO 7401: 200 to 500
    deg/s of the steering wheel).

    smooth   in place of a straight line s³ (10 - 15 s + 6 s²), with the same largest rate: a rigid rack that is moved
             with corners takes impulses
    """
    duration = abs(angle) / rate * (1.875 if smooth else 1.0)
    s = sb.minimum(sb.maximum((t - at) / duration, 0), 1)
    return angle * (s**3 * (10 - 15 * s + 6 * s**2) if smooth else s)


@answered
def ramp_steer(t: Any, rate: Any, *, at: float = 0.0) -> Any:
    """A steer angle that grows slowly, at a rate (ISO 4138, slow ramp)."""
    return rate * sb.maximum(t - at, 0)


@answered
def sine_steer(t: Any, angle: Any, frequency: Any, *, at: float = 1.0, periods: int = 1) -> Any:
    """So many periods of a sine (ISO 7401, 8.3)."""
    inside = sb.where(t > at, sb.where(t < at + periods / frequency, 1, 0), 0)
    return angle * sb.sin(2 * sb.pi * frequency * (t - at)) * inside


@answered
def sine_with_dwell(t: Any, angle: Any, *, frequency: float = 0.7, dwell: float = 0.5, at: float = 1.0) -> Any:
    """A period of a sine that stays at its second peak for a while: the test of electronic stability control (FMVSS 126,
    UN R140: 0.7 Hz, 0.5 s).

    >>> float(sb.evaluate(vh.sine_with_dwell(2.2, 0.1), {}))  # 1.2 s after its begin: the dwell
    -0.1

    See also: `sine_steer`, `stability_control`.
    """
    begin, w = at + 0.75 / frequency, 2 * sb.pi * frequency
    first, last = angle * sb.sin(w * (t - at)), angle * sb.sin(w * (t - at - dwell))
    late = sb.where(t < begin + dwell, -angle, sb.where(t < at + 1 / frequency + dwell, last, 0))
    return sb.where(t < at, 0, sb.where(t < begin, first, late))


LATE, SETTLED = 0.1, 0.02  # a response that changes by no more than this part in so much of the time has settled


@dataclass(frozen=True)
class StepMeasures(Introduced):
    """Of ISO 7401: times count from where the steer angle is at half of its end value.

    steady          end value of the response; `gain` relative to the steer angle
    response_time   until the response is at 90 % of its end value
    peak_time       until its largest value
    overshoot       (peak - steady) / steady
    """

    steady: float
    gain: float
    response_time: float
    peak_time: float
    overshoot: float


def step_measures(t: Any, steer: Any, response: Any) -> StepMeasures:
    """What ISO 7401 measures in a step: of samples of the steer angle and of a response (yaw rate, lateral
    acceleration) that has settled at the end."""
    t, steer, y = (np.asarray(x, dtype=float) for x in (t, steer, response))
    end, angle = y[-1], steer[-1]
    if end == 0 or angle == 0:
        raise StudyError("step_measures: steer angle and response must end at values other than zero")
    late = y[t >= t[-1] - LATE * (t[-1] - t[0])]
    if (left := float(np.ptp(late) / abs(end))) > SETTLED:
        raise StudyError(
            f"step_measures: the response has not settled: in the last tenth of the time it changes by {100 * left:z.3g} % of the "
            f"value {end:z.4g} that it ends at; measure for longer than {t[-1] - t[0]:z.4g} s, or hold the speed"
        )
    half = _first_time(t, steer / angle, 0.5)
    peak = int(np.argmax(y / end))
    return StepMeasures(
        float(end),
        float(end / angle),
        _first_time(t, y / end, 0.9) - half,
        float(t[peak] - half),
        float(y[peak] / end - 1),
    )


def _first_time(t: np.ndarray, y: np.ndarray, level: float) -> float:
    """The first time at which a quantity reaches a level, between samples by a straight line."""
    k = int(np.argmax(y >= level))
    if k == 0:
        return float(t[0])
    return float(t[k - 1] + (level - y[k - 1]) / (y[k] - y[k - 1]) * (t[k] - t[k - 1]))


@answered_class
@dataclass(frozen=True, eq=False)
class LaneChange(Introduced):
    """Lanes of a lane change: sections along x with their borders, y to the left.

    sections   (x0, x1, right, left) of the lanes between cones
    """

    name: str
    sections: tuple[tuple[float, float, float, float], ...]
    length: float

    def path(self, smooth: float = 0.5) -> Any:
        """The middle of the lanes, as a function of an expression: what a driver aims at.

        smooth   the part of each distance between lanes over which the path moves across
        """
        x, y = [-50.0], [self._middle(0)]
        for k, (a, b, *_) in enumerate(self.sections):
            shift = (1 - smooth) / 2 * min(b - a, 10.0)
            x += [a + 0.2 * shift, b - 0.2 * shift]
            y += [self._middle(k)] * 2
        return sb.integrate.interpolation("lane", [*x, x[-1] + 50.0], [*y, y[-1]], "linear")

    def line(self, step: float = 1.0) -> PlanePath:
        """The middle of the lanes as a path in the plane with continuous curvature, for a `Driver`: between lanes it goes
        across by s³ (10 - 15 s + 6 s²)."""
        first, last = self.sections[0][0] - 50.0, self.sections[-1][1] + 50.0
        x = np.linspace(first, last, round((last - first) / step) + 1)
        y = np.full_like(x, self._middle(0))
        for k, ((_, a, *_), (b, *_)) in enumerate(zip(self.sections, self.sections[1:], strict=False)):
            s = np.clip((x - a) / (b - a), 0, 1)
            y += (self._middle(k + 1) - self._middle(k)) * s**3 * (10 - 15 * s + 6 * s**2)
        return path_through(np.column_stack([x, y]), name="lane")

    def _middle(self, k: int) -> float:
        return (self.sections[k][2] + self.sections[k][3]) / 2

    def clearance(
        self, x: Any, y: Any, width: float, *, yaw: Any = 0.0, ends: tuple[float, float] = (0.0, 0.0)
    ) -> float:
        """The smallest distance of a car's outline from the borders of the lanes along its motion, as far as that goes;
        negative where it hits cones.

        x, y    of a point of the car, `yaw` its heading
        width   of the car, `ends` how far it reaches before and behind the point
        """
        x, y, yaw = np.broadcast_arrays(*(np.asarray(a, dtype=float) for a in (x, y, yaw)))
        corners = [
            (x + reach * np.cos(yaw) - half * np.sin(yaw), y + reach * np.sin(yaw) + half * np.cos(yaw))
            for reach, half in zip(
                (ends[0], ends[0], -ends[1], -ends[1]), np.array([1, -1, -1, 1]) * width / 2, strict=True
            )
        ]
        least = np.inf
        for a, b, right, left in self.sections:
            for k, one in enumerate(corners):
                inside = _heights_between(a, b, *one, *corners[k - 1])
                if inside.size:
                    least = min(least, float(np.min(left - inside)), float(np.min(inside - right)))
        return least


def _heights_between(a: float, b: float, x0: Any, y0: Any, x1: Any, y1: Any) -> np.ndarray:
    """y of the ends of the parts of edges between x = a and x = b: a cone at the border may touch a side of the car,
    whose corners are before and behind it."""
    low, high = np.maximum(np.minimum(x0, x1), a), np.minimum(np.maximum(x0, x1), b)
    meets, across = low <= high, np.where(x1 == x0, 1.0, x1 - x0)
    cut = [(y0 + (y1 - y0) * np.where(x1 == x0, 0.0, (at - x0) / across))[meets] for at in (low, high)]
    upright = meets & (x1 == x0)
    return np.concatenate([*cut, y0[upright], y1[upright]])


def lane_change(standard: str, width: float) -> LaneChange:
    """Lanes of ISO 3888-1 (double lane change) or 3888-2 (obstacle avoidance) for a car of a width.

        3888-1   15, 30, 25, 25, 15, 15 m; widths 1.1 w + 0.25, 1.2 w + 0.25, 1.3 w + 0.25; offset 3.5 m
        3888-2   12, 13.5, 11, 12.5, 12 m; widths 1.1 w + 0.25, w + 1, max(1.3 w + 0.25, 3); offset 1 m between lanes

    Dimensions are from secondary sources: compare with the standard before a car is judged by them.
    """
    if width <= 0:
        raise ModelError(f"lane_change: the width of a car must be positive, got {width}")
    first, last = 1.1 * width + 0.25, 1.3 * width + 0.25
    if standard == "3888-1":
        second = 1.2 * width + 0.25
        right = -first / 2  # of the first lane
        lanes = (
            (0.0, 15.0, right, -right),
            (45.0, 70.0, right + 3.5, right + 3.5 + second),
            (95.0, 125.0, right, right + last),
        )
        return LaneChange("ISO 3888-1", lanes, 125.0)
    if standard == "3888-2":
        right = -first / 2
        low = -right + 1.0  # the second lane begins 1 m beside the left border of the first
        third = max(last, 3.0)
        lanes = ((0.0, 12.0, right, -right), (25.5, 36.5, low, low + width + 1.0), (49.0, 61.0, right, right + third))
        return LaneChange("ISO 3888-2", lanes, 61.0)
    raise unknown("lane_change", "standard", standard, ["3888-1", "3888-2"])

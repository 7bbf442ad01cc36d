"""Standard tests, each by one call with a table: step of the steering (ISO 7401), frequency responses (ISO 7401),
lane changes (ISO 3888)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import pi
from typing import Any, Final

import numpy as np

import symbody as sb

from ....argument_kinds import answered
from ....errors import StudyError, unknown
from ....summary import Introduced, Tabular
from ..driving.manoeuvres import LaneChange, StepMeasures, step_measures, step_steer

# speed, relative to the entry speed, below which a car stands, where tyre slips become meaningless
STANDSTILL: Final = 0.01


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(r[k]) for r in (head, *rows)) for k in range(len(head))]
    lines = [
        "  ".join(c.ljust(w) if k == 0 else c.rjust(w) for k, (c, w) in enumerate(zip(r, widths, strict=True)))
        for r in (head, *rows)
    ]
    return "\n".join(line.rstrip() for line in lines)


# ---------------------------------------------------------------------------------------------------- ISO 7401, step


@dataclass(frozen=True, eq=False, repr=False)
class StepTest(Tabular):
    """A step of the steering with its measures: `test["r"].response_time`; print it for a table.

    yaw_rate, side_slip   names of the responses of which the TB factor is made
    """

    sim: sb.Trajectory
    measures: Mapping[str, StepMeasures]
    yaw_rate: str
    side_slip: str

    def __getitem__(self, name: str) -> StepMeasures:
        if name not in self.measures:
            raise unknown("step test", "response", name, list(self.measures))
        return self.measures[name]

    @property
    def tb(self) -> float:
        """TB factor: the peak response time of the yaw rate times the steady side slip angle [s deg]."""
        return self[self.yaw_rate].peak_time * abs(np.degrees(self[self.side_slip].steady))

    def __str__(self) -> str:
        rows = [
            [k, *(f"{x:z.4g}" for x in (s.steady, s.gain, s.response_time, s.peak_time, 100 * s.overshoot))]
            for k, s in self.measures.items()
        ]
        table = _table(["", "steady", "gain", "response time [s]", "peak time [s]", "overshoot [%]"], rows)
        return (
            f"{table}\nTB factor {self.tb:z.4g} s deg"
            if {self.yaw_rate, self.side_slip} <= set(self.measures)
            else table
        )


@answered
def step_test(
    eq: sb.Equations, angle: float, *, start: Any = None, responses: Sequence[str] = ("r", "ay", "beta"), steer: str = "delta",
    duration: float = 6.0, rate: float = 8.0, yaw_rate: str = "r", side_slip: str = "beta",
    inputs: Mapping[str, Any] | None = None, **values: float,
) -> StepTest:  # fmt: skip
    """Steer by a step from straight running and measure responses as ISO 7401 does: steady value, gain, response time,
    peak time, overshoot, and the TB factor.

    start    straight running: `vh.straight(eq, 22.2)`; of a single track nothing, and V=22.2
    inputs   laws of the others, such as the drive of a car that holds its speed
    rate     of the steer angle, rad/s
    """
    t = np.linspace(0, duration, round(duration * 500) + 1)
    law = {steer: step_steer(eq.t, angle, at=0.2, rate=rate, smooth=True), **(inputs or {})}
    sim = sb.simulate(eq, t, start, inputs=law, values=values)
    if not sim.outcome:
        raise StudyError(f"step_test of {eq.name!r}: {sim.outcome}; steer by less than {angle:g}, or drive slower")
    steered = np.array([float(sb.evaluate(law[steer], {eq.t: float(x)})) for x in t])
    return StepTest(sim, {k: step_measures(t, steered, sim[k]) for k in responses}, yaw_rate, side_slip)


# ---------------------------------------------------------------------------------------------------- ISO 7401, frequency


@dataclass(frozen=True)
class FrequencyMeasures(Introduced):
    """Of a response to steering in frequency.

    gain         at the lowest frequency
    resonance    where the gain is largest [Hz], and `peak` how much it is above that
    bandwidth    where the gain has fallen to 1/√2 of that of the lowest frequency [Hz]; NaN beyond the last
    delay        of the phase at 1 Hz [s]
    """

    gain: float
    resonance: float
    peak: float
    bandwidth: float
    delay: float


@answered
def frequency_measures(
    lin: sb.LinearSystem,
    response: str,
    *,
    steer: str = "delta",
    hertz: tuple[float, float] = (0.05, 5.0),
    **values: float,
) -> FrequencyMeasures:
    """Gain, resonance, bandwidth and delay of a response to steering."""
    f = np.unique(np.append(np.geomspace(*hertz, 800), 1.0))
    H = np.asarray(lin.frequency_response(steer, response, f, values=values).values)
    size, phase = np.abs(H), np.unwrap(np.angle(H))
    k, fallen = int(np.argmax(size)), np.flatnonzero(size < size[0] / np.sqrt(2))
    lag = phase[0] - float(np.interp(1.0, f, phase))
    return FrequencyMeasures(
        float(size[0]),
        float(f[k]),
        float(size[k] / size[0]),
        float(f[fallen[0]]) if fallen.size else np.nan,
        lag / (2 * pi),
    )


# ---------------------------------------------------------------------------------------------------- ISO 3888


@dataclass(frozen=True, eq=False, repr=False)
class LaneChangeTest(Tabular):
    """A lane change at several speeds: print it for a table.

    speeds      at the entry, with the least distance from cones (negative: hit; minus infinity: the car did not come
                through), the speed at the exit (NaN without one), the largest absolute values of the requested
                quantities
    """

    lanes: LaneChange
    speeds: tuple[float, ...]
    clearances: tuple[float, ...]
    exits: tuple[float, ...]
    largest: Mapping[str, tuple[float, ...]]

    @property
    def fastest(self) -> float:
        """The largest speed up to which no cone is hit; NaN if the slowest run hits one."""
        passed = np.nan
        for V, gap in sorted(zip(self.speeds, self.clearances, strict=True)):
            if gap < 0:
                break
            passed = V
        return float(passed)

    def __str__(self) -> str:
        head = [self.lanes.name, "exit [m/s]", "clearance [m]", *(f"largest {k}" for k in self.largest)]
        rows = [
            [
                f"{V:z.4g} m/s",
                f"{out:z.4g}",
                f"{gap:z.3g}" if gap >= 0 else f"{gap:z.3g} hit" if np.isfinite(gap) else "not passed",
                *(f"{x[k]:z.4g}" for x in self.largest.values()),
            ]
            for k, (V, out, gap) in enumerate(zip(self.speeds, self.exits, self.clearances, strict=True))
        ]
        return _table(head, rows)


@answered
def lane_change_test(
    eq: sb.Equations, lanes: LaneChange, speeds: Sequence[float], *, width: float, ends: tuple[float, float],
    start: Callable[[float], Any], place: tuple[str, str, str] = ("car_x", "car_y", "car_a"), speed: str = "u",
    largest: Sequence[str] = (), run_up: float = 20.0, **values: float,
) -> LaneChangeTest:  # fmt: skip
    """A car with a driver through the lanes of ISO 3888, at several speeds.

    eq       a car that steers itself: `vh.path_follower(lanes.path())`, or with a `vh.preview_driver`
    width    of the car
    ends     how far it reaches before and behind the point whose place is given
    start    speed -> values to begin with: `lambda V: {"u": V, "V": V}`; it begins `run_up` before the lanes
    speed    name of its speed: a run ends where the car stands, at a hundredth of the speed it came with
    place    names of x, y and the heading
    largest  names of outputs or states of which the largest size is listed
    """
    x, y, yaw = place
    clearances: list[float] = []
    exits: list[float] = []
    sizes: dict[str, list[float]] = {k: [] for k in largest}
    for V in speeds:
        stands = sb.Event("stands", sb.symbol(speed) - STANDSTILL * V, "falling", terminal=True)
        for patience in (1, 2, 4):  # a car may become slower
            way = lanes.length + run_up + ends[1] + 5.0
            t = np.linspace(0, patience * way / V, 600 * patience)
            sim = sb.simulate(eq, t, {**start(V), x: -run_up}, values=values, events=[stands])
            if sim.events:
                break
            if sim.t[-1] < t[-1]:
                raise StudyError(f"lane_change_test: at {V} m/s the run ended at t = {sim.t[-1]:z.3g}: {sim.outcome}")
            if np.max(sim[x]) > lanes.length + ends[1]:
                break
        came_through = np.max(sim[x]) > lanes.length + ends[1]
        gap = lanes.clearance(sim[x], sim[y], width, yaw=sim[yaw], ends=ends)
        clearances.append(gap if came_through else -np.inf)
        exits.append(_first_at(lanes.length, np.asarray(sim[x]), np.asarray(sim[speed])))
        for k in largest:
            sizes[k].append(float(np.max(np.abs(sim[k]))))
    return LaneChangeTest(
        lanes, tuple(map(float, speeds)), tuple(clearances), tuple(exits), {k: tuple(v) for k, v in sizes.items()}
    )


def _first_at(place: float, x: np.ndarray, y: np.ndarray) -> float:
    """y where x first reaches a place; NaN if it does not."""
    k = int(np.argmax(x >= place))
    if x[k] < place or k == 0:
        return float("nan")
    return float(np.interp(place, x[k - 1 : k + 1], y[k - 1 : k + 1]))

"""Ride comfort by ISO 2631-1: weighted accelerations.

The weighting is a product of filters, with s = 2πi f and the corner frequencies of its table:

    band limits       s²/(s² + √2 ω1 s + ω1²) · ω2²/(s² + √2 ω2 s + ω2²)
    transition        (1 + s/ω3) ω4² / (s² + ω4 s/Q4 + ω4²)
    upward step       (s² + ω5 s/Q5 + ω5²) / (s² + ω6 s/Q6 + ω6²)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ....argument_kinds import answered
from ....errors import StudyError, unknown
from ....summary import Introduced

# f1, f2, f3, f4, Q4, and of the upward step f5, Q5, f6, Q6 [Hz]
WEIGHTINGS: Final[dict[str, tuple[float, ...]]] = {
    "k": (0.4, 100.0, 12.5, 12.5, 0.63, 2.37, 0.91, 3.35, 0.91), "d": (0.4, 100.0, 2.0, 2.0, 0.63),
}  # fmt: skip
FEELINGS: Final = (
    (0.315, "not uncomfortable"), (0.63, "a little uncomfortable"), (1.0, "fairly uncomfortable"), (1.6, "uncomfortable"),
    (2.5, "very uncomfortable"), (np.inf, "extremely uncomfortable"),
)  # fmt: skip


@answered
def comfort_weighting(f: Any, axis: str = "k") -> Any:
    """The complex weighting of ISO 2631-1 at frequencies in Hz: "k" of vertical vibrations of the seat, "d" of horizontal
    ones.

    >>> abs(vh.comfort_weighting(np.array([1.0, 5.0, 16.0]))).round(3)
    array([0.482, 1.039, 0.769])

    See also: `ride_comfort`.
    """
    if axis not in WEIGHTINGS:
        raise unknown("comfort_weighting", "weighting", axis, list(WEIGHTINGS), StudyError)
    f1, f2, f3, f4, q4, *step = WEIGHTINGS[axis]
    s = 1j * np.asarray(f, dtype=float)
    limits = s**2 / (s**2 + np.sqrt(2) * f1 * s + f1**2) * f2**2 / (s**2 + np.sqrt(2) * f2 * s + f2**2)
    out = limits * (1 + s / f3) * f4**2 / (s**2 + f4 * s / q4 + f4**2)
    if step:
        f5, q5, f6, q6 = step
        out = out * (s**2 + f5 * s / q5 + f5**2) / (s**2 + f6 * s / q6 + f6**2)
    return out


@dataclass(frozen=True)
class RideComfort(Introduced):
    """The weighted acceleration of a ride.

    weighted   root mean square of the weighted acceleration, m/s²
    plain      that without weighting
    feeling    as annex C of the standard calls it
    """

    weighted: float
    plain: float
    feeling: str


@answered
def ride_comfort(t: Any, acceleration: Any, axis: str = "k") -> RideComfort:
    """The weighted root mean square of an acceleration by ISO 2631-1, from samples at equal distances.

    t, acceleration   s, m/s²: of the seat, or of the body; `sim.at(np.arange(0, 20, 0.005))` gives equal distances
    axis              "k": vertical, "d": horizontal

    >>> t = np.arange(0, 20, 0.005)
    >>> ride = vh.ride_comfort(t, 0.5 * np.sin(2 * np.pi * 5 * t))
    >>> round(ride.weighted, 3), ride.feeling  # 1.039 times 0.5/√2
    (0.367, 'a little uncomfortable')

    See also: `comfort_weighting`, `random_road`.
    """
    times, a = np.asarray(t, dtype=float), np.asarray(acceleration, dtype=float)
    if times.ndim != 1 or times.shape != a.shape or len(times) < 16:
        raise StudyError(
            f"ride_comfort: times and accelerations must be rows of equal length, of at least 16 samples; got {times.shape} and {a.shape}"
        )
    steps = np.diff(times)
    if not np.allclose(steps, steps[0], rtol=1e-6):
        raise StudyError(
            "ride_comfort: the samples are not at equal distances; use sim.at(np.arange(begin, end, step)) to have them"
        )
    spectrum = np.fft.rfft(a - a.mean())
    weighted = np.fft.irfft(spectrum * comfort_weighting(np.fft.rfftfreq(len(a), steps[0]), axis), len(a))
    value = float(np.sqrt(np.mean(weighted**2)))
    feeling = next(word for limit, word in FEELINGS if value < limit)
    return RideComfort(value, float(np.sqrt(np.mean((a - a.mean()) ** 2))), feeling)

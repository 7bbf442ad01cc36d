"""MuJoCo's muscles: force along a length, and the activation that follows a control.

    F = -F₀ (FL(L) FV(V) a + FP(L)),   L = r₀ + (l - l₀) / L₀,   V = l' / (L₀ vmax),   L₀ = (l₁ - l₀) / (r₁ - r₀)
    a' = (u - a) / τ(u - a, a)

(l₀, l₁) is the range of the length, (r₀, r₁) the same in units of the optimal fibre length L₀. FL is four parabolas
between lmin and lmax with its top at one, FV two between -1 and fvmax - 1, FP one parabola from one on and a line; τ is
τ₁ (0.5 + 1.5 a) where the activation rises and τ₂ / (0.5 + 1.5 a) where it falls (Millard et al. 2013), smooth between on request.
MuJoCo's documentation, "Muscles".
"""

from __future__ import annotations

from dataclasses import dataclass

import symbody as sb

from .actuator_words import MUSCLE_WORDS
from .mjcf_tree import Attributes


@dataclass(frozen=True)
class MuscleLaw:
    """lengths are of the range (l₀, l₁); numbers those of `gainprm`: r₀, r₁, force, scale, lmin, lmax, vmax, fpmax,
    fvmax; times τ₁, τ₂ and the width of the change between them."""

    lengths: tuple[float, float]
    numbers: tuple[float, ...]
    times: tuple[float, ...]
    dynamics: str = "muscle"
    damping_ratio: float = 0.0

    @property
    def needs_acceleration(self) -> bool:
        """Whether the peak force is `scale` over the acceleration that a unit of force gives."""
        return self.numbers[2] < 0

    def scaled(self, acceleration: float) -> MuscleLaw:
        first, last, _, scale, *rest = self.numbers
        return MuscleLaw(self.lengths, (first, last, scale / max(acceleration, 1e-15), scale, *rest), self.times)

    def force(self, drive: sb.Expr, length: sb.Expr, rate: sb.Expr) -> sb.Expr:
        first, last, peak, _, least, most, fastest, passive, eccentric = self.numbers
        unit = (self.lengths[1] - self.lengths[0]) / max(last - first, 1e-15)
        L = first + (length - self.lengths[0]) / unit
        active = _length_curve(L, least, most) * _speed_curve(rate / (unit * fastest), eccentric)
        return -peak * (active * drive + _passive_curve(L, most, passive))

    def activation_rate(self, control: sb.Expr, act: sb.Expr) -> sb.Expr:
        rise, fall, width = (*self.times, 0.0, 0.0)[:3]
        excess = _between(control, 0.0, 1.0) - act
        level = 0.5 + 1.5 * _between(act, 0.0, 1.0)
        slow, quick = fall / level, rise * level
        if width <= 0:
            return excess / sb.where(excess > 0, quick, slow)
        x = _between(excess / width + 0.5, 0.0, 1.0)
        return excess / (slow + (quick - slow) * (x * x * x * (3 * x * (2 * x - 5) + 10)))


def _between(x: sb.Expr, low: float, high: float) -> sb.Expr:
    return sb.where(x < low, low, sb.where(x > high, high, x))


def _length_curve(L: sb.Expr, least: float, most: float) -> sb.Expr:
    a, b = (least + 1) / 2, (1 + most) / 2
    rising = sb.where(L <= a, ((L - least) / (a - least)) ** 2 / 2, 1 - ((1 - L) / (1 - a)) ** 2 / 2)
    falling = sb.where(L <= b, 1 - ((L - 1) / (b - 1)) ** 2 / 2, ((most - L) / (most - b)) ** 2 / 2)
    return sb.where((L >= least) & (L <= most), sb.where(L <= 1, rising, falling), 0)


def _speed_curve(V: sb.Expr, eccentric: float) -> sb.Expr:
    y = eccentric - 1
    lengthening = sb.where(V <= y, eccentric - (y - V) ** 2 / max(y, 1e-15), eccentric)
    return sb.where(V <= -1, 0, sb.where(V <= 0, (V + 1) ** 2, lengthening))


def _passive_curve(L: sb.Expr, most: float, passive: float) -> sb.Expr:
    b = (1 + most) / 2
    x = (L - 1) / (b - 1)
    return passive * sb.where(L <= 1, sb.algebra.as_expr(0), sb.where(L <= b, x**2 / 2, x - 0.5))


def muscle_law(given: Attributes) -> MuscleLaw | str:
    """Of a <muscle>, or of a <general> of which everything is a muscle's."""
    own = Attributes(given.where, given.element, given.element.attributes)
    for key in ("range", "timeconst", "tausmooth", *MUSCLE_WORDS):
        own.numbers(key)  # which is in the numbers of a general actuator already, but for what is no number
    if len(lengths := given.numbers("lengthrange", ())) != 2 or lengths[0] >= lengths[1]:
        return "without lengthrange, which MuJoCo would find by simulation"
    numbers, times = tuple(given.numbers("gainprm", ()))[:9], given.several("dynprm", (1.0, 0.0, 0.0))[:3]
    if len(numbers) < 9 or tuple(given.numbers("biasprm", ()))[:9] != numbers:
        return "without nine numbers in gainprm and the same in biasprm"
    if min(times[:2]) <= 0:
        return "without two time constants in dynprm"
    return MuscleLaw((lengths[0], lengths[1]), numbers, times)

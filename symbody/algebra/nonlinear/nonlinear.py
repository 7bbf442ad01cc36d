"""Zeros of nonlinear systems with enough, too many or too few rows: the one solver of the package.

Newton's method in a trust region that is judged in units of the unknowns (Deuflhard 2004, *Newton Methods for Nonlinear
Problems*, ch. 3, 4), with steps of Levenberg and Marquardt:

    A = R J D,   p(μ) = -G R F,   G = (AᵀA + μ)⁻¹ Aᵀ,   |p(μ)| ≤ Δ,   x⁺ = x + D p

A step is accepted where the simplified correction |G R F(x⁺)| is sufficiently below |G R F(x)| and close to the
prediction of the linearised rows. For μ = 0 this test is invariant under multiplication of the rows by a regular
matrix: a spring of 1e9 N/m beside one of 1e2 N/m makes no narrow valley in which steps have to be short, as it does for
|F|. As μ grows the test becomes the descent of |R F|.

The module is independent of mechanics. A failure is an outcome, not an exception.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from random import Random
from typing import Final

import numpy as np

from .trust_region import EPS, Array, Linearisation, Mask, Rank, Scales, SingularValues, without_dust

Function = Callable[[Array], tuple[Array, Array]]

MAX_STEPS: Final = 100  # largest number of steps of a search
MAX_TRIALS: Final = 40  # largest number of trial radii in one step
MAX_SLIDES: Final = 60  # largest number of moves along a set of zeros that is not isolated
NOISE_SAMPLES: Final = 4  # number of neighbouring points at which rounding noise is estimated
ZERO_IN_ROUNDING: Final = 2.0  # residual of a row, in units of its rounding bound, that no step can improve
# residual of a row, in units of its rounding bound, accepted as zero when no step reduces it (1e-13 of its terms)
ACCEPTED_ROUNDING: Final = 450.0
# trust radius, relative to the unknowns or the distance travelled, below which steps may cross configurations where
# rows become dependent
CROSSING_RADIUS: Final = 1e-2
UNDERFLOW: Final = 1e-140  # magnitude below which squares underflow, so that lengths cannot be computed
# row or column of derivatives, relative to the largest, below which entries may be rounding noise
SUSPECT_SLOPE: Final = 1e-7
STATIONARY_PART: Final = 1e-7  # reducible part of |R F| below which it is stationary
MAX_RESCALINGS: Final = 2  # largest number of new scalings when no step is accepted
# number of steps after which a path that returns to a quarter of its length counts as circling
CIRCLE_STEPS: Final = 10
STATIONARY_GAIN: Final = 1e-12  # predicted relative decrease of |R F|² below which it is stationary
MAX_PLAIN_STEPS: Final = 8  # largest number of undamped Newton steps next to a zero
MAX_CONTRACTION: Final = 0.1  # largest ratio of successive undamped Newton steps
ROUNDING_PART: Final = 1e-8  # row, relative to |J| times the unknowns' sizes, below which it may be rounding noise
VANISHED_PART: Final = 1e-6  # row, relative to its value at the start, below which it vanishes
PROBE_DISTANCE: Final = 1e-2  # distance from a zero, relative to the unknowns, at which rows are sampled
ZERO_AMONG_SAMPLES: Final = 1e-3  # row, relative to its largest sample around a zero, below which it vanishes
MIN_RADIUS: Final = 1e-10  # trust radius, relative to the unknowns or the distance travelled, at which the search ends


class SolverOutcome(Enum):
    """How a search ended."""

    CONVERGED = "the rows vanish to rounding"
    LOCAL_MINIMUM = "stuck at a local minimum: the rows contradict each other there, and no small step reduces them"
    SINGULAR = "stuck where rows become dependent, and no small step reduces them"
    POLE = "the rows change their signs where they jump, at a pole, and do not vanish there"
    DROWNED = "unknowns are so large there that their rounding hides all other terms, as forces at a dead centre are"
    UNTRUE = "the rows vanish where the unknowns are singular and do not see all that must vanish"
    BOUNDED = "stopped at bounds: the rows decrease only beyond them"
    NOT_FINITE = "rows or slopes have no finite value at the start"
    TOO_MANY_STEPS = "too many steps: the rows still decrease, or cycle"


@dataclass(frozen=True)
class Solution:
    """Where a search ended, with its residual and Jacobian.

    x             the unknowns
    F, J          rows and their slopes there
    outcome       how the search ended
    steps         number of steps taken
    evaluations   number of evaluations of F and J
    """

    x: Array
    F: Array
    J: Array
    rounding_here: Callable[[], Array]
    outcome: SolverOutcome
    steps: int
    evaluations: int

    @cached_property
    def rounding(self) -> Array:
        """Of each row: what its value can be off by, computed with numbers of this precision. It may cost more than the
        search."""
        with np.errstate(all="ignore"):
            return self.rounding_here()

    @property
    def holds(self) -> bool:
        return self.outcome is SolverOutcome.CONVERGED

    @cached_property
    def relative(self) -> Array:
        """Rows in units of their rounding."""
        with np.errstate(divide="ignore", invalid="ignore"):
            parts = np.abs(self.F) / self.rounding
        return np.where(self.F == 0, 0.0, np.where(np.isfinite(parts), parts, np.inf))

    @property
    def size(self) -> float:
        """The largest row, in units of its rounding."""
        return float(np.max(self.relative, initial=0.0))

    @property
    def worst(self) -> int:
        """The number of the largest row in these units."""
        return int(np.argmax(self.relative))

    @cached_property
    def _rank(self) -> Rank:
        return Rank.of(self.J)

    @property
    def rank(self) -> int:
        return self._rank.rank

    @property
    def condition(self) -> float:
        return self._rank.condition

    @property
    def loose(self) -> Array:
        """How far each unknown is undetermined: 0 not at all, 1 entirely."""
        return self._rank.loose

    @property
    def null_space(self) -> Array:
        """Directions in which no row changes, in columns."""
        return self._rank.null_space


@dataclass(frozen=True)
class System:
    """Rows F(x) = 0.

    function       x -> F, J: rows and their exact derivatives
    sizes          unit of distance of each unknown: distances are |x / sizes|. Without them scales are found from J,
                   whatever the units are
    lower, upper   bounds
    linear         unknowns in which rows are linear when the others are fixed; they start at their least-squares values
                   and do not count in distances
    rounding       x -> rounding bound of each row; without it, rounding is estimated
    slope_rounding x, magnitudes relative to which it is rounded -> the same for the entries of J; without it, they
                   count as exact
    radius         trust radius of the first step, in these distances
    reach          largest change of each unknown in one step: derivatives with respect to angles mean little beyond a
                   fraction of a turn
    typical        magnitudes of unknowns relative to which they are rounded: angles are known to 1e-16, not to 1e-16 of
                   themselves
    """

    function: Function
    sizes: Array | None = None
    lower: Array | None = None
    upper: Array | None = None
    linear: Mask | None = None
    rounding: Callable[[Array], Array] | None = None
    slope_rounding: Callable[[Array, Array], Array] | None = None
    radius: float = np.inf
    reach: Array | None = None
    typical: Array | None = None
    max_steps: int = MAX_STEPS

    def zero(self, start: Array) -> Solution:
        """A zero, reached from the start by following the path on which all rows go to zero together."""
        with np.errstate(all="ignore"):  # places without values are stepped back from
            return _TrustRegionSearch(self, start).solution()

    def close_zero(self, start: Array) -> Solution | None:
        """The zero to which undamped Newton steps converge, each a fraction of the previous one; None if they do
        not."""
        with np.errstate(all="ignore"):
            return _TrustRegionSearch(self, start).close_solution()

    def settled(self, start: Array) -> Array:
        """The start, with the least-squares values of the linear unknowns."""
        if self.linear is None or not self.linear.any():
            return start
        F, J = self.function(start)
        if not (np.isfinite(F).all() and np.isfinite(J).all()):
            return start
        return start + self.linearised(F, J, Scales.of(J, self.sizes)).with_linear(np.zeros(len(start)))

    def nearest(self, start: Array) -> Solution:
        """The zero nearest to the start among those around the one that `zero` finds: least |(x - start) / sizes| under
        F(x) = 0."""
        found = self.zero(start)
        return self.slid(found, start) if found.holds else found

    def slid(self, found: Solution, towards: Array) -> Solution:
        """From a zero to the nearest one to a point: steps towards it within the tangent space, each followed by steps
        back onto the rows, and taken only where it leads nearer."""
        if not found.F.size:
            return replace(found, x=towards)
        scales = Scales.of(found.J, self.sizes)
        fixed, length, evaluations = replace(self, sizes=scales.columns), 1.0, found.evaluations
        for _ in range(MAX_SLIDES):
            here = fixed.linearised(found.F, found.J, scales)
            back = here.tangential(towards - found.x)
            if here.length(back) <= 1e-10 * (here.length(towards) + here.length(found.x - towards)) or length < 1e-6:
                break
            reached = fixed.zero(found.x + length * back)
            evaluations += reached.evaluations
            if reached.holds and here.length(reached.x - towards) <= here.length(found.x - towards):
                found, length = reached, min(1.0, 2 * length)
            else:
                length /= 4
        return replace(found, evaluations=evaluations)

    def linearised(self, F: Array, J: Array, scales: Scales) -> Linearisation:
        linear = np.zeros(J.shape[1], dtype=bool) if self.linear is None else self.linear
        columns = scales.columns if self.reach is None else np.minimum(scales.columns, self.reach)
        return Linearisation(F, J, scales.rows, columns, ~linear, linear)

    def leaves(self, x: Array, change: Array) -> Mask:
        """Which unknowns are at a bound and would leave it."""
        below = np.zeros(len(x), dtype=bool) if self.lower is None else (x <= self.lower) & (change < 0)
        return below if self.upper is None else below | (x >= self.upper) & (change > 0)

    def inside(self, x: Array) -> Array:
        x = x if self.lower is None else np.maximum(x, self.lower)
        return x if self.upper is None else np.minimum(x, self.upper)


class _TrustRegionSearch:
    """A point, its residual and Jacobian, and the trust region around it."""

    def __init__(self, system: System, start: Array) -> None:
        self.system = system
        self.radius = system.radius
        self.steps = self.evaluations = self.most_rank = 0
        self.x = system.inside(np.where(np.abs(start) < UNDERFLOW, 0.0, start).astype(np.float64))
        self.floor: Array | None = None  # slopes that are no larger are rounding
        self.F, self.J = self._at(self.x)
        self.start, self.extent, self.first = self.x, np.abs(self.x), np.abs(self.F)
        if system.typical is not None:
            self.extent = np.maximum(self.extent, system.typical)
        self.scales: Scales | None = None
        self.may_cross = False  # places where rows become dependent
        self.must_descend = self.is_settled = False
        self.fresh_scales = 0
        self.track: list[Array] = []

    def _at(self, x: Array) -> tuple[Array, Array]:
        self.evaluations += 1
        F, J = self.system.function(x)
        J = without_dust(J)
        return F, J if self.floor is None else np.where(np.abs(J) <= self.floor, 0.0, J)

    @property
    def is_finite(self) -> bool:
        return bool(np.isfinite(self.F).all() and np.isfinite(self.J).all())

    def solution(self) -> Solution:
        outcome = self._outcome()
        if outcome is SolverOutcome.CONVERGED:
            self._clear_slopes()
            outcome = (
                SolverOutcome.POLE if self._is_pole() else SolverOutcome.DROWNED if self._is_drowned() else outcome
            )
        rounding = self._attainable if self.is_finite else lambda: np.zeros(len(self.F))
        return Solution(self.x, self.F, self.J, rounding, outcome, self.steps, self.evaluations)

    def close_solution(self) -> Solution | None:
        if not self.is_finite:
            return None
        self._clear_slopes()
        if not (self._is_solved or self._contracts()):
            return None
        self._clear_slopes()
        if self._is_pole() or self._is_drowned():
            return None
        return Solution(self.x, self.F, self.J, self._attainable, SolverOutcome.CONVERGED, self.steps, self.evaluations)

    def _outcome(self) -> SolverOutcome:
        if not self.is_finite:
            return SolverOutcome.NOT_FINITE
        self._clear_slopes()
        if self._is_solved or self._contracts():
            return SolverOutcome.CONVERGED
        if self._has_linear:
            self._settle_linear()
        while not self._is_sharp:
            if self.steps >= self.system.max_steps:
                return SolverOutcome.CONVERGED if self._vanishes else SolverOutcome.TOO_MANY_STEPS
            if not self._advance() and not self._clear_slopes():
                if self._vanishes:
                    return SolverOutcome.CONVERGED
                if not self._scaled_anew():
                    return self._outcome_without_step()
        return SolverOutcome.CONVERGED

    def _scaled_anew(self) -> bool:
        """Forget scales that slopes elsewhere have left behind, and go on from here; False if that has been done
        often enough."""
        if self.fresh_scales >= MAX_RESCALINGS or self.scales is None:
            return False
        self.fresh_scales += 1
        self.scales, self.radius, self.track = None, self.system.radius, []
        self.may_cross = self.must_descend = False
        return True

    def _clear_slopes(self) -> bool:
        """Set derivatives that are rounding noise, such as cos(π/2), to zero; returns whether there were any.

        They are looked for only where a row, or a column relative to the rest of its rows, has suspiciously small
        derivatives, since the check costs more than many steps.
        """
        if self.system.slope_rounding is None or not self._has_suspects():
            return False
        before, sizes = self.scales, self._sizes
        self.scales = before  # not from derivatives that are still to be cleared of rounding noise
        self.floor = 8 * self.system.slope_rounding(self.x, sizes)
        cleared = np.where(np.abs(self.J) <= self.floor, 0.0, self.J)
        is_new, self.J = bool((cleared != self.J).any()), cleared
        return is_new

    def _has_suspects(self) -> bool:
        A = np.abs(self.J)
        rows = A.max(axis=1, initial=0.0)
        columns = np.max(A / np.where(rows > 0, rows, 1.0)[:, None], axis=0, initial=0.0)
        is_faint = [
            (x > 0) & (x < limit)
            for x, limit in ((rows, SUSPECT_SLOPE * rows.max(initial=0.0)), (columns, SUSPECT_SLOPE))
        ]
        return any(bool(x.any()) for x in is_faint)

    # ------------------------------------------------------------------------------------------------ rounding

    def _slight(self) -> Array:
        """Change of each row due to rounding of the unknowns; of the largest that they were on the way, where they go
        to zero."""
        return EPS * (np.abs(self.J) @ self._beside_linear(self.extent))

    @property
    def _sizes(self) -> Array:
        sizes = np.abs(self.x) if self.system.typical is None else np.maximum(np.abs(self.x), self.system.typical)
        return self._beside_linear(sizes)

    def _beside_linear(self, sizes: Array) -> Array:
        """Magnitudes relative to which unknowns are rounded. Linear unknowns come from elimination, which is exact
        relative to the largest of them, in units of the scales: a multiplier that is zero beside others of 1e3 N is
        1e-13 N."""
        linear = self.system.linear
        if linear is None or not linear.any():
            return sizes
        D = self._scales_here().columns
        largest = float(np.max((np.abs(self.x) / D)[linear]))
        return np.where(linear, np.maximum(sizes, D * largest), sizes)

    @property
    def _has_linear(self) -> bool:
        return self.system.linear is not None and bool(self.system.linear.any())

    def _scales_here(self) -> Scales:
        if self.scales is None:
            self.scales = Scales.of(self.J, self.system.sizes)
        return self.scales

    @property
    def _is_solved(self) -> bool:
        """Whether the rows vanish at the start. Their rounding costs more than a step to find: only asked where they
        are small."""
        if self._is_sharp:
            return True
        if not self.x.any() and self.system.rounding is not None:  # without sizes there is no measure of what is small
            return bool((np.abs(self.F) <= self.system.rounding(self.x)).all())
        return bool((np.abs(self.F) <= ROUNDING_PART * (np.abs(self.J) @ self._sizes)).all()) and self._vanishes

    @property
    def _is_sharp(self) -> bool:
        """Whether no step can be expected to make the rows less."""
        return bool((np.abs(self.F) <= ZERO_IN_ROUNDING * self._slight()).all())

    @property
    def _vanishes(self) -> bool:
        return (
            self._is_sharp or self.is_settled or bool((np.abs(self.F) <= ACCEPTED_ROUNDING * self._attainable()).all())
        )

    def _attainable(self) -> Array:
        """Residual that rounding leaves in each row: its own, and where there are too many rows, the share that it
        takes of the others' in the least squares, |1 - A A⁺| R e for A = R J D. A row that nothing changes by more than
        its rounding takes no share: scaled like the others, its noise would excuse them."""
        e = self._rounding()
        J = np.where((np.abs(self.J) @ self._sizes > e)[:, None], self.J, 0.0)
        scales = Scales.of(J)
        U = SingularValues.of(scales.rows[:, None] * J * scales.columns).U
        return e + np.abs(np.eye(len(e)) - U @ U.T) @ (scales.rows * e) / scales.rows

    def _rounding(self) -> Array:
        """Rounding errors of the rows: as supplied, or estimated from the scatter of the rows about their
        linearisation at neighbouring points (Moré and Wild 2011, *Estimating computational noise*)."""
        if self._is_sharp:
            return self._slight()
        if self.system.rounding is not None:
            return np.maximum(self.system.rounding(self.x), EPS * (np.abs(self.J) @ self._sizes))
        random, noise = np.random.default_rng(0), EPS * (np.abs(self.J) @ self._sizes)
        for _ in range(NOISE_SAMPLES):
            change = 4 * EPS * random.uniform(-1, 1, len(self.x)) * np.abs(self.x)
            scatter = np.abs(self._at(self.x + change)[0] - self.F - self.J @ change)
            noise = np.maximum(noise, np.where(np.isfinite(scatter), scatter, 0.0))
        return noise

    def _is_pole(self) -> bool:
        """Whether rows do not vanish here, but are steep beyond measure: next to a pole (the direction of a spring of
        no length) rounding excuses them, however large they are. They are as large at other points then, and do not
        follow their slopes."""
        doubtful = np.abs(self.F) > VANISHED_PART * self.first
        if not doubtful.any():
            return False
        random, sizes = Random(0), self._beside_linear(self.extent)
        largest, change, promised = (np.zeros(len(self.F)) for _ in range(3))
        for _ in range(NOISE_SAMPLES):
            step = PROBE_DISTANCE * sizes * np.array([random.uniform(-1, 1) for _ in sizes])
            F = self._at(self.x + step)[0]
            if np.isfinite(F).all():
                largest, change = np.maximum(largest, np.abs(F)), np.maximum(change, np.abs(F - self.F))
                promised = np.maximum(promised, np.abs(self.J @ step))
        is_steep = promised > np.maximum(10 * change, 0.01 * PROBE_DISTANCE * (np.abs(self.J) @ sizes))
        return bool((doubtful & is_steep & (np.abs(self.F) > ZERO_AMONG_SAMPLES * largest)).any())

    def _is_drowned(self) -> bool:
        """Whether linear unknowns are so large here that their rounding hides what the rows are without them: forces of
        1e17 N balance any weight."""
        if self.system.linear is None or not self._has_linear:
            return False
        linear, error = self.system.linear, np.maximum(np.abs(self.F), self._slight())
        about = np.abs(self.F - self.J @ np.where(linear, self.x, 0.0))  # off by rounding, which is what is looked for
        if (error <= VANISHED_PART * np.max(about, initial=0.0)).all():
            return False
        x = np.where(linear, 0.0, self.x)
        others, slopes = self._at(x)
        doubtful = error > VANISHED_PART * np.max(np.abs(others), initial=0.0)
        typical = 0.0 if self.system.typical is None else self.system.typical
        known = EPS * (np.abs(slopes) @ np.maximum(np.abs(x), typical))
        known = known if self.system.rounding is None else np.maximum(known, self.system.rounding(x))
        return bool((doubtful & (error > ACCEPTED_ROUNDING * known)).any())

    # ------------------------------------------------------------------------------------------------ steps

    def _contracts(self) -> bool:
        """Whether plain steps lead to a zero, each of them a fraction of the one before: next to a zero nothing else is
        needed. If not, the search is where it was."""
        if self.system.lower is not None or self.system.upper is not None or self.system.max_steps < MAX_PLAIN_STEPS:
            return False
        before, began = np.inf, (self.x, self.F, self.J, self.extent)
        for k in range(MAX_PLAIN_STEPS):
            here = self.system.linearised(self.F, self.J, self._scales_here())
            change = here.with_linear(-here.correction(self.F, 0.0))
            length, reach = here.length(change), self.system.reach
            is_plain = length <= MAX_CONTRACTION * before and (reach is None or bool((np.abs(change) <= reach).all()))
            if not is_plain or not self._move_to(self.x + change):
                break
            if self._is_sharp:
                self.steps = k + 1
                return True
            before = length
        self.x, self.F, self.J, self.extent = began
        return False

    def _move_to(self, x: Array) -> bool:
        """Move the search to another point if rows have values there; returns whether they have."""
        F, J = self._at(x)
        is_finite = bool(np.isfinite(F).all() and np.isfinite(J).all())
        if is_finite:
            self.x, self.F, self.J, self.extent = x, F, J, np.maximum(self.extent, np.abs(x))
        return is_finite

    def _linearisation(self) -> Linearisation:
        if self.scales is None:
            self.scales = Scales.of(self.J, self.system.sizes)
        elif not self.must_descend:
            self.scales = self.scales.following(self.J)
        here = self.system.linearised(self.F, self.J, self.scales)
        self.most_rank = max(self.most_rank, here.rank)
        return here

    def _settle_linear(self) -> None:
        self._move_to(self.x + self._linearisation().with_linear(np.zeros(len(self.x))))

    def _advance(self) -> bool:
        """One step, with as many trial radii as it takes; False if none is accepted."""
        here = self._linearisation()
        if here.reachable < STATIONARY_PART:
            return False
        for _ in range(MAX_TRIALS):
            here, change, damping = self._within_bounds(here)
            length = here.length(change)
            whole = here.with_linear(change)
            if length <= EPS * here.length(self.x):
                self.is_settled = self._explains(whole)
                return False
            F, J = self._at(self.x + whole)
            if self._is_taken(here, whole, damping, F, J):
                self._take(here, whole, F, J)
                return True
            extent = here.length(self.x) + here.length(self.x - self.start)
            self.may_cross = self.may_cross or self.radius <= CROSSING_RADIUS * extent
            if self.radius <= MIN_RADIUS * extent or (damping == 0 and length <= 1e-4 * extent and self._vanishes):
                return False
        return False

    def _explains(self, change: Array) -> bool:
        """Whether a change that is negligible relative to the unknowns would make the rows vanish to rounding."""
        return bool((np.abs(self.F + self.J @ change) <= ACCEPTED_ROUNDING * self._attainable()).all())

    def _take(self, here: Linearisation, change: Array, F: Array, J: Array) -> None:
        self.x, self.F, self.J, self.steps = self.x + change, F, J, self.steps + 1
        self.extent = np.maximum(self.extent, np.abs(self.x))
        self.track = [*self.track[-CIRCLE_STEPS:], change]
        way, path = here.length(np.sum(self.track, axis=0)), sum(map(here.length, self.track))
        self.must_descend = self.must_descend or (len(self.track) > CIRCLE_STEPS and way < 0.25 * path)

    def _is_taken(self, here: Linearisation, change: Array, damping: float, F: Array, J: Array) -> bool:
        """Whether a step is taken; sets the radius of the next trial."""
        if not (np.isfinite(F).all() and np.isfinite(J).all()):
            self.radius = here.length(change) / 8
            return False
        if self.must_descend:
            return self._descends(here, change, F)
        if not self._follows(here, change, damping, F):
            return False
        if not self.may_cross and here.is_turned(J):
            self.radius = here.length(change) / 2
            return False
        return True

    def _follows(self, here: Linearisation, change: Array, damping: float, F: Array) -> bool:
        """Whether a step stays near the path of its linearisation; the next radius by how far it does.

        |G R (F(x⁺) - F - J Δx)| / |Δx|  is  ½ ω |Δx|, ω being the curvature of the rows as the unknowns see it
        """
        length, promise = here.length(change), self.F + self.J @ change
        level, promised, found, apart = (
            here.length(here.correction(f, damping)) for f in (self.F, promise, F, F - promise)
        )
        gain = (level - found) / (level - promised) if level > promised else 0.0
        follows = apart <= 0.5 * length and gain >= 0.1
        factor = 0.25 * length / max(apart, 1e-3 * length) if np.isfinite(apart) else 0.0
        least, most = (0.5, 4.0) if follows and gain >= 0.25 else (1e-3, 0.5)
        self.radius = length * min(max(factor, least), most)
        return follows

    def _descends(self, here: Linearisation, change: Array, F: Array) -> bool:
        """Whether |R F| falls by a sufficient part of the predicted decrease: the test once steps circle around a
        point where rows become dependent and do not vanish."""
        level, promised, found = (float(np.linalg.norm(here.R * f)) ** 2 for f in (self.F, self.F + self.J @ change, F))
        gain = (level - found) / (level - promised) if level - promised > STATIONARY_GAIN * level else 0.0
        self.radius = here.length(change) * (3.0 if gain > 0.75 else 1.0 if gain > 0.25 else 0.3)
        return gain >= 0.01

    def _within_bounds(self, here: Linearisation) -> tuple[Linearisation, Array, float]:
        """The step, with unknowns held that are at a bound and would leave it; cut where it meets another bound."""
        while True:
            damping = here.damping(self.radius)
            change = -here.correction(self.F, damping)
            if self.system.reach is not None:
                change = change / max(1.0, float(np.max(np.abs(change) / self.system.reach, initial=0.0)))
            inside = self.system.inside(self.x + change) - self.x
            held = here.moving & self.system.leaves(self.x, change)
            if not held.any():
                return here, np.where(here.moving, inside, 0.0), damping
            here = replace(here, moving=here.moving & ~held)

    # ------------------------------------------------------------------------------------------------ endings

    def _outcome_without_step(self) -> SolverOutcome:
        here = self._linearisation()
        if self.system.leaves(self.x, -here.correction(self.F, 0.0)).any():
            return SolverOutcome.BOUNDED
        return SolverOutcome.SINGULAR if here.rank < self.most_rank else SolverOutcome.LOCAL_MINIMUM

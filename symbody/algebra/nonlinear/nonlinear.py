"""Zeros of nonlinear systems with enough, too many or too few rows: the one solver of the package.

Newton's method in a trust region that is judged in units of the unknowns (Deuflhard 2004, *Newton Methods for Nonlinear
Problems*, ch. 3, 4), with steps of Levenberg and Marquardt:

    A = R J D,   p(μ) = -G R F,   G = (AᵀA + μ)⁻¹ Aᵀ,   |p(μ)| ≤ Δ,   x⁺ = x + D p

A step is taken where the simplified correction |G R F(x⁺)| is enough below |G R F(x)|, and near what the linearised
rows promise. For μ = 0 that test does not change when rows are multiplied by any regular matrix: a spring of 1e9 N/m
beside one of 1e2 N/m makes no narrow valley that steps have to creep along, as it does for |F|. As μ grows it becomes
the descent of |R F|.

Nothing here knows mechanics. What happens is an outcome, not an exception.
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

STEPS: Final = 100
TRIALS: Final = 40  # of one step
SLIDES: Final = 60
NEIGHBOURS: Final = 4  # points at which rounding is looked at
SHARP: Final = 2.0  # a row is zero, and no step could make it more so, below this many units of its rounding
ROUNDED: Final = 450.0  # a row counts as zero below this many, where no step made it less (1e-13 of its terms)
# rows are let go through dependence where the radius falls below this part of the unknowns, or of the way so far
CLOSE: Final = 1e-2
TINY: Final = 1e-140  # squares of smaller numbers are zero: no length could be computed
SUSPECT: Final = 1e-7  # rows with slopes below this part of the largest are looked at: units, or rounding
STILL: Final = 1e-7  # |R F| is stationary where no more than this part of it can be changed
FRESH: Final = 2  # times that scales are made anew where no step leads on
TURNS: Final = 10  # steps that make a circle where they lead back to a quarter of their length
FLAT: Final = 1e-12  # |R F|² is stationary where a step promises no more than this part of it
PLAIN: Final = 8  # steps of Newton's method as it is, next to a zero
CONTRACTION: Final = 0.1
SMALL: Final = 1e-8  # rows below this part of what their slopes make of the unknowns may be rounding
FALLEN: Final = 1e-6  # a row that has become less than this part of what it was at the start vanishes
BESIDE: Final = 1e-2  # of the unknowns: how far from a zero rows are looked at,
VANISHED: Final = 1e-3  # of which they are a smaller part where they vanish
SHRUNK: Final = 1e-10  # no way leads on where the radius is below this part of the unknowns, or of the way so far


class SolverOutcome(Enum):
    """How a search ended."""

    CONVERGED = "the rows vanish to rounding"
    LOCAL_MINIMUM = (
        "stuck at a local minimum: the rows contradict each other there, and no small step brings them nearer to zero"
    )
    SINGULAR = (
        "stuck where rows that were independent on the way are so no longer, and no small step brings them "
        "nearer to zero"
    )
    POLE = "the rows change their signs where they jump, at a pole, and do not vanish there"
    UNTRUE = "the rows vanish where the unknowns are singular and do not see all that must vanish"
    BOUNDED = "bounds are in the way: rows could be brought nearer to zero only beyond them"
    NOT_FINITE = "rows or slopes have no finite value at the start"
    TOO_MANY_STEPS = "too many steps: the rows still come nearer to zero, or turn in a circle"


@dataclass(frozen=True)
class Solution:
    """Where a search ended, and what is known there.

    x             the unknowns
    F, J          rows and their slopes there
    outcome       how the search ended
    steps         taken
    evaluations   of rows and slopes
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
    sizes          what one step is for each unknown: distances are |x / sizes|. Without: found from J, whatever the
                   units are
    lower, upper   bounds
    linear         unknowns in which rows are linear at fixed others; they start where they are best, and no distance
                   counts them
    rounding       x -> for each row, a bound of its rounding error; without, it is estimated
    slope_rounding x, sizes beside which it is rounded -> the same for the entries of J; without, they are taken as they
    are
    radius         of the first step, in these distances
    reach          how far a step may change each unknown: beyond a part of a turn, slopes of angles say nothing
    typical        sizes of unknowns beside which smaller numbers are rounded: angles are known to 1e-16, not to 1e-16
                   of themselves
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
    max_steps: int = STEPS

    def zero(self, start: Array) -> Solution:
        """A zero, reached from the start by following the path on which all rows go to zero together."""
        with np.errstate(all="ignore"):  # places without values are stepped back from
            return _TrustRegionSearch(self, start).solution()

    def close_zero(self, start: Array) -> Solution | None:
        """The zero that plain steps of Newton's method lead to, each of them a fraction of the one before; None where
        they do not."""
        with np.errstate(all="ignore"):
            return _TrustRegionSearch(self, start).close_solution()

    def settled(self, start: Array) -> Array:
        """The start, with linear unknowns where they are best."""
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
        for _ in range(SLIDES):
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
    """A point, its rows and slopes, and the trust region around it."""

    def __init__(self, system: System, start: Array) -> None:
        self.system = system
        self.radius = system.radius
        self.steps = self.evaluations = self.most_rank = 0
        self.x = system.inside(np.where(np.abs(start) < TINY, 0.0, start).astype(np.float64))
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
            outcome = SolverOutcome.POLE if self._is_pole() else outcome
        rounding = self._attainable if self.is_finite else lambda: np.zeros(len(self.F))
        return Solution(self.x, self.F, self.J, rounding, outcome, self.steps, self.evaluations)

    def close_solution(self) -> Solution | None:
        if not self.is_finite:
            return None
        self._clear_slopes()
        if not (self._is_solved or self._contracts()):
            return None
        self._clear_slopes()
        if self._is_pole():
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
                    return self._stuck()
        return SolverOutcome.CONVERGED

    def _scaled_anew(self) -> bool:
        """Forget scales that slopes elsewhere have left behind, and go on from here; False where that has been done
        often enough."""
        if self.fresh_scales >= FRESH or self.scales is None:
            return False
        self.fresh_scales += 1
        self.scales, self.radius, self.track = None, self.system.radius, []
        self.may_cross = self.must_descend = False
        return True

    def _clear_slopes(self) -> bool:
        """Make zeros of slopes that are nothing but rounding, such as cos(π/2): what they seem to ask for is noise.
        Whether there were any.

        They are looked for where rows, or columns beside the rest of their rows, have suspiciously small slopes, since
        that costs more than many steps.
        """
        if self.system.slope_rounding is None or not self._has_suspects():
            return False
        before, sizes = self.scales, self._sizes
        self.scales = before  # none are made of slopes that are still to be cleared
        self.floor = 8 * self.system.slope_rounding(self.x, sizes)
        cleared = np.where(np.abs(self.J) <= self.floor, 0.0, self.J)
        is_new, self.J = bool((cleared != self.J).any()), cleared
        return is_new

    def _has_suspects(self) -> bool:
        A = np.abs(self.J)
        rows = A.max(axis=1, initial=0.0)
        columns = np.max(A / np.where(rows > 0, rows, 1.0)[:, None], axis=0, initial=0.0)
        is_faint = [(x > 0) & (x < limit) for x, limit in ((rows, SUSPECT * rows.max(initial=0.0)), (columns, SUSPECT))]
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
        """Sizes beside which unknowns are rounded. Linear ones come from elimination, which is exact to a part of the
        largest of them, in units of the scales: a multiplier that is zero beside others of 1e3 N is 1e-13 N."""
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
        if not self.x.any() and self.system.rounding is not None:  # nothing has a size by which to know what is small
            return bool((np.abs(self.F) <= self.system.rounding(self.x)).all())
        return bool((np.abs(self.F) <= SMALL * (np.abs(self.J) @ self._sizes)).all()) and self._vanishes

    @property
    def _is_sharp(self) -> bool:
        """Whether no step can be expected to make the rows less."""
        return bool((np.abs(self.F) <= SHARP * self._slight()).all())

    @property
    def _vanishes(self) -> bool:
        return self._is_sharp or self.is_settled or bool((np.abs(self.F) <= ROUNDED * self._attainable()).all())

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
        """Rounding errors of the rows: as told, or seen in how rows scatter about their linearisation at points next to
        this one (Moré and Wild 2011, *Estimating computational noise*)."""
        if self._is_sharp:
            return self._slight()
        if self.system.rounding is not None:
            return np.maximum(self.system.rounding(self.x), EPS * (np.abs(self.J) @ self._sizes))
        random, noise = np.random.default_rng(0), EPS * (np.abs(self.J) @ self._sizes)
        for _ in range(NEIGHBOURS):
            change = 4 * EPS * random.uniform(-1, 1, len(self.x)) * np.abs(self.x)
            scatter = np.abs(self._at(self.x + change)[0] - self.F - self.J @ change)
            noise = np.maximum(noise, np.where(np.isfinite(scatter), scatter, 0.0))
        return noise

    def _is_pole(self) -> bool:
        """Whether rows do not vanish here, but are steep beyond measure: next to a pole (the direction of a spring of
        no length) rounding excuses them, however large they are. They are as large at other points then, and do not
        follow their slopes."""
        doubtful = np.abs(self.F) > FALLEN * self.first
        if not doubtful.any():
            return False
        random, sizes = Random(0), self._beside_linear(self.extent)
        largest, change, promised = (np.zeros(len(self.F)) for _ in range(3))
        for _ in range(NEIGHBOURS):
            step = BESIDE * sizes * np.array([random.uniform(-1, 1) for _ in sizes])
            F = self._at(self.x + step)[0]
            if np.isfinite(F).all():
                largest, change = np.maximum(largest, np.abs(F)), np.maximum(change, np.abs(F - self.F))
                promised = np.maximum(promised, np.abs(self.J @ step))
        is_steep = promised > np.maximum(10 * change, 0.01 * BESIDE * (np.abs(self.J) @ sizes))
        return bool((doubtful & is_steep & (np.abs(self.F) > VANISHED * largest)).any())

    # ------------------------------------------------------------------------------------------------ steps

    def _contracts(self) -> bool:
        """Whether plain steps lead to a zero, each of them a fraction of the one before: next to a zero nothing else is
        needed. If not, the search is where it was."""
        if self.system.lower is not None or self.system.upper is not None or self.system.max_steps < PLAIN:
            return False
        before, began = np.inf, (self.x, self.F, self.J, self.extent)
        for k in range(PLAIN):
            here = self.system.linearised(self.F, self.J, self._scales_here())
            change = here.with_linear(-here.correction(self.F, 0.0))
            length, reach = here.length(change), self.system.reach
            is_plain = length <= CONTRACTION * before and (reach is None or bool((np.abs(change) <= reach).all()))
            if not is_plain or not self._moved(self.x + change):
                break
            if self._is_sharp:
                self.steps = k + 1
                return True
            before = length
        self.x, self.F, self.J, self.extent = began
        return False

    def _moved(self, x: Array) -> bool:
        """Whether rows have values at another point; if so, the search is there."""
        F, J = self._at(x)
        is_finite = bool(np.isfinite(F).all() and np.isfinite(J).all())
        if is_finite:
            self.x, self.F, self.J, self.extent = x, F, J, np.maximum(self.extent, np.abs(x))
        return is_finite

    def _linearised(self) -> Linearisation:
        if self.scales is None:
            self.scales = Scales.of(self.J, self.system.sizes)
        elif not self.must_descend:
            self.scales = self.scales.following(self.J)
        here = self.system.linearised(self.F, self.J, self.scales)
        self.most_rank = max(self.most_rank, here.rank)
        return here

    def _settle_linear(self) -> None:
        self._moved(self.x + self._linearised().with_linear(np.zeros(len(self.x))))

    def _advance(self) -> bool:
        """One step, with as many trials as it takes; False where none leads on."""
        here = self._linearised()
        if here.reachable < STILL:
            return False
        for _ in range(TRIALS):
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
            self.may_cross = self.may_cross or self.radius <= CLOSE * extent
            if self.radius <= SHRUNK * extent or (damping == 0 and length <= 1e-4 * extent and self._vanishes):
                return False
        return False

    def _explains(self, change: Array) -> bool:
        """Whether a change that is nothing beside the unknowns would make the rows vanish to rounding."""
        return bool((np.abs(self.F + self.J @ change) <= ROUNDED * self._attainable()).all())

    def _take(self, here: Linearisation, change: Array, F: Array, J: Array) -> None:
        self.x, self.F, self.J, self.steps = self.x + change, F, J, self.steps + 1
        self.extent = np.maximum(self.extent, np.abs(self.x))
        self.track = [*self.track[-TURNS:], change]
        way, path = here.length(np.sum(self.track, axis=0)), sum(map(here.length, self.track))
        self.must_descend = self.must_descend or (len(self.track) > TURNS and way < 0.25 * path)

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
        """Whether |R F| falls by enough of what is promised: the test where steps have begun to turn in circles, about
        a place where rows become dependent and none of them vanishes."""
        level, promised, found = (float(np.linalg.norm(here.R * f)) ** 2 for f in (self.F, self.F + self.J @ change, F))
        gain = (level - found) / (level - promised) if level - promised > FLAT * level else 0.0
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

    def _stuck(self) -> SolverOutcome:
        here = self._linearised()
        if self.system.leaves(self.x, -here.correction(self.F, 0.0)).any():
            return SolverOutcome.BOUNDED
        return SolverOutcome.SINGULAR if here.rank < self.most_rank else SolverOutcome.LOCAL_MINIMUM

"""`identify`: parameters from measured motions, by Gauss-Newton iterations on a chain of shooting segments.

    minimise  Σ ((y_i - h(t_i, w, p)) / σ_i)²      so that segments meet

(H. G. Bock, Numerical treatment of inverse problems in chemical reaction kinetics, 1981). With short segments the
states stay near the measurements, so that the iteration converges from parameters with which one long motion would be
far off, also for unstable and chaotic motions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ...derivation.equations.equation_arguments import of_equations
from ...derivation.equations.equations import Equations
from ...emit.run.callable import Array
from ...errors import StudyError, existing, finite_number, in_number, listed, shown
from .condensing import CondensedChain, LinearLeastSquares, condensed_chain, joined_rows, step_by_experiment
from .experiment import Experiment, experiments
from .identification import Identification
from .measurement import measurements_of

CONVERGENCE_TOLERANCE: Final = 1e-10  # relative change of the sum of squares that counts as converged
MAX_GAP: Final = 1e-7  # largest gap between segments in units of 1 + |w|
MAX_HALVINGS: Final = 3  # largest number of step halvings
DAMPINGS: Final = (0.0, 1e-4, 1e-2, 1.0, 100.0)  # damping factors of a step, tried in turn when undamped steps fail
ROUNDING: Final = 1e-10  # relative rounding error of a sum of squares
MAX_ROUNDS: Final = 8  # largest number of estimates of the noise of each quantity


@of_equations
def identify(
    equations: Equations,
    measured: Any,
    free: Mapping[Any, float] | Iterable[Any],
    *,
    values: Mapping[Any, float] | None = None,
    noise: Mapping[Any, float] | float | None = None,
    bounds: Mapping[Any, tuple[float, float]] | None = None,
    segments: int | None = None,
    max_steps: int = 50,
    rtol: float = 1e-9,
    options: Mapping[str, Any] | None = None,
) -> Identification:
    """Parameters of a model from measured motions: `identify(eq, {"t": t, "theta": theta}, {"l": 1.0, "c": 0.1})`.

    measured   a `Measurement`, several of them (experiments with starts and inputs of their own), or a mapping with
               times `t` and values by name
    free       parameters to find, with initial guesses; a name alone starts from the value of the model
    values     of other parameters, if they differ from the model
    noise      the standard deviation of each measured quantity, by name, or one number for all; by default it is
               estimated from the residuals
    bounds     (least, greatest) of parameters, by name
    segments   of each motion; by default at most 8, with at least four times in each. Use more for unstable or chaotic
               motions
    max_steps  of the iteration
    rtol       tolerance of the motions; `options` has others of `simulate`

    The state at the first time is also unknown, except for the values in `held` of a measurement. Derivatives are exact
    (variational equations).

    >>> x, k = sb.symbol("x", "variable"), sb.symbol("k")
    >>> eq = sb.from_equations({x: -k * x}, {k: 1.0})
    >>> t = np.linspace(0.0, 2.0, 9)
    >>> found = sb.identify(eq, {"t": t, "x": 3.0 * np.exp(-0.7 * t)}, {"k": 1.0})
    >>> found.values
    {'k': 0.7}

    See also: `study.Identification`, `Measurement`, `study.objective`.
    """
    asked = _problem(equations, measured, free, values or {}, {"rtol": rtol, "atol": rtol, **(options or {})}, segments)
    low, high = _bounds(asked, bounds or {})
    given = None if noise is None else _noise(asked, noise)
    weights = 1 / _noise(asked, _spreads(asked)) if given is None else 1 / given
    at = _FitPoint(asked.guess, [e.first_nodes for e in asked.experiments])
    steps = 0
    for _ in range(MAX_ROUNDS):
        fit = _GaussNewton(asked, weights, low, high)
        at, steps, is_converged = fit.solved(at, max_steps, steps)
        if given is not None or not is_converged:
            break
        found = _estimated_noise(asked, at, weights)
        is_settled = np.allclose(found * weights / np.mean(found * weights), 1, atol=1e-3)
        weights = 1 / found
        if is_settled or len(asked.names) == 1:
            break
    return _result(asked, at, weights, given is not None, (low, high), steps, is_converged)


# -------------------------------------------------------------------------------------------------------- requests


@dataclass(frozen=True)
class _IdentificationProblem:
    experiments: tuple[Experiment, ...]
    free: tuple[str, ...]
    guess: Array

    @property
    def name(self) -> str:
        return self.experiments[0].equations.name

    @property
    def names(self) -> tuple[Any, ...]:
        """Measured quantities of all experiments."""
        return tuple(dict.fromkeys(k for e in self.experiments for k in e.measured.values))

    def free_starts(self, e: Experiment) -> Any:
        return np.array([k for k, n in enumerate(e.independent[0]) if n not in e.measured.held], dtype=np.intp)

    def columns(self, e: Experiment, by_name: Array) -> Array:
        """Numbers of the quantities of an experiment."""
        return np.array([by_name[self.names.index(k)] for k in e.measured.values])


def _problem(
    eq: Equations,
    measured: Any,
    free: Any,
    values: Mapping[Any, float],
    options: Mapping[str, Any],
    segments: int | None,
) -> _IdentificationProblem:
    where, table = f"identify {eq.name!r}", eq.variables.of("p")
    given = dict(free) if isinstance(free, Mapping) else dict.fromkeys([free] if isinstance(free, str) else free)
    unknowns = {table.symbol(k, where, StudyError): v for k, v in given.items()}
    if not unknowns:
        raise StudyError(f"{where}: no parameter is free; {existing(table.names)}")
    numbers = {
        s: table.defaults.get(s) if v is None else finite_number(v, f"{where}: {s.name}", StudyError)
        for s, v in unknowns.items()
    }
    if missing := [s.name for s, v in numbers.items() if v is None]:
        raise StudyError(f"{where}: no initial guess for {listed(missing)}; give one: free={{{missing[0]!r}: 1.0}}")
    fixed = {s.name: v for s, v in table.numbers(values, where, StudyError).items()}
    if twice := [s.name for s in numbers if s.name in fixed]:
        raise StudyError(
            f"{where}: {in_number(twice, '{} is free, and has a value', '{} are free, and have values')}; leave one of the two out"
        )
    if segments is not None and (not isinstance(segments, int) or segments < 1):
        raise StudyError(f"{where}: segments must be a whole number of at least 1, got {shown(segments)}")
    guess = {s.name: float(v) for s, v in numbers.items() if v is not None}
    made = experiments(eq, measurements_of(measured), guess, fixed, segments, options)
    return _IdentificationProblem(made, tuple(guess), np.array(list(guess.values())))


def _bounds(asked: _IdentificationProblem, bounds: Mapping[Any, tuple[float, float]]) -> tuple[Array, Array]:
    low, high = np.full(len(asked.free), -np.inf), np.full(len(asked.free), np.inf)
    for key, (least, greatest) in bounds.items():
        name = str(getattr(key, "name", key))
        if name not in asked.free:
            raise StudyError(
                f"identify {asked.name!r}: {name} has bounds, but is not free; free are {listed(asked.free)}"
            )
        k = asked.free.index(name)
        low[k], high[k] = float(least), float(greatest)
        if not low[k] <= asked.guess[k] <= high[k]:
            raise StudyError(
                f"identify {asked.name!r}: the initial guess {name} = {asked.guess[k]:z.6g} is not between its bounds {least:g} and {greatest:g}"
            )
    return low, high


def _noise(asked: _IdentificationProblem, noise: Mapping[Any, float] | float) -> Array:
    """The deviation of each measured quantity."""
    if not isinstance(noise, Mapping):
        noise = dict.fromkeys(asked.names, noise)
    if missing := [str(n) for n in asked.names if n not in noise]:
        raise StudyError(f"identify {asked.name!r}: no noise is given for {listed(missing)}")
    found = np.array(
        [finite_number(noise[n], f"identify {asked.name!r}: noise of {n}", StudyError) for n in asked.names]
    )
    if (found <= 0).any():
        raise StudyError(f"identify {asked.name!r}: a standard deviation must be positive, got {listed(found)}")
    return found


def _spreads(asked: _IdentificationProblem) -> dict[Any, float]:
    """The size of each quantity, where its noise is not known."""
    out = {}
    for name in asked.names:
        found = np.concatenate([e.measured.values[name] for e in asked.experiments if name in e.measured.values])
        spread = float(np.nanstd(found))
        out[name] = spread if spread > 0 else max(1.0, float(np.nanmax(np.abs(found))))
    return out


# -------------------------------------------------------------------------------------------------------- the iteration


@dataclass(frozen=True)
class _FitPoint:
    """Parameters, and w at the beginning of each segment of each experiment."""

    p: Array
    nodes: list[Array]

    def moved(self, dp: Array, dw: Sequence[Array], part: float) -> _FitPoint:
        return _FitPoint(self.p + part * dp, [w + part * d for w, d in zip(self.nodes, dw, strict=True)])


@dataclass(frozen=True)
class _FitRows:
    """The rows of the least-squares problem at a point."""

    chains: list[CondensedChain]
    rows: LinearLeastSquares
    residuals: Array
    gaps: Array

    def multipliers(self, left: Array) -> Array:
        """Of all gaps, where `left` are the residuals after a step."""
        cuts = np.cumsum([len(c.rhs) for c in self.chains])[:-1]
        return np.concatenate([c.multipliers(part) for c, part in zip(self.chains, np.split(left, cuts), strict=True)])

    def merit(self, price: float) -> float:
        return 0.5 * float(self.residuals @ self.residuals) + price * float(np.abs(self.gaps).sum())


@dataclass(frozen=True)
class _GaussNewton:
    """Gauss-Newton iterations with given weights; steps are halved until a merit function of the sum of squares and
    the weighted gaps decreases. (The result is a constrained minimum, not a zero as the solver of `algebra/nonlinear`
    finds.)"""

    asked: _IdentificationProblem
    weights: Array
    low: Array
    high: Array

    def look(self, at: _FitPoint) -> _FitRows | str:
        chains = []
        for e, nodes in zip(self.asked.experiments, at.nodes, strict=True):
            shots = e.shots(nodes, at.p)
            if isinstance(shots, str):
                return shots
            y = np.stack(list(e.measured.values.values()), axis=1)
            chains.append(condensed_chain(shots, nodes, y, self.asked.columns(e, self.weights)))
        starts = [self.asked.free_starts(e) for e in self.asked.experiments]
        rows = joined_rows(chains, starts)
        return _FitRows(
            chains, rows, np.concatenate([c.residuals for c in chains]), np.concatenate([c.gaps for c in chains])
        )

    def solved(self, at: _FitPoint, most: int, steps: int) -> tuple[_FitPoint, int, bool]:
        here = self.look(at)
        if isinstance(here, str):
            raise StudyError(
                f"identify {self.asked.name!r}: with the initial guess a motion does not reach its end: {here}; change the guess, or use more segments"
            )
        price = 0.0
        while steps < most:
            steps += 1
            dp, dw, change = self._step(at, here)
            if self._is_converged(at, here, change):
                return at.moved(dp, dw, 1.0), steps, True
            following, price = self._following(at, here, price)
            if following is None:
                return at, steps, False
            at, here = following
        return at, steps, False

    def _following(
        self, at: _FitPoint, here: _FitRows, price: float
    ) -> tuple[tuple[_FitPoint, _FitRows] | None, float]:
        """The next point: by the whole step or parts of it, then by steps that are damped more and more."""
        gap = float(np.abs(here.gaps).sum())
        for damping in DAMPINGS:
            dp, dw, change = self._step(at, here, damping)
            slope = float(here.residuals @ change)
            price = max(
                price,
                *(2 * x for x in np.abs(here.multipliers(here.residuals + change))),
                2 * slope / gap if gap > 0 else 0.0,
            )
            found = self._shorter(at, here, (dp, dw), (price, price * gap - slope))
            if found is not None:
                return found, price
        return None, price

    def _step(self, at: _FitPoint, here: _FitRows, damping: float = 0.0) -> tuple[Array, list[Array], Array]:
        """δp, δw, and the change of the residuals that they promise."""
        starts = [self.asked.free_starts(e) for e in self.asked.experiments]
        others = np.full(here.rows.M.shape[1] - len(at.p), np.inf)
        low, high = np.concatenate([self.low - at.p, -others]), np.concatenate([self.high - at.p, others])
        step = here.rows.step(low, high, damping)
        dp, dw = step_by_experiment(step, len(at.p), here.chains, starts)
        promised = here.rows.rhs - here.rows.M @ step
        return dp, dw, promised - here.residuals

    def _is_converged(self, at: _FitPoint, here: _FitRows, change: Array) -> bool:
        sizes = np.concatenate([np.broadcast_to(1 + np.abs(w[1:]), w[1:].shape).reshape(-1) for w in at.nodes])
        meets = bool((np.abs(here.gaps) <= MAX_GAP * sizes).all())
        rounding = 1e-9 * np.sqrt(len(here.residuals)) * float(self.weights.max() / self.weights.min())
        return meets and float(np.linalg.norm(change)) <= max(
            np.sqrt(CONVERGENCE_TOLERANCE) * float(np.linalg.norm(here.residuals)), rounding
        )

    def _shorter(
        self, at: _FitPoint, here: _FitRows, step: tuple[Array, list[Array]], promise: tuple[float, float]
    ) -> tuple[_FitPoint, _FitRows] | None:
        """The longest of the halved steps that gives a part of the decrease that its beginning promises, but for
        rounding."""
        price, decrease = promise
        wanted, part = here.merit(price), 1.0
        for _ in range(MAX_HALVINGS):
            there = at.moved(*step, part)
            found = self.look(there)
            if not isinstance(found, str) and found.merit(price) <= wanted - 1e-4 * part * decrease + ROUNDING * wanted:
                return there, found
            part *= 0.5
        return None


# ---------------------------------------------------------------------------------------------------------- the result


def _residuals(asked: _IdentificationProblem, at: _FitPoint) -> list[dict[Any, Array]]:
    """Measured less computed, by quantity, of each experiment."""
    out = []
    for e, nodes in zip(asked.experiments, at.nodes, strict=True):
        shots = e.shots(nodes, at.p)
        if isinstance(shots, str):
            raise StudyError(f"identify {asked.name!r}: {shots}")
        y = np.concatenate([s.y for s in shots])
        out.append({name: values - y[:, j] for j, (name, values) in enumerate(e.measured.values.items())})
    return out


def _estimated_noise(asked: _IdentificationProblem, at: _FitPoint, weights: Array) -> Array:
    """Root mean squares of the residuals of each quantity; of those without any, rounding."""
    found = _residuals(asked, at)
    out = []
    for name, weight in zip(asked.names, weights, strict=True):
        r = np.concatenate([x[name] for x in found if name in x])
        out.append(max(float(np.sqrt(np.nanmean(r**2))), 1e-12 / float(weight)))
    return np.array(out)


def _result(
    asked: _IdentificationProblem,
    at: _FitPoint,
    weights: Array,
    knows_noise: bool,
    bounds: tuple[Array, Array],
    steps: int,
    is_converged: bool,
) -> Identification:
    fit = _GaussNewton(asked, weights, *bounds)
    here = fit.look(at)
    assert isinstance(here, _FitRows)
    C, lost = here.rows.covariance()
    freedom = len(here.residuals) - here.rows.M.shape[1]
    s2 = 1.0 if knows_noise else float(here.residuals @ here.residuals) / max(freedom, 1)
    names, numbers = _unknowns(asked, at)
    starts = []
    for e, nodes in zip(asked.experiments, at.nodes, strict=True):
        near = {s.name: float(e.guesses[0][s]) for s in e.equations.state}
        w = dict(zip(e.independent[0], map(float, nodes[0]), strict=True))
        starts.append(e.state(w, near, dict(zip(asked.free, map(float, at.p), strict=True)), 0))
    touching = tuple(n for n, x, a, b in zip(asked.free, at.p, *bounds, strict=True) if x <= a or x >= b)
    noise = {str(n): float(np.sqrt(s2) / w) for n, w in zip(asked.names, weights, strict=True)}
    said = f"converged in {steps} steps" if is_converged else f"no convergence in {steps} steps"
    return Identification(
        asked.name, dict(zip(asked.free, map(float, at.p), strict=True)), names, numbers, C * s2, tuple(n for n, bad in zip(names, lost, strict=True) if bad),
        noise, knows_noise, tuple({str(k): v for k, v in r.items()} for r in _residuals(asked, at)), tuple(starts), freedom, steps, is_converged, said, touching,
    )  # fmt: skip


def _unknowns(asked: _IdentificationProblem, at: _FitPoint) -> tuple[tuple[str, ...], Array]:
    names, numbers = list(asked.free), list(map(float, at.p))
    for j, (e, nodes) in enumerate(zip(asked.experiments, at.nodes, strict=True)):
        for k in asked.free_starts(e):
            names.append(f"{e.independent[0][k]}_start" + (f"[{j}]" if len(asked.experiments) > 1 else ""))
            numbers.append(float(nodes[0][k]))
    return tuple(names), np.array(numbers)

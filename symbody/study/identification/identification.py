"""`Identification`: identified parameters with their uncertainty."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri, stdtrit

from ...argument_kinds import answered_class
from ...emit.run.callable import Array
from ...errors import StudyError, unknown
from ...integrate.start.state import State
from ...summary import SearchOutcome, Summarized, Summary, listing, summary_rows


@answered_class
@dataclass(frozen=True, eq=False, repr=False)
class Identification(Summarized):
    """The result of `identify`.

    values            estimated parameter values, by name
    names             of all unknowns: the parameters, then the initial values (`theta_start`; `theta_start[1]` for the
                      second experiment)
    covariance        of the unknowns, in that order; infinite if the measurements do not determine one
    undetermined      names of these unknowns
    noise             standard deviation of each measured quantity: as given, or estimated from the residuals
    residuals         measured minus computed values, by quantity, one array for each experiment
    starts            the state at the first time of each experiment
    freedom           degrees of freedom: number of measured values minus number of unknowns
    estimates         values of all unknowns, in the order of `names`
    has_known_noise   whether the noise was given; otherwise intervals follow Student's distribution
    is_converged      whether the search ended at a minimum; `outcome` is the sentence, `iterations` the number of
                      iterations
    at_bounds         names of unknowns that ended on a bound

    >>> x, k = sb.symbol("x", "variable"), sb.symbol("k")
    >>> eq = sb.from_equations({x: -k * x}, {k: 1.0})
    >>> t = np.linspace(0.0, 2.0, 9)
    >>> found = sb.identify(eq, {"t": t, "x": 3.0 * np.exp(-0.7 * t)}, {"k": 1.0})
    >>> found.names, found.undetermined
    (('k', 'x_start'), ())

    See also: `identify`, `Measurement`.
    """

    name: str
    values: Mapping[str, float]
    names: tuple[str, ...]
    estimates: Array
    covariance: Array
    undetermined: tuple[str, ...]
    noise: Mapping[str, float]
    has_known_noise: bool
    residuals: tuple[Mapping[str, Array], ...]
    starts: tuple[State, ...]
    freedom: int
    iterations: int
    is_converged: bool
    outcome: str
    at_bounds: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "outcome", SearchOutcome(self.outcome, self.is_converged))

    def __getitem__(self, name: str) -> float:
        return float(self.estimates[self._place(name)])

    def _place(self, name: str) -> int:
        if name not in self.names:
            raise unknown(f"identification of {self.name!r}", "unknown", name, self.names, StudyError)
        return self.names.index(name)

    def deviation(self, name: str) -> float:
        """The standard deviation of an estimate.

        >>> x, k = sb.symbol("x", "variable"), sb.symbol("k")
        >>> eq = sb.from_equations({x: -k * x}, {k: 1.0})
        >>> t = np.linspace(0.0, 2.0, 9)
        >>> found = sb.identify(eq, {"t": t, "x": 3.0 * np.exp(-0.7 * t) + 0.01 * (-1.0) ** np.arange(9)}, {"k": 1.0})
        >>> low, high = found.interval("k")
        >>> low < 0.7 < high, found.deviation("k"), found.correlation
        (True, 0.004017, array([[1.      , 0.691434],
               [0.691434, 1.      ]]))

        See also: `identify`.
        """
        k = self._place(name)
        return float(np.sqrt(self.covariance[k, k]))

    def interval(self, name: str, confidence: float = 0.95) -> tuple[float, float]:
        """The interval that holds the true value in so many of all cases, to first order: by the normal distribution
        where the noise was given, by Student's where it was estimated."""
        side = 0.5 + 0.5 * confidence
        quantile = ndtri(side) if self.has_known_noise else stdtrit(max(self.freedom, 1), side)
        half = float(quantile) * self.deviation(name)
        return self[name] - half, self[name] + half

    @property
    def correlation(self) -> Array:
        """Of the unknowns: near 1 or -1, only a combination of two is known well."""
        d = np.sqrt(np.diag(self.covariance))
        with np.errstate(invalid="ignore"):
            return np.asarray(self.covariance / np.outer(d, d))

    def _summary(self) -> Summary:
        found = {n: f"{v:z.6g} ± {self.deviation(n):z.2g}" for n, v in self.values.items()}
        more = summary_rows(
            outcome=self.outcome,
            undetermined=listing(self.undetermined),
            at_bounds=listing(self.at_bounds),
            noise=listing(f"{n} {v:z.3g}" for n, v in self.noise.items()),
        )
        return Summary(f"Identification of {self.name}: {len(self.values)} parameters", (*found.items(), *more))

"""Design of parameters for prescribed eigenvalues: Newton's method with the derivatives of the eigenvalues (Lynch
6.3, tables 6.1 and 6.2).

The iterates are part of the result, as in the tables, and each one determines which eigenvalue of the next belongs to
which target. The residuals are therefore no function of the parameters alone, which the solver of `algebra/nonlinear`
needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import linear_sum_assignment, lsq_linear

from ...algebra.graph.graph import Symbol
from ...derivation.equations.keywords import values_by_name
from ...emit.run.callable import Array
from ...errors import StabilityError, listed, unknown
from ...summary import SearchOutcome, Tabular
from ..spectra.eigenvalue_sensitivities import EigenvalueSensitivities, eigenvalue_sensitivities
from ..spectra.pencil import Complex, neat

if TYPE_CHECKING:
    from ..linear.linear_system import LinearSystem

KINDS = ("eigenvalues", "squares")


@dataclass(frozen=True)
class DesignStep:
    """One step of the iteration: parameters, the quantities they give, and their derivatives."""

    parameters: Array
    quantities: Complex
    derivatives: Complex


@dataclass(frozen=True, repr=False)
class Design(Tabular):
    """The result of a design; `steps` contains all iterates, starting with the initial values.

    values       the parameters found, by name
    reached      the quantities at these parameters, in the order of the targets
    is_reached   whether the targets are reached; `outcome` is the sentence

    >>> k, c = sb.symbols("k c")
    >>> lin = sb.linear_system([[0, 1], [-k, -c]])
    >>> found = sb.stability.design_parameters(lin, [-1.0], ["k"], k=1.0, c=3.0)
    >>> bool(found.is_reached), found.values
    (True, {'k': 2.0})

    See also: `stability.design_parameters`.
    """

    values: Mapping[str, float]
    reached: Complex
    targets: Complex
    outcome: str
    is_reached: bool
    steps: tuple[DesignStep, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "outcome", SearchOutcome(self.outcome, self.is_reached))

    def __str__(self) -> str:
        found = ", ".join(f"{k} = {v:z.8g}" for k, v in self.values.items())
        return f"Design: {self.outcome}; {found}; reached {listed(map(neat, self.reached))}"


@values_by_name(StabilityError)
def design_parameters(
    lin: LinearSystem, targets: Sequence[complex], vary: Iterable[str | Symbol], *, values: Mapping[Any, Any] | None = None, of: str = "eigenvalues",
    bounds: Mapping[str, Any] | None = None, max_steps: int = 30, options: Mapping[str, Any] | None = None, **named: float,
) -> Design:  # fmt: skip
    """Parameters `vary` for which a linear system has the eigenvalues `targets`, by Newton's method with their
    derivatives (Lynch 6.3); steps of least squares where there are more targets than parameters, of least norm where
    there are fewer.

    of          "eigenvalues", or "squares": the targets are -s² of oscillations, ω² where there is no damping
    bounds      (least, greatest) by parameter; steps end there
    max_steps   of the iteration

    >>> k, c = sb.symbols("k c")
    >>> lin = sb.linear_system([[0, 1], [-k, -c]], B=[[0], [1]], x=["x", "v"], r=["F"])
    >>> found = sb.stability.design_parameters(lin, [-1 + 2j], ["k", "c"], k=4.0, c=0.4)
    >>> {n: round(v, 6) for n, v in found.values.items()}
    {'k': 5.0, 'c': 2.0}

    See also: `stability.eigenvalue_sensitivities`, `LinearSystem.place`.
    """
    if of not in KINDS:
        raise unknown("design_parameters", "kind of target", of, KINDS, StabilityError)
    values = values or {}
    names = [lin.numbers.parameter(v).name for v in vary]
    wanted = np.asarray(targets, dtype=complex)
    low, high = _bounds(names, bounds or {})
    start = lin.numbers.values(values)
    a = np.clip([start[lin.numbers.parameter(n)] for n in names], low, high)
    done = [_quantities(lin, names, values, wanted, of, None, a)]
    while len(done) <= max_steps:
        here = done[-1]
        change = _change(here, wanted, low - here.parameters, high - here.parameters)
        if np.abs(change).max(initial=0.0) <= 1e-12 * max(1.0, np.abs(here.parameters).max(initial=0.0)):
            break
        there = _nearer(here, change, partial(_quantities, lin, names, values, wanted, of, here), wanted)
        if there is None:
            break
        done.append(there)
    last = done[-1]
    miss = float(np.abs(last.quantities - wanted).max(initial=0.0))
    reached = miss <= 1e-8 * max(np.abs(wanted).max(initial=1e-300), 1e-300)
    taken = len(done) - 1
    said = (
        f"reached in {taken} steps" if reached
        else f"not reached in {taken} steps: the largest error is {miss:z.4g}, the smallest that these parameters allow"
        if taken < max_steps
        else f"not reached in {max_steps} steps: the largest error is {miss:z.4g}; use a closer guess or allow more steps"
    )  # fmt: skip
    return Design(
        dict(zip(names, map(float, last.parameters), strict=True)), last.quantities, wanted, said, reached, tuple(done)
    )


def _nearer(here: DesignStep, change: Array, at: Callable[[Array], DesignStep], wanted: Complex) -> DesignStep | None:
    """The step, or a fraction of it if the full step increases the distance to the targets; None if no fraction
    decreases it."""
    miss = np.linalg.norm(here.quantities - wanted)
    for part in 0.5 ** np.arange(8):
        try:
            there = at(here.parameters + part * change)
        except StabilityError:  # eigenvalues meet there, or too few are left
            continue
        if np.linalg.norm(there.quantities - wanted) < miss:
            return there
    return None


def _bounds(names: Sequence[str], bounds: Mapping[str, Any]) -> tuple[Array, Array]:
    for k in bounds:
        if k not in names:
            raise unknown("design_parameters(bounds=...)", "parameter to vary", k, names, StabilityError)
    pairs = [bounds.get(n, (-np.inf, np.inf)) for n in names]
    return np.array([p[0] for p in pairs], dtype=float), np.array([p[1] for p in pairs], dtype=float)


def _quantities(
    lin: LinearSystem, names: Sequence[str], values: Mapping[str, float], wanted: Complex, of: str, before: DesignStep | None, a: Array
) -> DesignStep:  # fmt: skip
    found: EigenvalueSensitivities = eigenvalue_sensitivities(
        lin, *names, values={**values, **dict(zip(names, map(float, a), strict=True))}
    )
    s, ds = found.eigenvalues, found.derivatives
    if of == "squares":
        upper = s.imag > 1e-9 * np.abs(s).max(initial=1e-300)
        s, ds = -(s[upper] ** 2), -2 * s[upper, None] * ds[upper]
    if len(s) < len(wanted):
        raise StabilityError(
            f"design_parameters: {len(wanted)} targets, but the system has only {len(s)} {of} at {listed(f'{x:z.6g}' for x in a)}"
        )
    if before is None and of == "squares" and len(s) == len(wanted):
        chosen = np.argsort(s.real)[np.argsort(np.argsort(wanted.real))]  # in order of size, as tables give them
    else:
        guess = wanted if before is None else before.quantities + before.derivatives @ (a - before.parameters)
        chosen = linear_sum_assignment(np.abs(s[None, :] - guess[:, None]))[1]
    return DesignStep(a, s[chosen], ds[chosen])


def _change(here: DesignStep, wanted: Complex, low: Array, high: Array) -> Array:
    """The Newton step within bounds; real and imaginary parts are rows of their own."""
    J = np.vstack([here.derivatives.real, here.derivatives.imag])
    miss = wanted - here.quantities
    right = np.concatenate([miss.real, miss.imag])
    used = np.abs(J).max(axis=1, initial=0.0) > 1e-12 * max(np.abs(J).max(initial=0.0), 1e-300)
    J, right = J[used], right[used]
    newton = np.linalg.lstsq(J, right, rcond=1e-12)[0]
    if ((newton >= low) & (newton <= high)).all():
        return newton
    slack = 1e-12 * (1 + np.abs(low) + np.abs(high))
    gap = np.where(np.isfinite(slack), slack, 1e-12)
    return lsq_linear(J, right, bounds=(np.minimum(low, 0.0) - gap, np.maximum(high, 0.0) + gap)).x

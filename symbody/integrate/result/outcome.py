"""Outcomes of simulations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from math import isnan

from ...summary import Introduced


class Ending(Enum):
    """Why a simulation ended; the value is the sentence.

    >>> sb.integrate.Ending.TOO_MANY_STEPS.value
    'the number of steps allowed was used up'

    See also: `integrate.Outcome`, `Trajectory`.
    """

    REACHED = "reached the end"
    STOPPED = "stopped by an event"
    INTERRUPTED = "interrupted"
    STEP_TOO_SMALL = "the step became too small"
    NOT_FINITE = "a rate became infinite or undefined"
    OFF_CONSTRAINTS = "the projection onto the constraints failed"
    ENERGY_GAINED = "an impact would gain energy"
    JAMMED = "friction jammed"
    SINGULAR = "the constraints became dependent"
    LOCKED = "three angles locked"
    TOO_MANY_STEPS = "the number of steps allowed was used up"
    TOO_MUCH_MEMORY = "the memory allowed for results was used up"
    UNBOUNDED = "the motion grew without bound"
    JUMPED = "the motion jumped in a singular position"
    CHATTERING = "events accumulated (Zeno behaviour)"
    TOO_MANY_MODES = "contacts have too many modes"
    NOT_VALID = "the motion left the region in which the model is valid"
    REFUSED = "was not begun"
    NOT_CONVERGED = "Newton's method did not converge"


@dataclass(frozen=True)
class Outcome(Introduced):
    """The ending of a simulation, its time and reason, and notes on what happened on the way; true where it went as
    asked.

    t        when it ended
    detail   the reason in a sentence

    >>> x = sb.symbol("x")
    >>> outcome = sb.simulate(sb.from_equations({x: x**2}), 2.0, x=1.0).outcome  # x = 1 / (1 - t)
    >>> bool(outcome), round(outcome.t, 6)
    (False, 1.0)

    See also: `integrate.Ending`, `Trajectory`.
    """

    ending: Ending
    t: float
    detail: str = ""
    notes: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self.ending in (Ending.REACHED, Ending.STOPPED)

    def noted(self, notes: Sequence[str]) -> Outcome:
        """The same with notes on how the motion began.

        >>> x = sb.symbol("x", "variable")
        >>> sb.simulate(sb.from_equations({x: -x}), 1.0, x=1.0).outcome.noted(["by hand"]).notes
        ('by hand',)

        See also: `integrate.Outcome`.
        """
        return replace(self, notes=(*notes, *self.notes)) if notes else self

    def __str__(self) -> str:
        detail = f": {self.detail}" if self.detail else ""
        when = "" if isnan(self.t) else f" at t = {self.t:z.9g}"
        return "; ".join((f"{self.ending.value}{when}{detail}", *self.notes))


@dataclass(frozen=True)
class Statistics(Introduced):
    """Counts and computing time of a simulation.

    corrections   Newton steps of projections, and `most_corrections` in one projection
    jacobians     evaluations of derivatives (implicit methods), and `factorizations` of matrices made of them
    steps         that were taken, and `rejected` ones
    evaluations   of the rates
    seconds       of computing, and `projection_seconds` of them in projections (zero on systems whose clock machine code cannot
                  read)
    projections   states that were brought back to the constraints, and the derivatives that rates and projections took:
                  `constraint_jacobians` of all constraints at once, `constraint_hessians` and `constraint_third_derivatives` of
                  one constraint each (those that vanish identically are not counted), `invariant_gradients` and
                  `invariant_hessians` of one invariant each. Members of a batch do not count these

    >>> x, v = sb.symbols("x v", "variable")
    >>> found = sb.simulate(sb.from_equations({x: v, v: -x}), 1.0, x=1.0, step=0.1, method="rk4").statistics
    >>> found.steps, found.rejected
    (10, 0)

    See also: `Trajectory`, `integrate.Outcome`.
    """

    steps: int = 0
    rejected: int = 0
    evaluations: int = 0
    corrections: int = 0
    jacobians: int = 0
    factorizations: int = 0
    seconds: float = 0.0
    most_corrections: int = 0
    projections: int = 0
    projection_seconds: float = 0.0
    constraint_jacobians: int = 0
    constraint_hessians: int = 0
    constraint_third_derivatives: int = 0
    invariant_gradients: int = 0
    invariant_hessians: int = 0

    @property
    def mean_corrections(self) -> float:
        """Newton steps for each step that was tried, on average.

        >>> sb.integrate.Statistics(steps=8, rejected=2, corrections=15).mean_corrections
        1.5

        See also: `Trajectory.statistics`.
        """
        tried = self.steps + self.rejected
        return self.corrections / tried if tried else 0.0

    def __add__(self, other: Statistics) -> Statistics:
        more = vars(other)
        sums = {name: value + more[name] for name, value in vars(self).items()}
        return Statistics(**sums | {"most_corrections": max(self.most_corrections, other.most_corrections)})

    def __str__(self) -> str:
        parts = [f"{self.steps} steps", f"{self.rejected} rejected", f"{self.evaluations} evaluations"]
        if self.corrections:
            parts.append(f"{self.corrections} corrections (at most {self.most_corrections} at once)")
        if self.jacobians:
            parts.append(f"{self.jacobians} Jacobians, {self.factorizations} factorisations")
        return f"{', '.join(parts)}, {self.seconds:z.3g} s"

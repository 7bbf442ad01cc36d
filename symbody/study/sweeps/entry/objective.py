"""Objectives of a design: a number as a function of parameters, with its exact gradient, for external optimisers.

`scipy.optimize` takes value and gradient; ask-and-tell optimisers (nevergrad, cma, scikit-optimize) take populations,
which are evaluated by sweeps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....argument_kinds import answered, answered_class
from ....derivation.equations.equations import Equations
from ....emit.run.callable import Array
from ....errors import StudyError, listed, shown
from ....integrate.run.simulate import simulate
from ....stability.linear.linear_system import LinearSystem
from ....stability.spectra.eigenvalue_sensitivities import eigenvalue_sensitivities
from ..questions.motion_questions import at_end
from ..questions.stability_questions import spectrum
from ..questions.varied import Interval, varied_values
from .sweep import sweep


@answered_class
@dataclass(frozen=True, eq=False)
class Objective:
    """An objective function of designs x, arrays in the order of `names`; created by `objective`.

    `minimize(f.value_and_gradient, f.middle, jac=True, bounds=f.bounds)`

    subject            the system that is designed: equations or a linear system
    answer             the variable or output at the end of a motion; for a linear system, its growth rate
    bounds             least and greatest, by name
    t, start, values   of the motion: end time, initial values, other parameter values

    >>> k, c = sb.symbols("k c")
    >>> f = sb.study.objective(sb.linear_system([[0, 1], [-k, -c]]), {"c": (0.1, 1.0)}, values={"k": 4.0})
    >>> f.names, f.bounds, f([0.4])
    (('c',), ((0.1, 1.0),), -0.2)

    See also: `study.objective`.
    """

    subject: Any
    names: tuple[str, ...]
    bounds: tuple[tuple[float, float], ...]
    answer: str
    t: Any = None
    start: Any = None
    values: Mapping[str, float] | None = None

    @property
    def middle(self) -> Array:
        """The midpoint of the bounds, as an initial guess.

        >>> k, c = sb.symbols("k c")
        >>> f = sb.study.objective(sb.linear_system([[0, 1], [-k, -c]]), {"c": (0.1, 1.0)}, values={"k": 4.0})
        >>> f.middle, f.gradient(f.middle), f.value_and_gradient([0.4])[0], f.many([[0.2], [0.4]])  # growth -c/2
        (array([0.55]), array([-0.5]), -0.2, array([-0.1, -0.2]))

        See also: `study.objective`.
        """
        return np.array([0.5 * (low + high) for low, high in self.bounds])

    def __call__(self, x: Any) -> float:
        return self.value_and_gradient(x)[0]

    def gradient(self, x: Any) -> Array:
        """The gradient at a design, by `value_and_gradient`."""
        return self.value_and_gradient(x)[1]

    def value_and_gradient(self, x: Any) -> tuple[float, Array]:
        """Value and gradient at a design, from variational equations along the motion, or from derivatives of the
        eigenvalue with the largest real part."""
        given = {**(self.values or {}), **dict(zip(self.names, map(float, x), strict=True))}
        if isinstance(self.subject, LinearSystem):
            found = eigenvalue_sensitivities(self.subject, *self.names, values=given)
            k = int(np.argmax(found.eigenvalues.real))
            return float(found.eigenvalues[k].real), found.derivatives[k].real
        sim = simulate(self.subject, self.t, self.start, values=given, sensitivities=list(self.names), progress=False)
        if not sim.outcome:
            raise StudyError(f"objective: {sim.outcome}")
        return float(sim[self.answer][-1]), np.array([float(sim.sensitivity(self.answer, n)[-1]) for n in self.names])

    def many(self, designs: Sequence[Any], **options: Any) -> Array:
        """Values of many designs, computed by `sweep` with its options (on, workers, to); infinite for a failed
        design."""
        points = dict(zip(self.names, np.asarray(designs, dtype=np.float64).T, strict=True))
        is_linear = isinstance(self.subject, LinearSystem)
        ask = spectrum() if is_linear else at_end(self.t, self.answer, start=self.start)
        found = sweep(self.subject, points, ask, sample="paired", values=self.values, **options)
        y = np.asarray(found["growth" if is_linear else self.answer] if found.names else np.full(len(found), np.nan))
        return np.where(found.status == 1, y, np.inf)

    def searched(self, optimizer: Any, rounds: int, batch: int = 16, **options: Any) -> tuple[dict[str, float], float]:
        """The best design found by an ask-and-tell optimiser, and its value:
        `f.searched(nevergrad.optimizers.CMA(parametrization=2, budget=400), rounds=25)`.

        Each round requests `batch` candidates, computes them in one sweep, and returns their values to the optimiser. A
        candidate, or its `value`, is an array in the order of `names`, or a mapping.

        >>> class Grid:  # an ask-and-tell optimiser
        ...     def __init__(self):
        ...         self.left, self.told = [[0.2], [0.6], [0.9], [0.4]], []
        ...     def ask(self):
        ...         return np.array(self.left.pop())
        ...     def tell(self, candidate, value):
        ...         self.told.append((value, candidate))
        >>> k, c = sb.symbols("k c")
        >>> f = sb.study.objective(sb.linear_system([[0, 1], [-k, -c]]), {"c": (0.1, 1.0)}, values={"k": 4.0})
        >>> f.searched(Grid(), rounds=2, batch=2)
        ({'c': 0.9}, -0.45)

        See also: `sweep`.
        """
        best, least = np.asarray(self.middle), np.inf
        for _ in range(rounds):
            candidates = [optimizer.ask() for _ in range(batch)]
            designs = [self._design(getattr(c, "value", c)) for c in candidates]
            for candidate, x, y in zip(candidates, designs, self.many(designs, **options), strict=True):
                optimizer.tell(candidate, float(y))
                if y < least:
                    best, least = x, float(y)
        return dict(zip(self.names, map(float, best), strict=True)), least

    def _design(self, given: Any) -> Array:
        """Between the bounds, from an array or a mapping."""
        x = np.array([given[n] for n in self.names] if isinstance(given, Mapping) else given, dtype=np.float64)
        if x.shape != (len(self.names),):
            raise StudyError(
                f"objective: a design has {len(self.names)} numbers ({listed(self.names)}), got {shown(given)}"
            )
        low, high = np.array(self.bounds).T
        return np.clip(x, low, high)


@answered
def objective(
    what: Any,
    over: Mapping[Any, tuple[float, float]],
    answer: str = "growth",
    *,
    t: Any = None,
    start: Any = None,
    values: Mapping[str, float] | None = None,
) -> Objective:
    """An objective function for design: the value of `answer` (a variable or output) at the end of a motion, or the
    growth rate of a linear system.

    over     parameters of the design, each with (least, greatest)
    t, start end of the motion, and initial values
    values   of other parameters

    To minimise an integral along the motion, add a variable to the model whose rate is the integrand.

    >>> x, c = sb.symbol("x", "variable"), sb.symbol("c")
    >>> eq = sb.from_equations({x: -c * x}, {c: 1.0})
    >>> f = sb.study.objective(eq, {"c": (0.5, 2.0)}, "x", t=1.0, start={"x": 1.0})
    >>> f([1.0]), f.gradient([1.0])
    (0.367879, array([-0.367879]))

    See also: `study.Objective`, `identify`, `sweep`.
    """
    kinds = varied_values(over, "random", 1, 0).drawn
    bounds = [(k.low, k.high) for k in kinds.values() if isinstance(k, Interval)]
    if len(bounds) != len(over):
        raise StudyError(f"objective: each parameter of a design has (least, greatest), got {listed(over)}")
    if not isinstance(what, (Equations, LinearSystem)):
        raise StudyError(f"objective: of equations or a linear system, got {shown(what)}")
    if isinstance(what, Equations) and t is None:
        raise StudyError("objective: a motion needs its end, t=")
    return Objective(what, tuple(kinds), tuple(bounds), answer, t, start, values)

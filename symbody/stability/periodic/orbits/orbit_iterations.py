"""The iterates of Newton's method on its way to an orbit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from ....integrate.result.trajectory import Trajectory
from ....summary import Introduced


@dataclass(frozen=True, eq=False)
class OrbitIteration(Introduced):
    """An iteration of Newton's method on the way to an orbit, one of `orbit.iterations`.

    start      values of the states at the beginning, by name
    period     the assumed period
    residual   the residual: the distance of the motion from its start after one period, or the error in the equations
    change     relative change of the states in the iteration
    motion     the motion that was tried, as a trajectory: simulated by shooting, of polynomials by collocation
    made       the function that computes `motion` on first access

    >>> x, v = sb.symbols("x v", "variable")
    >>> eq = sb.from_equations({x: v, v: (1 - x**2) * v - x})
    >>> found = sb.orbit(eq, {"x": 2.0}, period=6.6, form="shooting", segments=1)
    >>> [i.period for i in found.iterations][0], found.iterations[-1].change < 1e-9
    (6.6, True)

    See also: `stability.Orbit`, `orbit`, `plot`.
    """

    start: dict[str, float]
    period: float
    residual: float
    change: float
    made: Callable[[], Trajectory] = field(repr=False)

    @cached_property
    def motion(self) -> Trajectory:
        """The motion that was tried, as a trajectory.

        >>> x, v = sb.symbols("x v", "variable")
        >>> eq = sb.from_equations({x: v, v: (1 - x**2) * v - x})
        >>> found = sb.orbit(eq, {"x": 2.0}, period=6.6, form="shooting", segments=1)
        >>> float(found.iterations[0].motion.t[-1])
        6.6
        """
        return self.made()

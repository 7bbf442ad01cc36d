"""`poincare`: points of a motion on a section, or once in each period of the excitation."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ...algebra.calculus.derivatives import directional_derivative
from ...algebra.calculus.evaluate import evaluate
from ...algebra.graph.graph import ONE, Expr, as_expr
from ...algebra.graph.portable import Portable
from ...argument_kinds import answered, answered_class
from ...derivation.equations.equations import Equations
from ...derivation.equations.own_terms import in_own_terms
from ...derivation.programs.state_rates import state_rates
from ...emit.run.callable import Array
from ...errors import StabilityError, finite_number, shown, unknown
from ...integrate.events.events import DIRECTIONS
from ...integrate.result.tables import data_frame, data_set
from ...integrate.result.trajectory import Trajectory
from ...summary import Tabular
from ..periodic.orbits.orbit import Orbit, quantity

ORBIT_POINTS: Final = 400  # number of points of an orbit, between which it crosses a section at most once
# fractions of a step at which a section is evaluated in addition; the last is just before a jump
INNER_POINTS: Final = (1 / 3, 2 / 3, 1 - 1e-9)
MAX_HALVINGS: Final = 60  # largest number of bisections of a crossing
# value at a crossing, relative to the values along the motion, above which it is a jump across the section
MAX_JUMP: Final = 1e-6
# direction in which the rate of a quantity passes zero at a maximum or minimum
EXTREMUM_DIRECTION: Final = {"max": "falling", "min": "rising"}


@answered_class
@dataclass(frozen=True, eq=False, repr=False)
class PoincareSection(Tabular, Portable):
    """Points of a motion on a Poincaré section; returned by `poincare`. `section["x"]` is an array: any coordinate,
    speed, variable, output or expression.

    motion    the motion at these times only
    section   a description of the section

    >>> x, v = sb.symbols("x v", "variable")
    >>> sim = sb.simulate(sb.from_equations({x: v, v: -x}), 20.0, x=1.0)
    >>> section = sb.poincare(sim, "max x")
    >>> section.motion.t
    array([ 6.283185, 12.566371, 18.849556])

    See also: `poincare`, `plot`.
    """

    motion: Trajectory
    section: str

    def __len__(self) -> int:
        return len(self.motion)

    @property
    def t(self) -> Array:
        """Times of the points."""
        return self.motion.t

    @property
    def equations(self) -> Equations:
        """The equations of the motion; for a motion through several modes, those at the first point."""
        return self.motion.segments[0].equations

    def __getitem__(self, what: str | Expr) -> Array:
        return self.motion[what]

    def returns(self, what: str | Expr) -> tuple[Array, Array]:
        """The return map of a quantity: its values at all points but the last, and at the next points.

        >>> x, v = sb.symbols("x v", "variable")
        >>> eq = sb.from_equations({x: v, v: -x - 0.2 * v})
        >>> section = sb.poincare(sb.simulate(eq, 20.0, x=1.0), "max x")
        >>> before, after = section.returns("x")
        >>> after / before  # exp(-0.1 · 2π / √0.99)
        array([0.531802, 0.531802])
        >>> section.t, section.equations is eq, list(section.to_pandas().columns), sorted(section.to_xarray().data_vars)
        (array([ 6.314839, 12.629678, 18.944517]), True, ['x', 'v'], ['v', 'x'])

        See also: `poincare`.
        """
        values = self[what]
        return values[:-1], values[1:]

    def to_pandas(self, more: Iterable[str | Expr] = ()) -> Any:
        """A pandas DataFrame with a row for each point."""
        return data_frame("t", self.t, self.motion.columns(more))

    def to_xarray(self, more: Iterable[str | Expr] = ()) -> Any:
        """An xarray Dataset over the points."""
        return data_set("t", self.t, self.motion.columns(more), {"model": self.motion.name, "section": self.section})

    def __str__(self) -> str:
        span = f", t = {self.t[0]:z.6g} ... {self.t[-1]:z.6g}" if len(self) else ""
        return f"Poincaré section of {self.motion.name!r} where {self.section}: {len(self)} points{span}"


@answered
def poincare(
    motion: Trajectory | Orbit, section: str | Expr | None = None, *, direction: str = "rising", period: Any = None, skip: int = 0
) -> PoincareSection:  # fmt: skip
    """Poincaré section of a motion: `poincare(sim, x - 1)`, `poincare(sim, "max z")`, `poincare(sim, period=2 * pi /
    w)`.

    motion      a trajectory, or an orbit
    section     an expression or a name: its zeros; "max z", "min z": local maxima and minima of a quantity
    direction   "rising", "falling" or "both": how it passes zero
    period      instead of a section: a number or an expression of parameters; the points are the states after each
                period (a stroboscopic map)
    skip        number of initial points to discard while the motion settles

    >>> x, v = sb.symbols("x v", "variable")
    >>> sim = sb.simulate(sb.from_equations({x: v, v: -x}), 20.0, x=1.0)
    >>> found = sb.poincare(sim, "v", direction="falling")
    >>> found["x"]
    array([1., 1., 1.])

    See also: `stability.PoincareSection`, `attractors`, `plot`.
    """
    if not isinstance(motion, (Trajectory, Orbit)):
        raise StabilityError(f"poincare: it needs a motion, simulate(...) or orbit(...); got {shown(motion)}")
    if (section is None) == (period is None):
        raise StabilityError("poincare: give a section (an expression, a name, 'max z') or period=, one of them")
    if period is not None:
        return _stroboscopic_section(motion, period, skip)
    return _crossed_section(motion, section, direction, skip)


def _stroboscopic_section(motion: Trajectory | Orbit, period: Any, skip: int) -> PoincareSection:
    eq = _first(motion)
    numbers = {s: float(motion.parameters[s.name]) for s in eq.variables.constants if s.name in motion.parameters}
    T = float(evaluate(in_own_terms(eq, [as_expr(period)])[0], numbers)) if isinstance(period, Expr) else period
    T = finite_number(T, f"poincare of {eq.name!r}, period", StabilityError)
    if not T > 0:
        raise StabilityError(
            f"poincare of {eq.name!r}: a period must be a positive number; got {shown(period)} = {T:g}"
        )
    begin, end = float(motion.t[0]), float(motion.t[-1])
    count = int(np.floor((end - begin) / T * (1 + 1e-12)))
    times = np.minimum(begin + T * np.arange(skip, count + 1), end)
    return PoincareSection(_at(motion, times), f"t = {begin:z.6g} + k {T:z.6g}")


def _crossed_section(motion: Trajectory | Orbit, section: Any, direction: str, skip: int) -> PoincareSection:
    eq = _first(motion)
    _, way, said = _section(eq, section, direction)
    fine = motion.trajectory(points=ORBIT_POINTS).t if isinstance(motion, Orbit) else motion.t
    if isinstance(motion, Trajectory) and not motion.is_dense:
        raise StabilityError(
            f"poincare of {eq.name!r}: the trajectory has states at given times only; simulate with t=(begin, end)"
        )
    times = np.unique(np.concatenate([fine, *(fine[:-1] + part * np.diff(fine) for part in INNER_POINTS)]))

    own = {eq: _section(eq, section, direction)[0] for eq in _all(motion)}

    def value(t: Array) -> Array:
        at = _at(motion, t)
        return np.concatenate([Trajectory((s,), at.outcome)[own[s.equations]] for s in at.segments])

    found = _crossings(value, times, DIRECTIONS[way])[skip:]
    return PoincareSection(_at(motion, found), f"{said} = 0, {way}" if way == direction else said)


def _all(motion: Trajectory | Orbit) -> list[Equations]:
    """Equations of all modes on the way."""
    whole = motion if isinstance(motion, Trajectory) else motion.trajectory()
    return list(dict.fromkeys(s.equations for s in whole.segments))


def _first(motion: Trajectory | Orbit) -> Equations:
    return motion.segments[0].equations if isinstance(motion, Trajectory) else motion.equations


def _section(eq: Equations, section: Any, direction: str) -> tuple[Expr, str, str]:
    """The expression, how it passes zero, and a description of the section."""
    if direction not in DIRECTIONS:
        raise unknown(f"poincare of {eq.name!r}", "direction", direction, DIRECTIONS, StabilityError)
    word, _, name = section.partition(" ") if isinstance(section, str) else ("", "", "")
    if word not in EXTREMUM_DIRECTION or not name:
        return quantity(eq, section, f"poincare of {eq.name!r}"), direction, str(section)
    of = quantity(eq, name.strip(), f"poincare of {eq.name!r}, {word}")
    rates = dict(zip(eq.state, state_rates(eq).entries, strict=True))
    return directional_derivative(of, {**rates, eq.t: ONE}), EXTREMUM_DIRECTION[word], f"{name} is {word}imal"


def _crossings(value: Callable[[Array], Array], times: Array, sense: int) -> Array:
    """Zeros between times at which a function changes its sign, all at once by halving and secants (Illinois)."""
    y = value(times)
    up, down = (y[:-1] < 0) & (y[1:] >= 0), (y[:-1] > 0) & (y[1:] <= 0)
    k = np.flatnonzero(up if sense > 0 else down if sense < 0 else up | down)
    a, b, fa, fb = times[k], times[k + 1], y[k].copy(), y[k + 1].copy()
    last = np.full(len(k), np.nan)
    for count in range(MAX_HALVINGS):
        if not len(k) or np.abs(b - a).max() <= 4e-16 * max(np.abs(times).max(), 1e-300):
            break
        with np.errstate(divide="ignore", invalid="ignore"):
            secant = b - fb * (b - a) / (fb - fa)
        middle = np.where((count % 3 < 2) & (secant > a) & (secant < b), secant, (a + b) / 2)
        f = value(middle)
        if np.array_equal(middle, last):
            break
        last = middle
        same = f * fb > 0
        a, fa = np.where(same, a, middle), np.where(same, fa, f)
        b, fb = np.where(same, middle, b), np.where(same, f, fb)
        done = f == 0
        a, b = np.where(done, middle, a), np.where(done, middle, b)
    at = np.where(np.abs(fa) < np.abs(fb), a, b)
    size = float(np.abs(y).max(initial=0.0))
    return np.asarray(at[np.minimum(np.abs(fa), np.abs(fb)) <= MAX_JUMP * size])


def _at(motion: Trajectory | Orbit, times: Array) -> Trajectory:
    return motion.at_times(times) if isinstance(motion, Orbit) else motion.at(times)

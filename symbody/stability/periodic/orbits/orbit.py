"""`Orbit`: a periodic motion, with its Floquet multipliers and error estimates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Final

import numpy as np

from ....algebra.graph.graph import Expr, Symbol
from ....algebra.graph.portable import Portable
from ....argument_kinds import answered_class
from ....derivation.equations.equations import Equations
from ....derivation.equations.own_terms import in_own_terms
from ....display import DisplayPart, ShownPicture
from ....emit.lowering.lower import program
from ....emit.run.callable import Array
from ....emit.text.numpy_text import numpy_function
from ....errors import StabilityError, listed, unknown
from ....integrate.result.outcome import Ending, Outcome
from ....integrate.result.segment import Segment
from ....integrate.result.tables import data_frame, data_set
from ....integrate.result.trajectory import Trajectory
from ....integrate.start.state import State
from ....later import later
from ....small_figures import SmallCurve, small_figure
from ....summary import SearchOutcome, Tabular
from ...spectra.pencil import Complex
from ..methods.orbit_mesh import values_and_slopes
from ..methods.shooting import ShootingProblem
from ..problem.itineraries import SMOOTH, Itinerary, depends_on_time
from ..problem.orbit_flow import OrbitFlow
from ..problem.orbit_problem import NewtonIterate, OrbitPoint, OrbitSetting, mirrored_point
from .orbit_iterations import OrbitIteration

UNIT_CIRCLE_TOLERANCE: Final = 1e-6  # distance from the unit circle below which a multiplier lies on it
ZERO_ROTATION: Final = 1e-9  # displacement along a symmetry, in radians, below which it is zero
TRIVIAL_TOLERANCE: Final = 0.1  # largest distance from 1 of a trivial multiplier
POINTS_PER_INTERVAL: Final = 8  # number of points of an interval in arrays
POINTS_PER_PERIOD: Final = 241  # default number of points of a period in a trajectory


@answered_class
@dataclass(frozen=True, eq=False, repr=False)
class Orbit(Tabular, Portable):
    """A periodic motion; returned by `orbit`. `orbit["phi"]` is an array over `orbit.t`: any coordinate, speed,
    variable, output or expression.

    period            time after which the state repeats, except for drifting coordinates
    multipliers       Floquet multipliers, the largest first, without those that are 1 for every orbit of these equations;
                      where a mirror was given, of half a period
    is_stable         whether none of them lies outside the unit circle
    is_periodic       whether an orbit was found; `outcome` is the sentence
    iterations        those of Newton's method on the way to it: `OrbitIteration`s with a start, a period and a motion
    residual          the residual of the equations; `mesh_error`: by how much values change on a mesh twice as fine;
                      `trivial_error`: how far the multiplier that has to be 1 is from it. Sizes of the motion are 1
    names             of the states, in the order of `point.x`
    point             the orbit in numbers: mesh, values, slopes, period; `nodes` has those of shooting
    setting           the settings: parameters, levels, mirror, period
    all_multipliers   with the trivial ones
    conserved         names of conserved quantities; `conserved_rows` are the expressions
    form              collocation or shooting
    course            events or modes on the way

    >>> x, v = sb.symbols("x v", "variable")
    >>> eq = sb.from_equations({x: v, v: (1 - x**2) * v - x})
    >>> found = sb.orbit(eq, {"x": 2.0}, period=6.6)
    >>> float(found["x"].max()), abs(found.multipliers)
    (2.0086, array([0.00086]))

    See also: `orbit`, `orbits`, `plot`.
    """

    equations: Equations
    setting: OrbitSetting
    point: OrbitPoint
    names: tuple[str, ...]
    conserved: tuple[str, ...]
    all_multipliers: Complex
    residual: float
    mesh_error: float
    form: str
    outcome: str
    is_periodic: bool = True
    conserved_rows: tuple[Expr, ...] = ()
    course: Itinerary = SMOOTH
    nodes: OrbitPoint | None = None
    way: tuple[NewtonIterate, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "outcome", SearchOutcome(self.outcome, self.is_periodic))

    # ------------------------------------------------------------------------------------------------ numbers

    @cached_property
    def flow(self) -> OrbitFlow:
        """The flow of the equations with its variations, which computed the orbit."""
        return flow_of(self.equations, dict(zip(self.conserved, self.conserved_rows, strict=True)), None, self.course)

    @property
    def kinds(self) -> Mapping[str, str]:
        """The kind of each name: those of the equations, and conserved quantities, which may be varied like
        parameters."""
        return {**self.equations.kinds, **dict.fromkeys(self.conserved, "parameter")}

    @property
    def whole(self) -> OrbitPoint:
        """The whole period."""
        return self.point if self.setting.mirror is None else mirrored_point(self.point, self.setting.mirror)

    @cached_property
    def iterations(self) -> tuple[OrbitIteration, ...]:
        """Iterations of Newton's method towards this orbit, or of the failed search, on successive meshes."""
        return tuple(
            OrbitIteration(
                dict(zip(self.names, i.point.x[0].tolist(), strict=True)), i.point.T * self.setting.halves, i.residual, i.change, partial(self._motion_of_iterate, i.point)
            )
            for i in self.way
        )  # fmt: skip

    def _motion_of_iterate(self, point: OrbitPoint) -> Trajectory:
        """The motion of an iterate, closed or not."""
        tau = np.append(
            np.linspace(0.0, 1.0, POINTS_PER_PERIOD)[:-1], np.nextafter(1.0, 0.0)
        )  # behind it the next round begins
        shown, nodes = point, None
        if not point.K.shape[1]:
            shown, nodes = ShootingProblem(self.flow, self.setting, self.course).shown(point), point
        tried = replace(self, point=shown, nodes=nodes, is_periodic=True, way=())
        return tried.at_times(self.setting.t0 + tau * tried.period)

    @property
    def period(self) -> float:
        """Time after which the state repeats, in seconds.

        >>> x, v, a = sb.symbols("x v a")
        >>> eq = sb.from_equations({x: v, v: a * (1 - x**2) * v - x}, {a: 1.0})
        >>> found = sb.orbit(eq, {"x": 2.0}, period=6.6)
        >>> found.period, found.frequency * found.period / (2 * np.pi), found.is_driven, found.is_stable
        (6.663287, 1.0, False, True)
        >>> found.trivial_error < 1e-6, found.parameters, found.kinds["a"], dict(found.drift), dict(found.turn)
        (True, {'a': 1.0}, 'parameter', {}, {})
        >>> found.extremes("x"), float(found.t[-1]), found.whole.T, len(found.iterations) > 0
        ((-2.00862, 2.00862), 6.663287, 6.663287, True)
        >>> found.at([found.period], "x") - found.at([0.0], "x") < 1e-9
        array([ True])
        >>> found.state["x"] == found.state_at(0.0)["x"], len(found.trajectory(2.0, 11)), found.at_times(np.array([1.0])).t
        (True, 22, array([1.]))
        >>> sorted(found.columns()), list(found.to_pandas().columns), found.to_xarray().attrs["model"]
        (['v', 'x'], ['x', 'v'], 'equations')
        >>> found.save("cycle.npz").name, found.flow.equations.state
        ('cycle.npz', (x, v))

        See also: `orbit`, `simulate`, `load`.
        """
        return self.point.T * self.setting.halves

    @property
    def frequency(self) -> float:
        """Angular frequency, 2π over the period."""
        return 2 * np.pi / self.period

    @property
    def is_driven(self) -> bool:
        """Whether the period is that of an external excitation."""
        return self.setting.period is not None

    @property
    def multipliers(self) -> Complex:
        """Floquet multipliers, the largest first, without those that are 1 for every orbit of these equations."""
        return without_trivial(self.all_multipliers, self.is_driven)[0]

    @property
    def trivial_error(self) -> float:
        """The distance from 1 of the multiplier along the orbit; 0 for driven systems, which do not have it."""
        return without_trivial(self.all_multipliers, self.is_driven)[1]

    @property
    def is_stable(self) -> bool:
        """Whether no multiplier lies outside the unit circle."""
        return bool(self.is_periodic and (np.abs(self.multipliers) <= 1 + UNIT_CIRCLE_TOLERANCE).all())

    @cached_property
    def parameters(self) -> dict[str, float]:
        """Values of parameters and inputs."""
        p = self.setting.p.copy()
        if self.setting.place is not None:
            p[self.setting.place] = self.point.value
        return {s.name: float(v) for s, v in zip(self.equations.variables.constants, p, strict=True)}

    # ------------------------------------------------------------------------------------------------ along the orbit

    @cached_property
    def _tau(self) -> Array:
        times = self.whole.times
        parts = np.arange(POINTS_PER_INTERVAL) / POINTS_PER_INTERVAL
        return np.append((times[:-1, None] + np.diff(times)[:, None] * parts).reshape(-1), times[-1])

    @property
    def t(self) -> Array:
        """Times over one period."""
        return self.setting.t0 + self._tau * self.period

    def _drift(self, period: int) -> OrbitPoint:
        """Coordinates that drift in a period, from zero, by quadrature along the orbit: as often as one of them may depend
        on another."""
        kept: dict[int, OrbitPoint] = self.__dict__.setdefault("_drifts", {})
        period = period if np.any(self._turn) else 0
        if period not in kept:
            kept[period] = self._drift_along(
                self._moved_by_symmetry(self.whole.at_gauss_points.reshape(-1, self.flow.n), period)
            )
        return kept[period]

    def _drift_along(self, x: Array) -> OrbitPoint:
        """The same along states at Gauss points."""
        flow, whole = self.flow, self.whole
        k, times = len(flow.drifting), whole.gauss_times.reshape(-1)
        d = OrbitPoint(
            whole.times, np.zeros((len(whole.times), k)), np.zeros((len(whole.K), whole.K.shape[1], k)), whole.T, 0.0
        )
        p, h = np.array(list(self.parameters.values())), np.diff(whole.times)
        for _ in range(k + 1):
            rates = flow.drift_rates(self.setting.t0 + times * whole.T, x, p, d.at_gauss_points.reshape(-1, k))
            K = rates.reshape(d.K.shape) * (whole.T * h)[:, None, None]
            ends = np.cumsum((K * (whole.quadrature / h[:, None])[:, :, None]).sum(axis=1), axis=0)
            d = replace(d, x=np.concatenate([np.zeros((1, k)), ends]), K=K)
        return d

    def _drift_after(self, period: int) -> Array:
        """Drifting coordinates at the beginning of a period."""
        if not np.any(self._turn):
            return np.asarray(period * self._drift(0).x[-1])
        before = range(period) if period >= 0 else range(period, 0)
        grown = [self._drift(k).x[-1] for k in before]
        return (
            np.asarray((1 if period >= 0 else -1) * np.sum(grown, axis=0))
            if grown
            else np.zeros(len(self.flow.drifting))
        )

    @property
    def drift(self) -> dict[str, float]:
        """Change of the cyclic coordinates in one period."""
        names = [s.name for s in self.flow.drifting]
        return dict(zip(names, map(float, self._drift(0).x[-1]), strict=True)) if names else {}

    @cached_property
    def turn(self) -> dict[str, float]:
        """Rotation of the mechanism (or displacement along another symmetry) in one period, by the name of the
        symmetry."""
        return dict(zip(self.flow.named_symmetries, map(float, self._turn), strict=False))

    @cached_property
    def _turn(self) -> Array:
        x, p = self.point.x if self.nodes is None else self.nodes.x, np.array(list(self.parameters.values()))
        if self.setting.mirror is not None or not self.flow.symmetries:
            return np.zeros(0)
        found = self.flow.action.nearest(x[-1], x[0], p, self.point.sizes)
        return np.where(np.abs(found) > ZERO_ROTATION, -found, 0.0)

    def _moved_by_symmetry(self, x: Array, periods: float) -> Array:
        """States in rows, after a number of periods."""
        if not np.any(self._turn) or not periods or not len(x):
            return x
        return self.flow.action.all_moved(x, periods * self._turn, np.array(list(self.parameters.values())))

    def _states(self, tau: Array) -> dict[Symbol, Array]:
        if not self.is_periodic:
            raise StabilityError(f"orbit of {self.equations.name!r}: {self.outcome}")
        periods = np.floor(tau).astype(int)
        x, _ = values_and_slopes(self.whole, tau - periods)
        d = np.zeros((len(tau), len(self.flow.drifting)))
        for k in np.unique(periods).tolist():
            here = periods == k
            x[here] = self._moved_by_symmetry(x[here], k)
            if self.flow.drifting:
                d[here] = values_and_slopes(self._drift(k), tau[here] - k)[0] + self._drift_after(k)
        return dict(zip((*self.flow.x, *self.flow.drifting), np.hstack([x, d]).T, strict=True))

    def at(self, times: Any, what: str | Expr) -> Array:
        """A quantity at any times."""
        tau = (np.atleast_1d(np.asarray(times, dtype=np.float64)) - self.setting.t0) / self.period
        return self._values_of(self._expression(what), tau)

    def __getitem__(self, what: str | Expr) -> Array:
        return self._values_of(self._expression(what), self._tau)

    def _expression(self, what: Any) -> Expr:
        return quantity(self.equations, what, f"orbit of {self.equations.name!r}")

    def _values_of(self, e: Expr, tau: Array) -> Array:
        eq, states = self.equations, self._states(tau)
        table = np.column_stack([states[s] for s in eq.state])
        groups = {"t": eq.t, "x": list(eq.state), "p": list(eq.variables.constants)}
        f = eq.cached("along orbits", (e,), lambda: numpy_function(program("along_orbit", groups, {"e": [e]})))
        p = np.tile(list(self.parameters.values()), (len(tau), 1))
        return np.asarray(f(self.setting.t0 + tau * self.period, table, p)).reshape(len(tau))

    def extremes(self, what: str | Expr) -> tuple[float, float]:
        """The smallest and the largest value over the period."""
        e = self._expression(what)
        values = self._values_of(e, self._tau)
        return tuple(self._refined_extremum(e, int(k)) for k in (values.argmin(), values.argmax()))  # type: ignore[return-value]

    def _refined_extremum(self, e: Expr, k: int) -> float:
        """An extreme value between neighbours of a point, by repeated parabolic interpolation."""
        tau = self._tau
        middle, step = float(tau[k]), float(max(np.diff(tau)[max(k - 1, 0) : k + 1]))
        for _ in range(3):
            y = self._values_of(e, middle + step * np.array([-1.0, 0.0, 1.0]))
            bend = y[0] - 2 * y[1] + y[2]
            shift = 0.5 * (y[0] - y[2]) / bend if bend else 0.0
            middle, step = middle + step * float(np.clip(shift, -1, 1)), step / 20
        return float(self._values_of(e, np.array([middle]))[0])

    @property
    def state(self) -> State:
        """The state at the beginning: `simulate(eq, orbit.period, orbit)`."""
        return self.state_at(self.setting.t0)

    def state_at(self, t: float) -> State:
        """The state at a time, to simulate from."""
        begin = float(t)
        states = self._states(np.array([(begin - self.setting.t0) / self.period]))
        values = {s.name: float(x[0]) for s, x in states.items()} | self.parameters
        return State.of(self.equations, {**values, "t": begin}, "on an orbit")

    def trajectory(self, periods: float = 1.0, points: int = POINTS_PER_PERIOD) -> Trajectory:
        """The motion over a number of periods as a trajectory at equally spaced times: to plot, to animate
        (`scene(orbit)`) or to save."""
        tau = np.linspace(0.0, periods, max(int(np.ceil(points * periods)), 2))
        return self.at_times(self.setting.t0 + tau * self.period)

    def at_times(self, times: Array) -> Trajectory:
        """The motion at any times, as a trajectory."""
        t = np.asarray(times, dtype=np.float64)
        states = self._states((t - self.setting.t0) / self.period)
        y = np.column_stack([states[s] for s in self.equations.state])
        p, r = np.split(np.array(list(self.parameters.values())), [len(self.equations.p)])
        return Trajectory.of(
            Segment(
                self.equations, t, y, p, r, Outcome(Ending.REACHED, float(t[-1]) if len(t) else 0.0, "along an orbit")
            )
        )

    # ------------------------------------------------------------------------------------------------ to look at

    def to_pandas(self, more: Iterable[str | Expr] = ()) -> Any:
        """A pandas DataFrame over one period: states and further requested quantities."""
        return data_frame("t", self.t, self.columns(more))

    def to_xarray(self, more: Iterable[str | Expr] = ()) -> Any:
        """An xarray Dataset over one period, with the period and parameters as attributes."""
        return data_set(
            "t", self.t, self.columns(more), {"model": self.equations.name, "period": self.period, **self.parameters}
        )

    def columns(self, more: Iterable[str | Expr] = ()) -> dict[str, Array]:
        """States and further requested quantities over one period, by name."""
        return {str(what): self[what] for what in (*(s.name for s in self.equations.state), *more)}

    def save(self, path: str | Path) -> Path:
        """Write everything to a file (.npz); `load` reads it back."""
        written: Path = later("write.files.orbit_file", "save_orbit")(self, path)
        return written

    def _display(self) -> Iterable[DisplayPart]:
        """Coordinates and variables over a period, above the text."""
        title, *rows = super()._display()
        return title, *([ShownPicture(self._small_figure)] if self.is_periodic else []), *rows

    def _small_figure(self) -> str:
        rows = [v for v in self.equations.variables.of("q z").rows if v.name in self.names]
        return small_figure(
            [SmallCurve(v.with_unit, self.t.tolist(), (self[v.name] / v.factor).tolist()) for v in rows], "t [s]"
        )

    def __str__(self) -> str:
        name = self.equations.name
        if not self.is_periodic:
            return f"No orbit of {name!r}: {self.outcome}"
        half = " of half a period" if self.setting.mirror is not None else " of a step" if self.setting.image else ""
        drift = [f"{n}: {d:z.6g}" for n, d in (*self.drift.items(), *((n, a) for n, a in self.turn.items() if a))]
        lines = [
            f"Orbit of {name!r}, {'stable' if self.is_stable else 'unstable'}: period {self.period:z.10g}",
            f"multipliers{half}: {listed(f'{m:z.6g}' if m.imag else f'{m.real:z.6g}' for m in self.multipliers)}",
            *([f"in a period {listed(drift)}"] if drift else []),
            f"{self.form}, {len(self.point.K)} intervals; residual {self.residual:z.1e}, mesh error {self.mesh_error:z.1e}, "
            f"trivial multiplier {self.trivial_error:z.1e}",
        ]
        return "\n    ".join(lines)


def quantity(eq: Equations, what: Any, where: str) -> Expr:
    """A state, parameter, output or expression in terms of states, parameters and time."""
    if not isinstance(what, Expr):
        scalars = {n: e for n, e in eq.outputs.items() if isinstance(e, Expr)}
        known = {s.name: s for s in eq.variables.of("t q u z p r").symbols} | scalars
        if what not in known:
            raise unknown(where, "name", what, known, StabilityError)
        what = known[what]
    found = in_own_terms(eq, [what], solved=True)[0]
    assert isinstance(found, Expr)
    return found


def without_trivial(found: Complex, is_driven: bool) -> tuple[Complex, float]:
    """Multipliers without the one of the direction along the orbit, and how far that is from 1."""
    if is_driven or not len(found):
        return found, 0.0
    off = [abs(m - 1) for m in found.tolist()]
    k = off.index(min(off))
    return np.concatenate([found[:k], found[k + 1 :]]), off[k]


def flow_of(eq: Equations, conserved: dict[str, Expr], varied: Symbol | None, course: Itinerary = SMOOTH) -> OrbitFlow:
    """The flow of some equations on a course, made once."""

    def made() -> OrbitFlow:
        used = course.used(eq) if course.is_known else None
        return OrbitFlow(eq, conserved, varied, used, depends_on_time(eq, course), course.others(eq), course.resets(eq))

    flow: OrbitFlow = eq.cached("orbit flow", (tuple(conserved), tuple(conserved.values()), varied, course), made)
    return flow

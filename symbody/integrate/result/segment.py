"""`Segment`: a stretch of a motion in one set of equations, as numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from ...algebra.graph.portable import Portable
from ...derivation.equations.equations import Equations
from ...emit.run.callable import Array
from ...errors import SimulationError, listed
from ...summary import Introduced, one_line_tag
from ..forms.sensitivities import variations_in
from ..kernels.dense import Dense
from ..start.state import State
from .outcome import Outcome, Statistics


@dataclass(frozen=True)
class Occurrence(Introduced):
    """An event that happened: its name, when, the state before and after (q, u, z), and the impulses that made the
    difference, by name.

    t   when, in s

    >>> y, v = sb.symbols("y v", "variable")
    >>> eq = sb.from_equations({y: v, v: -9.81})
    >>> (hit,) = sb.simulate(eq, 0.6, y=1.0, events=[sb.Event("floor", y, "falling", reset={v: -v})]).events
    >>> hit.name, hit.before[1], hit.after[1]
    ('floor', np.float64(-4.42945), np.float64(4.42945))

    See also: `Event`, `Trajectory`.
    """

    name: str
    t: float
    before: Array
    after: Array
    impulses: Mapping[str, float] = field(default_factory=dict)

    def __repr__(self) -> str:
        impulses = f", impulses {listed(f'{k} {v:z.4g}' for k, v in self.impulses.items())}" if self.impulses else ""
        return f"<{self.name} at t = {self.t:z.9g}{impulses}>"


@dataclass(frozen=True, eq=False, repr=False)
class Segment(Introduced, Portable):
    """Times and states of a motion in one set of equations. The arrays are read-only: they are returned
    without a copy.

    t, y         times, and (q, u, z) in a row for each
    p, r         parameters, and inputs that were constant
    mode         name of these equations among several; their own name if there is only one set
    dense        the methods' polynomials between times; none where states were wanted at given times only
    choices      selected form, method and tolerances
    variations   ∂(q, u, z)/∂x at each time, one column for each x in `wrt`
    steps        the segment with the steps between which this one has states, where it does
    outcome      how it ended
    statistics   counts and computing time
    events       that happened on the way, in order

    >>> x, v = sb.symbols("x v", "variable")
    >>> (segment,) = sb.simulate(sb.from_equations({x: v, v: -x}), 1.0, x=1.0).segments
    >>> segment.names, segment.span
    (['x', 'v'], (0.0, 1.0))

    See also: `Trajectory`.
    """

    equations: Equations
    t: Array
    y: Array
    p: Array
    r: Array
    outcome: Outcome
    mode: str = ""
    statistics: Statistics = field(default_factory=Statistics)
    choices: Mapping[str, str] = field(default_factory=dict)
    events: tuple[Occurrence, ...] = ()
    dense: tuple[Dense, ...] = ()
    variations: Array | None = None
    wrt: tuple[str, ...] = ()
    steps: Segment | None = None

    def __repr__(self) -> str:
        span = f"{len(self.t)} times from {self.t[0]:g} to {self.t[-1]:g}" if len(self.t) else "no times"
        return one_line_tag(f"Segment of {self.mode or self.equations.name}: {span}, {self.outcome}")

    def __post_init__(self) -> None:
        object.__setattr__(self, "mode", self.mode or self.equations.name)
        for name in ("t", "y", "p", "r"):
            kept = getattr(self, name).view()
            kept.setflags(write=False)
            object.__setattr__(self, name, kept)

    @classmethod
    def of_state(cls, state: State, outcome: Outcome) -> Segment:
        """One state, at one time.

        >>> x = sb.symbol("x", "variable")
        >>> sim = sb.simulate(sb.from_equations({x: -x}), 1.0, x=1.0)
        >>> s = sim.segments[0]
        >>> one = sb.integrate.Segment.of_state(s.state(0), s.outcome)
        >>> one.t, one.q.shape, one.u.shape, one.z, one.bytes
        (array([0.]), (1, 0), (1, 0), array([[1.]]), 16)
        >>> s.at(np.array([0.5])).y, s.between(0.5), s.taken(slice(0, 1)).t
        (array([[0.606531]]), array([0.606531]), array([0.]))

        See also: `Trajectory.of`, `Trajectory.at`.
        """
        y = np.concatenate([state.q, state.u, state.z])[None]
        return cls(state.equations, np.array([state.t]), y, state.p, state.r, outcome)

    def __len__(self) -> int:
        return len(self.t)

    @property
    def bytes(self) -> int:
        """Memory that its numbers take."""
        return self.t.nbytes + self.y.nbytes + sum(d.coefficients.nbytes for d in self.dense)

    @property
    def q(self) -> Array:
        """Coordinates, a row for each time."""
        return self.y[:, : len(self.equations.q)]

    @property
    def u(self) -> Array:
        """Speeds, a row for each time."""
        n = len(self.equations.q)
        return self.y[:, n : n + len(self.equations.u)]

    @property
    def z(self) -> Array:
        """Additional variables, a row for each time."""
        return self.y[:, self.y.shape[1] - len(self.equations.z) :]

    @property
    def names(self) -> list[str]:
        """Of the columns of y."""
        return [s.name for s in self.equations.state]

    def state(self, k: int, outcome: str = "on a trajectory") -> State:
        """The state at the time of row k."""
        return State(self.equations, float(self.t[k]), self.q[k], self.u[k], self.z[k], self.r, self.p, outcome)

    @property
    def span(self) -> tuple[float, float]:
        """The first and last time."""
        if self.dense:
            return self.dense[0].start, self.dense[-1].end
        return float(self.t[0]), float(self.t[-1])

    def at(self, times: Array) -> Segment:
        """The same stretch at other times between its first and last; where an event made a jump, the state after it
        counts."""
        if not self.dense:
            raise SimulationError(
                "this trajectory has states at some times only; simulate with t=end, and enough max_memory=, "
                "to get the states in between"
            )
        low, high = sorted(self.span)
        if outside := [t for t in times.tolist() if not low <= t <= high]:
            raise SimulationError(f"t = {outside[0]:g} is outside the trajectory, which goes from {low:g} to {high:g}")
        n = self.y.shape[1]
        y = np.empty((len(times), self.dense[0].coefficients.shape[2]))
        direction = 1.0 if self.span[1] >= self.span[0] else -1.0
        starts = direction * np.array([run.start for run in self.dense])
        which = np.searchsorted(starts, direction * times, side="right") - 1  # each run up to the beginning of the next
        for k in np.unique(which).tolist():
            y[which == k] = self.dense[k](times[which == k])
        columns = 0 if self.variations is None else self.variations.shape[2]
        return replace(self, t=times, y=y[:, :n], variations=variations_in(y, n, columns), dense=(), steps=self)

    @property
    def between(self) -> Callable[[float], Array] | None:
        """States inside steps, if they are known."""
        return (lambda t: self.at(np.array([t])).y[0]) if self.dense else None

    def taken(self, rows: slice) -> Segment:
        """Some of the times."""
        variations = None if self.variations is None else self.variations[rows]
        return replace(self, t=self.t[rows], y=self.y[rows], variations=variations, dense=())

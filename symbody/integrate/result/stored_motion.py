"""What a trajectory stores: stretches in one mode, their times and states, events, and how it ended."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...algebra.graph.portable import Portable
from ...derivation.equations.equations import Equations
from ...display import DisplayPart, ShownPicture, ShownTable
from ...emit.run.callable import Array
from ...errors import SimulationError, listed, shown
from ...small_figures import SmallCurve, small_figure
from ...summary import Introduced, counted
from ..start.state import State
from .outcome import Outcome, Statistics
from .segment import Occurrence, Segment

SMALL_FIGURE_POINTS = 160


@dataclass(frozen=True, eq=False, repr=False)
class StoredMotion(Introduced, Portable):
    """Times and states in the stretches in which a simulation stored them; `Trajectory` adds what follows from them."""

    segments: tuple[Segment, ...]
    outcome: Outcome

    @classmethod
    def of(cls, segment: Segment) -> Self:
        """A trajectory in one set of equations.

        >>> x = sb.symbol("x", "variable")
        >>> sim = sb.simulate(sb.from_equations({x: -x}, name="decay"), 2.0, x=1.0)
        >>> again = sb.Trajectory.of(sim.segments[0])
        >>> again.name, again.equations is sim.equations, again.statistics.steps == sim.statistics.steps
        ('decay', True, True)

        See also: `simulate`.
        """
        return cls((segment,), segment.outcome)

    def __len__(self) -> int:
        return sum(map(len, self.segments))

    def __iter__(self) -> Iterator[State]:
        return (segment.state(k) for segment in self.segments for k in range(len(segment)))

    def __repr__(self) -> str:
        lines = [f"<Trajectory of {self.name}: {self.outcome}", f"  {counted(len(self), 'time')}; {self.statistics}"]
        if len(self.segments) > 1:
            visits = {m: self.modes.count(m) for m in self.modes}
            lines.append(f"  modes: {listed(f'{m} ({n} times)' if n > 1 else m for m, n in visits.items())}")
        elif self.choices:
            lines.append(f"  {', '.join(self.choices.values())}")
        if self.events:
            lines.append(f"  events: {listed(f'{e.name} at {e.t:z.6g}' for e in self.events)}")
        return "\n".join(lines) + ">"

    def _display(self) -> Iterable[DisplayPart]:
        """A small figure of its coordinates and variables, as they are stored or between stored times, above the text;
        at a single time a table of values."""
        title, *rows = super()._display()
        if len(self) != 1:
            return title, ShownPicture(self._small_figure), *rows
        state = self.segments[0]
        values = zip(state.equations.variables.of("q u z").rows, state.y[0], strict=True)
        table = [("t [s]", f"{state.t[0]:z.6g}"), *((v.with_unit, f"{y / v.factor:z.6g}") for v, y in values)]
        return title, ShownTable(("quantity", "value"), table), *rows

    def _small_figure(self) -> str:
        curves = []
        for s in self.segments:
            places = {v.symbol: k for k, v in enumerate(s.equations.variables.of("q u z").rows)}
            t, y = s.t, s.y
            if s.dense and 1 < len(t) < SMALL_FIGURE_POINTS:
                t = np.linspace(t[0], t[-1], SMALL_FIGURE_POINTS)
                y = s.at(t).y
            curves.append(
                (t, {v.with_unit: y[:, places[v.symbol]] / v.factor for v in s.equations.variables.of("q z").rows})
            )
        t = np.concatenate([t for t, _ in curves])
        common = [name for name in curves[0][1] if all(name in values for _, values in curves)]
        columns = (np.concatenate([values[name] for _, values in curves]) for name in common)
        return small_figure(
            [SmallCurve(n, t.tolist(), y.tolist()) for n, y in zip(common, columns, strict=True)], "t [s]"
        )

    # ------------------------------------------------------------------------------------------------ pieces

    @cached_property
    def pieces(self) -> tuple[Self, ...]:
        """A trajectory for each stretch in one mode.

        >>> x = sb.symbol("x", "variable")
        >>> heat, cool = sb.from_equations({x: 1 - x}, name="heat"), sb.from_equations({x: -x}, name="cool")
        >>> off = sb.Switch("off", x - 0.8, "heat", "cool", "rising")
        >>> sim = sb.simulate_modes(sb.Modes({"heat": heat, "cool": cool}, [off], initial="heat"), 4.0)
        >>> sim.modes, str(sim.mode[0]), sim.is_switched, sim.is_dense
        (('heat', 'cool'), 'heat', True, True)
        >>> round(float(sim.pieces[0]["x"][-1]), 6), [(e.name, round(e.t, 6)) for e in sim.events]  # log 5
        (0.8, [('off', 1.609438)])
        >>> sim.reversed.modes
        ('cool', 'heat')

        See also: `simulate_modes`, `Modes`.
        """
        return tuple(type(self).of(s) for s in self.segments)

    @property
    def modes(self) -> tuple[str, ...]:
        """The mode of each piece."""
        return tuple(s.mode for s in self.segments)

    @cached_property
    def mode(self) -> NDArray[np.str_]:
        """The mode at each time."""
        return np.repeat(np.array(self.modes), [len(s) for s in self.segments])

    @property
    def is_switched(self) -> bool:
        """Whether there is more than one set of equations."""
        return any(s.equations is not self.segments[0].equations for s in self.segments)

    @property
    def is_dense(self) -> bool:
        """Whether it can be evaluated at other times."""
        return all(s.dense for s in self.segments)

    @property
    def reversed(self) -> Self:
        """The same states in the opposite order."""
        return replace(self, segments=tuple(s.taken(slice(None, None, -1)) for s in reversed(self.segments)))

    @property
    def name(self) -> str:
        """Name of the model."""
        return self.segments[0].equations.name

    @property
    def kinds(self) -> Mapping[str, str]:
        """Kinds of the names, in all modes: "coordinate", "parameter", ..."""
        return {name: kind for s in self.segments for name, kind in s.equations.kinds.items()}

    @property
    def equations(self) -> Equations:
        """The equations of the motion; those of a motion that switches between several are in `pieces`."""
        if self.is_switched:
            raise SimulationError(
                f"trajectory of {self.name!r}: it switches between {listed(dict.fromkeys(self.modes))}, each with its own equations; "
                "sim.pieces has a trajectory for each stretch"
            )
        return self.segments[0].equations

    @property
    def events(self) -> tuple[Occurrence, ...]:
        """Events and impacts, in order of time."""
        return tuple(e for s in self.segments for e in s.events)

    @property
    def statistics(self) -> Statistics:
        """How many steps were taken and refused, rates evaluated and so on, over all pieces."""
        return sum((s.statistics for s in self.segments), Statistics())

    @property
    def choices(self) -> dict[str, str]:
        """Choices made: form, method, tolerances; where modes differ, for each."""
        of_modes = {s.mode: s.choices for s in self.segments}
        out = {}
        for key in dict.fromkeys(k for c in of_modes.values() for k in c):
            picked = {m: c[key] for m, c in of_modes.items() if key in c}
            alike = len(set(picked.values())) == 1
            out[key] = next(iter(picked.values())) if alike else "; ".join(f"{m}: {v}" for m, v in picked.items())
        return out

    def _alike(self, *groups: str) -> tuple[Segment, ...]:
        """The segments, where all modes have the same symbols of these groups."""
        first, *others = ([getattr(s.equations, g) for g in groups] for s in self.segments)
        if any(other != first for other in others):
            raise SimulationError(
                f"trajectory of {self.name!r}: its modes differ in {listed(groups)}; sim[name] gives what "
                "exists in all of them, sim.pieces each stretch"
            )
        return self.segments

    # ------------------------------------------------------------------------------------------------ state

    @cached_property
    def t(self) -> Array:
        """The times, in seconds, as an array; at an event and at a switch there are two, before and after."""
        return concatenation([s.t for s in self.segments])

    @property
    def q(self) -> Array:
        """Coordinates, a row for each time.

        >>> m = sb.Model("cart")
        >>> F, k = m.input("F"), m.parameter("k", 4.0)
        >>> rail = m.prismatic("x", m.ground, m.body("cart", mass=1.0), stiffness=k, actuation=F)
        >>> sim = sb.simulate(sb.derive(m), [0.0, 0.5, 1.0], F=0.0, x=1.0)
        >>> sim.t, sim.q[-1], sim.u[-1], sim.z.shape  # cos 2t, -2 sin 2t
        (array([0. , 0.5, 1. ]), array([-0.416147]), array([-1.818595]), (3, 0))
        >>> sim.y[-1], sim.p, sim.r, dict(sim.parameters), sim.kinds["k"]
        (array([-0.416147, -1.818595]), array([4.]), array([0.]), {'k': 4.0}, 'parameter')
        >>> sim.final, sim.names, sim.input_names, sim.output_names
        ({'x': -0.416147, 'x_dot': -1.818595}, ['x', 'x_dot'], ['F'], [])

        See also: `State`, `Trajectory.columns`.
        """
        return concatenation([s.q for s in self._alike("q")])

    @property
    def u(self) -> Array:
        """Speeds, a row for each time."""
        return concatenation([s.u for s in self._alike("u")])

    @property
    def z(self) -> Array:
        """Additional variables, a row for each time."""
        return concatenation([s.z for s in self._alike("z")])

    @property
    def y(self) -> Array:
        """q, u, z in a row for each time."""
        return concatenation([s.y for s in self._alike("q", "u", "z")])

    @property
    def p(self) -> Array:
        """Parameters; of a motion from mode to mode those that all modes begin with: directions of slip in space, which
        some modes of contacts have after them, are in `sim.pieces`."""
        least = min(self.segments, key=lambda s: len(s.equations.p))
        own = least.equations.p
        if any(s.equations.p[: len(own)] != own for s in self.segments):
            self._alike("p")
        return least.p

    @property
    def r(self) -> Array:
        """Inputs that were constant."""
        return self._alike("r")[0].r

    @property
    def final(self) -> dict[str, float]:
        """The last state by name; `sim.final["tip"]` of an output too."""
        last = next(s for s in reversed(self.segments) if len(s))
        return _FinalState(last)

    @property
    def state(self) -> State:
        """The last state, to go on from: `simulate(eq, 20, start=sim)`."""
        last = next((s for s in reversed(self.segments) if len(s)), None)
        if last is None:
            raise SimulationError(f"trajectory of {self.name!r}: it has no state; {self.outcome}")
        return last.state(-1, "end of a trajectory")

    def at(self, times: ArrayLike) -> Self:
        """The motion at other times between its first and last; at a jump or a switch the state after it. Where
        equations switch, in order.

        >>> x = sb.symbol("x", "variable")
        >>> sim = sb.simulate(sb.from_equations({x: -x}), 2.0, x=1.0)
        >>> sim.at([0.5, 1.0])["x"]
        array([0.606531, 0.367879])

        See also: `Trajectory.values`, `simulate`.
        """
        try:
            wanted = np.atleast_1d(np.asarray(times, dtype=np.float64))
        except (TypeError, ValueError):
            wanted = np.zeros((0, 0))
        if wanted.ndim != 1:
            raise SimulationError(
                f"trajectory of {self.name!r}: at() takes times, one or several in a row, got {shown(times)}"
            )
        if len(self.segments) == 1:
            return replace(self, segments=(self.segments[0].at(wanted),))
        spans = [s.span for s in self.segments]
        begin, end = spans[0][0], spans[-1][1]
        if np.any(np.diff(wanted) < 0):
            raise SimulationError(f"times must be in the order of the motion, which goes from {begin:g} to {end:g}")
        outside = wanted[(wanted < begin) | (wanted > end)]
        if len(outside):
            raise SimulationError(f"t = {outside[0]:g} is outside the trajectory, which goes from {begin:g} to {end:g}")
        owner = np.searchsorted([s[0] for s in spans], wanted, side="right") - 1
        kept = dict.fromkeys(owner.tolist() or [0])  # of no times one segment, without any
        return replace(self, segments=tuple(self.segments[k].at(wanted[owner == k]) for k in kept))


def concatenation(parts: Sequence[Array]) -> Array:
    """One after another; one alone is returned as it is."""
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


class _FinalState(dict[str, float]):
    """The last state by name; outputs and accelerations are computed when requested."""

    def __init__(self, last: Segment) -> None:
        super().__init__(zip(last.names, last.y[-1].tolist(), strict=True))
        self._last = last

    def __missing__(self, name: str) -> float:
        return float(self._last.state(-1, "end of a trajectory")[name])

"""Starts for orbits of hybrid systems. The home mode of an orbit is the mode with the longest interval without an
event: there the orbit begins and ends, and its states, constraints and multipliers are those of that mode."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from ....algebra.graph.graph import Symbol
from ....errors import StabilityError, listed, shown
from ....integrate.modes.switching import simulate_modes
from ....integrate.result.trajectory import Trajectory
from ....integrate.start.state import State, start_values
from ..problem.itineraries import HybridSystem, ModeItinerary
from ..problem.orbit_flow import OrbitFlow
from .hybrid_orbit import HybridOrbit
from .orbit import flow_of
from .orbit_start import settled_period

# difference between a step and the image of the previous one, relative to the states, below which they agree
IMAGE_TOLERANCE: Final = 1e-6
PERIODS: Final = 2  # number of periods simulated from values; the second covers orbits that begin late in the first


def home_of(
    system: HybridSystem,
    start: Any,
    values: Mapping[Any, Any],
    T: float | None,
    events: tuple[Any, ...],
    steps: int = 1,
) -> tuple[ModeItinerary, State, float]:
    """The course of the orbit near a motion, a state in its home, and about how long it lasts: a period, or one of the
    steps that make one."""
    if isinstance(start, Trajectory):
        motion, T = _checked_motion(system, start, values), T or _settled_period(system, start, events) / steps
        first = float(start.t[-1]) - T
    else:
        motion, first, T = *_motion_from_values(system, start, values, T, events), T or 0.0
    times = {first, first + T, *(s.span[0] for s in motion.segments), *(e.t for e in motion.events)}
    inside = [t for t in sorted(times) if first <= t <= first + T]
    k = int(np.argmax(np.diff(inside)))
    home = motion.at(np.array([(inside[k] + inside[k + 1]) / 2])).segments[0]
    own = {s.name for s in home.equations.variables.constants}
    numbers = {
        s.name: float(x)
        for part in motion.segments
        for s, x in zip(part.equations.variables.constants, np.concatenate([part.p, part.r]), strict=True)
    }
    more = tuple(sorted((n, x) for n, x in numbers.items() if n not in own and n in system.kinds))
    return ModeItinerary(system, home.mode, events, more), home.state(0), T


def _checked_motion(system: HybridSystem, motion: Trajectory, values: Mapping[Any, Any]) -> Trajectory:
    where = f"orbit of {system.name!r}"
    if values:
        raise StabilityError(
            f"{where}: a trajectory has all its values; leave out {listed(map(str, values))}, or simulate with them"
        )
    if wrong := [s.mode for s in motion.segments if s.equations is not system.equations(s.mode)]:
        raise StabilityError(
            f"{where}: mode {wrong[0]!r} of the trajectory belongs to another system. A motion with inputs= belongs to the closed loop: create the contacts from "
            "sb.closed_loop(eq, inputs), and simulate these"
        )
    return motion


def _settled_period(system: HybridSystem, motion: Trajectory, events: tuple[Any, ...]) -> float:
    """The period of a settled motion."""
    course = ModeItinerary(system, motion.modes[-1], events)
    return settled_period(flow_of(system.equations(course.mode), {}, None, course), motion, None)


def _motion_from_values(
    system: HybridSystem, start: Any, values: Mapping[Any, Any], T: float | None, events: tuple[Any, ...]
) -> tuple[Trajectory, float]:
    """A motion from values over two periods, and its initial time."""
    where = f"orbit of {system.name!r}"
    if T is None:
        raise StabilityError(f"{where}: from values the search needs period=, about that of the orbit")
    given = {**start_values(start, where), **{str(k): v for k, v in values.items()}}
    begin = float(given.pop("t", 0.0))
    motion = simulate_modes(system, (begin, begin + PERIODS * T), given, events=events, options={"progress": False})
    if not motion.outcome:
        raise StabilityError(f"{where}: the motion from these values does not last for two periods: {motion.outcome}")
    return motion, begin


def refuse_unsuited(system: HybridSystem, form: str, segments: int | None, mirror: Any) -> None:
    """Options that are for orbits in one set of equations."""
    where = f"orbit of {system.name!r}"
    if form == "collocation" or (segments or 1) != 1:
        raise StabilityError(
            f"{where}: orbits pass modes by form='shooting' in one segment; leave out form= and segments="
        )
    if len(mirror):
        raise StabilityError(
            f"{where}: mirror= is for orbits in one set of equations; got {shown(mirror)}. Where modes change places too, "
            "give swap=, which also changes signs: swap={'lean': '-lean', 'left': 'right'}"
        )


def image_of(system: HybridSystem, mode: str, swap: Mapping[Any, Any]) -> tuple[tuple[str, str, float], ...]:
    """States that change places or signs: those named, and the speeds that are their rates."""
    eq = system.equations(mode)
    found: dict[str, tuple[str, float]] = {}
    known, where = eq.variables.of("q u z"), f"orbit of {system.name!r}, swap"
    rates = {q.name: r.name for q, r in zip(eq.q, eq.rates.entries, strict=True) if isinstance(r, Symbol) and r in eq.u}
    for one, other in swap.items():
        name, given = str(getattr(one, "name", one)), str(getattr(other, "name", other))
        sign, partner = (-1.0, given[1:].strip()) if given.startswith("-") else (1.0, given)
        for s in (name, partner):
            known.symbol(s, where, StabilityError)
        pairs = [(name, partner), *([(rates[name], rates[partner])] if name in rates and partner in rates else [])]
        for a, b in pairs:
            found |= {a: (b, sign), b: (a, sign)}
    return tuple((a, b, sign) for a, (b, sign) in found.items())


def refuse_false_image(orbit: HybridOrbit) -> None:
    """An orbit that closes under other names is one only where the next step is its image."""
    if orbit.is_image and not (_is_turned_alike(orbit) and _comes_back(orbit)):
        said = listed(f"{a}: {'-' * (sign < 0)}{b}" for a, b, sign in orbit.setting.image)
        raise StabilityError(
            f"orbit of {orbit.equations.name!r}: with swap = {said} the motion closes after a step, but the next step is not its image; "
            "name all coordinates and variables that change places or signs, or leave swap= out"
        )


def _is_turned_alike(orbit: HybridOrbit) -> bool:
    """Whether rates at the end of a step are the image of those at its beginning."""
    end, begin = orbit.motion.state, orbit.state
    there = flow_of(end.equations, {}, None, orbit.course.from_mode(orbit.motion.modes[-1], {}))
    own, images = _rates(orbit.flow, begin), _rates(there, end)
    off = [abs(sign * images.get(other, np.inf) - own[s]) for s, other, sign in _images(orbit)]
    return bool(max(off) <= IMAGE_TOLERANCE * max(map(abs, own.values())))


def _rates(flow: OrbitFlow, state: State) -> dict[str, float]:
    x, p = (
        np.array([state[s.name] for s in flow.x]),
        np.array([state[s.name] for s in flow.equations.variables.constants]),
    )
    return dict(zip((s.name for s in flow.x), flow.along(np.array([state.t]), x[None], p)[0][0].tolist(), strict=True))


def _comes_back(orbit: HybridOrbit) -> bool:
    """Whether the step behind the first leads back to where that began."""
    begin, second = orbit.state, orbit.rounds[-1]
    if not second.outcome or second.segments[-1].equations is not orbit.equations:
        return False
    end = second.state
    return bool(
        max(abs(end[s] - begin[s]) for s in orbit.names) <= IMAGE_TOLERANCE * max(abs(begin[s]) for s in orbit.names)
    )


def _images(orbit: HybridOrbit) -> list[tuple[str, str, float]]:
    """Of all states: (state, other, sign)."""
    others = {state: (other, sign) for state, other, sign in orbit.setting.image}
    return [(s, *others.get(s, (s, 1.0))) for s in orbit.names]

"""Where orbits of hybrid systems begin. The mode in which a motion goes on longest without an event is the home of its
orbit: there the orbit begins and ends, and its states, constraints and multipliers are those of that mode."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from ...errors import StabilityError, listed, shown
from ...integrate.state import State, start_values
from ...integrate.switching import simulate_modes
from ...integrate.trajectory import Trajectory
from .courses import HybridSystem, ModeCourse
from .orbit import flow_of
from .orbit_start import settled_period

ROUNDS: Final = 2  # simulated from values: the second is there for orbits that begin late in the first


def home_of(
    system: HybridSystem, start: Any, values: Mapping[Any, Any], T: float | None, events: tuple[Any, ...]
) -> tuple[ModeCourse, State, float]:
    """The course of the orbit near a motion, a state in its home, and about how long it lasts."""
    if isinstance(start, Trajectory):
        motion, T = _checked(system, start, values), T or _settled(system, start, events)
        first = float(start.t[-1]) - T
    else:
        motion, first, T = *_simulated(system, start, values, T, events), T or 0.0
    times = {first, first + T, *(s.span[0] for s in motion.segments), *(e.t for e in motion.events)}
    inside = [t for t in sorted(times) if first <= t <= first + T]
    k = int(np.argmax(np.diff(inside)))
    home = motion.at(np.array([(inside[k] + inside[k + 1]) / 2])).segments[0]
    own = {s.name for s in home.equations.constants}
    numbers = {
        s.name: float(x)
        for part in motion.segments
        for s, x in zip(part.equations.constants, np.concatenate([part.p, part.r]), strict=True)
    }
    more = tuple(sorted((n, x) for n, x in numbers.items() if n not in own and n in system.kinds))
    return ModeCourse(system, home.mode, events, more), home.state(0), T


def _checked(system: HybridSystem, motion: Trajectory, values: Mapping[Any, Any]) -> Trajectory:
    where = f"orbit of {system.name!r}"
    if values:
        raise StabilityError(
            f"{where}: a trajectory has all its values; leave out {listed(map(str, values))}, or simulate with them"
        )
    if wrong := [s.mode for s in motion.segments if s.equations is not system.equations(s.mode)]:
        raise StabilityError(f"{where}: the trajectory has a mode {wrong[0]!r} that is one of another system")
    return motion


def _settled(system: HybridSystem, motion: Trajectory, events: tuple[Any, ...]) -> float:
    """The period of a motion that has settled."""
    course = ModeCourse(system, motion.modes[-1], events)
    return settled_period(flow_of(system.equations(course.mode), {}, None, course), motion, None)


def _simulated(
    system: HybridSystem, start: Any, values: Mapping[Any, Any], T: float | None, events: tuple[Any, ...]
) -> tuple[Trajectory, float]:
    """A motion from values over two periods, and when it begins."""
    where = f"orbit of {system.name!r}"
    if T is None:
        raise StabilityError(f"{where}: from values the search needs period=, about that of the orbit")
    given = {**start_values(start, where), **{str(k): v for k, v in values.items()}}
    begin = float(given.pop("t", 0.0))
    motion = simulate_modes(system, (begin, begin + ROUNDS * T), given, events=events, options={"progress": False})
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
        raise StabilityError(f"{where}: mirror= is for orbits in one set of equations; got {shown(mirror)}")

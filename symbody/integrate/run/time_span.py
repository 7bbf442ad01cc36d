"""The time of a motion: the one reading of `t`."""

from __future__ import annotations

from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from ...emit.run.callable import Array
from ...errors import SimulationError, shown
from ...simulation_options import SimulationOptions


class TimeSpan(NamedTuple):
    """Begin and end of a motion, and the times at which states are wanted (None: at every step)."""

    begin: float
    end: float
    times: Array | None

    @property
    def duration(self) -> float:
        return abs(self.end - self.begin)


def time_span(t: Any, where: str, now: float = 0.0) -> TimeSpan:
    """The time that `t` means: the end, (begin, end), or an array of times.

    where   for messages: the call, and the name of the equations
    now     the time of the start, at which a motion begins whose end alone is given
    """
    try:
        given = np.asarray(t, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise SimulationError(
            f"{where}: t is the end, (begin, end), or an array of times, all finite; got {shown(t)}"
        ) from None
    if given.ndim == 0:
        span = TimeSpan(now, float(given), None)
        _refuse_past(where, t, span)
    elif isinstance(t, (tuple, list)) and given.shape == (2,):
        span = TimeSpan(float(given[0]), float(given[1]), None)
    elif given.ndim == 1 and len(given) >= 2:
        span = TimeSpan(float(given[0]), float(given[-1]), given)
        if not (np.all(np.diff(given) > 0) or np.all(np.diff(given) < 0)):
            raise SimulationError(f"{where}: times must increase (or decrease) throughout")
    else:
        raise SimulationError(f"{where}: t is the end, (begin, end), or an array of times; got {shown(t)}")
    if not (isfinite(span.begin) and isfinite(span.end) and (span.times is None or np.all(np.isfinite(span.times)))):
        raise SimulationError(f"{where}: t must be finite, got {shown(t)}")
    if span.begin == span.end:
        raise SimulationError(f"{where}: t has no length, from {span.begin:g} to {span.end:g}")
    return span


def _refuse_past(where: str, t: Any, span: TimeSpan) -> None:
    now, end = span.begin, span.end
    if now and end < now:
        raise SimulationError(
            f"{where}: the start is at t = {now:z.9g}, later than the end t = {shown(t)}; t=({now:z.9g}, {now + abs(end):z.9g}) goes on for "
            f"{abs(end):z.9g}, t=({now:z.9g}, {end:z.9g}) goes backwards, t=(0, {end:z.9g}) takes this state as that at t = 0"
        )


def check_steps(o: SimulationOptions, span: TimeSpan) -> None:
    """A step must change the time, and steps of one length must not be more than a run may take: where `max_steps` was
    not given, nothing says that a part of the motion is wanted."""
    latest = max(abs(span.begin), abs(span.end))
    least = float(np.spacing(latest))
    for name, step in (("step", o.step), ("first_step", o.first_step), ("max_step", o.max_step)):
        if step is not None and step < least:
            raise SimulationError(
                f"{name} = {shown(step)} is lost in rounding: times near {latest:g} are {least:z.3g} apart"
            )
    if o.step is not None and span.duration / o.step > o.max_steps == SimulationOptions.max_steps:
        raise SimulationError(
            f"step = {shown(o.step)} makes {span.duration / o.step:z.2g} steps of {span.duration:g}, more than max_steps = {o.max_steps:z.0e}; "
            "take longer steps or a shorter time, or leave step= out, so that steps are as long as rtol allows"
        )

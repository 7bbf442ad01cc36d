"""Figures of motions, one or several: quantities over time, over another quantity, or over two others in space."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from ...emit.run.callable import Array
from ...errors import ViewError, shown
from ...integrate.result.segment import Segment
from ...integrate.result.trajectory import Trajectory, values_along
from .figure import MARKS, Curve, Figure, Note, Panel
from .marks import CurveInTime, MarkedTimes, marked_times
from .run_labels import labels_of_runs
from .shown_quantities import Shown, ShownTogether, asked_for, quantity, usual

MAX_CURVES: Final = 8  # largest number of curves in one panel
MAX_PANELS: Final = 3  # largest number of panels of one kind when nothing is named
POINTS: Final = 1200  # number of points of a smooth curve
MAX_SIZE_RATIO: Final = 12.0  # largest ratio of sizes of the curves in one panel
FLOOR_DECADES: Final = 1e4  # smallest ratio of the ends of a logarithmic scale that has a floor
TIME: Final = "time [s]"


def motion_figure(
    sims: Sequence[Trajectory] | Mapping[str, Trajectory],
    *what: Any,
    title: str = "",
    over: Any = None,
    equal: bool | None = None,
    labels: Sequence[str] | None = None,
    mark: Any = (),
) -> Figure:
    """One motion: a panel for each list, each word and each unit. Several: a panel for each quantity, a curve for each
    motion; a list or a mapping of quantities stays in one panel.

    mark   "start", "end", "events", times, and zeros of expressions, at which points are drawn; by name in a mapping
    """
    runs = list(sims.values()) if isinstance(sims, Mapping) else list(sims)
    first = runs[0]
    across = _across(first, over)
    together = asked_for(first, what) if what else usual(first)
    marks = [marked_times(sim, mark) for sim in runs]
    if len(runs) == 1:
        panels = _panels(first, together, across, equal, marks[0], is_chosen=bool(what))
    else:
        names = list(sims) if isinstance(sims, Mapping) else labels_of_runs(runs, labels)
        panels = _beside(runs, names, _with_one_quantity(together), across, equal, marks)
    size = (6.4, 4.8 * len(panels)) if len(across) == 2 else (7.0, 0.0)
    return Figure(title or first.name, tuple(panels), shares_x=not across, size=size)


def _across(sim: Trajectory, over: Any) -> list[Shown]:
    """The horizontal quantities: none for time, one for a plane, two for space."""
    wanted = [] if over is None else list(over) if isinstance(over, (list, tuple)) else [over]
    if isinstance(over, Mapping):
        return [quantity(sim.segments[0].equations, w, k, name) for k, (name, w) in enumerate(over.items())]
    if len(wanted) > 2:
        raise ViewError(f"plot of {sim.name!r}: a motion is drawn over time, one quantity or two; got {shown(over)}")
    return [quantity(sim.segments[0].equations, w, k) for k, w in enumerate(wanted)]


def _with_one_quantity(together: Sequence[ShownTogether]) -> list[ShownTogether]:
    """A panel for each quantity, but for lists and mappings."""
    apart = ([some] if some.is_kept else [ShownTogether("", (x,)) for x in some.quantities] for some in together)
    return [some for panels in apart for some in panels][:MAX_CURVES]


def _panels(
    sim: Trajectory, together: Sequence[ShownTogether], across: list[Shown], equal: bool | None, marks: MarkedTimes, is_chosen: bool
) -> list[Panel]:  # fmt: skip
    fine = smooth(sim)
    panels = []
    for some in together:
        drawn = _curves(sim, fine, some, across)
        for alike in [drawn] if is_chosen else _alike(drawn):
            rest = f" ({MAX_CURVES} of {len(alike)})" if len(alike) > MAX_CURVES else ""
            curves = [replace(d, curve=replace(d.curve, group=k)) for k, d in enumerate(alike[:MAX_CURVES])]
            panels.append(_panel(curves, [marks] * len(curves), some, some.label + rest, across, equal))
    return panels


def _beside(
    runs: Sequence[Trajectory], names: Sequence[str], together: Sequence[ShownTogether], across: list[Shown], equal: bool | None,
    marks: Sequence[MarkedTimes],
) -> list[Panel]:  # fmt: skip
    """Colours distinguish motions, or quantities if a panel has several, and each curve has a mark."""
    fine = [smooth(sim) for sim in runs]
    panels = []
    for some in together:
        columns = [_curves(sim, many, some, across) for sim, many in zip(runs, fine, strict=True)]
        is_mixed = len(some.quantities) > 1
        drawn, marked = list[CurveInTime](), list[MarkedTimes]()
        for j in range(len(columns[0])):
            for n, (name, column) in enumerate(zip(names, columns, strict=True)):
                curve = column[j].curve
                label, group = (f"{curve.label}, {name}", j) if is_mixed else (name, n)
                shape = MARKS[len(drawn) % len(MARKS)] if is_mixed else ""
                drawn.append(replace(column[j], curve=replace(curve, label=label, group=group, mark=shape)))
                marked.append(marks[n])
        count = MAX_CURVES * len(some.quantities)
        panels.append(_panel(drawn[:count], marked[:count], some, some.label, across, equal))
    return panels


def _panel(
    drawn: Sequence[CurveInTime], marks: Sequence[MarkedTimes], some: ShownTogether, label: str, across: Sequence[Shown], equal: bool | None
) -> Panel:  # fmt: skip
    """Curves with marks on them. Scales are equal if requested, or if all axes have one unit."""
    found = [d.marked(times) for d, times in zip(drawn, marks, strict=True)]
    curves = (*(d.curve for d in drawn), *(c for points, _ in found for c in points))
    floor = _floor(drawn, some)
    units = {x.unit for x in (*some.quantities, *across)}
    is_equal = bool(across) and units != {""} and len(units) == 1 if equal is None else equal
    panel = Panel(
        *_axes(across, label), curves, y_scale=some.scale, is_equal=is_equal, notes=tuple(n for _, notes in found for n in notes),
        z_label=some.label or "values" if len(across) == 2 else "",
    )  # fmt: skip
    return _with_floor(panel, floor) if floor else panel


def _floor(drawn: Sequence[CurveInTime], some: ShownTogether) -> float:
    """The level at which some values are drawn that are smaller; zero if there are none."""
    floor = max(x.floor for x in some.quantities)
    return floor if any((d.curve.y <= floor).any() for d in drawn) else 0.0


def _with_floor(panel: Panel, floor: float) -> Panel:
    """A line at the floor of a logarithmic scale, some decades above which are shown in any case."""
    level = Curve(np.zeros(1), np.full(1, floor), kind="level")
    end = max(float(c.x[-1]) for c in panel.curves if len(c.x))
    top = max(float(np.nanmax(c.y, initial=0.0)) for c in panel.curves)
    word = Note(end, floor, "rounding", "left")
    span = (floor / 3, max(3 * top, FLOOR_DECADES * floor))
    return replace(panel, curves=(*panel.curves, level), notes=(*panel.notes, word), y_range=span)


def _axes(across: Sequence[Shown], label: str) -> tuple[str, str]:
    if len(across) == 2:
        return across[0].with_unit, across[1].with_unit
    return (across[0].with_unit if across else TIME), label


def _curves(sim: Trajectory, fine: Trajectory, some: ShownTogether, across: Sequence[Shown]) -> list[CurveInTime]:
    """Quantities that are evaluated, all at once, and those that are measured directly."""
    evaluated = [x for x in some.quantities if x.measured is None]
    values = (
        dict(zip(map(id, evaluated), values_along(fine, [x.what for x in evaluated], is_drawn=True), strict=True))
        if evaluated
        else {}
    )
    places = (
        [v / a.factor for v, a in zip(fine.values([a.what for a in across]), across, strict=True)] if across else []
    )
    curves = []
    for x in some.quantities:
        t, y = (fine.t, values[id(x)] / x.factor) if x.measured is None else x.measured(sim, fine)
        if across and len(t) != len(fine.t):
            raise ViewError(f"plot of {sim.name!r}: {x.label} is known at steps, so it is drawn over time only")
        curves += [CurveInTime(c, t) for c in _by_entry(t, y, replace(x, label=some.legend(x)), places)]
    return curves


def _by_entry(t: Array, y: Array, x: Shown, places: Sequence[Array]) -> list[Curve]:
    """A curve; of a vector or a matrix one for each entry."""
    if y.ndim > 1:
        rows = y.reshape(len(y), -1).T
        ends = [f", {axis}" for axis in "xyz"] if len(rows) == 3 else [f"[{k}]" for k in range(len(rows))]
        entries = (replace(x, label=f"{x.label}{end}") for end in ends)
        return [c for row, entry in zip(rows, entries, strict=True) for c in _by_entry(t, row, entry, places)]
    if len(places) == 2:
        return [Curve(places[0], places[1], x.label, x.kind, z=y)]
    return [Curve(places[0] if places else t, y, x.label, x.kind)]


def _alike(curves: list[CurveInTime]) -> list[list[CurveInTime]]:
    """Curves that can be read on one scale, together: a wheel that turns on and on would flatten all others."""
    out: list[list[CurveInTime]] = []
    tops: list[float] = []
    for curve in sorted(curves, key=lambda c: -float(np.max(np.abs(c.curve.y), initial=0.0))):
        size = float(np.max(np.abs(curve.curve.y), initial=0.0))
        if out and (size > tops[-1] / MAX_SIZE_RATIO or size == 0.0 or len(out) == MAX_PANELS):
            out[-1].append(curve)
        else:
            out.append([curve])
            tops.append(size)
    order = {id(c): k for k, c in enumerate(curves)}
    return [sorted(some, key=lambda c: order[id(c)]) for some in out]


def smooth(sim: Trajectory) -> Trajectory:
    """The motion at enough times for smooth curves, with its own where there are events; each piece from its begin to
    its end."""
    if not sim.is_dense or len(sim) >= POINTS:
        return sim
    whole = abs(float(sim.t[-1] - sim.t[0]))
    return replace(sim, segments=tuple(_smooth_segment(s, whole) for s in sim.segments))


def _smooth_segment(s: Segment, whole: float) -> Segment:
    begin, end = s.span
    count = max(2, round(POINTS * abs(end - begin) / whole)) if whole else 2
    times = np.unique(np.concatenate([s.t, np.linspace(begin, end, count)]))
    return s.at(times if end >= begin else times[::-1])

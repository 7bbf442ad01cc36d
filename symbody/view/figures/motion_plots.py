"""Figures of motions, one or several: quantities over time, over another quantity, or over two others in space."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from ...emit.run.callable import Array
from ...errors import ViewError, shown
from ...integrate.result.segment import Segment
from ...integrate.result.trajectory import Trajectory
from .figure import Curve, Figure, Panel
from .run_labels import labels_of_runs
from .shown_quantities import Shown, ShownTogether, asked_for, quantity, usual

MAX_CURVES: Final = 8  # largest number of curves in one panel
MAX_PANELS: Final = 3  # largest number of panels of one kind when nothing is named
POINTS: Final = 1200  # number of points of a smooth curve
MAX_SIZE_RATIO: Final = 12.0  # largest ratio of sizes of the curves in one panel
TIME: Final = "time [s]"


def motion_figure(
    sims: Sequence[Trajectory] | Mapping[str, Trajectory],
    *what: Any,
    title: str = "",
    over: Any = None,
    equal: bool | None = None,
    labels: Sequence[str] | None = None,
) -> Figure:
    """One motion: a panel for each list, each word and each unit. Several: a panel for each quantity, a curve for each
    motion."""
    runs = list(sims.values()) if isinstance(sims, Mapping) else list(sims)
    first = runs[0]
    across = _across(first, over)
    together = asked_for(first, what) if what else usual(first)
    if len(runs) == 1:
        panels = _panels(first, together, across, equal, is_chosen=bool(what))
    else:
        names = list(sims) if isinstance(sims, Mapping) else labels_of_runs(runs, labels)
        panels = _beside(runs, names, [x for some in together for x in some.quantities][:MAX_CURVES], across, equal)
    size = (6.4, 4.8 * len(panels)) if len(across) == 2 else (7.0, 0.0)
    return Figure(title or first.name, tuple(panels), shares_x=not across, size=size)


def _across(sim: Trajectory, over: Any) -> list[Shown]:
    """The horizontal quantities: none for time, one for a plane, two for space."""
    wanted = [] if over is None else list(over) if isinstance(over, (list, tuple)) else [over]
    if len(wanted) > 2:
        raise ViewError(f"plot of {sim.name!r}: a motion is drawn over time, one quantity or two; got {shown(over)}")
    return [quantity(sim, w, k) for k, w in enumerate(wanted)]


def _panels(
    sim: Trajectory, together: Sequence[ShownTogether], across: list[Shown], equal: bool | None, is_chosen: bool
) -> list[Panel]:
    fine = smooth(sim)
    panels = []
    for some in together:
        curves = _curves(sim, fine, some.quantities, across)
        for alike in [curves] if is_chosen else _alike(curves):
            rest = f" ({MAX_CURVES} of {len(alike)})" if len(alike) > MAX_CURVES else ""
            panel = Panel(*_axes(across, some.label + rest), tuple(alike[:MAX_CURVES]), y_scale=some.scale)
            panels.append(_scaled_panel(panel, some, across, equal))
    return panels


def _beside(
    runs: Sequence[Trajectory], names: Sequence[str], wanted: Sequence[Shown], across: list[Shown], equal: bool | None
) -> list[Panel]:
    columns = [_curves(sim, smooth(sim), wanted, across) for sim in runs]
    panels = []
    for k, x in enumerate(wanted):
        curves = [
            replace(column[k], label=name, group=n) for n, (name, column) in enumerate(zip(names, columns, strict=True))
        ]
        panel = Panel(*_axes(across, x.with_unit), tuple(curves[:MAX_CURVES]), y_scale=x.scale)
        panels.append(_scaled_panel(panel, ShownTogether("", (x,)), across, equal))
    return panels


def _axes(across: Sequence[Shown], label: str) -> tuple[str, str]:
    if len(across) == 2:
        return across[0].with_unit, across[1].with_unit
    return (across[0].with_unit if across else TIME), label


def _scaled_panel(panel: Panel, some: ShownTogether, across: Sequence[Shown], equal: bool | None) -> Panel:
    """The panel with equal scales if requested, or if all axes have one unit; in space with a label of the third
    axis."""
    units = {x.unit for x in (*some.quantities, *across)}
    is_equal = bool(across) and units != {""} and len(units) == 1 if equal is None else equal
    return replace(panel, is_equal=is_equal, z_label=some.label or "values" if len(across) == 2 else "")


def _curves(sim: Trajectory, fine: Trajectory, wanted: Sequence[Shown], across: Sequence[Shown]) -> list[Curve]:
    """Quantities that are evaluated, all at once, and those that are measured directly."""
    evaluated = [x for x in wanted if x.measured is None]
    values = dict(zip(map(id, evaluated), fine.values([x.what for x in evaluated]), strict=True)) if evaluated else {}
    places = (
        [v / a.factor for v, a in zip(fine.values([a.what for a in across]), across, strict=True)] if across else []
    )
    curves = []
    for x in wanted:
        t, y = (fine.t, values[id(x)] / x.factor) if x.measured is None else x.measured(sim, fine)
        if across and len(t) != len(fine.t):
            raise ViewError(f"plot of {sim.name!r}: {x.label} is known at steps, so it is drawn over time only")
        curves += _by_entry(t, y, x, places)
    return curves


def _by_entry(t: Array, y: Array, x: Shown, places: Sequence[Array]) -> list[Curve]:
    """A curve; of a vector or a matrix one for each entry."""
    if y.ndim > 1:
        rows = y.reshape(len(y), -1).T
        return [c for k, row in enumerate(rows) for c in _by_entry(t, row, replace(x, label=f"{x.label}[{k}]"), places)]
    if len(places) == 2:
        return [Curve(places[0], places[1], x.label, x.kind, z=y)]
    return [Curve(places[0] if places else t, y, x.label, x.kind)]


def _alike(curves: list[Curve]) -> list[list[Curve]]:
    """Curves that can be read on one scale, together: a wheel that turns on and on would flatten all others."""
    out: list[list[Curve]] = []
    tops: list[float] = []
    for curve in sorted(curves, key=lambda c: -float(np.max(np.abs(c.y), initial=0.0))):
        size = float(np.max(np.abs(curve.y), initial=0.0))
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

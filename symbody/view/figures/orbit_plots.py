"""Orbits over their period, in a plane or in space, their multipliers on the unit circle, and families of them over
the varied value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from ...emit.run.callable import Array
from ...errors import ViewError
from ...stability.periodic.families.orbit_branch import PERIOD, OrbitBranch
from ...stability.periodic.families.orbit_points import SpecialOrbit
from ...stability.periodic.families.special_orbit_curve import SpecialOrbitCurve
from ...stability.periodic.orbits.orbit import Orbit
from .figure import MARKS, Curve, Figure, Note, Panel
from .marks import CurveInTime, MarkedTimes, marked_times
from .quantity_labels import QuantityLabel, label_of
from .shown_quantities import Shown, ShownTogether, panels_asked_for, quantity

MAX_CURVES: Final = 6  # largest number of curves of an orbit when none is named
MULTIPLIERS: Final = "multipliers"


def orbit_figure(
    orbits: Sequence[Orbit] | Mapping[str, Orbit],
    *what: Any,
    title: str = "",
    over: Any = None,
    labels: Sequence[str] | None = None,
    mark: Any = (),
) -> Figure:
    """Quantities over one period, over another quantity, or over two others in space; "multipliers" on the unit circle.

    mark   "start", times, and zeros of expressions, at which points are drawn; by name in a mapping
    """
    runs = list(orbits.values()) if isinstance(orbits, Mapping) else list(orbits)
    first = runs[0]
    for o in runs:
        if not o.is_periodic:
            raise ViewError(f"plot of an orbit of {o.equations.name!r}: {o.outcome}")
    several = "orbits" if len(runs) > 1 else "an orbit"
    if what == (MULTIPLIERS,):
        return multiplier_figure(
            [o.multipliers for o in runs], title or f"multipliers of {several} of {first.equations.name}"
        )
    wanted = what or [s.name for s in first.flow.x][:MAX_CURVES]
    names = list(orbits) if isinstance(orbits, Mapping) else _orbit_names(runs, labels)
    across = _axes_of(first, over)
    drawn = [
        _OrbitCurves(o, n, k, across, marked_times(o, mark)) for k, (o, n) in enumerate(zip(runs, names, strict=True))
    ]
    panels = tuple(_orbit_panel(drawn, some, across) for some in _orbit_quantities(first, wanted, len(runs)))
    said = " ".join(f"Period {o.period:z.6g}, {'stable' if o.is_stable else 'unstable'}." for o in runs)
    return Figure(title or f"{several} of {first.equations.name}".replace("an orbit", "orbit"), panels, caption=said)


def _orbit_names(orbits: Sequence[Orbit], labels: Sequence[str] | None) -> list[str]:
    if labels is not None and len(labels) != len(orbits):
        raise ViewError(f"plot of {len(orbits)} orbits: labels= has {len(labels)} labels; give one for each")
    return [f"period {o.period:z.6g}" for o in orbits] if labels is None else [str(x) for x in labels]


def _orbit_quantities(orbit: Orbit, wanted: Sequence[Any], count: int) -> list[ShownTogether]:
    """Of one orbit what is named one by one is in one panel; of several each quantity has its own."""
    together = panels_asked_for(f"plot of an orbit of {orbit.equations.name!r}", orbit.equations, wanted)
    alone = tuple(x for some in together if not some.is_kept for x in some.quantities)
    if count == 1 and len(alone) > 1:
        return [ShownTogether("", alone), *(some for some in together if some.is_kept)]
    return together


def _axes_of(orbit: Orbit, over: Any) -> list[Shown]:
    """The horizontal quantities: none for time, one for a plane, two for space."""
    axes = [] if over is None else list(over) if isinstance(over, (tuple, list)) else [over]
    if len(axes) > 2:
        raise ViewError(f"plot of an orbit: it is drawn over time, one quantity or two; got over = {over}")
    return [quantity(orbit.equations, a, k) for k, a in enumerate(axes)]


@dataclass(frozen=True, eq=False)
class _OrbitCurves:
    """One of the orbits in a figure: its name and number, the horizontal quantities, and the times that are marked."""

    orbit: Orbit
    name: str
    number: int
    across: Sequence[Shown]
    marks: MarkedTimes

    def curve(self, x: Shown) -> CurveInTime:
        o, axes = self.orbit, [self._values(a) for a in self.across]
        y, kind = self._values(x), "line" if o.is_stable else "dashed"
        if len(axes) == 2:
            return CurveInTime(Curve(axes[0], axes[1], kind=kind, z=y), o.t)
        return CurveInTime(Curve(axes[0] if axes else o.t - o.t[0], y, kind=kind), o.t)

    def _values(self, x: Shown) -> Array:
        return self.orbit[x.what] / x.factor


def _orbit_panel(drawn: Sequence[_OrbitCurves], some: ShownTogether, across: Sequence[Shown]) -> Panel:
    """Colours distinguish quantities if there are several, else orbits; unstable ones are dashed."""
    is_mixed = len(some.quantities) > 1
    lines, points, notes = list[Curve](), list[Curve](), list[Note]()
    for j, x in enumerate(some.quantities):
        for d in drawn:
            parts = (some.legend(x) if is_mixed or len(drawn) == 1 else "", d.name if len(drawn) > 1 else "")
            shape = MARKS[len(lines) % len(MARKS)] if is_mixed and len(drawn) > 1 else ""
            found = d.curve(x)
            line = replace(
                found.curve, label=", ".join(p for p in parts if p), group=j if is_mixed else d.number, mark=shape
            )
            lines.append(line)
            marked, words = replace(found, curve=line).marked(d.marks)
            points += marked
            notes += words
    names = [a.with_unit for a in across]
    z_label = some.label or "values" if len(across) == 2 else ""
    x_label, y_label = (names[0], names[1]) if z_label else (names[0] if names else "time [s]", some.label)
    return Panel(x_label, y_label, (*lines, *points), notes=tuple(notes), z_label=z_label)


def multiplier_figure(rows: Sequence[Any], title: str) -> Figure:
    """Multipliers in the complex plane, with the circle that they must not leave."""
    angle = np.linspace(0, 2 * np.pi, 181)
    circle = Curve(np.cos(angle), np.sin(angle), "unit circle", kind="line", is_faint=True)
    found = np.concatenate([np.asarray(m) for m in rows]) if rows else np.zeros(0, dtype=complex)
    points = Curve(found.real, found.imag, "multipliers", kind="points")
    return Figure(title, (Panel("real part", "imaginary part", (circle, points), is_equal=True, zero_lines="xy"),))


def orbit_diagram(families: Sequence[OrbitBranch], *what: Any, title: str = "", over: Any = None) -> Figure:
    """The period, or the largest and smallest value of quantities, over what is varied, or over another parameter or
    the period; unstable parts dashed, special orbits named. "multipliers" on the unit circle; their moduli with
    over="a"."""
    first = families[0]
    if what == (MULTIPLIERS,) and over is None:
        rows = [m for b in families for m in b.multipliers]
        return multiplier_figure(rows, title or f"multipliers of orbits of {first.equations.name}")
    wanted = list(what) or [first.problem.flow.x[0].name, PERIOD]
    across = first.varied if over is None else str(over)
    panels = tuple(_moduli(families, across) if w == MULTIPLIERS else _panel(families, across, w) for w in wanted)
    caption = "Dashed: unstable." if any((b.unstable > 0).any() for b in families) else ""
    return Figure(title or f"orbits of {first.equations.name} over {across}", panels, shares_x=True, caption=caption)


def _panel(families: Sequence[OrbitBranch], across: str, what: Any) -> Panel:
    eq = families[0].equations
    x_label = label_of(eq, across)
    y_label = QuantityLabel(PERIOD, "s") if what == PERIOD else label_of(eq, what)
    curves, notes = [], []
    for k, b in enumerate(families):
        x, stable = x_label.shown(b[across]), b.unstable == 0
        lines = [b[PERIOD]] if what == PERIOD else [y_label.shown(e) for e in (b.largest(what), b.smallest(what))]
        for y in lines:
            for is_stable, kind in ((True, "line"), (False, "dashed")):
                shown = stable == is_stable
                shown[1:] |= shown[:-1].copy()
                if shown.any():
                    curves.append(Curve(np.where(shown, x, np.nan), np.where(shown, y, np.nan), kind=kind, group=k))
        places = [
            (_value_at_special_orbit(b, s, x), _value_at_special_orbit(b, s, lines[0]), s.kind) for s in b.special
        ]
        notes += [Note(px, py, word) for px, py, word in places]
        if places:
            curves.append(
                Curve(np.array([p[0] for p in places]), np.array([p[1] for p in places]), kind="points", group=k)
            )
    of = "" if what == PERIOD else "largest and smallest "
    return Panel(x_label.with_unit, f"{of}{y_label.with_unit}", tuple(curves), notes=tuple(notes))


def orbit_curves(curves: Sequence[SpecialOrbitCurve], *what: Any, title: str = "") -> Figure:
    """Special orbits in the plane of both values, or of two quantities that are named."""
    first = curves[0]
    if len(what) not in (0, 2):
        raise ViewError(f"plot of a curve over two values: it is drawn in the plane of two quantities; got {len(what)}")
    across, up = what or first.varied
    x, y = (label_of(first.equations, w) for w in (across, up))
    lines = tuple(Curve(x.shown(c[across]), y.shown(c[up]), c.kind, group=k) for k, c in enumerate(curves))
    found = [(p.known(c.varied), p.kind) for c in curves for p in c.special]
    places = [(x.shown(at[str(across)]), y.shown(at[str(up)]), kind) for at, kind in found]
    dots = Curve(np.array([a for a, _, _ in places]), np.array([b for _, b, _ in places]), kind="points")
    notes = tuple(Note(a, b, kind) for a, b, kind in places)
    panel = Panel(x.with_unit, y.with_unit, (*lines, dots) if places else lines, notes=notes)
    return Figure(title or f"special orbits of {first.equations.name}", (panel,))


def _value_at_special_orbit(family: OrbitBranch, special: SpecialOrbit, y: Array) -> float:
    """A quantity at a special orbit, interpolated between its neighbours by period and varied value."""
    a, b = (family.curve_points[special.place + j].point for j in (0, 1))
    T = special.at.point.T
    steps = np.array([(b.value - a.value) / family.range.size, b.T / a.T - 1])
    way = np.array([(special.value - a.value) / family.range.size, T / a.T - 1])
    part = float(np.clip(way @ steps / max(float(steps @ steps), 1e-300), 0, 1))
    return float(y[special.place] + part * (y[special.place + 1] - y[special.place]))


def _moduli(families: Sequence[OrbitBranch], across: str) -> Panel:
    """|μ| of all multipliers over the varied value, the largest first, and the level 1."""
    x = label_of(families[0].equations, across)
    curves = [Curve(np.zeros(1), np.ones(1), kind="level")]
    for k, b in enumerate(families):
        count = max(map(len, b.multipliers), default=0)
        rows = np.full((len(b), count), np.nan)
        for row, m in zip(rows, b.multipliers, strict=True):
            row[: len(m)] = np.sort(np.abs(m))[::-1]
        curves += [Curve(x.shown(b[across]), y, kind="line", group=k) for y in rows.T]
    return Panel(x.with_unit, "modulus of multipliers", tuple(curves))

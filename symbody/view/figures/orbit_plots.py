"""Orbits over their period, in a plane or in space, their multipliers on the unit circle, and families of them over
the varied value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from ...emit.run.callable import Array
from ...errors import ViewError
from ...stability.periodic.orbit import Orbit
from ...stability.periodic.orbit_branch import PERIOD, OrbitBranch
from ...stability.periodic.orbit_points import SpecialOrbit
from ...stability.periodic.special_orbit_curve import SpecialOrbitCurve
from .figure import Curve, Figure, Note, Panel

MAX_CURVES: Final = 6  # largest number of curves of an orbit when none is named
MULTIPLIERS: Final = "multipliers"


def orbit_figure(orbits: Sequence[Orbit], *what: Any, title: str = "", over: Any = None) -> Figure:
    """Quantities over one period, over another quantity, or over two others in space; "multipliers" on the unit
    circle."""
    first = orbits[0]
    for o in orbits:
        if not o.is_periodic:
            raise ViewError(f"plot of an orbit of {o.equations.name!r}: {o.outcome}")
    several = "orbits" if len(orbits) > 1 else "an orbit"
    if what == (MULTIPLIERS,):
        return multiplier_figure(
            [o.multipliers for o in orbits], title or f"multipliers of {several} of {first.equations.name}"
        )
    wanted = list(what) or [s.name for s in first.flow.x][:MAX_CURVES]
    said = " ".join(f"Period {o.period:z.6g}, {'stable' if o.is_stable else 'unstable'}." for o in orbits)
    panels = _in_one(first, wanted, over) if len(orbits) == 1 else _beside(orbits, wanted, over)
    return Figure(title or f"{several} of {first.equations.name}".replace("an orbit", "orbit"), panels, caption=said)


def _in_one(orbit: Orbit, wanted: Sequence[Any], over: Any) -> tuple[Panel, ...]:
    curves = tuple(_curve(orbit, w, over, str(w), k) for k, w in enumerate(wanted))
    return (_panel_over(curves, str(wanted[0]) if len(wanted) == 1 else "", over),)


def _beside(orbits: Sequence[Orbit], wanted: Sequence[Any], over: Any) -> tuple[Panel, ...]:
    """Several orbits: a panel for each quantity, a curve for each orbit, unstable ones dashed."""
    labels = [f"period {o.period:z.6g}" for o in orbits]
    return tuple(
        _panel_over(tuple(_curve(o, w, over, labels[k], k) for k, o in enumerate(orbits)), str(w), over) for w in wanted
    )


def _axes_of(over: Any) -> tuple[Any, ...]:
    """The horizontal quantities: none for time, one for a plane, two for space."""
    return () if over is None else tuple(over) if isinstance(over, (tuple, list)) else (over,)


def _curve(orbit: Orbit, what: Any, over: Any, label: str, group: int) -> Curve:
    kind, axes = "line" if orbit.is_stable else "dashed", _axes_of(over)
    if len(axes) == 2:
        x, y = (orbit[a] for a in axes)
        return Curve(x, y, label, kind=kind, group=group, z=orbit[what])
    x = orbit[axes[0]] if axes else orbit.t - orbit.t[0]
    return Curve(x, orbit[what], label, kind=kind, group=group)


def _panel_over(curves: tuple[Curve, ...], name: str, over: Any) -> Panel:
    axes = [str(a) for a in _axes_of(over)]
    if len(axes) > 2:
        raise ViewError(f"plot of an orbit: it is drawn over time, one quantity or two; got over = {over}")
    if len(axes) == 2:
        return Panel(axes[0], axes[1], curves, z_label=name)
    return Panel(axes[0] if axes else "time [s]", name, curves)


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
    curves, notes = [], []
    for k, b in enumerate(families):
        x, stable = b[across], b.unstable == 0
        lines = [b[PERIOD]] if what == PERIOD else [b.largest(what), b.smallest(what)]
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
    label = PERIOD if what == PERIOD else f"{what}, largest and smallest"
    return Panel(across, label, tuple(curves), notes=tuple(notes))


def orbit_curves(curves: Sequence[SpecialOrbitCurve], *what: Any, title: str = "") -> Figure:
    """Special orbits in the plane of both values, or of two quantities that are named."""
    first = curves[0]
    if len(what) not in (0, 2):
        raise ViewError(f"plot of a curve over two values: it is drawn in the plane of two quantities; got {len(what)}")
    across, up = what or first.varied
    lines = tuple(Curve(c[across], c[up], c.kind, group=k) for k, c in enumerate(curves))
    places = [(p.known(c.varied)[str(across)], p.known(c.varied)[str(up)], p.kind) for c in curves for p in c.special]
    dots = Curve(np.array([x for x, _, _ in places]), np.array([y for _, y, _ in places]), kind="points")
    notes = tuple(Note(x, y, kind) for x, y, kind in places)
    panel = Panel(str(across), str(up), (*lines, dots) if places else lines, notes=notes)
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
    curves = [Curve(np.zeros(1), np.ones(1), kind="level")]
    for k, b in enumerate(families):
        count = max(map(len, b.multipliers), default=0)
        rows = np.full((len(b), count), np.nan)
        for row, m in zip(rows, b.multipliers, strict=True):
            row[: len(m)] = np.sort(np.abs(m))[::-1]
        curves += [Curve(b[across], y, kind="line", group=k) for y in rows.T]
    return Panel(across, "modulus of multipliers", tuple(curves))

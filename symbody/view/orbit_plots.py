"""Orbits over their period or in a plane, their multipliers on the unit circle, and families of them over what is varied."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from ..errors import ViewError
from ..stability.periodic.orbit import Orbit
from ..stability.periodic.orbit_branch import PERIOD, OrbitBranch
from .figure import Curve, Figure, Note, Panel

MOST: Final = 6  # curves of an orbit, where none is named
MULTIPLIERS: Final = "multipliers"


def orbit_figure(orbit: Orbit, *what: Any, title: str = "", over: Any = None) -> Figure:
    """Quantities over one period, or over another quantity; "multipliers" on the unit circle."""
    if not orbit.is_periodic:
        raise ViewError(f"plot of an orbit of {orbit.equations.name!r}: {orbit.outcome}")
    if what == (MULTIPLIERS,):
        return multiplier_figure([orbit.multipliers], title or f"multipliers of an orbit of {orbit.equations.name}")
    wanted = list(what) or [s.name for s in orbit.flow.x][:MOST]
    x, label = (orbit.t, "time [s]") if over is None else (orbit[over], str(over))
    curves = tuple(Curve(x, orbit[w], str(w)) for w in wanted)
    name = str(wanted[0]) if len(wanted) == 1 else ""
    said = f"Period {orbit.period:z.6g}, {'stable' if orbit.is_stable else 'unstable'}."
    return Figure(title or f"orbit of {orbit.equations.name}", (Panel(label, name, curves),), caption=said)


def multiplier_figure(rows: Sequence[Any], title: str) -> Figure:
    """Multipliers in the complex plane, with the circle that they must not leave."""
    angle = np.linspace(0, 2 * np.pi, 181)
    circle = Curve(np.cos(angle), np.sin(angle), "unit circle", kind="line", is_faint=True)
    found = np.concatenate([np.asarray(m) for m in rows]) if rows else np.zeros(0, dtype=complex)
    points = Curve(found.real, found.imag, "multipliers", kind="points")
    return Figure(title, (Panel("real part", "imaginary part", (circle, points), is_equal=True, zero_lines="xy"),))


def orbit_diagram(families: Sequence[OrbitBranch], *what: Any, title: str = "") -> Figure:
    """The period, or the largest and smallest value of states, over what is varied; unstable parts dashed, special orbits named."""
    first = families[0]
    if what == (MULTIPLIERS,):
        rows = [m for b in families for m in b.multipliers]
        return multiplier_figure(rows, title or f"multipliers of orbits of {first.equations.name}")
    wanted = list(what) or [first.problem.flow.x[0].name, PERIOD]
    panels = tuple(_panel(families, first.varied, str(w)) for w in wanted)
    caption = "Dashed: unstable." if any((b.unstable > 0).any() for b in families) else ""
    return Figure(
        title or f"orbits of {first.equations.name} over {first.varied}", panels, shares_x=True, caption=caption
    )


def _panel(families: Sequence[OrbitBranch], across: str, what: str) -> Panel:
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
        places = [(p.value, float(np.interp(0.5, [0, 1], lines[0][p.place : p.place + 2])), p.kind) for p in b.special]
        notes += [Note(px, py, word) for px, py, word in places]
        if places:
            curves.append(
                Curve(np.array([p[0] for p in places]), np.array([p[1] for p in places]), kind="points", group=k)
            )
    label = what if what == PERIOD else f"{what}, largest and smallest"
    return Panel(across, label, tuple(curves), notes=tuple(notes))

"""Figures of long-time behaviour: Poincaré sections and return maps, settled motions over a parameter, Lyapunov
exponents, basins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...derivation.equations.equations import Equations
from ...errors import ViewError
from ...stability.long_run.attractors import Attractors
from ...stability.long_run.basins import Basins
from ...stability.long_run.lyapunov import LyapunovExponents
from ...stability.long_run.poincare import PoincareSection
from ...stability.periodic.families.orbit_branch import OrbitBranch
from .figure import Curve, Figure, Panel
from .orbit_plots import orbit_diagram
from .quantity_labels import label_of


def section_figure(sections: Sequence[PoincareSection], *what: Any, title: str = "") -> Figure:
    """Two quantities at the points of sections; of one quantity its return map."""
    first = sections[0]
    wanted = list(what) or [s.name for s in first.equations.state][:2]
    if len(wanted) > 2:
        raise ViewError(f"plot of a Poincaré section: two quantities, or one with its return map; got {len(wanted)}")
    named = [label_of(first.equations, w, k) for k, w in enumerate(wanted)]
    across, up = named[0], named[-1]
    curves = []
    for k, s in enumerate(sections):
        x, y = s.returns(wanted[0]) if len(wanted) == 1 else (s[wanted[0]], s[wanted[1]])
        name = "" if len(sections) == 1 else s.section
        curves.append(Curve(across.shown(x), up.shown(y), name, kind="dots", group=k))
    labels = (across.with_unit, f"{'next ' if len(wanted) == 1 else ''}{up.with_unit}")
    name = title or f"{'return map' if len(wanted) == 1 else 'Poincaré section'} of {first.motion.name}"
    return Figure(name, (Panel(*labels, tuple(curves)),), caption=f"Where {first.section}.")


def attractor_diagram(found: Attractors, *what: Any, title: str = "", beside: Sequence[OrbitBranch] = ()) -> Figure:
    """Points of settled motions over the varied value; with extremes of continued orbits, unstable ones dashed."""
    wanted = list(what) or found.names[:1]
    x, eq = found[found.varied], found.equations if isinstance(found.equations, Equations) else None
    panels = []
    for w in wanted:
        across, up = (label_of(eq, name) for name in (found.varied, w))
        dots = Curve(across.shown(x), up.shown(found[w]), kind="dots", group=6)
        lines = orbit_diagram(beside, w).panels[0] if beside else Panel("", "")
        panels.append(Panel(across.with_unit, up.with_unit, (dots, *lines.curves), notes=lines.notes))
    name = title or f"settled motions of {found.equations.name} over {found.varied}"
    said = f"Where {found.sections[0].section}." if found.sections else ""
    return Figure(name, tuple(panels), shares_x=True, caption=said)


def exponent_figure(found: LyapunovExponents, title: str = "") -> Figure:
    """Means up to each time."""
    every = zip(found.history.T, found.exponents, strict=True)
    curves = tuple(Curve(found.t, y, f"{x:z.4g}") for y, x in every if np.isfinite(x))
    panel = Panel("time [s]", "Lyapunov exponents [1/s]", curves, zero_lines="x")
    return Figure(title or f"Lyapunov exponents of {found.equations.name}", (panel,))


def basin_figure(found: Basins, title: str = "") -> Figure:
    """The number of the attractor of each start."""
    across, up = (label_of(found.equations, name) for name in found.names)
    places = np.meshgrid(across.shown(found.first), up.shown(found.second), indexing="ij")
    x, y = (a.reshape(-1) for a in places)
    dots = Curve(x, y, "attractor", kind="points", shade=found.which.reshape(-1).astype(float))
    said = "; ".join(f"{k}: {100 * share:z.1f} %" for k, share in enumerate(found.shares))
    panel = Panel(across.with_unit, up.with_unit, (dots,))
    return Figure(title or f"basins of {found.equations.name}", (panel,), caption=said)

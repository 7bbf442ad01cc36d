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
from ...stability.periodic.orbit_branch import OrbitBranch
from .figure import Curve, Figure, Panel
from .orbit_plots import orbit_diagram
from .quantity_labels import label_of


def section_figure(sections: Sequence[PoincareSection], *what: Any, title: str = "") -> Figure:
    """Two quantities at the points of sections; of one quantity its return map."""
    first = sections[0]
    wanted = list(what) or [s.name for s in first.equations.state][:2]
    if len(wanted) > 2:
        raise ViewError(f"plot of a Poincaré section: two quantities, or one with its return map; got {len(wanted)}")
    curves = []
    for k, s in enumerate(sections):
        x, y = s.returns(wanted[0]) if len(wanted) == 1 else (s[wanted[0]], s[wanted[1]])
        curves.append(Curve(x, y, "" if len(sections) == 1 else s.section, kind="dots", group=k))
    named = [label_of(first.equations, w, k).with_unit for k, w in enumerate(wanted)]
    labels = (named[0], f"next {named[0]}") if len(wanted) == 1 else (named[0], named[1])
    name = title or f"{'return map' if len(wanted) == 1 else 'Poincaré section'} of {first.motion.name}"
    return Figure(name, (Panel(*labels, tuple(curves)),), caption=f"Where {first.section}.")


def attractor_diagram(found: Attractors, *what: Any, title: str = "", beside: Sequence[OrbitBranch] = ()) -> Figure:
    """Points of settled motions over the varied value; with extremes of continued orbits, unstable ones dashed."""
    wanted = list(what) or found.names[:1]
    x, eq = found[found.varied], found.equations if isinstance(found.equations, Equations) else None
    panels = []
    for w in wanted:
        dots = Curve(x, found[w], kind="dots", group=6)
        lines = orbit_diagram(beside, w).panels[0] if beside else Panel("", "")
        x_label, y_label = (label_of(eq, name).with_unit for name in (found.varied, w))
        panels.append(Panel(x_label, y_label, (dots, *lines.curves), notes=lines.notes))
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
    x, y = (a.reshape(-1) for a in np.meshgrid(found.first, found.second, indexing="ij"))
    dots = Curve(x, y, "attractor", kind="points", shade=found.which.reshape(-1).astype(float))
    said = "; ".join(f"{k}: {100 * share:z.1f} %" for k, share in enumerate(found.shares))
    x_label, y_label = (label_of(found.equations, name).with_unit for name in found.names)
    return Figure(title or f"basins of {found.equations.name}", (Panel(x_label, y_label, (dots,)),), caption=said)

"""Bifurcation diagrams: branches over the varied value, stable parts solid, unstable ones dashed, special points
named; and curves of folds and Hopf points over two values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ...errors import ViewError
from ...stability.branches.branch import Branch
from ...stability.branches.special_curve import SpecialCurve
from .figure import Curve, Figure, Note, Panel

MAX_PANELS: Final = 4  # largest number of panels
# relative change along the branches below which a quantity is shown only on request
CONSTANT_QUANTITY: Final = (
    1e-9  # a quantity that changes less along the branches, in parts of what it is, is not shown unless asked for
)


def branch_diagram(branches: Sequence[Branch], *what: Any, title: str = "", over: Any = None) -> Figure:
    """Quantities over the varied value, or over another one; a panel each."""
    first = branches[0]
    wanted = list(what) or _moving(branches)
    across = first.varied if over is None else over
    panels = [_panel(branches, across, w) for w in wanted[:MAX_PANELS]]
    points = [p for b in branches for p in b.special]
    kinds = dict.fromkeys(f"{p.criticality} {p.kind}".strip() for p in points)
    caption = "Dashed: unstable." if any((b.unstable > 0).any() for b in branches) else ""
    caption += f" Points: {', '.join(kinds)}." if kinds else ""
    return Figure(
        title or f"steady motions of {first.equations.name} over {across}",
        tuple(panels),
        shares_x=True,
        caption=caption.strip(),
    )


def _moving(branches: Sequence[Branch]) -> list[str]:
    """Coordinates that change along the branches, in order; else speeds and inputs."""
    eq = branches[0].equations
    groups = (eq.q, eq.z, eq.u, eq.r)
    for group in groups:
        names = [s.name for s in group if s.name in branches[0].unknowns and s.name != branches[0].varied]
        spans = {n: max(float(np.ptp(b[n])) for b in branches) for n in names}
        sizes = {n: max(float(np.abs(b[n]).max()) for b in branches) for n in names}
        if shown := [n for n in names if spans[n] > CONSTANT_QUANTITY * max(sizes[n], 1.0)]:
            return shown
    return [branches[0].unknowns[0]]


def _panel(branches: Sequence[Branch], across: Any, what: Any) -> Panel:
    curves, notes = [], []
    for k, b in enumerate(branches):
        x, y = b[across], b[what]
        for is_stable in (True, False):
            shown = _parts((b.unstable == 0) == is_stable)
            if shown.any():
                kind = "line" if is_stable else "dashed"
                curves.append(Curve(np.where(shown, x, np.nan), np.where(shown, y, np.nan), kind=kind, group=k))
        places = [(b.value_at(p, across), b.value_at(p, what), p) for p in b.special]
        if places:
            xs, ys = (np.array([place[i] for place in places]) for i in (0, 1))
            curves.append(Curve(xs, ys, kind="points", group=k))
        notes += [Note(px, py, p.kind) for px, py, p in places]
    return Panel(str(across), str(what), tuple(curves), notes=tuple(_once(notes)), zero_lines="x")


def special_curves(curves: Sequence[SpecialCurve], *what: Any, title: str = "") -> Figure:
    """Curves of folds and Hopf points in the plane of two quantities, by default the varied ones."""
    first = curves[0]
    if len(what) not in (0, 2):
        raise ViewError(f"plot of a curve over two values: it is drawn in the plane of two quantities; got {len(what)}")
    across, up = what or first.varied
    lines = [Curve(c[across], c[up], label=c.kind, group=k) for k, c in enumerate(curves)]
    places = [(c.value_at(p, across), c.value_at(p, up), p) for c in curves for p in c.special]
    notes = _once([Note(x, y, p.kind) for x, y, p in places])
    dots = [Curve(np.array([x for x, _, _ in places]), np.array([y for _, y, _ in places]), kind="points")]
    panel = Panel(str(across), str(up), (*lines, *(dots if places else [])), notes=tuple(notes))
    kinds = " and ".join(f"{kind} points" for kind in dict.fromkeys(c.kind for c in curves))
    return Figure(title or f"{kinds} of {first.equations.name}", (panel,))


def _parts(inside: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Points in which something holds, with their neighbours, so that parts meet."""
    out = inside.copy()
    out[1:] |= inside[:-1]
    return out


def _once(notes: list[Note]) -> list[Note]:
    """Branches meet in a point, which has one word."""
    seen: dict[tuple[Any, ...], Note] = {}
    for n in notes:
        seen.setdefault((n.text, round(n.x, 6), round(n.y or 0.0, 6)), n)
    return list(seen.values())

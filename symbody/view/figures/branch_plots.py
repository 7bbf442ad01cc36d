"""Bifurcation diagrams: branches over the varied value, stable parts solid, unstable ones dashed, special points
named; and curves of folds and Hopf points over two values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ...algebra.graph.graph import Expr
from ...emit.run.callable import Array
from ...errors import ViewError, shown
from ...stability.branches.branch import Branch
from ...stability.branches.special_curve import SpecialCurve
from ...stability.equilibria.steady_motion import SteadyMotion
from .figure import MARKS, Curve, Figure, Note, Panel
from .quantity_labels import label_of
from .shown_quantities import Shown, ShownTogether, panels_asked_for, quantity

MAX_PANELS: Final = 4  # largest number of panels when nothing is named
MANY_WORDS: Final = 8  # number of names of points beyond which a panel alone is drawn higher
CONSTANT_QUANTITY: Final = 1e-9  # relative change along the branches below which a quantity is shown only on request


def branch_diagram(
    branches: Sequence[Branch] | Mapping[str, Branch],
    *what: Any,
    title: str = "",
    over: Any = None,
    labels: Sequence[str] | None = None,
    mark: Any = (),
) -> Figure:
    """Quantities over the varied value, or over another one; a panel for each, or for each list or mapping of them.

    mark   values of what is varied at which points are drawn; by name in a mapping
    """
    family = list(branches.values()) if isinstance(branches, Mapping) else list(branches)
    first = family[0]
    eq, zeros, where = first.equations, _conditions(first), f"plot of a {first.said}"
    names = list(branches) if isinstance(branches, Mapping) else _given_names(where, family, labels)
    across = quantity(eq, first.varied if over is None else over, zeros=zeros)
    together = panels_asked_for(where, eq, what or _moving(family)[:MAX_PANELS], zeros=zeros)
    places = [_BranchInPlane(b, across, _marked_motions(where, b, mark)) for b in family]
    points = [p for b in family for p in b.special]
    kinds = dict.fromkeys(f"{p.criticality} {p.kind}".strip() for p in points)
    caption = "Dashed: unstable." if any((b.unstable > 0).any() for b in family) else ""
    caption += f" Points: {', '.join(kinds)}." if kinds else ""
    panels = tuple(_panel(places, names, some) for some in together)
    is_crowded = len(panels) == 1 and len(panels[0].notes) > MANY_WORDS
    return Figure(
        title or f"steady motions of {eq.name} over {across.label}",
        panels,
        shares_x=True,
        caption=caption.strip(),
        size=(7.0, 5.0 if is_crowded else 0.0),
    )


def _given_names(where: str, branches: Sequence[Branch], labels: Sequence[str] | None) -> list[str]:
    if labels is not None and len(labels) != len(branches):
        raise ViewError(f"{where}: {len(branches)} branches and {len(labels)} labels; give one for each")
    return [""] * len(branches) if labels is None else [str(x) for x in labels]


def _conditions(b: Branch) -> list[Expr]:
    """What vanishes along a branch: values that are given as expressions, from which units of their symbols follow."""
    return [s - e for s, e in b.problem.freed.fixed.items()]


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


@dataclass(frozen=True, eq=False)
class _BranchInPlane:
    """A branch in the plane of a horizontal quantity and others.

    marked   steady motions with their names
    """

    branch: Branch
    across: Shown
    marked: Sequence[tuple[str, SteadyMotion]]

    def curves(self, x: Shown) -> list[Curve]:
        """The stable parts and the unstable ones."""
        b, found = self.branch, []
        for is_stable in (True, False):
            inside = _parts((b.unstable == 0) == is_stable)
            if inside.any():
                across, up = (np.where(inside, b[s.what] / s.factor, np.nan) for s in (self.across, x))
                found.append(Curve(across, up, kind="line" if is_stable else "dashed"))
        return found

    def special(self, x: Shown) -> list[Note]:
        """Words at special points, and at marked ones."""
        return [Note(self._value(at, self.across), self._value(at, x), name) for at, name in self._named_points()]

    def _named_points(self) -> list[tuple[Array, str]]:
        special = [(p.x, p.kind) for p in self.branch.special]
        return special + [(np.array([m.all_numbers[n] for n in self.branch.unknowns]), n) for n, m in self.marked]

    def _value(self, at: Array, x: Shown) -> float:
        return float(replace(self.branch, points=at[None])[x.what][0]) / x.factor


def _marked_motions(where: str, b: Branch, mark: Any) -> list[tuple[str, SteadyMotion]]:
    """Motions of a branch at chosen values of what is varied, with their names."""
    wanted = mark if isinstance(mark, Mapping) else {"": mark}
    found = []
    for name, values in wanted.items():
        try:
            numbers = np.atleast_1d(np.asarray(values, dtype=np.float64))
        except (TypeError, ValueError):
            raise ViewError(f"{where}: mark = {shown(values)}; points are marked at numbers of {b.varied}") from None
        found += [(name or f"{b.varied} = {v:z.4g}", m) for v in numbers.tolist() for m in b.at(v)]
    return found


def _panel(places: Sequence[_BranchInPlane], names: Sequence[str], some: ShownTogether) -> Panel:
    """Colours distinguish quantities if there are several, else branches; each label has a mark of its own."""
    is_mixed = len(some.quantities) > 1
    curves, dots, notes, labels = [], [], [], list[str]()
    for j, x in enumerate(some.quantities):
        for k, (place, name) in enumerate(zip(places, names, strict=True)):
            label = ", ".join(w for w in (some.legend(x) if is_mixed else "", name) if w)
            labels += [label] if label not in labels else []
            group, shape = (j, MARKS[labels.index(label) % len(MARKS)]) if is_mixed else (k, "")
            curves += [replace(c, label=label, group=group, mark=shape) for c in place.curves(x)]
            found = place.special(x)
            if found:
                xs, ys = (np.array([getattr(n, axis) for n in found]) for axis in "xy")
                dots.append(Curve(xs, ys, kind="points", group=group))
            notes += found
    across = places[0].across.with_unit
    return Panel(across, some.label, (*curves, *dots), notes=tuple(_once(notes)), zero_lines="x")


def special_curves(curves: Sequence[SpecialCurve], *what: Any, title: str = "") -> Figure:
    """Curves of folds and Hopf points in the plane of two quantities, by default the varied ones."""
    first = curves[0]
    if len(what) not in (0, 2):
        raise ViewError(f"plot of a curve over two values: it is drawn in the plane of two quantities; got {len(what)}")
    across, up = what or first.varied
    x, y = (label_of(first.equations, w) for w in (across, up))
    lines = [Curve(x.shown(c[across]), y.shown(c[up]), label=c.kind, group=k) for k, c in enumerate(curves)]
    places = [(x.shown(c.value_at(p, across)), y.shown(c.value_at(p, up)), p) for c in curves for p in c.special]
    notes = _once([Note(a, b, p.kind) for a, b, p in places])
    dots = [Curve(np.array([a for a, _, _ in places]), np.array([b for _, b, _ in places]), kind="points")]
    panel = Panel(x.with_unit, y.with_unit, (*lines, *(dots if places else [])), notes=tuple(notes))
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

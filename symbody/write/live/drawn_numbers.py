"""How the numbers of a picture follow parameters: a longer arm is drawn longer.

Shapes are found by numerics (`view/scenes/skeleton.py`), so their dependence is too: by the picture at a slightly changed
parameter. Sizes and places are linear in lengths for most mechanisms; where they are not, what is drawn is near what a
new picture would show.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from ...algebra.graph.graph import Symbol
from ...errors import SymbodyError
from ...integrate.start.assembly import assemble
from ...integrate.start.state import State
from ...view.scenes.scene import Scene, scene
from ...view.scenes.scene_items import End

CHANGE: Final = 0.02  # of a parameter
LEAST: Final = 1e-4  # slope that counts, for a change by the parameter's whole value, in sizes of the mechanism


def slopes(
    state: State, parameters: Sequence[Symbol], names: Sequence[str], shapes: Any, packages: Mapping[str, str | Path] | None
) -> dict[str, list[tuple[int, int, float]]]:  # fmt: skip
    """For each parameter that the picture follows: place in `drawn_numbers`, entry, slope."""

    def at(values: Mapping[Any, float]) -> Scene:
        return scene(State.of(state.equations, values), shapes=shapes, packages=packages, forces=())

    base = at(state.values)
    out = {}
    for parameter, name in zip(parameters, names, strict=True):
        before = state.values[parameter.name]
        step = CHANGE * before if before else CHANGE
        try:
            found = at(_near(state, {parameter.name: before + step}))
        except SymbodyError:  # it cannot be put together or drawn there: the picture stays as it is
            continue
        if _kinds(found) == _kinds(base):
            rows = _rows(base, found, step, abs(before) or 1.0)
            if rows:
                out[name] = rows
    return out


def _near(state: State, changed: Mapping[Any, float]) -> Mapping[Any, float]:
    """All values with some of them changed, and the state brought back to the constraints."""
    eq, values = state.equations, {**state.values, **changed}
    if State.of(eq, values).violation.is_small:
        return values
    near = {s.name: values[s.name] for s in eq.state}
    return assemble(eq, {k: v for k, v in values.items() if k not in near}, start=near).values


def _rows(base: Scene, found: Scene, step: float, value: float) -> list[tuple[int, int, float]]:
    out = []
    for k, (a, b) in enumerate(zip(drawn_numbers(base), drawn_numbers(found), strict=True)):
        if len(a) == 4 and float(np.dot(a, b)) < 0:
            b = -b  # Euler parameters of the same rotation
        slope = (b - a) / step
        out += [(k, i, float(f"{v:z.6g}")) for i, v in enumerate(slope) if abs(v) * value > LEAST * base.size]
    return out


def drawn_numbers(shown: Scene) -> list[np.ndarray]:
    """Of solids size, place and rotation; of spans both ends; of traces and labels their places: in the order of
    `live.js`."""
    out = [np.array(v) for s in shown.solids for v in (s.size, s.position, s.rotation)]
    out += [np.array(e.point) for s in shown.spans for e in (s.start, s.end)]
    return out + [np.array(e.point) for e in _ends(shown)]


def _kinds(shown: Scene) -> list[Any]:
    """The kinds of content, without numbers."""
    solids = [(s.kind, s.frame, s.name, s.mesh, s.group) for s in shown.solids]
    spans = [(s.kind, s.start.frame, s.end.frame) for s in shown.spans]
    return [*solids, *spans, *(e.frame for e in _ends(shown))]


def _ends(shown: Scene) -> list[End]:
    return [x.at for x in shown.traces] + [x.at for x in shown.labels]

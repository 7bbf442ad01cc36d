"""Regrouping of masses across loops: a mass at the point, or on the axis, by which a loop is closed moves in the
same way with either of the two bodies that meet there.

So its parameters on one body less those on the other are without influence,

    Y n = 0,     n = (1, p, p·p 1 - p pᵀ) of the one, at its point p, less the same of the other

whatever the lengths are: they stay symbols. Each such n allows one parameter to be regrouped with others (Khalil and
Bennis 1995 have rules of this kind for loops). Candidates are checked at sampled motions before they are used.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np

import symbody as sb

from .moved_parameters import moved_whole
from .torque_regressor import Regressor

ZERO_TOLERANCE: Final = 1e-9  # value, relative to the size of the terms, below which it counts as zero
SINGLE: Final = tuple(tuple(int(i == k) for i in range(10)) for k in range(10))
POINTS: Final = (  # masses of one at the origin, and one before and behind it along each axis
    (1, 0, 0, 0, 0, 0, 0, 0, 0, 0),
    *((1, s, 0, 0, 0, 0, 1, 0, 0, 1) for s in (1, -1)),
    *((1, 0, s, 0, 1, 0, 0, 0, 0, 1) for s in (1, -1)),
    *((1, 0, 0, s, 1, 0, 1, 0, 0, 0) for s in (1, -1)),
)
Parameters = dict[int, sb.Expr]  # by their places


def count_ties(Y: Regressor, table: list[sb.Expr], symbols: Sequence[sb.Symbol], samples: np.ndarray) -> None:
    """Counts parameters in `table` (grouped over the joints) with others, where loops tie them: the last one of each
    tie."""
    tree = Y.equations.source
    if tree is None:
        return
    geometry = dict(tree.mechanism.values)
    for n in _candidates(Y, tree):
        numbers = np.zeros(len(symbols))
        for j, e in n.items():
            numbers[j] = float(sb.evaluate(e, geometry))
        size = float((np.abs(samples) @ np.abs(numbers)).max())
        if np.abs(samples @ numbers).max() > ZERO_TOLERANCE * size:
            continue
        _count_last(table, symbols, n, geometry)


def _count_last(
    table: list[sb.Expr], symbols: Sequence[sb.Symbol], n: Parameters, geometry: dict[sb.Symbol, float]
) -> None:
    """With v = G n, G π being the grouped parameters, Σ v_j Y_j = 0 over their columns: the last one is counted with the
    others, π_k - v_k/v_last π_last."""
    at = {s: n.get(j, sb.fraction(0, 1)) for j, s in enumerate(symbols)}
    v = {j: sb.substitute(e, at) for j, e in enumerate(table) if e.value is None}
    sizes = {j: abs(float(sb.evaluate(e, geometry))) for j, e in v.items()}
    largest = max(sizes.values(), default=0.0)
    ties = [j for j, x in sizes.items() if x > ZERO_TOLERANCE * largest]
    if largest <= ZERO_TOLERANCE or not ties:
        return  # follows from ties before it
    *others, last = ties
    dropped = table[last]
    for k in others:
        table[k] = table[k] - sb.tidy(v[k] / v[last]) * dropped
    table[last] = sb.fraction(0, 1)


# ---------------------------------------------------------------------------------------------------------- candidates


def _candidates(Y: Regressor, tree: sb.Equations) -> Iterator[Parameters]:
    """A mass at each point where a loop is closed, or next to it along an axis of a joint, and every single
    parameter in the frames of a joint."""
    joints = {j.name: j for j in tree.mechanism.joints if j.closes_loop}
    for name, rows in _closing_rows(tree).items():
        a, b = (joints[name].outer, joints[name].inner) if name in joints else _meeting(tree, rows)
        for ten in (*POINTS, *SINGLE) if name in joints else POINTS[:1]:
            one, other = _on_body(Y, a, ten), _on_body(Y, b, ten)
            if one is not None and other is not None and not set(one) & set(other):
                yield one | {j: -e for j, e in other.items()}


def _closing_rows(tree: sb.Equations) -> dict[str, list[Any]]:
    """Constraints between points, by the name they have together."""
    out: dict[str, list[Any]] = {}
    for c in tree.mechanism.constraints:
        if c.is_holonomic and c.joint is not None and len(c.actions) >= 2 and c.actions[0].at is not None:
            out.setdefault(c.joint, []).append(c)
    return out


def _meeting(tree: sb.Equations, rows: Sequence[Any]) -> tuple[sb.Frame, sb.Frame]:
    """A frame at the point of each side. Rows along axes of the frame of a are the components of b - a there, so that a is b less
    the rows, wherever the coordinates are."""
    b, frame = rows[0].actions[0].at, rows[0].actions[1].frame
    if len(rows[0].actions) > 2:  # along axes of another frame: the force on a acts at a
        return sb.bodies.frame_at(rows[0].actions[1].at), sb.bodies.frame_at(b)
    place = list((b - frame.origin).components(frame).entries)
    for c in rows:
        direction = c.actions[0].force.components(frame).entries
        axis = next(i for i, e in enumerate(direction) if e.value is not None and float(e.value) == 1)
        place[axis] = place[axis] - c.expression
    rest = dict.fromkeys(tree.q, sb.fraction(0, 1))
    return frame.translate(*(sb.tidy(sb.substitute(e, rest)) for e in place)), sb.bodies.frame_at(b)


def _on_body(Y: Regressor, frame: sb.Frame, ten: Sequence[int]) -> Parameters | None:
    """Ten parameters in a frame, as parameters of the body to which it is fixed; none for the ground; None if it is
    fixed to neither."""
    if _is_still(frame.pose_in(Y.frames[0].root)):
        return {}
    for k, own in enumerate(Y.frames):
        pose = frame.pose_in(own)
        if _is_still(pose):
            moved = moved_whole([sb.fraction(x, 1) for x in ten], pose.offset, pose.rotation.matrix, with_mass=True)
            return {10 * k + i: e for i, e in enumerate(moved) if e.value is None or e.value != 0}
    return None


def _is_still(pose: Any) -> bool:
    symbols = sb.free_symbols([*pose.offset.entries, *pose.rotation.matrix.entries])
    return not any(s.kind == "coordinate" for s in symbols)

"""Questions to linear systems: the neighbourhood of a moving point, against differences of the equations on the
constraints."""

from __future__ import annotations

from typing import Any

import numpy as np

import symbody as sb

from .oracle import DIFFERENCE, Numbers
from .subject import NotComparableError, Subject, agree


def linearization(s: Subject) -> None:
    """E x' = A x + B r + B1 r' + B2 r'' and y = C x + D r + D1 r' + D2 r'', column by column."""
    eq, at = s.eq, s.states[0]
    if s.is_redundant:
        raise NotComparableError("linearisation on redundant constraints")
    if any(not any(x.order == 1 and x.kind == "variable" for x in sb.free_symbols(e)) for e in eq.h.entries):
        raise NotComparableError("algebraic variables have no rates to compare with")
    about = {x: at.values[x] for x in (*eq.q, *eq.u, *eq.z, *eq.r, eq.t)}
    lin = sb.linearize(eq, about, moving=True, values={x.name: at.values[x] for x in eq.p})
    n = lin.matrices()
    states = {x.name: x for x in eq.state}
    held = [states[name] for name in lin.x]
    inputs = {order: [x for x in eq.r if x.order == order] for order in range(3)}
    for x in _some(s, held, 4):
        ours = np.linalg.solve(n.E, n.A[:, lin.x.index(x.name)]), n.C[:, lin.x.index(x.name)]
        _column(s, at, lin, held, x, ours)
    for order, (B, D) in enumerate(((n.B, n.D), (n.B1, n.D1), (n.B2, n.D2))):
        for r in inputs[order]:
            k = lin.r.index(r.stem)
            _column(s, at, lin, held, r, (np.linalg.solve(n.E, B[:, k]), D[:, k]))


def _some(s: Subject, things: list[Any], count: int) -> list[Any]:
    return s.draw.sample(things, min(count, len(things)))


def _column(
    s: Subject, at: Numbers, lin: Any, held: list[Any], moved: Any, ours: tuple[np.ndarray, np.ndarray]
) -> None:
    """Central differences in one independent variable or input; dependent variables follow by Newton's method."""
    eq, sides = s.eq, []
    for sign in (1, -1):
        near = at.at({moved: at.values[moved] + sign * DIFFERENCE}).completed(set(held))
        rates = dict(zip(eq.state, np.concatenate([near.rates, near.udot, near.zdot]), strict=True))
        known = {**near.values, **{u.dot: rates[u] for u in eq.u}, **{z.dot: rates[z] for z in eq.z}}
        outputs = [np.array(sb.evaluate(x, known), dtype=float).reshape(-1) for x in eq.outputs.values()]
        sides.append((np.array([rates[x] for x in held]), np.concatenate(outputs) if outputs else np.zeros(0)))
    for what, mine, ahead, back in zip(("rates", "outputs"), ours, *sides, strict=True):
        slope = (ahead - back) / (2 * DIFFERENCE)
        size = np.abs(slope).max(initial=0.0) + 1e-3 * np.abs(ahead).max(initial=0.0) + 1.0
        agree(f"{what} along {moved.name}", mine, slope, 2e-5, size)

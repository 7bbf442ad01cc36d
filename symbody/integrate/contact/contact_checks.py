"""Contacts that no route can follow are refused at the start: gaps that jump, coefficients out of their range.

A gap has to be continuous: where it jumps, as `where(x < 1, y, y - 0.1)` does, it does not describe the wall there, and
a body would be moved through the jump without an impact. Jumps are looked for along every coordinate from the start, by
bisection.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from ...algebra.graph.walk import evaluation_order
from ...derivation.equations.equations import Equations
from ...emit.run.callable import Array
from ...errors import SimulationError
from ..start.state import State
from .frictions import Friction, friction_rows
from .impacts import Contact, Impulses, impulses_of

JUMPING: Final = ("lt", "le", "eq", "sign", "atan2")  # operations whose values may jump
SAMPLES: Final = 257  # points on the line of a coordinate
REACH: Final = 10.0  # half the length of such a line: this, and this many times the coordinate
STEEPEST: Final = 3  # intervals of a line that are bisected: those over which the gap changes most
BISECTIONS: Final = 50
JUMP: Final = 1e-6  # a change over a bisected interval beyond this fraction of the largest gap on the line is a jump


def check_contacts(contacts: Sequence[Contact], frictions: Sequence[Friction], start: State) -> None:
    """Refuse contacts and frictions that cannot be followed from a start."""
    eq = start.equations
    rows = impulses_of(eq, contacts)
    check_coefficients(rows, contacts, frictions, start)
    jumping = [k for k, c in enumerate(contacts) if any(e.op in JUMPING for e in evaluation_order([c.gap]))]
    if jumping:
        check_jumps(eq, rows, contacts, jumping, start)


def check_coefficients(
    rows: Impulses, contacts: Sequence[Contact], frictions: Sequence[Friction], start: State
) -> None:
    """Refuse negative friction or damping, and restitution beyond one, of parameters that have numbers only now."""
    y = np.concatenate([start.q, start.u, start.z])
    if contacts:
        e = rows.numbers(start.t, y, start.p, start.r).restitution
        for c, value in zip(contacts, e.tolist(), strict=True):
            if not 0.0 <= value <= 1.0:
                raise SimulationError(
                    f"contact {c.name!r}: restitution must be between 0 and 1, got {value:g} at the start"
                )
    if frictions:
        v = friction_rows(start.equations, frictions)(rows.called, start.t, y, start.p, start.r)
        for what, values in (
            ("coefficient", v.kinetic),
            ("static coefficient", v.static),
            ("viscous damping", v.damping),
        ):
            for f, value in zip(frictions, np.asarray(values).tolist(), strict=True):
                if not value >= 0.0:
                    raise SimulationError(
                        f"friction {f.name!r}: its {what} must not be negative, got {value:g} at the start"
                    )


def check_jumps(eq: Equations, rows: Impulses, contacts: Sequence[Contact], which: Sequence[int], start: State) -> None:
    """Refuse a gap that jumps along a coordinate."""
    for i, q in enumerate(eq.q):
        line = start.q[i] + (REACH * (1.0 + abs(start.q[i]))) * np.linspace(-1.0, 1.0, SAMPLES)
        gaps = np.array([_gaps(rows, start, i, x) for x in line])
        for k in which:
            if (found := _jump(rows, start, i, k, line, gaps[:, k])) is not None:
                at, size = found
                raise SimulationError(
                    f"contact {contacts[k].name!r}: its gap jumps by {size:z.3g} at {q.name} = {at:z.6g}, and a gap is continuous; a wall or a "
                    f"ledge there is a contact of its own, such as Contact('wall', {at:z.6g} - {q.name}), and a smooth edge is a `where` "
                    "whose parts agree"
                )


def _gaps(rows: Impulses, start: State, i: int, x: float) -> Array:
    """Gaps with one coordinate moved."""
    y = np.concatenate([start.q, start.u, start.z])
    y[i] = x
    return rows.numbers(start.t, y, start.p, start.r).gap


def _jump(rows: Impulses, start: State, i: int, k: int, line: Array, gap: Array) -> tuple[float, float] | None:
    """Where the gap of contact k jumps along coordinate i, and by how much."""
    change = np.abs(np.diff(gap))
    change[~np.isfinite(change)] = 0.0
    least = JUMP * max(float(np.abs(gap[np.isfinite(gap)]).max(initial=0.0)), 1e-300)
    for at in np.argsort(change)[::-1][:STEEPEST].tolist():
        a, b, g_a, g_b = float(line[at]), float(line[at + 1]), float(gap[at]), float(gap[at + 1])
        for _ in range(BISECTIONS):
            if not abs(g_b - g_a) > least:
                break
            middle = (a + b) / 2
            g = float(_gaps(rows, start, i, middle)[k])
            a, g_a, b, g_b = (a, g_a, middle, g) if abs(g - g_a) > abs(g_b - g) else (middle, g, b, g_b)
        if abs(g_b - g_a) > least and max(g_a, g_b) > -least:  # deep inside a body gaps may do as they like
            return b, abs(g_b - g_a)
    return None

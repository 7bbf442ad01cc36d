"""Contacts with obstacles that exist only somewhere: ledges, teeth, pins in slots."""

from __future__ import annotations

from typing import Any

import symbody as sb

from ....argument_kinds import answered


@answered
def bounded_contact(name: str, gap: Any, *within: Any, **options: Any) -> sb.Contact:
    """A contact with an obstacle that is bounded: the gap holds only where other distances are negative, too.

        gap = max(gap, within1, within2, ...)

    gap       distance from the first face, negative inside
    within    distances from the other faces of the obstacle, negative inside: 1 - x for a block that begins at x = 1
    options   of `Contact`: restitution=, friction=, ...

    The gap is continuous, so a body that comes from the side hits the side: a step is a bounded contact, where
    `where(x < 1, y, y - 0.1)` is refused. Faces are distances along their normals, so that gaps at edges compare.
    Where a body slides over an edge in contact, compute by time stepping, `method="moreau"`: event-driven contact keeps
    the contact closed on the next face and stops the body at the edge.

    >>> m = sb.Model("ledge")
    >>> x, y = m.coordinates("x y")
    >>> part = m.particle("p", m.ground.point(x, y, 0), mass=1.0)
    >>> m.gravity(0, -9.81, 0)
    >>> floor = sb.Contact("floor", y)
    >>> step = sb.kits.machines.bounded_contact("step", y - 0.1, 1 - x)
    >>> run = sb.simulate_modes(sb.Contacts(sb.derive(m), floor, step), 1.0, x_dot=2.0)
    >>> [round(float(run[n][-1]), 6) + 0.0 for n in ("x", "y", "x_dot")]  # stopped by the face of the step
    [1.0, 0.0, 0.0]

    See also: `Contact`, `Contacts`, `Modes`.
    """
    distance = sb.algebra.as_expr(gap)
    for face in within:
        distance = sb.maximum(distance, face)
    return sb.Contact(name, distance, **options)

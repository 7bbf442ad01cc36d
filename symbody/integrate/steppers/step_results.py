"""What a step gives beside the state after it: derivatives, impulses of contacts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...emit.run.callable import Array
from ...summary import Introduced


@dataclass(frozen=True, eq=False)
class StepDerivatives(Introduced):
    """A state after a step, and its derivatives: ∂x⁺/∂x, ∂x⁺/∂r, ∂x⁺/∂r_end, ∂x⁺/∂p, ∂x⁺/∂dt (None if not requested); with
    many members, one of each in a row.

    one_sided   names of the contacts and frictions at whose branch another one begins: the derivatives hold to one side
                of this state only; with many members, of each

    >>> x = sb.symbol("x")
    >>> env = sb.stepper(sb.from_equations({x: -x}), 0.1, x=1.0)
    >>> found = env.derivatives(env.start)
    >>> found.state, found.x
    (array([0.904837]), array([[0.904837]]))

    See also: `integrate.Stepper`, `stepper`.
    """

    state: Array
    x: Array | None = None
    r: Array | None = None
    r_end: Array | None = None
    p: Array | None = None
    dt: Array | None = None
    one_sided: tuple[Any, ...] = ()


@dataclass(frozen=True, eq=False)
class StepImpulses(Introduced):
    """A state after a step, and the impulses of its contacts and frictions: in the order of `names`, or rows of them.
    Divided by dt they are mean forces.

    residual   velocities by which contacts and frictions miss their laws, as a fraction of those without contacts
    gaps       of the contacts in that state, in the order in which they were given; a negative one is that of bodies which
               are inside each other, where they remain (`Contacts.separated` moves them apart)

    >>> m = sb.Model("ball")
    >>> y = m.coordinate("y")
    >>> ball = m.particle("ball", m.ground.point(0, y, 0), mass=2.0)
    >>> m.gravity(0, -9.81, 0)
    >>> env = sb.stepper(sb.Contacts(sb.derive(m), sb.Contact("floor", y)), 0.01)
    >>> found = env.impulses(env.start)
    >>> found.names, found.impulses / env.dt, found.gaps
    (('floor',), array([19.62]), array([0.]))

    See also: `integrate.Stepper`, `Contacts`.
    """

    state: Array
    names: tuple[str, ...]
    impulses: Array
    residual: Array
    gaps: Array


def names_of_marked(names: tuple[str, ...], marks: Array) -> tuple[Any, ...]:
    """Names whose marks are not zero; of each member, where there is a row of marks for each."""
    if marks.ndim > 1:
        return tuple(names_of_marked(names, row) for row in marks) if marks.any() else ((),) * len(marks)
    found = marks.tolist()
    return tuple(n for n, mark in zip(names, found, strict=True) if mark) if any(found) else ()

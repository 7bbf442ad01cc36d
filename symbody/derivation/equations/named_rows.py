"""The equations that a state must satisfy, each with its name and origin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...algebra.graph.graph import Expr, Symbol
from ...algebra.graph.matrix import Matrix
from ...algebra.graph.walk import scalars
from ...bodies.mechanism.mechanism import Constraint
from ...errors import listed


@dataclass(frozen=True)
class NamedRow:
    """expression = 0.

    kind          holonomic (phi), nonholonomic (Jc u + b), norm (eᵀe - 1 of Euler parameters), additional (h),
                  rate or output (with a prescribed value)
    joint         the joint to which a constraint belongs
    measures      quantity that it measures: a length, or a rotation (the cosine of an angle that should be a right
                  angle); empty where unknown
    multiplier    multiplier of a constraint that has not been eliminated

    >>> m = sb.Model("bead")
    >>> x, y = m.coordinates("x y")
    >>> bead = m.particle("bead", m.ground.point(x, y, 0), mass=1.0)
    >>> ring = m.constrain("ring", x**2 + y**2 - 1)
    >>> [(row.name, row.kind, row.expression) for row in sb.derive(m).position_rows]
    [('ring', 'holonomic', x**2 + y**2 - 1)]

    See also: `Equations`, `integrate.violation`.
    """

    name: str
    kind: str
    expression: Expr
    joint: str | None = None
    measures: str = ""
    multiplier: Symbol | None = None

    @property
    def owner(self) -> str:
        """The part to look at where it cannot hold.

        >>> m = sb.Model("bead")
        >>> x, y = m.coordinates("x y")
        >>> bead = m.particle("bead", m.ground.point(x, y, 0), mass=1.0)
        >>> ring = m.constrain("ring", x**2 + y**2 - 1)
        >>> sb.derive(m).position_rows[0].owner
        "constraint 'ring'"
        """
        if self.kind == "output":
            return self.name
        return f"joint {self.joint!r}" if self.joint else f"constraint {self.name!r}"


def constraint_row(c: Constraint, expression: Expr, multiplier: Symbol | None) -> NamedRow:
    """The row of a constraint. Its multiplier determines what it measures: a force a length, a torque a rotation."""
    forces = any(a.force is not None for a in c.actions)
    torques = any(a.torque is not None for a in c.actions)
    measures = "length" if forces else "turn" if torques else ""
    kind = "holonomic" if c.is_holonomic else "nonholonomic"
    return NamedRow(c.name, kind, expression, c.joint, measures, multiplier)


def norm_row(e: Sequence[Symbol]) -> NamedRow:
    square = sum((x * x for x in e[1:]), e[0] * e[0])
    return NamedRow(f"norm of {listed(e)}", "norm", square - 1)


def output_rows(outputs: Mapping[str, Any]) -> dict[str, Expr]:
    """Scalar outputs by name; entries of vectors and matrices get their place in brackets."""
    rows: dict[str, Expr] = {}
    for name, value in outputs.items():
        entries = scalars(value)
        if isinstance(value, (Matrix, list, tuple)):
            rows |= {f"{name}[{k}]": e for k, e in enumerate(entries)}
        else:
            rows[name] = entries[0]
    return rows

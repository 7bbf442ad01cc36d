"""The equations that a state must satisfy, each with its name and origin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ...algebra.graph.graph import Expr, Symbol
from ...algebra.graph.late_matrix import sparse_rows
from ...algebra.graph.matrix import Matrix, sum_of_products
from ...algebra.graph.walk import scalars
from ...bodies.mechanism.mechanism import Constraint
from ...errors import listed
from ...summary import Introduced
from .constraint_rank import constraint_rank

if TYPE_CHECKING:
    from .equations import Equations


@dataclass(frozen=True)
class NamedRow:
    """expression = 0.

    kind          holonomic (phi), nonholonomic (Jc u + b), norm (eᵀe - 1 of Euler parameters), additional (h),
                  rate or output (with a prescribed value)
    joint         the joint to which a constraint belongs
    measures      the measured quantity: a length, or a rotation (the cosine of an angle that should be a right angle);
                  empty if unknown
    multiplier    multiplier of a constraint that has not been eliminated

    >>> m = sb.Model("bead")
    >>> x, y = m.coordinates("x y")
    >>> bead = m.particle("bead", m.ground.point(x, y, 0), mass=1.0)
    >>> ring = m.constrain("ring", x**2 + y**2 - 1)
    >>> [(row.name, row.kind, row.expression) for row in sb.derive(m).rows.positions]
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
        """The part to check if the row cannot be satisfied.

        >>> m = sb.Model("bead")
        >>> x, y = m.coordinates("x y")
        >>> bead = m.particle("bead", m.ground.point(x, y, 0), mass=1.0)
        >>> ring = m.constrain("ring", x**2 + y**2 - 1)
        >>> sb.derive(m).rows.positions[0].owner
        "constraint 'ring'"
        """
        if self.kind == "output":
            return self.name
        return f"joint {self.joint!r}" if self.joint else f"constraint {self.name!r}"


@dataclass(frozen=True, eq=False)
class EquationRows(Introduced):
    """The equations that a state of a mechanism satisfies, row by row; returned by `Equations.rows`.

    eq   the equations that they belong to

    >>> m = sb.Model("top")
    >>> joint = m.spherical("r", m.ground, m.body("top", mass=1, inertia=(1, 1, 2)), "euler parameters")
    >>> name = m.constrain("level", m.symbols["r_e1"])
    >>> i = m.variable("i")
    >>> name = m.equation("circuit", i.dot + i)
    >>> eq = sb.derive(m)
    >>> [(row.name, row.expression) for row in eq.rows.positions]
    [('level', r_e1), ('norm of r_e0, r_e1, r_e2, r_e3', r_e0**2 + r_e1**2 + r_e2**2 + r_e3**2 - 1)]
    >>> len(eq.rows.holonomic), len(eq.rows.norms), eq.rows.speed_names, eq.rows.speeds[0].name
    (1, 1, ('level',), 'level')
    >>> eq.rows.additional[0].expression
    i + i_dot
    >>> eq.rows.rank
    1
    >>> dict(eq.rows.validity)  # where the model is valid: everywhere
    {}

    See also: `derivation.NamedRow`, `integrate.violation`.
    """

    eq: Equations

    @cached_property
    def holonomic(self) -> tuple[NamedRow, ...]:
        """phi, by name; if multipliers were eliminated, the rows are invariants of the motion."""
        k = len(self.eq.phi.entries)
        named = zip(self.eq.mechanism.holonomic, self.eq.phi.entries, self.eq.lam[:k] or (None,) * k, strict=True)
        return tuple(constraint_row(c, e, multiplier) for c, e, multiplier in named)

    @cached_property
    def norms(self) -> tuple[NamedRow, ...]:
        """eᵀe - 1 for every set of Euler parameters."""
        return tuple(norm_row(e) for e in self.eq.mechanism.norms)

    @property
    def positions(self) -> tuple[NamedRow, ...]:
        """phi, then the norms of Euler parameters."""
        return (*self.holonomic, *self.norms)

    @cached_property
    def speed_names(self) -> tuple[str, ...]:
        """Names of `speeds`, which need not be made for them."""
        m = self.eq.mechanism
        return tuple(c.name for c in ((*m.holonomic, *m.nonholonomic) if self.eq.lam else ()))

    @cached_property
    def speeds(self) -> tuple[NamedRow, ...]:
        """Jc u + b, in the order of the multipliers: rates of holonomic constraints, then nonholonomic ones."""
        m = self.eq.mechanism
        constraints = (*m.holonomic, *m.nonholonomic) if self.eq.lam else ()
        rates = [
            sum_of_products(list(row.values()), [self.eq.u[j] for j in row]) + b
            for row, b in zip(sparse_rows(self.eq.Jc), self.eq.b.entries, strict=True)
        ]
        return tuple(constraint_row(c, rates[k], self.eq.lam[k]) for k, c in enumerate(constraints))

    @cached_property
    def additional(self) -> tuple[NamedRow, ...]:
        """h, by name."""
        held = self.eq.sampling.after if self.eq.sampling else ()
        named = zip((*self.eq.mechanism.equations, *(s.name for s in held)), self.eq.h.entries, strict=True)
        return tuple(NamedRow(name, "additional", e) for name, e in named)

    @property
    def rank(self) -> int:
        """Rank of Jc; the number of its rows if `derivation.constraint_rank` is unknown."""
        found = constraint_rank(self.eq)
        return len(self.eq.lam) if found is None else found.rank

    @property
    def validity(self) -> Mapping[str, Expr]:
        """Expressions that are positive where the model is valid, by name."""
        return self.eq.mechanism.validity


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

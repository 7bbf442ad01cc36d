"""How far a motion misses its constraints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...algebra.graph.matrix import Matrix
from ...derivation.equations.equations import Equations
from ...derivation.equations.own_terms import in_own_terms
from ...emit.run.callable import Array
from ...summary import Introduced
from ..start.constraint_rows import rows_of
from .quantities import evaluated_quantities
from .segment import Segment


@dataclass(frozen=True)
class Violations(Introduced):
    """phi (and norms of Euler parameters less one) and Jc u + b at each time, a column for each constraint.

    positions, speeds             of phi and of Jc u + b, a row for each time
    position_names, speed_names   of their columns

    >>> m = sb.Model("bead")
    >>> x, y = m.coordinates("x y")
    >>> bead = m.particle("bead", m.ground.point(x, y, 0), mass=1.0)
    >>> ring = m.constrain("ring", x**2 + y**2 - 1)
    >>> found = sb.simulate(sb.derive(m), [0.0, 0.1, 0.2], x=1.0, y_dot=1.0).violation
    >>> found.positions.shape, found.position < 1e-12
    ((3, 1), True)

    See also: `Trajectory`, `integrate.violation`.
    """

    positions: Array
    speeds: Array
    position_names: tuple[str, ...]
    speed_names: tuple[str, ...]

    @property
    def position(self) -> float:
        """The largest residual of the constraints on positions, over all times."""
        return float(np.max(np.abs(self.positions), initial=0.0))

    @property
    def speed(self) -> float:
        """The largest residual of the constraints on speeds, Jc u + b.

        >>> m = sb.Model("bead")
        >>> x, y = m.coordinates("x y")
        >>> bead = m.particle("bead", m.ground.point(x, y, 0), mass=1.0)
        >>> floor = m.constrain("floor", y)
        >>> sb.simulate(sb.derive(m), [0.0, 0.5, 1.0], x_dot=1.0).violation.speed
        0.0

        See also: `integrate.violation`.
        """
        return float(np.max(np.abs(self.speeds), initial=0.0))

    def __repr__(self) -> str:
        return f"<Violations: at most {self.position:z.1e} in position, {self.speed:z.1e} in speed>"


def violations(s: Segment) -> Violations:
    """Of the constraints of one set of equations."""
    eq, rows = s.equations, rows_of(s.equations)
    count = len(rows.positions)
    if not count + len(eq.lam):
        return Violations(np.zeros((len(s), 0)), np.zeros((len(s), 0)), (), ())
    found = evaluated_quantities(s, "violations", (), lambda: [_residuals(eq)])[0].reshape(len(s), count + len(eq.lam))
    positions, speeds = found[:, :count], found[:, count:]
    return Violations(positions, speeds, tuple(r.name for r in rows.positions), tuple(r.name for r in rows.speeds))


def _residuals(eq: Equations) -> Matrix:
    speeds = eq.Jc @ Matrix(len(eq.u), 1, eq.u) + eq.b if eq.lam else Matrix(0, 1, ())
    entries = (*(row.expression for row in rows_of(eq).positions), *speeds.entries)
    (own,) = in_own_terms(eq, [Matrix(len(entries), 1, entries)], solved=True)
    return own


def joined_violations(parts: Sequence[Violations]) -> Violations:
    """One after another; a constraint that a part does not have is not missed in it."""
    if len(parts) == 1:
        return parts[0]
    position_names = tuple(dict.fromkeys(n for v in parts for n in v.position_names))
    speed_names = tuple(dict.fromkeys(n for v in parts for n in v.speed_names))
    positions = [_spread(v.positions, v.position_names, position_names) for v in parts]
    speeds = [_spread(v.speeds, v.speed_names, speed_names) for v in parts]
    return Violations(np.concatenate(positions), np.concatenate(speeds), position_names, speed_names)


def _spread(columns: Array, names: Sequence[str], all_names: Sequence[str]) -> Array:
    out = np.zeros((len(columns), len(all_names)))
    out[:, [all_names.index(n) for n in names]] = columns
    return out

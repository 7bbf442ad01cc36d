"""Starts of all members of a batch as arrays, and which of them machine code may take as they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...derivation.equations.equations import Equations
from ...derivation.equations.variable import ARGUMENTS
from ...derivation.rank.row_space import FADED_ROW, RANK_TOLERANCE
from ...emit.run.callable import Array
from ..events.events import watch_of
from ..forms.forms import Form
from ..result.quantities import StateRows
from ..run.stiffness import is_stiff, rough_bound, rough_sizes
from ..start.branch_rank import NEARLY_SINGULAR
from ..start.constraint_rows import rows_of
from ..start.state import (
    MAX_START_VIOLATION,
    default_values,
    is_whole_state,
    named_values,
    require_parameters,
    start_values,
)
from .event_table import EventTable

Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class MemberStarts(StateRows):
    """Time, coordinates, speeds, variables, inputs and parameters, a row for each member."""

    @classmethod
    def of(
        cls, eq: Equations, start: Any, starts: Sequence[Any] | None, many: Mapping[str, Array], count: int
    ) -> MemberStarts:
        """What is given by name, on top of one start for all or one for each; an AssemblyError where a name or number
        is refused."""
        where, table = f"state of {eq.name!r}", eq.variables.of(ARGUMENTS)
        place = {name: k for k, name in enumerate(table.names)}
        numbers = np.zeros((count, len(place)))
        known = default_values(eq) | _own(eq, start, where)
        named_values(eq, dict.fromkeys(many, 0.0), where)
        require_parameters(eq, {**known, **dict.fromkeys(many, 0.0)} if starts is None else _own(eq, starts[0], where))
        numbers[:] = [known.get(name, 0.0) for name in table.names]
        for k, one in enumerate(starts or ()):
            for name, x in _own(eq, one, where).items():
                numbers[k, place[name]] = x
        for name, column in many.items():
            numbers[:, place[name]] = column
        ends = np.cumsum([1, *(len(getattr(eq, g)) for g in "quzr")])
        t, *groups = np.split(numbers, ends, axis=1)
        return cls(eq, t[:, 0], *(np.ascontiguousarray(g) for g in groups))

    @property
    def state(self) -> Array:
        return np.hstack([self.q, self.u, self.z])

    @property
    def parameters(self) -> Array:
        return np.hstack([self.p, self.r])

    def asked(self, f: Any) -> Any:
        """A function of some of these groups, at all members."""
        return f.batch(*(getattr(self, g.name) for g in f.program.inputs))

    # ------------------------------------------------------------------------------------------------ what is regular

    def is_finite(self) -> Flags:
        moving = [s.order > 0 for s in self.equations.r]
        numbers = np.hstack([self.t[:, None], self.state, self.parameters])
        return np.all(np.isfinite(numbers), axis=1) & np.all(self.r[:, moving] == 0.0, axis=1)

    def keeps_constraints(self) -> Flags:
        """Whether the constraints hold, and depend on each other nowhere near: where there is doubt, the answer is
        no."""
        eq, rows = self.equations, rows_of(self.equations)
        good = np.ones(len(self.t), dtype=bool)
        if rows.positions:
            phi, _ = self.asked(rows.position_function)
            good &= np.all(np.abs(phi) <= MAX_START_VIOLATION, axis=1)
        if rows.speeds:
            Jc, b = self.asked(rows.speed_function)
            psi = np.einsum("kij,kj->ki", Jc, self.u) + b.reshape(len(b), -1)
            good &= np.all(np.abs(psi) <= MAX_START_VIOLATION, axis=1)
            good &= _is_regular(Jc, good)
        return good if eq.border is None else np.zeros_like(good)


def _own(eq: Equations, start: Any, where: str) -> dict[str, float]:
    known = start_values(start, where)
    if is_whole_state(start):
        table = eq.variables.of(ARGUMENTS)
        return {k: v for k, v in known.items() if k in table}
    return named_values(eq, known, where)


def _is_regular(J: Array, asked: Flags) -> Flags:
    """Whether rows are independent beyond doubt, each in units of its size."""
    sizes = np.linalg.norm(J, axis=2)
    out = asked & np.all(sizes > FADED_ROW * np.max(sizes, axis=1, initial=0.0)[:, None], axis=1)
    if J.shape[1] > J.shape[2]:
        return np.zeros_like(out)
    if out.any():
        s = np.linalg.svd(J[out] / sizes[out][:, :, None], compute_uv=False)
        out[out] = s[:, -1] > max(NEARLY_SINGULAR, RANK_TOLERANCE) * s[:, 0]
    return out


def may_stay_explicit(form: Form, t: float, y: Array, p: Array, span: float, among: Flags) -> Flags:
    """Members that are not stiff at the start."""
    sizes = rough_sizes(form, t, y, p)
    good: Flags = among & (sizes <= rough_bound(span))
    for k in np.flatnonzero(among & ~good).tolist():
        good[k] = not is_stiff(form, t, y[k], p[k], span)
    return good


def begins_apart(form: Form, table: EventTable, t: float, y: Array, p: Array) -> Flags:
    """Members whose contacts are open at the start, by more than rounding."""
    one_sided = np.array(table.one_sided, dtype=bool)
    if not one_sided.any():
        return np.ones(len(y), dtype=bool)
    g = watch_of(form, table.functions).program.batch(t, y, p)[:, : len(one_sided)]
    return np.all(g[:, one_sided] > 1e-6, axis=1)


def ends_at_event(form: Form, table: EventTable, t: float, y: Array, p: Array, reached: Flags) -> Flags:
    """Members that have reached the end, at which an event may just occur."""
    out = np.zeros(len(y), dtype=bool)
    which = np.flatnonzero(reached)
    if len(which):
        out[which] = watch_of(form, table.functions).is_near_zero(t, y[which], p[which])
    return out

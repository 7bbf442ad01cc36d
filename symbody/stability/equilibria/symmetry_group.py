"""The symmetries along which a steady motion drifts, chosen by the conditions, and the rows that follow from them.

    q' = Σ ωk Yk(q),   u' = Σ ωk Yk(q, u)

The rate ωk is the rate of a coordinate if Yk moves it by one and nothing else does (the heading of a vehicle), else an
unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...algebra.graph.graph import ONE, ZERO, Expr, Symbol, as_expr, symbol
from ...derivation.equations.equations import Equations
from ...errors import DerivationError, StabilityError, listed, shown
from ..variation.condition_rows import ConditionRow
from .symmetries import AXES, Symmetry, symmetries


@dataclass(frozen=True)
class Asked:
    """Conditions on a steady motion: values, free symbols, and the coordinates that may drift independently."""

    wanted: Mapping[Expr, Expr]
    loose: Sequence[Symbol]
    cyclic: Sequence[Symbol]

    @cached_property
    def moving(self) -> set[Any]:
        """Rates and speeds that are given or free."""
        return {s for s, v in self.wanted.items() if v is not ZERO} | set(self.loose)

    def is_held(self, q: Symbol) -> bool:
        """Whether a cyclic coordinate stands still because it has a value."""
        return q in self.cyclic and q in self.wanted and q.dot not in self.moving

    def drifts(self, q: Symbol) -> bool:
        return q in self.cyclic and (q.dot in self.moving or not (self.is_held(q) or q.dot in self.wanted))

    def needing(self, eq: Equations) -> list[Symbol]:
        """Rates and speeds asked for that move coordinates which are not cyclic."""
        rates = {q.dot: q for q in eq.q}
        asked = [r for r, q in rates.items() if q not in self.cyclic and r in self.moving]
        touched = [
            u
            for j, u in enumerate(eq.u)
            if u in self.moving and u not in rates
            if any(eq.N[i, j] is not ZERO and q not in self.cyclic for i, q in enumerate(eq.q))
        ]
        return [s for s in (*asked, *touched) if isinstance(s, Symbol)]


@dataclass(frozen=True)
class SymmetryGroup:
    """The symmetries along which a motion drifts, with their rates, and those rates that are additional unknowns."""

    eq: Equations
    cyclic: Sequence[Symbol]
    along: tuple[tuple[Symmetry, Expr], ...] = ()
    rates: tuple[Symbol, ...] = ()

    def moves(self, q: Symbol) -> bool:
        return any(q in s.q for s, _ in self.along)

    def _change(self, group: str, x: Symbol) -> Expr:
        parts = ((getattr(s, group).get(x, ZERO), rate) for s, rate in self.along)
        return sum((rate * e for e, rate in parts), start=ZERO)

    @cached_property
    def turned_speeds(self) -> tuple[Symbol, ...]:
        """Speeds that change along the motion."""
        return tuple(u for u in self.eq.u if any(u in s.u for s, _ in self.along))

    @cached_property
    def turning(self) -> tuple[Symbol, ...]:
        """Speeds, and coordinates that are not cyclic, whose rates change along the motion."""
        changing = [q for q in self.eq.q if any(s.q.get(q, ZERO).op != "const" for s, _ in self.along)]
        return (*(q for q in changing if q not in self.cyclic), *self.turned_speeds)

    def rate_rows(self) -> list[ConditionRow]:
        """Rows by which coordinates move along the symmetries, except for those that may drift independently."""
        pairs = [(q, r) for q, r in zip(self.eq.q, self.eq.rates.entries, strict=True) if q not in self.cyclic]
        rows = [(q, r - self._change("q", q)) for q, r in pairs if self.moves(q)]
        return [ConditionRow(f"rate of {q.name}", e, "speeds") for q, e in rows if e is not ZERO]

    def turn_rows(self) -> list[ConditionRow]:
        names = listed(s.name for s, _ in self.along)
        return [
            ConditionRow(f"{names} of {u.name}", u.dot - self._change("u", u), "accelerations")
            for u in self.turned_speeds
        ]


def active_symmetries(eq: Equations, asked: Asked, turning: Any, near: Mapping[Symbol, float]) -> SymmetryGroup:
    """The symmetries that move the prescribed rates and speeds, and rotations about the prescribed axes."""
    needing, axes = asked.needing(eq), _axes(eq, turning)
    if not needing and not axes:
        return SymmetryGroup(eq, asked.cyclic)
    points = {**eq.variables.of("q p").defaults, **near}
    known = _all_symmetries(eq, asked.cyclic, points)
    chosen: dict[Symmetry, Expr | None] = {}
    for thing in needing:
        found = [s for s in known if s.moves(thing)]
        if not found and any(q.dot is thing for q in eq.q):
            raise _nothing_moves(eq, thing, known)
        chosen |= dict.fromkeys(found)
    for axis, rate in axes:
        chosen |= dict.fromkeys(_rotation(eq, axis, known), rate)
    return _with_rates(eq, chosen, asked.cyclic)


def _all_symmetries(
    eq: Equations, cyclic: Sequence[Symbol], near: Mapping[Symbol, float | None]
) -> tuple[Symmetry, ...]:
    """All symmetries. They hold everywhere, but are written with pivots chosen near some numbers: neighbouring
    numbers share them."""
    about = tuple((s, None if v is None else _roughly(v)) for s, v in near.items())
    try:
        return eq.cached("symmetries", about, lambda: symmetries(eq, cyclic, near))
    except DerivationError:  # no states near these numbers: no symmetries are found
        return ()


def _roughly(x: float) -> float:
    return round(2 * x) / 2 if abs(x) < 10 else float(f"{x:z.0e}")


def _nothing_moves(eq: Equations, thing: Symbol, known: Iterable[Symmetry]) -> StabilityError:
    q = next(q for q in eq.q if q.dot is thing)
    found = listed(s.name for s in known) or "none"
    return StabilityError(
        f"steady motion of {eq.name!r}: {q.name} cannot drift in it: accelerations depend on it, and no symmetry of the equations moves it "
        f"(symmetries that were found: {found})"
    )


def _with_rates(eq: Equations, chosen: Mapping[Symmetry, Expr | None], cyclic: Sequence[Symbol]) -> SymmetryGroup:
    along, rates, taken = [], [], {s.name for s in eq.variables.of("q u z r p lam q' u' z'").symbols}
    own = dict(zip(eq.q, eq.rates.entries, strict=True))
    for s, given in chosen.items():
        others = [x for x in chosen if x is not s]
        single = [q for q, e in s.q.items() if e is ONE and q not in cyclic and not any(q in x.q for x in others)]
        rate = given if given is not None else own[single[0]] if single else symbol(_rate_name(s, taken), "speed")
        if given is None and not single:
            assert isinstance(rate, Symbol)
            rates.append(rate)
            taken.add(rate.name)
        along.append((s, rate))
    return SymmetryGroup(eq, cyclic, tuple(along), tuple(rates))


def _rate_name(s: Symmetry, taken: set[str]) -> str:
    kind, *rest = s.name.split()
    word = {"rotation": "turn", "translation": "drift"}.get(kind, kind)
    axis = next((f"_{x}" for x in rest if x in AXES), "")
    names = (f"{word}{axis}{k or ''}" for k in range(len(taken) + 1))
    return next(n for n in names if n not in taken)


# ---------------------------------------------------------------------------------------------------- axes


def _axes(eq: Equations, turning: Any) -> list[tuple[tuple[float, ...], Expr | None]]:
    """Axes of the ground with their rates: "z", (0, 0, 1), {"z": 2.0}; None for an unknown rate."""
    if turning is None:
        return []
    pairs = turning.items() if isinstance(turning, Mapping) else [(turning, None)]
    return [(_axis(eq, axis), None if rate is None else as_expr(rate)) for axis, rate in pairs]


def _axis(eq: Equations, axis: Any) -> tuple[float, ...]:
    if isinstance(axis, str) and axis.removeprefix("-") in AXES:
        sign = -1.0 if axis.startswith("-") else 1.0
        return tuple(sign * x for x in AXES[axis.removeprefix("-")])
    try:
        numbers = np.array(axis, dtype=float)
    except (TypeError, ValueError):
        numbers = np.zeros(0)
    if numbers.shape != (3,) or not np.isfinite(numbers).all() or not numbers.any():
        raise StabilityError(
            f"steady motion of {eq.name!r}: turning= must be an axis of the ground, 'z' or (0, 0, 1), or a mapping "
            f"from axes to rates; got {shown(axis)}"
        )
    return tuple(numbers / np.linalg.norm(numbers))


def _rotation(eq: Equations, axis: Sequence[float], known: Sequence[Symmetry]) -> list[Symmetry]:
    """The rotation about an axis: a combination of known ones."""
    rotations = [s for s in known if any(s.axis)]
    A = np.array([s.axis for s in rotations], dtype=float).reshape(-1, 3).T
    weights = np.linalg.lstsq(A, np.array(axis), rcond=None)[0] if rotations else np.zeros(0)
    if not rotations or np.linalg.norm(A @ weights - axis) > 1e-6:
        found = listed(s.name for s in known) or "none"
        raise StabilityError(
            f"steady motion of {eq.name!r}: turning about ({', '.join(f'{x:z.6g}' for x in axis)}) is not a symmetry of the equations "
            f"(symmetries found: {found})"
        )
    weights = np.where(np.abs(weights) < 1e-9, 0.0, weights)
    return [Symmetry.combined([(float(w), s) for w, s in zip(weights, rotations, strict=True) if w])]

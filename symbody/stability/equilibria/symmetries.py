"""Symmetries of equations: changes of the state that commute with the flow, along which a steady motion may drift.

A symmetry is a vector field Y on the states that commutes with the motion X = (q', u'):

    DX Y - DY X = 0,   Dphi Y = 0,   D(Jc u + b) Y = 0,   Dh Y = 0

Candidates are motions of the whole mechanism as one rigid body, and spins of bodies in Euler parameters about
body-fixed axes; those of their combinations that are symmetries span a null space at random states on the constraints.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from random import Random
from typing import Any, Final

import numpy as np

from ...algebra.calculus.derivatives import directional_derivative
from ...algebra.calculus.evaluate import Evaluator, evaluate
from ...algebra.graph.graph import ONE, ZERO, Expr, Symbol, as_expr
from ...algebra.graph.matrix import Matrix, sum_of_products
from ...algebra.graph.walk import free_symbols
from ...derivation.equations.equations import Equations
from ...derivation.equations.random_states import random_state
from ...derivation.equations.variable import Variable
from ...derivation.questions.rigid_motions import rigid_motions
from ...derivation.rank.configuration import random_values
from ...derivation.rank.small_matrices import dependent_rows
from ...emit.run.callable import Array
from ...errors import EvaluationError
from ..variation.pivoting import pivoted_solution

SAMPLES: Final = 3  # number of random states at which candidates are tested
ZERO_TOLERANCE: Final = 1e-8  # singular value, relative to its terms, below which it is zero
MAX_COORDINATES: Final = 40  # largest number of coordinates for which shifts of single ones are candidates
MIN_PIVOT: Final = 1e-6  # relative to its row, below which the row depends on those before it
AXES: Final = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


@dataclass(frozen=True, eq=False)
class Symmetry:
    """A one-parameter family of changes of the state: rates of coordinates and speeds for a unit rate; zeros are
    left out.

    axis     angular velocity of a rigid-body motion; zero for translations and for spins of single bodies
    speeds   speeds of the motion along the family
    """

    name: str
    axis: tuple[float, float, float]
    q: Mapping[Symbol, Expr]
    u: Mapping[Symbol, Expr]
    speeds: Mapping[Symbol, Expr]

    @classmethod
    def combined(cls, parts: Sequence[tuple[float, Symmetry]]) -> Symmetry:
        """A sum of others, with weights."""
        if len(parts) == 1 and parts[0][0] == 1:
            return parts[0][1]
        x, y, z = (sum(w * s.axis[k] for w, s in parts) for k in range(3))
        turns = any((x, y, z))
        name = f"rotation about {_axis_name(np.array((x, y, z)))}" if turns else " with ".join(s.name for _, s in parts)
        changes = ([(w, getattr(s, group)) for w, s in parts] for group in ("q", "u", "speeds"))
        return cls(name, (x, y, z), *map(_weighed_sum, changes))

    def moves(self, thing: Symbol) -> bool:
        """Whether a speed, or the rate of a coordinate, is not zero in the motion along this family."""
        return thing in self.speeds or any(q.dot is thing for q in self.q)


def _weighed_sum(parts: Sequence[tuple[float, Mapping[Symbol, Expr]]]) -> dict[Symbol, Expr]:
    out: dict[Symbol, Any] = {}
    for weight, changes in parts:
        for s, e in changes.items():
            out[s] = out.get(s, ZERO) + _fraction(weight) * e
    return {s: e for s, e in out.items() if e is not ZERO}


def symmetries(eq: Equations, cyclic: Sequence[Symbol], near: Mapping[Symbol, float | None]) -> tuple[Symmetry, ...]:
    """The symmetries of some equations, without those that move cyclic coordinates only.

    near   numbers of parameters, and coordinates near which the constraints can hold
    """
    states = [random_state(eq, k, {s: v for s, v in near.items() if v is not None}) for k in range(SAMPLES)]
    candidates = _independent(
        [*_rigid(eq, states), *_spins(eq, states[0]), *_shifts(eq, cyclic, states[0])], eq, states
    )
    found = [
        Symmetry.combined([(float(w), s) for w, s in zip(row, candidates, strict=True) if w])
        for row in _commuting(eq, candidates, states)
    ]
    return tuple(s for s in found if any(q not in cyclic for q in s.q))


# ---------------------------------------------------------------------------------------------------- candidates


def _rigid(eq: Equations, states: Sequence[Mapping[Symbol, float]]) -> list[Symmetry]:
    """Motions as one rigid body that the coordinates allow at every state."""
    motions = rigid_motions(eq)
    n = len(eq.u)
    null: Array = np.eye(6)
    for state in states:
        V, T = (_numbers(m, state) for m in (motions.V, motions.T))
        U = _range(V)
        off = T - U @ (U.T @ T)
        null = null @ _null_space(off @ null, np.abs(T).max(initial=1.0))
    out = []
    for c in _simple(null):
        right = [sum_of_products(motions.T.row(i), [as_expr(x) for x in c]) for i in range(motions.T.rows)]
        speeds = pivoted_solution(motions.V, Matrix(len(right), 1, tuple(right)), states[0]).x.entries
        rates = [sum_of_products(eq.N.row(i), speeds) for i in range(len(eq.q))]
        axis = (float(c[0]), float(c[1]), float(c[2]))
        out.append(_symmetry_of(eq, _rigid_name(c), axis, rates, speeds[:n], states[0]))
    return out


def _rigid_name(c: Array) -> str:
    a, b = c[:3], c[3:]
    if not a.any():
        return f"translation along {_axis_name(b)}"
    return f"rotation about {_axis_name(a)}"


def _axis_name(a: Array) -> str:
    known = [name for name, axis in AXES.items() if np.array_equal(np.abs(a), np.abs(axis))]
    return known[0] if known else f"({', '.join(f'{x:z.6g}' for x in a)})"


def _spins(eq: Equations, state: Mapping[Symbol, float]) -> list[Symmetry]:
    """Turns of a body about its own axes: e' = ½ e ∘ (0, axis)."""
    out = []
    for parameters in eq.variables.quaternions:
        e0, e1, e2, e3 = (v.symbol for v in parameters)
        turned = {"x": (-e1, e0, e3, -e2), "y": (-e2, -e3, e0, e1), "z": (-e3, e2, -e1, e0)}
        for axis, changes in turned.items():
            rates = dict(zip((e0, e1, e2, e3), (c / 2 for c in changes), strict=True))
            right = [rates.get(q, ZERO) for q in eq.q]
            speeds = pivoted_solution(eq.N, Matrix(len(right), 1, tuple(right)), state).x.entries
            out.append(
                _symmetry_of(eq, f"spin about {axis} of {_owner(parameters)}", (0.0, 0.0, 0.0), right, speeds, state)
            )
    return out


def _shifts(eq: Equations, cyclic: Sequence[Symbol], state: Mapping[Symbol, float]) -> list[Symmetry]:
    """Shifts of single coordinates, such as the angles of geared shafts, which constraints may combine to a
    symmetry."""
    plain = [q for q in eq.q if q not in cyclic and not any(q is v.symbol for e in eq.variables.quaternions for v in e)]
    out = []
    for moved in plain if len(plain) <= MAX_COORDINATES else []:
        right = [ONE if q is moved else ZERO for q in eq.q]
        speeds = pivoted_solution(eq.N, Matrix(len(right), 1, tuple(right)), state).x.entries
        out.append(_symmetry_of(eq, f"shift of {moved.name}", (0.0, 0.0, 0.0), right, speeds, state))
    return out


def _independent(candidates: list[Symmetry], eq: Equations, states: Sequence[Mapping[Symbol, float]]) -> list[Symmetry]:
    """The symmetries that are not combinations of the previous ones."""
    out: list[Symmetry] = []
    fields = np.zeros((0, len(states) * (len(eq.q) + len(eq.u))))
    for y in candidates:
        changes = {**y.q, **y.u}
        entries = [changes.get(s, ZERO) for s in eq.variables.of("q u").symbols]
        here = np.concatenate([np.array(evaluate(entries, state), dtype=float) for state in states])
        rest = here - fields.T @ (fields @ here)
        if np.linalg.norm(rest) > 1e-7 * max(float(np.linalg.norm(here)), 1e-300):
            out.append(y)
            fields = np.vstack([fields, rest / np.linalg.norm(rest)])
    return out


def _owner(parameters: Sequence[Variable]) -> str:
    return parameters[0].description or parameters[0].name


def _symmetry_of(
    eq: Equations, name: str, axis: tuple[float, float, float], rates: Sequence[Expr], speeds: Sequence[Expr], state: Mapping[Symbol, float]
) -> Symmetry:  # fmt: skip
    """The symmetry with the change of speeds that follows from that of coordinates: N Yu = DYq q' - Dq' Yq."""
    rates = _with_round_coefficients(eq, list(rates), state)
    along = {q: r for q, r in zip(eq.q, eq.rates.entries, strict=True) if r is not ZERO}
    across = {q: r for q, r in zip(eq.q, rates, strict=True) if r is not ZERO}
    right = [a - b for a, b in zip(_slopes(list(rates), along), _slopes(list(eq.rates.entries), across), strict=True)]
    turned = pivoted_solution(eq.N, Matrix(len(right), 1, tuple(right)), state).x.entries
    tidy = iter([*rates, *_with_round_coefficients(eq, [*turned, *speeds], state)])
    groups = (eq.variables.of(name).symbols for name in ("q", "u", "u"))
    parts = [{s: e for s, e in zip(group, tidy) if e is not ZERO} for group in groups]  # noqa: B905
    return Symmetry(name, axis, *parts)


def _with_round_coefficients(eq: Equations, things: list[Expr], state: Mapping[Symbol, float]) -> list[Expr]:
    """Expressions that are linear in coordinates and speeds with round coefficients, written in that form: x' = -y,
    e0' = -e1/2."""
    if not any(e.args for e in things):
        return things
    symbols = eq.variables.of("q u").symbols
    parameters = {s: v for s, v in state.items() if s in eq.p}
    draws = [{**random_values(eq, Random(k)), **parameters} for k in range(len(symbols) + 4)]
    moving = [s for s in draws[0] if s not in parameters]
    try:
        evaluated = Evaluator(things, parameters, moving)
        values = np.array([evaluated([float(at[s]) for s in moving]) for at in draws], dtype=float)
    except (EvaluationError, OverflowError):  # a solve has no value at one of them
        return things
    terms = np.array([[1.0, *(at[s] for s in symbols)] for at in draws])
    weights = np.linalg.lstsq(terms, values, rcond=None)[0]
    rounded = np.round(12 * weights) / 12
    fits = np.abs(terms @ rounded - values).max(axis=0) <= 1e-9 * np.maximum(1.0, np.abs(values).max(axis=0))
    units = [ONE, *symbols]
    return [_linear(w, units) if fit else e for e, w, fit in zip(things, rounded.T, fits, strict=True)]


def _linear(weights: Array, units: Sequence[Expr]) -> Expr:
    return sum((_fraction(w) * x for w, x in zip(weights, units, strict=True) if w), start=ZERO)


def _fraction(w: float) -> Expr:
    near = Fraction(w).limit_denominator(12)
    return as_expr(near) if abs(float(near) - w) < 1e-9 else as_expr(w)


def _slopes(things: list[Expr], direction: Mapping[Symbol, Expr]) -> list[Expr]:
    return list(directional_derivative(Matrix(len(things), 1, tuple(things)), direction).entries)


# ------------------------------------------------------------------------------------------------ which of them commute


def _commuting(eq: Equations, candidates: list[Symmetry], states: Sequence[Mapping[Symbol, float]]) -> Array:
    """Combinations of candidates that are symmetries, one in each row."""
    if not candidates:
        return np.zeros((0, 0))
    columns = _Commutators(eq).at(states, candidates)
    terms = np.max([c[1] for c in columns], axis=0)
    rows = np.array([c[0] for c in columns]).T / np.maximum(terms, 1e-300)[:, None]
    return _simple(_null_space(rows[terms > 0], 1.0))


class _Commutators:
    """DX Y - DY X and derivatives of constraints along Y, with the size of their terms."""

    def __init__(self, eq: Equations) -> None:
        self.eq = eq
        state = eq.variables.of("q u").symbols
        self.motion = dict(zip(state, (*eq.rates.entries, *eq.udot.entries), strict=True))

    @cached_property
    def kept(self) -> list[Expr]:
        """Expressions that must not change."""
        eq = self.eq
        return [*(row.expression for row in (*eq.rows.positions, *eq.rows.speeds)), *eq.h.entries]

    def at(self, states: Sequence[Mapping[Symbol, float]], candidates: Sequence[Symmetry]) -> list[Array]:
        """Values for each candidate, at all states in sequence; at a state all are evaluated at once, since they
        share most subexpressions."""
        groups = [self._groups(y) for y in candidates]
        every = [e for of_one in groups for group in of_one for e in group]
        columns: list[list[Array]] = [[] for _ in candidates]
        for state in states:
            numbers = iter(evaluate(every, state))
            for column, of_one in zip(columns, groups, strict=True):
                column.append(self._sizes(*(np.array([next(numbers) for _ in g], dtype=float) for g in of_one)))
        return [np.concatenate(column, axis=1) for column in columns]

    def _groups(self, y: Symmetry) -> tuple[list[Expr], ...]:
        change, udot = {**y.q, **y.u}, list(self.eq.udot.entries)
        first = _slopes([*udot, *self.kept], change)
        second = _slopes([y.u.get(u, ZERO) for u in self.eq.u], self.motion)
        return first, second, list(change.values()), udot

    @staticmethod
    def _sizes(first: Array, b: Array, moved: Array, u: Array) -> Array:
        a, kept = first[: len(u)], first[len(u) :]
        extent = max(1.0, float(np.abs(u).max(initial=0.0))) * max(1.0, float(np.abs(moved).max(initial=0.0)))
        sizes = np.concatenate([np.maximum(np.abs(a) + np.abs(b), extent), np.maximum(np.abs(kept), extent)])
        return np.array([np.concatenate([a - b, kept]), sizes])


# ------------------------------------------------------------------------------------------------- small linear algebra


def _numbers(m: Matrix, state: Mapping[Symbol, float]) -> Array:
    return np.array(evaluate(list(m.entries), {s: state[s] for s in free_symbols(m)}), dtype=float).reshape(m.shape)


def _range(A: Array) -> Array:
    if not A.size:
        return np.zeros((A.shape[0], 0))
    U, s, _ = np.linalg.svd(A, full_matrices=False)
    return U[:, s > 1e-10 * s[0]] if s[0] > 0 else U[:, :0]


def _null_space(A: Array, scale: float) -> Array:
    """A basis of the numerical null space of A, in columns."""
    n = A.shape[1]
    if not A.size:
        return np.eye(n)
    _, s, V = np.linalg.svd(A, full_matrices=True)
    rank = int(np.sum(s > ZERO_TOLERANCE * scale * max(A.shape)))
    return V[rank:].T


def _simple(null: Array) -> Array:
    """The same space by rows in echelon form, with ones first and round numbers where they are round."""
    dependent = {d.row for d in dependent_rows(null.tolist(), MIN_PIVOT)}
    first = [j for j in range(len(null)) if j not in dependent]
    rows = np.linalg.solve(null[first].T, null.T)
    nearest = np.round(rows * 12) / 12
    return np.where(np.abs(rows - nearest) < 1e-7, nearest, rows)

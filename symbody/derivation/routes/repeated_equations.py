"""Equations of mechanisms whose parts repeat: those of one tree, of one group of constraints and of one load of each type, and of
the others by putting in their symbols."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from random import Random
from typing import Any, Final, NamedTuple

from ...algebra.calculus.derivatives import jacobian
from ...algebra.graph.graph import ZERO, Expr, Symbol
from ...algebra.graph.late_matrix import LateColumn, LateRows, LateSquare
from ...algebra.graph.matrix import Matrix, stack, sum_of_products, zeros
from ...algebra.graph.walk import free_symbols, substitute_all
from ...bodies.mechanism.mechanism import Mechanism
from ..kinematics.equal_links import acting_loads, written_expressions
from ..kinematics.kinematics import Kinematics, wrenches
from ..kinematics.uncoupled_trees import ConstraintGroup, LoadOnTrees, RepeatedParts, UncoupledTree, repeated_parts
from ..rank.saddle_point import is_definite
from .recursive import equations_of_tree


@dataclass(frozen=True)
class TreeEquations:
    """M and f of one tree, in its own speeds; loads between trees are not in f."""

    slots: tuple[Symbol, ...]
    M: Matrix
    f: Matrix


@dataclass(frozen=True)
class GroupEquations:
    """phi, Jc, b and c of a group of constraints; Jc in the speeds of its trees, tree by tree. Without phi where they are
    nonholonomic.
    """

    slots: tuple[Symbol, ...]
    speeds: tuple[tuple[Symbol, ...], ...]
    phi: Matrix
    Jc: tuple[Matrix, ...]
    b: Matrix
    c: Matrix


@dataclass(frozen=True)
class LoadEquations:
    """What a load adds to f of each tree on which it acts."""

    slots: tuple[Symbol, ...]
    forces: tuple[Matrix, ...]


class RepeatedEquations:
    """M, f, phi, Jc, b, c of a mechanism, type by type.

    trees, groups, loads   equations of the first tree, of the first group of constraints, and of the first load of each
                           type
    """

    def __init__(self, mechanism: Mechanism, parts: RepeatedParts) -> None:
        self.mechanism, self.parts = mechanism, parts
        self.trees: dict[Hashable, TreeEquations] = {}
        self.groups: dict[Hashable, GroupEquations] = {}
        for x in parts.trees:
            if x.kind not in self.trees:
                self.trees[x.kind] = _of_tree(mechanism, x)
        kinematics = Kinematics(mechanism)
        for g in parts.groups:
            if g.kind not in self.groups:
                self.groups[g.kind] = equations_of_group(kinematics, parts, g)
        self.loads: dict[Hashable, LoadEquations] = {}
        for load in parts.loads:
            if load.kind not in self.loads:
                self.loads[load.kind] = _of_load(kinematics, parts, load)

    @property
    def is_linear(self) -> bool:
        """Whether constraints are linear in the speeds."""
        u = set(self.mechanism.u)
        return all(u.isdisjoint(free_symbols(J)) for g in self.groups.values() for J in g.Jc)

    @property
    def has_inertia(self) -> bool:
        """Whether M of every tree is definite at a generic state."""
        draw, known = Random(1), self.mechanism.values
        for tree in self.trees.values():
            at = {s: known[s] if s in known else draw.uniform(0.2, 0.9) for s in free_symbols(tree.M)}
            if tree.M.rows and not is_definite(tree.M, at):
                return False
        return True

    # --------------------------------------------------------------------------------------------------- all entries

    def inertia(self) -> tuple[Expr, ...]:
        n = len(self.mechanism.u)
        entries = [ZERO] * (n * n)
        for tree in self.parts.trees:
            own = self.trees[tree.kind]
            (M,) = _put_in(own.slots, tree.slots, [own.M])
            for a, i in enumerate(tree.speeds):
                for b, j in enumerate(tree.speeds):
                    entries[i * n + j] = M[a, b]
        return tuple(entries)

    def diagonal(self) -> tuple[Expr, ...]:
        out = [ZERO] * len(self.mechanism.u)
        for tree in self.parts.trees:
            own = self.trees[tree.kind]
            entries = _put_in(own.slots, tree.slots, [own.M[a, a] for a in range(own.M.rows)])
            for j, e in zip(tree.speeds, entries, strict=True):
                out[j] = e
        return tuple(out)

    def right_side(self) -> tuple[Expr, ...]:
        out = [ZERO] * len(self.mechanism.u)
        for tree in self.parts.trees:
            own = self.trees[tree.kind]
            for j, e in zip(tree.speeds, _put_in(own.slots, tree.slots, list(own.f.entries)), strict=True):
                out[j] = e
        for load in self.parts.loads:
            made = self.loads[load.kind]
            for k, column in zip(load.trees, _put_in(made.slots, load.slots, list(made.forces)), strict=True):
                for j, e in zip(self.parts.trees[k].speeds, column.entries, strict=True):
                    out[j] = out[j] + e
        return tuple(out)

    def constraint_rows(self) -> list[dict[int, Expr]]:
        """Of each row of Jc the entries that are not zero everywhere, by column."""
        out: list[dict[int, Expr]] = []
        for g in self.parts.groups:
            own = self.groups[g.kind]
            parts = _put_in(own.slots, g.slots, list(own.Jc))
            for i in range(len(g.constraints)):
                row: dict[int, Expr] = {}
                for k, J in zip(g.trees, parts, strict=True):
                    row |= {j: e for j, e in zip(self.parts.trees[k].speeds, J.row(i), strict=True) if e is not ZERO}
                out.append(row)
        return out

    def free_rates(self) -> tuple[Expr, ...]:
        return tuple(e for g in self.parts.groups for e in self._of(g, self.groups[g.kind].b))

    def rates_at_constant_speed(self) -> tuple[Expr, ...]:
        return tuple(e for g in self.parts.groups for e in self._of(g, self.groups[g.kind].c))

    def _of(self, g: ConstraintGroup, column: Matrix) -> list[Expr]:
        return _put_in(self.groups[g.kind].slots, g.slots, list(column.entries))


def _put_in(slots: tuple[Symbol, ...], own: tuple[Symbol, ...], things: list[Any]) -> list[Any]:
    return substitute_all(things, dict(zip(slots, own, strict=True)))


def _of_tree(mechanism: Mechanism, tree: UncoupledTree) -> TreeEquations:
    u = tuple(mechanism.u[j] for j in tree.speeds)
    q = tuple(s for s in tree.slots if s in mechanism.rates)
    alone = replace(
        mechanism, q=q, u=u, rates={s: mechanism.rates[s] for s in q}, bodies=tree.bodies, joints=(), loads=(),
        constraints=(), outputs={}, labels={}, validity={}, notes=(),
    )  # fmt: skip
    M, f = equations_of_tree(alone, Kinematics(alone))
    forces = tuple(a + b for a, b in zip(f.entries, tree.forces, strict=True))
    return TreeEquations(tree.slots, M, Matrix(len(u), 1, forces))


def equations_of_group(kinematics: Kinematics, parts: RepeatedParts, g: ConstraintGroup) -> GroupEquations:
    """Of a group on parts with speeds of their own."""
    is_holonomic = g.constraints[0].is_holonomic
    written = [c.expression for c in g.constraints]
    psi = [kinematics.rate(e) for e in written] if is_holonomic else kinematics.in_speeds(written)
    speeds = tuple(tuple(kinematics.u[j] for j in parts.trees[k].speeds) for k in g.trees)
    Jc = tuple(jacobian(psi, own) for own in speeds)
    b = substitute_all(psi, dict.fromkeys(kinematics.u, ZERO))
    c = [kinematics.rate_at_constant_speed(e) for e in psi]
    return GroupEquations(g.slots, speeds, _column(written if is_holonomic else []), Jc, _column(b), _column(c))


def _of_load(kinematics: Kinematics, parts: RepeatedParts, x: LoadOnTrees) -> LoadEquations:
    """Σ F · ∂v/∂u + τ · ∂ω/∂u."""
    forces = []
    found = wrenches([x.load], kinematics)
    for k in x.trees:
        own = [kinematics.u[j] for j in parts.trees[k].speeds]
        total = [ZERO] * len(own)
        for frame, wrench in found.items():
            w, v = kinematics.velocity(frame)
            J, force = jacobian(stack(v, w), own), (*wrench.force.entries, *wrench.moment.entries)
            total = [e + sum_of_products(J.column(j), force) for j, e in enumerate(total)]
        forces.append(_column(total))
    return LoadEquations(x.slots, tuple(forces))


def _column(entries: Iterable[Expr]) -> Matrix:
    entries = tuple(entries)
    return Matrix(len(entries), 1, entries)


# ------------------------------------------------------------------------------------------------------ late matrices


@dataclass(frozen=True)
class LateRepeatedEquations:
    """Makes the matrices of all parts, on first use."""

    mechanism: Mechanism

    @cached_property
    def _equations(self) -> RepeatedEquations:
        found = repeated_equations(self.mechanism)
        assert found is not None
        return found

    def inertia(self) -> tuple[Expr, ...]:
        return self._equations.inertia()

    def diagonal(self) -> tuple[Expr, ...]:
        return self._equations.diagonal()

    def right_side(self) -> tuple[Expr, ...]:
        return self._equations.right_side()

    def constraint_rows(self) -> list[dict[int, Expr]]:
        return self._equations.constraint_rows()

    def free_rates(self) -> tuple[Expr, ...]:
        return self._equations.free_rates()

    def rates_at_constant_speed(self) -> tuple[Expr, ...]:
        return self._equations.rates_at_constant_speed()

    def __reduce__(self) -> tuple[type[LateRepeatedEquations], tuple[Mechanism]]:
        return LateRepeatedEquations, (self.mechanism,)


MIN_TREES: Final = 40  # from which on equations are derived type by type
MIN_COPIES: Final = 2  # trees and groups of one type on average: with fewer there is little to repeat


def repeated_equations(mechanism: Mechanism) -> RepeatedEquations | None:
    """Equations type by type; None where too little is repeated."""
    return mechanism.cached("repeated equations", (), lambda: _new_equations(mechanism))


def _new_equations(mechanism: Mechanism) -> RepeatedEquations | None:
    if len(mechanism.bodies) < MIN_TREES or not (mechanism.constraints or acting_loads(mechanism)):
        return None
    if sum(f.parent is mechanism.ground for f in mechanism.frames) < MIN_TREES:
        return None
    parts = repeated_parts(mechanism)
    if parts is None or len(parts.trees) < MIN_TREES:
        return None
    for found in (
        ({x.kind for x in parts.trees}, parts.trees),
        ({x.kind for x in parts.groups}, parts.groups),
        ({x.kind for x in parts.loads}, parts.loads),
    ):
        if MIN_COPIES * len(found[0]) > len(found[1]):
            return None
    made = RepeatedEquations(mechanism, parts)
    return made if made.is_linear and made.has_inertia else None


class LateSystem(NamedTuple):
    """M, f, Jc, b, c, built on first access, and phi."""

    M: Matrix
    f: Matrix
    phi: Matrix
    Jc: Matrix
    b: Matrix
    c: Matrix


def late_system(mechanism: Mechanism) -> LateSystem | None:
    """The equations of a mechanism whose parts repeat; None where they do not."""
    if repeated_equations(mechanism) is None:
        return None
    made, n, m = LateRepeatedEquations(mechanism), len(mechanism.u), len(mechanism.constraints)
    inside = written_expressions(mechanism)
    M, f = LateSquare(n, made.inertia, made.diagonal, inside), LateColumn(n, made.right_side, inside)
    if not m:
        return LateSystem(M, f, zeros(0), Matrix(0, n, ()), zeros(0), zeros(0))
    phi = [c.expression for c in mechanism.holonomic]
    tied = [*phi, *(c.expression for c in mechanism.nonholonomic), *mechanism.rates.values()]
    return LateSystem(
        M,
        f,
        _column(phi),
        LateRows(m, n, made.constraint_rows, tied),
        LateColumn(m, made.free_rates, tied),
        LateColumn(m, made.rates_at_constant_speed, tied),
    )

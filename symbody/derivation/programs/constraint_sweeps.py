"""Constrained motion of many equal parts as one node of the graph: equations of each type of tree and of constraints are
fragments, and [M Jcᵀ; Jc 0] is eliminated block by block.

    [M Jcᵀ; Jc 0] [u'; -lam] = [f; -c]             accelerations
    [M Jcᵀ; Jc 0] [δ; -μ] = [0; phi]               what a correction of positions takes away, N δ; of speeds with Jc u + b

The blocks of M, one for each tree, are eliminated first, those of Jc M⁻¹ Jcᵀ then in the order of least degree.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import accumulate

from ...algebra.calculus.block_elimination import BlockElimination, StepMemory, slots, upper_places
from ...algebra.calculus.derivatives import directional_derivative, jacobian
from ...algebra.calculus.sweep_zeros import without_zeros
from ...algebra.graph.functions import maximum
from ...algebra.graph.graph import ZERO, Expr, Symbol
from ...algebra.graph.matrix import Matrix, sum_of_products
from ...algebra.graph.sweeps import Fragment, sweep_results
from ...algebra.graph.walk import free_symbols
from ..equations.equations import Equations
from ..kinematics.uncoupled_trees import ConstraintGroup, UncoupledTree
from ..routes.repeated_equations import GroupEquations, RepeatedEquations, repeated_equations


@dataclass(frozen=True)
class Correction:
    """What one correction takes away from some variables, and the violation before it."""

    change: list[Expr]
    violation: Expr


def constraint_sweeps(eq: Equations) -> ConstraintSweeps | None:
    """The loops of some equations; None where these were not derived type by type, or constraints are redundant."""
    if eq.route != "recursive" or eq.u != eq.mechanism.u or not eq.lam or eq.dropped or eq.dependent:
        return None
    if eq.border is not None or len(eq.lam) != len(eq.mechanism.constraints):
        return None
    found = repeated_equations(eq.mechanism)
    return None if found is None else eq.cached("constraint sweeps", (), lambda: ConstraintSweeps(eq, found))


class ConstraintSweeps:
    """Nodes for accelerations, multipliers, residuals and corrections."""

    def __init__(self, eq: Equations, parts: RepeatedEquations) -> None:
        self.eq, self.parts = eq, parts
        self.groups = parts.parts.groups
        self.holonomic = [g for g in self.groups if g.constraints[0].is_holonomic]

    def elimination(self, groups: Sequence[ConstraintGroup]) -> BlockElimination:
        """Blocks of the trees, then of groups of constraints."""
        return self.eq.cached("elimination of blocks", len(groups), lambda: self._new_elimination(groups))

    def _new_elimination(self, groups: Sequence[ConstraintGroup]) -> BlockElimination:
        trees = self.parts.parts.trees
        sizes = [*(len(x.speeds) for x in trees), *(len(g.constraints) for g in groups)]
        return BlockElimination(sizes, [(len(trees) + i, k) for i, g in enumerate(groups) for k in g.trees], len(trees))

    # --------------------------------------------------------------------------------------------- accelerations

    def accelerations(self, is_guarded: bool) -> tuple[Matrix, Matrix]:
        """u' and the multipliers; guarded: without a value in singular positions."""
        return self.eq.cached("accelerations in loops", is_guarded, lambda: self._accelerations(is_guarded))

    def _accelerations(self, is_guarded: bool) -> tuple[Matrix, Matrix]:
        run = _ConstraintSchedule(self, self.groups)
        run.put_trees(has_forces=True)
        run.put_groups(lambda g: -g.c)
        run.solve(is_guarded)
        n = len(self.eq.u)
        items = run.items([*run.of_speeds(), *run.of_rows()])
        return _column(items[:n]), _column([-e for e in items[n:]])

    # --------------------------------------------------------------------------------------------- onto constraints

    @cached_property
    def residuals(self) -> tuple[tuple[Expr, ...], tuple[Expr, ...]]:
        """phi, and Jc u + b."""
        phi, psi = _ConstraintSchedule(self, self.holonomic), _ConstraintSchedule(self, self.groups)
        phi.put_groups(lambda g: g.phi, has_slopes=False)
        psi.put_groups(_rates_of, has_slopes=False)
        return phi.items(phi.of_rows()), psi.items(psi.of_rows())

    @cached_property
    def positions(self) -> Correction:
        """Of coordinates."""
        found = self._correction(self.holonomic, lambda g: g.phi)
        return Correction(self._in_coordinates(found.change), found.violation)

    @cached_property
    def speeds(self) -> Correction:
        """Of speeds."""
        return self._correction(self.groups, _rates_of)

    def left_of(self, changes: Sequence[Symbol]) -> list[Expr]:
        """The part of a small change (δq, δu, ...) of a state on the constraints that one correction of positions and one of speeds
        leave."""
        n_q, n_u = len(self.eq.q), len(self.eq.u)
        du = dict(zip(self.eq.u, changes[n_q : n_q + n_u], strict=True))
        dq = dict(zip(self.eq.q, changes[:n_q], strict=True))
        taken = self._correction(self.groups, lambda g: _rates_along(g, du), du).change
        moved = self._correction(self.holonomic, lambda g: directional_derivative(g.phi, dq), dq).change
        taken = [*self._in_coordinates(moved), *taken]
        return [*(a - b for a, b in zip(changes, taken, strict=False)), *changes[n_q + n_u :]]

    def _correction(
        self,
        groups: Sequence[ConstraintGroup],
        residual: Callable[[GroupEquations], Matrix],
        more: Mapping[Symbol, Symbol] | None = None,
    ) -> Correction:
        """M⁻¹ Jcᵀ (Jc M⁻¹ Jcᵀ)⁻¹ of the residuals of some groups."""
        run = _ConstraintSchedule(self, groups, more)
        run.put_trees(has_forces=False)
        run.put_groups(residual)
        worst = run.largest()
        run.solve(is_guarded=False)
        *change, violation = run.items([*run.of_speeds(), worst])
        return Correction(change, violation)

    def _in_coordinates(self, change: Sequence[Expr]) -> list[Expr]:
        """N δ."""
        by_speed: dict[Expr, Expr] = dict(zip(self.eq.u, change, strict=True))
        out = []
        for rate in self.eq.rates.entries:
            inside = [s for s in free_symbols(rate) if s in by_speed]
            direct = by_speed.get(rate)
            out.append(
                sum_of_products(jacobian([rate], inside).entries, [by_speed[s] for s in inside])
                if direct is None
                else direct
            )
        return out


def _rates_of(g: GroupEquations) -> Matrix:
    """Jc u + b."""
    return _column([a + b for a, b in zip(_along_rows(g, g.speeds), g.b.entries, strict=True)])


def _rates_along(g: GroupEquations, change: Mapping[Symbol, Symbol]) -> Matrix:
    """Jc δu."""
    return _column(_along_rows(g, [[change[s] for s in own] for own in g.speeds]))


def _along_rows(g: GroupEquations, speeds: Sequence[Sequence[Symbol]]) -> list[Expr]:
    flat = [s for own in speeds for s in own]
    return [sum_of_products([e for J in g.Jc for e in J.row(i)], flat) for i in range(g.b.rows)]


def _column(entries: Sequence[Expr]) -> Matrix:
    return Matrix(len(entries), 1, tuple(entries))


# ----------------------------------------------------------------------------------------------------- one schedule


class _ConstraintSchedule:
    """A schedule that is being made: equations of the trees and groups, the elimination, and places of results.

    more   symbols besides those of the parts, by one of these that stands in the same place of every part
    """

    def __init__(
        self, sweeps: ConstraintSweeps, groups: Sequence[ConstraintGroup], more: Mapping[Symbol, Symbol] | None = None
    ) -> None:
        self.parts, self.groups, self.more = sweeps.parts, groups, more or {}
        self.trees = sweeps.parts.parts.trees
        self.elimination = sweeps.elimination(groups)
        inside = dict.fromkeys(s for part in (self.trees, groups) for x in part for s in x.slots)
        moving = dict.fromkeys((*sweeps.eq.q, *sweeps.eq.u))
        used = dict.fromkeys([*(s for s in moving if s in inside), *(s for s in inside if s not in moving)])
        used.update(dict.fromkeys(self.more[s] for s in tuple(used) if s in self.more))
        gravity = sweeps.eq.mechanism.gravity
        if gravity is not None:
            used.update(dict.fromkeys(free_symbols(gravity.components(sweeps.eq.mechanism.ground))))
        self.arguments = list(used)
        self.place = {s: k for k, s in enumerate(used)}
        self.memory = StepMemory(len(used))
        self.diagonal: dict[int, int] = {}
        self.coupling: dict[tuple[int, int], int] = {}
        self.right: dict[int, int] = {}
        self.speeds = len(sweeps.eq.u)
        self.first = [0, *accumulate(len(g.constraints) for g in groups)][:-1]
        self.count = sum(len(g.constraints) for g in groups)
        self.rows = self.memory.take(self.count)

    def put_trees(self, has_forces: bool) -> None:
        """M of each tree, and f."""
        made: dict[object, Fragment] = {}
        for k, tree in enumerate(self.trees):
            own, n = self.parts.trees[tree.kind], len(tree.speeds)
            if tree.kind not in made:
                upper = [own.M[i, j] for i, j in upper_places(n)]
                made[tree.kind] = _fragment([upper, own.f.entries] if has_forces else [upper])
            self.diagonal[k] = self.memory.take(n * (n + 1) // 2)
            if has_forces:
                self.right[k] = self.memory.take(n)
            outputs = [self.diagonal[k], *([self.right[k]] if has_forces else [])]
            self._add(made[tree.kind], own.slots, tree, outputs)

    def put_groups(self, residual: Callable[[GroupEquations], Matrix], has_slopes: bool = True) -> None:
        """Right sides of groups, and Jc."""
        made: dict[object, Fragment] = {}
        for i, g in enumerate(self.groups):
            own, r, k = self.parts.groups[g.kind], len(g.constraints), len(self.trees) + i
            if g.kind not in made:
                made[g.kind] = _fragment([residual(own).entries, *(J.entries for J in own.Jc if has_slopes)])
            self.right[k] = self.rows + self.first[i]
            outputs = [self.right[k]]
            for tree in g.trees if has_slopes else ():
                self.coupling[k, tree] = self.memory.take(r * len(self.trees[tree].speeds))
                outputs.append(self.coupling[k, tree])
            self._add(made[g.kind], own.slots, g, outputs)

    def _add(
        self, fragment: Fragment, slots: Sequence[Symbol], part: UncoupledTree | ConstraintGroup, outputs: Sequence[int]
    ) -> None:
        """A step: places of the symbols of a part for those in a fragment; what is in no slot is the same in all."""
        own = dict(zip(slots, part.slots, strict=True))
        own |= {self.more[a]: self.more[b] for a, b in own.items() if a in self.more}
        self.memory.add(fragment, [self.place[own.get(s, s)] for (s,) in fragment.inputs], outputs)

    def largest(self) -> int:
        """The place of the largest residual."""
        at = -1
        for i, g in enumerate(self.groups):
            before, at = at, self.memory.take(1)
            inputs = [self.right[len(self.trees) + i], *([] if before < 0 else [before])]
            self.memory.add(_largest(len(g.constraints), before < 0), inputs, [at])
        return at

    def solve(self, is_guarded: bool) -> None:
        factors = self.elimination.factor(self.memory, self.diagonal, self.coupling, is_guarded)
        self.udot = self.memory.take(self.speeds)
        self.rows = self.memory.take(self.count)
        of_trees = [[self.udot + j for j in tree.speeds] for tree in self.trees]
        factors.solve(self.right, of_trees, [self.rows + at for at in self.first])

    def of_speeds(self) -> range:
        """Places of the solution by speed."""
        return range(self.udot, self.udot + self.speeds)

    def of_rows(self) -> range:
        """Places of the solution by row, or of the right sides where nothing was solved."""
        return range(self.rows, self.rows + self.count)

    def items(self, places: Sequence[int]) -> tuple[Expr, ...]:
        schedule = self.memory.steps.schedule(self.memory.size, places)
        return sweep_results(without_zeros(schedule, ()), self.arguments)


def _fragment(outputs: Sequence[Sequence[Expr]]) -> Fragment:
    """A function of the symbols in some expressions, each a group of its own."""
    inputs = tuple((s,) for s in free_symbols([e for x in outputs for e in x]))
    return Fragment(inputs, tuple(tuple(x) for x in outputs), (False,) * len(outputs))


@cache
def _largest(n: int, is_first: bool) -> Fragment:
    """max |e|, and of what was found before."""
    own, before = slots(0, n), slots(1, 1)
    total: Expr = ZERO if is_first else before[0]
    for e in own:
        total = maximum(total, abs(e))
    return Fragment((own,) if is_first else (own, before), ((total,),), (False,))

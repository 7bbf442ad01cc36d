"""Constrained motion of many equal parts as one node of the graph: equations of each type of tree and of constraints are
fragments, and [M Jcᵀ; Jc 0] is eliminated block by block (`block_elimination.py`).

    [M Jcᵀ; Jc 0] [u'; -lam] = [f; -c]             accelerations
    [M Jcᵀ; Jc 0] [δ; -μ] = [0; phi]               what a correction of positions takes away, N δ; of speeds with Jc u + b
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Final

from ...algebra.calculus.block_elimination import BlockElimination, Entries, StepMemory, entries_at
from ...algebra.calculus.block_fragments import factors_of, slots, upper_places
from ...algebra.calculus.derivatives import directional_derivative, jacobian
from ...algebra.graph.functions import maximum
from ...algebra.graph.graph import ZERO, Expr, Symbol
from ...algebra.graph.matrix import Matrix, sum_of_products
from ...algebra.graph.sweeps import Fragment, sweep_results
from ...algebra.graph.walk import free_symbols
from ..equations.equations import Equations
from ..kinematics.linked_loads import LinkedLoad
from ..kinematics.uncoupled_trees import ConstraintGroup, LoadOnTrees, UncoupledTree
from ..routes.repeated_equations import GroupEquations, RepeatedEquations


@dataclass(frozen=True)
class Correction:
    """Variables after one correction, and the violation before it."""

    corrected: list[Expr]
    violation: Expr


@dataclass(frozen=True)
class SlopeEntries:
    """Jc by its entries that are not zero everywhere, and b."""

    rows: list[int]
    columns: list[int]
    entries: list[Expr]
    b: tuple[Expr, ...]


@dataclass(frozen=True)
class Residual:
    """A right side of the constraints.

    name     phi, rates (Jc u + b), bias (-c), or along (Jc δu)
    of       it, of the equations of a group
    speeds   what stands for each speed in Jc u, if it is not the speed
    """

    name: str
    of: Callable[[GroupEquations], Matrix]
    speeds: Mapping[Symbol, Symbol] | None = None


class ConstraintSweeps:
    """Nodes for accelerations, multipliers, residuals and corrections."""

    def __init__(self, eq: Equations, parts: RepeatedEquations) -> None:
        self.eq, self.parts = eq, parts
        self.groups = parts.parts.groups
        self.loads: Sequence[LoadOnTrees | LinkedLoad] = parts.parts.loads
        self.holonomic = [g for g in self.groups if g.constraints[0].is_holonomic]

    def elimination(self, groups: Sequence[ConstraintGroup]) -> BlockElimination:
        """The trees, and groups of constraints between them."""
        return self.eq.cached("elimination of blocks", len(groups), lambda: self._new_elimination(groups))

    def _new_elimination(self, groups: Sequence[ConstraintGroup]) -> BlockElimination:
        trees = self.parts.parts.trees
        return BlockElimination(
            [len(x.speeds) for x in trees], [len(g.constraints) for g in groups], [g.trees for g in groups]
        )

    def schedule(
        self, groups: Sequence[ConstraintGroup], more: Mapping[Symbol, Symbol] | None = None
    ) -> ConstraintSchedule:
        """A new schedule with some groups."""
        return ConstraintSchedule(self, groups, more)

    # --------------------------------------------------------------------------------------------- accelerations

    def accelerations(self, is_guarded: bool) -> tuple[Matrix, Matrix]:
        """u' and the multipliers; guarded: without a value in singular positions."""
        return self.eq.cached("accelerations in loops", is_guarded, lambda: self._accelerations(is_guarded))

    def _accelerations(self, is_guarded: bool) -> tuple[Matrix, Matrix]:
        run = self.schedule(self.groups)
        run.put_trees(has_forces=True)
        run.put_loads()
        run.put_groups([BIAS])
        run.solve(is_guarded)
        n = len(self.eq.u)
        items = run.items([*run.of_speeds(0), *run.of_rows(0)])
        return _column(items[:n]), _column(items[n:] if run.has_multipliers else [-e for e in items[n:]])

    # --------------------------------------------------------------------------------------------- onto constraints

    @cached_property
    def residuals(self) -> tuple[tuple[Expr, ...], tuple[Expr, ...]]:
        """phi, and Jc u + b."""
        phi, psi = self.schedule(self.holonomic), self.schedule(self.groups)
        phi.put_groups([PHI], has_slopes=False)
        psi.put_groups([RATES], has_slopes=False)
        return phi.items(phi.of_rows(0)), psi.items(psi.of_rows(0))

    @cached_property
    def slopes(self) -> SlopeEntries:
        """Jc and b, without equations that are solved."""
        run = self.schedule(self.groups)
        run.put_groups([FREE_RATES])
        rows, columns, found = list[int](), list[int](), list[int | Expr]()
        for i, k, (at, known) in run.slope_entries():
            speeds = self.parts.parts.trees[k].speeds
            for place, e in enumerate(known):
                if e is not ZERO:
                    rows.append(self.groups[i].first + place // len(speeds))
                    columns.append(speeds[place % len(speeds)])
                    found.append(at + place if e is None else e)
        places = [x for x in found if isinstance(x, int)]
        items = run.items([*places, *run.of_rows(0)])
        moving = iter(items)
        return SlopeEntries(
            rows, columns, [next(moving) if isinstance(x, int) else x for x in found], items[len(places) :]
        )

    @cached_property
    def coordinates(self) -> list[int] | None:
        """Of each speed the number of the coordinate whose rate it is; None where a rate is not one speed."""
        eq = self.eq
        number = {rate: j for j, rate in enumerate(eq.mechanism.rates[q] for q in eq.q) if isinstance(rate, Symbol)}
        return [number[u] for u in eq.u] if len(number) == len(eq.u) == len(eq.q) else None

    @cached_property
    def positions(self) -> Correction:
        """Of coordinates."""
        eq = self.eq
        if self.coordinates is None:
            found = self._correction(self.holonomic, PHI)
            changed = zip(eq.q, self._in_coordinates(found.corrected), strict=True)
            return Correction([q - d for q, d in changed], found.violation)
        found = self._correction(self.holonomic, PHI, [eq.q[j] for j in self.coordinates])
        after: dict[Expr, Expr] = dict(zip(eq.u, found.corrected, strict=True))
        return Correction([after[eq.mechanism.rates[q]] for q in eq.q], found.violation)

    @cached_property
    def speeds(self) -> Correction:
        """Of speeds."""
        return self._correction(self.groups, RATES, self.eq.u)

    def left_of(self, changes: Sequence[Symbol]) -> list[Expr]:
        """The part of a small change (δq, δu, ...) of a state on the constraints that one correction of positions and one of speeds
        leave."""
        n_q, n_u = len(self.eq.q), len(self.eq.u)
        du = dict(zip(self.eq.u, changes[n_q : n_q + n_u], strict=True))
        dq = dict(zip(self.eq.q, changes[:n_q], strict=True))

        along_q = None
        if self.coordinates is not None:
            along_q = {u: dq[self.eq.q[j]] for u, j in zip(self.eq.u, self.coordinates, strict=True)}
        of_speeds = Residual("along", lambda g: _rates_along(g, du), du)
        of_positions = Residual("along", lambda g: directional_derivative(g.phi, dq), along_q)

        if len(self.holonomic) == len(self.groups):
            moved, taken = self._along(self.groups, [of_positions, of_speeds], {**dq, **du})
        else:
            (taken,) = self._along(self.groups, [of_speeds], du)
            (moved,) = self._along(self.holonomic, [of_positions], dq)
        gone = [*self._in_coordinates(moved), *taken]
        return [*(a - b for a, b in zip(changes, gone, strict=False)), *changes[n_q + n_u :]]

    def _along(
        self, groups: Sequence[ConstraintGroup], residuals: Sequence[Residual], more: Mapping[Symbol, Symbol]
    ) -> list[Sequence[Expr]]:
        """What corrections take away of each residual."""
        run = self.schedule(groups, more)
        run.put_trees(has_forces=False)
        run.put_groups(residuals)
        run.solve(is_guarded=False)
        n = len(self.eq.u)
        items = run.items([p for k in range(len(residuals)) for p in run.of_speeds(k)])
        return [items[n * k : n * k + n] for k in range(len(residuals))]

    def _correction(
        self, groups: Sequence[ConstraintGroup], residual: Residual, of: Sequence[Symbol] = ()
    ) -> Correction:
        """M⁻¹ Jcᵀ (Jc M⁻¹ Jcᵀ)⁻¹ of the residuals of some groups, or some variables less this."""
        run = self.schedule(groups)
        run.put_trees(has_forces=False)
        run.put_groups([residual])
        worst = run.largest()
        run.solve(is_guarded=False)
        places = run.of_speeds(0)
        *corrected, violation = run.items([*(run.differences(of, places) if of else places), worst])
        return Correction(corrected, violation)

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


PHI: Final = Residual("phi", lambda g: g.phi)
RATES: Final = Residual("rates", _rates_of)
BIAS: Final = Residual("bias", lambda g: -g.c)
FREE_RATES: Final = Residual("free rates", lambda g: g.b)


# ----------------------------------------------------------------------------------------------------- one schedule


class ConstraintSchedule:
    """A schedule that is being made: equations of the trees and groups, the elimination, and places of results.

    more              symbols besides those of the parts, by one of these that stands in the same place of every part
    has_multipliers   whether the solution of the rows is lam, not -lam
    """

    has_multipliers = False

    def __init__(
        self, sweeps: ConstraintSweeps, groups: Sequence[ConstraintGroup], more: Mapping[Symbol, Symbol] | None = None
    ) -> None:
        self.parts, self.groups, self.more = sweeps.parts, groups, more or {}
        self.trees = sweeps.parts.parts.trees
        parts: Iterable[Sequence[UncoupledTree | ConstraintGroup | LoadOnTrees | LinkedLoad]]
        parts = self.trees, groups, sweeps.loads
        inside = dict.fromkeys(s for part in parts for x in part for s in x.slots)
        moving = dict.fromkeys((*sweeps.eq.q, *sweeps.eq.u))
        used = dict.fromkeys([*(s for s in moving if s in inside), *(s for s in inside if s not in moving)])
        used.update(dict.fromkeys(self.more[s] for s in tuple(used) if s in self.more))
        gravity = sweeps.eq.mechanism.gravity
        if gravity is not None:
            used.update(dict.fromkeys(free_symbols(gravity.components(sweeps.eq.mechanism.ground))))
        self.symbols = list(used)
        self.place = {s: k for k, s in enumerate(used)}
        self.arguments: list[Expr] = [*used, *self.more_arguments(sweeps)]
        self.memory = StepMemory(len(self.arguments))
        self.own: list[Entries] = []  # factors of M of each tree
        self.coupling: dict[tuple[int, int], Entries] = {}
        self.forces: list[int] | None = None
        self.rights: list[int] = []  # first places of right sides of constraints
        self.found: list[int] = []  # of their solutions
        self.udots: list[int] = []  # of those of speeds
        self.speeds = len(sweeps.eq.u)
        self.prepare(sweeps)

    def more_arguments(self, sweeps: ConstraintSweeps) -> list[Expr]:
        """Arguments of the node besides symbols."""
        return []

    def prepare(self, sweeps: ConstraintSweeps) -> None:
        """The elimination, before any step."""
        self.elimination = sweeps.elimination(self.groups)

    def put_trees(self, has_forces: bool) -> None:
        """Factors of M of each tree, and f."""
        made: dict[object, tuple[Fragment, list[Expr]]] = {}
        self.forces = [] if has_forces else None
        for tree in self.trees:
            own, n = self.parts.trees[tree.kind], len(tree.speeds)
            if tree.kind not in made:
                factors = factors_of(n, [own.M[i, j] for i, j in upper_places(n)])
                made[tree.kind] = fragment_of([factors, own.f.entries] if has_forces else [factors]), factors
            fragment, factors = made[tree.kind]
            outputs = [self.memory.take(n * n)]
            self.own.append(entries_at(outputs[0], factors))
            if self.forces is not None:
                outputs.append(self.memory.take(n))
                self.forces.append(outputs[1])
            self.add(fragment, own.slots, tree, outputs)

    def put_loads(self) -> None:
        """What loads add to f."""
        made: dict[object, Fragment] = {}
        for x in self.parts.parts.loads:
            own = self.parts.loads[x.kind]
            if x.kind not in made:
                made[x.kind] = fragment_of([column.entries for column in own.forces])
            assert self.forces is not None
            self.add(made[x.kind], own.slots, x, [self.forces[k] for k in x.trees])

    def put_groups(self, residuals: Sequence[Residual], has_slopes: bool = True) -> None:
        """Right sides of groups, and Jc."""
        blocks, made = self.elimination.blocks, dict[object, Fragment]()
        self.rights = [self.memory.take(blocks.starts[-1]) for _ in residuals]
        for i, g in enumerate(self.groups):
            own, r = self.parts.groups[g.kind], len(g.constraints)
            slopes = own.Jc if has_slopes else ()
            if g.kind not in made:
                made[g.kind] = fragment_of([*(x.of(own).entries for x in residuals), *(J.entries for J in slopes)])
            outputs = [right + blocks.place(i) for right in self.rights]
            for tree, J in zip(g.trees if has_slopes else (), slopes, strict=True):
                at = self.memory.take(r * J.cols)
                self.coupling[i, tree] = entries_at(at, J.entries)
                outputs.append(at)
            self.add(made[g.kind], own.slots, g, outputs)

    def add(
        self,
        fragment: Fragment,
        slots: Sequence[Symbol],
        part: UncoupledTree | ConstraintGroup | LoadOnTrees,
        outputs: Sequence[int],
    ) -> None:
        """A step: places of the symbols of a part for those in a fragment; what is in no slot is the same in all."""
        own = dict(zip(slots, part.slots, strict=True))
        own |= {self.more[a]: self.more[b] for a, b in own.items() if a in self.more}
        self.memory.add(fragment, [self.place[own.get(s, s)] for (s,) in fragment.inputs], outputs)

    def slope_entries(self) -> Iterable[tuple[int, int, Entries]]:
        """Entries of Jc row by row, with the numbers of the group and of the part."""
        return ((i, k, self.coupling[i, k]) for i, g in enumerate(self.groups) for k in g.trees)

    def largest(self) -> int:
        """The place of the largest residual."""
        at = -1
        for start, used in self.residual_places():
            before, at = at, self.memory.take(1)
            inputs = [start, *([] if before < 0 else [before])]
            self.memory.add(_largest(used, before < 0), inputs, [at])
        return at

    def residual_places(self) -> Iterable[tuple[int, int]]:
        """Of the first residuals, with their numbers."""
        blocks = self.elimination.blocks
        return ((self.rights[0] + start, used) for start, used in zip(blocks.starts, blocks.used, strict=False))

    def solve(self, is_guarded: bool) -> None:
        """Factors, and the solution for each right side."""
        factors = self.elimination.factor(self.memory, self.own, self.coupling, is_guarded)
        for right in self.rights:
            at = self.memory.take(self.speeds)
            self.udots.append(at)
            self.found.append(factors.solve(self.forces, right, [[at + j for j in x.speeds] for x in self.trees]))

    def differences(self, of: Sequence[Symbol], less: range) -> range:
        """Places of some arguments less numbers that stand one behind the other."""
        first = self.memory.take(len(of))
        for k, s in enumerate(of):
            self.memory.add(_difference(), [self.place[s], less[k]], [first + k])
        return range(first, first + len(of))

    def of_speeds(self, k: int) -> range:
        """Places of a solution by speed."""
        return range(self.udots[k], self.udots[k] + self.speeds)

    def of_rows(self, k: int) -> list[int]:
        """Places of a solution by row, or of the right side where nothing was solved."""
        at, blocks = (self.found or self.rights)[k], self.elimination.blocks
        return [at + blocks.place(i) + row for i, g in enumerate(self.groups) for row in range(len(g.constraints))]

    def items(self, places: Sequence[int]) -> tuple[Expr, ...]:
        return sweep_results(self.memory.steps.schedule(self.memory.size, places), self.arguments)


def fragment_of(outputs: Sequence[Sequence[Expr]]) -> Fragment:
    """A function of the symbols in some expressions, each a group of its own."""
    inputs = tuple((s,) for s in free_symbols([e for x in outputs for e in x]))
    return Fragment(inputs, tuple(tuple(x) for x in outputs), (False,) * len(outputs))


@cache
def _difference() -> Fragment:
    (a,), (b,) = slots(0, 1), slots(1, 1)
    return Fragment(((a,), (b,)), ((a - b,),), (False,))


@cache
def _largest(n: int, is_first: bool) -> Fragment:
    """max |e|, and of what was found before."""
    own, before = slots(0, n), slots(1, 1)
    total: Expr = ZERO if is_first else before[0]
    for e in own:
        total = maximum(total, abs(e))
    return Fragment((own,) if is_first else (own, before), ((total,),), (False,))

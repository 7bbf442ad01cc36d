"""The fragments of articulated bodies whose links are coupled by constraints (`linked_sweeps.py`): what one link, one group of
constraints at a link, and two groups at a link do.

The subtree of a link responds to an acceleration A of the link and to the multipliers λ of constraints that have not ended in it
with the wrench and with rates of its constraints

    n = J A + p - F λ,     y = Fᵀ A + G λ + h

A joint with columns S, slopes J_c of the constraints and u' = D⁻¹ (Q + J_cᵀ λ - Sᵀ n) leaves, with B = J_cᵀ + Sᵀ F (F a column for
each row of the constraints), U = J S, D = Sᵀ U, V = U D⁻¹ and z = D⁻¹ (Q - Sᵀ p),

    F' = F - V B,   G' = G + Bᵀ D⁻¹ B,   h' = h + Bᵀ z + F'ᵀ c          c: acceleration at u' = 0 in excess of the parent's
    u' = z + D⁻¹ B λ - Vᵀ A

and where a constraint has ended, its multipliers are λ = G⁻¹ (y - h - Fᵀ A), which leaves J + F G⁻¹ Fᵀ, p - F G⁻¹ (y - h).
(Sathya, Carpentier, Constrained Articulated Body Dynamics Algorithms, 2024.)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from ...algebra.calculus.block_fragments import factors_of, slots, upper_places
from ...algebra.calculus.derivatives import jacobian
from ...algebra.calculus.staged_fragments import StagedFragment, SweepStage, staged_fragments
from ...algebra.calculus.written_solves import written_out
from ...algebra.elimination.elimination import definite_solve
from ...algebra.graph.functions import value_where
from ...algebra.graph.graph import ONE, ZERO, Expr, Symbol
from ...algebra.graph.linear import MIN_PIVOT
from ...algebra.graph.matrix import Matrix, cross, sum_of_products, zeros
from ...algebra.graph.sweeps import Fragment
from ...algebra.graph.walk import free_symbols
from ...bodies.frames.frames import Frame
from ..kinematics.equal_links import Link
from ..kinematics.inertial_parameters import NO_LUMP, Lump
from ..kinematics.kinematics import NO_WRENCH, Kinematics, Wrench
from ..routes.recursive import Subspace, power_on, subspace_of, to_parent
from .articulated_bodies import ArticulatedInertia, TreeJoint, frame_velocity_terms, inwards, own_inertia
from .link_sweeps import SweptTree
from .link_types import bias_with_guard, coordinate_of, slot_symbols

INERTIA, WRENCH = 21, 6  # numbers of an articulated inertia, and of a wrench
_UPPER: Final = tuple((i, j) for i in range(3) for j in range(i, 3))

Input = tuple[str, int]  # a group of a link by its name, and its number among those of this name
Sources = list[tuple[int, int]]

TURNING, AXES, _A = slot_symbols("parent_w", 3), slot_symbols("parent_axes", 9), slot_symbols("parent_a", 6)
_BELOW, _LEFT = slot_symbols("inertia_below", INERTIA), slot_symbols("wrench_below", WRENCH)
_APPLIED = slot_symbols("applied", WRENCH)


@dataclass(frozen=True)
class Passing:
    """How a group of constraints passes a joint.

    rows       of the group
    has_force  whether multipliers act on the link or beyond it
    has_slope  whether the rows have entries at the joint
    """

    rows: int
    has_force: bool
    has_slope: bool


def in_sequence(*groups: Sequence[Expr]) -> tuple[Expr, ...]:
    """The entries of some groups, one after the other."""
    return tuple(e for g in groups for e in g)


def fragment_between(
    inputs: Sequence[tuple[Symbol, ...]], outputs: Sequence[Sequence[Expr]]
) -> tuple[Fragment, list[int]]:
    """A function with those of some inputs that it needs, and their numbers."""
    used = set(free_symbols([e for g in outputs for e in g]))
    chosen = [k for k, g in enumerate(inputs) if not used.isdisjoint(g)]
    made = Fragment(tuple(inputs[k] for k in chosen), tuple(tuple(g) for g in outputs), (False,) * len(outputs))
    return made, chosen


# ------------------------------------------------------------------------------------------------------------ one link


class LinkedType:
    """The fragments of one type of link.

    passing      how groups of constraints pass its joint
    has_forces   whether forces act and links turn, as for accelerations; nothing does for corrections
    is_loaded    whether loads act on links of the type

    Stages are: outwards what the velocities give, inwards its inertia, inwards its bias, inwards a group of constraints for each
    way of passing, outwards its acceleration. `sources` and `results` have the names of the inputs and outputs of each.
    """

    def __init__(
        self, kinematics: Kinematics, tree: SweptTree, link: Link, passing: Iterable[Passing], has_forces: bool,
        locks: set[Symbol], is_loaded: bool = False,
    ) -> None:  # fmt: skip
        self.kinematics, self.has_forces, self.locks, self.is_loaded = kinematics, has_forces, locks, is_loaded
        self.link, self.numbers = tree.typed(link)
        self.is_on_ground = link.parent < 0
        self.Q: Sequence[Expr] = tree.Q if has_forces else [ZERO] * len(tree.Q)
        self.order = {j: i for i, j in enumerate(link.speeds)}
        self.passing = list(passing)
        self.subspaces: dict[Frame, Subspace] = {}
        self.excess: dict[Frame, tuple[Matrix, Matrix]] = {}
        self.joints: dict[Frame, TreeJoint] = {}
        self.V: dict[Frame, list[Wrench]] = {}
        self._move()
        below, bias = self._inwards()
        known: list[tuple[Symbol, ...]] = [*((s,) for s in link.slots), self.numbers, TURNING]
        self.sources: list[list[Input]] = [[*(("slot", i) for i in range(len(link.slots))), ("numbers", 0), ("w", 0)]]
        outputs: list[dict[str, Sequence[Expr]]] = [{}, {"inertia": below}, bias]
        inputs: list[list[tuple[Symbol, ...]]] = [known, [_BELOW], [_LEFT, _APPLIED]]
        self.sources += [[("inertia", 0)], [("wrench", 0), ("applied", 0)]]
        for v, way in enumerate(self.passing):
            force, slope = (
                slot_symbols(f"force_{v}", 6 * way.rows),
                slot_symbols(f"slope_{v}", way.rows * len(self.order)),
            )
            inputs.append([force, slope])
            self.sources.append([("force", 0), ("slope", 0)])
            outputs.append(self._passed(way, force, slope))
        change = slot_symbols("change", len(self.order))
        inputs.append([_A, change])
        self.sources.append([("a", 0), ("change", 0)])
        outputs.append(self._outwards(change))
        named = [{name: tuple(g) for name, g in stage.items() if g} for stage in outputs]
        self.results = [list(stage) for stage in named]
        flat = iter(written_out([g for stage in named for g in stage.values()]))
        made = [[next(flat) for _ in stage] for stage in named]
        stages = [SweepStage(tuple(i), tuple(o), (False,) * len(o)) for i, o in zip(inputs, made, strict=True)]
        self.fragments: list[StagedFragment] = staged_fragments(stages)

    def stage_of(self, way: Passing) -> int:
        """The number of the stage in which groups pass so."""
        return 3 + self.passing.index(way)

    def _move(self) -> None:
        number = {self.kinematics.u[j]: j for j in self.link.speeds}
        w = zeros(3) if self.is_on_ground or not self.has_forces else Matrix(3, 1, TURNING)
        axes: list[Matrix] = []
        for f in self.link.frames:
            (spin,), drift = self.kinematics.in_speeds([f.spin]), self.kinematics.drift(f)
            if self.has_forces:
                w, self.excess[f] = frame_velocity_terms(f, w, spin, drift, self.kinematics)
            else:
                self.excess[f] = zeros(3), zeros(3)
            self.subspaces[f] = subspace_of(f, spin, drift, number)
            axes = [f.rotation.inwards(a) for a in axes]
            turned = [s for s in free_symbols(spin) if s in number and coordinate_of(self.kinematics, s) in self.locks]
            axes += [self.subspaces[f].columns[number[s]][0] for s in turned]
        self.w, self.axes = w, axes

    def _inwards(self) -> tuple[Sequence[Expr], dict[str, Sequence[Expr]]]:
        """The inertia that the parent feels; the wrench, and z twice: to be kept, and to be added to."""
        link, lump = self.link, NO_LUMP
        for m in link.masses:
            lump = lump + Lump.of(m)
        J, bias = own_inertia(lump, self.w)
        if not self.has_forces:
            bias = NO_WRENCH
        if link.has_children:
            J, bias = J + _inertia_of(_BELOW), bias + _wrench_of(_LEFT)
        if self.is_loaded:
            bias = bias - _wrench_of(_APPLIED)
        inertias: dict[Frame, ArticulatedInertia] = {link.frames[-1]: J}
        biases: dict[Frame, Wrench] = {link.frames[-1]: bias_with_guard(bias, self.axes)}
        for f in reversed(link.frames):
            joint = self.joints[f] = inwards(f, inertias, biases, self.subspaces[f], self.Q, self.excess[f])
            self.V[f] = _weights(joint)
        z: list[Expr] = [ZERO] * len(self.order)
        for joint in self.joints.values():
            if joint.factors is not None:
                for (j, _), e in zip(joint.columns, joint.factors.solve(joint.rest), strict=True):
                    z[self.order[j]] = e
        parent = link.frames[0].parent
        assert parent is not None
        if self.is_on_ground:
            return (), {"z": z, "change": z}
        left = biases[parent]
        return _numbers_of(inertias[parent]), {
            "wrench": in_sequence(left.force.entries, left.moment.entries),
            "z": z,
            "change": z,
        }

    def _passed(self, way: Passing, force: Sequence[Symbol], slope: Sequence[Symbol]) -> dict[str, Sequence[Expr]]:
        """F', B, D⁻¹ B and F'ᵀ c, row by row."""
        d = len(self.order)
        F, B, E, carried = list[Expr](), list[Expr](), list[Expr](), list[Expr]()
        for i in range(way.rows):
            wrench = _wrench_of(force[6 * i : 6 * i + 6]) if way.has_force else NO_WRENCH
            own: list[Expr] = [ZERO] * d
            solved, along = [ZERO] * d, ZERO
            for f in reversed(self.link.frames):
                joint = self.joints[f]
                if joint.factors is not None:
                    J = [slope[d * i + self.order[j]] if way.has_slope else ZERO for j, _ in joint.columns]
                    b = [x + power_on(column, wrench) for x, (_, column) in zip(J, joint.columns, strict=True)]
                    for (j, _), x, e in zip(joint.columns, b, joint.factors.solve(b), strict=True):
                        own[self.order[j]], solved[self.order[j]] = x, e
                    for v, x in zip(self.V[f], b, strict=True):
                        wrench = wrench - Wrench(v.force * x, v.moment * x)
                    if len(b) == 1:
                        wrench = _along_axis(joint.columns[0][1], wrench, -J[0])
                along = along + power_on(self.excess[f], wrench)
                wrench = to_parent(f, wrench)
            F += in_sequence(wrench.force.entries, wrench.moment.entries)
            B, E = B + own, E + solved
            carried.append(along)
        more: dict[str, Sequence[Expr]] = {"excess": carried} if self.has_forces else {}
        return {"F": F, "B": B, "E": E, **more}

    def _outwards(self, change: Sequence[Symbol]) -> dict[str, Sequence[Expr]]:
        """The acceleration of the link, and u'."""
        alpha, a = Matrix(3, 1, _A[:3]), Matrix(3, 1, _A[3:])
        if self.is_on_ground:
            alpha, a = zeros(3), a if self.has_forces else zeros(3)
        udot: list[Expr] = [ZERO] * len(self.order)
        for f in self.link.frames:
            joint = self.joints[f]
            a = f.rotation.inwards(a + cross(alpha, f.offset)) + self.excess[f][1]
            alpha = f.rotation.inwards(alpha) + self.excess[f][0]
            before = alpha, a
            for (j, (angular, linear)), v in zip(joint.columns, self.V[f], strict=True):
                i = self.order[j]
                udot[i] = change[i] - power_on(before, v)
                alpha, a = alpha + udot[i] * angular, a + udot[i] * linear
        rates: dict[str, Sequence[Expr]] = {f"rate {i}": [e] for i, e in enumerate(udot)}
        return ({"a": in_sequence(alpha.entries, a.entries)} if self.link.has_children else {}) | rates


def _weights(joint: TreeJoint) -> list[Wrench]:
    """The rows of D⁻¹ Uᵀ."""
    if joint.factors is None:
        return []
    k = len(joint.columns)
    flat = tuple(e for u in joint.U for e in (*u.force.entries, *u.moment.entries))
    rows = joint.factors.solve(Matrix(k, 6, flat))
    return [_wrench_of(rows.row(i)) for i in range(k)]


def _along_axis(column: tuple[Matrix, Matrix], wrench: Wrench, value: Expr) -> Wrench:
    """A wrench whose component along the axis of a joint is known, if the axis is one of the frame's."""
    entries = in_sequence(column[0].entries, column[1].entries)
    axes = [k for k, e in enumerate(entries) if e is not ZERO]
    if len(axes) > 1 or entries[axes[0]] is not ONE:
        return wrench
    at, turns = axes[0] % 3, axes[0] < 3
    part = wrench.moment if turns else wrench.force
    exact = Matrix(3, 1, tuple(value if k == at else e for k, e in enumerate(part.entries)))
    return replace(wrench, moment=exact) if turns else replace(wrench, force=exact)


def _inertia_of(x: Sequence[Expr]) -> ArticulatedInertia:
    at = {p: k for k, p in enumerate(_UPPER)}
    places = [at[min(i, j), max(i, j)] for i in range(3) for j in range(3)]
    I, L = (Matrix(3, 3, tuple(part[k] for k in places)) for part in (x[:6], x[15:21]))
    return ArticulatedInertia(I, Matrix(3, 3, tuple(x[6:15])), L)


def _numbers_of(J: ArticulatedInertia) -> tuple[Expr, ...]:
    return in_sequence([J.I[i, j] for i, j in _UPPER], J.H.entries, [J.L[i, j] for i, j in _UPPER])


def _wrench_of(x: Sequence[Expr]) -> Wrench:
    """Force and moment."""
    return Wrench(Matrix(3, 1, tuple(x[:3])), Matrix(3, 1, tuple(x[3:6])))


def turning(kinematics: Kinematics, link: Link) -> tuple[Fragment, list[Input]]:
    """The angular velocity of a link from that of its parent, in own axes."""
    w = zeros(3) if link.parent < 0 else Matrix(3, 1, TURNING)
    for f in link.frames:
        (spin,) = kinematics.in_speeds([f.spin])
        w = f.rotation.inwards(w) + spin
    return _of_link(link, (("w", 0), TURNING), w.entries)


def orientation(link: Link) -> tuple[Fragment, list[Input]]:
    """Its rotation matrix in the ground from that of its parent, by rows."""
    unit = [ONE if i == j else ZERO for i in range(3) for j in range(3)]
    flat: Sequence[Expr] = unit if link.parent < 0 else AXES
    rows = [Matrix(3, 1, tuple(flat[3 * i : 3 * i + 3])) for i in range(3)]
    for f in link.frames:
        rows = [f.rotation.inwards(r) for r in rows]
    return _of_link(link, (("axes", 0), AXES), [e for r in rows for e in r.entries])


def _of_link(
    link: Link, parent: tuple[Input, tuple[Symbol, ...]], outputs: Sequence[Expr]
) -> tuple[Fragment, list[Input]]:
    names: list[Input] = [*(("slot", i) for i in range(len(link.slots))), parent[0]]
    made, chosen = fragment_between([*((s,) for s in link.slots), parent[1]], [outputs])
    return made, [names[k] for k in chosen]


def slopes_through(kinematics: Kinematics, tree: SweptTree, link: Link, way: Passing) -> tuple[Fragment, list[Input]]:
    """F for the parent as if the joint were locked, and the entries of Jc at the joint, row by row."""
    typed, numbers = tree.typed(link)
    number = {kinematics.u[j]: j for j in link.speeds}
    subspaces = {
        f: subspace_of(f, kinematics.in_speeds([f.spin])[0], kinematics.drift(f), number) for f in typed.frames
    }
    d, order = len(link.speeds), {j: i for i, j in enumerate(link.speeds)}
    force, slope = slot_symbols("force", 6 * way.rows), slot_symbols("slope", way.rows * d)
    F, B = list[Expr](), list[Expr]()
    for i in range(way.rows):
        wrench = _wrench_of(force[6 * i : 6 * i + 6]) if way.has_force else NO_WRENCH
        own: list[Expr] = [*slope[d * i : d * i + d]] if way.has_slope else [ZERO] * d
        for f in reversed(typed.frames):
            for j, column in subspaces[f].columns.items():
                own[order[j]] = own[order[j]] + power_on(column, wrench)
            wrench = to_parent(f, wrench)
        F += in_sequence(wrench.force.entries, wrench.moment.entries)
        B += own
    names: list[Input] = [*(("slot", k) for k in range(len(link.slots))), ("numbers", 0), ("force", 0), ("slope", 0)]
    made, chosen = fragment_between([*((s,) for s in link.slots), numbers, force, slope], [F, B])
    return made, [names[k] for k in chosen]


# ------------------------------------------------------------------------------------------- groups of constraints at a link


def _fragment(inputs: Sequence[tuple[Symbol, ...]], *outputs: Sequence[Expr]) -> Fragment:
    return Fragment(tuple(inputs), tuple(tuple(x) for x in outputs), (False,) * len(outputs))


def _solution_of(n: int, factors: Sequence[Expr], right: Sequence[Expr]) -> list[Expr]:
    x = list(right)
    definite_solve(n, list(factors), x)
    return x


def _rows(x: Sequence[Expr], n: int) -> list[Sequence[Expr]]:
    return [x[k : k + n] for k in range(0, len(x), n)] if n else []


@cache
def compliance(r: int, s: int, d: int, is_own: bool, has_before: bool) -> Fragment:
    """G + Bᵀ D⁻¹ B of two groups: B of the first and D⁻¹ B of the second; the upper triangle of one with itself."""
    places = upper_places(r) if is_own else [(i, j) for i in range(r) for j in range(s)]
    b, e, before = slots(0, r * d), slots(1, s * d), slots(2, len(places))
    entries = [sum_of_products(b[d * i : d * i + d], e[d * j : d * j + d]) for i, j in places]
    if has_before:
        entries = [x + y for x, y in zip(entries, before, strict=True)]
    return _fragment([b, e, before] if has_before else [b, e], entries)


@cache
def numbers(n: int) -> Fragment:
    """The same numbers."""
    x = slots(0, n)
    return _fragment([x], x)


@cache
def factor(r: int) -> Fragment:
    """Factors of G, and its trace."""
    g = slots(0, r * (r + 1) // 2)
    trace: Expr = ZERO
    for x, (i, j) in zip(g, upper_places(r), strict=True):
        trace = trace + x if i == j else trace
    return _fragment([g], factors_of(r, g), [trace])


@cache
def guard(r: int) -> Fragment:
    """Zero, or no value where a pivot is noise beside the sum of all traces."""
    factors, trace = slots(0, r * r), slots(1, 1)
    least, total = MIN_PIVOT * abs(trace[0]), ZERO
    for k in range(r):
        inverse = factors[r * k + k]
        total = total + value_where(abs(inverse) * least < 1, ZERO, of=inverse)
    return _fragment([factors, trace], [total])


@cache
def copies(n: int) -> Fragment:
    """A number n times."""
    (x,) = slots(0, 1)
    return _fragment([(x,)], [x] * n)


@cache
def stiffening(r: int) -> Fragment:
    """W = G⁻¹ Fᵀ by rows of six, and F G⁻¹ Fᵀ as an articulated inertia."""
    factors, force = slots(0, r * r), slots(1, 6 * r)
    F = _rows(force, 6)
    columns = [_solution_of(r, factors, [row[k] for row in F]) for k in range(6)]
    W = [columns[k][i] for i in range(r) for k in range(6)]

    def product(a: int, b: int) -> Expr:
        return sum_of_products([row[a] for row in F], columns[b])

    I = [product(3 + i, 3 + j) for i, j in _UPPER]
    H = [product(3 + i, j) for i in range(3) for j in range(3)]
    L = [product(i, j) for i, j in _UPPER]
    return _fragment([factors, force], W, [*I, *H, *L])


@cache
def coupling(s: int, r: int, is_transposed: bool) -> Fragment:
    """K = G_hg G_gg⁻¹, s by r; G_gh is given where it is transposed."""
    factors, g = slots(0, r * r), slots(1, s * r)
    rows = [g[i::s] for i in range(s)] if is_transposed else _rows(g, r)
    return _fragment([factors, g], in_sequence(*(_solution_of(r, factors, row) for row in rows)))


@cache
def less_forces(s: int, r: int) -> Fragment:
    """-K F, by rows of six."""
    K, force = slots(0, s * r), slots(1, 6 * r)
    F = _rows(force, 6)
    return _fragment(
        [K, force], [-sum_of_products(K[r * i : r * i + r], [row[k] for row in F]) for i in range(s) for k in range(6)]
    )


@cache
def less_coupling(s: int, t: int, r: int, is_own: bool, is_transposed: bool) -> Fragment:
    """-K G_gi, s by t; G_ig is given where it is transposed."""
    K, g = slots(0, s * r), slots(1, t * r)
    columns = _rows(g, r) if is_transposed else [g[j::t] for j in range(t)]
    places = upper_places(s) if is_own else [(i, j) for i in range(s) for j in range(t)]
    return _fragment([K, g], [-sum_of_products(K[r * i : r * i + r], columns[j]) for i, j in places])


# ------------------------------------------------------------------------------------------------------------ right sides


@cache
def solution(r: int) -> Fragment:
    """t = G⁻¹ (y - h)."""
    factors, right = slots(0, r * r), slots(1, r)
    return _fragment([factors, right], _solution_of(r, factors, right))


@cache
def less_wrench(r: int) -> Fragment:
    """-F t."""
    force, t = slots(0, 6 * r), slots(1, r)
    F = _rows(force, 6)
    return _fragment([force, t], [-sum_of_products([row[k] for row in F], t) for k in range(6)])


@cache
def less_rates(s: int, r: int) -> Fragment:
    """-K (y - h)."""
    K, right = slots(0, s * r), slots(1, r)
    return _fragment([K, right], [-sum_of_products(K[r * i : r * i + r], right) for i in range(s)])


@cache
def left_rates(r: int, d: int, has_before: bool, has_excess: bool) -> Fragment:
    """What a joint leaves of y - h: less Bᵀ z + F'ᵀ c."""
    B, z, before, excess = slots(0, r * d), slots(1, d), slots(2, r), slots(3, r)
    out: list[Expr] = []
    for i in range(r):
        e: Expr = before[i] if has_before else ZERO
        e = e - sum_of_products(B[d * i : d * i + d], z)
        out.append(e - excess[i] if has_excess else e)
    inputs = [*([B, z] if d else []), *([before] if has_before else []), *([excess] if has_excess else [])]
    return _fragment(inputs, out)


@cache
def multipliers(r: int, n: int) -> Fragment:
    """t - W A with the last n of the six numbers of A."""
    t, W, a = slots(0, r), slots(1, 6 * r), slots(2, n)
    # W stands by force and moment, A by angular and linear acceleration
    A: list[Expr] = [*[ZERO] * (6 - n), *a]
    pairs = [*A[3:], *A[:3]]
    rows = [t[i] - sum_of_products(W[6 * i : 6 * i + 6], pairs) for i in range(r)] if n else list(t)
    return _fragment([t, W, a] if n else [t], rows)


@cache
def less_multipliers(s: int, r: int) -> Fragment:
    """-Kᵀ λ."""
    K, x = slots(0, s * r), slots(1, s)
    return _fragment([K, x], [-sum_of_products([K[r * i + j] for i in range(s)], x) for j in range(r)])


@cache
def drive(r: int, d: int) -> Fragment:
    """D⁻¹ B λ."""
    E, x = slots(0, r * d), slots(1, r)
    return _fragment([E, x], [sum_of_products([E[d * i + j] for i in range(r)], x) for j in range(d)])


# --------------------------------------------------------------------------------------------------- conditions on vectors


@dataclass(frozen=True)
class VectorFragments:
    """What a link has in vectors a = Σ R_k a_k and in conditions a · b = 0 on them.

    parts    of each vector, a_k; None without
    speeds   of links at whose joints a_k moves
    """

    kinematics: Kinematics
    parts: tuple[Matrix | None, ...]
    is_on_ground: bool

    @property
    def _rotation(self) -> Matrix | None:
        return None if self.is_on_ground else Matrix(3, 3, AXES)

    def term(self, vector: int, order: int) -> list[Expr]:
        """What it adds to a vector, to its rate, or to its second rate at u' = 0, in the ground."""
        x, w = self.parts[vector], zeros(3) if self.is_on_ground else Matrix(3, 1, TURNING)
        assert x is not None
        out = x
        if order:
            rate = self.kinematics.rate(x)
            out = rate + cross(w, x)
            if order > 1:
                out = self.kinematics.rate_at_constant_speed(rate) + 2 * cross(w, rate) + cross(w, cross(w, x))
        return list(out.entries if self._rotation is None else (self._rotation @ out).entries)

    def pushes(self, products: Sequence[tuple[int, int]], vectors: Sequence[Sequence[Expr]]) -> list[Expr]:
        """Force and moment of unit multipliers on the link, row by row: a_k × Rᵀ b and b_k × Rᵀ a."""
        out: list[Expr] = []
        for pair in products:
            moment = zeros(3)
            for own, other in (pair, pair[::-1]):
                if (x := self.parts[own]) is not None:
                    moment = moment + cross(x, self._inwards(vectors[other]))
            out += [ZERO, ZERO, ZERO, *moment.entries]
        return out

    def slopes(
        self, products: Sequence[tuple[int, int]], vectors: Sequence[Sequence[Expr]], speeds: Sequence[Symbol]
    ) -> list[Expr]:
        """Entries of Jc at a joint whose speeds move a_k and b_k in the link, row by row."""
        out: list[Expr] = []
        for pair in products:
            row: list[Expr] = [ZERO] * len(speeds)
            for own, other in (pair, pair[::-1]):
                if (x := self.parts[own]) is not None:
                    J, along = jacobian(self.kinematics.rate(x), speeds), self._inwards(vectors[other])
                    row = [e + sum_of_products(J.column(j), along.entries) for j, e in enumerate(row)]
            out += row
        return out

    def _inwards(self, v: Sequence[Expr]) -> Matrix:
        x = Matrix(3, 1, tuple(v))
        return x if self._rotation is None else self._rotation.T @ x


@cache
def products_of(
    products: tuple[tuple[int, int], ...], orders: tuple[tuple[int, int], ...], is_negative: bool
) -> Fragment:
    """Of each row the sum of products of its vectors and their rates.

    orders   of each product the orders of the rates of the first and of the second vector, all products of one row
    """
    used = sorted({(v, o) for pair in products for which in orders for v, o in zip(pair, which, strict=True)})
    given = {key: slots(k, 3) for k, key in enumerate(used)}
    out: list[Expr] = []
    for a, b in products:
        total: Expr = ZERO
        for i, j in orders:
            total = total + sum_of_products(given[a, i], given[b, j])
        out.append(-total if is_negative else total)
    return _fragment(list(given.values()), out)


def factors_needed(products: Sequence[tuple[int, int]], orders: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Numbers of the vectors and orders of the rates in some products, as `products_of` takes them."""
    return sorted({(v, o) for pair in products for which in orders for v, o in zip(pair, which, strict=True)})

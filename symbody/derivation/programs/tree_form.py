"""A tree of bodies as arrays for recursions in one frame: topology, motion vectors and inertias.

Everything is in the components and about the origin of a reference frame, which is the ground or a free base body. Each
degree of freedom has a motion vector S of its subtree: of a joint first the translations, then the rotations.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...algebra.calculus.derivatives import jacobian
from ...algebra.graph.graph import ZERO, Expr, Symbol
from ...algebra.graph.matrix import Matrix, cross, dot, stack, vector, zeros
from ...algebra.graph.walk import free_symbols, substitute
from ...bodies.frames.frames import Frame
from ...bodies.frames.rotations import Rotation, euler_parameter_rates, from_euler_parameters
from ...bodies.mechanism.mechanism import Mechanism
from ..equations.energies import is_uniform_gravity
from ..equations.equations import Equations
from ..kinematics.composite_bodies import Composite
from ..kinematics.kinematics import Kinematics, forces_on_rates, wrenches
from ..kinematics.linked_loads import linked_loads
from ..kinematics.parameter_regrouping import lumps
from ..routes.recursive import carried_to_ground, subspaces_of
from .forward_dynamics import is_made_fast
from .link_sweeps import swept_tree


@dataclass(frozen=True)
class TreeForm:
    """Degrees of freedom in topological order: those of a subtree follow its root.

    speeds        number of the speed of each
    parent, last  the preceding one (n: the ground), and the last one of its joint
    S, speed      its motion vector, and its speed except for a translation of the whole
    lumps         by degree of freedom: inertia of the bodies that move with it, about the reference point
    twists        for each coordinate: first degree of freedom of its joint, and the motion vector
    falling       acceleration of the ground in place of gravity
    forces        by degree of freedom
    """

    speeds: tuple[int, ...]
    parent: tuple[int, ...]
    last: tuple[int, ...]
    S: tuple[Matrix, ...]
    speed: tuple[Expr, ...]
    lumps: dict[int, Composite]
    twists: tuple[tuple[int, Matrix], ...]
    falling: Matrix
    forces: tuple[Expr, ...]

    @property
    def n(self) -> int:
        return len(self.parent)


def tree_form(eq: Equations) -> TreeForm | None:
    """The arrays of the tree; None if a recursion in one frame does not apply: constraints, speeds that move
    several frames, axes that move in their frames, prescribed motions, inertia of deforming bodies."""
    if eq.mechanism.has_written_motion or eq.mechanism.elastic_bodies:
        return None
    if eq.route != "recursive" or eq.u != eq.mechanism.u or eq.lam or eq.dropped or eq.dependent:
        return None
    k = Kinematics(eq.mechanism)
    joints = _joints(eq.mechanism, k)
    return None if joints is None else _InOneFrame(eq.mechanism, k, joints).form()


def coordinates_in_loads(eq: Equations) -> int:
    """Of a tree whose accelerations are loops: how many coordinates its loads on bodies contain at least, each counted once for
    each load. The forces of many loads are long expressions; this does not make them."""
    tree = swept_tree(eq.mechanism) if not eq.lam and is_made_fast(eq) else None
    loads = None if tree is None else linked_loads(eq.mechanism, tree.links)
    return 0 if tree is None or loads is None else loads.coordinates_inside(tree.links)


# ---------------------------------------------------------------------------------------------------------- joints


@dataclass(frozen=True)
class _Part:
    """The translational or the rotational part of a frame: motion vectors by number of the speed and by coordinate,
    three components each."""

    turns: bool
    columns: dict[int, Matrix]
    coordinates: dict[Symbol, Matrix]


def _joints(mechanism: Mechanism, k: Kinematics) -> dict[Frame, list[_Part]] | None:
    out: dict[Frame, list[_Part]] = {}
    for f in mechanism.frames:
        parts = [_part(mechanism, k, f.offset, k.drifts[f], False), _part(mechanism, k, f.rotation, k.spins[f], True)]
        if None in parts:
            return None
        out[f] = [p for p in parts if p is not None and p.columns]
    parts_of_all = [p for parts in out.values() for p in parts]
    speeds = [j for p in parts_of_all for j in p.columns]
    coordinates = [q for p in parts_of_all for q in p.coordinates]
    is_whole = sorted(speeds) == list(range(len(k.u))) and sorted(map(id, coordinates)) == sorted(map(id, mechanism.q))
    return out if is_whole else None


def _part(mechanism: Mechanism, k: Kinematics, place: Matrix | Rotation, rate: Matrix, turns: bool) -> _Part | None:
    """The part of a frame; None if the motion is more than a sum of fixed directions times speeds."""
    moving = [s for s in k.u if s in set(free_symbols(rate))]
    directions = jacobian(rate, moving) if moving else None
    if directions is not None and any(s.kind != "parameter" for s in free_symbols(directions)):
        return None
    if any(e is not ZERO for e in substitute(rate, dict.fromkeys(moving, ZERO)).entries):
        return None
    number = {u: j for j, u in enumerate(k.u)}
    columns = {number[u]: Matrix(3, 1, directions.column(j)) for j, u in enumerate(moving) if directions is not None}
    inside = set(free_symbols(place.matrix if isinstance(place, Rotation) else place))
    own = [q for q in mechanism.q if q in inside]
    coordinates = _coordinates(mechanism, own, moving, columns, number, place)
    return None if coordinates is None else _Part(turns, columns, coordinates)


def _coordinates(
    mechanism: Mechanism,
    own: Sequence[Symbol],
    moving: Sequence[Symbol],
    columns: dict[int, Matrix],
    number: dict[Symbol, int],
    place: Matrix | Rotation,
) -> dict[Symbol, Matrix] | None:
    """Motions due to coordinates: those of the speeds that are their rates, or 2 H of Euler parameters."""
    rates = [mechanism.rates[q] for q in own]
    if all(r in number for r in rates) and sorted(map(id, rates)) == sorted(map(id, moving)):
        return {q: columns[number[r]] for q, r in zip(own, rates, strict=True)}  # type: ignore[index]
    if not isinstance(place, Rotation) or len(own) != 4 or len(moving) != 3:
        return None
    matrices = [getattr(f, "matrix", None) for f in place.factors]
    if from_euler_parameters(own).matrix not in matrices or rates != euler_parameter_rates(own, moving):
        return None
    e0, e1, e2, e3 = own
    H = {e0: (-e1, -e2, -e3), e1: (e0, -e3, e2), e2: (e3, e0, -e1), e3: (-e2, e1, e0)}
    axes = [columns[number[w]] for w in moving]
    return {e: 2 * sum((x * axis for x, axis in zip(row, axes, strict=True)), zeros(3)) for e, row in H.items()}


# --------------------------------------------------------------------------------------------------------- in one frame


class _InOneFrame:
    """Poses of frames in the reference frame, and quantities expressed there."""

    def __init__(self, mechanism: Mechanism, k: Kinematics, joints: dict[Frame, list[_Part]]) -> None:
        self.mechanism, self.k, self.joints = mechanism, k, joints
        self.children: dict[Frame, list[Frame]] = {f: [] for f in (mechanism.ground, *mechanism.frames)}
        for f in mechanism.frames:
            assert f.parent is not None
            self.children[f.parent].append(f)
        self.reference = self._reference()
        self.rows = {self.reference: (vector(1, 0, 0), vector(0, 1, 0), vector(0, 0, 1))}
        self.origin = {self.reference: zeros(3)}
        self._place_before()
        self._place_beyond()

    def _reference(self) -> Frame:
        """The ground, or the free base body that carries all others."""
        f = self.mechanism.ground
        while len(self.children[f]) == 1:
            child = self.children[f][0]
            if sum(len(p.columns) for p in self.joints[child]) < 3:
                break
            f = child
        return f

    def _place_before(self) -> None:
        f = self.reference
        while f.parent is not None:
            self.rows[f.parent] = tuple(f.rotation.outwards(r) for r in self.rows[f])  # type: ignore[assignment]
            self.origin[f.parent] = self.origin[f] - self._rotated_vector(f.parent, f.offset)
            f = f.parent

    def _place_beyond(self) -> None:
        for f in self._in_order():
            if f not in self.rows:
                assert f.parent is not None
                self.rows[f] = tuple(f.rotation.inwards(r) for r in self.rows[f.parent])  # type: ignore[assignment]
                self.origin[f] = self.origin[f.parent] + self._rotated_vector(f.parent, f.offset)

    def _in_order(self) -> Iterator[Frame]:
        waiting = list(reversed(self.children[self.mechanism.ground]))
        while waiting:
            f = waiting.pop()
            yield f
            waiting.extend(reversed(self.children[f]))

    def _rotated_vector(self, f: Frame, x: Matrix) -> Matrix:
        return Matrix(3, 1, tuple(dot(r, x) for r in self.rows[f]))

    def form(self) -> TreeForm:
        n, at = len(self.k.u), {self.mechanism.ground: len(self.k.u)}
        speeds: list[int] = []
        parent: list[int] = []
        last: list[int] = []
        S: list[Matrix] = []
        twists: dict[Symbol, tuple[int, Matrix]] = {}
        for f in self._in_order():
            assert f.parent is not None
            at[f] = at[f.parent]
            for part in self.joints[f]:
                first = len(speeds)
                twists |= {q: (first, self._motion(f, part, x)) for q, x in part.coordinates.items()}
                for j, column in part.columns.items():
                    parent.append(at[f])
                    at[f] = len(speeds)
                    speeds.append(j)
                    S.append(self._motion(f, part, column))
                last += [len(speeds) - 1] * len(part.columns)
        forces = self._forces()
        return TreeForm(
            tuple(speeds),
            tuple(parent),
            tuple(last),
            tuple(S),
            tuple(self._speeds(speeds, parent, S)),
            self._lumps(at, n),
            tuple(twists[q] for q in self.mechanism.q),
            self._falling(),
            tuple(forces[j] for j in speeds),
        )

    def _motion(self, f: Frame, part: _Part, x: Matrix) -> Matrix:
        if not part.turns:
            assert f.parent is not None
            return stack(zeros(3), self._rotated_vector(f.parent, x))
        axis = self._rotated_vector(f, x)
        return stack(axis, cross(self.origin[f], axis))

    def _speeds(self, speeds: Sequence[int], parent: Sequence[int], S: Sequence[Matrix]) -> list[Expr]:
        """Zero for shifts of everything: motions are the same in frames that move uniformly."""
        shifts: list[bool] = []
        for i, p in enumerate(parent):
            is_shift = all(e is ZERO for e in S[i].entries[:3])
            shifts.append(is_shift and (p == len(parent) or shifts[p]))
        return [ZERO if s else self.k.u[j] for s, j in zip(shifts, speeds, strict=True)]

    def _lumps(self, at: dict[Frame, int], ground: int) -> dict[int, Composite]:
        out: dict[int, Composite] = {}
        for f, lump in lumps(self.mechanism).items():
            if at[f] != ground:
                turned = Composite(lump.m, self._rotated_vector(f, lump.h), self._turned_tensor(f, lump.P))
                moved = turned.shifted(self.origin[f])
                out[at[f]] = out[at[f]] + moved if at[f] in out else moved
        return out

    def _turned_tensor(self, f: Frame, P: Matrix) -> Matrix:
        rows = self.rows[f]
        half = [P @ r for r in rows]
        upper = {(i, j): dot(rows[i], half[j]) for i in range(3) for j in range(i, 3)}
        return Matrix(3, 3, tuple(upper[min(i, j), max(i, j)] for i in range(3) for j in range(3)))

    def _falling(self) -> Matrix:
        ground = self.mechanism.ground
        if self.mechanism.gravity is None:
            return zeros(3)
        return -self._rotated_vector(ground, self.mechanism.gravity.components(ground))

    def _forces(self) -> list[Expr]:
        """Generalised forces of all loads but gravity, by speed."""
        loads = [x for x in self.mechanism.loads if not is_uniform_gravity(x, self.k)]
        on_frames = wrenches(loads, self.k)
        carried, _ = carried_to_ground(self.mechanism, on_frames, subspaces_of(self.mechanism, self.k))
        return [value + carried.get(j, ZERO) for j, value in enumerate(forces_on_rates(loads, self.k))]

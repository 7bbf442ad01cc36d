"""Recursions over the tree of frames, in components of each frame: fewest operations.

The mass matrix is that of composite bodies, the right side a Newton-Euler recursion where u' = 0 and gravity is an
acceleration of the ground. Any expression of coordinates may move any frame: where a coordinate moves several frames,
their parts are added.

With A = α̃ + ω̃ω̃ (so that the acceleration at r is a + A r), first moment h = m c and inertia I about the frame's
origin,

    force    = m a + A h
    moment_x = (h × a)_x + I_xx α_x + (I_zz - I_yy) ω_y ω_z + I_xz A_yx - I_xy A_zx + I_yz (ω_y² - ω_z²)      and so on
    in turn
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ...algebra.calculus.accumulation import Stage
from ...algebra.calculus.derivatives import jacobian
from ...algebra.graph.graph import ZERO, Expr, Node, Symbol
from ...algebra.graph.late_matrix import LateColumn, LateSquare, diagonal
from ...algebra.graph.matrix import Matrix, cross, stack, sum_of_products, sum_of_two
from ...algebra.graph.walk import free_symbols
from ...bodies.frames.frames import Frame
from ...bodies.frames.rotations import OTHER_AXES
from ...bodies.mechanism.mechanism import Load, Mechanism
from ..kinematics.composite_bodies import Composite, InertiaComposite, composites, momentum
from ..kinematics.elastic_inertia import ElasticInertia, elastic_inertias
from ..kinematics.equal_links import expressions_of_inertia, expressions_of_loads, has_rigid_links, links_of
from ..kinematics.frame_motions import Acceleration, accelerations
from ..kinematics.inertial_parameters import Lump
from ..kinematics.kinematics import NO_WRENCH, Kinematics, Wrench, forces_on_rates, loads_besides_gravity, wrenches
from ..kinematics.linked_loads import linked_loads
from ..kinematics.parameter_regrouping import Regroup, lumps
from ..kinematics.unknown_positions import has_unknown_places
from .user_inertia import WrittenMotion

MANY_SPEEDS: Final = 40  # above, the mass matrix of a tree is built on first access


def recursive(mechanism: Mechanism, kinematics: Kinematics, regroup: Regroup = None) -> tuple[Matrix, Matrix]:
    """Mass matrix and right side. `regroup`: see `lumps`."""
    if len(kinematics.u) > MANY_SPEEDS and regroup is None and (late := _late_equations(mechanism)) is not None:
        return late
    return equations_of_tree(mechanism, kinematics, regroup)


def equations_of_tree(mechanism: Mechanism, kinematics: Kinematics, regroup: Regroup = None) -> tuple[Matrix, Matrix]:
    subspaces = subspaces_of(mechanism, kinematics)
    carried, elastic = lumps(mechanism, regroup, by_inertias=True), elastic_inertias(mechanism, kinematics)
    rigid = {f: InertiaComposite(x.m, x.h, x.I) for f, x in carried.items()}
    whole, n = _composites(mechanism, rigid, elastic), len(kinematics.u)
    M = late_mass_matrix(mechanism, subspaces, whole, n) if n > MANY_SPEEDS and not elastic else None
    if M is None:
        M = mass_matrix(mechanism, subspaces, whole, n, elastic)
    return M, _right_side(mechanism, kinematics, subspaces, carried, elastic)


# -------------------------------------------------------------------------------------------------- motion of one frame


@dataclass(frozen=True)
class Subspace:
    """The motion subspace of a frame in its parent: columns (angular, linear) in own components, by number of the
    speed."""

    columns: dict[int, tuple[Matrix, Matrix]]


def subspaces_of(mechanism: Mechanism, kinematics: Kinematics) -> dict[Frame, Subspace]:
    number = {u: j for j, u in enumerate(kinematics.u)}
    given = kinematics.given
    return {
        f: subspace_of(f, kinematics.spins[f], kinematics.drifts[f], number, given.get(f)) for f in mechanism.frames
    }


def subspace_of(
    f: Frame, spin: Matrix, drift: Matrix, number: Mapping[Symbol, int], given: Matrix | None = None
) -> Subspace:
    """Of one frame; `given` is the velocity of its origin, where only that is known."""
    motion = stack(spin, drift if given is None else given)
    moving = [s for s in free_symbols(motion) if s in number]
    J = jacobian(motion, moving)
    columns = {}
    for k, u in enumerate(moving):
        angular, linear = Matrix(3, 1, J.column(k)[:3]), Matrix(3, 1, J.column(k)[3:])
        columns[number[u]] = angular, f.rotation.inwards(linear) if given is None else linear
    return Subspace(columns)


# ----------------------------------------------------------------------------------------------------- composite bodies


def _composites(
    mechanism: Mechanism, rigid: dict[Frame, InertiaComposite], elastic: list[ElasticInertia]
) -> dict[Frame, InertiaComposite]:
    """Of every frame, deforming bodies as rigid ones."""
    own = dict(rigid)
    for body in elastic:
        own[body.frame] = own[body.frame] + body.rigid if body.frame in own else body.rigid
    return composites(mechanism, own)


def mass_matrix(
    mechanism: Mechanism,
    subspaces: dict[Frame, Subspace],
    whole: Mapping[Frame, Composite | InertiaComposite],
    n: int,
    elastic: Iterable[ElasticInertia] = (),
) -> Matrix:
    """Of n speeds, from the composites of frames."""
    M: dict[tuple[int, int], Expr] = {}
    for body in elastic:
        _add_deformation(M, body, subspaces)
    for f in reversed(mechanism.frames):
        if f not in whole:
            continue
        columns = list(subspaces[f].columns.items())
        for at, (j, (angular, linear)) in enumerate(columns):
            wrench = momentum(whole[f], angular, linear)
            for i, column in columns[: at + 1]:
                _add(M, i, j, power_on(column, wrench))
            _carry(M, f, j, wrench, subspaces)
    return Matrix(n, n, tuple(M.get((min(i, j), max(i, j)), ZERO) for i in range(n) for j in range(n)))


def late_mass_matrix(
    mechanism: Mechanism, subspaces: dict[Frame, Subspace], whole: Mapping[Frame, InertiaComposite], n: int
) -> Matrix | None:
    """The mass matrix of a tree in which every speed moves one frame, built on first access: the accelerations of many
    bodies do not need it. None where its entries are needed to derive equations."""
    moved = [(j, f, column) for f, s in subspaces.items() for j, column in s.columns.items()]
    is_tree = not (mechanism.constraints or mechanism.has_written_motion or has_unknown_places(mechanism))
    if not is_tree or sorted(j for j, _, _ in moved) != list(range(n)):
        return None
    entries = [ZERO] * n
    for j, f, column in moved:
        if f in whole:
            entries[j] = power_on(column, momentum(whole[f], *column))
    inside = [e for _, f, (angular, linear) in moved for e in (*angular.entries, *linear.entries, *f.offset.entries)]
    inside += [e for c in whole.values() for e in (c.m, *c.h.entries, *c.I.entries)]
    if any(s.kind == "multiplier" or (s.kind == "input" and s.order) for s in free_symbols(inside)):
        return None
    return LateSquare(n, _LateInertia(mechanism, subspaces, whole, n), entries, inside)


def _late_equations(mechanism: Mechanism) -> tuple[Matrix, Matrix] | None:
    """M and f of a tree of links, both built on first access: the recursion needs neither. None if loads depend on more
    than a few links, or contain multipliers or rates of inputs."""
    tree = links_of(mechanism) if has_rigid_links(mechanism) else None
    if tree is None or linked_loads(mechanism, tree.links) is None:
        return None
    in_inertia = free_symbols(expressions_of_inertia(mechanism))
    inside = free_symbols(in_inertia, expressions_of_loads(mechanism))
    if any(s.kind == "multiplier" or (s.kind == "input" and s.order) for s in inside):
        return None
    made, n = _LateTree(mechanism), len(mechanism.u)
    rates = {s for s in inside if s.kind == "acceleration"}
    has_inertia_in_loads = bool(rates) and not rates.isdisjoint(u.dot for u in mechanism.u)
    in_inertia = inside if has_inertia_in_loads else in_inertia
    return LateSquare(n, made.inertia, made.diagonal, in_inertia), LateColumn(n, made.right_side, inside)


@dataclass(frozen=True)
class _LateTree:
    """Makes the entries of M and f."""

    mechanism: Mechanism

    def _made(self) -> tuple[Matrix, Matrix]:
        return equations_of_tree(self.mechanism, Kinematics(self.mechanism))

    def inertia(self) -> tuple[Expr, ...]:
        return self._made()[0].entries

    def diagonal(self) -> tuple[Expr, ...]:
        return diagonal(self._made()[0])

    def right_side(self) -> tuple[Expr, ...]:
        return self._made()[1].entries


@dataclass(frozen=True)
class _LateInertia:
    """Makes the entries of a mass matrix."""

    mechanism: Mechanism
    subspaces: dict[Frame, Subspace]
    whole: Mapping[Frame, InertiaComposite]
    n: int

    def __call__(self) -> tuple[Expr, ...]:
        return mass_matrix(self.mechanism, self.subspaces, self.whole, self.n).entries


def _add_deformation(M: dict[tuple[int, int], Expr], body: ElasticInertia, subspaces: dict[Frame, Subspace]) -> None:
    """Entries between speeds that deform a body, and between these and the speeds that move its frame."""
    speeds = list(body.columns)
    for at, j in enumerate(speeds):
        for i in speeds[: at + 1]:
            _add(M, i, j, body.inner(i, j))
        _act_on_frame(M, body.frame, j, body.momentum(j), subspaces)


def power_on(column: tuple[Matrix, Matrix], wrench: Wrench) -> Expr:
    (w, v), (force, moment) = column, (wrench.force, wrench.moment)
    return sum_of_products(w.entries, moment.entries) + sum_of_products(v.entries, force.entries)


def _add(M: dict[tuple[int, int], Expr], i: int, j: int, value: Expr) -> None:
    key = (min(i, j), max(i, j))
    M[key] = M[key] + value if key in M else value


def _carry(M: dict[tuple[int, int], Expr], f: Frame, j: int, wrench: Wrench, subspaces: dict[Frame, Subspace]) -> None:
    """Propagate the momentum of column j to the ground; its power on the way gives the other entries of that column."""
    parent = f.parent
    assert parent is not None
    if not parent.is_ground:
        _act_on_frame(M, parent, j, to_parent(f, wrench), subspaces)


def _act_on_frame(
    M: dict[tuple[int, int], Expr], f: Frame, j: int, wrench: Wrench, subspaces: dict[Frame, Subspace]
) -> None:
    """The power of a momentum of column j on a frame and on its ancestors."""
    while not f.is_ground:
        for i, column in subspaces[f].columns.items():
            value = power_on(column, wrench)
            _add(M, i, j, 2 * value if i == j else value)
        assert f.parent is not None
        if not f.parent.is_ground:
            wrench = to_parent(f, wrench)
        f = f.parent


def to_parent(f: Frame, wrench: Wrench, at_joint: Matrix | None = None) -> Wrench:
    """A wrench on a frame, and a force at its origin in components of the parent, about the origin of the parent and in
    its components."""
    force, moment = f.rotation.outwards(wrench.force), f.rotation.outwards(wrench.moment)
    force = force if at_joint is None else force + at_joint
    return Wrench(force, moment + cross(f.offset, force))


# --------------------------------------------------------------------------------------------------------- Newton-Euler


def _right_side(
    mechanism: Mechanism,
    kinematics: Kinematics,
    subspaces: dict[Frame, Subspace],
    carried: dict[Frame, Lump],
    elastic: list[ElasticInertia],
) -> Matrix:
    """f: applied forces less inertia forces at u' = 0."""
    loads = loads_besides_gravity(mechanism)
    out = forces_on_rates(loads, kinematics)
    motions = accelerations(mechanism, kinematics, at_constant_speed=True)
    needed = _inertial_wrenches(carried, motions)
    for j, value in _add_elastic(needed, elastic, motions, at_constant_speed=True).items():
        out[j] = out[j] - value
    for f, w in wrenches(loads, kinematics).items():
        needed[f] = needed.get(f, NO_WRENCH) - w
    for j, value in carried_to_ground(mechanism, needed, subspaces)[0].items():
        out[j] = out[j] - value
    return Matrix(len(out), 1, tuple(out))


def _add_elastic(
    needed: dict[Frame, Wrench],
    elastic: list[ElasticInertia],
    motions: dict[Frame, Acceleration],
    at_constant_speed: bool,
) -> dict[int, Expr]:
    """Inertia wrenches of deforming bodies, added to those of others; returned are the inertia forces on the speeds
    that deform them."""
    out: dict[int, Expr] = {}
    for body in elastic:
        wrench, forces = body.forces(motions[body.frame], at_constant_speed)
        needed[body.frame] = needed.get(body.frame, NO_WRENCH) + wrench
        for j, value in forces.items():
            out[j] = out[j] + value if j in out else value
    return out


def carried_to_ground(
    mechanism: Mechanism,
    needed: dict[Frame, Wrench],
    subspaces: dict[Frame, Subspace],
    at_joints: Mapping[Frame, Matrix] | None = None,
) -> tuple[dict[int, Expr], dict[Frame, Wrench]]:
    """Generalised forces of wrenches on frames, from the leaves to the ground; and the wrench that each frame hands on
    to its parent.

    at_joints   further forces at the origins of frames, in components of their parents
    """
    out: dict[int, Expr] = {}
    total = dict(needed)
    for f in reversed(mechanism.frames):
        if f not in total:
            continue
        for j, column in subspaces[f].columns.items():
            value = power_on(column, total[f])
            out[j] = out[j] + value if j in out else value
        assert f.parent is not None
        if not f.parent.is_ground:
            w = to_parent(f, total[f], None if at_joints is None else at_joints.get(f))
            total[f.parent] = total[f.parent] + w if f.parent in total else w
    return out, total


def inertial_wrenches(
    mechanism: Mechanism, kinematics: Kinematics, at_constant_speed: bool = True
) -> dict[Frame, Wrench]:
    """For each frame: the inertia wrench of its bodies, gravity included, where u' = 0 or for u' as symbols."""
    motions = accelerations(mechanism, kinematics, at_constant_speed)
    out = _inertial_wrenches(lumps(mechanism, regroup=False), motions)
    _add_elastic(out, elastic_inertias(mechanism, kinematics), motions, at_constant_speed)
    return out


def power_of_prescribed_deformation(mechanism: Mechanism, kinematics: Kinematics) -> Expr:
    """Σ h' · (inertia force on the field) where u = 0: not zero where rates of elastic coordinates are prescribed."""
    total = ZERO
    for body in elastic_inertias(mechanism, kinematics):
        given = body.prescribed()
        if any(e is not ZERO for e in given):
            motions = accelerations(mechanism, kinematics, at_constant_speed=False)
            total = total + sum_of_products(given, body.on_fields(motions[body.frame], at_constant_speed=False))
    return total


def _inertial_wrenches(carried: Mapping[Frame, Lump], motions: Mapping[Frame, Acceleration]) -> dict[Frame, Wrench]:
    """Of each frame about its origin or by way of the mass centre, whichever takes fewer operations when the motions of
    all frames are known: compared once for equal bodies whose motions look alike."""
    known = {e for m in motions.values() for e in m.entries}
    both: tuple[Callable[[Lump, Acceleration], Wrench], ...] = (wrench_about_origin, _wrench_by_mass_centre)
    shorter: dict[Hashable, Callable[[Lump, Acceleration], Wrench]] = {}
    out = {}
    for f, lump in carried.items():
        motion = motions[f]
        if lump.body is None:
            out[f] = wrench_about_origin(lump, motion)
            continue
        kind = lump.body, *(e.data if e.op == "const" else e.op for e in motion.entries)
        if kind in shorter:
            out[f] = shorter[kind](lump, motion)
            continue
        ways = {way: way(lump, motion) for way in both}
        counts = {way: operations_from(known, (*w.force.entries, *w.moment.entries)) for way, w in ways.items()}
        shorter[kind] = min(counts, key=counts.__getitem__)
        out[f] = ways[shorter[kind]]
    return out


def wrench_about_origin(lump: Lump, motion: Acceleration) -> Wrench:
    force = lump.m * motion.a + motion.A @ lump.h
    return Wrench(force, _euler(lump.I, motion) + cross(lump.h, motion.a))


def _wrench_by_mass_centre(lump: Lump, motion: Acceleration) -> Wrench:
    assert lump.body is not None
    mass, c = lump.body, lump.body.p_BoBcm
    force = mass.m * (motion.a + motion.A @ c)
    return Wrench(force, _euler(mass.I_BBcm, motion) + cross(c, force))


def _euler(I: Matrix, motion: Acceleration) -> Matrix:
    """I α + ω × I ω, with the products of ω that A has."""
    A, w, alpha, inertia = motion.A, motion.w.entries, motion.alpha.entries, I.entries
    moment = []
    for x, (y, z) in enumerate(OTHER_AXES):
        e = sum_of_two(inertia[4 * x], alpha[x], inertia[4 * z] - inertia[4 * y], w[y] * w[z])
        xy, xz, yz = (inertia[k] for k in (3 * x + y, 3 * x + z, 3 * y + z))
        e = e if xz is ZERO else e + xz * A[y, x]
        e = e if xy is ZERO else e - xy * A[z, x]
        moment.append(e if yz is ZERO else e + yz * (w[y] * w[y] - w[z] * w[z]))
    return Matrix(3, 1, tuple(moment))


def operations_from(known: set[Expr], roots: Iterable[Expr]) -> int:
    """Operations that expressions take when some are known."""
    stack_ = [r for r in roots if r not in known]
    seen = set(stack_)
    while stack_:
        for a in stack_.pop().args:
            if a not in seen and a not in known:
                seen.add(a)
                stack_.append(a)
    return sum(1 for n in seen if n.args)


# ----------------------------------------------------------------------------------------------------- inverse dynamics


def generalized_forces(
    mechanism: Mechanism, kinematics: Kinematics, regroup: Regroup = None, loads: Sequence[Load] = ()
) -> list[Expr]:
    """M u' - f for u' as symbols: inverse dynamics by one recursion, without M. Of the loads, gravity counts, and those
    given."""
    return staged_forces(mechanism, kinematics, regroup, loads)[0]


def staged_forces(
    mechanism: Mechanism, kinematics: Kinematics, regroup: Regroup = None, loads: Sequence[Load] = ()
) -> tuple[list[Expr], list[Stage]]:
    """Generalised forces, and the order in which their derivatives take fewest operations.

    From the leaves to the ground, first what makes up the total wrench W on a frame, forwards, then what makes up its
    motion m, in reverse: ∂W/∂m, of the size of a wrench and a motion, then contains all data of the bodies beyond a
    frame. (With composite inertias for it by formulas: Singh, Russo and Wensing, Efficient analytical derivatives of
    rigid-body dynamics, 2022.)
    """
    motions = accelerations(mechanism, kinematics, at_constant_speed=False)
    needed = _inertial_wrenches(lumps(mechanism, regroup, by_inertias=True), motions)
    deforming = _add_elastic(needed, elastic_inertias(mechanism, kinematics), motions, at_constant_speed=False)
    for f, w in wrenches(loads, kinematics).items():
        needed[f] = needed.get(f, NO_WRENCH) - w
    found, total = carried_to_ground(mechanism, needed, subspaces_of(mechanism, kinematics))
    for j, value in deforming.items():
        found[j] = found[j] + value if j in found else value
    given = forces_on_rates(loads, kinematics) if loads else [ZERO] * len(kinematics.u)
    forces = [found.get(j, ZERO) - value for j, value in enumerate(given)]
    if mechanism.has_written_motion:
        written = WrittenMotion(mechanism, kinematics).forces
        forces = [e + w for e, w in zip(forces, written, strict=True)]
    return forces, _stages(mechanism, motions, total)


def _stages(mechanism: Mechanism, motions: dict[Frame, Acceleration], total: dict[Frame, Wrench]) -> list[Stage]:
    seen: set[Node] = set()
    inner = {f: _new((*(x := motions[f]).w, *x.alpha, *x.A.entries, *x.a), seen) for f in mechanism.frames}
    out = []
    for f in reversed(mechanism.frames):
        if f in total:
            out.append(Stage(_new((*total[f].force, *total[f].moment), seen)))
        out.append(Stage(inner[f], is_reverse=True))
    return out


def _new(roots: Iterable[Node], seen: set[Node]) -> list[Node]:
    """Nodes that the roots depend on and that were not visited before; marks them as visited."""
    out, stack_ = [], list(roots)
    while stack_:
        if (n := stack_.pop()) not in seen:
            seen.add(n)
            out.append(n)
            stack_.extend(n.args)
    return out

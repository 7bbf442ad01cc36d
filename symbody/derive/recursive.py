"""Recursions over the tree of frames, in components of each frame: fewest operations.

The mass matrix is that of composite bodies, the right side a Newton-Euler recursion where u' = 0 and gravity is an acceleration of the
ground. Any expression of coordinates may move any frame: where a coordinate moves several frames, their parts are added.

With A = α̃ + ω̃ω̃ (so that the acceleration at r is a + A r), first moment h = m c and inertia I about the frame's origin,

    force    = m a + A h
    moment_x = (h × a)_x + I_xx α_x + (I_zz - I_yy) ω_y ω_z + I_xz A_yx - I_xy A_zx + I_yz (A_yy - A_zz)      and so on in turn

or, by second moments P = ½ tr(I) 1 - I, with P_yy A_zy - P_zz A_yz for its second and third term.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Final

from ..algebra.accumulation import Stage
from ..algebra.derivatives import jacobian
from ..algebra.graph import ZERO, Expr, Node
from ..algebra.matrix import Matrix, cross, dot, stack, zeros
from ..algebra.walk import free_symbols
from ..bodies.frames import Frame
from ..bodies.mass import MassProperties
from ..bodies.mechanism import Load, Mechanism
from .composite_bodies import Composite, InertiaComposite, Taken, composites, momentum, taken_by_hinge, taken_in_field
from .frame_motions import Acceleration, accelerations, hinges_on_bodies, last_turn, turning_axis
from .inertial_parameters import Lump, second_moments
from .kinematics import NO_WRENCH, Kinematics, Wrench, forces_on_rates, wrenches
from .regrouping import Regroup, lumps, masses_to_keep
from .written_motion import WrittenMotion

MOST_TRIED: Final = 150  # hinges that might keep mass, times frames, up to which this is tried one by one
MOST_COUNTED: Final = 40  # speeds up to which equations are written in several ways and counted


def recursive(mechanism: Mechanism, kinematics: Kinematics, regroup: Regroup = None) -> tuple[Matrix, Matrix]:
    """Mass matrix and right side. `regroup`: see `lumps`.

    Composites by inertias and forces by bodies, or composites by second moments and forces by them, whichever takes fewer operations.
    """
    subspaces = subspaces_of(mechanism, kinematics)
    loads = [x for x in mechanism.loads if x.kind != "gravity" or mechanism.gravity is None or x.name != "gravity"]
    problem = Recursion(mechanism, kinematics, subspaces, tuple(loads))
    M, f = problem.by_bodies(regroup)
    if len(kinematics.u) <= MOST_COUNTED:
        other = problem.by_composites(regroup)
        before, after = (operations_from(set(), (*m.entries, *e)) for m, e in ((M, f), other))
        if after < 0.98 * before:  # programs share some more products than the graph, about so many
            M, f = other
    return M, Matrix(len(f), 1, tuple(-e for e in f))


# ---------------------------------------------------------------------------------------------------------- motion of one frame


@dataclass(frozen=True)
class Subspace:
    """How speeds move a frame in its parent: columns (angular, linear) in own components, by number of the speed."""

    columns: dict[int, tuple[Matrix, Matrix]]


def subspaces_of(mechanism: Mechanism, kinematics: Kinematics) -> dict[Frame, Subspace]:
    number = {u: j for j, u in enumerate(kinematics.u)}
    out = {}
    for f in mechanism.frames:
        given = kinematics.given.get(f)
        motion = stack(kinematics.spins[f], kinematics.drifts[f] if given is None else given)
        moving = [s for s in free_symbols(motion) if s in number]
        J = jacobian(motion, moving)
        columns = {}
        for k, u in enumerate(moving):
            angular, linear = Matrix(3, 1, J.column(k)[:3]), Matrix(3, 1, J.column(k)[3:])
            columns[number[u]] = angular, f.rotation.inwards(linear) if given is None else linear
        out[f] = Subspace(columns)
    return out


# ---------------------------------------------------------------------------------------------------------- composite bodies


def _mass_matrix(
    mechanism: Mechanism, subspaces: dict[Frame, Subspace], whole: Mapping[Frame, Composite | InertiaComposite], n: int
) -> Matrix:
    """Of n speeds."""
    M: dict[tuple[int, int], Expr] = {}
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


def power_on(column: tuple[Matrix, Matrix], wrench: Wrench) -> Expr:
    return dot(column[0], wrench.moment) + dot(column[1], wrench.force)


def _add(M: dict[tuple[int, int], Expr], i: int, j: int, value: Expr) -> None:
    key = (min(i, j), max(i, j))
    M[key] = M[key] + value if key in M else value


def _carry(M: dict[tuple[int, int], Expr], f: Frame, j: int, wrench: Wrench, subspaces: dict[Frame, Subspace]) -> None:
    """Carry the momentum of column j to the ground; what it does on the way are the other entries of that column."""
    while not (parent := f.parent).is_ground:  # type: ignore[union-attr]
        assert parent is not None
        wrench = to_parent(f, wrench)
        f = parent
        for i, column in subspaces[f].columns.items():
            value = power_on(column, wrench)
            _add(M, i, j, 2 * value if i == j else value)


def to_parent(f: Frame, wrench: Wrench, at_joint: Matrix | None = None) -> Wrench:
    """A wrench on a frame, and a force at its origin, about the origin of its parent and in its components."""
    force, moment = f.rotation.outwards(wrench.force), f.rotation.outwards(wrench.moment)
    force = force if at_joint is None else force + at_joint
    return Wrench(force, moment + cross(f.offset, force))


# ---------------------------------------------------------------------------------------------------------- Newton-Euler


@dataclass(frozen=True)
class Recursion:
    """The recursion with these loads, for bodies lumped in one way or another."""

    mechanism: Mechanism
    kinematics: Kinematics
    subspaces: dict[Frame, Subspace]
    loads: Sequence[Load]

    def with_written(self, forces: list[Expr]) -> list[Expr]:
        """With those of motions that were written down beside bodies."""
        if not self.mechanism.has_written_motion:
            return forces
        written = WrittenMotion(self.mechanism, self.kinematics).forces
        return [e + w for e, w in zip(forces, written, strict=True)]

    def by_bodies(self, regroup: Regroup) -> tuple[Matrix, list[Expr]]:
        """Mass matrix by inertias, and forces at u' = 0 by bodies."""
        carried = lumps(self.mechanism, regroup, by_inertias=True)
        whole = composites(self.mechanism, {f: InertiaComposite(x.m, x.h, x.I) for f, x in carried.items()})
        M = _mass_matrix(self.mechanism, self.subspaces, whole, len(self.kinematics.u))
        if len(self.kinematics.u) > MOST_COUNTED:
            return M, self.fewest(carried, at_constant_speed=True)
        return M, self.fewest(lumps(self.mechanism, regroup), at_constant_speed=True)

    def by_composites(self, regroup: Regroup) -> tuple[Matrix, list[Expr]]:
        """Mass matrix and forces at u' = 0 by second moments of composites."""
        carried = lumps(self.mechanism, regroup)
        whole = composites(self.mechanism, {f: Composite(x.m, x.h, x.P) for f, x in carried.items()})
        M = _mass_matrix(self.mechanism, self.subspaces, whole, len(self.kinematics.u))
        motions = accelerations(self.mechanism, self.kinematics, at_constant_speed=True, by_columns=carried)
        return M, self._of_composites(whole, motions)

    def fewest(self, carried: dict[Frame, Lump], at_constant_speed: bool, kept: Collection[Frame] = ()) -> list[Expr]:
        """Inertia forces less applied ones; motions with or without columns of A, whichever takes fewer operations."""
        is_counted = len(self.kinematics.u) <= MOST_COUNTED or not at_constant_speed
        ways = (carried, None) if is_counted and hinges_on_bodies(self.mechanism) else (None,)
        motions = (accelerations(self.mechanism, self.kinematics, at_constant_speed, way) for way in ways)
        return min((self.forces(carried, m, kept)[0] for m in motions), key=lambda e: operations_from(set(), e))

    def forces(
        self, carried: dict[Frame, Lump], motions: dict[Frame, Acceleration], kept: Iterable[Frame] = ()
    ) -> tuple[list[Expr], dict[Frame, Wrench]]:
        """The same for given motions; and the wrench that each frame hands on to its parent.

        kept   frames with a mass at their origin, whose force is best found in components of the parent
        """
        at_joints = {f: carried[f].m * motions[f.parent].at(f.offset) for f in kept}  # type: ignore[index]
        carried = carried | {f: replace(carried[f], m=ZERO) for f in at_joints}
        needed = {f: _inertial_wrench(lump, motions[f]) for f, lump in carried.items()}
        for f, w in wrenches(self.loads, self.kinematics).items():
            needed[f] = needed.get(f, NO_WRENCH) - w
        found, total = carried_to_ground(self.mechanism, needed, self.subspaces, at_joints)
        given = forces_on_rates(self.loads, self.kinematics)
        return [found.get(j, ZERO) - value for j, value in enumerate(given)], total

    def _of_composites(self, whole: dict[Frame, Composite], motions: dict[Frame, Acceleration]) -> list[Expr]:
        """Forces at u' = 0, from composites in the differences of fields of acceleration (see `composite_bodies.py`)."""
        out = [-value for value in forces_on_rates(self.loads, self.kinematics)]
        beyond = {f: NO_WRENCH - w for f, w in wrenches(self.loads, self.kinematics).items()}
        for f in reversed(self.mechanism.frames):
            if f not in whole and f not in beyond:
                continue
            taken = self._taken(f, whole[f], motions) if f in whole else Taken(NO_WRENCH, NO_WRENCH)
            own = beyond.get(f, NO_WRENCH)
            for j, column in self.subspaces[f].columns.items():
                out[j] = out[j] + power_on(column, own + taken.from_all)
            assert f.parent is not None
            if not f.parent.is_ground:
                turn, rest = last_turn(f)
                handed = Wrench(turn.outwards(own.force), turn.outwards(own.moment)) + taken.from_own
                force, moment = rest.outwards(handed.force), rest.outwards(handed.moment)
                handed = Wrench(force, moment + cross(f.offset, force))
                beyond[f.parent] = beyond[f.parent] + handed if f.parent in beyond else handed
        return out

    def _taken(self, f: Frame, c: Composite, motions: dict[Frame, Acceleration]) -> Taken:
        """What the composite of a frame takes."""
        assert f.parent is not None
        P, rate = motions[f.parent], self.kinematics.rate_at_constant_speed
        spin, drift = self.kinematics.spins[f], self.kinematics.drifts[f]
        if (k := turning_axis(f)) is not None and drift == zeros(3):
            turn, rest = last_turn(f)
            return taken_by_hinge(c.turned(turn), k, P.seen(rest, f.offset), spin[k], rate(spin)[k])
        if not self.subspaces[f].columns and drift == zeros(3) == spin:
            return Taken(NO_WRENCH, NO_WRENCH)
        turned = Acceleration.of(f.rotation.inwards(P.w), f.rotation.inwards(P.alpha), zeros(3))
        dA = zeros(3, 3) if spin == zeros(3) else motions[f].A - turned.A
        da = f.rotation.inwards(2 * cross(P.w, drift) + rate(drift))
        from_own = taken_in_field(c, dA, da)
        turn, _ = last_turn(f)
        from_all = wrench_about_origin(Lump(c.m, c.h, c.I, c.P), motions[f])
        return Taken(from_all, Wrench(turn.outwards(from_own.force), turn.outwards(from_own.moment)))


def carried_to_ground(
    mechanism: Mechanism,
    needed: dict[Frame, Wrench],
    subspaces: dict[Frame, Subspace],
    at_joints: Mapping[Frame, Matrix] | None = None,
) -> tuple[dict[int, Expr], dict[Frame, Wrench]]:
    """Generalised forces of wrenches on frames, from the leaves to the ground; and the wrench that each frame hands on to its parent.

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
    return {f: _inertial_wrench(lump, motions[f]) for f, lump in lumps(mechanism, regroup=False).items()}


def _inertial_wrench(lump: Lump, motion: Acceleration) -> Wrench:
    """About the frame's origin or by way of the mass centre, whichever takes fewer operations."""
    if lump.body is None:
        return wrench_about_origin(lump, motion)
    ways = (wrench_about_origin(lump, motion), _by_mass_centre(lump.body, motion))
    known = {*motion.w.entries, *motion.alpha.entries, *motion.A.entries, *motion.a.entries}
    return min(ways, key=lambda w: operations_from(known, (*w.force.entries, *w.moment.entries)))


def wrench_about_origin(lump: Lump, motion: Acceleration) -> Wrench:
    force = lump.m * motion.a + motion.A @ lump.h
    return Wrench(force, _spin_moment(lump.I, lump.P, motion) + cross(lump.h, motion.a))


def _by_mass_centre(mass: MassProperties, motion: Acceleration) -> Wrench:
    c = mass.p_BoBcm
    force = mass.m * (motion.a + motion.A @ c)
    return Wrench(force, _spin_moment(mass.I_BBcm, second_moments(mass.I_BBcm), motion) + cross(c, force))


def _spin_moment(I: Matrix, P: Matrix, motion: Acceleration) -> Matrix:
    """∫ r × A r dm = I α + ω × I ω: each component by moments of inertia or by second moments, whichever takes fewer operations."""
    A, w, alpha = motion.A, motion.w, motion.alpha
    known = {*w.entries, *alpha.entries, *A.entries, w[0] * w[1], w[1] * w[2], w[2] * w[0]}
    moment = []
    for x in range(3):
        y, z = (x + 1) % 3, (x + 2) % 3
        product = w[y] * w[z]
        by_P = A[z, y] * P[y, y] - A[y, z] * P[z, z]
        by_I = I[x, x] * alpha[x] + (I[z, z] - I[y, y]) * product
        spin = by_P if operations_from(known, [by_P]) < operations_from(known, [by_I]) else by_I
        moment.append(spin + I[x, z] * A[y, x] - I[x, y] * A[z, x] + I[y, z] * motion.differences[x])
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


# ---------------------------------------------------------------------------------------------------------- inverse dynamics


def generalized_forces(
    mechanism: Mechanism, kinematics: Kinematics, regroup: Regroup = None, loads: Sequence[Load] = ()
) -> list[Expr]:
    """M u' - f for u' as symbols: inverse dynamics by one recursion, without M. Of the loads, gravity counts, and those given."""
    problem = Recursion(mechanism, kinematics, subspaces_of(mechanism, kinematics), loads)
    return problem.with_written(_fewest_forces(problem, regroup))


def _fewest_forces(problem: Recursion, regroup: Regroup) -> list[Expr]:
    """By second moments or by inertias; then with masses left on hinges where that takes fewer operations."""
    mechanism = problem.mechanism
    carried = lumps(mechanism, regroup)
    out = problem.fewest(carried, at_constant_speed=False)
    if regroup is not None or len(problem.kinematics.u) > MOST_COUNTED:
        return out
    others = lumps(mechanism, by_inertias=True)
    if others != carried:
        ways = (out, problem.fewest(others, at_constant_speed=False))
        out = min(ways, key=lambda forces: operations_from(set(), forces))
    kept: dict[Frame, int] = {}
    tried = masses_to_keep(mechanism, carried)
    for f, axis in tried if len(tried) * len(mechanism.frames) <= MOST_TRIED else ():
        more = {**kept, f: axis}
        other = problem.fewest(lumps(mechanism, kept=more), at_constant_speed=False, kept=more)
        if operations_from(set(), other) < operations_from(set(), out):
            kept, out = more, other
    return out


def staged_forces(
    mechanism: Mechanism, kinematics: Kinematics, regroup: Regroup = None, loads: Sequence[Load] = ()
) -> tuple[list[Expr], list[Stage]]:
    """Generalised forces, and the order in which their derivatives take fewest operations.

    From the leaves to the ground, first what makes up the total wrench W on a frame, forwards, then what makes up its motion m, in reverse:
    ∂W/∂m, of the size of a wrench and a motion, is then all that is known of the bodies beyond a frame. (With composite inertias for it by
    formulas: Singh, Russo and Wensing, Efficient analytical derivatives of rigid-body dynamics, 2022.)
    """
    motions = accelerations(mechanism, kinematics, at_constant_speed=False)
    problem = Recursion(mechanism, kinematics, subspaces_of(mechanism, kinematics), loads)
    forces, total = problem.forces(lumps(mechanism, regroup), motions)
    return problem.with_written(forces), _stages(mechanism, motions, total)


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


def fewest_operations(mechanism: Mechanism, kinematics: Kinematics) -> frozenset[Frame]:
    """The frames whose lumps are worth regrouping, by counting the operations of inverse dynamics with and without, from the leaves inwards."""

    def count(frames: Set[Frame]) -> int:
        return operations_from(set(), generalized_forces(mechanism, kinematics, frames))

    still = frozenset(f for f in mechanism.frames if not free_symbols(f.offset, f.rotation.matrix))
    chosen, best = still, count(still)
    for f in reversed(mechanism.frames):
        if f not in chosen and (fewer := count(chosen | {f})) < best:
            chosen, best = chosen | {f}, fewer
    return chosen

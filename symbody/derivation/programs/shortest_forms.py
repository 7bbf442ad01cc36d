"""Equations of trees in the fewest operations, for programs; `recursive.py` has the equations meant for reading.

The same forces and mass matrix are written in several forms, and their operations counted: bodies by moments of inertia
I or by second moments P = ½ tr(I) 1 - I,

    moment_x = ... + I_xx α_x + (I_zz - I_yy) ω_y ω_z   or   ... + P_yy A_zy - P_zz A_yz,

motions by angular accelerations or by columns of A (`frame_motions.py`), forces at u' = 0 by bodies or by composites
(`composite_bodies.py`), lumps with different regroupings (`parameter_regrouping.py`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from ...algebra.graph.graph import ZERO, Expr
from ...algebra.graph.matrix import Matrix, cross, zeros
from ...algebra.graph.walk import free_symbols
from ...bodies.frames.frames import Frame
from ...bodies.mass.mass import MassProperties
from ...bodies.mechanism.mechanism import Load, Mechanism
from ..kinematics.composite_bodies import Composite, InertiaComposite, Taken, composites, taken_by_hinge, taken_in_field
from ..kinematics.frame_motions import (
    Acceleration,
    hinges_on_bodies,
    last_turn,
    moves,
    shortened_accelerations,
    turning_axis,
)
from ..kinematics.inertial_parameters import Lump, second_moments
from ..kinematics.kinematics import NO_WRENCH, Kinematics, Wrench, forces_on_rates, loads_besides_gravity, wrenches
from ..kinematics.parameter_regrouping import SOME_PARTS, MovedPart, Regroup, lumps, masses_to_keep
from ..routes.recursive import (
    Subspace,
    carried_to_ground,
    mass_matrix,
    operations_from,
    power_on,
    subspaces_of,
)
from ..routes.user_inertia import WrittenMotion

MAX_SPEEDS: Final = 40  # largest number of speeds for which several forms are compared
MAX_TRIALS: Final = 150  # largest product of choices and frames for which the choices are tried one by one

Carried = dict[Frame, Lump]
Motions = dict[Frame, Acceleration]


def operations(*roots: Iterable[Expr]) -> int:
    return operations_from(set(), (e for root in roots for e in root))


# ----------------------------------------------------------------------------------------------------- forward dynamics


def shortest_equations(mechanism: Mechanism, kinematics: Kinematics) -> tuple[Matrix, Matrix] | None:
    """Mass matrix and right side: composites by inertias and forces by bodies, or both by second moments of composites.
    None for large trees, and where nothing moves."""
    if not 0 < len(kinematics.u) <= MAX_SPEEDS:
        return None
    problem = Recursion(mechanism, kinematics, tuple(loads_besides_gravity(mechanism)))
    M, forces = min((problem.by_bodies(), problem.by_composites()), key=lambda way: operations(way[0].entries, way[1]))
    return M, Matrix(len(forces), 1, tuple(-e for e in forces))


# ----------------------------------------------------------------------------------------------------- inverse dynamics


def shortest_forces(
    mechanism: Mechanism, kinematics: Kinematics, regroup: Regroup = None, loads: Sequence[Load] = ()
) -> list[Expr]:
    """M u' - f for u' as symbols, without M. Of the loads, gravity counts, and those given. `regroup`: see `lumps`; by
    default the best."""
    problem = Recursion(mechanism, kinematics, tuple(loads))
    forces = problem.inverse(lumps(mechanism, regroup))
    if regroup is None and len(kinematics.u) <= MAX_SPEEDS:
        forces = _shortest(_ways_to_lump(problem, forces))
    if not mechanism.has_written_motion:
        return forces
    written = WrittenMotion(mechanism, kinematics).forces
    return [e + w for e, w in zip(forces, written, strict=True)]


def _shortest(ways: Iterable[list[Expr]]) -> list[Expr]:
    return min(ways, key=operations)


def _ways_to_lump(problem: Recursion, forces: list[Expr]) -> Iterable[list[Expr]]:
    """Lumps by second moments or by inertias, with everything movable regrouped inwards or only what pays; with
    masses left on hinges."""
    mechanism = problem.mechanism
    yield _with_masses_on_hinges(problem, forces)
    yield problem.inverse(lumps(mechanism, by_inertias=True))
    if any(free_symbols(*lump.entries) for lump in lumps(mechanism, regroup=False).values()):
        yield problem.inverse(lumps(mechanism, regroup=True))
        yield _regrouped_one_by_one(problem)


def _regrouped_one_by_one(problem: Recursion) -> list[Expr]:
    """From the leaves inwards, the part of what each hinge carries with which fewest operations are left when it is
    moved."""
    mechanism = problem.mechanism
    moved = {f: MovedPart() for f in mechanism.frames if not moves(*f.offset.entries, *f.rotation.matrix.entries)}
    hinges = [f for f in reversed(mechanism.frames) if turning_axis(f) is not None]
    best = problem.inverse(lumps(mechanism, moved))
    for f in hinges if len(hinges) * len(mechanism.frames) <= MAX_TRIALS else ():
        for part in SOME_PARTS:
            other = problem.inverse(lumps(mechanism, {**moved, f: part}))
            if operations(other) < operations(best):
                moved, best = {**moved, f: part}, other
    return best


def _with_masses_on_hinges(problem: Recursion, best: list[Expr]) -> list[Expr]:
    """With masses left on hinges where that takes fewer operations."""
    mechanism = problem.mechanism
    kept: dict[Frame, int] = {}
    tried = masses_to_keep(mechanism, lumps(mechanism))
    for f, axis in tried if len(tried) * len(mechanism.frames) <= MAX_TRIALS else ():
        more = {**kept, f: axis}
        other = problem.inverse(lumps(mechanism, kept=more), more)
        if operations(other) < operations(best):
            kept, best = more, other
    return best


# ---------------------------------------------------------------------------------------------------------- recursions


@dataclass(frozen=True)
class Recursion:
    """The recursion with these loads, for a given way of lumping bodies."""

    mechanism: Mechanism
    kinematics: Kinematics
    loads: tuple[Load, ...]

    @cached_property
    def subspaces(self) -> dict[Frame, Subspace]:
        return subspaces_of(self.mechanism, self.kinematics)

    @cached_property
    def applied(self) -> dict[Frame, Wrench]:
        return wrenches(self.loads, self.kinematics)

    def by_bodies(self) -> tuple[Matrix, list[Expr]]:
        """Mass matrix by inertias, and forces at u' = 0 by bodies."""
        carried = lumps(self.mechanism, by_inertias=True)
        whole = composites(self.mechanism, {f: InertiaComposite(x.m, x.h, x.I) for f, x in carried.items()})
        M = mass_matrix(self.mechanism, self.subspaces, whole, len(self.kinematics.u))
        return M, self._fewest(lumps(self.mechanism), at_constant_speed=True)

    def by_composites(self) -> tuple[Matrix, list[Expr]]:
        """Mass matrix and forces at u' = 0 by second moments of composites."""
        carried = lumps(self.mechanism)
        whole = composites(self.mechanism, {f: Composite(x.m, x.h, x.P) for f, x in carried.items()})
        M = mass_matrix(self.mechanism, self.subspaces, whole, len(self.kinematics.u))
        return M, self._of_composites(whole, shortened_accelerations(self.mechanism, self.kinematics, True, carried))

    def inverse(self, carried: Carried, kept: Collection[Frame] = ()) -> list[Expr]:
        """Inertia forces less applied ones, for u' as symbols."""
        return self._fewest(carried, at_constant_speed=False, kept=kept)

    def _fewest(self, carried: Carried, at_constant_speed: bool, kept: Collection[Frame] = ()) -> list[Expr]:
        """Motions with or without columns of A, whichever takes fewer operations."""
        ways = (carried, None) if hinges_on_bodies(self.mechanism) else (None,)
        motions = (shortened_accelerations(self.mechanism, self.kinematics, at_constant_speed, way) for way in ways)
        return _shortest(self.forces(carried, m, kept) for m in motions)

    def forces(self, carried: Carried, motions: Motions, kept: Collection[Frame] = ()) -> list[Expr]:
        """The same for given motions.

        kept   frames with a mass at their origin, whose force is best found in components of the parent
        """
        at_joints = {f: carried[f].m * motions[f.parent].at(f.offset) for f in kept}  # type: ignore[index]
        carried = carried | {f: replace(carried[f], m=ZERO) for f in at_joints}
        needed = {f: _inertial_wrench(lump, motions[f]) for f, lump in carried.items()}
        for f, w in self.applied.items():
            needed[f] = needed.get(f, NO_WRENCH) - w
        found, _ = carried_to_ground(self.mechanism, needed, self.subspaces, at_joints)
        given = forces_on_rates(self.loads, self.kinematics)
        return [found.get(j, ZERO) - value for j, value in enumerate(given)]

    # ------------------------------------------------------------------------------------------------ composites

    def _of_composites(self, whole: dict[Frame, Composite], motions: Motions) -> list[Expr]:
        """Forces at u' = 0, from composites in the differences of fields of acceleration (see
        `composite_bodies.py`)."""
        out = [-value for value in forces_on_rates(self.loads, self.kinematics)]
        beyond = {f: NO_WRENCH - w for f, w in self.applied.items()}
        for f in reversed(self.mechanism.frames):
            if f not in whole and f not in beyond:
                continue
            taken = self._required_wrenches(f, whole[f], motions) if f in whole else Taken(NO_WRENCH, NO_WRENCH)
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

    def _required_wrenches(self, f: Frame, c: Composite, motions: Motions) -> Taken:
        """Wrenches required by the composite of a frame."""
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
        from_all = _about_origin(Lump(c.m, c.h, c.I, c.P), motions[f])
        return Taken(from_all, Wrench(turn.outwards(from_own.force), turn.outwards(from_own.moment)))


# --------------------------------------------------------------------------------------------------- wrenches of bodies


def _inertial_wrench(lump: Lump, motion: Acceleration) -> Wrench:
    """About the frame's origin or by way of the mass centre, whichever takes fewer operations."""
    if lump.body is None:
        return _about_origin(lump, motion)
    ways = (_about_origin(lump, motion), _by_mass_centre(lump.body, motion))
    known = {*motion.w.entries, *motion.alpha.entries, *motion.A.entries, *motion.a.entries}
    return min(ways, key=lambda w: operations_from(known, (*w.force.entries, *w.moment.entries)))


def _about_origin(lump: Lump, motion: Acceleration) -> Wrench:
    force = lump.m * motion.a + motion.A @ lump.h
    return Wrench(force, _spin_moment(lump.I, lump.P, motion) + cross(lump.h, motion.a))


def _by_mass_centre(mass: MassProperties, motion: Acceleration) -> Wrench:
    c = mass.p_BoBcm
    force = mass.m * (motion.a + motion.A @ c)
    return Wrench(force, _spin_moment(mass.I_BBcm, second_moments(mass.I_BBcm), motion) + cross(c, force))


def _spin_moment(I: Matrix, P: Matrix, motion: Acceleration) -> Matrix:
    """∫ r × A r dm = I α + ω × I ω: each component by moments of inertia or by second moments, whichever takes fewer
    operations."""
    A, w, alpha = motion.A, motion.w, motion.alpha
    known = {*w.entries, *alpha.entries, *A.entries, w[0] * w[1], w[1] * w[2], w[2] * w[0]}
    moment = []
    for x in range(3):
        y, z = (x + 1) % 3, (x + 2) % 3
        by_P = A[z, y] * P[y, y] - A[y, z] * P[z, z]
        by_I = I[x, x] * alpha[x] + (I[z, z] - I[y, y]) * (w[y] * w[z])
        spin = by_P if operations_from(known, [by_P]) < operations_from(known, [by_I]) else by_I
        moment.append(spin + I[x, z] * A[y, x] - I[x, y] * A[z, x] + I[y, z] * motion.differences[x])
    return Matrix(3, 1, tuple(moment))

"""Regrouping of inertial parameters towards the ground.

Part of the lump of a frame that only turns about an axis (or only slides) acts exactly as if it were fixed to the
parent, whatever the motion:

    about axis k:  a mass at the origin, a first moment along k, a second moment along k (P = ζ k kᵀ, which is I = ζ (1
                   - k kᵀ))
    sliding:       all second moments
    not moving:    everything

Moving that part inwards leaves every generalised force as it was and takes operations away; carried through the tree it
gives the base parameters (Gautier and Khalil, Direct calculation of minimum set of inertial parameters of serial
robots, 1990). The mass of a hinge and its first moment along the axis go as a whole. Of its second moment along the
axis, so much may go that P_kk, or I_ii, is left zero.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from functools import partial
from typing import Final, NamedTuple

from ...algebra.graph.graph import ZERO, Expr
from ...algebra.graph.matrix import zeros
from ...algebra.graph.walk import free_symbols
from ...bodies.frames.frames import Frame
from ...bodies.frames.rotations import Rotation
from ...bodies.mass.mass import MassProperties
from ...bodies.mechanism.mechanism import Mechanism
from .frame_motions import moves, turning_axis
from .inertial_parameters import NO_LUMP, Lump, turned_tensor


class MovedPart(NamedTuple):
    """The part of a hinge's lump that is regrouped with its parent: mass, first moment along the axis, and as much
    of the second moment that none is left about the other axis i (0) or j (1) in cyclic order."""

    mass: bool = True
    first: bool = True
    second: int | None = 1


Regroup = bool | None | Set[Frame] | Mapping[Frame, MovedPart]
SOME_PARTS: Final = (
    MovedPart(mass=False, second=None),
    MovedPart(mass=False, second=0),
    MovedPart(second=None),
    MovedPart(),
)
MAX_HINGE_MASS: Final = 2.0  # largest mass left on a hinge, relative to the mass of all bodies


def lumps(
    mechanism: Mechanism, regroup: Regroup = None, by_inertias: bool = False, kept: Mapping[Frame, int] | None = None
) -> dict[Frame, Lump]:
    """The lump of every frame that carries rigid inertia.

    regroup       move inwards what can be moved: from all frames (True), from none (False), from these (these parts of
                  it), or (None) from those that carry numbers, where moving costs nothing, if fewer operations are left
    by_inertias   leave zeros among moments of inertia rather than among second moments
    kept          frames that keep so much mass that the first moment of their parent is zero along an axis
    """
    out: dict[Frame, Lump] = {}
    of_mass: dict[MassProperties, Lump] = {}  # those of equal links are equal
    for b in mechanism.rigid_bodies:
        if not b.mass.is_massless:
            if b.mass not in of_mass:
                of_mass[b.mass] = Lump.of(b.mass)
            own = of_mass[b.mass]
            out[b.frame] = out[b.frame] + own if b.frame in out else own
    if regroup is False:
        return out
    for f in reversed(mechanism.frames):
        if f not in out:
            continue
        if regroup is None:
            if _is_numeric(f, out[f]):
                _move_numbers(f, out, by_inertias, (kept or {}).get(f))
        elif (regroup is True or f in regroup) and (part := _movable(f, out[f], _moved_part(f, regroup))) is not None:
            assert f.parent is not None
            out[f], grows = out[f] - part, _parent_with_part(f, out.get(f.parent, NO_LUMP), part)
            if not grows.is_nothing:
                out[f.parent] = grows
    return {f: x for f, x in out.items() if not x.is_nothing}


def _moved_part(f: Frame, regroup: Regroup) -> MovedPart:
    return regroup[f] if isinstance(regroup, Mapping) else MovedPart()


def _is_numeric(f: Frame, lump: Lump) -> bool:
    symbols = free_symbols(*(e for e in lump.entries if e.op != "const"))
    return not symbols and not any(s.kind == "parameter" for s in free_symbols(f.offset))


# ---------------------------------------------------------------------------------------------------------- numbers


def _move_numbers(f: Frame, out: dict[Frame, Lump], by_inertias: bool, along: int | None) -> None:
    """The division of a lump between a frame and its parent that takes the fewest operations.

    along   move as much mass as makes the first moment of the parent zero along this axis, rather than all
    """
    assert f.parent is not None
    own, parent = out[f], out.get(f.parent, NO_LUMP)
    ways = [(own - part, _parent_with_part(f, parent, part)) for part in _movable_parts(f, own, by_inertias)]
    if along is not None:
        mass = -ways[0][1].h[along] / f.offset[along]
        back = Lump(mass, zeros(3), zeros(3, 3), zeros(3, 3))
        ways = [(x - back, (y + back.shifted(f.offset)).without_first_moment(along)) for x, y in ways]
    if not ways:
        return
    count = _entries_to_multiply if by_inertias else partial(_operations, f)
    stays, grows = ways[0] if len(ways) == 1 else min(ways, key=lambda way: count(*way))
    if parent.is_nothing and count(stays, grows) > count(own, parent):
        return  # the parent would have to begin to carry something
    out[f] = stays
    if not f.parent.is_ground:
        out[f.parent] = grows


def _entries_to_multiply(*lumps: Lump) -> int:
    """About what wrenches of lumps take by inertias: each entry that is not zero has its own multiplications and
    additions."""
    total = 0
    for lump in lumps:
        moments = sum(e is not ZERO for e in lump.h.entries)
        diagonal = sum(lump.I[i, i] is not ZERO for i in range(3))
        products = sum(lump.I[i, j] is not ZERO for i, j in ((0, 1), (0, 2), (1, 2)))
        total += 6 * (lump.m is not ZERO) + 10 * moments + 2 * diagonal + 6 * products
    return total


def _parent_with_part(f: Frame, parent: Lump, part: Lump) -> Lump:
    """The lump of the parent with a part of a frame added; inertia fixed to the ground does not count."""
    assert f.parent is not None
    return parent if f.parent.is_ground else parent + _as_seen_at_rest(f, part)


def _movable_parts(f: Frame, lump: Lump, by_inertias: bool) -> list[Lump]:
    """Parts that may move; of a hinge with several second moments along its axis."""
    part = _movable(f, lump)
    k = turning_axis(f)
    if part is None or k is None or by_inertias:
        return [] if part is None else [part]
    i, j = (k + 1) % 3, (k + 2) % 3
    return [Lump.on_axis(k, lump.m, lump.h[k], P) for P in (lump.I[j, j], lump.I[i, i], lump.P[k, k], ZERO)]


def _operations(f: Frame, own: Lump, parent: Lump) -> int:
    """Operation count of the wrenches of a frame and its parent, after regrouping of the parent in turn."""
    assert f.parent is not None
    if f.parent.is_ground:
        return operations_of_wrench(own)
    k = turning_axis(f.parent)
    if k is not None:
        parent = parent - Lump.on_axis(k, parent.m, parent.h[k], parent.P[k, k])
    return operations_of_wrench(own) + operations_of_wrench(parent)


def operations_of_wrench(lump: Lump) -> int:
    """Of the wrench of a lump (see `recursive.py`), where the motion is known; its frame has to have some of it for
    this lump alone."""
    if lump.is_nothing:
        return 0
    m, h, I, P = lump.m is not ZERO, [e is not ZERO for e in lump.h.entries], lump.I, lump.P
    count = 4 + 6 * (sum(h) + m)
    for x in range(3):
        y, z = (x + 1) % 3, (x + 2) % 3
        by_P = (P[y, y] is not ZERO) + (P[z, z] is not ZERO)
        by_I = (I[x, x] is not ZERO) + (I[y, y] is not I[z, z])
        products = 2 * (P[x, y] is not ZERO) + 2 * (P[x, z] is not ZERO) + 3 * (P[y, z] is not ZERO)
        count += 2 * (min(by_P, by_I) + h[y] + h[z]) + products
    return count


def masses_to_keep(mechanism: Mechanism, carried: Mapping[Frame, Lump]) -> list[tuple[Frame, int]]:
    """Hinges, and axes along which their parents have a first moment and they have a place."""
    return [
        (f, i)
        for f in mechanism.frames
        if f.parent is not None and f.parent in carried and f in carried and turning_axis(f) is not None
        for i in range(3)
        if _is_far_enough(f.offset[i], carried[f.parent].h[i], mechanism)
    ]


def _is_far_enough(offset: Expr, h: Expr, mechanism: Mechanism) -> bool:
    """Whether a first moment is that of a mass at this distance which is not far heavier than all bodies: else rounding
    of it would be seen."""
    if offset.value is None or h.value is None or offset is ZERO or h is ZERO:
        return False
    whole = sum(float(b.mass.m) for b in mechanism.bodies if b.mass.m.value is not None)
    return abs(float(h)) <= MAX_HINGE_MASS * whole * abs(float(offset))


# ---------------------------------------------------------------------------------------------------- what can be moved


def _movable(f: Frame, lump: Lump, wanted: MovedPart = MovedPart()) -> Lump | None:  # noqa: B008  (immutable)
    """The part of a lump that acts as if it were fixed to the parent; of a hinge, as much of it as is wanted."""
    turns, slides = moves(*f.rotation.written), moves(*f.offset.entries)
    if not turns:
        return Lump(ZERO, zeros(3), lump.I, lump.P) if slides else lump
    k = turning_axis(f)
    if slides or k is None:
        return None
    axis = None if wanted.second is None else (k + 1 + wanted.second) % 3
    second = ZERO if axis is None else lump.I[axis, axis]
    return Lump.on_axis(k, lump.m if wanted.mass else ZERO, lump.h[k] if wanted.first else ZERO, second)


def _as_seen_at_rest(f: Frame, part: Lump) -> Lump:
    """The same part in the parent: a part that is symmetric about the axis of rotation is not changed by it."""
    if not moves(*f.rotation.written):
        if moves(*f.offset.entries):  # of a sliding frame only second moments move, which do not depend on place
            return Lump(part.m, part.h, turned_tensor(f.rotation, part.I), turned_tensor(f.rotation, part.P))
        return part.in_parent(f)
    return part.turned(Rotation(f.rotation.factors[:-1])).shifted(f.offset)

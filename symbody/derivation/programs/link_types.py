"""Fragments of the three sweeps of articulated bodies for one type of link.

The expressions of a link contain symbols for what comes from its parent (angular velocity, acceleration) and from its
children (27 numbers: the blocks I, H, L of their inertia, force and moment).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from ...algebra.calculus.staged_fragments import StagedFragment, SweepStage, staged_fragments
from ...algebra.calculus.written_solves import written_out
from ...algebra.graph.functions import value_where
from ...algebra.graph.graph import ZERO, Expr, Symbol, symbol
from ...algebra.graph.linear import MIN_PIVOT
from ...algebra.graph.matrix import Matrix, cross, dot, zeros
from ...algebra.graph.walk import free_symbols
from ...bodies.frames.frames import Frame
from ..kinematics.equal_links import Link
from ..kinematics.inertial_parameters import NO_LUMP, Lump
from ..kinematics.kinematics import Kinematics, Wrench
from ..kinematics.linked_loads import WRENCH
from ..routes.recursive import subspace_of
from .articulated_bodies import ArticulatedInertia, TreeJoint, frame_velocity_terms, inwards, outwards, own_inertia

if TYPE_CHECKING:
    from .link_sweeps import SweptTree

_UPPER: Final = tuple((i, j) for i in range(3) for j in range(i, 3))


def slot_symbols(name: str, n: int) -> tuple[Symbol, ...]:
    return tuple(symbol(f"{name}_{k}", "material") for k in range(n))


_W, _A, _SUM = slot_symbols("parent_w", 3), slot_symbols("parent_a", 6), slot_symbols("children", 27)
_APPLIED = slot_symbols("applied", WRENCH)


def _numbers(J: ArticulatedInertia, w: Wrench) -> tuple[Expr, ...]:
    """What a link leaves to its parent."""
    return (
        *(J.I[i, j] for i, j in _UPPER), *J.H.entries, *(J.L[i, j] for i, j in _UPPER), *w.force.entries, *w.moment.entries,
    )  # fmt: skip


def _from_numbers(x: Sequence[Expr]) -> tuple[ArticulatedInertia, Wrench]:
    at = {p: k for k, p in enumerate(_UPPER)}
    places = [at[min(i, j), max(i, j)] for i in range(3) for j in range(3)]
    I, L = (Matrix(3, 3, tuple(part[k] for k in places)) for part in (x[:6], x[15:21]))
    wrench = Wrench(Matrix(3, 1, tuple(x[21:24])), Matrix(3, 1, tuple(x[24:27])))
    return ArticulatedInertia(I, Matrix(3, 3, tuple(x[6:15])), L), wrench


# Where groups lie in the memory of a link on which others hang; that of any other link begins with what it keeps.
AT_W, AT_CHILDREN, AT_A, AT_KEPT = 0, 3, 30, 36


class LinkType:
    """The fragments of the three sweeps for one type of link."""

    def __init__(
        self, kinematics: Kinematics, tree: SweptTree, link: Link, locks: set[Symbol], is_loaded: bool
    ) -> None:
        typed, numbers = tree.typed(link)
        stages = _stages(kinematics, tree.Q, typed, locks, numbers, is_loaded)
        self.fragments: list[StagedFragment] = staged_fragments(stages)
        first = AT_KEPT if link.has_children else 0
        self.kept = [*accumulate((f.keeps for f in self.fragments), initial=first)]
        """Where in the memory of a link begins what each sweep keeps, and where it ends."""


def _stages(
    kinematics: Kinematics, Q: Sequence[Expr], link: Link, locks: set[Symbol], numbers: tuple[Symbol, ...],
    is_loaded: bool,
) -> list[SweepStage]:  # fmt: skip
    number = {kinematics.u[j]: j for j in link.speeds}
    is_on_ground = link.parent < 0
    w = zeros(3) if is_on_ground else Matrix(3, 1, _W)
    excess, subspaces = {}, {}
    axes: list[Matrix] = []
    for f in link.frames:
        (spin,), drift = kinematics.in_speeds([f.spin]), kinematics.drift(f)
        w, excess[f] = frame_velocity_terms(f, w, spin, drift, kinematics)
        subspaces[f] = subspace_of(f, spin, drift, number)
        axes = [f.rotation.inwards(a) for a in axes]
        turned = [s for s in free_symbols(spin) if s in number and coordinate_of(kinematics, s) in locks]
        axes += [subspaces[f].columns[number[s]][0] for s in turned]
    last, lump = link.frames[-1], NO_LUMP
    for m in link.masses:
        lump = lump + Lump.of(m)
    J, bias = own_inertia(lump, w)
    if link.has_children:
        more, below = _from_numbers(_SUM)
        J, bias = J + more, bias + below
    if is_loaded:
        bias = bias - Wrench(Matrix(3, 1, _APPLIED[:3]), Matrix(3, 1, _APPLIED[3:]))
    inertias: dict[Frame, ArticulatedInertia] = {last: J}
    biases: dict[Frame, Wrench] = {last: bias_with_guard(bias, axes)}
    joints: dict[Frame, TreeJoint] = {}
    for f in reversed(link.frames):
        joints[f] = inwards(f, inertias, biases, subspaces[f], Q, excess[f])
    udot: dict[int, Expr] = {}
    motion = (zeros(3), Matrix(3, 1, _A[3:])) if is_on_ground else (Matrix(3, 1, _A[:3]), Matrix(3, 1, _A[3:]))
    for f in link.frames:
        motion = outwards(f, motion, joints[f], excess[f], udot)
    parent = link.frames[0].parent
    assert parent is not None
    found = [
        tuple(w.entries) if link.has_children else (),
        () if is_on_ground else _numbers(inertias[parent], biases[parent]),
        (*motion[0].entries, *motion[1].entries) if link.has_children else (),
        tuple(udot[j] for j in link.speeds),
    ]
    w_out, to_parent, a_out, rates = written_out(found)
    known = tuple((s,) for s in link.slots)
    return [
        SweepStage((*known, numbers, _W), tuple(filter(None, [w_out])), (False,) * bool(w_out)),
        SweepStage((_SUM, _APPLIED), tuple(filter(None, [to_parent])), (not link.is_first,) * bool(to_parent)),
        SweepStage((_A,), tuple(filter(None, [a_out, *((e,) for e in rates)])), (False,) * (bool(a_out) + len(rates))),
    ]


def coordinate_of(kinematics: Kinematics, speed: Symbol) -> Symbol | None:
    """The coordinate whose rate a speed is."""
    return symbol(speed.stem, "coordinate", speed.order - 1) if speed.order else None


def bias_with_guard(bias: Wrench, axes: Sequence[Matrix]) -> Wrench:
    """Where the three axes of a joint with three angles are in one plane to rounding, nothing has a value."""
    if len(axes) != 3:
        return bias
    volume = dot(axes[0], cross(axes[1], axes[2]))
    guard = value_where(volume * volume > MIN_PIVOT, ZERO, of=volume)
    return replace(bias, moment=bias.moment.map(lambda e: e + guard))

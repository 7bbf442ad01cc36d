"""The tree of bodies as Lynch's matrices (thesis 3.2 and appendix A): path, reference and distance matrix."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from ..mechanism.mechanism import Mechanism

Rows = tuple[tuple[int, ...], ...]
GROUND: Final = "ground"
FLOATING_WEIGHT: Final = 0.2  # diagonal entry of a body that is free to move
JOINT_WEIGHTS: Final = {"prismatic": 1.1, "spherical": 3.0}  # entries by kind of joint; revolute and all others have 1


@dataclass(frozen=True)
class Topology:
    """Which body hangs on which.

    bodies      names, in the order of rows and columns; the ground is the first where a joint holds a body to it
    path        π: entry (i, j) is 1 where body j is on the way from the base to body i (i itself included)
    reference   ρ: 1 on the diagonal, -1 if body j carries body i; ρ π = 1 (eq. 3.14)
    distance    by kind of joint (eq. 3.17): 1 revolute, 1.1 translational, 3 spherical, 0.2 on the diagonal of a
                floating base, else 0
    """

    bodies: tuple[str, ...]
    path: Rows
    reference: Rows
    distance: tuple[tuple[float, ...], ...]


def topology(mechanism: Mechanism) -> Topology:
    """The matrices of a mechanism. Joints that close loops are constraints, and are not in them."""
    joints = [j for j in mechanism.joints if not j.closes_loop]
    floating = {j.child for j in joints if j.kind == "free" and j.parent == GROUND}
    carried_by = {n: on if on is not None else None if n in floating else GROUND for n, on in mechanism.tree.items()}
    names = tuple(b.name for b in mechanism.bodies)
    if GROUND in carried_by.values():
        names = (GROUND, *names)
    kinds = {frozenset((j.parent, j.child)): j.kind for j in joints if j.child not in floating}
    return Topology(
        names,
        tuple(tuple(int(m in _way_to(n, carried_by)) for m in names) for n in names),
        tuple(tuple(1 if n == m else -1 if carried_by.get(n) == m else 0 for m in names) for n in names),
        tuple(tuple(_distance(n, m, kinds, floating) for m in names) for n in names),
    )


def _way_to(name: str, carried_by: Mapping[str, str | None]) -> set[str]:
    """A body and its ancestors."""
    way, at = {name}, carried_by.get(name)
    while at is not None:
        way.add(at)
        at = carried_by.get(at)
    return way


def _distance(n: str, m: str, kinds: Mapping[frozenset[str], str], floating: set[str]) -> float:
    if n == m:
        return FLOATING_WEIGHT if n in floating else 0.0
    kind = kinds.get(frozenset((n, m)))
    return 0.0 if kind is None else JOINT_WEIGHTS.get(kind, 1.0)

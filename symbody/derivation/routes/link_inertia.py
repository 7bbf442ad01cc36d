"""Whether the links of a tree, each alone, have inertia in all their joints.

Then M is definite: without kinetic energy the first link is at rest, hence its children are, and so on to the leaves.
"""

from __future__ import annotations

from collections.abc import Hashable
from random import Random

from ...algebra.graph.matrix import Matrix, cross
from ...algebra.graph.walk import free_symbols
from ...bodies.mechanism.mechanism import Mechanism
from ..kinematics.composite_bodies import InertiaComposite, momentum
from ..kinematics.equal_links import Link, links_of
from ..kinematics.inertial_parameters import NO_LUMP, Lump
from ..kinematics.kinematics import Kinematics
from ..rank.saddle_point import is_definite
from .recursive import power_on, subspace_of


def links_have_inertia(mechanism: Mechanism) -> bool:
    """At a random state; False also where links are not known, or get their inertia from those beyond them."""
    tree = links_of(mechanism)
    if tree is None:
        return False
    kinematics, draw, known = Kinematics(mechanism), Random(1), mechanism.values
    seen: set[Hashable] = set()
    for link in tree.links:
        if link.kind in seen or not link.speeds:
            continue
        seen.add(link.kind)
        M = _own_inertia(kinematics, link)
        at = {s: known[s] if s in known else draw.uniform(0.2, 0.9) for s in free_symbols(M)}
        if not is_definite(M, at):
            return False
    return True


def _own_inertia(kinematics: Kinematics, link: Link) -> Matrix:
    """Its mass matrix while its parent is at rest and nothing hangs on it."""
    number = {kinematics.u[j]: i for i, j in enumerate(link.speeds)}
    columns: dict[int, tuple[Matrix, Matrix]] = {}
    for f in link.frames:
        (spin,), drift = kinematics.in_speeds([f.spin]), kinematics.drift(f)
        carried = {
            i: (f.rotation.inwards(w), f.rotation.inwards(v + cross(w, f.offset))) for i, (w, v) in columns.items()
        }
        columns = carried | subspace_of(f, spin, drift, number).columns
    lump = sum((Lump.of(m) for m in link.masses), NO_LUMP)
    wrenches = [momentum(InertiaComposite(lump.m, lump.h, lump.I), *columns[i]) for i in range(len(number))]
    return Matrix(
        len(number), len(number), tuple(power_on(columns[i], w) for w in wrenches for i in range(len(number)))
    )

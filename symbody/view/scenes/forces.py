"""Forces along a motion, as arrows: those of loads, and reactions in joints."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Final

import numpy as np

from ...derivation.kinematics.kinematics import Kinematics
from ...derivation.questions.reactions import reaction
from ...errors import DerivationError, ViewError, listed
from .scene_items import Arrow
from .skeleton import SkeletonFinder

KINDS: Final = ("loads", "reactions")
NEGLIGIBLE_FORCE: Final = 1e-9  # force, relative to the largest, below which an arrow is left out


def arrows(finder: SkeletonFinder, wanted: str | Iterable[str]) -> tuple[Arrow, ...]:
    """Arrows of loads and reactions that are not zero all the time."""
    kinds = (wanted,) if isinstance(wanted, str) else tuple(wanted)
    if wrong := [k for k in kinds if k not in KINDS]:
        raise ViewError(f"scene: forces={listed(wrong)}; there are {listed(KINDS)}")
    out: list[Arrow] = []
    if "loads" in kinds:
        out += _loads(finder)
    if "reactions" in kinds:
        out += _reactions(finder)
    sizes = [float(np.abs(a.vector).max(initial=0.0)) for a in out]
    force = max((s for s, a in zip(sizes, out, strict=True) if a.kind == "force"), default=0.0)
    torque = max((s for s, a in zip(sizes, out, strict=True) if a.kind == "torque"), default=0.0)
    least = {"force": NEGLIGIBLE_FORCE * force, "torque": NEGLIGIBLE_FORCE * max(torque, force * finder.size)}
    return tuple(a for s, a in zip(sizes, out, strict=True) if np.isfinite(s) and s > least[a.kind])


def _loads(finder: SkeletonFinder) -> list[Arrow]:
    m, sim = finder.mechanism, finder.motion.trajectory
    found = [
        (load.name, kind, a, v)
        for load in m.loads
        for a in load.actions
        for kind, v in (("force", a.force), ("torque", a.torque))
        if v is not None and not a.frame.is_ground
    ]
    if not found:
        return []
    values = sim.values(Kinematics(m).in_speeds([v.components(m.ground) for _, _, _, v in found]))
    out = []
    for (name, kind, a, _), v in zip(found, values, strict=True):
        at = finder.now.r[a.frame] if a.at is None else finder.now_points[:, finder.index(a)]
        out.append(Arrow(name, kind, "load", at, np.asarray(v).reshape(len(sim), 3)))
    return out


def _reactions(finder: SkeletonFinder) -> list[Arrow]:
    """Forces and moments that the parent side of each joint exerts on its child side, where they are determined."""
    eq, sim, frames = finder.motion.equations, finder.motion.trajectory, {}
    for j in eq.mechanism.joints:
        if j.kind != "free":
            with suppress(DerivationError):  # the force in this joint alone is undetermined
                frames[j] = reaction(eq, j.name).frame
    found = sim.reactions(j.name for j in frames) if frames else {}
    out = []
    for j, frame in frames.items():
        for kind, values in zip(("force", "torque"), found[j.name], strict=True):
            vector = np.einsum("nij,nj->ni", finder.now.R[frame], values.reshape(-1, 3))
            out.append(Arrow(j.name, kind, "reaction", finder.now.r[j.inner], vector))
    return out

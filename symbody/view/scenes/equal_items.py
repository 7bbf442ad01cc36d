"""Compact data of scenes with many bodies: the motion of all frames in one array, and each distinct solid once, with a list of its copies.

`viewer.js` restores both (`unpacked`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from .encoded_arrays import base64_array, short, shorts
from .scene_items import Solid, Track
from .solids import ratio_of

MANY_FRAMES: Final = 100  # number of moving frames above which scenes are compact
DIGITS: Final = (
    1e-7  # resolution at which solids are compared: of positions relative to the size of the scene, of rotations
)


def solid_data(s: Solid) -> dict[str, Any]:
    """Data of a solid without frame and name."""
    return {
        "kind": s.kind, "size": shorts(s.size), "p": shorts(s.position), "e": shorts(s.rotation), "colour": s.colour, "group": s.group,
        **({"profile": f"torus {ratio_of(s):g}"} if s.kind == "torus" else {}),
        **({"opacity": s.opacity} if s.opacity != 1 else {}), **({"mesh": s.mesh} if s.mesh else {}),
    }  # fmt: skip


def moving_frames(frames: Sequence[Track], times: int) -> tuple[list[Track], list[Track]]:
    """Frames that move, which are encoded together, and the others."""
    moving = [f for f in frames if f.position.shape[1] == times]
    if len(moving) <= MANY_FRAMES:
        return [], list(frames)
    return moving, [f for f in frames if f.position.shape[1] != times]


def frames_together(moving: Sequence[Track]) -> dict[str, Any]:
    """Names; positions and rotations of shape (frames, levels, times, ...), rotations as parts of 32767."""
    turns = np.stack([f.rotation for f in moving])
    return {
        "names": [f.name for f in moving],
        "p": base64_array(np.stack([f.position for f in moving])),
        "e": base64_array(np.round(turns * 32767), np.int16),
    }


def solids_with_copies(solids: Sequence[Solid], moving: Sequence[Track], size: float) -> list[dict[str, Any]]:
    """Each distinct solid once. Its copies have their index in the list, their frame (as the number of a moving frame) and their name,
    unless this is the name of the frame."""
    number: dict[str, int | str] = {f.name: k for k, f in enumerate(moving)}
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    grid = DIGITS * short(size)
    positions = np.round(np.array([s.position for s in solids]) / grid).tolist()
    rotations = np.round(np.array([s.rotation for s in solids]) / DIGITS).tolist()
    for k, (s, x, e) in enumerate(zip(solids, positions, rotations, strict=True)):
        sizes = tuple(shorts(s.size))
        key = (s.kind, sizes, *x, *e, s.colour, s.group, s.opacity, s.mesh)
        if key not in found:
            found[key] = {**solid_data(s), "copies": []}
        frame = number.get(s.frame, s.frame)
        found[key]["copies"].append([k, frame] if s.name == s.frame else [k, frame, s.name])
    return list(found.values())

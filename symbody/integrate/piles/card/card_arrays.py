"""Arrays of a pile on a card: those of its bodies, contacts and surfaces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ....emit.run.device_arrays import DeviceArray, copy_to, device_array, real_dtype
from ...complementarity.contact_graph import LOCAL_NUMBERS, MEMORY
from ..pile_programs import PileNumbers
from ..pile_records import SPEEDS, STATE
from .card_records import NONE, CardStep
from .card_surfaces import ADDED
from .card_turns import ADDED_PARTS, SUMS
from .parallel_sort import PARTS

DIGITS: Final = 128
BEFORE: Final = 1000.0  # cells before the first body at the start; bodies beyond the grid are in its outermost cells
SORTED: Final = ("keys", "values", "sorted_keys", "sorted_values")


@dataclass(frozen=True)
class CardArrays:
    """Arrays on the card, by the names of fields of a `CardStep` d and a `DigitSort` r in kernels."""

    real: str
    made: dict[str, DeviceArray]

    def empty(self, name: str, size: int, dtype: Any = None) -> None:
        """Allocate numbers or indices that kernels write before they read them."""
        self.made[name] = DeviceArray((max(size, 1),), dtype or real_dtype(self.real))

    def number(self, name: str, content: Any) -> None:
        self.made[name] = device_array(np.append(np.ravel(content), 0.0), self.real)

    def index(self, name: str, content: Any) -> None:
        given = np.append(content, 0).astype(np.int64)
        self.empty(name, len(given), np.int64)
        copy_to(self.made[name], given)


def card_arrays(pile: PileNumbers, record: CardStep, real: str, capacity: int, sorters: int, adders: int) -> CardArrays:
    """All arrays, for `capacity` contacts, `sorters` threads of a sort and `adders` threads that sum the residual."""
    out, s, c, g = CardArrays(real, {}), record.step, capacity, "d.step.graph"
    total = len(pile.kinds)
    n, b = total - pile.fixed, record.surfaces
    slots = record.slots * (n + b)
    seen = c if b else 0  # nodes of contacts of surfaces
    for name, size in (
        ("d.step.turn", 9 * total), ("d.step.free", SPEEDS * n), ("d.step.own", SPEEDS * n), ("d.step.shift", SPEEDS * n),
        ("d.step.before", STATE * n), ("d.step.grid.low", 3 * total), ("d.step.grid.high", 3 * total), ("d.step.normal", 3 * c),
        ("d.step.arm", 3 * c), ("d.step.gap", c), ("d.step.restitution", c), ("d.step.compliance", c), ("d.step.axes", 9 * c), ("d.found_normal", 3 * slots),
        ("d.found_arm", 3 * slots), ("d.found_gap", slots), ("d.found_mu", slots), ("d.found_restitution", slots), ("d.found_compliance", slots),
        ("d.step.old_impulse", 3 * slots), ("d.sums", max(3 * adders, SUMS * record.multipliers)), ("d.totals", max(3 * PARTS, SUMS * ADDED_PARTS)), (f"{g}.V", 36 * s.graph.stride), (f"{g}.s", SPEEDS * (n + seen)),
        (f"{g}.b", 3 * c), (f"{g}.x", 3 * c), (f"{g}.mu", c), (f"{g}.soft", c), (f"{g}.diagonal", 3 * c), (f"{g}.mobility", c), (f"{g}.kept", 3 * c), (f"{g}.F", 3 * c), (f"{g}.G", 3 * c), (f"{g}.S", SPEEDS * n), (f"{g}.dF", MEMORY * 3 * c),
        (f"{g}.dG", MEMORY * 3 * c), (f"{g}.dS", MEMORY * SPEEDS * n), (f"{g}.products", MEMORY * MEMORY), (f"{g}.gamma", MEMORY), ("d.valid", MEMORY + 1), ("d.work", n),
        (f"{g}.local", LOCAL_NUMBERS * c), (f"{g}.root", 3 * c), ("d.twist", SPEEDS * b), ("d.free", SPEEDS * b), ("d.response", SPEEDS * b * SPEEDS * b), ("d.wrench", SPEEDS * b),
        ("d.wrenches", SPEEDS * b * ADDED), ("d.answer", SPEEDS * b),
    ):  # fmt: skip
        out.empty(name, size)
    low = pile.start[:, :3].min(axis=0) - BEFORE * s.grid.size
    shapes = {f"d.step.shapes.{k}": getattr(s.shapes, k) for k in _SHAPES}
    for name, content in (
        ("d.step.y", pile.start), ("d.step.mass", s.mass), ("d.step.roots", s.roots), ("d.step.laws", s.laws), ("d.step.planes", s.planes),
        ("d.step.grid.origin", low), ("d.step.p", s.p), (f"{g}.given", np.zeros(c)), *((k, v) for k, v in shapes.items() if v.dtype.kind == "f"),
    ):  # fmt: skip
        out.number(name, content)
    for name, size in (
        ("d.step.grid.at", 3 * total), ("d.step.grid.bucket", total), ("d.step.grid.start", s.grid.buckets + 2), ("d.step.first", c),
        ("d.step.second", c), ("d.step.feature", c), ("d.step.old_feature", slots), ("d.found_first", slots), ("d.found_second", slots),
        ("d.found_feature", slots), ("d.rank", slots), (f"{g}.places", 2 * c), (f"{g}.turns", c), ("d.count", n + b), ("d.left", n + b), ("d.order", slots), ("d.reverse", slots),
        ("d.reversed", n + b), ("d.colour", slots), ("d.flags", 3), ("counts", DIGITS * sorters), ("sums", PARTS),
        *((name, total) for name in SORTED),
    ):  # fmt: skip
        out.empty(name, size, np.int64)
    for name, content in (
        ("d.step.kind", pile.kinds), ("d.step.plane_kind", pile.plane_kinds), ("d.step.old_second", np.full(slots, NONE)),
        ("d.step.old_start", record.slots * np.arange(n + b + 1)), (f"{g}.starts", 2 * np.arange(c + 1)),
        *((k, v) for k, v in shapes.items() if v.dtype.kind == "i"),
    ):  # fmt: skip
        out.index(name, content)
    return out


_SHAPES: Final = (
    "form",
    "radius",
    "half",
    "axis",
    "reach",
    "corner",
    "corners",
    "sizes",
    "face",
    "face_planes",
    "loop_at",
    "loops",
)

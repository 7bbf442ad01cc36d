"""The kernels of a pile on a card, compiled for its record, bound to its arrays, and launched by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ....emit.llvm.device_loops import PARAMETERS, DeviceModule, Roles
from ....emit.lowering.lower import program
from ....emit.run.cuda_driver import LEGACY_STREAM
from ....emit.run.cuda_loops import ENTRY, CudaLoop, PreparedLoop
from ....emit.run.device_arrays import ArrayView
from ..pile_programs import PileNumbers, body_outputs
from . import card_step, card_surfaces, card_turns
from . import parallel_sort as sorting
from .card_arrays import SORTED, CardArrays
from .card_records import CardStep
from .parallel_sort import PARTS

STEP_KERNELS: Final = (
    "begin_body", "set_bucket_starts", "find_contacts_of_body", "find_reverse", "colour_contacts", "count_colours", "order_contacts", "pose_contact", "gather_speeds",
    "sweep_colour", "add_residuals", "add_sums_of_residuals", "forget_impulse", "keep_impulse", "change_body", "add_work", "begin_separation", "end_separation",
    "end_body", "restore_body",
)  # fmt: skip
SURFACE_KERNELS: Final = ("split_response", "add_impulses", "add_parts", "answer_impulses", "move_surface")
TURN_KERNELS: Final = (
    "forget_turns", "keep_forces", "take_forces", "take_speeds", "multiply_turns", "add_products", "solve_turns", "combine_forces", "combine_speeds",
)  # fmt: skip
SORT_KERNELS: Final = (
    "count_digits",
    "sum_counts",
    "add_sums",
    "place_counts",
    "move_keys",
)  # of a pass, in their order
FINDERS: Final = ("find_contacts_of_body", "find_reverse", "colour_contacts", "count_colours", "order_contacts")
FOUND: Final = {
    f"d.step.{at}{name}": f"d.found_{name}"
    for name, at in {
        "first": "", "second": "", "feature": "", "normal": "", "arm": "", "gap": "", "restitution": "", "compliance": "", "mu": "graph.",
    }.items()
}  # fmt: skip
SORT_ARRAYS: Final = (*SORTED, "counts", "sums")


class CardLaunches:
    """Kernels for the record of a pile."""

    def __init__(self, pile: PileNumbers, record: CardStep, arrays: CardArrays, sorters: int) -> None:
        self.pile, self.record, self.arrays, self.sorters = pile, record, arrays, sorters
        self._bound: dict[tuple[str, bool], PreparedLoop] = {}
        self._loops = {name: self._loop(getattr(card_step, name)) for name in STEP_KERNELS}
        self._loops |= {name: self._loop(getattr(card_turns, name)) for name in TURN_KERNELS}
        if record.surfaces:
            self._loops |= {name: self._loop(getattr(card_surfaces, name)) for name in SURFACE_KERNELS}
        self._loops |= {name: self._sort_loop(getattr(sorting, name)) for name in (*SORT_KERNELS, "collect_ends")}

    def _module(self) -> DeviceModule:
        """A module with the programs of one body."""
        eq, module = self.pile.body, DeviceModule(self.arrays.real)
        groups = {"t": eq.t, "x": list(eq.state), "p": list(eq.p)}
        for name, outputs in body_outputs(eq).items():
            module.program(f"program_{name}", program(name, groups, outputs), 3, is_inlined=True)
        return module

    def _loop(self, kernel: Callable[..., None]) -> CudaLoop:
        module = self._module()
        sort = (f"d.sort.{k}" for k in SORT_ARRAYS)
        shared = tuple(k for k in (*self.arrays.made, *sort, "d.step.grid.sorted") if k != "d.step.p")
        roles = Roles(loaded=("d.step.p",), shared=shared, member=kernel.__code__.co_varnames[0])
        return CudaLoop(module, module.entry(ENTRY, kernel, roles, 0, d=self.record), {"d": self.record})

    def _sort_loop(self, kernel: Callable[..., None]) -> CudaLoop:
        module = DeviceModule(self.arrays.real)
        roles = Roles(shared=tuple(f"r.{k}" for k in SORT_ARRAYS), member="i")
        return CudaLoop(module, module.entry(ENTRY, kernel, roles, 0, r=self.record.sort), {"r": self.record.sort})

    def _views(self, name: str, is_swapped: bool) -> dict[tuple[str, str], tuple[ArrayView, int]]:
        """Arrays by the names of arguments of a kernel; after a pass of the sort its results are the next keys. Kernels that find
        contacts put them into slots."""
        made = {k: a.view for k, a in self.arrays.made.items()}
        if name in FINDERS:
            made |= {k: made[at] for k, at in FOUND.items()}
        there = (*SORTED[2:], *SORTED[:2]) if is_swapped else SORTED
        sort = {k: made[at] for k, at in zip(SORTED, there, strict=True)} | {k: made[k] for k in ("counts", "sums")}
        found = made | {f"{r}.{k}": v for r in ("r", "d.sort") for k, v in sort.items()}
        found["d.step.grid.sorted"] = sort["values"]
        out = {(k, "shared"): (v, 0) for k, v in found.items()}
        return out | {(PARAMETERS, "loaded"): (made["d.step.p"], 0), ("d.step.p", "loaded"): (made["d.step.p"], 0)}

    def launch(self, name: str, members: int, **numbers: Any) -> None:
        """Queue a kernel; `swapped` after an odd number of passes of the sort."""
        key = name, bool(numbers.pop("swapped", False))
        if key not in self._bound:
            given = {"i": 0, "first": 0, "slot": 0, "t": 0.0, "many": 1.0}
            self._bound[key] = PreparedLoop(self._loops[name], self._views(*key), given, LEGACY_STREAM)
        self._bound[key](members, **numbers)

    def order(self, bodies: int, classes: int) -> None:
        """Order the contacts of bodies by colour."""
        given = {"r.size": bodies, "r.digits": classes, "d.sort.size": bodies, "d.sort.digits": classes}
        for name, members in zip(
            ("count_colours", "sum_counts", "add_sums", "place_counts", "order_contacts"),
            (self.sorters, PARTS, 1, PARTS, self.sorters),
            strict=True,
        ):
            self.launch(name, members, **given)
        self.launch("collect_ends", classes)

    def sort(self, size: int, digits: int, most: int) -> bool:
        """Sort keys from 0 to `most`; True if the result is in the other arrays."""
        weight, swapped = 1, False
        while weight == 1 or weight <= most:
            given = {"r.size": size, "r.digits": digits, "r.weight": weight, "swapped": swapped}
            for name, members in zip(SORT_KERNELS, (self.sorters, PARTS, 1, PARTS, self.sorters), strict=True):
                self.launch(name, members, **given)
            weight, swapped = weight * digits, not swapped
        return swapped

"""Runs of piles of balls on a card: arrays in its memory, and the launches of a step (`card_step.py`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import numpy as np

from ...emit.llvm.device_loops import PARAMETERS, DeviceFunction, DeviceModule, Roles
from ...emit.programs.lower import program
from ...emit.run.callable import Array
from ...emit.run.cuda_driver import LEGACY_STREAM
from ...emit.run.cuda_loops import ENTRY, CudaLoop, PreparedLoop
from ...emit.run.device_arrays import ArrayView, DeviceArray, copy_to, device_array, real_dtype
from ...errors import SimulationError
from ..complementarity.contact_arrays import NULL_MOTION, SMALLEST, indices
from ..kernels.march_records import DONE, NOT_CONVERGED, NOT_FINITE
from . import card_step as kernels
from . import parallel_sort as sorting
from .card_step import COLOURS, NONE, CardStep
from .parallel_sort import PARTS, DigitSort
from .pile_programs import LARGE, PileNumbers, body_outputs, pile_step_record
from .pile_records import BALL, SPEEDS, STATE
from .pile_runs import MOST_PER_BODY, ContactsNow, RunTotals
from .pile_step import FULL, MOST_RESIDUAL

SLOTS: Final = 12  # contacts of a body with higher numbers and walls: 12 equal balls touch one
MOST_SLOTS: Final = 48
SORTERS: Final = 4096  # threads of a sort
DIGITS: Final = 128
BEFORE: Final = 1000.0  # cells before the first body at the start; bodies beyond the grid are in its outermost cells
WIDER: Final = 1.01  # cells are wider than bodies, by more than the rounding of a place
MARGINS: Final = {"double": 1e-7, "float": 1e-6}  # gaps that are closed, as fractions of the largest coordinate
ADDERS: Final = 32768  # threads that sum squares of the residual
LOOKS: Final = 15  # sweeps between two looks at the residual
ROUNDS: Final = 8  # of colouring between two looks at the contacts that wait

BODY_KERNELS: Final = ("begin_body", "set_bucket_starts", "find_contacts_of_body", "find_reverse", "gather_speeds")
END_KERNELS: Final = ("change_body", "end_separation", "end_body", "begin_separation", "restore_body")
SLOT_KERNELS: Final = (
    "colour_contacts",
    "pose_colour",
    "forget_impulse",
    "keep_impulse",
    "pose_contact",
    "sweep_colour",
    "add_residuals",
    "add_sums_of_residuals",
)
FINDERS: Final = ("find_contacts_of_body", "find_reverse", "colour_contacts", "pose_colour")
FOUND: Final = {
    f"d.step.{at}{name}": f"d.found_{name}"
    for name, at in {
        "first": "", "second": "", "feature": "", "normal": "", "arm": "", "gap": "", "restitution": "", "compliance": "", "mu": "graph.",
    }.items()
}  # fmt: skip
SORT_KERNELS: Final = (
    "count_digits",
    "sum_counts",
    "add_sums",
    "place_counts",
    "move_keys",
)  # of a pass, in their order


@dataclass(frozen=True)
class CardArrays:
    """Arrays on the card by the names of fields, for kernels of a `CardStep` d and of a `DigitSort` r."""

    real: str
    made: dict[str, DeviceArray]

    def empty(self, name: str, size: int, dtype: Any = None) -> None:
        """Numbers, or indices, that kernels write before they read them."""
        self.made[name] = DeviceArray((max(size, 1),), dtype or real_dtype(self.real))

    def number(self, name: str, content: Any) -> None:
        self.made[name] = device_array(np.append(np.ravel(content), 0.0), self.real)

    def index(self, name: str, content: Any) -> None:
        given = np.append(content, 0).astype(np.int64)
        self.empty(name, len(given), np.int64)
        copy_to(self.made[name], given)


class CardRunner:
    """Steps of a pile on a card, as `PileRunner` takes them on this computer; impulses of a step are where the next begins."""

    def __init__(self, pile: PileNumbers, h: float, real: str) -> None:
        check_pile(pile)
        self.pile, self.h, self.t, self.real = pile, h, 0.0, real
        self.total = len(pile.kinds)
        self.n = self.total - pile.fixed
        self.most = MOST_PER_BODY * self.n + 1000
        self.machine_states: list[Array] = []
        self.totals = RunTotals(pile.tolerance, pile.most_sweeps)
        self.sorters = min(SORTERS, max(32, self.total // 64))
        self.adders = min(ADDERS, max(32, self.total // 8))
        self._begin(SLOTS)

    # --------------------------------------------------------------------------------------------------- memory

    def _begin(self, slots: int) -> None:
        self.slots, self.slots_in_all = slots, slots * self.n
        self.capacity = self.slots_in_all // 2 + 64
        self.record = self._record()
        self.arrays = self._arrays()
        self._bound: dict[tuple[str, bool], PreparedLoop] = {}
        self._loops = {
            name: self._loop(getattr(kernels, name)) for name in (*BODY_KERNELS, *END_KERNELS, *SLOT_KERNELS)
        }
        self._sorts = {name: self._sort_loop(getattr(sorting, name)) for name in (*SORT_KERNELS, "collect_ends")}

    def _record(self) -> CardStep:
        """Sizes and numbers; arrays of bodies and contacts are on the card."""
        callees = {k: DeviceFunction(f"program_{k}") for k in body_outputs(self.pile.body)}
        step = pile_step_record(self.pile, self.h, 1, callees).know(*callees)
        largest = float(np.abs(self.pile.start[: self.n, :3]).max())
        step.margin = MARGINS[self.real] * max(largest, *(s.reach for s in self.pile.solids))
        step.grid.put(size=WIDER * step.grid.size)
        one = indices([0])
        sort = DigitSort(
            size=0, threads=self.sorters, digits=DIGITS, weight=1, keys=one, values=one, sorted_keys=one, sorted_values=one, counts=one, sums=one
        )  # fmt: skip
        return CardStep(
            slots=self.slots, count=one, reverse=one, reversed=one, colour=one, order=one, rank=one, found_first=one, found_second=one, found_feature=one, found_normal=np.zeros(1),
            found_arm=np.zeros(1), found_gap=np.zeros(1), found_mu=np.zeros(1), found_restitution=np.zeros(1), found_compliance=np.zeros(1), active=0, threads=self.adders, flags=one,
            sums=np.zeros(1), totals=np.zeros(1), used=indices([0] * COLOURS), waits=0, step=step, sort=sort,
        )  # fmt: skip

    def _arrays(self) -> CardArrays:
        out, pile, n, slots, c = CardArrays(self.real, {}), self.pile, self.n, self.slots_in_all, self.capacity
        s, g, total = self.record.step, "d.step.graph", self.total
        for name, size in (
            ("d.step.turn", 9 * total), ("d.step.free", SPEEDS * n), ("d.step.own", SPEEDS * n), ("d.step.shift", SPEEDS * n),
            ("d.step.before", STATE * n), ("d.step.grid.low", 3 * total), ("d.step.grid.high", 3 * total), ("d.step.normal", 3 * c),
            ("d.step.arm", 3 * c), ("d.step.gap", c), ("d.step.restitution", c), ("d.step.compliance", c), ("d.step.axes", 9 * c), ("d.found_normal", 3 * slots),
            ("d.found_arm", 3 * slots), ("d.found_gap", slots), ("d.found_mu", slots), ("d.found_restitution", slots), ("d.found_compliance", slots),
            ("d.step.old_impulse", 3 * slots), ("d.sums", 3 * self.adders), ("d.totals", 3 * PARTS), (f"{g}.V", 36 * c), (f"{g}.s", SPEEDS * n),
            (f"{g}.b", 3 * c), (f"{g}.x", 3 * c), (f"{g}.mu", c), (f"{g}.soft", c), (f"{g}.diagonal", 3 * c), (f"{g}.mobility", c),
            (f"{g}.local", 6 * c),
        ):  # fmt: skip
            out.empty(name, size)
        low = self.pile.start[:, :3].min(axis=0) - BEFORE * s.grid.size
        for name, content in (
            ("d.step.y", pile.start), ("d.step.mass", s.mass), ("d.step.roots", s.roots), ("d.step.laws", s.laws), ("d.step.planes", s.planes),
            ("d.step.grid.origin", low), ("d.step.shapes.radius", s.shapes.radius), ("d.step.shapes.reach", s.shapes.reach), ("d.step.p", s.p), (f"{g}.given", np.zeros(c)),
        ):  # fmt: skip
            out.number(name, content)
        for name, size in (
            ("d.step.grid.at", 3 * total), ("d.step.grid.bucket", total), ("d.step.grid.start", s.grid.buckets + 2), ("d.step.first", c),
            ("d.step.second", c), ("d.step.feature", c), ("d.step.old_feature", slots), ("d.found_first", slots), ("d.found_second", slots),
            ("d.found_feature", slots), ("d.rank", slots), (f"{g}.places", 2 * c), (f"{g}.turns", c), ("d.count", n), ("d.reverse", slots),
            ("d.reversed", n), ("d.colour", slots), ("d.flags", 3), ("counts", DIGITS * self.sorters), ("sums", PARTS),
            *((name, max(total, slots)) for name in ("keys", "values", "sorted_keys", "sorted_values")),
        ):  # fmt: skip
            out.empty(name, size, np.int64)
        for name, content in (
            ("d.step.kind", pile.kinds), ("d.step.shapes.form", s.shapes.form), ("d.step.plane_kind", pile.plane_kinds),
            ("d.step.old_second", np.full(slots, NONE)), ("d.step.old_start", self.slots * np.arange(n + 1)), (f"{g}.starts", 2 * np.arange(c + 1)),
        ):  # fmt: skip
            out.index(name, content)
        return out

    # --------------------------------------------------------------------------------------------------- kernels

    def _module(self) -> DeviceModule:
        """A module with the programs of one body."""
        eq, module = self.pile.body, DeviceModule(self.real)
        groups = {"t": eq.t, "x": list(eq.state), "p": list(eq.p)}
        for name, outputs in body_outputs(eq).items():
            module.program(f"program_{name}", program(name, groups, outputs), 3, is_inlined=True)
        return module

    def _loop(self, kernel: Callable[..., None]) -> CudaLoop:
        module = self._module()
        shared = tuple(
            k for k in (*self.arrays.made, *_SORT_FIELDS, "d.step.grid.sorted", "d.order") if k != "d.step.p"
        )
        roles = Roles(loaded=("d.step.p",), shared=shared, member=kernel.__code__.co_varnames[0])
        return CudaLoop(module, module.entry(ENTRY, kernel, roles, 0, d=self.record), {"d": self.record})

    def _sort_loop(self, kernel: Callable[..., None]) -> CudaLoop:
        module = DeviceModule(self.real)
        roles = Roles(shared=tuple(f"r.{k}" for k in _SORT_ARRAYS), member="i")
        return CudaLoop(module, module.entry(ENTRY, kernel, roles, 0, r=self.record.sort), {"r": self.record.sort})

    def _views(self, name: str, is_swapped: bool) -> dict[tuple[str, str], tuple[ArrayView, int]]:
        """Arrays by the names of arguments of a kernel; after a pass of the sort its results are the next keys. Kernels that find
        contacts put them into slots."""
        made = {k: a.view for k, a in self.arrays.made.items()}
        if name in FINDERS:
            made |= {k: made[at] for k, at in FOUND.items()}
        names = ("keys", "values", "sorted_keys", "sorted_values")
        there = (*names[2:], *names[:2]) if is_swapped else names
        sort = {k: made[at] for k, at in zip(names, there, strict=True)} | {k: made[k] for k in ("counts", "sums")}
        found = made | {f"{r}.{k}": v for r in ("r", "d.sort") for k, v in sort.items()}
        found |= {"d.order": sort["values"], "d.step.grid.sorted": sort["values"]}
        out = {(k, "shared"): (v, 0) for k, v in found.items()}
        return out | {(PARAMETERS, "loaded"): (made["d.step.p"], 0), ("d.step.p", "loaded"): (made["d.step.p"], 0)}

    def launch(self, name: str, members: int, **numbers: Any) -> None:
        """Queue a kernel; `swapped` where keys are those after an odd number of passes."""
        key = name, bool(numbers.pop("swapped", False))
        if key not in self._bound:
            loop = self._loops.get(name) or self._sorts[name]
            given = {"i": 0, "first": 0, "t": 0.0}
            self._bound[key] = PreparedLoop(loop, self._views(*key), given, LEGACY_STREAM)
        self._bound[key](members, **numbers)

    def _sorted(self, size: int, digits: int, most: int) -> bool:
        """Sort keys from 0 to `most`; whether they are in the other arrays afterwards."""
        weight, swapped = 1, False
        while weight == 1 or weight <= most:
            given = {"r.size": size, "r.digits": digits, "r.weight": weight, "swapped": swapped}
            for name, members in zip(SORT_KERNELS, (self.sorters, PARTS, 1, PARTS, self.sorters), strict=True):
                self.launch(name, members, **given)
            weight, swapped = weight * digits, not swapped
        return swapped

    # --------------------------------------------------------------------------------------------------- a step

    def step_once(self) -> int:
        """A step: DONE, or why it was not taken; the state before it is kept."""
        starts, swapped = self.find(self.h)
        if starts is None:
            return self._back(FULL)
        active = int(starts[COLOURS])
        if active > self.capacity:
            return self._back(FULL)
        self.launch("pose_contact", active, swapped=swapped)
        residual, sweeps = self._solve(starts)
        self.launch("forget_impulse", self.slots_in_all)
        self.launch("keep_impulse", active, swapped=swapped)
        self.launch("change_body", self.n)
        if self.pile.stabilise > 0.0 and active:
            self.launch("begin_separation", active)
            sweeps += self._solve(starts)[1]
            self.launch("end_separation", self.n)
        self.launch("end_body", self.n)
        return self._judged(active, residual, sweeps)

    def _judged(self, active: int, residual: float, sweeps: int) -> int:
        m = self.totals
        m.last_contacts, m.last_residual, m.last_sweeps = active, residual, sweeps
        if self._flags()[kernels.NOT_FINITE_STATE]:
            return self._back(NOT_FINITE)
        if residual > MOST_RESIDUAL:
            return self._back(NOT_CONVERGED)
        m.residual, m.most_contacts = max(m.residual, residual), max(m.most_contacts, active)
        m.contacts, m.sweeps, m.missed = m.contacts + active, m.sweeps + sweeps, m.missed + (residual > m.tolerance)
        self.t += self.h
        return DONE

    def _back(self, status: int) -> int:
        self.launch("restore_body", self.n)
        return status

    def find(self, h: float) -> tuple[Array | None, bool]:
        """Contacts half a step of length h on, ordered by colours: where these begin, and where the order is; None if a
        body has too many contacts."""
        copy_to(self.arrays.made["d.flags"], [0, 0, 0])
        self.launch("begin_body", self.total, t=self.t, **{"d.step.h": h})
        swapped = self._sorted(self.total, DIGITS, self.record.step.grid.buckets)
        self.launch("set_bucket_starts", self.total + 1, swapped=swapped)
        self.launch("find_contacts_of_body", self.n, swapped=swapped)
        self.launch("find_reverse", self.n, swapped=swapped)
        if not self._colour():
            return None, False
        self.launch("pose_colour", self.slots_in_all)
        swapped = self._sorted(self.slots_in_all, COLOURS + 1, COLOURS)
        self.launch("collect_ends", COLOURS, swapped=swapped)
        return np.concatenate([[0], self.arrays.made["sums"].numpy()[:COLOURS]]), swapped

    def _colour(self) -> bool:
        """Rounds until no contact waits for a colour; False if a body has too many contacts."""
        while True:
            for _ in range(ROUNDS - 1):
                self.launch("colour_contacts", self.n)
            copy_to(self.arrays.made["d.flags"], [0], kernels.WAITING)
            self.launch("colour_contacts", self.n)
            flags = self._flags()
            if flags[kernels.CROWDED]:
                return False
            if not flags[kernels.WAITING]:
                return True

    def _solve(self, starts: Array) -> tuple[float, int]:
        """Sweeps until the residual is below the tolerance; residual and number of sweeps."""
        active, most, pile = int(starts[COLOURS]), self.pile.most_sweeps, self.pile
        self.launch("gather_speeds", self.n)
        if not active:
            return 0.0, 0
        parts = [(int(a), int(b - a)) for a, b in pairwise(starts) if b > a]
        for sweep in range(1, most + 1):
            for first, size in parts:
                self.launch("sweep_colour", size, first=first)
            if sweep % LOOKS == 0 or sweep == most:
                residual = self._residual(active)
                if residual <= pile.tolerance:
                    return residual, sweep
        return residual, most

    def _residual(self, active: int) -> float:
        self.launch("add_residuals", self.adders, **{"d.active": active})
        self.launch("add_sums_of_residuals", PARTS)
        sums = self.arrays.made["d.totals"].numpy()[: 3 * PARTS].astype(float)
        square, free, pushed = sums.reshape(-1, 3).sum(axis=0)
        least = max(np.sqrt(min(free, pushed)), NULL_MOTION * np.sqrt(max(free, pushed)), SMALLEST)
        return float(np.sqrt(square) / least)

    def _flags(self) -> Array:
        return self.arrays.made["d.flags"].numpy()

    # --------------------------------------------------------------------------------------------------- runs

    @property
    def state(self) -> Array:
        return self.arrays.made["d.step.y"].numpy()[: STATE * self.n].astype(float).reshape(self.n, STATE)

    def take(self, count: int, stride: int) -> tuple[int, Array]:
        """So many steps: the status of the last, and states after every `stride` of them."""
        kept: list[Array] = []
        done, status = 0, DONE
        while done < count and status == DONE:
            status = self.step_once()
            if status == FULL and self.slots < MOST_SLOTS:
                self._widen()
                status = DONE
            elif status == DONE:
                done += 1
                if done % stride == 0:
                    kept.append(self.state)
        return status, np.array(kept).reshape(len(kept), self.n, STATE)

    def _widen(self) -> None:
        """More slots; the impulses of the step before are lost."""
        y = self.state
        self._begin(2 * self.slots)
        self.set_state(y, self.t)

    def contacts(self) -> ContactsNow:
        """Those of the last step."""
        slots = self.slots_in_all
        made = {k: self.arrays.made[f"d.found_{k}"].numpy() for k in ("first", "second", "arm", "normal", "gap", "mu")}
        made["impulse"] = self.arrays.made["d.step.old_impulse"].numpy()
        used = np.flatnonzero(made["second"][:slots] != NONE)
        arm, normal, impulse = (
            made[k][: 3 * slots].reshape(-1, 3)[used].astype(float) for k in ("arm", "normal", "impulse")
        )
        gap, mu = (made[k][used].astype(float) for k in ("gap", "mu"))
        return ContactsNow(made["first"][used], made["second"][used], arm, normal, gap, impulse, mu)

    def touching(self) -> tuple[ContactsNow, bool]:
        """Contacts of the state that it is in, and whether there are more."""
        starts, _ = self.find(0.0)
        return self.contacts(), starts is None

    def set_state(self, y: Array, t: float) -> None:
        """Begin again from a state of all bodies, without impulses of a step before."""
        whole = np.append(np.concatenate([np.ravel(y), np.ravel(self.pile.start[self.n :])]), 0.0)
        copy_to(self.arrays.made["d.step.y"], whole)
        copy_to(self.arrays.made["d.step.old_second"], np.full(self.slots_in_all, NONE))
        self.t = t


_SORT_ARRAYS: Final = ("keys", "values", "sorted_keys", "sorted_values", "counts", "sums")
_SORT_FIELDS: Final = tuple(f"d.sort.{k}" for k in _SORT_ARRAYS)


def check_pile(pile: PileNumbers) -> None:
    """Balls of similar size and walls are what the kernels of a card know."""
    where = f"pile {pile.body.name!r} on a card"
    if any(s.form != BALL for s in pile.solids):
        raise SimulationError(f"{where}: all bodies must be balls; others run with target='cpu'")
    if pile.terrain is not None:
        raise SimulationError(f"{where}: a height field runs with target='cpu'; walls are planes here")
    if pile.machine is not None:
        raise SimulationError(f"{where}: a pile with a mechanism runs with target='cpu'")
    if pile.rest > 0:
        raise SimulationError(f"{where}: sleep= is for target='cpu'")
    widths = np.array([s.reach for s in pile.solids])[pile.kinds]
    if widths.max() > LARGE * widths.min():
        raise SimulationError(
            f"{where}: the largest ball (radius {widths.max():z.3g} m) is more than {LARGE:g} times the smallest ({widths.min():z.3g} m); "
            "such piles run with target='cpu'"
        )

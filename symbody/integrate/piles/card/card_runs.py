"""Runs of piles of balls and clumps on a card: the kernel launches of a step (`card_step.py`), and its results."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any, Final

import numpy as np

from ....emit.llvm.device_loops import DeviceFunction
from ....emit.run.callable import Array
from ....emit.run.cuda_driver import CardMemoryError
from ....emit.run.device_arrays import copy_to
from ....errors import SimulationError
from ...complementarity.block_sweeps import DEPENDENT, SMALL_PIVOT
from ...complementarity.contact_arrays import NULL_MOTION, SMALLEST, indices
from ...complementarity.contact_graph import MEMORY, ROWS
from ...kernels.march_records import DONE, NOT_CONVERGED, NOT_FINITE
from ..pile_programs import LARGE, PileNumbers, body_outputs, pile_step_record
from ..pile_records import BALL, CLUMP, PLACE, SPEEDS, STATE
from ..pile_runs import MOST_PER_BODY, ContactsNow, RunTotals
from ..pile_step import FULL, MOST_RESIDUAL
from .card_arrays import DIGITS, card_arrays
from .card_launches import CardLaunches
from .card_mechanism import MOST_SURFACES, MechanismRunner
from .card_records import COLOURS, CROWDED, NONE, NOT_FINITE_STATE, WAITING, CardStep
from .card_surfaces import ADDED
from .card_turns import ADDED_PARTS, MOST_MULTIPLIERS, SUMS
from .parallel_sort import PARTS, DigitSort

SLOTS: Final = 12  # contacts of a body with walls and with bodies of higher numbers; 12 equal balls can touch one
MOST_SLOTS: Final = 48
SORTERS: Final = 4096  # threads of a sort
WIDER: Final = 1.01  # cells are wider than bodies, by more than the rounding of a place
MARGINS: Final = {"double": 1e-7, "float": 1e-6}  # gaps that count as closed, as fractions of the largest coordinate
ADDERS: Final = 32768  # threads that sum squares of the residual
LOOKS: Final = 15  # sweeps between two evaluations of the residual
SHIFT: Final = 32  # keeps the numbers of V of a contact from being a power of two apart, which causes cache conflicts
MOST_ROUNDS: Final = 100  # of ROUNDS kernels; about three are usual
EVERY: Final = 3  # sweeps between two combinations
SETTLING: Final = 3  # smallest number of sweeps after the last combination
RESTED: Final = 90  # sweeps with combinations, then as many without
PIVOTS: Final = {
    "double": (DEPENDENT, SMALL_PIVOT),
    "float": (1e-6, 1e-5),
}  # of the least-squares problem of combinations
ROUNDS: Final = 8  # colouring kernels between two checks for contacts without colour


class CardRunner:
    """Steps of a pile on a card, like those of `PileRunner` on the CPU. The impulses of a step are the initial guess of the next."""

    def __init__(self, pile: PileNumbers, h: float, real: str) -> None:
        check_pile(pile)
        self.pile, self.h, self.t, self.real = pile, h, 0.0, real
        self.total = len(pile.kinds)
        self.n = self.total - pile.fixed
        self.machine = None if pile.machine is None else MechanismRunner(pile, h)
        self.surfaces = 0 if self.machine is None else self.machine.surfaces
        self.classes = COLOURS * (2 if self.surfaces else 1)  # contacts of surfaces come last
        self.most = MOST_PER_BODY * (self.n + self.surfaces) + 1000
        self.machine_states: list[Array] = [] if pile.machine is None else [pile.machine.state]
        self.totals = RunTotals(pile.tolerance, pile.most_sweeps)
        self.sorters = min(SORTERS, max(32, self.total // 64))
        self.multipliers = ADDED_PARTS * min(MOST_MULTIPLIERS // ADDED_PARTS, 1 + self.total // 256)
        self.adders = min(ADDERS, max(32, self.total // 8))
        self._begin(2 * SLOTS if any(s.form == CLUMP for s in pile.solids) else SLOTS)

    # --------------------------------------------------------------------------------------------------- memory

    def _begin(self, slots: int) -> None:
        self.slots, self.slots_in_all = slots, slots * (self.n + self.surfaces)
        self.capacity = self.slots_in_all // 2 + 64
        self.record = self._record()
        try:
            self.arrays = card_arrays(self.pile, self.record, self.real, self.capacity, self.sorters, self.adders)
        except CardMemoryError as error:
            raise SimulationError(
                f"pile {self.pile.body.name!r}: {self.n} bodies with memory for {self.capacity} contacts do not fit into the card "
                f"({error}); take fewer bodies, or real='float'"
            ) from error
        made = CardLaunches(self.pile, self.record, self.arrays, self.sorters)
        self.launch, self._sort, self._order = made.launch, made.sort, made.order

    def _record(self) -> CardStep:
        """The record of sizes and numbers; arrays of bodies and contacts are on the card."""
        callees = {k: DeviceFunction(f"program_{k}") for k in body_outputs(self.pile.body)}
        stride = 2 ** int(self.capacity).bit_length() + SHIFT
        step = pile_step_record(replace(self.pile, machine=None), self.h, 1, callees, stride).know(*callees)
        largest = float(np.abs(self.pile.start[: self.n, :3]).max())
        step.margin = MARGINS[self.real] * max(largest, *(s.reach for s in self.pile.solids))
        step.grid.put(size=WIDER * step.grid.size)
        one, none = indices([0]), np.zeros(1)
        sort = DigitSort(
            size=0, threads=self.sorters, digits=DIGITS, weight=1, keys=one, values=one, sorted_keys=one, sorted_values=one, counts=one, sums=one
        )  # fmt: skip
        return CardStep(
            slots=self.slots, count=one, left=one, reverse=one, reversed=one, colour=one, order=one, rank=one, found_first=one, found_second=one, found_feature=one, found_normal=none,
            found_arm=none, found_gap=none, found_mu=none, found_restitution=none, found_compliance=none, active=0, threads=self.adders, flags=one,
            sums=none, totals=none, used=indices([0] * COLOURS), waits=0, surfaces=self.surfaces, is_carried=int(self.surfaces > 0), twist=none, free=none,
            response=none, wrench=none, wrenches=none, answer=none, valid=none, work=none, partial=np.zeros(SUMS), multipliers=self.multipliers, more=PIVOTS[self.real][0],
            small=PIVOTS[self.real][1], step=step, sort=sort,
        )  # fmt: skip

    # --------------------------------------------------------------------------------------------------- a step

    def step_once(self) -> int:
        """Take a step: DONE, or the reason of a failure, after which the state is that before the step."""
        starts = self.find(self.h)
        if starts is None:
            return self._back(FULL)
        active = int(starts[self.classes])
        if active > self.capacity:
            return self._back(FULL)
        self.launch("pose_contact", active)
        residual, sweeps = self._solve(starts)
        self.launch("forget_impulse", self.slots_in_all)
        self.launch("keep_impulse", active)
        self.launch("change_body", self.n)
        self.launch("add_work", self.adders)
        work = float(self._totals()[0])
        self._change_mechanism(starts, is_shift=False)
        if self.pile.stabilise > 0.0 and active:
            self.launch("begin_separation", active)
            sweeps += self._solve(starts)[1]
            self.launch("end_separation", self.n)
            self._change_mechanism(starts, is_shift=True)
        self.launch("end_body", self.n)
        return self._judged(active, residual, sweeps, work)

    def _judged(self, active: int, residual: float, sweeps: int, work: float) -> int:
        m = self.totals
        m.last_contacts, m.last_residual, m.last_sweeps = active, residual, sweeps
        is_moved = self.machine is None or self.machine.run("end", self.t) == 1
        if self._flags()[NOT_FINITE_STATE] or not is_moved:
            return self._back(NOT_FINITE)
        if residual > MOST_RESIDUAL:
            return self._back(NOT_CONVERGED)
        m.residual, m.most_contacts = max(m.residual, residual), max(m.most_contacts, active)
        m.contacts, m.sweeps, m.missed = m.contacts + active, m.sweeps + sweeps, m.missed + (residual > m.tolerance)
        m.body_work += work
        m.machine_work = 0.0 if self.machine is None else self.machine.work
        self.t += self.h
        return DONE

    def _back(self, status: int) -> int:
        self.launch("restore_body", self.n)
        if self.machine is not None:
            self.machine.run("back")
        return status

    def find(self, h: float) -> Array | None:
        """Contacts at the midpoint of a step of length h, ordered by colour: the first of each colour; None if a body has too many."""
        copy_to(self.arrays.made["d.flags"], [0, 0, 0])
        self._place_mechanism(h)
        self.launch("begin_body", self.total, t=self.t, **{"d.step.h": h})
        swapped = self._sort(self.total, DIGITS, self.record.step.grid.buckets)
        self.launch("set_bucket_starts", self.total + 1, swapped=swapped)
        self.launch("find_contacts_of_body", self.n + self.surfaces, swapped=swapped)
        self.launch("find_reverse", self.n, swapped=swapped)
        if not self._colour():
            return None
        self._order(self.n + self.surfaces, self.classes)
        return np.concatenate([[0], self.arrays.made["sums"].numpy()[: self.classes]])

    def _colour(self) -> bool:
        """Colour all contacts; False if a body has too many."""
        for _ in range(MOST_ROUNDS):
            for _ in range(ROUNDS - 1):
                self.launch("colour_contacts", self.n + self.surfaces)
            copy_to(self.arrays.made["d.flags"], [0], WAITING)
            self.launch("colour_contacts", self.n + self.surfaces)
            flags = self._flags()
            if flags[CROWDED]:
                return False
            if not flags[WAITING]:
                return True
        return False

    def _solve(self, starts: Array) -> tuple[float, int]:
        """Sweep until the residual is below the tolerance; the residual and the number of sweeps."""
        active, most, pile = int(starts[self.classes]), self.pile.most_sweeps, self.pile
        carried = int(starts[COLOURS])  # the first contact of a surface
        self.launch("gather_speeds", self.n)
        if not active:
            return 0.0, 0
        parts = [(int(a), int(b - a)) for a, b in pairwise(starts) if b > a]
        self._answer(carried, active)
        self._split(parts, carried)
        turn = 0
        for sweep in range(1, most + 1):
            is_due = sweep % EVERY == 0 and sweep <= most - SETTLING and sweep // RESTED % 2 == 0
            if is_due:
                self.launch("keep_forces", ROWS * active)
            for first, size in parts:
                self.launch("sweep_colour", size, first=first)
                if first >= carried:
                    self._answer(carried, active)
            if sweep % LOOKS == 0 or sweep == most:
                self._split_response(carried, active - carried, 1)
                residual = self._residual(active)
                if residual <= pile.tolerance:
                    return residual, sweep
                self._split(parts, carried)
            turn = self._combine(turn, active, carried) if is_due else 0 if sweep // RESTED % 2 else turn
        return residual, most

    def _combine(self, turn: int, active: int, carried: int) -> int:
        """Combine forces and speeds of the last turns so that the change is smallest; the number of the next turn."""
        given = {"d.active": active, "slot": turn % MEMORY}
        if turn == 0:
            self.launch("forget_turns", 1)
        self.launch("take_forces", ROWS * active, **given)
        self.launch("take_speeds", SPEEDS * self.n, **given)
        if turn > 0:
            self.launch("multiply_turns", self.multipliers, **given)
            self.launch("add_products", SUMS * ADDED_PARTS)
            self.launch("solve_turns", 1, **given)
            self.launch("combine_forces", ROWS * active, **given)
            self.launch("combine_speeds", SPEEDS * self.n)
            self._answer(carried, active)
        return turn + 1

    def _residual(self, active: int) -> float:
        self.launch("add_residuals", self.adders, **{"d.active": active})
        square, free, pushed = self._totals()
        least = max(np.sqrt(min(free, pushed)), NULL_MOTION * np.sqrt(max(free, pushed)), SMALLEST)
        return float(np.sqrt(square) / least)

    def _totals(self) -> Array:
        """Totals of three sums over threads."""
        self.launch("add_sums_of_residuals", PARTS)
        sums = self.arrays.made["d.totals"].numpy()[: 3 * PARTS].astype(float)
        return np.asarray(sums.reshape(-1, 3).sum(axis=0))

    def _flags(self) -> Array:
        return self.arrays.made["d.flags"].numpy()

    # --------------------------------------------------------------------------------------------------- the mechanism

    def _place_mechanism(self, h: float) -> None:
        """Move the mechanism to the midpoint of a step of length h, and copy the state of its surfaces to the card."""
        if self.machine is not None:
            self.machine.run("begin" if h > 0.0 else "stand", self.t)
            at = {"d.step.y": STATE * self.n, "d.step.turn": 9 * self.n}
            for name, content in self.machine.content.items():
                copy_to(self.arrays.made[name], content, at.get(name, 0))

    def _split_response(self, first: int, size: int, many: int) -> None:
        """Set the response of surfaces, times `many`, in their contacts."""
        if size > 0:
            self.launch("split_response", size, first=first, many=float(many))

    def _split(self, parts: list[tuple[int, int]], carried: int) -> None:
        for first, size in parts:
            if first >= carried:
                self._split_response(first, size, size)

    def _answer(self, first: int, active: int) -> None:
        """Twists of the surfaces due to all impulses, copied to their contacts, which begin at `first`."""
        if active > first:
            self.launch("add_impulses", ADDED * self.surfaces, first=first, **{"d.active": active})
            self.launch("add_parts", SPEEDS * self.surfaces)
            self.launch("answer_impulses", SPEEDS * self.surfaces)
            self.launch("move_surface", active - first, first=first)

    def _change_mechanism(self, starts: Array, *, is_shift: bool) -> None:
        """Apply the impulses of its contacts to the mechanism."""
        if self.machine is not None:
            is_touched = starts[self.classes] > starts[COLOURS]
            rows = SPEEDS * self.surfaces
            wrench = self.arrays.made["d.wrench"].numpy()[:rows].astype(float) if is_touched else np.zeros(rows)
            self.machine.change(wrench, is_shift)

    # --------------------------------------------------------------------------------------------------- runs

    @property
    def state(self) -> Array:
        return self.arrays.made["d.step.y"].numpy()[: STATE * self.n].astype(float).reshape(self.n, STATE)

    def take(self, count: int, stride: int) -> tuple[int, Array]:
        """Take `count` steps: the status of the last, and states after every `stride` steps."""
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
                    self.machine_states += [] if self.machine is None else [self.machine.state]
        return status, np.array(kept).reshape(len(kept), self.n, STATE)

    def _widen(self) -> None:
        """Allocate more slots; the impulses of the last step are lost."""
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

    @property
    def peak_speeds(self) -> Array:
        """Those of the state that it is in."""
        return np.linalg.norm(self.state[:, PLACE : PLACE + 3], axis=1)

    def touching(self) -> tuple[ContactsNow, bool]:
        """Contacts of the current state, and whether there are more than slots."""
        starts = self.find(0.0)
        return self.contacts(), starts is None

    def set_state(self, y: Array, t: float, machine: Array | None = None) -> None:
        """Restart from a state of all bodies, and of the mechanism, without impulses of an earlier step."""
        whole = np.append(np.concatenate([np.ravel(y), np.ravel(self.pile.start[self.n :])]), 0.0)
        copy_to(self.arrays.made["d.step.y"], whole)
        copy_to(self.arrays.made["d.step.old_second"], np.full(self.slots_in_all, NONE))
        if self.machine is not None and machine is not None:
            self.machine.set_state(machine)
            self.machine_states = [np.array(machine)]
        self.t = t


def check_pile(pile: PileNumbers) -> None:
    """Balls and clumps of similar size, fixed bodies, walls, and one mechanism are what the kernels of a card know."""
    where = f"pile {pile.body.name!r} on a card"
    n = len(pile.kinds) - pile.fixed
    surfaces = 0 if pile.machine is None else len(pile.machine.bodies)

    def are_balls(kinds: Any) -> bool:
        return all(pile.solids[k].form in {BALL, CLUMP} for k in set(kinds.tolist()))

    if not n:
        raise SimulationError(f"{where}: no free body moves; a mechanism alone runs with target='cpu'")
    if not are_balls(pile.kinds[:n]):
        raise SimulationError(f"{where}: all free bodies must be balls or clumps; others run with target='cpu'")
    if pile.terrain is not None:
        raise SimulationError(f"{where}: a height field runs with target='cpu'; walls are planes here")
    if pile.rest > 0:
        raise SimulationError(f"{where}: sleep= is for target='cpu'")
    if surfaces > MOST_SURFACES:
        raise SimulationError(
            f"{where}: the mechanism has {surfaces} surfaces; with more than {MOST_SURFACES} it runs with target='cpu'"
        )
    if pile.machine is not None and pile.machine.pairs:
        raise SimulationError(f"{where}: surfaces that touch each other (touching=) run with target='cpu'")
    own, others = pile.kinds[n : n + surfaces], pile.kinds[n + surfaces :]
    if not (are_balls(own) or are_balls(others)):
        raise SimulationError(
            f"{where}: surfaces of the mechanism and fixed bodies that are not balls may meet; such piles run with target='cpu'"
        )
    widths = np.array([s.reach for s in pile.solids])[pile.kinds[:n]]
    if widths.max() > LARGE * widths.min():
        raise SimulationError(
            f"{where}: the largest free body (radius {widths.max():z.3g} m) is more than {LARGE:g} times the smallest ({widths.min():z.3g} m); "
            "such piles run with target='cpu'"
        )

"""The mechanism of a pile on a card. The CPU takes its step (`machine_step.py`) in double precision; in every step its surfaces and
their responses are copied to the card, and the impulses of the contacts are copied back."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from ....emit.loops.kernel_language import Mutable, Numbers
from ....emit.loops.records import Struct
from ....emit.run.callable import Array
from ....emit.run.loop_callee import LoopCallee
from ..link_motion import answer_impulses, clear_loads, set_twists
from ..machine_step import (
    advance_machine,
    answer_wrenches,
    is_machine_finite,
    keep_machine,
    load_links,
    place_machine,
    restore_machine,
    set_arm,
)
from ..pile_programs import PileNumbers, pile_step_record
from ..pile_records import SPEEDS, STATE, PileStep

MOST_SURFACES: Final = 60  # largest number on a card, where the matrix of responses is dense


class CardMechanism(Struct):
    """A mechanism whose pile has no free bodies.

    twist, free   of each surface: velocity of its centre and angular velocity, before the step and after it without contacts
    response      of all twists to unit impulses and moments at the centres
    """

    t: Mutable[float]
    is_shift: Mutable[int]
    twist: Numbers
    free: Numbers
    response: Numbers
    step: PileStep


def begin_mechanism(m: CardMechanism) -> None:
    """The first half of a step, and surfaces and responses at the midpoint."""
    keep_machine(m.step)
    advance_machine(m.step, m.t, 0)
    stand_mechanism(m)


def stand_mechanism(m: CardMechanism) -> None:
    s = m.step
    place_machine(s, m.t)
    if s.machine.links.is_there == 1:
        respond_by_links(m)
        return
    for i in range(SPEEDS * s.machine.bodies):
        m.twist[i] = s.machine.twist[i]
        m.free[i] = s.machine.free[i]
    for i in range(SPEEDS * s.machine.bodies * SPEEDS * s.machine.bodies):
        m.response[i] = s.machine.W[i]


def respond_by_links(m: CardMechanism) -> None:
    """Twists of the surfaces of a tree, and their responses to unit impulses, column by column."""
    s = m.step
    links = s.machine.links
    rows = SPEEDS * s.machine.bodies
    for a in range(s.machine.bodies):
        set_surface_twist(s, a, links.twist, m.twist[SPEEDS * a :])
        set_surface_twist(s, a, links.free, m.free[SPEEDS * a :])
    for i in range(rows):
        s.machine.wrench[i] = 0.0
    for i in range(rows):
        s.machine.wrench[i] = 1.0
        load_links(s)
        answer_impulses(links, s.machine.step.n_u)
        s.machine.wrench[i] = 0.0
        clear_loads(links)
        set_twists(links, links.answer, links.load)
        for a in range(s.machine.bodies):
            set_surface_twist(s, a, links.load, m.response[rows * i + SPEEDS * a :])


def set_surface_twist(s: PileStep, a: int, twists: Numbers, to: Numbers) -> None:
    """Set the twist of a surface at its centre, from that of its link."""
    v = twists[SPEEDS * s.machine.links.carrier[a] :]
    set_arm(s, a)
    for i in range(SPEEDS):
        to[i] = v[i]
    to[0] += v[4] * s.w[2] - v[5] * s.w[1]
    to[1] += v[5] * s.w[0] - v[3] * s.w[2]
    to[2] += v[3] * s.w[1] - v[4] * s.w[0]


def change_mechanism(m: CardMechanism) -> None:
    """Set the speeds after the step, or the separating speeds, from the impulses in `wrench`."""
    answer_wrenches(m.step, m.is_shift)


def end_mechanism(m: CardMechanism) -> int:
    """The second half of the step; 1 if the state is finite."""
    advance_machine(m.step, m.t + m.step.h, 1)
    return is_machine_finite(m.step)


def keep_back(m: CardMechanism) -> None:
    restore_machine(m.step)


KERNELS: Final = {
    "begin": begin_mechanism, "stand": stand_mechanism, "change": change_mechanism, "end": end_mechanism, "back": keep_back,
}  # fmt: skip


class MechanismRunner:
    """Steps of the mechanism of a pile whose bodies are on a card."""

    def __init__(self, pile: PileNumbers, h: float) -> None:
        assert pile.machine is not None
        n, b = len(pile.kinds) - pile.fixed, len(pile.machine.bodies)
        alone = replace(pile, kinds=pile.kinds[n : n + b], start=pile.start[n : n + b], fixed=b, terrain=None)
        rows = SPEEDS * b
        self.surfaces, self.machine = b, pile.machine
        self.record = CardMechanism(
            t=0.0, is_shift=0, twist=np.zeros(rows + 1), free=np.zeros(rows + 1), response=np.zeros(rows * rows + 1),
            step=pile_step_record(alone, h, 1),
        )  # fmt: skip
        self._kernels = {name: LoopCallee(k, {}, (), True, m=self.record) for name, k in KERNELS.items()}

    def run(self, name: str, t: float = 0.0) -> int:
        self.record.t = t
        return self._kernels[name].run()

    def change(self, wrench: Array, is_shift: bool) -> None:
        """Change the speeds by impulses and moments on the surfaces."""
        self.record.step.machine.wrench[: len(wrench)] = wrench
        self.record.is_shift = int(is_shift)
        self.run("change")

    @property
    def work(self) -> float:
        """Work of the contacts on the mechanism, in all steps."""
        return self.record.step.machine.work

    @property
    def state(self) -> Array:
        step = self.record.step.machine.step
        return np.array(step.y[: step.n])

    def set_state(self, y: Array) -> None:
        self.record.step.machine.step.y[: len(y)] = y

    @property
    def content(self) -> dict[str, Array]:
        """Places, rotations, twists and responses of the surfaces, by the names of the arrays on the card."""
        s, rows = self.record.step, SPEEDS * self.surfaces
        m = self.record
        return {
            "d.step.y": s.y[: STATE * self.surfaces], "d.step.turn": s.turn[: 9 * self.surfaces], "d.twist": m.twist[:rows],
            "d.free": m.free[:rows], "d.response": m.response[: rows * rows],
        }  # fmt: skip

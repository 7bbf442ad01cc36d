"""Batches of motions with contacts and friction on a GPU: Moreau-Jean steps, a member in each thread, by the loop of
`simulate_modes(method="moreau")` (`time_stepping/moreau_motion.py`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ...algebra.graph.graph import ZERO, Expr
from ...derivation.equations.additional_rates import variable_rates
from ...emit.llvm.device_loops import STATUS, Roles
from ...emit.run.cuda_loops import ENTRY
from ...emit.run.device_arrays import converter, stream_of
from ..contact.contact_modes import ModeTable
from ..contact.impacts import Contact
from ..events.events import Event
from ..members.event_table import event_table, state_after
from ..time_stepping.moreau_motion import MoreauMotion, StepEvents, no_events, run_moreau_motion
from ..time_stepping.moreau_programs import midpoint_outputs, moreau_memory, moreau_switching, no_variations
from ..time_stepping.moreau_records import MoreauStep
from .cuda_batch import CudaMotion, CudaMotions
from .device_form import DeviceFunctions

PRECISIONS: Final = {"double": 0.0, "float": 1e-5}  # to which tolerances of contact forces are limited
COUNTS: Final = {"steps": "m.done", "events": "m.events.happened"}


@dataclass(frozen=True)
class ContactQuestion:
    """The step, events, and how many of them are stored."""

    step: float | None
    events: tuple[Event | Contact, ...]
    record: int


class ContactMotions(CudaMotions):
    """Motions with contacts and friction in steps of one length: those of time stepping, in double precision to rounding.

    >>> issubclass(sb.integrate.ContactMotions, sb.integrate.CudaMotions)  # `cuda_motions(contacts, step)` makes one
    True

    See also: `integrate.cuda_motions`, `simulate_modes`, `stepper`.
    """

    def __init__(
        self, device: DeviceFunctions, table: ModeTable, asked: ContactQuestion, outputs: Sequence[Any]
    ) -> None:
        self.asked, (sample, self.width) = asked, device.sample(outputs) if outputs else (None, len(device.y))
        step = step_memory(device, table, remembers=True)
        motion = MoreauMotion(
            every=1, length=asked.step, samples=np.zeros(1), sample=sample, events=_step_events(device, asked),
            switching=device.switching(moreau_switching(device.equations), has_events=False), step=step,
            variations=no_variations(step.n).know("columns", "seeds", "width", "rates", "point"),
        )  # fmt: skip
        roles = Roles(
            loaded=("m.step.y",), stored=("m.step.y", "m.reached", *COUNTS.values()),
            rows=("m.samples", "m.events.times", "m.events.which"),
        )  # fmt: skip
        arguments = device.module.entry(ENTRY, run_moreau_motion, roles, len(device.parameters), m=motion)
        super().__init__(device, arguments, {"m": motion})
        self._stored = {(a.name, a.kind) for a in arguments}

    place_of_state = "m.step.y"

    def __call__(
        self, y: Any, steps: int, *, parameters: Any = (), t: float = 0.0, every: int | None = None, stream: Any = None
    ) -> CudaMotion:
        """The motions over a number of steps.

        parameters   a row for each member, or one for all, in the order of `parameter_names`: what was to vary, and
                     inputs
        every        steps from one sample to the next; by default none is stored
        """
        queue = stream_of(stream, (y, parameters))
        members, record = self._given(y, parameters, queue), self.asked.record
        count = steps // every if every else 0
        samples = members.new("m.samples", "rows", count, self.width)
        end, times = members.new("m.step.y", "stored", len(self.state_names)), members.new("m.reached", "stored")
        events = {k: members.new(f"m.events.{k}", "rows", record) for k in ("times", "which")}
        counts = {
            k: members.new(path, "stored", dtype=np.int64)
            for k, path in COUNTS.items()
            if (path, "stored") in self._stored
        }
        status = members.new(STATUS, "stored", dtype=np.int64)
        numbers = {
            "m.count": steps, "m.every": every or steps + 1, "m.distance": self.width, "m.t": t, "m.events.record": record,
            "m.reached": t,
        }  # fmt: skip
        self.loop.launch(members.count, members.arrays, numbers, queue)
        made = converter([y])
        return CudaMotion(
            made(end), made(times), made(samples) if count else None, status, counts,
            {k: made(x) for k, x in events.items()} if record else {},
        )  # fmt: skip


def step_memory(
    device: DeviceFunctions,
    table: ModeTable,
    *,
    remembers: bool,
    softened: Sequence[Expr] = (),
    energy: Sequence[float] = (),
) -> MoreauStep:
    """Programs and memory of a step in the module of `device`, whose variables are the state and what stands behind it; on the
    central path with `softened_rows` and an energy of each row."""
    eq = device.equations
    outputs, rows = midpoint_outputs(table)
    if remembers:
        outputs["G"] = [ZERO]  # which only steps that remember nothing, and derivatives, read
    callees = {
        "point": device.long_function("midpoint", outputs),
        "rates": device.function("coordinate_rates", {"qdot": eq.rates}) if eq.q else None,
        "variables": device.function("variable_rates", {"zdot": variable_rates(eq)}) if eq.z else None,
    }
    if softened:
        callees["softened"] = device.function("softened", {"push": list(softened)}, is_inlined=False)
    behind, precision = len(device.y) - len(eq.state), PRECISIONS[device.module.real]
    made = moreau_memory(table, rows, callees, remembers=remembers, precision=precision, behind=behind)
    made.problem.know("precision", "fixed")
    if softened:
        made.energy[: len(energy)] = energy
        made.know("energy")
    return made.know(
        "n", "n_q", "n_u", "contacts", "cones", "rows", "rotations", "is_constrained", "remembers", "rates", "variables", "point", "owner", "first", "count",
        "turns",
    )  # fmt: skip


def _step_events(device: DeviceFunctions, asked: ContactQuestion) -> StepEvents:
    if not asked.events:
        return no_events()
    table = event_table(device, asked.events, "time stepping")
    m, after = len(table.functions), state_after(device, table.maps)
    return StepEvents(
        count=m, sense=tuple(map(float, table.senses)), is_terminal=table.terminal, is_reset=table.resets,
        watch=device.function("watch", {"g": table.functions}, is_inlined=False), reset=None if after is None else device.reset(after),
        values=np.zeros(m), earlier=np.zeros(m), after=np.zeros(len(device.y)), times=np.zeros(1), which=np.zeros(1),
    )  # fmt: skip

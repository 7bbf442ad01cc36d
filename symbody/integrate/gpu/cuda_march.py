"""Batches of motions on a GPU by the loop of `simulate`: step control, requested times, projection, events and impacts
for each member."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ...algebra.graph.walk import scalars
from ...emit.llvm.device_loops import PARAMETERS, STATUS, Roles
from ...emit.run.cuda_callable import CudaFunction
from ...emit.run.cuda_loops import ENTRY
from ...emit.run.device_arrays import ArrayView, DeviceArray, converter, device_array, stream_of
from ...simulation_options import SimulationOptions
from ..contact.impacts import Contact
from ..events.events import CHATTERING_EVENTS, CHATTERING_TIME, Event
from ..kernels import explicit
from ..kernels.march import GROWTH_LEVELS
from ..kernels.march_records import Counts, Growth, Leaps, Probes, Results, Steps, Watched
from ..kernels.runge_kutta import RungeKutta
from ..kernels.tableaux import TABLEAUX
from ..members.event_march import EventRules, march_through_events
from ..members.event_table import EventTable, event_table, state_after
from ..run.time_span import time_span
from .cuda_batch import CudaMotion, CudaMotions
from .device_form import DeviceForm

COUNTS: Final = {"steps": "s.counts.steps", "rejected": "s.counts.rejected", "events": "e.count"}


@dataclass(frozen=True)
class MarchQuestion:
    """Options with method and tolerances chosen, events, and how many of them are stored."""

    options: SimulationOptions
    events: tuple[Event | Contact, ...]
    record: int


class MarchedMotions(CudaMotions):
    """Motions with step-size control: the steps of `simulate`, in double precision to rounding.

    >>> issubclass(sb.integrate.MarchedMotions, sb.integrate.CudaMotions)  # `cuda_motions(eq, rtol=1e-6)` makes one
    True

    See also: `integrate.cuda_motions`, `integrate.FixedMotions`.
    """

    def __init__(self, device: DeviceForm, asked: MarchQuestion, outputs: Sequence[Any]) -> None:
        method, steps, rules = _records(device, asked)
        roles = Roles(
            loaded=("s.y",), stored=("s.y", "s.t", *COUNTS.values()), rows=("s.results.at_times", "e.times", "e.which"),
            shared=("s.results.times",),
        )  # fmt: skip
        records = {"m": method, "s": steps, "e": rules}
        arguments = device.module.entry(ENTRY, march_through_events, roles, len(device.parameters), **records)
        super().__init__(device, arguments, records)
        self.asked, self._device, self._outputs = asked, device, tuple(e for x in outputs for e in scalars(x))

    def __call__(self, y: Any, t: Any, *, parameters: Any = (), stream: Any = None) -> CudaMotion:
        """The motions over a time.

        t            its end; (begin, end); or the times at which states are wanted, as in `simulate`
        parameters   a row for each member, or one for all, in the order of `parameter_names`: what was to vary, and
                     inputs
        """
        queue = stream_of(stream, (y, parameters))
        begin, end, requested_times = time_span(t, str(self))
        times = np.zeros(0) if requested_times is None else requested_times
        members, n = self._given(y, parameters, queue), len(self.state_names)
        requested = device_array(times if len(times) else [0.0], self.real, members.ordinal)
        members.arrays["s.results.times", "shared"] = (requested.ready_for(queue), 0)
        samples = members.new("s.results.at_times", "rows", len(times), n)
        state, reached = members.new("s.y", "stored", n), members.new("s.t", "stored")
        record, step = self.asked.record, self.asked.options.step
        events = {k: members.new(f"e.{k}", "rows", record) for k in ("times", "which")}
        counts = {k: members.new(path, "stored", dtype=np.int64) for k, path in COUNTS.items()}
        status = members.new(STATUS, "stored", dtype=np.int64)
        first = 0.0 if step is None else float(np.copysign(step, end - begin))
        numbers = {
            "s.t": begin, "s.t_end": end, "s.h": first, "s.results.requested": len(times), "e.record": record,
            "e.short": CHATTERING_TIME * abs(end - begin),
        }  # fmt: skip
        self.loop.launch(members.count, members.arrays, numbers, queue)
        made = converter([y])
        stored = self._sampled(samples, times, members.arrays[PARAMETERS, "loaded"][0], queue) if len(times) else None
        return CudaMotion(
            made(state), made(reached), stored if stored is None else made(stored), status, counts,
            {k: made(x) for k, x in events.items()} if record else {},
        )  # fmt: skip

    def _sampled(self, samples: DeviceArray, times: Any, given: ArrayView, stream: int) -> DeviceArray:
        """The outputs of stored states, if requested; one launch for each time."""
        if not self._outputs:
            return samples
        f = CudaFunction(self._device.program("sample", {"x": list(self._outputs)}), self.real)
        out = DeviceArray((*samples.shape[:2], len(self._outputs)), samples.dtype, samples.view.ordinal, stream)
        for k, t in enumerate(times):
            f(float(t), samples.part(k), given, out=out.part(k), stream=stream)
        return out


# ---------------------------------------------------------------------------------------------------------- records


def _records(device: DeviceForm, asked: MarchQuestion) -> tuple[RungeKutta, Steps, EventRules]:
    o, n = asked.options, device.form.n
    tableau = TABLEAUX[str(o.method)]
    along = device.along() if o.step is None else None
    method = explicit.runge_kutta(tableau, n, positions=0, along=along, onto=None, projects=along is not None).know(
        "patience"
    )
    table = event_table(device.form, asked.events, "a GPU")
    m = len(table.functions)
    watch, rounding = device.watch(table.functions) if m else (None, None)
    watched = Watched(
        count=m, values=np.zeros(max(2 * m, 1)), earlier=np.zeros(max(2 * m, 1)), later=np.zeros(max(2 * m, 1)), inner=np.zeros(max(2 * m, 1)), side=np.zeros(max(m, 1)),
        least=np.zeros(max(m, 1)), sense=np.array([*table.senses, 0], dtype=np.int64), watch=watch,
    ).know("watch", "count", "sense")  # fmt: skip
    results = Results(
        capacity=1,
        row_times=np.zeros(1),
        rows=np.zeros(1),
        polynomials=np.zeros(1),
        times=np.zeros(1),
        at_times=np.zeros(1),
    )
    size = len(device.form.equations.state)
    growth = Growth(count=size, level=o.max_size / GROWTH_LEVELS**2, per_size=np.zeros(size)).know("count")
    steps = Steps(
        n=n, is_adaptive=int(o.step is None), is_new=1, rtol=o.rtol, max_step=o.max_step, max_growth=o.max_growth, atol=np.full(n, o.atol),
        y=np.zeros(n), y_end=np.zeros(n), r=np.zeros(tableau.pieces * n), w=np.zeros(n), note=np.zeros(1), counts=Counts(limit=o.max_steps),
        results=results.know("is_stored", "capacity"), watched=watched, growth=growth, leaps=Leaps(speeds=np.zeros(1)).know("count"),
        switching=device.closed_switching(o.rtol, bool(asked.events)), probes=Probes(change=np.zeros(1), fine=np.zeros(1)).know("count"),
        rhs=device.rhs(is_inlined=False), settle=device.settle(is_inlined=False),
    ).know("n", "is_adaptive", "rtol", "atol", "max_step", "max_growth", "rhs", "settle")  # fmt: skip
    return method, steps, _event_rules(device, table, rounding)


def _event_rules(device: DeviceForm, table: EventTable, rounding: Any) -> EventRules:
    after = state_after(device.form, table.maps)
    reset = None if after is None else device.reset(after)
    return EventRules(
        times=np.zeros(1), which=np.zeros(1), recent=np.zeros(CHATTERING_EVENTS), before=np.zeros(1), is_terminal=(*table.terminal, 0.0), is_reset=(*table.resets, 0.0),
        is_one_sided=(*table.one_sided, 0.0), reset=reset, rounding=rounding,
    )  # fmt: skip

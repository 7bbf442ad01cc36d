"""Batches of motions on a GPU: their arrays, and those in steps of one length."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np

from ...emit.llvm.device_loops import PARAMETERS, STATUS, DeviceArgument, Roles
from ...emit.loops.records import Struct
from ...emit.run.cuda_driver import cuda
from ...emit.run.cuda_loops import ENTRY, CudaLoop
from ...emit.run.device_arrays import ArrayView, DeviceArray, converter, device_array, real_dtype, stream_of, view_of
from ...errors import SimulationError, shown
from ...simulation_options import SimulationOptions
from ..events.switching_times import undivided_note
from ..events.valid_region import unwatched_note
from ..kernels.march_records import AT_EVENT, CHATTERING, TOO_MANY
from ..result.outcome import Ending
from ..run.run import ENDINGS
from .device_form import DeviceForm, DeviceFunctions
from .fixed_steps import FIXED_METHODS, FixedSteps, fixed_steps

CORRECTIONS: Final = ("positions", "speeds")
ALL_ENDINGS: Final = {
    **ENDINGS,
    AT_EVENT: Ending.STOPPED,
    TOO_MANY: Ending.TOO_MANY_STEPS,
    CHATTERING: Ending.CHATTERING,
}


@dataclass(frozen=True)
class CudaMotion:
    """The ends of motions, as arrays on the GPU with one row for each member.

    y         states
    t         times reached
    samples   samples[i, k] is member i at its k-th sample: the state or the requested outputs; NaN if the sample was
              not reached
    status    how each member ended, as a number; `endings()` returns the descriptions
    counts    of steps, refused steps and events, where steps are controlled
    events    times[i, k] and which[i, k] of the events that were recorded

    >>> sorted(sb.integrate.CudaMotion.__dataclass_fields__)
    ['counts', 'events', 'samples', 'status', 't', 'y']

    See also: `integrate.cuda_motions`, `integrate.CudaMotions`.
    """

    y: Any
    t: Any
    samples: Any
    status: DeviceArray
    counts: Mapping[str, DeviceArray] = field(default_factory=dict)
    events: Mapping[str, Any] = field(default_factory=dict)

    def endings(self) -> list[Ending]:
        """How each member ended.

        >>> x = sb.symbol("x", "variable")
        >>> try:
        ...     found = sb.integrate.cuda_motions(sb.from_equations({x: -x}), 0.1)(sb.emit.device_array(np.ones((4, 1))), 1.0)
        ...     ends = [ending.name for ending in found.endings()]
        ... except sb.errors.CompileError:  # without a card of NVIDIA
        ...     ends = ["REACHED"] * 4
        >>> ends
        ['REACHED', 'REACHED', 'REACHED', 'REACHED']

        See also: `integrate.Ending`.
        """
        return [ALL_ENDINGS[int(k)] for k in self.status.numpy()]


class CudaMotions:
    """Motions of equations on a GPU; made by `cuda_motions`. States are rows in the order of `state_names`; `notes` say what of
    the model is not looked at there.

    >>> issubclass(sb.integrate.FixedMotions, sb.integrate.CudaMotions)
    True

    See also: `integrate.cuda_motions`, `integrate.FixedMotions`, `integrate.MarchedMotions`.
    """

    __call__: Callable[..., CudaMotion]  # of states and steps, or of states and times
    place_of_state: str = "s.y"  # in the records of its loop

    def __init__(self, device: DeviceFunctions, arguments: list[DeviceArgument], records: dict[str, Struct]) -> None:
        self.equations, self.real = device.equations, device.module.real
        self.parameter_names = tuple(s.name for s in device.parameters)
        self.state_names = tuple(s.name for s in device.y)
        self.loop = CudaLoop(device.module, arguments, records)
        self.costs = dict(device.costs)  # operations of each function
        eq = device.equations
        self.notes = tuple(
            filter(None, (undivided_note(eq, "steps", is_for_any_time=True), unwatched_note(eq, "a motion on a GPU")))
        )

    @property
    def cost_of_rates(self) -> int:
        """Operations of the right side; of contacts, of everything at the midpoint of a step.

        >>> sb.integrate.CudaMotions.cost_of_rates.__doc__.split(";")[0]
        'Operations of the right side'

        See also: `integrate.cuda_motions`.
        """
        return sum(self.costs.get(k, 0) for k in ("rates", "midpoint"))

    @property
    def ptx(self) -> str:
        """The text for the card.

        >>> x = sb.symbol("x", "variable")
        >>> try:
        ...     has_kernel = ".entry" in sb.integrate.cuda_motions(sb.from_equations({x: -x}), 0.1).ptx
        ... except sb.errors.CompileError:  # without a card of NVIDIA
        ...     has_kernel = True
        >>> has_kernel
        True

        See also: `integrate.cuda_motions`, `emit.ptx_source`.
        """
        return self.loop.ptx

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.equations.name} ({self.real}), {len(self.state_names)} variables>"

    def _given(self, y: Any, parameters: Any, stream: int) -> MemberArrays:
        state = self._rows("y", y, len(self.state_names), stream)
        given = self._rows("parameters", parameters, len(self.parameter_names), stream)
        if len(state.shape) != 2:
            raise SimulationError(f"{self}: y has shape {state.shape}, expected (members, {len(self.state_names)})")
        if len(given.shape) == 2 and given.shape[0] != state.shape[0]:
            raise SimulationError(f"{self}: {state.shape[0]} states and {given.shape[0]} rows of parameters")
        members = MemberArrays(state.shape[0], state.ordinal, real_dtype(self.real), stream)
        members.put(self.place_of_state, "loaded", state)
        members.put(PARAMETERS, "loaded", given)
        return members

    def _rows(self, name: str, value: Any, size: int, stream: int) -> ArrayView:
        view = view_of(value, stream)
        if view is None:
            numbers = np.asarray(value, dtype=np.float64)
            if numbers.shape != (size,):
                raise SimulationError(
                    f"{self}: {name} must be an array on the card with {size} columns (sb.emit.device_array, CuPy, PyTorch "
                    f"or JAX), got {shown(value)}"
                )
            made = device_array(numbers, self.real)
            return replace(made.view, keep=made)
        if view.shape[-1:] != (size,) or len(view.shape) > 2 or (view.strides[-1] != 1 and size > 1):
            raise SimulationError(f"{self}: {name} has shape {view.shape}, expected (members, {size}), in rows")
        if view.dtype != real_dtype(self.real):
            raise SimulationError(f"{self}: {name} is of type {view.dtype}, expected {real_dtype(self.real)}")
        return view


class MemberArrays:
    """Arrays of a batch on a card: those that are given, and new ones for results."""

    def __init__(self, count: int, ordinal: int, dtype: np.dtype[Any], stream: int) -> None:
        self.count, self.ordinal, self.dtype, self.stream = count, ordinal, dtype, stream
        self.arrays: dict[tuple[str, str], tuple[ArrayView, int]] = {}

    def put(self, name: str, kind: str, view: ArrayView) -> None:
        """An array with a part for each member, or one part for all."""
        self.arrays[name, kind] = (view, 0 if len(view.shape) == 1 else view.strides[0])

    def new(self, name: str, kind: str, *shape: int, dtype: Any = None) -> DeviceArray:
        """An array with a part of this shape for each member; full of what is no number."""
        out = DeviceArray((self.count, *shape), dtype or self.dtype, self.ordinal, self.stream)
        size = int(np.prod(out.shape)) * out.dtype.itemsize
        if size:
            place, stream = ctypes.c_uint64(out.view.address), ctypes.c_void_p(self.stream)
            cuda()("cuMemsetD8Async", place, ctypes.c_ubyte(255), ctypes.c_size_t(size), stream)
        self.arrays[name, kind] = (replace(out.view, keep=out), int(np.prod(shape)))
        return out


class FixedMotions(CudaMotions):
    """Motions in steps of one length, whose states stay in registers from beginning to end.

    >>> issubclass(sb.integrate.FixedMotions, sb.integrate.CudaMotions)  # `cuda_motions(eq, step)` makes one
    True

    See also: `integrate.cuda_motions`, `integrate.MarchedMotions`.
    """

    def __init__(self, device: DeviceForm, step: float, method: str, outputs: Sequence[Any]) -> None:
        n, table = device.form.n, FIXED_METHODS[method]
        sample, self.width = device.sample(outputs) if outputs else (None, n)
        steps = FixedSteps(
            n=n, n_q=len(device.form.equations.q), stages=len(table.B), C=table.C, B=table.B, take=table.take, steps=0, every=1, distance=0,
            t=0.0, h=step, y=np.zeros(n), start=np.zeros(n), total=np.zeros(n), d=np.zeros(n), w=np.zeros(n), note=np.zeros(1),
            samples=np.zeros(1), rhs=device.rhs(), rates=device.rates_of_positions() if table.needs_rates else None,
            settle=device.settle(), switching=device.closed_switching(SimulationOptions().rtol, has_events=False), sample=sample,
        )  # fmt: skip
        roles = Roles(loaded=("s.y",), stored=("s.y", "s.t"), rows=("s.samples",))
        arguments = device.module.entry(ENTRY, fixed_steps, roles, len(device.parameters), s=steps)
        super().__init__(device, arguments, {"s": steps})
        self.step = step
        self.cost_of_a_step = len(table.B) * device.costs["rates"] + sum(device.costs.get(k, 0) for k in CORRECTIONS)

    def __call__(
        self, y: Any, steps: int, *, parameters: Any = (), t: float = 0.0, every: int | None = None, stream: Any = None
    ) -> CudaMotion:
        """The motions over a number of steps.

        parameters   a row for each member, or one for all, in the order of `parameter_names`: what was to vary, and
                     inputs
        every        steps from one sample to the next; by default none is stored
        """
        queue = stream_of(stream, (y, parameters))
        members = self._given(y, parameters, queue)
        count = steps // every if every else 0
        samples = members.new("s.samples", "rows", count, self.width)
        end, times = members.new("s.y", "stored", len(self.state_names)), members.new("s.t", "stored")
        status = members.new(STATUS, "stored", dtype=np.int64)
        numbers = {"s.steps": steps, "s.every": every or steps + 1, "s.distance": self.width, "s.t": t}
        self.loop.launch(members.count, members.arrays, numbers, queue)
        made = converter([y])
        return CudaMotion(made(end), made(times), made(samples) if count else None, status)

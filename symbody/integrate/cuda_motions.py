"""Many motions at once on a GPU, each in a thread of its own from beginning to end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from ..algebra.graph import Symbol
from ..derive.equations import Equations, of_equations
from ..emit.llvm.device_loops import PARAMETERS, STATUS, Roles
from ..emit.run.cuda_callable import checked_real
from ..emit.run.cuda_driver import cuda
from ..emit.run.cuda_loops import ENTRY, CudaLoop
from ..emit.run.device_arrays import ArrayView, DeviceArray, converter, device_array, real_dtype, stream_of, view_of
from ..errors import SimulationError, listed, shown, unknown
from .device_form import DeviceForm
from .fixed_steps import FIXED_METHODS, FixedSteps, fixed_steps
from .form_kinds import FORMS
from .forms import Form
from .inputs import with_inputs
from .meanings import meant
from .outcome import Ending
from .run import ENDINGS
from .simulate import SimulationOptions, choice, form_of

DEFAULTS: Final = SimulationOptions()
CORRECTIONS: Final = ("positions", "speeds")


@dataclass(frozen=True)
class CudaMotion:
    """Motions at their ends, in arrays on the card.

    y         states, a row for each member
    t         times reached
    samples   samples[k] has a row for each member: the state, or the outputs that were asked for, at the k-th sample
    status    how each one ended, as a number; `endings()` says it in words
    """

    y: Any
    t: Any
    samples: Any
    status: DeviceArray

    def endings(self) -> list[Ending]:
        return [ENDINGS[int(k)] for k in self.status.numpy()]


class CudaMotions:
    """Motions of equations on a GPU; made by `cuda_motions`. Call it with states, a row for each member, in the order of `state_names`."""

    def __init__(
        self, form: Form, step: float, method: str, real: str, bake: Mapping[Symbol, float], outputs: Sequence[Any]
    ) -> None:
        self.form, self.step, self.real = form, step, real
        device = DeviceForm(form, bake, real)
        self.parameter_names = tuple(s.name for s in device.parameters)
        n, n_q, table = form.n, len(form.equations.q), FIXED_METHODS[method]
        sample, self.width = device.sample(outputs) if outputs else (None, n)
        steps = FixedSteps(
            n=n, n_q=n_q, stages=len(table.B), width=self.width, C=table.C, B=table.B, take=table.take, steps=0, every=1, distance=0,
            t=0.0, h=step, y=np.zeros(n), start=np.zeros(n), total=np.zeros(n), d=np.zeros(n), w=np.zeros(n), note=np.zeros(1),
            samples=np.zeros(1), rhs=device.rhs(), rates=device.rates_of_positions() if table.needs_rates else None,
            settle=device.settle(), sample=sample,
        )  # fmt: skip
        roles = Roles(loaded=("s.y",), stored=("s.y", "s.t"), rows=("s.samples",))
        arguments = device.module.entry(ENTRY, fixed_steps, roles, len(device.parameters), s=steps)
        self.loop = CudaLoop(device.module, arguments, {"s": steps})
        self.cost_of_a_step = len(table.B) * device.costs["rates"] + sum(device.costs.get(k, 0) for k in CORRECTIONS)

    @property
    def state_names(self) -> tuple[str, ...]:
        return tuple(s.name for s in self.form.y)

    @property
    def ptx(self) -> str:
        return self.loop.ptx

    def __repr__(self) -> str:
        return f"<CudaMotions of {self.form.equations.name} ({self.real}): {len(self.state_names)} variables, step {self.step:g}>"

    def __call__(
        self, y: Any, steps: int, *, parameters: Any = (), t: float = 0.0, every: int | None = None, stream: Any = None
    ) -> CudaMotion:
        """The motions over a number of steps.

        parameters   a row for each member, or one for all, in the order of `parameter_names`: what was to vary, and inputs
        every        steps from one sample to the next; by default none is stored
        """
        queue = stream_of(stream, (y, parameters))
        state = self._rows("y", y, len(self.state_names), queue)
        given = self._rows("parameters", parameters, len(self.parameter_names), queue)
        members, ordinal = state.shape[0], state.ordinal
        if len(given.shape) == 2 and given.shape[0] != members:
            raise SimulationError(f"{self}: {members} states and {given.shape[0]} rows of parameters")
        count = steps // every if every else 0
        end = DeviceArray((members, len(self.state_names)), real_dtype(self.real), ordinal, queue)
        samples = DeviceArray((count, members, self.width), real_dtype(self.real), ordinal, queue)
        times = DeviceArray((members,), real_dtype(self.real), ordinal, queue)
        status = DeviceArray((members,), np.int64, ordinal, queue)
        arrays = {
            ("s.y", "loaded"): (state, state.strides[0]), (PARAMETERS, "loaded"): (given, given.strides[0] if len(given.shape) == 2 else 0),
            ("s.y", "stored"): (end.view, end.shape[1]), ("s.t", "stored"): (times.view, 1), ("s.samples", "rows"): (samples.view, self.width),
            (STATUS, "stored"): (status.view, 1),
        }  # fmt: skip
        numbers = {"s.steps": steps, "s.every": every or steps + 1, "s.distance": members * self.width, "s.t": t}
        self.loop.launch(members, arrays, numbers, queue)
        made = converter([y])
        return CudaMotion(made(end), made(times), made(samples) if count else None, status)

    def _rows(self, name: str, value: Any, size: int, stream: int) -> ArrayView:
        view = view_of(value, stream)
        if view is None:
            numbers = np.asarray(value, dtype=np.float64)
            if numbers.shape != (size,):
                raise SimulationError(
                    f"{self}: {name} is an array on the card with {size} columns (device_array, CuPy, PyTorch or JAX), got {shown(value)}"
                )
            made = device_array(numbers, self.real)
            return replace(made.view, keep=made)
        if view.shape[-1:] != (size,) or len(view.shape) > 2 or (view.strides[-1] != 1 and size > 1):
            raise SimulationError(f"{self}: {name} has shape {view.shape}, expected (members, {size}), in rows")
        if view.dtype != real_dtype(self.real):
            raise SimulationError(f"{self}: {name} is of type {view.dtype}, expected {real_dtype(self.real)}")
        return view


@of_equations
def cuda_motions(
    equations: Equations,
    step: float,
    *,
    method: str = "rk4",
    real: str = "double",
    form: str = "auto",
    metric: str = "mass",
    vary: Iterable[Any] = (),
    values: Mapping[Any, float] | None = None,
    inputs: Mapping[Any, Any] | None = None,
    outputs: Sequence[Any] = (),
) -> CudaMotions:
    """Motions of many members at once on an NVIDIA GPU, in steps of one length: `cuda_motions(eq, 1e-3)(y, steps=1000)`.

    method    rk4, midpoint, or semi-implicit (speeds first, then positions with the new speeds)
    real      "double", or "float" (single)
    form      how constraints are treated, as in `simulate`; by default every step ends with a projection onto them
    vary      parameters that differ between members, by name or symbol; the others become numbers of the machine code
    values    of parameters that do not vary, where they are not those of the model
    inputs    laws of inputs as expressions, as in `simulate`; inputs without a law are given with the call, by member
    outputs   names or expressions that are stored instead of the state
    """
    cuda()
    if method not in FIXED_METHODS:
        raise unknown(f"cuda_motions of {equations.name!r}", "method", method, FIXED_METHODS, SimulationError)
    eq, numbers = with_inputs(equations, inputs or {})
    bake = _baked(eq, tuple(vary), {**(values or {}), **numbers})
    made = device_ready_form(eq, form, metric)
    wanted = meant(eq, outputs, f"cuda_motions of {eq.name!r}", SimulationError) if outputs else ()
    return CudaMotions(made, step, method, checked_real(real), bake, wanted)


def device_ready_form(eq: Equations, form: str, metric: str) -> Form:
    options = choice(eq, replace(DEFAULTS, form=form, metric=metric))
    if not FORMS[options.form].has_rates or FORMS[options.form].is_algebraic or options.form == "orthogonal":
        can = [
            k
            for k, f in FORMS.items()
            if f.has_rates and not f.is_algebraic and not f.is_discrete and k != "orthogonal"
        ]
        raise SimulationError(
            f"cuda_motions of {eq.name!r}: form={options.form!r} is not for GPUs; there are {listed(can)}"
        )
    return form_of(eq, options)


def _baked(eq: Equations, vary: tuple[Any, ...], values: Mapping[Any, float]) -> dict[Symbol, float]:
    """Numbers of the parameters that do not vary, and of inputs that have one."""
    where, table = f"cuda_motions of {eq.name!r}", eq.variables.of("p")
    varied = set(table.resolved(dict.fromkeys(vary, 0.0), where, SimulationError))
    given = eq.variables.of("p r").resolved(dict(values), where, SimulationError)
    numbers = {**table.defaults, **given}
    table.only(s for s in eq.p if s not in varied).require(
        numbers, where, SimulationError, "give them as values={...}, or vary them"
    )
    return {s: float(x) for s, x in numbers.items() if s not in varied}

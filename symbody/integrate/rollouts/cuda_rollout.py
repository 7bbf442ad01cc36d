"""`cuda_rollout`: many steps of a stepper with contacts for each member of a batch on a GPU, in one launch, and gradients
through them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ...algebra.graph.graph import Symbol
from ...argument_kinds import answered, answered_class
from ...emit.llvm.device_loops import PARAMETERS, STATUS, DeviceModule, Roles
from ...emit.loops.records import Struct
from ...emit.run.cuda_callable import checked_real
from ...emit.run.cuda_driver import cuda
from ...emit.run.cuda_loops import ENTRY, CudaLoop
from ...emit.run.device_arrays import ArrayView, DeviceArray, converter, device_array, real_dtype, stream_of, view_of
from ...errors import SimulationError, shown
from ...later import later
from ..gpu.cuda_batch import ALL_ENDINGS, MemberArrays
from ..gpu.device_form import DeviceFunctions
from ..result.outcome import Ending
from ..steppers.contact_steps import ContactSteps
from ..steppers.stepper import Stepper
from ..time_stepping.moreau_programs import no_variations
from .pullback_memory import pullback_memory
from .rollout_kernels import Rollout, RolloutPullback, run_rollout, run_rollout_pullback
from .steps_for_cards import card_step, check_for_card


@dataclass(frozen=True)
class RolloutStates:
    """States of a rollout, as arrays on the card with a row for each member.

    states   states[i, k] of member i after every so many steps; NaN where it did not get there
    done     numbers of steps taken
    status   how each member ended, as a number; `endings()` returns the descriptions

    >>> sorted(sb.integrate.RolloutStates.__dataclass_fields__)
    ['done', 'states', 'status']

    See also: `integrate.cuda_rollout`, `integrate.CudaRollout`.
    """

    states: Any
    done: DeviceArray
    status: DeviceArray

    def endings(self) -> list[Ending]:
        """How each member ended.

        >>> sb.integrate.RolloutStates.endings.__doc__.split(".")[0]
        'How each member ended'

        See also: `integrate.Ending`.
        """
        return [ALL_ENDINGS[int(k)] for k in self.status.numpy()]


@dataclass(frozen=True)
class RolloutGradients:
    """Gradients of a cost, as arrays on the card with a row for each member: with respect to the start, to the actions of
    each step, and to the parameters that vary. NaN where a member failed.

    >>> sorted(sb.integrate.RolloutGradients.__dataclass_fields__)
    ['actions', 'parameters', 'start']

    See also: `integrate.CudaRollout`.
    """

    start: Any
    actions: Any
    parameters: Any


@answered_class
class CudaRollout:
    """Steps of a stepper with contacts on a GPU; returned by `cuda_rollout`. `every` is the number of steps from one stored
    state to the next, which are the checkpoints of the reverse sweep.

    roll(starts, actions)                        the states after every so many steps, as `RolloutStates`
    roll.pullback(starts, actions, states, bars) the gradients of Σ bars · states
    roll.torch(starts, actions, parameters)      states as a tensor of PyTorch, with gradients

    Arrays are those of PyTorch, CuPy or JAX on the card, or `sb.emit.device_array`; starts have a row for each member,
    actions a row of `input_names` for each member and step, parameters a row of `parameter_names` for each member or one
    for all.

    >>> issubclass(sb.integrate.CudaRollout, object)
    True

    See also: `integrate.cuda_rollout`, `integrate.RolloutGradients`.
    """

    def __init__(self, stepper: Stepper, scheme: ContactSteps, real: str, vary: tuple[Symbol, ...], every: int) -> None:
        eq = scheme.equations
        self.stepper, self.real, self.every, self.dt = stepper, real, every, stepper.dt
        self.state_names = tuple(s.name for s in eq.state)
        self.input_names = tuple(s.name for s in eq.r)
        self.parameter_names = tuple(s.name for s in vary)
        self._scheme, self._vary = scheme, vary

    def __repr__(self) -> str:
        return f"<CudaRollout of {self.stepper.equations.name} ({self.real}): {self.dt:g} s, {len(self.state_names)} variables, {len(self.input_names)} inputs>"

    # ------------------------------------------------------------------------------------------------ steps

    def __call__(
        self, y: Any, actions: Any, *, parameters: Any = None, t: float = 0.0, stream: Any = None
    ) -> RolloutStates:
        """Steps from rows of states y, with actions[i, k] held in step k of member i."""
        members, count = self._given(y, actions, parameters, stream)
        states = members.new("m.states", "rows", count // self.every, len(self.state_names))
        done = members.new("m.done", "stored", dtype=np.int64)
        status = members.new(STATUS, "stored", dtype=np.int64)
        self._forward.launch(members.count, members.arrays, self._numbers(count, t), members.stream)
        return RolloutStates(converter([y])(states), done, status)

    def pullback(
        self,
        y: Any,
        actions: Any,
        states: Any,
        bars: Any,
        *,
        parameters: Any = None,
        t: float = 0.0,
        stream: Any = None,
    ) -> RolloutGradients:
        """The gradients of Σ bars · states with respect to starts, actions and parameters, by a reverse sweep: from each of
        the stored states, steps are taken again.

        states   those of the rollout; bars: the gradient of the cost with respect to them, of the same shape

        >>> sb.integrate.CudaRollout.pullback.__doc__.split(",")[0]
        'The gradients of Σ bars · states with respect to starts'

        See also: `integrate.RolloutGradients`.
        """
        members, count = self._given(y, actions, parameters, stream)
        shape, n = (members.count, count // self.every, len(self.state_names)), len(self.state_names)
        for name, array in (("states", states), ("bars", bars)):
            members.put(f"m.{name}", "rows", self._array(name, array, shape, members.stream))
        members.new("m.inner", "rows", self.every * self._scheme.substeps, n)
        to_start = members.new("m.to_start", "rows", n)
        to_actions = members.new("m.to_actions", "rows", count, len(self.input_names))
        to_given = members.new("m.to_given", "rows", len(self.parameter_names))
        members.new(STATUS, "stored", dtype=np.int64)
        self._backward.launch(members.count, members.arrays, self._numbers(count, t), members.stream)
        return RolloutGradients(*map(converter([y]), (to_start, to_actions, to_given)))

    @cached_property
    def torch(self) -> Any:
        """A function (starts, actions, parameters) of PyTorch tensors on the card, which gives the states after every so many
        steps, with gradients.

        >>> sb.integrate.CudaRollout.torch.__doc__.split("(")[0]
        'A function '

        See also: `integrate.cuda_rollout`.
        """
        return later("integrate.rollouts.rollout_wrappers", "torch_rollout")(self)

    # ------------------------------------------------------------------------------------------------ memory

    @cached_property
    def _forward(self) -> CudaLoop:
        device = self._device()
        step = card_step(device, self._scheme)
        roll = Rollout(
            **self._lengths,
            **_empty_arrays("start", "given", "actions", "states"),
            step=step,
            variations=_no_slopes(step.n),
        )
        rows = ("m.start", "m.given", "m.actions", "m.states")
        return _loop(device, run_rollout, Roles(stored=("m.done",), rows=rows), roll)

    @cached_property
    def _backward(self) -> CudaLoop:
        device = self._device()
        step = card_step(device, self._scheme)
        names = ("start", "given", "actions", "states", "bars", "inner", "to_start", "to_actions", "to_given")
        roll = RolloutPullback(
            **self._lengths, **_empty_arrays(*names), step=step, variations=_no_slopes(step.n), pull=pullback_memory(device, self._scheme, step)
        )  # fmt: skip
        return _loop(device, run_rollout_pullback, Roles(rows=tuple(f"m.{n}" for n in names)), roll)

    @property
    def _lengths(self) -> dict[str, Any]:
        return {
            "substeps": self._scheme.substeps, "every": self.every, "held": len(self.input_names), "fixed": len(self.parameter_names),
            "length": self._scheme.h,
        }  # fmt: skip

    def _device(self) -> DeviceFunctions:
        eq, module = self._scheme.equations, DeviceModule(self.real, is_compact=True)
        given = zip(self.stepper.parameter_names, self.stepper.p.tolist(), strict=True)
        numbers = dict(given)
        bake = {s: numbers[s.name] for s in eq.p if s not in self._vary}
        return DeviceFunctions(eq, (*eq.state, *eq.r, *self._vary), (), bake, module)

    def _numbers(self, count: int, t: float) -> dict[str, Any]:
        return {"m.count": count, "m.t": t}

    # ------------------------------------------------------------------------------------------------ arguments

    def _given(self, y: Any, actions: Any, parameters: Any, stream: Any) -> tuple[MemberArrays, int]:
        queue, n = stream_of(stream, (y, actions, parameters)), len(self.state_names)
        start, acts = (
            self._array("starts", y, (None, n), queue),
            self._array("actions", actions, (None, None, len(self.input_names)), queue),
        )
        count = acts.shape[1]
        if acts.shape[0] != start.shape[0] or count % self.every:
            raise SimulationError(
                f"{self}: actions have shape {acts.shape}, expected ({start.shape[0]}, steps, {len(self.input_names)}), with steps a "
                f"multiple of every={self.every}"
            )
        members = MemberArrays(start.shape[0], start.ordinal, real_dtype(self.real), queue)
        members.put("m.start", "rows", start)
        members.put("m.actions", "rows", acts)
        members.put("m.given", "rows", self._parameters(parameters, start.shape[0], queue))
        members.new(PARAMETERS, "loaded", 1)
        return members, count

    def _parameters(self, parameters: Any, count: int, stream: int) -> ArrayView:
        if parameters is None:
            numbers = dict(zip(self.stepper.parameter_names, self.stepper.p.tolist(), strict=True))
            parameters = device_array([*(numbers[n] for n in self.parameter_names), 0.0], self.real)
            return replace(parameters.view, keep=parameters)
        return self._array("parameters", parameters, (count, len(self.parameter_names)), stream, is_shared=True)

    def _array(
        self, name: str, array: Any, shape: tuple[int | None, ...], stream: int, is_shared: bool = False
    ) -> ArrayView:
        view = view_of(array, stream)
        if view is None:
            raise SimulationError(
                f"{self}: {name} must be an array on the card (sb.emit.device_array, CuPy, PyTorch or JAX), got {shown(array)}"
            )
        wanted = shape[1:] if is_shared and len(view.shape) == len(shape) - 1 else shape
        fits = len(view.shape) == len(wanted) and all(w in (None, k) for w, k in zip(wanted, view.shape, strict=True))
        packed = np.cumprod([1, *view.shape[:0:-1]])[::-1].tolist()
        if not fits or (view.shape[0] and list(view.strides[1:]) != packed[1:]):
            text = ", ".join("any" if w is None else str(w) for w in wanted)
            raise SimulationError(f"{self}: {name} has shape {view.shape}, expected ({text}), packed in rows")
        if view.dtype != real_dtype(self.real):
            raise SimulationError(f"{self}: {name} is of type {view.dtype}, expected {real_dtype(self.real)}")
        return view


@answered
def cuda_rollout(stepper: Stepper, *, real: str = "double", vary: Iterable[Any] = (), every: int = 1) -> CudaRollout:
    """Many steps of a stepper with contacts for each member of a batch on an NVIDIA GPU, in one launch: `states =
    cuda_rollout(env)(starts, actions).states`, and gradients of any cost of these states.

    In double precision states are those of `Stepper.step`, gradients those of `Stepper.pullback` step after step, to rounding.

    stepper   of `Contacts`, with inputs held over its steps
    real      "double", or "float" (single)
    vary      parameters that differ between members, by name or symbol; gradients are with respect to these
    every     number of steps from one stored state to the next. A reverse sweep takes the steps between two of them again, and
              needs memory for their states

    >>> m = sb.Model("ball")
    >>> y, F = m.coordinate("y"), m.input("F")
    >>> ball = m.particle("ball", m.ground.point(0, y, 0), mass=2.0)
    >>> m.gravity(0, -10.0, 0)
    >>> lift = m.generalized_force("lift", y, F)
    >>> env = sb.stepper(sb.Contacts(sb.derive(m), sb.Contact("floor", y)), 0.01, y=0.1)
    >>> try:
    ...     roll = sb.integrate.cuda_rollout(env)
    ...     y, actions = sb.emit.device_array([[0.1, 0.0]]), sb.emit.device_array(np.full((1, 5, 1), 20.0))
    ...     height = roll(y, actions).states.numpy()[0, -1, 0]
    ... except sb.errors.CompileError:  # without a card of NVIDIA
    ...     height = 0.1
    >>> height
    0.1

    See also: `stepper`, `integrate.Stepper`, `integrate.cuda_motions`, `integrate.CudaRollout`.
    """
    if not isinstance(stepper, Stepper) or not isinstance(stepper.scheme, ContactSteps):
        raise SimulationError(
            f"cuda_rollout: takes a stepper of Contacts, which may be none, sb.stepper(sb.Contacts(eq), 0.01); got {shown(stepper)}"
        )
    cuda()
    scheme, where = stepper.scheme, f"cuda_rollout of {stepper.equations.name!r}"
    check_for_card(scheme, where)
    if not isinstance(every, int) or every < 1:
        raise SimulationError(f"{where}: every = {shown(every)}: a whole number of at least 1")
    table = scheme.equations.variables.of("p")
    return CudaRollout(
        stepper,
        scheme,
        checked_real(real),
        tuple(table.resolved(dict.fromkeys(vary, 0.0), where, SimulationError)),
        every,
    )


def _empty_arrays(*names: str) -> dict[str, Any]:
    return {name: np.zeros(1) for name in names}


def _no_slopes(n: int) -> Any:
    return no_variations(n).know("columns", "seeds", "width", "rates", "point")


def _loop(device: DeviceFunctions, kernel: Any, roles: Roles, record: Struct) -> CudaLoop:
    record.know("substeps", "every", "held", "fixed", "length")
    arguments = device.module.entry(ENTRY, kernel, roles, 0, m=record)
    return CudaLoop(device.module, arguments, {"m": record})

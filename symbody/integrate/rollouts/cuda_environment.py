"""`cuda_environment`: the members of an environment on a GPU, where they take steps, are observed, rewarded, end and begin
anew in one launch; actions and results stay on the card."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np

from ...argument_kinds import answered, answered_class
from ...emit.llvm.device_loops import PARAMETERS, STATUS, DeviceModule, Roles
from ...emit.run.cuda_callable import checked_real
from ...emit.run.cuda_driver import cuda
from ...emit.run.cuda_loops import ENTRY, CudaLoop
from ...emit.run.device_arrays import ArrayView, DeviceArray, converter, device_array, real_dtype, stream_of, view_of
from ...errors import SimulationError, shown
from ..environments.environment import Environment
from ..gpu.cuda_batch import ALL_ENDINGS, MemberArrays
from ..gpu.device_form import DeviceFunctions
from ..kernels.march_records import DONE
from ..steppers.contact_steps import ContactSteps
from ..time_stepping.moreau_programs import no_variations
from .environment_kernels import BAD_ACTION, EnvironmentMember, step_environment
from .steps_for_cards import card_step, check_for_card

WIDEST: Final = 1e30  # actions without limits
ASSEMBLED: Final = 512  # starts of mechanisms with constraints, each of which is assembled
RESULTS: Final = ("observation", "reward", "ended", "cut", "final")


@dataclass(frozen=True)
class CudaEnvironmentStep:
    """The result of a step of an environment, as arrays on the card with a row or a number for each member: as in
    `EnvironmentStep`, with 1 and 0 for true and false.

    observation    after the step; of members that begin anew, at their new start
    reward         of the step; 0 where it failed
    ended, cut     whether the member ended, or its episode was cut because it had the most steps
    final          observations at the end of the step, before members began anew
    status         how the step of each member ended, as a number; `failures()` has sentences

    >>> sorted(sb.integrate.CudaEnvironmentStep.__dataclass_fields__)
    ['cut', 'ended', 'final', 'observation', 'reward', 'status']

    See also: `integrate.cuda_environment`, `integrate.EnvironmentStep`.
    """

    observation: Any
    reward: Any
    ended: Any
    cut: Any
    final: Any
    status: DeviceArray

    def failures(self) -> Mapping[int, str]:
        """A sentence for each member that failed, by its number.

        >>> sb.integrate.CudaEnvironmentStep.failures.__doc__.split(",")[0]
        'A sentence for each member that failed'

        See also: `integrate.EnvironmentStep`.
        """
        status = self.status.numpy()
        return {int(k): _sentence(int(status[k])) for k in np.flatnonzero(status != DONE)}


def _sentence(status: int) -> str:
    return "its action is not a number" if status == BAD_ACTION else f"its step: {ALL_ENDINGS[status]}"


@answered_class
class CudaEnvironment:
    """Members of an environment on a GPU; returned by `cuda_environment`.

    env.reset(seed)     all members begin; their observations, an array on the card
    env.step(actions)   a `CudaEnvironmentStep`, whose arrays are of the kind of the actions (PyTorch, CuPy, JAX)
    env.states          state and parameters of each member, an array on the card

    >>> issubclass(sb.integrate.CudaEnvironment, object)
    True

    See also: `integrate.cuda_environment`, `integrate.Environment`.
    """

    def __init__(self, environment: Environment, scheme: ContactSteps, real: str, draws: int) -> None:
        self.environment, self.real, self.draws, self._scheme = environment, real, draws, scheme
        self.members, self.action_names = environment.members, environment.action_names
        self.observation_names = environment.observation_names
        self.reset(0)

    def __repr__(self) -> str:
        return f"<CudaEnvironment of {self._scheme.equations.name} ({self.real}): {self.members} members>"

    def reset(self, seed: int) -> DeviceArray:
        """All members begin: values of `draws` starts are drawn, and each member begins at one of them; those that begin
        anew take others in turn.

        >>> sb.integrate.CudaEnvironment.reset.__doc__.split(":")[0]
        'All members begin'

        See also: `integrate.Environment`.
        """
        stepper, episodes = self.environment.stepper, self.environment.episodes
        rng = np.random.default_rng(seed)
        p = episodes.parameters.rows(rng, stepper.p, self.draws)
        failures: dict[int, str] = {}
        starts = episodes.starts.rows(rng, p, range(self.draws), failures)
        if failures:
            k, why = next(iter(failures.items()))
            raise SimulationError(f"{self}: start {k} of {self.draws}: {why}")
        rows = np.hstack([starts, p])
        at = np.arange(self.members) % self.draws
        self._starts, self.states = device_array(rows, self.real), device_array(rows[at], self.real)
        self._counts = device_array(np.zeros((self.members, 2)), self.real)
        groups = {"t": 0.0, "x": starts, "r": np.zeros((self.draws, len(stepper.input_names))), "p": p}
        outcome = self.environment.outcome
        seen = outcome.batch(*(groups[g.name] for g in outcome.program.inputs))[0].reshape(self.draws, -1)
        return device_array(seen[at], self.real)

    def step(self, actions: Any = None, *, stream: Any = None) -> CudaEnvironmentStep:
        """A step of all members with a row of actions for each, an array on the card; by default actions are zero.

        >>> sb.integrate.CudaEnvironment.step.__doc__.split(",")[0]
        'A step of all members with a row of actions for each'

        See also: `integrate.CudaEnvironmentStep`.
        """
        queue = stream_of(stream, (actions,))
        view = self._actions(actions, queue)
        members = MemberArrays(self.members, view.ordinal, real_dtype(self.real), queue)
        members.put("m.actions", "rows", view)
        members.put("m.states", "rows", self.states.ready_for(queue))
        members.put("m.counts", "rows", self._counts.ready_for(queue))
        members.arrays["m.starts", "shared"] = (self._starts.ready_for(queue), 0)
        members.new(PARAMETERS, "loaded", 1)
        width = len(self.observation_names)
        found = {
            k: members.new(f"m.{k}", "rows", *((width,) if k in ("observation", "final") else ())) for k in RESULTS
        }
        status = members.new(STATUS, "stored", dtype=np.int64)
        self._loop.launch(self.members, members.arrays, {}, queue)
        made = converter([actions])
        return CudaEnvironmentStep(**{k: made(x) for k, x in found.items()}, status=status)

    def _actions(self, actions: Any, stream: int) -> ArrayView:
        shape = (self.members, len(self.action_names))
        given = self._no_actions if actions is None else actions
        view = view_of(given, stream)
        if view is None:
            raise SimulationError(
                f"{self}: actions must be an array on the card (sb.emit.device_array, CuPy, PyTorch or JAX), got {shown(actions)}"
            )
        if view.shape != shape or (view.strides[-1] != 1 and shape[1] > 1) or view.dtype != real_dtype(self.real):
            raise SimulationError(
                f"{self}: actions have shape {view.shape} of {view.dtype}, expected {shape} of {real_dtype(self.real)}, in rows"
            )
        return view

    @cached_property
    def _no_actions(self) -> DeviceArray:
        return device_array(np.zeros((self.members, len(self.action_names))), self.real)

    @cached_property
    def _loop(self) -> CudaLoop:
        env, scheme, eq = self.environment, self._scheme, self._scheme.equations
        behind = [s for group in (eq.r, eq.p) for s in group]
        device = DeviceFunctions(eq, (*eq.state, *behind), (), {}, DeviceModule(self.real, is_compact=True))
        step = card_step(device, scheme)
        names, a = [s.name for s in eq.r], env.episodes.actions
        places = [a.names.index(n) if n in a.names else -1 for n in names]
        low, high = (
            [float(np.clip(x[k], -WIDEST, WIDEST)) if k >= 0 else 0.0 for k in places] for x in (a.low, a.high)
        )
        width = len(self.observation_names)
        member = EnvironmentMember(
            members=self.members, width=width, held=len(eq.r), fixed=len(eq.p), acts=len(a.names), substeps=scheme.substeps, most=env.episodes.steps,
            draws=self.draws, length=scheme.h, dt=env.stepper.dt, column=tuple(map(float, places)) or (0.0,), low=tuple(low) or (0.0,), high=tuple(high) or (0.0,),
            starts=np.zeros(1), states=np.zeros(1), counts=np.zeros(2), actions=np.zeros(1), observation=np.zeros(1), final=np.zeros(1),
            reward=np.zeros(1), ended=np.zeros(1), cut=np.zeros(1), outcome=device.function("outcome", env.episodes.outputs, is_inlined=False),
            seen=np.zeros(width), gain=np.zeros(1), over=np.zeros(1), before=np.zeros(step.n), step=step,
            variations=no_variations(step.n).know("columns", "seeds", "width", "rates", "point"),
        ).know("members", "width", "held", "fixed", "acts", "substeps", "most", "draws", "length", "dt")  # fmt: skip
        rows = tuple(f"m.{k}" for k in ("states", "counts", "actions", *RESULTS))
        roles = Roles(rows=rows, shared=("m.starts",), member="m.member")
        arguments = device.module.entry(ENTRY, step_environment, roles, 0, m=member)
        return CudaLoop(device.module, arguments, {"m": member})


@answered
def cuda_environment(environment: Environment, *, real: str = "double", draws: int | None = None) -> CudaEnvironment:
    """The members of an environment on an NVIDIA GPU: steps, observations, rewards, ends and new starts in one launch, with
    actions and results on the card.

    environment   `sb.environment(...)` for a stepper with contacts; its steps, in double precision to rounding
    real          "double", or "float" (single)
    draws         number of starts with parameters that are drawn; members that begin anew take one after another. By default
                  the number of members, and no more than 512 where each start is assembled to satisfy constraints

    >>> m = sb.Model("ball")
    >>> y, F = m.coordinate("y"), m.input("F")
    >>> ball = m.particle("ball", m.ground.point(0, y, 0), mass=2.0)
    >>> m.gravity(0, -10.0, 0)
    >>> lift = m.generalized_force("lift", y, F)
    >>> stepper = sb.stepper(sb.Contacts(sb.derive(m), sb.Contact("floor", y)), 0.01, y=0.1)
    >>> env = sb.environment(stepper, 64, reward=-(y - 0.1) ** 2, start={y: (0.05, 0.15)}, actions={F: (-40, 40)})
    >>> try:
    ...     card = sb.integrate.cuda_environment(env, real="float")
    ...     seen, members = card.reset(seed=1), card.step().reward.shape
    ... except sb.errors.CompileError:  # without a card of NVIDIA
    ...     members = (64,)
    >>> members
    (64,)

    See also: `environment`, `integrate.CudaEnvironment`, `integrate.cuda_rollout`.
    """
    if not isinstance(environment, Environment) or not isinstance(environment.stepper.scheme, ContactSteps):
        raise SimulationError(
            "cuda_environment: takes an environment of a stepper of Contacts, which may be none, sb.environment(sb.stepper(sb.Contacts(eq), 0.01), "
            f"...); got {shown(environment)}"
        )
    scheme = environment.stepper.scheme
    where = f"cuda_environment of {scheme.equations.name!r}"
    check_for_card(scheme, where)
    if environment.episodes.waits:
        raise SimulationError(f'{where}: members begin anew in the same step; make it with autoreset="same step"')
    most = ASSEMBLED if scheme.equations.lam and environment.episodes.starts.drawn.names else environment.members
    count = min(environment.members, most) if draws is None else draws
    if not isinstance(count, int) or count < 1:
        raise SimulationError(f"{where}: draws = {shown(draws)}: a whole number of at least 1")
    cuda()
    return CudaEnvironment(environment, scheme, checked_real(real), count)

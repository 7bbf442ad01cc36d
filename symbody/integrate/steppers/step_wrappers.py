"""Steppers for Gymnasium, JAX and PyTorch. Each package is loaded on first use; arrays of 64-bit floats are shared, those of
32-bit floats are converted. States have 64 bits where the package allows it: rounded to 32, contacts that touch are open."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...errors import SimulationError, listed
from ...optional_packages import optional_package
from ...summary import counted
from .stepper import Stepper

# ---------------------------------------------------------------------------------------------------------- JAX


def jax_step(env: Stepper) -> Callable[..., Any]:
    """step(state, r, p) of JAX arrays: a call back into this process, whose arrays JAX shares. Derivatives are exact, in
    forward mode, and in reverse mode as the transpose of that; `vmap` makes one call of all members."""
    jax = optional_package("jax", "stepper.jax", SimulationError)
    numpy, sizes = jax.numpy, (len(env.state_names), len(env.input_names), len(env.parameter_names))

    def rows(*given: Any) -> tuple[Any, ...]:
        """States, inputs and parameters, a row for each member."""
        leading = _leading(*given)
        count = int(np.prod(leading))
        wide = (
            np.broadcast_to(np.asarray(x, dtype=np.float64), (*leading, n)) for x, n in zip(given, sizes, strict=True)
        )
        return tuple(x.reshape(count, n) for x, n in zip(wide, sizes, strict=True))

    def of(state: Any, r: Any, p: Any) -> Any:
        x, inputs, parameters = rows(state, r, p)
        found = env.step(x, inputs, p=parameters).reshape(*_leading(state, r, p), sizes[0])
        return found.astype(number(), copy=False)

    def number() -> Any:
        """The type of numbers of JAX: of 32 bits unless `jax_enable_x64` is set."""
        return jax.dtypes.canonicalize_dtype(np.float64)

    def slopes(state: Any, r: Any, p: Any) -> tuple[Any, ...]:
        x, inputs, parameters = rows(state, r, p)
        found = env.derivatives(x, inputs, p=parameters, wrt=("x", "r", "p"))
        leading = _leading(state, r, p)
        parts = (found.state, found.x, found.r, found.p)
        return tuple(np.ascontiguousarray(a, number()).reshape(*leading, *a.shape[1:]) for a in parts if a is not None)

    def shaped(leading: tuple[int, ...], *more: int) -> Any:
        return jax.ShapeDtypeStruct((*leading, *more), number())

    def called(state: Any, r: Any, p: Any) -> Any:
        result = shaped(_leading(state, r, p), sizes[0])
        return jax.pure_callback(of, result, state, r, p, vmap_method="expand_dims")

    def varied(given: Any, changes: Any) -> tuple[Any, Any]:
        leading = _leading(*given)
        results = (shaped(leading, sizes[0]), *(shaped(leading, sizes[0], n) for n in sizes))
        after, *found = jax.pure_callback(slopes, results, *given, vmap_method="expand_dims")
        parts = [numpy.einsum("...ij,...j->...i", J, dx) for J, dx in zip(found, changes, strict=True)]
        return after, sum(parts[1:], parts[0])

    step = jax.custom_jvp(called)
    step.defjvp(varied)

    def with_inputs(state: Any, r: Any = None, p: Any = None) -> Any:
        """A step; inputs that are not given are zero, parameters are those of the stepper."""
        inputs = numpy.zeros(sizes[1]) if r is None else r
        given = [numpy.asarray(x) for x in (state, inputs, env.p if p is None else p)]
        _check_sizes(env, given, "jax")
        return step(*given)

    return with_inputs


def _check_sizes(env: Stepper, given: Sequence[Any], of: str) -> None:
    """Whether the last sizes of state, inputs and parameters are those of the stepper."""
    names = (env.state_names, env.input_names, env.parameter_names)
    for what, x, its in zip(("a state", "r", "p"), given, names, strict=True):
        if not x.shape or x.shape[-1] != len(its):
            raise SimulationError(
                f"{env}.{of}: {what} has {counted(len(its), 'number')} ({listed(its)}), got shape {tuple(x.shape)}"
            )


def _leading(*given: Any) -> tuple[int, ...]:
    """The shape of the members."""
    return np.broadcast_shapes(*(x.shape[:-1] for x in given))


# ---------------------------------------------------------------------------------------------------------- PyTorch


def torch_step(env: Stepper) -> Callable[..., Any]:
    """step(state, r, p) of PyTorch tensors in memory of this computer, with gradients by `Stepper.pullback`."""
    torch = optional_package("torch", "stepper.torch", SimulationError)

    class TorchStep(torch.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(kept: Any, state: Any, r: Any, p: Any) -> Any:
            kept.save_for_backward(state, r, p)
            return torch.from_numpy(env.step(numbers(state), numbers(r), p=numbers(p)))

        @staticmethod
        def backward(kept: Any, bar: Any) -> Any:
            state, r, p = kept.saved_tensors
            wrt = ("x", "r", "p") if kept.needs_input_grad[2] else ("x", "r")
            found = env.pullback(numbers(state), numbers(bar), numbers(r), p=numbers(p), wrt=wrt)
            bars = [getattr(found, g) for g in wrt]
            totals = (torch.from_numpy(_for_all(b, x)).to(x.dtype) for b, x in zip(bars, (state, r, p), strict=False))
            return (*totals, *([None] * (3 - len(bars))))

    def numbers(x: Any) -> Any:
        return x.detach().to(torch.float64).numpy()

    def with_inputs(state: Any, r: Any = None, p: Any = None) -> Any:
        """A step; inputs that are not given are zero, parameters are those of the stepper."""
        inputs = torch.zeros(len(env.input_names), dtype=torch.float64) if r is None else r
        given = (state, inputs, torch.from_numpy(env.p) if p is None else p)
        _check_sizes(env, given, "torch")
        if (where := next((x.device for x in given if x.device.type != "cpu"), None)) is not None:
            raise SimulationError(
                f"{env}.torch: a tensor is on {where}; it takes those in memory of this computer, `integrate.cuda_rollout(env).torch` "
                "takes those on a card"
            )
        return TorchStep.apply(*given)

    return with_inputs


def _for_all(bar: Any, given: Any) -> Any:
    """The gradient of a row that all members share is the sum of theirs."""
    return np.ascontiguousarray(bar.sum(axis=0) if bar.ndim > given.ndim else bar)


# ---------------------------------------------------------------------------------------------------------- Gymnasium


def vector_environment(
    env: Stepper,
    members: int,
    reward: Callable[[Any, Any, Any], Any],
    *,
    ends: Callable[[Any], Any] | None = None,
    spread: float = 0.05,
    limit: float = 1.0,
    steps: int = 200,
) -> Any:
    """A `gymnasium.vector.VectorEnv`: observations are states, actions are inputs.

    reward   of (states, actions, states after), a number for each member
    ends     of states: which members have ended
    spread   of starts around `env.start`, of every variable
    limit    of the actions, to both sides; `steps` after which an episode is cut

    A member that has ended, was cut or has no numbers any more begins anew with its next step.
    """
    gymnasium = optional_package("gymnasium", "stepper.gymnasium", SimulationError)
    n, m = len(env.state_names), len(env.input_names)
    spaces = gymnasium.spaces

    class VectorEnvironment(gymnasium.vector.VectorEnv):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            self.num_envs = members
            self.single_observation_space = spaces.Box(-np.inf, np.inf, (n,), np.float64)
            self.single_action_space = spaces.Box(-limit, limit, (m,), np.float64)
            self.observation_space = spaces.Box(-np.inf, np.inf, (members, n), np.float64)
            self.action_space = spaces.Box(-limit, limit, (members, m), np.float64)
            self.metadata = {"autoreset_mode": gymnasium.vector.AutoresetMode.NEXT_STEP}
            self.states, self.age, self.over = np.zeros((members, n)), np.zeros(members, int), np.zeros(members, bool)

        def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
            super().reset(seed=seed)
            self.states = self._starts()
            self.age[:], self.over[:] = 0, False
            return self.states.copy(), {}

        def _starts(self) -> Any:
            return env.start + self.np_random.uniform(-spread, spread, (members, n))

        def step(self, actions: Any) -> Any:
            before, again = self.states, self.over
            after = env.reset(env.step(before, actions), again, self._starts())
            self.age = np.where(again, 0, self.age + 1)
            is_lost = np.any(np.isnan(after), axis=1)
            ended = (
                is_lost | (np.zeros(members, bool) if ends is None else np.asarray(ends(after), dtype=bool)) & ~again
            )
            cut = (self.age >= steps) & ~ended
            gained = np.where(again | is_lost, 0.0, reward(before, np.asarray(actions), after))
            self.states, self.over = env.reset(after, is_lost), ended | cut
            return self.states.copy(), gained, ended, cut, {}

    return VectorEnvironment()

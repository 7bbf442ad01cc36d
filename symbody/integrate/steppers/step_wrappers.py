"""Steppers for Gymnasium, JAX and PyTorch. Each package is loaded on first use; arrays are shared, not copied, where
they are of 64-bit floats."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import SimulationError
from ...optional_packages import optional_package
from .stepper import Stepper

# ---------------------------------------------------------------------------------------------------------- JAX


def jax_step(env: Stepper) -> Callable[..., Any]:
    """step(state, r) of JAX arrays: a call back into this process, whose arrays JAX shares, with exact derivatives in
    reverse mode."""
    jax = optional_package("jax", "stepper.jax", SimulationError)
    n, m = len(env.state_names), len(env.input_names)

    def rows(state: Any, r: Any) -> tuple[Any, Any]:
        states = np.asarray(state, dtype=np.float64).reshape(-1, n)
        return states, np.asarray(r).reshape(-1, m) if m else None

    def of(state: Any, r: Any) -> Any:
        return env.step(*rows(state, r)).reshape(state.shape)

    def slopes(state: Any, r: Any) -> tuple[Any, Any]:
        found = env.derivatives(*rows(state, r))
        return tuple(np.asarray(x).reshape(*state.shape, x.shape[-1]) for x in (found.x, found.r) if x is not None)  # type: ignore[return-value]

    def shaped(x: Any, *more: int) -> Any:
        return jax.ShapeDtypeStruct((*x.shape, *more), np.float64)

    def of_arrays(state: Any, r: Any) -> Any:
        return jax.pure_callback(of, shaped(state), state, r, vmap_method="expand_dims")

    step = jax.custom_vjp(of_arrays)

    def forward(state: Any, r: Any) -> tuple[Any, Any]:
        return step(state, r), (state, r)

    def backward(kept: Any, bar: Any) -> tuple[Any, Any]:
        state, r = kept
        dx, dr = jax.pure_callback(slopes, (shaped(state, n), shaped(state, m)), state, r, vmap_method="expand_dims")
        numpy = jax.numpy
        return numpy.einsum("...i,...ij->...j", bar, dx), numpy.einsum("...i,...ij->...j", bar, dr)

    step.defvjp(forward, backward)

    def with_inputs(state: Any, r: Any = None) -> Any:
        """A step; inputs that are not given are zero."""
        return step(state, jax.numpy.zeros(m) if r is None else r)

    return with_inputs


# ---------------------------------------------------------------------------------------------------------- PyTorch


def torch_step(env: Stepper) -> Callable[..., Any]:
    """step(state, r) of PyTorch tensors in memory of this computer, with gradients."""
    torch = optional_package("torch", "stepper.torch", SimulationError)

    class TorchStep(torch.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(kept: Any, state: Any, r: Any) -> Any:
            kept.save_for_backward(state, r)
            return torch.from_numpy(env.step(_numbers(state), _numbers(r)))

        @staticmethod
        def backward(kept: Any, bar: Any) -> Any:
            state, r = kept.saved_tensors
            found = env.derivatives(_numbers(state), _numbers(r))
            return tuple(torch.einsum("...i,...ij->...j", bar, torch.from_numpy(x)) for x in (found.x, found.r))

    def _numbers(x: Any) -> Any:
        return x.detach().numpy()

    return TorchStep.apply


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

"""Environments as vector environments of Gymnasium, which is loaded on first use."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import SimulationError
from ...optional_packages import optional_package
from .environment import Environment


def vector_environment(env: Environment) -> Any:
    """A `gymnasium.vector.VectorEnv` with the members and the autoreset mode of the environment: in mode SAME_STEP observations
    at the end of an episode are in `info["final_obs"]`; failures in `info["failures"]`."""
    gymnasium = optional_package("gymnasium", "environment.gymnasium", SimulationError)
    box, vector = gymnasium.spaces.Box, gymnasium.vector
    seen, acts, waits = len(env.observation_names), env.action_limits, env.episodes.waits

    class VectorOfMembers(vector.VectorEnv):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            self.num_envs, self.render_mode = env.members, None
            modes = vector.AutoresetMode
            self.metadata = {"autoreset_mode": modes.NEXT_STEP if waits else modes.SAME_STEP}
            self.single_observation_space = box(-np.inf, np.inf, (seen,), np.float64)
            self.single_action_space = box(*acts, dtype=np.float64)
            self.observation_space = vector.utils.batch_space(self.single_observation_space, env.members)
            self.action_space = vector.utils.batch_space(self.single_action_space, env.members)

        def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
            super().reset(seed=seed)
            return env.reset(seed), {}

        def step(self, actions: Any) -> Any:
            found = env.step(actions)
            info: dict[str, Any] = {"failures": dict(found.failures)} if found.failures else {}
            if not waits and (over := found.ended | found.cut).any():
                info |= {"final_obs": found.final, "_final_obs": over}
            return found.observation, found.reward, found.ended, found.cut, info

        def render(self) -> Any:
            if env.watched is None:
                raise SimulationError(
                    f"{env}: no member is watched; environment(..., watch=0) keeps the states of one to show"
                )
            return env.trajectory(env.watched).scene()

    return VectorOfMembers()

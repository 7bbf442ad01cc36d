"""Policies that push a board to a goal (`pushing_task.py`), trained on a card with PyTorch: by proximal policy optimisation
on the environment of this package and on MJX's, and by analytic gradients through contact.

The policy, its start, the optimiser, members and steps of an episode are the same. Rows have the mean reward of a step
in each iteration, and seconds since the beginning without the first iteration, in which machine code is made.
Proximal policy optimisation: Schulman and others (2017), with generalised advantages.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

import symbody as sb

from . import pushing_task
from .timing import Row

MEMBERS: Final = 4096
ITERATIONS: Final = {"analytic gradients": 120, "PPO": 120, "PPO, MJX": 60}
DISCOUNT: Final = 0.97
LAMBDA: Final = 0.95
CLIP: Final = 0.2
EPOCHS: Final = 4
BATCHES: Final = 8
SPREAD: Final = -1.0  # logarithm of the spread of actions at the beginning
AHEAD: Final = 0.3  # part of the largest force that the untrained policy pushes with
Array = Any


def torch() -> Any:
    return importlib.import_module("torch")


def network(inputs: int, outputs: int, device: str, last: float) -> Any:
    nn = torch().nn
    layers = nn.Sequential(
        nn.Linear(inputs, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, outputs)
    ).to(device)  # fmt: skip
    layers[-1].weight.data *= last
    layers[-1].bias.data.zero_()
    return layers


def policy(device: str, inputs: int = 10) -> Any:
    torch().manual_seed(1)
    net = network(inputs, 2, device, 0.1)
    net[-1].bias.data[0] = AHEAD
    return net


# ---------------------------------------------------------------------------------------------------- environments


class OnCard:
    """The environment of this package on a card."""

    device: Final = "cuda"

    def __init__(self, members: int) -> None:
        self.environment = sb.integrate.cuda_environment(pushing_task.environment(members), real="float")

    def reset(self, seed: int) -> Array:
        return torch().from_dlpack(self.environment.reset(seed=seed))

    def step(self, actions: Array) -> tuple[Array, Array]:
        """Observations after the step and rewards."""
        found = self.environment.step(actions)
        return found.final, found.reward


# ---------------------------------------------------------------------------------------------------- PPO


def trained_by_ppo(env: Any, iterations: int) -> Iterator[tuple[float, float]]:
    """Seconds and the mean reward of a step, of each iteration."""
    t = torch()
    actor, critic = policy(env.device), network(10, 1, env.device, 1.0)
    spread = t.nn.Parameter(t.full((2,), SPREAD, device=env.device))
    optimiser = t.optim.Adam([*actor.parameters(), *critic.parameters(), spread], lr=1e-3)
    began = time.perf_counter()
    for k in range(iterations):
        seen, actions, rewards, after = rolled_out(env, actor, spread, k)
        advantages, returns, logs = estimates(actor, critic, spread, seen, actions, rewards, after)
        data = [x.flatten(0, 1) for x in (seen, actions, advantages, returns, logs)]
        for _ in range(EPOCHS):
            for part in t.randperm(len(data[0]), device=env.device).chunk(BATCHES):
                loss = ppo_loss(actor, critic, spread, *(x[part] for x in data))
                optimiser.zero_grad()
                loss.backward()
                t.nn.utils.clip_grad_norm_([*actor.parameters(), *critic.parameters(), spread], 1.0)
                optimiser.step()
        reward = float(rewards.mean())
        yield time.perf_counter() - began, reward
        if k == 0:
            began = time.perf_counter()


def rolled_out(env: Any, actor: Any, spread: Any, seed: int) -> tuple[Array, ...]:
    t = torch()
    x, rows = env.reset(seed), []
    with t.no_grad():
        for _ in range(pushing_task.STEPS):
            mean = actor(x)
            a = mean + spread.exp() * t.randn_like(mean)
            after, reward = env.step(a * pushing_task.FORCE)
            rows.append((x, a, reward))
            x = after
    seen, actions, rewards = (t.stack(column) for column in zip(*rows, strict=True))
    return seen, actions, rewards, x


def log_density(actor: Any, spread: Any, seen: Array, actions: Array) -> Array:
    return torch().distributions.Normal(actor(seen), spread.exp()).log_prob(actions).sum(-1)


def estimates(
    actor: Any, critic: Any, spread: Any, seen: Array, actions: Array, rewards: Array, last: Array
) -> tuple[Array, ...]:
    """Generalised advantages, returns, and logarithms of densities."""
    t = torch()
    with t.no_grad():
        values = critic(t.cat([seen, last[None]]))[..., 0]
        advantages, sum_ = t.zeros_like(rewards), t.zeros_like(rewards[0])
        for k in reversed(range(len(rewards))):
            sum_ = rewards[k] + DISCOUNT * values[k + 1] - values[k] + DISCOUNT * LAMBDA * sum_
            advantages[k] = sum_
        logs = log_density(actor, spread, seen, actions)
    return (advantages - advantages.mean()) / advantages.std(), advantages + values[:-1], logs


def ppo_loss(
    actor: Any, critic: Any, spread: Any, seen: Array, actions: Array, advantages: Array, returns: Array, logs: Array
) -> Array:
    ratio = (log_density(actor, spread, seen, actions) - logs).exp()
    gain = torch().minimum(ratio * advantages, ratio.clamp(1 - CLIP, 1 + CLIP) * advantages)
    return -gain.mean() + 0.5 * ((critic(seen)[..., 0] - returns) ** 2).mean()


# ---------------------------------------------------------------------------------------------------- analytic gradients


def trained_by_gradients(members: int, iterations: int, device: str = "cuda") -> Iterator[tuple[float, float]]:
    """The same policy without noise: the gradient of the reward of whole episodes, through every contact of them."""
    t = torch()
    env = pushing_task.environment(members)
    stepper, eq = env.stepper, env.stepper.equations
    take = card_step(stepper) if device == "cuda" else cpu_step(stepper)
    actor, draw = policy(device), t.Generator(device=device)
    optimiser = t.optim.Adam(actor.parameters(), lr=3e-3)
    names, real = [s.name for s in eq.state], t.float32 if device == "cuda" else t.float64
    actor = actor.to(real)
    began = time.perf_counter()
    for k in range(iterations):
        x, goals = drawn(t, draw.manual_seed(k), names, members, stepper.start, device, real)
        total = t.zeros((), device=device, dtype=real)
        for _ in range(pushing_task.STEPS):
            actions = (actor(observed(t, x, goals, names)) * pushing_task.FORCE).clamp(
                -pushing_task.FORCE, pushing_task.FORCE
            )
            x = take(x, actions, goals)
            far = goals - x[:, [names.index("board_x"), names.index("board_y")]]
            cost = ((far**2).sum(1) + 1e-4).sqrt() + pushing_task.EFFORT * (actions**2).sum(1) / pushing_task.FORCE**2
            total = total - cost.mean()
        loss = -total / pushing_task.STEPS
        optimiser.zero_grad()
        loss.backward()
        t.nn.utils.clip_grad_norm_(actor.parameters(), 1.0)
        optimiser.step()
        yield time.perf_counter() - began, -loss.item()
        if k == 0:
            began = time.perf_counter()


def card_step(stepper: sb.integrate.Stepper) -> Callable[[Array, Array, Array], Array]:
    roll = sb.integrate.cuda_rollout(stepper, real="float")
    return lambda x, actions, goals: roll.torch(x, actions[:, None])[:, 0]


def cpu_step(stepper: sb.integrate.Stepper) -> Callable[[Array, Array, Array], Array]:
    return lambda x, actions, goals: stepper.torch(x, actions)


def drawn(
    t: Any, draw: Any, names: list[str], members: int, start: Array, device: str, real: Any
) -> tuple[Array, Array]:
    """States at the start, and goals."""
    x = t.tensor(start, device=device, dtype=real).repeat(members, 1)

    def between(limits: tuple[float, float]) -> Array:
        return limits[0] + (limits[1] - limits[0]) * t.rand(members, device=device, dtype=real, generator=draw)

    for name, limits in pushing_task.STARTS.items():
        x[:, names.index(name)] = between(limits)
    return x, t.stack([between(limits) for limits in pushing_task.GOALS.values()], 1)


def observed(t: Any, x: Array, goals: Array, names: list[str]) -> Array:
    """As the environment has it."""
    v = {n: x[:, i] for i, n in enumerate(names)}
    columns = [10 * (v["finger_x"] - v["board_x"]), 10 * (v["finger_y"] - v["board_y"])]
    columns += [5 * (goals[:, 0] - v["board_x"]), 5 * (goals[:, 1] - v["board_y"])]
    columns += [5 * v[n] for n in ("finger_x_dot", "finger_y_dot", "board_x_dot", "board_y_dot")]
    return t.stack([*columns, 3 * v["board_a"], v["board_a_dot"]], 1)


# ---------------------------------------------------------------------------------------------------- rows


def rows() -> Iterator[Row]:
    def mjx() -> Any:
        return importlib.import_module("bench.peers.pushing_in_mjx").InMjx(MEMBERS)

    ways: dict[str, Callable[[int], Iterator[tuple[float, float]]]] = {
        "analytic gradients": lambda n: trained_by_gradients(MEMBERS, n),
        "PPO": lambda n: trained_by_ppo(OnCard(MEMBERS), n),
        "PPO, MJX": lambda n: trained_by_ppo(mjx(), n),
    }
    for name, train in ways.items():
        try:
            curve = list(train(ITERATIONS[name]))
        except ModuleNotFoundError as missing:
            yield {"case": "push a board to a goal", "method": name, "peer": f"not installed: {missing.name}"}
            continue
        yield {
            "case": "push a board to a goal", "method": name, "members": MEMBERS, "iterations": len(curve),
            "first_s": curve[0][0], "seconds": curve[-1][0], "reward_first": curve[0][1], "reward_last": curve[-1][1],
            "steps_per_s": MEMBERS * pushing_task.STEPS * pushing_task.SUBSTEPS * (len(curve) - 1) / curve[-1][0],
            "curve": [[round(s, 3), round(r, 5)] for s, r in curve],
        }  # fmt: skip

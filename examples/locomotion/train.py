"""Proximal policy optimisation (Schulman et al. 2017) of the robots in `environments.py`, in PyTorch on the cores of this computer.

    python -m examples.locomotion.train cart-pole
    python -m examples.locomotion.train hopper --iterations 300

prints the mean length and reward of the episodes that ended in each iteration, and saves an episode as an HTML scene.
"""

from __future__ import annotations

import argparse
import time
from typing import Any, Final

import torch
from torch import nn

import symbody as sb

from .environments import ROBOTS, Task, environment, file_of, robot_of

MEMBERS: Final = 256
STEPS: Final = 64  # of an iteration
DISCOUNT, TRACE, CLIP = 0.99, 0.95, 0.2
EPOCHS, PARTS, RATE = 5, 8, 1e-3


class Policy(nn.Module):
    """Means and one spread of the actions, which are fractions of their limits, and the value of a state."""

    def __init__(self, seen: int, acts: int) -> None:
        super().__init__()
        self.mean, self.value = (
            nn.Sequential(nn.Linear(seen, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, out))
            for out in (acts, 1)
        )
        self.spread = nn.Parameter(torch.full((acts,), -0.5))
        self.register_buffer("centre", torch.zeros(seen))
        self.register_buffer("size", torch.ones(seen))

    def scaled(self, seen: Any) -> Any:
        return ((torch.as_tensor(seen, dtype=torch.float32) - self.centre) / self.size).clamp(-5, 5)

    def actions(self, seen: Any) -> Any:
        """Their distribution."""
        return torch.distributions.Normal(self.mean(self.scaled(seen)), self.spread.exp())

    def values(self, seen: Any) -> Any:
        return self.value(self.scaled(seen))[..., 0]


def rollout(env: sb.integrate.Environment, policy: Policy, seen: Any) -> tuple[dict[str, Any], Any]:
    """Steps of all members: what was seen, acted and gained, with advantages and values to learn; what is seen at the end."""
    low, high = env.action_limits
    kept: dict[str, list[Any]] = {k: [] for k in ("seen", "acted", "chance", "value", "gain", "after", "ended", "cut")}
    for _ in range(STEPS):
        with torch.no_grad():
            chosen = policy.actions(seen)
            acted = chosen.sample()
            found = env.step(low + (high - low) * (acted.numpy() + 1) / 2)
            row = (
                torch.tensor(seen, dtype=torch.float32), acted, chosen.log_prob(acted).sum(-1), policy.values(seen),
                torch.tensor(found.reward, dtype=torch.float32), policy.values(found.final), torch.tensor(found.ended),
                torch.tensor(found.cut),
            )  # fmt: skip
        for values, x in zip(kept.values(), row, strict=True):
            values.append(x)
        seen = found.observation
    out = {k: torch.stack(x) for k, x in kept.items()}
    advantage, trace = torch.zeros_like(out["gain"]), torch.zeros(env.members)
    missed = out["gain"] + DISCOUNT * out["after"] * ~out["ended"] - out["value"]
    for k in reversed(range(STEPS)):
        trace = missed[k] + DISCOUNT * TRACE * trace * ~(out["ended"][k] | out["cut"][k])
        advantage[k] = trace
    return {**out, "advantage": advantage, "target": advantage + out["value"]}, seen


def improve(policy: Policy, optimiser: torch.optim.Optimizer, data: dict[str, Any]) -> None:
    flat = {k: data[k].flatten(0, 1) for k in ("seen", "acted", "chance", "advantage", "target")}
    for _ in range(EPOCHS):
        for part in torch.randperm(len(flat["seen"])).chunk(PARTS):
            seen, acted, chance, advantage, target = (x[part] for x in flat.values())
            advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
            ratio = (policy.actions(seen).log_prob(acted).sum(-1) - chance).exp()
            gain = torch.minimum(ratio * advantage, ratio.clamp(1 - CLIP, 1 + CLIP) * advantage).mean()
            loss = ((policy.values(seen) - target) ** 2).mean() / 2 - gain
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
            optimiser.step()


def train(
    robot: sb.formats.Robot, task: Task, iterations: int = 100, members: int = MEMBERS
) -> tuple[sb.integrate.Environment, Policy, list[float]]:
    """The environment, the policy, and the mean length of episodes in each iteration."""
    torch.manual_seed(0)
    env = environment(robot, task, members, watch=0)
    policy = Policy(len(env.observation_names), len(env.action_names))
    optimiser = torch.optim.Adam(policy.parameters(), RATE)
    seen, lengths, began = env.reset(seed=0), list[float](), time.perf_counter()
    for k in range(iterations):
        data, seen = rollout(env, policy, seen)
        if k == 0:
            flat = data["seen"].flatten(0, 1)
            policy.centre[:], policy.size[:] = flat.mean(0), flat.std(0) + 1e-3
        else:
            improve(policy, optimiser, data)
        over = int((data["ended"] | data["cut"]).sum())
        lengths.append(STEPS * members / max(over, 1))
        spent = time.perf_counter() - began
        print(
            f"{k:4d} {spent:6.1f} s: episodes of {lengths[-1]:6.1f} steps, mean reward {float(data['gain'].mean()):.3f}"
        )
    return env, policy, lengths


def show(env: sb.integrate.Environment, policy: Policy, robot: sb.formats.Robot, file: str) -> None:
    """An episode without noise, with the shapes of the robot's file."""
    seen, (low, high) = env.reset(seed=1), env.action_limits
    for _ in range(300):
        with torch.no_grad():
            found = env.step(low + (high - low) * (policy.actions(seen).mean.numpy() + 1) / 2)
        if found.ended[0] or found.cut[0]:
            break
        last, seen = env.trajectory(0), found.observation
    last.scene(shapes=robot).save(file)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("robot", choices=list(ROBOTS))
    parser.add_argument("--iterations", type=int, default=100)
    parser.add_argument("--path", help="of the file, if it is not one of Gymnasium's")
    asked = parser.parse_args()
    robot = robot_of(asked.path or file_of(asked.robot))
    env, policy, _ = train(robot, ROBOTS[asked.robot], asked.iterations)
    show(env, policy, robot, f"{asked.robot}.html")

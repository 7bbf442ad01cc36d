"""Robots of Gymnasium and of MuJoCo's Menagerie as environments for learning. Contacts, friction, limits of joints, actions and
forces come from the file; rewards and ends are expressions.

    python -m examples.locomotion.environments ant
    python -m examples.locomotion.environments go2 MENAGERIE/unitree_go2/go2.xml
    python -m examples.locomotion.environments MY_ROBOT.xml

prints the largest difference of accelerations from MuJoCo's `qacc_smooth` (without contacts) and the time of a step with random
actions, and saves the motion of a member as an HTML scene.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import numpy as np

import symbody as sb

Reading = Callable[[sb.formats.Robot], Any]


@dataclass(frozen=True)
class Task:
    """What a robot is to do: reward and end are expressions in its symbols.

    touches    ends of the names of contacts; ("",): all of them, (): none
    """

    file: str
    reward: Reading
    ends: Reading
    touches: tuple[str, ...] = ("",)
    step: float = 0.01
    substeps: int = 5


def height(robot: sb.formats.Robot) -> Any:
    """Of the trunk: the coordinate `rootz` of planar robots, `..._z` of those with a floating joint."""
    return next(s for name, s in robot.symbols.items() if name == "rootz" or name.endswith("_z"))


def forward(robot: sb.formats.Robot) -> Any:
    return next(s for name, s in robot.symbols.items() if name == "rootx" or name.endswith("_x")).dot


def walking(file: str, least: float, touches: tuple[str, ...] = ("",)) -> Task:
    """Forwards, with the trunk above some height."""
    return Task(file, lambda r: 1.0 + forward(r), lambda r: height(r) < least, touches)


ROBOTS: Final = {
    "cart-pole": Task("inverted_pendulum.xml", lambda r: 1.0, lambda r: abs(r.symbols["hinge"]) > 0.2, (), 0.04, 2),
    "hopper": walking("hopper.xml", 0.7),
    "walker": walking("walker2d_v5.xml", 0.8),
    "ant": walking("ant.xml", 0.2),
    "go2": walking("unitree_go2/go2.xml", 0.15, ("/FL", "/FR", "/RL", "/RR")),
}


def robot_of(path: Path) -> sb.formats.Robot:
    return sb.read_mjcf(path, parameters="none", force_limits=True)


def environment(robot: sb.formats.Robot, task: Task, members: int = 256, **options: Any) -> sb.integrate.Environment:
    """Members that begin near the first keyframe of the file, or where it shows the robot."""
    is_planar = all(j.kind != "floating" for j in robot.details.values())
    shapes = robot.contacts(across=robot.ground.y if is_planar else None) if task.touches else []
    contacts = [c for c in shapes if c.name.endswith(task.touches)]
    eq: Any = sb.derive(robot)
    if contacts:
        eq = sb.Contacts(eq, *contacts, *robot.joint_stops())
    pose = robot.keyframes.get("home", robot.keyframes["qpos0"])
    joints = {j.name: pose[j.name] for j in robot.details.values() if j.kind == "revolute" and j.name in pose}
    return sb.environment(
        sb.stepper(eq, task.step, pose, substeps=task.substeps),
        members,
        reward=task.reward(robot),
        ends=task.ends(robot),
        start={name: (x - 0.02, x + 0.02) for name, x in joints.items()},
        actions=robot.action_limits,
        steps=1000,
        **options,
    )


def difference_from_mujoco(path: Path, seeds: int = 3) -> float:
    """Largest difference of accelerations without contacts, relative to the largest, at random states with random controls."""
    import mujoco

    model, robot = mujoco.MjModel.from_xml_path(str(path)), robot_of(path)
    data, eq = mujoco.MjData(model), sb.derive(robot)
    accelerations, worst = sb.compile(eq).udot, 0.0
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        mujoco.mj_resetData(model, data)
        mujoco.mj_integratePos(model, data.qpos, 0.5 * rng.normal(size=model.nv), 1.0)
        data.qvel[:], data.ctrl[:] = rng.normal(size=model.nv), rng.uniform(-1, 1, model.nu)
        mujoco.mj_forward(model, data)
        groups = {"t": 0.0, "q": data.qpos, "u": data.qvel, "r": data.ctrl, "p": np.zeros(0)}
        found = accelerations(*(groups[g.name] for g in accelerations.program.inputs))
        worst = max(worst, float(np.abs(found - data.qacc_smooth).max() / np.abs(data.qacc_smooth).max()))
    return worst


def file_of(name: str) -> Path:
    """Of a robot of Gymnasium, which has to be installed."""
    package = find_spec("gymnasium")
    if package is None or package.origin is None:
        raise SystemExit(f"{name}: its file is one of Gymnasium's; pip install gymnasium, or give the path of a file")
    return Path(package.origin).parent / "envs" / "mujoco" / "assets" / ROBOTS[name].file


def main(name: str, given: str = "") -> None:
    if name in ROBOTS:
        task, path = ROBOTS[name], Path(given) if given else file_of(name)
    else:
        task, path = walking(name, 0.1), Path(name)
    print(f"accelerations beside MuJoCo's: {difference_from_mujoco(path):.1e}")
    began, robot = time.process_time(), robot_of(path)
    env = environment(robot, task, watch=0)
    print(env)
    rng, low, high = np.random.default_rng(0), *env.action_limits
    seen = env.step(rng.uniform(low, high, (env.members, len(low)))).observation
    print(f"{seen.shape[1]} observations; first step after {time.process_time() - began:.1f} s of CPU time")
    began, ended = time.process_time(), 0
    for _ in range(100):
        found = env.step(rng.uniform(low, high, (env.members, len(low))))
        ended += int(found.ended.sum())
        for member, why in found.failures.items():
            print(f"member {member}: {why}")
    each = (time.process_time() - began) / (100 * env.members * task.substeps)
    print(f"{1e6 * each:.1f} µs of CPU time for a step of {task.step / task.substeps:g} s; {ended} members ended")
    env.trajectory(0).scene(shapes=robot).save(f"{path.stem}.html")


if __name__ == "__main__":
    main(*sys.argv[1:])

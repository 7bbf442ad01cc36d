"""Solo12 dropped on the ground, standing under control at its joints: by time stepping, and in MuJoCo with contacts made
as hard as it allows."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from typing import Any, Final

import numpy as np

import symbody as sb

FOOT: Final = 0.016
MU: Final = 0.7
HEIGHT: Final = 0.35
STIFFNESS: Final = 5.0
DAMPING: Final = 0.2
POSTURE: Final = {"HAA": 0.0, "HFE": 0.8, "KFE": -1.6}  # of the front legs; hind legs bend the other way


def solo_file() -> Path | None:
    return robot_file("solo12.urdf")


def robot_file(name: str) -> Path | None:
    """A file of `example-robot-data`, if that is installed."""
    try:
        found = [f for f in files("example-robot-data") or () if Path(str(f)).name == name]
    except PackageNotFoundError:
        return None
    return Path(str(found[0].locate())) if found else None


def humanoid(path: Path) -> tuple[sb.Contacts, dict[str, float]]:
    """A humanoid of 35 degrees of freedom with bent knees, on the corners of its two soles, and a start in which all eight
    are 10 µm deep."""
    robot = sb.read_urdf(path, base="free", parameters="none")
    floor, contacts = sb.HalfSpace(robot.ground), []
    for side in ("r", "l"):
        ankle = robot.link(f"{side}_ankle")
        corners = sb.corners(ankle, (0.2, 0.1, 0.0), at=(0.03, 0.0, -0.1))
        contacts += [sb.Contact(f"{side}{k}", sb.touch(c, floor), friction=MU) for k, c in enumerate(corners)]
    eq = sb.derive(robot)
    bent = {"HIP_P": -0.3, "KNEE": 0.6, "ANKLE_P": -0.3}
    start = {f"{side}LEG_{joint}": angle for joint, angle in bent.items() for side in "RL"} | {"base_e0": 1.0}
    found, high = sb.Contacts(eq, *contacts), sb.stepper(sb.Contacts(eq, *contacts), 1e-9, start, base_z=2.0)
    height = 2.0 - float(high.impulses(high.start).gaps.min()) - 1e-5
    return found, start | {"base_z": height}


def posture(joint: str) -> float:
    return POSTURE[joint[-3:]] * (1 if joint.startswith("F") else -1)


def standing(path: Path) -> tuple[sb.Contacts, dict[str, float], dict[str, Any]]:
    """Contacts of its four feet, the start, and the laws of its motors."""
    robot = sb.read_urdf(path, base="free", parameters="none")
    floor = sb.HalfSpace(robot.ground)
    feet = [n for n in robot.links if n.endswith("FOOT")]
    contacts = [sb.Contact(n, sb.touch(sb.Ball(robot.link(n), FOOT), floor), friction=MU) for n in feet]
    eq = sb.derive(robot)
    joints = eq.q[7:]
    laws = {f"{q.name}_tau": STIFFNESS * (posture(q.name) - q) - DAMPING * q.dot for q in joints}
    start = {q.name: posture(q.name) for q in joints} | {"base_e0": 1.0, "base_z": HEIGHT}
    return sb.Contacts(eq, *contacts), start, laws


def trotting(contacts: sb.Contacts, height: float = 0.06, rate: float = 2.5) -> dict[str, Any]:
    """Laws of motors that lift the feet of one diagonal, then those of the other."""
    laws, t = {}, contacts.base.t
    for q in contacts.base.q[7:]:
        sign = 1.0 if q.name[:2] in ("FL", "HR") else -1.0
        swing = {"HFE": 0.5, "KFE": -1.0, "HAA": 0.0}[q.name[-3:]] * (1 if q.name.startswith("F") else -1)
        lifted = sb.maximum(sign * sb.sin(2 * np.pi * rate * t), 0)
        wanted = posture(q.name) + height / 0.16 * swing * lifted
        laws[f"{q.name}_tau"] = STIFFNESS * (wanted - q) - DAMPING * q.dot
    return laws


def in_steps(contacts: sb.Contacts, start: dict[str, float], step: float) -> Any:
    """The same robot by `stepper`, with its motors in Python as in MuJoCo: a function of the number of steps that gives the
    heights after each, or the last `state` and the law of its motors."""
    eq = contacts.base
    names, joints = [v.name for v in eq.state], [r.name.removesuffix("_tau") for r in eq.r]
    at, rate = ([names.index(j + end) for j in joints] for end in ("", "_dot"))
    wanted = np.array([posture(j) for j in joints])
    env = sb.stepper(contacts, step, start)
    env.step(env.start)

    def law(x: np.ndarray) -> np.ndarray:
        return STIFFNESS * (wanted - x[at]) - DAMPING * x[rate]

    def run(n: int, state: bool = False) -> Any:
        heights, x = np.zeros(n), env.start
        for k in range(n):
            x = env.step(x, law(x))
            heights[k] = x[names.index("base_z")]
        return (x, law) if state else heights

    return run


def in_mujoco(path: Path, step: float) -> Any:
    """The same robot in MuJoCo: a function of the number of steps that gives the heights after each."""
    import mujoco

    text = re.sub(r"<(visual|collision)>.*?</\1>", "", path.read_text(), flags=re.DOTALL)
    text = re.sub(r"(<robot[^>]*>)", r'\1<mujoco><compiler fusestatic="false"/></mujoco>', text, count=1)
    joint = '<joint name="base" type="floating"><parent link="world"/><child link="base_link"/></joint>'
    spec = mujoco.MjSpec.from_string(text.replace("</robot>", f'<link name="world"/>{joint}</robot>'))
    spec.option.timestep, spec.option.cone = step, mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.impratio, spec.option.noslip_iterations = 1000, 20
    hard = {"friction": [MU, 0, 0], "condim": 3, "solref": [2 * step, 1], "solimp": [0.999, 0.9999, 1e-4, 0.5, 2]}
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[5, 5, 1], **hard)
    for b in spec.bodies:
        if b.name.endswith("FOOT"):
            b.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[FOOT, 0, 0], mass=0, **hard)
    model = spec.compile()
    data = mujoco.MjData(model)
    wanted = np.array([posture(model.joint(i).name) for i in range(1, model.njnt)])
    data.qpos[2], data.qpos[3], data.qpos[7:] = HEIGHT, 1.0, wanted

    def run(n: int) -> np.ndarray:
        heights = np.zeros(n)
        for k in range(n):
            data.qfrc_applied[6:] = STIFFNESS * (wanted - data.qpos[7:]) - DAMPING * data.qvel[6:]
            mujoco.mj_step(model, data)
            heights[k] = data.qpos[2]
        return heights

    return run

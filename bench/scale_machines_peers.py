"""The large machines of `scale_machines.py` in MuJoCo, where contacts, and distances as connect constraints of tendons, are soft."""

from __future__ import annotations

import math
import time
from typing import Any

from .scale_machines import ADVANCE, FRICTION, LINK, LONG, PITCH, RADIUS, STEP, STEPS, helix, net_places, wheel_to_link
from .timing import Row


def mujoco(case: str, n: int) -> Row:
    import mujoco as mj  # type: ignore[import-not-found, import-untyped, unused-ignore]

    began = time.process_time()
    files = {"train": _train_file, "net": _net_file, "tracked vehicle": _vehicle_file}
    model = _rope_model(n) if case not in files else mj.MjModel.from_xml_string(files[case](n))
    data = mj.MjData(model)
    mj.mj_step(model, data)
    first = time.process_time()
    steps = max(5, min(STEPS, 3000 // n)) if case == "rope on a drum" else STEPS  # its step takes long
    mj.mj_step(model, data, steps)
    at, taken, spent = time.process_time(), 0, 0.0
    while spent < LONG:
        mj.mj_step(model, data, steps)
        taken, spent = taken + steps, time.process_time() - at
    return {"seconds": first - began, "step_us": 1e6 * spent / taken}


def _train_file(n: int) -> str:
    bodies, tendons = [], []
    for k in range(n):
        bogies = "".join(
            f'<body pos="{5 * s} 0 -1"><inertial pos="0 0 0" mass="3e3" diaginertia="1e3 2e3 2e3"/>'
            '<joint type="slide" axis="0 0 1" stiffness="1e6" damping="1e4"/></body>'
            for s in (-1, 1)
        )
        bodies.append(
            f'<body pos="{-15 * k} 0 0"><inertial pos="0 0 0" mass="2e4" diaginertia="1e4 1e5 1e5"/><joint type="slide" axis="1 0 0"/>'
            f'<site name="s{k}"/>{bogies}</body>'
        )
    for k in range(1, n):
        tendons.append(
            f'<spatial stiffness="1e6" damping="1e4" springlength="15"><site site="s{k - 1}"/><site site="s{k}"/></spatial>'
        )
    return f'<mujoco><option timestep="{STEP}" integrator="RK4"/><worldbody>{"".join(bodies)}</worldbody><tendon>{"".join(tendons)}</tendon></mujoco>'


def _rope_model(n: int) -> Any:
    """The rope by MuJoCo's interface: files are not read beyond a depth of some hundred bodies."""
    import mujoco as mj  # type: ignore[import-not-found, import-untyped, unused-ignore]

    away, angle, slope = helix()
    half = ADVANCE * angle * n / 2 + 0.5
    spec = mj.MjSpec()
    spec.option.timestep, spec.option.cone, spec.memory = STEP, mj.mjtCone.mjCONE_ELLIPTIC, 2**31
    across = (math.cos(math.pi / 4), math.sin(math.pi / 4), 0, 0)  # the axis of a cylinder is z there
    law = {"friction": (0.3, 0, 0), "condim": 3}
    drum = spec.worldbody.add_geom(
        type=mj.mjtGeom.mjGEOM_CYLINDER, size=(RADIUS, half, 0), pos=(0, half - 0.5, 0), quat=across, **law
    )
    drum.contype, drum.conaffinity = 1, 0
    on = spec.worldbody.add_body(pos=(0, 0, away), quat=(math.cos(slope / 2), 0, 0, math.sin(slope / 2)))
    for k in range(n):
        turn = (angle if k else angle / 2) / 2
        quat = (math.cos(turn), math.sin(turn) * math.sin(slope), math.sin(turn) * math.cos(slope), 0)
        on = on.add_body(
            pos=(LINK if k else 0, 0, 0),
            quat=quat,
            mass=0.1,
            ipos=(LINK / 2, 0, 0),
            inertia=(1e-5, 1e-4, 1e-4),
            explicitinertial=True,
        )
        on.add_joint(type=mj.mjtJoint.mjJNT_HINGE, axis=(math.sin(slope), math.cos(slope), 0))
        ball = on.add_geom(type=mj.mjtGeom.mjGEOM_SPHERE, size=(0.2 * LINK, 0, 0), pos=(LINK, 0, 0), **law)
        ball.contype, ball.conaffinity = 0, 1
    return spec.compile()


def _net_file(n: int) -> str:
    held = {(0, 0), (0, n - 1)}
    slides = "".join(f'<joint type="slide" axis="{a}"/>' for a in ("1 0 0", "0 1 0", "0 0 1"))
    places = {key: " ".join(map(str, place)) for key, place in net_places(n).items()}
    bodies = "".join(
        f'<site name="s_{i}_{j}" pos="{at}"/>' if (i, j) in held
        else f'<body pos="{at}"><inertial pos="0 0 0" mass="1" diaginertia="1e-6 1e-6 1e-6"/>{slides}<site name="s_{i}_{j}"/></body>'
        for (i, j), at in places.items()
    )  # fmt: skip
    pairs = [((i, j), o) for i in range(n) for j in range(n) for o in ((i + 1, j), (i, j + 1)) if max(o) < n]
    tendons = [
        (f"t{k}", f'<spatial name="t{k}"><site site="s_{a[0]}_{a[1]}"/><site site="s_{b[0]}_{b[1]}"/></spatial>')
        for k, (a, b) in enumerate(pairs)
    ]  # fmt: skip
    equal = "".join(f'<tendon tendon1="{name}"/>' for name, _ in tendons)
    return (
        f'<mujoco><option timestep="{STEP}"/><size memory="500M"/><worldbody>{bodies}</worldbody>'
        f"<tendon>{''.join(x for _, x in tendons)}</tendon><equality>{equal}</equality></mujoco>"
    )


def _vehicle_file(n: int) -> str:
    """Shoes touch the wheels and the ground, and nothing else touches anything."""
    apothem = wheel_to_link(n)
    law = f'friction="{FRICTION} 0 0" condim="3"'
    wheels = "".join(
        f'<body pos="0 {0.8 * side} 0"><joint type="hinge" axis="0 1 0"/><inertial pos="0 0 0" mass="20" diaginertia="1 2 1"/>'
        f'<geom type="sphere" size="{apothem - 0.01}" contype="1" conaffinity="0" {law}/></body>'
        for side in (-1, 1)
    )
    hull = f'<body pos="0 0 {apothem + 0.032}"><freejoint/><inertial pos="0 0 0" mass="500" diaginertia="50 100 100"/>{wheels}</body>'
    tracks = "".join(_track(n, side, apothem, law) for side in (-1, 1))
    closed = "".join(
        f'<connect body1="link{side}_{n - 1}" body2="link{side}_0" anchor="{PITCH} 0 0"/>' for side in (-1, 1)
    )
    return (
        f'<mujoco><option timestep="{STEP}" cone="elliptic"/><size memory="500M"/><worldbody>'
        f'<geom type="plane" size="50 50 1" contype="1" conaffinity="0" {law}/>{hull}{tracks}</worldbody><equality>{closed}</equality></mujoco>'
    )


def _track(n: int, side: int, apothem: float, law: str) -> str:
    half = math.pi / n
    inside = (
        f'<inertial pos="{PITCH / 2} 0 0" mass="5" diaginertia="0.01 0.02 0.02"/>'
        f'<geom type="box" pos="{PITCH / 2} 0 0.02" size="{0.4 * PITCH} 0.15 0.01" contype="0" conaffinity="1" {law}/>'
    )
    links = [f'<body name="link{side}_0" pos="{-PITCH / 2} {0.8 * side} {2 * apothem + 0.032}"><freejoint/>']
    links += [
        f'<body name="link{side}_{k}" pos="{PITCH} 0 0" quat="{math.cos(half)} 0 {math.sin(half)} 0"><joint type="hinge" axis="0 1 0"/>'
        for k in range(1, n)
    ]
    return "".join(link + inside for link in links) + "</body>" * n

"""Large machines of `bench scale`: a train, a net with loops, a rope wound on a drum, a vehicle on two tracks.

The train has `n` wagons: each moves along the track, with two bogies on springs below it, and couplers between them. The net has
n x n particles of which neighbours keep their distance (two corners are held). The rope has n balls on revolute joints, of which
every one touches the drum; the vehicle has two closed tracks of n links that touch four wheels and the ground. Rope and vehicle
stand in a `Pile`, since their contacts change; `first_step_s` is that of the pile, and `step_us` a step after it. MuJoCo has
the same train and net (its distances are soft: connect constraints of tendons).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

import symbody as sb

from .dynamics import empty_cache
from .limits import Limit, StoppedError
from .timing import Row, fresh

STEP: Final = 1e-3
LIMIT: Final = Limit(60.0, 4000.0)
SIZES: Final = {
    "train": (10, 30, 100),
    "net": (3, 5),
    "rope on a drum": (10, 30),
    "tracked vehicle": (6,),
}
PEERS: Final = ("train", "net")
STEPS: Final = 50  # over which `step_us` is measured


def train(n: int) -> tuple[sb.Equations, dict[str, float]]:
    m = sb.Model("train")
    m.gravity(0, 0, -9.81)
    before = None
    for k in range(n):
        wagon = m.body(f"wagon{k}", mass=2e4, inertia=(1e4, 1e5, 1e5))
        m.prismatic(f"x{k}", m.ground, wagon, axis="x", at=(-15.0 * k, 0, 0))
        for side in (-1, 1):
            bogie = m.body(f"bogie{k}_{side + 1}", mass=3e3, inertia=(1e3, 2e3, 2e3))
            m.prismatic(f"z{k}_{side + 1}", wagon, bogie, axis="z", at=(5.0 * side, 0, -1), stiffness=1e6, damping=1e4)
        if before is not None:
            m.spring(f"coupler{k}", before.frame.origin, wagon.frame.origin, stiffness=1e6, rest=15.0, damping=1e4)
        before = wagon
    return sb.derive(m), {"x0_dot": 1.0}


def net(n: int) -> tuple[sb.Equations, dict[str, float]]:
    m = sb.Model("net")
    m.gravity(0, 0, -9.81)
    at: dict[tuple[int, int], Any] = {}
    start = {}
    for i in range(n):
        for j in range(n):
            if (i, j) in ((0, 0), (0, n - 1)):
                at[i, j] = m.ground.point(0.0, float(j), 0.0)
                continue
            places = m.coordinates(" ".join(f"{c}_{i}_{j}" for c in "xyz"))
            at[i, j] = m.ground.point(*places)
            m.particle(f"p_{i}_{j}", at[i, j], mass=1.0)
            start |= {p.name: v for p, v in zip(places, (float(i), float(j), 0.0), strict=True)}
    for i, j in at:
        for other in ((i + 1, j), (i, j + 1)):
            if other in at and {(i, j), other} != {(0, 0), (0, n - 1)}:
                r = at[i, j] - at[other]
                m.constrain(f"string_{i}_{j}_{other[0]}_{other[1]}", (r.dot(r) - 1) / 2)
    return sb.derive(m), start


def rope_on_a_drum(n: int) -> sb.Pile:
    """A rope over the top of a drum, which hangs down on one side."""
    m = sb.Model("rope")
    m.gravity(0, 0, -9.81)
    radius, length = 1.0, 0.1
    turn = 2 * math.atan(
        length / 2 / (radius + 0.0201)
    )  # of a link to the next, so that all balls are just above the drum
    on: Any = m.ground.translate(0, 0, length / 2 / math.sin(turn / 2))
    surfaces = {}
    for k in range(n):
        link = m.body(f"link{k}", mass=0.1, com=(length / 2, 0, 0), inertia=(1e-5, 1e-4, 1e-4))
        m.revolute(f"q{k}", on, link, axis="y", at=(0, 0, 0) if k == 0 else (length, 0, 0))
        surfaces[f"ball{k}"] = (link.frame.translate(length / 2, 0, 0), sb.sphere(0.02))
        on = link
    bend = {f"q{k}": turn if k else turn / 2 for k in range(min(n, 16))}  # a quarter of a turn; the rest hangs
    pile = sb.Pile("rope on a drum", friction=0.3)
    pile.many("drum", sb.cylinder(radius, 0.5, axis="y"), at=[(0, 0, 0)], fixed=True)
    pile.mechanism(sb.assemble(sb.derive(m), start=bend), surfaces)
    return pile


def tracked_vehicle(n: int) -> sb.Pile:
    """Two closed tracks of n links around wheels of a hull, that fall onto the ground from a small height."""
    m = sb.Model("tracked vehicle")
    m.gravity(0, 0, -9.81)
    pitch = 0.15
    apothem = pitch / 2 / math.tan(math.pi / n)  # from the wheel to the middle of a link
    hull = m.body("hull", mass=500.0, inertia=(50.0, 100.0, 100.0))
    m.free("hull", m.ground, hull)
    surfaces: dict[str, tuple[Any, Any]] = {}
    touching = []
    for side in (-1, 1):
        wheel = m.body(f"wheel{side + 1}", mass=20.0, inertia=(1.0, 2.0, 1.0))
        m.revolute(f"w{side + 1}", hull, wheel, axis="y", at=(0, side * 0.8, 0))
        surfaces[f"rim{side + 1}"] = (wheel.frame, sb.sphere(apothem - 0.01))
        on, first = hull, None
        for k in range(n):
            link = m.body(f"link{side + 1}_{k}", mass=5.0, com=(pitch / 2, 0, 0), inertia=(0.01, 0.02, 0.02))
            if k == 0:
                m.free(f"base{side + 1}", m.ground, link)
                first = link
            else:
                m.revolute(f"t{side + 1}_{k}", on, link, axis="y", at=(pitch, 0, 0))
            surfaces[f"shoe{side + 1}_{k}"] = (link.frame.translate(pitch / 2, 0, 0.02), sb.box(0.8 * pitch, 0.3, 0.02))
            touching.append((f"rim{side + 1}", f"shoe{side + 1}_{k}"))
            on = link
        assert first is not None
        m.coincide(f"close{side + 1}", on.frame.translate(pitch, 0, 0).origin, first.frame.origin, axes="xz")
    start = {f"t{s}_{k}": 2 * math.pi / n for s in (0, 2) for k in range(1, n)}
    start |= {"hull_z": apothem + 0.05}
    start |= {
        f"base{s}_{c}": v
        for s in (0, 2)
        for c, v in (("x", -pitch / 2), ("y", 0.8 * (s - 1)), ("z", 2 * apothem + 0.05))
    }
    pile = sb.Pile("tracked vehicle", friction=0.7)
    pile.wall("ground")
    pile.mechanism(sb.assemble(sb.derive(m), start=start), surfaces, touching=touching)
    return pile


def ours(case: str, n: int) -> Row:
    """Seconds from the description to the first step, microseconds of a step after it."""
    sb.simulate(train(2)[0], STEP, progress=False)  # loads what a simulation loads
    began = time.process_time()
    if case in ("train", "net"):
        eq, start = train(n) if case == "train" else net(n)

        def run(steps: int) -> object:
            return sb.simulate(eq, steps * STEP, step=STEP, method="rk4", start=start, progress=False)
    else:
        pile = rope_on_a_drum(n) if case == "rope on a drum" else tracked_vehicle(n)

        def run(steps: int) -> object:
            return pile.simulate(steps * STEP, step=STEP)

    derived = time.process_time()
    spent = [_seconds(run, steps) for steps in (1, STEPS, 3 * STEPS)]
    return {
        "derive_s": round(derived - began, 4), "first_step_s": round(spent[0], 4), "step_us": round(1e6 * (spent[2] - spent[1]) / (2 * STEPS), 1)
    }  # fmt: skip


def _seconds(run: Callable[[int], object], steps: int) -> float:
    began = time.process_time()
    run(steps)
    return time.process_time() - began


def mujoco(case: str, n: int) -> Row:
    import mujoco as mj  # type: ignore[import-not-found, import-untyped, unused-ignore]

    began = time.process_time()
    model = mj.MjModel.from_xml_string(_train_file(n) if case == "train" else _net_file(n))
    data = mj.MjData(model)
    mj.mj_step(model, data)
    first = time.process_time()
    for _ in range(STEPS):
        mj.mj_step(model, data)
    return {"seconds": first - began, "step_us": 1e6 * (time.process_time() - first) / STEPS}


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


def _net_file(n: int) -> str:
    held = {(0, 0), (0, n - 1)}
    slides = "".join(f'<joint type="slide" axis="{a}"/>' for a in ("1 0 0", "0 1 0", "0 0 1"))
    bodies = "".join(
        f'<site name="s_{i}_{j}" pos="{i} {j} 0"/>' if (i, j) in held
        else f'<body pos="{i} {j} 0"><inertial pos="0 0 0" mass="1" diaginertia="1e-6 1e-6 1e-6"/>{slides}<site name="s_{i}_{j}"/></body>'
        for i in range(n) for j in range(n)
    )  # fmt: skip
    pairs = [((i, j), o) for i in range(n) for j in range(n) for o in ((i + 1, j), (i, j + 1)) if max(o) < n]
    tendons = [
        (f"t{k}", f'<spatial name="t{k}"><site site="s_{a[0]}_{a[1]}"/><site site="s_{b[0]}_{b[1]}"/></spatial>')
        for k, (a, b) in enumerate(pairs) if {a, b} != held
    ]  # fmt: skip
    equal = "".join(f'<tendon tendon1="{name}"/>' for name, _ in tendons)
    return (
        f'<mujoco><option timestep="{STEP}"/><size memory="500M"/><worldbody>{bodies}</worldbody>'
        f"<tendon>{''.join(x for _, x in tendons)}</tendon><equality>{equal}</equality></mujoco>"
    )


# ---------------------------------------------------------------------------------------------------- rows


def rows() -> Iterator[Row]:
    for case, sizes in SIZES.items():
        before: tuple[int, float] | None = None
        for n in sizes:
            try:
                with empty_cache():
                    found = fresh("bench.scale_machines:ours", case, n, limit=LIMIT) or {}
            except (StoppedError, RuntimeError) as reason:
                yield {"case": case, "n": n, "derive_s": None, "stopped": str(reason).splitlines()[-1]}
                break
            total = found["derive_s"] + found["first_step_s"]
            exponent = None if before is None else round(math.log(total / before[1]) / math.log(n / before[0]), 2)
            before = n, total
            mb = found.pop("peak_mb")
            yield {"case": case, "n": n, **found, "mb": mb, "exponent": exponent}
            if case in PEERS and (peer := fresh("bench.scale_machines:mujoco", case, n, limit=LIMIT)):
                yield {
                    "case": case, "n": n, "step_us": round(peer["step_us"], 1), "mb": peer["peak_mb"], "peer": "mujoco",
                    "peer_s": round(peer["seconds"], 4), "ratio": round(peer["seconds"] / total, 4),
                }  # fmt: skip

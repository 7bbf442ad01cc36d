"""Large machines of `bench scale`: a train, a net with loops, a rope wound on a drum, a vehicle on two tracks.

The wagons of the train move along the track, each with two bogies on springs below it, and couplers between them. The net has
n x n particles, neighbours joined by rods of one metre; two corners are held 0.9 (n - 1) metres apart. It begins as a
surface of equal arcs: a straight upper edge would be as long as its rods, which is a singular position. The rope has n balls on revolute joints, of which
every one begins just above the drum; the vehicle has two closed tracks of n links that touch a wheel each and the ground. Rope and
vehicle stand in a `Pile`, since their contacts change. `residual` is that of the contact problem; a motion for whose contacts no
impulses are found has `ended_s`, and no time of a step. The clock of the machine has steps of 4 ms.
MuJoCo has the same train, rope and net (contacts, and distances as connect constraints of tendons, are soft).
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
    "net": (3, 10, 30),
    "rope on a drum": (10, 100, 1000),
    "tracked vehicle": (6, 20, 80),
}
PEERS: Final = ("train", "net", "rope on a drum")
STEPS: Final = 300  # over which `step_us` is measured, after as many, in a second run


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


def net_places(n: int) -> dict[tuple[int, int], tuple[float, float, float]]:
    """Points at unit distances from their neighbours: rows are moved copies of one arc."""
    m, low, high = n - 1, 0.0, math.pi / (n - 1)
    for _ in range(60):  # half the angle between two rods, for which the chord is 0.9 of the arc
        half = (low + high) / 2
        low, high = (half, high) if math.sin(m * half) > 0.9 * m * math.sin(half) else (low, half)
    arc = [(0.0, 0.0)]
    for k in range(m):
        angle = (2 * k - m + 1) * half
        arc.append((arc[-1][0] + math.cos(angle), arc[-1][1] + math.sin(angle)))
    return {(i, j): (float(i), *arc[j]) for i in range(n) for j in range(n)}


def net(n: int) -> tuple[sb.Equations, dict[str, float]]:
    m = sb.Model("net")
    m.gravity(0, 0, -9.81)
    at: dict[tuple[int, int], Any] = {}
    start = {}
    for (i, j), place in net_places(n).items():
        if (i, j) in ((0, 0), (0, n - 1)):
            at[i, j] = m.ground.point(*place)
            continue
        coordinates = m.coordinates(" ".join(f"{c}_{i}_{j}" for c in "xyz"))
        at[i, j] = m.ground.point(*coordinates)
        m.particle(f"p_{i}_{j}", at[i, j], mass=1.0)
        start |= {q.name: x for q, x in zip(coordinates, place, strict=True)}
    for i, j in at:
        for other in ((i + 1, j), (i, j + 1)):
            if other in at:
                r = at[i, j] - at[other]
                m.constrain(f"rod_{i}_{j}_{other[0]}_{other[1]}", (r.dot(r) - 1) / 2)
    return sb.derive(m), start


RADIUS: Final = 1.0  # of the drum
LINK: Final = 0.1  # length of a link of the rope, whose balls have a fifth of it as radius
ADVANCE: Final = 0.01  # along the drum for each radian


def helix() -> tuple[float, float, float]:
    """Distance of the rope from the axis of the drum, angle of a link about it, and slope of the rope."""
    away = RADIUS + 0.2 * LINK + 1e-4
    angle = 2 * math.asin(math.sqrt((LINK**2 - (ADVANCE * LINK / away) ** 2) / 4) / away)
    for _ in range(20):  # the chord of so many radians has the length of a link
        angle = 2 * math.asin(math.sqrt(LINK**2 - (ADVANCE * angle) ** 2) / (2 * away))
    return away, angle, math.asin(ADVANCE * angle / LINK)


def rope_on_a_drum(n: int) -> sb.Pile:
    """A rope wound on a fixed drum as a helix, on which it is held at its first end."""
    m = sb.Model("rope")
    m.gravity(0, 0, -9.81)
    away, angle, slope = helix()
    axis = (math.sin(slope), math.cos(slope), 0)
    on: Any = m.ground.translate(0, 0, away).rotate("z", slope)
    surfaces = {}
    for k in range(n):
        link = m.body(f"link{k}", mass=0.1, com=(LINK / 2, 0, 0), inertia=(1e-5, 1e-4, 1e-4))
        m.revolute(f"q{k}", on, link, axis=axis, at=(LINK if k else 0, 0, 0))
        surfaces[f"ball{k}"] = (link.frame.translate(LINK, 0, 0), sb.sphere(0.2 * LINK))
        on = link
    pile = sb.Pile("rope on a drum", friction=0.3)
    length = ADVANCE * angle * n + 1.0
    pile.many("drum", sb.cylinder(RADIUS, length, axis="y"), at=[(0, length / 2 - 0.5, 0)], fixed=True)
    bend = {f"q{k}": angle if k else angle / 2 for k in range(n)}
    pile.mechanism(sb.assemble(sb.derive(m), start=bend), surfaces)
    return pile


def tracked_vehicle(n: int, compliance: float = 0.0) -> sb.Pile:
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
    start |= {"hull_z": apothem + 0.032}
    start |= {
        f"base{s}_{c}": v
        for s in (0, 2)
        for c, v in (("x", -pitch / 2), ("y", 0.8 * (s - 1)), ("z", 2 * apothem + 0.032))
    }
    pile = sb.Pile("tracked vehicle", friction=0.7, compliance=compliance)
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
    spent = [_seconds(run, steps) for steps in (1, 2 * STEPS, STEPS, 2 * STEPS)]
    found = spent[3][1]
    step: float | None = round(1e6 * (spent[3][0] - spent[2][0]) / STEPS, 1)
    contacts: Row = {}
    if isinstance(found, sb.study.PileMotion):
        taken = found.statistics.steps
        contacts = {
            "contacts": len(found.contacts.gaps),
            "residual": found.residual,
            "missed": found.missed,
            "sweeps": found.sweeps / taken,
        }
        if taken < 2 * STEPS:
            step, contacts["ended_s"] = None, float(found.t[-1])
    return {"derive_s": round(derived - began, 4), "first_step_s": round(spent[0][0], 4), "step_us": step, **contacts}


def _seconds(run: Callable[[int], Any], steps: int) -> tuple[float, Any]:
    began = time.process_time()
    found = run(steps)
    return time.process_time() - began, found


def mujoco(case: str, n: int) -> Row:
    import mujoco as mj  # type: ignore[import-not-found, import-untyped, unused-ignore]

    began = time.process_time()
    files = {"train": _train_file, "net": _net_file}
    model = _rope_model(n) if case not in files else mj.MjModel.from_xml_string(files[case](n))
    data = mj.MjData(model)
    mj.mj_step(model, data)
    first = time.process_time()
    steps = max(5, min(STEPS, 3000 // n)) if case == "rope on a drum" else STEPS  # its step takes long
    for _ in range(steps):
        mj.mj_step(model, data)
    at = time.process_time()
    for _ in range(steps):
        mj.mj_step(model, data)
    return {"seconds": first - began, "step_us": 1e6 * (time.process_time() - at) / steps}


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

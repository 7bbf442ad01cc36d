"""Large machines of `bench scale`: a train, a net with loops, a rope wound on a drum, a vehicle on two tracks.

The wagons of the train move along the track, each with two bogies on springs below it, and couplers between them. The net has
n x n particles, neighbours joined by rods of one metre; two corners are held 0.9 (n - 1) metres apart. It begins as a
surface of equal arcs: a straight upper edge would be as long as its rods, which is a singular position. The rope has n balls on revolute joints, of which
every one begins just above the drum; the vehicle has two closed tracks of n links that touch a wheel each and the ground. Rope and
vehicle stand in a `Pile`, since their contacts change. `residual` is that of the contact problem; a motion for whose contacts no
impulses are found has `ended_s`, and no time of a step. `step_us` is that of machine code of long runs. Contacts of the vehicle are
rigid, or have a `compliance` (m/N). MuJoCo has the same machines with soft contacts and rods (`scale_machines_peers.py`); `step_ratio`
is its time of a step over ours, with the largest compliance. `mb` is the memory at the first step.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

import symbody as sb
from symbody.integrate.piles.pile_runs import PileRunner

from .dynamics import empty_cache
from .limits import Limit, StoppedError
from .timing import Row, fresh, peak_mb

STEP: Final = 1e-3
LIMIT: Final = Limit(120.0, 4000.0)
SIZES: Final = {
    "train": (10, 30, 100),
    "net": (3, 10, 30),
    "rope on a drum": (10, 100, 1000),
    "tracked vehicle": (6, 20, 80),
}
COMPLIANCES: Final = {"tracked vehicle": (0.0, 1e-7, 1e-6)}  # m/N; contacts of the others are rigid
STEPS: Final = 300  # in a block; `residual` and `missed` are those of two, after which `step_us` is measured
LONG: Final = 0.3  # seconds that are long for the clock; shorter runs have more steps
MOST_STEPS: Final = 10**6
TOLERANCE, MOST_SWEEPS = 1e-6, 500  # of piles
REPEATS: Final = 3  # of runs that are long enough, of which the shortest counts


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


PITCH: Final = 0.15  # length of a link of the tracks
FRICTION: Final = 0.7  # of the tracks on the wheels and on the ground


def wheel_to_link(n: int) -> float:
    """From the middle of a wheel to that of a link."""
    return PITCH / 2 / math.tan(math.pi / n)


def tracked_vehicle(n: int, compliance: float = 0.0) -> sb.Pile:
    """Two closed tracks of n links around wheels of a hull, that fall onto the ground from a small height."""
    m = sb.Model("tracked vehicle")
    m.gravity(0, 0, -9.81)
    pitch, apothem = PITCH, wheel_to_link(n)
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
    pile = sb.Pile("tracked vehicle", friction=FRICTION, compliance=compliance)
    pile.wall("ground")
    pile.mechanism(sb.assemble(sb.derive(m), start=start), surfaces, touching=touching)
    return pile


def ours(case: str, n: int, compliance: float) -> Row:
    """Seconds from the description to the first step, microseconds of a step after it."""
    sb.simulate(train(2)[0], STEP, progress=False)  # loads what a simulation loads
    began = time.process_time()
    if case in ("train", "net"):
        eq, start = train(n) if case == "train" else net(n)

        def run(steps: int) -> object:
            return sb.simulate(eq, [0.0, steps * STEP], step=STEP, method="rk4", start=start, progress=False)
    else:
        pile = rope_on_a_drum(n) if case == "rope on a drum" else tracked_vehicle(n, compliance)

        def run(steps: int) -> object:
            return pile.simulate(steps * STEP, step=STEP)

    derived = time.process_time()
    first, _ = _seconds(run, 1)
    found = {"derive_s": round(derived - began, 4), "first_step_s": round(first, 4), "mb": round(peak_mb(), 1)}
    return found | (step_of_run(run) if case in ("train", "net") else steps_of_pile(pile))


def step_of_run(run: Callable[[int], Any]) -> Row:
    """Microseconds of a step: of a run that takes long enough for the clock, less one of half as many steps."""
    steps = STEPS
    _seconds(run, 2 * steps)  # optimised code replaces the first during this run
    while (half := _seconds(run, steps)[0]) < LONG and steps < MOST_STEPS:
        steps *= 4
    half, whole = (
        min([earlier, *(_seconds(run, k)[0] for _ in range(REPEATS))])
        for k, earlier in ((steps, half), (2 * steps, math.inf))
    )
    return {"step_us": round(1e6 * (whole - half) / steps, 1)}


def steps_of_pile(pile: sb.Pile) -> Row:
    """Microseconds of a step in the code of long runs, and what the contacts needed."""
    runner = PileRunner(pile._in_numbers(TOLERANCE, MOST_SWEEPS, 0.0, 0.0), STEP)
    runner._effort.improve()
    runner.take(2 * STEPS, 2 * STEPS)
    total, taken = runner.totals, round(runner.t / STEP)
    contacts: Row = {
        "contacts": len(runner.contacts().gaps), "residual": total.residual, "missed": total.missed, "sweeps": total.sweeps / taken,
    }  # fmt: skip
    if taken < 2 * STEPS:
        return {"step_us": None, **contacts, "ended_s": runner.t}
    began, t, spent = time.process_time(), runner.t, 0.0
    while spent < LONG:
        runner.take(STEPS, STEPS)
        spent = time.process_time() - began
    return {"step_us": round(1e6 * spent * STEP / (runner.t - t), 1), **contacts}


def _seconds(run: Callable[[int], Any], steps: int) -> tuple[float, Any]:
    began = time.process_time()
    found = run(steps)
    return time.process_time() - began, found


# ---------------------------------------------------------------------------------------------------- rows


def rows() -> Iterator[Row]:
    for case in SIZES:
        yield from rows_of_case(case)


def rows_of_case(case: str) -> Iterator[Row]:
    """Of each size those of ours, then MuJoCo's; up to the first size that is too large."""
    before: dict[float, tuple[int, float]] = {}
    laws = COMPLIANCES.get(case, (0.0,))
    for n in SIZES[case]:
        for compliance in laws:
            try:
                with empty_cache():
                    found = fresh("bench.scale_machines:ours", case, n, compliance, limit=LIMIT) or {}
            except (StoppedError, RuntimeError) as reason:
                yield {"case": case, "n": n, "derive_s": None, "stopped": str(reason).splitlines()[-1]}
                return
            total, last = found["derive_s"] + found["first_step_s"], before.get(compliance)
            exponent = None if last is None else round(math.log(total / last[1]) / math.log(n / last[0]), 2)
            before[compliance] = n, total
            law = {"compliance": compliance} if case in COMPLIANCES else {}
            del found["peak_mb"]  # of the long runs
            yield {"case": case, "n": n, **law, **found, "exponent": exponent}
        if peer := fresh("bench.scale_machines_peers:mujoco", case, n, limit=LIMIT):
            yield {
                "case": case, "n": n, "step_us": round(peer["step_us"], 1), "mb": peer["peak_mb"], "peer": "mujoco",
                "peer_s": round(peer["seconds"], 4), "ratio": round(peer["seconds"] / before[laws[0]][1], 4),
                "step_ratio": peer["step_us"] / found["step_us"] if found["step_us"] else None,
            }  # fmt: skip

"""Piles on a card, in single precision: balls that fall into a box, clumps, and balls that a mechanism stirs.

`fall_ms` and `rest_ms` are wall times of a step, in milliseconds: over the first and over the last quarter of the steps. `find_ms` and
`solve_ms` are parts of the last one: contacts and their colours, and sweeps. `residual` is the largest of all steps, `last_residual` that of the
last one, without unit. `drift` is the change of Σ m v of balls that collide without gravity, as a fraction of Σ m |v|, `same_bits` 1 where
two runs from one start have the same bits. `given` is the part of the energy that goes over to a mechanism, `energy_error` the change
of the energy of both, `work_error` that of the mechanism but for the work of contacts. `steps` is below 4 x the number asked for where a step was not taken.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

import symbody as sb
from symbody.integrate.piles.card.card_runs import CardRunner

from .piles import SIZE, box_of_balls
from .timing import Row

SWEEPS: Final = 30
STEP: Final = 1e-3
CLUMP: Final = np.array([(-0.5, 0, 0, 0.5), (0.5, 0, 0, 0.5), (0, 0.8, 0, 0.4)]) * SIZE


def runner_of(pile: sb.Pile, sweeps: int = SWEEPS, stabilise: float = 0.2) -> CardRunner:
    return CardRunner(pile._in_numbers(1e-6, sweeps, stabilise, 0.0), STEP, "float")


def in_the_box(pile: sb.Pile, box: sb.Pile) -> sb.Pile:
    """A pile between the walls of another."""
    for wall in box.walls:
        assert wall.plane is not None
        pile.wall(wall.name, at=wall.plane[:3] * wall.plane[3], normal=wall.plane[:3])
    return pile


def clumps_in_a_box(n: int) -> sb.Pile:
    """2 n³ / 3 clumps of three balls, turned in all directions, and n³ / 3 balls."""
    box, rng = box_of_balls(n, 2.3), np.random.default_rng(3)
    at = rng.permutation(box.start[:, :3])
    k = len(at) // 3
    pile = sb.Pile("clumps in a box", friction=0.3)
    pile.many("ball", sb.sphere(SIZE), at=at[:k], density=2500)
    pile.many("clump", CLUMP, at=at[k:], density=2500, rotations=rng.standard_normal((len(at) - k, 4)))
    return in_the_box(pile, box)


def stirred_balls(n: int) -> sb.Pile:
    """A shaft with three arms among the lowest balls, which turns by a given torque, and a flap on a hinge that falls on them."""
    box = box_of_balls(n, 2.02)
    reach, top, m = 0.8 * n * SIZE, 2.02 * n * SIZE, sb.Model("stirrer")
    m.gravity(0, 0, -9.81)
    shaft = m.body("shaft", mass=20.0, inertia=(5.0, 5.0, 5.0))
    m.revolute("turn", m.ground, shaft, axis="z")
    m.torque("motor", shaft, m.ground.vector(0, 0, 400.0))
    flap = m.body("flap", mass=4.0, inertia=(0.3, 0.1, 0.3), com=(0, 0, reach / 4))
    m.revolute("hinge", shaft, flap, axis="y", at=(0, 0, top))
    surfaces: dict[str, Any] = {"flap": (flap.frame.translate(0, 0, reach / 4), sb.box(SIZE, reach / 2, reach / 2))}
    at = box.start[:, :3]
    for k in range(3):
        angle = 2 * np.pi * k / 3
        arm = shaft.frame.rotate("z", angle).translate(reach / 2, 0, 6 * SIZE)
        surfaces[f"arm{k}"] = (arm, sb.box(reach, SIZE, 4 * SIZE))
        along = at[:, 0] * np.cos(angle) + at[:, 1] * np.sin(angle) - reach / 2
        across = at[:, 1] * np.cos(angle) - at[:, 0] * np.sin(angle)
        off = np.abs(np.stack([along, across, at[:, 2] - 6 * SIZE], axis=1)) - (reach / 2, SIZE / 2, 2 * SIZE)
        at = at[off.max(axis=1) > SIZE]
    pile = sb.Pile("stirred balls", friction=0.3)
    pile.many("body", sb.sphere(SIZE), at=at, density=2500)
    pile.mechanism(sb.assemble(sb.derive(m), hinge=0.3), surfaces)
    return in_the_box(pile, box)


def moved(case: str, pile: sb.Pile, steps: int, sweeps: int = SWEEPS) -> Row:
    began = time.perf_counter()
    runner = runner_of(pile, sweeps)
    status, _ = runner.take(1, 1)
    first = time.perf_counter() - began
    spent, taken = [], 0
    for _ in range(4):
        if status == 0:
            began, t = time.perf_counter(), runner.t
            status, _ = runner.take(steps, steps)
            taken += round((runner.t - t) / STEP)
            spent.append((time.perf_counter() - began) / steps)
    parts = parts_of_step(runner) if status == 0 else {}
    return {
        "case": case, "n": runner.n, "sweeps": sweeps, "first_s": first, "steps": taken, "fall_ms": 1e3 * spent[0], "rest_ms": 1e3 * spent[-1], **parts,
        "contacts": runner.totals.last_contacts, "residual": runner.totals.residual, "last_residual": runner.totals.last_residual,
    }  # fmt: skip


def parts_of_step(runner: CardRunner) -> Row:
    """Times of five steps by their parts, each of which waits for the card."""
    spent = dict.fromkeys(("find", "_solve"), 0.0)

    def timed(name: str) -> Any:
        plain = getattr(runner, name)

        def call(*given: Any) -> Any:
            runner._flags()
            began = time.perf_counter()
            out = plain(*given)
            runner._flags()
            spent[name] += time.perf_counter() - began
            return out

        return call

    for name in spent:
        setattr(runner, name, timed(name))
    runner.take(5, 5)
    for name in spent:
        delattr(runner, name)
    return {"find_ms": 1e3 * spent["find"] / 5, "solve_ms": 1e3 * spent["_solve"] / 5}


def drift(n: int, steps: int) -> Row:
    """Balls and clumps that collide without gravity, twice."""
    pile = clumps_in_a_box(n)
    free = sb.Pile("cloud", gravity=(0, 0, 0), friction=0.3, restitution=0.3)
    rng = np.random.default_rng(4)
    for kind, shape in (("ball", sb.sphere(SIZE)), ("clump", CLUMP)):
        states = next(k for k in pile.kinds if k.name == kind).states
        speeds = -states[:, :3] + 0.3 * rng.standard_normal((len(states), 3))
        free.many(kind, shape, at=states[:, :3], density=2500, velocities=speeds)
    runner, ends = runner_of(free, stabilise=0.0), []
    masses = runner.pile.masses[runner.pile.kinds[: runner.n], :1]
    for _ in range(2):
        runner.set_state(free.start, 0.0)
        ends.append(runner.take(steps, steps)[1][-1])
    before, after = (masses * y[:, 7:10] for y in (free.start, ends[0]))
    scale = np.linalg.norm(before, axis=1).sum()
    return {
        "case": "cloud of balls and clumps", "n": runner.n, "steps": steps, "contacts": runner.totals.most_contacts,
        "drift": float(np.abs(after.sum(axis=0) - before.sum(axis=0)).max() / scale), "same_bits": int(np.array_equal(*ends)),
    }  # fmt: skip


def exchange(n: int, steps: int) -> Row:
    """Balls that fly into a floating body, elastic and without friction: Σ m v and the energy of both."""
    m = sb.Model("floating")
    body = m.body("body", mass=500.0, inertia=(900.0,) * 3)
    m.free("body", m.ground, body, sequence="euler parameters")
    box = box_of_balls(n, 2.3)
    at = box.start[:, :3] * (1, 1, 0.2)
    at = at[np.argsort(box.start[:, 2], kind="stable")][: n * n]  # one layer
    top, half = float(at[:, 2].max()) + 2 * SIZE, n * 1.1 * SIZE
    start = sb.assemble(sb.derive(m), {"body_e0": 1.0, "body_z": top + SIZE, "body_wx": 0.2})
    pile = sb.Pile("exchange", gravity=(0, 0, 0), restitution=1.0)
    pile.many("ball", sb.sphere(SIZE), at=at, density=2500, velocities=(0, 0, 2.0) - 0.1 * at * (1, 1, 0))
    pile.mechanism(start, {"plate": (body, sb.box(2 * half, 2 * half, SIZE))})
    motion = pile.simulate(steps * STEP, step=STEP, every=steps, most_sweeps=100, target="cuda", real="float")
    u = np.stack([motion.mechanism[f"body_{k}"] for k in ("x_dot", "y_dot", "z_dot", "wx", "wy", "wz")], axis=1)
    energy = 0.5 * (u**2) @ np.array([500.0] * 3 + [900.0] * 3)
    total, both = motion.momentum + 500.0 * u[:, :3], motion.energy + energy
    return {
        "case": "balls and a floating plate", "n": len(at), "steps": steps, "contacts": motion.most_contacts, "residual": motion.residual,
        "drift": float(np.abs(total[-1] - total[0]).max() / np.abs(total[0]).max()), "given": float(motion.work[1] / motion.energy[0]),
        "energy_error": float(abs(both[-1] - both[0]) / both[0]), "work_error": float(abs(motion.work[1] - energy[-1] + energy[0]) / both[0]),
    }  # fmt: skip


def rows() -> Iterator[Row]:
    for n, steps, sweeps, compliance in (
        (46, 250, 60, 0.0),
        (46, 250, 30, 1e-7),
        (46, 250, 60, 1e-7),
        (100, 50, 60, 0.0),
        (100, 50, 30, 1e-7),
    ):
        case = "balls in a box" if compliance == 0 else f"balls in a box, {compliance:g} m/N"
        yield moved(case, box_of_balls(n, 2.01, compliance), steps, sweeps)
    yield moved("clumps in a box", clumps_in_a_box(46), 100)
    yield moved("balls that are stirred", stirred_balls(46), 100)
    yield drift(30, 200)
    yield exchange(60, 200)

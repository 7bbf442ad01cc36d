"""Piles: balls that fall into a box and boxes in a heap, beside MuJoCo, whose contacts are soft.

`fall_ms` and `rest_ms` are CPU times of a step, in milliseconds: the mean over the first half of the motion and over its last
tenth. `residual` is the largest of all steps, without unit; `missed` steps are above 1e-6. MuJoCo has no such residual.
`depth` is the deepest penetration at the end, as a fraction of the size of a body.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

import symbody as sb

from .timing import Row

STEP: Final = 2e-3
STEPS: Final = 500  # of ours; a tenth of them for a peer that takes long
SIZE: Final = 0.05  # radius of balls, half the edge of boxes
SWEEPS: Final = 200
CASES: Final = (("balls in a box", 5), ("balls in a box", 10), ("heap of boxes", 6))


def places(n: int) -> NDArray[np.float64]:
    """n³ places in layers, each a little off; 215 of 216 for boxes, which have 1290 degrees of freedom."""
    rng = np.random.default_rng(1)
    grid = np.array([(i, j, k) for k in range(n) for i in range(n) for j in range(n)], dtype=float)
    at = (grid + 0.5) * 2.2 * SIZE + rng.uniform(-0.05, 0.05, grid.shape) * SIZE
    at[:, :2] -= n * 1.1 * SIZE
    return np.asarray(at)


def ours(case: str, n: int) -> Row:
    at = places(n)
    pile = sb.Pile(case, friction=0.3)
    if case == "heap of boxes":
        at = at[:215]
        pile.many("body", sb.box(2 * SIZE, 2 * SIZE, 2 * SIZE), at=at, density=2500)
    else:
        pile.many("body", sb.sphere(SIZE), at=at, density=2500)
        wall = n * 1.1 * SIZE
        for k, normal in enumerate(((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0))):
            pile.wall(f"side {k}", at=-wall * np.array(normal), normal=normal)
    pile.wall("floor")
    began = time.process_time()
    pile.simulate(STEP, step=STEP)
    first = time.process_time() - began
    spent, motions, at_end = [], [], pile
    for steps in (STEPS // 2, STEPS, STEPS - STEPS // 10):
        began = time.process_time()
        motions.append(at_end.simulate(steps * STEP, step=STEP, every=steps, most_sweeps=SWEEPS))
        spent.append(time.process_time() - began)
    whole = motions[1]
    return {
        "case": case, "tool": "symbody", "n": len(at), "first_s": first, "fall_ms": 1e3 * spent[0] / (STEPS // 2),
        "rest_ms": 1e3 * (spent[1] - spent[2]) / (STEPS // 10), "contacts": len(whole.contacts.gaps), "sweeps": whole.sweeps / STEPS,
        "residual": whole.residual, "missed": whole.missed, "depth": float(-whole.contacts.gaps.min(initial=0.0) / SIZE),
    }  # fmt: skip


def mujoco(case: str, n: int) -> Row:
    import mujoco as mj

    at = places(n)[:215] if case == "heap of boxes" else places(n)
    wall = n * 1.1 * SIZE
    sides = "" if case == "heap of boxes" else "".join(
        f'<geom type="plane" size="5 5 1" pos="{-wall * x} {-wall * y} 0" zaxis="{x} {y} 0" friction="0.3 0 0" condim="3"/>'
        for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1))
    )  # fmt: skip
    form = "box" if case == "heap of boxes" else "sphere"
    size = f"{SIZE} {SIZE} {SIZE}" if form == "box" else f"{SIZE}"
    bodies = "".join(
        f'<body pos="{x} {y} {z}"><freejoint/><geom type="{form}" size="{size}" density="2500" friction="0.3 0 0" condim="3"/></body>'
        for x, y, z in at
    )
    text = f"""<mujoco><option timestep="{STEP}" cone="elliptic"/><size memory="1G"/><worldbody>
    <geom type="plane" size="5 5 1" friction="0.3 0 0" condim="3"/>{sides}{bodies}</worldbody></mujoco>"""
    began = time.process_time()
    model = mj.MjModel.from_xml_string(text)
    data = mj.MjData(model)
    mj.mj_step(model, data)
    first = time.process_time() - began
    spent = [step_time(lambda: mj.mj_step(model, data), k) for k in (STEPS // 2, STEPS // 2 - STEPS // 10, STEPS // 10)]
    return {
        "case": case, "tool": "mujoco", "n": len(at), "first_s": first, "fall_ms": 1e3 * spent[0], "rest_ms": 1e3 * spent[2],
        "contacts": int(data.ncon), "depth": float(-min((c.dist for c in data.contact), default=0.0) / SIZE),
    }  # fmt: skip


def step_time(step: Callable[[], object], count: int) -> float:
    began = time.process_time()
    for _ in range(count):
        step()
    return (time.process_time() - began) / count


def rows() -> Iterator[Row]:
    for case, n in CASES:
        yield ours(case, n)
        yield mujoco(case, n)

"""Piles: balls that fall into a box and boxes in a heap, beside MuJoCo and YADE, whose contacts are soft, and beside Siconos, which
solves the same contact problem (`piles_peers.py`).

`fall_ms` and `rest_ms` are CPU times of a step of 2 ms: the mean over the first half of the motion and over its last tenth, in the
machine code of long runs. `first_step_s` is that of the first step from shapes and places, in code that is quick to have; `compile_s`
that of the better code, which takes its place in a run of some seconds. Both are without code on disk. `compliance` is that of the
contacts (m/N), 0: rigid. `residual` is the largest of all steps, without unit; `missed` steps are above 1e-6. The peers have no such
residual; their ratios are those of the rigid contacts, at rest (in the fall, where a peer is stopped before). `depth` is the deepest
penetration at the end, as a fraction of the size of a body. Rows of pairs are those of `pile_pairs.py`.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

import symbody as sb
from symbody.emit.run.loop_callee import LoopCallee
from symbody.integrate.complementarity.contact_solvers import store_by_blocks
from symbody.integrate.piles.pile_records import PileStep
from symbody.integrate.piles.pile_runs import PileRunner

from . import pile_pairs
from . import piles_peers as peers
from .dynamics import empty_cache
from .timing import Row, fresh

STEP: Final = 2e-3
STEPS: Final = 500
BLOCK: Final = 10  # steps that are timed together
PEER_SECONDS: Final = 10.0  # a peer that takes longer ends there
SIZE: Final = 0.05  # radius of balls, half the edge of boxes
SWEEPS: Final = 200
COMPLIANCES: Final = (0.0, 1e-7, 1e-6)  # m/N
CASES: Final = (("balls in a box", 5), ("balls in a box", 10), ("heap of boxes", 6))


def places(n: int) -> NDArray[np.float64]:
    """n³ places in layers, each a little off; 215 of 216 for boxes, which have 1290 degrees of freedom."""
    rng = np.random.default_rng(1)
    grid = np.array([(i, j, k) for k in range(n) for i in range(n) for j in range(n)], dtype=float)
    at = (grid + 0.5) * 2.2 * SIZE + rng.uniform(-0.05, 0.05, grid.shape) * SIZE
    at[:, :2] -= n * 1.1 * SIZE
    return np.asarray(at)


def box_of_balls(n: int, spacing: float = 2.2, compliance: float = 0.0) -> sb.Pile:
    pile = sb.Pile("balls in a box", friction=0.3, compliance=compliance)
    pile.many("body", sb.sphere(SIZE), at=places(n) * spacing / 2.2, density=2500)
    wall = n * 0.5 * spacing * SIZE
    for k, normal in enumerate(((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0))):
        pile.wall(f"side {k}", at=-wall * np.array(normal), normal=normal)
    pile.wall("floor")
    return pile


def heap_of_boxes(n: int) -> sb.Pile:
    pile = sb.Pile("heap of boxes", friction=0.3)
    pile.many("body", sb.box(2 * SIZE, 2 * SIZE, 2 * SIZE), at=places(n)[:215], density=2500)
    pile.wall("floor")
    return pile


def ours(case: str, n: int, compliance: float) -> Row:
    pile = heap_of_boxes(n) if case == "heap of boxes" else box_of_balls(n, compliance=compliance)
    began = time.process_time()
    pile.simulate(STEP, step=STEP)
    first = time.process_time() - began
    runner = PileRunner(pile._in_numbers(1e-6, SWEEPS, 0.0, 0.0), STEP)
    began = time.process_time()
    runner._effort.improve()
    improved = time.process_time() - began
    spent = []
    for _ in range(STEPS // BLOCK):
        began = time.process_time()
        runner.take(BLOCK, BLOCK)
        spent.append((time.process_time() - began) / BLOCK)
    total, gaps = runner.totals, runner.contacts().gaps
    return {
        "case": case, "n": runner.n, "compliance": compliance, "first_step_s": first, "compile_s": improved, **halves(spent),
        "contacts": len(gaps), "sweeps": total.sweeps / STEPS, "residual": total.residual, "missed": total.missed,
        "depth": float(-gaps.min(initial=0.0) / SIZE),
    }  # fmt: skip


def halves(spent: list[float]) -> Row:
    """Milliseconds of a step while bodies fall, and at rest, from seconds of a step in each block; nothing where the end is missing."""
    falling, at_rest = spent[: STEPS // BLOCK // 2], spent[-STEPS // BLOCK // 10 :]
    rest = 1e3 * statistics.mean(at_rest) if len(spent) == STEPS // BLOCK else None
    return {"fall_ms": 1e3 * statistics.mean(falling), "rest_ms": rest}


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
    spent: list[float] = []
    while len(spent) < STEPS // BLOCK and sum(spent) * BLOCK < PEER_SECONDS:
        began = time.process_time()
        mj.mj_step(model, data, BLOCK)
        spent.append((time.process_time() - began) / BLOCK)
    return {
        "case": case, "n": len(at), "peer": "mujoco", "first_step_s": first, **halves(spent), "steps": len(spent) * BLOCK,
        "contacts": int(data.ncon), "depth": float(-min((c.dist for c in data.contact), default=0.0) / SIZE),
    }  # fmt: skip


def yade_row(case: str, n: int) -> Row | None:
    """Soft balls; times are of the steps that cover one of ours."""
    at = places(n)
    found = peers.yade(at, SIZE, n * 1.1 * SIZE, STEP * STEPS)
    if found is None:
        return None
    fall, rest = (1e3 * spent * STEP / found["dt"] for spent in found["spent"])
    return {"case": case, "n": len(at), "peer": "YADE", "fall_ms": fall, "rest_ms": rest, "contacts": found["contacts"]}


def one_problem(case: str, n: int) -> Iterator[Row]:
    """The contact problem of a step at half time from zero: our sweeps, and as many iterations of Siconos's NSGS."""
    runner = PileRunner(box_of_balls(n)._in_numbers(1e-6, SWEEPS, 0.0, 0.0), STEP)
    for _ in range(STEPS // BLOCK // 2):
        runner.take(BLOCK, BLOCK)
    A, b, mu = problem_of(runner.step)
    g = runner.step.graph
    g.x[:] = 0.0
    sweeps = LoopCallee(store_by_blocks, {}, g=g)
    began = time.process_time()
    sweeps.run()
    mine = time.process_time() - began
    common = {"case": f"{case}, one problem", "n": runner.n, "contacts": len(mu), "sweeps": SWEEPS}
    yield {**common, "seconds": mine, "residual": residual_of(A, b, mu, np.array(g.x[: 3 * len(mu)]))}
    if found := peers.siconos(A, b, mu, SWEEPS):
        residual = residual_of(A, b, mu, np.array(found["x"]))
        yield {
            **common,
            "seconds": found["seconds"],
            "residual": residual,
            "peer": "Siconos",
            "ratio": found["seconds"] / mine,
        }


def problem_of(s: PileStep) -> tuple[Any, Any, Any]:
    """A, b and friction of the last step, sparse."""
    g, c = s.graph, s.contacts
    blocks = g.starts[c]
    owner = np.repeat(np.arange(c), np.diff(np.array(g.starts[: c + 1])))
    V = np.array(g.V[: 18 * blocks]).reshape(blocks, 3, 6)
    rows = np.array(g.places[:blocks])[:, None, None] + np.arange(6) + np.zeros((1, 3, 1), dtype=int)
    columns = 3 * owner[:, None, None] + np.arange(3)[None, :, None] + np.zeros((1, 1, 6), dtype=int)
    V = csc_array((V.ravel(), (rows.ravel(), columns.ravel())), shape=(6 * g.nodes, 3 * c))
    A = (V.T @ V).tocsc()
    A.sort_indices()
    return A, np.array(g.b[: 3 * c]), np.array(g.mu[:c])


def residual_of(A: Any, b: Any, mu: Any, x: Any) -> float:
    """As `ContactProblem.residual`, without its allowance for rounding."""
    a, v, N = A.diagonal(), A @ x + b, x[::3]
    miss = np.zeros_like(x)
    miss[::3] = N - np.maximum(0.0, N - v[::3] / a[::3])
    one, two, limit = x[1::3] - v[1::3] / a[1::3], x[2::3] - v[2::3] / a[2::3], mu * np.abs(N)
    scale = np.minimum(1.0, limit / np.maximum(np.hypot(one, two), 1e-300))
    miss[1::3], miss[2::3] = x[1::3] - one * scale, x[2::3] - two * scale
    return float(np.sqrt((a * miss**2).sum() / min((b**2 / a).sum(), (a * x**2).sum())))


def measured(function: str, *arguments: Any) -> Row | None:
    """The row of a function in a process of its own; None where its package is missing."""
    found = fresh(f"bench.piles:{function}", *arguments)
    return None if found is None else {**{k: v for k, v in found.items() if k != "peak_mb"}, "mb": found["peak_mb"]}


def beside(row: Row | None, own: Row) -> Iterator[Row]:
    """The row of a peer with its ratio: at rest, or in the fall where the peer does not come to rest."""
    if row is not None:
        time_of = "rest_ms" if row["rest_ms"] is not None else "fall_ms"
        yield {**row, "ratio": row[time_of] / own[time_of]}


def rows() -> Iterator[Row]:
    for case, n in CASES:
        found = []
        for compliance in COMPLIANCES if case != "heap of boxes" else (0.0,):
            with empty_cache():
                found.append(measured("ours", case, n, compliance) or {})
        yield from found
        yield from beside(measured("mujoco", case, n), found[0])
        if case != "heap of boxes":
            yield from beside(yade_row(case, n), found[0])
            yield from one_problem(case, n)
    yield from pile_pairs.rows()

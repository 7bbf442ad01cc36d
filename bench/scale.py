"""Many bodies: seconds from the description to the first step of `simulate`, and memory, by the number of bodies, beside
engines that compute numbers only.

`describe_s`, `derive_s` and `first_step_s` (`simulate` over a millisecond, with all that it compiles) follow each other;
`compile_s` is `compile(eq).udot` after that. Every row is a fresh process with an empty cache on disk; seconds are CPU
time, packages loaded before. `exponent` is that of the three stages together between the row before of the same case and
this one: 1 is linear. Chains and trees are described by `Model.repeat`; "chain, call by call" by a loop of Python, and
"chain of unequal links" likewise, with masses that all differ. n of scissor lifts are the stages, of two bars. Peers
get the same mechanism as a description of their own (Pinocchio: joints one by one; MuJoCo: `MjSpec`; Exudyn: a kinematic
tree, of which an explicit Euler step is timed) and compute one acceleration; `ratio` is their time over ours, from the description to the first step. The rows of large machines
(`scale_machines.py`) follow; their `derive_s` has the description in it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from itertools import chain, pairwise
from typing import Any, Final

import numpy as np

import symbody as sb
from examples import four_bars

from . import chains_of_loops, scale_machines
from .dynamics import empty_cache
from .limits import Limit, StoppedError
from .timing import Row, fresh, repeated

LIMIT: Final = Limit(120.0, 8000.0)
PEER_LIMIT: Final = Limit(40.0, 4000.0)
SIZES: Final = {
    "chain": (100, 1000, 10_000, 100_000),
    "chain, call by call": (100, 1000, 10_000),
    "chain of unequal links": (100, 1000),
    "tree": (100, 1000, 10_000),
    "row of four-bars": (10, 100, 1000, 10_000),
    "scissor lift": (10, 100, 1000),
    "ring of links": (10, 100, 1000),
}
MODELS: Final[dict[str, tuple[Callable[[int], sb.Model], Callable[[int], dict[str, float]]]]] = {
    "row of four-bars": (four_bars.model, four_bars.start),
    "scissor lift": (chains_of_loops.scissor_lift, chains_of_loops.scissor_start),
    "ring of links": (chains_of_loops.ring, chains_of_loops.ring_start),
}
PEERS: Final = ("pinocchio", "mujoco", "exudyn")
PEER_CASES: Final = ("chain", "tree")
KEYS: Final = (
    "case", "n", "describe_s", "derive_s", "compile_s", "first_step_s", "eval_us", "mb", "exponent", "peer", "peer_s", "ratio",
)  # fmt: skip
STEP: Final = 1e-3  # seconds of the first step
MASS, COM, INERTIA = 1.0, (0.5, 0.0, 0.0), (0.05, 0.1, 0.1)  # of every link


def parents(case: str, n: int) -> list[int]:
    """Of each link, -1 for the ground: one after the other, or ten levels of equal branching."""
    if case != "tree":
        return [k - 1 for k in range(n)]
    children = max(2, round(n**0.1))
    return [-1 if k == 0 else (k - 1) // children for k in range(n)]


def axis(case: str, k: int) -> str:
    """Axes alternate along a chain."""
    return "zy"[k % 2 if case != "tree" else 0]


def model(case: str, n: int) -> sb.Model:
    if case in MODELS:
        return MODELS[case][0](n)
    m = sb.Model(case)
    m.gravity(0, -9.81, 0)
    if case == "chain":
        m.repeat("links", m.ground, _part("zy"), n // 2, end="tip")
    elif case == "tree":
        above = parents(case, n)
        m.repeat("link", lambda done: done[above[len(done)]].frame("tip") if done else m.ground, _part("z"), n)
    else:
        _call_by_call(m, case, n)
    return m


def _part(axes: str) -> sb.Model:
    """Links one after the other, and a frame at the end."""
    part = sb.Model("part")
    on: Any = part.ground
    for k, a in enumerate(axes):
        link = part.body(f"link{k}", mass=MASS, com=COM, inertia=INERTIA)
        part.revolute(f"q{k}", on, link, at=(0, 0, 0) if k == 0 else (1, 0, 0), axis=a)
        on = link
    part.frame("tip", on.frame.translate(1, 0, 0))
    return part


def _call_by_call(m: sb.Model, case: str, n: int) -> None:
    links: list[Any] = []
    for k, parent in enumerate(parents(case, n)):
        mass = MASS + k / n if case == "chain of unequal links" else MASS
        link = m.body(f"link {k}", mass=mass, com=COM, inertia=INERTIA)
        on = m.ground if parent < 0 else links[parent]
        m.revolute(f"q{k}", on, link, at=(0, 0, 0) if parent < 0 else (1, 0, 0), axis=axis(case, k))
        links.append(link)


# ------------------------------------------------------------------------------------------------- in fresh processes


def ours(case: str, n: int) -> Row:
    """Seconds of each stage, microseconds of an evaluation."""
    small = sb.derive(model(case, 3))
    sb.simulate(small, STEP, start=_start(case, 3), progress=False)  # loads what a simulation loads
    clock = time.process_time
    times = [clock()]
    m = model(case, n)
    times.append(clock())
    eq = sb.derive(m)
    times.append(clock())
    start = _start(case, n)
    sb.simulate(eq, STEP, start=start, progress=False)
    times.append(clock())
    f = sb.compile(eq)
    udot = f.udot
    times.append(clock())
    q, u = np.array([start.get(s.name, 0.0) for s in eq.q]), np.zeros(len(eq.u))
    stages = ("describe_s", "derive_s", "first_step_s", "compile_s")
    row = {s: round(b - a, 4) for s, (a, b) in zip(stages, pairwise(times), strict=True)}
    return {**row, "eval_us": round(repeated(lambda: udot(0.0, q, u, f.p), repeats=5).least * 1e6, 2)}


def _start(case: str, n: int) -> dict[str, float]:
    return MODELS[case][1](n) if case in MODELS else {}


def pinocchio(case: str, n: int) -> Row:
    import pinocchio as pin  # type: ignore[import-not-found, import-untyped, unused-ignore]

    start = time.process_time()
    m = pin.Model()
    m.gravity.linear = np.array([0, -9.81, 0])
    inertia = pin.Inertia(MASS, np.array(COM), np.diag(INERTIA))
    joints = []
    for k, parent in enumerate(parents(case, n)):
        at = pin.SE3.Identity() if parent < 0 else pin.SE3(np.eye(3), np.array([1.0, 0, 0]))
        kind = pin.JointModelRZ() if axis(case, k) == "z" else pin.JointModelRY()
        joint = m.addJoint(0 if parent < 0 else joints[parent], kind, at, f"q{k}")
        m.appendBodyToJoint(joint, inertia, pin.SE3.Identity())
        joints.append(joint)
    data, zero = m.createData(), np.zeros(n)
    pin.aba(m, data, zero, zero, zero)
    seconds = time.process_time() - start
    return {"seconds": seconds, "eval_us": repeated(lambda: pin.aba(m, data, zero, zero, zero), repeats=5).least * 1e6}


def mujoco(case: str, n: int) -> Row:
    import mujoco as mj  # type: ignore[import-not-found, import-untyped, unused-ignore]

    start = time.process_time()
    spec = mj.MjSpec()
    spec.option.gravity = [0, -9.81, 0]
    bodies: list[Any] = []
    for k, parent in enumerate(parents(case, n)):
        on = spec.worldbody if parent < 0 else bodies[parent]
        body = on.add_body(
            pos=[0, 0, 0] if parent < 0 else [1, 0, 0], mass=MASS, ipos=list(COM), inertia=list(INERTIA), explicitinertial=True
        )  # fmt: skip
        body.add_joint(axis=[0, 0, 1] if axis(case, k) == "z" else [0, 1, 0])
        bodies.append(body)
    m = spec.compile()
    data = mj.MjData(m)
    mj.mj_forward(m, data)
    seconds = time.process_time() - start
    return {"seconds": seconds, "eval_us": repeated(lambda: mj.mj_forward(m, data), repeats=5).least * 1e6}


def exudyn(case: str, n: int) -> Row:
    from .simulate_peers.exudyn_models import REVOLUTE, euler_steps, tree

    start = time.process_time()
    above = parents(case, n)
    system, _ = tree(
        above,
        [REVOLUTE[axis(case, k)] for k in range(n)],
        [np.array([0.0 if p < 0 else 1.0, 0, 0]) for p in above],
        [MASS] * n,
        [np.diag(INERTIA)] * n,
        [np.array(COM)] * n,
        [0, -9.81, 0],
        [0.0] * n,
    )
    euler_steps(system, 1)
    seconds = time.process_time() - start
    one, more = (_spent(lambda c=count: euler_steps(system, c)) for count in (1, 11))
    return {"seconds": seconds, "eval_us": (more - one) / 10 * 1e6}


def _spent(act: Callable[[], object]) -> float:
    began = time.process_time()
    act()
    return time.process_time() - began


# ---------------------------------------------------------------------------------------------------- rows


def rows() -> Iterator[Row]:
    """Every row has all keys; those of large machines have the microseconds of a step as well."""
    for row in chain(_rows_of_mechanisms(), scale_machines.rows()):
        yield {**dict.fromkeys(KEYS), **row}


def _rows_of_mechanisms() -> Iterator[Row]:
    for case, sizes in SIZES.items():
        before: tuple[int, float] | None = None
        for n in sizes:
            try:
                with empty_cache():
                    found = fresh("bench.scale:ours", case, n, limit=LIMIT) or {}
            except StoppedError as reason:
                yield {"case": case, "n": n, "describe_s": None, "stopped": str(reason)}
                break
            total = sum(found[k] for k in ("describe_s", "derive_s", "first_step_s"))
            exponent = None if before is None else math.log(total / before[1]) / math.log(n / before[0])
            before = n, total
            mb = found.pop("peak_mb")
            yield {"case": case, "n": n, **found, "mb": mb, "exponent": exponent and round(exponent, 2)}
            if case in PEER_CASES:
                yield from beside(case, n, total)


def beside(case: str, n: int, total: float) -> Iterator[Row]:
    for peer in PEERS:
        try:
            found = fresh(f"bench.scale:{peer}", case, n, limit=PEER_LIMIT)
        except (StoppedError, RuntimeError) as reason:
            yield {"case": case, "n": n, "peer": f"{peer}: {str(reason).splitlines()[-1]}"}
            continue
        if found:
            yield {
                "case": case, "n": n, "eval_us": round(found["eval_us"], 2), "mb": found["peak_mb"],
                "peer": peer, "peer_s": round(found["seconds"], 4), "ratio": round(found["seconds"] / total, 3),
            }  # fmt: skip

"""A stiff rod of many links, clamped at one end and released under its own weight: Radau IIA over loops of links, beside an
explicit method, MuJoCo's implicit integrator and PyElastica at the same error of the tip.

10 m and 5 kg in n links, with springs of EI/l (EI = 1e4 N m²; 1e6 N m for 1000 links) and dampers of 1e-3 s times that in
the joints; its motion hardly depends on n. The rod that PyElastica has too ("undamped rod") is without dampers.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from typing import Any, Final

import numpy as np

import symbody as sb

from .elastica_rods import elastica
from .limits import Limit, StoppedError, limited
from .timing import Row

LENGTH, DENSITY, STIFFNESS, DAMPING = 10.0, 0.5, 1e4, 1e-3
END: Final = 2.0
SIZES: Final = (100, 1000, 10_000)
MOST_EXPLICIT: Final = 100  # links for which explicit steps are tried
LIMIT: Final = Limit(60.0, 4000.0)
TIME_STEPS: Final = {100: (1e-3, 1e-4), 1000: (1e-3,)}  # of MuJoCo
UNDAMPED: Final = (20, 100)  # links of the rods beside PyElastica


def rod(n: int, damping: float = DAMPING) -> sb.Model:
    """`damping`: seconds, times the stiffness."""
    m, length, mass, inertia = sb.Model("rod"), *_link(n)
    link = sb.Model("link")
    body = link.body("body", mass=mass, com=(length / 2, 0, 0), inertia=inertia)
    k = STIFFNESS / length
    link.revolute("a", link.ground, body, "z", stiffness=k, damping=damping * k)
    link.frame("tip", body.frame.translate(length, 0, 0))
    m.gravity(0, -9.81, 0)
    m.repeat("link", m.ground, link, n, end="tip")
    return m


def _link(n: int) -> tuple[float, float, tuple[float, float, float]]:
    """Length, mass and inertia about the mass centre."""
    length = LENGTH / n
    mass = DENSITY * length
    about = mass * length**2 / 12
    return length, mass, (about / 2, about, about)


def tip(angles: Any) -> Any:
    """Position of the end."""
    a = np.cumsum(angles)
    return np.array([np.cos(a).sum(), np.sin(a).sum()]) * LENGTH / len(a)


def ours(n: int) -> Iterator[Row]:
    began = time.process_time()
    eq = sb.derive(rod(n))
    sb.simulate(eq, 1e-3, method="radau", max_steps=1)
    yield {"case": "rod", "n": n, "method": "to the first step, radau", "seconds": time.process_time() - began}
    best = tip(sb.simulate(eq, END, method="radau", rtol=1e-10 if n <= 1000 else 1e-8).y[-1][:n])
    yield from _implicit("rod", eq, n, best, (1e-4, 1e-6, 1e-8) if n <= 1000 else (1e-4, 1e-6))
    if n <= MOST_EXPLICIT:
        yield _beside({"case": "rod", "n": n, "method": "dp8", "rtol": 1e-6}, partial(_explicit, n), best)
    for h in TIME_STEPS.get(n, ()):
        yield _beside(
            {"case": "rod", "n": n, "method": f"MuJoCo implicitfast, step {h:g}"}, partial(_mujoco, n, h), best
        )


def undamped(n: int) -> Iterator[Row]:
    """Beside PyElastica."""
    eq, case = sb.derive(rod(n, damping=0.0)), "undamped rod"
    best = tip(sb.simulate(eq, END, method="radau", rtol=1e-10).y[-1][:n])
    yield from _implicit(case, eq, n, best, (1e-4, 1e-6))
    run = partial(elastica, n, END, length=LENGTH, density=DENSITY, stiffness=STIFFNESS)
    yield _beside({"case": case, "n": n, "method": "PyElastica, position Verlet"}, run, best)


def _implicit(case: str, eq: sb.Equations, n: int, best: Any, tolerances: tuple[float, ...]) -> Iterator[Row]:
    for rtol in tolerances:
        spent, sim = _spent(lambda rtol=rtol: sb.simulate(eq, END, method="radau", rtol=rtol))
        s = sim.statistics
        yield {
            "case": case, "n": n, "method": "radau", "rtol": rtol, "seconds": spent, "steps": s.steps, "evaluations": s.evaluations,
            "jacobians": s.jacobians, "factorizations": s.factorizations, "error": float(np.max(np.abs(tip(sim.y[-1][:n]) - best))),
        }  # fmt: skip


def _spent(run: Any) -> tuple[float, Any]:
    run()
    began = time.process_time()
    found = run()
    return time.process_time() - began, found


def _beside(row: Row, run: Any, best: Any) -> Row:
    """A row of another method, within the limit of time."""
    try:
        seconds, end = limited(run, LIMIT)
    except (StoppedError, RuntimeError) as reason:
        return row | {"peer_limit": str(LIMIT), "note": str(reason)}
    return row | {"seconds": seconds, "error": float(np.max(np.abs(np.nan_to_num(end, nan=np.inf) - best)))}


def _explicit(n: int) -> tuple[float, Any]:
    eq = sb.derive(rod(n))
    began = time.process_time()
    sim = sb.simulate(eq, END, method="dp8", rtol=1e-6, max_steps=10**9)
    return time.process_time() - began, tip(sim.y[-1][:n])


def _mujoco(n: int, h: float) -> tuple[float, Any]:
    import mujoco as mj  # type: ignore[import-not-found, import-untyped, unused-ignore]

    length, mass, inertia = _link(n)
    spec, k = mj.MjSpec(), STIFFNESS / length
    spec.option.gravity, spec.option.timestep = [0, -9.81, 0], h
    spec.option.integrator = mj.mjtIntegrator.mjINT_IMPLICITFAST
    on = spec.worldbody
    for i in range(n):
        on = on.add_body(
            pos=[length if i else 0, 0, 0], mass=mass, ipos=[length / 2, 0, 0], inertia=inertia, explicitinertial=True
        )
        on.add_joint(axis=[0, 0, 1], stiffness=k, damping=DAMPING * k, type=mj.mjtJoint.mjJNT_HINGE)
    model = spec.compile()
    data = mj.MjData(model)
    began = time.process_time()
    for _ in range(round(END / h)):
        mj.mj_step(model, data)
    return time.process_time() - began, tip(data.qpos)


def rows() -> Iterator[Row]:
    for n in (20, *SIZES):
        yield from ours(n)
    for n in UNDAMPED:
        yield from undamped(n)

"""Contacts with friction: by events and by time stepping, beside MuJoCo, whose contacts are soft: the same ball on the
same lane.

`error` is that of the distance rolled by a bowling ball, 12 v²/(49 μ g) at 2v/(7 μ g), and of the period of a block on
a belt, both known in closed form. `first` has derivation and compilation in it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

import symbody as sb

from .timing import Row

R: Final = 0.11
MU: Final = 0.2
V: Final = 8.0
G: Final = 9.81
ROLLS: Final = 2 * V / (7 * MU * G)
DISTANCE: Final = 12 * V**2 / (49 * MU * G)
MJCF: Final = f"""<mujoco><option gravity="0 0 -{G}" timestep="{{step}}" cone="elliptic" impratio="10"/>
<worldbody><geom type="plane" size="20 20 1" friction="{MU} 0 0" condim="3"/>
<body pos="0 0 {R}"><freejoint/><geom type="sphere" size="{R}" mass="6" friction="{MU} 0 0" condim="3"/></body></worldbody></mujoco>"""


def bowling() -> tuple[sb.Contacts, dict[str, float]]:
    m = sb.Model("bowling")
    m.gravity(0, 0, -G)
    ball = m.body("ball", mass=6.0, inertia=(0.4 * 6 * R**2,) * 3)
    m.free("ball", m.ground, ball, sequence="euler parameters")
    lane = sb.Contact("lane", sb.touch(sb.Ball(ball, R), sb.HalfSpace(m.ground)), friction=MU)
    return sb.Contacts(sb.derive(m), lane), {"ball_x_dot": V, "ball_z": R}


def belt() -> tuple[sb.Contacts, dict[str, float]]:
    m = sb.Model("belt")
    s = m.coordinate("s")
    m.particle("block", m.ground.translate(s, 0, 0).origin, mass=1)
    m.potential("spring", s**2 / 2)
    return sb.Contacts(sb.derive(m), sb.Friction("belt", s.dot - 0.2, sb.Coulomb(0.5, static=1.0), normal=1.0)), {
        "s_dot": 0.2
    }


def timed(run: Callable[[], Any], again: bool = False) -> tuple[Any, float]:
    """What it gives, and the seconds it takes; `again`: of a second run, with everything compiled."""
    if again:
        run()
    began = time.perf_counter()
    return run(), time.perf_counter() - began


def ball_rows() -> Iterator[Row]:
    (contacts, start), made = timed(bowling)
    _, first = timed(lambda: sb.simulate_modes(contacts, ROLLS, start))
    for rtol in (1e-6, 1e-9):
        sim, seconds = timed(lambda rtol=rtol: sb.simulate_modes(contacts, ROLLS, start, rtol=rtol), again=True)
        error = abs(float(sim["ball_x"][-1]) - DISTANCE)
        yield {
            "case": "bowling ball",
            "method": f"events, rtol {rtol:g}",
            "steps": sim.statistics.steps,
            "seconds": seconds,
            "first": made + first,
            "error": error,
        }
    for h in (1e-3, 2e-4):
        sim, seconds = timed(lambda h=h: sb.simulate_modes(contacts, ROLLS, start, method="moreau", step=h), again=True)
        error = abs(float(sim["ball_x"][-1]) - DISTANCE)
        yield {
            "case": "bowling ball",
            "method": f"moreau, step {h:g}",
            "steps": sim.statistics.steps,
            "seconds": seconds,
            "first": None,
            "error": error,
        }
    yield from mujoco_rows()


def mujoco_rows() -> Iterator[Row]:
    try:
        import mujoco
    except ImportError:
        return
    for h in (1e-3, 2e-4):
        model = mujoco.MjModel.from_xml_string(MJCF.format(step=h))
        data = mujoco.MjData(model)
        data.qvel[0] = V
        n = round(ROLLS / h)
        _, seconds = timed(lambda data=data, model=model, n=n: mujoco.mj_step(model, data, n))
        error = abs(float(data.qpos[0]) - DISTANCE)
        yield {
            "case": "bowling ball",
            "method": f"MuJoCo {mujoco.__version__}, step {h:g}",
            "steps": n,
            "seconds": seconds,
            "first": None,
            "error": error,
        }


def belt_rows() -> Iterator[Row]:
    (contacts, start), made = timed(belt)
    _, first = timed(lambda: sb.simulate_modes(contacts, 90.0, start))
    period = 2 * (np.pi - np.arctan(2.5)) + 5
    for rtol in (1e-6, 1e-11):
        sim, seconds = timed(lambda rtol=rtol: sb.simulate_modes(contacts, 90.0, start, rtol=rtol), again=True)
        found = np.diff([e.t for e in sim.events if e.name == "belt sticks"])
        error = float(np.abs(found - period).max())
        yield {
            "case": "belt, ten periods",
            "method": f"events, rtol {rtol:g}",
            "steps": sim.statistics.steps,
            "seconds": seconds,
            "first": made + first,
            "error": error,
        }


def rows() -> Iterator[Row]:
    yield from ball_rows()
    yield from belt_rows()

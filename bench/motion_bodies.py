"""Problems of optimal control of several phases and of flexible bodies, from guesses on straight lines: a satellite with
panels, a motorcycle among cones, a bound on four legs. They are cases of `bench motions`."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import brentq

import symbody as sb

motions = sb.kits.motions

PANELS = {"coupling": 0.5, "frequency": 2.0, "angle": 1.0}


def panels() -> Any:
    """A satellite turns by 1 rad, from rest to rest in the shortest time by a torque of at most 1; its panels bend in one
    mode, (a + δ e)'' = u, e'' + δ a'' + ω² e = 0, and are at rest at the end."""
    a, e, w, v, u = sb.symbols("a e w v u", kind="variable")
    d, f = PANELS["coupling"], PANELS["frequency"]
    bend = -(f**2 * e + d * u) / (1 - d**2)
    eq = sb.from_equations({a: w, e: v, w: u - d * bend, v: bend}, inputs=[u])
    problem = motions.Problem("panels")
    turn = problem.phase("turn", eq, (0.5, 10)).start(a=0, e=0, w=0, v=0).end(a=PANELS["angle"], e=0, w=0, v=0)
    turn.bounds(u=(-1, 1)).cost("time", integral=1)
    return problem


def panels_time() -> float:
    """Torques +, -, +, - that switch at s before the middle m, in it, and s after it: m² - 2 s² is the angle, and
    1 - 2 cos Ωs + cos Ωm = 0 leaves the mode at rest, with Ω² = ω²/(1 - δ²)."""
    high = PANELS["frequency"] / np.sqrt(1 - PANELS["coupling"] ** 2)

    def swings(s: float) -> float:
        return float(1 - 2 * np.cos(high * s) + np.cos(high * np.sqrt(PANELS["angle"] + 2 * s**2)))

    grid = np.linspace(0, 3, 3001)
    values = [swings(s) for s in grid]
    k = next(k for k in range(3000) if values[k] * values[k + 1] < 0)
    s = brentq(swings, grid[k], grid[k + 1], xtol=1e-14)
    return float(2 * np.sqrt(PANELS["angle"] + 2 * s**2))


CONES, GAP, ASIDE, GRIP = 6, 14.0, 0.8, 9.0


def slalom() -> Any:
    """A motorcycle passes six cones, 14 m from each other, on alternating sides in the shortest time: the model of Getz
    (1994) with the height 0.6 m of the mass and its distance 0.7 m from the rear wheel; unknown functions of the distance
    along the row, a phase between each two cones."""
    y, heading, v, lean, rate, k = sb.symbols("y heading v lean rate k", kind="variable")
    a, turn = sb.symbols("a turn", kind="variable")
    slow = 1 / (v * sb.cos(heading))
    aside = v**2 * k + 0.7 * (a * k + v * turn)
    rates = {
        y: sb.tan(heading),
        heading: v * k * slow,
        v: a * slow,
        lean: rate * slow,
        rate: (9.81 * sb.sin(lean) - aside * sb.cos(lean)) / 0.6 * slow,
        k: turn * slow,
    }
    eq = sb.from_equations(rates, inputs=[a, turn])
    problem = motions.Problem("slalom")
    for n in range(CONES + 1):
        part = problem.phase(f"part_{n + 1}", eq, GAP)
        part.bounds(y=(-4, 4), heading=(-1, 1), v=(2, 40), lean=(-1.1, 1.1), k=(-0.3, 0.3), a=(-8, 5), turn=(-1, 1))
        part.path("grip", (a**2 + (v**2 * k) ** 2) / GRIP**2, high=1).cost("time", integral=slow).guess(v=10)
        if n < CONES:
            part.end(y=(ASIDE, 4) if n % 2 else (-4, -ASIDE))
        if n:
            problem.link(f"part_{n}", f"part_{n + 1}")
    upright = {"y": 0, "heading": 0, "lean": 0, "rate": 0, "k": 0}
    problem.phases["part_1"].start(upright, v=10)
    part.end(upright)
    return problem


HOUND = {"mass": 12.0, "inertia": 0.4, "half": 0.23, "speed": 2.0}


def bound() -> Any:
    """A body bounds at 2 m/s on massless legs: hind feet, flight, fore feet, flight, with free durations and footholds;
    the forces of the feet have the least ∫ F² dt and keep within friction."""
    x, y, lean, u, v, w, clock = sb.symbols("x y lean u v w clock", kind="variable")
    along, up = sb.symbols("along up", kind="variable")
    foot, m, half = sb.symbol("foot"), HOUND["mass"], HOUND["half"]
    problem = motions.Problem("bound")
    parts = []
    for n, side in enumerate((-1, 0, 1, 0)):
        force = (along, up) if side else (sb.algebra.as_expr(0), sb.algebra.as_expr(0))
        name = {-1: "hind", 1: "fore"}.get(side, f"flight_{n // 2 + 1}")
        own = sb.symbol(f"foot_{name}") if side else foot
        moment = (own - x) * force[1] + y * force[0]
        rates = {x: u, y: v, lean: w, u: force[0] / m, v: force[1] / m - 9.81, w: moment / HOUND["inertia"], clock: 1}
        eq = sb.from_equations(rates, {own: 0.0} if side else {}, inputs=[along, up] if side else [])
        part = problem.phase(name, eq, (0.08, 0.3)).bounds(y=(0.2, 0.5), lean=(-0.6, 0.6))
        part.guess(x=[n * 0.2, n * 0.2 + 0.2], y=0.3, u=HOUND["speed"], clock=[n * 0.1, n * 0.1 + 0.1], duration=0.1)
        if side:
            problem.choose({own: (-0.5, 1.5)})
            hip = (x + side * half * sb.cos(lean), y + side * half * sb.sin(lean))
            part.bounds(up=(0, 800)).path("leg", (hip[0] - own) ** 2 + hip[1] ** 2, low=0.15**2, high=0.36**2)
            part.path("grip", along - 0.6 * up, high=0).path("grip backwards", -along - 0.6 * up, high=0)
            part.guess(up=2 * m * 9.81).cost("effort", integral=(along**2 + up**2), weight=1e-4)
        else:
            height = [y + end * half * sb.sin(lean) for end in (-1, 1)]
            for word, e in zip(("hips", "shoulders"), height, strict=True):
                part.path(word, e, low=0.15)
        if parts:
            problem.link(parts[-1], part)
        parts.append(part)
    parts[0].start(x=0, clock=0)
    parts[-1].condition("speed", x - HOUND["speed"] * clock)
    problem.periodic(free=["x", "clock"])
    return problem

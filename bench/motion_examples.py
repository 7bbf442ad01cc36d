"""More problems of optimal control, from guesses on straight lines: swing-up of Furuta's pendulum, slew of a satellite,
parking, a lap. They are cases of `bench motions`."""

from __future__ import annotations

from typing import Any

import numpy as np

import symbody as sb

motions = sb.kits.motions


def furuta() -> Any:
    """An arm that turns about the vertical carries a pendulum, which swings up in 1.5 s."""
    m = sb.Model("Furuta")
    m.gravity(0, 0, -9.81)
    arm = m.body("arm", mass=0.3, shape=sb.bar(sb.fraction(3, 10), "x", at=(sb.fraction(3, 20), 0, 0)))
    rod = m.body("rod", mass=0.1, shape=sb.bar(sb.fraction(4, 10), "z", at=(0, 0, -sb.fraction(1, 5))))
    m.revolute("q1", m.ground, arm, axis="z", actuation=m.input("torque"))
    m.revolute("q2", arm, rod, axis="x", at=(sb.fraction(3, 10), 0, 0))
    eq = sb.derive(m)
    problem = motions.Problem("Furuta")
    swing = problem.phase("swing", eq, 1.5).start(q1=0, q2=0, q1_dot=0, q2_dot=0)
    swing.end(q2=np.pi, q1_dot=0, q2_dot=0).bounds(q1=(-4, 4), torque=(-2, 2)).cost("effort", integral=eq.r[0] ** 2)
    return problem


SLEW = 3.243  # Bilimoria and Wie 1993, to the digits known here; about the fixed axis 2 sqrt(π) = 3.545 s


def slew() -> Any:
    """Half a turn of a satellite with equal moments of inertia, from rest to rest in the shortest time, by torques of at
    most 1 about each axis (Bilimoria and Wie 1993): not about a fixed axis."""
    q = sb.symbols("q0 q1 q2 q3", kind="variable")
    w = sb.symbols("w1 w2 w3", kind="variable")
    u = sb.symbols("u1 u2 u3", kind="variable")
    turn = (
        -(q[1] * w[0] + q[2] * w[1] + q[3] * w[2]) / 2,
        (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]) / 2,
        (q[0] * w[1] + q[3] * w[0] - q[1] * w[2]) / 2,
        (q[0] * w[2] + q[1] * w[1] - q[2] * w[0]) / 2,
    )
    eq = sb.from_equations({**dict(zip(q, turn, strict=True)), **dict(zip(w, u, strict=True))}, inputs=u)
    problem = motions.Problem("slew")
    go = problem.phase("go", eq, (1, 5)).start(q0=1, q1=0, q2=0, q3=0, w1=0, w2=0, w3=0)
    go.end(q0=0, q1=0, q2=0, w1=0, w2=0, w3=0).bounds(dict.fromkeys(u, (-1, 1))).bounds(dict.fromkeys(q, (-1.1, 1.1)))
    go.cost("time", integral=1).guess(q3=[0, 1], u1=[1, -1], u2=[-1, 1], u3=[1, -1])
    return problem


def parking() -> Any:
    """A car moves 2 m aside, from rest to rest in the shortest time: wheel base 2.6 m, steering ±35°, ±1.5 m/s²."""
    x, y, angle, steer, v, turn, a = sb.symbols("x y angle steer v turn a", kind="variable")
    rates = {x: v * sb.cos(angle), y: v * sb.sin(angle), angle: v * sb.tan(steer) / 2.6, steer: turn, v: a}
    problem = motions.Problem("parking")
    park = problem.phase("park", sb.from_equations(rates, inputs=[turn, a]), (1, 30))
    park.start(x=0, y=0, angle=0, steer=0, v=0).end(x=0, y=2, angle=0, steer=0, v=0)
    park.bounds(steer=(-0.61, 0.61), turn=(-0.6, 0.6), a=(-1.5, 1.5), v=(-3, 3), angle=(-1.5, 1.5), x=(-8, 8))
    park.cost("time", integral=1).guess(v=[1, -1], duration=10)
    return problem


TRACK = {"length": 800.0, "width": 5.0, "grip": 12.0, "power": 250.0, "bends": 0.0}


def lap(**change: float) -> Any:
    """The fastest lap of a kart, a particle with a friction circle of 12 m/s² and a power of 250 W/kg, on a closed track
    10 m wide with the curvature 2π/L (1 + bends cos(6π s/L)). Unknown functions of the length s along the middle:
    offset n, heading beside the track, speed; the cost is ∫ dt/ds ds (Perantoni and Limebeer 2014)."""
    track = {**TRACK, **change}
    n, heading, v, a, k = sb.symbols("n heading v a k", kind="variable")
    s, L, w = sb.Model("track").time, track["length"], track["width"]  # the length takes the place of time
    curvature = 2 * np.pi / L * (1 + track["bends"] * sb.cos(6 * np.pi * s / L))
    slow = (1 - n * curvature) / (v * sb.cos(heading))  # dt/ds
    rates = {n: (1 - n * curvature) * sb.tan(heading), heading: k * v * slow - curvature, v: a * slow}
    problem = motions.Problem("lap")
    drive = problem.phase("drive", sb.from_equations(rates, inputs=[a, k]), L)
    drive.bounds(n=(-w, w), heading=(-0.9, 0.9), v=(3, 70), a=(-15, 15), k=(-0.3, 0.3))
    drive.path("grip", (a**2 + (k * v**2) ** 2) / track["grip"] ** 2, high=1).path("power", a * v, high=track["power"])
    drive.guess(v=20, k=2 * np.pi / L).cost("time", integral=slow)
    problem.periodic()
    return problem


def circular_lap_time() -> float:
    """On a circle, along its inner edge at the limit of the grip: 2π sqrt(r / grip)."""
    r = TRACK["length"] / (2 * np.pi) - TRACK["width"]
    return float(2 * np.pi * np.sqrt(r / TRACK["grip"]))


def winding_lap() -> Any:
    """Three straights and three bends."""
    return lap(bends=1.5)

"""The fastest lap of a kart: a body of six degrees of freedom on four tyres of the Magic Formula, with a rear axle that
turns, on the Circuit de Catalunya at a fifth of its size.

The kart is that of Lot and Dal Bianco (2016), with the numbers of the project Fastest-lap (roberto-lot-kart-2016), the
track the arcs of the project Dymos. Fastest-lap's result with 500 points is 48.195583 s, in about a minute.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Final

import numpy as np

import symbody as sb

LAP: Final = 48.195583
SCALE, WIDTH, LENGTH = 0.2, 4.0, 956.0442
ARCS: Final = (  # length of a straight, or radius (positive to the left) and sweep of a bend, in the size of the circuit
    927, (-40, 1.48), 32, (50, 1.04), 87, (-104, 1.10), 30, (-150, 1.60), 263, (-44, 1.48), 10, (-100, 1.56), 177,
    (42, 2.54), 130, (150, 0.55), 115, (52, 1.48), 45, (-100, 0.4), 181, (-85, 1.72), 505, (34, 2.60), 100, (30, 0.8),
    10, (-60, 3.20), 135, (-30, 1.40), 100, (25, 1.65), 10, (-33, 1.50), 74.84, (-90, 1.503),
)  # fmt: skip
STEEP: Final = 0.5  # length over which the curvature changes

FRONT: Final = {"x": 0.645, "track": 1.055, "chassis": 17.7e3, "tyre": 64.5e3, "Cy": 2.13, "Ey": 0.8, "Ky": 34.1}
REAR: Final = {"x": -0.4, "track": 1.2, "chassis": 60.0e3, "tyre": 61.3e3, "Cy": 2.3, "Ey": 0.9, "Ky": 37.6}
RADIUS, LOAD, DAMPING = 0.139, 896.0, 1.0e3  # of a tyre; LOAD is 1.6 times its nominal load


def curvature() -> Any:
    """Of the middle of the track over its length: straight lines between the ends of arcs."""
    at, points = 0.0, []
    for arc in ARCS:
        radius, length = (0.0, float(arc)) if isinstance(arc, (int, float)) else (arc[0], abs(arc[0]) * arc[1])
        k = 1 / (radius * SCALE) if radius else 0.0
        points += [(at + STEEP / 2, k), (at + length * SCALE - STEEP / 2, k)]
        at += length * SCALE
    points = [(0.0, 0.0), *points[1:], (at + STEEP / 2, 0.0), (LENGTH + 1, 0.0)]
    assert all(a < b for (a, _), (b, _) in pairwise(points))
    s, k = np.array(points).T
    return sb.integrate.interpolation("curvature_of_track", s, k, "linear")


def lateral(slip: Any, load: Any, axle: dict[str, float]) -> Any:
    b = axle["Ky"] * LOAD * sb.sin(2.0 * sb.atan(load / (1.6 * LOAD))) / (axle["Cy"] * 1.5 * load) * slip
    return 1.5 * load * sb.sin(axle["Cy"] * sb.atan(b - axle["Ey"] * (b - sb.atan(b))))


def longitudinal(slip: Any, load: Any) -> Any:
    d = load / LOAD - 1
    b = (20.0 + d) * sb.exp(-0.5 * d) / (2.3 * 0.9) * slip
    return 0.9 * load * sb.sin(2.3 * sb.atan(b - 0.95 * (b - sb.atan(b))))


def positive(x: Any) -> Any:
    return (x + sb.sqrt(x * x + 1.0)) / 2


def kart() -> tuple[sb.Equations, dict[str, Any], Any]:
    """The equations in time, the slips, and the acceleration of the rear axle."""
    m = sb.Model("kart")
    x, y, yaw, z, pitch, roll = m.coordinates("x y yaw z pitch roll")
    spin, steer, torque = m.inputs("spin steer torque")
    road = m.ground.translate(x, y, 0).rotate("z", yaw)
    frame = road.translate(0, 0, 0.25 - z).rotate("y", pitch).rotate("x", roll)
    body = m.body("chassis", frame, mass=165.0, inertia=sb.inertia(20.0, 15.0, 25.0, 0.0, 0.0, -5.0))
    m.gravity(0, 0, -9.81)
    vx, vy = (x.dot * sb.cos(yaw) + y.dot * sb.sin(yaw), -x.dot * sb.sin(yaw) + y.dot * sb.cos(yaw))
    m.force("drag", body, -0.42 * vx * sb.sqrt(vx**2 + vy**2) * road.x)
    slips, drive = {}, sb.algebra.as_expr(0)
    for axle, where in ((FRONT, "front"), (REAR, "rear")):
        stiffness = axle["chassis"] / (axle["chassis"] + axle["tyre"])
        for side in (1, -1):
            ty = side * axle["track"] / 2
            # deflections as small angles, as in the source: sinking, nose down, left side up
            sink = z + axle["x"] * pitch - ty * roll
            rate = z.dot + axle["x"] * pitch.dot - ty * roll.dot
            jack = -side * 0.058 * steer if where == "front" else 0.0
            load = positive(stiffness * (axle["tyre"] * (sink + jack) + DAMPING * rate))
            wx, wy = vx - ty * yaw.dot, vy + axle["x"] * yaw.dot
            angle = steer if where == "front" else 0.0
            fx, fy = wx * sb.cos(angle) + wy * sb.sin(angle), -wx * sb.sin(angle) + wy * sb.cos(angle)
            slip = -fy / fx
            slips[f"{where} {side}"] = slip
            along, across = sb.algebra.as_expr(0), lateral(slip, load, axle)
            if where == "rear":
                kappa = (spin * RADIUS - wx) / wx
                slips[f"drive {side}"] = kappa
                along = longitudinal(kappa, load) * sb.cos(sb.atan(14.0 * slip))
                across = across * sb.cos(0.6 * sb.atan(12.0 * kappa))
                drive = drive - along * RADIUS
            fxr = along * sb.cos(angle) - across * sb.sin(angle)
            fyr = along * sb.sin(angle) + across * sb.cos(angle)
            m.force(
                f"{where} {side}", body, fxr * road.x + fyr * road.y + load * road.z, at=road.point(axle["x"], ty, 0)
            )
    return sb.derive(m), slips, (torque + drive) / 0.2


UNITS: Final = {"z": 0.01, "pitch": 0.01, "roll": 0.01, "z_dot": 0.1, "pitch_dot": 0.1, "roll_dot": 0.1, "spin": 100.0, "steer": 0.1, "torque": 100.0}  # fmt: skip


def kart_lap() -> Any:
    """Unknown functions of the length along the middle; velocities are those along the axes of the kart, and unknowns
    have the size of one."""
    eq, slips, spin_rate = kart()
    n, heading, vx, vy, yaw_rate = sb.symbols("n heading vx vy yaw_rate", kind="variable")
    named = {s.name: s for s in (*eq.q, *eq.u, *eq.r)}
    unit = {name: sb.symbol(f"{name}_unit", "variable") for name in UNITS}
    at: dict[Any, Any] = {named[name]: UNITS[name] * s for name, s in unit.items()}
    at |= {named[k]: 0 for k in ("x", "y", "yaw")}
    at |= {named["x_dot"]: vx, named["y_dot"]: vy, named["yaw_dot"]: yaw_rate}
    a = dict(zip((u.name for u in eq.u), sb.substitute(eq.udot, at).entries, strict=True))
    s = sb.Model("track").time  # the length takes the place of time
    k = curvature()(s)
    slow = (1 - n * k) / (vx * sb.cos(heading) - vy * sb.sin(heading))
    rates = {
        n: vx * sb.sin(heading) + vy * sb.cos(heading),
        heading: yaw_rate - k / slow,
        vx: a["x_dot"] + yaw_rate * vy,
        vy: a["y_dot"] - yaw_rate * vx,
        yaw_rate: a["yaw_dot"],
        unit["spin"]: sb.substitute(spin_rate, at) / UNITS["spin"],
    }
    for name in ("z", "pitch", "roll"):
        rates[unit[name]] = UNITS[f"{name}_dot"] * unit[f"{name}_dot"] / UNITS[name]
        rates[unit[f"{name}_dot"]] = a[f"{name}_dot"] / UNITS[f"{name}_dot"]
    inputs = [unit["steer"], unit["torque"]]
    laps = sb.from_equations({key: e * slow for key, e in rates.items()}, inputs=inputs)
    problem = sb.kits.motions.Problem("kart")
    drive = problem.phase("lap", laps, LENGTH).rates(steer_unit=(-1, 1), torque_unit=(-20, 20))
    half = WIDTH / 2
    drive.bounds(n=(-half, half), heading=(-0.9, 0.9), vx=(3, 60), vy=(-10, 10), yaw_rate=(-6, 6), z_unit=(0.01, 4))
    drive.bounds(
        pitch_unit=(-17, 17), roll_unit=(-17, 17), spin_unit=(0.2, 4), steer_unit=(-3.5, 3.5), torque_unit=(-2, 2)
    )
    for name, e in slips.items():
        drive.path(name, sb.substitute(e, at), low=-0.11, high=0.11)
    steer_rate, torque_rate = (r.dot for r in laps.r)
    smooth = steer_rate**2 + 0.1 * torque_rate**2
    drive.cost("time", integral=slow).cost("smoothness", integral=smooth, weight=1e-3)
    drive.guess(vx=14, spin_unit=1.007, z_unit=1.78, pitch_unit=0.7, torque_unit=0.1)
    problem.periodic()
    return problem

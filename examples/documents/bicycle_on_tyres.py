"""The bicycle of `bicycle.py` on tyres: toroidal wheels, side slip, camber thrust and relaxation length.

Lennartsson (7.5) wishes for realistic tyres on his bicycle. Each wheel is a torus that is pressed into the road; its side
force is proportional to slip and camber angle and to the load, and lags behind them. The coefficients are chosen for the
example, not measured. z points up.
"""

from __future__ import annotations

import math

import symbody as sb
from symbody.kits import vehicles as vh

KNIFE_EDGE = vh.LinearTyre(radius=0.354, cornering=lambda F: 1e5 * F, along=1e7, stiffness=1e8, damping=200.0)


def tyre(camber: float = 0.95, lag: float = 0.2) -> vh.LinearTyre:
    """Cornering stiffness 14 and camber stiffness `camber`, each times the load and for a radian; relaxation length `lag` [m]."""
    return vh.LinearTyre(
        radius=0.354, cornering=lambda F: 14 * F, camber=lambda F: camber * F, along=1e4, relaxation=(0, lag), stiffness=1e5, damping=200.0
    )  # fmt: skip


TYRE = tyre()


def model(of: vh.Tyre = TYRE, tube: float = 0.02) -> sb.Model:
    """On two equal tyres with a tread of radius `tube`."""
    m = sb.Model("bicycle on tyres")
    p = m.parameters(
        R=0.354, L=1.062, b=0.048, sigma=math.radians(20.09), m1=1.2, jm=1.5, m3=8.0, L1=0.6, L2=0.3, J31=1.0, J32=1.5, J33=0.5,
        m4=1.0, G1=0.01, G2=0.35, J41=0.04, J42=0.03, J43=0.01, g=9.80665,
    )  # fmt: skip
    m.gravity(0, 0, -p.g)
    z, lean, pitch, steer = m.coordinates("z lean pitch steer")
    u, v, r, rear_spin, front_spin = m.speeds("u v r rear_spin front_spin")
    heading = m.moving_frame("heading", velocity=(u, v, 0), spin=(0, 0, r))
    frame = heading.translate(0, 0, z).rotate("x", lean).translate(0, 0, p.R).rotate("y", pitch)
    fork = frame.translate(p.L - p.b, 0, 0).rotate("y", -p.sigma).rotate("z", steer)
    hub = fork.rotate("y", p.sigma).translate(p.b, 0, 0)
    m.body("frame", frame, mass=p.m3, com=(p.L1, 0, p.L2), inertia=(p.J31, p.J32, p.J33))
    m.body("fork", fork, mass=p.m4, com=(p.G1, 0, p.G2), inertia=(p.J41, p.J42, p.J43))
    axial = p.jm * p.m1 * p.R**2 / 2
    for name, carrier, spin in (("rear", frame, rear_spin), ("front", hub, front_spin)):
        turning = m.moving_frame(f"{name} wheel", on=carrier, spin=(0, spin, 0))
        wheel = m.body(f"{name} wheel", turning, mass=p.m1, inertia=(axial / 2, axial, axial / 2))
        vh.wheel_on_road(m, name, wheel, of, carrier=carrier, road=vh.Road(heading), tube=tube, forward=True)
    return m


def straight_running(of: vh.Tyre = TYRE, tube: float = 0.02) -> sb.LinearSystem:
    """Near straight running at the speed V, sideways motion only."""
    eq = sb.derive(model(of, tube))
    near = {"z": -5e-4, "rear_spin": 14.0, "front_spin": 14.0}
    straight = sb.steady(eq, {"u": sb.symbol("V")}, V=5.0, zero=["lean", "steer", "v", "r"], start=near)
    return sb.linearize(eq, straight).without("z", "pitch", "u", "rear_spin", "front_spin", "z_dot", "pitch_dot")


if __name__ == "__main__":
    for name, lin in (("knife edges", straight_running(KNIFE_EDGE, 0.0)), ("tyres", straight_running())):
        print(name, "stable at", lin.root_locus(V=(1.0, 12.0)).stable_ranges())

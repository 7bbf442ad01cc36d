"""A bicycle without rider on wheels with sharp edges that roll without slip (Lennartsson, 7.4): 3 degrees of freedom.

Where lean and steer are given, the pitch δ of the frame follows from the front wheel touching the ground, but only
through an equation without a closed solution: so δ is a redundant coordinate with one condition. The rear wheel touches
by the choice of coordinates: x and y are where. Numbers are those of the Crescent, a ladies' model. z points down.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np

import symbody as sb


def model() -> sb.Model:
    m = sb.Model("bicycle")
    x, y, yaw, lean, pitch, steer, rear_spin, front_spin = m.coordinates("x y q3 q1 delta q2 q4 q5")
    p = m.parameters(
        R=0.354, L=1.062, b=0.048, sigma=math.radians(20.09), m1=1.2, jm=1.5,
        m3=8.0, L1=0.6, L2=0.3, J31=1.0, J32=1.5, J33=0.5,
        m4=1.0, G1=0.01, G2=0.35, J41=0.04, J42=0.03, J43=0.01, g=9.80665,
    )  # fmt: skip
    m.gravity(0, 0, p.g)

    track = m.ground.translate(x, y, 0).rotate("z", yaw)
    frame = track.rotate("x", lean).translate(0, 0, -p.R).rotate("y", pitch)
    fork = frame.translate(p.L - p.b, 0, 0).rotate("y", p.sigma).rotate("z", steer)
    front_hub = fork.rotate("y", -p.sigma).translate(p.b, 0, 0)

    axial = p.jm * p.m1 * p.R**2 / 2
    wheel = {"mass": p.m1, "inertia": (axial / 2, axial, axial / 2)}
    m.body("frame", frame, mass=p.m3, com=(p.L1, 0, -p.L2), inertia=(p.J31, p.J32, p.J33))
    m.body("fork", fork, mass=p.m4, com=(p.G1, 0, -p.G2), inertia=(p.J41, p.J42, p.J43))
    rear = m.body("rear wheel", frame.rotate("y", rear_spin), **wheel)
    front = m.body("front wheel", front_hub.rotate("y", front_spin), **wheel)

    m.rolling("rear", rear, p.R, up="-z", contact=track.origin)
    m.rolling("front", front, p.R, up="-z")
    m.output("rear hub", frame.origin.position().components(m.ground))
    return m


# Leaning and steering to the right at 5 m/s, lean and steer changing (everything else is zero).
START = {
    "y": -0.03534103, "q1": 0.1, "delta": -0.0018057423613901877, "q2": 0.2,
    "q3_dot": 0.8758564896389536, "q1_dot": 0.3, "delta_dot": 0.0003959501297331016, "q2_dot": -0.4,
    "q4_dot": -14.124293785310735, "q5_dot": -14.403848947581158,
}  # fmt: skip


def straight_running(equations: sb.Equations) -> sb.LinearSystem:
    """Near straight running at the speed V, in lean and steer."""
    straight = sb.steady(equations, values={"x_dot": sb.symbol("V")}, zero=["y", "q3", "q1", "q2"])
    return sb.linearize(equations, straight, drop="cyclic").without("x_dot")


def reversed_fork(equations: sb.Equations) -> sb.LinearSystem:
    """The same with the fork turned round: the frame then pitches by 0.03, and the front wheel turns the other way."""
    V, R = sb.symbols("V R")
    motion = sb.steady(equations, values={"q5_dot": V / R, "q2": math.pi}, zero=["y", "q3", "q1"], V=5.0)
    return sb.linearize(equations, motion, drop="cyclic").without("x_dot")


def unstable_turn(speed: float = 4.0) -> sb.stability.SteadyMotion:
    """The turn to the left that leaves straight running at the capsize speed, with a torque tau between frame and fork
    that can control it."""
    m = model()
    m.generalized_force("steering", "q2", m.input("tau"))
    equations, V, R = sb.derive(m), sb.symbol("V"), sb.symbol("R")
    straight = sb.steady(equations, {"q5_dot": -V / R, "q3": 0}, free=["q3_dot"], V=5.0)
    turns = sb.branch(equations, straight, V=(speed - 0.5, 6)).switched()
    return min(turns.at(speed), key=lambda motion: motion["q1"])


def with_trail(lin: sb.LinearSystem) -> sb.LinearSystem:
    """With the trail instead of the offset of the fork: trail = R tan σ - b (7.10)."""
    R, sigma, trail = sb.symbols("R sigma trail")
    return lin(b=R * sb.tan(sigma) - trail)


TRAILS = {"above 0.1956 m: at every higher speed": (5.2, 0.2), "below -0.0066 m: at no speed": (3.2, -0.025)}


def figures(equations: sb.Equations) -> dict[str, sb.view.Figure]:
    """Eigenvalues (figures 7.4 and 7.5), and what trail and wheels do to the speeds at which it is stable (7.4.4)."""
    lin, speed = straight_running(equations), "speed [m/s]"
    normal = sb.plot(lin.root_locus(V=(0, 10)), title="bicycle running straight", label=speed)
    turned = sb.plot(
        reversed_fork(equations).root_locus(points=100, V=(0, 18)), title="bicycle with its fork reversed", label=speed
    )
    trail = with_trail(lin).stability_chart(points=(160, 160), V=(1, 10), trail=(-0.04, 0.24))
    wheels = lin.stability_chart(points=(160, 160), V=np.geomspace(2, 100, 160), jm=np.geomspace(0.003, 3, 160))
    return {
        "eigenvalues": normal.noted(weave=(1.2, 2.9), capsize=(7, 0.2), castering=(2.2, -7.5)),
        "reversed_fork": turned.noted(weave=(1.5, 2.8), capsize=(7, 0.2), castering=(5, -8.8)),
        "trail": sb.plot(trail, title="stability over speed and trail", labels=(speed, "trail [m]")).noted(**TRAILS),
        "wheels": sb.plot(
            wheels, title="stability over speed and inertia of the wheels", labels=(speed, "inertia / (m R²/2)")
        ),
    }


if __name__ == "__main__":
    equations = sb.derive(model())
    print(f"{len(equations.u)} speeds, {len(equations.lam)} conditions")
    print("gap under the front wheel:", sb.evaluate(equations.phi, equations.values(START, otherwise=0)))
    state = sb.assemble(equations, q1=0.1, q2=0.2, q1_dot=0.0, q2_dot=0.0, q4_dot=-5 / 0.354)
    sim = sb.simulate(equations, 10, state)
    end = sim.final
    print(f"after 10 s: lean {end['q1']:.5f}, steer {end['q2']:.5f}, speed {-0.354 * end['q4_dot']:.5f} m/s")
    for low, high in straight_running(equations).root_locus(V=(0.5, 10)).stable_ranges():
        print(f"runs straight by itself from {low:.4f} to {high:.4f} m/s")
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "figures")
    folder.mkdir(parents=True, exist_ok=True)
    for name, figure in figures(equations).items():
        print("saved", figure.save(folder / f"bicycle_{name}.png"))

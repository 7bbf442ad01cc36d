"""Crank, rod and slider in space, free bodies with Euler parameters (Tuomela and others, 6.2.3): one degree of freedom.

The crank turns about x; a ball joint takes the rod along; a universal joint ends the rod in a slider that moves along x
at (s, 0, -1/2). Four kinds of joints, seventeen conditions for eighteen speeds.
"""

import math

import symbody as sb

BODIES = {
    "crank": (19.5, (0.02, 0.41, 0.42)),
    "rod": (70.29, (0.07, 18.99, 19.04)),
    "slider": (7.81, (0.01, 0.01, 0.01)),
}


def model() -> sb.Model:
    m = sb.Model("spatial crank")
    m.gravity(0, -m.parameter("g", 9.81), 0)
    crank, rod, slider = (m.body(name, mass=mass, inertia=inertia) for name, (mass, inertia) in BODIES.items())
    for body in (crank, rod, slider):
        m.free(body.name, m.ground, body, sequence="euler parameters")
    m.revolute("bearing", m.ground, crank, vectors=("z", "x", "x", "-z"), on=(-0.25, 0, 0))
    m.spherical("corner", crank, rod, at=(0.25, 0, 0), on=(-0.9, 0, 0))
    m.universal("end", rod, slider, axes=("y", "z"), at=(0.9, 0, 0))
    m.prismatic("guide", m.ground, slider, axis="x", at=(0, 0, -0.5))
    m.torque("drive", crank, crank.vector(0, 0, m.parameter("tau", -50.0)))
    return m


HALF = math.sqrt(0.5)
START = {  # everything else is zero
    "crank_z": -0.25, "crank_e0": HALF, "crank_e2": HALF, "rod_x": 0.9, "rod_z": -0.5, "rod_e0": 1.0,
    "slider_x": 1.8, "slider_z": -0.5, "slider_e0": 1.0,
}  # fmt: skip

if __name__ == "__main__":
    equations = sb.derive(model())
    print(f"{len(equations.q)} coordinates, {len(equations.lam)} conditions")
    for u, value in zip(equations.u, sb.evaluate(equations.udot, equations.values(START, otherwise=0)), strict=True):
        print(f"{u.dot.name:>14} = {value: .6f}")
    sim = sb.simulate(equations, 10, START, invariants=["energy"])
    print(sim)
    print(f"crank turns at {sim.final['crank_wz']:.6f} rad/s;", sim.violation)

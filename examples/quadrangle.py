"""A plane quadrangle of free bodies with Euler parameters (Tuomela and others, 6.2.2): one degree of freedom.

Crank 2, coupler 4, rocker 4, ground 2.5. Twenty-one coordinates and seventeen conditions for one degree of freedom: no
way to treat a plane linkage, but it tries three kinds of joints, each kind placed where it leaves just one motion to
the whole. A constant torque turns the crank.
"""

import math

import symbody as sb

BODIES = {
    "crank": (78.1, (0.08, 26.05, 26.1)),
    "coupler": (156.2, (0.16, 208.3, 208.4)),
    "rocker": (156.2, (0.16, 208.3, 208.4)),
}


def model() -> sb.Model:
    m = sb.Model("quadrangle")
    m.gravity(0, -m.parameter("g", 9.81), 0)
    crank, coupler, rocker = (m.body(name, mass=mass, inertia=inertia) for name, (mass, inertia) in BODIES.items())
    for body in (crank, coupler, rocker):
        m.free(body.name, m.ground, body, sequence="euler parameters")
    m.revolute("first bearing", m.ground, crank, on=(-1, 0, 0))
    m.spherical("corner", crank, coupler, at=(1, 0, 0), on=(-2, 0, 0))
    m.cylindrical("hinge", coupler, rocker, at=(2, 0, 0), on=(2, 0, 0))
    m.revolute("second bearing", rocker, m.ground, at=(-2, 0, 0), on=(2.5, 0, 0))
    m.torque("drive", crank, crank.vector(0, 0, m.parameter("tau", -1200.0)))
    return m


def start() -> dict[str, float]:
    """At rest, crank at 60 degrees; the loop gives the other two angles. What is not named is zero."""
    first, second, third = math.pi / 3, 0.42324559829852, 1.00420315959101
    corner = 2 * math.cos(first), 2 * math.sin(first)
    state = {}
    for name, (x, y), half, angle in (
        ("crank", (0, 0), 1, first), ("coupler", corner, 2, second), ("rocker", (2.5, 0), 2, third)
    ):  # fmt: skip
        state |= {f"{name}_x": x + half * math.cos(angle), f"{name}_y": y + half * math.sin(angle)}
        state |= {f"{name}_e0": math.cos(angle / 2), f"{name}_e3": math.sin(angle / 2)}
    return state


if __name__ == "__main__":
    equations = sb.derive(model())
    print(f"{len(equations.q)} coordinates, {len(equations.lam)} conditions")
    for u, value in zip(equations.u, sb.evaluate(equations.udot, equations.values(start(), otherwise=0)), strict=True):
        print(f"{u.dot.name:>14} = {value: .6f}")
    sim = sb.simulate(equations, 10, start(), invariants=["energy"])
    print(sim)
    print(f"crank turns at {sim.final['crank_wz']:.6f} rad/s;", sim.violation)

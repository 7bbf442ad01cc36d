"""A heavy bar on a ball joint, as a free body with Euler parameters (Tuomela and others, 6.2.1): 3 degrees of freedom.

Seven coordinates: the mass centre and four Euler parameters; the joint is three conditions. Let go from rest along x it
swings in a plane, with a period that elliptic integrals give: a solution to hold an integrator against.
"""

import symbody as sb


def model() -> sb.Model:
    m = sb.Model("pendulum on a ball joint")
    mass, Ix, Iy, Iz, l, g = m.parameters("m Ix Iy Iz l g", 38.34, 0.147, 3.175, 3.154, 0.765, 9.81)
    m.gravity(0, -g, 0)
    bar = m.body("bar", mass=mass, inertia=(Ix, Iy, Iz))
    m.free("bar", m.ground, bar, sequence="euler parameters")
    m.spherical("pivot", m.ground, bar, on=(-l, 0, 0))
    return m


START = {"bar_x": 0.765, "bar_e0": 1.0}  # everything else is zero

if __name__ == "__main__":
    equations = sb.derive(model())
    print("accelerations:", sb.evaluate(equations.udot, equations.values(START, otherwise=0)))
    print("force in the pivot:", sb.evaluate(equations.multipliers, equations.values(START, otherwise=0)))
    sim = sb.simulate(equations, 10, START, invariants=["energy"])
    print(sim)
    print(f"energy, which was zero: at most {abs(sim.energy).max():.1e} J;", sim.violation)

"""A sleigh with a runner and a spring, on a turntable (Lennartsson, 4.4): two degrees of freedom.

The runner slides only along the sleigh, the spring pulls to the middle of the table. Coordinates are relative to the
table, which turns at a given rate. Nothing dissipates, and yet energy is not kept: the runner pushes on a table that
moves, so the constraint has a power of its own, its force times the velocity of the table there (eq. 4.38).
"""

import symbody as sb


def model() -> sb.Model:
    m = sb.Model("sleigh")
    q1, q2, q3 = m.coordinates("q1 q2 q3")
    mass, I, Omega, runner, hook, kappa = m.parameters("m I3 Omega L_C1 L_C3 kappa", 1.0, 25.0, 1.0, 1.0, 2.0, 10.0)
    table = m.ground.rotate("z", Omega * m.time, name="table")
    sleigh = m.body("sleigh", table.translate(q1, q2, 0).rotate("z", q3), mass=mass, inertia=(0, 0, I))
    edge, across = sleigh.point(runner, 0, 0), sleigh.frame.y
    m.constrain_speed("runner", edge.velocity(table).dot(across))
    m.spring("spring", sleigh.point(hook, 0, 0), table.origin, stiffness=kappa)
    m.output("table velocity", edge.in_frame(table).transport_velocity().dot(across))
    return m


START = {"q1": 5.0, "q2": 5.0, "q3": 1.0}  # everything else is zero

if __name__ == "__main__":
    equations = sb.derive(model())
    power = equations.multipliers[0] * equations.outputs["table velocity"]
    print("accelerations:", sb.evaluate(equations.udot, equations.values(START, otherwise=0)))
    print("power of the constraint:", sb.evaluate(power, equations.values(START, otherwise=0)))
    sim = sb.simulate(equations, 10, START)
    fed = sim.energy[-1] - sim.energy[0]
    print(f"after 10 s the sleigh has {sim.energy[-1]:.6f} J; the table has fed in {fed:.6f} J")

"""A free base with two links on hinges, turning in space (Lynch, 5.3 and appendix A): eight degrees of freedom.

The attitude of the base is four Euler parameters, so that no orientation is singular; the speeds are the components of
its angular velocity. No force acts: momentum, angular momentum and kinetic energy stay what they were. Spun about y
with its links at 60 degrees, the links swing out to 120 degrees and back.
"""

import math

import symbody as sb


def model() -> sb.Model:
    m = sb.Model("satellite")
    p = m.parameters(
        m1=20.0, m2=10.0, I1x=0.25, I1y=0.125, I1z=0.25, I2x=0.04, I2y=0.02, I2z=0.04, half=0.1, length=0.1
    )
    base = m.body("base", mass=p.m1, inertia=(p.I1x, p.I1y, p.I1z))
    m.free("base", m.ground, base, sequence="euler parameters")
    for name, side in (("theta2", p.half), ("theta3", -p.half)):
        link = m.body(f"link {name}", mass=p.m2, com=(0, p.length, 0), inertia=(p.I2x, p.I2y, p.I2z))
        m.revolute(name, base, link, axis="z", at=(side, 0, 0))
    return m


START = {"base_e0": 1.0, "theta2": -math.pi / 3, "theta3": math.pi / 3, "base_wy": 2.0}  # everything else is zero

if __name__ == "__main__":
    equations = sb.derive(model(), route="recursive")
    now = sb.evaluate(equations.udot, equations.values(START, otherwise=0))
    for u, value in zip(equations.u, now, strict=True):
        print(f"{u.dot.name:>12} = {value: .6f}")
    sim = sb.simulate(equations, 100, START, rtol=1e-12)
    turn = sim[sb.angular_momentum(equations)]
    print(f"after 100 s angular momentum has changed by {abs(turn - turn[0]).max():.1e} of {turn[0].max():.6f} N m s")

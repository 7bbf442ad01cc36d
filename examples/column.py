"""Ziegler's column: two bars on springs and dampers, loaded by a force that follows the upper one.

Upright it is stable up to P = 41/28 + b²/2, far below the load at which it flutters without dampers, 7/2 - √2: little
damping makes it worse. Beyond that load it swings along an orbit that grows with P.
"""

import symbody as sb


def model() -> sb.Model:
    m = sb.Model("column")
    P, b, length, k, mass = m.parameters("P b l k m", 1.8, 0.1, 1.0, 1.0, 1.0)
    q1, q2 = m.coordinates("q1 q2")
    lower = m.ground.rotate("z", q1)
    upper = lower.translate(length, 0, 0).rotate("z", q2 - q1)
    tip = upper.point(length, 0, 0)
    m.particle("knee", lower.point(length, 0, 0), mass=2 * mass)
    m.particle("tip", tip, mass=mass)
    m.force("follower", upper, -P * upper.x, at=tip)
    hinge = k * (q2 - q1) + b * (q2.dot - q1.dot)
    m.generalized_force("foot", q1, hinge - k * q1 - b * q1.dot)
    m.generalized_force("hinge", q2, -hinge)
    m.output("deflection", length * (sb.sin(q1) + sb.sin(q2)))
    return m


START = {"q1": 0.1, "q2": 0.1}

if __name__ == "__main__":
    equations = sb.derive(model())
    upright = sb.branch(equations, sb.steady(equations), P=(1.0, 2.2))
    print(upright)
    flutter = sb.orbits(equations, sb.orbit(equations, upright), P=(1.4, 2.0))
    print(flutter)
    print(flutter.orbit(-1))

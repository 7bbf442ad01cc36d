"""Ziegler's column, which several tests flutter."""

import symbody as sb


def ziegler(b: float) -> sb.Equations:
    """Two rods of length 1, masses 2 and 1, hinges of stiffness 1 and damping b, a follower force P along the second
    rod."""
    m = sb.Model("Ziegler's column")
    P, damping = m.parameter("P", 1.0), m.parameter("b", b)
    q1, q2 = m.coordinates("q1 q2")
    first, second = m.ground.rotate("z", q1), m.ground.rotate("z", q2)
    knee = first.point(1, 0, 0)
    m.particle("knee", knee, mass=2.0)
    tip = m.particle("tip", knee + second.vector(1, 0, 0), mass=1.0)
    m.force("follower", tip, -P * second.x)
    hinge = (q2 - q1) + damping * (q2.dot - q1.dot)
    m.generalized_force("at the foot", q1, -q1 - damping * q1.dot + hinge)
    m.generalized_force("at the knee", q2, -hinge)
    return sb.derive(m)

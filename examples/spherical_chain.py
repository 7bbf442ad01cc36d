"""A chain of n rods on a shaken support, two angles each (Lennartsson, 5.4): the benchmark of his thesis.

Angles are relative (each rod turns in the rod above) or absolute (each in the ground). These are different mechanisms:
what may not turn about the rod is not the same. A rod is 1 long and has mass 1; gravity is 1, along z.
"""

import symbody as sb


def model(n: int = 3, absolute: bool = False) -> sb.Model:
    m = sb.Model(f"chain of {n} rods, {'absolute' if absolute else 'relative'} angles")
    a, omega = m.parameters("a omega", 0.1, 2.0)
    half, across, along = sb.fraction(1, 2), sb.fraction(1, 12), sb.fraction(1, 100)
    m.gravity(0, 0, 1)
    parent = m.ground
    joint = m.ground.point(0, 0, a * sb.sin(omega * m.time))
    for k in range(1, n + 1):
        angles = m.coordinates(f"q{2 * k - 1} q{2 * k}")
        frame = (m.ground if absolute else parent).translate(joint).rotate("xy", *angles)
        rod = m.body(f"rod {k}", frame, mass=1, com=(0, 0, half), inertia=(across, across, along))
        parent, joint = frame, rod.point(0, 0, 1)
    return m


if __name__ == "__main__":
    for n in (1, 2, 5, 10, 30):
        e = sb.derive(model(n), route="recursive")
        cost = sb.program("chain", {"q": e.q, "u": e.u, "p": e.p, "t": e.t}, {"M": e.M, "f": e.f}).cost
        print(f"{n:3d} rods: {cost}")

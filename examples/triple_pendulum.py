"""Three links that hang on each other, each swinging across the plane of the one above (Lynch, 5.1 and appendix A).

Each link has its own axes: z is the axis of the joint by which it hangs, -y points down the link. So a joint is placed
by four vectors: its axis in the link and in the link above, and a vector across it in both, which coincide when the
pendulum hangs at rest. Appendix B of the thesis prints all entries of the equations; the tests compare every one.
"""

import symbody as sb

JOINTS = (("z", "z", "x", "x"), ("z", "x", "x", "-z"), ("z", "-x", "x", "z"))


def model() -> sb.Model:
    m = sb.Model("triple pendulum")
    m.gravity(0, -m.parameter("g", 9.81), 0)
    parent, at = m.ground, (0, 0, 0)
    for n, vectors in enumerate(JOINTS, start=1):
        mass, d, s, k, rest, c = m.parameters(f"m{n} d{n} s{n} k{n} rest{n} c{n}", 1.0, 0.5, 0.5, 0.0, 0.0, 0.0)
        inertia = m.parameters(f"Jx{n} Jy{n} Jz{n}", 0.2, 0.1, 0.2)
        tau = m.input(f"tau{n}")
        link = m.body(f"link {n}", mass=mass, com=(0, -d, 0), inertia=inertia)
        m.revolute(f"q{n}", parent, link, vectors=vectors, at=at, stiffness=k, rest=rest, damping=c, actuation=tau)
        parent, at = link, (0, -d - s, 0)
    return m


if __name__ == "__main__":
    equations = sb.derive(model())
    print("accelerations at rest:", sb.evaluate(equations.udot, equations.values(0, q1=0.5, q2=0.5, q3=0.5)))
    print("mass matrix, lowest link:", equations.M[2, 2])

"""A hip on a rail with a spring, and two legs that swing from it (Lennartsson, 3.3): three degrees of freedom.

The legs feel each other only through the hip: their entry in the mass matrix is zero, and a triangular change of speeds
makes the matrix diagonal.
"""

import symbody as sb


def model() -> sb.Model:
    m = sb.Model("swinging legs")
    m1, m2, m3, I2, I3, L, k, g = m.parameters("m1 m2 m3 I2 I3 L k g", 2.0, 1.0, 1.5, 1 / 3, 0.5, 1.0, 1.0, 9.81)
    m.gravity(0, -g, 0)
    hip = m.particle("hip", mass=m1)
    m.prismatic("q1", m.ground, hip, axis="x", stiffness=k)
    for name, mass, inertia in (("q2", m2, I2), ("q3", m3, I3)):
        leg = m.body(f"leg {name}", mass=mass, com=(0, -L, 0), inertia=(0, 0, inertia))
        m.revolute(name, hip, leg)
    return m


if __name__ == "__main__":
    equations = sb.derive(model(), route="recursive")
    print("M =", equations.M)
    print("f =", equations.f)

"""Two particles on a light string between two shaken supports (Lennartsson, 7.3): three degrees of freedom.

Two angles place the first particle. The second is then on a circle: equally far from the first and from its own
support. The third angle tells where on it. No joint says that, vectors do: the circle's axis d, a direction w across it
that is as far down as it can be, and the radius that is left. The string is cut nowhere and no condition is needed.
"""

import symbody as sb


def model() -> sb.Model:
    m = sb.Model("string with particles")
    q1, q2, q3 = m.coordinates("q1 q2 q3")
    p = m.parameters(L=0.198, K=0.586, m=0.0164, g=9.80665, shake=0.0, omega=0.0, drag=0.0)
    down = m.ground.x
    m.gravity(p.g * down)
    lift = p.shake * sb.sin(p.omega * m.time)
    A, B = m.ground.point(lift, 0, 0), m.ground.point(lift, p.K, 0)
    first = A + m.ground.rotate("zx", -q1, q2).vector(0, p.L, 0)
    d = first - B
    w = down - d * (down.dot(d) / d.dot(d))
    w = w / w.magnitude()
    radius = sb.sqrt(p.L**2 - d.dot(d) / 4)
    second = B + d / 2 + radius * (sb.cos(q3) * w + sb.sin(q3) / d.magnitude() * d.cross(w))
    for name, place in (("first", first), ("second", second)):
        particle = m.particle(name, place, mass=p.m)
        m.drag(f"drag on {name}", particle.mass_centre, quadratic=p.drag)
    return m


if __name__ == "__main__":
    equations = sb.derive(model())
    print("accelerations where it hangs:", sb.evaluate(equations.udot, equations.values(otherwise=0, q1=0.2013475071)))
    hanging = sb.steady(equations, start={"q1": 0.1})
    print(hanging)
    for mode in sb.linearize(equations, hanging).modes():
        if mode.eigenvalue.imag > 0:
            moving = ", ".join(f"{n} {mode.shape[n].real:.4f}" for n in ("q1", "q2", "q3"))
            print(f"swings at {mode.frequency:.5f} Hz with {moving}")

"""A pendulum on a turning planet, its support shaken, its bob in air (Lennartsson, 6.7.5): two degrees of freedom.

The site has axes north, east and down; the planet turns about (cos λ, 0, -sin λ) there. With Ω alone the plane of
swinging turns, as Foucault showed; with a fast shake of the support alone the pendulum comes to rest standing up.
"""

import symbody as sb


def model() -> sb.Model:
    m = sb.Model("Foucault pendulum")
    q1, q2 = m.coordinates("q1 q2")
    p = m.parameters(Omega=0.0, m=1.0, L=1.0, g=1.0, omega=30.0, a=0.2, lam=0.0, c=0.2)
    t = m.time
    site = m.ground.rotate((sb.cos(p.lam), 0, -sb.sin(p.lam)), p.Omega * t, name="site")
    string = site.translate(0, 0, -p.a * sb.sin(p.omega * t)).rotate("yx", q1, q2)
    bob = m.particle("bob", string.point(0, 0, p.L), mass=p.m)
    m.gravity(site.vector(0, 0, p.g))
    m.drag("air", bob.mass_centre, quadratic=p.c, relative_to=site)
    return m


if __name__ == "__main__":
    equations = sb.derive(model())
    print("accelerations:", sb.evaluate(equations.udot, equations.values(otherwise=0, q1=0.5, q2=0.8)))
    sim = sb.simulate(equations, 60, q1=0.5, q2=0.8)
    print(f"shaken for a minute it stands: q1 = {sim.final['q1']:.6f}, q2 = {sim.final['q2']:.6f}")

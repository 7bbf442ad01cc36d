"""A bead on a hoop that turns about its vertical diameter: a governor in its smallest form.

Below Ω² = g/R the bead rests at the bottom; above, the bottom is unstable and the bead stands off to one side or the
other, at cos a = g / (R Ω²): a pitchfork, which `sb.branch` finds, names and follows.
"""

import symbody as sb


def model() -> sb.Model:
    m = sb.Model("hoop")
    mass, g, R, Omega, c = m.parameters("m g R Omega c", 1.0, 9.81, 0.8, 5.0, 0.2)
    m.gravity(0, 0, -g)
    (a,) = m.coordinates("a")
    hoop = m.ground.rotate("z", Omega * m.time)
    m.particle("bead", hoop.rotate("y", -a).point(0, 0, -R), mass=mass)
    m.generalized_force("friction", a, -c * a.dot)
    m.output("height", -R * sb.cos(a))
    return m


START = {"a": 0.1}

if __name__ == "__main__":
    equations = sb.derive(model())
    bottom = sb.branch(equations, sb.steady(equations), Omega=(0.5, 8))
    for branch in bottom.connected():
        print(branch)

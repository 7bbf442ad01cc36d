"""A row of n four-bars that share their upright rods (IFToMM library of benchmarks, "N-four-bar"): one degree of
freedom.

n + 1 upright rods stand on the ground a metre apart; n level rods join their tips. Every rod is 1 m long, uniform, 1
kg. It starts upright with its tips moving at 1 m/s along x, falls, and swings through. Where all rods lie in one line,
each of the n loops could go on in two ways: there the constraints have rank n only, and the freedom is n + 1 for a
moment.

Angles are absolute: the mass matrix couples a level rod with the upright one that carries it, and nothing else.
"""

import math

import symbody as sb


def model(n: int = 3) -> sb.Model:
    m = sb.Model(f"row of {n} four-bars")
    m.gravity(0, -m.parameter("g", 9.81), 0)
    half = sb.fraction(1, 2)
    uprights, angles = [], []
    for k in range(n + 1):
        rod = m.body(f"upright {k}", shape=sb.bar(1, "x", at=(half, 0, 0)), mass=1)
        uprights.append(rod)
        angles.append(m.revolute(f"a{k}", m.ground, rod, at=(k, 0, 0)).q)
    for k in range(n):
        rod = m.body(f"level {k}", shape=sb.bar(1, "x", at=(half, 0, 0)), mass=1)
        b = m.coordinate(f"b{k}")
        m.revolute(f"hinge {k}", uprights[k], rod, at=(1, 0, 0), coordinates=b - angles[k])
        m.coincide(f"closing {k}", uprights[k + 1].point(1, 0, 0), rod.point(1, 0, 0), along=m.ground, axes="xy")
    return m


def start(n: int = 3) -> dict[str, float]:
    """Upright, tips at 1 m/s along x. What is not named is zero."""
    return {f"a{k}": math.pi / 2 for k in range(n + 1)} | {f"a{k}_dot": -1.0 for k in range(n + 1)}


if __name__ == "__main__":
    for n in (1, 2, 5, 10):
        equations = sb.derive(model(n), check=False)
        lying = sb.assemble(equations, {f"a{k}": 0.0 for k in range(n + 1)})
        print(
            f"{n:3d} four-bars: {len(equations.u)} speeds, {len(equations.lam)} conditions, {lying.degrees_of_freedom} freedoms in line"
        )
    equations = sb.derive(model(), check=False)
    sim = sb.simulate(equations, 10, start())
    print(sim)
    print(f"energy is off by at most {abs(sim.energy - sim.energy[0]).max():.1e} J of {sim.energy[0]:.1f} J")

"""A four-bar linkage with two pivots, a universal and a spherical joint (Lynch, 6.2): one degree of freedom.

Two cranks hang from pivots one metre apart; a small cross at the end of the first carries the coupler by two hinges,
and the coupler ends in a ball joint on the second. The tree is cut at the ball, whose three conditions close the loop.
At rest it hangs as a parallelogram that swings with ω² = g (5 + 5 + 10 + 0.1) / (2.6 + 2.6 + 10 + 0.1).
"""

import symbody as sb


def model() -> sb.Model:
    m = sb.Model("spatial four-bar")
    m.gravity(0, -m.parameter("g", 9.81), 0)
    mass, cross_mass, J, l, span = m.parameters("mass cross_mass J l span", 10.0, 0.1, 0.1, 1.0, 1.0)
    first = m.body("first crank", mass=mass, com=(0, -l / 2, 0), inertia=(0, 0, J))
    second = m.body("second crank", mass=mass, com=(0, -l / 2, 0), inertia=(0, 0, J))
    cross = m.body("cross", mass=cross_mass)
    coupler = m.body("coupler", mass=mass, com=(l / 2, 0, 0), inertia=(J, J, J))
    m.revolute("q1", m.ground, first)
    m.revolute("q2", m.ground, second, at=(span, 0, 0))
    m.revolute("q3", first, cross, at=(0, -l, 0))
    m.revolute("q4", cross, coupler, axis="y")
    m.spherical("ball", second, coupler, at=(0, -l, 0), on=(l, 0, 0))
    return m


if __name__ == "__main__":
    equations = sb.derive(model())
    print(f"{len(equations.u)} speeds, {len(equations.lam)} conditions")
    print("gaps of the ball joint, hanging:", sb.evaluate(equations.phi, equations.values(otherwise=0)))
    lin = sb.linearize(equations, sb.steady(equations))
    for method in ("coordinates", "qz", "qr"):
        print(f"ω² by {method}:", -(lin.eigenvalues(method=method) ** 2).real)

"""Slider, rod and crank (Neweul-M², section 5): three coordinates, two conditions, one degree of freedom.

The chain starts at the slider and ends at the crank, whose bearing on the ground is the joint that closes the loop. Of
the five conditions of that bearing only two say something in a plane; the others hold by themselves and are left out,
with a note.
"""

import symbody as sb


def model() -> sb.Model:
    m = sb.Model("slider crank")
    p = m.parameters(r=0.2, l=0.5, m_crank=1.0, m_rod=2.0, m_slider=1.0)
    slider = m.particle("slider", mass=p.m_slider)
    rod = m.body("rod", mass=p.m_rod, shape=sb.bar(p.l, "x", at=(p.l / 2, 0, 0)))
    crank = m.body("crank", mass=p.m_crank, shape=sb.bar(p.r, "x", at=(p.r / 2, 0, 0)))
    m.prismatic("x", m.ground, slider)
    m.revolute("alpha", slider, rod)
    m.revolute("beta", rod, crank, at=(p.l, 0, 0))
    m.revolute("bearing", m.ground, crank, on=(p.r, 0, 0))
    return m


def one_coordinate() -> sb.Equations:
    """The reference of the paper: the angle phi of the crank alone, with slider and rod placed by r and l."""
    phi = sb.symbol("phi", "coordinate")
    r, l, m_crank, m_rod, m_slider = sb.symbols("r l m_crank m_rod m_slider", "parameter")
    slider = r * sb.cos(phi) + sb.sqrt(l**2 - (r * sb.sin(phi)) ** 2)
    middle = ((r * sb.cos(phi) + slider) / 2, r * sb.sin(phi) / 2)
    rod_rate = sb.time_derivative(sb.asin(r * sb.sin(phi) / l))
    T = (
        m_crank * r**2 / 3 * phi.dot**2
        + m_slider * sb.time_derivative(slider) ** 2
        + m_rod * (sum(sb.time_derivative(e) ** 2 for e in middle) + l**2 / 12 * rod_rate**2)
    ) / 2
    return sb.from_lagrangian(T, [phi], {r: 0.2, l: 0.5, m_crank: 1.0, m_rod: 2.0, m_slider: 1.0})


ANALYTICAL_START = {"phi": 1.0471975511965976, "phi_dot": 4.0}  # that of START
START = {
    "x": 0.5690415759823431, "alpha": 2.787851047700122, "beta": 1.4009391570862686,
    "x_dot": -0.8405301122027502, "alpha_dot": -0.852802865422442, "beta_dot": 4.852802865422442,
}  # fmt: skip

if __name__ == "__main__":
    equations = sb.derive(model())
    print("\n".join(equations.notes))
    print("accelerations:", sb.evaluate(equations.udot, equations.values(START)))
    print("forces in the bearing:", sb.evaluate(equations.multipliers, equations.values(START)))
    print(f"{'form':>12s}{'steps':>8s}{'drift after 300 s':>20s}{'seconds':>10s}")
    for form in ("explicit", "baumgarte", "partition", "qr", "svd", "projection", "orthogonal"):
        sim = sb.simulate(equations, 300, START, form=form, method="dp5", rtol=1e-6)
        steps, seconds = sim.statistics.steps, sim.statistics.seconds
        print(f"{form:>12s}{steps:8d}{sim.violation.position:20.1e}{seconds:10.4f}  {sim.outcome}")

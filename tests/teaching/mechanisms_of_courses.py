"""Mechanisms of a first course, with the names that students use."""

from functools import cache

import symbody as sb


@cache
def pendulum() -> sb.Equations:
    m = sb.Model("pendulum")
    mass, l, g, c = m.parameters("m l g c", 1.2, 1.0, 9.81, 0.1)
    m.revolute("theta", m.ground, m.body("bob", mass=mass, com=(0, -l, 0)), damping=c)
    m.gravity(0, -g, 0)
    return sb.derive(m)


@cache
def cart_pendulum() -> sb.Equations:
    m = sb.Model("cart with pendulum")
    M, mass, l, g = m.parameters("M m l g", 2.0, 1.0, 0.5, 9.81)
    cart = m.body("cart", mass=M)
    m.prismatic("x", m.ground, cart, axis="x", actuation=m.input("F"))
    m.revolute("theta", cart, m.body("bob", mass=mass, com=(0, -l, 0)))
    m.gravity(0, -g, 0)
    return sb.derive(m)


@cache
def double_pendulum() -> sb.Equations:
    """Point masses, both angles from the vertical."""
    m = sb.Model("double pendulum")
    m1, m2, l1, l2, g = m.parameters("m1 m2 l1 l2 g", 1.0, 0.7, 1.0, 0.8, 9.81)
    a, b = m.coordinates("theta1 theta2")
    upper, lower = m.ground.rotate("z", a), m.ground.rotate("z", b)
    knee = upper.point(0, -l1, 0)
    m.particle("one", knee, mass=m1)
    m.particle("two", knee + lower.vector(0, -l2, 0), mass=m2)
    m.gravity(0, -g, 0)
    return sb.derive(m)


@cache
def bead_on_hoop() -> sb.Equations:
    """On a hoop that turns about its vertical diameter."""
    m = sb.Model("bead on a hoop")
    mass, R, g, omega = m.parameters("m R g omega", 0.3, 0.4, 9.81, 6.0)
    theta = m.coordinate("theta")
    hoop = m.ground.rotate("z", omega * m.time).rotate("y", theta)
    m.particle("bead", hoop.point(0, 0, -R), mass=mass)
    m.gravity(0, 0, -g)
    return sb.derive(m)


@cache
def spring_pendulum() -> sb.Equations:
    m = sb.Model("spring pendulum")
    mass, k, l0, g = m.parameters("m k l0 g", 0.8, 40.0, 0.6, 9.81)
    r, phi = m.coordinates("r phi")
    m.particle("bob", m.ground.rotate("z", phi).point(0, -r, 0), mass=mass)
    m.gravity(0, -g, 0)
    m.potential("spring", k * (r - l0) ** 2 / 2)
    return sb.derive(m)


@cache
def sleigh() -> sb.Equations:
    """Chaplygin's sleigh: the blade lies at a distance d behind the mass centre."""
    m = sb.Model("sleigh")
    mass, J, d = m.parameters("m J d", 2.0, 0.3, 0.4)
    x, y, theta = m.coordinates("x y theta")
    body = m.body("sleigh", m.ground.translate(x, y, 0).rotate("z", theta), mass=mass, inertia=(J, J, J))
    blade = body.frame.point(-d, 0, 0)
    m.constrain_speed("blade", blade.velocity().dot(body.frame.y))
    return sb.derive(m)


@cache
def slider_crank() -> sb.Equations:
    """A crank and a massless rod of length b that moves a piston: a holonomic constraint."""
    m = sb.Model("slider crank")
    J, mass, a, b = m.parameters("J m a b", 0.4, 1.5, 0.2, 0.6)
    crank = m.body("crank", mass=1.0, inertia=(J, J, J))
    m.revolute("phi", m.ground, crank, actuation=m.input("tau"))
    piston = m.body("piston", mass=mass)
    m.prismatic("x", m.ground, piston, axis="x")
    phi, x = m.symbols["phi"], m.symbols["x"]
    m.constrain("rod", (x - a * sb.cos(phi)) ** 2 + (a * sb.sin(phi)) ** 2 - b**2)
    return sb.derive(m)


@cache
def spinning_top() -> sb.Equations:
    """Euler angles phi, theta, psi (zxz) about a fixed point."""
    m = sb.Model("top")
    mass, l, g, A, C = m.parameters("m l g A C", 1.0, 0.1, 9.81, 0.02, 0.005)
    phi, theta, psi = m.coordinates("phi theta psi")
    m.body(
        "top",
        m.ground.rotate("zxz", phi, theta, psi),
        mass=mass,
        com=(0, 0, l),
        inertia=(A - mass * l**2, A - mass * l**2, C),
    )
    m.gravity(0, 0, -g)
    return sb.derive(m)


@cache
def atwood() -> sb.Equations:
    """Two masses on a string over a pulley that turns with it; x is the height of m1."""
    m = sb.Model("Atwood's machine")
    m1, m2, g, inertia, R = m.parameters("m1 m2 g I R", 1.0, 2.0, 9.81, 0.1, 0.2)
    x = m.coordinate("x")
    m.gravity(0, -g, 0)
    m.particle("one", m.ground.point(0, x, 0), mass=m1)
    m.particle("two", m.ground.point(1, -x, 0), mass=m2)
    m.body("pulley", m.ground.rotate("z", x / R), mass=1, inertia=(0, 0, inertia))
    return sb.derive(m)


@cache
def ladder() -> sb.Equations:
    """A ladder that slides on a smooth wall and a smooth floor; theta is measured from the wall."""
    m = sb.Model("ladder")
    M, L, g = m.parameters("M L g", 3.0, 2.0, 9.81)
    m.gravity(0, -g, 0)
    theta = m.coordinate("theta")
    centre = m.ground.translate(L / 2 * sb.sin(theta), L / 2 * sb.cos(theta), 0)
    J = M * L**2 / 12
    m.body("ladder", centre.rotate("z", -theta), mass=M, inertia=(0, J, J))
    return sb.derive(m)


@cache
def planet() -> sb.Equations:
    m = sb.Model("planet")
    mass, mu = m.parameters("m mu", 1.0, 1.0)
    r, phi = m.coordinates("r phi")
    m.particle("planet", m.ground.rotate("z", phi).point(r, 0, 0), mass=mass)
    m.potential("gravitation", -mu * mass / r)
    return sb.derive(m)

"""Mechanisms on which laws are tested: at least two coupled degrees of freedom each."""

from typing import Any

import symbody as sb
from symbody import Model, cos, inertia, sin

BODY: dict[str, Any] = {"com": (0.1, -0.3, 0.05), "inertia": inertia(0.3, 0.25, 0.35, xy=0.02, xz=-0.03, yz=0.01)}


def double_pendulum() -> Model:
    """Two bodies in space on skew axes, with damping, a spring and an actuator in the joints, and an outer force."""
    m = Model("double pendulum")
    m.gravity(0, -9.81, 0)
    tau = m.input("tau")
    a, b = m.body("a", mass=1.5, **BODY), m.body("b", mass=0.8, **BODY)
    m.revolute("q1", m.ground, a, axis="z", at=(0.2, 0, 0), damping=0.3, stiffness=2.0)
    m.revolute("q2", a, b, axis=(1, 2, 0.5), at=(0, -0.7, 0.1), on=(0, 0.1, 0), actuation=tau)
    m.force("wind", b, m.ground.vector(1.0, 0, 0.5), at=b.point(0, -0.5, 0))
    return m


def chain() -> Model:
    """Every kind of joint in one chain."""
    m = Model("chain")
    m.gravity(1.0, -9.0, 2.0)
    parent = m.ground
    for k, kind in enumerate(
        ("universal", "prismatic", "spherical", "cylindrical", "screw", "planar", "fixed", "revolute")
    ):
        link = m.body(f"link{k}", mass=1.0 + 0.1 * k, **BODY)
        options: dict[str, Any] = {"pitch": 0.3} if kind == "screw" else {}
        loads: dict[str, Any] = {} if kind == "fixed" else {"damping": 0.2 + 0.1 * k, "stiffness": 1.0}
        loads = (
            {n: (v,) * {"cylindrical": 2, "planar": 3}[kind] for n, v in loads.items()}
            if kind in ("cylindrical", "planar")
            else loads
        )
        m.joint(kind, parent, link, kind, at=(0.1, -0.4, 0.2), on=(0, 0.1, 0), **options, **loads)
        parent = link
    return m


def turntable() -> Model:
    """A pendulum and a bead on a table that turns in a prescribed way, the bead held by a rheonomic constraint."""
    m = Model("turntable")
    m.gravity(0, 0, -9.81)
    r, s, angle = m.coordinates("r s angle")
    table = m.ground.rotate("z", 0.7 * m.time + 0.2 * sin(m.time), name="table")
    bead = m.particle("bead", table.point(r, s, 0), mass=0.7)
    arm = m.body("arm", table.translate(0.3, 0, 0.5).rotate("y", angle), mass=1.2, **BODY)
    m.spring("spring", bead.mass_centre, arm.point(0, 0, -0.4), stiffness=12.0, rest=0.3, damping=0.5)
    m.drag("air", arm.point(0, 0, -0.5), linear=0.1, quadratic=0.2)
    m.constrain("rail", r - 0.5 - 0.2 * cos(3 * m.time) - 0.3 * s)
    m.potential("well", 2.0 * (s - 0.1) ** 2)
    m.generalized_force("motor", angle, 0.4 - 0.2 * angle.dot)
    return m


def quasi() -> Model:
    """Speeds that are no rates, with a free term, and a joint of Euler parameters."""
    m = Model("quasi")
    m.gravity(0, -9.81, 0)
    a, b = m.body("a", mass=1.0, **BODY), m.body("b", mass=1.3, **BODY)
    x, y = m.coordinates("x y")
    m.prismatic("slide", m.ground, a, axis="x", coordinates=[x])
    m.spherical("ball", a, b, at=(0, -0.2, 0), on=(0, 0.3, 0), sequence="euler parameters")
    c = m.body("c", mass=0.4, **BODY)
    m.prismatic("lift", b, c, axis="y", coordinates=[y])
    m.speed("v", x.dot * (2 + cos(y)) + 0.1 * y.dot - 0.3 * sin(m.time))
    m.speed("w", y.dot - 0.2 * x.dot)
    m.generalized_force("push", x, 0.7 - 0.3 * x)
    return m


def four_bar() -> Model:
    """A plane linkage closed by a revolute joint, driven through a spring."""
    m = Model("four bar")
    m.gravity(0, -9.81, 0)
    lengths = (0.4, 1.0, 0.8)
    parent, at = m.ground, (0, 0, 0)
    for k, length in enumerate(lengths, start=1):
        bar = m.body(f"bar{k}", shape=sb.bar(length, axis="x", at=(length / 2, 0, 0)), mass=length)
        m.revolute(f"q{k}", parent, bar, at=at, damping=0.1)
        parent, at = bar, (length, 0, 0)
    m.revolute("closure", m.ground, parent, at=(0.9, 0, 0), on=at)
    return m


def rolling_disc() -> Model:
    """A disc rolling on a plane that is not level."""
    m = Model("disc")
    m.gravity(0.5, 0.2, -9.7)
    wheel = m.body("wheel", mass=1.2, inertia=(0.05, 0.09, 0.05))
    m.free("free", m.ground, wheel, sequence="zxy")
    m.rolling("contact", wheel, 0.3)
    return m


ALL = (double_pendulum, chain, turntable, quasi, four_bar, rolling_disc)

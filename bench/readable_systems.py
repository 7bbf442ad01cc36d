"""Textbook systems, with the symbols that the books use: what `python -m bench readable` measures and the tests on text
read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import symbody as sb


def _model(name: str, parameters: str) -> tuple[sb.Model, Any]:
    m = sb.Model(name)
    return m, m.parameters(**dict.fromkeys(parameters.split()))


def _falling(m: sb.Model, g: Any) -> None:
    m.gravity(0, -g, 0)


def pendulum() -> sb.Model:
    m, p = _model("pendulum", "m l g")
    _falling(m, p.g)
    m.revolute("theta", m.ground, m.body("bob", mass=p.m, com=(0, -p.l, 0)))
    return m


def compound_pendulum() -> sb.Model:
    m, p = _model("compound pendulum", "m a I g")
    _falling(m, p.g)
    m.revolute("theta", m.ground, m.body("plate", mass=p.m, com=(0, -p.a, 0), inertia=(0, 0, p.I)))
    return m


def cart_and_pole() -> sb.Model:
    m, p = _model("cart and pole", "M m l g")
    _falling(m, p.g)
    cart, pole = m.body("cart", mass=p.M), m.body("pole", mass=p.m, com=(0, -p.l, 0))
    m.prismatic("x", m.ground, cart, axis="x", actuation=m.input("F"))
    m.revolute("theta", cart, pole)
    return m


def double_pendulum() -> sb.Model:
    m, p = _model("double pendulum, relative angles", "m1 m2 l1 l2 g")
    _falling(m, p.g)
    a, b = m.body("a", mass=p.m1, com=(0, -p.l1, 0)), m.body("b", mass=p.m2, com=(0, -p.l2, 0))
    m.revolute("q1", m.ground, a)
    m.revolute("q2", a, b, at=(0, -p.l1, 0))
    return m


def _absolute_chain(n: int, name: str) -> sb.Model:
    k = range(1, n + 1)
    m, p = _model(name, " ".join([*(f"m{i}" for i in k), *(f"l{i}" for i in k), "g"]))
    _falling(m, p.g)
    at = m.ground.origin
    for i in k:
        (q,) = m.coordinates(f"q{i}")
        turned = m.ground.rotate("z", q)
        at = at + turned.vector(0, -getattr(p, f"l{i}"), 0)
        m.particle(f"bob {i}", at, mass=getattr(p, f"m{i}"))
    return m


def double_pendulum_absolute() -> sb.Model:
    return _absolute_chain(2, "double pendulum, absolute angles")


def triple_pendulum_absolute() -> sb.Model:
    return _absolute_chain(3, "triple pendulum, absolute angles")


def triple_pendulum() -> sb.Model:
    m, p = _model("triple pendulum, relative angles", "m l g")
    _falling(m, p.g)
    parent: Any = m.ground
    for i in (1, 2, 3):
        bob = m.body(f"bob {i}", mass=p.m, com=(0, -p.l, 0))
        m.revolute(f"q{i}", parent, bob, at=(0, 0 if i == 1 else -p.l, 0))
        parent = bob
    return m


def moving_support() -> sb.Model:
    m, p = _model("pendulum on a moving support", "m l g a Omega")
    _falling(m, p.g)
    (theta,) = m.coordinates("theta")
    support = m.ground.translate(0, p.a * sb.cos(p.Omega * m.time), 0)
    m.particle("bob", support.rotate("z", theta).point(0, -p.l, 0), mass=p.m)
    return m


def spherical_pendulum() -> sb.Model:
    m, p = _model("spherical pendulum", "m l g")
    m.gravity(0, 0, -p.g)
    phi, theta = m.coordinates("phi theta")
    m.particle("bob", m.ground.rotate("z", phi).rotate("y", theta).point(0, 0, -p.l), mass=p.m)
    return m


def _top(name: str, falls: bool) -> sb.Model:
    m, p = _model(name, "m l g I J")
    psi, theta, phi = m.coordinates("psi theta phi")
    frame = m.ground.rotate("z", psi).rotate("x", theta).rotate("z", phi)
    m.body("top", frame, mass=p.m, com=(0, 0, p.l if falls else 0), inertia=(p.I, p.I, p.J))
    if falls:
        m.gravity(0, 0, -p.g)
    return m


def symmetric_top() -> sb.Model:
    return _top("symmetric top", False)


def heavy_top() -> sb.Model:
    return _top("heavy top", True)


def rolling_disc_upright() -> sb.Model:
    m, p = _model("rolling disc, upright", "m R I J")
    x, y, psi, phi = m.coordinates("x y psi phi")
    heading = m.ground.translate(x, y, p.R).rotate("z", psi)
    m.body("disc", heading.rotate("y", phi), mass=p.m, inertia=(p.I, p.J, p.I))
    m.constrain_speed("along", x.dot - p.R * sb.cos(psi) * phi.dot)
    m.constrain_speed("across", y.dot - p.R * sb.sin(psi) * phi.dot)
    return m


def sleigh() -> sb.Model:
    m, p = _model("sleigh", "m a I")
    x, y, theta = m.coordinates("x y theta")
    body = m.body(
        "sleigh", m.ground.translate(x, y, 0).rotate("z", theta), mass=p.m, com=(p.a, 0, 0), inertia=(0, 0, p.I)
    )
    m.constrain_speed("blade", body.point(0, 0, 0).velocity(m.ground).dot(body.frame.y))
    return m


def unicycle() -> sb.Model:
    m, p = _model("unicycle", "m I")
    x, y, theta = m.coordinates("x y theta")
    body = m.body("unicycle", m.ground.translate(x, y, 0).rotate("z", theta), mass=p.m, inertia=(0, 0, p.I))
    m.force("drive", body, m.input("F") * body.frame.x)
    m.torque("turn", body, m.input("T") * m.ground.z)
    m.constrain_speed("wheel", body.point(0, 0, 0).velocity(m.ground).dot(body.frame.y))
    return m


def bead_on_hoop() -> sb.Model:
    m, p = _model("bead on a rotating hoop", "m R g Omega")
    m.gravity(0, 0, -p.g)
    (theta,) = m.coordinates("theta")
    m.particle("bead", m.ground.rotate("z", p.Omega * m.time).rotate("y", theta).point(0, 0, -p.R), mass=p.m)
    return m


def atwood() -> sb.Model:
    m, p = _model("Atwood machine", "m1 m2 g")
    _falling(m, p.g)
    (x,) = m.coordinates("x")
    m.particle("left", m.ground.point(0, -x, 0), mass=p.m1)
    m.particle("right", m.ground.point(0, x, 0), mass=p.m2)
    return m


def atwood_with_pulley() -> sb.Model:
    m, p = _model("Atwood machine with a pulley", "m1 m2 I R g")
    _falling(m, p.g)
    (x,) = m.coordinates("x")
    m.particle("left", m.ground.point(0, -x, 0), mass=p.m1)
    m.particle("right", m.ground.point(0, x, 0), mass=p.m2)
    m.body("pulley", m.ground.rotate("z", x / p.R), mass=p.m1, inertia=(0, 0, p.I))
    return m


def swinging_atwood() -> sb.Model:
    m, p = _model("swinging Atwood machine", "M m g")
    _falling(m, p.g)
    r, theta = m.coordinates("r theta")
    m.particle("weight", m.ground.point(0, r, 0), mass=p.M)
    m.particle("bob", m.ground.rotate("z", theta).point(0, -r, 0), mass=p.m)
    return m


def elastic_pendulum() -> sb.Model:
    m, p = _model("elastic pendulum", "m k l g")
    _falling(m, p.g)
    r, theta = m.coordinates("r theta")
    m.particle("bob", m.ground.rotate("z", theta).point(0, -r, 0), mass=p.m)
    m.potential("spring", p.k * (r - p.l) ** 2 / 2)
    return m


def two_link_arm() -> sb.Model:
    m, p = _model("two-link arm", "m1 m2 l1 a1 a2 I1 I2 g")
    _falling(m, p.g)
    one = m.body("one", mass=p.m1, com=(p.a1, 0, 0), inertia=(0, 0, p.I1))
    two = m.body("two", mass=p.m2, com=(p.a2, 0, 0), inertia=(0, 0, p.I2))
    m.revolute("q1", m.ground, one, actuation=m.input("tau1"))
    m.revolute("q2", one, two, at=(p.l1, 0, 0), actuation=m.input("tau2"))
    return m


def furuta() -> sb.Model:
    m, p = _model("Furuta pendulum", "J m r l g")
    m.gravity(0, 0, -p.g)
    arm = m.body("arm", mass=p.m, inertia=(0, 0, p.J))
    pole = m.body("pole", mass=p.m, com=(0, 0, p.l))
    m.revolute("phi", m.ground, arm, axis="z", actuation=m.input("tau"))
    m.revolute("theta", arm, pole, axis="x", at=(p.r, 0, 0))
    return m


def ball_and_beam() -> sb.Model:
    m, p = _model("ball and beam", "m I J R g")
    _falling(m, p.g)
    x, theta = m.coordinates("x theta")
    beam = m.ground.rotate("z", theta)
    m.body("beam", beam, mass=p.m, inertia=(0, 0, p.J))
    m.body("ball", beam.translate(x, 0, 0).rotate("z", -x / p.R), mass=p.m, inertia=(0, 0, p.I))
    m.generalized_force("motor", theta, m.input("tau"))
    return m


def slider_crank() -> sb.Model:
    m, p = _model("slider crank, minimal", "m I r")
    (theta,) = m.coordinates("theta")
    m.body("crank", m.ground.rotate("z", theta), mass=p.m, inertia=(0, 0, p.I))
    m.particle("slider", m.ground.point(2 * p.r * sb.cos(theta), 0, 0), mass=p.m)
    m.generalized_force("motor", theta, m.input("tau"))
    return m


def four_bar() -> sb.Model:
    m, p = _model("four-bar by constraints", "m1 m2 m3 l1 l2 l3 d")
    q1, q2, q3 = m.coordinates("q1 q2 q3")
    ends, at = [], m.ground.origin
    for q, mass, l, start in (
        (q1, p.m1, p.l1, m.ground.origin),
        (q2, p.m2, p.l2, None),
        (q3, p.m3, p.l3, m.ground.point(p.d, 0, 0)),
    ):
        start = at if start is None else start
        end = start + m.ground.rotate("z", q).vector(l, 0, 0)
        m.particle(f"{q.name} end", end, mass=mass)
        ends.append(end)
        at = end
    m.coincide("closure", ends[1], ends[2], axes="xy")
    return m


def quarter_car() -> sb.Model:
    m, p = _model("quarter car", "M m k c K")
    w = m.input("w")
    x, y = m.coordinates("x y")
    m.particle("body", m.ground.point(0, 0, x), mass=p.M)
    m.particle("wheel", m.ground.point(0, 0, y), mass=p.m)
    m.potential("suspension", p.k * (x - y) ** 2 / 2 + p.K * (y - w) ** 2 / 2)
    m.generalized_force("damper on body", x, -p.c * (x.dot - y.dot))
    m.generalized_force("damper on wheel", y, p.c * (x.dot - y.dot))
    return m


def half_car() -> sb.Model:
    m, p = _model("half car", "m I a b k1 k2")
    z, theta = m.coordinates("z theta")
    m.body("car", m.ground.translate(0, 0, z).rotate("y", theta), mass=p.m, inertia=(0, p.I, 0))
    m.potential("springs", p.k1 * (z - p.a * theta) ** 2 / 2 + p.k2 * (z + p.b * theta) ** 2 / 2)
    return m


def single_track_car() -> sb.Model:
    m, p = _model("single-track car", "m I a b")
    x, y, psi = m.coordinates("x y psi")
    car = m.body("car", m.ground.translate(x, y, 0).rotate("z", psi), mass=p.m, inertia=(0, 0, p.I))
    m.speed("u", x.dot * sb.cos(psi) + y.dot * sb.sin(psi))
    m.speed("v", y.dot * sb.cos(psi) - x.dot * sb.sin(psi))
    m.speed("r", psi.dot)
    m.force("front", car, m.input("F1") * car.frame.y, at=car.point(p.a, 0, 0))
    m.force("rear", car, m.input("F2") * car.frame.y, at=car.point(-p.b, 0, 0))
    return m


def quadrotor_with_load() -> sb.Model:
    m, p = _model("planar quadrotor with load", "M m I l g")
    m.gravity(0, 0, -p.g)
    x, z, theta, phi = m.coordinates("x z theta phi")
    place = m.ground.translate(x, 0, z)
    body = m.body("quadrotor", place.rotate("y", theta), mass=p.M, inertia=(0, p.I, 0))
    m.particle("load", place.rotate("y", phi).point(0, 0, -p.l), mass=p.m)
    m.force("thrust", body, m.input("F") * body.frame.z)
    m.torque("torque", body, m.input("T") * m.ground.y)
    return m


def satellite_with_wheel() -> sb.Model:
    m, p = _model("satellite with a wheel", "I J")
    hull = m.body("hull", mass=1, inertia=(0, 0, p.I))
    wheel = m.body("wheel", mass=1, inertia=(0, 0, p.J))
    m.revolute("theta", m.ground, hull)
    m.revolute("phi", hull, wheel, actuation=m.input("tau"))
    return m


def foucault() -> sb.Model:
    m, p = _model("Foucault pendulum", "m k Omega")
    x, y = m.coordinates("x y")
    table = m.ground.rotate("z", p.Omega * m.time)
    m.particle("bob", table.point(x, y, 0), mass=p.m)
    m.potential("string", p.k * (x**2 + y**2) / 2)
    return m


SYSTEMS: dict[str, Callable[[], sb.Model]] = {
    f.__name__: f
    for f in (
        pendulum, compound_pendulum, cart_and_pole, double_pendulum, double_pendulum_absolute, triple_pendulum, triple_pendulum_absolute,
        moving_support, spherical_pendulum, symmetric_top, heavy_top, rolling_disc_upright, sleigh, unicycle, bead_on_hoop, atwood,
        atwood_with_pulley, swinging_atwood, elastic_pendulum, two_link_arm, furuta, ball_and_beam, slider_crank, four_bar, quarter_car, half_car,
        single_track_car, quadrotor_with_load, satellite_with_wheel, foucault,
    )
}  # fmt: skip

"""Equilibria and steady motions: all examples, linkages with springs, chains, vehicles in turns, tensegrity,
satellites, robots on springs.

A case is a model, the question that `steady` is asked, where a user would start, and how far random starts are from
there: of angles in radians, of other coordinates in their unit, of speeds as a part of their value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import symbody as sb
from examples import motorcycle

Values = dict[str, float]
LIBRARY = Path(sb.__file__).parent / "library"


@dataclass(frozen=True)
class Case:
    """A model, a question, a start, and the spread of random starts about it."""

    name: str
    model: Callable[[], sb.Model]
    ask: dict[str, Any] = field(default_factory=dict)
    near: Values = field(default_factory=dict)
    angle: float = 1.0
    length: float = 0.2
    speed: float = 0.3


def cases() -> Iterator[Case]:
    yield from _examples()
    yield from _linkages()
    yield from _chains()
    yield from _vehicles()
    yield from _tensegrities()
    yield from _spacecraft()
    yield from _robots()
    yield from _others()


# ---------------------------------------------------------------------------------------------------- examples


def _examples() -> Iterator[Case]:
    def built_in(name: str, case: str = "", **more: Any) -> Case:
        return Case(f"example {name}{case}", partial(_built_in, name), **more)

    yield built_in("double_pendulum")
    yield built_in("foucault_pendulum", ask={"a": 0.0})
    yield built_in("four_bar_spatial", near={"q1": 0.4, "q2": 0.3}, angle=0.4)
    yield built_in("four_bars", near={f"a{k}": 1.5 for k in range(4)}, angle=0.5)
    yield built_in("quadrangle", near=_start_of("quadrangle"), angle=0.2, length=0.3)
    yield built_in("slider_crank", near={"x": 0.57, "alpha": 2.8, "beta": 1.4}, angle=0.3, length=0.1)
    yield built_in("spatial_crank", near=_start_of("spatial_crank"), angle=0.2, length=0.2)
    yield built_in("spherical_chain", ask={"a": 0.0})
    yield built_in("stanford_arm", ask={"free": ["tau1", "tau2", "tau3"], "values": {"q1": 0.3, "q2": 1.0, "q3": 0.2}})
    yield built_in("string_with_particles", near={"q1": 0.2, "q3": 0.1}, angle=0.15)
    yield built_in("swinging_legs")
    yield built_in("triple_pendulum")
    yield built_in("tuomela_pendulum", near={"bar_x": 0.765}, angle=0.6, length=0.4)
    yield built_in(
        "satellite", ask={"values": {"base_wy": 2.0}}, near={"base_e0": 1.0, "theta2": -1.0, "theta3": 1.0}, angle=0.4
    )
    yield built_in("sleigh", ask={"Omega": 0.0}, near={"q1": 1.0, "q2": 1.0}, angle=1.0, length=2.0)
    straight = {"values": {"x_dot": 20.0}, "zero": ["y", "psi"]}
    yield built_in("motorcycle", " straight", ask=straight, near={"x_dot": 20.0}, angle=0.1)
    going = {"x_dot": 7.0, "psi_dot": 0.15, "theta1_dot": -23.0, "theta4_dot": -23.0, "psi4_dot": 0.15, "delta": 0.04}
    for lean in (0.1, 0.3):  # nothing drives it: the speed follows
        turn = {"values": {"psi": 0.0, "phi": lean}, "free": ["psi_dot", "tau"]}
        yield built_in("motorcycle", f" leaning by {lean}", ask=turn, near=going, angle=0.05, speed=0.2)
    for lean, speed in ((0.2, 15.0), (-0.5, 20.0)):
        turn = {"values": {"psi": 0.0, "phi": lean, "x_dot": speed}, "free": ["psi_dot", "tau", "drive"]}
        rate = 9.81 * math.tan(lean) / speed
        turned = {
            "psi_dot": rate,
            "psi4_dot": rate,
            "theta1_dot": -speed / 0.3,
            "theta4_dot": -speed / 0.3,
            "phi4": lean,
        }
        yield Case(
            f"motorcycle driven at {speed:g} m/s, leaning by {lean}",
            driven_motorcycle,
            turn,
            turned,
            angle=0.1,
            speed=0.2,
        )
    rolling = {"x_dot": 5.0, "q4_dot": -14.1, "q5_dot": -14.1}
    yield built_in("bicycle", " straight", ask={"values": {"x_dot": 5.0}, "zero": ["y", "q3"]}, near=rolling, angle=0.1)
    for lean in (0.1, 0.3):
        asked = {"values": {"q1": lean, "q3": 0.0}, "free": ["q3_dot"]}  # no torque on the steering: the speed follows
        yield built_in(
            "bicycle",
            f" leaning by {lean}",
            ask=asked,
            near={**rolling, "q2": 0.1, "q3_dot": 0.3},
            angle=0.05,
            speed=0.2,
        )


def driven_motorcycle() -> sb.Model:
    """The example, with a torque on the rear wheel that keeps its speed."""
    m = motorcycle.model()
    chassis = m.bodies["rear chassis"]
    m.torque("drive", m.bodies["rear wheel"], chassis.vector(0, m.input("drive"), 0), reacting=chassis)
    return m


def _built_in(name: str) -> sb.Model:
    return sb.read_model(LIBRARY / f"{name}.yaml").model


def _start_of(name: str) -> Values:
    """Values of the start in the file of a built-in model: those of Euler parameters and places."""
    if name == "spatial_crank":
        h = math.sqrt(0.5)
        return {
            "crank_z": -0.25, "crank_e0": h, "crank_e2": h, "rod_x": 0.9, "rod_z": -0.5, "rod_e0": 1.0, "slider_x": 1.8, "slider_z": -0.5,
            "slider_e0": 1.0,
        }  # fmt: skip
    a, b, c = math.pi / 3, 0.42324559829852, 1.00420315959101
    return {
        "crank_x": math.cos(a), "crank_y": math.sin(a), "crank_e0": math.cos(a / 2), "crank_e3": math.sin(a / 2),
        "coupler_x": 2 * math.cos(a) + 2 * math.cos(b), "coupler_y": 2 * math.sin(a) + 2 * math.sin(b),
        "coupler_e0": math.cos(b / 2), "coupler_e3": math.sin(b / 2), "rocker_x": 2.5 + 2 * math.cos(c), "rocker_y": 2 * math.sin(c),
        "rocker_e0": math.cos(c / 2), "rocker_e3": math.sin(c / 2),
    }  # fmt: skip


# ------------------------------------------------------------------------------------------------ linkages with springs


def bushing(stiffness: float) -> sb.Model:
    """Two bars in line between a hinge and a bushing that holds the second one's end."""
    m = sb.Model("bushing")
    m.gravity(0, -9.81, 0)
    arm = m.body("arm", shape=sb.bar(0.4, "x", at=(0.2, 0, 0)), mass=3)
    rod = m.body("rod", shape=sb.bar(0.5, "x", at=(0.25, 0, 0)), mass=2)
    a = m.revolute("hinge", m.ground, arm).coordinates[0]
    b = m.revolute("elbow", arm, rod, at=(0.4, 0, 0)).coordinates[0]
    k = m.parameter("k", stiffness)
    x, y = 0.4 * sb.cos(a) + 0.5 * sb.cos(a + b) - 0.9, 0.4 * sb.sin(a) + 0.5 * sb.sin(a + b)
    m.force("bushing", rod, m.ground.vector(-k * x, -k * y, 0), at=rod.point(0.5, 0, 0))
    return m


def sprung_linkage(stiffness: float) -> sb.Model:
    """Three bars, the last one's end on a spring to the ground; a soft spring at the first joint."""
    m = sb.Model("sprung linkage")
    m.gravity(0, -9.81, 0)
    k = m.parameter("k", stiffness)
    before: Any = m.ground
    for n, (length, at) in enumerate(((0.4, 0.0), (0.5, 0.4), (0.4, 0.5))):
        link = m.body(f"link {n}", shape=sb.bar(length, "x", at=(length / 2, 0, 0)), mass=3)
        m.revolute(f"q{n}", before, link, at=(at, 0, 0), stiffness=50 if n == 0 else 5)
        before = link
    m.spring("spring", before.point(0.4, 0, 0), m.ground.point(0.8, -0.5, 0), stiffness=k, rest=0.1)
    return m


def wishbone(stiffness: float) -> sb.Model:
    """A double wishbone: two arms, an upright that closes the loop, a spring between the lower arm and the ground; a
    wheel load."""
    m = sb.Model("wishbone")
    k = m.parameter("k", stiffness)
    m.gravity(0, 0, -9.81)
    lower = m.body("lower", shape=sb.bar(0.4, "y", at=(0, 0.2, 0)), mass=4)
    upper = m.body("upper", shape=sb.bar(0.3, "y", at=(0, 0.15, 0)), mass=3)
    upright = m.body("upright", shape=sb.bar(0.3, "z", at=(0, 0, 0.15)), mass=25)
    m.revolute("low", m.ground, lower, axis="x")
    m.revolute("high", m.ground, upper, axis="x", at=(0, 0.05, 0.3))
    m.revolute("knuckle", lower, upright, axis="x", at=(0, 0.4, 0))
    m.coincide("ball", upper.point(0, 0.3, 0), upright.point(0, 0, 0.3), along=m.ground, axes="yz")
    m.spring("strut", lower.point(0, 0.3, 0), m.ground.point(0, 0.15, 0.5), stiffness=k, rest=0.45)
    m.force("wheel", upright, m.ground.vector(0, 0, 3000), at=upright.point(0, 0.1, 0))
    return m


def _linkages() -> Iterator[Case]:
    for power in range(2, 10):
        yield Case(f"bushing, 1e{power} N/m", partial(bushing, 10.0**power), angle=0.8)
    for power in range(2, 10):
        yield Case(
            f"sprung linkage, 1e{power} N/m",
            partial(sprung_linkage, 10.0**power),
            near={"q1": -0.3, "q2": -0.6},
            angle=0.8,
        )
    for power in (4, 5, 7, 9):
        yield Case(f"wishbone, 1e{power} N/m", partial(wishbone, 10.0**power), angle=0.3)


# ---------------------------------------------------------------------------------------------------- chains


def hanging_chain(links: int) -> sb.Model:
    m = sb.Model(f"chain of {links}")
    m.gravity(0, -9.81, 0)
    frame, end = m.ground, 0.0
    for k in range(links):
        frame = frame.translate(0, end, 0).rotate("z", m.coordinate(f"q{k}"))
        m.body(f"link {k}", frame, mass=1, shape=sb.bar(0.1, "y", at=(0, -0.05, 0)))
        end = -0.1
    return m


def catenary(links: int) -> sb.Model:
    """A chain between two supports; angles are absolute."""
    m = sb.Model(f"catenary of {links}")
    m.gravity(0, -9.81, 0)
    start, q = m.ground, []
    for k in range(links):
        q.append(m.coordinate(f"q{k}"))
        bar = start.rotate("z", q[k] - q[k - 1]) if k else start.rotate("z", q[k])
        m.body(f"link {k}", bar, mass=1, shape=sb.bar(1, "x", at=(0.5, 0, 0)))
        start = bar.translate(1, 0, 0)
    m.constrain("across", sum(map(sb.cos, q), start=0 * q[0]) - 0.7 * links)
    m.constrain("level", sum(map(sb.sin, q), start=0 * q[0]))
    return m


def ball_chain(links: int) -> sb.Model:
    """Bars on ball joints, in Euler parameters; bending springs about the first joint's axes would be too easy."""
    m = sb.Model(f"ball chain of {links}")
    m.gravity(0, 0, -9.81)
    before: Any = m.ground
    for k in range(links):
        bar = m.body(f"bar {k}", mass=1, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01))
        m.spherical(f"b{k}", before, bar, at=(0, 0, -1 if k else 0), sequence="euler parameters")
        before = bar
    return m


def elastica(links: int, load: float) -> sb.Model:
    """A rod of hinged links with bending springs, clamped below, under a weight that it cannot carry straight."""
    m = sb.Model(f"elastica of {links}")
    frame, length = m.ground, 1.0 / links
    for k in range(links):
        q = m.coordinate(f"q{k}")
        frame = frame.rotate("z", q) if k == 0 else frame.translate(0, length, 0).rotate("z", q)
        body = m.body(f"link {k}", frame, mass=0.1, shape=sb.bar(length, "y", at=(0, length / 2, 0)))
        m.generalized_force(f"bend {k}", q, -links * q)
    m.force("weight", body, m.ground.vector(0.05, -load, 0), at=body.point(0, length, 0))
    return m


def _chains() -> Iterator[Case]:
    for links in (2, 5, 10, 20, 50, 100):
        yield Case(f"hanging chain, {links} links", partial(hanging_chain, links), angle=1.0)
    for links in (3, 6, 12):
        sag = {f"q{k}": -0.9 + 1.8 * (k + 0.5) / links for k in range(links)}
        yield Case(f"catenary, {links} links", partial(catenary, links), near=sag, angle=0.5)
    for links in (1, 2, 3):
        yield Case(f"ball chain, {links} bars", partial(ball_chain, links), angle=0.6)
    for links, load in ((6, 2.0), (6, 4.0), (12, 4.0)):
        yield Case(
            f"elastica, {links} links, {load} N",
            partial(elastica, links, load),
            near={f"q{k}": 0.1 for k in range(links)},
            angle=0.3,
        )


# ---------------------------------------------------------------------------------------------------- vehicles in turns


def _side_force(slip: Any, load: Any) -> Any:
    """A tyre that saturates: D sin(C atan(B slip)) of the load."""
    return load * sb.sin(1.4 * sb.atan(8.0 * slip))


def car(rolls: bool) -> sb.Model:
    """Four tyres as two axles that saturate, driven at constant speed by the input; with roll on a suspension where
    asked for."""
    m = sb.Model("car that rolls" if rolls else "car")
    p = m.parameters(mass=1500.0, Iz=2500.0, Ix=500.0, a=1.2, b=1.4, h=0.5, g=9.81, k=60000.0, steer=0.03)
    drive = m.input("drive")
    x, y, psi = m.coordinates("x y psi")
    vx, vy = (
        m.speed("vx", x.dot * sb.cos(psi) + y.dot * sb.sin(psi)),
        m.speed("vy", y.dot * sb.cos(psi) - x.dot * sb.sin(psi)),
    )
    m.speed("w", psi.dot)
    frame = m.ground.translate(x, y, 0).rotate("z", psi)
    Zf, Zr = p.mass * p.g * p.b / (p.a + p.b), p.mass * p.g * p.a / (p.a + p.b)
    body = m.body("axles", frame, mass=p.mass * (0.2 if rolls else 1), inertia=(0, 0, p.Iz))
    if rolls:
        phi = m.coordinate("phi")
        chassis = m.body(
            "chassis", frame.rotate("x", phi), mass=0.8 * p.mass, com=(0, 0, p.h), inertia=(p.Ix, p.Iz / 2, p.Iz / 2)
        )
        m.generalized_force("suspension", phi, -p.k * sb.sin(phi) - 4000 * phi.dot)
        m.gravity(0, 0, -p.g)
        assert chassis
    w = psi.dot
    front, rear = p.steer - sb.atan((vy + p.a * w) / vx), -sb.atan((vy - p.b * w) / vx)
    Yf, Yr = _side_force(front, Zf), _side_force(rear, Zr)
    m.force("front", body, frame.vector(-Yf * sb.sin(p.steer), Yf * sb.cos(p.steer), 0), at=frame.point(p.a, 0, 0))
    m.force("rear", body, frame.vector(0, Yr, 0), at=frame.point(-p.b, 0, 0))
    m.force("drive", body, frame.vector(drive, 0, 0), at=frame.point(-p.b, 0, 0))
    return m


def wheelset(radius: float) -> sb.Model:
    """A conical wheelset with linear creep on two springs, in a curve: its frame turns with the track."""
    m = sb.Model("wheelset")
    p = m.parameters(
        mass=1200.0, I=700.0, Iy=100.0, r0=0.45, cone=0.15, b=0.75, f11=8e6, f22=7e6, kx=2e5, ky=1e5, V=20.0, R=radius, g=9.81, flange=5e6,
    )  # fmt: skip
    y, yaw, spin = m.coordinates("y yaw spin")
    W = p.V / p.R
    m.particle("mass", m.ground.point(0, y, 0), mass=p.mass)
    m.generalized_force("centrifugal", y, -p.mass * p.V * W + p.mass * p.g * 0.05)
    m.body("yaws", m.ground.translate(0, y, 0).rotate("zy", yaw, spin), mass=0, inertia=(p.I, p.Iy, p.I))
    creep_x = {
        side: 1 - s * p.b / p.R - (p.r0 + s * p.cone * sb.tan(y / 0.02) * 0.02) * spin.dot / p.V
        for side, s in (("l", -1), ("r", 1))
    }
    for side, s in (("l", -1), ("r", 1)):
        m.generalized_force(f"creep {side} yaw", yaw, s * p.b * p.f11 * creep_x[side])
        m.generalized_force(f"creep {side} spin", spin, p.r0 * p.f11 * creep_x[side])
    m.generalized_force("lateral creep", y, -2 * p.f22 * (y.dot / p.V - sb.sin(yaw)))
    m.generalized_force("suspension", y, -p.ky * y)
    m.generalized_force("yaw springs", yaw, -p.kx * sb.sin(yaw))
    return m


def _vehicles() -> Iterator[Case]:
    for speed, steer in ((10.0, 0.05), (20.0, 0.03), (25.0, 0.06), (30.0, 0.02)):
        ask = {"values": {"vx": speed, "psi": 0.0}, "free": ["psi_dot", "drive"], "steer": steer}
        near = {"w": 0.2, "vy": 0.0}
        yield Case(
            f"car, {speed:g} m/s, steering {steer:g}", partial(car, False), ask, near, angle=0.2, length=1.0, speed=1.0
        )
        yield Case(f"car that rolls, {speed:g} m/s", partial(car, True), ask, near, angle=0.4, length=1.0, speed=1.0)
    for radius in (300.0, 600.0, 2000.0):
        ask = {"values": {"spin_dot": 20.0 / 0.45}}
        yield Case(
            f"wheelset, curve of {radius:g} m",
            partial(wheelset, radius),
            {},
            {"spin_dot": 44.4},
            angle=0.02,
            length=0.01,
            speed=0.1,
        )


# ---------------------------------------------------------------------------------------------------- tensegrity


def prism(stiffness: float) -> sb.Model:
    """Three struts in space held by nine cables, standing on the ground: strut ends below are fixed, five coordinates
    each above."""
    m = sb.Model("tensegrity prism")
    k = m.parameter("k", stiffness)
    m.gravity(0, 0, -9.81)
    low = [m.ground.point(math.cos(2 * math.pi * n / 3), math.sin(2 * math.pi * n / 3), 0) for n in range(3)]
    tops = []
    for n in range(3):
        x, y, z = m.coordinates(f"x{n} y{n} z{n}")
        tops.append(m.ground.point(x, y, z))
        m.particle(f"top {n}", tops[n], mass=0.5)
    for n in range(3):
        m.spring(f"strut {n}", tops[n], low[n], stiffness=10 * k, rest=2.0)
        m.spring(f"cable {n}", tops[n], low[(n + 1) % 3], stiffness=k, rest=1.2)
        m.spring(f"ring {n}", tops[n], tops[(n + 1) % 3], stiffness=k, rest=1.4)
    return m


def crossed_struts(stiffness: float) -> sb.Model:
    """Two struts that cross in a plane, four cables around them."""
    m = sb.Model("crossed struts")
    k = m.parameter("k", stiffness)
    m.gravity(0, -9.81, 0)
    one = m.body("one", shape=sb.bar(2.0, "x"), mass=1)
    other = m.body("other", shape=sb.bar(2.0, "x"), mass=1)
    m.revolute("turn", m.ground, one)
    m.planar("place", m.ground, other)
    ends = [one.point(1, 0, 0), other.point(1, 0, 0), one.point(-1, 0, 0), other.point(-1, 0, 0)]
    for n in range(4):
        m.spring(f"cable {n}", ends[n], ends[(n + 1) % 4], stiffness=k, rest=1.1)
    m.spring("stay", one.point(1, 0, 0), m.ground.point(2, 0.5, 0), stiffness=k / 10, rest=0.5)
    m.spring("mooring", other.point(1, 0, 0), m.ground.point(0, 2, 0), stiffness=k / 10, rest=0.5)
    return m


def _tensegrities() -> Iterator[Case]:
    places = {}
    for n in range(3):
        turn = 2 * math.pi * n / 3 + 2.5
        places |= {f"x{n}": math.cos(turn), f"y{n}": math.sin(turn), f"z{n}": 1.2}
    for power in (2, 4, 6):
        yield Case(f"tensegrity prism, 1e{power} N/m", partial(prism, 10.0**power), near=places, length=0.4)
    for power in (3, 6):
        yield Case(
            f"crossed struts, 1e{power} N/m",
            partial(crossed_struts, 10.0**power),
            near={"place_a": 1.5},
            angle=0.6,
            length=0.3,
        )


# ---------------------------------------------------------------------------------------------------- spacecraft


def gravity_gradient() -> sb.Model:
    """A dumb-bell satellite in orbit, two masses and a rod that is elastic: polar coordinates of the first, and the
    second relative to it."""
    m = sb.Model("dumb-bell in orbit")
    mu = m.parameter("mu", 3.986004418e14)
    r, a, pitch, length = m.coordinates("r a pitch length")
    frame = m.ground.rotate("z", a)
    first = frame.point(r, 0, 0)
    second = frame.translate(r, 0, 0).rotate("z", pitch).point(length, 0, 0)
    m.particle("first", first, mass=500)
    m.particle("second", second, mass=20)
    m.central_gravity("earth", mu)
    m.spring("rod", first, second, stiffness=10.0, rest=100.0)
    return m


def orbit() -> sb.Model:
    m = sb.Model("orbit")
    mu = m.parameter("mu", 3.986004418e14)
    r, a = m.coordinates("r a")
    m.particle("satellite", m.ground.rotate("z", a).point(r, 0, 0), mass=500)
    m.central_gravity("earth", mu)
    return m


def free_body() -> sb.Model:
    m = sb.Model("free body")
    body = m.body("body", mass=10, inertia=(1.0, 2.0, 2.5))
    m.free("b", m.ground, body, sequence="euler parameters")
    return m


def top(sequence: str) -> sb.Model:
    m = sb.Model(f"top, {sequence}")
    m.gravity(0, 0, -9.81)
    body = m.body("top", mass=1, com=(0, 0, 0.3), inertia=(0.02, 0.02, 0.01))
    m.spherical("t", m.ground, body, sequence=sequence)
    return m


def conical_bar() -> sb.Model:
    """A bar as a free body on a ball joint that turns about the vertical."""
    m = sb.Model("conical bar")
    m.gravity(0, 0, -9.81)
    bar = m.body("bar", mass=1, inertia=(0.03, 0.1, 0.12))
    m.free("bar", m.ground, bar, sequence="euler parameters")
    m.coincide("ball", m.ground.point(0, 0, 0), bar.point(-0.5, 0, 0))
    return m


def _spacecraft() -> Iterator[Case]:
    rate = math.sqrt(3.986004418e14 / 7e6**3)
    ask = {"values": {"a_dot": rate}}
    yield Case("orbit", orbit, ask, {"r": 7e6}, length=1e6)
    yield Case("dumb-bell in orbit", gravity_gradient, ask, {"r": 7e6, "length": 100.0}, angle=0.5, length=20.0)
    yield Case("free body that spins", free_body, {"values": {"b_wz": 2.0}}, {"b_e0": 1.0}, angle=0.5)
    turning = {"turning": {"z": 1.5}}
    yield Case("free body turning about z", free_body, turning, {"b_e0": 1.0, "b_wz": 1.5}, angle=0.5)
    spin = {"values": {"t_wz": 80.0}, "turning": "z"}
    yield Case(
        "top in Euler parameters",
        partial(top, "euler parameters"),
        spin,
        {"t_e0": 0.96, "t_e1": 0.28, "turn_z": 3.0},
        angle=0.2,
    )
    spun = {"values": {"t_3_dot": 80.0, "t_1_dot": 4.0}, "zero": ["t_1", "t_3"]}
    yield Case("top in angles zxz", partial(top, "zxz"), spun, {"t_2": 0.6}, angle=0.4)
    yield Case(
        "conical bar",
        conical_bar,
        {"turning": {"z": 6.0}},
        {"bar_x": 0.4, "bar_z": -0.3, "bar_e0": 0.95, "bar_e2": 0.3},
        angle=0.2,
    )


# ---------------------------------------------------------------------------------------------------- robots on springs


def sprung_robot(stiffness: float) -> sb.Model:
    """Six revolute joints with elastic gears."""
    m = sb.Model("robot on springs")
    k = m.parameter("k", stiffness)
    m.gravity(0, 0, -9.81)
    before: Any = m.ground
    axes, places, masses = (
        "zyyxyx",
        ((0, 0, 0.3), (0, 0, 0.1), (0.4, 0, 0), (0.35, 0, 0), (0.1, 0, 0), (0.1, 0, 0)),
        (8, 6, 4, 2, 1, 0.5),
    )
    for n, (axis, at, mass) in enumerate(zip(axes, places, masses, strict=True)):
        link = m.body(f"link {n}", mass=mass, com=(0.15, 0.02, 0.01), inertia=(0.05, 0.06, 0.06))
        m.revolute(f"q{n}", before, link, axis=axis, at=at, stiffness=k * 2.0**-n, rest=0.2 * n - 0.4)
        before = link
    m.force("payload", before, m.ground.vector(3, 2, -40), at=before.point(0.1, 0, 0))
    return m


def platform(stiffness: float, sequence: str) -> sb.Model:
    """A platform on six springs (hexapod)."""
    m = sb.Model("platform")
    k = m.parameter("k", stiffness)
    m.gravity(0, 0, -9.81)
    plate = m.body("plate", mass=50, com=(0.05, 0.02, 0), inertia=(3, 3, 5))
    m.free("p", m.ground, plate, sequence=sequence)
    for n in range(6):
        a, b = math.pi / 3 * (n + (0.35 if n % 2 else -0.35)), math.pi / 3 * (n + (-0.35 if n % 2 else 0.35))
        foot, head = m.ground.point(math.cos(a), math.sin(a), 0), plate.point(0.6 * math.cos(b), 0.6 * math.sin(b), 0)
        m.spring(f"leg {n}", foot, head, stiffness=k, rest=1.2 + 0.02 * n)
    return m


def _robots() -> Iterator[Case]:
    for power in (2, 4, 6):
        yield Case(f"robot on springs, 1e{power} N m", partial(sprung_robot, 10.0**power), angle=1.0)
    for power, sequence in ((4, "xyz"), (6, "xyz"), (8, "xyz"), (5, "euler parameters")):
        near = {"p_z": 1.0, **({"p_e0": 1.0} if sequence != "xyz" else {})}
        yield Case(
            f"platform, 1e{power} N/m, {sequence}",
            partial(platform, 10.0**power, sequence),
            {},
            near,
            angle=0.3,
            length=0.3,
        )


# ---------------------------------------------------------------------------------------------------- others


def truss(load: float) -> sb.Model:
    """Von Mises' truss: snaps through under a load."""
    m = sb.Model("truss")
    x, y = m.coordinates("x y")
    tip = m.ground.point(x, y, 0)
    body = m.particle("tip", tip, mass=1)
    for side in (-1, 1):
        m.spring(f"bar {side}", tip, m.ground.point(side, 0, 0), stiffness=1e5, rest=1.05)
    m.force("load", body, m.ground.vector(0, -load, 0), at=tip)
    return m


def governor() -> sb.Model:
    """Watt's governor: two balls on arms, a sleeve on a spring; turns at a given rate."""
    m = sb.Model("governor")
    p = m.parameters(l=0.3, mass=1.0, sleeve=2.0, k=800.0, g=9.81)
    m.gravity(0, 0, -p.g)
    psi, a = m.coordinates("psi a")
    frame = m.ground.rotate("z", psi)
    for side in (-1, 1):
        m.particle(f"ball {side}", frame.point(side * p.l * sb.sin(a), 0, -p.l * sb.cos(a)), mass=p.mass)
    m.particle("sleeve", frame.point(0, 0, -2 * p.l * sb.cos(a)), mass=p.sleeve)
    m.spring("spring", frame.point(0, 0, -2 * p.l * sb.cos(a)), frame.point(0, 0, -0.6), stiffness=p.k)
    return m


def hoop() -> sb.Model:
    """A bead on a hoop that turns."""
    m = sb.Model("bead on a hoop")
    m.gravity(0, 0, -9.81)
    psi, a = m.coordinates("psi a")
    frame = m.ground.rotate("z", psi)
    m.body("hoop", frame, mass=1, inertia=(0, 0, 0.5))
    m.particle("bead", frame.point(sb.sin(a), 0, -sb.cos(a)), mass=1)
    return m


def magnetic() -> sb.Model:
    """A pendulum over two magnets: several equilibria next to each other."""
    m = sb.Model("pendulum over magnets")
    x, y = m.coordinates("x y")
    m.particle("bob", m.ground.point(x, y, 0), mass=0.1)
    V: Any = 2.0 * (x**2 + y**2)
    for cx, cy in ((0.3, 0.0), (-0.15, 0.26), (-0.15, -0.26)):
        V = V - 0.05 / sb.sqrt((x - cx) ** 2 + (y - cy) ** 2 + 0.01)
    m.potential("field", V)
    return m


def _others() -> Iterator[Case]:
    for load in (10.0, 300.0, 2000.0):
        yield Case(f"truss, {load:g} N", partial(truss, load), near={"y": 0.3}, length=0.4)
    yield Case("governor", governor, {"values": {"psi_dot": 12.0}}, {"a": 0.6}, angle=0.5)
    yield Case("bead on a hoop", hoop, {"values": {"psi_dot": 5.0}}, {"a": 1.0}, angle=1.0)
    yield Case("pendulum over magnets", magnetic, {}, {}, length=0.4)

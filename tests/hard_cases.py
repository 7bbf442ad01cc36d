"""Small mechanisms by name: what has gone wrong before, or easily could."""

from __future__ import annotations

from collections.abc import Callable

import symbody as sb
from symbody.bodies.model.model import Model
from tests.mechanisms import Sample


def euler_parameters_by_hand() -> Sample:
    """Euler parameters as plain coordinates, with their norm as a constraint: four speeds for three freedoms."""
    m = Model("Euler parameters by hand")
    e = m.coordinates("e0 e1 e2 e3")
    frame = m.ground.translate(0.1, 0, 0).rotate_by_euler_parameters(e)
    top = m.body(
        "top",
        frame,
        mass=m.parameter("mass", 2.0),
        com=(0, 0.1, 0.5),
        inertia=sb.inertia(0.3, 0.4, 0.5, 0.01, 0.02, 0.03),
    )
    m.constrain("norm", sum(x * x for x in e) - 1)
    m.gravity(0, 0, -9.81)
    m.force("push", top, top.vector(1, 2, 3), at=top.point(0, 0, 1))
    arm = m.body("arm", mass=1, com=(0.2, 0, 0), inertia=(0.1, 0.2, 0.2))
    m.revolute("q", top, arm, axis=(1, 1, 0), at=(0, 0, 1), damping=0.3)
    return Sample(m.freeze())


def shared_coordinate() -> Sample:
    """One coordinate that moves two branches and a point in its frame."""
    m = Model("shared coordinate")
    a, b = m.coordinates("a b")
    left = m.ground.rotate("x", a).translate(0, 0.5, b)
    right = m.ground.rotate("x", -a).translate(0, -0.5, 2 * b).rotate("z", a * b)
    m.body("left", left, mass=1, com=(0.1, 0.2, 0.3), inertia=(0.1, 0.2, 0.25))
    body = m.body("right", right, mass=2, com=(0.1, 0, 0.3), inertia=(0.3, 0.2, 0.25))
    m.particle("slider", right.point(sb.sin(a), 0, b), mass=0.5)
    m.gravity(0, 0, -9.81)
    m.drag("air", body.point(1, 0, 0), linear=0.5, quadratic=0.2)
    return Sample(m.freeze())


def moving_mass_centre() -> Sample:
    """A particle that slides in a rotating tube which turns as time tells."""
    m = Model("tube")
    s, h = m.coordinates("s h")
    tube = m.ground.rotate("z", 2 * m.time).translate(0, 0, h).rotate("y", 0.3)
    m.particle("bead", tube.point(s, 0, 0.1 * s**2), mass=m.parameter("mass", 0.5))
    m.body("tube", tube, mass=2, inertia=(0.1, 0.2, 0.3))
    m.spring("spring", tube.point(s, 0, 0.1 * s**2), tube.origin, stiffness=5, rest=0.2, damping=0.1)
    m.drag("air", tube.point(s, 0, 0.1 * s**2), linear=0.3)
    m.gravity(0, 0, -9.81)
    return Sample(m.freeze())


def quasi_velocities_of_a_top() -> Sample:
    """Components of the angular velocity in the body as speeds of Euler angles, through a solve block."""
    m = Model("top")
    q = m.coordinates("psi theta phi")
    frame = m.ground.rotate("zxz", *q)
    top = m.body("top", frame, mass=2, com=(0, 0.1, 0.5), inertia=sb.inertia(0.3, 0.4, 0.5, 0.01, 0.02, 0.03))
    w = frame.angular_velocity().components(frame)
    u = [m.speed(f"w{k}", w[i]) for i, k in enumerate("xyz")]
    m.gravity(0, 0, -9.81)
    m.torque("motor", top, frame.vector(u[0], 1, -u[2]))
    return Sample(m.freeze())


def foucault() -> Sample:
    """A particle seen from a rotating frame, with the speeds of that frame and an explicit free term."""
    m = Model("rotating frame")
    x, y, z = m.coordinates("x y z")
    turning = m.ground.rotate("z", m.parameter("Omega", 0.7) * m.time)
    bob = m.particle("bob", turning.point(x, y, z), mass=1.5)
    v = bob.mass_centre.velocity().components(turning)
    for k, i in (("a", 0), ("b", 1), ("c", 2)):
        m.speed(k, v[i])
    m.gravity(0, 0, -9.81)
    m.constrain("string", x**2 + y**2 + (z - 2) ** 2 - 4)
    m.drag("air", bob.mass_centre, on=bob, linear=0.1)
    return Sample(m.freeze(), {"x": 0.5, "y": 0.4, "z": 0.1})


def screws() -> Sample:
    """A screw in the tree, geared to a coordinate."""
    m = Model("screws")
    nut, bolt = (m.body(n, mass=1, com=(0.1, 0, 0.1), inertia=(0.1, 0.2, 0.25)) for n in ("nut", "bolt"))
    m.cylindrical("c", m.ground, nut, axis=(1, 0, 2))
    m.screw("s", nut, bolt, pitch=0.3, axis="x", at=(0.2, 0.1, 0))
    m.gear("g", "s", m.symbols_of_kind("coordinate")[1], 2)
    m.gravity(1, 0, -9.81)
    return Sample(m.freeze())


def following_gravity() -> Sample:
    """Gravity along a body that swings, and attraction to a point of it: forces without a potential."""
    m = Model("following gravity")
    a, b = (m.body(n, mass=1, com=(0.3, 0.1, 0), inertia=(0.1, 0.2, 0.2)) for n in "ab")
    m.universal("u", m.ground, a)
    m.spherical("s", a, b, at=(0, 0, 1))
    m.gravity(a.vector(0, 1, -9.81))
    m.central_gravity("planet", 3, a.point(2, 1, 2))
    return Sample(m.freeze())


def fixed_to_ground() -> Sample:
    """Bodies that do not move, massless bodies between, and a load on one that is fixed."""
    m = Model("fixed parts")
    wall = m.body("wall", mass=10, com=(1, 0, 0), inertia=(1, 1, 1))
    m.fixed("anchor", m.ground, wall, at=(0, 0, 1))
    plate = m.body("plate", m.ground, mass=3, inertia=(1, 1, 1))
    cross_ = m.body("cross")
    arm = m.body("arm", mass=1, com=(0.3, 0, 0), inertia=(0.1, 0.2, 0.2))
    m.revolute("a", wall, cross_, axis="x")
    m.revolute("b", cross_, arm, axis="y", actuation=m.input("tau"))
    m.force("on wall", wall, wall.vector(1, 2, 3), at=wall.point(), reacting=arm)
    m.force("on plate", plate, plate.vector(1, 2, 3), at=plate.point())
    m.gravity(0, 0, -9.81)
    return Sample(m.freeze())


def four_bar() -> Sample:
    """A plane four-bar, closed by a revolute joint out of which only two rows say anything."""
    m = Model("four-bar")
    lengths = m.parameters("l1 l2 l3", 0.4, 1.0, 0.7)
    bodies, parent, at = [], m.ground, (0, 0, 0)
    for k, l in enumerate(lengths):
        b = m.body(f"bar{k}", shape=sb.bar(l, "x", at=(l / 2, 0, 0)), mass=1)
        m.revolute(f"q{k}", parent, b, at=at)
        parent, at = b, (l, 0, 0)
        bodies.append(b)
    m.spherical("end", m.ground, parent, at=(0.9, 0, 0), on=at)
    m.gravity(0, -9.81, 0)
    m.rotational_spring(
        "k",
        bodies[0],
        bodies[1],
        bodies[1].frame.z,
        angle=m.symbols_of_kind("coordinate")[1],
        stiffness=2,
        rest=0.2,
        damping=0.1,
    )
    return Sample(m.freeze(), {"q0": 0.8, "q1": -0.6, "q2": -1.5})


def gravity_in_a_turning_frame() -> Sample:
    """Gravity given in a frame that turns with time."""
    m = Model("turning gravity")
    lab = m.ground.rotate("x", 0.5 * m.time)
    m.gravity(lab.vector(0, 0, -9.81))
    a, b = (m.body(n, mass=1, com=(0.3, 0.1, 0), inertia=(0.1, 0.2, 0.2)) for n in "ab")
    m.universal("u", lab, a)
    m.prismatic("s", a, b, axis=(1, 1, 0), stiffness=3)
    return Sample(m.freeze())


HARD: dict[str, Callable[[], Sample]] = {
    f.__name__: f
    for f in (
        euler_parameters_by_hand, shared_coordinate, moving_mass_centre, quasi_velocities_of_a_top, foucault, screws,
        following_gravity, fixed_to_ground, four_bar, gravity_in_a_turning_frame,
    )
}  # fmt: skip

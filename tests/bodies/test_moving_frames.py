"""Frames of which only the motion is known: the same motions as with coordinates, in fewer states; forces of constraint
by auxiliary speeds."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.bodies.frames.frames import Frame

from ..published.numbers import published

R, MASS = 0.3, 1.2


def disc(m: sb.Model, heading: Frame, lean: Any, wheel: Any) -> sb.Body:
    """A disc that leans about the heading and turns about its own axis, however that is said."""
    leaning = heading.rotate("x", lean).translate(0, 0, R)
    return m.body("disc", wheel(leaning), mass=MASS, shape=sb.disc(R, axis="y"))


def disc_in_coordinates() -> sb.Equations:
    m = sb.Model("disc")
    x, y, yaw, lean, spin = m.coordinates("x y yaw lean spin")
    m.gravity(0, 0, -9.81)
    heading = m.ground.translate(x, y, 0).rotate("z", yaw)
    body = disc(m, heading, lean, lambda leaning: leaning.rotate("y", spin))
    v = body.velocity_at(heading.origin)
    m.constrain_speed("along", v.dot(heading.x))
    m.constrain_speed("across", v.dot(heading.y))
    return sb.derive(m)


def disc_by_velocities(route: str) -> sb.Equations:
    """Lean, and three speeds: the contact moves along the heading by R times the spin, and nothing is left to hold."""
    m = sb.Model("disc")
    lean = m.coordinate("lean")
    turning, rolling = m.speeds("turning rolling")
    m.gravity(0, 0, -9.81)
    heading = m.moving_frame("heading", velocity=(-R * rolling, 0, 0), spin=(0, 0, turning))
    disc(m, heading, lean, lambda leaning: m.moving_frame("wheel", on=leaning, spin=(0, -rolling, 0)))
    return sb.derive(m, route)


@pytest.mark.parametrize("route", ["recursive", "kane", "gibbs-appell"])
def test_rolling_disc_without_x_and_y(route: str) -> None:
    """Accelerations are those of the disc in five coordinates with two constraints."""
    whole, small = disc_in_coordinates(), disc_by_velocities(route)
    assert [s.name for s in small.state] == ["lean", "turning", "rolling", "lean_dot"]
    turning, rolling, leaning, lean = 0.7, -4.0, 0.3, 0.2
    state = {"lean": lean, "turning": turning, "rolling": rolling, "lean_dot": leaning}
    found = dict(zip((u.name for u in small.u), sb.evaluate(small.udot, small.values(state)), strict=True))
    rates = {"yaw_dot": turning, "spin_dot": -rolling, "lean_dot": leaning, "lean": lean, "x_dot": -R * rolling}
    expected = dict(
        zip((u.name for u in whole.u), sb.evaluate(whole.udot, whole.values(rates, otherwise=0.0)), strict=True)
    )
    assert found["turning"] == pytest.approx(expected["yaw_dot"], abs=1e-10)
    assert found["rolling"] == pytest.approx(-expected["spin_dot"], abs=1e-10)
    assert found["lean_dot"] == pytest.approx(expected["lean_dot"], abs=1e-10)


def test_rolling_disc_by_velocities_is_certified_and_keeps_its_energy() -> None:
    eq = disc_by_velocities("recursive")
    assert sb.certify(eq).passed
    sim = sb.simulate(eq, 2.0, lean=0.1, rolling=-4.0, turning=0.5)
    assert np.ptp(sim.energy) < 1e-6
    slow, fast = (sb.linearize(eq, {"rolling": -v / R}).eigenvalues().real.max() for v in (0.4, 2.0))
    assert slow > 0.1 > 1e-6 > fast  # upright rolling is stable above sqrt(g R / 3) = 0.99 m/s


def bicycle_by_velocities() -> sb.Equations:
    """Lean, pitch and steer, and speeds for everything else: heading, forward speed and wheels have no coordinates
    (Lennartsson 7.4)."""
    m = sb.Model("bicycle")
    lean, pitch, steer = m.coordinates("lean pitch steer")
    forward, turning, front_spin = m.speeds("forward turning front_spin")
    m.gravity(0, 0, 9.80665)
    r, sigma, axial = 0.354, math.radians(20.09), 1.5 * 1.2 * 0.354**2 / 2
    heading = m.moving_frame("heading", velocity=(forward, 0, 0), spin=(0, 0, turning))
    leaning = heading.rotate("x", lean)
    rear_hub = leaning.translate(0, 0, -r)
    frame = rear_hub.rotate("y", pitch)
    fork = frame.translate(1.062 - 0.048, 0, 0).rotate("yz", sigma, steer)
    hub = fork.rotate("y", -sigma).translate(0.048, 0, 0)
    m.body("frame", frame, mass=8, com=(0.6, 0, -0.3), inertia=(1, 1.5, 0.5))
    m.body("fork", fork, mass=1, com=(0.01, 0, -0.35), inertia=(0.04, 0.03, 0.01))
    wheels = (("rear wheel", rear_hub, -forward / r), ("front wheel", hub, front_spin))
    for name, home, spin in wheels:
        # the rear wheel turns against the leaning frame, not against the pitching one: it rolls at the forward speed
        wheel = m.moving_frame(name, on=home, spin=(0, spin, 0))
        m.body(name, wheel, mass=1.2, inertia=(axial / 2, axial, axial / 2))
    axis, down = hub.y, m.ground.z
    radial = down - axis * down.dot(axis)
    contact = hub.origin + radial.normalize() * r
    height = (contact - heading.origin).dot(down)
    m.constrain("front wheel touches", height)
    spinning = hub.angular_velocity() + hub.vector(0, front_spin, 0)
    v = hub.origin.velocity() + spinning.cross(contact - hub.origin)
    m.constrain_speed("front along", v.dot(heading.x))
    m.constrain_speed("front across", v.dot(heading.y))
    return sb.derive(m)


def test_bicycle_in_five_states() -> None:
    """The accelerations of the record, whose nine coordinates have x, y, heading and both wheels too; five states are
    free."""
    eq, value = bicycle_by_velocities(), published("bike_state_nonlinear")
    q, qd, qdd = value["q"], value["qd"], value["qdd"]
    lean, pitch, steer = q[4:7]
    assert {x.name for x in eq.q} == {"lean", "pitch", "steer"}
    assert len(eq.q) - len(eq.phi.entries) + eq.degrees_of_freedom == 5
    # the contact of the rear wheel lies below the hub, along the leaning frame: its velocity along the heading is that
    # of the wheel's rim
    r = 0.354
    yaw_rate, lean_rate, pitch_rate, steer_rate, rear, front = qd[3:9]
    rim = -r * (pitch_rate + rear)
    state = {
        "lean": lean, "pitch": pitch, "steer": steer, "lean_dot": lean_rate, "pitch_dot": pitch_rate, "steer_dot": steer_rate,
        "forward": rim, "turning": yaw_rate, "front_spin": front,
    }  # fmt: skip
    found = dict(zip((u.name for u in eq.u), sb.evaluate(eq.udot, eq.values(state)), strict=True))
    assert found["turning"] == pytest.approx(qdd[3], abs=1e-8)
    assert [found[n] for n in ("lean_dot", "pitch_dot", "steer_dot")] == pytest.approx(qdd[4:7], abs=1e-8)
    assert found["forward"] == pytest.approx(-r * (qdd[5] + qdd[7]), abs=1e-8)
    assert found["front_spin"] == pytest.approx(qdd[8], abs=1e-8)


def test_forces_of_constraint_by_auxiliary_speeds() -> None:
    """The multipliers of auxiliary speeds at the pin of a pendulum are the reaction there."""
    m, other = sb.Model("pendulum"), sb.Model("pendulum")
    ux, uy = m.auxiliary_speed("ux"), m.auxiliary_speed("uy")
    pin = m.moving_frame("pin", velocity=(ux, uy, 0))
    for model, on in ((m, pin), (other, other.ground)):
        model.gravity(0, -9.81, 0)
        bar = model.body("bar", mass=2.0, com=(0, -0.4, 0), inertia=(0.1, 0.1, 0.1))
        model.revolute("hinge", on, bar)
    eq, plain = sb.derive(m), sb.derive(other)
    state = {"hinge": 0.6, "hinge_dot": 1.5}
    forces = dict(zip((s.name for s in eq.lam), sb.evaluate(eq.multipliers, eq.values(state, ux=0, uy=0)), strict=True))
    force = sb.evaluate(sb.reaction(plain, "hinge", solved=True).force, plain.values(state))
    assert [forces["lam_ux"], forces["lam_uy"]] == pytest.approx(list(force[:2]), abs=1e-12)
    small = sb.minimal(eq)
    assert [u.name for u in small.u] == ["hinge_dot"]


def test_free_body_by_its_angular_velocity() -> None:
    """Euler's equations in three states; the energy and the magnitude of the angular momentum stay."""
    m = sb.Model("body")
    w = m.speeds("wx wy wz")
    frame = m.moving_frame("body", spin=w)
    m.body("body", frame, mass=1.0, inertia=(1, 2, 2.5))
    eq = sb.derive(m)
    assert eq.f == sb.vector(-0.5 * w[1] * w[2], 1.5 * w[0] * w[2], -1 * w[0] * w[1])
    sim = sb.simulate(eq, 5, wx=0.1, wy=2, wz=0.3)
    H = (1 * sim["wx"]) ** 2 + (2 * sim["wy"]) ** 2 + (2.5 * sim["wz"]) ** 2
    assert np.ptp(sim.energy) < 1e-7
    assert np.ptp(H) < 1e-6


def test_what_needs_a_place_is_refused() -> None:
    def made(**how: Any) -> sb.Model:
        m = sb.Model("sledge")
        v, w = m.speeds("v w")
        heading = m.moving_frame("heading", velocity=(v, 0, 0), spin=(0, 0, w))
        body = m.body("sledge", heading, mass=1.0, com=(0.2, 0, 0), inertia=(1, 1, 1))
        if "spring" in how:
            m.spring("to a post", m.ground.origin, body.mass_centre, stiffness=10.0)
        if "gravity" in how:
            m.gravity(*how["gravity"])
        if "output" in how:
            m.output("x", heading.origin.in_ground[0])
        if "wheel" in how:
            wheel = m.moving_frame("wheel", on=heading, spin=(0, v / R, 0))
            m.body("wheel", wheel, mass=1.0, inertia=how["wheel"])
        return m

    for how in ({"spring": True}, {"gravity": (1, 0, -9.81)}, {"output": True}, {"wheel": (1.0, 1.2, 1.3)}):
        with pytest.raises(sb.errors.DerivationError, match="known by its velocity and spin only"):
            sb.derive(made(**how))
    eq = sb.derive(made(gravity=(0, 0, -9.81), wheel=(0.5, 0.9, 0.5)))
    with pytest.raises(sb.errors.DerivationError, match="these quantities depend on its position"):
        sb.angular_momentum(eq)
    with pytest.raises(sb.errors.DerivationError, match="route 'lagrange' needs positions"):
        sb.derive(made(), "lagrange")
    with pytest.raises(sb.errors.ViewError, match="not known, only its velocity"):
        sb.scene(sb.assemble(eq))
    m = made()
    with pytest.raises(sb.ModelError, match="which moves"):
        m.moving_frame("rider", on=m.frames["heading"], velocity=(1, 0, 0))


def test_moving_frames_in_substructures() -> None:
    """Two sledges from one model; attached to something that moves they are refused."""
    sub = sb.Model("sledge")
    v, w = sub.speeds("v w")
    sub.body(
        "sledge",
        sub.moving_frame("heading", velocity=(v, 0, 0), spin=(0, 0, w)),
        mass=1.0,
        com=(0.2, 0, 0),
        inertia=(1, 1, 1),
    )
    m = sb.Model("two")
    for side in ("left", "right"):
        m.attach(side, m.ground, sub)
    eq = sb.derive(m)
    assert [u.name for u in eq.u] == ["left_v", "left_w", "right_v", "right_w"]
    assert str(eq.f[2]) == "0.2*right_w**2"
    m = sb.Model("cart")
    cart = m.body("cart", mass=1.0)
    m.prismatic("x", m.ground, cart)
    with pytest.raises(sb.ModelError, match="attach its model to a frame that does not move"):
        m.attach("on", cart, sub)


def test_speeds_of_joints_by_keyword() -> None:
    """Names for the rates of a joint's coordinates; the equations are those with rates, under other names."""
    m = sb.Model("arm")
    upper, lower = (m.body(n, mass=1.0, com=(0.2, 0, 0), inertia=(1, 1, 1)) for n in ("upper", "lower"))
    m.revolute("shoulder", m.ground, upper, speeds="u1")
    m.universal("elbow", upper, lower, at=(1, 0, 0), speeds=["u2", "u3"], damping=0.1)
    eq = sb.derive(m)
    assert [u.name for u in eq.u] == ["u1", "u2", "u3"]
    assert eq.rates == sb.vector(*eq.u)
    with pytest.raises(sb.ModelError, match="one for each"):
        m.revolute("wrist", lower, m.body("hand", mass=1.0, inertia=(1, 1, 1)), speeds="u4 u5")
    with pytest.raises(sb.ModelError, match="one for each"):
        m.spherical("loop", m.ground, m.bodies["hand"], speeds="u6")

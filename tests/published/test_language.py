"""One mechanism said in two ways, and mistakes that would otherwise go unseen: what writing the examples brought up."""

import math

import numpy as np
import pytest

import symbody as sb

from .numbers import at, published


def test_bicycle_in_nine_coordinates():
    """The rear hub by x, y, z and both wheels touching by a condition: the record's own coordinates, and its
    accelerations."""
    m = sb.Model("bicycle, nine coordinates")
    x, y, z, yaw, lean, pitch, steer, rear_spin, front_spin = m.coordinates("x y z yaw lean pitch steer rear front")
    m.gravity(0, 0, 9.80665)
    R, sigma, axial = 0.354, math.radians(20.09), 1.5 * 1.2 * 0.354**2 / 2
    frame = m.ground.translate(x, y, z).rotate("zxy", yaw, lean, pitch)
    fork = frame.translate(1.062 - 0.048, 0, 0).rotate("yz", sigma, steer)
    hub = fork.rotate("y", -sigma).translate(0.048, 0, 0)
    m.body("frame", frame, mass=8, com=(0.6, 0, -0.3), inertia=(1, 1.5, 0.5))
    m.body("fork", fork, mass=1, com=(0.01, 0, -0.35), inertia=(0.04, 0.03, 0.01))
    for name, home, spin in (("rear wheel", frame, rear_spin), ("front wheel", hub, front_spin)):
        wheel = m.body(name, home.rotate("y", spin), mass=1.2, inertia=(axial / 2, axial, axial / 2))
        m.rolling(name, wheel, R, up="-z")
    equations, value = sb.derive(m), published("bike_state_nonlinear")
    symbols = (*equations.q, *equations.u)
    state = {s.name: v for s, v in zip(symbols, (*value["q"], *value["qd"]), strict=True)}
    assert at(equations, equations.udot, state) == pytest.approx(value["qdd"], abs=1e-9)


def wheel_model(**how):
    m = sb.Model("wheel")
    m.gravity(0, 0, 9.81)
    wheel = m.body("wheel", mass=1, shape=sb.disc(0.3, "y"))
    m.free("wheel", m.ground, wheel, sequence="zxy")
    plane = m.ground.rotate("x", sb.pi) if how.pop("turned", False) else m.ground
    m.rolling("track", wheel, 0.3, plane=plane, **how)
    return sb.derive(m)


def test_wheel_under_z_is_a_wheel_on_a_turned_plane():
    one, other = wheel_model(up="-z"), wheel_model(turned=True)
    state = {s.name: 0.1 * k for k, s in enumerate((*one.q, *one.u), start=1)}
    assert at(one, one.udot, state) == pytest.approx(at(other, other.udot, state), abs=1e-12)


def test_particle_at_a_moving_point():
    """A point whose coordinates move carries the particle along."""
    models = []
    for is_point in (True, False):
        m = sb.Model("bead on a turning rod")
        s, angle = m.coordinates("s angle")
        rod = m.ground.rotate("z", angle)
        if is_point:
            m.particle("bead", rod.point(s, 0, 0), mass=2)
        else:
            m.particle("bead", rod.translate(s, 0, 0).origin, mass=2)
        models.append(sb.derive(m))
    state = {"s": 0.7, "angle": 0.3, "s_dot": 0.4, "angle_dot": 1.1}
    for equations in models:
        assert at(equations, equations.M, state) == pytest.approx(np.diag([2, 2 * 0.7**2]), abs=1e-15)
        assert at(equations, equations.udot, state) == pytest.approx([0.7 * 1.1**2, -2 * 0.4 * 1.1 / 0.7], rel=1e-14)


def test_frame_at_a_point():
    m = sb.Model("frames")
    q = m.coordinate("q")
    arm = m.ground.rotate("z", q).translate(1, 2, 3)
    there = m.ground.translate(arm.point(0.5, 0, 0))
    values = {"q": 0.4}
    gap = (there.origin - arm.point(0.5, 0, 0)).components(m.ground)
    assert sb.evaluate(gap, values) == pytest.approx([0, 0, 0], abs=1e-15)
    assert sb.evaluate(there.rotation_in(m.ground).matrix, values) == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]


@pytest.mark.parametrize("seed", range(3))
def test_velocity_of_a_body_where_a_point_is(seed):
    """By the angular velocity about the origin, and by the transport velocity of the same place in the body's frame."""
    m = sb.Model("places")
    q = m.coordinates("q1 q2 q3 q4")
    body = m.body("body", m.ground.translate(q[0], 0, 1).rotate("xz", q[1], q[2]), mass=1)
    point = m.ground.rotate("y", q[3]).point(q[0], 1, 2)
    draw = np.random.default_rng(seed)
    values = {name: draw.uniform(-1, 1) for s in q for name in (s.name, s.dot.name)}
    one, other = body.velocity_at(point), point.in_frame(body.frame).transport_velocity()
    parts = [sb.evaluate(v.components(m.ground), values) for v in (one, other)]
    assert parts[0] == pytest.approx(parts[1], abs=1e-14)


def test_quadratic_drag_can_be_linearised_at_rest():
    m = sb.Model("sphere in air")
    x = m.coordinates("x y z")
    ball = m.particle("ball", m.ground.point(*x), mass=1)
    m.drag("air", ball.mass_centre, quadratic=0.3)
    equations = sb.derive(m)
    assert at(equations, sb.jacobian(equations.f, equations.u), {}) == pytest.approx(np.zeros((3, 3)), abs=0)
    moving = {"x_dot": 3.0, "y_dot": 4.0}
    assert at(equations, equations.f, moving) == pytest.approx([-0.3 * 5 * 3, -0.3 * 5 * 4, 0], rel=1e-15)


# ------------------------------------------------------------------------------------------------ mistakes


def test_mass_centre_that_moves_is_refused():
    m = sb.Model("wrong")
    with pytest.raises(sb.ModelError, match="'lump': its mass properties change with s; let a frame move"):
        m.body("lump", mass=1, com=(m.coordinate("s"), 0, 0))


def test_joint_that_adds_nothing_is_refused():
    m = sb.Model("hinged twice")
    door = m.body("door", mass=1, com=(1, 0, 0))
    m.revolute("upper", m.ground, door, at=(0, 0, 1), on=(0, 0, 1))
    m.revolute("lower", m.ground, door)
    with pytest.raises(sb.ModelError, match="'lower' closes a loop but adds no constraint"):
        m.freeze()


def test_body_of_another_model_is_refused():
    m, other = sb.Model("one"), sb.Model("other")
    mine, theirs = (x.body("bar", mass=1) for x in (m, other))
    m.free("bar", m.ground, mine)
    with pytest.raises(sb.ModelError, match="body 'bar' is not of model 'one'"):
        m.force("push", theirs, m.ground.vector(1, 0, 0))


def test_names_of_values_are_checked():
    m = sb.Model("pendulum")
    m.revolute("swing", m.ground, m.body("bar", mass=1, com=(1, 0, 0)))
    equations = sb.derive(m)
    with pytest.raises(sb.ModelError, match="Did you mean 'swing_dot'"):
        equations.values(swing_dt=1)


def test_joint_with_several_coordinates_has_no_q():
    m = sb.Model("joints")
    a, b = m.body("a", mass=1), m.body("b", mass=1)
    assert m.revolute("hinge", m.ground, a).q.name == "hinge"
    with pytest.raises(sb.ModelError, match="3 coordinates, not one: ball_1, ball_2, ball_3"):
        m.spherical("ball", a, b).q


@pytest.mark.parametrize("stiffness", [1.0, (1.0,), (1.0, 2.0, 3.0)])
def test_tyre_needs_two_stiffnesses(stiffness):
    m = sb.Model("tyre")
    wheel = m.body("wheel", mass=1)
    m.free("wheel", m.ground, wheel)
    with pytest.raises(sb.ModelError, match="stiffness= needs two"):
        m.tyre("Y", wheel, wheel.point(), m.ground, camber=0, stiffness=stiffness, relaxation=1)

"""Gravity gradient against a body of point masses, each drawn by itself, and by all routes."""

from __future__ import annotations

import numpy as np
import pytest

import symbody as sb
from symbody import Model

SIZES = {"x": 0.7, "y": 0.4, "z": 0.2}  # distances of pairs of point masses from the mass centre
MU = 398.6


def satellite(how: str) -> sb.Equations:
    """A free body drawn to the origin: as six point masses, as a body with gradient, or as a body without."""
    m = Model(how)
    inertia = [2 * sum(a**2 for n, a in SIZES.items() if n != axis) for axis in SIZES]
    body = m.body("body", mass=6 if how != "points" else 0, inertia=inertia if how != "points" else None)
    m.free("f", m.ground, body)
    if how == "points":
        for axis, a in SIZES.items():
            for sign in (1, -1):
                place = [sign * a * (axis == n) for n in SIZES]
                m.particle(f"{axis}{sign}", body.point(*place), mass=1)
    m.central_gravity("earth", MU, gradient=how == "gradient")
    return sb.derive(m)


def forces(eq: sb.Equations, distance: float) -> np.ndarray:
    place = distance * np.array([0.48, 0.6, 0.64])
    values = dict(zip(eq.q, [*place, 0.3, -0.5, 0.9], strict=True)) | dict.fromkeys(eq.u, 0.0)
    return np.array(sb.evaluate(eq.f, values))


def test_force_and_torque_are_exact_to_second_order() -> None:
    """What is left is of fourth order (a body symmetric about its centre has no third). In relation to the attraction
    the forces that are left are 16 times smaller twice as far away, and the torques 8 times; without gradient 4 and 2
    times."""
    points, body, plain = (satellite(how) for how in ("points", "gradient", "plain"))

    def left(eq: sb.Equations, distance: float) -> np.ndarray:
        off = np.abs(forces(eq, distance) - forces(points, distance)) * distance**2
        return np.array([off[:3].max(), off[3:].max()])

    assert left(body, 20.0) / left(body, 40.0) == pytest.approx([16, 8], rel=0.03)
    assert left(plain, 20.0) / left(plain, 40.0) == pytest.approx([4, 2], rel=0.03)
    assert all(left(body, 40.0) < 2e-3 * left(plain, 40.0))


def test_gradient_by_every_route() -> None:
    """Force and torque are those of the potential, which Lagrange's equations use."""
    assert sb.certify(satellite("gradient")).passed


def test_gravity_gradient_stabilises_a_long_body() -> None:
    """A dumbbell librates about the local vertical with √3 times the orbital rate (Hughes 9.2)."""
    m = Model("dumbbell")
    theta = m.coordinate("theta")
    p = m.parameters(mu=1.0, R=1.0)
    turning = m.ground.rotate("z", sb.sqrt(p.mu / p.R**3) * m.time)
    m.body("dumbbell", turning.translate(p.R, 0, 0).rotate("z", theta), mass=1, inertia=(0, 1e-6, 1e-6))
    m.central_gravity("earth", p.mu, gradient=True)
    lin = sb.linearize(sb.derive(m), {"theta": 0})
    assert max(abs(lin.eigenvalues().imag)) == pytest.approx(np.sqrt(3), rel=1e-9)


def test_gradient_in_a_file() -> None:
    text = (
        "symbody: 1\nname: s\nbodies:\n  b: {mass: 1, inertia: [1, 2, 2.5]}\njoints:\n  f: {free: b}\n"
        "loads:\n  earth: {central_gravity: 10, gradient: true}\n"
    )
    eq = sb.derive(sb.study.read_model_text(text).model)
    assert any(abs(x) > 1e-6 for x in forces(eq, 3.0)[3:])

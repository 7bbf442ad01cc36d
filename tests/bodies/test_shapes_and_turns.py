"""A torus, an inertia as a dyad, rotations about fixed axes, masses that change: each against another way."""

from __future__ import annotations

import itertools
import pickle
from math import cos, pi, sin
from pathlib import Path

import numpy as np
import pytest

import symbody as sb
from symbody.bodies.frames.rotations import Rotation, Turn


@pytest.mark.parametrize("axis", "xyz")
def test_inertia_of_a_torus_is_the_integral(axis: str) -> None:
    """By Gauss's quadrature over the section (s, h) and the angle: dV = (R + s) ds dh dφ."""
    R, r, density = 1.3, 0.4, 700.0
    nodes, weights = np.polynomial.legendre.leggauss(40)
    angle = (np.arange(16) + 0.5) * 2 * pi / 16
    rho, rw = r * (nodes + 1) / 2, r * weights / 2
    turn, tw = pi * (nodes + 1), pi * weights
    a, p, phi = np.meshgrid(rho, turn, angle, indexing="ij")
    across = R + a * np.cos(p)
    dV = rw[:, None, None] * tw[None, :, None] * (2 * pi / 16) * a * across
    x, y, z = across * np.cos(phi), across * np.sin(phi), a * np.sin(p)
    axial, transverse = (density * np.sum(dV * s) for s in (x**2 + y**2, y**2 + z**2))
    m = sb.Model("ring")
    body = m.body("ring", density=density, shape=sb.torus(R, r, axis))
    m.free("f", m.ground, body)
    found = np.diag(np.array(sb.evaluate(body.inertia().components(body.frame)), dtype=float))
    k = "xyz".index(axis)
    assert float(sb.evaluate(body.mass.m)) == pytest.approx(density * np.sum(dV), rel=1e-12)
    assert found[k] == pytest.approx(axial, rel=1e-12)
    assert np.delete(found, k) == pytest.approx([transverse] * 2, rel=1e-12)


def test_a_torus_is_written_read_and_drawn(tmp_path: Path) -> None:
    m = sb.Model("ring")
    m.revolute("a", m.ground, m.body("ring", mass=2.0, shape=sb.torus(0.5, 0.1, "y")), "y")
    sb.write_model(m, tmp_path / "ring.yaml")
    again = sb.read_model(tmp_path / "ring.yaml").mechanism
    assert again.bodies[0].shape == m.bodies["ring"].shape
    assert "torus" in {s.kind for s in sb.scene(sb.derive(m)).solids}
    with pytest.raises(sb.ModelError, match="does not fit"):
        sb.torus(0.1, 0.5)


def test_inertia_as_a_dyad() -> None:
    """In the axes of another frame of the body."""
    m = sb.Model("plate")
    q = m.coordinate("q")
    frame = m.ground.rotate("z", q)
    tilted = frame.rotate("z", sb.fraction(1, 3))
    plate = m.body("plate", frame, mass=1, inertia=tilted.dyad(sb.inertia(1, 2, 2.5)))
    expected = tilted.dyad(sb.inertia(1, 2, 2.5)).components(frame)
    found = plate.inertia().components(frame)
    assert np.allclose(sb.evaluate(found), sb.evaluate(expected), rtol=1e-14)
    assert sb.derive(m).M[0, 0] == plate.inertia().components(frame)[2, 2]
    with pytest.raises(sb.ModelError, match=r"body 'b': inertia= is a dyad.*give its frame"):
        m.body("b", mass=1, inertia=tilted.dyad(sb.inertia(1, 2, 2.5)))


@pytest.mark.parametrize("kind", ["spherical", "free"])
def test_turns_about_fixed_axes(kind: str) -> None:
    m = sb.Model("top")
    body = m.body("top", mass=1, com=(0, 0, 1), inertia=(1, 1.5, 2))
    joint = getattr(m, kind)("r", m.ground, body, "xyz", space_fixed=True)
    angles = joint.coordinates[-3:]
    other = m.ground.rotate("xyz", *angles, space_fixed=True)
    at = dict(zip(angles, (0.3, -0.7, 1.1), strict=True))
    R = sb.evaluate(m.ground.dcm(body.frame), at)
    assert np.allclose(R, sb.evaluate(m.ground.dcm(other), at), atol=1e-15)
    assert not np.allclose(R, sb.evaluate(m.ground.dcm(m.ground.rotate("xyz", *angles)), at))
    assert sb.certify(sb.derive(m)).passed
    with pytest.raises(sb.ModelError, match="space_fixed= is for spherical, free joints"):
        m.joint("h", m.ground, m.body("b", mass=1), "revolute", space_fixed=True)


def test_a_mass_that_changes_is_answered_by_its_balance() -> None:
    """Tsiolkovsky: the advice, followed, gives v = c ln(m0/m) - g t."""
    m = sb.Model("rocket")
    with pytest.raises(
        sb.ModelError, match=r"change with t; .*carries momentum.*Model\.balance\(h, mass \* h\.dot\.dot"
    ):
        m.body("rocket", mass=5 - 0.1 * m.time)
    h = m.coordinate("h")
    mass, flow, exhaust_speed, g = 5 - 0.1 * m.time, 0.1, 2000.0, 9.81
    m.balance(h, mass * h.dot.dot + mass * g - flow * exhaust_speed)
    sim = sb.simulate(sb.derive(m), 20.0, rtol=1e-10, atol=1e-10)
    assert sim["h_dot"][-1] == pytest.approx(exhaust_speed * np.log(5 / 3) - g * 20, rel=1e-9)


def test_heaviside_of_sympy() -> None:
    import sympy

    x = sympy.Symbol("x")
    found = sb.from_sympy(3 * sympy.Heaviside(x - 1) + sympy.Heaviside(x, 0))
    for value in (-1.0, 0.0, 0.5, 1.0, 2.0):
        expected = float((3 * sympy.Heaviside(x - 1) + sympy.Heaviside(x, 0)).subs(x, sympy.Rational(value)))
        assert sb.evaluate(found, {sb.symbol("x"): value}) == expected


@pytest.mark.parametrize("quarters", [-2, -1, 1, 2, 3])
def test_right_angles_in_floating_point_numbers_are_exact(quarters: int) -> None:
    """A cosine of 6e-17 is a direction in which a weight would act: the motion of a slide that is horizontal to the last
    digit would have no equilibrium, because its one balance reads m g 6e-17 = 0."""
    m = sb.Model("slide")
    m.gravity(0, -9.81, 0)
    level = m.ground.rotate("z", quarters * pi).rotate("y", quarters * pi / 2)
    first, second = m.body("first", mass=2.0), m.body("second", mass=3.0)
    m.prismatic("r", level, first, "x")
    m.prismatic("s", m.ground, second, (sin(quarters * pi / 4) ** 2, cos(pi / 2), cos(quarters * pi / 4) ** 2))
    eq = sb.derive(m)
    assert [str(e) for e in eq.f.entries] == ["0", "0"]
    assert sb.steady(eq).outcome


@pytest.mark.parametrize("off", [2e-15, 1e-9])
def test_angles_beside_right_angles_stay(off: float) -> None:
    m = sb.Model("slide")
    along = m.ground.rotate("z", pi / 2 + off).x.components(m.ground).entries[0]
    assert float(along) == pytest.approx(-off, rel=0.2)


@pytest.mark.parametrize("axis", "xyz")
def test_turns_there_and_back(axis: str) -> None:
    """As the matrix of the rotation, also of vectors with zeros; inwards is the inverse. Pickles are the same before and
    after."""
    a, x, y, z = sb.symbols("a x y z")
    rotation = Rotation((Turn("xyz".index(axis), a),))
    packed = pickle.dumps(rotation)
    at = {a: 0.7, x: 0.3, y: -1.1, z: 2.3}
    R = np.array(sb.evaluate(rotation.matrix, at))
    for v in (sb.vector(*e) for e in itertools.product((0, x), (0, -y), (0, z))):
        numbers = np.array(sb.evaluate(v, at))
        assert sb.evaluate(rotation.outwards(v), at) == pytest.approx(R @ numbers, abs=1e-15)
        assert sb.evaluate(rotation.inwards(v), at) == pytest.approx(R.T @ numbers, abs=1e-15)
        assert rotation.inwards(v) == rotation.inverse.outwards(v)
    assert pickle.dumps(rotation) == packed

"""Second derivatives of compiled equations: differences of the first ones, symmetry, products; trees, constraints, inputs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import symbody as sb

from ..integrate.mechanisms import double_pendulum, slider_crank

STEP = 1e-6


def arm():
    m = sb.Model("arm")
    p = m.parameters(l=0.6, mass=1.3)
    turn = m.body("turn", mass=0.7, inertia=(0.01, 0.02, 0.03))
    upper = m.body("upper", mass=p.mass, com=(p.l / 2, 0, 0.1), inertia=(0.02, 0.05, 0.04))
    fore = m.body("fore", mass=0.9, com=(0.2, 0.1, 0), inertia=(0.01, 0.03, 0.02))
    m.gravity(0, 0, -9.81)
    m.revolute("a", m.ground, turn, axis="z", actuation=m.input("T"))
    m.revolute("b", turn, upper, axis="y", damping=0.3)
    m.revolute("c", upper, fore, axis="x", at=(p.l, 0, 0))
    return sb.derive(m)


SYSTEMS: dict[str, Callable[[], sb.Equations]] = {
    "arm": arm,
    "double pendulum": double_pendulum,
    "slider crank": slider_crank,
}


@pytest.mark.parametrize("name", SYSTEMS)
def test_they_are_derivatives_of_the_first_ones(name):
    eq = SYSTEMS[name]()
    f, rng = sb.compile(eq), np.random.default_rng(2)
    n, m = len(eq.q), len(eq.u)
    if eq.lam:
        start = sb.assemble(eq, start={"alpha": 0.2, "alpha_dot": 1.0})
        q, u = start.q, start.u
    else:
        q, u = rng.uniform(-1, 1, n), rng.uniform(-1, 1, m)
    rest = ([rng.uniform(-1, 1, len(eq.r))] if eq.r else []) + [f.p]
    found = f.second_derivatives(["q", "u"])(0.0, q, u, *rest)
    assert found.shape == (m, n + m, n + m)
    np.testing.assert_array_equal(found, np.swapaxes(found, 1, 2))

    def first(x):
        return np.hstack(f.jacobian(0.0, x[:n], x[n:], *rest))

    x = np.concatenate([q, u])
    for k, d in enumerate(STEP * np.eye(n + m)):
        by_differences = (first(x + d) - first(x - d)) / (2 * STEP)
        np.testing.assert_allclose(found[:, :, k], by_differences, atol=2e-7 * (1 + np.abs(found).max()))
    w, v = rng.normal(size=m), rng.normal(size=n + m)
    product = f.hessian_product(["q", "u"])(0.0, q, u, w, v, *rest)
    np.testing.assert_allclose(
        product, np.einsum("i,ijk,k->j", w, found, v), rtol=1e-9, atol=1e-10 * np.abs(found).max()
    )


def test_those_of_inverse_dynamics():
    eq = arm()
    f, rng = sb.compile(eq), np.random.default_rng(5)
    q, u, a = rng.uniform(-1, 1, (3, 3))
    found = f.inverse_second_derivatives(["q", "u", "a"])(0.0, q, u, a, [0.2], f.p)
    first = f.inverse_derivatives(["q", "u", "a"])
    x = np.concatenate([q, u, a])
    for k, d in enumerate(STEP * np.eye(9)):
        sides = [np.hstack(first(0.0, *np.split(y, 3), [0.2], f.p)) for y in (x + d, x - d)]
        np.testing.assert_allclose(found[:, :, k], (sides[0] - sides[1]) / (2 * STEP), atol=1e-7)
    np.testing.assert_array_equal(found[:, 6:, 6:], 0)  # linear in accelerations
    many = f.inverse_second_derivatives(["q", "u", "a"]).batch(0.0, np.tile(q, (5, 1)), u, a, [0.2], f.p)
    np.testing.assert_allclose(many[3], found, rtol=1e-12)


def test_parameters_and_inputs_are_symbols_too():
    eq = double_pendulum()
    f = sb.compile(eq)
    names = [s.name for s in eq.p][:1] + [s.name for s in eq.r][:1]
    found = f.second_derivatives(["q", *names])(0.0, [0.3, 0.5], [0.1, -0.2], [0.4], f.p)
    assert found.shape == (2, 4, 4)
    step = 1e-6
    more = {names[0]: f.p[0] + step}, {names[0]: f.p[0] - step}
    sides = [f.derivatives(["q"])(0.0, [0.3, 0.5], [0.1, -0.2], [0.4], f.parameters(p)) for p in more]
    np.testing.assert_allclose(found[:, :2, 2], (sides[0] - sides[1]) / (2 * step), atol=1e-6)
    with pytest.raises(sb.errors.SymbodyError, match="symbol 'strange'"):
        f.second_derivatives(["strange"])


def test_products_of_a_model_with_their_names():
    """Vectors of products are named after what they multiply, not after parameters that a model has."""
    m = sb.Model("pendulum")
    damping = sb.sin(m.parameter("along_1", 0.3)) * m.parameter("weight_1", 2.0)
    m.revolute("theta", m.ground, m.body("bob", mass=1.0, com=(0, -1, 0)), damping=damping)
    m.gravity(0, -10.0, 0)
    f, p = sb.compile(sb.derive(m)), [np.pi / 2, 2.0]
    assert f.jacobian_product()(0.0, [0.0], [0.0], [1.0, 0.5], p) == pytest.approx([-11.0])
    assert f.adjoint_product()(0.0, [0.0], [0.0], [2.0], p) == pytest.approx([-20.0, -4.0])
    assert f.hessian_product()(0.0, [np.pi / 2], [0.0], [1.0], [1.0, 0.0], p) == pytest.approx([10.0, 0.0])

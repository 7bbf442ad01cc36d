"""Velocity transformations to a diagonal mass matrix, Coriolis matrix, sparsity."""

from collections.abc import Callable

import numpy as np
import pytest

import symbody as sb
from symbody import Model, ModelError, derive
from symbody.derivation.forms.minimal import minimal
from symbody.derivation.forms.transform import (
    coriolis_matrix,
    diagonalized,
    gram_schmidt,
    ldl,
    mass_matrix_sparsity,
    tangent_vectors,
)
from symbody.errors import DerivationError

from ..published.numbers import published
from .mechanisms import BODY, chain, double_pendulum, four_bar, quasi, rolling_disc, turntable
from .states import close, moving_state, numbers

MODELS = (double_pendulum, chain, turntable, quasi, four_bar, rolling_disc)


def legs() -> Model:
    m = Model("legs")
    m1, m2, m3, I2, I3, L, k, g = m.parameters("m1 m2 m3 I23 I33 L k g", 2.0, 1.0, 1.5, 1 / 3, 0.5, 1.0, 1.0, 9.81)
    m.gravity(0, -g, 0)
    hip = m.particle("hip", mass=m1)
    m.prismatic("q1", m.ground, hip, axis="x", stiffness=k)
    for name, mass, inertia in (("q2", m2, I2), ("q3", m3, I3)):
        leg = m.body(f"leg {name}", mass=mass, com=(0, -L, 0), inertia=(0, 0, inertia))
        m.revolute(name, hip, leg)
    return m


def test_swinging_legs() -> None:
    """D and W of Lennartsson 3.3, by factors of M, by Gram and Schmidt, and as the mass matrix of the transformed
    equations."""
    eq = derive(legs())
    (value,) = (v for k, v in published("legs_mass").items() if k.startswith("numeric"))
    s = {**eq.mechanism.values, eq.q[1]: 0.3, eq.q[2]: -0.5}
    W = np.array([[1, value["W12"], value["W13"]], [0, 1, value["W23"]], [0, 0, 1]])
    L, D = ldl(eq.M)
    process = gram_schmidt(eq, unit=False)
    for found, factor in ((D, L.T), (process.squares, process.W)):
        assert np.allclose(numbers(list(found), s), value["D"], atol=5e-9)
        assert np.allclose(numbers(factor, s), W, atol=5e-9)
    assert np.allclose(np.diag(numbers(diagonalized(eq).M, s)), value["D"], atol=5e-9)


@pytest.mark.parametrize("unit", [False, True])
@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.__name__)
def test_same_motion_in_the_new_speeds(model: Callable[[], Model], unit: bool) -> None:
    """u' from w', with a mass matrix that is diagonal."""
    eq = derive(model())
    new = diagonalized(eq, unit)
    s = moving_state(new)
    assert all(new.M[i, j].value == 0 for i in range(len(eq.u)) for j in range(len(eq.u)) if i != j)
    if unit:
        assert new.M == sb.identity(len(eq.u))
    s |= {u: float(numbers(new.dependent[u], s)) for u in eq.u}
    expected = numbers(eq.udot, s)
    assert close(numbers([new.dependent[u.dot] for u in eq.u], s), expected, 1e-8)
    if eq.lam:
        assert (
            np.max(np.abs(numbers(eq.Jc, s).reshape(len(eq.lam), -1) @ [s[u] for u in eq.u] + numbers(eq.b, s))) < 1e-9
        )
        assert close(numbers(new.multipliers, s), numbers(eq.multipliers, s), 1e-7)


@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.__name__)
def test_tangent_vectors_make_the_mass_matrix(model: Callable[[], Model]) -> None:
    eq = derive(model())
    s = moving_state(eq)
    beta = tangent_vectors(eq)
    assert close(numbers([[a.dot(b) for b in beta] for a in beta], s), numbers(eq.M, s))


@pytest.mark.parametrize("model", [double_pendulum, quasi, turntable], ids=lambda m: m.__name__)
def test_gram_schmidt_is_orthonormal(model: Callable[[], Model]) -> None:
    """γ_i · γ_j = δ_ij, and Wᵀ W = M."""
    eq = derive(model())
    s = moving_state(eq)
    made = gram_schmidt(eq)
    n = len(eq.u)
    assert np.allclose(numbers([[a.dot(b) for b in made.vectors] for a in made.vectors], s), np.eye(n), atol=1e-10)
    W = numbers(made.W, s)
    assert np.allclose(W, np.triu(W))
    assert close(W.T @ W, numbers(eq.M, s))


# ------------------------------------------------------------------------------------------------ Coriolis


@pytest.mark.parametrize("change", [lambda eq: eq, minimal, diagonalized], ids=["own", "minimal", "diagonalized"])
@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.__name__)
def test_rate_of_mass_less_twice_coriolis_is_skew(
    model: Callable[[], Model], change: Callable[[sb.Equations], sb.Equations]
) -> None:
    eq = change(derive(model()))
    s = moving_state(eq)
    n = len(eq.u)
    rates = dict(zip(eq.q, eq.rates.entries, strict=True))
    change_of_M = numbers(sb.time_derivative(eq.M, rates), s).reshape(n, n)
    C = numbers(coriolis_matrix(eq), s).reshape(n, n)
    X = change_of_M - 2 * C
    assert np.max(np.abs(X + X.T)) <= 1e-9 * max(np.max(np.abs(C)), np.max(np.abs(change_of_M)), 1e-9)


@pytest.mark.parametrize("model", [double_pendulum, chain, quasi], ids=lambda m: m.__name__)
def test_coriolis_forces_are_the_quadratic_part_of_f(model: Callable[[], Model]) -> None:
    """C u = -(f(u) - 2 f(0) + f(-u)) / 2 without drag; with free terms in the rates as many are linear as in f."""
    eq = derive(model())
    s = moving_state(eq)
    zero, back = s | dict.fromkeys(eq.u, 0.0), s | {u: -s[u] for u in eq.u}
    quadratic = (numbers(eq.f, s) - 2 * numbers(eq.f, zero) + numbers(eq.f, back)) / 2
    forces = sb.matrix([[e] for e in coriolis_matrix(eq) @ sb.matrix([[u] for u in eq.u])])
    of_C = (numbers(forces, s) - 2 * numbers(forces, zero) + numbers(forces, back)) / 2
    assert close(of_C, -quadratic)


@pytest.mark.parametrize("model", [double_pendulum, chain, four_bar], ids=lambda m: m.__name__)
def test_coriolis_matrix_is_that_of_christoffel(model: Callable[[], Model]) -> None:
    """C_ij = ½ Σ_k (∂M_ij/∂q_k + ∂M_ik/∂q_j - ∂M_jk/∂q_i) u_k where u = q'."""
    eq = derive(model())
    s = moving_state(eq)
    n = len(eq.u)
    dM = numbers(sb.jacobian(eq.M, eq.q), s).reshape(n, n, n)
    u = np.array([s[x] for x in eq.u])
    expected = 0.5 * (np.einsum("ijk,k", dM, u) + np.einsum("ikj,k", dM, u) - np.einsum("jki,k", dM, u))
    assert close(numbers(coriolis_matrix(eq), s), expected)


# ------------------------------------------------------------------------------------------------ sparsity and refusals


def test_sparsity_of_branches() -> None:
    """Bodies on different branches do not meet in the mass matrix."""
    pattern = mass_matrix_sparsity(derive(legs()))
    assert str(pattern) == "x x x\nx x .\nx . x"
    assert pattern.density == pytest.approx(7 / 9)


def test_names_of_new_speeds() -> None:
    eq = derive(double_pendulum())
    assert [w.name for w in diagonalized(eq, names=["a", "b"]).u] == ["a", "b"]
    with pytest.raises(ModelError, match=r"2 speeds need as many names, got 1"):
        diagonalized(eq, names=["a"])
    with pytest.raises(ModelError, match=r"'tau' is taken"):
        diagonalized(eq, names=["tau", "b"])


def test_singular_mass_matrix_is_refused() -> None:
    m = Model("copy")
    a, copy = m.coordinates("a copy")
    m.body("body", m.ground.rotate("z", a), mass=1, **BODY)
    m.constrain("constraint1", a - copy)
    with pytest.raises(DerivationError, match=r"nothing with mass moves with copy_dot alone; .*minimal"):
        diagonalized(derive(m))

"""The chain of spherical pendulums of the benchmarks, against computations that share nothing with it.

It is itself the reference for much that follows, so it is held against others: dense Jacobians of world positions,
checked by complex step, SymPy's KanesMethod, and Kane's method on the graph.
"""

import cmath
import math
from typing import Any

import numpy as np
import pytest
import sympy

import symbody as sb
from bench import chain, chain_sympy

CENTRAL = np.diag([1 / 12, 1 / 12, 1 / 100])
STEP = 1e-30


def state(n: int, seed: int) -> tuple[Any, Any]:
    draw = np.random.default_rng(seed)
    return draw.uniform(-3, 3, 2 * n), draw.uniform(-3, 3, 2 * n)


# ---------------------------------------------------------------------------------------------------- dense reference


def rotation_x(a: Any) -> Any:
    return np.array([[1, 0, 0], [0, np.cos(a), -np.sin(a)], [0, np.sin(a), np.cos(a)]])


def rotation_y(a: Any) -> Any:
    return np.array([[np.cos(a), 0, np.sin(a)], [0, 1, 0], [-np.sin(a), 0, np.cos(a)]])


def placed(q: Any) -> tuple[list[Any], list[Any], list[Any]]:
    """World rotations, mass centres and joint axes, by matrix products."""
    R, p = np.eye(3), np.zeros(3)
    rotations, centres, axes = [], [], []
    for k in range(0, len(q), 2):
        axes.append(R @ [1, 0, 0])
        R = R @ rotation_x(q[k])
        axes.append(R @ [0, 1, 0])
        R = R @ rotation_y(q[k + 1])
        rotations.append(R)
        centres.append(p - R[:, 2] / 2)
        p = p - R[:, 2]
    return rotations, centres, axes


def derivatives(f: Any, q: Any) -> Any:
    """∂f/∂q along the last axis, by complex step."""
    return np.stack([np.imag(f(q + 1j * STEP * e)) / STEP for e in np.eye(len(q))], axis=-1)


def dense_mass_matrix(q: Any) -> Any:
    """M = Σ m JᵀJ + JwᵀI Jw; also at complex q."""
    rotations, _, axes = placed(q)
    M: Any = 0
    for k, R in enumerate(rotations):
        Jv = centre_jacobian(q, k)
        Jw = np.stack([axes[i] if i < 2 * k + 2 else np.zeros(3) for i in range(len(q))], axis=-1)
        M = M + Jv.T @ Jv + Jw.T @ R @ CENTRAL @ R.T @ Jw
    return M


def centre_jacobian(q: Any, k: int) -> Any:
    """Velocity of mass centre k for each angle: axis × (centre - joint)."""
    rotations, centres, axes = placed(q)
    ends = [np.zeros(3), *np.cumsum([-R[:, 2] for R in rotations], axis=0)]
    columns = [np.cross(axes[i], centres[k] - ends[i // 2]) if i < 2 * k + 2 else np.zeros(3) for i in range(len(q))]
    return np.stack(columns, axis=-1)


def dense_potential_energy(q: Any) -> Any:
    return sum(c[2] for c in placed(q)[1])


def dense_bias(q: Any, u: Any) -> Any:
    """Lagrange: b = M' u - ½ ∂(uᵀ M u)/∂q + ∂V/∂q."""
    dM = derivatives(dense_mass_matrix, q)
    quadratic = np.einsum("ijk,k,j->i", dM, u, u) - np.einsum("jki,j,k->i", dM, u, u) / 2
    return quadratic + derivatives(dense_potential_energy, q)


def test_reference_jacobian() -> None:
    """The cross products of the reference are the derivatives of its positions."""
    q, _ = state(3, 0)
    for k in range(3):
        assert centre_jacobian(q, k) == pytest.approx(derivatives(lambda q, k=k: placed(q)[1][k], q), abs=1e-13)


# ---------------------------------------------------------------------------------------------------- comparisons


@pytest.mark.parametrize(("n", "seed"), [(1, 0), (2, 1), (3, 2), (5, 3), (8, 4)])
def test_against_dense_jacobians(n: int, seed: int) -> None:
    q, u = state(n, seed)
    M = np.array(chain.mass_matrix(q, math.sin, math.cos), float)
    b = np.array(chain.bias(q, u, math.sin, math.cos), float)
    T = chain.kinetic_energy(q, u, math.sin, math.cos)
    V = chain.potential_energy(q, math.sin, math.cos)
    scale = np.abs(M).max()
    assert M == pytest.approx(dense_mass_matrix(q), abs=1e-13 * scale)
    assert b == pytest.approx(dense_bias(q, u), abs=1e-12 * scale * (u @ u))
    assert T == pytest.approx(u @ dense_mass_matrix(q) @ u / 2, rel=1e-13)
    assert V == pytest.approx(dense_potential_energy(q), abs=1e-13 * n)


@pytest.mark.parametrize("bar", [chain.Bar(2.5, 0.7, 0.3, 0.2), chain.Bar(2, 3)])
def test_other_bars_keep_their_energy(bar: chain.Bar) -> None:
    """dT/dt + dV/dt = 0 along M u' = -b, for bars whose numbers are not one; T = ½ uᵀ M u."""
    q, u = state(4, 5)
    g = 9.81
    M = np.array(chain.mass_matrix(q, math.sin, math.cos, bar), float)
    b = np.array(chain.bias(q, u, math.sin, math.cos, bar, g), float)
    rate = np.linalg.solve(M, -b)

    def energy(q: Any, u: Any) -> Any:
        kinetic = chain.kinetic_energy(q, u, cmath.sin, cmath.cos, bar)
        return kinetic + chain.potential_energy(q, cmath.sin, cmath.cos, bar, g)

    assert chain.kinetic_energy(q, u, math.sin, math.cos, bar) == pytest.approx(u @ M @ u / 2, rel=1e-13)
    power = np.imag(energy(q + 1j * STEP * u, u + 1j * STEP * rate)) / STEP
    terms = np.abs(rate @ M) @ np.abs(u) + np.abs(b) @ np.abs(u)
    assert abs(power) < 1e-12 * terms


def test_against_sympy_kane() -> None:
    q, u, M, f = chain_sympy.kane(2)
    numbers = sympy.lambdify([q, u], [M, f], "numpy", cse=True)
    for seed in range(5):
        at, rate = state(2, seed)
        M_kane, f_kane = numbers(at, rate)
        assert np.array(chain.mass_matrix(at, math.sin, math.cos), float) == pytest.approx(M_kane, abs=1e-13)
        assert np.array(chain.bias(at, rate, math.sin, math.cos), float) == pytest.approx(-f_kane[:, 0], abs=1e-12)


def spherical_pendulums(n: int) -> sb.Model:
    """n bars, each hanging on the one before by a universal joint."""
    m = sb.Model(f"{n} spherical pendulums")
    p = m.parameters(m=1.0, l=1.0, g=9.81)
    m.gravity(0, 0, -p.g)
    parent: Any = m.ground
    at: tuple[Any, ...] = (0, 0, 0)
    for k in range(1, n + 1):
        link = m.body(f"bar{k}", mass=p.m, shape=sb.bar(p.l, axis="z", at=(0, 0, -p.l / 2)))
        m.universal(f"q{k}", parent, link, at=at)
        parent, at = link, (0, 0, -p.l)
    return m


@pytest.mark.parametrize("route", ["recursive", "kane", "lagrange", "newton-euler", "gibbs-appell"])
def test_against_bodies_and_joints(route: str) -> None:
    """The same chain, described in the language."""
    n = 3
    q, u = state(n, 7)
    bar, g = chain.Bar(1.3, 0.8, 1.3 * 0.8**2 / 12, 0.0), 9.81
    equations = sb.derive(spherical_pendulums(n), route)
    at = dict(zip([*equations.q, *equations.u, *equations.p], [*q, *u, 1.3, 0.8, g], strict=True))
    M, f, energy = sb.evaluate([equations.M, equations.f, sb.energy(equations)], at)
    kinetic = chain.kinetic_energy(q, u, math.sin, math.cos, bar)
    potential = chain.potential_energy(q, math.sin, math.cos, bar, g)
    assert np.array(M) == pytest.approx(np.array(chain.mass_matrix(q, math.sin, math.cos, bar), float), abs=1e-12)
    assert -np.array(f) == pytest.approx(np.array(chain.bias(q, u, math.sin, math.cos, bar, g), float), abs=1e-11)
    assert energy == pytest.approx(kinetic + potential, rel=1e-12)

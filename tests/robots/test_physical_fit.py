"""Parameters that bodies can have: least of the objective, inside the cone, better on motions that were not measured."""

from __future__ import annotations

import numpy as np
import pytest

import symbody as sb
from symbody.kits.robots import BaseParameters, Regressor, base_parameters, identify_robot, regressor
from symbody.kits.robots.inertia_fit import stacked
from symbody.kits.robots.physical_fit import body_cone, physical_fit, positive, pseudo_inertia, refuse_what_no_body_has


@pytest.fixture(scope="module")
def arm() -> tuple[Regressor, BaseParameters]:
    """Two links in space, with friction on their joints."""
    m = sb.Model("arm")
    m.gravity(0, 0, -9.81)
    upper = m.body("upper", mass=3.0, com=(0.2, 0, 0.01), inertia=(0.02, 0.05, 0.04))
    fore = m.body("fore", mass=2.0, com=(0.15, 0.01, 0), inertia=(0.01, 0.03, 0.03))
    m.revolute("q1", m.ground, upper, axis="z")
    m.revolute("q2", upper, fore, axis="y", at=(0.5, 0, 0))
    Y = regressor(sb.derive(m), friction=("viscous", "coulomb", "offset"))
    return Y, base_parameters(Y)


def known(Y: Regressor) -> np.ndarray:
    return np.array([float(sb.evaluate(e, {})) for e in Y.known])


def motion(n: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    q, u, a = np.random.default_rng(seed).normal(size=(3, n, 2)) * np.array([1.0, 1.0, 4.0])[:, None, None]
    return q, u, a


def test_few_noisy_samples_give_bodies_that_exist(arm: tuple[Regressor, BaseParameters]) -> None:
    """Ten samples with much noise: base parameters alone are of no body, consistent ones predict another motion better."""
    Y, base = arm
    pi = known(Y)
    pi[20:] = [0.5, 0.4, 0.3, 0.2, 0.0, 0.1]  # viscous, Coulomb, offset
    q, u, a = motion(10, 0)
    tau = stacked(Y, q, u, a) @ pi + np.random.default_rng(1).normal(size=(10, 2))
    free = identify_robot(base, q, u, a, tau, noise=[1.0, 1.0])
    prior = dict(zip(Y.parameters[:20], 1.3 * known(Y)[:20], strict=True))
    found = identify_robot(base, q, u, a, tau, noise=[1.0, 1.0], prior=prior)
    assert found.settled
    assert found.parameters is not None
    values = [found.parameters[n] for n in Y.parameters]
    for k in (0, 10):
        refuse_what_no_body_has(values[k : k + 10])
    assert min(found.parameters[n] for n in Y.parameters[20:] if not n.endswith("offset")) > 0
    other = motion(200, 2)
    true = stacked(Y, *other) @ pi
    assert (found.validated(*other, true).rms < free.validated(*other, true).rms).all()
    assert found.validated(*other, true).predicted == pytest.approx(stacked(Y, *other) @ values)


def test_exact_forces_are_fitted_whatever_the_prior(arm: tuple[Regressor, BaseParameters]) -> None:
    """With forces to twelve digits the base parameters are the true ones; with the true prior all parameters are."""
    Y, base = arm
    pi = known(Y)
    pi[20:] = 0.3
    q, u, a = motion(60, 3)
    for factor, rows in ((1.3, base.grouping), (1.0, np.eye(len(pi)))):
        prior = dict(zip(Y.parameters, factor * pi, strict=True))
        found = identify_robot(base, q, u, a, stacked(Y, q, u, a) @ pi, noise=[1e-6, 1e-6], prior=prior)
        assert found.parameters is not None
        values = np.array([found.parameters[n] for n in Y.parameters])
        assert rows @ values == pytest.approx(rows @ pi, abs=1e-6)


def test_least_of_the_objective() -> None:
    """The gradient of ½ |R x - r|² + γ Σ tr(J₀⁻¹ J) - log det J vanishes, by differences, where Newton's method ends."""
    rng = np.random.default_rng(4)
    prior = [2.0, 0.1, 0.0, 0.2, 0.3, 0.0, 0.4, 0.01, 0.0, 0.5]
    R, r = rng.normal(size=(6, 12)), rng.normal(size=6)
    cones = [body_cone(0, prior), positive(10, 0.5)]
    fit = physical_fit(R, r, cones, np.array([*prior, 0.5, 0.0]), 0.1)
    assert fit.settled
    assert fit.steps < 60

    def objective(x: np.ndarray) -> float:
        J, K = pseudo_inertia(x[:10]), pseudo_inertia(prior)
        barrier = np.trace(np.linalg.solve(K, J)) - np.linalg.slogdet(J)[1] + x[10] / 0.5 - np.log(x[10])
        return float(0.5 * ((R @ x - r) ** 2).sum() + 0.1 * barrier)

    h = 1e-6
    slopes = [(objective(fit.x + h * e) - objective(fit.x - h * e)) / (2 * h) for e in np.eye(12)]
    assert np.abs(slopes).max() < 1e-3
    assert np.linalg.eigvalsh(pseudo_inertia(fit.x[:10])).min() > 0


def test_what_a_motion_does_not_determine_is_said(arm: tuple[Regressor, BaseParameters]) -> None:
    """The second joint at rest: its viscous friction cannot be seen, and has no deviation."""
    Y, base = arm
    q, u, a = motion(50, 5)
    u[:, 1] = a[:, 1] = 0.0
    found = identify_robot(base, q, u, a, stacked(Y, q, u, a) @ known(Y), noise=[1.0, 1.0])
    assert np.isinf(found.deviations["q2_viscous"])
    assert np.isfinite(found.deviations["q1_viscous"])
    assert "q2_viscous = 0 (this motion does not determine it)" in str(found)


def test_a_prior_of_no_body_is_refused(arm: tuple[Regressor, BaseParameters]) -> None:
    Y, base = arm
    q, u, a = motion(10, 0)
    tau = np.zeros((10, 2))
    prior = dict(zip(Y.parameters, known(Y), strict=True))
    with pytest.raises(sb.ModelError, match=r"no body has the mass 0 .*'fore'"):
        identify_robot(base, q, u, a, tau, prior=prior | {"fore_m": 0.0})
    with pytest.raises(sb.ModelError, match="trust= is the weight"):
        identify_robot(base, q, u, a, tau, prior=prior, trust=0.0)

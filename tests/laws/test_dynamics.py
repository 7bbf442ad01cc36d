"""Laws of mechanics, on random mechanisms: what must hold whatever the route.

Rates along the motion are taken by the complex step, so that no derivative of the package is used to check another.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.derivation.entry.derive import ROUTES
from symbody.derivation.equations.energies import angular_momentum, centre_of_mass, energy, momentum
from symbody.derivation.equations.random_states import random_state
from symbody.derivation.forms.transform import coriolis_matrix
from tests.amount import FULL
from tests.mechanisms import conservative_tree, floating_tree, random_tree

SEEDS = range(100 if FULL else 8)
STEP = 1e-30


def route(seed: int) -> str:
    return list(ROUTES)[seed % len(ROUTES)]


def motion(eq: sb.Equations, state: dict[Any, float]) -> dict[Any, float]:
    """The rate of every coordinate, speed and of time along the motion."""
    rates, udot = sb.evaluate([eq.rates, eq.udot], state)
    return {**dict(zip(eq.q, rates, strict=True)), **dict(zip(eq.u, udot, strict=True)), eq.t: 1.0}


def rate(things: Any, state: dict[Any, float], along: dict[Any, float]) -> Any:
    """d things/dt, by the complex step."""
    moved = {s: complex(state[s], STEP * v) for s, v in along.items()}
    return np.imag(np.array(sb.evaluate(things, {**state, **moved}), complex)) / STEP


@pytest.mark.parametrize("seed", SEEDS)
def test_mass_matrix_is_symmetric_and_positive_definite(seed: int) -> None:
    eq = sb.derive(random_tree(seed).mechanism, route(seed), check=False)
    n = len(eq.u)
    M = np.array(sb.evaluate(eq.M, random_state(eq, seed))).reshape(n, n)
    size = np.sqrt(np.diag(M))
    scaled = M / np.outer(size, size)
    assert scaled == pytest.approx(scaled.T, abs=1e-13)
    assert np.linalg.eigvalsh(scaled).min() > 1e-9


@pytest.mark.parametrize("seed", SEEDS)
def test_energy_of_a_conservative_tree_is_kept(seed: int) -> None:
    """E' = 0, to rounding of the rates of its terms."""
    eq = sb.derive(conservative_tree(seed).mechanism, route(seed), check=False)
    state = random_state(eq, seed)
    along = motion(eq, state)
    E = energy(eq)
    parts = [abs(rate(E, state, {s: v})) for s, v in along.items()]
    assert abs(rate(E, state, along)) < 1e-12 * sum(parts)


@pytest.mark.parametrize("seed", SEEDS)
def test_momenta_of_a_floating_tree_are_kept(seed: int) -> None:
    """p' = 0, L' = 0 about a fixed point and about the mass centre; the mass centre moves with p."""
    eq = sb.derive(floating_tree(seed).mechanism, route(seed), check=False)
    state = random_state(eq, seed)
    along = motion(eq, state)
    centre = centre_of_mass(eq).position().components(eq.mechanism.ground)
    vectors = (momentum(eq), angular_momentum(eq), angular_momentum(eq, centre_of_mass(eq)))
    for kept in (v.in_ground for v in vectors):
        size = sum(np.abs(rate(kept, state, {s: v})).max() for s, v in along.items())
        assert np.abs(rate(kept, state, along)).max() < 1e-12 * size
    mass = sum(float(sb.evaluate(b.mass.m, state)) for b in eq.mechanism.bodies)
    assert mass * rate(centre, state, along) == pytest.approx(
        np.array(sb.evaluate(momentum(eq).in_ground, state)), rel=1e-11, abs=1e-11
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_rate_of_mass_matrix_less_coriolis_is_skew(seed: int) -> None:
    """M' - 2 C is skew, and C u is what f has beside the loads."""
    eq = sb.derive(floating_tree(seed).mechanism, route(seed), check=False)
    state, n = random_state(eq, seed), len(eq.u)
    rates = dict(zip(eq.q, sb.evaluate(eq.rates, state), strict=True))
    C = np.array(sb.evaluate(coriolis_matrix(eq), state)).reshape(n, n)
    skew = rate(eq.M, state, rates).reshape(n, n) - 2 * C
    assert np.abs(skew + skew.T).max() < 1e-12 * (np.abs(C).max() + np.abs(skew).max())


@pytest.mark.parametrize("seed", [1, 9])
def test_twice_the_speed_takes_four_times_the_inertia_forces(seed: int) -> None:
    """f of a tree without loads is quadratic in the speeds: f(s u) = s² f(u)."""
    sample = floating_tree(seed)
    free = replace(sample.mechanism, loads=())
    eq = sb.derive(free, route(seed), check=False)
    state = random_state(eq, seed)
    fast = state | {u: 2 * state[u] for u in eq.u}
    once, twice = (np.array(sb.evaluate(eq.f, s)) for s in (state, fast))
    assert twice == pytest.approx(4 * once, rel=1e-10, abs=1e-12 * np.abs(once).max())

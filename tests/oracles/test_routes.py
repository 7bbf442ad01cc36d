"""Five routes to the same equations, on random mechanisms; trees of standard joints also against Pinocchio.

By default a part of the random mechanisms is run; SYMBODY_FULL=1 runs all 300 trees and 100 loops.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.derivation.entry.derive import ROUTES
from symbody.derivation.equations.random_states import random_state
from symbody.derivation.questions.certify import certify
from tests import mechanisms
from tests.amount import FULL
from tests.hard_cases import HARD
from tests.mechanisms import Sample, random_loop, random_tree, standard_tree
from tests.oracles.pinocchio_model import Rebuilt

TREES = range(300) if FULL else [33, 53, 73, 93, 133, 153, 173, 193, 219, 233, 253, 273, 293]  # 219 has twelve bodies
LOOPS = range(100) if FULL else [0, 1, 2, 3, 8, 9, 10, 17, 18, 41]  # every way to close a loop
TOLERANCE = 1e-9


def compare_routes(sample: Sample, seed: int) -> None:
    """M and f by every route, entry by entry; then the certificate, which looks at power, reactions and derivatives
    too."""
    equations = {route: sb.derive(sample.mechanism, route, check=False) for route in ROUTES}
    eq = equations["recursive"]
    state = random_state(eq, seed, sample.start)
    values = {r: [np.array(list(flat(v)), float) for v in sb.evaluate([e.M, e.f], state)] for r, e in equations.items()}
    n = len(eq.u)
    M, f = values["recursive"][0].reshape(n, n), values["recursive"][1]
    size = np.sqrt(np.maximum(np.diag(M), 1e-12 * np.diag(M).max()))
    speeds = np.array([state[u] for u in eq.u])
    level = np.abs(f / size).max() + size.max() * np.abs(speeds).max() ** 2
    for route, (A, g) in values.items():
        assert np.abs((A.reshape(n, n) - M) / np.outer(size, size)).max() < TOLERANCE, f"M by {route}"
        assert np.abs((g - f) / size).max() < TOLERANCE * level, f"f by {route}"


def flat(value: Any) -> Any:
    for v in value:
        yield from flat(v) if isinstance(v, list) else [v]


def hold(sample: Sample, route: str, seed: int) -> None:
    certificate = certify(sb.derive(sample.mechanism, route, check=False), [seed], values=sample.start, routes=["kane"])
    assert certificate.passed, str(certificate)


ALL = tuple(ROUTES)


@pytest.mark.parametrize("seed", TREES)
def test_routes_agree_on_trees(seed: int) -> None:
    sample = random_tree(seed)
    compare_routes(sample, seed)
    hold(sample, ALL[seed // 5 % len(ALL)], seed)


@pytest.mark.parametrize("seed", LOOPS)
def test_routes_agree_on_loops(seed: int) -> None:
    sample = random_loop(seed)
    compare_routes(sample, seed)
    hold(sample, ALL[seed % len(ALL)], seed)


@pytest.mark.parametrize("name", HARD)
@pytest.mark.parametrize("route", ["recursive", "lagrange"])
def test_hard_cases_are_certified(name: str, route: str) -> None:
    sample = HARD[name]()
    certificate = certify(sb.derive(sample.mechanism, route), values=sample.start)
    assert certificate.passed, str(certificate)


def test_driven_angle_of_a_joint_is_certified() -> None:
    """The reaction works on the angle that is driven, and not on the free one: the given part of the motion is left out."""
    m = sb.Model("swing on a shaft")
    a, speed = m.coordinate("a"), m.parameter("speed", 2.0)
    m.gravity(0, -9.81, 0.5)
    swing = m.body("swing", mass=2.0, com=(0.2, -1, 0.3), inertia=(0.3, 0.2, 0.1))
    m.universal("hinge", m.ground, swing, coordinates=(a, speed * m.time))
    m.revolute("b", swing, m.body("bob", mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.2, 0.3)), axis="x", at=(0, -1, 0))
    certificate = certify(sb.derive(m))
    assert "reactions do no virtual power" in [c.what for c in certificate.checks]
    assert certificate.passed, str(certificate)


@pytest.mark.parametrize("seed", [0, 5, 7])
def test_reduced_equations_are_certified(seed: int) -> None:
    """Elimination of dependent speeds leaves the motion as it was."""
    sample = random_loop(seed)
    reduced = sb.minimal(sb.derive(sample.mechanism, check=False), at=sample.start)
    certificate = certify(reduced, 1, values=sample.start, routes=["lagrange"])
    assert certificate.passed, str(certificate)
    assert certificate.checks[0].what == "accelerations of the whole equations"


@pytest.mark.parametrize("seed", [0, 3, 9])
def test_inverse_dynamics_undoes_forward_dynamics(seed: int) -> None:
    """M u' - f - Jcᵀ lam vanishes at the solution, in compiled code."""
    for sample in (random_tree(seed, n_bodies=4), random_loop(seed)):
        eq = sb.derive(sample.mechanism, "recursive")
        state = random_state(eq, seed, sample.start)
        groups = {"x": [s for s in state if s not in eq.lam]}
        forward = sb.compile(sb.program("forward", groups, {"udot": eq.udot, "lam": eq.multipliers}), cache=False)
        udot, lam = forward([state[s] for s in groups["x"]])
        unknowns = [*(u.dot for u in eq.u), *eq.lam]
        rest = sb.evaluate(eq.residual(), state | dict(zip(unknowns, [*udot, *lam], strict=True)))
        terms = np.abs(np.array(sb.evaluate(eq.f, state))).max() + np.abs(udot).max()
        assert np.abs(rest).max() < 1e-10 * terms


@pytest.mark.parametrize("seed", range(12 if not FULL else 60))
def test_trees_agree_with_pinocchio(seed: int) -> None:
    """M and inverse dynamics of trees of standard joints."""
    pin = pytest.importorskip("pinocchio")
    sample = standard_tree(seed)
    eq = sb.derive(sample.mechanism, ALL[seed % len(ALL)])
    rng = np.random.default_rng(seed)
    state = random_state(eq, seed)
    state |= {u.dot: rng.uniform(-2, 2) for u in eq.u}
    M, tau = sb.evaluate([eq.M, eq.residual()], state)
    by_name = {s.name: v for s, v in state.items()}
    other = Rebuilt(pin, sample)
    expected = other.mass_matrix(by_name)
    assert np.array(M).reshape(expected.shape) == pytest.approx(expected, abs=1e-11 * np.abs(expected).max())
    forces = other.inverse_dynamics(by_name)
    assert np.array(tau) == pytest.approx(forces, abs=1e-10 * np.abs(forces).max())


# ---------------------------------------------------------------------------------------------------- the catalogue


def test_catalogue_has_everything() -> None:
    """The random mechanisms that are run contain every kind of joint, load and closing."""
    joints, loads, closings, kinds = set(), set(), set(), set()
    samples = [random_tree(s) for s in TREES] + [random_loop(s) for s in LOOPS]
    for sample in samples:
        m = sample.mechanism
        joints |= {j.kind for j in m.joints if not j.closes_loop}
        closings |= {j.kind for j in m.joints if j.closes_loop}
        loads |= {x.kind for x in m.loads}
        kinds |= {"inputs"} if m.r else set()
        kinds |= {"variables"} if m.z else set()
        kinds |= {"Euler parameters"} if m.norms else set()
        kinds |= {"quasi-velocities"} if any(u.name.startswith("w_") for u in m.u) else set()
        kinds |= {"massless"} if any(b.mass.is_massless for b in m.bodies) else set()
        kinds |= {"particle"} if any(b.mass.is_particle and not b.mass.is_massless for b in m.bodies) else set()
        kinds |= {"nonholonomic"} if m.nonholonomic else set()
        kinds |= {"parameters"} if m.p else {"numbers"}
        kinds |= {"twelve bodies"} if len(m.bodies) >= 12 else set()
    assert joints == {
        "fixed",
        "revolute",
        "prismatic",
        "cylindrical",
        "universal",
        "spherical",
        "planar",
        "free",
        "screw",
    }
    assert closings >= {*(k for k in mechanisms.CLOSINGS if k != "coincide"), "rolling"}
    assert loads >= {
        "gravity",
        "force",
        "torque",
        "spring",
        "damper",
        "drag",
        "potential",
        "friction",
        "stop",
        "actuator",
    }
    assert kinds == {
        "inputs", "variables", "Euler parameters", "quasi-velocities", "massless", "particle", "nonholonomic", "parameters",
        "numbers", "twelve bodies",
    }  # fmt: skip


# ---------------------------------------------------------------------------------------------------- planted faults


def test_certificate_names_a_planted_fault() -> None:
    """A wrong entry of M, of f, and of the free terms of the constraints is found, and said where."""
    sample = random_loop(0)
    eq = sb.derive(sample.mechanism, "kane")
    entries = list(eq.f.entries)
    entries[2] = entries[2] * 1.0001
    wrong = certify(replace(eq, f=sb.Matrix(len(entries), 1, tuple(entries))), 1, values=sample.start)
    assert {"M, f by recursive", "energy rate is power"} <= {c.what for c in wrong.failed}
    assert f"[{eq.u[2].name}]" in next(c for c in wrong.failed if c.what == "M, f by recursive").where
    assert "FAIL" in str(wrong)
    assert not wrong.passed

    M = list(eq.M.entries)
    M[1] = M[1] + 1e-6
    wrong = certify(replace(eq, M=sb.Matrix(eq.M.rows, eq.M.cols, tuple(M))), 1, values=sample.start)
    assert {"M, f by recursive", "M is symmetric"} <= {c.what for c in wrong.failed}

    c = list(eq.c.entries)
    c[0] = 2 * c[0]
    wrong = certify(replace(eq, c=sb.Matrix(len(c), 1, tuple(c))), 1, values=sample.start)
    assert "rate of Jc u + b by complex step" in {x.what for x in wrong.failed}


def test_certificate_says_that_constraints_are_redundant() -> None:
    """A row that says again what others say is named by the rank."""
    m = sb.Model("twice")
    x, y, z = m.coordinates("x y z")
    m.particle("p", m.ground.point(x, y, z), mass=1)
    m.constrain("constraint1", x**2 + y**2 + z**2 - 1)
    m.constrain("constraint2", (x + y) ** 2 - 2 * x * y + z**2 - 1)
    found = certify(sb.derive(m, check=False), 1)
    assert "rank 1 of 2, state 0" in {c.where for c in found.failed}

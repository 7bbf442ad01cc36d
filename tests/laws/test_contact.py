"""Laws of contact and friction, on random contact problems and random piles: what must hold whatever the solver and the
route.

    λN >= 0,  wN >= 0,  λN wN = 0          complementarity
    |λT| <= μ λN                           Coulomb's cone
    λT · wT = -μ λN |wT|                   maximal dissipation: friction against the slip, at its limit

Laws are checked by formulas of their own, not by the residual of a solver, and are shown faults that they must see.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest

import symbody as sb
from symbody.emit.run.callable import Array
from symbody.integrate import Ending
from symbody.integrate.complementarity.contact_arrays import contact_residual
from symbody.integrate.complementarity.contact_problem import Cone, ContactProblem
from symbody.integrate.complementarity.contact_solvers import (
    BLOCKS,
    ENUMERATION,
    NEWTON,
    PIVOTING,
    SOLVERS,
    SWEEPS,
    solve,
)
from symbody.integrate.complementarity.friction_feedback import friction_feedback
from symbody.integrate.complementarity.gauss_seidel import sweep
from symbody.integrate.complementarity.semismooth_newton import TOLERANCE
from symbody.integrate.contact.frictions import friction_rows
from symbody.integrate.contact.impacts import impulses_of
from symbody.integrate.steppers.stepper import Stepper
from tests.amount import FULL

SEEDS = range(200 if FULL else 16)
PILES = range(40 if FULL else 3)
EXACT = 1e-6  # laws hold to this fraction of their terms
g = 9.81


# ------------------------------------------------------------------------------------------------------- contact problems


def random_problem(seed: int, contacts: int, rows: int, *, is_gentle: bool = False) -> ContactProblem:
    """An impact of rigid bodies of masses from 1 to 1000, in a plane (one row of friction each) or in space (two).

    is_gentle: with little friction on short levers, and so many bodies that rows are independent.
    """
    rng = np.random.default_rng([seed, contacts, rows])
    bodies, friction, lever = (contacts, 0.1, 0.1) if is_gentle else (max(1, contacts // 2), 1.0, 1.0)
    mass = 10 ** rng.uniform(0, 3, bodies)
    columns = np.zeros((contacts, 1 + rows, bodies, 6))
    for k in range(contacts):
        one, other = int(rng.integers(bodies)), int(rng.integers(-1, bodies))
        axes = random_axes(rng, rows)
        for body, sign in ((one, 1.0), (other, -1.0)) if other not in (-1, one) else ((one, 1.0),):
            arm = lever * rng.normal(size=3)
            turning = np.cross(arm, axes) * ([0, 0, 1] if rows == 1 else [1, 1, 1]) / np.sqrt(0.4)
            columns[k, :, body] = sign * np.hstack([axes, turning]) / np.sqrt(mass[body])
    V = np.vstack([columns[:, 0].reshape(contacts, -1), columns[:, 1:].reshape(contacts * rows, -1)]).T
    b = V.T @ (rng.normal(size=len(V)) * np.repeat(np.sqrt(mass), 6))
    mu, places = friction * rng.uniform(), contacts + np.arange(contacts * rows).reshape(contacts, rows)
    cones = (Cone(tuple(map(int, places[k])), k, mu, mu, np.eye(len(b))[k]) for k in range(contacts))
    return ContactProblem(V, b, tuple(range(contacts)), tuple(cones))


def random_axes(rng: np.random.Generator, rows: int) -> Array:
    """A normal and the tangents across it, one below another."""
    if rows == 2:
        return np.asarray(np.linalg.qr(rng.normal(size=(3, 3)))[0])
    c, s = np.cos(turn := rng.uniform(0, 2 * np.pi)), np.sin(turn)
    return np.array([[c, s, 0.0], [-s, c, 0.0]])


def violations(problem: ContactProblem, x: Array) -> dict[str, float]:
    """By how much forces violate each law, as a fraction of its terms."""
    w = problem.A @ x + problem.b
    terms = np.abs(problem.A) @ np.abs(x) + np.abs(problem.b)
    n, largest = len(problem.normals), float(np.abs(x).max()) + 1e-300
    out = {
        "pulls": float(-x[:n].min()) / largest,
        "enters": float((-w[:n] / terms[:n]).max()),
        "complementarity": float(np.abs(x[:n] * w[:n] / terms[:n]).max()) / largest,
        "cone": 0.0,
        "dissipation": 0.0,
    }
    for k, c in enumerate(problem.cones):
        rows, limit = list(c.rows), c.kinetic * float(x[k])
        work = float(x[rows] @ w[rows]) + limit * float(np.linalg.norm(w[rows]))
        out["cone"] = max(out["cone"], (float(np.linalg.norm(x[rows])) - limit) / largest)
        out["dissipation"] = max(out["dissipation"], abs(work) / (largest * float(terms[rows].max())))
    return out


SIZES = [(2, 1), (3, 1), (8, 1), (2, 2), (6, 2)]


@pytest.mark.parametrize("solver", [ENUMERATION, PIVOTING, NEWTON, SWEEPS])
@pytest.mark.parametrize(("contacts", "rows"), SIZES)
def test_forces_that_a_solver_vouches_for_obey_the_laws(solver: str, contacts: int, rows: int) -> None:
    if solver == ENUMERATION and contacts * rows > 4:
        pytest.skip("too many assignments")
    converged, seeds = 0, SEEDS if rows == 1 else SEEDS[::2]
    for seed in seeds:
        found = solve(problem := random_problem(seed, contacts, rows), solver)
        assert found.is_converged == (found.residual <= TOLERANCE)
        if found.is_converged:
            converged += 1
            worst = max(violations(problem, found.forces).values())
            assert worst < EXACT + 10 * found.residual, (seed, violations(problem, found.forces))
    assert converged >= (0.7 if solver in (SWEEPS, ENUMERATION) else 0.85) * len(seeds)


@pytest.mark.parametrize(("contacts", "rows"), SIZES)
def test_the_solver_by_default_finds_what_any_solver_finds(contacts: int, rows: int) -> None:
    for seed in SEEDS if rows == 1 else SEEDS[::4]:
        problem = random_problem(seed, contacts, rows)
        if not solve(problem).is_converged:
            assert not any(solve(problem, name).is_converged for name in (NEWTON, SWEEPS)), seed


@pytest.mark.parametrize(("contacts", "rows"), [(2, 1), (3, 1), (2, 2), (6, 2)])
def test_all_solvers_give_one_motion_where_there_is_one(contacts: int, rows: int) -> None:
    """With little friction (`friction_feedback` below one) the motion V λ is unique."""
    compared = 0
    for seed in SEEDS:
        problem = random_problem(seed, contacts, rows, is_gentle=True)
        names = [
            n for n in SOLVERS if n in (PIVOTING, NEWTON, SWEEPS, BLOCKS) or (n == ENUMERATION and contacts * rows < 5)
        ]
        found = [f for f in (solve(problem, n) for n in names) if f.residual < 1e-9]
        if friction_feedback(problem) < 1.0 and len(found) > 1:
            motions = [problem.V @ f.forces for f in found]
            size = max(float(np.linalg.norm(v)) for v in motions)
            assert max(float(np.abs(v - motions[0]).max()) for v in motions) <= EXACT * size, seed
            compared += 1
    assert compared > len(SEEDS) / 3


@pytest.mark.parametrize("seed", SEEDS)
def test_impulses_take_energy(seed: int) -> None:
    """½ |v + V λ|² <= ½ |v|² for an impact without restitution, with friction."""
    problem = random_problem(seed, 6, 2)
    found = solve(problem)
    v = np.linalg.lstsq(problem.V.T, problem.b, rcond=None)[0]
    before, after = float(v @ v), float(np.sum((v + problem.V @ found.forces) ** 2))
    assert found.is_converged
    assert after <= before * (1 + 1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_residual_of_kernels_is_that_of_problems(seed: int) -> None:
    """The kernel, run as Python, at forces that solve nothing."""
    problem = random_problem(seed, 3, 2)
    x = np.random.default_rng(seed).normal(size=len(problem.b)) * float(np.abs(problem.b).max())
    arrays = replace(problem, before=x).arrays()
    assert contact_residual(arrays) == pytest.approx(problem.residual(x, [c.kinetic for c in problem.cones]), rel=1e-12)


def with_fault(fault: str, problem: ContactProblem) -> Array:
    """Forces of a solver that has a fault."""
    n, x = len(problem.normals), solve(problem, NEWTON).forces.copy()
    if fault == "no cone":
        slippery = tuple(replace(c, kinetic=50.0, static=50.0) for c in problem.cones)
        return solve(replace(problem, cones=slippery), NEWTON).forces
    if fault == "wrong sign":
        x[n:] *= -1
    if fault == "no friction":
        x[n:] = 0.0
    if fault == "pulls":
        x[:n] = np.linalg.lstsq(problem.A[:n, :n], -problem.b[:n] - problem.A[:n, n:] @ x[n:], rcond=None)[0]
    if fault == "one sweep":
        arrays = problem.arrays()
        sweep(arrays)
        x = np.array(arrays.x[: arrays.n])
    return x


@pytest.mark.parametrize("fault", ["no cone", "wrong sign", "no friction", "pulls", "one sweep"])
def test_faults_of_solvers_are_seen_by_the_laws_and_by_the_residual(fault: str) -> None:
    seen = []
    for seed in range(20):
        problem = random_problem(seed, 6, 2)
        x = with_fault(fault, problem)
        is_seen = max(violations(problem, x).values()) > 1e-3
        seen.append(is_seen)
        if is_seen:
            assert problem.residual(x, [c.kinetic for c in problem.cones]) > TOLERANCE, seed
    assert np.mean(seen) > 0.8


# ------------------------------------------------------------------------------------------------------- piles


@cache
def discs() -> sb.Contacts:
    """Three discs between two walls, in a plane; masses, friction and restitution are parameters."""
    m = sb.Model("discs")
    m.gravity(0, -g, 0)
    p = m.parameters(mu=0.0, e=0.0)
    planes = {
        "floor": sb.HalfSpace(m.ground, normal=(0, 1, 0)),
        "left": sb.HalfSpace(m.ground, normal=(1, 0, 0)),
        "right": sb.HalfSpace(m.ground, normal=(-1, 0, 0), at=(1, 0, 0)),
    }
    balls: list[sb.Ball] = []
    touches: dict[str, sb.bodies.Touch] = {}
    for k, radius in enumerate(RADII):
        x, y, th = m.coordinates(f"x{k} y{k} th{k}")
        mass, frame = m.parameter(f"m{k}", 1.0), m.ground.translate(x, y, 0).rotate("z", th)
        body = m.body(f"disc{k}", frame, mass=mass, inertia=(0, 0, mass * radius**2 / 2))
        balls.append(sb.Ball(body, radius))
        touches |= {f"{name}{k}": sb.touch(balls[k], plane, across=m.ground.z) for name, plane in planes.items()}
        touches |= {f"pair{i}{k}": sb.touch(balls[i], balls[k], across=m.ground.z) for i in range(k)}
    return sb.Contacts(sb.derive(m), *(sb.Contact(n, t, p.e, p.mu) for n, t in touches.items()))


@cache
def box_and_ball() -> sb.Contacts:
    """A box on its corners, and a ball on the box, in a plane."""
    m = sb.Model("box and ball")
    m.gravity(0, -g, 0)
    p = m.parameters(mu=0.0, e=0.0)
    x, y, th = m.coordinates("x0 y0 th0")
    mass = [m.parameter(f"m{k}", 1.0) for k in range(2)]
    box = m.body("box", m.ground.translate(x, y, 0).rotate("z", th), mass=mass[0], inertia=(0, 0, mass[0] / 12))
    x, y, th = m.coordinates("x1 y1 th1")
    ball = m.body("ball", m.ground.translate(x, y, 0).rotate("z", th), mass=mass[1], inertia=(0, 0, mass[1] * 0.002))
    floor, top = sb.HalfSpace(m.ground, normal=(0, 1, 0)), sb.HalfSpace(box, normal=(0, 1, 0), at=(0, 0.2, 0))
    corners = [(a, b) for b in (-0.2, 0.2) for a in (-0.4, 0.4)]
    touches = {f"corner{k}": (sb.Ball(box, 0.0, (*at, 0)), floor) for k, at in enumerate(corners)}
    touches |= {"lies": (sb.Ball(ball, 0.07), top), "falls": (sb.Ball(ball, 0.07), floor)}
    made = {n: sb.touch(*pair, across=m.ground.z) for n, pair in touches.items()}
    return sb.Contacts(sb.derive(m), *(sb.Contact(n, t, p.e, p.mu) for n, t in made.items()))


RADII = (0.1, 0.13, 0.08)
PILED = {"discs": discs, "box and ball": box_and_ball}


def random_pile(kind: str, seed: int, *, is_soft: bool = False) -> tuple[sb.Contacts, dict[str, float]]:
    """Contacts, and a start above the floor with masses from 1 to 1000, friction and (unless soft) restitution from 0 to 1."""
    rng = np.random.default_rng(seed)
    contacts = PILED[kind]()
    masses = [s.name for s in contacts.base.p if s.name.startswith("m") and s.name != "mu"]
    start = {n: float(10 ** rng.uniform(0, 3)) for n in masses}
    start |= {"mu": float(rng.uniform()), "e": 0.0 if is_soft else float(rng.uniform())}
    if kind == "discs":
        places = zip(rng.permutation([0.3, 0.5, 0.7]).tolist(), (0.15, 0.4, 0.65), strict=True)
        start |= {f"{c}{k}": v for k, at in enumerate(places) for c, v in zip("xy", at, strict=True)}
    else:
        start |= {"y0": 0.5, "th0": float(rng.normal(0, 0.3)), "x1": float(rng.normal(0, 0.2)), "y1": 1.2}
    speeds = {s.name: float(rng.normal(0, 1)) for s in contacts.base.u}
    return contacts, {**start, **speeds}


@dataclass(frozen=True)
class Step:
    """What contacts do in a step: gaps at its midpoint, speeds before and after, slips after, impulses."""

    gap: Array
    before: Array
    after: Array
    slip: Array
    normal: Array
    friction: Array


def step_at(env: Stepper, contacts: sb.Contacts, state: Array) -> tuple[Step, Array]:
    eq, p, r = contacts.base, env.p, np.zeros(0)
    found, n = env.impulses(state), len(contacts.table.contacts)
    q, u = np.split(state, [len(eq.q)])
    middle, rows = q + env.dt / 2 * u, impulses_of(eq, contacts.table.contacts)
    before, after = (rows.numbers(0.0, np.r_[middle, v], p, r) for v in (u, found.state[len(eq.q) :]))
    slips = friction_rows(eq, contacts.table.frictions)
    slip = slips(rows.called, 0.0, np.r_[middle, found.state[len(eq.q) :]], p, r).slip
    return Step(before.gap, before.speed, after.speed, slip, found.impulses[:n], found.impulses[n:]), found.state


def step_violations(s: Step, mu: float, e: float) -> dict[str, float]:
    """By how much impulses and speeds violate each law, as fractions of the largest."""
    impulse, speed = float(np.abs(s.normal).max()) + 1e-12, float(np.abs(np.r_[s.before, s.after]).max()) + 1e-9
    closed = s.gap <= 0.0
    law = s.after + e * np.minimum(s.before, 0.0)
    limit = mu * s.normal
    return {
        "acts apart": float(np.abs(s.normal[s.gap > 1e-9]).max(initial=0.0)) / impulse,
        "pulls": float(-s.normal.min()) / impulse,
        "enters": float((-law[closed]).max(initial=0.0)) / speed,
        "complementarity": float(np.abs(law * s.normal).max()) / (impulse * speed),
        "cone": float((np.abs(s.friction) - limit).max()) / impulse,
        "dissipation": float(np.abs(s.friction * s.slip + limit * np.abs(s.slip)).max()) / (impulse * speed),
    }


def energies(kind: str, values: dict[str, float], states: Array) -> Array:
    """Kinetic and potential energy, by hand."""
    inertia = [r**2 / 2 for r in RADII] if kind == "discs" else [1 / 12, 0.002]
    n, total = len(inertia), np.zeros(len(states))
    for k, own in enumerate(inertia):
        y, (vx, vy, turning) = states[:, 3 * k + 1], states[:, 3 * (n + k) : 3 * (n + k + 1)].T
        total += values[f"m{k}"] * ((vx**2 + vy**2 + own * turning**2) / 2 + g * y)
    return total


@pytest.mark.parametrize("seed", PILES)
@pytest.mark.parametrize("kind", PILED)
def test_steps_of_piles_obey_the_laws(kind: str, seed: int) -> None:
    contacts, values = random_pile(kind, seed)
    env, closed = sb.stepper(contacts, 2e-3, values), 0
    state = env.start
    for k in range(400):
        s, state = step_at(env, contacts, state)
        assert np.isfinite(state).all(), k
        found = step_violations(s, values["mu"], values["e"])
        assert max(found.values()) < EXACT, (k, found)
        closed += int(np.sum(s.normal > 0))
    assert closed > 5


@cache
def slipping_step() -> tuple[Step, float, float]:
    """A step in which a contact slips, with its friction and restitution."""
    contacts, values = random_pile("box and ball", 1)
    env = sb.stepper(contacts, 2e-3, values)
    state = env.start
    for _ in range(400):
        s, state = step_at(env, contacts, state)
        if s.normal.max() > 0 and np.abs(s.slip[s.normal > 0]).min() > 1e-2:
            break
    return s, values["mu"], values["e"]


@pytest.mark.parametrize("fault", ["no friction", "wrong sign", "no cone", "pulls", "acts apart", "enters"])
def test_faults_of_steps_are_seen(fault: str) -> None:
    s, mu, e = slipping_step()
    assert max(step_violations(s, mu, e).values()) < EXACT
    pushing = s.normal > 0
    planted = {
        "no friction": replace(s, friction=0 * s.friction),
        "wrong sign": replace(s, friction=-s.friction),
        "no cone": replace(s, friction=2 * s.friction),
        "pulls": replace(s, normal=-s.normal),
        "acts apart": replace(s, normal=s.normal[::-1].copy()),
        "enters": replace(s, after=s.after - pushing * 0.1),
    }[fault]
    assert max(step_violations(planted, mu, e).values()) > 1e-3


@pytest.mark.parametrize("seed", PILES)
@pytest.mark.parametrize("kind", PILED)
def test_energy_changes_by_the_work_of_impulses(kind: str, seed: int) -> None:
    """ΔE = Σ λ · (v⁺ + v⁻) / 2, to rounding; and without restitution Σ λ · v⁺ <= 0, so that impulses take energy from the
    speeds that bodies would have after the step without them. (v⁻ is of the row at the midpoint: a step in which
    it turns may gain, of second order in h.)"""
    contacts, values = random_pile(kind, seed, is_soft=True)
    env = sb.stepper(contacts, 2e-3, values)
    state, slips = env.start, friction_rows(contacts.base, contacts.table.frictions)
    rows, n = impulses_of(contacts.base, contacts.table.contacts), len(contacts.base.q)
    for k in range(300):
        s, after = step_at(env, contacts, state)
        middle = np.r_[state[:n] + env.dt / 2 * state[n:], state[n:]]
        slip_before = slips(rows.called, 0.0, middle, env.p, np.zeros(0)).slip
        work = float(s.normal @ (s.before + s.after) + s.friction @ (slip_before + s.slip)) / 2
        before, now = energies(kind, values, np.array([state, after]))
        assert now - before == pytest.approx(work, abs=1e-9 * before), k
        taken = np.r_[s.normal * s.after, s.friction * s.slip]
        assert taken.max() <= 1e-9 * before, k
        state = after


@pytest.mark.parametrize("seed", PILES[: 3 if FULL else 1])
@pytest.mark.parametrize("kind", PILED)
def test_both_routes_give_one_motion_of_soft_piles(kind: str, seed: int) -> None:
    """By events, and by time stepping with an error that falls with the step."""
    contacts, values = random_pile(kind, seed, is_soft=True)
    events = sb.simulate_modes(contacts, [0.0, 0.6], values, rtol=1e-8)
    steps = [sb.simulate_modes(contacts, [0.0, 0.6], values, method="moreau", step=h) for h in (1e-4, 1e-5)]
    rough, fine = (float(np.abs(sim.q[-1] - events.q[-1]).max()) for sim in steps)
    assert all(sim.outcome for sim in (events, *steps))
    assert fine < 1e-3
    assert fine < rough / 2


@pytest.mark.parametrize("seed", PILES if FULL else range(2, 4))
@pytest.mark.parametrize("kind", PILED)
def test_both_routes_bounce_alike(kind: str, seed: int) -> None:
    """Between the first two impacts with restitution and friction; later ones of several contacts may follow each other
    without end, which steps take together. Impacts by events never gain energy, or end the motion and say so."""
    contacts, values = random_pile(kind, seed)
    events = sb.simulate_modes(contacts, 0.6, values, rtol=1e-9)
    hits = [e for e in events.events if e.impulses]
    for e in hits:
        before, after = energies(kind, values, np.array([e.before, e.after]))
        assert after <= before * (1 + 1e-9)
    if events.outcome.ending is Ending.ENERGY_GAINED:
        assert "poisson" in events.outcome.detail
    if len(hits) > 1 and hits[1].t - hits[0].t > 1e-3:
        t = (hits[0].t + hits[1].t) / 2
        sim = sb.simulate_modes(contacts, [0.0, t], values, method="moreau", step=1e-5)
        exact = sb.simulate_modes(contacts, [0.0, t], values, rtol=1e-9)
        assert np.abs(sim.y[-1] - exact.y[-1]).max() < 2e-2


@pytest.mark.parametrize("seed", PILES)
@pytest.mark.parametrize("kind", PILED)
def test_motions_and_steppers_take_the_same_steps(kind: str, seed: int) -> None:
    """With memory and without: impulses are solved from another beginning."""
    contacts, values = random_pile(kind, seed)
    n, h = 300, 2e-3
    sim = sb.simulate_modes(contacts, n * h, values, method="moreau", step=h)
    env = sb.stepper(contacts, h, values)
    state = env.start
    for _ in range(n):
        state = env.step(state)
    assert sim.outcome
    assert np.abs(sim.y[-1] - state).max() < 1e-6 * (1 + np.abs(sim.y).max())

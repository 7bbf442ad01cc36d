"""A table on many feet that stick and slip in space: held more often than it can move, by events and by time stepping."""

from __future__ import annotations

import numpy as np
import pytest

import symbody as sb
from symbody.integrate.complementarity.contact_problem import Cone, ContactProblem
from symbody.integrate.complementarity.contact_solvers import solutions
from symbody.integrate.modes import switching
from symbody.integrate.result.outcome import Ending
from tests.amount import dear, some

MASS, MU, g = 2.0, 0.4, 9.81


def table(coefficients: list[float], sequence: str = "euler parameters") -> sb.Contacts:
    """A plate 5 cm above a square of feet, pushed along x at the height of the floor."""
    m = sb.Model("table")
    m.gravity(0, 0, -g)
    top = m.body("top", mass=MASS, inertia=(0.1, 0.1, 0.2))
    m.free("p", m.ground, top, sequence=sequence)
    m.force("push", top, m.input("F") * m.ground.x, at=top.point(0, 0, -0.05))
    at = np.linspace(-0.3, 0.3, round(len(coefficients) ** 0.5)).tolist()
    places = [top.point(x, y, -0.05) for x in at for y in at]
    touches = [sb.touch(p, sb.HalfSpace(m.ground)) for p in places]
    feet = [sb.Contact(f"foot{k}", t, friction=mu) for k, (t, mu) in enumerate(zip(touches, coefficients, strict=True))]
    return sb.Contacts(sb.derive(m), *feet)


@pytest.fixture(scope="module", params=some([9, 4], 2))
def feet(request: pytest.FixtureRequest) -> sb.Contacts:
    return table([MU] * request.param)


STARTS = {  # start, time, where it is then, and how near to that time stepping comes
    "stands": ({"p_z": 0.05}, 0.2, 0.0, 1e-12),
    "slides": ({"p_z": 0.05, "p_x_dot": 0.5}, 0.2, 0.5**2 / (2 * MU * g), 1e-6),
    "drops": ({"p_z": 0.1}, 0.2, 0.0, 2e-4),
}


@pytest.mark.parametrize("case", STARTS)
def test_both_routes_agree_on_a_table(feet: sb.Contacts, case: str) -> None:
    """Dropped, standing and sliding: closed forms by events, and within a step the same by time stepping."""
    start, end, x, near = STARTS[case]
    start = {"p_e0": 1.0, **start}
    exact = sb.simulate_modes(feet, end, start)
    stepped = sb.simulate_modes(feet, end, start, method="moreau", step=1e-4)
    assert exact.outcome
    assert exact.modes[-1] == " + ".join(f"{c.name} sticks" for c in feet.contacts)
    assert exact["p_x"][-1] == pytest.approx(x, abs=1e-9)
    assert exact.p.tolist() == []  # directions of slip are parameters of modes, not of the motion
    assert np.abs(exact.q[-1] - stepped.q[-1]).max() < near


def test_feet_share_the_load_with_least_norm(feet: sb.Contacts) -> None:
    """Each carries as much, pushed or not; the sum is the weight, and against the push."""
    sim = sb.simulate_modes(feet, [0.0, 0.01, 0.05], p_z=0.05, p_e0=1.0, F=6.0)
    n = len(feet.contacts)
    for name, force in (("lam_foot0", MASS * g / n), ("lam_foot3_friction_1", -6.0 / n), ("lam_foot3_friction_2", 0.0)):
        assert sim[name] == pytest.approx(force, abs=1e-9)


def test_feet_at_their_limit_are_held_by_the_others() -> None:
    """Slippery feet on one diagonal give way at first, the table where all of them do: F = Σ μ N."""
    contacts = table([0.1, 0.6, 0.6, 0.1], "xyz")
    sim = sb.simulate_modes(contacts, 0.4, p_z=0.05, inputs={"F": MASS * g * contacts.base.t})
    times = {str(e.name): e.t for e in sim.events}
    assert times["foot0 held"] == pytest.approx(0.1)
    assert times["foot3 held"] == pytest.approx(0.1)
    assert times["foot1 slips"] == pytest.approx(0.35)
    assert sim["p_x"][-1] == pytest.approx(g * 0.05**3 / 6, rel=1e-2)
    assert np.abs(sim["p_y"]).max() < 1e-8


@dear
def test_a_table_that_falls_askew_comes_to_rest() -> None:
    start = {"p_e0": 1.0, "p_z": 0.1, "p_x_dot": 0.5, "p_wx": 0.4, "p_wy": 0.3, "p_wz": 0.5}
    contacts = table([MU] * 9)
    exact = sb.simulate_modes(contacts, 0.4, start)
    stepped = sb.simulate_modes(contacts, 0.4, start, method="moreau", step=1e-4)
    assert exact.outcome
    assert np.abs(exact.u[-1]).max() < 1e-9
    assert np.abs(exact.q[-1] - stepped.q[-1]).max() < 3e-3  # how feet share the load while it turns is undetermined


def test_too_many_modes_are_an_outcome(monkeypatch: pytest.MonkeyPatch) -> None:
    """It names the contacts and the way that has no modes."""
    monkeypatch.setattr(switching, "MOST_MODES", 2)
    m = sb.Model("crate")
    x, z = m.coordinates("x z")
    m.gravity(0, 0, -g)
    m.particle("crate", m.ground.translate(x, 0, z).origin, mass=1)
    crate = sb.Contacts(sb.derive(m), sb.Contact("floor", z, friction=MU, slip=x.dot))
    sim = sb.simulate_modes(crate, 1.0, x_dot=0.5)
    assert sim.outcome.ending is Ending.TOO_MANY_MODES
    assert "1 contact" in sim.outcome.detail
    assert "moreau" in sim.outcome.detail


# ------------------------------------------------------------------------------------------------ the problem alone


@pytest.mark.parametrize("seed", range(5))
def test_forces_of_redundant_contacts_are_those_of_least_norm(seed: int) -> None:
    """Beside the pseudo-inverse, where all press and stick; more contacts than are tried one by one."""
    n, V = 8, np.random.default_rng(seed).normal(size=(6, 24))
    V[0, :n] = 3 + np.abs(V[0, :n])
    least = V[0]  # Vᵀ y of some y: nothing of it along forces that push nowhere
    cones = tuple(Cone((n + 2 * k, n + 2 * k + 1), k, 50.0, 50.0, np.eye(3 * n)[k]) for k in range(n))
    (found,) = solutions(ContactProblem(V, -V.T @ (V @ least), tuple(range(n)), cones))
    assert found.forces == pytest.approx(least)


def test_shared_loads_are_not_counted_as_several_accelerations() -> None:
    """Three slipping feet in a row, of which two would carry: friction that depends on who carries is no case of
    Painlevé's."""
    rows = np.array([[1.0, s, 0, 0] for s in (-1.0, 0.0, 1.0)] + [[0, 0, 1.0, s] for s in (-1.0, 0.0, 1.0)])
    ways = [np.array([-1.0]), np.array([1.0]), np.array([1.0])]
    cones = tuple(Cone((3 + k,), k, 0.3, 0.3, np.eye(6)[k], direction=d) for k, d in enumerate(ways))
    b = rows @ np.array([-9.81, 0.3, 0.0, 0.0])
    found = solutions(ContactProblem(rows.T, b, (0, 1, 2), cones))
    assert len(found) == 1
    assert found[0].closed == {0, 1, 2}

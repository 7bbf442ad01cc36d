"""Motions with contacts on a GPU, on an emulated card: the steps of time stepping on this computer."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import symbody as sb

from ..emit.emulated_card import EmulatedLibrary, emulate, forget
from .test_contact_stepper import THROWN, TRIPOD, box_on

STEP = 2e-3
TOLERANCE = {"double": 1e-12, "float": 2e-3}


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Iterator[EmulatedLibrary]:
    yield emulate(monkeypatch)
    monkeypatch.undo()
    forget()


def rows(eq: sb.Equations, starts: list[dict[str, float]]) -> Any:
    found = [sb.assemble(eq, start) for start in starts]
    return np.stack([np.concatenate([s.q, s.u]) for s in found])


def puck() -> sb.Contacts:
    """A particle thrown over a floor with friction, and a force along it."""
    m = sb.Model("puck")
    x, y = m.coordinates("x y")
    m.particle("puck", m.ground.point(x, y, 0), mass=1.0)
    m.gravity(0, -9.81, 0)
    m.generalized_force("push", x, m.input("F"))
    mu = m.parameter("mu", 0.3)
    return sb.Contacts(sb.derive(m), sb.Contact("floor", y, 0.5, mu, slip=x.dot))


def agree(contacts: sb.Contacts, starts: list[dict[str, float]], given: Any, names: str, real: str) -> None:
    """States after every tenth of 150 steps, with friction and force of each member: those of this computer."""
    eq, steps = contacts.base, 150
    run = sb.integrate.cuda_motions(contacts, STEP, real=real, vary=["mu"])
    assert run.parameter_names == ("mu", "F")
    y = sb.emit.device_array(rows(eq, starts), real)
    got = run(y, steps, parameters=sb.emit.device_array(given, real), every=10)
    assert [e.name for e in got.endings()] == ["REACHED"] * len(starts)
    assert got.counts["steps"].numpy().tolist() == [steps] * len(starts)
    at = [run.state_names.index(n) for n in names.split()]
    for k, (start, (mu, F)) in enumerate(zip(starts, given, strict=True)):
        sim = sb.simulate_modes(contacts, steps * STEP, start, values={"mu": mu, "F": F}, method="moreau", step=STEP)
        exact = np.stack([sim[n][10::10] for n in names.split()], axis=1)
        found = np.asarray(got.samples.numpy()[k][:, at], dtype=float)
        assert np.abs(found - exact).max() <= TOLERANCE[real], (k, found - exact)


def test_throw_of_a_box(library: EmulatedLibrary) -> None:
    """Impacts, sliding and rest of a box on three feet."""
    starts = [{**THROWN, "b_x_dot": v, "b_z": z} for v, z in ((1.5, 0.25), (0.0, 0.11))]
    agree(box_on(TRIPOD), starts, np.array([[0.4, 0.0], [0.7, -0.5]]), "b_x b_z b_e1 b_x_dot", "double")


@pytest.mark.parametrize("real", ["double", "float"])
def test_throw_of_a_puck(real: str, library: EmulatedLibrary) -> None:
    starts = [{"x": 0.0, "y": y, "x_dot": v, "y_dot": -0.2} for y, v in ((0.02, 0.3), (0.01, 0.0), (0.0, -0.1))]
    agree(puck(), starts, np.array([[0.4, 0.0], [0.2, 1.0], [0.7, -9.0]]), "x y x_dot y_dot", real)


def test_a_member_that_fails_leaves_the_others(library: EmulatedLibrary) -> None:
    run = sb.integrate.cuda_motions(puck(), STEP)
    y = sb.emit.device_array(np.array([[0.0, 0.1, 0.0, 0.0]] * 2))
    got = run(y, 20, parameters=sb.emit.device_array(np.array([[np.nan], [0.0]])), every=10)
    assert [e.name for e in got.endings()] == ["NOT_FINITE", "REACHED"]
    assert got.counts["steps"].numpy().tolist() == [0, 20]
    assert np.isnan(got.samples.numpy()[0]).all()
    assert np.isfinite(got.samples.numpy()[1]).all()


def test_restarts(library: EmulatedLibrary) -> None:
    """A ball that falls below a height begins anew where its own parameter says; another ends there."""
    m = sb.Model("ball")
    y, high = m.coordinate("y"), m.parameter("high", 1.0)
    m.particle("ball", m.ground.point(0, y, 0), mass=1.0)
    m.gravity(0, -9.81, 0)
    contacts = sb.Contacts(sb.derive(m), sb.Contact("floor", y, 0.0))
    again = sb.Event("low", y - 0.1, direction=-1, reset={y: high, y.dot: 0.0})
    starts, heights = np.array([[1.0, 0.0], [1.0, 0.0]]), np.array([[1.0], [0.5]])
    run = sb.integrate.cuda_motions(contacts, 1e-2, events=[again], vary=["high"], record=8)
    got = run(sb.emit.device_array(starts), 200, parameters=sb.emit.device_array(heights))
    fall = [np.sqrt(2 * (h - 0.1) / 9.81) for h in (1.0, 0.5)]
    assert got.counts["events"].numpy().tolist() == [4, 6]
    times = got.events["times"].numpy()
    assert np.abs(np.diff(times[1][:6]) - fall[1]).max() < 1e-2
    assert np.abs(np.diff(times[0][:4]) - fall[0]).max() < 1e-2
    ends = sb.integrate.cuda_motions(contacts, 1e-2, events=[sb.Event("low", y - 0.1, terminal=True)])
    over = ends(sb.emit.device_array(starts), 200)
    assert [e.name for e in over.endings()] == ["STOPPED"] * 2
    assert abs(over.t.numpy()[0] - fall[0]) < 2e-2


def test_what_is_not_for_a_card(library: EmulatedLibrary) -> None:
    contacts = puck()
    with pytest.raises(sb.errors.SimulationError, match="fixed step"):
        sb.integrate.cuda_motions(contacts)
    with pytest.raises(sb.errors.SimulationError, match="moreau"):
        sb.integrate.cuda_motions(contacts, STEP, method="rk4")

"""Friction under the force of a constraint jams where it acts back on that force as much as the constraint does: the rod
of Painlevé with its tip on a rail, whose determinant is known in closed form."""

from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.integrate import Ending
from symbody.integrate.contact.jamming import margins

g = 9.81
MU = 1.6


def rod(kind: str, more: float = 0.0) -> Any:
    """Of half length one; the coefficient grows by `more` a second."""
    m = sb.Model("rod")
    x, y, th = m.coordinates("x y th")
    m.gravity(0, -g, 0)
    m.body("rod", m.ground.translate(x, y, 0).rotate("z", th), mass=1.0, inertia=(0, 0, 1 / 3))
    slip, mu = x.dot + sb.sin(th) * th.dot, (1.2 if more else MU) + more * m.time
    m.constrain("rail", y - sb.sin(th))
    N = m.multiplier("rail")
    if kind == "exact":
        return sb.Contacts(sb.derive(m), sb.Friction("rub", slip, sb.Coulomb(mu), normal=N))
    m.friction("rub", slip, sb.Coulomb(mu), normal=N if kind == "smooth" else abs(N), smooth=1e-3)
    return sb.derive(m)


@pytest.fixture(scope="module")
def smooth() -> sb.Equations:
    return rod("smooth")


def start(th: float, v: float, omega: float = 0.0) -> dict[str, float]:
    """The tip slips at v."""
    s, c = float(np.sin(th)), float(np.cos(th))
    return {"th": th, "y": s, "th_dot": omega, "y_dot": c * omega, "x_dot": v - s * omega}


def closed_form(th: Any, mu: Any) -> Any:
    """For slip backwards, in parts of what there is without friction (Génot and Brogliato 1999)."""
    s, c = np.sin(th), np.cos(th)
    return (1 + 3 * c**2 - 3 * mu * s * c) / (1 + 3 * c**2)


def test_margin_is_that_of_the_closed_form(smooth: sb.Equations) -> None:
    sim = sb.simulate(smooth, 0.1, start(1.4, -6.0, -0.5))
    assert sim.outcome
    assert margins(sim.segments[0]) == pytest.approx(closed_form(sim["th"], MU), rel=1e-11)


def test_a_motion_ends_where_its_friction_jams() -> None:
    """The coefficient grows until the determinant is zero: no motion goes on from there."""
    sim = sb.simulate(rod("smooth", more=5.0), 0.3, start(1.1, -6.0))
    assert sim.outcome.ending is Ending.JAMMED
    assert "friction acts back on lam_rail" in str(sim.outcome)
    margin = closed_form(sim["th"], 1.2 + 5 * sim.t)
    assert 0 < margin[-1] < 1e-3
    assert margin.min() == margin[-1]


@pytest.mark.parametrize(("mass", "size"), [(1e8, 1.0), (1e6, 1e3), (1e-12, 1e-3)])
def test_margin_does_not_depend_on_units(mass: float, size: float) -> None:
    """Neither for a ship nor for a part of a watch."""
    m = sb.Model("rod")
    x, y, th = m.coordinates("x y th")
    m.body("rod", m.ground.translate(x, y, 0).rotate("z", th), mass=mass, inertia=(0, 0, mass * size**2 / 3))
    m.constrain("rail", y - size * sb.sin(th))
    N, slip = m.multiplier("rail"), x.dot + size * sb.sin(th) * th.dot
    m.friction("rub", slip, sb.Coulomb(MU), normal=N, smooth=1e-3 * size)
    sim = sb.simulate(sb.derive(m), 1e-3, {"th": 1.4, "y": size * float(np.sin(1.4)), "x_dot": -6.0 * size})
    assert margins(sim.segments[0]) == pytest.approx(closed_form(sim["th"], MU), rel=1e-9)


def test_a_motion_ends_at_the_first_state_that_jams() -> None:
    """Also where what follows it, which is no motion of the law, goes on for a while before it fails."""
    growing = rod("smooth", more=5.0)
    short, long = (sb.simulate(growing, end, start(1.1, -6.0)) for end in (0.3, 1.0))
    assert long.outcome.ending is Ending.JAMMED
    assert long.outcome.t == short.outcome.t < 0.03
    assert long.t[-1] == short.t[-1]


def test_a_batch_says_which_members_jam(smooth: sb.Equations) -> None:
    """One that goes on, one that begins jammed and one that comes there, each as by itself; with outputs alone too."""
    times, growing = np.linspace(0, 0.04, 9), rod("smooth", more=5.0)
    begun = [start(1.4, -6.0, -0.5), start(1.1, -6.0)]
    batch = sb.simulate_batch(growing, times, begun)
    alone = [sb.simulate(growing, times, one) for one in begun]
    assert batch.failed == [1]
    assert batch.outcomes[1].ending is Ending.JAMMED
    assert [str(o) for o in batch.outcomes] == [str(one.outcome) for one in alone]
    assert np.isnan(batch["x"][1, -1])
    assert batch["x"][0] == pytest.approx(alone[0]["x"], rel=1e-9)
    kept = sb.simulate_batch(growing, times, begun, outputs=["x", "th"])
    assert kept.failed == [1]
    assert np.array_equal(kept["th"], batch["th"], equal_nan=True)
    assert kept["th"].shape == (2, 9)
    told = sb.simulate_batch(smooth, [0.005, 0.01], [begun[0], start(1.25, -2.0)]).outcomes
    assert not told[0].notes
    assert any("it jams (Painlevé)" in note for note in told[1].notes)


def test_a_motion_that_begins_jammed_says_so(smooth: sb.Equations) -> None:
    begun = start(1.25, -2.0)
    assert any("it jams (Painlevé)" in note for note in sb.simulate(smooth, 0.01, begun).outcome.notes)
    exact = sb.simulate_modes(rod("exact"), 0.1, begun)
    assert str(exact.events[0].name).startswith("rub jams: no acceleration satisfies Coulomb's law")
    assert exact.modes[0] == "rub sticks"


def test_friction_under_a_force_of_either_sign_jams_only_where_it_has_to() -> None:
    """With |N| both signs are looked at where no acceleration is found, and nowhere else."""
    eq = rod("abs")
    stuck = sb.simulate(eq, 0.1, start(1.25, -2.0))
    assert stuck.outcome.ending is Ending.JAMMED
    assert stuck.outcome.t == 0.0
    free = sb.simulate(eq, 0.6, start(1.4, -6.0, -0.5))
    exact = sb.simulate_modes(rod("exact"), 0.6, start(1.4, -6.0, -0.5))
    assert free.outcome
    assert free["th"][-1] == pytest.approx(exact["th"][-1], abs=1e-4)


def test_modes_name_friction_that_jams(smooth: sb.Equations) -> None:
    """In any mode, also where another came before it; that it begins jammed is said of the whole motion."""
    growing = rod("smooth", more=5.0)
    switch = sb.Switch("on", growing.t - 0.01, "one", "other", "rising")
    modes = sb.Modes({"one": growing, "other": growing}, [switch], initial="one")
    sim = sb.simulate_modes(modes, 0.3, start(1.1, -6.0))
    alone = sb.simulate(growing, 0.3, start(1.1, -6.0))
    assert sim.modes == ("one", "other")
    assert sim.outcome.ending is Ending.JAMMED
    assert sim.outcome.t == pytest.approx(alone.outcome.t, abs=1e-3)
    away = sb.Modes(
        {"one": smooth, "other": smooth}, [sb.Switch("on", smooth.t - 0.005, "one", "other")], initial="one"
    )
    told = sb.simulate_modes(away, 0.01, start(1.25, -2.0)).outcome.notes
    assert sum("it jams (Painlevé)" in note for note in told) == 1

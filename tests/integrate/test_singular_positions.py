"""Motions through singular positions: a parallelogram through its flat one, on the branch it came by, by every form."""

import sys

import numpy as np
import pytest

import symbody as sb
from symbody.integrate import passages
from symbody.integrate.outcome import Ending

from .. import redundant

END, EXACT = 5.0, -35.353086525  # a pendulum of one degree of freedom: all cranks turn together
FORMS = [
    {"form": "projection"}, {"form": "orthogonal"}, {"form": "partition", "project": True}, {"form": "qr", "project": True},
    {"form": "svd", "project": True}, {"form": "partition"}, {"form": "qr"}, {"form": "svd"},
]  # fmt: skip


@pytest.fixture(scope="module")
def swing():
    m = sb.Model("parallelogram")
    m.gravity(0, -9.81, 0)
    left, right = (m.body(n, mass=1.0, com=(0.5, 0, 0), inertia=(0.01, 0.08, 0.08)) for n in ("left", "right"))
    coupler = m.body("coupler", mass=1.0, com=(1.0, 0, 0), inertia=(0.01, 0.33, 0.33))
    m.revolute("a", m.ground, left)
    m.revolute("b", left, coupler, at=(1, 0, 0))
    m.revolute("c", m.ground, right, at=(2, 0, 0))
    m.revolute("d", coupler, right, at=(2, 0, 0), on=(1, 0, 0))
    eq = sb.derive(m)
    return eq, sb.assemble(eq, a=1.0, a_dot=-6.0, start={"c": 1.0, "b": -1.0})


@pytest.mark.parametrize("options", FORMS, ids=str)
def test_forms_agree_on_the_branch(swing, options):
    """No form leaves the parallelogram for the antiparallelogram, at any of these tolerances."""
    eq, state = swing
    is_projected = options.get("project") or options["form"] in ("projection", "orthogonal")
    for rtol in (1e-6, 1e-8, 1e-10, 1e-11) if is_projected else (1e-6, 1e-8, 1e-10):
        sim = sb.simulate(eq, END, state, rtol=rtol, **options)
        assert sim.outcome, str(sim.outcome)
        assert np.abs(sim["a"] - sim["c"]).max() < 1e-6
        assert sim.final["a"] == pytest.approx(EXACT, abs=max(30 * rtol, 5e-6))
        assert np.ptp(sim.energy) < max(1e3 * rtol, 2e-4)


@pytest.mark.parametrize("rtol", [1e-6, 1e-8, 1e-10])
def test_passed_positions_are_told(swing, rtol):
    """Twelve half turns, with the joint that closes the loop, and energy kept in each."""
    eq, state = swing
    found = sb.simulate(eq, END, state, rtol=rtol).singular_positions
    assert len(found) == 12
    assert all(p.joints == ("joint 'd'",) for p in found)
    assert max(abs(p.change) for p in found) < 1e3 * rtol


def test_regular_motions_pass_none():
    eq = sb.derive(redundant.tilted_loop(), redundant=True)
    assert sb.simulate(eq, 0.5, redundant.start(eq)).singular_positions == ()


def test_a_jump_of_energy_is_an_outcome(swing, monkeypatch):
    eq, state = swing
    there = passages.Passage(0.5, 0.6, ("joint 'd'",), -0.7, 20.0)
    monkeypatch.setattr(sys.modules["symbody.integrate.simulate"], "passages", lambda *_: [there])
    sim = sb.simulate(eq, 0.2, state)
    assert not sim.outcome
    assert sim.outcome.ending is Ending.JUMPED
    assert "energy changed by -0.7" in str(sim.outcome)

"""Equations in independent speeds end with an outcome where these no longer determine the others."""

import numpy as np
import pytest

import symbody as sb
from symbody.integrate.result.outcome import Ending


def bead() -> sb.Equations:
    """On a ring: x_dot and y_dot determine each other but at two places each."""
    m = sb.Model("bead")
    m.gravity(0, -9.81, 0)
    x, y = m.coordinates("x y")
    m.particle("bead", m.ground.point(x, y, 0), mass=1.0)
    m.constrain("ring", x**2 + y**2 - 1)
    return sb.derive(m)


@pytest.mark.parametrize("rtol", [1e-6, 1e-8, 1e-10, 1e-12])
@pytest.mark.parametrize("kept", ["x_dot", "y_dot"])
def test_chosen_speeds_that_become_dependent_end_the_run(kept, rtol):
    eq = bead()
    state = sb.assemble(eq, x=0.6, x_dot=2.0, start={"y": 0.8})
    start = {n: state[n] for n in ("x", "y", kept)}
    sim = sb.simulate(sb.minimal(eq, [kept]), 5.0, start, rtol=rtol)
    assert not sim.outcome
    assert sim.outcome.ending is Ending.SINGULAR
    assert f"{kept}, kept by minimal(...), comes to determine the other speeds no longer" in str(sim.outcome)
    assert np.ptp(sim.energy) < 1e3 * rtol
    whole = sb.simulate(eq, 5.0, state, rtol=rtol)
    assert whole.outcome
    assert np.ptp(whole.energy) < 1e3 * rtol

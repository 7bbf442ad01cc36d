"""Andrews' squeezing mechanism: the reference solution of the test set for initial value problem solvers."""

from __future__ import annotations

import pytest

import symbody as sb
from bench import squeezer


def test_seven_bodies_at_the_end_of_eight_turns():
    eq = sb.derive(squeezer.model(), check=False)
    state = sb.assemble(eq, start=squeezer.START)
    assert state.degrees_of_freedom == 1
    assert {s.name: x for s, x in zip(eq.q, state.q, strict=True)} == pytest.approx(squeezer.START, abs=1e-12)
    sim = sb.simulate(eq, squeezer.END, state, rtol=1e-9, progress=False)
    assert sim.outcome
    found = {name: sim[name][-1] for name in squeezer.AT_END}
    assert found == pytest.approx(squeezer.AT_END, abs=2e-8)

"""Notes on what a start leaves open: inputs without a value, orientations that nothing determines."""

from __future__ import annotations

import numpy as np
import pytest

import symbody as sb


def pushed() -> sb.Equations:
    m = sb.Model("pushed mass")
    m.prismatic("x", m.ground, m.body("body", mass=1.0), actuation=m.input("F"))
    return sb.derive(m)


NOTE = "the input F has no value and is zero; pass inputs={'F': ...}"


def test_inputs_without_a_value_are_noted() -> None:
    eq = pushed()
    walled = sb.Contacts(eq, sb.Contact("wall", eq.q[0] + 1))
    for sim in (
        sb.simulate(eq, 1.0),
        sb.simulate_batch(eq, [0.0, 1.0], x=[0.0, 1.0])[1],
        sb.simulate_modes(walled, 1.0),
        sb.simulate_modes(walled, 1.0, method="moreau", step=0.1),
    ):
        assert sim.outcome.notes == (NOTE,)
    assert "the input F is 0 in motions that give it no value" in sb.audit(eq).notes


def test_inputs_with_a_value_are_not() -> None:
    eq, t = pushed(), np.linspace(0, 1, 5)
    state = sb.State.of(eq, {"x": 1.0})
    for sim in (
        sb.simulate(eq, 1.0, F=0.0),
        sb.simulate(eq, 1.0, state),
        sb.simulate(eq, 1.0, inputs={"F": eq.t}),
        sb.simulate_batch(eq, [0.0, 1.0], x=[0.0, 1.0], F=2.0)[1],
        sb.simulate_batch(eq, [0.0, 1.0], x=[0.0, 1.0], inputs={"F": (t, np.ones((2, 5)))})[1],
    ):
        assert sim.outcome.notes == ()


def test_half_an_orientation_is_refused_by_every_call() -> None:
    m = sb.Model("free body")
    m.free("f", m.ground, m.body("b", mass=1.0, inertia=(0.1, 0.2, 0.25)), "euler parameters")
    eq = sb.derive(m)
    for call in (
        lambda **k: sb.stepper(eq, 0.1, **k),
        lambda **k: sb.simulate(eq, 0.1, **k),
        lambda **k: sb.assemble(eq, **k),
    ):
        with pytest.raises(
            sb.errors.AssemblyError, match=r"f_e0 = 0\.5 leaves open which of many orientations is meant; give f_e1"
        ):
            call(f_e0=0.5)
        call(f_e0=0.6, f_e1=0.8)
    assert not sb.simulate_batch(eq, [0.0, 0.1], f_e0=[0.5, 1.0])[0].outcome
    found = sb.assemble(eq, f_e0=0.5, start={"f_e3": 0.1})
    assert found["f_e3"] == pytest.approx(np.sqrt(0.75))

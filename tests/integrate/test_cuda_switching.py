"""Inputs that change between steps, in motions on an emulated card: steps end at switching times there too."""

from collections.abc import Iterator

import numpy as np
import pytest

import symbody as sb

from ..emit.emulated_card import EmulatedLibrary, emulate, forget


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Iterator[EmulatedLibrary]:
    yield emulate(monkeypatch)
    monkeypatch.undo()
    forget()


def pushed() -> sb.Equations:
    m = sb.Model("pushed mass")
    m.prismatic("x", m.ground, m.body("body", mass=2.0), axis="x", actuation=m.input("F"))
    return sb.derive(m)


@pytest.mark.parametrize("real", ["double", "float"])
def test_conditions_with_parameters_of_each_member(real: str, library: EmulatedLibrary) -> None:
    eq, (t0, w) = pushed(), sb.symbols("t0 w")
    law = sb.where(eq.t - t0 < 0, 0, sb.where(eq.t - t0 < w, 1 / w, 0))
    run = sb.integrate.cuda_motions(eq, inputs={"F": law}, vary=["t0", "w"], real=real)
    own = np.array([[2.3, 0.01], [5.0123, 0.02], [7.7, 0.005]])
    order = [("t0", "w").index(n) for n in run.parameter_names]
    got = run(sb.emit.device_array(np.zeros((3, 2)), real), 10.0, parameters=sb.emit.device_array(own[:, order], real))
    assert [e.name for e in got.endings()] == ["REACHED"] * 3
    tolerance = {"double": 1e-9, "float": 2e-3}[real]
    assert 2 * np.asarray(got.y.numpy(), dtype=float)[:, 1] == pytest.approx(1.0, abs=tolerance)


def test_events_that_jump_with_a_condition(library: EmulatedLibrary) -> None:
    eq = pushed()
    F = sb.where(eq.t < 3, -1.0, 2.0)
    event = sb.Event("turns", F, "rising", terminal=True)
    run = sb.integrate.cuda_motions(eq, inputs={"F": F}, events=[event], record=4)
    got = run(sb.emit.device_array(np.zeros((2, 2)), "double"), 10.0)
    assert got.t.numpy() == pytest.approx(3.0, abs=1e-12)


@pytest.mark.parametrize(("method", "real"), [("rk4", "double"), ("midpoint", "double"), ("semi-implicit", "float")])
def test_steps_of_one_length_are_divided(method: str, real: str, library: EmulatedLibrary) -> None:
    eq, (t0, w) = pushed(), sb.symbols("t0 w")
    law = sb.where(eq.t - t0 < 0, 0, sb.where(eq.t - t0 < w, 1 / w, 0))
    run = sb.integrate.cuda_motions(eq, 0.1, method=method, inputs={"F": law}, vary=["t0", "w"], real=real)
    own = np.array([[0.31, 0.01], [0.512, 0.02]])
    order = [("t0", "w").index(n) for n in run.parameter_names]
    got = run(sb.emit.device_array(np.zeros((2, 2)), real), 10, parameters=sb.emit.device_array(own[:, order], real))
    assert 2 * np.asarray(got.y.numpy(), dtype=float)[:, 1] == pytest.approx(
        1.0, abs={"double": 1e-9, "float": 2e-3}[real]
    )
    assert run.notes == ()


def test_conditions_of_a_model_that_are_not_watched_are_noted(library: EmulatedLibrary) -> None:
    m = sb.Model("pushed mass")
    joint = m.prismatic("x", m.ground, m.body("body", mass=2.0), axis="x")
    m.valid_while("on the rail", 1 - joint.q**2)
    (note,) = sb.integrate.cuda_motions(sb.derive(m), 0.1).notes
    assert "'on the rail'" in note

"""Whole motions on a GPU, on an emulated card: the same steps as on this computer."""

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import symbody as sb
from examples import slider_crank, spherical_chain, triple_pendulum
from symbody.emit.llvm import jit
from symbody.emit.run import dynamics
from symbody.integrate.gpu import device_form

from ..emit.emulated_card import EmulatedLibrary, emulate, forget

TOLERANCE = {"double": 1e-11, "float": 1e-4}
STEP = 0.01
PTX = jit.ptx


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Iterator[EmulatedLibrary]:
    yield emulate(monkeypatch)
    monkeypatch.undo()
    forget()


def close(got: Any, exact: Any, real: str) -> bool:
    got, exact = np.asarray(got, dtype=float), np.asarray(exact, dtype=float)
    return bool(np.all(np.abs(got - exact) <= TOLERANCE[real] * (1 + np.abs(exact).max())))


def states(eq: sb.Equations, start: Any, members: int) -> Any:
    """On the constraints, near a start; one in each row."""
    speed = eq.u[0].name
    found = [sb.assemble(eq, start={**start, speed: 1.0 + 0.1 * k}) for k in range(members)]
    return np.stack([np.concatenate([s.q, s.u]) for s in found])


def names(eq: sb.Equations) -> list[str]:
    return [s.name for s in eq.state]


@pytest.mark.parametrize("real", ["double", "float"])
def test_runge_kutta(real: str, library: EmulatedLibrary) -> None:
    """The steps of `simulate`, with inputs and a parameter that differ between members."""
    eq, draw, members = sb.derive(triple_pendulum.model(), check=False), np.random.default_rng(1), 5
    y, p = draw.uniform(-1, 1, (members, 6)), draw.uniform(0.5, 1.5, (members, 4))
    vary = [eq.p[0].name]
    run = sb.integrate.cuda_motions(eq, STEP, real=real, vary=vary)
    assert run.state_names == tuple(names(eq))
    assert set(run.parameter_names) == {*vary, *(s.name for s in eq.r)}
    got = run(sb.emit.device_array(y, real), 20, parameters=sb.emit.device_array(p, real), every=5)
    assert [e.name for e in got.endings()] == ["REACHED"] * members
    for k in range(members):
        start = dict(zip(names(eq), y[k], strict=True)) | dict(zip(run.parameter_names, p[k], strict=True))
        sim = sb.simulate(eq, np.linspace(0, 0.2, 5), start, method="rk4", step=STEP)
        exact = np.hstack([sim.q, sim.u])
        assert close(got.samples.numpy()[k], exact[1:], real)
        assert close(got.y.numpy()[k], exact[-1], real)
    assert close(got.t.numpy(), np.full(members, 0.2), real)


@pytest.mark.parametrize("real", ["double", "float"])
def test_step_control(real: str, library: EmulatedLibrary) -> None:
    """The steps that `simulate` takes, with as many refused ones, at requested times."""
    eq, times = sb.derive(triple_pendulum.model(), check=False), np.linspace(0.0, 1.0, 4)
    y = np.random.default_rng(1).uniform(-1, 1, (2, 6))
    run = sb.integrate.cuda_motions(eq, real=real, rtol=1e-6, method="dp5", inputs={s.name: 0.1 for s in eq.r})
    got = run(sb.emit.device_array(y, real), times)
    for k in range(2):
        start = dict(zip(names(eq), y[k], strict=True)) | {s.name: 0.1 for s in eq.r}
        sim = sb.simulate(eq, times, start, method="dp5", rtol=1e-6)
        assert close(got.samples.numpy()[k], np.hstack([sim.q, sim.u]), real)
        if real == "double":
            assert got.counts["steps"].numpy()[k] == sim.statistics.steps
            assert got.counts["rejected"].numpy()[k] == sim.statistics.rejected


def test_constraints_hold_after_every_step(library: EmulatedLibrary) -> None:
    """A loop with projection: fixed steps and step control end where `simulate` does, on the constraints."""
    eq = sb.derive(slider_crank.model(), check=False)
    y, exact = states(eq, slider_crank.START, 2), []
    for k in range(2):
        start = dict(zip(names(eq), y[k], strict=True))
        exact.append(
            [sb.simulate(eq, 0.2, start, method="rk4", step=STEP), sb.simulate(eq, 0.2, start, method="dp5", rtol=1e-7)]
        )
    fixed = sb.integrate.cuda_motions(eq, STEP, outputs=[eq.phi, *eq.q])(sb.emit.device_array(y), 20, every=20)
    controlled = sb.integrate.cuda_motions(eq, rtol=1e-7)(sb.emit.device_array(y), 0.2)
    for k, (one, other) in enumerate(exact):
        assert close(fixed.y.numpy()[k], np.concatenate([one.q[-1], one.u[-1]]), "double")
        assert close(controlled.y.numpy()[k], np.concatenate([other.q[-1], other.u[-1]]), "double")
        assert controlled.counts["steps"].numpy()[k] == other.statistics.steps
        n = len(eq.phi.entries)
        assert np.abs(fixed.samples.numpy()[k, 0, :n]).max() < 1e-12
        assert close(fixed.samples.numpy()[k, 0, n:], one.q[-1], "double")


def test_semi_implicit_steps(library: EmulatedLibrary) -> None:
    """u + h u'(q, u), then q + h q' of the new speeds: by hand."""
    eq, h = sb.derive(triple_pendulum.model(), check=False), 0.01
    f = sb.compile(eq, bake={s.name: v for s, v in eq.variables.of("p").defaults.items()})
    y = np.random.default_rng(4).uniform(-1, 1, 6)
    run = sb.integrate.cuda_motions(eq, h, method="semi-implicit", inputs={s.name: 0.0 for s in eq.r})
    got = run(sb.emit.device_array(y[None]), 3).y.numpy()[0]
    q, u = y[:3], y[3:]
    for _ in range(3):
        u = u + h * f.udot(0.0, q, u, np.zeros(3))
        q = q + h * f.qdot(0.0, q, u, np.zeros(3))
    assert close(got, np.concatenate([q, u]), "double")


def ball() -> tuple[sb.Equations, sb.Expr]:
    m = sb.Model("ball")
    m.gravity(0, 0, -9.81)
    b = m.body("ball", mass=1.0)
    m.prismatic("height", m.ground, b, axis="z")
    return sb.derive(m, check=False), m.freeze().q[0]


@pytest.mark.parametrize("step", [None, 0.01])
def test_events_and_impacts(step: float | None, library: EmulatedLibrary) -> None:
    """A ball bounces, passes a height (recorded), and stops at its fifth event of another kind, as on this computer."""
    eq, z = ball()
    events: list[sb.Event | sb.Contact] = [
        sb.Contact("floor", z, 0.8),
        sb.Event("passes", z - 0.3, "falling"),
        sb.Event("late", eq.t - 1.5, terminal=True),
    ]
    y = np.array([[1.0, 0.0], [0.6, 1.0]])
    run = sb.integrate.cuda_motions(eq, step, events=events, rtol=1e-8, record=8)
    got = run(sb.emit.device_array(y), 2.0)
    assert [e.name for e in got.endings()] == ["STOPPED", "STOPPED"]
    for k in range(2):
        sim = sb.simulate(
            eq, 2.0, dict(zip(names(eq), y[k], strict=True)), events=events, rtol=1e-8, step=step,
            method="dp5" if step is None else "rk4",
        )  # fmt: skip
        order = {"floor": 0, "passes": 1, "late": 2}
        n = len(sim.events)
        assert got.counts["events"].numpy()[k] == n
        assert np.allclose(got.events["times"].numpy()[k, :n], [e.t for e in sim.events], rtol=0, atol=1e-10)
        assert got.events["which"].numpy()[k, :n].tolist() == [order[e.name] for e in sim.events]
        assert np.isnan(got.events["times"].numpy()[k, n:]).all()
        assert close(got.y.numpy()[k], np.concatenate([sim.q[-1], sim.u[-1]]), "double")


def test_resets_and_chattering(library: EmulatedLibrary) -> None:
    """Members that bounce ever faster end by themselves, where bounces accumulate; the others go on."""
    eq, z = ball()
    bounce = sb.Event("bounce", z, "falling", reset={eq.u[0]: -0.8 * eq.u[0]})
    for event, factor in ((bounce, 0.8), (sb.Contact("floor", z, 0.5), 0.5)):
        run = sb.integrate.cuda_motions(eq, rtol=1e-6, events=[event])
        got = run(sb.emit.device_array(np.array([[1.0, 0.0], [100.0, 0.0]])), 4.2)
        assert [e.name for e in got.endings()] == ["CHATTERING", "REACHED"]
        zeno = np.sqrt(2 / 9.81) * (1 + factor) / (1 - factor)
        assert got.t.numpy()[0] == pytest.approx(zeno, rel=1e-6)


def test_outputs_at_times(library: EmulatedLibrary) -> None:
    eq, z = ball()
    times = np.array([0.0, 0.1, 0.3])
    got = sb.integrate.cuda_motions(eq, rtol=1e-9, outputs=[z * z, 2 * eq.t])(
        sb.emit.device_array(np.array([[1.0, 0.0], [2.0, 0.0]])), times
    )
    heights = np.array([[1.0], [2.0]]) - 9.81 / 2 * times**2
    assert np.allclose(got.samples.numpy(), np.stack([heights**2, np.tile(2 * times, (2, 1))], axis=-1), atol=1e-8)


REFUSED = {
    "no method 'rk5'.*Did you mean 'rk4'": lambda eq: sb.integrate.cuda_motions(eq, 0.1, method="rk5"),
    "form='ggl' is not for GPUs": lambda eq: sb.integrate.cuda_motions(eq, 0.1, form="ggl"),
    "has no error control": lambda eq: sb.integrate.cuda_motions(eq, method="rk4"),
    "no parameter 'mass'": lambda eq: sb.integrate.cuda_motions(eq, 0.1, vary=["mass"]),
    "a GPU cannot call Python": lambda eq: sb.integrate.cuda_motions(
        eq, events=[sb.Event("e", eq.q[0], reset=lambda v: None)]
    ),
    "y must be an array on the card with 2 columns": lambda eq: sb.integrate.cuda_motions(eq, 0.1)(np.zeros((3, 2)), 1),
    r"y has shape \(3, 3\)": lambda eq: sb.integrate.cuda_motions(eq, 0.1)(sb.emit.device_array(np.zeros((3, 3))), 1),
    "y is of type float32": lambda eq: sb.integrate.cuda_motions(eq, 0.1)(
        sb.emit.device_array(np.zeros((3, 2)), "float"), 1
    ),
    "times must increase": lambda eq: sb.integrate.cuda_motions(eq)(
        sb.emit.device_array(np.zeros((3, 2))), [0.0, 2.0, 1.0]
    ),
}


@pytest.mark.parametrize("says", REFUSED)
def test_misfits_are_refused(says: str, library: EmulatedLibrary) -> None:
    with pytest.raises(sb.errors.SimulationError, match=says):
        REFUSED[says](ball()[0])


def test_states_of_fixed_steps_stay_in_registers(monkeypatch: pytest.MonkeyPatch) -> None:
    """No local memory, and the rates of the state in one place."""
    eq = sb.derive(triple_pendulum.model(), check=False)
    emulate(monkeypatch)
    monkeypatch.setattr(jit, "ptx", PTX)
    text = sb.integrate.cuda_motions(eq, STEP, real="float").ptx
    monkeypatch.undo()
    forget()
    assert ".local" not in text
    assert not re.search(r"\b(?:add|mul|fma)\.rn\.f64", text[text.index(".visible .entry") :].split("\n}\n")[0])
    cost = sb.compile(eq, bake={s.name: v for s, v in eq.variables.of("p").defaults.items()}).udot.program.cost.total
    assert len(re.findall(r"\b(?:add|sub|mul|fma)\.rn\.f32", text)) < 2 * cost + 200


def test_loops_take_the_rates_whose_values_fit(library: EmulatedLibrary, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same program as forward dynamics on a card, also where registers are short; the motion is the same."""
    eq = sb.derive(spherical_chain.model(2), check=False)
    numbers = {s.name: v for s, v in eq.variables.of("p").defaults.items()}
    y, found = np.linspace(0.1, 0.9, 2 * len(eq.state)).reshape(2, -1), {}
    for room in (10_000, 1):
        for where in (dynamics, device_form):
            monkeypatch.setattr(where, "REGISTERS", {"double": room})
        run = sb.integrate.cuda_motions(eq, STEP)
        alone = dynamics.Dynamics(eq, numbers, real="double").rhs.program
        assert run.cost_of_rates == alone.cost.total
        found[room] = run.cost_of_rates, run(sb.emit.device_array(y), 20).y.numpy()
    assert found[1][0] > found[10_000][0]
    assert close(found[1][1], found[10_000][1], "double")


def test_a_member_without_numbers(library: EmulatedLibrary) -> None:
    """Its ending says so; the others go on."""
    eq = sb.derive(triple_pendulum.model(), check=False)
    y = np.zeros((2, 6))
    y[0, 0] = np.nan
    got = sb.integrate.cuda_motions(eq, STEP, inputs={s.name: 0.0 for s in eq.r})(sb.emit.device_array(y), 5)
    assert [e.name for e in got.endings()] == ["NOT_FINITE", "REACHED"]

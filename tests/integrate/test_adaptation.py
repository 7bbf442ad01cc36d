"""`method="auto"` changes the method on the way: the same motion, in few steps, whatever goes on beside."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.integrate.run.adaptation import _slopes_of_operations

END = 40.0


def governor(in_plane: bool = False) -> sb.Model:
    """A ball on an arm that a motor turns, and a stiff stop that the arm rests on between t = 1 and t = 15; then the
    motor slows down.

    in_plane   the arm's angle as two coordinates with a constraint between them
    """
    m = sb.Model("governor")
    p = m.parameters(k=1e6, d=1e4, l=0.5, stop=0.8)
    phi, a = m.coordinates("phi a")
    m.gravity(0, 0, -9.81)
    shaft = m.ground.rotate("z", phi)
    m.body("shaft", shaft, mass=1, inertia=(1, 1, 0.5))
    angle = m.coordinate("b") / 2 if in_plane else a
    m.particle("ball", shaft.rotate("y", -angle).point(0, 0, -p.l), mass=1.0)
    if in_plane:
        m.constrain("gear", 2 * a - sb.symbol("b", "coordinate"))
    over = (a - p.stop + sb.sqrt((a - p.stop) ** 2 + 1e-8)) / 2  # the positive part, made smooth
    m.generalized_force("stop", a, -p.k * over - p.d * a.dot * over / (over + 1e-4))
    m.generalized_force("motor", phi, 20 * (1 - phi.dot / 12 * sb.where(m.time < 15, 1, 6)))
    return m


@cache
def equations(in_plane: bool = False) -> sb.Equations:
    return sb.derive(governor(in_plane))


@cache
def run(method: str, **options: Any) -> sb.Trajectory:
    return sb.simulate(equations(), END, a=0.2, method=method, **options)


def changes(sim: sb.Trajectory) -> list[str]:
    return [note.split(" ")[0] for note in sim.outcome.notes]


def test_both_ways_and_said() -> None:
    sim, explicit = run("auto"), run("dp8")
    assert sim.outcome
    assert changes(sim)[:2] == ["radau", "dp8"]
    assert "stability bounded explicit steps" in str(sim.outcome)
    assert sim.statistics.steps < explicit.statistics.steps / 5
    assert sim.statistics.evaluations < explicit.statistics.evaluations / 5
    assert sim.statistics.jacobians > 0


def test_the_same_motion() -> None:
    best = run("radau", rtol=1e-11)
    for sim in (run("auto"), run("dp8")):
        assert np.allclose(
            sim.y[-1], best.y[-1], rtol=1e-4, atol=1e-4
        )  # one after the other a stop, which multiplies errors


def test_rows_and_polynomials_pass_the_change() -> None:
    sim = run("auto")
    assert np.all(np.diff(sim.t) > 0)
    assert np.allclose(sim.at(sim.t).y, sim.y, rtol=1e-9, atol=1e-9)
    between = (sim.t[1:] + sim.t[:-1]) / 2
    slope = (sim.at(between + 1e-6)["phi"] - sim.at(between - 1e-6)["phi"]) / 2e-6
    assert np.allclose(slope, sim.at(between)["phi_dot"], rtol=1e-5, atol=1e-4)


def test_requested_times_pass_the_change() -> None:
    times = np.linspace(0, END, 401)
    sim = sb.simulate(equations(), times, a=0.2)
    assert changes(sim) == changes(run("auto"))
    assert np.array_equal(sim.t, times)
    assert np.allclose(sim.y, run("auto").at(times).y, rtol=1e-9, atol=1e-9)


def test_events_pass_the_change() -> None:
    """Turns of the shaft are recorded all along, and a jump after the first change begins anew."""
    eq = equations()
    turn = sb.Event("turn", sb.sin(eq.q[0]), "rising")
    kick = sb.Event("kick", eq.t - 5, reset={eq.u[1]: eq.u[1] - 0.5})
    found = {m: sb.simulate(eq, END, a=0.2, method=m, events=[turn, kick]) for m in ("auto", "dp8")}
    assert "radau" in changes(found["auto"])
    assert [e.name for e in found["auto"].events] == [e.name for e in found["dp8"].events]
    times = {m: np.array([e.t for e in sim.events]) for m, sim in found.items()}
    assert len(times["auto"]) > 20
    assert np.allclose(times["auto"], times["dp8"], atol=1e-4)
    assert sum(np.diff(found["auto"].t) == 0) == 1  # before and after the kick


def test_constraints_pass_the_change() -> None:
    sim = sb.simulate(equations(True), END, a=0.2, b=0.4)
    assert changes(sim)[0] == "radau"
    assert sim.violation.position < 1e-12
    assert sim.violation.speed < 1e-9
    assert np.allclose(sim["a"][-1], run("auto")["a"][-1], atol=1e-4)


def test_sensitivities_pass_the_change() -> None:
    eq = equations()
    auto, explicit = (
        sb.simulate(eq, [0, 3, 6], a=0.2, method=m, sensitivities=["l", "a"], rtol=1e-9) for m in ("auto", "dp8")
    )
    assert changes(auto) == ["radau"]
    for what in ("phi", "phi_dot", "a"):
        for by in ("l", "a"):
            assert np.allclose(auto.sensitivity(what, by), explicit.sensitivity(what, by), rtol=1e-4, atol=1e-5)


def test_growth_and_memory_pass_the_change() -> None:
    few = sb.simulate(equations(), END, a=0.2, max_memory=2e4)
    assert few.outcome
    assert len(few) < len(run("auto"))
    assert np.array_equal(few.y[-1], run("auto").y[-1])


@pytest.mark.parametrize("rtol", [1e-3, 1e-5, 1e-8])
@pytest.mark.parametrize("rate", [1e-2, 1.0, 1e4])
def test_fast_vibrations_are_followed(rtol: float, rate: float) -> None:
    """An oscillation is part of the motion, in whatever unit of time: no change."""
    m = sb.Model("oscillator")
    x = m.coordinate("x")
    m.particle("a", m.ground.point(x, 0, 0), mass=1)
    m.generalized_force("spring", x, -(rate**2) * x)
    sim = sb.simulate(sb.derive(m), 3000 / rate, x=1, rtol=rtol)
    assert sim.outcome
    assert changes(sim) == []


def test_a_method_that_was_named_stays() -> None:
    assert run("dp8").outcome.notes == ()
    assert run("radau", rtol=1e-11).outcome.notes == ()


def chain(links: int) -> sb.Equations:
    """Pendulums in space, and a light wheel that a damper slows down: a mode of 4000 per second, which bounds steps."""
    m = sb.Model("chain")
    m.gravity(0, 0, -9.81)
    frame, axes = m.ground, ("x", "y")
    for k in range(links):
        frame = frame.rotate(axes[k % 2], m.coordinate(f"q{k}"))
        m.body(f"link{k}", frame, mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.02))
        frame = frame.translate(0, 0, -1.0)
    turn = m.coordinate("turn")
    m.body("wheel", m.ground.rotate("z", turn), mass=1.0, inertia=(1e-3, 1e-3, 1e-3))
    m.generalized_force("damper", turn, -4.0 * (turn.dot - sb.sin(m.time)))
    return sb.derive(m)


def test_the_jacobian_of_a_large_system_has_to_be_worth_its_making() -> None:
    """With two links a change takes milliseconds, and is made; with eight it takes longer than the steps that are left, in
    which the motion is the same whichever method takes them."""
    small, large = (sb.simulate(chain(n), 3.0, q0=0.4, q1=0.3) for n in (2, 8))
    assert changes(small) == ["radau"]
    assert changes(large) == []
    assert large.outcome
    assert large.statistics.steps > 1500


def test_slopes_of_operations_are_counted() -> None:
    x, y, z, k = sb.symbols("x y z k")
    p = sb.program("f", {"y": [x, y, z], "p": [k]}, {"r": [sb.sin(x * y) + z, k * y]}, as_written=True)
    # x, y, z themselves; x*y and its sine two each, the sum three, k*y one
    assert _slopes_of_operations(p, "y") == 3 + 2 + 2 + 3 + 1

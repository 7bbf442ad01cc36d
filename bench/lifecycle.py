"""The life of a model, stage by stage, from its derivation to its last picture. When it is dropped, its nodes and its
memory are free."""

from __future__ import annotations

import gc
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np

import symbody as sb
from examples import slider_crank
from symbody.algebra.graph.node_table import live_nodes
from symbody.study.sources import find_model
from symbody.study.study import Study


def pendulum(k: int) -> sb.Equations:
    """A driven double pendulum above a floor; every k is a model of its own, with other names and other numbers."""
    m = sb.Model(f"pendulum {k}")
    g, length, c = m.parameters(f"g l{k} c", 9.81, 1 + k % 7 / 100, 0.1)
    m.gravity(0, -g, 0)
    upper = m.body("upper", mass=1 + k % 11 / 7, com=(0, -length, 0), inertia=sb.inertia(0.1, 0.1, 0.1))
    lower = m.body("lower", mass=m.parameter("m", 1.0), com=(0, -length, 0))
    m.revolute(f"q{k}", m.ground, upper, actuation=m.input("tau"), damping=c)
    m.revolute("p", upper, lower, at=(0, -length, 0), damping=c)
    m.output("height", lower.point(0, -length, 0).position().components(m.ground)[1])
    return sb.derive(m)


def floor(eq: sb.Equations) -> sb.Contact:
    return sb.Contact("floor", eq.outputs["height"] + 1.8, 0.5)


def start(k: int) -> dict[str, float]:
    return {f"q{k}": 1.0}


def crank_run() -> sb.Trajectory:
    """A mechanism with a closed loop."""
    eq = sb.derive(slider_crank.model())
    return sb.simulate(eq, 0.1, sb.assemble(eq, start=slider_crank.START))


# ---------------------------------------------------------------------------------------------------------- stages


def derived(k: int) -> None:
    sb.certify(pendulum(k))


def compiled(k: int) -> None:
    f = sb.compile(pendulum(k))
    f.udot.batch(0.0, np.zeros((9, 2)), np.zeros((9, 2)), np.zeros(1), f.p)


def driven(k: int) -> None:
    """Inputs as samples, expressions and functions; events and impacts."""
    eq = pendulum(k)
    samples = (np.linspace(0, 1, 9), np.sin(np.arange(9.0) + k))
    ring = sb.Event("ring", eq.q[1], "rising")
    for law in (samples, sb.sin(eq.t), lambda t: 0.1 * t):
        sb.simulate(eq, 0.2, start(k), inputs={"tau": law}, events=[floor(eq), ring])


def stiff(k: int) -> None:
    sb.simulate(pendulum(k), 0.2, start(k), method="radau")


def varied(k: int) -> None:
    sb.simulate(pendulum(k), 0.2, start(k), sensitivities=["c"]).sensitivity("height", "c")


def switched(k: int) -> None:
    eq = pendulum(k)
    sim = sb.simulate_modes(sb.Contacts(eq, floor(eq)), 0.5, start(k))
    sim[eq.outputs["height"] * eq.u[0]], sim["height"], sim.energy


def looped(k: int) -> None:
    sim = crank_run()
    sim.energy, sim.lam, sim.violation, sim.load_powers, sim.reaction(next(iter(sim.equations.mechanism.joints)).name)


def batched(k: int) -> None:
    sb.simulate_batch(pendulum(k), np.linspace(0, 0.2, 5), values={f"q{k}": np.linspace(0, 1, 5)})["height"]


def studied(k: int) -> None:
    """What the command line and reports ask."""
    study = Study(find_model("double_pendulum"))
    assert all((study.certificate.passed, study.trajectory.outcome, study.spectrum.eigenvalues.size))


def linearised(k: int) -> None:
    eq = pendulum(k)
    near = sb.linearize(eq, sb.steady(eq))
    near.root_locus(points=20, c=(0.0, 1.0)), near.modes()


def shown(k: int) -> None:
    sim = crank_run()
    with tempfile.TemporaryDirectory() as folder:
        sb.plot(sim).save(Path(folder, "run.svg"))
        sb.scene(sim).save(Path(folder, "view.html"))
        sb.write.load_trajectory(sb.write.save_trajectory(sim, Path(folder, "run")), sim.equations)


STAGES: Final[tuple[Callable[[int], None], ...]] = (
    derived, compiled, driven, stiff, varied, switched, batched, looped, linearised, studied, shown,
)  # fmt: skip


def nodes_left() -> int:
    """Nodes that are alive when everything that can go has gone."""
    gc.collect()
    return live_nodes()

"""Whole motions on a GPU, on an emulated card: the same steps as on this computer."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import symbody as sb
from examples import triple_pendulum

from ..emit.emulated_card import EmulatedLibrary, emulate, forget

TOLERANCE = {"double": 1e-11, "float": 1e-4}
STEP = 0.01


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
    found = [sb.assemble(eq, {**start, next(iter(start)): 0.9 + 0.02 * k}) for k in range(members)]
    return np.stack([np.concatenate([s.q, s.u]) for s in found])


def names(eq: sb.Equations) -> list[str]:
    return [s.name for s in eq.state]


@pytest.mark.parametrize("real", ["double", "float"])
def test_runge_kutta(real: str, library: EmulatedLibrary) -> None:
    """The steps of `simulate`, with inputs and a parameter that differ between members."""
    eq, draw, members = sb.derive(triple_pendulum.model(), check=False), np.random.default_rng(1), 5
    y, p = draw.uniform(-1, 1, (members, 6)), draw.uniform(0.5, 1.5, (members, 4))
    vary = [eq.p[0].name]
    run = sb.cuda_motions(eq, STEP, real=real, vary=vary)
    assert run.state_names == tuple(names(eq))
    assert set(run.parameter_names) == {*vary, *(s.name for s in eq.r)}
    got = run(sb.device_array(y, real), 20, parameters=sb.device_array(p, real), every=5)
    assert [e.name for e in got.endings()] == ["REACHED"] * members
    for k in range(members):
        start = dict(zip(names(eq), y[k], strict=True)) | dict(zip(run.parameter_names, p[k], strict=True))
        sim = sb.simulate(eq, np.linspace(0, 0.2, 5), start, method="rk4", step=STEP)
        exact = np.hstack([sim.q, sim.u])
        assert close(got.samples.numpy()[:, k], exact[1:], real)
        assert close(got.y.numpy()[k], exact[-1], real)
    assert close(got.t.numpy(), np.full(members, 0.2), real)

"""Functions on a GPU: the text for it, and values on an emulated card."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import symbody as sb
from examples import triple_pendulum

from .emulated_card import EmulatedLibrary, emulate, forget

TOLERANCE = {"double": 1e-12, "float": 2e-4}
DTYPE = {"double": np.float64, "float": np.float32}


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Iterator[EmulatedLibrary]:
    yield emulate(monkeypatch)
    monkeypatch.undo()
    forget()


def dynamics(real: str | None = None) -> sb.emit.Dynamics:
    eq = sb.derive(triple_pendulum.model(), check=False)
    return sb.compile(eq) if real is None else sb.compile(eq, target="cuda", real=real)


def states(f: Any, n: int, seed: int = 1) -> list[Any]:
    """Random groups of inputs; parameters near one, one row for all."""
    draw = np.random.default_rng(seed)
    made = {"t": 0.3, "p": draw.uniform(0.8, 1.2, len(f.p))}
    groups = f.udot.program.inputs
    return [made[g.name] if g.name in made else draw.uniform(-2, 2, (n, len(g))) for g in groups]


def on_card(groups: list[Any], real: str) -> list[Any]:
    return [sb.device_array(g, real) if np.ndim(g) == 2 else g for g in groups]


def close(got: Any, exact: Any, real: str) -> bool:
    got, exact = np.asarray(got, dtype=float), np.asarray(exact, dtype=float)
    return bool(np.all(np.abs(got - exact) <= TOLERANCE[real] * (1 + np.abs(exact).max())))


# ---------------------------------------------------------------------------------------------------------- values


@pytest.mark.parametrize("real", ["double", "float"])
@pytest.mark.parametrize("name", ["udot", "qdot", "M", "f", "jacobian", "energies", "inverse"])
def test_values(name: str, real: str, library: EmulatedLibrary) -> None:
    """What this computer computes; 300 states are more than two blocks hold, so that threads take several."""
    exact, f = getattr(dynamics(), name), getattr(dynamics(real), name)
    draw = np.random.default_rng(5)
    made = {"t": 0.3, "p": draw.uniform(0.8, 1.2, len(dynamics().p))}
    groups = [made[g.name] if g.name in made else draw.uniform(-2, 2, (300, len(g))) for g in f.program.inputs]
    got, expected = f(*on_card(groups, real)), exact.batch(*groups)
    for a, b in zip(*((x,) if not isinstance(x, tuple) else x for x in (got, expected)), strict=True):
        assert a.shape == b.shape
        assert a.dtype == DTYPE[real]
        assert close(a.numpy(), b, real)

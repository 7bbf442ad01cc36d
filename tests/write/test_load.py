"""`load` reads every kind of result that was saved, by the kind in its file."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symbody as sb

x, v, mu = sb.symbols("x v mu")


@pytest.fixture(scope="module")
def oscillator() -> sb.Equations:
    return sb.from_equations({x: v, v: mu * (1 - x**2) * v - x}, {mu: 1.0})


def test_every_kind(oscillator: sb.Equations, tmp_path: Path) -> None:
    motion, rest = sb.simulate(oscillator, 1.0, x=1.0), sb.steady(oscillator)
    orbit = sb.orbit(oscillator, {"x": 2.0}, period=6.6)
    saved: list[tuple[Any, Any]] = [
        (motion, oscillator),
        (sb.branch(oscillator, rest, mu=(0.5, 1.5)), rest),
        (orbit, oscillator),
        (sb.orbits(oscillator, orbit, mu=(0.9, 1.1)), oscillator),
    ]
    for result, of in saved:
        again = sb.load(result.save(tmp_path / type(result).__name__), of)
        assert type(again) is type(result)
        assert again.outcome == result.outcome
    sb.sweep(lambda a: a**2, {"a": [1.0, 2.0]}, to=tmp_path / "study.zarr")
    assert sb.load(tmp_path / "study.zarr")["value"].tolist() == [1, 4]


def test_options_go_to_their_kind(tmp_path: Path) -> None:
    F = sb.symbol("F", "input")
    eq = sb.from_equations({x: F - x})
    sim = sb.simulate(eq, 1.0, x=1.0, inputs={"F": 2 * x})
    assert sb.load(sim.save(tmp_path / "run"), eq, inputs={"F": 2 * x}).final["x"] == sim.final["x"]
    with pytest.raises(sb.errors.CallError, match=r"trajectory: takes no events=; it takes inputs"):
        sb.load(tmp_path / "run.npz", eq, events=[])
    sb.sweep(lambda a: a**2, {"a": [1.0]}, to=tmp_path / "study.zarr")
    with pytest.raises(sb.errors.CallError, match="sweep: takes no inputs="):
        sb.load(tmp_path / "study.zarr", inputs={})


def test_what_is_missing_or_no_result_is_refused(oscillator: sb.Equations, tmp_path: Path) -> None:
    path = sb.simulate(oscillator, 1.0, x=1.0).save(tmp_path / "run")
    with pytest.raises(sb.errors.CallError, match=r"trajectory: needs the equations, modes or contacts"):
        sb.load(path)
    with pytest.raises(FileNotFoundError, match=r"nothing\.npz"):
        sb.load(tmp_path / "nothing.npz", oscillator)
    np.savez(tmp_path / "other.npz", a=np.ones(3))
    with pytest.raises(sb.errors.StudyError, match="the array 'header' is missing"):
        sb.load(tmp_path / "other.npz", oscillator)
    header = np.frombuffer(b'{"symbody spoon": 1}', dtype=np.uint8)
    np.savez(tmp_path / "spoon.npz", header=header)
    with pytest.raises(
        sb.errors.StudyError, match="'spoon' is not a kind of result; the kinds are trajectory, branch, orbit"
    ):
        sb.load(tmp_path / "spoon.npz", oscillator)
    (tmp_path / "text.npz").write_text("not an archive", encoding="utf-8")
    with pytest.raises(sb.errors.StudyError, match="no result could be read"):
        sb.load(tmp_path / "text.npz", oscillator)

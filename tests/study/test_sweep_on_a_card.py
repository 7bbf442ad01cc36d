"""A sweep with on="cuda": on a card where there is a driver, on an emulated one anywhere, and the sentence where there is
none."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.emit.run import cuda_driver

from ..emit.emulated_card import emulate, forget

OVER = {"q1": [0.2, 0.5, 0.9], "g": [9.81, 1.62]}
TIMES = np.linspace(0.0, 0.5, 4)


@pytest.fixture(scope="module")
def pendulum() -> sb.Equations:
    return sb.derive(sb.read_model("double_pendulum").mechanism)


@pytest.fixture(params=["emulated", "real"])
def card(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    if request.param == "emulated":
        emulate(monkeypatch)
    elif not has_driver():
        pytest.skip("no NVIDIA driver on this computer")
    yield
    monkeypatch.undo()
    forget()


def has_driver() -> bool:
    forget()
    try:
        cuda_driver.cuda()
    except sb.errors.CompileError:
        return False
    return True


def swept(eq: sb.Equations, on: str, ask: Any) -> sb.study.SweepResult:
    return sb.sweep(eq, OVER, ask, sample="grid", on=on)


def test_motions_are_those_of_this_computer(pendulum: sb.Equations, card: None) -> None:
    """Every member, at all times and at the end; what is varied are starts and parameters."""
    for ask in (sb.study.at_times(TIMES, "q1", "q2", rtol=1e-10), sb.study.at_end(0.5, "q1", "q2", rtol=1e-10)):
        here, there = (swept(pendulum, on, ask) for on in ("threads", "cuda"))
        for name in ("q1", "q2"):
            assert np.shape(here[name]) == np.shape(there[name])
            assert np.allclose(here[name], there[name], rtol=1e-7, atol=1e-8)
            assert np.ptp(here[name]) > 0.1


@pytest.mark.parametrize(("on", "target"), [("cuda", "cpu"), ("threads", "cuda"), (None, "cuda")])
def test_where_there_is_no_driver_one_sentence(
    on: str | None, target: str, pendulum: sb.Equations, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Before anything runs or is written; no member takes the blame."""
    monkeypatch.setattr(cuda_driver, "LIBRARIES", ("no_such_library.so",))
    forget()
    folder, ask = tmp_path / "study.zarr", sb.study.at_end(0.5, "q1", target=target)
    with pytest.raises(sb.errors.CompileError, match="needs an NVIDIA GPU and its driver"):
        sb.sweep(pendulum, OVER, ask, sample="grid", on=on, to=folder)
    assert not folder.exists()
    forget()

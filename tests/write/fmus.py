"""FMUs for tests: written, opened by FMPy, and driven by hand or by its simulators."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symbody as sb

ME, CS = "ModelExchange", "CoSimulation"
REASON = "FMPy is not installed (pip install fmpy)"


def fmpy() -> Any:
    return pytest.importorskip("fmpy", reason=REASON)


def failed_call() -> type[Exception]:
    """What FMPy raises where a function of an FMU returns an error."""
    return fmpy().fmi1.FMICallException


def problems(path: Path) -> list[str]:
    fmpy()
    from fmpy.validation import validate_fmu

    return validate_fmu(str(path))


def motion(path: Path, kind: str, names: Sequence[str], times: Any, **options: Any) -> Any:
    """Values of some variables at evenly spaced times, by FMPy: with CVode in model exchange."""
    found = fmpy().simulate_fmu(
        str(path), fmi_type=kind, start_time=times[0], stop_time=times[-1], output_interval=times[1] - times[0], relative_tolerance=1e-12,
        record_events=False, output=list(names), **options,
    )  # fmt: skip
    np.testing.assert_allclose(found["time"], times, atol=1e-12)
    return np.column_stack([found[n] for n in names])


@contextmanager
def opened(path: Path, kind: str = ME, name: str = "one", **how: Any) -> Iterator[Any]:
    """An instance, with `vr`: value references by name."""
    f = fmpy()
    description = f.read_model_description(str(path))
    folder = f.extract(str(path))
    interface = description.modelExchange if kind == ME else description.coSimulation
    classes = {
        ("2.0", ME): f.fmi2.FMU2Model, ("2.0", CS): f.fmi2.FMU2Slave, ("3.0", ME): f.fmi3.FMU3Model, ("3.0", CS): f.fmi3.FMU3Slave,
    }  # fmt: skip
    it = classes[description.fmiVersion, kind](
        guid=description.guid, unzipDirectory=folder, modelIdentifier=interface.modelIdentifier, instanceName=name
    )
    it.instantiate(**how)
    it.description = description
    it.vr = {v.name: v.valueReference for v in description.modelVariables}
    it.version = description.fmiVersion
    it.read = lambda *names: np.array(_getter(it)([it.vr[n] for n in names]))
    it.put = lambda **values: _setter(it)([it.vr[n] for n in values], list(values.values()))
    try:
        yield it
    finally:
        it.freeInstance()
        shutil.rmtree(folder, ignore_errors=True)


def _getter(it: Any) -> Any:
    return it.getReal if it.version == "2.0" else it.getFloat64


def _setter(it: Any) -> Any:
    return it.setReal if it.version == "2.0" else it.setFloat64


def begin(it: Any, **values: float) -> Any:
    """Through the initialization, with start values and parameters."""
    if it.version == "2.0":
        it.setupExperiment(startTime=0.0, tolerance=1e-12)
    if values:
        it.put(**values)
    if it.version == "2.0":
        it.enterInitializationMode()
    else:
        it.enterInitializationMode(tolerance=1e-12, startTime=0.0)
    it.exitInitializationMode()
    return it


def directional(it: Any, unknowns: Sequence[str], knowns: Sequence[str], seed: Sequence[float]) -> Any:
    u, k = [it.vr[n] for n in unknowns], [it.vr[n] for n in knowns]
    return np.array(it.getDirectionalDerivative(u, k, list(seed)))


def ball() -> tuple[sb.Equations, list[sb.Event], dict[str, float]]:
    """Events with direction, reset, guard, end; an input with its rate; outputs; units."""
    m = sb.Model("ball")
    cart = m.body("cart", mass=1)
    m.prismatic("x", m.ground, cart, axis="x")
    m.prismatic("h", cart, m.body("ball", mass=m.parameter("mass", 0.5, unit="kg")), axis="y")
    m.gravity(0, -m.parameter("g", 9.81, unit="m/s^2"), 0)
    x, h, wind = m.symbols["x"], m.symbols["h"], m.input("wind")
    m.force("push", cart, m.ground.x * (wind + 0.1 * wind.dot - 9 * x))
    m.output("height", 2 * h)
    eq = sb.derive(m)
    events = [
        sb.Event("bounce", h, "falling", reset={h.dot: -0.8 * h.dot}),
        sb.Event("wall", x - 0.3, reset={x.dot: -x.dot}, where=x.dot < 0),
        sb.Event("end", eq.t - 3.2, terminal=True),
    ]
    start = {"h": 1.0, "x_dot": 1.0}  # it passes the wall from behind, where the guard is false, and comes back
    return eq, events, start

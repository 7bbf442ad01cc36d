"""Whole loops printed as C do what they do as machine code: the same form, two printers."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.emit.loops.kernel_parser import kernel_source
from symbody.emit.loops.records import Struct, known_values, type_of
from symbody.integrate import SimulationOptions, simulate
from symbody.integrate.kernels.march import march
from symbody.integrate.run.form_and_method import choice
from symbody.integrate.run.machine import Task
from symbody.integrate.run.methods import machine_of
from symbody.integrate.run.simulation import Simulation
from symbody.integrate.run.time_span import TimeSpan
from symbody.integrate.start.consistent_start import ConsistentStart
from symbody.integrate.start.state import State
from symbody.write.targets.c.c_kernels import c_loops
from tests.contracts.targets import c_compiler
from tests.emit.test_loops import by_index, by_table, go, line_with
from tests.integrate.mechanisms import START, double_pendulum, slider_crank

FLAGS = (
    "-std=c99",
    "-O2",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-Wno-unused-parameter",
    "-Wno-unused-variable",
    "-shared",
    "-fPIC",
)


def in_c(folder: Path, kernel: Callable[..., Any], **records: Any) -> Callable[[], int]:
    """A kernel by way of C, with its arguments in place."""
    types: dict[str, Any] = {
        a: type_of(records[a]) if isinstance(records[a], Struct) else kernel_source(kernel).declared(a) for a in records
    }
    known = {k: v for a, r in records.items() if isinstance(r, Struct) for k, v in known_values(r, a).items()}
    text, library = folder / "loops.c", folder / "loops.so"
    text.write_text(c_loops(kernel, "entry", types, known), encoding="utf-8")
    subprocess.run([c_compiler(), *FLAGS, str(text), "-o", str(library), "-lm"], check=True)
    entry, result = ctypes.CDLL(str(library)).entry, np.zeros(1, dtype=np.int64)
    places = [r.address if isinstance(r, Struct) else r.ctypes.data for r in records.values()]
    table = np.array([*places, result.ctypes.data], dtype=np.intp)

    def run() -> int:
        entry(ctypes.c_void_p(table.ctypes.data), None, None)
        return int(result[0])

    return run


@pytest.mark.parametrize("weigh", [by_table, by_index])
@pytest.mark.parametrize("known", [(), ("n", "rate")])
def test_records_in_c(weigh, known, tmp_path):
    here, there = line_with(weigh), line_with(weigh).know(*known)
    zeros: Any = np.zeros(3)  # as the machine has lists of numbers
    assert go(here, zeros) == in_c(tmp_path, go, line=there, dy=np.zeros(3))()
    np.testing.assert_allclose(there.y, here.y, rtol=1e-15)
    assert np.array_equal(there.seen, here.seen)
    assert there.tally.sum == pytest.approx(here.tally.sum, rel=1e-14)


def pendulum() -> tuple[sb.Equations, State]:
    eq = double_pendulum()
    return eq, State.of(eq, {"q1": 1.0, "q2": 0.5})


def crank() -> tuple[sb.Equations, State]:
    eq = slider_crank()
    return eq, sb.assemble(eq, start=START)


CASES: dict[str, tuple[Callable[[], tuple[sb.Equations, State]], dict[str, Any]]] = {
    "dp5": (pendulum, {"method": "dp5"}),
    "dp8, projection": (crank, {"method": "dp8"}),
    "radau, projection": (crank, {"method": "radau", "rtol": 1e-6}),
    "radau, ggl": (crank, {"method": "radau", "form": "ggl", "rtol": 1e-6}),
    "variational": (crank, {"method": "variational", "step": 0.01, "order": 4}),
}


@pytest.mark.parametrize("case", CASES)
def test_march_in_c(case, tmp_path):
    """The loop around steps, for every method, with requested times: states agree as far as rounding lets them, and so
    do the counts."""
    make, options = CASES[case]
    eq, state = make()
    times = np.linspace(0.0, 0.5, 11)
    expected = simulate(eq, times, state, **options)
    it = Simulation(eq, choice(eq, SimulationOptions(**options)), ConsistentStart(state), TimeSpan(0.0, 0.5, times))
    o = it.options
    machine = machine_of(o.method, Task(it.form, it.p, it.y, 0.0, 0.5, o.rtol, it.atol, o.step, times=times))
    machine.counts.limit = 10**6
    assert in_c(tmp_path, march, m=machine.method, s=machine.steps)() == 0
    n = expected.y.shape[1]
    np.testing.assert_allclose(machine.memory.points[:, :n], expected.y, rtol=1e-10, atol=1e-10)
    assert machine.counts.steps == expected.statistics.steps
    assert machine.counts.evaluations == expected.statistics.evaluations

"""Models as FMUs: FMPy finds nothing wrong with them, and simulates what `simulate` does."""

from __future__ import annotations

import ctypes
import re
import subprocess
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.study.model_reading import built_in
from symbody.study.sources import find_model
from symbody.study.study import Study
from symbody.whole_files import write_bytes
from symbody.write.mockup import build
from symbody.write.mockup.archive import archive
from symbody.write.mockup.fmu import MockUpOptions, fmu_files, mock_up
from tests.amount import FULL
from tests.contracts.targets import c_compiler

from .fmus import CS, ME, ball, begin, directional, failed_call, fmpy, motion, opened, problems
from .hostile_model import hostile
from .models import SAMPLES, crank, operations, pendulums, top

VERSIONS = (2, 3)
BOTH = pytest.mark.parametrize("kind", [ME, CS])
EACH = pytest.mark.parametrize("version", VERSIONS)


@pytest.fixture(autouse=True)
def _quick_builds(monkeypatch: pytest.MonkeyPatch) -> None:
    c_compiler()
    monkeypatch.setenv("CFLAGS", "-O0")


@pytest.fixture(scope="module", params=VERSIONS)
def crank_fmu(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Constraints, an input with its rate, one that follows samples, an additional equation, external functions,
    outputs, energies, an event."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CFLAGS", "-O0")
        eq = crank()
        path = tmp_path_factory.mktemp("crank") / "crank.fmu"
        start = sb.assemble(eq, a=0.4, a_dot=1.0, inputs={"motor": SAMPLES})
        return sb.write.fmu(
            eq, path, version=request.param, start=start, inputs={"motor": SAMPLES}, events={"top": eq.q[0] - 1}, fixed=["g"],
            also=["energies", "multipliers"],
        )  # fmt: skip


# ---------------------------------------------------------------------------------------------------- motions


@pytest.mark.parametrize("name", sorted(built_in()) if FULL else ["bicycle", "satellite", "sleigh", "slider_crank"])
def test_built_in_models(name: str, tmp_path: Path) -> None:
    """Both interfaces, against `simulate`, to 1e-9 of the largest value of a variable."""
    study = Study(find_model(name))
    eq, names = study.equations, [s.name for s in study.equations.state]
    times = np.linspace(study.start.t, study.start.t + 0.25, 6)
    exact = sb.simulate(eq, times, study.start, rtol=1e-13).y[:, : len(names)]
    it = mock_up(eq, MockUpOptions(start=study.start, derivatives=False))
    for version in VERSIONS:
        path = write_bytes(tmp_path / f"{version}.fmu", archive(fmu_files(it, version, None)))
        assert problems(path) == []
        for kind in (ME, CS):
            found = motion(path, kind, names, times)
            np.testing.assert_array_less(np.abs(found - exact).max(axis=0) / (1 + np.abs(exact).max(axis=0)), 1e-9)


@BOTH
@EACH
def test_events(version: int, kind: str, tmp_path: Path) -> None:
    """Bounces, a guard that holds in one direction only, and an end, as in `simulate`."""
    eq, events, start = ball()
    path = sb.write.fmu(eq, tmp_path / "ball.fmu", version=version, events=events, start=start)
    assert problems(path) == []
    times = np.linspace(0, 3, 31)
    exact = sb.simulate(eq, times, start, events=events, rtol=1e-12)
    assert {e.name for e in exact.events} == {"bounce", "wall"}
    np.testing.assert_allclose(motion(path, kind, ["x", "h", "x_dot", "h_dot"], times), exact.y[:, :4], atol=1e-9)
    if kind == ME:
        found = fmpy().simulate_fmu(
            str(path), fmi_type=kind, stop_time=4, output_interval=0.5, relative_tolerance=1e-10
        )
        assert found["time"][-1] == pytest.approx(3.2, abs=1e-9)
        return
    with opened(path, CS) as it:
        begin(it)
        if version == 2:
            with pytest.raises(failed_call(), match="discard"):
                it.doStep(0.0, 4.0)
            assert it.getBooleanStatus(3)  # fmi2Terminated
        else:
            _, ended, _, last = it.doStep(0.0, 4.0)
            assert ended
            assert last == pytest.approx(3.2, abs=1e-9)
        assert it.read("time")[0] == pytest.approx(3.2, abs=1e-9)


def test_event_mode_of_co_simulation(tmp_path: Path) -> None:
    """FMI 3.0: where the importer uses it, a step ends at an event with the state before; event mode gives the state
    after. Motions are those of `simulate`."""
    eq, events, start = ball()
    path = sb.write.fmu(eq, tmp_path / "ball.fmu", version=3, events=events, start=start)
    assert problems(path) == []
    times = np.linspace(0, 3, 31)
    exact = sb.simulate(eq, times, start, events=events, rtol=1e-12)
    used = {"use_event_mode": True, "early_return_allowed": True}
    names = ["x", "h", "x_dot", "h_dot"]
    found = fmpy().simulate_fmu(
        str(path), fmi_type=CS, stop_time=3.0, output_interval=0.1, relative_tolerance=1e-12, output=names, **used
    )  # fmt: skip
    last = [int(np.flatnonzero(np.abs(found["time"] - t) < 1e-9)[-1]) for t in times]
    np.testing.assert_allclose(np.column_stack([found[n] for n in names])[last], exact.y[:, :4], atol=1e-9)
    bounce = next(e for e in sb.simulate(eq, 1.0, start, events=events, rtol=1e-12).events if e.name == "bounce")
    with opened(path, CS, eventModeUsed=True, earlyReturnAllowed=True) as it:
        begin(it)
        it.updateDiscreteStates()
        it.enterStepMode()
        *_, wall = it.doStep(0.0, 1.0)  # passed where its guard is false: event mode changes nothing
        it.enterEventMode()
        *_, changed, _, _ = it.updateDiscreteStates()
        assert not changed
        it.enterStepMode()
        needs_events, ended, is_early, last_time = it.doStep(wall, 1.0 - wall)
        assert (needs_events, ended, is_early) == (True, False, True)
        assert last_time == pytest.approx(bounce.t, abs=1e-9)
        before = it.read("h_dot")[0]
        it.enterEventMode()
        *_, changed, _, _ = it.updateDiscreteStates()
        assert changed
        assert it.read("h_dot")[0] == pytest.approx(-0.8 * before, rel=1e-12)
        it.enterStepMode()
        it.doStep(last_time, 0.01)
    with opened(path, CS) as it:  # without event mode: no way in
        begin(it)
        with pytest.raises(failed_call(), match="fmi3EnterEventMode failed"):
            it.enterEventMode()


@BOTH
def test_every_crossing_counts_once(kind: str, tmp_path: Path) -> None:
    """An oscillator that just touches a level, in both directions within a step; crossings that count in one direction;
    one without consequences; and communication points at the events."""
    m = sb.Model("counter")
    m.prismatic("x", m.ground, m.body("mass", mass=1), axis="x", stiffness=9.0)
    x, n, k = m.symbols["x"], m.variable("n"), m.variable("k")
    m.equation("n", n.dot)
    m.equation("k", k.dot)
    eq = sb.derive(m)
    events = [
        sb.Event("graze", x + 0.9999, reset={n: n + 1}), sb.Event("up", x, "rising", reset={k: k + 1}),
        sb.Event("down", x.dot, "falling", reset={k: k + 10}), sb.Event("plain", x - 0.5),
    ]  # fmt: skip
    path = sb.write.fmu(eq, tmp_path / "counter.fmu", events=events, start={"x": 1.0})
    for times in (
        np.linspace(0, 10, 6),
        np.linspace(0, 2 * np.pi, 25),
    ):  # of the latter, every other one is an event's own
        exact = sb.simulate(eq, times, {"x": 1.0}, events=events, rtol=1e-11).y[1::2, :4]
        assert exact[-1, 2] > 4
        np.testing.assert_allclose(motion(path, kind, ["x", "x_dot", "n", "k"], times)[1::2], exact, atol=1e-8)


@EACH
def test_an_event_is_handled_once(version: int, tmp_path: Path) -> None:
    """Event mode is entered again at the same time, as after a change of an input: a ball that is still a little below
    the ground does not bounce twice."""
    eq, events, start = ball()
    with opened(sb.write.fmu(eq, tmp_path / "ball.fmu", version=version, events=events, start=start)) as it:
        begin(it)
        _discrete_states(it)
        it.enterContinuousTimeMode()
        it.setTime(0.4)
        it.put(h=-1e-12, h_dot=-2.0)
        for _ in range(2):
            it.enterEventMode()
            _discrete_states(it)
            assert it.read("h_dot")[0] == 1.6
            it.enterContinuousTimeMode()


def test_inputs_follow_their_derivatives(tmp_path: Path) -> None:
    """Co-simulation with a ramp given by fmi2SetRealInputDerivatives: also its rate is in the equations."""
    eq, _, _ = ball()
    path = sb.write.fmu(eq, tmp_path / "ball.fmu")
    exact = sb.simulate(eq, np.linspace(0, 1, 6), inputs={"wind": 2 + 3 * eq.t}, rtol=1e-12)
    with opened(path, CS) as it:
        begin(it)
        for k in range(5):
            it.put(wind=2 + 3 * 0.2 * k)
            it.setRealInputDerivatives([it.vr["wind"]], [1], [3.0])
            it.doStep(0.2 * k, 0.2)
            np.testing.assert_allclose(it.read("x", "x_dot"), exact.y[k + 1, [0, 2]], atol=1e-10)
        assert it.getRealOutputDerivatives([it.vr["x"], it.vr["height"]], [1, 1])[0] == pytest.approx(
            it.read("x_dot")[0]
        )


# ---------------------------------------------------------------------------------------------------- values


def test_parameters_move_the_start(crank_fmu: Path) -> None:
    """A start is on the constraints with the parameters that are set, the nearest one to the start that was given."""
    assert problems(crank_fmu) == []
    eq = sb.closed_loop(crank(), {"motor": SAMPLES})
    with opened(crank_fmu) as it:
        given = it.read(*(s.name for s in eq.state))
        begin(it, l=0.55)
        found = dict(zip((s.name for s in eq.state), it.read(*(s.name for s in eq.state)), strict=True))
        assert sb.State.of(eq, {**found, "l": 0.55}).violation.is_small
        moved = np.array(list(found.values())) - given
        assert 1e-3 < np.abs(moved).max() < 0.5
        it.put(l=0.6)  # tunable
        with pytest.raises(failed_call(), match="failed"):
            it.put(g=1.0)
        _discrete_states(it)
        found = dict(zip((s.name for s in eq.state), it.read(*(s.name for s in eq.state)), strict=True))
        assert sb.State.of(eq, {**found, "l": 0.6}).violation.is_small


def _discrete_states(it: Any) -> tuple[Any, ...]:
    return it.newDiscreteStates() if it.version == "2.0" else it.updateDiscreteStates()


@BOTH
def test_constraints_hold(kind: str, crank_fmu: Path) -> None:
    """However loose the tolerance: every step of co-simulation ends on the constraints, and model exchange asks to be
    put back."""
    eq = sb.closed_loop(crank(), {"motor": SAMPLES})
    names = [s.name for s in eq.state]
    run = fmpy().simulate_fmu(
        str(crank_fmu),
        fmi_type=kind,
        stop_time=1,
        output_interval=0.1,
        relative_tolerance=1e-4,
        record_events=False,
        output=names,
    )
    for row in run:
        state = {"t": row["time"], **{n: row[n] for n in names}}
        phi, psi = (
            np.array([sb.evaluate(r.expression, _numbers(eq, state)) for r in rows])
            for rows in (eq.rows.positions, eq.rows.speeds)
        )
        assert np.abs([*phi, *psi]).max() < 1e-10


def _numbers(eq: sb.Equations, state: dict[str, float]) -> dict[Any, float]:
    values = {**eq.variables.of("t q u z r p").defaults}
    return values | {s: state[s.name] for s in (eq.t, *eq.state) if s.name in state}


def test_values_are_those_of_the_expressions(crank_fmu: Path) -> None:
    """Outputs, energies, multipliers, rates and the event function at the start."""
    eq = sb.closed_loop(crank(), {"motor": SAMPLES})
    with opened(crank_fmu) as it:
        begin(it)
        state = {s.name: v for s, v in zip(eq.state, it.read(*(s.name for s in eq.state)), strict=True)}
        sim = sb.simulate(eq, np.array([0.0, 1e-6]), state)
        for name in ("pin_x", "kinetic_energy", "potential_energy"):
            expected = {"kinetic_energy": sb.kinetic_energy(eq), "potential_energy": sb.potential_energy(eq)}.get(
                name, name
            )
            assert it.read(name)[0] == pytest.approx(float(sim[expected][0]), rel=1e-9)
        assert it.read(eq.lam[0].name)[0] == pytest.approx(float(sim[eq.lam[0]][0]), rel=1e-9)


def test_derivatives_and_dependencies(crank_fmu: Path) -> None:
    """Directional derivatives are differences; and what is not a dependency has no influence."""
    with opened(crank_fmu) as it:
        begin(it)
        d = it.description
        unknowns = [u.variable.name for u in (*d.outputs, *d.derivatives)]
        listed = {u.variable.name: {v.name for v in u.dependencies} for u in (*d.outputs, *d.derivatives)}
        knowns = [
            v.name
            for v in d.modelVariables
            if v.causality == "input" or v.name in [u.variable.derivative.name for u in d.derivatives]
        ]
        parameters = [v.name for v in d.modelVariables if v.causality == "parameter" and v.name != "g"]
        h, seen = 1e-6, 0
        for name in (*knowns, *parameters):
            at = it.read(name)[0]
            sides = []
            for sign in (1, -1):
                it.put(**{name: at + sign * h})
                sides.append(it.read(*unknowns))
            it.put(**{name: at})
            slope = (sides[0] - sides[1]) / (2 * h)
            exact = directional(it, unknowns, [name], [1.0])
            np.testing.assert_allclose(exact, slope, rtol=1e-6, atol=1e-6 * (1 + np.abs(slope).max()))
            if name in knowns:
                influenced = {n for n, s in zip(unknowns, exact, strict=True) if s != 0}
                assert influenced <= {n for n in unknowns if name in listed[n]}
                seen += len(influenced)
        assert seen > 30
        mixed = directional(it, unknowns, knowns, [0.3] * len(knowns))
        np.testing.assert_allclose(
            mixed, 0.3 * sum(directional(it, unknowns, [n], [1.0]) for n in knowns), rtol=1e-9, atol=1e-9
        )


def test_adjoints_are_directional_derivatives(tmp_path: Path) -> None:
    """FMI 3: wᵀ (J v) = (wᵀ J) v, entry by entry, also for event functions, parameters and time."""
    eq, events, start = ball()
    events = [*events, sb.Event("late", eq.q[0] * eq.t)]
    path = sb.write.fmu(eq, tmp_path / "ball.fmu", version=3, events=events, start=start, also=["energies"])
    with opened(path) as it:
        begin(it, x=0.2, wind=0.3)
        it.setTime(0.7)
        unknowns = ["x", "der(x)", "der(x_dot)", "der(h_dot)", "height", "kinetic_energy", "bounce", "wall", "late"]
        knowns = ["x", "h", "x_dot", "h_dot", "wind", "wind_dot", "mass", "g", "time"]
        forward = np.array([directional(it, unknowns, [k], [1.0]) for k in knowns]).T
        references = [it.vr[k] for k in knowns]
        reverse = [it.getAdjointDerivative([it.vr[u]], references, [1.0], len(knowns)) for u in unknowns]
        np.testing.assert_allclose(reverse, forward, rtol=1e-12, atol=1e-12)
        assert np.count_nonzero(forward) > 12
        weights = np.linspace(1, 2, len(unknowns))
        together = it.getAdjointDerivative([it.vr[u] for u in unknowns], references, list(weights), len(knowns))
        np.testing.assert_allclose(together, weights @ forward, rtol=1e-12, atol=1e-12)


# ---------------------------------------------------------------------------------------------------- other importers


@EACH
def test_casadi_reads_it(version: int, tmp_path: Path) -> None:
    """CasADi's DaeBuilder: rates and their Jacobian, with the sparsity of the dependencies."""
    casadi = pytest.importorskip("casadi", reason="CasADi is not installed (pip install casadi)")
    eq = pendulums()
    path = sb.write.fmu(eq, tmp_path / "pendulums.fmu", version=version, start={"q1": 0.5})
    builder = casadi.DaeBuilder("pendulums", str(path))
    assert builder.x() == ["q1", "q2", "q1_dot", "q2_dot"]
    x, p = [0.3, -0.4, 1.1, 0.7], [1.0, 0.7]
    rates = builder.create("f", ["x", "p"], ["ode"])
    f = sb.compile(eq)
    expected = np.concatenate([x[2:], f.udot(0.0, np.array(x[:2]), np.array(x[2:]), f.p)])
    np.testing.assert_allclose(np.array(rates(x, p)).ravel(), expected, rtol=1e-13)
    slopes = rates.factory("j", ["x", "p"], ["jac:ode:x"])(x, p)
    assert slopes.nnz() == 10
    h = 1e-6
    for j in range(4):
        step = np.eye(4)[j] * h
        difference = (np.array(rates(x + step, p)) - np.array(rates(x - step, p))).ravel() / (2 * h)
        np.testing.assert_allclose(np.array(slopes)[:, j], difference, rtol=1e-6, atol=1e-7)


def test_libcosim_runs_it(tmp_path: Path) -> None:
    """Co-simulation by the FMI Library; in a process of its own, since it writes a log."""
    pytest.importorskip("libcosimpy", reason="libcosimpy is not installed (pip install libcosimpy)")
    eq = pendulums()
    start = {"q1": 0.5, "q2": -0.2, "q1_dot": 0.3}
    path = sb.write.fmu(eq, tmp_path / "pendulums.fmu", start=start, tolerance=1e-11)
    done = subprocess.run([sys.executable, "-c", COSIMULATION, str(path)], capture_output=True, text=True, check=True)
    found = [float(v) for v in re.search(r"^found (.*)$", done.stdout, re.MULTILINE)[1].split()]
    exact = sb.simulate(eq, np.array([0.0, 0.5]), start, rtol=1e-12).y[-1, :4]
    np.testing.assert_allclose(found, exact, atol=1e-9)


COSIMULATION = """
import sys
from libcosimpy.CosimExecution import CosimExecution
from libcosimpy.CosimObserver import CosimObserver
from libcosimpy.CosimSlave import CosimLocalSlave
run = CosimExecution.from_step_size(step_size=int(5e7))
slave = run.add_local_slave(local_slave=CosimLocalSlave(fmu_path=sys.argv[1], instance_name="one"))
observer = CosimObserver.create_last_value()
run.add_observer(observer=observer)
run.simulate_until(target_time=int(5e8))
print('found', *observer.last_real_values(slave_index=slave, variable_references=[1, 2, 3, 4]))
"""


# ---------------------------------------------------------------------------------------------------- instances


@BOTH
def test_copies_of_the_state(kind: str, crank_fmu: Path) -> None:
    """From a copy, and from its bytes in another instance, everything goes on in the same way."""
    with opened(crank_fmu, kind) as it, opened(crank_fmu, kind, "two") as other:
        begin(it, wind=0.4)
        names = ["a", "b", "s", "a_dot", "z"]
        if kind == CS:
            it.doStep(0.0, 0.1)
        copied, before = _copy(it), it.read(*names)
        content = it.serializeFMUstate(copied) if it.version == "2.0" else it.serializeFMUState(copied)
        assert np.abs(_go_on(it, kind) - before).max() > 1e-3
        after = it.read(*names)
        _restore(it, copied)
        np.testing.assert_array_equal(it.read(*names), before)
        begin(other)
        _restore(
            other, other.deSerializeFMUstate(content) if it.version == "2.0" else other.deserializeFMUState(content)
        )
        for one in (it, other):
            _go_on(one, kind)
            np.testing.assert_array_equal(one.read(*names), after)
        with pytest.raises(failed_call(), match="failed"):
            other.deSerializeFMUstate(content[:-1] + b"") if it.version == "2.0" else other.deserializeFMUState(
                content[:-1]
            )


def _copy(it: Any) -> Any:
    return it.getFMUstate() if it.version == "2.0" else it.getFMUState()


def _restore(it: Any, copied: Any) -> None:
    (it.setFMUstate if it.version == "2.0" else it.setFMUState)(copied)


def _go_on(it: Any, kind: str) -> Any:
    names = ["a", "b", "s", "a_dot", "z"]
    if kind == CS:
        it.doStep(0.1, 0.1)
    else:
        it.put(a=it.read("a")[0] + 0.01, wind=1.0)
    return it.read(*names)


def test_instances_are_independent(crank_fmu: Path) -> None:
    """Several in one process, at the same time, each with parameters of its own."""
    lengths = [0.5, 0.52, 0.54, 0.56]

    def run(length: float) -> Any:
        with opened(crank_fmu, CS, f"with {length}") as it:
            begin(it, l=length)
            for k in range(20):
                it.doStep(0.02 * k, 0.02)
            return it.read("a", "s", "a_dot")

    alone = [run(length) for length in lengths]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(run, lengths))
    np.testing.assert_array_equal(together, alone)
    assert len({tuple(v) for v in alone}) == 4


def test_memory_is_the_importers(tmp_path: Path) -> None:
    """FMI 2: everything is allocated and freed by the functions of the environment."""
    f = fmpy()
    path = sb.write.fmu(top(), tmp_path / "top.fmu", start={"ball_wx": 3.0})
    live: set[int] = set()
    memory = ctypes.CDLL(None)
    memory.calloc.restype = ctypes.c_void_p
    memory.free.argtypes = [ctypes.c_void_p]

    def allocate(n: int, size: int) -> int:
        live.add(found := memory.calloc(n, size))
        return found

    def free(address: int) -> None:
        live.remove(address)
        memory.free(address)

    callbacks = f.fmi2.fmi2CallbackFunctions()
    callbacks.logger = f.fmi2.fmi2CallbackLoggerTYPE(lambda *_: None)
    callbacks.allocateMemory = f.fmi2.fmi2CallbackAllocateMemoryTYPE(allocate)
    callbacks.freeMemory = f.fmi2.fmi2CallbackFreeMemoryTYPE(free)
    d, folder = f.read_model_description(str(path)), f.extract(str(path), str(tmp_path / "top"))
    it = f.fmi2.FMU2Slave(guid=d.guid, unzipDirectory=folder, modelIdentifier="top", instanceName="top")
    it.instantiate(callbacks=callbacks)
    assert len(live) == 2
    copied = it.getFMUstate()
    assert len(live) == 3
    it.freeFMUstate(copied)
    it.fmi2FreeInstance(it.component)
    assert not live


# ---------------------------------------------------------------------------------------------------- files


def test_outputs_have_units(tmp_path: Path) -> None:
    eq, *_ = ball()
    path = sb.write.fmu(eq, tmp_path / "ball.fmu", platforms=(), also=["energies"])
    found = {v.name: v.unit for v in fmpy().read_model_description(str(path)).modelVariables}
    assert found["height"] == "m"
    assert found["potential_energy"] in ("J", "N m")


@EACH
def test_hostile_names(version: int, tmp_path: Path) -> None:
    """Names that mean harm are text in XML, HTML and C; what is written still runs."""
    eq = hostile()
    path = sb.write.fmu(eq, tmp_path / "hostile.fmu", version=version)
    assert problems(path) == []
    names = [s.name for s in eq.state]
    exact = sb.simulate(eq, np.linspace(0, 0.1, 3), rtol=1e-12).y[:, : len(names)]
    np.testing.assert_allclose(motion(path, CS, names, np.linspace(0, 0.1, 3)), exact, atol=1e-9)
    d = fmpy().read_model_description(str(path))
    assert set(eq.outputs) <= {v.name for v in d.modelVariables}


@EACH
def test_every_operation(version: int, tmp_path: Path) -> None:
    """Outputs that use everything that expressions can hold have no influence that is not listed."""
    path = sb.write.fmu(
        operations(with_external=False), tmp_path / "operations.fmu", version=version, start={"q": 0.4, "q_dot": 0.3}
    )
    assert problems(path) == []


@EACH
def test_sources_build_without_warnings(version: int, tmp_path: Path) -> None:
    """The sources alone are enough, for both compilers' strictest flags of C99."""
    eq, events, start = ball()
    path = sb.write.fmu(eq, tmp_path / "ball.fmu", version=version, events=events, start=start, platforms=())
    assert problems(path) == []
    with zipfile.ZipFile(path) as content:
        assert not any(n.startswith("binaries") for n in content.namelist())
        content.extractall(tmp_path)
    flags = "-std=c99 -Wall -Wextra -pedantic -Wshadow -Werror -O1 -fPIC -shared -fvisibility=hidden".split()
    files = [str(tmp_path / "sources" / f"ball_{part}.c") for part in ("model", "fmu")]
    subprocess.run([c_compiler(), *flags, *files, "-o", str(tmp_path / "ball.so"), "-lm"], check=True)


@EACH
def test_same_bytes_again(version: int, tmp_path: Path) -> None:
    eq, events, start = ball()
    paths = [
        sb.write.fmu(eq, tmp_path / f"{k}.fmu", version=version, events=events, start=start, platforms=()) for k in "ab"
    ]
    assert paths[0].read_bytes() == paths[1].read_bytes()
    other = sb.write.fmu(eq, tmp_path / "c.fmu", version=version, events=events, start={"h": 2.0}, platforms=())
    assert _token(other) != _token(paths[0])


def _token(path: Path) -> str:
    return str(fmpy().read_model_description(str(path)).guid)


HEADS = {"linux": b"\x7fELF", "darwin": b"\xcf\xfa\xed\xfe", "windows": b"MZ"}  # first bytes of a library
OTHERS = (
    ["win64", "darwin64", "darwin-arm64", "linux-arm64"] if FULL else ["darwin-arm64"]
)  # zig first builds their C libraries


def test_platforms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a compiler of the machine's own: libraries for several platforms from this one, and that of this one
    runs."""
    pytest.importorskip("ziglang", reason="ziglang is not installed (pip install ziglang)")
    monkeypatch.setenv("CC", "no-such-compiler")
    eq, events, start = ball()
    names = ("linux64", *OTHERS)
    path = sb.write.fmu(eq, tmp_path / "ball.fmu", version=3, events=events, start=start, platforms=names)
    assert problems(path) == []
    with zipfile.ZipFile(path) as content:
        heads = {n: content.read(n)[:4] for n in content.namelist() if n.startswith("binaries/")}
    targets = [build.PLATFORMS[n] for n in names]
    assert sorted(heads) == sorted(f"binaries/{t.new}/ball{t.ending}" for t in targets)
    assert all(h.startswith(HEADS[n.split("/")[1].split("-")[1]]) for n, h in heads.items())
    if sys.platform == "linux":
        exact = sb.simulate(eq, np.linspace(0, 1, 3), start, events=events, rtol=1e-12).y[:, :4]
        found = motion(path, CS, ["x", "h", "x_dot", "h_dot"], np.linspace(0, 1, 3))
        np.testing.assert_allclose(found, exact, atol=1e-9)


def test_commands_of_all_platforms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What zig is asked for, platform by platform: libraries of Windows are free of position and of libm by themselves."""
    commands: list[list[str]] = []

    def built(command: list[str], cwd: Path, **_: Any) -> subprocess.CompletedProcess[str]:
        commands.append(command)
        (cwd / command[command.index("-o") + 1]).write_bytes(b"library")
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setenv("CC", "no-such-compiler")
    monkeypatch.setattr(build, "has_zig", lambda: True)
    monkeypatch.setattr("symbody.write.mockup.build.subprocess.run", built)
    found = build.binaries({"ball.c": ""}, ["ball.c"], "ball", 3, tuple(build.PLATFORMS), "ball")
    assert sorted(found) == [
        "binaries/aarch64-darwin/ball.dylib", "binaries/aarch64-linux/ball.so", "binaries/x86_64-darwin/ball.dylib",
        "binaries/x86_64-linux/ball.so", "binaries/x86_64-windows/ball.dll",
    ]  # fmt: skip
    triples = [c[c.index("-target") + 1] for c in commands]
    assert triples == [
        "x86_64-linux-gnu.2.17", "x86_64-windows-gnu", "x86_64-macos", "aarch64-linux-gnu.2.17", "aarch64-macos",
    ]  # fmt: skip
    assert [{"-fPIC", "-lm"} & set(c) for c in commands] == [
        set() if "windows" in t else {"-fPIC", "-lm"} for t in triples
    ]


def test_no_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sources alone, or a reason."""
    monkeypatch.setenv("CC", "no-such-compiler")
    monkeypatch.setattr(build, "has_zig", lambda: False)
    path = sb.write.fmu(top(), tmp_path / "top.fmu")
    assert problems(path) == []
    with zipfile.ZipFile(path) as content:
        assert {n.split("/")[0] for n in content.namelist()} == {"modelDescription.xml", "sources", "documentation"}
    with pytest.raises(sb.errors.CompileError, match=r"pip install 'symbody\[fmu\]'"):
        sb.write.fmu(top(), tmp_path / "other.fmu", platforms=["win64"])
    with pytest.raises(sb.errors.CompileError, match=r"FMI 2\.0 has no name for darwin-arm64; write version=3"):
        sb.write.fmu(top(), tmp_path / "other.fmu", platforms=["darwin-arm64"])


def test_a_failed_build_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CFLAGS", "-O0 --no-such-option")
    with pytest.raises(sb.errors.CompileError, match="cannot build the library"):
        sb.write.fmu(top(), tmp_path / "top.fmu")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"version": 1}, "version is 2 or 3"),
        ({"kind": "exchange"}, "model exchange"),
        ({"fixed": ["lenth"]}, "no parameter 'lenth'"),
        ({"also": ["energy"]}, "energies"),
        ({"platforms": ["linux"]}, "linux64"),
        ({"events": [sb.Event("x", sb.symbol("q", "coordinate"), reset=lambda v: None)]}, "cannot be exported"),
    ],
)  # fmt: skip
def test_what_cannot_be_written(options: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(sb.SymbodyError, match=message):
        sb.write.fmu(operations(with_external=False), tmp_path / "x.fmu", **options)

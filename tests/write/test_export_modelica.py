"""Models as flat models of Modelica: rumoca finds rates, outputs, event functions and motions; pymoca reads the same
equations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.command_line.cli import main

from .fmus import ball
from .hostile_model import hostile
from .models import SAMPLES, crank, operations, pendulums
from .test_export_python import assert_good, bead

BLOCKS = ("rhs", "motion")


@pytest.fixture(autouse=True)
def _rumoca() -> None:
    pytest.importorskip("rumoca", reason="rumoca is not installed (pip install rumoca)")


def test_constraints_and_samples(tmp_path: Path) -> None:
    """A constrained mechanism, an input that follows samples with its rate, loads that depend on time."""
    eq, laws = bead(), {"wind": SAMPLES}
    start = sb.assemble(eq, a=0.4, a_dot=1.0, start={"b": -0.3}, inputs=laws)
    said = assert_good(sb.write.modelica(eq, tmp_path, start=start, inputs=laws, reference=0.4))
    assert all(f"{name:28s} good" in said for name in BLOCKS)


def test_samples_before_and_after_their_times(tmp_path: Path) -> None:
    """Constant there, and their rate zero."""
    import rumoca

    x = sb.symbol("x")
    u = sb.symbol("u", "input")
    eq = sb.from_equations({x: u}, outputs={"y": u}, name="follower")
    folder = sb.write.modelica(eq, tmp_path, inputs={"u": (SAMPLES[0] + 1, SAMPLES[1] + 0.3)}, reference=None)
    found = rumoca.Session().loads((folder / "follower.mo").read_text(), model="follower").simulate((0, 4), dt=0.5)
    assert found["y"][0] == pytest.approx(0.3)
    assert found["y"][-1] == pytest.approx(0.3)
    assert found["y"][np.argmin(abs(found.time - 3.0))] == pytest.approx(SAMPLES[1][-1] + 0.3, abs=1e-6)


def test_hostile_names(tmp_path: Path) -> None:
    assert_good(sb.write.modelica(hostile(), tmp_path, start={"h": 0.1}, reference=0.02))


def test_every_operation(tmp_path: Path) -> None:
    assert_good(sb.write.modelica(operations(with_external=False), tmp_path, reference=None))


def test_events(tmp_path: Path) -> None:
    """Bounces, a guard that holds in one direction only, and an end, as in `simulate`."""
    import rumoca

    eq, events, start = ball()
    laws = {"wind": 0.3 * sb.sin(eq.t)}
    folder = sb.write.modelica(
        eq, tmp_path, start=start, events={e.name: e for e in events}, inputs=laws, reference=0.2
    )
    assert_good(folder)
    times = np.linspace(0, 3.2, 33)
    exact = sb.simulate(eq, times, start, events=events, inputs=laws, rtol=1e-11)
    accurate = rumoca.SimConfig(rtol=1e-10, atol=1e-11)
    found = (
        rumoca.Session().loads((folder / "ball.mo").read_text(), model="ball").simulate((0, 4), dt=0.1, config=accurate)
    )
    assert found.time[-1] == pytest.approx(3.2, abs=1e-6)
    near = [int(np.argmin(np.abs(found.time - t))) for t in times[:-1]]
    np.testing.assert_allclose(np.column_stack([found[n][near] for n in ("x", "h")]), exact.y[:-1, :2], atol=1e-6)


def test_pymoca_reads_the_same_equations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers that rumoca finds leave nothing of the equations as pymoca reads them."""
    pytest.importorskip("pymoca", reason="pymoca is not installed (pip install pymoca casadi)")
    pytest.importorskip("casadi", reason="casadi is not installed (pip install casadi)")
    import rumoca
    from pymoca.backends.casadi import generator
    from pymoca.parser import parse

    monkeypatch.setitem(generator.OP_MAP, "/", "__truediv__")  # pymoca 0.12 asks for what CasADi 3.8 has no more
    folder = sb.write.modelica(pendulums(), tmp_path, start={"q1": 0.5}, reference=None)
    source = "\n".join((folder / name).read_text() for name in ("pendulums.mo", "pendulums_check.mo"))
    found = rumoca.Session().loads(source, model="pendulums_at_point").simulate((0.37, 0.370001), dt=1e-6)
    flat = generator.generate(parse(source), "pendulums_at_point", {})

    def number(v: Any) -> float:
        name = v.symbol.name()
        place = name.removeprefix("der(").removesuffix(")")
        if name.startswith("der("):
            return float(found[f"rate_of_{[s.symbol.name() for s in flat.states].index(place) + 1}"][0])
        return float(found[name][0]) if name in found else float(v.value)

    groups = (flat.states, flat.der_states, flat.alg_states, flat.inputs, flat.constants, flat.parameters)
    residual = flat.dae_residual_function(0.37, *([number(v) for v in g] for g in groups))
    assert residual.shape[0] > 8
    assert np.abs(np.array(residual)).max() < 1e-9


def test_wrong_code_is_found(tmp_path: Path) -> None:
    folder = sb.write.modelica(pendulums(), tmp_path, start={"q1": 0.5}, reference=None)
    path = folder / "pendulums.mo"
    path.write_text(path.read_text().replace("sin(", "cos(", 1))
    with pytest.raises(AssertionError, match="WRONG"):
        assert_good(folder)


def test_external_functions(tmp_path: Path) -> None:
    """You supply them as functions of Modelica, beside samples that are written; a wrong one is found."""
    eq, laws = crank(), {"motor": SAMPLES}
    start = sb.assemble(eq, a=0.4, a_dot=1.0, inputs=laws)
    folder = sb.write.modelica(eq, tmp_path, start=start, inputs=laws, reference=0.1)
    with pytest.raises(AssertionError, match=r"No such file.*crank_functions\.mo"):
        assert_good(folder)
    text = "function damper_force input Real v; output Real y; algorithm y := v + v^3; end damper_force;"
    (folder / "crank_functions.mo").write_text(text)
    said = assert_good(folder)
    assert all(f"{name:28s} good" in said for name in (*BLOCKS, "outputs"))
    (folder / "crank_functions.mo").write_text(text.replace("v^3", "v^5"))
    with pytest.raises(AssertionError, match=r"rhs +WRONG"):
        assert_good(folder)


def test_external_functions_with_names_of_modelica_are_refused(tmp_path: Path) -> None:
    x = sb.symbol("x")
    inner = sb.algebra.ExternalFunction("inner", 1, python=lambda x: x)
    with pytest.raises(sb.errors.ProgramError, match="external function 'inner' has a name that Modelica"):
        sb.write.modelica(sb.from_equations({x: inner(x)}, name="one"), tmp_path, reference=None)
    assert not list(tmp_path.iterdir())


def test_command_line(tmp_path: Path) -> None:
    assert main(["export", "double_pendulum", "--to", "modelica", "-o", str(tmp_path)]) == 0
    assert_good(tmp_path)

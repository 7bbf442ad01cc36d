"""Models as functions of JAX and CasADi: they give the numbers of the expressions, and their derivatives are those of the graph."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symbody as sb

from .hostile_model import hostile
from .models import crank, operations, pendulums

WHERE = {"jax": "pip install jax", "casadi": "pip install casadi"}


def require(package: str) -> Any:
    return pytest.importorskip(package, reason=f"{package} is not installed ({WHERE[package]})")


def assert_good(folder: Path) -> str:
    (script,) = folder.glob("*_check.py")
    done = subprocess.run([sys.executable, script.name], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("all good\n")
    return done.stdout


def loaded(folder: Path, name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, folder / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def quiet_crank() -> sb.Equations:
    """A mechanism with constraints and an input with its rate, without external functions."""
    m = sb.Model("crank")
    crank, rod = (
        m.body("crank", mass=1, inertia=(1, 1, 0.02)),
        m.body("rod", mass=2, inertia=(1, 1, 0.03), com=(0.25, 0, 0)),
    )
    slider = m.body("slider", mass=1)
    m.revolute("a", m.ground, crank)
    m.revolute("b", crank, rod, at=(0.2, 0, 0))
    m.prismatic("s", m.ground, slider, axis="x")
    m.coincide("pin", rod.point(m.parameter("l", 0.5), 0, 0), slider.point(0, 0, 0), along=m.ground, axes="xy")
    wind = m.input("wind")
    m.force("push", slider, m.ground.x * (wind + 0.1 * wind.dot + sb.sin(sb.symbol("t", "time"))))
    return sb.derive(m)


def test_jax(tmp_path: Path) -> None:
    """A constrained mechanism whose loads depend on time: values, jacfwd, jacrev, vmap, a motion."""
    require("jax")
    eq = quiet_crank()
    start = sb.assemble(eq, a=0.4, a_dot=1.0)
    said = assert_good(
        sb.write.jax(
            eq,
            tmp_path,
            functions=["rhs", "rhs_x", "rhs_along", "correct_positions", "correct_speeds"],
            start=start,
            reference=0.1,
        )
    )
    for name in ("jacfwd", "jacrev", "vmap", "motion"):
        assert f"{name:28s} good" in said


def test_second_derivatives(tmp_path: Path) -> None:
    """Those of the attached derivative are those of the traced text."""
    jax = require("jax")
    model = loaded(sb.write.jax(pendulums(), tmp_path, functions=["rhs", "rhs_along"], reference=None), "pendulums_jax")
    (t, x, r), p = model.initial_state(), model.default_parameters()
    attached, traced = (
        jax.jit(jax.hessian(lambda y, f=f: f(t, y, r, p).sum()))(x + 0.3) for f in (model.rhs, model._rhs)
    )
    np.testing.assert_allclose(attached, traced, rtol=1e-4, atol=1e-4)  # single precision, as JAX has it by default


def test_derivatives_are_attached(tmp_path: Path) -> None:
    """JAX and CasADi take the derivative that is written: where it is replaced by zero, they find zero."""
    jax, casadi = require("jax"), require("casadi")
    model = loaded(
        sb.write.jax(pendulums(), tmp_path / "j", functions=["rhs", "rhs_along"], reference=None), "pendulums_jax"
    )
    (t, x, r), p = model.initial_state(), model.default_parameters()
    assert np.abs(jax.jit(jax.jacfwd(model.rhs, 1))(t, x, r, p)).max() > 1
    model.rhs_along = lambda t, x, r, p, dx, dp: 0 * dx
    assert np.abs(jax.jacfwd(model.rhs, 1)(t, x, r, p)).max() == 0
    model = loaded(
        sb.write.casadi(pendulums(), tmp_path / "c", functions=["rhs", "derivatives"], reference=None),
        "pendulums_casadi",
    )
    (t, x, r), p = model.initial_state(), model.default_parameters()
    assert np.abs(np.array(model.function("rhs").jacobian()(t, x, r, p, 0)[1])).max() > 1
    model.rhs_x = lambda t, x, r, p: casadi.SX(4, 4)
    assert np.abs(np.array(model.function("rhs").jacobian()(t, x, r, p, 0)[1])).max() == 0


def test_casadi(tmp_path: Path) -> None:
    require("casadi")
    eq = quiet_crank()
    start = sb.assemble(eq, a=0.4, a_dot=1.0)
    said = assert_good(sb.write.casadi(eq, tmp_path, start=start, reference=0.1))
    for name in ("rhs", "multipliers", "linear_system", "rhs_adjoint", "jacobian of MX", "motion"):
        assert f"{name:28s} good" in said


@pytest.mark.parametrize("target", ["jax", "casadi"])
def test_every_operation(target: str, tmp_path: Path) -> None:
    require(target)
    eq = operations(with_external=False)
    assert_good(sb.write.export(eq, target, tmp_path, functions=["outputs"], reference=None))


def test_hostile_names(tmp_path: Path) -> None:
    """By CasADi, which needs no time to compile: both targets have one writer."""
    require("casadi")
    assert_good(sb.write.casadi(hostile(), tmp_path, functions=["rhs", "outputs"], start={"h": 0.1}, reference=0.02))


def test_external_functions_are_refused(tmp_path: Path) -> None:
    with pytest.raises(sb.ProgramError, match="as CasADi: external function 'damper_force' cannot be traced"):
        sb.write.casadi(crank(), tmp_path, reference=None)
    assert not list(tmp_path.iterdir())

"""Models as functions of NumPy, JAX, PyTorch and CasADi: they give the numbers of the expressions, and their
derivatives are those of the graph."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.write.targets.python.numpy_target import numpy_files
from tests.installed import good, run_in

from .hostile_model import hostile
from .models import DAMPER, SAMPLES, everything, operations, pendulums, written

WHERE = {
    "numpy": "pip install numpy",
    "jax": "pip install jax",
    "casadi": "pip install casadi",
    "torch": "pip install torch",
}


def require(package: str) -> Any:
    return pytest.importorskip(package, reason=f"{package} is not installed ({WHERE[package]})")


def assert_good(folder: Path) -> str:
    (script,) = folder.glob("*_check.py")
    return good(run_in(folder, [sys.executable, script.name]))


def loaded(folder: Path, name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, folder / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def bead() -> sb.Equations:
    """A bead on a circle: a constraint, an input with its rate, a load that depends on time."""
    m = sb.Model("bead")
    frame = m.body("slide", mass=0.3)
    bead = m.body("bead", mass=m.parameter("mass", 0.5))
    m.prismatic("a", m.ground, frame, axis="x")
    m.prismatic("b", frame, bead, axis="y")
    a, b, wind = m.symbols["a"], m.symbols["b"], m.input("wind")
    m.constrain("wire", a**2 + b**2 - m.parameter("l", 0.5) ** 2)
    m.gravity(0, -9.81, 0)
    m.force("push", bead, m.ground.x * (wind + 0.1 * wind.dot + sb.sin(sb.symbol("t", "time"))))
    return sb.derive(m)


def test_numpy(tmp_path: Path) -> None:
    """The whole catalogue, of one state and of many; all loops; a motion by two integrators."""
    made = everything()
    supplied = "from math import *\n\n\ndef damper_force(v):\n    return v + v**3\n\n\ndef damper_slope(v):\n    return 1 + 3 * v**2\n"
    said = assert_good(written(tmp_path, {**numpy_files(made), "crank_functions.py": supplied}))
    for name in (*made.names, "motion", "motion by solve_ivp", *(f"{f.name} of many states" for f in made.functions)):
        assert f"{name:28s} good" in said


def test_numpy_says_where_there_is_no_value(tmp_path: Path) -> None:
    """Where a batch has a state without a value, that alone is nan; projections that do not end are refused."""
    eq = bead()
    folder = sb.write.numpy(eq, tmp_path, start=sb.assemble(eq, a=0.4, start={"b": -0.3}), reference=None)
    model = loaded(folder, "bead_numpy")
    (t, x, r), p = model.initial_state(), model.default_parameters()
    nowhere = np.zeros_like(x)
    rates = model.rhs(t, np.array([x, nowhere]), r, p)
    np.testing.assert_array_equal(rates[0], model.rhs(t, x, r, p))
    assert np.isnan(rates[1]).any()
    with pytest.raises(ArithmeticError, match="corrections do not converge"):
        model.project(t, nowhere, r, p)


def test_jax(tmp_path: Path) -> None:
    """A constrained mechanism whose loads depend on time: values, jacfwd, jacrev, vmap, a motion."""
    require("jax")
    eq = bead()
    start = sb.assemble(eq, a=0.4, a_dot=1.0, start={"b": -0.3})
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


def test_torch(tmp_path: Path) -> None:
    """The same by PyTorch: values, both modes by every argument, vmap, many states at once, a motion."""
    require("torch")
    eq = bead()
    start = sb.assemble(eq, a=0.4, a_dot=1.0, start={"b": -0.3})
    said = assert_good(sb.write.torch(eq, tmp_path, start=start, reference=0.02))
    for name in (
        "jacfwd",
        "jacrev",
        "vjp by time",
        "vjp by parameters",
        "vmap of jacrev",
        "backward of shared p",
        "motion",
    ):
        assert f"{name:28s} good" in said


def test_second_derivatives_of_torch(tmp_path: Path) -> None:
    """Those of the attached derivatives are those of the traced text; and where an attached one is replaced by zero,
    PyTorch finds zero."""
    torch = require("torch")
    model = loaded(sb.write.torch(pendulums(), tmp_path, reference=None), "pendulums_torch")
    (t, x, r), p = model.initial_state(), model.default_parameters()
    for second in (torch.func.hessian, lambda f: torch.func.jacrev(torch.func.jacrev(f))):
        attached, traced = (second(lambda y, f=f: f(t, y, r, p).sum())(x + 0.3) for f in (model.rhs, model.traced_rhs))
        np.testing.assert_allclose(attached, traced, rtol=1e-10, atol=1e-10)
    assert abs(torch.func.jacrev(model.rhs, 1)(t, x, r, p)).max() > 1
    model.rhs_adjoint = lambda t, x, r, p, weights: (0 * x, 0 * p)
    assert abs(torch.func.jacrev(model.rhs, 1)(t, x, r, p)).max() == 0
    model.rhs_along = lambda t, x, r, p, dx, dp: 0 * dx
    assert abs(torch.func.jacfwd(model.rhs, 1)(t, x, r, p)).max() == 0


def test_second_derivatives(tmp_path: Path) -> None:
    """Those of the attached derivative are those of the traced text."""
    jax = require("jax")
    model = loaded(sb.write.jax(pendulums(), tmp_path, functions=["rhs", "rhs_along"], reference=None), "pendulums_jax")
    (t, x, r), p = model.initial_state(), model.default_parameters()
    attached, traced = (
        jax.jit(jax.hessian(lambda y, f=f: f(t, y, r, p).sum()))(x + 0.3) for f in (model.rhs, model.traced_rhs)
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
    eq = bead()
    start = sb.assemble(eq, a=0.4, a_dot=1.0, start={"b": -0.3})
    said = assert_good(sb.write.casadi(eq, tmp_path, start=start, reference=0.1))
    for name in ("rhs", "multipliers", "linear_system", "rhs_adjoint", "jacobian of MX", "motion"):
        assert f"{name:28s} good" in said


@pytest.mark.parametrize("target", ["numpy", "jax", "torch", "casadi"])
def test_every_operation(target: str, tmp_path: Path) -> None:
    require(target)
    eq = operations(with_external=False)
    assert_good(sb.write.export(eq, target, tmp_path, functions=["outputs"], reference=None))


@pytest.mark.parametrize("target", ["numpy", "casadi", "torch"])
def test_hostile_names(target: str, tmp_path: Path) -> None:
    """By CasADi and PyTorch, which need no time to compile: they have one writer with JAX."""
    require(target)
    functions, seconds = ["rhs", "outputs"], {"numpy": 0.002, "casadi": 0.02, "torch": 0.002}[target]
    assert_good(sb.write.export(hostile(), target, tmp_path, functions=functions, start={"h": 0.1}, reference=seconds))


@pytest.mark.parametrize("target", ["numpy", "jax", "torch", "casadi"])
def test_external_functions_and_samples(target: str, tmp_path: Path) -> None:
    """Functions that you supply in a file of your own, with their derivatives; samples are written, and their rates."""
    require(target)
    x, v, m = sb.symbols("x v m")
    F = sb.symbol("F", "input")
    eq = sb.from_equations({x: v, v: (F - x - DAMPER(v)) / m}, {m: 2.0}, name="damped")
    law = {"F": SAMPLES}
    groups = ("rhs", "rhs_x", "rhs_p", "rhs_along", "event_rates", "events")
    events = {"load": eq.r[0] - 0.2}
    folder = sb.write.export(
        eq, target, tmp_path, functions=groups, start={"x": 0.4}, inputs=law, events=events, reference=0.3
    )
    with pytest.raises(AssertionError, match="No module named 'damped_functions'"):
        assert_good(folder)
    text = "def damper_force(v):\n    return v + v**3\n\n\ndef damper_slope(v):\n    return 1 + 3 * v**2\n"
    (folder / "damped_functions.py").write_text(text)
    said = assert_good(folder)
    for name in ("rhs", "rhs_x", "event_rates", "motion"):
        assert f"{name:28s} good" in said
    (folder / "damped_functions.py").write_text(text.replace("v**3", "v**4.0"))
    with pytest.raises(AssertionError, match=r"rhs +WRONG"):
        assert_good(folder)


@pytest.mark.parametrize("target", ["numpy", "jax", "torch", "casadi"])
def test_samples_outside_their_times(target: str, tmp_path: Path) -> None:
    """Constant before and after; at every time what `simulate` puts in."""
    require(target)
    x, F = sb.symbol("x"), sb.symbol("F", "input")
    eq = sb.from_equations({x: F}, outputs={"y": F + F.dot}, name="follower")
    laws = {"F": (SAMPLES[0] + 1.0, SAMPLES[1])}
    folder = sb.write.export(eq, target, tmp_path, functions=["rhs", "outputs"], inputs=laws, reference=None)
    model = loaded(folder, f"follower_{target}")
    f = model.function("outputs") if target == "casadi" else model.outputs
    times = np.linspace(0.01, 3.99, 9)
    found = [float(np.ravel(f(t, np.zeros(1), np.zeros(0), np.zeros(0)))[0]) for t in times]
    wanted = sb.simulate(eq, np.r_[0, times], inputs=laws)["y"][1:]
    np.testing.assert_allclose(found, wanted, atol=1e-5 if target == "jax" else 1e-12)

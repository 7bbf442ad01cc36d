"""Models as modules of SymPy's expressions: complete, with shared parts, nothing undefined, each run in a fresh
process."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import sympy
from sympy.core.function import AppliedUndef

import symbody as sb
from symbody.command_line import commands
from symbody.command_line.cli import main
from symbody.write.entry.export import TARGETS
from tests.derive.first_order import controlled

from .hostile_model import hostile
from .models import crank, pendulums
from .test_export_python import assert_good, bead, loaded


def test_a_constrained_mechanism(tmp_path: Path) -> None:
    """q', u', constraints and their projection, multipliers, outputs, energies, derivatives: numbers of lambdify, and a
    motion."""
    folder = sb.write.sympy(bead(), tmp_path, start={"a": 0.3, "b": -0.4, "wind": 0.7})
    said = assert_good(folder)
    for name in ("rhs", "mass_matrix", "right_side", "constraints", "multipliers", "energies", "rhs_x", "motion"):
        assert f"{name} " in said
    (module,) = folder.glob("*_sympy.py")
    model = loaded(folder, module.stem)
    shared, (xdot,) = model.rhs()
    assert shared
    assert not any(e.atoms(AppliedUndef) for e in (*(v for _, v in shared), xdot))
    assert {*xdot.free_symbols} <= {model.t, *model.STATE, *model.INPUTS, *model.PARAMETERS, *(s for s, _ in shared)}


def test_expressions_are_those_of_the_equations(tmp_path: Path) -> None:
    """Written out and as functions of time, the mass matrix is the one that `to_sympy` gives."""
    eq = pendulums()
    folder = sb.write.sympy(eq, tmp_path, functions=["mass_matrix", "rhs"], reference=None)
    (module,) = folder.glob("*_sympy.py")
    model = loaded(folder, module.stem)
    (M,) = model.written_out("mass_matrix")
    difference = M.xreplace(model.OF_TIME) - sb.to_sympy(eq.M, expand=True)
    assert difference.applyfunc(sympy.simplify).is_zero_matrix
    f = sb.compile(eq)
    t, x, r = model.initial_state()
    x = np.linspace(0.2, 0.9, len(x))
    arguments = (t, x, *([r] if r else []), f.p)
    assert np.ravel(model.numeric("rhs")(t, x, r, model.default_parameters())[0]) == pytest.approx(
        f.rhs(*arguments), rel=1e-12
    )


def test_first_order_equations_and_hostile_names(tmp_path: Path) -> None:
    assert_good(sb.write.sympy(controlled().equations, tmp_path / "drive", functions="all"))
    assert_good(sb.write.sympy(hostile(), tmp_path / "hostile", functions=["core"], reference=None))


def test_a_fault_is_seen(tmp_path: Path) -> None:
    folder = sb.write.sympy(controlled().equations, tmp_path, functions=["rhs"], reference=None)
    (module,) = folder.glob("*_sympy.py")
    text = module.read_text()
    assert "sin(2*t)" in text
    module.write_text(text.replace("sin(2*t)", "sin(3*t)"))
    with pytest.raises(AssertionError):
        assert_good(folder)


def test_external_functions_are_refused(tmp_path: Path) -> None:
    with pytest.raises(sb.errors.ProgramError, match="have no expression in SymPy"):
        sb.write.sympy(crank(), tmp_path)


def test_command_line(tmp_path: Path, capsys) -> None:
    assert main(["export", "double_pendulum", "--to", "sympy", "-o", str(tmp_path)]) == 0
    assert_good(tmp_path)
    capsys.readouterr()
    for style, says in (("sympy", "def rhs():"), ("c", "_rhs(")):
        assert main(["derive", "double_pendulum", "--as", style]) == 0
        assert says in capsys.readouterr().out


def test_expressions_as_events(tmp_path: Path, capsys) -> None:
    """In the language of model files: names of variables, parameters and outputs, time; what is no number, or has no
    name, is refused where it stands."""
    words = ["export", "double_pendulum", "--to", "sympy", "--functions", "events", "-o", str(tmp_path), "--event"]
    assert main([*words, "low=q1^2 - 0.1*sin(2*t)", "--event", "q2"]) == 0
    model = loaded(tmp_path, "double_pendulum_sympy")
    shared, (g,) = model.events()
    q1, q2, *_ = model.STATE
    wanted = sympy.Matrix([q1**2 - 0.1 * sympy.sin(2 * model.t), q2])
    difference = g.subs(list(reversed(shared))) - wanted
    assert np.abs(np.array(difference.subs({q1: 0.7, q2: 0.2, model.t: 0.4}), dtype=float)).max() < 1e-15
    capsys.readouterr()
    for text, says in (
        ("low=qq + 1", "there is no 'qq'"),
        ("low=q1 +", "--event low"),
        ("low=q1 < 1", "a condition, not one number"),
    ):
        assert main([*words, text]) != 0
        assert says in capsys.readouterr().err


def test_every_target_is_a_command() -> None:
    assert set(commands.TARGETS) == set(TARGETS)

"""Models as modules of JavaScript and WebAssembly: each folder checks itself by node."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import symbody as sb
from symbody.write.targets.javascript.javascript_target import javascript_files
from symbody.write.targets.wasm.wasm_target import wasm_files
from tests.installed import good, installed, run_in

from .hostile_model import hostile
from .models import WRONG_STEP, everything, operations, pendulums, written

FUNCTIONS = "export const damper_force = (v) => v + v ** 3, damper_slope = (v) => 1 + 3 * v ** 2;\n"


@pytest.fixture(params=["javascript", "wasm"])
def target(request: pytest.FixtureRequest) -> str:
    if request.param == "wasm" and importlib.util.find_spec("ziglang") is None:
        pytest.skip("ziglang is not installed: WebAssembly is not linked (pip install ziglang)")
    return str(request.param)


def checked(folder: Path) -> subprocess.CompletedProcess[str]:
    (script,) = folder.glob("*_check.js")
    return run_in(folder, [installed("node", "nodejs"), script.name])


def assert_good(folder: Path) -> str:
    return good(checked(folder))


def test_constraints_inputs_samples_and_functions_you_supply(target: str, tmp_path: Path) -> None:
    writers: dict[str, Any] = {"javascript": javascript_files, "wasm": wasm_files}
    files = writers[target](everything())
    folder = written(tmp_path, files)
    (folder / "crank_functions.js").write_text(FUNCTIONS)
    said = assert_good(folder)
    for name in "rhs project multipliers events rhs_adjoint variational_jacobian variational_residual motion".split():
        assert re.search(rf"^{name} +good", said, re.MULTILINE), name


def test_higher_variations(target: str, tmp_path: Path) -> None:
    assert_good(sb.write.export(pendulums(), target, tmp_path, functions="all", start={"q1": 0.5}, reference=0.1))


def test_every_operation(target: str, tmp_path: Path) -> None:
    folder = sb.write.export(operations(), target, tmp_path, functions=["outputs", "outputs_along"], reference=None)
    (folder / "operations_functions.js").write_text("export const tyre = (a, b) => a * b;\n")
    assert_good(folder)


def test_hostile_names(target: str, tmp_path: Path) -> None:
    folder = sb.write.export(
        hostile(), target, tmp_path, functions=("rhs", "outputs"), start={"h": 0.1}, reference=0.02
    )
    assert "motion" in assert_good(folder)


@pytest.mark.parametrize("planted", ["pendulums.js", "pendulums_check.js"])
def test_wrong_code_is_found(planted: str, tmp_path: Path) -> None:
    folder = sb.write.javascript(pendulums(), tmp_path, functions=["rhs"], start={"q1": 0.5}, reference=0.1)
    text = (folder / planted).read_text()
    old, new = ("Math.sin(", "Math.cos(") if planted == "pendulums.js" else WRONG_STEP
    assert old in text
    (folder / planted).write_text(text.replace(old, new, 1))
    done = checked(folder)
    assert done.returncode == 1
    assert "WRONG" in done.stdout


def test_arguments_are_looked_at(tmp_path: Path) -> None:
    """What is too short or not finite is refused by a sentence; with the constant off it is not noticed."""
    folder = sb.write.javascript(pendulums(), tmp_path, functions=["rhs"], reference=None)
    (folder / "pendulums_check.js").write_text(
        'import * as m from "./pendulums.js";\nconst p = m.defaultParameters();\n'
        "for (const f of [() => m.rhs(0, [1, 2, 3], [], p), () => m.rhs(0, [1, 2, 3, NaN], [], p), () => m.rhs(0, [1, 2, 3, 4], [], { l: 1 })]) {\n"
        '    try { f(); console.log("nothing"); } catch (e) { console.log(e.message); }\n}\n'
    )  # fmt: skip
    assert checked(folder).stdout.splitlines() == [
        "rhs: x has 4 numbers, got 3", "rhs: x[3] is NaN", "rhs: parameter m is undefined",
    ]  # fmt: skip
    path = folder / "pendulums.js"
    path.write_text(path.read_text().replace("CHECKS = true", "CHECKS = false"))
    assert checked(folder).stdout.split() == ["nothing"] * 3


def test_wrong_machine_code_is_found(tmp_path: Path) -> None:
    """The file of machine code is what runs: that of another length is told from the right one."""
    pytest.importorskip("ziglang", reason="ziglang is not installed: WebAssembly is not linked (pip install ziglang)")
    m = {n: sb.Model("pair") for n in "ab"}
    for name, model in m.items():
        body = model.body("body", mass=1, com=(0, -(1.0 if name == "a" else 1.01), 0))
        model.revolute("q", model.ground, body, at=(0.1, 0, 0))
        model.gravity(0, -9.81, 0)
    a, b = (
        sb.write.wasm(sb.derive(x), tmp_path / n, functions=["rhs"], start={"q": 1.0}, reference=None)
        for n, x in m.items()
    )
    assert_good(a)
    (a / "pair.wasm").write_bytes((b / "pair.wasm").read_bytes())
    assert re.search(r"^rhs +WRONG", checked(a).stdout, re.MULTILINE)


def test_wasm_without_a_linker_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[wasm_files.__module__], "has_zig", lambda: False)
    with pytest.raises(sb.errors.CompileError, match=r"pip install 'symbody\[wasm\]'"):
        sb.write.wasm(pendulums(), tmp_path, functions=["rhs"], reference=None)
    assert not list(tmp_path.iterdir())

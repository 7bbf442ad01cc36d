"""The one text of Runge-Kutta steps: as Python, as machine code and in the languages that kernels are printed in, it is
the step of `simulate`."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.emit.loops.inlining import inlined_form
from symbody.emit.loops.kernel_nodes import ProgramCall
from symbody.emit.run.loop_callee import LoopCallee, program_callee
from symbody.integrate.kernels.stages import fixed_step
from symbody.integrate.kernels.tableaux import CLASSICAL_4, DORMAND_PRINCE_5, DORMAND_PRINCE_8
from symbody.write.targets.c.c_kernels import CKernel
from symbody.write.targets.javascript.javascript_kernels import JavaScriptKernel
from tests.contracts.targets import c_compiler
from tests.installed import installed

from .mechanisms import double_pendulum

H, STEPS = 0.02, 40
TABLEAUX = {"rk4": CLASSICAL_4, "dp5": DORMAND_PRINCE_5, "dp8": DORMAND_PRINCE_8}


def predators() -> sb.Equations:
    """x' = x - x y + sin t, y' = x y - y."""
    x, y = sb.symbols("x y", "variable")
    return sb.from_equations({x: x - x * y + sb.sin(sb.symbol("t", "time")), y: x * y - y})


def expected(eq: sb.Equations, start: dict[str, float], method: str) -> np.ndarray:
    return np.asarray(sb.simulate(eq, H * STEPS, start, method=method, step=H).y[-1])


def rates(t: float, y: Any) -> list[float]:
    return [y[0] - y[0] * y[1] + np.sin(t), y[0] * y[1] - y[1]]


@pytest.mark.parametrize("method", TABLEAUX)
def test_as_python(method: str) -> None:
    table, y = TABLEAUX[method], [1.5, 0.5]
    w, d, k = [0.0] * 2, [0.0] * 2, [0.0] * (2 * table.stages)

    def rhs(given: Any, out: Any) -> None:
        out[0][:] = rates(*given)

    for step in range(STEPS):
        fixed_step(2, table.stages, step * H, H, list(table.butcher), y, w, k, d, rhs)
    assert np.allclose(y, expected(predators(), {"x": 1.5, "y": 0.5}, method), rtol=1e-13)


@pytest.mark.parametrize("method", TABLEAUX)
def test_as_a_step_of_numbers_of_arrays_and_of_expressions(method: str) -> None:
    """`Tableau.step` by itself, for many states at once, and as a program."""
    table, y = sb.integrate.Tableau.named(method), (1.5, 0.5)
    many = (np.array([1.5, 0.2]), np.array([0.5, 2.0]))
    t, a, b = sb.symbols("t a b")
    step = table.step(lambda s, x: [x[0] - x[0] * x[1] + sb.sin(s), x[0] * x[1] - x[1]], t, [a, b], H)
    written = y
    for k in range(STEPS):
        written = tuple(sb.evaluate(list(step), {t: k * H, a: written[0], b: written[1]}))
        y, many = table.step(rates, k * H, y, H), table.step(rates, k * H, many, H)
    whole = expected(predators(), {"x": 1.5, "y": 0.5}, method)
    assert np.allclose([y, written, [x[0] for x in many]], whole, rtol=1e-13)
    assert np.allclose([x[1] for x in many], expected(predators(), {"x": 0.2, "y": 2.0}, method), rtol=1e-13)


def test_a_step_refuses_rates_of_another_size_and_methods_that_do_not_exist() -> None:
    rk4 = sb.integrate.Tableau.named("rk4")
    with pytest.raises(sb.SymbodyError, match="rates of 2 entries gave 1"):
        rk4.step(lambda t, y: [-y[0]], 0.0, [1.0, 2.0], 0.1)
    with pytest.raises(sb.SymbodyError, match="there is no method 'rk5'"):
        sb.integrate.Tableau.named("rk5")


@pytest.mark.parametrize("method", TABLEAUX)
def test_as_machine_code(method: str) -> None:
    eq, table = double_pendulum(), TABLEAUX[method]
    start = {"q1": 1.0, "q2": 0.5}
    program = sb.compile(eq, bake={s.name: v for s, v in eq.variables.of("p").defaults.items()}).rhs
    y = np.array([1.0, 0.5, 0.0, 0.0])
    known = {"n": 4, "stages": table.stages, "table": table.butcher}
    loop = LoopCallee(
        fixed_step, known, t=0.0, h=H, y=y, w=np.zeros(4), k=np.zeros(4 * table.stages), d=np.zeros(4), rhs=program_callee(program, {})
    )  # fmt: skip
    for _ in range(STEPS):
        loop.run()
    assert np.allclose(y, expected(eq, start, method), rtol=1e-12)


class InC(CKernel):
    def run(self, s: ProgramCall) -> None:
        given = ", ".join(self.expression(e) for e in (*s.inputs, *s.outputs))
        self.line(f"rates({given});")


class InJavaScript(JavaScriptKernel):
    def run(self, s: ProgramCall) -> None:
        given = ", ".join(self.expression(e) for e in (*s.inputs, *s.outputs))
        self.line(f"rates({given});")


C = """#include <math.h>
#include <stdio.h>
typedef int program;
static void rates(double t, const double *y, double *d)
{{
    d[0] = y[0] - y[0] * y[1] + sin(t);
    d[1] = y[0] * y[1] - y[1];
}}
{step}
int main(void)
{{
    const double table[] = {{{table}}};
    double y[2] = {{1.5, 0.5}}, w[2], d[2], k[2 * {stages}];
    for (int s = 0; s < {steps}; s++) {{
        step(2, {stages}, s * {h}, {h}, table, y, w, k, d, 0);
    }}
    printf("[%.17g, %.17g]", y[0], y[1]);
    return 0;
}}
"""
JAVASCRIPT = """function rates(t, y, d) {{ d[0] = y[0] - y[0] * y[1] + Math.sin(t); d[1] = y[0] * y[1] - y[1]; }}
function step({names}) {{
{step}
}}
const table = [{table}], y = [1.5, 0.5];
for (let s = 0; s < {steps}; s++) step(2, {stages}, s * {h}, {h}, table, y, [0, 0], new Float64Array(2 * {stages}), [0, 0]);
console.log(JSON.stringify(y));
"""


def filled(text: str, method: str, **parts: str) -> str:
    table = TABLEAUX[method]
    numbers = ", ".join(map(repr, table.butcher))
    return text.format(stages=table.stages, h=H, steps=STEPS, table=numbers, **parts)


@pytest.mark.parametrize("method", TABLEAUX)
def test_in_c(method: str, tmp_path: Path) -> None:
    source, program = tmp_path / "step.c", tmp_path / "step"
    source.write_text(filled(C, method, step=InC(inlined_form(fixed_step), "step").text()))
    subprocess.run([c_compiler(), "-std=c99", "-O2", str(source), "-o", str(program), "-lm"], check=True)
    found = json.loads(subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout)
    assert np.allclose(found, expected(predators(), {"x": 1.5, "y": 0.5}, method), rtol=1e-13)


@pytest.mark.parametrize("method", TABLEAUX)
def test_in_javascript(method: str, tmp_path: Path) -> None:
    node, printer = installed("node", "nodejs"), InJavaScript(inlined_form(fixed_step))
    body = printer.body()
    names = ", ".join(p.name for p in printer.form.parameters)
    (tmp_path / "step.js").write_text(
        filled(JAVASCRIPT, method, names=names, step="\n".join([*printer.locals(), *body]))
    )
    found = json.loads(subprocess.run([node, "step.js"], cwd=tmp_path, capture_output=True, check=True).stdout)
    assert np.allclose(found, expected(predators(), {"x": 1.5, "y": 0.5}, method), rtol=1e-13)

"""Controllers that are one compiled program: against the regulator in closed form, a solver of bounded least squares, the
closed loop, and their C code."""

import shutil
import subprocess

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.optimize import lsq_linear

import symbody as sb
from bench.motion_cases import balance
from symbody.kits import motions


def cart(**bounds):
    x, v, F = sb.symbols("x v F", kind="variable")
    problem = motions.Problem("cart")
    go = problem.phase("go", sb.from_equations({x: v, v: F}, inputs=[F]), 2.0).start(x=1, v=0.5)
    go.cost("effort", integral=F**2, weight=0.1).cost("end", end=x**2 + v**2).bounds(**bounds)
    return problem


def least_squares(x0, N=10, T=2.0, **options):
    """The same horizon: x_N = A^N x_0 + ..., ∫ F² = h Σ F_k²; steps of Runge-Kutta are exact here."""
    h = T / N
    E = expm(h * np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]]))
    A, b = E[:2, :2], E[:2, 2]
    reach = np.column_stack([np.linalg.matrix_power(A, N - 1 - k) @ b for k in range(N)])
    rows = np.vstack([reach, np.sqrt(0.1 * h) * np.eye(N)])
    right = np.concatenate([-np.linalg.matrix_power(A, N) @ x0, np.zeros(N)])
    return lsq_linear(rows, right, tol=1e-12, **options)


def test_without_bounds_one_iteration_is_the_regulator():
    control = cart().controller(10, iterations=1)
    step = control.step(x=-2, v=3)
    known = least_squares(np.array([-2.0, 3.0]))
    assert control["F"] == pytest.approx(known.x, abs=1e-9)
    assert control.step().cost == pytest.approx(2 * known.cost)
    assert step.inputs["F"] == pytest.approx(known.x[0])


def test_bounds_are_those_of_bounded_least_squares():
    control = cart(F=(-0.6, 0.4)).controller(10, iterations=20, barrier=1e-6)
    step = control.step(x=1.0, v=-1.0)
    known = least_squares(np.array([1.0, -1.0]), bounds=(-0.6, 0.4))
    assert (known.x > 0.4 - 1e-6).any()
    assert control["F"] == pytest.approx(known.x, abs=5e-5)
    assert step.violation < 1e-9
    assert np.abs(np.diff(control["x"]) - 0.1 * (control["v"][1:] + control["v"][:-1])).max() < 1e-9


def test_bounds_of_states_and_paths_hold():
    problem = cart(v=(-0.3, 0.6), F=(-1, 1))
    x, v = problem.phases["go"].equations.state
    problem.phases["go"].path("wall", x + v, high=1.55)
    control = problem.controller(20, iterations=20, barrier=1e-7)
    control.step()
    assert control["v"].min() == pytest.approx(-0.3, abs=1e-3)
    assert control["v"].max() <= 0.6
    assert (control["x"] + control["v"]).max() <= 1.55


def test_operations_are_proportional_to_the_intervals():
    three, six, nine = (cart(F=(-1, 1)).controller(n).operations for n in (3, 6, 9))
    assert six - three == pytest.approx(nine - six, rel=0.1)


C_MAIN = """#include <stdio.h>
#include "controller.h"
int main(void)
{
    double state[4] = {0.01, 3.2, 0.1, -0.2}, input[1];
    for (int k = 0; k < 3; k++) {
        double off = control_step(state, input);
        printf("%.17g %.17g\\n", input[0], off);
    }
    return 0;
}
"""


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
def test_c_code_takes_the_same_steps(tmp_path):
    control = balance().controller(6)
    control.write_c(tmp_path)
    (tmp_path / "main.c").write_text(C_MAIN)
    strict = ["gcc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-O1"]
    subprocess.run([*strict, "main.c", "controller.c", "iteration.c", "-lm", "-o", "main"], cwd=tmp_path, check=True)
    told = subprocess.run([tmp_path / "main"], check=True, capture_output=True, text=True).stdout.split()
    found = np.array(told, dtype=float).reshape(3, 2)
    for force, off in found:
        step = control.step(x=0.01, a=3.2, x_dot=0.1, a_dot=-0.2)
        assert [step.inputs["F"], step.violation] == pytest.approx([force, off], rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda: cart().controller(0), "intervals= must be a positive whole number, got 0"),
        (lambda: cart().controller(5, barrier=0), "barrier= must be positive, got 0"),
        (lambda: cart().controller(5).step(y=1), "there is no state 'y'"),
        (lambda: cart().controller(5)["y"], "there is no state or input 'y'"),
        (lambda: cart(x=(2, 3)).controller(5), "x is 1 at the start, but its bounds are 2 to 3"),
    ],
)
def test_controllers_that_make_no_sense(act, message):
    with pytest.raises(sb.ModelError, match=message):
        act()


def test_fixed_ends_are_refused():
    problem = cart()
    problem.phases["go"].end(x=0)
    with pytest.raises(sb.ModelError, match="the end of x is fixed or not a bound; give a cost at the end"):
        problem.controller(5)


def test_inputs_without_cost_are_named():
    x, F = sb.symbols("x F", kind="variable")
    problem = motions.Problem("drift")
    problem.phase("go", sb.from_equations({x: F}, inputs=[F]), 1.0).start(x=1).cost("state", end=-(x**2))
    with pytest.raises(sb.errors.StudyError, match="the cost is not convex in F"):
        problem.controller(3)

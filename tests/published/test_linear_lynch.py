"""Lynch's linear results: triple pendulum, its design for wanted eigenvalues, constrained eigenvalues of the four-bar
both ways. And a string."""

import math

import numpy as np
import pytest

import symbody as sb
from examples import four_bar_spatial, string_with_particles, triple_pendulum
from symbody.stability.spectra.pencil import qz_eigenvalues
from symbody.stability.spectra.unreduced_pencils import pencil_of_squares

from .numbers import published


@pytest.fixture(scope="module")
def pendulum() -> sb.LinearSystem:
    equations = sb.derive(triple_pendulum.model())
    return sb.linearize(equations, sb.steady(equations))


def test_triple_pendulum(pendulum):
    value, form = published("lynch_triple_lin"), pendulum.second_order()
    M, K = (np.array(sb.evaluate(X, pendulum.numbers.nominal)) for X in (form.M, form.K))
    assert pytest.approx(np.array(value["M"]), abs=1e-14) == M
    assert pytest.approx(9.81 * np.array(value["K_over_g"]), abs=1e-13) == K
    squares = sorted(-(pendulum.eigenvalues() ** 2).real)[::2]
    assert squares == pytest.approx(value["eig_g9_81"], abs=1e-8)
    assert [10 * s for s in squares] == pytest.approx(value["printed"], abs=0.05)


def test_design(pendulum):
    """Tables 6.1 and 6.2: sensitivities, both iterations that are printed, and where they lead."""
    value = published("lynch_design")
    design = sb.stability.design_parameters(pendulum, [20, 40, 130], ["d1", "d2", "d3"], of="squares", g=98.1)
    assert design.is_reached
    assert design.steps[0].derivatives.real == pytest.approx(np.array(value["S0"]), abs=1e-6)
    for step in (1, 2):
        assert design.steps[step].parameters == pytest.approx(value[f"a{step}"], abs=1e-7)
        assert design.steps[step].quantities == pytest.approx(value[f"eig{step}"], abs=1e-6)
    assert list(design.values.values()) == pytest.approx(value["a_final"], abs=1e-7)


@pytest.mark.parametrize("method", ["coordinates", "qz", "qr"])
def test_four_bar(method):
    """ω² = 12.8876 by elimination, by QZ on all variables, and by QR onto the tangent of the constraints (6.2)."""
    equations = sb.derive(four_bar_spatial.model())
    motion = sb.steady(equations)
    assert motion["lam_ball_y"] == pytest.approx(49.05)  # half of the coupler's weight
    squares = -(sb.linearize(equations, motion).eigenvalues(method=method) ** 2)
    assert squares == pytest.approx([published("lynch_fourbar")["value"]] * 2, abs=1e-9)


def test_infinite_eigenvalues_of_the_four_bar():
    """The pencil of ω² in four coordinates and three multipliers has one finite and six infinite eigenvalues (6.2)."""
    equations = sb.derive(four_bar_spatial.model())
    lin = sb.linearize(equations, sb.steady(equations))
    (square,), infinite = qz_eigenvalues(*pencil_of_squares(lin, {}))
    assert -square == pytest.approx(published("lynch_fourbar")["value"], abs=1e-9)
    assert infinite == sb.stability.infinite_eigenvalues(lin, method="squares") == 6
    assert sb.stability.infinite_eigenvalues(lin, method="qz") == 4 + 4 + 4 + 3 - 2
    assert sb.stability.infinite_eigenvalues(lin) == 0
    with pytest.raises(sb.errors.StabilityError, match="no method 'qr'; there are coordinates, qz, squares"):
        sb.stability.infinite_eigenvalues(lin, method="qr")


def test_string_with_two_particles():
    """Lennartsson 7.3: it hangs at an angle that only Newton's method finds, and swings in three ways."""
    value = published("coupled_pend_freq")
    equations = sb.derive(string_with_particles.model())
    motion = sb.steady(equations, start={"q1": 0.1})
    assert motion["q1"] == pytest.approx(value["theta0"], abs=1e-10)
    spectrum = sb.linearize(equations, motion).modes()
    found = [m.frequency for m in spectrum if m.eigenvalue.imag > 0]
    assert sorted(found) == pytest.approx(sorted(value["f"]), abs=1e-8)
    (plane,) = (m for m in spectrum if m.eigenvalue.imag > 0 and m.frequency == pytest.approx(value["f"][0], abs=1e-6))
    assert abs(plane.shape["q2"]) < 1e-9  # the first of the document swings in the plane of the string
    assert max(abs(m.damping_ratio) for m in spectrum) < 1e-10


def test_a_longer_string_moves_the_operating_point():
    """Sweeping a length moves the equilibrium along: frequencies equal those found at each length anew."""
    equations = sb.derive(string_with_particles.model())
    lin = sb.linearize(equations, sb.steady(equations, start={"q1": 0.1}))
    again = sb.steady(equations, start={"q1": 0.2}, L=0.2)
    assert lin.eigenvalues(L=0.2) == pytest.approx(sb.linearize(equations, again).eigenvalues(), abs=1e-8)
    step = 1e-6
    difference = [
        (b - a) / (2 * step) for a, b in zip(lin.eigenvalues(L=0.2 - step), lin.eigenvalues(L=0.2 + step), strict=True)
    ]
    assert sb.stability.eigenvalue_sensitivities(lin, "L", L=0.2).derivatives[:, 0] == pytest.approx(
        np.array(difference), rel=1e-5, abs=1e-5
    )
    assert math.isclose(again["q1"], lin.about.solve({**lin.numbers.values({"L": 0.2})})[equations.q[0]], rel_tol=1e-9)

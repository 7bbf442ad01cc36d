"""Sparse linearisations of large trees: beside full matrices, closed forms, and the frequency response of these."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csc_array
from scipy.special import jn_zeros

import symbody as sb
from symbody.integrate.run import newton_matrix
from symbody.stability.linear import loop_numbers
from symbody.stability.spectra import sparse_pencil
from symbody.stability.spectra.nearest_eigenvalues import nearest_eigenvalues
from symbody.stability.spectra.pencil import pencil_spectrum
from symbody.stability.spectra.response import transfer

from .. import linked_trees
from ..amount import some
from ..linked_trees import random_tree, take_loops


@pytest.fixture
def any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trees of any size are linearised in loops, with sparse pencils."""
    take_loops(monkeypatch)
    monkeypatch.setattr(linked_trees, "JOINTS", linked_trees.JOINTS[:3])
    monkeypatch.setattr(newton_matrix, "MIN_VARIABLES", 2)
    monkeypatch.setattr(newton_matrix, "DENSE_SPEEDUP", 0)
    monkeypatch.setattr(loop_numbers, "MIN_SPEEDS", 2)


def random_system(seed: int, n: int = 8) -> sb.stability.LinearSystem:
    """About a random state, with an output."""
    m = random_tree(seed, n)
    m.output("y", m.symbols["k"] * sum(sb.derive(m).q) ** 2 + m.symbols["tau"])
    eq, draw = sb.derive(m), Random(seed)
    return sb.linearize(eq, {s: draw.uniform(-0.8, 0.8) for s in (*eq.q, *eq.u, *eq.r)}, moving=True)


@pytest.mark.parametrize("seed", some(range(6), 2))
def test_same_answers_as_with_full_matrices(seed: int, any_size: None) -> None:
    lin = random_system(seed)
    for values in ({}, {"k": 3.0}):
        n, sparse = lin.matrices(values), lin.numbers.sparse(values)
        assert sparse.A.shape[0] > sparse.states == len(lin.x)
        E, A = sparse.full()
        np.testing.assert_array_equal(E, n.E)
        np.testing.assert_allclose(A, n.A, rtol=0, atol=1e-10 * np.abs(n.A).max())
        hertz = np.array([0.0, 0.3, 2.0])
        for name, c, d in (("y", n.C[0], n.D[0, 0]), (lin.x[3], np.eye(len(A))[3], 0.0)):
            found = lin.frequency_response("tau", name, hertz, values=values)
            wanted = transfer(
                n._replace(C=c[None], D=np.array([[d]]), D1=np.zeros((1, 1)), D2=np.zeros((1, 1))), found.omega, 0
            )
            np.testing.assert_allclose(found.values, wanted[:, 0], rtol=1e-7, atol=1e-9 * np.abs(wanted).max())


def test_changed_systems_in_loops(any_size: None) -> None:
    """Numbers for a parameter, and other matrices B and C: the answers are those of the changed matrices."""
    lin, hertz = random_system(1), [0.3, 2.0]
    stiff = lin(k=3.0)
    np.testing.assert_allclose(
        stiff.matrices().A, lin.matrices(k=3.0).A, rtol=0, atol=1e-12 * np.abs(lin.matrices(k=3.0).A).max()
    )
    assert stiff.full is not None
    found, expected = (x.frequency_response("tau", "y", hertz).values for x in (stiff, lin))
    assert np.abs(found - expected).max() > 1e-3 * np.abs(expected).max()
    np.testing.assert_allclose(found, lin.frequency_response("tau", "y", hertz, k=3.0).values, rtol=1e-8)
    np.testing.assert_allclose(lin.map(sb.tidy).matrices().A, lin.matrices().A, rtol=1e-9)
    twice = lin.map(lambda m: 2 * m if m.cols == 1 else m)  # B and D
    np.testing.assert_allclose(twice.frequency_response("tau", "y", hertz).values, 2 * expected, rtol=1e-8)


@pytest.mark.parametrize("near", [0.0, 3j, -1.0])
def test_nearest_modes_are_those_of_all(near: complex, any_size: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Eigenvalues, shapes and shares of the modes nearest to a point."""
    monkeypatch.setattr("symbody.stability.spectra.nearest_eigenvalues.FEW_STATES", 4)
    lin = random_system(2)
    every = {complex(np.round(m.eigenvalue, 6)): m for m in lin.modes()}
    found = lin.modes(count=4, near=near)
    nearest = sorted(abs(s - near) for s in every)[:4]
    np.testing.assert_allclose(sorted(abs(m.eigenvalue - near) for m in found), nearest, atol=2e-6)
    for mode in found:
        same = every[complex(np.round(mode.eigenvalue, 6))]
        np.testing.assert_allclose([mode.shape[n] for n in lin.x], [same.shape[n] for n in lin.x], atol=1e-6)
        assert mode.participation == pytest.approx(same.participation, abs=1e-6)


def chain(n: int, **joint: Any) -> sb.Model:
    """Of length and mass 1, hanging down."""
    link = sb.Model("link")
    rod = link.body("rod", mass=1 / n, com=(0, -0.5 / n, 0), inertia=(0, 0, n**-3 / 12))
    link.revolute("a", link.ground, rod, "z", actuation=link.input("tau"), **joint)
    link.frame("tip", rod.frame.translate(0, -1 / n, 0))
    m = sb.Model("chain")
    m.repeat("link", m.ground, link, n, end="tip")
    return m


def test_hanging_chain() -> None:
    """ω = j √(g/L) / 2 with the zeros j of J0 (Bernoulli); and the response to a motor has its peaks there."""
    m = chain(300)
    m.gravity(0, -9.81, 0)
    lin = sb.linearize(sb.derive(m), {})
    wanted = jn_zeros(0, 3) / 2 * np.sqrt(9.81)
    found = lin.modes(count=6)
    np.testing.assert_allclose([s.imag for s in found.eigenvalues[3:]], wanted, rtol=6e-5)
    np.testing.assert_allclose(found.eigenvalues.real, 0, atol=1e-9)
    at = np.array([0.999, 1.0, 1.001]) * wanted[1] / (2 * np.pi)
    response = np.abs(lin.frequency_response("link_10_tau", "link_200_a", at).values)
    assert response[1] > 20 * response[0]
    assert response[1] > 20 * response[2]
    with pytest.raises(sb.errors.StabilityError, match="no output or variable 'link_900_a'"):
        lin.frequency_response("link_10_tau", "link_900_a", at)


def test_clamped_rod() -> None:
    """ω = β² √(EI/m L³), cos β cosh β = -1 (Euler and Bernoulli), for stiff joints: slow ones of 800 states."""
    n, stiffness = 400, 50.0
    lin = sb.linearize(sb.derive(chain(n, stiffness=stiffness * n)), {})
    found = np.sort(np.abs(lin.eigenvalues(count=6).imag))[::2]
    np.testing.assert_allclose(
        found, np.array([1.87510407, 4.69409113, 7.85475744]) ** 2 * np.sqrt(stiffness), rtol=0.01
    )


def bent_rod(n: int = 6) -> sb.Equations:
    """Elastic joints, gravity across, a motor at each: the shape of rest depends on the stiffness."""
    link = sb.Model("link")
    k = link.parameter("k", 3.0)
    rod = link.body("rod", mass=1 / n, com=(0, -0.5 / n, 0), inertia=(0, 0, n**-3 / 12))
    link.revolute("a", link.ground, rod, "z", stiffness=k, damping=0.02, actuation=link.input("tau"))
    link.frame("tip", rod.frame.translate(0, -1 / n, 0))
    m = sb.Model("bent rod")
    m.parameter("k", 3.0)
    m.gravity(9.81, 0, 0)
    m.repeat("link", m.ground, link, n, end="tip", share="k")
    m.output("slope", sum(sb.derive(m).q) ** 2)
    return sb.derive(m)


def test_steady_motions_in_loops(any_size: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """About a shape of rest that was found, the answers are those of the equations written out: also for other
    parameters, where the shape is found again, and for changes with a parameter."""
    eq, hertz = bent_rod(), [0.1, 2.0]
    loops = sb.linearize(eq, sb.steady(eq))
    monkeypatch.setattr(loop_numbers, "MIN_SPEEDS", 1000)
    written = sb.linearize(eq, sb.steady(eq))
    assert loop_numbers.loops_of(loops) is not None
    assert loop_numbers.loops_of(written) is None
    assert loops.about is not None
    for values in ({}, {"k": 5.0}):
        found, wanted = loops.matrices(values), written.matrices(values)
        pairs = [(getattr(found, name), np.linalg.solve(wanted.E, getattr(wanted, name))) for name in "AB"]
        for left, right in (*pairs, (found.C, wanted.C), (loops.numbers.sparse(values).full()[1], pairs[0][1])):
            np.testing.assert_allclose(left, right, rtol=0, atol=1e-9 * np.abs(right).max())
        left, right = (
            x.frequency_response("link_1_tau", "slope", hertz, values=values).values for x in (loops, written)
        )
        np.testing.assert_allclose(left, right, rtol=1e-8)
    assert np.abs(loops.matrices({"k": 5.0}).C - loops.matrices({}).C).max() > 0.01  # the shape has changed
    left, right = (sb.stability.eigenvalue_sensitivities(x, "k").derivatives for x in (loops, written))
    np.testing.assert_allclose(left, right, rtol=1e-6, atol=1e-6)
    left, right = (sb.stability.operating_points(x, k=[3.0, 4.0])["link_0_a"] for x in (loops, written))
    np.testing.assert_allclose(left, right, rtol=1e-9)


def test_full_matrices_of_many_states_are_refused(any_size: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop_numbers, "MAX_FULL", 5)
    lin = random_system(1)
    assert len(lin.eigenvalues(count=2)) == 2
    with pytest.raises(sb.errors.StabilityError, match=f"full matrices of {len(lin.x)} states .* Pass count= to eigen"):
        lin.eigenvalues()


def random_pencil(n: int = 40) -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(0)
    return draw.normal(size=(n, n)), draw.normal(size=(n, n))


@pytest.mark.parametrize("density", [1.0, 0.05])
def test_solutions_with_unknowns_without_rates(density: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """(A - s E) X = (b, 0) by full and by sparse factors."""
    monkeypatch.setattr(sparse_pencil, "DENSE", density)
    _, A = random_pencil(12)
    n, b = 8, np.arange(8)
    pencil = sparse_pencil.SparsePencil(csc_array(np.diag([1.0] * n + [0.0] * 4)), csc_array(A), n)
    E, own = pencil.full()
    np.testing.assert_allclose(pencil.solved(0.3j, b), np.linalg.solve(own - 0.3j * E, b), rtol=1e-9)


@pytest.mark.parametrize("is_full", [True, False])
@pytest.mark.filterwarnings("error")
def test_solutions_at_an_eigenvalue(is_full: bool) -> None:
    """NaN, without a warning, also for whole numbers on the right side; and nearest eigenvalues begin beside it."""
    _, A = random_pencil()
    A = A * (np.arange(len(A))[:, None] > 0) if is_full else np.diag(np.arange(40.0))
    pencil = sparse_pencil.sparse_pencil(np.eye(len(A)), A)
    assert np.isnan(pencil.solved(0.0, np.ones(len(A), dtype=int))).all()
    wanted = np.linalg.eigvals(A)
    wanted = wanted[np.argsort(np.abs(wanted))[:3]]
    found = nearest_eigenvalues(pencil, 3, 0.0)
    np.testing.assert_allclose(np.sort_complex(found), np.sort_complex(wanted), atol=1e-9)


def test_infinite_eigenvalues_are_no_large_ones() -> None:
    """40 states of which 38 are algebraic, in chains too: two finite eigenvalues, however many are requested."""
    E, A = np.diag(np.ones(39), 1), np.eye(40)
    E[0, 1] = E[1, 2] = 0.0
    E[0, 0] = E[1, 1] = 1.0
    A[0, 0], A[1, 1] = -2.0, 3.0
    lin = sb.linear_system(A.tolist(), E=E.tolist())
    np.testing.assert_allclose(lin.eigenvalues(count=5), [-2.0, 3.0], rtol=1e-9)
    E[0, 0] = A[0, 0] = 0.0
    singular = sb.linear_system(A.tolist(), E=E.tolist())
    with pytest.raises(sb.errors.StabilityError, match="singular for every s"):
        singular.eigenvalues(count=5)


def test_no_response_at_an_eigenvalue(any_size: None) -> None:
    """Of a free mass in full matrices, and at 0 Hz of a free chain in sparse ones."""
    mass = sb.linear_system([[0, 1], [0, 0]], B=[[0], [1]], x=["x", "v"], r=["F"])
    free = sb.linearize(sb.derive(chain(4)), {})
    for lin, r, y in ((mass, "F", "x"), (free, "link_1_tau", "link_2_a")):
        with pytest.raises(sb.errors.StabilityError, match=f"response of {y} to {r} has no value at 0 Hz"):
            lin.frequency_response(r, y, [0.5, 0.0])


def test_spectrum_of_a_double_integrator_in_sparse_form() -> None:
    """A singular A - σ E is passed by a shift: body on a rail, beside forty links."""
    m = chain(40, stiffness=3.0)
    m.prismatic("s", m.ground, m.body("cart", mass=2.0), "x")
    found = sb.linearize(sb.derive(m), {}).eigenvalues(count=4)
    np.testing.assert_allclose(np.sort(np.abs(found))[:2], 0, atol=1e-6)
    lin = sb.linearize(sb.derive(m), {})
    every = pencil_spectrum(*lin.numbers.sparse({}).full()).s
    np.testing.assert_allclose(np.sort(np.abs(found))[2:], np.sort(np.abs(every))[2:4], rtol=1e-6)

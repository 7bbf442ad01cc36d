"""LQR where a conserved quantity makes a mode that no input reaches: that mode is left as it is, and named."""

import numpy as np
import pytest
from scipy.linalg import solve_continuous_are

import symbody as sb
from examples import bicycle
from symbody.stability.design.reach import constant_directions


def with_constants(seed, n=6, k=2):
    """x' = A x + B r with k constant sums Wᵀ x, W at random."""
    rng = np.random.default_rng(seed)
    W = np.linalg.qr(rng.normal(size=(n, k)))[0]
    P = np.eye(n) - W @ W.T
    return P @ rng.normal(size=(n, n)), P @ rng.normal(size=(n, 2)), W


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("k", [1, 2])
def test_gains_are_the_limit_of_a_mode_that_decays_slowly(seed, k):
    """An ordinary Riccati equation of A - ε W Wᵀ, ε to 0."""
    A, B, W = with_constants(seed, k=k)
    law = sb.linear_system(A, B).lqr(2.0, 0.5)
    e = 1e-6
    S = solve_continuous_are(A - e * W @ W.T, B, 2 * np.eye(6), 0.5 * np.eye(2))
    assert law.K == pytest.approx(2 * B.T @ S, rel=1e-4, abs=1e-4)
    assert np.sort(law.eigenvalues.real)[-k - 1] < -1e-3
    assert law.eigenvalues[np.argsort(abs(law.eigenvalues))[:k]] == pytest.approx(0, abs=1e-9)
    assert len(law.conserved) == k
    for row in law.conserved.values():
        assert np.linalg.norm(row @ A) + np.linalg.norm(row @ B) < 1e-10 * np.linalg.norm(row)


def test_constant_directions_are_found_beside_integrators():
    """A double integrator with its input has none; an oscillator without input is not constant."""
    V, W = constant_directions(np.array([[0.0, 1], [0, 0]]), np.array([[0.0], [1]]))
    assert W.shape == (2, 0)
    assert (V == np.eye(2)).all()
    lin = sb.linear_system([[0, 1, 0], [-1, 0, 0], [0, 0, 1]], [[0], [0], [1]])
    with pytest.raises(
        sb.errors.StabilityError, match=r"does not reach the mode s = .*1j \(of x1, x2\); leave these states out"
    ):
        lin.lqr(1.0)
    grows = sb.linear_system([[0, 1, 0], [0, 0, 0], [0, 0, 1]], [[0], [0], [1]], x=["place", "speed", "a"])
    with pytest.raises(sb.errors.StabilityError, match=r"does not reach the mode s = 0 \(of place\)"):
        grows.lqr(1.0)  # the speed is constant, the place is not


@pytest.fixture(scope="module")
def turn():
    """An unstable turn to the left at 4 m/s, with a torque between frame and fork."""
    motion = bicycle.unstable_turn()
    return motion.equations, motion


def test_the_bicycle_is_caught_on_an_unstable_turn(turn):
    """Without the torque it leaves the turn and runs straight; with it, it stays on a turn of its own energy."""
    eq, motion = turn
    lin = sb.linearize(eq, motion, drop="cyclic")
    assert lin.eigenvalues().real.max() == pytest.approx(0.788027, abs=1e-6)
    law = lin.lqr(1.0)
    assert list(law.conserved) == ["energy"]
    assert "conserved: energy (to first order, whatever the inputs do)" in repr(law)
    others = np.delete(law.eigenvalues, np.argmin(abs(law.eigenvalues)))
    assert others.real.max() < -2
    free, held = (sb.simulate(eq, 12, motion, q1=motion["q1"] + 0.05, inputs=i) for i in ({"tau": 0}, law))
    assert abs(free["q1"][-1]) < 1e-3
    assert held["q1"][-1] == pytest.approx(-0.3183, abs=1e-4)
    late = held.t > 8
    assert np.ptp(held["q1"][late]) < 1e-6
    assert held.energy[-1] == pytest.approx(held.energy[0], rel=1e-4)


def test_a_push_that_leaves_the_energy_returns_to_the_same_turn(turn):
    eq, motion = turn
    lin = sb.linearize(eq, motion, drop="cyclic")
    law = lin.lqr({"q1": 1, "q2": 1})
    row = law.conserved["energy"]
    push = np.array([0.01, 0, 0, 0, 0])
    push[4] = -row[0] * 0.01 / row[4]
    given = {n: motion[n] + d for n, d in zip(lin.x, push, strict=True)}
    end = sb.simulate(
        eq, 20, sb.assemble(eq, start={"q3_dot": -0.95, "x_dot": 3.85, "q5_dot": -11.3}, **given), inputs=law
    ).final
    assert [end[n] - motion[n] for n in ("q1", "q2")] == pytest.approx([0, 0], abs=2e-4)  # of second order


def test_place_names_what_it_cannot_move(turn):
    eq, motion = turn
    lin = sb.linearize(eq, motion, drop="cyclic")
    with pytest.raises(sb.errors.StabilityError, match="no input changes energy to first order: lqr"):
        lin.place([-1, -2, -3, -4, -5])


def test_a_momentum_is_named():
    """A body that moves freely along x, beside one that is pushed along y."""
    m = sb.Model("two")
    x, y, force = m.coordinate("x"), m.coordinate("y"), m.input("force")
    m.particle("a", m.ground.point(x, 0, 0), mass=2)
    m.particle("b", m.ground.point(0, y, 0), mass=1)
    m.generalized_force("push", y, force + 3 * y)
    lin = sb.linearize(sb.derive(m), {}, drop="cyclic")
    assert lin.x == ("y", "x_dot", "y_dot")
    assert list(lin.lqr(1.0).conserved) == ["momentum of x"]

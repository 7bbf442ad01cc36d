"""Starts of many equal parts: the nearest state on the constraints by sparse factors is that of equations written out; singular starts
end with the names of their constraints."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import symbody as sb
from examples import four_bars
from symbody.derivation.programs.constraint_sweeps import constraint_sweeps
from symbody.derivation.rank.row_space import RowSpace
from symbody.derivation.routes import repeated_equations
from symbody.integrate.start.constraint_rows import rows_of
from symbody.integrate.start.sparse_constraints import sparse_row_space

from ..amount import some

LENGTH = 1.0


def net(n: int, sag: float) -> tuple[sb.Equations, dict[str, float]]:
    """n x n particles at given distances that hang on two corners, and a start: rows are moved copies of one arc, which is a straight
    line without sag."""
    m = sb.Model("net")
    m.gravity(0, 0, -9.81)
    angles = [sag * (2 * k - n + 2) for k in range(n - 1)]
    y = np.concatenate([[0.0], np.cumsum(np.cos(angles))])
    z = np.concatenate([[0.0], np.cumsum(np.sin(angles))])
    at: dict[tuple[int, int], Any] = {}
    start: dict[str, float] = {}
    for i in range(n):
        for j in range(n):
            place = (float(i), float(y[j]), float(z[j]))
            if i == 0 and j in (0, n - 1):
                at[i, j] = m.ground.point(*place)
                continue
            coordinates = m.coordinates(" ".join(f"{c}_{i}_{j}" for c in "xyz"))
            at[i, j] = m.ground.point(*coordinates)
            m.particle(f"p_{i}_{j}", at[i, j], mass=1.0)
            start |= {q.name: v for q, v in zip(coordinates, place, strict=True)}
    for i, j in at:
        for other in ((i + 1, j), (i, j + 1)):
            if other in at:
                r = at[i, j] - at[other]
                m.constrain(f"rod_{i}_{j}_{other[0]}_{other[1]}", (r.dot(r) - LENGTH**2) / 2)
    return sb.derive(m), start


def rough(start: dict[str, float], size: float, seed: int = 1) -> dict[str, float]:
    rng = np.random.default_rng(seed)
    return {k: v + size * rng.uniform(-1, 1) for k, v in start.items()}


@pytest.mark.parametrize("seed", some(range(1, 5), 2))
@pytest.mark.parametrize("case", ["net", "four-bars"])
def test_nearest_state_is_that_of_equations_written_out(case: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Coordinates and speeds, with values that are held and weights."""

    def nearest() -> sb.State:
        if case == "net":
            eq, start = net(4, 0.1)
            held, name = {"x_1_1": 1.001}, "y_2_2"
        else:
            eq, start = sb.derive(four_bars.model(4)), {**four_bars.start(4), "b0": 0.0}
            held, name = {"a0": 1.5}, "a3"
        free = {k: v for k, v in rough(start, 0.02, seed).items() if k not in held}
        return sb.assemble(eq, held, start=free, weights={name: 20.0})

    written = nearest()
    assert constraint_sweeps(written.equations) is None
    with monkeypatch.context() as patch:
        patch.setattr(repeated_equations, "MIN_TREES", 1)
        patch.setattr(repeated_equations, "MIN_COPIES", 0)
        loops = nearest()
    assert constraint_sweeps(loops.equations) is not None
    assert loops.violation.is_small
    np.testing.assert_allclose(loops.q, written.q, rtol=0, atol=1e-8)
    np.testing.assert_allclose(loops.u, written.u, rtol=0, atol=1e-8)


def test_rough_start_of_a_large_net_is_moved_onto_the_constraints() -> None:
    """In time that grows with the net, not with its cube; of many moves those of the largest values are told."""
    spent = []
    for n in (8, 16):
        eq, start = net(n, 0.05)
        sb.simulate(eq, 1e-3, start=start, step=1e-3, method="rk4")
        began = time.process_time()
        sim = sb.simulate(eq, 1e-3, start=rough(start, 1e-3), step=1e-3, method="rk4")
        spent.append(time.process_time() - began)
        assert sim.outcome
        assert sim.state.violation.position < 1e-12
        (note,) = (x for x in sim.outcome.notes if "moved to the nearest state" in x)
        assert note.endswith("more")
        assert abs(sim["x_1_1"][0] - start["x_1_1"]) < 2e-3
    assert spent[1] < 20 * spent[0] + 0.2


def test_singular_start_ends_with_its_constraints() -> None:
    """A net with a straight upper edge has no accelerations; neither has a row of four-bars in line."""
    eq, start = net(12, 0.0)
    sim = sb.simulate(eq, 0.1, start)
    assert sim.outcome.ending is sb.integrate.Ending.SINGULAR
    assert "rod_0_0_0_1" in str(sim.outcome)
    assert "rod_1_0_1_1" not in str(sim.outcome)
    eq = sb.derive(four_bars.model(120))
    sim = sb.simulate(eq, 0.1)
    assert sim.outcome.ending is sb.integrate.Ending.SINGULAR
    assert "closing" in str(sim.outcome)


def test_start_that_closes_only_in_a_singular_position_is_refused() -> None:
    eq, start = net(10, 0.0)
    with pytest.raises(sb.errors.AssemblyError, match=r"close only in a singular position.*rod_0_") as refused:
        sb.assemble(eq, start=rough(start, 1e-3))
    assert "rod_3_3_4_3" not in str(refused.value)


def test_values_that_cannot_be_held_are_named() -> None:
    eq, start = net(10, 0.05)
    with pytest.raises(sb.errors.AssemblyError, match="x_1_1 = 4 cannot be reached"):
        sb.simulate(eq, 0.1, start=start, x_1_1=4.0)
    with pytest.raises(sb.errors.AssemblyError, match=r"cannot be closed.*rod_"):
        sb.simulate(eq, 0.1)


@pytest.mark.parametrize("angle", [0.5, 2.0, -1.0])
def test_one_angle_starts_a_row_of_four_bars(angle: float) -> None:
    """From all rods in line, which is singular; without whole turns."""
    state = sb.assemble(sb.derive(four_bars.model(120)), a0=angle)
    np.testing.assert_allclose([state[f"a{k}"] for k in range(121)], angle, rtol=0, atol=1e-9)


def test_whole_turns_are_taken_away() -> None:
    """From angles that may move, where rows do not change by it; the angle of a screw is kept."""
    eq = sb.derive(four_bars.model(60))
    loops, q = rows_of(eq).sparse, np.full(len(eq.q), 0.5)
    assert loops is not None
    turned = q + 2 * np.pi * np.array([k % 5 - 2 for k in range(len(q))])
    free = np.arange(1, len(q))

    def rows(x: np.ndarray) -> tuple[np.ndarray, Any]:
        return np.array([np.cos(x[0]), np.sin(x).sum()]), None

    found = loops.unwound(turned, q, rows, free)
    np.testing.assert_allclose(found, [turned[0], *q[1:]], atol=1e-12)
    np.testing.assert_array_equal(loops.unwound(turned, q, lambda x: (x.cumsum(), None), free), turned)


def test_speeds_that_contradict_each_other_are_named() -> None:
    """Tips of a row of four-bars have one speed."""
    n = 60
    eq, place = sb.derive(four_bars.model(n)), {f"a{k}": 1.5 for k in range(n + 1)}
    rates = {f"a{k}_dot": 1.0 for k in range(n + 1)}
    assert abs(sb.assemble(eq, place, start=rates)["a7_dot"] - 1.0) < 1e-12
    with pytest.raises(sb.errors.AssemblyError, match="a5_dot = 2"):
        sb.assemble(eq, {**place, **rates, "a5_dot": 2.0})


@pytest.mark.parametrize("seed", some(range(4), 2))
def test_row_space_of_few_entries_is_that_of_the_matrix(seed: int) -> None:
    """Rank, and combinations of rows that vanish, of rows with very different sizes."""
    rng = np.random.default_rng(seed)
    J = np.where(rng.uniform(size=(40, 60)) < 0.1, rng.normal(size=(40, 60)), 0.0) + np.eye(40, 60)
    for k in range(5 * seed):
        J[k] = J[20 + k] - 2 * J[35]
    J *= 10 ** rng.uniform(-3, 3, size=(40, 1))
    found, wanted = sparse_row_space(sparse.csr_matrix(J)), RowSpace.of(J)
    assert found.rank == wanted.rank == 40 - 5 * seed
    assert found.null.shape == wanted.null.shape
    assert np.abs((found.null * found.sizes[:, None]).T @ (J / found.sizes[:, None])).max(initial=0.0) < 1e-10

"""Sparse elimination in Radau IIA: the same solutions as by dense elimination, to rounding, in work that grows with the
couplings."""

from __future__ import annotations

from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.emit.loops.kernel_language import Numbers
from symbody.integrate import SimulationOptions
from symbody.integrate.elimination_kernels.sparse_elimination import (
    Sparse,
    shift_matrix,
    sparse_complex_factor,
    sparse_complex_solve,
    sparse_factor,
    sparse_solve,
)
from symbody.integrate.elimination_kernels.sparse_pattern import elimination_of, ordered_elimination
from symbody.integrate.kernels import radau
from symbody.integrate.kernels.march_records import DONE
from symbody.integrate.run.form_and_method import form_of
from symbody.integrate.run.implicit import radau_machine
from symbody.integrate.run.machine import Task
from symbody.integrate.run.newton_matrix import Slopes


def random_saddle(seed: int) -> tuple[np.ndarray, list[bool]]:
    """J of random variables with rates, accelerations under a definite M, and multipliers, whose diagonal is zero: [. .
    .; K M -Cᵀ; . C 0]."""
    draw = np.random.default_rng(seed)
    n, k = int(draw.integers(8, 14)), int(draw.integers(1, 4))
    J = np.zeros((2 * n + k, 2 * n + k))
    J[:n, n : 2 * n] = np.eye(n)
    M = np.diag(draw.uniform(1, 3, n))
    K = np.zeros((n, n))
    for i in range(1, n):
        M[i, i - 1] = M[i - 1, i] = draw.uniform(-0.4, 0.4)
        K[i, i - 1], K[i - 1, i] = draw.uniform(-1e4, 1e4, 2)
    C = np.zeros((k, n))
    for i in range(k):
        C[i, [2 * i, 2 * i + 1]] = draw.normal(size=2)
    J[n : 2 * n, :n], J[n : 2 * n, n : 2 * n], J[n : 2 * n, 2 * n :] = K, M, -C.T
    J[2 * n :, n : 2 * n] = C
    return J, [False] * n + [True] * (n + k)


def prepared(J: np.ndarray, algebraic: list[bool]) -> tuple[Sparse, Numbers]:
    places = [(int(i), int(j)) for i, j in zip(*np.nonzero(J), strict=True)]
    n, at = len(J), np.array(places, dtype=np.int64)
    s = Slopes(n, at[:, 0], at[:, 1], elimination_of(n, places, [not a for a in algebraic]), lambda p: None).sparse(n)
    assert s.size == n
    return s, [J[p] for p in places]


@pytest.mark.parametrize("seed", range(12))
def test_real_and_complex_solutions(seed: int) -> None:
    J, algebraic = random_saddle(seed)
    s, entries = prepared(J, algebraic)
    n, mass, draw = len(J), 1.0 - np.array(algebraic), np.random.default_rng(seed)
    b, c = draw.normal(size=(2, n))
    a, re, im = (np.zeros(s.filled + n) for _ in range(3))
    shift_matrix(s, 300.0, mass, entries, a)
    assert sparse_factor(s, a) == 1
    x = b.copy()
    sparse_solve(s, a, x)
    A = 300.0 * np.diag(mass) - J
    assert np.allclose(A @ x, b, atol=1e-10 * np.abs(A).max())
    assert np.allclose(x, np.linalg.solve(A, b), rtol=1e-8, atol=1e-11 * np.abs(x).max())
    shift_matrix(s, 200.0, mass, entries, re)
    for i in range(n):
        if mass[i]:
            im[s.diagonals[i]] = 500.0
    assert sparse_complex_factor(s, re, im) == 1
    x, y = b.copy(), c.copy()
    sparse_complex_solve(s, re, im, x, y)
    exact = np.linalg.solve((200.0 + 500.0j) * np.diag(mass) - J, b + 1j * c)
    assert np.allclose(x + 1j * y, exact, rtol=1e-8, atol=1e-11 * np.abs(exact).max())


def test_a_small_pivot_is_refused_whatever_the_units() -> None:
    """[ε 1; 1 1] needs another pivot; the same with rows and columns in other units too, and [2 1; 1 1] does not."""
    draw = Random(3)
    for small, expected in ((1e-12, 0), (2.0, 1)):
        for _ in range(5):
            d, e = np.array([10.0 ** draw.uniform(-2, 2) for _ in range(4)]).reshape(2, 2)
            J = -np.array([[small, 1.0, 0], [1.0, 1.0, 0], [0, 0, 1.0]])
            J[:2, :2] *= np.outer(d, e)
            s, entries = prepared(J, [True] * 3)
            a = np.zeros(12)
            shift_matrix(s, 0.0, np.zeros(3), entries, a)
            assert sparse_factor(s, a) == expected


def wide_radau() -> Any:
    """The factors that an implicit step needs of a matrix with an unknown beside two variables: [c 0 0; 0 c -1; 0 -1 0], without a
    condition on the size of pivots."""
    at = np.array([(1, 2), (2, 1)], dtype=np.int64)
    order = ordered_elimination(3, at[:, 0], at[:, 1], np.array([True, True, False]), np.array([0, 1, 2]))
    s = Slopes(3, at[:, 0], at[:, 1], order, lambda p: None).sparse(2)
    a, re, im = (np.zeros(s.filled + s.size) for _ in range(3))
    return SimpleNamespace(
        sparse=s,
        mass=np.ones(2),
        entries=np.array([1.0, 1.0]),
        a=a,
        re=re,
        im=im,
        is_wide=1,
        is_sparse=1,
        refused=0,
        factored=1.0,
    )


def test_a_step_whose_matrix_is_singular_is_not_solved() -> None:
    """With unknowns beside the variables no dense elimination takes over: a pivot that is zero ends the step."""
    m = wide_radau()
    counts: Any = SimpleNamespace(counts=SimpleNamespace(factorizations=0))
    assert m.sparse.smallest == 0.0
    assert radau.factorize(m, counts, 0.1) == 1
    assert m.factored == 0.1
    m.entries[:] = 0.0
    assert radau.factorize(m, counts, 0.2) == 0
    assert m.factored == 0.0
    for a in (m.a, m.re):
        shift_matrix(m.sparse, 1.0, m.mass, m.entries, a)
    m.im[:] = 0.0
    assert sparse_factor(m.sparse, m.a) == 0
    assert sparse_complex_factor(m.sparse, m.re, m.im) == 0


def test_slopes_along_a_direction_are_those_of_the_matrix() -> None:
    """As the difference of rates, of variables of any size."""
    J, v = random_saddle(1)[0], np.random.default_rng(2).normal(size=len(random_saddle(1)[0]))
    for size in (1e-3, 1.0, 1e3):
        y = size * np.linspace(-1, 1, len(J))

        def rhs(given: Any, out: Any) -> None:
            out[0][:] = J @ given[1]

        s: Any = SimpleNamespace(
            n=len(J), t=0.0, y=y, w=np.zeros(len(J)), rhs=rhs, counts=SimpleNamespace(evaluations=0)
        )
        m: Any = SimpleNamespace(k=J @ y, v=v, f=np.zeros(len(J)))
        radau.slope_along(m, s)
        np.testing.assert_allclose(s.w, J @ v, atol=1e-7 * np.abs(J).max() * np.abs(v).max())
        assert s.counts.evaluations == 1


def test_work_grows_with_the_couplings() -> None:
    def work(n: int) -> int:
        pattern = [(i, j) for i in range(n) for j in (i - 1, i, i + 1) if 0 <= j < n]
        pattern += [(n - 1, 0), (0, n - 1)]
        Random(n).shuffle(pattern)
        made = elimination_of(n, pattern, [True] * n)
        assert made is not None
        return made.products

    assert work(200) < 2.2 * work(100)
    assert elimination_of(30, [(i, j) for i in range(30) for j in range(30)], [True] * 30) is None  # all are coupled
    assert elimination_of(3, [(0, 0), (1, 2), (2, 2)], [False] * 3) is None  # no pivot for the second


# ---------------------------------------------------------------------------------------------------------- motions


def rods(n: int) -> sb.Model:
    """A chain of rods in a plane, each with three coordinates of its own, stiff springs between them."""
    m = sb.Model(f"chain of {n} rods")
    m.gravity(0, -9.81, 0)
    parent, at = m.ground, (0, 0, 0)
    for i in range(n):
        x, y, angle = m.coordinates(f"x{i} y{i} a{i}")
        rod = m.body(f"rod{i}", m.ground.translate(x, y, 0).rotate("z", angle), mass=1 + i % 2, inertia=(0.1, 0.1, 0.1))
        m.coincide(f"pin{i}", parent.point(*at), rod.point(-0.5, 0, 0), axes="xy")
        m.generalized_force(f"spring{i}", angle, -1e3 * angle - 1e3 * angle.dot)
        parent, at = rod, (0.5, 0, 0)
    return m


@pytest.mark.parametrize("form", ["projection", "implicit", "ggl"])
def test_the_same_motion(form: str) -> None:
    """Sparse and dense elimination take the same steps to the same states, to rounding."""
    start = {f"x{i}": i + 0.5 for i in range(4)}
    ends = []
    for is_dense in (False, True):
        eq = sb.derive(rods(4))
        made = form_of(eq, SimulationOptions(form=form))
        if is_dense:
            made.cached("elimination", (), lambda: None)
        sim = sb.simulate(eq, 0.5, start, method="radau", form=form, rtol=1e-7)
        assert sim.outcome
        assert (made.cached("elimination", (), lambda: "not asked for") is None) == is_dense
        ends.append(sim)
    sparse, dense = ends
    assert (sparse.statistics.steps, sparse.statistics.rejected) == (dense.statistics.steps, dense.statistics.rejected)
    assert np.allclose(sparse.y, dense.y, atol=1e-9)  # rounding, times the condition of stiff equations


def test_dense_elimination_takes_over_where_a_pivot_is_small() -> None:
    """y' is nowhere and ∂/∂y of its equation is 1e-7, beside 1 in that of w: pivots have to be chosen by their size."""
    m = sb.Model("small pivot")
    y, w, *others = m.variables("y w a b c d")
    m.equation("y", (y + w) * 1e-7 + 3 * w - 1)
    m.equation("w", y + w - 4 * sb.sin(m.time))
    for k, z in enumerate(others):
        m.equation(f"decay of {z.name}", z.dot + (k + 1) * z)
    eq = sb.derive(m)
    state, form = sb.State.of(eq, {"a": 1.0}), form_of(eq, SimulationOptions(form="minimal"))
    start, p = form.start(0.0, np.concatenate([state.q, state.u, state.z]), state.p)
    machine: Any = radau_machine(
        Task(form, p, start, 0.0, 2.0, 1e-9, np.full(form.n, 1e-9), times=np.array([0.0, 1.0, 2.0]))
    )
    assert machine.method.sparse.size == form.n
    assert machine.run(10**6) == DONE
    assert machine.method.is_sparse == 0
    found = {s.name: machine.memory.points[:, k] for k, s in enumerate(form.y)}
    t = np.array([0.0, 1.0, 2.0])
    assert np.allclose(found["y"] + found["w"], 4 * np.sin(t), atol=1e-9)
    assert np.allclose(3 * found["w"], 1 - 4e-7 * np.sin(t), atol=1e-9)
    assert np.allclose(found["a"], np.exp(-t), atol=1e-8)

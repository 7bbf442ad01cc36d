"""Laws of root loci: critical values are those of the closed form whatever stands beside them, and stable ranges are
those of the eigenvalues."""

import math

import numpy as np
import pytest

import symbody as sb
from tests.amount import FULL

p = sb.symbol("p")

# name: (matrix, range of p, critical values, stable ranges)
SYSTEMS = {
    "damping": ([[0, 1], [-4, 1.3 - p]], (0.2, 7.1), [(1.3, "oscillatory"), (5.3, "meeting")], [(1.3, 7.1)]),
    "divergence": ([[0, 1], [2 - p, -0.3]], (0.7, 5.2), [(2, "real"), (2.0225, "meeting")], [(2, 5.2)]),
    "upright on a spring": ([[0, 1], [9.81 - p, 0]], (5, 15), [(9.81, "real")], [(9.81, 15)]),
    "upright on a spring, held": ([[0, 1], [9.81 - p, 0]], (10, 15), [], [(10, 15)]),
    "gyroscope": (
        [[0, 0, 1], [0, 0, 2 * p], [15.696, -1.2 * p, 0]], (0.5, 10), [(math.sqrt(6.54), "real")], [(math.sqrt(6.54), 10)],
    ),
    "flutter": (
        [[0, 0, 1, 0], [0, 0, 0, 1], [-1, -p, 0, 0], [p, -4, 0, 0]], (0.3, 2.9), [(1.5, "flutter")], [(0.3, 1.5)],
    ),
    "one goes through zero": ([[p * p - 2, 0.4], [0, -3]], (1.1, 1.7), [(math.sqrt(2), "real")], [(1.1, math.sqrt(2))]),
}  # fmt: skip


def block(*parts):
    n = sum(len(x) for x in parts)
    out, at = [[0] * n for _ in range(n)], 0
    for part in parts:
        for i, row in enumerate(part):
            out[at + i][at : at + len(row)] = row
        at += len(part)
    return out


BESIDE = {
    "alone": lambda A: A,
    "constant state": lambda A: block(A, [[0]]),
    "constant rate": lambda A: block(A, [[0, 1], [0, 0]]),
    "constant rate of a rate": lambda A: block(A, [[0, 1, 0], [0, 0, 1], [0, 0, 0]]),
    "fixed eigenvalue": lambda A: block(A, [[-2]]),
    "undamped": lambda A: block(A, [[0, 1], [-2, 0]]),
    "twice": lambda A: block(A, A),
}


def mixed(A, seed):
    """The same in other states: by an orthogonal matrix, so that no entry is zero."""
    Q = sb.matrix(np.linalg.qr(np.random.default_rng(seed).normal(size=(len(A), len(A))))[0])
    return Q @ sb.matrix(A) @ Q.T


@pytest.mark.parametrize("is_mixed", [False, True], ids=["plain", "mixed"])
@pytest.mark.parametrize("beside", BESIDE)
@pytest.mark.parametrize("system", SYSTEMS)
def test_critical_values_are_those_of_the_closed_form(system, beside, is_mixed):
    """To 1e-12 of the parameter, however many steps the locus has."""
    A, span, critical, ranges = SYSTEMS[system]
    A = BESIDE[beside](A)
    lin = sb.linear_system(mixed(A, 3) if is_mixed else A)
    expected = sorted(critical * (2 if beside == "twice" else 1))
    for points in (14, 51, 200):
        locus = lin.root_locus(points=points, p=span)
        assert [c.kind for c in locus.critical] == [kind for _, kind in expected]
        assert [c.value for c in locus.critical] == pytest.approx([v for v, _ in expected], rel=1e-12)
        assert np.array(locus.stable_ranges()) == pytest.approx(np.array(ranges), rel=1e-12)


@pytest.mark.parametrize("beside", ["alone", "constant state"])
@pytest.mark.parametrize("system", SYSTEMS)
def test_a_critical_value_on_a_step_is_one(system, beside):
    """In the middle of the range and at other steps: reported once, as anywhere else."""
    A, _, critical, _ = SYSTEMS[system]
    lin = sb.linear_system(BESIDE[beside](A))
    for value, kind in critical:
        for below, above in ((0.01, 0.01), (0.005, 0.01), (1 / 512, 3 / 512)):
            for points in (13, 40):
                found = lin.root_locus(points=points, p=(value - below, value + above)).critical
                assert [c.kind for c in found] == [kind]
                assert found[0].value == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize("beside", ["alone", "constant state", "constant rate"])
@pytest.mark.parametrize("system", SYSTEMS)
def test_critical_values_beside_algebraic_variables(system, beside):
    """E is singular: a variable a = x1, which the first equation takes in place of its own."""
    A, span, critical, ranges = SYSTEMS[system]
    A = BESIDE[beside](A)
    n = len(A)
    A = [[*row, 0] for row in A] + [[1, *[0] * (n - 1), -1]]
    for row in A[:n]:
        row[0], row[n] = 0, row[0]
    lin = sb.linear_system(A, E=np.diag([1.0] * n + [0.0]).tolist())
    locus = lin.root_locus(points=40, p=span)
    assert locus.infinite == 1
    assert [c.kind for c in locus.critical] == [kind for _, kind in critical]
    assert [c.value for c in locus.critical] == pytest.approx([v for v, _ in critical], rel=1e-12)
    assert np.array(locus.stable_ranges()) == pytest.approx(np.array(ranges), rel=1e-12)


def quadratic(rng, n):
    return [rng.normal(size=(n, n)) * size for size in (1.0, 0.7, 0.2)]


def mechanical(rng, n, damped):
    """x'' + (D + G) x' + K x = 0, K and G depending on p; as A0 + p A1 + p² A2."""
    half = rng.normal(size=(n, n))
    K, G, D = half @ half.T, rng.normal(size=(n, n)), damped * np.diag(rng.uniform(0.05, 0.3, n))
    load = rng.normal(size=(n, n))
    I, Z = np.eye(n), np.zeros((n, n))
    return (
        np.block([[Z, I], [-K, -D]]),
        np.block([[Z, Z], [load + load.T, (G.T - G) / 3]]),
        np.block([[Z, Z], [-0.3 * I, Z]]),
    )


KINDS = {
    "any": lambda rng: quadratic(rng, int(rng.integers(1, 6))),
    "damped": lambda rng: mechanical(rng, int(rng.integers(1, 4)), 1.0),
    "undamped": lambda rng: mechanical(rng, int(rng.integers(1, 4)), 0.0),
}


def beside_zeros(terms, zeros):
    """A double zero beside each matrix, and everything mixed."""
    out = [np.zeros((len(t) + zeros, len(t) + zeros)) for t in terms]
    for big, term in zip(out, terms, strict=True):
        big[: len(term), : len(term)] = term
    out[0][len(terms[0]) :, len(terms[0]) :] = np.eye(zeros, k=1)
    return out


@pytest.mark.parametrize("zeros", [0, 2])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(12 if FULL else 4))
def test_stable_ranges_are_those_of_the_eigenvalues(kind, seed, zeros):
    """At 3000 values: inside a stable range no real part is positive, outside one is; beside zeros too, which the
    direct way leaves out."""
    terms = KINDS[kind](np.random.default_rng(seed))
    A0, A1, A2 = (sb.matrix(t) for t in beside_zeros(terms, zeros))
    locus = sb.linear_system(A0 + p * A1 + p**2 * A2).root_locus(points=300, p=(-2.0, 3.0))
    ranges = locus.stable_ranges()
    fine = np.linspace(-2.0, 3.0, 3000)
    s = np.linalg.eigvals(terms[0] + fine[:, None, None] * terms[1] + fine[:, None, None] ** 2 * terms[2])
    growth = s.real.max(axis=1)
    inside = np.array([any(low <= v <= high for low, high in ranges) for v in fine])
    clear = np.abs(growth) > 1e-6 * np.abs(s).max()
    wrong = fine[clear & (inside != (growth < 0))] if kind != "undamped" else fine[clear & inside]
    marginal = fine[~clear & ~inside]
    assert not len(wrong), wrong
    assert len(marginal) <= 2 * len(locus.critical) + 2 or kind != "undamped", marginal

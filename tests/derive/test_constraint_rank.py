"""One rank of the constraints, whoever asks: found where they hold and are regular; advice that was tried."""

import numpy as np
import pytest

import symbody as sb
from examples import four_bars
from symbody.derivation.equations.constraint_rank import constraint_rank
from symbody.derivation.rank.row_space import FEW_ROWS, RowSpace, is_definite

from .. import redundant
from ..amount import FULL

LOOPS = {**redundant.LOOPS, "space loop": (redundant.space_loop, 3)}
CASES = [(name, seed) for name in LOOPS for seed in range(2 if FULL else 1)]


@pytest.mark.parametrize(("name", "seed"), CASES)
def test_rank_is_one_everywhere(name, seed):
    """audit, equations and assembled states count the same degree of freedom and the same rows too many."""
    model, too_many = LOOPS[name]
    found = sb.audit(model(seed))
    eq = sb.derive(model(seed), redundant=True)
    state = redundant.start(eq, seed)
    assert found.degrees_of_freedom == eq.degrees_of_freedom == state.degrees_of_freedom == 1
    assert len(eq.lam) - eq.rows.rank == len(found.findings) == len(state.redundant) == too_many


@pytest.mark.parametrize("count", [3, 5])
def test_rank_is_not_that_of_the_flat_position(count):
    """Newton's method ends where the cranks lie in line, in which more rows are dependent than elsewhere."""
    eq = sb.derive(redundant.cranks(0, count), redundant=True)
    rank = constraint_rank(eq)
    assert rank is not None
    assert rank.rank == count
    assert rank.space.smallest > 1e-3


def test_rank_of_many_loops():
    """Twenty-four rows (with SYMBODY_FULL=1 forty), each loop of which Newton's method alone would leave in line; with a second rod in each, as many rows
    are redundant."""
    loops, count = (20, 14) if FULL else (12, 8)
    eq = sb.derive(four_bars.model(loops))
    assert (len(eq.u), eq.rows.rank, eq.degrees_of_freedom) == (2 * loops + 1, 2 * loops, 1)
    eq = sb.derive(redundant.trellis(0, count), redundant=True)
    assert (len(eq.u), len(eq.lam), eq.rows.rank, eq.degrees_of_freedom) == (3 * count + 1, 4 * count, 3 * count, 1)
    angle = 1.1
    uprights = {f"a{k}": angle for k in range(count + 1)}
    state = sb.assemble(eq, uprights, a0_dot=1.0)
    assert state.degrees_of_freedom == 1
    assert len(state.redundant) == count
    low = [u for u in sb.derivation.undetermined(eq) if "low" in u.name]
    assert len(low) == count


@pytest.mark.parametrize("name", redundant.LOOPS)
def test_refusal_names_the_way_to_go_on(name):
    model, _ = redundant.LOOPS[name]
    with pytest.raises(sb.errors.DerivationError, match=r"have rank \d+: .*derive\(\.\.\., redundant=True\)"):
        sb.derive(model())


def test_advice_is_tried_before_it_is_given():
    """Hinges of space in a plane loop: a cylindrical or spherical joint holds the same motions; a crank too many is
    cured by neither."""
    text = sb.audit(redundant.space_loop()).findings[0].text
    assert "ake joint 'h3' cylindrical (which leaves 2 redundant elsewhere)" in text
    assert "make joint 'h3' spherical (which leaves 1 redundant elsewhere)" in text
    assert "constrain only h3.x, h3.y, by m.coincide(..., axes='xy')" in text
    plane = sb.audit(redundant.cranks()).findings[0].text
    assert "cylindrical" not in plane
    assert "spherical" not in plane
    assert "Leave out 'hinge1'" in sb.audit(redundant.door()).findings[0].text


@pytest.mark.parametrize("kind", ["cylindrical", "spherical"])
def test_advised_joint_does_what_is_said(kind):
    left = {"cylindrical": 2, "spherical": 1}[kind]
    m = sb.Model("exchanged")
    before, at = m.ground, (0.0, 0.0, 0.0)
    for k, length in enumerate((1.0, 2.0, 1.5)):
        link = redundant.bar(m, f"link{k}", length, 1.0)
        m.free(f"f{k}", m.ground, link)
        m.revolute(f"h{k}", before, link, at=at)
        before, at = link, (length, 0.0, 0.0)
    m.joint("h3", m.ground, before, kind, at=(2.2, 0, 0), on=at)
    found = sb.audit(m)
    assert found.degrees_of_freedom == 1
    assert len(found.findings) == left


@pytest.mark.parametrize("seed", range(20))
def test_null_vectors_and_dependent_rows(seed):
    """nᵀ J = 0 with rows of any size; dependent rows are combinations of the others."""
    draw = np.random.default_rng(seed)
    m, n = draw.integers(2, 8, size=2)
    rank = int(draw.integers(1, min(m, n) + 1))
    J = draw.normal(size=(m, rank)) @ draw.normal(size=(rank, n)) * 10.0 ** draw.uniform(-3, 3, size=(m, 1))
    found = RowSpace.of(J)
    assert found.rank == rank
    assert (
        np.abs(found.null.T @ J).max(initial=0.0) < 1e-9 * np.abs(found.null).max(initial=0.0) * np.abs(J).max() + 1e-12
    )
    for d in found.dependent:
        terms = [w * J[k] for k, w in d.weights.items()]
        assert np.abs(sum(terms)).max() < 1e-8 * np.abs(terms).max()


@pytest.mark.parametrize("n", [1, 2, 7, FEW_ROWS, FEW_ROWS + 1])
def test_definite_is_told_alike_by_pivots_and_by_eigenvalues(n):
    """Of matrices with one eigenvalue on either side of the bound, in rows of any units."""
    draw = np.random.default_rng(n)
    for least in (1e-3, 4e-9, 2e-10, 0.0, -1e-3):
        turned = np.linalg.qr(draw.normal(size=(n, n)))[0]
        A = turned @ np.diag([*draw.uniform(0.5, 1.5, n - 1), least]) @ turned.T
        units = np.exp(draw.normal(size=n) * 4)
        M = units[:, None] * (A + A.T) / 2 * units
        size = np.sqrt(np.maximum(np.abs(np.diag(A)), 1e-300))
        is_positive = bool(np.linalg.eigvalsh(A / np.outer(size, size))[0] > 1e-9) and bool((np.diag(A) > 0).all())
        assert is_definite(M.tolist()) == is_positive
    assert not is_definite([[0.0]])
    assert not is_definite([[float("nan")]])

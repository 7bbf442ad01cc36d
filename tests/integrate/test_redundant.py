"""Motions and reactions of loops with redundant joints: laws over random ones."""

from typing import Any

import numpy as np
import pytest

import symbody as sb

from .. import redundant
from ..amount import some

CASES = [(name, seed) for name in redundant.LOOPS for seed in range(2)]
FORMS = ("projection", "orthogonal", "baumgarte", "partition", "qr", "svd")
TIMES = np.linspace(0, 0.3, 4)


@pytest.fixture(scope="module", params=some(CASES, 2), ids=str)
def loop(request):
    name, seed = request.param
    eq = sb.derive(redundant.LOOPS[name][0](seed), redundant=True)
    return eq, redundant.start(eq, seed)


def matrices(eq, sim, k):
    values = dict(zip(eq.state, sim.y[k], strict=True)) | {eq.t: sim.t[k]}
    M, Jc = (np.array(sb.evaluate(x, values), dtype=float).reshape(-1, len(eq.u)) for x in (eq.M, eq.Jc))
    f, c = (np.array(sb.evaluate(x, values), dtype=float).reshape(-1) for x in (eq.f, eq.c))
    return M, Jc, f, c


def test_accelerations_are_determined(loop):
    """u' as by the pseudo-inverse of the whole, in compiled functions; batches give the same."""
    eq, state = loop
    f = sb.compile(eq)
    sim = sb.simulate(eq, TIMES, state, rtol=1e-9)
    M, Jc, right, c = matrices(eq, sim, -1)
    whole = np.block([[M, Jc.T], [Jc, np.zeros((len(Jc), len(Jc)))]])
    expected = np.linalg.lstsq(whole, np.concatenate([right, -c]), rcond=1e-11)[0][: len(right)]
    found = f.udot(sim.t[-1], sim.q[-1], sim.u[-1])
    assert found == pytest.approx(expected, abs=1e-9 * np.abs(expected).max())
    assert f.udot.batch(sim.t, sim.q, sim.u)[-1] == pytest.approx(found, rel=1e-12, abs=1e-12)


def test_forms_agree_in_about_as_many_steps(loop):
    """The rank does not jump at stages off the constraints, so no form pays for redundancy."""
    eq, state = loop
    runs = {form: sb.simulate(eq, TIMES, state, form=form, rtol=1e-9) for form in FORMS}
    first = runs["projection"]
    for form, sim in runs.items():
        assert sim.outcome, form
        assert sim.y[-1] == pytest.approx(first.y[-1], abs=1e-6), form
        assert sim.statistics.steps <= 2 * first.statistics.steps + 4, form
        assert np.ptp(sim.energy) < 1e-6 * (1 + np.abs(sim.kinetic_energy).max()), form


def test_multipliers_are_what_is_determined(loop):
    """Those that are numbers are the same in every solution of Jcᵀ lam = M u' - f; the others, and no more, differ
    between solutions."""
    eq, state = loop
    sim = sb.simulate(eq, TIMES, state, rtol=1e-9)
    M, Jc, right, _ = matrices(eq, sim, -1)
    udot = np.array([x[-1] for x in sim.values([u.dot for u in eq.u])])
    least = np.linalg.lstsq(Jc.T, M @ udot - right, rcond=1e-9)[0]
    null = np.linalg.svd(Jc.T)[2][eq.rows.rank :]
    is_free = np.abs(null).max(axis=0) > 1e-6
    lam = sim.lam[-1]
    assert np.isnan(lam).tolist() == is_free.tolist()
    assert lam[~is_free] == pytest.approx(least[~is_free], abs=1e-7 * (1 + np.abs(least).max()))
    assert {s.name for s in sb.derivation.undetermined(eq)} == {
        s.name for s, free in zip(eq.lam, is_free, strict=True) if free
    }
    assert all(s.name in " ".join(eq.notes) for s in sb.derivation.undetermined(eq)[:3])
    assert np.isnan(sb.compile(eq).lam(sim.t[-1], sim.q[-1], sim.u[-1])).tolist() == is_free.tolist()


def test_shared_reactions(loop):
    """Least norm, and elastic joints: Jcᵀ lam = M u' - f with the least Σ lam² / k."""
    eq, state = loop
    joints = {c.joint for c in eq.mechanism.constraints}
    stiffness = {j: 10.0 ** (3 + k) for k, j in enumerate(sorted(joints))}
    sim = sb.simulate(eq, TIMES, state, rtol=1e-9)
    M, Jc, right, _ = matrices(eq, sim, -1)
    udot = np.array([x[-1] for x in sim.values([u.dot for u in eq.u])])
    k = np.array([stiffness[c.joint] for c in (*eq.mechanism.holonomic, *eq.mechanism.nonholonomic)])
    for share, weights in (("least norm", np.ones(len(k))), (stiffness, k)):
        root = np.sqrt(weights)
        expected = root * np.linalg.lstsq(Jc.T * root, M @ udot - right, rcond=1e-9)[0]
        (lam,) = sb.derivation.in_own_terms(eq, [sb.algebra.Matrix(len(eq.lam), 1, eq.lam)], solved=True, share=share)
        found = sim[lam][-1].reshape(-1)
        assert found == pytest.approx(expected, abs=1e-6 * (1 + np.abs(expected).max()))


def test_cranks_share_what_is_radial():
    """Of a parallel crank's force the part across it is determined, the part along it is not."""
    eq = sb.derive(redundant.cranks(), redundant=True)
    sim = sb.simulate(eq, TIMES, redundant.start(eq), rtol=1e-9)
    force, _ = sim.reaction("b1")
    assert np.isnan(force[:, 0]).all()
    assert np.isfinite(force[:, 1]).all()
    shared, _ = sim.reaction("b1", share="least norm")
    assert shared[:, 1] == pytest.approx(force[:, 1], rel=1e-9)
    assert np.isfinite(shared).all()
    assert np.isnan(sim.state["lam_b1_x"])
    with pytest.raises(sb.errors.DerivationError, match="least norm"):
        sim.reaction("b1", share="evenly")
    with pytest.raises(sb.errors.DerivationError, match="still do not determine all"):
        sb.derivation.in_own_terms(eq, [eq.lam[0]], solved=True, share={"b1.y": 1e3})


def test_redundancy_by_values_of_parameters():
    """Lengths that are equal only by the numbers of this run: the rank is that of the run."""
    m = sb.Model("by numbers")
    m.gravity(0, -9.81, 0)
    l0, l1, l2 = m.parameters("l0 l1 l2")
    beam = redundant.bar(m, "beam", 2.0, 1.0)
    for k, length in enumerate((l0, l1, l2)):
        crank = m.body(f"crank{k}", mass=1.0, com=(length / 2, 0, 0), inertia=(0.01, 0.1, 0.1))
        m.revolute(f"a{k}", m.ground, crank, at=(k, 0, 0))
        m.revolute(f"b{k}", crank, beam, at=(length, 0, 0), on=(k, 0, 0))
    eq = sb.derive(m)
    equal: dict[str, Any] = {"l0": 1.0, "l1": 1.0, "l2": 1.0}
    state = sb.assemble(eq, a0=0.9, start={"a1": 0.9, "a2": 0.9, "b0": -0.9}, **equal)
    runs = [sb.simulate(eq, 0.3, state, form=form, rtol=1e-9) for form in ("projection", "qr", "svd")]
    for sim in runs:
        assert sim.outcome
        assert sim.statistics.steps < 20
        assert np.ptp(sim.energy) < 1e-6

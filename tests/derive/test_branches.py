"""Configurations of one linkage can form branches of different rank: the rank that counts is that of the branch on which
a mechanism is assembled."""

from dataclasses import replace

import numpy as np
import pytest

import symbody as sb
from symbody.derivation.equations.constraint_rank import branches_in_words, on_other_branches, rank_at
from symbody.derivation.rank.configuration import configuration

from .. import redundant
from ..amount import FULL

NEAR = {"a1": 0.75, "a2": 0.15, "b1": -2.4, "b2": 2.4, "d1": -0.75, "d2": 0.75}
CORNERS = ((1, 0, 0), (0, -1, 0), (0, 0, 1), (-1, 0, 0), (0, 1, 0))  # edges of a cube, one after the other
AXES = ("y", "z", "x", "y", "z", "x")


def peaucellier():
    """Seven bars whose point Q is led along a straight line: one degree of freedom, and two where its long bars
    coincide."""
    m = sb.Model("Peaucellier")
    m.gravity(0, -9.81, 0)
    lengths = {"A1": 5, "A2": 5, "C": 2.5, "U1": 2, "U2": 2, "V1": 2, "V2": 2}
    bar = {n: m.body(n, mass=1, shape=sb.bar(x, "x", at=(x / 2, 0, 0))) for n, x in lengths.items()}
    m.revolute("a1", m.ground, bar["A1"])
    m.revolute("a2", m.ground, bar["A2"])
    m.revolute("c", m.ground, bar["C"], at=(2.5, 0, 0))
    for name, long, short in (("b1", "A1", "U1"), ("b2", "A2", "U2"), ("d1", "A1", "V1"), ("d2", "A2", "V2")):
        m.revolute(name, bar[long], bar[short], at=(5, 0, 0))
    P, ends = bar["C"].point(2.5, 0, 0), {n: bar[n].point(2, 0, 0) for n in ("U1", "U2", "V1", "V2")}
    for name, p, q in (("P1", P, ends["U1"]), ("P2", P, ends["U2"]), ("Q", ends["V1"], ends["V2"])):
        m.coincide(name, p, q, along=m.ground, axes="xy")
    return m


def bricard():
    """Six hinges at corners of a cube, each across the two edges that meet there: rank 5 of its six equations."""
    m = sb.Model("Bricard")
    m.gravity(0, 0, -9.81)
    before, at = m.ground, (0, 0, 0)
    for k, edge in enumerate(CORNERS):
        rod = m.body(f"rod{k}", mass=1, com=[x / 2 for x in edge], inertia=(0.1, 0.1, 0.1))
        m.revolute(f"h{k}", before, rod, axis=AXES[k], at=at)
        before, at = rod, edge
    m.revolute("h5", m.ground, before, axis=AXES[5], at=(0, 0, 1), on=at)
    return m


@pytest.fixture(scope="module")
def equations():
    return sb.derive(peaucellier())


@pytest.fixture(scope="module")
def collapsed(equations):
    """A configuration in which the long bars coincide, and the rank there. Which start leads to it depends on rounding."""
    assert equations.rows.rank == 6
    ranks = (rank_at(equations, configuration(equations, seed).values) for seed in range(1, 40))
    return next(found for found in ranks if found is not None and found.rank == 5)


def assembled(eq):
    return sb.assemble(eq, c=0.9, c_dot=0, start=NEAR)


def test_rank_is_the_largest_of_all_branches(equations, collapsed):
    """Also where the first configuration is on the branch of smaller rank, which is then named."""
    found = sb.audit(peaucellier())
    assert (found.rank, found.degrees_of_freedom, found.findings) == (6, 1, ())
    both = on_other_branches(equations, collapsed)
    assert (both.rank, both.branches) == (6, (6, 5))
    note = branches_in_words(both, len(equations.u))
    assert "branches of different mobility" in note
    assert "rank 5 and 2 degrees of freedom" in note


@pytest.mark.parametrize("redundant", [False, True])
def test_redundancy_of_another_branch_changes_no_acceleration(equations, collapsed, redundant):
    """Equations bordered for the rank of the other branch: accelerations of states and motions are those of the branch,
    with a note; compiled functions have no value."""
    eq = replace(equations, border=collapsed.space.border) if redundant else equations
    own, other = assembled(eq), sb.assemble(eq, start={q.name: collapsed.values[q] for q in eq.q})
    for state, fits in ((own, not redundant), (other, redundant)):
        sim = sb.simulate(eq, [0, 1e-5], state, rtol=1e-12)
        expected = sim["c_dot"][1] / 1e-5
        assert state["c_ddot"] == pytest.approx(expected, rel=1e-7)
        assert sim["c_ddot"][0] == pytest.approx(expected, rel=1e-7)
        assert any("on the branch of this start" in n for n in sim.outcome.notes) is not fits
        compiled = sb.compile(eq).udot(0.0, state.q, state.u)[[u.name for u in eq.u].index("c_dot")]
        assert compiled == pytest.approx(expected, rel=1e-7) if fits else np.isnan(compiled)


@pytest.mark.parametrize("model", [bricard, redundant.cranks, *([redundant.space_loop] if FULL else [])])
def test_unchecked_redundancy_is_told(model):
    """check=False: motions have the accelerations of derive(..., redundant=True), and a note."""
    eq, known = sb.derive(model(), check=False), sb.derive(model(), redundant=True)
    assert any("check=False" in n for n in eq.notes)
    start = redundant.start(known, 0) if model is not bricard else sb.assemble(known, h0_dot=0.3)
    name = f"{eq.u[0].name.removesuffix('_dot')}_ddot"
    loose, firm = (sb.simulate(e, [0, 0.01], start.values) for e in (eq, known))
    assert loose[name] == pytest.approx(firm[name], rel=1e-6, abs=1e-9)
    assert np.isfinite(loose[name]).all()
    assert any("on the branch of this start" in n for n in loose.outcome.notes)


@pytest.mark.parametrize("rtol", [1e-7, 1e-8])
def test_a_dead_position_in_which_two_singular_values_vanish_is_listed(equations, rtol):
    """Where two components of the configurations meet: [Jc; Zᵀ] keeps its orientation there. What of the energy
    changed over it is in the list. At much finer tolerances rounding decides whether the motion passes it at all."""
    start = sb.assemble(equations, c=0.9, c_dot=0, start=NEAR)
    sim = sb.simulate(equations, 1.5, start, rtol=rtol, atol=rtol)
    first, second, dead = sim.singular_positions
    assert dead.t == pytest.approx(1.26286338, abs=1e-6)
    assert first.t < second.t < dead.t
    assert abs(dead.change) <= abs(np.ptp(sim.energy))
    if rtol == 1e-7:  # where the tolerance decides how much that is, and not rounding
        assert f"with a change of energy by {dead.change:.2g} (kinetic energy {dead.scale:.3g})" in str(dead)

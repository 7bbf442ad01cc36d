"""Motions through singular positions: a parallelogram through its flat one, on the branch it came by, by every form."""

from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.integrate.result.outcome import Ending
from symbody.integrate.run import singular_configurations as passages

from .. import redundant

END, EXACT = 5.0, -35.353086525  # a pendulum of one degree of freedom: all cranks turn together
FORMS = [
    {"form": "projection"}, {"form": "orthogonal"}, {"form": "partition", "project": True}, {"form": "qr", "project": True},
    {"form": "svd", "project": True}, {"form": "partition"}, {"form": "qr"}, {"form": "svd"},
    {"form": "explicit"}, {"form": "baumgarte"},
]  # fmt: skip


@pytest.fixture(scope="module")
def swing():
    m = sb.Model("parallelogram")
    m.gravity(0, -9.81, 0)
    left, right = (m.body(n, mass=1.0, com=(0.5, 0, 0), inertia=(0.01, 0.08, 0.08)) for n in ("left", "right"))
    coupler = m.body("coupler", mass=1.0, com=(1.0, 0, 0), inertia=(0.01, 0.33, 0.33))
    m.revolute("a", m.ground, left)
    m.revolute("b", left, coupler, at=(1, 0, 0))
    m.revolute("c", m.ground, right, at=(2, 0, 0))
    m.revolute("d", coupler, right, at=(2, 0, 0), on=(1, 0, 0))
    eq = sb.derive(m)
    return eq, sb.assemble(eq, a=1.0, a_dot=-6.0, start={"c": 1.0, "b": -1.0})


@pytest.mark.parametrize("options", FORMS, ids=str)
def test_forms_agree_on_the_branch(swing, options):
    """No form leaves the parallelogram for the antiparallelogram, or comes to a stop, at any tolerance."""
    eq, state = swing
    for rtol in (1e-6, 1e-8, 1e-10, 1e-11, 1e-12, 1e-13):
        sim = sb.simulate(eq, END, state, rtol=rtol, max_steps=3000, **options)
        assert sim.outcome, str(sim.outcome)
        assert np.abs(sim["a"] - sim["c"]).max() < max(10 * rtol, 1e-6)
        assert sim.final["a"] == pytest.approx(EXACT, abs=min(max(3e3 * rtol, 2e-6), 1e-3))
        assert np.ptp(sim.energy) < min(max(1e5 * rtol, 1e-5), 5e-3)


@pytest.mark.parametrize("form", ["partition", "qr", "svd"])
def test_energy_is_kept_without_projection(swing, form):
    """Of many motions, whose steps meet the flat positions elsewhere: estimates of errors do not see all that a stage
    beside the constraints does there."""
    eq, _ = swing
    lost = []
    for speed in np.linspace(-5.3, -9.1, 15):
        start = sb.assemble(eq, a=1.0, a_dot=float(speed), start={"c": 1.0, "b": -1.0})
        lost.append(np.ptp(sb.simulate(eq, END, start, rtol=1e-9, form=form).energy))
    assert np.median(lost) < 1e-6
    assert max(lost) < 1.5e-5


@pytest.mark.parametrize("rtol", [1e-6, 1e-8, 1e-11])
@pytest.mark.parametrize("options", [FORMS[0], FORMS[1], FORMS[4]], ids=str)
def test_events_that_record_go_on(swing, options, rtol):
    """An event just in the singular position is recorded once, and the motion goes on as without it."""
    eq, state = swing
    flat = sb.Event("flat", sb.sin(eq.q[0]))
    sim = sb.simulate(eq, END, state, rtol=rtol, events=[flat], **options)
    assert sim.outcome, str(sim.outcome)
    assert len(sim.events) == 12
    assert sim.final["a"] == pytest.approx(EXACT, abs=max(100 * rtol, 1e-5))
    assert np.ptp(sim.energy) < max(1e3 * rtol, 2e-4)
    # constraints that touch determine a position to the square root of rounding
    assert [e.before[0] for e in sim.events] == pytest.approx([-k * np.pi for k in range(12)], abs=max(10 * rtol, 1e-7))


def test_motions_start_in_singular_positions(swing):
    """With speed along a branch, which decides; from there the motion is the one that passes."""
    eq, state = swing
    passing = sb.simulate(eq, 1.0, state, rtol=1e-10)
    first, after = passing.singular_positions[0].t, 0.4
    speeds: dict[str, Any] = {"a_dot": -7.476038849, "b_dot": 7.476038849, "c_dot": -7.476038849}
    sim = sb.simulate(eq, after, a=0.0, b=0.0, c=0.0, **speeds, rtol=1e-9)
    assert sim.outcome, str(sim.outcome)
    assert len(sim.singular_positions) == 1
    assert sim.final["a"] == pytest.approx(passing.at(first + after)["a"][0], abs=1e-6)


IMPLICIT = [{"form": "implicit"}, {"form": "ggl"}, {"method": "radau"}]


@pytest.mark.parametrize("options", IMPLICIT, ids=str)
def test_what_does_not_pass_names_the_position(swing, options):
    """Implicit forms and methods reach the right end, or say where they came to a stop and why: speeds that jump are no
    motion."""
    eq, state = swing
    for rtol in (1e-6, 1e-8, 1e-10, 1e-12):
        sim = sb.simulate(eq, END, state, rtol=rtol, max_steps=5000, **options)
        if sim.outcome:
            assert sim.final["a"] == pytest.approx(EXACT, abs=100 * rtol)
            continue
        assert sim.outcome.ending in (Ending.SINGULAR, Ending.JUMPED)
        assert "joint 'd' become linearly dependent" in str(sim.outcome)
        assert "pole" not in str(sim.outcome)
        assert "method='radau'" not in str(sim.outcome)
        assert np.abs(sim["a"] - sim["c"]).max() < 1e-5


@pytest.mark.parametrize("rtol", [1e-6, 1e-8, 1e-10])
def test_passed_positions_are_told(swing, rtol):
    """Twelve half turns, with the joint that closes the loop, and energy kept in each."""
    eq, state = swing
    found = sb.simulate(eq, END, state, rtol=rtol).singular_positions
    assert len(found) == 12
    assert all(p.joints == ("joint 'd'",) for p in found)
    assert [p.coordinates["a"] for p in found] == pytest.approx([-k * np.pi for k in range(12)], abs=1e-5)
    assert "went on as it came" in str(found[0])
    assert max(abs(p.change) for p in found) < 1e3 * rtol


def test_regular_motions_pass_none():
    eq = sb.derive(redundant.tilted_loop(), redundant=True)
    assert sb.simulate(eq, 0.5, redundant.start(eq)).singular_positions == ()


def test_a_jump_of_energy_is_an_outcome(swing, monkeypatch):
    eq, state = swing
    monkeypatch.setattr(passages, "_changes", lambda _, t, y: (np.full(len(t), -0.7), np.full(len(t), 20.0)))
    sim = sb.simulate(eq, END, state, rtol=1e-10)
    assert not sim.outcome
    assert sim.outcome.ending is Ending.JUMPED
    assert "energy changed by -0.7" in str(sim.outcome)


def test_changes_of_energy_are_those_of_the_states(swing):
    """By compiled programs as by evaluation of the graph, for several steps at once."""
    eq, state = swing
    sim = sb.simulate(eq, np.linspace(0, 1, 7), state)
    pairs = np.array([[0, 4], [6, 3]])
    changes, scales = passages._changes(state, sim.t[pairs], sim.y[pairs])
    energies = sb.derivation.in_own_terms(eq, [sb.energy(eq), sb.kinetic_energy(eq)])
    numbers = dict(zip(eq.p, state.p, strict=True))
    found = [
        [sb.evaluate(energies, {**numbers, **dict(zip(eq.state, sim.y[k], strict=True))}) for k in p] for p in pairs
    ]
    assert changes == pytest.approx([after[0] - before[0] for before, after in found], abs=1e-12)
    assert scales == pytest.approx([max(before[1], after[1]) for before, after in found], rel=1e-12)


def test_another_branch_can_be_chosen(swing):
    """States beyond a singular position are on the branches that leave it: the one that was taken, and the
    antiparallelogram."""
    eq, state = swing
    sim = sb.simulate(eq, 1.0, state, rtol=1e-9)
    first = sim.singular_positions[0]
    taken, other = first.branches
    assert taken["a"] == pytest.approx(sim.at([taken.t])["a"][0], abs=1e-5)
    assert taken["a"] == pytest.approx(taken["c"], abs=1e-9)
    assert abs(other["a"] - other["c"]) > 5e-4
    along = sb.simulate(eq, other.t + 0.5, other, rtol=1e-9)
    assert along.outcome
    assert np.ptp(along.energy) < 1e-6
    assert abs(along.final["a"] - along.final["c"]) > 1


def test_a_tolerance_that_cannot_be_kept_is_said(swing):
    eq, state = swing[0], swing[1]
    said = [str(sb.simulate(eq, 3.0, state, rtol=rtol, form="projection").outcome) for rtol in (1e-13, 1e-10)]
    assert "over singular positions were taken to 1e-11 instead of rtol = 1e-13" in said[0]
    assert "instead of rtol" not in said[1]


def row_of_four_bars(n):
    """n + 1 posts of a metre under n beams, standing, in terms of relative angles."""
    m = sb.Model(f"{n} four-bars")
    m.gravity(0, -9.81, 0)
    posts = [m.body(f"p{k}", mass=1, shape=sb.bar(1, "y", at=(0, 0.5, 0))) for k in range(n + 1)]
    for k, post in enumerate(posts):
        m.revolute(f"a{k}", m.ground, post, at=(k, 0, 0))
    for k in range(n):
        beam = m.body(f"r{k}", mass=1, shape=sb.bar(1, "x", at=(0.5, 0, 0)))
        m.revolute(f"b{k}", posts[k], beam, at=(0, 1, 0))
        m.revolute(f"c{k}", beam, posts[k + 1], at=(1, 0, 0), on=(0, 1, 0))
    return sb.derive(m)


@pytest.mark.parametrize("rtol", [1e-11, 3e-12, 1e-12, 1e-13])
def test_energy_as_an_invariant_does_not_stop_a_motion_there(rtol):
    """Parallel posts move as one: ((n + 1)/3 + n) a'' = ((n + 1)/2 + n) g sin a."""
    n, eq = 2, row_of_four_bars(2)
    state = sb.assemble(eq, {f"a{k}": 0.0 for k in range(n + 1)}, a0_dot=-1.0)
    sim = sb.simulate(eq, [0, 10], state, rtol=rtol, atol=rtol, invariants=["energy"], max_steps=3000)
    a, v = sb.symbols("a v")
    rate = ((n + 1) / 2 + n) / ((n + 1) / 3 + n) * 9.81
    one = sb.simulate(sb.from_equations({a: v, v: rate * sb.sin(a)}), 10, a=0.0, v=-1.0, rtol=1e-13)
    assert sim.outcome
    assert np.ptp(sim.energy) < 1e-10 * n * 9.81
    assert sim.final["a0"] == pytest.approx(one.final["a"], abs=1e-7)

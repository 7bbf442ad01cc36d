"""A mechanism in a pile: beside free bodies of the pile, beside contacts of mechanisms, and laws of momentum."""

import re
from typing import Any

import numpy as np
import pytest

import symbody as sb
from bench.scale_machines import tracked_vehicle
from symbody.integrate.piles import machine_programs
from symbody.integrate.piles.machine_programs import machine_places


def free_ball(at):
    m = sb.Model("ball")
    m.gravity(0, 0, -9.81)
    ball = m.body("b", mass=2.0, inertia=(0.4 * 2 * 0.01,) * 3)
    m.free("b", m.ground, ball, sequence="euler parameters")
    return sb.assemble(sb.derive(m), {"b_x": at[0], "b_y": at[1], "b_z": at[2], "b_e0": 1.0}), ball


def test_a_free_body_of_a_mechanism_moves_as_one_of_the_pile():
    at = np.array([(0.0, 0.0, 0.1), (0.13, 0.02, 0.29), (-0.05, 0.11, 0.45)])
    alone = sb.Pile("balls", friction=0.3, restitution=0.2)
    alone.many("b", sb.sphere(0.1), at=at, mass=2.0)
    alone.wall("floor")
    state, ball = free_ball(at[1])
    mixed = sb.Pile("balls", friction=0.3, restitution=0.2)
    mixed.many("b", sb.sphere(0.1), at=at[[0, 2]], mass=2.0)
    mixed.mechanism(state, {"own": (ball, sb.sphere(0.1))})
    mixed.wall("floor")
    one, other = (p.simulate(0.3, step=0.002, tolerance=1e-11) for p in (alone, mixed))
    assert one.most_contacts == other.most_contacts >= 2
    assert np.abs(one.positions[:, [0, 2]] - other.positions).max() < 1e-8
    places = np.stack([other.mechanism[f"b_{c}"] for c in "xyz"], axis=1)
    assert np.abs(places - one.positions[:, 1]).max() < 1e-8
    assert np.abs(places[-1] - at[1]).max() > 0.1


def test_a_pendulum_is_hit_as_among_contacts_of_a_mechanism():
    """The same scheme with all pairs as `Contacts`."""
    m = sb.Model("hit")
    m.gravity(0, 0, -9.81)
    bob = m.body("bob", mass=3.0, inertia=(0.02, 0.03, 0.01), com=(0, 0, -1))
    m.revolute("swing", m.ground, bob, axis="y")
    alone = sb.assemble(sb.derive(m), swing=0.0)
    ball = m.body("b", mass=2.0, inertia=(0.4 * 2 * 0.01,) * 3)
    m.free("b", m.ground, ball, sequence="euler parameters")
    at = (0.3, 0.01, -0.9)
    touching = sb.touch(sb.Ball(ball, 0.1), sb.Ball(bob, 0.12, at=(0, 0, -1)))
    contacts = sb.Contacts(sb.derive(m), sb.Contact("hit", touching, friction=0.4, restitution=0.5))
    start = {"b_x": at[0], "b_y": at[1], "b_z": at[2], "b_e0": 1.0, "b_x_dot": -2.0}
    slow = sb.simulate_modes(contacts, 0.2, start, method="moreau", step=0.002)
    pile = sb.Pile("hit", friction=0.4, restitution=0.5)
    pile.many("b", sb.sphere(0.1), at=[at], mass=2.0, velocities=[(-2.0, 0, 0)])
    pile.mechanism(alone, {"head": (bob.frame.translate(0, 0, -1), sb.sphere(0.12))})
    quick = pile.simulate(0.2, step=0.002, tolerance=1e-11)
    assert abs(quick.mechanism["swing"][-1]) > 0.01
    assert quick.mechanism["swing"] == pytest.approx(slow["swing"], abs=1e-9)
    assert quick.positions[-1, 0] == pytest.approx([slow[f"b_{c}"][-1] for c in "xyz"], abs=1e-9)


def two_links():
    """Two links with a joint that fly freely, with a box on each."""
    m = sb.Model("links")
    one = m.body("one", mass=1.0, inertia=(0.01, 0.02, 0.02))
    m.free("one", m.ground, one, sequence="euler parameters")
    other = m.body("other", mass=0.5, inertia=(0.01, 0.01, 0.02), com=(0.2, 0, 0))
    m.revolute("hinge", one, other, axis="z", at=(0.2, 0, 0))
    return sb.assemble(sb.derive(m), {"one_e0": 1.0, "hinge": 0.3, "hinge_dot": 0.5}), one, other


def test_momentum_is_kept_and_energy_lost():
    """Balls hit two links without gravity: Σ m v stays to the order of the scheme (impulses act at midpoints of steps, to
    rounding), and the kinetic energy of all decreases."""
    state, one, other = two_links()
    pile = sb.Pile("space", gravity=(0, 0, 0), friction=0.3, restitution=0.4)
    at = np.array([(0.0, 0.5, 0.02), (0.4, -0.5, 0.0), (0.2, 0.02, 0.6)])
    pile.many("b", sb.sphere(0.08), at=at, mass=0.3, velocities=[(0, -3, 0), (0, 3, 0), (0, 0, -3)])
    right = other.frame.translate(0.2, 0, 0)
    pile.mechanism(state, {"left": (one, sb.box(0.4, 0.1, 0.1)), "right": (right, sb.box(0.3, 0.1, 0.1))})
    eq, f = state.equations, sb.compile(state.equations)
    momentum_of = f.function("momentum", {"v": momentum(one, other)})
    off = []
    for step in (0.002, 0.0002):
        motion = pile.simulate(0.4, step=step, tolerance=1e-10, every=5)
        assert motion.most_contacts > 0
        x = np.stack(list(motion.mechanism.values()), axis=1)
        q, u = x[:, : len(eq.q)], x[:, len(eq.q) :]
        total = motion.momentum + np.array([np.ravel(momentum_of(0.0, a, b, f.p)) for a, b in zip(q, u, strict=True)])
        kinetic = np.array([0.5 * b @ f.M(0.0, a, b, f.p) @ b for a, b in zip(q, u, strict=True)])
        off.append(np.abs(total - total[0]).max())
        T = motion.energy + kinetic
    assert off[0] < 2e-3 * 2.7
    assert off[1] < 0.3 * off[0]
    assert np.diff(T).max() < 1e-3 * T[0]
    assert T[-1] < 0.9 * T[0]
    assert kinetic[-1] > 10 * kinetic[0]


@pytest.mark.parametrize("is_tree", [True, False])
def test_energies_change_by_the_work_of_the_contacts(monkeypatch, is_tree):
    """Of balls and of two links that fall on them, to first order in the step; friction and impacts dissipate."""
    off = []
    for step in (2e-3, 5e-4):
        state, one, other = two_links()
        pile = sb.Pile("space", gravity=(0, 0, 0), friction=0.3, restitution=0.4)
        at = np.array([(0.0, 0.5, 0.02), (0.4, -0.5, 0.0), (0.2, 0.02, 0.6)])
        pile.many("b", sb.sphere(0.08), at=at, mass=0.3, velocities=[(0, -3, 0), (0, 3, 0), (0, 0, -3)])
        pile.mechanism(state, {"left": (one, sb.box(0.4, 0.1, 0.1)), "right": (other, sb.box(0.3, 0.1, 0.1))})
        if not is_tree:
            monkeypatch.setattr(type(pile.machine), "table", None)
        motion = pile.simulate(0.3, step=step, tolerance=1e-9, every=50)
        f, eq = sb.compile(state.equations), state.equations
        x = np.stack(list(motion.mechanism.values()), axis=1)[[0, -1]]
        kinetic = [0.5 * b @ f.M(0.0, a, b, f.p) @ b for a, b in (np.split(row, [len(eq.q)]) for row in x)]
        change = np.array([motion.energy[-1] - motion.energy[0], kinetic[1] - kinetic[0]])
        off.append(np.abs(motion.work - change))
        assert motion.work[1] > 0.1
        assert motion.work.sum() < -0.5
    assert off[1][0] < 1e-6
    assert off[1][1] < 0.4 * off[0][1] + 1e-6
    assert off[1][1] < 0.02


def momentum(one, other):
    return list((1.0 * one.mass_centre.velocity().in_ground + 0.5 * other.mass_centre.velocity().in_ground).entries)


def test_a_step_that_is_not_taken_does_no_work():
    """A force becomes infinite after 0.1 s: the work is that of the steps before."""

    def pile():
        made = sb.Pile(
            "drop", loads=lambda m, b: m.force("push", b, m.ground.vector(0, 0, sb.exp(1e6 * (m.time - 0.1))))
        )
        made.many("ball", sb.sphere(0.1), at=[(0, 0, 0.1)], mass=1.0, velocities=[(1.0, 0, -1.0)])
        made.wall("floor", friction=0.3)
        return made

    ended, whole = pile().simulate(0.2, step=0.01), pile().simulate(0.1, step=0.01)
    assert not ended.outcome
    np.testing.assert_array_equal(ended.states, whole.states)
    assert whole.work[0] < -0.4
    np.testing.assert_array_equal(ended.work, whole.work)


def test_a_mechanism_with_constraints_moves_as_one_without():
    """A pendulum hit by a ball, in one coordinate, and in three with two constraints."""
    found = []
    for is_constrained in (False, True):
        m = sb.Model("pendulum")
        m.gravity(0, 0, -9.81)
        if is_constrained:
            x, z, swing = m.coordinates("x z swing")
            bob = m.body("bob", m.ground.translate(x, 0, z).rotate("y", swing), mass=3.0, inertia=(0.02, 0.03, 0.01))
            m.constrain("along", x + sb.sin(swing))
            m.constrain("up", z + sb.cos(swing))
            state, place = sb.assemble(sb.derive(m), start={"z": -1.0}), bob.frame
        else:
            bob = m.body("bob", mass=3.0, inertia=(0.02, 0.03, 0.01), com=(0, 0, -1))
            m.revolute("swing", m.ground, bob, axis="y")
            state, place = sb.assemble(sb.derive(m)), bob.frame.translate(0, 0, -1)
        pile = sb.Pile("hit", friction=0.4)
        pile.many("b", sb.sphere(0.1), at=[(0.3, 0.01, -0.9)], mass=2.0, velocities=[(-2.0, 0, 0)])
        pile.mechanism(state, {"head": (place, sb.box(0.24, 0.2, 0.5))})
        found.append(pile.simulate(0.2, step=0.001))
    free, tied = (f.mechanism for f in found)
    assert abs(free["swing"][-1]) > 0.02
    assert tied["swing"] == pytest.approx(free["swing"], abs=1e-5)
    assert np.abs(tied["x"] + np.sin(tied["swing"])).max() < 1e-6


def test_a_surface_that_begins_in_a_wall_is_noted():
    """As bodies are: one deep contact of one surface is not refused."""
    state, ball = free_ball((0, 0, 0.05))
    pile = sb.Pile("p")
    pile.wall("floor")
    pile.mechanism(state, {"a": (ball, sb.sphere(0.1))})
    notes = pile.simulate(0.01, step=0.001).outcome.notes
    assert notes[0].startswith("bodies begin inside each other at 1 place, such as a[0] and a wall (gap -0.05)")


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (lambda p, s, b: p.mechanism("arm", {"a": (b, sb.sphere(0.1))}), "start is a state of equations"),
        (lambda p, s, b: p.mechanism(s, {"a": sb.sphere(0.1)}), "surfaces are pairs by name"),
        (lambda p, s, b: p.mechanism(s, {"a": (b, sb.torus(1, 0.1))}), "a torus has no surface"),
        (lambda p, s, b: [p.mechanism(s, {k: (b, sb.sphere(0.1))}) for k in "ab"], "there is one already"),
        (lambda p, s, b: (p.mechanism(s, {"a": (b, sb.sphere(0.1))}), p.wall("a")), "there is a part 'a' already"),
        (lambda p, s, b: p.mechanism(s, {"a": (free_ball((0, 0, 1))[1], sb.sphere(0.1))}), "is not of the model"),
    ],
)
def test_faults(made, said):
    state, ball = free_ball((0, 0, 1))
    with pytest.raises(sb.ModelError, match=said):
        made(sb.Pile("p"), state, ball)


def test_sparse_samples_of_the_mechanism_belong_to_their_times():
    """Samples further apart than the steps of one call of the kernel."""

    def swing(every):
        m = sb.Model("swing")
        m.gravity(0, 0, -9.81)
        rod = m.body("rod", mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.1))
        m.revolute("a", m.ground, rod, axis="y")
        pile = sb.Pile("swing")
        pile.many("ball", sb.sphere(0.1), at=[(5, 0, 0)], density=1000)
        pile.mechanism(sb.assemble(sb.derive(m), a=1.0), {"tip": (rod.frame.translate(0, 0, -1), sb.sphere(0.1))})
        return pile.simulate(0.3, step=1e-3, every=every)

    fine = swing(1)
    for every, kept in ((150, [0, 150, 300]), (40, [0, 40, 80, 120, 160, 200, 240, 280, 300])):
        coarse = swing(every)
        assert coarse.t == pytest.approx(fine.t[kept], abs=1e-15)
        assert np.array_equal(coarse.mechanism["a"], fine.mechanism["a"][kept])


@pytest.mark.parametrize(
    ("gravity", "said"),
    [
        (None, r"the mechanism has no gravity, free bodies have .*; give its model m.gravity\(0, 0, -9.81\)"),
        ((0, -9.81, 0), r"gravity of the mechanism is \[.*-9.81.*\], that of free bodies .*-9.81\]"),
        ((0, 0, -9.81), ""),
    ],
)
def test_gravity_of_the_mechanism_that_is_not_that_of_the_bodies_is_noted(gravity, said):
    m = sb.Model("swing")
    if gravity is not None:
        g = m.parameter("g", 9.81)
        m.gravity(*(c / 9.81 * g for c in gravity))
    rod = m.body("rod", mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.1))
    m.revolute("a", m.ground, rod, axis="y")
    pile = sb.Pile("swing")
    pile.many("ball", sb.sphere(0.1), at=[(5, 0, 0)], density=1000)
    pile.mechanism(sb.assemble(sb.derive(m)), {"tip": (rod.frame.translate(0, 0, -1), sb.sphere(0.1))})
    notes = pile.simulate(0.01, step=1e-3).outcome.notes
    assert len(notes) == bool(said)
    assert all(re.search(said, note) for note in notes)


def colliding_pendulums():
    m = sb.Model("two")
    m.gravity(0, 0, -9.81)
    a, b = (m.body(n, mass=k, com=(0, 0, -1), inertia=(0.01, 0.01, 0.01)) for n, k in (("a", 1.0), ("b", 2.0)))
    m.revolute("qa", m.ground, a, axis="y")
    m.revolute("qb", m.ground.translate(0.2, 0, 0), b, axis="y")
    return m, a, b


def pile_of_pendulums(touching, friction=0.2):
    m, a, b = colliding_pendulums()
    pile = sb.Pile("two", restitution=0.6, friction=friction)
    pile.many("far", sb.sphere(0.1), at=[(9, 9, 9)], mass=1.0)
    low = {n: (body.frame.translate(0, 0, -1), sb.sphere(0.1)) for n, body in (("A", a), ("B", b))}
    pile.mechanism(sb.assemble(sb.derive(m), qa=0.6), low, touching=touching)
    return pile


@pytest.mark.parametrize(("friction", "most"), [(0.0, 1e-12), (0.2, 1e-5)])
def test_bodies_of_a_mechanism_touch_each_other_where_they_are_asked_to(friction, most):
    """The same motion as `Contacts` of the mechanism, by the same scheme; with friction to the difference of the arms, since each
    has its own point where bodies overlap. Without the pair they pass through each other."""
    motion = pile_of_pendulums([("A", "B")], friction).simulate(0.8, step=2e-3, tolerance=1e-11)
    m, a, b = colliding_pendulums()
    balls = [sb.Ball(body.frame.translate(0, 0, -1), 0.1) for body in (b, a)]
    contact = sb.Contact("c", sb.touch(*balls), restitution=0.6, friction=friction)
    slow = sb.simulate_modes(sb.Contacts(sb.derive(m), contact), 0.8, {"qa": 0.6}, method="moreau", step=2e-3)
    for name in ("qa", "qb"):
        assert motion.mechanism[name][-1] == pytest.approx(slow[name][-1], abs=most)
    assert abs(motion.mechanism["qb"][-1]) > 0.1
    assert pile_of_pendulums([]).simulate(0.8, step=2e-3).mechanism["qb"][-1] == 0.0


def test_a_stepper_moves_the_mechanism_too():
    pile = pile_of_pendulums([("A", "B")])
    step, y, z = pile.stepper(4e-3, substeps=2), pile.start, pile.machine.state
    for _ in range(200):
        y, z = step(y, z)
    motion = pile.simulate(0.8, step=2e-3)
    assert np.allclose(z, [x[-1] for x in motion.mechanism.values()], atol=1e-9)
    both = step(np.stack([pile.start] * 2), np.stack([pile.machine.state] * 2))
    assert both[0].shape == (2, 1, 13)
    assert np.array_equal(both[1][0], both[1][1])
    with pytest.raises(sb.SymbodyError, match="states of the mechanism must be"):
        step(pile.start)
    with pytest.raises(sb.SymbodyError, match="rows of 4 numbers"):
        step(pile.start, np.zeros(3))


def test_pairs_of_a_mechanism_that_do_not_exist_are_named():
    wrong = [
        ([("A", "C")], "no surface 'C'"),
        ([("A", "A")], "pairs of different surfaces"),
        ("every", "or \"all\", got 'every'"),
    ]
    for pairs, message in wrong:
        with pytest.raises(sb.SymbodyError, match=message):
            pile_of_pendulums(pairs)


def test_all_surfaces_of_a_mechanism_touch_but_neighbours():
    """As with the pair that is named; links with a joint do not touch at their joint."""
    named, found = (pile_of_pendulums(t).simulate(0.8, step=2e-3).mechanism for t in ([("A", "B")], "all"))
    assert np.array_equal(named["qb"], found["qb"])
    assert abs(found["qb"][-1]) > 0.01
    pile = hanging_rope(6, touching="all")
    assert set(pile.machine.pairs) == {(i, j) for i in range(6) for j in range(i + 2, 6)}


def closed_track(n=4):
    """A closed track of links around a wheel of a hull, that falls onto the ground among balls: a tree for each, and a loop."""
    m = sb.Model("track")
    m.gravity(0, 0, -9.81)
    pitch = 0.2
    apothem = pitch / 2 / np.tan(np.pi / n)
    hull = m.body("hull", mass=5.0, inertia=(0.5, 1.0, 1.0))
    m.free("hull", m.ground, hull)
    wheel = m.body("wheel", mass=2.0, inertia=(0.1, 0.2, 0.1))
    m.revolute("turn", hull, wheel, axis="y")
    surfaces: dict[str, Any] = {"rim": (wheel, sb.sphere(apothem - 0.015))}
    on, first = hull, None
    for k in range(n):
        link = m.body(f"link{k}", mass=1.0, com=(pitch / 2, 0, 0), inertia=(0.01, 0.02, 0.02))
        if first is None:
            m.free("base", m.ground, link)
            first = link
        else:
            m.revolute(f"t{k}", on, link, axis="y", at=(pitch, 0, 0))
        surfaces[f"shoe{k}"] = (link.frame.translate(pitch / 2, 0, 0.02), sb.box(0.8 * pitch, 0.3, 0.02))
        on = link
    m.coincide("close", on.frame.translate(pitch, 0, 0).origin, first.frame.origin, axes="xz")
    start = {f"t{k}": 2 * np.pi / n for k in range(1, n)} | {"hull_z": apothem + 0.03, "hull_x_dot": 0.5}
    start |= {"base_x": -pitch / 2, "base_z": 2 * apothem + 0.03}
    pile = sb.Pile("track", friction=0.5)
    pile.many("ball", sb.sphere(0.05), at=[(0.22, 0.02, 0.06), (-0.25, 0.0, 0.06)], mass=0.5)
    pile.mechanism(sb.assemble(sb.derive(m), start=start), surfaces, touching=[("rim", f"shoe{k}") for k in range(n)])
    pile.wall("ground")
    return pile


def test_links_one_by_one_move_as_with_all_their_responses(monkeypatch):
    """A mechanism in trees with a loop, in contact with itself, balls and the ground: matrices of all responses give the same."""
    by_links = closed_track()
    assert by_links.machine.table is not None
    monkeypatch.setattr(type(by_links.machine), "table", None)
    by_matrices = closed_track()
    monkeypatch.undo()
    assert len(by_links.machine.table.links) > 10
    found = by_links.simulate(0.06, step=1e-3, tolerance=1e-11, stabilise=0.1)
    monkeypatch.setattr(type(by_matrices.machine), "table", None)
    expected = by_matrices.simulate(0.06, step=1e-3, tolerance=1e-11, stabilise=0.1)
    assert found.outcome
    assert found.most_contacts == expected.most_contacts > 4
    assert found.missed == expected.missed == 0
    for name, values in expected.mechanism.items():
        assert np.abs(found.mechanism[name] - values).max() < 1e-7 * (1 + np.abs(values).max()), name
    assert np.abs(found.positions - expected.positions).max() < 1e-8


@pytest.mark.parametrize("compliance", [0.0, 1e-8])
def test_shoes_that_are_squeezed_between_wheel_and_ground_converge(compliance):
    """Sweeps alone leave a residual of 0.01. At the end the ground carries the weight."""
    motion = tracked_vehicle(12, compliance).simulate(0.3, step=2e-3)
    assert motion.outcome
    assert motion.residual < (1e-6 if compliance else 1e-4)
    assert motion.most_contacts > 20
    on_ground = motion.contacts.second == -1
    carried = motion.contacts.impulses[on_ground, 2].sum() / 2e-3
    assert carried == pytest.approx(9.81 * (500 + 2 * 20 + 2 * 12 * 5), rel=1e-3)


def test_many_surfaces_of_what_is_no_tree_are_refused(monkeypatch):
    """Balls that a written constraint each holds in place, with small limits: nothing is derived for each surface."""
    for limit in ("MOST_SURFACES", "MOST_CONSTRAINTS"):
        monkeypatch.setattr(machine_programs, limit, 2)
    m = sb.Model("beads")
    surfaces = {}
    for k in range(3):
        x, y, z = m.coordinates(f"x{k} y{k} z{k}")
        frame = m.ground.translate(x, y, z)
        m.particle(f"p{k}", frame.origin, mass=1)
        m.constrain(f"c{k}", z - 0.1 * k)
        surfaces[f"s{k}"] = (frame, sb.sphere(0.01))
    pile = sb.Pile("beads")
    pile.mechanism(sb.assemble(sb.derive(m), start={f"z{k}": 0.1 * k for k in range(3)}), surfaces)
    with pytest.raises(sb.SymbodyError, match=r"'beads' has 3 surfaces .* at most 2 constraints \(it has 3\)"):
        pile.simulate(0.01, step=0.01)


def hanging_rope(n, radius=0.3, touching=()):
    """Links over a drum, of which the last ones hang down."""
    m = sb.Model("rope")
    m.gravity(0, 0, -9.81)
    length = 0.1
    turn = 2 * np.arctan(length / 2 / (radius + 0.0201))
    on, surfaces = m.ground.translate(0, 0, length / 2 / np.sin(turn / 2)), {}
    for k in range(n):
        link = m.body(f"link{k}", mass=0.1, com=(length / 2, 0, 0), inertia=(1e-5, 1e-4, 1e-4))
        m.revolute(f"q{k}", on, link, axis="y", at=(length if k else 0, 0, 0))
        surfaces[f"ball{k}"] = (link.frame.translate(length / 2, 0, 0), sb.sphere(0.02))
        on = link
    pile = sb.Pile("rope", friction=0.3)
    pile.many("drum", sb.cylinder(radius, 0.5, axis="y"), at=[(0, 0, 0)], fixed=True)
    bend = {f"q{k}": turn if k else turn / 2 for k in range(5)}
    pile.mechanism(sb.assemble(sb.derive(m), start=bend), surfaces, touching=touching)
    return pile


def test_a_rope_of_many_links_hangs_over_a_drum():
    """A hundred links, found and derived as equal ones: those on the drum stay on it, those that hang fall."""
    pile = hanging_rope(100)
    motion = pile.simulate(0.03, step=1e-3)
    assert motion.outcome
    assert motion.missed == 0
    assert len(motion.contacts.gaps) >= 3
    assert motion.contacts.gaps.min() > -1e-4
    places, R = machine_places(pile.machine, motion.t, np.stack(list(motion.mechanism.values()), axis=1))
    assert places.shape == (31, 100, 3)
    assert np.abs(R @ np.swapaxes(R, -1, -2) - np.eye(3)).max() < 1e-12
    drop = places[0, -1, 2] - places[-1, -1, 2]
    assert 0.0 < drop < 9.81 * 0.03**2
    assert np.abs(np.diff(places[-1], axis=0)).max() <= 0.1 + 1e-12  # neighbours are a link apart at most

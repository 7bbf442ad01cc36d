"""Piles of balls and clumps on a card, on an emulated one: the motion of the same pile on this computer, laws of momentum and
energy."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.integrate.piles.card.card_mechanism import MechanismRunner
from symbody.integrate.piles.card.card_runs import CardRunner

from ..emit.emulated_card import EmulatedLibrary, emulate, forget


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Iterator[EmulatedLibrary]:
    yield emulate(monkeypatch)
    monkeypatch.undo()
    forget()


def heap(compliance: float = 0.0) -> sb.Pile:
    """Three balls on a floor beside a fixed ball and a wall, and two smaller ones that fall on them."""
    pile = sb.Pile("heap", friction=0.4, compliance=compliance)
    pile.many("ball", sb.sphere(0.1), at=[(0.1, 0.1, 0.1), (0.3, 0.1, 0.1), (0.1, 0.32, 0.1)], density=1000)
    small = [(0.19, 0.11, 0.261), (0.11, 0.22, 0.27)]
    pile.many("small", sb.sphere(0.07), at=small, density=500, velocities=np.tile((0.2, 0.1, -1), (2, 1)))
    pile.many("post", sb.sphere(0.1), at=[(0.3, 0.3, 0.1)], fixed=True)
    pile.wall("floor")
    pile.wall("side", normal=(1, 0, 0), friction=0.1)
    return pile


@pytest.mark.parametrize("compliance", [0.0, 1e-6])
def test_a_heap_moves_as_on_this_computer(library: EmulatedLibrary, compliance: float) -> None:
    here, there = (
        heap(compliance).simulate(0.024, step=0.004, every=2, tolerance=1e-10, most_sweeps=100, target=t)
        for t in ("cpu", "cuda")
    )
    assert there.outcome
    assert there.missed == 0
    assert len(there.contacts.gaps) == len(here.contacts.gaps)
    assert there.most_contacts == here.most_contacts > 6
    assert np.abs(there.states - here.states).max() < 1e-8


CLUMP = [(-0.06, 0, 0, 0.06), (0.06, 0, 0, 0.06), (0, 0.05, 0, 0.05)]


def test_clumps_move_as_on_this_computer(library: EmulatedLibrary) -> None:
    """Three balls each, which touch each other, a ball, walls, and a fixed box that is much larger."""
    pile = sb.Pile("clumps", friction=0.4, compliance=1e-6)
    at = [(0.13, 0.1, 0.07), (0.36, 0.1, 0.11), (0.15, 0.12, 0.22), (0.2, 0.29, 0.08)]
    turned = [(1, 0, 0, 0), (0.9, 0.1, 0.2, 0.1), (0.8, 0, 0.5, 0.1), (1, 0, 0, 0.4)]
    pile.many("clump", CLUMP, at=at, density=1000, rotations=turned, velocities=np.tile((0.1, 0.2, -1.0), (4, 1)))
    pile.many("ball", sb.sphere(0.07), at=[(0.3, 0.12, 0.28)], density=500, velocities=[(0, 0, -2)])
    pile.many("block", sb.box(1, 0.4, 0.1), at=[(0.3, 0.56, 0.1)], fixed=True)
    pile.wall("floor")
    pile.wall("side", normal=(1, 0, 0), friction=0.1)
    here, there = (
        pile.simulate(0.04, step=0.004, tolerance=1e-9, most_sweeps=90, stabilise=0.1, target=t)
        for t in ("cpu", "cuda")
    )
    assert there.missed == 0
    assert there.most_contacts == here.most_contacts > 7
    assert np.abs(there.states - here.states).max() < 1e-7
    names = np.append(pile.body_names, "a wall")
    assert {names[k].split("[")[0] for k in there.contacts.second} >= {"block", "a wall"}


def links_among_balls() -> sb.Pile:
    """Two links with a joint fall onto balls on a floor, with a box on one and balls on the other."""
    m = sb.Model("links")
    m.gravity(0, 0, -9.81)
    one = m.body("one", mass=1.0, inertia=(0.01, 0.02, 0.02))
    m.free("one", m.ground, one, sequence="euler parameters")
    other = m.body("other", mass=0.5, inertia=(0.01, 0.01, 0.02), com=(0.2, 0, 0))
    m.revolute("hinge", one, other, axis="z", at=(0.2, 0, 0))
    state = sb.assemble(sb.derive(m), {"one_e0": 1.0, "one_z": 0.175, "hinge": 0.3, "hinge_dot": 0.5})
    pile = sb.Pile("links", friction=0.3, compliance=1e-5)
    at = [(0.13 * i - 0.2, 0.13 * j - 0.1, 0.065) for i in range(5) for j in range(2)]
    pile.many("ball", sb.sphere(0.06), at=at, mass=0.3)
    balls = [(0, 0, 0, 0.06), (0.08, 0, 0, 0.06)]
    pile.mechanism(state, {"left": (one, sb.box(0.4, 0.1, 0.1)), "right": (other.frame.translate(0.2, 0, 0), balls)})
    pile.wall("floor")
    return pile


def test_a_mechanism_moves_as_on_this_computer(library: EmulatedLibrary) -> None:
    pile = links_among_balls()
    here, there = (
        pile.simulate(0.04, step=0.004, every=5, tolerance=1e-9, most_sweeps=90, stabilise=0.2, target=t)
        for t in ("cpu", "cuda")
    )
    assert there.missed == 0
    assert there.most_contacts == here.most_contacts > 12
    assert np.abs(there.states - here.states).max() < 1e-6
    assert there.work == pytest.approx(here.work, abs=1e-7)
    for name, values in here.mechanism.items():
        assert np.abs(there.mechanism[name] - values).max() < 1e-6, name
    assert there.mechanism["one_z_dot"][-1] > -0.2  # without balls -0.4


def test_a_light_plate_on_heavy_balls_converges(library: EmulatedLibrary) -> None:
    """Contacts of one colour push one surface at the same time, each as if it were alone: together they must not push it too far."""
    m = sb.Model("plate")
    m.gravity(0, 0, -9.81)
    plate = m.body("plate", mass=0.02, inertia=(1e-3, 1e-3, 2e-3))
    m.free("plate", m.ground, plate, sequence="euler parameters")
    state = sb.assemble(sb.derive(m), {"plate_e0": 1.0, "plate_z": 0.109}, start={"plate_z_dot": -1.0})
    pile = sb.Pile("plate on balls", friction=0.3)
    at = [(0.11 * i, 0.11 * j, 0.05) for i in range(-2, 3) for j in range(-2, 3)]
    pile.many("ball", sb.sphere(0.05), at=at, mass=1.0)
    pile.mechanism(state, {"plate": (plate, sb.box(0.6, 0.6, 0.02))})
    pile.wall("floor")
    here, there = (pile.simulate(0.008, step=0.002, tolerance=1e-7, most_sweeps=150, target=t) for t in ("cpu", "cuda"))
    assert there.most_contacts == here.most_contacts >= 50
    assert there.missed == 0
    assert np.abs(there.mechanism["plate_z"] - here.mechanism["plate_z"]).max() < 1e-5


def test_surfaces_of_a_tree_respond_as_by_the_matrix_of_all_responses(monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for is_tree in (True, False):
        pile = links_among_balls()
        if not is_tree:
            monkeypatch.setattr(type(pile.machine), "table", None)
        mechanism = MechanismRunner(pile._in_numbers(1e-6, 20, 0.0, 0.0), 0.004)
        mechanism.run("begin")
        found.append(mechanism.content)
    assert all(np.abs(found[0][k] - found[1][k]).max() < 1e-12 * (1 + np.abs(found[1][k]).max()) for k in found[0])
    assert np.abs(found[0]["d.response"]).max() > 1


def test_momentum_and_energy_go_over_between_balls_and_mechanism(library: EmulatedLibrary) -> None:
    """Balls fly into a body with joints that floats, elastic and without friction, in single precision: Σ m v and the energy of both
    stay, while each changes."""
    m = sb.Model("floating")
    body = m.body("body", mass=1.0, inertia=(0.02,) * 3)
    m.free("body", m.ground, body, sequence="euler parameters")
    start = sb.assemble(sb.derive(m), {"body_e0": 1.0, "body_z": 0.2, "body_wx": 1.0})
    pile = sb.Pile("space", gravity=(0, 0, 0), restitution=1.0)
    at = np.array([(0.13 * i - 0.2, 0.13 * j - 0.1, 0.0) for i in range(4) for j in range(2)])
    pile.many("ball", sb.sphere(0.06), at=at, mass=0.3, velocities=(0, 0, 2.0) - 2 * at)
    pile.mechanism(start, {"box": (body, sb.box(0.6, 0.4, 0.1))})
    motion = pile.simulate(0.1, step=2e-3, every=5, tolerance=1e-6, most_sweeps=120, target="cuda", real="float")
    u = np.stack([motion.mechanism[f"body_{k}"] for k in ("x_dot", "y_dot", "z_dot", "wx", "wy", "wz")], axis=1)
    energy = 0.5 * (u**2) @ [1, 1, 1, 0.02, 0.02, 0.02]
    total = motion.momentum + u[:, :3]
    assert motion.missed == 0
    assert energy[-1] > 10 * energy[0]
    assert np.abs(total - total[0]).max() < 1e-5 * np.abs(total[0]).max()
    assert np.abs(motion.energy + energy - motion.energy[0] - energy[0]).max() < 1e-4 * motion.energy[0]
    assert motion.work == pytest.approx([x[-1] - x[0] for x in (motion.energy, energy)], rel=1e-4)


def test_two_runs_have_the_same_bits(library: EmulatedLibrary) -> None:
    pile = links_among_balls()
    pile.many("clump", CLUMP, at=[(0.5, 0, 0.05)], density=1000)
    runner = CardRunner(pile._in_numbers(1e-4, 20, 0.2, 0.0), 0.004, "float")
    one = *runner.take(3, 3), runner.machine.state
    runner.set_state(pile.start, 0.0, pile.machine.state)
    other = *runner.take(3, 3), runner.machine.state
    assert one[0] == other[0] == 0
    assert np.array_equal(one[1], other[1])
    assert np.array_equal(one[2], other[2])


def carry(pile: sb.Pile, shape: object = None, count: int = 2, **more: Any) -> None:
    """A mechanism with so many surfaces."""
    m = sb.Model("arm")
    arm = m.body("arm", mass=1.0, inertia=(1, 1, 1))
    m.revolute("q", m.ground, arm, axis="y")
    places = {
        "ab"[k] if k < 2 else f"s{k}": (arm.frame.translate(0, k, 9), shape or sb.sphere(0.1)) for k in range(count)
    }
    pile.mechanism(sb.assemble(sb.derive(m)), places, **more)


def test_a_full_card_is_named(library: EmulatedLibrary, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(EmulatedLibrary, "cuMemAllocAsync", lambda *_: 2)
    with pytest.raises(
        sb.errors.SimulationError, match=r"5 bodies with memory for \d+ contacts do not fit into the card"
    ):
        heap().simulate(0.1, step=0.01, target="cuda")


@pytest.mark.parametrize(
    ("pile", "given", "said"),
    [
        (
            lambda p: p.many("box", sb.box(1, 1, 1), at=[(0, 0, 0)], mass=1),
            {},
            "all free bodies must be balls or clumps",
        ),
        (lambda p: p.terrain("hill", [[0, 0], [1, 1]]), {}, "a height field runs with target='cpu'"),
        (lambda p: p.many("big", sb.sphere(1), at=[(5, 0, 0)], mass=1), {}, "more than 4 times the smallest"),
        (lambda p: carry(p, touching=[("a", "b")]), {}, "surfaces that touch each other .* run with target='cpu'"),
        (
            lambda p: carry(p, sb.box(1, 1, 1)) or p.many("box", sb.box(1, 1, 1), at=[(5, 0, 0)], fixed=True),
            {},
            "that are not balls may meet",
        ),
        (lambda p: carry(p, count=61), {}, "has 61 surfaces; with more than 60 it runs with target='cpu'"),
        (
            lambda p: p.many("more", sb.sphere(0.1), at=np.zeros((1500, 3)), mass=1),
            {},
            r"overlap at the start in more than \d+ places",
        ),
        (lambda p: None, {"sleep": 0.1}, "sleep= is for target='cpu'"),
        (lambda p: None, {"target": "gpu"}, "there is no target 'gpu'"),
        (lambda p: None, {"real": "half"}, "there is no real 'half'"),
        (lambda p: None, {"real": "float", "target": "cpu"}, "real='float' is for target='cuda'"),
    ],
)
def test_faults(library: EmulatedLibrary, pile, given, said) -> None:
    made = sb.Pile("p")
    made.many("ball", sb.sphere(0.1), at=[(0, 0, 0)], mass=1)
    pile(made)
    with pytest.raises(sb.errors.SimulationError, match=said):
        made.simulate(0.1, step=0.01, **{"target": "cuda", **given})

"""Piles of balls on a card, on an emulated one: the motion of the same pile on this computer."""

from collections.abc import Iterator

import numpy as np
import pytest

import symbody as sb
from symbody.integrate.piles.card_runs import CardRunner

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


def test_two_runs_have_the_same_bits(library: EmulatedLibrary) -> None:
    pile = heap()
    runner = CardRunner(pile._in_numbers(1e-4, 20, 0.2, 0.0), 0.004, "float")
    one = runner.take(3, 3)
    runner.set_state(pile.start, 0.0)
    other = runner.take(3, 3)
    assert one[0] == other[0] == 0
    assert np.array_equal(one[1], other[1])


@pytest.mark.parametrize(
    ("pile", "given", "said"),
    [
        (lambda p: p.many("box", sb.box(1, 1, 1), at=[(0, 0, 0)], mass=1), {}, "all free bodies must be balls or clumps"),
        (lambda p: p.terrain("hill", [[0, 0], [1, 1]]), {}, "a height field runs with target='cpu'"),
        (lambda p: p.many("big", sb.sphere(1), at=[(5, 0, 0)], mass=1), {}, "more than 4 times the smallest"),
        (lambda p: None, {"sleep": 0.1}, "sleep= is for target='cpu'"),
        (lambda p: None, {"target": "gpu"}, "there is no target 'gpu'"),
        (lambda p: None, {"real": "half"}, "there is no real 'half'"),
        (lambda p: None, {"real": "float", "target": "cpu"}, "real='float' is for target='cuda'"),
    ],
)
def test_faults(pile, given, said) -> None:
    made = sb.Pile("p")
    made.many("ball", sb.sphere(0.1), at=[(0, 0, 0)], mass=1)
    pile(made)
    with pytest.raises(sb.errors.SimulationError, match=said):
        made.simulate(0.1, step=0.01, **{"target": "cuda", **given})

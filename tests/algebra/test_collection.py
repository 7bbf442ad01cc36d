"""The garbage collector while programs are made."""

import gc
import weakref
from contextlib import nullcontext

import pytest

import symbody as sb
from examples import four_bars
from symbody.algebra.graph import node_table
from symbody.algebra.graph.node_table import gc_paused
from symbody.emit.lowering import lower


@pytest.mark.parametrize("is_on", [True, False])
def test_the_collector_is_afterwards_as_it_was(is_on):
    """Also where calls are nested, and where they fail."""
    (gc.enable if is_on else gc.disable)()
    try:
        with gc_paused(), gc_paused():
            assert not gc.isenabled()
        assert gc.isenabled() == is_on
        with pytest.raises(sb.errors.ProgramError):
            sb.program("f", {"x": sb.symbol("x")}, {"y": sb.symbol("y")})
        assert gc.isenabled() == is_on
    finally:
        gc.enable()


@pytest.fixture
def thawed(monkeypatch):
    """Objects are not frozen, as they are in a test run."""
    monkeypatch.setattr(node_table._Pauses, "are_left_alone", False)
    before = gc.get_threshold()
    gc.collect()
    gc.unfreeze()
    gc.set_threshold(10**6)
    yield
    gc.freeze()
    gc.set_threshold(*before)


def test_cycles_of_pauses_are_collected(monkeypatch, thawed):
    """When as many objects were made as there may be, also if the collector itself sees none of them."""
    monkeypatch.setattr(node_table, "MOST_UNTRAVERSED", 500)
    monkeypatch.setattr(node_table._Pauses, "before", 0)
    monkeypatch.setattr(node_table._Pauses, "made", 0)
    left = []
    for _ in range(3):
        with gc_paused():
            circles = [Circle() for _ in range(300)]
            left.append(weakref.ref(circles[0]))
            del circles
    assert left[0]() is None
    assert left[2]() is not None


def test_objects_that_a_user_froze_stay_frozen(thawed):
    gc.freeze()
    with gc_paused():
        pass
    assert gc.get_freeze_count() > 1000


def test_frozen_objects_are_counted_once(monkeypatch, thawed):
    """The collector counts them one by one, which takes 10 ms for a million: most of the time of a small model."""
    count, counts = gc.get_freeze_count, []
    monkeypatch.setattr(gc, "get_freeze_count", lambda: counts.append(count()) or counts[-1])
    gc.freeze()
    for _ in range(3):
        with gc_paused():
            pass
    assert len(counts) == 1


class Circle:
    def __init__(self):
        self.itself = self


def test_nothing_is_collected_while_a_program_is_made(monkeypatch):
    """Which would look at thousands of nodes, again and again, and find nothing; at the end it may."""
    eq = sb.derive(four_bars.model(6), check=False)
    assert collections(eq) <= 1
    monkeypatch.setattr(lower, "gc_paused", nullcontext)
    assert collections(eq) > 1


def collections(eq):
    """While a program is made of equations."""
    seen = []

    def collected(phase, info):
        seen.append(phase)

    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)  # as Python has it; the test run collects less often
    gc.collect()
    gc.callbacks.append(collected)
    try:
        made = sb.program("f", {"q": list(eq.q), "u": list(eq.u), "p": list(eq.p)}, {"M": eq.M, "f": eq.f})
    finally:
        gc.callbacks.remove(collected)
        gc.set_threshold(*before)
    assert len(made.code) > 100
    return seen.count("start")

"""The garbage collector while programs are made."""

import gc
from contextlib import nullcontext

import pytest

import symbody as sb
from examples import four_bars
from symbody.algebra.graph.node_table import gc_paused
from symbody.emit.programs import lower


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

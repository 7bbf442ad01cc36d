"""bench.hops: how many functions and files a call passes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import symbody as sb
from bench.hops import Stop, Walk, only_forwards


def test_a_function_that_only_forwards_is_told_from_one_that_does_something(tmp_path: Path) -> None:
    text = """
def passes_on(a, *rest, k=1):
    '''It says so.'''
    return len(a.parts, *rest, key=k)
def adds(a):
    return len(a + 1)
def looks(a):
    assert a
    return len(a)
"""
    file = tmp_path / "planted.py"
    file.write_text(text, encoding="utf-8")
    made: dict[str, Any] = {}
    exec(compile(text, str(file), "exec"), made)
    assert [name for name in ("passes_on", "adds", "looks") if only_forwards(made[name].__code__)] == ["passes_on"]


def test_a_walk_lists_the_functions_from_the_call_to_the_loop() -> None:
    x = sb.symbol("x", "variable")
    eq = sb.from_equations({x: -x})
    walk = Walk().trace(lambda: sb.simulate(eq, 1.0, x=1.0, progress=False))
    assert walk.chain[-1] == Stop("emit/run/loop_callee.py", "LoopCallee.run")
    names = [s.name for s in walk.stops]
    assert names[-1] == "LoopCallee.run"
    assert "simulate" in names
    assert {*walk.chain} <= {*walk.stops} < {*walk.around}
    assert walk.row("decay")["calls"] == sum(walk.calls.values()) > len(walk.calls)

"""Programs written out, and Lynch's three ways to share work: the same numbers, the operations that are counted."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import symbody as sb
from examples import triple_pendulum
from symbody.emit.lowering import unshared_programs


def times_read(p: sb.emit.Program) -> set[int]:
    """How often values that are no inputs or constants are read."""
    reads = Counter(a for i in p.code for a in i.args) + Counter(v for o in p.outputs for v in o.values)
    return {reads[k] for k, i in enumerate(p.code) if i.op not in ("input", "const")}


@pytest.fixture(scope="module")
def pendulum() -> sb.Equations:
    return sb.derive(triple_pendulum.model())


def test_three_ways_and_the_graph_compute_the_same(pendulum: sb.Equations) -> None:
    ways, work = sb.emit.mass_matrix_programs(pendulum), sb.derivation.shared_work(pendulum)
    values = pendulum.values(q2=0.4, q3=-0.7, otherwise=0.3)
    args = [0.0, *([values[s] for s in group] for group in (pendulum.q, pendulum.r, pendulum.p))]
    expected = np.array(sb.evaluate(pendulum.M, values))
    for name in ("pure", "numeric", "named", "graph"):
        found = getattr(ways, name)
        assert sb.emit.numpy_function(found)(*args) == pytest.approx(expected, abs=1e-13), name
        assert sb.compile(found)(*args) == pytest.approx(expected, abs=1e-13), name
    assert [ways.pure.cost.total, ways.numeric.cost.total, ways.named.cost.total] == [
        work.pure,
        work.numeric,
        work.named,
    ]
    assert ways.graph.cost.total <= work.graph
    assert times_read(ways.pure) == {1}
    assert max(times_read(ways.graph)) > 1


def test_code_written_out_can_be_printed(pendulum: sb.Equations) -> None:
    """Sines and cosines are computed again at every use."""
    ways = sb.emit.mass_matrix_programs(pendulum)
    pure = sb.emit.numpy_source(ways.pure)
    assert pure.count("sin(") + pure.count("cos(") == ways.pure.cost.functions > ways.graph.cost.functions


def test_blocks_are_computed_once(pendulum: sb.Equations) -> None:
    """Accelerations by factors of M: their entries are written out, the elimination is not repeated."""
    p = sb.program("udot", {"q": pendulum.q, "u": pendulum.u, "r": pendulum.r, "p": pendulum.p}, {"a": pendulum.udot})
    found = sb.emit.unshared(p)
    blocks = Counter(i.op for i in found.code if i.op in ("factor", "solve", "tree"))
    assert blocks == Counter(i.op for i in p.code if i.op in ("factor", "solve", "tree"))
    values = pendulum.values(q2=0.4, otherwise=0.3)
    args = [[values[s] for s in group] for group in (pendulum.q, pendulum.u, pendulum.r, pendulum.p)]
    assert sb.emit.numpy_function(found)(*args) == pytest.approx(sb.emit.numpy_function(p)(*args), rel=1e-12)


def test_what_would_be_endless_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    x = sb.symbol("x")
    power = x
    for _ in range(60):
        power = sb.sin(power) * power
    p = sb.program("f", {"x": x}, {"y": power})
    with pytest.raises(
        sb.errors.ProgramError, match=r"written out it has .* operations, more than 1000000; .* it has 120"
    ):
        sb.emit.unshared(p)
    monkeypatch.setattr(unshared_programs, "MOST_OPERATIONS", 2)
    with pytest.raises(sb.errors.ProgramError, match="written out it has 3 operations"):
        sb.emit.unshared(sb.program("f", {"x": x}, {"y": sb.sin(x) * x + 1}))

"""What is the same for all states of a batch is computed once."""

import numpy as np
import pytest

import symbody as sb
from bench import puma560
from symbody.algebra.graph.graph import symbols
from symbody.derivation.kinematics.kinematics import Kinematics
from symbody.derivation.routes.recursive import generalized_forces
from symbody.emit.lowering.lower import program
from symbody.emit.programs.constant_part import without_constant_part
from symbody.emit.run.callable import Compiled

x, y, a, b, c = symbols("x y a b c")


def test_parts_together_are_the_whole() -> None:
    """Values that reach into the rest are one more group; outputs that are constant are handed through."""
    whole = program("f", {"x": [x, y], "p": [a, b, c]}, {"e": x * (a + b * c) + sb.sin(a) * y, "d": sb.cos(a) + b})
    parts = without_constant_part(whole, (1,))
    assert parts is not None
    first, rest = parts
    assert first.cost.total + rest.cost.total == whole.cost.total
    assert [g.name for g in first.inputs] == ["p"]
    assert rest.cost.total == 3
    p, s = [0.3, -1.2, 2.0], [0.7, 1.9]
    e, d = sb.compile(rest)(s, p, sb.compile(first)(p))
    assert (e, d) == pytest.approx(sb.compile(whole)(s, p), rel=1e-15)


def test_nothing_constant_is_nothing_to_do() -> None:
    whole = program("f", {"x": [x, y], "p": [a]}, {"e": x * y + sb.sin(x) * a})
    assert without_constant_part(whole, (1,)) is None


@pytest.fixture(scope="module")
def puma() -> Compiled:
    """Packed once; values of parameters alone are too little work to be computed apart."""
    m = puma560.model().freeze()
    with sb.algebra.gc_paused():
        tau = generalized_forces(m, Kinematics(m), True)
    return sb.compile(program("tau", {"q": m.q, "u": m.u, "a": [u.dot for u in m.u], "p": m.p}, {"tau": tau}))


@pytest.fixture(scope="module")
def functions() -> Compiled:
    """Computed apart: also where a group has the name of what is handed on."""
    e = x * (a + sb.sqrt(b) * c) + sb.sin(a) * y
    return sb.compile(program("f", {"x": [x], "constant_part": [y], "z": [], "p": [a, b, c]}, {"e": e, "d": sb.cos(a)}))


@pytest.mark.parametrize("n", [1, 63, 64, 65, 200])
@pytest.mark.parametrize("case", ["puma", "functions"])
def test_batches_with_one_set_of_parameters(case: str, n: int, request: pytest.FixtureRequest) -> None:
    """Also where the number of states is no multiple of the lanes, and where parameters differ from state to state."""
    f = request.getfixturevalue(case)
    draw = np.random.default_rng(n)
    *changing, group = f.program.inputs
    states = [draw.uniform(-1, 1, (n, len(g))) for g in changing]
    p = draw.uniform(0.5, 1, len(group))
    each = [f(*row, p) for row in zip(*states, strict=True)]
    for parameters in (p, np.tile(p, (n, 1))):
        found = f.batch(*states, parameters)
        pairs = ((each, found),) if case == "puma" else zip(zip(*each, strict=True), found, strict=True)
        for expected, values in pairs:
            assert np.allclose(values, np.array(expected), rtol=1e-12, atol=1e-12)
    if n >= 64:
        assert any(f._divided.values()) == (case == "functions")

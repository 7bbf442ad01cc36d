"""Numbers at the edge of the machine's, and requests without end: an error of the package or an outcome, in bounded
time and memory."""

import re

import numpy as np
import pytest

import symbody as sb
from symbody.algebra.graph import node_table

HUGE = [1e308, -1e308, 10**400, -(10**400), 10**5000, sb.fraction(10**400, 3)]
NOT_FINITE = [float("nan"), float("inf"), -float("inf")]


def pendulum(**body) -> sb.Model:
    m = sb.Model("pendulum")
    bob = m.body("bob", **{"mass": 1, "com": (0, -1, 0), "inertia": (1, 1, 1), **body})
    m.revolute("q", m.ground, bob)
    m.gravity(0, -9.81, 0)
    return m


@pytest.fixture(scope="module")
def eq():
    return sb.derive(pendulum())


PLACES = {
    "inertia": lambda eq, x: sb.derive(pendulum(inertia=(x, x, x))),
    "one inertia": lambda eq, x: sb.derive(pendulum(inertia=(x, 1, 1))),
    "mass": lambda eq, x: sb.derive(pendulum(mass=x)),
    "mass centre": lambda eq, x: sb.derive(pendulum(com=(0, x, 0))),
    "parameter": lambda eq, x: pendulum().parameter("a", x),
    "start": lambda eq, x: sb.simulate(eq, 0.1, q=x, max_steps=10),
    "end": lambda eq, x: sb.simulate(eq, x, q=1, max_steps=10),
    "times": lambda eq, x: sb.simulate(eq, [0, x], q=1, max_steps=10),
    "assemble": lambda eq, x: sb.assemble(eq, q=x),
    "state": lambda eq, x: sb.State.of(eq, {"q": x}),
    "steady": lambda eq, x: sb.steady(eq, {"q": x}),
    "steady start": lambda eq, x: sb.steady(eq, start={"q": x}),
    "linearize": lambda eq, x: sb.linearize(eq, {"q": x}),
    "evaluate": lambda eq, x: sb.evaluate(eq.M[0, 0] * sb.symbol("x"), {"x": x}),
    "call": lambda eq, x: sb.compile(eq).udot(0.0, [x], [0.0]),
    **{
        option: lambda eq, x, option=option: sb.simulate(eq, 0.1, q=1, max_steps=10, options={option: x})
        for option in ("rtol", "atol", "step", "max_step", "max_growth", "alpha", "beta", "max_memory")
    },
}  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    "x", [*HUGE, *NOT_FINITE], ids=lambda x: str(type(x).__name__) if not isinstance(x, float) else str(x)
)
def test_numbers_at_the_edge(place, x, eq):
    """Each is taken, or refused by an error of the package; nothing else comes out."""
    try:
        PLACES[place](eq, x)
    except sb.SymbodyError as reason:
        text = str(reason)
    else:
        text = ""
    assert len(text) < 3000


@pytest.mark.parametrize(
    "option", ["rtol", "atol", "step", "max_step", "max_growth", "alpha", "beta", "max_steps", "max_memory"]
)
def test_no_option_is_nan(option, eq):
    with pytest.raises(sb.errors.SimulationError, match=option):
        sb.simulate(eq, 1, q=1, options={option: float("nan")})


@pytest.mark.parametrize("option", ["step", "max_step"])
def test_steps_that_do_not_change_the_time(option, eq):
    with pytest.raises(sb.errors.SimulationError, match="lost in rounding"):
        sb.simulate(eq, 1, q=1, options={option: 1e-300})
    with pytest.raises(sb.errors.SimulationError, match="lost in rounding"):
        sb.simulate(eq, (1e9, 1e9 + 1), q=1, options={option: 1e-9})


def test_from_a_file(tmp_path):
    text = "symbody: 1\nbodies: {b: {mass: 1, com: [0, -1, 0], inertia: [1, 1, 1]}}\njoints: {q: {revolute: [ground, b]}}\n"
    for asked in ("t: 1, step: 1e-300", "t: 1e9, step: 1e-9"):
        (tmp_path / "m.yaml").write_text(f"{text}start: {{q: 1}}\nsimulate: {{{asked}}}\n", encoding="utf-8")
        study = sb.study.Study(sb.study.find_model(str(tmp_path / "m.yaml")))
        with pytest.raises(sb.errors.SimulationError, match="rounding"):
            study.trajectory


@pytest.mark.parametrize("method", ["dp8", "dp5", "radau"])
def test_memory_for_results_has_a_bound(method, eq):
    """A run without end stops with an outcome that says what to do; what it had is there."""
    sim = sb.simulate(eq, 1e9, q=1, method=method, max_memory=2e5)
    assert sim.outcome.ending is sb.integrate.Ending.TOO_MUCH_MEMORY
    assert "times at which states are wanted" in str(sim.outcome)
    assert 0 < sim.t[-1] < 1e9
    assert sum(s.t.nbytes + s.y.nbytes for s in sim.segments) < 1e7
    assert sb.simulate(eq, np.linspace(0, 50, 5), q=1, method=method, max_memory=100.0).outcome  # nothing else is kept


@pytest.mark.parametrize("n", [300, 1200])
def test_long_chains_of_rotations(n):
    """The limit of nodes is asked on the way, not when they are all made."""
    frames = "ground" + "".join(f".rotate({'xyz'[k % 3]},q)" for k in range(n))
    before = node_table.nodes_made()
    with pytest.raises(sb.errors.ModelFileError, match="more than 100000 nodes"):
        sb.study.read_model_text(
            f"symbody: 1\ncoordinates: q\nlet:\n  f: {frames}\n  a: f.point(1,0,0).acceleration()\n"
        )
    assert node_table.nodes_made() - before < 150_000


def test_the_limit_is_left_behind():
    """After a file that was refused, Python's own expressions are free again."""
    with pytest.raises(sb.errors.ExpressionError, match="more nodes"), node_table.node_limit(0):
        sb.time_derivative(sb.symbol("q", "coordinate"))
    assert sb.time_derivative(sb.symbol("q", "coordinate")) is sb.symbol("q", "coordinate").dot


def test_results_that_do_not_fit_are_refused_before_they_are_asked_for(monkeypatch):
    """In gigabytes, with what to try; states, and outputs instead of them."""
    x, v = sb.symbols("x v", "variable")
    eq = sb.from_equations({x: v, v: -x}, name="spring")
    monkeypatch.setattr("symbody.integrate.members.memory.machine_memory", lambda: 16e9)
    times, members = np.linspace(0, 1, 100_000), np.linspace(0, 1, 100_000)
    for method in ("auto", "radau"):
        with pytest.raises(
            sb.errors.SimulationError, match=r"with 2 numbers each take 160 GB, and this machine has 16 GB; .*to="
        ):
            sb.simulate_batch(eq, times, x=members, method=method)
    with pytest.raises(sb.errors.SimulationError, match="with 1 number each take 80 GB"):
        sb.simulate_batch(eq, times, x=members, outputs=["x"])
    assert sb.simulate_batch(eq, times[::10_000], x=members[:10], outputs=["x"])["x"].shape == (10, 10)


def test_steps_without_end_are_refused():
    """Where their number is known; `max_steps` that is given is an outcome."""
    x, v = sb.symbols("x v", "variable")
    eq = sb.from_equations({x: v, v: -x})
    words = r"step = 1e-09 makes 1e\+15 steps of 1e\+06, more than max_steps = 1e\+09"
    with pytest.raises(sb.errors.SimulationError, match=words):
        sb.simulate(eq, 1e6, x=1.0, step=1e-9)
    assert re.search(words, str(sb.simulate_batch(eq, 1e6, x=[1.0, 2.0], step=1e-9).outcomes[1]))
    assert sb.simulate(eq, 1e4, x=1.0, step=1e-6, max_steps=50).outcome.ending is sb.integrate.Ending.TOO_MANY_STEPS


@pytest.mark.parametrize("letters", [100, 5000])
def test_words_of_messages_have_an_end(letters):
    """A name or a line of a file that never ends is shown by its two ends."""
    name = "u" + "A" * letters
    with pytest.raises(sb.errors.ModelFileError) as caught:
        sb.study.read_model_text(
            f"symbody: 1\nbodies: {{b: {{mass: 1}}}}\njoints: {{j: {{revolute: [ground, {name}]}}}}\n", "a.yaml"
        )
    assert (name in str(caught.value)) is (letters == 100)
    assert len(str(caught.value)) < 1500

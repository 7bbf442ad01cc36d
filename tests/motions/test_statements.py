"""Problems that have no solution are named, before solving where that is possible."""

import numpy as np
import pytest

import symbody as sb
from symbody.kits import motions
from symbody.kits.motions.parts.statements import kinked_statements
from symbody.kits.motions.transcription.contradictions import dependent_statements


def cart(duration=1.0):
    x, v, F = sb.symbols("x v F", kind="variable")
    problem = motions.Problem("cart")
    return problem, problem.phase("push", sb.from_equations({x: v, v: F}, inputs=[F]), duration), F


def with_a_root():
    s, y = sb.symbols("s y", kind="variable")
    return sb.from_equations({s: -y}, implicit={y: y + y**3 - s})


@pytest.mark.parametrize(
    ("state", "message"),
    [
        (lambda p, s, F: s.bounds(F=(1, -1)), "phase 'push', path, F: the range from 1 to -1 is empty"),
        (lambda p, s, F: s.bounds(G=(1, 2)), "there is no state, input or multiplier 'G'"),
        (lambda p, s, F: s.start(x="one"), "expected a number or a pair"),
        (lambda p, s, F: s.start(x=np.nan), "phase 'push', start, x: expected numbers, got nan"),
        (lambda p, s, F: s.path("p", F), "give low=, high= or both"),
        (lambda p, s, F: s.path("p", "lenght", high=1), "there is no variable or output 'lenght'"),
        (lambda p, s, F: s.cost("c"), "give one of integral=, start= and end="),
        (lambda p, s, F: s.guess(x=[np.inf]), "expected finite numbers"),
        (lambda p, s, F: s.condition("c", F, at="middle"), "at= is 'start' or 'end'"),
        (lambda p, s, F: p.phase("push", s.equations, 1.0), "there is a phase 'push' already"),
        (lambda p, s, F: p.phase("part 1", s.equations, 1.0), "a phase has a name of letters, digits and underscores, got 'part 1'"),
        (lambda p, s, F: p.phase("rest", s.equations, (0, 1)), "a duration must be positive"),
        (lambda p, s, F: p.phase("rest", s.equations, 1.0, form="magic"), "there is no form 'magic'"),
        (lambda p, s, F: p.phase("rest", "eq", 1.0), "expected equations, got 'eq'"),
        (lambda p, s, F: p.choose(k=(0, 1)), "there is no parameter 'k'"),
        (lambda p, s, F: p.link("push", "rest"), "there is no phase 'rest'"),
        (lambda p, s, F: p.periodic(free=["y"]), "there is no state 'y'"),
        (lambda p, s, F: p.solve(0), "intervals= must be a positive whole number"),
        (lambda p, s, F: p.solve(method="euler"), "there is no transcription 'euler'"),
        (lambda p, s, F: p.solve(method="radau", degree=0), "degree= of Radau must be a whole number"),
        (lambda p, s, F: p.solve(method="shooting", degree=99), "degree= of shooting, its steps in an interval, must be"),
        (lambda p, s, F: p.link(s, p.phase("rest", with_a_root(), 1.0, form="implicit"), free=["s"]) or p.solve(method="shooting"), "needs form='explicit'"),
        (lambda p, s, F: s.bounds(x=(0, 1)).start(x=2) and p.solve(), "x is 2 at the start, but its bounds are 0 to 1"),
        (lambda p, s, F: s.cost("push", integral=F) and p.solve(), "cost 'push' falls without bound with F"),
        (lambda p, s, F: s.cost("push", integral=F - 2 * F**2) and p.solve(), "falls without bound with the square of F"),
        (lambda p, s, F: s.guess(F=[]), "guess of F: expected finite numbers"),
        (lambda p, s, F: s.cost("push", integral=F**2) and p.solve(accuracy=-1), "accuracy= must be positive, got -1"),
        (lambda p, s, F: p.solve(tolerance=-1), "tolerance= must be positive, got -1"),
        (lambda p, s, F: p.solve(max_iterations=0.5), "max_iterations= must be a whole number, got 0.5"),
        (lambda p, s, F: p.solve(degree=3), "degree= is for 'radau' and 'shooting', and 'hermite-simpson' has none; got 3"),
        (lambda p, s, F: p.solve({"puhs": 10}), "intervals: there is no phase 'puhs'"),
        (lambda p, s, F: p.solve(guess={"x": 1}), "guess= is an earlier motion, got {'x': 1}; values of variables are given by guess(...)"),
        (lambda p, s, F: s.cost("c", integral=F.dot**2) and p.solve(), "cost 'c': contains F_dot, and the rate of F is not stated; give rates(F=(low, high))"),
        (lambda p, s, F: s.path("p", sb.symbol("G") + F, high=1) and p.solve(), "path 'p': there is no variable 'G'; there are x, v, F, t"),
        (lambda p, s, F: s.condition("c", sb.symbol("G")) and p.solve(), "condition 'c': there is no variable 'G'"),
    ],
)  # fmt: skip
def test_statements_that_make_no_sense(state, message):
    problem, push, F = cart()
    with pytest.raises(sb.ModelError) as found:
        state(problem, push, F)
    assert message in str(found.value)


@pytest.mark.parametrize("is_held", ["bounds", "path", "energy"])
def test_negative_squares_that_something_holds(is_held):
    """They are not refused where the input has bounds, is in a path, or fills a state that has them."""
    pytest.importorskip("casadi", reason="casadi is not installed (pip install casadi)")
    x, F = sb.symbols("x F", kind="variable")
    problem = motions.Problem("cart")
    rate = F**2 if is_held == "energy" else F
    push = (
        problem.phase("push", sb.from_equations({x: rate}, inputs=[F]), 1.0).start(x=0).cost("push", integral=-(F**2))
    )
    push.guess(F=0.5)
    if is_held == "energy":
        push.end(x=1)
    elif is_held == "path":
        push.path("limit", F, low=-1, high=1)
    else:
        push.bounds(F=(-1, 1))
    assert problem.solve(2).objective == pytest.approx(-1, abs=1e-4)


def test_negative_weights_of_a_regulator():
    pytest.importorskip("casadi", reason="casadi is not installed (pip install casadi)")
    problem, push, F = cart()
    motion = push.start(x=0, v=0).cost("push", integral=F**2) and problem.solve(3)
    for name in ("Q", "end"):
        with pytest.raises(sb.ModelError, match=f"{name} must not have negative eigenvalues, got -1"):
            motion.feedback(**{name: -1})


def test_a_cost_without_value_is_named():
    pytest.importorskip("casadi", reason="casadi is not installed (pip install casadi)")
    problem, push, _ = cart()
    x = push.form.states[0]
    push.start(x=1).end(x=-1).cost("push", integral=sb.log(x - 5))
    assert "cost 'push' had no value there; guess other values" in str(problem.solve(3).outcome)


def test_shortest_time_without_bounds():
    problem, push, _ = cart((0.1, 10))
    push.start(x=0, v=0).end(x=1, v=0).cost("time", integral=1)
    with pytest.raises(sb.ModelError, match=r"nothing bounds F, and time is the only cost"):
        problem.solve()


@pytest.mark.parametrize("weight", [1, -1])
def test_longest_time_without_a_bound(weight):
    """A cost that falls with a free duration is refused if that has no upper bound; a cost that grows is not."""
    problem, push, _ = cart((0.1, None))
    push.start(x=0, v=0).bounds(F=(-1, 1)).cost("time", integral=weight)
    if weight > 0:
        assert problem.transcription(5).n
        return
    with pytest.raises(
        sb.ModelError, match="cost 'time' falls with the duration, which has no upper bound; give duration="
    ):
        problem.solve()


def test_rates_of_inputs_in_costs():
    """A cost of the rate may be stated before the rate; the rate of a variable is that of the equations."""
    pytest.importorskip("casadi", reason="casadi is not installed (pip install casadi)")
    x, F = sb.symbols("x F", kind="variable")
    problem = motions.Problem("drift")
    go = problem.phase("go", sb.from_equations({x: 2 * F}, inputs=[F]), 1.0).start(x=0, F=0).end(x=1)
    go.cost("smooth", integral=F.dot**2).cost("speed", integral=x.dot**2, weight=0.0).rates(F=(-9, 9))
    motion = problem.solve(4)  # F'' = const: F = 3/2 (t - t²/2)
    assert motion.objective == pytest.approx(0.75)
    assert motion.values(x.dot, "go") == pytest.approx(2 * motion["F"])


def test_strange_expressions_of_a_motion():
    pytest.importorskip("casadi", reason="casadi is not installed (pip install casadi)")
    problem, push, F = cart()
    motion = push.start(x=0, v=0).end(x=1).cost("effort", integral=F**2) and problem.solve(2)
    with pytest.raises(sb.ModelError, match="values in 'push': there is no variable 'G'"):
        motion.plot(sb.symbol("G"))
    with pytest.raises(sb.ModelError, match="there is no phase 'puhs'"):
        motion.input_samples("puhs")


def test_feedback_along_a_motion_that_was_not_found():
    pytest.importorskip("casadi", reason="casadi is not installed (pip install casadi)")
    problem, push, F = cart()
    push.start(x=0, v=0).end(x=9).bounds(F=(-1, 1)).cost("effort", integral=F**2)
    with pytest.raises(sb.errors.StudyError, match="there is no motion to follow: infeasible"):
        problem.solve(3).feedback()


def test_numbers_with_units():
    """In ranges, guesses and durations, of the dimension of what they are given for."""
    m = sb.Model("pendulum")
    m.revolute("a", m.ground, m.body("bob", mass=1, com=(0, -1, 0)), actuation=m.input("tau"))
    problem = motions.Problem("pendulum")
    swing = problem.phase("swing", sb.derive(m), ("500 ms", "2 s")).start(a="90 deg").end(a=(0, "180 deg"))
    swing.bounds(a=((-90, "deg"), None)).guess(a=["0 deg", (90, "deg")])
    ranges = [{s.name: r for s, r in swing.ranges[k].items()} for k in ("start", "end", "path")]
    assert ranges == [{"a": (np.pi / 2, np.pi / 2)}, {"a": (0, np.pi)}, {"a": (-np.pi / 2, np.inf)}]
    assert list(swing.duration_range) == [0.5, 2]
    assert list(next(iter(swing.guesses.values()))) == pytest.approx([0, np.pi / 2])
    with pytest.raises(sb.ModelError, match="swing', start, a: 3 kg is in kg, expected rad"):
        swing.start(a="3 kg")
    with pytest.raises(sb.ModelError, match=r"a: expected a number or a pair \(low, high\), got True"):
        swing.start(a=True)


def test_active_statements():
    """Paths, integrals, durations and chosen parameters that hold back the motion, beside bounds of variables; each
    with its price, by differences."""
    pytest.importorskip("casadi", reason="casadi is not installed (pip install casadi)")

    def solved(work=0.25, longest=3.0, lightest=1.0, push_limit=0.9):
        x, v, F = sb.symbols("x v F", kind="variable")
        k = sb.symbol("k")
        problem = motions.Problem("cart")
        push = problem.phase("push", sb.from_equations({x: v, v: F / k}, {k: 1.5}, inputs=[F]), (1, longest))
        push.start(x=0, v=0).end(x=1).path("limit", F, high=push_limit).integral("loss", v**2, (work, None))
        problem.choose(k=(lightest, 2.0))
        return push.cost("effort", integral=F**2 + (1 - v) ** 2) and problem.solve(20, tolerance=1e-10)

    motion, h = solved(work=0.5), 1e-4
    prices = {(a.name, a.side): a.price for a in motion.active}
    assert {"duration", "k"} & {name for name, _ in prices}
    for changes in ({"longest": 3.0}, {"lightest": 1.0}, {"push_limit": 0.9}, {"work": 0.5}):
        ((key, value),) = changes.items()
        rate = (
            solved(**{"work": 0.5, key: value + h}).objective - solved(**{"work": 0.5, key: value - h}).objective
        ) / (2 * h)
        name = {
            "longest": ("duration", "upper"),
            "lightest": ("k", "lower"),
            "push_limit": ("path 'limit'", "upper"),
            "work": ("integral 'loss'", "lower"),
        }[key]
        assert prices.get(name, 0.0) == pytest.approx(rate, abs=2e-3), (key, prices)


def test_phase_that_cannot_be_entered():
    problem, push, _ = cart()
    push.end(x=1)
    rest = problem.phase("rest", push.equations, 1.0).start(x=(2, 3))
    with pytest.raises(sb.ModelError, match=r"'rest' cannot be entered: x is 1 at the end of 'push', and 2 to 3"):
        problem.link(push, rest)


def test_start_beside_the_constraints():
    m = sb.Model("bead")
    x, y = m.coordinates("x y")
    m.particle("bead", m.ground.point(x, y, 0), mass=1)
    m.constrain("ring", x**2 + y**2 - 1)
    problem = motions.Problem("bead")
    problem.phase("go", sb.derive(m), 1.0).start(x=1, y=1, x_dot=0, y_dot=0)
    with pytest.raises(sb.ModelError, match=r"cannot be entered: .* 'ring' is 1 instead of 0"):
        problem.transcription()


def test_contradiction_is_named():
    """Too far for the force: the outcome names what belongs to the contradiction, and nothing else."""
    pytest.importorskip("casadi", reason="casadi is not installed (pip install casadi)")
    problem, push, F = cart()
    push.start(x=0, v=0).end(v=0).bounds(F=(-1, 1), v=(-50, 50)).condition("distance", "x", 5.0).cost(
        "effort", integral=F**2
    )
    push.path("power", F * push.equations.state[1], high=1e3)
    motion = problem.solve(10)
    assert not motion.outcome
    assert motion.outcome.startswith("infeasible near this guess: these contradict each other:")
    told = motion.outcome.partition("contradict each other: ")[2]
    assert told == "phase 'push': condition 'distance' at the end; start (x, v); end (v); bounds (F)"
    assert "The search found no optimum" in motion.page()
    assert "<th>price</th>" not in motion.page()


def test_unbounded_motion_is_named():
    pytest.importorskip("casadi", reason="casadi is not installed (pip install casadi)")
    problem, push, _ = cart()
    push.start(x=0, v=0).cost("away", end="-x")
    with pytest.raises(sb.ModelError, match="the cost falls without bound along x, v, F; give bounds, or squares"):
        problem.solve(5)
    push.bounds(F=(-1, 2))
    assert problem.solve(5).objective == pytest.approx(-1.0)


def test_search_does_not_end_at_a_maximum():
    """At a guess of zeros, slopes of -x² are zero; with bounds the motion goes as far as it can."""
    pytest.importorskip("casadi", reason="casadi is not installed (pip install casadi)")
    problem, push, _ = cart()
    push.start(x=0, v=0).cost("away", integral="-x^2")
    motion = problem.solve(5, max_iterations=200)
    assert not motion.outcome
    assert motion.outcome.startswith("unbounded: x, v, F grow")
    push.bounds(F=(-1, 1))
    assert abs(problem.solve(5)["x"][-1]) == pytest.approx(0.5)


def test_statements_in_text():
    """In the language of model files; unknown names are marked."""
    _, push, _ = cart()
    push.path("power", "F * v / 2", high=1).cost("time", end="t").cost("effort", integral="F^2 + sin(x)")
    assert str(push.paths[0].expression) == "F*v/2"
    assert [str(c.expression) for c in push.costs] == ["t", "F**2 + sin(x)"]
    with pytest.raises(sb.ModelError, match=r"cost 'more': there is no 'k'; there are pi, t, x, v, F"):
        push.cost("more", integral="k * x")
    with pytest.raises(sb.ModelError, match=r"cost 'more': there is no variable or output 'k'; there are x, v, F"):
        push.cost("more", integral="k")


def test_phases_with_nothing_in_common_are_refused():
    problem, push, _ = cart()
    rest = problem.phase("rest", push.equations, 1.0)
    with pytest.raises(sb.ModelError, match="phase 'push': has nothing in common with 'rest'; link them"):
        problem.transcription()
    problem.link(push.end(x=1), rest)
    assert problem.transcription().links
    rest.start(x=2)
    with pytest.raises(
        sb.ModelError, match="'rest' cannot be entered: x is 1 at the end of 'push', and 2 at the start"
    ):
        problem.transcription()


def test_costs_without_derivatives_are_named():
    pytest.importorskip("casadi", reason="casadi is not installed (pip install casadi)")
    problem, push, _ = cart()
    push.start(x=0, v=0).end(x=1, v=0).cost("root", integral="sqrt(F)")
    told = "the derivative of the cost with respect to F had no value there; guess other values"
    assert told in problem.solve(4).outcome
    problem, push, _ = cart()
    push.start(x=0, v=0).end(x=1, v=0).cost("fuel", integral="abs(F)").bounds(F=(-10, 10))
    assert kinked_statements([push]) == ["cost 'fuel'"]
    motion = problem.solve(10, max_iterations=60)  # which some versions of IPOPT may find all the same
    assert motion.outcome or "cost 'fuel' has a kink" in motion.outcome


@pytest.mark.parametrize("is_twice", [True, False])
def test_equations_that_depend_on_each_other_are_named(is_twice):
    """The middle of the ends is the mean of both: three conditions, of which two are enough."""
    problem, push, F = cart()
    x = push.equations.state[0]
    push.start(v=0).end(v=0).cost("effort", integral=F**2).condition("from", x, 0.0, at="start").condition("to", x, 1.0)
    rest = problem.phase("rest", push.equations, 1.0).cost("effort", integral=F**2)
    problem.link(push, rest)
    if is_twice:
        rest.condition("begin", 2 * x, 2.0, at="start")
    made = problem.transcription(4)
    told = dependent_statements(made, made.guess + 0.1)
    expected = [
        "phase 'push': condition 'to' at the end",
        "phase 'rest': condition 'begin' at the start; x at the start, after 'push'",
    ]
    assert [sorted(t.partition(": ")[2].split("; ")) for t in told] == (
        [sorted(t.partition(": ")[2].split("; ")) for t in expected] if is_twice else []
    )

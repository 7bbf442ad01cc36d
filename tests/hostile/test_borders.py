"""What crosses the borders of threads and processes: errors, and everything that stages hand to each other."""

import multiprocessing
import pickle
import threading
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import pytest

import symbody as sb

x = sb.symbol("x")


def reluctant(v: float) -> float:
    if v < 0:
        raise ArithmeticError(f"not for {v}")
    return 2 * v


@pytest.mark.parametrize("how", ["call", "batch"])
def test_exceptions_of_external_functions_stay_in_their_thread(how):
    """Good calls give numbers and bad ones raise, however many run at once; each bad call raises its own exception."""
    f = sb.compile(sb.program("f", {"x": x}, {"y": sb.algebra.ExternalFunction("g", 1, python=reluctant)(x) + 1}))
    wrong: list[object] = []

    def many(k: int) -> None:
        v = float(k + 1) * (-1) ** k
        for _ in range(300):
            try:
                y = f(v) if how == "call" else float(f.batch([v])[0])
                if v < 0 or y != 2 * v + 1:
                    wrong.append((v, y))
            except ArithmeticError as reason:
                if v > 0 or str(reason) != f"not for {v}":
                    wrong.append((v, reason))

    threads = [threading.Thread(target=many, args=(k,)) for k in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert wrong == []


def test_exceptions_in_a_batch_over_many_threads():
    f = sb.compile(sb.program("f", {"x": x}, {"y": sb.algebra.ExternalFunction("g", 1, python=reluctant)(x) + 1}))
    values = [1.0] * 5000 + [-3.0] + [1.0] * 5000
    with pytest.raises(ArithmeticError, match="not for -3"):
        f.batch(values, threads=4)
    assert f.batch([1.0] * 5000, threads=4)[0] == 3.0


# ---------------------------------------------------------------------------------------------------- processes


def pendulums(n: int = 2) -> sb.Model:
    m = sb.Model("chain")
    m.gravity(0, -m.parameter("g", 9.81), 0)
    m.parameter("c", 0.1)
    parent: Any = m.ground
    at = (0, 0, 0)
    for k in range(n):
        link = m.body(f"link {k}", mass=1 + k, com=(0, -0.5, 0), inertia=(0.1, 0.05, 0.1))
        m.revolute(f"q{k}", parent, link, at=at, axis="zx"[k % 2], damping=sb.symbol("c"))
        parent, at = link, (0, -1, 0)
    m.generalized_force("push", sb.symbol("q0", "coordinate"), m.input("F"))
    m.output("tip", parent.mass_centre.position().dot(m.ground.x))
    return m


def everything() -> dict[str, Any]:
    m = pendulums()
    eq = sb.derive(m)
    sim = sb.simulate(eq, 0.5, q0=1, inputs={"F": sb.sin(sb.symbol("t", "time"))})
    steady = sb.steady(eq)
    lin = sb.linearize(eq, steady)
    return {
        "Model": m, "Mechanism": eq.mechanism, "Equations": eq, "Trajectory": sim, "State": sb.State.of(eq, {"q0": 1, "F": 0}),
        "SteadyMotion": steady, "LinearSystem": lin, "Program": sb.program("f", {"q": eq.q, "p": eq.p}, {"M": eq.M}),
        "Compiled": sb.compile(sb.program("f", {"q": eq.q, "p": eq.p}, {"M": eq.M})), "Dynamics": sb.compile(eq), "Expr": eq.M[0, 0], "Condition": eq.M[0, 0] < 1,
        "Matrix": eq.M, "Vector": m.bodies["link 1"].mass_centre.position(), "Frame": m.bodies["link 1"].frame, "Body": m.bodies["link 1"],
        "Audit": sb.audit(m), "Certificate": sb.certify(eq), "Spectrum": lin.modes(), "Reaction": sb.reaction(eq, "q1"), "ModelFile": sb.study.read_model_text("symbody: 1\n"),
    }  # fmt: skip


def numbers(things: dict[str, Any]) -> dict[str, object]:
    """What another process computes with what it was given."""
    eq, f = things["Equations"], things["Dynamics"]
    at = eq.values(otherwise=0.3)
    state = (0.0, [0.1, 0.2], [0.3, 0.4], [0.0], f.p)
    return {
        "derived": [sb.evaluate(e, at) for thing in ("Model", "Mechanism") for e in sb.derive(things[thing]).f.entries],
        "equations": [sb.evaluate(e, at) for e in (*eq.M.entries, *eq.f.entries, things["Expr"], *things["Matrix"].entries)],
        "dynamics": f.udot(*state).tolist(),
        "compiled": things["Compiled"]([0.1, 0.2], f.p).tolist(),
        "simulated": float(sb.simulate(eq, 0.5, q0=1, inputs={"F": 0})["q1"][-1]),
        "trajectory": [float(things["Trajectory"][name][-1]) for name in ("q0", "q1", "q0_dot")] + [float(things["Trajectory"].energy[-1])],
        "eigenvalues": [complex(e) for e in things["LinearSystem"].eigenvalues()],
        "same nodes": things["Expr"] is eq.M[0, 0] and things["Matrix"].entries[0] is eq.M[0, 0],
        "reprs": {k: repr(v) for k, v in things.items()},
    }  # fmt: skip


def test_everything_of_the_waist_crosses_into_a_fresh_process():
    """What is computed there is what is computed here, to the last bit, and equal expressions are one object there
    too."""
    things = everything()
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        assert pool.submit(numbers, things).result(timeout=120) == numbers(things)


@pytest.mark.parametrize(
    "name", ["motorcycle", "slider_crank", "satellite", "triple_pendulum", "string_with_particles"]
)
def test_models_of_the_library(name):
    """Equations in a pickle are those that were pickled: node by node, in the same process."""
    eq = sb.derive(sb.study.find_model(name).model)
    again = pickle.loads(pickle.dumps(eq))
    assert again.mechanism is not eq.mechanism
    assert all(
        a is b for a, b in zip((*again.M.entries, *again.f.entries), (*eq.M.entries, *eq.f.entries), strict=True)
    )
    assert (again.q, again.u, again.p, again.name) == (eq.q, eq.u, eq.p, eq.name)


def test_deep_graphs_and_long_chains():
    """No recursion: a sum nested 100 000 deep, and a chain of 200 bodies."""
    e = x
    for _ in range(100_000):
        e = sb.sin(e)
    assert pickle.loads(pickle.dumps(e)) is e
    mechanism = pendulums(200).freeze()
    again = pickle.loads(pickle.dumps(mechanism))
    assert len(again.bodies[-1].frame.path) == len(mechanism.bodies[-1].frame.path)


def test_caches_stay_behind():
    eq = sb.derive(pendulums())
    small = len(pickle.dumps(eq))
    sb.simulate(eq, 0.1, q0=1, inputs={"F": 0})
    assert len(pickle.dumps(eq)) <= 1.2 * small


ERRORS = [
    sb.errors.ModelFileError("there is no body 'a'", "model.yaml", 3, 5, "  b: {on: a}", 2),
    sb.errors.ExpressionTextError("syntax error", "1 +* 2", 3),
    *(kind("what is wrong") for kind in vars(sb.errors).values() if isinstance(kind, type) and issubclass(kind, sb.SymbodyError) and kind.__name__ not in ("ModelFileError", "ExpressionTextError")),
]  # fmt: skip


@pytest.mark.parametrize("error", ERRORS, ids=lambda e: type(e).__name__)
def test_errors_are_pickled(error):
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))


def refused() -> None:
    sb.study.read_model_text("symbody: 1\nbodies: {a: {mass: -}}\n", "bad.yaml")


def test_errors_of_a_worker_arrive():
    """A pool that cannot read the answer of its worker waits for ever."""
    with (
        ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool,
        pytest.raises(sb.errors.ModelFileError) as caught,
    ):
        pool.submit(refused).result(timeout=60)
    assert (caught.value.file, caught.value.line) == ("bad.yaml", 2)


# -------------------------------------------------------------------------------------------- inputs that are functions


def road(t: float) -> tuple[float, float]:
    return 0.1 * t * t, 0.2 * t


def quarter_car() -> sb.Equations:
    m = sb.Model("quarter car")
    z, w = m.coordinate("z"), m.input("w")
    m.particle("body", m.ground.point(0, 0, z), mass=300)
    m.generalized_force("strut", z, -2e4 * (z - w) - 1500 * (z.dot - w.dot))
    return sb.derive(m)


def end_of(eq: sb.Equations) -> dict[str, float]:
    return sb.simulate(eq, 0.5, z=0.1).final


TIMES = [0.0, 0.1, 0.25, 0.4, 0.5]
LAWS = {
    "cubic": (TIMES, [0.0, 0.1, -0.1, 0.0, 0.2]),
    "linear": (TIMES, [0.0, 0.1, -0.1, 0.0, 0.2], "linear"),
    "python": road,
    "expression": sb.sin(sb.symbol("t", "time")),
}


def test_equations_with_laws_cross_into_a_fresh_process():
    """Samples are machine code here, at an address that means nothing there: they cross by their numbers."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        for name, law in LAWS.items():
            eq = _without_damper(law) if name == "linear" else sb.closed_loop(quarter_car(), {"w": law})
            assert pool.submit(end_of, eq).result(timeout=120) == end_of(eq), name
            again = pickle.loads(pickle.dumps(eq))
            assert name == "python" or again.f[0] is eq.f[0], "equal expressions are one object"


def _without_damper(law: object) -> sb.Equations:
    """Straight lines have no rates that equations could contain."""
    m = sb.Model("body on a spring")
    z, w = m.coordinate("z"), m.input("w")
    m.particle("body", m.ground.point(0, 0, z), mass=300)
    m.generalized_force("strut", z, -2e4 * (z - w))
    return sb.closed_loop(sb.derive(m), {"w": law})


def test_a_machine_address_is_not_pickled():
    """Called in another process it would be anything."""
    made = sb.algebra.ExternalFunction("g", 1, address=12345)(x)
    with pytest.raises(sb.errors.ExpressionError, match="machine address only"):
        pickle.dumps(made)
    both = pickle.loads(pickle.dumps(sb.algebra.ExternalFunction("g", 1, python=reluctant, address=12345)(x)))
    assert both.data.address is None
    assert sb.evaluate(both, {"x": 2.0}) == 4.0

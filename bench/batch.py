"""Batches of states and of motions on the cores of this computer.

Functions: nanoseconds for one state in repeated calls of machine code (`scalar_ns`), in calls from Python (`python_ns`),
and for one state of a batch, on one core and on all cores. `lanes` is scalar_ns / one_core_ns, and `cores_and_lanes` is
scalar_ns / all_cores_ns; the same follows in single precision. Results are written to existing arrays. All cores share
262 144 states, or the 4096 states of the batch on one core (`few_on_all_cores_ns`).

Motions: microseconds for one motion by `simulate` (`scalar_us`), for each member of a batch on one core, and on all
cores. Times of one core are CPU times, measured alternately; times of all cores are wall-clock times.

`before_...` were measured by the same calls before batches turned rows over in registers and kept their threads, and
before motions were integrated without Python in between, on a machine with two cores (AMD EPYC, AVX-512).
"""

from __future__ import annotations

import importlib.util
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

import symbody as sb
from symbody.emit.run.loop_callee import LoopCallee, program_callee
from symbody.emit.run.workers import cores

from .gpu import system
from .overhead import again
from .timing import Row, alternately, repeated, warm_up

STATES: Final = 4096
EXPENSIVE: Final = 63  # members of a step that one thread takes
ON_ALL_CORES: Final = 64  # times as many
CASES: Final = ("panda", "anymal_b", "bicycle", "spatial crank")
BEFORE_ONE_CORE: Final = {"panda": 48.0, "anymal_b": 138.0, "bicycle": 90.0, "spatial crank": 130.0}  # ns


MEMBERS: Final = 10_000
BEFORE_MEMBER_US: Final = 865.0  # CPU time of a double pendulum over 1 s


def rows(quick: bool = False) -> Iterator[Row]:
    for name in CASES:
        yield function_row(name)
    yield motion_row(1000 if quick else MEMBERS)
    yield from step_rows()
    yield from cart_pole_rows()


def step_rows() -> Iterator[Row]:
    """Steps of a stepper: one from Python (`python_us`), one of many on one core (`one_core_us`), and one with its
    derivatives with respect to the state (`derivatives_us`)."""
    pendulum = sb.derive(sb.read_model("double_pendulum").mechanism)
    for method in ("rk4", "implicit-midpoint", "sdirk3"):
        yield step_row(f"double pendulum: a step of {method}", sb.stepper(pendulum, 0.01, q1=0.3, method=method))
    m = sb.Model("box")
    m.gravity(0, 0, -9.81)
    body = m.body("box", mass=2.0, inertia=(0.04, 0.06, 0.08))
    m.free("b", m.ground, body, sequence="euler parameters")
    floor, corners = sb.HalfSpace(m.ground), sb.corners(body, (0.4, 0.3, 0), at=(0, 0, -0.1))
    feet = [sb.Contact(f"foot{k}", sb.touch(c, floor), friction=0.4) for k, c in enumerate(corners)]
    sliding = sb.stepper(sb.Contacts(sb.derive(m), *feet), 1e-3, b_z=0.1 - 1e-4, b_x_dot=1.0)
    yield step_row("box sliding on four corners: a step of moreau", sliding)


def step_row(case: str, env: sb.integrate.Stepper) -> Row:
    start, part = env.start, np.tile(env.start, (EXPENSIVE, 1))
    warm_up(lambda: (env.step(part), env.step(start), env.derivatives(start, wrt=("x",))))
    return {
        "case": case,
        "python_us": round(repeated(lambda: [env.step(start) for _ in range(1000)], 10).least * 1e3, 2),
        "one_core_us": round(repeated(lambda: env.step(part), 20, clock=time.process_time).least / len(part) * 1e6, 3),
        "derivatives_us": round(
            repeated(lambda: [env.derivatives(start, wrt=("x",)) for _ in range(100)], 10).least * 1e4, 2
        ),
    }


CART_POLES: Final = 1024


def cart_pole_rows() -> Iterator[Row]:
    """A step of rk4 of many cart-poles with an action for each: by a stepper and by an environment, which observes, rewards
    and begins anew; beside it the same step of the exported JAX function, `jit` of `vmap`. `all_cores_us` on the clock,
    `one_core_us` CPU time, both for all members; `ratio`: time of JAX on the clock to this one."""
    m = sb.Model("cart and pole")
    x, theta = m.coordinates("x theta")
    m.gravity(0, -9.81, 0)
    m.particle("cart", m.ground.point(x, 0, 0), mass=1.0)
    m.particle("pole", m.ground.point(x + 0.5 * sb.sin(theta), 0.5 * sb.cos(theta), 0), mass=0.1)
    m.generalized_force("push", x, m.input("F"))
    eq, h = sb.derive(m), 0.02
    stepper = sb.stepper(eq, h)
    env = sb.environment(
        stepper, CART_POLES, observation=[x, x.dot, sb.sin(theta), sb.cos(theta), theta.dot], reward=sb.cos(theta),
        ends=abs(x) > 2.4, start={theta: (-0.1, 0.1)}, actions={"F": (-10, 10)},
    )  # fmt: skip
    env.reset(seed=1)
    states, actions = env.states.copy(), np.zeros((CART_POLES, 1))
    ways = {"stepper": lambda: stepper.step(states, actions), "environment": lambda: env.step(actions)}
    jax_step = exported_to_jax(eq, h, states, actions)
    theirs = None if jax_step is None else wall(jax_step)
    for name, run in ways.items():
        warm_up(run)
        all_cores = wall(run, 300)
        yield {
            "case": f"{CART_POLES} cart-poles: a step, {name}",
            "one_core_us": round(repeated(run, 50, clock=time.process_time).least * 1e6, 1),
            "all_cores_us": round(all_cores * 1e6, 1),
            "jax_us": None if theirs is None else round(theirs * 1e6, 1),
            "ratio": None if theirs is None else round(theirs / all_cores, 2),
        }


def exported_to_jax(eq: sb.Equations, h: float, states: Any, actions: Any) -> Callable[[], Any] | None:
    """A step of rk4 of all states by `write.jax`, in double precision, if JAX is installed."""
    try:
        import jax
    except ImportError:
        return None
    jax.config.update("jax_enable_x64", True)
    with tempfile.TemporaryDirectory() as folder:
        (source,) = sb.write.jax(eq, folder).rglob("*_jax.py")
        spec = importlib.util.spec_from_file_location("exported", source)
        assert spec is not None
        assert spec.loader is not None
        made = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(made)
    p = made.default_parameters()

    def step(x: Any, r: Any) -> Any:
        (after,) = sb.integrate.Tableau.named("rk4").step(lambda t, y: [made.rhs(t, y[0], r, p)], 0.0, [x], h)
        return after

    of_all, x, r = jax.jit(jax.vmap(step)), jax.numpy.asarray(states), jax.numpy.asarray(actions)
    return lambda: of_all(x, r).block_until_ready()


def motion_row(members: int) -> Row:
    """Double pendulums over 1 s, with states at 11 times."""
    eq = sb.derive(sb.read_model("double_pendulum").mechanism)
    times, starts = np.linspace(0, 1, 11), np.random.default_rng(0).uniform(-1, 1, members)
    warm_up(lambda: sb.simulate_batch(eq, times, q1=starts, threads=1))
    warm_up(lambda: sb.simulate(eq, times, q1=0.5, progress=False))
    few = repeated(lambda: sb.simulate_batch(eq, times, q1=starts, threads=1), 3, clock=time.process_time).least
    alone = repeated(lambda: sb.simulate(eq, times, q1=0.5, progress=False), 3).least
    batch = sb.simulate_batch(eq, times, q1=starts)
    return {
        "case": "double pendulum: 1 s of motion",
        "members": members,
        "scalar_us": round(alone * 1e6, 2),
        "one_core_us": round(few / members * 1e6, 2),
        "all_cores_us": round(wall(lambda: sb.simulate_batch(eq, times, q1=starts), 3) / members * 1e6, 2),
        "failed": len(batch.failed),
        "before_one_core_us": BEFORE_MEMBER_US,
        "ratio": round(BEFORE_MEMBER_US / (few / members * 1e6), 1),
    }


def function_row(name: str) -> Row:
    s = system(name)
    f = sb.compile(s.equations, bake=s.bake).udot
    groups = [g.name for g in f.program.inputs]
    one: dict[str, Any] = {g: 0.0 if g == "t" else s.groups[g][0].copy() for g in groups}
    many = [0.0 if g == "t" else np.resize(s.groups[g], (STATES, s.groups[g].shape[1])) for g in groups]
    out = np.empty((STATES, len(s.equations.u)))
    held = {g: x for g, x in one.items() if g not in ("t", "q", "u")}
    loop = LoopCallee(
        again, {}, times=100, q=one["q"], u=one["u"], out=np.zeros(out.shape[1]), f=program_callee(f, held)
    )
    in_single, single_out = [np.asarray(x, np.float32) for x in many], np.empty(out.shape, np.float32)
    times = alternately(
        {
            "scalar": loop.run,
            "one core": lambda: f.batch(*many, threads=1, out=out),
            "single": lambda: f.batch(*in_single, threads=1, out=single_out, real="float"),
        }
    )
    scalar, one_core, single = times["scalar"] / 100, times["one core"] / STATES, times["single"] / STATES
    lots = [x if np.ndim(x) == 0 else np.tile(x, (ON_ALL_CORES, 1)) for x in many]
    large = np.empty((STATES * ON_ALL_CORES, out.shape[1]))
    all_cores = wall(lambda: f.batch(*lots, out=large)) / len(large)
    return {
        "case": f"{name}: forward dynamics",
        "states": STATES,
        "scalar_ns": _ns(scalar),
        "python_ns": _ns(repeated(lambda: f(*one.values())).least),
        "one_core_ns": _ns(one_core),
        "lanes": round(scalar / one_core, 2),
        "single_ns": _ns(single),
        "single_lanes": round(scalar / single, 2),
        "cores": cores(),
        "all_cores_ns": _ns(all_cores),
        "cores_and_lanes": round(scalar / all_cores, 2),
        "few_on_all_cores_ns": _ns(wall(lambda: f.batch(*many, out=out)) / STATES),
        "before_one_core_ns": BEFORE_ONE_CORE[name],
    }


def wall(act: Callable[[], Any], repeats: int = 30) -> float:
    """The least time on the clock."""
    act()
    found = []
    for _ in range(repeats):
        begun = time.perf_counter()
        act()
        found.append(time.perf_counter() - begun)
    return min(found)


def _ns(seconds: float) -> float:
    return round(seconds * 1e9, 1)

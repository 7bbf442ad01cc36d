"""Generated dynamics and whole motions on an NVIDIA GPU: values against this computer's in double precision, then
throughput.

Arrays stay on the card, as rows of states and as columns. `bound_states_per_s` is what the card's arithmetic (an
addition or a multiplication of the program as half of a fused one) or its memory (every input and output once) allows,
whichever is less; both ceilings are measured in the same run. Peers compute forward dynamics of the same robots on the
same card: MuJoCo's engines store more than accelerations.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np

import symbody as sb
from symbody.emit.run.cuda_driver import cuda

from . import ours, robots
from .gpu_ceilings import Ceilings, ceilings, seconds
from .limits import Limit, StoppedError
from .linked_biped import standing_biped
from .standing_robot import solo_file, standing, trotting
from .timing import Row, fresh

Array = Any
REALS: Final = ("float", "double")
STATES: Final = 1 << 22
MEMBERS: Final = 1 << 20
MARCHED: Final = 1 << 18
CHECKED: Final = 2048
STEP: Final = 1e-3
CASES: Final = ("panda", "anymal_b", "bicycle", "spatial crank", "chain30")
MOTIONS: Final = ("panda", "anymal_b", "bicycle", "spatial crank")
CONTACT_MEMBERS: Final = 1 << 16
GAITS: Final = ("stands", "trots")
MJX_CONTACT_STEPS: Final = 4.455e6  # steps/s of 65536 members, single precision, elliptic cone, at most four iterations
LIMIT: Final = Limit(600.0, 1e6)  # drivers reserve addresses for far more memory than they use
PEERS: Final = {"panda": ("jax_recursion", "mjx", "mujoco_warp"), "anymal_b": ("mjx", "mujoco_warp")}


@dataclass(frozen=True)
class System:
    """Equations with numbers for their parameters, and random states: groups of inputs by name, and whole states on the
    constraints."""

    equations: sb.Equations
    bake: dict[str, float]
    groups: dict[str, Array]

    @property
    def y(self) -> Array:
        return np.hstack([self.groups["q"], self.groups["u"]])


@cache
def system(name: str) -> System:
    if name in robots.CASES:
        case = robots.CASES[name]
        s, order = robots.states(case, CHECKED, seed=1), ours.Order(case)
        groups = {"q": s.q[:, order.q], "u": s.u[:, order.u], "r": s.tau[:, order.r]}
        return System(ours.equations(case), {}, groups)
    example = importlib.import_module(f"examples.{name.replace(' ', '_')}")
    eq = sb.derive(example.model(), check=False)
    start, draw = eq.values(example.START, otherwise=0), np.random.default_rng(3)
    bake = {s.name: float(v) for s, v in eq.variables.of("p").defaults.items()}
    near = {g: np.array([float(start[s]) for s in getattr(eq, g)]) for g in "qu"}
    groups = {g: x + draw.uniform(-0.05, 0.05, (CHECKED, len(x))) for g, x in near.items()}
    return System(eq, bake, groups)


def rows(quick: bool = False) -> Iterator[Row]:
    cuda()
    yield first_result()
    limits = ceilings()
    for name in CASES[: 4 if quick else None]:
        for real in REALS:
            for layout in LAYOUTS:
                yield from with_peers(name, real, function_row(name, real, limits, layout))
    for name in MOTIONS:
        for real in REALS:
            yield motion_row(name, real, limits)
    for real in REALS:
        yield march_row(real, limits)
    for gait in GAITS if solo_file() else ():
        for real in REALS:
            yield contact_row(gait, real)
    for real in REALS:
        yield biped_row(real)
        if solo_file():
            yield from gradient_rows(real)
            yield environment_row(real)


# ---------------------------------------------------------------------------------------------------- functions


def function_row(name: str, real: str, limits: Ceilings, layout: str = "rows") -> Row:
    s = system(name)
    f = sb.compile(s.equations, target="cuda", real=real, bake=s.bake).udot
    groups = [g.name for g in f.program.inputs]
    exact = sb.compile(s.equations, bake=s.bake).udot.batch(*(s.groups.get(g, 0.0) for g in groups))
    laid_out = LAYOUTS[layout]
    given = [0.0 if g == "t" else laid_out(s.groups[g], CHECKED, real) for g in groups]
    error = relative_error(f(*given).numpy(), exact)
    many = [0.0 if g == "t" else laid_out(s.groups[g], STATES, real) for g in groups]
    out = laid_out(np.zeros((1, len(s.equations.u))), STATES, real)
    time = seconds(f.prepared(*many, out=out))
    numbers = sum(len(g) for g in f.program.inputs if not g.is_scalar) + len(s.equations.u)
    bound = limits.states_per_s(real, f.program.cost.total, numbers)
    return row(f"{name}, {layout}", real, STATES, STATES / time, error, bound, list(f.kernels.values())[-1])


def _rows(numbers: Array, count: int, real: str) -> Any:
    return sb.emit.device_array(np.resize(numbers, (count, numbers.shape[1])), real)


def _columns(numbers: Array, count: int, real: str) -> Any:
    """The same with the first number of all states first, then the second, and so on."""
    return Columns(sb.emit.device_array(np.resize(numbers, (count, numbers.shape[1])).T, real))


class Columns:
    """An array whose columns lie one after the other, as `x.T.contiguous().T` does in other packages."""

    def __init__(self, turned: sb.emit.DeviceArray) -> None:
        described, size = turned.__cuda_array_interface__, turned.dtype.itemsize
        self.held = turned
        self.__cuda_array_interface__ = described | {
            "shape": turned.shape[::-1],
            "strides": (size, size * turned.shape[1]),
        }


LAYOUTS: Final = {"rows": _rows, "columns": _columns}


def row(case: str, real: str, n: int, rate: float, error: float, bound: float, kernel: Any) -> Row:
    return {
        "case": case, "real": real, "n": n, "states_per_s": rate, "error": error, "bound_states_per_s": bound, "peer": None,
        "peer_states_per_s": None, "ratio": None, "registers": kernel.registers, "local_bytes": kernel.local_bytes,
    }  # fmt: skip


def relative_error(got: Array, exact: Array) -> float:
    """The largest error of a state in units of its largest number."""
    if not np.all(np.isfinite(got)):
        return float("nan")
    return float((np.abs(got - exact).max(1) / np.abs(exact).max(1)).max())


# ---------------------------------------------------------------------------------------------------- motions


def motion_row(name: str, real: str, limits: Ceilings, method: str = "rk4") -> Row:
    """Steps of Runge-Kutta's method, with a projection after each where there are constraints; compared after 20
    steps."""
    s, few, steps = system(name), 16, 20
    run = sb.integrate.cuda_motions(s.equations, STEP, method=method, real=real)
    starts, inputs = _starts(s, few)
    exact = np.stack([_simulated(s, y, r, steps, method) for y, r in zip(starts, inputs, strict=True)])
    given: dict[str, Any] = {"parameters": sb.emit.device_array(inputs, real)} if inputs.shape[1] else {}
    got = run(sb.emit.device_array(starts, real), steps, **given)
    error = relative_error(got.y.numpy(), exact)
    many = np.resize(starts, (MEMBERS, starts.shape[1]))
    y = sb.emit.device_array(many, real)
    if given:
        given = {"parameters": sb.emit.device_array(np.resize(inputs, (MEMBERS, inputs.shape[1])), real)}
    steps = 20
    rate = MEMBERS * steps / seconds(lambda: run(y, steps, **given), repeats=3, at_least=0.0)
    assert isinstance(run, sb.integrate.FixedMotions)
    cost = run.cost_of_a_step
    kernel = run.loop.kernel(0)
    return row(f"{name}, {method} step", real, MEMBERS, rate, error, limits.states_per_s(real, cost, 0), kernel)


def _starts(s: System, count: int) -> tuple[Array, Array]:
    """States on the constraints, and inputs."""
    r = s.groups.get("r", np.zeros((CHECKED, 0)))[:count]
    if not s.equations.lam:
        return s.y[:count], r
    names = [x.name for x in (*s.equations.q, *s.equations.u)]
    found = [sb.assemble(s.equations, start=dict(zip(names, y, strict=True))) for y in s.y[: max(2, count // 8)]]
    return np.resize(np.stack([np.concatenate([f.q, f.u]) for f in found]), (count, len(names))), r


def _simulated(s: System, y: Array, r: Array, steps: int, method: str) -> Array:
    """The same steps on this computer."""
    eq = s.equations
    start = dict(zip([x.name for x in (*eq.q, *eq.u)], y, strict=True)) | dict(
        zip([x.name for x in eq.r], r, strict=True)
    )
    end = sb.simulate(eq, steps * STEP, start, method=method, step=STEP, progress=False)
    return np.concatenate([end.q[-1], end.u[-1]])


def march_row(real: str, limits: Ceilings) -> Row:
    """Steps of Dormand and Prince's method with step control, in motions of a triple pendulum over a second, each with
    steps of its own."""
    example, draw = importlib.import_module("examples.triple_pendulum"), np.random.default_rng(2)
    eq = sb.derive(example.model(), check=False)
    y, still = draw.uniform(-1, 1, (MARCHED, len(eq.state))), {s.name: 0.0 for s in eq.r}
    run = sb.integrate.cuda_motions(eq, real=real, rtol=1e-6 if real == "double" else 1e-4, inputs=still)
    starts = sb.emit.device_array(y, real)
    got = run(starts, 1.0)
    few = [dict(zip([s.name for s in eq.state], row, strict=True)) | still for row in y[:8]]
    ends = [sb.simulate(eq, 1.0, start, rtol=1e-6, method="dp5", progress=False) for start in few]
    error = relative_error(got.y.numpy()[:8], np.stack([np.concatenate([e.q[-1], e.u[-1]]) for e in ends]))
    steps = int(got.counts["steps"].numpy().sum())
    rate = steps / seconds(lambda: run(starts, 1.0), repeats=3, at_least=0.0)
    return row(
        "triple pendulum, dp5 step",
        real,
        MARCHED,
        rate,
        error,
        limits.states_per_s(real, 6 * run.cost_of_rates, 0),
        run.loop.kernel(0),
    )


def contact_row(gait: str, real: str) -> Row:
    """Moreau-Jean steps of Solo12 on four feet, exact friction cones, from states around its stand; after 20 steps beside
    this computer's. MJX's rate is one that was recorded on an H200: another robot of twelve hinges and four feet, its
    elliptic cone with four iterations."""
    begin = time.perf_counter()
    path = solo_file()
    assert path is not None
    contacts, start, laws = standing(path)
    laws = trotting(contacts) if gait == "trots" else laws
    run = sb.integrate.cuda_motions(contacts, STEP, real=real, inputs=laws)
    names = run.state_names
    settled = sb.simulate_modes(contacts, 0.5, start, inputs=laws, method="moreau", step=STEP)
    y = np.array([settled[n][-1] for n in names])
    many = np.tile(y, (CONTACT_MEMBERS, 1))
    draw = np.random.default_rng(4)
    many[:, names.index("base_z")] += 1e-3 * np.arange(CONTACT_MEMBERS) / CONTACT_MEMBERS
    many[1:, 7 + 12 :] += draw.uniform(-0.05, 0.05, (CONTACT_MEMBERS - 1, len(names) - 19))
    states = sb.emit.device_array(many, real)
    first = run(states, 20, t=0.5)
    errors, endings = [], first.endings()
    first_seconds = time.perf_counter() - begin
    for k in range(4):
        at = dict(zip(names, np.asarray(states.numpy()[k], dtype=float), strict=True))
        sim = sb.simulate_modes(contacts, [0.5, 0.5 + 20 * STEP], at, inputs=laws, method="moreau", step=STEP)
        exact = np.array([sim[n][-1] for n in names])
        errors.append(np.abs(first.y.numpy()[k] - exact).max() / np.abs(exact).max())
    steps = 400
    rate = CONTACT_MEMBERS * steps / seconds(lambda: run(states, steps, t=0.5), repeats=3, at_least=0.0)
    kernel = run.loop.kernel(0)
    made = row(f"Solo12 {gait}, Moreau step", real, CONTACT_MEMBERS, rate, float(max(errors)), float("nan"), kernel)
    failed = sum(e.name != "REACHED" for e in endings)
    return made | {
        "peer": "MJX 3.17, recorded", "peer_states_per_s": MJX_CONTACT_STEPS, "ratio": rate / MJX_CONTACT_STEPS, "failed": failed,
        "seconds": first_seconds, "bound_states_per_s": None,
    }  # fmt: skip


def biped_row(real: str) -> Row:
    """Steps of a biped with two loops, which stands on heels and toes; `loops`: the largest gap of a loop in 400 steps."""
    begin = time.perf_counter()
    contacts, start, laws = standing_biped()
    eq = contacts.base
    run = sb.integrate.cuda_motions(contacts, STEP, real=real, inputs=laws, outputs=list(eq.phi.entries))
    names = run.state_names
    settled = sb.simulate_modes(contacts, 0.5, start, inputs=laws, method="moreau", step=STEP)
    y = np.array([settled[n][-1] for n in names])
    many = np.tile(y, (CONTACT_MEMBERS, 1))
    many[:, names.index("base_z")] += 1e-3 * np.arange(CONTACT_MEMBERS) / CONTACT_MEMBERS
    states = sb.emit.device_array(many, real)
    first = run(states, 20, t=0.5)
    first_seconds, errors = time.perf_counter() - begin, []
    for k in (0, CONTACT_MEMBERS // 2, CONTACT_MEMBERS - 1):
        at = dict(zip(names, np.asarray(many[k], dtype=float), strict=True))
        sim = sb.simulate_modes(contacts, [0.5, 0.5 + 20 * STEP], at, inputs=laws, method="moreau", step=STEP)
        exact = np.array([sim[n][-1] for n in names])
        errors.append(np.abs(first.y.numpy()[k] - exact).max() / np.abs(exact).max())
    steps = 400
    rate = CONTACT_MEMBERS * steps / seconds(lambda: run(states, steps, t=0.5), repeats=3, at_least=0.0)
    found = run(states, steps, t=0.5, every=20)
    made = row(
        "biped with loops stands, Moreau step",
        real,
        CONTACT_MEMBERS,
        rate,
        float(max(errors)),
        float("nan"),
        run.loop.kernel(0),
    )
    failed = sum(e.name != "REACHED" for e in found.endings())
    loops = float(np.abs(found.samples.numpy()).max())
    return made | {"failed": failed, "seconds": first_seconds, "loops": loops, "bound_states_per_s": None}


def gradient_rows(real: str) -> Iterator[Row]:
    """Rollouts of Solo12 on four feet under its controller, from states around its stand, with small torques beside it, and
    their gradients by a reverse sweep, in steps a second of each; `error`: beside this computer's steps and gradients."""
    path = solo_file()
    assert path is not None
    contacts, start, laws = standing(path)
    motors = [r.name for r in contacts.base.r]
    extra = {n: laws[n] + sb.symbol(f"more_{n}", "input") for n in motors}
    driven = contacts.with_inputs(extra)[0]
    settled = sb.simulate_modes(contacts, 0.5, start, inputs=laws, method="moreau", step=STEP)
    env = sb.stepper(driven, STEP, {s.name: float(settled[s.name][-1]) for s in driven.base.q})
    roll, members, steps, few = sb.integrate.cuda_rollout(env, real=real, every=10), 1 << 14, 100, 4
    y = np.array([settled[n][-1] for n in roll.state_names])
    draw, n = np.random.default_rng(6), len(y)
    starts = np.tile(y, (members, 1))
    starts[:, 19:] += draw.uniform(-0.02, 0.02, (members, n - 19))
    actions = draw.uniform(-0.05, 0.05, (members, steps, len(roll.input_names)))
    bars = draw.normal(size=(members, steps // 10, n))
    states, a, b = (sb.emit.device_array(x, real) for x in (starts, actions, bars))
    found = roll(states, a)
    back = roll.pullback(states, a, found.states, b)
    errors = [[0.0, 0.0]]
    for k in range(few):
        xs = [starts[k]]
        for r in actions[k]:
            xs.append(env.step(xs[-1], r))
        bar = np.zeros(n)
        for j in reversed(range(steps)):
            bar = bar + bars[k, j // 10] * (j % 10 == 9)
            pulled = env.pullback(xs[j], bar, actions[k, j])
            bar = pulled.x
        got = found.states.numpy()[k, -1], back.start.numpy()[k]
        errors.append([np.abs(g - e).max() / np.abs(e).max() for g, e in zip(got, (xs[-1], bar), strict=True)])
    failed, error = sum(e.name != "REACHED" for e in found.endings()), np.max(errors, axis=0)
    for name, act, off, loop in (
        ("rollout", lambda: roll(states, a), error[0], roll._forward),
        ("gradient of a rollout", lambda: roll.pullback(states, a, found.states, b), error[1], roll._backward),
    ):
        rate = members * steps / seconds(act, repeats=3, at_least=0.0)
        made = row(f"Solo12 stands, {name}", real, members, rate, float(off), float("nan"), loop.kernel(0))
        yield made | {"failed": failed, "bound_states_per_s": None}


def environment_row(real: str) -> Row:
    """Steps of an environment of Solo12, of 4 substeps each, with new starts; one launch each."""
    path = solo_file()
    assert path is not None
    contacts, start, laws = standing(path)
    extra = {r.name: laws[r.name] + sb.symbol(f"more_{r.name}", "input") for r in contacts.base.r}
    driven = contacts.with_inputs(extra)[0]
    stepper = sb.stepper(driven, 4 * STEP, start, substeps=4)
    z, v = (next(s for s in (*driven.base.q, *driven.base.u) if s.name == n) for n in ("base_z", "base_x_dot"))
    env = sb.environment(stepper, CONTACT_MEMBERS, reward=v, ends=z < 0.1, start={z: (0.25, 0.3)}, steps=500)
    card = sb.integrate.cuda_environment(env, real=real, draws=4096)
    card.reset(seed=1)
    for _ in range(30):
        card.step()
    rate = 4 * 50 * CONTACT_MEMBERS / seconds(lambda: [card.step() for _ in range(50)], repeats=3, at_least=0.0)
    made = row(
        "Solo12, environment of 4 substeps",
        real,
        CONTACT_MEMBERS,
        rate,
        float("nan"),
        float("nan"),
        card._loop.kernel(0),
    )
    return made | {"error": None, "bound_states_per_s": None}


# ---------------------------------------------------------------------------------------------------- the first result


def first_result() -> Row:
    """Seconds from a URDF file to accelerations on the card, in a new process: with an empty cache, and again."""
    made = fresh("bench.gpu:seconds_to_first_result", limit=LIMIT)
    return {"case": "panda, URDF to first result", "seconds": made and made["seconds"]}


def seconds_to_first_result() -> Row:
    begin = time.perf_counter()
    case = robots.CASES["panda"]
    f = sb.compile(ours.equations(case), target="cuda", real="float", cache=False).udot
    x = sb.emit.device_array(np.zeros((128, 7)), "float")
    f(0.0, x, x, x).numpy()
    return {"seconds": time.perf_counter() - begin}


# ---------------------------------------------------------------------------------------------------- peers


def with_peers(name: str, real: str, ours_: Row) -> Iterator[Row]:
    """One row for each peer that is installed; without any, the row alone."""
    found = []
    for peer in PEERS.get(name, ()) if real == "float" else ():
        try:
            made = fresh("bench.peers.on_gpu:states_per_s", peer, name, limit=LIMIT)
        except StoppedError as reason:
            found.append(ours_ | {"peer": f"{peer}, {reason}", "peer_limit": str(LIMIT)})
            continue
        if made and made.get("states_per_s"):
            rate = made["states_per_s"]
            found.append(
                ours_
                | {
                    "peer": made["peer"],
                    "peer_states_per_s": rate,
                    "ratio": ours_["states_per_s"] / rate,
                    "peer_limit": str(LIMIT),
                }
            )
    yield from found or [ours_]

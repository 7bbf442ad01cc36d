"""Gradients through contact: chains of exact derivatives of steps, beside MuJoCo and Drake by central differences of whole
motions.

Each case has the gradient of a few numbers at its end with respect to a few at its beginning, known in closed form. `error` is
the largest difference from that, relative to the largest entry. MuJoCo's contacts are soft: of its default stiffness, or as
stiff as its step lets them be (`solref` of two steps), with the elliptic cone and `impratio` 100. Drake's have one of three
stiffnesses (`peers/drake_motions.py`). Rows have the best stiffness, with the best of three increments.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from itertools import pairwise, product
from typing import Any, Final

import numpy as np

import symbody as sb

from .timing import Row

G: Final = 9.81
INCREMENTS: Final = (1e-3, 1e-4, 1e-6)
ANGLE: Final = 0.5  # of the slope


@dataclass(frozen=True)
class Case:
    """`seen` at the end by `varied` at the beginning: names of the state and of parameters; `exact`: the gradient."""

    contacts: sb.Contacts
    start: Mapping[str, float]
    steps: int
    h: float
    varied: Sequence[str]
    seen: Sequence[str]
    exact: Any
    mjcf: str
    in_mujoco: Callable[[Any, Any, np.ndarray], None]  # puts values of `varied` into model and data
    of_mujoco: Callable[[Any], Any]  # `seen`, of data


def balls(count: int) -> sb.Contacts:
    m = sb.Model(f"{count} balls")
    places = m.coordinates(" ".join(f"x{k}" for k in range(count)))
    for k, x in enumerate(places):
        m.particle(f"ball{k}", m.ground.point(x, 0, 0), mass=1.0)
    gaps = [b - a - 0.1 for a, b in pairwise(places)]
    return sb.Contacts(sb.derive(m), *(sb.Contact(f"c{k}", gap, 1.0) for k, gap in enumerate(gaps)))


def option(h: float, gravity: str = f"0 0 -{G}") -> str:
    return f'<option gravity="{gravity}" timestep="{h}" cone="elliptic" impratio="100"/>'


def balls_mjcf(count: int, h: float) -> str:
    """Without damping of contacts: they return what they take, as far as the step resolves them."""
    body = "".join(
        f'<body pos="{0.11 * k + (0.01 if k else 0)} 0 0"><joint type="slide" axis="1 0 0"/>'
        f'<geom size="0.05" mass="1" solref="-1e5 0" solimp="0.99 0.99 1e-3"/></body>'
        for k in range(count)
    )
    return f"<mujoco>{option(h, '0 0 0')}<worldbody>{body}</worldbody></mujoco>"


def row_of_balls(count: int) -> Case:
    start = {"x0_dot": 2.0} | {f"x{k}": 0.11 * k + 0.01 for k in range(1, count)}
    exact = np.zeros((count, count))
    exact[np.arange(1, count), np.arange(1, count) - 1] = 0.0
    exact[-1, 0] = 1.0  # the last one has the speed of the first
    if count == 2:
        exact[0, 1] = 1.0
    speeds = [f"x{k}_dot" for k in range(count)]
    shown, given = (speeds, speeds) if count == 2 else (speeds[-1:], speeds[:1])
    wanted = exact if count == 2 else exact[-1:, :1]

    def put(model: Any, data: Any, values: np.ndarray) -> None:
        data.qvel[: len(values)] = values

    return Case(
        balls(count), start, 200, 1e-3, given, shown, wanted, balls_mjcf(count, 1e-3), put,
        (lambda d: d.qvel.copy()) if count == 2 else (lambda d: d.qvel[-1:].copy()),
    )  # fmt: skip


def sphere(h: float) -> str:
    hard = f'friction="0.2 0 0" condim="3" solref="{2 * h} 1"'
    return f"""<mujoco>{option(h)}<worldbody><geom type="plane" size="20 20 1" {hard}/><body pos="0 0 0.11"><freejoint/>
<geom type="sphere" size="0.11" mass="6" {hard}/></body></worldbody></mujoco>"""


def bowling() -> Case:
    """It slides until 2 v / (7 μ g), then rolls with 5/7 v: x = 5/7 v t + 2 v²/(49 μ g)."""
    m = sb.Model("bowling")
    m.gravity(0, 0, -G)
    mu = m.parameter("mu", 0.2)
    ball = m.body("ball", mass=6.0, inertia=(0.4 * 6 * 0.11**2,) * 3)
    m.free("ball", m.ground, ball, sequence="euler parameters")
    lane = sb.Contact("lane", sb.touch(sb.Ball(ball, 0.11), sb.HalfSpace(m.ground)), friction=mu)
    v, friction, t, h = 4.0, 0.2, 1.0, 1e-3
    exact = [[5 / 7 * t + 4 * v / (49 * friction * G), -2 * v**2 / (49 * friction**2 * G)], [5 / 7, 0.0]]

    def put(model: Any, data: Any, values: np.ndarray) -> None:
        data.qvel[0] = values[0]
        model.geom_friction[:, 0] = values[1]

    return Case(
        sb.Contacts(sb.derive(m), lane), {"ball_x_dot": v, "ball_z": 0.11 - 1e-9}, round(t / h), h, ["ball_x_dot", "mu"],
        ["ball_x", "ball_x_dot"], exact, sphere(h), put, lambda d: np.array([d.qpos[0], d.qvel[0]]),
    )  # fmt: skip


def block(angle: float, h: float) -> str:
    hard = f'friction="0.2 0 0" condim="3" solref="{2 * h} 1"'
    gravity = f"{G * np.sin(angle)} 0 {-G * np.cos(angle)}"
    return f"""<mujoco>{option(h, gravity)}<worldbody><geom type="plane" size="20 20 1" {hard}/><body pos="0 0 0.05">
<joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1"/><geom type="box" size="0.1 0.1 0.05" mass="2" {hard}/>
</body></worldbody></mujoco>"""


def sliding(angle: float, v: float, t: float, exact: Any) -> Case:
    m = sb.Model("slope" if angle else "block")
    mu, s = m.parameter("mu", 0.2), m.coordinate("s")
    m.particle("block", m.ground.point(s, 0, 0), mass=2.0)
    m.generalized_force("weight", s, 2.0 * G * np.sin(angle))
    floor = sb.Friction("floor", s.dot, sb.Coulomb(mu), normal=2.0 * G * np.cos(angle))
    h = 1e-3

    def put(model: Any, data: Any, values: np.ndarray) -> None:
        data.qvel[0] = values[0]
        model.geom_friction[:, 0] = values[1]

    return Case(
        sb.Contacts(sb.derive(m), floor), {"s_dot": v}, round(t / h), h, ["s_dot", "mu"], ["s", "s_dot"], exact, block(angle, h), put,
        lambda d: np.array([d.qpos[0], d.qvel[0]]),
    )  # fmt: skip


def slope() -> Case:
    """s = v t + t² g (sin a - μ cos a) / 2."""
    t, pressed = 0.4, G * float(np.cos(ANGLE))
    return sliding(ANGLE, 1.0, t, [[t, -(t**2) * pressed / 2], [1.0, -t * pressed]])


def stick_slip() -> Case:
    """It stops after v² / (2 μ g)."""
    v, mu = 0.5, 0.2
    return sliding(0.0, v, 0.4, [[v / (mu * G), -(v**2) / (2 * mu**2 * G)], [0.0, 0.0]])


def stack() -> Case:
    """Ten boxes that all press: what lifts the lowest by less than the weight moves none."""
    m, h = sb.Model("stack"), 1e-3
    heights = m.coordinates(" ".join(f"y{k}" for k in range(10)))
    lift = m.parameter("lift", 3.0)
    m.gravity(0, -G, 0)
    for k, y in enumerate(heights):
        m.particle(f"box{k}", m.ground.point(0, y, 0), mass=1.0 + k)
    m.generalized_force("lift", heights[0], lift)
    gaps = [heights[0], *(b - a - 0.1 for a, b in pairwise(heights))]
    contacts = sb.Contacts(sb.derive(m), *(sb.Contact(f"c{k}", gap) for k, gap in enumerate(gaps)))
    hard = f'condim="1" solref="{2 * h} 1"'
    bodies = "".join(
        f'<body pos="0 0 {0.05 + 0.1 * k}"><joint type="slide" axis="0 0 1"/><geom type="box" size="0.1 0.1 0.05" mass="{1 + k}" {hard}/></body>'
        for k in range(10)
    )
    mjcf = f'<mujoco>{option(h)}<worldbody><geom type="plane" size="9 9 1" {hard}/>{bodies}</worldbody></mujoco>'

    def put(model: Any, data: Any, values: np.ndarray) -> None:
        data.qfrc_applied[0] = values[0]

    return Case(
        contacts, {f"y{k}": 0.1 * k - 1e-6 * (k + 1) for k in range(10)}, 200, h, ["lift"], ["y9", "y9_dot"], [[0.0], [0.0]], mjcf, put,
        lambda d: np.array([d.qpos[9], d.qvel[9]]),
    )  # fmt: skip


PUSH: Final = 2.0  # N, of the motor that presses the foot on the floor


def stance_gradient(t: float, m: float = 2.0, k: float = 200.0, c: float = 2.0, v: float = -0.1) -> Any:
    """∂(y, y')/∂(v, k) of m y'' = -k (y - 0.4) - c y' + PUSH - m g, by the exponential of the matrix of the motion and of its
    derivatives with respect to k."""
    from scipy.linalg import expm

    A = np.zeros((5, 5))  # of y - 0.4, y', their derivatives by k, 1
    A[0, 1] = A[2, 3] = 1.0
    A[1, [0, 1, 4]] = -k / m, -c / m, PUSH / m - G
    A[3, [0, 2, 3]] = -1 / m, -k / m, -c / m
    whole = expm(t * A)
    end = whole @ [0.0, v, 0.0, 0.0, 1.0]
    return np.column_stack([whole[:2, 1], end[2:4]])


def hopper() -> Case:
    """On its foot, with a spring: 0.3 s of stance, of which the body's linear equation has a closed form."""
    m, h = sb.Model("hopper"), 1e-3
    y, s = m.coordinates("y s")
    p = m.parameters(k=200.0, c=2.0)
    m.gravity(0, -G, 0)
    m.particle("body", m.ground.point(0, y, 0), mass=2.0)
    m.particle("foot", m.ground.point(0, y - 0.4 - s, 0), mass=0.1)
    m.generalized_force("motor", s, PUSH - p.k * s - p.c * s.dot)
    contacts = sb.Contacts(sb.derive(m), sb.Contact("floor", y - 0.4 - s))
    hard = f'condim="1" solref="{2 * h} 1"'
    mjcf = f"""<mujoco>{option(h)}<worldbody><geom type="plane" size="9 9 1" {hard}/><body pos="0 0 0.4">
<joint type="slide" axis="0 0 1"/><geom size="0.05" mass="2" contype="0" conaffinity="0"/>
<body pos="0 0 -0.4"><joint type="slide" axis="0 0 -1" stiffness="200" damping="2"/>
<geom type="box" size="0.05 0.05 0.01" pos="0 0 0.01" mass="0.1" {hard}/></body></body></worldbody></mujoco>"""

    def put(model: Any, data: Any, values: np.ndarray) -> None:
        data.qvel[:] = [values[0], values[0]]  # the foot stays
        data.qfrc_applied[1] = PUSH
        model.jnt_stiffness[1] = values[1]

    return Case(
        contacts, {"y": 0.4 - 1e-9, "y_dot": -0.1, "s_dot": -0.1}, 300, h, ["y_dot + s_dot", "k"], ["y", "y_dot"],
        stance_gradient(300 * h), mjcf, put,
        lambda d: np.array([0.4 + d.qpos[0], d.qvel[0]]),
    )  # fmt: skip


CASES: Final[Mapping[str, Callable[[], Case]]] = {
    "two balls": lambda: row_of_balls(2),
    "billiard, five balls": lambda: row_of_balls(5),
    "bowling ball": bowling,
    "block that comes to rest": stick_slip,
    "block on a slope": slope,
    "stack of ten": stack,
    "hopper in stance": hopper,
}


def rows() -> Iterator[Row]:
    for name, make in CASES.items():
        yield from compared(name, make())


def compared(name: str, case: Case) -> Iterator[Row]:
    began = time.process_time()
    env = sb.stepper(case.contacts, case.h, case.start)
    chained_gradient(env, case)
    first, began = time.process_time() - began, time.process_time()
    found = chained_gradient(env, case)
    seconds = time.process_time() - began
    exact = np.array(case.exact)
    size = max(float(np.abs(exact).max()), 1e-3)
    yield {
        "case": f"gradient: {name}", "method": "exact derivatives of steps", "steps": case.steps, "seconds": seconds,
        "first": first, "error": float(np.abs(found - exact).max()) / size,
    }  # fmt: skip
    for theirs in (mujoco_gradients(case), drake_gradients(case)):
        if theirs:
            gradient, seconds, engine = min(theirs, key=lambda g: float(np.abs(g[0] - exact).max()))
            yield {
                "case": f"gradient: {name}", "method": f"{engine}, differences", "steps": case.steps, "seconds": seconds,
                "first": None, "error": float(np.abs(gradient - exact).max()) / size,
            }  # fmt: skip


def directions(env: sb.integrate.Stepper, case: Case) -> tuple[np.ndarray, np.ndarray]:
    """Changes of the state and of parameters with each of what is varied."""
    x, p = np.zeros((len(env.start), len(case.varied))), np.zeros((len(env.p), len(case.varied)))
    for k, names in enumerate(case.varied):
        for name in names.split(" + "):
            if name in env.state_names:
                x[env.state_names.index(name), k] = 1.0
            else:
                p[env.parameter_names.index(name), k] = 1.0
    return x, p


def chained_gradient(env: sb.integrate.Stepper, case: Case) -> np.ndarray:
    S, P = directions(env, case)
    x, groups = env.start, ("x", "p") if len(env.p) else ("x",)
    for _ in range(case.steps):
        found = env.derivatives(x, wrt=groups)
        S = found.x @ S if found.p is None else found.x @ S + found.p @ P
        x = found.state
    return S[[env.state_names.index(n) for n in case.seen]]


Gradients = list[tuple[np.ndarray, float, str]]  # with the CPU seconds of each, and the engine


def mujoco_gradients(case: Case) -> Gradients:
    """With each stiffness and increment, if MuJoCo is installed."""
    try:
        import mujoco
    except ImportError:
        return []

    def motion(text: str) -> Callable[[np.ndarray], Any]:
        model = mujoco.MjModel.from_xml_string(text)
        data = mujoco.MjData(model)

        def end(changed: np.ndarray) -> Any:
            mujoco.mj_resetData(model, data)
            case.in_mujoco(model, data, changed)
            mujoco.mj_step(model, data, case.steps)
            return np.array(case.of_mujoco(data))

        return end

    softer = re.sub(r'solref="[0-9.]+ 1"', "", case.mjcf)
    ends = map(motion, dict.fromkeys((case.mjcf, softer)))
    return differences_of_ends(case, ends, f"MuJoCo {mujoco.__version__}")


def drake_gradients(case: Case) -> Gradients:
    """With each stiffness and increment, if Drake is installed."""
    try:
        from .peers.drake_motions import motion_in_drake
    except ImportError:
        return []
    rebounds = bool(case.contacts.contacts) and case.contacts.contacts[0].restitution == 1.0

    def motion(stiffness: float) -> Callable[[np.ndarray], Any]:
        def end(changed: np.ndarray) -> Any:
            def put(model: Any, data: Any) -> None:
                case.in_mujoco(model, data, changed)

            return np.array(
                case.of_mujoco(motion_in_drake(case.mjcf, case.h, case.steps, put, stiffness, rebounds=rebounds))
            )

        return end

    ends = map(motion, (1e3, 1e4, 1e5) if rebounds else (1e5, 1e6, 1e7))
    return differences_of_ends(case, ends, f"Drake {version('drake')}")


def differences_of_ends(case: Case, ends: Iterable[Callable[[np.ndarray], Any]], engine: str) -> Gradients:
    """Central differences with each increment of what motions are seen to end with."""
    env = sb.stepper(case.contacts, case.h, case.start)
    values = dict(zip((*env.state_names, *env.parameter_names), (*env.start, *env.p), strict=True))
    base, found = np.array([values[names.split(" + ")[0]] for names in case.varied]), []
    for end, relative in product(ends, INCREMENTS):
        began, columns = time.process_time(), []
        for k in range(len(base)):
            d = np.zeros(len(base))
            d[k] = relative * max(abs(base[k]), 1.0)
            columns.append((end(base + d) - end(base - d)) / (2 * d[k]))
        found.append((np.array(columns).T, time.process_time() - began, engine))
    return found

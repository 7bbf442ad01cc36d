"""Contacts with friction: by events and by time stepping, beside MuJoCo and Exudyn, whose contacts are soft: the same
ball on the same lane, and beside MuJoCo a robot that stands on its feet.

`error` is the error of the distance rolled by a bowling ball, 12 v²/(49 μ g) at 2v/(7 μ g), of the period of a block on a
belt, and of the distance that a table slides on its feet, all known in closed form; for the robot, of the height at which it
stands, compared with small steps. `first` includes derivation and compilation. Gradients of whole motions are in
`contact_gradients.py`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

import numpy as np

import symbody as sb

from . import contact_gradients
from .standing_robot import humanoid, in_mujoco, in_steps, robot_file, solo_file, standing
from .timing import Row, warm_up

R: Final = 0.11
MU: Final = 0.2
V: Final = 8.0
BALLS: Final = 256
G: Final = 9.81
WARM: Final = 4.0  # CPU seconds of calls after which machine code is that of full effort
ROLLS: Final = 2 * V / (7 * MU * G)
DISTANCE: Final = 12 * V**2 / (49 * MU * G)
MJCF: Final = f"""<mujoco><option gravity="0 0 -{G}" timestep="{{step}}" cone="elliptic" impratio="10"/>
<worldbody><geom type="plane" size="20 20 1" friction="{MU} 0 0" condim="3"/>
<body pos="0 0 {R}"><freejoint/><geom type="sphere" size="{R}" mass="6" friction="{MU} 0 0" condim="3"/></body></worldbody></mujoco>"""


def bowling() -> tuple[sb.Contacts, dict[str, float]]:
    m = sb.Model("bowling")
    m.gravity(0, 0, -G)
    ball = m.body("ball", mass=6.0, inertia=(0.4 * 6 * R**2,) * 3)
    m.free("ball", m.ground, ball, sequence="euler parameters")
    lane = sb.Contact("lane", sb.touch(sb.Ball(ball, R), sb.HalfSpace(m.ground)), friction=MU)
    return sb.Contacts(sb.derive(m), lane), {"ball_x_dot": V, "ball_z": R}


def belt() -> tuple[sb.Contacts, dict[str, float]]:
    m = sb.Model("belt")
    s = m.coordinate("s")
    m.particle("block", m.ground.translate(s, 0, 0).origin, mass=1)
    m.potential("spring", s**2 / 2)
    return sb.Contacts(sb.derive(m), sb.Friction("belt", s.dot - 0.2, sb.Coulomb(0.5, static=1.0), normal=1.0)), {
        "s_dot": 0.2
    }


def timed(
    run: Callable[[], Any], again: bool = False, clock: Callable[[], float] = time.process_time
) -> tuple[Any, float]:
    """What it gives, and the seconds it takes; `again`: with everything compiled, by code of full effort. CPU time, but by
    the clock where all cores take part."""
    if again:
        warm_up(run)
    began = clock()
    return run(), clock() - began


def ball_rows() -> Iterator[Row]:
    (contacts, start), made = timed(bowling)
    _, first = timed(lambda: sb.simulate_modes(contacts, ROLLS, start))
    for rtol in (1e-6, 1e-9):
        sim, seconds = timed(lambda rtol=rtol: sb.simulate_modes(contacts, ROLLS, start, rtol=rtol), again=True)
        error = abs(float(sim["ball_x"][-1]) - DISTANCE)
        yield {
            "case": "bowling ball",
            "method": f"events, rtol {rtol:g}",
            "steps": sim.statistics.steps,
            "seconds": seconds,
            "first": made + first,
            "error": error,
        }
    for h in (1e-3, 2e-4):
        sim, seconds = timed(lambda h=h: sb.simulate_modes(contacts, ROLLS, start, method="moreau", step=h), again=True)
        error = abs(float(sim["ball_x"][-1]) - DISTANCE)
        yield {
            "case": "bowling ball",
            "method": f"moreau, step {h:g}",
            "steps": sim.statistics.steps,
            "seconds": seconds,
            "first": None,
            "error": error,
        }
    yield from mujoco_rows()
    yield from exudyn_rows()
    yield from stepper_rows(contacts)


def stepper_rows(contacts: sb.Contacts) -> Iterator[Row]:
    """Balls thrown at many speeds, all of them one step at a time, on all cores; `error` is the largest, at the time at
    which the fastest one begins to roll. `ratio`: seconds of MuJoCo's steps of the same length to these."""
    speeds = np.linspace(1.0, V, BALLS)
    rolls = 2 * speeds / (7 * MU * G)
    away = 12 * speeds**2 / (49 * MU * G) + 5 / 7 * speeds * (ROLLS - rolls)
    for h in (1e-3, 2e-4):
        n = round(ROLLS / h)
        env = sb.stepper(contacts, ROLLS / n, ball_z=R)
        begin = np.tile(env.start, (BALLS, 1))
        names = [v.name for v in contacts.base.state]
        begin[:, names.index("ball_x_dot")] = speeds

        def run(env: Any = env, begin: Any = begin, n: int = n) -> Any:
            states = begin
            for _ in range(n):
                states = env.step(states)
            return states

        states, seconds = timed(run, again=True, clock=time.perf_counter)
        error = float(np.abs(states[:, names.index("ball_x")] - away).max())
        case = {"case": f"{BALLS} bowling balls", "first": None}
        ours = {**case, "method": f"stepper, step {h:g}", "steps": n * BALLS, "seconds": seconds, "error": error}
        theirs = rolled_by_mujoco(ROLLS / n, n, speeds)
        if theirs is None:
            yield ours
            continue
        places, took, version = theirs
        yield {**ours, "ratio": took / seconds}
        error = float(np.abs(places - away).max())
        yield {**case, "method": f"MuJoCo {version}, step {h:g}", "steps": n * BALLS, "seconds": took, "error": error}


def rolled_by_mujoco(h: float, n: int, speeds: np.ndarray) -> tuple[np.ndarray, float, str] | None:
    """Where the balls are after n steps of MuJoCo's `rollout`, on all cores, the seconds that it took, its version."""
    try:
        import mujoco
        from mujoco.rollout import Rollout
    except ImportError:
        return None
    model = mujoco.MjModel.from_xml_string(MJCF.format(step=h))
    kind, threads = mujoco.mjtState.mjSTATE_FULLPHYSICS, os.cpu_count() or 1
    first = np.zeros(mujoco.mj_stateSize(model, kind))
    mujoco.mj_getState(model, mujoco.MjData(model), first, kind)
    begin = np.tile(first, (len(speeds), 1))
    begin[:, 1 + model.nq] = speeds
    with Rollout(nthread=threads) as pool:
        workers = [mujoco.MjData(model) for _ in range(threads)]
        (states, _), seconds = timed(
            lambda: pool.rollout(model, workers, begin, nstep=n), again=True, clock=time.perf_counter
        )
    return states[:, -1, 1], seconds, mujoco.__version__


def mujoco_rows() -> Iterator[Row]:
    try:
        import mujoco
    except ImportError:
        return
    for h in (1e-3, 2e-4):
        model = mujoco.MjModel.from_xml_string(MJCF.format(step=h))
        data = mujoco.MjData(model)
        data.qvel[0] = V
        n = round(ROLLS / h)
        _, seconds = timed(lambda data=data, model=model, n=n: mujoco.mj_step(model, data, n))
        error = abs(float(data.qpos[0]) - DISTANCE)
        yield {
            "case": "bowling ball",
            "method": f"MuJoCo {mujoco.__version__}, step {h:g}",
            "steps": n,
            "seconds": seconds,
            "first": None,
            "error": error,
        }


def exudyn_rows() -> Iterator[Row]:
    """A disc on a plane by a stiff spring, with friction that grows with the slip up to 1 mm/s."""
    try:
        import exudyn as exu
        import exudyn.itemInterface as items  # noqa: N813
    except ImportError:
        return
    for h in (1e-3, 2e-4):
        mbs = exu.SystemContainer().AddSystem()
        ground = mbs.AddObject(items.ObjectGround())
        place = [0, 0, R, 1, 0, 0, 0]
        node = mbs.AddNode(items.NodeRigidBodyEP(referenceCoordinates=place, initialVelocities=[V, 0, 0, 0, 0, 0, 0]))
        inertia = [0.4 * 6 * R**2] * 3 + [0, 0, 0]
        ball = mbs.AddObject(items.ObjectRigidBody(mass=6, inertia=inertia, nodeNumber=node))
        ends = [mbs.AddMarker(items.MarkerBodyRigid(bodyNumber=b)) for b in (ground, ball)]
        mbs.AddLoad(items.LoadForceVector(markerNumber=ends[1], loadVector=[0, 0, -6 * G]))
        data = mbs.AddNode(items.NodeGenericData(initialCoordinates=[0, 0, 0], numberOfDataCoordinates=3))
        rolling = items.ObjectConnectorRollingDiscPenalty(
            markerNumbers=ends, nodeNumber=data, discRadius=R, discAxis=[0, 1, 0], planeNormal=[0, 0, 1],
            contactStiffness=1e6, contactDamping=2e3, dryFriction=[MU, MU], dryFrictionProportionalZone=1e-3,
        )  # fmt: skip
        mbs.AddObject(rolling)
        mbs.Assemble()
        asked = exu.SimulationSettings()
        n = round(ROLLS / h)
        asked.timeIntegration.numberOfSteps, asked.timeIntegration.endTime = n, ROLLS
        asked.timeIntegration.verboseMode, asked.solution.file.write = 0, False
        _, seconds = timed(lambda mbs=mbs, asked=asked: mbs.SolveDynamic(asked))
        x = float(mbs.GetNodeOutput(node, exu.OutputVariableType.Position)[0])
        yield {
            "case": "bowling ball",
            "method": f"Exudyn {exu.__version__}, step {h:g}",
            "steps": n,
            "seconds": seconds,
            "first": None,
            "error": abs(x - DISTANCE),
        }


def standing_rows() -> Iterator[Row]:
    """Two seconds of Solo12, dropped from 12 cm."""
    path = solo_file()
    if path is None:
        return
    (contacts, start, laws), made = timed(lambda: standing(path))

    def run(h: float) -> sb.Trajectory:
        return sb.simulate_modes(contacts, [0.0, 2.0], start, inputs=laws, method="moreau", step=h)

    _, first = timed(lambda: run(1e-3))
    height = float(run(1e-5)["base_z"][-1])
    for h in (1e-3, 1e-4):
        sim, seconds = timed(lambda h=h: run(h))
        yield {
            "case": "Solo12 stands",
            "method": f"moreau, step {h:g}",
            "steps": sim.statistics.steps,
            "seconds": seconds,
            "first": made + first,
            "error": abs(float(sim["base_z"][-1]) - height),
        }
    for h in (1e-3, 2e-4):
        step = in_steps(contacts, start, h)
        heights, seconds = timed(lambda step=step, h=h: step(round(2 / h)))
        yield {
            "case": "Solo12 stands",
            "method": f"stepper, step {h:g}",
            "steps": round(2 / h),
            "seconds": seconds,
            "first": None,
            "error": abs(float(heights[-1]) - height),
        }
    yield from derivative_rows(contacts, start)
    try:
        import mujoco
    except ImportError:
        return
    for h in (1e-3, 2e-4):
        n = round(2 / h)
        heights, seconds = timed(lambda h=h, n=n: in_mujoco(path, h)(n))
        yield {
            "case": "Solo12 stands",
            "method": f"MuJoCo {mujoco.__version__}, step {h:g}",
            "steps": n,
            "seconds": seconds,
            "first": None,
            "error": abs(float(heights[-1]) - height),
        }


def derivative_rows(contacts: sb.Contacts, start: dict[str, float]) -> Iterator[Row]:
    """Of Solo12 on its four feet, under control."""
    h = 1e-3
    x, law = in_steps(contacts, start, h)(1500, state=True)
    env = sb.stepper(contacts, h, start)
    yield from derivatives_of_step("Solo12 on four feet, one step", env, x, law(x))
    yield second_derivatives_of_step("Solo12 on four feet, one step", env, x, law(x))
    yield gradient_of_motion(env, x, law)


def second_derivatives_of_step(case: str, env: sb.integrate.Stepper, x: Any, r: Any) -> Row:
    """Of the step with respect to state and motors, along one direction: the least CPU time of twenty calls; `error`: largest
    difference from differences of fourth order of first derivatives, as a fraction of the largest entry."""
    way, d, began = np.random.default_rng(0).normal(size=len(x)), 1e-4, time.process_time()
    found = env.second_derivatives(x, way, r).x
    first, spent = time.process_time() - began, []
    for _ in range(20):
        began = time.process_time()
        env.second_derivatives(x, way, r)
        spent.append(time.process_time() - began)
    D = [env.derivatives(x + k * d * way, r).x for k in (-2, -1, 1, 2)]
    error = float(np.abs(found - (D[0] - D[3] + 8 * (D[2] - D[1])) / (12 * d)).max() / np.abs(found).max())
    method = "stepper, second derivatives along a direction"
    return {"case": case, "method": method, "steps": 1, "seconds": min(spent), "first": first, "error": error}


def gradient_of_motion(env: sb.integrate.Stepper, first: Any, law: Any, steps: int = 1000) -> Row:
    """The gradient of the last state along three random directions of the first one, by the chain of derivatives of steps under
    a linear law; `error`: largest difference from differences of fourth order, as a fraction of the largest entry."""
    gain = np.array([(law(first + d) - law(first - d)) / 2e-3 for d in 1e-3 * np.eye(len(first))]).T
    ways = np.random.default_rng(0).normal(size=(len(first), 3))
    ways /= np.linalg.norm(ways, axis=0)
    x, S, began = first, ways, time.process_time()
    for _ in range(steps):
        found = env.derivatives(x, law(x))
        x, S = found.state, found.x @ S + found.r @ (gain @ S)
    seconds = time.process_time() - began

    def end(x: Any) -> Any:
        for _ in range(steps):
            x = env.step(x, law(x))
        return x

    d = 1e-4
    one, two = (np.array([(end(first + k * d * w) - end(first - k * d * w)) / d for w in ways.T]).T for k in (1, 2))
    error = float(np.abs(S - (8 * one - two) / 12).max() / np.abs(S).max())
    return {
        "case": "gradient: Solo12 on four feet", "method": "exact derivatives of steps", "steps": steps, "seconds": seconds, "first": None,
        "error": error,
    }  # fmt: skip


def humanoid_rows() -> Iterator[Row]:
    path = robot_file("simple_humanoid.urdf")
    if path is not None:
        contacts, start = humanoid(path)
        env = sb.stepper(contacts, 1e-3, start)
        yield from derivatives_of_step("humanoid of 35 dof on both soles, one step", env, env.start, env.r)


def derivatives_of_step(case: str, env: sb.integrate.Stepper, x: Any, r: Any) -> Iterator[Row]:
    """A step with all derivatives with respect to its state and motors, of one core: the least CPU time of twenty parts,
    after machine code of full effort is there. `error`: largest difference from central differences; `first`: CPU time of the
    first call."""
    count, began = 100, time.process_time()
    env.derivatives(x, r)
    first = time.process_time() - began
    warm = time.process_time()
    while time.process_time() < warm + WARM:
        env.step(x, r), env.derivatives(x, r), env.pullback(x, x, r)
    found = env.derivatives(x, r)
    by_differences = np.array([(env.step(x + d, r) - env.step(x - d, r)) / 2e-6 for d in 1e-6 * np.eye(len(x))]).T

    def least(run: Callable[[], Any]) -> float:
        spent = []
        for _ in range(20):
            began = time.process_time()
            for _ in range(count):
                run()
            spent.append(time.process_time() - began)
        return min(spent) / count

    alone = env._with_variations(("x", "r"), False)._local.one
    ways: dict[str, Callable[[], Any]] = {
        "stepper": lambda: env.step(x, r),
        "stepper, derivatives": lambda: env.derivatives(x, r),
        "stepper, derivatives in machine code": alone.run,
        "stepper, reverse mode": lambda: env.pullback(x, x, r),
    }
    for name, run in ways.items():
        has_slopes = name != "stepper"
        yield {
            "case": case,
            "method": name,
            "steps": 1,
            "seconds": least(run),
            "first": first if has_slopes else None,
            "error": float(np.abs(found.x - by_differences).max()) if has_slopes else None,
        }


def table(feet: int) -> sb.Contacts:
    """A plate on a square of feet, held by them more often than it can move."""
    m = sb.Model("table")
    m.gravity(0, 0, -G)
    top = m.body("top", mass=2.0, inertia=(0.1, 0.1, 0.2))
    m.free("p", m.ground, top, sequence="euler parameters")
    at = np.linspace(-0.3, 0.3, round(feet**0.5)).tolist()
    touches = [sb.touch(top.point(x, y, -0.05), sb.HalfSpace(m.ground)) for x in at for y in at]
    return sb.Contacts(sb.derive(m), *(sb.Contact(f"foot{k}", t, friction=0.4) for k, t in enumerate(touches)))


def table_rows() -> Iterator[Row]:
    """A table slides and comes to rest on all its feet, after v² / (2 μ g)."""
    start, distance = {"p_z": 0.05, "p_e0": 1.0, "p_x_dot": 0.5}, 0.5**2 / (2 * 0.4 * G)
    for feet in (4, 9, 25):
        contacts, made = timed(lambda feet=feet: table(feet))
        _, first = timed(lambda contacts=contacts: sb.simulate_modes(contacts, 0.2, start))
        ways: dict[str, dict[str, Any]] = {
            "events, rtol 1e-08": {}, "moreau, step 0.0001": {"method": "moreau", "step": 1e-4},
        }  # fmt: skip
        for name, options in ways.items():
            run = partial(sb.simulate_modes, contacts, 0.2, start, **options)
            sim, seconds = timed(run, again=True)
            yield {
                "case": f"table on {feet} feet slides and stands",
                "method": name,
                "steps": sim.statistics.steps,
                "seconds": seconds,
                "first": made + first if not options else None,
                "error": abs(float(sim["p_x"][-1]) - distance),
            }


def belt_rows() -> Iterator[Row]:
    (contacts, start), made = timed(belt)
    _, first = timed(lambda: sb.simulate_modes(contacts, 90.0, start))
    period = 2 * (np.pi - np.arctan(2.5)) + 5
    for rtol in (1e-6, 1e-11):
        sim, seconds = timed(lambda rtol=rtol: sb.simulate_modes(contacts, 90.0, start, rtol=rtol), again=True)
        found = np.diff([e.t for e in sim.events if e.name == "belt sticks"])
        error = float(np.abs(found - period).max())
        yield {
            "case": "belt, ten periods",
            "method": f"events, rtol {rtol:g}",
            "steps": sim.statistics.steps,
            "seconds": seconds,
            "first": made + first,
            "error": error,
        }


def rows(quick: bool = False) -> Iterator[Row]:
    yield from ball_rows()
    yield from belt_rows()
    if quick:
        return
    yield from table_rows()
    yield from standing_rows()
    yield from humanoid_rows()
    yield from contact_gradients.rows()

"""Forward dynamics of other packages on a GPU, in single precision: a recursion in JAX by hand, MJX, and MuJoCo Warp.

MuJoCo's engines run without contacts, limits and constraints, but compute and store more than accelerations.
"""

from __future__ import annotations

import importlib
import statistics
import time
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from ..robots import CASES, MOVING, Case, states
from ..timing import Row
from .mujoco_models import xml

Array = Any
STATES: Final = 1 << 20
REPEATS: Final = 10


def states_per_s(peer: str, robot: str) -> Row:
    name, rate = PEERS[peer](CASES[robot])
    return {"peer": name, "states_per_s": rate}


def _rate(act: Callable[[], Any], count: int) -> float:
    """States a second; `act` waits for its result."""
    act()
    times = []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        act()
        times.append(time.perf_counter() - begin)
    return count / statistics.median(times)


# --------------------------------------------------------------------------------------------------- a recursion in JAX


def jax_recursion(case: Case) -> tuple[str, float]:
    """Articulated bodies (Featherstone 2008, table 7.1) for a fixed root and turning joints, one state mapped over
    all."""
    jax, jnp = importlib.import_module("jax"), importlib.import_module("jax.numpy")
    jax.config.update("jax_default_matmul_precision", "highest")
    joints = _joints(case)
    n = len(joints)

    def accelerations(q: Array, u: Array, tau: Array) -> Array:
        X, S, v, c, I, p = [], [], [], [], [], []
        for k, (parent, tree, axis, inertia) in enumerate(joints):
            X.append(_turned(jnp, axis, q[k]) @ jnp.asarray(tree, q.dtype))
            S.append(jnp.asarray([*axis, 0, 0, 0], q.dtype))
            v.append(S[k] * u[k] if parent < 0 else X[k] @ v[parent] + S[k] * u[k])
            c.append(_crossed(jnp, v[k]) @ S[k] * u[k])
            I.append(jnp.asarray(inertia, q.dtype))
            p.append(-_crossed(jnp, v[k]).T @ (I[k] @ v[k]))
        U: list[Any] = [None] * n
        d, left = [*U], [*U]
        for k in reversed(range(n)):
            U[k] = I[k] @ S[k]
            d[k], left[k] = S[k] @ U[k], tau[k] - S[k] @ p[k]
            parent = joints[k][0]
            if parent >= 0:
                rest = I[k] - jnp.outer(U[k], U[k]) / d[k]
                I[parent] = I[parent] + X[k].T @ rest @ X[k]
                p[parent] = p[parent] + X[k].T @ (p[k] + rest @ c[k] + U[k] * left[k] / d[k])
        a, out = [*d], []
        ground = jnp.asarray([0, 0, 0, 0, 0, case.gravity], q.dtype)
        for k in range(n):
            parent = joints[k][0]
            a[k] = X[k] @ (ground if parent < 0 else a[parent]) + c[k]
            out.append((left[k] - U[k] @ a[k]) / d[k])
            a[k] = a[k] + S[k] * out[k]
        return jnp.stack(out)

    f = jax.jit(jax.vmap(accelerations))
    s = states(case, 2048, seed=1)
    given = [jnp.asarray(np.resize(x, (STATES, n)), jnp.float32) for x in (s.q, s.u, s.tau)]
    return "JAX, articulated bodies", _rate(lambda: f(*given).block_until_ready(), STATES)


def _turned(jnp: Any, axis: Array, angle: Array) -> Array:
    """Motion transform of a turn about an axis."""
    K, one = jnp.asarray(_skew(axis), angle.dtype), jnp.eye(3, dtype=angle.dtype)
    E = one - jnp.sin(angle) * K + (1 - jnp.cos(angle)) * (K @ K)
    zero = jnp.zeros((3, 3), angle.dtype)
    return jnp.block([[E, zero], [zero, E]])


def _crossed(jnp: Any, v: Array) -> Array:
    def skew(x: Array) -> Array:
        return jnp.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]], v.dtype)

    return jnp.block([[skew(v[:3]), jnp.zeros((3, 3), v.dtype)], [skew(v[3:]), skew(v[:3])]])


def _skew(x: Array) -> Array:
    return np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])


def _joints(case: Case) -> list[tuple[int, Array, Array, Array]]:
    """Moving joints, parents first: parent, motion transform at zero, axis, and spatial inertia with all that is fixed
    to the link."""
    root = case.tree()
    links = {x.get("name"): x for x in root.findall("link")}
    children: dict[Any, list[Any]] = {}
    for j in root.findall("joint"):
        children.setdefault(j.find("parent").get("link"), []).append(j)
    inner = {j.find("child").get("link") for j in root.findall("joint")}
    base = next(name for name in links if name not in inner)
    out: list[list[Any]] = []

    def hang(link: Any, body: int, place: Array) -> None:
        if body >= 0:
            out[body][3] = out[body][3] + place.T @ _inertia(links[link]) @ place
        for j in children.get(link, ()):
            tree, child = _transform(j.find("origin")) @ place, j.find("child").get("link")
            if j.get("type") in MOVING and j.get("name") not in case.held:
                axis = np.array([float(x) for x in j.find("axis").get("xyz").split()])
                out.append([body, tree, axis, np.zeros((6, 6))])
                hang(child, len(out) - 1, np.eye(6))
            else:
                hang(child, body, tree)

    hang(base, -1, np.eye(6))
    return [tuple(x) for x in out]


def _numbers(element: Any, key: str) -> Array:
    return np.array(
        [float(x) for x in (element.get(key) if element is not None and element.get(key) else "0 0 0").split()]
    )


def _transform(origin: Any) -> Array:
    """Motion transform from the parent to a frame at `xyz`, turned by `rpy`."""
    roll, pitch, yaw = _numbers(origin, "rpy")
    turns = [
        np.array([[1, 0, 0], [0, np.cos(roll), -np.sin(roll)], [0, np.sin(roll), np.cos(roll)]]),
        np.array([[np.cos(pitch), 0, np.sin(pitch)], [0, 1, 0], [-np.sin(pitch), 0, np.cos(pitch)]]),
        np.array([[np.cos(yaw), -np.sin(yaw), 0], [np.sin(yaw), np.cos(yaw), 0], [0, 0, 1]]),
    ]
    E = (turns[2] @ turns[1] @ turns[0]).T
    return np.block([[E, np.zeros((3, 3))], [-E @ _skew(_numbers(origin, "xyz")), E]])


def _inertia(link: Any) -> Array:
    given = link.find("inertial")
    if given is None:
        return np.zeros((6, 6))
    m, i = float(given.find("mass").get("value")), given.find("inertia")
    x = {k: float(i.get(k)) for k in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")}
    central = np.array([[x["ixx"], x["ixy"], x["ixz"]], [x["ixy"], x["iyy"], x["iyz"]], [x["ixz"], x["iyz"], x["izz"]]])
    place = _transform(given.find("origin"))
    return place.T @ np.block([[central, np.zeros((3, 3))], [np.zeros((3, 3)), m * np.eye(3)]]) @ place


# ---------------------------------------------------------------------------------------------------- MuJoCo's engines


def _mujoco_model(case: Case) -> tuple[Any, Any]:
    mujoco = importlib.import_module("mujoco")
    model = mujoco.MjModel.from_xml_string(xml(case))
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT | mujoco.mjtDisableBit.mjDSBL_CONTACT
    return mujoco, model


def mjx(case: Case) -> tuple[str, float]:
    jax, engine = importlib.import_module("jax"), importlib.import_module("mujoco.mjx")
    _, model = _mujoco_model(case)
    on_card, s, count = engine.put_model(model), states(case, 2048, seed=1), STATES // 4
    one = engine.make_data(on_card)
    q, u = (jax.numpy.asarray(np.resize(x, (count, x.shape[1])), "float32") for x in (s.q, s.u))
    f = jax.jit(jax.vmap(lambda q, u: engine.forward(on_card, one.replace(qpos=q, qvel=u)).qacc))
    return "MJX", _rate(lambda: f(q, u).block_until_ready(), count)


def mujoco_warp(case: Case) -> tuple[str, float]:
    """Without room for constraints and with as many worlds as states, which was its fastest way of those tried."""
    warp, engine = importlib.import_module("warp"), importlib.import_module("mujoco_warp")
    mujoco, model = _mujoco_model(case)
    no_room = {"njmax": 0, "nconmax": 0}
    m, d = engine.put_model(model), engine.put_data(model, mujoco.MjData(model), nworld=STATES, **no_room)
    engine.forward(m, d)
    with warp.ScopedCapture() as capture:
        engine.forward(m, d)

    def act() -> None:
        warp.capture_launch(capture.graph)
        warp.synchronize()

    return "MuJoCo Warp", _rate(act, STATES)


PEERS: Final = {"jax_recursion": jax_recursion, "mjx": mjx, "mujoco_warp": mujoco_warp}

"""Pinocchio: its C++ compiled here, and the values that everything else is compared with."""

from __future__ import annotations

import ctypes
import tempfile
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import pinocchio as pin

from ..robots import CASES, Case, States, relative_error, rotation, states
from ..timing import Row
from .building import FLAGS, HERE, address, built, pinocchio_words
from .driving import Function, times, values

Array = Any
WAYS: Final = {  # Pinocchio has two ways to some results; the faster one counts
    "inverse_dynamics": ["inverse_dynamics"],
    "mass_matrix": ["mass_matrix_local", "mass_matrix_world"],
    "forward_dynamics": ["forward_dynamics_local", "forward_dynamics_world"],
    "forward_derivatives": ["forward_derivatives"],
}


def model(case: Case) -> Any:
    base = (pin.JointModelFreeFlyer(),) if case.free else ()
    read = pin.buildModelFromXML if case.file is None else pin.buildModelFromUrdf
    whole = read(case.source, *base)
    if case.held:
        whole = pin.buildReducedModel(whole, [whole.getJointId(j) for j in case.held], pin.neutral(whole))
    whole.gravity.linear = np.array([0, 0, -case.gravity])
    return whole


def archive(case: Case, folder: str) -> Path:
    """The model as a file for the programs in C++."""
    place = Path(folder, "model.txt")
    model(case).saveToText(str(place))
    return place


# ---------------------------------------------------------------------------------------------------- its coordinates


class Coordinates:
    """Between the coordinates of `robots.py` (u) and Pinocchio's (v): its own order of joints, the root link's velocity along the link's
    axes, the scalar of Euler parameters last.

        v = T u,   T = diag(Rᵀ, 1, ...),    v' = T u' - c,   c = (ω × Rᵀ u_x, 0, ...)
    """

    def __init__(self, case: Case, m: Any) -> None:
        at = {name: k for k, name in enumerate(case.joints())}
        order = [at[name] for name in m.names if name in at]
        pose, twist = (7, 6) if case.free else (0, 0)
        self.free, self.n = case.free, m.nv
        self.to_v = [*range(twist), *(twist + k for k in order)]  # number in v -> number in u
        self.to_q = [*range(pose), *(pose + k for k in order)]

    def T(self, q: Array) -> Array:  # noqa: N802  (notation)
        out = np.eye(self.n)
        if self.free:
            out[:3, :3] = rotation(q[3:7]).T
        return out[self.to_v]

    def q(self, q: Array) -> Array:
        out = q[self.to_q]
        if self.free:
            out[3:7] = q[[4, 5, 6, 3]]
        return out

    def c(self, q: Array, u: Array) -> Array:
        out = np.zeros(self.n)
        if self.free:
            out[:3] = np.cross(u[3:6], rotation(q[3:7]).T @ u[:3])
        return out

    def inputs(self, s: States) -> States:
        """States in Pinocchio's coordinates."""
        rows = []
        for q, u, a, tau in zip(*s, strict=True):
            T = self.T(q)
            rows.append((self.q(q), T @ u, T @ a - self.c(q, u), np.linalg.solve(T.T, tau)))
        return States(*(np.array(column) for column in zip(*rows, strict=True)))

    def derivatives(self, s: States, k: int, a: Array, parts: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        """∂u'/∂s, ∂u'/∂u, ∂u'/∂τ of state k from Pinocchio's accelerations and their derivatives.

        u' = T⁻¹ (v' + c) with v = T u and forces T⁻ᵀ τ; a small rotation θ of the root link changes R by R θ̃.
        """
        q, u, tau = s.q[k], s.u[k], s.tau[k]
        T, (a_q, a_v, a_f) = self.T(q), parts
        back = np.linalg.inv(T)
        a_s, c_u = a_q @ T, np.zeros((self.n, self.n))
        if self.free:
            R, w = rotation(q[3:7]), _skew(u[3:6])
            v, f = _skew(R.T @ u[:3]), _skew(R.T @ tau[:3])
            c_u[:3, :3], c_u[:3, 3:6] = w @ R.T, -v
            a_s[:, 3:6] += a_v[:, :3] @ v + a_f[:, :3] @ f
            a_s[:3, 3:6] += w @ v - _skew((a + self.c(q, u))[:3])
        return back @ a_s, back @ (a_v @ T + c_u), back @ a_f @ back.T


def _skew(x: Array) -> Array:
    return np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])


# ---------------------------------------------------------------------------------------------------- values


def reference(robot: str, count: int) -> dict[str, list[Array]]:
    """Results of Pinocchio's own library for the states of a robot, in the coordinates of `robots.py`; each with a state in every row."""
    case = CASES[robot]
    m, s = model(case), states(case, count)
    data, x = m.createData(), Coordinates(case, m)
    out: dict[str, list[Array]] = {name: [] for name in WAYS}
    for k, (q, v, a, f) in enumerate(zip(*x.inputs(s), strict=True)):
        T = x.T(s.q[k])
        M = _symmetric(pin.crba(m, data, q))
        udot = pin.aba(m, data, q, v, f).copy()
        pin.computeABADerivatives(m, data, q, v, f)
        parts = data.ddq_dq.copy(), data.ddq_dv.copy(), _symmetric(data.Minv)
        out["inverse_dynamics"].append(T.T @ pin.rnea(m, data, q, v, a))
        out["mass_matrix"].append(T.T @ M @ T)
        out["forward_dynamics"].append(np.linalg.solve(T, udot + x.c(s.q[k], s.u[k])))
        out["forward_derivatives"].append(np.hstack([p.ravel() for p in x.derivatives(s, k, udot, parts)]))
    return out


def _symmetric(X: Array) -> Array:
    """From the upper triangle."""
    return np.triu(X) + np.triu(X, 1).T


# ---------------------------------------------------------------------------------------------------- times


@cache
def _library() -> ctypes.CDLL:
    before, after = pinocchio_words()
    text = (HERE / "pinocchio.cpp").read_text()
    words = [*FLAGS, "-shared", "-fPIC", *before]
    made = ctypes.CDLL(str(built("pinocchio", "c++", text, words, after, packages=["pin", "casadi"])))
    made.opened.restype, made.opened.argtypes = ctypes.c_void_p, [ctypes.c_char_p]
    return made


def inputs_of(robot: str, function: str, count: int) -> list[Array]:
    """q, v and accelerations or forces in Pinocchio's coordinates."""
    case = CASES[robot]
    s = Coordinates(case, model(case)).inputs(states(case, count))
    return [s.q, s.u, s.a if function == "inverse_dynamics" else s.tau]


def sizes_of(function: str, n: int) -> list[int]:
    return {"mass_matrix": [n * n], "forward_derivatives": [n * n] * 3}.get(function, [n])


def measured(robot: str, function: str, count: int, repeats: int) -> Row:
    """Microseconds of the faster way; `error` of what was compiled here against Pinocchio's own library."""
    lib, inputs = _library(), inputs_of(robot, function, count)
    with tempfile.TemporaryDirectory() as folder:
        own = lib.opened(str(archive(CASES[robot], folder)).encode())
    rows = []
    for way in WAYS[function]:
        f = Function(address(lib, way), own)
        sizes = sizes_of(function, inputs[1].shape[1])
        error = own_error(robot, function, inputs, values(f, inputs, sizes))
        rows.append({**times(f, inputs, [None] * len(sizes), repeats), "way": way, "error": error})
    return min(rows, key=lambda r: r["us"])


def own_error(robot: str, function: str, inputs: list[Array], got: list[Array]) -> float:
    """Error of results in Pinocchio's coordinates against its library; of symmetric matrices the upper triangle counts."""
    m = model(CASES[robot])
    data, n = m.createData(), m.nv
    expected = []
    for q, v, x in zip(*inputs, strict=True):
        if function == "inverse_dynamics":
            expected.append(pin.rnea(m, data, q, v, x))
        elif function == "mass_matrix":
            expected.append(np.triu(pin.crba(m, data, q)).ravel())
        elif function == "forward_dynamics":
            expected.append(pin.aba(m, data, q, v, x).copy())
        else:
            pin.computeABADerivatives(m, data, q, v, x)
            parts = data.ddq_dq, data.ddq_dv, np.triu(data.Minv)
            expected.append(np.hstack([p.ravel() for p in parts]))
    if function in ("mass_matrix", "forward_derivatives"):
        got = [*got[:-1], np.array([np.triu(x.reshape(n, n)).ravel() for x in got[-1]])]
    return relative_error(np.hstack(got), np.array(expected))

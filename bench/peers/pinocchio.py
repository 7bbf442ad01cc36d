"""Pinocchio from Python: its models, its coordinates, and the values that everything else is compared with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin

from ..robots import CASES, Case, States, rotation, states
from ..timing import Row
from .prepared import WAYS

Array = Any


def model(case: Case) -> Any:
    base = (pin.JointModelFreeFlyer(),) if case.free else ()
    read = pin.buildModelFromXML if case.file is None else pin.buildModelFromUrdf
    whole = read(case.source, *base)
    if case.held:
        whole = pin.buildReducedModel(whole, [whole.getJointId(j) for j in case.held], pin.neutral(whole))
    whole.gravity.linear = np.array([0, 0, -case.gravity])
    return whole


# ---------------------------------------------------------------------------------------------------- its coordinates


class Coordinates:
    """Between the coordinates of `robots.py` (u) and Pinocchio's (v): its own order of joints, the root link's velocity
    along the link's axes, the scalar of Euler parameters last.

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
    """Results of Pinocchio's own library for the states of a robot, in the coordinates of `robots.py`; each with a
    state in every row."""
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


def save(robot: str, function: str, count: int, folder: str) -> Row:
    """Files with what `prepared` wants: model, states and results in Pinocchio's own coordinates."""
    case = CASES[robot]
    m = model(case)
    m.saveToText(str(Path(folder, "model.txt")))
    s = Coordinates(case, m).inputs(states(case, count))
    x = s.a if function == "inverse_dynamics" else s.tau
    data = m.createData()
    expected = [_result(m, data, function, *state) for state in zip(s.q, s.u, x, strict=True)]
    np.savez(Path(folder, "states.npz"), q=s.q, v=s.u, x=x, expected=np.array(expected))
    return {}


def _result(m: Any, data: Any, function: str, q: Array, v: Array, x: Array) -> Array:
    if function == "inverse_dynamics":
        return pin.rnea(m, data, q, v, x).copy()
    if function == "mass_matrix":
        return np.triu(pin.crba(m, data, q)).ravel()
    if function == "forward_dynamics":
        return pin.aba(m, data, q, v, x).copy()
    pin.computeABADerivatives(m, data, q, v, x)
    return np.hstack([p.ravel() for p in (data.ddq_dq, data.ddq_dv, np.triu(data.Minv))])

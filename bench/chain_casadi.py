"""The chain of `chain.py` on CasADi's SX, in three ways. Each gives M and b; accelerations come from CasADi's own LDL.

scalars    the text of `chain.py`, on SX scalars
matrices   3 by 3 rotations, `cross` and `@` on SX matrices: as it is usually written for CasADi
columns    the recursion of `chain.py`, but with all columns of M carried inwards together, as rows of SX matrices:
           the fewest calls from Python into CasADi
"""

from __future__ import annotations

import time
from typing import Any

import casadi as cs
import numpy as np

from . import chain
from .timing import Row, repeated

BAR = chain.BAR.in_floats()


def scalars(q: Any, u: Any) -> tuple[Any, Any]:
    angles, speeds = cs.vertsplit(q), cs.vertsplit(u)
    M = chain.mass_matrix(angles, cs.sin, cs.cos, BAR)
    b = chain.bias(angles, speeds, cs.sin, cs.cos, BAR, 1.0)
    return cs.reshape(cs.vertcat(*(e for row in M for e in row)), len(M), len(M)), cs.vertcat(*b)


# ---------------------------------------------------------------------------------------------------- matrices

EX, EY = cs.DM([1, 0, 0]), cs.DM([0, 1, 0])
END = cs.DM([0, 0, -BAR.length])
CENTRE = END / 2
INERTIA = cs.diag(cs.DM([BAR.transverse, BAR.transverse, BAR.axial]))


def rotation_x(a: Any) -> Any:
    c, s = cs.cos(a), cs.sin(a)
    return cs.blockcat([[1, 0, 0], [0, c, -s], [0, s, c]])


def rotation_y(a: Any) -> Any:
    c, s = cs.cos(a), cs.sin(a)
    return cs.blockcat([[c, 0, s], [0, 1, 0], [-s, 0, c]])


def steiner(mass: float, moment: Any, r: Any) -> Any:
    """What parallel axes add to an inertia when its reference moves back by r."""
    unit = cs.DM.eye(3)
    return mass * (cs.dot(r, r) * unit - r @ r.T) + 2 * cs.dot(r, moment) * unit - r @ moment.T - moment @ r.T


def matrices(q: Any, u: Any) -> tuple[Any, Any]:
    n = q.numel() // 2
    about_y = [rotation_y(q[2 * k + 1]) for k in range(n)]
    R = [rotation_x(q[2 * k]) @ about_y[k] for k in range(n)]
    axes = [cs.horzcat(about_y[k].T @ EX, EY) for k in range(n)]
    return _composite_bodies(R, axes), _newton_euler(R, axes, u)


def _newton_euler(R: list[Any], axes: list[Any], u: Any) -> Any:
    w, alpha, a = cs.SX(3, 1), cs.SX(3, 1), cs.SX([0, 0, 1])
    loads = []
    for k, turn in enumerate(R):
        w, alpha, a = turn.T @ w, turn.T @ alpha, turn.T @ a
        wx, wy = axes[k][:, 0] * u[2 * k], axes[k][:, 1] * u[2 * k + 1]
        alpha = alpha + cs.cross(w, wx) + cs.cross(w + wx, wy)
        w = w + wx + wy
        ac = a + cs.cross(alpha, CENTRE) + cs.cross(w, cs.cross(w, CENTRE))
        loads.append((BAR.mass * ac, INERTIA @ alpha + cs.cross(w, INERTIA @ w) + cs.cross(CENTRE, BAR.mass * ac)))
        a = a + cs.cross(alpha, END) + cs.cross(w, cs.cross(w, END))
    force, moment, b = cs.SX(3, 1), cs.SX(3, 1), []
    for k in reversed(range(len(R))):
        moment = moment + cs.cross(END, force) + loads[k][1]
        force = force + loads[k][0]
        b.append(axes[k].T @ moment)
        force, moment = R[k] @ force, R[k] @ moment
    return cs.vertcat(*reversed(b))


def _composite_bodies(R: list[Any], axes: list[Any]) -> Any:
    n = len(R)
    M = cs.SX(2 * n, 2 * n)
    mass, h, inertia = 0.0, cs.SX(3, 1), cs.SX(3, 3)
    for k in reversed(range(n)):
        inertia = inertia + steiner(mass, h, END) + INERTIA + steiner(BAR.mass, cs.DM(3, 1), CENTRE)
        h, mass = h + mass * END + BAR.mass * CENTRE, mass + BAR.mass
        moment, force = inertia @ axes[k], -cs.skew(h) @ axes[k]
        M[2 * k : 2 * k + 2, 2 * k : 2 * k + 2] = axes[k].T @ moment
        for j in reversed(range(k)):
            force, moment = R[j + 1] @ force, R[j + 1] @ moment
            moment = moment + cs.skew(END) @ force
            block = axes[j].T @ moment
            M[2 * j : 2 * j + 2, 2 * k : 2 * k + 2] = block
            M[2 * k : 2 * k + 2, 2 * j : 2 * j + 2] = block.T
        inertia, h = R[k] @ inertia @ R[k].T, R[k] @ h
    return M


# ---------------------------------------------------------------------------------------------------- columns


def columns(q: Any, u: Any) -> tuple[Any, Any]:
    angles, speeds = cs.vertsplit(q), cs.vertsplit(u)
    joints = chain.joints(angles, cs.sin, cs.cos)
    M = cs.SX(q.numel(), q.numel())
    body = chain.NOTHING
    pull = moment = (cs.SX(1, 0),) * 3
    for k in reversed(range(len(joints))):
        joint = joints[k]
        body = body.hung_on(BAR)
        hx, _, hz = body.moment
        moment = chain.at_joint(pull, moment)
        M[2 * k + 1, 2 * k + 1 :] = cs.horzcat(body.yy, moment[1])
        own_y = chain.times(BAR.length, (hz, 0, -hx)), (body.xy, body.yy, body.yz)
        pull, moment = (_beside(a, b) for a, b in zip(own_y, (pull, moment), strict=True))
        pull, moment = joint.inwards_y(pull), joint.inwards_y(moment)
        body = body.inwards_y(joint)
        _, hy, hz = body.moment
        M[2 * k, 2 * k :] = cs.horzcat(body.xx, moment[0])
        own_x = chain.times(BAR.length, (0, -hz, hy)), (body.xx, body.xy, body.xz)
        pull, moment = (_beside(a, b) for a, b in zip(own_x, (pull, moment), strict=True))
        pull, moment = joint.inwards_x(pull), joint.inwards_x(moment)
        body = body.inwards_x(joint)
    b = chain.bias(angles, speeds, cs.sin, cs.cos, BAR, 1.0)
    return cs.triu2symm(M), cs.vertcat(*b)


def _beside(new: tuple[Any, ...], old: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(cs.horzcat(a, b) for a, b in zip(new, old, strict=True))


# ---------------------------------------------------------------------------------------------------- measuring

WAYS = {"scalars": scalars, "matrices": matrices, "columns": columns}


def built(n: int, way: str) -> Row:
    """Seconds to build the accelerations, operations, microseconds of a call in CasADi's virtual machine."""
    q, u = cs.SX.sym("q", 2 * n), cs.SX.sym("u", 2 * n)
    start = time.thread_time()
    M, b = WAYS[way](q, u)
    udot = cs.ldl_solve(-b, *cs.ldl(M))
    build = time.thread_time() - start
    f = cs.Function("forward", [q, u], [udot])
    return {"build_s": build, "ops": f.n_instructions(), "call_us": call_us(f, 2 * n)}


def call_us(f: Any, size: int) -> float:
    buffer, run = f.buffer()
    held = [np.linspace(-1, 1, size), np.linspace(1, -1, size), np.zeros(size)]
    buffer.set_arg(0, held[0].data)
    buffer.set_arg(1, held[1].data)
    buffer.set_res(0, held[2].data)
    return repeated(run, repeats=5).least * 1e6

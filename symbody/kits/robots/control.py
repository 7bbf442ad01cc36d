"""Control laws of robots as programs: `sb.compile` makes them functions, `sb.c_source` C.

    gravity compensation      τ = g(q) - Q                                        forces that hold the robot at rest
    joint space               τ = M (a + Kd (u_ref - u) + Kp (q_ref - q)) - f     computed torque
    task space                τ = Jᵀ Λ (ẍ* - J̇ u) + Jᵀ J̄ᵀ h + (1 - Jᵀ J̄ᵀ) τ₀ ...   the task first, τ₀ where it does
                              not disturb it

All contain the forces of the model other than inputs, so that they give the input if one input acts on each speed.
"""

from __future__ import annotations

from typing import Any

import symbody as sb

from .tasks import LinkTask


def gravity_compensation(eq: sb.Equations) -> Any:
    """A program: q, p -> the forces on speeds that hold the robot at rest.

    >>> m = sb.Model("arm")
    >>> joint = m.revolute("theta", m.ground, m.body("arm", mass=2.0, com=(0.5, 0, 0)))
    >>> m.gravity(0, -10, 0)
    >>> f = sb.kits.robots.gravity_compensation(sb.derive(m))
    >>> sb.emit.numpy_function(f)([0.0], [])
    array([10.])

    See also: `kits.robots.computed_torque`, `joint_forces`.
    """
    still: dict[Any, Any] = {**dict.fromkeys(eq.u, 0), **{u.dot: 0 for u in eq.u}, **dict.fromkeys(eq.r, 0)}
    forces = sb.substitute(sb.joint_forces(eq), still)
    return sb.program("gravity_compensation", {"q": eq.q, "p": eq.p}, {"tau": forces})


def computed_torque(eq: sb.Equations) -> Any:
    """A program: q, u, q_ref, u_ref, a_ref, kp, kd, p -> the forces on speeds. For speeds that are the rates of
    coordinates.

    >>> m = sb.Model("arm")
    >>> joint = m.revolute("theta", m.ground, m.body("arm", mass=2.0, com=(0.5, 0, 0)))
    >>> f = sb.kits.robots.computed_torque(sb.derive(m))
    >>> [g.name for g in f.inputs]
    ['q', 'u', 'q_ref', 'u_ref', 'a_ref', 'kp', 'kd', 'p']

    See also: `kits.robots.gravity_compensation`, `kits.robots.task_control`.
    """
    _rates_only(eq, "computed_torque")
    n = len(eq.u)
    groups = {k: _symbols(k, n) for k in ("q_ref", "u_ref", "a_ref", "kp", "kd")}
    wanted = {
        u.dot: a + kd * (w - u) + kp * (x - q)
        for q, u, x, w, a, kp, kd in zip(eq.q, eq.u, *groups.values(), strict=True)
    }
    forces = sb.substitute(sb.joint_forces(eq), {**wanted, **dict.fromkeys(eq.r, 0)})
    return sb.program("computed_torque", {"q": eq.q, "u": eq.u, **groups, "p": eq.p}, {"tau": forces})


def task_control(task: LinkTask) -> Any:
    """A program: q, u, acceleration (wanted, of the task), posture (forces on speeds), p -> forces on speeds that give
    the task this acceleration, with the posture's forces where they do not change it.

        τ = h + Jᵀ Λ (ẍ* - J̇ u - ...) + (1 - Jᵀ J̄ᵀ) τ₀,     h = M u' - f at u' = 0

    >>> m = sb.Model("arm")
    >>> arm = m.body("arm", mass=2.0, com=(0.5, 0, 0))
    >>> joint = m.revolute("theta", m.ground, arm)
    >>> f = sb.kits.robots.task_control(sb.kits.robots.task(sb.derive(m), arm.frame.translate(1, 0, 0), "y"))
    >>> [g.name for g in f.inputs]
    ['q', 'u', 'acceleration', 'posture', 'p']

    See also: `kits.robots.task`, `kits.robots.computed_torque`.
    """
    eq = task.equations
    n, k = len(eq.u), len(task.rows)
    wanted, posture = _symbols("acceleration", k), _symbols("posture", n)
    J, Lam = task.jacobian, task.inertia
    h = sb.substitute(sb.joint_forces(eq), {**{u.dot: 0 for u in eq.u}, **dict.fromkeys(eq.r, 0)})
    push = Lam @ (sb.matrix([[a] for a in wanted]) - task.drift)
    own = sb.matrix([[x] for x in posture])
    rest = own - J.T @ (task.consistent_inverse.T @ own)
    groups = {"acceleration": wanted, "posture": posture}
    return sb.program("task_control", {"q": eq.q, "u": eq.u, **groups, "p": eq.p}, {"tau": h + J.T @ push + rest})


def _symbols(name: str, n: int) -> list[sb.Symbol]:
    return [sb.symbol(f"{name}_{i + 1}") for i in range(n)]


def _rates_only(eq: sb.Equations, call: str) -> None:
    if len(eq.q) != len(eq.u) or any(r is not q.dot for q, r in zip(eq.q, eq.rates.entries, strict=True)):
        raise sb.ModelError(
            f"{call}: every speed is the rate of a coordinate here; a free base is not driven by its joints"
        )

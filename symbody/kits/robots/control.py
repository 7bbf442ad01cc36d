"""Control laws of robots as programs: `sb.compile` makes them functions, `sb.c_source` C.

    gravity compensation      τ = g(q) - Q                                        forces that hold the robot at rest
    joint space               τ = M (a + Kd (u_ref - u) + Kp (q_ref - q)) - f     computed torque
    task space                τ = Jᵀ Λ (ẍ* - J̇ u) + Jᵀ J̄ᵀ h + (1 - Jᵀ J̄ᵀ) τ₀ ...   the task first, τ₀ where it does
                              not disturb it

All contain the forces of the model other than inputs. Of equations with inputs they give the inputs, in the order of
`eq.r`: τ = B r with B = ∂f/∂r (gears), which must determine them. Of equations without, they give the forces on speeds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import symbody as sb

from ...errors import in_number, listed
from .tasks import LinkTask


def gravity_compensation(eq: sb.Equations) -> Any:
    """A program: q, p -> the inputs that hold the robot at rest; if there are none, the forces on speeds that do.

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
    tau = _by_inputs(eq, forces, "gravity_compensation")
    return sb.program("gravity_compensation", {"q": eq.q, "p": eq.p}, {"tau": tau})


def computed_torque(eq: sb.Equations) -> Any:
    """A program: q, u, q_ref, u_ref, a_ref, kp, kd, p -> the inputs; if there are none, the forces on speeds. For
    speeds that are the rates of coordinates.

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
    tau = _by_inputs(eq, forces, "computed_torque")
    return sb.program("computed_torque", {"q": eq.q, "u": eq.u, **groups, "p": eq.p}, {"tau": tau})


def task_control(task: LinkTask) -> Any:
    """A program: q, u, acceleration (wanted, of the task), posture (forces on speeds), p -> the inputs (if there are
    none, the forces on speeds) that give the task this acceleration, with the posture's forces where they do not change it.

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
    tau = _by_inputs(eq, h + J.T @ push + rest, "task_control")
    return sb.program("task_control", {"q": eq.q, "u": eq.u, **groups, "p": eq.p}, {"tau": tau})


def _by_inputs(eq: sb.Equations, forces: sb.Matrix, call: str) -> sb.Matrix:
    """The inputs r with B r = forces on speeds, B = ∂f/∂r; inputs that act on no speed are zero. The forces themselves
    where there are no inputs."""
    if not eq.r:
        return forces
    B = -1 * sb.jacobian(sb.joint_forces(eq), eq.r)
    if any(s in eq.r for s in sb.free_symbols(B)):
        raise sb.ModelError(f"{call} {eq.name!r}: forces are not linear in the inputs {listed(r.name for r in eq.r)}")
    n = len(eq.u)
    acting = [j for j in range(len(eq.r)) if any(B[i, j].value != 0 for i in range(n))]
    if len(acting) != n or _generic_rank(B) < n:
        raise sb.ModelError(
            f"{call} {eq.name!r}: {in_number((eq.r[j].name for j in acting), 'the input {} does', 'the inputs {} do')} not "
            f"determine the forces on {n} speeds ({listed(u.name for u in eq.u)}); {_advice(eq)}"
        )
    found = _solutions(sb.matrix([[B[i, j] for j in acting] for i in range(n)]), forces)
    rows = [found[acting.index(j)] if j in acting else sb.fraction(0, 1) for j in range(len(eq.r))]
    return sb.matrix([[e] for e in rows])


def _advice(eq: sb.Equations) -> str:
    if eq.lam:
        return "with constraints, sb.inverse_dynamics(eq) gives the inputs and multipliers for accelerations that keep them"
    return "forces on speeds are sb.joint_forces(eq), or those of equations without inputs"


def _solutions(B: sb.Matrix, forces: sb.Matrix) -> list[sb.Expr]:
    """B⁻¹ forces; division where each input acts on one speed."""
    n = B.rows
    places = [[i for i in range(n) if B[i, j].value != 0] for j in range(n)]
    if all(len(p) == 1 for p in places):
        return [forces[p[0]] / B[p[0], j] for j, p in enumerate(places)]
    return list(sb.solve(B, forces, "general").entries)


def _generic_rank(B: sb.Matrix) -> int:
    """The rank at random numbers."""
    random = np.random.default_rng(0)
    values = {s: float(random.uniform(0.3, 0.9)) for s in sb.free_symbols(B)}
    numbers = np.array(sb.evaluate(list(B.entries), values), dtype=float).reshape(B.shape)
    return int(np.linalg.matrix_rank(numbers))


def _symbols(name: str, n: int) -> list[sb.Symbol]:
    return [sb.symbol(f"{name}_{i + 1}") for i in range(n)]


def _rates_only(eq: sb.Equations, call: str) -> None:
    if len(eq.q) != len(eq.u) or any(r is not q.dot for q, r in zip(eq.q, eq.rates.entries, strict=True)):
        raise sb.ModelError(
            f"{call} {eq.name!r}: every speed must be the rate of a coordinate, and every coordinate have a speed; it is not for free bases, "
            "which joints do not drive, nor for minimal forms of mechanisms with loops"
        )

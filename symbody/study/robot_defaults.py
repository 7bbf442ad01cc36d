"""Default study of a robot without requests: joints held by springs and dampers, released, settling to equilibrium.

A robot file does not describe motors. Without any, an arm falls through itself; so each joint with an input gets

    tau = -M_ii (ω² (q - q_rest) + 2 ζ ω q')

at the middle of its range, with M_ii the inertia moved by the joint there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ..algebra.calculus.derivatives import jacobian
from ..algebra.calculus.evaluate import evaluate
from ..algebra.graph.graph import Expr, Symbol
from ..derivation.equations.equations import Equations
from ..formats.robot.robot import Robot

OMEGA: Final = 8.0  # natural frequency of a held joint in rad/s
ZETA: Final = 0.15  # damping ratio of a held joint
SECONDS: Final = 4.0  # duration of the default simulation in seconds
ABOUT: Final = "Every joint is held at the middle of its range by a spring and a damper that symbody adds; the robot is released from there."


def resting_place(robot: Robot) -> dict[str, float]:
    """The middle of each joint's range, where the file says one, but not far from zero."""
    out = {}
    for name, detail in robot.details.items():
        low, high = detail.limits.lower, detail.limits.upper
        if (
            detail.kind in ("revolute", "prismatic")
            and detail.mimic is None
            and low is not None
            and high is not None
            and low < high
        ):
            out[name] = min(max((low + high) / 2, -1.5), 1.5)
    return out


def holding_laws(eq: Equations, values: Mapping[Any, float]) -> dict[str, Expr]:
    """Spring and damper laws for the inputs that act on one speed each."""
    reach = jacobian(eq.f, list(eq.r))
    laws: dict[str, Expr] = {}
    for k, r in enumerate(eq.r):
        rows = [j for j in range(len(eq.u)) if reach[j, k].value == 1]
        q = _coordinate(eq, eq.u[rows[0]]) if len(rows) == 1 else None
        if q is not None:
            j = rows[0]
            laws[r.name] = -float(evaluate(eq.M[j, j], values)) * (
                OMEGA**2 * (q - float(values[q])) + 2 * ZETA * OMEGA * eq.u[j]
            )
    return laws


def _coordinate(eq: Equations, u: Symbol) -> Symbol | None:
    return next((q for q, rate in zip(eq.q, eq.rates.entries, strict=True) if rate is u), None)

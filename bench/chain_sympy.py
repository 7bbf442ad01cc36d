"""The chain of `chain.py` as a user of SymPy would write it: KanesMethod, with relative angles."""

from __future__ import annotations

import time
from typing import Any

import sympy
import sympy.physics.mechanics as me

from .timing import Row


def kane(n: int) -> tuple[list[Any], list[Any], Any, Any]:
    """Coordinates, speeds, mass matrix and forcing of n bars."""
    q, u = list(me.dynamicsymbols(f"q:{2 * n}")), list(me.dynamicsymbols(f"u:{2 * n}"))
    N, P = me.ReferenceFrame("N"), me.Point("P")
    P.set_vel(N, 0)
    bodies, loads, parent = [], [], N
    for k in range(n):
        A = parent.orientnew(f"A{k}", "Axis", [q[2 * k], parent.x])
        B = A.orientnew(f"B{k}", "Axis", [q[2 * k + 1], A.y])
        A.set_ang_vel(parent, u[2 * k] * A.x)
        B.set_ang_vel(A, u[2 * k + 1] * B.y)
        centre, end = P.locatenew(f"C{k}", -B.z / 2), P.locatenew(f"P{k}", -B.z)
        centre.v2pt_theory(P, N, B)
        end.v2pt_theory(P, N, B)
        inertia = me.inertia(B, sympy.Rational(1, 12), sympy.Rational(1, 12), sympy.Rational(1, 100))
        bodies.append(me.RigidBody(f"bar{k}", centre, B, 1, (inertia, centre)))
        loads.append((centre, -N.z))
        P, parent = end, B
    rates = [x.diff() - y for x, y in zip(q, u, strict=True)]
    method = me.KanesMethod(N, q_ind=q, u_ind=u, kd_eqs=rates)
    method.kanes_equations(bodies, loads)
    return q, u, method.mass_matrix, method.forcing


def built(n: int) -> Row:
    """Seconds for `kane`, to be called in a fresh process: a warm cache of SymPy is several times faster."""
    start = time.thread_time()
    kane(n)
    return {"build_s": time.thread_time() - start}

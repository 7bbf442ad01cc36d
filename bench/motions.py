"""`python -m bench motions`: optimal motions beside hand-written CasADi, with the same transcription, mesh, guess and
IPOPT.

derive_s   CPU time from the model to compiled functions, Jacobian and Hessian; `solve_s` that of `problem.solve` after that
peer_s     CPU time of CasADi's solver, made before; `peer_build_s` that of making it. ratio = peer_s / solve_s, where solve_s
           contains the transcription; ratio_with_build compares the sums, from the model to the motion
error_by_simulation   largest difference from `simulate` with the inputs of the motion, relative to the largest value

opty needs cyipopt and is not measured here.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

import numpy as np

from .motion_cases import CASES, Case
from .timing import Row


def van_der_pol_rates(x: Any, u: Any, c: Any) -> list[Any]:
    return [(1 - x[1] ** 2) * x[0] - x[1] + u[0], x[0]]


def brachistochrone_rates(x: Any, u: Any, c: Any) -> list[Any]:
    return [x[2] * c.sin(u[0]), -x[2] * c.cos(u[0]), 9.81 * c.cos(u[0])]


def cart_pole_rates(x: Any, u: Any, c: Any) -> list[Any]:
    """Kelly 2017, equations 6.1 and 6.2."""
    m1, m2, l, g = 1.0, 0.3, 0.5, 9.81
    _, a, v, w = (x[k] for k in range(4))
    s, co = c.sin(a), c.cos(a)
    bottom = m1 + m2 * (1 - co**2)
    return [
        v,
        w,
        (l * m2 * s * w**2 + u[0] + m2 * g * co * s) / bottom,
        -(l * m2 * co * s * w**2 + u[0] * co + (m1 + m2) * g * s) / (l * bottom),
    ]


BY_HAND: dict[str, tuple[Any, Any]] = {  # rates, and the integrand of the cost
    "van der Pol": (van_der_pol_rates, lambda x, u: x[0] ** 2 + x[1] ** 2 + u[0] ** 2),
    "brachistochrone": (brachistochrone_rates, lambda x, u: 1.0),
    "cart and pole": (cart_pole_rates, lambda x, u: u[0] ** 2),
}


def by_hand(case: Case, made: Any) -> tuple[float, float, float, int]:
    """Hermite-Simpson in CasADi: seconds to make the solver, to solve, the optimum, and iterations; unknowns, bounds and
    guess are those of our transcription."""
    import casadi as c

    rates, integrand = BY_HAND[case.name]
    program, mesh = made.program, next(iter(made.meshes.values()))
    place_of_duration = next(iter(made.duration.values()))
    begin = time.process_time()
    z = c.SX.sym("z", made.n)
    n, h, T = len(mesh.phase.form.states), 1 / mesh.intervals, z[place_of_duration]
    nodes = [z[row[0] : row[-1] + 1] for row in mesh.index.tolist()]
    f = [c.vertcat(*rates(v, v[n:], c)) * T for v in nodes]
    cost, rows = 0, []
    for k in range(mesh.intervals):
        a, m, b = 2 * k, 2 * k + 1, 2 * k + 2
        xa, xm, xb = (nodes[i][:n] for i in (a, m, b))
        rows += [xm - (xa + xb) / 2 - h / 8 * (f[a] - f[b]), xb - xa - h / 6 * (f[a] + 4 * f[m] + f[b])]
        cost += h * T / 6 * sum(w * integrand(nodes[i], nodes[i][n:]) for i, w in ((a, 1), (m, 4), (b, 1)))
    quiet: dict[str, Any] = {"ipopt": {"print_level": 0, "sb": "yes", "tol": 1e-8}, "print_time": False}
    solver = c.nlpsol("peer", "ipopt", {"x": z, "f": cost, "g": c.vertcat(*rows)}, quiet)
    built = time.process_time() - begin
    begin = time.process_time()
    found = solver(x0=made.guess, lbx=program.low, ubx=program.high, lbg=0, ubg=0)
    return built, time.process_time() - begin, float(found["f"]), int(solver.stats()["iter_count"])


def row_of(case: Case) -> Row:
    begin = time.process_time()
    problem = case.make()
    made = problem.transcription(case.intervals, case.method)
    program = made.program
    parts = program.jacobians(made.guess)
    program.values(made.guess)
    program.jacobian_pattern.values(parts)
    program.hessian(made.guess, 1.0, np.ones(program.linear.shape[0]))
    derived = time.process_time() - begin
    begin = time.process_time()
    motion = problem.solve(case.intervals, method=case.method)
    solved = time.process_time() - begin
    values, _, hessian = program.blocks[0].functions.operations
    row: Row = {
        "case": case.name,
        "transcription": case.method,
        "nodes": sum(len(m.at) for m in made.meshes.values()),
        "derive_s": derived,
        "solve_s": solved,
        "iterations": motion.iterations,
        "objective": motion.objective,
        "known": case.optimum,
        "error_by_simulation": motion.check().relative,
        "hessian_over_values": hessian / max(values, 1),
        "peer": "",
        "peer_build_s": None,
        "peer_s": None,
        "peer_objective": None,
        "peer_iterations": None,
        "ratio": None,
        "ratio_with_build": None,
    }
    if case.name in BY_HAND:
        built, seconds, optimum, iterations = by_hand(case, made)
        row |= {"peer": "CasADi by hand", "peer_build_s": built, "peer_s": seconds, "peer_objective": optimum}
        row |= {"peer_iterations": iterations, "ratio": seconds / solved}
        row["ratio_with_build"] = (built + seconds) / (derived + solved)
    return row


def rows() -> Iterable[Row]:
    for case in CASES:
        yield row_of(case)

"""Stated motions by other programs: CasADi with a transcription written by hand, and opty (`pip install opty cyipopt`),
with the nodes, bounds and guess of ours. Times are CPU times."""

from __future__ import annotations

import importlib
import importlib.util
import time
from typing import Any, NamedTuple

import numpy as np

from .stated_motions import StatedMotion

LIMIT = 30.0  # seconds of a peer


class PeerRun(NamedTuple):
    """Seconds to make the solver and to solve, the optimum (NaN where the solver ended without one) and iterations."""

    build_s: float
    solve_s: float
    objective: float
    iterations: int


def has_opty() -> bool:
    return all(importlib.util.find_spec(k) for k in ("opty", "cyipopt"))


def by_casadi(rates: Any, integrand: Any, made: Any, *, path: Any = None, tolerance: float = 1e-8) -> PeerRun:
    """The method of our transcription in CasADi's SX, for one phase; unknowns, bounds and guess are ours."""
    import casadi as c

    program, mesh = made.program, next(iter(made.meshes.values()))
    begin = time.process_time()
    z = c.SX.sym("z", made.n)
    n, h, T = len(mesh.phase.form.states), 1 / mesh.intervals, z[next(iter(made.duration.values()))]
    nodes = [z[row[0] : row[-1] + 1] for row in mesh.index.tolist()]
    f = [c.vertcat(*rates(v, v[n:], c)) * T for v in nodes]
    g = [integrand(v[:n], v[n:]) * T for v in nodes]
    cost, rows, m = 0, [], mesh.steps
    for k in range(0, len(nodes) - 1, m):
        x = [v[:n] for v in nodes[k : k + m + 1]]
        if m == 1:
            rows.append(x[1] - x[0] - h / 2 * (f[k] + f[k + 1]))
            cost += h / 2 * (g[k] + g[k + 1])
        else:
            rows.append(x[1] - (x[0] + x[2]) / 2 - h / 8 * (f[k] - f[k + 2]))
            rows.append(x[2] - x[0] - h / 6 * (f[k] + 4 * f[k + 1] + f[k + 2]))
            cost += h / 6 * (g[k] + 4 * g[k + 1] + g[k + 2])
    low = high = np.zeros(mesh.intervals * m * n)
    if path:
        rows += [path[0](v[:n], v[n:]) for v in nodes]
        low, high = (np.concatenate([low, np.full(len(nodes), b)]) for b in path[1:])
    quiet: dict[str, Any] = {"ipopt": {"print_level": 0, "sb": "yes", "tol": tolerance}, "print_time": False}
    solver = c.nlpsol("peer", "ipopt", {"x": z, "f": cost, "g": c.vertcat(*rows)}, quiet)
    built = time.process_time() - begin
    begin = time.process_time()
    found = solver(x0=made.guess, lbx=program.low, ubx=program.high, lbg=low, ubg=high)
    return PeerRun(built, time.process_time() - begin, float(found["f"]), int(solver.stats()["iter_count"]))


def by_opty(stated: StatedMotion, made: Any, *, tolerance: float = 1e-8) -> PeerRun:
    """opty with its midpoint rule and compiled code; objective and gradient by SymPy, as its examples do."""
    import sympy as sm

    opty = importlib.import_module("opty")

    begin = time.process_time()
    t, h, n = sm.Symbol("t"), sm.Symbol("h"), stated.nodes
    x, u = ([sm.Function(k)(t) for k in names.split()] for names in (stated.states, stated.inputs))
    eom = [v.diff(t) - f for v, f in zip(x, stated.rates(x, u, sm), strict=True)]
    eom += [stated.path[0](x, u) - stated.path[1]] if stated.path else []
    step = h if stated.is_timed else stated.duration / (n - 1)
    last = (n - 1) * h if stated.is_timed else stated.duration
    functions = {v.func.__name__: v.func for v in (*x, *u)}
    ends = [functions[k](0 * h if stated.is_timed else 0.0) - v for k, v in stated.start.items()]
    ends += [functions[k](last / 2) - v for k, v in stated.middle.items()]
    ends += [functions[k](last) - v for k, v in stated.end.items()]
    bounds = {functions[k](t): tuple(b) for k, b in stated.bounds.items()}
    if stated.is_timed:
        bounds[h] = tuple(d / (n - 1) for d in stated.duration)
    if stated.integrand(x, u) == 1:
        width = len(x) * n + len(u) * n

        def cost(free: Any) -> Any:
            return free[-1] * (n - 1)

        def slope(free: Any) -> Any:
            out = np.zeros(width + 1)
            out[-1] = n - 1
            return out
    else:
        integral = sm.Integral(stated.integrand(x, u), t)
        cost, slope = opty.create_objective_function(integral, tuple(x), tuple(u), (), n, step, "midpoint", t)
    problem = opty.Problem(
        cost, slope, sm.Matrix(eom), tuple(x), n, step, instance_constraints=tuple(ends), bounds=bounds, time_symbol=t,
        integration_method="midpoint", show_compile_output=False,
    )  # fmt: skip
    for key, value in (("tol", tolerance), ("print_level", 0), ("sb", "yes"), ("max_cpu_time", LIMIT)):
        problem.add_option(key, value)
    guess = np.zeros(problem.num_free)
    meshes = list(made.meshes.values())
    nodes = np.vstack([made.guess[m.index][(1 if k else 0) :] for k, m in enumerate(meshes)])
    guess[: nodes.size] = nodes.T.ravel()
    if stated.is_timed:
        guess[-1] = made.guess[next(iter(made.duration.values()))] / (n - 1)
    built = time.process_time() - begin
    begin = time.process_time()
    _, found = problem.solve(guess)
    seconds, optimum = (
        time.process_time() - begin,
        float(found["obj_val"]) if found["status"] in (0, 1) else float("nan"),
    )
    return PeerRun(built, seconds, optimum, len(problem.obj_value))

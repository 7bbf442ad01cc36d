"""Numbers from the source documents, recomputed and corrected (numbers.jsonl), and what it takes to meet them."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

import symbody as sb

_RECORDS = {r["id"]: r for r in map(json.loads, (Path(__file__).parent / "numbers.jsonl").read_text().splitlines())}


def published(name: str) -> Any:
    """The value of a record."""
    return _RECORDS[name]["value"]


def at(equations: sb.Equations, thing: Any, state: Mapping[str, Any]) -> Any:
    """The value of an expression or matrix; what is not given and has no default is zero."""
    return np.array(sb.evaluate(thing, equations.values(state, otherwise=0)), dtype=float)


def state_of(equations: sb.Equations, q: Iterable[float], u: Iterable[float]) -> dict[str, float]:
    return {s.name: float(v) for s, v in zip((*equations.q, *equations.u), (*q, *u), strict=True)}


def kinetic_energy(equations: sb.Equations, state: Mapping[str, Any]) -> float:
    """½ uᵀ M u, where nothing moves by itself."""
    u = np.array([state.get(s.name, 0.0) for s in equations.u])
    return float(u @ at(equations, equations.M, state) @ u / 2)


def potential_energy(equations: sb.Equations, state: Mapping[str, Any]) -> float:
    return sum(float(at(equations, x.potential, state)) for x in equations.mechanism.loads if x.potential is not None)


def trajectory(equations: sb.Equations, state: Mapping[str, Any], times: Any) -> Any:
    """Rows (q, u) at the times, from a state at t = 0; parameters in `state` too. Constraints are kept at the level of
    accelerations."""
    q, u, t = equations.q, equations.u, equations.t
    names = {s.name for s in (*q, *u, t)}
    fixed = {s: v for s, v in equations.values(state, otherwise=0).items() if s.name not in names}
    program = sb.program(
        "motion", {"t": t, "q": q, "u": u}, {"rates": equations.rates, "udot": equations.udot}, bake=fixed
    )
    motion = sb.compile(program, cache=False)
    start = np.array([state.get(s.name, 0.0) for s in (*q, *u)])

    def rate(time: float, x: Any) -> Any:
        return np.concatenate([np.ravel(part) for part in motion(time, x[: len(q)], x[len(q) :])])

    solution = solve_ivp(rate, (0, max(times)), start, "DOP853", t_eval=sorted(times), rtol=1e-11, atol=1e-12)
    assert solution.success, solution.message
    return solution.y.T

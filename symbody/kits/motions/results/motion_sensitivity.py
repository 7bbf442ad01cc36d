"""Derivatives of an optimum with respect to a parameter of the model, at the active bounds that it has.

With the Lagrangian L = f + λᵀ c of the transcribed problem, the cost changes by ∂L/∂p (envelope theorem), and unknowns
and multipliers by the linear system of the optimality conditions (Fiacco 1983)

    [ ∂²L/∂z²  ∂c/∂zᵀ ] [ dz/dp ]     [ ∂²L/∂z∂p ]
    [ ∂c/∂z      0    ] [ dλ/dp ] = - [ ∂c/∂p    ]

over the unknowns that are free and the rows that hold.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import scipy  # loads its parts when they are used
from scipy.sparse import block_array, csr_array

import symbody as sb

from ....errors import unknown
from ....summary import Summarized, Summary, summary_rows
from ..transcription.node_functions import Array

ACTIVE: Final = 1e-6  # a multiplier, relative to the largest, above which its bound or row is taken as active


@dataclass(frozen=True, repr=False, eq=False)
class MotionSensitivity(Summarized):
    """How an optimal motion changes with a parameter; made by `OptimalMotion.sensitivity`. `change["x"]` has the
    derivatives of a state or an input at the nodes.

    parameter   its name
    cost        derivative of the least cost
    durations   derivatives of the durations, by phase
    columns     derivatives of states and inputs at the nodes, by name

    >>> x, v, F = sb.symbols("x v F", kind="variable")
    >>> m = sb.symbol("m")
    >>> problem = sb.kits.motions.Problem("cart")
    >>> push = problem.phase("push", sb.from_equations({x: v, v: F / m}, {m: 2.0}, inputs=[F]), 1.0)
    >>> motion = push.start(x=0, v=0).end(x=1, v=0).cost("effort", integral=F**2) and problem.solve(10)
    >>> change = motion.sensitivity("m")  # the least cost is 12 m², with F = m (6 - 12 t)
    >>> change.cost, float(change["F"][0]), change.durations, change.parameter, sorted(change.columns)
    (48.0, 6.0, {'push': 0.0}, 'm', ['F', 'v', 'x'])

    See also: `kits.motions.OptimalMotion`.
    """

    parameter: str
    cost: float
    durations: Mapping[str, float]
    columns: Mapping[str, Array]

    def _summary(self) -> Summary:
        largest = {k: float(np.abs(v).max()) for k, v in self.columns.items()}
        rows = summary_rows(
            cost=f"{self.cost:z.6g}",
            durations=", ".join(f"{k} {v:z.6g}" for k, v in self.durations.items()),
            largest=", ".join(f"{k} {v:z.4g}" for k, v in largest.items()),
        )
        return Summary(f"Derivatives of the motion with respect to {self.parameter}", rows)

    def __getitem__(self, name: str) -> Array:
        if name not in self.columns:
            raise unknown(f"sensitivity to {self.parameter}", "state or input", str(name), self.columns, sb.ModelError)
        return self.columns[name]


def motion_sensitivity(motion: Any, parameter: Any) -> MotionSensitivity:
    """Derivatives of a motion with respect to a parameter."""
    made, name = motion.transcription, getattr(parameter, "name", parameter)
    known = {s.name: s for m in made.meshes.values() for s in m.phase.equations.p if s not in made.chosen}
    if name in {s.name for s in made.chosen}:
        raise sb.ModelError(
            f"motion {motion.name!r}, sensitivity: {name} is chosen with the motion; give it a value to differentiate with respect to it"
        )
    if name not in known:
        raise unknown(f"motion {motion.name!r}, sensitivity", "parameter", str(name), known, sb.ModelError)
    if not motion.outcome:
        raise sb.errors.StudyError(
            f"motion {motion.name!r}: no sensitivities, since no optimum was found: {motion.outcome}"
        )
    cost, dz = solution_change(motion, known[name])
    durations = {k: float(dz[place]) for k, place in made.duration.items()}
    meshes = list(made.meshes.values())
    common = [
        s for s in (*meshes[0].phase.form.states, *meshes[0].phase.form.inputs) if all(s in m.place for m in meshes)
    ]
    columns = {s.name: np.concatenate([dz[m.index[:, m.place[s]]] for m in meshes]) for s in common}
    return MotionSensitivity(name, cost, durations, columns)


def solution_change(motion: Any, p: sb.Symbol) -> tuple[float, Array]:
    """dJ/dp and dz/dp."""
    made, found = motion.transcription, motion.solution
    value = next(m.phase.parameters[p] for m in made.meshes.values() if p in m.phase.parameters)
    wide = made.with_chosen({p: (value, value)})
    at = wide.parameter[p]
    z = np.insert(found.z, at, value)
    lam, program = found.row_multipliers, wide.program
    first = program.first(z)
    J = csr_array(program.jacobian_pattern.matrix(first.jacobian))
    upper = program.hessian_pattern.matrix(program.hessian(z, 1.0, lam))
    H = csr_array(upper + upper.T - _diagonal(upper))
    slope = first.gradient + J.T @ lam
    free = np.flatnonzero(_is_free(program.low, program.high, np.insert(found.bound_multipliers, at, 0.0)))
    free = free[free != at]
    holds = np.flatnonzero(~_is_free(program.row_low, program.row_high, lam))
    K = block_array([[H[free][:, free], J[holds][:, free].T], [J[holds][:, free], None]], format="csc")
    # -0: a tiny multiple of the identity where rows depend on each other, as constraints of loops may
    K = K + 1e-12 * _signed_identity(len(free), len(holds))
    right = -np.concatenate([H[free][:, [at]].toarray().ravel(), J[holds][:, [at]].toarray().ravel()])
    solved = scipy.sparse.linalg.splu(K).solve(right)
    out = np.zeros(made.n)
    out[np.where(free > at, free - 1, free)] = solved[: len(free)]
    return float(slope[at]), out


def _is_free(low: Array, high: Array, multipliers: Array) -> Any:
    """Neither an equation nor held at a bound."""
    size = max(float(np.abs(multipliers).max(initial=0.0)), 1.0)
    return (low < high) & (np.abs(multipliers) <= ACTIVE * size)


def _diagonal(a: Any) -> Any:
    d = a.diagonal()
    n = np.arange(len(d))
    return csr_array((d, (n, n)), shape=a.shape)


def _signed_identity(n: int, m: int) -> Any:
    k = np.arange(n + m)
    return csr_array((np.where(k < n, 1.0, -1.0), (k, k)), shape=(n + m, n + m)).tocsc()

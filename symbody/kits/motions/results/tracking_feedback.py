"""Feedback along a motion: the linear quadratic regulator of the equations linearised about it.

r = r*(t) - K(t) (x - x*(t)),   K = R⁻¹ Bᵀ S,   -S' = Aᵀ S + S A - S B R⁻¹ Bᵀ S + Q,   S(T) = Q_end
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy  # loads its parts when they are used

import symbody as sb

from ....errors import listed, shown, unknown
from ....summary import Summarized, Summary, counted, summary_rows
from ..transcription.mesh_errors import chosen_values
from ..transcription.node_functions import Array


@dataclass(frozen=True, repr=False, eq=False)
class TrackingFeedback(Summarized, Mapping[str, sb.Expr]):
    """Laws of inputs along a motion, by name; made by `OptimalMotion.feedback`. A mapping that goes into `inputs=` of
    `simulate` as it is.

    t                times of the nodes, at which K was computed
    K                gains, for each node a row for each input and a column for each state
    inputs, states   names of the rows and columns of K
    laws             expressions of state and time, by input

    >>> x, F = sb.symbols("x F", kind="variable")
    >>> eq = sb.from_equations({x: x + F}, inputs=[F])
    >>> problem = sb.kits.motions.Problem("unstable")
    >>> go = problem.phase("go", eq, 10.0).start(x=1).end(x=0).cost("effort", integral=F**2)
    >>> law = problem.solve(40).feedback(Q=0.0, R=1.0, end=1.0)
    >>> law.inputs, law.states, law.K.shape == (len(law.t), 1, 1)
    (('F',), ('x',), True)
    >>> float(law.K[0, 0, 0]), list(law) == list(law.laws)  # far from the end 2: the mirror image of x' = x
    (2.0, True)

    See also: `kits.motions.OptimalMotion`, `LinearSystem.lqr`, `simulate`.
    """

    name: str
    t: Array
    K: Array
    inputs: tuple[str, ...]
    states: tuple[str, ...]
    laws: Mapping[str, sb.Expr]

    def _summary(self) -> Summary:
        rows = summary_rows(
            inputs=", ".join(self.inputs), states=", ".join(self.states), next="simulate(eq, ..., inputs=feedback)"
        )
        return Summary(f"Feedback along {self.name}: {counted(len(self.t), 'node')}", rows)

    def __getitem__(self, name: str) -> sb.Expr:
        return self.laws[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.laws)

    def __len__(self) -> int:
        return len(self.laws)


def tracking_feedback(motion: Any, phase: str, Q: Any, R: Any, end: Any) -> TrackingFeedback:
    """The regulator along a phase of a motion."""
    t, mesh = motion.times(phase), motion.transcription.meshes[phase]
    eq, where = mesh.phase.equations, f"motion {motion.name!r}, feedback"
    if eq.lam or mesh.phase.form.states != eq.state:
        raise sb.ModelError(
            f"{where}: is for equations without constraints and rates of inputs; minimal(eq) removes constraints"
        )
    if not motion.outcome:
        raise sb.errors.StudyError(f"{where}: there is no motion to follow: {motion.outcome}")
    x, r = [s.name for s in eq.state], [s.name for s in eq.r]
    q, costs, last = _weights(Q, x, f"{where}, Q"), _weights(R, r, f"{where}, R"), _weights(end, x, f"{where}, end")
    if not costs.size or np.linalg.eigvalsh(costs).min() <= 0:
        raise sb.ModelError(f"{where}: R must be positive definite, got {shown(R)}")
    for name, weights, given in (("Q", q, Q), ("end", last, end)):
        if np.linalg.eigvalsh(weights).min(initial=0.0) < 0:
            raise sb.ModelError(f"{where}: {name} must not have negative eigenvalues, got {shown(given)}")
    v = motion.solution.z[mesh.index]
    A, B = _linearization(motion, mesh, t, v)

    def rate(s: float, flat: Array) -> Array:
        S, at = flat.reshape(len(x), len(x)), t[-1] - s
        k = int(np.clip(np.searchsorted(t, at) - 1, 0, len(t) - 2))
        w = (at - t[k]) / (t[k + 1] - t[k])
        a, b = (1 - w) * A[k] + w * A[k + 1], (1 - w) * B[k] + w * B[k + 1]
        out: Array = a.T @ S + S @ a - S @ b @ np.linalg.solve(costs, b.T @ S) + q
        return out.ravel()

    backwards = scipy.integrate.solve_ivp(
        rate,
        (0, t[-1] - t[0]),
        last.ravel(),
        t_eval=(t[-1] - t)[::-1],
        rtol=1e-8,
        atol=1e-10,
        max_step=np.diff(t).max(),
    )
    if not backwards.success:
        raise sb.errors.StudyError(
            f"{where}: the Riccati equation ends {backwards.t[-1] if backwards.t.size else 0.0:z.3g} s before the end of the phase: "
            f"{backwards.message} Is the pair (A, B) stabilisable along the motion?"
        )
    S = backwards.y.T[::-1].reshape(len(t), len(x), len(x))
    K = np.linalg.solve(costs, np.swapaxes(B, 1, 2) @ S)
    return TrackingFeedback(motion.name, t, K, tuple(r), tuple(x), _laws(eq, mesh, t, v, K))


def _linearization(motion: Any, mesh: Any, t: Array, v: Array) -> tuple[Array, Array]:
    """A and B at the nodes."""
    eq = mesh.phase.equations
    made = sb.compile(eq)
    numbers = {**mesh.phase.parameters, **chosen_values(motion.transcription, motion.solution.z)}
    n, m = len(eq.state), len(eq.r)
    p = [np.array([numbers[s] for s in eq.p])] if eq.p else []
    rest = [v[:, [mesh.place[s] for s in eq.r]]] if m else []
    both = made.rhs_derivatives(["x", "r"])
    found = both.batch(t, v[:, :n], *rest, *p)
    A, B = (np.asarray(part) for part in found[-2:])
    return A.reshape(len(t), n, n), B.reshape(len(t), n, m)


def _laws(eq: sb.Equations, mesh: Any, t: Array, v: Array, K: Array) -> dict[str, sb.Expr]:
    def along(name: str, values: Array) -> sb.Expr:
        return sb.integrate.interpolation(name, t, values, "linear")(eq.t)

    x = {s: along(f"{s.name}_of_motion", v[:, mesh.place[s]]) for s in eq.state}
    out = {}
    for i, s in enumerate(eq.r):
        terms = [along(f"gain_{s.name}_{y.name}", K[:, i, j]) * (y - x[y]) for j, y in enumerate(eq.state)]
        out[s.name] = along(f"{s.name}_of_motion", v[:, mesh.place[s]]) - sum(terms, sb.algebra.as_expr(0))
    return out


def _weights(given: Any, names: Sequence[str], where: str) -> Array:
    """A matrix; of a number, of numbers by name (others are zero), of numbers in order, or as it is."""
    if isinstance(given, Mapping):
        keys = {getattr(k, "name", k): w for k, w in given.items()}
        if strange := [k for k in keys if k not in names]:
            raise unknown(where, "variable", str(strange[0]), names, sb.ModelError)
        given = [keys.get(n, 0.0) for n in names]
    try:
        W = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        W = np.full(1, np.nan)
    W = np.diag(np.broadcast_to(W, (len(names),))) if W.ndim < 2 and W.size in (1, len(names)) else W
    if W.shape != (len(names),) * 2 or not np.isfinite(W).all():
        raise sb.ModelError(f"{where}: expected a number, numbers of {listed(names)} or a matrix, got {shown(given)}")
    return W

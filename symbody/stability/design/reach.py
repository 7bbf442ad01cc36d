"""Which modes of x' = A x + B r the inputs reach, and what stays constant whatever they do: wᵀ A = 0, wᵀ B = 0, so that
wᵀ x is conserved. About a turn of a bicycle that is the energy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...algebra.calculus.derivatives import gradient
from ...algebra.calculus.evaluate import evaluate
from ...algebra.graph.graph import Expr, Symbol
from ...derivation.equations.energies import energy, generalized_momenta
from ...derivation.equations.equations import Equations
from ...emit.run.callable import Array
from ...errors import SymbodyError
from ..spectra.pencil import Complex, sorted_order

if TYPE_CHECKING:
    from ..linear.linear_system import LinearSystem

LOST_RANK = 1e-12  # singular value, relative to the largest eigenvalue, at which a matrix counts as singular
SAME_GRADIENT = 1e-8  # relative distance at which the gradient of a quantity lies in the constant directions


@dataclass(frozen=True)
class UnreachableMode:
    """A mode s with leftᵀ (A - s) = 0, leftᵀ B = 0; scale is the largest eigenvalue."""

    s: complex
    left: Complex
    scale: float


def unreachable_modes(A: Array, B: Array) -> Iterator[UnreachableMode]:
    """Eigenvalues at which [A - s 1, B] loses rank (Popov, Belevitch, Hautus); a conjugate has the conjugate vector."""
    found = np.linalg.eigvals(A).astype(complex)
    scale, lost = _largest(found), dict[complex, Complex]()
    for s in found[sorted_order(found)]:
        if s.conjugate() in lost:
            yield UnreachableMode(complex(s), lost[s.conjugate()].conjugate(), scale)
        elif s.imag <= 0:
            rows = np.hstack([A - s * np.eye(len(A)), B / _largest(B) * scale])
            if np.linalg.svd(rows, compute_uv=False)[-1] < LOST_RANK * scale:
                lost[complex(s)] = np.linalg.svd(rows, full_matrices=False)[0][:, -1]
                yield UnreachableMode(complex(s), lost[complex(s)], scale)


def constant_directions(A: Array, B: Array) -> tuple[Array, Array]:
    """Orthonormal V and W: wᵀ x stays constant for the columns w of W, and V spans the rest. V is 1 if there are no such
    directions."""
    scale = _largest(np.linalg.eigvals(A).astype(complex))
    U, size, _ = np.linalg.svd(np.hstack([A, B / _largest(B) * scale]))
    rank = int((size >= LOST_RANK * scale).sum())
    return (U[:, :rank], U[:, rank:]) if rank < len(A) else (np.eye(len(A)), U[:, rank:])


def constant_quantities(
    lin: LinearSystem, W: Array, values: Mapping[str, float], numbers: Mapping[Symbol, float]
) -> dict[str, Array]:
    """Names of what is constant along the columns of W, with gradients over the states: the energy and momenta where
    their gradients lie there, and sums of states for directions that have no such name."""
    found: dict[str, Array] = {}
    for name, row in _known_gradients(lin, values, numbers).items():
        inside = W.T @ row
        is_new = np.linalg.matrix_rank(np.array([W.T @ r for r in (*found.values(), row)])) > len(found)
        if np.linalg.norm(row - W @ inside) < SAME_GRADIENT * np.linalg.norm(row) and is_new:
            found[name] = row
    rest = W @ _complement(np.array([W.T @ row for row in found.values()]).reshape(-1, W.shape[1]))
    return found | {_sum_of_states(lin.x, row): row for row in rest.T}


def _known_gradients(
    lin: LinearSystem, values: Mapping[str, float], numbers: Mapping[Symbol, float]
) -> dict[str, Array]:
    """∂e/∂x of the energy and of momenta: their slopes over all variables, times T."""
    if lin.about is None:
        return {}
    known, T = lin.about.equations.variables.of("q u z"), lin.numbers.recovered(values)
    places = [k for k, n in enumerate(lin.variables) if n in known]
    symbols = [known[lin.variables[k]].symbol for k in places]
    return {
        name: np.array(evaluate(gradient(e, symbols).entries, numbers), dtype=float) @ T[places]
        for name, e in _candidates(lin.about.equations).items()
    }


def _candidates(eq: Equations) -> dict[str, Expr]:
    try:
        names = {u: q.name for q, u in zip(eq.q, eq.rates.entries, strict=True)}
        momenta = zip(eq.u, generalized_momenta(eq).entries, strict=True)
        return {"energy": energy(eq)} | {f"momentum of {names.get(u, u.name)}": e for u, e in momenta}
    except SymbodyError:  # motion that was written down has no energy that we know
        return {}


def _complement(rows: Array) -> Array:
    """An orthonormal basis of what is orthogonal to independent rows."""
    full: Array = np.linalg.svd(rows)[2]
    return full[len(rows) :].T


def _sum_of_states(names: tuple[str, ...], row: Array) -> str:
    shares = row / row[np.argmax(np.abs(row))]
    return " ".join(f"{y:+z.4g} {x}" for x, y in zip(names, shares, strict=True) if abs(y) > SAME_GRADIENT)


def _largest(values: Array | Complex) -> float:
    return max(float(np.abs(values).max(initial=0.0)), 1e-300)

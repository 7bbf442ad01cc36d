"""Eigenvalues of pencils A x = s E x with numbers: finite ones with their vectors, infinite ones counted.

Where E is singular (algebraic variables, constraints), W = (A - s0 E)⁻¹ E has an eigenvalue 1 / (s - s0) for every
finite s and zeros for the infinite ones. W is restricted to its range repeatedly until it is regular there: the removed
directions belong to infinite eigenvalues, in chains of any length, so that no infinite eigenvalue is printed as 1e17.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eig, svd

from ...algebra.nonlinear.least_norm import least_norm
from ...emit.run.callable import Array
from ...errors import StabilityError

Complex = NDArray[np.complex128]
REGULAR_E: Final = 1e-11  # reciprocal condition number of E with scaled rows above which it counts as regular
MANY_STATES: Final = 100  # from which on eigenvalues are computed without vectors, where these are not needed
RANK_TOLERANCE: Final = 1e-11  # singular value, relative to the largest, below which it counts as zero
# singular value, relative to the largest, below which eigenvectors are parallel (a defective pencil)
PARALLEL_VECTORS: Final = (
    1e-15  # vectors are parallel (a defective pencil) where a singular value is below this part of the largest
)


@dataclass(frozen=True)
class PencilSpectrum:
    """Finite eigenvalues with right vectors (columns of x) and left ones (columns of y), sorted; infinite ones counted.

    A x = s E x,   yᴴ A = s yᴴ E,   yᴴ E x = 1
    """

    s: Complex
    x: Complex
    y: Complex
    infinite: int


def sorted_order(s: Complex) -> NDArray[np.intp]:
    """By real part, then by imaginary part; rounding does not separate a pair."""
    scale = np.abs(s).max(initial=1e-300)
    return np.lexsort((s.imag, np.round(s.real / scale, 11)))


def without_rounding(s: complex) -> complex:
    """A complex number without what rounding left of a real or an imaginary part."""
    return complex(*(x if abs(x) > 1e-11 * abs(s) else 0.0 for x in (s.real, s.imag)))


def neat(s: complex) -> str:
    """A complex number to read: what rounding left of a real or an imaginary part is not shown."""
    s = without_rounding(s)
    return f"{s:z.6g}" if s.imag else f"{s.real:z.6g}"


def pencil_spectrum(E: Array, A: Array, names: tuple[str, ...] = ()) -> PencilSpectrum:
    """All finite eigenvalues of a regular pencil."""
    n = len(A)
    if not n:
        empty = np.zeros((0, 0), dtype=complex)
        return PencilSpectrum(np.zeros(0, dtype=complex), empty, empty, 0)
    scale = _row_scales(E, A)
    E, A = E / scale, A / scale
    if is_regular(E) or is_regular(balanced_matrix(E, A)):
        s, x = np.linalg.eig(np.linalg.solve(E, A))
        y, infinite = _left_vectors(E, x), 0
    else:
        s, x, y, infinite = _finite_part(E, A, names)
    order = sorted_order(s)
    return PencilSpectrum(s[order].astype(complex), x[:, order].astype(complex), (y / scale)[:, order], infinite)


def finite_eigenvalues(E: Array, A: Array, names: tuple[str, ...] = ()) -> Complex:
    """The finite eigenvalues, sorted; of many states without their vectors, which take most of the time."""
    if len(A) < MANY_STATES:
        return pencil_spectrum(E, A, names).s
    scale = _row_scales(E, A)
    if not is_regular(E / scale):
        return pencil_spectrum(E, A, names).s
    s = np.linalg.eigvals(np.linalg.solve(E / scale, A / scale)).astype(complex)
    return s[sorted_order(s)]


def is_regular(E: Array) -> bool:
    values = np.linalg.svd(E, compute_uv=False)
    return bool(values[-1] > REGULAR_E * values[0])


def balanced_matrix(E: Array, A: Array) -> Array:
    """E with rows and columns scaled so that E² + A² has equal sums in all of them (Lemonnier and Van Dooren, SIAM J.
    Matrix Anal. Appl. 28, 2006).

    A stiff spring makes rows of A large, and E beside them small; scaled so, E is singular only where variables are
    algebraic.
    """
    size = E**2 + A**2
    rows, columns = np.ones(len(E)), np.ones(len(E))
    for _ in range(30):
        rows = 1 / np.maximum(size @ columns, 1e-300)
        columns = 1 / np.maximum(rows @ size, 1e-300)
    return np.asarray(np.sqrt(rows)[:, None] * E * np.sqrt(columns))


def _row_scales(E: Array, A: Array) -> Array:
    scale = np.maximum(np.abs(E).max(axis=1, initial=0.0), np.abs(A).max(axis=1, initial=0.0))[:, None]
    return np.where(scale > 0, scale, 1.0)


def _left_vectors(E: Array, x: Any) -> Complex:
    """Left vectors from right ones: (E x)ᴴ y = 1; if these are not a basis (a defective pencil), the nearest to
    that."""
    return np.asarray(np.linalg.lstsq((E @ x).conj().T, np.eye(len(E)), rcond=PARALLEL_VECTORS)[0], dtype=complex)


def _finite_part(E: Array, A: Array, names: tuple[str, ...]) -> tuple[Any, Any, Any, int]:
    shift = _regular_shift(E, A, names)
    W = np.linalg.solve(A - shift * E, E)
    basis, size = np.eye(len(E)), max(float(np.linalg.norm(W)), 1e-300)
    while W.size:
        U, values, _ = svd(W)
        rank = int((values > RANK_TOLERANCE * size).sum())
        if rank == len(W):
            break
        kept = U[:, :rank]
        W, basis = kept.T @ W @ kept, basis @ kept
    infinite = len(E) - len(W)
    mu, v = np.linalg.eig(W) if len(W) else (np.zeros(0), np.zeros((0, 0)))
    s = shift + 1 / mu.astype(complex)
    x = (basis @ v).astype(complex)
    y = np.column_stack([_null_vector((A - value * E).conj().T) for value in s]) if len(s) else np.zeros_like(x)
    products = np.einsum("ij,ij->j", y.conj(), E @ x)
    s = np.where(np.abs(products) > 1e-8, np.einsum("ij,ij->j", y.conj(), A @ x) / _nonzero(products), s)
    return s, x, y / _nonzero(products).conj(), infinite


def core_ranks(W: Array, tolerance: float) -> tuple[int, ...]:
    """Ranks of W, of W on its range, and so on until it is regular there; of many matrices of one structure, the
    largest."""
    size, ranks = np.maximum(np.linalg.norm(W, axis=(1, 2)), 1e-300)[:, None], []
    while W.size:
        U, values, _ = np.linalg.svd(W)
        rank = int((values > tolerance * size).sum(axis=1).max())
        if rank == W.shape[-1]:
            break
        ranks.append(rank)
        W = U[..., :rank].swapaxes(-1, -2) @ W @ U[..., :rank]
    return tuple(ranks)


def invertible_part(W: Array, ranks: tuple[int, ...]) -> tuple[Array, Array, Array]:
    """C, B and P of W B = B C, P W = C P, P B = 1, with the eigenvalues of W that are not zero for all of its structure
    (Fitting)."""
    C, B = W, np.broadcast_to(np.eye(W.shape[-1]), W.shape)
    P = B
    for rank in ranks:
        U = np.linalg.svd(C)[0][..., :rank]
        P, B = U.swapaxes(-1, -2) @ C @ P, B @ U
        C = U.swapaxes(-1, -2) @ C @ U
    for _ in ranks:
        P = _solution_of_any_rank(C, P)
    return C, B, P


def _solution_of_any_rank(C: Array, P: Array) -> Array:
    try:
        return np.asarray(np.linalg.solve(C, P))
    except np.linalg.LinAlgError:
        return np.asarray(least_norm(C, P, PARALLEL_VECTORS))


def finite_part(E: Array, A: Array, names: tuple[str, ...] = ()) -> tuple[Array, Array, Array]:
    """S, R and L of A R = E R S, L A = S L E, L E R = 1: S has the finite eigenvalues of a pencil."""
    scale = _row_scales(E, A)
    E, A = E / scale, A / scale
    shift = _regular_shift(E, A, names)
    shifted = A - shift * E
    W: Array = np.asarray(np.linalg.solve(shifted, E)[None], dtype=np.float64)
    C, B, P = (x[0] for x in invertible_part(W, core_ranks(W, RANK_TOLERANCE)))
    S, L = np.split(np.linalg.solve(C, np.hstack([np.eye(len(C)), P])), [len(C)], axis=1)
    return shift * np.eye(len(C)) + S, B, np.linalg.solve(shifted.T, L.T).T / scale.T


def _nonzero(x: Any) -> Any:
    return np.where(np.abs(x) > 1e-300, x, 1.0)


def _null_vector(m: Any) -> Any:
    return svd(m)[2][-1].conj()


def _regular_shift(E: Array, A: Array, names: tuple[str, ...]) -> float:
    """A number at which A - s E is regular; singular pencil: eigenvalues undefined."""
    size = max(np.abs(A).max(), 1e-300) / max(np.abs(E).max(), 1e-300)
    found = []
    for factor in (0.7548776662, -0.5698402910, 0.0123, -0.2451223338, 3.1):
        values = np.linalg.svd(A - factor * size * E, compute_uv=False)
        found.append((values[-1] / max(values[0], 1e-300), factor * size))
    best, shift = max(found)
    if best < 1e-14:
        raise StabilityError(_why_singular(E, A, names))
    return shift


def _why_singular(E: Array, A: Array, names: tuple[str, ...]) -> str:
    near = svd(A - 0.7548776662 * E)
    labels = names or tuple(f"x{k}" for k in range(len(A)))
    column = [labels[k] for k in np.flatnonzero(np.abs(near[2][-1]) > 0.1)]
    row = [labels[k] for k in np.flatnonzero(np.abs(near[0][:, -1]) > 0.1)]
    return (
        f"the pencil A - s E is singular for every s, so that every number is an eigenvalue: the equations of {', '.join(row)} are linearly "
        f"dependent, and no equation determines {', '.join(column)}. Give the missing equation, or drop these states (without(...))"
    )


def qz_eigenvalues(E: Array, A: Array, names: tuple[str, ...] = ()) -> tuple[Complex, int]:
    """Finite eigenvalues by the QZ algorithm on the whole pencil, and the number of infinite ones (Lynch 6.2, eq.
    6.6)."""
    scale = _row_scales(E, A)
    E, A = E / scale, A / scale
    _regular_shift(E, A, names)
    alpha, beta = eig(A, E, right=False, homogeneous_eigvals=True)
    finite = np.abs(beta) > 1e-11 * np.hypot(np.abs(alpha), np.abs(beta))
    s = alpha[finite] / beta[finite]
    return s[sorted_order(s)], int((~finite).sum())

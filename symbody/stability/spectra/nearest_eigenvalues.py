"""Some eigenvalues of a large pencil A x = s E x: those nearest to a point σ, from a Krylov space of (A - σ E)⁻¹ E, whose
largest eigenvalues are 1/(s - σ) (shift and invert; Lehoucq, Sorensen and Yang, ARPACK Users' Guide, 1998).

Left vectors are those of the adjoint, from the same factors; both spaces are made orthogonal to each other, yᴴ E x = 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from scipy.linalg import get_lapack_funcs
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigs

from ...errors import StabilityError
from .pencil import REGULAR_E, Complex, PencilSpectrum, pencil_spectrum, sorted_order
from .sparse_pencil import Solutions, SparsePencil, row_sizes, solutions

FEW_STATES: Final = 30  # up to which all eigenvalues are computed
SHIFTS: Final = (0.0, 1e-5, 1e-3)  # tried until A - σ E is regular, in units of √|A|
PARALLEL: Final = 1e-10  # singular value of products of left and right vectors, relative to the largest, below which a mode is defective
SINGULAR: Final = 1e12  # growth of a vector by (A - σ E)⁻¹ from which this counts as singular


def nearest_eigenvalues(pencil: SparsePencil, count: int, near: complex, names: tuple[str, ...] = ()) -> Complex:
    """`count` finite eigenvalues, the nearest to `near`, by real part."""
    return nearest_modes(pencil, count, near, names, has_vectors=False).s


def nearest_modes(
    pencil: SparsePencil, count: int, near: complex, names: tuple[str, ...] = (), *, has_vectors: bool = True
) -> PencilSpectrum:
    """The same with their vectors; infinite eigenvalues are not counted. Where E is singular, the whole spectrum is computed:
    a Krylov space does not separate infinite eigenvalues from large ones."""
    if pencil.states <= max(FEW_STATES, 2 * count + 2) or _has_infinite_eigenvalues(pencil):
        all_of_them = pencil_spectrum(*pencil.full(), names)
        s, x, y = all_of_them.s, all_of_them.x, all_of_them.y
    else:
        s, x, y = _from_krylov_space(pencil, count, near, has_vectors)
    nearest = np.argsort(np.round(np.abs(s - near), 12), kind="stable")[:count]
    chosen = nearest[sorted_order(s[nearest])]
    return PencilSpectrum(s[chosen], x[:, chosen], y[:, chosen], 0)


def _from_krylov_space(
    pencil: SparsePencil, count: int, near: complex, has_vectors: bool
) -> tuple[Complex, Complex, Complex]:
    n = pencil.states
    E = pencil.E[:n, :n]
    sigma, of_shift = _regular_shift(pencil, near)

    def largest(product: Callable[[Any], Any]) -> tuple[Complex, Complex]:
        """Eigenvalues with vectors; one more than wanted, so that a conjugate pair is not cut."""
        kind = complex if np.iscomplexobj(sigma) else float
        operator = LinearOperator((n, n), lambda v: product(np.reshape(v, -1)), dtype=kind)
        try:
            found: tuple[Complex, Complex] = eigs(operator, k=count + 1, v0=_start(n).astype(kind))
        except ArpackNoConvergence as reason:
            raise StabilityError(
                f"eigenvalues: {count} nearest to {near} did not converge, {len(reason.eigenvalues)} did; pass a smaller count, or compute all of them"
            ) from None
        return found

    mu, x = largest(lambda v: of_shift.plain(E @ v))
    s = np.asarray(sigma + 1 / mu, dtype=complex)
    if not has_vectors:
        return s, x, x
    _, left = largest(lambda v: of_shift.adjoint(E.T @ v))
    products = left.conj().T @ (E @ x)
    y: Any = np.linalg.lstsq(products, left.conj().T, rcond=PARALLEL)[0].conj().T
    return s, x, y


def _has_infinite_eigenvalues(pencil: SparsePencil) -> bool:
    """Whether E is singular: its pivots, with rows scaled to the same size."""
    E = pencil.E[: pencil.states, : pencil.states]
    if E.nnz == pencil.states and E.diagonal().all():
        return False
    full = E.toarray()
    sizes = np.abs(full).max(axis=1, keepdims=True)
    lu, _, _ = get_lapack_funcs("getrf", (full,))(full / np.where(sizes > 0, sizes, 1.0))
    pivots = np.abs(lu.diagonal())
    return bool(pivots.min() <= REGULAR_E * pivots.max())


def _regular_shift(pencil: SparsePencil, near: complex) -> tuple[complex, Solutions]:
    """The first shift at which A - σ E is not singular, and its solutions."""
    start, scale = _start(pencil.states), float(np.sqrt(row_sizes(pencil).max(initial=0.0)))
    for shift in SHIFTS:
        sigma = near + shift * scale
        sigma = sigma.real if not np.imag(sigma) else sigma
        found = solutions(pencil, sigma)
        if np.abs(found.plain(start)).max() < SINGULAR * np.abs(start).max():
            return sigma, found
    raise StabilityError(
        f"eigenvalues: A - s E is singular or not finite at s = {near} and beside it; pass another near="
    )


def _start(n: int) -> Any:
    return np.random.default_rng(0).normal(size=n)

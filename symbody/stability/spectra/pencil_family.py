"""Eigenvalues of many pencils of one structure, without the rounding noise of zero eigenvalues.

Constant states (a cyclic heading, a rate without a force) make eigenvalues that are zero for all parameters. Computed
together with others they come out as ±1e-8, and hide one that passes through zero. They are removed first (Fitting
decomposition, with the ranks of pencils of this structure); the remaining ones are judged by their condition: a real or
imaginary part below the rounding error of its eigenvalue is zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dgebal

from ...emit.run.callable import Array
from ...errors import StabilityError
from .pencil import Complex, core_ranks, finite_part, invertible_part, is_regular

# singular value, relative to the largest, below which its eigenvalue is zero for all parameters
STRUCTURAL_RANK: Final = (
    1e-13  # singular values below this part of the largest belong to eigenvalues that are zero for all parameters
)
MATRIX_ERROR: Final = 1e-13  # relative error of a matrix; that of an eigenvalue is larger by its condition number
MAX_ERROR: Final = 3e-5  # largest relative error of an eigenvalue, that of a triple one
# modulus, relative to the largest eigenvalue, below which it is the rounding of a double zero
DOUBLE_ZERO: Final = 1e-5
SAMPLES: Final = 9  # number of pencils that determine the structure


class Core(NamedTuple):
    """Matrices S whose eigenvalues are those of pencils that are finite and not zero for all parameters.

    A R = E R S,   L A = S L E,   L E R = 1
    """

    S: Array
    R: Array
    L: Array


@dataclass(frozen=True)
class CleanSpectra:
    """Eigenvalues s of cores, one row for each pencil, with right vectors v and left ones (rows of w), w v = 1.

    tolerance   the rounding error of each eigenvalue; parts of s below it are zero
    """

    s: Complex
    v: Complex
    w: Complex
    tolerance: Array

    @property
    def unstable(self) -> NDArray[np.intp]:
        """The number of eigenvalues with a positive real part, of each pencil."""
        return (self.s.real > 0).sum(axis=1)

    def with_zeros(self, which: NDArray[np.bool_]) -> CleanSpectra:
        """The same, where these pencils are known to have an eigenvalue that is zero: it, and one that rounding has parted
        from it (of a double zero ±√rounding is left), are zero."""
        s = self.s.copy()
        size = np.abs(s)
        s[which[:, None] & (size <= DOUBLE_ZERO * size.max(axis=1, keepdims=True, initial=0.0))] = 0.0
        return replace(self, s=s)


class PencilFamily:
    """Pencils A - s E of one structure, at many parameters; the structure is that of the pencils given."""

    def __init__(self, name: str, states: tuple[str, ...], E: Array, A: Array) -> None:
        self.name, self.states = name, states
        some = slice(None, None, max(1, len(E) // SAMPLES))
        self.is_regular = all(is_regular(e) for e in E[some])
        finite = self._finite(E[some], A[some])
        self.infinite = len(states) - finite.S.shape[-1]
        self.scale = self._balance(finite.S)
        self.ranks = core_ranks(self._scaled_core(finite).S, STRUCTURAL_RANK)
        self.zeros = finite.S.shape[-1] - self.ranks[-1] if self.ranks else 0

    def core(self, E: Array, A: Array) -> Core:
        part = self._scaled_core(self._finite(E, A))
        if not self.ranks:
            return part
        S, B, P = invertible_part(part.S, self.ranks)
        return Core(S, part.R @ B, P @ part.L)

    def spectra(self, core: Core) -> CleanSpectra:
        if not core.S.size:
            empty = core.S.astype(complex)
            return CleanSpectra(np.zeros((len(empty), 0), dtype=complex), empty, empty, np.zeros((len(empty), 0)))
        s, v = np.linalg.eig(core.S)
        w = _left_vectors(v)
        size = np.linalg.norm(core.S, axis=(1, 2))[:, None]
        condition = np.linalg.norm(v, axis=1) * np.linalg.norm(w, axis=2)
        tolerance = _shared_tolerance(s, size * np.minimum(MATRIX_ERROR * condition, MAX_ERROR))
        return CleanSpectra(_without_noise(s, tolerance), v, w, tolerance)

    def with_zeros(self, s: Complex) -> Complex:
        """All finite eigenvalues, including those that are zero for all parameters, which come first."""
        return np.concatenate([np.zeros((len(s), self.zeros), dtype=complex), s], axis=1)

    def _finite(self, E: Array, A: Array) -> Core:
        if self.is_regular:
            R = np.broadcast_to(np.eye(len(self.states)), E.shape)
            S, L = np.split(np.linalg.solve(E, np.concatenate([A, R], axis=2)), 2, axis=2)
            return Core(S, R, L)
        parts = [finite_part(e, a, self.states) for e, a in zip(E, A, strict=True)]
        counts = {len(self.states) - len(S) for S, _, _ in parts}
        if len(counts) > 1:
            raise StabilityError(
                f"{self.name}: the number of finite eigenvalues changes along the parameters (infinite ones: "
                f"{sorted(counts)})"
            )
        return Core(*(np.array(x) for x in zip(*parts, strict=True)))

    def _balance(self, S: Array) -> Array:
        """One diagonal scaling of the states for all, where they are the same states for all."""
        if not self.is_regular or not S.size:
            return np.ones(S.shape[-1])
        return np.asarray(dgebal(np.abs(S).max(axis=0), scale=1, permute=0)[3])

    def _scaled_core(self, part: Core) -> Core:
        d = self.scale
        return Core(part.S * d / d[:, None], part.R * d, part.L / d[:, None])


def _left_vectors(v: Complex) -> Complex:
    """Left vectors from right ones: w v = 1. Where these are parallel (defective), finite numbers as large as
    rounding allows."""
    try:
        found = np.linalg.solve(v, np.broadcast_to(np.eye(v.shape[-1]), v.shape))
        if np.abs(found).max(initial=0.0) < 1e16:
            return np.asarray(found, dtype=complex)
    except np.linalg.LinAlgError:
        pass
    U, values, Vh = np.linalg.svd(v)
    inverted = 1 / np.maximum(values, 1e-16)
    return np.asarray((Vh.conj().swapaxes(1, 2) * inverted[:, None, :]) @ U.conj().swapaxes(1, 2), dtype=complex)


def _shared_tolerance(s: Any, tolerance: Array) -> Array:
    """Eigenvalues closer than their tolerances get a common one, the largest of theirs."""
    apart = np.abs(s[:, :, None] - s[:, None, :])
    either = np.maximum(tolerance[:, :, None], tolerance[:, None, :])
    return np.where(apart <= 4 * either, either, 0.0).max(axis=2, initial=0.0)


def _without_noise(s: Any, tolerance: Array) -> Complex:
    out = s.astype(complex)
    out.real[np.abs(out.real) <= tolerance] = 0.0
    out.imag[np.abs(out.imag) <= tolerance] = 0.0
    return out


def unstable_counts(name: str, states: Sequence[str], E: Array, A: Array) -> tuple[Complex, NDArray[np.intp]]:
    """Finite eigenvalues of each pencil, and how many of them have a positive real part."""
    family = PencilFamily(name, tuple(states), E, A)
    found = family.spectra(family.core(E, A))
    return family.with_zeros(found.s), found.unstable

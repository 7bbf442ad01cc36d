"""Whether a motion is stiff: it has modes that decay long before anything else happens.

An explicit step is bounded by about 3/|λ| for every eigenvalue λ of ∂F/∂y, also where that mode has died down long ago.
Modes with -Re λ ≥ |Im λ| die down within a turn; others, which oscillate or grow, are part of the motion and must be
followed by any method. A start counts as stiff where the fastest mode that dies down is a thousand times faster than
all that does not, and would require more than some ten thousand explicit steps:

    |λ|  >  1000 max(|λ| of modes that stay, 100 / time span)

The eigenvalues are compared by orders of magnitude, so the slopes are differences of the compiled rates: exact ones
would have to be compiled, which for constrained systems takes longer than most simulations. Entries that change with
the distance over which the difference is taken belong to a jump (dry friction at rest) and count as nothing.
"""

from __future__ import annotations

import math
from functools import cache
from random import Random
from typing import Final

import numpy as np

from ...emit.run.callable import Array
from ..forms.forms import Form

STIFFNESS_RATIO: Final = 1000.0  # of the fastest decay to the slower ones, from which on a system is stiff
EVENTS_IN_SPAN: Final = 100.0  # slow changes that are assumed to happen during the time span
DIFFERENCE_STEPS: Final = np.array([1e-6, 4e-6])  # for finite differences of the rates, relative to 1 + |y|
WELL_BELOW: Final = 0.01  # fraction of a bound: directions stretched by less show that the norm is smaller
MOST_DENSE: Final = 500  # variables up to which ∂F/∂y is made; beyond, its eigenvalues come from a Krylov space
KRYLOV_DIMENSION: Final = 40
STABILITY_BOUND: Final = 1.0  # |λ| times the mean step from which on stability bounds the steps


def _slopes(form: Form, t: float, y: Array, p: Array) -> Array:
    """∂F/∂y by differences over two distances; where they disagree, zero."""
    n, f = len(y), form.rhs_program
    d = np.outer(DIFFERENCE_STEPS, 1.0 + np.abs(y))
    ahead, behind = y + d[:, :, None] * np.eye(n), y - d[:, :, None] * np.eye(n)
    rates = f.over("y", np.concatenate([ahead, behind]).reshape(-1, n), t, y, p).reshape(2, 2, n, n)
    with np.errstate(invalid="ignore"):  # states beside this one may have no rates
        near, far = ((rates[0] - rates[1]) / (2 * d[:, :, None])).transpose(0, 2, 1)
        is_smooth = np.abs(near - far) <= 0.2 * np.abs(near) + 1e-6
    return np.where(is_smooth & np.isfinite(near), near, 0.0)


def _rough_size(form: Form, t: float, y: Array, p: Array) -> float:
    """The norm of ∂F/∂y by differences to one side: a quarter of the evaluations."""
    f, d = form.rhs_program, DIFFERENCE_STEPS[0] * (1.0 + np.abs(y))
    here, *beside = f.over("y", np.vstack([y, y + np.diag(d)]), t, y, p)
    with np.errstate(invalid="ignore", over="ignore"):  # rates may be infinite: the outcome names them
        return float(np.linalg.norm((np.array(beside) - here) / d[:, None]))


def _is_small(form: Form, t: float, y: Array, p: Array, bound: float) -> bool:
    """Whether ∂F/∂y is far below a bound, by its stretch of a few directions: four evaluations, however many variables.
    A matrix of norm `bound` shrinks all of them below `WELL_BELOW` of it once in a million times; then it counts as small."""
    rates = form.rhs_program.over("y", y + DIFFERENCE_STEPS[0] * (1.0 + np.abs(y)) * _directions(len(y)), t, y, p)
    return bool(np.linalg.norm(rates[1:] - rates[0]) <= WELL_BELOW * bound * DIFFERENCE_STEPS[0])


@cache
def _directions(n: int) -> Array:
    """Zero, and three directions."""
    numbers = np.frombuffer(Random(1).randbytes(24 * n), np.int64).reshape(3, n)
    return np.vstack([np.zeros(n), math.sqrt(3.0) * 2.0**-63 * numbers])  # independent, of variance 1


def _krylov_slopes(form: Form, t: float, y: Array, p: Array) -> Array:
    """∂F/∂y in a Krylov space (Arnoldi): a small matrix whose eigenvalues approximate the outermost ones. Two evaluations
    for each dimension, and memory in proportion to the variables."""
    basis, slopes = [_directions(len(y))[1]], np.zeros((KRYLOV_DIMENSION, KRYLOV_DIMENSION))
    basis[0] = basis[0] / np.linalg.norm(basis[0])
    for k in range(KRYLOV_DIMENSION):
        d = DIFFERENCE_STEPS[0] * float((1.0 + np.abs(y)).max() / np.abs(basis[k]).max())
        ahead, behind = form.rhs_program.over("y", np.array([y + d * basis[k], y - d * basis[k]]), t, y, p)
        image = (ahead - behind) / (2 * d)
        if not np.isfinite(image).all():
            return slopes[:k, :k]
        for i, v in enumerate(basis):
            slopes[i, k] = v @ image
            image = image - slopes[i, k] * v
        size = float(np.linalg.norm(image))
        if k + 1 == KRYLOV_DIMENSION or size <= 1e-12 * np.abs(slopes).max(initial=0.0) or not size:
            return slopes[: k + 1, : k + 1]
        slopes[k + 1, k] = size
        basis.append(image / size)
    return slopes


def rough_sizes(form: Form, t: float, y: Array, p: Array) -> Array:
    """`_rough_size` of many states at once, with parameters of each."""
    f, n = form.rhs_program, y.shape[1]
    d, here = DIFFERENCE_STEPS[0] * (1.0 + np.abs(y)), f.batch(t, y, p)
    total = np.zeros(len(y))
    with np.errstate(invalid="ignore", over="ignore"):
        for i in range(n):
            beside = y.copy()
            beside[:, i] += d[:, i]
            total += np.sum(((f.batch(t, beside, p) - here) / d[:, i, None]) ** 2, axis=1)
    return np.sqrt(total)


def fastest_decay(form: Form, t: float, y: Array, p: Array) -> tuple[float, float]:
    """The largest |λ| of modes that die down within a turn, and of those that do not."""
    return _modes((_slopes if len(y) <= MOST_DENSE else _krylov_slopes)(form, t, y, p))


def _modes(slopes: Array) -> tuple[float, float]:
    values = np.linalg.eigvals(slopes)
    dies = -values.real >= np.abs(values.imag)
    return float(np.max(np.abs(values[dies]), initial=0.0)), float(np.max(np.abs(values[~dies]), initial=0.0))


def largest_rate(form: Form, t: float, y: Array, p: Array) -> float:
    """The largest |λ| of all modes."""
    return max(fastest_decay(form, t, y, p))


def is_stiff(form: Form, t: float, y: Array, p: Array, span: float) -> bool:
    """Whether an implicit method is the better one from here on."""
    bound = rough_bound(span)  # where the norm of ∂F/∂y is smaller, no eigenvalue is larger
    is_large = len(y) > MOST_DENSE
    if _is_small(form, t, y, p, bound) or (not is_large and _rough_size(form, t, y, p) <= bound):
        return False
    fast, staying = fastest_decay(form, t, y, p)
    return fast > max(STIFFNESS_RATIO * staying, _least(span))


def _least(span: float) -> float:
    """|λ| of a mode that would require too many explicit steps."""
    return STIFFNESS_RATIO * EVENTS_IN_SPAN / abs(span)


def rough_bound(span: float) -> float:
    """The norm of ∂F/∂y up to which no motion over this time is stiff."""
    return 0.5 * _least(span)


def stiffness_note(form: Form, t: float, y: Array, p: Array, mean_step: float) -> str:
    """A note for an explicit run that took too many steps."""
    fast, _ = fastest_decay(form, t, y, p)
    if fast * abs(mean_step) < STABILITY_BOUND:
        return ""
    return (
        f"it looks stiff: a mode that decays with {fast:z.3g} per unit of time bounds explicit steps, which were {abs(mean_step):z.3g} long "
        "on average; method='radau' does not have this limit"
    )

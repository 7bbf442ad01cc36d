"""Special points of a branch: folds, branch points and Hopf points, located, named and described.

At a fold the tangent has no component along the freed value; if it has none along the whole branch, as in equations
that are linear in the state, motions of all amplitudes belong to one value, and there is no fold. At a branch point J
has a second null vector; with its null vectors φ₁, φ₂ and the left one ψ the directions of the branches that meet there
are the zeros of the quadratic form

    Σ cᵢⱼ αᵢ αⱼ = 0,   cᵢⱼ = ψᵀ ∂²R[φᵢ, φⱼ]                                        (Keller 1977)

The point itself is the solution of  R + β ψ = 0,  Jᵀ ψ = 0,  ψᵀψ = 1  (Moore 1980), which is regular where J is not.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement
from typing import Final

import numpy as np
from scipy.optimize import brentq, linear_sum_assignment

from ...algebra.nonlinear.continuation import CONSTANT_UNKNOWN, CurvePoint, SolutionCurve
from ...algebra.nonlinear.nonlinear import System
from ...algebra.nonlinear.trust_region import EPS
from ...emit.run.callable import Array
from ...summary import Introduced
from ..spectra.pencil import Complex
from ..spectra.pencil_family import PencilFamily
from .branch_problem import BranchProblem
from .hopf_form import HopfForm, hopf_form

# component of a branch's direction along the freed value, in units of its size, below which it is vertical
VERTICAL_DIRECTION: Final = (
    1e-5  # a branch leaves at a right angle to the freed value where its direction has less of it than this
)
MAX_ITERATIONS: Final = 12  # largest number of Newton iterations for a branch point
WORDS: Final = {
    "fold": "the branch turns back; beyond this value there is no steady motion nearby",
    "pitchfork": "symmetry breaking: two mirrored motions begin or end",
    "transcritical": "two branches of motions cross",
    "branch point": "branches of motions meet",
    "Hopf": "an oscillation begins or ends",
    "divergence": "a real eigenvalue is zero; the motions that meet here are not of the requested kind",
}


@dataclass(frozen=True)
class SpecialPoint(Introduced):
    """A bifurcation or other special point of a branch.

    kind        fold, pitchfork, transcritical, branch point, Hopf, or divergence (any other zero eigenvalue)
    value       the varied value
    x           all unknowns of the branch there
    place       number of points of the branch before it
    eigenvalue  the eigenvalue that is zero there, or imaginary (Hopf)
    criticality "supercritical", "subcritical", or empty if not applicable: the side on which the new motions exist
    coefficient of the normal form: of a fold ψᵀ∂²R[v, v], of a pitchfork c in value ≈ value₀ + c s² (0 if motions of
    all amplitudes have the same value), of a Hopf point the first Lyapunov coefficient
    form        the normal form of a Hopf point, `HopfForm`; None if the speeds rotate with the motion

    directions   tangents of the branches that cross there, in the active unknowns
    range        orthonormal basis of the range of the Jacobian, at a point where branches cross

    >>> x, mu = sb.symbols("x mu")
    >>> eq = sb.from_equations({x: mu * x - x**3}, {mu: -1.0})
    >>> (point,) = sb.branch(eq, sb.steady(eq), mu=(-1, 1)).special
    >>> point.kind, point.criticality
    ('pitchfork', 'supercritical')

    See also: `branch`, `stability.Branch`.
    """

    kind: str
    value: float
    x: Array
    place: int
    eigenvalue: complex = 0j
    criticality: str = ""
    coefficient: float = np.nan
    directions: tuple[Array, ...] = ()  # of other branches, in the unknowns that move
    range: Array | None = None
    form: HopfForm | None = None

    def with_criticality(self, before: int, after: int, is_rising: bool) -> SpecialPoint:
        """The point with its criticality. A pitchfork is supercritical if the new motions exist on the side where this
        branch is unstable, as determined from the numbers of unstable eigenvalues on both sides and the direction of
        the varied value.

        >>> x, mu = sb.symbols("x mu")
        >>> eq = sb.from_equations({x: mu * x - x**3}, {mu: -1.0})
        >>> (point,) = sb.branch(eq, sb.steady(eq), mu=(-1, 1)).special
        >>> point.with_criticality(0, 1, is_rising=True).criticality
        'supercritical'
        """
        if self.kind != "pitchfork" or before == after or not np.isfinite(self.coefficient) or not self.coefficient:
            return self
        is_above = (after > before) == is_rising  # stability is lost towards larger values
        return replace(self, criticality="supercritical" if (self.coefficient > 0) == is_above else "subcritical")

    def __str__(self) -> str:
        said = f"{self.criticality} {self.kind}".strip()
        omega = f", ω = {abs(self.eigenvalue.imag):z.8g}" if self.kind == "Hopf" else ""
        return f"{said} at {self.value:z.10g}{omega}: {self._meaning}"

    @property
    def _meaning(self) -> str:
        if self.kind == "pitchfork" and self.coefficient == 0.0:
            return "motions of all sizes at this one value; terms of higher order than the model has decide beyond it"
        if self.form is None or not self.form.c1.real:
            return WORDS[self.kind]
        side = "larger" if self.form.amplitude > 0 else "smaller"
        return f"{'a stable' if self.form.lyapunov < 0 else 'an unstable'} oscillation at {side} values"


# ---------------------------------------------------------------------------------------------- folds and branch points


def special_points_between(
    problem: BranchProblem, curve: SolutionCurve, place: int, here: CurvePoint, there: CurvePoint
) -> list[SpecialPoint]:
    """Folds and branch points between two points of a branch."""
    out = []
    if curve.orientation(here, here.range) * curve.orientation(there, here.range) < 0:
        out += _branch_point(problem, curve, place, here, there)
    elif here.tangent[-1] * there.tangent[-1] < 0 and not _stays(curve, here, there):
        found = sign_change(curve, here, there, lambda point: float(point.tangent[-1]))
        out += [] if found is None else [_fold(problem, curve, place, found)]
    return out


def _stays(curve: SolutionCurve, here: CurvePoint, there: CurvePoint) -> bool:
    """Whether the freed value is the same all the way between two points, so that an eigenvalue is zero all along."""
    return curve.is_level(here, -1) and curve.is_level(there, -1)


def _fold(problem: BranchProblem, curve: SolutionCurve, place: int, point: CurvePoint) -> SpecialPoint:
    psi = _left_null(curve, point.J[:, :-1], point.range)
    bend = float(psi @ problem.form(point.x, point.tangent, point.tangent))
    return SpecialPoint("fold", float(point.x[-1]), problem.whole(point.x), place, coefficient=bend)


def _left_null(curve: SolutionCurve, J: Array, basis: Array) -> Array:
    """ψ with ψᵀ J = 0 among combinations of rows that are independent elsewhere."""
    U, _, _ = np.linalg.svd(basis.T @ (curve.rows[:, None] * J))
    return np.asarray(curve.rows * (basis @ U[:, -1]))


def _branch_point(
    problem: BranchProblem, curve: SolutionCurve, place: int, here: CurvePoint, there: CurvePoint
) -> list[SpecialPoint]:
    found = _branch_point_and_vector(problem, curve, here, there)
    if found is None:
        return []
    x, psi = found
    J = problem.rows_of_moving(x)[1]
    columns = curve.columns
    V = np.linalg.svd(here.range.T @ (curve.rows[:, None] * J * columns))[2]
    phi = columns[:, None] * V[-2:].T
    first, mixed, last = (float(psi @ problem.form(x, *pair)) for pair in combinations_with_replacement(phi.T, 2))
    C = np.array([[first, mixed], [mixed, last]])
    roots = [phi @ a for a in _null_directions(C)]
    roots = [r / curve.length(r) for r in roots]
    own, others = _own_and_other_directions(curve, there.x - here.x, roots)
    kind, bend = _kind_and_coefficient(problem, curve, x, J, psi, here.range, [*own, *others])
    return [SpecialPoint(kind, float(x[-1]), problem.whole(x), place, 0j, "", bend, tuple(others), here.range)]


def _branch_point_and_vector(
    problem: BranchProblem, curve: SolutionCurve, here: CurvePoint, there: CurvePoint
) -> tuple[Array, Array] | None:
    """The branch point between two points, and ψ: the zero of Moore's system, searched from where linear interpolation
    of the determinant vanishes. Unknowns are x in units of its columns, β, and ψ in the basis of independent rows."""
    n, D, basis = len(here.x) - 1, curve.columns, here.range

    def rows(unknowns: Array) -> tuple[Array, Array]:
        x, beta, c = D * unknowns[: n + 1], unknowns[n + 1], unknowns[n + 2 :]
        F, J = problem.rows_of_moving(x)
        F, J = basis.T @ (curve.rows * F), basis.T @ (curve.rows[:, None] * J * D)
        slopes = np.zeros((2 * n + 2, 2 * n + 2))
        slopes[:n, : n + 1], slopes[:n, n + 1], slopes[:n, n + 2 :] = J, c, beta * np.eye(n)
        slopes[n : 2 * n + 1, : n + 1] = D[:, None] * problem.curvature(x, curve.rows * (basis @ c)) * D
        slopes[n : 2 * n + 1, n + 2 :] = J.T
        slopes[-1, n + 2 :] = 2 * c
        return np.concatenate([F + beta * c, J.T @ c, [c @ c - 1]]), slopes

    sizes = [abs(curve.smallest(point, basis)) for point in (here, there)]
    x = here.x + sizes[0] / sum(sizes) * (there.x - here.x)
    c = np.linalg.svd(basis.T @ (curve.rows[:, None] * problem.rows_of_moving(x)[1] * D))[0][:, -1]
    found = System(rows, max_steps=MAX_ITERATIONS).zero(np.concatenate([x / D, [0.0], c]))
    x, c = D * found.x[: n + 1], found.x[n + 2 :]
    away = max(curve.length(x - here.x), curve.length(x - there.x))
    return (x, curve.rows * (basis @ c)) if found.holds and away <= 2 * curve.length(there.x - here.x) else None


def _null_directions(C: Array) -> list[Array]:
    """The two directions a with aᵀ C a = 0 of a symmetric 2 by 2 matrix; fewer where it is definite."""
    values, vectors = np.linalg.eigh(C)
    if values[0] * values[1] >= 0:
        return []
    a, b = np.sqrt(-values[0]), np.sqrt(values[1])
    return [vectors @ np.array([b, sign * a]) for sign in (1.0, -1.0)]


def _own_and_other_directions(
    curve: SolutionCurve, chord: Array, roots: list[Array]
) -> tuple[list[Array], list[Array]]:
    """The direction of the branch itself, nearest to the chord across the point, and the others."""
    along = [abs(r @ (curve.weights * chord)) for r in roots]
    own = int(np.argmax(along)) if roots else 0
    return roots[own : own + 1], [r for k, r in enumerate(roots) if k != own]


def _kind_and_coefficient(
    problem: BranchProblem, curve: SolutionCurve, x: Array, J: Array, psi: Array, basis: Array, directions: list[Array]
) -> tuple[str, float]:
    """Pitchfork if one branch is vertical in the freed value, with its side and cubic coefficient; else
    transcritical."""
    if len(directions) < 2:
        return "branch point", np.nan
    parts = [abs(d[-1]) / curve.sizes[-1] for d in directions]
    upright = int(np.argmin(parts))
    if parts[upright] > VERTICAL_DIRECTION:
        return "transcritical", np.nan
    v, along = directions[upright], directions[1 - upright]
    second, third = problem.form(x, v, v), problem.form(x, v, v, v)
    R = curve.rows[:, None] * J * curve.columns
    right = np.append(-basis.T @ (curve.rows * second), [0.0, 0.0])
    across = [curve.columns * curve.weights * d for d in (v, along)]
    h = curve.columns * np.linalg.lstsq(np.vstack([basis.T @ R, *across]), right, rcond=1e-10)[0]
    mixed = problem.form(x, v, h)
    cubic = float(psi @ (third + 3 * mixed))
    crossed = float(psi @ problem.form(x, v, along)) / along[-1]
    bend = -cubic / (6 * crossed) if crossed else np.nan  # value ≈ value₀ + bend a²
    return "pitchfork", 0.0 if abs(bend) <= CONSTANT_UNKNOWN * curve.sizes[-1] else bend


# ----------------------------------------------------------------------------------------------- zeros along the branch


def sign_change(
    curve: SolutionCurve, here: CurvePoint, there: CurvePoint, test: Callable[[CurvePoint], float]
) -> CurvePoint | None:
    """The point between two others at which a function changes its sign; None if it does not, or cannot be
    approached."""
    far = float((there.x - here.x) @ (curve.weights * here.tangent))
    known: dict[float, CurvePoint | None] = {0.0: here, far: there}

    def value(s: float) -> float:
        known[s] = known.get(s) or curve.between(here, s)
        point = known[s]
        return np.nan if point is None else test(point)

    if not value(0.0) * value(far) <= 0:
        return None
    s, search = brentq(value, 0.0, far, xtol=4 * EPS * max(far, 1e-3), rtol=4 * EPS, disp=False, full_output=True)
    if not search.converged or not np.isfinite(value(s)):
        return None
    return known[s]


# ------------------------------------------------------------------------------------ eigenvalues on the imaginary axis


def crossings(
    problem: BranchProblem, curve: SolutionCurve, family: PencilFamily, points: list[CurvePoint], spectra: list[Complex], known: Collection[int]
) -> list[SpecialPoint]:  # fmt: skip
    """Eigenvalues that cross the imaginary axis between two points: pairs, and real ones but between those points that
    are `known` to have a fold or a branch point between them."""
    out = []
    for k in range(len(points) - 1):
        ends = points[k], points[k + 1]
        for a, b in crossing_eigenvalues(*(s[s.imag > 0] for s in (spectra[k], spectra[k + 1]))):
            out += _hopf(problem, curve, k, *ends, _Followed(problem, curve, family, *ends, a, b))
        if k not in known and not _stays(curve, *ends) and _slowest(spectra[k]) * _slowest(spectra[k + 1]) < 0:
            out += _divergence(problem, curve, family, k, *ends)
    return out


def _slowest(s: Complex) -> float:
    """The modulus of the slowest eigenvalue, with the sign of the product of all: it passes through zero with a real
    eigenvalue."""
    if not s.size:
        return 1.0
    return float(np.prod(np.sign(s.real[s.imag == 0])) * np.abs(s).min())


def crossing_eigenvalues(a: Complex, b: Complex) -> Iterator[tuple[complex, complex]]:
    """Corresponding eigenvalues of two neighbours that lie on different sides of the imaginary axis."""
    if len(a) and len(b):
        for i, j in zip(*linear_sum_assignment(np.abs(a[:, None] - b[None, :])), strict=True):
            if a[i].real * b[j].real < 0 or (a[i].real == 0) != (b[j].real == 0):
                yield complex(a[i]), complex(b[j])


@dataclass(frozen=True)
class _Followed:
    """The eigenvalue that moves from a to b between two points."""

    problem: BranchProblem
    curve: SolutionCurve
    family: PencilFamily
    here: CurvePoint
    there: CurvePoint
    a: complex
    b: complex

    def at(self, point: CurvePoint) -> complex:
        way = self.curve.weights * self.here.tangent
        part = float((point.x - self.here.x) @ way) / float((self.there.x - self.here.x) @ way)
        found = self.problem.spectra(self.family, self.problem.whole(point.x)[None]).s[0]
        own = found[found.imag > 0]
        wanted = self.a + part * (self.b - self.a)
        return complex(own[np.argmin(np.abs(own - wanted))]) if len(own) else complex(np.nan)

    def real(self, point: CurvePoint) -> float:
        return self.at(point).real


def _divergence(
    problem: BranchProblem, curve: SolutionCurve, family: PencilFamily, place: int, here: CurvePoint, there: CurvePoint
) -> list[SpecialPoint]:
    def slowest(point: CurvePoint) -> float:
        return _slowest(problem.spectra(family, problem.whole(point.x)[None]).s[0])

    found = sign_change(curve, here, there, slowest)
    return [] if found is None else [SpecialPoint("divergence", float(found.x[-1]), problem.whole(found.x), place)]


def _hopf(
    problem: BranchProblem, curve: SolutionCurve, place: int, here: CurvePoint, there: CurvePoint, followed: _Followed
) -> list[SpecialPoint]:
    found = sign_change(curve, here, there, followed.real)
    if found is None:
        return []
    s, x = 1j * followed.at(found).imag, problem.whole(found.x)
    form = hopf_form(problem.full_rows, problem.numbers_at(x), problem.direction_at(x, found.tangent), s)
    word = "" if form is None or not form.c1.real else "supercritical" if form.lyapunov < 0 else "subcritical"
    coefficient = np.nan if form is None else form.lyapunov
    return [SpecialPoint("Hopf", float(found.x[-1]), x, place, s, word, coefficient, form=form)]

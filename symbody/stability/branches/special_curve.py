"""`SpecialCurve`: folds or Hopf points of steady motions over two values, with the points of codimension two on it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np

from ...algebra.nonlinear.continuation import CurveEnd, CurvePoint, SolutionCurve, reversed_point
from ...argument_kinds import answered_class
from ...emit.run.callable import Array
from ...summary import Introduced
from ..spectra.pencil import Complex
from ..spectra.pencil_family import PencilFamily
from .branch_points import crossing_eigenvalues, sign_change
from .hopf_form import hopf_form
from .motion_family import MotionFamily
from .special_rows import HopfRows, SpecialRows

ZERO_TEST: Final = 1e-11  # value of a test function below which a sign change is rounding noise
# imaginary part, relative to the eigenvalue, below which a pair counts as a double real eigenvalue
REAL_PAIR: Final = 1e-6
WORDS: Final = {
    "cusp": "two folds meet and vanish",
    "Bogdanov-Takens": "folds and Hopf points meet: two eigenvalues are zero",
    "zero-Hopf": "folds and Hopf points meet: one eigenvalue is zero, a pair imaginary",
    "double Hopf": "two oscillations begin at once",
    "generalised Hopf": "the oscillation changes from stable to unstable beginnings",
}


@dataclass(frozen=True)
class DegeneratePoint(Introduced):
    """A codimension-two bifurcation point.

    kind     cusp, Bogdanov-Takens, zero-Hopf, double Hopf, or generalised Hopf
    values   the two varied values
    x        all unknowns there
    place    number of points of the curve before it

    >>> x, mu, a = sb.symbols("x mu a")
    >>> eq = sb.from_equations({x: mu + a * x - x**3}, {mu: -1.0, a: 1.0})
    >>> found = sb.branch(eq, sb.steady(eq, start={"x": -1.3}), mu=(-1, 1))
    >>> curve = found.curve_of(found.special[0], a=(-0.2, 1.0))
    >>> [p.kind for p in curve.special]
    ['cusp']

    See also: `stability.SpecialCurve`.
    """

    kind: str
    values: tuple[float, float]
    x: Array
    place: int

    def __str__(self) -> str:
        return f"{self.kind} at ({self.values[0]:z.10g}, {self.values[1]:z.10g}): {WORDS[self.kind]}"


@answered_class
@dataclass(frozen=True, eq=False, repr=False)
class SpecialCurve(MotionFamily):
    """A curve of folds or Hopf points over two values; returned by `branch.curve_of(point, k=(low, high))`.
    `curve["k"]` is an array, as for a branch.

    kind       fold or Hopf
    varied     the names of the two values
    omega      the frequency (rad/s) of each Hopf point; zeros for folds
    special    points of codimension two, in order
    outcome    how the continuation ended in each direction
    problem    the compiled equations of the curve
    points     all unknowns, a row for each

    >>> x, mu, a = sb.symbols("x mu a")
    >>> eq = sb.from_equations({x: mu + a * x - x**3}, {mu: -1.0, a: 1.0})
    >>> found = sb.branch(eq, sb.steady(eq, start={"x": -1.3}), mu=(-1, 1))
    >>> curve = found.curve_of(found.special[0], a=(0.2, 1.0))
    >>> curve.kind, curve.varied, np.allclose(27 * curve["mu"] ** 2, 4 * curve["a"] ** 3)
    ('fold', ('mu', 'a'), True)

    See also: `stability.Branch.curve_of`, `stability.DegeneratePoint`, `plot`.
    """

    kind: str
    varied: tuple[str, str]
    omega: Array
    special: tuple[DegeneratePoint, ...]
    outcome: tuple[str, str]

    def __str__(self) -> str:
        ranges = ", ".join(f"{n} = {self[n].min():z.6g} ... {self[n].max():z.6g}" for n in self.varied)
        title = f"Curve of {self.kind} points of {self.equations.name!r} over {ranges}: {len(self)} points"
        names = ", ".join(self.varied)
        lines = [
            title,
            *(f"({names}): {p}" for p in self.special),
            f"beginning: {self.outcome[0]}; end: {self.outcome[1]}",
        ]
        return "\n    ".join(lines)

    @property
    def said(self) -> str:
        """The kind of family, for messages.

        >>> x, mu, a = sb.symbols("x mu a")
        >>> eq = sb.from_equations({x: mu + a * x - x**3}, {mu: -1.0, a: 1.0})
        >>> found = sb.branch(eq, sb.steady(eq, start={"x": -1.3}), mu=(-1, 1))
        >>> found.curve_of(found.special[0], a=(0.8, 1.0)).said
        "curve of fold points of 'equations'"
        """
        return f"curve of {self.kind} points of {self.equations.name!r}"


def special_curve(rows: SpecialRows, family: PencilFamily, step: float, max_step: float, most: int) -> SpecialCurve:
    """The curve through the point that the rows begin with, both ways; `family` has the structure of its linear
    systems."""
    curve = SolutionCurve(rows.function, rows.sizes, np.abs(rows.function(rows.moving(rows.begin))[1]), step, max_step)
    start = curve.at(rows.moving(rows.begin))
    assert start is not None
    ahead, end = _way(rows, curve, start, most)
    back, begun = (
        ([], end) if end in (CurveEnd.CLOSED, CurveEnd.INTERRUPTED) else _way(rows, curve, reversed_point(start), most)
    )
    points = [*(reversed_point(p) for p in reversed(back)), start, *ahead]
    X = np.array([rows.whole(p.x) for p in points])
    special = _Degeneracies(rows, curve, family, points).found()
    omega = np.sqrt(X[:, -1]) if rows.is_complex else np.zeros(len(X))
    varied = (rows.problem.unknowns[-2].name, rows.problem.unknowns[-1].name)
    return SpecialCurve(
        rows, X[:, : rows.count], rows.kind, varied, omega, tuple(sorted(special, key=lambda p: p.place)), (begun.value, end.value)
    )  # fmt: skip


def _way(rows: SpecialRows, curve: SolutionCurve, start: CurvePoint, most: int) -> tuple[list[CurvePoint], CurveEnd]:
    """Points in one direction; the length of the null vector is measured along that of the last one."""
    found: list[CurvePoint] = []
    rows.normalize(start.x)
    with suppress(KeyboardInterrupt):
        for item in curve.followed(start, rows.bounds, most):
            if isinstance(item, CurveEnd):
                return found, item
            found.append(item)
            rows.normalize(item.x)
    return found, CurveEnd.INTERRUPTED


class _Degeneracies:
    """Points of codimension two between the points of a curve: sign changes of functions that vanish in them."""

    def __init__(self, rows: SpecialRows, curve: SolutionCurve, family: PencilFamily, points: list[CurvePoint]) -> None:
        self.rows, self.curve, self.family, self.points = rows, curve, family, points

    def found(self) -> list[DegeneratePoint]:
        spectra = [self._others(p) for p in self.points]
        tests = self._tests()
        out = []
        for k, (here, there) in enumerate(pairwise(self.points)):
            self.rows.normalize(here.x)
            for kind, made in tests.items():
                test = made(here)
                ends = test(here), test(there)
                is_crossed = ends[0] * ends[1] < 0 and min(map(abs, ends)) > ZERO_TEST
                found = sign_change(self.curve, here, there, test) if is_crossed else None
                out += [] if found is None else [self._point(kind, found.x, k)]
            out += self._crossings(k, here, there, spectra[k], spectra[k + 1])
        return out + self._ends()

    def _tests(self) -> dict[str, Callable[[CurvePoint], Callable[[CurvePoint], float]]]:
        """Test functions of points next to a point."""
        if isinstance(self.rows, HopfRows):
            return {"generalised Hopf": lambda _: self._lyapunov}
        return {"cusp": self._bend, "Bogdanov-Takens": lambda _: self._slow_sum}

    def _point(self, kind: str, x: Array, place: int) -> DegeneratePoint:
        X = self.rows.whole(x)[: self.rows.count]
        return DegeneratePoint(kind, (float(X[-2]), float(X[-1])), X, place)

    def _ends(self) -> list[DegeneratePoint]:
        """Where ω has gone to zero, the curve of Hopf points ends in a Bogdanov-Takens point."""
        if not isinstance(self.rows, HopfRows):
            return []
        last = len(self.points) - 1
        return [self._point("Bogdanov-Takens", self.points[k].x, k) for k in (0, last) if self.points[k].x[-1] == 0]

    # ------------------------------------------------------------------------------------------------ functions

    def _bend(self, here: CurvePoint) -> Callable[[CurvePoint], float]:
        """ψᵀ ∂²R[φ, φ], ψ on the side of that of a point: zero in a cusp."""
        reference = self._left_null(here)

        def bend(point: CurvePoint) -> float:
            psi, n = self._left_null(point), len(self.rows.states)
            phi = point.x[n + 2 :]
            second = point.J[len(psi) : 2 * len(psi), :n] @ phi
            return float(np.sign(psi @ reference) * (psi @ second) / (phi @ phi))

        return bend

    def _left_null(self, point: CurvePoint) -> Array:
        """ψ with ψᵀ ∂R/∂x = 0 among combinations of rows that depend on the two values."""
        n, m = len(self.rows.states), len(self.rows.problem.rows)
        J = (self.curve.rows[:, None] * point.J * self.curve.columns)[:m, : n + 2]
        basis = np.linalg.svd(J)[0][:, :n]
        psi = basis @ np.linalg.svd(basis.T @ J[:, :n])[0][:, -1]
        return np.asarray(self.curve.rows[:m] * psi)

    def _slow_sum(self, point: CurvePoint) -> float:
        """The sum of the two slowest eigenvalues, one of which is zero at a fold, in parts of the fastest: smooth, and
        zero if both are."""
        X = self.rows.whole(point.x)[None, : self.rows.count]
        s = np.linalg.eigvals(self.family.core(*self.rows.pencils(X)).S[0])
        slow = s[np.argsort(np.abs(s))[:2]]
        if len(slow) < 2 or abs(slow.sum().imag) > REAL_PAIR * abs(slow[1]):  # the second is one of a pair
            return 1.0
        return float(slow.sum().real / np.abs(s).max())

    def _lyapunov(self, point: CurvePoint) -> float:
        """The first Lyapunov coefficient."""
        assert isinstance(self.rows, HopfRows)
        X = self.rows.whole(point.x)
        if X[-1] <= 0:
            return np.nan
        form = hopf_form(self.rows.full, self.rows.numbers_at(X[: self.rows.count]), {}, 1j * np.sqrt(X[-1]))
        return np.nan if form is None else form.lyapunov

    # ------------------------------------------------------------------------------------------------ other eigenvalues

    def _spectrum(self, point: CurvePoint) -> Complex:
        return self.rows.spectra(self.family, self.rows.whole(point.x)[None, : self.rows.count]).s[0]

    def _others(self, point: CurvePoint) -> Complex:
        """The other eigenvalues, without those that make the point special; of each pair the upper one."""
        s = self._spectrum(point)
        critical = 1j * np.sqrt(point.x[-1]) if self.rows.is_complex else 0.0
        rest = np.delete(s, np.argmin(np.abs(s - critical)))
        return rest[rest.imag > 0] if not self.rows.is_complex else rest[rest.imag >= 0]

    def _crossings(
        self, place: int, here: CurvePoint, there: CurvePoint, a: Complex, b: Complex
    ) -> list[DegeneratePoint]:
        """Other eigenvalues that cross the imaginary axis."""
        out = []
        for before, after in crossing_eigenvalues(a, b):
            if min(abs(before.real), abs(after.real)) > ZERO_TEST:
                found = sign_change(self.curve, here, there, self._real_part_of(here, there, before, after))
                is_real = before.imag == 0 or after.imag == 0
                kind = "double Hopf" if self.rows.is_complex and not is_real else "zero-Hopf"
                out += [] if found is None else [self._point(kind, found.x, place)]
        return out

    def _real_part_of(
        self, here: CurvePoint, there: CurvePoint, a: complex, b: complex
    ) -> Callable[[CurvePoint], float]:
        """The real part of the eigenvalue that moves from a to b."""
        way = self.curve.weights * here.tangent
        far = float((there.x - here.x) @ way)

        def real(point: CurvePoint) -> float:
            s = self._others(point)
            wanted = a + float((point.x - here.x) @ way) / far * (b - a)
            return float(s[np.argmin(np.abs(s - wanted))].real) if len(s) else np.nan

        return real

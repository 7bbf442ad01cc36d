"""Root loci: eigenvalues over one parameter, followed as branches, with the values at which stability changes or pairs
meet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from scipy.optimize import linear_sum_assignment

from ...display import DisplayPart, ShownPicture, ShownTable, Title
from ...emit.run.callable import Array
from ...errors import StabilityError, listed, shown
from ...small_figures import SmallCurve, small_figure
from ...summary import Tabular
from .critical_values import Critical, critical_values
from .pencil import Complex, neat
from .pencil_family import CleanSpectra, PencilFamily

if TYPE_CHECKING:
    from ..linear.linear_system import LinearSystem

MAX_ROUNDS: Final = 8  # largest number of step halvings where branches cannot be separated


@dataclass(frozen=True, repr=False)
class RootLocus(Tabular):
    """Eigenvalues over a parameter: row k belongs to values[k], each column is a branch; `critical` values in order.

    Real and imaginary parts below the rounding error of their eigenvalue are zero. `unstable` has the number of
    eigenvalues with a positive real part before the first critical value, between each and the next, and after the
    last, computed in the middle. `motion` has the operating point at each value: coordinates, speeds, variables, inputs
    and outputs by name; empty if the system does not belong to a steady motion.

    infinite   number of infinite eigenvalues along the locus

    >>> k, c = sb.symbols("k c")
    >>> lin = sb.linear_system([[0, 1], [-k, -c]])
    >>> locus = lin.root_locus(k=4.0, c=(-1, 1), points=20)
    >>> locus.parameter, locus.eigenvalues.shape, locus.unstable
    ('c', (20, 2), (2, 0))

    See also: `LinearSystem.root_locus`, `plot`.
    """

    parameter: str
    values: Array
    eigenvalues: Complex
    critical: tuple[Critical, ...]
    unstable: tuple[int, ...]
    infinite: int
    motion: Mapping[str, Array] = field(default_factory=dict)

    def __str__(self) -> str:
        n, k = self.eigenvalues.shape
        lines = [
            (
                f"Root locus over {self.parameter} = {self.values[0]:z.6g} ... {self.values[-1]:z.6g}: {k} "
                f"branches, {n} points"
            )
        ]
        lines += [f"    {c.value:z.10g}: {c.kind}, {c.how}, at {neat(c.eigenvalue)}" for c in self.critical]
        return "\n".join(lines)

    def _display(self) -> Iterable[DisplayPart]:
        """Eigenvalues in the upper half of the complex plane, and critical values as a table."""
        first, *_ = str(self).split("\n")
        upper = [(n, s[s.imag >= 0]) for n, s in enumerate(self.eigenvalues.T)]
        curves = [SmallCurve("", s.real.tolist(), s.imag.tolist(), are_points=True) for _, s in upper if len(s)]
        rows = [(f"{c.value:z.10g}", c.kind, c.how, neat(c.eigenvalue)) for c in self.critical]
        return (
            Title(first),
            ShownPicture(lambda: small_figure(curves, "real part [1/s]", "imaginary part [rad/s]")),
            *([ShownTable((self.parameter, "kind", "what happens", "eigenvalue"), rows)] if rows else []),
        )

    @property
    def growth(self) -> Array:
        """The largest real part at each value."""
        return self.eigenvalues.real.max(axis=1)

    def stable_ranges(self) -> list[tuple[float, float]]:
        """Intervals in which no eigenvalue has a positive real part; those that stay on the imaginary axis do not
        count.

        They end at critical values, so that an interval may be narrower than the steps of the locus.

        >>> k, c = sb.symbols("k c")
        >>> locus = sb.linear_system([[0, 1], [-k, -c]]).root_locus(k=4.0, c=(-1, 1), points=20)
        >>> [(round(low, 6) + 0.0, high) for low, high in locus.stable_ranges()], locus.growth[[0, -1]]
        ([(0.0, 1.0)], array([ 0.5, -0.5]))
        """
        ends = [float(self.values[0]), *(c.value for c in self.critical), float(self.values[-1])]
        out: list[tuple[float, float]] = []
        for (low, high), count in zip(pairwise(ends), self.unstable, strict=True):
            if count == 0 and low < high:
                out = [*out[:-1], (out[-1][0], high)] if out and out[-1][1] == low else [*out, (low, high)]
        return out


def root_locus(lin: LinearSystem, values: Mapping[str, Any], points: int) -> RootLocus:
    name, grid = _parameter_and_grid(lin, values, points)
    others = {k: v for k, v in values.items() if k != name}
    at = _Solver(lin, name, others, grid)
    p, sets = grid, at.many(grid)
    for _ in range(MAX_ROUNDS):
        unclear = _unclear(p, sets)
        if not len(unclear):
            break
        new = (p[unclear] + p[unclear + 1]) / 2
        order = np.argsort(np.concatenate([p, new]), kind="stable")
        more = at.many(new)
        p = np.concatenate([p, new])[order]
        sets = _Sets(np.concatenate([sets.s, more.s])[order], np.concatenate([sets.ds, more.ds])[order])
    branches = _branches_of(p, sets)
    critical = critical_values(p, branches, at)
    ends = np.array([p[0], *(c.value for c in critical), p[-1]])
    unstable = tuple(map(int, at.spectra((ends[1:] + ends[:-1]) / 2).unstable))
    spectra = _sorted_branches(at.family.with_zeros(branches))
    return RootLocus(name, p, spectra, critical, unstable, at.family.infinite, at.motion(p))


def _sorted_branches(branches: Complex) -> Complex:
    return branches[:, np.lexsort((branches[0].imag, branches[0].real))]


def _parameter_and_grid(lin: LinearSystem, values: Mapping[str, Any], points: int) -> tuple[str, Array]:
    names = [k for k, v in values.items() if np.ndim(v)]
    if len(names) != 1:
        raise StabilityError(
            f"root locus of {lin.name!r}: one parameter must have a range, as in root_locus(V=(1, 40)); got "
            f"ranges for {listed(names)}"
        )
    given = np.asarray(values[names[0]], dtype=float)
    grid = (
        np.linspace(given[0], given[1], points)
        if isinstance(values[names[0]], tuple) and len(given) == 2
        else np.sort(given)
    )
    if len(grid) < 2 or not np.isfinite(grid).all() or grid[0] >= grid[-1]:
        raise StabilityError(f"root locus of {lin.name!r}: the range of {names[0]} must grow, got {shown(given)}")
    return names[0], grid


# ---------------------------------------------------------------------------------------------------- eigenvalues


@dataclass(frozen=True)
class _Sets:
    """Eigenvalues and their derivatives, one row for each value of the parameter."""

    s: Complex
    ds: Complex


class _Solver:
    """Eigenvalues as functions of one parameter, without those that are zero for all of its values."""

    def __init__(self, lin: LinearSystem, name: str, others: Mapping[str, float], grid: Array) -> None:
        self.lin, self.name, self.others, self.grid = lin, name, dict(others), grid
        self.rows, self.points = lin.numbers.sets({**others, name: grid})
        self.known = dict(zip(grid.tolist(), zip(self.rows, self.points, strict=True), strict=True))
        n = lin.numbers.matrices_at(self.rows, self.points)
        self.family = PencilFamily(f"root locus of {lin.name!r} over {name}", lin.x, n.E, n.A)

    def _sets(self, p: Array) -> tuple[Array, Array]:
        """Parameters, and operating points found from those at the nearest values of the grid."""
        if p is self.grid:
            return self.rows, self.points
        nearest = [int(np.abs(self.grid - value).argmin()) for value in p]
        rows, points = self.lin.numbers.sets({**self.others, self.name: p}, near=self.points[nearest])
        self.known |= dict(zip(p.tolist(), zip(rows, points, strict=True), strict=True))
        return rows, points

    def motion(self, p: Array) -> dict[str, Array]:
        """Operating points at values that were met before."""
        if self.lin.about is None:
            return {}
        rows, points = zip(*(self.known[value] for value in p.tolist()), strict=True)
        return self.lin.numbers.points_at(np.array(rows), np.array(points))

    def spectra(self, p: Array) -> CleanSpectra:
        n = self.lin.numbers.matrices_at(*self._sets(p))
        return self.family.spectra(self.family.core(n.E, n.A))

    def one(self, value: float) -> tuple[Complex, Array]:
        """Eigenvalues at one value, as computed, and the matrix whose they are."""
        n = self.lin.numbers.matrices_at(*self._sets(np.array([value])))
        S = self.family.core(n.E, n.A).S[0]
        return np.linalg.eigvals(S).astype(complex), S

    def many(self, p: Array) -> _Sets:
        """With derivatives ds = yᴴ (dA - s dE) x, yᴴ E x = 1; where a pair meets they are large, and not used."""
        rows, points = self._sets(p)
        n, d = self.lin.numbers.matrices_at(rows, points), self.lin.numbers.derivatives_at(self.name, rows, points)
        core = self.family.core(n.E, n.A)
        found = self.family.spectra(core)
        x, y = core.R @ found.v, found.w @ core.L
        return _Sets(found.s, np.einsum("kij,kji->ki", y, d.A @ x - (d.E @ x) * found.s[:, None, :]))


# ---------------------------------------------------------------------------------------------------- branches


def _misses(p: Array, sets: _Sets) -> Array:
    """Distances of eigenvalues i before and j after a step, both carried to its middle by their derivatives."""
    half = (np.diff(p) / 2)[:, None]
    limit = np.abs(sets.s).max(initial=0.0)
    ds = np.where(np.abs(sets.ds) * np.diff(p).max() < limit, sets.ds, 0.0)
    return np.abs(
        (sets.s + 0 * ds)[:-1, :, None]
        + (half * ds[:-1])[:, :, None]
        - sets.s[1:, None, :]
        + (half * ds[1:])[:, None, :]
    )


def _unclear(p: Array, sets: _Sets) -> Any:
    """Steps in which some eigenvalue could have become one or another."""
    misses = _misses(p, sets)
    if misses.shape[1] < 2:
        return np.zeros(0, dtype=int)
    best = np.sort(misses, axis=2)
    scale = np.abs(sets.s).max()
    doubtful = (best[:, :, 1] < 3 * best[:, :, 0]) & (best[:, :, 0] > 1e-4 * scale)
    choice = np.sort(misses.argmin(axis=2), axis=1)
    shared = (choice != np.arange(choice.shape[1])).any(axis=1) & (best[:, :, 0].max(axis=1) > 1e-4 * scale)
    return np.flatnonzero(doubtful.any(axis=1) | shared)


def _branches_of(p: Array, sets: _Sets) -> Complex:
    n = sets.s.shape[1]
    if not n:
        return sets.s
    misses = _misses(p, sets)
    out, order = np.empty_like(sets.s), np.lexsort((sets.s[0].imag, sets.s[0].real))
    out[0] = sets.s[0][order]
    choices = misses.argmin(axis=2)
    clear = (np.sort(choices, axis=1) == np.arange(n)).all(axis=1)
    for k in range(len(p) - 1):
        step = choices[k] if clear[k] else linear_sum_assignment(misses[k])[1]
        order = step[order]
        out[k + 1] = sets.s[k + 1][order]
    return out

"""Root loci: eigenvalues over one parameter, followed as branches, with the values at which stability changes or pairs meet."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from scipy.optimize import brentq, linear_sum_assignment

from ..emit.run.callable import Array
from ..errors import StabilityError, listed
from ..summary import Tabular
from .pencil import Complex, is_regular, neat, pencil_spectrum

if TYPE_CHECKING:
    from .linear_system import LinearSystem

ROUNDS: Final = 8  # of halving steps where branches cannot be told apart
ZERO: Final = 1e-8  # real parts below this part of the largest eigenvalue count as zero


@dataclass(frozen=True)
class Critical:
    """A critical value of the parameter: a bifurcation of the eigenvalues.

    kind   "oscillatory": a pair crosses the imaginary axis; "real": a real eigenvalue goes through zero;
           "meeting": two real eigenvalues become a pair, or a pair becomes real; "flutter": two imaginary pairs meet and leave the axis
    how    "gains stability" or "loses stability" of that branch, or "joins" and "splits" of real eigenvalues, as the parameter grows
    """

    value: float
    eigenvalue: complex
    kind: str
    how: str

    @property
    def change(self) -> int:
        """Change of the number of eigenvalues with a positive real part."""
        size = {"oscillatory": 2, "real": 1, "flutter": 2}.get(self.kind, 0)
        return size if self.how in ("loses stability", "joins") else -size


@dataclass(frozen=True, repr=False)
class RootLocus(Tabular):
    """Eigenvalues over a parameter: row k belongs to values[k], each column is a branch; `critical` values in order."""

    parameter: str
    values: Array
    eigenvalues: Complex
    critical: tuple[Critical, ...]
    infinite: int

    def __str__(self) -> str:
        n, k = self.eigenvalues.shape
        lines = [
            f"Root locus over {self.parameter} = {self.values[0]:.6g} ... {self.values[-1]:.6g}: {k} branches, {n} points"
        ]
        lines += [f"    {c.value:.10g}: {c.kind}, {c.how}, at {neat(c.eigenvalue)}" for c in self.critical]
        return "\n".join(lines)

    @property
    def growth(self) -> Array:
        """The largest real part at each value."""
        return self.eigenvalues.real.max(axis=1)

    def stable_ranges(self) -> list[tuple[float, float]]:
        """Intervals in which no eigenvalue has a positive real part; zeros that stay zero do not count.

        Counted from the first value on, so that an interval may be narrower than the steps of the locus.
        """
        unstable = int((self.eigenvalues[0].real > ZERO * np.abs(self.eigenvalues).max()).sum())
        counts, ends = [unstable], [float(self.values[0])]
        for c in self.critical:
            if c.change:
                unstable += c.change
                counts.append(unstable)
                ends.append(c.value)
        out: list[tuple[float, float]] = []
        for (low, high), count in zip(pairwise([*ends, float(self.values[-1])]), counts, strict=True):
            if count == 0 and low < high:
                out = [*out[:-1], (out[-1][0], high)] if out and out[-1][1] == low else [*out, (low, high)]
        return out


def root_locus(lin: LinearSystem, values: Mapping[str, Any], points: int) -> RootLocus:
    name, grid = _swept(lin, values, points)
    others = {k: v for k, v in values.items() if k != name}
    at = _Solver(lin, name, others)
    p, sets = grid, at.many(grid)
    for _ in range(ROUNDS):
        unclear = _unclear(p, sets)
        if not len(unclear):
            break
        new = (p[unclear] + p[unclear + 1]) / 2
        order = np.argsort(np.concatenate([p, new]), kind="stable")
        more = at.many(new)
        p = np.concatenate([p, new])[order]
        sets = _Sets(np.concatenate([sets.s, more.s])[order], np.concatenate([sets.ds, more.ds])[order], sets.infinite)
    branches = _followed(p, sets)
    critical = [*_crossings(p, branches, at), *_meetings(p, branches, at)]
    return RootLocus(name, p, branches, tuple(sorted(critical, key=lambda c: (c.value, c.kind))), sets.infinite)


def _swept(lin: LinearSystem, values: Mapping[str, Any], points: int) -> tuple[str, Array]:
    names = [k for k, v in values.items() if np.ndim(v)]
    if len(names) != 1:
        raise StabilityError(
            f"root locus of {lin.name!r}: one parameter is to have a range, as in root_locus(V=(1, 40)); got ranges for {listed(names)}"
        )
    given = np.asarray(values[names[0]], dtype=float)
    grid = (
        np.linspace(given[0], given[1], points)
        if isinstance(values[names[0]], tuple) and len(given) == 2
        else np.sort(given)
    )
    if len(grid) < 2 or not np.isfinite(grid).all() or grid[0] >= grid[-1]:
        raise StabilityError(f"root locus of {lin.name!r}: the range of {names[0]} must grow, got {given}")
    return names[0], grid


# ---------------------------------------------------------------------------------------------------- eigenvalues


@dataclass(frozen=True)
class _Sets:
    """Eigenvalues and their derivatives, one row for each value of the parameter."""

    s: Complex
    ds: Complex
    infinite: int


class _Solver:
    def __init__(self, lin: LinearSystem, name: str, others: Mapping[str, float]) -> None:
        self.lin, self.name, self.others = lin, name, dict(others)

    def one(self, value: float) -> Complex:
        n = self.lin.matrices({**self.others, self.name: value})
        if is_regular(n.E):
            return np.linalg.eigvals(np.linalg.solve(n.E, n.A)).astype(complex)
        return pencil_spectrum(n.E, n.A, self.lin.x).s

    def many(self, p: Array) -> _Sets:
        rows, points = self.lin.sets({**self.others, self.name: p})
        n, d = self.lin.matrices_at(rows, points), self.lin.derivatives_at(self.name, rows, points)
        if all(is_regular(E) for E in n.E[:: max(1, len(p) // 8)]):
            s, x = np.linalg.eig(np.linalg.solve(n.E, n.A))
            return _Sets(s.astype(complex), _derivatives(n.E, s, x, d), 0)
        found = [pencil_spectrum(E, A, self.lin.x) for E, A in zip(n.E, n.A, strict=True)]
        counts = {f.infinite for f in found}
        if len(counts) > 1:
            raise StabilityError(
                f"root locus of {self.lin.name!r}: the number of finite eigenvalues changes along {self.name} (infinite ones: {sorted(counts)})"
            )
        ds = [
            np.einsum("ij,ij->j", f.y.conj(), dA @ f.x - (dE @ f.x) * f.s)
            for f, dE, dA in zip(found, d.E, d.A, strict=True)
        ]
        return _Sets(np.array([f.s for f in found]), np.array(ds), counts.pop())


def _derivatives(E: Array, s: Complex, x: Complex, d: Any) -> Complex:
    """ds = yᴴ (dA - s dE) x with yᴴ E x = 1, of all at once; where vectors are nearly parallel (a pair meets) it is large, and not used."""
    right, left = d.A @ x - (d.E @ x) * s[:, None, :], E @ x
    try:
        return np.einsum("kii->ki", np.linalg.solve(left, right))
    except np.linalg.LinAlgError:  # somewhere exactly defective
        pinv = np.linalg.pinv(left, rcond=1e-14)
        return np.einsum("kij,kji->ki", pinv, right)


# ---------------------------------------------------------------------------------------------------- branches


def _misses(p: Array, sets: _Sets) -> Array:
    """Distances of eigenvalues i before and j after a step, both carried to its middle by their derivatives."""
    half = (np.diff(p) / 2)[:, None]
    limit = np.abs(sets.s).max()
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


def _followed(p: Array, sets: _Sets) -> Complex:
    misses = _misses(p, sets)
    n = sets.s.shape[1]
    out, order = np.empty_like(sets.s), np.lexsort((sets.s[0].imag, sets.s[0].real))
    out[0] = sets.s[0][order]
    choices = misses.argmin(axis=2)
    clear = (np.sort(choices, axis=1) == np.arange(n)).all(axis=1)
    for k in range(len(p) - 1):
        step = choices[k] if clear[k] else linear_sum_assignment(misses[k])[1]
        order = step[order]
        out[k + 1] = sets.s[k + 1][order]
    return out


# ---------------------------------------------------------------------------------------------------- critical values


def _crossings(p: Array, branches: Complex, at: _Solver) -> list[Critical]:
    """Where a real part changes its sign, at once or after steps in which it is zero to rounding. Of a pair, the upper one is reported."""
    tolerance = ZERO * np.abs(branches).max()
    out = []
    for branch in branches.T:
        sign = np.where(np.abs(branch.real) > tolerance, np.sign(branch.real), 0)
        seen = np.flatnonzero(sign)
        for k, m in pairwise(seen):
            if sign[k] == sign[m] or branch[k].imag < -tolerance or branch[m].imag < -tolerance:
                continue
            value, s = _root(lambda s: s.real, p[k], p[m], branch[k], branch[m], at)
            kind = "oscillatory" if abs(s.imag) > tolerance else "real"
            out.append(Critical(value, s, kind, "loses stability" if sign[m] > 0 else "gains stability"))
    return out


def _root(
    part: Callable[[complex], float], low: float, high: float, s_low: complex, s_high: complex, at: _Solver
) -> tuple[float, complex]:
    """The value at which a part of the eigenvalue on this branch is zero; the branch is what lies nearest to the chord.

    Eigenvalues that are zero along the way cannot be told from one that goes through zero, but their sum with it can: it is the one that moves.
    """
    zeros = min(_zeros_beside(at.one(value), s) for value, s in ((low, s_low), (high, s_high)))

    def branch(value: float) -> complex:
        guess = s_low + (s_high - s_low) * (value - low) / (high - low)
        found = at.one(value)
        found = found[np.argsort(np.abs(found))]
        rest = found[zeros:]
        return complex(rest[np.argmin(np.abs(rest - guess))] + found[:zeros].sum())

    def f(value: float) -> float:
        return part(s_low) if value == low else part(s_high) if value == high else part(branch(value))

    value = float(brentq(f, low, high, xtol=1e-13 * max(abs(low), abs(high)), rtol=1e-14))
    return value, branch(value)


def _zeros_beside(found: Complex, s: complex) -> int:
    """How many eigenvalues are zero, to the rounding of a double one, besides s itself."""
    others = np.delete(found, np.argmin(np.abs(found - s)))
    return int((np.abs(others) < 1e-6 * np.abs(found).max()).sum())


def _meetings(p: Array, branches: Complex, at: _Solver) -> list[Critical]:
    """Where the square of half the distance of two eigenvalues changes sign: both on an axis before, mirrored at it after."""
    scale = np.abs(branches).max()
    out = []
    for kind, turned in (("meeting", branches), ("flutter", 1j * branches)):
        off = np.abs(turned.imag) > 1e-6 * scale
        for k in np.flatnonzero((off[1:] != off[:-1]).sum(axis=1) >= 2):
            changed = np.flatnonzero(off[k] != off[k + 1])
            for i, j in _mirrored(turned, int(k), changed, off, scale):
                if kind == "flutter" and max(branches[k, i].imag, branches[k + 1, i].imag) <= 1e-6 * scale:
                    continue
                found = _meeting(p[k], p[k + 1], branches[k : k + 2, [i, j]], at, 1j if kind == "flutter" else 1.0)
                if found is not None:
                    out.append(Critical(*found, kind, "joins" if off[k + 1, i] else "splits"))
    return out


def _mirrored(turned: Complex, k: int, changed: Any, off: Any, scale: float) -> list[tuple[int, int]]:
    """Pairs of branches that are mirrored at the axis where they are off it."""
    rest, pairs = list(changed), []
    while rest:
        i = rest.pop(0)
        row = k if off[k, i] else k + 1
        near = [j for j in rest if abs(turned[row, j] - turned[row, i].conjugate()) < 1e-6 * scale]
        if near:
            pairs.append((i, near[0]))
            rest.remove(near[0])
    return pairs


def _meeting(low: float, high: float, ends: Complex, at: _Solver, turn: complex) -> tuple[float, complex] | None:
    middle = ends.mean(axis=1)

    def two(value: float) -> tuple[complex, float]:
        guess = middle[0] + (middle[1] - middle[0]) * (value - low) / (high - low)
        found = at.one(value)
        a, b = found[np.argsort(np.abs(found - guess))[:2]] if low < value < high else ends[0 if value == low else 1]
        return complex(a + b) / 2, float((((a - b) * turn) ** 2).real)

    sizes, scale = (two(low)[1], two(high)[1]), float(np.abs(ends).max()) ** 2
    for value, size in zip((low, high), sizes, strict=True):
        if abs(size) < 1e-13 * scale:  # a step ends just where they meet
            return value, two(value)[0]
    if sizes[0] * sizes[1] > 0:
        return None
    value = float(brentq(lambda v: two(v)[1], low, high, xtol=1e-13 * max(abs(low), abs(high)), rtol=1e-14))
    return value, two(value)[0]

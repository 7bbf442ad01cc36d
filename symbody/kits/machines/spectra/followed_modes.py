"""Modes of a linear system over one parameter, followed by their shapes.

Modes at neighbouring speeds belong together where their right and left vectors do, which does not depend on units:

    |y_i(1)ᴴ E x_j(2)| |y_j(2)ᴴ E x_i(1)|  is one for the same mode, zero for different ones   (yᴴ E x = 1)

Only oscillations below a frequency are followed, so that large systems cost one spectrum for each speed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eig, lu_factor, lu_solve
from scipy.optimize import brentq, linear_sum_assignment

import symbody as sb

from ....errors import StabilityError

Numbers = NDArray[np.float64]
Complex = NDArray[np.complex128]
Pair = tuple[str, str]
CIRCULAR: Final = 0.05  # whirl numbers below this are motions in a plane
TAKES_PART: Final = 0.02  # least share of paired coordinates in a mode that whirls
NEARNESS: Final = 0.3  # weight of equal frequencies beside equal shapes
MARGIN: Final = 1.5  # modes up to this times the highest frequency are followed, since they may come down
ITERATIONS: Final = 8  # of Rayleigh quotients
CONVERGED: Final = 1e-9  # relative change after which an eigenvalue, which converges with the third power, is exact
ALIKE: Final = 0.6  # least likeness of a mode with the one that it was found from
REAL_TOLERANCE: Final = 1e-7  # imaginary parts below this part of the largest are rounding


@dataclass(frozen=True)
class Oscillations:
    """Modes with positive imaginary part: eigenvalues, right vectors (columns) and left ones (rows), yᴴ E x = 1."""

    s: Complex
    x: Complex
    y: Complex
    share: Numbers

    def likeness(self, other: Oscillations) -> Numbers:
        alike = np.abs(self.y @ other.x) * np.abs(other.y @ self.x).T
        apart = np.abs(self.s[:, None] - other.s[None, :]) / np.maximum(np.abs(self.s[:, None]), 1e-300)
        return np.asarray(np.minimum(alike, 1.0) - NEARNESS * np.minimum(apart, 1.0))


@dataclass(frozen=True)
class OneMode:
    """A mode at one speed: eigenvalue, whirl and the coordinates that take part most."""

    eigenvalue: complex
    whirl: str
    leading: str

    @property
    def damping(self) -> float:
        """Ratio of damping."""
        return -self.eigenvalue.real / abs(self.eigenvalue)


@dataclass(frozen=True)
class FollowedModes:
    """Oscillations of a linear system at speeds, in columns that are one mode each.

    highest   in Hz: modes that stay above are left out
    """

    lin: sb.LinearSystem
    parameter: str
    values: Mapping[str, float]
    pairs: tuple[Pair, ...]
    speeds: Numbers
    highest: float | None = None

    @cached_property
    def _all(self) -> list[Oscillations]:
        n = self.lin.matrices({**self.values, self.parameter: self.speeds})
        return [self._oscillations(E, A) for E, A in zip(n.E, n.A, strict=True)]

    def _oscillations(self, E: Numbers, A: Numbers) -> Oscillations:
        S = np.linalg.solve(E, A)
        s, left, right = eig(S, left=True, right=True)
        least = REAL_TOLERANCE * np.abs(s).max(initial=0.0)
        kept = [k for k in range(len(s)) if s[k].imag > least]
        if self.highest is not None:
            kept = [k for k in kept if s[k].imag < MARGIN * 2 * np.pi * self.highest]
        kept.sort(key=lambda k: s[k].imag)
        x, y = right[:, kept], left[:, kept].conj().T
        scale = np.einsum("ki,ik->k", y, x)
        y = y / np.where(np.abs(scale) > 0, scale, 1.0)[:, None]
        share = np.abs(y.T * x)
        return Oscillations(s[kept], x, y, share / share.sum(axis=0, initial=1e-300))

    @cached_property
    def _order(self) -> list[list[int]]:
        """Places of the followed modes at each speed; -1 if a mode has gone."""
        middle = len(self.speeds) // 2
        chosen = list(range(len(self._all[middle].s)))
        order: dict[int, list[int]] = {middle: chosen}
        for way in (1, -1):
            k = middle
            while 0 <= k + way < len(self.speeds):
                order[k + way] = self._next(self._all[k], self._all[k + way], order[k])
                k += way
        rows = [order[k] for k in range(len(self.speeds))]
        columns = [c for c in range(len(chosen)) if self._is_kept([row[c] for row in rows])]
        first = rows[0]
        key = {c: self._all[0].s[first[c]].imag if first[c] >= 0 else 0.0 for c in columns}
        at = {c: self._all[middle].s[c].imag for c in columns}
        columns.sort(key=lambda c: (float(f"{key[c]:z.5g}"), at[c]))
        return [[row[c] for c in columns] for row in rows]

    def _is_kept(self, places: list[int]) -> bool:
        if self.highest is None:
            return True
        f = [self._all[k].s[p].imag for k, p in enumerate(places) if p >= 0]
        return min(f) < 2 * np.pi * self.highest

    @staticmethod
    def _next(here: Oscillations, there: Oscillations, places: list[int]) -> list[int]:
        present = [p for p in places if p >= 0]
        if not present or not len(there.s):
            return [-1] * len(places)
        rows, columns = linear_sum_assignment(-here.likeness(there)[present])
        found = dict(zip([present[r] for r in rows], columns.tolist(), strict=True))
        return [found.get(p, -1) if p >= 0 else -1 for p in places]

    @cached_property
    def eigenvalues(self) -> Complex:
        """A row for each speed, a column for each mode; NaN if a mode does not oscillate."""
        if not self._order[0]:
            raise StabilityError(f"campbell of {self.lin.name!r}: no mode oscillates below the highest frequency")
        gone = complex(np.nan, np.nan)
        rows = [[at.s[p] if p >= 0 else gone for p in row] for at, row in zip(self._all, self._order, strict=True)]
        return np.array(rows, dtype=complex)

    def at(self, k: int, mode: int) -> OneMode:
        """A mode at the speed number k."""
        return self._one(self._all[k], max(self._order[k][mode], 0))

    def between(self, speed: float, mode: int) -> OneMode:
        """A mode at any speed."""
        here, p = self._found(speed, mode)
        return self._one(here, p)

    def _found(self, speed: float, mode: int) -> tuple[Oscillations, int]:
        k = int(np.abs(self.speeds - speed).argmin())
        if self._order[k][mode] < 0 or self.speeds[k] == 0:  # at rest modes of an isotropic rotor coincide
            k = min(k + 1, len(self.speeds) - 1)
        n = self.lin.matrices({**self.values, self.parameter: float(speed)})
        p = max(self._order[k][mode], 0)
        if (one := _neighbour(np.asarray(np.linalg.solve(n.E, n.A), dtype=np.float64), self._all[k], p)) is not None:
            return one, 0
        here = self._oscillations(n.E, n.A)
        places = self._next(self._all[k], here, self._order[k])
        return here, max(places[mode], 0)

    def meetings(self, order: float, mode: int) -> list[float]:
        """Speeds at which the frequency of a mode is a multiple of the speed."""
        W, above = self.speeds, self.eigenvalues[:, mode].imag - order * self.speeds
        out = []
        for k in range(len(W) - 1):
            if not above[k] * above[k + 1] <= 0 or above[k + 1] == 0 == above[k]:
                continue
            if above[k] == 0 and k > 0:
                continue  # counted before

            def difference(speed: float) -> float:
                here, p = self._found(speed, mode)
                return float(here.s[p].imag) - order * speed

            if above[k] == 0 or above[k + 1] == 0:
                out.append(float(W[k] if above[k] == 0 else W[k + 1]))
            elif difference(W[k]) * difference(W[k + 1]) < 0:
                out.append(float(brentq(difference, W[k], W[k + 1], rtol=1e-9)))
        return [w for w in out if w > 0]

    def _one(self, at: Oscillations, p: int) -> OneMode:
        return OneMode(complex(at.s[p]), self._whirl(at, p), self._leading(at, p))

    def _whirl(self, at: Oscillations, p: int) -> str:
        """-1 (backward) ... 1 (forward), of the pairs by their share in the mode, as a word."""
        total = size = 0.0
        for a, b in self.pairs:
            X, Y = at.x[self._places[a], p], at.x[self._places[b], p]
            if not (amount := abs(X) ** 2 + abs(Y) ** 2):
                continue
            share = self._share(at, p, (a, b))
            total -= share * 2 * float((np.conj(X) * Y).imag) / amount
            size += share
        if size < TAKES_PART:
            return ""
        return "planar" if abs(total / size) < CIRCULAR else "forward" if total > 0 else "backward"

    def _leading(self, at: Oscillations, p: int) -> str:
        paired = {n: pair for pair in self.pairs for n in pair}
        groups = {
            _title(paired.get(n, (n,))): paired.get(n, (n,)) for n in self.lin.x if not (n.endswith("_dot") and n[:-4] in self.lin.x)
        }  # fmt: skip
        return max(groups, key=lambda g: round(self._share(at, p, groups[g]), 9))

    def _share(self, at: Oscillations, p: int, names: Any) -> float:
        return float(sum(at.share[self._places[n], p] for q in names for n in (q, f"{q}_dot") if n in self._places))

    @cached_property
    def _places(self) -> dict[str, int]:
        return {n: k for k, n in enumerate(self.lin.x)}


def _title(names: tuple[str, ...]) -> str:
    """flap of (flap_c, flap_s), and otherwise all names."""
    stem = names[0][:-2]
    return stem if names == (f"{stem}_c", f"{stem}_s") else ", ".join(names)


def _neighbour(S: Numbers, near: Oscillations, p: int) -> Oscillations | None:
    """One mode of S by two-sided Rayleigh quotient iteration from a mode of a neighbouring matrix; None if it goes to
    another."""
    s, x, y, one = complex(near.s[p]), near.x[:, p], near.y[p], np.eye(len(S))
    for _ in range(ITERATIONS):
        factors = lu_factor(S - s * one, check_finite=False)
        x, y = lu_solve(factors, x), lu_solve(factors, y, trans=1)
        x, y = x / np.linalg.norm(x), y / np.linalg.norm(y)
        before, s = s, complex((y @ S @ x) / (y @ x))
        if abs(s - before) <= CONVERGED * abs(s):
            break
    y = y / (y @ x)
    share = np.abs(y * x)[:, None]
    alike = abs(near.y[p] @ x) * abs(y @ near.x[:, p])
    found = Oscillations(np.array([s]), x[:, None], y[None, :], share / share.sum())
    return found if alike > ALIKE and s.imag > 0 else None

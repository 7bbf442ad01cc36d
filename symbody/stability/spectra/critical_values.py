"""Critical values of a root locus: eigenvalues cross the imaginary axis, or meet.

Nearly equal eigenvalues have large rounding errors, but their mean and the sum of squares about it have not; neither
has the determinant where one or two of them pass through zero. A critical value is the zero of such a function of the
parameter, so that it does not depend on the steps of the locus.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, Protocol

import numpy as np
from scipy.optimize import brentq, linear_sum_assignment

from ...argument_kinds import answered_class
from ...emit.run.callable import Array
from ...summary import Introduced
from .pencil import Complex
from .pencil_family import CleanSpectra

# distance of branches, relative to their size, below which they are one multiple eigenvalue
SAME_EIGENVALUE: Final = 1e-6
# weight in the matching of branches that take no part in the event, since they move little in a step
OTHER_WEIGHT: Final = (
    10.0  # weight of branches that take no part, where eigenvalues are distinguished: these move little in a step
)
MAX_BISECTIONS: Final = 60  # largest number of bisections


@answered_class
@dataclass(frozen=True)
class Critical(Introduced):
    """A critical value of the parameter: a bifurcation of the eigenvalues.

    kind   "oscillatory": a pair crosses the imaginary axis; "real": a real eigenvalue goes through zero, or ±σ
           meet there and become an imaginary pair (a spring that holds an inverted pendulum just upright);
           "meeting": two real eigenvalues become a pair, or a pair becomes real; "flutter": two imaginary pairs meet
           and leave the axis
    how    "gains stability" or "loses stability" of that branch, or "joins" and "splits" of real eigenvalues, as the
           parameter grows

    >>> k, c = sb.symbols("k c")
    >>> lin = sb.linear_system([[0, 1], [-k, -c]])
    >>> (found,) = lin.root_locus(k=4.0, c=(-1, 1), points=20).critical
    >>> found.kind, round(found.value, 9) + 0.0, found.how
    ('oscillatory', 0.0, 'gains stability')

    See also: `stability.RootLocus`, `LinearSystem.root_locus`.
    """

    value: float
    eigenvalue: complex
    kind: str
    how: str

    @property
    def change(self) -> int:
        """Change of the number of eigenvalues with a positive real part.

        >>> k, c = sb.symbols("k c")
        >>> (found,) = sb.linear_system([[0, 1], [-k, -c]]).root_locus(k=4.0, c=(-1, 1), points=20).critical
        >>> found.change
        -2
        """
        size = {"oscillatory": 2, "real": 1, "flutter": 2}.get(self.kind, 0)
        return size if self.how in ("loses stability", "joins") else -size


class Along(Protocol):
    """Eigenvalues as functions of the parameter."""

    def spectra(self, p: Array) -> CleanSpectra: ...

    def one(self, value: float) -> tuple[Complex, Array]: ...


def critical_values(p: Array, branches: Complex, at: Along) -> tuple[Critical, ...]:
    """In order. `branches`: one column each, cleaned of rounding, without those that are zero for all values."""
    if not branches.size:
        return ()
    found = [*_crossings(p, branches, at), *_meetings(p, branches, at)]
    found += _left_over(p, branches, at, found)
    return tuple(sorted((f.critical for f in found), key=lambda c: (c.value, c.kind)))


@dataclass(frozen=True)
class _Located:
    """A critical value, between the steps that bracket it."""

    critical: Critical
    low: int
    high: int


@dataclass(frozen=True)
class _Stretch:
    """Branches between two values of the parameter, and the group under consideration."""

    low: float
    high: float
    ends: Complex  # all branches at low and at high
    group: tuple[int, ...]
    at: Along

    def chord(self, value: float) -> Complex:
        return self.ends[0] + (self.ends[1] - self.ends[0]) * (value - self.low) / (self.high - self.low)

    def members(self, value: float, is_meeting: bool) -> Complex:
        """The eigenvalues of the group: those that no other branch matches better. Where they meet they are sought
        around their mean."""
        group = list(self.group)
        if value in (self.low, self.high):
            return self.ends[0 if value == self.low else 1][group]
        expected = self.chord(value)
        if is_meeting:
            expected[group] = expected[group].mean()
        found, weight = self.at.one(value)[0], np.full(len(expected), OTHER_WEIGHT)
        weight[group] = 1.0
        place = linear_sum_assignment(weight[:, None] * np.abs(expected[:, None] - found[None, :]))[1]
        return found[place[group]]

    def root(self, f: Callable[[float], float]) -> float:
        limit = 1e-14 * max(abs(self.low), abs(self.high))
        return float(brentq(f, self.low, self.high, xtol=limit, rtol=1e-15))

    def root_of_determinant(self) -> float | None:
        """The zero of the product of all eigenvalues; None if it does not change sign."""
        ends = [np.linalg.slogdet(self.at.one(v)[1]) for v in (self.low, self.high)]
        if ends[0].sign * ends[1].sign >= 0:
            return None
        size = max(float(e.logabsdet) for e in ends)

        def determinant(value: float) -> float:
            sign, log = np.linalg.slogdet(self.at.one(value)[1])
            return float(sign * np.exp(log - size))

        return self.root(determinant)


def _alike(branches: Complex, k: int, m: int, i: int) -> tuple[int, ...]:
    """Branches that are i, or one with it at both ends."""
    apart = np.maximum(np.abs(branches[k] - branches[k, i]), np.abs(branches[m] - branches[m, i]))
    return tuple(map(int, np.flatnonzero(apart <= SAME_EIGENVALUE * np.abs(branches[[k, m], i]).max())))


# ---------------------------------------------------------------------------------------------------- crossings


def _crossings(p: Array, branches: Complex, at: Along) -> list[_Located]:
    """Where a real part changes its sign, at once or after steps in which it is zero to rounding. Of a pair, the upper
    one is reported."""
    out = []
    for i, branch in enumerate(branches.T):
        sign = np.sign(branch.real)
        for k, m in pairwise(map(int, np.flatnonzero(sign))):
            if sign[k] == sign[m] or min(branch[k].imag, branch[m].imag) < 0:
                continue
            stretch = _Stretch(float(p[k]), float(p[m]), branches[[k, m]], _alike(branches, k, m, i), at)
            value, s = _crossing(stretch)
            kind = "oscillatory" if abs(s.imag) > SAME_EIGENVALUE * abs(branch[[k, m]]).max() else "real"
            out.append(
                _Located(Critical(value, s, kind, "loses stability" if sign[m] > 0 else "gains stability"), k, m)
            )
    return out


def _crossing(stretch: _Stretch) -> tuple[float, complex]:
    is_real = not stretch.ends[:, list(stretch.group)].imag.any()
    through_zero = stretch.root_of_determinant() if is_real and len(stretch.group) == 1 else None
    if through_zero is not None:
        return through_zero, 0j
    value = stretch.root(lambda v: float(stretch.members(v, False).mean().real))
    return value, complex(stretch.members(value, False).mean())


# ---------------------------------------------------------------------------------------------------- meetings


def _meetings(p: Array, branches: Complex, at: Along) -> list[_Located]:
    """Where eigenvalues leave an axis, mirrored at it, or come to it: the sum of their squares about their mean changes
    its sign."""
    out = []
    for kind, turned in (("meeting", branches), ("flutter", 1j * branches)):
        off = turned.imag != 0
        for k in map(int, np.flatnonzero((off[1:] != off[:-1]).sum(axis=1) >= 2)):
            for joins in (True, False):
                changed = np.flatnonzero((off[k] != off[k + 1]) & (off[k + 1] == joins))
                for group in _mirror_groups(turned[k + joins], changed):
                    stretch = _Stretch(float(p[k]), float(p[k + 1]), branches[k : k + 2], group, at)
                    found = _meeting(stretch, kind, "joins" if joins else "splits")
                    out += [_Located(found, k, k + 1)] * (len(group) // 2) if found is not None else []
    return out


def _mirror_groups(turned: Complex, changed: Any) -> list[tuple[int, ...]]:
    """Groups of branches that are equal or mirrored at the axis, without those that have no mirror image."""
    rest, groups = [int(i) for i in changed], []
    upper = np.where(turned.imag < 0, turned.conj(), turned)
    while rest:
        group = tuple(j for j in rest if abs(upper[j] - upper[rest[0]]) <= SAME_EIGENVALUE * abs(upper[rest[0]]))
        rest = [j for j in rest if j not in group]
        if 2 * sum(turned[j].imag > 0 for j in group) == len(group):
            groups.append(group)
    return groups


def _meeting(stretch: _Stretch, kind: str, how: str) -> Critical | None:
    ends = stretch.ends[:, list(stretch.group)]
    if kind == "flutter" and ends.mean(axis=1).imag.min() <= SAME_EIGENVALUE * abs(ends).max():
        return None  # the lower ones of two pairs, or two that meet at zero
    at_zero = abs(ends.mean(axis=1)).max() <= 1e-10 * abs(ends).max() and not (ends.real * ends.imag).any()
    if at_zero:
        value = stretch.root_of_determinant() if len(stretch.group) == 2 else None
        value = value if value is not None else _where_they_meet(stretch, 1.0)
        said = "gains stability" if ends[1].imag.any() else "loses stability"
        return None if value is None else Critical(value, 0j, "real", said)
    value = _where_they_meet(stretch, 1j if kind == "flutter" else 1.0)
    return None if value is None else Critical(value, complex(stretch.members(value, True).mean()), kind, how)


def _where_they_meet(stretch: _Stretch, turn: complex) -> float | None:
    def squares(value: float) -> float:
        s = stretch.members(value, True)
        return float((((s - s.mean()) * turn) ** 2).sum().real)

    ends, sizes = (stretch.low, stretch.high), (squares(stretch.low), squares(stretch.high))
    for value, size in zip(ends, sizes, strict=True):
        if abs(size) < 1e-13 * float(np.abs(stretch.ends[:, list(stretch.group)]).max()) ** 2:
            return value  # a step ends just where they meet
    return None if sizes[0] * sizes[1] > 0 else stretch.root(squares)


# ---------------------------------------------------------------------------------------------------- what is left


def _left_over(p: Array, branches: Complex, at: Along, found: list[_Located]) -> list[_Located]:
    """Changes of the number of growing branches that nothing above explains: a part that leaves the axis with a kink,
    or jumps."""
    counts = (branches.real > 0).sum(axis=1)
    explained = np.zeros(len(p) - 1, dtype=bool)
    for f in found:  # one on a step changes counts on both sides of it
        rounding = SAME_EIGENVALUE * np.diff(p)[[f.low, f.high - 1]]
        first = f.low - (f.low > 0 and f.critical.value - p[f.low] <= rounding[0])
        explained[first : f.high + (p[f.high] - f.critical.value <= rounding[1])] = True
    out = []
    for k in map(int, np.flatnonzero((counts[1:] != counts[:-1]) & ~explained)):
        low, high = float(p[k]), float(p[k + 1])
        for _ in range(MAX_BISECTIONS):
            middle = (low + high) / 2
            low, high = (middle, high) if at.spectra(np.array([middle])).unstable[0] == counts[k] else (low, middle)
        s = at.spectra(np.array([high if counts[k + 1] > counts[k] else low])).s[0]
        near = complex(min(s[(s.real > 0) & (s.imag >= 0)], key=lambda x: x.real, default=0j))
        how = "loses stability" if counts[k + 1] > counts[k] else "gains stability"
        out.append(_Located(Critical(high, near, "oscillatory" if near.imag else "real", how), k, k + 1))
    return out

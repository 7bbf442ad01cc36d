"""Shorter ways to write a polynomial in sines and cosines than its normal form.

x - x cos² a          = x sin² a
x cos a cos b ± x sin a sin b = x cos(a ∓ b)
x sin a cos b ± x cos a sin b = x sin(a ± b)
x cos² a + x cos² b - 2 x cos² a cos² b ± 2 x sin a cos a sin b cos b = x sin²(a ± b)
"""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from itertools import combinations
from operator import or_
from typing import Final

from .normal_form import Angle, Atoms
from .polynomials import EXPONENT_BITS, EXPONENT_MASK, Polynomial, exact, exponent, variable

# bit mask of the exponents of a sine and its cosine
EXPONENT_PAIR: Final = EXPONENT_MASK << EXPONENT_BITS | EXPONENT_MASK


def angle_forms(p: Polynomial, atoms: Atoms) -> list[Polynomial]:
    """Several equal forms of the polynomial, none with more terms than the normal form."""
    if not _angles_in(p, atoms):
        return [p]
    contracted = with_sums_of_angles(with_squared_sines_of_sums(p, atoms), atoms)
    sines = with_sines_first(p, atoms)
    found = [contracted, with_sines(contracted, atoms), with_sines(p, atoms), with_sines(sines, atoms), p]
    found += [with_double_angles(q, atoms) for q in found[1:3]]
    least = min(map(len, found))
    return [q for k, q in enumerate(found) if q not in found[:k] and len(q) <= least + 1]


def with_sines_first(p: Polynomial, atoms: Atoms) -> Polynomial:
    """cos² = 1 - sin² everywhere, angle by angle where that makes fewer terms."""
    for s in _angles_in(p, atoms):
        q = _without_cosines(p, s)
        if len(q) < len(p):
            p = q
    return p


def _without_cosines(p: Polynomial, s: int) -> Polynomial:
    while any(exponent(m, s + 1) > 1 for m in p):
        out: Polynomial = {}
        for m, c in p.items():
            rest = m - variable(s + 1, 2) if exponent(m, s + 1) > 1 else None
            for n, d in ((m, c),) if rest is None else ((rest, c), (rest + variable(s, 2), -c)):
                out[n] = out.get(n, 0) + d
        p = {m: c for m, c in out.items() if c}
    return p


def with_sines(p: Polynomial, atoms: Atoms) -> Polynomial:
    """x - x cos² = x sin² and x - x sin² = x cos², as long as terms become fewer."""
    changed = True
    while changed:
        changed = False
        for s in _angles_in(p, atoms):
            for own, other in ((s, s + 1), (s + 1, s)):
                for m, c in list(p.items()):
                    square = m + variable(other, 2)
                    if m in p and p.get(square) == -c:
                        p = {n: d for n, d in p.items() if n not in (m, square)}
                        new = m + variable(own, 2)
                        total = p.get(new, 0) + c
                        p = {**p, new: total} if total else {n: d for n, d in p.items() if n != new}
                        changed = True
    return p


def with_double_angles(p: Polynomial, atoms: Atoms) -> Polynomial:
    """x sin a cos a = x sin(2 a) / 2."""
    for s in _angles_in(p, atoms):
        double = Angle(tuple((base, 2 * n) for base, n in atoms.angles[s].multiples))
        out: Polynomial = {}
        for m, c in p.items():
            if exponent(m, s) == 1 and exponent(m, s + 1) == 1:
                m = m - variable(s) - variable(s + 1) + variable(atoms.sine(double))
                c = exact(Fraction(c) / 2)
            out[m] = out.get(m, 0) + c
        p = {m: c for m, c in out.items() if c}
    return p


def with_sums_of_angles(p: Polynomial, atoms: Atoms) -> Polynomial:
    """Products of sines and cosines of two angles contracted to sums and differences, as long as terms become fewer."""
    changed = True
    while changed:
        changed = False
        for a, b in combinations(_angles_in(p, atoms), 2):
            q = _with_contracted_pairs(p, a, b, atoms)
            if len(q) < len(p):
                p, changed = q, True
                break
    return p


def with_squared_sines_of_sums(p: Polynomial, atoms: Atoms) -> Polynomial:
    """The expansions of sin²(a ± b) contracted, in which sin² are written as 1 - cos²."""
    for a, b in combinations(_angles_in(p, atoms), 2):
        mixed = variable(a) + variable(a + 1) + variable(b) + variable(b + 1)
        one, other = variable(a + 1, 2), variable(b + 1, 2)
        for m in list(p):
            if m not in p or not (_contains(m, a, a + 1) and _contains(m, b, b + 1)):
                continue
            rest, twice = m - mixed, p[m]
            size = exact(Fraction(max(twice, -twice)) / 2)
            for c in (size, -size):
                if any(p.get(rest + n) != k for n, k in ((one, c), (other, c), (one + other, -2 * c))):
                    continue
                at, _ = _sine_of_sum(atoms, a, b, 1 if twice * c > 0 else -1)
                if at is None:
                    continue
                gone = {m, rest + one, rest + other, rest + one + other}
                p = {n: k for n, k in p.items() if n not in gone}
                p[rest + variable(at, 2)] = p.get(rest + variable(at, 2), 0) + c
                break
    return p


def _angles_in(p: Polynomial, atoms: Atoms) -> list[int]:
    present = reduce(or_, p, 0)  # an exponent that is not zero leaves a bit
    found = [s for s in atoms.angles if present >> EXPONENT_BITS * s & EXPONENT_PAIR]
    return (
        found
        if len(found) < 2
        else sorted(found, key=lambda s: [(atoms.base_order(base), n) for base, n in atoms.angles[s].multiples])
    )


def _with_contracted_pairs(p: Polynomial, a: int, b: int, atoms: Atoms) -> Polynomial:
    """The polynomial with each pair of terms x cos a cos b ± x sin a sin b, and x sin a cos b ± x cos a sin b,
    contracted to one term."""
    out = dict(p)
    for cosines in (True, False):
        one = variable(a + 1 if cosines else a) + variable(b + 1)
        two = variable(a if cosines else a + 1) + variable(b)
        for m in list(out):
            if m not in out or not _contains(m, a + 1 if cosines else a, b + 1):
                continue
            c, partner = out[m], m - one + two
            d = out.get(partner)
            if d is None or abs(c) != abs(d):
                continue
            sign = (1 if c != d else -1) if cosines else (1 if c == d else -1)
            at, turned = _sine_of_sum(atoms, a, b, sign)
            if at is None:
                continue
            del out[m], out[partner]
            new = m - one + variable(at + 1 if cosines else at)
            total = out.get(new, 0) + (c if cosines else c * turned)
            if total:
                out[new] = total
            else:
                out.pop(new, None)
    return out


def _contains(m: int, i: int, j: int) -> bool:
    return exponent(m, i) > 0 and exponent(m, j) > 0


def _sine_of_sum(atoms: Atoms, a: int, b: int, sign: int) -> tuple[int | None, int]:
    """The place of the sine of the sum or difference of two angles, and whether that is its negative."""
    multiples: dict[int, int] = {}
    for angle, k in ((atoms.angles[a], 1), (atoms.angles[b], sign)):
        for base, n in angle.multiples:
            multiples[base] = multiples.get(base, 0) + k * n
    left = sorted(((base, n) for base, n in multiples.items() if n), key=lambda pair: atoms.base_order(pair[0]))
    if not left:
        return None, 1
    turned = 1 if left[0][1] > 0 else -1
    return atoms.sine(Angle(tuple((base, turned * n) for base, n in left))), turned

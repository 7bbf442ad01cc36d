"""Rules that merge sums of two products of sines and cosines, whatever else these products have in common.

x sin² a + x cos² a = x          x cos a cos b ± x sin a sin b = x cos(a ∓ b)          x sin a cos b ± x cos a sin b = x
                                 sin(a ± b)
"""

from __future__ import annotations

from collections.abc import Iterable

from ..factors import factors_of
from ..graph import ONE, Expr, make1
from .rule_table import rule
from .rules import add, mul, neg, power, sub


def _merged_sum(a: Expr, b: Expr, subtracts: bool) -> Expr | None:
    one, other = factors_of((a,)), factors_of((b,))
    if sum(one.values()) != sum(other.values()):
        return None
    own = {f: n - other.get(f, 0) for f, n in one.items() if n > other.get(f, 0)}
    its = {f: n - one.get(f, 0) for f, n in other.items() if n > one.get(f, 0)}
    if sum(own.values()) != 2 or any(f.op not in ("sin", "cos") for f in (*own, *its)):
        return None
    inner = _merged_pair(_factor_list(own), _factor_list(its), subtracts)
    if inner is None:
        return None
    return _product([inner, *(power(f, n) for f in one if (n := one[f] - own.get(f, 0)))])


def _factor_list(factors: dict[Expr, int]) -> list[Expr]:
    return [f for f, n in factors.items() for _ in range(n)]


def _product(factors: Iterable[Expr]) -> Expr:
    out = ONE
    for f in factors:
        out = mul(out, f)
    return out


def _merged_pair(own: list[Expr], its: list[Expr], subtracts: bool) -> Expr | None:
    """The sum (or difference) of two products of two sines or cosines each."""
    by_angle = {f.args[0]: f.op for f in own}
    if len(by_angle) == 1:
        same = own[0] is own[1] and its[0] is its[1] and own[0].args == its[0].args
        return ONE if same and not subtracts else None
    if {f.args[0]: {"sin": "cos", "cos": "sin"}[f.op] for f in its} != by_angle:
        return None
    (a, first), (b, second) = by_angle.items()
    if first == second:  # cos a cos b ± sin a sin b
        out = make1("cos", add(a, b) if subtracts else sub(a, b))
        return neg(out) if first == "sin" and subtracts else out
    if first == "cos":
        a, b = b, a
    return make1("sin", sub(a, b) if subtracts else add(a, b))


@rule("add", "mul angles", "mul angles")
def _(a: Expr, b: Expr) -> Expr | None:
    """b * sin(a) ** 2 * x + b * cos(a) ** 2 * x = b * x"""
    return _merged_sum(a, b, False)


@rule("sub", "mul angles", "mul angles")
def _(a: Expr, b: Expr) -> Expr | None:
    """x * cos(a) * cos(b) - x * sin(a) * sin(b) = x * cos(a + b)"""
    return _merged_sum(a, b, True)

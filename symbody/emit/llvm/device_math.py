"""Functions of numbers as LLVM text, for machines without a mathematical library: in single or double precision, from
arithmetic alone.

    sin, cos     k = round(x 2/π), r = x - k π/2 in three parts;  sin r = r + r³ S(r²),  cos r = 1 - r²/2 + r⁴ C(r²)
    exp          k = round(x / log 2), r = x - k log 2;  eˣ = 2ᵏ (1 + r + r² E(r))
    log          x = 2ᵏ m, s = (m - 1)/(m + 1);  log x = k log 2 + 2 s (1 + s² L(s²))
    atan         x or 1/x, and that or its tangent less π/4, at most tan π/8;  atan x = x + x³ A(x²)

S, C, E, L and A are the polynomials of least largest error of a few ten thousandths of the last digit (Remez). Angles
beyond `LARGEST` are first taken modulo 2π with as many digits of 2/π as that needs (Payne and Hanek 1983), so that sine
and cosine are right for every number.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Final, NamedTuple

from .scalar_text import ScalarText


class Coefficients(NamedTuple):
    """Of one precision. `quarter` is π/2 and `log2` log 2 in parts, the first of which have few digits."""

    quarter: tuple[float, float, float]
    log2: tuple[float, float]
    sin: tuple[float, ...]
    cos: tuple[float, ...]
    exp: tuple[float, ...]
    log: tuple[float, ...]
    atan: tuple[float, ...]
    exponents: tuple[float, float]  # beyond these, exp is zero or infinite
    digits: int  # of the mantissa
    bias: int  # of the exponent


COEFFICIENTS: Final = {
    "float": Coefficients(
        quarter=(1.5707962512969971, 7.549789415861596e-08, 5.390302529957765e-15),
        log2=(0.693145751953125, 1.428606765330187e-06),
        sin=(-0.16666655242443085, 0.008332177996635437, -0.0001951729936990887),
        cos=(0.04166664555668831, -0.001388736767694354, 2.4438451873720624e-05),
        exp=(0.5, 0.16666512191295624, 0.0416661873459816, 0.008369597606360912, 0.0013951773289591074),
        log=(0.3333338797092438, 0.1998874843120575, 0.1493653655052185),
        atan=(-0.33332952857017517, 0.19977866113185883, -0.13879145681858063, 0.08057860285043716),
        exponents=(-104.0, 89.0), digits=23, bias=127,
    ),
    "double": Coefficients(
        quarter=(1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21),
        log2=(0.6931471803691238, 1.9082149292705877e-10),
        sin=(-0.16666666666666632, 0.008333333333322425, -0.00019841269829817097, 2.7557313695263568e-06, -2.5050758657396315e-08,
             1.5896828091189524e-10),
        cos=(0.0416666666666666, -0.0013888888888874138, 2.480158728949189e-05, -2.7557314355251614e-07, 2.087572368483827e-09,
             -1.1359669852359625e-11),
        exp=(0.5000000000000014, 0.16666666666666702, 0.04166666666650304, 0.008333333333305038, 0.001388888895055163,
             0.00019841269922090348, 2.480148603091745e-05, 2.755721208988744e-06, 2.7632752351349477e-07, 2.5119194452057888e-08),
        log=(0.33333333333333676, 0.1999999999970545, 0.1428571437164875, 0.11111099236484831, 0.09091784937823857,
             0.07656950089471311, 0.07398767592379528),
        atan=(-0.333333333333332, 0.19999999999953663, -0.14285714280204054, 0.11111110783812972, -0.09090897767005489,
              0.07692060360459116, -0.06663105443253627, 0.05847897329225637, -0.05039330675224002, 0.038064954082787976,
              -0.017907345803299994),
        exponents=(-746.0, 710.0), digits=52, bias=1023,
    ),
}  # fmt: skip
LARGEST: Final = {"float": 1e5, "double": 1.6e6}  # angles up to which π/2 in three parts is exact enough
SERIES_LIMIT: Final = 0.5  # arguments below which sinh is computed by its series


# ------------------------------------------------------------------------------------------------------ sine and cosine


def sine_and_cosine(t: ScalarText, x: str) -> tuple[str, str]:
    """Of an angle of at most LARGEST."""
    c, top = COEFFICIENTS[t.real], t.bits - 1
    k = t.intrinsic("llvm.rint", t.mul(x, t.number(2 / math.pi)))
    r = x
    for part in c.quarter:
        r = t.fma(k, t.number(-part), r)
    z = t.mul(r, r)
    sine = t.fma(t.mul(r, z), t.polynomial(c.sin, z), r)
    cosine = t.fma(z, t.fma(z, t.polynomial(c.cos, z), t.number(-0.5)), t.number(1.0))
    quadrant = t.to_integer(k)
    is_odd = t.new(f"trunc {t.integer} {quadrant} to i1")

    def signed(value: str, turns: str) -> str:
        sign = t.on_integers("and", t.on_integers("shl", turns, top - 1), -(2**top))
        return t.from_bits(t.on_integers("xor", t.as_bits(value), sign))

    first, second = t.select(is_odd, cosine, sine), t.select(is_odd, sine, cosine)
    return signed(first, quadrant), signed(second, t.on_integers("add", quadrant, 1))


def is_large(t: ScalarText, x: str) -> str:
    """Whether an angle has to be reduced first (`reduced_angle`); also where it is infinite or no number."""
    return t.new(f"fcmp ugt {t.real} {t.intrinsic('llvm.fabs', x)}, {t.number(LARGEST[t.real])}")


@cache
def _digits_of_two_over_pi(words: int) -> tuple[int, ...]:
    """2/π in binary, 64 digits a word, after a word of zeros; π by Machin's formula 16 atan 1/5 - 4 atan 1/239."""
    digits = 64 * words + 64
    one = 1 << digits

    def inverse_tangent(n: int) -> int:
        total, power, k = 0, one // n, 0
        while power:
            total += (-1) ** k * (power // (2 * k + 1))
            power //= n * n
            k += 1
        return total

    quotient = 2 * one * one // (16 * inverse_tangent(5) - 4 * inverse_tangent(239))
    return (0, *(quotient >> (digits - 64 * (k + 1)) & (2**64 - 1) for k in range(words)))


def reduction_text() -> str:
    """`double @symbody.reduced(double x)`: x itself up to 2¹⁰, beyond that an angle of at most 5π/4 that differs from x
    by a multiple of 2π.

    With |x| = m 2ᵉ, digits of 2/π above 2^(2-e) give multiples of 4 quarter turns and are left out; of the product of m
    with the 192 digits after them, the first two are the quadrant, and the rest the fraction of a quarter turn.
    """
    words = _digits_of_two_over_pi(20)
    table = ", ".join(f"i64 {w - 2**64 if w >> 63 else w}" for w in words)
    return f"@symbody.digits = private constant [{len(words)} x i64] [{table}]\n" + _REDUCTION


_REDUCTION: Final = """declare i64 @llvm.fshl.i64(i64, i64, i64)
define internal double @symbody.reduced(double %x) noinline nounwind {
  %bits = bitcast double %x to i64
  %shifted = lshr i64 %bits, 52
  %biased = and i64 %shifted, 2047
  %is_small = icmp ult i64 %biased, 1033
  br i1 %is_small, label %small, label %other
small:
  ret double %x
other:
  %is_number = icmp ult i64 %biased, 2047
  br i1 %is_number, label %finite, label %strange
strange:
  %nan = fsub double %x, %x
  ret double %nan
finite:
  %below = and i64 %bits, 4503599627370495
  %m = or i64 %below, 4503599627370496
  %start = sub i64 %biased, 1013
  %word = lshr i64 %start, 6
  %within = and i64 %start, 63
  %p0 = getelementptr i64, ptr @symbody.digits, i64 %word
  %p1 = getelementptr i64, ptr %p0, i64 1
  %p2 = getelementptr i64, ptr %p0, i64 2
  %p3 = getelementptr i64, ptr %p0, i64 3
  %d0 = load i64, ptr %p0
  %d1 = load i64, ptr %p1
  %d2 = load i64, ptr %p2
  %d3 = load i64, ptr %p3
  %w0 = call i64 @llvm.fshl.i64(i64 %d0, i64 %d1, i64 %within)
  %w1 = call i64 @llvm.fshl.i64(i64 %d1, i64 %d2, i64 %within)
  %w2 = call i64 @llvm.fshl.i64(i64 %d2, i64 %d3, i64 %within)
  %m.w = zext i64 %m to i128
  %w1.w = zext i64 %w1 to i128
  %w2.w = zext i64 %w2 to i128
  %low = mul i128 %m.w, %w2.w
  %carried = lshr i128 %low, 64
  %middle = mul i128 %m.w, %w1.w
  %sum = add i128 %carried, %middle
  %sum.high = lshr i128 %sum, 64
  %above = trunc i128 %sum.high to i64
  %high = mul i64 %m, %w0
  %first = add i64 %high, %above
  %second = trunc i128 %sum to i64
  %rounded = add i64 %first, 2305843009213693952
  %quadrant = lshr i64 %rounded, 62
  %f.high = call i64 @llvm.fshl.i64(i64 %first, i64 %second, i64 2)
  %f.low = shl i64 %second, 2
  %h = sitofp i64 %f.high to double
  %l = uitofp i64 %f.low to double
  %h.s = fmul double %h, 0x3BF0000000000000
  %l.s = fmul double %l, 0x37F0000000000000
  %fraction = fadd double %h.s, %l.s
  %turns = uitofp i64 %quadrant to double
  %is_third = icmp eq i64 %quadrant, 3
  %signed = select i1 %is_third, double -1.0, double %turns
  %r = fmul double %fraction, 0x3FF921FB54442D18
  %whole = fmul double %signed, 0x3FF921FB54442D18
  %angle = fadd double %whole, %r
  %sign = call double @llvm.copysign.f64(double 1.0, double %x)
  %out = fmul double %angle, %sign
  ret double %out
}
"""


def reduced_angle(t: ScalarText, x: str) -> str:
    """A call of `reduction_text`'s function."""
    if t.real == "double":
        return t.new(f"call double @symbody.reduced(double {x})")
    wide = t.new(f"call double @symbody.reduced(double {t.new(f'fpext float {x} to double')})")
    return t.new(f"fptrunc double {wide} to float")


# ---------------------------------------------------------------------------------------------------------- the others


def exponential(t: ScalarText, x: str) -> str:
    c = COEFFICIENTS[t.real]
    least, most = (t.number(v) for v in c.exponents)
    x = t.select(t.compared(x, "<", least), least, t.select(t.compared(x, ">", most), most, x))
    k = t.intrinsic("llvm.rint", t.mul(x, t.number(1 / math.log(2))))
    r = t.fma(k, t.number(-c.log2[1]), t.fma(k, t.number(-c.log2[0]), x))
    p = t.add(t.fma(t.mul(r, r), t.polynomial(c.exp, r), r), t.number(1.0))
    whole = t.to_integer(k)
    half = t.on_integers("ashr", whole, 1)  # in two parts, since 2ᵏ alone may be no normal number
    return t.mul(t.mul(p, _power_of_two(t, half)), _power_of_two(t, t.on_integers("sub", whole, half)))


def _power_of_two(t: ScalarText, k: str) -> str:
    c = COEFFICIENTS[t.real]
    return t.from_bits(t.on_integers("shl", t.on_integers("add", k, c.bias), c.digits))


def logarithm(t: ScalarText, x: str) -> str:
    c = COEFFICIENTS[t.real]
    is_tiny = t.compared(x, "<", t.number(2.0 ** (2 - c.bias)))
    lift = 2.0 ** (c.digits + 2)
    bits = t.as_bits(t.select(is_tiny, t.mul(x, t.number(lift)), x))
    half = t.on_integers("sub", bits, _bits_of_root_half(t))  # so that m lies between √½ and √2
    k = t.new(f"sitofp {t.integer} {t.on_integers('ashr', half, c.digits)} to {t.real}")
    k = t.select(is_tiny, t.sub(k, t.number(float(c.digits + 2))), k)
    m = t.from_bits(t.on_integers("add", t.on_integers("and", half, 2**c.digits - 1), _bits_of_root_half(t)))
    s = t.mul(t.sub(m, t.number(1.0)), reciprocal(t, t.add(m, t.number(1.0))))
    z = t.mul(s, s)
    twice = t.add(s, s)
    main = t.fma(t.mul(twice, z), t.polynomial(c.log, z), twice)
    out = t.fma(k, t.number(c.log2[0]), t.fma(k, t.number(c.log2[1]), main))
    out = t.select(t.compared(x, ">", t.number(0.0)), out, t.number(math.nan))
    out = t.select(t.compared(x, "==", t.number(0.0)), t.number(-math.inf), out)
    return t.select(t.compared(x, "==", t.number(math.inf)), x, out)


def _bits_of_root_half(t: ScalarText) -> int:
    c = COEFFICIENTS[t.real]
    fraction = math.sqrt(0.5) * 2 - 1
    return ((c.bias - 1) << c.digits) + int(fraction * 2**c.digits)


def reciprocal(t: ScalarText, x: str) -> str:
    """1/x from the machine's estimate by Newton's method; that of zero and of infinity is the estimate."""
    estimate = t.call(f"llvm.nvvm.rcp.approx.ftz.{'f' if t.real == 'float' else 'd'}", x)
    minus = t.neg(x)
    error = t.fma(minus, estimate, t.number(1.0))
    if t.real == "float":
        better = t.fma(estimate, error, estimate)
    else:
        third = t.fma(estimate, t.fma(error, error, error), estimate)
        better = t.fma(third, t.fma(minus, third, t.number(1.0)), third)
    return t.select(t.compared(error, "is number", error), better, estimate)


def quotient(t: ScalarText, a: str, b: str) -> str:
    return t.mul(a, reciprocal(t, b))


def arctangent(t: ScalarText, x: str) -> str:
    c = COEFFICIENTS[t.real]
    size, one = t.intrinsic("llvm.fabs", x), t.number(1.0)
    is_steep = t.compared(size, ">", one)
    y = t.select(is_steep, reciprocal(t, size), size)
    is_middle = t.compared(y, ">", t.number(math.tan(math.pi / 8)))
    s = t.select(is_middle, quotient(t, t.sub(y, one), t.add(y, one)), y)
    z = t.mul(s, s)
    angle = t.fma(t.mul(s, z), t.polynomial(c.atan, z), s)
    angle = t.select(is_middle, t.add(angle, t.number(math.pi / 4)), angle)
    angle = t.select(is_steep, t.sub(t.number(math.pi / 2), angle), angle)
    return t.with_sign_of(angle, x)


def arctangent_of_two(t: ScalarText, y: str, x: str) -> str:
    height, width, zero = t.intrinsic("llvm.fabs", y), t.intrinsic("llvm.fabs", x), t.number(0.0)
    is_steep = t.compared(height, ">", width)
    small, large = t.select(is_steep, width, height), t.select(is_steep, height, width)
    is_even = t.compared(small, "==", large)  # also where both are zero or infinite
    ratio = t.select(is_even, t.select(t.compared(large, "==", zero), zero, t.number(1.0)), quotient(t, small, large))
    angle = arctangent(t, ratio)
    angle = t.select(is_steep, t.sub(t.number(math.pi / 2), angle), angle)
    is_left = t.new(f"icmp slt {t.integer} {t.as_bits(x)}, 0")
    angle = t.select(is_left, t.sub(t.number(math.pi), angle), angle)
    return t.with_sign_of(angle, y)


def arcsine(t: ScalarText, x: str) -> str:
    one = t.number(1.0)
    return arctangent(t, quotient(t, x, t.intrinsic("llvm.sqrt", t.mul(t.sub(one, x), t.add(one, x)))))


def arccosine(t: ScalarText, x: str) -> str:
    one = t.number(1.0)
    half = arctangent(t, t.intrinsic("llvm.sqrt", quotient(t, t.sub(one, x), t.add(one, x))))
    return t.add(half, half)


def tangent(t: ScalarText, x: str) -> str:
    sine, cosine = sine_and_cosine(t, x)
    return quotient(t, sine, cosine)


def hyperbolic_sine(t: ScalarText, x: str) -> str:
    """By its series where x is small; elsewhere of half exponentials, so that it is infinite only where it has to
    be."""
    series = tuple(1 / math.factorial(2 * k + 3) for k in range(3 if t.real == "float" else 7))
    z = t.mul(x, x)
    near = t.fma(t.mul(x, z), t.polynomial(series, z), x)
    size, half = t.intrinsic("llvm.fabs", x), t.number(0.5)
    root = exponential(t, t.mul(half, size))
    far = t.sub(t.mul(t.mul(half, root), root), quotient(t, quotient(t, half, root), root))
    return t.select(t.compared(size, "<", t.number(SERIES_LIMIT)), near, t.with_sign_of(far, x))


def hyperbolic_cosine(t: ScalarText, x: str) -> str:
    half = t.number(0.5)
    root = exponential(t, t.mul(half, t.intrinsic("llvm.fabs", x)))
    return t.add(t.mul(t.mul(half, root), root), quotient(t, quotient(t, half, root), root))


def hyperbolic_tangent(t: ScalarText, x: str) -> str:
    size, one = t.intrinsic("llvm.fabs", x), t.number(1.0)
    near = quotient(t, hyperbolic_sine(t, x), hyperbolic_cosine(t, x))
    far = t.sub(one, quotient(t, t.number(2.0), t.add(exponential(t, t.add(size, size)), one)))
    return t.select(t.compared(size, "<", t.number(SERIES_LIMIT)), near, t.with_sign_of(far, x))


def power(t: ScalarText, x: str, y: str) -> str:
    """xʸ; of a negative x where y is an integer."""
    zero, one = t.number(0.0), t.number(1.0)
    size = exponential(t, t.mul(y, logarithm(t, t.intrinsic("llvm.fabs", x))))
    half = t.mul(y, t.number(0.5))
    is_integer = t.compared(t.intrinsic("llvm.floor", y), "==", y)
    is_even = t.compared(t.intrinsic("llvm.floor", half), "==", half)
    negative = t.select(is_integer, t.select(is_even, size, t.neg(size)), t.number(math.nan))
    out = t.select(t.compared(x, "<", zero), negative, size)
    return t.select(t.compared(y, "==", zero), one, out)


FUNCTIONS: Final[dict[str, Callable[..., str]]] = {
    "exp": exponential, "log": logarithm, "tan": tangent, "atan": arctangent, "atan2": arctangent_of_two, "asin": arcsine, "acos": arccosine,
    "sinh": hyperbolic_sine, "cosh": hyperbolic_cosine, "tanh": hyperbolic_tangent, "pow": power,
}  # fmt: skip
ARGUMENTS: Final = {"atan2": 2, "pow": 2}  # of one number otherwise


def function_name(op: str) -> str:
    return f"symbody.{op}"


def function_text(op: str, real: str) -> tuple[str, set[str]]:
    """A function of this file as an LLVM function, and what it calls."""
    t = ScalarText(real)
    given = [f"%x{k}" for k in range(ARGUMENTS.get(op, 1))]
    if op == "tan":  # of any angle
        given = [_any_angle(t, given[0])]
    result = FUNCTIONS[op](t, *given)
    parameters = ", ".join(f"{real} %x{k}" for k in range(ARGUMENTS.get(op, 1)))
    body = "\n".join(t.lines)
    text = f"define internal {real} @{function_name(op)}({parameters}) nounwind {{\n{body}\n  ret {real} {result}\n}}\n"
    return text, t.declared


def _any_angle(t: ScalarText, x: str) -> str:
    return any_angles(t, [x])[0]


def any_angles(t: ScalarText, angles: list[str]) -> list[str]:
    """The same angles, reduced where one of them is large: one branch for all of them, which is rarely taken."""
    if not angles:
        return []
    slow, done = t.label("large"), t.label("reduced")
    before = t.label("angles")
    large = t.either([is_large(t, x) for x in angles])
    t.lines += [f"  br label %{before}", f"{before}:"]
    t.lines += [f"  br i1 {large}, label %{slow}, label %{done}, !prof !0", f"{slow}:"]
    small = [reduced_angle(t, x) for x in angles]
    t.lines += [f"  br label %{done}", f"{done}:"]
    return [t.new(f"phi {t.real} [ {x}, %{before} ], [ {y}, %{slow} ]") for x, y in zip(angles, small, strict=True)]


UNLIKELY: Final = '!0 = !{!"branch_weights", i32 1, i32 100000}\n'

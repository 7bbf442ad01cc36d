"""Sine and cosine together, as LLVM text: inline, without a library, the same for one state and for several side by
side.

    k = round(x 2/π),  r = x - k π/2 in three parts (the first two exact),  |r| <= π/4
    sin r = r + r³ S(r²),   cos r = 1 - r²/2 + r⁴ C(r²)

S and C are the polynomials of degree 5 of least largest error (Remez; errors 3.5e-18 relative and 4.7e-20). The
quadrant k swaps the two and sets their signs. Arguments beyond 2²⁰ quarter turns go to the library.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from .llvm_numbers import fma, lanes_of, splat

_SIN: Final = (
    -0.16666666666666632, 0.008333333333322316, -0.0001984126982972525,
    2.75573136620748e-06, -2.505075326735235e-08, 1.5896505115674094e-10,
)  # fmt: skip
_COS: Final = (
    0.0416666666666666, -0.001388888888887399, 2.4801587289394974e-05,
    -2.755731432604597e-07, 2.0875719560915605e-09, -1.1359448800539443e-11,
)  # fmt: skip
_QUARTER: Final = (1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21)  # π/2: 33 bits, 33 bits, the rest
_PER_QUARTER: Final = 0.6366197723675814
_ROUND: Final = 6755399441055744.0  # 1.5 · 2⁵²: adding it leaves the nearest integer in the low bits
LARGEST: Final = 1.6e6

New = Callable[[str], str]


def sincos(x: str, number: str, new: New, rounding: str = "free") -> tuple[str, str]:
    """Emit the fast path for value `x`; returns the names of sine and cosine. `rounding` as in `LlvmKernel`."""
    flags = " contract" if rounding == "free" else ""

    def op(name: str, a: str, b: str) -> str:
        return new(f"{name}{flags} {number} {a}, {b}")

    def plus(a: str, b: str, to: str) -> str:
        """a b + to"""
        return fma(a, b, to, number, new) if rounding == "fused" else op("fadd", op("fmul", a, b), to)

    def minus(a: str, b: str, of: str) -> str:
        """of - a b"""
        if rounding == "fused":
            return fma(new(f"fneg {number} {a}"), b, of, number, new)
        return op("fsub", of, op("fmul", a, b))

    def c(value: float) -> str:
        return splat(value, number)

    def polynomial(coefficients: tuple[float, ...], z: str) -> str:
        out = c(coefficients[-1])
        for a in coefficients[-2::-1]:
            out = plus(out, z, c(a))
        return out

    shifted = plus(x, c(_PER_QUARTER), c(_ROUND))
    k = op("fsub", shifted, c(_ROUND))
    r1 = minus(k, c(_QUARTER[0]), x)
    middle = op("fmul", k, c(_QUARTER[1]))
    r2 = op("fsub", r1, middle)
    lost = op("fsub", op("fsub", r1, r2), middle)
    r = op("fadd", r2, minus(k, c(_QUARTER[2]), lost))
    z = op("fmul", r, r)
    s = plus(op("fmul", r, z), polynomial(_SIN, z), r)
    q = plus(z, polynomial(_COS, z), c(-0.5))
    cosine = plus(z, q, c(1.0))
    return _by_quadrant(shifted, s, cosine, number, new)


def _by_quadrant(shifted: str, s: str, c: str, number: str, new: New) -> tuple[str, str]:
    """Swap and sign by the quadrant in the low bits of `shifted`."""
    integer, truth = number.replace("double", "i64"), number.replace("double", "i1")

    def constant(value: int) -> str:
        if integer == "i64":
            return str(value)
        lanes = int(integer[1:].split()[0])
        return f"<{', '.join([f'i64 {value}'] * lanes)}>"

    def signed(value: str, quadrant: str) -> str:
        bit = new(f"and {integer} {new(f'shl {integer} {quadrant}, {constant(62)}')}, {constant(-(2**63))}")
        bits = new(f"xor {integer} {bit}, {new(f'bitcast {number} {value} to {integer}')}")
        return new(f"bitcast {integer} {bits} to {number}")

    k = new(f"bitcast {number} {shifted} to {integer}")
    odd = new(f"icmp ne {integer} {new(f'and {integer} {k}, {constant(1)}')}, {constant(0)}")
    first = new(f"select {truth} {odd}, {number} {c}, {number} {s}")
    second = new(f"select {truth} {odd}, {number} {s}, {number} {c}")
    return signed(first, k), signed(second, new(f"add {integer} {k}, {constant(1)}"))


LARGE_SINES: Final = "symbody.large_sines"
_LARGE_SINES: Final = """declare double @sin(double)
declare double @cos(double)
define internal NUMBER @NAME(ptr %x, ptr %s, ptr %c) noinline nounwind HOW {
  br label %lane
lane:
  %k = phi i64 [ 0, %0 ], [ %next, %last ]
  %angle.p = getelementptr double, ptr %x, i64 %k
  %angle = load double, ptr %angle.p
  %above = fcmp ugt double %angle, LARGEST
  %below = fcmp ult double %angle, -LARGEST
  %large = or i1 %above, %below
  br i1 %large, label %library, label %last
library:
  %sine = call double @sin(double %angle)
  %cosine = call double @cos(double %angle)
  %sine.p = getelementptr double, ptr %s, i64 %k
  %cosine.p = getelementptr double, ptr %c, i64 %k
  store double %sine, ptr %sine.p
  store double %cosine, ptr %cosine.p
  br label %last
last:
  %next = add nuw nsw i64 %k, 1
  %again = icmp slt i64 %next, LANES
  br i1 %again, label %lane, label %done
done:
  %sines = load NUMBER, ptr %s
  ret NUMBER %sines
}
"""


def large_sines(number: str) -> str:
    """A function of pointers to angles, sines and cosines that puts in those of angles beyond `LARGEST`, by the
    library, and returns the sines."""
    words = {
        "NAME": LARGE_SINES, "HOW": leaves_registers(number), "NUMBER": number, "LANES": str(lanes_of(number)),
        "-LARGEST": splat(-LARGEST, "double"), "LARGEST": splat(LARGEST, "double"),
    }  # fmt: skip
    text = _LARGE_SINES
    for word, meant in words.items():
        text = text.replace(word, meant)
    return text


def leaves_registers(number: str) -> str:
    """Of a function and its calls: it saves every register that it uses. Nothing has to be put away around a call that
    is hardly ever made.

    A function that returns such a vector has the upper parts of registers as it found them; LLVM clears them at the end
    of others, which would do for numbers alone but for the vectors that LLVM makes of their stores.
    """
    return '"no_caller_saved_registers"' if lanes_of(number) >= 4 else ""


_SINES: Final = """define internal double @symbody.NAME(double %x) nounwind {
  %size = call double @llvm.fabs.f64(double %x)
  %large = fcmp ogt double %size, LARGEST
  br i1 %large, label %slow, label %fast
slow:
  %there = call double @NAME(double %x)
  ret double %there
fast:
LINES
  ret double FOUND
}
"""


def sine_functions(rounding: str) -> str:
    """Sine and cosine as functions of one number, which give what `sincos` gives inline."""
    out = ""
    for at, name in enumerate(("sin", "cos")):
        lines: list[str] = []

        def new(text: str, lines: list[str] = lines) -> str:
            lines.append(f"  %v{len(lines)} = {text}")
            return f"%v{len(lines) - 1}"

        found = sincos("%x", "double", new, rounding)[at]
        text = _SINES.replace("NAME", name).replace("LARGEST", splat(LARGEST, "double"))
        out += text.replace("LINES", "\n".join(lines)).replace("FOUND", found) + f"declare double @{name}(double)\n"
    return out

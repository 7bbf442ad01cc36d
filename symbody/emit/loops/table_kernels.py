"""Programs as tables, and the loop that runs them: instructions of one kind that need nothing of each other are a run.

Numbers of a program lie in one array w: constants, inputs, addresses of functions, then what each instruction gives, in the order of the
tables. Conditions are 1 and 0. The tables of a program are there at once, where its machine code takes LLVM a second for
every 15 000 instructions; both give the same numbers to the last digit.
"""

from __future__ import annotations

from ctypes import CFUNCTYPE, c_double
from math import acos, asin, atan, atan2, cos, cosh, exp, log, pow, sin, sinh, sqrt, tan, tanh
from struct import pack, unpack
from typing import Final

from .kernel_language import Indices, Numbers

KINDS: Final = {
    name: k
    for k, name in enumerate(
        (
            "add sub mul div neg fma fms fnma sin cos sqrt abs sign min max lt le eq and or not where "
            "tan asin acos atan sinh cosh tanh exp log atan2 pow call"
        ).split()
    )
}
ADD, SUB, MUL, DIV, NEG, FMA, FMS, FNMA = range(8)
SIN, COS, SQRT, ABS, SIGN, MIN, MAX = range(8, 15)
LT, LE, EQ, AND, OR, NOT, WHERE = range(15, 22)
TAN, ASIN, ACOS, ATAN, SINH, COSH, TANH, EXP, LOG, ATAN2, POW, CALL = range(22, 34)


def run_tables(
    runs: int, first: int, kinds: Indices, stops: Indices, a: Indices, b: Indices, c: Indices, w: Numbers
) -> None:
    """Run after run; instruction i puts its number at w[first + i].

    kinds, stops   of each run the kind, and the instruction that is the first of the next
    a, b, c        places of the arguments of each instruction; of those that it does not have any
    """
    begin = 0
    for r in range(runs):
        stop = stops[r]
        if kinds[r] < SIN:
            arithmetic(kinds[r], begin, stop, first, a, b, c, w)
        elif kinds[r] < LT:
            functions(kinds[r], begin, stop, first, a, b, w)
        elif kinds[r] < TAN:
            choices(kinds[r], begin, stop, first, a, b, c, w)
        else:
            library_functions(kinds[r], begin, stop, first, a, b, w)
        begin = stop


def arithmetic(kind: int, begin: int, stop: int, first: int, a: Indices, b: Indices, c: Indices, w: Numbers) -> None:
    if kind == ADD:
        for i in range(begin, stop):
            w[first + i] = w[a[i]] + w[b[i]]
    elif kind == SUB:
        for i in range(begin, stop):
            w[first + i] = w[a[i]] - w[b[i]]
    elif kind == MUL:
        for i in range(begin, stop):
            w[first + i] = w[a[i]] * w[b[i]]
    elif kind == DIV:
        for i in range(begin, stop):
            w[first + i] = w[a[i]] / w[b[i]]
    elif kind == NEG:
        for i in range(begin, stop):
            w[first + i] = -w[a[i]]
    elif kind == FMA:
        for i in range(begin, stop):
            w[first + i] = w[a[i]] * w[b[i]] + w[c[i]]
    elif kind == FMS:
        for i in range(begin, stop):
            w[first + i] = w[a[i]] * w[b[i]] - w[c[i]]
    else:
        for i in range(begin, stop):
            w[first + i] = w[c[i]] - w[a[i]] * w[b[i]]


def functions(kind: int, begin: int, stop: int, first: int, a: Indices, b: Indices, w: Numbers) -> None:
    if kind == SIN:
        for i in range(begin, stop):
            w[first + i] = sin(w[a[i]])
    elif kind == COS:
        for i in range(begin, stop):
            w[first + i] = cos(w[a[i]])
    elif kind == SQRT:
        for i in range(begin, stop):
            w[first + i] = sqrt(w[a[i]])
    elif kind == ABS:
        for i in range(begin, stop):
            w[first + i] = abs(w[a[i]])
    elif kind == SIGN:
        for i in range(begin, stop):  # zero and what is not a number stay
            x = w[a[i]]
            w[first + i] = 1.0 if x > 0.0 else -1.0 if x < 0.0 else x
    elif kind == MIN:
        for i in range(begin, stop):
            w[first + i] = w[a[i]] if w[a[i]] <= w[b[i]] else w[b[i]]
    else:
        for i in range(begin, stop):
            w[first + i] = w[a[i]] if w[a[i]] >= w[b[i]] else w[b[i]]


def choices(kind: int, begin: int, stop: int, first: int, a: Indices, b: Indices, c: Indices, w: Numbers) -> None:
    if kind == LT:
        for i in range(begin, stop):
            w[first + i] = 1.0 if w[a[i]] < w[b[i]] else 0.0
    elif kind == LE:
        for i in range(begin, stop):
            w[first + i] = 1.0 if w[a[i]] <= w[b[i]] else 0.0
    elif kind == EQ:
        for i in range(begin, stop):
            w[first + i] = 1.0 if w[a[i]] == w[b[i]] else 0.0
    elif kind == AND:
        for i in range(begin, stop):
            w[first + i] = w[a[i]] * w[b[i]]
    elif kind == OR:
        for i in range(begin, stop):
            w[first + i] = max(w[a[i]], w[b[i]])
    elif kind == NOT:
        for i in range(begin, stop):
            w[first + i] = 1.0 - w[a[i]]
    else:
        for i in range(begin, stop):
            w[first + i] = w[b[i]] if w[a[i]] != 0.0 else w[c[i]]


def library_functions(kind: int, begin: int, stop: int, first: int, a: Indices, b: Indices, w: Numbers) -> None:
    """Functions of the C library, which machine code calls too, and those of others by their addresses."""
    if kind == TAN:
        for i in range(begin, stop):
            w[first + i] = tan(w[a[i]])
    elif kind == ASIN:
        for i in range(begin, stop):
            w[first + i] = asin(w[a[i]])
    elif kind == ACOS:
        for i in range(begin, stop):
            w[first + i] = acos(w[a[i]])
    elif kind == ATAN:
        for i in range(begin, stop):
            w[first + i] = atan(w[a[i]])
    elif kind == SINH:
        for i in range(begin, stop):
            w[first + i] = sinh(w[a[i]])
    elif kind == COSH:
        for i in range(begin, stop):
            w[first + i] = cosh(w[a[i]])
    elif kind == TANH:
        for i in range(begin, stop):
            w[first + i] = tanh(w[a[i]])
    elif kind == EXP:
        for i in range(begin, stop):
            w[first + i] = exp(w[a[i]])
    elif kind == LOG:
        for i in range(begin, stop):
            w[first + i] = log(w[a[i]])
    elif kind == ATAN2:
        for i in range(begin, stop):
            w[first + i] = atan2(w[a[i]], w[b[i]])
    elif kind == POW:
        for i in range(begin, stop):
            w[first + i] = pow(w[a[i]], w[b[i]])
    else:
        for i in range(begin, stop):
            w[first + i] = value_at_address(w[a[i]], w[b[i]])


def value_at_address(address: float, x: float) -> float:
    """The function of one number at an address, whose bits are those of a number."""
    (at,) = unpack("q", pack("d", address))
    return float(CFUNCTYPE(c_double, c_double)(at)(x))


def copy_numbers(n: int, x: Numbers, to: Numbers) -> None:
    """Constants and inputs, into w."""
    for i in range(n):
        to[i] = x[i]


def gather_numbers(n: int, at: Indices, w: Numbers, to: Numbers) -> None:
    """An output, out of w."""
    for i in range(n):
        to[i] = w[at[i]]

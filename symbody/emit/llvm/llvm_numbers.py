"""Constants and types of numbers in LLVM text: double or float, alone or as vectors."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import Final

_DOUBLE: Final = struct.Struct(">d")
_FLOAT: Final = struct.Struct(">f")
LARGEST_NUMBER: Final = {"double": 1.7976931348623157e308, "float": 3.4028234663852886e38}
SUFFIX: Final = {"double": "f64", "float": "f32"}  # of intrinsics
INTEGER: Final = {"double": "i64", "float": "i32"}  # of the same size
BYTES: Final = {"double": 8, "float": 4}


def hexadecimal(value: float) -> str:
    """A constant as LLVM reads it without rounding."""
    return "0x" + _DOUBLE.pack(value).hex().upper()


def in_single(value: float) -> float:
    """The nearest number of single precision."""
    try:
        return float(_FLOAT.unpack(_FLOAT.pack(value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)


def vector_of(real: str, lanes: int) -> str:
    """The type of so many numbers side by side."""
    return real if lanes == 1 else f"<{lanes} x {real}>"


def fabs(real: str) -> str:
    """The declaration of |x|."""
    return f"declare {real} @llvm.fabs.{SUFFIX[real]}({real})\n"


def real_of(number: str) -> str:
    """The scalar type of a scalar or vector type."""
    return "float" if "float" in number else "double"


def lanes_of(number: str) -> int:
    """How many lanes a scalar or vector type has."""
    return int(number[1:].split()[0]) if number.startswith("<") else 1


def splat(value: float, number: str) -> str:
    """A constant of a scalar or vector type."""
    real = real_of(number)
    text = hexadecimal(value if real == "double" else in_single(value))
    if number == real:
        return text
    return f"<{', '.join([f'{real} {text}'] * lanes_of(number))}>"


def fma(a: str, b: str, c: str, number: str, new: Callable[[str], str]) -> str:
    """a b + c with one rounding; `fma_declaration` says what it calls."""
    return new(f"call {number} @{_fma(number)}({number} {a}, {number} {b}, {number} {c})")


def fma_declaration(number: str) -> str:
    return f"declare {number} @{_fma(number)}({number}, {number}, {number})"


def _fma(number: str) -> str:
    suffix, lanes = SUFFIX[real_of(number)], lanes_of(number)
    return f"llvm.fma.{suffix}" if lanes == 1 else f"llvm.fma.v{lanes}{suffix}"

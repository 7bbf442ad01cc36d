"""Constants and types of numbers in LLVM text."""

from __future__ import annotations

import struct
from typing import Final

_DOUBLE: Final = struct.Struct(">d")


def hexadecimal(value: float) -> str:
    """A constant as LLVM reads it without rounding."""
    return "0x" + _DOUBLE.pack(value).hex().upper()


def lanes_of(number: str) -> int:
    """How many lanes a scalar or vector type has."""
    return 1 if number == "double" else int(number[1:].split()[0])


def splat(value: float, number: str) -> str:
    """A constant of a scalar or vector type."""
    if number == "double":
        return hexadecimal(value)
    return f"<{', '.join([f'double {hexadecimal(value)}'] * lanes_of(number))}>"

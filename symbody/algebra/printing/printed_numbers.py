"""Numbers as text: as people write them, and with all their digits.

People write 2.943, not 2.9430000000000005, and 1/3, not 0.3333333333333333. A float is shown with twelve significant
digits; where these do not give it, it is a fraction if there is one with a small denominator within one rounding error
of it: among the floats between 0 and 1 one in 10¹² is as near to such a fraction by chance.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import Final

from ..graph.graph import Number

SIGNIFICANT_DIGITS: Final = 12
MAX_DENOMINATOR: Final = 100  # of a fraction that stands for a float
MAX_NUMERATOR: Final = 1000


def ratio(value: Number) -> tuple[Number, int]:
    """Numerator and denominator; a float over 1."""
    return (value, 1) if isinstance(value, float) else Fraction(value).as_integer_ratio()


def exact_digits(value: Number) -> str:
    """A number as Python reads it. Python refuses to write very long integers in decimals, not in hexadecimals."""
    if isinstance(value, float):
        return repr(value)
    top, bottom = ratio(value)
    texts = [str(v) if int(v).bit_length() < 2048 else hex(int(v)) for v in (top, bottom)]
    return texts[0] if bottom == 1 else "/".join(texts)


def digits(value: Number) -> str:
    """A number with the digits that it needs, at most twelve of a float that is not an integer: 2.943, 0.5, 3, 1e-09."""
    if not isinstance(value, float):
        return exact_digits(value)
    rounded = f"{value:z.{SIGNIFICANT_DIGITS}g}"
    return exact_digits(value) if value.is_integer() and float(rounded) != value else rounded


@lru_cache(maxsize=1 << 12)
def as_written(value: float) -> Number:
    """The fraction that a float stands for, where it has no short decimals and there is one; else the float."""
    if not math.isfinite(value) or abs(value - float(digits(value))) <= math.ulp(value):
        return value
    near = Fraction(value).limit_denominator(MAX_DENOMINATOR)
    is_near = abs(value - near.numerator / near.denominator) <= math.ulp(value)
    return near if near and is_near and abs(near.numerator) <= MAX_NUMERATOR else value

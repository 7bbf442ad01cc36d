"""How C is written: the type of numbers, functions that may be called, parameters as a structure, checks of arguments.

The default is what `c_source` writes: `void name(double t, const double q[2], ..., double M[4])`, on doubles, with all
of <math.h>.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from ....errors import ProgramError, listed

LARGEST, SMALLEST = 3.4028234663852886e38, 1.5e-45  # of floats
EMBEDDED: Final = ("sin", "cos", "sqrt")  # all that the embedded variant requires of the machine


@dataclass(frozen=True)
class CNumber:
    """A floating type: its name, and what its literals and its functions of <math.h> end with."""

    type: str
    ending: str = ""

    def literal(self, value: float) -> str:
        """Digits that read back as the same number, or as the nearest that the type has."""
        huge = "HUGE_VALF" if self.ending else "HUGE_VAL"
        if self.ending and not math.isnan(value):
            value = math.copysign(math.inf, value) if abs(value) > LARGEST else 0.0 if abs(value) < SMALLEST else value
        if math.isnan(value):
            return f"({huge} - {huge})"
        if math.isinf(value):
            return huge if value > 0 else f"-{huge}"
        return repr(float(value)) + self.ending


DOUBLE: Final = CNumber("double")
SINGLE: Final = CNumber("float", "f")


@dataclass(frozen=True)
class CRecord:
    """A structure of numbers in the place of an array: the name of its type, and of its fields in order."""

    type: str
    fields: tuple[str, ...]


@dataclass(frozen=True)
class CStyle:
    """The way of a text.

    number     type of all numbers
    prefix     of names that a file shares: helpers, kernels, pieces
    records    groups of inputs that are structures, by the name of the group
    guard      macro that leaves the checks of arguments out; a function with checks returns 0, or what is wrong. Empty:
               no checks
    functions  of sines, cosines and roots, by their names in mathematics, where nothing else may be called; empty: all
               of <math.h>
    """

    number: CNumber = DOUBLE
    prefix: str = ""
    records: Mapping[str, CRecord] = field(default_factory=dict)
    guard: str = ""
    functions: Mapping[str, str] = field(default_factory=dict)

    def call(self, function: str, where: str) -> str:
        """The name of a function of mathematics."""
        if not self.functions:
            return function + self.number.ending
        if function not in self.functions:
            raise ProgramError(
                f"{where}: the embedded variant calls {listed(EMBEDDED)} and nothing else, but the equations contain {function}; leave "
                f"embedded out, or supply {function} as an sb.algebra.ExternalFunction"
            )
        return self.functions[function]


PLAIN: Final = CStyle()

"""Lines of LLVM text for numbers of one precision, each value a name of its own (SSA)."""

from __future__ import annotations

from typing import Final

from .llvm_numbers import BYTES, INTEGER, SUFFIX, splat

_COMPARED: Final = {"<": "olt", "<=": "ole", ">": "ogt", ">=": "oge", "==": "oeq", "is number": "ord"}


class ScalarText:
    """Instructions so far. `real` is float or double; sums and products may be contracted to one rounding."""

    def __init__(self, real: str) -> None:
        self.real, self.integer, self.bits, self.suffix = real, INTEGER[real], 8 * BYTES[real], SUFFIX[real]
        self.lines: list[str] = []
        self.declared: set[str] = set()
        self.count = 0

    def new(self, text: str) -> str:
        self.count += 1
        self.lines.append(f"  %v{self.count} = {text}")
        return f"%v{self.count}"

    def label(self, name: str) -> str:
        self.count += 1
        return f"{name}{self.count}"

    # ------------------------------------------------------------------------------------------------ numbers

    def number(self, value: float) -> str:
        return splat(value, self.real)

    def add(self, a: str, b: str) -> str:
        return self.new(f"fadd contract {self.real} {a}, {b}")

    def sub(self, a: str, b: str) -> str:
        return self.new(f"fsub contract {self.real} {a}, {b}")

    def mul(self, a: str, b: str) -> str:
        return self.new(f"fmul contract {self.real} {a}, {b}")

    def neg(self, a: str) -> str:
        return self.new(f"fneg {self.real} {a}")

    def fma(self, a: str, b: str, c: str) -> str:
        return self.intrinsic("llvm.fma", a, b, c)

    def intrinsic(self, name: str, *values: str) -> str:
        return self.call(f"{name}.{self.suffix}", *values)

    def call(self, name: str, *values: str) -> str:
        self.declared.add(f"declare {self.real} @{name}({', '.join([self.real] * len(values))})")
        return self.new(f"call {self.real} @{name}({', '.join(f'{self.real} {v}' for v in values)})")

    def polynomial(self, coefficients: tuple[float, ...], x: str) -> str:
        """Σ c_k x^k."""
        out = self.number(coefficients[-1])
        for c in coefficients[-2::-1]:
            out = self.fma(out, x, self.number(c))
        return out

    # ------------------------------------------------------------------------------------------------ choices

    def compared(self, a: str, sign: str, b: str) -> str:
        return self.new(f"fcmp {_COMPARED[sign]} {self.real} {a}, {b}")

    def select(self, test: str, yes: str, no: str) -> str:
        return self.new(f"select i1 {test}, {self.real} {yes}, {self.real} {no}")

    def either(self, tests: list[str]) -> str:
        out = tests[0]
        for t in tests[1:]:
            out = self.new(f"or i1 {out}, {t}")
        return out

    # ------------------------------------------------------------------------------------------------ bits

    def as_bits(self, x: str) -> str:
        return self.new(f"bitcast {self.real} {x} to {self.integer}")

    def from_bits(self, x: str) -> str:
        return self.new(f"bitcast {self.integer} {x} to {self.real}")

    def on_integers(self, op: str, a: str, b: str | int) -> str:
        return self.new(f"{op} {self.integer} {a}, {b}")

    def to_integer(self, x: str) -> str:
        return self.new(f"fptosi {self.real} {x} to {self.integer}")

    def with_sign_of(self, x: str, y: str) -> str:
        return self.intrinsic("llvm.copysign", x, y)

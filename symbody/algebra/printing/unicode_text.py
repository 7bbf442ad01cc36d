"""Expressions as Unicode text for terminals: m l² θ̈ = −m g l sin(θ)."""

from __future__ import annotations

from typing import Final

from ...printed_lines import columns
from ..graph.graph import Number, Symbol
from .greek_letters import GREEK
from .styles import ATOM, LOWEST, POWER, PRODUCT, Definitions, Style, Typeset, Written, name_parts

_RAISED: Final = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
_LOWERED: Final = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_DOTS: Final = ("", "\u0307", "\u0308", "\u20db")  # combining dots above a letter
_PRIMES: Final = ("", "′", "″", "‴")  # of names of several letters
_FUNCTIONS: Final = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "log": "ln"}


def _name(name: str, order: int = 0) -> str:
    base, below = name_parts(name)
    letter = GREEK.get(base, base)
    lower = "_".join(p.translate(_LOWERED) if p.isdigit() else GREEK.get(p, p) for p in below)
    index = lower if lower[:1] in "₀₁₂₃₄₅₆₇₈₉" else f"_{lower}"
    if order >= len(_DOTS):
        return f"{letter}{index}⁽{str(order).translate(_RAISED)}⁾"
    return f"{letter}{_DOTS[order]}{index}" if len(letter) == 1 else f"{letter}{index}{_PRIMES[order]}"


def _cell(text: str, width: int) -> str:
    space = width - columns(text)
    return " " * (space // 2) + text + " " * (space - space // 2)


class _Unicode(Typeset):
    conjunction, disjunction, negation, at_most = "∧", "∨", "¬", "≤"
    minus = "−"

    def between(self, sign: str) -> str:
        return f" {'−' if sign == '-' else sign} "

    def name(self, name: str) -> Written:
        return Written(name.lower() if name in ("True", "False") else _name(name))

    def symbol(self, s: Symbol) -> Written:
        return Written(_name(s.stem, s.order))

    def positive(self, value: Number) -> Written:
        text = self.digits(value)
        mantissa, e, exponent = text.partition("e")
        if e and isinstance(value, float):
            return Written(f"{mantissa}·10{str(int(exponent)).translate(_RAISED)}", PRODUCT)
        return Written(text, PRODUCT if "/" in text else ATOM)

    def fraction(self, top: str, bottom: str) -> str:
        return f"{self._one(top)}/{self._one(bottom, ' ')}"

    def _one(self, text: str, more: str = "") -> str:
        """A text that stands above or below a stroke: in parentheses where it is a sum, or, below, a product."""
        depth, is_open = 0, False
        for k, c in enumerate(text):
            depth += (c in "([") - (c in ")]")
            is_open |= depth == 0 and (text[k : k + 3] in (" + ", " − ") or c in f"/{more}")
        return f"({text})" if is_open else text

    def times(self, factor: str) -> str:
        return "·" if factor[0].isdigit() else " "

    def power(self, base: Written, exponent: Written) -> Written:
        is_whole = exponent.text.removeprefix("−").isdigit()
        raised = exponent.text.replace("−", "-").translate(_RAISED) if is_whole else f"^{self.tight(exponent, ATOM)}"
        if base.head and is_whole:
            return Written(f"{base.head}{raised}{base.text.removeprefix(base.head)}", POWER)
        return Written(f"{self.tight(base, ATOM)}{raised}", POWER)

    def function(self, op: str, args: list[str]) -> Written:
        if op == "sqrt":
            return Written(f"√{args[0]}" if args[0].isalnum() else f"√({args[0]})")
        if op == "abs":
            return Written(f"|{args[0]}|")
        if op == "exp":
            return Written(f"exp({args[0]})", ATOM, "exp")
        return self.call(_FUNCTIONS.get(op, op), args)

    def call(self, name: str, args: list[str]) -> Written:
        return Written(f"{name}({', '.join(args)})", ATOM, name)

    def choice(self, condition: str, a: str, b: str) -> Written:
        return Written(f"{{{a} if {condition}, {b} otherwise}}", LOWEST)

    def equality(self, a: str, b: str) -> Written:
        return Written(f"{a} = {b}", LOWEST)

    def factors(self, kind: str, rows: list[list[str]]) -> Written:
        return Written(f"[{'; '.join(map(', '.join, rows))}]")

    def solution(self, factors: Written, right: list[str], transposed: bool) -> Written:
        return Written(f"{factors.text}⁻{'ᵀ' if transposed else '¹'} [{', '.join(right)}]", PRODUCT)

    def bracketed(self, text: str) -> str:
        return f"({text})"

    def matrix(self, rows: list[list[str]]) -> str:
        """Entries in columns, between brackets as high as the matrix."""
        from_left = [max((columns(r[k]) for r in rows), default=0) for k in range(len(rows[0]) if rows else 0)]
        lines = ["  ".join(_cell(e, n) for e, n in zip(r, from_left, strict=True)) for r in rows]
        if len(lines) < 2:
            return f"[{''.join(lines)}]"
        return "\n".join([f"⎡{lines[0]}⎤", *(f"⎢{line}⎥" for line in lines[1:-1]), f"⎣{lines[-1]}⎦"])

    def page(self, definitions: Definitions, left_out: int, results: tuple[str, ...]) -> str:
        more = [f"… ({left_out} more intermediates)"] if left_out else []
        return "\n".join([*(f"{name} = {value}" for name, value in definitions), *more, *results])


UNICODE: Final[Style] = _Unicode()

r"""Tokens of equations as people type them, in LaTeX or plain text.

An answer is divided into equations, and an equation into tokens that know their place in the answer. Greek letters,
signs and dots above letters become what stands for them in ASCII; `\frac{d^2\theta}{dt^2}` and `d^2 theta/dt^2` are one
token.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from html.entities import codepoint2name
from typing import Final, NamedTuple

from ...errors import ExpressionTextError

MOST_CHARACTERS: Final = 20_000  # of an answer

FUNCTIONS: Final = {
    **{n: n for n in "sqrt exp log sin cos tan asin acos atan sinh cosh tanh sign abs".split()},
    "ln": "log", "arcsin": "asin", "arccos": "acos", "arctan": "atan", "sgn": "sign",
}  # fmt: skip
_GREEK: Final = {chr(k): name for k, name in codepoint2name.items() if 0x391 <= k <= 0x3C9}
_VARIANTS: Final = {"ϕ": "phi", "ϑ": "theta", "ϵ": "epsilon", "ς": "sigma", "ϱ": "rho"}
LETTERS: Final = {
    *_GREEK.values(),
    "varphi",
    "vartheta",
    "varepsilon",
    "varrho",
    "varsigma",
    "ell",
}  # that are letters
OPERATORS: Final = {"cdot": "*", "times": "*", "ast": "*", "div": "/"}
SPACES: Final = {
    *"left right big Big bigl bigr Bigl Bigr quad qquad displaystyle limits nonumber notag".split(),
    *",;:!> ",
}
FONTS: Final = {*"mathrm mathit mathbf mathsf text operatorname rm".split()}
_CHARACTERS: Final = {
    "−": "-",
    "–": "-",
    "·": "*",
    "⋅": "*",
    "×": "*",
    "∗": "*",
    "÷": "/",
    "²": "^2",
    "³": "^3",
    "’": "'",
    "′": "'",
    "″": "''",
}
_TOKEN: Final = re.compile(
    r"""(?P<space>[\s~&$]+)
      | (?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?![0-9]))
      | (?P<command>\\(?:[A-Za-z]+|.))
      | (?P<name>[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)*)
      | (?P<sign>\*\*|[-+*/^_()\[\]{},='.|!<>])""",
    re.VERBOSE,
)
_D: Final = r"(?:\\mathrm\s*\{?\s*d\s*\}?|d)"
_DERIVATIVE: Final = re.compile(  # \frac{d^2\theta}{dt^2}, \frac{d}{dt} of what follows, d^2 theta/dt^2, d/dt
    rf"""\\[dt]?frac\s*\{{\s*{_D}\s*(?:\^\s*\{{?\s*(?P<order>[12])\s*\}}?)?\s*(?P<name>[^{{}}]*(?:\{{[^{{}}]*\}})?)\s*\}}\s*
        \{{\s*{_D}\s*\\?,?\s*t\s*(?:\^\s*\{{?\s*[12]\s*\}}?)?\s*\}}
      | d(?:\s*\^\s*(?P<typed_order>[12]))?\s*(?P<typed_name>(?:\\?[A-Za-z][A-Za-z0-9]*(?:_\{{?[A-Za-z0-9]+\}}?)?)?)\s*
        /\s*(?:dt(?:\s*\^\s*[12])?(?![A-Za-z0-9_])|\(\s*dt(?:\s*\^\s*[12])?\s*\))""",
    re.VERBOSE,
)
_NOT_AN_EQUATION: Final = re.compile(  # beginnings and ends of environments, labels, comments
    r"\\(?:begin|end)\s*\{[A-Za-z*]+\}(?:\{[a-z]+\})?|\\(?:label|tag)\*?\s*\{[^{}]*\}|(?<!\\)\\\[|\\\]|(?<!\\)\\[()]|%[^\n]*"
)
_LAST: Final = re.compile(r"(?:[\s~&$.,]|\\[,;:! ]|\\q?quad(?![a-z]))+\Z")  # full stops and spaces after an equation


class Piece(NamedTuple):
    """A token of what was typed: its kind, text, place and length there."""

    kind: str
    text: str
    at: int
    length: int


def equation_texts(text: str) -> Iterator[tuple[int, str]]:
    """The equations of an answer, each with its place: lines, or parts between `\\\\`, semicolons and commas outside of
    parentheses."""
    if len(text) > MOST_CHARACTERS:
        raise ExpressionTextError(
            f"an answer has at most {MOST_CHARACTERS} characters, this one has {len(text)}", text, 0
        )
    plain = _NOT_AN_EQUATION.sub(lambda m: " " * len(m[0]), text)
    breaks = [*(m.span() for m in re.finditer(r"\\\\(?:\[[^\]]*\])?|;", plain)), *_commas(plain)]
    lines = [
        (at, at + 1)
        for start, end in _parts(plain, breaks)
        for at in range(start, end)
        if plain[at] == "\n" and _is_end_of_equation(plain, start, at, end)
    ]
    for start, end in _parts(plain, [*breaks, *lines]):
        part = _LAST.sub("", plain[start:end])
        if part.strip(" \t\n&$"):
            yield start, part


def _parts(text: str, breaks: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans between breaks."""
    ordered = sorted(breaks)
    return list(zip([0, *(b for _, b in ordered)], [*(a for a, _ in ordered), len(text)], strict=True))


def _is_end_of_equation(text: str, start: int, at: int, end: int) -> bool:
    """Whether an equation ends with a line; one with an equals sign, and a sum with a sign at the break, may go on."""
    if (signs := text.count("=", start, end)) > 1:
        return True
    before, after = text[start:at], text[at:end].lstrip(" \t\n&$")
    balance = sum(before.count(c) for c in "([{") - sum(before.count(c) for c in ")]}")
    return not signs and not balance and before.rstrip()[-1:] not in "+-*/^" and after[:1] not in "+-*/^)]}"


def _commas(text: str) -> Iterator[tuple[int, int]]:
    depth = 0
    for k, c in enumerate(text):
        depth += (c in "([{") - (c in ")]}")
        if c == "," and depth == 0 and text[max(0, k - 1)] != "\\":
            if text[max(0, k - 1)].isdigit() and text[k + 1 : k + 2].isdigit():
                raise ExpressionTextError("a decimal number is written with a point: 9.81", text, k)
            yield k, k + 1


def pieces(text: str, shift: int, whole: str) -> list[Piece]:
    """Tokens of one equation. Greek letters, signs and dots above letters become what stands for them in ASCII."""
    plain, places = "", list[int]()
    for k, c in enumerate(text):
        for d in unicodedata.normalize("NFD", c):
            new = _VARIANTS.get(d) or _GREEK.get(d)
            new = f"\\{new} " if new else {"\u0307": "\\=1 ", "\u0308": "\\=2 "}.get(d) or _CHARACTERS.get(d, d)
            plain += new
            places += [k] * len(new)
    plain = re.sub(
        r"\\=(\d) ", lambda m: f"\\{chr(0xE000 + int(m[1]))} ", plain
    )  # private characters: dots above what stands before
    places.append(len(text))
    out: list[Piece] = []
    at = 0
    while at < len(plain):
        found = _DERIVATIVE.match(plain, at) or _TOKEN.match(plain, at)
        if found is None:
            raise ExpressionTextError(
                f"the character {plain[at]!r} has no meaning in an equation", whole, shift + places[at]
            )
        start, end = places[at], max(places[found.end() - 1] + 1, places[at] + 1)
        if "order" in (groups := found.groupdict()):
            order, name = groups["order"] or groups["typed_order"] or "1", groups["name"] or groups["typed_name"] or ""
            out.append(Piece("derivative", order + name.strip(), shift + start, end - start))
        elif found.lastgroup != "space":
            out.append(Piece(str(found.lastgroup), found[0], shift + start, end - start))
        at = found.end()
    out.append(Piece("end", "", shift + len(text), 1))
    return out

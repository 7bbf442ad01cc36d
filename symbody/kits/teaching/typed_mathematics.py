r"""Equations as people type them, in LaTeX or plain text, into the grammar of model files.

    m l^2 \ddot\theta + mgl\sin\theta = 0        ->      m*l^2*theta_ddot+m*g*l*sin(theta)  and  0

Products need no sign, functions no parentheses where the argument is one symbol, derivatives are dots, primes or
`\frac{d^2\theta}{dt^2}`. Characters become tokens, tokens a text in which each character knows where it came from, so that errors
of the reader of expressions mark the place in what was typed. Nothing is evaluated here.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html.entities import codepoint2name
from typing import Final, NamedTuple, NoReturn

from ...errors import ExpressionTextError

MOST_CHARACTERS: Final = 20_000  # of an answer
MOST_DEPTH: Final = 80  # of groups within each other

FUNCTIONS: Final = {
    **{n: n for n in "sqrt exp log sin cos tan asin acos atan sinh cosh tanh sign abs".split()},
    "ln": "log", "arcsin": "asin", "arccos": "acos", "arctan": "atan", "sgn": "sign",
}  # fmt: skip
_GREEK: Final = {chr(k): name for k, name in codepoint2name.items() if 0x391 <= k <= 0x3C9}
_VARIANTS: Final = {"ϕ": "phi", "ϑ": "theta", "ϵ": "epsilon", "ς": "sigma", "ϱ": "rho"}
_COMMANDS: Final = {
    *_GREEK.values(),
    "varphi",
    "vartheta",
    "varepsilon",
    "varrho",
    "varsigma",
    "ell",
}  # that are letters
_OPERATORS: Final = {"cdot": "*", "times": "*", "ast": "*", "div": "/"}
_SPACES: Final = {
    *"left right big Big bigl bigr Bigl Bigr quad qquad displaystyle limits nonumber".split(),
    *",;:!> ",
}
_FONTS: Final = {*"mathrm mathit mathbf mathsf text operatorname rm".split()}
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
_DERIVATIVE: Final = re.compile(  # \frac{d^2\theta}{dt^2}, and \frac{d}{dt} of what follows
    r"\\[dt]?frac\s*\{\s*(?:\\mathrm\s*\{?\s*d\s*\}?|d)\s*(?:\^\s*\{?\s*(?P<order>[12])\s*\}?)?\s*"
    r"(?P<name>[^{}]*(?:\{[^{}]*\})?)\s*\}\s*"
    r"\{\s*(?:\\mathrm\s*\{?\s*d\s*\}?|d)\s*\\?,?\s*t\s*(?:\^\s*\{?\s*[12]\s*\}?)?\s*\}"
)


class Piece(NamedTuple):
    """A token of what was typed: its kind, text, place and length there."""

    kind: str
    text: str
    at: int
    length: int


Resolver = Callable[[str, int, int, int], str]
"""The text of a name in the grammar of model files, from the name as typed, its order of derivative, place and length."""


@dataclass
class Typed:
    """One side of an equation in the grammar of model files; `places[k]` is where character k came from."""

    text: str = ""
    places: list[int] = field(default_factory=list)

    def add(self, text: str, at: int) -> None:
        self.text += text
        self.places += [at] * len(text)


def equation_texts(text: str) -> Iterator[tuple[int, str]]:
    """The equations of an answer, each with its place: lines, or parts between `\\\\`, semicolons and commas outside of
    parentheses."""
    if len(text) > MOST_CHARACTERS:
        raise ExpressionTextError(
            f"an answer has at most {MOST_CHARACTERS} characters, this one has {len(text)}", text, 0
        )
    plain = re.sub(
        r"\\(?:begin|end)\s*\{[A-Za-z*]+\}(?:\{[a-z]+\})?|\\\[|\\\]|\\[()]|%[^\n]*", lambda m: " " * len(m[0]), text
    )
    breaks = sorted([*(m.span() for m in re.finditer(r"\\\\(?:\[[^\]]*\])?|;", plain)), *_commas(plain)])
    starts, ends = [0, *(b for _, b in breaks)], [*(a for a, _ in breaks), len(plain)]
    lines = [
        m.span()
        for start, end in zip(starts, ends, strict=True)
        if plain.count("=", start, end) > 1  # else an equation may go over several lines
        for m in re.compile(r"\n").finditer(plain, start, end)
    ]
    breaks = sorted([*breaks, *lines])
    starts, ends = [0, *(b for _, b in breaks)], [*(a for a, _ in breaks), len(plain)]
    for start, end in zip(starts, ends, strict=True):
        part = plain[start:end].rstrip().rstrip(".,").rstrip()
        if part.strip(" \t\n&$"):
            yield start, part


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
        if "order" in found.groupdict():
            out.append(
                Piece(
                    "derivative",
                    f"{found['order'] or 1}{found['name'].strip()}",
                    shift + start,
                    end - start,
                )
            )
        elif found.lastgroup != "space":
            out.append(Piece(str(found.lastgroup), found[0], shift + start, end - start))
        at = found.end()
    out.append(Piece("end", "", shift + len(text), 1))
    return out


class Translator:
    """One equation: left and right side in the grammar of model files.

    whole     the answer, in which errors mark places
    resolve   what a name is called there
    """

    def __init__(self, whole: str, tokens: list[Piece], resolve: Resolver) -> None:
        self.whole, self.tokens, self.resolve = whole, tokens, resolve
        self.place, self.depth = 0, 0
        self.out = Typed()
        self.has_value = False  # whether a value stands before, so that another one is a factor

    @property
    def now(self) -> Piece:
        return self.tokens[self.place]

    def take(self) -> Piece:
        token = self.now
        self.place += token.kind != "end"
        return token

    def refuse(self, message: str, token: Piece) -> NoReturn:
        raise ExpressionTextError(message, self.whole, token.at, max(1, token.length))

    def is_sign(self, *signs: str) -> bool:
        return self.now.kind == "sign" and self.now.text in signs

    def is_command(self, *names: str) -> bool:
        return self.now.kind == "command" and self.now.text[1:] in names

    def sides(self) -> tuple[Typed, Typed]:
        """Left and right side; an expression alone is equal to zero."""
        sides = [self.side()]
        while self.is_sign("="):
            equals = self.take()
            if self.is_sign("="):
                self.take()
            if len(sides) == 2:
                self.refuse("one equation has one equals sign; write two equations on two lines", equals)
            sides.append(self.side())
        if self.now.kind != "end":
            self.refuse(f"{self.now.text!r} closes nothing", self.now)
        return sides[0], (sides[1] if len(sides) == 2 else Typed("0", [0]))

    def side(self) -> Typed:
        self.out, self.has_value = Typed(), False
        begin = self.now
        self.values(())
        if not self.out.text:
            self.refuse("expected one side of an equation", begin)
        return self.out

    def values(self, closers: tuple[str, ...]) -> None:
        """Everything up to a closing sign, an equals sign or the end."""
        while self.now.kind != "end" and not self.is_sign("=", ")", "]", "}", *closers):
            self.one()

    def one(self) -> None:
        token = self.now
        if token.kind == "number":
            self.take()
            self.emit_value(token.text, token.at)
        elif token.kind == "name" or (token.kind == "command" and token.text[1:] in _COMMANDS):
            self.word()
        elif token.kind == "derivative":
            self.derivative()
        elif token.kind == "command":
            self.command()
        elif self.is_sign("(", "[", "{"):
            self.group()
        elif self.is_sign("^", "**"):
            self.power()
        elif self.is_sign("+", "-", "*", "/"):
            self.take()
            self.emit(token.text, token.at)
            self.has_value = False
        elif self.is_sign("'"):
            self.refuse(
                "a prime follows a symbol: theta'; the derivative of an expression is written \\frac{d}{dt}(...)", token
            )
        elif self.is_sign("|"):
            self.refuse("write abs(...) for a magnitude", token)
        else:
            self.refuse(f"{token.text!r} has no meaning here", token)

    def emit(self, text: str, at: int) -> None:
        self.out.add(text, at)

    def before_value(self, at: int) -> None:
        if self.has_value:
            self.emit("*", at)

    def emit_value(self, text: str, at: int) -> None:
        self.before_value(at)
        self.emit(text, at)
        self.has_value = True

    # Groups

    def inside(self, close: str, opened: Piece) -> None:
        """The inside of a group, which is open, and its closing sign."""
        self.depth += 1
        if self.depth > MOST_DEPTH:
            self.refuse(f"groups are nested more than {MOST_DEPTH} deep", opened)
        self.has_value = False
        before = len(self.out.text)
        self.values((close,))
        if not self.is_sign(close):
            self.refuse(f"{opened.text!r} is not closed", opened)
        if len(self.out.text) == before:
            self.refuse("a group is empty", opened)
        self.take()
        self.depth -= 1

    def group(self, name: str = "") -> None:
        """( ... ), [ ... ] or { ... }, as the argument of a function where one is named."""
        opened = self.take()
        self.before_value(opened.at)
        self.emit(f"{name}(", opened.at)
        self.inside({"(": ")", "[": "]", "{": "}"}[opened.text], opened)
        self.emit(")", opened.at)
        self.has_value = True

    def operand(self, name: str = "") -> None:
        r"""What a command such as \frac or \sqrt takes: a group, or one digit or symbol."""
        if self.is_sign("{", "("):
            self.group(name)
            return
        token = self.now
        if token.kind == "number" and len(token.text) > 1 and not name and token.text.isdigit():  # \frac12
            self.tokens[self.place] = Piece("number", token.text[1:], token.at + 1, token.length - 1)
            self.emit(token.text[0], token.at)
            self.has_value = True
            return
        self.emit(f"{name}(", token.at)
        self.has_value = False
        self.one()
        self.emit(")", token.at)
        self.has_value = True

    def power(self) -> None:
        sign = self.take()
        if not self.has_value:
            self.refuse("a power without a base", sign)
        self.emit("^", sign.at)
        self.has_value = False
        if self.is_sign("{", "("):
            self.group()
            return
        while self.is_sign("-", "+"):
            self.emit(self.take().text, sign.at)
        if self.now.kind not in ("number", "name", "command"):
            self.refuse("expected an exponent", sign)
        self.one()

    # Commands

    def command(self) -> None:
        token = self.take()
        name = token.text[1:]
        if name in _SPACES or (name == "." and not self.has_value):
            if name in ("left", "right") and self.is_sign("."):
                self.take()
        elif name in _OPERATORS:
            self.emit(_OPERATORS[name], token.at)
            self.has_value = False
        elif name in ("frac", "dfrac", "tfrac"):
            self.before_value(token.at)
            self.has_value = False
            self.emit("(", token.at)
            self.operand()
            self.emit("/", token.at)
            self.has_value = False
            self.operand()
            self.emit(")", token.at)
        elif name in FUNCTIONS:
            self.function(FUNCTIONS[name], token)
        elif name in ("dot", "ddot"):
            self.dotted(token, len(name) - 2)
        elif name in _FONTS:
            self.font(token)
        elif name in "{}":
            self.refuse("write ( ) in place of \\{ \\}", token)
        else:
            self.refuse(f"unknown command {token.text}", token)

    def font(self, token: Piece) -> None:
        if not self.is_sign("{"):
            return
        at = self.place + 1
        inner = self.tokens[at]
        if inner.kind == "name" and self.tokens[at + 1].text == "}":
            self.place = at
            del self.tokens[at + 1]
            self.word()
            return
        self.group()

    def dotted(self, token: Piece, order: int) -> None:
        r"""\dot{\theta}_1, \dot{\theta_1}, \dot\theta_1."""
        closes = self.is_sign("{")
        if closes:
            self.take()
        name, at = self.symbol(token)
        if closes:
            if not self.is_sign("}"):
                self.refuse("dots stand above one symbol", self.now)
            self.take()
            name += self.subscript()
        self.emit_name(name, order + self.primes(), token, self.now.at - at)

    def derivative(self) -> None:
        token = self.take()
        order, name = int(token.text[0]), token.text[1:]
        if name:
            inner = [t for t in pieces(name, token.at, self.whole) if t.kind != "end"]
            stem = "".join(t.text.lstrip("\\") for t in inner if t.text not in "{}")
            self.emit_name(stem, order, token, token.length)
            return
        for _ in range(order):
            self.before_value(token.at)
            self.emit("time_derivative(", token.at)
            self.has_value = False
        while self.is_command("left", ",", "big", "Big", "bigl", "Bigl"):
            self.take()
        self.operand()
        self.emit(")" * order, token.at)
        self.has_value = True

    # Names and functions

    def symbol(self, before: Piece) -> tuple[str, int]:
        """One symbol with its subscript: letters, or a Greek letter."""
        while self.is_command(*_FONTS):
            self.take()
        token = self.take()
        if token.kind == "name":
            return token.text + self.subscript(), token.at
        if token.kind == "command" and token.text[1:] in _COMMANDS:
            return token.text[1:] + self.subscript(), token.at
        return self.refuse("expected a symbol", token if token.kind != "end" else before)

    def subscript(self) -> str:
        if not self.is_sign("_"):
            return ""
        sign = self.take()
        if not self.is_sign("{"):
            token = self.take()
            if token.kind not in ("name", "number", "command"):
                self.refuse("expected a subscript", sign)
            if token.kind == "number" and token.text.isdigit() and len(token.text) > 1:  # l_1 2, as TeX reads l_12
                self.place -= 1
                self.tokens[self.place] = Piece("number", token.text[1:], token.at + 1, token.length - 1)
                return f"_{token.text[0]}"
            return f"_{token.text.lstrip(chr(92))}"
        self.take()
        text = ""
        while not self.is_sign("}"):
            token = self.take()
            if token.kind == "end":
                self.refuse("a subscript is not closed", sign)
            if token.kind in ("name", "number") or (token.kind == "command" and token.text[1:] in _COMMANDS):
                text += token.text.lstrip("\\")
        self.take()
        return f"_{text}"

    def primes(self) -> int:
        """Primes, and dots above the letter before."""
        count = 0
        while self.is_sign("'") or (self.now.kind == "command" and "\ue000" <= self.now.text[1] <= "\ue003"):
            token = self.take()
            count += 1 if token.kind == "sign" else ord(token.text[1]) - 0xE000
        return count

    def word(self) -> None:
        """A name, or a function."""
        token = self.now
        if token.kind == "name" and token.text in FUNCTIONS:
            self.take()
            self.function(FUNCTIONS[token.text], token)
            return
        name, at = self.symbol(token)
        order = self.primes()
        name += self.subscript() if order else ""
        last = self.tokens[self.place - 1]
        self.emit_name(name, order, token, last.at + last.length - at)

    def emit_name(self, name: str, order: int, token: Piece, length: int) -> None:
        self.emit_value(self.resolve(name, order, token.at, max(1, length)), token.at)

    def function(self, name: str, token: Piece) -> None:
        """sin(x), sin x, sin 2x, sin^2 x; without parentheses the argument is a number and one symbol."""
        self.before_value(token.at)
        self.has_value = False
        self.emit("(", token.at)
        exponent = self.exponent(token)
        while self.is_command(*_SPACES):
            self.take()
        if self.is_sign("(", "{", "["):
            self.group(name)
        else:
            self.emit(f"{name}(", token.at)
            self.bare_argument(token)
            self.emit(")", token.at)
        self.emit(exponent + ")", token.at)
        self.has_value = True

    def exponent(self, token: Piece) -> str:
        if not self.is_sign("^", "**"):
            return ""
        self.take()
        closes = self.is_sign("{")
        if closes:
            self.take()
        number = self.take()
        if number.kind != "number" or not number.text.isdigit():
            self.refuse(f"{token.text.lstrip(chr(92))}^... takes a whole number; write arcsin for the inverse", token)
        text = number.text
        if closes:
            if not self.is_sign("}"):
                self.refuse("a power of a function is a whole number", number)
            self.take()
        elif len(text) > 1:  # \sin^22\theta
            self.place -= 1
            self.tokens[self.place] = Piece("number", text[1:], number.at + 1, number.length - 1)
            text = text[0]
        return f"^{text}"

    def bare_argument(self, token: Piece) -> None:
        self.has_value = False
        if self.now.kind == "number":
            self.one()
        if self.now.kind in ("name", "command", "derivative") and not self.is_command(*_OPERATORS, *FUNCTIONS, "right"):
            self.one()
            if self.now.kind == "name" and self.now.text == "t":  # cos omega t
                self.one()
        if not self.has_value:
            self.refuse(f"{token.text.lstrip(chr(92))} needs an argument", token)
        if self.is_sign("^", "**", "/"):
            self.refuse("write the argument of the function in parentheses", self.now)

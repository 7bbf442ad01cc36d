r"""Equations as people type them, in LaTeX or plain text, into the grammar of model files.

    m l^2 \ddot\theta + mgl\sin\theta = 0        ->      m*l^2*theta_ddot+m*g*l*sin(theta)  and  0

Products need no sign, functions no parentheses where the argument is one symbol, derivatives are dots, primes or
`\frac{d^2\theta}{dt^2}`. Characters become tokens, tokens a text in which each character knows where it came from, so that errors
of the reader of expressions mark the place in what was typed. Nothing is evaluated here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, NoReturn

from ...errors import ExpressionTextError
from .typed_tokens import FONTS, FUNCTIONS, LETTERS, OPERATORS, SPACES, Piece, pieces

MOST_DEPTH: Final = 80  # of groups within each other
VECTORS: Final = ("vec", "boldsymbol", "overrightarrow")

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
        elif token.kind == "name" or (token.kind == "command" and token.text[1:] in LETTERS):
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

    def divide_name(self) -> None:
        r"""\frac gR and \frac1Lmg: TeX takes one letter."""
        token = self.now
        if token.kind != "name" or len(token.text) == 1 or token.text[1] == "_":
            return
        self.tokens[self.place] = Piece("name", token.text[0], token.at, 1)
        self.tokens[self.place + 1 : self.place + 1] = pieces(token.text[1:], token.at + 1, self.whole)[:-1]

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
        if name in SPACES or (name == "." and not self.has_value):
            if name in ("left", "right") and self.is_sign("."):
                self.take()
        elif name in OPERATORS:
            self.emit(OPERATORS[name], token.at)
            self.has_value = False
        elif name in ("frac", "dfrac", "tfrac"):
            self.before_value(token.at)
            self.has_value = False
            self.emit("(", token.at)
            self.divide_name()
            self.operand()
            self.emit("/", token.at)
            self.has_value = False
            self.divide_name()
            self.operand()
            self.emit(")", token.at)
        elif name in FUNCTIONS:
            self.function(FUNCTIONS[name], token)
        elif name in ("dot", "ddot"):
            self.dotted(token, len(name) - 2)
        elif name in FONTS:
            self.font(token)
        elif name in "{}":
            self.refuse("write ( ) in place of \\{ \\}", token)
        elif name == "partial":
            self.refuse("partial derivatives cannot be read; write them out", token)
        elif name in VECTORS:
            self.refuse("an equation of vectors cannot be compared; write its components", token)
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
        order += self.primes()
        self.argument_of_time()
        self.emit_name(name, order, token, self.now.at - at)

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
        while self.is_command(*FONTS):
            self.take()
        token = self.take()
        if token.kind == "name":
            return token.text + self.subscript(), token.at
        if token.kind == "command" and token.text[1:] in LETTERS:
            return token.text[1:] + self.subscript(), token.at
        if token.text.removeprefix("\\") in VECTORS:
            self.refuse("an equation of vectors cannot be compared; write its components", token)
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
            if token.kind in ("name", "number") or (token.kind == "command" and token.text[1:] in LETTERS):
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
        if token.text in ("Derivative", "diff") and self.texts(1) == ["("]:
            self.derivative_of_sympy()
            return
        name, at = self.symbol(token)
        order = self.primes()
        name += self.subscript() if order else ""
        self.argument_of_time()
        order += self.primes() + self.method_of_sympy()
        last = self.tokens[self.place - 1]
        self.emit_name(name, order, token, last.at + last.length - at)

    def texts(self, count: int, shift: int = 0) -> list[str]:
        """The texts of tokens that follow the next one."""
        at = self.place + 1 + shift
        return [token.text for token in self.tokens[at : at + count]]

    def argument_of_time(self) -> None:
        """theta(t) is theta."""
        if self.texts(3, -1) == ["(", "t", ")"]:
            self.place += 3

    def method_of_sympy(self) -> int:
        """The order of theta.diff(t, 2); 0 if there is none."""
        if self.texts(4, -1) != [".", "diff", "(", "t"]:
            return 0
        opened, self.place = self.tokens[self.place + 2], self.place + 4
        return self.order_of_sympy(opened)

    def order_of_sympy(self, opened: Piece) -> int:
        """The order in what follows the first t: nothing, `, 2` or `, t`; and the closing parenthesis."""
        ends: dict[tuple[str, ...], int] = {(")",): 1, (",", "1", ")"): 1, (",", "2", ")"): 2, (",", "t", ")"): 2}
        for end, order in ends.items():
            if tuple(self.texts(len(end), -1)) == end:
                self.place += len(end)
                return order
        return self.refuse("expected a first or second derivative with respect to t: diff(t), diff(t, 2)", opened)

    def derivative_of_sympy(self) -> None:
        """Derivative(theta(t), t), Derivative(theta(t), (t, 2)), diff(theta, t, 2)."""
        token, opened = self.take(), self.take()
        self.before_value(token.at)
        start, stop = len(self.out.text), len(self.out.places)
        self.has_value = False
        self.values((",",))
        if not self.is_sign(","):
            self.refuse("expected the time: Derivative(theta, t)", opened)
        self.take()
        if paired := self.is_sign("("):
            self.take()
        if self.take().text != "t":
            self.refuse("only derivatives with respect to t can be read", opened)
        order = self.order_of_sympy(opened)
        if paired and self.take().text != ")":
            self.refuse(f"{opened.text!r} is not closed", opened)
        begin, end = "time_derivative(" * order, ")" * order
        self.out.text = self.out.text[:start] + begin + self.out.text[start:] + end
        self.out.places[stop:stop] = [token.at] * len(begin)
        self.out.places += [token.at] * len(end)
        self.has_value = True

    def emit_name(self, name: str, order: int, token: Piece, length: int) -> None:
        self.emit_value(self.resolve(name, order, token.at, max(1, length)), token.at)

    def function(self, name: str, token: Piece) -> None:
        """sin(x), sin x, sin 2x, sin^2 x; without parentheses the argument is a number and one symbol."""
        self.before_value(token.at)
        self.has_value = False
        self.emit("(", token.at)
        exponent = self.exponent(token)
        while self.is_command(*SPACES):
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
        if self.now.kind in ("name", "command", "derivative") and not self.is_command(*OPERATORS, *FUNCTIONS, "right"):
            self.one()
            if self.now.kind == "name" and self.now.text == "t":  # cos omega t
                self.one()
        if not self.has_value:
            self.refuse(f"{token.text.lstrip(chr(92))} needs an argument", token)
        if self.is_sign("^", "**", "/"):
            self.refuse("write the argument of the function in parentheses", self.now)

"""The text of expressions in model files: characters -> tokens -> steps.

    value     := value '|' value | value '&' value | '~' value | sum ('<' '<=' '>' '>=' '==') sum | sum
    sum       := sum ('+' | '-') product | product
    product   := product ('*' | '/') sign | sign
    sign      := ('-' | '+') sign | power
    power     := part ('^' | '**') sign | part
    part      := number | number unit | name | quoted | function '(' values ')' | '(' value ')' | '[' values ']'
               | part '.' name | part '.' name '(' values ')' | part '[' integer (',' integer)* ']'

A text becomes a row of steps for a machine with a stack (operands before their operation), so that nothing walks a
tree: long sums are long rows. Parentheses may nest `MOST_DEPTH` deep. Nothing here knows what names mean, and nothing
is ever given to Python to run.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, NoReturn

from ...algebra.graph.graph import ONE, PI
from ...algebra.graph.names import rate_name
from ...errors import ExpressionTextError, hint, listed

MOST_CHARACTERS: Final = 20_000  # in one expression
MOST_DEPTH: Final = 100  # of parentheses, lists, calls and exponents within each other
MOST_DIGITS: Final = 1300  # of one number: exact ones have up to 4096 bits
MOST_EXPONENT: Final = 400  # of ten, in a number such as 1e-3
MOST_QUOTED: Final = 100  # characters of a quoted name

FUNCTIONS: Final[dict[str, tuple[int, int]]] = {  # least and most arguments
    **dict.fromkeys("sqrt exp log sin cos tan asin acos atan sinh cosh tanh sign abs".split(), (1, 1)),
    **dict.fromkeys("atan2 minimum maximum equal dot cross derivative".split(), (2, 2)),
    "where": (3, 3), "solve": (2, 3), "time_derivative": (1, 1), "contact": (1, 1),
}  # fmt: skip
WORDS: Final = {"rotate": (0, re.compile(r"[xyz]{1,3}|euler|cardan")), "contact": (0, re.compile(r"\w+")),
                "solve": (2, re.compile(r"definite|indefinite|general"))}  # fmt: skip  # arguments that are words, not values

_LEVELS: Final = {
    "|": 1,
    "&": 2,
    "<": 4,
    "<=": 4,
    ">": 4,
    ">=": 4,
    "==": 4,
    "+": 5,
    "-": 5,
    "*": 6,
    "/": 6,
    "^": 8,
    "**": 8,
}
_RELATION, _SIGN, _POWER = 4, 7, 8
_TOKEN: Final = re.compile(
    r"""(?P<space>[ \t\r\n]+)
      | (?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
      | (?P<name>[A-Za-z_][A-Za-z0-9_]*)(?P<primes>'*)
      | (?P<quoted>"[^"\n]*"|'[^'\n]*')
      | (?P<sign>\*\*|<=|>=|==|[-+*/^()\[\],.<>&|~])""",
    re.VERBOSE,
)
UNITS: Final = {"deg": PI / 180, "rad": ONE}  # of angle: 60deg, or 60*deg where nothing else has that name
_UNIT: Final = re.compile(r"(?:deg|rad|°)(?!\w)")
_INSTEAD: Final = {  # characters that look right and are not
    "−": "-", "–": "-", "·": "*", "×": "*", "÷": "/", "²": "^2", "³": "^3", "′": "q1_dot for a time derivative", "’": "q1_dot for a time derivative", "=": "==", "!": "~", "{": "(",
    "π": "pi", "√": "sqrt(...)", ";": ",", "≤": "<=", "≥": ">=",
}  # fmt: skip


class Token(NamedTuple):
    kind: str  # number, unit, name, quoted, sign, end
    text: str
    at: int


class Step(NamedTuple):
    """One instruction of the stack machine: operation `do`, operand `data`, position `at` and `length` in the text.

    number (value), name (name, whether a dot follows), word (text), quoted (text), list (count), sign '-' or '~', an
    operation such as '+', call (name, count), method (name, count), attribute (name), item (indices)
    """

    do: str
    data: Any
    at: int
    length: int = 1


@dataclass(frozen=True, slots=True)
class ExpressionText:
    """A text that has the form of an expression."""

    text: str
    steps: tuple[Step, ...]

    @property
    def names(self) -> list[str]:
        """Names in the order in which they first stand."""
        return list(dict.fromkeys(s.data[0] for s in self.steps if s.do == "name"))


def parsed_expression(text: str) -> ExpressionText:
    """Instructions for an expression; a syntax error carries its position."""
    if len(text) > MOST_CHARACTERS:
        raise ExpressionTextError(
            (
                    f"an expression has at most {MOST_CHARACTERS} characters, this one has {len(text)}; give its "
                    "parts names under `let`"), text, 0
        )  # fmt: skip
    parser = _Parser(text, tokens(text))
    parser.value(0)
    if parser.now.kind != "end":
        parser.refuse_what_follows()
    return ExpressionText(text, tuple(parser.steps))


def number(text: str) -> int | float:
    """An exact integer, or a float where there is a point or an exponent of ten."""
    return int(text) if text.isdigit() else float(text)


# ---------------------------------------------------------------------------------------------------------- tokens


def tokens(text: str) -> list[Token]:
    out: list[Token] = []
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            _refuse_character(text, at)
        kind = found.lastgroup if found.lastgroup != "primes" else "name"
        assert kind is not None
        unit = _UNIT.match(text, found.end()) if kind == "number" else None
        if kind == "number":
            _check_number(text, found, has_unit=unit is not None)
        if found["primes"]:
            _refuse_primes(text, found)
        if kind != "space":
            out.append(Token(kind, found[kind], at))
        at = found.end()
        if unit is not None:
            out.append(Token("unit", unit[0].replace("°", "deg"), at))
            at = unit.end()
    out.append(Token("end", "", len(text)))
    return out


def _refuse_character(text: str, at: int) -> NoReturn:
    c = text[at]
    if c == "'" and at and text[at - 1] in ")]":
        raise ExpressionTextError(
            "the time derivative of an expression is written time_derivative(...), that of a symbol q1_dot", text, at
        )
    if c in "\"'":
        raise ExpressionTextError(f"the quotation mark {c} is not closed", text, at)
    hint = f"; write {_INSTEAD[c]}" if c in _INSTEAD else ""
    if c == "=":
        hint = "; an equation is written as what is to be zero, left side - right side, and a comparison as =="
    raise ExpressionTextError(f"the character {c!r} has no meaning in an expression{hint}", text, at)


def _refuse_primes(text: str, found: re.Match[str]) -> NoReturn:
    name, primes = found["name"], found["primes"]
    raise ExpressionTextError(
        f"the time derivative {name}{primes} is written {rate_name(name, len(primes))}",
        text,
        found.start(),
        len(found[0]),
    )


def _check_number(text: str, found: re.Match[str], has_unit: bool) -> None:
    mantissa, _, exponent = found["number"].lower().partition("e")
    at, end = found.start(), found.end()
    if len(mantissa) > MOST_DIGITS or len(exponent) > 5 or (exponent and abs(int(exponent)) > MOST_EXPONENT):
        raise ExpressionTextError(
            f"a number has at most {MOST_DIGITS} digits and an exponent of at most {MOST_EXPONENT}", text, at, end - at
        )
    if abs(number(found["number"])) == float("inf"):
        raise ExpressionTextError(
            f"the number {found['number']} is larger than any that can be computed with", text, at, end - at
        )
    if end < len(text) and (text[end].isalpha() or text[end] == "_") and not has_unit:
        name = re.compile(r"\w*").match(text, end)
        raise ExpressionTextError(
            f"{found['number']}{name and name[0]} is neither a number nor a name; for a product write {found['number']}*{name and name[0]}, "
            f"units are {listed(UNITS)}",
            text, at, end - at + 1,
        )  # fmt: skip


# ---------------------------------------------------------------------------------------------------------- steps


def has_unit(text: str) -> bool:
    """Whether a number in an expression has a unit, 30deg."""
    return any(token.kind == "unit" for token in tokens(text))


class _Parser:
    """Precedence climbing; every method parses one syntactic category and appends its instructions."""

    def __init__(self, text: str, tokens: list[Token]) -> None:
        self.text, self.tokens, self.place, self.depth = text, tokens, 0, 0
        self.steps: list[Step] = []

    @property
    def now(self) -> Token:
        return self.tokens[self.place]

    def take(self) -> Token:
        token = self.now
        self.place += token.kind != "end"
        return token

    def is_sign(self, *signs: str) -> bool:
        return self.now.kind == "sign" and self.now.text in signs

    def refuse(self, message: str, token: Token) -> NoReturn:
        raise ExpressionTextError(message, self.text, token.at, len(token.text))

    def expect(self, sign: str, what: str, opened: Token) -> None:
        if not self.is_sign(sign):
            if self.now.kind == "end":
                self.refuse(f"{opened.text!r} is not closed", opened)
            self.refuse(f"expected {sign!r} {what}, got {self.now.text!r}{self._missing_sign()}", self.now)
        self.take()

    def _missing_sign(self) -> str:
        if self.now.text in UNITS:
            return f"; the unit of an angle is written without a space, 60{self.now.text}"
        return "; products need a sign: a*b" if self.now.kind in ("number", "name", "quoted") else ""

    def refuse_what_follows(self) -> NoReturn:
        token = self.now
        if token.kind == "sign" and token.text in ")]":
            self.refuse(f"unmatched {token.text!r}", token)
        if token.kind == "sign" and token.text == ",":
            self.refuse(
                "a comma stands between values in parentheses or brackets only; a vector is written [a, b, c]", token
            )
        if token.kind == "sign" and token.text in _LEVELS:
            self.refuse(f"comparisons cannot be chained at {token.text!r}; combine two with &", token)
        self.refuse(f"{token.text!r} follows a complete expression{self._missing_sign()}", token)

    # Operations

    def value(self, least: int) -> None:
        """A value of operations that bind at least so tightly."""
        self.depth += 1
        if self.depth > MOST_DEPTH:
            self.refuse(f"nested more than {MOST_DEPTH} deep; give parts names under `let`", self.now)
        self.prefixed()
        highest = 99
        while self.now.kind == "sign" and least <= (level := _LEVELS.get(self.now.text, -1)) <= highest:
            sign = self.take()
            self.value(_SIGN if level == _POWER else level + 1)
            self.steps.append(Step("^" if level == _POWER else sign.text, None, sign.at, len(sign.text)))
            highest = level - 1 if level == _RELATION else highest
        self.depth -= 1

    def prefixed(self) -> None:
        """Signs before an operand, taken together: - - x is x."""
        if not self.is_sign("-", "+", "~"):
            self.part()
            return
        first, minus = self.take(), 0
        if first.text == "~":
            self.value(_RELATION)
            self.steps.append(Step("~", None, first.at))
            return
        minus += first.text == "-"
        while self.is_sign("-", "+"):
            minus += self.take().text == "-"
        self.value(_SIGN)
        if minus % 2:
            self.steps.append(Step("negate", None, first.at))

    # Operands

    def part(self) -> None:
        token = self.take()
        if token.kind == "number":
            self.steps.append(Step("number", number(token.text), token.at, len(token.text)))
            if self.now.kind == "unit":
                unit = self.take()
                self.steps += [Step("number", UNITS[unit.text], unit.at, len(unit.text)), Step("*", None, unit.at)]
        elif token.kind == "quoted":
            self._quoted(token)
        elif token.kind == "name":
            self._name(token)
        elif token.text == "(":
            self.value(0)
            self.expect(")", "of the parenthesis", token)
        elif token.text == "[":
            self.steps.append(Step("list", self._values(token, "]"), token.at))
        elif token.kind == "end":
            what = (
                "the expression is empty"
                if not self.steps and len(self.tokens) == 1
                else "the expression ends where a value is expected"
            )
            self.refuse(what, token)
        else:
            self.refuse(f"expected a value, got {token.text!r}", token)
        self._what_hangs_on_it()

    def _quoted(self, token: Token) -> None:
        if len(token.text) > MOST_QUOTED + 2:
            self.refuse(f"a quoted name has at most {MOST_QUOTED} characters", token)
        self.steps.append(Step("quoted", token.text[1:-1], token.at, len(token.text)))

    def _name(self, token: Token) -> None:
        if not self.is_sign("("):
            self.steps.append(Step("name", (token.text, self.is_sign(".")), token.at, len(token.text)))
            return
        if token.text not in FUNCTIONS:
            near = hint(token.text, FUNCTIONS)
            self.refuse(f"there is no function {token.text!r}; there are {listed(FUNCTIONS, 99)}.{near}", token)
        count = self._arguments(token)
        least, most = FUNCTIONS[token.text]
        if not least <= count <= most:
            wanted = str(least) if least == most else f"{least} to {most}"
            self.refuse(f"{token.text} takes {wanted} argument{'s' * (most > 1)}, got {count}", token)
        self.steps.append(Step("call", (token.text, count), token.at, len(token.text)))

    def _arguments(self, of: Token) -> int:
        opened = self.take()
        return self._values(opened, ")", *WORDS.get(of.text, (-1, None)))

    def _values(self, opened: Token, close: str, word_at: int = -1, word: re.Pattern[str] | None = None) -> int:
        """Values between commas up to a closing sign; how many there are."""
        count = 0
        while not self.is_sign(close):
            if count:
                self.expect(",", f"or {close!r} after a value", opened)
            if count != word_at or word is None or not self._word(word):
                self.value(0)
            count += 1
        self.take()
        return count

    def _word(self, word: re.Pattern[str]) -> bool:
        """An argument that is a word, such as the axis -z: read where it stands alone."""
        start = self.place
        minus = "-" if self.is_sign("-") else ""
        self.place += len(minus)
        token = self.take()
        if token.kind in ("name", "quoted") and self.is_sign(",", ")"):
            text = token.text.strip("\"'")
            if token.kind == "quoted" or word.fullmatch(text):
                self.steps.append(Step("word", minus + text, token.at, len(token.text)))
                return True
        self.place = start
        return False

    def _what_hangs_on_it(self) -> None:
        while self.is_sign(".", "["):
            sign = self.take()
            if sign.text == "[":
                self._item(sign)
                continue
            token = self.take()
            if token.kind != "name":
                self.refuse(f"expected a name after '.', got {token.text!r}", token)
            if self.is_sign("("):
                count = self._arguments(token)
                self.steps.append(Step("method", (token.text, count), token.at, len(token.text)))
            else:
                self.steps.append(Step("attribute", token.text, token.at, len(token.text)))

    def _item(self, opened: Token) -> None:
        indices: list[int] = []
        while not indices or self.is_sign(","):
            if indices:
                self.take()
            token = self.take()
            if token.kind != "number" or not token.text.isdigit() or len(token.text) > 4:
                self.refuse("an index is an integer, counted from 0", token if token.kind != "end" else opened)
            indices.append(int(token.text))
        self.expect("]", "after an index", opened)
        self.steps.append(Step("item", tuple(indices), opened.at))

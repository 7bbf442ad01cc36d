"""Expressions as MathML, which browsers render without further software: for self-contained pages."""

from __future__ import annotations

from typing import Any, Final

from ...argument_kinds import answered
from ...escaping import in_html
from ...printed_lines import CLOSING, OPENING, TIMES
from ..graph.graph import Number, Symbol
from ..graph.labels import Labels
from .greek_letters import GREEK
from .printed_numbers import ratio
from .printing import short_or_long
from .styles import ATOM, LOWEST, POWER, PRODUCT, Definitions, Style, Typeset, Written, name_parts

_FUNCTIONS: Final = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "log": "ln"}
_DOTS: Final = ("", "˙", "¨", "⃛")
_COMBINING_DOTS: Final = ("", "\u0307", "\u0308", "\u20db")  # combining dots over one letter
_TALL: Final = frozenset("βδζθϑλξψΓΔΘΛΞΠΣΥΦΨΩ")  # letters into which many fonts draw combining dots
_SIGNS_AROUND: Final = {"parentheses": "()", "bars": "||", "root": ("√", "")}  # read aloud and copied, not drawn


@answered
def mathml(thing: Any, lines: int | None = None, labels: Labels | None = None) -> str:
    """An expression, condition or matrix as a `<math>` element; long ones as a sequence of at most `lines` lines.

    >>> theta = sb.symbol("theta", "coordinate")
    >>> sb.algebra.mathml(theta.dot)
    '<math display="block"><mover><mi>θ</mi><mo>˙</mo></mover></math>'

    See also: `latex`, `text`.
    """
    return str(short_or_long(thing, MATHML, lines, labels))


def math_element(inner: str, is_block: bool = True) -> str:
    return f'<math display="{"block" if is_block else "inline"}">{inner}</math>'


def _row(text: str) -> str:
    return f"<mrow>{text}</mrow>"


def _is_tall(text: str) -> bool:
    """Whether parentheses around it have to be higher than a line; those of fonts grow only in fonts for mathematics."""
    return "<mfrac" in text or "<mtable" in text


def _enclosure(how: str, text: str) -> str:
    """In parentheses, bars or a root that the style of the page draws."""
    before, after = _SIGNS_AROUND[how]
    inner = f'<mtable displaystyle="true"><mtr><mtd>{text}</mtd></mtr></mtable>'
    return f'<mrow class="{how}"><mo>{before}</mo>{inner}<mo>{after}</mo></mrow>'


def _letter(name: str) -> str:
    shown = GREEK.get(name, name)
    return f"<mi>{in_html(shown)}</mi>" if len(shown) == 1 else f'<mi mathvariant="normal">{in_html(shown)}</mi>'


def _name_element(name: str, order: int = 0) -> str:
    base, below = name_parts(name)
    letter = _letter(base)
    if 0 < order < len(_DOTS):
        shown = GREEK.get(base, base)
        if len(shown) > 1:
            letter = f'<mover accent="true">{letter}<mo>{_DOTS[order]}</mo></mover>'
        elif shown in _TALL:
            letter = f"<mover>{letter}<mo>{_DOTS[order]}</mo></mover>"
        else:
            letter = f"<mi>{shown}{_COMBINING_DOTS[order]}</mi>"
    if not below:
        return letter
    inner = "<mo>,</mo>".join(f"<mn>{p}</mn>" if p.isdigit() else _letter(p) for p in below)
    return f"<msub>{letter}{_row(inner)}</msub>"


class _MathML(Typeset):
    conjunction, disjunction, negation, at_most = "∧", "∨", "<mo>¬</mo>", "≤"
    minus = "<mo>−</mo>"
    before_unit = TIMES

    def name(self, name: str) -> Written:
        return Written(f"<mtext>{name.lower()}</mtext>" if name in ("True", "False") else _name_element(name))

    def symbol(self, s: Symbol) -> Written:
        if s.order < len(_DOTS):
            return Written(_name_element(s.stem, s.order))
        return Written(f"<msup>{_name_element(s.stem)}<mrow>{OPENING}<mn>{s.order}</mn>{CLOSING}</mrow></msup>", POWER)

    def positive(self, value: Number) -> Written:
        top, bottom = ratio(value)
        if bottom != 1:
            return Written(f"<mfrac><mn>{self.digits(top)}</mn><mn>{self.digits(bottom)}</mn></mfrac>", PRODUCT)
        mantissa, e, exponent = self.digits(value).partition("e")
        if not e or isinstance(value, int):
            return Written(f"<mn>{self.digits(value)}</mn>")
        power = f"<msup><mn>10</mn>{self._signed_integer(int(exponent))}</msup>"
        return Written(f"<mn>{mantissa}</mn><mo>·</mo>{power}", PRODUCT)

    @staticmethod
    def _signed_integer(value: int) -> str:
        return f"<mn>{value}</mn>" if value >= 0 else f"<mrow><mo>−</mo><mn>{-value}</mn></mrow>"

    def fraction(self, top: str, bottom: str) -> str:
        return f"<mfrac>{_row(top)}{_row(bottom)}</mfrac>"

    def times(self, factor: str) -> str:
        return "<mo>·</mo>" if factor.startswith("<mn>") else TIMES

    def power(self, base: Written, exponent: Written) -> Written:
        if base.head:
            return Written(f"<msup>{base.head}{_row(exponent.text)}</msup>{base.text.removeprefix(base.head)}", POWER)
        if base.text.startswith("<msub>") and base.text.find("</msub>") == len(base.text) - len("</msub>"):
            inner = base.text.removeprefix("<msub>").removesuffix("</msub>")  # index and exponent above each other
            return Written(f"<msubsup>{inner}{_row(exponent.text)}</msubsup>", POWER)
        return Written(f"<msup>{_row(self.tight(base, ATOM))}{_row(exponent.text)}</msup>", POWER)

    def function(self, op: str, args: list[str]) -> Written:
        if op == "sqrt":
            return Written(f"<msqrt>{args[0]}</msqrt>" if not _is_tall(args[0]) else _enclosure("root", args[0]))
        if op == "abs":
            return Written(
                f"<mrow><mo>|</mo>{args[0]}<mo>|</mo></mrow>" if not _is_tall(args[0]) else _enclosure("bars", args[0])
            )
        if op == "exp":
            return Written(f"<msup><mi>e</mi>{_row(args[0])}</msup>", POWER)
        return self._function_call(f'<mi mathvariant="normal">{_FUNCTIONS.get(op, op)}</mi>', args)

    def call(self, name: str, args: list[str]) -> Written:
        return self._function_call(f'<mi mathvariant="normal">{in_html(name)}</mi>', args)

    def _function_call(self, head: str, args: list[str]) -> Written:
        return Written(head + "<mo>&#x2061;</mo>" + self.bracketed("<mo>,</mo>".join(args)), ATOM, head)

    def choice(self, condition: str, a: str, b: str) -> Written:
        rows = "".join(
            f"<mtr><mtd>{value}</mtd><mtd><mtext>{word}</mtext>{test}</mtd></mtr>"
            for value, word, test in ((a, "if\u00a0", condition), (b, "otherwise", ""))
        )
        return Written(f'<mrow class="cases"><mo>{{</mo><mtable>{rows}</mtable></mrow>', LOWEST)

    def equality(self, a: str, b: str) -> Written:
        return Written(f"{a}<mo>=</mo>{b}", LOWEST)

    def factors(self, kind: str, rows: list[list[str]]) -> Written:
        return Written(self.matrix(rows))

    def solution(self, factors: Written, right: list[str], transposed: bool) -> Written:
        exponent = "<mrow><mo>−</mo><mi>T</mi></mrow>" if transposed else "<mrow><mo>−</mo><mn>1</mn></mrow>"
        return Written(f"<msup>{_row(factors.text)}{exponent}</msup>{self.matrix([[e] for e in right])}", PRODUCT)

    def bracketed(self, text: str) -> str:
        return _enclosure("parentheses", text) if _is_tall(text) else f"<mrow>{OPENING}{text}{CLOSING}</mrow>"

    def matrix(self, rows: list[list[str]]) -> str:
        inner = "".join(f"<mtr>{''.join(f'<mtd>{e}</mtd>' for e in r)}</mtr>" for r in rows)
        return f'<mrow class="matrix"><mo>[</mo><mtable>{inner}</mtable><mo>]</mo></mrow>'

    def page(self, definitions: Definitions, left_out: int, results: tuple[str, ...]) -> str:
        lines = [(f"{name}<mo>=</mo>", value) for name, value in definitions]
        if left_out:
            lines.append(("", f"<mtext>… ({left_out} more intermediates)</mtext>"))
        if not lines and len(results) == 1:
            return math_element(results[0])
        lines += [("", r) for r in results]
        left_side, right_side = (f'<mtd style="text-align:{side}">' for side in ("right", "left"))
        rows = "".join(f"<mtr>{left_side}{a}</mtd>{right_side}{b}</mtd></mtr>" for a, b in lines)
        return math_element(f'<mtable class="sequence">{rows}</mtable>')

    def between(self, sign: str) -> str:
        return f"<mo>{in_html('−' if sign == '-' else sign)}</mo>"

    def item(self, block: Written, k: int) -> Written:
        return Written(f"<msub>{_row(self.tight(block, ATOM))}<mn>{k + 1}</mn></msub>")


MATHML: Final[Style] = _MathML()

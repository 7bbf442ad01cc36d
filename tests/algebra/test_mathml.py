"""MathML: well formed for every operation, and saying what the text says."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

import symbody as sb
from symbody.algebra.printing.mathml import mathml

x, y, theta1, w_fork_x = sb.symbols("x y theta1 w_fork_x")
q = sb.symbol("q", "coordinate")
g = sb.algebra.ExternalFunction("law", 2)


def _plain(thing) -> str:
    """All the letters and signs of the element, in order."""
    root = ElementTree.fromstring(mathml(thing))
    assert root.tag == "math"
    loose = [e.tag for e in root.iter() if (e.text or "").strip() and e.tag not in ("mi", "mn", "mo", "mtext")]
    assert loose == []  # browsers draw nothing of text outside of these
    return "".join(root.itertext()).replace("\u2062", "").replace("\u2061", "")


@pytest.mark.parametrize(
    ("thing", "shown"),
    [
        (x + y, "x+y"),
        (x - 2 * y, "x−2y"),
        (-x, "−x"),
        (x * (y + 1), "x(y+1)"),
        (x / y, "xy"),
        (x**2, "x2"),
        ((y * x) * x, "x2y"),
        (x * (y * x**2), "x3y"),
        (sb.sin(theta1) ** 2, "sin2(θ1)"),
        (w_fork_x, "wfork,x"),
        (q.dot, "q\u0307"),
        (q.dot.dot, "q\u0308"),
        (sb.symbol("theta1", "coordinate").dot, "θ˙1"),  # apart: fonts draw combining dots into tall letters
        (sb.sqrt(x), "x"),
        (abs(x), "|x|"),
        (sb.exp(x), "ex"),
        (sb.atan2(y, x), "atan2(y,x)"),
        (sb.where(x < y, x, 1 - y), "{xif\u00a0x<y1−yotherwise"),
        (g(x, y), "law(x,y)"),
        (sb.fraction(1, 12) * x, "x12"),
        (1.5e-7 * x, "1.5·10−7x"),
        (sb.matrix([[1, x], [y, 2]]), "[1xy2]"),
        (x < y, "x<y"),
    ],
)
def test_says_what_the_text_says(thing, shown):
    assert _plain(thing) == shown


def test_long_things_are_sequences():
    eq = sum((sb.sin(k * x) * sb.cos(k * y) for k in range(1, 60)), x * y) ** 2
    root = ElementTree.fromstring(mathml(eq))
    assert root[0].get("class") == "sequence"
    assert len(root[0]) > 1
    short = ElementTree.fromstring(mathml(eq, lines=1))
    assert "more intermediates" in "".join(short.itertext())


def test_solves():
    A = sb.matrix([[2 + x, y], [y, 3]])
    solved = sb.solve(A, [x, y], "definite")
    assert "−1" in _plain(solved[0])

"""Programs do not depend on what happened in the process before."""

from __future__ import annotations

import subprocess
import sys

import pytest

from symbody.algebra.graph.functions import cos, sin
from symbody.algebra.graph.graph import symbols
from symbody.emit.lowering.lower import program

SCRIPT = """
from symbody import program, symbols, sin, cos
{before}
a, b, c, d = symbols("a b c d")
e = (a + b * c) * (sin(a) * cos(b) + d) + (c * d + sin(a)) * (b + d) + (a * d) * (b * c)
print(program("f", {{"x": [a, b, c, d]}}, {{"e": e}}).digest)
"""


def digest(before: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(before=before)], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_the_same_code_whatever_came_before():
    plain = digest("")
    assert digest("kept = symbols('d c b a')") == plain
    assert digest("d, c = symbols('d c'); kept = [sin(d), c * d, d + c, cos(symbols('b')[0])]") == plain
    assert digest("d, c, b, a = symbols('d c b a'); kept = [a * (b * (c * d)), b * (c * d), d + (c + a)]") == plain


@pytest.mark.parametrize("swap", [False, True])
def test_operands_stand_in_the_order_of_the_inputs(swap):
    names = ("y_late", "x_early") if swap else ("x_early", "y_late")
    made = dict(zip(names, symbols(names), strict=True))
    x, y = made["x_early"], made["y_late"]
    p = program("f", {"v": [x, y]}, {"out": sin(y * x) + cos(x)})
    first = next(i for i in p.code if i.op == "mul" and all(p.code[a].op == "input" for a in i.args))
    assert [p.code[a].data for a in first.args] == [(0, 0), (0, 1)]

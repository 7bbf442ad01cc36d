"""What is printed reads back as what it was, looks as a person would write it, and stays short whatever the size."""

import ast
import math
import random
import re
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

from symbody.algebra.calculus.evaluate import evaluate
from symbody.algebra.graph import functions as fn
from symbody.algebra.graph.graph import (
    HALF,
    ONE,
    PI,
    ZERO,
    Expr,
    Node,
    as_expr,
    constant,
    fraction,
    make,
    symbol,
    symbols,
)  # fmt: skip
from symbody.algebra.graph.linear import factorize, solve
from symbody.algebra.graph.matrix import Matrix, matrix, vector
from symbody.algebra.graph.walk import evaluation_order
from symbody.algebra.printing.printing import MAX_LINES, latex, sequence, text
from symbody.algebra.printing.styles import LINE_WIDTH
from symbody.errors import EvaluationError, ExpressionError
from tests.amount import FULL

MANY = 50_000 if FULL else 8_000  # levels, or names: far more than a walk that is not linear would get through

a, b, c, d, m, g, l, x, y = symbols("a b c d m g l x y", "variable")
q, theta = symbols("q1 theta1", "coordinate")
t = symbol("t", "time")
w_fork_x = symbol("w_fork_x", "speed")
f = fn.ExternalFunction("f", 2, python=lambda u, v: math.sin(u) + v)

# ------------------------------------------------------------------------------------------------------ reading back


class _ExactNumbers(ast.NodeTransformer):
    """1/3 in a text is a third, not a float."""

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        return ast.Call(ast.Name("constant", ast.Load()), [node], []) if not isinstance(node.value, bool) else node


def read_line(line: str, names: dict[str, Any]) -> Any:
    line = re.sub(r"(z\d+)\[(\d+)\]", r"item(\1, \2)", line).replace("; ", "], [")
    tree = ast.fix_missing_locations(_ExactNumbers().visit(ast.parse(line, mode="eval")))
    return as_node(eval(compile(tree, line, "eval"), names))


def as_node(value: Any) -> Any:
    return value if isinstance(value, (Node, tuple)) else make_truth(value) if isinstance(value, bool) else value


def make_truth(value: bool) -> Node:
    return (ZERO < ONE) if value else (ONE < ZERO)


def read_solve(first: Any, *rest: list[Any]) -> tuple[Expr, ...]:
    if isinstance(first, str):
        *rows, right = rest
        return solve(matrix(rows), right, first).entries
    return first.solve(rest[0]).entries


def read(printed: str) -> Any:
    """The node that a text stands for: an expression, or a sequence whose last line is the result."""
    names = dict(known_names())
    *lines, last = printed.splitlines()
    for line in lines:
        name, value = line.split(" = ", 1)
        names[name] = read_line(value, names)
    return read_line(last, names)


@cache
def known_names() -> dict[str, Any]:
    """What texts may be made of."""
    moving: list[Any] = [a, b, c, d, g, l, m, x, y, q, theta, w_fork_x]
    rates = [s.dot for s in moving] + [s.dot.dot for s in moving] + [s.dot.dot.dot for s in moving]
    names: dict[str, Any] = {s.name: s for s in (*moving, *rates, t)}
    names |= {n: getattr(fn, n) for n in dir(fn) if not n.startswith("_")}
    names |= {"pi": PI, "constant": constant, "f": f, "abs": abs, "definite": "definite", "general": "general"}
    names |= {"solve": read_solve, "factor": lambda kind, *rows: factorize(matrix(rows), kind)}
    return names | {"item": lambda block, i: block[int(float(i))]}


UNARY: list[Callable[[Any], Any]] = [
    fn.sin, fn.cos, fn.tan, fn.asin, fn.acos, fn.atan, fn.sinh, fn.cosh, fn.tanh, fn.exp, fn.log, fn.sqrt, fn.sign, abs,
    lambda e: -e, lambda e: e**2, lambda e: e**3, lambda e: e ** fraction(1, 3), lambda e: e**0.7, lambda e: 1 / e,
]  # fmt: skip
BINARY: list[Callable[[Any, Any], Any]] = [
    *[lambda e, h: e + h, lambda e, h: e - h, lambda e, h: e * h, lambda e, h: e / h] * 4,
    lambda e, h: e**h, fn.atan2, fn.minimum, fn.maximum, f,
    lambda e, h: fn.where(e < h, h, a), lambda e, h: fn.where((e <= h) & (h < a) & ~(a < e), e, h),
    lambda e, h: fn.where((e < h) | fn.equal(e, a) & (b <= h) | (c < h), e, b),
]  # fmt: skip
NUMBERS = [2, 3, Fraction(1, 2), Fraction(2, 3), Fraction(-5, 4), -7, 0.1, 1e-9, 2.5e20]
WITH_NUMBERS: list[Callable[[Any, Any], Any]] = [
    lambda e, k: e + k, lambda e, k: e - k, lambda e, k: k - e, lambda e, k: k * e, lambda e, k: k / e,
]  # fmt: skip


def random_expression(seed: int, share_of_numbers: float, size: int = 9) -> Expr:
    rng = random.Random(seed)
    pool: list[Expr] = [a, b, c, x, q, q.dot, q.dot.dot, t, PI]
    e: Expr = rng.choice(pool)
    for _ in range(size):
        try:
            if rng.random() < share_of_numbers:
                new = rng.choice(WITH_NUMBERS)(e, rng.choice(NUMBERS))
            elif rng.random() < 0.35:
                new = rng.choice(UNARY)(e)
            else:
                new = rng.choice(BINARY)(*rng.sample([e, rng.choice(pool)], 2))
        except ExpressionError:  # no value: log(0), 1/0
            continue
        if text(new).count("\n") == 0:
            e = new
            pool.append(e)
    return e


def lots(count: int, size: int = 50) -> list[range]:
    """Seeds, many to a case: a case of its own takes longer than most of them."""
    return [range(first, first + size) for first in range(0, count, size)]


@pytest.mark.parametrize("seeds", lots(300), ids=str)
def test_text_reads_back_as_the_same_node(seeds: range) -> None:
    for seed in seeds:
        e = random_expression(seed, share_of_numbers=0.0)
        again = read(text(e, exact=True))
        if has_numbers(e):  # from a + a = 2 a
            e, again = coefficient_first(e), coefficient_first(again)
        assert again is e, text(e)


def has_numbers(e: Expr) -> bool:
    sums_and_products = (n for n in evaluation_order([e]) if n.op in ("add", "sub", "mul", "div"))
    return any(n.args[0].op == "const" and n.args[0] is not ONE for n in sums_and_products)


def coefficient_first(root: Expr) -> Expr:
    """The expression with the numbers of products and sums pulled out: (2 a) b = 2 (a b).

    Text does not tell these two apart: both print as 2*a*b.
    """
    new: dict[Node, Any] = {}
    for n in evaluation_order([root]):
        args = [new[e] for e in n.args]
        if n.op in ("add", "sub"):
            (k, e), (h, o) = map(_split_sum, args)
            new[n] = constant(_exact(k) + _exact(h) if n.op == "add" else _exact(k) - _exact(h)) + make(n.op, (e, o))
        elif n.op in ("mul", "div"):
            (k, e), (h, o) = map(_split_product, args)
            new[n] = constant(_exact(k) * _exact(h) if n.op == "mul" else _exact(k) / _exact(h)) * make(n.op, (e, o))
        else:
            new[n] = n if not args or (n.op == "call" and tuple(args) == n.args) else _again(n, args)
    return new[root]


def _exact(k: Any) -> Any:
    return Fraction(k) if isinstance(k, int) else k


def _again(n: Node, args: list[Any]) -> Any:
    return n.data(*args) if n.op == "call" else make(n.op, tuple(args), n.data)


def _split_sum(e: Expr) -> tuple[Any, Expr]:
    if e.op == "const":
        return e.data, ZERO
    if e.op in ("add", "sub") and e.args[0].op == "const":
        return e.args[0].data, e.args[1] if e.op == "add" else -e.args[1]
    return 0, e


def _split_product(e: Expr) -> tuple[Any, Expr]:
    if e.op == "const":
        return e.data, ONE
    if e.op == "neg":
        k, o = _split_product(e.args[0])
        return -k, o
    if e.op in ("mul", "div") and e.args[0].op == "const":
        return e.args[0].data, e.args[1] if e.op == "mul" else ONE / e.args[1]
    return 1, e


@pytest.mark.parametrize("seeds", lots(300), ids=str)
def test_text_with_numbers_reads_back_but_for_the_place_of_coefficients(seeds: range) -> None:
    for seed in seeds:
        e = random_expression(seed, share_of_numbers=0.35)
        again = read(text(e, exact=True))
        if again is e or coefficient_first(again) is coefficient_first(e):
            continue
        values = {s: 0.3 + 0.1 * i for i, s in enumerate(n for n in evaluation_order([e, again]) if n.op == "symbol")}
        assert same_value(e, again, values), text(e)


def same_value(e: Expr, h: Expr, values: dict[Any, float]) -> bool:
    """Equal numbers with 60 digits, where floats were gathered in another order."""
    one, other = (evaluate(n, values, digits=60) for n in (e, h))
    return abs(one - other) <= 1e-12 * (1 + abs(one))


@pytest.mark.parametrize("seed", range(60))
def test_sequence_reads_back_as_the_same_node(seed: int) -> None:
    e = random_expression(seed, share_of_numbers=0.0, size=6)
    for i in range(12):
        e = (e + random_expression(97 * seed + i, 0.0, 4)) * fn.sin(e) + symbol("xyabcdmgl"[i % 9], "variable")
    assert len(text(e).splitlines()) > 1
    again = read(str(sequence(e)))
    assert again is e or coefficient_first(again) is coefficient_first(e)


def test_solve_reads_back() -> None:
    A, right = matrix([[a * fn.sin(x), b], [b, c + d]]), [x * fn.sin(x), y]
    for kind in ("definite", "general"):
        one, two = solve(A, right, kind)
        e = one * fn.cos(two) + one
        assert read(text(e)) is e
    factors = factorize(A, "definite")
    e = factors.solve(right)[0] + factors.solve([a, b])[1]
    assert "factor(definite, " in text(e)
    assert read(text(e)) is e


# ------------------------------------------------------------------------------------------------------ looks

LOOKS = [
    (m * g * l * fn.sin(q), "m*g*l*sin(q1)", r"m g l \sin\left(q_{1}\right)"),
    (x**2, "x**2", "x^{2}"),
    (m / 12, "m/12", r"\frac{m}{12}"),
    (fraction(1, 12), "1/12", r"\frac{1}{12}"),
    (-fraction(1, 12), "-1/12", r"-\frac{1}{12}"),
    (x - 2, "x - 2", "x - 2"),
    (2 - x, "2 - x", "2 - x"),
    (2 * x / 3, "2*x/3", r"\frac{2 x}{3}"),
    (HALF * m * q.dot**2, "m*q1_dot**2/2", r"\frac{m \dot{q}_{1}^{2}}{2}"),
    ((a + b) / 2, "(a + b)/2", r"\frac{a + b}{2}"),
    (3 * a / (4 * b), "3*a/(4*b)", r"\frac{3 a}{4 b}"),
    (1 / (2 * x), "1/(2*x)", r"\frac{1}{2 x}"),
    (a / (b * c), "a/(b*c)", r"\frac{a}{b c}"),
    (a / b * c, "a/b*c", r"\frac{a c}{b}"),
    (-(a + b), "-a - b", "-a - b"),
    (-(a + 2), "-a - 2", "-a - 2"),
    (-(a + b) * c, "-c*(a + b)", r"-c \left(a + b\right)"),
    (a - (b + c), "a - b - c", "a - b - c"),
    (a - (b - c), "a - b + c", "a - b + c"),
    ((a + 2) + b, "a + b + 2", "a + b + 2"),
    ((2 * a) * b, "2*a*b", "2 a b"),
    (-x * y, "-x*y", "-x y"),
    (-x / y + 1, "1 - x/y", r"1 - \frac{x}{y}"),
    ((a * b) ** 2, "(a*b)**2", r"\left(a b\right)^{2}"),
    ((-x) ** y, "(-x)**y", r"\left(-x\right)^{y}"),
    (constant(-2) ** x, "(-2)**x", r"\left(-2\right)^{x}"),
    (HALF**x, "(1/2)**x", r"\left(\frac{1}{2}\right)^{x}"),
    (x ** (y + 1), "x**(y + 1)", "x^{y + 1}"),
    ((x**a) ** y, "(x**a)**y", r"\left(x^{a}\right)^{y}"),
    (x ** (y**a), "x**(y**a)", "x^{y^{a}}"),
    ((a < b) & (c < d) & (x < y), "(a < b) & (c < d) & (x < y)", None),
    (((a < b) & (c < d)) & ((x < y) & (a < c)), "(a < b) & (c < d) & ((x < y) & (a < c))", None),
    (((a < b) | (c < d)) & (x < d), "(x < d) & ((a < b) | (c < d))", None),
    (fn.sin(x) ** 2 * fn.exp(-x), "exp(-x)*sin(x)**2", r"\sin^{2}\left(x\right) e^{-x}"),
    (fn.exp(x) ** 2, "exp(x)**2", r"\left(e^{x}\right)^{2}"),
    (fn.sqrt(x) / y, "sqrt(x)/y", r"\frac{\sqrt{x}}{y}"),
    (abs(x + 1), "abs(x + 1)", r"\left|x + 1\right|"),
    (fn.atan2(y, x), "atan2(y, x)", r"\operatorname{atan2}\left(y, x\right)"),
    (fn.minimum(a, PI / 2), "minimum(pi/2, a)", r"\min\left(\frac{\pi}{2}, a\right)"),
    (f(x, y + 1), "f(x, y + 1)", r"f\left(x, y + 1\right)"),
    (2.5 * x, "2.5*x", "2.5 x"),
    (1e-7 * x, "1e-07*x", r"1 \cdot 10^{-7} x"),
    (2 * fn.exp(fraction(1, 3) * x) * 3, "6*exp(x/3)", r"6 e^{\frac{x}{3}}"),
    (theta.dot.dot, "theta1_ddot", r"\ddot{\theta}_{1}"),
    (q.dot.dot.dot, "q1_d3", r"\dddot{q}_{1}"),
    (q.dot.dot.dot.dot**2, "q1_d4**2", r"\left(q_{1}^{(4)}\right)^{2}"),
    (w_fork_x, "w_fork_x", "w_{fork,x}"),
    (symbol("omega_x"), "omega_x", r"\omega_{x}"),
    (symbol("tau"), "tau", r"\tau"),
    (symbol("w_theta"), "w_theta", r"w_{\theta}"),
    (symbol("Ixx"), "Ixx", r"\mathit{Ixx}"),
    (symbol("_private"), "_private", r"\mathit{\_private}"),
    (symbol("phi12_rear", "coordinate").dot, "phi12_rear_dot", r"\dot{\phi}_{12,rear}"),
    (q < 0, "q1 < 0", "q_{1} < 0"),
    (x >= y, "y <= x", r"y \leq x"),
    ((a < b) & (c < d), "(a < b) & (c < d)", r"\left(a < b\right) \wedge \left(c < d\right)"),
    (~((a < b) | (c < d)), "~((a < b) | (c < d))", r"\neg \left(\left(a < b\right) \vee \left(c < d\right)\right)"),
    (fn.equal(a, b), "equal(a, b)", "a = b"),
    (ZERO < ONE, "True", r"\text{true}"),
    (
        1 + fn.where(q < 0, a, -b),
        "where(q1 < 0, a, -b) + 1",
        r"\left(\begin{cases} a & \text{if } q_{1} < 0 \\ -b & \text{otherwise} \end{cases}\right) + 1",
    ),
    (matrix([[a, b], [c, d]]), "matrix([[a, b], [c, d]])", r"\begin{bmatrix} a & b \\ c & d \end{bmatrix}"),
    (vector(a, b), "vector(a, b)", r"\begin{bmatrix} a \\ b \end{bmatrix}"),
]  # fmt: skip


@pytest.mark.parametrize(("thing", "as_text", "as_latex"), LOOKS, ids=[row[1] for row in LOOKS])
def test_looks(thing: Any, as_text: str, as_latex: str | None) -> None:
    assert text(thing) == as_text
    assert as_latex is None or latex(thing) == as_latex


def test_nodes_print_themselves() -> None:
    assert repr(x - 2) == "x - 2"
    assert (x**2)._repr_latex_() == "$x^{2}$"


# ------------------------------------------------------------------------------------------------------ LaTeX means it


class Reader:
    """Numbers from the LaTeX that is written here: an own grammar, to see that signs and brackets are right."""

    _tokens = re.compile(
        r"\\left\(|\\right\)|\\left\||\\right\||\\operatorname\{\w+\}|\\dot\{q\}_\{1\}|\\ddot\{q\}_\{1\}|\\[a-z]+(?:_\{\w+\})?"
        r"|[a-z](?:_\{\w+\})?|\d+(?:\.\d+)?|[-+^{},]"
    )

    def __init__(self, source: str, values: dict[str, float]) -> None:
        assert not self._tokens.sub("", source).strip(), source
        self.tokens, self.values = self._tokens.findall(source), values

    def next(self, *wanted: str) -> bool:
        if self.tokens and self.tokens[0] in wanted:
            del self.tokens[0]
            return True
        return False

    def need(self, token: str) -> None:
        assert self.next(token), (token, self.tokens)

    def sum(self) -> float:
        sign = -1 if self.next("-") else 1
        out = sign * self.product()
        while self.tokens and self.tokens[0] in "+-":
            sign = 1 if self.tokens.pop(0) == "+" else -1
            out += sign * self.product()
        return out

    def product(self) -> float:
        out = self.power()
        while self.tokens and self.tokens[0] not in ("+", "-", "}", r"\right)", r"\right|", ","):
            self.next(r"\cdot")
            out *= self.power()
        return out

    def power(self) -> float:
        base = self.base()
        return base ** self.group() if self.next("^") else base

    def group(self) -> float:
        self.need("{")
        out = self.sum()
        self.need("}")
        return out

    def base(self) -> float:
        token = self.tokens.pop(0)
        if token == r"\frac":
            return self.group() / self.group()
        if token == r"\sqrt":
            return math.sqrt(self.group())
        if token == r"\left(":
            return self.until(r"\right)")[0]
        if token == r"\left|":
            return abs(self.until(r"\right|")[0])
        if token == "e":
            return math.e
        if token[0].isdigit():
            return float(token)
        return self.values[token] if token in self.values else self.function(token)

    def function(self, name: str) -> float:
        exponent = self.group() if self.next("^") else 1
        self.need(r"\left(")
        args = self.until(r"\right)")
        known: dict[str, Any] = {
            r"\sin": math.sin, r"\cos": math.cos, r"\arctan": math.atan, r"\tanh": math.tanh, r"\min": min,
            r"\max": max, r"\operatorname{atan2}": math.atan2, r"\ln": math.log,
        }  # fmt: skip
        return known[name](*args) ** exponent

    def until(self, end: str) -> list[float]:
        out = [self.sum()]
        while self.next(","):
            out.append(self.sum())
        self.need(end)
        return out


SMOOTH: list[Callable[[Any], Any]] = [
    fn.sin, fn.cos, fn.atan, fn.tanh, fn.exp, lambda e: fn.sqrt(abs(e)), lambda e: -e, lambda e: e**2, lambda e: e**3,
    lambda e: fn.sin(e) ** 2, lambda e: abs(e) ** x, lambda e: fn.log(e**2 + 1) ** 2,
]  # fmt: skip
PLAIN: list[Callable[[Any, Any], Any]] = [
    *[lambda e, h: e + h, lambda e, h: e - h, lambda e, h: e * h, lambda e, h: e / h] * 3,
    fn.atan2, fn.minimum, fn.maximum,
]  # fmt: skip


@pytest.mark.parametrize("seeds", lots(300), ids=str)
def test_latex_has_the_value_of_the_expression(seeds: range) -> None:
    found = [is_read_back(seed) for seed in seeds]
    assert all(found)
    assert found.count(True) > len(seeds) / 3  # the others have no value, or are sequences


def is_read_back(seed: int) -> bool | str:
    """Whether the LaTeX of a random expression has its value; words where it has none."""
    rng = random.Random(seed)
    values = {a: 0.7, x: 1.3, q: 0.4, q.dot: -0.9, theta: 0.6}
    pool: list[Expr] = list(values)
    e: Expr = a
    for _ in range(12):
        kind = rng.random()
        if kind < 0.25:
            e = rng.choice(SMOOTH)(e)
        elif kind < 0.5:
            e = rng.choice(WITH_NUMBERS)(e, rng.choice(NUMBERS[:7])) if e is not ZERO else a
        else:
            e = rng.choice(PLAIN)(*rng.sample([e + 0 if e is not ZERO else a, rng.choice(pool)], 2))
        pool.append(e if e is not ZERO else b)
    values[b] = 0.2
    try:
        expected = evaluate(e, values)
    except EvaluationError:
        return "no value"
    written = latex(e, lines=None)
    if "aligned" in written:
        return "a sequence"
    got = Reader(written, {latex(s): v for s, v in values.items()} | {r"\pi": math.pi}).sum()
    assert got == pytest.approx(expected, rel=1e-6, abs=1e-9), written
    return True


# ------------------------------------------------------------------------------------------------------ sequences


def test_shared_parts_are_written_once() -> None:
    s = fn.sin(x + y)
    assert str(sequence(s * a + s**2, vector(s, x))) == "z1 = sin(x + y)\nz1**2 + a*z1\nvector(z1, x)"
    assert sequence(s * a + s**2).definitions == (("z1", "sin(x + y)"),)
    assert sequence(s * a + s**2).results == ("z1**2 + a*z1",)


def test_labels_name_their_lines_and_stay_unique() -> None:
    z1 = symbol("z1")
    one, two, clash = a * z1 + b, a * z1 - c, fn.cos(a + z1)
    labels = {"force": one, "z1": two, "x": clash}
    printed = str(sequence(one * two + clash * x, labels=labels))
    assert printed.splitlines()[:3] == ["z2 = z1*a", "force = b + z2", "z1_2 = z2 - c"]
    names = [name for name, _ in sequence(one * two + clash * x, labels=labels).definitions]
    assert names == ["z2", "force", "z1_2", "x_2"]
    assert printed.splitlines()[-1] == "x*x_2 + force*z1_2"


def test_label_does_not_change_the_one_line_form() -> None:
    assert text(a * b + 1, labels={"speed": a * b}) == "a*b + 1"


def test_long_lines_are_cut() -> None:
    e: Expr = ZERO
    for i in range(2000):
        e = e + symbol(f"long_name_{i}") * fn.cos(symbol(f"angle_{i}"))
    lines = str(sequence(e)).splitlines()
    assert len(lines) > 100
    assert max(map(len, lines)) <= 1.1 * LINE_WIDTH
    assert sum(line.count("cos(") for line in lines) == 2000


def test_large_matrix_names_its_entries() -> None:
    entry = sum((symbol(f"k{i}") * fn.sin(symbol(f"p{i}")) for i in range(20)), ZERO)
    entries = Matrix(2, 2, (entry, x, x, entry))
    assert text(entries).splitlines()[-1] == "matrix([[z2, x], [x, z2]])"
    assert latex(entries).endswith(r"\begin{bmatrix} z_{2} & x \\ x & z_{2} \end{bmatrix} \end{aligned}")


def test_solve_is_a_line_of_the_sequence() -> None:
    s = solve(matrix([[a, b], [b, c]]), [d, x], "definite")
    assert text(s[1]) == "z1 = solve(definite, [a, b; b, c], [d, x])\nz1[1]"
    turned = factorize(matrix([[a, b], [c, d]])).solve([x, y], transposed=True)
    assert text(turned[0]) == "z1 = solve(general, [a, b; c, d].T, [x, y])\nz1[0]"
    assert latex(s[1]) == (
        r"\begin{aligned} z_{1} &= \begin{bmatrix} a & b \\ b & c \end{bmatrix}^{-1} "
        r"\begin{bmatrix} d \\ x \end{bmatrix} \\"
        "\n"
        r"& z_{1}[1] \end{aligned}"
    )


# ------------------------------------------------------------------------------------------------------ any size


def test_exponentially_shared_graph_prints_short() -> None:
    e: Expr = x
    for _ in range(60):
        e = e + e * fn.sin(e)
    lines = text(e).splitlines()
    assert lines[0] == "z1 = x + x*sin(x)"
    assert len(lines) == 60
    assert read(text(e)) is e


@pytest.mark.parametrize("step", [lambda e: fn.cos(e) + a, lambda e: e * fn.sin(e) - b], ids=["chain", "shared"])
def test_deep_graph_prints_short(step: Callable[[Expr], Expr]) -> None:
    """A walk over the tree, or one that copies text from level to level, would not end."""
    e: Expr = x
    for _ in range(MANY):
        e = step(e)
    for printed in (str(e), latex(e)):
        lines = printed.splitlines()
        assert len(lines) == MAX_LINES + 2
        assert re.search(r"\(\d+ more intermediates\)", lines[-2])
    assert max(map(len, str(e).splitlines())) <= 1.1 * LINE_WIDTH
    assert len(repr(e)) <= LINE_WIDTH


def test_left_out_lines_are_counted() -> None:
    e: Expr = x
    for _ in range(100):
        e = e * fn.sin(e) + a
    assert f"... ({99 - MAX_LINES} more intermediates)" in text(e)
    assert len(text(e, lines=None).splitlines()) == 100
    assert len(sequence(e).definitions) == 99


def test_integers_longer_than_python_prints() -> None:
    n = 7**6000
    assert read(text(as_expr(n) * x)) is as_expr(n) * x


def test_many_lines_are_named_in_linear_time() -> None:
    """It would take hours if every name were searched from z1 on."""
    e = sum((fn.sin(symbol(f"s{i}")) * fn.cos(fn.sin(symbol(f"s{i}"))) for i in range(MANY)), ZERO)
    assert len(sequence(e).definitions) >= MANY

"""Every rewriting rule of the constructors is a true identity, is applied, and random expressions keep their values."""

import ast
import math
import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import mpmath
import pytest

from symbody.algebra.graph import functions
from symbody.algebra.graph.graph import FALSE, ONE, PI, TRUE, ZERO, Node, constant, symbol
from symbody.algebra.graph.rules import rule_table, rules
from symbody.algebra.graph.walk import evaluation_order
from symbody.errors import ExpressionError

RULES = [(op, rule) for op, rules in rule_table.registry.items() for rule in rules]
IDENTITIES = [(op, r.apply) for op, r in RULES if " = " in (r.apply.__doc__ or "")]
WITHOUT_TEXT = [(op, r.pattern, r.apply) for op, r in RULES if " = " not in (r.apply.__doc__ or "")]

FUNCTIONS = "sqrt exp log sin cos tan asin acos atan sinh cosh tanh atan2 sign where".split()
LETTERS = "a b x y".split()


def sign(x: float) -> int:
    return (x > 0) - (x < 0)


def where(condition: bool, x: float, y: float) -> float:
    return x if condition else y


IN_NUMBERS: dict[str, Any] = {
    **{f: getattr(math, f) for f in FUNCTIONS if hasattr(math, f)},
    "abs": abs,
    "min": min,
    "max": max,
    "sign": sign,
    "where": where,
    "pi": math.pi,
    "Fraction": Fraction,
}
IN_NODES: dict[str, Any] = {
    **{f: getattr(functions, f) for f in FUNCTIONS},
    **{letter: symbol(letter) for letter in LETTERS},
    "abs": abs,
    "min": functions.minimum,
    "max": functions.maximum,
    "equal": functions.equal,
    "pi": PI,
    "TRUE": TRUE,
    "FALSE": FALSE,
    "constant": constant,
    "Fraction": Fraction,
}


class Constants(ast.NodeTransformer):
    """Numbers and fractions in an identity become nodes, so that the constructors see them."""

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        return ast.Call(ast.Name("constant", ast.Load()), [node], [])

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if ast.unparse(node.func) == "Fraction":
            return ast.Call(ast.Name("constant", ast.Load()), [node], [])
        return self.generic_visit(node)  # type: ignore[return-value]


def as_node(text: str) -> Node:
    """The node that the constructors make of one side of an identity."""
    tree = ast.fix_missing_locations(Constants().visit(ast.parse(text, mode="eval")))
    return eval(compile(tree, text, "eval"), IN_NODES)


def sides(apply: Callable[..., Any]) -> tuple[str, str]:
    left, right = (apply.__doc__ or "").strip().splitlines()[0].split(" = ")
    return left, right


@pytest.fixture
def applied(monkeypatch: pytest.MonkeyPatch) -> Iterator[set[Any]]:
    """The rules that rewrote something while the test ran."""
    used: set[Any] = set()

    def watched(apply: Callable[..., Any]) -> Callable[..., Any]:
        def watch(*args: Any) -> Any:
            out = apply(*args)
            if out is not None:
                used.add(apply)
            return out

        return watch

    registry = rule_table.registry
    table = {op: [r._replace(apply=watched(r.apply)) for r in rules] for op, rules in registry.items()}
    monkeypatch.setattr(rule_table, "registry", table)
    rule_table.forget_fitting_rules()
    yield used
    rule_table.forget_fitting_rules()


def test_the_table_is_there() -> None:
    assert len(IDENTITIES) > 80


@pytest.mark.parametrize(("op", "apply"), IDENTITIES, ids=[" = ".join(sides(apply)) for _, apply in IDENTITIES])
def test_identity(op: str, apply: Callable[..., Any], applied: set[Any]) -> None:
    """Both sides are equal as numbers, and writing the left one gives the very node of the right one, by this rule."""
    left, right = sides(apply)
    for seed in range(10):
        values = {letter: random.Random(f"{letter}{seed}").uniform(0.1, 0.9) for letter in LETTERS}
        a, b = (eval(side, IN_NUMBERS | values) for side in (left, right))
        assert a == pytest.approx(b, rel=1e-14, abs=1e-15)
    node = as_node(left)
    assert apply in applied
    assert node is as_node(right)


# Rules whose docstring is no identity of numbers (conditions, functions of constants), and variants of others.
EXPLICIT = """
1 < 2 = TRUE                    2 < 2 = FALSE                   2 <= 2 = TRUE                   2.5 <= 2 = FALSE
2 > 1 = TRUE                    equal(2, 4 / 2) = TRUE          equal(2, 2.5) = FALSE
equal(a, b) = equal(b, a)
a < a = FALSE                   a <= a = TRUE                   a >= a = TRUE                   equal(a, a) = TRUE
(a < b) & TRUE = a < b          TRUE & (a < b) = a < b          FALSE & (a < b) = FALSE         (a < b) | TRUE = TRUE
FALSE | (a < b) = a < b         (a < b) | (a < b) = a < b       (a < b) & (a < b) = a < b       ~TRUE = FALSE
~FALSE = TRUE                   ~~(a < b) = a < b               (a < b) & (x < y) = (x < y) & (a < b)
where(TRUE, x, y) = x           where(FALSE, x, y) = y          where(~(a < b), x, y) = where(a < b, y, x)
a + 0 = a                       a * 0 = 0                       a * 1 = a                       a ** 0 = 1
a ** 1 = a                      1 * a / 1 = a                   b + a - b = a                   a * 3 / 3 = a
a / (2 * b) = a / b / 2         a ** -2 = 1 / (a * a)           3 * a / a = 3                   -a + b = b - a
"""
CASES = [
    *(case.strip() for line in EXPLICIT.splitlines() for case in line.split("  ") if case.strip()),
    *(f"{op}(0.3) = {value(0.3)!r}" for op, value in rules._FUNCTIONS.items()),
    *(f"{op}({at}) = {known}" for op, table in rules._AT_EXACT.items() for at, known in table.items()),
]


@pytest.mark.parametrize("case", CASES)
def test_explicit_case(case: str) -> None:
    left, right = case.split(" = ")
    assert as_node(left) is as_node(right)


def test_rules_without_an_identity_are_applied(applied: set[Any]) -> None:
    for case in CASES:
        as_node(case.split(" = ")[0])
    assert [(op, pattern) for op, pattern, apply in WITHOUT_TEXT if apply not in applied] == []


def test_constants_beyond_the_machine_are_refused_or_kept() -> None:
    """Folding never makes infinities: it refuses what has no value and keeps what is exact."""
    with pytest.raises(ExpressionError, match="no real value"):
        functions.log(-0.5)
    with pytest.raises(ExpressionError, match="no real value"):
        functions.sqrt(-1)
    with pytest.raises(ExpressionError, match="not real"):
        constant(-0.5) ** 0.3
    with pytest.raises(ExpressionError, match="larger than any number"):
        constant(1e300) ** 5.5
    assert functions.exp(1).op == "exp"
    assert (constant(2) ** Fraction(1, 3)).op == "pow"


# ------------------------------------------------------------------------------------------------- random expressions

SMALL, LARGE = mpmath.mpf(10) ** -12, mpmath.mpf(10) ** 6


def numeric(op: str, *v: Any) -> Any:
    """An operation on many-digit numbers; None where it has no value or none that rounding leaves alone."""
    if op in ("div", "inverse") and abs(v[-1]) < SMALL:
        return None
    if op in ("sqrt", "log") and v[0] < SMALL:
        return None
    if op in ("asin", "acos") and abs(v[0]) > 0.99:
        return None
    if op in ("exp", "sinh", "cosh", "tan") and abs(v[0]) > 10:
        return None
    if op == "sign" and abs(v[0]) < SMALL:
        return None
    if op == "pow" and not (v[0] > SMALL and abs(v[1]) < 5):
        return None
    if op == "atan2" and ((v[1] < 0 and abs(v[0]) < SMALL) or abs(v[0]) + abs(v[1]) < SMALL):
        return None
    if op in ("lt", "le", "eq", "where") and abs(v[0] - v[1]) < SMALL:
        return None
    out = APPLY[op](*v)
    return out if abs(out) < LARGE else None


def spread(x: Any, y: Any, p: Any, q: Any) -> Any:
    return p if x < y else q


APPLY: dict[str, Callable[..., Any]] = {
    "neg": lambda x: -x,
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "pow": lambda x, y: x**y,
    "square": lambda x: x**2,
    "cube": lambda x: x**3,
    "inverse": lambda x: x**-3,
    "abs": abs,
    "sign": mpmath.sign,
    "min": min,
    "max": max,
    "atan2": mpmath.atan2,
    "where": spread,
    **{f: getattr(mpmath, f) for f in "sqrt exp log sin cos tan asin acos atan sinh cosh tanh".split()},
}
BUILD: dict[str, Callable[..., Any]] = {
    **{op: APPLY[op] for op in ("neg", "add", "sub", "mul", "div", "pow", "square", "cube", "inverse", "abs")},
    **{f: getattr(functions, f) for f in FUNCTIONS},
    "min": functions.minimum,
    "max": functions.maximum,
    "where": lambda x, y, p, q: functions.where(x < y, p, q),
}
ARITY = dict.fromkeys(BUILD, 1) | dict.fromkeys("add sub mul div pow min max atan2".split(), 2) | {"where": 4}
# sums and products are most of mechanics, and powers meet many rules: take them more often
CHOICES = [
    *BUILD,
    *("add", "sub", "mul", "neg") * 8,
    *("square", "cube", "inverse", "sqrt", "abs", "sin", "cos", "div") * 3,
]


def value_of(root: Node, values: dict[Node, Any]) -> Any:
    """The value of a graph, node after node, by no code of the package but the order of nodes."""
    known: dict[Node, Any] = dict(values)
    for n in evaluation_order([root]):
        if n in known:
            continue
        args = [known[q] for q in n.args]
        if n.op == "const":
            exact = Fraction(n.data)
            known[n] = mpmath.mpf(exact.numerator) / exact.denominator
        elif n.op == "pi":
            known[n] = +mpmath.pi
        elif n.op == "true":
            known[n] = n.data
        elif n.op in ("lt", "le"):
            known[n] = args[0] < args[1] if n.op == "lt" else args[0] <= args[1]
        elif n.op == "where":
            known[n] = args[1] if args[0] else args[2]
        else:
            known[n] = APPLY[n.op](*args)
    return known[root]


@pytest.mark.parametrize("seed", range(60))
def test_random_expressions_keep_their_value(seed: int) -> None:
    """What the constructors make has the value of what was written, to 40 of 60 digits.

    Operands are drawn from all that was made before, so equal, opposite and nested operands are frequent; leaves are
    symbols and small exact numbers.
    """
    draw = random.Random(seed)
    with mpmath.workdps(60):
        leaves = [symbol(f"s{i}") for i in range(4)]
        values: dict[Node, Any] = {s: mpmath.mpf(draw.uniform(-2, 2)) for s in leaves}
        made: list[tuple[Any, Any]] = list(values.items())
        for number in (0, 1, -1, 2, -3, Fraction(1, 2), Fraction(-2, 3)):
            made.append((constant(number), mpmath.mpf(number.numerator) / number.denominator))
        made.append((PI / 2, mpmath.pi / 2))
        for _ in range(150):
            op = draw.choice(CHOICES)
            chosen = [draw.choice(made) for _ in range(ARITY[op])]
            expected = numeric(op, *(v for _, v in chosen))
            if expected is None:
                continue
            node = BUILD[op](*(e for e, _ in chosen))
            got = value_of(node, dict(values))
            assert abs(got - expected) <= mpmath.mpf(10) ** -40 * max(1, abs(expected)), op
            made.append((node, expected))
        assert len(made) > 60


def test_exact_values_of_special_angles() -> None:
    """sin and cos of quarter turns, however they are written."""
    for n in range(-6, 7):
        assert functions.sin(n * PI / 2) is constant((0, 1, 0, -1)[n % 4])
        assert functions.cos(n * PI / 2) is constant((1, 0, -1, 0)[n % 4])
    assert functions.sin(2 * PI) is ZERO
    assert functions.cos(2 * PI) is ONE

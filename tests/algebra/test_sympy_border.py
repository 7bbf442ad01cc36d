"""What crosses the border to SymPy and back is what it was; what cannot cross is refused in words."""

import math
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
import sympy
from sympy.core.function import AppliedUndef
from sympy.physics.mechanics import dynamicsymbols

from symbody.algebra import SympyForm, from_sympy, to_sympy
from symbody.algebra.calculus.evaluate import evaluate
from symbody.algebra.graph import functions as fn
from symbody.algebra.graph.graph import PI, TRUE, Condition, Expr, constant, fraction, symbol, symbols
from symbody.algebra.graph.linear import factorize, solve
from symbody.algebra.graph.matrix import Matrix, matrix, vector
from symbody.algebra.graph.walk import free_symbols
from symbody.errors import ExpressionError
from tests.algebra.expressions import random_expressions, random_solution, random_values
from tests.amount import FULL

a, b, c, x, y = symbols("a b c x y")
q = symbol("q", "coordinate")
u = symbol("u", "speed")
t = symbol("t", "time")
A, B, C, X, Y = sympy.symbols("a b c x y")
T = dynamicsymbols._t
Q = dynamicsymbols("q")
U = dynamicsymbols("u")

# ------------------------------------------------------------------------------------------------------ from SymPy

ARRIVALS = [
    (X, x),
    (Q, q),
    (T, t),
    (Q.diff(T), q.dot),
    (Q.diff(T, 3), q.dot.dot.dot),
    (sympy.Integer(-7), constant(-7)),
    (sympy.Rational(1, 12), fraction(1, 12)),
    (sympy.Float(0.1), constant(0.1)),
    (sympy.pi / 2, PI / 2),
    (sympy.E, fn.exp(1)),
    (sympy.E**X, fn.exp(x)),
    (X + Y - 3, x + y - 3),
    (X - Y, x - y),
    (-X - Y, -(x + y)),
    (A * B / C, a * b / c),
    (2 * A / (3 * B), fraction(2, 3) * (a / b)),
    (1 / X**2, 1 / x**2),
    (X ** sympy.Rational(3, 2), x * fn.sqrt(x)),
    (1 / sympy.sqrt(X), 1 / fn.sqrt(x)),
    (X ** sympy.Rational(1, 3), x ** fraction(1, 3)),
    (X**Y, x**y),
    (X ** (-Y), x ** (-y)),
    (sympy.sec(X), 1 / fn.cos(x)),
    (sympy.csc(X), 1 / fn.sin(x)),
    (sympy.cot(X), 1 / fn.tan(x)),
    (sympy.log(X, 10), fn.log(x) / fn.log(10)),
    (sympy.Abs(X), abs(x)),
    (sympy.sign(X), fn.sign(x)),
    (sympy.atan2(Y, X), fn.atan2(y, x)),
    (sympy.Min(X, Y), fn.minimum(x, y)),
    (sympy.Max(X, 2), fn.maximum(x, 2)),
    (X < Y, x < y),
    (X >= Y, x >= y),
    (sympy.Eq(X, Y), fn.equal(x, y)),
    (sympy.Ne(X, Y), ~fn.equal(x, y)),
    ((X < Y) & ~(A < B), (x < y) & (b <= a)),
    ((X < Y) | (A < B), (x < y) | (a < b)),
    (X > Y, y < x),
    (sympy.Xor(X < Y, A < B), (x < y) & ~(a < b) | ~(x < y) & (a < b)),
    (sympy.true, TRUE),
    (sympy.Piecewise((A, X < 0), (B, X < 1), (C, True)), fn.where(x < 0, a, fn.where(x < 1, b, c))),
    (sympy.Piecewise((A, X < 0), (B, X >= 0)), fn.where(x < 0, a, b)),
    (sympy.re(X), x),
    (sympy.Matrix([[X, 1], [Q, Y]]), matrix([[x, 1], [q, y]])),
    (sympy.ImmutableMatrix([X, 0]), vector(x, 0)),
    (sympy.SparseMatrix(2, 2, {(0, 1): X}), matrix([[0, x], [0, 0]])),
]


@pytest.mark.parametrize(("theirs", "ours"), ARRIVALS, ids=[str(theirs) for theirs, _ in ARRIVALS])
def test_arrives_as(theirs: Any, ours: Any) -> None:
    got = from_sympy(theirs)
    assert got == ours
    assert isinstance(got, Matrix) or got is ours


@pytest.mark.parametrize(
    "name", "sin cos tan asin acos atan sinh cosh tanh exp log sqrt asinh atanh sec csc cot sech csch coth".split()
)
def test_functions_keep_their_values(name: str) -> None:
    theirs = getattr(sympy, name)(X)
    assert evaluate(from_sympy(theirs), {x: 0.37}) == pytest.approx(float(theirs.subs(X, 0.37)), rel=1e-13)


def test_acosh_keeps_its_value() -> None:
    assert evaluate(from_sympy(sympy.acosh(X)), {x: 1.7}) == pytest.approx(math.acosh(1.7), rel=1e-13)


def test_meanings_can_be_given() -> None:
    assert from_sympy(X + Q, {X: a, "q": u}) is a + u
    assert from_sympy(X * 2, {"x": 3}) is constant(6)
    assert from_sympy(U.diff(T) + U, [u]) is u.dot + u
    assert from_sympy(Q.diff(T), {Q: u}) is u.dot
    assert from_sympy(Q.diff(T), {Q.diff(T): u}) is u
    g = fn.ExternalFunction("g", 2)
    assert from_sympy(sympy.Function("g")(X, Y + 1), {"g": g}) is g(x, y + 1)
    assert from_sympy(sympy.Symbol("t", positive=True)) is t


REFUSALS = [
    (sympy.I * X, "I cannot stand in an expression: expressions are real"),
    (sympy.oo, "oo cannot stand"),
    (sympy.nan, "nan cannot stand"),
    (sympy.zoo, "zoo cannot stand"),
    (1 + sympy.DiracDelta(X), r"DiracDelta in DiracDelta\(x\) has no counterpart.*ExternalFunction"),
    (sympy.Integral(X, X), "Integral in Integral.* has no counterpart"),
    (
        sympy.Function("g")(X, Y),
        r"function g in g\(x, y\) is not defined.*symbols={'g': sb.algebra.ExternalFunction\('g', 2",
    ),
    (sympy.Piecewise((X, X < 0)), r"Piecewise\(\(x, x < 0\)\) has no value where none"),
    (sympy.Symbol("x'"), "is not a usable name"),
    (sympy.Symbol(r"\theta"), "is not a usable name"),
    (sympy.Derivative(X**2, X), r"not a time derivative; call .doit\(\)"),
    (sympy.Derivative(sympy.sin(Q), T), r"not yet carried out; call .doit\(\)"),
    (sympy.And(X, Y < 0), "x in .* is not a condition"),
    (sympy.MatrixSymbol("A", 2, 2), "MatrixElement"),
    (sympy.Function("g"), "is not a SymPy expression"),
    ("x + y", "is not a SymPy expression"),
]


@pytest.mark.parametrize(("theirs", "says"), REFUSALS, ids=[str(theirs) for theirs, _ in REFUSALS])
def test_refusals_say_why(theirs: Any, says: str) -> None:
    with pytest.raises(ExpressionError, match=says):
        from_sympy(theirs)


def test_rate_of_what_is_no_symbol_is_refused() -> None:
    with pytest.raises(ExpressionError, match="which is not a symbol"):
        from_sympy(Q.diff(T), {Q: x + y})


def test_deep_and_shared_sympy_expressions() -> None:
    deep, shared = X, X
    with sympy.evaluate(False):
        for _ in range(5000):
            deep = sympy.sin(deep) + Y
        for _ in range(60):
            shared = shared + shared * sympy.sin(shared)
    ours: Expr = x
    for _ in range(5000):
        ours = fn.sin(ours) + y
    assert from_sympy(deep) is ours
    ours = x
    for _ in range(60):
        ours = ours + ours * fn.sin(ours)
    assert from_sympy(shared) is ours


# ------------------------------------------------------------------------------------------------------ operators


@pytest.mark.parametrize(
    ("mixed", "ours"),
    [
        (lambda: x + Y, x + y),
        (lambda: Y + x, x + y),
        (lambda: Y - x, y - x),
        (lambda: Q * x, q * x),
        (lambda: Q.diff(T) / x, q.dot / x),
        (lambda: X**y, x**y),
        (lambda: sympy.Integer(2) * x, 2 * x),
        (lambda: sympy.Rational(1, 3) * x, x / 3),
        (lambda: X * constant(Fraction(1, 3)), x / 3),
        (lambda: X < y, x < y),
        (lambda: vector(x, y) + sympy.Matrix([X, Y]), vector(2 * x, 2 * y)),
        (lambda: matrix(sympy.Matrix([[X, Y]])), matrix([[x, y]])),
        (lambda: fn.sin(X + Y), fn.sin(x + y)),
    ],
)
def test_sympy_is_taken_wherever_a_scalar_is(mixed: Callable[[], Any], ours: Any) -> None:
    assert mixed() == ours


# ------------------------------------------------------------------------------------------------------ there and back

ORDINARY = [
    x,
    q.dot.dot,
    t,
    PI * x,
    constant(-3),
    fraction(2, 7),
    constant(0.1),
    x + y,
    x - y,
    2 - x,
    x * y / 3,
    a * b / c,
    a / (b * c),
    1 / x,
    x**2 - fraction(1, 2),
    -x,
    -(x + y),
    (x + y) * (a - b),
    fn.sqrt(x + 1) / y,
    x**y,
    2**x,
    fn.sin(q) ** 2 * a,
    fn.exp(-x) * fn.cos(q.dot),
    fn.atan2(y, x),
    fn.minimum(x, y),
    fn.maximum(x, 2 * y),
    abs(x - y),
    fn.sign(x),
    fn.where(x < y, a, b),
    fn.where((x < y) & (a < b), x, -y),
    fn.where(fn.equal(x, y) | (a <= b), x, y),
    (x < y) & (a < b),
    a * q.dot**2 / 2 + b * c * fn.cos(q),
]


@pytest.mark.parametrize("ours", ORDINARY, ids=repr)
def test_ordinary_expressions_come_back_as_the_same_node(ours: Any) -> None:
    plain = to_sympy(ours, expand=True)
    assert isinstance(plain, sympy.Basic)
    assert from_sympy(plain) is ours
    assert from_sympy(to_sympy(ours)) is ours


def value_in_sympy(form: SympyForm, values: dict[Any, float]) -> float:
    """The value by SymPy alone."""
    known = {sympy.Symbol(s.name): v for s, v in values.items()}
    for name, value in form.intermediates:
        known[name] = sympy.lambdify(list(known), value, "math")(*known.values())
    return sympy.lambdify(list(known), form.result, "math")(*known.values())


@pytest.mark.parametrize("seed", range(25))
def test_random_expressions_keep_their_values(seed: int) -> None:
    """SymPy reorders and rewrites; the value stays."""
    xs, roots = random_expressions(seed, n_nodes=20)
    values = random_values(seed, xs)
    for e in roots:
        form = to_sympy(e)
        expected = evaluate(e, values)
        assert value_in_sympy(form, values) == pytest.approx(expected, rel=1e-9, abs=1e-9)
        assert evaluate(from_sympy(form), values) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("seed", range(25))
def test_small_random_expressions_expand(seed: int) -> None:
    rng = random.Random(seed)
    e: Expr = x
    for _ in range(6):
        e = rng.choice([fn.sin, fn.atan, lambda e: e * y, lambda e: e - a / 2, lambda e: a / (2 + e**2), abs])(e)
    values = {x: 0.4, y: -0.8, a: 1.2}
    plain = to_sympy(e, expand=True)
    assert float(plain.subs({X: 0.4, Y: -0.8, A: 1.2})) == pytest.approx(evaluate(e, values), rel=1e-12)
    assert evaluate(from_sympy(plain), values) == pytest.approx(evaluate(e, values), rel=1e-12)


def test_numbers_stay_exact() -> None:
    plain = to_sympy(x / 12 + 0.1 * y, expand=True)
    assert plain.coeff(X) == sympy.Rational(1, 12)
    assert float(plain.coeff(Y)) == 0.1


def test_symbols_are_those_that_users_make() -> None:
    plain = to_sympy(x * q + q.dot + u * t, expand=True)
    assert plain.free_symbols == {X, T}
    assert plain == X * Q + Q.diff(T) + U * T


def test_kinds_come_back_when_told() -> None:
    r = symbol("r", "input")
    e = r * u.dot + u + q.dot * x
    assert from_sympy(to_sympy(e, expand=True)) is not e
    assert from_sympy(to_sympy(e, expand=True), [u, r]) is e
    assert from_sympy(to_sympy(e, expand=True), free_symbols(e)) is e


def test_shared_parts_become_intermediates_with_their_labels() -> None:
    shared = a * x + b
    things = vector(shared * fn.sin(shared), shared + symbol("z1") * fn.cos(x * y) * (1 + fn.cos(x * y)))
    form = to_sympy(things, labels={"force": shared})
    assert [s.name for s, _ in form.intermediates] == ["force", "z2"]
    assert form.intermediates[0][1] == A * X + B
    assert form.result[0] == sympy.Symbol("force") * sympy.sin(sympy.Symbol("force"))
    assert from_sympy(form)[0] is shared * fn.sin(shared)


def test_matrices_come_back() -> None:
    m = matrix([[x, fn.sin(q)], [q.dot, 0]])
    plain = to_sympy(m, expand=True)
    assert isinstance(plain, sympy.MatrixBase)
    assert plain.shape == (2, 2)
    assert from_sympy(plain) == m


def test_external_functions_come_back_when_told() -> None:
    g = fn.ExternalFunction("g", 2)
    e = g(x, y + 1) * 2
    plain = to_sympy(e, expand=True)
    assert plain == 2 * sympy.Function("g")(X, Y + 1)
    assert from_sympy(plain, {"g": g}) is e


@pytest.mark.parametrize("kind", ["definite", "indefinite", "general"])
def test_linear_solves_cross_as_steps_of_elimination(kind: str) -> None:
    m = solve(matrix([[a * x, b], [b, c]]), [x, fn.sin(a * x)], kind)
    form = to_sympy(m)
    written = [*(v for _, v in form.intermediates), *form.result]
    assert not any(v.atoms(AppliedUndef) for v in written)
    values = {a: 0.7, b: 0.4, c: 1.1, x: 0.9}
    wanted = pytest.approx(evaluate(m, values), rel=1e-12)
    assert evaluate(from_sympy(form), values) == wanted
    assert evaluate(from_sympy(to_sympy(m, expand=True)), values) == wanted


def test_pivots_are_chosen_where_the_diagonal_is_zero() -> None:
    """[[0, a], [b, c]] has no elimination in the order of its rows."""
    for transposed in (False, True):
        m = factorize(matrix([[0, a], [b, c]])).solve([x, y], transposed)
        values = {a: 0.7, b: 0.4, c: 1.1, x: 0.9, y: -0.3}
        assert evaluate(from_sympy(to_sympy(m)), values) == pytest.approx(evaluate(m, values), rel=1e-12)


def test_choice_of_conditions_arrives() -> None:
    theirs = sympy.ITE(X < Y, A < B, A < C, evaluate=False)
    assert from_sympy(theirs) is (x < y) & (a < b) | ~(x < y) & (a < c)


def test_transposed_and_shared_factors_cross() -> None:
    factors = factorize(matrix([[a, b], [x, c]]))
    m = vector(factors.solve([x, y])[0], factors.solve([y, 1], transposed=True)[1])
    values = {a: 0.7, b: 0.4, c: 1.1, x: 0.9, y: -0.3, t: 1.7}
    assert evaluate(from_sympy(to_sympy(m)), values) == pytest.approx(evaluate(m, values), rel=1e-12)
    one_by_one = solve(matrix([[t]]), [x], "definite")
    assert evaluate(from_sympy(to_sympy(one_by_one, expand=True)), values) == pytest.approx([0.9 / 1.7])


@pytest.mark.parametrize("seed", range(5))
def test_random_solves_keep_their_values(seed: int) -> None:
    xs, m = random_solution(seed, "general", 3)
    values = random_values(seed, xs)
    assert evaluate(from_sympy(to_sympy(m)), values) == pytest.approx(evaluate(m, values), rel=1e-9)


# ------------------------------------------------------------------------------------------------------ size


def exploding(levels: int) -> Expr:
    e: Expr = x
    for _ in range(levels):
        e = e + e * fn.sin(e)
    return e


def test_what_would_not_fit_a_page_is_not_expanded() -> None:
    with pytest.raises(
        ExpressionError, match=r"would have 147621 operations and symbols, and the limit is 2000; pass limit="
    ):
        to_sympy(exploding(10), expand=True)
    with pytest.raises(ExpressionError, match="would have more than 1000000000000000"):
        to_sympy(exploding(20_000), expand=True)
    with pytest.raises(ExpressionError, match="limit is 3"):
        to_sympy(x + y * a, expand=True, limit=3)
    assert to_sympy(x + y * a, expand=True, limit=5) == X + Y * A


def test_huge_graphs_cross_as_sequences() -> None:
    e = exploding(60)
    form = to_sympy(e)
    assert len(form.intermediates) == 59
    assert from_sympy(form) is e
    deep: Expr = x
    for _ in range(5_000 if FULL else 1_500):  # deeper than Python's calls may be
        deep = fn.cos(deep) + y
    assert from_sympy(to_sympy(deep)) is deep


def test_a_parameter_called_as_time_is_refused() -> None:
    with pytest.raises(ExpressionError, match="name t of SymPy's time"):
        to_sympy(symbol("t") + x)


def test_conditions_cross() -> None:
    condition = (x < y) & ~fn.equal(a, b)
    assert isinstance(condition, Condition)
    assert from_sympy(to_sympy(condition, expand=True)) is condition

"""The grammar of expressions in model files: what it reads, how it binds, what it refuses and where it points."""

import math
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symbody as sb
from symbody.algebra.graph.graph import Condition
from symbody.bodies.file.expression_text import FUNCTIONS, MOST_DEPTH, parsed_expression
from symbody.bodies.file.scope import Budget, Scope
from symbody.bodies.file.values import value_of
from symbody.errors import ExpressionTextError
from symbody.write.files.model_expressions import Lines


@pytest.fixture
def model() -> sb.Model:
    m = sb.Model("names")
    m.coordinates("q1 q2")
    m.parameters("a b c", 1.5, 2.5, 3.5)
    m.input("F")
    m.variable("z")
    m.body(
        "rear wheel",
        m.ground.translate(m.symbols_of_kind("coordinate")[0], 0, 0).rotate("z", m.symbols_of_kind("coordinate")[1]),
        mass=1,
    )
    return m


VALUES = {"q1": 0.3, "q2": 0.7, "q1_dot": 1.1, "q2_dot": -0.4, "a": 1.5, "b": 2.5, "c": 3.5, "t": 0.2, "z": 0.9, "z_dot": 0.6, "F": 2.0}  # fmt: skip


def value(model: sb.Model, text: str):
    return value_of(parsed_expression(text), Scope(model, Budget()))


def number(model: sb.Model, text: str) -> float:
    return sb.evaluate(value(model, text), VALUES)


# ---------------------------------------------------------------------------------------------------- numbers

PYTHON = {n: getattr(math, n) for n in "sin cos tan sqrt exp log atan atan2 sinh cosh tanh pi".split()} | {"abs": abs}


@pytest.mark.parametrize(
    "text",
    [
        "a + b*c", "(a + b)*c", "a - b - c", "a/b/c", "a/(b/c)", "-a**2", "(-a)**2", "2**-a", "2**3**2", "a**b**c", "-2**-2", "a - -b", "- - -a", "+a",
        "a*-b", "sin(a)*cos(b) - tan(c)", "atan2(a, b)", "sqrt(a**2 + b**2)", "1e-3*a", "1.5e2", ".5", "3.", "a*pi", "abs(-a)", "exp(-a/b)", "2*(a+b)*(a-b)",
        "((((a))))", "a\n + b", "a*b/c*a", "log(a)**2", "sinh(a) + cosh(a) + tanh(a)",
    ],
)  # fmt: skip
def test_numbers_as_python_reads_them(model, text):
    """Precedence and associativity are Python's."""
    assert number(model, text) == pytest.approx(eval(text.replace("\n", " "), {}, {**PYTHON, **VALUES}), rel=1e-14)


def test_hat_is_power(model):
    assert value(model, "a^2 + 2^-a") is value(model, "a**2 + 2**-a")


def test_exact_numbers_stay_exact(model):
    assert value(model, "1/12").value == sb.fraction(1, 12).value
    assert value(model, "1/3 + 1/6").value == sb.fraction(1, 2).value
    assert value(model, "0.1").value == 0.1


def test_rates(model):
    q1 = model.symbols_of_kind("coordinate")[0]
    assert value(model, "q1_dot") is q1.dot
    assert value(model, "q1_ddot") is q1.dot.dot
    assert value(model, "q1_d3") is q1.dot.dot.dot
    assert value(model, "z_dot") is model.symbols_of_kind("variable")[0].dot


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("where(a < b, q1, q2)", lambda q1, q2, a, b: sb.where(a < b, q1, q2)),
        ("where(a <= b & ~(q1 > q2), 1, 2)", lambda q1, q2, a, b: sb.where((a <= b) & ~(q1 > q2), 1, 2)),
        ("where(a >= b | q1 == q2, 1, 2)", lambda q1, q2, a, b: sb.where((a >= b) | sb.algebra.equal(q1, q2), 1, 2)),
        ("minimum(a, q1) + maximum(b, q2)*sign(q1)", lambda q1, q2, a, b: sb.minimum(a, q1) + sb.maximum(b, q2) * sb.sign(q1)),
        ("derivative(q1^2*q2, q1)", lambda q1, q2, a, b: sb.derivative(q1**2 * q2, q1)),
        ("time_derivative(a*q1*q2)", lambda q1, q2, a, b: sb.time_derivative(a * q1 * q2)),
        ("solve([[a, q1], [q1, b]], [1, q2], definite)[1]", lambda q1, q2, a, b: sb.solve(sb.matrix([[a, q1], [q1, b]]), [1, q2], "definite")[1]),
    ],
)  # fmt: skip
def test_functions_of_the_package(model, text, same):
    q1, q2 = model.symbols_of_kind("coordinate")
    a, b, _ = model.symbols_of_kind("parameter")
    assert value(model, text) is same(q1, q2, a, b)


def test_every_function_can_be_called(model):
    """Those of the table are those of the machine."""
    given = {"where": "a < b, 1, 2", "dot": "ground.x, ground.y", "cross": "ground.x, ground.y", "derivative": "a, q1", "solve": "[[a]], [b]", "equal": "a, b"}  # fmt: skip
    for name, (least, _) in FUNCTIONS.items():
        if name != "contact":
            made = value(model, f"{name}({given.get(name, ', '.join(['a/9'] * least))})")
            assert isinstance(made, (sb.Expr, sb.Matrix, sb.Vector, Condition)), name


# --------------------------------------------------------------------------------------------------- points and vectors


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("ground.x", lambda g, w: g.x),
        ("rear_wheel.vector(1, 2, 3).dot(ground.y)", lambda g, w: w.vector(1, 2, 3).dot(g.y)),
        ("'rear wheel'.y.cross(ground.y).magnitude()", lambda g, w: w.frame.y.cross(g.y).magnitude()),
        ("dot(rear_wheel.x, ground.x)", lambda g, w: w.frame.x.dot(g.x)),
        ("rear_wheel.origin.velocity().components(ground)[0]", lambda g, w: w.frame.origin.velocity().components(g)[0]),
        ("(rear_wheel.point(1, 0, 0) - ground.origin).components(rear_wheel)[1]", lambda g, w: (w.point(1, 0, 0) - g.origin).components(w.frame)[1]),
        ("rear_wheel.velocity_at(ground.point(1, 2)).dot(ground.x)", lambda g, w: w.velocity_at(g.point(1, 2)).dot(g.x)),
        ("rear_wheel.angular_velocity(ground).dot(ground.z)", lambda g, w: w.frame.angular_velocity(g).dot(g.z)),
        ("rear_wheel.mass_centre.acceleration().dot(ground.x)", lambda g, w: w.mass_centre.acceleration().dot(g.x)),
        ("ground.x.outer(ground.y).components(rear_wheel)[0, 1]", lambda g, w: g.x.outer(g.y).components(w.frame)[0, 1]),
        ("rear_wheel.x.dt(ground).dot(ground.y)", lambda g, w: w.frame.x.dt(g).dot(g.y)),
    ],
)  # fmt: skip
def test_vectors_as_python_has_them(model, text, same):
    assert value(model, text) == same(model.ground, model.bodies["rear wheel"])


def test_chains_of_frames(model):
    made = value(model, "ground.translate(a, 0, q1).rotate(-x, q2).rotate(zxz, q1, q2, a).rotate([1, 1, 0], q1)")
    same = model.ground.translate(
        model.symbols_of_kind("parameter")[0], 0, model.symbols_of_kind("coordinate")[0]
    ).rotate("-x", model.symbols_of_kind("coordinate")[1])
    same = same.rotate("zxz", *model.symbols_of_kind("coordinate"), model.symbols_of_kind("parameter")[0]).rotate(
        (1, 1, 0), model.symbols_of_kind("coordinate")[0]
    )
    assert made.rotation_in(model.ground).matrix == same.rotation_in(model.ground).matrix
    assert (made.origin - model.ground.origin).components(model.ground) == (same.origin - model.ground.origin).components(model.ground)  # fmt: skip


# ---------------------------------------------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("text", "at", "says"),
    [
        ("", 0, "empty"),
        ("a +", 3, "ends where a value is expected"),
        ("(a", 0, "not closed"),
        ("a)", 1, "unmatched"),
        ("a b", 2, "products need a sign"),
        ("2a", 0, "write 2*a"),
        ("a = b", 2, "left side - right side"),
        ("a < b < c", 6, "cannot be chained"),
        ("sinn(a)", 0, "Did you mean 'sin'"),
        ("sin(a, b)", 0, "takes 1 argument, got 2"),
        ("atan2(a)", 0, "takes 2 arguments, got 1"),
        ("a × b", 2, "write *"),
        ("a²", 1, "write ^2"),
        ("a $ b", 2, "no meaning"),
        ("'rear", 0, "not closed"),
        ("a, b", 1, "[a, b, c]"),
        ("a..x", 2, "expected a name after '.'"),
        ("ground.x[", 8, "an index is an integer"),
        ("ground.x[q1]", 9, "an index is an integer"),
        ("d1", 0, "no name 'd1'"),
        ("rear_weel.x", 0, "Did you mean 'rear wheel'"),
        ("a/0", 1, "division by zero"),
        ("0^-1", 1, "division by zero"),
        ("a + ground.x", 2, "a number + a vector has no meaning"),
        ("ground.x*ground.y", 8, "write a.dot(b)"),
        ("ground.origin + ground.origin", 14, "difference of two points"),
        ("ground.orign", 7, "Did you mean 'origin'"),
        ("ground.origin()", 7, "no parentheses"),
        ("ground.point", 7, "needs parentheses"),
        ("ground.vector(1, 2)", 7, "takes a number, a number, a number"),
        ("ground.vector(1, 2, ground.x)", 7, "takes a number here, got a vector"),
        ("ground.translate(1, 2)", 7, "three numbers or a point"),
        ("ground.rotate(w, q1)", 14, "no name 'w'"),
        ("ground.x.components(a)", 9, "takes a frame or body here"),
        ("where(a, 1, 2)", 0, "takes a condition"),
        ("a < ground.x", 2, "right side of < must be a number"),
        ("~a", 0, "is for conditions"),
        ("(a*b)'", 5, "time_derivative"),
        ("a.b", 2, "has nothing of the name"),
        ("ground.x[0]", 8, "use components"),
        ("ground.x.components(ground)[3]", 27, "not an index"),
        ("1e999", 0, "exponent"),
        ("2^2000", 1, "an exponent is at most 1000"),
        ("a + q1'", 4, "the time derivative q1' is written q1_dot"),
        ("q1''*a", 0, "the time derivative q1'' is written q1_ddot"),
        ("q1’", 2, "write q1_dot for a time derivative"),
        ("q1_d5", 0, "at most 4 time derivatives"),
        ("t_dot", 0, "'t' is not a coordinate, speed, input or variable"),
        ("derivative(a, b*c)", 0, "with respect to a symbol"),
        ("[1, 2] + [1]", 7, "no meaning"),
        ("'front wheel'.x", 0, "no body or frame"),
    ],
)  # fmt: skip
def test_what_is_refused_and_where(model, text, at, says):
    with pytest.raises(ExpressionTextError) as caught:
        value(model, text)
    assert says in str(caught.value)
    assert caught.value.at == at


def test_depth_is_bounded_and_ample(model):
    n = MOST_DEPTH - 2
    assert value(model, "(" * n + "a" + ")" * n) is model.symbols_of_kind("parameter")[0]
    with pytest.raises(ExpressionTextError, match="deep"):
        parsed_expression("(" * MOST_DEPTH + "a" + ")" * MOST_DEPTH)


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="ab q1'+-*/^()[],.<>=&|~\"ground.xsin2 e", max_size=40))
def test_any_text_is_read_or_refused(text):
    places = []
    try:
        value(_model(), text)
    except ExpressionTextError as reason:
        places.append(reason.at)
    assert all(0 <= at <= len(text) for at in places)


def _model() -> sb.Model:
    m = sb.Model("names")
    m.coordinates("q1 q")
    m.parameters("a b e", 1, 2, 3)
    return m


# ---------------------------------------------------------------------------------------------------- there and back


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**6))
def test_what_is_written_is_read_again(seed):
    """Random expressions: text with definitions, read line by line, gives the same numbers."""
    r = Random(seed)
    m = _model()
    nodes = [
        *m.symbols_of_kind("coordinate"),
        *(q.dot for q in m.symbols_of_kind("coordinate")),
        *m.symbols_of_kind("parameter"),
        sb.fraction(1, 3),
        sb.pi,
        m.time,
    ]
    for _ in range(r.randrange(3, 30)):
        x, y = r.choice(nodes), r.choice(nodes)
        make = r.choice(
            [lambda x, y: x + y, lambda x, y: x - y, lambda x, y: x * y, lambda x, y: x / (2 + y * y), lambda x, y: -x, lambda x, y: x**2, lambda x, y: sb.sin(x), lambda x, y: sb.sqrt(1 + x * x),
             lambda x, y: sb.where((x < y) & ~(y < 1), x, y), lambda x, y: sb.minimum(x, abs(y)), sb.atan2, lambda x, y: sb.solve(sb.matrix([[2 + x * x, y], [y, 3 + y * y]]), [x, 1])[r.randrange(2)]]
        )  # fmt: skip
        nodes.append(make(x, y))
    lines = Lines([nodes[-1]], {"a", "b", "e", "q", "q1", "t", "pi"}, {})
    scope = Scope(m, Budget())
    for name, text in lines.definitions.items():
        scope.values[name] = value_of(parsed_expression(text), scope)
    again = value_of(parsed_expression(lines.text(nodes[-1])), scope)
    at = {
        s: r.uniform(0.3, 0.9)
        for s in (
            *m.symbols_of_kind("coordinate"),
            *(q.dot for q in m.symbols_of_kind("coordinate")),
            *m.symbols_of_kind("parameter"),
            m.time,
        )
    }
    assert sb.evaluate(again, at) == pytest.approx(sb.evaluate(nodes[-1], at), rel=1e-12)

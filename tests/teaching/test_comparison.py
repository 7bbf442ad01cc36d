"""Laws of the comparison of equations: what changes nothing, what must be seen, what is refused and where."""

from random import Random
from typing import Any

import pytest

import symbody as sb
from symbody.errors import ExpressionTextError
from symbody.kits import teaching
from symbody.kits.teaching.student_rows import student_answer

from . import mechanisms_of_courses as course

SEVERAL = [course.cart_pendulum, course.double_pendulum, course.spring_pendulum, course.sleigh, course.slider_crank]


def mixed_rows(eq: sb.Equations, seed: int) -> list[sb.Expr]:
    """Combinations of the right rows, with factors that depend on the state and never vanish."""
    draw, rows = Random(seed), list(eq.residual().entries)
    factors = [
        [draw.uniform(0.5, 2) + (i == j) * 4 + sb.sin(q) ** 2 for j, q in enumerate(eq.q)] for i in range(len(rows))
    ]
    return [sum(f * r for f, r in zip(row, rows, strict=True)) for row in factors]


@pytest.mark.parametrize("mechanism", SEVERAL, ids=lambda m: m.__name__)
def test_combinations_of_right_rows_are_right(mechanism: Any) -> None:
    eq = mechanism()
    found = teaching.compare(eq, mixed_rows(eq, 3))
    assert found.is_right, str(found)


@pytest.mark.parametrize("mechanism", SEVERAL, ids=lambda m: m.__name__)
def test_a_millionth_of_a_term_is_seen(mechanism: Any) -> None:
    """A right combination with a millionth of an acceleration too much is wrong."""
    eq = mechanism()
    rows = mixed_rows(eq, 5)
    rows[0] = rows[0] + 1e-6 * eq.u[-1].dot
    found = teaching.compare(eq, rows)
    assert [r.is_right for r in found.rows] == [False, *(True for _ in rows[1:])]


def test_residual_is_the_row_at_the_state_given() -> None:
    """The numbers of a verdict can be recomputed by hand."""
    eq = course.cart_pendulum()
    row = teaching.compare(
        eq, "(M+m)*x'' + m*l*cos(theta)*theta'' = F; l*theta'' + x''*cos(theta) + g*sin(theta) = 0"
    ).rows[0]
    s = row.state
    by_hand = s["m"] * s["l"] * sb.evaluate(sb.sin(sb.symbol("a")), {"a": s["theta"]}) * s["theta_dot"] ** 2
    assert row.residual == pytest.approx(by_hand, rel=1e-12)


def test_expressions_and_pairs_are_taken() -> None:
    eq = course.pendulum()
    (theta,), (mass, l, g, c) = eq.q, eq.p
    left, right = mass * l * theta.dot.dot, -mass * g * sb.sin(theta) - c / l * theta.dot
    assert teaching.compare(eq, left - right).is_right
    assert teaching.compare(eq, (left, right)).is_right
    assert teaching.compare(eq, [(left, right)]).is_right
    assert not teaching.compare(eq, (left, -right)).is_right


def test_minimal_equations_and_speeds_of_ones_own() -> None:
    """Rows in q', q'' where the equations have other speeds, and where constraints were eliminated."""
    m = sb.Model("top")
    A, C = m.parameters("A C", 2.0, 1.0)
    a, b = m.coordinates("a b")
    m.body("disc", m.ground.rotate("z", a).rotate("x", b), mass=1, inertia=(A, A, C))
    u, w = m.speed("u", a.dot + b.dot), m.speed("w", a.dot - b.dot)
    eq = sb.derive(m)
    assert eq.u == (u, w)
    rows = "(A sin^2 b + C cos^2 b) a'' + (A - C) sin(2b) a' b' = 0; 2 A b'' = (A - C) sin(2 b) a'^2"
    assert teaching.compare(eq, rows).is_right, str(teaching.compare(eq, rows))
    assert not teaching.compare(eq, rows.replace("2 A b''", "A b''")).is_right
    crank = sb.minimal(course.slider_crank(), independent=["phi_dot"])
    assert teaching.compare(crank, "J phi'' (x - a cos(phi)) - m a x sin(phi) x'' = tau (x - a cos(phi))").is_right


def test_coordinate_measured_otherwise_is_named() -> None:
    found = teaching.compare(course.pendulum(), "m l^2 theta'' + c theta' - m g l sin(theta) = 0")
    assert "it would be right with theta measured from the opposite direction (theta + pi)" in found.findings


def test_verdict_does_not_depend_on_the_seed() -> None:
    eq = course.double_pendulum()
    right = "l2 theta2'' + l1 theta1'' cos(theta1-theta2) - l1 theta1'^2 sin(theta1-theta2) + g sin(theta2) = 0"
    for seed in range(2):
        assert teaching.compare(eq, right, seed=seed).rows[0].is_right
        assert not teaching.compare(eq, right.replace("theta1'^2", "theta2'^2"), seed=seed).rows[0].is_right


HOSTILE = [  # text, part of the message, what is marked
    ("theta'' + __import__('os').system('ls') = 0", "'_' has no meaning here", "_"),
    ("l*theta'' + (g*sin(theta) = 0", "'(' is not closed", "("),
    ("l*theta'' + g*sin(phi) = 0", "there is no name 'phi' in 'pendulum'", "phi"),
    ("theta'' + g/0 = 0", "division by zero", "/"),
    ("theta'' = 1 = 2", "one equals sign", "="),
    (r"\input{secrets} + \theta = 0", r"unknown command \input", r"\input"),
    ("9,81*sin(theta) = 0", "written with a point", ","),
    ("theta'' = 10^(10^10)", "an exponent is at most 1000", "^"),
    ("(" * 300 + "theta''" + ")" * 300, "nested more than 80 deep", "("),
    ("theta'' + g sin = 0", "sin needs an argument", "sin"),
    ("g' + theta'' = 0", "is not part of the model", ""),
    ("theta'' + ☃ = 0", "has no meaning in an equation", "☃"),
    ("l theta'' + g sin theta^2 = 0", "argument of the function in parentheses", "^"),
    ("theta''^2 = g", "not linear in accelerations", ""),
    ("x" * 30_000, "at most 20000 characters", ""),
    ("", "there is no equation", ""),
    (r"\ddot{\vec r} = 0", "write its components", r"\vec"),
    (r"\frac{\partial L}{\partial\theta} = 0", "partial derivatives cannot be read", r"\partial"),
    ("theta.diff(t, 3) = 0", "a first or second derivative with respect to t", "("),
    ("Derivative(theta, l) = 0", "only derivatives with respect to t", "("),
    (
        r"\begin{pmatrix} l & 0 \end{pmatrix} \begin{pmatrix} \ddot\theta \end{pmatrix} = 0",
        "2 columns is multiplied by a column of 1",
        r"\begin",
    ),
    (r"\begin{pmatrix} l \\ 0 \end{pmatrix} \ddot\theta = g", "cannot be added to a column", "g"),
    (r"\begin{pmatrix} l \end{pmatrix}^{-1} = 0", "inverses, transposes and derivatives of matrices", r"\begin"),
    (r"\begin{pmatrix} l & g \\ 0 \end{pmatrix} = 0", "the same number of entries", r"\begin"),
    (r"\begin{pmatrix} l \ddot\theta + \end{pmatrix} = 0", "expected a value", "l"),
]


@pytest.mark.parametrize(("text", "says", "marked"), HOSTILE, ids=lambda v: str(v)[:30])
def test_what_cannot_be_read_is_refused_at_its_place(text: str, says: str, marked: str) -> None:
    if text.startswith("g'"):
        assert not teaching.compare(course.pendulum(), text).is_right  # g is constant: its rate is zero
        return
    with pytest.raises(sb.SymbodyError) as caught:
        teaching.compare(course.pendulum(), text)
    assert says in str(caught.value)
    if marked:
        assert isinstance(caught.value, ExpressionTextError)
        assert text[caught.value.at :].startswith(marked)


def test_random_text_raises_errors_of_ours_only() -> None:
    """Mutations of a right answer are judged or refused; nothing else happens."""
    eq, draw = course.pendulum(), Random(7)
    good = r"m l^2\ddot{\theta} + c\dot\theta + \frac{mg}{1}l\sin(\theta) = 0"
    pool = [*good, "\\", "{", "}", "^", "_", "'", "=", "frac", "ddot", "\n", "θ", "\u0308", "&"]
    judged = 0
    for _ in range(300):
        letters = list(good)
        for _ in range(draw.randint(1, 4)):
            at = draw.randrange(len(letters))
            letters[at : at + draw.randint(0, 2)] = [draw.choice(pool)]
        try:
            student_answer(eq, "".join(letters), {}, ())
        except sb.SymbodyError:
            continue
        judged += 1
    assert 0 < judged < 300

"""`tidy` gives what it got, in one form whatever the way to it, within its budget."""

from __future__ import annotations

import math
import random
import sys
from fractions import Fraction

import pytest

import symbody as sb
from symbody.algebra.calculus.evaluate import evaluate
from symbody.algebra.graph.graph import ZERO, Expr
from symbody.algebra.graph.walk import evaluation_order
from symbody.algebra.normal_forms import written_form
from symbody.algebra.normal_forms.normal_form import Atoms, polynomials
from symbody.algebra.normal_forms.polynomials import polynomial_product, quotient, variable
from symbody.algebra.normal_forms.tidy import tidied_entries, tidy
from symbody.errors import ExpressionError

m, l, g, k = sb.symbols("m l g k")
a, b = sb.symbols("a b", "coordinate")
u, v = a.dot, b.dot
s, c = sb.sin, sb.cos

FORMS = [
    (g * s(a) * m * c(a) - m * (g * c(a) + l * u**2) * s(a), "-m*l*s(a)*u**2"),
    ((m + k) * l * g * s(a) + k * l * g * s(a), "(2*k + m)*g*l*s(a)"),
    (m * (l * u * c(a)) ** 2 + m * (l * u * s(a)) ** 2, "m*l**2*u**2"),
    (c(a) * c(a + b) + s(a) * s(a + b), "c(b)"),
    (m * s(2 * a) - 2 * m * s(a) * c(a), "0"),
    (m * (1 - c(a) ** 2) * l, "m*l*s(a)**2"),
    ((m**2 - k**2) / (m + k), "m - k"),
    (sb.tan(a) * m * c(a), "m*s(a)"),
    (s(a) / c(a) * l, "l*sb.tan(a)"),
    (m * c(a) * s(b) * u - m * s(a) * c(b) * u + 0 * v, "-m*s(a - b)*u"),
    (m * l**2 / 12 + m * (l / 2) ** 2, "m*l**2/3"),
]


@pytest.mark.parametrize(("e", "expected"), FORMS, ids=[f[1] for f in FORMS])
def test_short_form(e: Expr, expected: str) -> None:
    names = {"m": m, "l": l, "g": g, "k": k, "a": a, "b": b, "u": u, "v": v, "s": s, "c": c, "sb": sb}
    assert tidy(e) is _node(eval(expected, names))


def _node(value: object) -> Expr:
    return value if isinstance(value, Expr) else ZERO + value


LEAVES = [m, l, g, u, v, s(a), c(a), s(b), c(b), s(a - b), c(a + b), a]


def random_expression(draw: random.Random) -> Expr:
    made: list[Expr] = draw.sample(LEAVES, 5)
    for _ in range(draw.randrange(4, 14)):
        x, y = draw.choice(made), draw.choice(made)
        made.append(draw.choice([x + y, x - y, x * y, x * y, x**2, 3 * x, -y, x / (m + 2), x / l]))
    return made[-1] + made[-2]


@pytest.mark.parametrize("seed", range(80))
def test_value_and_normal_form_stay(seed: int) -> None:
    """Equal at random numbers, equal as polynomials; doing it again changes nothing in value; never more effort but for
    one form."""
    e = random_expression(random.Random(seed))
    t = tidy(e)
    draw = random.Random(-seed)
    values = {x: draw.uniform(0.2, 2) for x in (m, l, g, u, v, a, b)}
    one, other = evaluate([e, t], values)
    assert math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)
    atoms = Atoms()
    known = polynomials([e, t, e - t], atoms)
    if known[e] is not None and not atoms.denominators:
        assert known[e] == known[t]
        assert known[e - t] == {}


def test_fault_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison at random numbers sees a wrong form."""
    monkeypatch.setattr(sys.modules["symbody.algebra.normal_forms.tidy"], "written_polynomial", lambda forms, atoms: m)
    with pytest.raises(ExpressionError, match="differs"):
        tidy(m * l * s(a) + m * l * s(a) * u)


def test_too_large_stays_and_is_counted() -> None:
    e = math.prod(
        (sb.symbols([f"x{i}" for i in range(8)])[j] + sb.symbols([f"y{i}" for i in range(8)])[j] for j in range(8)),
        start=m + l,
    )
    huge = sum((e * x**3 * s(a) for x in sb.symbols([f"z{i}" for i in range(40)])), ZERO) * e
    found = tidied_entries([huge, m * s(a) ** 2 + m * c(a) ** 2])
    assert found.entries[0] is huge
    assert found.left == [0]
    assert found.entries[1] is m


def test_what_nobody_reads_is_not_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """A product of nine sums has 512 terms: it stays as it is, and is counted. A denominator under many terms is
    written once."""
    names = [sb.symbols(f"a{k} b{k}") for k in range(9)]
    long = math.prod((x + y for x, y in names), start=sb.symbol("x") + 1)
    assert tidied_entries([long]).entries == [long]
    assert tidied_entries([long]).left == [0]

    calls = []
    forms = vars(written_form)["angle_forms"]
    monkeypatch.setattr(written_form, "angle_forms", lambda p, atoms: (calls.append(p), forms(p, atoms))[1])
    y, z = sb.symbols("y z")
    tidied_entries([sum((x * y for x, _ in names), sb.symbol("x")) / (1 + y + sb.cos(z)) + y])
    assert len(calls) == 1


@pytest.mark.parametrize(
    ("e", "expected"),
    [
        (0.1 * g + 0.2 * g + k, "0.3*g + k"),  # which is 0.30000000000000004 in floating point
        (0.2 * g + 0.3 * k, "0.2*g + 0.3*k"),  # no common factor of 2**-54
        (0.35 * 0.2 * (g + k), "0.07*(g + k)"),
        (1.570796326794897 * g + 0.1 * k, "1.57079632679*g + 0.1*k"),  # twelve digits are shown, all are kept
        (0.5 * g + 0.25 * k, "g/2 + k/4"),
    ],
)
def test_decimals_are_written_as_people_do(e: Expr, expected: str) -> None:
    assert str(tidy(e)) == expected


def test_quotient_of_polynomials() -> None:
    p: dict[int, int | Fraction] = {variable(0, 2): 3, variable(1): -2, 0: 5}
    q: dict[int, int | Fraction] = {variable(0): 1, variable(1, 3): 7}
    assert quotient(polynomial_product(p, q, 100), q, 100) == p
    assert quotient(p, q, 100) is None


def test_containers() -> None:
    e = m * s(a) ** 2 + m * c(a) ** 2
    grown = e + l * (m + g) - l * m
    assert tidy([grown, (grown,)]) == [m + g * l, (m + g * l,)]
    assert tidy(sb.vector(grown, 1)) == sb.vector(m + g * l, 1)
    model = sb.Model("frames")
    frame = model.ground.rotate("z", a)
    assert tidy(frame.vector(grown, 0, 0)).components(frame) == sb.vector(m + g * l, 0, 0)


def test_solves_of_small_systems_are_written_out() -> None:
    turn = sb.matrix([[c(a), s(a)], [-s(a), c(a)]])
    x = sb.solve(turn, [u, v])
    assert [str(e) for e in tidy(x).entries] == ["cos(a)*a_dot - sin(a)*b_dot", "cos(a)*b_dot + sin(a)*a_dot"]


def test_decimals_stay_decimals():
    """0.2 and 2 have no common factor that people would take out: none of 2⁻⁵⁴."""
    a, b, c = sb.symbols("a b c", "coordinate")
    e = c * (2 * sb.cos(a) - 0.5 * sb.cos(b) + 0.2 * sb.sin(a)) / (1.8 * sb.cos(a) + 2.2 * sb.sin(b))
    found = tidy(e)
    assert max(abs(n.data) for n in evaluation_order([found]) if n.op == "const") < 10
    at = {a: 0.3, b: 0.8, c: -1.2}
    assert sb.evaluate(found, at) == pytest.approx(sb.evaluate(e, at), rel=1e-14)


def test_large_terms_that_cancel() -> None:
    """Coordinates in an orbit: at random numbers, terms of 2e16 leave the rounding of their own size instead of zero."""
    far, pull = 6_771_000, 199_300_220_900_000_000
    cube = sb.sqrt(l**2 - 2 * far * l + far**2) ** 3
    inward = 500 * far * u**2 - pull * far / cube
    more = 500 * (l * u**2 - far * u**2) - (pull / cube * l - pull * far / cube)
    assert tidy(l * inward - far * (inward + more)) == ZERO

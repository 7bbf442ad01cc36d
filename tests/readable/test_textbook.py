"""Equations of textbook systems print in the form of the book, by every route; what does not appear is said."""

from __future__ import annotations

import gc
import math
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pytest

import symbody as sb
from bench.readable_systems import SYSTEMS
from symbody.algebra.graph.factors import factors_of
from symbody.algebra.graph.walk import evaluation_order

ROUTES = ("recursive", "kane", "lagrange", "newton-euler", "gibbs-appell")
BOOK = {
    block.split("\n", 1)[0]: block.split("\n", 1)[1].strip()
    for block in (Path(__file__).parent / "textbook.txt").read_text(encoding="utf-8").split("\n== ")[1:]
}


def test_every_system_is_in_the_book() -> None:
    assert list(BOOK) == list(SYSTEMS)
    assert len(BOOK) >= 25


@pytest.mark.parametrize("name", SYSTEMS)
def test_text_by_every_route(name: str) -> None:
    for route in ROUTES:
        assert sb.derive(SYSTEMS[name](), route, check=False).readable.text() == BOOK[name], route


def test_what_does_not_appear() -> None:
    found = {
        name: sb.derive(SYSTEMS[name](), check=False).readable
        for name in ("symmetric_top", "cart_and_pole", "half_car")
    }
    assert [s.name for s in found["symmetric_top"].absent] == ["psi", "phi"]
    assert [s.name for s in found["symmetric_top"].unused] == ["m", "l", "g"]
    assert found["cart_and_pole"].remarks == ("x appears in no equation",)
    assert found["half_car"].remarks == ()


def test_decoupled_equations_are_named() -> None:
    m = sb.Model("two")
    k1, k2 = m.parameters("k1 k2")
    for name, k in (("x", k1), ("y", k2)):
        m.prismatic(name, m.ground, m.body(name, mass=1), axis=name, stiffness=k)
    readable = sb.derive(m).readable
    assert readable.remarks == ("decoupled: x_dot; y_dot",)
    assert str(readable) == "x_ddot = -k1*x\ny_ddot = -k2*y"


def test_latex() -> None:
    found = sb.derive(SYSTEMS["pendulum"]()).readable.latex()
    assert found == (r"\begin{aligned} m l^{2} \ddot{\theta} &= -m g l \sin\left(\theta\right) \end{aligned}")


def closed_four_bar() -> sb.Model:
    """The loop is closed by a joint between coupler and rocker."""
    m = sb.Model("four-bar")
    p = m.parameters(a=1.0, b=2.0, c=1.5, d=2.0)
    crank, coupler, rocker = (m.body(n, mass=1.0, inertia=(0, 0, 1)) for n in ("crank", "coupler", "rocker"))
    m.revolute("A", m.ground, crank)
    m.revolute("B", crank, coupler, at=(p.a, 0, 0))
    m.revolute("D", m.ground, rocker, at=(p.d, 0, 0))
    m.revolute("E", coupler, rocker, at=(p.b, 0, 0), on=(p.c, 0, 0))
    return m


def test_loops_close_in_the_axes_of_the_ground() -> None:
    for route in ("recursive", "lagrange"):
        eq = sb.derive(closed_four_bar(), route)
        lines = eq.readable.text().split("\n")[-2:]
        assert lines == ["a*cos(A) + b*cos(A + B) = d + c*cos(D)", "a*sin(A) + b*sin(A + B) = c*sin(D)"]
        state = sb.assemble(eq, A=0.7)
        values = {s: float(state.values[s.name]) for s in (*eq.q, *eq.p)}
        assert sb.evaluate([line.right for line in eq.readable.constraints], values) == pytest.approx([0, 0], abs=1e-9)


def falling_with_drag() -> sb.Model:
    m = sb.Model("falling")
    p = m.parameters(k=0.1, m=1.0, g=9.81)
    y = m.coordinate("y")
    ball = m.particle("ball", m.ground.point(0, y, 0), mass=p.m)
    m.gravity(0, -p.g, 0)
    m.drag("air", ball.mass_centre, quadratic=p.k)
    return m


def spring_pendulum() -> sb.Model:
    m = sb.Model("spring pendulum")
    p = m.parameters(k=10.0, m=1.0, l0=1.0, g=9.81)
    r, theta = m.coordinates("r theta")
    bob = m.particle("bob", m.ground.rotate("z", theta).point(0, -r, 0), mass=p.m)
    m.gravity(0, -p.g, 0)
    m.spring("spring", m.ground.origin, bob.mass_centre, stiffness=p.k, rest=p.l0)
    return m


def test_drag_and_springs_are_the_same_by_every_route() -> None:
    for route in ROUTES:
        assert sb.derive(falling_with_drag(), route).readable.text() == "m*y_ddot = -m*g - k*y_dot*abs(y_dot)", route
        assert sb.derive(spring_pendulum(), route).readable.text().split("\n")[0] == (
            "m*r_ddot = m*g*cos(theta) + r*(m*theta_dot**2 - k) + k*l0*r/abs(r)"
        ), route


def test_solved_and_reduced_forms() -> None:
    found = sb.derive(SYSTEMS["cart_and_pole"](), check=False).readable.solved
    assert found.text().split("\n") == [
        "x_ddot = (F + m*g*cos(theta)*sin(theta) + m*l*sin(theta)*theta_dot**2)/(M + m*sin(theta)**2)",
        "theta_ddot = -(F*cos(theta) + (M + m)*g*sin(theta) + m*l*cos(theta)*sin(theta)*theta_dot**2)/(l*(M + m*sin(theta)**2))",
    ]
    bead = sb.derive(SYSTEMS["bead_on_hoop"](), check=False).readable
    assert bead.reduced.text() == "R*theta_ddot = sin(theta)*(Omega**2*R*cos(theta) - g)"


def factors_of_terms(name: str) -> list[list[sb.Expr]]:
    """Symbols, sines and cosines that are multiplied in the equations of a system; the products themselves are gone."""
    readable = sb.derive(SYSTEMS[name](), check=False).readable
    nodes = evaluation_order([line.right for line in (*readable.motion, *readable.solved.motion)])
    return [expanded(factors_of([n])) for n in nodes if n.op == "mul"]


def expanded(powers: Mapping[sb.Expr, int]) -> list[sb.Expr]:
    return [f for f, k in powers.items() for _ in range(k) if f.op in ("symbol", "sin", "cos")]


def products_of_some(factors: Iterable[list[sb.Expr]], draw: random.Random) -> Iterator[sb.Expr]:
    """Products of some factors of each term, multiplied in random order: m*sin(q)**2 as sin(q)*(m*sin(q))."""
    for each in factors:
        for _ in range(6):
            yield from partial_products(draw.sample(each, draw.randint(min(1, len(each)), len(each))), draw)


def products_with_squares(factors: Iterable[list[sb.Expr]], draw: random.Random) -> Iterator[sb.Expr]:
    """Products with a square of a product in them: m*l**2*q_dot**2 as m*(l*q_dot)**2."""
    for each in factors:
        count = Counter(each)
        squared = [f for f, k in count.items() if k > 1]
        if len(squared) > 1:
            some = draw.sample(squared, draw.randint(2, len(squared)))
            rest = expanded(count - Counter(dict.fromkeys(some, 2)))
            yield from partial_products([sb.algebra.as_expr(math.prod(some)) ** 2, *rest], draw)


def partial_products(factors: list[sb.Expr], draw: random.Random) -> Iterator[sb.Expr]:
    while len(factors) > 1:
        draw.shuffle(factors)
        factors.append(factors.pop() * factors.pop())
        yield factors[-1]
    yield from factors


@pytest.mark.parametrize("name", ["cart_and_pole", "two_link_arm", "spherical_pendulum", "furuta"])
def test_text_does_not_depend_on_products_that_exist(name: str) -> None:
    """Products keep the grouping in which they were made first; no form of the equations may depend on it."""

    def forms() -> list[str]:
        found = sb.derive(SYSTEMS[name](), check=False).readable
        return [found.text(), found.solved.text(), found.reduced.text()]

    expected, factors = forms(), factors_of_terms(name)
    for seed, products in enumerate((products_of_some, products_with_squares) * 4):
        gc.collect()
        kept = list(products(factors, random.Random(seed)))
        assert forms() == expected, (seed, len(kept))


@pytest.mark.parametrize(
    "name", ["cart_and_pole", "double_pendulum_absolute", "furuta", "rolling_disc_upright", "four_bar"]
)
def test_solved_lines_have_the_values_of_the_equations(name: str) -> None:
    eq = sb.derive(SYSTEMS[name](), check=False)
    solved = eq.readable.solved
    if solved is eq.readable:
        return
    values = {s: 0.3 + 0.17 * k for k, s in enumerate(sb.free_symbols(eq.udot, [line.right for line in solved.motion]))}
    ours = sb.evaluate([line.right for line in solved.motion], values)
    assert ours == pytest.approx(sb.evaluate(list(eq.udot.entries), values), rel=1e-9)


def test_fractions_have_one_denominator() -> None:
    g, I, m, r, Omega, lam = sb.symbols("g I m r Omega lambda")
    assert str(sb.tidy(-g / (1 / m + r**2 / I))) == "-I*m*g/(I + m*r**2)"
    assert str(sb.tidy(g * r**2 / (I * (1 / m + r**2 / I)))) == "m*g*r**2/(I + m*r**2)"
    assert str(sb.tidy((Omega * sb.cos(lam)) ** 2 + (Omega * sb.sin(lam)) ** 2)) == "Omega**2"
    assert str(sb.tidy(m * sb.sin(g - r) ** 2 + I)) == "I + m*sin(g - r)**2"


def test_linear_systems_are_tidy():
    """(Ω cos λ)² + (Ω sin λ)² is Ω², in `linearize` itself; what is too long to be read stays as it was."""
    m = sb.Model("Foucault")
    W, latitude, k, mass = m.parameters("Omega lambda k m")
    x, y = m.coordinates("x y")
    table = m.ground.rotate("z", W * m.time).rotate("y", sb.pi / 2 - latitude)
    m.particle("bob", table.point(x, y, 0), mass=mass)
    m.potential("string", k * (x**2 + y**2) / 2)
    lin = sb.linearize(sb.derive(m), {})
    assert str(lin.A[3, 1]) == "m*Omega**2 - k"
    assert str(lin.A[2, 3]) == "2*m*Omega*sin(lambda)"


@pytest.mark.parametrize("name", ["two_link_arm", "double_pendulum", "furuta"])
def test_no_line_that_is_solved_contains_a_linear_solve(name):
    """However short it is as a text, or all lines stay as they were."""
    readable = sb.derive(SYSTEMS[name](), "kane", check=False).readable
    lines = str(readable.solved)
    assert "solve(" not in lines
    assert lines.startswith(str(readable.solved.motion[0].left[0][1])) != (lines == str(readable))

"""Solves that share their factors are joined; how their right sides lie in memory."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from symbody.algebra.elimination.elimination import definite_factor, definite_solve, definite_solve_rows
from symbody.algebra.graph.graph import Expr, as_expr, symbols
from symbody.algebra.graph.linear import Factors, factorize
from symbody.algebra.graph.matrix import Matrix, matrix
from symbody.emit.lowering.lower import program
from symbody.emit.lowering.right_sides import MAX_RIGHT_SIDES, Lot, leading_zeros, right_side_layout
from symbody.emit.programs.program import Program, right_side_count

x, y = symbols("x y")


def factors(n: int, kind: str = "general", shift: int = 0) -> Factors:
    return factorize(matrix([[x + n if i == j else y * (i - j + shift) / n for j in range(n)] for i in range(n)]), kind)


def sides(p: Program) -> list[int]:
    """How many right sides each solve has."""
    return [right_side_count(p.code, i) for i in p.code if i.op == "solve"]


def made(**outputs: Matrix | list[Expr]) -> Program:
    return program("f", {"p": [x, y]}, outputs)


def column(n: int, k: int) -> list[Expr]:
    return [x * i + y**k for i in range(n)]


# ---------------------------------------------------------------------------------------------------- joining


def test_right_sides_of_one_matrix_are_solved_together() -> None:
    f = factors(3)
    assert sides(made(a=f.solve(column(3, 1)), b=f.solve(column(3, 2)), c=f.solve(column(3, 3)))) == [3]


def test_a_right_side_that_is_a_solution_waits_for_it() -> None:
    f = factors(3)
    first = f.solve(column(3, 1))
    second = f.solve(list(first))
    assert sides(made(second=second, third=f.solve(list(second)), first=first, other=f.solve(column(3, 2)))) == [
        2,
        1,
        1,
    ]


def test_transposed_ones_and_those_of_other_matrices_stay_apart() -> None:
    f, g = factors(3), factors(3, shift=1)
    b = column(3, 1)
    assert sides(made(a=f.solve(b), b=f.solve(b, transposed=True), c=g.solve(b))) == [1, 1, 1]


def test_two_matrices_that_need_each_other_crosswise() -> None:
    """Joining all of f and all of g would make a circle."""
    f, g = factors(3), factors(3, shift=1)
    a, b = f.solve(column(3, 1)), g.solve(column(3, 2))
    p = made(a=f.solve(list(b)), b=g.solve(list(a)))
    assert sides(p) == [1, 1, 1, 1]


@pytest.mark.parametrize("count", [MAX_RIGHT_SIDES, MAX_RIGHT_SIDES + 1, 2 * MAX_RIGHT_SIDES + 1])
def test_parts_are_of_bounded_and_about_equal_size(count: int) -> None:
    f = factors(2)
    got = sides(made(**{f"x{k}": f.solve(column(2, k)) for k in range(count)}))
    assert sum(got) == count
    assert len(got) == -(-count // MAX_RIGHT_SIDES)
    assert max(got) <= MAX_RIGHT_SIDES
    assert max(got) - min(got) < len(got)


def test_zeros_in_front_come_last() -> None:
    f = factors(4)
    outputs = {f"x{k}": f.solve([as_expr(0)] * k + column(4 - k, 1)) for k in (3, 0, 2)}
    p = made(**outputs)
    solve = next(i for i in p.code if i.op == "solve")
    assert [leading_zeros(p.code, solve, [r]) for r in range(3)] == [0, 2, 3]
    assert leading_zeros(p.code, solve, [1, 2]) == 2


def test_cost_is_that_of_single_solves() -> None:
    f = factors(3)
    one, three = made(a=f.solve([x, y, 1])), made(a=f.solve(matrix([[x, 1, y], [y, x, 1], [1, y, x]])))
    assert (sides(one), sides(three)) == ([1], [3])
    assert three.cost.total - one.cost.total == 2 * (3 * 2 + 3 * 3)


def test_labels_survive() -> None:
    f = factors(3)
    a, b = f.solve(column(3, 1)), f.solve(column(3, 2))
    labels = {"power": a[0] * b[1], "reach": b[2]}
    p = program("f", {"p": [x, y]}, {"e": [a[0] * b[1]], "first": [b[2]]}, labels=labels)
    meant = {p.code[k].op: label for k, label in p.labels.items()}
    assert meant == {"mul": "power", "item": "reach"}
    assert p.code[next(k for k, label in p.labels.items() if label == "reach")].data % 3 == 2


# ---------------------------------------------------------------------------------------------------- memory


@pytest.mark.parametrize(("n", "count", "fewest"), list(product([1, 5], [1, 2, 3, 8, 15, 33], [1, 3, 16])))
def test_every_entry_has_a_place_of_its_own(n: int, count: int, fewest: int) -> None:
    made_layout = right_side_layout(n, count, [4, 16], fewest)
    places = made_layout.places()
    assert len(set(places)) == n * count
    assert 0 <= min(places) <= max(places) < made_layout.size
    assert places == [made_layout.place(item) for item in range(n * count)]


def test_lots_are_as_narrow_as_they_can_be() -> None:
    assert right_side_layout(2, 20, [4, 16], 3).lots == (Lot(0, 16, 16, 0), Lot(16, 4, 4, 32))
    assert right_side_layout(2, 21, [4, 16], 3).lots == (Lot(0, 16, 16, 0), Lot(16, 5, 16, 32))
    assert right_side_layout(2, 18, [4, 16], 3).lots == (Lot(0, 16, 16, 0), Lot(16, 1, 1, 32), Lot(17, 1, 1, 34))


# ---------------------------------------------------------------------------------------------------- the loop


@pytest.mark.parametrize("n", range(1, 8))
def test_rows_give_what_columns_give(n: int) -> None:
    """Exactly, on fractions."""
    a = [Fraction(n + 1 if i == j else 1, 1 + abs(i - j)) for i in range(n) for j in range(n)]
    definite_factor(n, a)
    for first in range(n):
        b = [Fraction(0) if i < first else Fraction(3 * i + 1, i + 2) for i in range(n)]
        by_columns, by_rows = list(b), list(b)
        definite_solve(n, a, by_columns)
        definite_solve_rows(n, first, a, by_rows)
        assert by_rows == by_columns

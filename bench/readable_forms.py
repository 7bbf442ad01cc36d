"""Other forms of textbooks that `python -m bench readable` measures: solved for accelerations, without common factors,
|v| v, loops in ground axes, tidied linear systems, natural frequencies as formulas."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import sympy

import symbody as sb

from .readable_systems import SYSTEMS


@dataclass(frozen=True)
class Form:
    """What is asked: `ours` computes it from equations, `by_sympy` from `given`, the same entries as expressions of SymPy."""

    ours: Callable[[], Sequence[sb.Expr]]
    given: Sequence[sb.Expr]
    by_sympy: Callable[[list[Any]], list[Any]]


def solved(name: str) -> Form:
    """u' = M⁻¹ f."""
    eq = sb.derive(SYSTEMS[name](), "kane", check=False)
    n = len(eq.u)

    def by_sympy(given: list[Any]) -> list[Any]:
        M, f = sympy.Matrix(n, n, given[: n * n]), sympy.Matrix(given[n * n :])
        return [sympy.simplify(e) for e in M.LUsolve(f)]

    return Form(lambda: [line.right for line in eq.readable.solved.motion], [*eq.M.entries, *eq.f.entries], by_sympy)


def reduced(name: str) -> Form:
    """Lines without the factors that all terms have in common."""
    eq = sb.derive(SYSTEMS[name](), "kane", check=False)
    n = len(eq.u)

    def by_sympy(given: list[Any]) -> list[Any]:
        rows = [[*given[n * i : n * i + n], given[n * n + i]] for i in range(n)]
        return [sympy.cancel(e / sympy.gcd_list(row)) for row in rows for e in map(sympy.simplify, row)]

    return Form(lambda: [e for line in eq.readable.reduced.motion for e in (*(c for c, _ in line.left), line.right)], [*eq.M.entries, *eq.f.entries], by_sympy)  # fmt: skip


def drag() -> Form:
    """m y'' = -m g - k |y'| y' of a particle with quadratic drag."""
    m = sb.Model("fall")
    mass, g, k = m.parameters("m g k")
    y = m.coordinate("y")
    stone = m.particle("stone", m.ground.point(0, y, 0), mass=mass)
    m.gravity(0, -g, 0)
    m.drag("air", stone.mass_centre, quadratic=k)
    return _right_sides(sb.derive(m, "kane", check=False))


def loop() -> Form:
    """The loop of a four-bar linkage, closed by a joint on the ground."""
    m = sb.Model("four-bar")
    a, b, c, d = m.parameters("a b c d")
    crank, coupler, rocker = (m.body(n, mass=1) for n in ("crank", "coupler", "rocker"))
    m.revolute("A", m.ground, crank)
    m.revolute("B", crank, coupler, at=(a, 0, 0))
    m.revolute("D", m.ground, rocker, at=(d, 0, 0))
    m.revolute("C", coupler, rocker, at=(b, 0, 0), on=(c, 0, 0))
    eq = sb.derive(m, "kane", check=False)
    return Form(lambda: [line.right for line in eq.readable.constraints], list(eq.phi.entries), _simplified)


def linear() -> Form:
    """The linear system of a pendulum at a latitude: (Ω cos λ)² + (Ω sin λ)² = Ω²."""
    m = sb.Model("Foucault")
    W, latitude, k, mass = m.parameters("Omega lambda k m")
    x, y = m.coordinates("x y")
    table = m.ground.rotate("z", W * m.time).rotate("y", sb.pi / 2 - latitude)
    m.particle("bob", table.point(x, y, 0), mass=mass)
    m.potential("string", k * (x**2 + y**2) / 2)
    eq = sb.derive(m, "kane", check=False)
    by = [*eq.q, *eq.u]
    given = sb.substitute(sb.jacobian(eq.f, by), dict.fromkeys(by, 0))
    return Form(lambda: sb.linearize(eq, {}).A.entries, list(given.entries), _simplified)


def frequencies(n: int) -> Form:
    """ω² of equal masses on equal springs between walls."""
    m = sb.Model("chain")
    k, mass = m.parameters("k m")
    xs = m.coordinates(" ".join(f"x{i}" for i in range(n)))
    for i, x in enumerate(xs):
        m.particle(f"p{i}", m.ground.point(x, 0, 0), mass=mass)
    ends: list[Any] = [0, *xs, 0]
    m.potential("springs", sum(k * (ends[i + 1] - ends[i]) ** 2 / 2 for i in range(n + 1)))
    lin = sb.linearize(sb.derive(m, "kane", check=False), {})
    form = lin.second_order()

    def by_sympy(given: list[Any]) -> list[Any]:
        M, K, w = sympy.Matrix(n, n, given[: n * n]), sympy.Matrix(n, n, given[n * n :]), sympy.Symbol("w")
        return [sympy.simplify(e) for e in sympy.solve((K - w * M).det(), w)]

    return Form(lambda: sb.stability.frequency_formulas(lin).entries, [*form.M.entries, *form.K.entries], by_sympy)


def _right_sides(eq: sb.Equations) -> Form:
    return Form(lambda: [line.right for line in eq.readable.motion], list(eq.f.entries), _simplified)


def _simplified(given: list[Any]) -> list[Any]:
    return [sympy.simplify(e) for e in given]


FORMS: dict[str, Callable[[], Form]] = {
    **{f"solved: {k}": lambda k=k: solved(k) for k in ("pendulum", "cart_and_pole", "double_pendulum", "atwood_with_pulley", "two_link_arm")},
    **{f"reduced: {k}": lambda k=k: reduced(k) for k in ("pendulum", "bead_on_hoop", "double_pendulum_absolute")},
    "drag": drag,
    "loop": loop,
    "linear: foucault": linear,
    **{f"frequencies: {n} masses": lambda n=n: frequencies(n) for n in (2, 3)},
}  # fmt: skip

"""Random expressions for tests: every operation, well inside its domain."""

from __future__ import annotations

import random

from symbody.algebra.graph.functions import (
    acos,
    asin,
    atan,
    atan2,
    cos,
    cosh,
    exp,
    log,
    maximum,
    minimum,
    sign,
    sin,
    sinh,
    sqrt,
    tan,
    tanh,
    where,
)  # fmt: skip
from symbody.algebra.graph.graph import Expr, Symbol, symbols
from symbody.algebra.graph.linear import solve
from symbody.algebra.graph.matrix import Matrix

SMOOTH = [
    sin, cos, atan, tanh, sinh, cosh,
    lambda a: exp(sin(a)), lambda a: sqrt(2 + sin(a)), lambda a: log(2 + cos(a)), lambda a: tan(a / 10),
    lambda a: asin(sin(a) / 2), lambda a: acos(cos(a) / 2), lambda a: (2 + sin(a)) ** 2.5, lambda a: a**2, lambda a: a**3,
    lambda a: -a, lambda a: a / 3, lambda a: 2 * a, abs,
]  # fmt: skip
PAIRS = [
    lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, lambda a, b: a / (3 + sin(b)), lambda a, b: atan2(a, 3 + b**2),
    lambda a, b: (2 + sin(a)) ** b, minimum, maximum, lambda a, b: where(a < b, sin(a), b), lambda a, b: sign(a) * b,
]  # fmt: skip


def random_expressions(
    seed: int, n_symbols: int = 4, n_nodes: int = 40, n_roots: int = 3
) -> tuple[list[Symbol], list[Expr]]:
    """Symbols and expressions in them, with shared parts."""
    rng = random.Random(seed)
    xs = list(symbols([f"x{i}" for i in range(n_symbols)]))
    pool: list[Expr] = list(xs)
    for _ in range(n_nodes):
        if rng.random() < 0.4:
            new = rng.choice(SMOOTH)(rng.choice(pool))
        else:
            new = rng.choice(PAIRS)(rng.choice(pool), rng.choice(pool))
        pool.append(sin(new) if rng.random() < 0.3 else new / (2 + abs(new)))  # keeps values near one
    return xs, pool[-n_roots:]


def random_solution(seed: int, kind: str, n: int = 4) -> tuple[list[Symbol], Matrix]:
    """The solution of a linear system whose entries are random expressions."""
    xs, roots = random_expressions(seed, n_roots=n * n + n)
    a = Matrix(n, n, tuple(roots[: n * n]))
    if kind != "general":
        a = a + a.T
    return xs, solve(
        a + Matrix(n, n, tuple((10 if i == j else 0) + a[i, j] * 0 for i in range(n) for j in range(n))),
        roots[n * n :],
        kind,
    )


def random_values(seed: int, xs: list[Symbol]) -> dict[Symbol, float]:
    rng = random.Random(seed)
    return {x: rng.uniform(0.2, 1.5) for x in xs}

"""Forces of stiff springs as unknowns: k e(x) becomes s, with the row s / k = e(x).

A spring of 1e9 N/m makes a valley that is a nanometre wide, along which Newton's method has to creep where the spring turns with a soft
coordinate. With its force as an unknown, in which the rows are linear, it is a constraint that gives way a little.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ..algebra.derivatives import jacobian
from ..algebra.evaluate import evaluate
from ..algebra.graph import ZERO, Expr, Symbol, symbol
from ..algebra.nonlinear import System
from ..algebra.walk import free_symbols, ordered, substitute_all
from ..emit.program.lower import program
from ..emit.run.callable import Array, compile_program
from ..errors import EvaluationError

STIFF: Final = 30.0  # a unit of the unknowns changes a stiff spring's force by so many times all other loads
MOST: Final = 200  # products that are looked at


@dataclass(frozen=True)
class LiftedRows:
    """Rows with the forces of some springs as further unknowns, compiled."""

    function: Any
    shape: tuple[int, int]

    def system(self, p: Array, like: System) -> System:
        """Rows and slopes at numbers for the parameters; linear and bounded as another system, and linear in the forces."""
        more = self.shape[1] - len(like.linear if like.linear is not None else ())

        def rows_and_slopes(w: Array) -> tuple[Array, Array]:
            r, J = self.function(w, p)
            return r, J.reshape(self.shape)

        def longer(x: Array | None, rest: float) -> Array | None:
            return None if x is None else np.concatenate([x, np.full(more, rest)])

        linear = np.concatenate(
            [like.linear if like.linear is not None else np.zeros(0, dtype=bool), np.ones(more, dtype=bool)]
        )
        return System(
            rows_and_slopes, linear=linear, reach=longer(like.reach, np.inf), typical=longer(like.typical, 0.0)
        )


def spring_products(rows: Sequence[Expr], moving: Sequence[Symbol]) -> list[tuple[Expr, Expr, Expr]]:
    """Products k e in which k does not depend on what moves, and e does, but is not linear in it: product, k, e."""
    moves: set[Any] = set(moving)
    found: list[tuple[Any, Any, Any]] = []
    depends: dict[Any, bool] = {}
    for n in ordered(rows):
        depends[n] = n in moves or any(depends[a] for a in n.args)
        if n.op == "mul" and sum(depends[a] for a in n.args) == 1:
            k, e = sorted(n.args, key=lambda a: depends[a])
            if e.op not in ("symbol", "sin", "cos", "mul", "item", "neg"):
                found.append((n, k, e))
    return found


def lifted_rows(
    rows: Sequence[Expr],
    unknowns: Sequence[Symbol],
    parameters: Sequence[Symbol],
    sizes: Array,
    at: Mapping[Symbol, float],
) -> LiftedRows | None:
    """The rows with stiff springs' forces as unknowns; None where no spring is stiff beside the other loads at some numbers."""
    moving = [s for s in unknowns if s.kind == "coordinate"]
    products = spring_products(rows, moving)
    if not products or len(products) > MOST:
        return None
    chosen = _stiff(rows, products, moving, sizes[[s.kind == "coordinate" for s in unknowns]], at)
    if not chosen:
        return None
    forces = [symbol(f"lifted_{i}", "multiplier") for i in range(len(chosen))]
    table = {n: s for (n, _, _), s in zip(chosen, forces, strict=True)}
    stretches = substitute_all([e for _, _, e in chosen], table)
    laws = [s / k - e for s, (_, k, _), e in zip(forces, chosen, stretches, strict=True)]
    whole, every = [*substitute_all(list(rows), table), *laws], [*unknowns, *forces]
    outputs = {"r": whole, "J": [*jacobian(whole, every).entries]}
    made = compile_program(program("steady_lifted", {"w": every, "p": list(parameters)}, outputs))
    return LiftedRows(made, (len(whole), len(every)))


def _stiff(
    rows: Sequence[Expr],
    products: list[tuple[Expr, Expr, Expr]],
    moving: list[Symbol],
    sizes: Array,
    at: Mapping[Symbol, float],
) -> list[tuple[Expr, Expr, Expr]]:
    slopes = jacobian([e for _, _, e in products], moving)
    others = substitute_all(list(rows), {n: ZERO for n, _, _ in products})
    known = {s: at.get(s, 0.0) for s in free_symbols(*others, slopes, *(k for _, k, _ in products))}
    try:
        k, g, loads = evaluate([[k for _, k, _ in products], list(slopes.entries), others], known)
    except (EvaluationError, OverflowError):
        return []
    steep = np.linalg.norm(np.reshape(np.array(g, dtype=float), slopes.shape) * sizes, axis=1)
    force = np.abs(np.array(k, dtype=float)) * steep * steep
    return [x for x, f in zip(products, force, strict=True) if f > STIFF * np.abs(loads).max(initial=1e-300)]

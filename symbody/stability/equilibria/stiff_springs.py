"""Forces of stiff springs as unknowns: k e(x) becomes s, with the row s / k = e(x).

A spring of 1e9 N/m makes a valley that is a nanometre wide, in which Newton's method takes tiny steps if the spring
rotates with a soft coordinate. With its force as an unknown, in which the rows are linear, it is a slightly compliant
constraint.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np

from ...algebra.calculus.derivatives import jacobian
from ...algebra.calculus.evaluate import evaluate
from ...algebra.graph.graph import ZERO, Expr, Symbol, symbol
from ...algebra.graph.matrix import Matrix
from ...algebra.graph.walk import evaluation_order, free_symbols, substitute_all
from ...algebra.nonlinear.nonlinear import System
from ...emit.lowering.lower import program
from ...emit.run.callable import Array, compile_program
from ...errors import EvaluationError

# force of a spring under a unit displacement, relative to all other loads, above which it is stiff
STIFFNESS_RATIO: Final = 30.0
MAX_PRODUCTS: Final = 200  # largest number of products that are examined for springs


@dataclass(frozen=True)
class LiftedRows:
    """Rows with the forces of some springs as additional unknowns, compiled."""

    function: Any
    shape: tuple[int, int]

    def system(self, p: Array, like: System) -> System:
        """Rows and slopes at numbers for the parameters; linear and bounded as another system, and linear in the
        forces."""
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
    for n in evaluation_order(rows):
        depends[n] = n in moves or any(depends[a] for a in n.args)
        if n.op == "mul" and sum(depends[a] for a in n.args) == 1:
            k, e = sorted(n.args, key=lambda a: depends[a])
            if e.op not in ("symbol", "sin", "cos", "mul", "item", "neg"):
                found.append((n, k, e))
    return found


class StiffSprings:
    """Springs in some rows, and the rows with the forces of the stiff ones as unknowns; compiled once for each
    choice of them."""

    def __init__(self, rows: Sequence[Expr], unknowns: Sequence[Symbol], parameters: Sequence[Symbol]) -> None:
        self.rows, self.unknowns, self.parameters = list(rows), list(unknowns), list(parameters)
        self.moving = [s for s in unknowns if s.kind == "coordinate"]
        self.made: dict[tuple[int, ...], LiftedRows] = {}

    @cached_property
    def products(self) -> list[tuple[Expr, Expr, Expr]]:
        found = spring_products(self.rows, self.moving)
        return found if len(found) <= MAX_PRODUCTS else []

    @cached_property
    def _looked_at(self) -> tuple[list[Expr], Matrix, list[Expr]]:
        """Stiffnesses, slopes of the stretches, and rows without springs."""
        others = substitute_all(self.rows, {n: ZERO for n, _, _ in self.products})
        return [k for _, k, _ in self.products], jacobian([e for _, _, e in self.products], self.moving), others

    def lifted(self, sizes: Array, at: Mapping[Symbol, float]) -> LiftedRows | None:
        """The lifted rows; None if no spring is stiff relative to the other loads at some numbers.

        sizes   of the unknowns
        """
        chosen = self._stiff(sizes, at) if self.products else ()
        if chosen and chosen not in self.made:
            self.made[chosen] = self._lifted_rows([self.products[k] for k in chosen])
        return self.made[chosen] if chosen else None

    def _stiff(self, sizes: Array, at: Mapping[Symbol, float]) -> tuple[int, ...]:
        stiffnesses, slopes, others = self._looked_at
        known = {s: at.get(s, 0.0) for s in free_symbols(*others, slopes, *stiffnesses)}
        try:
            k, g, loads = evaluate([stiffnesses, list(slopes.entries), others], known)
        except (EvaluationError, OverflowError):
            return ()
        moved = sizes[[s.kind == "coordinate" for s in self.unknowns]]
        steep = np.linalg.norm(np.reshape(np.array(g, dtype=float), slopes.shape) * moved, axis=1)
        force = np.abs(np.array(k, dtype=float)) * steep * steep
        return tuple(int(i) for i in np.flatnonzero(force > STIFFNESS_RATIO * np.abs(loads).max(initial=1e-300)))

    def _lifted_rows(self, chosen: Sequence[tuple[Expr, Expr, Expr]]) -> LiftedRows:
        forces = [symbol(f"lifted_{i}", "multiplier") for i in range(len(chosen))]
        table = {n: s for (n, _, _), s in zip(chosen, forces, strict=True)}
        stretches = substitute_all([e for _, _, e in chosen], table)
        laws = [s / k - e for s, (_, k, _), e in zip(forces, chosen, stretches, strict=True)]
        whole, every = [*substitute_all(self.rows, table), *laws], [*self.unknowns, *forces]
        outputs = {"r": whole, "J": [*jacobian(whole, every).entries]}
        made = compile_program(
            program("steady_lifted", {"w": every, "p": self.parameters}, outputs, as_written=True), is_quick=True
        )
        return LiftedRows(made, (len(whole), len(every)))

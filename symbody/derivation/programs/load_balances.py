"""Equations of motion of many equal trees with loads between them, as balances M_k u'_k - f_k - Σ Q_k = 0 of each tree, for
implicit methods (`link_balances.py`): their matrix couples the trees between which loads act.

Coordinates and speeds go first, by their own equations; what they leave of the balances is eliminated in the order of least
degree of the trees.
"""

from __future__ import annotations

from ...algebra.calculus.sweep_partials import sweep_partials
from ...algebra.elimination.least_degree import least_degree_order
from ...algebra.graph.graph import Expr, Symbol
from ...algebra.graph.matrix import sum_of_products
from ...algebra.graph.sweeps import Fragment
from ..equations.equations import Equations
from .constraint_schedules import ConstraintSchedule, ConstraintSweeps, fragment_of
from .constraint_sweeps import constraint_sweeps
from .link_balances import LinkBalances


def load_balances(eq: Equations) -> LinkBalances | None:
    """Of equations without constraints whose accelerations are loops over equal trees; None of others."""
    loops = None if eq.lam else constraint_sweeps(eq)
    return None if loops is None else eq.cached("load balances", (), lambda: _LoadBalances(eq, loops).made())


class _LoadBalances:
    """The schedule of all balances."""

    def __init__(self, eq: Equations, loops: ConstraintSweeps) -> None:
        self.eq, self.parts = eq, loops.parts
        self.trees, self.loads = loops.parts.parts.trees, loops.parts.parts.loads
        self.run = ConstraintSchedule(loops, ())
        self.symbols = self.run.symbols
        memory = self.run.memory
        self.u_dot = memory.take(len(eq.u))
        self.balances = memory.take(len(eq.u))
        self.rates = {q: memory.take(1) for q in eq.q}
        self.run.more = {u: u.dot for u in eq.u if isinstance(u.dot, Symbol)}
        self.run.place |= {rate: self.u_dot + j for j, rate in enumerate(self.run.more.values())}

    def made(self) -> LinkBalances | None:
        owner = {s: k for k, tree in enumerate(self.trees) for s in tree.slots if s in self.rates}
        if len(owner) < len(self.eq.q):
            return None
        self._add_trees()
        self._add_loads()
        places = [self.balances + j for j in range(len(self.eq.u))]
        schedule = self.run.memory.steps.schedule(self.run.memory.size, [*places, *self.rates.values()])
        moving = [k for k, s in enumerate(self.symbols) if s.kind not in ("parameter", "time")]
        partials = sweep_partials(schedule, [*moving, *range(self.u_dot, self.u_dot + len(self.eq.u))])
        return LinkBalances(partials, tuple(self.symbols), self.u_dot, self.rates, places, self._order(owner))

    def _add_trees(self) -> None:
        made: dict[object, Fragment] = {}
        rates = self.eq.mechanism.rates
        for tree in self.trees:
            own = self.parts.trees[tree.kind]
            q = [s for s in tree.slots if s in rates]
            if tree.kind not in made:
                speeds: list[Expr] = [self.eq.u[j].dot for j in tree.speeds]
                balance = [[sum_of_products(own.M.row(i), speeds) - f] for i, f in enumerate(own.f.entries)]
                made[tree.kind] = fragment_of([*balance, *([rates[s]] for s in q)])
            outputs = [*(self.balances + j for j in tree.speeds), *(self.rates[s] for s in q)]
            self.run.add(made[tree.kind], own.slots, tree, outputs)

    def _add_loads(self) -> None:
        made: dict[object, Fragment] = {}
        for load in self.loads:
            own = self.parts.loads[load.kind]
            if load.kind not in made:
                made[load.kind] = fragment_of([[-e] for column in own.forces for e in column.entries])
            self.run.add(
                made[load.kind], own.slots, load, [self.balances + j for k in load.trees for j in self.trees[k].speeds]
            )

    def _order(self, owner: dict[Symbol, int]) -> list[tuple[str, int]]:
        near: list[set[int]] = [set() for _ in self.trees]
        for load in self.loads:
            together = {*load.trees, *(owner[s] for s in load.slots if s in owner)}
            for k in together:
                near[k] |= together - {k}
        out = [("speed", j) for j in range(len(self.eq.u))] + [("coordinate", k) for k in range(len(self.eq.q))]
        return out + [("balance", j) for k in least_degree_order(near) for j in self.trees[k].speeds]

"""The conditions that a state has to meet, as compiled functions of it, with the names of their constraints.

phi(q, t, p) = 0,   eᵀe - 1 = 0 for every set e of Euler parameters      positions
Jc u + b = 0                                                             speeds
h(q, u, z, r, t, p) = 0, where no rate z' stands in it                   additional equations
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from ...algebra.calculus.derivatives import jacobian
from ...algebra.graph.node_table import gc_paused
from ...algebra.graph.walk import free_symbols
from ...derivation.equations.equations import Equations
from ...derivation.equations.named_rows import NamedRow
from ...derivation.programs.constraint_sweeps import constraint_sweeps
from ...derivation.programs.forward_dynamics import is_made_fast
from ...emit.cache.program_cache import content_of, kept_program
from ...emit.run.callable import Array, Compiled, compile_program
from ...emit.run.dynamics import Dynamics
from .sparse_constraints import SparseConstraints


def values_of(f: Compiled, t: float, q: Array, u: Array, z: Array, r: Array, p: Array) -> Any:
    """A function of some of these groups, by the names of its inputs."""
    groups = {"t": t, "q": q, "u": u, "z": z, "r": r, "p": p}
    return f(*(groups[g.name] for g in f.program.inputs))


class Rows:
    """Values and slopes of the conditions of some equations. Every function takes t, q, u, z, r, p."""

    def __init__(self, equations: Equations) -> None:
        self.equations = equations
        self.positions = equations.rows.positions
        rates = {z.dot for z in equations.z}
        self.additional = tuple(
            row for row in equations.rows.additional if not rates.intersection(free_symbols(row.expression))
        )

    def _function(self, name: str, outputs: Callable[[], Mapping[str, Any]]) -> Compiled:
        """A compiled function of the equations' own arguments, whose outputs are made where its program is not on
        disk."""
        eq = self.equations
        made_of = "" if is_made_fast(eq) else eq.cached("content", (), lambda: content_of(eq))
        with gc_paused():
            return compile_program(
                kept_program(made_of and f"{made_of}|rows", name, lambda: Dynamics(eq).program(name, outputs())),
                is_quick=True,  # it is called a few times for each start
            )

    @cached_property
    def speeds(self) -> tuple[NamedRow, ...]:
        """Jc u + b, row by row."""
        return self.equations.rows.speeds

    # ------------------------------------------------------------------------------------------------ positions

    @cached_property
    def position_function(self) -> Compiled:
        entries = [row.expression for row in self.positions]
        return self._function("positions", lambda: {"phi": entries, "slopes": jacobian(entries, self.equations.q)})

    def position(self, *state: Any) -> tuple[Array, Array]:
        """phi and the norms of Euler parameters, and their derivatives with respect to q."""
        if not self.positions:
            return np.zeros(0), np.zeros((0, len(self.equations.q)))
        phi, slopes = values_of(self.position_function, *state)
        return phi, slopes.reshape(len(phi), -1)

    # ------------------------------------------------------------------------------------------------ both

    @cached_property
    def sparse(self) -> SparseConstraints | None:
        """The constraints in loops, with slopes that have few entries; None of other equations."""
        loops = constraint_sweeps(self.equations)
        return SparseConstraints(loops, self._function, values_of) if loops is not None and self.equations.lam else None

    @cached_property
    def _residual_function(self) -> Compiled:
        loops = constraint_sweeps(self.equations)
        assert loops is not None
        phi, psi = loops.residuals
        return self._function("residuals", lambda: {"phi": list(phi), "psi": list(psi)})

    def residuals(self, *state: Any) -> tuple[Array, Array]:
        """phi with the norms of Euler parameters, and Jc u + b."""
        if constraint_sweeps(self.equations) is not None:
            return tuple(np.atleast_1d(x) for x in values_of(self._residual_function, *state))  # type: ignore[return-value]
        phi, _ = self.position(*state)
        Jc, b = self.speed(*state)
        return phi, Jc @ state[2] + b

    # ------------------------------------------------------------------------------------------------ speeds

    @cached_property
    def speed_function(self) -> Compiled:
        return self._function("speeds", lambda: {"Jc": self.equations.Jc, "b": self.equations.b})

    def speed(self, *state: Any) -> tuple[Array, Array]:
        """Jc and b."""
        if not self.equations.lam:
            return np.zeros((0, len(self.equations.u))), np.zeros(0)
        Jc, b = values_of(self.speed_function, *state)
        return Jc.reshape(len(b), -1), b

    @cached_property
    def _rate_function(self) -> Compiled:
        return self._function("rates", lambda: {"N": self.equations.N, "n": self.equations.n})

    def rate(self, *state: Any) -> tuple[Array, Array]:
        """N and n of q' = N u + n."""
        N, n = values_of(self._rate_function, *state)
        return N.reshape(len(n), -1), n

    # --------------------------------------------------------------------------------------------- additional equations

    @cached_property
    def _additional_function(self) -> Compiled:
        entries = [row.expression for row in self.additional]
        return self._function("additional", lambda: {"h": entries, "slopes": jacobian(entries, self.equations.z)})

    def addition(self, *state: Any) -> tuple[Array, Array]:
        """Additional equations without rates, and their derivatives with respect to z."""
        if not self.additional:
            return np.zeros(0), np.zeros((0, len(self.equations.z)))
        h, slopes = values_of(self._additional_function, *state)
        return h, slopes.reshape(len(h), -1)


def rows_of(equations: Equations) -> Rows:
    """The conditions of these equations; each is compiled when it is first asked for, and kept as long as the equations
    are."""
    return equations.cached("rows", (), lambda: Rows(equations))

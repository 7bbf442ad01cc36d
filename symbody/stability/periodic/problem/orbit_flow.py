"""`OrbitFlow`: the equations as a flow x' = f(t, x, p) for orbits, with its invariants.

Cyclic coordinates (the distance along a road, the angle of a rolling wheel) may grow over a period: they are left out
of x and follow from it, so that the remaining states are periodic. Constraints, norms of Euler parameters and conserved
quantities are invariants g(t, x, p) of the flow; an orbit has to satisfy them once, and its multipliers are those of
directions along them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Final

import numpy as np

from ....algebra.calculus.derivatives import directional_derivative, jacobian
from ....algebra.calculus.evaluate import evaluate
from ....algebra.graph.cache_owner import CacheOwner
from ....algebra.graph.graph import ONE, ZERO, Expr, Symbol
from ....algebra.graph.matrix import Matrix
from ....algebra.graph.walk import free_symbols, substitute, substitute_all
from ....derivation.equations.energies import energy, external_power, generalized_momenta
from ....derivation.equations.equations import Equations
from ....derivation.equations.random_states import random_state
from ....derivation.programs.state_rates import state_rate_derivatives, state_rates
from ....emit.lowering.lower import program
from ....emit.run.callable import Array, Compiled, compile_program
from ....emit.run.loop_callee import program_callee
from ....errors import SymbodyError
from ....integrate.forms.compile_effort import Effort
from ...equilibria.conditions import cyclic_coordinates
from ...equilibria.symmetries import Symmetry, symmetries
from ...variation.parameter_samples import vanishing
from .symmetry_action import SymmetryAction

ENERGY = "energy"
SAMPLES: Final = 3  # number of random states at which a momentum is tested for being constant
ZERO_RATE: Final = 1e-9  # rate, relative to the quantity, below which it counts as zero


class OrbitFlow(CacheOwner):
    """The flow of some equations.

    x          the state of an orbit: (q, u, z) without the coordinates that drift
    drifting   coordinates on which no rate and no constraint depends
    varied     a parameter or input whose derivatives are there, or None
    conserved  quantities that stay constant beside constraints, by name
    used       expressions of events, whose coordinates count as well; None: it is not known what these use, and no
               coordinate is left out
    is_driven  whether events, or other modes, depend on time
    others     equations of other modes on the way, with what ends them: nothing there depends on coordinates that drift
    resets     new states of events, by symbol
    """

    def __init__(
        self,
        equations: Equations,
        conserved: dict[str, Expr],
        varied: Symbol | None = None,
        used: Sequence[Expr] | None = (),
        is_driven: bool = False,
        others: Sequence[tuple[Equations, Sequence[Expr]]] = (),
        resets: Sequence[Mapping[Symbol, Expr]] = (),
    ) -> None:
        self.used, self.others, self.resets = used, others, resets
        self.equations, self.conserved, self.varied, self._is_driven = equations, conserved, varied, is_driven
        rates = dict(zip(equations.state, self._still(state_rates(equations)).entries, strict=True))
        self.all_rates = rates
        changed = [e for reset in resets for pair in reset.items() for e in pair]
        self.drifting = () if used is None else self._drifting_everywhere([*used, *changed], others)
        self.x = tuple(s for s in equations.state if s not in self.drifting)
        self.rates = Matrix(len(self.x), 1, tuple(rates[s] for s in self.x))

    def _drifting_everywhere(
        self, used: Sequence[Expr], others: Sequence[tuple[Equations, Sequence[Expr]]]
    ) -> tuple[Symbol, ...]:
        """Coordinates on which nothing depends in any mode."""
        found, before = tuple(self.equations.q), None
        while found != before:
            before = found
            found = _drifting(self.equations, self.all_rates, [*self.rows, *used], found)
            for eq, ends in others:
                rows = [row.expression for row in (*eq.rows.positions, *eq.rows.speeds)]
                still = substitute_all([*state_rates(eq).entries, *rows], cyclic_at_rest(eq))
                rates, rows = dict(zip(eq.state, still, strict=False)), still[len(eq.state) :]
                found = _drifting(eq, rates, [*rows, *ends], found)
        return found

    def _still(self, m: Matrix) -> Matrix:
        """Without coordinates on which nothing depends, though they may be written: any numbers in their places do."""
        held: Matrix = substitute(m, cyclic_at_rest(self.equations))
        return held

    @property
    def n(self) -> int:
        return len(self.x)

    @cached_property
    def is_driven(self) -> bool:
        """Whether the rates depend on time, or events on the way."""
        return self._is_driven or self.equations.t in free_symbols(self.rates)

    @property
    def constraints(self) -> list[Expr]:
        """Rows that are zero: constraints on positions and speeds, norms of Euler parameters."""
        eq = self.equations
        rows = [row.expression for row in (*eq.rows.positions, *eq.rows.speeds)]
        return list(self._still(Matrix(len(rows), 1, tuple(rows))).entries) if rows else []

    @cached_property
    def _groups(self) -> dict[str, Any]:
        return {"t": self.equations.t, "x": list(self.x), "p": list(self.equations.variables.constants)}

    @cached_property
    def effort(self) -> Effort:
        """How much work goes into machine code of its derivatives and of the loops that call them."""
        return Effort()

    @cached_property
    def _derivatives(self) -> Compiled:
        eq = self.equations
        wrt = (*self.x, eq.t, *(() if self.varied is None else (self.varied,)))
        kept = [eq.state.index(s) for s in self.x]
        D = self._still(state_rate_derivatives(eq, wrt))
        rows = [D.row(i) for i in kept]
        fp = [row[self.n + 1] if self.varied is not None else ZERO for row in rows]
        outputs = {
            "f": self.rates,
            "J": [e for row in rows for e in row[: self.n]],
            "ft": [row[self.n] for row in rows],
            "fp": fp,
        }
        made = compile_program(program("orbit_rates", self._groups, outputs), is_quick=not self.effort.is_full)
        return self.effort.with_code(made)

    def callee(self, p: Array) -> Any:
        """(t, x) -> f, ∂f/∂x, ∂f/∂t, ∂f/∂varied; the numbers in p may change."""
        return program_callee(self._derivatives, {"p": p})

    def along(self, t: Array, x: Array, p: Array) -> tuple[Array, Array]:
        """f and ∂f/∂x at many states."""
        f, J, _, _ = self._derivatives.batch(t, x, np.tile(p, (len(x), 1)))
        return np.asarray(f).reshape(len(x), self.n), np.asarray(J).reshape(len(x), self.n, self.n)

    # --------------------------------------------------------------------------------------- rows that keep their value

    @cached_property
    def rows(self) -> tuple[Expr, ...]:
        kept = tuple(self.conserved.values())
        return (*self.constraints, *(self._still(Matrix(len(kept), 1, kept)).entries if kept else ()))

    @cached_property
    def _row_program(self) -> Compiled:
        G = jacobian(list(self.rows), self.x)
        by = jacobian(list(self.rows), [self.varied]) if self.varied is not None else None
        gp = list(by.entries) if by is not None else [ZERO] * len(self.rows)
        return compile_program(
            program("orbit_rows", self._groups, {"g": list(self.rows), "G": G, "gp": gp}), is_quick=True
        )

    def rows_at(self, t: float, x: Array, p: Array) -> tuple[Array, Array, Array]:
        """g, ∂g/∂x, ∂g/∂varied."""
        g, G, gp = self._row_program(t, x, p)
        return np.atleast_1d(g), np.reshape(G, (len(self.rows), self.n)), np.atleast_1d(gp)

    def gradients(self, t: Array, x: Array, p: Array) -> Array:
        """∂g/∂x at many states."""
        _, G, _ = self._row_program.batch(t, x, np.tile(p, (len(x), 1)))
        return np.asarray(G).reshape(len(x), len(self.rows), self.n)

    # ------------------------------------------------------------------------------------------------ symmetries

    @cached_property
    def named_symmetries(self) -> dict[str, tuple[Expr, ...]]:
        """Directions along families of motions that look alike (turned about the vertical), in the states, by name: each
        gives a trivial multiplier."""
        if self.used is None or (self.others and self.resets):
            return {}
        every = {s.name: s for s in symmetries_of(self.equations) if self._is_kept(s)}
        fields = {name: tuple({**s.q, **s.u}.get(x, ZERO) for x in self.x) for name, s in every.items()}
        return {name: f for name, f in fields.items() if any(e is not ZERO for e in f)}

    def _is_kept(self, s: Symmetry) -> bool:
        """Whether a symmetry preserves events and other modes: the quantities on which they depend are unchanged,
        and new states move with it."""
        eq, along = self.equations, {**s.q, **s.u}
        if any(s.name not in {other.name for other in symmetries_of(mode)} for mode, _ in self.others):
            return False
        off = [directional_derivative(e, along) for e in (*(self.used or ()), *(e for _, u in self.others for e in u))]
        for reset in self.resets:
            new = {x: reset.get(x, x) for x in eq.state}
            moved = substitute_all([along.get(x, ZERO) for x in eq.state], new)
            off += [directional_derivative(e, along) - m for e, m in zip(new.values(), moved, strict=True)]
        if not off:
            return True
        return bool(np.abs([evaluate(off, at) for at in _random_states(eq)]).max() <= ZERO_RATE)

    @property
    def symmetries(self) -> tuple[tuple[Expr, ...], ...]:
        return tuple(self.named_symmetries.values())

    @cached_property
    def action(self) -> SymmetryAction:
        """States moved along these."""
        entries = [e for field in self.symmetries for e in field]
        still = self._still(Matrix(len(entries), 1, tuple(entries))).entries
        rows = [still[self.n * k : self.n * (k + 1)] for k in range(len(self.symmetries))]
        return SymmetryAction(rows, self.x, self._groups)

    @cached_property
    def _symmetry_program(self) -> Compiled:
        entries = [e for field in self.symmetries for e in field]
        made = self._still(Matrix(len(entries), 1, tuple(entries)))
        return compile_program(program("orbit_symmetries", self._groups, {"Y": made}), is_quick=True)

    def along_symmetries(self, t: Array, x: Array, p: Array) -> Array:
        """These directions at many states: state, symmetry, variable."""
        if not self.symmetries:
            return np.zeros((len(x), 0, self.n))
        found = self._symmetry_program.batch(t, x, np.tile(p, (len(x), 1)))
        return np.asarray(found).reshape(len(x), len(self.symmetries), self.n)

    # ------------------------------------------------------------------------------------------- coordinates that drift

    @cached_property
    def _drift_program(self) -> Compiled:
        groups = {**self._groups, "d": list(self.drifting)}
        return compile_program(
            program("orbit_drift", groups, {"f": [self.all_rates[s] for s in self.drifting]}), is_quick=True
        )

    def drift_rates(self, t: Array, x: Array, p: Array, d: Array) -> Array:
        """Rates of the coordinates that drift, at many states."""
        found = self._drift_program.batch(t, x, np.tile(p, (len(x), 1)), d)
        return np.asarray(found).reshape(len(x), len(self.drifting))


def _drifting(
    eq: Equations, rates: dict[Symbol, Expr], rows: Sequence[Expr], among: Sequence[Symbol]
) -> tuple[Symbol, ...]:
    """The largest set of some coordinates on which nothing outside of it depends."""
    known = [q for q in among if q in eq.q]
    found = [q for q in known if q not in free_symbols(*rows)] if rows else known
    while True:
        outside = [e for s, e in rates.items() if s not in found]
        used = free_symbols(*outside) if outside else []
        kept = [q for q in found if q not in used]
        if len(kept) == len(found):
            return tuple(kept)
        found = kept


def symmetries_of(eq: Equations) -> tuple[Symmetry, ...]:
    """The symmetries of a mechanism; for equations written by the user none are known."""

    def found() -> tuple[Symmetry, ...]:
        try:
            return symmetries(eq, tuple(cyclic_at_rest(eq)), eq.variables.defaults) if eq.q else ()
        except SymbodyError:
            return ()

    return eq.cached("orbit symmetries", (), found)


def cyclic_at_rest(eq: Equations) -> dict[Symbol, float]:
    """Numbers for coordinates on which no entry of the equations depends."""
    near = eq.variables.defaults
    found = eq.cached("cyclic coordinates", tuple(near), lambda: cyclic_coordinates(eq, near)) if eq.q else ()
    return {q: near.get(q, 0.0) for q in found}


def conserved_quantities(eq: Equations) -> dict[str, Expr]:
    """The energy, where loads and constraints leave it constant for certain, and momenta of coordinates on which
    nothing depends."""
    try:
        total, fed = energy(eq), external_power(eq)
    except SymbodyError:  # motion that was written down has no energy that we know
        return {}
    moves = not set(eq.variables.of("u").symbols).isdisjoint(free_symbols(total))
    found = {ENERGY: total} if moves and fed is ZERO and eq.t not in free_symbols(total) else {}
    return found | _conserved_momenta(eq) | _momenta_along_symmetries(eq)


def _random_states(eq: Equations) -> list[Mapping[Symbol, float]]:
    """Some on the constraints, with the mechanism's numbers."""
    known = {s: v for s, v in eq.variables.defaults.items() if v is not None and s not in eq.u}
    return [random_state(eq, k, known) for k in range(SAMPLES)]


def _momenta_along_symmetries(eq: Equations) -> dict[str, Expr]:
    """Σ ∂T/∂u_j w_j, with the speeds w of a motion along a symmetry, where it stays constant (Noether): the angular
    momentum about the vertical."""
    found = symmetries_of(eq)
    if not found:
        return {}
    momenta, states = generalized_momenta(eq).entries, _random_states(eq)
    flow: dict[Symbol, Expr] = {**dict(zip(eq.state, state_rates(eq).entries, strict=True)), eq.t: ONE}
    out: dict[str, Expr] = {}
    for s in found:
        own = sum((p * s.speeds[u] for u, p in zip(eq.u, momenta, strict=True) if u in s.speeds), start=ZERO)
        rate = directional_derivative(own, flow)
        values = np.array([evaluate([own, rate], at) for at in states], dtype=float)
        if np.abs(values[:, 0]).max() > 0 and (np.abs(values[:, 1]) <= ZERO_RATE * np.abs(values[:, 0]).max()).all():
            out[f"momentum of {s.name}"] = own
    return out


def _conserved_momenta(eq: Equations) -> dict[str, Expr]:
    """∂T/∂q' of a coordinate that drifts, where its rate along every motion is zero."""
    speeds: dict[Expr, int] = {u: j for j, u in enumerate(eq.u)}
    rates = dict(zip(eq.state, substitute(state_rates(eq), cyclic_at_rest(eq)).entries, strict=True))
    drifting = [q for q in _drifting(eq, rates, [], eq.q) if rates[q] in speeds] if not eq.lam else []
    if not drifting:
        return {}
    momenta = generalized_momenta(eq).entries
    own = {f"momentum of {q.name}": momenta[speeds[rates[q]]] for q in drifting}
    changes = [directional_derivative(e, {**rates, eq.t: ONE}) for e in own.values()]
    still = vanishing(changes, eq.variables.defaults)
    return {name: e for (name, e), is_still in zip(own.items(), still, strict=True) if is_still}

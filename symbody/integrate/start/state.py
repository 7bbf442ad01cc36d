"""`State`: numbers for everything that a motion starts from, and how well they keep the constraints."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import Any, Final, Protocol

import numpy as np

from ...algebra.calculus.evaluate import evaluate
from ...algebra.graph.graph import ONE, ZERO, Expr, Symbol
from ...algebra.graph.portable import Portable
from ...derivation.equations.constraint_rank import full_rank_at, full_row_space
from ...derivation.equations.equation_arguments import of_equations
from ...derivation.equations.equations import Equations
from ...derivation.equations.keywords import by_name
from ...derivation.equations.undetermined_forces import map_entries, undetermined_value
from ...derivation.equations.variable import ARGUMENTS
from ...derivation.equations.variables import Variables, name_of
from ...derivation.rank.row_space import RowSpace, typical_sizes
from ...display import Displayed, DisplayPart, LabelledRows, ShownTable, Title
from ...emit.run.callable import Array
from ...errors import AssemblyError, EvaluationError, listed, shown
from ...summary import Introduced
from ..inputs.meanings import Quantity, plain, quantity_expressions
from .branch_rank import RunRank, equations_of_branch, rank_of_branch
from .constraint_rows import rows_of
from .sparse_constraints import sparse_row_space

GROUPS: Final = ("q", "u", "z", "r", "p")
MAX_START_VIOLATION: Final = 1e-6  # a start that misses the constraints by more is refused


@dataclass(frozen=True, repr=False)
class Violation(Introduced):
    """Residuals of the constraints at a state.

    position         largest of |phi| and of |eᵀe - 1| for Euler parameters; `position_row` names it
    speed            largest of |Jc u + b|; `speed_row` names it

    >>> m = sb.Model("bead")
    >>> x, y = m.coordinates("x y")
    >>> bead = m.particle("bead", m.ground.point(x, y, 0), mass=1.0)
    >>> ring = m.constrain("ring", x**2 + y**2 - 1)
    >>> eq = sb.derive(m)
    >>> found = sb.integrate.violation(eq, sb.assemble(eq, x=0.6, start={"y": 1.0}))
    >>> found.position < 1e-14, found.speed_row
    (True, 'ring')

    See also: `integrate.violation`, `assemble`.
    """

    position: float
    speed: float
    position_row: str | None = None
    speed_row: str | None = None

    def __repr__(self) -> str:
        found = ((self.position, "position", self.position_row), (self.speed, "speed", self.speed_row))
        parts = (f"{size:z.2g} in {level}{f' ({row})' if row else ''}" for size, level, row in found)
        return f"<Violation: {', '.join(parts)}>"

    @property
    def is_small(self) -> bool:
        """Whether the residuals are small enough to start a simulation: at most 1e-6.

        >>> x, v = sb.symbols("x v")
        >>> sb.assemble(sb.from_equations({x: v, v: -x}), x=1.0).violation.is_small
        True

        See also: `assemble`.
        """
        return max(self.position, self.speed) <= MAX_START_VIOLATION


@dataclass(frozen=True, eq=False, repr=False)
class State(Displayed, Portable):
    """Time, coordinates, speeds, additional variables, inputs and parameters of equations, as numbers; `assemble` finds
    one.

    state["q1"] is an entry by name (q1, q1_dot, ...), an output, an acceleration (q1_ddot) or a multiplier;
    state.values has all entries, state.outputs all outputs. The arrays are in the order of the equations and cannot be
    written to. `outcome` is a sentence that states how the state was found.

    t         time, in s
    q, u, z   coordinates, speeds, additional variables
    r, p      inputs and parameters

    >>> x, v, k = sb.symbols("x v k")
    >>> eq = sb.from_equations({x: v, v: -k * x}, {k: 4.0})
    >>> state = sb.assemble(eq, x=1.0)
    >>> state["x"], state["k"], state.outcome
    (1.0, 4.0, 'no constraint on positions')

    See also: `assemble`, `simulate`, `integrate.violation`.
    """

    equations: Equations
    t: float
    q: Array
    u: Array
    z: Array
    r: Array
    p: Array
    outcome: str = "as given"

    def __post_init__(self) -> None:
        for group in GROUPS:
            given = np.array(getattr(self, group), dtype=np.float64).reshape(-1)
            symbols = getattr(self.equations, group)
            if len(given) != len(symbols):
                raise AssemblyError(
                    f"state of {self.equations.name!r}: {group} has {len(symbols)} entries "
                    f"({listed(s.name for s in symbols)}), got {len(given)}"
                )
            given.setflags(write=False)
            object.__setattr__(self, group, given)
        if wrong := [n for n, x in self.values.items() if not isfinite(x)]:
            raise AssemblyError(
                f"state of {self.equations.name!r}: {listed(f'{n} = {self.values[n]}' for n in wrong)}; a "
                "state is of finite numbers"
            )

    @classmethod
    def of(cls, equations: Equations, values: Mapping[Any, float] | None = None, outcome: str = "as given") -> State:
        """A state from values by name. Defaults are zero, the value in the model for parameters, and one for the first
        Euler parameter.

        >>> m = sb.Model("bead")
        >>> x, y = m.coordinates("x y")
        >>> bead = m.particle("bead", m.ground.point(x, y, 0), mass=1.0)
        >>> ring = m.constrain("ring", x**2 + y**2 - 1)
        >>> m.output("height", y)
        >>> eq = sb.derive(m)
        >>> state = sb.State.of(eq, {"x": 0.6, "y": 0.8})
        >>> state.values["x"], dict(state.outputs), state.quantity(x**2), state.violation.is_small
        (0.6, {'height': 0.8}, 0.36, True)
        >>> state.arguments[1], state.degrees_of_freedom, state.redundant, state.row_space.rank, state.branch_rank.rank
        (array([0.6, 0.8]), 1, {}, 1, 1)

        See also: `assemble`, `Trajectory.state`.
        """
        where = f"state of {equations.name!r}"
        known = default_values(equations) | named_values(equations, values or {}, where)
        require_parameters(equations, known)
        groups = {g: np.array([known[s.name] for s in getattr(equations, g)]) for g in GROUPS}
        return cls(equations, t=known[equations.t.name], outcome=outcome, **groups)

    @cached_property
    def values(self) -> Mapping[str, float]:
        """All values by name."""
        numbers = (x for g in GROUPS for x in getattr(self, g).tolist())
        return dict(zip(self._table.names, (float(self.t), *numbers), strict=True))

    @property
    def _table(self) -> Variables:
        return self.equations.variables.of(ARGUMENTS)

    def __getitem__(self, name: Quantity) -> Any:
        """The number of a name or of an expression, as of a trajectory: `state["q1"]`, `state[energy(eq)]`."""
        if not isinstance(name, (str, Symbol)):
            return self.quantity(name)
        if (key := name_of(name)) in self.values and key not in self.equations.outputs:
            return self.values[key]
        return self.quantity(key)

    def quantity(self, what: Quantity) -> Any:
        """The number of a name (outputs, accelerations, multipliers too) or of an expression; of a vector, a point or a
        matrix an array."""
        eq = self.equations
        try:
            return self._quantity(eq, what)
        except EvaluationError:
            if not eq.lam or (own := equations_of_branch(eq, self.branch_rank)) is eq:
                raise
            return self._quantity(own, what)

    def _quantity(self, eq: Equations, what: Quantity) -> Any:
        asked = plain(what)
        is_one = isinstance(asked, Hashable)
        if not is_one:
            raise AssemblyError(
                f"state of {eq.name!r}: takes a name, an expression, a vector, a point or a matrix, got {shown(what)}"
            )
        (found,) = eq.cached(
            "meaning of", asked, lambda: quantity_expressions(eq, (asked,), f"state of {eq.name!r}", AssemblyError)
        )
        values, nothing = dict(zip(self._table.symbols, self.values.values(), strict=True)), undetermined_value(eq)
        if isinstance(found, Expr):
            return np.nan if found is nothing else float(evaluate(found, values))
        numbers = evaluate(map_entries(found, lambda e: ZERO if e is nothing else e), values)
        is_known = evaluate(map_entries(found, lambda e: ZERO if e is nothing else ONE))
        return np.where(is_known, np.array(numbers, dtype=np.float64), np.nan)

    @cached_property
    def outputs(self) -> Mapping[str, Any]:
        """Outputs by name."""
        return {name: self.quantity(name) for name in self.equations.outputs}

    @property
    def arguments(self) -> tuple[float, Array, Array, Array, Array, Array]:
        """t, q, u, z, r, p: the arguments of compiled functions."""
        return self.t, self.q, self.u, self.z, self.r, self.p

    # ------------------------------------------------------------------------------------------------ constraints

    @cached_property
    def violation(self) -> Violation:
        """The violation of the constraints on positions and speeds."""
        return violation(self.equations, self)

    @cached_property
    def _dependences(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        names = [row.name for row in rows_of(self.equations).speeds]
        return tuple((names[d.row], tuple(names[k] for k in d.others)) for d in self.row_space.dependent)

    @cached_property
    def row_space(self) -> RowSpace:
        """Rank of Jc in this configuration, and the combinations of its rows that vanish."""
        eq, loops = self.equations, rows_of(self.equations).sparse
        if loops is not None:
            full = self._full_row_space
            return sparse_row_space(loops.speed(*self.arguments)[0]) if full is None else full
        Jc, _ = rows_of(eq).speed(*self.arguments)
        return RowSpace.of(Jc, typical_sizes(eq, eq.Jc.entries, Jc, self._numbers_by_symbol))

    @cached_property
    def _full_row_space(self) -> RowSpace | None:
        """Of constraints with few entries that are clearly independent; None of others."""
        loops = rows_of(self.equations).sparse
        if loops is not None and loops.has_long_rows:
            return full_row_space(loops.numbers_by_row(*self.arguments))
        found = full_rank_at(self.equations, self._numbers_by_symbol)
        return None if found is None else found.space

    @property
    def _numbers_by_symbol(self) -> dict[Symbol, float]:
        """The values of all symbols."""
        return dict(zip(self._table.symbols, self.values.values(), strict=True))

    @cached_property
    def branch_rank(self) -> RunRank:
        """Rank of the constraints on the branch of configurations to which this one belongs; that of `row_space` except in singular
        configurations."""
        return rank_of_branch(self, self._full_row_space)

    @property
    def redundant(self) -> dict[str, tuple[str, ...]]:
        """Constraints on speeds that follow from others in this configuration, and those others."""
        return dict(self._dependences)

    @property
    def degrees_of_freedom(self) -> int:
        """Number of speeds minus the rank of Jc in this configuration."""
        return len(self.u) - len(self.equations.lam) + len(self._dependences)

    def _display(self) -> Iterable[DisplayPart]:
        """Values with their units, in the units in which they are shown."""
        eq, v, n = self.equations, self.violation, self.degrees_of_freedom
        rows = [
            (x.name, f"{self.values[x.name] / x.factor:z.6g}", x.shown_in) for x in eq.variables.of("q u z r p").rows
        ]
        off = f"{v.position:z.1e} in position, {v.speed:z.1e} in speed"
        facts = (("degrees of freedom", str(n)), ("off the constraints by", off))
        return (
            Title(f"State of {eq.name} at t = {self.t:g}: {self.outcome}"),
            ShownTable(("", "value", "unit"), rows),
            LabelledRows(facts),
        )

    def __repr__(self) -> str:
        eq, v, n = self.equations, self.violation, self.degrees_of_freedom
        lines = [f"<State of {eq.name} at t = {self.t:g}: {self.outcome}"]
        for label, symbols, numbers in (("q", eq.q, self.q), ("u", eq.u, self.u), ("z", eq.z, self.z)):
            if len(symbols):
                parts = (f"{s.name} = {x:z.6g}" for s, x in zip(symbols, numbers, strict=True))
                lines.append(f"  {label}: {listed(parts)}")
        lines.append(
            f"  {n} degree{'s' * (n != 1)} of freedom; off the constraints by {v.position:z.1e} in position, "
            f"{v.speed:z.1e} in speed>"
        )
        return "\n".join(lines)


@of_equations
def violation(equations: Equations, state: State) -> Violation:
    """Residuals of the constraints at the levels of positions and speeds, and the constraints with the largest.

    >>> m = sb.Model("bead")
    >>> x, y = m.coordinates("x y")
    >>> bead = m.particle("bead", m.ground.point(x, y, 0), mass=1.0)
    >>> ring = m.constrain("ring", x**2 + y**2 - 1)
    >>> eq = sb.derive(m)
    >>> sb.integrate.violation(eq, sb.assemble(eq, x=0.6, start={"y": 1.0})).position < 1e-14
    True

    See also: `assemble`, `integrate.Violation`, `Trajectory`.
    """
    rows = rows_of(equations)
    if not rows.positions and not equations.lam:
        return Violation(0.0, 0.0)
    phi, psi = rows.residuals(*state.arguments)
    k, i = (int(np.argmax(np.abs(x))) if len(x) else None for x in (phi, psi))
    return Violation(
        0.0 if k is None else float(abs(phi[k])),
        0.0 if i is None else float(abs(psi[i])),
        None if k is None else rows.positions[k].name,
        None if i is None else equations.rows.speed_names[i],
    )


# ---------------------------------------------------------------------------------------------------------- by name


class HasState(Protocol):
    """A result that a motion can start from: a steady motion, the end of a trajectory."""

    @property
    def state(self) -> State: ...


Start = State | HasState | Mapping[Any, Any]
Amount = float | str | tuple[float, str] | Sequence[float]  # a number, one with its unit, or the numbers of an output


def is_whole_state(start: Any) -> bool:
    return start is not None and not isinstance(start, Mapping)


def start_values(start: Start | None, where: str) -> dict[str, float]:
    """Numbers by name: of a mapping as it is, of a state or a result everything that it has."""
    if start is None:
        return {}
    if isinstance(start, Mapping):
        return by_name(start, where, AssemblyError)
    state = start if isinstance(start, State) else getattr(start, "state", None)
    if not isinstance(state, State):
        raise AssemblyError(
            f"{where}: start must be a State, a steady motion, a trajectory (its end), or a mapping from names to "
            f"numbers; got {shown(start)}"
        )
    return dict(state.values)


def default_values(equations: Equations) -> dict[str, float]:
    """Zero, the identity for Euler parameters, and what the model says of parameters."""
    return {s.name: x for s, x in equations.variables.defaults.items()}


def require_parameters(equations: Equations, known: Mapping[str, float]) -> None:
    table = equations.variables.of("p")
    given = {s: known[s.name] for s in table.symbols if s.name in known}
    table.require(given, f"state of {equations.name!r}", AssemblyError, "give them by name")


def named_values(equations: Equations, given: Mapping[Any, Any], where: str, rates: bool = False) -> dict[str, float]:
    """Numbers by identifier, from names or symbols; refuses names that do not exist and what is not one finite number.

    rates   allow rates of coordinates that are not speeds
    """
    if not isinstance(given, Mapping):
        raise AssemblyError(f"{where}: values must be a mapping from names or symbols to numbers, got {shown(given)}")
    table = equations.variables.of("q u z r p t q'" if rates else "q u z r p t")
    if seen := [n for n in map(name_of, given) if n not in table and n in equations.outputs]:
        raise AssemblyError(
            f"{where}: {seen[0]} is an output, which follows from the state; start=assemble(equations, {seen[0]}=...) finds a state in which it has "
            "a given value"
        )
    return {s.name: x for s, x in table.numbers(given, where, AssemblyError).items()}

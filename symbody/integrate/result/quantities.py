"""Names and expressions along a motion. Stored columns are returned as they are; programs for all else are made once
for each set of equations."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np

from ...algebra.graph.graph import Expr, Symbol
from ...algebra.graph.matrix import Matrix
from ...derivation.equations.energies import energy, kinetic_energy, potential_energy
from ...derivation.equations.equations import Equations
from ...derivation.equations.own_terms import in_own_terms
from ...emit.lowering.lower import program
from ...emit.run.callable import Array, Compiled, compile_program
from ...errors import SimulationError, listed, shown
from ..forms.sensitivities import sensitivity_of
from ..forms.variation_orders import column_indices, order_of
from ..inputs.meanings import Quantity, plain, quantity_expressions
from .own_rates import from_own_rates, own_rate, with_speeds_on
from .segment import Segment

GROUPS: Final = ("t", "q", "u", "z", "r", "p")
CONSTANT: Final = ("r", "p")


def values(segment: Segment, wanted: Sequence[Quantity], is_drawn: bool = False) -> list[Array]:
    """At each time of a segment; several at once share the work between them.

    is_drawn   whether those that can be are taken from their own rates between steps (`own_rates.py`); energies always are
    """
    eq, wanted = segment.equations, [plain(w) for w in wanted]
    places = stored_places(eq)
    rest = tuple(w for w in wanted if _checked_name(eq, w) not in places)
    found = iter(evaluated_quantities(segment, "values", rest, lambda: meaning(eq, rest)) if rest else ())
    out = [_stored_values(segment, *places[w]) if w in places else next(found) for w in wanted]
    if segment.steps is None:
        return out
    return [_between_steps(segment, w, x, is_drawn) if w not in places else x for w, x in zip(wanted, out, strict=True)]


def _between_steps(segment: Segment, what: Any, evaluated: Array, is_drawn: bool) -> Array:
    """A quantity at states between steps: evaluated there, or from its own rates."""
    eq = segment.equations
    (g,) = eq.cached("meaning of one", what, lambda: meaning(eq, (what,)))
    if not (is_drawn or g in _energies(eq)) or own_rate(eq, g) is None:
        return evaluated
    return quantity_from_own_rates(segment, g)


def _energies(eq: Equations) -> tuple[Expr, ...]:
    if not eq.u:
        return ()
    made = [energy, kinetic_energy, potential_energy]
    return eq.cached("energies", (), lambda: tuple(in_own_terms(eq, [e(eq) for e in made], solved=True)))


def quantity_from_own_rates(segment: Segment, g: Expr) -> Array:
    """An expression in the state, between steps."""

    def value(s: Segment) -> Array:
        return evaluated_quantities(s, "values", (g,), lambda: [g])[0]

    def rate(s: Segment) -> Array:
        return evaluated_quantities(s, "own rates", g, lambda: [own_rate(s.equations, g)])[0]

    return from_own_rates(segment, value, rate, _on_constraints)


def _on_constraints(s: Segment) -> Segment:
    eq = s.equations
    if not eq.lam:
        return s

    def rows() -> list[Any]:
        return [eq.Jc, eq.Jc @ Matrix(len(eq.u), 1, eq.u) + eq.b]

    Jc, missed = evaluated_quantities(s, "speeds of constraints", (), rows)
    return with_speeds_on(Jc, missed.reshape(len(s), -1), s)


class StatesInRows(Protocol):
    """Times and states in rows, with parameters and inputs: those of a segment, or those of many motions, in rows
    too."""

    @property
    def equations(self) -> Equations: ...


@dataclass(frozen=True, eq=False)
class StateRows:
    """States with the inputs and parameters of each, a row for each."""

    equations: Equations
    t: Array
    q: Array
    u: Array
    z: Array
    r: Array
    p: Array


def evaluated_quantities(
    segment: StatesInRows,
    kind: str,
    key: Hashable,
    make: Callable[[], list[Any]],
    more: Mapping[str, tuple[Any, Array]] | None = None,
) -> list[Array]:
    """Expressions that `make` gives, evaluated by a program that the equations keep under a kind and a key.

    more   further groups of inputs: their symbols and their numbers
    """
    eq, more = segment.equations, more or {}
    given = {k: getattr(segment, k) for k in GROUPS} | {k: numbers for k, (_, numbers) in more.items()}
    symbols = {k: getattr(eq, k) for k in GROUPS} | {k: s for k, (s, _) in more.items()}
    f = eq.cached(f"program of {kind}", key, lambda: _program(symbols, make()))
    out = f.batch(*(given[g.name] for g in f.program.inputs))
    return [out] if len(f.program.outputs) == 1 else list(out)


def derived_quantity(segment: StatesInRows, name: str, make: Callable[[Equations], Expr]) -> Array:
    """A quantity that follows from the equations, such as their energy."""
    eq = segment.equations
    if isinstance(segment, Segment) and segment.steps is not None:
        (g,) = eq.cached("derived quantity", name, lambda: in_own_terms(eq, [make(eq)], solved=True))
        if own_rate(eq, g) is not None:
            return quantity_from_own_rates(segment, g)
    return evaluated_quantities(segment, name, (), lambda: in_own_terms(eq, [make(eq)], solved=True))[0]


def sensitivity(segment: Segment, what: Quantity, wrt: tuple[str, ...]) -> Array:
    """The derivative of a quantity with respect to values at the start or parameters, along the motion."""
    eq, asked = segment.equations, plain(what)
    if segment.variations is None or (missing := [name for name in wrt if name not in segment.wrt]):
        missing = list(wrt) if segment.variations is None else missing
        advice = "" if segment.wrt else f"; simulate(..., sensitivities={missing!r}) computes it"
        raise SimulationError(
            f"trajectory of {eq.name!r}: there is no sensitivity to {', '.join(map(repr, missing))}; there are those to "
            f"{listed(segment.wrt)}{advice}"
        )
    highest = order_of(segment.variations.shape[2], len(segment.wrt))
    if not 0 < len(wrt) <= highest:
        raise SimulationError(
            f"trajectory of {eq.name!r}: it has derivatives of orders 1 to {highest}, and {len(wrt)} names were given; "
            f"simulate(..., sensitivity_order={max(1, len(wrt))}) computes more"
        )
    meant = eq.cached("meaning", asked, lambda: meaning(eq, (asked,))[0])
    slope, moved = eq.cached("sensitivity", (asked, wrt), lambda: sensitivity_of(eq, meant, wrt))
    places = {i: k for k, i in enumerate(column_indices(len(segment.wrt), highest))}
    columns = [segment.variations[:, :, places[tuple(sorted(map(segment.wrt.index, names)))]] for names in moved]
    given = {"s": ([s for own in moved.values() for s in own], np.concatenate(columns, axis=1))}
    return evaluated_quantities(segment, "sensitivities", (asked, wrt), lambda: [slope], given)[0]


# ------------------------------------------------------------------------------------------------------- what is stored


def stored_places(eq: Equations) -> dict[Quantity, tuple[str, int]]:
    """Group and place of what is stored, kept by the equations."""
    return eq.cached("stored", (), lambda: _places(eq))


def _places(eq: Equations) -> dict[Quantity, tuple[str, int]]:
    """Group and place of what is stored, by symbol and by name; names of outputs mean the outputs."""
    out: dict[Quantity, tuple[str, int]] = {}
    for group in GROUPS:
        symbols = (eq.t,) if group == "t" else getattr(eq, group)
        for k, s in enumerate(symbols):
            if s not in eq.dependent:
                out[s] = (group, k)
                if s.name not in eq.outputs:
                    out[s.name] = (group, k)
    return out


def _stored_values(segment: Segment, group: str, k: int) -> Array:
    if group == "t":
        return segment.t
    if group in CONSTANT:
        return np.broadcast_to(getattr(segment, group)[k], (len(segment),))
    column: Array = getattr(segment, group)[:, k]
    return column


# ----------------------------------------------------------------------------------------------------- what is computed


def _checked_name(eq: Equations, what: Any) -> Any:
    if not isinstance(what, Hashable):
        raise SimulationError(
            f"trajectory of {eq.name!r}: takes a name, an expression, a vector, a point or a matrix, got "
            f"{shown(what)}; sim.values([...]) takes several"
        )
    return what


def meaning(eq: Equations, wanted: Sequence[Quantity]) -> list[Any]:
    """Expressions in the state for what is wanted."""
    return quantity_expressions(eq, wanted, f"trajectory of {eq.name!r}", SimulationError)


def _program(symbols: Mapping[str, Any], things: list[Any]) -> Compiled:
    groups = {k: s if isinstance(s, Symbol) else list(s) for k, s in symbols.items() if isinstance(s, Symbol) or s}
    return compile_program(program("values", groups, {f"y{i}": x for i, x in enumerate(things)}), is_quick=True)

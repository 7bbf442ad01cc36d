"""Values that are given of outputs: rows that are added to the constraints while a state is looked for (inverse
kinematics)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...algebra.calculus.derivatives import jacobian
from ...algebra.graph.graph import Expr, Symbol, symbol
from ...algebra.graph.walk import free_symbols
from ...derivation.equations.equations import Equations
from ...derivation.equations.named_rows import NamedRow, output_rows
from ...derivation.equations.variables import name_of
from ...derivation.forms.constrained import constrained_speeds, with_constraints
from ...errors import AssemblyError, in_number, shown
from ..inputs.meanings import quantity_expressions
from .state import State


@dataclass(frozen=True)
class GivenOutputs:
    """Equations with a row more for each output that has a value, and everything that is given: entries, and the values
    of the outputs as parameters, so that the same equations serve all values.

    positions, speeds   rows of coordinates; rows that are linear in speeds
    others              rows of whatever else: accelerations, multipliers, energies, all of them in terms of the state
    """

    own: Equations
    positions: Equations
    speeds: Equations
    given: Mapping[Any, Any]
    others: tuple[NamedRow, ...] = ()

    def state(self, found: State) -> State:
        """A state of the equations with more rows, in the requested equations."""
        return State(self.own, found.t, found.q, found.u, found.z, found.r, found.p[: len(self.own.p)], found.outcome)


def given_outputs(eq: Equations, values: Mapping[Any, Any]) -> GivenOutputs:
    """Splits values into those of outputs and all others."""
    outputs = {*eq.outputs, *output_rows(eq.outputs)}
    seen = {name_of(k): v for k, v in values.items() if name_of(k) in outputs and name_of(k) not in eq.variables}
    rest = {k: v for k, v in values.items() if name_of(k) not in seen}
    if not seen:
        return GivenOutputs(eq, eq, eq, rest)
    targets: dict[str, float] = {}
    for name, value in seen.items():
        targets |= _targets(eq, name, value)
    wider = eq.cached("given outputs", tuple(seen), lambda: _with_rows(eq, tuple(seen)))
    return GivenOutputs(eq, *wider[:2], {**rest, **targets}, wider[2])


def _targets(eq: Equations, name: str, value: Any) -> dict[str, float]:
    """Values by the names of the parameters that stand for them."""
    targets = [t.name for _, t, _ in _rows(eq, name)]
    try:
        numbers = np.asarray(value, dtype=np.float64).ravel()
    except (TypeError, ValueError):
        numbers = np.zeros(0)
    if len(numbers) != len(targets):
        raise AssemblyError(f"assembly of {eq.name!r}: output {name!r} has {len(targets)} entries, got {shown(value)}")
    return dict(zip(targets, map(float, numbers), strict=True))


def _rows(eq: Equations, name: str) -> list[tuple[str, Symbol, Expr]]:
    """The entries of an output, or the one that is named: the name of each, a parameter for its value, and the
    expression."""
    entries = output_rows(eq.outputs)
    inside = output_rows({name: eq.outputs[name]}) if name in eq.outputs else (name,)
    places = {entry: k for k, entry in enumerate(entries)}
    return [(entry, symbol(f"given_{places[entry]}"), entries[entry]) for entry in inside]


def _with_rows(eq: Equations, names: tuple[str, ...]) -> tuple[Equations, Equations, tuple[NamedRow, ...]]:
    """Equations with rows more on coordinates, and with rows more on speeds; rows of everything else."""
    rows = [row for name in names for row in _rows(eq, name)]
    found = quantity_expressions(eq, [e for *_, e in rows], f"assembly of {eq.name!r}", AssemblyError)
    wide = replace(eq, p=(*eq.p, *(target for _, target, _ in rows)))
    on_coordinates: dict[str, Expr] = {}
    on_speeds: dict[str, Expr] = {}
    others: list[NamedRow] = []
    for (name, target, _), e in zip(rows, found, strict=True):
        inside = set(free_symbols(e))
        if strange := [s.name for s in inside if s not in eq.variables.arguments]:
            raise AssemblyError(
                f"assembly of {eq.name!r}: output {name!r} contains {in_number(strange, '{}, which does', '{}, which do')} not follow from a state"
            )
        if inside.issubset(eq.variables.of("q p t").symbols):
            on_coordinates[name] = e - target
        elif inside.isdisjoint(eq.z) and _is_linear(e, eq.u):
            on_speeds[name] = e - target
        else:
            others.append(NamedRow(f"output {name}", "output", e - target))
    return with_constraints(wide, on_coordinates), constrained_speeds(wide, on_speeds), tuple(others)


def _is_linear(e: Expr, unknowns: tuple[Symbol, ...]) -> bool:
    return set(free_symbols(jacobian([e], unknowns))).isdisjoint(unknowns)

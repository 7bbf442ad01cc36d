"""Summary rows of models and mechanisms: parts and symbols."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from ...algebra.graph.graph import Symbol
from ...summary import listing, summary_rows

if TYPE_CHECKING:
    from .mechanism import Body, Constraint, Joint

Rows = tuple[tuple[str, str], ...]


def rows_of_parts(
    bodies: Iterable[Body], joints: Iterable[Joint], loads: Iterable[str], constraints: Iterable[Constraint]
) -> Rows:
    """Bodies, joints, loads and constraints, by name."""
    return summary_rows(
        bodies=listing(b.name for b in bodies),
        joints=listing(f"{j.name} {j.kind}{' closing a loop' if j.closes_loop else ''}" for j in joints),
        loads=listing(loads),
        constraints=listing(c.name for c in constraints),
    )


def rows_of_written(kinetic: Iterable[str], balances: Iterable[Symbol]) -> Rows:
    """Kinetic energies and balances that were written down."""
    return summary_rows(kinetic_energies=listing(kinetic), balances=listing(u.name for u in balances))


def rows_of_symbols(
    coordinates: Iterable[Symbol],
    speeds: Iterable[Symbol],
    inputs: Iterable[Symbol],
    variables: Iterable[Symbol],
    parameters: Iterable[Symbol],
    values: Mapping[Symbol, float],
) -> Rows:
    """The symbols of a model, parameters with their values."""
    numbers = (f"{p.name} = {values[p]:g}" if p in values else p.name for p in parameters)
    return summary_rows(
        coordinates_q=listing(q.name for q in coordinates),
        speeds_u=listing(u.name for u in speeds),
        inputs_r=listing(r.name for r in inputs),
        additional_variables_z=listing(z.name for z in variables),
        parameters_p=listing(numbers),
    )

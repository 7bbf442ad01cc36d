"""Explanations of failed assemblies: the joints that stay open, the values that contradict each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from ...derivation.equations.named_rows import NamedRow
from ...emit.run.callable import Array
from ...errors import AssemblyError, SymbodyError, advised_error, in_number, listed

IN_FILE: Final = "start: in a model file, START in one of Python"


def open_joints(where: str, left: Array, rows: Sequence[NamedRow]) -> SymbodyError:
    """The joints that stay open and by how much, at the configuration that comes nearest to closing them."""
    if not np.isfinite(left).all():
        bad = [row.name for row, x in zip(rows, left, strict=True) if not np.isfinite(x)]
        return advised_error(
            AssemblyError,
            (
                f"{where}: {in_number(bad, '{} has', '{} have')} no finite value at any start that was tried; give parameters that "
                "suit each other, and "
            ),
            "start={...} where the constraints have a value",
            f"a start ({IN_FILE}) where the constraints have a value",
        )
    return advised_error(
        AssemblyError,
        f"{where}: the constraints cannot be closed. At the nearest configuration found, {_gaps(left, rows)}. Check the lengths and places of these "
        "parts, or give ",
        "start={...} near a configuration that exists",
        f"a start ({IN_FILE}) near a configuration that exists",
    )


def only_singular(where: str, rows: Sequence[NamedRow], weights: Array, smallest: float) -> SymbodyError:
    """Constraints that depend on each other where they close."""
    owners = dict.fromkeys(row.owner for row, w in zip(rows, np.abs(weights), strict=True) if w > 0.05)
    return advised_error(
        AssemblyError,
        f"{where}: the constraints close only in a singular position near the start: "
        f"{in_number(owners, 'constraints of {} become', '{} become')} linearly dependent there (smallest singular value of the "
        f"constraints {smallest:z.1e} of the largest). Change their lengths or places, or give ",
        "start={...} near another configuration",
        f"a start ({IN_FILE}) near another configuration",
    )


def too_much_given(
    where: str,
    held: Mapping[str, float],
    free: int,
    nearest: Mapping[str, float],
    left: Array,
    rows: Sequence[NamedRow],
    at_rates: bool = False,
) -> SymbodyError:
    """Values that the constraints do not allow, though they close without them."""
    given = listed(f"{n} = {v:g}" for n, v in held.items())
    if len(held) > free:
        what = f"{given} cannot hold together: {len(held)} values are given where the constraints leave {free} free"
    else:
        what = f"{given} cannot be reached"
    near = f". Near them it closes at {listed(f'{n} = {v:z.6g}' for n, v in nearest.items())}" if nearest else ""
    return advised_error(
        AssemblyError,
        f"{where}: {what} ({_gaps(left, rows, at_rates)}){near}. Give fewer",
        ", or give them by start={...} to stay near",
        f" with --set; a start in the file ({IN_FILE}) moves to the nearest configuration",
    )


def contradiction(where: str, left: Array, rows: Sequence[NamedRow], at_rates: bool = False) -> str:
    """Rows that cannot all hold, whatever their unknowns."""
    return (
        f"{where}: conditions contradict each other here: {_gaps(left, rows, at_rates)}. Make them agree, or "
        "start from another configuration or time"
    )


def _gaps(left: Array, rows: Sequence[NamedRow], at_rates: bool = False) -> str:
    """Joint by joint, the widest first: the distance left (or the speed at which it opens), and each row that is
    off."""
    largest = float(np.max(np.abs(left)))
    groups: dict[str, list[tuple[NamedRow, float]]] = {}
    for row, x in zip(rows, left, strict=True):
        if abs(x) > 1e-3 * largest:
            groups.setdefault(row.owner, []).append((row, float(x)))
    widest = sorted(groups.items(), key=lambda item: -max(abs(x) for _, x in item[1]))
    return "; ".join(
        f"{owner} {'opens' if at_rates else 'stays open'}{_size(parts, at_rates)}" for owner, parts in widest[:8]
    )


def _size(parts: Sequence[tuple[NamedRow, float]], at_rates: bool) -> str:
    lengths = float(np.linalg.norm([x for row, x in parts if row.measures == "length"]))
    turns = float(np.linalg.norm([x for row, x in parts if row.measures == "turn"]))
    sizes = [f"{lengths:z.3g} ({'speed' if at_rates else 'length'})"] if lengths else []
    sizes += (
        [f"{turns:z.3g} (angular speed)" if at_rates else f"{np.arcsin(min(1.0, turns)):z.3g} rad"] if turns else []
    )
    each = listed(f"{row.name} = {x:z.3g}" for row, x in parts)
    return f" by {' and '.join(sizes)}: {each}" if sizes else f": {each}"

"""Starts of piles: bodies that begin inside each other are refused by the thousand, and noted where they are few."""

from __future__ import annotations

from typing import Final

import numpy as np

from ...emit.run.callable import Array
from ...errors import SimulationError, listed
from ...integrate.piles.pile_runs import Runner
from ...summary import counted

DEEP: Final = 0.05  # a penetration by this fraction of the smaller body's size is named
MOST_DEEP: Final = 1.0  # more deep contacts than this for each body are refused


def start_notes(where: str, runner: Runner, names: list[str]) -> tuple[str, ...]:
    """Bodies that begin inside each other; an error where there are more of them than bodies and surfaces of the mechanism."""
    found, is_full = runner.touching()
    carried = 0 if runner.pile.machine is None else len(runner.pile.machine.bodies)
    reach = np.array([k.reach for k in runner.pile.solids])[runner.pile.kinds]
    own = reach[found.first.astype(int)]
    size = np.where(found.second >= 0, np.minimum(own, reach[found.second.astype(int)]), own)
    deep = np.flatnonzero(found.gaps < -DEEP * size)
    worst = deep[np.argsort(found.gaps[deep])][:5]
    said = listed(_pair_text(found.first[k], found.second[k], found.gaps[k], names) for k in worst)
    is_crowded = len(deep) > MOST_DEEP * (runner.n + carried)
    if is_full and len(found.gaps) < runner.most and not is_crowded:
        return ()
    if is_full or is_crowded:
        count = f"more than {len(found.gaps)} places" if is_full else counted(len(deep), "place")
        raise SimulationError(f"{where}: bodies overlap at the start in {count}, such as {said}; start them apart")
    places = counted(len(deep), "place")
    return (
        (f"bodies begin inside each other at {places}, such as {said}; stabilise= moves them apart",)
        if len(deep)
        else ()
    )


def _pair_text(one: Array, other: Array, gap: Array, names: list[str]) -> str:
    with_other = names[int(other)] if other >= 0 else "a wall"
    return f"{names[int(one)]} and {with_other} (gap {float(gap):z.3g})"

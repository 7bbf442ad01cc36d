"""States of a pile on disk, while it moves: chosen columns of chosen bodies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from ...emit.run.callable import Array
from ...errors import SimulationError, shown, unknown
from ...integrate.piles.pile_runs import Sink
from ...row_files import row_file

if TYPE_CHECKING:
    from .pile import PileKind

PARTS: Final = {
    "positions": slice(0, 3),
    "rotations": slice(3, 7),
    "velocities": slice(7, 10),
    "angular_velocities": slice(10, 13),
}
MECHANISM: Final = "mechanism"


@contextmanager
def streamed_rows(
    where: str, kinds: Sequence[PileKind], speeds: int, to: str | Path, columns: Sequence[str], of: Sequence[str] | None
) -> Iterator[Sink]:
    """What takes the samples of a run and writes them; speeds: numbers in a state of the mechanism."""
    place = Path(to)
    if place.suffix != ".npy":
        raise SimulationError(f"{where}: to={shown(to)}: states are written to a .npy file")
    bodies = _bodies(where, kinds, of)
    known = [*PARTS, *([MECHANISM] if speeds else [])]
    for name in columns if not isinstance(columns, str) else (columns,):
        if name not in known:
            raise unknown(f"{where}, columns=", "column", name, known, SimulationError)
    shapes = {c: (speeds,) if c == MECHANISM else (len(bodies), PARTS[c].stop - PARTS[c].start) for c in columns}
    with row_file(place, {"t": (), **shapes}, is_single=True) as rows:

        def sink(t: Array, states: Array, machine: Array) -> None:
            rows.add([t, *(machine if c == MECHANISM else states[:, bodies, PARTS[c]] for c in columns)])

        yield sink


def _bodies(where: str, kinds: Sequence[PileKind], of: Sequence[str] | None) -> Array:
    """Numbers of the bodies of some kinds, of those that move."""
    moving = [k for k in kinds if not k.is_fixed]
    ends = np.cumsum([0, *(len(k.states) for k in moving)])
    names = [k.name for k in moving]
    for name in of or ():
        if name not in names:
            raise unknown(f"{where}, of=", "kind of bodies that move", name, names, SimulationError)
    picked = [np.arange(ends[i], ends[i + 1]) for i, name in enumerate(names) if of is None or name in of]
    return np.concatenate(picked) if picked else np.zeros(0, dtype=int)

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
from .pile_numbers import drawn_rotations

if TYPE_CHECKING:
    from .pile import PileKind

PARTS: Final = {
    "positions": slice(0, 3),
    "rotations": slice(3, 7),
    "velocities": slice(7, 10),
    "angular_velocities": slice(10, 13),
}
MECHANISM: Final = "mechanism"
COLUMNS: Final = ("positions", "rotations")  # that are written where none are chosen


def drawn_part(states: Array, kinds: Sequence[PileKind], name: str) -> Array:
    """Places, rotations or speeds of bodies that move, in the frames in which their shapes are drawn."""
    part = states[..., PARTS[name]]
    if name not in {"rotations", "angular_velocities"}:
        return part
    out, begin = part.copy(), 0
    for k in kinds:
        own = slice(begin, begin + len(k.states))
        if not k.is_fixed:
            turned = (
                drawn_rotations(part[..., own, :], k.solid)
                if name == "rotations"
                else part[..., own, :] @ k.solid.turn.T
            )
            out[..., own, :] = turned
            begin = own.stop
    return out


@contextmanager
def streamed_rows(
    where: str,
    kinds: Sequence[PileKind],
    speeds: int,
    to: str | Path | None,
    columns: Sequence[str] | None,
    of: Sequence[str] | None,
) -> Iterator[Sink | None]:
    """What takes the samples of a run and writes them, None without a file; speeds: numbers in a state of the mechanism."""
    if to is None:
        if columns is not None or of is not None:
            raise SimulationError(f"{where}: columns= and of= choose what to= writes; give to='run.npy'")
        yield None
        return
    place = Path(to)
    columns = COLUMNS if columns is None else (columns,) if isinstance(columns, str) else columns
    if place.suffix != ".npy":
        raise SimulationError(f"{where}: to={shown(to)}: states are written to a .npy file")
    bodies = _bodies(where, kinds, of)
    known = [*PARTS, *([MECHANISM] if speeds else [])]
    for name in columns:
        if name not in known:
            raise unknown(f"{where}, columns=", "column", name, known, SimulationError)
    shapes = {c: (speeds,) if c == MECHANISM else (len(bodies), PARTS[c].stop - PARTS[c].start) for c in columns}
    with row_file(place, {"t": (), **shapes}, is_single=True) as rows:

        def sink(t: Array, states: Array, machine: Array) -> None:
            found = {name: drawn_part(states, kinds, name)[:, bodies] for name in columns if name != MECHANISM}
            rows.add([t, *(machine if c == MECHANISM else found[c] for c in columns)])

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

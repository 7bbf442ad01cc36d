"""Entries of a Newton matrix from the sweeps over a tree (`run/newton_matrix.py`), as a kernel."""

from __future__ import annotations

from ...emit.loops.kernel_language import Function, Indices, Numbers
from ...emit.loops.records import Struct


class SweepSlopes(Struct):
    """What the sweeps need, and where their results are.

    arguments      gives the first numbers of `memory`, and entries of arguments that are expressions of the state
    rates, dy      y' and its memory, from whose number `first_rate` on are the `speeds` accelerations
    u_dot          place of these in `memory`
    places, count  where the sweeps leave entries of the matrix
    constant       further entries
    """

    arguments: Function
    rates: Function
    sweeps: Function
    first_rate: int
    speeds: int
    u_dot: int
    count: int
    constants: int
    places: Indices
    memory: Numbers
    dy: Numbers
    constant: Numbers


def sweep_slopes(t: float, y: Numbers, entries: Numbers, f: SweepSlopes) -> None:
    """Entries: of the sweeps, constant ones, those of arguments."""
    f.arguments((t, y), (f.memory, entries[f.count + f.constants :]))
    f.rates((t, y), (f.dy,))
    for j in range(f.speeds):
        f.memory[f.u_dot + j] = f.dy[f.first_rate + j]
    f.sweeps((), (f.memory,))
    for k in range(f.count):
        entries[k] = f.memory[f.places[k]]
    for k in range(f.constants):
        entries[f.count + k] = f.constant[k]

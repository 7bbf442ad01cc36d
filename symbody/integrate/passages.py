"""Singular positions that a motion passed: where, by which joints, and whether energy was kept.

Where constraints become dependent, branches of the configuration space meet. A motion with speed goes on along the one it came by: its speeds are
continuous, while those of another branch would need an impulse. So energy tells: where it jumps, the branch was left.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from ..algebra.evaluate import evaluate
from ..algebra.graph import ZERO
from ..derive.constraint_rank import RowSpace, sizes_of_rows
from ..derive.energies import energy, external_power, kinetic_energy
from ..derive.equations import Equations
from ..emit.run.callable import Array
from ..errors import listed
from .constraint_rows import rows_of
from .explicit import PASSES, RungeKutta
from .march import Method
from .state import State

BETWEEN: Final = 21  # places at which it is looked where constraints are most dependent


class Passage(NamedTuple):
    """A step over a singular position: when it began and ended, the joints in question, the change of energy where no load does work, and the
    kinetic energy by which that is judged.

    The motion went on along the branch it came by: speeds are continuous there, while any other branch would take an impulse, and energy.
    """

    begin: float
    end: float
    joints: tuple[str, ...]
    change: float | None
    scale: float


def passages(method: Method, start: State) -> list[Passage]:
    """The singular positions that careful steps of a method passed."""
    eq = start.equations
    if not isinstance(method, RungeKutta) or not eq.lam or not method.passed:
        return []
    n, found = len(method.began), []
    states, times = np.asarray(method.states).reshape(-1, 2, n), np.asarray(method.spans).reshape(-1, 2)
    keeps_energy = external_power(eq) is ZERO
    for k in range(min(method.passed, PASSES)):
        if joints := _joints(start, times[k], states[k]):
            levels = (
                [_energies(eq, start, t, y) for t, y in zip(times[k], states[k], strict=True)] if keeps_energy else []
            )
            change = levels[1][0] - levels[0][0] if levels else None
            span = float(times[k][0]), float(times[k][1])
            found.append(Passage(*span, joints, change, max((x[1] for x in levels), default=0.0)))
    return found


def _joints(start: State, times: Array, ends: Array) -> tuple[str, ...]:
    """Joints that become dependent between the ends of a step; none where none do."""
    eq, n = start.equations, len(start.q)
    rows = rows_of(eq)

    def slopes(theta: float) -> Array:
        q = ends[0][:n] + theta * (ends[1][:n] - ends[0][:n])
        return rows.speed(times[0] + theta * (times[1] - times[0]), q, start.u, start.z, start.r, start.p)[0]

    first = slopes(0.0)
    scale, rank = sizes_of_rows(first)[:, None], min(eq.rank, *first.shape)
    if not _turns(first / scale, slopes(1.0) / scale, rank):
        return ()
    factors = [np.linalg.svd(slopes(theta) / scale) for theta in np.linspace(0, 1, BETWEEN)]
    U, _, _ = min(factors, key=lambda f: f[1][rank - 1])
    return tuple(
        dict.fromkeys(row.owner for row, w in zip(rows.speeds, np.abs(U[:, rank - 1]), strict=True) if w > 0.05)
    )


def _turns(before: Array, after: Array, rank: int) -> bool:
    """Whether [Jc; Zᵀ] changes its orientation: with Z the motions that are allowed before, it is singular where Jc is."""
    rest = {d.row for d in RowSpace.of(before).dependent} if rank < len(before) else set()
    kept = [i for i in range(len(before)) if i not in rest]
    Z = np.linalg.svd(before)[2][rank:]
    if len(kept) + len(Z) != before.shape[1]:
        return False
    signs = [np.linalg.slogdet(np.vstack([J[kept], Z]))[0] for J in (before, after)]
    return bool(signs[0] * signs[1] < 0)


def _energies(eq: Equations, start: State, t: float, y: Array) -> tuple[float, float]:
    """T + V, and T, by which its changes are judged."""
    things = eq.cached("energies", (), lambda: eq.in_own_terms([energy(eq), kinetic_energy(eq)]))
    constants = {s: start.values[s.name] for s in eq.constants}
    values = dict(zip(eq.state, map(float, y), strict=False)) | constants
    total, kinetic = evaluate(things, values | {eq.t: float(t)})
    return float(total), float(kinetic)


def passages_along(times: Array, states: Array, start: State) -> tuple[Passage, ...]:
    """The singular positions between the times of a motion, whose states are rows."""
    eq = start.equations
    if not eq.lam or len(times) < 2:
        return ()
    keeps_energy, found = external_power(eq) is ZERO, []
    for k in range(len(times) - 1):
        if joints := _joints(start, times[k : k + 2], states[k : k + 2]):
            levels = [_energies(eq, start, times[j], states[j]) for j in (k, k + 1)] if keeps_energy else []
            change = levels[1][0] - levels[0][0] if levels else None
            span = float(times[k]), float(times[k + 1])
            found.append(Passage(*span, joints, change, max((x[1] for x in levels), default=0.0)))
    return tuple(found)


def jump(found: Sequence[Passage], rtol: float) -> str:
    """What is wrong, where energy jumped: the branch was left, or the step over the position was too coarse."""
    for x in found:
        if x.change is not None and abs(x.change) > max(1e4 * rtol, 1e-7) * max(x.scale, 1e-12):
            return (
                f"energy changed by {x.change:z.3g} (kinetic energy {x.scale:z.3g}) in the singular position of {listed(x.joints)} near t = "
                f"{(x.begin + x.end) / 2:z.6g}: it may have left its branch there; a smaller max_step or rtol takes it over more carefully"
            )
    return ""

"""Notes of motions of piles: bodies that begin inside each other, which are refused by the thousand, gravity of the mechanism that
is another one, and bodies that move further than they are thick in a step."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from ...algebra.calculus.evaluate import evaluate
from ...algebra.graph.walk import free_symbols
from ...emit.run.callable import Array
from ...errors import SimulationError, listed
from ...integrate.piles.machine_programs import PileMechanism
from ...integrate.piles.pile_programs import PileNumbers
from ...integrate.piles.pile_runs import PileSamples, Runner
from ...summary import counted

DEEP: Final = 0.05  # a penetration by this fraction of the smaller body's size is named
ALIKE: Final = 1e-3  # gravity that differs by less is the same, in rounded figures
MOST_DEEP: Final = 1.0  # more pairs that are deep inside each other than this for each body are refused


def start_notes(where: str, runner: Runner, names: list[str]) -> tuple[str, ...]:
    """Bodies that begin inside each other; an error where there are more of them than bodies and surfaces of the mechanism."""
    found, is_full = runner.touching()
    carried = 0 if runner.pile.machine is None else len(runner.pile.machine.bodies)
    reach = np.array([k.reach for k in runner.pile.solids])[runner.pile.kinds]
    own = reach[found.first.astype(int)]
    size = np.where(found.second >= 0, np.minimum(own, reach[found.second.astype(int)]), own)
    deep = np.flatnonzero(found.gaps < -DEEP * size)
    by_depth = deep[np.argsort(found.gaps[deep], kind="stable")]
    met = np.stack([found.first[by_depth], found.second[by_depth]], axis=1)
    worst = by_depth[np.sort(np.unique(met, axis=0, return_index=True)[1])]  # of each pair, the deepest point
    said = listed(_pair_text(found.first[k], found.second[k], found.gaps[k], names) for k in worst[:5])
    is_crowded = len(worst) > MOST_DEEP * (runner.n + carried)
    if is_full and len(found.gaps) < runner.most and not is_crowded:
        return ()
    if is_full or is_crowded:
        count = f"more than {len(found.gaps)} places" if is_full else counted(len(worst), "place")
        raise SimulationError(f"{where}: bodies overlap at the start in {count}, such as {said}; start them apart")
    places = counted(len(worst), "place")
    return (
        (f"bodies begin inside each other at {places}, such as {said}; stabilise= moves them apart",)
        if len(worst)
        else ()
    )


def _pair_text(one: Array, other: Array, gap: Array, names: list[str]) -> str:
    with_other = names[int(other)] if other >= 0 else "a wall"
    return f"{names[int(one)]} and {with_other} (gap {float(gap):z.3g})"


def gravity_notes(machine: PileMechanism | None, free: int, gravity: Array) -> tuple[str, ...]:
    """A mechanism has the gravity of its model; free bodies have that of the pile."""
    if machine is None or not free:
        return ()
    mechanism, values = machine.equations.mechanism, dict(zip(machine.equations.p, machine.start.p, strict=True))
    if mechanism.gravity is None:
        if not gravity.any() or any("gravity" in load.kind for load in mechanism.loads):
            return ()
        x, y, z = map(float, gravity)
        return (
            f"the mechanism has no gravity, free bodies have {gravity}; give its model m.gravity({x:z.6g}, {y:z.6g}, {z:z.6g})",
        )
    entries = mechanism.gravity.in_ground.entries
    if not all(s in values for e in entries for s in free_symbols(e)):
        return ()
    own = np.array([float(x) for x in evaluate(list(entries), values)])
    if np.abs(own - gravity).max() <= ALIKE * np.abs(gravity).max():
        return ()
    return (f"gravity of the mechanism is {own}, that of free bodies {gravity}; Pile(gravity=...) changes theirs",)


def with_fast_note(samples: PileSamples, pile: PileNumbers, h: float, names: list[str]) -> PileSamples:
    """A note on bodies that move further in a step than their surface is from their centre: they may pass through others."""
    depth = np.array([k.depth for k in pile.solids])[pile.kinds[: len(samples.speeds)]]
    part = samples.speeds * h / depth
    if not len(part) or not part.max() > 1.0:
        return samples
    k = int(part.argmax())
    note = (
        f"{counted(int((part > 1.0).sum()), 'body', 'bodies')} moved further in a step than the surface is from the centre, such as {names[k]} "
        f"({samples.speeds[k] * h:z.3g} m): contacts may be found too late, or missed; a shorter step= avoids this"
    )
    return replace(samples, outcome=replace(samples.outcome, notes=(*samples.outcome.notes, note)))

"""Members of a batch that are simulated one by one, on threads; Ctrl-C ends them with what they have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from ...derivation.equations.equations import Equations
from ...emit.run.workers import cores, share_out_of_the_way
from ...interruption import StopRequest
from ..result.outcome import Ending, Outcome
from ..result.segment import Segment
from ..result.trajectory import Trajectory


@dataclass(frozen=True, eq=False)
class MotionsAlone:
    """Motions of members by `simulate`.

    member   the motion of a member, by its number
    stop     asked for by Ctrl-C: those that run end, those that wait do not begin
    """

    equations: Equations
    member: Callable[[int], Trajectory]
    threads: int | None
    stop: StopRequest = field(default_factory=StopRequest)

    def motions(self, which: Sequence[int]) -> list[Trajectory]:
        """Of the members with these numbers. The first makes and compiles what all share."""
        found = [unbegun_motion(self.equations, Ending.INTERRUPTED, "before it began")] * len(which)

        def part(before: int, first: int, stop: int) -> None:
            with self.stop.heard():
                for k in range(before + first, before + stop):
                    if not self.stop.is_asked:
                        found[k] = self.member(which[k])

        for first, stop in ((0, min(1, len(which))), (1, len(which))):
            if stop > first:
                share_out_of_the_way(partial(part, first), stop - first, self.threads or cores(), 1, self.stop.ask)
        return found


def unbegun_motion(eq: Equations, ending: Ending, why: str) -> Trajectory:
    """A motion without a single state."""
    n = len(eq.state)
    outcome = Outcome(ending, np.nan, why)
    return Trajectory.of(Segment(eq, np.zeros(0), np.zeros((0, n)), np.zeros(len(eq.p)), np.zeros(len(eq.r)), outcome))

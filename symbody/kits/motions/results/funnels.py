"""Funnels by simulation: how far starts beside a motion may be for its feedback to bring them back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import symbody as sb

from ....errors import finite_number, shown, unknown
from ....summary import Summarized, Summary, counted, summary_rows
from ..transcription.node_functions import Array


@dataclass(frozen=True, repr=False, eq=False)
class Funnel(Summarized):
    """Simulations with feedback from random starts near a motion; made by `OptimalMotion.funnel`.

    t            times
    widths       largest distance of the successful simulations from the motion, by state, at each time
    starts       distances of the starts from that of the motion, a row for each simulation
    arrives      whether the end is within the tolerance of the motion's end, for each simulation
    fraction     of simulations that arrive

    >>> x, F = sb.symbols("x F", kind="variable")
    >>> eq = sb.from_equations({x: x + F}, inputs=[F])
    >>> problem = sb.kits.motions.Problem("unstable")
    >>> go = problem.phase("go", eq, 5.0).start(x=1).end(x=0).cost("effort", integral=F**2)
    >>> motion = problem.solve(20)
    >>> funnel = motion.funnel(motion.feedback(Q=10.0), {"x": 0.1}, tolerance=1e-2, count=8)
    >>> funnel.fraction, funnel.arrives.all(), funnel.starts.shape, len(funnel.t) == len(funnel.widths["x"])
    (1.0, np.True_, (8, 1), True)

    See also: `kits.motions.OptimalMotion`, `kits.motions.TrackingFeedback`.
    """

    name: str
    t: Array
    widths: Mapping[str, Array]
    starts: Array
    arrives: Any

    @property
    def fraction(self) -> float:
        """The fraction of simulations that arrive."""
        return float(np.mean(self.arrives))

    def _summary(self) -> Summary:
        ends = ", ".join(f"{k} {w[0]:z.3g} to {w[-1]:z.3g}" for k, w in self.widths.items())
        rows = summary_rows(arrive=f"{int(np.sum(self.arrives))} of {len(self.arrives)}", widths=ends)
        return Summary(f"Funnel of {self.name}: {counted(len(self.arrives), 'simulation')}", rows)


def motion_funnel(motion: Any, law: Any, spread: Mapping[Any, Any], tolerance: float, count: int, seed: int) -> Funnel:
    """Simulations from starts that are uniformly distributed within ± spread."""
    where = f"motion {motion.name!r}, funnel"
    mesh = next(iter(motion.transcription.meshes.values()))
    eq, t = mesh.phase.equations, motion.times(mesh.phase.name)
    known = [s.name for s in eq.state]
    width = np.zeros(len(known))
    for key, value in spread.items():
        name = getattr(key, "name", key)
        if name not in known:
            raise unknown(where, "state", str(name), known, sb.ModelError)
        width[known.index(name)] = finite_number(value, f"{where}, {name}", sb.ModelError)
    if not width.any() or (width < 0).any():
        raise sb.ModelError(
            f"{where}: give positive distances of states, as {{{known[0]!r}: 0.1}}, got {shown(spread)}"
        )
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise sb.ModelError(f"{where}: count= must be a positive whole number, got {shown(count)}")
    x = motion.solution.z[mesh.index][:, : len(known)]
    starts = np.random.default_rng(seed).uniform(-1, 1, (count, len(known))) * width
    every = {s.name: v for s, v in mesh.phase.parameters.items()} | motion.parameters
    numbers = {s.name: every[s.name] for s in eq.p}
    closed = sb.integrate.closed_loop(eq, law)
    off, arrives = [], []
    for d in starts:
        begin = {k: float(v) for k, v in zip(known, x[0] + d, strict=True)}
        sim = sb.simulate(closed, t, begin, values=numbers)
        states = np.stack([sim[k] for k in known], axis=1) if sim.outcome else np.full_like(x, np.inf)
        off.append(np.abs(states - x))
        arrives.append(bool(off[-1][-1].max() <= tolerance))
    kept = [o for o, a in zip(off, arrives, strict=True) if a] or [np.full_like(x, np.nan)]
    widths = np.max(kept, axis=0)
    return Funnel(motion.name, t, dict(zip(known, widths.T, strict=True)), starts, np.array(arrives))

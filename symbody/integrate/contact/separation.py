"""Bodies that begin inside each other, pushed apart: the nearest state in which no gap is negative.

    min ½ sᵀ M s,   g + G (s - s₀) >= 0,   Jc s = 0          s: the way from the start, in the directions of the speeds

linearised on the way s₀ = Σ d so far, q' = q + N d with d = s - s₀, and repeated. It is the problem of an impact, with gaps in the place of speeds, so that light
bodies give way to heavy ones (the kinetic metric).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from ...algebra.calculus.derivatives import jacobian
from ...emit.run.callable import Array
from ...emit.run.dynamics import Dynamics
from ...errors import SimulationError, listed
from ..complementarity.contact_problem import ContactProblem
from ..complementarity.contact_solvers import solve
from ..start.state import State
from .impacts import Contact, Impulses, impulses_of

MAX_PUSHES: Final = 50  # linearisations; where gaps are linear one is enough
NEAREST: Final = 1e-9  # the nearest state is found where the last step is below this fraction of the largest coordinate
TOUCHING: Final = 1e-12  # a gap above minus this fraction of the largest coordinate is closed


def separated_state(contacts: Sequence[Contact], start: State) -> State:
    """The state next to a start in which no contact is inside another; speeds stay, but for what constraints change."""
    eq = start.equations
    impulses = impulses_of(eq, contacts)
    N = eq.cached("speeds to rates", (), lambda: Dynamics(eq).function("N", {"N": jacobian(eq.rates, eq.u)}))
    y, n_q = np.concatenate([start.q, start.u, start.z]), len(start.q)
    way, last = np.zeros(len(start.u)), 0.0
    for k in range(MAX_PUSHES):
        x, size = impulses.numbers(start.t, y, start.p, start.r), 1.0 + np.abs(y[:n_q]).max(initial=0.0)
        if (x.gap >= -TOUCHING * size).all() and last <= NEAREST * size:
            return start if k == 0 else _state(start, y)
        metric = impulses.metric(start.t, y, start.p, start.r)
        W = metric.ways(x.G)
        found = solve(ContactProblem(W, x.gap - x.G @ way, tuple(range(len(x.gap)))))
        slopes = np.reshape(impulses.called(N, start.t, y, start.p, start.r), (n_q, len(start.u)))
        moved = slopes @ (metric.speeds(W @ found.forces) - way)
        way, last = metric.speeds(W @ found.forces), np.abs(moved).max(initial=0.0)
        y[:n_q] += moved
        settled = impulses.onto_constraints(start.t, y, start.p, start.r) if found.is_converged else None
        if settled is None:
            break
        y = settled[0]
    raise SimulationError(_still_inside(contacts, impulses, start, y))


def _state(start: State, y: Array) -> State:
    q, u, z = np.split(y, np.cumsum([len(start.q), len(start.u)]))
    return replace(start, q=q, u=u, z=z, outcome="pushed out of contacts")


def _still_inside(contacts: Sequence[Contact], impulses: Impulses, start: State, y: Array) -> str:
    gap = impulses.numbers(start.t, y, start.p, start.r).gap
    named = listed(f"{c.name} (gap {g:z.3g})" for c, g in zip(contacts, gap, strict=True) if not g >= 0)
    return f"contacts of {start.equations.name!r}: no state near the start was found in which bodies are apart; inside are {named}"

"""`lyapunov`: how fast neighbouring motions part, in all directions, by the variational equations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import numpy as np

from ...algebra.portable import Portable
from ...derive.equations import Equations, of_equations
from ...derive.keywords import values_by_name
from ...emit.run.callable import Array
from ...errors import StabilityError, finite_number, listed
from ...integrate.simulate import simulate
from ...integrate.state import State, start_values
from ...integrate.trajectory import Trajectory
from ...summary import Tabular
from ..periodic.courses import EventCourse
from ..periodic.orbit import flow_of
from ..periodic.orbit_flow import OrbitFlow
from .variational_march import VariationalMarch

RTOL: Final = 1e-9
STEPS: Final = 4  # between two orthogonalisations
ROUNDS: Final = 500  # in one call of machine code, after which Ctrl-C is heard
PIECES: Final = 400
BLOCKS: Final = 20  # parts of the time whose scatter is the error
RANK: Final = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class LyapunovExponents(Tabular, Portable):
    """Mean rates at which neighbouring motions part, made by `lyapunov`.

    exponents    the largest first, 1/s; `errors` are standard errors from the scatter of parts of the time
    t, history   means up to so many times: a row for each time, to see how they settle
    divergence   the mean divergence of the flow along the motion, by quadrature: the sum of all exponents; nan where it
                 was not computed
    state        at the end, to go on from

    >>> x, v = sb.symbols("x v", "variable")
    >>> found = sb.lyapunov(sb.from_equations({x: -x, v: -2 * v}), 20.0, x=1.0, v=1.0)
    >>> found.divergence, float(found.exponents.sum())
    (-3.0, -3.0)

    See also: `lyapunov`.
    """

    equations: Equations
    exponents: Array
    errors: Array
    t: Array
    history: Array
    divergence: float
    state: State

    @property
    def is_chaotic(self) -> bool:
        """Whether the largest is positive beyond its error."""
        return bool(
            len(self.exponents) and self.exponents[0] > 4 * self.errors[0] and self.exponents[0] * self.t[-1] > 10
        )

    @property
    def dimension(self) -> float:
        """Of Kaplan and Yorke: j + (λ₁ + ... + λⱼ)/|λⱼ₊₁| with the largest j for which that sum is not negative."""
        sums = np.cumsum(self.exponents)
        j = int((sums >= 0).sum())
        if j == 0 or j == len(sums):
            return float(j)
        return float(j + sums[j - 1] / abs(self.exponents[j]))

    def __str__(self) -> str:
        rows = (f"{x:z.5g} ± {e:z.1g}" for x, e in zip(self.exponents, self.errors, strict=True))
        said = f", mean divergence {self.divergence:z.6g}" if np.isfinite(self.divergence) else ""
        return (
            f"Lyapunov exponents of {self.equations.name!r} up to t = {self.t[-1]:z.6g}: {listed(rows, 12)}\n"
            f"    {'chaotic' if self.is_chaotic else 'not chaotic'}, dimension {self.dimension:z.4g}{said}"
        )


@dataclass(frozen=True)
class Parted:
    """What directions grew by over a stretch of time: a row of factors for each piece, when each ended, and the
    integrals of the divergence."""

    ends: Array
    growth: Array
    divergence: Array
    x: Array


@values_by_name(StabilityError)
@of_equations
def lyapunov(
    equations: Equations, t: float, start: Any = None, values: Mapping[Any, Any] | None = None, *, transient: float | None = None, number: int | None = None,
    step: float | None = None, pieces: int = PIECES, events: Sequence[Any] = (), options: Mapping[str, Any] | None = None, **named: Any,
) -> LyapunovExponents:  # fmt: skip
    """Lyapunov exponents over a time: `lyapunov(eq, 2000, x=1.0)`, the whole spectrum by variational equations with
    orthogonal directions.

    t           over which is averaged, after a `transient` (a tenth of it), in which the motion settles and directions
                turn to where they grow most
    start       values, a state, or a trajectory whose end it is; also as keywords
    number      of exponents, the largest ones; by default all
    step        of the method, of order 8; by default that of a simulation to 1e-9 in its fast parts
    pieces      simulations with events or on constraints, after each of which directions are made orthogonal again
    events      as in `simulate`: directions pass them by their saltation matrices

    States are those of an orbit (coordinates on which nothing depends are left out), directions those that constraints
    allow.

    >>> x, v = sb.symbols("x v", "variable")
    >>> found = sb.lyapunov(sb.from_equations({x: -x, v: -2 * v}), 20.0, x=1.0, v=1.0)
    >>> found.exponents
    array([-1.003295, -1.996705])

    See also: `stability.LyapunovExponents`, `attractors`.
    """
    where = f"lyapunov exponents of {equations.name!r}"
    span, first = (finite_number(x, where, StabilityError) for x in (t, t / 10 if transient is None else transient))
    if not (span > 0 and first >= 0):
        raise StabilityError(f"{where}: t is a positive time and transient is not negative; got {t:g} and {first:g}")
    begin = start.state if isinstance(start, Trajectory) else _begin(equations, start, values or {}, where)
    options = {"rtol": RTOL, "progress": False}
    settled = simulate(
        equations, (begin.t, begin.t + max(first / 2, 1e-3 * span)), begin, events=events, options=options
    )
    if not settled.outcome:
        raise StabilityError(f"{where}: the motion does not reach the end of its transient: {settled.outcome}")
    flow, here, whole = flow_of(equations, {}, None, EventCourse(tuple(events))), settled.state, first / 2 + span
    if events or flow.constraints:
        parted = _simulated(flow, here, whole, events, number, pieces)
    else:
        h = step or float(np.quantile(np.diff(np.unique(settled.t)), 0.1))
        parted = _marched(flow, here, whole, h, number)
    return _averaged(equations, flow, here, parted, here.t + first / 2)


def _begin(eq: Equations, start: Any, values: Mapping[Any, Any], where: str) -> State:
    return State.of(eq, {**start_values(start, where), **values})


def _directions(flow: OrbitFlow, state: State, x: Array, p: Array, number: int | None) -> Array:
    """Orthonormal directions that the constraints allow, as many as are asked for."""
    G = flow.rows_at(state.t, x, p)[1] if flow.rows else np.zeros((0, flow.n))
    _, sv, V = np.linalg.svd(G)
    rank = int((sv > RANK * sv.max(initial=0.0)).sum())
    free = V[rank:].T
    count = free.shape[1] if number is None else min(number, free.shape[1])
    turned = np.linalg.qr(np.random.default_rng(1).normal(size=(free.shape[1], count)))[0]
    return np.asarray(free @ turned)


def _numbers(flow: OrbitFlow, state: State) -> tuple[Array, Array]:
    return np.array([state[s.name] for s in flow.x]), np.array([state[s.name] for s in flow.equations.constants])


def _marched(flow: OrbitFlow, state: State, span: float, h: float, number: int | None) -> Parted:
    """By the loop in machine code."""
    x, p = _numbers(flow, state)
    V, t = _directions(flow, state, x, p, number), state.t
    rounds = max(int(np.ceil(span / (h * STEPS))), 1)
    chunks = -(-rounds // ROUNDS)
    chunk = -(-rounds // chunks)
    rounds = chunk * chunks
    h = span / (rounds * STEPS)
    loop = VariationalMarch(flow, p, V.shape[1], chunk, STEPS)
    growth, divergence = np.zeros((0, V.shape[1])), np.zeros(0)
    while len(growth) < rounds:
        x, V = loop.run(t, h, x, V)
        if not np.isfinite(x).all():
            raise StabilityError(
                f"lyapunov exponents of {flow.equations.name!r}: the motion has no number after t = {t:z.6g}; "
                f"give a smaller step= than {h:z.2g}"
            )
        t += chunk * STEPS * h
        growth, divergence = np.concatenate([growth, loop.growth]), np.concatenate([divergence, loop.divergence])
    ends = state.t + STEPS * h * np.arange(1.0, len(growth) + 1)
    return Parted(ends, growth, divergence, x)


def _simulated(
    flow: OrbitFlow, state: State, span: float, events: Sequence[Any], number: int | None, pieces: int
) -> Parted:
    """By simulations with sensitivities from piece to piece, which know events and constraints."""
    x, p = _numbers(flow, state)
    V = _directions(flow, state, x, p, number)
    growth: list[Array] = []
    ends: list[float] = []
    for now, motion in _pieces(flow, state, span, events, pieces):
        assert motion.variations is not None
        rows = [flow.equations.state.index(s) for s in flow.x]
        V, R = np.linalg.qr(motion.variations[-1][rows] @ V)
        growth.append(np.abs(np.diag(R)))
        ends.append(now)
        x = np.array([motion.state[s.name] for s in flow.x])
    return Parted(np.array(ends), np.array(growth), np.full(len(ends), np.nan), x)


def _pieces(
    flow: OrbitFlow, state: State, span: float, events: Sequence[Any], pieces: int
) -> Iterator[tuple[float, Trajectory]]:
    names, here = [s.name for s in flow.x], state
    edges = np.linspace(state.t, state.t + span, pieces + 1)
    for a, b in pairwise(edges):
        options = {"rtol": RTOL, "progress": False, "sensitivities": names, "held": "nearest"}
        motion = simulate(flow.equations, (float(a), float(b)), here, events=events, options=options)
        if not motion.outcome:
            raise StabilityError(f"lyapunov exponents of {flow.equations.name!r}: {motion.outcome}")
        here = motion.state
        yield float(b), motion


def _averaged(eq: Equations, flow: OrbitFlow, begin: State, found: Parted, first: float) -> LyapunovExponents:
    """Means from a time on, when directions have turned to where they grow most, and up to parts of it; the scatter of
    parts."""
    counted = found.ends > first + 1e-9 * (found.ends[-1] - first)
    zero = float(found.ends[~counted][-1]) if (~counted).any() else begin.t
    with np.errstate(divide="ignore"):
        sums = np.cumsum(np.log(found.growth[counted]), axis=0)
    spent = found.ends[counted] - zero
    exponents = sums[-1] / spent[-1]
    order = np.argsort(-exponents, kind="stable")
    edges = np.linspace(0, len(spent), min(BLOCKS, len(spent)) + 1).astype(int)[1:] - 1
    blocks = np.diff(sums[edges], axis=0, prepend=0.0) / np.diff(spent[edges], prepend=0.0)[:, None]
    errors = blocks.std(axis=0) / np.sqrt(max(len(blocks) - 1, 1))
    shown_at = np.unique(np.linspace(0, len(spent) - 1, 400).astype(int))
    history = sums[shown_at] / spent[shown_at, None]
    known = {
        **{s.name: float(v) for s, v in zip(flow.x, found.x, strict=True)},
        **{s.name: begin[s.name] for s in eq.constants},
    }
    end = State.of(
        eq,
        {**{s.name: begin[s.name] for s in eq.state}, **known, eq.t.name: float(found.ends[-1])},
        "end of a long motion",
    )
    return LyapunovExponents(
        eq, exponents[order], errors[order], found.ends[counted][shown_at], history[:, order], float(found.divergence[counted].sum() / spent[-1]), end
    )  # fmt: skip

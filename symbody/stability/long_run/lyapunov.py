"""`lyapunov`: rates of divergence of neighbouring motions in all directions, by the variational equations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ...algebra.graph.portable import Portable
from ...derivation.equations.equation_arguments import of_equations_or
from ...derivation.equations.equations import Equations
from ...derivation.equations.keywords import values_by_name
from ...derivation.equations.sampling import refuse_samples
from ...emit.run.callable import Array
from ...errors import StabilityError, finite_number, listed
from ...integrate.modes.modes import Contacts, Modes
from ...integrate.result.trajectory import Trajectory
from ...integrate.start.state import State
from ...summary import Tabular
from ..periodic.problem.itineraries import HybridSystem
from ..periodic.problem.orbit_flow import OrbitFlow
from .long_motion import LongMotion
from .variational_march import VariationalMarch

RTOL: Final = 1e-9  # relative tolerance of the simulations
STEPS_PER_ROUND: Final = 4  # number of steps between two orthogonalisations
MAX_ROUNDS: Final = 500  # largest number of rounds in one call of machine code, after which Ctrl-C is noticed
PIECES: Final = 400  # default number of simulations between orthogonalisations
BLOCKS: Final = 20  # number of parts of the time whose scatter gives the standard error
RANK_TOLERANCE: Final = 1e-9  # singular value, relative to the largest, below which a direction is not counted
# growth factor relative to the largest, in units of RANK_TOLERANCE, below which it is rounding noise
LOST_DIRECTION: Final = 1e-3


@dataclass(frozen=True, eq=False, repr=False)
class LyapunovExponents(Tabular, Portable):
    """Lyapunov exponents, the mean rates at which neighbouring motions diverge; returned by `lyapunov`.

    exponents    the largest first, 1/s; `errors` are standard errors from the scatter of parts of the time. Of directions
                 that some mode takes away (a block that sticks forgets how fast it was) they are -inf
    t, history   running means, one row for each time, to check convergence
    divergence   the mean divergence of the flow along the motion, by quadrature: the sum of all exponents; nan if it
                 was not computed
    state        at the end, to continue from

    >>> x, v = sb.symbols("x v", "variable")
    >>> found = sb.stability.lyapunov(sb.from_equations({x: -x, v: -2 * v}), 20.0, x=1.0, v=1.0)
    >>> found.divergence, float(found.exponents.sum())
    (-3.0, -3.0)

    See also: `stability.lyapunov`.
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
        """Whether the largest exponent is positive by more than its error."""
        return bool(
            len(self.exponents) and self.exponents[0] > 4 * self.errors[0] and self.exponents[0] * self.t[-1] > 10
        )

    @property
    def dimension(self) -> float:
        """The Kaplan-Yorke dimension: j + (λ₁ + ... + λⱼ)/|λⱼ₊₁| with the largest j for which that sum is not negative.

        >>> x, v = sb.symbols("x v", "variable")
        >>> found = sb.stability.lyapunov(sb.from_equations({x: -x, v: -2 * v}), 20.0, x=1.0, v=1.0)
        >>> found.dimension, found.is_chaotic
        (0.0, False)
        """
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
    """Growth factors of directions over a time interval: a row for each piece, the end time of each, and the
    integrals of the divergence; the state at the end, and the number of directions lost on the way."""

    ends: Array
    growth: Array
    divergence: Array
    state: State
    lost: int = 0


@values_by_name(StabilityError)
@of_equations_or(Modes, Contacts)
def lyapunov(
    equations: Equations | HybridSystem, t: float, start: Any = None, values: Mapping[Any, Any] | None = None, *, transient: float | None = None, number: int | None = None,
    step: float | None = None, pieces: int = PIECES, events: Sequence[Any] = (), options: Mapping[str, Any] | None = None, **named: Any,
) -> LyapunovExponents:  # fmt: skip
    """Lyapunov exponents over a time: `lyapunov(eq, 2000, x=1.0)`, the whole spectrum by variational equations with
    orthogonal directions.

    equations   of a mechanism; or `Modes` or `Contacts`, whose motions have mode transitions
    t           averaging time, after a `transient` (by default a tenth of it) in which the motion settles and the
                directions align
    start       values, a state, or a trajectory, whose end is used; also as keywords
    number      of exponents, the largest ones; by default all
    step        of the method, of order 8; by default that of a simulation to 1e-9 in its fast parts
    pieces      number of simulations with events, mode transitions or constraints, after each of which the directions
                are orthogonalised
    events      as in `simulate`; directions are mapped by saltation matrices

    The states are those of an orbit (without cyclic coordinates), and the directions are those that constraints allow.

    >>> x, v = sb.symbols("x v", "variable")
    >>> found = sb.stability.lyapunov(sb.from_equations({x: -x, v: -2 * v}), 20.0, x=1.0, v=1.0)
    >>> found.exponents
    array([-1.00332, -1.99668])

    See also: `stability.LyapunovExponents`, `attractors`.
    """
    if isinstance(equations, Equations):
        refuse_samples(equations, "lyapunov", StabilityError)
    where = f"lyapunov exponents of {equations.name!r}"
    span, first = (finite_number(x, where, StabilityError) for x in (t, t / 10 if transient is None else transient))
    if not (span > 0 and first >= 0):
        raise StabilityError(f"{where}: t must be positive and transient must not be negative; got {t:g} and {first:g}")
    begin = LongMotion.of(equations, start, values or {}, events, where)
    settled = begin.over(max(first / 2, 1e-3 * span), {"rtol": RTOL})
    if not settled.outcome:
        raise StabilityError(f"{where}: the motion does not reach the end of its transient: {settled.outcome}")
    here, whole = begin.behind(settled), first / 2 + span
    if events or here.mode or here.flow.constraints:
        parted = _growth_by_simulations(here, whole, number, pieces, where)
    else:
        h = step or float(np.quantile(np.diff(np.unique(settled.t)), 0.1))
        parted = _growth_by_march(here.flow, settled.state, whole, h, number)
    return _mean_exponents(parted, here.t, here.t + first / 2)


def _directions(flow: OrbitFlow, state: State, x: Array, p: Array, number: int | None) -> Array:
    """Orthonormal directions that the constraints allow, as many as requested."""
    G = flow.rows_at(state.t, x, p)[1] if flow.rows else np.zeros((0, flow.n))
    _, sv, V = np.linalg.svd(G)
    rank = int((sv > RANK_TOLERANCE * sv.max(initial=0.0)).sum())
    free = V[rank:].T
    count = free.shape[1] if number is None else min(number, free.shape[1])
    turned = np.linalg.qr(np.random.default_rng(1).normal(size=(free.shape[1], count)))[0]
    return np.asarray(free @ turned)


def _numbers(flow: OrbitFlow, state: State) -> tuple[Array, Array]:
    return np.array([state[s.name] for s in flow.x]), np.array(
        [state[s.name] for s in flow.equations.variables.constants]
    )


def _growth_by_march(flow: OrbitFlow, state: State, span: float, h: float, number: int | None) -> Parted:
    """The growth factors by the loop in machine code."""
    x, p = _numbers(flow, state)
    V, t = _directions(flow, state, x, p, number), state.t
    rounds = max(int(np.ceil(span / (h * STEPS_PER_ROUND))), 1)
    chunks = -(-rounds // MAX_ROUNDS)
    chunk = -(-rounds // chunks)
    rounds = chunk * chunks
    h = span / (rounds * STEPS_PER_ROUND)
    loop = VariationalMarch(flow, p, V.shape[1], chunk, STEPS_PER_ROUND)
    growth, divergence = np.zeros((0, V.shape[1])), np.zeros(0)
    while len(growth) < rounds:
        x, V = loop.run(t, h, x, V)
        if not np.isfinite(x).all():
            raise StabilityError(
                f"lyapunov exponents of {flow.equations.name!r}: the motion has no number after t = {t:z.6g}; "
                f"give a smaller step= than {h:z.2g}"
            )
        t += chunk * STEPS_PER_ROUND * h
        growth, divergence = np.concatenate([growth, loop.growth]), np.concatenate([divergence, loop.divergence])
    ends = state.t + STEPS_PER_ROUND * h * np.arange(1.0, len(growth) + 1)
    moved = {s.name: float(v) for s, v in zip(flow.x, x, strict=True)}
    end = State.of(flow.equations, {**state.values, **moved, flow.equations.t.name: float(ends[-1])})
    return Parted(ends, growth, divergence, end)


def _growth_by_simulations(begin: LongMotion, span: float, number: int | None, pieces: int, where: str) -> Parted:
    """The growth factors by simulations with sensitivities from piece to piece, which handle events, modes and
    constraints."""
    V = _admissible_directions(begin, number)
    growth, ends, most = [], [], V.shape[1]
    for now, motion in _pieces(begin, span, pieces, where):
        variations = motion.segments[-1].variations
        assert variations is not None
        rows = [now.equations.state.index(s) for s in now.flow.x]
        V, R = np.linalg.qr(variations[-1][rows] @ V)
        growth.append(np.abs(np.diag(R)))
        ends.append(now.t)
        most = max(most, _admissible_directions(now, number).shape[1]) if now.mode else most
        end = motion.state
    lost = most - V.shape[1]
    return Parted(np.array(ends), _without_lost_directions(np.array(growth)), np.full(len(ends), np.nan), end, lost)


def _admissible_directions(here: LongMotion, number: int | None) -> Array:
    """The directions of the current mode."""
    assert isinstance(here.start, State)
    return _directions(here.flow, here.start, *_numbers(here.flow, here.start), number)


def _without_lost_directions(growth: Array) -> Array:
    """The factors with zeros for directions that a constraint has removed, whose factors are rounding noise."""
    return np.where(
        growth > RANK_TOLERANCE * growth.max(axis=1, keepdims=True, initial=0.0) * LOST_DIRECTION, growth, 0.0
    )


def _pieces(begin: LongMotion, span: float, pieces: int, where: str) -> Iterator[tuple[LongMotion, Trajectory]]:
    here = begin
    for edge in np.linspace(begin.t, begin.t + span, pieces + 1)[1:]:
        names = [s.name for s in here.flow.x]
        motion = here.over(float(edge) - here.t, {"rtol": RTOL, "sensitivities": names, "held": "nearest"})
        if not motion.outcome:
            raise StabilityError(f"{where}: {motion.outcome}")
        here = here.behind(motion)
        yield here, motion


def _mean_exponents(found: Parted, begin: float, first: float) -> LyapunovExponents:
    """Means after the transient, and up to several times in between; standard errors from the scatter of parts."""
    counted = found.ends > first + 1e-9 * (found.ends[-1] - first)
    zero = float(found.ends[~counted][-1]) if (~counted).any() else begin
    with np.errstate(divide="ignore"):
        sums = np.cumsum(np.log(found.growth[counted]), axis=0)
    spent = found.ends[counted] - zero
    exponents = sums[-1] / spent[-1]
    order = np.argsort(-exponents, kind="stable")
    edges = np.linspace(0, len(spent), min(BLOCKS, len(spent)) + 1).astype(int)[1:] - 1
    with np.errstate(invalid="ignore"):
        blocks = np.diff(sums[edges], axis=0, prepend=0.0) / np.diff(spent[edges], prepend=0.0)[:, None]
        errors = blocks.std(axis=0) / np.sqrt(max(len(blocks) - 1, 1))
    errors[np.isinf(exponents)] = 0.0
    shown_at = np.unique(np.linspace(0, len(spent) - 1, 400).astype(int))
    history = sums[shown_at] / spent[shown_at, None]
    gone = np.full(found.lost, -np.inf)
    return LyapunovExponents(
        found.state.equations, np.append(exponents[order], gone), np.append(errors[order], np.zeros(found.lost)), found.ends[counted][shown_at],
        np.hstack([history[:, order], np.tile(gone, (len(history), 1))]), float(found.divergence[counted].sum() / spent[-1]), found.state,
    )  # fmt: skip

"""Configurations that satisfy the constraints, near random ones, at which `derive` and `audit` evaluate ranks and
masses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import pi
from random import Random
from typing import TYPE_CHECKING, Any, Final

from ...algebra.graph.late_matrix import LateRows
from ...algebra.nonlinear.nonlinear import SolverOutcome
from ..kinematics.linked_constraints import linked_parts
from ..kinematics.uncoupled_trees import repeated_parts
from .alike_configuration import alike_configuration
from .loop_closure import Values, closed_loops
from .regular_configuration import loop_by_loop
from .small_matrices import size

if TYPE_CHECKING:
    from ..equations.equations import Equations

MANY_COORDINATES: Final = 20  # number of coordinates from which loops are closed successively from the first start
# number of coordinates from which a configuration of equal parts is not looked for, where equal parts cannot have equal
# coordinates: loops are closed one by one at a cost that grows with the square of their number
MANY_PLACED: Final = 300
MANY_AT_ONCE: Final = 100  # number of coordinates of equal parts from which all loops together are not closed
MAX_STARTS: Final = 8  # largest number of random starts


@dataclass(frozen=True)
class Configuration:
    """Outcome of the search for a configuration.

    values      numbers for every symbol; the constraints hold where `residuals` are small
    residuals   of phi, then of the norms of Euler parameters
    holds       whether they vanish, to rounding
    is_stuck    whether every start ended at a local minimum of the residual that is not zero
    is_sought   False where no search was made, since it would take long: the values are random
    """

    values: Values
    residuals: list[float]
    holds: bool = True
    is_stuck: bool = False
    is_sought: bool = True


def configuration(
    eq: Equations, seed: int = 1, given: Mapping[Any, float] | None = None, is_wide: bool = False
) -> Configuration:
    """The first configuration from a few random starts near the given values that satisfies the constraints, or the
    closest one.

    If the parameters do not permit the constraints to be satisfied, those without given values are moved together with
    the coordinates.

    is_wide   starts have angles of the whole circle
    """
    key = (seed, None if given is None else tuple(given.items()), is_wide)
    return eq.cached("configuration", key, lambda: _configuration_by_search(eq, seed, given or {}, is_wide))


def _configuration_by_search(eq: Equations, seed: int, given: Mapping[Any, float], is_wide: bool) -> Configuration:
    best, stuck = Configuration({}, [float("inf")], holds=False), True
    fixed = {s: float(v) for s, v in given.items()}
    if not eq.rows.positions:  # every configuration of a tree will do: no search
        return Configuration(random_values(eq, Random(1000 * seed)) | fixed, [])
    if len(eq.q) > MANY_COORDINATES:
        random = Random(1000 * seed)
        is_linked = isinstance(eq.Jc, LateRows) and linked_parts(eq.mechanism) is not None
        if is_linked and len(eq.q) > MANY_AT_ONCE:
            return Configuration(random_values(eq, random), [], holds=False, is_sought=False)
        parts = repeated_parts(eq.mechanism) if isinstance(eq.Jc, LateRows) and not (fixed or is_linked) else None
        if parts is not None:
            alike = alike_configuration(eq, parts, random_values(eq, random), random)
            if alike is not None:
                return Configuration(alike, [0.0] * len(eq.rows.positions))
            if len(eq.q) > MANY_PLACED:
                return Configuration(random_values(eq, random), [], holds=False, is_sought=False)
        place = loop_by_loop(eq, random_values(eq, random) | fixed, random)
        if place is not None:
            return Configuration(place, [0.0] * len(eq.rows.positions))
        if isinstance(eq.Jc, LateRows) and len(eq.q) > MANY_AT_ONCE:
            return Configuration(random_values(eq, random), [], holds=False, is_sought=False)
    loose = [v.symbol for v in eq.variables.of("p") if v.default is None and v.symbol not in fixed]
    for start in range(MAX_STARTS):
        random = Random(1000 * seed + start)
        values = random_values(eq, random) | fixed
        if is_wide:
            values |= {v.symbol: random.uniform(-pi, pi) for v in eq.variables.of("q") if v.is_angle} | fixed
        if start > 0:
            values |= {q: values[q] + random.uniform(-1, 1) for q in eq.q}  # given places are places to start from
        reached, found = closed_loops(eq, [*eq.q, *loose] if start >= MAX_STARTS // 2 else eq.q, values)
        if found.holds:
            return Configuration(reached, found.F.tolist())
        if found.outcome is SolverOutcome.NOT_FINITE:
            continue
        stuck = stuck and found.outcome in (SolverOutcome.LOCAL_MINIMUM, SolverOutcome.SINGULAR)
        here = Configuration(reached, found.F.tolist(), holds=False)
        best = min(best, here, key=lambda c: size(c.residuals))
    return replace(best, is_stuck=stuck and bool(best.values))


def random_values(eq: Equations, random: Random) -> Values:
    """Random numbers for every symbol of the equations, regardless of the constraints. Parameters: those of the
    model, or between ½ and 3/2."""
    known = {s: float(v) for s, v in eq.mechanism.values.items()}
    values: Values = {p: known.get(p, random.uniform(0.5, 1.5)) for p in eq.p}
    moving = (*eq.q, *eq.u, *eq.z, *eq.r, *eq.lam, eq.t)
    values |= {s: random.uniform(-1, 1) for s in (*moving, *(s.dot for s in (*eq.u, *eq.z)))}
    for norm in eq.mechanism.norms:
        length = sum(values[e] ** 2 for e in norm) ** 0.5
        values |= {e: values[e] / length for e in norm}
    return values

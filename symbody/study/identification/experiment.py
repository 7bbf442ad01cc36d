"""One experiment as a chain of shooting segments (Bock, 1981).

The state at the first time of each segment is unknown, in independent coordinates and speeds w; the motion of a
segment, and what is measured of it, follow from it and from the parameters p, with exact derivatives:

    w_(k+1) = φ_k(w_k, p),      y = h(t, w_k, p)

For constrained mechanisms the dependent variables are assembled from w, and the derivatives account for them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from scipy.linalg import qr

from ...algebra.calculus.derivatives import jacobian
from ...algebra.calculus.evaluate import evaluate
from ...algebra.graph.matrix import Matrix
from ...derivation.equations.equations import Equations
from ...derivation.rank.row_space import dependent_columns
from ...emit.lowering.lower import program
from ...emit.run.callable import Array, Compiled, compile_program
from ...errors import AssemblyError, SimulationError, StudyError
from ...integrate.inputs.inputs import closed_loop
from ...integrate.inputs.meanings import quantity_expressions
from ...integrate.result.trajectory import Trajectory
from ...integrate.run.simulate import simulate
from ...integrate.start.assembly import assemble
from ...integrate.start.state import State
from .measurement import Measurement

MAX_SEGMENTS: Final = 8  # largest number of segments chosen by default
MIN_QUALITY: Final = 0.02  # smallest quality of a choice of independent variables, relative to the best choice
MIN_SAMPLES: Final = 4  # smallest number of samples of a segment


@dataclass(frozen=True)
class Shot:
    """One segment: predicted measurements (rows of times, columns of quantities), the state after it, and
    derivatives with respect to w and p."""

    y: Array
    y_w: Array
    y_p: Array
    end: Array
    end_w: Array
    end_p: Array


@dataclass(frozen=True, eq=False)
class Experiment:
    """A measurement with the equations that describe it.

    free      names of the unknown parameters
    fixed     values of the other parameters
    nodes     indices of the times at which segments begin, and the last one
    options   of `simulate`
    """

    equations: Equations
    measured: Measurement
    free: tuple[str, ...]
    fixed: Mapping[str, float]
    nodes: tuple[int, ...]
    options: Mapping[str, Any]

    # ------------------------------------------------------------------------------------------------ states

    @property
    def is_constrained(self) -> bool:
        return bool(self.equations.rows.positions or self.equations.lam)

    @cached_property
    def guesses(self) -> tuple[State, ...]:
        """The state at the beginning of each segment: measured where it is, else where the motion from the one before
        leads."""
        rest = dict.fromkeys((s.name for s in self.equations.state), 0.0) | dict(self.measured.start)
        out = [self._guess(0, rest)]
        for begin, end in zip(self.nodes[:-2], self.nodes[1:-1], strict=True):
            span = (self.measured.t[begin], self.measured.t[end])
            sim = simulate(self.equations, span, out[-1], options={"progress": False, **self.options})
            last = sim.state if sim.outcome else out[-1]
            out.append(self._guess(end, {s.name: float(last[s]) for s in self.equations.state}))
        return tuple(out)

    def _guess(self, k: int, near: Mapping[str, float]) -> State:
        """On constraints measured values may contradict each other: as many of them hold as are independent, and the
        rest is near."""
        p, known = {n: self.fixed[n] for n in self.free}, self._measured_near(k)
        if not self.is_constrained:
            return self.state(known, near, p, k)
        held = dict(self.measured.held) if k == 0 else {}
        rough = self.state(held, {**near, **known}, p, k)
        try:
            return self.state({**self._consistent(rough, known), **held}, {**near, **known}, p, k)
        except AssemblyError:
            return rough

    def _consistent(self, state: State, known: Mapping[str, float]) -> dict[str, float]:
        """Known values that the constraints leave independent of each other, near a state."""
        out: dict[str, float] = {}
        for rows, group in self._constraint_rows:
            names = self.equations.variables.of(group).names
            J = np.array(evaluate(list(rows.entries), _numbers(state)), dtype=float).reshape(-1, len(names))
            dependent = _by_pivots(J, {j for j, n in enumerate(names) if n in known}) if rows.entries else ()
            if not rows.entries or _quality(J, dependent) > MIN_QUALITY:
                out |= {n: known[n] for j, n in enumerate(names) if n in known and j not in dependent}
        return out

    @cached_property
    def _constraint_rows(self) -> tuple[tuple[Matrix, str], ...]:
        """Slopes of the constraints in coordinates, and in speeds."""
        eq = self.equations
        phi = Matrix(len(eq.rows.positions), 1, tuple(r.expression for r in eq.rows.positions))
        return (jacobian(phi, eq.q), "q"), (eq.Jc, "u")

    def _measured_near(self, k: int) -> dict[str, float]:
        """States that are measured, and rates of measured coordinates, at the k-th time."""
        eq, out = self.equations, dict[str, float]()
        for s in eq.state:
            value = self.measured.near(s.name, k)
            if value is None and (q := next((q for q in eq.q if q.dot is s), None)) is not None:
                value = self.measured.slope(q.name, k)
            if value is not None:
                out[s.name] = value
        return {**out, **self.measured.held} if k == 0 else out

    def state(self, values: Mapping[str, float], near: Mapping[str, float], p: Mapping[str, float], k: int) -> State:
        """A state with these values at the k-th time, on the constraints of these parameters, the rest near others."""
        eq, t = self.equations, float(self.measured.t[k])
        parameters = {**self.fixed, **p}
        if not self.is_constrained:
            return State.of(eq, {**near, **values, **parameters, "t": t})
        rough = {n: v for n, v in near.items() if n not in values}
        return assemble(eq, {**parameters, **values, "t": t}, start=rough)

    @cached_property
    def independent(self) -> tuple[tuple[str, ...], ...]:
        """Names of w at the beginning of each segment: the whole state, or what constraints leave of it: the same ones
        everywhere where some determine the others well along the whole motion (the angle of a crank, but not the place
        of its slider, which has dead centres)."""
        eq = self.equations
        if not self.is_constrained:
            return (tuple(s.name for s in eq.state),) * len(self.guesses)
        groups = [self._independent_names(rows, group) for rows, group in self._constraint_rows]
        return tuple((*q, *u, *eq.variables.of("z").names) for q, u in zip(*groups, strict=True))

    def _independent_names(self, rows: Matrix, group: str) -> list[tuple[str, ...]]:
        """Names of the independent variables of a group at each node."""
        names, out = self.equations.variables.of(group).names, []
        if not rows.entries:
            return [names] * len(self.guesses)
        slopes = [
            np.array(evaluate(list(rows.entries), _numbers(s)), dtype=float).reshape(-1, len(names))
            for s in self.guesses
        ]
        held = {j for j, n in enumerate(names) if n in self.measured.held}
        own = [_by_pivots(J, held if k == 0 else set()) for k, J in enumerate(slopes)]
        common = max(dict.fromkeys(own), key=lambda d: min(_quality(J, d) for J in slopes))
        for k, J in enumerate(slopes):
            is_good = _quality(J, common) > MIN_QUALITY and not (k == 0 and held & set(common))
            dependent = common if is_good else own[k]
            out.append(tuple(n for j, n in enumerate(names) if j not in dependent))
        return out

    @property
    def first_nodes(self) -> Array:
        """w of the guesses."""
        return np.array([[float(s[n]) for n in names] for s, names in zip(self.guesses, self.independent, strict=True)])

    # ------------------------------------------------------------------------------------------------ motions

    def _places(self, names: Sequence[str]) -> list[int]:
        """Of variables in the state."""
        known = [s.name for s in self.equations.state]
        return [known.index(n) for n in names]

    def shots(self, nodes: Array, p: Array) -> list[Shot] | str:
        """All segments; where a motion does not reach its end, why."""
        out, near = [], {s.name: float(self.guesses[0][s]) for s in self.equations.state}
        numbers = dict(zip(self.free, map(float, p), strict=True))
        for k, w in enumerate(nodes):
            try:
                sim = self._motion(k, dict(zip(self.independent[k], map(float, w), strict=True)), near, numbers)
            except (AssemblyError, SimulationError) as reason:
                return str(reason)
            if not sim.outcome:
                return str(sim.outcome)
            out.append(self._shot(k, sim))
            near = {s.name: float(v) for s, v in zip(self.equations.state, sim.y[-1], strict=True)}
        return out

    def _motion(self, k: int, w: Mapping[str, float], near: Mapping[str, float], p: Mapping[str, float]) -> Trajectory:
        begin, end = self.nodes[k], self.nodes[k + 1]
        start = self.state(w, near, p, begin)
        held = {"held": list(w)} if self.is_constrained else {}
        wanted = {"sensitivities": [*w, *self.free], "progress": False, **held}
        return simulate(self.equations, self.measured.t[begin : end + 1], start, options={**self.options, **wanted})

    def _shot(self, k: int, sim: Trajectory) -> Shot:
        """Measured quantities of a segment: without its last time, which is the first of the next one, but for the last
        segment."""
        assert sim.variations is not None
        rows, names = len(sim) - (k < len(self.nodes) - 2), list(sim.wrt)
        S = sim.variations[:, :, [names.index(n) for n in (*self.independent[k], *self.free)]]
        eq, n = self.equations, len(self.independent[k])
        groups = [sim.t[:rows], sim.y[:rows], *([sim.r] if eq.r else []), *([sim.p] if eq.p else [])]
        y, y_x, y_p = (
            np.asarray(x).reshape(rows, len(self.measured.values), -1) for x in self._quantities.batch(*groups)
        )
        slopes = y_x @ S[:rows]
        slopes[:, :, n:] += y_p[:, :, : len(self.free)]
        following = self._places(self.independent[min(k + 1, len(self.independent) - 1)])
        last = S[-1][following]
        return Shot(y[:, :, 0], slopes[:, :, :n], slopes[:, :, n:], sim.y[-1][following], last[:, :n], last[:, n:])

    @cached_property
    def _quantities(self) -> Compiled:
        """The measured quantities, and their derivatives with respect to the state and to the free parameters."""
        eq = self.equations
        rows = quantity_expressions(eq, list(self.measured.values), f"identify {eq.name!r}", StudyError)
        column = Matrix(len(rows), 1, tuple(rows))
        free = [eq.variables.of("p").symbol(n, f"identify {eq.name!r}", StudyError) for n in self.free] or [eq.t]
        groups: dict[str, Any] = (
            {"t": eq.t, "x": list(eq.state)} | ({"r": list(eq.r)} if eq.r else {}) | ({"p": list(eq.p)} if eq.p else {})
        )
        outputs = {"y": column, "y_x": jacobian(column, eq.state), "y_p": jacobian(column, free)}
        return compile_program(program("measured", groups, outputs))


def _numbers(state: State) -> dict[Any, float]:
    return {s: float(state[s]) for s in state.equations.variables.of("t q u z p r").symbols}


def _by_pivots(J: Array, kept: set[int]) -> tuple[int, ...]:
    """Columns determined by the others through J δ = 0, largest pivots first; those that are to be independent last."""
    pivots = [int(j) for j in qr(J, mode="r", pivoting=True)[1]]
    return tuple(sorted(dependent_columns(J, sorted(pivots, key=lambda j: j in kept), kept)))


def _quality(J: Array, dependent: Sequence[int]) -> float:
    """How well columns follow from the others: their least singular value, in units of the least that matters of
    all."""
    whole = np.linalg.svd(J, compute_uv=False)
    return float(np.linalg.svd(J[:, list(dependent)], compute_uv=False).min() / whole[len(dependent) - 1])


def experiments(
    eq: Equations,
    measured: Sequence[Measurement],
    free: Mapping[str, float],
    fixed: Mapping[str, float],
    segments: int | None,
    options: Mapping[str, Any],
) -> tuple[Experiment, ...]:
    """An experiment for each measurement, with its inputs put into the equations."""
    out = []
    for m in measured:
        own = closed_loop(eq, m.inputs) if m.inputs else eq
        count = segments or max(1, min(MAX_SEGMENTS, (len(m.t) - 1) // MIN_SAMPLES))
        if count > len(m.t) - 1:
            raise StudyError(f"identify {eq.name!r}: {count} segments need more than {len(m.t)} times")
        nodes = tuple(int(k) for k in np.linspace(0, len(m.t) - 1, count + 1).round())
        out.append(Experiment(own, m, tuple(free), {**fixed, **free}, nodes, options))
    return tuple(out)

"""`OptimalMotion`: a solution on a mesh, its outcome as a sentence, its errors, and the comparison with a
simulation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np

import symbody as sb

from ....argument_kinds import answered_class
from ....errors import listed, unknown
from ....summary import SearchOutcome, Summarized, Summary, counted, summary_rows
from ..parts.statements import kinked_statements
from ..transcription.contradictions import contradictory_statements, dependent_statements
from ..transcription.ipopt_solver import SUCCESS, IpoptResult
from ..transcription.mesh_errors import INSIDE, chosen_values, interval_errors
from ..transcription.node_functions import Array
from ..transcription.transcription import PhaseMesh, Transcription
from .funnels import Funnel, motion_funnel
from .motion_page import motion_figure, motion_page, saved_motion
from .motion_sensitivity import MotionSensitivity, motion_sensitivity
from .tracking_feedback import TrackingFeedback, tracking_feedback

ACTIVE: Final = 1e-6  # distance from a bound, relative to its size, at which it is active
COARSE: Final = 1e-2  # error of an interval from which on the summary says what to do
HINT: Final = "; solve(accuracy=1e-4) refines the mesh"
STATED: Final = ("path ", "condition ", "integral ")  # how the names of rows with ranges begin
KINK_ADVICE: Final = "write abs(u) as u1 + u2 with inputs u1, u2 >= 0 and u = u1 - u2"
HUGE: Final = 1e8  # unknowns that grow beyond this are named where a problem has no bound


@dataclass(frozen=True, eq=False, repr=False)
class ActiveBound:
    """A bound that holds back the motion: where, on which side, at how many nodes (none for a duration, a condition or an
    integral of the whole phase; no phase for a chosen parameter), and how fast the least cost changes with it."""

    phase: str
    name: str
    side: str
    nodes: int
    price: float

    def __str__(self) -> str:
        nodes = f" at {counted(self.nodes, 'node')}" if self.nodes else ""
        return f"{self.name} at its {self.side} bound{nodes}{f' of {self.phase}' if self.phase else ''}"

    def __repr__(self) -> str:
        return f"<{self}>"


@dataclass(frozen=True, eq=False, repr=False)
class SimulationCheck(Summarized):
    """A motion compared with simulations with its inputs, phase by phase from its states at the starts.

    differences    largest |state - simulated state| over the nodes of all phases, by name
    relative       the largest of these, each relative to the largest value of its state
    trajectories   the simulations, by phase

    >>> x, F = sb.symbols("x F", kind="variable")
    >>> problem = sb.kits.motions.Problem("drift")
    >>> go = problem.phase("go", sb.from_equations({x: F - x}, inputs=[F]), 1.0).start(x=0).end(x=1)
    >>> check = go.cost("effort", integral=F**2) and problem.solve(10).check()
    >>> check.relative < 1e-4, sorted(check.differences), check.trajectories["go"].final["x"] > 0.999
    (True, ['x'], True)

    See also: `kits.motions.OptimalMotion`, `simulate`.
    """

    differences: Mapping[str, float]
    relative: float
    trajectories: Mapping[str, sb.Trajectory]

    def _summary(self) -> Summary:
        rows = tuple((name, f"{x:z.3g}") for name, x in self.differences.items())
        return Summary(f"Motion beside simulate: differs by {self.relative:z.3g} of the largest values", rows)


@answered_class
class OptimalMotion(Summarized):
    """The best motion that was found; made by `Problem.solve`. `motion["x"]` has the values of a state, input,
    multiplier or output at the nodes, at the times `motion.t`; phases follow each other.

    outcome      how the search ended, true where a minimum was found
    objective    the cost, and `costs` its terms by name
    durations    of the phases, and `parameters` those that were chosen, by name
    iterations   of IPOPT
    error        largest error of an interval (`errors` has all): ∫|x' - F(x, r)| dt relative to the largest |x|
    active       bounds that the motion reaches, each with its `price`: how fast the least cost changes with the bound
    shadow_prices   how fast the least cost changes with the values of conditions and integrals, and with the values that
                 are prescribed at the starts and ends, by statement
    history      errors of the meshes before, where the mesh was refined

    >>> x, v, F = sb.symbols("x v F", kind="variable")
    >>> problem = sb.kits.motions.Problem("cart")
    >>> push = problem.phase("push", sb.from_equations({x: v, v: F}, inputs=[F]), duration=(0.1, 10))
    >>> push = push.start(x=0, v=0).end(x=1, v=0).bounds(F=(-1, 1)).cost("time", integral=1)
    >>> motion = problem.solve(intervals=20, method="radau")
    >>> motion.durations, motion.costs  # half of the time forwards, half of it backwards
    ({'push': 2.0}, {'time': 2.0})
    >>> [str(a) for a in motion.active]
    ['F at its lower bound at 28 nodes of push', 'F at its upper bound at 29 nodes of push']
    >>> float(motion["x"][-1]), float(motion.t[-1]), motion.iterations < 100, motion.parameters, motion.name
    (1.0, 2.0, True, {}, 'cart')
    >>> motion.outcome, len(motion.errors["push"]), motion.error < 1e-6, motion.history, motion.shadow_prices["x at the end"]
    ('optimal', 20, True, (), 1.0)
    >>> sorted(motion.columns), motion.check().relative < 1e-6
    (['F', 't', 'v', 'x'], True)

    With a parameter, `motion.sensitivity("m")` has the derivatives of all this (`kits.motions.MotionSensitivity`).

    See also: `kits.motions.Problem`, `kits.motions.SimulationCheck`, `kits.motions.TrackingFeedback`.
    """

    def __init__(self, name: str, made: Transcription, found: IpoptResult, history: tuple[float, ...] = ()) -> None:
        self.name, self.transcription, self.solution, self.history = name, made, found, history
        self.objective, self.iterations = found.cost, found.iterations

    def _summary(self) -> Summary:
        rows = summary_rows(
            outcome=str(self.outcome),
            cost=f"{self.objective:z.8g} ({', '.join(f'{k} {v:z.6g}' for k, v in self.costs.items())})",
            durations=", ".join(f"{k} {v:z.6g} s" for k, v in self.durations.items()),
            chosen=", ".join(f"{k} = {v:z.6g}" for k, v in self.parameters.items()),
            iterations=str(self.iterations),
            error=f"{self.error:z.2g} in an interval, relative{HINT if self.error > COARSE else ''}",
        )
        nodes = sum(len(m.at) for m in self.transcription.meshes.values())
        return Summary(f"Motion {self.name}: {counted(len(self.durations), 'phase')}, {nodes} nodes", rows)

    # ------------------------------------------------------------------------------------------------ values

    @cached_property
    def outcome(self) -> SearchOutcome:
        """How the search ended."""
        return _outcome(self.transcription, self.solution)

    @cached_property
    def durations(self) -> dict[str, float]:
        """Durations of the phases in s, by name."""
        return {k: float(self.solution.z[place]) for k, place in self.transcription.duration.items()}

    @cached_property
    def parameters(self) -> dict[str, float]:
        """Parameters that were chosen, by name."""
        return {s.name: float(self.solution.z[place]) for s, place in self.transcription.parameter.items()}

    @cached_property
    def impulses(self) -> dict[str, float]:
        """Impulses of impacts, by phase that begins with them and multiplier: "stance: foot"."""
        return {f"{a}: {b}": float(self.solution.z[k]) for (a, b), k in self.transcription.impulse.items()}

    @cached_property
    def costs(self) -> dict[str, float]:
        """Terms of the cost, with their weights, by name."""
        return self.transcription.costs(self.solution.z)

    def _nodes(self, mesh: PhaseMesh) -> Array:
        return self.solution.z[mesh.index]

    def times(self, phase: str) -> Array:
        """Times of the nodes of a phase."""
        t, z = self.transcription, self.solution.z
        if phase not in t.meshes:
            raise unknown(f"motion {self.name!r}", "phase", phase, t.meshes, sb.ModelError)
        return z[t.begin[phase]] + t.meshes[phase].at * z[t.duration[phase]]

    @cached_property
    def t(self) -> Array:
        """Times of all nodes; where phases meet there are two."""
        return np.concatenate([self.times(p) for p in self.transcription.meshes])

    def values(self, what: Any, phase: str) -> Array:
        """A state, input, multiplier, output or expression at the nodes of a phase.

        >>> x, F = sb.symbols("x F", kind="variable")
        >>> problem = sb.kits.motions.Problem("drift")
        >>> go = problem.phase("go", sb.from_equations({x: F}, inputs=[F]), 1.0).start(x=0).end(x=1)
        >>> motion = go.cost("effort", integral=F**2) and problem.solve(2)
        >>> motion.values(2 * x, "go"), motion.times("go"), motion.impulses
        (array([0. , 0.5, 1. , 1.5, 2. ]), array([0.  , 0.25, 0.5 , 0.75, 1.  ]), {})
        """
        t = self.times(phase)
        mesh = self.transcription.meshes[phase]
        form = mesh.phase.form
        names = {s.name: j for s, j in mesh.place.items()}
        if isinstance(what, str) and what in names:
            return self._nodes(mesh)[:, names[what]]
        e = form.expression(what, f"motion {self.name!r}")
        form.refuse_strange(e, f"motion {self.name!r}, values in {phase!r}")
        eq = mesh.phase.equations
        numbers = {**mesh.phase.parameters, **chosen_values(self.transcription, self.solution.z)}
        used = set(sb.free_symbols(e))
        p = [s for s in eq.p if s in used]
        groups = {"t": eq.t, "v": list(form.node), **({"p": p} if p else {})}
        f = sb.compile(sb.program("values", groups, {"out": sb.vector(e)}))
        more = [np.array([numbers[s] for s in p])] if p else []
        return np.asarray(f.batch(t, self._nodes(mesh), *more)).ravel()

    def __getitem__(self, what: Any) -> Array:
        return np.concatenate([self.values(what, p) for p in self.transcription.meshes])

    @cached_property
    def columns(self) -> dict[str, Array]:
        """Time, and all states and inputs that every phase has, as columns of a table."""
        names = [
            {s.name: None for s in (*m.phase.form.states, *m.phase.form.inputs)}
            for m in self.transcription.meshes.values()
        ]
        common = [n for n in names[0] if all(n in other for other in names)]
        return {"t": self.t, **{n: self[n] for n in common}}

    @cached_property
    def active(self) -> tuple[ActiveBound, ...]:
        """Bounds of variables, path constraints, conditions, integrals, durations and chosen parameters that the motion
        reaches.

        >>> x, F = sb.symbols("x F", kind="variable")
        >>> problem = sb.kits.motions.Problem("drift")
        >>> go = problem.phase("go", sb.from_equations({x: F}, inputs=[F]), (0.5, 2)).start(x=0).end(x=1)
        >>> go.path("steep", F - x, high=0.3).cost("effort", integral=F**2) and problem.solve(10).active
        (<path 'steep' at its upper bound at 6 nodes of go>, <duration at its upper bound of go>)
        """
        made, z = self.transcription, self.solution.z
        program, out = made.program, list[ActiveBound]()

        def add(
            phase: str, name: str, values: Array, low: Array, high: Array, slope: Array, nodes: bool = True
        ) -> None:
            for side, bound in (("lower", low), ("upper", high)):
                near = np.isfinite(bound) & (low < high) & (np.abs(values - bound) <= ACTIVE * (1 + np.abs(bound)))
                if near.any():
                    out.append(ActiveBound(phase, name, side, int(near.sum()) * nodes, float(slope[near].sum())))

        def add_unknown(phase: str, name: str, at: Any, nodes: bool = True) -> None:
            add(phase, name, z[at], program.low[at], program.high[at], self._slope[at], nodes)

        rows, lam = program.first(z).rows, self.solution.row_multipliers
        for phase, mesh in made.meshes.items():
            for s, j in mesh.place.items():
                add_unknown(phase, s.name, mesh.index[:, j])
            own = f"{mesh.phase.where}: "
            for g in program.groups:
                name = g.name.removeprefix(own)
                if g.name.startswith(own) and name.startswith(STATED):
                    at = g.rows
                    path = name.startswith("path")
                    add(phase, name, rows[at], program.row_low[at], program.row_high[at], -lam[at], path)
            add_unknown(phase, "duration", np.array([made.duration[phase]]), False)
        for s, place in made.parameter.items():
            add_unknown("", s.name, np.array([place]), False)
        return tuple(out)

    @cached_property
    def shadow_prices(self) -> dict[str, float]:
        """Derivatives of the least cost: with respect to the values of conditions and integrals, and to values that are
        prescribed at the starts and ends.

        >>> x, F = sb.symbols("x F", kind="variable")
        >>> problem = sb.kits.motions.Problem("drift")
        >>> go = problem.phase("go", sb.from_equations({x: F}, inputs=[F]), 2.0).start(x=1).end(x=4)
        >>> go.cost("effort", integral=F**2) and problem.solve(2).shadow_prices  # (4 - 1)² / 2
        {'x at the start': -3.0, 'x at the end': 3.0}
        """
        lam, program = self.solution.row_multipliers, self.transcription.program
        told = [g for g in program.groups if "condition" in g.name or "integral" in g.name]
        several = len(self.transcription.meshes) > 1
        out = {}
        for name, mesh in self.transcription.meshes.items():
            of_phase = f" of {name}" if several else ""
            own = f"{mesh.phase.where}: "
            for g in (g for g in told if g.name.startswith(own)):
                out[g.name.removeprefix(own) + of_phase] = float(-lam[g.rows].sum())
            for at, row in (("start", mesh.index[0]), ("end", mesh.index[-1])):
                for s in mesh.phase.ranges[at]:
                    k = row[mesh.place[s]]
                    if program.low[k] == program.high[k]:
                        out[f"{s.name} at the {at}{of_phase}"] = float(self._slope[k])
        return out

    @cached_property
    def _slope(self) -> Array:
        """Derivatives of the Lagrangian: what the least cost changes with an unknown that is held."""
        program = self.transcription.program
        now = program.first(self.solution.z)
        return now.gradient + program.jacobian_pattern.matrix(now.jacobian).T @ self.solution.row_multipliers

    @cached_property
    def errors(self) -> dict[str, Array]:
        """Of each interval of each phase: ∫|x' - F(x, r)| dt of the polynomials of the method, largest state, relative
        to the largest |x| (Betts 2010, section 4.7)."""
        return {
            name: interval_errors(self.solution.z, self.transcription, mesh)
            for name, mesh in self.transcription.meshes.items()
        }

    @property
    def error(self) -> float:
        """The largest of `errors`."""
        return float(max(e.max() for e in self.errors.values()))

    # ------------------------------------------------------------------------------------------------ simulation

    def input_samples(self, phase: str) -> dict[str, tuple[Array, Array, str]]:
        """Inputs of a phase as samples for `simulate`: the polynomials of the method, by straight lines between many
        points.

        >>> x, F = sb.symbols("x F", kind="variable")
        >>> problem = sb.kits.motions.Problem("drift")
        >>> go = problem.phase("go", sb.from_equations({x: F}, inputs=[F]), 1.0).start(x=0).end(x=1)
        >>> motion = go.cost("effort", integral=F**2) and problem.solve(2)
        >>> motion.input_samples("go")["F"][1][:3]
        array([1., 1., 1.])
        """
        times, mesh = self.times(phase), self.transcription.meshes[phase]
        table, m, v = mesh.table, mesh.steps, self._nodes(mesh)
        tau = np.linspace(0, 1, INSIDE)
        tau[0] = 1e-9  # the inputs of an interval begin where those before have ended
        nodes = np.arange(mesh.intervals)[:, None] * m + np.arange(m + 1)[None, :]
        used = nodes if table.starts_collocated else nodes[:, 1:]
        begin, h = times[nodes[:, 0]], np.diff(times[np.append(nodes[:, 0], nodes[-1, -1])])
        t = np.concatenate([[times[0]], (begin[:, None] + h[:, None] * tau).ravel()])
        out, values = {}, np.einsum("tj,kjr->ktr", table.values(tau), v[used]).reshape(-1, v.shape[1])
        for s in mesh.phase.equations.variables.inputs:
            column = values[:, mesh.place[s]]
            out[s.name] = (t, np.append(column[0], column), "linear")
        return out

    def feedback(self, Q: Any = 1.0, R: Any = 1.0, end: Any = 1.0, phase: str = "") -> TrackingFeedback:
        """The linear quadratic regulator along a phase: inputs as expressions of state and time, for `simulate`.

        Q, R, end   weights of states, of inputs and of states at the end: a number, numbers by name, or a matrix
        phase       its name; without one, the first phase

        >>> x, F = sb.symbols("x F", kind="variable")
        >>> eq = sb.from_equations({x: x + F}, inputs=[F])
        >>> problem = sb.kits.motions.Problem("unstable")
        >>> go = problem.phase("go", eq, 5.0).start(x=1).end(x=0).cost("effort", integral=F**2)
        >>> motion = problem.solve(20)
        >>> abs(sb.simulate(eq, 5.0, x=1.1, inputs=motion.feedback(Q=10.0)).final["x"]) < 1e-3
        True
        """
        return tracking_feedback(self, phase or next(iter(self.durations)), Q, R, end)

    def funnel(
        self,
        law: TrackingFeedback,
        spread: Mapping[Any, Any],
        *,
        tolerance: float = 1e-2,
        count: int = 50,
        seed: int = 0,
    ) -> Funnel:
        """Simulations of the first phase with a feedback, from random starts within ± spread of the motion's: which of
        them end within the tolerance of its end, and how far they go from it.

        spread   largest distances by state; others begin on the motion

        >>> x, F = sb.symbols("x F", kind="variable")
        >>> problem = sb.kits.motions.Problem("drift")
        >>> go = problem.phase("go", sb.from_equations({x: F}, inputs=[F]), 1.0).start(x=0).end(x=1)
        >>> motion = go.cost("effort", integral=F**2) and problem.solve(5)
        >>> motion.funnel(motion.feedback(Q=100.0), {"x": 0.5}, count=4).fraction
        1.0
        """
        return motion_funnel(self, law, spread, tolerance, count, seed)

    def sensitivity(self, parameter: Any) -> MotionSensitivity:
        """Derivatives of cost, durations, states and inputs with respect to a parameter of the model, at the same active
        bounds.

        >>> x, F = sb.symbols("x F", kind="variable")
        >>> d = sb.symbol("d")
        >>> problem = sb.kits.motions.Problem("drift")
        >>> go = problem.phase("go", sb.from_equations({x: F - d}, {d: 1.0}, inputs=[F]), 1.0).start(x=0).end(x=1)
        >>> motion = go.cost("effort", integral=F**2) and problem.solve(2)
        >>> motion.objective, motion.sensitivity("d").cost  # (1 + d)²
        (4.0, 4.0)
        """
        return motion_sensitivity(self, parameter)

    def trajectory(self) -> sb.Trajectory:
        """The states at the nodes as a trajectory, phase after phase: for scenes, films, energies and files.

        >>> x, F = sb.symbols("x F", kind="variable")
        >>> problem = sb.kits.motions.Problem("drift")
        >>> go = problem.phase("go", sb.from_equations({x: F}, inputs=[F]), 1.0).start(x=0).end(x=1)
        >>> motion = go.cost("effort", integral=F**2) and problem.solve(2)
        >>> motion.trajectory()["x"], motion.save("drift.csv").name, "Active bounds" in motion.page()
        (array([0.  , 0.25, 0.5 , 0.75, 1.  ]), 'drift.csv', True)
        """
        segments = []
        for name, mesh in self.transcription.meshes.items():
            eq, t, v = mesh.phase.equations, self.times(name), self._nodes(mesh)
            numbers = {**mesh.phase.parameters, **chosen_values(self.transcription, self.solution.z)}
            p, r = np.array([numbers[s] for s in eq.p]), v[0, [mesh.place[s] for s in eq.r]]
            ended = sb.integrate.Outcome(sb.integrate.Ending.REACHED, float(t[-1]), str(self.outcome))
            segments.append(sb.integrate.Segment(eq, t, v[:, mesh.state_columns], p, r, ended, name))
        return sb.Trajectory(tuple(segments), segments[-1].outcome)

    def plot(self, *what: Any) -> sb.view.Figure:
        """A figure over time with a panel for each argument: a name or an expression, or a list of them; without
        arguments, states and inputs.

        >>> x, F = sb.symbols("x F", kind="variable")
        >>> problem = sb.kits.motions.Problem("drift")
        >>> go = problem.phase("go", sb.from_equations({x: F}, inputs=[F]), 1.0).start(x=0).end(x=1)
        >>> motion = go.cost("effort", integral=F**2) and problem.solve(2)
        >>> motion.plot(), motion.plot(["x", "F"], x * F)
        (<Figure 'drift': 2 panels, 2 curves>, <Figure 'drift': 2 panels, 3 curves>)
        """
        return motion_figure(self, what)

    def page(self) -> str:
        """A page in HTML: the motion in 3-D, states and inputs, costs, active bounds, multipliers and accuracy."""
        return motion_page(self)

    def save(self, path: str | Path) -> Path:
        """Write a table of `columns` (.csv) or the page (.html)."""
        return saved_motion(self, path)

    def check(self, **options: Any) -> SimulationCheck:
        """The motion compared with `simulate` with the same inputs, from the start of each phase; options are those of
        `simulate`. Where the motion is unstable, differences grow along it: compare with `error`."""
        options = {"rtol": 1e-9, **options}
        worst: dict[str, float] = {}
        size: dict[str, float] = {}
        runs = {}
        for name, mesh in self.transcription.meshes.items():
            t, v, eq = self.times(name), self._nodes(mesh), mesh.phase.equations
            every = {**mesh.phase.parameters, **chosen_values(self.transcription, self.solution.z)}
            numbers = {s.name: every[s] for s in eq.p}
            states = {s.name: float(v[0, mesh.place[s]]) for s in eq.state}
            inputs = self.input_samples(name)
            runs[name] = sim = sb.simulate(eq, t, states, values=numbers, inputs=inputs or None, **options)
            for s, k in zip(eq.state, mesh.state_columns, strict=True):
                found = np.asarray(sim[s.name])
                off = float(np.abs(found - v[: len(found), k]).max()) if len(found) == len(t) else float("inf")
                worst[s.name] = max(worst.get(s.name, 0.0), off)
                size[s.name] = max(size.get(s.name, 0.0), float(np.abs(v[:, k]).max()))
        relative = max((x / (size[k] or 1.0) for k, x in worst.items()), default=0.0)
        return SimulationCheck(worst, relative, runs)


def _outcome(t: Transcription, found: IpoptResult) -> SearchOutcome:
    """A sentence that states the status of IPOPT and the obstacle."""
    if found.is_success:
        text = "optimal" if found.status == SUCCESS[0] else "optimal to a lower tolerance than requested"
        return SearchOutcome(text, True)
    program = t.program
    rows = program.first(found.z).rows
    off = np.maximum(program.row_low - rows, rows - program.row_high)
    worst = sorted(program.groups, key=lambda g: -float(off[g.rows].max(initial=0.0)))
    names = [f"{g.name} (by {off[g.rows].max():z.3g})" for g in worst[:3] if off[g.rows].max(initial=0.0) > 1e-6]
    grown = [name for name, at in t.places.items() if np.abs(found.z[at]).max() > HUGE]
    if grown or found.status == "Diverging_Iterates":
        return SearchOutcome(f"unbounded: {listed(grown or ['the unknowns'])} grow without limit; bound them", False)
    if found.status == "Infeasible_Problem_Detected" or (found.status == "Restoration_Failed" and names):
        told = "; ".join(contradictory_statements(t, found.z) or names)
        return SearchOutcome(f"infeasible near this guess: these contradict each other: {told}", False)
    if found.status == "Maximum_Iterations_Exceeded":
        left = f"; not satisfied yet: {listed(names)}" if names else ""
        return SearchOutcome(
            f"not optimal after {found.iterations} iterations{left}; allow more or guess better", False
        )
    left = f"; not satisfied: {listed(names)}" if names else ""
    if nowhere := _without_value(t, found.z):
        left = f": {listed(nowhere)} had no value there; guess other values, or bound what {'it depends' if len(nowhere) == 1 else 'they depend'} on"
    elif dependent := dependent_statements(t, found.z):
        left += f"; these depend on each other, leave one of them out: {'; '.join(dependent)}"
    elif kinks := kinked_statements([m.phase for m in t.meshes.values()]):
        left += f"; {listed(kinks)} {'has a kink' if len(kinks) == 1 else 'have kinks'}, where derivatives jump: {KINK_ADVICE}"
    return SearchOutcome(f"the solver stopped ({found.status.replace('_', ' ').lower()}){left}", False)


def _without_value(t: Transcription, z: Array) -> list[str]:
    """Costs, rows and their derivatives that are infinite or undefined."""
    now, groups = t.program.first(z), t.program.groups
    costs = [f"cost {name!r}" for name, value in t.costs(z).items() if not np.isfinite(value)]
    if out := [*costs, *(g.name for g in groups if not np.isfinite(now.rows[g.rows]).all())]:
        return out
    J, places = t.program.jacobian_pattern, t.places.items()
    steep = [name for name, at in places if not np.isfinite(now.gradient[at]).all()]
    rows = np.unique(J.rows[~np.isfinite(now.jacobian)])
    of_rows = [g.name for g in groups if ((rows >= g.rows.start) & (rows < g.rows.stop)).any()]
    out = [f"the derivative of the cost with respect to {listed(steep)}"] if steep else []
    return [*out, *(f"a derivative of {name}" for name in of_rows)]

"""`Problem`: phases, what connects them, and the search for the best motion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

import numpy as np

import symbody as sb

from ....argument_kinds import answered_class, checked_flags
from ....errors import finite_number, listed, shown, unknown
from ....summary import Summarized, Summary, counted, listing, summary_rows
from ..control.compiled_controller import CompiledController, compiled_controller
from ..control.realtime_solver import RealTimeSolver, realtime_solver
from ..parts.phase_forms import checked_range, unit_of
from ..parts.problem_parts import FREE, Phase, PhaseLink, Range, Repetition, statements, with_own_parameters
from ..parts.statements import refuse_apart, refuse_closed, refuse_strange, refuse_unbounded
from ..results.optima_family import OptimaFamily, optima_family
from ..results.optimal_motion import OptimalMotion
from ..transcription.collocation_tables import collocation_table
from ..transcription.complementarity import minimum_by_tightening
from ..transcription.contradictions import falling_directions
from ..transcription.ipopt_solver import solver_options
from ..transcription.mesh_errors import finer_meshes, unknowns_on
from ..transcription.transcription import Transcription, beside

MOST_REFINEMENTS: Final = 8
STILL: Final = 1e-9  # relative change of the unknowns up to which the search has not moved
MOST_INTERVALS: Final = 2000  # of a phase, after refinements


@answered_class
class Problem(Summarized):
    """The search for a best motion: phases with their equations, ranges, conditions and costs.

    Minimise the sum of all costs over states, inputs, durations and chosen parameters, by collocation and IPOPT
    (`pip install casadi`) with exact sparse first and second derivatives.

    >>> x, v, F = sb.symbols("x v F", kind="variable")
    >>> problem = sb.kits.motions.Problem("cart")
    >>> push = problem.phase("push", sb.from_equations({x: v, v: F}, inputs=[F]), duration=1.0)
    >>> push = push.start(x=0, v=0).end(x=1, v=0).cost("effort", integral=F**2)
    >>> motion = problem.solve(intervals=10)
    >>> motion.objective, bool(motion.outcome)  # F = 6 - 12 t
    (12.0, True)

    See also: `kits.motions.Phase`, `kits.motions.OptimalMotion`, `simulate`.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.phases: dict[str, Phase] = {}
        self.links: list[PhaseLink] = []
        self.repetitions: list[Repetition] = []
        self.chosen: dict[sb.Symbol, Range] = {}
        self.options: dict[str, Any] = {}  # of a file, for `solve`
        self._functions: dict[Any, Any] = {}  # compiled functions of nodes, which serve all meshes
        self._last: tuple[Any, Transcription] | None = None  # the last transcription and its statements

    def _summary(self) -> Summary:
        rows = summary_rows(
            phases=listing(self.phases),
            costs=listing(c.name for p in self.phases.values() for c in p.costs),
            chosen=listing(self.chosen),
        )
        return Summary(f"Problem {self.name}: {counted(len(self.phases), 'phase')}", rows)

    def phase(
        self,
        name: str,
        equations: sb.Equations,
        duration: Any,
        *,
        form: str = "",
        values: Mapping[Any, Any] | None = None,
    ) -> Phase:
        """A new phase.

        duration   in s: a number, or a range (low, high) of a free one
        form       "explicit": accelerations by forward dynamics, multipliers eliminated; "implicit": accelerations and
                   multipliers are unknowns of each node, and constraints hold at every node (needs Radau). By default,
                   implicit where the equations have independent constraints
        values     of parameters, by name or symbol, instead of those of the model

        >>> m = sb.Model("pendulum")
        >>> joint = m.revolute("a", m.ground, m.body("bob", mass=1, com=(0, -1, 0)), actuation=m.input("tau"))
        >>> sb.kits.motions.Problem("turn").phase("up", sb.derive(m), duration=(0.5, 3)).name
        'up'
        """
        if name in self.phases:
            raise sb.ModelError(f"motion {self.name!r}: there is a phase {name!r} already")
        if not (isinstance(name, str) and name.isascii() and name.isidentifier()):
            raise sb.ModelError(
                f"motion {self.name!r}: a phase has a name of letters, digits and underscores, got {shown(name)}"
            )
        if not isinstance(equations, sb.Equations):
            raise sb.ModelError(
                f"motion {self.name!r}, phase {name!r}: expected equations, got {shown(equations)}; derive(model)"
            )
        eq = equations
        form = form or ("implicit" if eq.lam and eq.rows.rank == len(eq.lam) else "explicit")
        self.phases[name] = made = Phase(self.name, name, eq, duration, form, values or {})
        return made

    def _phase(self, given: Any, where: str) -> Phase:
        name = given.name if isinstance(given, Phase) else given
        if name not in self.phases:
            raise unknown(where, "phase", str(name), self.phases, sb.ModelError)
        return self.phases[name]

    @checked_flags(sb.ModelError)
    def link(
        self,
        before: Phase | str,
        after: Phase | str,
        *,
        jump: Mapping[Any, Any] | None = None,
        impact: bool | Mapping[str, Any] = False,
        friction: Mapping[str, tuple[str, float]] | None = None,
        swap: Mapping[str, str] | None = None,
        free: Sequence[Any] = (),
    ) -> None:
        """A phase begins where another ends, in time and with the same states by name. A link to an earlier phase, or
        from a phase to itself, closes a cycle: a gait with an impact between its steps.

        jump     states of the phase that begins, by name, as expressions in states at the end of the phase before
        impact   speeds jump by impulses of the constraints of the phase that begins, M (u⁺ - u⁻) = Jcᵀ Λ; a mapping has
                 ranges of impulses by name of the multiplier, as {"lam_foot": (0, None)}
        friction  of impulses: {"lam_foot_friction": ("lam_foot", 0.8)} is |Λ_friction| <= 0.8 Λ_foot
        swap     names of states that change places, as legs do at a step: {"left": "right"}
        free     states that are not continued

        >>> y, v = sb.symbols("y v", kind="variable")
        >>> fall = sb.from_equations({y: v, v: -9.81})
        >>> problem = sb.kits.motions.Problem("ball")
        >>> down, up = problem.phase("down", fall, (0.1, 2)), problem.phase("up", fall, (0.1, 2))
        >>> problem.link(down.start(y=1, v=0).end(y=0), up.end(v=0), jump={"v": -0.5 * v})
        >>> motion = problem.solve(3)
        >>> float(motion["y"][-1]), motion.durations["up"] / motion.durations["down"]  # a quarter of the height
        (0.25, 0.5)
        """
        a, b = self._phase(before, "link"), self._phase(after, "link")
        where = f"motion {self.name!r}, link from {a.name!r} to {b.name!r}"
        swapped = {**(swap or {}), **{v: k for k, v in (swap or {}).items()}}
        known, target = {s.name: s for s in a.form.states}, {s.name: s for s in b.form.states}
        if strange := [n for n in swapped if n not in known]:
            raise unknown(where, "state", strange[0], known, sb.ModelError)
        known = {swapped.get(name, name): s for name, s in known.items()}
        left = {getattr(s, "name", s) for s in free}
        jumps = {getattr(k, "name", k): v for k, v in (jump or {}).items()}
        for name in (*left, *jumps):
            if name not in target:
                raise unknown(where, "state", str(name), target, sb.ModelError)
        speeds = {u.name for u in b.equations.u} if impact is not False else set()
        values: dict[sb.Symbol, sb.Expr] = {}
        for name, s in target.items():
            if name in left or name in speeds:
                continue
            if name not in jumps and name not in known:
                raise sb.ModelError(f"{where}: {a.name!r} has no state {name!r}; give it in jump=, or in free=")
            values[s] = a.form.expression(jumps[name], where) if name in jumps else known[name]
        impulses: dict[str, Range] | None = None
        if impact is not False:
            if not b.equations.lam:
                raise sb.ModelError(f"{where}: impact= needs constraints in {b.name!r}, which make the impulses")
            given = impact if isinstance(impact, Mapping) else {}
            impulses = {s.name: FREE for s in b.equations.lam}
            for name, pair in given.items():
                if name not in impulses:
                    raise unknown(where, "multiplier", str(name), impulses, sb.ModelError)
                impulses[name] = checked_range(pair, f"{where}, impulse {name}")
        cones = _checked_cones(friction or {}, impulses or {}, where)
        names = list(self.phases)
        closes = names.index(b.name) <= names.index(a.name)
        link = PhaseLink(a, b, values, known, impulses, cones, closes)
        refuse_closed(link)
        self.links.append(link)

    def periodic(
        self,
        *,
        first: Phase | str | None = None,
        last: Phase | str | None = None,
        swap: Mapping[str, str] | None = None,
        flip: Sequence[str] = (),
        free: Sequence[Any] = (),
    ) -> None:
        """States at the end are those at the start.

        first, last   phases; by default the first and the last of the problem
        swap          names of states that change places, as legs do in a step: {"left": "right"}
        flip          names of states that change sign
        free          names of states that do not repeat, as the distance in a gait

        >>> y, v = sb.symbols("y v", kind="variable")
        >>> problem = sb.kits.motions.Problem("juggling")
        >>> throw = problem.phase("throw", sb.from_equations({y: v, v: -9.81}), 1.0).start(y=0)
        >>> problem.periodic(free=["v"])
        >>> float(problem.solve(3)["v"][0])
        4.905
        """
        where = f"motion {self.name!r}, periodic"
        if not self.phases:
            raise sb.ModelError(f"{where}: there is no phase yet")
        every = list(self.phases.values())
        a = every[0] if first is None else self._phase(first, where)
        b = every[-1] if last is None else self._phase(last, where)
        start, end = {s.name: s for s in a.form.states}, {s.name: s for s in b.form.states}
        swapped = {**(swap or {}), **{v: k for k, v in (swap or {}).items()}}
        left = {getattr(s, "name", s) for s in free}
        for name in (*swapped, *flip, *left):
            if name not in end:
                raise unknown(where, "state", str(name), end, sb.ModelError)
        pairs = {}
        for name, s in end.items():
            if name not in left:
                other = swapped.get(name, name)
                if other not in start:
                    raise unknown(where, "state", other, start, sb.ModelError)
                pairs[s] = (-1.0 if name in flip else 1.0, start[other])
        self.repetitions.append(Repetition(a, b, pairs))

    def choose(self, values: Mapping[Any, Any] | None = None, **named: Any) -> None:
        """Parameters to be chosen together with the motion, each in a range (low, high), the same in all phases.

        >>> problem = sb.kits.motions.Problem("pendulum")
        >>> m = sb.Model("pendulum")
        >>> l = m.parameter("l", 1.0)
        >>> joint = m.revolute("a", m.ground, m.body("bob", mass=1, com=(0, -l, 0)))
        >>> swing = problem.phase("swing", sb.derive(m), duration=1.0)
        >>> problem.choose(l=(0.5, 2.0))
        >>> problem.chosen
        {l: (0.5, 2.0)}
        """
        known = {s.name: s for p in self.phases.values() for s in p.equations.p}
        owners = {s.name: p.equations for p in self.phases.values() for s in p.equations.p}
        for key, value in {**(values or {}), **named}.items():
            name = getattr(key, "name", key)
            if name not in known:
                raise unknown(f"motion {self.name!r}, choose", "parameter", str(name), known, sb.ModelError)
            self.chosen[known[name]] = checked_range(
                value, f"motion {self.name!r}, choose {name}", partial(unit_of, owners[name], known[name])
            )

    # ------------------------------------------------------------------------------------------------ solving

    def transcription(
        self, intervals: Any = 20, method: str = "", degree: int | None = None, meshes: Mapping[str, Any] | None = None
    ) -> Transcription:
        """The problem on a mesh, for solvers: `transcription(...).program` has values, Jacobian and Hessian.

        meshes   ends of the intervals from 0 to 1, by phase, instead of equal intervals

        >>> x, F = sb.symbols("x F", kind="variable")
        >>> problem = sb.kits.motions.Problem("drift")
        >>> go = problem.phase("go", sb.from_equations({x: F}, inputs=[F]), 1.0).cost("effort", integral=F**2)
        >>> program = problem.transcription(4).program
        >>> program.linear.shape, len(program.hessian_pattern.rows)
        ((8, 20), 9)
        """
        if not self.phases:
            raise sb.ModelError(f"motion {self.name!r}: there is no phase yet")
        phases = [with_own_parameters(p) for p in self.phases.values()]
        has_rows = any(p.form.rows and p.equations.lam for p in phases)
        method = method or ("radau" if has_rows else "hermite-simpson")
        table = collocation_table(method, degree)
        if has_rows and table.starts_collocated:
            raise sb.ModelError(
                f"motion {self.name!r}: multipliers as unknowns need method='radau'; or use form='explicit' with {method!r}"
            )
        counts = intervals if isinstance(intervals, Mapping) else dict.fromkeys(self.phases, intervals)
        for name in (*counts, *(meshes or {})):
            self._phase(name, f"motion {self.name!r}, intervals")
        fractions = {}
        for p in phases:
            if meshes and p.name in meshes:
                fractions[p.name] = np.asarray(meshes[p.name], dtype=float)
                continue
            n = finite_number(counts.get(p.name, 20), f"{p.where}, intervals", sb.ModelError)
            if n < 1 or n != int(n):
                raise sb.ModelError(f"{p.where}: intervals= must be a positive whole number, got {shown(n)}")
            fractions[p.name] = np.linspace(0, 1, int(n) + 1)
        links = (*self.links, *self.repetitions, *self.chosen.items())
        stated = (table, links, *((statements(p), fractions[p.name].tobytes()) for p in phases))
        if self._last is None or self._last[0] != stated:
            refuse_strange(phases, self.links)
            refuse_apart(phases, self.links, self.repetitions, self.chosen)
            refuse_unbounded(phases, self.chosen)
            for link in self.links:
                refuse_closed(link)
            made = Transcription(phases, self.links, self.repetitions, self.chosen, table, fractions, self._functions)
            self._last = stated, made
        return self._last[1]

    def solve(
        self,
        intervals: Any = 20,
        *,
        method: str = "",
        degree: int | None = None,
        guess: OptimalMotion | None = None,
        accuracy: float | None = None,
        tolerance: float = 1e-8,
        max_iterations: int = 1000,
        options: Mapping[str, Any] | None = None,
    ) -> OptimalMotion:
        """The best motion near the guess.

        intervals   of each phase, or by phase: {"stance": 10, "flight": 20}
        method      "trapezoidal", "hermite-simpson", "radau" with the `degree` of its polynomials (3), or "shooting", multiple
                    shooting by `degree` steps (3) of Runge-Kutta in each interval; by default, Radau where multipliers are
                    unknowns, otherwise Hermite-Simpson
        guess       an earlier motion of this problem, or of one with the same names
        accuracy    largest error of an interval, relative to the range of each state: intervals with larger ones are
                    divided, and the problem is solved again
        tolerance   of IPOPT; `options` has others, by the names of IPOPT

        The outcome states what went wrong: which conditions contradict each other, what grows without bound.
        """
        if accuracy is not None and finite_number(accuracy, f"motion {self.name!r}, accuracy", sb.ModelError) <= 0:
            raise sb.ModelError(f"motion {self.name!r}: accuracy= must be positive, got {shown(accuracy)}")
        if guess is not None and not isinstance(guess, OptimalMotion):
            raise sb.ModelError(
                f"motion {self.name!r}: guess= is an earlier motion, got {shown(guess)}; values of variables are given by guess(...) of a phase"
            )
        t = self.transcription(intervals, method, degree)
        chosen = solver_options(self.name, tolerance, max_iterations, options)
        if falling := falling_directions(t):
            raise sb.ModelError(
                f"motion {self.name!r}: the cost falls without bound along {listed(falling)}; give bounds, or squares in the cost"
            )
        start = t.guess if guess is None else unknowns_on(guess, t)
        found = minimum_by_tightening(t, start, chosen)
        is_still = np.allclose(found.z, start, rtol=STILL, atol=STILL)
        if guess is None and found.is_success and is_still:  # which may be a maximum, where slopes are zero too
            found = minimum_by_tightening(t, beside(t, start), chosen)
        motion = OptimalMotion(self.name, t, found)
        for _ in range(MOST_REFINEMENTS if accuracy is not None else 0):
            finer = finer_meshes(motion, accuracy or 0.0, MOST_INTERVALS)
            if not motion.outcome or finer is None:
                break
            t = self.transcription(intervals, method, degree, finer)
            motion = OptimalMotion(
                self.name, t, minimum_by_tightening(t, unknowns_on(motion, t), chosen), (*motion.history, motion.error)
            )
        return motion

    def family(self, over: Mapping[Any, Any], **options: Any) -> OptimaFamily:
        """Optimal motions over a parameter, {"m": [1, 2, 3]}: each is searched from the one before, moved along its
        derivative, with its multipliers. Options are those of `solve`.

        >>> x, F = sb.symbols("x F", kind="variable")
        >>> d = sb.symbol("d")
        >>> problem = sb.kits.motions.Problem("drift")
        >>> go = problem.phase("go", sb.from_equations({x: F - d}, {d: 1.0}, inputs=[F]), 1.0).start(x=0).end(x=1)
        >>> go.cost("effort", integral=F**2) and problem.family({"d": [0, 1, 2]}, intervals=3).costs  # (1 + d)²
        array([1., 4., 9.])
        """
        if len(over) != 1:
            raise sb.ModelError(f"motion {self.name!r}, family: expected one parameter with values, got {shown(over)}")
        ((key, values),) = over.items()
        return optima_family(self, getattr(key, "name", key), values, options)

    def realtime(self, intervals: Any = 20, *, iterations: int = 2, **options: Any) -> RealTimeSolver:
        """Solve the problem, and keep it for new starts: `control.step(x=0.1)` improves the motion by a fixed number of
        iterations (model predictive control). Options are those of `solve`; for one phase of fixed duration.

        >>> x, F = sb.symbols("x F", kind="variable")
        >>> problem = sb.kits.motions.Problem("drift")
        >>> go = problem.phase("go", sb.from_equations({x: F}, inputs=[F]), 1.0).start(x=0).end(x=1)
        >>> control = go.cost("effort", integral=F**2) and problem.realtime(5, iterations=4)
        >>> control.step(x=0.2).inputs
        {'F': 0.8}
        """
        return realtime_solver(self.solve(intervals, **options), iterations)

    def controller(self, intervals: int = 20, *, iterations: int = 2, barrier: float = 1e-4) -> CompiledController:
        """Solve the problem by iterations that are one compiled program each, and keep it for new starts: microseconds a
        step, and C code (model predictive control). Inputs are constant in each interval; for one phase of fixed duration
        with a free end. Without bounds and paths this is iLQR. Needs no other package.

        barrier   product of each inequality and its multiplier

        >>> x, F = sb.symbols("x F", kind="variable")
        >>> problem = sb.kits.motions.Problem("drift")
        >>> go = problem.phase("go", sb.from_equations({x: F}, inputs=[F]), 1.0).start(x=1).bounds(F=(-0.5, 1))
        >>> control = go.cost("cost", integral=F**2, weight=0.1).cost("end", end=x**2) and problem.controller(10)
        >>> abs(control.step(x=2.0).inputs["F"] + 0.5) < 1e-3
        True
        """
        return compiled_controller(self, intervals, iterations, barrier)


def _checked_cones(
    friction: Mapping[str, tuple[str, float]], impulses: Mapping[str, Range], where: str
) -> dict[str, tuple[str, float]]:
    """Friction of impulses: the normal one and the coefficient, by name."""
    out = {}
    for name, pair in friction.items():
        if not (isinstance(pair, tuple) and len(pair) == 2):
            raise sb.ModelError(
                f"{where}, friction of {name}: expected a multiplier and a coefficient, as ('lam_foot', 0.8), got {shown(pair)}"
            )
        for multiplier in (name, pair[0]):
            if multiplier not in impulses:
                raise unknown(where, "multiplier", str(multiplier), impulses, sb.ModelError)
        coefficient = finite_number(pair[1], f"{where}, friction of {name}", sb.ModelError)
        if coefficient < 0:
            raise sb.ModelError(
                f"{where}, friction of {name}: a coefficient must not be negative, got {shown(pair[1])}"
            )
        out[name] = pair[0], coefficient
    return out

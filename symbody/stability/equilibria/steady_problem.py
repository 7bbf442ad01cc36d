"""`SteadyProblem`: the rows of a steady motion as functions of unknowns and parameters, compiled.

    F(w, p) = 0,   F of m rows, w of n unknowns

Continuation methods build on it. All derivatives are exact, taken on the graph; an evaluation costs some ten
microseconds:

    problem = motion.problem                                   shared by all motions with the same conditions, whatever
                                                               the numbers
    w, p = problem.point(motion.found), problem.numbers(motion.numbers())
    F, J = problem.rows_and_slopes(w, p)                       (m,), (m, n)
    J_p = problem.slopes_by((V,))(w, p)                        (m, 1): a column for each parameter
    k = problem.parameters.index(V)                            p[k] is the value of V
    problem.metric(system, w).sizes                            of the unknowns, infinite for those that do not count in
                                                               distances
    motion.at({V: p[k]}, w)                                    the SteadyMotion there

`branch_problem.py` frees one value on top of it: the rows then have a curve of solutions.
`system(parameters).close_zero(w)` is Newton's method with all rows, None if it does not contract; `.zero(w)` the
whole search.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from time import perf_counter
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigvals, null_space

from ...algebra.calculus.derivatives import jacobian
from ...algebra.calculus.evaluate import evaluate
from ...algebra.graph.graph import ZERO, Expr, Symbol, as_expr, symbol
from ...algebra.graph.matrix import Matrix
from ...algebra.graph.walk import free_symbols, reachable_symbols
from ...algebra.nonlinear.metric import UnknownsMetric
from ...algebra.nonlinear.nonlinear import Solution, System
from ...algebra.nonlinear.trust_region import Scales
from ...algebra.nonlinear.zeros import ZeroSearch
from ...derivation.equations.equations import Equations
from ...emit.lowering.lower import program
from ...emit.programs.program_tables import is_tabulated
from ...emit.run.callable import Array, Compiled, compile_program
from ...emit.run.rounding_in_tables import TabulatedRounding
from ...errors import EvaluationError
from ...integrate.forms.compile_effort import Effort
from ..variation.condition_rows import ConditionRow
from ..variation.parameter_samples import arrays, substituted_and_folded
from .conditions import Conditions
from .held_rows import HeldRows
from .rounding_bounds import COMPILED_FROM, RoundingBounds
from .stiff_springs import StiffSprings

MAX_REST_SPEED: Final = 1e-9  # largest speed of an equilibrium
MAX_ROTATION: Final = 1.0  # largest change of an angle in one step, in radians
SPEED_WEIGHT: Final = 100.0  # size of speeds relative to coordinates in distances
SINGULAR_MASS: Final = 1e-9  # smallest part of the mass matrix below which it counts as singular
SHAKEN: Final = ("coordinate", "speed", "parameter")
TABULATED_FROM: Final = 5000  # instructions of rows whose rounding is bounded in arrays rather than node by node
MANY_SPEEDS: Final = 50  # from which on compiling the mass matrix costs less than a few evaluations node by node

Bounds = Callable[[Array, Array, Array], Array]  # of w, the sizes relative to which w is rounded, and p


def parameters_of(eq: Equations, asked: Conditions) -> list[Symbol]:
    """Parameters of the model, then those that occur only in the conditions."""
    more = free_symbols(*asked.fixed.values(), *(r.expression for r in asked.rows if r.wanted is not None))
    return list(dict.fromkeys([*eq.p, *(s for s in more if s.kind == "parameter")]))


def steady_problem(
    eq: Equations, asked: Conditions, fixed: Mapping[Symbol, Expr], unknowns: tuple[Symbol, ...], held_in: SteadyProblem | None = None
) -> tuple[SteadyProblem, dict[Symbol, float]]:  # fmt: skip
    """The problem, and numbers that were given, for parameters which stand for them: it is compiled once for all
    numbers.

    held_in   the problem in which the last of the unknowns is a parameter, whose rows are compiled
    """
    given: dict[Symbol, float] = {}

    def held(value: Expr, is_row: bool = False) -> Expr:
        if value.op != "const" or (value is ZERO and not is_row):  # what is fixed at zero makes rows shorter
            return value
        stands = symbol(f"steady_given_{len(given)}", "parameter")
        given[stands] = float(evaluate(value))
        return stands

    values = {s: held(v) for s, v in fixed.items()}
    expressions = tuple(
        r.expression if r.wanted is None else r.wanted[0] - held(as_expr(r.wanted[1]), True) for r in asked.rows
    )
    parameters = (*(s for s in parameters_of(eq, asked) if s not in unknowns), *given)
    key = (tuple(values.items()), unknowns, parameters, asked.rows_key, expressions, asked.is_rest)

    def made() -> SteadyProblem:
        whole = SteadyProblem(eq, asked.rows, expressions, values, unknowns, parameters, asked.cyclic, asked.is_rest)
        whole.held = None if held_in is None else HeldRows.of(held_in, whole)
        return whole

    return eq.cached("steady problem", key, made), given


class SteadyProblem:
    """Rows of a steady motion and their Jacobian, as functions of unknowns and parameters.

    rows         what must vanish, by name; `expressions` with fixed values put in
    unknowns     what is to be found: coordinates, speeds, accelerations, variables and multipliers that are not fixed,
                 and what is free
    parameters   of the model and of the conditions, less those that are unknowns; then those that stand for numbers
                 that were given
    held         compiled rows in which the last of the unknowns is a parameter
    """

    held: HeldRows | None = None

    def __init__(
        self, eq: Equations, rows: Sequence[ConditionRow], expressions: Sequence[Expr], fixed: Mapping[Symbol, Expr],
        unknowns: tuple[Symbol, ...], parameters: tuple[Symbol, ...], cyclic: tuple[Symbol, ...], is_rest: bool,
    ) -> None:  # fmt: skip
        self.is_rest, self._asked_for_masses = is_rest, 0
        self.eq, self.fixed, self.unknowns, self.parameters, self.cyclic = eq, fixed, unknowns, parameters, cyclic
        self.rows: list[ConditionRow] = list(rows)
        self.expressions = substituted_and_folded(list(expressions), fixed)

    # ------------------------------------------------------------------------------------------------ in numbers

    def numbers(self, parameters: Mapping[Symbol, float]) -> Array:
        """p."""
        return np.array([parameters[s] for s in self.parameters])

    def point(self, values: Mapping[Symbol, float]) -> Array:
        """w."""
        return np.array([values[s] for s in self.unknowns])

    def rows_and_slopes(self, w: Array, p: Array) -> tuple[Array, Array]:
        """F and ∂F/∂w."""
        rows = self._compiled_rows
        rows.buffers()  # makes its machine code, which is not part of its run
        began = perf_counter()
        r, J = rows(w, p)
        self.effort.spend(perf_counter() - began)
        return r, J.reshape(self.shape)

    def slopes_by(self, parameters: tuple[Symbol, ...]) -> Callable[[Array, Array], Array]:
        """(w, p) -> ∂F/∂(some parameters), with a column for each; compiled once."""
        if parameters not in self._compiled_by:
            outputs = {"r_p": [*jacobian(self.expressions, parameters).entries]}
            self._compiled_by[parameters] = self._compiled_program("steady_slopes", outputs)
        function, shape = self._compiled_by[parameters], (len(self.rows), len(parameters))
        return lambda w, p: np.reshape(function(w, p), shape)

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.rows), len(self.unknowns)

    @property
    def _groups(self) -> dict[str, list[Symbol]]:
        return {"w": list(self.unknowns), "p": list(self.parameters)}

    @cached_property
    def slope_matrix(self) -> Matrix:
        """Nothing depends on cyclic coordinates: what their columns have is rounding, and may not move them."""
        if self.held is not None:
            return self.held.slope_matrix
        slopes = jacobian(self.expressions, self.unknowns)
        moves = [s not in self.cyclic for s in self.unknowns]
        entries = (slopes[i, j] if moves[j] else ZERO for i in range(slopes.rows) for j in range(slopes.cols))
        return Matrix(slopes.rows, slopes.cols, tuple(entries))

    @cached_property
    def _compiled_rows(self) -> Any:
        return self.held or self._compiled_program(
            "steady_rows", {"r": self.expressions, "J": [*self.slope_matrix.entries]}
        )

    @cached_property
    def effort(self) -> Effort:
        """Optimisation effort of its machine code: a steady motion takes a dozen evaluations, a branch thousands."""
        return Effort()

    def _compiled_program(self, name: str, outputs: Mapping[str, Sequence[Expr]]) -> Compiled:
        made = compile_program(program(name, self._groups, outputs, as_written=True), is_quick=not self.effort.is_full)
        return self.effort.with_code(made)

    @cached_property
    def _compiled_by(self) -> dict[tuple[Symbol, ...], Any]:
        return {}

    @property
    def is_compiled(self) -> bool:
        return "_compiled_rows" in self.__dict__

    @cached_property
    def _linear(self) -> NDArray[np.bool_]:
        """Unknowns in which the rows are linear together: multipliers and accelerations, then inputs and variables
        where these do not spoil it."""
        groups = (("multiplier", "acceleration"), ("input",), ("variable",))
        asked = {j: s for j, s in enumerate(self.unknowns) if any(s.kind in kinds for kinds in groups)}
        slopes = self.slope_matrix
        found = iter(reachable_symbols([slopes[i, j] for j in asked for i in range(slopes.rows)], list(asked.values())))
        columns = {
            s: {t for _, part in zip(range(slopes.rows), found, strict=False) for t in part} for s in asked.values()
        }
        linear: list[Symbol] = []
        for kinds in groups:
            more = [*linear, *(s for s in self.unknowns if s.kind in kinds)]
            if not any(columns[s].intersection(more) for s in more):
                linear = more
        return np.array([s in linear for s in self.unknowns], dtype=bool)

    @cached_property
    def tabulated_rounding(self) -> TabulatedRounding | None:
        """Bounds of rows and slopes in arrays, of rows that are long enough for these."""
        made = self._compiled_rows
        is_long = len(made.program.code) >= TABULATED_FROM and not made.program.externals
        return TabulatedRounding(made.tables) if is_long and is_tabulated(made.program) else None

    @cached_property
    def _row_rounding(self) -> Bounds:
        return self._rounding_of(0, self.expressions)

    @cached_property
    def _slope_rounding(self) -> Bounds:
        return self._rounding_of(1, self.slope_matrix.entries)

    def _rounding_of(self, output: int, expressions: Sequence[Expr]) -> Bounds:
        """Bounds of an output of the compiled rows."""
        if self.held is not None:
            return partial(self.held.rounding, output)
        if (tables := self.tabulated_rounding) is not None:
            return lambda w, sizes, p: tables.bounds((w, p), (sizes, p))[output]
        return RoundingBounds(list(expressions), self.unknowns, self.parameters)

    def system(self, parameters: Mapping[Symbol, float]) -> System:
        """The rows at numbers for the parameters."""
        p = self.numbers(parameters)
        return System(
            lambda w: self.rows_and_slopes(w, p), linear=self._linear, reach=np.where(self._angles, MAX_ROTATION, np.inf),
            typical=np.where(self._angles, 1.0, 0.0), rounding=_once(lambda w: self._row_rounding(w, np.abs(w), p)),
            slope_rounding=_once(lambda w, sizes: self._slope_rounding(w, sizes, p).reshape(self.shape)),
        )  # fmt: skip

    def search(self, parameters: Mapping[Symbol, float], start: Mapping[Symbol, float]) -> ZeroSearch:
        """The search for zeros about a start."""
        system, begin = self.system(parameters), np.array([start[s] for s in self.unknowns])
        metric = self.metric(system, begin)
        moved = np.array([s.kind in SHAKEN and s not in self.cyclic for s in self.unknowns], dtype=bool) & np.isfinite(
            metric.sizes
        )
        return ZeroSearch(
            system, metric, begin, inertia=partial(self.inertia, self.numbers(parameters)),
            instability=partial(self.instability, self.numbers(parameters)), shaken=np.where(moved, metric.sizes, 0.0), home=self._home, ties=np.array([row.kind == "position" for row in self.rows], dtype=bool),
            is_true=partial(self.is_true, system, self.numbers(parameters)),
            lifted=partial(self._lifted_system, system, parameters, begin, metric),
        )  # fmt: skip

    def _lifted_system(
        self, system: System, parameters: Mapping[Symbol, float], begin: Array, metric: UnknownsMetric
    ) -> System | None:
        """The rows with forces of stiff springs as unknowns, where there are any."""
        p = self.numbers(parameters)
        at = dict(zip((*self.unknowns, *self.parameters), map(float, (*system.settled(begin), *p)), strict=True))
        made = self._springs.lifted(metric.sizes, at)
        return None if made is None else made.system(p, system)

    @cached_property
    def _springs(self) -> StiffSprings:
        return StiffSprings(self.expressions, self.unknowns, self.parameters)

    @cached_property
    def _home(self) -> Array:
        """Default values of the unknowns."""
        rows = {v.symbol: v.neutral for v in self.eq.variables}
        return np.array([rows.get(s, 0.0) for s in self.unknowns])

    # ------------------------------------------------------------------------------------------------ distances

    @cached_property
    def kinds(self) -> list[str]:
        """Groups of unknowns that have the same unit, or may have: angles, other coordinates, their rates, each of the
        rest."""
        rows = {v.symbol: v for v in self.eq.variables}
        angles = {s for s, v in rows.items() if v.is_angle or v.quaternion is not None}
        angles |= {s for s, v in rows.items() if v.rate_of in angles or v.unit.startswith("rad")}
        angles |= {s for s in self.unknowns if s not in rows}  # rates of turning
        plain = ("coordinate", "speed")
        return [f"{s.kind} {'angle' if s in angles else 'other'}" if s.kind in plain else s.name for s in self.unknowns]

    @cached_property
    def _angles(self) -> NDArray[np.bool_]:
        return np.array([k == "coordinate angle" for k in self.kinds], dtype=bool)

    def metric(self, system: System, start: Array) -> UnknownsMetric:
        """Distances in radians; unknowns other than angles in units in which they weigh as much in the rows at the
        start. Speeds count little where there are coordinates, which they follow from, unless all is to be at rest;
        linear unknowns nowhere."""
        kinds, logs = np.array(self.kinds), np.zeros(len(self.unknowns))
        _, J = system.function(system.settled(start))
        if np.isfinite(J).all() and J.size:
            scales = Scales.of(J)
            logs = np.log(np.where(np.isfinite(scales.D), scales.columns, 1.0))
        mean = {k: float(np.mean(logs[kinds == k])) for k in dict.fromkeys(kinds)}
        unit = mean.get("coordinate angle", mean.get("coordinate other", 0.0))
        sizes = np.exp(np.array([mean[k] for k in kinds]) - unit) if len(kinds) else np.ones(0)
        sizes = np.where(self._linear, np.inf, sizes)
        if not self.is_rest and any(s.kind == "coordinate" and s not in self.cyclic for s in self.unknowns):
            sizes = np.where([s.kind == "speed" for s in self.unknowns], SPEED_WEIGHT * sizes, sizes)
        return UnknownsMetric(sizes, self._periodic(system, start))

    def _periodic(self, system: System, start: Array) -> NDArray[np.bool_]:
        """Angles after a turn of which all rows are the same."""
        out = self._angles.copy()
        draw = np.random.default_rng(3)
        for _ in range(2):
            w = start + draw.uniform(-0.3, 0.3, len(start))
            F, J = system.function(w)
            slight = 1e-9 * (np.abs(F) + np.abs(J) @ (1 + np.abs(w)))
            for j in np.flatnonzero(out):
                turned = w.copy()
                turned[j] += 2 * np.pi
                out[j] = bool((np.abs(system.function(turned)[0] - F) <= slight).all())
        return out

    # ------------------------------------------------------------------------------------------------ mechanics

    @cached_property
    def _mass_matrices(self) -> list[Matrix]:
        found: list[Matrix] = substituted_and_folded([self.eq.M, self.eq.N, self.eq.Jc], self.fixed)
        return found

    @cached_property
    def _compiled_masses(self) -> Any:
        outputs = {name: [*m.entries] for name, m in zip("MNJ", self._mass_matrices, strict=True) if m.entries}
        return self._compiled_program("steady_masses", outputs)

    def _masses_at(self, p: Array, w: Array) -> list[Array]:
        """M, N and Jc; compiled if they are large or evaluated often."""
        self._asked_for_masses += 1
        if len(self.eq.u) >= MANY_SPEEDS or self._asked_for_masses > COMPILED_FROM:
            made = self._compiled_masses(w, p)
            found = iter(made if isinstance(made, tuple) else (made,))
            return [np.reshape(next(found), m.shape) if m.entries else np.zeros(m.shape) for m in self._mass_matrices]
        values = dict(zip((*self.unknowns, *self.parameters), map(float, (*w, *p)), strict=True))
        try:
            return arrays(self._mass_matrices, values)
        except (EvaluationError, OverflowError):
            return [np.full(m.shape, np.nan) for m in self._mass_matrices]

    def is_true(self, system: System, p: Array, w: Array) -> bool:
        """Whether forces that vanish in the coordinates vanish in the mechanism. In singular coordinates (gimbal lock)
        a torque without generalised force appears balanced; next to that configuration accelerations are then as large
        as anywhere:

            u'ᵀ M u'  with  M u' = f + Jcᵀ lam,  Jc u' = 0
        """
        if (
            any(s.kind == "acceleration" for s in self.unknowns)
            or least_part(*self._masses_at(p, w)[::2]) > SINGULAR_MASS
        ):
            return True
        draw = np.random.default_rng(5).uniform(-1, 1, (3, len(w)))
        near, far = (max(self._vigour(system, p, w + d * step) for step in draw) for d in (1e-4, 0.3))
        return near <= 1e-3 * far

    def _vigour(self, system: System, p: Array, w: Array) -> float:
        """u'ᵀ M u', at the speeds that are unknown, all others being zero."""
        M, _, Jc = self._masses_at(p, w)
        unloaded = np.where([s.kind == "multiplier" for s in self.unknowns], 0.0, w)
        f = -system.function(unloaded)[0][[k for k, row in enumerate(self.rows) if row.kind == "balance"]]
        if not np.isfinite(f).all() or not np.isfinite(M).all():
            return 0.0
        k = len(Jc)
        whole = np.block([[M, Jc.T], [Jc, np.zeros((k, k))]])
        a = np.linalg.lstsq(whole, np.concatenate([f, np.zeros(k)]), rcond=1e-12)[0][: len(f)]
        return float(a @ M @ a)

    def inertia(self, p: Array, w: Array) -> Array:
        """P of dynamic relaxation: M N⁺ between the balances and the coordinates; zero if it has no value."""
        eq, out = self.eq, np.zeros((len(self.rows), len(self.unknowns)))
        M, N, _ = self._masses_at(p, w)
        if not (np.isfinite(M).all() and np.isfinite(N).all()):
            return out
        is_plain = N.shape[0] == N.shape[1] and np.array_equal(N, np.eye(len(N)))
        whole = M if is_plain else np.linalg.lstsq(N.T, M.T, rcond=1e-12)[0].T
        places = {s: j for j, s in enumerate(self.unknowns)}
        balances = [k for k, row in enumerate(self.rows) if row.kind == "balance"]
        for i, q in enumerate(eq.q):
            if q in places and q not in self.cyclic:
                out[balances, places[q]] = whole[:, i]
        return out

    def instability(self, p: Array, found: Solution) -> float:
        """Number of unstable directions of an equilibrium, without damping: negative eigenvalues of the stiffness on
        the constraints. Speeds along symmetries may be among the unknowns, as long as they are zero."""
        if any(s.kind == "speed" and abs(x) > MAX_REST_SPEED for s, x in zip(self.unknowns, found.x, strict=True)):
            return 0.0
        P, J = self.inertia(p, found.x), found.J
        places = [j for j, s in enumerate(self.unknowns) if s.kind == "coordinate"]
        loads = [j for j, s in enumerate(self.unknowns) if s.kind == "multiplier"]
        balances, ties = (
            [k for k, row in enumerate(self.rows) if row.kind == kind] for kind in ("balance", "position")
        )
        Z = null_space(J[np.ix_(ties, places)]) if ties else np.eye(len(places))
        Y = null_space(J[np.ix_(balances, loads)].T) if loads else np.eye(len(balances))
        M, K = Y.T @ P[np.ix_(balances, places)] @ Z, Y.T @ J[np.ix_(balances, places)] @ Z
        if (
            M.shape[0] == M.shape[1] and M.size and not M.any(axis=0).all()
        ):  # cyclic coordinates: neither pushed nor pushing
            pushing, pushed = (np.abs(K).max(axis=k) > 1e-12 * np.abs(K).max() for k in (1, 0))
            M, K = M[np.ix_(pushing, pushed)], K[np.ix_(pushing, pushed)]
        if M.shape[0] != M.shape[1] or not M.size or not np.isfinite(M).all():
            return 0.0
        stiffness = eigvals(K, M)
        finite = stiffness[np.isfinite(stiffness)]
        return float(np.sum(finite.real < -1e-9 * np.abs(finite).max(initial=0.0)))

    def worst(self, reached: Solution) -> tuple[str, float]:
        return self.rows[reached.worst].name, float(reached.F[reached.worst])

    def slopes(self, parameters: Mapping[Symbol, float], at: Mapping[Symbol, float], by: Symbol) -> dict[Symbol, float]:
        """Rates of change of the unknowns with a parameter, the rows staying zero: the least where some are open."""
        w, p = self.point(at), self.numbers(parameters)
        _, J = self.rows_and_slopes(w, p)
        step = np.linalg.lstsq(J, -self.slopes_by((by,))(w, p)[:, 0], rcond=1e-11)[0]
        return dict(zip(self.unknowns, map(float, step), strict=True))


def least_part(M: Array, Jc: Array) -> float:
    """The least singular value of M and Jc together, columns of length one, in parts of the largest: zero where
    coordinates are singular."""
    whole = np.vstack([M / max(float(np.abs(M).max(initial=0.0)), 1e-300), Jc])
    sizes = np.linalg.norm(whole, axis=0)
    if not whole.size or not np.isfinite(sizes).all() or not sizes.all():
        return 0.0
    s = np.linalg.svd(whole / sizes, compute_uv=False)
    return float(s[-1] / s[0])


def _once(function: Callable[..., Array]) -> Callable[..., Array]:
    """The same function, which keeps its last value: bounds cost more than many steps, and are needed twice at the
    end."""
    last: list[tuple[tuple[bytes, ...], Array]] = []

    def kept(*arguments: Array) -> Array:
        key = tuple(a.tobytes() for a in arguments)
        if not last or last[0][0] != key:
            last[:] = [(key, function(*arguments))]
        return last[0][1]

    return kept

"""Forms: how constraints are treated. Equations -> state y, its rates, and the way back to the constraints.

    minimal        no constraints are left
    explicit       u' and lam from the constraints on the level of accelerations (Neweul-M² eq. 8, 9); drifts
    baumgarte      the same with c + 2 α (Jc u + b) + β² phi in place of c
    projection     explicit, and after every step back to the constraints (Tuomela, Arponen, Normi)
    orthogonal     the same by full orthogonal projection (their equation 5.2)

Others are in `null_space.py` (partition, qr, svd), `implicit.py` (implicit, ggl) and `variational.py` (discrete).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ...algebra.graph.cache_owner import CacheOwner
from ...algebra.graph.graph import ZERO, Expr, Symbol, as_expr, symbol
from ...algebra.graph.late_matrix import symbol_carriers
from ...algebra.graph.node_table import gc_paused
from ...algebra.graph.walk import free_symbols
from ...derivation.equations.additional_rates import variable_rates
from ...derivation.equations.energies import energy, external_power, kinetic_energy
from ...derivation.equations.equations import Equations
from ...derivation.equations.own_terms import in_own_terms
from ...derivation.programs.forward_dynamics import is_made_fast
from ...emit.cache.program_cache import content_of, kept_program
from ...emit.loops.kernel_language import Kernel
from ...emit.lowering.lower import program
from ...emit.run.callable import Array, Compiled, compile_program
from ...emit.run.loop_callee import LoopCallee, program_callee
from ...errors import SimulationError, listed, shown, unknown
from . import projection
from .accelerations import all_accelerations, baumgarte_terms
from .bordering import (
    Fitting,
    Following,
    border_numbers,
    border_parameters,
    fit_borders,
    keep_state,
    null_vectors,
    parts,
    settle_and_follow,
)
from .compile_effort import Effort
from .form_kinds import FORMS, FormKind
from .independent_speeds import LIMIT, MAX_SENSITIVITY, choice_of, guarded_rates
from .projection_work import ProjectionWork

if TYPE_CHECKING:
    from ..run.variational import DiscreteForm
    from .sensitivities import VariedForm


@dataclass(frozen=True, eq=False)
class Form(CacheOwner):
    """An ordinary differential equation for explicit methods.

    y            symbols of the state: q, u, z, and variables of the form's own, whose values at the start are `own`
    rates        y' as expressions
    chosen       rows of Jc that are independent of each other
    invariants   expressions that stay as they are at the start, and `scales` by which violations of them are measured
    choice       how far independent speeds serve, where others were eliminated (`independent_speeds.py`)
    recipe       a unique description of how it was built from its equations: then its programs are kept on disk
    ways         makes the rates in every way of solving that is known, where there are several
    projects_stages   whether the stages of explicit methods are brought back to the constraints, too
    """

    name: str
    equations: Equations
    y: tuple[Symbol, ...]
    rates: Sequence[Expr]
    chosen: tuple[int, ...]
    metric: str = "mass"
    tolerance: float = projection.SATISFIED
    invariants: Mapping[str, Expr] = field(default_factory=dict)
    scales: Mapping[str, Expr] = field(default_factory=dict)
    own: Sequence[Expr] = ()
    choice: Expr | None = None
    recipe: str = ""
    ways: Callable[[], Sequence[Sequence[Expr]]] | None = None
    projects_stages: bool = False

    @property
    def n(self) -> int:
        return len(self.y)

    @property
    def settles(self) -> bool:
        """Whether states are brought back to the constraints."""
        return self.kind.projects and bool(self.chosen or self.equations.rows.positions or self.invariants)

    @property
    def kind(self) -> FormKind:
        return FORMS[self.name]

    # ----------------------------------------------------------------------------------------------- what a form can do

    @property
    def state(self) -> Form:
        """The form of the motion alone, without its variations."""
        return self

    @property
    def variations(self) -> VariedForm | None:
        """This form, where it carries variations of the motion along."""
        return None

    @property
    def discrete(self) -> DiscreteForm | None:
        """This form, where it gives the equations of a whole step."""
        return None

    @property
    def algebraic(self) -> tuple[bool, ...]:
        """Whether the equation of each variable is algebraic."""
        return (False,) * self.n

    @property
    def index(self) -> tuple[int, ...]:
        """Of each variable, by which its error is scaled."""
        return (1,) * self.n

    @property
    def remembers(self) -> bool:
        """Whether its functions remember states at which they were called before."""
        return False

    def consistent(self, t: float, y: Array, p: Array) -> tuple[Array, str]:
        """y with algebraic variables that follow from the others, and a description of the fault, if any."""
        return y, ""

    # ------------------------------------------------------------------------------------------------ programs

    @cached_property
    def levels(self) -> tuple[Symbol, ...]:
        """Parameters for the values of the invariants at the start."""
        return tuple(symbol(f"{name}_at_start", "parameter") for name in self.invariants)

    @property
    def parameters(self) -> tuple[Symbol, ...]:
        limit = () if self.choice is None else (LIMIT,)
        return (*self.equations.variables.constants, *self.levels, *border_parameters(self.equations), *limit)

    def compiled(
        self,
        name: str,
        outputs: Mapping[str, Any],
        y: tuple[Symbol, ...] | None = None,
        more: Mapping[str, Any] | None = None,
    ) -> Compiled:
        groups = {
            "t": self.equations.t,
            "y": list(self.y if y is None else y),
            **(more or {}),
            "p": list(self.parameters),
        }
        made = program(name, groups, outputs)
        return self.effort.with_code(compile_program(made, is_quick=not self.effort.is_full))

    @cached_property
    def _content(self) -> str:
        """What its programs are made of; empty if they are not kept on disk."""
        if not self.recipe or is_made_fast(self.equations):
            return ""
        eq = self.equations
        own = eq.cached("content", (), lambda: content_of(eq))
        return f"{own}|{self.recipe}" if own else ""

    def kept(
        self,
        name: str,
        outputs: Callable[[], Mapping[str, Any]],
        more: Mapping[str, Any] | None = None,
        of: str | None = None,
    ) -> Compiled:
        """A compiled program of t, y, more and p, whose outputs are made where it is not on disk.

        of   content of what it is made of besides the equations; empty: it is not kept
        """
        groups = {"t": self.equations.t, "y": list(self.y), **(more or {}), "p": list(self.parameters)}
        content = self._content if of is None else self._content and of and f"{self._content}|{of}"
        with gc_paused():
            made = kept_program(content, name, lambda: program(name, groups, outputs()))
            compiled = compile_program(made, is_quick=not self.effort.is_full)
        return self.effort.with_code(compiled)

    @cached_property
    def effort(self) -> Effort:
        """How much work goes into its machine code."""
        return Effort()

    @cached_property
    def rhs_program(self) -> Compiled:
        return self.kept("rates", lambda: {"dy": list(self.rates)})

    def start(self, t: float, state: Array, parameters: Array) -> tuple[Array, Array]:
        """y and p of this form for a state (q, u, z) and the equations' parameters and inputs, or for rows of both."""
        n, n_p = state.shape[-1], parameters.shape[-1]
        y = np.zeros((*state.shape[:-1], n + len(self.own)))
        p = np.zeros((*state.shape[:-1], len(self.parameters)))
        y[..., :n], p[..., :n_p] = state, parameters
        first = n_p + len(self.levels)
        if borders := len(border_parameters(self.equations)):
            p[first : first + borders] = border_numbers(self.equations, t, state, parameters)
        if self.choice is not None:
            p[..., -1] = MAX_SENSITIVITY * self._measured(t, y, p)
        if self.own:
            y[..., n:] = self._called("own", list(self.own), t, y, p)
        if self.levels:
            p[..., n_p:first] = self._called("levels", list(self.invariants.values()), t, y, p)
        return y, p

    def measured_choice(self, t: float, y: Array, p: Array) -> float:
        """The measure of the choice of speeds at a state."""
        return float(self._measured(t, y, p))

    def _measured(self, t: float, y: Array, p: Array) -> Array:
        found: Array = self._called("choice", [ZERO if self.choice is None else self.choice], t, y, p)[..., 0]
        return found

    def _called(self, name: str, values: list[Expr], t: float, y: Array, p: Array) -> Array:
        """Expressions at a state, or at rows of them."""
        f = self.cached("start", name, lambda: self.compiled(name, {"x": values}))
        out: Array = f(t, y, p) if y.ndim == 1 else f.batch(t, y, p)
        return out

    def rhs(self, p: Array) -> Any:
        return program_callee(self.rhs_program, {"p": p})

    def raise_pending(self) -> None:
        """Raise what a function of the user raised in a run."""
        self.rhs_program.raise_pending()

    @cached_property
    def along_program(self) -> Compiled:
        changes = tuple(symbol(f"change_of_{s.name}", "variable") for s in self.y)
        metric = "unit" if self.name == "orthogonal" else self.metric

        def left() -> dict[str, Any]:
            return {"x": projection.left_of(self.equations, self.chosen, changes, metric)}

        return self.kept("along", left, {"changes": list(changes)})

    def along(self, p: Array) -> Any:
        """The part of a small change of the state that projection leaves; None if projection does nothing."""
        return program_callee(self.along_program, {"p": p}) if self.chosen else None

    @property
    def projects_positions(self) -> bool:
        """Whether the ends of steps are brought back to the constraints on positions."""
        return self.settles

    @cached_property
    def is_driven(self) -> bool:
        """Whether constraints are rheonomic: they move with time, or with an input."""
        moving = {self.equations.t, *self.equations.variables.of("r r'").symbols}
        return not moving.isdisjoint(
            free_symbols(*symbol_carriers(self.equations.phi), *symbol_carriers(self.equations.b))
        )

    def onto(self, p: Array, work: ProjectionWork | None = None) -> Any:
        """The way onto the constraints alone, for stages of steps: of all, or near singular positions; None if there are
        none. Invariants are corrected at the ends of steps only."""
        if not self.chosen:
            return None
        tolerance = self.tolerance if self.projects_stages else 0.0
        return self._quasi_orthogonal(p, tolerance, ("positions", "speeds"), work)

    def settle(self, p: Array, work: ProjectionWork | None = None) -> Any:
        """The way back to the constraints, or None; `work` counts what it costs."""
        if not self.settles and parts(self.equations):
            return self._followed(LoopCallee(keep_state, {"n": self.n}, ("out", "note")), p)
        if not self.settles:
            return None
        return self._followed(
            self._orthogonal(p, work)
            if self.name == "orthogonal"
            else self._quasi_orthogonal(p, self.tolerance, work=work),
            p,
        )

    @cached_property
    def _null_vectors(self) -> Compiled:
        metric = "unit" if self.name == "orthogonal" else self.metric
        found = null_vectors(self.equations, metric)
        return self.compiled("null_vectors", {"x": [e for m in found for e in m.entries]})

    @cached_property
    def _constraint_rows(self) -> Compiled:
        return self.compiled("constraint_rows", {"Jc": list(self.equations.Jc.entries)})

    def fitted_borders(self, p: Array) -> Any:
        """Borders for any state, into p, where constraints depend on each other; None if they do not."""
        borders = parts(self.equations)
        if not borders:
            return None
        one, *more = borders
        other, n, m = more[0].B if more else None, len(self.equations.u), one.B.rows
        return LoopCallee(fit_borders, {}, f=Fitting(
            n=n, m=m, k=one.B.cols, m2=other.rows if other else 0, k2=other.cols if other else 0,
            first=len(self.equations.variables.constants) + len(self.levels), constraints=program_callee(self._constraint_rows, {"p": p}), sizes=np.array(one.sizes),
            p=p, Jc=np.zeros(m * n), factors=np.zeros(m * n), rows=np.zeros(m, dtype=np.int64), columns=np.zeros(n, dtype=np.int64), quality=np.zeros(1),
            weights=np.zeros(m), vectors=np.zeros(m * m),
        ))  # fmt: skip

    def _followed(self, inner: LoopCallee, p: Array) -> LoopCallee:
        """The way back to the constraints, after which borders follow the motion; as it is if there are none."""
        borders = parts(self.equations)
        if not borders:
            return inner
        one, *more = borders
        other = more[0].B if more else None
        following = Following(
            n=self.n, m=one.B.rows, k=one.B.cols, m2=other.rows if other else 0, k2=other.cols if other else 0,
            first=len(self.equations.variables.constants) + len(self.levels), inner=inner, vectors=program_callee(self._null_vectors, {"p": p}),
            sizes=np.array(one.sizes), p=p, w=np.zeros(sum(b.B.rows * b.B.cols for b in borders)),
        )  # fmt: skip
        return self._loop(settle_and_follow, following=following)

    @property
    def _ways_back(self) -> dict[str, Callable[[], tuple[Any, Any]]]:
        """One correction each of positions, speeds and invariants, where there is something to correct: makers of x,
        and of the violation before."""
        eq, out = self.equations, dict[str, Callable[[], tuple[Any, Any]]]()
        if eq.rows.positions:
            out["positions"] = lambda: projection.new_positions(eq, self.chosen, self.metric)
        if self.chosen:
            out["speeds"] = lambda: projection.new_speeds(eq, self.chosen, self.metric)
        if self.invariants:
            scales = [self.scales[name] for name in self.invariants]
            out["invariants"] = lambda: projection.new_on_invariants(
                eq, self.y, self.chosen, self._shifted, scales, self.metric
            )
        return out

    @cached_property
    def corrections(self) -> dict[str, dict[str, Any]]:
        """Corrections as expressions: x, and the violation before."""
        return {name: _with_violation(make) for name, make in self._ways_back.items()}

    @cached_property
    def _corrections(self) -> dict[str, Compiled]:
        return {name: self.kept(name, partial(_with_violation, make)) for name, make in self._ways_back.items()}

    @property
    def _shifted(self) -> list[Expr]:
        return [e - s for e, s in zip(self.invariants.values(), self.levels, strict=True)]

    def _quasi_orthogonal(
        self,
        p: Array,
        tolerance: float,
        which: Sequence[str] = ("positions", "speeds", "invariants"),
        work: ProjectionWork | None = None,
    ) -> LoopCallee:
        programs: dict[str, Any] = {n: program_callee(c, {"p": p}) for n, c in self._corrections.items() if n in which}
        if work is not None:
            programs = {name: work.correction(name, callee) for name, callee in programs.items()}
        corrections = projection.Corrections(
            n=self.n, n_q=len(self.equations.q), n_u=len(self.equations.u), is_alone=int(self.metric == "mass"), tolerance=tolerance,
            violation=np.zeros(1), w=np.zeros(self.n), **programs,
        )  # fmt: skip
        made = self._loop(projection.settle, corrections=corrections)
        return made if work is None else work.projection(made)

    @cached_property
    def _newton(self) -> tuple[Compiled, int]:
        eq = self.equations
        m = len(projection.conditions(eq, self.chosen, self._shifted).entries)
        near = tuple(symbol(f"{s.name}_near", "variable") for s in self.y)
        mu = tuple(symbol(f"multiplier_{k}", "variable") for k in range(m))
        x, violation, length = projection.orthogonal_step(eq, self.y, self.chosen, self._shifted, near, mu)
        outputs = {"x": x, "violation": [violation, length]}
        return self.compiled("newton", outputs, (*self.y, *mu), {"a": list(near)}), m

    def _orthogonal(self, p: Array, work: ProjectionWork | None) -> LoopCallee:
        newton, m = self._newton
        step = program_callee(newton, {"p": p})
        steps = projection.OrthogonalSteps(
            n=self.n, m=m, tolerance=self.tolerance, newton=step if work is None else work.newton(step), violation=np.zeros(2),
            x=np.zeros(self.n + m), w=np.zeros(self.n + m),
        )  # fmt: skip
        made = self._loop(projection.settle_orthogonally, steps=steps)
        return made if work is None else work.projection(made)

    def _loop(self, kernel: Kernel, *outputs: str, **arguments: Any) -> LoopCallee:
        """A kernel that stands for the way back to the constraints, or for another program; its machine code gets the
        effort of the form's."""
        return self.effort.loop(kernel, outputs or ("out", "note"), **arguments)


def _with_violation(make: Callable[[], tuple[Any, Any]]) -> dict[str, Any]:
    x, violation = make()
    return {"x": x, "violation": [violation]}


class LaterRates(Sequence[Expr]):
    """The right-hand side, derived lazily: not needed where its compiled program is in the disk cache."""

    def __init__(self, count: int, make: Callable[[], Sequence[Expr]]) -> None:
        self._count, self._make = count, make

    @cached_property
    def _rates(self) -> tuple[Expr, ...]:
        return tuple(self._make())

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, k: Any) -> Any:
        return self._rates[k]


@dataclass(frozen=True)
class Kept:
    """Invariants by name, the scales of their violations, and the rates of variables that they need."""

    invariants: Mapping[str, Expr] = field(default_factory=dict)
    scales: Mapping[str, Expr] = field(default_factory=dict)
    rates: Mapping[Symbol, Expr] = field(default_factory=dict)


NOTHING_KEPT: Final = Kept()


def kept_invariants(eq: Equations, wanted: Sequence[Any]) -> Kept:
    """Invariants to keep: "energy", or expressions.

    With loads that have no potential, T + V - W is kept, W' being their power (Tuomela, Arponen, Normi 4.1).
    """
    invariants: dict[str, Expr] = {}
    scales: dict[str, Expr] = {}
    rates: dict[Symbol, Expr] = {}
    for k, what in enumerate(wanted):
        if isinstance(what, str) and what == "energy":
            total, fed = energy(eq), external_power(eq)
            if fed is not ZERO:
                work = symbol("work_of_loads", "variable")
                rates[work] = fed
                total = total - work
            invariants["energy"], scales["energy"] = total, 1 + kinetic_energy(eq)
        elif isinstance(what, str):
            raise unknown(f"simulate {eq.name!r}", "invariant", what, ["energy"], SimulationError)
        else:
            name = f"invariant_{k + 1}"
            (invariants[name],) = in_own_terms(eq, [as_expr(what)], solved=True)
            if strange := [s for s in free_symbols(invariants[name]) if s not in eq.variables.arguments]:
                raise SimulationError(
                    f"simulate {eq.name!r}: the invariant {shown(what)} depends on {listed(strange)}, which {eq.name!r} does not have; "
                    f"it has {listed(eq.variables.arguments)}"
                )
            scales[name] = 1 + abs(invariants[name])
    return Kept(invariants, scales, rates)


def explicit_form(
    name: str,
    eq: Equations,
    chosen: tuple[int, ...],
    *,
    metric: str = "mass",
    alpha: float = 10.0,
    beta: float = 10.0,
    kept: Kept = NOTHING_KEPT,
) -> Form:
    """One of the forms of this file."""
    choice = choice_of(eq)

    @cache
    def ways() -> list[Sequence[Expr]]:
        c = baumgarte_terms(eq, alpha, beta) if name == "baumgarte" else None
        rest = [*variable_rates(eq).entries, *kept.rates.values()]
        return [
            guarded_rates([*eq.rates.entries, *udot.entries, *rest], choice)
            for udot in all_accelerations(eq, chosen, c)
        ]

    y = (*eq.state, *kept.rates)
    recipe = "" if kept.invariants or kept.rates else f"{name} {chosen} {metric} {alpha!r} {beta!r}"
    return Form(
        name, eq, y, LaterRates(len(y), lambda: ways()[0]), chosen, metric, invariants=kept.invariants, scales=kept.scales,
        own=[ZERO] * len(kept.rates), choice=choice, recipe=recipe, ways=ways,
    )  # fmt: skip

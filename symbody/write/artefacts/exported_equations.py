"""Functions of equations that can be exported, each as expressions, made when it is first asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from ...algebra.calculus.derivatives import directional_derivative, gradient
from ...algebra.graph.functions import where as choice
from ...algebra.graph.graph import ONE, ZERO, Expr, Symbol, as_expr, symbol
from ...algebra.graph.linear import factorize
from ...algebra.graph.matrix import Matrix, sum_of_products
from ...algebra.graph.walk import free_symbols, substitute_all
from ...derivation.equations.additional_rates import is_explicit, variable_rates
from ...derivation.equations.equations import Equations
from ...derivation.equations.named_rows import output_rows
from ...derivation.programs.state_rates import state_rate_derivatives, state_rates
from ...derivation.questions.reactions import Reaction, reactions
from ...errors import DerivationError, ProgramError, in_number
from ...integrate.events.events import Event, changes, in_state
from ...integrate.events.switching_times import Switching, exported_switching_times
from ...integrate.forms.accelerations import accelerations
from ...integrate.inputs.meanings import quantity_expressions

ATTRACTION: Final = 10.0


@dataclass(frozen=True, eq=False)
class ExportedEquations:
    """Equations with the outputs and event functions that go with them.

    events         events, expressions, or names of variables and outputs, by name: zero crossings
    more_outputs   expressions by name, after the outputs of the model
    attraction     rate, in 1/s, at which `attracted` draws states onto the constraints
    """

    eq: Equations
    events: Mapping[str, Any] = field(default_factory=dict)
    more_outputs: Mapping[str, Any] = field(default_factory=dict)
    attraction: float = ATTRACTION

    # ------------------------------------------------------------------------------------------------ rates

    @property
    def has_rates(self) -> bool:
        """Whether x' follows from the state without iteration."""
        return is_explicit(self.eq)

    @cached_property
    def rates(self) -> Matrix:
        """x' = (q', u', z')."""
        eq = self.eq
        return state_rates(eq, accelerations(eq, tuple(range(len(eq.lam))))[0])

    @cached_property
    def multipliers(self) -> Matrix:
        return self.eq.multipliers

    @cached_property
    def semi_explicit(self) -> dict[str, Matrix] | None:
        """x' = f(x, lam) and what lam is to be found from, with multipliers as symbols: phi = 0, Jc u + b = 0 or Jc u'
        + c = 0 (index 3, 2, 1).

        None without constraints, or where M alone is singular.
        """
        eq = self.eq
        if not eq.lam or eq.augmented.factors.metric is not eq.M:
            return None
        lam, u = Matrix(len(eq.lam), 1, eq.lam), Matrix(len(eq.u), 1, eq.u)
        udot = factorize(eq.M, "definite").solve(eq.f + eq.Jc.T @ lam)
        found = {
            "xdot": state_rates(eq, udot),
            "phi": eq.phi,
            "psi": eq.Jc @ u + eq.b,
            "acc": eq.Jc @ udot + eq.c,
        }
        return {k: m for k, m in found.items() if m.entries}

    @cached_property
    def residual(self) -> Matrix:
        """q' - N u - n, M u' - f - Jcᵀ lam, h, Jc u' + c: zero along motions, with x' and lam as symbols."""
        eq = self.eq
        kinematics = [s - e for s, e in zip(self.rate_symbols, eq.rates.entries, strict=False)]
        forces = self._in_rates(list(eq.residual().entries))
        constraints = self._in_rates(
            [sum_of_products(eq.Jc.row(k), [u.dot for u in eq.u]) + c for k, c in enumerate(eq.c.entries)]
        )
        return column([*kinematics, *forces, *self._in_rates(list(eq.h.entries)), *constraints])

    @cached_property
    def rate_symbols(self) -> tuple[Symbol, ...]:
        """Symbols for x'."""
        return self.direction("rate")

    def _in_rates(self, expressions: list[Expr]) -> list[Expr]:
        """Expressions in u' and z' with the symbols of x' in their place."""
        eq = self.eq
        n = len(eq.q)
        known = dict(zip((*(s.dot for s in eq.u), *(s.dot for s in eq.z)), self.rate_symbols[n:], strict=True))
        return substitute_all(expressions, known) if known else expressions

    # ------------------------------------------------------------------------------------------------ directions

    def direction(self, name: str, group: str = "x") -> tuple[Symbol, ...]:
        """Symbols for a small change of the state (x), the inputs (r) or the parameters (p)."""
        found = tuple(symbol(f"{name}_of_{s.name}", "variable") for s in self.group(group))
        if taken := set(found) & set(self.eq.variables.arguments):
            raise ProgramError(
                f"export of {self.eq.name!r}: {in_number((s.name for s in taken), 'the name {} is', 'the names {} are')} needed for "
                "directions; give the model another"
            )
        return found

    def weights(self, count: int) -> tuple[Symbol, ...]:
        """Symbols for weights of so many entries."""
        found = tuple(symbol(f"weight_{k}_of_entry", "variable") for k in range(count))
        if taken := set(found) & set(self.eq.variables.arguments):
            raise ProgramError(
                f"export of {self.eq.name!r}: {in_number((s.name for s in taken), 'the name {} is', 'the names {} are')} needed for weights; give the model another"
            )
        return found

    def group(self, name: str) -> tuple[Symbol, ...]:
        return self.eq.state if name == "x" else self.eq.variables.of(name).symbols

    def along(self, thing: Any, *directions: tuple[Symbol, ...]) -> Any:
        """Derivatives of a thing along directions of the state, one after the other."""
        for d in directions:
            thing = directional_derivative(thing, dict(zip(self.eq.state, d, strict=True)))
        return thing

    # ------------------------------------------------------------------------------------------------ derivatives

    def rates_by(self, group: str) -> Matrix:
        """∂x'/∂x, ∂x'/∂r or ∂x'/∂p; accelerations by the factors that give these themselves."""
        return state_rate_derivatives(self.eq, self.group(group))

    def adjoint(self, weights: tuple[Symbol, ...], entries: Sequence[Expr]) -> dict[str, Matrix]:
        """Products of weights λ with the derivatives of some entries e: λᵀ ∂e/∂x, and of r and p likewise, by one
        reverse sweep."""
        groups = {g: self.group(g) for g in "xrp" if self.group(g)}
        total = sum_of_products(weights, entries)
        found = gradient(total, [s for g in groups.values() for s in g]).entries
        out, at = {}, 0
        for name, symbols in groups.items():
            out[f"{name}_adjoint"] = column(list(found[at : at + len(symbols)]))
            at += len(symbols)
        return out

    # ------------------------------------------------------------------------------------------------ what is looked at

    @cached_property
    def outputs(self) -> dict[str, Expr]:
        """Outputs of the model as expressions in the state, entries of vectors one by one."""
        own = output_rows(self.eq.outputs)
        more = {k: as_expr(e) for k, e in self.more_outputs.items()}
        if taken := [k for k in more if k in own]:
            raise ProgramError(
                f"export of {self.eq.name!r}: there is an output {taken[0]!r} already; choose another name"
            )
        return self._seen({**own, **more}, "output")

    @cached_property
    def event_functions(self) -> dict[str, Expr]:
        named = {n: self._event_function(n, e) for n, e in self.events.items()}
        return self._seen(named, "event function")

    def _event_function(self, name: str, given: Any) -> Expr:
        where = f"event {name!r} of {self.eq.name!r}"
        if isinstance(given, Event):
            return given.when
        if isinstance(given, str):
            (found,) = quantity_expressions(self.eq, (given,), where, ProgramError)
            if not isinstance(found, Expr):
                raise ProgramError(f'{where}: {given} has several entries; take one of them, such as "{given}[0]"')
            return found
        return as_expr(given)

    @property
    def event_senses(self) -> tuple[tuple[int, bool], ...]:
        """Of each event the direction of crossings that count, and whether one ends the motion."""
        return tuple((e.sense, e.terminal) if isinstance(e, Event) else (0, False) for e in self.events.values())

    @cached_property
    def event_rates(self) -> list[Expr]:
        """g' along the motion."""
        flow = dict(zip(self.eq.state, self.rates.entries, strict=True)) | {self.eq.t: ONE}
        return [directional_derivative(g, flow) for g in self.event_functions.values()]

    @cached_property
    def switching(self) -> Switching:
        """Switching times of functions of time: knots, and the lines that take a time to them."""
        return exported_switching_times(self.eq)

    @property
    def has_event_handling(self) -> bool:
        """Whether some event has a guard or a reset."""
        return any(isinstance(e, Event) and (e.where is not None or e.reset is not None) for e in self.events.values())

    @cached_property
    def event_handling(self) -> tuple[list[Expr], Matrix]:
        """Of each event whether its guard holds (1 or 0), and the state after it, before this is put onto the
        constraints: one row each."""
        guards, rows = [], []
        for name, given in self.events.items():
            where = f"event {name!r} of {self.eq.name!r}"
            holds, reset = (given.where, given.reset) if isinstance(given, Event) else (None, None)
            if callable(reset):
                raise ProgramError(
                    f"{where}: its reset is a Python function, which cannot be exported; write it as a "
                    "mapping of expressions"
                )
            after = changes(self.eq, where, reset) if reset is not None else {}
            guards.append(ONE if holds is None else in_state(self.eq, f"{where}, where", [choice(holds, ONE, ZERO)])[0])
            rows += [after.get(s, s) for s in self.eq.state]
        return guards, Matrix(len(guards), len(self.eq.state), tuple(rows))

    def _seen(self, named: Mapping[str, Expr], what: str) -> dict[str, Expr]:
        expressions, rates = list(named.values()), [z.dot for z in self.eq.z]
        if self.has_rates and set(rates) & set(free_symbols(*expressions)):
            expressions = substitute_all(expressions, dict(zip(rates, variable_rates(self.eq).entries, strict=True)))
        return dict(zip(named, in_state(self.eq, f"{what}s of {self.eq.name!r}", expressions), strict=True))

    @cached_property
    def reactions(self) -> tuple[dict[str, Reaction], list[str]]:
        """Reactions by joint, and why others are not determined."""
        try:
            return reactions(self.eq, solved=True), []
        except DerivationError as reason:
            return {}, [str(reason)]


def column(entries: list[Expr]) -> Matrix:
    return Matrix(len(entries), 1, tuple(entries))

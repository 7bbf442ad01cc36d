"""Inputs as functions: numbers stay parameters, everything else is put into the equations, with the rates that these
contain."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from inspect import Parameter, signature
from itertools import pairwise
from typing import Any, Final

import numpy as np

from ...algebra.calculus.derivatives import time_derivative
from ...algebra.graph.functions import ExternalFunction
from ...algebra.graph.graph import ZERO, Expr, Symbol, as_expr, symbol
from ...algebra.graph.late_matrix import symbol_carriers
from ...algebra.graph.matrix import Matrix
from ...algebra.graph.walk import free_symbols, scalars, substitute_all
from ...derivation.equations.equation_arguments import of_equations
from ...derivation.equations.equations import Equations
from ...derivation.equations.own_terms import composed, in_own_symbols
from ...emit.run.piecewise_polynomials import piecewise
from ...errors import ExpressionError, ModelError, SimulationError, SymbodyError, listed, shown
from ...units import quantity
from .sampled_law import SampledLaw, sampled_inputs
from .splines import Samples, samples_of

MAX_INPUT_SETS: Final = 8  # sets of input laws for which equations are cached: each has programs of its own
RATES: Final = ("value", "rate", "second rate")
Error = type[SymbodyError]


def with_inputs(
    eq: Equations, inputs: Mapping[Any, Any], error: Error = SimulationError
) -> tuple[Equations, dict[str, float]]:
    """Equations in which inputs that are functions are replaced, with their rates, and the numbers of those that are
    constant.

    An input is a number; an expression in t, q, u, z, other inputs and parameters (new ones too: references, gains),
    whose rates are its time derivatives; samples (times, values), between which it is a cubic spline, (times, values, "linear") or (times,
    values, "held"); a Python function of t, or of (t, q, u), which returns a number, or a tuple of the number and
    its rates; or a `SampledLaw`.
    """
    eq = _with_references(eq, inputs)
    numbers: dict[str, float] = {}
    laws: dict[Symbol, Any] = {}
    where = f"inputs of {eq.name!r}"
    for s, law in eq.variables.of("r").resolved(inputs, where, error).items():
        if s.order:
            raise error(
                f"{where}: {s.name} is a rate of {s.stem} and follows from it; give {s.stem} as a function of time, as in "
                f"inputs={{{s.stem!r}: 0.5 * eq.t}}"
            )
        if isinstance(law, Expr):
            (laws[s],) = in_own_symbols(eq, [law])
        elif callable(law) or isinstance(law, SampledLaw):
            laws[s] = law
        elif isinstance(law, (tuple, list)):
            laws[s] = samples_of(law, f"input {s.name!r} of {eq.name!r}", error)
        else:
            numbers[s.name] = _number(eq, s.name, law, error)
    if not laws:
        return eq, numbers
    contents = tuple((s.name, _content(law)) for s, law in laws.items())
    return eq.cached("inputs", contents, lambda: _closed_equations(eq, laws, error), most=MAX_INPUT_SETS), numbers


@of_equations
def closed_loop(equations: Equations, inputs: Mapping[Any, Any]) -> Equations:
    """Equations in which inputs follow laws, as in `simulate(..., inputs=)`, for compilation, export, certification and
    all other analyses.

    Numbers are laws too. New parameters of the laws (gains) are parameters of the result; inputs that laws contain, new
    ones too (references, `sb.symbol("x_ref", "input")`), are inputs of the result unless they have a law themselves.

    >>> m = sb.Model("cart")
    >>> F = m.input("F")
    >>> joint = m.prismatic("x", m.ground, m.body("cart", mass=2), actuation=F)
    >>> eq = sb.derive(m)
    >>> k = sb.symbol("k")
    >>> sb.closed_loop(eq, {F: -k * eq.q[0]}).f
    vector(-k*x)
    >>> following = sb.closed_loop(eq, {F: 20 * (sb.symbol("x_ref", "input") - eq.q[0])})
    >>> following.f, following.r
    (vector(20*(x_ref - x)), (x_ref,))

    See also: `simulate`, `Model.input`, `LinearSystem.lqr`.
    """
    laws = {k: as_expr(x) if isinstance(x, (int, float)) else x for k, x in inputs.items()}
    return with_inputs(equations, laws, ModelError)[0]


def _with_references(eq: Equations, inputs: Mapping[Any, Any]) -> Equations:
    """Equations that have the inputs which laws bring along as inputs of their own."""
    laws = in_own_symbols(eq, [law for law in inputs.values() if isinstance(law, Expr)])
    more = tuple(s for s in free_symbols(*laws) if s.kind == "input" and not s.order and s not in eq.r)
    return eq.cached("references", more, lambda: replace(eq, r=(*eq.r, *more)), most=MAX_INPUT_SETS) if more else eq


def _content(law: Any) -> Hashable:
    """The cache key of a law. An object without a hash is identified by its address: it lives as long as the equations
    it went into."""
    if isinstance(law, (Samples, SampledLaw)):
        return law.content
    return law if isinstance(law, Hashable) else id(law)


def _number(eq: Equations, name: str, law: Any, error: Error) -> float:
    if (found := quantity(law, f"input {name!r} of {eq.name!r}", error, eq.variables[name].unit)) is not None:
        return found
    try:
        return float(law)
    except (TypeError, ValueError):
        raise error(
            f"input {name!r} of {eq.name!r}: {shown(law)} is not a number, expression, function of t or of (t, "
            "q, u), or samples (times, values)"
        ) from None


# ------------------------------------------------------------------------------------------------- laws and their rates


def _law(eq: Equations, s: Symbol, law: Any, error: Error) -> dict[Symbol, Expr]:
    """An input and its rates as expressions: all that the equations contain, others where they are known."""
    orders = [symbol(s.stem, "input", order) for order in range(len(RATES))]
    needed = [d for d in orders if d in eq.r]
    if isinstance(law, Samples):
        law.require(len(needed) - 1, needed[-1].name, error)
        return _law_and_rates(eq, orders, needed, piecewise(s.name, law.knots, law.coefficients, eq.t), error)
    if not isinstance(law, Expr):
        return dict(zip(orders, _python(eq, s.name, law, error), strict=True))
    allowed = eq.variables.of("t q u z r").symbols
    if strange := [x for x in free_symbols(law) if x not in allowed and x.kind != "parameter"]:
        raise error(
            f"input {s.name!r} of {eq.name!r} depends on {listed(strange)}; it may depend on t, coordinates, "
            "speeds, variables, inputs and parameters"
        )
    return _law_and_rates(eq, orders, needed, law, error)


def _law_and_rates(
    eq: Equations, orders: list[Symbol], needed: list[Symbol], law: Expr, error: Error
) -> dict[Symbol, Expr]:
    rates: dict[Symbol, Any] = dict(zip(eq.q, eq.rates.entries, strict=True))
    found = {orders[0]: law}
    for before, s in pairwise(orders):
        try:
            found[s] = time_derivative(found[before], rates)
        except ExpressionError:
            if s in needed:
                raise
            break  # an external function without derivatives, whose rate is not needed
        if s in needed and (
            loop := [
                x
                for x in free_symbols(found[s])
                if x not in eq.variables.arguments and x.kind not in ("parameter", "input")
            ]
        ):
            raise error(
                f"input {orders[0].name!r} of {eq.name!r}: the equations contain {s.name}, which would contain {listed(loop)}, so accelerations would depend on themselves; put this dependence into the model, or let it come through a variable (m.variable)"
            )
    return found


def _python(eq: Equations, name: str, law: Callable[..., Any], error: Error) -> list[Expr]:
    """Value and rates of a Python function, as calls of it: rates are computed only if the equations contain them."""
    required = [p for p in signature(law).parameters.values() if p.default is Parameter.empty]
    if len(required) not in (1, 3):
        raise error(f"input {name!r} of {eq.name!r}: a function takes t, or (t, q, u); this one takes {len(required)}")
    arguments = (eq.t,) if len(required) == 1 else eq.variables.of("t q u").symbols
    is_of_time = len(required) == 1
    where = f"input {name!r} of {eq.name!r}"
    out: list[Expr] = []
    made: ExternalFunction | None = None
    for order in reversed(range(len(RATES))):
        known = [made] if made is not None and is_of_time else []
        python = PythonLaw(law, order, None if is_of_time else len(eq.q), where, error)
        made = ExternalFunction(f"{name}_d{order}" if order else name, len(arguments), known, python=python)
        out.insert(0, made(*arguments))
    return out


@dataclass(frozen=True)
class PythonLaw:
    """Value (order 0) or rate of an input by a Python function of t, or of (t, q, u) with so many q.

    It must not hold the equations, whose nodes hold it; and it can be pickled if the function can.
    """

    law: Callable[..., Any]
    order: int
    coordinates: int | None
    where: str
    error: Error

    def __call__(self, t: float, *x: float) -> float:
        n = self.coordinates
        found = self.law(t) if n is None else self.law(t, np.array(x[:n]), np.array(x[n:]))
        return _part(found, self.order, self.where, self.error)


def _part(found: Any, order: int, where: str, error: Error) -> float:
    parts = found if isinstance(found, (tuple, list)) else (found,)
    if order >= len(parts):
        raise error(
            f"{where}: the {RATES[order]} is needed, since the equations contain it; let the function return a tuple ({', '.join(RATES[: order + 1])}), "
            "or give an expression in t, or samples"
        )
    try:
        return float(parts[order])
    except (TypeError, ValueError):
        raise error(f"{where}: the function must return a number, got {shown(parts[order])}") from None


def _closed_equations(eq: Equations, laws: Mapping[Symbol, Any], error: Error) -> Equations:
    eq, table = _with_samples(eq, {s: law for s, law in laws.items() if isinstance(law, SampledLaw)}, error)
    for s, law in laws.items():
        if not isinstance(law, SampledLaw):
            table |= _law(eq, s, law, error)
    table = _without_each_other(eq, table, error)
    more = [s for s in free_symbols(*table.values()) if s.kind == "parameter" and s not in eq.p]
    names = list(eq.outputs)
    is_in_mass = not set(table).isdisjoint(
        free_symbols(*symbol_carriers(eq.M))
    )  # M of many bodies is not made for nothing
    parts = [eq.rates, eq.f, eq.phi, eq.Jc, eq.b, eq.c, eq.h, *(eq.outputs[n] for n in names)]
    closed = substitute_all([*parts, eq.M] if is_in_mass else parts, table)
    rates, f, phi, Jc, b, c, h, *outputs = closed[: len(parts)]
    M = closed[-1] if is_in_mass else eq.M
    return replace(
        eq, rates=rates, M=M, f=f, phi=phi, Jc=Jc, b=b, c=c, h=h, outputs=dict(zip(names, outputs, strict=True)),
        r=_inputs_left(eq, table, closed), p=(*eq.p, *more), dependent=composed(eq, table),
        sampling=None if eq.sampling is None else eq.sampling.substituted(table),
    )  # fmt: skip


def _with_samples(
    eq: Equations, laws: Mapping[Symbol, SampledLaw], error: Error
) -> tuple[Equations, dict[Symbol, Expr]]:
    """Equations with the variables that sampled laws hold, and the inputs as these variables."""
    if not laws:
        return eq, {}
    for s in laws:
        if rates := [d.name for d in (symbol(s.stem, "input", order) for order in (1, 2)) if d in eq.r]:
            raise error(
                f"input {s.name!r} of {eq.name!r}: the equations contain {listed(rates)}, which a law that is held between samples does not "
                "have; let the input act through a stiffness or a lag, or give an expression"
            )
    made = sampled_inputs(eq, laws, lambda s, law: _python(eq, s.name, law, error)[0], error)
    rows = [s.dot - rate for s, rate in made.rates.items()]
    more = [s for s in free_symbols(*made.sampling.after.values()) if s.kind == "parameter" and s not in eq.p]
    widened = replace(
        eq, z=(*eq.z, *made.rates), h=Matrix(len(eq.h.entries) + len(rows), 1, (*eq.h.entries, *rows)), p=(*eq.p, *more),
        sampling=made.sampling.joined(eq.sampling),
    )  # fmt: skip
    return widened, dict(made.inputs)


def _without_each_other(eq: Equations, table: dict[Symbol, Expr], error: Error) -> dict[Symbol, Expr]:
    """Laws in which inputs that have laws themselves are replaced by these."""
    for _ in range(len(table) + 1):
        known = [s for s in free_symbols(*table.values()) if s in table]
        if not known:
            return table
        table = dict(zip(table, substitute_all(list(table.values()), table), strict=True))
    raise error(
        f"inputs of {eq.name!r}: the laws of {listed(s for s in known if not s.order)} depend on each other in a cycle"
    )


def _inputs_left(eq: Equations, table: Mapping[Symbol, Expr], closed: list[Any]) -> tuple[Symbol, ...]:
    """Inputs without a law, and after them the rates of references that laws brought into the equations."""
    left = [s for s in eq.r if s not in table]
    rates = {s for s in free_symbols(*scalars(*closed)) if s.kind == "input" and s.order and s not in left}
    place = {s.stem: k for k, s in enumerate(left)}
    return (*left, *sorted(rates, key=lambda s: (s.order, place[s.stem])))


def rates_of_constants(eq: Equations) -> dict[Symbol, Expr]:
    """Rates of inputs that stay as they are: zero."""
    return dict.fromkeys(eq.variables.of("r' r''").symbols, ZERO)

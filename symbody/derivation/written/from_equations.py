"""`from_equations`: differential equations x' = f(t, x, r, p) written by the user, as a model.

    x, y, mu = symbols("x y mu")
    van_der_pol = from_equations({x: y, y: mu * (1 - x**2) * y - x}, {mu: 1.5})

States of first order are additional variables of a model without bodies, states of second order are coordinates of
inertia one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ...algebra.graph.graph import Symbol
from ...argument_kinds import answered
from ...errors import ModelError, shown
from ..entry.derive import derive
from ..equations.equations import Equations
from .user_expressions import WrittenDown, refuse_repeated, state_and_order

KINDS = {1: "variable", 2: "coordinate"}


@answered
def from_equations(
    rates: Mapping[Any, Any],
    values: Mapping[Any, float] | None = None,
    *,
    implicit: Mapping[Any, Any] | None = None,
    inputs: str | Iterable[Symbol | str] = (),
    outputs: Mapping[str, Any] | None = None,
    name: str = "equations",
) -> Equations:
    """Equations of the system x' = f(t, x, r, p), or of second order in some states, or E x' = f with some rates implicit.

    rates     f of each state, by its symbol or name: {x: f} or {"x": f}, also {x.dot: f}; of second order {x.dot.dot:
              f} or {"x_ddot": f}. The symbol t is time; symbols that are neither states nor inputs are parameters
    values    of parameters, by symbol or name; None if one has no number yet. A symbol that is not among
              them, and differs from a state, an input or one of them by a typing mistake, is refused
    implicit  further states with an expression each that is zero and linear in their rates: {y: e}, rates being `y.dot`
              and `y.dot.dot` of symbols of kind "variable" or "coordinate"; the assignment of expressions to states
              does not matter. States of second order are y and y_rate
    inputs    symbols or names of inputs; symbols of kind "input" need not be listed
    outputs   quantities of interest, by name

    A rate in a right side is `x.dot` of a symbol of kind "variable" or "coordinate".

    >>> x, v, k = sb.symbols("x v k")
    >>> eq = sb.from_equations({x: v, v: -k * x}, {k: 4.0})
    >>> sb.linearize(eq, {}).eigenvalues()
    array([0.-2.j, 0.+2.j])
    >>> a, b = sb.symbols("a b", "variable")
    >>> eq = sb.from_equations({}, implicit={a: 2 * a.dot + b.dot - b, b: a.dot + b.dot + a})
    >>> sb.evaluate(sb.first_order(eq).rates, eq.values(a=1.0, b=3.0))
    [4.0, -5.0]

    See also: `derive`, `from_lagrangian`, `Model.equation`.
    """
    implicit = {} if implicit is None else implicit
    if not all(isinstance(given, Mapping) for given in (rates, implicit)) or not (rates or implicit):
        raise ModelError(
            f"from_equations: expected a mapping {{x: f, ...}} from states to their rates, got {shown(rates)}"
        )
    found, unsolved = _states(rates), _states(implicit)
    refuse_repeated("from_equations", [n for n, _ in (*found, *unsolved)])
    kinds = {n: KINDS[order] for n, order in found} | {n: "variable" for n, _ in unsolved}
    written = WrittenDown("from_equations", kinds, inputs)
    given = {f"rate of {n!r}": f for (n, _), f in zip(found, rates.values(), strict=True)}
    given |= {f"equation of {n!r}": e for (n, _), e in zip(unsolved, implicit.values(), strict=True)}
    things = written.take(given | {f"output {k!r}": e for k, e in (outputs or {}).items()})
    m = written.model(name, values)
    for (n, order), f in zip(found, things, strict=False):
        s: Any = m.symbols[n]
        if order == 1:
            m.rate(s, f)
        else:
            m.balance(s, s.dot.dot - f)
    for (n, _), e in zip(unsolved, things[len(found) :], strict=False):
        m.equation(n, e)
    for k, e in zip(outputs or {}, things[len(given) :], strict=True):
        m.output(k, e)
    return derive(m)


def _states(given: Mapping[Any, Any]) -> list[tuple[str, int]]:
    """Names of states, and the order of the rate by which each is given."""
    found = [state_and_order(WrittenDown("from_equations", {}, ()), key) for key in given]
    if high := [(n, order) for n, order in found if order not in KINDS]:
        n, order = high[0]
        raise ModelError(
            f"from_equations: {n!r} is given by a rate of order {order}; make its rates of lower order states "
            "of their own"
        )
    return found

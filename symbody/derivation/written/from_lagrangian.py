"""`from_lagrangian`: a Lagrangian and generalised forces written by the user.

x, a = symbols("x a", "coordinate")
M, m, l, g = symbols("M m l g")
L = M * x.dot**2 / 2 + m * ((x.dot + l * a.dot * cos(a)) ** 2 + (l * a.dot * sin(a)) ** 2) / 2 + m * g * l * cos(a)
cart = from_lagrangian(L, [x, a], forces={x: symbol("F", "input")})
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ...algebra.calculus.derivatives import gradient
from ...algebra.graph.graph import ZERO, Expr, Symbol
from ...algebra.graph.walk import free_symbols
from ...argument_kinds import answered
from ...bodies.mechanism.declarations import names_of
from ...bodies.model.model import Model
from ...errors import unknown
from ..entry.derive import derive
from ..equations.equations import Equations
from .user_expressions import WrittenDown, refuse_repeated


@answered
def from_lagrangian(
    lagrangian: Any,
    coordinates: str | Iterable[Symbol | str],
    values: Mapping[Any, float] | None = None,
    *,
    forces: Mapping[Any, Any] | None = None,
    constraints: Mapping[str, Any] | Iterable[Any] = (),
    dissipation: Any = 0,
    inputs: str | Iterable[Symbol | str] = (),
    outputs: Mapping[str, Any] | None = None,
    name: str = "lagrangian",
) -> Equations:
    """Equations of motion by Lagrange's equations.

        d/dt ∂L/∂q' - ∂L/∂q = Q - ∂R/∂q' + Jcᵀ lam

    lagrangian    L(q, q', t), with q' = `q.dot` of symbols of kind "coordinate"; other symbols are parameters, `t` is
                  time, symbols of kind "input" are inputs
    values        of parameters, by symbol or name; None if one has no number yet. A symbol that is not among
                  them, and differs from a state, an input or one of them by a typing mistake, is refused
    forces        generalised forces Q, by coordinate
    constraints   expressions that are zero, by name or in a list: holonomic without rates, else nonholonomic (linear in
                  the rates)
    dissipation   R(q, q', t), Rayleigh's function
    inputs        names of further inputs
    outputs       quantities of interest, by name

    Terms of L without rates are a potential. `energy` of the result is Jacobi's integral q' · ∂L/∂q' - L, which is
    conserved if L does not depend on time and only constraint forces act.

    >>> theta = sb.symbol("theta", "coordinate")
    >>> m, l, g = sb.symbols("m l g")
    >>> eq = sb.from_lagrangian(m * l**2 * theta.dot**2 / 2 + m * g * l * sb.cos(theta), [theta])
    >>> eq.M, eq.f
    (vector(m*l**2), vector(-m*g*l*sin(theta)))
    >>> sb.energy(eq)
    m*l**2*theta_dot**2/2 - m*g*l*cos(theta)

    See also: `derive`, `from_equations`, `energy`.
    """
    where = "from_lagrangian"
    given = names_of(coordinates, where) if isinstance(coordinates, str) else list(coordinates)
    names = [WrittenDown(where, {}, ()).name(q) for q in given]
    refuse_repeated(where, names)
    written = WrittenDown(where, dict.fromkeys(names, "coordinate"), inputs)
    conditions = constraints if isinstance(constraints, Mapping) else _numbered_constraints(constraints)
    L, R = written.take({"the Lagrangian": lagrangian, "the dissipation": dissipation})
    pushes = written.take({f"force on {written.name(q)!r}": e for q, e in (forces or {}).items()})
    held = written.take({f"constraint {n!r}": e for n, e in conditions.items()})
    seen = written.take({f"output {n!r}": e for n, e in (outputs or {}).items()})
    m = written.model(name, values)
    _add_lagrangian(m, L)
    for q, Q in zip(forces or {}, pushes, strict=True):
        m.generalized_force(f"force on {written.name(q)}", _coordinate(m, written.name(q)), Q)
    _add_dissipation(m, R)
    for label, e in zip(conditions, held, strict=True):
        has_rates = any(s.kind == "speed" for s in free_symbols(e))
        (m.constrain_speed if has_rates else m.constrain)(label, e)
    for label, e in zip(outputs or {}, seen, strict=True):
        m.output(label, e)
    return derive(m, "lagrange")


def _numbered_constraints(constraints: Iterable[Any]) -> dict[str, Any]:
    return {f"constraint {k}": e for k, e in enumerate(constraints, start=1)}


def _coordinate(m: Model, name: str) -> Symbol:
    found = {q.name: q for q in m.symbols_of_kind("coordinate")}
    if name not in found:
        raise unknown(f"from_lagrangian {m.name!r}, forces=", "coordinate", name, found)
    return found[name]


def _add_lagrangian(m: Model, L: Expr) -> None:
    """L = K - V: terms without rates are a potential, all others a kinetic energy."""
    K, V = ZERO, ZERO
    for sign, term in _terms(L):
        if any(s.kind == "speed" for s in free_symbols(term)):
            K = K + term if sign > 0 else K - term
        else:
            V = V - term if sign > 0 else V + term
    m.kinetic_energy("lagrangian", K)
    if V is not ZERO:
        m.potential("potential", V)


def _terms(e: Expr) -> list[tuple[int, Expr]]:
    """The terms of a sum, each with its sign."""
    out: list[tuple[int, Expr]] = []
    left = [(1, e)]
    while left:
        sign, x = left.pop()
        if x.op in ("add", "sub"):
            left += [(-sign if x.op == "sub" else sign, x.args[1]), (sign, x.args[0])]
        elif x.op == "neg":
            left.append((-sign, x.args[0]))
        else:
            out.append((sign, x))
    return out


def _add_dissipation(m: Model, R: Expr) -> None:
    q = m.symbols_of_kind("coordinate")
    slopes = gradient(R, [s.dot for s in q]).entries
    for s, slope in zip(q, slopes, strict=True):
        if slope is not ZERO:
            m.generalized_force(f"dissipation on {s.name}", s, -slope)

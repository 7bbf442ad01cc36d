"""The catalogue of exported functions: name, meaning, and the expressions of each. Every language writes the same ones.

A function of the catalogue gives a `Definition`, or None where the equations have nothing of the kind (multipliers
without constraints).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from ...algebra.calculus.derivatives import directional_derivative, jacobian
from ...algebra.graph.graph import ZERO, Expr, Symbol, as_expr, symbol
from ...algebra.graph.matrix import Matrix, stack
from ...algebra.graph.walk import free_symbols, substitute
from ...derivation.equations.energies import kinetic_energy, potential_energy
from ...derivation.equations.equations import Equations
from ...errors import ProgramError, unknown
from ...integrate.forms import projection
from .exported_equations import ExportedEquations, column


@dataclass(frozen=True)
class Definition:
    """Outputs as expressions, inputs beside t, x, r, p, names of the entries of outputs, and outputs of which only
    entries that are not zero are given."""

    outputs: Mapping[str, Any]
    inputs: Mapping[str, tuple[Symbol, ...]] = field(default_factory=dict)
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    sparse: tuple[str, ...] = ()


JACOBIANS: Final = "Jc, b and c of Jc u + b = 0 and Jc u' + c = 0"
Define = Callable[[ExportedEquations], Definition | None]


@dataclass(frozen=True)
class CatalogueEntry:
    """A function of the catalogue. It can be requested by its name or by its `group`.

    of_pairs   whether it has numbers for each pair of speeds or states: of a large mechanism it is left out unless it is
               requested by its name
    """

    name: str
    group: str
    about: str
    define: Define
    needs_rates: bool = False
    of_pairs: bool = False

    def about_of(self, eq: Equations) -> str:
        """Its meaning; loads that contain multipliers have their slope W in them."""
        if eq.augmented.W is None:
            return self.about
        return self.about.replace("Jc' lam", "(Jc + W)' lam").replace(
            JACOBIANS, f"{JACOBIANS}; W of f(lam) = f + W' lam"
        )


# ---------------------------------------------------------------------------------------------------- core


def _rhs(m: ExportedEquations) -> Definition:
    return Definition({"xdot": m.rates})


def _mass_matrix(m: ExportedEquations) -> Definition | None:
    return Definition({"M": m.eq.M}) if m.eq.u else None


def _right_side(m: ExportedEquations) -> Definition | None:
    return Definition({"f": m.eq.augmented.f0}) if m.eq.u else None


def _mass_form(m: ExportedEquations) -> Definition:
    """By the derivatives of the residual, which is linear in x' and lam."""
    unknowns = (*m.rate_symbols, *m.eq.lam)
    E = jacobian(m.residual, unknowns)
    rest = _at_zero(m.residual, unknowns)
    return Definition({"E": E, "F": -rest})


def _residual(m: ExportedEquations) -> Definition:
    return Definition({"residual": m.residual}, _unknowns(m))


def _semi_explicit(m: ExportedEquations) -> Definition | None:
    found = m.semi_explicit
    return None if found is None else Definition(found, {"lam": m.eq.lam})


def _semi_explicit_along(m: ExportedEquations) -> Definition | None:
    found = m.semi_explicit
    if found is None:
        return None
    dlam = tuple(symbol(f"change_of_{s.name}", "variable") for s in m.eq.lam)
    names = [f"d{k}" for k in found]
    whole = stack(*found.values())
    made = _change_along(m, "d", whole, dict(zip(m.eq.lam, dlam, strict=True)))
    entries, parts, at = made.outputs["d"].entries, {}, 0
    for name, part in zip(names, found.values(), strict=True):
        parts[name] = column(list(entries[at : at + part.rows]))
        at += part.rows
    return Definition(parts, {"lam": m.eq.lam, **made.inputs, "dlam": dlam})


def _unknowns(m: ExportedEquations) -> dict[str, tuple[Symbol, ...]]:
    """x', and the multipliers where there are some."""
    return {"xdot": m.rate_symbols, **({"lam": m.eq.lam} if m.eq.lam else {})}


def _constraints(m: ExportedEquations) -> Definition | None:
    positions, speeds = m.eq.rows.positions, m.eq.rows.speeds
    outputs = {"phi": positions, "psi": speeds}
    found = {k: rows for k, rows in outputs.items() if rows}
    if not found:
        return None
    names = {k: tuple(row.name for row in rows) for k, rows in found.items()}
    return Definition({k: column([row.expression for row in rows]) for k, rows in found.items()}, names=names)


def _constraint_jacobian(m: ExportedEquations) -> Definition | None:
    eq = m.eq
    friction = {} if eq.augmented.W is None else {"W": eq.augmented.W}
    return Definition({"Jc": eq.Jc, "b": eq.b, "c": eq.c, **friction}) if eq.lam else None


def _correct_positions(m: ExportedEquations) -> Definition | None:
    eq = m.eq
    if not eq.rows.positions and not eq.lam:
        return None
    if not eq.rows.positions:  # nonholonomic constraints alone
        return Definition({"q": column(list(eq.q)), "violation": [ZERO]})
    q, violation = projection.new_positions(eq, tuple(range(len(eq.lam))), "mass")
    return Definition({"q": q, "violation": [violation]})


def _correct_speeds(m: ExportedEquations) -> Definition | None:
    eq = m.eq
    if not eq.rows.positions and not eq.lam:
        return None
    if not eq.lam:  # only norms of Euler parameters, and invariants that the motion keeps
        return Definition({"u": column(list(eq.u)), "violation": [ZERO]})
    u, violation = projection.new_speeds(eq, tuple(range(len(eq.lam))), "mass")
    return Definition({"u": u, "violation": [violation]})


def _pull(m: ExportedEquations) -> Matrix | None:
    """rate (projected x - x), by one correction of positions and speeds each."""
    positions, speeds = _correct_positions(m), _correct_speeds(m)
    if positions is None or speeds is None:
        return None
    corrected = (*positions.outputs["q"].entries, *speeds.outputs["u"].entries, *m.eq.z)
    return (column(list(corrected)) - column(list(m.eq.state))) * as_expr(m.attraction)


def _attracted_rates(m: ExportedEquations) -> Definition | None:
    """On the constraints the motion itself. Near them phi' = psi - rate phi and psi' = -rate psi, so that the Jacobian
    has the eigenvalue -rate where that of the rates has zeros that belong to no motion."""
    pull = _pull(m)
    return None if pull is None else Definition({"xdot": m.rates + pull})


def _attracted_by(group: str) -> Define:
    def define(m: ExportedEquations) -> Definition | None:
        pull = _pull(m)
        if pull is None or not m.group(group):
            return None
        return Definition({f"xdot_{group}": m.rates_by(group) + jacobian(pull, m.group(group))})

    return define


def _multipliers(m: ExportedEquations) -> Definition | None:
    names = {"lam": tuple(s.name for s in m.eq.lam)}
    return Definition({"lam": m.multipliers}, names=names) if m.eq.lam else None


def _reactions(m: ExportedEquations) -> Definition | None:
    found, _ = m.reactions
    if not found:
        return None
    entries = [e for r in found.values() for e in (*r.force.entries, *r.moment.entries)]
    return Definition({"wrenches": Matrix(len(found), 6, tuple(entries))}, names={"wrenches": tuple(found)})


def _outputs(m: ExportedEquations) -> Definition | None:
    return Definition({"y": list(m.outputs.values())}, names={"y": tuple(m.outputs)}) if m.outputs else None


def _energies(m: ExportedEquations) -> Definition | None:
    if not m.eq.u:
        return None
    return Definition({"kinetic": kinetic_energy(m.eq), "potential": potential_energy(m.eq)})


def _events(m: ExportedEquations) -> Definition | None:
    found = m.event_functions
    return Definition({"g": list(found.values())}, names={"g": tuple(found)}) if found else None


def _event_rates(m: ExportedEquations) -> Definition | None:
    return Definition({"rate": m.event_rates}, names={"rate": tuple(m.event_functions)}) if m.event_functions else None


def _event_handling(m: ExportedEquations) -> Definition | None:
    if not m.has_event_handling:
        return None
    holds, after = m.event_handling
    return Definition({"holds": holds, "after": after}, names={"holds": tuple(m.events)})


def _switching_lines(m: ExportedEquations) -> Definition | None:
    return Definition({"lines": list(m.switching.written)}) if m.switching.count else None


# ---------------------------------------------------------------------------------------------------- derivatives


def _rates_by(group: str, sparse: bool) -> Define:
    def define(m: ExportedEquations) -> Definition | None:
        if not m.group(group):
            return None
        return Definition({f"xdot_{group}": m.rates_by(group)}, sparse=(f"xdot_{group}",) if sparse else ())

    return define


def _linear_system(m: ExportedEquations) -> Definition:
    out = {"A": m.rates_by("x")}
    if m.group("r"):
        out["B"] = m.rates_by("r")
    if m.outputs:
        y = list(m.outputs.values())
        out["C"] = jacobian(y, m.group("x"))
        if m.group("r"):
            out["D"] = jacobian(y, m.group("r"))
    return Definition(out)


def _along(m: ExportedEquations) -> Definition:
    """All groups at once, so that FMUs, adjoint methods and sensitivities need one function each."""
    return _change_along(m, "dxdot", m.rates)


def _outputs_along(m: ExportedEquations) -> Definition | None:
    if not m.outputs:
        return None
    return _change_along(m, "dy", column(list(m.outputs.values())))


def _events_along(m: ExportedEquations) -> Definition | None:
    if not m.event_functions:
        return None
    return _change_along(m, "dg", column(list(m.event_functions.values())))


def _change_along(
    m: ExportedEquations, name: str, thing: Matrix, more: Mapping[Symbol, Symbol] | None = None
) -> Definition:
    """The derivative of a thing along changes of state, inputs and parameters, of time where it depends on time
    explicitly, and of more symbols."""
    groups = ["x", "r", "p"] + (["t"] if m.eq.t in free_symbols(thing) else [])
    changes = {f"d{g}": m.direction("change", g) for g in groups if m.group(g)}
    table = {s: d for g in groups if m.group(g) for s, d in zip(m.group(g), changes[f"d{g}"], strict=True)}
    return Definition({name: _directional(thing, table | dict(more or {}))}, changes)


def _adjoint(m: ExportedEquations) -> Definition:
    weights = m.direction("weight")
    return Definition(m.adjoint(weights, m.rates.entries), {"weights": weights})


def _outputs_adjoint(m: ExportedEquations) -> Definition | None:
    return _weighted_derivatives(m, list(m.outputs.values())) if m.outputs else None


def _events_adjoint(m: ExportedEquations) -> Definition | None:
    return _weighted_derivatives(m, list(m.event_functions.values())) if m.event_functions else None


def _weighted_derivatives(m: ExportedEquations, entries: list[Expr]) -> Definition:
    weights = m.weights(len(entries))
    return Definition(m.adjoint(weights, entries), {"weights": weights})


# -------------------------------------------------------------------------------------------------- variational systems


def _rhs_and_jacobian(m: ExportedEquations) -> Definition:
    return Definition({"xdot": m.rates, "J": m.rates_by("x")}, sparse=("J",))


def _second(m: ExportedEquations) -> Definition:
    v, w = m.direction("first"), m.direction("second")
    return Definition({"d2xdot": m.along(m.rates, v, w)}, {"v": v, "w": w})


def _third(m: ExportedEquations) -> Definition:
    v, w, s = m.direction("first"), m.direction("second"), m.direction("third")
    return Definition({"d3xdot": m.along(m.rates, v, w, s)}, {"v": v, "w": w, "s": s})


def _bending(m: ExportedEquations) -> Definition:
    v = m.direction("first")
    return Definition({"H": jacobian(m.along(m.rates, v), m.group("x"))}, {"v": v}, sparse=("H",))


def _residual_derivatives(m: ExportedEquations) -> Definition:
    wrt = [*m.group("x"), *(s for group in _unknowns(m).values() for s in group)]
    return Definition({"residual": m.residual, "D": jacobian(m.residual, wrt)}, _unknowns(m), sparse=("D",))


def _at_zero(thing: Matrix, symbols: Iterable[Symbol]) -> Matrix:
    return substitute(thing, dict.fromkeys(symbols, ZERO))


def _directional(thing: Matrix, table: Mapping[Symbol, Symbol]) -> Matrix:
    return directional_derivative(thing, table)


# ---------------------------------------------------------------------------------------------------- the table

CATALOGUE: Final = {
    e.name: e
    for e in (
        CatalogueEntry("rhs", "core", "x' = (q', u', z')", _rhs, True),
        CatalogueEntry("mass_matrix", "core", "M of M u' = f + Jc' lam", _mass_matrix, of_pairs=True),
        CatalogueEntry("right_side", "core", "f of M u' = f + Jc' lam", _right_side, of_pairs=True),
        CatalogueEntry("mass_form", "implicit", "E and F of E (x', lam) = F", _mass_form, of_pairs=True),
        CatalogueEntry("residual", "implicit", "q' - N u - n, M u' - f - Jc' lam, h, Jc u' + c: zero along motions", _residual),
        CatalogueEntry("semi_explicit", "implicit", "x' with multipliers as given, and phi, Jc u + b, Jc u' + c, one of which determines them", _semi_explicit, True),
        CatalogueEntry("semi_explicit_along", "implicit", "derivative of semi_explicit along changes of state, inputs, parameters, time and multipliers", _semi_explicit_along, True),
        CatalogueEntry("constraints", "core", "phi (norms of Euler parameters after them) and Jc u + b: zero on the constraints", _constraints),
        CatalogueEntry("constraint_jacobian", "core", JACOBIANS, _constraint_jacobian),
        CatalogueEntry("correct_positions", "core", "one correction of positions towards the constraints, and the violation before", _correct_positions),
        CatalogueEntry("correct_speeds", "core", "speeds on the constraints, and the violation before", _correct_speeds),
        CatalogueEntry("attracted", "attracted", "x' with the state attracted to the constraints: for solvers that cannot project", _attracted_rates, True),
        CatalogueEntry("attracted_x", "attracted", "derivatives of attracted x' by the state", _attracted_by("x"), True, of_pairs=True),
        CatalogueEntry("attracted_r", "attracted", "derivatives of attracted x' by the inputs", _attracted_by("r"), True, of_pairs=True),
        CatalogueEntry("attracted_p", "attracted", "derivatives of attracted x' by the parameters", _attracted_by("p"), True, of_pairs=True),
        CatalogueEntry("multipliers", "core", "lam of M u' = f + Jc' lam", _multipliers),
        CatalogueEntry("reactions", "reactions", "force and moment in each joint, on its child side, in the axes of its parent side: one row each", _reactions),
        CatalogueEntry("outputs", "core", "the outputs of the model", _outputs),
        CatalogueEntry("energies", "core", "kinetic and potential energy", _energies),
        CatalogueEntry("events", "core", "event functions, which cross zero at events", _events),
        CatalogueEntry("event_handling", "core", "of each event: 1 where its guard holds, else 0; and the state after it, one row each", _event_handling),
        CatalogueEntry("event_rates", "events", "time derivatives of the event functions along the motion", _event_rates, True),
        CatalogueEntry("switching_lines", "switching", "of each function of time that switches: a and b, so that it does where a t + b is a knot, the size of the terms of b, 1 where a step may begin exactly there, 1 where it jumps", _switching_lines),
        CatalogueEntry("rhs_x", "derivatives", "derivatives of x' by the state", _rates_by("x", False), True, of_pairs=True),
        CatalogueEntry("rhs_r", "derivatives", "derivatives of x' by the inputs", _rates_by("r", False), True, of_pairs=True),
        CatalogueEntry("rhs_p", "derivatives", "derivatives of x' by the parameters", _rates_by("p", False), True, of_pairs=True),
        CatalogueEntry("rhs_x_sparse", "sparse", "derivatives of x' by the state: entries of compressed rows", _rates_by("x", True), True, of_pairs=True),
        CatalogueEntry("rhs_r_sparse", "sparse", "derivatives of x' by the inputs: entries of compressed rows", _rates_by("r", True), True, of_pairs=True),
        CatalogueEntry("rhs_p_sparse", "sparse", "derivatives of x' by the parameters: entries of compressed rows", _rates_by("p", True), True, of_pairs=True),
        CatalogueEntry("linear_system", "derivatives", "A, B, C, D of the linear system at a point", _linear_system, True, of_pairs=True),
        CatalogueEntry("rhs_along", "products", "derivative of x' along changes of state, inputs, parameters and time", _along, True),
        CatalogueEntry("outputs_along", "products", "derivative of the outputs along changes of state, inputs, parameters and time", _outputs_along),
        CatalogueEntry("events_along", "products", "derivative of the event functions along changes of state, inputs, parameters and time", _events_along),
        CatalogueEntry("rhs_adjoint", "products", "weights times the derivatives of x' by state, inputs and parameters", _adjoint, True),
        CatalogueEntry("outputs_adjoint", "products", "weights times the derivatives of the outputs by state, inputs and parameters", _outputs_adjoint),
        CatalogueEntry("events_adjoint", "products", "weights times the derivatives of the event functions by state, inputs and parameters", _events_adjoint),
        CatalogueEntry("rhs_and_jacobian", "variational", "x' and its derivatives by the state, as compressed rows", _rhs_and_jacobian, True, of_pairs=True),
        CatalogueEntry("rhs_bending", "variational", "derivatives by the state of the derivative of x' along v", _bending, True, of_pairs=True),
        CatalogueEntry("residual_derivatives", "variational", "the residual and its derivatives by x, x' and lam side by side, as compressed rows", _residual_derivatives, of_pairs=True),
        CatalogueEntry("rhs_second", "higher", "second derivative of x' along v and w", _second, True),
        CatalogueEntry("rhs_third", "higher", "third derivative of x' along v, w and s", _third, True),
    )
}  # fmt: skip
GROUPS: Final = tuple(dict.fromkeys(e.group for e in CATALOGUE.values()))
DEFAULT_GROUPS: Final = ("core", "derivatives")  # groups of functions that are exported where none are named
GROUPS_WITH_PRODUCTS: Final = (
    "core",
    "derivatives",
    "products",
)  # default of targets that have no differentiation of their own
EVERYTHING: Final = "all"


def catalogue_entries(names: Iterable[str] | str, where: str) -> list[CatalogueEntry]:
    """Entries of the catalogue by their names, by those of groups, or all of them."""
    asked = [names] if isinstance(names, str) else list(names)
    known = (EVERYTHING, *GROUPS, *CATALOGUE)
    for name in asked:
        if name not in known:
            raise unknown(where, "function or group of functions", name, known, ProgramError)
    return [e for e in CATALOGUE.values() if EVERYTHING in asked or e.name in asked or e.group in asked]

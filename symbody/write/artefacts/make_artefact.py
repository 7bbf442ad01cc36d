"""Equations -> `Artefact`: the requested functions, algorithms that go with them, a start, numbers to check by."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from ...algebra.calculus.evaluate import evaluate
from ...algebra.graph.node_table import gc_paused
from ...algebra.printing.target_names import is_c_reserved
from ...argument_kinds import answered_class
from ...derivation.equations.equations import Equations
from ...derivation.equations.variable import ARGUMENTS
from ...derivation.programs.forward_dynamics import has_many_pairs
from ...emit import program
from ...errors import ExpressionError, ProgramError, in_number, listed
from ...integrate.events.switching_times import undivided_note
from ...integrate.events.valid_region import with_own_events
from ...integrate.start.assembly import assemble
from ...integrate.start.state import Start, State, is_whole_state, start_values
from ...version import VERSION
from . import algorithms as loops
from .artefact import Algorithm, Artefact, ExportedFunction, compressed_rows, pattern, places
from .catalogue import DEFAULT_GROUPS, CatalogueEntry, catalogue_entries
from .exported_equations import ATTRACTION, ExportedEquations
from .reference import check_point, reference_motion

MOST_CHARACTERS: Final = 40  # of an identifier: names of functions that begin with it have at most the 63 of MATLAB


@answered_class
@dataclass(frozen=True)
class ExportOptions:
    """Options of an artefact.

    functions   names or groups of the catalogue, or "all"
    start       initial state, or values by name
    name        of the files and the prefix of functions; by default that of the model
    events      expressions (or events) by name, whose zero crossings are to be found
    reference   duration in seconds of a reference motion that the driver reproduces; None to omit it
    more_outputs   expressions by name, after the outputs of the model
    checks      whether to include values of all functions at a point
    attraction  rate, in 1/s, at which functions of the group "attracted" attract states to the constraints

    >>> sb.write.ExportOptions(reference=None, name="decay").functions
    ('core', 'derivatives')

    See also: `write.artefact`, `write.c`.
    """

    functions: Iterable[str] | str = DEFAULT_GROUPS
    start: Start | None = None
    name: str | None = None
    events: Mapping[str, Any] | None = None
    reference: float | None = 1.0
    more_outputs: Mapping[str, Any] | None = None
    checks: bool = True
    attraction: float = ATTRACTION


def artefact(eq: Equations, options: ExportOptions) -> Artefact:
    """Everything to be written of some equations.

    >>> x = sb.symbol("x", "variable")
    >>> sb.write.artefact(sb.from_equations({x: -x}, name="decay"), sb.write.ExportOptions(reference=None)).identifier
    'decay'

    See also: `write.Artefact`, `write.ExportOptions`, `write.export`.
    """
    where = f"export of {eq.name!r}"
    with gc_paused():
        source = ExportedEquations(
            eq, with_own_events(eq, options.events or {}), options.more_outputs or {}, options.attraction
        )
        identifier = identifier_of(options.name or eq.name)
        entries, left_out = _affordable(eq, options.functions, catalogue_entries(options.functions, where))
        functions, notes = _functions(source, identifier, entries, where)
        made = _start_state(eq, options.start)
        table = eq.variables
        found = Artefact(
            eq.name, identifier, VERSION, table.of("q u z").rows, table.of("r").rows, table.of("p").rows,
            (made.t, (*map(float, made.q), *map(float, made.u), *map(float, made.z)), tuple(map(float, made.r))),
            tuple(map(float, made.p)), functions, notes=(*left_out, *notes), labels=eq.labels, event_senses=source.event_senses,
        )  # fmt: skip
        found = _with_algorithms(found, eq)
        if options.checks:
            check, missing = check_point(found)
            found = replace(found, check=check, notes=(*found.notes, *missing))
    if eq.sampling is not None:
        names = listed(eq.sampling.inputs)
        return replace(
            found,
            notes=(*found.notes, f"{names}: sampled laws; the samples are events, which the driver does not take"),
        )
    if options.reference is None or not found.has("rhs"):
        return found
    undivided = undivided_note(eq, "steps of the driver")
    all_notes = (*found.notes, undivided) if undivided else found.notes
    return replace(
        found, reference=reference_motion(eq, made, options.reference, found.has("project")), notes=all_notes
    )


def _start_state(eq: Equations, start: Start | None) -> State:
    """The start as given where it is on the constraints, or the nearest state that is."""
    given = start_values(start, f"export of {eq.name!r}")
    if is_whole_state(start):  # inputs that follow laws are not in the equations any more
        given = {k: v for k, v in given.items() if k in eq.variables.of(ARGUMENTS)}
    state = State.of(eq, given)
    return _state_behind_samples(state if state.violation.is_small else assemble(eq, start=given))


def _state_behind_samples(state: State) -> State:
    """A start behind the first samples of sampled laws: later ones are events."""
    sampling = state.equations.sampling
    if sampling is None:
        return state
    numbers = {state.equations.variables[name].symbol: x for name, x in state.values.items()}
    found = [evaluate(e, numbers) for e in sampling.after.values()]
    new = dict(zip(sampling.after, map(float, found), strict=True))
    return replace(state, z=np.array([new.get(s, x) for s, x in zip(state.equations.z, state.z, strict=True)]))


def identifier_of(name: str) -> str:
    """ASCII letters, digits and underscores, beginning with a letter: the name of files, and the prefix of everything
    in them."""
    parts = re.findall(r"[A-Za-z0-9]+", name)  # ASCII, and no two underscores in a row: not every language takes them
    text = "_".join(parts)[:MOST_CHARACTERS].strip("_")
    text = text if text[:1].isalpha() else f"model_{text}".strip("_")
    return f"{text}_model" if is_c_reserved(text) else text


# ---------------------------------------------------------------------------------------------------- functions


def _affordable(
    eq: Equations, asked: Iterable[str] | str, entries: list[CatalogueEntry]
) -> tuple[list[CatalogueEntry], list[str]]:
    """Functions to be written, and a note on those of a large mechanism in loops that are not: numbers for each pair of
    speeds take more than all others together."""
    names = {asked} if isinstance(asked, str) else set(asked)
    left_out = [e.name for e in entries if e.of_pairs and e.name not in names]
    if not left_out or not has_many_pairs(eq):
        return entries, []
    known = [n for n in left_out if n[-2:] not in [f"_{g}" for g in "rp" if not getattr(eq, g)]]
    words = in_number(known, "{} is", "{} are")
    note = f"{words} left out: the mechanism has {len(eq.u)} speeds, and a number for each pair of them; request them by name"
    return [e for e in entries if e.name not in left_out], [note]


def _functions(
    source: ExportedEquations, identifier: str, entries: list[CatalogueEntry], where: str
) -> tuple[tuple[ExportedFunction, ...], list[str]]:
    made, notes = [], []
    if any(e.name == "reactions" for e in entries):
        notes += [f"reactions are left out: {reason}" for reason in source.reactions[1]]
    for entry in entries:
        if entry.needs_rates and not source.has_rates:
            notes.append(
                f"{entry.name} is left out: the rates of additional variables follow from equations only by "
                "iteration; use residual"
            )
            continue
        try:
            function = _function(source, identifier, entry)
        except ExpressionError as reason:  # an external function without derivatives
            notes.append(f"{entry.name} is left out: {reason}")
            continue
        if function is not None:
            made.append(function)
    if not made:
        raise ProgramError(f"{where}: none of the requested functions can be made. {' '.join(notes)}")
    return tuple(made), notes


def _function(source: ExportedEquations, identifier: str, entry: CatalogueEntry) -> ExportedFunction | None:
    found = entry.define(source)
    if found is None:
        return None
    eq = source.eq
    groups: dict[str, Any] = {"t": eq.t, "x": list(eq.state), "r": list(eq.r), "p": list(eq.p)}
    groups |= {k: list(v) for k, v in found.inputs.items()}
    made = program(f"{identifier}_{entry.name}", groups, found.outputs, sparse=found.sparse, labels=eq.labels)
    return ExportedFunction(entry.name, entry.about_of(eq), made, found.outputs, found.names)


# ---------------------------------------------------------------------------------------------------- algorithms


def _with_algorithms(found: Artefact, eq: Equations) -> Artefact:
    """Loops whose functions are there, and patterns of sparse outputs as tables."""
    tables: dict[str, tuple[int, ...]] = {}
    for f in found.functions:
        for out in f.program.outputs:
            if out.is_sparse:
                tables[f"{f.name}_{out.name}_pattern"] = pattern(out)
    made = [a for make in (_project, _variational, _higher, _implicit) for a in make(found, eq, tables)]
    return replace(found, algorithms=tuple(made), tables=tables)


def _project(found: Artefact, eq: Equations, _: Any) -> list[Algorithm]:
    if not (found.has("correct_positions") and found.has("correct_speeds")):
        return []
    return [
        Algorithm(
            "project", "the state onto the constraints, in place: also assembles rough states", loops.project, ("x", len(eq.state)), changes=True,
            scratch={"corrected": max(len(eq.q), len(eq.u)), "violation": 1}, constants={"n_q": len(eq.q), "n_u": len(eq.u)},
            calls={"positions": "correct_positions", "speeds": "correct_speeds"},
        )
    ]  # fmt: skip


def _start(n: int, total: int, ending: str) -> Algorithm:
    about = "the state with variations at the start: the identity, and zeros"
    return Algorithm(
        f"variational{ending}_start",
        about,
        loops.variational_start,
        ("state", n),
        {"X": total},
        constants={"n": n, "total": total},
    )


def _variational(found: Artefact, eq: Equations, tables: dict[str, tuple[int, ...]]) -> list[Algorithm]:
    if not found.has("rhs_and_jacobian"):
        return []
    n = len(eq.state)
    J, total = _entries(found, "rhs_and_jacobian", "J"), n + n * n
    out = [
        _start(n, total, ""),
        Algorithm(
            "variational", "x' and the rates of its variations, X = (x, columns of Phi)", loops.variational, ("X", total), {"Xdot": total},
            scratch={"Jx": J}, constants={"n": n}, tables={"pattern": "rhs_and_jacobian_J_pattern"}, calls={"rhs_and_jacobian": "rhs_and_jacobian"},
        ),
    ]  # fmt: skip
    if found.has("rhs_bending") and found.has("rhs_x_sparse"):
        bent = places(found.function("rhs_bending").program.outputs[0])
        plain = places(found.function("rhs_x_sparse").program.outputs[0])
        tables["variational_jacobian_values_pattern"] = _whole(n, plain, bent)
        out.append(
            Algorithm(
                "variational_jacobian", "derivatives of the variational system: entries of compressed rows", loops.variational_jacobian,
                ("X", total), {"values": (n + 1) * len(plain) + n * len(bent)}, scratch={"Jx": len(plain), "Hx": max(1, len(bent))},
                constants={"n": n}, tables={"J_pattern": "rhs_x_sparse_xdot_x_pattern", "H_pattern": "rhs_bending_H_pattern"},
                calls={"jacobian": "rhs_x_sparse", "bending": "rhs_bending"},
            )
        )  # fmt: skip
    return out


def _whole(n: int, plain: Any, bent: Any) -> tuple[int, ...]:
    """The pattern of the derivatives of the variational system: row n + j n + i has row i of the bending, then row i of
    J in block j."""
    whole = list(plain)
    for j in range(n):
        for i in range(n):
            whole += [(n + j * n + i, k) for a, k in bent if a == i]
            whole += [(n + j * n + i, n + j * n + k) for a, k in plain if a == i]
    return compressed_rows(whole, n + n * n)


def _higher(found: Artefact, eq: Equations, tables: dict[str, tuple[int, ...]]) -> list[Algorithm]:
    if not (found.has("rhs_and_jacobian") and found.has("rhs_second")):
        return []
    n, out = len(eq.state), []
    J = _entries(found, "rhs_and_jacobian", "J")
    known = {"pattern": "rhs_and_jacobian_J_pattern"}
    for order, needs in ((2, {"second": "rhs_second"}), (3, {"second": "rhs_second", "third": "rhs_third"})):
        if not all(map(found.has, needs.values())):
            continue
        total = sum(n**k for k in range(1, order + 2))
        about = f"x' and the rates of its variations up to order {order}"
        kernel = loops.variational2 if order == 2 else loops.variational3
        calls = {"rhs_and_jacobian": "rhs_and_jacobian", **needs}
        out += [
            _start(n, total, str(order)),
            Algorithm(f"variational{order}", about, kernel, ("X", total), {"Xdot": total}, scratch={"Jx": J, "f2": n, **({"f3": n} if order == 3 else {})}, constants={"n": n}, tables=known, calls=calls),
        ]  # fmt: skip
    return out


def _implicit(found: Artefact, eq: Equations, tables: dict[str, tuple[int, ...]]) -> list[Algorithm]:
    if not found.has("residual_derivatives"):
        return []
    n, c = len(eq.state), len(eq.lam)
    kernel = loops.variational_residual_with_multipliers if c else loops.variational_residual
    return [
        Algorithm(
            "variational_residual", "implicit form of the variational system: zero along motions", kernel,
            ("X", n + n * n), {"residual": (n + c) * (n + 1)}, {"Xdot": n + n * n, **({"Lam": c + c * n} if c else {})},
            scratch={"D": _entries(found, "residual_derivatives", "D")}, constants={"n": n, **({"c": c} if c else {})},
            tables={"pattern": "residual_derivatives_D_pattern"}, calls={"derivatives": "residual_derivatives"},
        )
    ]  # fmt: skip


def _entries(found: Artefact, function: str, output: str) -> int:
    """How many numbers an output has."""
    return next(len(o.values) for o in found.function(function).program.outputs if o.name == output)

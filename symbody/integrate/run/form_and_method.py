"""What options leave open: the form of the equations, the method, tolerances of each variable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np

from ...algebra.printing.printing import outline
from ...derivation.equations.equations import Equations
from ...emit.run.callable import Array
from ...errors import SimulationError, finite_number, listed, shown, unknown
from ...simulation_options import SimulationOptions
from ..forms.bordering import bordered_equations
from ..forms.form_kinds import DISCRETE, FORMS
from ..forms.forms import Form, kept_invariants
from ..forms.null_space import space_form
from ..forms.sensitivities import varied_form
from ..kernels.tableaux import Tableau, tableau_of
from ..start.branch_rank import RunRank
from .implicit import any_form, follows
from .methods import IMPLICIT, METHODS, VARIATIONAL
from .time_span import TimeSpan, check_steps
from .variational import discrete_form

AUTO: Final = "auto"
STAGES_PROJECTED: Final = ("projection", "orthogonal")  # forms whose stages may be brought back to the constraints


def chosen_options(eq: Equations, o: SimulationOptions, span: TimeSpan) -> SimulationOptions:
    """Options with form and method chosen, for steps that change the time."""
    check_steps(o, span)
    return choice(eq, o)


def choice(eq: Equations, o: SimulationOptions) -> SimulationOptions:
    """The options with form and method chosen where they are "auto"; a method stays that where stiffness at the start
    decides.

    It depends on the equations and the question alone, and not on numbers of the start, and is kept with the equations,
    since many a motion takes less time than that.
    """
    try:
        hash(o)
    except TypeError:  # tolerances by name
        return _new_choice(eq, o)
    return eq.cached("options", o, lambda: _new_choice(eq, o))


def _new_choice(eq: Equations, o: SimulationOptions) -> SimulationOptions:
    form = o.form
    if form == AUTO:
        form = "minimal" if not eq.lam else "projection" if eq.augmented.is_linear_in_multipliers else "ggl"
    if form not in FORMS:
        raise unknown(f"simulate {eq.name!r}", "form", form, FORMS, SimulationError)
    if eq.lam and form == "minimal":
        raise SimulationError(
            f"simulate {eq.name!r}: it has constraints ({listed(eq.lam)}); use `minimal(equations)`, or another form"
        )
    method = _method(eq, o, form)
    if method == VARIATIONAL and o.form == AUTO:
        form = DISCRETE
    picked = replace(o, form=form, method=method)
    _check_method(eq, picked)
    return picked


def _method(eq: Equations, o: SimulationOptions, form: str) -> str | Tableau:
    """The method, or "auto" where stiffness at the start decides."""
    if not isinstance(o.method, str | Tableau):
        raise unknown(f"simulate {eq.name!r}", "method", o.method, METHODS, SimulationError)
    if o.method != AUTO:
        return o.method
    if FORMS[form].is_discrete:
        return VARIATIONAL
    return AUTO if follows(eq) and not FORMS[form].is_algebraic else IMPLICIT


def _check_method(eq: Equations, o: SimulationOptions) -> None:
    where, kind, tableau = f"simulate {eq.name!r}", FORMS[o.form], tableau_of(o.method)
    if tableau is None and o.method not in (*METHODS, AUTO):
        raise unknown(where, "method", o.method, METHODS, SimulationError)
    if o.step is None and (o.method == VARIATIONAL or (tableau and not tableau.errors)):
        raise SimulationError(f"method={o.method!r} has no error control: give it a fixed step=...")
    if o.order is not None and o.method != VARIATIONAL:
        raise SimulationError(f"{where}: order= is for method='variational', not for {o.method!r}")
    if (o.method == VARIATIONAL) != kind.is_discrete:
        raise SimulationError(
            f"{where}: method='variational' and form={DISCRETE!r} go together, got {o.method!r}, {o.form!r}"
        )
    if tableau and (kind.is_algebraic or not follows(eq)):
        raise SimulationError(
            f"{where}: there are algebraic equations (form {o.form!r}), which method={o.method!r} cannot "
            "solve; use 'radau'"
        )
    if o.method == IMPLICIT and not kind.has_rates:
        raise SimulationError(
            f"{where}: method='radau' needs rates as expressions, which form={o.form!r} has not; use "
            "'projection', 'ggl', ..."
        )
    if o.sensitivities and (kind.is_algebraic or kind.is_discrete or not follows(eq)):
        raise SimulationError(f"{where}: sensitivities are for forms without algebraic equations; take 'projection'")


OTHER_CHOICES: Final = (  # options that change a motion, beside form, method and tolerance
    "invariants", "metric", "alpha", "beta", "project", "project_stages", "constraint_tolerance", "order", "first_step", "max_step", "max_growth",
)  # fmt: skip


# ---------------------------------------------------------------------------------------------------------------- forms


def form_of(eq: Equations, o: SimulationOptions, rank: RunRank | None = None) -> Form:
    """The form asked for; kept as long as the equations are, because making and compiling it takes longer than many a
    simulation.

    rank   of the constraints; without, all are independent
    """
    rank = rank or RunRank.full(eq)
    about = (o.form, o.order, o.metric, o.alpha, o.beta, o.independent)
    key: tuple[Any, ...] = (
        *about,
        o.project,
        o.project_stages,
        o.constraint_tolerance,
        o.invariants,
        o.sensitivities,
        o.sensitivity_order,
        o.held,
    )
    if rank.rank < len(eq.lam):
        key = (*key, rank.key)
    return eq.cached("form", key, lambda: _new_form(eq, o, rank))


def _new_form(eq: Equations, o: SimulationOptions, rank: RunRank) -> Form:
    """Forms that take multipliers as unknowns have those of independent rows; others complete what redundant rows leave
    singular."""
    if FORMS[o.form].is_discrete or FORMS[o.form].is_algebraic:
        return _form_of_rows(eq, o, rank.independent, rank.rank)
    form = _form_of_rows(bordered_equations(eq, rank), o, tuple(range(len(eq.lam))), rank.rank)
    form = replace(form, tolerance=o.constraint_tolerance, projects_stages=o.project_stages)
    return varied_form(form, o.sensitivities, o.held, o.sensitivity_order) if o.sensitivities else form


def _form_of_rows(eq: Equations, o: SimulationOptions, chosen: tuple[int, ...], rank: int) -> Form:
    invariants, kind = kept_invariants(eq, o.invariants), FORMS[o.form]
    if kind.has_speeds:
        if o.sensitivities:
            raise SimulationError(f"simulate {eq.name!r}: sensitivities are not for form={o.form!r}; take 'projection'")
        return space_form(
            o.form, eq, rank, independent=o.independent, projects=o.project, metric=o.metric, kept=invariants
        )
    if o.project_stages and o.form not in STAGES_PROJECTED:
        raise SimulationError(
            f"simulate {eq.name!r}: project_stages= is for the forms {listed(STAGES_PROJECTED)}, not for form={o.form!r}"
        )
    if o.independent or o.project:
        raise SimulationError(f"simulate {eq.name!r}: independent= and project= are not for form={o.form!r}")
    if kind.is_discrete:
        if o.invariants:
            raise SimulationError(f"simulate {eq.name!r}: invariants are not for form={o.form!r}, which keeps its own")
        return discrete_form(eq, chosen, o.order or 2)
    return any_form(o.form, eq, chosen, metric=o.metric, alpha=o.alpha, beta=o.beta, kept=invariants)


# ------------------------------------------------------------------------------------------------------------ tolerances


def absolute_tolerances(eq: Equations, form: Form, o: SimulationOptions) -> Array:
    """Of each variable of a form."""
    out = np.full(form.n, o.rtol)
    if o.atol is None:
        return out
    if isinstance(o.atol, Mapping):
        table = eq.variables.of("q u z").having(form.y, "z")
        for s, value in table.numbers(o.atol, f"atol of {eq.name!r}", SimulationError, "variable").items():
            out[form.y.index(s)] = value
    else:
        out[:] = finite_number(o.atol, "atol", SimulationError)
    if not np.all(out > 0):
        raise SimulationError(f"atol = {shown(o.atol)}: tolerances must be positive")
    return out


def choices_in_words(o: SimulationOptions, method: str | Tableau, is_changed: bool = False) -> dict[str, str]:
    """Form, method and tolerance of a motion, and other options that change it where they were given."""
    name = f"{method} ({METHODS[method]})" if isinstance(method, str) else method.name
    independent = f" with independent {listed(map(str, o.independent))}" if o.independent else ""
    return {
        "form": f"form {o.form}{independent} ({FORMS[o.form].title})",
        "method": f"method {name}{', later changed' if is_changed else ''}",
        "tolerance": f"step {o.step:g}" if o.step else f"rtol {o.rtol:g}",
        **{key: option_in_words(key, value) for key, value in o.given.items() if key in OTHER_CHOICES},
    }


def option_in_words(key: str, value: Any) -> str:
    """An option as it stands among the choices of a motion: `invariants energy`, `alpha 5`, `without project`."""
    if isinstance(value, bool) or not value:
        return key if value else f"without {key}"
    if isinstance(value, int | float):
        return f"{key} {value:g}"
    return (
        f"{key} {value if isinstance(value, str) else listed(x if isinstance(x, str) else outline(x) for x in value)}"
    )

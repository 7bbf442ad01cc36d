"""Figures of user-defined functions over one variable or two: of expressions, of quantities of some equations, of
Python functions; and the flow of equations in a plane of two states."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from ...algebra.graph.graph import Expr
from ...algebra.graph.walk import free_symbols
from ...derivation.equations.equations import Equations
from ...emit.programs.lower import program
from ...emit.run.callable import Array, compile_program
from ...errors import ViewError, listed
from ...integrate.inputs.meanings import quantity_expressions
from ...integrate.result.quantities import StateRows, evaluated_quantities
from ...integrate.result.trajectory import Trajectory
from .figure import Curve, Figure, Flow, Panel, ScalarField
from .grids import Ranges, grid_rows, has_constraints, ranges
from .motion_plots import smooth
from .quantity_labels import label_of
from .shown_quantities import panels_asked_for

CONTOURS: Final = 12  # approximate number of contours


# ---------------------------------------------------------------------------------------------------------------- figures


def equations_figure(
    eq: Equations, *what: Any, title: str = "", beside: Trajectory | Sequence[Trajectory] = (), **named: Any
) -> Figure:
    """Quantities of some equations over one or two of their variables or parameters; without any, the flow in the plane
    of two states. With constraints the named values hold and the others follow; there are gaps where none fit."""
    where = f"plot of {eq.name!r}"
    over = ranges(where, named, has_constraints(eq))
    rows = grid_rows(eq, over, where)
    labels = [label_of(eq, n).with_unit for n in over.names]
    if not what:
        return _flow(eq, over, rows, title, beside)
    wanted = [x for some in panels_asked_for(where, eq, what) for x in some.quantities]
    things = tuple(x.what for x in wanted)
    found = evaluated_quantities(rows, "values", things, lambda: quantity_expressions(eq, things, where, ViewError))
    values = {x.with_unit: y / x.factor for x, y in zip(wanted, found, strict=True)}
    return _figure(title or eq.name, over, labels, values, beside)


def expression_figure(e: Expr, *more: Expr, title: str = "", **named: Any) -> Figure:
    """Expressions over one or two of their symbols; all others are given a number."""
    things = (e, *more)
    over = ranges("plot of an expression", named)
    symbols = {s.name: s for x in things for s in free_symbols(x)}
    known = {**over.columns, **over.given}
    if missing := [n for n in symbols if n not in known]:
        raise ViewError(f"plot of an expression: no value for {listed(missing)}; give numbers, as in {missing[0]}=1.0")
    count = int(np.prod(over.shape))
    f = compile_program(program("values", symbols, {f"y{k}": x for k, x in enumerate(things)}))
    found = f.batch(*(np.broadcast_to(np.asarray(known[g.name], dtype=np.float64), (count,)) for g in f.program.inputs))
    values = [found] if len(things) == 1 else list(found)
    marks = [label_of(None, x, k).with_unit for k, x in enumerate(things)]
    return _figure(title or marks[0], over, list(over.names), dict(zip(marks, values, strict=True)))


def callable_figure(f: Callable[..., Any], title: str = "", **named: Any) -> Figure:
    """A Python function, called once with arrays."""
    name = getattr(f, "__name__", type(f).__name__).replace("<lambda>", "function")
    over = ranges(f"plot of the function {name!r}", named)
    try:
        values = np.asarray(f(**over.columns, **over.given), dtype=np.float64)
    except (TypeError, ValueError) as reason:
        raise ViewError(
            f"plot of the function {name!r}: it is called with arrays of {listed(over.names)}, and failed: {reason}"
        ) from None
    count = int(np.prod(over.shape))
    if values.shape not in ((count,), ()):
        raise ViewError(f"plot of the function {name!r}: {count} numbers are expected, got an array of {values.shape}")
    return _figure(title or name, over, list(over.names), {name: np.broadcast_to(values, (count,))})


def _figure(
    title: str,
    over: Ranges,
    labels: list[str],
    values: Mapping[str, Array],
    beside: Trajectory | Sequence[Trajectory] = (),
) -> Figure:
    if len(over.names) == 1:
        (x,) = over.varied.values()
        curves = tuple(Curve(x, y, label) for label, y in values.items())
        return Figure(title, (Panel(labels[0], next(iter(values)) if len(values) == 1 else "", curves),))
    (x, y), (x_label, y_label) = over.varied.values(), labels
    paths = _paths(over, beside)
    panels = tuple(
        Panel(
            x_label,
            y_label,
            paths,
            field=ScalarField(x, y, z.reshape(over.shape), np.zeros(over.shape), label, CONTOURS),
        )
        for label, z in values.items()
    )
    return Figure(title, panels, size=(6.4, 4.6 * len(panels)))


def _paths(over: Ranges, motions: Trajectory | Sequence[Trajectory]) -> tuple[Curve, ...]:
    """Motions in the plane of the varied values."""
    sims = [motions] if isinstance(motions, Trajectory) else motions
    return tuple(Curve(x, y, group=1) for sim in sims for x, y in [smooth(sim).values(list(over.names))])


def _flow(
    eq: Equations, over: Ranges, rows: StateRows, title: str, beside: Trajectory | Sequence[Trajectory]
) -> Figure:
    names = {s.name: s for s in eq.state}
    if len(over.names) != 2 or any(n not in names for n in over.names):
        raise ViewError(
            f"plot of {eq.name!r}: say what is drawn, or give ranges to two states for the flow between them; "
            f"states are {listed(names)}"
        )
    rates = evaluated_quantities(
        rows,
        "flow",
        over.names,
        lambda: quantity_expressions(eq, _rates(eq, over.names), f"plot of {eq.name!r}", ViewError),
    )
    x, y = over.varied.values()
    flow = Flow(x, y, *(r.reshape(over.shape) for r in rates))
    x_label, y_label = (label_of(eq, n).with_unit for n in over.names)
    panel = Panel(x_label, y_label, _paths(over, beside), flow=flow)
    return Figure(title or f"flow of {eq.name}", (panel,), size=(6.4, 4.6))


def _rates(eq: Equations, names: Sequence[str]) -> list[Expr]:
    rates = dict(zip(eq.q, eq.rates.entries, strict=True))
    by_name = {s.name: rates.get(s, s.dot) for s in eq.state}
    return [by_name[n] for n in names]

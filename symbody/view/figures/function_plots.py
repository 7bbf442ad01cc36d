"""Figures of user-defined functions over one variable or two: of expressions, of quantities of some equations, of
Python functions; and the flow of equations in a plane of two states."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from ...algebra.graph.graph import Expr
from ...algebra.graph.walk import free_symbols
from ...derivation.equations.equations import Equations
from ...derivation.equations.keywords import values_in_si
from ...emit.lowering.lower import program
from ...emit.run.callable import Array, compile_program
from ...errors import ViewError, listed
from ...integrate.inputs.meanings import quantity_expressions
from ...integrate.result.quantities import StateRows, evaluated_quantities
from ...integrate.result.trajectory import Trajectory
from .figure import Curve, Figure, Flow, Panel, ScalarField
from .grids import Ranges, grid_rows, has_constraints, ranges
from .motion_plots import smooth
from .quantity_labels import QuantityLabel, label_of
from .shown_quantities import panels_asked_for

CONTOURS: Final = 12  # approximate number of contours


# ---------------------------------------------------------------------------------------------------------------- figures


def equations_figure(
    eq: Equations, *what: Any, title: str = "", beside: Trajectory | Sequence[Trajectory] = (), **named: Any
) -> Figure:
    """Quantities of some equations over one or two of their variables or parameters; without any, the flow in the plane
    of two states. With constraints the named values hold and the others follow; there are gaps where none fit."""
    where = f"plot of {eq.name!r}"
    over = ranges(where, values_in_si(named, where, ViewError, eq), has_constraints(eq))
    rows = grid_rows(eq, over, where)
    labels = [label_of(eq, n) for n in over.names]
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
    f = compile_program(program("values", symbols, {f"y{k}": x for k, x in enumerate(things)}), is_quick=True)
    found = f.batch(*(np.broadcast_to(np.asarray(known[g.name], dtype=np.float64), (count,)) for g in f.program.inputs))
    values = [found] if len(things) == 1 else list(found)
    marks = [label_of(None, x, k).with_unit for k, x in enumerate(things)]
    return _figure(title or marks[0], over, _plain_labels(over), dict(zip(marks, values, strict=True)))


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
    return _figure(title or name, over, _plain_labels(over), {name: np.broadcast_to(values, (count,))})


def _figure(
    title: str,
    over: Ranges,
    labels: list[QuantityLabel],
    values: Mapping[str, Array],
    beside: Trajectory | Sequence[Trajectory] = (),
) -> Figure:
    if len(over.names) == 1:
        (x,), (across,) = over.varied.values(), labels
        curves = tuple(Curve(across.shown(x), y, label) for label, y in values.items())
        return Figure(title, (Panel(across.with_unit, next(iter(values)) if len(values) == 1 else "", curves),))
    x, y = (label.shown(a) for label, a in zip(labels, over.varied.values(), strict=True))
    paths = _paths(over, labels, beside)
    panels = tuple(
        Panel(
            labels[0].with_unit,
            labels[1].with_unit,
            paths,
            field=ScalarField(x, y, z.reshape(over.shape), np.zeros(over.shape), label, CONTOURS),
        )
        for label, z in values.items()
    )
    return Figure(title, panels, size=(6.4, 4.6 * len(panels)))


def _plain_labels(over: Ranges) -> list[QuantityLabel]:
    return [QuantityLabel(name) for name in over.names]


def _paths(
    over: Ranges, labels: Sequence[QuantityLabel], motions: Trajectory | Sequence[Trajectory]
) -> tuple[Curve, ...]:
    """Motions in the plane of the varied values."""
    sims = [motions] if isinstance(motions, Trajectory) else motions
    along = [smooth(sim).values(list(over.names)) for sim in sims]
    return tuple(Curve(labels[0].shown(x), labels[1].shown(y), group=1) for x, y in along)


def _flow(
    eq: Equations, over: Ranges, rows: StateRows, title: str, beside: Trajectory | Sequence[Trajectory]
) -> Figure:
    names = {s.name: s for s in eq.state}
    if len(over.names) != 2 or any(n not in names for n in over.names):
        raise ViewError(
            f"plot of {eq.name!r}: name the quantities to draw, or give ranges for two states for the flow between them; "
            f"states are {listed(names)}"
        )
    rates = evaluated_quantities(
        rows,
        "flow",
        over.names,
        lambda: quantity_expressions(eq, _rates(eq, over.names), f"plot of {eq.name!r}", ViewError),
    )
    labels = [label_of(eq, n) for n in over.names]
    x, y = (label.shown(a) for label, a in zip(labels, over.varied.values(), strict=True))
    flow = Flow(x, y, *(label.shown(r.reshape(over.shape)) for label, r in zip(labels, rates, strict=True)))
    panel = Panel(labels[0].with_unit, labels[1].with_unit, _paths(over, labels, beside), flow=flow)
    return Figure(title or f"flow of {eq.name}", (panel,), size=(6.4, 4.6))


def _rates(eq: Equations, names: Sequence[str]) -> list[Expr]:
    rates = dict(zip(eq.q, eq.rates.entries, strict=True))
    by_name = {s.name: rates.get(s, s.dot) for s in eq.state}
    return [by_name[n] for n in names]

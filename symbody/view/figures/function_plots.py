"""Figures of user-defined functions over one variable or two: of expressions, of quantities of some equations, of
Python functions; and the flow of equations in a plane of two states."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ...algebra.graph.graph import Expr
from ...algebra.graph.walk import free_symbols
from ...derivation.equations.equations import Equations
from ...emit.programs.lower import program
from ...emit.run.callable import Array, compile_program
from ...errors import ViewError, listed, shown
from ...integrate.inputs.meanings import quantity_expressions
from ...integrate.result.quantities import StateRows, evaluated_quantities
from ...integrate.result.trajectory import Trajectory
from .figure import Curve, Figure, Flow, Panel, ScalarField
from .motion_plots import smooth
from .quantity_labels import label_of

POINTS: Final = (121, 81)  # numbers of points along one axis for one varied value, and along each axis for two
CONTOURS: Final = 12  # approximate number of contours


@dataclass(frozen=True)
class Ranges:
    """Names that are varied, with their values, and those with a fixed value."""

    varied: Mapping[str, Array]
    given: Mapping[str, float]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.varied)

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(len(x) for x in self.varied.values())

    @property
    def columns(self) -> dict[str, Array]:
        """Every combination, one after another."""
        grids = np.meshgrid(*self.varied.values(), indexing="ij")
        return {name: x.reshape(-1) for name, x in zip(self.varied, grids, strict=True)}


def ranges(where: str, named: Mapping[str, Any]) -> Ranges:
    """`x=(0, 1)` is varied, as are arrays; `a=2.0` is a number."""
    spans = {n: v for n, v in named.items() if np.ndim(v)}
    if len(spans) not in (1, 2):
        raise ViewError(
            f"{where}: one or two names are given a range, as in x=(0, 1), y=(-2, 2); got "
            f"{listed(spans) if spans else 'none'}"
        )
    points = POINTS[len(spans) - 1]
    return Ranges(
        {n: _numbers(where, n, v, points) for n, v in spans.items()}, {n: v for n, v in named.items() if not np.ndim(v)}
    )


def _numbers(where: str, name: str, given: Any, points: int) -> Array:
    try:
        x = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        x = np.zeros(0)
    if x.ndim != 1 or len(x) < 2 or not np.isfinite(x).all() or not (np.diff(x) > 0).all():
        raise ViewError(f"{where}: {name} goes from a number to a larger one, as in {name}=(0, 1); got {shown(given)}")
    return np.linspace(x[0], x[1], points) if len(x) == 2 else x


# ---------------------------------------------------------------------------------------------------------------- figures


def equations_figure(
    eq: Equations, *what: Any, title: str = "", beside: Trajectory | Sequence[Trajectory] = (), **named: Any
) -> Figure:
    """Quantities of some equations over one or two of their variables or parameters; without any, the flow in the plane
    of two states."""
    where = f"plot of {eq.name!r}"
    over = ranges(where, named)
    rows = _GridRows.over(eq, over, where)
    labels = [label_of(eq, n, 0).with_unit for n in over.names]
    if not what:
        return _flow(eq, over, rows, title, beside)
    values = evaluated_quantities(rows, "values", tuple(what), lambda: quantity_expressions(eq, what, where, ViewError))
    marks = [label_of(eq, w, k).with_unit for k, w in enumerate(what)]
    return _figure(title or eq.name, over, labels, dict(zip(marks, values, strict=True)), beside)


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
    eq: Equations, over: Ranges, rows: _GridRows, title: str, beside: Trajectory | Sequence[Trajectory]
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
    x_label, y_label = (label_of(eq, n, 0).with_unit for n in over.names)
    panel = Panel(x_label, y_label, _paths(over, beside), flow=flow)
    return Figure(title or f"flow of {eq.name}", (panel,), size=(6.4, 4.6))


def _rates(eq: Equations, names: Sequence[str]) -> list[Expr]:
    rates = dict(zip(eq.q, eq.rates.entries, strict=True))
    by_name = {s.name: rates.get(s, s.dot) for s in eq.state}
    return [by_name[n] for n in names]


@dataclass(frozen=True, eq=False)
class _GridRows(StateRows):
    """A row for each combination."""

    @classmethod
    def over(cls, eq: Equations, over: Ranges, where: str) -> _GridRows:
        """Values that are not varied have the given number, or their default."""
        table = eq.variables.of("t q u z r p")
        known = {**table.defaults, **table.numbers(over.given, where, ViewError)}
        columns = table.resolved(over.columns, where, ViewError)
        table.require({**known, **columns}, where, ViewError, "give numbers by name")
        count = int(np.prod(over.shape))

        def rows(group: Any) -> Array:
            found = [
                np.broadcast_to(np.asarray(columns.get(s, known.get(s)), dtype=np.float64), (count,)) for s in group
            ]
            return np.stack(found, axis=1) if found else np.zeros((count, 0))

        return cls(eq, rows([eq.t])[:, 0], *(rows(getattr(eq, g)) for g in ("q", "u", "z", "r", "p")))

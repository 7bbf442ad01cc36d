"""`FreedProblem` and `MotionFamily`: steady motions with some values freed, and sequences of them with access by
name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ...algebra.calculus.evaluate import evaluate
from ...algebra.graph.graph import Expr, Symbol, symbol
from ...algebra.graph.portable import Portable
from ...algebra.graph.walk import free_symbols
from ...derivation.equations.equations import Equations
from ...derivation.equations.own_terms import in_own_terms
from ...emit.lowering.lower import program
from ...emit.run.callable import Array
from ...emit.text.numpy_text import numpy_function
from ...errors import StabilityError, in_number, unknown
from ...integrate.result.tables import data_frame, data_set
from ...summary import Tabular
from ..equilibria.conditions import Conditions
from ..equilibria.steady_motion import SteadyMotion
from ..equilibria.steady_problem import SteadyProblem
from ..linear.linear_system import LinearSystem
from ..linear.linearize import linearize
from ..spectra.pencil_family import CleanSpectra, PencilFamily
from ..variation.parameter_samples import substituted_and_folded


@dataclass(frozen=True)
class FreedConditions:
    """Conditions of a steady motion without some of them: the symbols that were freed are the last of the unknowns."""

    conditions: Conditions
    fixed: Mapping[Symbol, Expr]
    unknowns: tuple[Symbol, ...]

    @property
    def varied(self) -> Symbol:
        """The symbol that was freed last."""
        return self.unknowns[-1]


def freed_conditions(motion: SteadyMotion, *names: str) -> FreedConditions:
    """Free parameters, inputs, coordinates or speeds that have a value, or outputs and expressions with a prescribed
    value."""
    asked, unknowns = motion.conditions, motion.conditions.all_unknowns
    for name in names:
        asked, value = _one_freed(motion, asked, unknowns, name)
        unknowns = (*unknowns, value)
    return FreedConditions(asked, asked.fixed, unknowns)


def _one_freed(
    motion: SteadyMotion, asked: Conditions, unknowns: tuple[Symbol, ...], name: str
) -> tuple[Conditions, Symbol]:
    """Conditions in which one value less is given, and its symbol."""
    parameters = {s.name: s for s in (*motion.equations.p, *motion.parameters) if s not in unknowns}
    fixed = {s.name: s for s, e in asked.fixed.items() if not free_symbols(e)}
    rows = {r.name.removeprefix("given "): r for r in asked.rows if r.wanted is not None}
    if name in parameters:
        return asked, parameters[name]
    if name in fixed:
        return replace(asked, fixed={s: e for s, e in asked.fixed.items() if s.name != name}), fixed[name]
    for text, row in rows.items():
        if name in (text, *(n for n, e in motion.equations.outputs.items() if str(e) == text)):
            value = symbol(name, "variable")
            assert row.wanted is not None
            changed = replace(row, expression=row.wanted[0] - value, wanted=(row.wanted[0], value))
            return replace(asked, rows=tuple(changed if r is row else r for r in asked.rows)), value
    raise unknown(
        f"branch of {motion.equations.name!r}", "value to vary", name, [*parameters, *fixed, *rows], StabilityError
    )


class FreedProblem:
    """The rows of a steady motion with values freed, in numbers, and the linear system about any of its solutions.

    problem      rows and their Jacobian in all unknowns, the freed ones last
    parameters   numbers of the held parameters; `p` includes those that stand for given numbers
    """

    equations: Equations
    freed: FreedConditions
    problem: SteadyProblem
    parameters: Mapping[Symbol, float]
    p: Array
    start: Array

    def numbers_at(self, x: Array) -> dict[Symbol, float]:
        """Numbers of all symbols at a point."""
        known = dict(zip((*self.problem.unknowns, *self.problem.parameters), map(float, (*x, *self.p)), strict=True))
        return {**known, **{s: float(evaluate(e, known)) for s, e in self.problem.fixed.items()}}

    def motion(self, x: Array, said: str = "a point of a branch") -> SteadyMotion:
        """The steady motion with these values of all unknowns."""
        found = dict(zip(self.problem.unknowns, map(float, x), strict=True))
        return SteadyMotion(
            self.equations, self.freed.conditions, self.freed.fixed, self.parameters, said, True, 0.0, "", (),
            self.problem.unknowns, found,
        )  # fmt: skip

    @cached_property
    def linear(self) -> LinearSystem:
        """The equations to first order about any point, in the unknowns; branches of one question share it."""
        eq = self.equations
        return eq.cached("linear along branches", self.problem, lambda: linearize(eq, self.motion(self.start)))

    def pencils(self, X: Array) -> tuple[Array, Array]:
        """E and A of the first-order equations at many points, rows of X being all unknowns."""
        lin = self.linear
        rows = np.tile([self.parameters[s] for s in lin.parameters], (len(X), 1))
        place = [self.problem.unknowns.index(s) for s in lin.numbers.unknowns]
        found = lin.numbers.matrices_at(rows, X[:, place])
        return found.E, found.A

    def family(self, X: Array) -> PencilFamily:
        """The structure of the pencils along a row of motions."""
        return PencilFamily(f"branch of {self.equations.name!r}", self.linear.x, *self.pencils(X))

    def spectra(self, family: PencilFamily, X: Array) -> CleanSpectra:
        """Eigenvalues at many points."""
        return family.spectra(family.core(*self.pencils(X)))


@dataclass(frozen=True, eq=False, repr=False)
class MotionFamily(Tabular, Portable):
    """A sequence of steady motions; a name or an expression gives an array."""

    problem: FreedProblem
    points: Array

    def __len__(self) -> int:
        return len(self.points)

    @property
    def equations(self) -> Equations:
        """The equations whose motions these are."""
        return self.problem.equations

    @property
    def unknowns(self) -> tuple[str, ...]:
        """Names of the columns of `points`."""
        return tuple(s.name for s in self.problem.problem.unknowns)

    @property
    def said(self) -> str:
        """The kind of family, for messages."""
        return f"branch of {self.equations.name!r}"

    def __getitem__(self, name: str | Expr) -> Array:
        place = {n: k for k, n in enumerate(self.unknowns)}
        key = name if not isinstance(name, Expr) or str(name) not in place else str(name)
        if isinstance(key, str) and key in place:
            return self.points[:, place[key]]
        return self._values_of(self._expression(key))

    def _expression(self, name: Any) -> Expr:
        if isinstance(name, Expr):
            return in_own_terms(self.equations, [name])[0]
        rows = self._rows
        if name not in rows:
            raise unknown(self.said, "name", name, [*self.unknowns, *rows], StabilityError)
        return rows[name]

    @cached_property
    def _rows(self) -> Mapping[str, Expr]:
        """Names that are not unknowns: fixed values, outputs."""
        return self.motion(0).rows_of_names

    def _values_of(self, e: Expr) -> Array:
        problem = self.problem.problem
        (made,) = substituted_and_folded([e], self.problem.freed.fixed)
        missing = [s.name for s in free_symbols(made) if s not in problem.unknowns and s not in problem.parameters]
        if missing:
            raise StabilityError(f"{self.said}: {in_number(missing, '{} has', '{} have')} no value along a branch")
        groups = {"w": list(problem.unknowns), "p": list(problem.parameters)}
        f = numpy_function(program("along_branch", groups, {"e": [made]}))
        values = f(self.points, np.tile(self.problem.p, (len(self.points), 1)))
        return np.asarray(values).reshape(len(self.points))

    def value_at(self, point: Any, name: str | Expr) -> float:
        """A quantity in a special point."""
        return float(replace(self, points=point.x[None])[name][0])

    def motion(self, k: int) -> SteadyMotion:
        """The steady motion of a point, to linearise or to start from."""
        return self.problem.motion(self.points[k], f"point {k} of a {self.said}")

    # ------------------------------------------------------------------------------------------------ tables

    def columns(self, more: Iterable[str | Expr] = ()) -> dict[str, Array]:
        """All unknowns, outputs and further requested quantities, by name."""
        outputs = [n for n in self._rows if n.partition("[")[0] in self.equations.outputs]
        names = dict.fromkeys([*self.unknowns, *outputs])
        return {str(name): self[name] for name in [*names, *more]}

    def to_pandas(self, more: Iterable[str | Expr] = ()) -> Any:
        """A pandas DataFrame with a row for each motion."""
        return data_frame("point", np.arange(len(self)), self.columns(more))

    def to_xarray(self, more: Iterable[str | Expr] = ()) -> Any:
        """An xarray Dataset over the motions, with parameters as attributes."""
        attributes = {"model": self.equations.name, **{s.name: x for s, x in self.problem.parameters.items()}}
        return data_set("point", np.arange(len(self)), self.columns(more), attributes)

"""Numbers of the matrices of a linear system: at parameters, along sweeps, with derivatives and operating points."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np

from ...algebra.calculus.derivatives import directional_derivative
from ...algebra.graph.graph import Symbol, symbol
from ...algebra.graph.matrix import Matrix
from ...algebra.graph.walk import free_symbols, substitute_all
from ...derivation.equations.keywords import values_by_name
from ...emit.programs.lower import program
from ...emit.programs.program import Program
from ...emit.run.callable import Array
from ...emit.text.numpy_text import numpy_function
from ...errors import StabilityError, listed
from ..variation.first_variation import Variation
from ..variation.parameter_samples import array, arrays
from ..variation.system_matrices import PARTS, SystemMatrices, matrices_from_entries
from .named_matrices import NamedMatrices

Function = Callable[..., Array]


@dataclass(frozen=True, eq=False, repr=False)
class MatrixNumbers(NamedMatrices):
    """A linear system with access to its matrices as arrays."""

    def program(self, name: str = "linear_system") -> Program:
        """A program of the parameters with E, A, B, C and D as outputs, and B1 ... D2 where rates of inputs act, for
        `c_source`, `numpy_source` or `compile`.

        >>> k = sb.symbol("k")
        >>> lin = sb.linear_system([[0, 1], [-k, 0]], B=[[0], [1]], x=["x", "v"], r=["F"])
        >>> lin.program().cost
        Cost(additions=1, multiplications=0, divisions=0, functions=0)
        >>> lin.matrices(k=4.0).A
        array([[ 0.,  1.],
               [-4.,  0.]])
        >>> lin.sweep(k=[1.0, 4.0]).A[:, 1, 0]
        array([-1., -4.])

        See also: `compile`, `c_source`, `emit.numpy_source`.
        """
        groups = {"p": list(self.parameters)} | ({"w": list(self.unknowns)} if self.unknowns else {})
        return program(name, groups, {part: getattr(self, part) for part in self.parts if getattr(self, part).entries})

    def _function(self, name: str, things: Sequence[Matrix], more: Sequence[Symbol] = ()) -> Function:
        """Entries of matrices, one after the other, as a function of parameters, operating point and more symbols, on
        arrays.

        Entries are short, and a sweep is one call: there NumPy is at once as fast as machine code is after it was
        compiled, and fewer operations are not worth looking for.
        """
        groups = {"p": list(self.parameters), "w": list(self.unknowns), "v": list(more)}
        entries = [e for m in things for e in m.entries]
        return numpy_function(program(name, groups, {"entries": entries}, as_written=True))

    def _from_late(self, found: Any) -> Array:
        """Entries one after the other."""
        numbers = [getattr(self, p).numbers(found) for p in PARTS]
        return np.concatenate([m.reshape(*m.shape[:-2], -1) for m in numbers], axis=-1)

    @cached_property
    def _entries(self) -> Function:
        if (late := self._late) is not None:
            order = [self.parameters.index(s) for s in late.parameters]
            return lambda p, w, _: self._from_late(late.numbers(np.asarray(p)[..., order], np.asarray(w)))
        return self._function("linear_entries", [getattr(self, p) for p in PARTS])

    @values_by_name(StabilityError)
    def matrices(self, values: Mapping[Any, float] | None = None, **named: float) -> SystemMatrices:
        """The matrices as arrays."""
        p = self.values(values or {})
        w = self.operating_point(p)
        row, points = np.array(list(p.values())), np.array([w[s] for s in self.unknowns])
        return self._matrices_of(self._finite(self._entries(row, points, np.zeros(0)), row))

    @values_by_name(StabilityError)
    def sweep(self, values: Mapping[Any, Any] | None = None, **named: Any) -> SystemMatrices:
        """The matrices for many parameter sets at once: values are numbers, or arrays of one length."""
        return self.matrices_at(*self.sets(values or {}))

    @values_by_name(StabilityError)
    def operating_points(self, values: Mapping[Any, Any] | None = None, **named: Any) -> dict[str, Array]:
        """The motion that the system is about, for many parameter sets: coordinates, speeds, variables, inputs and
        outputs by name, each as an array.

        `lin.operating_points(V=np.linspace(5, 40, 8))["lean"]`; entries of vectors among the outputs are place[0],
        place[1].
        """
        return self.points_at(*self.sets(values or {}))

    def points_at(self, rows: Array, points: Array) -> dict[str, Array]:
        """Operating points of many parameter sets: rows of numbers of `parameters`, and the unknowns found for each, as `sets` gives them."""
        if self.about is None:
            raise StabilityError(
                f"linear system {self.name!r}: it is not about a steady motion, so that there are no "
                "operating points to follow"
            )
        names, function = self._motion
        return dict(zip(names, function(rows, points, np.zeros((len(rows), 0))).T, strict=True))

    @cached_property
    def _motion(self) -> tuple[list[str], Function]:
        """Names and entries of the operating point, without those that need a parameter without value."""
        assert self.about is not None
        known = {*self.parameters, *self.unknowns}
        others = {s: x for s, x in self.defaults.items() if s not in known}
        made = dict(
            zip(self.about.rows_of_names, substitute_all(list(self.about.rows_of_names.values()), others), strict=True)
        )
        entries = {name: e for name, e in made.items() if known.issuperset(free_symbols(e))}
        column = Matrix(len(entries), 1, tuple(entries.values()))
        return list(entries), self._function("operating_points", [column])

    def matrices_at(self, rows: Array, points: Array) -> SystemMatrices:
        """Matrices of many parameter sets: a row of numbers of `parameters` for each, and of the operating point, as
        `sets` gives them."""
        rows, points = np.asarray(rows), np.asarray(points)
        if rows.ndim != 2 or points.ndim != 2 or rows.shape[1] != len(self.parameters) or len(points) != len(rows):
            raise StabilityError(
                f"matrices_at of {self.name!r}: takes rows of {len(self.parameters)} parameters ({listed(self.parameters)}) and as many operating points, "
                f"got arrays of shapes {rows.shape} and {points.shape}; matrices(...) takes parameters by name"
            )
        return self._matrices_of(self._finite(self._entries(rows, points, np.zeros((len(rows), 0))), rows))

    def _finite(self, flat: Array, rows: Array) -> Array:
        """The entries, refused where one of them is no number: a speed of zero in a denominator."""
        if np.isfinite(flat).all():
            return flat
        *which, place = np.argwhere(~np.isfinite(flat))[0]
        row = rows[which[0]] if which else rows
        sides = {p: (self.y if p[0] in "CD" else self.x, self.r if p[0] in "BD" else self.x) for p in PARTS}
        named = [(part, a, b, getattr(self, part)[i, j])
                 for part, (down, along) in sides.items() for i, a in enumerate(down) for j, b in enumerate(along)]  # fmt: skip
        part, a, b, entry = named[place]
        inside = set(free_symbols(entry))
        at = [f"{s.name} = {v:z.6g}" for s, v in zip(self.parameters, row, strict=True) if s in inside]
        value = flat[tuple(which)][place] if which else flat[place]
        raise StabilityError(f"linear system {self.name!r}: the entry {part}[{a}, {b}] is {value} at {listed(at)}")

    def sets(self, values: Mapping[str, Any], near: Array | None = None) -> tuple[Array, Array]:
        """Parameter sets as rows, with their operating points, each found from the previous one or from its row of
        `near`."""
        many = {k: np.asarray(v, dtype=float) for k, v in values.items() if np.ndim(v)}
        lengths = {len(v) for v in many.values()}
        if len(lengths) != 1:
            raise StabilityError(
                f"linear system {self.name!r}: a sweep needs arrays of one length, got lengths {sorted(lengths)}"
            )
        first = self.values({k: float(many[k][0]) if k in many else v for k, v in values.items()})
        self._check({**first, **{self.parameter(k): float(v.min()) for k, v in many.items()}})
        rows = np.tile(np.array(list(first.values())), (lengths.pop(), 1))
        for k, v in many.items():
            rows[:, list(first).index(self.parameter(k))] = v
        return rows, self._points(rows, near)

    def _points(self, rows: Array, near: Array | None) -> Array:
        points, before = np.zeros((len(rows), len(self.unknowns))), self.nominal
        for k in range(len(rows) if self.unknowns else 0):
            start = before if near is None else dict(zip(self.unknowns, map(float, near[k]), strict=True))
            before = self.operating_point(dict(zip(self.parameters, map(float, rows[k]), strict=True)), start)
            points[k] = [before[s] for s in self.unknowns]
        return points

    def derivatives_at(self, parameter: str | Symbol, rows: Array, points: Array) -> SystemMatrices:
        """Total derivatives of the matrices with respect to a parameter: the operating point moves along."""
        by = self.parameter(parameter)
        function, moved = self._derivatives_by(by), np.zeros_like(points)
        for k in range(len(rows) if self.unknowns and self.about is not None else 0):
            at = dict(zip(self.parameters, map(float, rows[k]), strict=True))
            found = self.about.slopes(at, dict(zip(self.unknowns, map(float, points[k]), strict=True)), by)  # type: ignore[union-attr]
            moved[k] = [found[s] for s in self.unknowns]
        return self._matrices_of(function(rows, points, moved))

    def _derivatives_by(self, by: Symbol) -> Function:
        known: dict[Symbol, Function] = self._derivative_functions
        if by not in known and (late := self._late) is not None:
            order, changed = [self.parameters.index(s) for s in late.parameters], late.derivatives(by)
            known[by] = lambda p, w, moved: self._from_late(changed(p[..., order], w, moved))
        if by not in known:
            rates = {s: symbol(f"slope_{s.name}") for s in self.unknowns}
            parts = [directional_derivative(getattr(self, p), {by: 1, **rates}) for p in PARTS]
            known[by] = self._function("linear_derivatives", parts, list(rates.values()))
        return known[by]

    @cached_property
    def _derivative_functions(self) -> dict[Symbol, Function]:
        return {}

    def _matrices_of(self, flat: Array) -> SystemMatrices:
        return SystemMatrices(*matrices_from_entries(flat, [getattr(self, p).shape for p in PARTS]))

    def recovered(self, values: Mapping[str, float]) -> Array:
        """T as an array.

        >>> m = sb.Model("bead")
        >>> x, y = m.coordinates("x y")
        >>> bead = m.particle("bead", m.ground.point(x, y, 0), mass=1.0)
        >>> name, spring = m.constrain("slope", y - 2 * x), m.potential("spring", x**2)
        >>> lin = sb.linearize(sb.derive(m), {})
        >>> lin.x, lin.variables, lin.recovered({})
        (('x', 'x_dot'), ('x', 'y', 'x_dot', 'y_dot'), array([[1., 0.],
               [2., 0.],
               [0., 1.],
               [0., 2.]]))
        >>> sorted(lin.variation_numbers({}))[:2], lin.all_values({}, [lin.A])
        (['H', 'Jc'], {})

        See also: `LinearSystem.with_outputs`, `linearize`.
        """
        if (late := self._late) is not None:
            p = self.values(values)
            w = self.operating_point(p)
            T: Any = self.T
            at = np.array([p[s] for s in late.parameters]), np.array([w[s] for s in late.unknowns])
            return np.asarray(T.numbers(late.numbers(*at)))
        return array(self.T, self.all_values(values, [self.T]))

    def variation_numbers(self, values: Mapping[str, float]) -> dict[str, Array]:
        """The coefficients of the equations in all variables, by name."""
        assert self.full is not None
        parts = {f.name: getattr(self.full.variation, f.name) for f in fields(Variation)}
        at = self.all_values(values, list(parts.values()))
        return dict(zip(parts, arrays(list(parts.values()), at), strict=True))

    def all_values(self, values: Mapping[str, float], things: list[Matrix]) -> dict[Symbol, float]:
        """Numbers for parameters and operating point: all symbols of some matrices."""
        known = self.values(values)
        at = {**self.defaults, **known, **self.operating_point(known)}
        if missing := [s.name for s in free_symbols(*things) if s not in at]:
            raise StabilityError(
                f"linear system {self.name!r}: no value for {listed(missing)}, which its other variables depend on"
            )
        return at

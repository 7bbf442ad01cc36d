"""Numbers of the matrices of a linear system: at parameters, along sweeps, with derivatives and operating points."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ...algebra.calculus.derivatives import directional_derivative
from ...algebra.graph.graph import Symbol, symbol
from ...algebra.graph.matrix import Matrix
from ...algebra.graph.portable import Portable
from ...algebra.graph.walk import free_symbols, substitute_all
from ...argument_kinds import answered, answered_class
from ...derivation.equations.keywords import values_by_name
from ...derivation.equations.variables import Variables
from ...emit.lowering.lower import program
from ...emit.programs.program import Program
from ...emit.run.callable import Array
from ...emit.text.numpy_text import numpy_function
from ...errors import StabilityError, listed, shown, unknown
from ..spectra.sparse_pencil import SparsePencil, sparse_pencil
from ..variation.first_variation import Variation
from ..variation.parameter_samples import array, arrays
from ..variation.system_matrices import PARTS, RECOVERY, SystemMatrices, matrices_from_entries
from .lazy_matrices import LateSource, late_source
from .loop_numbers import LoopParts, loops_of
from .named_matrices import NamedMatrices, parts_of, unknowns_of

if TYPE_CHECKING:
    from .linear_system import LinearSystem

Function = Callable[..., Array]


@answered_class
@dataclass(frozen=True, eq=False, repr=False)
class MatrixNumbers(Portable):
    """Numerical evaluation of a linear system, `lin.numbers`: matrices at parameter values and along sweeps, with
    derivatives and operating points; and indices of names.

    >>> k, c = sb.symbols("k c")
    >>> lin = sb.linear_system([[0, 1], [-k, -c]], B=[[0], [1]], x=["x", "v"], r=["F"])
    >>> lin.numbers.parts, lin.numbers.unknowns, lin.kinds["k"], lin.numbers.nominal
    (('E', 'A', 'B', 'C', 'D'), (), 'parameter', {})
    >>> lin.numbers.parameter("k") is k, lin.numbers.values({"k": 4.0, "c": 1.0})[k]
    (True, 4.0)
    >>> lin.numbers.state("v"), lin.numbers.input("F")
    (1, 0)

    >>> m = sb.Model("governor")
    >>> W = m.parameter("W", 5.0)
    >>> joint = m.revolute("a", m.ground.rotate("y", W * m.time), m.body("arm", mass=1.0, com=(0, -1, 0)))
    >>> m.gravity(0, -10.0, 0)
    >>> eq = sb.derive(m)
    >>> lin = sb.linearize(eq, sb.steady(eq, start={"a": 1.0}))
    >>> at = sb.stability.operating_points(lin, W=[4.0, 5.0])
    >>> np.cos(at["a"])  # g / (l W²)
    array([0.625, 0.4  ])
    >>> rows, points = lin.numbers.sets({"W": [4.0, 5.0]})
    >>> lin.numbers.points_at(rows, points)["a"] == at["a"]
    array([ True,  True])
    >>> lin.numbers.operating_point(lin.numbers.values({"W": 5.0}))
    {a: 1.159279}
    >>> lin.numbers.derivatives_at("W", rows, points).A.shape, lin.numbers.matrices_at(rows, points).A.shape
    ((2, 2, 2), (2, 2, 2))

    >>> m = sb.Model("bead")
    >>> x, y = m.coordinates("x y")
    >>> bead = m.particle("bead", m.ground.point(x, y, 0), mass=1.0)
    >>> name, spring = m.constrain("slope", y - 2 * x), m.potential("spring", x**2)
    >>> lin = sb.linearize(sb.derive(m), {})
    >>> lin.x, lin.variables, lin.numbers.recovered({})
    (('x', 'x_dot'), ('x', 'y', 'x_dot', 'y_dot'), array([[1., 0.],
           [2., 0.],
           [0., 1.],
           [0., 2.]]))
    >>> sorted(lin.numbers.variation_numbers({}))[:2], lin.numbers.all_values({}, [lin.A])
    (['H', 'Jc'], {})
    >>> lin.numbers.matrices({}).A.shape
    (2, 2)
    >>> lin.numbers.sparse({}).states
    2
    >>> lin.numbers.check({})  # refuses values of bodies that cannot exist

    See also: `LinearSystem`, `linearize`, `steady`.
    """

    lin: NamedMatrices

    def __repr__(self) -> str:
        return f"<MatrixNumbers of {self.lin.name}>"

    @property
    def parts(self) -> tuple[str, ...]:
        """Names of the matrices, without those of rates of inputs that are zero."""
        return parts_of(self.lin)

    @property
    def nominal(self) -> dict[Symbol, float]:
        """Nominal values: defaults of parameters, and the operating point at them."""
        return {**self.lin.defaults, **(self.lin.about.found if self.lin.about is not None else {})}

    @property
    def unknowns(self) -> tuple[Symbol, ...]:
        """Symbols of the operating point that Newton's method determines."""
        return unknowns_of(self.lin)

    def parameter(self, name: str | Symbol) -> Symbol:
        """The parameter symbol for a name or symbol; an unknown one raises an error that lists the parameters."""
        known = Variables(self.lin.name, ("p",), ()).having(self.lin.parameters, "p")
        return known.symbol(name, f"linear system {self.lin.name!r}", StabilityError)

    def values(self, given: Mapping[str, float]) -> dict[Symbol, float]:
        """A number for every parameter, in order: given by name, or the default."""
        own = {self.parameter(k): self._number(k, v) for k, v in given.items()}
        self.check(own)
        numbers = dict(self.lin.defaults) | own
        if missing := [s.name for s in self.lin.parameters if s not in numbers]:
            raise StabilityError(
                f"linear system {self.lin.name!r}: no value for {listed(missing)}; give one by name, as in (..., "
                f"{missing[0]}=1.0)"
            )
        return {s: numbers[s] for s in self.lin.parameters}

    def check(self, given: Mapping[Symbol, float]) -> None:
        """Refuse parameter values that make a body of the mechanism impossible."""
        if self.lin.about is not None:
            known = {**self.lin.defaults, **given}
            self.lin.about.equations.variables.check(known, given, f"linear system {self.lin.name!r}", StabilityError)

    def _number(self, name: str, value: Any) -> float:
        try:
            return float(value)
        except (TypeError, ValueError):
            raise StabilityError(
                f"linear system {self.lin.name!r}: {name} must be a number, got {shown(value)}"
            ) from None

    def operating_point(
        self, parameters: Mapping[Symbol, float], start: Mapping[Symbol, float] | None = None
    ) -> dict[Symbol, float]:
        """The operating point, if it must be computed numerically."""
        return self.lin.about.solve(parameters, start) if self.lin.about is not None and self.unknowns else {}

    def state(self, name: str | Symbol) -> int:
        """The index of a state in `x`, by name or symbol."""
        return self._place("state", name, self.lin.x)

    def input(self, name: str | Symbol) -> int:
        """The index of an input in `r`, by name or symbol."""
        return self._place("input", name, self.lin.r)

    def _place(self, what: str, name: str | Symbol, names: Sequence[str]) -> int:
        key = name.name if isinstance(name, Symbol) else name
        if key not in names:
            raise unknown(f"linear system {self.lin.name!r}", what, key, names, StabilityError)
        return names.index(key)

    @cached_property
    def _late(self) -> LateSource | None:
        """What all matrices are known by in numbers, where their expressions are not made yet."""
        return late_source(getattr(self.lin, p) for p in (*PARTS, *RECOVERY))

    def _function(self, name: str, things: Sequence[Matrix], more: Sequence[Symbol] = ()) -> Function:
        """Entries of matrices, one after the other, as a function of parameters, operating point and more symbols, on
        arrays.

        Entries are short, and a sweep is one call: there NumPy is at once as fast as machine code is after it was
        compiled, and fewer operations are not worth looking for.
        """
        groups = {"p": list(self.lin.parameters), "w": list(self.unknowns), "v": list(more)}
        entries = [e for m in things for e in m.entries]
        return numpy_function(program(name, groups, {"entries": entries}, as_written=True))

    def _from_late(self, found: Any) -> Array:
        """Entries one after the other."""
        numbers = [getattr(self.lin, p).numbers(found) for p in PARTS]
        return np.concatenate([m.reshape(*m.shape[:-2], -1) for m in numbers], axis=-1)

    @cached_property
    def _entries(self) -> Function:
        if (late := self._late) is not None:
            order = [self.lin.parameters.index(s) for s in late.parameters]
            return lambda p, w, _: self._from_late(late.numbers(np.asarray(p)[..., order], np.asarray(w)))
        return self._function("linear_entries", [getattr(self.lin, p) for p in PARTS])

    def matrices(self, values: Mapping[str, Any]) -> SystemMatrices:
        """The matrices as arrays, at one set of parameters by name, or at many where some values are arrays."""
        if any(np.ndim(v) for v in values.values()):
            return self.matrices_at(*self.sets(values))
        p = self.values(values)
        w = self.operating_point(p)
        row, points = np.array(list(p.values())), np.array([w[s] for s in self.unknowns])
        return self._matrices_of(self._finite(self._entries(row, points, np.zeros(0)), row))

    def points_at(self, rows: Array, points: Array) -> dict[str, Array]:
        """Operating points of many parameter sets: rows of numbers of `parameters`, and the unknowns found for each, as `sets` gives them."""
        if self.lin.about is None:
            raise StabilityError(
                f"linear system {self.lin.name!r}: it is not about a steady motion, so that there are no "
                "operating points to follow"
            )
        names, function = self._motion
        return dict(zip(names, function(rows, points, np.zeros((len(rows), 0))).T, strict=True))

    @cached_property
    def _motion(self) -> tuple[list[str], Function]:
        """Names and entries of the operating point, without those that need a parameter without value."""
        assert self.lin.about is not None
        known = {*self.lin.parameters, *self.unknowns}
        others = {s: x for s, x in self.lin.defaults.items() if s not in known}
        made = dict(
            zip(
                self.lin.about.rows_of_names,
                substitute_all(list(self.lin.about.rows_of_names.values()), others),
                strict=True,
            )
        )
        entries = {name: e for name, e in made.items() if known.issuperset(free_symbols(e))}
        column = Matrix(len(entries), 1, tuple(entries.values()))
        return list(entries), self._function("operating_points", [column])

    def matrices_at(self, rows: Array, points: Array) -> SystemMatrices:
        """Matrices of many parameter sets: a row of numbers of `parameters` for each, and of the operating point, as
        `sets` gives them."""
        rows, points = np.asarray(rows), np.asarray(points)
        if rows.ndim != 2 or points.ndim != 2 or rows.shape[1] != len(self.lin.parameters) or len(points) != len(rows):
            raise StabilityError(
                f"matrices_at of {self.lin.name!r}: takes rows of {len(self.lin.parameters)} parameters ({listed(self.lin.parameters)}) and as many operating points, "
                f"got arrays of shapes {rows.shape} and {points.shape}; matrices(...) takes parameters by name"
            )
        return self._matrices_of(self._finite(self._entries(rows, points, np.zeros((len(rows), 0))), rows))

    def _finite(self, flat: Array, rows: Array) -> Array:
        """The entries, refused where one of them is no number: a speed of zero in a denominator."""
        if np.isfinite(flat).all():
            return flat
        *which, place = np.argwhere(~np.isfinite(flat))[0]
        row = rows[which[0]] if which else rows
        sides = {
            p: (self.lin.y if p[0] in "CD" else self.lin.x, self.lin.r if p[0] in "BD" else self.lin.x) for p in PARTS
        }
        named = [(part, a, b, getattr(self.lin, part)[i, j])
                 for part, (down, along) in sides.items() for i, a in enumerate(down) for j, b in enumerate(along)]  # fmt: skip
        part, a, b, entry = named[place]
        inside = set(free_symbols(entry))
        at = [f"{s.name} = {v:z.6g}" for s, v in zip(self.lin.parameters, row, strict=True) if s in inside]
        value = flat[tuple(which)][place] if which else flat[place]
        raise StabilityError(f"linear system {self.lin.name!r}: the entry {part}[{a}, {b}] is {value} at {listed(at)}")

    def sets(self, values: Mapping[str, Any], near: Array | None = None) -> tuple[Array, Array]:
        """Parameter sets as rows, with their operating points, each found from the previous one or from its row of
        `near`."""
        many = {k: np.asarray(v, dtype=float) for k, v in values.items() if np.ndim(v)}
        lengths = {len(v) for v in many.values()}
        if len(lengths) != 1:
            raise StabilityError(
                f"linear system {self.lin.name!r}: a sweep needs arrays of one length, got lengths {sorted(lengths)}"
            )
        first = self.values({k: float(many[k][0]) if k in many else v for k, v in values.items()})
        self.check({**first, **{self.parameter(k): float(v.min()) for k, v in many.items()}})
        rows = np.tile(np.array(list(first.values())), (lengths.pop(), 1))
        for k, v in many.items():
            rows[:, list(first).index(self.parameter(k))] = v
        return rows, self._points(rows, near)

    def _points(self, rows: Array, near: Array | None) -> Array:
        points, before = np.zeros((len(rows), len(self.unknowns))), self.nominal
        for k in range(len(rows) if self.unknowns else 0):
            start = before if near is None else dict(zip(self.unknowns, map(float, near[k]), strict=True))
            before = self.operating_point(dict(zip(self.lin.parameters, map(float, rows[k]), strict=True)), start)
            points[k] = [before[s] for s in self.unknowns]
        return points

    def derivatives_at(self, parameter: str | Symbol, rows: Array, points: Array) -> SystemMatrices:
        """Total derivatives of the matrices with respect to a parameter, including the change of the operating
        point."""
        by = self.parameter(parameter)
        function, moved = self._derivatives_by(by), np.zeros_like(points)
        for k in range(len(rows) if self.unknowns and self.lin.about is not None else 0):
            at = dict(zip(self.lin.parameters, map(float, rows[k]), strict=True))
            found = self.lin.about.slopes(at, dict(zip(self.unknowns, map(float, points[k]), strict=True)), by)  # type: ignore[union-attr]
            moved[k] = [found[s] for s in self.unknowns]
        return self._matrices_of(function(rows, points, moved))

    def _derivatives_by(self, by: Symbol) -> Function:
        known: dict[Symbol, Function] = self._derivative_functions
        if by not in known and (late := self._late) is not None:
            order, changed = [self.lin.parameters.index(s) for s in late.parameters], late.derivatives(by)
            known[by] = lambda p, w, moved: self._from_late(changed(p[..., order], w, moved))
        if by not in known:
            rates = {s: symbol(f"slope_{s.name}") for s in self.unknowns}
            parts = [directional_derivative(getattr(self.lin, p), {by: 1, **rates}) for p in PARTS]
            known[by] = self._function("linear_derivatives", parts, list(rates.values()))
        return known[by]

    @cached_property
    def _derivative_functions(self) -> dict[Symbol, Function]:
        return {}

    def _matrices_of(self, flat: Array) -> SystemMatrices:
        return SystemMatrices(*matrices_from_entries(flat, [getattr(self.lin, p).shape for p in PARTS]))

    def sparse(self, values: Mapping[str, float]) -> SparsePencil:
        """E and A as sparse matrices of SciPy. Of a large tree in loops these have further unknowns, whose equations contain no
        rates, because A of the states alone is full.

        See also: `stability.SparsePencil`, `LinearSystem.eigenvalues`.
        """
        loops = loops_of(self.lin)
        found = None if loops is None else loops.pencil(*loop_arguments(self, loops, values))
        if found is None:
            n = self.matrices(values)
            found = sparse_pencil(n.E, n.A)
        return found

    def recovered(self, values: Mapping[str, float]) -> Array:
        """T as an array."""
        if (late := self._late) is not None:
            p = self.values(values)
            w = self.operating_point(p)
            T: Any = self.lin.T
            at = np.array([p[s] for s in late.parameters]), np.array([w[s] for s in late.unknowns])
            return np.asarray(T.numbers(late.numbers(*at)))
        return array(self.lin.T, self.all_values(values, [self.lin.T]))

    def variation_numbers(self, values: Mapping[str, float]) -> dict[str, Array]:
        """The coefficients of the equations in all variables, by name."""
        assert self.lin.full is not None
        parts = {f.name: getattr(self.lin.full.variation, f.name) for f in fields(Variation)}
        at = self.all_values(values, list(parts.values()))
        return dict(zip(parts, arrays(list(parts.values()), at), strict=True))

    def all_values(self, values: Mapping[str, float], things: list[Matrix]) -> dict[Symbol, float]:
        """Values of parameters and operating point, for all symbols in the given matrices."""
        known = self.values(values)
        at = {**self.lin.defaults, **known, **self.operating_point(known)}
        if missing := [s.name for s in free_symbols(*things) if s not in at]:
            raise StabilityError(
                f"linear system {self.lin.name!r}: no value for {listed(missing)}, which its other variables depend on"
            )
        return at


@answered
def matrix_program(lin: LinearSystem, name: str = "linear_system") -> Program:
    """A program of the parameters with E, A, B, C and D as outputs, and B1 ... D2 where rates of inputs act, for
    `c_source`, `numpy_source` or `compile`.

    >>> k = sb.symbol("k")
    >>> lin = sb.linear_system([[0, 1], [-k, 0]], B=[[0], [1]], x=["x", "v"], r=["F"])
    >>> sb.stability.matrix_program(lin).cost
    Cost(additions=1, multiplications=0, divisions=0, functions=0)

    See also: `compile`, `c_source`, `emit.numpy_source`, `LinearSystem.matrices`.
    """
    unknowns = unknowns_of(lin)
    groups = {"p": list(lin.parameters)} | ({"w": list(unknowns)} if unknowns else {})
    matrices = {part: getattr(lin, part) for part in parts_of(lin)}
    return program(name, groups, {part: m for part, m in matrices.items() if m.entries})


@values_by_name(StabilityError)
def operating_points(lin: LinearSystem, values: Mapping[Any, Any] | None = None, **named: Any) -> dict[str, Array]:
    """The operating points of a linear system for many parameter sets: coordinates, speeds, variables, inputs and
    outputs by name, each as an array; entries of vectors among the outputs are place[0], place[1].

    values   of parameters, by name or symbol, or as keywords: numbers, or arrays of one length

    >>> m = sb.Model("governor")
    >>> W = m.parameter("W", 5.0)
    >>> joint = m.revolute("a", m.ground.rotate("y", W * m.time), m.body("arm", mass=1.0, com=(0, -1, 0)))
    >>> m.gravity(0, -10.0, 0)
    >>> eq = sb.derive(m)
    >>> lin = sb.linearize(eq, sb.steady(eq, start={"a": 1.0}))
    >>> np.cos(sb.stability.operating_points(lin, W=[4.0, 5.0])["a"])  # g / (l W²)
    array([0.625, 0.4  ])

    See also: `LinearSystem.matrices`, `LinearSystem.root_locus`, `steady`.
    """
    return lin.numbers.points_at(*lin.numbers.sets(values or {}))


def loop_arguments(numbers: MatrixNumbers, loops: LoopParts, values: Mapping[str, float]) -> tuple[Array, Array]:
    """Parameters and operating point of matrices in loops, in their order."""
    p = numbers.values(values)
    return loops.ordered(p, numbers.operating_point(p))

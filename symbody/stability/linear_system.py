"""`LinearSystem`: E x' = A x + B r + B1 r' + B2 r'',  y = C x + D r + D1 r' + D2 r'', with names; entries are numbers
or expressions in the parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..algebra.derivatives import directional_derivative
from ..algebra.graph import ZERO, Symbol, as_expr, symbol
from ..algebra.mathml import drawn
from ..algebra.matrix import Matrix, as_matrix, identity, zeros
from ..algebra.portable import Portable
from ..algebra.walk import free_symbols, substitute_all
from ..derive.keywords import values_by_name
from ..derive.variables import Variables
from ..emit.program.lower import program
from ..emit.program.program import Program
from ..emit.run.callable import Array
from ..emit.text.numpy_text import numpy_function
from ..errors import StabilityError, listed, shown, unknown
from ..later import later
from ..summary import Summarized, Summary, counted, filled, listing
from . import design as design_module
from . import eigenvalue_sensitivities as sensitivity
from . import feedback, response
from . import state_choice as states
from .chart import StabilityChart, stability_chart
from .first_variation import Variation
from .late_matrices import LateMatrix, LateParts, late_source
from .locus import RootLocus, root_locus
from .parameter_samples import array, arrays, cleaned
from .pencil import Complex
from .second_order import SecondOrder, second_order
from .spectrum import Spectrum, eigenvalues, infinite_eigenvalues, modes
from .steady_motion import SteadyMotion
from .system_latex import system_latex
from .system_matrices import NO_RATES, OF_INPUTS, OF_RATES, PARTS, RECOVERY, FullSystem, SystemMatrices, cut

Function = Callable[..., Array]
Values = Mapping[Any, Any] | None
ByName = Mapping[str, Any] | None


@dataclass(frozen=True, eq=False, repr=False)
class LinearSystem(Summarized, Portable):
    """A linear system; made by `linearize`, or from matrices by `linear_system`.

    x, r, y        names of states, inputs and outputs
    E ... D2       matrices of E x' = A x + B r + B1 r' + B2 r'', y = C x + D r + D1 r' + D2 r''; entries are
                   expressions in `parameters`, and in symbols of the operating point where that is only known in
                   numbers (`about`)
    variables, T   names of all coordinates, speeds and additional variables, and how they follow from the states: T x,
                   and from inputs that constraints contain: T x + Tr r + Tr1 r'
    defaults       numbers for parameters; others are given where numbers are asked for: `lin.eigenvalues(V=20)`
    about          the motion that the system describes the neighbourhood of
    full           the equations before the dependent variables were eliminated

    >>> k, c = sb.symbols("k c")
    >>> lin = sb.linear_system([[0, 1], [-k, -c]], B=[[0], [1]], x=["x", "v"], r=["F"])
    >>> lin.parameters, lin(k=4.0, c=1.0).A
    ((k, c), matrix([[0, 1], [-4, -1]]))
    >>> lin.eigenvalues(k=4.0, c=0.4)
    array([-0.2-1.989975j, -0.2+1.989975j])
    >>> abs(lin.frequency_response("F", "x", [0.0, 1.0], k=4.0, c=0.1).values)
    array([0.25    , 0.028182])

    See also: `linearize`, `linear_system`, `plot`, `to_scipy`.
    """

    name: str
    x: tuple[str, ...]
    r: tuple[str, ...]
    y: tuple[str, ...]
    E: Matrix
    A: Matrix
    B: Matrix
    C: Matrix
    D: Matrix
    variables: tuple[str, ...]
    T: Matrix
    defaults: Mapping[Symbol, float] = field(default_factory=dict)
    about: SteadyMotion | None = None
    full: FullSystem | None = None
    B1: Matrix = NO_RATES
    B2: Matrix = NO_RATES
    D1: Matrix = NO_RATES
    D2: Matrix = NO_RATES
    Tr: Matrix = NO_RATES
    Tr1: Matrix = NO_RATES

    def __post_init__(self) -> None:
        n, k, m = len(self.x), len(self.r), len(self.y)
        rows = {"E": n, "A": n, "B": n, "C": m, "D": m, "T": len(self.variables)}
        wanted = {part: (rows[part], k if part in "BD" else n) for part in rows}
        wanted |= {part: (rows[part[0]], k) for part in OF_RATES}
        for part, shape in wanted.items():
            if getattr(self, part) is NO_RATES:
                object.__setattr__(self, part, zeros(*shape))
            if getattr(self, part).shape != shape:
                raise StabilityError(
                    f"linear system {self.name!r}: {part} has shape {getattr(self, part).shape}, but {n} states, {k} inputs and {m} "
                    f"outputs need {shape}"
                )

    def __getstate__(self) -> dict[str, Any]:
        return {k: v.plain() if isinstance(v, LateMatrix) else v for k, v in vars(self).items()}

    def _summary(self) -> Summary:
        rows = filled(
            form=f"E x' = A x{self._inputs_text('B')}" + (f", y = C x{self._inputs_text('D')}" if self.y else ""),
            states_x=listing(self.x),
            inputs_r=listing(self.r),
            outputs_y=listing(self.y),
            parameters=listing(s.name for s in self.parameters),
            next="modes(), root_locus(...), frequency_response(...), state_space(), second_order()",
        )
        return Summary(f"LinearSystem {self.name}: {counted(len(self.x), 'state')}", rows)

    def _folded(self) -> Iterable[tuple[str, str]]:
        return (
            (f"{part}, {m.rows} by {m.cols}", drawn(m)) for part in self.parts if (m := getattr(self, part)).entries
        )

    @property
    def parts(self) -> tuple[str, ...]:
        """Names of the matrices, without those of rates of inputs that are zero.

        >>> k, c = sb.symbols("k c")
        >>> lin = sb.linear_system([[0, 1], [-k, -c]], B=[[0], [1]], x=["x", "v"], r=["F"])
        >>> lin.parts, lin.unknowns, lin.kinds["k"], lin.nominal
        (('E', 'A', 'B', 'C', 'D'), (), 'parameter', {})
        >>> lin.parameter("k") is k, lin.values({"k": 4.0, "c": 1.0})
        (True, {k: 4.0, c: 1.0})
        >>> lin.state("v"), lin.input("F")
        (1, 0)

        See also: `linear_system`, `Variables`.
        """
        return tuple(p for p in PARTS if p not in OF_RATES or _has_entries(getattr(self, p)))

    def _inputs_text(self, part: str) -> str:
        return "".join(
            f" + {p} r{dots}"
            for p, dots in zip((part, f"{part}1", f"{part}2"), ("", "'", "''"), strict=True)
            if self.r and p in self.parts
        )

    # ------------------------------------------------------------------------------------------------ parameters

    @cached_property
    def parameters(self) -> tuple[Symbol, ...]:
        """Symbols of the entries, in the order of declaration; those without a default value must be given."""
        things = [getattr(self, part) for part in PARTS] if self._late is None else self._late.variation.values()
        seen = [s for s in free_symbols(*things) if s not in self.unknowns]
        more = self.about.parameters if self.about is not None and self.unknowns else ()
        declared = dict.fromkeys([*(self.about.parameters if self.about is not None else ()), *self.defaults])
        place = {s: k for k, s in enumerate(declared)}
        return tuple(sorted(dict.fromkeys([*seen, *more]), key=lambda s: place.get(s, len(place))))

    @property
    def unknowns(self) -> tuple[Symbol, ...]:
        """Symbols of the operating point that are found by Newton's method."""
        return self.about.unknowns if self.about is not None else ()

    @cached_property
    def kinds(self) -> dict[str, str]:
        """The kind of each name: parameter, input, state, dependent variable or output."""
        kinds = {s.name: "parameter" for s in self.parameters}
        for kind, names in (("input", self.r), ("state", self.x), ("variable", self.variables), ("output", self.y)):
            kinds |= {name: kind for name in names if name not in kinds}
        return kinds

    @property
    def nominal(self) -> dict[Symbol, float]:
        """Nominal values: defaults of parameters, and the operating point at them."""
        return {**self.defaults, **(self.about.found if self.about is not None else {})}

    def parameter(self, name: str | Symbol) -> Symbol:
        """The symbol of a parameter, by its name or itself; what is none is refused with what is."""
        known = Variables(self.name, ("p",), ()).having(self.parameters, "p")
        return known.symbol(name, f"linear system {self.name!r}", StabilityError)

    def values(self, given: Mapping[str, float]) -> dict[Symbol, float]:
        """A number for every parameter, in order: those given by name, else defaults."""
        own = {self.parameter(k): self._number(k, v) for k, v in given.items()}
        self._check(own)
        numbers = dict(self.defaults) | own
        if missing := [s.name for s in self.parameters if s not in numbers]:
            raise StabilityError(
                f"linear system {self.name!r}: no value for {listed(missing)}; give one by name, as in (..., "
                f"{missing[0]}=1.0)"
            )
        return {s: numbers[s] for s in self.parameters}

    def _check(self, given: Mapping[Symbol, float]) -> None:
        """Refuse parameters of bodies that cannot exist, where the system is that of a mechanism."""
        if self.about is not None:
            known = {**self.defaults, **given}
            self.about.equations.variables.check(known, given, f"linear system {self.name!r}", StabilityError)

    def _number(self, name: str, value: Any) -> float:
        try:
            return float(value)
        except (TypeError, ValueError):
            raise StabilityError(f"linear system {self.name!r}: {name} is to be a number, got {shown(value)}") from None

    @values_by_name(StabilityError, label="linear system")
    def __call__(self, values: Mapping[Any, Any] | None = None, **named: Any) -> LinearSystem:
        """The same system with numbers or expressions for some parameters: `lin(V=20)`, `lin(b=R * sb.tan(sigma) -
        trail)`.

        Where the operating point is known in numbers only, all parameters become numbers.
        """
        values = values or {}
        table: dict[Symbol, Any] = {self.parameter(k): as_expr(v) for k, v in values.items()}
        self._check({s: float(e) for s, e in table.items() if e.value is not None})
        if not self.unknowns:
            kept = {s: x for s, x in self.defaults.items() if s not in table}
            numbers = kept | {s: float(e.value) for s, e in table.items() if e.value is not None}
            changed = self._with(substitute_all(self._all(), table))
            return replace(changed, full=_substituted(self.full, table), defaults=numbers)
        if free := [k for k, v in values.items() if free_symbols(as_expr(v))]:
            raise StabilityError(
                f"linear system {self.name!r}: {listed(free)} cannot be expressions, since the operating point is known in numbers only; "
                "put them into the model"
            )
        given = self.values(values)
        table = {**given, **self.operating_point(given)}
        changed = self._with(substitute_all(self._all(), table))
        return replace(changed, about=None, full=_substituted(self.full, table))

    def _all(self) -> list[Matrix]:
        return [getattr(self, p) for p in (*PARTS, *RECOVERY)]

    def _with(self, matrices: Sequence[Matrix]) -> LinearSystem:
        changed: dict[str, Any] = dict(zip((*PARTS, *RECOVERY), matrices, strict=True))
        return replace(self, **changed)

    def operating_point(
        self, parameters: Mapping[Symbol, float], start: Mapping[Symbol, float] | None = None
    ) -> dict[Symbol, float]:
        """The operating point where it has to be found by numbers.

        >>> m = sb.Model("governor")
        >>> W = m.parameter("W", 5.0)
        >>> joint = m.revolute("a", m.ground.rotate("y", W * m.time), m.body("arm", mass=1.0, com=(0, -1, 0)))
        >>> m.gravity(0, -10.0, 0)
        >>> eq = sb.derive(m)
        >>> lin = sb.linearize(eq, sb.steady(eq, start={"a": 1.0}))
        >>> at = lin.operating_points(W=[4.0, 5.0])
        >>> np.cos(at["a"])  # g / (l W²)
        array([0.625, 0.4  ])
        >>> rows, points = lin.sets({"W": [4.0, 5.0]})
        >>> lin.points_at(rows, points)["a"] == at["a"]
        array([ True,  True])
        >>> lin.operating_point(lin.values({"W": 5.0}))
        {a: 1.159279}
        >>> lin.derivatives_at("W", rows, points).A.shape, lin.matrices_at(rows, points).A.shape
        ((2, 2, 2), (2, 2, 2))

        See also: `steady`, `LinearSystem.sweep`.
        """
        return self.about.solve(parameters, start) if self.about is not None and self.unknowns else {}

    # ------------------------------------------------------------------------------------------------ numbers

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

        See also: `compile`, `c_source`, `numpy_source`.
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

    @cached_property
    def _late(self) -> LateParts | None:
        """What all matrices are known by in numbers, where their expressions are not made yet."""
        return late_source(getattr(self, p) for p in (*PARTS, *RECOVERY))

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
        return self._cut(self._finite(self._entries(row, points, np.zeros(0)), row))

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
        """Names and entries of the operating point; without those that need a parameter which has no value."""
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
        return self._cut(self._finite(self._entries(rows, points, np.zeros((len(rows), 0))), rows))

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
        """Parameter sets as rows, and the operating points that belong to them, each found from the one before, or from
        its row of `near`."""
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
        return self._cut(function(rows, points, moved))

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

    def _cut(self, flat: Array) -> SystemMatrices:
        return SystemMatrices(*cut(flat, [getattr(self, p).shape for p in PARTS]))

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

    # ------------------------------------------------------------------------------------------------ names and states

    def state(self, name: str | Symbol) -> int:
        """The place of a state among `x`, by name or symbol."""
        return self._place("state", name, self.x)

    def input(self, name: str | Symbol) -> int:
        """The place of an input among `r`, by name or symbol."""
        return self._place("input", name, self.r)

    def _place(self, what: str, name: str | Symbol, names: Sequence[str]) -> int:
        key = name.name if isinstance(name, Symbol) else name
        if key not in names:
            raise unknown(f"linear system {self.name!r}", what, key, names, StabilityError)
        return names.index(key)

    @cached_property
    def cyclic(self) -> tuple[str, ...]:
        """Coordinates that no other rate depends on: where on the road, which way, how far a wheel has turned.

        >>> x, v = sb.symbols("x v")
        >>> lin = sb.linear_system([[0, 1, 0], [0, 0, 1], [0, -4, -1]], x=["x", "v", "w"])
        >>> lin.cyclic, lin.without("x").A, lin.with_outputs("v").C
        (('x',), matrix([[0, 1], [-4, -1]]), matrix([[0, 1, 0]]))
        >>> lin.reorder("w", "v", "x").A
        matrix([[-1, -4, 0], [1, 0, 0], [0, 1, 0]])
        >>> lin.replace_state("x", "s", x + v).A  # s = x + v: s' = v + w
        matrix([[0, 1, 1], [0, 0, 1], [0, -4, -1]])
        >>> lin.map(lambda matrix: 2 * matrix).A, lin.cleaned().A == lin.A
        (matrix([[0, 2, 0], [0, 0, 2], [0, -8, -2]]), True)

        See also: `LinearSystem.modes`, `tidy`.
        """
        return states.cyclic_states(self)

    def without(self, *names: str | Symbol) -> LinearSystem:
        """The system without states that no other state depends on. Outputs that need them go too."""
        return states.without(self, names)

    def replace_state(self, old: str | Symbol, name: str, expression: Any) -> LinearSystem:
        """The same system with one state replaced by a combination of states: `lin.replace_state("y_dot", "y1_dot",
        y.dot - V * psi)`."""
        return states.replace_state(self, old, name, expression)

    def reorder(self, *names: str | Symbol) -> LinearSystem:
        """The same system with its states, and their equations, in another order."""
        return states.reorder(self, names)

    def with_outputs(self, *names: str | Symbol) -> LinearSystem:
        """The same system with other outputs: those it has, states, or dependent coordinates and speeds, by name."""
        return states.with_outputs(self, names)

    def cleaned(self) -> LinearSystem:
        """The same with entries that are 0, 1 or -1 for all parameters written so."""
        if self.unknowns:
            return self
        return self._with(cleaned(self._all(), self.nominal))

    def map(self, change: Any) -> LinearSystem:
        """The same with every matrix changed by a function of matrices, which keeps their shapes."""
        if not callable(change):
            raise StabilityError(
                f"map of {self.name!r}: takes a function of matrices, such as `tidy`, got {shown(change)}"
            )
        changed = {p: change(getattr(self, p)) for p in PARTS}
        for p, new in changed.items():
            old = getattr(self, p)
            if not isinstance(new, Matrix) or (new.rows, new.cols) != (old.rows, old.cols):
                raise StabilityError(
                    f"map of {self.name!r}: of {p}, {old.rows} by {old.cols}, the function made {shown(new)}, "
                    "which is no matrix of that shape"
                )
        return replace(self, **changed)

    def latex(self) -> str:
        r"""E x' = A x + B r, y = C x + D r in LaTeX; with r' and r'' where they act.

        >>> lin = sb.linear_system([[-2]], B=[[1]], x=["x"], r=["F"])
        >>> lin.latex()[:17], lin.latex().count("bmatrix")
        ('\\begin{bmatrix} 1', 22)

        See also: `latex`.
        """
        return system_latex(self)

    def _repr_latex_(self) -> str:
        return f"${self.latex()}$"

    # ------------------------------------------------------------------------------------------------ answers
    #
    # All take parameters by name or symbol in `values`, or as keywords, and options by name in `options`.

    @values_by_name(StabilityError)
    def eigenvalues(
        self, values: Values = None, *, method: str = "coordinates", options: ByName = None, **named: float
    ) -> Complex:
        """Finite eigenvalues (poles), by real part; `method`: "coordinates", "qz" on all variables, or "qr" onto the
        constraints' tangent.

        >>> c = sb.symbol("c")
        >>> sb.linear_system([[0, 1], [-4, -c]]).eigenvalues(c=0.4)
        array([-0.2-1.989975j, -0.2+1.989975j])

        See also: `LinearSystem.modes`, `LinearSystem.root_locus`.
        """
        return eigenvalues(self, values or {}, method)

    poles = eigenvalues

    @values_by_name(StabilityError)
    def infinite_eigenvalues(
        self, values: Values = None, *, method: str = "coordinates", options: ByName = None, **named: float
    ) -> int:
        """How many eigenvalues are infinite, of the pencil that `method` takes.

        coordinates   the reduced pencil (E, A): one for each algebraic variable, more in chains
        qz            the pencil in all variables: q, u, u', z and multipliers
        squares       that of ω² in q and multipliers, without damping: two for each constraint (Lynch eq. 6.6)

        >>> lin = sb.linear_system([[0, 1], [-4, -1]], E=[[1, 0], [0, 0]])  # 0 = -4 x - v: algebraic
        >>> lin.eigenvalues().real, lin.infinite_eigenvalues()
        (array([-4.]), 1)

        See also: `LinearSystem.eigenvalues`.
        """
        return infinite_eigenvalues(self, values or {}, method)

    @values_by_name(StabilityError)
    def modes(self, values: Values = None, **named: float) -> Spectrum:
        """Modes with shapes in all coordinates, frequencies, damping ratios and participation; infinite eigenvalues
        counted.

        >>> k, c = sb.symbols("k c")
        >>> lin = sb.linear_system([[0, 1], [-k, -c]], B=[[0], [1]], x=["x", "v"], r=["F"])
        >>> print(lin.modes(k=4.0, c=0.4))
             real part    imag. part   freq. [Hz]  damping  mostly
                  -0.2      -1.98997      0.31671   0.1000  x
                  -0.2       1.98997      0.31671   0.1000  x

        See also: `LinearSystem.eigenvalues`, `plot`.
        """
        return modes(self, values or {})

    @values_by_name(StabilityError)
    def root_locus(
        self, values: Values = None, *, points: int = 400, options: ByName = None, **named: Any
    ) -> RootLocus:
        """Eigenvalues over one parameter, followed as branches, with critical values: `lin.root_locus(V=(1, 40))`.

        >>> k, c = sb.symbols("k c")
        >>> lin = sb.linear_system([[0, 1], [-k, -c]], B=[[0], [1]], x=["x", "v"], r=["F"])
        >>> locus = lin.root_locus(k=4.0, c=(0, 6), points=20)
        >>> [(p.kind, round(p.value, 6)) for p in locus.critical]
        [('meeting', 4.0)]

        See also: `stability.RootLocus`, `LinearSystem.stability_chart`.
        """
        return root_locus(self, values or {}, points)

    @values_by_name(StabilityError)
    def stability_chart(
        self, values: Values = None, *, points: tuple[int, int] = (80, 80), options: ByName = None, **named: Any
    ) -> StabilityChart:
        """Growth rate over two parameters: `lin.stability_chart(V=(1, 10), b=(0.02, 0.08))`.

        >>> k, c = sb.symbols("k c")
        >>> lin = sb.linear_system([[0, 1], [-k, -c]])
        >>> chart = lin.stability_chart(k=(-1, 1), c=(-1, 1), points=(5, 5))
        >>> chart.growth.shape
        (5, 5)

        See also: `LinearSystem.root_locus`, `plot`.
        """
        return stability_chart(self, values or {}, points)

    @values_by_name(StabilityError)
    def frequency_response(
        self, r: str | Symbol, y: str | Symbol, /, hertz: Any = None, *, values: Values = None, options: ByName = None, **named: float
    ) -> response.FrequencyResponse:  # fmt: skip
        """G(iω) from an input to an output (or any variable), over frequencies in Hz (chosen from the spectrum if not
        given).

        `plot` draws it as Bode's or Nyquist's diagram.

        >>> k, c = sb.symbols("k c")
        >>> lin = sb.linear_system([[0, 1], [-k, -c]], B=[[0], [1]], x=["x", "v"], r=["F"])
        >>> answer = lin.frequency_response("F", "x", [0.0, 1.0], k=4.0, c=0.4)
        >>> abs(answer.values)
        array([0.25    , 0.028116])

        See also: `LinearSystem.step_response`, `plot`.
        """
        return response.frequency_response(self, r, y, hertz, values or {})

    bode = frequency_response

    @values_by_name(StabilityError)
    def step_response(
        self, r: str | Symbol, y: str | Symbol, /, times: Any = None, *, values: Values = None, options: ByName = None, **named: float
    ) -> response.TimeResponse:  # fmt: skip
        """Response of an output to an input that is switched from 0 to 1.

        >>> k, c = sb.symbols("k c")
        >>> lin = sb.linear_system([[0, 1], [-k, -c]], B=[[0], [1]], x=["x", "v"], r=["F"])
        >>> answer = lin.step_response("F", "x", k=4.0, c=0.4)
        >>> round(float(answer.values[-1]), 2)
        0.25

        See also: `LinearSystem.frequency_response`, `LinearSystem.impulse_response`.
        """
        return response.time_response(self, r, y, times, values or {}, "step")

    @values_by_name(StabilityError)
    def impulse_response(
        self, r: str | Symbol, y: str | Symbol, /, times: Any = None, *, values: Values = None, options: ByName = None, **named: float
    ) -> response.TimeResponse:  # fmt: skip
        """Response of an output to a unit impulse of an input.

        >>> lin = sb.linear_system([[-2]], B=[[1]], x=["x"], r=["F"])
        >>> lin.impulse_response("F", "x", [0.0, 0.5]).values  # exp(-2 t)
        array([1.      , 0.367879])

        See also: `LinearSystem.step_response`.
        """
        return response.time_response(self, r, y, times, values or {}, "impulse")

    def plot(self, *pair: str, **options: Any) -> Any:
        """A figure: eigenvalues; `lin.plot(V=(1, 40))` over a parameter, or over two; `lin.plot("tau", "phi", V=20)` a
        frequency response; see `symbody.plot`.

        >>> k = sb.symbol("k")
        >>> lin = sb.linear_system([[0, 1], [-k, -0.4]], B=[[0], [1]], x=["x", "v"], r=["F"])
        >>> lin.plot("F", "x", k=4.0)
        <Figure 'response to F': 2 panels, 2 curves>

        See also: `plot`.
        """
        return later("view.plots", "plot")(self, *pair, **options)

    @values_by_name(StabilityError)
    def zeros(self, r: str | Symbol, y: str | Symbol, /, values: Values = None, **named: float) -> Complex:
        """Transmission zeros between an input and an output.

        >>> lin = sb.linear_system([[0, 1], [-4, -1]], B=[[0], [1]], C=[[3, 1]], x=["x", "v"], r=["F"], y=["y"])
        >>> lin.zeros("F", "y")  # of s + 3
        array([-3.+0.j])
        >>> lin.state_space().A
        array([[ 0.,  1.],
               [-4., -1.]])

        See also: `LinearSystem.eigenvalues`, `to_control`.
        """
        return response.zeros(self, r, y, values or {})

    @values_by_name(StabilityError)
    def state_space(self, values: Values = None, **named: float) -> response.StateSpace:
        """x' = A x + B r, y = C x + D r in numbers, with algebraic variables eliminated.

        Rates of inputs go into the states, x less a multiple of r, and into D. Where y contains a rate of an input,
        that input's last rate takes its place among the inputs, and the input becomes a state.
        """
        return response.explicit(self, values or {})

    def second_order(self, *coordinates: str | Symbol) -> SecondOrder:
        """M q'' + (D + G) q' + (K + N) q = B r, with symmetric and skew parts apart; of some coordinates if others
        stand apart.

        >>> m = sb.Model("two carts")
        >>> a, b = m.body("a", mass=1), m.body("b", mass=2)
        >>> rails = m.prismatic("x", m.ground, a, stiffness=3, damping=0.1), m.prismatic("y", a, b, stiffness=4)
        >>> found = sb.linearize(sb.derive(m), {}).second_order()
        >>> found.M, found.K
        (matrix([[3, 2], [2, 2]]), matrix([[3, 0], [0, 4]]))

        See also: `linearize`, `stability.SecondOrder`.
        """
        return second_order(self, coordinates)

    @values_by_name(StabilityError)
    def eigenvalue_sensitivities(
        self, *parameters: str | Symbol, values: Values = None, **named: float
    ) -> sensitivity.EigenvalueSensitivities:
        """Derivatives of eigenvalues and modes with respect to parameters (Lynch eq. 6.18 for any pencil).

        >>> k, c = sb.symbols("k c")
        >>> lin = sb.linear_system([[0, 1], [-k, -c]], B=[[0], [1]], x=["x", "v"], r=["F"])
        >>> lin.eigenvalue_sensitivities("k", k=4.0, c=0.0).derivatives.imag  # of ±√k: ±1 / (2 √k)
        array([[-0.25],
               [ 0.25]])
        >>> lin.response_sensitivities("F", "x", [0.0], "k", k=4.0, c=0.0)["k"].real  # of 1/k: -1/k²
        array([-0.0625])

        See also: `LinearSystem.design`, `LinearSystem.modes`.
        """
        return sensitivity.eigenvalue_sensitivities(self, parameters, values or {})

    @values_by_name(StabilityError)
    def response_sensitivities(
        self, r: str | Symbol, y: str | Symbol, hertz: Any, /, *parameters: str | Symbol, values: Values = None, **named: float
    ) -> dict[str, Complex]:  # fmt: skip
        """Derivatives of a frequency response with respect to parameters."""
        return sensitivity.response_sensitivities(self, r, y, hertz, parameters, values or {})

    @values_by_name(StabilityError)
    def design(
        self, targets: Sequence[complex], vary: Iterable[str | Symbol], /, *, values: Values = None, of: str = "eigenvalues",
        bounds: ByName = None, max_steps: int = 30, options: ByName = None, **named: float,
    ) -> design_module.Design:  # fmt: skip
        """Parameters `vary` for which the system has the eigenvalues `targets`, by Newton's method with their
        derivatives (Lynch 6.3).

        of          "eigenvalues", or "squares" for ω² of oscillations
        bounds      (least, greatest) by parameter
        max_steps   of the iteration

        >>> k, c = sb.symbols("k c")
        >>> lin = sb.linear_system([[0, 1], [-k, -c]], B=[[0], [1]], x=["x", "v"], r=["F"])
        >>> found = lin.design([-1 + 2j], ["k", "c"], k=4.0, c=0.4)
        >>> {n: round(v, 6) for n, v in found.values.items()}
        {'k': 5.0, 'c': 2.0}

        See also: `LinearSystem.eigenvalue_sensitivities`.
        """
        return design_module.design(self, targets, list(vary), of, bounds or {}, max_steps, values or {})

    @values_by_name(StabilityError)
    def lqr(
        self, Q: Any, R: Any = 1.0, /, *, inputs: Iterable[str | Symbol] | None = None, values: Values = None, options: ByName = None,
        **named: float,
    ) -> feedback.Feedback:  # fmt: skip
        """The feedback r = r0 - K (x - x0) with the least ∫ xᵀ Q x + rᵀ R r dt; it goes into `inputs=` as it is.

        Q, R     weights of states and inputs: one number, numbers by name (others weigh nothing), one for each, or a
                 matrix
        inputs   those that are used; all by default

        >>> lin = sb.linear_system([[0, 1], [0, 0]], B=[[0], [1]], x=["x", "v"], r=["F"])
        >>> lin.lqr(1.0, 1.0).K
        array([[1.      , 1.732051]])

        See also: `LinearSystem.place`, `closed_loop`.
        """
        return feedback.lqr(self, Q, R, inputs, values or {})

    @values_by_name(StabilityError)
    def place(
        self, poles: Sequence[complex], /, *, inputs: Iterable[str | Symbol] | None = None, values: Values = None, options: ByName = None,
        **named: float,
    ) -> feedback.Feedback:  # fmt: skip
        """The feedback r = r0 - K (x - x0) with which the closed loop has these eigenvalues; it goes into `inputs=` as
        it is.

        >>> k, c = sb.symbols("k c")
        >>> lin = sb.linear_system([[0, 1], [-k, -c]], B=[[0], [1]], x=["x", "v"], r=["F"])
        >>> lin.place([-1, -2], k=4.0, c=0.4).K
        array([[-2. ,  2.6]])

        See also: `LinearSystem.lqr`.
        """
        return feedback.place(self, poles, inputs, values or {})


def linear_system(
    A: Any, B: Any = None, C: Any = None, D: Any = None, E: Any = None, *,
    B1: Any = None, B2: Any = None, D1: Any = None, D2: Any = None,
    x: Sequence[str] | None = None, r: Sequence[str] | None = None, y: Sequence[str] | None = None, name: str = "system",
    defaults: Mapping[Symbol, float] | None = None,
) -> LinearSystem:  # fmt: skip
    """A linear system from matrices of numbers or expressions: E x' = A x + B r + B1 r' + B2 r'', y = C x + D r + D1 r'
    + D2 r''.

    E is 1, y is x, and all else is zero where they are not given.

    >>> k, c = sb.symbols("k c")
    >>> lin = sb.linear_system([[0, 1], [-k, -c]], B=[[0], [1]], x=["x", "v"], r=["F"])
    >>> lin.eigenvalues(k=4.0, c=0.4)
    array([-0.2-1.989975j, -0.2+1.989975j])

    See also: `linearize`, `LinearSystem`.
    """
    A = as_matrix(A)
    n = A.rows
    C = identity(n) if C is None else as_matrix(C)
    given = {p: as_matrix(m) for p, m in zip(OF_INPUTS, (B, B1, B2, D, D1, D2), strict=True) if m is not None}
    columns = next((m.cols for m in given.values()), len(r or ()))
    B, B1, B2 = (given.get(p, zeros(n, columns)) for p in OF_INPUTS[:3])
    D, D1, D2 = (given.get(p, zeros(C.rows, columns)) for p in OF_INPUTS[3:])
    E = identity(n) if E is None else as_matrix(E)
    names = tuple(x or (f"x{k + 1}" for k in range(n)))
    outputs = tuple(y or (names if C == identity(n) else (f"y{k + 1}" for k in range(C.rows))))
    inputs = tuple(r or (f"r{k + 1}" for k in range(columns)))
    return LinearSystem(
        name, names, inputs, outputs, E, A, B, C, D, names, identity(n), defaults or {}, B1=B1, B2=B2, D1=D1, D2=D2
    )


def _substituted(full: FullSystem | None, table: Mapping[Symbol, Any]) -> FullSystem | None:
    return full and replace(full, variation=full.variation.mapped(lambda matrices: substitute_all(matrices, table)))


def _has_entries(m: Matrix) -> bool:
    if isinstance(m, LateMatrix):
        return bool(m.nominal.any())
    return any(e is not ZERO for e in m.entries)

"""Matrices of a linear system with names for states, inputs and outputs, and symbols for parameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ...algebra.graph.graph import ZERO, Symbol
from ...algebra.graph.matrix import Matrix, zeros
from ...algebra.graph.portable import Portable
from ...algebra.graph.walk import free_symbols
from ...algebra.printing.mathml import notebook_formula
from ...derivation.equations.variables import Variables
from ...errors import StabilityError, listed, shown, unknown
from ...summary import Summarized, Summary, counted, filled, listing
from ..equilibria.steady_motion import SteadyMotion
from ..variation.system_matrices import NO_RATES, OF_RATES, PARTS, RECOVERY, FullSystem
from .lazy_matrices import LateMatrix, LateParts, late_source


@dataclass(frozen=True, eq=False, repr=False)
class NamedMatrices(Summarized, Portable):
    """The fields of a linear system; `LinearSystem` documents them."""

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
            (f"{part}, {m.rows} by {m.cols}", notebook_formula(m))
            for part in self.parts
            if (m := getattr(self, part)).entries
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

        See also: `linear_system`, `derivation.Variables`.
        """
        return tuple(p for p in PARTS if p not in OF_RATES or _has_entries(getattr(self, p)))

    def _inputs_text(self, part: str) -> str:
        return "".join(
            f" + {p} r{dots}"
            for p, dots in zip((part, f"{part}1", f"{part}2"), ("", "'", "''"), strict=True)
            if self.r and p in self.parts
        )

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
        """The parameter symbol for a name or symbol; an unknown one raises an error that lists the parameters."""
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
    def _late(self) -> LateParts | None:
        """What all matrices are known by in numbers, where their expressions are not made yet."""
        return late_source(getattr(self, p) for p in (*PARTS, *RECOVERY))

    def _all(self) -> list[Matrix]:
        return [getattr(self, p) for p in (*PARTS, *RECOVERY)]


def _has_entries(m: Matrix) -> bool:
    if isinstance(m, LateMatrix):
        return bool(m.nominal.any())
    return any(e is not ZERO for e in m.entries)

"""Matrices of a linear system with names for states, inputs and outputs, and symbols for parameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ...algebra.graph.graph import ZERO, Symbol
from ...algebra.graph.matrix import Matrix, zeros
from ...algebra.graph.portable import Portable
from ...algebra.graph.walk import free_symbols
from ...algebra.printing.formulas import formula
from ...display import DisplayPart
from ...errors import StabilityError
from ...summary import Summarized, Summary, counted, listing, summary_rows
from ..equilibria.steady_motion import SteadyMotion
from ..variation.system_matrices import NO_RATES, OF_RATES, PARTS, RECOVERY, FullSystem
from .lazy_matrices import LateMatrix, LateSource, late_source


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
        rows = summary_rows(
            form=f"E x' = A x{self._inputs_text('B')}" + (f", y = C x{self._inputs_text('D')}" if self.y else ""),
            states_x=listing(self.x),
            inputs_r=listing(self.r),
            outputs_y=listing(self.y),
            parameters=listing(s.name for s in self.parameters),
            next="modes(), root_locus(...), frequency_response(...), state_space(), second_order()",
        )
        return Summary(f"LinearSystem {self.name}: {counted(len(self.x), 'state')}", rows)

    def _folded(self) -> Iterable[tuple[str, DisplayPart]]:
        return (
            (f"{part}, {m.rows} by {m.cols}", formula(m))
            for part in parts_of(self)
            if (m := getattr(self, part)).entries
        )

    def _inputs_text(self, part: str) -> str:
        return "".join(
            f" + {p} r{dots}"
            for p, dots in zip((part, f"{part}1", f"{part}2"), ("", "'", "''"), strict=True)
            if self.r and p in parts_of(self)
        )

    @cached_property
    def parameters(self) -> tuple[Symbol, ...]:
        """Symbols of the entries, in the order of declaration; those without a default value must be given."""
        parts = [getattr(self, part) for part in PARTS]
        symbols = free_symbols(*parts) if self._late is None else self._late.parameters
        seen = [s for s in symbols if s not in unknowns_of(self)]
        more = self.about.parameters if self.about is not None and unknowns_of(self) else ()
        declared = dict.fromkeys([*(self.about.parameters if self.about is not None else ()), *self.defaults])
        place = {s: k for k, s in enumerate(declared)}
        return tuple(sorted(dict.fromkeys([*seen, *more]), key=lambda s: place.get(s, len(place))))

    @cached_property
    def kinds(self) -> dict[str, str]:
        """The kind of each name: parameter, input, state, dependent variable or output."""
        kinds = {s.name: "parameter" for s in self.parameters}
        for kind, names in (("input", self.r), ("state", self.x), ("variable", self.variables), ("output", self.y)):
            kinds |= {name: kind for name in names if name not in kinds}
        return kinds

    @cached_property
    def _late(self) -> LateSource | None:
        """What all matrices are known by in numbers, where their expressions are not made yet."""
        return late_source(getattr(self, p) for p in (*PARTS, *RECOVERY))

    def _all(self) -> list[Matrix]:
        return [getattr(self, p) for p in (*PARTS, *RECOVERY)]


def unknowns_of(lin: NamedMatrices) -> tuple[Symbol, ...]:
    """Symbols of the operating point that are found by Newton's method."""
    return lin.about.unknowns if lin.about is not None else ()


def parts_of(lin: NamedMatrices) -> tuple[str, ...]:
    """Names of the matrices, without those of rates of inputs that are zero."""
    return tuple(p for p in PARTS if p not in OF_RATES or _has_entries(getattr(lin, p)))


def _has_entries(m: Matrix) -> bool:
    if isinstance(m, LateMatrix):
        return bool(m.nominal.any())
    return any(e is not ZERO for e in m.entries)

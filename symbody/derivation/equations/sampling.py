"""Sampled parts of equations: additional variables that are held, and change at the samples of clocks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ...algebra.graph.graph import Expr, Symbol
from ...algebra.graph.walk import substitute_all
from ...errors import SymbodyError, listed

if TYPE_CHECKING:
    from .equations import Equations


@dataclass(frozen=True)
class SampledVariables:
    """Variables whose rates are zero, and which change at samples only.

    inputs   names of the inputs that follow sampled laws
    clocks   variables that count down to the next sample, with the rate -1
    after    the values of clocks and held variables behind a sample, as expressions in the state before it; values that
             are not due stay as they are
    """

    inputs: tuple[str, ...]
    clocks: tuple[Symbol, ...]
    after: Mapping[Symbol, Expr]

    def substituted(self, table: Mapping[Symbol, Expr]) -> SampledVariables:
        """The same with symbols replaced in the new values."""
        values = substitute_all(list(self.after.values()), table)
        return replace(self, after=dict(zip(self.after, values, strict=True)))

    def joined(self, other: SampledVariables | None) -> SampledVariables:
        """These samples and others of the same equations."""
        if other is None:
            return self
        return SampledVariables(
            (*other.inputs, *self.inputs), (*other.clocks, *self.clocks), {**dict(other.after), **dict(self.after)}
        )


def refuse_samples(eq: Equations, call: str, error: type[SymbodyError]) -> None:
    """Refuse equations with sampled laws in a computation that would ignore the samples."""
    sampling: Any = eq.sampling
    if sampling is not None:
        raise error(
            f"{call} of {eq.name!r}: {listed(sampling.inputs)} follows a sampled law, which {call} does not know; pass the law as "
            "an expression, closed_loop(eq, {input: law}), which is evaluated at all times"
        )

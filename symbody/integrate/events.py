"""Events: something happens where an expression passes through zero."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from ..algebra.graph import Expr, Symbol, as_expr
from ..errors import SimulationError, shown

DIRECTIONS: Final = {"both": 0, "rising": 1, "falling": -1}


@dataclass(frozen=True, eq=False)
class Event:
    """Something that happens where `when` passes through zero.

    when        an expression in t, q, u, z, inputs and parameters (also in u' and multipliers: their values are put in)
    direction   "rising", "falling" or "both"
    then        "record"; "stop"; new values {u: -0.8 * u} all taken from the state before; or a Python function that gets the values of
                the state by name and returns those that change
    name        for the list of what happened
    """

    when: Expr
    direction: str = "both"
    then: str | Mapping[Symbol, Any] | Callable[[dict[str, float]], Mapping[str, float]] = "record"
    name: str = "event"

    def __post_init__(self) -> None:
        object.__setattr__(self, "when", as_expr(self.when))
        if self.direction not in DIRECTIONS:
            raise SimulationError(
                f"event {self.name!r}: direction is 'rising', 'falling' or 'both', got {shown(self.direction)}"
            )
        if isinstance(self.then, str) and self.then not in ("record", "stop"):
            raise SimulationError(
                f"event {self.name!r}: `then` is 'record', 'stop', new values {{symbol: expression}}, or a function; got {shown(self.then)}"
            )

    @property
    def sense(self) -> int:
        return DIRECTIONS[self.direction]

"""The region in which a model is valid (`Model.valid_while`), for steps of a fixed length: looked at after each.

Motions with events end at its border (`event_handlers.ValidityHandler`), and so does what is exported.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...algebra.graph.graph import Expr
from ...algebra.printing.printing import outline
from ...derivation.equations.equations import Equations
from ...emit.lowering.lower import program
from ...emit.run.callable import Array, compile_program
from ...errors import in_number, listed
from .events import Event, in_state


def broken_conditions(validity: Mapping[str, Expr], which: Sequence[int]) -> str:
    """Descriptions of the conditions that do not hold."""
    rows = list(validity.items())
    words = [f"{rows[k][0]!r} ({outline(rows[k][1])} > 0)" for k in which]
    return in_number(words, "{} does not hold", "{} do not hold")


def unwatched_note(eq: Equations, what: str) -> str:
    """A note that the conditions of a model are not monitored.

    what   the method or call that does not monitor them
    """
    return f"{what} does not end where {listed(map(repr, eq.rows.validity))} of valid_while no longer holds" if eq.rows.validity else ""  # fmt: skip


def with_own_events(eq: Equations, events: Mapping[str, Any]) -> dict[str, Any]:
    """Events by name, those that end a motion where a condition of the model no longer holds, and the samples of sampled
    laws."""
    own = [Event(f"valid while {n}", e, "falling", terminal=True) for n, e in eq.rows.validity.items()]
    if eq.sampling is not None:
        after = eq.sampling.after
        own += [Event(f"sample of {c.name}", c, "falling", reset=dict(after)) for c in eq.sampling.clocks]
    return {**events, **{e.name: e for e in own}}


class ValidRegion:
    """Conditions of some equations, at many states at once."""

    def __init__(self, eq: Equations) -> None:
        self.validity, self.inputs = dict(eq.rows.validity), eq.r
        found = in_state(eq, f"validity of {eq.name!r}", list(self.validity.values()))
        groups = {"t": eq.t, "x": list(eq.state), "r": list(eq.r), "p": list(eq.p)}
        self._program = compile_program(program("validity", groups, {"g": found}), is_quick=True)

    def is_left(self, t: Any, states: Array, r: Array, p: Array) -> Any:
        """Of each state, given in rows, and each condition, whether it does not hold."""
        g = self._program.batch(np.broadcast_to(t, len(states)), states, r, p)
        return ~(np.reshape(g, (len(states), -1)) > 0)


def valid_region(eq: Equations) -> ValidRegion | None:
    """Of equations, made once; None if they are valid everywhere."""
    return eq.cached("valid region", (), lambda: ValidRegion(eq)) if eq.rows.validity else None

"""Starts of members: drawn values on top of the stepper's start, made consistent where there are constraints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...derivation.equations.equations import Equations
from ...emit.run.callable import Array
from ...errors import SymbodyError
from ..start.consistent_start import consistent_start, start_request
from .drawn_values import DrawnValues


@dataclass(frozen=True)
class DrawnStarts:
    """Starts around `base`, for equations with these parameters."""

    equations: Equations
    base: Array
    drawn: DrawnValues
    parameter_names: tuple[str, ...]

    def rows(self, rng: np.random.Generator, p: Array, members: Sequence[int], failures: dict[int, str]) -> Array:
        """A state for each row of parameters; members whose values cannot be made consistent begin at `base`, and their
        failure is noted."""
        out = self.drawn.rows(rng, self.base, len(members))
        for e in self.equations.variables.quaternions:
            at = [v.index for v in e]
            out[:, at] /= np.linalg.norm(out[:, at], axis=1)[:, None]
        if self.equations.lam and self.drawn.names:
            for k, member in enumerate(members):
                out[k] = self._consistent(out[k], p[k], member, failures)
        return out

    def _consistent(self, row: Array, p: Array, member: int, failures: dict[int, str]) -> Array:
        eq = self.equations
        wanted = {n: float(row[i]) for n, i in zip(self.drawn.names, self.drawn.at, strict=True)}
        wanted |= dict(zip(self.parameter_names, p.tolist(), strict=True))
        near = {s.name: float(x) for s, x in zip(eq.state, self.base, strict=True) if s.name not in wanted}
        try:
            found = consistent_start(eq, start_request(eq, near, wanted)).state
        except SymbodyError as error:
            failures[member] = f"its start is not consistent, and is the stepper's: {error}"
            return self.base
        return np.concatenate([found.q, found.u, found.z])

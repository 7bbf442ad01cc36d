"""Motions of a sweep on a GPU: the members of a batch as threads of the device."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ....derivation.equations.equations import Equations
from ....emit.run.callable import Array
from ....emit.run.device_arrays import device_array
from ....errors import StudyError, listed
from ....integrate.gpu.cuda_motions import cuda_motions
from ....integrate.result.outcome import Ending
from ....integrate.start.state import State
from .answers import Answers
from .identity import fingerprint
from .questions import SweptMembers

OPTIONS: Final = ("rtol", "atol", "events", "inputs", "method", "real")


@dataclass(frozen=True)
class GpuMotions:
    """Values of some names at times, or at the end; one start for all, overridden by the varied values."""

    t: Any
    names: tuple[str, ...]
    at_times: bool
    start: Any
    options: Mapping[str, Any]

    def answers(self, eq: Equations, members: SweptMembers) -> Answers:
        if wrong := [k for k in self.options if k not in OPTIONS]:
            raise StudyError(
                f"sweep of {eq.name!r}: on a GPU there is no option {listed(wrong)}; there are {listed(OPTIONS)}"
            )
        varied = [n for n in members.values if n in eq.variables.of("p")]
        key = (self.names, tuple(varied), fingerprint(dict(self.options)))
        motions: Any = eq.cached(
            "motions of sweeps", key, lambda: cuda_motions(eq, vary=varied, outputs=list(self.names), **self.options)
        )
        real = np.float32 if motions.real == "float" else np.float64
        y = self._rows(eq, members, motions.state_names).astype(real)
        p = self._rows(eq, members, motions.parameter_names).astype(real)
        done = motions(device_array(y), self._times(), parameters=device_array(p) if p.shape[1] else ())
        samples = np.asarray(done.samples.numpy(), dtype=np.float64)
        kept = samples if self.at_times else samples[:, -1]
        messages = {k: e.value for k, e in enumerate(done.endings()) if e not in (Ending.REACHED, Ending.STOPPED)}
        return Answers(len(members), {n: kept[..., j] for j, n in enumerate(self.names)}, messages)

    def _times(self) -> Array:
        if self.at_times:
            return np.asarray(self.t, dtype=np.float64)
        ends = np.atleast_1d(np.asarray(self.t, dtype=np.float64))
        return np.array([ends[0] if len(ends) > 1 else 0.0, ends[-1]])

    def _rows(self, eq: Equations, members: SweptMembers, names: tuple[str, ...]) -> Array:
        """A row for each member: the varied value, else that of the start, else the model's default, else zero."""
        given = self.start.values if isinstance(self.start, State) else dict(self.start or {})
        usual = {s.name: x for s, x in eq.variables.defaults.items()} | {
            str(getattr(k, "name", k)): float(v) for k, v in given.items()
        }
        out = np.empty((len(members), len(names)))
        for j, n in enumerate(names):
            out[:, j] = members.values.get(n, usual.get(n, 0.0))
        return out

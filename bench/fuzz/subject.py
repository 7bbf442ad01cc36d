"""A model under examination: its file read, its equations, states at which it is regular, the start and laws of its
motion."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any

import numpy as np

import symbody as sb
from symbody.derivation.equations.random_states import random_state

from .oracle import Numbers, conditioned

ATTEMPTS = 12
WELL_CONDITIONED = 1e5
RUN = {"rtol": 1e-10, "atol": 1e-10, "max_steps": 20_000}  # of reference motions


class NotComparableError(Exception):
    """What was asked cannot be examined for this model, and why; counted beside what the package refuses."""


class DisagreementError(Exception):
    """Two ways to one answer that differ: what was compared, and the numbers."""


@dataclass(frozen=True)
class Subject:
    """A model by its file; everything else follows, when it is first asked for. `seed` is that of random choices in the
    checks."""

    text: str
    seed: int = 0

    @cached_property
    def file(self) -> Any:
        return sb.study.read_model_text(self.text)

    @cached_property
    def eq(self) -> Any:
        return sb.derive(self.file.mechanism, redundant=True)

    @property
    def is_redundant(self) -> bool:
        return self.eq.border is not None

    @property
    def jumps(self) -> bool:
        """Whether a load changes at once somewhere: a stop with damping, or a branch."""
        return "limits" in self.text or "where" in self.text

    @cached_property
    def draw(self) -> Random:
        return Random(self.seed)

    @cached_property
    def near(self) -> dict[str, float]:
        """Coordinates near which loops close."""
        names = {q.name for q in self.eq.q}
        return {k: v for k, v in self.file.requests.start.items() if k in names}

    @cached_property
    def regular(self) -> list[tuple[int, Numbers]]:
        """Two random states at which the equations are well conditioned, with the seeds that `random_state` makes them
        from."""
        found = []
        for seed in range(self.seed, self.seed + ATTEMPTS):
            numbers = Numbers(self.eq, random_state(self.eq, seed, self.near))
            if conditioned(numbers) < WELL_CONDITIONED:
                found.append((seed, numbers))
            if len(found) == 2:
                return found
        raise NotComparableError("no two well-conditioned states were found")

    @property
    def states(self) -> list[Numbers]:
        return [numbers for _, numbers in self.regular]

    # ------------------------------------------------------------------------------------------------ motion

    @cached_property
    def laws(self) -> dict[str, Any]:
        asked = self.file.requests.simulate
        return dict(asked.inputs) if asked is not None else {}

    @cached_property
    def span(self) -> float:
        asked = self.file.requests.simulate
        return asked.end if asked is not None else 0.4

    @cached_property
    def start(self) -> Any:
        """On the constraints, near the start of the file, and well conditioned."""
        state = sb.assemble(self.eq, start=self.file.requests.start, inputs=self.laws)
        eq = state.equations
        values = dict(zip(eq.variables.arguments, state.values.values(), strict=True))
        if conditioned(Numbers(eq, values)) > WELL_CONDITIONED:
            raise NotComparableError("the start is singular")
        return state

    @cached_property
    def closed(self) -> Any:
        """The equations with the laws of the inputs in them: those that the start belongs to."""
        return self.start.equations

    def run(self, t: Any = None, **options: Any) -> Any:
        return self.run_from(self.start, t, **options)

    def run_from(self, start: Any, t: Any = None, **options: Any) -> Any:
        return sb.simulate(
            start.equations, self.span if t is None else t, start, progress=False, options={**RUN, **options}
        )

    @cached_property
    def motion(self) -> Any:
        """The reference motion."""
        sim = self.run()
        if not sim.outcome:
            raise NotComparableError(f"the motion ended: {sim.outcome.ending.value}")
        return sim


def agree(what: str, one: Any, other: Any, tolerance: float, size: Any = None) -> None:
    """Refuses arrays that differ by more than a part of their size (that of the larger, where none is given). NaN
    agrees with NaN."""
    a, b = np.asarray(one, dtype=float), np.asarray(other, dtype=float)
    if a.shape != b.shape:
        raise DisagreementError(f"{what}: shapes {a.shape} and {b.shape}")
    if not a.size:
        return
    scale = np.abs([a, b]).max(initial=0.0, where=np.isfinite([a, b])) if size is None else size
    error = np.where(np.isnan(a) & np.isnan(b), 0.0, np.abs(a - b) / np.maximum(scale, 1e-12))
    worst = np.unravel_index(int(np.argmax(np.where(np.isnan(error), np.inf, error))), error.shape)
    if not error[worst] <= tolerance:
        place = ", ".join(map(str, worst))
        raise DisagreementError(
            f"{what}: [{place}] is {a[worst]:.10g} and {b[worst]:.10g}, off by {error[worst]:.2g} of {tolerance:.0e}"
        )

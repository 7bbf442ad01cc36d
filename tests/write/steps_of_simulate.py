"""The steps of `simulate`, computed without fused operations: with a b + c rounded twice, as in C and JavaScript. In a process
that has compiled nothing yet (`tests.forked`)."""

from __future__ import annotations

from typing import Any

import symbody as sb
from symbody.emit.llvm import jit

from .step_models import MODELS


def steps(model: str, method: str, rtol: float, atol: float, seconds: float) -> dict[str, Any]:
    features = jit._features() + ",-fma,-fma4,-avx512f"
    vars(jit).update(_features=lambda: features, rounding=lambda: "separate")
    eq, start, events = MODELS[model]()
    sim = sb.simulate(eq, seconds, start, method=method, rtol=rtol, atol=atol, events=events)
    marks = [[e.name, e.t] for e in sim.events]
    return {"t": sim.t.tolist(), "y": sim.y.tolist(), "rejected": sim.statistics.rejected, "events": marks}

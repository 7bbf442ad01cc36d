"""`python -m tests.write.steps_of_simulate MODEL METHOD RTOL ATOL SECONDS`: the steps of `simulate`, as JSON, computed without fused operations: with a b + c rounded twice, as in C and JavaScript."""

import json
import sys

from symbody.emit.llvm import jit

FEATURES = jit._features() + ",-fma,-fma4,-avx512f"


def main(model: str, method: str, rtol: str, atol: str, seconds: str) -> None:
    vars(jit).update(_features=lambda: FEATURES, rounding=lambda: "separate")
    import symbody as sb

    from .step_models import MODELS

    eq, start, events = MODELS[model]()
    sim = sb.simulate(eq, float(seconds), start, method=method, rtol=float(rtol), atol=float(atol), events=events)
    marks = [[e.name, e.t] for e in sim.events]
    print(json.dumps({"t": sim.t.tolist(), "y": sim.y.tolist(), "rejected": sim.statistics.rejected, "events": marks}))


main(*sys.argv[1:])

"""A whole car from a cold cache: CPU seconds of a fresh process from its description to straight running, to the first
seconds of a simulation, and to a handling diagram.

14 degrees of freedom, sixteen loop closures, four tyres by the Magic Formula. `before_cpu_s` is what was measured on two busy
cores of a server before long models ran in tables. BLAS has one thread: others wait actively, which counts as CPU time.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from .timing import Row

BEFORE: Final = {"describe and derive": None, "straight running": 9.8, "8 s of driving": None, "handling diagram": 21.4}
WORK: Final = """
import json, time
times = {}
def done(case):
    times[case] = round(time.process_time() - sum(times.values()), 3)
import symbody as sb
from symbody.kits import vehicles as vh
from tests.vehicles.passenger_tyre import NUMBERS, tir
eq = sb.derive(vh.car(vh.read_tyre(tir(NUMBERS), smooth=0.01), steering={"stiffness": 3e5, "damping": 1e3}))
done("describe and derive")
straight = vh.straight(eq, 20.0)
done("straight running")
u = sb.symbol("u", "speed")
sim = sb.simulate(eq, 8, straight, inputs={"delta": vh.step_steer(eq.t, 0.05), "drive": 3000 * (20 - u)})
done("8 s of driving")
diagram = vh.handling_diagram(eq, (0.0, 7.0), speed=20.0, speed_name="u", free=["drive"], wheelbase=2.6, start=straight)
done("handling diagram")
assert straight.is_steady and sim.t[-1] == 8 and diagram.largest > 6.9
print(json.dumps(times))
"""


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "SYMBODY_CACHE": folder, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        run = subprocess.run(
            [sys.executable, "-c", WORK],
            cwd=Path(__file__).parents[1],
            env=environment,
            capture_output=True,
            check=True,
            text=True,
        )
    for case, seconds in json.loads(run.stdout.splitlines()[-1]).items():
        yield {"case": case, "cpu_s": seconds, "before_cpu_s": BEFORE[case]}

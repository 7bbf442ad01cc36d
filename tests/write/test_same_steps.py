"""An FMU, a live page and `simulate` run one text: they take the same steps, to the last digit where their arithmetic is
the same.

`simulate` runs in a process of its own without fused operations; the page gets powers, which JavaScript engines round
in their own way, from the library that the others use. Models whose rates are sums, products and quotients are then
compared bit by bit; others take as many steps, of nearly the same lengths.
"""

from __future__ import annotations

import json
import math
import re
import subprocess
import zipfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.write.mockup.build import FLAGS
from tests import forked
from tests.contracts.targets import c_compiler
from tests.installed import installed

from .step_models import MODELS

TOLERANCE = 1e-9  # of the FMU
RTOL, ATOL = 1e-7, 1e-9  # of live pages
SECONDS = 6.0


@cache
def simulated(model: str, method: str, rtol: float, atol: float) -> Any:
    return forked.answer("tests.write.steps_of_simulate:steps", model, method, rtol, atol, SECONDS)


def assert_alike(times: Any, states: Any, expected: Any) -> None:
    """As many steps, of lengths and to states that differ by what rounding makes of them: an error estimate, of which the
    next length is made, is known to the part eps/tolerance of itself."""
    assert len(times) == len(expected["t"]) - 1
    lengths = [np.diff(np.concatenate([[0.0], np.array(t)])) for t in (times, expected["t"][1:])]
    assert np.allclose(lengths[0], lengths[1], rtol=1e-4)
    assert np.allclose(states[-1], expected["y"][-1], rtol=0, atol=1e-9)


# ---------------------------------------------------------------------------------------------------------- the FMU

HARNESS = """
#include "{unit}"
static void silent(Instance *m, int status, const char *text) {{ (void)m; (void)status; puts(text); }}
int main(void)
{{
    Instance *m = calloc(1, sizeof *m);
    m->say = silent;
    m->now.tolerance = {tolerance};
    m->is_for_steps = 1;
    model_default_parameters(&m->now.p);
    model_initial_state(&m->now.t, m->now.x, m->now.r);
    memcpy(m->now.start, m->now.x, sizeof m->now.x);
    if (begin_motion(m) != OK) return 1;
    begin_march(m, {seconds});
    while (m->now.t < {seconds}) {{
        const int status = march_once(m);
        if (status == MARCH_AT_EVENT) {{
            printf("[\\"event\\", %d, %.17g]\\n", EVENT, m->now.t);
        }} else if (status != MARCH_DONE && status != MARCH_GOES_ON) return 2;
        printf("[%.17g", m->now.t);
        for (int i = 0; i < NX; i++) printf(", %.17g", m->now.x[i]);
        puts("]");
        if (status == MARCH_AT_EVENT && pass_event(m) != OK) return 3;
        if (status != MARCH_AT_EVENT && NG > 0 && know_events(m) == OK) follow_sides(m);
    }}
    printf("[\\"rejected\\", %d]\\n", (int)m->steps.counts.rejected);
    return 0;
}}
"""


def fmu_steps(model: str, folder: Path) -> Any:
    """Steps of the sources of an FMU, compiled with a program that prints them."""
    eq, start, events = MODELS[model]()
    path = sb.write.fmu(eq, folder / f"{model}.fmu", start=start, events={e.name: e for e in events})
    with zipfile.ZipFile(path) as content:
        content.extractall(folder / "fmu")
    sources = folder / "fmu" / "sources"
    unit = next(sources.glob("*_fmu.c")).name
    event = "m->steps.watched.event" if events else "0"
    text = HARNESS.format(unit=unit, tolerance=repr(TOLERANCE), seconds=repr(SECONDS)).replace("EVENT,", f"{event},")
    (sources / "harness.c").write_text(text)
    library = next(f.name for f in sources.glob("*.c") if f.name not in (unit, "harness.c"))
    flags = [f for f in FLAGS if f not in ("-shared", "-fvisibility=hidden")]
    subprocess.run(
        [c_compiler(), *flags, "harness.c", library, "-o", "harness", "-lm", "-Wno-unused-function"],
        cwd=sources,
        check=True,
    )
    lines = subprocess.run([sources / "harness"], capture_output=True, text=True, check=True).stdout.splitlines()
    rows = [json.loads(line) for line in lines]
    steps = [r for r in rows if not isinstance(r[0], str)]
    return {
        "t": [r[0] for r in steps], "y": [r[1:] for r in steps], "rejected": rows[-1][1],
        "events": [[events[r[1]].name, r[2]] for r in rows if r[0] == "event"],
    }  # fmt: skip


@pytest.mark.parametrize("model", ["rational", "bouncing"])
def test_fmu_takes_the_steps_of_simulate(model: str, tmp_path: Path) -> None:
    """Accepted and refused steps, times of events, and every state: equal."""
    expected, found = simulated(model, "dp8", TOLERANCE, TOLERANCE), fmu_steps(model, tmp_path)
    times, states = without_repeated(expected)
    assert len(times) > 20
    assert found["t"] == times[1:]
    assert found["y"] == states[1:]
    assert found["rejected"] == expected["rejected"]
    assert found["events"] == expected["events"]


def without_repeated(sim: Any) -> tuple[list[float], list[list[float]]]:
    """Steps of `simulate`, with the state before an event alone where there is one before and one after it."""
    rows = [(t, y) for k, (t, y) in enumerate(zip(sim["t"], sim["y"], strict=True)) if k == 0 or t != sim["t"][k - 1]]
    return [t for t, _ in rows], [y for _, y in rows]


def test_fmu_with_sines(tmp_path: Path) -> None:
    expected, found = simulated("pendulum", "dp8", TOLERANCE, TOLERANCE), fmu_steps("pendulum", tmp_path)
    assert_alike(found["t"], found["y"], expected)
    assert found["rejected"] == expected["rejected"]


# ---------------------------------------------------------------------------------------------------------- the page

STEPPED = """
const fs = require("fs");
function ask(text) {
    fs.writeSync(1, text + "\\n");
    const one = Buffer.alloc(1), line = [];
    while (fs.readSync(0, one, 0, 1, null) && one[0] !== 10) line.push(one[0]);
    return Buffer.from(line).toString();
}
if (process.argv[2] === "same") Math.pow = (x, y) => Number(ask(`pow ${x} ${y}`));
const start = model.initialState(), given = { t: start.t, x: Float64Array.from(start.x), r: Float64Array.from(start.r), p: model.defaultParameters() };
const run = new Motion(given, live.until), steps = [];
while (!run.done) {
    const before = run.t;
    run.goOn(1);
    if (run.t > before) steps.push([run.t, ...Array.from(run.x)]);
}
fs.writeSync(1, JSON.stringify({ trouble: run.trouble, rejected: run.steps.counts.rejected, events: run.marks.map((m) => [m.name, m.t]), steps }) + "\\n");
"""


def page_steps(model: str, folder: Path, powers: str) -> Any:
    """Steps of the scripts of a page, in node."""
    node = installed("node", "nodejs")
    eq, start, events = MODELS[model]()
    page = sb.write.live_page(
        eq, folder / "page.html", until=SECONDS, start=start, events={e.name: e for e in events}
    ).read_text()
    scripts = re.findall(r"<script>(.*?)</script>", page, flags=re.DOTALL)
    at = next(k for k, s in enumerate(scripts) if s.startswith("const Motion"))
    (folder / "page.js").write_text("\n".join([*scripts[at - 2 : at + 1], STEPPED]))
    with subprocess.Popen(
        [node, str(folder / "page.js"), powers], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        for line in running.stdout:
            if not line.startswith("pow "):
                found = json.loads(line)
                break
            x, y = map(float, line.split()[1:])
            running.stdin.write(f"{math.pow(x, y)!r}\n")
            running.stdin.flush()
    assert found["trouble"] == ""
    return found


@pytest.mark.parametrize("model", ["rational", "bouncing"])
def test_page_takes_the_steps_of_simulate(model: str, tmp_path: Path) -> None:
    expected, found = simulated(model, "dp5", RTOL, ATOL), page_steps(model, tmp_path, "same")
    times, states = without_repeated(expected)
    steps = found["steps"]
    assert len(times) > 20
    assert [s[0] for s in steps] == times[1:]
    resets = {t for name, t in expected["events"] if name == "ground"}
    assert [s[1:] for s in steps if s[0] not in resets] == [
        y for t, y in zip(times[1:], states[1:], strict=True) if t not in resets
    ]
    assert found["rejected"] == expected["rejected"]
    assert found["events"] == expected["events"]


@pytest.mark.parametrize("model", ["rational", "pendulum"])
def test_page_with_its_own_powers_and_sines(model: str, tmp_path: Path) -> None:
    expected, found = simulated(model, "dp5", RTOL, ATOL), page_steps(model, tmp_path, "own")
    steps = np.array(found["steps"])
    assert_alike(steps[:, 0], steps[:, 1:], expected)
    assert found["rejected"] == expected["rejected"]

"""The check of a JavaScript folder: every function at one point, and the reference motion by Runge-Kutta steps."""

from __future__ import annotations

import json
from typing import Final

from ...artefacts.artefact import Artefact

AGREEMENT: Final = 1e-9


def javascript_check(made: Artefact, loaded: str | None = None) -> str:
    """Text of `name_check.js`; `loaded` are lines that make `model`, where it is not the module of that name."""
    n, point = made.identifier, made.check
    assert point is not None
    algorithms = {a.name: a for a in made.algorithms}
    lines = [f"// Checks {n}.", loaded or f'import * as model from "./{n}.js";', ""]
    lines += [f"const T = {point.t!r}, X = {_numbers(point.x)}, R = {_numbers(point.r)};", "const VALUES = {"]
    for name in made.names:
        if name in point.values:
            values = point.values[name]
            inputs, outputs = (f"[{', '.join(map(_numbers, v))}]" for v in (values.inputs, values.outputs))
            changes = name in algorithms and algorithms[name].changes
            fields = f"isLoop: {json.dumps(name in algorithms)}, changes: {json.dumps(changes)}"
            lines.append(f"    {name}: {{ {fields}, inputs: {inputs}, outputs: {outputs} }},")
    lines += ["};", "", _VERDICT]
    return "\n".join([*lines, *_motion(made), _END])


def _numbers(values: tuple[float, ...]) -> str:
    return f"[{', '.join(map(repr, values))}]"


_VERDICT: Final = f"""\
let wrong = 0;

function difference(got, wanted) {{
    let off = 0, size = 0;
    wanted.forEach((w, k) => {{
        off = Math.max(off, Math.abs(got[k] - w));
        size = Math.max(size, Math.abs(w));
    }});
    return off / (1 + size); // NaN stays NaN
}}

function verdict(what, off, allowed = {AGREEMENT!r}) {{
    const good = off <= allowed;
    if (!good) wrong += 1;
    console.log(`${{what.padEnd(28)}} ${{good ? "good " : "WRONG"}} off by ${{off.toExponential(2)}} of at most ${{allowed.toExponential(2)}}`);
}}

const p = model.defaultParameters();
for (const [name, {{ isLoop, changes, inputs, outputs }}] of Object.entries(VALUES)) {{
    const [x, ...more] = isLoop ? inputs : [X, ...inputs];
    const state = Float64Array.from(x);
    const found = model[name](T, state, R, p, ...more);
    const got = changes ? [state] : outputs.length === 1 ? [found] : found;
    verdict(name, changes && found !== 0 ? Infinity : Math.max(...outputs.map((w, k) => difference(got[k], w)), 0));
}}
"""
_STEP: Final = """\
function step(t, h, x, r) {
    const k1 = model.rhs(t, x, r, p);
    const k2 = model.rhs(t + h / 2, x.map((v, i) => v + h / 2 * k1[i]), r, p);
    const k3 = model.rhs(t + h / 2, x.map((v, i) => v + h / 2 * k2[i]), r, p);
    const k4 = model.rhs(t + h, x.map((v, i) => v + h * k3[i]), r, p);
    return x.map((v, i) => v + h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]));
}
"""
_END: Final = """\
console.log(wrong ? "SOMETHING IS WRONG" : "all good");
process.exit(wrong ? 1 : 0);
"""


def _motion(made: Artefact) -> list[str]:
    ref = made.reference
    if ref is None:
        return []
    project = "        if (model.project(TIMES[k] + h * (s + 1), x, r, p) !== 0) worst = Infinity;"
    states = ",\n    ".join(map(_numbers, ref.states))
    return [
        f"const TIMES = {_numbers(ref.times)}, SCALES = {_numbers(ref.scales)};",
        f"const STATES = [\n    {states},\n];",
        "",
        _STEP,
        "let { x, r } = model.initialState(), worst = 0;",
        "for (let k = 0; k + 1 < TIMES.length; k++) {",
        f"    const h = (TIMES[k + 1] - TIMES[k]) / {ref.steps};",
        f"    for (let s = 0; s < {ref.steps}; s++) {{",
        "        x = step(TIMES[k] + h * s, h, x, r);",
        *([project] if made.has("project") else []),
        "    }",
        "    worst = Math.max(worst, ...x.map((v, i) => Math.abs(v - STATES[k + 1][i]) / SCALES[i]));",
        "}",
        f'verdict("motion", worst, {ref.tolerance!r});',
    ]

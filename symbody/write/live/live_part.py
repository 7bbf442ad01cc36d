"""Equations -> a part of a page in which the model itself runs, with sliders for its parameters, start and inputs.

The equations are JavaScript in the page, as in the folder that `sb.write.javascript` writes, and are integrated there
by the coefficients that `simulate` uses. WebAssembly would be no faster where it matters, and the content policy of our
pages, under which nothing is compiled from data, would have to allow it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, Final

from ...algebra.calculus.evaluate import evaluate
from ...algebra.graph.graph import as_expr
from ...algebra.graph.matrix import Matrix
from ...derivation.equations.equations import Equations
from ...derivation.equations.variable import Variable
from ...emit import ir, program
from ...errors import ProgramError, in_number
from ...escaping import as_script_data
from ...integrate.events.events import Event
from ...integrate.events.switching_times import Switching, exported_switching_times
from ...integrate.events.valid_region import with_own_events
from ...integrate.kernels.march import GROWTH_LEVELS, march
from ...integrate.kernels.march_records import AT_EVENT, AT_SWITCH, DONE, TINY, TOO_MANY, UNBOUNDED, UNSETTLED
from ...integrate.kernels.next_switching import LINE
from ...integrate.kernels.standalone_march import standalone_constants, standalone_records
from ...integrate.kernels.tableaux import DORMAND_PRINCE_5
from ...integrate.run.simulate import simulate
from ...integrate.start.state import Start, State
from ...simulation_options import SimulationOptions
from ...view.scenes.poses import placements_of
from ...view.scenes.scene import Scene, named_frames, scene
from ..artefacts.artefact import Artefact, ExportedFunction
from ..artefacts.make_artefact import ExportOptions, artefact
from ..pages.page import asset
from ..targets.javascript.javascript_objects import javascript_objects
from ..targets.javascript.javascript_target import JavaScriptModule
from .drawn_numbers import slopes

FUNCTIONS: Final = (
    "rhs",
    "correct_positions",
    "correct_speeds",
    "outputs",
    "energies",
    "events",
    "event_handling",
    "event_rates",
    "switching_lines",
)
METHOD: Final = DORMAND_PRINCE_5
DEFAULTS: Final = SimulationOptions()
FEWEST, MOST, RATE = 120, 600, 60  # samples of a motion, and for each second within these


@dataclass(frozen=True)
class LivePart:
    """The part of a page in which a model runs: its element, styles, scripts (the viewer's is `viewer.script`), and a
    phrase with the size of the model."""

    html: str
    styles: str
    scripts: tuple[str, ...]
    size: str


@dataclass(frozen=True)
class LiveOptions:
    """Choices for it: those of `live_page`."""

    until: float
    start: Start | None = None
    events: Mapping[str, Any] = field(default_factory=dict)
    shapes: Any = None
    packages: Mapping[str, str | Path] | None = None
    title: str | None = None


def live_part(eq: Equations, options: LiveOptions) -> LivePart:
    made = artefact(eq, ExportOptions(FUNCTIONS, options.start, events=options.events, reference=None, checks=False))
    if not made.has("rhs"):
        raise ProgramError(f"live page of {eq.name!r}: {' '.join(made.notes)}")
    if unknown := [f.name for f in made.externals if f.table is None]:
        raise ProgramError(
            f"live page of {eq.name!r}: {in_number(unknown, 'external function {} is', 'external functions {} are')} not known in JavaScript; write "
            "expressions instead, or as samples"
        )
    t, x, r = made.start
    numbers = dict(zip(eq.variables.of("q u z r p").symbols, (*x, *r, *made.defaults), strict=True))
    state = State.of(eq, numbers | {eq.t: t})
    handled = [e for e in options.events.values() if isinstance(e, Event)]
    motion = simulate(eq, (t, t + options.until), state, events=handled)
    drawn = {"shapes": options.shapes, "packages": options.packages}
    shown = scene(motion, forces=(), title=options.title, **drawn)
    frames = named_frames(state, options.shapes, options.packages)
    module = JavaScriptModule(replace(made, functions=(*made.functions, _poses(eq, made, frames, shown))))
    weights = {s.name: len(s.coordinates) for s in shown.surfaces}
    switching = exported_switching_times(eq)
    data = _data(made, module, shown, options.until, with_own_events(eq, options.events), switching) | {
        "frames": list(frames),
        "weights": weights,
    }
    data["geometry"] = slopes(
        state, [v.symbol for v in made.parameters], module.fields, options.shapes, options.packages
    )
    size = f"{len(made.state)} states, {made.function('rhs').program.cost.total} operations for their rates"
    return LivePart(_ELEMENT.format(shown.html(assets=False)), asset("live", "live.css"), _scripts(module, data), size)


def _poses(eq: Equations, made: Artefact, frames: Mapping[str, Any], shown: Scene) -> ExportedFunction:
    """Rotation matrix and origin of each frame, the mass centre, and the coordinates of surfaces that deform."""
    bodies = eq.mechanism.bodies
    known = placements_of(eq, dict.fromkeys([*frames.values(), *(b.mass_centre.frame for b in bodies)]))
    numbers = [e for f in frames.values() for e in (*known[f].R.entries, *known[f].r.entries)]
    values = dict(zip(eq.p, made.defaults, strict=True))
    mass = [float(m) for m in evaluate([b.mass.m for b in bodies], values)] if bodies else []
    total = sum(mass)
    middle = Matrix(3, 1, (as_expr(0), as_expr(0), as_expr(0)))
    for b, m in zip(bodies, mass, strict=True):
        centre = b.mass_centre
        at = known[centre.frame].r + known[centre.frame].R @ centre.coordinates
        middle = middle + at * as_expr(m / total if total > 0 else 1 / len(mass))
    groups: dict[str, Any] = {"t": eq.t, "x": list(eq.state), "r": list(eq.r), "p": list(eq.p)}
    by_name = {q.name: q for q in eq.q}
    numbers += [*middle.entries, *(by_name[n] for s in shown.surfaces for n in s.coordinates)]
    found = {"poses": Matrix(len(numbers), 1, tuple(numbers))}
    return ExportedFunction("poses", "poses of frames", program(f"{made.identifier}_poses", groups, found), found)


# ---------------------------------------------------------------------------------------------------- data of the page


def _data(
    made: Artefact,
    module: JavaScriptModule,
    shown: Scene,
    until: float,
    events: Mapping[str, Any],
    switching: Switching,
) -> dict[str, Any]:
    constants = {
        "WIDTH": METHOD.width,
        "PIECES": METHOD.pieces,
        "MAX_GROWTH": DEFAULTS.max_growth,
        "LEVEL": DEFAULTS.max_size / GROWTH_LEVELS**2,
        "SWITCHING": {
            "count": switching.count,
            "first": switching.first.tolist(),
            "knots": switching.knots.tolist(),
            "rounding": TINY,
            "size": LINE,
        },
        "STATUS": {
            "DONE": DONE,
            "TOO_MANY": TOO_MANY,
            "AT_EVENT": AT_EVENT,
            "AT_SWITCH": AT_SWITCH,
            "UNSETTLED": UNSETTLED,
            "UNBOUNDED": UNBOUNDED,
        },
    }
    samples = int(min(max(until * RATE, FEWEST), MOST)) + 1
    return {
        "march": constants,
        "until": until,
        "samples": samples,
        "curves": _curves(made),
        "events": _events(made, events),
        "sliders": _sliders(made, module, shown.size),
    }


def _curves(made: Artefact) -> list[dict[str, Any]]:
    out: list[dict[str, Any]] = [
        {"kind": "x", "index": k, "name": v.name, "unit": v.unit} for k, v in enumerate(made.state)
    ]
    if made.has("outputs"):
        names = made.function("outputs").names["y"]
        out = [{"kind": "outputs", "index": k, "name": n, "unit": ""} for k, n in enumerate(names)] + out
    if made.has("energies"):
        out += [
            {"kind": "energies", "index": k, "name": f"{n} energy", "unit": "J"}
            for k, n in enumerate(("kinetic", "potential", "total"))
        ]
    return out


def _events(made: Artefact, given: Mapping[str, Any]) -> list[dict[str, Any]]:
    names = made.function("events").names["g"] if made.has("events") else ()
    resets = {n for n, e in given.items() if isinstance(e, Event) and e.reset is not None}
    return [
        {"name": n, "sense": s, "ends": ends, "resets": n in resets}
        for n, (s, ends) in zip(names, made.event_senses, strict=True)
    ]


def _sliders(made: Artefact, module: JavaScriptModule, size: float) -> list[dict[str, Any]]:
    _, x, r = made.start
    rows: list[tuple[str, Any, Variable, float]] = []
    rows += [("p", f, v, d) for f, v, d in zip(module.fields, made.parameters, made.defaults, strict=True)]
    rows += [("x", k, v, x[k]) for k, v in enumerate(made.state) if v.quaternion is None]
    rows += [("r", k, v, r[k]) for k, v in enumerate(made.inputs) if v.rate_of is None]
    out = []
    for group, key, v, value in rows:
        low, high = _range(v, value, size)
        about = ", ".join(t for t in (v.kind, v.description) if t)
        out.append(
            {
                "group": group,
                "key": key,
                "name": v.name,
                "unit": v.unit,
                "about": about,
                "value": value,
                "low": low,
                "high": high,
            }
        )
    return out


def _range(v: Variable, value: float, size: float) -> tuple[float, float]:
    """What a slider goes over: parameters from a fifth to twice their value, angles once around, lengths half the size
    of the mechanism each way."""
    if v.group == "p":
        low, high = sorted((value / 5, 2 * value))
        return (low, high) if value else (-1.0, 1.0)
    if v.group == "q":
        reach = math.pi if v.is_angle else 0.5 * size
        return value - reach, value + reach
    reach = max(2 * abs(value), 5.0 if v.group == "u" else 10.0)
    return -reach, reach


# ---------------------------------------------------------------------------------------------------- the element

_ELEMENT: Final = """\
<div class='live' id='live'><div class='live-picture'>{}</div>
<div class='live-controls' role='group' aria-label='Controls'>
<div class='live-row'><button type='button' id='live-reset'>As in the model</button>
<label>seconds <input id='live-until' type='number' min='0.01' step='any' style='width:5.2rem'></label></div>
<p id='live-said' role='status'></p>
<details open><summary>Parameters</summary><div class='sliders' id='live-parameters'></div></details>
<details open><summary>Inputs</summary><div class='sliders' id='live-inputs'></div></details>
<details><summary>Start</summary><div class='sliders' id='live-start'></div></details></div>
<div><div class='live-row'><label>curve <select id='live-curve'></select></label>
<span class='dashed' id='live-dashed' hidden>dashed: as in the model</span></div>
<svg id='live-chart' role='img' aria-label='curve'></svg></div></div>"""


def _scripts(module: JavaScriptModule, data: Mapping[str, Any]) -> tuple[str, ...]:
    model = (
        f'const model = (() => {{\n"use strict";\n{module.body(checks=False)}\n\nreturn {{ '
        f"{', '.join(module.offered)} }};\n}})();"
    )
    return (model, f"const live = {as_script_data(data)};", motion_script(), asset("live", "live.js"))


@cache
def motion_script() -> str:
    """`Motion`, which runs `model` by the loop of `simulate`, for what `live` says."""
    known = {
        k: v for k, v in standalone_constants(settles=True, watches=True, switches=True).items() if v != ir.IS_PRESENT
    }
    loop = javascript_objects(march, standalone_records(METHOD), known)
    return f'const Motion = (() => {{\n"use strict";\n{loop}\n{asset("live", "live_motion.js")}\nreturn Motion;\n}})();'

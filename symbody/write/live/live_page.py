"""`live_page`: equations -> one file of HTML in which the model runs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...argument_kinds import answered
from ...derivation.equations.equations import Equations
from ...escaping import in_html
from ...integrate.inputs.inputs import closed_loop
from ...integrate.start.state import Start
from ...view.scenes import viewer
from ...whole_files import write_text
from ..pages.page import Page, asset, section
from .live_part import LiveOptions, LivePart, live_part


@answered
def live_page(
    equations: Equations,
    path: str | Path,
    *,
    until: float = 10.0,
    start: Start | None = None,
    events: Mapping[str, Any] | None = None,
    inputs: Mapping[Any, Any] | None = None,
    shapes: Any = None,
    packages: Mapping[str, str | Path] | None = None,
    title: str | None = None,
) -> Path:
    """Write a page that simulates the model in any browser, without a network. Returns its path.

    until      initial duration of the motion in seconds
    start      initial state, or values by name
    events     as in `c`: events with direction, guard, reset and end are handled, expressions and names of variables
               and outputs marked
    inputs     laws as in `simulate`: expressions, samples; inputs without a law are constant and have a slider
    shapes     of bodies, as in `scene`; `packages` for a robot's meshes
    title      by default the name of the model

    >>> m = sb.Model("pendulum")
    >>> joint = m.revolute("theta", m.ground, m.body("bob", mass=1.0, com=(0, -1, 0)))
    >>> sb.write.live_page(sb.derive(m), "pendulum.html").name
    'pendulum.html'

    See also: `write.write_report`, `scene`.
    """
    eq = closed_loop(equations, inputs) if inputs else equations
    part = live_part(eq, LiveOptions(until, start, events or {}, shapes, packages, title))
    target = Path(path)
    write_text(target, _page(title or eq.name, part))
    return target


def _page(title: str, part: LivePart) -> str:
    about = f"<p class='about'>The equations of motion run in this page ({in_html(part.size)}): move a slider to recompute the motion.</p>"
    styles = asset("pages", "report.css") + asset("live", "live_page.css") + part.styles + viewer.style()
    scripts = (viewer.script(), asset("pages", "report.js"), *part.scripts)
    return Page(title, about, [section("model", "Model", part.html)], styles, scripts).html()

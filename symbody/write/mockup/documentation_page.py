"""documentation/index.html of an FMU."""

from __future__ import annotations

from collections.abc import Iterable

from ...escaping import in_html
from .c_sources import DRIFT, METHOD
from .description import MockUp, MockUpVariable

STYLE = (
    "body{font:16px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 "
    "1em}table{border-collapse:collapse}td,th{padding:.1em 1em .1em 0;text-align:left}"
)


def documentation(it: MockUp) -> str:
    made = it.made
    parts = [
        (
            '<!DOCTYPE html>\n<html lang="en"><head><meta '
            f'charset="utf-8"><title>{in_html(made.title)}</title><style>{STYLE}</style></head><body>'
        ),
        f"<h1>{in_html(made.title)}</h1>",
        f"<p>{' and '.join(it.kinds)}; model {made.hash}, written by symbody {in_html(made.version)}.</p>",
        f"<p>Co-simulation integrates by the method {in_html(METHOD.name)} with step control; the tolerance is that of the importer, or {it.tolerance:g}. "
        "States are put back onto constraints after every step, and events are found and handled inside steps.</p>",
        *([f"<p>{_CONSTRAINTS}</p>"] if it.projects else []),
        *([f"<p>{_INPUTS}</p>"] if made.inputs else []),
    ]
    titles = {
        "States (outputs too)": [v for v in it.variables if v.causality == "output" and v.initial != "calculated"],
        "Inputs": [v for v in it.variables if v.causality == "input"],
        "Outputs": [v for v in it.variables if v.causality == "output" and v.initial == "calculated"],
        "Parameters": [v for v in it.variables if v.causality == "parameter"],
    }
    parts += [_table(title, rows) for title, rows in titles.items() if rows]
    if it.events:
        rows = "".join(
            f"<li>{in_html(name)}{'' if e is None else f', {e.direction}'}</li>" for name, e in it.events.items()
        )
        parts.append(f"<h2>Events</h2><ul>{rows}</ul>")
    parts += [f"<p>{in_html(note)}</p>" for note in made.notes]
    return "\n".join([*parts, "</body></html>", ""])


_CONSTRAINTS = (
    "This mechanism has constraints. Coordinates and speeds at the start are guesses: the nearest state on the constraints is used, also after a change of "
    f"parameters. In model exchange a step after which constraints are off by more than {DRIFT:g} requests event mode, where the state is projected back."
)
_INPUTS = (
    "Inputs are held between communication points, or follow the derivatives that fmi2SetRealInputDerivatives sets, of first and second order. Rates of inputs "
    "that the equations contain are inputs beside them, and follow these derivatives where they are set."
)


def _table(title: str, rows: Iterable[MockUpVariable]) -> str:
    head = "<tr><th>name</th><th>start</th><th>unit</th><th></th></tr>"
    body = "".join(
        f"<tr><td>{in_html(v.name)}</td><td>{'' if v.start is None else repr(v.start)}</td><td>{in_html(v.unit)}</td>"
        f"<td>{in_html(', '.join(t for t in (v.description, v.variability if v.causality == 'parameter' else '') if t))}</td></tr>"
        for v in rows
    )
    return f"<h2>{title}</h2><table>{head}{body}</table>"

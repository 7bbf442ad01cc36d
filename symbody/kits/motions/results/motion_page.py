"""A motion as one page: what moves, in 3-D and in figures, costs, active bounds and their multipliers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

import symbody as sb

from ....display import STYLE
from ....escaping import csv_row, in_html
from ....whole_files import write_text

MOST_CURVES: Final = 6  # in a panel
PRICE: Final = "Rates at which the least cost changes with prescribed values: a rate of 3 means that a value larger by 0.01 costs 0.03 more."
NO_PRICE: Final = "The search found no optimum; multipliers of the point where it ended are not rates of a least cost."
BOUNDS: Final = (
    "The motion touches these bounds. The price is the rate at which the least cost changes when the bound is moved up."
)
STABILITY: Final = (
    "Simulated with the inputs of the motion and without feedback, phase by phase: a motion that is unstable departs "
    "from its simulation however fine the mesh is."
)


def saved_motion(motion: Any, path: str | Path) -> Path:
    """A table (.csv) or a page (.html)."""
    target = Path(path)
    if target.suffix == ".csv":
        columns = motion.columns
        rows = [
            csv_row(columns),
            *(",".join(repr(float(x)) for x in row) for row in zip(*columns.values(), strict=True)),
        ]
        write_text(target, "\n".join(rows) + "\n")
    elif target.suffix == ".html":
        write_text(target, motion_page(motion))
    else:
        raise sb.ModelError(f"motion {motion.name!r}: save() writes .csv or .html, got {target.name!r}")
    return target


def motion_figure(motion: Any, what: Sequence[Any]) -> sb.view.Figure:
    """A panel for each item, or one of the states and one of the inputs."""
    groups = [list(w) if isinstance(w, (list, tuple)) else [w] for w in what]
    groups = groups or [g for g in (_common(motion, "states"), _common(motion, "inputs")) if g]
    return sb.view.Figure(motion.name, tuple(_panel(motion, g) for g in groups), size=(6.4, 2.6 * len(groups)))


def _panel(motion: Any, names: Sequence[Any]) -> sb.view.Panel:
    curves = [sb.view.Curve(motion.t, motion[n], label=str(n), group=i) for i, n in enumerate(names)]
    return sb.view.Panel("t in s", "", tuple(curves))


def motion_figures(motion: Any) -> list[sb.view.Figure]:
    """States and inputs over time."""
    out = []
    for title, names in (("States", _common(motion, "states")), ("Inputs", _common(motion, "inputs"))):
        for k in range(0, len(names), MOST_CURVES):
            out.append(sb.view.Figure(title, (_panel(motion, names[k : k + MOST_CURVES]),), size=(6.4, 3.4)))
    return out


def _common(motion: Any, kind: str) -> list[str]:
    parts = [[s.name for s in getattr(m.phase.form, kind)] for m in motion.transcription.meshes.values()]
    return [n for n in parts[0] if all(n in p for p in parts)]


def motion_page(motion: Any) -> str:
    """The page; its scene moves where the model has bodies."""
    figures = motion_figures(motion)
    why = "" if motion.outcome else f"<p>{in_html(str(motion.outcome))}</p>"
    sections = [("Result", f"<div class='wide'><pre>{in_html(str(motion))}</pre></div>{why}")]
    try:
        sections.append(("Motion", motion.trajectory().scene().html()))
    except sb.SymbodyError as reason:
        sections.append(("Motion", f"<p>No picture: {in_html(str(reason))}</p>"))
    drawn = "".join(f.html(assets=k == 0) for k, f in enumerate(figures))
    sections.append(("States and inputs", drawn))
    sections.append(("Costs", _table(("term", "value"), [(k, f"{v:z.8g}") for k, v in motion.costs.items()])))
    sections += _bounds(motion)
    sections.append(("Accuracy", _accuracy(motion)))
    body = "".join(f"<section><h2>{t}</h2>{inner}</section>" for t, inner in sections)
    title = in_html(f"Motion {motion.name}")
    return (
        "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'><meta name='viewport' "
        f"content='width=device-width, initial-scale=1'><title>{title}</title><style>{STYLE}"
        "body{font-family:system-ui,sans-serif;max-width:60rem;margin:1rem auto;padding:0 1rem}"
        "td,th{padding:.15rem .8rem .15rem 0;text-align:left}.wide{overflow-x:auto}</style></head>"
        f"<body class='symbody'><h1>{title}</h1>{body}<footer>Made by symbody.</footer></body></html>\n"
    )


def _bounds(motion: Any) -> list[tuple[str, str]]:
    """Sections of active bounds and multipliers, which are rates of the least cost only where one was found."""
    head, rows = (
        ("phase", "quantity", "bound", "nodes"),
        [(a.phase, a.name, a.side, str(a.nodes)) for a in motion.active],
    )
    if not motion.outcome:
        return [("Active bounds", _table(head, rows)), ("Multipliers", f"<p>{NO_PRICE}</p>")]
    priced = [(*row, f"{a.price:z.4g}") for row, a in zip(rows, motion.active, strict=True)]
    prices = [(k, f"{v:z.6g}") for k, v in motion.shadow_prices.items()]
    return [
        ("Active bounds", f"<p>{BOUNDS}</p>" + _table((*head, "price"), priced)),
        ("Multipliers", f"<p>{PRICE}</p>" + _table(("value", "multiplier"), prices)),
    ]


def _accuracy(motion: Any) -> str:
    rows = [(k, str(len(e)), f"{np.max(e):z.3g}") for k, e in motion.errors.items()]
    out = _table(("phase", "intervals", "largest error of an interval"), rows)
    try:
        check = motion.check()
    except sb.SymbodyError as reason:
        return f"{out}<p>Not simulated: {in_html(str(reason))}</p>"
    differences = [(k, f"{v:z.3g}") for k, v in check.differences.items()]
    return out + f"<p>{STABILITY}</p>" + _table(("state", "largest difference from simulate"), differences)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    if not rows:
        return "<p>None.</p>"
    top = "".join(f"<th>{in_html(h)}</th>" for h in head)
    inner = "".join(f"<tr>{''.join(f'<td>{in_html(c)}</td>' for c in row)}</tr>" for row in rows)
    return f"<div class='wide'><table><tr>{top}</tr>{inner}</table></div>"

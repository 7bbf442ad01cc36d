"""Figures in pages: `plot.js` shows values under the cursor, zooms, and follows the time of a scene beside them. Without a
script, in print, and where a panel is a field or in space, the static picture stays."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable
from functools import lru_cache
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ...emit.run.callable import Array
from ...escaping import as_attribute, as_script_data, in_html
from . import drawing
from .shared_scripts import are_shared, asking, asking_script

if TYPE_CHECKING:
    from .figure import Curve, Figure, Panel

LETTERS: Final = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "zeta": "ζ", "eta": "η", "theta": "θ", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν",
    "xi": "ξ", "rho": "ρ", "sigma": "σ", "tau": "τ", "phi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω", "ldots": "…",
}  # fmt: skip
DOTS: Final = {"dot": "\u0307", "ddot": "\u0308"}  # combining marks
TOKEN: Final = re.compile(r"\\(d?dot)\{([^}]*)\}|\\([a-z]+) ?|\\,|_\{([^}]*)\}|\^\{([^}]*)\}|(.)", re.DOTALL)
PANEL_HEIGHT: Final = 313  # pixels of a panel with its legend and labels, on a wide page
FRAME_HEIGHT: Final = 105  # of the title, the buttons and the margins


def content_policy(scripts: Iterable[str], *, loads: bool = False) -> str:
    """The content policy of a page: nothing is loaded from elsewhere, nothing leaves it, and of its scripts those with
    these texts run and no others, whatever a name in a model may have slipped into it.

    loads   whether these may load more, as those do that look for a new version of the page
    """
    known = [f"'sha256-{base64.b64encode(sha256(s.encode()).digest()).decode()}'" for s in scripts]
    sources = " ".join([*known, *(["'strict-dynamic'"] if loads else [])])
    return (
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
        f"script-src {sources}; img-src data: blob:; base-uri 'none'; form-action 'none'\">"
    )


@lru_cache(maxsize=2)
def _asset(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def style() -> str:
    """Text of the style of figures in pages."""
    return _asset("plot.css")


def script() -> str:
    """Text of the script of figures in pages."""
    return _asset("plot.js")


def assets() -> str:
    """Style and script, for the head of a page with several figures."""
    return f"<style>{style()}</style>\n<script>{script()}</script>"


def is_interactive(figure: Figure) -> bool:
    """Whether all panels are curves in a plane."""
    return all(
        p.field is None and p.flow is None and not p.z_label and all(c.shade is None for c in p.curves)
        for p in figure.panels
    )


def panel_rows(figure: Figure) -> int:
    """Panels below each other that answer in a page; 0 if it is a static picture alone."""
    return (1 if figure.is_wide else len(figure.panels)) if is_interactive(figure) else 0


def fragment(figure: Figure, *, with_assets: bool = True) -> str:
    """A figure as a part of a page, its static picture inside of it."""
    still = f'<div class="sbp-still">{figure.svg()}</div>'
    if not is_interactive(figure):
        return still
    before, behind = (f"<style>{style()}</style>", f"<script>{script()}</script>") if with_assets else ("", "")
    return (
        f'{before}<div class="sbp" role="group" aria-label="{in_html(figure.title)}">{still}'
        f'<script type="application/json" class="sbp-data">{as_script_data(data(figure))}</script></div>{behind}'
    )


def page(title: str, inner: str, caption: str, *, asks: bool = False) -> str:
    """A page with figures, which needs nothing else; with a shared script it contains everything except the script."""
    scripts = [script(), *([asking_script()] if asks else [])]
    behind = asking(script()) if asks else f"<script>{script()}</script>"
    about = f"<figcaption>{in_html(caption)}</figcaption>" if caption else ""
    own = "body{margin:1rem auto;padding:0 1rem;max-width:60rem;font-family:sans-serif;color-scheme:light dark}figure{margin:0}figcaption{opacity:.75}"
    return (
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>"
        f"{content_policy(scripts)}<meta name='viewport' content='width=device-width, initial-scale=1'>"
        f"<meta name='color-scheme' content='light dark'><title>{in_html(title)}</title><style>:root{{color-scheme:light dark}}{own}{style()}</style></head>"
        f"<body><figure>{inner}{about}</figure>{behind}</body></html>\n"
    )


def in_notebook(title: str, inner: str, caption: str, rows: int) -> str:
    """A page inside a notebook cell, in its own frame, so that styles and scripts are separate."""
    return (
        f'<iframe srcdoc="{as_attribute(page(title, inner, caption, asks=are_shared()))}" title="{in_html(title)}" '
        f'style="width:100%;height:{rows * PANEL_HEIGHT + FRAME_HEIGHT}px;border:0" sandbox="allow-scripts allow-downloads"></iframe>'
    )


# ---------------------------------------------------------------------------------------------------------- data


def data(figure: Figure) -> dict[str, Any]:
    """A figure for the script: labels as HTML, numbers as base64 of 64-bit floats, each array once."""
    arrays: dict[bytes, int] = {}
    panels = [_panel(p, arrays) for p in figure.panels]
    return {
        "title": figure.title,
        "shares": figure.shares_x and not figure.is_wide,
        "wide": figure.is_wide,
        "panels": panels,
        "arrays": [base64.b64encode(raw).decode() for raw in arrays],
    }


def _panel(p: Panel, arrays: dict[bytes, int]) -> dict[str, Any]:
    x_name, x_unit = _name_and_unit(p.x_label)
    y_name, y_unit = _name_and_unit(p.y_label)
    return {
        "x": label_html(p.x_label), "xText": p.x_label, "xName": label_html(x_name), "xUnit": x_unit, "xLog": p.x_scale == "log", "xRange": p.x_range,
        "y": label_html(p.y_label), "yText": p.y_label, "yName": label_html(y_name), "yUnit": y_unit, "yLog": p.y_scale == "log", "yRange": p.y_range,
        "equal": p.is_equal, "zero": p.zero_lines, "bands": [list(b) for b in p.bands], "isTime": x_name in ("time", "t"),
        "notes": [{"x": float(n.x), "y": None if n.y is None else float(n.y), "text": n.text, "side": n.side} for n in p.notes],
        "curves": [_curve(c, k, arrays) for k, c in enumerate(p.curves)],
    }  # fmt: skip


def _curve(c: Curve, k: int, arrays: dict[bytes, int]) -> dict[str, Any]:
    colour = drawing.COLOURS[(k if c.group is None else c.group) % len(drawing.COLOURS)]
    x, y = np.broadcast_arrays(np.asarray(c.x, dtype=np.float64), np.asarray(c.y, dtype=np.float64))
    return {
        "label": label_html(c.label), "text": c.label, "kind": c.kind, "mark": c.mark, "colour": colour, "faint": c.is_faint,
        "x": _index(x, arrays), "y": _index(y, arrays),
    }  # fmt: skip


def _index(values: Array, arrays: dict[bytes, int]) -> int:
    return arrays.setdefault(np.ascontiguousarray(values, dtype="<f8").tobytes(), len(arrays))


def _name_and_unit(label: str) -> tuple[str, str]:
    found = re.fullmatch(r"(.*) \[(.*)\]", label)
    return (found[1], found[2]) if found else (label, "")


def label_html(label: str) -> str:
    """A label as HTML, its symbols and formulas as mathematics writes them: delta_dot, q1, l*sin(theta)."""
    parts = re.split(r"(?<!\\)\$", drawing.typeset(label))
    texts = [_formula_html(p) if k % 2 else in_html(p.replace(r"\$", "$")) for k, p in enumerate(parts)]
    return "".join(texts)


def _formula_html(formula: str) -> str:
    out = []
    for dots, dotted, word, below, above, single in TOKEN.findall(formula):
        if dots:
            out.append(f"<i>{_letter(dotted)}{DOTS[dots]}</i>")
        elif word:
            out.append(f"<i>{LETTERS[word]}</i>" if word in LETTERS else in_html(word))
        elif below or above:
            out.append(f"<sub>{in_html(below)}</sub>" if below else f"<sup>{in_html(above)}</sup>")
        elif single.isalpha():
            out.append(f"<i>{in_html(single)}</i>")
        else:
            out.append(in_html(single) if single else "\u2009")
    return "".join(out)


def _letter(text: str) -> str:
    return LETTERS.get(text.removeprefix("\\").strip(), in_html(text))

"""Small figures of results as SVG: curves or points in one pair of axes, a few kilobytes, drawn in a millisecond.

They show at a glance what a result holds; `plot` makes figures with all labels and units.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from .escaping import in_html

WIDTH, HEIGHT = 460, 190
LEFT, RIGHT, TOP, BOTTOM = 56, 110, 10, 34
COLOURS: Final = ("#1f77b4", "#d9600f", "#2c8c3c", "#9353b0", "#8a6d3b", "#c2307e")
MOST_POINTS: Final = 240  # of a curve
MOST_NAME: Final = 14  # characters of a name in the legend


@dataclass(frozen=True)
class SmallCurve:
    """A curve, or points where `are_points`."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    are_points: bool = False


def small_figure(curves: Sequence[SmallCurve], x_label: str = "", y_label: str = "") -> str:
    """Curves in one pair of axes; where they have names, the first six with a legend, else all."""
    drawable = [c for c in curves if _finite_points(c)]
    shown = [c for k, c in enumerate(drawable) if k < len(COLOURS) or not c.name]
    if not shown:
        return ""
    points = [_finite_points(c) for c in shown]
    across = _axis([x for p in points for x, _ in p], LEFT, WIDTH - RIGHT)
    up = _axis([y for p in points for _, y in p], HEIGHT - BOTTOM, TOP)
    marks = [
        _grid(across, up),
        *(_curve(c, p, k, across, up) for k, (c, p) in enumerate(zip(shown, points, strict=True))),
    ]
    legend = [_name(c.name, k) for k, c in enumerate(shown) if c.name]
    more = [_text(WIDTH - RIGHT + 12, TOP + 10 + 16 * len(shown), f"and {len(curves) - len(shown)} more")]
    titles = [
        _text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 3, x_label, "middle"),
        f"<g transform='rotate(-90 11 {HEIGHT / 2:g})'>{_text(11, HEIGHT / 2, y_label, 'middle')}</g>"
        if y_label
        else "",
    ]
    inner = "".join([*marks, *legend, *(more if legend and len(curves) > len(shown) else []), *titles])
    what = in_html(f"{y_label or ', '.join(c.name for c in shown)} over {x_label}")
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {HEIGHT}' width='{WIDTH}' role='img' "
        f"aria-label='{what}' font-family='sans-serif' font-size='11' fill='currentColor'>{inner}</svg>"
    )


def _finite_points(c: SmallCurve) -> list[tuple[float, float]]:
    """Points of a curve that are numbers, at most as many as can be seen; first and last among them."""
    both = [(float(x), float(y)) for x, y in zip(c.x, c.y, strict=True)]
    found = [p for p in both if math.isfinite(p[0]) and math.isfinite(p[1])]
    if len(found) <= MOST_POINTS:
        return found
    return [found[round(k * (len(found) - 1) / (MOST_POINTS - 1))] for k in range(MOST_POINTS)]


@dataclass(frozen=True)
class _Axis:
    low: float
    high: float
    start: float
    end: float
    ticks: tuple[float, ...]

    def at(self, value: float) -> float:
        return self.start + (self.end - self.start) * (value - self.low) / (self.high - self.low)


def _axis(values: Sequence[float], start: float, end: float) -> _Axis:
    low, high = min(values), max(values)
    span = high - low
    if span <= 1e-9 * max(abs(low), abs(high)) or not math.isfinite(span):
        middle = low if math.isfinite(span) else 0.0
        low, high = middle - max(0.5 * abs(middle), 1e-3), middle + max(0.5 * abs(middle), 1e-3)
    else:
        low, high = low - 0.04 * span, high + 0.04 * span
    rough = (high - low) / (4 if abs(end - start) > 200 else 3)
    size = 10.0 ** math.floor(math.log10(rough))
    step = next(k * size for k in (1, 2, 5, 10) if k * size >= rough)
    first = math.ceil(low / step)
    return _Axis(low, high, start, end, tuple(k * step for k in range(first, math.floor(high / step) + 1)))


def _grid(across: _Axis, up: _Axis) -> str:
    frame = (
        f"<rect x='{LEFT}' y='{TOP}' width='{WIDTH - RIGHT - LEFT}' height='{HEIGHT - BOTTOM - TOP}' fill='none' "
        "stroke='currentColor' stroke-opacity='.45'/>"
    )
    lines = [f"M{across.at(v):z.1f} {TOP}V{HEIGHT - BOTTOM}" for v in across.ticks]
    lines += [f"M{LEFT} {up.at(v):z.1f}H{WIDTH - RIGHT}" for v in up.ticks]
    numbers = [_text(across.at(v), HEIGHT - BOTTOM + 13, f"{v:z.4g}", "middle") for v in across.ticks]
    numbers += [_text(LEFT - 5, up.at(v) + 4, f"{v:z.4g}", "end") for v in up.ticks]
    return f"{frame}<path d='{''.join(lines)}' stroke='currentColor' stroke-opacity='.13'/>{''.join(numbers)}"


def _curve(c: SmallCurve, points: Sequence[tuple[float, float]], k: int, across: _Axis, up: _Axis) -> str:
    places = [(across.at(x), up.at(y)) for x, y in points]
    if c.are_points:
        dots = "".join(f"M{x:z.1f} {y:z.1f}h0" for x, y in places)
        return f"<path d='{dots}' stroke='{COLOURS[k % len(COLOURS)]}' stroke-width='3' stroke-linecap='round'/>"
    line = " ".join(f"{x:z.1f},{y:z.1f}" for x, y in places)
    return f"<polyline points='{line}' fill='none' stroke='{COLOURS[k % len(COLOURS)]}' stroke-width='1.6'/>"


def _name(name: str, k: int) -> str:
    shown = name if len(name) <= MOST_NAME else name[: MOST_NAME - 1] + "…"
    y = TOP + 10 + 16 * k
    stroke = f"<path d='M{WIDTH - RIGHT + 10} {y - 4}h14' stroke='{COLOURS[k % len(COLOURS)]}' stroke-width='2.5'/>"
    return stroke + _text(WIDTH - RIGHT + 28, y, shown)


def _text(x: float, y: float, text: str, anchor: str = "start") -> str:
    return f"<text x='{x:z.1f}' y='{y:z.1f}' text-anchor='{anchor}'>{in_html(text)}</text>" if text else ""

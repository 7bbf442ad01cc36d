"""Ratios as a figure: a bar for each row, on a logarithmic scale, to the right where we are faster and to the left where the
peer is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import Final

BARS: Final = 270  # for the longest bar and its number
LEAST: Final = 0.75  # of its width, at which words are still readable: narrower screens scroll
LABEL: Final = 48  # between labels of the axis
LETTER: Final = 6.3  # of the words at the left
ROW: Final = 22
FASTER, SLOWER = "#2f6fb5", "#d97706"


def bars(rows: Sequence[tuple[str, float]], title: str) -> str:
    """A figure with a bar for each row of words and ratio."""
    decades = [math.log10(ratio) for _, ratio in rows]
    low, high = min(0, *map(math.floor, decades)), max(1, *map(math.ceil, decades))
    labels = 12 + LETTER * max(len(_cut(words)) for words, _ in rows)
    width, height = labels + BARS, ROW * len(rows) + 34

    def x(decade: float) -> float:
        return labels + (BARS - 60) * (decade - low) / (high - low)

    step = 1 if (BARS - 60) / (high - low) > LABEL else 2
    parts = [
        f'<line x1="{x(k):.1f}" x2="{x(k):.1f}" y1="4" y2="{height - 24}" stroke="currentColor" '
        f'stroke-opacity="{0.7 if k == 0 else 0.15}"/>'
        f'<text x="{x(k):.1f}" y="{height - 8}" text-anchor="middle" fill-opacity=".7">{_times(k) if k % step == 0 else ""}</text>'
        for k in range(low, high + 1)
    ]
    for k, ((words, ratio), decade) in enumerate(zip(rows, decades, strict=True)):
        y, left, right = 6 + ROW * k, x(min(0, decade)), x(max(0, decade))
        parts.append(
            f'<text x="{labels - 8:.0f}" y="{y + 13}" text-anchor="end">{escape(_cut(words))}</text>'
            f'<rect x="{left:.1f}" y="{y + 2}" width="{max(right - left, 1):.1f}" height="{ROW - 7}" rx="2" '
            f'fill="{FASTER if ratio >= 1 else SLOWER}"/>'
            f'<text x="{right + 5:.1f}" y="{y + 13}" fill-opacity=".85">{ratio:.3g}</text>'
        )
    return (
        f'<div class="bars"><svg style="max-width:{1.25 * width:.0f}px;min-width:{LEAST * width:.0f}px" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" role="img" '
        f'aria-label="{escape(title)}" fill="currentColor" font-size="12" font-family="sans-serif">{"".join(parts)}</svg></div>'
    )


def _times(decade: int) -> str:
    return f"{10**decade}×" if decade >= 0 else f"1/{10**-decade}"


def _cut(words: str, longest: int = 54) -> str:
    return words if len(words) <= longest else words[: longest - 1].rstrip(" ,") + "…"

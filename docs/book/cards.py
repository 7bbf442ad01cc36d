"""Cards of the gallery: a still of a scene, drawn large. Scenes leave room for the whole motion; a card shows one instant, so that
it is cut to the mechanism at that instant, and lines that would be hairs are drawn thicker.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

WIDTH, HEIGHT = 480, 300
MARGIN: Final = 0.12  # of the size of what is shown, on each side
LARGEST: Final = 4.0  # times that a mechanism is drawn larger
SMALLER: Final = 1.1  # times that it may be drawn smaller
LARGEST_PATHS: Final = 1.8  # times the width of the bodies: paths of points that are shown whole
THINNEST: Final = 1 / 90  # of the width of the card, lines of bodies
_PATH: Final = re.compile(r'<path d="([^"]*)"([^>]*)/>')
_POINT: Final = re.compile(r"(-?[\d.]+) (-?[\d.]+)")
_STROKE: Final = re.compile(r'stroke-width="([\d.]+)"')


def framed(svg: str) -> str:
    """A still, cut to the bodies in it, and to the paths of points where these are not much larger. The grid does not count."""
    bodies, all_lines = _Box.around(svg, r'opacity="'), _Box.around(svg, r'opacity="0\.8"')
    if not bodies or not all_lines:
        return svg
    box = all_lines if all_lines.width <= LARGEST_PATHS * bodies.width else bodies
    cut = re.sub(r'viewBox="[^"]*"', f'viewBox="{box}"', svg, count=1)
    return _PATH.sub(lambda m: _thicker(m, box.width * THINNEST), cut)


@dataclass(frozen=True)
class _Box:
    """A part of a picture in the proportions of a card, by its middle and its width."""

    x: float
    y: float
    width: float

    @classmethod
    def around(cls, svg: str, faint: str) -> _Box | None:
        """All paths inside the picture but those whose attributes match a pattern."""
        paths = (d for d, how in _PATH.findall(svg) if not re.search(faint, how))
        points = [_POINT.findall(d) for d in paths]
        xs = [min(max(float(x), 0), WIDTH) for d in points for x, _ in d]
        ys = [min(max(float(y), 0), HEIGHT) for d in points for _, y in d]
        if not xs:
            return None
        size = (1 + 2 * MARGIN) * max(max(xs) - min(xs), (max(ys) - min(ys)) * WIDTH / HEIGHT)
        return cls((max(xs) + min(xs)) / 2, (max(ys) + min(ys)) / 2, min(max(size, WIDTH / LARGEST), SMALLER * WIDTH))

    def __str__(self) -> str:
        height = self.width * HEIGHT / WIDTH
        return f"{self.x - self.width / 2:.1f} {self.y - height / 2:.1f} {self.width:.1f} {height:.1f}"


def _thicker(path: re.Match[str], least: float) -> str:
    stroke = _STROKE.search(path[0])
    if not stroke or "opacity" in path[2] or float(stroke[1]) >= least:
        return path[0]
    return path[0].replace(stroke[0], f'stroke-width="{least:.1f}"')

"""From a motion to a picture: a scene as plain data, a page that shows it, films and files for other viewers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..later import offer

if TYPE_CHECKING:
    from .diagrams.diagram import Diagram, ForceArrow
    from .diagrams.free_body import free_body
    from .diagrams.sketch import sketch
    from .figures.figure import Curve, Figure, FigureGrid, Panel, side_by_side
    from .figures.plots import plot
    from .scenes.scene import Scene, scene
    from .scenes.scene_items import Solid

__all__ = [  # noqa: RUF022  (in order of flow)
    "Curve", "Panel", "Figure", "FigureGrid", "plot", "side_by_side", "Scene", "scene", "Solid", "Diagram",
    "ForceArrow", "free_body", "sketch",
]  # fmt: skip

offer(__name__)

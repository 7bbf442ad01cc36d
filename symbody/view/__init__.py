"""Figures and 3-D scenes of motions as plain data, pages that show them, films, and files for other viewers."""

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
    from .scenes.shared_viewer import SharedViewer, share_viewer

__all__ = [  # noqa: RUF022  (in order of flow)
    "Curve", "Panel", "Figure", "FigureGrid", "plot", "side_by_side", "Scene", "scene", "Solid", "Diagram",
    "ForceArrow", "free_body", "sketch", "SharedViewer", "share_viewer",
]  # fmt: skip

offer(__name__)

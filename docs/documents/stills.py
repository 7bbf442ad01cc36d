"""Stills of a scene at several times, in rows, as a printed animation has them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symbody.view import Scene


@dataclass(frozen=True)
class Stills:
    """Pictures of a scene at some times; `columns` of them in a row.

    scene, times   what is drawn, and when
    caption        below all of them
    """

    scene: Scene
    times: Sequence[float]
    caption: str = ""
    columns: int = 2
    width: int = 480
    height: int = 360

    def __repr__(self) -> str:
        return f"<Stills of {self.scene.name} at t = {', '.join(f'{t:g}' for t in self.times)} s>"

    def _repr_html_(self) -> str:
        return (
            f'<figure class="stills"><div style="display:grid;grid-template-columns:repeat({self.columns},1fr);gap:0.5em">'
            + "".join(self._still(t) for t in self.times)
            + f"</div><figcaption>{self.caption}</figcaption></figure>"
        )

    def _still(self, t: float) -> str:
        return f"<div>{self.scene.svg(t, self.width, self.height)}<p>t = {t:g} s</p></div>"

"""`share_viewer`: one cell of a notebook has the scripts of all its scenes and figures."""

from __future__ import annotations

from ...argument_kinds import checked_flags, checked_flags_of_class
from ...errors import ViewError
from ...escaping import as_attribute
from ..figures import interactive
from ..figures.shared_scripts import ANSWERS, share_scripts, stored_text
from . import viewer

SAYS = "Viewer of the scenes and plots below."


@checked_flags_of_class(ViewError)
class SharedViewer:
    """The viewer of the scenes and plots in a notebook: show it in a cell, and keep that cell.

    >>> sb.view.share_viewer(False)
    <scenes and plots contain their viewer>

    See also: `view.share_viewer`.
    """

    def __init__(self, is_shared: bool) -> None:
        self._is_shared = is_shared

    def __repr__(self) -> str:
        return "<viewer of scenes and plots>" if self._is_shared else "<scenes and plots contain their viewer>"

    def _repr_html_(self) -> str:
        if not self._is_shared:
            return "Scenes and plots contain their viewer again."
        inside = (
            '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark">'
            f"{interactive.content_policy([ANSWERS])}<title>viewer</title></head>"
            f'<body style="margin:0;font:14px sans-serif">{SAYS}{stored_text(viewer.script())}{stored_text(interactive.script())}'
            f"<script>{ANSWERS}</script></body></html>"
        )
        return (
            f'<iframe srcdoc="{as_attribute(inside)}" title="viewer" style="width:100%;height:1.6em;border:0" '
            'sandbox="allow-scripts"></iframe>'
        )


@checked_flags(ViewError)
def share_viewer(shared: bool = True) -> SharedViewer:
    """Let the scenes and plots of a notebook share one viewer. Call it in the last line of a cell near the top: its
    output is the viewer. Each scene is then 60 kB shorter, and each plot 30 kB.

    Scenes and plots shown afterwards load the viewer from that cell when the notebook is opened, also after an export
    to HTML. If the cell is missing, they are static pictures with a note. Without this call every scene and plot
    contains its own viewer.

    shared   False: cells contain their viewer again

    >>> m = sb.Model("pendulum")
    >>> joint = m.revolute("theta", m.ground, m.body("bob", mass=1.0, com=(0, -1, 0)))
    >>> picture = sb.scene(sb.derive(m), theta=0.5)
    >>> alone = len(picture._repr_html_())
    >>> sb.view.share_viewer()
    <viewer of scenes and plots>
    >>> alone - len(picture._repr_html_()) > 50_000
    True
    >>> shared = sb.view.share_viewer(False)

    See also: `scene`, `plot`.
    """
    share_scripts(shared)
    return SharedViewer(shared)

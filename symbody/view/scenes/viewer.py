"""The page that shows a scene: one self-contained piece of HTML without network access.

The renderer is `viewer.js` (WebGL 2, no third-party code; reasons are in docs/why). The page also contains a still as
SVG for browsers without WebGL or scripts.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ...escaping import as_attribute, as_script_data, in_html
from ..figures.interactive import content_policy
from ..figures.shared_scripts import are_shared, asking, asking_script
from .encoded_arrays import base64_array, short, shorts
from .equal_items import frames_together, moving_frames, solid_data, solids_with_copies
from .picture import coil, svg
from .scene_items import COLOUR_RAMP, GROUPS, PALETTE, End, Instances, Mesh, Surface
from .solids import profile, ratio_of

if TYPE_CHECKING:
    from .scene import Scene

MOST_DRAWN: Final = 3000  # solids in a still picture
COARSE_STEPS: Final = 7  # along the profile of a ball of which there are very many


def data(scene: Scene) -> dict[str, Any]:
    """A scene as JSON: numbers and names; arrays as base64 of 32-bit floats (or indices), with their shape.
    Of many frames, `many` has the motion, and equal solids are one with `copies`."""
    camera = scene.camera
    moving, others = moving_frames(scene.frames, len(scene.t))
    if moving:
        solids = solids_with_copies(scene.solids, moving, scene.size)
    else:
        solids = [{**solid_data(s), "frame": s.frame, "name": s.name} for s in scene.solids]
    return {
        "version": 1,
        "name": scene.name,
        "t": base64_array(scene.t - scene.t[0]),
        "begin": float(scene.t[0]),
        "levels": list(scene.levels),
        "frequency": scene.frequency,
        "size": short(scene.size),
        "shown": list(scene.shown),
        "groups": list(GROUPS),
        "palette": {k: list(v) for k, v in PALETTE.items()},
        "profiles": _profiles(scene),
        "coil": base64_array(coil()),
        "frames": [{"name": f.name, "p": base64_array(f.position), "e": base64_array(f.rotation)} for f in others],
        **({"many": frames_together(moving)} if moving else {}),
        "solids": solids,
        "spans": [
            {"kind": s.kind, "a": _end(s.start), "b": _end(s.end), "radius": short(s.radius), "colour": s.colour, "group": s.group}
            for s in scene.spans
        ],
        "traces": [{"at": _end(x.at), "colour": x.colour, "name": x.name} for x in scene.traces],
        "labels": [{"text": x.text, "at": _end(x.at)} for x in scene.labels],
        "arrows": [
            {"name": a.name, "kind": a.kind, "colour": a.colour, "at": base64_array(a.at), "v": base64_array(a.vector)}
            for a in scene.arrows
        ],
        "meshes": {k: _mesh(m) for k, m in scene.meshes.items()},
        "instances": [_instances(x) for x in scene.instances],
        "ramp": list(COLOUR_RAMP),
        "surfaces": [_surface(s) for s in scene.surfaces],
        "camera": {
            "target": shorts(camera.target), "direction": shorts(camera.direction), "up": shorts(camera.up),
            "radius": short(camera.radius), "fit": shorts(camera.fit), "follows": camera.follows,
        },
        "floor": None if scene.floor is None else {"height": short(scene.floor.height), "spacing": scene.floor.spacing},
        "centre": base64_array(scene.centre),
    }  # fmt: skip


def _profiles(scene: Scene) -> dict[str, Any]:
    """Profiles of the solids of revolution in the scene; a torus by the ratio of its tube."""
    ratios = sorted({ratio_of(s) for s in scene.solids if s.kind == "torus"})
    kinds = {k: profile(k) for k in ("cylinder", "cone", "sphere")} | {
        f"torus {r:g}": profile("torus", r) for r in ratios
    }
    if scene.instances:
        kinds["coarse ball"] = profile("sphere", steps=COARSE_STEPS)
    return {k: [[[round(x, 5) for x in point] for point in piece] for piece in pieces] for k, pieces in kinds.items()}


def _mesh(m: Mesh) -> dict[str, Any]:
    """Vertices as parts of 65535 of the box around them, normals as parts of 127: quantisation that cannot be seen; the
    page is a third as long."""
    low, high = m.vertices.min(axis=0), m.vertices.max(axis=0)
    size = np.where(high > low, high - low, 1.0)
    small = np.uint16 if len(m.vertices) < 65536 else np.uint32
    return {
        "low": shorts(low),
        "size": shorts(size),
        "v": base64_array(np.round((m.vertices - low) / size * 65535), np.uint16),
        "n": base64_array(np.round(m.normals * 127), np.int8),
        "i": base64_array(m.triangles, small),
        "bits": 8 * np.dtype(small).itemsize,
    }


def _instances(x: Instances) -> dict[str, Any]:
    """Places as parts of 65535 of the box around all of them, Euler parameters as parts of 32767."""
    low, high = x.position.min(axis=(0, 1)), x.position.max(axis=(0, 1))
    size = np.where(high > low, high - low, 1.0)
    s = x.solid
    return {
        "kind": s.kind, "size": shorts(s.size), "colour": s.colour, "group": s.group, "mesh": s.mesh,
        "low": shorts(low), "box": shorts(size), "count": len(x), "p": base64_array(np.round((x.position - low) / size * 65535), np.uint16),
        **({} if x.rotation is None else {"e": base64_array(np.round(x.rotation * 32767), np.int16)}),
    }  # fmt: skip


def _surface(s: Surface) -> dict[str, Any]:
    """A mesh with shifts for each coordinate (and stresses, where these are painted) as parts of 32767 of the largest
    one."""
    out = {
        "name": s.name, "frame": s.frame, "colour": s.colour, "group": s.group, "paint": s.paint, "largest": short(s.largest),
        "mesh": _mesh(s.mesh), "w": base64_array(s.weights), "shifts": _by_mode(s.shifts),
    }  # fmt: skip
    return out if s.stress is None else {**out, "stress": _by_mode(s.stress)}


def _by_mode(values: Any) -> dict[str, Any]:
    largest = np.maximum(np.abs(values).reshape(len(values), -1).max(axis=1), 1e-300)
    return {
        "largest": [float(f"{x:z.8e}") for x in largest],
        "parts": base64_array(np.round(values / largest[:, None, None] * 32767), np.int16),
    }


def _end(e: End) -> dict[str, Any]:
    return {"frame": e.frame, "p": shorts(e.point)}


# ---------------------------------------------------------------------------------------------------------- HTML


@lru_cache(maxsize=2)
def _asset(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def style() -> str:
    """Text of the viewer's style."""
    return _asset("viewer.css")


def script() -> str:
    """Text of the viewer's script."""
    return _asset("viewer.js")


def assets() -> str:
    """Style and script of the viewer, for the head of a page with several scenes."""
    return f"<style>{style()}</style>\n<script>{script()}</script>"


def fragment(scene: Scene, *, assets: bool = True, height: str = "26rem", autoplay: bool = True) -> str:
    """A scene as a part of a page. `data-theme` of the page's root element decides dark or light; else the reader's
    system does."""
    still = svg(_drawn_still(scene), _moment(scene), 960, 560)
    before = f"<style>{style()}</style>" if assets else ""
    behind = f"<script>{script()}</script>" if assets else ""
    play = "" if autoplay else ' data-autoplay="no"'
    return (
        f'{before}<section class="sbv" style="--sbv-height:{in_html(height)}"{play} '
        f'aria-label="{in_html(f"3-D view of {scene.name}")}">'
        f'<div class="sbv-still">{still}</div>'
        f'<noscript><p class="sbv-note">Turning and playing needs JavaScript; this is a still picture.</p></noscript>'
        f'<script type="application/json" class="sbv-data">{as_script_data(data(scene))}</script></section>{behind}'
    )


def _drawn_still(scene: Scene) -> Scene:
    """The scene with so many solids as a still picture shows: it has kilobytes of text for each."""
    drawn = [s for s in scene.solids if s.group in scene.shown]
    step = -(-len(drawn) // MOST_DRAWN)
    return scene if step <= 1 else replace(scene, solids=tuple(drawn[::step]))


def _moment(scene: Scene) -> float:
    """The time of the still picture: within the motion, away from its start."""
    return float(scene.t[len(scene.t) // 4])


def page(scene: Scene, *, asks: bool = False) -> str:
    """A complete page; with a shared viewer it contains everything except the script."""
    title, scripts = in_html(scene.name), [script(), *([asking_script()] if asks else [])]
    body = fragment(scene, assets=not asks, height="100dvh")
    body = f"<style>{style()}</style>{body}{asking(script())}" if asks else body
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">'
        f"{content_policy(scripts)}"
        f'<title>{title}</title></head><body class="sbv-page">{body}</body></html>\n'
    )


def in_notebook(scene: Scene, height: int = 480) -> str:
    """A page inside a notebook cell: in its own frame, so that styles and scripts are separate."""
    inside = as_attribute(page(scene, asks=are_shared()))
    title = in_html(f"3-D view of {scene.name}")
    return (
        f'<iframe srcdoc="{inside}" title="{title}" style="width:100%;height:{height}px;border:0" '
        'sandbox="allow-scripts allow-downloads" allow="fullscreen"></iframe>'
    )

"""A scene at one time as flat polygons, from back to front, from which stills and films are drawn without a graphics
card."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

from ...emit.run.callable import Array
from ...errors import ViewError, unknown
from ...escaping import in_html
from ...rotation_arrays import rotation_matrix
from .deformed_surfaces import coarse, painted_values, places, ramp, weights_at
from .poses import interpolated_rotation
from .scene_items import FIELD_OF_VIEW, GROUND, PALETTE, End, Instances, Mesh, Solid, Surface
from .solids import profile, ratio_of, reach_of, scale_of, unit_mesh

if TYPE_CHECKING:
    from .scene import Scene

# direction of the light: to the right, to the eye, up
LIGHT_DIRECTION: Final = np.array([0.35, 0.25, 0.9]) / np.linalg.norm([0.35, 0.25, 0.9])
# colours of page, grid and text by theme
PAGE_COLOURS: Final = {"light": ("#ffffff", "#d5dae1", "#1d232b"), "dark": ("#14181e", "#353d48", "#e6e9ee")}
SEGMENTS: Final = {False: 14, True: 24}  # number of segments around a solid of revolution: in stills, in films
MOST_SOLIDS: Final = 1000  # equal solids that stills draw with their faces
MIN_AREA: Final = 4.0  # smallest area of a triangle drawn in stills, in square pixels
LARGE_RADIUS: Final = 12.0  # radius in pixels from which a ball needs more segments
CYLINDER_PARTS: Final = 4  # number of parts of a cylinder along its axis
COIL_TURNS: Final = 9  # number of turns of a spring
LONGEST_ARROW: Final = 0.3  # of the size of a scene, as in the viewer
NO_ARROW: Final = 0.01  # of the longest: shorter ones are not drawn
ARROW_WIDTH, ARROW_HEAD = 2.5, 12.0  # in pixels


@dataclass(frozen=True)
class Patch:
    """A polygon; with two corners, or with more and a width, a line."""

    depth: float
    points: Array
    colour: str
    width: float = 0.0
    opacity: float = 1.0


@dataclass(frozen=True)
class PictureText:
    place: tuple[float, float]
    text: str


@dataclass(frozen=True)
class Picture:
    width: int
    height: int
    theme: str
    patches: list[Patch]
    texts: list[PictureText] = field(default_factory=list)


def frames_at(scene: Scene, t: float, level: int = -1) -> dict[str, tuple[Array, Array]]:
    """Rotation and position of every frame at a time, between samples at constant rates."""
    k, s = _between_samples(scene.t, t)
    out: dict[str, tuple[Array, Array]] = {GROUND: (np.eye(3), np.zeros(3))}
    for f in scene.frames:
        r, e = f.position[level], f.rotation[level]
        i, j = min(k, len(r) - 1), min(k + 1, len(r) - 1)
        out[f.name] = rotation_matrix(interpolated_rotation(e[i], s, e[j])), (1 - s) * r[i] + s * r[j]
    return out


def _between_samples(times: Array, t: float) -> tuple[int, float]:
    if len(times) == 1:
        return 0, 0.0
    k = int(np.clip(np.searchsorted(times, t, side="right") - 1, 0, len(times) - 2))
    return k, float(np.clip((t - times[k]) / (times[k + 1] - times[k]), 0.0, 1.0))


class Projection:
    """The projection: x to the right and y down in pixels, depth from the eye."""

    def __init__(self, scene: Scene, t: float, width: int, height: int) -> None:
        c = scene.camera
        self.target, self.back, up = np.array(c.target), np.array(c.direction), np.array(c.up)
        if c.follows:
            k, s = _between_samples(scene.t, t)
            at = (1 - s) * scene.centre[k] + s * scene.centre[min(k + 1, len(scene.centre) - 1)]
            self.target = self.target + at - scene.centre[0]
        right = np.cross(up, self.back)
        self.right = right / np.linalg.norm(right)
        self.up = np.cross(self.back, self.right)
        self.distance = max(c.fit[1], c.fit[0] * height / width)
        self.eye = self.target + self.distance * self.back
        self.scale = height / 2 / math.tan(FIELD_OF_VIEW / 2)
        self.middle = np.array([width / 2, height / 2])
        self.light = LIGHT_DIRECTION[0] * self.right + LIGHT_DIRECTION[1] * self.back + LIGHT_DIRECTION[2] * up
        self.light /= np.linalg.norm(self.light)

    def __call__(self, places: Array) -> tuple[Array, Array]:
        """Pixels (n, 2) and depths (n) of places in the ground."""
        d = places - self.eye
        depth = np.maximum(-(d @ self.back), 1e-3 * self.distance)
        flat = np.stack([d @ self.right, -(d @ self.up)], axis=-1) / depth[..., None]
        return flat * self.scale + self.middle, depth


def picture(
    scene: Scene, t: float | None = None, width: int = 960, height: int = 600, theme: str = "light", fine: bool = False
) -> Picture:
    """A scene at a time, as patches sorted from far to near."""
    if theme not in PAGE_COLOURS:
        raise unknown("picture of a scene", "theme", str(theme), PAGE_COLOURS, ViewError)
    now = float(scene.t[0]) if t is None else float(t)
    view, frames = Projection(scene, now, width, height), frames_at(scene, now)
    patches: list[Patch] = []
    for s in scene.solids:
        if s.group in scene.shown:
            patches += _solid(s, frames, scene.meshes, view, theme, fine)
    for many in scene.instances:
        if many.solid.group in scene.shown:
            patches += _instances(many, frames, scene, view, (now, theme, fine))
    for surface in scene.surfaces:
        if surface.group in scene.shown:
            patches += _surface(
                surface if fine else coarse(surface), frames, view, theme, _between_samples(scene.t, now)
            )
    patches += _spans(scene, frames, view, theme)
    if "traces" in scene.shown:
        patches += _traces(scene, view, theme)
    if "forces" in scene.shown:
        patches += _arrows(scene, view, theme, _between_samples(scene.t, now))
    patches.sort(key=lambda p: -p.depth)
    grid = _grid(scene, view, theme)
    texts = []
    if "labels" in scene.shown:
        places = np.stack([_place(frames, x.at) for x in scene.labels]) if scene.labels else np.zeros((0, 3))
        texts = [
            PictureText((float(p[0]), float(p[1])), x.text) for p, x in zip(view(places)[0], scene.labels, strict=True)
        ]
    return Picture(width, height, theme, [*grid, *patches], texts)


def colour_of(name: str, theme: str) -> str:
    return PALETTE[name][theme == "dark"] if name in PALETTE else name


def _place(frames: dict[str, tuple[Array, Array]], at: End) -> Array:
    R, r = frames[at.frame]
    return r + R @ np.array(at.point)


# ---------------------------------------------------------------------------------------------------------- solids


def _solid(
    s: Solid,
    frames: dict[str, tuple[Array, Array]],
    meshes: Mapping[str, Mesh],
    view: Projection,
    theme: str,
    fine: bool,
) -> Iterator[Patch]:
    R, r = frames[s.frame]
    A, b = R @ rotation_matrix(s.rotation), r + R @ np.array(s.position)
    base = np.array([int(colour_of(s.colour, theme)[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    if s.kind == "sphere" and not fine and len(set(s.size)) == 1:
        yield from _ball(s, b, view, base)
        return
    scale = np.array(scale_of(s))
    for corners, normals in mesh_faces(meshes[s.mesh]) if s.kind == "mesh" else unit_faces(s.kind, ratio_of(s), fine):
        n = (normals / scale) @ A.T
        n /= np.linalg.norm(n, axis=1, keepdims=True)
        places = (corners * scale) @ A.T + b
        seen = np.einsum("fi,fi->f", n, view.eye - places.mean(axis=1)) > 0
        flat, depth = view(places[seen])
        if s.kind == "mesh" and not fine:  # triangles of a few pixels are left out
            large = _areas(flat) > MIN_AREA
            flat, depth, seen = flat[large], depth[large], np.flatnonzero(seen)[large]
        for points, far, facing in zip(flat, depth.mean(axis=1), n[seen] @ view.light, strict=True):
            yield Patch(float(far), points, _shaded_colour(base, float(facing)), opacity=s.opacity)


def _instances(
    many: Instances,
    frames: dict[str, tuple[Array, Array]],
    scene: Scene,
    view: Projection,
    how: tuple[float, str, bool],
) -> Iterator[Patch]:
    """Each as a solid; in stills of very many a disc for each."""
    now, theme, fine = how
    solids = many.solids_at(*_between_samples(scene.t, now))
    if fine or len(solids) <= MOST_SOLIDS:
        for s in solids:
            yield from _solid(s, frames, scene.meshes, view, theme, fine)
        return
    radius = reach_of(many.solid, scene.meshes)
    flat, depth = view(np.array([s.position for s in solids]))
    around = np.linspace(0, 2 * math.pi, 11)[:-1]
    circle = np.stack([np.cos(around), np.sin(around)], axis=1)
    base = np.array([int(colour_of(many.solid.colour, theme)[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    for at, far in zip(flat, depth.tolist(), strict=True):
        yield Patch(far, at + radius * view.scale / far * circle, _shaded_colour(base, 0.5))


def _ball(s: Solid, centre: Array, view: Projection, base: Array) -> Iterator[Patch]:
    """A ball as three discs, the inner ones towards the light."""
    flat, depth = view(centre[None])
    r = s.size[0] * view.scale / float(depth[0])
    lit = np.array([view.light @ view.right, -(view.light @ view.up)])
    around = np.linspace(0, 2 * math.pi, 15 if r < LARGE_RADIUS else 49)[:-1]
    circle = np.stack([np.cos(around), np.sin(around)], axis=1)
    for k, (part, shift, shade) in enumerate(((1.0, 0.0, 0.1), (0.72, 0.22, 0.55), (0.4, 0.4, 0.95))):
        at = flat[0] + shift * r * lit
        yield Patch(float(depth[0]) - s.size[0] * (0.5 + 0.01 * k), at + part * r * circle, _shaded_colour(base, shade), opacity=s.opacity)  # fmt: skip


def _surface(
    s: Surface, frames: dict[str, tuple[Array, Array]], view: Projection, theme: str, when: tuple[int, float]
) -> Iterator[Patch]:
    """Both sides of triangles: a shell is seen from each; of a closed surface, near ones cover far ones."""
    R, r = frames[s.frame]
    weights = weights_at(s, *when)
    vertices = places(s, weights) @ R.T + r
    corners = vertices[s.mesh.triangles]
    n = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    size = np.linalg.norm(n, axis=1)
    n = n / np.maximum(size, 1e-300)[:, None]
    towards = np.einsum("fi,fi->f", n, view.eye - corners.mean(axis=1))
    n = n * np.where(towards < 0, -1.0, 1.0)[:, None]
    base = np.array([int(colour_of(s.colour, theme)[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    colours = np.broadcast_to(base, (len(n), 3))
    if s.paint:
        colours = ramp(painted_values(s, weights)[s.mesh.triangles].mean(axis=1) / (s.largest or 1.0))
    flat, depth = view(corners)
    for points, far, facing, colour in zip(flat, depth.mean(axis=1), n @ view.light, colours, strict=True):
        yield Patch(float(far), points, _shaded_colour(colour, float(facing)))


def _shaded_colour(base: Array, facing: float) -> str:
    light = 0.42 + 0.62 * (0.5 + 0.5 * facing)  # half Lambert: sides away from the light keep their form
    shine = 0.08 * max(facing, 0.0) ** 6
    return "#" + "".join(f"{round(255 * min(c * light + shine, 1.0)):02x}" for c in base.tolist())


Faces = tuple[Array, Array]  # corners (faces, corners of each, 3) and normals (faces, 3)


@lru_cache(maxsize=128)
def unit_faces(kind: str, ratio: float, fine: bool) -> list[Faces]:
    """Faces of a unit solid: quadrangles around, one polygon for each flat end."""
    if kind == "box":
        m = unit_mesh("box")
        return [(m.vertices.reshape(6, 4, 3), m.normals[::4])]
    around = SEGMENTS[fine]
    angle = np.arange(around + 1) * 2 * math.pi / around
    ring = np.stack([np.cos(angle), np.sin(angle), np.ones_like(angle)], axis=1)
    middle = np.stack([np.cos(angle + angle[1] / 2), np.sin(angle + angle[1] / 2), np.ones_like(angle)], axis=1)[:-1]
    out = []
    for piece in profile(kind, ratio, around * 2 // 5):
        for (r0, z0, n0, m0), (r1, z1, n1, m1) in itertools.pairwise(piece):
            if z0 == z1 and len(piece) == 2:  # a flat end
                r = max(r0, r1)
                out.append((ring[None, :-1] * [r, r, z0], np.array([[n0, 0.0, m0]])))
                continue
            # long faces could not be sorted by depth
            n, parts = (n0 + n1) / 2, CYLINDER_PARTS if len(piece) == 2 else 1
            for k in range(parts):
                (r, z), (s, w) = ((r0 + (r1 - r0) * i / parts, z0 + (z1 - z0) * i / parts) for i in (k, k + 1))
                low, high = ring * [r, r, z], ring * [s, s, w]
                out.append((np.stack([low[:-1], low[1:], high[1:], high[:-1]], axis=1), middle * [n, n, (m0 + m1) / 2]))
    return out


def _areas(triangles: Array) -> Array:
    a, b = triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
    return np.abs(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]) / 2


def mesh_faces(m: Mesh) -> list[Faces]:
    corners = m.vertices[m.triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    whole = normals.any(axis=1)
    return [(corners[whole], normals[whole])]


# ---------------------------------------------------------------------------------------------------------- lines


def coil(turns: int = COIL_TURNS, steps: int = 12) -> Array:
    """A spring of length one and radius one along z, with straight ends."""
    s = np.linspace(0, 1, turns * steps + 1)
    a = 2 * math.pi * turns * s
    body = np.stack([np.cos(a), np.sin(a), 0.1 + 0.8 * s], axis=1)
    return np.concatenate([[[0, 0, 0], [0, 0, 0.1]], body, [[0, 0, 0.9], [0, 0, 1]]])


def _spans(scene: Scene, frames: dict[str, tuple[Array, Array]], view: Projection, theme: str) -> Iterator[Patch]:
    for s in scene.spans:
        if s.group not in scene.shown:
            continue
        a, b = _place(frames, s.start), _place(frames, s.end)
        way = b - a
        length = float(np.linalg.norm(way))
        if s.kind == "spring" and length > 0:
            z = way / length
            x = np.cross(z, [1.0, 0, 0] if abs(z[0]) < 0.9 else [0, 1.0, 0])
            x /= np.linalg.norm(x)
            places = a + coil() @ np.stack([s.radius * x, s.radius * np.cross(z, x), way])
        else:
            places = np.stack([a, b])
        flat, depth = view(places)
        wide = 0.3 * s.radius if s.kind == "spring" else 2 * s.radius
        width = max(1.2, wide * view.scale / float(depth.mean()))
        yield Patch(float(depth.mean()), flat, colour_of(s.colour, theme), width)


def _traces(scene: Scene, view: Projection, theme: str) -> Iterator[Patch]:
    tracks = {f.name: f for f in scene.frames}
    for trace in scene.traces:
        if trace.at.frame not in tracks:
            continue
        f = tracks[trace.at.frame]
        R = rotation_matrix(f.rotation[-1])
        flat, depth = view(f.position[-1] + R @ np.array(trace.at.point))
        yield Patch(float(depth.max()), flat, colour_of(trace.colour, theme), 1.5, 0.7)


def _arrows(scene: Scene, view: Projection, theme: str, when: tuple[int, float]) -> Iterator[Patch]:
    """Forces, and torques with two heads, each kind on one scale: the longest is a part of the size of the scene."""
    size = LONGEST_ARROW * scene.size
    longest = {
        kind: max(float(np.linalg.norm(a.vector, axis=1).max()) for a in scene.arrows if a.kind == kind)
        for kind in {a.kind for a in scene.arrows}
    }
    for a in scene.arrows:
        at, way = (_value_between(x, *when) for x in (a.at, a.vector * (size / longest[a.kind])))
        if np.linalg.norm(way) >= NO_ARROW * size:
            yield from _arrow(view, at, way, colour_of(a.colour, theme), 2 if a.kind == "torque" else 1)


def _value_between(x: Array, k: int, s: float) -> Array:
    """The value at a share s of the way from frame k of a scene to the next."""
    i, j = min(k, len(x) - 1), min(k + 1, len(x) - 1)
    return np.asarray((1 - s) * x[i] + s * x[j])


def _arrow(view: Projection, at: Array, way: Array, colour: str, heads: int) -> Iterator[Patch]:
    flat, depth = view(np.stack([at, at + way]))
    along, near = flat[1] - flat[0], float(depth.min())
    length = float(np.linalg.norm(along))
    head = min(ARROW_HEAD, 0.6 * length)
    yield Patch(near, flat, colour, ARROW_WIDTH)
    if length > 0:
        back = head * along / length
        side = 0.4 * np.array([-back[1], back[0]])
        for k in range(heads):
            tip = flat[1] - 0.7 * k * back
            yield Patch(near, np.stack([tip, tip - back + side, tip - back - side]), colour)


def _grid(scene: Scene, view: Projection, theme: str) -> Iterator[Patch]:
    """Lines of the floor around the target."""
    if scene.floor is None:
        return
    up = np.array(scene.camera.up)
    x = np.cross(up, [0.0, 1.0, 0.0] if abs(up[1]) < 0.9 else [0.0, 0.0, 1.0])
    y = np.cross(up, x)
    step, n = scene.floor.spacing, 8
    middle = np.round(np.array([view.target @ x, view.target @ y]) / step) * step
    for k in range(-n, n + 1):
        reach = math.sqrt(n * n - k * k) * step
        for a, b, m in ((x, y, middle), (y, x, middle[::-1])):
            base = scene.floor.height * up + (m[0] + k * step) * a + m[1] * b
            if reach:
                flat, depth = view(np.stack([base - reach * b, base + reach * b]))
                yield Patch(float(depth.mean()), flat, PAGE_COLOURS[theme][1], 1.0, 0.8)


# ---------------------------------------------------------------------------------------------------------- SVG


def svg(scene: Scene, t: float | None = None, width: int = 960, height: int = 600, theme: str = "light") -> str:
    """A still as SVG text; without a background, so that it goes on any page."""
    made = picture(scene, t, width, height, theme)
    title = in_html(f"{scene.name}, still picture")
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-label="{title}" '
        'fill="currentColor" stroke="currentColor" stroke-width=".5" stroke-linejoin="round" stroke-linecap="round">'
    ]
    for p in made.patches:
        path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in p.points)
        see = "" if p.opacity == 1 else f' opacity="{p.opacity:g}"'
        how = f'" fill="none" stroke-width="{p.width:.1f}"' if p.width else 'Z"'
        out.append(f'<path d="{path}{how} color="{p.colour}"{see}/>')
    ink = PAGE_COLOURS[theme][2]
    for x in made.texts:
        out.append(
                f'<text x="{x.place[0]:.0f}" y="{x.place[1]:.0f}" font-family="sans-serif" font-size="13" '
                f'stroke="none" color="{ink}">{in_html(x.text)}</text>')  # fmt: skip
    return "".join([*out, "</svg>"])

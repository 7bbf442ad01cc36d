"""Visible items of a mechanism: solids of bodies, springs and strings, traces, and the motion of their frames."""

from __future__ import annotations

import itertools
from array import array
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ...algebra.calculus.evaluate import evaluate
from ...bodies.frames.frames import Frame
from ...bodies.frames.points import Point
from ...bodies.mass.mass import Shape
from ...bodies.mechanism.mechanism import Action, Body
from ...emit.run.callable import Array
from ...errors import ViewError, in_number, shown, unknown
from ...formats.robot.robot import Robot
from ...formats.robot.robot_text import LinkShape
from ...rotation_arrays import euler_parameters, rotation_matrix
from ...study.requests import Drawing, DrawnShape
from .body_shapes import BodyInertia, Painter, appearance_expressions, checked_shapes, link_solids, placed_solids, rod
from .camera import CameraAndFloor
from .deformed_surfaces import deformed_surface
from .glyphs import Support
from .meshes import KINDS, MAX_IN_ALL, found_file, read_mesh, smooth_mesh
from .poses import Placer, continuous_parameters, four, three
from .scene_items import GROUND, End, Mesh, Solid, Span, Surface, Trace, Track, colour_text
from .skeleton import SkeletonFinder


class Appearance:
    """The items of a scene, from the skeleton of a mechanism and the request.

    shapes     by body; or a robot's visuals; or the drawing of a model file
    packages   folders that stand for the beginnings of names of a robot's meshes
    """

    def __init__(
        self, finder: SkeletonFinder, shapes: Any, colours: Mapping[str, str], packages: Mapping[str, str | Path]
    ) -> None:
        self.finder, self.motion, self.skeleton = finder, finder.motion, finder.skeleton()
        self.mechanism, self.bodies = finder.mechanism, finder.bodies
        self.robot = shapes if isinstance(shapes, Robot) else None
        self.drawing = shapes if isinstance(shapes, Drawing) else Drawing()
        self.shapes: Mapping[str, Any] = {} if shapes is None or isinstance(shapes, (Robot, Drawing)) else shapes
        self.packages, self.meshes, self.extra = packages, dict[str, Mesh](), dict[Frame, str]()
        self.missing: dict[str, None] = {}  # meshes that are not shown
        self._notes: list[str] = []
        for given, what in ((self.shapes, "shapes"), (colours, "colours")):
            for name in given:
                if name not in self.bodies:
                    raise unknown(f"scene: {what}", "body", name, self.bodies, ViewError)
        self.values = self.motion.values
        self.numbers = {n: evaluate(list(appearance_expressions(b)), self.values) for n, b in self.bodies.items()}
        inertias = {
            n: BodyInertia(float(v[0]), self.skeleton.centres[n], np.array(v[1:10], dtype=np.float64).reshape(3, 3))
            for n, v in self.numbers.items()
        }
        self.painter = Painter(self.skeleton, inertias, {n: colour_text(c) for n, c in colours.items()})

    # ------------------------------------------------------------------------------------------------ bodies

    def solids(self) -> list[Solid]:
        """Solids of all bodies, and additional drawn shapes."""
        drawn = [s for d in self.drawing.shapes for s in self._solids_of_drawing(d)] + self._link_solids()
        named = {s.frame for s in drawn}
        out = [s for n in self.bodies if n not in named and n not in self.drawing.hide for s in self._body(n)]
        return out + drawn

    def _body(self, name: str) -> list[Solid]:
        shape = self.bodies[name].shape
        if name in self.shapes:
            return [s for g in checked_shapes(name, self.shapes[name]) for s in self._solids_of_shape(name, g)]
        if (
            self.bodies[name].line or self.bodies[name].surface is not None
        ):  # drawn by `surfaces` or `spans`, which deform
            return []
        if shape is not None and shape.surface is not None:
            return self._surface(name, shape.surface)
        if shape is not None:
            numbers = self.numbers[name][10:]
            k = len(shape.size)
            return self.painter.shape(name, shape, [float(x) for x in numbers[:k]], three(numbers[k:]))
        return self.painter.body(name)

    def _solids_of_shape(self, name: str, given: Shape | Solid) -> list[Solid]:
        if isinstance(given, Solid):
            return [replace(given, frame=name, group="bodies", name=name)]
        if given.surface is not None:
            return self._surface(name, given.surface)
        size, centre = evaluate([list(given.size), list(given.centre.entries)], self.values)
        return self.painter.shape(name, given, [float(x) for x in size], three(centre))

    def _surface(self, name: str, corners: array[float]) -> list[Solid]:
        """Triangles, which are in the frame of the body already."""
        key = f"surface of {name} ({len(self.meshes)})"
        self._keep(key, smooth_mesh(corners))
        return [
            replace(s, frame=name, colour=self.painter.colour[name], name=name) for s in placed_solids("mesh", (), key)
        ]

    def _link_solids(self) -> list[Solid]:
        """Visuals of a robot's links; collision shapes where the visuals cannot be shown."""
        out: list[Solid] = []
        for name, frame in {} if self.robot is None else self.robot.links.items():
            assert self.robot is not None
            for shapes in (self.robot.visuals[name], self.robot.collisions[name]):
                owner = self.owner(frame)
                solids = self._link(shapes, owner)
                if solids:
                    out += [replace(self._in_owner_frame(s, frame, owner), name=name) for s in solids]
                    break
        return out

    def _link(self, shapes: Iterable[LinkShape], owner: str) -> list[Solid]:
        colour, out = self.painter.colour.get(owner, "support"), []
        for s in shapes:
            if s.kind != "mesh":
                out += link_solids(s, colour)
            elif (file := found_file(s.file, self.packages)) is not None and file.suffix.lower() in KINDS:
                self._mesh(s.file, file)
                out += link_solids(replace(s, size=s.scale), colour, mesh=s.file)
            else:
                self.missing[s.file] = None
        return out

    @property
    def notes(self) -> list[str]:
        """Notes on requested features that a drawing cannot have."""
        if not self.missing:
            return self._notes
        return [
            *self._notes,
            f"{in_number(map(shown, self.missing), 'mesh {} is', 'meshes {} are')} not shown: files that end in {' or '.join(KINDS)} are opened, in folders "
            'that packages={"package://name/": folder} names',
        ]

    def _mesh(self, name: str, file: Path) -> None:
        if name not in self.meshes:
            self._keep(name, read_mesh(file))

    def _keep(self, name: str, mesh: Mesh) -> None:
        self.meshes[name] = mesh
        if sum(len(m.triangles) for m in self.meshes.values()) > MAX_IN_ALL:
            raise ViewError(f"scene: the meshes up to {name!r} have more than {MAX_IN_ALL} triangles")

    def _solids_of_drawing(self, d: DrawnShape) -> list[Solid]:
        """A shape of a model file, in the body to which its frame is fixed."""
        owner = self.owner(d.frame)
        size, at, turn = evaluate([list(d.size), list(d.at.entries), list(d.rotation.matrix.entries)], self.values)
        colour = self._drawn_colour(d.name, d.colour) or self.painter.colour.get(owner, "support")
        if d.kind == "line":
            points = np.array(evaluate([list(p) for p in d.points], self.values), dtype=np.float64)
            radius = float(size[0]) / 2 if size else 0.5 * self.painter.rod
            made = [s for a, b in itertools.pairwise(points) for s in rod(a, b, radius)]
        else:
            made = placed_solids(d.kind, [float(x) for x in size], str(d.file or ""))
            if d.file is not None:
                self._mesh(str(d.file), d.file)
        R, r = np.array(turn, dtype=np.float64).reshape(3, 3), np.array(at, dtype=np.float64)
        out = []
        for s in made:
            turned = four(euler_parameters(R @ rotation_matrix(s.rotation)))
            local = replace(s, position=three(r + R @ np.array(s.position)), rotation=turned, colour=colour)
            out.append(replace(self._in_owner_frame(local, d.frame, owner), opacity=d.opacity, name=d.name))
        return out

    def _drawn_colour(self, name: str, colour: str) -> str:
        """A colour from a file; an unknown name causes a note, not an error."""
        try:
            return colour_text(colour)
        except ViewError as reason:
            self._notes.append(f"{name!r} has the colour of its body: {reason}")
            return ""

    # ------------------------------------------------------------------------------------------------ frames

    def owner(self, frame: Frame) -> str:
        """The body to which a frame is fixed, the ground, or the frame itself, which then has its own track."""
        return self.finder.owner(frame) or self.extra.setdefault(frame, f"{frame.name} ({len(self.extra) + 1})")

    def _frame_named(self, owner: str, frame: Frame) -> Frame:
        return self.finder.frame_of(owner) if owner == GROUND or owner in self.bodies else frame

    def _in_owner_frame(self, s: Solid, frame: Frame, owner: str) -> Solid:
        """A solid given in one frame, in that of its owner."""
        now, carrier = self.finder.now, self._frame_named(owner, frame)
        x, R = now.within(carrier, now.r[frame])[0], now.turned_within(carrier, now.R[frame])[0]
        turned = four(euler_parameters(R @ rotation_matrix(s.rotation)))
        return replace(s, frame=owner, position=three(x + R @ np.array(s.position)), rotation=turned)

    def _end(self, frame: Frame, places: Array) -> End:
        """A position along the motion as a point of the body to which it is fixed."""
        owner = self.owner(frame)
        return End(owner, self.finder.now_in(places, self._frame_named(owner, frame)))

    def named_frames(self) -> dict[str, Frame]:
        """Frames of bodies, and others that something is fixed to."""
        return {**{n: b.frame for n, b in self.bodies.items()}, **{n: f for f, n in self.extra.items()}}

    def tracks(self) -> tuple[Track, ...]:
        """How these frames move."""
        named = self.named_frames()
        levels, n, k = self.motion.q.shape
        poses, t = self.finder.now, np.tile(self.motion.times_of_frames, levels)
        if levels > 1 and named:
            place = Placer(self.motion.equations, list(named.values()))
            poses, _ = place(t, self.motion.q.reshape(-1, k), **self.motion.held(levels))
        out = []
        for name, f in named.items():
            r, e = poses.r[f].reshape(levels, n, 3), euler_parameters(poses.R[f]).reshape(levels, n, 4)
            e = np.stack([continuous_parameters(row) for row in e])
            if levels == 1 and n > 1 and np.ptp(r, axis=1).max() == 0 and np.ptp(e, axis=1).max() == 0:
                r, e = r[:, :1], e[:, :1]
            out.append(Track(name, r, e))
        return tuple(out)

    # ------------------------------------------------------------------------------------------------ between bodies

    def spans(self) -> tuple[Span, ...]:
        """Bodies that deform, springs between points, and strings."""
        out = [s for n, b in self.bodies.items() if n not in self.drawing.hide for s in self._rods_of(n, b)]
        for load in self.mechanism.loads:
            ends = [a for a in load.actions if a.at is not None and a.force is not None]
            if load.kind == "spring" and len(ends) == 2:
                a, b = (self._end(x.frame, self._place(x)) for x in ends)
                out.append(Span("spring", a, b, 1.7 * self.painter.rod, "spring", name=load.name))
        for s in self.skeleton.strings:
            a = End(s.first, self.skeleton.centres[s.first])
            b = End(GROUND, s.place) if s.place is not None else End(s.second, self.skeleton.centres[s.second])
            out.append(Span("string", a, b, 0.35 * self.painter.rod, "string"))
        return tuple(out)

    def _rods_of(self, name: str, body: Body) -> list[Span]:
        """An elastic body as rods between frames that move with it: thin ones for a cage."""
        if name in self.shapes or not body.edges:
            return []
        ends = {f: self._end(f, self.finder.now.r[f]) for f in body.line}
        colour, is_line = self.painter.colour[name], len(body.edges) < len(body.line)
        radius = self.painter.rod if is_line else 0.3 * self.painter.rod
        return [Span("rod", ends[a], ends[b], radius, colour, name=name) for a, b in body.edges]

    def surfaces(self, paint: str) -> tuple[Surface, ...]:
        """Bodies that deform, by their meshes if they have one, in colours that mean the same on all of them."""
        hidden = {*self.shapes, *self.drawing.hide}
        made = [
            deformed_surface(n, surface, self.painter.colour[n], self.motion, paint)
            for n, b in self.bodies.items()
            if n not in hidden and (surface := b.surface) is not None
        ]
        largest = max((s.largest for s in made), default=0.0)
        return tuple(replace(s, largest=largest) for s in made)

    def _place(self, action: Action) -> Array:
        return self.finder.now_points[:, self.finder.index(action)]

    def traces(self, wanted: Iterable[str | Point] | None) -> tuple[Trace, ...]:
        """Paths of mass centres and points; by default those of a drawing, or of the ends of the tree."""
        if wanted is None and self.drawing.traces:
            return tuple(
                self._trace(x.name, x.point, self._drawn_colour(x.name, x.colour)) for x in self.drawing.traces
            )
        if wanted is None:
            carriers = set(self.mechanism.tree.values())
            wanted = [n for n in self.bodies if n not in carriers and n not in self.drawing.hide]
        out = []
        for w in wanted:
            if isinstance(w, Point):
                out.append(self._trace(w.frame.name, w, ""))
            elif w in self.bodies:
                out.append(Trace(End(w, self.skeleton.centres[w]), self.painter.colour[w], w))
            else:
                raise unknown("scene: traces", "body", str(w), self.bodies, ViewError)
        return tuple(out)

    def _trace(self, name: str, point: Point, colour: str) -> Trace:
        place = Placer(self.motion.equations, (), [point])
        _, places = place(self.motion.times_of_frames, self.motion.q[-1], **self.motion.held())
        end = self._end(point.frame, places[:, 0])
        return Trace(end, colour or self.painter.colour.get(end.frame, "pin"), name)

    # ------------------------------------------------------------------------------------------------ the ground

    def supports(self, view: CameraAndFloor, bodies: Iterable[Solid]) -> dict[str, Support]:
        """For joints that the ground holds: where they are, and on which side their support is: where the body is
        not."""
        out, now, up = {}, self.finder.now, np.array(view.camera.up)
        if any(s.frame == GROUND for s in bodies):  # what stands on the ground was drawn
            return {}
        for h in self.skeleton.hinges:
            if GROUND not in (h.carrier, h.other) or h.kind == "prismatic":
                continue
            body = h.carrier if h.carrier != GROUND else h.other
            places = now.place(self.finder.frame_of(h.carrier), h.place)
            if np.ptp(places, axis=0).max() > 1e-4 * self.skeleton.size:  # held by a part that moves independently
                continue
            centre = now.place(self.finder.frame_of(body), self.skeleton.centres[body])
            hangs = float(np.mean(centre - places, axis=0) @ up) < -1e-9
            axis = None if h.axis is None else now.R[self.finder.frame_of(h.carrier)][0] @ np.array(h.axis)
            if hangs and (axis is None or abs(float(axis @ up)) < 0.9):
                out[h.name] = Support(places[0], up, None)
            else:
                height = None if view.floor is None else float(places[0] @ up) - view.floor.height
                near = height is not None and 0 < height < 0.8 * self.skeleton.size
                out[h.name] = Support(places[0], -up, height if near else None)
        return out

    def centre(self) -> Array:
        """Mass centre of all bodies at each time; the middle of them where nothing has mass."""
        mass = np.array([i.mass for i in self.painter.inertias.values()])
        if not len(mass):
            return np.zeros((len(self.motion.t), 3))
        weight = mass / mass.sum() if mass.sum() > 0 else np.full(len(mass), 1 / len(mass))
        return np.einsum("nkj,k->nj", self.finder.now_points[:, : len(mass)], weight)

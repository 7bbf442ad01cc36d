"""`sketch`: a mechanism with the signs of textbooks, and its coordinates."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from ...bodies.mechanism.mechanism import Action, Joint, Load
from ...derivation.equations.keywords import values_by_name
from ...emit.run.callable import Array
from ...errors import ViewError
from ...escaping import in_figure
from ...rotation_arrays import rotation_vector
from ..figures.drawing import typeset
from ..scenes.camera import gravity_direction
from ..scenes.poses import Poses
from ..scenes.scene_items import BODY_COLOURS, GROUND
from ..scenes.skeleton import SLIDING, DrawnJoint, placer
from . import joint_signs as signs
from .diagram import Diagram, Stroke, Wish, plate
from .flat_view import PosedMechanism, convex_hull, pale, posed_mechanism
from .free_body import arrow_strokes, ring

SIZE: Final = 4.0  # inches of the longest side of a mechanism
ARC: Final = 0.42  # radius of the arc of an angle, in inches
ASIDE: Final = 0.36  # inches between a dimension and what it measures
VISIBLE: Final = (
    0.06  # of an angle in radians, or of a length in parts of the mechanism, below which it is drawn longer
)
CONNECTIONS: Final[Mapping[str, Callable[[Array, Array, float], list[Stroke]]]] = {
    "spring": signs.spring, "damper": signs.damper, "actuator": signs.actuator,
}  # fmt: skip


@values_by_name(ViewError)
def sketch(
    source: Any,
    *,
    coordinates: bool = True,
    names: bool = True,
    shapes: Mapping[str, Any] | None = None,
    title: str | None = None,
    values: Mapping[Any, float] | None = None,
    options: Mapping[str, Any] | None = None,
    **named: float,
) -> Diagram:
    """The kinematic sketch of a mechanism: links, and textbook symbols of pins, sliders, supports, springs, dampers,
    gears and wheels, with coordinates at arrows. Planar mechanisms are drawn in their plane, spatial ones in an
    isometric view.

    source        equations, at the given values or in a generic pose; a state; or a state of a trajectory,
                  `sim.at(0.3)`
    coordinates   whether they are drawn, each from the position in which it is zero
    names         whether bodies and joints are named
    shapes        of bodies by name, as in `scene`
    values        of equations, by name or symbol; also as keywords if the name is not that of an option
    options       any of these arguments by name, for names that also exist in the model

    >>> m = sb.Model("cart and pendulum")
    >>> cart, bob = m.body("cart", mass=2.0), m.body("bob", mass=1.0, com=(0, -1, 0))
    >>> joints = m.prismatic("x", m.ground, cart), m.revolute("theta", cart, bob)
    >>> m.gravity(0, -9.81, 0)
    >>> drawn = sb.view.sketch(sb.derive(m), x=0.5, theta=0.4)
    >>> drawn, [w.text for w in drawn.plates[0].words][:2]
    (<Diagram 'cart and pendulum': 1 plate>, ['$g$', '$x$'])
    >>> path = drawn.save("cart.svg")

    See also: `view.free_body`, `scene`.
    """
    posed = posed_mechanism(source, values or {}, shapes, "sketch")
    drawn = _Sketch(posed, names)
    drawn.draw_parts()
    if coordinates:
        drawn.draw_coordinates()
    drawn.draw_names()
    return Diagram(title or posed.equations.mechanism.name, (plate("", drawn.strokes, drawn.wishes),))


class _Sketch:
    def __init__(self, posed: PosedMechanism, names: bool) -> None:
        self.posed, self.view, self.has_names = posed, posed.view, names
        self.finder, self.skeleton = posed.finder, posed.appearance.skeleton
        self.mechanism = posed.equations.mechanism
        self.bodies = [b.name for b in self.mechanism.bodies]
        points = [
            self.view.flat(self.posed.place(b, x))
            for b in self.bodies
            for x in (*self.skeleton.held[b], self.skeleton.centres[b])
        ]
        points += [self.view.flat(self.finder.now.r[j.inner][0]) for j in self.mechanism.joints if j.kind != "free"]
        points += [
            o for b in self.bodies if not self.skeleton.held[b] for outline in self.posed.outlines(b) for o in outline
        ]
        x = np.array(points) if points else np.zeros((1, 2))
        extent = float(np.ptp(x, axis=0).max())
        self.scale = SIZE / max(extent, 0.6 * posed.size)
        self.middle = (x.min(axis=0) + x.max(axis=0)) / 2
        self.strokes: list[Stroke] = []
        self.wishes: list[Wish] = []
        self.named: set[str] = set()

    def at(self, place: Array) -> Array:
        """A place in the ground, in inches on the plate."""
        return (self.view.flat(place) - self.middle) * self.scale

    def colour(self, body: str) -> str:
        return pale(BODY_COLOURS[self.bodies.index(body) % len(BODY_COLOURS)])

    # ------------------------------------------------------------------------------------------------ parts

    def draw_parts(self) -> None:
        for load in self.mechanism.loads:
            self._connection(load)
        for c in self.mechanism.constraints:
            self._gear(c.name, c.actions)
        sliders = {h.other: h for h in self.skeleton.hinges if h.kind == "prismatic" and h.other != GROUND}
        for body in self.bodies:
            self._body(body, sliders.get(body))
        for h in self.skeleton.hinges:
            self._joint(h)
        drawn = {h.name for h in self.skeleton.hinges}
        for j in self.mechanism.joints:
            if j.name not in drawn:
                self._other_joint(j)
        self._gravity()

    def _body(self, body: str, slider: DrawnJoint | None) -> None:
        wheel, held = self.skeleton.wheels.get(body), [self.posed.place(body, x) for x in self.skeleton.held[body]]
        centre = self.posed.place(body, self.skeleton.centres[body])
        if wheel is not None or not held:
            self._outlines(body)
            return
        points = [self.at(x) for x in held]
        edges = self.finder.bodies[body].edges
        if edges:
            for a, b in edges:
                self.strokes.append(Stroke(np.stack([self.at(self.finder.now.r[f][0]) for f in (a, b)]), width=2.6))
        elif len(points) == 1 and slider is None:
            if np.linalg.norm(self.at(centre) - points[0]) > 0.1:
                self.strokes.append(Stroke(np.stack([points[0], self.at(centre)]), width=2.6))
                self.strokes += ring(self.at(centre), 0.1, "ink", self.colour(body))
            else:
                self._outlines(body)
        elif len(points) == 2:
            self.strokes.append(Stroke(np.stack(points), width=2.6))
        elif len(points) > 2:
            hull = convex_hull(np.array(points))
            if len(hull) > 2:
                self.strokes.append(Stroke(np.vstack([hull, hull[:1]]), width=2.2, fill=self.colour(body)))
            else:
                self.strokes.append(Stroke(hull, width=2.6))
        if slider is not None and (way := self._flat_axis(slider)) is not None:
            self.strokes += signs.block(self.at(self.posed.place(slider.carrier, slider.place)), way, self.colour(body))

    def _outlines(self, body: str) -> None:
        for outline in self.posed.outlines(body):
            points = (outline - self.middle) * self.scale
            if len(points) > 2:
                self.strokes.append(Stroke(np.vstack([points, points[:1]]), width=1.3, fill=self.colour(body)))

    def _axis(self, h: DrawnJoint) -> Array | None:
        return (
            None
            if h.axis is None
            else np.asarray(self.finder.now.R[self.posed.frame_of(h.carrier)][0] @ np.array(h.axis))
        )

    def _flat_axis(self, h: DrawnJoint) -> Array | None:
        """The direction of an axis on the plate; None if it points at the eye, or there is none."""
        axis = self._axis(h)
        flat = None if axis is None else self.view.flat(axis)
        return None if flat is None or np.hypot(*flat) < 0.15 else flat / np.hypot(*flat)

    def _joint(self, h: DrawnJoint) -> None:
        p, way = self.at(self.posed.place(h.carrier, h.place)), self._flat_axis(h)
        on_ground = GROUND in (h.carrier, h.other)
        if h.kind == "prismatic" and way is not None:
            low, high = (x * self.scale for x in h.slides or (0.0, 0.0))
            self.strokes = (signs.guide if on_ground else signs.rail)(p, way, low, high) + self.strokes
        elif h.kind in SLIDING and way is not None:
            self.strokes += signs.cylinder(p, way, is_threaded=h.kind == "screw")
            self.strokes += (
                signs.hatching(p + np.array([-0.2, -0.2]), p + np.array([0.2, -0.2]), signs.DOWN) if on_ground else []
            )
        elif h.kind == "revolute" and way is not None:
            self.strokes += signs.support(p) if on_ground else []
            self.strokes += signs.cylinder(p, way)
        elif (force := self._only_force(h.name)) is not None:
            self.strokes += signs.roller(p, force) if on_ground else signs.pin(p)
        else:
            self.strokes += signs.support(p) if on_ground else []
            self.strokes += {"spherical": signs.ball, "universal": signs.cross}.get(h.kind, signs.pin)(p)
        if self._has_spring(h.name):
            self.strokes += signs.spiral(p)

    def _only_force(self, joint: str) -> Array | None:
        """The direction of the force, flat, of a joint that has just one row."""
        rows = [c for c in self.mechanism.constraints if c.joint == joint]
        if len(rows) != 1 or not rows[0].actions or rows[0].actions[0].force is None:
            return None
        (v,) = self.posed.motion.values([rows[0].actions[0].force.components(self.mechanism.ground)])
        flat = self.view.flat(np.asarray(v).reshape(3))
        return flat if np.hypot(*flat) > 0.15 else None

    def _has_spring(self, joint: str) -> bool:
        found = next((j for j in self.mechanism.joints if j.name == joint), None)
        own = set(found.coordinates) if found is not None and found.kind == "revolute" else set()
        return any(x.kind == "spring" and own.intersection(x.on_rates) for x in self.mechanism.loads)

    def _other_joint(self, j: Joint) -> None:
        """Joints without a common point: wheels on a floor, bodies that are fixed; free ones have no sign."""
        if j.kind == "rolling":
            places = [
                a.at for c in self.mechanism.constraints if c.joint == j.name for a in c.actions if a.at is not None
            ]
            if places:
                (v,) = self.posed.motion.values([places[0].in_ground])
                p = self.at(np.asarray(v).reshape(3))
                self.strokes += signs.hatching(p + np.array([-0.7, 0.0]), p + np.array([0.7, 0.0]), signs.DOWN)
        elif j.kind == "fixed" and j.parent == GROUND:
            p = self.at(self.finder.now.r[j.inner][0])
            self.strokes += signs.hatching(p + np.array([-0.25, 0.0]), p + np.array([0.25, 0.0]), signs.DOWN)

    def _connection(self, load: Load) -> None:
        """Springs, dampers and actuators between two points; those with the same ends side by side."""
        ends = [a for a in load.actions if a.force is not None and a.at is not None]
        if load.kind not in CONNECTIONS or len(ends) != 2:
            return
        a, b = (self.at(x) for x in self._places(ends))
        if np.linalg.norm(b - a) < 0.05:
            return
        beside = [
            x.name for x in self.mechanism.loads
            if x.kind in CONNECTIONS and len(x.actions) == 2 and all(self._is_same(p, q) for p, q in zip(x.actions, ends, strict=True))
        ]  # fmt: skip
        aside = 0.13 * (2 * beside.index(load.name) - (len(beside) - 1))
        self.strokes += CONNECTIONS[load.kind](a, b, aside)
        for k, action in enumerate(ends):
            if self.finder.owner(action.frame) == GROUND:
                p, other = (a, b) if k == 0 else (b, a)
                way = signs.unit(p - other)
                side = signs.across(way)
                self.strokes += signs.hatching(p + 0.17 * side, p - 0.17 * side, way)
        if self.has_names and load.kind != "damper":
            middle = (a + b) / 2 + aside * signs.across(signs.unit(b - a))
            self.wishes.append(Wish(in_figure(load.name), float(middle[0]), float(middle[1]), colour="soft"))

    @staticmethod
    def _is_same(p: Action, q: Action) -> bool:
        return p.frame is q.frame and (p.at is q.at or repr(p.at) == repr(q.at))

    def _places(self, ends: Sequence[Action]) -> list[Array]:
        found = self.posed.motion.values([a.at.in_ground for a in ends if a.at is not None])
        return [np.asarray(v).reshape(3) for v in found]

    def _gear(self, name: str, actions: Sequence[Action]) -> None:
        """Pitch circles of two wheels whose axes point at the eye: radii as the torques of the mesh."""
        turned = {j.inner: j for j in self.mechanism.joints if j.kind == "revolute"}
        pairs = [(a, turned[a.frame]) for a in actions if a.torque is not None and a.frame in turned]
        if len(pairs) != 2:
            return
        found = self.posed.motion.values(
            [a.torque.components(self.mechanism.ground) for a, _ in pairs if a.torque is not None]
        )
        first, second = (float(np.asarray(v).reshape(3) @ self.view.eye) for v in found)
        p, q = (self.at(self.finder.now.r[j.inner][0]) for _, j in pairs)
        distance = float(np.linalg.norm(q - p))
        if abs(first) < 1e-9 or abs(second) < 1e-9 or distance < 0.05:
            return
        ratio = first / second  # of the radii: negative where one wheel is inside of the other
        if abs(1 + ratio) < 1e-9:
            return
        radius = abs(distance / (1 + ratio))
        self.strokes += signs.pitch_circle(q, radius) + signs.pitch_circle(p, abs(ratio) * radius)
        mesh = p + (q - p) / distance * abs(ratio) * radius
        if self.has_names:
            self.wishes.append(Wish(in_figure(name), float(mesh[0]), float(mesh[1]), colour="soft"))

    def _gravity(self) -> None:
        down = gravity_direction(self.finder.motion)
        flat = None if down is None else self.view.flat(down)
        if flat is None or np.hypot(*flat) < 0.15 or not self.strokes:
            return
        points = np.concatenate([s.points for s in self.strokes])
        begin = np.array([points[:, 0].max() + 0.35, points[:, 1].max()])
        end = begin + 0.45 * flat / np.hypot(*flat)
        self.strokes += arrow_strokes(begin, end, "weight", head=0.1, width=1.4)
        self.wishes.append(Wish("$g$", float(end[0]), float(end[1]), colour="weight"))

    # ------------------------------------------------------------------------------------------------ coordinates

    def draw_coordinates(self) -> None:
        """An arc from the direction at zero, or a dimension from the place at zero, of each coordinate that moves a body."""
        eq, motion = self.posed.equations, self.finder.motion
        place = placer(eq)
        for k, q in enumerate(eq.q):
            if eq.variables[q.name].quaternion is not None:
                continue
            moved = motion.q[-1].copy()
            moved[:, k] = 0.0
            zero, _ = place(motion.times_of_frames, moved, **motion.held())
            self._coordinate(q.name, zero, float(motion.q[-1, 0, k]))

    def _coordinate(self, name: str, zero: Poses, value: float) -> None:
        joint = next((j for j in self.mechanism.joints if any(q.name == name for q in j.coordinates)), None)
        changed = [b for b in self.mechanism.bodies if self._moves(b.frame, zero)]
        if joint is None and not changed:
            return
        body = min(changed, key=lambda b: b.frame.depth).name if changed else joint.child if joint else ""
        if body not in self.bodies:
            return
        frame = joint.inner if joint is not None else self.posed.frame_of(body)
        p, p0 = self.finder.now.r[frame][0], zero.r[frame][0]
        word = typeset(name)
        if self.posed.equations.variables[name].is_angle:
            self._angle(word, body, p, zero, value, joint)
        else:
            self._length(word, p0, p)
        self.named.add(name)

    def _moves(self, frame: Any, zero: Poses) -> bool:
        now = self.finder.now
        return bool(
            np.abs(now.R[frame][0] - zero.R[frame][0]).max() > 1e-9
            or np.abs(now.r[frame][0] - zero.r[frame][0]).max() > 1e-9 * self.posed.size
        )

    def _angle(self, word: str, body: str, p: Array, zero: Poses, value: float, joint: Joint | None) -> None:
        """The arc is that of the body's own line, turned back by steps about the axis of the rotation."""
        frame = self.posed.frame_of(body)
        R, R0 = self.finder.now.R[frame][0], zero.R[frame][0]
        own = self._line(body, p)
        turned = rotation_vector(R @ R0.T)
        angle = float(np.linalg.norm(turned))
        if angle < 1e-9 or abs(value) < VISIBLE:
            end = self.at(p)
            self.wishes.append(Wish(word, float(end[0]), float(end[1])))
            return
        axis = turned / angle
        flat_axis = abs(float(axis @ self.view.eye))
        if abs(float(own @ axis)) > 0.95 or np.hypot(*self.view.flat(own - (own @ axis) * axis)) < 0.05:
            own = np.cross(axis, self.view.eye) if flat_axis < 0.95 else self.view.right
        own = own - (own @ axis) * axis
        own /= np.linalg.norm(own)
        steps = np.linspace(-angle, 0.0, 40)
        arc = np.stack([math.cos(s) * own + math.sin(s) * np.cross(axis, own) for s in steps])
        centre = self.at(p)
        radius = ARC + 0.1 * (len(self.named) % 3)
        points = centre + radius * self.view.flat(arc)
        self.strokes.append(Stroke(np.stack([centre, centre + 1.35 * (points[0] - centre)]), "soft", 0.9, "dashed"))
        if np.linalg.norm(points[-1] - points[0]) > 0.02 or abs(angle) > 3:
            self.strokes += arrow_strokes(points[-6], points[-1], "ink", head=0.09, width=1.0, along=points)
        middle = points[len(points) // 2]
        self.wishes.append(
            Wish(word, float(middle[0]), float(middle[1]), "right" if middle[0] >= centre[0] else "left")
        )

    def _line(self, body: str, p: Array) -> Array:
        """The direction from a joint to the furthest place of a body, or to its mass centre."""
        places = [self.posed.place(body, x) for x in (*self.skeleton.held[body], self.skeleton.centres[body])]
        ways = [x - p for x in places]
        far = max(ways, key=lambda w: float(np.linalg.norm(w)))
        size = float(np.linalg.norm(far))
        return far / size if size > 1e-6 * self.posed.size else np.array(self.view.right)

    def _length(self, word: str, begin: Array, end: Array) -> None:
        a, b = self.at(begin), self.at(end)
        size = float(np.linalg.norm(b - a))
        if size < VISIBLE:
            self.wishes.append(Wish(word, float(b[0]), float(b[1])))
            return
        side = signs.across(signs.unit(b - a))
        side = side if side[1] > 0 or (side[1] == 0 and side[0] > 0) else -side
        aside = (ASIDE + 0.16 * (len(self.named) % 3)) * side
        self.strokes += signs.dimension(a, b, aside)
        middle = (a + b) / 2 + aside
        self.wishes.append(Wish(word, float(middle[0]), float(middle[1])))

    # ------------------------------------------------------------------------------------------------ names

    def draw_names(self) -> None:
        if not self.has_names:
            return
        for h in self.skeleton.hinges:
            if h.name not in self.named and h.kind != "point":
                p = self.at(self.posed.place(h.carrier, h.place))
                self.wishes.append(Wish(in_figure(h.name), float(p[0]), float(p[1])))
        for body in self.bodies:
            places = [self.posed.place(body, x) for x in self.skeleton.held[body]] or [
                self.posed.place(body, self.skeleton.centres[body])
            ]
            if len(places) == 1:
                places.append(self.posed.place(body, self.skeleton.centres[body]))
            p = self.at(np.mean(places, axis=0))
            self.wishes.append(Wish(in_figure(body), float(p[0]), float(p[1]), colour="soft"))

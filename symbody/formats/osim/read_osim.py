"""Musculoskeletal models from OpenSim's files: `read_osim`.

Data pass through `osim_file.py` (elements), `osim_functions.py` (functions of coordinates), `osim_joints.py` (bodies and
joints) and `osim_paths.py` (muscles' paths).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

import symbody as sb

from ...argument_kinds import answered, answered_class
from ...errors import ModelError, unknown
from ...escaping import identifier
from ...given_files import reading
from ...summary import counted
from ..robot.choices import NameChoice
from ..robot.robot import Robot, RobotReport
from ..robot.xml_tree import XmlElement
from .osim_contacts import OsimContact, contacts_of
from .osim_file import OsimFile, label, read_osim_file
from .osim_functions import function_inside
from .osim_joints import GROUND, OsimCoordinate, OsimJoint, angles_of, in_tree_order, joints_of, moved_frame
from .osim_paths import OsimMuscle, PathReader, surface_of

START: Final = "default"
WIDEST: Final = 3.2  # rad or m, of ranges that have no end
MUSCLE_NUMBERS: Final = ("max_isometric_force", "optimal_fiber_length", "tendon_slack_length")
READ: Final = (
    "BodySet", "JointSet", "ConstraintSet", "ForceSet", "Ground", "gravity", "credits", "publications", "length_units", "force_units", "groups",
    "ModelVisualPreferences", "MarkerSet", "ContactGeometrySet", "assembly_accuracy", "defaults", "objects", "FrameGeometry",
)  # fmt: skip


@answered_class
class OsimModel(Robot):
    """A model read from an OpenSim file; you can add parts as to any other model. Besides what a `Robot` has (`links` are the
    frames of its bodies):

    paths         of muscles and other actuators along lines, by name
    muscles       the numbers of each muscle, of which `kits.biomechanics.add_muscles` makes forces
    coordinates_of_file   data of each coordinate in the file: range, default, locked; its expression in the model
    markers       the points of its marker set, by name
    contacts_of_file  spheres that touch a half-space, of which `kits.biomechanics.add_contacts` makes forces
    joints_of_file  the child body of each joint, and its frame there on the side of the child
    keyframes     "default" has the values with which the file begins

    >>> m = sb.read_osim('''<OpenSimDocument Version="40000"><Model name="block"><gravity>0 -9.8 0</gravity>
    ... <BodySet><objects><Body name="block"><mass>2</mass><mass_center>0 0 0</mass_center>
    ...   <inertia>1 1 1 0 0 0</inertia></Body></objects></BodySet>
    ... <JointSet><objects><SliderJoint name="rail"><socket_parent_frame>/ground</socket_parent_frame>
    ...   <socket_child_frame>/bodyset/block</socket_child_frame><coordinates><Coordinate name="x">
    ...   <default_value>0.1</default_value></Coordinate></coordinates></SliderJoint></objects></JointSet>
    ... </Model></OpenSimDocument>''')
    >>> m.keyframes["default"], m.coordinates_of_file["x"].joint, m.paths, m.muscles
    ({'x': 0.1}, 'rail', {}, {})

    See also: `read_osim`, `formats.Robot`.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.paths: dict[str, sb.bodies.LinePath] = {}
        self.muscles: dict[str, OsimMuscle] = {}
        self.markers: dict[str, sb.Point] = {}
        self.coordinates_of_file: dict[str, OsimCoordinate] = {}
        self.contacts_of_file: dict[str, OsimContact] = {}
        self.joints_of_file: dict[str, tuple[str, sb.Frame]] = {}


@reading("read_osim: a model cannot be made from the numbers in the file")
@answered
def read_osim(
    source: Any, *, unlock: Any = (), hold: Mapping[str, float] | None = None, gravity: Any = "file"
) -> OsimModel:
    """A model of the bodies, joints and paths of an OpenSim file (of OpenSim 4), by its path or its text.

    unlock    names and patterns of locked coordinates that move; others are held at their defaults
    hold      coordinate -> value at which it is held
    gravity   "file", an acceleration along the axes of the ground, or None

    Coordinates are named as in the file. Dependent coordinates of a CoordinateCouplerConstraint are functions of the
    others, not coordinates of the model. Muscles are paths with numbers, without forces: `m.tension` gives a path one, and
    `kits.biomechanics.add_muscles` all muscles theirs. `print(m.report)` lists the elements that were not read.

    >>> m = sb.read_osim('''<OpenSimDocument Version="40000"><Model name="arm"><gravity>0 -9.8 0</gravity>
    ... <BodySet><objects><Body name="arm"><mass>2</mass><mass_center>0 -0.5 0</mass_center>
    ...   <inertia>0.1 0.01 0.1 0 0 0</inertia></Body></objects></BodySet>
    ... <JointSet><objects><PinJoint name="shoulder"><socket_parent_frame>/ground</socket_parent_frame>
    ...   <socket_child_frame>/bodyset/arm</socket_child_frame>
    ...   <coordinates><Coordinate name="raise"/></coordinates></PinJoint></objects></JointSet>
    ... <ForceSet><objects><Thelen2003Muscle name="DELT"><GeometryPath><PathPointSet><objects>
    ...   <PathPoint><socket_parent_frame>/ground</socket_parent_frame><location>0.1 0.1 0</location></PathPoint>
    ...   <PathPoint><socket_parent_frame>/bodyset/arm</socket_parent_frame><location>0.03 -0.1 0</location></PathPoint>
    ...   </objects></PathPointSet></GeometryPath><max_isometric_force>1000</max_isometric_force>
    ...   <optimal_fiber_length>0.1</optimal_fiber_length><tendon_slack_length>0.1</tendon_slack_length>
    ... </Thelen2003Muscle></objects></ForceSet></Model></OpenSimDocument>''')
    >>> sb.derive(m).M, sb.evaluate(m.paths["DELT"].length, {"raise": 0.5})
    (vector(0.6), 0.175274)
    >>> print(m.report)
    1 muscle of kind Thelen2003Muscle: numbers are read, the curves of this kind are not

    See also: `formats.OsimModel`, `read_mjcf`, `Model.path`.
    """
    file = read_osim_file(source)
    with sb.algebra.gc_paused():
        return OsimBuilder(
            file, NameChoice("read_osim", "locked coordinate", unlock), dict(hold or {}), gravity
        ).model()


class OsimBuilder:
    """Puts the parts of a file into a model, in the order in which they need each other."""

    def __init__(self, file: OsimFile, unlock: NameChoice, hold: dict[str, float], gravity: Any) -> None:
        self.file, self.unlock, self.hold, self.gravity = file, unlock, hold, gravity
        self.made = OsimModel(file.name)
        self.values: dict[str, sb.Expr] = {}
        self.frames: dict[str, sb.Frame] = {GROUND: self.made.ground}
        self.renamed: dict[str, str] = {}

    def model(self) -> OsimModel:
        file, m = self.file, self.made
        if (unit := file.text(file.model, "length_units", "meters")) not in ("meters", "m", ""):
            raise ModelError(f"{file.where}: lengths are in {unit!r}; files in meters are read")
        bodies = {label(e): e for e in file.members("BodySet")}
        joints = in_tree_order(file, joints_of(file), bodies)
        self._coordinates(joints)
        for j in joints:
            self._body(j, bodies[j.child.parent])
        m.links.update({n: f for n, f in self.frames.items() if n != GROUND})
        self._paths(bodies)
        self._markers()
        m.contacts_of_file.update(contacts_of(file, self.frames))
        for c in file.model.children:
            if c.tag not in READ and (c.children or c.text.strip()) and any(o.children for o in c.all("objects")):
                file.left_out[c.tag] += sum(len(o.children) for o in c.all("objects"))
        if self.gravity is not None:
            m.gravity(*(file.three(file.model, "gravity") if isinstance(self.gravity, str) else self.gravity))
        m.report = RobotReport((), {}, self.renamed, tuple(file.doubtful), dict(file.left_out))
        m.keyframes[START] = self._start()
        return m

    def _start(self) -> dict[str, float]:
        moving = {s: s.name for s in self.made.symbols_of_kind("coordinate")}
        known = self.made.coordinates_of_file.values()
        return {moving[c.value]: c.default for c in known if c.value in moving}

    # ------------------------------------------------------------------------------------------------ coordinates

    def _coordinates(self, joints: list[OsimJoint]) -> None:
        """Symbols for those that move, numbers for those that are held, functions for those that are coupled."""
        elements = {label(c): (j, c) for j in joints for s in j.element.all("coordinates") for c in s.all("Coordinate")}
        for name in self.hold:
            if name not in elements:
                raise unknown("read_osim: hold=", "coordinate", name, elements)
        couplers = self._couplers(elements)
        for name, (_, e) in elements.items():
            if name not in couplers:
                self.values[name] = self._value(name, e)
        self.unlock.check()
        while couplers:
            ready = [n for n, (_, source) in couplers.items() if source in self.values]
            if not ready:
                raise ModelError(
                    f"{self.file.where}: coordinates {', '.join(couplers)} are coupled to each other in a cycle"
                )
            for n in ready:
                law, source = couplers.pop(n)
                self.values[n] = law(self.values[source])
        angles = {j.name: angles_of(self.file, j.element) for j in joints}
        for name, (j, e) in elements.items():
            low, high = self.file.numbers(e, "range", 2, (-10.0, 10.0))
            default, speed = (self.file.number(e, t, 0.0) for t in ("default_value", "default_speed_value"))
            locked, clamped = (self.file.is_true(e, t, "false") for t in ("locked", "clamped"))
            self.made.coordinates_of_file[name] = OsimCoordinate(
                self.values[name], j.name, (low, high), default, speed, locked, clamped, name in angles[j.name]
            )

    def _value(self, name: str, e: XmlElement) -> sb.Expr:
        default = self.file.number(e, "default_value", 0.0)
        if name in self.hold:
            return sb.algebra.as_expr(self.hold[name])
        if self.file.is_true(e, "locked", "false") and not self.unlock(name):
            self.file.doubtful.append(f"coordinate {name!r} is locked: it is held at {default:zg}")
            return sb.algebra.as_expr(default)
        if self.file.is_true(e, "prescribed", "false"):
            self.file.doubtful.append(f"coordinate {name!r} has a prescribed motion in the file; here it moves")
        symbol = identifier(name)
        if symbol != name:
            self.renamed[name] = symbol
        return self.made.coordinate(self.made.unused_name(symbol))

    def _couplers(self, elements: Mapping[str, Any]) -> dict[str, tuple[Any, str]]:
        """Dependent coordinate -> function, and what it is a function of."""
        found: dict[str, tuple[Any, str]] = {}
        for e in self.file.members("ConstraintSet"):
            if e.tag != "CoordinateCouplerConstraint":
                self.file.doubtful.append(
                    f"constraint {label(e)!r}, a {e.tag}, is not read: the model moves without it"
                )
                continue
            if not self.file.is_true(e, "isEnforced", "true"):
                continue
            sources = self.file.text(e, "independent_coordinate_names").split()
            dependent = self.file.text(e, "dependent_coordinate_name")
            for name in (*sources, dependent):
                if name not in elements:
                    raise unknown(f"{self.file.where}: constraint {label(e)!r}", "coordinate", name, elements)
            if len(sources) != 1:
                raise self.file.wrong(e, f"a function of one coordinate is read, got {', '.join(sources) or 'none'}")
            law = function_inside(self.file, e, "coupled_coordinates_function", identifier(label(e)))
            scale = self.file.number(e, "scale_factor", 1.0)
            found[dependent] = (lambda x, law=law, scale=scale: sb.algebra.as_expr(scale) * law(x), sources[0])
        return found

    # ------------------------------------------------------------------------------------------------ bodies

    def _body(self, j: OsimJoint, e: XmlElement) -> None:
        name = label(e)
        joint = identifier(j.name)
        on = j.parent.on(self.frames[j.parent.parent], f"{joint}.parent")
        moved = moved_frame(self.file, j, on, self.values)
        frame = j.child.under(moved, f"{identifier(name)}.frame")
        self.made.joints_of_file[j.name] = (name, moved)
        mass = self.file.number(e, "mass")
        if mass == 0:
            self.frames[name] = frame
            return
        xx, yy, zz, xy, xz, yz = self.file.numbers(e, "inertia", 6)
        tensor, com = sb.inertia(xx, yy, zz, xy, xz, yz), self.file.three(e, "mass_center")
        try:
            body = self.made.body(name, frame, mass=mass, com=com, inertia=tensor)
        except ModelError as reason:
            self.file.doubtful.append(str(reason))
            body = self.made.body(name, frame, mass=mass, com=com, inertia=tensor, physical=False)
        self.frames[name] = body.frame

    # ------------------------------------------------------------------------------------------------ paths

    def _paths(self, bodies: Mapping[str, XmlElement]) -> None:
        carriers = [*bodies.items(), *((GROUND, e) for e in self.file.model.all("Ground"))]
        wraps = {
            label(w): (w, surface_of(self.file, w, self.frames[name]))
            for name, e in carriers for s in e.all("WrapObjectSet") for o in s.all("objects") for w in o.children
        }  # fmt: skip
        moving = set(self.made.symbols_of_kind("coordinate"))
        known = self.made.coordinates_of_file.values()
        ranges: dict[sb.Expr, tuple[float, float]] = {
            c.value: (max(c.range[0], -WIDEST), min(c.range[1], WIDEST)) for c in known if c.value in moving
        }
        reader = PathReader(self.file, self.frames, self.values, wraps, ranges)
        for e in self.file.members("ForceSet"):
            name = label(e)
            if e.tag == "HuntCrossleyForce":
                continue
            if self.file.only(e, "GeometryPath") is None:
                self.file.left_out[f"{e.tag} (force)"] += 1
                continue
            if (stations := reader.stations(e)) is None:
                continue
            self.made.paths[name] = self.made.path(name, stations)
            if all(self.file.only(e, n) is not None for n in MUSCLE_NUMBERS):
                self.made.muscles[name] = self._muscle(e)
            else:
                self.file.doubtful.append(f"{e.tag} {name!r}: its path is read, its force is not")

        kinds = Counter(m.kind for m in self.made.muscles.values() if m.kind != "DeGrooteFregly2016Muscle")
        for kind, n in kinds.items():
            self.file.doubtful.append(
                f"{counted(n, 'muscle')} of kind {kind}: numbers are read, the curves of this kind are not"
            )

    def _markers(self) -> None:
        for e in self.file.members("MarkerSet"):
            body = self.file.socket(e, "parent_frame")
            if body not in self.frames:
                raise unknown(f"{self.file.where}: marker {label(e)!r}", "body", body, self.frames)
            self.made.markers[label(e)] = self.frames[body].point(*self.file.three(e, "location"))

    def _muscle(self, e: XmlElement) -> OsimMuscle:
        force, optimal, slack = (self.file.number(e, n) for n in MUSCLE_NUMBERS)
        kind, applies = e.tag, self.file.is_true(e, "appliesForce", "true")
        speed = self.file.number(e, "max_contraction_velocity", 10.0)
        pennation = self.file.number(e, "pennation_angle_at_optimal", 0.0)
        dynamics = self._dynamics(e) if kind == "DeGrooteFregly2016Muscle" else {}
        return OsimMuscle(label(e), kind, force, optimal, slack, pennation, speed, applies, dynamics)

    def _dynamics(self, e: XmlElement) -> dict[str, Any]:
        """Numbers of a DeGrooteFregly2016Muscle, with OpenSim's defaults."""
        file = self.file
        return {
            "tendon": "rigid" if file.is_true(e, "ignore_tendon_compliance", "false") else "elastic",
            "times": tuple(
                file.number(e, f"{n}_time_constant", x) for n, x in (("activation", 0.015), ("deactivation", 0.06))
            ),
            "smoothing": file.number(e, "activation_dynamics_smoothing", 0.1),
            "damping": file.number(e, "fiber_damping", 0.0),
            "tendon_strain": file.number(e, "tendon_strain_at_one_norm_force", 0.049),
            "passive_strain": file.number(e, "passive_fiber_strain_at_one_norm_force", 0.6),
            "has_activation": not file.is_true(e, "ignore_activation_dynamics", "false"),
        }

"""Paths and muscles of a written .osim file: points on bodies, points within a range of a coordinate, and surfaces.

A muscle of `kits.biomechanics` with the curves "opensim" is a DeGrooteFregly2016Muscle. With a rigid tendon its force is the
same function of length, rate and activation. With an elastic one OpenSim ignores the damping β of the fibre, so that
muscles with little damping only are written.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

import symbody as sb

from ...errors import ModelError
from ..robot.moving_parts import ConstantPose, MovingParts
from ..robot.written_model import number_text, numbers_text
from .osim_paths import SLACK, OsimMuscle
from .written_lines import angles_xyz, element, leaf, leaves, objects

KIND: Final = "DeGrooteFregly2016Muscle"
UNBOUNDED: Final = 1000.0  # beyond what a coordinate reaches
LENGTH: Final = 10.0  # m, of cylinders, which have no ends here
DAMPING: Final = 1e-3  # of a fibre with an elastic tendon, up to which its speed is that of a fibre without
ON_AXIS: Final = 1e-9  # of a point beside a surface, relative


@dataclass(frozen=True)
class PathWriter:
    """Writes the paths of a file.

    where      the body of a point, by its path in the file, and the place of the point on it
    pose       the body of a frame, and its pose on it
    joint_of   the path of a coordinate in the file
    name       a name as the file has it
    """

    what: str
    parts: MovingParts
    where: Callable[[sb.Point], tuple[str, Any]]
    pose: Callable[[sb.Frame], tuple[str, ConstantPose]]
    joint_of: Mapping[sb.Symbol, str]
    name: Callable[[str], str]
    surfaces: dict[str, list[str]] = field(default_factory=dict)  # of each body, as lines
    _names: dict[Any, str] = field(default_factory=dict)

    def muscle(self, made: Any, inputs: set[Any]) -> tuple[str, list[str]]:
        """Kind and lines of a muscle of `kits.biomechanics`."""
        n: dict[str, Any] = {k: v if k in ("curves", "times") else self._number(v) for k, v in made.numbers.items()}
        curves, refuse = n["curves"], f"{self.what}: muscle {made.name!r} "
        strains = {"tendon_strain": curves.tendon_strain, "passive_strain": curves.passive_strain}
        if curves != sb.kits.biomechanics.muscle_curves("opensim", **strains):
            raise ModelError(
                f"{refuse}has other curves than OpenSim's {KIND}; make it with curves='opensim', or leave it out: omit=[{made.name!r}]"
            )
        control = made.activation if made.excitation is None else made.excitation
        if control not in inputs:
            raise ModelError(
                f"{refuse}follows {control}; muscles of OpenSim follow an input: make it without excitation= and activation=, or leave it out: omit=[{made.name!r}]"
            )
        if made.tendon == "elastic" and n["damping"] > DAMPING:
            raise ModelError(
                f"{refuse}has an elastic tendon and a damping of {n['damping']:z.6g}, which OpenSim's fibres with elastic tendons ignore; make it "
                f"with a damping of at most {DAMPING:z.6g} or with tendon='rigid', or leave it out: omit=[{made.name!r}]"
            )
        rise, fall = (self._number(t) for t in n["times"])
        values = _muscle_properties(
            n["max_force"], n["optimal_length"], n["slack_length"], n["pennation"], n["max_speed"]
        ) | {
            "activation_time_constant": rise,
            "deactivation_time_constant": fall,
            "activation_dynamics_smoothing": n["smoothing"],
            "fiber_damping": n["damping"],
            "passive_fiber_strain_at_one_norm_force": curves.passive_strain,
            "tendon_strain_at_one_norm_force": curves.tendon_strain,
        }
        words = {
            "ignore_tendon_compliance": str(made.tendon == "rigid").lower(),
            "ignore_activation_dynamics": str(made.excitation is None).lower(),
        }
        lines = [*self.path(made.path), *leaves(values), *(leaf(k, v) for k, v in words.items())]
        return KIND, lines

    def muscle_of_file(self, given: OsimMuscle, path: sb.bodies.LinePath) -> tuple[str, list[str]]:
        """Those of a muscle that was read, with its kind and numbers."""
        values = _muscle_properties(
            given.max_force, given.optimal_length, given.slack_length, given.pennation, given.max_speed
        )
        return given.kind, [leaf("appliesForce", str(given.applies).lower()), *self.path(path), *leaves(values)]

    def path(self, path: sb.bodies.LinePath) -> list[str]:
        if not path.stations:
            raise ModelError(
                f"{self.what}: path {path.name!r} was not made by m.path, so its points and surfaces are not known; leave its load out by omit="
            )
        points: list[str] = []
        runs: list[_Run] = []
        start = count = 0
        for s in path.stations:
            if isinstance(s, (sb.Point, sb.bodies.ViaPoint)):
                count += 1
                points += self._point(path, count, s)
            else:
                _lengthen(runs, s, count)
            if isinstance(s, sb.Point):
                for run in runs if count - start > 1 else ():  # a gap with ViaPoints does not end it
                    run.reach = count if run.reach == start else run.reach
                start = count
        wraps = [line for k, run in enumerate(runs, start=1) for line in self._wrap(path, k, run)]
        lines = objects("PathPointSet", points) + (objects("PathWrapSet", wraps) if wraps else [])
        return element("GeometryPath", {"name": "path"}, lines)

    def _wrap(self, path: sb.bodies.LinePath, k: int, run: _Run) -> list[str]:
        inside = {"wrap_object": self._surface(path, run.surface), "range": f"{run.first} {run.last}"}
        return element("PathWrap", {"name": f"wrap{k}"}, [leaf(tag, text) for tag, text in inside.items()])

    # ----------------------------------------------------------------------------------------------------- points

    def _point(self, path: sb.bodies.LinePath, k: int, s: Any) -> list[str]:
        body, place = self.where(s.point if isinstance(s, sb.bodies.ViaPoint) else s)
        lines = [leaf("socket_parent_frame", body), leaf("location", numbers_text(place))]
        name = {"name": self.name(f"{path.name}-P{k}")}
        if isinstance(s, sb.Point):
            return element("PathPoint", name, lines)
        q, low, high = self._range(path, s.when)
        more = [
            leaf("socket_coordinate", self.joint_of[q]),
            leaf("range", f"{number_text(low + SLACK)} {number_text(high - SLACK)}"),
        ]
        return element("ConditionalPathPoint", name, [*lines, *more])

    def _range(self, path: sb.bodies.LinePath, when: Any) -> tuple[sb.Symbol, float, float]:
        """The coordinate of a condition, and the range in which the condition holds."""
        low, high = -UNBOUNDED, UNBOUNDED
        found: set[sb.Symbol] = set()
        for a, b in _inequalities(when):
            number, q, is_low = (a, b, True) if b in self.joint_of else (b, a, False)
            if q not in self.joint_of or set(sb.free_symbols(number)) - set(self.parts.values):
                found.clear()
                break
            found.add(q)
            value = self._number(number)
            low, high = (max(low, value), high) if is_low else (low, min(high, value))
        if len(found) != 1:
            raise ModelError(
                f"{self.what}: path {path.name!r} has a point that counts while {when}; OpenSim's count within a range of one coordinate: "
                "(q >= low) & (q <= high)"
            )
        return found.pop(), low, high

    # --------------------------------------------------------------------------------------------------- surfaces

    def _surface(self, path: sb.bodies.LinePath, surface: Any) -> str:
        """The name of a surface, which is written once."""
        if surface not in self._names:
            body, pose = self.pose(surface.frame)
            tag, sizes = self._shape(path, surface)
            pose, quadrant = self._side(path, surface, pose)
            name = self._names[surface] = self.name(f"{surface.frame.name} surface")
            places = {"translation": numbers_text(pose.d), "xyz_body_rotation": numbers_text(angles_xyz(pose.R))}
            lines = [leaf(k, v) for k, v in (places | {"quadrant": quadrant} | sizes).items()]
            self.surfaces.setdefault(body, []).extend(element(tag, {"name": name}, lines))
        return self._names[surface]

    def _shape(self, path: sb.bodies.LinePath, s: Any) -> tuple[str, dict[str, str]]:
        b = sb.bodies
        if isinstance(s, b.WrapEllipsoid):
            return "WrapEllipsoid", {"dimensions": numbers_text([self._number(a) for a in s.half_axes])}
        if isinstance(s, b.WrapTorus):
            return "WrapTorus", {"inner_radius": self._text(s.tube), "outer_radius": self._text(s.radius)}
        plain = isinstance(s, (b.WrapCylinder, b.WrapSphere)) and s.through is False
        if not plain or (isinstance(s, b.WrapCylinder) and s.side is not None):
            raise ModelError(
                f"{self.what}: path {path.name!r} runs over a {type(s).__name__} that OpenSim does not have; it has spheres, cylinders, "
                "ellipsoids and tori, with beside= but without side= and through="
            )
        sizes = {"radius": self._text(s.radius)}
        if isinstance(s, b.WrapSphere):
            return "WrapSphere", sizes
        return "WrapCylinder", sizes | {"length": number_text(LENGTH)}

    def _side(self, path: sb.bodies.LinePath, s: Any, pose: ConstantPose) -> tuple[ConstantPose, str]:
        """The pose and the quadrant of a surface beside a point: a cylinder or sphere turns until the point is on its x axis."""
        if getattr(s, "beside", None) is None:
            return pose, "all"
        on, at = self.where(s.beside)
        if on != self.pose(s.frame)[0]:
            raise ModelError(
                f"{self.what}: path {path.name!r} runs over a surface beside a point of another body; OpenSim's sides are axes of the "
                "surface: use a point of its frame"
            )
        p = (pose.inverse @ ConstantPose(d=at)).d
        if isinstance(s, sb.bodies.WrapCylinder):
            p = np.array([p[0], p[1], 0.0])
        k = int(np.argmax(np.abs(p)))
        if np.sum(np.abs(p)) <= (1 + ON_AXIS) * abs(p[k]):
            return pose, ("-" if p[k] < 0 else "") + "xyz"[k]
        if isinstance(s, sb.bodies.WrapEllipsoid):
            raise ModelError(
                f"{self.what}: path {path.name!r} runs over an ellipsoid beside a point off its axes; OpenSim's sides are its axes"
            )
        return pose @ ConstantPose(_with_x_along(p)), "x"

    def _text(self, value: Any) -> str:
        return number_text(self._number(value))

    def _number(self, value: Any) -> float:
        return float(self.parts.numbers(sb.algebra.as_expr(value)))


@dataclass
class _Run:
    """The first and last point between which a surface stands in each gap; `reach` is where the run may go on."""

    surface: Any
    first: int
    last: int
    reach: int


def _lengthen(runs: list[_Run], surface: Any, before: int) -> None:
    """A surface in the gap after a point: it lengthens its run, since OpenSim chooses one gap of a run, or begins one."""
    for run in runs:
        if run.surface is surface and run.reach == before:
            run.last = run.reach = before + 1
            return
    runs.append(_Run(surface, before, before + 1, before + 1))


def _muscle_properties(force: float, optimal: float, slack: float, pennation: float, speed: float) -> dict[str, float]:
    """Properties that all muscles of OpenSim have."""
    return {
        "max_isometric_force": force,
        "optimal_fiber_length": optimal,
        "tendon_slack_length": slack,
        "pennation_angle_at_optimal": pennation,
        "max_contraction_velocity": speed,
    }


def _inequalities(when: Any) -> Iterator[tuple[Any, Any]]:
    """Pairs (a, b) with a <= b of which a condition is the conjunction; a pair of the condition itself for others."""
    waiting = [when]
    while waiting:
        c = waiting.pop()
        if c.op == "and":
            waiting += c.args
        elif c.op in ("le", "lt"):
            yield c.args[0], c.args[1]
        elif c.op == "not" and c.args[0].op in ("le", "lt"):
            yield c.args[0].args[1], c.args[0].args[0]
        else:
            yield c, c


def _with_x_along(p: Any) -> Any:
    """A rotation that takes x to the direction of p, about z if p is in the plane of x and y."""
    x = p / np.linalg.norm(p)
    up = np.array([0.0, 0.0, 1.0]) if abs(x[2]) < math.sqrt(0.5) else np.array([0.0, 1.0, 0.0])
    y = np.cross(up, x)
    y = y / np.linalg.norm(y)
    return np.column_stack([x, y, np.cross(x, y)])

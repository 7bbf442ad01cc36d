"""Paths of muscles in OpenSim's files: points that are fixed, that move with a coordinate or that count within a range of
one, and surfaces between them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

import symbody as sb

from ...errors import listed, shown, unknown
from ...escaping import identifier
from ..robot.xml_tree import XmlElement
from .osim_file import OsimFile, label
from .osim_functions import function_inside

SLACK: Final = 1e-5  # OpenSim's, beyond the range of a conditional point
TRIALS: Final = 40  # configurations in which a surface is looked for

QUADRANTS: Final = ("x", "-x", "+x", "y", "-y", "+y", "z", "-z", "+z")

Surfaces: TypeAlias = list[tuple[str, Any]]


@dataclass(frozen=True)
class OsimMuscle:
    """The numbers of a muscle of a file: maximal isometric force [N], optimal fibre length and tendon slack length [m],
    pennation at the optimal length [rad], fastest shortening [optimal lengths/s]; `kind` is the file's, such as
    "Thelen2003Muscle"; `applies` is False where the file has switched it off.

    dynamics   of a DeGrooteFregly2016Muscle: tendon ("rigid" or "elastic"), times, smoothing and damping, as in
               `kits.biomechanics.muscle`; tendon_strain, passive_strain; has_activation, False where the input is the
               activation. Empty for other kinds
    """

    name: str
    kind: str
    max_force: float
    optimal_length: float
    slack_length: float
    pennation: float
    max_speed: float
    applies: bool
    dynamics: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class PathReader:
    """Reads paths, where the frames of bodies and the values of coordinates are known."""

    file: OsimFile
    frames: Mapping[str, sb.Frame]
    values: Mapping[str, sb.Expr]
    wraps: Mapping[str, tuple[XmlElement, Any]]
    ranges: Mapping[sb.Expr, tuple[float, float]]  # of coordinates that move

    def stations(self, owner: XmlElement) -> list[Any] | None:
        """The arguments of `Model.path`; None if the path cannot be expressed in this way."""
        inside = self.file.only(owner, "GeometryPath")
        if inside is None or (points := self.file.only(inside, "PathPointSet")) is None:
            return None
        elements = [e for objects in points.all("objects") for e in objects.children]
        stations = [self._station(label(owner), e) for e in elements]
        if len(stations) < 2 or not isinstance(stations[0], sb.Point) or not isinstance(stations[-1], sb.Point):
            self.file.doubtful.append(
                f"path of {label(owner)!r} is omitted: it does not begin and end with an unconditional point"
            )
            return None
        return self._with_surfaces(owner, inside, stations)

    def _station(self, owner: str, e: XmlElement) -> sb.Point | sb.bodies.ViaPoint:
        name = self.file.socket(e, "parent_frame")
        if name not in self.frames:
            raise unknown(f"{self.file.where}: {owner!r}, point {label(e)!r}", "body", name, self.frames)
        frame = self.frames[name]
        if e.tag == "MovingPathPoint":
            return frame.point(*(self._location(owner, e, k) for k in "xyz"))
        point = frame.point(*self.file.three(e, "location"))
        if e.tag == "PathPoint":
            return point
        if e.tag != "ConditionalPathPoint":
            raise self.file.wrong(
                e, "this point is not supported; supported are: PathPoint, ConditionalPathPoint, MovingPathPoint"
            )
        low, high = self.file.numbers(e, "range", 2)
        q = self._value(owner, e, "coordinate")
        return sb.bodies.ViaPoint(point, (q >= low - SLACK) & (q <= high + SLACK))

    def _location(self, owner: str, e: XmlElement, axis: str) -> sb.Expr:
        law = function_inside(self.file, e, f"{axis}_location", identifier(f"{label(e)}_{axis}"))
        return law(self._value(owner, e, f"{axis}_coordinate"))

    def _value(self, owner: str, e: XmlElement, which: str) -> sb.Expr:
        name = self.file.socket(e, which)
        if name not in self.values:
            raise unknown(f"{self.file.where}: {owner!r}, point {label(e)!r}", "coordinate", name, self.values)
        return sb.algebra.as_expr(self.values[name])

    def _with_surfaces(self, owner: XmlElement, path: XmlElement, stations: list[Any]) -> list[Any]:
        """Surfaces between points, wherever they may be in the way; one or two cylinders in each gap."""
        chosen = list(self._surfaces(owner, path))
        out = [stations[0]]
        for k, s in enumerate(stations[1:], start=1):
            if isinstance(s, sb.Point) and isinstance(stations[k - 1], sb.Point):
                between = [(n, w) for n, w, low, high in chosen if low <= k - 1 and k <= high]
                between = self._in_the_way(label(owner), k, between, stations[k - 1], s)
                out += [w for _, w in between]
            out.append(s)
        return out

    def _in_the_way(self, owner: str, k: int, between: Surfaces, a: sb.Point, b: sb.Point) -> Surfaces:
        """Those that the path may meet, in their order along it. A gap has room for one, or for two cylinders; of more,
        those that the path meets most often."""
        if len(between) == 1 and self._coordinates_of(between[0][1], a, b)[1]:
            return between
        times = {n: self._times_met(w, a, b) for n, w in between}
        may = sorted((m for m in between if times[m[0]] > 0), key=lambda m: -times[m[0]])
        room = 2 if all(isinstance(w, sb.bodies.WrapCylinder) for _, w in may[:2]) else 1
        if len(may) > room:
            without = listed([n for n, _ in may[room:]])
            self.file.doubtful.append(
                f"path of {owner!r}: between points {k} and {k + 1} it runs over {listed([n for n, _ in may[:room]])} only, without {without}"
            )
        return sorted(may[:room], key=lambda m: self._share_of_the_way(m[1], a, b))

    def _share_of_the_way(self, surface: Any, a: sb.Point, b: sb.Point) -> float:
        """How far along the straight line from a to b the middle of a surface is, in the middle of all ranges."""
        line, to = ((p - a).in_ground for p in (b, surface.frame.origin))
        share = sb.dot(to, line) / sb.dot(line, line)
        inside = set(sb.free_symbols(share))
        return float(sb.evaluate(share, {s: sum(r) / 2 for s, r in self.ranges.items() if s in inside}))

    def _coordinates_of(self, surface: Any, a: sb.Point, b: sb.Point) -> tuple[sb.Expr, list[sb.Expr]]:
        """Whether the straight line meets a surface, and the coordinates of which that is a question."""
        met = sb.where(surface.piece(a, b, a.frame, b.frame).touches, 1, 0)
        inside = set(sb.free_symbols(met))
        return met, [s for s in self.ranges if s in inside]

    def _times_met(self, surface: Any, a: sb.Point, b: sb.Point) -> int:
        """In how many of some configurations the straight line meets the surface."""
        met, moving = self._coordinates_of(surface, a, b)
        found = 0
        for t in range(TRIALS if moving else 1):
            low_high = {s: (self.ranges[s], _share(t, n)) for n, s in enumerate(moving)}
            found += int(sb.evaluate(met, {s: low + (high - low) * x for s, ((low, high), x) in low_high.items()}))
        return found

    def _surfaces(self, owner: XmlElement, path: XmlElement) -> Iterator[tuple[str, Any, int, int]]:
        """Name, surface, and the first and last of the points between which it counts."""
        inside = self.file.only(path, "PathWrapSet")
        for e in (e for o in (inside.all("objects") if inside is not None else ()) for e in o.children):
            name = self.file.text(e, "wrap_object")
            if name not in self.wraps:
                raise unknown(f"{self.file.where}: {label(owner)!r}", "wrap object", name, self.wraps)
            element, surface = self.wraps[name]
            if isinstance(surface, str):
                self.file.doubtful.append(
                    f"path of {label(owner)!r} ignores the {element.tag} {name!r}, which {surface}"
                )
                continue
            first, last = (int(x) for x in self.file.numbers(e, "range", 2, (-1.0, -1.0)))
            yield name, surface, first - 1 if first > 0 else 0, last - 1 if last > 0 else 10**6


def surface_of(file: OsimFile, e: XmlElement, frame: sb.Frame) -> Any:
    """The surface of a wrap object; a sentence if there is none for it."""
    if not file.is_true(e, "active", "true"):
        return "is switched off in the file"
    if e.tag not in ("WrapCylinder", "WrapSphere", "WrapTorus", "WrapEllipsoid"):
        return "is not read"
    name = identifier(label(e))
    at = frame.translate(*file.three(e, "translation"), name=name)
    angles = file.three(e, "xyz_body_rotation")
    at = at.rotate("xyz", *angles, name=name) if any(angles) else at
    if e.tag == "WrapTorus":
        return sb.bodies.WrapTorus(at, file.number(e, "outer_radius"), file.number(e, "inner_radius"))
    if e.tag == "WrapEllipsoid":
        return sb.bodies.WrapEllipsoid(at, file.three(e, "dimensions"), beside=_beside(file, e, at))
    made = sb.bodies.WrapCylinder if e.tag == "WrapCylinder" else sb.bodies.WrapSphere
    return made(at, file.number(e, "radius"), beside=_beside(file, e, at))


def _beside(file: OsimFile, e: XmlElement, frame: sb.Frame) -> sb.Point | None:
    """A point on the side of a surface to which its quadrant restricts the path; None: it takes the shorter way."""
    quadrant = file.text(e, "quadrant", "all").lower()
    if quadrant in ("all", ""):
        return None
    if quadrant not in QUADRANTS:
        raise file.wrong(e, f"<quadrant> must be all, {listed(QUADRANTS)}, got {shown(quadrant)}")
    sign, axis = (-1.0 if quadrant[0] == "-" else 1.0), quadrant[-1]
    return frame.point(*(sign if k == axis else 0.0 for k in "xyz"))


def _share(trial: int, n: int) -> float:
    """Numbers spread over 0 to 1, a row for each coordinate (multiples of roots, modulo one)."""
    return (0.5 + (trial + 1) * ((n + 2) ** 0.5 * 0.7548776662466927)) % 1.0

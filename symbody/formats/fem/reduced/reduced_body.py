"""A deforming body as numbers: moments of its fields, stiffness, damping, and frames at its points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, Final, TypeAlias

import numpy as np

import symbody as sb

from ....errors import ModelError, listed
from ....later import later
from ....summary import Summarized, Summary, summary_rows
from ..bodies.finite_body import Array, Indices
from .stress_history import StressHistory, stress_history

NEIGHBOURS: Final = 9  # nodes that say how a body is turned at one of them, itself among them
ZERO, ONE, HALF = sb.algebra.as_expr(0), sb.algebra.as_expr(1), sb.fraction(1, 2)
Place: TypeAlias = tuple[sb.Expr, sb.Expr, sb.Expr]
DUST: Final = 1e-9  # of what an entry could be: what the conditioning of a stiffness matrix leaves of zeros


@dataclass(frozen=True, eq=False)
class PointData:
    """A frame on the body: its place at rest, shifts and angles about x, y, z for each mode, second-order shifts of ½
    q_k q_l s_kl, how it is turned at rest, and second-order rotation vectors of ½ q_k q_l θ_kl."""

    place: Array
    shifts: Array
    angles: Array
    second: Array | None = None
    rest: Array = field(default_factory=lambda: np.eye(3))
    turned: Array | None = None


@dataclass(frozen=True, eq=False)
class Stiffening:
    """Second-order fields s_kl of ½ q_k q_l s_kl: g_kl (n, n, 3) and G_0,kl (n, n, 3, 3)."""

    first: Array
    second: Array


@dataclass(frozen=True, eq=False)
class Skin:
    """What is drawn: nodes at rest, their shifts for each mode (n, nodes, 3), triangles, edges between few nodes, and
    numbers of the nodes where stresses are known, by name."""

    nodes: Array
    shifts: Array
    faces: Indices
    edges: Indices = field(default_factory=lambda: np.zeros((0, 2), dtype=np.int64))
    places: Mapping[str, Indices] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class DeformingSurface:
    """Triangles on a body that deforms: nodes at rest, in the frame of the body, and their shifts and stresses for each
    coordinate, (n, nodes, 3) and (n, nodes, 6); NaN if stresses are not known."""

    coordinates: tuple[sb.Symbol, ...]
    nodes: Array
    shifts: Array
    faces: Indices
    stress: Array | None


@dataclass(frozen=True, eq=False)
class NodalShapes:
    """Places of nodes: only there a body from finite elements is known."""

    coordinates: tuple[sb.Symbol, ...]
    skin: Skin
    body: str
    has_sections: bool = False

    def displaced(self, place: Place) -> sb.Matrix:
        k = self._node(place)
        return sum_of(self.skin.nodes[k], self.skin.shifts[:, k], self.coordinates)

    def turns(self, place: Place) -> Place:
        """Of the nodes around: the rigid motion that is nearest to theirs."""
        k = self._node(place)
        r = self.skin.nodes - self.skin.nodes[k]
        near = np.argsort(np.einsum("na,na->n", r, r), kind="stable")[1:NEIGHBOURS]
        r = r[near]
        J = np.einsum("na,na->", r, r) * np.eye(3) - r.T @ r
        turning = np.cross(r, self.skin.shifts[:, near] - self.skin.shifts[:, None, k]).sum(axis=1)
        x, y, z = sum_of(np.zeros(3), np.linalg.lstsq(J, turning.T, rcond=1e-9)[0].T, self.coordinates).entries
        return z, y, x

    def copied(self, copy: Any) -> NodalShapes:
        """In another model, with its coordinates."""
        return replace(self, coordinates=copy(self.coordinates))

    def _node(self, place: Place) -> int:
        values = [e.value for e in place]
        if None in values:
            raise ModelError(
                f"a body from finite elements is known at its nodes: places on it must be numbers, got {listed(place)}"
            )
        distance = np.linalg.norm(self.skin.nodes - np.array([float(v) for v in values if v is not None]), axis=1)
        k = int(distance.argmin())
        if distance[k] > 1e-6 * np.ptp(self.skin.nodes, axis=0).max():
            raise ModelError(
                f"a body from finite elements is known at its nodes, and none is at {listed(place)}; the "
                f"nearest is at {listed(f'{x:z.6g}' for x in self.skin.nodes[k])} in its frame"
            )
        return k


@dataclass(frozen=True, eq=False, repr=False)
class ReducedBody(Summarized):
    """A body with elastic coordinates q: s = s_0 + Σ q_k s_k.

    mass, first, second    m = ∫ dm, g_k = ∫ s_k dm (n + 1, 3), G_kl = ∫ s_k s_lᵀ dm (n + 1, n + 1, 3, 3), 0 being the
                           place at rest
    stiffness, damping     K and D
    points                 frames by name
    kept                   a description of each coordinate
    frame                  what its frame is fixed to
    stress                 {name: (n, places, 6)}: stresses xx, yy, zz, xy, yz, xz for each q of one
    report                 results of the reduction, by name
    stiffening             geometric stiffness by unit accelerations and loads, if requested
    skin                   nodes and faces that are drawn, with their shifts for each coordinate

    >>> nodes = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    >>> K = np.zeros((12, 12))  # four nodes, and a spring between any two
    >>> for i, j in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]:
    ...     way = (nodes[j] - nodes[i]) / np.linalg.norm(nodes[j] - nodes[i])
    ...     b = np.kron(np.eye(4)[j] - np.eye(4)[i], way)
    ...     K += 1000.0 * np.outer(b, b)
    >>> part = sb.finite_elements(mass=np.eye(12), stiffness=K, nodes=nodes)
    >>> body = part.reduced(frame="mean", method="free", modes=2)
    >>> body.mass, body.stiffness.shape
    (4.0, (2, 2))

    See also: `finite_elements`, `formats.read_reduced`, `Model.elastic_from`.
    """

    mass: float
    first: Array
    second: Array
    stiffness: Array
    damping: Array
    points: Mapping[str, PointData]
    kept: tuple[str, ...] = ()
    frame: str = ""
    stiffening: Stiffening | None = None
    skin: Skin | None = None
    stress: Mapping[str, Array] = field(default_factory=dict)
    report: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("points", "stress", "report"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))

    @property
    def count(self) -> int:
        """How many elastic coordinates it has.

        >>> nodes = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
        >>> K = np.zeros((12, 12))  # four nodes, and a spring between any two
        >>> for i, j in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]:
        ...     way = (nodes[j] - nodes[i]) / np.linalg.norm(nodes[j] - nodes[i])
        ...     b = np.kron(np.eye(4)[j] - np.eye(4)[i], way)
        ...     K += 1000.0 * np.outer(b, b)
        >>> part = sb.finite_elements(mass=np.eye(12), stiffness=K, nodes=nodes)
        >>> body = part.reduced(frame="mean", method="free", modes=1, points={"tip": 1})
        >>> body.count, body.modal_mass, body.frequencies, len(body.checked)
        (1, array([[1.]]), array([5.032921]), 1)
        >>> q = (sb.symbol("q1", "coordinate"),)
        >>> body.matrix("stiffness").shape, body.table(q) is not None, body.shapes(q) is not None
        ((1, 1), True, True)
        >>> N = sb.Model("m").ground
        >>> place, angles = body.motion(body.points["tip"], q)
        >>> list(body.frames(N, q)), len(body.edges(N, q)) > 0, body.surface(q) is None, place.shape
        (['tip'], True, True, (3, 1))
        >>> body.point_at(tuple(body.frames(N, q)["tip"].origin.in_ground.map(lambda e: sb.substitute(e, {q[0]: 0}))))
        'tip'
        >>> known = body.with_(stress={"root": np.ones((1, 2, 6))})
        >>> known.stresses("body", q, {"t": [0.0, 1.0], "q1": [0.0, 0.5]}, None).components.shape
        (2, 2, 6)
        >>> body.with_(mass=5.0).mass, body.save("part.npz").name
        (5.0, 'part.npz')

        See also: `formats.FiniteElements.reduced`, `formats.read_reduced`.
        """
        return len(self.first) - 1

    @property
    def checked(self) -> tuple[ReducedBody, ...]:
        """Bodies whose modes are to be checked: itself."""
        return (self,)

    @property
    def modal_mass(self) -> Array:
        """Me = tr G_kl."""
        return np.asarray(np.einsum("klaa->kl", self.second[1:, 1:]))

    @cached_property
    def frequencies(self) -> Array:
        """Natural frequencies in Hz of the body with a fixed frame."""
        values = np.linalg.eigvals(np.linalg.solve(self.modal_mass, self.stiffness)).real
        return np.sort(np.sqrt(np.maximum(values, 0.0))) / (2 * np.pi)

    def _summary(self) -> Summary:
        rows = summary_rows(
            frame=self.frame,
            mass=f"{self.mass:z.6g}",
            frequencies=listed((f"{f:z.5g} Hz" for f in self.frequencies), 10),
            points=listed(self.points),
            stiffening="yes" if self.stiffening is not None else "",
            stress=listed(self.stress),
            **{k.replace(" ", "_"): f"{v:z.3g}" for k, v in self.report.items() if isinstance(v, float)},
        )
        return Summary(f"Reduced body with {self.count} coordinates", rows)

    # ------------------------------------------------------------------------------------------------ to a model

    def table(self, q: tuple[sb.Symbol, ...]) -> sb.bodies.Moments:
        """Its moments with these coordinates; entries that are rounding of zero are zero."""
        weights: list[sb.Expr] = [ONE, *q]
        size = np.sqrt(np.einsum("kkaa->k", self.second))
        first = [_column(g, DUST * np.sqrt(self.mass) * s) for g, s in zip(self.first, size, strict=True)]
        second = {
            (k, l): _square_matrix(self.second[k, l], DUST * size[k] * size[l])
            for k in range(len(size))
            for l in range(k, len(size))
        }
        for (k, l), (g, G) in self._second_order().items():
            second[0, len(weights)] = G
            weights.append(q[k] * q[l] * (HALF if k == l else ONE))
            first.append(g)
        return sb.bodies.Moments(
            sb.algebra.as_expr(float(self.mass)),
            tuple(weights),
            tuple(first),
            {p: G for p, G in second.items() if not _is_zero(G)},
        )

    def _second_order(self) -> dict[tuple[int, int], tuple[sb.Matrix, sb.Matrix]]:
        s = self.stiffening
        if s is None:
            return {}
        dust_1, dust_2 = DUST * np.abs(s.first).max(), DUST * np.abs(s.second).max()
        found = {
            (k, l): (_column(s.first[k, l], dust_1), _square_matrix(s.second[k, l], dust_2))
            for k in range(self.count)
            for l in range(k, self.count)
        }
        return {p: (g, G) for p, (g, G) in found.items() if not (_is_zero(g) and _is_zero(G))}

    def matrix(self, name: str) -> sb.Matrix:
        """Stiffness or damping as expressions, without entries that are rounding."""
        return exact_matrix(getattr(self, name))

    def shapes(self, q: tuple[sb.Symbol, ...]) -> NodalShapes | None:
        """The positions of its nodes, if it has nodes."""
        return None if self.skin is None else NodalShapes(q, self.skin, self.frame)

    def point_at(self, place: Place) -> str | None:
        """The name of the point that is there at rest; interfaces need no node at their place."""
        values = [e.value for e in place]
        if None in values:
            return None
        at = np.array([float(v) for v in values if v is not None])
        size = max((float(np.abs(p.place).max()) for p in self.points.values()), default=0.0)
        return next((n for n, p in self.points.items() if np.abs(p.place - at).max() <= 1e-9 * size), None)

    def edges(self, on: sb.Frame, q: tuple[sb.Symbol, ...]) -> tuple[tuple[sb.Frame, sb.Frame], ...]:
        """Frames that follow nodes, in pairs between which it is drawn."""
        skin = self.skin
        if skin is None:
            return ()
        made = {}
        for k in np.unique(skin.edges):
            offset = sum_of(skin.nodes[k], skin.shifts[:, k], q)
            made[int(k)] = sb.Frame(on, offset=offset, name=f"{on.name}.node{k}")
        return tuple((made[int(a)], made[int(b)]) for a, b in skin.edges)

    def stresses(self, name: str, q: tuple[sb.Symbol, ...], run: Any, places: str | None) -> StressHistory:
        """Stresses along a trajectory of a model in which a body of this name is made of it; see `ElasticBody.stresses`."""
        return stress_history(name, q, self.stress, run, places)

    def surface(self, q: tuple[sb.Symbol, ...]) -> DeformingSurface | None:
        """Its mesh, if that is known."""
        skin = self.skin
        if skin is None or not len(skin.faces):
            return None
        name = next((n for n in skin.places if n in self.stress), None)
        stress = None
        if name is not None:
            stress = np.full((self.count, len(skin.nodes), 6), np.nan)
            stress[:, skin.places[name]] = self.stress[name]
        return DeformingSurface(q, skin.nodes, skin.shifts, skin.faces, stress)

    def frames(self, on: sb.Frame, q: tuple[sb.Symbol, ...]) -> dict[str, sb.Frame]:
        """Of its points, on the frame of the body."""
        return {n: self._frame(on, p, q, f"{on.name}.{n}") for n, p in self.points.items()}

    def _frame(self, on: sb.Frame, p: PointData, q: tuple[sb.Symbol, ...], name: str) -> sb.Frame:
        if np.array_equal(p.rest, np.eye(3)):
            return turned_frame(on, *self.motion(p, q), name)
        moved = turned_frame(on, *self.motion(p, q), f"{name}.deformed")
        return moved.rotate_by_cosines(_square_matrix(p.rest, 0.0), name)

    def motion(self, p: PointData, q: tuple[sb.Symbol, ...]) -> tuple[sb.Matrix, Place]:
        """Place, and angles about z, y, x."""
        offset, angles = sum_of(p.place, p.shifts, q), sum_of(np.zeros(3), p.angles, q)
        if p.second is not None:
            offset = offset + _quadratic(p.second, q)
        return offset, in_sequence(angles, None if p.turned is None else _quadratic(p.turned, q))

    def save(self, path: Any) -> Any:
        """Write it as .SID_FEM (for other multibody programs), or as .npz with all that it has."""
        return later("formats.fem.reduced.reduced_file", "write_reduced")(self, path)

    def with_(self, **changes: Any) -> ReducedBody:
        """The same with some of its data changed."""
        return replace(self, **changes)


def turned_frame(on: sb.Frame, offset: sb.Matrix, angles: Place, name: str) -> sb.Frame:
    """A frame moved by an offset and turned about z, y, x by angles, as one step."""
    return on.place(on.translate(*offset).rotate("zyx", *angles).pose_in(on), name)


def in_sequence(angles: sb.Matrix, second: sb.Matrix | None) -> Place:
    """Angles about z, y, x, one after the other, of a rotation vector to second order.

    Turns by z, y, x have the rotation vector (x, y, z) + ½ (-y z, x z, -x y) to second order, of which the second part
    is taken back; without second-order rotations angles to first order are what they are.
    """
    x, y, z = angles.entries
    if second is None:
        return z, y, x
    a, b, c = second.entries
    return z + c + HALF * x * y, y + b - HALF * x * z, x + a + HALF * y * z


def _quadratic(parts: Array, q: tuple[sb.Symbol, ...]) -> sb.Matrix:
    """½ Σ q_k q_l x_kl, without terms that are rounding."""
    dust = DUST * max(float(np.abs(parts).max(initial=0.0)), 1e-300)
    total = _column(np.zeros(3), 0.0)
    for k in range(len(q)):
        for l in range(k, len(q)):
            total = total + (q[k] * q[l] * (HALF if k == l else ONE)) * _column(parts[k, l], dust)
    return total


def sum_of(rest: Array, parts: Array, q: tuple[sb.Symbol, ...]) -> sb.Matrix:
    """x_0 + Σ q_k x_k, without terms that are rounding."""
    size = DUST * max(float(np.abs(parts).max(initial=0.0)), 1e-300)
    total = _column(rest, 0.0)
    for x, part in zip(q, parts, strict=True):
        total = total + x * _column(part, size)
    return total


def _column(values: Array, dust: float) -> sb.Matrix:
    return sb.Matrix(
        3, 1, tuple(sb.algebra.as_expr(float(x)) if abs(x) > dust else sb.algebra.as_expr(0) for x in values)
    )


def _square_matrix(values: Array, dust: float) -> sb.Matrix:
    n = len(values)
    return sb.Matrix(
        n, n, tuple(sb.algebra.as_expr(float(x)) if abs(x) > dust else sb.algebra.as_expr(0) for x in values.ravel())
    )


def _is_zero(A: sb.Matrix) -> bool:
    return all(e is ZERO for e in A.entries)


def exact_matrix(values: Array) -> sb.Matrix:
    """As expressions, entries that are rounding of zero beside their diagonal left out."""
    d = np.sqrt(np.abs(np.diag(values)))
    return _square_matrix(np.where(np.abs(values) > DUST * np.outer(d, d), values, 0.0), 0.0)

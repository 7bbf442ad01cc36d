"""Elastic bodies: a floating frame, elastic coordinates, and the position of each point of the body."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

from ...algebra.calculus.derivatives import derivative, jacobian
from ...algebra.graph.graph import HALF, ZERO, Expr, Symbol, as_expr
from ...algebra.graph.matrix import Matrix, sum_of_products, zeros
from ...algebra.graph.walk import free_symbols, substitute_all
from ...argument_kinds import answered_class
from ...errors import ModelError, listed, shown, unknown
from ...summary import one_line_tag
from ..frames.frames import Frame
from ..frames.points import Point
from ..frames.rotations import Rotation, Turn
from ..frames.vectors import Vector
from ..mass.mass import MassProperties
from ..mass.moments import Moments, trace
from ..mechanism.deforming_mesh import DeformingMesh
from ..mechanism.mechanism import Body, Load
from .elastic_numbers import ElasticNumbers, Place, Shapes, StressesOfRun
from .own_modes import OwnModes, own_modes


@answered_class
@dataclass(frozen=True, eq=False, repr=False)
class ElasticBody(Body):
    """An elastic body: its points move relative to its frame as functions of elastic coordinates.

    coordinates   the elastic coordinates q
    stiffness     K of the internal energy ½ q · K q
    damping       D of the internal forces -D q'
    shapes        the positions of its points
    outline       undeformed positions for drawings: the vertices of a line along the body
    points        named frames
    reduced       the reduced data, if the body comes from finite elements or a file

    >>> m = sb.Model("blade")
    >>> blade = m.beam("blade", m.ground, length=1, EI=10, rho_A=2, modes=1)
    >>> blade.coordinates, blade.stiffness
    ((blade_y1,), vector(40))
    >>> sb.derive(m).M
    vector(32*blade_y1**2/63 + 2/5)

    See also: `Model.beam`, `bodies.material`, `finite_elements`.
    """

    coordinates: tuple[Symbol, ...] = ()
    stiffness: Matrix = field(default_factory=lambda: zeros(0, 0))
    damping: Matrix = field(default_factory=lambda: zeros(0, 0))
    shapes: Shapes | None = None
    outline: tuple[Place, ...] = ()
    points: Mapping[str, Frame] = field(default_factory=dict)
    reduced: ElasticNumbers | None = None
    _frames: dict[Place, Frame] = field(default_factory=dict)

    def at(self, x: Any = 0, y: Any = 0, z: Any = 0) -> Frame:
        """The frame at the point with these coordinates (or this name), which moves and rotates with the deformation.
        Repeated calls for one point return the same frame.

        >>> m = sb.Model("blade")
        >>> blade = m.beam("blade", m.ground, length=1, EI=10, rho_A=2, modes=1, stiffening=False)
        >>> tip = blade.at(1)
        >>> tip.origin.in_ground, blade.point(1).in_ground, blade.displacement(1)
        (vector(1, blade_y1, 0), vector(1, blade_y1, 0), vector(0, blade_y1, 0))
        >>> blade.velocity_at(blade.point(1)).in_ground, blade.mass_matrix
        (vector(0, blade_y1_dot, 0), vector(2/5))
        >>> blade.mass_at_rest.m, blade.is_fixed_at_origin, len(blade.edges), blade.surface
        (2, True, 12, None)
        >>> lin = sb.linearize(sb.derive(m), {})
        >>> print(blade.beside(lin.modes()))
                  Hz   damping           part of blade  own mode      own Hz   alike
              1.5915    0.0000                    100%         1      1.5915    100%
              1.5915    0.0000                    100%         1      1.5915    100%

        See also: `Model.beam`, `Frame`.
        """
        if isinstance(x, str):
            if x not in self.points:
                raise unknown(f"body {self.name!r}", "point", x, self.points)
            return self.points[x]
        place = self._place(x, y, z)
        if self.reduced is not None and (name := self.reduced.point_at(place)) is not None:
            return self.points[name]
        if place not in self._frames:
            assert self.shapes is not None
            away = [e for e in place if e is not ZERO]
            name = f"{self.frame.name}.{listed(away) if away else 'origin'}"
            axis = (place[0], ZERO, ZERO) if self.shapes.has_sections else place
            made = turned_frame(self.frame, self.shapes.displaced(axis), self.shapes.turns(axis), name)
            rest = place[1:] if self.shapes.has_sections else (ZERO, ZERO)
            self._frames[place] = made if rest == (ZERO, ZERO) else made.translate(0, *rest, name=name)
        return self._frames[place]

    @cached_property
    def mass_at_rest(self) -> MassProperties:
        """Mass, mass centre and inertia of the undeformed body."""
        m, c, I = substitute_all(
            [self.mass.m, self.mass.p_BoBcm, self.mass.I_BBcm], dict.fromkeys(self.coordinates, ZERO)
        )
        return MassProperties(m, c, I)

    @cached_property
    def edges(self) -> tuple[tuple[Frame, Frame], ...]:
        """Pairs of frames along the body between which drawings show it."""
        if self.surface is not None:
            return ()
        if self.reduced is not None:
            return self.reduced.edges(self.frame, self.coordinates)
        return tuple(pairwise(self.at(*place) for place in self.outline))

    @property
    def surface(self) -> DeformingMesh | None:
        return None if self.reduced is None else self.reduced.surface(self.coordinates)

    @property
    def is_fixed_at_origin(self) -> bool:
        if self.shapes is None:
            return True
        f = self.at(0, 0, 0)
        return not free_symbols(f.offset, f.rotation.matrix)

    def point(self, x: object = 0, y: object = 0, z: object = 0) -> Point:
        """The point of the body with these coordinates in the undeformed state."""
        return self.at(x, y, z).origin

    def velocity_at(self, point: Point) -> Vector:
        """Velocity of a point of the body, such as body.point(x)."""
        if self.frame not in point.frame.path:
            raise ModelError(
                f"body {self.name!r} deforms: velocities are available only at its own points, such as "
                f"body.point(x); got {shown(point)}"
            )
        return point.velocity()

    def displacement(self, x: Any = 0, y: Any = 0, z: Any = 0) -> Matrix:
        """Displacement of the point due to deformation: its position in the body frame minus its undeformed
        position."""
        self._place(x, y, z)
        here = self.point(x, y, z).in_frame(self.frame).coordinates
        return here - substitute_all([here], dict.fromkeys(self.coordinates, ZERO))[0]

    def stresses(self, run: Any, places: str | None = None) -> StressesOfRun:
        """Stresses along a trajectory, for a finite-element body with stress data: `arm.stresses(sim).largest`.

        places   the name of a group of stress points, the first by default

        >>> from dataclasses import replace
        >>> nodes = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
        >>> K = np.zeros((12, 12))  # four nodes, and a spring between any two
        >>> for i, j in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]:
        ...     way = (nodes[j] - nodes[i]) / np.linalg.norm(nodes[j] - nodes[i])
        ...     b = np.kron(np.eye(4)[j] - np.eye(4)[i], way)
        ...     K += 1000.0 * np.outer(b, b)
        >>> xx = np.zeros((6, 12))
        >>> xx[0, [0, 3]] = -1000.0, 1000.0  # of the spring along x, for displacements of its ends
        >>> part = replace(sb.finite_elements(mass=np.eye(12), stiffness=K, nodes=nodes), stress={"spring": xx})
        >>> m = sb.Model("part")
        >>> body = m.elastic_from("part", part.reduced(frame="mean", method="free", modes=1), m.ground)
        >>> found = body.stresses(sb.simulate(sb.derive(m), [0.0, 0.1, 0.2], part_q1=0.01))
        >>> found.components.shape, found.von_mises.shape  # times, places, components
        ((3, 1, 6), (3, 1))

        See also: `formats.FiniteElements`, `Model.elastic_from`.
        """
        if self.reduced is None:
            raise ModelError(
                f"body {self.name!r}: it has no stress data; make it from a scikit-fem basis, or give "
                "`finite_elements` bodies with stress rows"
            )
        return self.reduced.stresses(self.name, self.coordinates, run, places)

    def beside(self, modes: Iterable[Any], values: Mapping[Any, float] | None = None) -> OwnModes:
        """Compares the modes of a mechanism with those of the body alone: `print(arm.beside(linear.modes()))`.

        values   of the parameters on which its mass and stiffness depend
        """
        return own_modes(self.name, self.coordinates, self.mass_matrix, self.stiffness, modes, values or {})

    def _place(self, x: Any, y: Any, z: Any) -> Place:
        if self.shapes is None:
            raise ModelError(f"body {self.name!r}: it was given by its moments only; name its points in points=")
        return as_expr(x), as_expr(y), as_expr(z)

    @property
    def mass_matrix(self) -> Matrix:
        """Mass matrix Me of the elastic coordinates in the undeformed state: ∫ s_k · s_l dm."""
        return modal_mass(self.moments, self.coordinates) if self.moments is not None else zeros(0, 0)

    def __repr__(self) -> str:
        return one_line_tag(
            f"Elastic body {self.name}, {len(self.coordinates)} coordinates: {listed(self.coordinates, 6)}"
        )


def deforms(part: Any) -> bool:
    """Whether a part of a model is a body that deforms."""
    return isinstance(part, Body) and part.moments is not None


def turned_frame(on: Frame, offset: Matrix, angles: Place, name: str) -> Frame:
    """A frame with an offset, rotated about z, y, x by those of the angles that are not zero."""
    turns = tuple(Turn(axis, a) for axis, a in zip((2, 1, 0), angles, strict=True) if a is not ZERO)
    return Frame(on, Rotation(turns), offset, name)


def modal_mass(moments: Moments, coordinates: Sequence[Symbol]) -> Matrix:
    """∫ s_k · s_l dm of the fields s_k = ∂s/∂q_k where nothing is deformed."""
    slopes = jacobian(moments.weights, coordinates)
    J = substitute_all([slopes], dict.fromkeys(coordinates, ZERO))[0]
    columns = [[(k, e) for k, e in enumerate(J.column(j)) if e is not ZERO] for j in range(J.cols)]
    entries = [
        sum((c * d * trace(moments.G(k, l)) for k, c in a for l, d in b), ZERO) for a in columns for b in columns
    ]
    return Matrix(len(columns), len(columns), tuple(entries))


def internal_loads(name: str, q: Sequence[Symbol], K: Matrix, D: Matrix, more: Expr = ZERO) -> list[Load]:
    """-K q with the energy ½ q · K q, and -D q'; `more`: energy of higher order."""
    out = []
    pull = K @ Matrix(len(q), 1, tuple(q))
    stored = HALF * sum_of_products(q, pull.entries) + more
    if more is not ZERO:
        pull = pull + jacobian([more], q).T
    if any(e is not ZERO for e in pull.entries):
        on = {x: -e for x, e in zip(q, pull.entries, strict=True)}
        out.append(Load(f"{name}.elastic", "elastic", potential=stored, on_rates=on))
    drag = D @ Matrix(len(q), 1, tuple(x.dot for x in q))
    if any(e is not ZERO for e in drag.entries):
        on = {x: -e for x, e in zip(q, drag.entries, strict=True)}
        out.append(Load(f"{name}.damping", "elastic damping", on_rates=on))
    return out


# ------------------------------------------------------------------------------------------------ shapes by expressions


@dataclass(frozen=True)
class FieldShapes:
    """Shapes as expressions in material coordinates: Σ h_k s_k, and angles about x, y, z (or none, where they are
    unknown)."""

    material: tuple[Symbol, ...]
    weights: tuple[Expr, ...]
    fields: tuple[Matrix, ...]
    angles: Matrix | None
    body: str
    has_sections: bool = False

    def displaced(self, place: Place) -> Matrix:
        total = zeros(3)
        for h, s in zip(self.weights, substitute_all(list(self.fields), self._table(place)), strict=True):
            total = total + h * s
        return total

    def turns(self, place: Place) -> Place:
        if self.angles is None:
            raise ModelError(
                f"body {self.body!r}: rotations at a point are not available for a body with its own rest shape; give turns=, angles "
                "about x, y and z for each mode"
            )
        x, y, z = substitute_all([self.angles], self._table(place))[0].entries
        return z, y, x

    def _table(self, place: Place) -> dict[Symbol, Expr]:
        if strange := [e for e, s in zip(place[len(self.material) :], "xyz", strict=False) if e is not ZERO]:
            raise ModelError(
                f"body {self.body!r} has the material coordinates {listed(self.material)}, and no third one "
                f"for {shown(strange[0])}"
            )
        return dict(zip(self.material, place, strict=False))


def slopes(material: Sequence[Symbol], s: Matrix) -> Matrix:
    """Rotation of the material by a displacement: ½ curl s in a solid; in a line or plane, what keeps sections normal
    to it.

    line:  (0, -∂s_z/∂x, ∂s_y/∂x)       plane:  (∂s_z/∂y, -∂s_z/∂x, ½ (∂s_y/∂x - ∂s_x/∂y))
    """

    def d(i: int, j: int) -> Expr:
        return derivative(s[i], material[j]) if j < len(material) else ZERO

    half = [HALF if len(material) > max(i, j) else as_expr(1) for i, j in ((1, 2), (0, 2), (0, 1))]
    return Matrix(3, 1, (half[0] * (d(2, 1) - d(1, 2)), half[1] * (d(0, 2) - d(2, 0)), half[2] * (d(1, 0) - d(0, 1))))


def strains(material: Sequence[Symbol], s: Matrix) -> Matrix:
    """½ (∇s + ∇sᵀ) in a solid."""
    g = [[derivative(s[i], material[j]) for j in range(3)] for i in range(3)]
    return Matrix(3, 3, tuple(HALF * (g[i][j] + g[j][i]) for i in range(3) for j in range(3)))


def refuse_material(where: str, things: Sequence[Expr]) -> None:
    """An error where a material coordinate is left that nothing integrates."""
    if left := [s.name for s in free_symbols(*things) if s.kind == "material"]:
        raise ModelError(f"{where}: contains the material coordinates {listed(left)}, which over= does not name")

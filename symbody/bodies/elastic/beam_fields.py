"""Fields of a beam along x: how its points move with its elastic coordinates, to second order.

A point of a section is s = s⁰(x) + y sʸ(x) + z sᶻ(x). With deflections v, w, stretch u and twist θ, and a, b the
rotations of a section about z and -y (a = v', b = w' without shear), sections stay plane:

    s⁰ = (x + u - ½ ∫ v'² + w'², v, w)
    sʸ = (-a - b θ, 1 - ½ (a² + θ²), θ)
    sᶻ = (-b + a θ, -θ - a b, 1 - ½ (b² + θ²))

which is R_z(a) R_y(-b) R_x(θ) to second order, and an axis that is stretched by u alone. Second-order terms are
expanded in Legendre polynomials on each piece, or in sines and cosines, so that few of their moments are nonzero. With
order 3, s⁰ has also -⅛ ∫ (v'² + w'²)², uniformly along each piece (`beam_strain.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from ...algebra.graph.functions import atan2, sqrt
from ...algebra.graph.graph import ONE, ZERO, Expr, Symbol, as_expr
from ...algebra.graph.matrix import Matrix, zeros
from ...errors import ModelError, shown
from ..mass.material_integrals import gauss_points
from ..mass.moments import Moments
from .line_functions import Component, LineFunction

AXIS, Y, Z = 0, 1, 2  # parts of a section: its centre, and what goes with y and z
AXIS_INDEX = {"x": 0, "y": 1, "z": 2}  # component of a displacement by the name of its axis


@dataclass(frozen=True)
class BeamMode:
    """One elastic coordinate: the displacement that it describes, its shape over X = x / L, and its unit of length.

    moves   "y", "z" deflections, "x" stretch, "twist", or "turn y", "turn z": rotations of sections with shear, in the
            plane of these deflections
    """

    moves: str
    shape: LineFunction
    scale: Expr
    q: Symbol


Part = tuple[int, int]  # of a section, and component
Field = dict[Part, tuple[Expr, LineFunction]]


@dataclass(frozen=True)
class Distribution:
    """A quantity along the beam: for each piece the coefficients of a polynomial in ξ."""

    pieces: tuple[dict[int, Expr], ...]

    @property
    def is_uniform(self) -> bool:
        return all(set(p) <= {0} and p.get(0, ZERO) is self.pieces[0].get(0, ZERO) for p in self.pieces)

    @property
    def is_zero(self) -> bool:
        return not any(self.pieces)

    def integral(self, f: LineFunction, g: LineFunction) -> Expr:
        """∫ of this f g dX."""
        if self.is_uniform:
            value = as_expr(f.product_integral(g))
            return value * self.pieces[0].get(0, ZERO) if value is not ZERO else ZERO
        total = ZERO
        for piece, terms in enumerate(self.pieces):
            for k, c in terms.items():
                value = as_expr(f.piece_integral(g, piece, k))
                if value is not ZERO:
                    total = total + value * c
        return total


@dataclass(frozen=True)
class BeamFields:
    """The fields of a beam of length L.

    origin       the end (0, 1) of the axis that stays at the origin, or None for its mean
    has_sections whether sections have rotational inertia
    stiffening   whether second-order terms are kept
    order        3: sections rotate with the tangent, and bending strain is of third order (`beam_strain.py`)
    shortening   number of shapes of the foreshortening between the ends in addition to a straight line; None: all
    """

    length: Expr
    modes: tuple[BeamMode, ...]
    origin: int | None
    has_sections: bool
    stiffening: bool
    shears: bool
    order: int = 2
    shortening: int | None = None

    @cached_property
    def n(self) -> int:
        return self.modes[0].shape.n

    # ------------------------------------------------------------------------------------------------ first order

    @cached_property
    def at_rest(self) -> Field:
        shape = self.modes[0].shape
        out: Field = {(AXIS, 0): (self.length, shape.position)}
        if self.has_sections:
            out |= {(Y, 1): (ONE, shape.one), (Z, 2): (ONE, shape.one)}
        return out

    def field(self, mode: BeamMode) -> Field:
        f, s = mode.shape, mode.scale
        if mode.moves == "twist":
            return {(Y, 2): (s, f), (Z, 1): (-s, f)}
        if mode.moves in ("turn y", "turn z"):
            part = Y if mode.moves == "turn y" else Z
            return {(part, 0): (-s, f)}
        out: Field = {(AXIS, AXIS_INDEX[mode.moves]): (s, f)}
        if mode.moves != "x" and self.has_sections and not self.shears:
            out[Y if mode.moves == "y" else Z, 0] = (-s / self.length, f.slope)
        return out

    # ------------------------------------------------------------------------------------------------ angles

    def angles(self, kind: str) -> list[tuple[Expr, LineFunction]]:
        """Terms of v' ("y"), w' ("z"), a ("turn y"), b ("turn z") or θ ("twist"): weights and functions of X."""
        if kind.startswith("turn") and not self.shears:
            return self.angles(kind[-1])
        chosen = [m for m in self.modes if m.moves == kind]
        if kind in ("y", "z"):
            return [(m.q * m.scale / self.length, m.shape.slope) for m in chosen]
        return [(m.q * m.scale, m.shape) for m in chosen]

    @property
    def stretches(self) -> list[tuple[Expr, LineFunction]]:
        """Terms of u'."""
        return [(m.q * m.scale / self.length, m.shape.slope) for m in self.modes if m.moves == "x"]

    # ------------------------------------------------------------------------------------------------ second order

    def second_order(self) -> Iterator[tuple[Expr, Field]]:
        """Weights (quadratic in the coordinates) and fields (one of the functions in which they are expanded)."""
        if not self.stiffening:
            return
        products = self._products()
        if (AXIS, 0) in products:
            stretch = [(m.q, m.scale / self.length, m.shape) for m in self.modes if m.moves == "x"]
            products[AXIS, 0] = [(ONE, ONE, self.modes[0].shape.position), *stretch, *products[AXIS, 0]]
        for (part, component), terms in products.items():
            size = self.length if part == AXIS else ONE
            for weight, key in orthogonal_expansion(terms):
                yield weight, {(part, component): (size, self.modes[0].shape.component(key))}

    def _products(self) -> dict[Part, list[tuple[Expr, Expr, LineFunction]]]:
        out: dict[Part, list[tuple[Expr, Expr, LineFunction]]] = {}

        def add(part: Part, factor: Fraction, first: str, second: str, along_axis: bool = False) -> None:
            for a, b, f in pairs(self.angles(first), self.angles(second), first == second):
                made = f.scaled(factor)
                out.setdefault(part, []).append((a, b, self._foreshortening(made) if along_axis else made))

        half, whole = Fraction(-1, 2), Fraction(1)
        for kind in ("y", "z"):
            add((AXIS, 0), half, kind, kind, along_axis=True)
        if self.order == 3:
            out[AXIS, 0] += [(a, b, f.primitive(self.origin)) for a, b, f in self._fourth_order()]
        if self.has_sections:
            add((Y, 0), -whole, "turn z", "twist")
            add((Y, 1), half, "turn y", "turn y")
            add((Y, 1), half, "twist", "twist")
            add((Z, 0), whole, "turn y", "twist")
            add((Z, 1), -whole, "turn y", "turn z")
            add((Z, 2), half, "turn z", "turn z")
            add((Z, 2), half, "twist", "twist")
        return out

    def _foreshortening(self, rate: LineFunction) -> LineFunction:
        whole = rate.primitive(self.origin)
        return whole if self.shortening is None else whole.with_shapes_between(self.shortening)

    def squared_turns(self) -> Iterator[tuple[Expr, Component]]:
        """v'² + w'² in orthogonal functions: their weights, quadratic in the coordinates."""
        terms = [(a, b, f) for kind in "yz" for a, b, f in pairs(self.angles(kind), self.angles(kind), same=True)]
        return orthogonal_expansion(terms)

    def _fourth_order(self) -> Iterator[tuple[Expr, Expr, LineFunction]]:
        """-⅛ (v'² + w'²)², its mean over each piece: Σ c² times the mean of the square of each function."""
        for c, key in self.squared_turns():
            yield c, c, self.modes[0].shape.mean_square(key).scaled(Fraction(-1, 8))

    # ------------------------------------------------------------------------------------------------ moments

    def fields(self) -> list[tuple[Expr, Field]]:
        """Weights and fields. Where the beam foreshortens, its places along x are one sum of orthogonal functions: those
        at rest, of stretch and of second order together, with fewer moments than they have one by one."""
        rest, modes = self.at_rest, [m for m in self.modes if m.moves != "x"]
        if not self.stiffening or not (self.angles("y") or self.angles("z")):
            return [(ONE, rest), *((m.q, self.field(m)) for m in self.modes), *self.second_order()]
        sections = {part: f for part, f in rest.items() if part != (AXIS, 0)}
        out = [(ONE, sections)] if sections else []
        return [*out, *((m.q, self.field(m)) for m in modes), *self.second_order()]

    def moments(self, sections: Mapping[int, Distribution]) -> Moments:
        """∫ over the beam; `sections`: mass, and its second moments by y² and z², per length."""
        fields = self.fields()
        L, unit = self.length, self.modes[0].shape.one
        first, second = [], {}
        for k, (_, f) in enumerate(fields):
            g = [ZERO] * 3
            for (part, i), (c, s) in f.items():
                if part == AXIS:
                    g[i] = g[i] + (L * c) * sections[AXIS].integral(s, unit)
            first.append(Matrix(3, 1, tuple(g)))
            for j in range(k, len(fields)):
                G = self._second(f, fields[j][1], sections)
                if any(e is not ZERO for e in G.entries):
                    second[k, j] = G
        mass = L * sections[AXIS].integral(unit, unit)
        return Moments(mass, tuple(w for w, _ in fields), tuple(first), second)

    def _second(self, f: Field, g: Field, sections: Mapping[int, Distribution]) -> Matrix:
        G = [ZERO] * 9
        for (part, i), (c, s) in f.items():
            for (other, j), (d, t) in g.items():
                if part == other and part in sections:
                    value = sections[part].integral(s, t)
                    if value is not ZERO:
                        G[3 * i + j] = G[3 * i + j] + (self.length * c * d) * value
        return Matrix(3, 3, tuple(G)) if any(e is not ZERO for e in G) else zeros(3, 3)


def pairs(
    a: list[tuple[Expr, LineFunction]], b: list[tuple[Expr, LineFunction]], same: bool
) -> Iterator[tuple[Expr, Expr, LineFunction]]:
    """Products of two sums, those of one sum with itself once for each pair."""
    for i, (x, f) in enumerate(a):
        for j, (y, g) in enumerate(b):
            if not same or j >= i:
                both = f * g
                if not both.is_zero:
                    yield x, y, both if not same or i == j else both.scaled(Fraction(2))


def orthogonal_expansion(terms: Sequence[tuple[Expr, Expr, LineFunction]]) -> Iterator[tuple[Expr, Component]]:
    """Σ a b f in orthogonal functions: their weights and names."""
    gathered: dict[Component, list[tuple[Expr, Expr, Fraction | Expr]]] = {}
    for a, b, f in terms:
        for key, c in f.components():
            gathered.setdefault(key, []).append((a, b, c))
    for key in sorted(gathered):
        weight = quadratic_form(gathered[key])
        if weight is not ZERO:
            yield weight, key


def quadratic_form(terms: Sequence[tuple[Expr, Expr, Fraction | Expr]]) -> Expr:
    """Σ c a b, gathered by a."""
    rows: dict[Expr, Expr] = {}
    for a, b, c in terms:
        rows[a] = rows.get(a, ZERO) + as_expr(c) * b
    total = ZERO
    for a, row in rows.items():
        total = total + a * row
    return total


# ----------------------------------------------------------------------------------------------------- where points are


@dataclass(frozen=True)
class BeamShapes:
    """Points and sections of a beam."""

    fields: BeamFields
    body: str
    has_sections: bool = True

    def displaced(self, place: tuple[Expr, Expr, Expr]) -> Matrix:
        out = [place[0], ZERO, ZERO]
        for m in self.fields.modes:
            if m.moves in AXIS_INDEX:
                i = AXIS_INDEX[m.moves]
                out[i] = out[i] + (m.q * m.scale) * self._value(m.shape, place[0])
        if self.fields.stiffening:
            for (part, i), terms in self.fields._products().items():
                if part == AXIS:
                    shift = _quadratic_at([(a, b, self._value(f, place[0])) for a, b, f in terms])
                    out[i] = out[i] + self.fields.length * shift
        return Matrix(3, 1, tuple(out))

    def turns(self, place: tuple[Expr, Expr, Expr]) -> tuple[Expr, Expr, Expr]:
        a, b, twist = (self._sum(self.fields.angles(kind), place[0]) for kind in ("turn y", "turn z", "twist"))
        if self.fields.order == 3:
            a, b = _angles_of_tangent(a, b, self._sum(self.fields.stretches, place[0]))
        return a, -b, twist

    def _sum(self, terms: Sequence[tuple[Expr, LineFunction]], x: Expr) -> Expr:
        return sum((weight * self._value(f, x) for weight, f in terms), ZERO)

    @property
    def centroid(self) -> Matrix:
        """The mean of the places along the axis."""
        fields = self.fields
        unit = Distribution(({0: ONE},) * fields.n)
        table = fields.moments({AXIS: unit})
        return table.first_moment / fields.length

    def gauss_places(self, points: int) -> Iterator[tuple[Expr, float]]:
        """Points of Gauss on each piece: x, and weights that sum to one."""
        n = self.fields.n
        for piece in range(n):
            for x, w in gauss_points(points):
                yield self.fields.length * ((piece + (1 + x) / 2) / n), w / (2 * n)

    def _value(self, f: LineFunction, x: Expr) -> Expr:
        return f.at(self._ratio(x))

    def _ratio(self, x: Expr) -> Expr:
        return ratio_on(self.body, x, self.fields.length, self.fields.n)


def _angles_of_tangent(v: Expr, w: Expr, u: Expr) -> tuple[Expr, Expr]:
    """Angles about z and -y of a tangent r' = (1 + u' - ½ (v'² + w'²), v', w')."""
    along = 1 + u - (v**2 + w**2) / 2
    return atan2(v, along), ZERO if w is ZERO else atan2(w, sqrt(along**2 + v**2))


def _quadratic_at(terms: Sequence[tuple[Expr, Expr, Expr]]) -> Expr:
    rows: dict[Expr, Expr] = {}
    for a, b, c in terms:
        rows[a] = rows.get(a, ZERO) + c * b
    return sum((a * row for a, row in rows.items()), ZERO)


def ratio_on(body: str, x: Expr, length: Expr, n: int) -> Expr:
    """x / L; a number from 0 to 1 where the beam has several pieces."""
    X = ZERO if x is ZERO else x / length
    if X.value is not None and not -1e-9 <= X.value <= 1 + 1e-9:
        raise ModelError(f"beam {body!r}: x = {shown(x)} is not on it; places go from 0 to its length {shown(length)}")
    if X.value is None and n > 1:
        raise ModelError(
            f"beam {body!r}: has {n} elements, and in which of them x = {shown(x)} lies is not known before numbers are; give x as a "
            f"number times its length, such as 0.5 * {shown(length)}"
        )
    return X

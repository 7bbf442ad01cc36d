"""`Model.beam`: the modes, the inertia and the stiffness of a straight beam along x, exactly, with its parameters as
symbols.

    K = ∫ EI v_k'' v_l'' dx + ∫ N v_k' v_l' dx,      ∫ EA u_k' u_l' dx,      ∫ GJ θ_k' θ_l' dx

and ∫ EI ψ_k' ψ_l' + GA γ_k γ_l dx, γ = v' - ψ, of a beam that shears (Timoshenko).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Any, Final

from ...algebra.graph.graph import ONE, ZERO, Expr, Symbol, as_expr
from ...algebra.graph.matrix import Matrix
from ...algebra.graph.walk import free_symbols
from ...errors import ModelError, listed, shown
from ..mass.material_integrals import polynomials
from .beam_fields import AXIS, BeamFields, BeamMode, Distribution, Y, Z
from .line_functions import LineFunction
from .line_polynomials import hermite, linear, one, orthogonal, position, quadratic, without_mean
from .line_waves import waves

ENDS: Final = ("clamped", "pinned", "free")
FAMILIES: Final = ("polynomials", "sines")
CONDITIONS_AT_END: Final = {"clamped": 2, "pinned": 1, "free": 0}  # number of conditions on a deflection at an end
SUFFIX: Final = {"y": "y", "z": "z", "x": "x", "twist": "t", "turn y": "a", "turn z": "b"}


@dataclass(frozen=True)
class Section:
    """Quantities along a beam, as given: per length, or stiffnesses; with two entries for deflections along y and along
    z."""

    rho_A: Any
    EI: Mapping[str, Any]
    EA: Any = None
    GJ: Any = None
    GA: Any = None
    rho_I: tuple[Any, Any] | None = None
    tension: Any = None


@dataclass(frozen=True)
class Supports:
    """The supports of a beam: conditions on its deflection relative to the frame, at both ends."""

    left: str
    right: str

    @property
    def origin(self) -> int | None:
        """The end whose position along the axis is that of the frame; None: the mean."""
        return 0 if self.left != "free" else 1 if self.right != "free" else None

    @property
    def held(self) -> tuple[int, int]:
        """Whether stretch and twist are held at the ends: where it is clamped, and at one pinned end where nothing
        is."""
        left, right = self.left == "clamped", self.right == "clamped"
        if not left and not right:
            left, right = self.origin == 0, self.origin == 1
        return int(left), int(right)


def supports(where: str, ends: Any) -> Supports:
    if not isinstance(ends, (tuple, list)) or len(ends) != 2 or any(e not in ENDS for e in ends):
        raise ModelError(
            f"{where}: ends= must be two of {listed(ENDS)}: ('clamped', 'free') for a frame tangent to the beam at its beginning, ('pinned', "
            f"'pinned') for one along its chord, ('free', 'free') for mean axes; got {shown(ends)}"
        )
    return Supports(*ends)


# ---------------------------------------------------------------------------------------------------------- modes


def polynomial_shapes(kind: str, count: int, ends: Supports, shears: bool) -> Sequence[LineFunction]:
    """Orthogonal polynomials that keep the conditions at the ends, without rigid motions."""
    left, right = CONDITIONS_AT_END[ends.left], CONDITIONS_AT_END[ends.right]
    if kind in ("x", "twist"):
        left, right = ends.held
        return orthogonal(count, left, right, skip=0 if left or right else 1)
    if shears:
        if kind.startswith("turn"):
            return orthogonal(count, int(left == 2), int(right == 2))
        held = min(left, 1) + min(right, 1)
        is_clamped = left == 2 or right == 2
        return orthogonal(count, min(left, 1), min(right, 1), skip=0 if is_clamped else max(0, 2 - held))
    return orthogonal(count, left, right, skip=max(0, 2 - left - right))


def element_shapes(kind: str, n: int, ends: Supports, shears: bool) -> list[tuple[LineFunction, bool]]:
    """Finite elements: functions, and whether their coordinate is a slope; the conditions at the ends leave some out.
    Sections that shear turn by quadratic functions, among which the slopes of cubic deflections are: nothing locks."""
    if kind.startswith("turn"):
        first, last = int(ends.left == "clamped"), int(ends.right == "clamped")
        return [(f, False) for f in quadratic(n)[first : 2 * n + 1 - last]]
    if kind in ("x", "twist"):
        left, right = ends.held
        nodes = linear(n)[left : n + 1 - right]
        if not left and not right:
            nodes = without_mean(linear(n)[1:], [one(n)])
        return [(f, False) for f in nodes]
    deflections, slopes = hermite(n)
    left, right = CONDITIONS_AT_END[ends.left], CONDITIONS_AT_END[ends.right]
    short = 2 - left - right
    if shears:  # slopes are free where sections are clamped
        short = 0 if 2 in (left, right) else short
        left, right = min(left, 1), min(right, 1)
    if short > 0:  # rigid motions are inside: functions that vanish at the ends, less their mean
        rigid = (
            [one(n), position(n)] if short == 2 else [position(n) if left else one(n).plus(position(n), Fraction(-1))]
        )
        drop_left, drop_right = (1, 1)
        kept = [*deflections[drop_left : n + 1 - drop_right], *slopes]
        made = without_mean(kept, rigid)
        return [(f, k >= len(kept) - len(slopes)) for k, f in enumerate(made)]
    out: list[tuple[LineFunction, bool]] = []
    for k in range(n + 1):
        conditions = left if k == 0 else right if k == n else 0
        if conditions < 1:
            out.append((deflections[k], False))
        if conditions < 2:
            out.append((slopes[k], True))
    return out


def refuse_family(where: str, family: Any, ends: Supports, elements: Any, shears: bool) -> None:
    """Sines are for beams that bend between pinned ends, as one piece."""
    if not isinstance(family, str) or family not in FAMILIES:
        raise ModelError(f"{where}: shapes= is 'polynomials' or 'sines'; got {shown(family)}")
    if family == "polynomials":
        return
    reasons = {
        "finite elements have shapes of their own; use modes=": elements is not None,
        f"sines keep the conditions of pinned ends, and ends= is {(ends.left, ends.right)}; use polynomials, or ends=('pinned', 'pinned'), a frame along the chord": (
            (ends.left, ends.right) != ("pinned", "pinned")
        ),
        "it shears (GA=), and the mean rotation of its sections is not a sine; use polynomials": shears,
    }  # fmt: skip
    if said := [reason for reason, holds in reasons.items() if holds]:
        raise ModelError(f"{where}: shapes='sines' is not possible: {said[0]}")


def shapes_of(
    kind: str, ends: Supports, modes: int | None, elements: int | None, shears: bool, family: str
) -> list[tuple[LineFunction, bool]]:
    if elements is not None:
        return element_shapes(kind, elements, ends, shears)
    assert modes is not None
    if family == "sines":
        return [*waves(kind, modes)]
    return [(f, False) for f in polynomial_shapes(kind, modes, ends, shears)]


# ------------------------------------------------------------------------------------------------------- along the beam


def distribution(where: str, value: Any, length: Expr, n: int) -> Distribution:
    """A quantity that is the same everywhere, or a polynomial in one material coordinate from 0 to the length."""
    e = as_expr(value)
    inside = [s for s in free_symbols(e) if s.kind == "material"]
    if not inside:
        return Distribution(({0: e} if e is not ZERO else {},) * n)
    terms = polynomials([e], inside[0])
    if len(inside) > 1 or terms is None:
        raise ModelError(
            f"{where}: {shown(e)} is not a polynomial in one material coordinate; beams are integrated "
            "exactly. m.elastic takes any function"
        )
    return Distribution(tuple(_on_piece(terms[0], length, piece, n) for piece in range(n)))


def _on_piece(terms: Mapping[int, Expr], length: Expr, piece: int, n: int) -> dict[int, Expr]:
    """With x = L (piece + ξ) / n."""
    out: dict[int, Expr] = {}
    for k, c in terms.items():
        scaled = c * length**k
        for j in range(k + 1):
            factor = Fraction(comb(k, j) * piece ** (k - j), n**k)
            if factor:
                out[j] = out.get(j, ZERO) + as_expr(factor) * scaled
    return out


@dataclass(frozen=True)
class Stiffness:
    """The stiffness matrix K of a beam, by kind of coordinates."""

    where: str
    fields: BeamFields
    section: Section

    def matrix(self) -> Matrix:
        modes = self.fields.modes
        n = len(modes)
        upper = {(i, j): self._entry(modes[i], modes[j]) for i in range(n) for j in range(i, n)}
        return Matrix(n, n, tuple(upper[min(i, j), max(i, j)] for i in range(n) for j in range(n)))

    def _entry(self, a: BeamMode, b: BeamMode) -> Expr:
        if a.moves[-1] != b.moves[-1]:  # another plane, or another kind of motion
            return ZERO
        L, s = self.fields.length, a.scale * b.scale
        f, g = a.shape.slope, b.shape.slope
        if a.moves == b.moves == "x":
            return s / L * self._along(self.section.EA).integral(f, g)
        if a.moves == b.moves == "twist":
            return s / L * self._along(self.section.GJ).integral(f, g)
        total = ZERO
        axis = a.moves[-1]
        if a.moves == b.moves == axis and self.section.tension is not None:
            total = s / L * self._along(self.section.tension).integral(f, g)
        bending = self._along(self.section.EI[axis])
        if not self.fields.shears:
            return total + s / L**3 * bending.integral(f.slope, g.slope)
        if a.moves == b.moves == f"turn {axis}":
            total = total + s / L * bending.integral(f, g)
        return total + self._shear(a, b)

    def _shear(self, a: BeamMode, b: BeamMode) -> Expr:
        """L ∫ GA γ_a γ_b dX, γ = v' - ψ."""
        L = self.fields.length
        (ca, fa), (cb, fb) = (
            (m.scale / L, m.shape.slope) if len(m.moves) == 1 else (-m.scale, m.shape) for m in (a, b)
        )
        return L * (ca * cb) * self._along(self.section.GA).integral(fa, fb)

    def _along(self, value: Any) -> Distribution:
        return distribution(self.where, value, self.fields.length, self.fields.n)


def section_inertias(where: str, section: Section, length: Expr, n: int) -> dict[int, Distribution]:
    out = {AXIS: distribution(f"{where}, rho_A=", section.rho_A, length, n)}
    if section.rho_I is not None:
        out[Y], out[Z] = (distribution(f"{where}, rho_I=", r, length, n) for r in section.rho_I)
    return out


def beam_modes(
    kinds: Sequence[str],
    shapes: Mapping[str, Sequence[tuple[LineFunction, bool]]],
    length: Expr,
    symbols: Sequence[Symbol],
) -> tuple[BeamMode, ...]:
    names = iter(symbols)
    return tuple(
        BeamMode(kind, f, length if is_slope else ONE, next(names)) for kind in kinds for f, is_slope in shapes[kind]
    )


def coordinate_names(base: str, kinds: Sequence[str], shapes: Mapping[str, Sequence[Any]]) -> list[str]:
    return [f"{base}_{SUFFIX[kind]}{k}" for kind in kinds for k in range(1, len(shapes[kind]) + 1)]

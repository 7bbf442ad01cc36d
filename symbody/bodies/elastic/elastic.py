"""`Model.elastic`: elastic bodies by user-defined modes, given as shape functions or as tables of moments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...algebra.graph.graph import HALF, ONE, ZERO, Expr, Symbol, as_expr
from ...algebra.graph.matrix import Matrix, as_matrix, outer, sum_of_products, zeros
from ...errors import ExpressionError, ModelError, listed, shown
from ..frames.frames import three
from ..mass.material_integrals import Region, region_of
from ..mass.moments import Moments, trace
from .elastic_body import FieldShapes, refuse_material, slopes, strains


@dataclass(frozen=True)
class Fields:
    """Fields s_k of a body with their weights h_k: s_0 with weight one, modes with coordinates, second-order fields
    with products of these."""

    weights: tuple[Expr, ...]
    fields: tuple[Matrix, ...]


def fields_of(where: str, rest: Matrix, modes: Sequence[Matrix], second: Any, q: Sequence[Symbol]) -> Fields:
    """s = s_0 + Σ q_k s_k + ½ Σ q_i q_j s_ij."""
    weights, fields = [ONE, *q], [rest, *modes]
    if second is not None and not isinstance(second, Mapping):
        raise ModelError(f"{where}: second= maps pairs of modes such as (0, 1) to fields, got {shown(second)}")
    for pair, s in (second or {}).items():
        if (
            not isinstance(pair, tuple)
            or len(pair) != 2
            or not all(isinstance(i, int) and 0 <= i < len(q) for i in pair)
        ):
            raise ModelError(
                f"{where}: second= maps pairs of modes such as (0, 1), numbers from 0 to {len(q) - 1}, to "
                f"fields; got {shown(pair)}"
            )
        i, j = pair
        weights.append(q[i] * q[j] * (HALF if i == j else ONE))
        fields.append(three(s, f"{where}, second= of {pair}"))
    return Fields(tuple(weights), tuple(fields))


def moments_of(where: str, fields: Fields, region: Region, density: Expr) -> Moments:
    """∫ over the region, of all entries at once."""
    n = len(fields.fields)
    pairs = [(k, j) for k in range(n) for j in range(k, n)]
    entries = [density, *(density * e for s in fields.fields for e in s.entries)]
    entries += [density * e for k, j in pairs for e in outer(fields.fields[k], fields.fields[j]).entries]
    refuse_material(where, found := region.integrals(entries))
    first = tuple(Matrix(3, 1, tuple(found[1 + 3 * k : 4 + 3 * k])) for k in range(n))
    rest = found[1 + 3 * n :]
    second = {pair: Matrix(3, 3, tuple(rest[9 * i : 9 * i + 9])) for i, pair in enumerate(pairs)}
    return Moments(found[0], fields.weights, first, {p: G for p, G in second.items() if any(e is not ZERO for e in G)})


def solid_stiffness(where: str, modes: Sequence[Matrix], region: Region, material: Any) -> Matrix:
    """∫ λ tr ε_k tr ε_l + 2 μ ε_k : ε_l of an isotropic solid with modulus of elasticity E and Poisson's ratio ν."""
    if not isinstance(material, (tuple, list)) or len(material) != 2 or len(region.limits) != 3:
        raise ModelError(
            f"{where}: elasticity= must be (E, nu) of a solid, whose region has three material coordinates; got {shown(material)} over "
            f"{listed(region.limits)}. Give stiffness=, the matrix K of the energy ½ q · K q"
        )
    E, nu = (as_expr(x) for x in material)
    mu, lam = E / (2 * (1 + nu)), E * nu / ((1 + nu) * (1 - 2 * nu))
    e = [strains(list(region.limits), s) for s in modes]
    n = len(modes)
    pairs = [(k, j) for k in range(n) for j in range(k, n)]
    densities = [
        lam * trace(e[k]) * trace(e[j]) + 2 * mu * sum_of_products(e[k].entries, e[j].entries) for k, j in pairs
    ]
    found = dict(zip(pairs, region.integrals(densities), strict=True))
    return Matrix(n, n, tuple(found[min(k, j), max(k, j)] for k in range(n) for j in range(n)))


# ---------------------------------------------------------------------------------------------------- what a user gives


def given_modes(where: str, modes: Any) -> list[Matrix]:
    if not isinstance(modes, (list, tuple)) or not modes:
        raise ModelError(
            f"{where}: modes= must be a list of shape functions such as [(0, x**2, 0)], three components each; got "
            f"{shown(modes)}"
        )
    return [three(s, f"{where}, mode {k}") for k, s in enumerate(modes, start=1)]


def given_matrix(where: str, option: str, value: Any, n: int) -> Matrix:
    """A symmetric n by n matrix; one number for one coordinate."""
    try:
        A = as_matrix(
            [[value]]
            if n == 1 and not isinstance(value, (list, tuple, Matrix)) and not hasattr(value, "shape")
            else value
        )
    except (TypeError, ExpressionError):
        A = zeros(0)
    if A.shape != (n, n):
        raise ModelError(
            f"{where}: {option}= must be a matrix of {n} by {n}, one row for each mode; got {shown(value)}"
        )
    for i in range(n):
        for j in range(i):
            a, b = A[i, j], A[j, i]
            if (
                a is not b
                and a.value is not None
                and b.value is not None
                and abs(a.value - b.value) > 1e-9 * _largest(A)
            ):
                raise ModelError(f"{where}: {option}= is not symmetric: entries {i}, {j} are {a} and {b}")
    return Matrix(n, n, tuple(A[min(i, j), max(i, j)] for i in range(n) for j in range(n)))


def _largest(A: Matrix) -> float:
    return max((abs(float(e.value)) for e in A.entries if e.value is not None), default=0.0)


def region_and_rest(where: str, over: Any, rest: Any, quadrature: int) -> tuple[Region, Matrix]:
    """Where the body is integrated over, and its places at rest: the material coordinates themselves unless said
    otherwise."""
    region = region_of(where, over, quadrature)
    if len(region.limits) > 3:
        raise ModelError(f"{where}: over= has at most three material coordinates, got {listed(region.limits)}")
    own = [*region.limits, ZERO, ZERO, ZERO][:3]
    return region, Matrix(3, 1, tuple(own)) if rest is None else three(rest, f"{where}, rest=")


def field_shapes(
    where: str, name: str, region: Region, fields: Fields, rest_is_own: bool, turns: Any, q: Sequence[Symbol]
) -> FieldShapes:
    """Places and angles at any point; angles are those of the material unless given, mode by mode."""
    material = tuple(region.limits)
    angles: Matrix | None = None
    if turns is not None:
        given = given_modes(f"{where}, turns=", turns)
        if len(given) != len(q):
            raise ModelError(f"{where}: turns= needs the angles of {len(q)} modes, got {len(given)}")
        angles = _weighted_sum(q, given)
    elif rest_is_own:
        angles = _weighted_sum(q, [slopes(material, s) for s in fields.fields[1 : len(q) + 1]])
    return FieldShapes(material, fields.weights, fields.fields, angles, name)


def _weighted_sum(q: Sequence[Symbol], vectors: Sequence[Matrix]) -> Matrix:
    total = zeros(3)
    for x, v in zip(q, vectors, strict=True):
        total = total + x * v
    return total


# ---------------------------------------------------------------------------------------------------------- tables


def table_of(where: str, given: Any, q: Sequence[Symbol]) -> Moments:
    """Moments given as numbers (or expressions): mass, g_k and G_kl for k, l from 0 (the place at rest) to the number
    of modes."""
    if not isinstance(given, Mapping) or set(given) != {"mass", "first", "second"}:
        raise ModelError(
            f"{where}: moments= must be a mapping with mass, first (g_k: three numbers each) and second (G_kl: 3 "
            f"by 3 each); got {shown(given)}"
        )
    n = len(q) + 1
    try:
        first = [three(list(given["first"][k]), f"{where}, first[{k}]") for k in range(n)]
        second = {(k, j): as_matrix(given["second"][k][j]) for k in range(n) for j in range(n)}
    except (TypeError, IndexError, KeyError, ExpressionError) as reason:
        raise ModelError(
            f"{where}: moments= of {n - 1} modes need {n} first and {n} by {n} second moments; {reason}"
        ) from None
    for (k, j), G in second.items():
        if G.shape != (3, 3) or not _alike(G, second[j, k].T):
            raise ModelError(
                f"{where}: second[{k}][{j}] is not the transpose of second[{j}][{k}]; G_kl = ∫ s_k s_lᵀ dm"
            )
    upper = {p: G for p, G in second.items() if p[0] <= p[1] and any(e is not ZERO for e in G.entries)}
    return Moments(as_expr(given["mass"]), (ONE, *q), tuple(first), upper)


def _alike(A: Matrix, B: Matrix) -> bool:
    """The same nodes, or numbers that are equal to rounding."""
    size = max(_largest(A), _largest(B))
    for a, b in zip(A.entries, B.entries, strict=True):
        if a is not b and (a.value is None or b.value is None or abs(float(a.value) - float(b.value)) > 1e-9 * size):
            return False
    return True

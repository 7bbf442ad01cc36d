"""`OrbitProblem`: the common part of collocation and shooting.

    x' = T f(Tτ, x, p),   x(0) = S x(1),   τ in [0, 1]

S is one, or a mirror: then [0, 1] is half a period and the other half is the mirror image. If the flow has invariants
g, the ends are compared only along their level set, Zᵀ (S x(1) - x(0)) = 0 with G Z = 0, and g(x(0)) is prescribed, so
that no row is redundant. Two rows over the whole orbit complete the system: the phase condition against a reference, ∫
xᵀ x_ref' dτ (or the period, for a driven system), and a plane that fixes or steps the parameter.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Final

import numpy as np

from ....algebra.calculus.derivatives import jacobian
from ....algebra.calculus.evaluate import evaluate
from ....algebra.graph.graph import Expr
from ....emit.run.callable import Array
from ...spectra.pencil import Complex
from ..maps.chain import COLUMNS
from ..maps.collocation import STAGES, gauss
from ..maps.floquet import ProductSolver
from .itineraries import SMOOTH, Itinerary
from .orbit_flow import OrbitFlow

GAUSS: Final = "at_gauss_points"
ZERO_ORBIT: Final = 1e-12  # size of the largest state of an orbit that is zero
RANK_TOLERANCE: Final = 1e-9  # singular value of ∂g/∂x, relative to the largest, below which it counts as zero


@dataclass(frozen=True)
class OrbitPoint:
    """An orbit in numbers: times of the mesh in parts of the (half) period, values there, slopes at Gauss points (none,
    of shooting), period T of [0, 1], and the value that is varied."""

    times: Array
    x: Array
    K: Array
    T: float
    value: float

    def moved(self, change: OrbitPoint, s: float = 1.0) -> OrbitPoint:
        """A step along a direction."""
        there = OrbitPoint(
            self.times, self.x + s * change.x, self.K + s * change.K, self.T + s * change.T, self.value + s * change.value
        )  # fmt: skip
        if GAUSS in self.__dict__ and GAUSS in change.__dict__:
            there.__dict__[GAUSS] = self.at_gauss_points + s * change.at_gauss_points
        return self.like(there, ("sizes", "quadrature"))

    def scaled(self, s: float) -> OrbitPoint:
        """A direction, s times as long."""
        scaled = OrbitPoint(self.times, s * self.x, s * self.K, s * self.T, s * self.value)
        if GAUSS in self.__dict__:
            scaled.__dict__[GAUSS] = s * self.at_gauss_points
        return self.like(scaled, ("quadrature",))

    def like(self, other: OrbitPoint, known: tuple[str, ...]) -> OrbitPoint:
        """Another point with the derived data of this one that a small step does not change."""
        other.__dict__.update({name: self.__dict__[name] for name in known if name in self.__dict__})
        return other

    @cached_property
    def at_gauss_points(self) -> Array:
        """Values at the Gauss points: interval, point, variable."""
        count, m, n = self.K.shape
        inner = self.K.reshape(count, m * n) @ _stages_of(n)
        return np.asarray(inner.reshape(count, m, n) + self.x[:-1, None])

    @cached_property
    def sizes(self) -> Array:
        """Of the states along the orbit, so that no unit counts for more than another; one for all where all are zero."""
        low, high = self.extent
        size = np.maximum(np.maximum(high, -low), high - low)
        largest = float(size.max(initial=0.0))
        return np.maximum(size, 1e-3 * largest) if largest > ZERO_ORBIT else np.ones_like(size)

    @cached_property
    def extent(self) -> tuple[Array, Array]:
        """The smallest and the largest value of each state along the orbit."""
        values = self.x if not self.K.shape[1] else self.at_gauss_points.reshape(-1, self.x.shape[1])
        return values.min(axis=0), values.max(axis=0)

    @cached_property
    def gauss_times(self) -> Array:
        return np.asarray(self.times[:-1, None] + np.diff(self.times)[:, None] * gauss(STAGES)[0])

    @cached_property
    def quadrature(self) -> Array:
        """Weights of the Gauss points in an integral over [0, 1]."""
        return np.asarray((self.times[1:] - self.times[:-1])[:, None] * gauss(STAGES)[2])


@cache
def _stages_of(n: int) -> Array:
    """K of an interval, in one row, times this is Σ_l a_il K_l: the coefficients a of n states at once."""
    return np.ascontiguousarray(np.kron(gauss(STAGES)[1], np.eye(n)).T)


@dataclass(frozen=True)
class Plane:
    """A row over the whole orbit: Σ weights x + scalars (T, value) = right."""

    weights: Array
    scalars: Array
    right: float


@dataclass(frozen=True)
class NewtonIterate:
    """The start of a Newton iteration: an orbit that is not closed yet, its residual, and the size of the resulting
    change, both relative to the states' sizes."""

    point: OrbitPoint
    residual: float
    change: float


@dataclass(frozen=True)
class Corrected:
    """An orbit found by Newton's method: its tangent along the branch, and the maps of its intervals. `size` is that
    of the last change; `is_one_of_many` whether it is not isolated."""

    point: OrbitPoint
    tangent: OrbitPoint
    maps: Array
    iterations: int
    size: float
    is_one_of_many: bool = False


@dataclass(frozen=True)
class OrbitSetting:
    """The setting of an orbit, in numbers.

    p         values of parameters and inputs
    levels    values of the invariants of the flow: zero for constraints
    place     index of the varied value in p; None: it is a level, or nothing is varied
    freed     index of the level that is varied, or None
    mirror    signs of the states, where [0, 1] is half a period; None: it is a whole one
    period    of a driven system, an expression of parameters; None: it is found
    t0        time at the beginning
    image     (state, other, sign) of states that change places or signs from step to step: then each segment of shooting
              is a step, whose end is its beginning with `state` = sign times `other`
    """

    p: Array
    levels: Array
    place: int | None = None
    freed: int | None = None
    mirror: Array | None = None
    period: Expr | None = None
    t0: float = 0.0
    image: tuple[tuple[str, str, float], ...] = ()

    @property
    def halves(self) -> int:
        return 1 if self.mirror is None else 2

    def whole(self) -> OrbitSetting:
        """The same without the mirror."""
        return replace(self, mirror=None)


class OrbitProblem:
    """Orbits of a flow, without the discretisation of an interval; `form` is the name of the discretisation,
    `course` the itinerary."""

    form: str
    course: Itinerary = SMOOTH

    def __init__(self, flow: OrbitFlow, setting: OrbitSetting) -> None:
        self.flow, self.setting, self.p = flow, setting, setting.p.copy()
        self.mirror = np.ones(flow.n) if setting.mirror is None else setting.mirror
        self._products: dict[tuple[int, ...], ProductSolver] = {}
        self._near: Array | None = None  # the displacement along symmetries of the last orbit

    def corrected(
        self,
        point: OrbitPoint,
        planes: tuple[Plane, Plane],
        tolerance: float,
        way: list[NewtonIterate] | None = None,
        is_damped: bool = False,
    ) -> Corrected | None:
        """The orbit in two planes; None if Newton's method does not converge. Its iterates are added to `way`.

        is_damped   by steps for orbits that are not isolated
        """
        raise NotImplementedError

    def isolated_or_not(
        self, point: OrbitPoint, tolerance: float, way: list[NewtonIterate] | None = None
    ) -> Corrected | None:
        """The orbit near another, at its value: by Newton's method, or, where that does not converge because orbits come
        in families, by damped steps."""
        planes = self.phase(point), self.fixed(point)
        begun = 0 if way is None else len(way)
        found = self.corrected(point, planes, tolerance, way)
        if found is not None:
            return found
        own: list[NewtonIterate] | None = None if way is None else []
        found = self.corrected(point, planes, tolerance, own, is_damped=True)
        if found is not None and way is not None and own is not None:
            way[begun:] = own
        return found and replace(found, is_one_of_many=True)

    def maps(self, point: OrbitPoint) -> Array:
        """Derivatives of the end of each interval by its beginning."""
        raise NotImplementedError

    def values(self, point: OrbitPoint) -> Array:
        """States along an orbit, in rows."""
        raise NotImplementedError

    # ------------------------------------------------------------------------------------------------ planes

    def phase(self, near: OrbitPoint) -> Plane:
        """The phase against a reference; of a driven system the period, which is brought up to date in each
        iteration."""
        raise NotImplementedError

    def dual(self, direction: OrbitPoint, sizes: Array, scales: Array) -> Plane:
        """The row whose product with another direction is that of both, in parts of sizes and of the scales of period
        and value."""
        raise NotImplementedError

    def product(self, dual: Plane, direction: OrbitPoint) -> float:
        """Of a row with a direction, or with an orbit."""
        raise NotImplementedError

    def across(self, through: OrbitPoint, dual: Plane) -> Plane:
        """The plane through an orbit with a normal."""
        return Plane(dual.weights, dual.scalars, self.product(dual, through))

    def fixed(self, near: OrbitPoint) -> Plane:
        """The varied value stays."""
        return Plane(np.zeros(1), np.array([0.0, 1.0]), near.value)

    def given_period(self, value: float) -> tuple[float, float]:
        """The period of [0, 1] of a driven system, and its derivative by the varied value."""
        assert self.setting.period is not None
        eq = self.flow.equations
        at = dict(zip(eq.variables.constants, map(float, self.p), strict=True))
        if self.setting.place is not None:
            at[eq.variables.constants[self.setting.place]] = value
        varied = self.flow.varied
        slope = 0.0 if varied is None else float(evaluate(jacobian([self.setting.period], [varied]).entries[0], at))
        return float(evaluate(self.setting.period, at)) / self.setting.halves, slope / self.setting.halves

    # ------------------------------------------------------------------------------------------------ both ends

    @cached_property
    def _plain_ends(self) -> Array:
        n = self.flow.n
        return np.hstack([-np.eye(n), np.diag(self.mirror), np.zeros((n, COLUMNS))])

    def ends(self, x: Array, end: Array, value: float) -> tuple[Array, int]:
        """Rows in δx_0, δx_N, δs, 1 that close an orbit with these ends, and how many of the first are linear in
        both ends; the constants of these are left to the loop."""
        n = self.flow.n
        if not self.flow.rows and not self._pins:
            return self._plain_ends, n
        if self.setting.place is not None:
            self.p[self.setting.place] = value
        g, G, gp = self._rows_at(x)
        levels = np.append(self.setting.levels, np.zeros(len(g) - len(self.setting.levels)))
        if (freed := self.setting.freed) is not None:
            levels[freed], gp = value, gp.copy()
            gp[freed] -= 1.0
        U, sv, V = np.linalg.svd(G)
        rank = int((sv > RANK_TOLERANCE * sv[0]).sum())
        Z, Y = V[rank:], U[:, :rank].T
        ends = np.zeros((n, 2 * n + COLUMNS))
        ends[n - rank :, :n], ends[n - rank :, 2 * n + 1], ends[n - rank :, -1] = Y @ G, Y @ gp, Y @ (g - levels)
        if self._pins:
            there, D = self._end_at_beginning(x, end)
            ends[: n - rank, : 2 * n], ends[: n - rank, -1] = np.hstack([-Z, Z @ D]), Z @ (there - x)
            return ends, 0
        ends[: n - rank, : 2 * n] = np.hstack([-Z, Z * self.mirror])
        return ends, n - rank

    def turn(self, x: Array, end: Array) -> Array:
        """α along the symmetries by which the end of an orbit, moved back, comes nearest to its beginning."""
        sizes = np.maximum(np.abs(x), 1e-3 * float(np.abs(x).max()) + 1e-300)
        if not self._pins:
            return np.zeros(0)
        self._near = self.flow.action.nearest(end, x, self.p, sizes, self._near)
        return self._near

    def _end_at_beginning(self, x: Array, end: Array) -> tuple[Array, Array]:
        """The end of an orbit moved to its beginning, by the mirror or along symmetries, and the derivative of that
        map."""
        if not self._pins:
            return self.mirror * end, np.diag(self.mirror)
        return self.flow.action.moved(end, self.turn(x, end), self.p)

    @cached_property
    def _pins(self) -> bool:
        """Whether families of motions that look alike go on through an orbit: not with a mirror, of which they are not
        a symmetry."""
        return self.setting.mirror is None and bool(self.flow.symmetries)

    def _rows_at(self, x: Array) -> tuple[Array, Array, Array]:
        """Rows that keep their value; then, where motions come in families that look alike, one that picks a member."""
        n, t0 = self.flow.n, self.setting.t0
        g, G, gp = self.flow.rows_at(t0, x, self.p) if self.flow.rows else (np.zeros(0), np.zeros((0, n)), np.zeros(0))
        if not self._pins:
            return g, G, gp
        Y = self.flow.along_symmetries(np.array([t0]), x[None], self.p)[0]
        none = np.zeros(len(Y))
        return np.append(g, none), np.vstack([G, Y]), np.append(gp, none)

    def gap(self, point: OrbitPoint) -> float:
        """By how much the ends miss each other, in parts of the states' sizes."""
        return float(np.abs((self._end_at_beginning(point.x[0], point.x[-1])[0] - point.x[0]) / point.sizes).max())

    def next_round(self, point: OrbitPoint, sign: float = 1.0, along: OrbitPoint | None = None) -> OrbitPoint:
        """An orbit over two rounds: the second is the first, mirrored or moved along the symmetries. With `along`, an
        orbit, the point is a direction at it, which the second round has with a sign."""
        at = point if along is None else along
        if not self._pins:
            return mirrored_point(point, sign * self.mirror)
        alpha, act = -self.turn(at.x[0], at.x[-1]), self.flow.action
        D = np.array([act.moved(x, alpha, self.p)[1] for x in at.x])
        there = [sign * d @ x for d, x in zip(D, point.x, strict=True)]
        second = act.all_moved(at.x, alpha, self.p) if along is None else np.array(there)
        K = sign * np.einsum("ijk,imk->imj", D[:-1], point.K)
        times = np.concatenate([point.times / 2, 0.5 + point.times[1:] / 2])
        return OrbitPoint(
            times, np.concatenate([point.x, second[1:]]), np.concatenate([point.K, K]), 2 * point.T, point.value
        )

    # --------------------------------------------------------------------------------------- directions along the orbit

    def bases(self, point: OrbitPoint) -> Array | None:
        """Orthonormal bases of the directions in which g does not change, across symmetries, at the mesh points;
        None if there are no invariants and no symmetries."""
        if not self.flow.rows and not self.flow.symmetries:
            return None
        times, x = self.setting.t0 + point.times[:-1] * point.T, point.x[:-1]
        G = self.flow.gradients(times, x, self.p) if self.flow.rows else np.zeros((len(x), 0, self.flow.n))
        G = np.concatenate([G, self.flow.along_symmetries(times, x, self.p)], axis=1)
        _, sv, V = np.linalg.svd(G)
        rank = int((sv[0] > RANK_TOLERANCE * sv[0, 0]).sum())
        return np.asarray(V[:, rank:].transpose(0, 2, 1))

    def multipliers(self, point: OrbitPoint, maps: Array) -> Complex:
        """Floquet multipliers of [0, 1], in directions along constraints and levels."""
        B, Z = maps, self.bases(point)
        if self._pins or self.setting.mirror is not None:
            B = maps.copy()
            B[-1] = self._end_at_beginning(point.x[0], point.x[-1])[1] @ B[-1]
        if Z is not None:
            B = np.swapaxes(np.roll(Z, -1, axis=0), 1, 2) @ B @ Z
        key = B.shape[:2]
        if not key[1]:
            return np.zeros(0, dtype=complex)
        if key not in self._products:
            self._products[key] = ProductSolver(key[1], key[0], self.flow.effort)
        return self._products[key].eigenvalues(B)

    def onward(self, point: OrbitPoint, direction: Array) -> Array:
        """How a direction at the beginning of an orbit stands at its end, where it is the same there: S δx(1) = δx(0)."""
        return np.asarray(np.linalg.solve(self._end_at_beginning(point.x[0], point.x[-1])[1], direction))

    def shown(self, point: OrbitPoint) -> OrbitPoint:
        """The orbit as polynomials, to look at."""
        raise NotImplementedError

    def null_direction(self, point: OrbitPoint, factor: float) -> OrbitPoint:
        """The direction δx with S δx(1) = factor δx(0) that the flow along an orbit keeps best."""
        raise NotImplementedError

    def null_start(self, P: Array, Q: Array, point: OrbitPoint, factor: float, flow: Array | None) -> Array:
        """δx(0) of it, from the rows P δx(0) + Q δx(1) = 0 of the chain; across the direction of the flow, where this
        is kept too."""
        whole = P + factor * np.linalg.solve(self._end_at_beginning(point.x[0], point.x[-1])[1].T, Q.T).T
        if flow is not None:
            whole = np.vstack([whole, flow])
        if self.flow.rows or self._pins:
            whole = np.vstack([whole, self._rows_at(point.x[0])[1]])
        sizes = np.linalg.norm(whole, axis=1, keepdims=True)
        return np.asarray(np.linalg.svd(whole / np.where(sizes > 0, sizes, 1.0))[2][-1])


def mirrored_point(point: OrbitPoint, signs: Array) -> OrbitPoint:
    """A whole period from a half of it: the second half is the mirror image of the first."""
    times = np.concatenate([point.times / 2, 0.5 + point.times[1:] / 2])
    x = np.concatenate([point.x, signs * point.x[1:]])
    return OrbitPoint(times, x, np.concatenate([point.K, signs * point.K]), 2 * point.T, point.value)

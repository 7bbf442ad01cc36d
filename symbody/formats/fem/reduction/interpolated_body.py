"""`interpolated_body`: a body from finite elements whose numbers are polynomials of a parameter, through samples.

Every sample has its own shapes; of their span those are taken that are nearest, in the metric of mass, to the shapes of
the sample in the middle, so that coordinates mean the same everywhere (Amsallem and Farhat, SIAM J. Sci. Comput. 33,
2011). Then every moment, K and D are polynomials through their samples: K ∝ E and M ∝ ρ exactly with two of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from scipy import linalg

import symbody as sb

from ....errors import ModelError, listed, shown
from ....summary import Summarized, Summary, summary_rows
from ..bodies.finite_body import Array, FiniteElements
from ..reduced.reduced_body import (
    DUST,
    HALF,
    ONE,
    ZERO,
    DeformingSurface,
    NodalShapes,
    Place,
    ReducedBody,
    Skin,
    Stiffening,
    in_sequence,
    turned_frame,
)
from ..reduced.stress_history import StressHistory
from .reduce import HeldBody, ReductionQuestion

SAME_SPAN_COSINE: Final = 0.5  # cosine of the largest angle between spans of samples that are still the same shapes


def interpolated_body(
    parameter: sb.Symbol, samples: Mapping[float, FiniteElements], **options: Any
) -> InterpolatedBody:
    """A body whose numbers depend on a parameter, for `Model.elastic_from`: derivatives by that parameter are those of
    the polynomials.

    parameter   a parameter of the model
    samples     bodies of the same mesh by value of the parameter, two or more: {1.9e11: part(1.9e11), 2.3e11:
                part(2.3e11)}
    options     those of `FiniteElements.reduced`

    >>> nodes = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    >>> K = np.zeros((12, 12))  # four nodes, and a spring between any two
    >>> for i, j in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]:
    ...     way = (nodes[j] - nodes[i]) / np.linalg.norm(nodes[j] - nodes[i])
    ...     b = np.kron(np.eye(4)[j] - np.eye(4)[i], way)
    ...     K += 1000.0 * np.outer(b, b)
    >>> parts = {k: sb.finite_elements(mass=np.eye(12), stiffness=k * K, nodes=nodes) for k in (1.0, 2.0)}
    >>> m = sb.Model("body")
    >>> k = m.parameter("k", 1.5)
    >>> body = sb.formats.interpolated_body(k, parts, frame="mean", method="free", modes=3)
    >>> soft = m.elastic_from("soft", body, m.ground)
    >>> soft.stiffness.shape, sb.evaluate(soft.stiffness[0, 0], {k: 1.5})
    ((3, 3), 1500.0)

    See also: `finite_elements`, `formats.ReducedBody`, `Model.elastic_from`.
    """
    where = "interpolated body"
    if not isinstance(parameter, sb.Symbol):
        raise ModelError(
            f"{where}: the first argument must be a parameter of the model, such as m.parameter('E', 2.1e11); got "
            f"{shown(parameter)}"
        )
    if (
        not isinstance(samples, Mapping)
        or len(samples) < 2
        or not all(isinstance(p, FiniteElements) for p in samples.values())
    ):
        raise ModelError(
            f"{where}: samples map two or more values of {parameter} to bodies from `finite_elements`; got "
            f"{shown(samples)}"
        )
    if len(sizes := {p.size for p in samples.values()}) > 1:
        raise ModelError(
            f"{where}: its samples have {listed(sorted(sizes))} degrees of freedom; they must be of one mesh"
        )
    bodies = [HeldBody(p, ReductionQuestion(**options)) for p in samples.values()]
    made = []
    for value, b, shapes in zip(samples, bodies, _alike(where, parameter, samples, bodies), strict=True):
        K, M = (np.asarray(shapes.T @ (A @ shapes)) for A in (b.solver.K, b.solver.M))
        kept = tuple(f"shape {k + 1} at {value:zg}" for k in range(shapes.shape[1]))
        made.append(b.on_shapes(shapes, (K + K.T) / 2, _damping_matrix(b, M, K), kept, {}))
    return InterpolatedBody(parameter, tuple(float(x) for x in samples), tuple(made))


def _alike(where: str, parameter: sb.Symbol, values: Iterable[float], bodies: list[HeldBody]) -> list[Array]:
    """In the span of each sample, the shapes nearest to those of the sample in the middle."""
    own = [b.orthogonal(b.span())[1] for b in bodies]
    middle = len(bodies) // 2
    target, M = own[middle], bodies[middle].solver.M
    out = []
    for value, v in zip(values, own, strict=True):
        if v.shape != target.shape:
            raise ModelError(
                f"{where}: {v.shape[1]} shapes at {parameter} = {value:zg}, {target.shape[1]} in the middle; "
                "give a number of modes instead of a frequency"
            )
        overlap = v.T @ (M @ v)
        W = np.linalg.solve(overlap, v.T @ (M @ target))
        near = float(np.linalg.svd(linalg.cholesky(overlap) @ W, compute_uv=False)[-1])
        if near < SAME_SPAN_COSINE:
            raise ModelError(
                f"{where}: the shapes at {parameter} = {value:zg} and those in the middle have a direction in common only to {near:z.2g}: the modes change too much in between. Use closer samples, or more modes"
            )
        out.append(np.asarray(v @ W))
    return out


def _damping_matrix(body: HeldBody, M: Array, K: Array) -> Array:
    ask = body.ask
    if ask.rayleigh is not None:
        return np.asarray(float(ask.rayleigh[0]) * M + float(ask.rayleigh[1]) * K)
    if ask.modal_damping is None:
        return np.zeros_like(K)
    values, mix = linalg.eigh(K, M)
    left = M @ mix
    return np.asarray(left * (2 * float(ask.modal_damping) * np.sqrt(values)) @ left.T)


@dataclass(frozen=True, eq=False, repr=False)
class InterpolatedBody(Summarized):
    """Reduced bodies in one set of coordinates, at values of a parameter."""

    parameter: sb.Symbol
    values: tuple[float, ...]
    samples: tuple[ReducedBody, ...]

    @property
    def count(self) -> int:
        return self.samples[0].count

    @property
    def stiffening(self) -> Stiffening | None:
        return self.samples[0].stiffening

    @property
    def skin(self) -> Skin | None:
        return self.samples[len(self.samples) // 2].skin

    @property
    def stress(self) -> Mapping[str, Array]:
        return self.samples[len(self.samples) // 2].stress

    @property
    def checked(self) -> tuple[ReducedBody, ...]:
        """Bodies whose modes are to be checked."""
        return self.samples

    def _summary(self) -> Summary:
        first = listed(f"{b.frequencies[0]:z.5g} Hz at {x:zg}" for x, b in zip(self.values, self.samples, strict=True))
        return Summary(
            f"Body interpolated over {self.parameter}, {self.count} coordinates", summary_rows(first_frequency=first)
        )

    def table(self, q: tuple[sb.Symbol, ...]) -> sb.bodies.Moments:
        b = self.samples
        n = self.count + 1
        size = np.sqrt(np.einsum("skkaa->sk", np.stack([x.second for x in b]))).max(axis=0)
        mass = self._polynomial(np.array([x.mass for x in b]), 0.0)
        first = [self._matrix(np.stack([x.first[k] for x in b]), DUST * np.sqrt(b[0].mass) * size[k]) for k in range(n)]
        weights: list[sb.Expr] = [ONE, *q]
        second = {
            (k, l): self._matrix(np.stack([x.second[k, l] for x in b]), DUST * size[k] * size[l])
            for k in range(n)
            for l in range(k, n)
        }
        stiff = [x.stiffening for x in b]
        if all(s is not None for s in stiff):
            g, G = (np.stack([getattr(s, name) for s in stiff]) for name in ("first", "second"))
            for k in range(n - 1):
                for l in range(k, n - 1):
                    second[0, len(weights)] = self._matrix(G[:, k, l], DUST * float(np.abs(G).max()))
                    first.append(self._matrix(g[:, k, l], DUST * float(np.abs(g).max())))
                    weights.append(q[k] * q[l] * (HALF if k == l else ONE))
        kept = {p: G for p, G in second.items() if any(e is not ZERO for e in G.entries)}
        return sb.bodies.Moments(mass, tuple(weights), tuple(first), kept)

    def matrix(self, name: str) -> sb.Matrix:
        """Stiffness or damping."""
        found = np.stack([getattr(b, name) for b in self.samples])
        d = np.sqrt(np.abs(np.einsum("skk->sk", found)).max(axis=0))
        return self._matrix(np.where(np.abs(found) > DUST * np.outer(d, d), found, 0.0), 0.0)

    def shapes(self, q: tuple[sb.Symbol, ...]) -> NodalShapes | None:
        """Of the sample in the middle, for drawings."""
        return self.samples[len(self.samples) // 2].shapes(q)

    def edges(self, on: sb.Frame, q: tuple[sb.Symbol, ...]) -> tuple[tuple[sb.Frame, sb.Frame], ...]:
        """Of the sample in the middle."""
        return self.samples[len(self.samples) // 2].edges(on, q)

    def surface(self, q: tuple[sb.Symbol, ...]) -> DeformingSurface | None:
        """Of the sample in the middle."""
        return self.samples[len(self.samples) // 2].surface(q)

    def stresses(self, name: str, q: tuple[sb.Symbol, ...], run: Any, places: str | None) -> StressHistory:
        """Of the sample in the middle."""
        return self.samples[len(self.samples) // 2].stresses(name, q, run, places)

    def point_at(self, place: Place) -> str | None:
        """The name of the point that is there in the sample in the middle."""
        return self.samples[len(self.samples) // 2].point_at(place)

    def frames(self, on: sb.Frame, q: tuple[sb.Symbol, ...]) -> dict[str, sb.Frame]:
        out = {}
        for name in self.samples[0].points:
            p = [b.points[name] for b in self.samples]
            offset = self._sum(np.stack([x.place for x in p]), np.stack([x.shifts for x in p]), q)
            angles = self._sum(np.zeros((len(p), 3)), np.stack([x.angles for x in p]), q)
            second, turned = (self._quadratic([getattr(x, n) for x in p], q) for n in ("second", "turned"))
            offset = offset if second is None else offset + second
            out[name] = turned_frame(on, offset, in_sequence(angles, turned), f"{on.name}.{name}")
        return out

    def _quadratic(self, parts: list[Array | None], q: tuple[sb.Symbol, ...]) -> sb.Matrix | None:
        """½ Σ q_k q_l x_kl, where all samples have it."""
        if any(x is None for x in parts):
            return None
        found = np.stack([x for x in parts if x is not None])
        dust, total = DUST * max(float(np.abs(found).max()), 1e-300), sb.zeros(3)
        for k in range(len(q)):
            for l in range(k, len(q)):
                total = total + (q[k] * q[l] * (HALF if k == l else ONE)) * self._matrix(found[:, k, l], dust)
        return total

    def _sum(self, rest: Array, parts: Array, q: tuple[sb.Symbol, ...]) -> sb.Matrix:
        size = DUST * max(float(np.abs(parts).max(initial=0.0)), 1e-300)
        total = self._matrix(rest, 0.0)
        for k, x in enumerate(q):
            total = total + x * self._matrix(parts[:, k], size)
        return total

    def _matrix(self, found: Array, dust: float) -> sb.Matrix:
        """(samples, rows[, columns]) as polynomials."""
        shape = found.shape[1:]
        columns = shape[1] if len(shape) > 1 else 1
        entries = tuple(self._polynomial(x, dust) for x in found.reshape(len(found), -1).T)
        return sb.Matrix(shape[0], columns, entries)

    def _polynomial(self, found: Array, dust: float) -> sb.Expr:
        """Newton's polynomial through the samples in x = (p - p_0) / (p_1 - p_0); differences that are rounding are
        zero."""
        if np.abs(found).max() <= dust:
            return ZERO
        x = (np.array(self.values) - self.values[0]) / (self.values[-1] - self.values[0])
        c = found.astype(float).copy()
        for k in range(1, len(c)):
            c[k:] = (c[k:] - c[k - 1 : -1]) / (x[k:] - x[:-k])
        c = np.where(np.abs(c) > max(dust, 1e-12 * float(np.abs(found).max())), c, 0.0)
        at = (self.parameter - self.values[0]) / (self.values[-1] - self.values[0])
        total, factor = sb.algebra.as_expr(float(c[0])), ONE
        for k in range(1, len(c)):
            factor = factor * (at - float(x[k - 1]))
            if c[k]:
                total = total + float(c[k]) * factor
        return total

"""`reduced_body`: a body from finite elements with few coordinates.

The span of its shapes comes from a method (`spans.py`), is moved into the frame asked for, and is made orthogonal: Me =
1, Ke = diag(ω²).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from scipy import linalg

from ....errors import ModelError, SymbodyError, listed, shown, unknown
from ....given_files import reason_in_words
from ..bodies.body_moments import moments, nodal
from ..bodies.cage import cage
from ..bodies.finite_body import Array, FiniteElements, refuse_units
from ..bodies.interfaces import Interface, interfaces_of, point_motion, tied_body
from ..reduced.reduced_body import PointData, ReducedBody, Skin
from .frequency_band import balanced_shapes, band_error, krylov
from .spans import ShapeSpan, SpanQuestion, craig_bampton, free_interface
from .static_solves import FreeSolver
from .stiffening import stiffening_of

METHODS: Final = {"craig-bampton": craig_bampton, "free": free_interface, "krylov": krylov, "balanced": balanced_shapes}
DEPENDENT: Final = 1e-10  # least eigenvalue of the mass matrix of shapes with ones on its diagonal


@dataclass(frozen=True, eq=False)
class ReductionQuestion:
    """The arguments of `FiniteElements.reduced`."""

    interfaces: Any = None
    frame: Any = None
    method: str = "craig-bampton"
    modes: int | None = None
    up_to: float | None = None
    participation: float | None = None
    band: Any = None
    points: Any = None
    stiffening: bool | Mapping[str, Any] = False
    stress: Any = None
    modal_damping: Any = None
    rayleigh: Any = None
    any_units: bool = False


class HeldBody:
    """A body with its interfaces tied and its frame chosen: what shapes are looked for in."""

    where = "reduced body"

    def __init__(self, body: FiniteElements, ask: ReductionQuestion) -> None:
        self.body, self.ask = body, ask
        if ask.method not in METHODS:
            raise unknown(self.where, "method", str(ask.method), METHODS)
        self.faces = interfaces_of(self.where, body, ask.interfaces)
        self.tied = tied_body(body, self.faces)
        self.solver = FreeSolver(self.where, self.tied)
        self.reference = BodyReference(self.where, self.solver, self.faces, ask.frame)

    def span(self) -> ShapeSpan:
        ask = self.ask
        question = SpanQuestion(self.where, self.solver, ask.modes, ask.up_to, ask.participation, ask.band)
        found = METHODS[ask.method](question)
        return replace(found, shapes=self.reference.moved(found.shapes))

    def orthogonal(self, span: ShapeSpan) -> tuple[Array, Array]:
        """ω² and shapes."""
        values, v = orthogonal(self.where, self.solver, span)
        if not self.ask.any_units:
            refuse_units(self.where, self.body, float(np.sqrt(values[0])) / (2 * np.pi))
        return values, v

    def on_shapes(self, v: Array, K: Array, D: Array, kept: tuple[str, ...], report: dict[str, Any]) -> ReducedBody:
        """The body with these shapes as coordinates."""
        where, body, ask, held = self.where, self.body, self.ask, self.reference
        shapes = np.asarray(self.tied.T @ v)
        m, first, second = moments(body, held.origin, shapes)
        frames = self._points(v, shapes)
        geometric = stiffening_of(where, self.solver, held, v, ask.stiffening)
        if geometric is not None:
            frames = {
                n: replace(p, second=geometric.at.get(n), turned=geometric.turned.get(n)) for n, p in frames.items()
            }
        moved = np.stack([nodal(body, shapes[:, k]) for k in range(shapes.shape[1])])
        return ReducedBody(
            m, first, second, K, D, frames, kept, held.words, None if geometric is None else geometric.fields,
            Skin(body.nodes - held.origin, moved, body.faces, cage(body), body.places), _stresses(where, body, shapes, ask.stress), report,
        )  # fmt: skip

    def _points(self, v: Array, shapes: Array) -> dict[str, PointData]:
        where, body, held, given = self.where, self.body, self.reference, self.ask.points
        moved, frames = np.asarray(self.tied.B @ v), {}
        for i in self.faces:
            own = moved[self.tied.rows(i.name)]
            frames[i.name] = PointData(_without_rounding(body, i.place - held.origin), own[:3].T, own[3:].T)
        if given is not None and not isinstance(given, Mapping):
            raise ModelError(f"{where}: points= maps names to a node, a node set or a place, got {shown(given)}")
        for name, at in (given or {}).items():
            if name in frames:
                raise ModelError(f"{where}: point {name!r} has the name of an interface")
            nodes = nearest(body, at) if _is_place(at) else body.node_numbers(f"{where}, point {name!r}", at)
            place = body.nodes[nodes].mean(axis=0)
            rows, W = point_motion(body, nodes, place)
            motion = W @ shapes[rows]
            frames[str(name)] = PointData(_without_rounding(body, place - held.origin), motion[:3].T, motion[3:].T)
        return frames


def reduced_body(body: FiniteElements, ask: ReductionQuestion) -> ReducedBody:
    """Shapes by a method, in a frame, made orthogonal, and what they give."""
    try:
        return _body_on_shapes(HeldBody(body, ask), ask)
    except (linalg.LinAlgError, ValueError, ArithmeticError) as reason:
        if isinstance(reason, SymbodyError):
            raise
        raise ModelError(
            f"reduced body: {reason_in_words(reason)}. The largest entries are {abs(body.stiffness).max():z.3g} in the stiffness and "
            f"{abs(body.mass).max():z.3g} in the mass matrix: are these the numbers of the body?"
        ) from reason


def _body_on_shapes(made: HeldBody, ask: ReductionQuestion) -> ReducedBody:
    span = made.span()
    if not span.shapes.shape[1]:
        raise ModelError(f"{made.where}: no shape is left; use modes=1 or more, or name interfaces=")
    values, v = made.orthogonal(span)
    report = {"method": ask.method, **span.report}
    if ask.band is not None and "error in band" not in report:
        report["error in band"] = band_error(made.where, made.solver, ask.band, v)
    D = _damping(made.where, values, ask.modal_damping, ask.rayleigh)
    kept = tuple(f"{np.sqrt(w) / (2 * np.pi):z.5g} Hz" for w in values)
    out = made.on_shapes(v, np.diag(values), D, kept, report)
    _exact(out.second, values)
    return out


# ---------------------------------------------------------------------------------------------------------- frames


class BodyReference:
    """Six conditions on shapes that fix the frame to the body: C u = 0, and where its origin is."""

    def __init__(self, where: str, solver: FreeSolver, faces: tuple[Interface, ...], asked: Any) -> None:
        by_name = {i.name: i for i in faces}
        frame = asked if asked is not None else faces[0].name if faces else "mean"
        names = (frame,) if isinstance(frame, str) else tuple(frame) if isinstance(frame, (tuple, list)) else ()
        if not names or len(names) > 2 or len(set(names)) != len(names):
            raise ModelError(
                f"{where}: frame= must be the name of an interface, two of them for a chord, or 'mean'; got {shown(asked)}"
            )
        self.solver, self.names = solver, names
        if names == ("mean",):
            self.words, self.origin = "mean axes", solver.body.body.centre
            self.C = np.asarray((solver.M @ solver.R).T)
            return
        for n in names:
            if n not in by_name:
                raise unknown(f"{where}: frame=", "interface", str(n), [*by_name, "mean"])
        self.origin = by_name[names[0]].place
        first = solver.body.B[solver.body.rows(names[0])]
        if len(names) == 1:
            self.words, self.C = f"interface {names[0]}", np.asarray(first.todense())
            return
        self.words = f"chord from {names[0]} to {names[1]}"
        along = by_name[names[1]].place - self.origin
        self.C = _chord(
            where,
            names,
            along,
            np.asarray(first.todense()),
            np.asarray(solver.body.B[solver.body.rows(names[1])].todense()),
        )

    def moved(self, v: Array) -> Array:
        """Shapes minus the rigid motion that their conditions require."""
        return np.asarray(v - self.solver.R @ np.linalg.solve(self.C @ self.solver.R, self.C @ v))


def _chord(where: str, names: tuple[Any, ...], along: Array, first: Array, second: Array) -> Array:
    """The first point stays, its rotation about the chord too, and the second moves along the chord only."""
    size = float(np.linalg.norm(along))
    if size == 0.0:
        raise ModelError(f"{where}: frame=: {names[0]!r} and {names[1]!r} are at one place, and have no chord")
    e = along / size
    side = np.linalg.svd(e[None])[2][1:]  # two directions normal to it
    return np.concatenate([first[:3], (e @ first[3:])[None], side @ second[:3]])


# ---------------------------------------------------------------------------------------------------------- modes


def orthogonal(where: str, solver: FreeSolver, span: ShapeSpan) -> tuple[Array, Array]:
    """ω² and shapes with Me = 1 and Ke = diag(ω²); dependent ones are refused, rigid ones have been taken out
    before."""
    v = span.shapes
    M, K = np.asarray(v.T @ (solver.M @ v)), np.asarray(v.T @ (solver.K @ v))
    d = np.sqrt(np.diag(M))
    weight = d / np.maximum(np.abs(span.shapes).max(axis=0), 1e-300)
    if weight.min() <= 1e-9 * weight.max() or not np.isfinite(d).all():
        k = int(weight.argmin())
        raise ModelError(
            f"{where}: {span.names[k]} moves no mass in this frame; omit it, or fix the frame to something else"
        )
    M, K, v = M / np.outer(d, d), K / np.outer(d, d), v / d
    least, mixture = np.linalg.eigh((M + M.T) / 2)
    if least[0] < DEPENDENT:
        parts = mixture[:, 0] / np.abs(mixture[:, 0]).max()
        said = listed(span.names[k] for k in np.argsort(-np.abs(parts))[:4])
        raise ModelError(
            f"{where}: its shapes are not independent (least eigenvalue {least[0]:z.2g} of their mass "
            f"matrix): {said} are combinations of each other; use fewer modes, or omit an interface"
        )
    values, mix = linalg.eigh((K + K.T) / 2, (M + M.T) / 2)
    if values[0] <= 1e-9 * values[-1] * DEPENDENT or values[0] <= 0:
        raise ModelError(
            f"{where}: a combination of its shapes has no stiffness (ω² = {values[0]:z.3g} of "
            f"{values[-1]:z.3g}): it contains a rigid motion"
        )
    shapes = v @ mix
    return values, shapes * np.sign(shapes[np.abs(shapes).argmax(axis=0), np.arange(len(values))])


def _exact(second: Array, values: Array) -> None:
    """tr G_kl = δ_kl to the last digit, where rounding has left something else."""
    n = len(values)
    for k in range(n):
        for l in range(n):
            G = second[1 + k, 1 + l]
            G += (float(k == l) - np.trace(G)) / 3 * np.eye(3)


def _damping(where: str, values: Array, ratios: Any, rayleigh: Any) -> Array:
    n = len(values)
    if ratios is not None and rayleigh is not None:
        raise ModelError(f"{where}: give one of modal_damping and rayleigh")
    if rayleigh is not None:
        if not isinstance(rayleigh, (tuple, list)) or len(rayleigh) != 2:
            raise ModelError(f"{where}: rayleigh= must be (alpha, beta) of D = alpha M + beta K, got {shown(rayleigh)}")
        return np.diag(float(rayleigh[0]) + float(rayleigh[1]) * values)
    zeta = np.asarray(0.0 if ratios is None else ratios, dtype=float)
    if zeta.ndim > 1 or (zeta.ndim == 1 and len(zeta) != n) or not np.isfinite(zeta).all():
        raise ModelError(f"{where}: modal_damping= must be one ratio, or {n} of them; got {shown(ratios)}")
    return np.diag(np.broadcast_to(2 * zeta * np.sqrt(values), n))


# ---------------------------------------------------------------------------------------------------------- points


def _without_rounding(body: FiniteElements, place: Array) -> Array:
    """Zero where it is rounding of zero: places decide whether loads balance exactly."""
    return np.where(np.abs(place) > 1e-14 * body.extent, place, 0.0)


def _is_place(at: Any) -> bool:
    return not isinstance(at, str) and np.shape(at) == (3,) and np.asarray(at).dtype.kind == "f"


def nearest(body: FiniteElements, place: Any) -> Any:
    return np.array([int(np.linalg.norm(body.nodes - np.asarray(place, dtype=float), axis=1).argmin())])


def _stresses(where: str, body: FiniteElements, shapes: Array, wanted: Any) -> dict[str, Array]:
    """Stresses for each coordinate, (n, places, 6)."""
    names = list(body.stress) if wanted is None else [wanted] if isinstance(wanted, str) else list(wanted)
    for n in names:
        if n not in body.stress:
            raise unknown(f"{where}: stress=", "place", str(n), body.stress)
    return {n: np.asarray(body.stress[n] @ shapes).T.reshape(shapes.shape[1], -1, 6) for n in names}

"""Frames, points, vectors, dyads and bodies of SymPy's mechanics as those of a model.

SymPy's frames have orientations only and its points positions only; the frames and points named in the call anchor
them:

    from_sympy(v, {N: m.ground})                       a vector, a dyad, a frame
    from_sympy(P, {N: m.ground, O: m.ground.origin})   a point, a body

Other frames are children of the named one, by their direction cosines and their angular velocity in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import sympy
from sympy.physics.mechanics import Particle, RigidBody
from sympy.physics.vector import Dyadic, ReferenceFrame
from sympy.physics.vector import Point as SympyPoint
from sympy.physics.vector import Vector as SympyVector

from ...algebra.graph.graph import Expr, Symbol
from ...algebra.graph.matrix import Matrix, zeros
from ...algebra.sympy_border.from_sympy import from_sympy, meanings
from ...errors import ModelError, listed, shown
from ..frames.dyads import Dyad
from ..frames.frames import Frame
from ..frames.points import Point
from ..frames.rotations import Cosines, Rotation
from ..frames.vectors import Vector
from ..mass.mass import MassProperties
from .mechanism import Body


class SympyFrames:
    """What frames and points of SymPy stand for, and everything that is written in them.

    known   frames and points of SymPy that are named, with frames and points of a model
    """

    def __init__(self, symbols: Mapping[Any, Any] | Iterable[Symbol] | None) -> None:
        given = meanings(symbols)
        self._frames: dict[Any, Frame] = {k: v for k, v in given.items() if isinstance(k, ReferenceFrame)}
        self._points: dict[Any, Point] = {k: v for k, v in given.items() if isinstance(k, SympyPoint)}
        self._symbols = {k: v for k, v in given.items() if k not in self._frames and k not in self._points}
        self._roots = list(self._frames)

    def scalar(self, e: Any) -> Expr:
        found: Expr = from_sympy(sympy.sympify(e), self._symbols)
        return found

    def column(self, m: Any) -> Matrix:
        return Matrix(3, 1, tuple(self.scalar(e) for e in m))

    def frame(self, f: Any) -> Frame:
        """The frame itself where it is named, else one on that with which SymPy relates it."""
        if f not in self._frames:
            self._frames[f] = self._child_of_named(f)
        return self._frames[f]

    def _child_of_named(self, f: Any) -> Frame:
        for root in self._roots:
            try:
                cosines = root.dcm(f)
            except ValueError:  # not oriented to each other
                continue
            R = Matrix(3, 3, tuple(self.scalar(e) for e in cosines))
            spin = self._spin(f, root)
            return Frame(self._frames[root], Rotation((Cosines(R, spin),)), zeros(3), f.name)
        named = listed(r.name for r in self._roots)
        raise ModelError(
            f"from_sympy: the frame {f.name!r} has no orientation in a frame that is named ({named}); name "
            f"one: from_sympy(..., {{{f.name}: m.ground}})"
        )

    def _spin(self, f: Any, root: Any) -> Matrix:
        w = f.ang_vel_in(root)
        return self.column(w.to_matrix(f)) if w != 0 else zeros(3)

    def vector(self, v: Any) -> Vector:
        terms: dict[Frame, Matrix] = {}
        for components, frame in v.args:
            f, c = self.frame(frame), self.column(components)
            terms[f] = terms[f] + c if f in terms else c
        return Vector(terms)

    def dyad(self, d: Any) -> Dyad:
        total = Dyad({})
        for coefficient, a, b in d.args:
            total = total + (self.scalar(coefficient) * self.vector(a)).outer(self.vector(b))
        return total

    def point(self, p: Any) -> Point:
        if p in self._points:
            return self._points[p]
        for origin, here in self._points.items():
            try:
                return here + self.vector(p.pos_from(origin))
            except ValueError:  # no way from one to the other
                continue
        named = listed(o.name for o in self._points)
        raise ModelError(
            f"from_sympy: the point {p.name!r} has no position from a point that is named ({named}); name one: "
            f"from_sympy(..., {{N: m.ground, {p.name}: m.ground.origin}})"
        )

    def body(self, b: Any) -> Body:
        """A body with a frame of its own, at the mass centre: `m.parts.add_body(from_sympy(b, ...))`."""
        if isinstance(b, Particle):
            frame = Frame(*self._pose_of_body(b.point, None), name=b.name)
            return Body(b.name, frame, MassProperties(self.scalar(b.mass), zeros(3), zeros(3, 3)))
        frame = Frame(*self._pose_of_body(b.masscenter, b.frame), name=b.name)
        I = self.dyad(b.central_inertia).components(self.frame(b.frame))
        return Body(b.name, frame, MassProperties(self.scalar(b.mass), zeros(3), I))

    def _pose_of_body(self, centre: Any, turned: Any) -> tuple[Frame, Rotation, Matrix]:
        at = self.point(centre)
        if turned is None:
            return at.frame, Rotation(()), at.coordinates
        f = self.frame(turned)
        parent = f.parent if f.parent is not None else f
        rotation = f.rotation if f.parent is not None else Rotation(())
        return parent, rotation, at.in_frame(parent).coordinates


_OF: Final[tuple[tuple[Any, Callable[[SympyFrames, Any], Any]], ...]] = (
    (ReferenceFrame, SympyFrames.frame),
    (SympyVector, SympyFrames.vector),
    (Dyadic, SympyFrames.dyad),
    (SympyPoint, SympyFrames.point),
    ((RigidBody, Particle), SympyFrames.body),
)


def geometry(x: Any, symbols: Mapping[Any, Any] | Iterable[Symbol] | None) -> Any:
    """A frame, vector, dyad, point or body of SymPy as one of a model."""
    for kind, convert in _OF:
        if isinstance(x, kind):
            return convert(SympyFrames(symbols), x)
    raise ModelError(f"from_sympy: {shown(x)} of type {type(x).__name__} has no counterpart")

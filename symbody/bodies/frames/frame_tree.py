"""The tree of frames: the pose of each frame in its parent, and rotations between frames.

Frames form a tree whose root is the ground. A frame holds its pose in its parent; rotations and angular velocities
between any two frames follow from the paths to their common ancestor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import islice, takewhile
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar, cast

from ...algebra.calculus.derivatives import time_derivative
from ...algebra.graph.graph import ZERO, Expr, Symbol
from ...algebra.graph.matrix import Matrix, skew, zeros
from ...algebra.graph.portable import Portable
from ...algebra.graph.walk import free_symbols
from ...errors import ModelError, shown
from ...escaping import in_latex
from .rotations import Rotation

if TYPE_CHECKING:
    from .frames import Frame


MAX_KEPT_PATH: Final = 100  # longest path that a frame keeps: those of a chain have the square of its length


AnyFrame = TypeVar("AnyFrame", bound="FrameInTree")


class _Placements:
    """A number that changes when a frame is taken off its parent: what frames have kept of their places is then out of
    date, that of its descendants too, and these are not registered."""

    now = 0


NO_ROTATIONS: Final[Any] = MappingProxyType({})  # of a frame that has kept none
KEPT: Final = ("_path", "_root", "_depth", "_rotations", "_angular_velocity")  # what a frame keeps of its place


class Immutable(Portable):
    """Attributes are set once, through `__dict__` or `object.__setattr__`, and cannot be assigned afterwards."""

    __slots__ = ()

    def __setattr__(self, name: str, value: Any) -> None:
        raise ModelError(f"{type(self).__name__.lower()} {self!r}: {name} cannot be changed; make a new one")

    def __delattr__(self, name: str) -> None:
        raise ModelError(f"{type(self).__name__.lower()} {self!r}: {name} cannot be removed")


class FrameInTree(Immutable):
    """A frame F by its pose in its parent P: rotation R_PF, and the offset of its origin, in components of P.

    velocity   of the origin, in components of F, for a frame with prescribed motion but unknown position
               (`Model.moving_frame`); its position then consists of undefined symbols
    """

    parent: Self | None
    rotation: Rotation
    offset: Matrix
    velocity: Matrix | None = None
    name: str
    is_ground: bool = False
    _is_frozen: bool = False
    _kept_at: int
    _path: tuple[Self, ...] = ()
    _root: Self | None = None
    _depth: int = 0
    _rotations: dict[Self, Rotation] = NO_ROTATIONS
    _angular_velocity: Matrix | None = None

    def __init__(
        self,
        parent: Self | None,
        rotation: Rotation = Rotation(),  # noqa: B008  (immutable)
        offset: Matrix | None = None,
        name: str | None = None,
        is_ground: bool = False,
        velocity: Matrix | None = None,
    ) -> None:
        # One by one: instances then share the keys of their dictionaries. What is not set has its default in the class.
        put = object.__setattr__
        put(self, "parent", parent)
        put(self, "rotation", rotation)
        put(self, "offset", zeros(3) if offset is None else offset)
        put(self, "name", name or (f"{parent.name}'" if parent else "frame"))
        put(self, "_kept_at", _Placements.now)
        if velocity is not None:
            put(self, "velocity", velocity)
        if is_ground:
            put(self, "is_ground", True)

    def __repr__(self) -> str:
        return f"<Frame {self.name}{f' on {self.parent.name}' if self.parent is not None else ''}>"

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key not in KEPT} | {"_kept_at": -1}

    def _forget_place(self) -> None:
        """What follows from the place of the frame is computed anew."""
        for key in KEPT:
            self.__dict__.pop(key, None)
        object.__setattr__(self, "_kept_at", _Placements.now)

    def _refresh(self) -> None:
        if self._kept_at != _Placements.now:
            self._forget_place()

    def _before(self, is_packed: Callable[[Any], bool]) -> tuple[Self, ...]:
        """Every 16th of the frames on the way to the root that are not pickled yet, those near the root first."""
        way = tuple(takewhile(lambda f: not is_packed(f), islice(self.ancestors(), 1, None)))
        return way[::-16] if len(way) > 16 else ()

    def rename(self, name: str) -> None:
        r"""Give it another name.

        >>> m = sb.Model("m")
        >>> A = m.ground.translate(1, 0, 0)
        >>> A.rename("A")
        >>> A, A.latex()
        (<Frame A on ground>, '\\mathrm{A}')
        >>> A.freeze()  # what becoming part of a `Mechanism` does
        >>> A.rename("B")
        Traceback (most recent call last):
            ...
        symbody.errors.ModelError: frame A keeps its name: it is part of a mechanism; name a frame of its own, frame.translate(0, 0, 0)

        See also: `Model.frame`, `bodies.Mechanism`.
        """
        if self._is_frozen:
            raise ModelError(
                f"frame {self.name} keeps its name: it is part of a mechanism; name a frame of its own, "
                "frame.translate(0, 0, 0)"
            )
        object.__setattr__(self, "name", name)

    def freeze(self) -> None:
        """It is part of a mechanism from now on, and keeps its name."""
        object.__setattr__(self, "_is_frozen", True)

    def latex(self) -> str:
        """Its name."""
        return rf"\mathrm{{{in_latex(self.name)}}}"

    def _repr_latex_(self) -> str:
        return f"${self.latex()}$"

    # ------------------------------------------------------------------------------------------------ the tree

    def hang_on(self, parent: Self, rotation: Rotation, offset: Matrix) -> None:
        """Place a root frame on a parent; possible once.

        >>> from symbody.bodies.frames.rotations import Rotation
        >>> m = sb.Model("m")
        >>> A = sb.Frame(None, name="A")
        >>> A.hang_on(m.ground, Rotation(), sb.vector(1, 0, 0))
        >>> A.origin.in_ground
        vector(1, 0, 0)

        See also: `Frame.translate`, `Model.joint`.
        """
        if self.parent is not None or self.is_ground:
            raise ModelError(
                f"frame {self.name} is placed already{f', on {self.parent.name}' if self.parent else ''}; a "
                "frame has one place"
            )
        self.__dict__.update(parent=parent, rotation=rotation, offset=offset)

    @property
    def path(self) -> tuple[Self, ...]:
        """From the root to this frame.

        >>> m = sb.Model("m")
        >>> a = m.coordinate("a")
        >>> A = m.ground.rotate("z", a, name="A")
        >>> B, C = A.translate(1, 0, 0, name="B"), A.translate(2, 0, 0, name="C")
        >>> [f.name for f in B.path], B.depth, B.root is m.ground, B.common_ancestor(C) is A
        (['ground', 'A', 'B'], 2, True, True)
        >>> B.rotation_in(m.ground).matrix == m.ground.dcm(B)
        True

        See also: `Frame.dcm`, `Frame.parent`.
        """
        self._refresh()
        if self._path:
            return self._path
        path = tuple(self.ancestors())[::-1]
        if path[0].is_ground and len(path) <= MAX_KEPT_PATH:  # a tree that is not placed may still grow at its root
            object.__setattr__(self, "_path", path)
        return path

    def ancestors(self) -> Iterator[Self]:
        """This frame, its parent, and so on to the root.

        >>> m = sb.Model("m")
        >>> B = m.ground.translate(1, 0, 0, name="A").translate(1, 0, 0, name="B")
        >>> [f.name for f in B.ancestors()], [f.name for f in B.below(m.ground)]
        (['B', 'A', 'ground'], ['A', 'B'])

        See also: `Frame.path`.
        """
        f: Self | None = self
        while f is not None:
            yield f
            f = f.parent

    def below(self, top: Self) -> tuple[Self, ...]:
        """The frames between one on the way to the root and this one: without that one, with this one."""
        return tuple(takewhile(lambda f: f is not top, self.ancestors()))[::-1]

    @property
    def depth(self) -> int:
        """Frames between the root and this one; 0 for the root."""
        if self._root is not None and self._kept_at == _Placements.now:
            return self._depth
        return self._root_and_depth[1]

    @property
    def root(self) -> Self:
        """The frame that all others on the way hang on: the ground, once the frame is placed."""
        if self._root is not None and self._kept_at == _Placements.now:
            return self._root
        return self._root_and_depth[0]

    @property
    def _root_and_depth(self) -> tuple[Self, int]:
        """Kept by every frame on the way, once they stand on the ground."""
        way: list[Self] = []
        for f in self.ancestors():
            f._refresh()
            if f._root is not None:
                break
            way.append(f)
        root, depth = (way.pop(), 0) if f._root is None else (f._root, f._depth)
        for k, f in enumerate(reversed(way), start=1):
            if root.is_ground:
                object.__setattr__(f, "_root", root)
                object.__setattr__(f, "_depth", depth + k)
        return root, depth + len(way)

    def common_ancestor(self, other: Self) -> Self:
        """The last frame that the ways from the root to two frames have in common."""
        a_frame(other)
        one, two = self, other
        (root, first), (other_root, second) = one._root_and_depth, two._root_and_depth
        if root is other_root and (root is one or root is two):
            return root
        for _ in range(first - second):
            one = _parent_of(one)
        for _ in range(second - first):
            two = _parent_of(two)
        while one is not two and one.parent is not None and two.parent is not None:
            one, two = one.parent, two.parent
        found = one if one is two else None
        if found is None:
            for f in (self, other):
                if not f.root.is_ground:
                    raise ModelError(
                        f"frames {self.name} and {other.name} are not connected: {f.name} is not connected to the ground yet; place its body by a joint first"
                    )
            raise ModelError(f"frames {self.name} and {other.name} belong to different models")
        return found

    def rotation_in(self, other: Self) -> Rotation:
        """The rotation that carries components in this frame to components in another; its matrix is also known as
        direction cosine matrix (dcm)."""
        self._refresh()
        if a_frame(other) not in self._rotations:
            top = self.common_ancestor(other)
            own = self._rotation_below(top)
            found = own if other is top else other.rotation_in(top).inverse @ own
            if not self._rotations:
                object.__setattr__(self, "_rotations", {})
            self._rotations[other] = found
        return self._rotations[other]

    def _rotation_below(self, top: Self) -> Rotation:
        """The rotation from an ancestor to this frame, from the last frame on the way that has kept its own."""
        way: list[Self] = []
        for f in self.ancestors():
            f._refresh()
            if f is top or top in f._rotations:
                break
            way.append(f)
        out = Rotation() if f is top else f._rotations[top]
        for g in reversed(way):
            out = out @ g.rotation
        return out

    # ------------------------------------------------------------------------------------------------ motion

    @cached_property
    def spin(self) -> Matrix:
        """Angular velocity in the parent, in own components.

        >>> m = sb.Model("m")
        >>> a, x = m.coordinates("a x")
        >>> A = m.ground.translate(x, 0, 0).rotate("z", a)
        >>> A.spin, A.parent.drift, A.angular_velocity_components
        (vector(0, 0, a_dot), vector(x_dot, 0, 0), vector(0, 0, a_dot))

        See also: `Frame.angular_velocity`, `Point.velocity`.
        """
        return self.rotation.spin()

    @property
    def drift(self) -> Matrix:
        """Velocity of the origin in the parent, in components of the parent."""
        return time_derivative(self.offset) if self.velocity is None else self.rotation.outwards(self.velocity)

    @property
    def unknown_place(self) -> tuple[Symbol, ...]:
        """The symbols that stand for the place of a frame of which only the motion is known.

        >>> m = sb.Model("sledge")
        >>> v, w = m.speeds("v w")
        >>> F = m.moving_frame("F", velocity=(v, 0, 0), spin=(0, 0, w))
        >>> F.unknown_place
        (angle_of_F, x_of_F, y_of_F)
        >>> F.rates_of_unknown_place
        {x_of_F: cos(angle_of_F)*v, y_of_F: sin(angle_of_F)*v, angle_of_F: w}

        See also: `Model.moving_frame`.
        """
        inside = () if self.velocity is None else free_symbols(self.offset, self.rotation.matrix)
        return tuple(s for s in inside if s.kind == "coordinate")

    @property
    def rates_of_unknown_place(self) -> dict[Symbol, Expr]:
        """Their rates: r' = R v of the offset, R' = R ω̃ of direction cosines, ω of the angle of a turn."""
        if self.velocity is None:
            return {}
        R, w = self.rotation.matrix, self.spin
        pairs = [*zip(self.offset.entries, self.drift.entries, strict=True)]
        pairs += zip(R.entries, (R @ skew(w)).entries, strict=True)
        found = {s: rate for s, rate in pairs if isinstance(s, Symbol)}
        angles = [s for s in self.unknown_place if s not in found]
        return found | {s: next(e for e in w.entries if e is not ZERO) for s in angles}

    @property
    def angular_velocity_components(self) -> Matrix:
        """Absolute angular velocity, in own components."""
        path = self.path
        if self._angular_velocity is not None:
            return self._angular_velocity
        if not path[0].is_ground:
            raise ModelError(f"frame {self.name} is not connected to the ground yet: place its body by a joint first")
        w = zeros(3)
        for f in path[1:]:
            f._refresh()
            w = f.rotation.inwards(w) + f.spin if f._angular_velocity is None else f._angular_velocity
            object.__setattr__(f, "_angular_velocity", w)
        return w


def take_off(frame: FrameInTree) -> None:
    """Undo `hang_on`: the frame has no parent again."""
    frame.__dict__.update(parent=None, rotation=Rotation(), offset=zeros(3))
    _Placements.now += 1


def a_frame(thing: Any) -> Frame:
    """Refuse anything that is not a frame."""
    if not isinstance(thing, FrameInTree):
        inside = "; its frame is its attribute .frame" if isinstance(getattr(thing, "frame", None), FrameInTree) else ""
        raise ModelError(f"expected a frame, got {shown(thing)}{inside}")
    return cast("Frame", thing)


def _parent_of(f: AnyFrame) -> AnyFrame:
    """Of a frame that has one."""
    assert f.parent is not None
    return f.parent

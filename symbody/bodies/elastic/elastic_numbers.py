"""A deformable body as numbers: the interface that `Model.elastic_from` requires, whatever its source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from ...algebra.graph.graph import Expr, Symbol
from ...algebra.graph.matrix import Matrix
from ..frames.frames import Frame
from ..mass.moments import Moments
from ..mechanism.deforming_mesh import DeformingMesh

if TYPE_CHECKING:
    from numpy.typing import NDArray

Place = tuple[Expr, Expr, Expr]


class Shapes(Protocol):
    """Where the points of a deforming body are, in components of its frame, and how it is turned there.

    has_sections   whether it is known along a line, with sections that move as rigid ones do
    """

    @property
    def has_sections(self) -> bool: ...

    def displaced(self, place: Place) -> Matrix:
        """s at the point that is at this place where nothing is deformed."""
        ...

    def turns(self, place: Place) -> Place:
        """Angles about z, then y, then x."""
        ...


class StressesOfRun(Protocol):
    """Stresses along a motion at the places where they are known; `largest` is the von Mises stress, its time, and the
    number of its place."""

    @property
    def von_mises(self) -> NDArray[Any]: ...

    @property
    def principal(self) -> NDArray[Any]: ...

    @property
    def largest(self) -> tuple[float, float, int]: ...

    @property
    def envelope(self) -> NDArray[Any]: ...


class ElasticNumbers(Protocol):
    """Moments, stiffness and damping in elastic coordinates q, frames at named points, and what is drawn.

    count        how many coordinates it has
    checked      bodies whose modes are to be checked: itself, or the samples that it interpolates
    stiffening   geometric stiffness, None if it has none
    """

    @property
    def count(self) -> int: ...

    @property
    def checked(self) -> Sequence[ElasticNumbers]: ...

    @property
    def stiffening(self) -> object | None: ...

    def table(self, q: tuple[Symbol, ...]) -> Moments:
        """Moments of its fields in these coordinates."""
        ...

    def matrix(self, name: str) -> Matrix:
        """Its "stiffness" or "damping"."""
        ...

    def shapes(self, q: tuple[Symbol, ...]) -> Shapes | None:
        """The positions of its points, if known for more than the named ones."""
        ...

    def frames(self, on: Frame, q: tuple[Symbol, ...]) -> Mapping[str, Frame]:
        """Frames of its named points, on the frame of the body."""
        ...

    def point_at(self, place: Place) -> str | None:
        """The name of the point that is there at rest."""
        ...

    def edges(self, on: Frame, q: tuple[Symbol, ...]) -> tuple[tuple[Frame, Frame], ...]:
        """Pairs of frames between which it is drawn."""
        ...

    def surface(self, q: tuple[Symbol, ...]) -> DeformingMesh | None:
        """Its mesh, if that is known."""
        ...

    def stresses(self, name: str, q: tuple[Symbol, ...], run: Any, places: str | None) -> StressesOfRun:
        """Stresses along a run, of a body called `name`."""
        ...

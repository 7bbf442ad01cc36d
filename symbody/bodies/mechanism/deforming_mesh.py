"""The mesh of a deformable body, for drawings; `formats.fem` makes such meshes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from ...algebra.graph.graph import Symbol

if TYPE_CHECKING:
    from numpy.typing import NDArray


class DeformingMesh(Protocol):
    """Triangles on a body that deforms: nodes at rest in the frame of the body, and their shifts and stresses for each
    coordinate, (n, nodes, 3) and (n, nodes, 6); NaN if stresses are not known."""

    @property
    def coordinates(self) -> tuple[Symbol, ...]: ...

    @property
    def nodes(self) -> NDArray[Any]: ...

    @property
    def shifts(self) -> NDArray[Any]: ...

    @property
    def faces(self) -> NDArray[Any]: ...

    @property
    def stress(self) -> NDArray[Any] | None: ...

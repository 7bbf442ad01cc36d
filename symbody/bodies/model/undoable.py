"""What was added to a model can be removed again: checkpoints of its tables, and of the frames that it placed or renamed.

Tables are only added to, at their ends, or replaced by others, so that a checkpoint costs their lengths.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ...algebra.graph.matrix import Matrix
from ..frames.frame_tree import take_off
from ..frames.frames import Frame
from ..frames.rotations import Rotation

MANY_ENTRIES: Final = 500  # of a table, from which on a model is large


class Undoable:
    """Tables in attributes, and the changes of frames."""

    _written: dict[str, dict[str, Any]]

    def __init__(self, name: str) -> None:
        super().__init__(name)  # type: ignore[call-arg]
        self.is_covered = False  # see `all_or_nothing`
        self.is_large = False  # at the last checkpoint
        self._attributes = 0  # number of attributes when the names of tables among them were looked for
        self._tables: tuple[str, ...] = ()
        self._placed: list[Frame] = []  # by joints
        self._renamed: list[tuple[Frame, str]] = []  # with the names that they had

    def checkpoint(self) -> Callable[[], None]:
        """A function that removes all that was added to the model after this call.

        >>> m = sb.Model("cart")
        >>> undo = m.parts.checkpoint()
        >>> rail = m.prismatic("x", m.ground, m.body("cart", mass=2))
        >>> undo()
        >>> list(m.bodies), list(m.joints), list(m.symbols)
        ([], [], ['t'])

        See also: `bodies.all_or_nothing`.
        """
        own = vars(self)
        if len(own) != self._attributes:
            self._tables = tuple(name for name, table in own.items() if isinstance(table, (dict, list)))
            self._attributes = len(own)
        names, written = self._tables, [*self._written.values()]
        tables = [own[name] for name in names]
        sizes, written_sizes = [*map(len, tables)], [*map(len, written)]
        self.is_large = max(sizes) > MANY_ENTRIES

        def undo() -> None:
            count = dict(zip(names, sizes, strict=True))
            for frame in reversed(self._placed[count["_placed"] :]):
                take_off(frame)
            for frame, name in reversed(self._renamed[count["_renamed"] :]):
                frame.rename(name)
            for name, table, size in zip(names, tables, sizes, strict=True):
                setattr(self, name, _first(table, size))
            for table, size in zip(written, written_sizes, strict=True):
                _first(table, size)

        return undo

    def rename_frame(self, frame: Frame, name: str) -> None:
        """Give a frame the name under which it is filed.

        >>> m = sb.Model("arm")
        >>> wrist = m.parts.add_frame("wrist", m.ground.translate(1, 0, 0))
        >>> m.parts.rename_frame(wrist, "wrist")
        >>> wrist
        <Frame wrist on ground>

        See also: `Model.frame`, `Frame.rename`.
        """
        before = frame.name
        frame.rename(name)
        self._renamed.append((frame, before))

    def place_frame(self, frame: Frame, parent: Frame, rotation: Rotation, offset: Matrix) -> None:
        """Place a frame without a parent, as joints place their children (`Frame.hang_on`).

        >>> m = sb.Model("arm")
        >>> arm = m.body("arm", mass=1)
        >>> m.parts.place_frame(arm.frame, m.ground, m.ground.rotation, sb.vector(1, 0, 0))
        >>> arm.frame.origin.in_ground
        vector(1, 0, 0)

        See also: `Model.joint`, `Frame.hang_on`.
        """
        frame.hang_on(parent, rotation, offset)
        self._placed.append(frame)


def _first(table: Any, size: int) -> Any:
    """A dictionary or list with its first entries alone."""
    while len(table) > size:
        table.popitem() if isinstance(table, dict) else table.pop()
    return table

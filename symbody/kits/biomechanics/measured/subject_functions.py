"""Compiled functions of a musculoskeletal model, and what its file says of its coordinates."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

import symbody as sb

from ....errors import unknown

Array = NDArray[np.float64]


class SubjectFunctions:
    """The functions of a `Subject`, compiled on first use and kept."""

    def __init__(self, model: sb.formats.OsimModel, equations: sb.Equations) -> None:
        self.model, self.equations = model, equations
        self.names = tuple(q.name for q in equations.q)
        self._made: dict[Any, Any] = {}

    def function(self, key: Any, inputs: Sequence[str], make: Callable[[], Mapping[str, Any]]) -> Any:
        """A compiled function of some of q, u, a = u' and more symbols; made once for each key."""

        def compiled() -> Any:
            eq = self.equations
            groups = {"q": list(eq.q), "u": list(eq.u), "a": [u.dot for u in eq.u]}
            shape = sb.program("of_subject", {k: groups[k] for k in inputs}, make(), matrices=("J",))
            return sb.compile(shape)

        return self.kept(key, compiled)

    def kept(self, key: Any, make: Callable[[], Any]) -> Any:
        """What is made once for each key."""
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]

    @cached_property
    def coordinates(self) -> tuple[tuple[str, Any], ...]:
        """For each coordinate its name in the file, and what the file says of it."""
        out = []
        for q in self.equations.q:  # one that is coupled to another one to one has the same value
            same = [(n, c) for n, c in self.model.coordinates_of_file.items() if c.value is q]
            out.append(next((x for x in same if x[0] == q.name), same[0]))
        return tuple(out)

    @cached_property
    def ranges(self) -> tuple[Array, Array]:
        """Lowest and highest values of the coordinates that the file clamps; infinite for the others."""
        low_high = [c.range if c.clamped else (-np.inf, np.inf) for _, c in self.coordinates]
        return np.array([x[0] for x in low_high]), np.array([x[1] for x in low_high])

    @cached_property
    def default_pose(self) -> Array:
        """The values of the coordinates with which the file begins."""
        return np.array([self.model.keyframes["default"][n] for n in self.names])

    def frame(self, body: str, where: str) -> sb.Frame:
        """The frame of a body by its name; refused with the names of all others."""
        if body not in self.model.links:
            raise unknown(where, "body", body, self.model.links)
        return self.model.links[body]

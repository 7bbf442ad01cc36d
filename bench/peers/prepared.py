"""What Pinocchio's own library says of a robot, for processes that must not load it: next to code that is compiled here
from the same headers with other flags it would not run."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from ..robots import relative_error
from ..timing import fresh

Array = Any
WAYS: Final = {  # Pinocchio has two ways to some results; the faster one counts
    "inverse_dynamics": ["inverse_dynamics"],
    "mass_matrix": ["mass_matrix_local", "mass_matrix_world"],
    "forward_dynamics": ["forward_dynamics_local", "forward_dynamics_world"],
    "forward_derivatives": ["forward_derivatives"],
}


class Prepared(NamedTuple):
    """In Pinocchio's coordinates: its model as text, inputs q, v and accelerations or forces, and what it makes of
    them."""

    archive: str
    inputs: list[Array]
    expected: Array

    @property
    def n(self) -> int:
        return self.inputs[1].shape[1]

    def sizes(self, function: str) -> list[int]:
        return sizes_of(function, self.n)

    def error(self, function: str, got: list[Array]) -> float:
        """Of the symmetric matrices, which are the last results, the upper triangle counts."""
        if function in ("mass_matrix", "forward_derivatives"):
            got = [*got[:-1], np.triu(got[-1].reshape(-1, self.n, self.n)).reshape(len(got[-1]), -1)]
        return relative_error(np.hstack(got), self.expected)


def sizes_of(function: str, n: int) -> list[int]:
    return {"mass_matrix": [n * n], "forward_derivatives": [n * n] * 3}.get(function, [n])


def prepared(robot: str, function: str, count: int) -> Prepared:
    """Made in a process of its own. ModuleNotFoundError without pin."""
    with tempfile.TemporaryDirectory() as folder:
        if fresh("bench.peers.pinocchio:save", robot, function, count, folder) is None:
            raise ModuleNotFoundError("No module named 'pinocchio'")
        with np.load(Path(folder, "states.npz")) as kept:
            inputs, expected = [kept[k] for k in ("q", "v", "x")], kept["expected"]
        return Prepared(Path(folder, "model.txt").read_text(), inputs, expected)

"""Stability over two parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...emit.run.callable import Array
from ...errors import StabilityError, listed, shown
from .pencil_family import unstable_counts

if TYPE_CHECKING:
    from ..linear.linear_system import LinearSystem


@dataclass(frozen=True)
class StabilityChart:
    """growth[i, j] is the largest real part at first[i], second[j]; unstable[i, j] counts eigenvalues with a positive
    one.

    `motion` has the operating point at each pair: coordinates, speeds, variables, inputs and outputs by name, as arrays
    of the same shape; empty if the system is not about a steady motion.

    names   of the two parameters

    >>> k, c = sb.symbols("k c")
    >>> lin = sb.linear_system([[0, 1], [-k, -c]])
    >>> chart = lin.stability_chart(points=(3, 3), k=(-1, 1), c=(-1, 1))
    >>> chart.unstable
    array([[1, 1, 1],
           [1, 0, 0],
           [2, 0, 0]])

    See also: `LinearSystem.stability_chart`, `plot`.
    """

    names: tuple[str, str]
    first: Array
    second: Array
    growth: Array
    unstable: NDArray[np.intp]
    motion: Mapping[str, Array] = field(default_factory=dict)

    @property
    def is_stable(self) -> NDArray[np.bool_]:
        """Whether no eigenvalue has a positive real part, at each pair.

        >>> k, c = sb.symbols("k c")
        >>> lin = sb.linear_system([[0, 1], [-k, -c]])
        >>> lin.stability_chart(points=(3, 3), k=(-1, 1), c=(-1, 1)).is_stable
        array([[False, False, False],
               [False,  True,  True],
               [False,  True,  True]])
        """
        return self.unstable == 0

    def __repr__(self) -> str:
        (a, b), share = self.names, float(self.is_stable.mean())
        return (
            f"<StabilityChart over {a} = {self.first[0]:z.6g} ... {self.first[-1]:z.6g} and {b} = {self.second[0]:z.6g} ... "
            f"{self.second[-1]:z.6g}: {100 * share:z.1f} % stable>"
        )


def stability_chart(lin: LinearSystem, values: Mapping[str, Any], points: tuple[int, int]) -> StabilityChart:
    names = [k for k, v in values.items() if np.ndim(v)]
    if len(names) != 2:
        raise StabilityError(
            f"stability chart of {lin.name!r}: two parameters must have ranges, as in stability_chart(V=(1, 10), b=(0, 1)); got "
            f"ranges for {listed(names)}"
        )
    axes = [np.linspace(values[n][0], values[n][1], count) if isinstance(values[n], tuple) else np.asarray(values[n], dtype=float)
            for n, count in zip(names, points, strict=True)]  # fmt: skip
    for name, axis in zip(names, axes, strict=True):
        if axis.ndim != 1 or len(axis) < 2 or not (np.diff(axis) > 0).all():
            raise StabilityError(
                f"stability chart of {lin.name!r}: the range of {name} must grow, got {shown(values[name])}"
            )
    first, second = np.meshgrid(*axes, indexing="ij")
    swept = {**values, names[0]: first.ravel(), names[1]: second.ravel()}
    rows, points_of_motion = lin.numbers.sets(swept)
    n = lin.numbers.matrices_at(rows, points_of_motion)
    s, unstable = unstable_counts(f"stability chart of {lin.name!r}", lin.x, n.E, n.A)
    shape = first.shape
    motion = {} if lin.about is None else lin.numbers.points_at(rows, points_of_motion)
    return StabilityChart(
        (names[0], names[1]), axes[0], axes[1], s.real.max(axis=1).reshape(shape), unstable.reshape(shape),
        {name: x.reshape(shape) for name, x in motion.items()},
    )  # fmt: skip

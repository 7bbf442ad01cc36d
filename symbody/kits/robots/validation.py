"""Validation of identified parameters: forces of another motion, predicted and measured."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import symbody as sb

from ...argument_kinds import answered_class
from ...summary import Tabular


@answered_class
@dataclass(frozen=True, eq=False, repr=False)
class Validation(Tabular):
    """Measured and predicted forces of a motion that was not used for identification, one row for each sample, one
    column for each of `names`.

    measured, predicted   forces of joints

    >>> found = sb.kits.robots.Validation(("theta",), np.array([[1.0], [2.0]]), np.array([[1.0], [2.1]]))
    >>> found.names, (found.predicted - found.measured).round(6).ravel()
    (('theta',), array([0. , 0.1]))

    See also: `kits.robots.identify_robot`, `kits.robots.Identified`.
    """

    names: tuple[str, ...]
    measured: np.ndarray
    predicted: np.ndarray

    @property
    def rms(self) -> np.ndarray:
        """Root mean square of the prediction error of each force.

        >>> found = sb.kits.robots.Validation(("theta",), np.array([[1.0], [2.0]]), np.array([[1.0], [2.2]]))
        >>> found.rms, found.explained, found.plot()  # √(0.2² / 2), 1 - 0.2² / 0.5
        (array([0.141421]), array([0.92]), <Figure 'forces of another motion': 1 panels, 3 curves>)
        """
        return np.asarray(np.sqrt(((self.measured - self.predicted) ** 2).mean(axis=0)))

    @property
    def explained(self) -> np.ndarray:
        """1 - Σ (measured - predicted)² / Σ (measured - mean)² of each force: one where all of it is predicted."""
        spread = ((self.measured - self.measured.mean(axis=0)) ** 2).mean(axis=0)
        return np.asarray(1 - self.rms**2 / np.maximum(spread, 1e-300))

    def __str__(self) -> str:
        rows = zip(self.names, self.rms, self.explained, strict=True)
        return "\n".join(f"{n}: rms {r:z.3g}, {100 * e:z.4g} % explained" for n, r, e in rows)

    def plot(self) -> sb.view.Figure:
        """Measured and predicted forces and their difference, a panel for each force."""
        k = np.arange(len(self.measured), dtype=float)
        panels = []
        for j, name in enumerate(self.names):
            pairs = (("measured", self.measured), ("predicted", self.predicted))
            curves = [sb.view.Curve(k, x[:, j], label, group=i) for i, (label, x) in enumerate(pairs)]
            off = sb.view.Curve(k, self.measured[:, j] - self.predicted[:, j], "difference", kind="dashed", group=2)
            panels.append(sb.view.Panel("sample", name, (*curves, off)))
        caption = "; ".join(f"{n}: rms {r:z.3g}" for n, r in zip(self.names, self.rms, strict=True))
        return sb.view.Figure("forces of another motion", tuple(panels), shares_x=True, caption=caption)

"""Unbalance response: the steady whirl that a mass off the axis excites, over the speed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import symbody as sb

from ....argument_kinds import answered, answered_class
from ....errors import StabilityError, finite_number, unknown
from ....summary import Summarized, Summary
from .campbell_diagram import RPM, Numbers, speeds_of

Complex = NDArray[np.complex128]


@answered_class
@dataclass(frozen=True, repr=False)
class UnbalanceResponse(Summarized):
    """Complex amplitudes of the states over the speed: x(t) = Re(X exp(i W t)).

    rpm          speeds, 1/min
    amplitudes   by name of the state

    See also: `kits.machines.unbalance_response`.
    """

    rpm: Numbers
    amplitudes: Mapping[str, Complex]

    def _summary(self) -> Summary:
        rows = ((n, f"at most {np.abs(a).max():z.4g} at {self.rpm[np.abs(a).argmax()]:z.4g} rpm") for n, a in self.amplitudes.items() if not n.endswith("_dot"))  # fmt: skip
        return Summary(f"Unbalance response, {self.rpm[0]:g} ... {self.rpm[-1]:g} rpm", tuple(rows))

    def __getitem__(self, name: str) -> Complex:
        if name not in self.amplitudes:
            raise unknown("unbalance response", "state", name, self.amplitudes, StabilityError)
        return self.amplitudes[name]

    def orbit(self, x: str, y: str) -> tuple[Numbers, Numbers]:
        """Half axes of the ellipse on which a point moves by x and y; the second is negative where it whirls backward."""
        X, Y = self[x], self[y]
        forward, backward = np.abs(X + 1j * Y) / 2, np.abs(np.conj(X) + 1j * np.conj(Y)) / 2
        return forward + backward, forward - backward

    def plot(self, *names: str) -> sb.view.Figure:
        """Amplitudes over the speed."""
        chosen = names or tuple(n for n in self.amplitudes if not n.endswith("_dot"))[:6]
        curves = tuple(sb.view.Curve(self.rpm, np.abs(self[n]), n) for n in chosen)
        return sb.view.Figure("unbalance response", (sb.view.Panel("speed [rpm]", "amplitude", curves),))


@answered
def unbalance_response(
    lin: sb.LinearSystem,
    unbalance: Mapping[tuple[str, str], Any],
    rpm: Any,
    *,
    speed: str = "W",
    points: int = 400,
    **values: float,
) -> UnbalanceResponse:
    """Amplitudes of all states for unbalances that turn with the rotor:

        (i W E - A) X = Σ B (1, -i) m e W² exp(i φ)

    unbalance   by names of the inputs of force in x and y: mass times eccentricity in kg m, or (that, its phase in rad);
                `shaft.force(5)` declares inputs
    rpm         lowest and highest speed, or all speeds, 1/min

    >>> W = sb.symbol("W")
    >>> A = [[0, 0, 1, 0], [0, 0, 0, 1], [-100, 0, -1, 0], [0, -100, 0, -1]]
    >>> lin = sb.linear_system(A, B=[[0, 0], [0, 0], [1, 0], [0, 1]], x=["x", "y", "vx", "vy"], r=["fx", "fy"])
    >>> response = sb.kits.machines.unbalance_response(lin, {("fx", "fy"): 1e-3}, [60 * 10 / (2 * np.pi), 1000.0])
    >>> [round(float(a), 6) for a in response.orbit("x", "y")[0]]  # e / (2 D) = 0.01 in resonance
    [0.01, 0.001009]

    See also: `kits.machines.campbell`, `kits.machines.shaft`.
    """
    grid = speeds_of(rpm, points)
    W = grid * RPM
    named = {**values, speed: W} if speed in {p.name for p in lin.parameters} else dict(values)
    n = lin.matrices(named)
    E, A, B = (np.broadcast_to(part, (len(W), *part.shape[-2:])) for part in (n.E, n.A, n.B))
    right = np.zeros((len(W), len(lin.x)), dtype=complex)
    for (x, y), said in unbalance.items():
        moment, phase = said if isinstance(said, (tuple, list)) else (said, 0.0)
        size = finite_number(moment, f"unbalance {x}, {y}", StabilityError) * W**2 * np.exp(1j * float(phase))
        for name, factor in ((x, 1), (y, -1j)):
            if name not in lin.r:
                raise unknown(f"unbalance response of {lin.name!r}", "input", name, lin.r, StabilityError)
            right += B[:, :, lin.r.index(name)] * (factor * size)[:, None]
    X = np.linalg.solve(1j * W[:, None, None] * E - A, right[:, :, None])[:, :, 0]
    return UnbalanceResponse(grid, {name: np.asarray(X[:, k], dtype=complex) for k, name in enumerate(lin.x)})

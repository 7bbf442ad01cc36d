"""FASTSIM: tangential forces of a rolling contact by Kalker's simplified theory.

The ellipse is cut into strips along the rail and each strip into elements. Bristles are deflected as they pass from the
leading edge, and slide where the traction would exceed μ p:

    t = t_ahead - s dx,   s = (ξx/L1 - φ y/L3, ξy/L2 + φ x/L3),   |t| <= μ p,   p = 2 N/(π a b) (1 - x²/a² - y²/b²)
    L1 = 8 a/(3 G C11),   L2 = 8 a/(3 G C22),   L3 = π a √(a/b)/(4 G C23)

With small creepages the forces are those of the linear theory, F = -f ξ; with large ones they are μ N (Kalker 1982, Vehicle
System Dynamics 11; parabolic bound of tractions).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from typing import Final

import numpy as np

from ....argument_kinds import answered
from ....errors import ModelError, finite_number, shown
from ....summary import Summarized, Summary, summary_rows
from .rail_contact import RailContact

STRIPS: Final = 30


@dataclass(frozen=True, eq=False, repr=False)
class CreepForces(Summarized):
    """Tangential forces of a contact on the wheel.

    along, across   Fx, Fy [N]
    sliding         part of the ellipse that slides
    x, y            centres of elements [m], (strips, elements); x forward
    tractions       tx, ty there [Pa], (strips, elements, 2)

    >>> contact = vh.rail_contact(load=6e4, wheel_radius=0.46)
    >>> found = vh.creep_forces(contact, 6e4, (2e-3, 0.0, 0.0))
    >>> round(-found.along, -2), round(found.across), round(found.sliding, 2), found.x.shape, found.tractions.shape
    (13700.0, 0, 0.42, (30, 30), (30, 30, 2))
    >>> found.y.shape
    (30, 30)

    See also: `creep_forces`.
    """

    along: float
    across: float
    sliding: float
    x: np.ndarray
    y: np.ndarray
    tractions: np.ndarray

    def _summary(self) -> Summary:
        rows = summary_rows(along=f"{self.along:z.6g} N", across=f"{self.across:z.6g} N")
        return Summary(
            f"CreepForces, {100 * self.sliding:z.3g} % slides", (*rows, ("next", "x, y, tractions of the elements"))
        )


@answered
def creep_forces(
    contact: RailContact, load: float, creepages: tuple[float, float, float], *, friction: float = 0.3, strips: int = STRIPS
) -> CreepForces:  # fmt: skip
    """Forces of a wheel that creeps on a rail by FASTSIM, see above.

    contact     its ellipse and creep coefficients, from `rail_contact`
    load        N, the same as there
    creepages   ξx, ξy, and the spin φ [1/m]
    friction    μ
    strips      and elements of each

    >>> contact = vh.rail_contact(load=6e4, wheel_radius=0.46)
    >>> found = vh.creep_forces(contact, 6e4, (1e-6, 0.0, 0.0))
    >>> round(-found.along / (contact.f11 * 1e-6), 3)
    1.001
    >>> round(vh.creep_forces(contact, 6e4, (0.05, 0.0, 0.0)).along, -2)
    -18000.0

    See also: `rail_contact`, `polach_force`, `kits.vehicles.CreepForces`.
    """
    for name, value in (("load", load), ("friction", friction), ("strips", strips)):
        if finite_number(value, f"creep_forces: {name}", ModelError) <= 0:
            raise ModelError(f"creep_forces: {name} = {shown(value)} must be positive")
    xi, eta, spin = (finite_number(c, f"creep_forces: creepages[{k}]", ModelError) for k, c in enumerate(creepages))
    a, b, n = contact.along, contact.across, int(strips)
    y = b * ((np.arange(n) + 0.5) * 2 / n - 1)
    half = a * np.sqrt(1 - (y / b) ** 2)
    dx = 2 * half / n
    x = half[:, None] - (np.arange(n) + 0.5) * dx[:, None]
    bound = friction * 2 * load / (pi * a * b) * (1 - (x / a) ** 2 - (y[:, None] / b) ** 2)
    stiff = 3 * contact.f11 / (8 * a**2 * b), 3 * contact.f22 / (8 * a**2 * b), 4 * contact.f23 / (pi * a**3 * b)
    t, tractions, slides = np.zeros((n, 2)), np.zeros((n, n, 2)), np.zeros((n, n), dtype=bool)
    for k in range(n):
        step = dx if k else dx / 2  # the first ends in the middle of the first element
        middle = x[:, k] + step / 2
        slip = np.column_stack([xi * stiff[0] - spin * y * stiff[2], eta * stiff[1] + spin * middle * stiff[2]])
        t = t - slip * step[:, None]
        size = np.hypot(*t.T)
        slides[:, k] = size > bound[:, k]
        t = t * np.where(slides[:, k], bound[:, k] / np.where(size > 0, size, 1.0), 1.0)[:, None]
        tractions[:, k] = t
    area = (dx * 2 * b / n)[:, None]
    along, across = np.einsum("sk,ske->e", np.broadcast_to(area, (n, n)), tractions)
    part = float((slides * area).sum() / (n * area.sum()))
    return CreepForces(float(along), float(across), part, x, np.broadcast_to(y[:, None], (n, n)), tractions)

"""Railway vehicles on straight track with linear creep (Carter 1926; Kalker's coefficients; Wickens, Fundamentals of Rail
Vehicle Dynamics, 2003).

A wheelset moves by y to the left and turns by ψ at the speed V. Its wheels creep along and across:

    ξx = ∓(λ y/r0 + l ψ'/V),   ξy = y'/V - ψ
    Fx = -f11 ξx,   Fy = -f22 ξy - f23 ξs,   Mz = f23 ξy - f33 ξs,   ξs = ψ'/V     of each wheel

With profiles, half the difference of the rolling radii Δr(y)/2 stands in the place of λ y, and the load N of each wheel acts on
the height z(y) of the wheelset: Fy = -2 N dz/dy on it. Flanges touch where z rises steeply. Vertical motion and the roll of
wheelsets have no inertia.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import symbody as sb

from ....argument_kinds import answered
from ....errors import ModelError, shown
from ..data.checked_data import parameter_values
from ..wheels.rail_contact import polach_force
from ..wheels.rail_geometry import RailGeometry

WHEELSET = {
    "m": 1000.0, "J": 600.0, "r0": 0.45, "l": 0.75, "cone": 0.05, "f11": 5e6, "f22": 5e6, "f23": 0.0, "f33": 0.0, "V": 10.0,
}  # fmt: skip
SUSPENSION = {"ky": 2e5, "kpsi": 0.0, "cy": 0.0, "cpsi": 0.0}
BOGIE = {"mb": 3000.0, "Jb": 4000.0, "half": 1.25, "k2y": 3e5, "c2y": 2e4, "k2psi": 1e5}


def wheelset(*, profiles: RailGeometry | None = None, load: float = 6e4, **parameters: float) -> sb.Model:
    """A wheelset, held by springs and dampers to a frame that runs along.

    profiles     of wheels and rails: `rail_geometry(softness=2e-5)`; none: cones
    load         N on each wheel, with profiles
    parameters   m, J; r0 (radius), l (half the gauge), cone (λ); f11, f22, f23, f33 (creep of one wheel); V; ky, kpsi,
                 cy, cpsi
    """
    m = sb.Model("wheelset")
    p = m.parameters(**parameter_values("wheelset", {**WHEELSET, **SUSPENSION}, parameters, ("cone", "f23")))
    y, psi = m.coordinates("y psi")
    m.body("axle", m.ground.translate(0, y, 0).rotate("z", psi), mass=p.m, inertia=(p.J, p.J, p.J))
    creep(m, "wheels", y, psi, p, profiles=profiles, load=load)
    for q, k, c in ((y, p.ky, p.cy), (psi, p.kpsi, p.cpsi)):
        m.generalized_force(f"suspension {q.name}", q, -k * q - c * q.dot)
    return m


def bogie(*, profiles: RailGeometry | None = None, load: float = 6e4, **parameters: float) -> sb.Model:
    """Two wheelsets in a frame, which hangs on a vehicle that runs straight: coordinates y1, psi1, y2, psi2, y, psi.

    profiles, load   as those of `wheelset`
    parameters   those of `wheelset` for each (ky, kpsi, cy, cpsi: primary suspension of one), mb, Jb and half the
                 wheelbase `half` of the frame, k2y, c2y, k2psi of the secondary suspension
    """
    m = sb.Model("bogie")
    numbers = {**WHEELSET, **SUSPENSION, **BOGIE, "ky": 5e6, "kpsi": 5e6}
    p = m.parameters(**parameter_values("bogie", numbers, parameters, ("cone", "f23")))
    y, psi = m.coordinates("y psi")
    m.body("frame", m.ground.translate(0, y, 0).rotate("z", psi), mass=p.mb, inertia=(p.Jb, p.Jb, p.Jb))
    for k, x in (("1", p.half), ("2", -p.half)):
        yk, psik = m.coordinates(f"y{k} psi{k}")
        m.body(f"axle {k}", m.ground.translate(x, yk, 0).rotate("z", psik), mass=p.m, inertia=(p.J, p.J, p.J))
        creep(m, f"wheels {k}", yk, psik, p, profiles=profiles, load=load)
        across, turn = yk - y - x * psi, psik - psi
        rates = yk.dot - y.dot - x * psi.dot, psik.dot - psi.dot
        m.potential(f"primary {k}", p.ky * across**2 / 2 + p.kpsi * turn**2 / 2)
        for q, arm in ((yk, 1), (y, -1), (psi, -x)):
            m.generalized_force(f"primary damper {k} {q.name}", q, -p.cy * rates[0] * arm)
        for q, arm in ((psik, 1), (psi, -1)):
            m.generalized_force(f"primary yaw damper {k} {q.name}", q, -p.cpsi * rates[1] * arm)
    m.generalized_force("secondary", y, -p.k2y * y - p.c2y * y.dot)
    m.generalized_force("secondary yaw", psi, -p.k2psi * psi)
    return m


RAIL_CAR: Final = {
    "mb": 3000.0, "Jb": 4000.0, "half": 1.25, "mc": 32000.0, "Jc": 2e6, "Jroll": 6e4, "pivot": 9.5, "h": 0.9, "k2y": 3.2e5, "c2y": 3.2e4,
    "k2psi": 3e5, "c2psi": 2e5, "kroll": 2.4e6, "croll": 6e4,
}  # fmt: skip
# passenger vehicle 1 of the Manchester benchmarks (Iwnicki, Vehicle System Dynamics 30, 1998): masses, and the lateral, yaw and
# roll stiffness of its suspension; without bump stops
MANCHESTER: Final = {
    "m": 1813.0, "J": 1120.0, "r0": 0.46, "l": 0.75, "mb": 2615.0, "Jb": 3067.0, "half": 1.28, "mc": 32000.0, "Jc": 1.97e6, "Jroll": 5.68e4,
    "pivot": 9.5, "h": 0.9725, "ky": 7.768e6, "cy": 4e3, "kpsi": 6.2782e7, "cpsi": 3e4, "k2y": 3.2e5, "c2y": 6.4e4, "k2psi": 3.41e5, "c2psi": 0.0,
    "kroll": 3.6e6, "croll": 8e4,
}  # fmt: skip


@answered
def rail_car(
    *, friction: float | None = None, load: float = 6e4, profiles: RailGeometry | None = None, **parameters: float
) -> sb.Model:
    """A railway car on two bogies with four wheelsets on straight track: lateral, yaw and roll motion, fifteen degrees of
    freedom. Its critical speed of hunting is where `lin.root_locus(V=(20, 120))` leaves the left half plane.

    friction     μ: creep forces saturate as in `polach_force`; none: linear creep
    load         N on each wheel, for the limit μ load, and with profiles
    profiles     of wheels and rails: `rail_geometry(softness=2e-5)`; none: cones
    parameters   those of `wheelset` (ky, kpsi, cy, cpsi: primary suspension of a wheelset); of a bogie frame mb, Jb, half;
                 of the body mc, Jc (yaw), Jroll, half the distance of the pivots `pivot`, the height h of its centre over the
                 secondary springs; k2y, c2y, k2psi, c2psi of one bogie's secondary suspension; kroll, croll of the body

    Coordinates: y, psi, roll of the body; yf, psif, yr, psir of the frames; y1 to y4, psi1 to psi4 of the wheelsets.

    >>> sb.derive(vh.rail_car()).degrees_of_freedom
    15

    See also: `wheelset`, `bogie`, `rail_contact`.
    """
    m = sb.Model("rail car")
    usual = {**WHEELSET, **SUSPENSION, **RAIL_CAR, "ky": 5e6, "kpsi": 5e6}
    p = m.parameters(**parameter_values("rail_car", usual, parameters, ("cone", "f23")))
    limit = None if friction is None else friction * load
    y, psi, roll = m.coordinates("y psi roll")
    centre = m.ground.translate(0, y, 0).rotate("z", psi).rotate("x", roll).translate(0, 0, p.h)
    m.body("body", centre, mass=p.mc, inertia=(p.Jroll, p.Jc, p.Jc))
    m.generalized_force("roll", roll, -p.kroll * roll - p.croll * roll.dot)
    for side, at, numbers in (("f", p.pivot, "12"), ("r", -p.pivot, "34")):
        yb, psib = m.coordinates(f"y{side} psi{side}")
        m.body(f"frame {side}", m.ground.translate(at, yb, 0).rotate("z", psib), mass=p.mb, inertia=(p.Jb, p.Jb, p.Jb))
        _spring(m, f"secondary {side}", {yb: 1, y: -1, psi: -at}, p.k2y, p.c2y)
        _spring(m, f"secondary yaw {side}", {psib: 1, psi: -1}, p.k2psi, p.c2psi)
        for number, x in zip(numbers, (p.half, -p.half), strict=True):
            yk, psik = m.coordinates(f"y{number} psi{number}")
            place = m.ground.translate(at + x, yk, 0).rotate("z", psik)
            m.body(f"axle {number}", place, mass=p.m, inertia=(p.J, p.J, p.J))
            creep(m, f"wheels {number}", yk, psik, p, limit, profiles, load)
            _spring(m, f"primary {number}", {yk: 1, yb: -1, psib: -x}, p.ky, p.cy)
            _spring(m, f"primary yaw {number}", {psik: 1, psib: -1}, p.kpsi, p.cpsi)
    return m


def _spring(m: sb.Model, name: str, arms: Mapping[sb.Symbol, Any], stiffness: Any, damping: Any) -> None:
    """A spring and a damper on Σ a q."""
    travel = sum((a * q for q, a in arms.items()), start=sb.fraction(0, 1))
    rate = sum((a * q.dot for q, a in arms.items()), start=sb.fraction(0, 1))
    m.potential(name, stiffness * travel**2 / 2)
    for q, a in arms.items():
        m.generalized_force(f"{name} damper {q.name}", q, -damping * rate * a)


def creep(
    m: sb.Model, name: str, y: sb.Symbol, psi: sb.Symbol, p: Any, limit: Any = None, profiles: RailGeometry | None = None, load: float = 0.0
) -> None:  # fmt: skip
    """Forces of both wheels of a wheelset, on its coordinates; with a limit, of each wheel, by Polach's law without spin."""
    offset = p.cone * y
    if profiles is not None:
        if not isinstance(profiles, RailGeometry):
            raise ModelError(f"profiles must be a vh.rail_geometry(...), got {shown(profiles)}")
        radius, slope = profiles.tables
        offset = radius(y)
        m.generalized_force(f"{name} load", y, -2 * load * slope(y))
        m.valid_while(f"{name} on the rails", float(profiles.y[-1]) ** 2 - y**2)
    across, along, spin = y.dot / p.V - psi, offset / p.r0 + p.l * psi.dot / p.V, psi.dot / p.V
    if limit is not None:
        Fx, Fy = polach_force(along, across, p.f11, p.f22, limit)
        m.generalized_force(f"{name} across", y, 2 * Fy)
        m.generalized_force(f"{name} along", psi, 2 * p.l * Fx)
        return
    m.generalized_force(f"{name} across", y, -2 * (p.f22 * across + p.f23 * spin))
    m.generalized_force(f"{name} along", psi, -2 * p.l * p.f11 * along + 2 * (p.f23 * across - p.f33 * spin))

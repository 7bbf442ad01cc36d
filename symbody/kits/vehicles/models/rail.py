"""Railway vehicles on straight track with linear creep (Carter 1926; Kalker's coefficients; Wickens, Fundamentals of Rail
Vehicle Dynamics, 2003).

A wheelset moves by y to the left and turns by ψ at the speed V. Its wheels creep along and across:

    ξx = ∓(λ y/r0 + l ψ'/V),   ξy = y'/V - ψ
    Fx = -f11 ξx,   Fy = -f22 ξy - f23 ξs,   Mz = f23 ξy - f33 ξs,   ξs = ψ'/V     of each wheel
"""

from __future__ import annotations

from typing import Any

import symbody as sb

WHEELSET = {
    "m": 1000.0, "J": 600.0, "r0": 0.45, "l": 0.75, "cone": 0.05, "f11": 5e6, "f22": 5e6, "f23": 0.0, "f33": 0.0, "V": 10.0,
}  # fmt: skip
SUSPENSION = {"ky": 2e5, "kpsi": 0.0, "cy": 0.0, "cpsi": 0.0}
BOGIE = {"mb": 3000.0, "Jb": 4000.0, "half": 1.25, "k2y": 3e5, "c2y": 2e4, "k2psi": 1e5}


def wheelset(**parameters: float) -> sb.Model:
    """A wheelset with coned wheels, held by springs and dampers to a frame that runs along.

    parameters   m, J; r0 (radius), l (half the gauge), cone (λ); f11, f22, f23, f33 (creep of one wheel); V; ky, kpsi,
                 cy, cpsi
    """
    m = sb.Model("wheelset")
    p = m.parameters(**{**WHEELSET, **SUSPENSION, **parameters})
    y, psi = m.coordinates("y psi")
    m.body("axle", m.ground.translate(0, y, 0).rotate("z", psi), mass=p.m, inertia=(p.J, p.J, p.J))
    creep(m, "wheels", y, psi, p)
    for q, k, c in ((y, p.ky, p.cy), (psi, p.kpsi, p.cpsi)):
        m.generalized_force(f"suspension {q.name}", q, -k * q - c * q.dot)
    return m


def bogie(**parameters: float) -> sb.Model:
    """Two wheelsets in a frame, which hangs on a vehicle that runs straight: coordinates y1, psi1, y2, psi2, y, psi.

    parameters   those of `wheelset` for each (ky, kpsi, cy, cpsi: primary suspension of one), mb, Jb and half the
                 wheelbase `half` of the frame, k2y, c2y, k2psi of the secondary suspension
    """
    m = sb.Model("bogie")
    p = m.parameters(**{**WHEELSET, **SUSPENSION, **BOGIE, "ky": 5e6, "kpsi": 5e6, **parameters})
    y, psi = m.coordinates("y psi")
    m.body("frame", m.ground.translate(0, y, 0).rotate("z", psi), mass=p.mb, inertia=(p.Jb, p.Jb, p.Jb))
    for k, x in (("1", p.half), ("2", -p.half)):
        yk, psik = m.coordinates(f"y{k} psi{k}")
        m.body(f"axle {k}", m.ground.translate(x, yk, 0).rotate("z", psik), mass=p.m, inertia=(p.J, p.J, p.J))
        creep(m, f"wheels {k}", yk, psik, p)
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


def creep(m: sb.Model, name: str, y: sb.Symbol, psi: sb.Symbol, p: Any) -> None:
    """Forces of both wheels of a wheelset, on its coordinates."""
    across, along, spin = y.dot / p.V - psi, p.cone * y / p.r0 + p.l * psi.dot / p.V, psi.dot / p.V
    m.generalized_force(f"{name} across", y, -2 * (p.f22 * across + p.f23 * spin))
    m.generalized_force(f"{name} along", psi, -2 * p.l * p.f11 * along + 2 * (p.f23 * across - p.f33 * spin))

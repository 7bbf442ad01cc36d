"""Andrews' squeezing mechanism: seven bodies in the plane, three loops, one degree of freedom, driven by a torque.

Data and reference solution: test set for initial value problem solvers (Mazzia and Magherini 2008), II-17; after Schiehlen, *Multibody Systems Handbook* (1990). Lengths in m,
masses in kg. The torque turns the crank from rest by 15.9 rad, two and a half turns, in 30 ms.
"""

from __future__ import annotations

from typing import Final

import symbody as sb

MASS: Final = (0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498)
INERTIA: Final = (2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5)
A, B, C = (-0.06934, -0.00227), (-0.03635, 0.03273), (0.014, 0.072)
D, DA, E, EA, RR, RA = 28e-3, 115e-4, 2e-2, 1421e-5, 7e-3, 92e-5
SS, SA, SB, SC, SD = 35e-3, 1874e-5, 1043e-5, 18e-3, 2e-2
TA, TB, U, UA, UB, ZF, ZT, FA = 2308e-5, 916e-5, 4e-2, 1228e-5, 449e-5, 2e-2, 4e-2, 1421e-5
STIFFNESS, LENGTH, TORQUE = 4530.0, 7785e-5, 33e-3

START: Final = {
    "beta": -0.0617138900142764496, "theta": 0.0, "gamma": 0.455279819163070380, "phi": 0.222668390165885884,
    "delta": 0.487364979543842550, "omega": -0.222668390165885884, "epsilon": 1.23054744454982119,
}  # fmt: skip
END: Final = 0.03
AT_END: Final = {
    "beta": 15.81077119629904, "theta": -15.75637105984298, "gamma": 0.04082224013073101, "phi": -0.5347301163226948,
    "delta": 0.5244099658805304, "omega": 0.5347301163226948, "epsilon": 1.048080741042263,
}  # fmt: skip


def model() -> sb.Model:
    m = sb.Model("squeezer")
    centres = ((RA, 0), (-DA, 0), (SA, SB), (0, -(E - EA)), (TA, TB), (ZF - FA, 0), (UA, UB))
    k = [m.body(f"K{i + 1}", mass=MASS[i], com=(*centres[i], 0), inertia=(INERTIA[i],) * 3) for i in range(7)]
    m.revolute("beta", m.ground, k[0], actuation=TORQUE)
    m.revolute("theta", k[0], k[1], at=(RR, 0, 0))
    m.revolute("gamma", m.ground, k[2], at=(*B, 0))
    m.revolute("delta", m.ground, k[4], at=(*A, 0))
    m.revolute("phi", k[4], k[3], at=(ZT, 0, 0))
    m.revolute("epsilon", m.ground, k[6], at=(*A, 0))
    m.revolute("omega", k[6], k[5], at=(0, -U, 0))
    pin = k[1].point(-D, 0, 0)
    for body, place in ((k[2], (0, -SS, 0)), (k[3], (0, -E, 0)), (k[5], (ZF, 0, 0))):
        m.coincide(f"pin {body.name}", pin, body.point(*place), along=m.ground, axes="xy")
    m.spring("spring", m.ground.point(*C, 0), k[2].point(SD, -SC, 0), stiffness=STIFFNESS, rest=LENGTH)
    return m

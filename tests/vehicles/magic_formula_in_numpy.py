"""The Magic Formula a second time, in plain NumPy: written from the equations, one line each, in their order."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from numpy import arctan, cos, exp, sin, sqrt, tan


def forces(numbers, Fz, kappa, alpha, gamma, pressure=None, speed=None, old=False):
    """Fx, Fy, Mx, My, Mz, sigma_x, sigma_y, of a wheel that rolls forward."""
    p = defaultdict(float, numbers)
    L = defaultdict(lambda: 1.0, {k: v for k, v in numbers.items() if k.startswith("L") and not k.startswith("LO")})
    R0, N0, V0, p0 = p["UNLOADED_RADIUS"], p["FNOMIN"], p["LONGVL"], p["NOMPRES"]
    F0 = L["LFZO"] * N0
    dfz, dpi = (Fz - F0) / F0, 0.0 if pressure is None or old else pressure / p0 - 1
    V, a, eps = V0 if speed is None else speed, tan(alpha), 1e-6

    def sgn(x):
        return 1.0 if x >= 0 else -1.0

    g = sin(gamma)

    def curve(B, C, D, E, x):
        return D * sin(C * arctan(B * x - E * (B * x - arctan(B * x))))

    # pure longitudinal slip
    mux = (
        (p["PDX1"] + p["PDX2"] * dfz)
        * (1 + p["PPX3"] * dpi + p["PPX4"] * dpi**2)
        * (1 - p["PDX3"] * gamma**2)
        * L["LMUX"]
    )
    Kx = (
        Fz
        * (p["PKX1"] + p["PKX2"] * dfz)
        * exp(p["PKX3"] * dfz)
        * (1 + p["PPX1"] * dpi + p["PPX2"] * dpi**2)
        * L["LKX"]
    )
    Cx, Dx = p["PCX1"] * L["LCX"], mux * Fz
    kx = kappa + (p["PHX1"] + p["PHX2"] * dfz) * L["LHX"]
    Ex = min(1.0, (p["PEX1"] + p["PEX2"] * dfz + p["PEX3"] * dfz**2) * (1 - p["PEX4"] * sgn(kx)) * L["LEX"])
    Fx0 = curve(Kx / (Cx * Dx + eps), Cx, Dx, Ex, kx) + Fz * (p["PVX1"] + p["PVX2"] * dfz) * L["LVX"] * L["LMUX"]

    # pure side slip
    def side(g):
        if old:
            Kya = p["PKY1"] * F0 * sin(2 * arctan(Fz / (p["PKY2"] * F0))) * (1 - p["PKY3"] * abs(g)) * L["LKY"]
        else:
            Kya = (
                p["PKY1"]
                * F0
                * (1 + p["PPY1"] * dpi)
                * (1 - p["PKY3"] * abs(g))
                * L["LKY"]
                * sin(p["PKY4"] * arctan(Fz / F0 / ((p["PKY2"] + p["PKY5"] * g**2) * (1 + p["PPY2"] * dpi))))
            )
        SVg = Fz * (p["PVY3"] + p["PVY4"] * dfz) * g * L["LKYC"] * L["LMUY"]
        SH = (p["PHY1"] + p["PHY2"] * dfz) * L["LHY"]
        if old:
            SH += p["PHY3"] * g * L["LKYC"]
        else:
            Kyg = Fz * (p["PKY6"] + p["PKY7"] * dfz) * (1 + p["PPY5"] * dpi) * L["LKYC"]
            SH += (Kyg * g - SVg) / (Kya + eps * sgn(Kya))
        SV = Fz * (p["PVY1"] + p["PVY2"] * dfz) * L["LVY"] * L["LMUY"] + SVg
        mu = (
            (p["PDY1"] + p["PDY2"] * dfz)
            * (1 + p["PPY3"] * dpi + p["PPY4"] * dpi**2)
            * (1 - p["PDY3"] * g**2)
            * L["LMUY"]
        )
        C, D, x = p["PCY1"] * L["LCY"], mu * Fz, a + SH
        E = min(
            1.0,
            (p["PEY1"] + p["PEY2"] * dfz) * (1 + p["PEY5"] * g**2 - (p["PEY3"] + p["PEY4"] * g) * sgn(x)) * L["LEY"],
        )
        B = Kya / (C * D + eps * sgn(D))
        return curve(B, C, D, E, x) + SV, Kya, SH, SV, mu, B * C

    Fy0, Kya, SHy, SVy, muy, BC = side(g)
    Ky = Kya + eps * sgn(Kya)

    # combined slip
    def weight(B, C, E, x, s):
        top = cos(C * arctan(B * (x + s) - E * (B * (x + s) - arctan(B * (x + s)))))
        return top / cos(C * arctan(B * s - E * (B * s - arctan(B * s))))

    Bxa = (p["RBX1"] + p["RBX3"] * g**2) * cos(arctan(p["RBX2"] * kappa)) * L["LXAL"]
    Fx = Fx0 * weight(Bxa, p["RCX1"], min(1.0, p["REX1"] + p["REX2"] * dfz), a, p["RHX1"])
    Byk = (p["RBY1"] + p["RBY4"] * g**2) * cos(arctan(p["RBY2"] * (a - p["RBY3"]))) * L["LYKA"]
    Gyk = weight(Byk, p["RCY1"], min(1.0, p["REY1"] + p["REY2"] * dfz), kappa, p["RHY1"] + p["RHY2"] * dfz)
    DV = muy * Fz * (p["RVY1"] + p["RVY2"] * dfz + p["RVY3"] * g) * cos(arctan(p["RVY4"] * a))
    SVyk = DV * sin(p["RVY5"] * arctan(p["RVY6"] * kappa)) * L["LVYKA"]
    Fy = Fy0 * Gyk + SVyk

    # aligning moment
    at = a + p["QHZ1"] + p["QHZ2"] * dfz + (p["QHZ3"] + p["QHZ4"] * dfz) * g
    ar = a + SHy + SVy / Ky
    ate, are = (sqrt(x * x + (Kx / Ky * kappa) ** 2) * sgn(x) for x in (at, ar))
    Bt = (
        (p["QBZ1"] + p["QBZ2"] * dfz + p["QBZ3"] * dfz**2)
        * (1 + p["QBZ4"] * gamma + p["QBZ5"] * abs(gamma))
        * L["LKY"]
        / L["LMUY"]
    )
    Dt = (
        Fz
        * R0
        / F0
        * (p["QDZ1"] + p["QDZ2"] * dfz)
        * (1 - p["PPZ1"] * dpi)
        * (1 + p["QDZ3"] * gamma + p["QDZ4"] * gamma**2)
        * L["LTR"]
    )
    Et = (p["QEZ1"] + p["QEZ2"] * dfz + p["QEZ3"] * dfz**2) * (
        1 + (p["QEZ4"] + p["QEZ5"] * g) * 2 / np.pi * arctan(Bt * p["QCZ1"] * at)
    )
    Et = min(1.0, Et)
    t = Dt * cos(p["QCZ1"] * arctan(Bt * ate - Et * (Bt * ate - arctan(Bt * ate)))) * cos(alpha)
    tilt = (p["QDZ8"] + p["QDZ9"] * dfz) * (1 + p["PPZ2"] * dpi) + (p["QDZ10"] + p["QDZ11"] * dfz) * abs(g)
    Dr = Fz * R0 * ((p["QDZ6"] + p["QDZ7"] * dfz) * L["LRES"] + tilt * g * L["LKZC"]) * L["LMUY"] * cos(a)
    Mzr = Dr * cos(arctan((p["QBZ9"] * L["LKY"] / L["LMUY"] + p["QBZ10"] * BC) * are))
    s = R0 * (p["SSZ1"] + p["SSZ2"] * Fy / N0 + (p["SSZ3"] + p["SSZ4"] * dfz) * gamma) * L["LS"]
    Mz = -t * (Fy - SVyk if old else Gyk * side(0.0)[0]) + Mzr + s * Fx

    # overturning and rolling
    Mx = R0 * Fz * L["LMX"] * (
        p["QSX1"] * L["LVMX"] - p["QSX2"] * gamma * (1 + p["PPMX1"] * dpi) + p["QSX3"] * Fy / N0
        + p["QSX4"] * cos(p["QSX5"] * arctan((p["QSX6"] * Fz / N0) ** 2)) * sin(p["QSX7"] * gamma + p["QSX8"] * arctan(p["QSX9"] * Fy / N0))
        + p["QSX10"] * arctan(p["QSX11"] * Fz / N0) * gamma
    ) + R0 * L["LMX"] * (Fy * (p["QSX13"] + p["QSX14"] * abs(gamma)) - Fz * p["QSX12"] * gamma * abs(gamma))  # fmt: skip
    My = p["QSY1"] + p["QSY2"] * Fx / N0 + p["QSY3"] * abs(V / V0) + p["QSY4"] * (V / V0) ** 4
    if old:
        My *= -R0 * Fz * L["LMY"]
        sx = Fz * (p["PTX1"] + p["PTX2"] * dfz) * exp(-p["PTX3"] * dfz) * R0 / N0 * L["LSGKP"]
        sy = (
            p["PTY1"]
            * sin(2 * arctan(Fz / (p["PTY2"] * F0)))
            * (1 - p["PKY3"] * abs(gamma))
            * R0
            * L["LFZO"]
            * L["LSGAL"]
        )
    else:
        My = (
            -R0
            * N0
            * L["LMY"]
            * (My + (p["QSY5"] + p["QSY6"] * Fz / N0) * gamma**2)
            * (Fz / N0) ** p["QSY7"]
            * (1 + dpi) ** p["QSY8"]
        )
        sx = Kx / (p["LONGITUDINAL_STIFFNESS"] * (1 + p["PCFX1"] * dfz + p["PCFX2"] * dfz**2) * (1 + p["PCFX3"] * dpi))
        sy = abs(Kya) / (p["LATERAL_STIFFNESS"] * (1 + p["PCFY1"] * dfz + p["PCFY2"] * dfz**2) * (1 + p["PCFY3"] * dpi))
    return np.array([Fx, Fy, Mx, My, Mz, sx, sy])

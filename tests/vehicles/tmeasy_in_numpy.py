"""TMeasy once more, in plain numbers, one slip at a time, with the angle φ itself: to compare with."""

from __future__ import annotations

from math import atan2, cos, hypot, sin, sqrt, tan

import numpy as np


def forces(d: dict, Fz: float, kappa: float, alpha: float, gamma: float) -> tuple[float, ...]:
    """Fx, Fy, Mx, My, Mz of a wheel that rolls forward."""
    q = min(Fz / d["nominal"], d["largest"])

    def force(key: str) -> float:
        first, second = d[key]
        # through (0, 0), (1, first), (2, second)
        return first * q * (2 - q) + second * q * (q - 1) / 2

    def slip(key: str) -> float:
        first, second = d[key]
        return first * (2 - q) + second * (q - 1)

    mu = d["friction"]
    sx, sy = kappa / abs(1 + kappa), -tan(alpha) / abs(1 + kappa)
    dFx, FxM, FxS, sxM, sxS = force("dFx0"), mu * force("FxM"), mu * force("FxS"), mu * slip("sxM"), mu * slip("sxS")
    dFy, FyM, FyS, syM, syS = force("dFy0"), mu * force("FyM"), mu * force("FyS"), mu * slip("syM"), mu * slip("syS")
    hx = sxM / (sxM + syM) + (FxM / dFx) / (FxM / dFx + FyM / dFy)
    hy = syM / (sxM + syM) + (FyM / dFy) / (FxM / dFx + FyM / dFy)
    phi, s = atan2(sy / hy, sx / hx), hypot(sx / hx, sy / hy)
    c, z = cos(phi), sin(phi)
    dF0, FM, FS = hypot(dFx * hx * c, dFy * hy * z), hypot(FxM * c, FyM * z), hypot(FxS * c, FyS * z)
    sM, sS = hypot(sxM / hx * c, syM / hy * z), hypot(sxS / hx * c, syS / hy * z)
    F = characteristic(s, dF0, sM, FM, sS, FS)
    contact = 2 * sqrt(d["radius"] * Fz / d["stiffness"])
    leaning = -d["camber"] * contact / 2 * sin(gamma) / d["radius"] / 3
    Mz = -F * z * contact * offset(abs(sy), slip("n0"), mu * slip("sy0"), mu * slip("syE"))
    return (
        F * c,
        F * z + F / s / hy * leaning,
        -Fz * pressed_at(d["width"], Fz / d["stiffness"], gamma),
        -d["rolling"] * d["radius"] * Fz,
        Mz,
    )


def characteristic(s: float, dF0: float, sM: float, FM: float, sS: float, FS: float) -> float:
    """The curve through (0, 0) with the slope dF0, (sM, FM), (sS, FS)."""
    if s >= sS:
        return FS
    if s <= sM:
        return dF0 * s / (1 - 2 * s / sM + dF0 * s / FM + (s / sM) ** 2)
    curvature = 2 * FM**2 / (dF0 * sM**3)  # of the first piece where it ends, negative
    joint = sM + 2 * (FM - FS) / (curvature * (sS - sM))
    if joint >= sS:
        x = (s - sM) / (sS - sM)
        return FM + (FS - FM) * (3 * x**2 - 2 * x**3)
    if s <= joint:
        return FM - curvature / 2 * (s - sM) ** 2
    return FS + curvature / 2 * (joint - sM) * (sS - s) ** 2 / (sS - joint)


def offset(s: float, n0: float, s0: float, sE: float) -> float:
    """The quartic with n(0) = n0, n'(0) = 0, n(s0) = 0 and a double zero at sE: (1 - s/sE)² (1 + k s) (1 - s/s0)."""
    if s >= sE:
        return 0.0
    k = 2 / sE + 1 / s0
    return n0 * (1 - s / sE) ** 2 * (1 + k * s) * (1 - s / s0)


def pressed_at(b: float, sunk: float, gamma: float) -> float:
    """Centre of a pressure in proportion to the deflection of a flat tread of width b, by summation over its strips."""
    if b == 0:
        return 0.0
    t = tan(gamma)
    places = b * ((np.arange(1000) + 0.5) / 1000 - 0.5)
    low, high = -b * abs(t), b * abs(t) + sunk * 4
    for _ in range(60):  # deflection of the middle with which the load is that of the mean deflection
        middle = (low + high) / 2
        weights = np.maximum(middle + places * t, 0.0)
        low, high = (middle, high) if weights.mean() < sunk else (low, middle)
    return float(weights @ places / weights.sum())

"""The matrices AA and BB of A x' = B x + C u as Lot and Da Lio print them (section 4.3), in their order of rows.

States: ẏ1, δ, φ, Yr, Yf, ψ̇, δ̇, φ̇. Rows: the equations of y, ψ, δ, φ, of both tyres, and δ̇ and φ̇ by their definition.
"""

import symbody as sb

STATES = ("y1_dot", "delta", "phi", "Yr", "Yf", "psi_dot", "delta_dot", "phi_dot")
ROWS = ("y1_dot", "psi_dot", "delta_dot", "phi_dot", "Yr", "Yf", "delta", "phi")
SIGNS = (1, 1, 1, 1, 1, 1, -1, -1)  # the last two equations are printed as -δ' = -δ̇

mf, mr, k, j, e, h, Ifx, Ifz, Irx, Irz, Crxz, iry, ify, Rr, Rf = sb.symbols(
    "mf mr k j e h Ifx Ifz Irx Irz Crxz iry ify Rr Rf"
)
a, an, b, g, Zf, Cdelta, Cr1, Cr2, Cf1, Cf2, sigma, V, eps = sb.symbols(
    "a an b g Zf Cdelta Cr1 Cr2 Cf1 Cf2 sigma V eps"
)
s, c = sb.sin(eps), sb.cos(eps)

_product = -Ifx * c * s + mf * j * k + Ifz * c * s + Crxz
_yaw = mf * k**2 + Irz + Ifx - Ifx * c**2 + Ifz * c**2
_roll = Irx + mr * h**2 - Ifz * c**2 + Ifx * c**2 + Ifz + mf * j**2
_wheels = iry * V / Rr + ify * V / Rf
_trail = -Zf * an + mf * e * g

AA = sb.matrix([
    [mf + mr, 0, 0, 0, 0, mf * k, mf * e, mf * j + mr * h],
    [mf * k, 0, 0, 0, 0, _yaw, mf * e * k + Ifz * c, _product],
    [mf * e, 0, 0, 0, 0, mf * e * k + Ifz * c, Ifz + mf * e**2, Ifz * s + mf * e * j],
    [mf * j + mr * h, 0, 0, 0, 0, _product, Ifz * s + mf * e * j, _roll],
    [0, 0, 0, sigma / V, 0, 0, 0, 0],
    [0, 0, 0, 0, sigma / V, 0, 0, 0],
    [0, -1, 0, 0, 0, 0, 0, 0],
    [0, 0, -1, 0, 0, 0, 0, 0],
])  # fmt: skip

BB = sb.matrix([
    [0, 0, 0, 1, 1, -mf * V - mr * V, 0, 0],
    [0, 0, 0, -b, (a - an) / c, -mf * V * k, ify * V * s / Rf, _wheels],
    [0, _trail * s, _trail, 0, -an, -mf * e * V - ify * V * s / Rf, -Cdelta, c * ify * V / Rf],
    [0, _trail, mf * g * j + mr * h * g, 0, 0, -mf * V * j - _wheels - mr * h * V, -c * ify * V / Rf, 0],
    [-Cr1 / V, 0, Cr2, -1, 0, Cr1 * b / V, 0, 0],
    [-Cf1 / V, c * Cf1 + Cf2 * s, Cf2, 0, -1, Cf1 * (an - a) / (c * V), Cf1 * an / V, 0],
    [0, 0, 0, 0, 0, 0, -1, 0],
    [0, 0, 0, 0, 0, 0, 0, -1],
])  # fmt: skip

CC = sb.vector(0, 0, 1, 0, 0, 0, 0, 0)

"""One model whose names mean harm: every target writes it, and what it writes still runs."""

from __future__ import annotations

from functools import cache

import symbody as sb

TEXTS = [
    '"; int owned; "', "*/ int owned; /*", "%s %n ??/", "\\", "$(owned) `owned`", "#{owned} | x |", "ünïcödé", "'); owned(", "% owned ..", "! owned & \"",
    "</script><script>owned()</script> ${owned} --> // owned",
]  # fmt: skip
PARAMETERS = ["double", "int_2", "x", "r_2", "p", "end", "sin", "status", "X", "function", "__proto__"]
COORDINATES = ["register", "t_", "h", "xdot", "J", "n", "model_rhs", "y0", "Y0", "eps", "fn"]


@cache
def hostile() -> sb.Equations:
    """A chain of pendulums in a plane: small equations in many names. Texts hold quotes, comment ends and code; symbols are words of languages, or differ in case
    only."""
    m = sb.Model('"*/ int owned = 1; /*" \\ %')
    before = m.ground
    for k, (text, parameter, coordinate) in enumerate(zip(TEXTS, PARAMETERS, COORDINATES, strict=True)):
        body = m.body(text, mass=m.parameter(parameter, 1.0 + k, unit="kg"), com=(0.1, -1, 0), inertia=(1, 1, 1))
        m.revolute(text, before, body, coordinates=coordinate)
        m.output(text, body.mass_centre.position().dot(m.ground.x))
        before = body
    m.gravity(0, -9.81, 0)
    return sb.derive(m)

"""Bending strain of a beam to third order.

The points of a beam's axis are at r = (x + u + ∫ √(1 - v'² - w'²) - 1, v, w), which can be any curve; the root is
expanded to fourth order, with the mean of that term over the beam, so that the positions of the ends are exact. If u'
is as small as v'², |r'| is 1 + u', the tangent r' / |r'| is (1 - ½ (v'² + w'²), v' - u' v', w' - u' w') to third order,
and its rate along the beam is the curvature

    κ² = (v'' - (u' v')')² + (w'' - (u' w')')² + (v' v'' + w' w'')²

of which linear strains contain v''² + w''². The energy that they neglect, to fourth order,

    ∫ EI [½ (v' v'' + w' w'')² - v'' (u' v')' - w'' (u' w')'] dx

makes the motion independent of the frame in which deflections are small (Reissner's beam without shear: κ = θ', with
tan θ = r_y' / r_x' in a plane).
"""

from __future__ import annotations

from typing import Any

from ...algebra.graph.graph import HALF, ZERO, Expr, as_expr
from ...errors import ModelError, shown
from .beam import Section, distribution
from .beam_fields import BeamFields, Distribution


def refuse_order(where: str, order: Any, fields: BeamFields, section: Section, elements: Any) -> None:
    """Refuse third order except for Kirchhoff beams with equal bending stiffness in both planes and smooth stretch."""
    if not isinstance(order, int) or order not in (2, 3):
        raise ModelError(
            f"{where}: order= is 2 (strains are linear) or 3 (bending strain to third order); got {shown(order)}"
        )
    if order == 2:
        return
    reasons = {
        "it does not bend; give EI=": not section.EI,
        "stiffening=False drops terms of second order already": not fields.stiffening,
        "it shears (GA=)": fields.shears,
        "it twists (GJ=)": section.GJ is not None,
        "it bends in two planes with different EI": len({as_expr(e) for e in section.EI.values()}) > 1,
        "stretch of finite elements has kinks, where the curvature has none; use modes=": section.EA is not None and elements is not None,
    }  # fmt: skip
    if said := [reason for reason, holds in reasons.items() if holds]:
        raise ModelError(f"{where}: order=3 is not possible: {said[0]}")


def third_order_energy(where: str, fields: BeamFields, section: Section) -> Expr:
    """What bending strain to third order adds to the energy ½ q · K q."""
    EI = distribution(f"{where}, EI=", next(iter(section.EI.values())), fields.length, fields.n)
    return _of_turns(fields, EI) - _of_stretch(fields, EI)


def _of_turns(fields: BeamFields, EI: Distribution) -> Expr:
    """½ ∫ EI (v' v'' + w' w'')² dx, where v' v'' + w' w'' = ½ (v'² + w'²)'."""
    shape = fields.modes[0].shape
    weights = [(c, shape.component(key).slope) for c, key in fields.squared_turns()]
    total = ZERO
    for i, (c, f) in enumerate(weights):
        row = HALF * c * EI.integral(f, f)
        total = total + c * (row + sum((d * EI.integral(f, g) for d, g in weights[i + 1 :]), ZERO))
    return total / (4 * fields.length)


def _of_stretch(fields: BeamFields, EI: Distribution) -> Expr:
    """∫ EI [v'' (u' v')' + w'' (u' w')'] dx."""
    total = ZERO
    for b, g in fields.stretches:
        quadratic = ZERO
        for kind in "yz":
            angles = fields.angles(kind)
            slopes = [(g * f).slope for _, f in angles]
            for i, (a, f) in enumerate(angles):
                row = a * EI.integral(f.slope, slopes[i])
                for j in range(i + 1, len(angles)):
                    both = EI.integral(f.slope, slopes[j]) + EI.integral(angles[j][1].slope, slopes[i])
                    row = row + angles[j][0] * both
                quadratic = quadratic + a * row
        total = total + b * quadratic
    return total / fields.length

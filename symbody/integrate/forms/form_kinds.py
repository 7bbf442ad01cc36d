"""The forms by name, and what each can do: options and methods are checked against this table, not against names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class FormKind:
    """Capabilities of a form of the equations.

    title          for people
    projects       states are brought back to the constraints after every step
    has_rates      y' is known as expressions, which implicit methods and sensitivities differentiate
    is_algebraic   E y' = F(t, y) with E singular: only implicit methods solve it
    is_discrete    the equations of whole steps, for variational integrators
    has_speeds     independent speeds are found on the way, so that options about them apply
    """

    title: str
    projects: bool = True
    has_rates: bool = True
    is_algebraic: bool = False
    is_discrete: bool = False
    has_speeds: bool = False


FORMS: Final = {
    "minimal": FormKind("ordinary differential equations"),
    "explicit": FormKind("constraints on the level of accelerations", projects=False),
    "baumgarte": FormKind("constraints on the level of accelerations, stabilised after Baumgarte", projects=False),
    "projection": FormKind("projection onto the constraints after every step"),
    "orthogonal": FormKind("orthogonal projection onto the constraints after every step"),
    "partition": FormKind(
        "independent speeds, chosen anew where they become ill-conditioned", has_rates=False, has_speeds=True
    ),
    "qr": FormKind("independent combinations of speeds by QR at every evaluation", has_rates=False, has_speeds=True),
    "svd": FormKind(
        "independent combinations of speeds by singular values at every evaluation", has_rates=False, has_speeds=True
    ),
    "implicit": FormKind("accelerations and multipliers as unknowns, index 1", projects=False, is_algebraic=True),
    "ggl": FormKind(
        "constraints on positions and speeds, accelerations and multipliers as unknowns, index 2",
        projects=False,
        is_algebraic=True,
    ),
    "discrete": FormKind(
        "discrete action, constraints on positions and speeds at every step", projects=False, is_discrete=True
    ),
}
DISCRETE: Final = next(name for name, kind in FORMS.items() if kind.is_discrete)

"""Biomechanics: muscles along paths."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...later import offer

if TYPE_CHECKING:
    from .characteristic_curves import MuscleCurves, muscle_curves
    from .hill_muscle import Muscle, activation_rate, muscle
    from .model_muscles import add_muscles

__all__ = [  # noqa: RUF022  (in order of flow)
    "muscle", "Muscle", "add_muscles", "activation_rate", "muscle_curves", "MuscleCurves",
]  # fmt: skip

offer(__name__)

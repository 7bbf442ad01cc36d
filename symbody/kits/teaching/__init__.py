"""Teaching: students' equations compared with the right ones, derivations step by step, exercises with their answers,
bodies whose mass changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...later import offer

if TYPE_CHECKING:
    from .changing_masses import ChangingMass, changing_mass
    from .comparison import Comparison, RowVerdict, compare
    from .derivation_steps import derivation
    from .exercises import Exercise, ExerciseAnswer, exercise
    from .sheet import Sheet

__all__ = [  # noqa: RUF022  (in order of flow)
    "compare", "Comparison", "RowVerdict", "derivation", "Sheet", "exercise", "Exercise", "ExerciseAnswer", "changing_mass", "ChangingMass",
]  # fmt: skip

offer(__name__)

"""Vehicles: tyres, roads, wheels, suspensions, manoeuvres and their measures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...later import offer

if TYPE_CHECKING:
    from .linear_tyre import BrushTyre, LinearTyre
    from .magic_formula import MagicFormula, read_tyre
    from .tir_file import TirFile, read_tir
    from .tyre import MirroredTyre, Slip, Tyre, TyreForces

__all__ = [  # noqa: RUF022  (in order of flow)
    "Tyre", "Slip", "TyreForces", "LinearTyre", "BrushTyre", "MagicFormula", "MirroredTyre", "read_tyre", "read_tir", "TirFile",
]  # fmt: skip

offer(__name__)

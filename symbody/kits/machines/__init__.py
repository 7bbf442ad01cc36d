"""Machines: shafts, bearings, gears, belts, cams; Campbell diagrams, rotors on elastic supports, a wind turbine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...later import offer

if TYPE_CHECKING:
    from .bearings.ball_bearing import ball_bearing
    from .bearings.journal_bearing import ShortBearing, journal
    from .models.wind_turbine import turbine_blades, wind_turbine
    from .rotors.elastic_shaft import Shaft, shaft
    from .spectra.campbell_diagram import Campbell, Crossing, campbell
    from .spectra.multiblade import FloquetExponents, floquet, multiblade
    from .spectra.unbalance import UnbalanceResponse, unbalance_response
    from .stepping.bounded_contact import bounded_contact
    from .stepping.cam_table import cam, floor, mod
    from .transmission.belt_drive import Belt, belt
    from .transmission.gear_mesh import GearMesh, Teeth, gear_mesh
    from .transmission.planetary_set import Planetary, planetary

__all__ = [  # noqa: RUF022  (in order of flow)
    "shaft", "Shaft", "ShortBearing", "journal", "ball_bearing", "gear_mesh", "GearMesh", "Teeth", "planetary", "Planetary", "belt", "Belt", "cam", "mod", "floor", "bounded_contact", "wind_turbine", "turbine_blades",
    "multiblade", "floquet", "FloquetExponents", "campbell", "Campbell", "Crossing", "unbalance_response", "UnbalanceResponse",
]  # fmt: skip

offer(__name__)

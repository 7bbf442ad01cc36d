"""Vehicles: tyres, roads, wheels, suspensions, manoeuvres and their measures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...later import offer

if TYPE_CHECKING:
    from .car_model import car
    from .corner import STRUT, WISHBONES, Corner, double_wishbone, mcpherson, moved_points, spring_preload
    from .crg_file import CrgFile, read_crg
    from .curved_road import CurvedRoad
    from .driver import Driver, preview_driver
    from .drivetrain import brake, differential, drive, spin_rate
    from .elastic_bushing import Bushing, bushing
    from .handling import HandlingDiagram, Understeer, handling_diagram, steady_gain, straight, understeer
    from .hardpoints import Hardpoints
    from .linear_tyre import BrushTyre, LinearTyre
    from .magic_formula import MagicFormula, read_tyre
    from .manoeuvres import LaneChange, StepMeasures, lane_change, ramp_steer, sine_steer, step_measures, step_steer
    from .motorcycle_models import leaning_turn, motorcycle, sharps_motorcycle
    from .path import PlanePath, path_of_curvature, path_through
    from .rail import bogie, wheelset
    from .road import (
        RandomProfile,
        Road,
        profile_road,
        random_profile,
        random_road,
        road_spectrum,
        sampled_road,
        shaping_filter,
    )
    from .roll_bar import AntiRollBar, anti_roll_bar, torsion_bar
    from .single_track_models import car_and_trailer, path_follower, single_track
    from .standard_tests import (
        FrequencyMeasures,
        LaneChangeTest,
        StepTest,
        frequency_measures,
        lane_change_test,
        step_test,
    )
    from .steering import Rack, rack
    from .suspension import KinematicCurves, kinematics, wheel_angles
    from .tir_file import TirFile, read_tir
    from .tmeasy import TMeasy
    from .tyre import MirroredTyre, Slip, Tyre, TyreForces, TyrePair
    from .wheel_contact import ContactGeometry, WheelContact, contact_geometry, wheel_on_road

__all__ = [  # noqa: RUF022  (in order of flow)
    "Tyre", "Slip", "TyreForces", "LinearTyre", "BrushTyre", "TMeasy", "MagicFormula", "MirroredTyre", "TyrePair", "read_tyre", "read_tir", "TirFile",
    "Road", "profile_road", "sampled_road", "random_road", "random_profile", "RandomProfile", "road_spectrum", "shaping_filter", "CurvedRoad", "read_crg", "CrgFile",
    "wheel_on_road", "WheelContact", "contact_geometry", "ContactGeometry",
    "Hardpoints", "bushing", "Bushing", "anti_roll_bar", "torsion_bar", "AntiRollBar", "rack", "Rack", "drive", "brake", "differential", "spin_rate",
    "PlanePath", "path_through", "path_of_curvature", "preview_driver", "Driver",
    "wheel_angles", "kinematics", "KinematicCurves",
    "single_track", "path_follower", "car_and_trailer", "wheelset", "bogie", "motorcycle", "sharps_motorcycle", "leaning_turn",
    "car", "double_wishbone", "mcpherson", "Corner", "moved_points", "spring_preload", "WISHBONES", "STRUT",
    "straight", "steady_gain", "understeer", "Understeer", "handling_diagram", "HandlingDiagram",
    "step_steer", "ramp_steer", "sine_steer", "step_measures", "StepMeasures", "lane_change", "LaneChange",
    "step_test", "StepTest", "frequency_measures", "FrequencyMeasures", "lane_change_test", "LaneChangeTest",
]  # fmt: skip

offer(__name__)

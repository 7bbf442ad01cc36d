"""Vehicles: tyres, roads, wheels, suspensions, manoeuvres and their measures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...later import offer

if TYPE_CHECKING:
    from .driving.control_laws import anti_lock, cruise_control, lane_keeping, stability_control
    from .driving.driver import Driver, preview_driver
    from .driving.manoeuvres import (
        LaneChange,
        StepMeasures,
        lane_change,
        ramp_steer,
        sine_steer,
        sine_with_dwell,
        step_measures,
        step_steer,
    )
    from .measures.handling import HandlingDiagram, Understeer, handling_diagram, steady_gain, straight, understeer
    from .measures.ride_comfort import RideComfort, comfort_weighting, ride_comfort
    from .measures.standard_tests import (
        FrequencyMeasures,
        LaneChangeTest,
        StepTest,
        frequency_measures,
        lane_change_test,
        step_test,
    )
    from .models.car_model import car
    from .models.car_parts import pedal
    from .models.motorcycle_models import leaning_turn, motorcycle, sharps_motorcycle
    from .models.rail import MANCHESTER, bogie, rail_car, wheelset
    from .models.semitrailer_model import semitrailer
    from .models.single_track_models import car_and_trailer, path_follower, single_track
    from .models.suspended_motorcycle import suspended_motorcycle
    from .roads.crg_file import CrgFile, read_crg
    from .roads.curved_road import CurvedRoad
    from .roads.path import PlanePath, path_of_curvature, path_through
    from .roads.road import (
        RandomProfile,
        Road,
        profile_road,
        random_profile,
        random_road,
        road_spectrum,
        sampled_road,
        shaping_filter,
    )
    from .suspensions.corner import STRUT, WISHBONES, Corner, double_wishbone, mcpherson, moved_points, spring_preload
    from .suspensions.elastic_bushing import Bushing, bushing
    from .suspensions.hardpoints import Hardpoints
    from .suspensions.roll_bar import AntiRollBar, anti_roll_bar, torsion_bar
    from .suspensions.steering import Rack, rack
    from .suspensions.stops import stops
    from .suspensions.suspension import KinematicCurves, compliance, kinematics, wheel_angles
    from .tyres.linear_tyre import BrushTyre, LinearTyre
    from .tyres.magic_formula import MagicFormula, read_tyre
    from .tyres.tir_file import TirFile, read_tir
    from .tyres.tmeasy import TMeasy
    from .tyres.tyre import MirroredTyre, Slip, Tyre, TyreForces, TyrePair
    from .wheels.drivetrain import brake, differential, drive, spin_rate
    from .wheels.rail_contact import RailContact, kalker_coefficients, polach_force, rail_contact
    from .wheels.rail_geometry import RailGeometry, rail_geometry
    from .wheels.rigid_ring import RigidRing, rigid_ring
    from .wheels.simplified_theory import CreepForces, creep_forces
    from .wheels.wheel_contact import ContactGeometry, WheelContact, contact_geometry, wheel_on_road

__all__ = [  # noqa: RUF022  (in order of flow)
    "Tyre", "Slip", "TyreForces", "LinearTyre", "BrushTyre", "TMeasy", "MagicFormula", "MirroredTyre", "TyrePair", "read_tyre", "read_tir", "TirFile",
    "Road", "profile_road", "sampled_road", "random_road", "random_profile", "RandomProfile", "road_spectrum", "shaping_filter", "CurvedRoad", "read_crg", "CrgFile",
    "wheel_on_road", "WheelContact", "contact_geometry", "ContactGeometry", "rigid_ring", "RigidRing",
    "Hardpoints", "bushing", "Bushing", "anti_roll_bar", "torsion_bar", "AntiRollBar", "stops", "rack", "Rack", "drive", "brake", "differential", "spin_rate",
    "PlanePath", "path_through", "path_of_curvature", "preview_driver", "Driver", "cruise_control", "lane_keeping", "anti_lock", "stability_control",
    "wheel_angles", "kinematics", "compliance", "KinematicCurves",
    "single_track", "path_follower", "car_and_trailer", "semitrailer", "wheelset", "bogie", "rail_car", "MANCHESTER", "rail_contact", "RailContact", "kalker_coefficients", "polach_force", "creep_forces", "CreepForces", "rail_geometry", "RailGeometry", "motorcycle", "suspended_motorcycle", "sharps_motorcycle", "leaning_turn",
    "car", "pedal", "double_wishbone", "mcpherson", "Corner", "moved_points", "spring_preload", "WISHBONES", "STRUT",
    "straight", "steady_gain", "understeer", "Understeer", "handling_diagram", "HandlingDiagram",
    "step_steer", "ramp_steer", "sine_steer", "sine_with_dwell", "step_measures", "StepMeasures", "lane_change", "LaneChange",
    "step_test", "StepTest", "frequency_measures", "FrequencyMeasures", "lane_change_test", "LaneChangeTest", "ride_comfort", "RideComfort", "comfort_weighting",
]  # fmt: skip

offer(__name__)

"""The mechanism as described: frames, points, vectors, bodies, joints, loads, constraints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..later import offer

if TYPE_CHECKING:
    from .dyads import Dyad
    from .elastic_body import ElasticBody
    from .file.keys import model_schema
    from .finite_elements.finite_body import FiniteElements
    from .finite_elements.interpolated_body import interpolated_body
    from .finite_elements.reduced_body import ReducedBody
    from .finite_elements.reduced_file import read_reduced
    from .finite_elements.sources_of_matrices import finite_elements
    from .frames import Frame
    from .friction import Coulomb, LuGre
    from .line_paths import LinePath
    from .lynch_input import LynchInput
    from .mass import bar, box, cylinder, disc, inertia, shell, sphere
    from .material_integrals import material
    from .mechanism import Body, Mechanism
    from .meshes.read_solids import Solids, read_solids
    from .mjcf.read_mjcf import read_mjcf
    from .model import Model
    from .osim.read_osim import OsimModel, read_osim
    from .path_surfaces import ViaPoint, WrapCylinder, WrapRing, WrapSphere
    from .points import Point
    from .pose import Pose
    from .robot.robot import Robot, RobotReport
    from .sdf.read_sdf import read_sdf
    from .surfaces import Ball, Ellipsoid, HalfSpace, Ring, Touch, Tube, corners, touch
    from .system_vectors import SystemVector
    from .torus_paths import WrapTorus
    from .urdf.read_urdf import read_urdf
    from .vectors import Vector, axial, express

__all__ = [  # noqa: RUF022  (in order of flow)
    "model_schema", "Dyad", "Frame", "Point", "Pose", "Vector", "SystemVector", "axial", "express", "bar", "box", "cylinder", "disc", "inertia", "shell",
    "sphere", "read_solids", "Solids", "material", "Body", "ElasticBody", "finite_elements", "FiniteElements", "ReducedBody", "read_reduced", "interpolated_body", "Coulomb", "LuGre", "HalfSpace", "Ball", "Ring", "Tube", "Ellipsoid", "Touch", "touch", "corners",
    "Mechanism", "Model", "LynchInput",
    "LinePath", "WrapSphere", "WrapCylinder", "WrapRing", "WrapTorus", "ViaPoint", "read_urdf", "read_mjcf", "read_sdf", "read_osim", "OsimModel", "Robot", "RobotReport",
]  # fmt: skip

offer(__name__)

"""Description of a mechanism: frames, points, vectors, bodies, joints, loads and constraints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..later import offer

if TYPE_CHECKING:
    from .elastic.elastic_body import ElasticBody
    from .file.expression_reader import read_expression
    from .file.keys import model_schema
    from .frames.dyads import Dyad
    from .frames.frames import Frame
    from .frames.points import Point
    from .frames.pose import Pose
    from .frames.system_vectors import SystemVector
    from .frames.vectors import Vector, axial, express
    from .joints.joints import JointCondition, JointKind
    from .loads.friction import Coulomb, LuGre
    from .loads.surfaces import Ball, Ellipsoid, HalfSpace, HeightField, Ring, Touch, Tube, corners, touch
    from .mass.mass import Shape, bar, box, cylinder, disc, inertia, shell, sphere, torus
    from .mass.material_integrals import material
    from .mass.moments import Moments
    from .mechanism.frame_places import frame_at
    from .mechanism.mechanism import Action, Body, Constraint, Joint, Load, Mechanism
    from .model.all_or_nothing import all_or_nothing
    from .model.lynch_input import LynchInput
    from .model.model import Model
    from .model.parts import Parts
    from .paths.ellipsoid_paths import WrapEllipsoid
    from .paths.line_paths import LinePath
    from .paths.path_surfaces import ViaPoint, WrapCylinder, WrapRing, WrapSphere
    from .paths.torus_paths import WrapTorus

__all__ = [  # noqa: RUF022  (in order of flow)
    "model_schema", "read_expression", "Dyad", "Frame", "Point", "Pose", "Vector", "SystemVector", "frame_at", "axial", "express", "bar", "box", "cylinder", "disc", "inertia", "shell",
    "sphere", "torus", "Shape", "material", "Moments", "Body", "ElasticBody", "Joint", "JointKind", "JointCondition", "Load", "Action", "Constraint", "Coulomb", "LuGre", "HalfSpace", "Ball", "Ring", "Tube", "Ellipsoid", "HeightField", "Touch", "touch", "corners",
    "Mechanism", "Model", "Parts", "all_or_nothing", "LynchInput",
    "LinePath", "WrapSphere", "WrapCylinder", "WrapRing", "WrapTorus", "WrapEllipsoid", "ViaPoint",
]  # fmt: skip

offer(__name__)

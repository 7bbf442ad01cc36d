"""Files of other programs: robots, musculoskeletal models, meshes and finite elements become parts of a `Model`.

Formats stand beside the flow, on the public names of symbody alone, as kits do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..later import offer

if TYPE_CHECKING:
    from .fem.bodies.finite_body import FiniteElements
    from .fem.matrices.sources_of_matrices import finite_elements
    from .fem.reduced.reduced_body import ReducedBody
    from .fem.reduced.reduced_file import read_reduced
    from .fem.reduction.interpolated_body import interpolated_body
    from .meshes.read_solids import Solids, read_solids
    from .mjcf.read_mjcf import read_mjcf
    from .mjcf.write_mjcf import write_mjcf
    from .motion.motion_files import read_motion, write_motion
    from .motion.motion_table import MotionTable
    from .osim.osim_scaling import scale_osim
    from .osim.read_osim import OsimModel, read_osim
    from .osim.write_osim import write_osim
    from .robot.robot import Robot, RobotReport
    from .sdf.read_sdf import read_sdf
    from .urdf.read_urdf import read_urdf

__all__ = [  # noqa: RUF022  (robots, muscles, surfaces, finite elements)
    "read_urdf", "read_mjcf", "write_mjcf", "read_sdf", "Robot", "RobotReport", "read_osim", "OsimModel", "write_osim", "scale_osim", "read_motion",
    "write_motion", "MotionTable", "read_solids", "Solids", "finite_elements", "FiniteElements", "ReducedBody", "read_reduced", "interpolated_body",
]  # fmt: skip

offer(__name__)

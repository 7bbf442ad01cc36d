"""Robots from URDF files: `read_urdf`.

A URDF is a tree of links and joints. Links that are fixed to each other become one body; every joint that moves gets a
coordinate; the numbers of the file become parameters, or constants. Data pass through `urdf_text.py` (the file,
checked), `robot/make_robot.py` (bodies and joints) with `robot/link_frames.py` (the choice of body frames), to
`robot/robot.py` (the model with its report).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import symbody as sb

from ...argument_kinds import answered, checked_flags
from ...errors import ModelError, shown
from ...given_files import reading
from ..robot.choices import RobotOptions
from ..robot.make_robot import Builder
from ..robot.robot import Robot
from .urdf_text import urdf_text

TOLERANCE: Final = 5e-6
GRAVITY: Final = (0.0, 0.0, -9.81)


@checked_flags(ModelError)
@reading("read_urdf: a model cannot be made from the numbers in the file")
@answered
def read_urdf(
    source: Any,
    *,
    base: str = "fixed",
    parameters: Any = "all",
    free: Any = None,
    hold: Mapping[str, float] | None = None,
    mimic: bool = True,
    actuators: Any = "all",
    damping: bool = False,
    friction: float | None = None,
    wrench: bool = False,
    gravity: Any = GRAVITY,
    snap: bool = False,
    tolerance: float = TOLERANCE,
    strict: bool = False,
) -> Robot:
    """A model of the robot in a URDF file, by its path or its text. Nothing but that file is opened.

    base         "fixed": the root link is the ground. "free": it hangs on the ground by a free joint `base` with Euler
                 parameters: coordinates base_x, base_y, base_z, base_e0 ... base_e3 (scalar first), speeds base_x_dot
                 ... (velocity of the root link's origin in the ground, along its axes) and base_wx, base_wy, base_wz
                 (angular velocity, in the root link): those of MuJoCo's free joint. Pinocchio has the scalar last, and
                 the velocity along the axes of the link: v = Rᵀ (x_dot, y_dot, z_dot).
    parameters   which numbers are parameters with these numbers as defaults. "all": of mass, mass centre and inertia of
                 every link (`<link>_m`, `_cx` ..., `_Ixx` ..., in the link frame, about the mass centre); "bodies": the
                 same, once for links that are fixed to each other; "everything": "all" and the placements of joints
                 (`<joint>_px` ..., `_roll` ...); "none"; or names and patterns of these ("*_m"). Zeros, and angles that
                 are multiples of pi, stay what they are.
    free         names and patterns of the joints that move; others are held at zero. All by default.
    hold         joint -> value at which it is held
    mimic        False lets joints move on their own which the file ties to others
    actuators    names and patterns of joints on which an input `<joint>_tau` acts: a torque or a force
    damping      True: the damping of the file acts. friction: the speed at which dry friction of the file is developed,
                 which then acts
    wrench       True: a force at the origin of a base that moves freely and a torque on it are inputs, base_fx ... base_tz,
                 along the axes of the ground
    gravity      acceleration along the axes of the root link at rest; None for none
    snap         True: take printed angles for exact multiples of pi/12 that differ from these by at most one unit of
                 their last digit, and by at most `tolerance`; and directions of axes whose other components are below
                 1e-9 for coordinate axes. This changes numbers of the file, each listed in `robot.report`, and leaves
                 fewer operations. Angles that are multiples of pi/12 to all digits of the machine are exact in any
                 case.
    strict       refuse inertias that no body has, which are otherwise accepted and reported

    >>> robot = sb.read_urdf('''
    ... <robot name="arm">
    ...   <link name="base"/>
    ...   <link name="upper"><inertial><mass value="2"/><origin xyz="0.5 0 0"/>
    ...     <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    ...   <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/>
    ...     <limit lower="-1" upper="1" effort="10" velocity="2"/></joint>
    ... </robot>
    ... ''', parameters="none")
    >>> sb.derive(robot).M, list(robot.links)
    (vector(0.6), ['upper', 'base'])

    See also: `read_mjcf`, `read_sdf`, `formats.Robot`.
    """
    if base not in ("fixed", "free"):
        raise ModelError(f"read_urdf: base= is 'fixed' or 'free', got {shown(base)}")
    if not 0 <= tolerance <= 1e-2:
        raise ModelError(f"read_urdf: tolerance= must be an angle between 0 and 0.01, got {shown(tolerance)}")
    text = urdf_text(source)
    options = RobotOptions(
        "read_urdf",
        base == "free",
        parameters,
        free,
        hold or {},
        mimic,
        actuators,
        damping,
        friction,
        tolerance if snap else None,
        strict,
        wrench,
    )
    with sb.algebra.gc_paused():
        robot = Builder(text, options).robot()
    if gravity is not None:
        robot.gravity(*gravity)
    return robot

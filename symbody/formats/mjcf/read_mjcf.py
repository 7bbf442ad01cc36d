"""Robots from MJCF files, MuJoCo's format: `read_mjcf`.

Data pass through `mjcf_tree.py` (the file with its includes and defaults), `mjcf_text.py` (links and joints, inertias
from shapes), the builder that all readers share (`robot/make_robot.py`), and `mjcf_parts.py` (sites, equalities,
tendons, keyframes) and `mjcf_actuators.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import symbody as sb

from ...argument_kinds import answered, checked_flags
from ...errors import ModelError, shown
from ...given_files import reading
from ..robot.choices import NameChoice, RobotOptions
from ..robot.make_robot import Builder
from ..robot.robot import Robot
from ..robot.xml_tree import XmlElement
from .mjcf_actuators import ActuatedParts
from .mjcf_text import MjcfReader
from .mjcf_tree import Attributes, mjcf_tree


@checked_flags(ModelError)
@reading("read_mjcf: a model cannot be made from the numbers in the file")
@answered
def read_mjcf(
    source: Any,
    *,
    parameters: Any = "all",
    free: Any = None,
    hold: Mapping[str, float] | None = None,
    actuators: Any = "file",
    damping: bool = True,
    friction: float | None = None,
    wrench: bool = False,
    equality: bool = True,
    force_limits: bool = False,
    gravity: Any = "file",
    strict: bool = False,
) -> Robot:
    """A model of the robot in an MJCF file, by its path or its text. Files that it includes are opened, and meshes of
    bodies that have no inertial; both by paths relative to the file.

    parameters   which numbers are parameters with these numbers as defaults, as in `read_urdf`
    free, hold   names and patterns of the joints that move; joint -> value at which it is held
    actuators    "file": those of the file, each with an input `<actuator>_ctrl`; "joints": an input `<joint>_tau` on
                 each joint of one coordinate; names and patterns of the file's actuators; None for none
    damping      False: the damping of joints does not act. friction: the speed at which dry friction of joints is
                 developed, which then acts
    wrench       True: forces and torques on floating bodies are inputs, `<joint>_fx` ... `_tz`, along the axes of the
                 ground
    equality     False: leave out equality constraints, which are exact in the model (and soft in MuJoCo)
    force_limits  True: forces of actuators stay within the `forcerange` of the file
    gravity      "file": that of the file; or an acceleration along the axes of the ground; None for none
    strict       refuse inertias that no body has, which are otherwise accepted and reported

    Coordinates and speeds are those of MuJoCo: `qpos` of a hinge or slide (named after the joint), of a free joint
    `_x`, `_y`, `_z`, `_e0` to `_e3`; speeds of a free joint `_x_dot` ... in the ground and `_wx` ... in the body, of a
    ball joint `_wx` ... in the body.

    >>> robot = sb.read_mjcf('''
    ... <mujoco model="pendulum">
    ...   <worldbody>
    ...     <body name="pole">
    ...       <joint name="hinge" type="hinge" axis="0 1 0"/>
    ...       <inertial pos="0 0 -0.5" mass="2" diaginertia="0.1 0.1 0.1"/>
    ...     </body>
    ...   </worldbody>
    ... </mujoco>
    ... ''', parameters="none")
    >>> sb.derive(robot).M
    vector(0.6)

    See also: `read_urdf`, `read_sdf`, `formats.Robot`.
    """
    text = MjcfReader(mjcf_tree(source)).text()
    if actuators is not None and not isinstance(actuators, (str, list, tuple)):
        raise ModelError(f"read_mjcf: actuators= is 'file', 'joints', names, patterns or None, got {shown(actuators)}")
    joints = "all" if isinstance(actuators, str) and actuators == "joints" else None
    options = RobotOptions(
        "read_mjcf", False, parameters, free, hold or {}, True, joints, damping, friction, None, strict, wrench
    )  # fmt: skip
    with sb.algebra.gc_paused():
        builder = Builder(text.robot, options)
        robot = builder.robot()
        parts = ActuatedParts(text, robot, builder.names)
        parts.has_force_limits = force_limits
        parts.add_sites()
        parts.add_keyframes()
        parts.add_springs_of_joints()
        parts.add_tendons()
        if equality and not text.tree.is_off("equality"):
            parts.add_equalities()
        if joints is None and actuators is not None:
            _add_chosen(parts, actuators)
    _set_gravity(robot, parts, gravity)
    more = {**robot.report.left_out, **parts.left_out}
    robot.report = replace(robot.report, left_out=more, inactive={**robot.report.inactive, **parts.inactive})
    robot.note(*(f"not read: {n} {what}" for what, n in parts.left_out.items()))
    return robot


def _add_chosen(parts: ActuatedParts, actuators: Any) -> None:
    if actuators == "file":
        parts.add_actuators(lambda name: True)
        return
    choice = NameChoice("read_mjcf", "actuator", actuators)
    parts.add_actuators(choice)
    choice.check()


def _set_gravity(robot: Robot, parts: ActuatedParts, gravity: Any) -> None:
    text = parts.text
    if gravity is None:
        return
    option = Attributes(text.tree.where, XmlElement("option", {}, 0), text.tree.options("option"))
    for key in ("density", "viscosity", "wind"):
        if any(option.numbers(key, (0.0,))):
            robot.report.left_out[f"{key} of <option>: forces of a fluid"] = 1  # type: ignore[index]
    if isinstance(gravity, str) and text.tree.is_off("gravity"):
        return
    acceleration = option.three("gravity", (0.0, 0.0, -9.81)) if isinstance(gravity, str) else gravity
    robot.gravity(*acceleration)
    parts.add_lifts(robot.ground.vector(*acceleration))

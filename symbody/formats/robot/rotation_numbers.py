"""Rotations of files: roll, pitch and yaw, and quaternions, from matrices and back."""

from __future__ import annotations

import math

from ...rotation_arrays import euler_parameters
from .link_frames import UNTURNED, Mat
from .robot_text import Angles, Printed


def roll_pitch_yaw(R: Mat) -> Angles:
    """Angles of Rz(yaw) Ry(pitch) Rx(roll), to full precision also where pitch is a right angle: roll is read off
    Rz(-yaw) R."""
    yaw = math.atan2(R[1][0], R[0][0]) if R[1][0] or R[0][0] else 0.0
    c, s = math.cos(yaw), math.sin(yaw)
    pitch = math.atan2(-R[2][0], c * R[0][0] + s * R[1][0])
    roll = math.atan2(s * R[0][2] - c * R[1][2], c * R[1][1] - s * R[0][1])
    return Printed(roll, repr(roll)), Printed(pitch, repr(pitch)), Printed(yaw, repr(yaw))


def quaternion_of(R: Mat) -> tuple[float, float, float, float]:
    """w, x, y, z with w ≥ 0."""
    e = euler_parameters(R)
    w, x, y, z = (e if e[0] >= 0 else -e).tolist()
    return w, x, y, z


def of_quaternion(w: float, x: float, y: float, z: float) -> Mat:
    """The rotation by a quaternion of any length but zero; exact numbers where it does not turn."""
    size = math.hypot(w, x, y, z)
    if not (x or y or z):
        return UNTURNED
    w, x, y, z = w / size, x / size, y / size, z / size
    return (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )

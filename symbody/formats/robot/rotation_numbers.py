"""Rotations as numbers: roll, pitch and yaw, and quaternions, from matrices."""

from __future__ import annotations

import math

from .link_frames import Mat
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
    """w, x, y, z with w ≥ 0, from the largest of the four."""
    (a, b, c), (d, e, f), (g, h, i) = R
    squares = (1 + a + e + i, 1 + a - e - i, 1 - a + e - i, 1 - a - e + i)
    k = max(range(4), key=lambda n: squares[n])
    rows = (
        (squares[0], h - f, c - g, d - b),
        (h - f, squares[1], d + b, c + g),
        (c - g, d + b, squares[2], h + f),
        (d - b, c + g, h + f, squares[3]),
    )
    size = math.hypot(*rows[k])
    sign = -1.0 if rows[k][0] < 0 else 1.0
    w, x, y, z = (sign * v / size for v in rows[k])
    return w, x, y, z

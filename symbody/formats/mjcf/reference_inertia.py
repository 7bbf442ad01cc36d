"""The mass matrix of a robot where its file shows it, as numbers: from it MuJoCo makes stiffness and damping of what is
given by time constants and damping ratios.

    M_ij = Σ_b m v_bi·v_bj + ω_bi·I_b ω_bj + armature δ_ij        v_bi, ω_bi: motion of body b for a unit of speed i
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ..robot.link_frames import LinkPlacement, Mat, Vec, from_rpy, product, vector_sum
from ..robot.robot_numbers import LinkMass
from ..robot.robot_text import JointText
from .orientation import cross_product

_AXES: tuple[Vec, Vec, Vec] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


class Screw(NamedTuple):
    """A unit of speed: turning about a line through a point, or sliding along it."""

    axis: Vec
    through: Vec
    turns: bool
    armature: float

    def velocity(self, at: Vec) -> Vec:
        x, y, z = self.through
        return cross_product(self.axis, vector_sum(at, (-x, -y, -z))) if self.turns else self.axis


@dataclass(frozen=True)
class ReferenceInertia:
    """M⁻¹, and the rows of each joint in it."""

    inverse: list[list[float]]
    rows: Mapping[str, list[int]]

    def of(self, joint: str) -> float:
        """The inertia that a joint meets: of several speeds, by the mean of their mobilities."""
        found = self.rows[joint]
        return len(found) / max(math.fsum(self.inverse[i][i] for i in found), 1e-15)

    def along(self, arms: Mapping[str, float]) -> float:
        """1 / (J M⁻¹ Jᵀ), of a length by its slopes J in the coordinates of joints."""
        at = [(self.rows[n][0], a) for n, a in arms.items()]
        return 1 / max(math.fsum(a * b * self.inverse[i][k] for i, a in at for k, b in at), 1e-15)

    def acceleration(self, arms: Mapping[str, float]) -> float:
        """|M⁻¹ Jᵀ|: that a unit of force along a length gives."""
        at = [(self.rows[n][0], a) for n, a in arms.items()]
        return math.hypot(*(math.fsum(a * row[i] for i, a in at) for row in self.inverse))


def reference_inertia(
    joints: Mapping[str, JointText], places: Mapping[str, LinkPlacement], masses: Mapping[str, LinkMass]
) -> ReferenceInertia:
    """joints: each after that of its parent; places: of links that hang on floating joints, in the ground."""
    at: dict[str, LinkPlacement] = {}
    chains: dict[str, list[int]] = {}
    screws: list[Screw] = []
    of: dict[str, list[int]] = {}
    for j in joints.values():
        parent = at.get(j.parent, LinkPlacement())
        seat = parent @ LinkPlacement(from_rpy(*(a.value for a in j.rpy)), j.position)
        x, y, z = j.anchor
        at[j.child] = places[j.child] if j.kind == "floating" else seat @ LinkPlacement(p=(-x, -y, -z))
        new = _screws(j, seat if j.kind != "floating" else at[j.child])
        of[j.name] = list(range(len(screws), len(screws) + len(new)))
        screws += new
        chains[j.child] = [*chains.get(j.parent, ()), *of[j.name]]
    M = [[0.0] * len(screws) for _ in screws]
    for i, s in enumerate(screws):
        M[i][i] = s.armature
    for link, mass in masses.items():
        _add(M, screws, chains.get(link, []), mass.placed(at.get(link, LinkPlacement())))
    return ReferenceInertia(_inverse(M), of)


def _screws(j: JointText, seat: LinkPlacement) -> list[Screw]:
    if j.kind in ("revolute", "prismatic"):
        size = math.hypot(*j.axis)
        axis = seat.direction((j.axis[0] / size, j.axis[1] / size, j.axis[2] / size))
        return [Screw(axis, seat.p, j.kind == "revolute", j.armature)]
    turning = [Screw(seat.direction(e), seat.p, True, j.armature) for e in _AXES]
    if j.kind == "spherical":
        return turning
    return [*(Screw(e, seat.p, False, j.armature) for e in _AXES), *turning] if j.kind == "floating" else []


def _add(M: list[list[float]], screws: list[Screw], chain: list[int], mass: LinkMass) -> None:
    moved = [(i, screws[i].velocity(mass.c), screws[i].axis if screws[i].turns else None) for i in chain]
    for i, v, w in moved:
        for k, u, n in moved:
            M[i][k] += mass.m * product(v, u) + (_quadratic(mass.I, w, n) if w is not None and n is not None else 0.0)


def _quadratic(I: Mat, a: Vec, b: Vec) -> float:
    return float(product(a, [product(row, b) for row in I]))


def _inverse(M: list[list[float]]) -> list[list[float]]:
    """By Cholesky's factors: M⁻¹ = L⁻ᵀ L⁻¹."""
    n = len(M)
    L = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for k in range(i + 1):
            left = M[i][k] - math.fsum(L[i][s] * L[k][s] for s in range(k))
            L[i][k] = math.sqrt(max(left, 1e-300)) if i == k else left / L[k][k]
    columns = []
    for c in range(n):
        column = [0.0] * n
        for i in range(c, n):
            column[i] = (float(i == c) - math.fsum(L[i][s] * column[s] for s in range(c, i))) / L[i][i]
        columns.append(column)
    return [[math.fsum(x * y for x, y in zip(a, b, strict=True)) for b in columns] for a in columns]

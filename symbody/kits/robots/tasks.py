"""Tasks: the motion of a link or point of a robot as expressions in its speeds, and the dynamics in task space.

ẋ = J u,   ẍ = J u' + J̇ u,      x: velocity of the origin, then angular velocity, along the axes of the ground (or of
           the link)

Λ = (J M⁻¹ Jᵀ)⁻¹,   J̄ = M⁻¹ Jᵀ Λ         inertia and dynamically consistent inverse in the task (Khatib 1987)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import symbody as sb

from ...argument_kinds import answered
from ...errors import shown
from ...summary import Summarized, Summary, counted
from .link_motions import FrameMotions


@answered
def link_jacobian(mechanism: sb.bodies.Mechanism, frame: Any, along: sb.Frame | None = None) -> sb.Matrix:
    """J = ∂(v, ω)/∂u, six rows: velocity of a frame's origin (or of a point, as one of its frame), then its angular
    velocity, along the axes of `along` (the ground by default).

    >>> m = sb.Model("arm")
    >>> arm = m.body("arm", mass=1.0, com=(0.5, 0, 0))
    >>> joint = m.revolute("q", m.ground, arm)
    >>> sb.kits.robots.link_jacobian(m.freeze(), arm.frame.translate(2, 0, 0))
    vector(-2*sin(q), 2*cos(q), 0, 0, 0, 1)

    See also: `kits.robots.task`, `kits.robots.centre_of_mass_jacobian`.
    """
    at = sb.bodies.frame_at(frame, "link_jacobian")
    w, v, _, _ = FrameMotions(mechanism).of(at)
    R = (mechanism.ground if along is None else along).dcm(at)
    Jv, Jw = sb.jacobian(v, mechanism.u), sb.jacobian(w, mechanism.u)
    return sb.stack(R @ Jv, R @ Jw)


@dataclass(frozen=True, eq=False, repr=False)
class LinkTask(Summarized):
    """Some of the six components of the motion of a frame.

    rows    rows of the task: 0, 1, 2 velocity, 3, 4, 5 angular velocity, along the axes of `along`

    >>> m = sb.Model("arm")
    >>> arm = m.body("arm", mass=1.0, com=(0.5, 0, 0))
    >>> joint = m.revolute("theta", m.ground, arm)
    >>> hand = sb.kits.robots.task(sb.derive(m), arm.frame.translate(1, 0, 0), "xy")
    >>> hand.rows, hand.jacobian.shape
    ((0, 1), (2, 1))

    See also: `kits.robots.task`, `kits.robots.task_control`.
    """

    equations: sb.Equations
    frame: sb.Frame
    rows: tuple[int, ...] = (0, 1, 2, 3, 4, 5)
    along: sb.Frame | None = None

    def _summary(self) -> Summary:
        rows = f"{counted(len(self.rows), 'row')} of place and rotation"
        return Summary(
            f"LinkTask of {self.frame.name} in {self.equations.name}: {rows}",
            (("next", "pose, jacobian, inertia, ..."),),
        )

    @cached_property
    def pose(self) -> Any:
        """R and p of the frame in the ground.

        >>> m = sb.Model("arm")
        >>> arm = m.body("arm", mass=3.0, com=(0, 0, 0), inertia=(0, 0, 2))
        >>> joint = m.revolute("q", m.ground, arm)
        >>> hand = sb.kits.robots.task(sb.derive(m), arm.frame.translate(2, 0, 0), "y", along=arm.frame)
        >>> hand.pose.offset, hand.jacobian, hand.jacobian_rate, hand.drift
        (vector(2*cos(q), 2*sin(q), 0), vector(2), vector(0), vector(0))
        >>> numbers = hand.mobility, hand.inertia, hand.consistent_inverse, hand.manipulability
        >>> [sb.evaluate(x) for x in numbers]  # 2² / 2, its inverse, 1 / 2, 2
        [[2.0], [0.5], [0.5], 2.0]

        See also: `kits.robots.task`.
        """
        return self.frame.pose_in(self.equations.mechanism.ground)

    @cached_property
    def jacobian(self) -> sb.Matrix:
        """J."""
        J = link_jacobian(self.equations.mechanism, self.frame, self.along)
        return sb.matrix([J.row(i) for i in self.rows])

    @cached_property
    def jacobian_rate(self) -> sb.Matrix:
        """J̇ along a motion: (∂J/∂q) q'."""
        eq = self.equations
        found: sb.Matrix = sb.time_derivative(self.jacobian, dict(zip(eq.q, eq.rates.entries, strict=True)))
        return found

    @cached_property
    def drift(self) -> sb.Matrix:
        """J̇ u: the acceleration of the task where u' = 0."""
        return self.jacobian_rate @ self._u

    @property
    def _u(self) -> sb.Matrix:
        return sb.matrix([[u] for u in self.equations.u])

    @cached_property
    def mobility(self) -> sb.Matrix:
        """J M⁻¹ Jᵀ."""
        return self.jacobian @ sb.solve(self.equations.M, self.jacobian.T)

    @cached_property
    def inertia(self) -> sb.Matrix:
        """Λ."""
        return sb.solve(self.mobility, sb.identity(len(self.rows)))

    @cached_property
    def consistent_inverse(self) -> sb.Matrix:
        """J̄, which is n by rows."""
        return sb.solve(self.equations.M, self.jacobian.T @ self.inertia)

    @cached_property
    def manipulability(self) -> sb.Expr:
        """√det(J Jᵀ) (Yoshikawa 1985)."""
        J = self.jacobian
        return sb.sqrt(sb.algebra.determinant(J @ J.T))


@answered
def task(eq: sb.Equations, frame: Any, rows: Sequence[int] | str | None = None, along: Any = None) -> LinkTask:
    """A task of a frame or body: all six components, or some: "xyz" its place, "abc" its turning about x, y, z. A task
    of a point, such as `centre_of_mass(eq)`, has its place alone.

    along   the frame or body in whose components velocities are; the ground by default

    >>> m = sb.Model("arm")
    >>> arm = m.body("arm", mass=1.0, com=(0.5, 0, 0))
    >>> joint = m.revolute("theta", m.ground, arm)
    >>> hand = sb.kits.robots.task(sb.derive(m), arm.frame.translate(1, 0, 0), "xy")
    >>> hand.jacobian
    vector(-sin(theta), cos(theta))
    >>> sb.kits.robots.task(hand.equations, arm.point(1, 0, 0)).jacobian  # three rows: a point does not turn
    vector(-sin(theta), cos(theta), 0)

    See also: `kits.robots.LinkTask`, `kits.robots.inverse_kinematics`.
    """
    letters = "xyz" if isinstance(frame, sb.Point) else "xyzabc"
    chosen = letters if rows is None else rows
    of = f"task of {shown(frame)}"
    axes = None if along is None else _axes(of, along)
    return LinkTask(eq, sb.bodies.frame_at(frame, of), tuple(_row(of, r, letters) for r in chosen), axes)


def _row(of: str, row: Any, letters: str) -> int:
    """The number of a row of a task, given by its number or letter."""
    if row in range(len(letters)) or (isinstance(row, str) and row in letters):
        return letters.index(row) if isinstance(row, str) else int(row)
    rotation = "; a point does not turn, the frame at it does: sb.bodies.frame_at(point)" if len(letters) == 3 else ""
    raise sb.ModelError(
        f"{of}: rows= must be letters among {letters} or numbers below {len(letters)}, got {row!r}{rotation}"
    )


def _axes(of: str, along: Any) -> sb.Frame:
    if isinstance(along, sb.Point):
        raise sb.ModelError(f"{of}: along= must be a frame or a body, whose axes are meant; got {shown(along)}")
    frame: sb.Frame = sb.bodies.frame_at(along, f"{of}, along=")
    return frame


def centre_of_mass_jacobian(eq: sb.Equations) -> sb.Matrix:
    """∂v_C/∂u of the mass centre C of everything, along the axes of the ground: Σ m v / Σ m.

    >>> m = sb.Model("pendulum")
    >>> joint = m.revolute("theta", m.ground, m.body("bob", mass=1.0, com=(0, -2, 0)))
    >>> sb.kits.robots.centre_of_mass_jacobian(sb.derive(m))
    vector(2*cos(theta), 2*sin(theta), 0)

    See also: `centre_of_mass`, `kits.robots.centroidal_momentum_matrix`.
    """
    total = sum((b.mass.m for b in eq.mechanism.bodies), start=sb.fraction(0, 1))
    return (1 / total) * sb.jacobian(_momentum(eq)[0], eq.u)


def centroidal_momentum_matrix(eq: sb.Equations) -> sb.Matrix:
    """A with (p, L_C) = A u: momentum, and angular momentum about the mass centre, along the axes of the ground (Orin
    and Goswami 2008).

    >>> m = sb.Model("cart")
    >>> joint = m.prismatic("x", m.ground, m.body("cart", mass=2))
    >>> sb.kits.robots.centroidal_momentum_matrix(sb.derive(m))
    vector(2, 0, 0, 0, 0, 0)

    See also: `momentum`, `angular_momentum`, `kits.robots.centre_of_mass_jacobian`.
    """
    return sb.jacobian(sb.stack(*_momentum(eq)), eq.u)


def _momentum(eq: sb.Equations) -> tuple[sb.Matrix, sb.Matrix]:
    """p, and L about the mass centre, in the ground."""
    motions, ground = FrameMotions(eq.mechanism), eq.mechanism.ground
    bodies = [b for b in eq.mechanism.bodies if not b.mass.is_massless]
    centre = sb.centre_of_mass(eq).in_ground
    p = L = sb.vector(0, 0, 0)
    for b in bodies:
        w, v, _, _ = motions.of(b.frame)
        R = ground.dcm(b.frame)
        own = b.mass.m * (v + sb.cross(w, b.mass.p_BoBcm))
        share = R @ own
        p = p + share
        L = L + R @ (b.mass.I_BBcm @ w) + sb.cross(b.mass_centre.in_ground - centre, share)
    return p, L

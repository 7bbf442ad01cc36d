"""The articulated-body algorithm (ABA): accelerations of a tree by two passes, without a mass matrix.

The subtree of a frame responds to an acceleration (α, a) of the frame with the wrench

    n = I α + H a + n0,    f = Hᵀ α + L a + f0

where the joints below are free to move. From the leaves inwards, a frame with columns S and generalised forces Q leaves

    J' = J - U D⁻¹ Uᵀ,   w' = w + J' c + U D⁻¹ (Q - Sᵀ w),     U = J S,  D = Sᵀ U

to its parent (J: the six by six of I, H, L; c: acceleration at u' = 0 in excess of the parent's); outwards then u' =
D⁻¹ (Q - Sᵀ w - Uᵀ a). Every speed must move one frame only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ...algebra.graph.functions import cos, sin
from ...algebra.graph.graph import ONE, ZERO, Expr
from ...algebra.graph.linear import Factors, factorize
from ...algebra.graph.matrix import Matrix, cross, identity, skew, zeros
from ...bodies.frames.frames import Frame
from ...bodies.frames.rotations import Rotation, Turn
from ...bodies.mechanism.mechanism import Mechanism
from ...errors import DerivationError, in_number
from ...progress import with_progress
from ..kinematics.frame_motions import Acceleration
from ..kinematics.inertial_parameters import Lump, turned_tensor
from ..kinematics.kinematics import NO_WRENCH, Kinematics, Wrench, forces_on_rates, gradient_of, wrenches
from ..kinematics.parameter_regrouping import Regroup, lumps
from ..routes.recursive import Subspace, power_on, subspaces_of, to_parent, wrench_about_origin


@dataclass(frozen=True)
class ArticulatedInertia:
    """The three blocks of an articulated inertia about a frame's origin, in its components; I and L are symmetric."""

    I: Matrix
    H: Matrix
    L: Matrix

    @staticmethod
    def of(lump: Lump) -> ArticulatedInertia:
        return ArticulatedInertia(lump.I, skew(lump.h), lump.m * identity(3))

    def __add__(self, other: ArticulatedInertia) -> ArticulatedInertia:
        return ArticulatedInertia(
            _symmetric_from_upper(self.I + other.I), self.H + other.H, _symmetric_from_upper(self.L + other.L)
        )

    def __call__(self, angular: Matrix, linear: Matrix) -> Wrench:
        return Wrench(self.H.T @ angular + self.L @ linear, self.I @ angular + self.H @ linear)

    def less(self, U: list[Wrench], V: list[Wrench]) -> ArticulatedInertia:
        """J - Σ U Vᵀ, where the sum is symmetric."""
        I, H, L = self.I, self.H, self.L
        for u, v in zip(U, V, strict=True):
            I = _symmetric_from_upper(I - u.moment @ v.moment.T)
            H = H - u.moment @ v.force.T
            L = _symmetric_from_upper(L - u.force @ v.force.T)
        return ArticulatedInertia(I, H, L)

    def in_parent(self, f: Frame) -> ArticulatedInertia:
        """About the origin of the parent: H' = H + p̃ L,  I' = I - H p̃ + p̃ H'ᵀ."""
        I, H, L = (
            turned_tensor(f.rotation, self.I),
            _rotated_tensor(f.rotation, self.H),
            turned_tensor(f.rotation, self.L),
        )
        if f.offset == zeros(3):
            return ArticulatedInertia(I, H, L)
        p = skew(f.offset)
        moved = H + p @ L
        return ArticulatedInertia(_symmetric_from_upper(I - H @ p + p @ moved.T), moved, L)


def _symmetric_from_upper(X: Matrix) -> Matrix:
    """The upper triangle on both sides: equal numbers, but the lower one is never computed."""
    return Matrix(3, 3, tuple(X[min(i, j), max(i, j)] for i in range(3) for j in range(3)))


def _rotated_tensor(rotation: Rotation, H: Matrix) -> Matrix:
    """R H Rᵀ of any matrix, factor by factor."""
    for f in reversed(rotation.factors):
        H = _turned_about_axis(f, H) if isinstance(f, Turn) else f.matrix @ H @ f.matrix.T
    return H


def _turned_about_axis(turn: Turn, H: Matrix) -> Matrix:
    """About axis k, with i, j the other two: 12 multiplications (see `turned_tensor`, where H is symmetric).

    r = c (H_ii - H_jj) - s (H_ij + H_ji),   H_ii' = H_jj + c r,   H_jj' = H_ii - c r,   H_ij' = H_ij + s r,   H_ji' =
                                             H_ji + s r
    """
    k = turn.axis
    i, j = (k + 1) % 3, (k + 2) % 3
    s, c = sin(turn.angle), cos(turn.angle)
    r = c * (H[i, i] - H[j, j]) - s * (H[i, j] + H[j, i])
    new = {(i, i): H[j, j] + c * r, (j, j): H[i, i] - c * r, (i, j): H[i, j] + s * r, (j, i): H[j, i] + s * r}
    new |= {(i, k): c * H[i, k] - s * H[j, k], (j, k): s * H[i, k] + c * H[j, k], (k, k): H[k, k]}
    new |= {(k, i): c * H[k, i] - s * H[k, j], (k, j): s * H[k, i] + c * H[k, j]}
    return Matrix(3, 3, tuple(new[a, b] for a in range(3) for b in range(3)))


@dataclass(frozen=True)
class TreeJoint:
    """Factors and biases of one frame, kept for the outward pass."""

    columns: list[tuple[int, tuple[Matrix, Matrix]]]
    U: list[Wrench]
    factors: Factors | None
    rest: list[Expr]  # Q - Sᵀ w


def articulated_accelerations(mechanism: Mechanism, kinematics: Kinematics, regroup: Regroup = None) -> Matrix:
    """u' as expressions, by the articulated-body algorithm."""
    if mechanism.constraints:
        raise DerivationError(
            f"articulated bodies are for trees; {mechanism.name!r} has {len(mechanism.constraints)} constraints"
        )
    return accelerations_without_constraints(mechanism, kinematics, regroup)


def accelerations_without_constraints(mechanism: Mechanism, kinematics: Kinematics, regroup: Regroup = None) -> Matrix:
    """u' of the tree that is left where the constraints of a mechanism are taken away."""
    subspaces = subspaces_of(mechanism, kinematics)
    _check_local(mechanism, kinematics, subspaces)
    loads = [x for x in mechanism.loads if x.name != "gravity" or mechanism.gravity is None]
    Q = forces_on_rates(loads, kinematics)
    w, excess = _velocity_terms(mechanism, kinematics)
    J, bias = _own(mechanism, w, regroup)
    for f, load in wrenches(loads, kinematics).items():
        bias[f] = bias.get(f, NO_WRENCH) - load
    joints = {}
    for f in with_progress(mechanism.frames[::-1], "accelerations"):
        if f in J or f in bias:
            joints[f] = inwards(f, J, bias, subspaces[f], Q, excess[f])
    return _outwards(mechanism, kinematics, joints, excess)


_NO_INERTIA = ArticulatedInertia(zeros(3, 3), zeros(3, 3), zeros(3, 3))


def _check_local(mechanism: Mechanism, kinematics: Kinematics, subspaces: dict[Frame, Subspace]) -> None:
    if elastic := [b.name for b in mechanism.elastic_bodies]:
        raise DerivationError(
            f"articulated bodies are rigid; {mechanism.name!r} has {in_number(elastic, '{}, which deforms', '{}, which deform')}"
        )
    count = Counter(j for s in subspaces.values() for j in s.columns)
    if shared := [u for j, u in enumerate(kinematics.u) if count[j] != 1]:
        raise DerivationError(
            f"articulated bodies need speeds that move one frame each; {in_number(shared, '{} moves', '{} move')} several, or none"
        )


def _velocity_terms(
    mechanism: Mechanism, kinematics: Kinematics
) -> tuple[dict[Frame, Matrix], dict[Frame, tuple[Matrix, Matrix]]]:
    """Angular velocities, and the velocity-dependent part of each frame's acceleration relative to its parent:

    s' + Rᵀ ω_P × s,     Rᵀ (ω_P × (ω_P × p) + 2 ω_P × p' + p'')       both where u' = 0
    """
    w, excess = {mechanism.ground: zeros(3)}, {}
    for f in mechanism.frames:
        assert f.parent is not None
        spin = kinematics.spins[f]
        w[f], excess[f] = frame_velocity_terms(f, w[f.parent], spin, kinematics.drifts[f], kinematics)
        if f in kinematics.given:
            v = kinematics.given[f]
            excess[f] = excess[f][0], kinematics.rate_at_constant_speed(v) + cross(spin, v)
    return w, excess


def frame_velocity_terms(
    f: Frame, above: Matrix, spin: Matrix, drift: Matrix, kinematics: Kinematics
) -> tuple[Matrix, tuple[Matrix, Matrix]]:
    """Those of one frame, from the angular velocity of its parent."""
    rate, turned = kinematics.rate_at_constant_speed, f.rotation.inwards(above)
    linear = gradient_of(above, zeros(3)) @ f.offset + 2 * cross(above, drift) + rate(drift)
    return turned + spin, (rate(spin) + cross(turned, spin), f.rotation.inwards(linear))


def _own(
    mechanism: Mechanism, w: dict[Frame, Matrix], regroup: Regroup
) -> tuple[dict[Frame, ArticulatedInertia], dict[Frame, Wrench]]:
    """ArticulatedInertia of the bodies on each frame, and their gyroscopic wrench."""
    J, bias = {}, {}
    for f, lump in lumps(mechanism, regroup).items():
        J[f], bias[f] = own_inertia(lump, w[f])
    return J, bias


def own_inertia(lump: Lump, w: Matrix) -> tuple[ArticulatedInertia, Wrench]:
    """Inertia and gyroscopic wrench of a lump at an angular velocity."""
    return ArticulatedInertia.of(lump), wrench_about_origin(lump, Acceleration.of(w, zeros(3), zeros(3)))


def inwards(
    f: Frame,
    J: dict[Frame, ArticulatedInertia],
    bias: dict[Frame, Wrench],
    subspace: Subspace,
    Q: Sequence[Expr],
    excess: tuple[Matrix, Matrix],
) -> TreeJoint:
    """Eliminate the speeds of a frame and pass the articulated inertia and bias to its parent."""
    own, w = J.get(f, _NO_INERTIA), bias.get(f, NO_WRENCH)
    columns = list(subspace.columns.items())
    U = [own(*column) for _, column in columns]
    rest = [Q[j] - power_on(column, w) for j, column in columns]
    factors = None
    if columns:
        k = len(columns)
        D = Matrix(k, k, tuple(power_on(columns[min(i, j)][1], U[max(i, j)]) for i in range(k) for j in range(k)))
        factors = factorize(D, "definite")
        weighed = factors.solve(
            Matrix(k, 6, tuple(e for u in U for e in (*u.force.entries, *u.moment.entries)))
        )  # D⁻¹ Uᵀ
        V = [Wrench(Matrix(3, 1, weighed.row(i)[:3]), Matrix(3, 1, weighed.row(i)[3:])) for i in range(k)]
        own = own.less(U, V)
        for i, r in enumerate(rest):
            w = w + Wrench(V[i].force * r, V[i].moment * r)
        if k == 1:
            own, w = _without_joint_axis(columns[0], own, w, Q)
    assert f.parent is not None
    if not f.parent.is_ground:
        w = w + own(*excess)
        J[f.parent] = J.get(f.parent, _NO_INERTIA) + own.in_parent(f)
        bias[f.parent] = bias.get(f.parent, NO_WRENCH) + to_parent(f, w)
    return TreeJoint(columns, U, factors, rest)


def _without_joint_axis(
    column: tuple[int, tuple[Matrix, Matrix]], J: ArticulatedInertia, w: Wrench, Q: Sequence[Expr]
) -> tuple[ArticulatedInertia, Wrench]:
    """A joint along one of the axes transmits no inertia along it, and its own force: zeros that need not be
    computed, J S = 0 and Sᵀ w = Q."""
    j, (angular, linear) = column
    axes = [k for k, e in enumerate((*angular.entries, *linear.entries)) if e is not ZERO]
    if len(axes) > 1 or (angular, linear)[axes[0] // 3][axes[0] % 3] is not ONE:
        return J, w
    turns, k = axes[0] < 3, axes[0] % 3

    def kept(X: Matrix, rows: bool, columns: bool) -> Matrix:
        gone = [(rows and a == k) or (columns and b == k) for a in range(3) for b in range(3)]
        return Matrix(3, 3, tuple(ZERO if is_gone else e for is_gone, e in zip(gone, X.entries, strict=True)))

    def exact(v: Matrix) -> Matrix:
        return Matrix(3, 1, tuple(Q[j] if i == k else e for i, e in enumerate(v.entries)))

    if turns:
        return ArticulatedInertia(kept(J.I, True, True), kept(J.H, True, False), J.L), Wrench(w.force, exact(w.moment))
    return ArticulatedInertia(J.I, kept(J.H, False, True), kept(J.L, True, True)), Wrench(exact(w.force), w.moment)


def _outwards(
    mechanism: Mechanism,
    kinematics: Kinematics,
    joints: dict[Frame, TreeJoint],
    excess: dict[Frame, tuple[Matrix, Matrix]],
) -> Matrix:
    motion = {mechanism.ground: (zeros(3), falling(mechanism))}
    out: dict[int, Expr] = {}
    for f in mechanism.frames:
        motion[f] = outwards(f, motion[f.parent], joints.get(f), excess[f], out)  # type: ignore[index]
    return Matrix(len(kinematics.u), 1, tuple(out.get(j, ZERO) for j in range(len(kinematics.u))))


def falling(mechanism: Mechanism) -> Matrix:
    """Acceleration of the ground in place of gravity."""
    return zeros(3) if mechanism.gravity is None else -mechanism.gravity.components(mechanism.ground)


def outwards(
    f: Frame,
    parent: tuple[Matrix, Matrix],
    joint: TreeJoint | None,
    excess: tuple[Matrix, Matrix],
    out: dict[int, Expr],
) -> tuple[Matrix, Matrix]:
    """Acceleration of a frame from that of its parent; u' of its joint, by number of the speed, into `out`."""
    alpha, a = parent
    a = f.rotation.inwards(a + cross(alpha, f.offset)) + excess[1]
    alpha = f.rotation.inwards(alpha) + excess[0]
    if joint is not None and joint.factors is not None:
        right = [r - power_on((alpha, a), U) for r, U in zip(joint.rest, joint.U, strict=True)]
        for (j, (angular, linear)), value in zip(joint.columns, joint.factors.solve(right), strict=True):
            out[j] = value
            alpha, a = alpha + value * angular, a + value * linear
    return alpha, a

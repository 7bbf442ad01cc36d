"""Velocity transformations (Lennartsson, chapter 3), the Coriolis matrix, the pattern of the mass matrix.

Speeds w with u = W w change the mass matrix to Wᵀ M W. Two methods give the same diagonal one: L D Lᵀ factors of M, and
the Gram-Schmidt process on the tangent vectors with M as the inner product. All operations are done on the graph, where
the steps share common subexpressions; nothing is expanded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...algebra.calculus.derivatives import jacobian, sparsity, time_derivative
from ...algebra.elimination.elimination import definite_factor
from ...algebra.graph.functions import sqrt
from ...algebra.graph.graph import HALF, ONE, ZERO, Expr, Symbol, symbol
from ...algebra.graph.labels import substituted_labels
from ...algebra.graph.linear import solve
from ...algebra.graph.matrix import Matrix, cross, diagonal, identity, skew, stack, sum_of_products, zeros
from ...algebra.graph.walk import substitute_all
from ...bodies.frames.system_vectors import SystemVector
from ...bodies.frames.vectors import Vector
from ...bodies.mechanism.mechanism import Body
from ...errors import DerivationError, ModelError, in_number, listed, shown
from ..equations.energies import refuse_written_motion
from ..equations.equation_arguments import of_equations
from ..equations.equations import Equations
from ..equations.own_terms import composed, in_own_terms
from ..equations.sampling import refuse_samples
from ..kinematics.affine_fields import AffineField, inner
from ..kinematics.deforming_motion import DeformingMotion, entries_of, field_of
from ..kinematics.kinematics import Kinematics

# ------------------------------------------------------------------------------------------------- diagonal mass matrix


@of_equations
def diagonalized(eq: Equations, unit: bool = False, names: Sequence[str] = ()) -> Equations:
    """The same motion in speeds w = Lᵀ u, in which the mass matrix is the diagonal D of M = L D Lᵀ (Lennartsson eq.
    3.15 to 3.19).

        u = W w,  W = L⁻ᵀ,     D w' = Wᵀ (f + Jcᵀ lam) + D (Lᵀ)' u

    unit    w = D^½ Lᵀ u instead: the mass matrix is the unit matrix (3.20 to 3.23)
    names   of the new speeds; by default w_ and the name of the old one

    >>> m = sb.Model("cart and pole")
    >>> cart, pole = m.body("cart", mass=1), m.body("pole", mass=1, com=(0, -1, 0))
    >>> joints = m.prismatic("x", m.ground, cart), m.revolute("theta", cart, pole)
    >>> sb.derivation.diagonalized(sb.derive(m)).u
    (w_x_dot, w_theta_dot)

    See also: `derivation.gram_schmidt`, `Equations`.
    """
    refuse_samples(eq, "diagonalized", DerivationError)
    n = len(eq.u)
    w = _new_speeds(eq, names)
    if massless := [eq.u[i].name for i in range(n) if eq.M[i, i] is ZERO]:
        raise DerivationError(
            f"diagonalized {eq.name!r}: the mass matrix is singular, nothing with mass moves with {listed(massless)} alone; eliminate dependent "
            "speeds first: sb.derivation.diagonalized(minimal(eq))"
        )
    L, D = ldl(eq.M)
    scale = [sqrt(d) for d in D] if unit else [ONE] * n
    Y = Matrix(n, n, tuple(scale[i] * L[j, i] for i in range(n) for j in range(n)))  # w = Y u, upper triangular
    u = _back_substituted(Y, w)
    speeds = dict(zip(eq.u, u, strict=True))
    f, c, b, rates, h, *outputs = substitute_all([eq.f, eq.c, eq.b, eq.rates, eq.h, *eq.outputs.values()], speeds)
    table = dict(zip(eq.q, rates.entries, strict=True))
    turning = [sum_of_products(time_derivative(Y, table).row(i), u) for i in range(n)]  # Y' u
    new_M = [ONE] * n if unit else D
    pushed = _forward_substituted(Y, f.entries)  # Wᵀ f
    W = _columns_of_inverse(Y)
    accelerations = _back_substituted(Y, [x.dot - e for x, e in zip(w, turning, strict=True)])
    at_rest = _back_substituted(Y, [-e for e in turning])  # u' where w' = 0
    dependent: dict[Any, Expr] = {**speeds, **{x.dot: e for x, e in zip(eq.u, accelerations, strict=True)}}
    free = [x + sum_of_products(eq.Jc.row(k), at_rest) for k, x in enumerate(c.entries)]
    return replace(
        eq, u=w, rates=rates, M=diagonal(*new_M),
        f=Matrix(n, 1, tuple(x + m * e for x, m, e in zip(pushed, new_M, turning, strict=True))),
        Jc=eq.Jc @ W if eq.lam else Matrix(0, n, ()), b=b, c=Matrix(len(free), 1, tuple(free)), h=h,
        outputs=dict(zip(eq.outputs, outputs, strict=True)), labels=substituted_labels(eq.labels, speeds), source=eq.whole,
        dependent=composed(eq, dependent),
        notes=(*eq.notes, f"speeds transformed to a {'unit' if unit else 'diagonal'} mass matrix"),
    )  # fmt: skip


def _new_speeds(eq: Equations, names: Sequence[str]) -> tuple[Symbol, ...]:
    if names and len(names) != len(eq.u):
        raise ModelError(f"diagonalized {eq.name!r}: {len(eq.u)} speeds need as many names, got {len(names)}")
    made = tuple(symbol(x, "speed") for x in (names or [f"w_{u.name}" for u in eq.u]))
    taken = {s.name for s in (*eq.q, *eq.u, *eq.z, *eq.r, *eq.p, *eq.lam, eq.t)}
    if clash := [x.name for x in made if x.name in taken]:
        raise ModelError(f"diagonalized {eq.name!r}: the name {clash[0]!r} is taken; give others with names=[...]")
    return made


def ldl(M: Matrix) -> tuple[Matrix, list[Expr]]:
    """L (unit lower triangular) and the diagonal D of M = L D Lᵀ, on the graph."""
    n, a = M.rows, list(M.entries)
    definite_factor(n, a)
    L = Matrix(n, n, tuple(a[i * n + j] if j < i else ONE if j == i else ZERO for i in range(n) for j in range(n)))
    return L, [1 / a[i * n + i] for i in range(n)]


def _back_substituted(Y: Matrix, b: Sequence[Expr]) -> list[Expr]:
    """x of Y x = b, Y upper triangular."""
    n = Y.rows
    x: list[Expr] = [ZERO] * n
    for i in reversed(range(n)):
        rest = b[i] - sum_of_products(Y.row(i)[i + 1 :], x[i + 1 :])
        x[i] = rest / Y[i, i]
    return x


def _forward_substituted(Y: Matrix, b: Sequence[Expr]) -> list[Expr]:
    """x of Yᵀ x = b, Y upper triangular."""
    x: list[Expr] = []
    for i in range(Y.rows):
        x.append((b[i] - sum_of_products(Y.column(i)[:i], x)) / Y[i, i])
    return x


def _columns_of_inverse(Y: Matrix) -> Matrix:
    n, unit = Y.rows, identity(Y.rows)
    columns = [_back_substituted(Y, unit.column(j)) for j in range(n)]
    return Matrix(n, n, tuple(columns[j][i] for i in range(n) for j in range(n)))


# ------------------------------------------------------------------------------------------------------ tangent vectors


@dataclass(frozen=True)
class TangentVector:
    """How all bodies move for one speed of one, others of zero: velocity of the mass centre and angular velocity of
    each.

    bodies       those with mass
    velocities   for each of them the velocity and the angular velocity, in this order, in components of its frame
    """

    bodies: tuple[Body, ...]
    velocities: SystemVector

    def dot(self, other: TangentVector) -> Expr:
        """The inner product: Σ m v·v' + ω·I ω'."""
        total = ZERO
        pairs = list(zip(self.velocities, other.velocities, strict=True))
        for b, (v, v2), (w, w2) in zip(self.bodies, pairs[::2], pairs[1::2], strict=True):
            total = total + b.mass.m * v.dot(v2) + w.dot(b.inertia().dot(w2))
        return total

    def momentum(self) -> SystemVector:
        """m v and I ω of each body: the inner product is `a.velocities.dot(b.momentum())`."""
        return self.velocities.momentum([x for b in self.bodies for x in (b.mass.m, b.inertia())])

    def __add__(self, other: TangentVector) -> TangentVector:
        return replace(self, velocities=self.velocities + other.velocities)

    def __sub__(self, other: TangentVector) -> TangentVector:
        return replace(self, velocities=self.velocities - other.velocities)

    def __neg__(self) -> TangentVector:
        return replace(self, velocities=-self.velocities)

    def __mul__(self, scalar: Any) -> TangentVector:
        return replace(self, velocities=self.velocities * scalar)

    __rmul__ = __mul__


@of_equations
def tangent_vectors(eq: Equations) -> tuple[TangentVector, ...]:
    """The tangent vectors β of the motion in configuration space, one for each speed: M_ij = β_i · β_j.

    >>> m = sb.Model("cart")
    >>> joint = m.prismatic("x", m.ground, m.body("cart", mass=4))
    >>> (beta,) = sb.derivation.tangent_vectors(sb.derive(m))
    >>> beta.dot(beta)
    4

    See also: `derivation.gram_schmidt`, `derivation.partial_velocities`, `bodies.SystemVector`.
    """
    bodies, motion = _body_velocities(eq)
    tables = [(jacobian(v, eq.u), jacobian(w, eq.u)) for w, v in motion]

    def velocities(j: int) -> Iterator[Vector]:
        for b, tables_of_body in zip(bodies, tables, strict=True):
            yield from (Vector({b.frame: Matrix(3, 1, table.column(j))}) for table in tables_of_body)

    return tuple(TangentVector(bodies, SystemVector(*velocities(j))) for j in range(len(eq.u)))


def _body_velocities(eq: Equations) -> tuple[tuple[Body, ...], list[tuple[Matrix, Matrix]]]:
    """Bodies with mass, all of them rigid; see `_rigid_velocities`."""
    if elastic := [b.name for b in eq.mechanism.elastic_bodies]:
        raise DerivationError(
            f"tangent vectors of {eq.name!r}: are velocities of rigid bodies, and {in_number(elastic, '{} deforms', '{} deform')}; sb.derivation.coriolis_matrix and "
            "christoffel_symbols take any bodies"
        )
    return _rigid_velocities(eq)


def _rigid_velocities(eq: Equations) -> tuple[tuple[Body, ...], list[tuple[Matrix, Matrix]]]:
    """Rigid bodies with mass; angular velocity, and velocity of the mass centre, of each, in terms of the speeds of
    these equations."""
    refuse_written_motion(eq, "tangent vectors")
    k = Kinematics(eq.mechanism)
    bodies = tuple(b for b in eq.mechanism.rigid_bodies if not b.mass.is_massless)
    flat = []
    for b in bodies:
        w, v = k.velocities[b.frame]
        flat += [w, v + cross(w, b.mass.p_BoBcm)]
    flat = in_own_terms(eq, flat)
    return bodies, list(zip(flat[::2], flat[1::2], strict=True))


@dataclass(frozen=True)
class Orthogonal:
    """Tangent vectors that are orthogonal, and W with β_j = Σ vectors_i W_ij, so that their speeds are W u; `squares`
    are their norms' squares."""

    vectors: tuple[TangentVector, ...]
    W: Matrix
    squares: tuple[Expr, ...]


@of_equations
def gram_schmidt(eq: Equations, unit: bool = True) -> Orthogonal:
    """Gram-Schmidt orthogonalisation of the tangent vectors (Lennartsson 3.1.2): γ of unit norm, or δ (unit=False)
    whose norms are D of L D Lᵀ.

    It uses only the kinematics, not the mass matrix.

    >>> m = sb.Model("cart")
    >>> joint = m.prismatic("x", m.ground, m.body("cart", mass=4))
    >>> sb.derivation.gram_schmidt(sb.derive(m), unit=False).squares
    (4,)

    See also: `derivation.diagonalized`, `derivation.tangent_vectors`.
    """
    beta = tangent_vectors(eq)
    n = len(beta)
    made: list[TangentVector] = []
    squares: list[Expr] = []
    W = [[ZERO] * n for _ in range(n)]
    for j, b in enumerate(beta):
        rest = b
        for i, v in enumerate(made):
            W[i][j] = v.dot(b) / squares[i]
            rest = rest + v * -W[i][j]
        square = rest.dot(b)  # rest is orthogonal to the components removed from b
        length = sqrt(square) if unit else ONE
        made.append(rest * (1 / length) if unit else rest)
        squares.append(ONE if unit else square)
        W[j][j] = length
    return Orthogonal(tuple(made), Matrix(n, n, tuple(e for row in W for e in row)), tuple(squares))


# ---------------------------------------------------------------------------------------------------------- Coriolis


@of_equations
def coriolis_matrix(eq: Equations) -> Matrix:
    """C with C u the Coriolis and centrifugal forces and M' - 2 C skew.

        C = Σ m Jvᵀ (Jv' + ω̃ Jv) + Jωᵀ (I Jω' + (K ω)~ Jω),   K = ½ tr(I) 1 - I

    Jv, Jω: partial velocities in components of the body. For u = q' the entries are those from Christoffel symbols; M'
    - 2 C is also skew for other speeds, including those of `minimal` and `diagonalized` equations. With prescribed
    motions C u lacks the terms without u.

    >>> m = sb.Model("cart and pole")
    >>> cart, pole = m.body("cart", mass=1), m.body("pole", mass=1, com=(0, -1, 0))
    >>> joints = m.prismatic("x", m.ground, cart), m.revolute("theta", cart, pole)
    >>> eq = sb.derive(m)
    >>> sb.derivation.coriolis_matrix(eq)
    matrix([[0, -sin(theta)*theta_dot], [0, 0]])

    See also: `derivation.christoffel_symbols`, `joint_forces`.
    """
    rates = dict(zip(eq.q, eq.rates.entries, strict=True))
    C = _of_deforming_bodies(eq)
    bodies, motion = _rigid_velocities(eq)
    for b, (w, v) in zip(bodies, motion, strict=True):
        I = b.mass.I_BBcm
        Jv, Jw = jacobian(v, eq.u), jacobian(w, eq.u)
        C = C + b.mass.m * (Jv.T @ (time_derivative(Jv, rates) + skew(w) @ Jv))
        if not b.mass.is_particle:
            K = HALF * (I[0, 0] + I[1, 1] + I[2, 2]) * identity(3) - I
            C = C + Jw.T @ (I @ time_derivative(Jw, rates) + skew(K @ w) @ Jw)
    return C


def _of_deforming_bodies(eq: Equations) -> Matrix:
    """∫ β_i · (β_j' + ω × β_j) dm, β_j being the fields of partial velocities of bodies that deform."""
    n, k, rates = len(eq.u), Kinematics(eq.mechanism), dict(zip(eq.q, eq.rates.entries, strict=True))
    C = [[ZERO] * n for _ in range(n)]
    for b in eq.mechanism.elastic_bodies:
        motion = DeformingMotion(b, k)
        own = motion.in_terms(*in_own_terms(eq, [motion.v, motion.w, motion.rates]))
        partial = own.partial(eq.u)
        for j, Y in partial.items():
            rate = time_derivative(Matrix(len(entries := entries_of(Y)), 1, tuple(entries)), rates)
            moved = field_of(Y, rate.entries)
            W = skew(own.w)
            by = {f: moved.by.get(f, zeros(3, 3)) + W @ B for f, B in Y.by.items()}
            turned = AffineField(moved.shift + W @ Y.shift, by)
            for i, X in partial.items():
                C[i][j] = C[i][j] + inner(own.moments, X, turned)
    return Matrix(n, n, tuple(e for row in C for e in row))


@of_equations
def christoffel_symbols(eq: Equations, kind: int = 1) -> tuple[Matrix, ...]:
    """Christoffel symbols of the mass matrix, one symmetric matrix Γ_i for each coordinate. The speeds must be the
    rates of the coordinates.

        Γ_ijk = ½ (∂M_ij/∂q_k + ∂M_ik/∂q_j - ∂M_jk/∂q_i),     Σ Γ_ijk q_j' q_k' = (C q')_i

    kind   1, or 2 for Γⁱ_jk = Σ (M⁻¹)_il Γ_ljk, the map of Tuomela and others, eq. 2.4

    >>> m = sb.Model("cart and pole")
    >>> cart, pole = m.body("cart", mass=1), m.body("pole", mass=1, com=(0, -1, 0))
    >>> joints = m.prismatic("x", m.ground, cart), m.revolute("theta", cart, pole)
    >>> sb.derivation.christoffel_symbols(sb.derive(m))[0]
    matrix([[0, 0], [0, -sin(theta)]])

    See also: `derivation.coriolis_matrix`.
    """
    n = len(eq.u)
    if kind not in (1, 2):
        raise ModelError(f"christoffel_symbols: kind= is 1 or 2, got {shown(kind)}")
    if tuple(eq.rates.entries) != eq.u:
        raise DerivationError(
            f"christoffel_symbols of {eq.name!r}: {in_number(eq.u, 'its speed {} is not the rate', 'its speeds {} are not the rates')} of its "
            "coordinates; sb.derivation.coriolis_matrix takes any speeds"
        )
    slopes = [jacobian([eq.M[i, j] for j in range(n)], eq.q) for i in range(n)]  # slopes[i][j, k] = ∂M_ij/∂q_k
    first = [
        Matrix(
            n,
            n,
            tuple(HALF * (slopes[i][j, k] + slopes[i][k, j] - slopes[j][k, i]) for j in range(n) for k in range(n)),
        )
        for i in range(n)
    ]
    if kind == 1 or not n:
        return tuple(first)
    columns = [solve(eq.M, [G.entries[at] for G in first], kind="definite").entries for at in range(n * n)]
    return tuple(Matrix(n, n, tuple(column[i] for column in columns)) for i in range(n))


# --------------------------------------------------------------------------------------------------- partial velocities


@of_equations
def partial_velocities(eq: Equations) -> PartialVelocities:
    """Lynch's partial velocity matrix B and its rate, in components of each body (tables 3.1 to 3.3):

        [v; ω] = B u + b,   [v'; ω'] = B u' + Ḃ u + ...       six rows for each body with mass; Ḃ = dB/dt + ω̃ B

    so that M = Bᵀ diag(m, I) B (eq. 4.14).

    >>> m = sb.Model("pendulum")
    >>> joint = m.revolute("theta", m.ground, m.body("bob", mass=1, com=(0, -2, 0), inertia=(1, 1, 1)))
    >>> sb.derivation.partial_velocities(sb.derive(m)).B
    vector(2, 0, 0, 0, 0, 1)

    See also: `derivation.tangent_vectors`, `bodies.SystemVector`.
    """
    refuse_written_motion(eq, "partial_velocities")
    rates = dict(zip(eq.q, eq.rates.entries, strict=True))
    bodies, motion = _body_velocities(eq)
    B = [Matrix(6, len(eq.u), (*jacobian(v, eq.u).entries, *jacobian(w, eq.u).entries)) for w, v in motion]
    turned = [stack(skew(w) @ J[:3, :], skew(w) @ J[3:, :]) for (w, _), J in zip(motion, B, strict=True)]
    dots = [time_derivative(J, rates) + t for J, t in zip(B, turned, strict=True)]
    empty = Matrix(0, len(eq.u), ())
    return PartialVelocities(bodies, stack(*B) if B else empty, stack(*dots) if B else empty)


@dataclass(frozen=True)
class PartialVelocities:
    """B and its rate: velocity of the mass centre, then angular velocity, of each body, one column for each speed.

    inertia   diag(m 1, I) of all bodies: M = Bᵀ inertia B
    """

    bodies: tuple[Body, ...]
    B: Matrix
    rate: Matrix

    @property
    def inertia(self) -> Matrix:
        n = 6 * len(self.bodies)
        out = [[ZERO] * n for _ in range(n)]
        for k, b in enumerate(self.bodies):
            for i in range(3):
                out[6 * k + i][6 * k + i] = b.mass.m
                for j in range(3):
                    out[6 * k + 3 + i][6 * k + 3 + j] = b.mass.I_BBcm[i, j]
        return Matrix(n, n, tuple(e for row in out for e in row))


# ---------------------------------------------------------------------------------------------------------- sparsity


@dataclass(frozen=True, repr=False)
class Pattern:
    """Where a square matrix has entries that are not zero everywhere. Prints as a picture."""

    n: int
    entries: tuple[tuple[int, int], ...]

    @property
    def density(self) -> float:
        return len(self.entries) / self.n**2 if self.n else 0.0

    def __repr__(self) -> str:
        return (
            f"<Pattern {self.n} by {self.n}: {len(self.entries)} entries, {self.density:.0%}; print it for a picture>"
        )

    def __str__(self) -> str:
        filled = set(self.entries)
        return "\n".join(" ".join("x" if (i, j) in filled else "." for j in range(self.n)) for i in range(self.n))


@of_equations
def mass_matrix_sparsity(eq: Equations) -> Pattern:
    """Positions of the entries of the mass matrix that are not identically zero.

    >>> m = sb.Model("two carts")
    >>> carts = [m.prismatic(f"x{k}", m.ground, m.body(f"cart {k}", mass=1)) for k in range(2)]
    >>> sb.derivation.mass_matrix_sparsity(sb.derive(m)).entries
    ((0, 0), (1, 1))

    See also: `algebra.sparsity`, `derivation.shared_work`.
    """
    return Pattern(len(eq.u), tuple(sparsity(eq.M)))

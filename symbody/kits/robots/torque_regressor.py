"""Regressors: the equations of motion as linear functions of the parameters to be identified.

    M u' - f = Y(q, u, u') π - Q,     π = (m, m c, I_o) of every body, then friction and rotors

with first moments and inertia about the origin of a frame fixed to each body, in its components, in the order of
Pinocchio: m, mcx, mcy, mcz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz. Q are loads other than gravity. The block of a body is Jᵀ
times the 6 by 10 matrix of Newton's and Euler's equations,

    force    m (a - g) + (α× + ω×ω×) mc
    moment   mc × (a - g) + I_o α + ω × I_o ω

with a the acceleration of the frame's origin (Atkeson, An and Hollerbach 1986), and J = ∂(v, ω)/∂u from a recursion
over the frames.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import symbody as sb

from ...argument_kinds import answered_class, checked_flags
from ...errors import ModelError
from ...summary import Summarized, Summary, counted, listing, summary_rows
from .link_motions import FrameMotions

NAMES: Final = ("m", "mcx", "mcy", "mcz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")
FRICTION: Final = ("viscous", "coulomb", "offset")


@answered_class
@dataclass(frozen=True, eq=False, repr=False)
class Regressor(Summarized):
    """Y and what its columns belong to.

    Y            one row for each speed (each independent one, where constraints were eliminated), one column for each
                 parameter
    parameters   their names: `<body>_m`, `<body>_mcx` ..., then `<speed>_viscous` ... and `<speed>_rotor`
    known        their values in the model, as expressions of its parameters; zero for friction and rotors
    bodies       names of the bodies, which have the first columns, ten each
    frames       of the parameters of each body; `carriers` are the frames of the bodies themselves

    >>> m = sb.Model("pendulum")
    >>> joint = m.revolute("theta", m.ground, m.body("bob", mass=2, com=(0, -1, 0), inertia=(1, 1, 1)))
    >>> found = sb.kits.robots.regressor(sb.derive(m))
    >>> found.Y.shape, found.parameters[:4], found.known[:4]
    ((1, 10), ('bob_m', 'bob_mcx', 'bob_mcy', 'bob_mcz'), (2, 0, -2, 0))

    See also: `kits.robots.regressor`, `kits.robots.base_parameters`.
    """

    equations: sb.Equations
    Y: sb.Matrix
    parameters: tuple[str, ...]
    known: tuple[sb.Expr, ...]
    bodies: tuple[str, ...]
    frames: tuple[sb.Frame, ...]
    carriers: tuple[sb.Frame, ...]  # frames of the bodies themselves, of which these are displaced

    def _summary(self) -> Summary:
        title = (
            f"Regressor of {self.equations.name}: {counted(self.Y.rows, 'force')}, {counted(self.Y.cols, 'parameter')}"
        )
        rows = summary_rows(bodies=listing(self.bodies), parameters=listing(self.parameters))
        return Summary(title, (*rows, ("next", "base_parameters(Y), Y.program(), stacked(Y, q, u, a)")))

    @property
    def forces(self) -> sb.Matrix:
        """Y π with the values of the model: forces of inertia and gravity.

        >>> m = sb.Model("pendulum")
        >>> joint = m.revolute("a", m.ground, m.body("bob", mass=2, com=(0, -1, 0), inertia=(1, 1, 1)), actuation=m.input("tau"))
        >>> found = sb.kits.robots.regressor(sb.derive(m))
        >>> found.forces, found.others, list(found.motion)
        (vector(3*a_ddot), vector(tau), [a, a_dot, a_ddot])
        >>> found.chosen([9]), found.program([9]).cost.total
        (vector(a_ddot), 0)

        See also: `kits.robots.regressor`, `kits.robots.base_parameters`.
        """
        return self.Y @ sb.matrix([[e] for e in self.known])

    @cached_property
    def others(self) -> sb.Matrix:
        """Q: generalised forces of all loads but gravity, the inputs among them."""
        return self.forces - sb.joint_forces(self.equations)

    @cached_property
    def motion(self) -> tuple[sb.Expr, ...]:
        """q, u, u': the arguments of `compiled`, each a row of numbers."""
        eq = self.equations
        return (*eq.variables.of("q u").symbols, *(u.dot for u in eq.u))

    def program(self, columns: Sequence[int] | None = None) -> Any:
        """Of Y(q, u, u', p), or of some of its columns; `sb.compile` and `sb.c_source` take it, and its `cost` is the
        number of operations."""
        eq = self.equations
        Y = self.Y if columns is None else self.chosen(columns)
        inputs = {"q": eq.q, "u": eq.u, "a": [u.dot for u in eq.u], "p": eq.p}
        return sb.program("regressor", {**inputs, "t": eq.t}, {"Y": Y})

    def chosen(self, columns: Sequence[int]) -> sb.Matrix:
        """Y with some of its columns."""
        return sb.matrix([[self.Y[i, j] for j in columns] for i in range(self.Y.shape[0])])


@checked_flags(ModelError)
def regressor(
    eq: sb.Equations,
    *,
    frames: Mapping[str, sb.Frame] | None = None,
    friction: Sequence[str] = (),
    rotors: bool = False,
) -> Regressor:
    """The regressor of equations of motion: trees, free bases, and closed loops, whose dependent speeds are eliminated
    first.

    frames     body -> frame fixed to it in which its parameters are to be: `robot.links` for the frames of the file;
               its own by default
    friction   columns for friction on every speed: "viscous" u, "coulomb" sign u, "offset" 1
    rotors     True: a column u' for the inertia of the rotor on every speed

    >>> m = sb.Model("pendulum")
    >>> joint = m.revolute("theta", m.ground, m.body("bob", mass=1.0, com=(0, -1, 0), inertia=(1, 1, 1)))
    >>> m.gravity(0, -10, 0)
    >>> found = sb.kits.robots.regressor(sb.derive(m))
    >>> {found.parameters[k]: found.Y[0, k] for _, k in sb.algebra.sparsity(found.Y)}
    {'bob_mcx': 10*cos(theta), 'bob_mcy': -10*sin(theta), 'bob_Izz': theta_ddot}

    See also: `kits.robots.base_parameters`, `kits.robots.Regressor`, `kits.robots.identify_robot`.
    """
    if wrong := [f for f in friction if f not in FRICTION]:
        raise sb.ModelError(f"regressor: there is no friction {wrong[0]!r}; it has {', '.join(FRICTION)}")
    tree = eq
    reduced = sb.minimal(eq) if eq.lam else eq
    motions = FrameMotions(tree.mechanism)
    bodies = [b for b in tree.mechanism.bodies if not b.mass.is_massless]
    places = {} if frames is None else dict(frames)
    blocks, names, known, used = [], [], [], []
    for b in bodies:
        frame = places.get(b.name, b.frame)
        used.append(frame)
        blocks.append(_block(motions, frame))
        called = re.sub(r"\W+", "_", b.name, flags=re.ASCII)
        names += [f"{called}_{n}" for n in NAMES]
        known += _in_frame(b, frame)
    Y = _side_by_side(blocks, len(tree.u))
    Y = _independent_rows(tree, reduced, Y)
    more, extra = _friction_and_rotors(reduced, friction, rotors)
    names += more
    known += [sb.fraction(0, 1)] * len(more)
    rows = [[*Y.row(i), *(column[i] for column in extra)] for i in range(Y.shape[0])]
    all_names, own = tuple(b.name for b in bodies), tuple(b.frame for b in bodies)
    return Regressor(reduced, sb.matrix(rows), tuple(names), tuple(known), all_names, tuple(used), own)


def _side_by_side(blocks: Sequence[sb.Matrix], rows: int) -> sb.Matrix:
    return sb.matrix([[e for b in blocks for e in b.row(i)] for i in range(rows)])


def _independent_rows(tree: sb.Equations, reduced: sb.Equations, Y: sb.Matrix) -> sb.Matrix:
    """Rows of the independent speeds: Aᵀ Y, with u' of the tree being A u' + ... of these, without multipliers."""
    if reduced is tree:
        return Y
    own = [u.dot for u in reduced.u]
    known: dict[Any, Any] = dict(reduced.dependent)
    accelerations = [known.get(u.dot, u.dot) for u in tree.u]
    A = sb.jacobian(accelerations, own)
    return A.T @ sb.derivation.in_own_terms(reduced, [Y])[0]


def _friction_and_rotors(
    eq: sb.Equations, friction: Sequence[str], rotors: bool
) -> tuple[list[str], list[list[sb.Expr]]]:
    zero = sb.fraction(0, 1)
    laws: dict[str, Any] = {
        "viscous": lambda u: u,
        "coulomb": sb.sign,
        "offset": lambda u: sb.fraction(1, 1),
        "rotor": lambda u: u.dot,
    }
    kinds = [*friction, *(["rotor"] if rotors else [])]
    names, columns = [], []
    for i, u in enumerate(eq.u):
        for kind in kinds:
            names.append(f"{u.name.removesuffix('_dot')}_{kind}")
            columns.append([laws[kind](u) if k == i else zero for k in range(len(eq.u))])
    return names, columns


def _in_frame(body: sb.Body, frame: sb.Frame) -> list[sb.Expr]:
    """The ten parameters of a body in a frame fixed to it."""
    mass = body.mass
    R = frame.dcm(body.frame)
    centre = (body.mass_centre - frame.origin).components(frame)
    I = R @ mass.I_BBcm @ R.T if frame is not body.frame else mass.I_BBcm
    I = I + mass.m * (sb.dot(centre, centre) * sb.identity(3) - sb.outer(centre, centre))
    h = mass.m * centre
    return [mass.m, *h.entries, I[0, 0], I[0, 1], I[1, 1], I[0, 2], I[1, 2], I[2, 2]]


def _block(motions: FrameMotions, frame: sb.Frame) -> sb.Matrix:
    """Columns of one body: J_vᵀ F + J_ωᵀ N."""
    w, v, alpha, a = motions.of(frame)
    Jv, Jw = sb.jacobian(v, motions.u), sb.jacobian(w, motions.u)
    F, N = _newton_euler(w, alpha, a)
    return Jv.T @ F + Jw.T @ N


def _newton_euler(w: sb.Matrix, alpha: sb.Matrix, a: sb.Matrix) -> tuple[sb.Matrix, sb.Matrix]:
    """Force and moment about the origin of a body, as matrices by which its ten parameters are multiplied."""
    zero = sb.fraction(0, 1)
    spin = sb.skew(alpha) + sb.skew(w) @ sb.skew(w)
    L, K = _inertia_times(alpha), _inertia_times(w)
    W = sb.skew(w)
    F = [[a[i], *spin.row(i), *([zero] * 6)] for i in range(3)]
    turn = L + W @ K
    lever = -1 * sb.skew(a)
    N = [[zero, *lever.row(i), *turn.row(i)] for i in range(3)]
    return sb.matrix(F), sb.matrix(N)


def _inertia_times(v: sb.Matrix) -> sb.Matrix:
    """I v as a matrix times (Ixx, Ixy, Iyy, Ixz, Iyz, Izz)."""
    x, y, z = v.entries
    o = sb.fraction(0, 1)
    return sb.matrix([[x, y, o, z, o, o], [o, x, y, o, z, o], [o, o, o, x, y, z]])

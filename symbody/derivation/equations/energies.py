"""Energies, momenta, and the power of loads and constraints.

With T the kinetic energy, P the power of each load and Pc the power that explicitly time-dependent constraints feed in,

    T' = Σ P + Pc

holds along every motion (Lennartsson eq. 4.37; conservative loads are among the P, with P = -V' where V has no explicit
time).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, cast

from ...algebra.calculus.derivatives import gradient, jacobian, time_derivative
from ...algebra.graph.graph import HALF, ZERO, Expr, Symbol
from ...algebra.graph.matrix import Matrix, cross, dot, stack, sum_of_products, zeros
from ...algebra.graph.walk import free_symbols, substitute_all
from ...bodies.frames.frames import Frame
from ...bodies.frames.points import Point
from ...bodies.frames.vectors import Vector
from ...bodies.mechanism.mechanism import Body, Load, Mechanism
from ...bodies.model.model import Model
from ...errors import DerivationError, ModelError, listed, shown
from ...later import later
from ..kinematics.affine_fields import inner, moment_about_origin
from ..kinematics.deforming_motion import DeformingMotion
from ..kinematics.kinematics import Kinematics, Wrench, forces_on_rates, wrench_of, wrenches
from ..routes.recursive import inertial_wrenches, power_of_prescribed_deformation, to_parent
from ..routes.user_inertia import BALANCES, WrittenMotion
from .equation_arguments import of_equations, of_equations_or
from .equations import Equations
from .own_terms import in_own_terms, speed_index

# ---------------------------------------------------------------------------------------------------------- energies


@of_equations_or(Model)
def kinetic_energy(eq: Model | Equations, bodies: Any = None) -> Expr:
    """T = ½ Σ m v·v + ω·I ω, v being the velocity of the mass centre, and ½ ∫ v·v dm for deformable bodies; of all
    bodies, or of those given by name. The first argument is `Equations`, or a model before derivation.

    Explicit kinetic energies K add q' · ∂K/∂q' - K to the total, which equals K if K is quadratic in the rates;
    balances add ½ u · M u.

    >>> m = sb.Model("cart")
    >>> joint = m.prismatic("x", m.ground, m.body("cart", mass=2.0))
    >>> sb.kinetic_energy(sb.derive(m)), sb.kinetic_energy(m, "cart")
    (x_dot**2, x_dot**2)

    See also: `potential_energy`, `energy`, `Trajectory`.
    """
    mechanism = _mechanism(eq)
    if bodies is None and (swept := _in_loops("swept_kinetic_energy", mechanism)) is not None:
        return _own(eq, swept)
    k = Kinematics(mechanism)
    total = _energy_of_bodies(k, _bodies_named(mechanism, bodies, "kinetic_energy"))
    if bodies is None and mechanism.has_written_motion:
        total = total + WrittenMotion(mechanism, k).kinetic_energy
    return _own(eq, total)


def _mechanism(eq: Model | Equations) -> Mechanism:
    return eq.freeze() if isinstance(eq, Model) else eq.mechanism


def _in_loops(energy: str, mechanism: Mechanism) -> Expr | None:
    """An energy of a large tree, by the name of its function."""
    found: Expr | None = later("derivation.programs.link_sums", energy)(mechanism)
    return found


def _energy_of_bodies(k: Kinematics, bodies: tuple[Body, ...]) -> Expr:
    total = ZERO
    for body in bodies:
        if body.mass.is_massless:
            continue
        if body.moments is not None:
            motion = DeformingMotion(body, k).velocity
            total = total + HALF * inner(body.moments, motion, motion)
            continue
        w, v = k.velocities[body.frame]
        v = v + cross(w, body.mass.p_BoBcm)
        total = total + HALF * (body.mass.m * dot(v, v) + dot(w, body.mass.I_BBcm @ w))
    return total


@of_equations_or(Model)
def potential_energy(eq: Model | Equations, loads: Any = None, *, bodies: Any = None) -> Expr:
    """V: the sum of the potentials of all loads that have one, or of those given by name. The first argument is
    `Equations`, or a model before derivation.

    bodies   names of bodies: their energy in gravity fields, such as -m g · r

    >>> m = sb.Model("spring")
    >>> k = m.parameter("k", 100.0)
    >>> joint = m.prismatic("x", m.ground, m.body("cart", mass=2.0), stiffness=k)
    >>> sb.potential_energy(sb.derive(m))
    k*x**2/2

    See also: `kinetic_energy`, `energy`, `Model.potential`.
    """
    mechanism, total = _mechanism(eq), ZERO
    if loads is None and bodies is None and (swept := _in_loops("swept_potential_energy", mechanism)) is not None:
        return _own(eq, swept)
    names = None if bodies is None else {b.name for b in _bodies_named(mechanism, bodies, "potential_energy")}
    for load in _chosen_loads(mechanism, loads):
        if names is not None:
            total = total + sum((V for name, V in load.by_body.items() if name in names), ZERO)
        elif load.potential is not None:
            total = total + load.potential
    return _own(eq, *Kinematics(mechanism).in_speeds([total]))


@of_equations
def energy(eq: Equations) -> Expr:
    """T + V.

    >>> m = sb.Model("spring")
    >>> k = m.parameter("k", 100.0)
    >>> joint = m.prismatic("x", m.ground, m.body("cart", mass=2.0), stiffness=k)
    >>> eq = sb.derive(m)
    >>> sb.energy(eq)
    k*x**2/2 + x_dot**2

    See also: `kinetic_energy`, `potential_energy`, `derivation.load_powers`.
    """
    return kinetic_energy(eq) + potential_energy(eq)


@of_equations
def generalized_momenta(eq: Equations) -> Matrix:
    """∂T/∂u of bodies and Nᵀ ∂K/∂q' of kinetic energies that were written down, one for each speed."""
    if not eq.mechanism.has_written_motion:
        return gradient(kinetic_energy(eq), eq.u)
    k = Kinematics(eq.mechanism)
    bodies = Matrix(len(k.u), 1, tuple(gradient(_energy_of_bodies(k, eq.mechanism.bodies), k.u).entries))
    return cast(Matrix, in_own_terms(eq, [bodies + WrittenMotion(eq.mechanism, k).momenta])[0])


def _bodies_named(mechanism: Mechanism, bodies: Any, call: str) -> tuple[Body, ...]:
    """All bodies, or the named ones."""
    if bodies is None:
        return mechanism.bodies
    given = list(bodies) if isinstance(bodies, (list, tuple)) else [bodies]
    if wrong := [b for b in given if not isinstance(b, (str, Body))]:
        raise ModelError(f"{call}: bodies= must be a body or its name, or a list of them, got {shown(wrong[0])}")
    return tuple(mechanism.body(b.name if isinstance(b, Body) else b) for b in given)


def _chosen_loads(mechanism: Mechanism, loads: Any) -> tuple[Load, ...]:
    if loads is None:
        return mechanism.loads
    given = [loads] if isinstance(loads, str) else list(loads) if isinstance(loads, (list, tuple)) else [loads]
    if wrong := [x for x in given if not isinstance(x, str)]:
        raise ModelError(
            f"potential_energy: loads= must be the name of a load, or a list of names, got {shown(wrong[0])}"
        )
    return tuple(mechanism.load(name) for name in given)


def _own(eq: Model | Equations, expression: Expr) -> Expr:
    return expression if isinstance(eq, Model) else in_own_terms(eq, [expression])[0]


# ---------------------------------------------------------------------------------------------------------- momenta


@of_equations
def momentum(eq: Equations, bodies: Any = None) -> Vector:
    """Linear momentum p = Σ m v of all bodies, or of those given by name.

    >>> m = sb.Model("cart")
    >>> joint = m.prismatic("x", m.ground, m.body("cart", mass=2.0))
    >>> sb.momentum(sb.derive(m)).in_ground
    vector(2*x_dot, 0, 0)

    See also: `angular_momentum`, `centre_of_mass`.
    """
    refuse_written_motion(eq, "momentum")
    total = _momenta(eq, _bodies_named(eq.mechanism, bodies, "momentum"))
    return Vector({eq.mechanism.ground: in_own_terms(eq, [total.force])[0]})


@of_equations
def angular_momentum(eq: Equations, about: Point | None = None, *, bodies: Any = None) -> Vector:
    """Angular momentum about a point P (the origin of the ground by default) of all bodies, or of those given by name.

        L_P = Σ (r - r_P) × m v + I ω

    `about=centre_of_mass(eq)` takes the mass centre as P. Components: `L.components(frame)`, `L.in_ground`, `sim[L]`
    along a motion.

    >>> m = sb.Model("pendulum")
    >>> joint = m.revolute("theta", m.ground, m.body("bob", mass=2.0, com=(0, -3, 0)))
    >>> sb.angular_momentum(sb.derive(m)).in_ground[2]
    18*theta_dot

    See also: `momentum`, `centre_of_mass`, `Vector`.
    """
    refuse_written_motion(eq, "angular_momentum")
    total = _momenta(eq, _bodies_named(eq.mechanism, bodies, "angular_momentum"))
    moment = total.moment
    if about is not None:
        if not isinstance(about, Point):
            raise ModelError(
                "angular_momentum: about= must be a point such as body.point(x, y, z) or centre_of_mass(eq), got "
                f"{shown(about)}"
            )
        moment = moment - cross(about.in_ground, total.force)
    return Vector({eq.mechanism.ground: in_own_terms(eq, [moment])[0]})


@of_equations
def centre_of_mass(eq: Equations, bodies: Any = None) -> Point:
    """The mass centre of all bodies, or of those given by name, as a point of the ground frame.

    >>> m = sb.Model("pendulum")
    >>> joint = m.revolute("theta", m.ground, m.body("bob", mass=2.0, com=(0, -3, 0)))
    >>> sb.centre_of_mass(sb.derive(m)).in_ground
    vector(3*sin(theta), -3*cos(theta), 0)

    See also: `momentum`, `Point`.
    """
    refuse_written_motion(eq, "centre_of_mass")
    ground, mass, first = eq.mechanism.ground, ZERO, zeros(3)
    for body in _bodies_named(eq.mechanism, bodies, "centre_of_mass"):
        mass = mass + body.mass.m
        first = first + body.mass.m * body.mass_centre.in_ground
    if mass is ZERO:
        raise ModelError(f"centre_of_mass of {eq.name!r}: no body of it has mass")
    return Point(ground, first / mass)


def _momenta(eq: Equations, bodies: tuple[Body, ...]) -> Wrench:
    """Momentum, and its moment about the origin of the ground: carried from the leaves to the ground as forces are."""
    mechanism, k = eq.mechanism, Kinematics(eq.mechanism)
    total: dict[Frame, Wrench] = {mechanism.ground: Wrench(zeros(3), zeros(3))}
    for body in bodies:
        if body.moments is not None:
            motion = DeformingMotion(body, k).velocity
            moment = moment_about_origin(body.moments, motion)
            _add(total, body.frame, Wrench(motion.total(body.moments), moment))
            continue
        w, v = k.velocities[body.frame]
        p = body.mass.m * (v + cross(w, body.mass.p_BoBcm))
        _add(total, body.frame, Wrench(p, body.mass.I_BBcm @ w + cross(body.mass.p_BoBcm, p)))
    for f in reversed(mechanism.frames):
        if f in total and f.parent is not None:
            _add(total, f.parent, to_parent(f, total[f]))
    return total[mechanism.ground]


def _add(total: dict[Frame, Wrench], f: Frame, w: Wrench) -> None:
    total[f] = total[f] + w if f in total else w


def refuse_written_motion(eq: Equations, what: str) -> None:
    """An error where not all inertia is that of bodies, whose places are known."""
    if eq.mechanism.has_written_motion:
        written = [*eq.mechanism.kinetic, *(f"balance of {u.name}" for u in eq.mechanism.balances)]
        raise DerivationError(
            f"{what} of {eq.name!r}: available only for models made of bodies, and not with motion given by equations ({listed(written)}); "
            "energies, accelerations and multipliers are available"
        )


# ---------------------------------------------------------------------------------------------------------- power


@of_equations
def power(eq: Equations, load: str) -> Expr:
    """The power of a load, by its name: Σ F·v + τ·ω of its forces and torques, and Q q' of its generalised forces.

    >>> m = sb.Model("damper")
    >>> joint = m.prismatic("x", m.ground, m.body("cart", mass=2.0), damping=3)
    >>> sb.derivation.power(sb.derive(m), "x.damper")
    -3*x_dot**2

    See also: `derivation.load_powers`, `derivation.generalized_force`, `energy`.
    """
    return _own(eq, _power(eq.mechanism.load(load), Kinematics(eq.mechanism)))


@of_equations
def generalized_force(eq: Equations, load: str, along: Any = None) -> Any:
    """The generalised forces of one load, by its name: a column with one entry for each speed, or the force on the
    speed `along` (its name or symbol, or the coordinate whose rate it is).

        Q_j = Σ F · ∂v/∂u_j + τ · ∂ω/∂u_j + Q_q ∂q'/∂u_j      with all forces held constant

    >>> m = sb.Model("pendulum")
    >>> joint = m.revolute("theta", m.ground, m.body("bob", mass=1, com=(0, -1, 0)))
    >>> m.gravity(0, -10, 0)
    >>> sb.derivation.generalized_force(sb.derive(m), "gravity", along="theta")
    -10*sin(theta)

    See also: `derivation.power`, `Model.generalized_force`.
    """
    k, given = Kinematics(eq.mechanism), eq.mechanism.load(load)
    Q = forces_on_rates([given], k)
    for frame, wrench in wrenches([given], k).items():
        w, v = k.velocities[frame]
        J, force = jacobian(stack(v, w), k.u), (*wrench.force.entries, *wrench.moment.entries)
        Q = [sum_ + sum_of_products(J.column(j), force) for j, sum_ in enumerate(Q)]
    own = [eq.dependent.get(u, u) for u in k.u]
    table = jacobian(own, eq.u) if own else zeros(0, 0)
    column = table.T @ Matrix(len(Q), 1, tuple(in_own_terms(eq, Q)))
    return column if along is None else column[speed_index(eq, along, f"generalized_force of {load!r}")]


@of_equations
def load_powers(eq: Equations) -> dict[str, Expr]:
    """The power of every load, by name; the total power of explicit balances is last.

    >>> m = sb.Model("pendulum")
    >>> joint = m.revolute("theta", m.ground, m.body("bob", mass=1, com=(0, -1, 0)), damping=2)
    >>> m.gravity(0, -10, 0)
    >>> sb.derivation.load_powers(sb.derive(m))
    {'gravity': -10*sin(theta)*theta_dot, 'theta.damper': -2*theta_dot**2}

    See also: `derivation.power`, `energy`, `Trajectory`.
    """
    k = Kinematics(eq.mechanism)
    powers = {x.name: _power(x, k) for x in eq.mechanism.loads}
    if eq.mechanism.balances:
        powers[BALANCES] = WrittenMotion(eq.mechanism, k).power_of_balances
    return dict(zip(powers, in_own_terms(eq, list(powers.values())), strict=True))


def powers_and_losses(eq: Equations, loads: Sequence[Load]) -> list[tuple[Expr, Expr]]:
    """The power of each load with a potential V, and -V': equal along every motion if the load derives from V."""
    k = Kinematics(eq.mechanism)
    potentials = [ZERO if x.potential is None else x.potential for x in loads]
    losses = [-e for e in time_derivative(Matrix(len(loads), 1, tuple(potentials)), eq.mechanism.rates).entries]
    own = in_own_terms(eq, [*(_power(x, k) for x in loads), *losses])
    return list(zip(own[: len(loads)], own[len(loads) :], strict=True))


def _power(load: Load, k: Kinematics) -> Expr:
    if is_uniform_gravity(load, k) and (swept := _in_loops("swept_gravity_power", k.mechanism)) is not None:
        return swept
    of_actions: dict[str, Expr] = later("derivation.programs.link_sums", "swept_load_powers")(k.mechanism)
    total, rates = of_actions.get(load.name, ZERO), k.mechanism.rates
    for action in () if load.name in of_actions else load.actions:
        total = total + _on(wrench_of(action, k), k.velocities[action.frame])
    for q, value in _forces_on_own(load, k).items():
        total = total + value * rates[q]
    for u, value in load.on_rates.items():
        if u not in rates:
            total = total + u * value
    return total


def _on(wrench: Wrench, velocity: tuple[Matrix, Matrix]) -> Expr:
    return dot(wrench.moment, velocity[0]) + dot(wrench.force, velocity[1])


def forces_on_coordinates(load: Load, k: Kinematics) -> list[Expr]:
    """The generalised forces of a load that is given on coordinates (or by a potential alone: -∂V/∂q), one for each
    coordinate."""
    own = _forces_on_own(load, k)
    return [own.get(x, ZERO) for x in k.mechanism.q]


def _forces_on_own(load: Load, k: Kinematics) -> dict[Symbol, Expr]:
    """Those on the coordinates on which the load acts, in the order of the mechanism."""
    if not load.frames and not load.on_rates and load.potential is not None:
        inside = _coordinates_among(free_symbols(load.potential), k)
        values = [-e for e in jacobian([load.potential], inside).entries]
    else:
        inside = _coordinates_among(load.on_rates, k)
        values = [load.on_rates[q] for q in inside]
    return dict(zip(inside, k.in_speeds(values), strict=True))


def _coordinates_among(symbols: Collection[Symbol], k: Kinematics) -> list[Symbol]:
    found = {s for s in symbols if s in k.mechanism.rates}
    return list(found) if len(found) < 2 else [q for q in k.mechanism.q if q in found]


@of_equations
def constraint_power(eq: Equations, solved: bool = False) -> Expr:
    """The power input of explicitly time-dependent constraints and prescribed motions (Lennartsson eq. 4.38, with
    multipliers).

        Pc = Σ β_t · (p' - F) - lam · b - n · Q

    β_t: velocities where u = 0; p' - F: rates of momenta minus applied forces; b, n: free terms of Jc u + b = 0 and q'
    = N u + n; Q: forces on coordinates; -∂K/∂t for explicit kinetic energies. It is zero without explicit time
    dependence.

    solved   False: an expression in u' and multipliers; True: with their solutions substituted

    >>> m = sb.Model("turntable")
    >>> w = m.parameter("w", 2.0)
    >>> arm = m.ground.rotate("z", w * m.time)
    >>> s = m.coordinate("s")
    >>> bead = m.particle("bead", arm.point(s, 0, 0), mass=3)
    >>> sb.derivation.constraint_power(sb.derive(m), solved=True)
    6*w**2*s*s_dot

    See also: `derivation.load_powers`, `energy`, `Model.prescribe`.
    """
    whole, mechanism, k = eq.whole, eq.mechanism, Kinematics(eq.mechanism)
    total = _power_of_prescribed_motion(k) + power_of_prescribed_deformation(mechanism, k)
    free = substitute_all([mechanism.rates[q] for q in mechanism.q], dict.fromkeys(mechanism.u, ZERO))
    if any(e is not ZERO for e in free):
        for load in mechanism.loads:
            total = total - sum_of_products(free, forces_on_coordinates(load, k))
    total = total - sum_of_products(whole.lam, whole.b.entries)
    if mechanism.kinetic:
        total = total + WrittenMotion(mechanism, k).power_of_time
    return in_own_terms(eq, [total], solved)[0]


def external_power(eq: Equations) -> Expr:
    """Power of loads without potential and of prescribed motions, along the motion: the rate of T + V."""
    return sum(_powers_without_potential(eq), constraint_power(eq, solved=True))


def is_fed(eq: Equations) -> bool:
    """Whether loads without potential or prescribed motions have power, so that T + V changes. The power of
    constraints, which takes longer to find, is examined only if there are no such loads."""
    return eq.cached(
        "is fed", (), lambda: bool(_powers_without_potential(eq)) or constraint_power(eq, True) is not ZERO
    )


def _powers_without_potential(eq: Equations) -> list[Expr]:
    """The nonzero powers of loads without potential."""
    potentials = {x.name for x in eq.mechanism.loads if x.has_potential}
    return [p for name, p in load_powers(eq).items() if name not in potentials and p is not ZERO]


def _power_of_prescribed_motion(k: Kinematics) -> Expr:
    """Σ β_t · (p' - F)."""
    mechanism, moved = k.mechanism, given_velocities(k)
    nothing = (zeros(3), zeros(3))
    if all(m == nothing for m in moved.values()):
        return ZERO
    total = ZERO
    for f, w in inertial_wrenches(mechanism, k, at_constant_speed=False).items():
        total = total + _on(w, moved[f])
    others = [x for x in mechanism.loads if not is_uniform_gravity(x, k)]
    for f, w in wrenches(others, k).items():
        total = total - _on(w, moved[f])
    return total


def given_velocities(k: Kinematics) -> dict[Frame, tuple[Matrix, Matrix]]:
    """β_t: angular velocities and velocities of frames where all speeds are zero."""
    frames = list(k.velocities)
    given = substitute_all([x for f in frames for x in k.velocities[f]], dict.fromkeys(k.mechanism.u, ZERO))
    return {f: (given[2 * i], given[2 * i + 1]) for i, f in enumerate(frames)}


def is_uniform_gravity(load: Load, k: Kinematics) -> bool:
    """Whether a load is in `inertial_wrenches` already, as an acceleration of the ground."""
    return k.mechanism.gravity is not None and load.kind == "gravity" and load.name == "gravity"
